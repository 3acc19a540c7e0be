//! What goes through all fragments or all names of a file: checks, lists and conversions take time and memory with what
//! the file holds, not with what it claims.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cfa::check::{check, Options, Report, State};
use cfa::{convert, Dataset, Kind, OpenOptions};
use netcdf::types::NcVariableType;

use super::{keep, MOST_BYTES};
use crate::support::allocations::most_during;
use crate::support::cdl::make_from;
use crate::support::{processor, NcChar};

/// The shape of the array of fragments of a file, and how many variables share its tables.
struct Claims<'a> {
    shape: &'a [usize],
    variables: usize,
    location: &'a str,
    identifier: &'a str,
}

impl Claims<'_> {
    /// Writes the file: every fragment has one element, and all have the same name. `${a}` in it stands for a long text.
    fn write(&self, path: &Path) {
        let mut file = netcdf::create(path).unwrap();
        let widest = *self.shape.iter().max().unwrap();
        let names: Vec<String> = (0..self.shape.len()).map(|d| format!("x{d}")).collect();
        for (name, &size) in names.iter().zip(self.shape) {
            file.add_dimension(name, size).unwrap();
        }
        for (name, size) in [("rows", self.shape.len()), ("columns", widest), ("length", 16)] {
            file.add_dimension(name, size).unwrap();
        }
        let mut sizes = vec![-1i8; self.shape.len() * widest];
        for (row, &size) in sizes.chunks_mut(widest).zip(self.shape) {
            row[..size].fill(1);
        }
        let mut map = file.add_variable::<i8>("map", &["rows", "columns"]).unwrap();
        map.set_chunking(&[1, widest.min(1 << 20)]).unwrap();
        map.set_compression(9, false).unwrap();
        map.set_fill_value(-1i8).unwrap();
        map.put_values(&sizes, ..).unwrap();
        let mut spanned: Vec<&str> = names.iter().map(String::as_str).collect();
        spanned.push("length");
        let mut uris = file.add_variable_with_type("uris", &spanned, &NcVariableType::Char).unwrap();
        let mut chunk = vec![1; spanned.len()];
        chunk[spanned.len() - 1] = 16;
        chunk[spanned.len() - 2] = self.shape[self.shape.len() - 1].min(1 << 16);
        uris.set_chunking(&chunk).unwrap();
        uris.set_compression(9, false).unwrap();
        let total: usize = self.shape.iter().product();
        uris.put_values(&padded(self.location).repeat(total), ..).unwrap();
        let draft = self.location.contains("${a}");
        if draft {
            let replacement = format!("${{a}}: {}", "long/".repeat(6000));
            uris.put_attribute("substitutions", replacement).unwrap();
        }
        let data = match draft {
            true => "shape: map location: uris address: id",
            false => "map: map uris: uris identifiers: id",
        };
        let mut identifier = file.add_variable_with_type("id", &["length"], &NcVariableType::Char).unwrap();
        identifier.put_values(&padded(self.identifier), ..).unwrap();
        for v in 0..self.variables {
            let mut variable = file.add_variable::<f32>(&format!("v{v}"), &[]).unwrap();
            variable.put_attribute("aggregated_dimensions", names.join(" ")).unwrap();
            variable.put_attribute("aggregated_data", data).unwrap();
        }
    }
}

fn padded(text: &str) -> Vec<NcChar> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(16, 0);
    bytes.into_iter().map(NcChar).collect()
}

/// A file of one element, as fragment.
fn write_fragment(folder: &Path) {
    let mut file = netcdf::create(folder.join("one.nc")).unwrap();
    file.add_dimension("x", 1).unwrap();
    file.add_variable::<f32>("t", &["x"]).unwrap().put_values(&[1f32], ..).unwrap();
}

/// The most time of a processor, tens of times what an optimised program has: the engine of the tests is not optimised.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Does something in this thread within the limits of memory and time.
pub(super) fn within_limits<T>(call: impl FnOnce() -> T) -> T {
    let before = processor::time();
    let (result, most) = most_during(call);
    let took = processor::time() - before;
    println!("{most} bytes of memory, {took:?}");
    assert!(most < MOST_BYTES, "{most} bytes of memory");
    assert!(took < MOST_TIME, "{took:?}");
    result
}

