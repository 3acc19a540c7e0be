//! Finds names in the metadata of a Zarr store that would lead out of it.
//!
//! GDAL appends the keys of consolidated metadata, the names of arrays and dimensions, and the numbers of a chunk with
//! their separator in between, unchanged to the path of the store, and opens the result. So no such name may contain
//! `..`, begin at a root or be a path of another system, and the only separator with a meaning in paths may be a slash.
//! What GDAL does not read today but a later version may (storage transformers, references) is refused too.

use serde_json::Value;

use super::virtual_files::has_parent_segments;
use crate::cf;

/// Attributes of Zarr itself whose words are names; those of CF are in its table.
const NAMING: [&str; 2] = ["_ARRAY_DIMENSIONS", "dimension_names"];

fn names_arrays(key: &str) -> bool {
    NAMING.contains(&key) || cf::reference(key, cf::Use::Store).is_some()
}

/// Returns why the metadata lead out of their store or refer to data elsewhere, or `None` if they do not.
pub(super) fn obstacle(metadata: &Value) -> Option<&'static str> {
    match metadata {
        Value::Array(list) => list.iter().find_map(obstacle),
        Value::Object(members) => members.iter().find_map(|(key, value)| of_member(key, value)),
        _ => None,
    }
}

fn of_member(key: &str, value: &Value) -> Option<&'static str> {
    const ELSEWHERE: &str = "has its chunks in other files, which are not under ALLOWED_SOURCES";
    let is_listed = |list: &Value| list.as_array().is_none_or(|list| !list.is_empty()) && !list.is_null();
    match key {
        // GDAL ends the name at the NUL.
        key if key.contains('\0') => return Some("has metadata with a NUL in a name"),
        // Kerchunk references, which GDAL follows from 3.11 on.
        "record_size" | "refs" => return Some(ELSEWHERE),
        "storage_transformers" if is_listed(value) => return Some(ELSEWHERE),
        // This module would not inspect such metadata.
        "metadata_key_suffix" if value != ".json" => return Some("has metadata in files of unknown names"),
        "dimension_separator" | "separator" if !is_separator(value) => {
            return Some("has a separator of chunk numbers that leads out of it");
        }
        // The keys of consolidated metadata are paths below the store.
        "metadata" if !value.as_object().is_none_or(|all| all.keys().all(|key| stays_inside(key))) => {
            return Some("has a key that leads out of it");
        }
        key if names_arrays(key) && !all_stay_inside(value) => {
            return Some("has a name that leads out of it");
        }
        _ => {}
    }
    obstacle(value)
}

/// Returns whether no word of a text, or of a list of texts, leads out of the store.
fn all_stay_inside(names: &Value) -> bool {
    match names {
        Value::String(names) => names.split_whitespace().all(stays_inside),
        Value::Array(list) => list.iter().all(all_stay_inside),
        _ => true,
    }
}

/// Returns whether chunk numbers with this separator form a name in the directory of the array or in one below.
fn is_separator(value: &Value) -> bool {
    match value {
        Value::String(text) => text == "/" || !text.contains(['/', '\\', '%', '\0']),
        // GDAL uses the JSON text of other values.
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    }
}

/// Returns whether a path below the store stays there, whatever system splits it.
pub fn stays_inside(path: &str) -> bool {
    let is_rooted = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    !is_rooted && !path.contains(['\\', '\0']) && !has_parent_segments(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_that_go_up_or_begin_at_a_root_lead_out() {
        for path in [
            "..",
            "../a",
            "a/..",
            "a/../../b",
            "/etc",
            "\\x",
            "a\\..\\b",
            "%2e%2e/a",
            "a/%252E%252e",
            "a/..%2fb",
            "C:/x",
            "a\0b",
        ] {
            assert!(!stays_inside(path), "{path}");
        }
        for path in ["a", "a/b/.zarray", "a..b/c", "...", "run:1/x", "50%", ""] {
            assert!(stays_inside(path), "{path}");
        }
    }

    #[test]
    fn keys_and_names_are_found_at_any_depth() {
        for metadata in [
            json!({"metadata": {".zgroup": {}, "../b/.zarray": {}}, "zarr_consolidated_format": 1}),
            json!({"consolidated_metadata": {"kind": "inline", "metadata": {"/etc": {}}}}),
            json!({"metadata": {"a/.zattrs": {"_ARRAY_DIMENSIONS": ["y", "../../b/x"]}}}),
            json!({"dimension_names": ["../x", null]}),
            json!({"attributes": {"coordinates": "lat ../../b/lon"}}),
            json!({"storage_transformers": [{"name": "x"}]}),
            json!({"metadata": {}, "record_size": 10}),
            json!({"version": 1, "refs": {}}),
            json!({"dimension_separator": "/../../../secret.zarr/tas/0."}),
            json!({"dimension_separator\0": "/../"}),
            json!({"metadata": {"a/.zarray": {"dimension_separator": "\\..\\"}}}),
            json!({"chunk_grid": {"type": "regular", "separator": "/../"}}),
            json!({"chunk_key_encoding": {"name": "v2", "configuration": {"separator": ["%2f"]}}}),
            json!({"zarr_format": "https://purl.org/zarr/spec/protocol/core/3.0", "metadata_key_suffix": ".txt"}),
        ] {
            assert!(obstacle(&metadata).is_some(), "{metadata}");
        }
        for metadata in [
            json!({"metadata": {".zgroup": {}, "g/a/.zarray": {"shape": [1]}}, "zarr_consolidated_format": 1}),
            json!({"_ARRAY_DIMENSIONS": ["y", "x"], "history": "ncks ../in.nc /tmp/out.nc", "metadata": "../x"}),
            json!({"dimension_separator": "/", "chunk_grid": {"separator": "."}, "metadata_key_suffix": ".json"}),
            json!({"separator": ", ", "dimension_separator": null}),
            json!({"storage_transformers": [], "dimension_names": [null, "x"], "consolidated_metadata": null}),
        ] {
            assert_eq!(obstacle(&metadata), None, "{metadata}");
        }
    }
}
