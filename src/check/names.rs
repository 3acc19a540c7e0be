//! Checks the variables with the file, identifier and format of each fragment, or its unique value.

use super::report::Findings;
use super::rules::{self, Rule};
use super::subject::{Named, Subject};
use crate::canonical::{Conversion, Target};
use crate::container::tree::{Variable, VariableId};
use crate::dialect::words::SUBSTITUTIONS_ATTRIBUTE;
use crate::error::secrets::redact;
use crate::error::Result;
use crate::model::feature::{Entries, Feature, Leeway};
use crate::model::slabs::Slabs;
use crate::model::substitutions::Substitutions;
use crate::model::Dialect;
use crate::selection::Selection;
use crate::value::DataType;

/// The number of fragments whose names are in memory at once.
const BLOCK: u64 = 4096;
/// What the names of a fragment cost, in bytes of work.
const NAME: u64 = 256;

/// Checks the variables; `fragments` is the shape of the array of fragments, if it is known.
pub(crate) fn check(subject: &Subject, named: &Named, fragments: Option<&[u64]>, findings: &mut Findings) {
    let words = named.words;
    if let Some((variable, _)) = words.unique.and_then(|keyword| named.get(keyword)) {
        unique(subject, named, variable, fragments, findings);
        return;
    }
    let locations = named.get(words.locations);
    let identifiers = named.get(words.identifiers);
    let formats = words.formats.and_then(|keyword| named.get(keyword));
    let mut sound = true;
    if let Some((variable, _)) = locations {
        sound &= shape_of_locations(subject, named, variable, fragments, findings);
    }
    for (found, rule) in [(identifiers, &rules::IDENTIFIERS_SHAPE), (formats, &rules::FORMATS_SHAPE)] {
        if let Some((variable, _)) = found {
            sound &= shape_like(subject, named, variable, locations.map(|l| l.0), rule, findings);
        }
    }
    let substitutions = locations.and_then(|(v, _)| v.attributes.text(SUBSTITUTIONS_ATTRIBUTE));
    let substitutions = match substitutions.map(|text| Substitutions::parse(&text)) {
        Some(Ok(_)) if matches!(subject.dialect, Dialect::Cf113) => {
            subject.report(
                findings,
                &rules::ODDITY,
                "substitutions are not part of this convention; they are applied",
            );
            return;
        }
        Some(Err(error)) => {
            subject.report(findings, &rules::SUBSTITUTIONS, error.message());
            return;
        }
        Some(Ok(table)) => table,
        None => Substitutions::default(),
    };
    let (Some(fragments), true) = (fragments, sound) else { return };
    let Some((_, identifiers)) = identifiers else { return };
    if locations.is_none() && !words.optional {
        return;
    }
    let lists = Lists { subject, named, fragments, substitutions };
    let ids = (locations.map(|l| l.1), identifiers, formats.map(|f| f.1));
    if let Err(error) = lists.check(ids, findings) {
        subject.report(findings, &rules::DECODED, error.to_string());
    }
}

/// Returns the shape without the text length of a char variable.
fn entries_shape(variable: &Variable) -> &[u64] {
    let shape = &variable.array.shape;
    match variable.array.data_type {
        DataType::Char => &shape[..shape.len().saturating_sub(1)],
        _ => shape,
    }
}

fn shape_of_locations(
    subject: &Subject,
    named: &Named,
    variable: &Variable,
    fragments: Option<&[u64]>,
    findings: &mut Findings,
) -> bool {
    let (path, data_type) = (&variable.path, variable.array.data_type);
    if data_type.is_number() {
        let message = format!("'{path}' has type {data_type}; it must be string-valued");
        subject.report(findings, &rules::LOCATIONS_TYPE, message);
        return false;
    }
    let shape = entries_shape(variable);
    let Some(rank) = named.dimensions.as_ref().map(Vec::len) else { return true };
    let most = rank + usize::from(named.words.versions);
    if shape.len() < rank || shape.len() > most {
        let message = format!("'{path}' has {} dimensions for {rank} aggregated dimensions", shape.len());
        subject.report(findings, &rules::LOCATIONS_RANK, message);
        return false;
    }
    match fragments.filter(|f| !shape.starts_with(f)) {
        Some(fragments) => {
            let message = format!("'{path}' has shape {shape:?}; the array of fragments is {fragments:?}");
            subject.report(findings, &rules::LOCATIONS_SHAPE, message);
            false
        }
        None => true,
    }
}

