//! One dimension of a variable in all its files: which parts there are, and in which order they follow each other.
//!
//! Parts with coordinates are ordered by them; they must run the same way and neither overlap nor, where bounds or a
//! regular distance show it, leave a gap. Parts without coordinates are ordered as the files were given, on request.

use std::collections::HashMap;
use std::sync::Arc;

use super::gap;
use super::marks::{Converter, Marks};
use super::record::{Input, Item, Template};
use crate::canonical::TimeUnits;
use crate::error::{Error, Kind, Result};

/// A part of a dimension that one or more files provide.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub size: u64,
    pub marks: Marks,
    /// The place in the list of members of one that provides it.
    pub member: usize,
}

/// A dimension of a variable.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub name: String,
    /// Whether it is not a dimension of the files.
    pub new: bool,
    pub parts: Vec<Part>,
    /// For each member the number of its part.
    pub part_of: Vec<usize>,
    /// The coordinate variable whose units are those of the marks.
    pub reference: Option<Arc<Template>>,
}

impl Axis {
    pub fn size(&self) -> u64 {
        self.parts.iter().map(|p| p.size).sum()
    }

    pub fn is_split(&self) -> bool {
        self.parts.len() > 1
    }

    /// Gives the coordinates of a part for people; times also as dates.
    pub fn range(&self) -> impl Fn(&Part) -> String {
        let units = self.reference.as_ref().and_then(|reference| {
            TimeUnits::parse(&reference.text("units")?, reference.text("calendar").as_deref()).ok()
        });
        move |part| match &part.marks {
            Marks::Nothing => format!("part of size {}", part.size),
            Marks::Labels(labels) => span(labels),
            Marks::Numbers(list) => {
                let ends: Vec<f64> =
                    list.first().into_iter().chain(list.last().filter(|_| list.len() > 1)).copied().collect();
                let numbers = span(&ends.iter().map(|&x| show(x)).collect::<Vec<_>>());
                let date = |units: &TimeUnits, &x: &f64| units.decode(x).map(|date| date.to_string());
                let dates: Option<Vec<String>> =
                    units.as_ref().and_then(|units| ends.iter().map(|x| date(units, x)).collect());
                dates.map_or(numbers.clone(), |dates| format!("{numbers} ({})", span(&dates)))
            }
        }
    }
}

/// The first and the last.
fn span(list: &[String]) -> String {
    match list {
        [] => String::new(),
        [one] => one.clone(),
        [first, .., last] => format!("{first} to {last}"),
    }
}

/// One member's share in a dimension.
pub(super) struct Share<'a> {
    pub input: &'a Input,
    pub coordinate: Option<&'a Item>,
    pub bounds: Option<&'a Item>,
    pub size: u64,
}

/// What may be done about a dimension.
pub(super) struct Wishes {
    /// Whether the dimension was named as one to be joined.
    pub named: bool,
    /// Whether gaps are allowed.
    pub gaps: bool,
}

/// The axis of a dimension with coordinates, or of one size without; `None` when only the order of files can tell.
///
/// # Errors
/// `Map` when parts overlap, leave a gap or cannot be told apart, `Units` and `Calendar`.
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
            "dimension '{name}' has no coordinates and size {size} in {} but {} in {}; --dim {name} joins them in the \
             order of the files",
            shares[0].input.name, other.size, other.input.name
        );
        return Err(Error::new(Kind::Map, message));
    }
    let parts = vec![Part { size, marks: Marks::Nothing, member: 0 }];
    Ok(Some(Axis { name: name.to_owned(), new, parts, part_of: vec![0; shares.len()], reference: None }))
}