/// Checks a file with its fragments within the limits of memory and time.
fn check_fragments(path: &Path) -> Report {
    keep(path);
    let open = OpenOptions::default().num_threads(1);
    let options = Options { open, fragments: true, ..Options::default() };
    within_limits(|| check(path, &options)).unwrap()
}

fn unchecked(report: &Report) -> u64 {
    let counts = report.variables.iter().flat_map(|variable| variable.counts());
    counts.filter(|(state, _)| *state == State::Unchecked).map(|(_, n)| n).sum()
}

#[test]
fn fragments_that_a_file_only_claims_are_not_all_opened_and_the_check_says_so() {
    let folder = tempfile::tempdir().unwrap();
    write_fragment(folder.path());
    for location in ["one.nc", "gone.nc", ""] {
        let path = folder.path().join("claims.nc");
        Claims { shape: &[5_000_000], variables: 100, location, identifier: "t" }.write(&path);
        let report = check_fragments(&path);
        assert!(!report.is_fine() && unchecked(&report) > 4_000_000, "'{location}'");
        for v in 0..100 {
            let name = format!("/v{v}");
            let told = report.findings.iter().any(|finding| {
                finding.rule == "fragment-refused"
                    && finding.variable.as_deref() == Some(&name)
                    && finding.message.contains("not checked: they are too many for a file of this length")
            });
            assert!(told, "'{location}': {name} is not checked, and nothing says so");
        }
    }
}

#[test]
fn long_names_cost_more_than_short_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.nc");
    Claims { shape: &[200_000], variables: 1, location: "${a}${a}", identifier: "t" }.write(&path);
    let report = check_fragments(&path);
    let told = |text: &str| report.findings.iter().any(|finding| finding.message.contains(text));
    assert!(told("the names of its fragments from ["), "{:?}", report.findings);
    assert!(told("of its 200000 fragments are not checked"), "{:?}", report.findings);
    assert!(unchecked(&report) > 100_000);
}

#[test]
fn a_long_text_for_all_fragments_costs_each_time_that_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.nc");
    const COUNT: usize = 20_000;
    let mut file = netcdf::create(&path).unwrap();
    file.add_dimension("x", COUNT).unwrap();
    file.add_dimension("one", 1).unwrap();
    file.add_variable::<i32>("m", &["one", "x"]).unwrap().put_values(&[1; COUNT], ..).unwrap();
    // Each fragment lacks its location, so that its names are looked up by themselves.
    file.add_string_variable("u", &["x"]).unwrap();
    let mut identifier = file.add_string_variable("i", &[]).unwrap();
    identifier.put_string(&"a/".repeat(500_000), ()).unwrap();
    let mut variable = file.add_variable::<f32>("v", &[]).unwrap();
    variable.put_attribute("aggregated_dimensions", "x").unwrap();
    variable.put_attribute("aggregated_data", "map: m uris: u identifiers: i").unwrap();
    drop((variable, identifier));
    drop(file);
    let report = check_fragments(&path);
    assert!(unchecked(&report) > COUNT as u64 / 2, "{:?}", report.variables[0].counts());
}

#[test]
fn all_fragments_are_checked_that_a_file_can_name() {
    let folder = tempfile::tempdir().unwrap();
    write_fragment(folder.path());
    let path = folder.path().join("many.nc");
    Claims { shape: &[200_000], variables: 1, location: "one.nc", identifier: "t" }.write(&path);
    let report = check_fragments(&path);
    assert!(report.is_fine(), "{:?}", report.findings);
    assert_eq!(report.variables[0].counts(), [(State::Present, 200_000)]);
}

