//! What GDAL looks for above a Zarr store, although nothing in its metadata leads out of it.
//!
//! The array that describes a dimension is searched in the group and in every directory above it, up to the root of the
//! file system. For a group or an array of NCZarr that is not the root of its store, the group in the directory above is
//! read. What GDAL would find there belongs to the store, so it is checked like the rest.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::io::os::{is_virtual, VirtualFile};

/// The maximum number of names of dimensions of a store.
const MOST_NAMES: usize = 10_000;

/// What a store needs that may lie above it.
#[derive(Default)]
pub(super) struct Needs {
    dimensions: BTreeSet<String>,
    /// The directories whose group is not the root of its store.
    inner: BTreeSet<PathBuf>,
}

impl Needs {
    /// Adds what the metadata in a file need. Returns why that is too much.
    pub(super) fn add(&mut self, file: &Path, metadata: &Value) -> Option<&'static str> {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let has = |key: &str| metadata.get(key).is_some();
        let is_inner = match name {
            ".zgroup" => has("_NCZARR_GROUP") && !has("_NCZARR_SUPERBLOCK"),
            ".zarray" => has("_NCZARR_ARRAY"),
            _ => false,
        };
        if let (true, Some(directory)) = (is_inner, file.parent()) {
            self.inner.insert(directory.to_owned());
        }
        self.add_dimensions(metadata);
        (self.dimensions.len() > MOST_NAMES).then_some("has too many names of dimensions")
    }

    fn add_dimensions(&mut self, metadata: &Value) {
        match metadata {
            Value::Array(list) => list.iter().for_each(|value| self.add_dimensions(value)),
            Value::Object(members) => {
                for (key, value) in members {
                    match value {
                        Value::Array(names) if key == "_ARRAY_DIMENSIONS" || key == "dimension_names" => {
                            let names = names.iter().filter_map(Value::as_str).map(str::to_owned);
                            self.dimensions.extend(names.take(MOST_NAMES + 1));
                        }
                        value => self.add_dimensions(value),
                    }
                }
            }
            _ => {}
        }
    }

    /// Returns the directories above a store that GDAL would read for it: arrays, and that of a group.
    pub(super) fn found(&self, store: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for name in &self.dimensions {
            for mark in [".zarray", "zarr.json"] {
                // The search ends with the first.
                let mut places = store.ancestors().map(|directory| directory.join(name));
                let nearest = places.find(|array| exists(&array.join(mark)));
                found.extend(nearest.filter(|array| !array.starts_with(store)));
            }
        }
        let above = store.parent().filter(|_| self.inner.contains(store));
        found.extend(above.filter(|above| exists(&above.join(".zgroup"))).map(Path::to_owned));
        found
    }
}

/// Returns whether something has this name, for GDAL, which follows links.
fn exists(path: &Path) -> bool {
    match is_virtual(path) {
        true => VirtualFile::open(path).is_some(),
        false => fs::metadata(path).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_nearest_description_of_a_dimension_counts() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("a/b/s.zarr");
        for directory in ["x", "a/x", "a/y", "a/b/s.zarr/y", "z/t"] {
            let directory = folder.path().join(directory);
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join(".zarray"), "{}").unwrap();
        }
        let mut needs = Needs::default();
        let names = json!({"metadata": {"v/.zattrs": {"_ARRAY_DIMENSIONS": ["y", "x", "gone"]}}});
        assert_eq!(needs.add(&store.join(".zmetadata"), &names), None);
        assert_eq!(needs.found(&store), [folder.path().join("a/x")]);
        assert_eq!(needs.add(&store.join("v/zarr.json"), &json!({"dimension_names": [null, "z/t"]})), None);
        assert_eq!(needs.found(&store), [folder.path().join("a/x"), folder.path().join("z/t")]);
    }

    #[test]
    fn only_the_root_of_a_store_has_no_group_above() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("s");
        fs::write(folder.path().join(".zgroup"), "{}").unwrap();
        let found = |file: &str, metadata: Value| {
            let mut needs = Needs::default();
            assert_eq!(needs.add(&store.join(file), &metadata), None);
            !needs.found(&store).is_empty()
        };
        assert!(found(".zgroup", json!({"_NCZARR_GROUP": {}})));
        assert!(found(".zarray", json!({"_NCZARR_ARRAY": {}})));
        assert!(!found(".zgroup", json!({"_NCZARR_GROUP": {}, "_NCZARR_SUPERBLOCK": {}})));
        assert!(!found(".zgroup", json!({"zarr_format": 2})));
        assert!(!found("v/.zarray", json!({"_NCZARR_ARRAY": {}})));
    }
}
