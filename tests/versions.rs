//! Failover: if a version of a fragment exists but cannot be used, the next one is used, with a warning.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::program::cfa;
use crate::support::{all, cases, write, Data, FileSpec, Format, Rng, Var};
use cfa::internals::container::array::Layout;
use cfa::internals::container::Container;
use cfa::{AllowedSources, ChangedFragments, MissingFragments, OpenOptions};
use cfa::{DataType, Dataset, Kind, Selection, Values};

/// Elements of a fragment: enough for several chunks and parts.
const N: usize = 3000;

fn texts(list: &[&str]) -> Data {
    Data::Texts(list.iter().map(|t| t.to_string()).collect())
}

fn file(path: &Path, vars: Vec<Var>) {
    write(path, &FileSpec { format: Format::Nc4, dims: vec![], vars });
}

/// `v(x)` with the numbers from `first` on, in metres, compressed in chunks.
fn good(first: usize) -> Var {
    let numbers = (first..first + N).map(|i| i as f64).collect();
    let mut var = Var::new("v", DataType::F64, &[("x", N)], Data::Numbers(numbers)).with("units", "m");
    var.chunks = Some(vec![700]);
    var
}

/// An aggregation of `v` along `x`, with these versions of each fragment of `n` elements.
fn aggregation(path: &Path, own: Var, n: usize, versions: &[&[&str]]) {
    let most = versions.iter().map(|list| list.len()).max().unwrap();
    let padded: Vec<&str> =
        versions.iter().flat_map(|list| (0..most).map(|i| list.get(i).copied().unwrap_or(""))).collect();
    let sizes = Data::Numbers(vec![n as f64; versions.len()]);
    let vars = vec![
        own.with("aggregated_dimensions", "x").with("aggregated_data", "shape: s location: l address: a"),
        Var::new("s", DataType::I32, &[("one", 1), ("f", versions.len())], sizes),
        Var::new("l", DataType::String, &[("f", versions.len()), ("version", most)], texts(&padded)),
        Var::new("a", DataType::String, &[], texts(&["v"])),
    ];
    write(path, &FileSpec { format: Format::Nc4, dims: vec![("x".into(), n * versions.len())], vars });
}

fn metres() -> Var {
    Var::new("v", DataType::F64, &[], Data::None).with("units", "m")
}

/// Overwrites the middle of a chunk.
fn damage(path: &Path, chunk: u64) {
    let bytes = std::fs::read(path).unwrap();
    let container = Container::open(std::sync::Arc::new(Bytes(bytes.clone()))).unwrap();
    let array = container.variable("v").unwrap().unwrap().array;
    let Layout::Chunked { index, .. } = &array.layout else { panic!("{path:?} is not chunked") };
    let place = index.find(&[chunk]).unwrap().unwrap();
    let mut bytes = bytes;
    bytes[place.offset as usize..][..place.size as usize].fill(0xa5);
    std::fs::write(path, bytes).unwrap();
}

struct Bytes(Vec<u8>);

