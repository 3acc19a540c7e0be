//! Determines the range of a coordinate variable: its ends, its step and its gaps.
//!
//! The values are read in blocks, once, so that a long axis takes no more memory than a short one. Each distance between
//! neighbours is counted, with the first places where it occurs; in the end the most common one is the step, and larger
//! ones are gaps. Dates that are months or years apart are compared by month, because months differ in length.

use crate::canonical::{Calendar, DateTime};
use crate::dataset::coordinate_blocks;
use crate::dataset::coordinates::Coordinates;
use crate::dataset::variable::Variable;
use crate::error::Result;
use crate::model::slabs::Slabs;
use crate::selection::{checked_product, Selection};
use crate::value::{DataType, Values};

/// An aggregated coordinate of more fragments is not read between its ends.
const MOST_FRAGMENTS: u64 = 100;
/// The maximum number of different steps that are counted. Coordinates with more are uneven.
const MOST_STEPS: usize = 64;
/// The maximum number of places that are kept for each step, and of words.
const MOST_PLACES: usize = 8;
const DAY: f64 = 86_400.0;

/// A coordinate value, as text and in the forms that it has.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its text: a date, a number or a word.
    pub text: String,
    /// The unpacked number, if it is one.
    pub number: Option<f64>,
    /// The date, if its units and calendar give one.
    pub date: Option<DateTime>,
}

/// How coordinate values follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each is greater than the one before.
    Ascending,
    /// Each is less than the one before.
    Descending,
    /// Neither, or they are words.
    None,
}

/// The distance between neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// In the units of the coordinates, negative if they descend.
    Number(f64),
    /// Seconds between dates.
    Seconds(f64),
    /// Months between dates, whatever their length.
    Months(i64),
}

/// Two neighbours that are further apart than the step.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// The index of the value before it.
    pub index: u64,
    /// The value before it.
    pub after: Point,
    /// The value that follows.
    pub before: Point,
}

/// What [`Variable::range`] returns.
#[derive(Clone, Debug)]
pub struct CoordinateRange {
    /// The number of values.
    pub count: u64,
    /// The number of missing ones among the values that were read.
    pub missing: u64,
    /// The first value that is not missing.
    pub first: Option<Point>,
    /// The last value that is not missing.
    pub last: Option<Point>,
    /// The least and the greatest number.
    pub extremes: Option<(Point, Point)>,
    /// The first words, up to eight.
    pub words: Vec<String>,
    /// Their order.
    pub order: Order,
    /// The step, unless the values are uneven.
    pub step: Option<Step>,
    /// The number of gaps.
    pub gap_count: u64,
    /// The first of the gaps.
    pub gaps: Vec<Gap>,
    /// The calendar of dates.
    pub calendar: Option<Calendar>,
    /// Whether all values were read; otherwise only the first and the last.
    pub is_complete: bool,
}

impl Variable {
    /// Returns the range of a coordinate variable. Only the ends are read if it has more values than `most`, or more
    /// than a hundred fragments.
    ///
    /// ```no_run
    /// let time = cfa::Dataset::open("tas.nc")?.variable("time")?;
    /// let range = time.range(1 << 24)?;
    /// println!("{} gaps", range.gap_count);
    /// # Ok::<(), cfa::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of reading.
    pub fn range(&self, most: u64) -> Result<CoordinateRange> {
        let shape = self.shape()?;
        // The length of texts.
        let length = if self.data_type() == DataType::Char { shape.last().copied() } else { None };
        let outer = &shape[..shape.len() - usize::from(length.is_some())];
        let count = checked_product(outer).unwrap_or(u64::MAX);
        let elements = checked_product(shape).unwrap_or(u64::MAX);
        let fragments = self.aggregation()?.map_or(1, |a| a.grid.fragments().iter().product());
        let mut steps = Steps::new(outer.len() == 1, self.data_type());
        let is_complete = count <= 1 || elements <= most && fragments <= MOST_FRAGMENTS;
        if is_complete {
            let mut index = 0;
            let block = coordinate_blocks::length(self)?;
            for part in Slabs::new(&Selection::all(shape), shape, block.max(length.unwrap_or(1))) {
                let part = part?;
                steps.add(index, &Coordinates::of(self, &part)?);
                index += part.len().unwrap_or(0) / length.unwrap_or(1).max(1);
            }
        } else {
            steps.is_line = false;
            let (one, first) = (vec![1; outer.len()], vec![0; outer.len()]);
            let last: Vec<u64> = outer.iter().map(|n| n - 1).collect();
            for (index, start) in [(0, &first), (count - 1, &last)] {
                let (start, count) = match length {
                    Some(length) => ([&start[..], &[0]].concat(), [&one[..], &[length]].concat()),
                    None => (start.clone(), one.clone()),
                };
                steps.add(index, &Coordinates::of(self, &Selection::block(&start, &count, shape)?)?);
            }
        }
        steps.range(count, is_complete, |index| {
            let pair = Coordinates::of(self, &Selection::block(&[index], &[2], shape)?)?;
            Ok(Gap { index, after: point(&pair, 0), before: point(&pair, 1) })
        })
    }
}

