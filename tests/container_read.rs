//! Damaged classic files: mutants are read or refused, without panic and within a bound of memory and time.
//!
//! `CFA_MUTANTS` sets the number of mutants, `CFA_SEEDS` names a folder of further classic files to mutate.

use std::sync::Arc;
use std::time::Duration;

use cfa::internals::container::Container;
use cfa::{DataType, Dataset, Kind, OpenOptions, Output, Result, Selection, Source};

use crate::support::allocations::{largest_during, most_during};
use crate::support::processor;

struct Memory(Arc<Vec<u8>>);

impl Source for Memory {
    fn name(&self) -> &str {
        "mutant.nc"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let start = usize::try_from(offset).unwrap();
        buffer.copy_from_slice(&self.0[start..start + buffer.len()]);
        Ok(())
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// One file per format: record and fixed variables of several types, with attributes.
fn seeds() -> Vec<Vec<u8>> {
    use netcdf::Options;
    let folder = tempfile::tempdir().unwrap();
    let formats = [Options::empty(), Options::_64BIT_OFFSET, Options::_64BIT_DATA];
    let mut seeds: Vec<Vec<u8>> = formats
        .into_iter()
        .map(|options| {
            let path = folder.path().join("seed.nc");
            let mut file = netcdf::create_with(&path, options).unwrap();
            file.add_unlimited_dimension("time").unwrap();
            file.add_dimension("lat", 3).unwrap();
            file.add_attribute("Conventions", "CF-1.13").unwrap();
            file.add_variable::<f32>("tas", &["time", "lat"]).unwrap().put_attribute("units", "K").unwrap();
            file.add_variable::<i16>("count", &["time"]).unwrap().put_attribute("_FillValue", -1i16).unwrap();
            file.add_variable::<f64>("lat", &["lat"]).unwrap();
            file.enddef().unwrap();
            file.variable_mut("tas").unwrap().put_values(&[1.5f32; 12], ([0, 0], [4, 3])).unwrap();
            file.variable_mut("lat").unwrap().put_values(&[1f64, 2., 3.], ..).unwrap();
            file.close().unwrap();
            std::fs::read(&path).unwrap()
        })
        .collect();
    if let Some(folder) = std::env::var_os("CFA_SEEDS") {
        let files =
            std::fs::read_dir(folder).unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        seeds.extend(files.filter(|bytes| bytes.starts_with(b"CDF")));
    }
    seeds
}

fn mutant(random: &mut Random, seed: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    // Most of the damage goes where the header is.
    let near = bytes.len().min(600);
    for _ in 0..1 + random.below(4) {
        let at = if random.below(4) == 0 { random.below(bytes.len()) } else { random.below(near) };
        match random.below(5) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = 0xff,
            2 => bytes[at] = random.below(256) as u8,
            3 => {
                let word = at / 4 * 4;
                let end = bytes.len().min(word + 4);
                bytes[word..end].fill([0, 0x7f, 0xff][random.below(3)]);
            }
            _ => {
                let (from, to) = (random.below(bytes.len()), at);
                let len = random.below(12).min(bytes.len() - from.max(to));
                bytes.copy_within(from..from + len, to);
            }
        }
    }
    if random.below(3) == 0 {
        bytes.truncate(1 + random.below(bytes.len()));
    }
    bytes
}

fn read_everything(bytes: &Arc<Vec<u8>>) -> Result<()> {
    let file = Container::open(Arc::new(Memory(Arc::clone(bytes))))?;
    for variable in &file.tree()?.variables {
        file.variable(&variable.path)?;
        // An error of one variable leaves the others readable.
        if let Err(error) = file.read_values(&variable.array, &Selection::all(&variable.array.shape)) {
            assert!(matches!(error.kind(), Kind::Damaged), "{error}");
        }
    }
    Ok(())
}

#[test]
fn mutants_are_read_or_refused_within_bounds() {
    let count: usize = std::env::var("CFA_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let seeds = seeds();
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut refused = 0;
    for i in 0..count {
        let bytes = Arc::new(mutant(&mut random, &seeds[i % seeds.len()]));
        let began = processor::time();
        let (outcome, peak) = most_during(|| read_everything(&bytes));
        if let Err(error) = outcome {
            assert!(
                matches!(error.kind(), Kind::Damaged | Kind::NotNetcdf | Kind::Unsupported),
                "mutant {i}: {error}"
            );
            refused += 1;
        }
        assert!(peak < (1 << 20) + 40 * bytes.len(), "mutant {i} of {} bytes took {peak} bytes", bytes.len());
        let took = processor::time() - began;
        assert!(took < Duration::from_secs(5), "mutant {i} took {took:?}");
    }
    assert!(refused > count / 4 && refused < count, "{refused} of {count} were refused");
}

#[test]
fn reads_through_fresh_handles_reuse_the_memory_for_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("chunk.nc");
    let values: Vec<f32> = (0..1 << 18).map(|i| (i as f32).sin()).collect();
    let mut file = netcdf::create(&path).unwrap();
    file.add_dimension("x", values.len()).unwrap();
    let mut x = file.add_variable::<f32>("x", &["x"]).unwrap();
    x.set_chunking(&[values.len()]).unwrap();
    x.set_compression(1, true).unwrap();
    x.put_values(&values, ..).unwrap();
    drop(file);
    let mut out = vec![0; 4 * values.len()];
    let mut read = || {
        let dataset = Dataset::open_with(&path, &OpenOptions::default().num_threads(1)).unwrap();
        let all = Selection::block(&[0], &[values.len() as u64], &[values.len() as u64]).unwrap();
        dataset.variable("x").unwrap().read_into(&all, Output::new(DataType::F32, &mut out)).unwrap();
    };
    // Other tests use what is kept, too.
    let largest = (0..20).map(|_| largest_during(&mut read).1).min().unwrap();
    assert!(largest < 1 << 17, "a request for {largest} bytes");
    assert_eq!(out, values.iter().flat_map(|v| v.to_ne_bytes()).collect::<Vec<u8>>());
}
