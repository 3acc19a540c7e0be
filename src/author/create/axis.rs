//! One dimension of a variable in all its files: its parts and their order.
//!
//! Parts with coordinates are ordered by them. They must run in the same direction and must not overlap, nor leave a
//! gap if bounds or a regular distance show one. Parts without coordinates are ordered as the files are, on request.

use std::collections::HashMap;
use std::sync::Arc;

use super::coordinate_values::{Converter, CoordinateValues};
use super::gap;
use super::listing::short;
use super::overlap;
use super::record::{Content, Input, Item, Template};
use crate::author::option_name::OptionName;
use crate::canonical::TimeUnits;
use crate::error::{Error, Kind, Result};

/// A part of a dimension that one or more files provide.
#[derive(Clone, Debug)]
pub(super) struct AxisPart {
    pub size: u64,
    pub coordinates: CoordinateValues,
    /// The bounds of the coordinates, in their units; `None` if the values of the bounds are unknown.
    pub cells: Option<CoordinateValues>,
    /// The index, in the list of members, of one that provides it.
    pub member: usize,
}

impl AxisPart {
    /// Returns a part without coordinates.
    pub fn bare(size: u64, member: usize) -> AxisPart {
        AxisPart {
            size,
            coordinates: CoordinateValues::Nothing,
            cells: Some(CoordinateValues::Nothing),
            member,
        }
    }
}

/// A dimension of a variable.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub name: String,
    /// Whether the files do not have this dimension.
    pub new: bool,
    pub parts: Arc<Vec<AxisPart>>,
    /// For each member, the index of its part.
    pub part_of: Vec<usize>,
    /// The coordinate variable that defines the units of the coordinates.
    pub reference: Option<Arc<Template>>,
    /// A description of its gaps, if they are allowed.
    pub gaps: Option<String>,
}

impl Axis {
    /// Returns an axis without coordinates.
    pub fn bare(name: &str, new: bool, parts: Vec<AxisPart>, part_of: Vec<usize>) -> Axis {
        Axis { name: name.to_owned(), new, parts: Arc::new(parts), part_of, reference: None, gaps: None }
    }

    pub fn size(&self) -> u64 {
        self.parts.iter().map(|p| p.size).sum()
    }

    pub fn is_split(&self) -> bool {
        self.parts.len() > 1
    }

    /// Returns how its coordinates are written for people.
    pub fn scale(&self) -> Scale {
        Scale(self.reference.as_ref().and_then(|reference| {
            TimeUnits::parse(reference.units.as_deref()?, reference.calendar.as_deref()).ok()
        }))
    }
}

/// How the coordinates of an axis are written for people.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scale(Option<TimeUnits>);

impl Scale {
    /// Returns the units of the coordinates, if they are times.
    pub fn time(&self) -> Option<&TimeUnits> {
        self.0.as_ref()
    }

    /// Returns whether the coordinates are times.
    pub fn is_time(&self) -> bool {
        self.0.is_some()
    }

    /// Returns a time as a date, another coordinate as a number.
    pub fn place(&self, x: f64) -> String {
        let date = self.0.as_ref().and_then(|units| units.decode(x));
        date.map_or_else(|| show(x), |date| date.to_string())
    }

    /// Returns the coordinates of a part from the first to the last; times as dates.
    pub fn range(&self, part: &AxisPart) -> String {
        self.between(part.size, &Ends::of(part))
    }

    /// Returns the same with the numbers of times before their dates.
    pub fn full_range(&self, part: &AxisPart) -> String {
        self.full(part.size, &Ends::of(part))
    }

    fn between(&self, size: u64, ends: &Ends) -> String {
        match ends {
            Ends::Nothing => format!("part of size {size}"),
            Ends::Labels(text) => text.to_string(),
            _ => span(&ends.numbers().map(|x| self.place(x)).collect::<Vec<_>>()),
        }
    }

    /// Returns the range of a part that has this size and these ends, as [`Scale::full_range`].
    pub fn full(&self, size: u64, ends: &Ends) -> String {
        let range = self.between(size, ends);
        if matches!(ends, Ends::Nothing | Ends::Labels(_)) {
            return range;
        }
        let numbers = span(&ends.numbers().map(show).collect::<Vec<_>>());
        // Other coordinates, and times beyond all calendars, are numbers only.
        if range == numbers {
            numbers
        } else {
            format!("{numbers} ({range})")
        }
    }
}

/// The first and the last coordinate of a part.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Ends {
    /// It has no coordinates.
    Nothing,
    /// No number.
    Empty,
    /// One number.
    One(f64),
    /// Two numbers.
    Two(f64, f64),
    /// Labels, as they are shown.
    Labels(Box<str>),
}

