//! Many threads and every size of the caches yield the same values as one thread without caches; caches and memory stay
//! bounded.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::allocations::most_during;
use crate::support::{cases, numbers, write, Data, FileSpec, Format, Rng, Var};
use cfa::OpenOptions;
use cfa::{DataType, Dataset, Output, Selection, Variable};

/// The aggregated shape, and the fragments along each dimension.
const SHAPE: [usize; 3] = [6, 40, 60];
const TIMES: [usize; 3] = [1, 2, 3];

/// How a fragment is stored; all forms hold the same values.
#[derive(Clone, Copy)]
enum Kind {
    Compressed,
    Packed,
    Classic,
    Contiguous,
}

/// The value of an element; some are missing.
fn value(seed: usize, n: usize) -> Option<f64> {
    let x = (n.wrapping_mul(2654435761) >> 7).wrapping_add(seed * 37) % 1000;
    (!x.is_multiple_of(17)).then_some(x as f64)
}

fn fragment(path: &Path, kind: Kind, shape: [usize; 3], seed: usize) {
    let dims = [("t", shape[0]), ("y", shape[1]), ("x", shape[2])];
    let fill = -1e6;
    let plain: Vec<f64> = (0..shape.iter().product()).map(|n| value(seed, n).unwrap_or(fill)).collect();
    let data_type = match kind {
        Kind::Packed => DataType::I16,
        Kind::Classic => DataType::F64,
        _ => DataType::F32,
    };
    let mut var = match kind {
        Kind::Packed => {
            let packed =
                plain.iter().map(|&x| if x == fill { -32767.0 } else { (x - 500.0) / 0.5 }).collect();
            Var::new("v", data_type, &dims, Data::Numbers(packed))
                .with("_FillValue", numbers(data_type, &[-32767.0]))
                .with("scale_factor", 0.5)
                .with("add_offset", 500.0)
        }
        _ => Var::new("v", data_type, &dims, Data::Numbers(plain))
            .with("_FillValue", numbers(data_type, &[fill])),
    };
    if matches!(kind, Kind::Compressed | Kind::Packed) {
        var.chunks = Some(vec![1, shape[1].div_ceil(3), shape[2].div_ceil(2)]);
    }
    let format = if matches!(kind, Kind::Classic) { Format::Cdf2 } else { Format::Nc4 };
    write(path, &FileSpec { format, dims: Vec::new(), vars: vec![var] });
}

