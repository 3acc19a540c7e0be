//! Aggregation variables in a file to be written: converts the description of one, whatever the dialect, to the
//! attributes and variables of the requested dialect.
//!
//! Locations are written as they are; `Dialect::location` converts the path of a file to the form that a dialect uses.
//! What a dialect cannot express is refused: several versions or missing fragments in CF-1.13, unique values in CFA, a
//! view of the stored array anywhere but in CFA-0.4.

mod cfa_0_4;
mod chunks;
mod files;
mod meaning;
mod shelf;
mod tables;

use std::path::Path;
use std::sync::Arc;

use super::catalogue::Catalogue;
use super::description::{Data, Group, Variable};
use crate::dialect::words::{self, Keywords};
use crate::dialect::STATE_ATTRIBUTE;
use crate::error::{Error, Kind, Result};
use crate::io::location::{as_plain_path, as_reference};
use crate::io::os::shown;
use crate::model::fragments::{Fragment, Version};
use crate::model::Dialect;
use crate::selection::checked_product;
use crate::value::Values;
pub(crate) use chunks::Recording;
pub(crate) use files::of_file;
pub use files::Files;
pub use meaning::Meaning;
use shelf::Shelf;

/// An aggregation variable to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregated {
    /// Its name, type, attributes without those of the aggregation, and aggregated dimensions; it has no data.
    pub variable: Variable,
    /// For each aggregated dimension, the sizes of the fragments along it.
    pub sizes: Vec<Vec<u64>>,
    /// The fragments, in C order.
    pub fragments: Content,
}

/// What the fragments are made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Variables of files.
    Stored(Vec<Fragment>),
    /// Whole variables of one netCDF file each.
    Files(Files),
    /// One value each.
    Unique(Values),
}

/// Sizes (bytes) and times of modification (seconds since 1970) of the fragments' files, in C order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct States {
    /// Sizes in bytes.
    pub bytes: Vec<f64>,
    /// Times of modification.
    pub modified: Vec<f64>,
}

impl Dialect {
    /// Returns the dialect of this name, such as `CF-1.13` or `CFA-0.6.2`. Case is ignored; blanks, `-` and `_` are
    /// equivalent.
    ///
    /// # Errors
    /// `Request` for an unknown name; the message lists the known ones.
    pub fn named(name: &str) -> Result<Dialect> {
        let plain = |text: &str| text.to_ascii_lowercase().replace([' ', '_'], "-");
        Dialect::ALL.iter().copied().find(|d| plain(d.name()) == plain(name)).ok_or_else(|| {
            let names: Vec<String> = Dialect::ALL.iter().map(|d| plain(d.name())).collect();
            let message = format!("unknown dialect '{name}'; the dialects are: {}", names.join(", "));
            Error::new(Kind::Request, message)
        })
    }

    /// Returns the text of the global attribute `Conventions` in files of this dialect.
    pub fn conventions(self) -> &'static str {
        match self {
            Dialect::Cf113 => "CF-1.13",
            Dialect::CfDraft => "CF-1.12",
            Dialect::Cfa062 => "CF-1.11 CFA-0.6.2",
            Dialect::Cfa06b1 | Dialect::Cfa06b1Early => "CF-1.9 CFA-0.6",
            Dialect::CfaTerms => "CF-1.8 CFA",
            Dialect::Cfa04 => "CF-1.9 CFA",
        }
    }

    /// Returns whether a location that begins with `/` is a file name in this dialect.
    pub fn has_plain_paths(self) -> bool {
        !matches!(self, Dialect::Cf113 | Dialect::CfDraft)
    }

    /// Returns the location of a file: a URI reference, in CFA-0.4 the path itself. It is absolute or relative to the
    /// aggregation file, as the path is.
    ///
    /// # Errors
    /// `Unsupported` if the dialect cannot express the name.
    pub(crate) fn location(self, path: &Path) -> Result<String> {
        let written = if self == Dialect::Cfa04 { as_plain_path(path) } else { as_reference(path) };
        written.ok_or_else(|| {
            let message = format!(
                "{self} cannot express the name '{}'; rename the file or choose another dialect",
                shown(path)
            );
            Error::new(Kind::Unsupported, message)
        })
    }
}