#[test]
fn fragments_of_nested_files_count_too() {
    let folder = tempfile::tempdir().unwrap();
    write_fragment(folder.path());
    let inner = folder.path().join("inner.nc");
    Claims { shape: &[2_000_000], variables: 1, location: "one.nc", identifier: "t" }.write(&inner);
    let body = "dimensions: x = 2000000 ; f = 1 ; one = 1 ;
        variables: float v ; v:aggregated_dimensions = \"x\" ;
        v:aggregated_data = \"map: m uris: u identifiers: i\" ; int m(one, f) ; string u(f) ; string i ;
        data: m = 2000000 ; u = \"inner.nc\" ; i = \"v0\" ;";
    let outer = make_from(folder.path(), "outer", body);
    let report = check_fragments(&outer);
    let told = |text: &str| report.findings.iter().any(|finding| finding.message.contains(text));
    assert!(!report.is_fine() && told("not all of its fragments are checked"), "{:?}", report.findings);
}

/// Writes an aggregation of `count` files, each of which is an aggregation with a large table of sizes.
fn write_nested(folder: &Path, count: usize, sizes: usize) -> PathBuf {
    let inner = super::tables::write_alternating(folder, sizes);
    for i in 0..count {
        std::fs::copy(&inner, folder.join(format!("inner{i}.nc"))).unwrap();
    }
    let names: Vec<String> = (0..count).map(|i| format!("\"inner{i}.nc\"")).collect();
    let extent = sizes / 2 * 3;
    let body = format!(
        "dimensions: x = {} ; f = {count} ; one = 1 ;
        variables: float v ; v:aggregated_dimensions = \"x\" ;
        v:aggregated_data = \"map: m uris: u identifiers: i\" ; int m(one, f) ; string u(f) ; string i ;
        data: m = {} ; u = {} ; i = \"v0\" ;",
        extent * count,
        vec![extent.to_string(); count].join(", "),
        names.join(", ")
    );
    make_from(folder, "nested", &body)
}

#[test]
fn tables_of_many_nested_files_together_are_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_nested(folder.path(), 40, 1_000_000);
    let report = check_fragments(&path);
    assert!(report.is_fine(), "{:?}", report.findings);
    // A read of one element of each opens all of them too.
    let read = within_limits(|| {
        let dataset = Dataset::open_with(&path, &OpenOptions::default().num_threads(1))?;
        let variable = dataset.variable("v")?;
        let (shape, step) = (variable.shape()?.to_vec(), 1_500_000);
        variable.read_values(&cfa::Selection::new(&[0], &[40], &[step], &shape)?)
    });
    assert_eq!(read.unwrap().len(), 40);
}

#[test]
fn fragments_are_listed_in_blocks_whatever_the_shape_of_their_array() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.nc");
    Claims { shape: &[1, 1000, 1000], variables: 1, location: "gone.nc", identifier: "t" }.write(&path);
    let dataset = Dataset::open(&path).unwrap();
    let variable = dataset.variable("v0").unwrap();
    let mut count = 0u64;
    let (_, most) = most_during(|| {
        variable.for_each_fragment(|entry| {
            assert_eq!(entry.index, [0, count / 1000, count % 1000]);
            count += 1;
            Ok::<(), cfa::Error>(())
        })
    });
    assert_eq!(count, 1_000_000);
    assert!(most < 32 << 20, "{most} bytes of memory");
}

#[cfg(target_os = "linux")]
#[test]
fn a_list_of_many_fragments_is_written_as_they_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.nc");
    Claims { shape: &[300_000], variables: 1, location: "gone.nc", identifier: "t" }.write(&path);
    let listed = Command::new("sh")
        .args(["-c", "ulimit -v 400000; \"$0\" info --json --fragments list.nc > list.json"])
        .arg(env!("CARGO_BIN_EXE_cfa"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let text = std::fs::read(folder.path().join("list.json")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let list = json["variables"][0]["fragments"].as_array().unwrap();
    assert_eq!(list.len(), 300_000);
    assert_eq!(list[299_999]["ranges"][0], serde_json::json!([299_999, 300_000]));
    assert_eq!(list[299_999]["versions"][0]["state"], "missing");
}

#[cfg(target_os = "linux")]
#[test]
fn json_is_printed_value_by_value() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: x = 16777216 ; variables: byte v(x) ; v:_ChunkSizes = 65536 ;";
    make_from(folder.path(), "long", body);
    // Addresses, most of which threads only reserve. As a tree of JSON the values would take 512 MiB.
    let printed = Command::new("sh")
        .args(["-c", "ulimit -v 400000; \"$0\" read long.nc v --json --set NUM_THREADS=1 | wc -c"])
        .arg(env!("CARGO_BIN_EXE_cfa"))
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&printed.stderr);
    let length: usize = String::from_utf8_lossy(&printed.stdout).trim().parse().unwrap();
    assert!(length > 5 << 24 && told.is_empty(), "{length} bytes: {told}");
}