/// Writes an aggregation file over fragments `f0.nc`, .. of these sizes along the first and the last dimension.
fn aggregation(folder: &Path, times: &[usize], last: &[usize], shape: [usize; 3]) -> PathBuf {
    let names: Vec<String> = (0..times.len() * last.len()).map(|n| format!("f{n}.nc")).collect();
    let longest = times.len().max(last.len());
    let row = |sizes: &[usize]| {
        let mut row: Vec<f64> = sizes.iter().map(|&s| s as f64).collect();
        row.resize(longest, -2147483647.0);
        row
    };
    let map = [row(times), row(&[shape[1]]), row(last)].concat();
    let path = folder.join("aggregation.nc");
    let dims = [("time", shape[0]), ("lat", shape[1]), ("lon", shape[2])];
    let vars = vec![
        Var::new("v", DataType::F32, &[], Data::None)
            .with("aggregated_dimensions", "time lat lon")
            .with("aggregated_data", "map: map uris: uris identifiers: identifier")
            .with("_FillValue", numbers(DataType::F32, &[-1e6])),
        Var::new("map", DataType::I32, &[("a", 3), ("b", longest)], Data::Numbers(map))
            .with("_FillValue", numbers(DataType::I32, &[-2147483647.0])),
        Var::new(
            "uris",
            DataType::String,
            &[("ft", times.len()), ("fy", 1), ("fx", last.len())],
            Data::Texts(names),
        ),
        Var::new("identifier", DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let dims = dims.iter().map(|&(n, size)| (n.to_owned(), size)).collect();
    write(&path, &FileSpec { format: Format::Nc4, dims, vars });
    path
}

/// An aggregation of fragments that are stored in every way.
fn mixed(folder: &Path) -> PathBuf {
    let kinds =
        [Kind::Compressed, Kind::Packed, Kind::Classic, Kind::Contiguous, Kind::Packed, Kind::Compressed];
    let last = [25, SHAPE[2] - 25];
    for (n, kind) in kinds.into_iter().enumerate() {
        let shape = [TIMES[n / 2], SHAPE[1], last[n % 2]];
        fragment(&folder.join(format!("f{n}.nc")), kind, shape, n);
    }
    aggregation(folder, &TIMES, &last, SHAPE)
}

fn slab(rng: &mut Rng) -> Selection {
    let (mut start, mut count, mut step) = (Vec::new(), Vec::new(), Vec::new());
    for size in SHAPE {
        let by = 1 + rng.below(4);
        let from = rng.below(size);
        let back = rng.once_in(3);
        let room = if back { from / by + 1 } else { (size - 1 - from) / by + 1 };
        start.push(from as u64);
        count.push(1 + rng.below(room) as u64);
        step.push(if back { -(by as i64) } else { by as i64 });
    }
    Selection::new(&start, &count, &step, &SHAPE.map(|n| n as u64)).unwrap()
}

fn sequential() -> OpenOptions {
    OpenOptions::default().num_threads(1).cache_bytes(0).max_open_files(1)
}

fn read(path: &Path, options: &OpenOptions) -> Variable {
    Dataset::open_with(path, options).unwrap().variable("v").unwrap()
}

fn values(variable: &Variable, selection: &Selection) -> Vec<f32> {
    variable.read::<f32>(selection).unwrap().into_raw_vec_and_offset().0
}

fn whole(variable: &Variable) -> Vec<f32> {
    values(variable, &Selection::all(variable.shape().unwrap()))
}

#[test]
fn one_thread_without_caches_gives_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = mixed(folder.path());
    let got = whole(&read(&path, &sequential()));
    let last = [25, SHAPE[2] - 25];
    for (n, index) in crate::support::indices(&SHAPE).enumerate() {
        let column = usize::from(index[2] >= last[0]);
        let row = [0, 1, 1, 2, 2, 2][index[0]];
        let within = [index[0] - [0, 1, 3][row], index[1], index[2] - column * last[0]];
        let want =
            value(row * 2 + column, crate::support::offset(&within, &[TIMES[row], SHAPE[1], last[column]]));
        assert_eq!(got[n], want.unwrap_or(-1e6) as f32, "{index:?}");
    }
}

#[test]
fn sixteen_threads_read_what_one_reads_whatever_the_caches() {
    let folder = tempfile::tempdir().unwrap();
    let path = mixed(folder.path());
    let slabs: Vec<Selection> = {
        let rng = &mut Rng::new(3);
        (0..64).map(|_| slab(rng)).collect()
    };
    let reference = read(&path, &sequential());
    let want: Vec<Vec<f32>> = slabs.iter().map(|s| values(&reference, s)).collect();
    for cache in [0, 10_000, OpenOptions::default().cache_bytes] {
        for files in [1, OpenOptions::default().max_open_files] {
            for threads in [1, 2, 7] {
                let options =
                    OpenOptions::default().cache_bytes(cache).max_open_files(files).num_threads(threads);
                let variable = read(&path, &options);
                std::thread::scope(|scope| {
                    for thread in 0..16 {
                        let (variable, slabs, want) = (&variable, &slabs, &want);
                        scope.spawn(move || {
                            let rng = &mut Rng::new(thread);
                            for _ in 0..cases(24) {
                                let n = rng.below(slabs.len());
                                if rng.once_in(5) {
                                    variable.advise(&slabs[n]).unwrap();
                                }
                                let got = values(variable, &slabs[n]);
                                assert!(got == want[n], "{:?} with {:?}", slabs[n], (cache, files, threads));
                            }
                        });
                    }
                });
            }
        }
    }
}

#[test]
fn a_fragment_that_was_rewritten_gives_its_new_values() {
    let options = [OpenOptions::default(), sequential(), OpenOptions::default().max_open_files(1)];
    for (options, replaced) in options.iter().flat_map(|o| [(o, false), (o, true)]) {
        for kind in [Kind::Compressed, Kind::Contiguous, Kind::Classic] {
            let folder = tempfile::tempdir().unwrap();
            let shape = [2, 30, 30];
            fragment(&folder.path().join("f0.nc"), kind, shape, 1);
            fragment(&folder.path().join("f1.nc"), Kind::Compressed, shape, 2);
            let path = aggregation(folder.path(), &[2, 2], &[30], [4, 30, 30]);
            let variable = read(&path, options);
            let part = Selection::block(&[1, 2, 3], &[2, 9, 9], variable.shape().unwrap()).unwrap();
            let before = (values(&variable, &part), whole(&variable));
            // The clock of file systems ticks every few milliseconds.
            std::thread::sleep(std::time::Duration::from_millis(30));
            if replaced {
                fragment(&folder.path().join("new.nc"), Kind::Packed, shape, 3);
                std::fs::rename(folder.path().join("new.nc"), folder.path().join("f0.nc")).unwrap();
            } else {
                fragment(&folder.path().join("f0.nc"), Kind::Packed, shape, 3);
            }
            let after = (values(&variable, &part), whole(&variable));
            let fresh = read(&path, &sequential());
            assert!(after == (values(&fresh, &part), whole(&fresh)), "replaced: {replaced}");
            assert!(before.0 != after.0 && before.1 != after.1);
        }
    }
}

/// Bytes that 200 reads take from the aggregation file to find their fragments.
#[cfg(target_os = "linux")]
const LOOK_UPS: u64 = 200 * 64;

/// Bytes that this thread has read from files.
#[cfg(target_os = "linux")]
fn bytes_read() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    text.lines().find_map(|l| l.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn small_blocks_decode_each_chunk_once() {
    let folder = tempfile::tempdir().unwrap();
    fragment(&folder.path().join("f0.nc"), Kind::Compressed, [2, 300, 300], 5);
    let path = aggregation(folder.path(), &[2], &[300], [2, 300, 300]);
    let size = std::fs::metadata(folder.path().join("f0.nc")).unwrap().len();
    let blocks = |variable: &Variable| {
        for n in 0..200u64 {
            let start = [n / 100, n / 10 % 10 * 30, n % 10 * 30];
            let block = Selection::block(&start, &[1, 30, 30], variable.shape().unwrap()).unwrap();
            values(variable, &block);
        }
    };
    // One thread, so that all reading is counted here.
    let options = OpenOptions::default().num_threads(1);
    let variable = read(&path, &options);
    let begin = bytes_read();
    blocks(&variable);
    let first = bytes_read() - begin;
    assert!(first < size + 20_000, "200 blocks read {first} bytes of a file of {size}");
    let begin = bytes_read();
    blocks(&variable);
    let again = bytes_read() - begin;
    assert!(again < LOOK_UPS, "blocks that were read before read {again} bytes");

    let variable = read(&path, &options);
    variable.advise(&Selection::all(variable.shape().unwrap())).unwrap();
    let begin = bytes_read();
    blocks(&variable);
    whole(&variable);
    let advised = bytes_read() - begin;
    assert!(advised < LOOK_UPS, "what was asked for ahead read {advised} bytes");
}

#[test]
fn many_chunks_are_cached_when_they_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    fragment(&folder.path().join("f0.nc"), Kind::Compressed, [24, 600, 600], 5);
    let path = aggregation(folder.path(), &[24], &[600], [24, 600, 600]);
    let variable = read(&path, &OpenOptions::default().num_threads(1));
    // Parts of so many chunks of 240,000 bytes each.
    let memory = |chunks: u64| {
        let part = Selection::block(&[0, 10, 10], &[chunks, 20, 20], variable.shape().unwrap()).unwrap();
        most_during(|| values(&variable, &part)).1
    };
    let reads = [24, 24, 24].map(memory);
    let [once, again, then] = reads;
    assert!(once < 24 * 240_000 / 4 && again > 24 * 240_000 && then < 24 * 240_000 / 4, "{reads:?}");
    let variable = read(&path, &OpenOptions::default().num_threads(1));
    let few = Selection::block(&[0, 10, 10], &[4, 20, 20], variable.shape().unwrap()).unwrap();
    let (_, once) = most_during(|| values(&variable, &few));
    assert!(once > 4 * 240_000, "few chunks are not cached at once: {once} bytes");
}

#[test]
fn reading_ahead_leaves_errors_of_fragments_to_the_read() {
    let folder = tempfile::tempdir().unwrap();
    fragment(&folder.path().join("f0.nc"), Kind::Compressed, [2, 30, 30], 1);
    let path = aggregation(folder.path(), &[2, 2], &[30], [4, 30, 30]);
    let variable = read(&path, &OpenOptions::default());
    let all = Selection::all(variable.shape().unwrap());
    variable.advise(&all).unwrap();
    assert_eq!(variable.read::<f32>(&all).unwrap_err().kind(), cfa::Kind::FragmentMissing);
    let outside = Selection::all(&[5, 30, 30]);
    assert_eq!(variable.advise(&outside).unwrap_err().kind(), cfa::Kind::Request);
}

const CHILD: &str = "CFA_STRESS_CHILD";
const CACHE: u64 = 4 << 20;

/// Reads all of the file that the environment names, as doubles with a mask, and prints by how much memory grew.
#[cfg(target_os = "linux")]
#[test]
fn child_that_measures_its_memory() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let peak = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
    };
    let options = OpenOptions::default().cache_bytes(CACHE).num_threads(4);
    let variable = read(Path::new(&path), &options);
    let before = peak();
    let all = Selection::all(variable.shape().unwrap());
    let n = all.len().unwrap() as usize;
    let (mut buffer, mut mask) = (vec![0u8; n * 8], vec![0u8; n]);
    let output = Output { mask: Some(&mut mask), ..Output::new(DataType::F64, &mut buffer) };
    variable.read_into(&all, output).unwrap();
    println!("grew {} result {}", peak() - before, buffer.len() + mask.len());
}

#[cfg(target_os = "linux")]
#[test]
fn memory_of_a_read_is_result_and_caches_and_a_little() {
    for times in [vec![48], vec![1; 48]] {
        let folder = tempfile::tempdir().unwrap();
        for (n, &t) in times.iter().enumerate() {
            let kind = [Kind::Compressed, Kind::Packed, Kind::Contiguous, Kind::Classic][n % 4];
            fragment(&folder.path().join(format!("f{n}.nc")), kind, [t, 512, 512], n);
        }
        let path = aggregation(folder.path(), &times, &[512], [48, 512, 512]);
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "stress::child_that_measures_its_memory", "--nocapture"])
            .env(CHILD, &path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stdout).into_owned();
        let words: Vec<&str> = text.split_whitespace().skip_while(|w| !w.ends_with("grew")).collect();
        assert!(child.status.success() && words.len() > 3, "{text}");
        let (grew, result): (u64, u64) = (words[1].parse().unwrap(), words[3].parse().unwrap());
        assert!(
            grew < result + CACHE + (32 << 20),
            "{} fragments: {grew} bytes for a result of {result}",
            times.len()
        );
        println!("{} fragments: {} MiB beside the result", times.len(), (grew.saturating_sub(result)) >> 20);
    }
}