impl cfa::Source for Bytes {
    fn name(&self) -> &str {
        "bytes"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> cfa::Result<()> {
        buffer.copy_from_slice(&self.0[offset as usize..offset as usize + buffer.len()]);
        Ok(())
    }
}

/// Files that cannot be the first of two fragments, each named after its fault.
fn misfits(folder: &Path) -> Vec<&'static str> {
    let path = |name: &str| folder.join(format!("{name}.nc"));
    let numbers = |n: usize| Data::Numbers(vec![5.0; n]);
    let of = |data_type, dims: &[(&str, usize)], units: &str| {
        Var::new("v", data_type, dims, numbers(dims.iter().map(|d| d.1).product())).with("units", units)
    };
    file(&path("shape"), vec![of(DataType::F64, &[("x", N - 1)], "m")]);
    file(&path("rank"), vec![of(DataType::F64, &[("x", N), ("y", 2)], "m")]);
    file(&path("units"), vec![of(DataType::F64, &[("x", N)], "K")]);
    file(&path("no_unit"), vec![of(DataType::F64, &[("x", N)], "furlongz")]);
    file(&path("packing"), vec![of(DataType::F64, &[("x", N)], "m").with("scale_factor", "two")]);
    file(&path("type"), vec![Var::new("v", DataType::String, &[("x", N)], texts(&["a"; N]))]);
    let mut other = good(0);
    other.name = "w".into();
    file(&path("variable"), vec![other]);
    std::fs::write(path("no_netcdf"), b"nothing").unwrap();
    for (name, chunk) in [("first_chunk", 0), ("last_chunk", 4)] {
        file(&path(name), vec![good(0)]);
        damage(&path(name), chunk);
    }
    file(&path("short_hdf5"), vec![good(0)]);
    write(&path("short_classic"), &FileSpec { format: Format::Cdf1, dims: vec![], vars: vec![good(0)] });
    for name in ["short_hdf5", "short_classic"] {
        let whole = std::fs::read(path(name)).unwrap();
        std::fs::write(path(name), &whole[..whole.len() - 100]).unwrap();
    }
    aggregation(&path("nested_missing"), metres(), N, &[&["gone.nc"]]);
    aggregation(&path("nested_shape"), metres(), N, &[&["shape.nc"]]);
    aggregation(&path("nested_damaged"), metres(), N, &[&["last_chunk.nc"]]);
    vec![
        "shape",
        "rank",
        "units",
        "no_unit",
        "packing",
        "type",
        "variable",
        "no_netcdf",
        "first_chunk",
        "last_chunk",
        "short_hdf5",
        "short_classic",
        "nested_missing",
        "nested_shape",
        "nested_damaged",
    ]
}

fn wanted() -> Vec<f64> {
    (0..2 * N).map(|i| i as f64).collect()
}

/// A folder with the misfits, and good files of both fragments.
fn prepared() -> (tempfile::TempDir, Vec<&'static str>) {
    let folder = tempfile::tempdir().unwrap();
    let names = misfits(folder.path());
    file(&folder.path().join("good.nc"), vec![good(0)]);
    file(&folder.path().join("second.nc"), vec![good(N)]);
    (folder, names)
}

fn of_misfit(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(format!("agg_{name}.nc"));
    let first = format!("{name}.nc");
    aggregation(&path, metres(), N, &[&["absent.nc", &first, "good.nc"], &["second.nc"]]);
    path
}

#[test]
fn a_version_that_does_not_serve_is_passed_over_with_a_warning_that_names_it() {
    let (folder, names) = prepared();
    for name in names {
        let path = of_misfit(folder.path(), name);
        for threads in [1, 4] {
            let dataset = Dataset::open_with(&path, &OpenOptions::default().num_threads(threads)).unwrap();
            let v = dataset.variable("v").unwrap();
            let shape = v.shape().unwrap().to_vec();
            // Reading ahead and reading by blocks also use another version.
            v.advise(&Selection::all(&shape)).unwrap();
            assert!(v.block_shape().is_ok());
            for _ in 0..2 {
                let got = all(&dataset, "v").unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(got, Values::F64(wanted()), "{name}");
            }
            let backwards = Selection::new(&[2 * N as u64 - 1], &[N as u64], &[-2], &shape).unwrap();
            let back: Vec<f64> = (0..N).map(|i| (2 * N - 1 - 2 * i) as f64).collect();
            assert_eq!(v.read_values(&backwards).unwrap(), Values::F64(back), "{name}");
            let warnings = dataset.warnings();
            let told: Vec<&String> = warnings
                .iter()
                .filter(|w| w.contains("version 2") && w.contains("version 3") && w.contains("fragment [0]"))
                .collect();
            assert_eq!((told.len(), warnings.len()), (1, 1), "{name}: {warnings:?}");
            assert!(told[0].contains(&format!("{name}.nc")), "{name}: {told:?}");
        }
    }
}

