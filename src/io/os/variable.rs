//! Variables that other programs share: those of the environment and, in the GDAL plugin, GDAL's options.

use super::virtual_files;

/// Returns a variable if it is set and is text. In the GDAL plugin an option of GDAL (`--config`) goes before it.
pub(crate) fn variable(name: &str) -> Option<String> {
    match virtual_files::system() {
        // GDAL looks into the environment too.
        Some(gdal) => gdal.variable(name),
        None => std::env::var(name).ok(),
    }
}