/// The number of times that this thread has read from files.
#[cfg(target_os = "linux")]
fn reads() -> u64 {
    let counts = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    counts.lines().find_map(|line| line.strip_prefix("syscr: ")).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn layer_files_search_the_fragments_once() {
    let folder = tempfile::tempdir().unwrap();
    make_from(
        folder.path(),
        "one",
        "dimensions: y = 2 ; x = 2 ; variables: float t(y, x) ; data: t = 1, 2, 3, 4 ;",
    );
    let reads_of = |count: usize| {
        let variable = |v| {
            format!(
                "float v{v} ; v{v}:aggregated_dimensions = \"y x\" ;
                v{v}:aggregated_data = \"map: m uris: u identifiers: i\" ;"
            )
        };
        let variables: String = (0..count).map(variable).collect();
        let body = format!(
            "dimensions: y = 2 ; x = 2 ; two = 2 ; one = 1 ;
            variables: int m(two, one) ; string u(one, one) ; string i ; {variables}
            data: m = 2, 2 ; u = \"one.nc\" ; i = \"t\" ;"
        );
        let path = make_from(folder.path(), &format!("all{count}"), &body);
        let mut options = cfa::qgis::Options::default();
        options.open = OpenOptions::default().num_threads(1);
        let before = reads();
        let report = cfa::qgis::layer_files(&path, &options).unwrap();
        assert_eq!(report.files.len(), count);
        reads() - before
    };
    let (few, many) = (reads_of(50), reads_of(400));
    println!("{few} reads for 50 variables, {many} for 400");
    assert!(many < 10 * few, "{few} reads for 50 variables, {many} for 400");
}

/// Converts a file within the limits; returns why it cannot be.
pub(super) fn refused_conversion(path: &Path) -> cfa::Error {
    let out = path.with_extension("new");
    let refused = within_limits(|| {
        let dataset = Dataset::open_with(path, &OpenOptions::default().num_threads(1))?;
        convert::convert(&dataset, &out, &convert::Options::default())
    });
    assert!(!out.exists());
    refused.unwrap_err()
}

#[test]
fn a_conversion_of_claims_ends_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("claims.nc");
    Claims { shape: &[5_000_000], variables: 100, location: "gone.nc", identifier: "t" }.write(&path);
    assert_eq!(refused_conversion(&path).kind(), Kind::Limit);
    // As many as fit into what may be kept: they are in memory as they are collected and as they are written.
    let path = super::tables::write_equal(folder.path(), 2_000_000);
    assert_eq!(refused_conversion(&path).kind(), Kind::Limit);
}

#[test]
fn an_index_or_update_of_claims_ends_soon() {
    let folder = tempfile::tempdir().unwrap();
    write_fragment(folder.path());
    for (count, variables) in [(2_000_000, 1), (500_000, 50)] {
        let path = folder.path().join("claims.nc");
        Claims { shape: &[count], variables, location: "one.nc", identifier: "t" }.write(&path);
        keep(&path);
        let options = OpenOptions::default().num_threads(1);
        let error = within_limits(|| cfa::index::index(&path, &options, None)).unwrap_err();
        assert_eq!(error.kind(), Kind::Limit, "{error}");
        let one = folder.path().join("one.nc");
        let options = cfa::create::Options::default();
        let error = within_limits(|| cfa::create::update(&path, std::slice::from_ref(&one), &options, None))
            .unwrap_err();
        assert_eq!(error.kind(), Kind::Limit, "{error}");
    }
}

