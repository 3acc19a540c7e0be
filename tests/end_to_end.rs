//! Random aggregations in every dialect, compared with an oracle that computes each element from its stored number.
//!
//! `CFA_CASES` sets the number of aggregations; a failure names the seed.

use std::path::Path;

use crate::support::scenario::{Place, Scenario};
use crate::support::{cases, indices, offset, Rng};
use cfa::{DataType, Dataset, Kind, Output, Selection, Values, Variable};
use cfa::{MissingFragments, OpenOptions};

fn close(got: f64, want: f64, data_type: DataType) -> bool {
    let allowed = match data_type {
        DataType::F32 => 1e-6,
        DataType::F64 => 1e-12,
        _ => 0.0,
    };
    (got - want).abs() <= allowed * want.abs().max(1.0)
}

fn default_fill(data_type: DataType) -> Option<f64> {
    Some(match data_type {
        DataType::I16 => -32767.0,
        DataType::U16 => 65535.0,
        DataType::I32 => -2147483647.0,
        DataType::U32 => 4294967295.0,
        DataType::I64 => -9223372036854775806i64 as f64,
        DataType::U64 => 18446744073709551614u64 as f64,
        DataType::F32 | DataType::F64 => 9.969209968386869e36,
        _ => return None,
    })
}

/// The value for missing bytes without a missing value; no valid value equals it.
const CHOSEN: i16 = 125;

/// Some hyperslab, with steps of either sign; now and then an empty one.
fn slab(rng: &mut Rng, shape: &[usize]) -> Selection {
    let (mut start, mut count, mut step) = (Vec::new(), Vec::new(), Vec::new());
    for &size in shape {
        let by = 1 + rng.below(3);
        let from = rng.below(size);
        let back = rng.once_in(3);
        let room = if back { from / by + 1 } else { (size - 1 - from) / by + 1 };
        start.push(from as u64);
        count.push(if rng.once_in(30) { 0 } else { 1 + rng.below(room) as u64 });
        step.push(if back { -(by as i64) } else { by as i64 });
    }
    let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
    Selection::new(&start, &count, &step, &shape).unwrap()
}

/// Strides of a buffer with the dimensions in some order, gaps, and some going backward; its length and first element.
fn strides(rng: &mut Rng, count: &[u64]) -> (Vec<i64>, usize, usize) {
    let mut order: Vec<usize> = (0..count.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, rng.below(i + 1));
    }
    let (mut strides, mut first, mut step) = (vec![0i64; count.len()], 0i64, 1 + rng.below(2) as i64);
    for d in order {
        let n = count[d] as i64;
        strides[d] = if rng.once_in(3) { -step } else { step };
        if strides[d] < 0 {
            first += step * (n - 1).max(0);
        }
        step = step * n.max(1) + rng.below(3) as i64;
    }
    (strides, first as usize, step as usize + 1)
}

struct Checked<'a> {
    seed: u64,
    scenario: &'a Scenario,
    shape: Vec<usize>,
    path: &'a Path,
    expected: &'a [(Option<f64>, Place)],
}

