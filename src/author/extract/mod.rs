//! Materialises aggregated data: one plain netCDF-4 file with the values, coordinates and whatever else they refer to.
//!
//! Values are those that a read returns, in the variable's own type; a packed aggregation variable stays packed. Data
//! go from readers to the writer in blocks, so that memory does not grow with the data: several threads read, convert
//! and compress while one writes. The new file gets its name after everything is written.
//!
//! ```no_run
//! use cfa::extract::{extract, Options};
//!
//! let options = Options { variables: vec!["tas".into()], ..Options::default() };
//! extract(&cfa::Dataset::open("year.nc")?, "plain.nc".as_ref(), &options)?;
//! # Ok::<(), cfa::Error>(())
//! ```

mod cuts;
mod longitudes;
mod pipeline;
mod related;
mod shape;

use std::path::Path;

use crate::author::out::Out;
use crate::author::write::{self, Format, NewFile};
use crate::container::tree::{DimensionId, Tree, VariableId};
use crate::dataset::select::{Parts, Range};
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::Result;
use crate::threads::progress::Listener;
pub use cuts::cuts;
use shape::Outline;

/// A part of one dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// The dimension.
    pub dimension: DimensionId,
    /// The first index.
    pub start: u64,
    /// The number of indices.
    pub count: u64,
    /// The distance between them.
    pub step: i64,
    /// What is added to the coordinates there and their bounds: 0, or a multiple of 360 for longitudes.
    pub shift: f64,
}

/// What to extract, and how to store it.
#[derive(Clone)]
pub struct Options<'a> {
    /// The variables (`tas`, `/group/tas`), extracted with everything that they refer to; none means the whole file.
    pub variables: Vec<String>,
    /// The parts of dimensions; several of one dimension are joined in their order. Other dimensions are extracted
    /// whole.
    pub cuts: Vec<Cut>,
    /// The shape of a chunk, for variables of that rank; `None` chooses one.
    pub chunks: Option<Vec<u64>>,
    /// The level of compression, 0 (none) to 9.
    pub deflate: u8,
    /// Whether bytes are shuffled before compression.
    pub shuffle: bool,
    /// Whether an existing file is replaced; never one that is read.
    pub overwrite: bool,
    /// Called with the number of values written so far and in total.
    pub progress: Option<&'a Listener<'a>>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            variables: Vec::new(),
            cuts: Vec::new(),
            chunks: None,
            deflate: 1,
            shuffle: true,
            overwrite: false,
            progress: None,
        }
    }
}

impl Options<'_> {
    /// Returns the part of a variable to extract.
    ///
    /// # Errors
    /// `Request` if a cut reaches outside; the errors of decoding the aggregation.
    fn parts(&self, variable: &Variable) -> Result<Parts> {
        let whole = |count: u64| vec![Range { start: 0, count, step: 1, shift: 0.0 }];
        let along = |(id, &size): (&DimensionId, &u64)| {
            let cuts = self.cuts.iter().filter(|cut| cut.dimension == *id);
            let range =
                |cut: &Cut| Range { start: cut.start, count: cut.count, step: cut.step, shift: cut.shift };
            let ranges: Vec<Range> = cuts.map(range).collect();
            if ranges.is_empty() {
                whole(size)
            } else {
                ranges
            }
        };
        let shape = variable.shape()?;
        let parts = Parts::new(variable.dimensions()?.iter().zip(shape).map(along).collect());
        parts.check(shape).map_err(|e| e.in_variable(variable.path()))?;
        Ok(parts)
    }
}

/// A variable that is being extracted.
struct Item {
    variable: Variable,
    parts: Parts,
    /// The dimension along which the values are longitudes to be moved, if they are.
    moved: Option<usize>,
}

/// Writes a new file. An existing one is replaced only with [`Options::overwrite`], and never the aggregation file or a
/// fragment of it.
///
/// # Errors
/// `Request` if the file may not be replaced; `MissingVariable`, `Request`; the errors of reading the aggregation or a
/// fragment; `Io`; `Cancelled`.
pub fn extract(dataset: &Dataset, path: &Path, options: &Options<'_>) -> Result<()> {
    let target = target(dataset, path, options.overwrite)?;
    let variables = wanted(dataset, options)?;
    let mut items = Vec::with_capacity(variables.len());
    let mut outline = Outline::new(dataset);
    for variable in variables {
        let parts = options.parts(&variable)?;
        let moved = longitudes::moved(&variable, &parts)?;
        outline.add(&variable, &parts.count(), moved.is_some(), options)?;
        items.push(Item { variable, parts, moved });
    }
    let file = outline.finish();
    let mut out = NewFile::begin(&file, target, Format::Netcdf4)?;
    pipeline::run(dataset, items, &mut out, options.progress)?;
    out.commit()
}

/// Writes bytes that were made from the data of a dataset, such as a picture, as [`extract`] writes its file: never in
/// place of a file that was read, and in place of another only with `overwrite`. The file gets its name when it is whole.
///
/// # Errors
/// `Request` if the file may not be replaced; `Io`.
pub fn save(dataset: &Dataset, path: &Path, bytes: &[u8], overwrite: bool) -> Result<()> {
    let target = target(dataset, path, overwrite)?;
    target.take(&target.written(bytes)?).map_err(|e| e.in_file(target.name()))
}

fn target(dataset: &Dataset, path: &Path, overwrite: bool) -> Result<Out> {
    let target = Out::new(path)?;
    target.refuse_file(dataset)?;
    target.refuse_existing(overwrite)?;
    target.refuse_fragments(dataset)?;
    Ok(target)
}

/// Returns the variables to write, in file order.
fn wanted(dataset: &Dataset, options: &Options<'_>) -> Result<Vec<Variable>> {
    let all = dataset.variables();
    if options.variables.is_empty() {
        return Ok(all);
    }
    let tree: &Tree = dataset.shared().tree();
    let mut chosen: Vec<VariableId> = Vec::new();
    for name in &options.variables {
        chosen.push(dataset.variable(name)?.id());
    }
    let mut next = 0;
    while let Some(&id) = chosen.get(next) {
        next += 1;
        let variable = Variable::new(dataset.clone(), id);
        for other in related::variables(tree, &variable)? {
            if !chosen.contains(&other) {
                chosen.push(other);
            }
        }
    }
    // A plain file does not have variables that only define fragments, even if one is requested.
    Ok(all.into_iter().filter(|v| chosen.contains(&v.id())).collect())
}

/// Returns how the values of a variable are stored.
fn storage(options: &Options<'_>, chunk: &[u64], text: bool) -> write::Storage {
    // Compression does not apply to strings, which are stored elsewhere in the file.
    let deflate = (options.deflate > 0 && !chunk.is_empty() && !text).then_some(options.deflate);
    let chunked = deflate.is_some() || options.chunks.as_ref().is_some_and(|c| c.len() == chunk.len());
    write::Storage {
        chunks: (chunked && !chunk.is_empty()).then(|| chunk.to_vec()),
        deflate,
        shuffle: deflate.is_some() && options.shuffle,
    }
}
