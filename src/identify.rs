//! Whether a file has anything aggregated in it, told from attributes alone.

use std::path::Path;
use std::sync::Arc;

use crate::container::tree::{Tree, Variable};
use crate::container::Container;
use crate::dataset::Dataset;
use crate::dialect::recognise::{self, Form};
use crate::dialect::{self, reference};
use crate::error::Result;
use crate::location;
use crate::model::Dialect;
use crate::options::OpenOptions;

impl Dataset {
    /// Looks for an aggregation variable: `None` if there is none, else the dialect of the first one whose dialect can be
    /// told. Reads the structure of the file and no data; opens no fragment.
    ///
    /// # Errors
    /// `Io`, `NotNetcdf`, `Damaged`.
    pub fn identify(path: impl AsRef<Path>) -> Result<Option<Option<Dialect>>> {
        // A setting that is not valid is for those to say who open the file.
        let options = OpenOptions::from_env().unwrap_or_default();
        let found = location::find_named(path.as_ref(), &options)?;
        // Most files that are asked about are ordinary ones.
        if !Container::may_have_variable_with(&found.file, dialect::is_aggregation)? {
            return Ok(None);
        }
        let container = Container::open(Arc::new(found.file))?;
        let tree = container.tree()?;
        let mut aggregated =
            tree.variables.iter().filter(|v| dialect::is_aggregation(&v.attributes)).peekable();
        if aggregated.peek().is_none() {
            return Ok(None);
        }
        Ok(Some(aggregated.find_map(|variable| dialect_of(tree, variable))))
    }
}

fn dialect_of(tree: &Tree, variable: &Variable) -> Option<Dialect> {
    let recognised = recognise::recognise(&variable.attributes).ok()?;
    Some(match &recognised.form {
        Form::Json(_) => Dialect::Cfa04,
        Form::CfaTerms(_) => Dialect::CfaTerms,
        Form::CfDraft(_) => Dialect::CfDraft,
        Form::Cf113(_) => Dialect::Cf113,
        Form::Location(terms) => {
            let location = reference::variable(tree, variable.group, terms.get("location")?)?;
            let rank = recognised.dimensions.split_whitespace().count();
            let shape = &tree.variables[location.0].array.shape;
            return recognise::location_dialect(shape, rank, terms).ok();
        }
    })
}
