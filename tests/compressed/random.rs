//! Random ragged arrays of every kind, type and format against an oracle that expands them in memory.

use std::path::Path;

use cfa::OpenOptions;
use cfa::{DataType, Dataset, Output, Selection, Values, Variable};

use super::{slab, write_aggregation};
use crate::support::{cases, indices, numbers, offset, write, Data, FileSpec, Format, Rng, Var, TYPES};

const FILL: f64 = 99.0;

/// What all fragments of an aggregation have in common.
#[derive(Debug)]
struct Common {
    data_type: DataType,
    /// Whether there are profiles between instances and samples.
    profiles: bool,
    /// Sizes of dimensions before and after the ragged ones.
    before: Vec<usize>,
    after: Vec<usize>,
}

/// An expanded array: its shape, and its elements in C order.
struct Array {
    shape: Vec<usize>,
    values: Vec<Option<u8>>,
}

/// Writes a fragment of this shape (of the ragged dimensions) in some form; returns the array that it represents.
fn write_fragment(rng: &mut Rng, path: &Path, common: &Common, ragged: &[usize]) -> Array {
    let (rows, longest) = (ragged[..ragged.len() - 1].iter().product::<usize>(), ragged[ragged.len() - 1]);
    let (instances, per_instance) = (ragged[0], rows / ragged[0]);
    // How many profiles each instance has, and how long each row is.
    let used: Vec<usize> =
        (0..instances).map(|_| if common.profiles { rng.below(per_instance + 1) } else { 1 }).collect();
    let mut lengths = vec![0; rows];
    for (instance, &used) in used.iter().enumerate() {
        for length in &mut lengths[instance * per_instance..][..used] {
            *length = rng.below(longest + 1);
        }
    }
    let used = if lengths.iter().sum::<usize>() == 0 {
        // An array without any sample needs an unlimited dimension.
        lengths[0] = 1;
        std::iter::once(used[0].max(1)).chain(used[1..].iter().copied()).collect()
    } else {
        used
    };
    // The rows that are stored, in the order of storing.
    let mut stored: Vec<usize> = (0..instances)
        .flat_map(|instance| (0..used[instance]).map(move |p| instance * per_instance + p))
        .collect();
    let indexed = !common.profiles && rng.once_in(2);
    if common.profiles {
        // Profiles of an instance stay in order; those of different instances are mixed.
        stored.sort_by_key(|row| row % per_instance);
    }
    // Which row each sample belongs to.
    let mut owners: Vec<usize> = stored.iter().flat_map(|&row| vec![row; lengths[row]]).collect();
    if indexed {
        for i in (1..owners.len()).rev() {
            owners.swap(i, rng.below(i + 1));
        }
    }
    let mut next = vec![0; rows];
    let places: Vec<(usize, usize)> = owners
        .iter()
        .map(|&row| {
            next[row] += 1;
            (row, next[row] - 1)
        })
        .collect();

    let (before, after) = (common.before.iter().product::<usize>(), common.after.iter().product::<usize>());
    let mut shape = common.before.clone();
    shape.extend(ragged);
    shape.extend(&common.after);
    let mut expanded = Array { values: vec![None; shape.iter().product()], shape };
    let mut flat: Vec<u8> = Vec::new();
    for b in 0..before {
        for &(row, sample) in &places {
            for a in 0..after {
                let value = if rng.once_in(8) { FILL as u8 } else { 1 + rng.below(70) as u8 };
                flat.push(value);
                let at = ((b * rows + row) * longest + sample) * after + a;
                expanded.values[at] = (value != FILL as u8).then_some(value);
            }
        }
    }

    let format = rng.pick(&[Format::Nc4, Format::Nc4, Format::Cdf1, Format::Cdf5]);
    let format = match common.data_type {
        // Written as chars with a length.
        DataType::String => format,
        DataType::Char => Format::Nc4,
        other if format.has(other) => format,
        _ => Format::Nc4,
    };
    let mut dims: Vec<(String, usize)> = Vec::new();
    dims.extend(common.before.iter().enumerate().map(|(d, &n)| (format!("b{d}"), n)));
    dims.push(("obs".into(), owners.len()));
    dims.extend(common.after.iter().enumerate().map(|(d, &n)| (format!("a{d}"), n)));
    let borrowed: Vec<(&str, usize)> = dims.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let data = match common.data_type {
        DataType::String => Data::Texts(
            flat.iter().map(|&v| if v == FILL as u8 { String::new() } else { format!("t{v}") }).collect(),
        ),
        DataType::Char => {
            let width = *common.after.last().unwrap();
            let text = |field: &[u8]| {
                field.iter().map(|&v| char::from(v.min(98) + 28 * u8::from(v == FILL as u8))).collect()
            };
            Data::Texts(flat.chunks(width).map(text).collect())
        }
        _ => Data::Numbers(flat.iter().map(|&v| f64::from(v)).collect()),
    };
    let mut v = Var::new("v", common.data_type, &borrowed, data);
    if common.data_type.is_number() {
        v = v.with("_FillValue", numbers(common.data_type, &[FILL]));
    }
    if common.data_type == DataType::Char {
        v = v.with("_FillValue", "~");
    }
    if rng.once_in(2) && common.data_type != DataType::String {
        v.chunks = Some(dims.iter().map(|&(_, n)| 1 + rng.below(n)).collect());
    }
    let whole = rng.pick(&[DataType::I8, DataType::I16, DataType::I32, DataType::F64]);
    let integers = |name: &str, dim: &str, list: Vec<usize>| {
        Var::new(name, whole, &[(dim, list.len())], Data::Numbers(list.iter().map(|&n| n as f64).collect()))
    };
    let mut vars = vec![v];
    let lengths_of = |rows: &[usize]| rows.iter().map(|&row| lengths[row]).collect();
    match (common.profiles, indexed) {
        (true, _) => {
            let of: Vec<usize> = stored.iter().map(|&row| row / per_instance).collect();
            vars.push(integers("row_size", "profile", lengths_of(&stored)).with("sample_dimension", "obs"));
            vars.push(integers("parent", "profile", of).with("instance_dimension", "station"));
        }
        (false, false) => {
            vars.push(integers("row_size", "station", lengths_of(&stored)).with("sample_dimension", "obs"));
        }
        (false, true) => vars.push(integers("parent", "obs", owners).with("instance_dimension", "station")),
    }
    vars.rotate_left(rng.below(2));
    write(path, &FileSpec { format, dims: vec![("station".into(), instances)], vars });
    expanded
}