/// A value with its number.
type Numbered = (f64, Point);

/// A distance between neighbours that occurs.
struct Occurring {
    distance: f64,
    months: i64,
    count: u64,
    /// The indices of the values before the first places where it occurs.
    places: Vec<u64>,
}

/// The steps and ends of the values that were read so far.
struct Steps {
    is_line: bool,
    /// The relative error of a value.
    precision: f64,
    missing: u64,
    first: Option<Point>,
    last: Option<Point>,
    /// The value before, unless it is missing.
    before: Option<f64>,
    extremes: Option<(Numbered, Numbered)>,
    words: Vec<String>,
    calendar: Option<Calendar>,
    unit_seconds: f64,
    rises: bool,
    falls: bool,
    repeats: bool,
    occurring: Vec<Occurring>,
    is_uneven: bool,
}

impl Steps {
    fn new(is_line: bool, data_type: DataType) -> Self {
        let precision = if data_type == DataType::F32 { f32::EPSILON.into() } else { f64::EPSILON };
        Steps {
            is_line,
            precision: 4.0 * precision,
            missing: 0,
            first: None,
            last: None,
            before: None,
            extremes: None,
            words: Vec::new(),
            calendar: None,
            unit_seconds: 1.0,
            rises: false,
            falls: false,
            repeats: false,
            occurring: Vec::new(),
            is_uneven: false,
        }
    }

    /// Adds a block whose first value has this index.
    fn add(&mut self, index: u64, block: &Coordinates) {
        let Some(values) = &block.values else { return };
        if let Some(time) = block.time() {
            (self.calendar, self.unit_seconds) = (Some(time.calendar()), time.seconds());
        }
        let is_word = matches!(values, Values::String(_) | Values::Char(_));
        let mut last = None;
        // Points are made only of the extremes of a block: in an ascending sequence each value is the greatest so far.
        let mut ends: Option<[(f64, u64); 2]> = None;
        for i in 0..values.len() as u64 {
            let number = block.number(i);
            let is_missing = if is_word { block.is_missing(i) } else { !number.is_some_and(f64::is_finite) };
            if is_missing {
                self.missing += 1;
                self.before = None;
                continue;
            }
            last = Some(i);
            if self.first.is_none() {
                self.first = Some(point(block, i));
            }
            let Some(number) = number else {
                if self.words.len() < MOST_PLACES {
                    self.words.push(block.label(i));
                }
                continue;
            };
            let [low, high] = ends.get_or_insert([(number, i); 2]);
            if number < low.0 {
                *low = (number, i);
            }
            if number > high.0 {
                *high = (number, i);
            }
            if let (true, Some(before)) = (self.is_line, self.before) {
                self.step(index + i - 1, before, number, block, i);
            }
            self.before = Some(number);
        }
        for (number, i) in ends.into_iter().flatten() {
            self.extreme(number, || point(block, i));
        }
        if let Some(last) = last {
            self.last = Some(point(block, last));
        }
    }

    fn extreme(&mut self, number: f64, point: impl Fn() -> Point) {
        let ((least, low), (greatest, high)) =
            self.extremes.get_or_insert_with(|| ((number, point()), (number, point())));
        if number < *least {
            (*least, *low) = (number, point());
        }
        if number > *greatest {
            (*greatest, *high) = (number, point());
        }
    }

