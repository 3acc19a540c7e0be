//! One-dimensional aggregations of a few fragments, written in CF-1.13.

use std::path::{Path, PathBuf};

use cfa::DataType;

use super::{write, Data, FileSpec, Format, Var};

/// Attributes of an aggregation variable `v` over these fragments, and the variables that define it.
pub fn define(v: Var, fragments: &[(&str, &str, usize)]) -> Vec<Var> {
    let n = fragments.len();
    let texts = |list: Vec<&str>| Data::Texts(list.into_iter().map(Into::into).collect());
    let v = v
        .with("aggregated_dimensions", "x")
        .with("aggregated_data", "map: map uris: uris identifiers: identifiers");
    let sizes = fragments.iter().map(|f| f.2 as f64).collect();
    vec![
        v,
        Var::new("map", DataType::I32, &[("j", 1), ("f", n)], Data::Numbers(sizes)),
        Var::new("uris", DataType::String, &[("f", n)], texts(fragments.iter().map(|f| f.0).collect())),
        Var::new(
            "identifiers",
            DataType::String,
            &[("f", n)],
            texts(fragments.iter().map(|f| f.1).collect()),
        ),
    ]
}

/// Writes the aggregation file `name` with an aggregation variable over these fragments: file, variable, size.
pub fn aggregate(folder: &Path, name: &str, v: Var, fragments: &[(&str, &str, usize)]) -> PathBuf {
    let path = folder.join(name);
    let size = fragments.iter().map(|f| f.2).sum();
    let dims = vec![("x".to_owned(), size)];
    write(&path, &FileSpec { format: Format::Nc4, dims, vars: define(v, fragments) });
    path
}

/// Writes a file with one variable along the dimension `x`, which is as long as the data.
pub fn plain(folder: &Path, name: &str, mut v: Var) -> PathBuf {
    let size = match &v.data {
        Data::Numbers(list) => list.len(),
        Data::Texts(list) => list.len(),
        Data::None => 0,
    };
    v.dims = vec![("x".to_owned(), size)];
    let path = folder.join(name);
    write(&path, &FileSpec { format: Format::Nc4, dims: Vec::new(), vars: vec![v] });
    path
}
