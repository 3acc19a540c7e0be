//! Padded tables of fragment sizes: `map` (CF-1.13), `shape` (CF draft), `location` (CFA-0.6.2).
//!
//! A table has one row per aggregated dimension with the sizes of the fragments along it, padded at the end with
//! missing values. If no attribute says what is missing, the default fill of the type is. That of an unsigned type may
//! also be a size; it counts as one if only that fills the dimension. Refused: sizes that are not positive, missing
//! values between sizes, rows that do not fill their dimension.

use std::sync::Arc;

use super::context::Context;
use super::integers::{self, Numbers};
use super::words::Keywords;
use crate::container::allowance::Held;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::model::grid::{Grid, Row};

/// Reads the table.
///
/// # Errors
/// `Rank` if it does not have one row per aggregated dimension, `Map` if the sizes are wrong, `Limit`.
pub fn read(cx: &mut Context, words: &Keywords, variable: VariableId) -> Result<Arc<Grid>> {
    let keyword = words.map;
    let stored = &cx.tree.variables[variable.0];
    let (path, shape) = (&stored.path, &stored.array.shape);
    let wrong = |what: &str| {
        Error::new(Kind::Rank, format!("{keyword} variable '{path}' has shape {shape:?}; {what}"))
    };
    if cx.rank() == 0 {
        if crate::selection::checked_product(shape) != Some(1) {
            return Err(wrong("for scalar data it has one element"));
        }
        if shape.len() != usize::from(words.one_element) {
            cx.warnings
                .push(format!("{keyword} variable '{path}' of scalar data has {} dimensions", shape.len()));
        }
        return integers::for_each(cx, variable, |value| match value {
            Some(1) => Ok(()),
            _ => Err(Error::new(Kind::Map, format!("{keyword} variable '{path}' of scalar data must be 1"))),
        })
        .and_then(|()| cx.grid(Vec::new()).map(Arc::new));
    }
    let &[rows, columns] = shape.as_slice() else {
        return Err(wrong("it must be two-dimensional"));
    };
    if rows != cx.rank() as u64 {
        return Err(wrong(&format!("it must have one row for each of {} aggregated dimensions", cx.rank())));
    }
    cx.check_count(&[columns])?;
    cx.shared(variable, false, || read_rows(cx, keyword, variable, columns))
}

fn read_rows(cx: &Context, keyword: &str, variable: VariableId, columns: u64) -> Result<Grid> {
    let stored = &cx.tree.variables[variable.0];
    let path = &stored.path;
    let rows = (0..cx.rank()).map(|_| Row::default()).collect();
    let mut table = Rows { columns, row: 0, column: 0, rows, padding: false };
    let hold = |bytes: usize| cx.hold(bytes);
    integers::for_each_run(cx, variable, |n, value| {
        table.take(n, value, &hold).map_err(|(d, error)| {
            let message =
                format!("{keyword} variable '{path}', dimension '{}': {}", cx.name(d), error.message());
            Error::new(error.kind(), message)
        })
    })?;
    if let Some(fill) = Numbers::of(&stored.attributes, stored.array.data_type).ambiguous() {
        for (d, row) in table.rows.iter_mut().enumerate() {
            let (n, size) = row.last();
            if i128::from(size) == fill {
                row.drop_last(padding(n, fill, row.sum(), cx.size(d)));
            }
        }
    }
    let counts: Vec<u64> = table.rows.iter().map(Row::len).collect();
    cx.check_count(&counts)?;
    cx.grid(table.rows)
}

/// Returns how many of the `n` sizes at the end of a row are padding. Each is the default fill of its type; `sum` is
/// the sum of the whole row.
pub(crate) fn padding(n: u64, fill: i128, sum: i128, dimension: Option<u64>) -> u64 {
    let fills =
        |&padding: &u64| dimension.is_some_and(|size| sum - i128::from(padding) * fill == i128::from(size));
    let too_much = dimension.map_or(0, |size| (sum - i128::from(size)) / fill);
    let guess = u64::try_from(too_much).ok().filter(|guess| *guess <= n).filter(fills);
    // If the dimension does not determine it, a row has at least one size.
    guess.unwrap_or(if sum > i128::from(n) * fill { n } else { 0 })
}

struct Rows {
    columns: u64,
    row: usize,
    column: u64,
    rows: Vec<Row>,
    padding: bool,
}

impl Rows {
    /// Adds `n` equal neighbours, which may continue in the next rows.
    fn take(
        &mut self,
        mut n: u64,
        value: Option<i128>,
        hold: &dyn Fn(usize) -> Result<Held>,
    ) -> Result<(), (usize, Error)> {
        while n > 0 {
            if self.column == self.columns {
                (self.row, self.column, self.padding) = (self.row + 1, 0, false);
            }
            let here = n.min(self.columns - self.column);
            self.take_in_row(here, value, hold).map_err(|error| (self.row, error))?;
            self.column += here;
            n -= here;
        }
        Ok(())
    }

    fn take_in_row(
        &mut self,
        n: u64,
        value: Option<i128>,
        hold: &dyn Fn(usize) -> Result<Held>,
    ) -> Result<()> {
        let Some(value) = value else {
            self.padding = true;
            return Ok(());
        };
        if self.padding {
            return Err(Error::new(
                Kind::Map,
                "missing values are allowed only at the end of a row, as padding",
            ));
        }
        match u64::try_from(value) {
            Ok(size) if size > 0 => self.rows[self.row].push(n, size, hold),
            _ => Err(Error::new(Kind::Map, format!("fragment size {value} is not positive"))),
        }
    }
}