#[test]
fn each_way_to_read_passes_over_what_does_not_serve() {
    let (folder, names) = prepared();
    for name in names {
        of_misfit(folder.path(), name);
        let agg = format!("agg_{name}.nc");
        let read = cfa(folder.path(), &["read", &agg, "v", "--raw"]);
        let said = String::from_utf8_lossy(&read.stderr).into_owned();
        let bytes: Vec<u8> = wanted().iter().flat_map(|x| x.to_ne_bytes()).collect();
        assert!(read.stdout == bytes && said.contains(&format!("{name}.nc")), "{name}: {said}");
        let plain = format!("plain_{name}.nc");
        let made = cfa(folder.path(), &["extract", &agg, &plain]);
        assert!(made.status.success(), "{name}: {made:?}");
        let extracted = Dataset::open(folder.path().join(plain)).unwrap();
        assert_eq!(all(&extracted, "v").unwrap(), Values::F64(wanted()), "{name}");
        // An aggregation of the aggregation is read through it.
        let outer = folder.path().join(format!("outer_{name}.nc"));
        aggregation(&outer, metres(), 2 * N, &[&[&agg]]);
        assert_eq!(all(&Dataset::open(&outer).unwrap(), "v").unwrap(), Values::F64(wanted()), "{name}");
        let check = cfa(folder.path(), &["check", "--fragments", "--json", &agg]);
        let report: serde_json::Value = serde_json::from_slice(&check.stdout).unwrap();
        let states = &report["variables"][0]["states"];
        // The check does not read the data, nor those of the fragments of fragments.
        if ["first_chunk", "last_chunk", "nested_shape", "nested_damaged"].contains(&name) {
            assert_eq!(states["other-version"], 1, "{name}: {report}");
            continue;
        }
        assert!(states["other-version"] == 1 && states["present"] == 1, "{name}: {report}");
        let found = report["findings"].to_string();
        assert!(
            found.contains(&format!("{name}.nc")) && found.contains("version 3 is used"),
            "{name}: {report}"
        );
    }
}

#[test]
fn strings_are_read_of_another_version_as_numbers_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(format!("{name}.nc"));
    let of = |list: &[&str]| Var::new("v", DataType::String, &[("x", list.len())], texts(list));
    file(&path("shape"), vec![of(&["a", "b", "c"])]);
    file(&path("type"), vec![Var::new("v", DataType::I32, &[("x", 2)], Data::Numbers(vec![1.0, 2.0]))]);
    file(&path("good"), vec![of(&["one", "two"])]);
    let own = || Var::new("v", DataType::String, &[], Data::None);
    aggregation(&path("nested"), own(), 2, &[&["gone.nc"]]);
    write(&path("chars"), &FileSpec { format: Format::Cdf1, dims: vec![], vars: vec![of(&["one", "two"])] });
    write(&path("short"), &FileSpec { format: Format::Cdf1, dims: vec![], vars: vec![of(&["one", "two"])] });
    let whole = std::fs::read(path("short")).unwrap();
    std::fs::write(path("short"), &whole[..whole.len() - 4]).unwrap();
    for bad in ["shape", "type", "nested", "short"] {
        for last in ["good.nc", "chars.nc"] {
            let agg = path(&format!("{bad}_{last}"));
            aggregation(&agg, own(), 2, &[&[&format!("{bad}.nc"), last], &["good.nc"]]);
            let dataset = Dataset::open(&agg).unwrap();
            let words = ["one", "two", "one", "two"].map(String::from).to_vec();
            assert_eq!(all(&dataset, "v").unwrap(), Values::String(words), "{bad}");
            let warnings = dataset.warnings();
            assert!(warnings.len() == 1 && warnings[0].contains(&format!("{bad}.nc")), "{bad}: {warnings:?}");
        }
    }
}

#[test]
fn calendars_and_dates_pass_a_version_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(format!("{name}.nc"));
    let of = |units: &str, calendar: &str| {
        Var::new("v", DataType::F64, &[("x", 1)], Data::Numbers(vec![31.0]))
            .with("units", units)
            .with("calendar", calendar)
    };
    file(&path("calendar"), vec![of("days since 2000-01-01", "360_day")]);
    file(&path("date"), vec![of("days since 2000-02-30", "standard")]);
    file(&path("good"), vec![of("days since 2000-02-01", "standard")]);
    for bad in ["calendar.nc", "date.nc"] {
        let own = Var::new("v", DataType::F64, &[], Data::None).with("units", "days since 2000-01-01");
        let agg = path(&format!("agg_{bad}"));
        aggregation(&agg, own, 1, &[&[bad, "good.nc"]]);
        let dataset = Dataset::open(&agg).unwrap();
        assert_eq!(all(&dataset, "v").unwrap(), Values::F64(vec![62.0]), "{bad}");
        assert!(dataset.warnings().iter().any(|w| w.contains(bad)), "{:?}", dataset.warnings());
    }
}