/// Adds an aggregation variable, and the dimensions and variables that define its fragments, to a group.
///
/// Tables that are equal to those of an earlier variable are shared with it.
///
/// # Errors
/// `Unsupported` if the dialect cannot express it, `Map` if fragments and sizes do not agree.
pub fn add(group: &mut Group, aggregated: &Aggregated, dialect: Dialect) -> Result<()> {
    add_with_states(group, aggregated, dialect, None)
}

/// Same as [`add`], and records the current state of the fragments' files, so that readers notice when one changes.
///
/// # Errors
/// As [`add`].
pub fn add_with_states(
    group: &mut Group,
    aggregated: &Aggregated,
    dialect: Dialect,
    states: Option<&States>,
) -> Result<()> {
    add_indexed(group, &mut Catalogue::default(), aggregated.clone(), dialect, states.cloned())
}

/// Same as [`add_with_states`]; the catalogue is that of the group, to which many variables are added.
pub(crate) fn add_indexed(
    group: &mut Group,
    catalogue: &mut Catalogue,
    aggregated: Aggregated,
    dialect: Dialect,
    states: Option<States>,
) -> Result<()> {
    let name = aggregated.variable.name.clone();
    describe(group, catalogue, aggregated, dialect, states).map_err(|e| e.in_variable(name))
}

fn describe(
    group: &mut Group,
    catalogue: &mut Catalogue,
    aggregated: Aggregated,
    dialect: Dialect,
    states: Option<States>,
) -> Result<()> {
    check(&aggregated)?;
    let mut variable = aggregated.variable.clone();
    let dimensions = std::mem::take(&mut variable.dimensions);
    let names = words::Names::of(dialect);
    variable.attributes.set_text(names.dimensions, dimensions.join(" "));
    let mut shelf = Shelf::new(group, catalogue, &dimensions, &aggregated.sizes);
    let text = match (&aggregated.fragments, Keywords::of(dialect)) {
        (Content::Unique(values), Some(Keywords { map, unique: Some(unique), prefix, .. })) => {
            let sizes = shelf.sizes(&format!("{prefix}{map}"), false);
            let values = shelf.fragments(&format!("{prefix}{unique}"), values.clone());
            format!("{map}: {sizes} {unique}: {values}")
        }
        (Content::Unique(_), _) => {
            return Err(refused(format!(
                "{dialect} has no unique values; CF-1.13 and the CF draft have them"
            )))
        }
        (files, None) => {
            variable.attributes.set_text(words::ROLE_ATTRIBUTE, words::ROLE_OF_AGGREGATION);
            cfa_0_4::text(&files.stored().unwrap_or_default(), &dimensions, &aggregated.sizes)?
        }
        (Content::Stored(list), Some(words)) => stored(&mut shelf, &Names::of(list, dialect)?, words),
        (Content::Files(files), Some(words)) => stored(&mut shelf, &Names::of_files(files, words), words),
    };
    variable.attributes.set_text(names.data, text);
    if let Some(states) = &states {
        let size = shelf.fragments("fragment_size", Values::F64(states.bytes.clone()));
        let modified = shelf.fragments("fragment_modified", Values::F64(states.modified.clone()));
        variable.attributes.set_text(STATE_ATTRIBUTE, format!("size: {size} modified: {modified}"));
    }
    let meaning = Meaning { aggregated, dialect, states, has_chunks: false };
    variable.data = Data::Fragments(Arc::new(meaning));
    group.variables.push(variable);
    Ok(())
}

fn check(aggregated: &Aggregated) -> Result<()> {
    let counts: Vec<u64> = aggregated.sizes.iter().map(|row| row.len() as u64).collect();
    let have = aggregated.fragments.len();
    if counts.len() == aggregated.variable.dimensions.len() && checked_product(&counts) == Some(have as u64) {
        return Ok(());
    }
    let message = format!("{have} fragments do not fill an array of fragments {counts:?}");
    Err(Error::new(Kind::Map, message))
}

