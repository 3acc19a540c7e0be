//! Coordinates that a file only claims: what shows or compares them reads them in parts.

use std::path::{Path, PathBuf};
use std::process::Command;

use cfa::{Coordinates, Dataset, Kind, OpenOptions, Order, Parts, Range};

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

/// Coordinates of all kinds, of which nothing was written, as cheap to claim as to read.
const LONG: &str =
    "dimensions: x = 4194304 ; lon = 4194304 ; t = 4194304 ; s = 4194304 ; c = 4194304 ; w = 4 ; two = 2 ;
    variables: double x(x) ; x:_ChunkSizes = 65536 ; x:bounds = \"edges\" ;
    double edges(x, two) ; edges:_ChunkSizes = 65536, 2 ;
    double lon(lon) ; lon:units = \"degrees_east\" ; lon:_ChunkSizes = 65536 ;
    double t(t) ; t:units = \"days since 2000-1-1\" ; t:_ChunkSizes = 65536 ;
    string s(s) ; s:_ChunkSizes = 65536 ; char c(c, w) ; c:_ChunkSizes = 65536, 4 ;";

#[test]
fn a_long_coordinate_is_searched_in_blocks() {
    let folder = tempfile::tempdir().unwrap();
    for (name, texts) in [
        ("x", &["x=5", "x~5"][..]),
        ("lon", &["lon=-20..20"]),
        ("t", &["t=2001"]),
        ("s", &["s=Oslo"]),
        ("c", &["c=Oslo"]),
    ] {
        let body = format!("{LONG} float v({name}) ; v:_ChunkSizes = 65536 ;");
        let path = made(folder.path(), name, &body);
        let dataset = Dataset::open_with(path, &OpenOptions::default().num_threads(1)).unwrap();
        let variable = dataset.variable("v").unwrap();
        for text in texts {
            let error = within_limits(|| variable.select_parts(&[text])).unwrap_err();
            assert!(error.to_string().contains("nothing"), "{text}: {error}");
        }
    }
}

/// Writes a compressed coordinate of zeros.
fn zeros(path: &Path, name: &str, units: &str, count: usize, chunk: usize) {
    let mut file = netcdf::create(path).unwrap();
    file.add_dimension(name, count).unwrap();
    let mut long = file.add_variable::<f64>(name, &[name]).unwrap();
    long.set_chunking(&[chunk]).unwrap();
    long.set_compression(9, false).unwrap();
    long.put_attribute("units", units).unwrap();
    long.put_values(&vec![0.0; count], ..).unwrap();
    let mut data = file.add_variable::<f32>("v", &[name]).unwrap();
    data.set_chunking(&[1 << 16]).unwrap();
}

#[test]
fn what_is_found_in_a_long_coordinate_takes_no_more_memory_than_its_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("zeros.nc");
    let search = |text: &str| {
        keep(&path);
        let dataset = Dataset::open_with(&path, &OpenOptions::default().num_threads(1)).unwrap();
        let variable = dataset.variable("v").unwrap();
        within_limits(|| variable.select_parts(&[text]))
    };
    let all = |parts: Parts| (parts.ranges(0).len(), parts.count()[0]);
    zeros(&path, "x", "m", 1 << 23, 1 << 16);
    for text in ["x=0", "x=..", "x=-1..1"] {
        assert_eq!(all(search(text).unwrap()), (1, 1 << 23), "{text}");
    }
    assert_eq!(all(search("x~0").unwrap()), (1, 1));
    zeros(&path, "lon", "degrees_east", 1 << 23, 1 << 16);
    assert_eq!(all(search("lon=0").unwrap()), (1, 1 << 23));
    // In another turn they have to be brought into order.
    let error = search("lon=360").unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
}

#[test]
fn a_coordinate_of_billions_is_not_searched() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: x = 4000000000 ; variables: double x(x) ; x:_ChunkSizes = 1048576 ;
        float v(x) ; v:_ChunkSizes = 1048576 ;";
    let dataset = Dataset::open(made(folder.path(), "billions", body)).unwrap();
    let variable = dataset.variable("v").unwrap();
    let error = within_limits(|| variable.select(&["x=5"])).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
    assert!(error.to_string().contains("4000000000 coordinates"), "{error}");
}

#[test]
fn parts_of_a_long_coordinate_are_shown_without_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let body = format!("{LONG} float v(x) ; v:_ChunkSizes = 65536 ;");
    let dataset = Dataset::open(made(folder.path(), "parts", &body)).unwrap();
    let variable = dataset.variable("v").unwrap();
    let range = |start: u64| Range { start, count: 2, step: 1, shift: 0.0 };
    let parts = Parts::new(vec![vec![range(0), range(4_000_000)]]);
    let shown = within_limits(|| Coordinates::along_parts(&variable, 0, &parts)).unwrap();
    assert_eq!([0, 1, 2, 3].map(|i| shown.is_missing(i)), [true; 4]);
}