#[test]
fn records_that_a_file_only_claims_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records.nc");
    {
        let mut file = netcdf::create(&path).unwrap();
        file.add_unlimited_dimension("t").unwrap();
        let mut long = file.add_variable::<f64>("long", &["t"]).unwrap();
        long.put_value(1.0, 1usize << 30).unwrap();
        file.add_variable::<f64>("short", &["t"]).unwrap().put_value(1.0, 0usize).unwrap();
    }
    keep(&path);
    let error = refused_conversion(&path);
    assert_eq!((error.kind(), error.variable()), (Kind::Limit, Some("/short")), "{error}");
}

#[test]
fn chunks_without_filters_that_were_not_written_are_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hollow.nc");
    {
        let mut file = netcdf::create(&path).unwrap();
        file.add_dimension("x", 1 << 26).unwrap();
        let mut long = file.add_variable::<i32>("v", &["x"]).unwrap();
        long.set_chunking(&[1 << 16]).unwrap();
        long.set_fill_value(5).unwrap();
        long.put_values(&[7; 1 << 16], 1 << 16..2 << 16).unwrap();
    }
    keep(&path);
    let out = path.with_extension("new");
    let dataset = Dataset::open_with(&path, &OpenOptions::default().num_threads(1)).unwrap();
    within_limits(|| convert::convert(&dataset, &out, &convert::Options::default())).unwrap();
    let length = std::fs::metadata(&out).unwrap().len();
    assert!(length < 8 << 20, "{length} bytes");
    let part = cfa::Selection::block(&[(1 << 16) - 1], &[2], &[1 << 26]).unwrap();
    let values = Dataset::open(&out).unwrap().variable("v").unwrap().read_values(&part).unwrap();
    assert_eq!(values, cfa::Values::I32(vec![5, 7]));
}

/// Writes an aggregation of so many fragments, whose names are as short as can be once they are compressed.
fn write_names(path: &Path, count: usize) {
    let mut file = netcdf::create(path).unwrap();
    for (name, size) in [("x", count), ("one", 1), ("length", 16)] {
        file.add_dimension(name, size).unwrap();
    }
    let mut map = file.add_variable::<i32>("map", &["one", "x"]).unwrap();
    map.set_compression(9, false).unwrap();
    map.put_values(&vec![1; count], ..).unwrap();
    let mut uris = file.add_variable_with_type("uris", &["x", "length"], &NcVariableType::Char).unwrap();
    uris.set_compression(9, false).unwrap();
    let names: Vec<NcChar> = (0..count).flat_map(|i| padded(&format!("f{i:07}.nc"))).collect();
    uris.put_values(&names, ..).unwrap();
    let mut id = file.add_variable_with_type("id", &["length"], &NcVariableType::Char).unwrap();
    id.put_values(&padded("t"), ..).unwrap();
    let mut x = file.add_variable::<f64>("x", &["x"]).unwrap();
    x.set_compression(9, true).unwrap();
    x.put_values(&(0..count).map(|i| i as f64).collect::<Vec<_>>(), ..).unwrap();
    let mut variable = file.add_variable::<f32>("t", &[]).unwrap();
    variable.put_attribute("aggregated_dimensions", "x").unwrap();
    variable.put_attribute("aggregated_data", "map: map uris: uris identifiers: id").unwrap();
}

/// The options of a new aggregation, whose work is done by this thread, whose memory is counted.
fn one_thread() -> cfa::create::Options {
    let mut options = cfa::create::Options::default();
    options.num_threads = 1;
    options
}

#[test]
fn an_update_keeps_as_many_fragments_as_there_is_memory_for() {
    let folder = tempfile::tempdir().unwrap();
    let more = make_from(
        folder.path(),
        "more",
        "dimensions: x = 1 ; variables: double x(x) ; float t(x) ; data: x = 9e6 ; t = 1 ;",
    );
    let path = folder.path().join("names.nc");
    let update = |count: usize| {
        write_names(&path, count);
        let options = one_thread();
        let more = std::slice::from_ref(&more);
        within_limits(|| cfa::create::update(&path, more, &options, None))
    };
    update(40_000).unwrap();
    let error = update(70_000).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
}