impl Ends {
    pub fn of(part: &AxisPart) -> Ends {
        match &part.coordinates {
            CoordinateValues::Nothing => Ends::Nothing,
            CoordinateValues::Labels(labels) => Ends::Labels(short(&span(labels)).into()),
            CoordinateValues::Numbers(list) => match **list {
                [] => Ends::Empty,
                [one] => Ends::One(one),
                [first, .., last] => Ends::Two(first, last),
            },
        }
    }

    fn numbers(&self) -> impl Iterator<Item = f64> {
        let (first, last) = match self {
            Ends::One(first) => (Some(*first), None),
            Ends::Two(first, last) => (Some(*first), Some(*last)),
            _ => (None, None),
        };
        first.into_iter().chain(last)
    }
}

/// Returns the first and the last as text.
fn span(list: &[String]) -> String {
    match list {
        [] => String::new(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} to {last}"),
    }
}

/// The share of one member in a dimension.
pub(super) struct Share<'a> {
    pub input: &'a Input,
    pub coordinate: Option<&'a Item>,
    pub bounds: Option<&'a Item>,
    pub size: u64,
}

/// The user's wishes for a dimension.
pub(super) struct Wishes {
    /// Whether the user named the dimension as one to be joined.
    pub named: bool,
    /// Whether gaps are allowed.
    pub gaps: bool,
}

/// Returns the axis of a dimension that has coordinates, or the same size in all files; `None` if only the order of the
/// files can determine it.
///
/// # Errors
/// `Map` if parts overlap, leave a gap or cannot be distinguished, `Units` and `Calendar`.
pub(super) fn axis(name: &str, new: bool, shares: &[Share], wishes: &Wishes) -> Result<Option<Axis>> {
    let with = shares.iter().find(|s| s.coordinate.is_some());
    let without = shares.iter().find(|s| s.coordinate.is_none());
    match (with, without) {
        (Some(with), Some(without)) => Err(Error::new(
            Kind::Map,
            format!("'{name}' has coordinates in {} and none in {}", with.input.name, without.input.name),
        )),
        (None, _) => uncharted(name, new, shares, wishes),
        (Some(_), None) => charted(name, new, shares, wishes).map(Some),
    }
}

fn uncharted(name: &str, new: bool, shares: &[Share], wishes: &Wishes) -> Result<Option<Axis>> {
    if wishes.named {
        return Ok(None);
    }
    let size = shares.first().map_or(0, |s| s.size);
    if let Some(other) = shares.iter().find(|s| s.size != size) {
        let message = format!(
            "dimension '{name}' has no coordinates and size {size} in {} but {} in {}; {} joins them in the \
             order of the files",
            shares[0].input.name,
            other.size,
            other.input.name,
            OptionName::Dimension(Some(name))
        );
        return Err(Error::new(Kind::Map, message));
    }
    Ok(Some(Axis::bare(name, new, vec![AxisPart::bare(size, 0)], vec![0; shares.len()])))
}

fn charted(name: &str, new: bool, shares: &[Share], wishes: &Wishes) -> Result<Axis> {
    let templates: Vec<&Arc<Template>> =
        shares.iter().filter_map(|s| s.coordinate.map(|c| &c.template)).collect();
    let mut converter = Converter::to(templates[0]);
    let (mut parts, mut part_of) = distinct(shares, &mut converter)?;
    let place = |e: Error| Error::new(e.kind(), format!("coordinate '{name}': {}", e.message()));
    let has_labels = |part: &&AxisPart| matches!(part.coordinates, CoordinateValues::Labels(_));
    if let (Some(labels), Some(numbers)) =
        (parts.iter().find(has_labels), parts.iter().find(|part| !has_labels(part)))
    {
        let [labels, numbers] = [labels, numbers].map(|part| &shares[part.member].input.name);
        let message = format!("'{name}' has labels in {labels} and numbers in {numbers}");
        return Err(Error::new(Kind::Map, message));
    }
    let descending = direction(&parts, shares, converter.slack()).map_err(place)?;
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| {
        let by_marks = compare(&parts[a], &parts[b]);
        if descending {
            by_marks.reverse()
        } else {
            by_marks
        }
    });
    // The units are those of the first part, whatever the order of the files.
    let reference = templates[order.first().map_or(0, |&first| parts[first].member)].clone();
    if !converter.is_in(&reference) {
        converter = Converter::to(&reference);
        (parts, part_of) = distinct(shares, &mut converter)?;
    }
    // Files may round the same coordinates differently: neighbours that are close are one part.
    let mut merged: Vec<AxisPart> = Vec::with_capacity(parts.len());
    let mut new_number = vec![0; parts.len()];
    for &old in &order {
        let part = &parts[old];
        if !merged
            .last()
            .is_some_and(|last: &AxisPart| last.coordinates.same(&part.coordinates, converter.slack()))
        {
            merged.push(part.clone());
        }
        new_number[old] = merged.len() - 1;
    }
    drop(parts);
    for number in &mut part_of {
        *number = new_number[*number];
    }
    for part in &mut merged {
        part.cells = match shares[part.member].bounds {
            Some(bounds) => converter.coordinates(bounds).ok(),
            None => Some(CoordinateValues::Nothing),
        };
    }
    let reference = Some(reference);
    let parts = Arc::new(merged);
    let mut axis = Axis { name: name.to_owned(), new, parts, part_of, reference, gaps: None };
    overlap::none(&axis, shares, descending, converter.slack())?;
    match gap::all(&axis, shares, descending) {
        Some(gaps) if !wishes.gaps => {
            Err(Error::new(Kind::Map, format!("{gaps}; {} accepts this", OptionName::AllowGaps)))
        }
        gaps => {
            axis.gaps = gaps;
            Ok(axis)
        }
    }
}

