//! Whole datasets of damaged files: open, list and read everything, without panic, hang or much memory.
//!
//! `CFA_MUTANTS` sets the number of mutants of each file.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::allocations::largest_during;
use crate::support::processor;
use crate::support::scenario::Scenario;
use crate::support::{write, Data, FileSpec, Format, Rng, Var};
use cfa::OpenOptions;
use cfa::{DataType, Dataset, Kind, Selection};

/// Far beyond what the files of these tests need, and far below what a hostile size asks for.
const LIMIT: usize = 64 << 20;

fn mutants() -> usize {
    std::env::var("CFA_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

/// Opens, lists and reads all that can be had.
fn use_up(path: &Path) {
    let Ok(dataset) = Dataset::open_with(path, &OpenOptions::default().num_threads(1)) else { return };
    let _ = (dataset.dimensions().len(), dataset.groups().len());
    for variable in dataset.variables() {
        let mut seen = 0;
        let _ = variable.for_each_fragment(|_| {
            seen += 1;
            if seen < 1000 {
                Ok(())
            } else {
                Err(cfa::Error::new(Kind::Cancelled, "enough"))
            }
        });
        let Ok(shape) = variable.shape() else { continue };
        // A mutant may claim any size; only a small part is requested here.
        let count: Vec<u64> = shape.iter().map(|&n| n.min(8)).collect();
        let part = Selection::block(&vec![0; shape.len()], &count, shape).unwrap();
        let _ = variable.read_values(&part);
        let last: Vec<u64> = shape.iter().map(|&n| n.saturating_sub(1)).collect();
        if let Ok(end) = Selection::block(&last, &vec![1; shape.len()], shape) {
            let _ = variable.read_values(&end);
        }
    }
    let _ = dataset.warnings();
}

fn mutate(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    if rng.once_in(5) {
        mutant.truncate(rng.below(bytes.len()));
        return mutant;
    }
    for _ in 0..1 + rng.below(4) {
        let at = rng.below(bytes.len());
        match rng.below(4) {
            0 => mutant[at] ^= 1 << rng.below(8),
            1 => mutant[at] = rng.below(256) as u8,
            2 => mutant[at..].iter_mut().take(8).for_each(|b| *b = 0xff),
            _ => mutant[at..].iter_mut().take(4).for_each(|b| *b = 0x7f),
        }
    }
    mutant
}

#[test]
fn mutants_of_aggregation_files_and_fragments_are_read_or_refused() {
    for seed in 0..24u64 {
        let folder = tempfile::tempdir().unwrap();
        let aggregation = crate::support::texts::write_all(folder.path(), &Scenario::random(seed));
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path()).collect();
        files.sort();
        let rng = &mut Rng::new(seed);
        for n in 0..mutants() {
            let file = if n % 2 == 0 { aggregation.clone() } else { rng.pick(&files) };
            let good = std::fs::read(&file).unwrap();
            let mutant = mutate(rng, &good);
            std::fs::write(&file, &mutant).unwrap();
            let began = processor::time();
            let (result, largest) = largest_during(|| std::panic::catch_unwind(|| use_up(&aggregation)));
            let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutant-{seed}-{n}.nc"));
            let took = processor::time() - began;
            if result.is_err() || took > Duration::from_secs(10) || largest > LIMIT {
                std::fs::write(&kept, &mutant).unwrap();
                panic!("{}, {took:?}, {largest} bytes: {}", file.display(), kept.display());
            }
            std::fs::write(&file, &good).unwrap();
        }
    }
}

/// An aggregation of one variable, `v` of size 2, over files with these names.
fn over(path: &Path, names: &[&str]) {
    let each = 2 / names.len();
    let vars = vec![
        Var::new("v", DataType::I32, &[], Data::None)
            .with("aggregated_dimensions", "x")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new(
            "m",
            DataType::I32,
            &[("one", 1), ("f", names.len())],
            Data::Numbers(vec![each as f64; names.len()]),
        ),
        Var::new(
            "u",
            DataType::String,
            &[("f", names.len())],
            Data::Texts(names.iter().map(|&n| n.into()).collect()),
        ),
        Var::new("i", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    write(path, &FileSpec { format: Format::Cdf1, dims: vec![("x".into(), 2)], vars });
}

fn read(path: &Path, options: &OpenOptions) -> cfa::Result<Vec<i32>> {
    let dataset = Dataset::open_with(path, options)?;
    Ok(dataset.variable("v")?.read::<i32>(&Selection::all(&[2]))?.into_raw_vec_and_offset().0)
}

#[test]
fn fifos_devices_and_folders_are_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("zero")).unwrap();
    std::fs::write(folder.path().join("empty"), b"").unwrap();
    std::fs::write(folder.path().join("words"), b"not a netCDF file at all").unwrap();
    let path = folder.path().join("agg.nc");
    for name in
        ["pipe", "folder", "zero", "file:///dev/zero", "empty", "words", "agg.nc/x", ".", "http://h/a.nc"]
    {
        over(&path, &[name]);
        let began = Instant::now();
        let error = read(&path, &OpenOptions::default()).unwrap_err();
        assert!(began.elapsed() < Duration::from_secs(5), "{name}");
        assert_eq!(error.fragment(), Some([0].as_slice()), "{name}: {error}");
    }
    for name in ["pipe", "folder", "zero", "empty", "words", "none"] {
        assert!(Dataset::open(folder.path().join(name)).is_err(), "{name}");
    }
}

#[test]
fn aggregations_of_aggregations_end_at_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let name = |n: usize| format!("level{n}.nc");
    let data = Var::new("v", DataType::I32, &[("x", 2)], Data::Numbers(vec![5.0, 6.0]));
    write(&folder.path().join(name(0)), &FileSpec { format: Format::Cdf1, dims: vec![], vars: vec![data] });
    for n in 1..=60 {
        over(&folder.path().join(name(n)), &[&name(n - 1)]);
    }
    let nested = |n: usize| OpenOptions::default().max_nesting(n);
    assert_eq!(read(&folder.path().join(name(20)), &nested(32)).unwrap(), [5, 6]);
    assert_eq!(read(&folder.path().join(name(60)), &nested(32)).unwrap_err().kind(), Kind::Limit);
    assert_eq!(read(&folder.path().join(name(60)), &nested(100)).unwrap(), [5, 6]);
    assert_eq!(read(&folder.path().join(name(1)), &nested(0)).unwrap(), [5, 6]);
    assert_eq!(read(&folder.path().join(name(2)), &nested(0)).unwrap_err().kind(), Kind::Limit);
}

