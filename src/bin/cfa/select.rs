//! The arguments that select a part of a variable: by index (`--start --count --stride`) or by coordinate (`--select`).

use cfa::{Error, Kind, Parts, Result, Selection, Variable};
use clap::Args;

/// Arguments that select a part.
#[derive(Args, Default)]
#[command(next_help_heading = "Which part")]
pub struct SelectionArguments {
    /// First index along each dimension [default: 0]
    #[arg(long, value_name = "I,J,..", allow_hyphen_values = true)]
    start: Option<String>,
    /// Number of indices along each dimension [default: all that are left]
    #[arg(long, value_name = "N,M,..")]
    count: Option<String>,
    /// Distance between indices along each dimension; negative goes backward [default: 1]
    #[arg(long, value_name = "S,T,..", allow_hyphen_values = true)]
    stride: Option<String>,
    /// Part of a dimension by its coordinates (repeatable)
    ///
    /// DIM=VALUE, or the cell whose bounds contain VALUE; DIM=VALUE..VALUE, both included, either may be left out;
    /// DIM~VALUE, the nearest. Several are separated by commas and joined in their order. Values are numbers, dates
    /// (2001, 2001-03, 2001-03-31T12:00), labels, or indices where there are no coordinates; in double quotes, commas
    /// and dots belong to a label. Longitudes may be written in any turn: lon=-20..20.
    #[arg(long, value_name = "DIM=VALUE", conflicts_with_all = ["start", "count", "stride"])]
    select: Vec<String>,
}

impl SelectionArguments {
    /// Returns whether nothing was selected.
    pub fn is_whole(&self) -> bool {
        self.start.is_none() && self.count.is_none() && self.stride.is_none() && self.select.is_empty()
    }

    /// Returns the part of this variable.
    ///
    /// # Errors
    /// `Request` if the arguments are not understood or reach outside the variable.
    pub fn parts(&self, variable: &Variable) -> Result<Parts> {
        match self.select.is_empty() {
            true => self.by_index(variable.shape()?).map(Parts::from),
            false => variable.select_parts(&self.select),
        }
    }

    fn by_index(&self, shape: &[u64]) -> Result<Selection> {
        let start = numbers::<u64>("start", self.start.as_deref())?;
        let count = numbers::<u64>("count", self.count.as_deref())?;
        let step = numbers::<i64>("stride", self.stride.as_deref())?;
        let step = step.unwrap_or_else(|| vec![1; shape.len()]);
        let start = start.unwrap_or_else(|| {
            let last = |(d, &size): (usize, &u64)| match step.get(d) {
                Some(s) if *s < 0 => size.saturating_sub(1),
                _ => 0,
            };
            shape.iter().enumerate().map(last).collect()
        });
        let count = count.unwrap_or_else(|| {
            let left = |(d, &size): (usize, &u64)| match (start.get(d), step.get(d)) {
                (Some(&from), Some(&by)) if by < 0 && from < size => from / by.unsigned_abs() + 1,
                (Some(&from), Some(&by)) if by > 0 && from < size => {
                    (size - 1 - from) / by.unsigned_abs() + 1
                }
                // No index is left. Starting there is an error unless the dimension is empty.
                (Some(&from), _) if from > 0 => 1,
                _ => 0,
            };
            shape.iter().enumerate().map(left).collect()
        });
        Selection::new(&start, &count, &step, shape)
    }
}

fn request(message: String) -> Error {
    Error::new(Kind::Request, message)
}

fn numbers<T: std::str::FromStr>(what: &str, text: Option<&str>) -> Result<Option<Vec<T>>> {
    let Some(text) = text.map(str::trim).filter(|t| !t.is_empty()) else { return Ok(None) };
    let parsed: std::result::Result<Vec<T>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    parsed
        .map(Some)
        .map_err(|_| request(format!("--{what} {text}: expected whole numbers separated by commas")))
}
