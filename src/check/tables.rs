//! Checks the table of fragment sizes (`map`, `shape`, `location`) or of index ranges (`location`, `index`).

use super::report::Findings;
use super::rules;
use super::subject::{Named, Subject};
use crate::container::tree::{DimensionId, Variable, VariableId};
use crate::dialect::integers::{self, Numbers};
use crate::dialect::ranges::follow;
use crate::dialect::sizes::padding;
use crate::error::Result;
use crate::model::grid;
use crate::model::Dialect;
use crate::selection::checked_product;

/// Checks the table and returns the shape of the array of fragments, if it can be determined.
pub(crate) fn check(subject: &Subject, named: &Named, findings: &mut Findings) -> Option<Vec<u64>> {
    let (variable, id) = named.get(named.words.map)?;
    if !variable.array.data_type.is_integer() {
        let message = format!("'{}' has type {}", variable.path, variable.array.data_type);
        subject.report(findings, &rules::MAP_TYPE, message);
        return None;
    }
    let dimensions = named.dimensions.as_deref()?;
    let table = Table { subject, variable, id, dimensions };
    if checked_product(&variable.array.shape).is_none_or(|n| n > subject.max_fragments.saturating_mul(64)) {
        let message = format!("'{}' has shape {:?}, which is too large", variable.path, variable.array.shape);
        subject.report(findings, &rules::MAP_RANK, message);
        return None;
    }
    let fragments = if named.words.ranges { table.ranges(findings) } else { table.sizes(findings) };
    fragments.unwrap_or_else(|error| {
        subject.report(findings, &rules::DECODED, error.to_string());
        None
    })
}

struct Table<'a> {
    subject: &'a Subject<'a>,
    variable: &'a Variable,
    id: VariableId,
    dimensions: &'a [DimensionId],
}

