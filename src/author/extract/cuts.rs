//! Converts selections of variables to cuts of dimensions.

use super::Cut;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;

/// Returns the cuts that yield the chosen part of each of these variables (all aggregation variables if none is named).
/// `choose` may call [`Variable::select`].
///
/// # Errors
/// The error of `choose` if it fails for every variable; `Request` if variables need different cuts.
pub fn cuts(
    dataset: &Dataset,
    variables: &[String],
    choose: impl Fn(&Variable) -> Result<Selection>,
) -> Result<Vec<Cut>> {
    let variables: Vec<Variable> = match variables.is_empty() {
        true => dataset.variables().into_iter().filter(|v| matches!(v.aggregation(), Ok(Some(_)))).collect(),
        false => variables.iter().map(|name| dataset.variable(name)).collect::<Result<_>>()?,
    };
    let mut cuts: Vec<(Cut, bool)> = Vec::new();
    let mut failure = None;
    let mut served = false;
    for variable in variables {
        // A variable without the dimension is extracted whole, as long as another one has it.
        let selection = match choose(&variable) {
            Ok(selection) => selection,
            Err(error) => {
                failure.get_or_insert(error.in_variable(variable.path()));
                continue;
            }
        };
        served = true;
        for (d, &dimension) in variable.dimensions()?.iter().enumerate() {
            let (start, count, step) = (selection.start()[d], selection.count()[d], selection.step()[d]);
            let cut = Cut { dimension, start, count, step };
            let is_whole = (start, count, step) == (0, variable.shape()?[d], 1);
            match cuts.iter().find(|(other, _)| other.dimension == dimension) {
                Some((other, _)) if *other != cut => {
                    let name = &dataset.dimension(dimension).name;
                    let message = format!(
                        "the same selection means different parts of dimension '{name}' for different variables; \
                         name one variable"
                    );
                    return Err(Error::new(Kind::Request, message));
                }
                Some(_) => {}
                None => cuts.push((cut, is_whole)),
            }
        }
    }
    match failure.filter(|_| !served) {
        Some(error) => Err(error),
        None if !served => {
            Err(Error::new(Kind::Request, "the file has no aggregation variable; name a variable"))
        }
        None => Ok(cuts.into_iter().filter(|(_, is_whole)| !is_whole).map(|(cut, _)| cut).collect()),
    }
}
