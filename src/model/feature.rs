//! A variable with a text (or one value) per fragment: checks how it spans the array of fragments, and reads blocks of
//! it.
//!
//! A feature variable has the dimensions of the array of fragments, or none if one entry applies to all fragments;
//! then, if the dialect has them, a trailing dimension of versions; then, for type char, the length of the text.

use super::features::Features;
use super::slabs::Slabs;
use crate::container::allowance::{heap, Held};
use crate::container::tree::{Tree, VariableId};
use crate::error::{Error, Kind, Result};
use crate::selection::{checked_product, Selection};
use crate::value::{text_of, Attributes, DataType, Values};

/// The longest text, in bytes, that an entry of type char may have.
const LONGEST: u64 = 64 * 1024;
/// How many stored bytes are in memory at once while text is read.
const SLAB: u64 = 1 << 22;

/// The memory of an entry without its text.
const ENTRY: usize = size_of::<Option<String>>();

/// What a dialect allows beyond the dimensions of the array of fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leeway {
    /// Whether one entry may apply to all fragments.
    pub scalar: bool,
    /// Whether a trailing dimension may hold several versions.
    pub versions: bool,
    /// Whether a single char may be an entry, not only text in a trailing dimension.
    pub chars: bool,
}

/// A feature variable that fits the array of fragments.
#[derive(Debug)]
pub struct Feature {
    variable: VariableId,
    path: String,
    data_type: DataType,
    /// The size of a stored element in bytes.
    element: u64,
    shape: Vec<u64>,
    /// How many leading dimensions are those of the array of fragments; `None` if one entry applies to all.
    rank: Option<usize>,
    versions: u64,
    missing: Vec<String>,
    /// The fill byte of a char variable: an entry that consists of it alone is missing.
    fill: Option<u8>,
}

/// The text of a block of a feature variable.
#[derive(Debug)]
pub struct Entries {
    list: Vec<Option<String>>,
    versions: usize,
    shared: bool,
    /// Counts the memory of the list.
    _held: Held,
}

impl Entries {
    /// Returns the entry of a fragment (its position in the block) and version, or `None` if it is missing.
    pub fn get(&self, fragment: usize, version: usize) -> Option<&str> {
        let fragment = if self.shared { 0 } else { fragment };
        let version = if self.versions == 1 { 0 } else { version };
        self.list.get(fragment.checked_mul(self.versions)?.checked_add(version)?)?.as_deref()
    }

    /// Returns the maximum number of versions.
    pub fn versions(&self) -> usize {
        self.versions
    }
}

impl Feature {
    /// Checks that a variable spans an array of fragments of this shape. Adds oddities that are tolerated to
    /// `warnings`.
    ///
    /// # Errors
    /// `Rank` if its dimensions do not fit, `Limit` if its texts are too long.
    pub fn fit(
        tree: &Tree,
        variable: VariableId,
        fragments: &[u64],
        leeway: Leeway,
        warnings: &mut Vec<String>,
    ) -> Result<Feature> {
        let stored = &tree.variables[variable.0];
        let (path, shape) = (&stored.path, &stored.array.shape);
        let wrong = || {
            Error::new(
                Kind::Rank,
                format!(
                    "'{path}' has shape {shape:?}, which does not fit the array of fragments {fragments:?}"
                ),
            )
        };
        let is_char = stored.array.data_type == DataType::Char;
        let mut own = shape.as_slice();
        if is_char && !(leeway.chars && own.len() == fragments.len()) {
            let (&length, rest) = own.split_last().ok_or_else(wrong)?;
            if length > LONGEST {
                return Err(Error::new(Kind::Limit, format!("'{path}' has text of {length} bytes")));
            }
            own = rest;
        }
        let (rank, extra) = if own.starts_with(fragments) {
            (Some(fragments.len()), &own[fragments.len()..])
        } else if leeway.scalar && checked_product(own) == Some(1) {
            if !own.is_empty() {
                warnings.push(format!("'{path}' has one entry for all fragments and should be scalar"));
            }
            (None, &own[own.len()..])
        } else {
            return Err(wrong());
        };
        let versions = match extra {
            [] => 1,
            [n] if leeway.versions && *n > 0 => *n,
            all if all.iter().all(|&n| n == 1) => {
                warnings
                    .push(format!("'{path}' has more dimensions than the array of fragments, all of size 1"));
                1
            }
            _ => return Err(wrong()),
        };
        Ok(Feature {
            variable,
            path: path.clone(),
            data_type: stored.array.data_type,
            element: stored.array.element.size().max(1) as u64,
            shape: shape.clone(),
            rank,
            versions,
            missing: missing_texts(&stored.attributes),
            fill: fill_byte(&stored.attributes),
        })
    }

    /// Returns the variable.
    pub fn variable(&self) -> VariableId {
        self.variable
    }

    /// Returns its path, for messages.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the maximum number of versions of a fragment.
    pub fn versions(&self) -> u64 {
        self.versions
    }

    /// Returns whether one entry applies to all fragments.
    pub fn is_shared(&self) -> bool {
        self.rank.is_none()
    }

    /// Returns whether the entries are numbers, not text.
    pub fn is_number(&self) -> bool {
        self.data_type.is_number()
    }

