//! What of the engine calls GDAL: files in its virtual file system, and fragments in its formats.
//!
//! The GDAL plugin is linked from this static library, which contains the engine, and registers its code there when GDAL
//! loads it. What may be opened is decided in the engine; this crate opens it.

mod array;
mod dataset;
mod files;
mod formats;
mod group;
mod quiet;
mod subdataset;

/// Registers GDAL's virtual file system, its options and its formats with the engine. Further calls do nothing.
#[no_mangle]
pub extern "C" fn cfa_gdal_register() {
    cfa::plugin::register_virtual_files(&files::Gdal);
    cfa::plugin::register_formats(&formats::Gdal);
}
