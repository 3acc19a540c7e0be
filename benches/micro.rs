//! Times small parts of the engine and reads of generated aggregations: `make bench`, or `cargo bench --bench micro`.
//!
//! Each line is the best of several runs, which other load on the machine disturbs least. The files are written anew
//! into a directory that is removed afterwards.

#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cfa::internals::canonical::{Conversion, Target};
use cfa::internals::container::filter::unshuffle_part;
use cfa::{Attribute, Attributes, DataType, Dataset, Selection, Values, Variable};
use support::{numbers, write, Data, FileSpec, Format, Var};

/// Fragments of the aggregation that is read, and the shape of each.
const FRAGMENTS: usize = 64;
const SHAPE: [usize; 3] = [1, 256, 512];

/// Runs for a while and prints the best time, and the rate if bytes are given.
fn time(name: &str, bytes: usize, mut run: impl FnMut()) {
    let begin = Instant::now();
    let mut best = Duration::MAX;
    let mut runs = 0;
    while runs < 5 || (begin.elapsed() < Duration::from_millis(500) && runs < 10_000) {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
        runs += 1;
    }
    let micros = best.as_secs_f64() * 1e6;
    match bytes {
        0 => println!("{name:<44} {micros:>12.1} us"),
        _ => println!("{name:<44} {micros:>12.1} us {:>9.2} GB/s", bytes as f64 / micros / 1e3),
    }
}

/// An aggregation along the first dimension of fragments that are all one file.
fn aggregation(folder: &Path, name: &str, fragments: usize) -> PathBuf {
    let path = folder.join(format!("{name}.nc"));
    let mut map = vec![-2147483647.0; 3 * fragments];
    map[..fragments].fill(SHAPE[0] as f64);
    map[fragments] = SHAPE[1] as f64;
    map[2 * fragments] = SHAPE[2] as f64;
    let vars = vec![
        Var::new("v", DataType::F32, &[], Data::None)
            .with("aggregated_dimensions", "time lat lon")
            .with("aggregated_data", "map: map uris: uris identifiers: identifier")
            .with("units", "K")
            .with("_FillValue", numbers(DataType::F32, &[-1e6])),
        Var::new("map", DataType::I32, &[("a", 3), ("b", fragments)], Data::Numbers(map))
            .with("_FillValue", numbers(DataType::I32, &[-2147483647.0])),
        Var::new(
            "uris",
            DataType::String,
            &[("ft", fragments), ("fy", 1), ("fx", 1)],
            Data::Texts(vec![format!("{name}_fragment.nc"); fragments]),
        ),
        Var::new("identifier", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let dims = [("time", SHAPE[0] * fragments), ("lat", SHAPE[1]), ("lon", SHAPE[2])];
    let dims = dims.iter().map(|&(n, size)| (n.to_owned(), size)).collect();
    write(&path, &FileSpec { format: Format::Nc4, dims, vars });
    path
}

fn fragment(folder: &Path, name: &str, packed: bool) {
    let field = (0..SHAPE.iter().product()).map(|n: usize| {
        let (y, x) = ((n / SHAPE[2]) as f64, (n % SHAPE[2]) as f64);
        (1000.0 * ((y / 40.0).sin() + (x / 60.0).cos())).round()
            + (n.wrapping_mul(2654435761) >> 9 & 7) as f64
    });
    let dims = [("t", SHAPE[0]), ("y", SHAPE[1]), ("x", SHAPE[2])];
    let data_type = if packed { DataType::I16 } else { DataType::F32 };
    let mut var = Var::new("v", data_type, &dims, Data::Numbers(field.collect()))
        .with("_FillValue", numbers(data_type, &[if packed { -32767.0 } else { -1e6 }]))
        .with("units", if packed { "degC" } else { "K" });
    if packed {
        var = var.with("scale_factor", 0.01).with("add_offset", 10.0);
    }
    var.chunks = Some(SHAPE.to_vec());
    let path = folder.join(format!("{name}_fragment.nc"));
    write(&path, &FileSpec { format: Format::Nc4, dims: Vec::new(), vars: vec![var] });
}

fn open(path: &Path) -> Variable {
    Dataset::open(path).and_then(|dataset| dataset.variable("v")).expect("the file was just written")
}

fn read(variable: &Variable, start: [u64; 3], count: [u64; 3]) {
    let shape = variable.shape().expect("the file was just written");
    let part = Selection::block(&start, &count, shape).expect("the part is within the variable");
    black_box(variable.read::<f32>(&part).expect("the fragments were just written"));
}

fn reads(folder: &Path) {
    let all = [FRAGMENTS as u64, SHAPE[1] as u64, SHAPE[2] as u64];
    let bytes = all.iter().product::<u64>() as usize * 4;
    for name in ["deflated", "packed"] {
        fragment(folder, name, name == "packed");
        let path = aggregation(folder, name, FRAGMENTS);
        time(&format!("{name}: open"), 0, || drop(black_box(open(&path))));
        time(&format!("{name}: open, read all"), bytes, || read(&open(&path), [0; 3], all));
        let slice = [1, all[1], all[2]];
        time(&format!("{name}: open, read one slice"), bytes / FRAGMENTS, || {
            read(&open(&path), [5, 0, 0], slice)
        });
        time(&format!("{name}: open, read a series"), 0, || {
            read(&open(&path), [0, 9, 9], [all[0], 1, 1]);
        });
        let variable = open(&path);
        read(&variable, [7, 0, 0], [1, 16, 16]);
        time(&format!("{name}: 16 x 16 block, cached"), 0, || read(&variable, [7, 32, 32], [1, 16, 16]));
    }
    fragment(folder, "many", false);
    let path = aggregation(folder, "many", 100_000);
    time("100,000 fragments: open", 0, || {
        black_box(open(&path).shape().expect("the file was just written"));
    });
    time("100,000 fragments: open, read one", 0, || read(&open(&path), [50_000, 0, 0], [1, 1, 1]));
}

fn parts() {
    let input: Vec<u8> = (0..1usize << 20).map(|n| (n.wrapping_mul(2654435761) >> 11) as u8).collect();
    let mut out = vec![0; input.len()];
    for size in [2, 4, 8] {
        time(&format!("unshuffle elements of {size} bytes"), input.len(), || {
            unshuffle_part(black_box(&input), size, 0, &mut out);
        });
    }
    let attribute = |name: &str, value: Values| Attribute { name: name.into(), value };
    let packed = Attributes::new(vec![
        attribute("_FillValue", Values::I16(vec![-32767])),
        attribute("scale_factor", Values::F64(vec![0.01])),
        attribute("add_offset", Values::F64(vec![10.0])),
        attribute("units", Values::String(vec!["degC".into()])),
    ]);
    let kelvin = Attributes::new(vec![attribute("units", Values::String(vec!["K".into()]))]);
    let target = Target::new(&kelvin, DataType::F32);
    let conversion = Conversion::new(&packed, DataType::I16, None, None, &target, false);
    let conversion = conversion.expect("packed temperatures can be converted");
    let mut floats = vec![0; input.len() * 2];
    time("unpack int16 degC to float K", floats.len(), || {
        conversion.apply(black_box(&input), &mut floats, None).expect("the sizes agree");
    });
}

fn main() {
    let folder = tempfile::tempdir().expect("a directory for temporary files");
    parts();
    reads(folder.path());
}