#[test]
fn without_a_version_that_serves_the_first_fault_is_the_error() {
    let (folder, names) = prepared();
    for name in names {
        let path = folder.path().join(format!("agg_{name}.nc"));
        let first = format!("{name}.nc");
        aggregation(&path, metres(), N, &[&["absent.nc", &first, "last_chunk.nc"], &["second.nc"]]);
        let fill = OpenOptions::default().missing_fragments(MissingFragments::Fill);
        for options in [OpenOptions::default(), fill] {
            let dataset = Dataset::open_with(&path, &options).unwrap();
            // A nested aggregation whose missing fragments are filled can be used.
            if name == "nested_missing" && options.missing_fragments == MissingFragments::Fill {
                assert!(all(&dataset, "v").is_ok());
                continue;
            }
            let error = all(&dataset, "v").unwrap_err();
            // An error in a nested aggregation is an error in one of its own fragments.
            let at_fault = match name {
                "nested_missing" => "gone.nc",
                "nested_shape" => "shape.nc",
                "nested_damaged" => "last_chunk.nc",
                _ => &first,
            };
            assert!(error.to_string().contains(at_fault), "{name}: {error}");
            assert_eq!(error.fragment(), Some([0].as_slice()), "{name}");
        }
    }
}

#[test]
fn nothing_is_passed_over_because_of_a_policy() {
    let (folder, _) = prepared();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    file(&inner.join("good.nc"), vec![good(0)]);
    let nested = inner.join("nested.nc");
    aggregation(&nested, metres(), N, &[&["../good.nc"]]);
    for (n, first) in ["../good.nc", "../absent.nc", "nested.nc"].into_iter().enumerate() {
        let name = format!("agg{n}.nc");
        let agg = inner.join(&name);
        aggregation(&agg, metres(), N, &[&[first, "good.nc"]]);
        let options = OpenOptions::default().allowed_sources(AllowedSources::Siblings);
        let dataset = Dataset::open_with(&agg, &options).unwrap();
        assert_eq!(all(&dataset, "v").map(|_| ()).unwrap_err().kind(), Kind::Policy, "{first}");
        assert!(dataset.warnings().is_empty(), "{:?}", dataset.warnings());
        let words = ["check", "--fragments", "--json", &name, "--allowed-sources", "SIBLINGS"];
        let check = cfa(&inner, &words);
        let report: serde_json::Value = serde_json::from_slice(&check.stdout).unwrap();
        assert_eq!(report["variables"][0]["states"]["wrong"], 1, "{first}: {report}");
    }
}

#[test]
fn nothing_is_passed_over_because_of_a_cancel() {
    let (folder, _) = prepared();
    let path = folder.path().join("agg.nc");
    std::fs::copy(folder.path().join("good.nc"), folder.path().join("copy.nc")).unwrap();
    aggregation(&path, metres(), N, &[&["good.nc", "copy.nc"], &["second.nc", "second.nc"]]);
    let dataset = Dataset::open(&path).unwrap();
    let v = dataset.variable("v").unwrap();
    let calls = AtomicUsize::new(0);
    let stop = |_, _| calls.fetch_add(1, Ordering::Relaxed) < 1;
    let mut bytes = vec![0; 16 * N];
    let mut output = cfa::Output::new(DataType::F64, &mut bytes);
    output.progress = Some(&stop);
    let error = v.read_into(&Selection::all(&[2 * N as u64]), output).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(dataset.warnings().is_empty(), "{:?}", dataset.warnings());
}

