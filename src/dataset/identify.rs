//! Whether a file has anything aggregated in it, told from attributes alone.

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
    /// Looks for an aggregation variable: `None` if there is none, else the dialect of the first one whose dialect can be
    /// told. Reads the structure of the file and no data; opens no fragment.
    ///
    /// A damaged file with a legible aggregation attribute is an aggregation whose dialect cannot be told: opening it gives
    /// the error.
    ///
    /// # Errors
    /// `Io`, `NotNetcdf`; `Damaged`, `Limit` when no aggregation attribute is legible.
    pub fn identify(path: impl AsRef<Path>) -> Result<Option<Option<Dialect>>> {
        // A setting that is not valid is for those to say who open the file.
        let options = OpenOptions::from_env().unwrap_or_default();
        let source: Arc<dyn Source> = Arc::new(location::find_named(path.as_ref(), &options)?.file);
        // Most files that are asked about are ordinary ones.
        if !Container::has_attribute(&source, &dialect::ATTRIBUTES)? {
            return Ok(None);
        }
        match Container::open(source).and_then(|container| first_dialect(container.tree()?)) {
            Err(error) if error.kind() != Kind::Io => Ok(Some(None)),
            told => told,
        }
    }
}

fn first_dialect(tree: &Tree) -> Result<Option<Option<Dialect>>> {
    let mut aggregated = tree.variables.iter().filter(|v| dialect::is_aggregation(&v.attributes)).peekable();
    // A variable that is not read, because of its type for example, is none.
    if aggregated.peek().is_none() {
        return Ok(None);
    }
    Ok(Some(aggregated.find_map(|variable| recognise::dialect_of(tree, variable))))
}
