//! Determines whether a file has aggregation variables, from attributes alone.

use std::path::Path;
use std::sync::Arc;

use crate::container::tree::Tree;
use crate::container::Container;
use crate::dataset::Dataset;
use crate::dialect::{self, recognise};
use crate::error::{Kind, Result};
use crate::io::location;
use crate::io::source::Source;
use crate::model::Dialect;
use crate::options::OpenOptions;

impl Dataset {
    /// Searches for an aggregation variable. Returns `None` if there is none, or else the dialect of the first one
    /// whose dialect can be determined. Reads the structure of the file but no data, and opens no fragment.
    ///
    /// A damaged file with a legible aggregation attribute counts as an aggregation of unknown dialect; opening it
    /// reports the error.
    ///
    /// # Errors
    /// `Io`, `NotNetcdf`; `Damaged`, `Limit` if no aggregation attribute is legible.
    pub fn identify(path: impl AsRef<Path>) -> Result<Option<Option<Dialect>>> {
        // Opening the file reports a setting that is not valid.
        let options = OpenOptions::from_env().unwrap_or_default();
        let source: Arc<dyn Source> = Arc::new(location::find_named(path.as_ref(), &options)?.file);
        // Most files are ordinary ones, and this check is cheap.
        if !Container::has_attribute(&source, &dialect::ATTRIBUTES)? {
            return Ok(None);
        }
        match Container::open(source).and_then(|container| first_dialect(container.tree()?)) {
            Err(error) if error.kind() != Kind::Io => Ok(Some(None)),
            found => found,
        }
    }
}

fn first_dialect(tree: &Tree) -> Result<Option<Option<Dialect>>> {
    let mut aggregated = tree.variables.iter().filter(|v| dialect::is_aggregation(&v.attributes)).peekable();
    // A variable that cannot be read, for example because of its type, does not count.
    if aggregated.peek().is_none() {
        return Ok(None);
    }
    Ok(Some(aggregated.find_map(|variable| recognise::dialect_of(tree, variable))))
}