#[test]
fn damage_in_one_chunk_of_many_costs_the_version_and_no_other_value() {
    const LARGE: usize = 400_000;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let of = |scale: f64| {
        let numbers = (0..LARGE).map(|i| i as f64 * scale).collect();
        let mut var = Var::new("v", DataType::F64, &[("x", LARGE)], Data::Numbers(numbers));
        var.chunks = Some(vec![10_000]);
        var.with("units", "m")
    };
    // The other scale shows that no value of the first version remains.
    file(&path("bad.nc"), vec![of(3.0)]);
    damage(&path("bad.nc"), 33);
    file(&path("good.nc"), vec![of(1.0)]);
    aggregation(
        &path("agg.nc"),
        metres(),
        LARGE,
        &[&["bad.nc", "good.nc"], &["good.nc"], &["bad.nc", "good.nc"]],
    );
    let wanted: Vec<f64> = (0..3 * LARGE).map(|i| (i % LARGE) as f64).collect();
    for threads in [1, 3, 8] {
        let dataset =
            Dataset::open_with(path("agg.nc"), &OpenOptions::default().num_threads(threads)).unwrap();
        let v = dataset.variable("v").unwrap();
        let whole = Selection::all(v.shape().unwrap());
        let (mut bytes, mut mask) = (vec![0; 8 * wanted.len()], vec![9; wanted.len()]);
        let told = std::sync::Mutex::new(Vec::new());
        let progress = |done: u64, total: u64| {
            told.lock().unwrap().push((done, total));
            true
        };
        let mut output = cfa::Output::new(DataType::F64, &mut bytes);
        output.mask = Some(&mut mask);
        output.progress = Some(&progress);
        v.read_into(&whole, output).unwrap();
        assert!(Values::from_native_bytes(DataType::F64, &bytes) == Some(Values::F64(wanted.clone())));
        assert!(mask.iter().all(|&m| m == 1));
        assert!(told.lock().unwrap().iter().all(|(done, total)| done <= total));
        assert_eq!(dataset.warnings().len(), 2, "{:?}", dataset.warnings());
        // Data in sound chunks are read from the first version, until it is known to be damaged.
        let dataset = Dataset::open(path("agg.nc")).unwrap();
        let part = Selection::block(&[5], &[2], &[3 * LARGE as u64]).unwrap();
        let first = dataset.variable("v").unwrap().read_values(&part).unwrap();
        assert_eq!(first, Values::F64(vec![15.0, 18.0]));
        assert!(dataset.warnings().is_empty());
    }
}

#[test]
fn any_order_of_versions_gives_the_first_that_serves() {
    let (folder, mut names) = prepared();
    names.extend(["good", "good", "good", "absent"]);
    for case in 0..cases(60) {
        let mut rng = Rng::new(case);
        let fragments: Vec<Vec<String>> = (0..1 + rng.below(3))
            .map(|_| (0..1 + rng.below(4)).map(|_| format!("{}.nc", rng.pick(&names))).collect())
            .collect();
        let lists: Vec<Vec<&str>> =
            fragments.iter().map(|f| f.iter().map(String::as_str).collect()).collect();
        let path = folder.path().join(format!("agg_{case}.nc"));
        aggregation(&path, metres(), N, &lists.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let options = OpenOptions::default().num_threads(1 + rng.below(4));
        let got = all(&Dataset::open_with(&path, &options).unwrap(), "v");
        let serves = fragments.iter().all(|list| list.iter().any(|name| name == "good.nc"));
        match got {
            Ok(values) => {
                assert!(serves, "case {case}: {fragments:?}");
                let wanted = (0..fragments.len() * N).map(|i| (i % N) as f64).collect();
                assert_eq!(values, Values::F64(wanted), "case {case}: {fragments:?}");
            }
            Err(error) => assert!(!serves, "case {case}: {fragments:?}: {error}"),
        }
    }
}

#[test]
fn a_recorded_state_is_that_of_the_first_version() {
    let (folder, _) = prepared();
    let recorded = |name: &str, versions: &[&str]| {
        let path = folder.path().join(name);
        aggregation(&path, metres().with("cfa_fragment_state", "size: fs modified: fm"), N, &[versions]);
        let mut made = netcdf::append(&path).unwrap();
        for name in ["fs", "fm"] {
            made.add_variable::<f64>(name, &["f"]).unwrap().put_values(&[1.0], ..).unwrap();
        }
        made.close().unwrap();
        Dataset::open_with(&path, &OpenOptions::default().changed_fragments(ChangedFragments::Error)).unwrap()
    };
    let dataset = recorded("other.nc", &["absent.nc", "good.nc"]);
    assert!(all(&dataset, "v").is_ok());
    // If changes are errors, a changed version is not skipped.
    let error = all(&recorded("changed.nc", &["second.nc", "good.nc"]), "v").unwrap_err();
    assert!(error.to_string().contains("second.nc") && error.to_string().contains("recorded"), "{error}");
}