impl Table<'_> {
    fn for_each_run(&self, each: impl FnMut(u64, Option<i128>) -> Result<()>) -> Result<()> {
        integers::runs(self.subject.features, self.variable, self.id, each)
    }

    fn numbers(&self) -> Numbers {
        Numbers::of(&self.variable.attributes, self.variable.array.data_type)
    }

    /// Returns the total size that the fragments along a dimension must have; `None` if they determine it.
    fn size(&self, d: usize) -> Option<u64> {
        let dimension = &self.subject.tree.dimensions[self.dimensions[d].0];
        (!dimension.unlimited || dimension.size > 0).then_some(dimension.size)
    }

    fn name(&self, d: usize) -> &str {
        &self.subject.tree.dimensions[self.dimensions[d].0].name
    }

    fn sizes(&self, findings: &mut Findings) -> Result<Option<Vec<u64>>> {
        let (subject, path, shape) = (self.subject, &self.variable.path, &self.variable.array.shape);
        let rank = self.dimensions.len();
        if rank == 0 {
            let wanted = usize::from(subject.dialect == Dialect::Cfa062);
            if shape.len() != wanted || checked_product(shape) != Some(1) {
                let form = if wanted == 1 { "one dimension of size 1" } else { "a scalar" };
                let message = format!("'{path}' has shape {shape:?}; for scalar data it must be {form}");
                subject.report(findings, &rules::MAP_SCALAR, message);
            }
            let mut all_one = true;
            self.for_each_run(|_, value| {
                all_one &= value == Some(1);
                Ok(())
            })?;
            if !all_one {
                let message = format!("'{path}' must contain the value 1");
                subject.report(findings, &rules::MAP_SCALAR, message);
            }
            return Ok(Some(Vec::new()));
        }
        let &[rows, columns] = shape.as_slice() else {
            let message = format!("'{path}' has {} dimensions; it must have 2", shape.len());
            subject.report(findings, &rules::MAP_RANK, message);
            return Ok(None);
        };
        if rows != rank as u64 {
            let message = format!("'{path}' has {rows} rows for {rank} aggregated dimensions");
            subject.report(findings, &rules::MAP_ROWS, message);
            return Ok(None);
        }
        let mut counts = vec![Row::default(); rank];
        let mut at = 0u64;
        self.for_each_run(|mut n, value| {
            while n > 0 {
                // There is a value, so there is a column.
                let here = n.min(columns - at % columns);
                counts[(at / columns) as usize].take(here, value);
                at += here;
                n -= here;
            }
            Ok(())
        })?;
        if let Some(fill) = self.numbers().ambiguous() {
            for (d, row) in counts.iter_mut().enumerate() {
                row.drop_padding(fill, self.size(d));
            }
        }
        for (d, row) in counts.iter().enumerate() {
            self.row(d, row, findings);
        }
        let sound = counts.iter().all(|row| row.count > 0 && row.misplaced.is_none());
        Ok(sound.then(|| counts.iter().map(|row| row.count).collect()))
    }

    fn row(&self, d: usize, row: &Row, findings: &mut Findings) {
        let (subject, path, name) = (self.subject, &self.variable.path, self.name(d));
        if let Some(size) = row.bad {
            let message = format!("'{path}', dimension '{name}': fragment size {size} is not positive");
            subject.report(findings, &rules::MAP_SIZES, message);
        }
        if let Some(at) = row.misplaced {
            let message = format!("'{path}', dimension '{name}': column {at} follows a missing value");
            subject.report(findings, &rules::MAP_PADDING, message);
        }
        let sum = row.sum;
        match self.size(d) {
            None => {
                let message = format!(
                    "unlimited dimension '{name}' has size 0 in the file; its fragments add up to {sum}"
                );
                subject.report(findings, &rules::ODDITY, message);
            }
            Some(size) if sum != i128::from(size) => {
                let message =
                    format!("'{path}': the sizes along '{name}' add up to {sum}; its size is {size}");
                subject.report(findings, &rules::MAP_SUM, message);
            }
            Some(_) => {}
        }
    }

    fn ranges(&self, findings: &mut Findings) -> Result<Option<Vec<u64>>> {
        let (subject, path, shape) = (self.subject, &self.variable.path, &self.variable.array.shape);
        let rank = self.dimensions.len();
        if rank == 0 {
            return Ok(Some(Vec::new()));
        }
        if shape.len() != rank + 2 || shape[rank] != rank as u64 || shape[rank + 1] != 2 {
            let message = format!(
                "'{path}' has shape {shape:?}; after the fragments along {rank} dimensions it must have {rank} and 2"
            );
            subject.report(findings, &rules::MAP_RANK, message);
            return Ok(None);
        }
        let fragments = shape[..rank].to_vec();
        let mut known: Vec<grid::Row> = (0..rank).map(|_| grid::Row::default()).collect();
        let mut problems: Vec<Option<String>> = vec![None; rank];
        let strides = crate::selection::c_strides(&fragments);
        let (mut at, mut first) = (0u64, None);
        let hold = |bytes: usize| subject.features.hold(bytes);
        let mut take = |value: Option<i128>| -> Result<()> {
            let (fragment, d) = (at / (2 * rank as u64), (at / 2 % rank as u64) as usize);
            let last = at % 2 == 1;
            at += 1;
            let index = value.and_then(|v| u64::try_from(v).ok());
            if !last {
                first = index;
                return Ok(());
            }
            let (place, row) = (fragment / strides[d] % fragments[d], &mut known[d]);
            let problem = match (first, index) {
                (Some(a), Some(b)) if a <= b && place < row.len() => {
                    let range = row.range(place);
                    let (c, e) = (range.start, range.end - 1);
                    ((c, e) != (a, b)).then(|| {
                        format!("fragments at one position have the ranges {a} to {b} and {c} to {e}")
                    })
                }
                (Some(a), Some(b)) if a <= b && place == row.len() => {
                    let next = u64::try_from(row.sum()).unwrap_or(u64::MAX);
                    match follow(place, (a, b), next) {
                        Ok(size) => row.push(1, size, &hold).map(|()| None)?,
                        Err(what) => Some(what),
                    }
                }
                // What follows a fault in its row cannot be judged.
                (Some(a), Some(b)) if a <= b => None,
                (Some(a), Some(b)) => Some(format!("range {a} to {b} ends before it begins")),
                _ => Some("an index is missing or negative".to_owned()),
            };
            if let Some(problem) = problem {
                problems[d].get_or_insert(problem);
            }
            Ok(())
        };
        self.for_each_run(|n, value| (0..n).try_for_each(|_| take(value)))?;
        for d in 0..rank {
            let size = &subject.tree.dimensions[self.dimensions[d].0];
            let (sum, open) = (known[d].sum(), size.unlimited && size.size == 0);
            let wrong = known[d].len() == fragments[d] && sum != i128::from(size.size) && !open;
            let problem = problems[d].take();
            let problem =
                problem.or(wrong.then(|| format!("the ranges end at {sum}; its size is {}", size.size)));
            if let Some(what) = problem {
                let message = format!("'{path}', dimension '{}': {what}", self.name(d));
                subject.report(findings, &rules::MAP_SUM, message);
            }
        }
        Ok(Some(fragments))
    }
}

/// The contents of a row of the table of sizes.
#[derive(Clone, Default)]
struct Row {
    count: u64,
    sum: i128,
    columns: u64,
    padded: bool,
    /// The last size and how often it is repeated.
    last: (i128, u64),
    bad: Option<i128>,
    misplaced: Option<u64>,
}

impl Row {
    /// Adds `n` equal values.
    fn take(&mut self, n: u64, value: Option<i128>) {
        match value {
            None => self.padded = true,
            Some(size) => {
                if self.padded {
                    self.misplaced.get_or_insert(self.columns);
                }
                if size <= 0 {
                    self.bad.get_or_insert(size);
                }
                self.count += n;
                self.sum = self.sum.saturating_add(size.saturating_mul(i128::from(n)));
                self.last = (size, if self.last.0 == size { self.last.1 + n } else { n });
            }
        }
        self.columns += n;
    }

    /// Drops the sizes at the end that are padding.
    fn drop_padding(&mut self, fill: i128, dimension: Option<u64>) {
        if self.last.0 == fill {
            let padding = padding(self.last.1, fill, self.sum, dimension);
            self.count -= padding;
            self.sum -= i128::from(padding) * fill;
        }
    }
}
