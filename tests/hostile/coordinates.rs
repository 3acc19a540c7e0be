//! Coordinates that a file only claims: what shows or compares them reads them in parts.

use std::path::{Path, PathBuf};
use std::process::Command;

use cfa::{Dataset, Kind, Order};

use super::commands::within_limits;
use super::keep;
use crate::support::cdl::make_from;

/// Makes a file from CDL.
fn made(folder: &Path, name: &str, body: &str) -> PathBuf {
    let path = make_from(folder, name, body);
    keep(&path);
    path
}

#[test]
fn texts_with_room_for_billions_of_characters_are_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: y = 65536 ; n = 3 ; wide = 65536 ; wider = 2000000000 ;
        variables: char y(y, wide) ; y:_ChunkSizes = 256, 256 ; char a(n, wider) ; a:_ChunkSizes = 1, 65536 ;
        char b(wider) ; b:_ChunkSizes = 65536 ; float v(n) ; v:coordinates = \"a b\" ;";
    let dataset = Dataset::open(made(folder.path(), "texts", body)).unwrap();
    let range = |name: &str| {
        let variable = dataset.variable(name).unwrap();
        within_limits(|| variable.range(1 << 23))
    };
    let y = range("y").unwrap();
    assert_eq!((y.count, y.is_complete, y.words.len()), (65536, false, 2));
    for name in ["a", "b"] {
        let error = range(name).unwrap_err();
        assert_eq!(error.kind(), Kind::Limit);
        assert!(error.to_string().contains("2000000000 characters"), "{error}");
    }
}

#[test]
fn a_long_row_is_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: one = 1 ; x = 8388608 ;
        variables: double lat(one, x) ; lat:_ChunkSizes = 1, 65536 ; string name(one, x) ; name:_ChunkSizes = 1, 65536 ;
        float v(x) ; v:_ChunkSizes = 65536 ; v:coordinates = \"lat name\" ;";
    let dataset = Dataset::open(made(folder.path(), "row", body)).unwrap();
    for name in ["lat", "name"] {
        let variable = dataset.variable(name).unwrap();
        let range = within_limits(|| variable.range(1 << 23)).unwrap();
        assert_eq!((range.count, range.missing, range.is_complete), (1 << 23, 1 << 23, true), "{name}");
        assert_eq!(range.order, Order::None);
    }
}

#[test]
fn a_text_without_other_dimensions_is_one_word() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: n = 8 ; variables: char name(n) ; float v ; v:coordinates = \"name\" ;
        data: name = \"Seathwai\" ;";
    let dataset = Dataset::open(made(folder.path(), "word", body)).unwrap();
    for most in [1 << 23, 0] {
        let range = dataset.variable("name").unwrap().range(most).unwrap();
        assert_eq!((range.count, range.is_complete), (1, true));
        assert_eq!(range.words, ["Seathwai"]);
    }
}

#[test]
fn create_compares_long_coordinates_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    for kind in ["double", "string"] {
        for (name, time) in [("a", 1), ("b", 2)] {
            let body = format!(
                "dimensions: t = 1 ; x = 33554432 ;
                variables: double t(t) ; {kind} x(x) ; x:_ChunkSizes = 131072 ;
                float v(t, x) ; v:_ChunkSizes = 1, 131072 ; data: t = {time} ;"
            );
            made(folder.path(), name, &body);
        }
        // Addresses, most of which its threads only reserve.
        let output = Command::new("sh")
            .args(["-c", "ulimit -v 700000; \"$0\" create out.nc a.nc b.nc"])
            .arg(env!("CARGO_BIN_EXE_cfa"))
            .current_dir(folder.path())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && told.contains("too many values"), "{kind}: {told}");
    }
}
