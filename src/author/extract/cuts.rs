//! Converts selections of variables to cuts of dimensions.

use super::Cut;
use crate::container::tree::DimensionId;
use crate::dataset::select::{Parts, Range};
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};

/// Returns the cuts that yield the chosen part of each of these variables (all aggregation variables if none is named).
/// `choose` may call [`Variable::select_parts`], or return a [`Selection`](crate::Selection).
///
/// # Errors
/// The error of `choose` if it fails for every variable; `Request` if variables need different cuts.
pub fn cuts<P: Into<Parts>>(
    dataset: &Dataset,
    variables: &[String],
    choose: impl Fn(&Variable) -> Result<P>,
) -> Result<Vec<Cut>> {
    let variables: Vec<Variable> = match variables.is_empty() {
        true => dataset.variables().into_iter().filter(|v| matches!(v.aggregation(), Ok(Some(_)))).collect(),
        false => variables.iter().map(|name| dataset.variable(name)).collect::<Result<_>>()?,
    };
    let mut cuts: Vec<(DimensionId, Vec<Range>, bool)> = Vec::new();
    let mut failure = None;
    let mut served = false;
    for variable in variables {
        // A variable without the dimension is extracted whole, as long as another one has it.
        let parts = match choose(&variable) {
            Ok(parts) => parts.into(),
            Err(error) => {
                failure.get_or_insert(error.in_variable(variable.path()));
                continue;
            }
        };
        served = true;
        for (d, &dimension) in variable.dimensions()?.iter().enumerate() {
            let ranges = parts.ranges(d);
            let count = variable.shape()?[d];
            let is_whole = ranges == [Range { start: 0, count, step: 1, shift: 0.0 }];
            match cuts.iter().find(|(other, ..)| *other == dimension) {
                Some((_, other, _)) if *other != ranges => {
                    let name = &dataset.dimension(dimension).name;
                    let message = format!(
                        "the same selection means different parts of dimension '{name}' for different variables; \
                         name one variable"
                    );
                    return Err(Error::new(Kind::Request, message));
                }
                Some(_) => {}
                None => cuts.push((dimension, ranges.to_vec(), is_whole)),
            }
        }
    }
    match failure.filter(|_| !served) {
        Some(error) => Err(error),
        None if !served => {
            Err(Error::new(Kind::Request, "the file has no aggregation variable; name a variable"))
        }
        None => Ok(cuts.into_iter().filter(|(.., is_whole)| !is_whole).flat_map(of_ranges).collect()),
    }
}

/// Returns the cuts of a dimension.
fn of_ranges((dimension, ranges, _): (DimensionId, Vec<Range>, bool)) -> impl Iterator<Item = Cut> {
    ranges.into_iter().map(move |Range { start, count, step, shift }| Cut {
        dimension,
        start,
        count,
        step,
        shift,
    })
}