impl Checked<'_> {
    /// The expected values of a selection, in C order.
    fn part(&self, selection: &Selection) -> Vec<(Option<f64>, Place)> {
        let count: Vec<usize> = selection.count().iter().map(|&n| n as usize).collect();
        indices(&count)
            .map(|index| {
                let at: Vec<usize> = index
                    .iter()
                    .enumerate()
                    .map(|(d, &i)| (selection.start()[d] as i64 + i as i64 * selection.step()[d]) as usize)
                    .collect();
                self.expected[offset(&at, &self.shape)]
            })
            .collect()
    }

    /// Reads a part in several types: values and validity must be the same in all.
    fn read(&self, rng: &mut Rng, variable: &Variable, selection: &Selection, fill: bool) {
        let want = self.part(selection);
        let own = self.scenario.data_type;
        let other = if own.is_integer() { DataType::I64 } else { DataType::F32 };
        for data_type in [own, other, DataType::F64] {
            self.read_as(rng, data_type, variable, selection, &want, fill);
        }
        if fill || want.iter().all(|w| w.1 != Place::Absent) {
            self.without_mask(variable, selection, &want);
        }
    }

    fn read_as(
        &self,
        rng: &mut Rng,
        data_type: DataType,
        variable: &Variable,
        selection: &Selection,
        want: &[(Option<f64>, Place)],
        fill: bool,
    ) {
        let seed = self.seed;
        let size = data_type.size().unwrap();
        let (strides, first, len) = strides(rng, selection.count());
        let mut buffer = vec![0xAAu8; len * size];
        let mut mask = vec![7u8; want.len()];
        let output = Output {
            first,
            strides: Some(&strides),
            mask: Some(&mut mask),
            ..Output::new(data_type, &mut buffer)
        };
        let result = variable.read_into(selection, output);
        if !fill && want.iter().any(|w| w.1 == Place::Absent) {
            let error = result.expect_err("an absent fragment");
            assert_eq!(error.kind(), Kind::FragmentMissing, "seed {seed}: {error}");
            assert!(error.fragment().is_some() && error.to_string().contains(".nc"), "seed {seed}: {error}");
            return;
        }
        result.unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{:#?}", self.scenario));
        let values = Values::from_native_bytes(data_type, &buffer).unwrap();
        let count: Vec<usize> = selection.count().iter().map(|&n| n as usize).collect();
        let coarse = if data_type == DataType::F32 { data_type } else { self.scenario.data_type };
        for (n, index) in indices(&count).enumerate() {
            let at = index.iter().zip(&strides).fold(first as i64, |at, (&i, &s)| at + i as i64 * s);
            let got = values.f64_at(at as usize).unwrap();
            assert_eq!(
                mask[n] == 1,
                want[n].0.is_some(),
                "seed {seed}: validity of element {index:?} of {selection:?} as {data_type}"
            );
            if let Some(want) = want[n].0 {
                assert!(
                    close(got, want, coarse),
                    "seed {seed}: element {index:?} as {data_type} is {got}, not {want}\n{:#?}",
                    self.scenario
                );
            }
        }
    }

    /// Missing elements are the missing value; a byte has none of its own, unless it is chosen.
    fn without_mask(&self, variable: &Variable, selection: &Selection, want: &[(Option<f64>, Place)]) {
        let seed = self.seed;
        let mark = self.scenario.missing_value().or(default_fill(self.scenario.data_type));
        let result = variable.read_values(selection);
        let (mark, result) = match mark {
            Some(mark) => (mark, result),
            None => {
                assert_eq!(
                    result.is_err(),
                    want.iter().any(|w| w.0.is_none()),
                    "seed {seed}: a byte without mark"
                );
                let chosen = OpenOptions::default()
                    .missing_fragments(MissingFragments::Fill)
                    .missing_bytes(Some(CHOSEN));
                let variable = Dataset::open_with(self.path, &chosen).unwrap().variable("v").unwrap();
                (f64::from(CHOSEN), variable.read_values(selection))
            }
        };
        let values = result.unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        for (n, want) in want.iter().enumerate() {
            let got = values.f64_at(n).unwrap();
            let want = want.0.unwrap_or(mark);
            assert!(
                close(got, want, self.scenario.data_type),
                "seed {seed}: element {n} is {got}, not {want}"
            );
        }
    }
}

#[test]
fn random_aggregations_in_every_dialect_equal_the_oracle() {
    let first: u64 = std::env::var("CFA_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    for seed in first..first + cases(300) {
        let scenario = Scenario::random(seed);
        let folder = tempfile::tempdir().unwrap();
        let path = crate::support::texts::write_all(folder.path(), &scenario);
        let expected = scenario.expected();
        let shape = scenario.shape();
        let checked = Checked { seed, scenario: &scenario, shape, path: &path, expected: &expected };
        let rng = &mut Rng::new(seed ^ 0xabcdef);
        for fill in [false, true] {
            let policy = if fill { MissingFragments::Fill } else { MissingFragments::Error };
            let options = OpenOptions::default()
                .missing_fragments(policy)
                .num_threads(rng.pick(&[0, 1, 7]))
                .cache_bytes(rng.pick(&[0, 2000, 64 << 20]))
                .max_open_files(rng.pick(&[1, 100]));
            let dataset = Dataset::open_with(&path, &options).unwrap();
            let variable = dataset.variable("v").unwrap();
            let shape: Vec<u64> = checked.shape.iter().map(|&n| n as u64).collect();
            let found = variable.shape().unwrap_or_else(|e| panic!("seed {seed}: {e:?}\n{scenario:#?}"));
            assert_eq!(found, shape, "seed {seed}");
            assert_eq!(variable.data_type(), scenario.data_type, "seed {seed}");
            assert!(variable.aggregation().unwrap().is_some());
            checked.read(rng, &variable, &Selection::all(&shape), fill);
            for _ in 0..4 {
                let selection = slab(rng, &checked.shape);
                checked.read(rng, &variable, &selection, fill);
            }
        }
    }
}
