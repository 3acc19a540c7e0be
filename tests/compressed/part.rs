//! `part` of CFA-0.4: slices and lists of indices, for each stored axis separately.

use std::path::Path;

use cfa::{DataType, Dataset, Selection, Values};

use super::{all, slab};
use crate::support::{cases, indices, offset, write, Data, FileSpec, Format, Rng, Var};

/// Writes an aggregation of one partition.
fn write_part(path: &Path, shape: &[usize], partition: &str) {
    let names: Vec<String> = (0..shape.len()).map(|d| format!("d{d}")).collect();
    let ends: Vec<String> = shape.iter().map(|n| format!("[0, {}]", n - 1)).collect();
    let json = format!(
        r#"{{"Partitions": [{{"location": [{}], "subarray": {{"file": "a.nc", "ncvar": "v"}}, {partition}}}]}}"#,
        ends.join(", ")
    );
    let v = Var::new("v", DataType::I32, &[], Data::None)
        .with("cf_role", "cfa_variable")
        .with("cfa_dimensions", names.join(" "))
        .with("cfa_array", json);
    let dims = names.into_iter().zip(shape.iter().copied()).collect();
    write(path, &FileSpec { format: Format::Nc4, dims, vars: vec![v] });
}

fn write_stored(path: &Path, shape: &[usize], chunks: Option<Vec<usize>>) {
    let dims: Vec<(String, usize)> = shape.iter().enumerate().map(|(d, &n)| (format!("s{d}"), n)).collect();
    let dims: Vec<(&str, usize)> = dims.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let values = (0..shape.iter().product::<usize>()).map(|n| n as f64).collect();
    let mut v = Var::new("v", DataType::I32, &dims, Data::Numbers(values));
    v.chunks = chunks;
    write(path, &FileSpec { format: Format::Nc4, dims: vec![], vars: vec![v] });
}

#[test]
fn lists_of_several_axes_are_applied_to_each_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    write_stored(&folder.path().join("a.nc"), &[4, 3, 5], None);
    write_part(&path, &[2, 2, 3], r#""part": "[(3, 1), [0, 2, 2], (4, 0, 3)]""#);
    let wanted = vec![49, 45, 48, 59, 55, 58, 19, 15, 18, 29, 25, 28];
    assert_eq!(all(&path, "v").unwrap(), Values::I32(wanted));
}

#[test]
fn a_list_that_reaches_outside_the_stored_array_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agg.nc");
    write_stored(&folder.path().join("a.nc"), &[4, 5], None);
    write_part(&path, &[2, 2], r#""part": "[(3, 1), (0, 5)]""#);
    let error = all(&path, "v").unwrap_err();
    assert_eq!(error.kind(), cfa::Kind::FragmentShape, "{error}");
    assert!(error.to_string().contains("a.nc") && error.to_string().contains('5'), "{error}");
}

#[test]
fn random_parts_give_what_an_oracle_gives() {
    for seed in 0..cases(60) {
        let rng = &mut Rng::new(seed);
        let rank = 1 + rng.below(3);
        let stored: Vec<usize> = (0..rank).map(|_| 1 + rng.below(7)).collect();
        // The stored index of each index of the part, and how the attribute writes it.
        let mut picks: Vec<Vec<usize>> = Vec::new();
        let mut written = Vec::new();
        for &n in &stored {
            if rng.once_in(3) {
                let (from, by) = (rng.below(n), 1 + rng.below(2));
                let count = 1 + rng.below((n - 1 - from) / by + 1);
                picks.push((0..count).map(|i| from + i * by).collect());
                written.push(format!("[{from}, {}, {by}]", from + (count - 1) * by));
            } else {
                let list: Vec<usize> = (0..1 + rng.below(9)).map(|_| rng.below(n)).collect();
                let texts: Vec<String> = list.iter().map(usize::to_string).collect();
                written.push(format!("({}{})", texts.join(", "), if list.len() == 1 { "," } else { "" }));
                picks.push(list);
            }
        }
        // The order of the stored axes, and which are reversed.
        let mut order: Vec<usize> = (0..rank).collect();
        for i in (1..rank).rev() {
            order.swap(i, rng.below(i + 1));
        }
        let reversed: Vec<usize> = (0..rank).filter(|_| rng.once_in(3)).collect();
        let mut shape = vec![0; rank];
        for (axis, &d) in order.iter().enumerate() {
            shape[d] = picks[axis].len();
        }
        let named = |list: &[usize]| list.iter().map(|d| format!(r#""d{d}""#)).collect::<Vec<_>>().join(", ");
        let partition = format!(
            r#""pdimensions": [{}], "reverse": [{}], "part": "[{}]""#,
            named(&order),
            named(&reversed),
            written.join(", ")
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agg.nc");
        let chunks = rng.once_in(2).then(|| stored.iter().map(|&n| 1 + rng.below(n)).collect());
        write_stored(&folder.path().join("a.nc"), &stored, chunks);
        write_part(&path, &shape, &partition);
        let variable = Dataset::open(&path).unwrap().variable("v").unwrap();
        let value = |at: &[usize]| {
            let mut from = vec![0; rank];
            for (axis, &d) in order.iter().enumerate() {
                let i = if reversed.contains(&d) { shape[d] - 1 - at[d] } else { at[d] };
                from[axis] = picks[axis][i];
            }
            offset(&from, &stored) as i32
        };
        let whole: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
        for selection in [Selection::all(&whole), slab(rng, &shape), slab(rng, &shape)] {
            let count: Vec<usize> = selection.count().iter().map(|&n| n as usize).collect();
            let at = |index: &[usize]| -> Vec<usize> {
                let along = |d: usize| selection.start()[d] as i64 + index[d] as i64 * selection.step()[d];
                (0..rank).map(|d| along(d) as usize).collect()
            };
            let wanted: Vec<i32> = indices(&count).map(|index| value(&at(&index))).collect();
            let got = variable.read_values(&selection).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(got, Values::I32(wanted), "seed {seed}: {partition} {selection:?}");
        }
    }
}