/// Writes the tables and returns the elements that name them.
fn stored(shelf: &mut Shelf, names: &Names, words: &Keywords) -> String {
    let name = |keyword: &str| format!("{}{keyword}", words.prefix);
    let map = match words.ranges {
        true => shelf.ranges(&name(words.map)),
        false => shelf.sizes(&name(words.map), words.one_element),
    };
    let mut text = format!("{}: {map}", words.map);
    let mut add = |keyword: &str, texts: &[&str], shared: bool| {
        let variable = match shared {
            true => shelf.shared_or_versioned(&name(keyword), texts, names.versions),
            false => shelf.versioned(&name(keyword), texts, names.versions),
        };
        text.push_str(&format!(" {keyword}: {variable}"));
    };
    add(words.locations, &names.locations, false);
    if let Some(formats) = words.formats {
        add(formats, &names.formats, words.shared);
    }
    // A single identifier would be that of the fragments with a file; the one of a fragment in the aggregation file
    // would be lost.
    let in_files = !words.optional || !names.locations.contains(&"");
    add(words.identifiers, &names.identifiers, words.shared && in_files);
    if let Some(positions) = words.positions {
        text = format!("{positions}: {} {text}", shelf.positions(&name(positions)));
    }
    text
}

/// The texts of the fragments, for each fragment and version. An empty one means a missing text.
struct Names<'a> {
    locations: Vec<&'a str>,
    identifiers: Vec<&'a str>,
    formats: Vec<&'a str>,
    versions: usize,
}

impl<'a> Names<'a> {
    fn of_files(files: &'a Files, words: &Keywords) -> Names<'a> {
        let (locations, mut identifiers): (Vec<&str>, Vec<&str>) = files.iter().unzip();
        // What is shared is not repeated for each of very many files.
        let is_shared = words.shared && !locations.contains(&"");
        if is_shared && identifiers.windows(2).all(|pair| pair[0] == pair[1]) {
            identifiers.truncate(1);
            identifiers.shrink_to_fit();
        }
        let formats = match (words.formats, is_shared) {
            (None, _) => 0,
            (Some(_), true) => files.len().min(1),
            (Some(_), false) => files.len(),
        };
        Names { locations, identifiers, formats: vec!["nc"; formats], versions: 1 }
    }

    fn of(list: &'a [Fragment], dialect: Dialect) -> Result<Names<'a>> {
        let cf = !dialect.has_plain_paths();
        let versions = list.iter().map(versions_of).map(<[_]>::len).max().unwrap_or(1).max(1);
        let room = list.len().saturating_mul(versions);
        let mut names = Names {
            locations: Vec::with_capacity(room),
            identifiers: Vec::with_capacity(room),
            formats: Vec::with_capacity(room),
            versions,
        };
        if versions > 1 && dialect == Dialect::Cf113 {
            let why = format!("a fragment has {versions} versions; CF-1.13 allows one");
            return Err(refused(why));
        }
        for fragment in list {
            if fragment.view().is_some() {
                return Err(refused(format!(
                    "a fragment is only a part of a stored array, or has its dimensions in another order, which \
                     {dialect} cannot express"
                )));
            }
            let own = versions_of(fragment);
            if cf && (own.is_empty() || own.iter().any(|v| v.location.is_none())) {
                return Err(refused(format!("a fragment has no location, which {dialect} requires")));
            }
            if own.len() > 1 && own.iter().any(|v| v.location.is_none()) {
                let why =
                    "a fragment has versions in other files and one in the aggregation file, which needs \
                     a location too";
                return Err(refused(why.into()));
            }
            for i in 0..versions {
                let version = own.get(i);
                names.locations.push(version.and_then(|v| v.location.as_deref()).unwrap_or_default());
                names.identifiers.push(version.map(|v| &*v.identifier).unwrap_or_default());
                let format =
                    version.filter(|v| v.location.is_some()).map(|v| v.format.as_deref().unwrap_or("nc"));
                names.formats.push(format.unwrap_or_default());
            }
        }
        Ok(names)
    }
}

fn versions_of(fragment: &Fragment) -> &[Version] {
    match fragment {
        Fragment::Stored { versions, .. } => versions,
        Fragment::Missing => &[],
    }
}

fn refused(message: String) -> Error {
    Error::new(Kind::Unsupported, message)
}

/// Returns sizes or indices in the smallest type that holds them, and the value that represents `None`.
fn integers(values: Vec<Option<u64>>) -> (Values, Values) {
    const MISSING: i32 = -1;
    let largest = values.iter().flatten().max().copied().unwrap_or(0);
    if i32::try_from(largest).is_ok() {
        let list = values.iter().map(|v| v.map_or(MISSING, |v| v as i32)).collect();
        (Values::I32(list), Values::I32(vec![MISSING]))
    } else {
        let list = values.iter().map(|v| v.map_or(i64::from(MISSING), |v| v as i64)).collect();
        (Values::I64(list), Values::I64(vec![i64::from(MISSING)]))
    }
}