/// Checks that identifiers and formats have the dimensions of the locations, or are scalar if the text allows that.
fn shape_like(
    subject: &Subject,
    named: &Named,
    variable: &Variable,
    locations: Option<&Variable>,
    rule: &Rule,
    findings: &mut Findings,
) -> bool {
    let shape = entries_shape(variable);
    if shape.is_empty() && (named.words.shared || named.dimensions.as_ref().is_some_and(Vec::is_empty)) {
        return true;
    }
    let Some(locations) = locations else { return true };
    let wanted = entries_shape(locations);
    let same = variable.dimensions.get(..shape.len()) == locations.dimensions.get(..wanted.len());
    if same {
        return true;
    }
    let or_scalar = if named.words.shared { "be a scalar or " } else { "" };
    let message = format!(
        "'{}' with shape {shape:?} must {or_scalar}have the dimensions of '{}', whose shape is {wanted:?}",
        variable.path, locations.path
    );
    subject.report(findings, rule, message);
    // With other dimensions of the same sizes the entries can still be checked.
    shape == wanted
}

fn unique(
    subject: &Subject,
    named: &Named,
    variable: &Variable,
    fragments: Option<&[u64]>,
    findings: &mut Findings,
) {
    let (path, shape) = (&variable.path, &variable.array.shape);
    let data_type = variable.array.data_type;
    let rank = named.dimensions.as_ref().map(Vec::len);
    let text = usize::from(data_type == DataType::Char && rank.is_some_and(|r| shape.len() > r));
    let own = &shape[..shape.len() - text];
    if rank.is_some_and(|rank| rank != own.len()) {
        let message = format!(
            "'{path}' has {} dimensions for {} aggregated dimensions",
            own.len(),
            rank.unwrap_or_default()
        );
        subject.report(findings, &rules::UNIQUE_RANK, message);
    } else if let Some(fragments) = fragments.filter(|f| *f != own) {
        let message = format!("'{path}' has shape {own:?}; the array of fragments is {fragments:?}");
        subject.report(findings, &rules::UNIQUE_SHAPE, message);
    }
    let target = Target::new(&subject.variable.attributes, subject.variable.array.data_type);
    let as_read = if text == 1 { DataType::String } else { data_type };
    if let Err(error) = Conversion::for_unique(as_read, &target, false) {
        subject.report(findings, &rules::UNIQUE_TYPE, format!("'{path}': {}", error.message()));
    }
}

struct Lists<'a> {
    subject: &'a Subject<'a>,
    named: &'a Named<'a>,
    fragments: &'a [u64],
    substitutions: Substitutions,
}

/// The names of a block of fragments.
struct Names {
    locations: Option<Entries>,
    identifiers: Entries,
    formats: Option<Entries>,
}

