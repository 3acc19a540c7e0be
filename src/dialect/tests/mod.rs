//! One test per clause of the texts, on files in memory. `docs/conventions.md` has the list.

mod cf_1_13;
mod cf_draft;
mod cfa_0_4;
mod cfa_0_6_2;
mod cfa_0_6b1;
mod cfa_terms;
mod hostile;

pub(super) use super::memory::{strings, Memory};
pub(super) use crate::container::tree::VariableId;
pub(super) use crate::error::{Error, Kind};
pub(super) use crate::model::fragments::{Fragment, Lookup, Version};
pub(super) use crate::model::substitutions::Substitutions;
pub(super) use crate::model::{Aggregation, Dialect};
pub(super) use crate::selection::Selection;
pub(super) use crate::value::Values;

/// The maximum number of fragments of the aggregations of these tests.
pub(super) const MAX_FRAGMENTS: u64 = 10_000_000;

/// Default fill of NC_INT, with which writers pad.
pub(super) const PAD: i32 = -2147483647;

pub(super) fn decode(file: &Memory, variable: VariableId) -> Result<Aggregation, Error> {
    super::decode_features(file, variable, MAX_FRAGMENTS, &super::Grids::default())
}

/// Returns the kind of the error of decoding.
pub(super) fn refused(file: &Memory, variable: VariableId) -> Kind {
    decode(file, variable).map(|a| a.dialect).expect_err("it was decoded").kind()
}

/// Returns all fragments in C order.
pub(super) fn fragments(file: &Memory, aggregation: &Aggregation) -> Result<Vec<Fragment>, Error> {
    part(file, aggregation, &Selection::all(aggregation.grid.fragments()))
}

pub(super) fn part(
    file: &Memory,
    aggregation: &Aggregation,
    block: &Selection,
) -> Result<Vec<Fragment>, Error> {
    match aggregation.fragments.lookup(file, block, &Substitutions::default())? {
        Lookup::Fragments(list) => Ok(list),
        Lookup::UniqueValues(values) => panic!("unique values {values:?}"),
    }
}

pub(super) fn unique(file: &Memory, aggregation: &Aggregation) -> Values {
    let all = Selection::all(aggregation.grid.fragments());
    match aggregation.fragments.lookup(file, &all, &Substitutions::default()).unwrap() {
        Lookup::UniqueValues(values) => values,
        Lookup::Fragments(list) => panic!("fragments {list:?}"),
    }
}

/// Returns a fragment with these versions of location, identifier and format; an empty location is the same file.
pub(super) fn stored(versions: &[(&str, &str, &str)]) -> Fragment {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let versions = versions
        .iter()
        .map(|(location, identifier, format)| Version {
            location: some(location),
            identifier: identifier.to_string(),
            format: some(format),
        })
        .collect();
    Fragment::Stored { versions, view: None }
}

/// Returns text padded with NULs to a char array.
pub(super) fn chars(list: &[&str], width: usize) -> Values {
    let mut bytes = Vec::new();
    for text in list {
        bytes.extend(text.bytes().chain(std::iter::repeat(0)).take(width));
    }
    Values::Char(bytes)
}
