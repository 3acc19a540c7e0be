//! The coordinates of the fragments of a page: where each begins and ends, as dates, numbers or words, and the gaps in
//! times.
//!
//! Whole coordinates are read, once for all variables, as far as there are not too many of them for a page.

use std::collections::HashMap;
use std::sync::Arc;

use crate::canonical::{Calendar, TimeUnits};
use crate::container::tree::VariableId;
use crate::dataset::coordinates::{coordinate_of, Coordinates};
use crate::dataset::range::Step;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::message::short;
use crate::selection::Selection;
use crate::value::Values;

/// The maximum number of coordinates that are read for a page.
const MOST: u64 = 1 << 22;
/// The maximum number of those that are words, which are longer than numbers.
const MOST_WORDS: u64 = 1 << 15;
/// The maximum number of fragments of a coordinate that are read one by one, because some are missing.
const MOST_PARTS: u64 = 1000;
/// The maximum number of gaps that are kept.
const MOST_GAPS: usize = 10_000;
/// The maximum number of bytes of a coordinate in a text.
const MOST_OF_WORD: usize = 60;
const DAY: f64 = 86_400.0;

/// The coordinates of one dimension.
pub(in crate::check) struct Axis {
    /// The parts that could be read, with their begins.
    parts: Vec<(u64, Coordinates)>,
    pub(super) times: Option<Times>,
}

/// What the axis of dates needs.
pub(super) struct Times {
    pub(super) units: TimeUnits,
    /// The time that one value stands for, in these units; 0 if they are uneven.
    pub(super) step: f64,
    /// The neighbours that are further apart than a step, in the order of the file.
    pub(super) gaps: Vec<(f64, f64)>,
    /// The number of gaps, of which only the first ones are kept.
    pub(super) gap_count: u64,
}

/// The axes of one variable.
#[derive(Clone, Copy, Default)]
pub(in crate::check) struct Axes<'a>(&'a [Option<Arc<Axis>>]);

impl<'a> Axes<'a> {
    /// Returns the axis of a dimension, if it has coordinates.
    pub(super) fn along(self, d: usize) -> Option<&'a Axis> {
        self.0.get(d)?.as_deref()
    }
}

/// Reads the coordinates for the page of a file.
pub(in crate::check) struct Reader<'a> {
    dataset: &'a Dataset,
    known: HashMap<VariableId, Option<Arc<Axis>>>,
    left: u64,
}

/// The axes of several variables, by their paths.
#[derive(Default)]
pub(in crate::check) struct AllAxes(HashMap<String, Vec<Option<Arc<Axis>>>>);

impl AllAxes {
    /// Reads the coordinates of these variables.
    pub(in crate::check) fn read<'p>(dataset: &Dataset, paths: impl Iterator<Item = &'p str>) -> AllAxes {
        let mut reader = Reader { dataset, known: HashMap::new(), left: MOST };
        AllAxes(paths.map(|path| (path.to_owned(), reader.axes(path))).collect())
    }

    /// Returns those of a variable.
    pub(super) fn of(&self, path: &str) -> Axes<'_> {
        Axes(self.0.get(path).map_or(&[], Vec::as_slice))
    }
}

impl Reader<'_> {
    fn axes(&mut self, path: &str) -> Vec<Option<Arc<Axis>>> {
        let Ok(variable) = self.dataset.variable(path) else { return Vec::new() };
        let rank = variable.dimensions().map_or(0, <[_]>::len);
        (0..rank).map(|d| self.axis(&variable, d)).collect()
    }

    fn axis(&mut self, variable: &Variable, d: usize) -> Option<Arc<Axis>> {
        let id = *variable.dimensions().ok()?.get(d)?;
        let coordinate = coordinate_of(variable, id).ok()??;
        if let Some(known) = self.known.get(&coordinate.id()) {
            return known.clone();
        }
        let count = variable.shape().ok()?.get(d).copied().unwrap_or(0);
        let most = if coordinate.data_type().is_number() { self.left } else { self.left.min(MOST_WORDS) };
        let axis = match count <= most {
            true => Axis::read(variable, d, &coordinate).map(Arc::new),
            false => None,
        };
        self.left -= if axis.is_some() { count } else { 0 };
        self.known.insert(coordinate.id(), axis.clone());
        axis
    }
}