/// The aggregated data, put together from the fragments.
fn put_together(grid: &[Vec<usize>], fragments: &[Array]) -> Array {
    let shape: Vec<usize> = grid.iter().map(|sizes| sizes.iter().sum()).collect();
    let counts: Vec<usize> = grid.iter().map(Vec::len).collect();
    let mut values = vec![None; shape.iter().product()];
    for (cell, fragment) in indices(&counts).zip(fragments) {
        let begin: Vec<usize> = cell.iter().zip(grid).map(|(&i, sizes)| sizes[..i].iter().sum()).collect();
        for (index, value) in indices(&fragment.shape).zip(&fragment.values) {
            let at: Vec<usize> = index.iter().zip(&begin).map(|(i, b)| i + b).collect();
            values[offset(&at, &shape)] = *value;
        }
    }
    Array { shape, values }
}

fn check(variable: &Variable, selection: &Selection, data_type: DataType, whole: &Array, seed: u64) {
    let count: Vec<usize> = selection.count().iter().map(|&n| n as usize).collect();
    let wanted: Vec<Option<u8>> = indices(&count)
        .map(|index| {
            let along = |d: usize| selection.start()[d] as i64 + index[d] as i64 * selection.step()[d];
            let at: Vec<usize> = (0..count.len()).map(|d| along(d) as usize).collect();
            whole.values[offset(&at, &whole.shape)]
        })
        .collect();
    if data_type == DataType::String {
        let texts: Vec<Option<String>> = wanted.iter().map(|v| v.map(|v| format!("t{v}"))).collect();
        assert_eq!(variable.read_strings(selection).unwrap(), texts, "seed {seed}: {selection:?}");
        return;
    }
    let (mut bytes, mut mask) = (vec![0xAA; wanted.len() * data_type.size().unwrap()], vec![7; wanted.len()]);
    let output = Output { mask: Some(&mut mask), ..Output::new(data_type, &mut bytes) };
    variable.read_into(selection, output).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    let valid: Vec<u8> = wanted.iter().map(|v| u8::from(v.is_some())).collect();
    assert_eq!(mask, valid, "seed {seed}: {selection:?}");
    let number = |values: &Values, i: usize| match values {
        Values::Char(bytes) => f64::from(bytes[i]),
        values => values.f64_at(i).unwrap(),
    };
    let values = Values::from_native_bytes(data_type, &bytes).unwrap();
    let filled = variable.read_values(selection).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    for (i, value) in wanted.iter().enumerate() {
        let value = value.map_or(if data_type == DataType::Char { 126.0 } else { 77.0 }, f64::from);
        assert_eq!(number(&values, i), value, "seed {seed}: {i} of {selection:?}");
        if data_type == variable.data_type() {
            assert_eq!(number(&filled, i), value, "seed {seed}: {i} of {selection:?}");
        }
    }
}