    fn step(&mut self, index: u64, before: f64, number: f64, block: &Coordinates, i: u64) {
        let distance = number - before;
        self.rises |= distance > 0.0;
        self.falls |= distance < 0.0;
        self.repeats |= distance == 0.0;
        if self.is_uneven {
            return;
        }
        let earlier = |block: &Coordinates| block.time().and_then(|t| t.decode(before));
        let months = match (distance * self.unit_seconds).abs() >= 20.0 * DAY && self.calendar.is_some() {
            true => match (earlier(block), block.date(i)) {
                (Some(a), Some(b)) => (b.year - a.year) * 12 + i64::from(b.month) - i64::from(a.month),
                _ => 0,
            },
            false => 0,
        };
        let error = self.precision * before.abs().max(number.abs()) + 1e-6 * distance.abs();
        let same = |o: &Occurring| (o.distance - distance).abs() <= error && o.months == months;
        match self.occurring.iter().position(same) {
            Some(found) => {
                let found = &mut self.occurring[found];
                found.count += 1;
                if found.places.len() < MOST_PLACES {
                    found.places.push(index);
                }
            }
            None if self.occurring.len() == MOST_STEPS => self.is_uneven = true,
            None => self.occurring.push(Occurring { distance, months, count: 1, places: vec![index] }),
        }
    }

    /// Returns the range. `gap` reads the two values of a gap, given the index of the first.
    fn range(
        mut self,
        count: u64,
        is_complete: bool,
        gap: impl Fn(u64) -> Result<Gap>,
    ) -> Result<CoordinateRange> {
        let order = match (self.rises, self.falls, self.repeats) {
            (true, false, false) => Order::Ascending,
            (false, true, false) => Order::Descending,
            _ => Order::None,
        };
        self.is_uneven |= order == Order::None;
        let step = if self.is_uneven { None } else { self.common() };
        let mut places: Vec<u64> = Vec::new();
        let mut gap_count = 0;
        for occurring in &self.occurring {
            let is_gap = match step {
                None => false,
                Some((Step::Months(months), _)) => occurring.months.abs() > months.abs(),
                Some((_, distance)) => occurring.distance.abs() > 1.5 * distance.abs(),
            };
            if is_gap {
                gap_count += occurring.count;
                places.extend_from_slice(&occurring.places);
            }
        }
        places.sort_unstable();
        places.truncate(MOST_PLACES);
        Ok(CoordinateRange {
            count,
            missing: self.missing,
            first: self.first,
            last: self.last,
            extremes: self.extremes.map(|((_, low), (_, high))| (low, high)),
            words: self.words,
            order,
            step: step.map(|(step, _)| step),
            gap_count,
            gaps: places.into_iter().map(gap).collect::<Result<_>>()?,
            calendar: self.calendar,
            is_complete,
        })
    }

    /// Returns the step of most neighbours, and its length as a number, if more than half have it.
    fn common(&self) -> Option<(Step, f64)> {
        let total: u64 = self.occurring.iter().map(|o| o.count).sum();
        let most = self.occurring.iter().max_by_key(|o| o.count)?;
        let of_months =
            |months: i64| self.occurring.iter().filter(|o| o.months == months).map(|o| o.count).sum::<u64>();
        // A step of months may be one length in days (360_day) or several.
        let is_monthly = most.months != 0 && {
            let days = (most.distance * self.unit_seconds / DAY / most.months as f64).abs();
            (27.9..=31.1).contains(&days) && of_months(most.months) * 2 > total
        };
        let others = |months: i64| self.occurring.iter().any(|o| o.months.abs() < months.abs());
        if is_monthly && !others(most.months) {
            return Some((Step::Months(most.months), most.distance));
        }
        let distance = match &self.occurring[..] {
            // The mean has less error than one distance.
            [_] => {
                let number = |point: &Option<Point>| point.as_ref()?.number;
                match (number(&self.first), number(&self.last)) {
                    (Some(a), Some(b)) if self.missing == 0 => (b - a) / total as f64,
                    _ => most.distance,
                }
            }
            _ => most.distance,
        };
        if most.count * 2 <= total {
            return None;
        }
        // No two neighbours may be nearer than the step.
        if self.occurring.iter().any(|o| o.distance.abs() < 0.99 * distance.abs()) {
            return None;
        }
        Some(match self.calendar {
            Some(_) => (Step::Seconds(distance * self.unit_seconds), distance),
            None => (Step::Number(distance), distance),
        })
    }
}

fn point(block: &Coordinates, i: u64) -> Point {
    Point { text: block.label(i), number: block.number(i), date: block.date(i) }
}
