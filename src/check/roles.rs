//! Which keyword plays which role in a text, and what the text allows there.

use crate::container::tree::Tree;
use crate::container::tree::Variable;
use crate::dialect::{recognise, reference};
use crate::model::Dialect;

/// The keywords of a text by role, and its rules.
pub(crate) struct Roles {
    /// The table of sizes or index ranges.
    pub(crate) map: &'static str,
    /// Whether that table has index ranges.
    pub(crate) ranges: bool,
    /// The names of the files.
    pub(crate) locations: &'static str,
    /// The variables in them.
    pub(crate) identifiers: &'static str,
    /// One value per fragment, where the text has that.
    pub(crate) unique: Option<&'static str>,
    /// The formats of the files, where the text has them.
    pub(crate) formats: Option<&'static str>,
    /// The keywords that must be there when there are no unique values.
    pub(crate) mandatory: &'static [&'static str],
    /// Whether other keywords are refused and case counts.
    pub(crate) strict: bool,
    /// Whether a trailing dimension may hold versions.
    pub(crate) versions: bool,
    /// Whether one identifier (and format) may serve all fragments.
    pub(crate) shared: bool,
    /// Whether a fragment may have no location, and a location may be an absolute path.
    pub(crate) optional: bool,
}

impl Roles {
    /// Those of a text; `None` for CFA-0.4, which has no keywords.
    pub(crate) fn of(dialect: Dialect) -> Option<Roles> {
        let cfa = Roles {
            map: "location",
            ranges: true,
            locations: "file",
            identifiers: "address",
            unique: None,
            formats: Some("format"),
            mandatory: &["location", "file", "format", "address"],
            strict: false,
            versions: true,
            shared: false,
            optional: true,
        };
        Some(match dialect {
            Dialect::Cf113 => Roles {
                map: "map",
                ranges: false,
                locations: "uris",
                identifiers: "identifiers",
                unique: Some("unique_values"),
                formats: None,
                mandatory: &["map", "uris", "identifiers"],
                strict: true,
                versions: false,
                shared: true,
                optional: false,
            },
            Dialect::CfDraft => Roles {
                map: "shape",
                ranges: false,
                locations: "location",
                unique: Some("value"),
                formats: None,
                mandatory: &["shape", "location", "address"],
                strict: true,
                shared: true,
                optional: false,
                ..cfa
            },
            Dialect::Cfa062 => Roles { ranges: false, shared: true, ..cfa },
            Dialect::Cfa06b1 => cfa,
            Dialect::Cfa06b1Early => Roles { mandatory: &["location", "address"], ..cfa },
            Dialect::CfaTerms => Roles { map: "index", mandatory: &["fragment", "index", "address"], ..cfa },
            Dialect::Cfa04 => return None,
        })
    }
}

/// The elements `feature: variable` of an attribute, and the words that are not of that form.
pub(crate) fn elements(text: &str) -> (Vec<(String, String)>, Vec<String>) {
    let (mut pairs, mut bad) = (Vec::new(), Vec::new());
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let pair = match word.strip_suffix(':') {
            Some(keyword) => words.next_if(|w| !w.ends_with(':')).map(|variable| (keyword, variable)),
            None => word.split_once(':').filter(|(_, v)| !v.is_empty()),
        };
        match pair.filter(|(keyword, _)| !keyword.is_empty()) {
            Some((keyword, variable)) => pairs.push((keyword.to_owned(), variable.to_owned())),
            None => bad.push(word.to_owned()),
        }
    }
    (pairs, bad)
}

/// The text that a variable seems to follow, also where it breaks its rules.
pub(crate) fn dialect_of(tree: &Tree, variable: &Variable) -> Dialect {
    let attributes = &variable.attributes;
    let is_new = ["aggregated_dimensions", "aggregated_data"].iter().any(|n| attributes.get(n).is_some());
    if !is_new {
        let json = attributes.text("cfa_array").is_some_and(|t| t.trim_start().starts_with('{'));
        return if json { Dialect::Cfa04 } else { Dialect::CfaTerms };
    }
    let (pairs, _) = elements(&attributes.text("aggregated_data").unwrap_or_default());
    let has = |word: &str| pairs.iter().any(|(k, _)| k == word);
    let any = |words: &[&str]| pairs.iter().any(|(k, _)| words.contains(&&*k.to_lowercase()));
    if any(&["location", "file", "format", "address"]) && !any(&["shape", "map"]) {
        return cfa_06(tree, variable, &pairs);
    }
    let draft = has("shape") || has("value");
    let current = ["map", "uris", "identifiers", "unique_values"].iter().any(|w| has(w));
    if draft && !current {
        Dialect::CfDraft
    } else {
        Dialect::Cf113
    }
}

/// Tells the CFA-0.6 texts apart, by the rank of `location`.
fn cfa_06(tree: &Tree, variable: &Variable, pairs: &[(String, String)]) -> Dialect {
    let find = |word: &str| pairs.iter().find(|(k, _)| k.eq_ignore_ascii_case(word)).map(|(_, v)| v);
    let rank =
        variable.attributes.text("aggregated_dimensions").unwrap_or_default().split_whitespace().count();
    let shape = find("location")
        .and_then(|name| reference::variable(tree, variable.group, name))
        .map(|id| &tree.variables[id.0].array.shape);
    let Some(shape) = shape else { return Dialect::Cfa062 };
    let joined: Vec<String> = pairs.iter().map(|(k, v)| format!("{k}: {v}")).collect();
    let terms = crate::dialect::terms::Terms::parse(&joined.join(" ")).and_then(|t| t.ignoring_case());
    let told = terms.and_then(|terms| recognise::location_dialect(shape, rank, &terms));
    told.unwrap_or(if shape.len() > 2 { Dialect::Cfa06b1 } else { Dialect::Cfa062 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_elements_do_not_hide_the_good_ones() {
        let (pairs, bad) = elements("map: m uris identifiers:i : x unique_values:");
        assert_eq!(pairs, [("map".into(), "m".into()), ("identifiers".into(), "i".into())]);
        assert_eq!(bad, ["uris", ":", "unique_values:"]);
    }
}
