//! From attributes to [`Aggregation`]: one file per dialect, the only place where dialects differ.

use crate::container::tree::VariableId;
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::model::Aggregation;

/// Whether the attributes make this an aggregation variable, in any dialect.
pub fn is_aggregation(attributes: &crate::value::Attributes) -> bool {
    attributes.get("aggregated_dimensions").is_some()
        || attributes.get("aggregated_data").is_some()
        || attributes.get("cfa_dimensions").is_some()
        || attributes.get("cfa_array").is_some()
}

/// Decodes an aggregation variable, reading its sizes table and no fragment names.
///
/// # Errors
/// `Attribute`, `Terms`, `MissingDimension`, `MissingVariable`, `Rank`, `Map`; those of the container.
pub fn decode(container: &Container, variable: VariableId) -> Result<Aggregation> {
    let _ = (container, variable);
    Err(Error::new(Kind::Unsupported, "dialect"))
}