#[test]
fn random_ragged_arrays_give_what_an_oracle_gives() {
    for seed in 0..cases(120) {
        let rng = &mut Rng::new(seed);
        let sizes = |rng: &mut Rng, most: usize| -> Vec<usize> {
            (0..1 + rng.below(most)).map(|_| 1 + rng.below(4)).collect()
        };
        let data_type = rng.pick(&TYPES);
        let profiles = rng.once_in(3);
        let mut after: Vec<usize> = if rng.once_in(3) { vec![1 + rng.below(3)] } else { vec![] };
        if data_type == DataType::Char {
            after.push(1 + rng.below(4));
        }
        let before = if rng.once_in(4) { vec![1 + rng.below(2)] } else { vec![] };
        let common = Common { data_type, profiles, before, after };
        let mut grid: Vec<Vec<usize>> = common.before.iter().map(|&n| vec![n]).collect();
        let ragged = grid.len()..grid.len() + 2 + usize::from(profiles);
        grid.push(sizes(rng, 3));
        if profiles {
            grid.push(vec![1 + rng.below(4)]);
        }
        grid.push(sizes(rng, 2));
        grid.extend(common.after.iter().map(|&n| vec![n]));

        let folder = tempfile::tempdir().unwrap();
        let counts: Vec<usize> = grid.iter().map(Vec::len).collect();
        let mut names = Vec::new();
        let mut fragments = Vec::new();
        for (n, cell) in indices(&counts).enumerate() {
            let shape: Vec<usize> = ragged.clone().map(|d| grid[d][cell[d]]).collect();
            names.push(format!("f{n}.nc"));
            fragments.push(write_fragment(rng, &folder.path().join(&names[n]), &common, &shape));
        }
        let whole = put_together(&grid, &fragments);
        let path = folder.path().join("agg.nc");
        let dims: Vec<String> = (0..grid.len()).map(|d| format!("d{d}")).collect();
        let dims: Vec<(&str, &[usize])> =
            dims.iter().map(String::as_str).zip(grid.iter().map(Vec::as_slice)).collect();
        let mut v = Var::new("v", data_type, &[], Data::None);
        v = match data_type {
            DataType::String => v,
            DataType::Char => v.with("_FillValue", "~"),
            _ => v.with("_FillValue", numbers(data_type, &[77.0])),
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        write_aggregation(&path, v, &dims, &names);
        let options =
            OpenOptions::default().num_threads(1 + rng.below(2)).cache_bytes(rng.pick(&[0, 1 << 20]));
        let variable = Dataset::open_with(&path, &options).unwrap().variable("v").unwrap();
        let shape: Vec<u64> = whole.shape.iter().map(|&n| n as u64).collect();
        let mut selections = vec![Selection::all(&shape)];
        selections.extend((0..4).map(|_| slab(rng, &whole.shape)));
        for selection in selections {
            check(&variable, &selection, data_type, &whole, seed);
            if data_type.is_number() {
                check(&variable, &selection, DataType::F64, &whole, seed);
            }
        }
    }
}
