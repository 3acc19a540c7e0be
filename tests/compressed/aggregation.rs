//! Aggregation files over fragments that the tests write.

use std::path::Path;

use cfa::{DataType, Dataset, Selection, Values};

use crate::support::{write, Data, FileSpec, Format, Rng, Var};

/// An aggregated dimension: its name, and the sizes of the fragments along it.
pub type Dimension<'a> = (&'a str, &'a [usize]);

/// Writes a CF-1.13 aggregation of `variable`, whose fragments have the same name in these files, in C order.
pub fn write_aggregation(path: &Path, variable: Var, dimensions: &[Dimension<'_>], files: &[&str]) {
    let identifier = variable.name.clone();
    write_aggregation_of(path, variable, &identifier, dimensions, files);
}

/// As [`write_aggregation`], of fragments with this identifier.
pub fn write_aggregation_of(
    path: &Path,
    variable: Var,
    identifier: &str,
    dimensions: &[Dimension<'_>],
    files: &[&str],
) {
    let width = dimensions.iter().map(|(_, sizes)| sizes.len()).max().unwrap_or(1);
    let pad = |sizes: &[usize]| -> Vec<f64> {
        let sizes = sizes.iter().map(|&n| n as f64);
        sizes.chain(std::iter::repeat(-1.0)).take(width).collect()
    };
    let map: Vec<f64> = dimensions.iter().flat_map(|(_, sizes)| pad(sizes)).collect();
    let grid: Vec<(String, usize)> =
        dimensions.iter().enumerate().map(|(d, (_, sizes))| (format!("f{d}"), sizes.len())).collect();
    let grid: Vec<(&str, usize)> = grid.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let names: Vec<&str> = dimensions.iter().map(|(name, _)| *name).collect();
    let uris = files.iter().map(|&name| name.to_owned()).collect();
    let vars = vec![
        variable.with("aggregated_dimensions", names.join(" ")).with(
            "aggregated_data",
            "map: fragment_map uris: fragment_uris identifiers: fragment_identifiers",
        ),
        Var::new(
            "fragment_map",
            DataType::I32,
            &[("map_rows", dimensions.len()), ("width", width)],
            Data::Numbers(map),
        )
        .with("_FillValue", -1i32),
        Var::new("fragment_uris", DataType::String, &grid, Data::Texts(uris)),
        Var::new("fragment_identifiers", DataType::String, &[], Data::Texts(vec![identifier.to_owned()])),
    ];
    let dims = dimensions.iter().map(|(name, sizes)| ((*name).to_owned(), sizes.iter().sum())).collect();
    write(path, &FileSpec { format: Format::Nc4, dims, vars });
}

/// All values of a variable of a file.
pub fn all(path: &Path, name: &str) -> cfa::Result<Values> {
    let variable = Dataset::open(path)?.variable(name)?;
    variable.read_values(&Selection::all(variable.shape()?))
}

/// Some hyperslab, with steps of either sign; now and then an empty one.
pub fn slab(rng: &mut Rng, shape: &[usize]) -> Selection {
    let (mut start, mut count, mut step) = (Vec::new(), Vec::new(), Vec::new());
    for &size in shape {
        let (by, from, back) = (1 + rng.below(3), rng.below(size), rng.once_in(3));
        let room = if back { from / by + 1 } else { (size - 1 - from) / by + 1 };
        start.push(from as u64);
        count.push(if rng.once_in(30) { 0 } else { 1 + rng.below(room) as u64 });
        step.push(if back { -(by as i64) } else { by as i64 });
    }
    let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
    Selection::new(&start, &count, &step, &shape).unwrap()
}

/// The missing value of [`aggregated`].
pub const N: f32 = -9.0;

/// An aggregation variable of floats.
pub fn aggregated(name: &str) -> Var {
    Var::new(name, DataType::F32, &[], Data::None).with("_FillValue", N)
}
