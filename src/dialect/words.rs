//! The words of each dialect: the names of its attributes, the keyword of each feature, and what it allows there.
//!
//! Reading, writing and checking take them from this table; no other layer has them.

use super::{CHUNKS_ATTRIBUTE, STATE_ATTRIBUTE};
use crate::model::Dialect;
use crate::value::{Attribute, Attributes};

/// The attributes that make a variable an aggregation variable.
pub const ATTRIBUTES: [&str; 4] = [NEW.dimensions, NEW.data, OLD.dimensions, OLD.data];

/// The two attributes of an aggregation variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Names {
    /// The one that names the aggregated dimensions.
    pub(crate) dimensions: &'static str,
    /// The one with the instructions.
    pub(crate) data: &'static str,
}

/// The names since CFA-0.6.
pub(crate) const NEW: Names = Names { dimensions: "aggregated_dimensions", data: "aggregated_data" };

/// The names of the earlier dialects.
pub(crate) const OLD: Names = Names { dimensions: "cfa_dimensions", data: "cfa_array" };

impl Names {
    /// Returns the attributes of a dialect.
    pub(crate) fn of(dialect: Dialect) -> Names {
        match dialect {
            Dialect::Cfa04 | Dialect::CfaTerms => OLD,
            _ => NEW,
        }
    }
}

/// The attribute of the variable of locations with the replacements of their keywords.
pub(crate) const SUBSTITUTIONS_ATTRIBUTE: &str = "substitutions";

/// The attribute of CF for the purpose of a variable.
pub(crate) const ROLE_ATTRIBUTE: &str = "cf_role";

/// The role of an aggregation variable in CFA-0.4.
pub(crate) const ROLE_OF_AGGREGATION: &str = "cfa_variable";

/// The role of a fragment that is stored in the aggregation file in CFA-0.4.
pub(super) const ROLE_OF_FRAGMENT: &str = "cfa_private";

/// The keywords of a dialect by feature, and its rules for them.
#[derive(Debug)]
pub(crate) struct Keywords {
    /// The table of sizes or index ranges.
    pub(crate) map: &'static str,
    /// Whether that table has index ranges.
    pub(crate) ranges: bool,
    /// Whether a table of sizes has one dimension when the aggregated data is scalar.
    pub(crate) one_element: bool,
    /// The position of each fragment, if the dialect has that.
    pub(crate) positions: Option<&'static str>,
    /// The names of the files.
    pub(crate) locations: &'static str,
    /// The variables in them.
    pub(crate) identifiers: &'static str,
    /// One value per fragment, if the dialect has that.
    pub(crate) unique: Option<&'static str>,
    /// The formats of the files, if the dialect has them.
    pub(crate) formats: Option<&'static str>,
    /// The keywords that are mandatory if there are no unique values.
    pub(crate) mandatory: &'static [&'static str],
    /// Whether other keywords are refused and keywords are case-sensitive.
    pub(crate) strict: bool,
    /// Whether a trailing dimension may hold versions.
    pub(crate) versions: bool,
    /// Whether one identifier (and format) may apply to all fragments.
    pub(crate) shared: bool,
    /// Whether a fragment may have no location, and a location may be an absolute path.
    pub(crate) optional: bool,
    /// Whether locations may have the attribute `substitutions`.
    pub(crate) substitutions: bool,
    /// The prefix of the names of the variables that are written for the keywords.
    pub(crate) prefix: &'static str,
}

/// CF-1.13 section 2.8.1.
pub(super) const CF_1_13: Keywords = Keywords {
    map: "map",
    ranges: false,
    one_element: false,
    positions: None,
    locations: "uris",
    identifiers: "identifiers",
    unique: Some("unique_values"),
    formats: None,
    mandatory: &["map", "uris", "identifiers"],
    strict: true,
    versions: false,
    shared: true,
    optional: false,
    substitutions: false,
    prefix: "fragment_",
};