#[test]
fn an_index_keeps_as_many_fragments_as_there_is_memory_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.nc");
    let index = |count: usize| {
        write_names(&path, count);
        within_limits(|| cfa::index::index(&path, &OpenOptions::default().num_threads(1), None))
    };
    assert_eq!(index(60_000).unwrap().fragments, 60_000);
    let error = index(100_000).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
}

#[test]
fn an_update_keeps_no_more_values_than_there_is_memory_for() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: x = 16777216 ; one = 1 ;
        variables: double x(x) ; x:_ChunkSizes = 65536 ; float v ;
        v:aggregated_dimensions = \"x\" ; v:aggregated_data = \"map: m uris: u identifiers: i\" ;
        int m(one, one) ; string u(one) ; string i ; data: m = 16777216 ; u = \"gone.nc\" ; i = \"v\" ;";
    let path = make_from(folder.path(), "values", body);
    let more = make_from(
        folder.path(),
        "more",
        "dimensions: x = 1 ; variables: double x(x) ; float v(x) ; data: x = 9e6 ; v = 1 ;",
    );
    keep(&path);
    let options = one_thread();
    let error = within_limits(|| cfa::create::update(&path, std::slice::from_ref(&more), &options, None));
    assert_eq!(error.as_ref().unwrap_err().kind(), Kind::Limit, "{error:?}");
}

#[test]
fn values_that_are_copied_into_an_aggregation_follow_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<PathBuf> = (0..2)
        .map(|time| {
            let body = format!(
                "dimensions: t = 1 ; y = 4096 ; x = 3072 ;
                variables: double t(t) ; double lat(y, x) ; lat:_ChunkSizes = 64, 3072 ;
                float v(t, y, x) ; v:_ChunkSizes = 1, 64, 3072 ; v:coordinates = \"lat\" ; data: t = {time} ;"
            );
            make_from(folder.path(), &format!("in{time}"), &body)
        })
        .collect();
    let out = folder.path().join("out.nc");
    let options = one_thread();
    let error = within_limits(|| cfa::create::create(&out, &inputs[..], &options, None));
    let error = error.unwrap_err();
    assert_eq!((error.kind(), error.variable()), (Kind::Limit, Some("/lat")), "{error}");
}

#[test]
fn many_objects_are_not_converted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dimensions.nc");
    // A classic header: no records; a list of dimensions of size 1 with short names; no attributes and variables.
    let count = 200_000u32;
    let mut bytes = b"CDF\x01\0\0\0\0\0\0\0\x0a".to_vec();
    bytes.extend(count.to_be_bytes());
    for i in 0..count {
        bytes.extend(8u32.to_be_bytes());
        bytes.extend(format!("d{i:07}").as_bytes());
        bytes.extend(1u32.to_be_bytes());
    }
    bytes.extend([0; 16]);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(refused_conversion(&path).kind(), Kind::Limit);
}

#[test]
fn elements_of_a_long_attribute_are_not_all_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("elements.nc");
    {
        let mut file = netcdf::create(&path).unwrap();
        let mut variable = file.add_variable::<f32>("v", &[]).unwrap();
        variable.put_attribute("aggregated_dimensions", "").unwrap();
        variable.put_attribute("aggregated_data", "k: v ".repeat(1 << 20)).unwrap();
    }
    let report = check_fragments(&path);
    assert!(report.findings.iter().any(|f| f.message.contains("more than 1000 elements")), "{report:?}");
    let error =
        within_limits(|| Dataset::open(&path)?.variable("v")?.shape().map(<[u64]>::to_vec)).unwrap_err();
    assert_eq!(error.kind(), Kind::Limit, "{error}");
}

#[test]
fn names_in_long_attributes_are_not_compared_with_every_variable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("names.nc");
    {
        let mut file = netcdf::create(&path).unwrap();
        let absent: String = (0..2000).map(|i| format!("absent{i} ")).collect();
        for v in 0..2000 {
            let mut variable = file.add_variable::<f32>(&format!("variable{v}"), &[]).unwrap();
            variable.put_attribute("grid_mapping", absent.as_str()).unwrap();
        }
    }
    check_fragments(&path);
}