impl Axis {
    fn read(variable: &Variable, d: usize, coordinate: &Variable) -> Option<Axis> {
        let shape = variable.shape().ok()?;
        let count = shape[d];
        let part = |start: u64, count: u64| {
            let (mut from, mut size) = (vec![0; shape.len()], vec![1; shape.len()]);
            (from[d], size[d]) = (start, count);
            Coordinates::along(variable, d, &Selection::block(&from, &size, shape).ok()?).ok()
        };
        let parts = match (part(0, count), coordinate.aggregation().ok()?) {
            (Some(whole), _) => vec![(0, whole)],
            // What can be read of an aggregation, some of whose fragments are missing.
            (None, Some(aggregation)) if aggregation.grid.fragments()[0] <= MOST_PARTS => {
                let ranges = (0..aggregation.grid.fragments()[0]).map(|i| aggregation.grid.range(0, i));
                ranges.filter_map(|r| Some((r.start, part(r.start, r.end - r.start)?))).collect()
            }
            _ => return None,
        };
        let mut axis = Axis { parts, times: None };
        axis.times = axis.times(coordinate, count);
        Some(axis)
    }

    /// Returns what the axis of dates needs; `None` if they are no dates or not in order.
    fn times(&self, coordinate: &Variable, count: u64) -> Option<Times> {
        let units = *self.parts.first()?.1.time()?;
        let step = coordinate.range(u64::MAX).ok().and_then(|range| range.step);
        let length = match step {
            Some(Step::Seconds(seconds)) => seconds.abs() / units.seconds(),
            Some(Step::Months(months)) => {
                let days = if units.calendar() == Calendar::Days360 { 30.0 } else { 30.436_875 };
                months.unsigned_abs() as f64 * days * DAY / units.seconds()
            }
            _ => 0.0,
        };
        let months = |number: f64| units.decode(number).map(|date| date.year * 12 + i64::from(date.month));
        let is_gap = |a: f64, b: f64| match step {
            Some(Step::Months(step)) => match (months(a), months(b)) {
                (Some(a), Some(b)) => a.abs_diff(b) > step.unsigned_abs(),
                _ => false,
            },
            Some(Step::Seconds(_)) => (b - a).abs() > 1.5 * length,
            _ => false,
        };
        let mut times = Times { units, step: length, gaps: Vec::new(), gap_count: 0 };
        let (mut before, mut rises, mut falls) = (None, false, false);
        for number in (0..count).filter_map(|i| self.number(i)) {
            if let Some(before) = before.replace(number) {
                (rises, falls) = (rises || number >= before, falls || number <= before);
                if is_gap(before, number) {
                    times.gap_count += 1;
                    if times.gaps.len() < MOST_GAPS {
                        times.gaps.push((before, number));
                    }
                }
            }
        }
        (rises != falls).then_some(times)
    }

    /// Returns the coordinates that have an index, and its index among them.
    fn part(&self, index: u64) -> Option<(&Coordinates, u64)> {
        let at = self.parts.partition_point(|(start, _)| *start <= index).checked_sub(1)?;
        let (start, part) = &self.parts[at];
        let inside = index - start;
        let length = part.values.as_ref().map_or(0, Values::len) as u64;
        (inside < length).then_some((part, inside))
    }

    /// Returns the finite number at an index.
    pub(super) fn number(&self, index: u64) -> Option<f64> {
        let (part, inside) = self.part(index)?;
        part.number(inside).filter(|number| number.is_finite())
    }

    /// Returns the coordinates from one index to another as text.
    pub(super) fn text(&self, first: u64, last: u64) -> Option<String> {
        let (a, b) = (self.label(first)?, self.label(last)?);
        Some(if a == b { a } else { format!("{a} to {b}") })
    }

    fn label(&self, index: u64) -> Option<String> {
        let (part, inside) = self.part(index)?;
        if part.is_missing(inside) {
            return None;
        }
        let label = part.label(inside);
        Some(match (part.date(inside), part.number(inside)) {
            (Some(_), _) => brief(&label),
            (None, Some(number)) if label.len() > 10 => {
                let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
                Values::F64(vec![rounded]).decimal_at(0).unwrap_or(label)
            }
            _ => short(&label, MOST_OF_WORD).into_owned(),
        })
    }
}

impl Times {
    /// Returns a time as text.
    pub(super) fn text(&self, number: f64) -> String {
        self.units.decode(number).map_or_else(String::new, |date| brief(&date.to_string()))
    }
}

/// Returns the text of a date without a time of day that is midnight, and without seconds that are none.
fn brief(date: &str) -> String {
    date.strip_suffix(" 00:00:00").or_else(|| date.strip_suffix(":00")).unwrap_or(date).to_owned()
}
