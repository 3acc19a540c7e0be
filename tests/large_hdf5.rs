//! Harmless files of any size can be read in spite of the limits against hostile ones: all values equal those that
//! libhdf5 wrote (`make_large_hdf5.py`).

use std::path::Path;
use std::process::Command;

use cfa::{Attributes, Dataset, Selection, Values};

/// Checks all variables of a file; returns how many variables, attributes and elements it has.
fn check(path: &Path) -> (usize, usize, usize) {
    let dataset = Dataset::open(path).unwrap();
    assert_eq!(dataset.warnings(), Vec::<String>::new(), "{}", path.display());
    assert!(Dataset::identify(path).unwrap().is_none());
    let variables = dataset.variables();
    let (mut attributes, mut elements) = (0, 0);
    for variable in &variables {
        let name = format!("{} {}", path.display(), variable.path());
        let values = variable
            .read_values(&Selection::all(variable.shape().unwrap()))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        elements += values.len();
        match values {
            Values::I32(numbers) => {
                assert!(numbers.iter().enumerate().all(|(i, &n)| n == i as i32), "{name}")
            }
            Values::String(texts) => {
                assert!(texts.iter().enumerate().all(|(i, t)| *t == format!("string {i}")), "{name}")
            }
            other => panic!("{name}: {:?}", other.data_type()),
        }
        attributes += check_attributes(variable.attributes(), &name);
    }
    (variables.len(), attributes, elements)
}

fn check_attributes(attributes: &Attributes, name: &str) -> usize {
    for attribute in attributes.iter() {
        let number: usize = attribute.name[1..].parse().unwrap();
        let expected = match attribute.name.as_bytes()[0] {
            b'a' => Values::I32(vec![number as i32]),
            _ => Values::Char(vec![b't'; number]),
        };
        assert!(attribute.value == expected, "{name}: {}", attribute.name);
    }
    attributes.iter().count()
}

/// Reads random parts, a few of each open file, so that indexes are read in every order: never, in part, as a whole.
fn check_parts(path: &Path, random: &mut impl FnMut(u64) -> u64) {
    for _ in 0..12 {
        let dataset = Dataset::open(path).unwrap();
        for variable in dataset.variables() {
            for _ in 0..1 + random(6) {
                let shape = variable.shape().unwrap().to_vec();
                let (mut start, mut count, mut step) = (Vec::new(), Vec::new(), Vec::new());
                for &size in &shape {
                    let first = random(size);
                    let back = random(3) == 0;
                    let room = if back { first } else { size - 1 - first };
                    let by = 1 + [0, random(3), random(size)][random(3) as usize];
                    start.push(first);
                    step.push(if back { -(by as i64) } else { by as i64 });
                    let most = [1, 5, 400][random(3) as usize];
                    count.push(1 + random((room / by + 1).min(most)));
                }
                let selection = Selection::new(&start, &count, &step, &shape).unwrap();
                let Values::I32(got) = variable.read_values(&selection).unwrap() else { panic!() };
                let mut at = vec![0; shape.len()];
                for number in got {
                    let index = |d: usize| start[d] as i64 + at[d] as i64 * step[d];
                    let expected = (0..shape.len()).fold(0, |n, d| n * shape[d] as i64 + index(d));
                    assert_eq!(i64::from(number), expected, "{} {selection:?}", variable.path());
                    for d in (0..shape.len()).rev() {
                        at[d] += 1;
                        if at[d] < count[d] {
                            break;
                        }
                        at[d] = 0;
                    }
                }
            }
        }
    }
}

#[test]
fn what_libhdf5_wrote_is_read_however_much_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/make_large_hdf5.py");
    let status = Command::new("/usr/bin/python3").arg(script).arg(folder.path()).status().unwrap();
    assert!(status.success(), "python3-h5py is needed (make deps)");
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for version in ["earliest", "latest"] {
        check_parts(&folder.path().join(format!("chunks_{version}.nc")), &mut random);
    }
    for version in ["earliest", "latest"] {
        let found = |name: &str| check(&folder.path().join(format!("{name}_{version}.nc")));
        assert_eq!(found("chunks"), (6, 0, 485_000));
        let long = if version == "latest" { 6 } else { 4 };
        assert_eq!(found("objects"), (17_002, 5000 + long, 17_010));
        assert_eq!(found("strings"), (2, 0, 1_100_000));
    }
    for seed in 0..40 {
        let (variables, ..) = check(&folder.path().join(format!("random_{seed}.nc")));
        assert!(variables > 0);
    }
}