    /// Returns the length of the trailing dimension of text, or `None` if the entries are not char arrays.
    fn text_length(&self) -> Option<usize> {
        let spanned = self.rank.unwrap_or(0);
        if self.data_type == DataType::Char && self.shape.len() > spanned {
            return self.shape.last().and_then(|&n| usize::try_from(n).ok());
        }
        None
    }

    /// Returns the part of the stored array that belongs to a block of the array of fragments.
    fn selection(&self, block: &Selection) -> Result<Selection> {
        let rank = self.rank.unwrap_or(0);
        let mut start = vec![0; self.shape.len()];
        let mut count = self.shape.clone();
        let mut step = vec![1; self.shape.len()];
        if rank > 0 {
            if block.rank() != rank {
                return Err(Error::new(Kind::Internal, "a block of another array of fragments"));
            }
            start[..rank].copy_from_slice(block.start());
            count[..rank].copy_from_slice(block.count());
            step[..rank].copy_from_slice(block.step());
        }
        Selection::new(&start, &count, &step, &self.shape)
    }

    /// Reads the entries of a block as text, in one pass over the variable.
    ///
    /// # Errors
    /// Those of the container; `Limit` if they do not fit into memory.
    pub fn entries(&self, features: &dyn Features, block: &Selection) -> Result<Entries> {
        let whole = self.selection(block)?;
        let width = self.text_length();
        let total = whole.len().map(|n| n / width.unwrap_or(1).max(1) as u64);
        let whole_list = total.and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_mul(ENTRY));
        let mut held = features.hold(whole_list.unwrap_or(usize::MAX))?;
        let mut list = Vec::new();
        let room =
            total.and_then(|n| usize::try_from(n).ok()).is_some_and(|n| list.try_reserve_exact(n).is_ok());
        if !room {
            return Err(Error::new(Kind::Limit, "the names of the fragments do not fit into memory"));
        }
        if width == Some(0) {
            let rows = whole.count().iter().rev().skip(1).try_fold(1u64, |n, &c| n.checked_mul(c));
            list.resize(rows.and_then(|n| usize::try_from(n).ok()).unwrap_or(0), None);
        }
        // A slab never splits a text: the last dimension is at most LONGEST and is read whole.
        for slab in Slabs::new(&whole, &self.shape, (SLAB / self.element).max(1)) {
            let before = list.len();
            match features.values(self.variable, &slab?)? {
                Values::String(texts) => list.extend(texts.into_iter().map(|t| self.present(t))),
                Values::Char(bytes) => {
                    for field in bytes.chunks(width.unwrap_or(1).max(1)) {
                        list.push(self.text(field).and_then(|t| self.present(t)));
                    }
                }
                numbers => list.extend((0..numbers.len()).map(|i| {
                    let integer = numbers.int_at(i).map(|n| n.to_string());
                    integer.or_else(|| numbers.f64_at(i).map(|x| x.to_string()))
                })),
            }
            held.join(features.hold(list[before..].iter().flatten().map(|text| heap(text.len())).sum())?);
        }
        let versions = usize::try_from(self.versions).unwrap_or(1);
        Ok(Entries { list, versions, shared: self.is_shared(), _held: held })
    }

    /// Reads the values of a block as they are stored, with text of type char converted to strings.
    ///
    /// # Errors
    /// Those of the container.
    pub fn values(&self, features: &dyn Features, block: &Selection) -> Result<Values> {
        let values = features.values(self.variable, &self.selection(block)?)?;
        Ok(match (values, self.text_length()) {
            (Values::Char(_), Some(0)) => {
                Values::String(vec![
                    String::new();
                    block.len().and_then(|n| usize::try_from(n).ok()).unwrap_or(0)
                ])
            }
            (Values::Char(bytes), Some(width)) => {
                Values::String(bytes.chunks(width).map(|field| trimmed(field).unwrap_or_default()).collect())
            }
            (values, _) => values,
        })
    }

    fn text(&self, field: &[u8]) -> Option<String> {
        if self.fill.is_some_and(|fill| field.iter().all(|&b| b == fill)) {
            return None;
        }
        trimmed(field)
    }

    fn present(&self, text: String) -> Option<String> {
        (!text.is_empty() && !self.missing.contains(&text)).then_some(text)
    }
}

/// Returns the text of a padded field, or `None` if it is all padding.
fn trimmed(field: &[u8]) -> Option<String> {
    let text = text_of(field);
    let end = text.trim_end_matches(' ').len();
    (end > 0).then(|| text[..end].to_owned())
}

/// Returns the byte that fills the unwritten parts of a char variable, if its attributes define one.
pub(crate) fn fill_byte(attributes: &Attributes) -> Option<u8> {
    match attributes.get("_FillValue") {
        Some(Values::Char(bytes)) => bytes.first().copied(),
        _ => None,
    }
}

/// Returns the texts that mean missing data in a variable with these attributes, besides the empty one.
pub(crate) fn missing_texts(attributes: &Attributes) -> Vec<String> {
    let mut out = Vec::new();
    for name in ["_FillValue", "missing_value"] {
        match attributes.get(name) {
            Some(Values::String(list)) => out.extend(list.iter().cloned()),
            Some(Values::Char(bytes)) => out.push(text_of(bytes)),
            _ => {}
        }
    }
    out
}