impl Lists<'_> {
    fn check(
        &self,
        (locations, identifiers, formats): (Option<VariableId>, VariableId, Option<VariableId>),
        findings: &mut Findings,
    ) -> Result<()> {
        let leeway = Leeway { scalar: true, versions: true, chars: false };
        let fit = |id| Feature::fit(self.subject.tree, id, self.fragments, leeway, &mut Vec::new());
        let locations = locations.map(fit).transpose()?;
        let identifiers = fit(identifiers)?;
        let formats = formats.map(fit).transpose()?;
        let one_for_all = identifiers.is_shared();
        let features = self.subject.features;
        let (mut before, read) = (features.allowance().decoded(), || features.allowance().decoded());
        for block in Slabs::new(&Selection::all(self.fragments), self.fragments, BLOCK) {
            let block = block?;
            let decoded = read().saturating_sub(std::mem::replace(&mut before, read()));
            let count = block.len().unwrap_or(0);
            if features.allowance().work(count.saturating_mul(NAME).saturating_add(decoded)).is_err() {
                self.leave(&block.index(0), findings);
                break;
            }
            let names = Names {
                locations: locations.as_ref().map(|f| f.entries(features, &block)).transpose()?,
                identifiers: identifiers.entries(features, &block)?,
                formats: formats.as_ref().map(|f| f.entries(features, &block)).transpose()?,
            };
            for i in 0..count {
                let index = block.index(i);
                if self.fragment(&names, i as usize, one_for_all, &index, findings).is_err() {
                    self.leave(&index, findings);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Reports that the names from this fragment on are not checked.
    fn leave(&self, index: &[u64], findings: &mut Findings) {
        let first: Vec<String> = index.iter().map(u64::to_string).collect();
        let message = format!(
            "the names of its fragments from [{}] on are not checked: they are too many for a file of this length",
            first.join(", ")
        );
        self.subject.report(findings, &rules::FRAGMENT_REFUSED, message);
    }

    /// Checks the names of a fragment.
    ///
    /// # Errors
    /// `Limit` if its locations, after replacements, are too much work.
    fn fragment(
        &self,
        names: &Names,
        i: usize,
        one_for_all: bool,
        index: &[u64],
        findings: &mut Findings,
    ) -> Result<()> {
        let words = self.named.words;
        let (dialect, path) = (self.subject.dialect, Some(self.subject.variable.path.as_str()));
        let mut add = |rule: &Rule, message: String| findings.add(rule, dialect, path, Some(index), message);
        let versions = names.locations.as_ref().map_or(0, Entries::versions);
        let mut stored = false;
        for v in 0..versions {
            let location = names.locations.as_ref().and_then(|l| l.get(i, v));
            let format = names.formats.as_ref().map(|f| f.get(i, v));
            let Some(location) = location else {
                if matches!(format, Some(Some(_))) && !words.shared {
                    add(&rules::FORMATS_MISSING, "it has a format but no file".into());
                }
                continue;
            };
            stored = true;
            let shown = redact(location);
            if format == Some(None) {
                add(&rules::FORMATS_MISSING, format!("'{shown}' has no format"));
            }
            if names.identifiers.get(i, v).is_none() {
                add(&rules::IDENTIFIERS_MISSING, format!("'{shown}' has no {}", words.identifiers));
            }
            match self.substitutions.apply(location.to_owned()) {
                Ok(whole) => {
                    self.subject.features.allowance().work(whole.len() as u64)?;
                    if let Some(problem) = form(&whole, words.optional) {
                        add(&rules::LOCATIONS_FORM, format!("'{}' {problem}", redact(&whole)));
                    } else if !words.optional && whole.chars().any(not_in_uri) {
                        let message = format!(
                            "'{}' has characters that must be percent-encoded in a URI",
                            redact(&whole)
                        );
                        add(&rules::ODDITY, message);
                    }
                }
                Err(error) => add(&rules::SUBSTITUTIONS, error.message().to_owned()),
            }
        }
        if stored {
            return Ok(());
        }
        if !words.optional {
            add(&rules::LOCATIONS_MISSING, format!("it has no {}", words.locations));
        } else if !one_for_all {
            let given: Vec<bool> =
                (0..names.identifiers.versions()).map(|v| names.identifiers.get(i, v).is_some()).collect();
            if given.iter().skip(1).any(|&g| g) {
                let message =
                    "a fragment in the aggregation file itself must have exactly one address, the first";
                add(&rules::IDENTIFIERS_MISSING, message.into());
            }
        }
        Ok(())
    }
}

/// Returns what is wrong with the form of a location.
fn form(location: &str, paths: bool) -> Option<&'static str> {
    let drive = matches!(location.as_bytes(), [a, b':', b'/' | b'\\', ..] if a.is_ascii_alphabetic());
    match location.chars().next() {
        _ if location.contains('\0') => Some("has a NUL character"),
        Some('/') if !paths => Some("is an absolute path; an absolute URI has a scheme, as in file:///"),
        Some('#') if !paths => Some("begins with #; it must be an absolute URI or a relative path"),
        Some('\\') if !paths => Some("is a Windows path, not a URI"),
        _ if drive && !paths => Some("is a Windows path, not a URI"),
        _ => None,
    }
}

/// Returns whether RFC 3986 does not allow the character in a URI.
fn not_in_uri(c: char) -> bool {
    !c.is_ascii_graphic() || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_are_absolute_uris_or_relative_paths() {
        for good in ["a.nc", "../a.nc", "d/a.nc", "file:///a.nc", "https://h/a.nc", "x_y:///UID", "a%20b.nc"]
        {
            assert_eq!(form(good, false), None, "{good}");
        }
        for bad in ["/a.nc", "#a", "\\\\host\\a.nc", "C:\\a.nc", "a\0"] {
            assert!(form(bad, false).is_some(), "{bad}");
        }
        assert_eq!(form("/a.nc", true), None, "the CFA texts have paths");
        assert!(not_in_uri(' ') && not_in_uri('é') && !not_in_uri('%'));
    }
}