#[test]
fn a_truncated_fragment_is_an_error_and_never_zeros() {
    for format in [Format::Cdf1, Format::Cdf2, Format::Cdf5, Format::Nc4] {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("part.nc");
        let data = Var::new("v", DataType::I32, &[("x", 2)], Data::Numbers(vec![5.0, 6.0]));
        write(&part, &FileSpec { format, dims: vec![], vars: vec![data] });
        let path = folder.path().join("agg.nc");
        over(&path, &["part.nc"]);
        let good = std::fs::read(&part).unwrap();
        assert_eq!(read(&path, &OpenOptions::default()).unwrap(), [5, 6]);
        for keep in [good.len() - 1, good.len() - 8, good.len() / 2, 10, 0] {
            std::fs::write(&part, &good[..keep]).unwrap();
            match read(&path, &OpenOptions::default()) {
                // A netCDF-4 file may end with bytes that are not needed.
                Ok(values) => assert_eq!(
                    (&values[..], keep > good.len() / 2),
                    (&[5, 6][..], true),
                    "{format:?}, {keep}"
                ),
                Err(error) => assert!(error.to_string().contains("part.nc"), "{error}"),
            }
        }
    }
}

#[test]
fn too_many_fragments_are_refused_before_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    over(&path, &["a.nc", "b.nc"]);
    let dataset = Dataset::open_with(&path, &OpenOptions::default().max_fragments(1)).unwrap();
    assert_eq!(dataset.variable("v").unwrap().shape().unwrap_err().kind(), Kind::Limit);
    // The other variables are not harmed.
    assert!(dataset.variable("m").unwrap().shape().is_ok());
}