/// Returns the distinct coordinates, and for each member the index of its own.
fn distinct(shares: &[Share], converter: &mut Converter) -> Result<(Vec<AxisPart>, Vec<usize>)> {
    // What is equal in memory is converted once.
    let mut known = HashMap::new();
    let mut parts: Vec<AxisPart> = Vec::new();
    let mut part_of = Vec::with_capacity(shares.len());
    for (member, share) in shares.iter().enumerate() {
        let Some(coordinate) = share.coordinate else { continue };
        let key = match &coordinate.content {
            Content::Kept(kept) => Some((kept.identity(), Arc::as_ptr(&coordinate.template))),
            _ => None,
        };
        if let Some(&part) = key.and_then(|key| known.get(&key)) {
            part_of.push(part);
            continue;
        }
        let coordinates = converter.coordinates(coordinate).map_err(|e| e.in_file(&*share.input.name))?;
        known.extend(key.map(|key| (key, parts.len())));
        part_of.push(parts.len());
        parts.push(AxisPart { coordinates, ..AxisPart::bare(share.size, member) });
    }
    Ok((parts, part_of))
}

fn start(part: &AxisPart) -> f64 {
    match &part.coordinates {
        CoordinateValues::Numbers(v) => v.first().copied().unwrap_or(f64::INFINITY),
        _ => f64::INFINITY,
    }
}

fn compare(a: &AxisPart, b: &AxisPart) -> std::cmp::Ordering {
    match (&a.coordinates, &b.coordinates) {
        (CoordinateValues::Labels(x), CoordinateValues::Labels(y)) => {
            let natural = |list: &[String]| {
                list.iter().map(|s| super::pattern::natural(s.as_ref())).collect::<Vec<_>>()
            };
            natural(x).cmp(&natural(y))
        }
        _ => start(a).total_cmp(&start(b)),
    }
}

/// Returns whether coordinates run downwards.
fn direction(parts: &[AxisPart], shares: &[Share], slack: f64) -> Result<bool> {
    if parts.iter().all(|part| part.coordinates.same(&parts[0].coordinates, slack)) {
        return Ok(false);
    }
    let mut found: Option<(bool, usize)> = None;
    for part in parts {
        let CoordinateValues::Numbers(values) = &part.coordinates else { continue };
        let name = &shares[part.member].input.name;
        if values.iter().any(|x| x.is_nan()) {
            let message = format!("it has missing values in {name}, so parts cannot be joined");
            return Err(Error::new(Kind::Map, message));
        }
        let Some(down) = values.windows(2).next().map(|w| w[1] < w[0]) else { continue };
        let ordered = values.windows(2).all(|w| if down { w[1] < w[0] } else { w[1] > w[0] });
        if !ordered {
            return Err(Error::new(
                Kind::Map,
                format!("its values in {name} are not in order, so parts cannot be joined"),
            ));
        }
        match found {
            Some((other, member)) if other != down => {
                let message =
                    format!("it runs in opposite directions in {} and {name}", shares[member].input.name);
                return Err(Error::new(Kind::Map, message));
            }
            _ => found = Some((down, part.member)),
        }
    }
    Ok(found.is_some_and(|(down, _)| down))
}

/// Returns a number without rounding noise.
fn show(x: f64) -> String {
    if x.abs() >= 1e15 {
        return format!("{x:e}");
    }
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_without_noise() {
        for (x, text) in [(1.0, "1"), (0.5, "0.5"), (1.0 / 3.0, "0.333333"), (-20.0, "-20"), (1e300, "1e300")]
        {
            assert_eq!(show(x), text);
        }
    }

    #[test]
    fn times_have_dates_where_there_are_any() {
        let scale = Scale(TimeUnits::parse("days since 2000-01-01", None).ok());
        let part = |list: &[f64]| AxisPart {
            coordinates: CoordinateValues::Numbers(list.into()),
            ..AxisPart::bare(1, 0)
        };
        assert_eq!(scale.full_range(&part(&[1.0])), "1 (2000-01-02 00:00:00)");
        assert_eq!(scale.full_range(&part(&[1e300])), "1e300");
        assert_eq!(Scale(None).full_range(&part(&[1.0, 2.0, 3.0])), "1 to 3");
    }
}
