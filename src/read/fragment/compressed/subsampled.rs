//! Coordinates compressed by subsampling (CF section 8.3), which are recognised and refused.

use super::home::Home;
use crate::dialect::reference;
use crate::error::{Error, Kind, Result};

/// Checks that a variable does not hold tie points of coordinates.
///
/// # Errors
/// `Unsupported` if it does: values between tie points are not computed.
pub(super) fn refuse(home: &Home<'_>) -> Result<()> {
    let (tree, dimensions) = (home.tree, home.dimensions(home.id)?);
    let own = &tree.variables[home.id.0].name;
    for variable in &tree.variables {
        let text = |attribute: &str| variable.attributes.text(attribute).unwrap_or_default();
        let is_own = |word: &str| {
            let name = word.trim_end_matches(':');
            name.rsplit('/').next() == Some(own.as_str())
                && reference::variable(tree, variable.group, name) == Some(home.id)
        };
        let is_subsampled = |word: &str| {
            dimensions.iter().any(|&dimension| home.dimension(variable, word, Some(dimension)).is_some())
        };
        let named = ["coordinate_interpolation", "bounds_tie_points"];
        let tie_points = named.iter().any(|attribute| text(attribute).split_whitespace().any(is_own));
        // `x: x_indices tie_x [subarea_x] y: ...`: the second word after a colon is the subsampled dimension.
        let mapping = text("tie_point_mapping");
        let words: Vec<&str> = mapping.split_whitespace().collect();
        let mut entries = words.windows(3).filter(|entry| entry[0].ends_with(':'));
        if tie_points || entries.any(|entry| is_subsampled(entry[2])) {
            return Err(Error::new(
                Kind::Unsupported,
                format!(
                    "it holds tie points of coordinates that are compressed by subsampling (CF section 8.3, '{}'), \
                     which are not interpolated; make a fragment of the coordinates themselves",
                    variable.path
                ),
            ));
        }
    }
    Ok(())
}