fn charted(name: &str, new: bool, shares: &[Share], wishes: &Wishes) -> Result<Axis> {
    let templates: Vec<&Arc<Template>> =
        shares.iter().filter_map(|s| s.coordinate.map(|c| &c.template)).collect();
    let first = templates[0];
    let (mut parts, mut part_of) = distinct(shares, first)?;
    // The units are those of the part that comes first, whatever the order of the files.
    let earliest = parts.iter().min_by(|a, b| start(a).total_cmp(&start(b))).map_or(0, |p| p.member);
    let mut reference = templates[earliest].clone();
    if !Converter::to(&reference, None).is_in(first, None) {
        (parts, part_of) = distinct(shares, &reference)?;
    } else {
        reference = templates[earliest].clone();
    }
    let place = |e: Error| Error::new(e.kind(), format!("coordinate '{name}': {}", e.message()));
    let descending = direction(&parts, shares).map_err(place)?;
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by(|&a, &b| {
        let by_marks = compare(&parts[a], &parts[b]);
        if descending {
            by_marks.reverse()
        } else {
            by_marks
        }
    });
    // Files may round the same coordinates differently: neighbours that are close are one part.
    let mut merged: Vec<Part> = Vec::with_capacity(parts.len());
    let mut new_number = vec![0; parts.len()];
    for &old in &order {
        let part = &parts[old];
        if !merged.last().is_some_and(|last: &Part| last.marks.same(&part.marks)) {
            merged.push(part.clone());
        }
        new_number[old] = merged.len() - 1;
    }
    for number in &mut part_of {
        *number = new_number[*number];
    }
    let axis = Axis { name: name.to_owned(), new, parts: merged, part_of, reference: Some(reference) };
    no_overlap(&axis, shares, descending)?;
    if !wishes.gaps {
        gap::none(&axis, shares, descending)?;
    }
    Ok(axis)
}

/// The different coordinates, and for each member which it has.
fn distinct(shares: &[Share], reference: &Template) -> Result<(Vec<Part>, Vec<usize>)> {
    let mut converter = Converter::to(reference, None);
    let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
    let mut parts: Vec<Part> = Vec::new();
    let mut part_of = Vec::with_capacity(shares.len());
    for (member, share) in shares.iter().enumerate() {
        let Some(coordinate) = share.coordinate else { continue };
        let marks = converter.marks(coordinate, None).map_err(|e| e.in_file(&*share.input.name))?;
        let key = match &marks {
            Marks::Numbers(v) => (v.as_ptr() as usize, 0),
            Marks::Labels(v) => (v.as_ptr() as usize, 1),
            Marks::Nothing => (0, 2),
        };
        let number = *numbers.entry(key).or_insert_with(|| {
            parts.push(Part { size: share.size, marks, member });
            parts.len() - 1
        });
        part_of.push(number);
    }
    Ok((parts, part_of))
}

fn start(part: &Part) -> f64 {
    match &part.marks {
        Marks::Numbers(v) => v.first().copied().unwrap_or(f64::INFINITY),
        _ => f64::INFINITY,
    }
}

fn compare(a: &Part, b: &Part) -> std::cmp::Ordering {
    match (&a.marks, &b.marks) {
        (Marks::Labels(x), Marks::Labels(y)) => {
            let natural =
                |list: &[String]| list.iter().map(|s| super::inputs::natural(s)).collect::<Vec<_>>();
            natural(x).cmp(&natural(y))
        }
        _ => start(a).total_cmp(&start(b)),
    }
}

/// Whether coordinates run downwards.
fn direction(parts: &[Part], shares: &[Share]) -> Result<bool> {
    if parts.len() < 2 {
        return Ok(false);
    }
    let mut found: Option<(bool, usize)> = None;
    for part in parts {
        let Marks::Numbers(values) = &part.marks else { continue };
        let Some(down) = values.windows(2).next().map(|w| w[1] < w[0]) else { continue };
        let name = &shares[part.member].input.name;
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

fn no_overlap(axis: &Axis, shares: &[Share], descending: bool) -> Result<()> {
    for pair in axis.parts.windows(2) {
        let problem = match (&pair[0].marks, &pair[1].marks) {
            (Marks::Numbers(a), Marks::Numbers(b)) => {
                let (Some(&last), Some(&next)) = (a.last(), b.first()) else { continue };
                let apart = if descending { next < last } else { next > last };
                (!apart).then(|| {
                    format!("{} to {} and {} to {}", show(a[0]), show(last), show(next), show(b[b.len() - 1]))
                })
            }
            (Marks::Labels(a), Marks::Labels(b)) => {
                a.iter().find(|label| b.contains(label)).map(|label| format!("both have '{label}'"))
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let names = [pair[0].member, pair[1].member].map(|m| &shares[m].input.name);
            let message = format!("'{}' of {} and {} overlap: {problem}", axis.name, names[0], names[1]);
            return Err(Error::new(Kind::Map, message));
        }
    }
    Ok(())
}

/// A number without noise.
pub(super) fn show(x: f64) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