/// The draft of CF section 2.8.
pub(super) const CF_DRAFT: Keywords = Keywords {
    map: "shape",
    locations: "location",
    identifiers: "address",
    unique: Some("value"),
    mandatory: &["shape", "location", "address"],
    versions: true,
    substitutions: true,
    ..CF_1_13
};

/// CFA-0.6b1.
pub(super) const CFA_0_6B1: Keywords = Keywords {
    map: "location",
    ranges: true,
    one_element: false,
    positions: None,
    locations: "file",
    identifiers: "address",
    unique: None,
    formats: Some("format"),
    mandatory: &["location", "file", "format", "address"],
    strict: false,
    versions: true,
    shared: false,
    optional: true,
    substitutions: false,
    prefix: "cfa_",
};

/// CFA-0.6b1 before `file` and `format` became mandatory.
const CFA_0_6B1_EARLY: Keywords = Keywords { mandatory: &["location", "address"], ..CFA_0_6B1 };

/// CFA-0.6.2.
pub(super) const CFA_0_6_2: Keywords =
    Keywords { ranges: false, one_element: true, shared: true, substitutions: true, ..CFA_0_6B1 };

/// CFA with terms in `cfa_array`.
pub(super) const CFA_TERMS: Keywords = Keywords {
    map: "index",
    positions: Some("fragment"),
    mandatory: &["fragment", "index", "address"],
    ..CFA_0_6B1
};

impl Keywords {
    /// Returns the keywords of a dialect; `None` for CFA-0.4, which has JSON instead.
    pub(crate) fn of(dialect: Dialect) -> Option<&'static Keywords> {
        Some(match dialect {
            Dialect::Cf113 => &CF_1_13,
            Dialect::CfDraft => &CF_DRAFT,
            Dialect::Cfa062 => &CFA_0_6_2,
            Dialect::Cfa06b1 => &CFA_0_6B1,
            Dialect::Cfa06b1Early => &CFA_0_6B1_EARLY,
            Dialect::CfaTerms => &CFA_TERMS,
            Dialect::Cfa04 => return None,
        })
    }

    /// Returns a keyword of the attribute as this dialect compares it.
    pub(crate) fn cased(&self, keyword: &str) -> String {
        if self.strict {
            keyword.to_owned()
        } else {
            keyword.to_lowercase()
        }
    }
}

/// Returns whether the attributes make this an aggregation variable, in any dialect.
pub fn is_aggregation(attributes: &Attributes) -> bool {
    ATTRIBUTES.iter().any(|name| attributes.get(name).is_some())
}

/// Returns whether an attribute only describes how data are aggregated. The aggregated view omits it.
pub fn defines_aggregation(attribute: &Attribute) -> bool {
    let name = attribute.name.as_str();
    ATTRIBUTES.contains(&name)
        || name == STATE_ATTRIBUTE
        || name == CHUNKS_ATTRIBUTE
        || (name == ROLE_ATTRIBUTE && attribute.value.as_text().as_deref() == Some(ROLE_OF_AGGREGATION))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Dialect; 6] = [
        Dialect::CfaTerms,
        Dialect::Cfa06b1Early,
        Dialect::Cfa06b1,
        Dialect::Cfa062,
        Dialect::CfDraft,
        Dialect::Cf113,
    ];

    #[test]
    fn mandatory_keywords_are_among_those_of_the_features() {
        for dialect in ALL {
            let words = Keywords::of(dialect).unwrap();
            let features = [
                words.positions,
                Some(words.map),
                Some(words.locations),
                words.formats,
                Some(words.identifiers),
            ];
            assert!(words.mandatory.iter().all(|word| features.contains(&Some(word))), "{dialect}");
            assert!(words.mandatory.contains(&words.map), "{dialect}");
        }
        assert!(Keywords::of(Dialect::Cfa04).is_none());
    }

    #[test]
    fn case_counts_in_the_texts_of_cf_alone() {
        assert_eq!(CF_1_13.cased("Map"), "Map");
        assert_eq!(CFA_0_6_2.cased("LOCATION"), "location");
    }
}
