//! Tells apart variables that have the same name but cannot be one: on several grids, or forecasts from several starts.
//! Each becomes a variable of its own, as cf-python makes a field of each.
//!
//! The [`RULES`] are tried in order, and only if the members do not fit together. So files that overlap or occur twice
//! and are not of different grids or starts remain an error. Only forecasts of CMIP, which name their start in an
//! attribute, are told apart first, since the forecasts of two starts may follow each other in time.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::axis::Share;
use super::coordinate_values::{Converter, CoordinateValues};
use super::field::{self, Field, Member};
use super::kept_values::Identity;
use super::labels;
use super::listing::{listed, short};
use super::record::{Content, Input, Template};
use super::{roles, Options};
use crate::canonical::TimeUnits;
use crate::error::Error;
use crate::value::Attributes;

/// Global attributes that describe the origin of a file, such as its model. If they tell variables apart, each variable
/// has its own.
const TRAITS: [&str; 9] = [
    GRID,
    "grid",
    "nominal_resolution",
    START,
    "sub_experiment",
    MEMBER,
    "experiment_id",
    "source_id",
    "model_id",
];

const GRID: &str = "grid_label";
const START: &str = "sub_experiment_id";
const MEMBER: &str = "variant_label";

/// The maximum number of bytes of a trait. It is small, since traits are kept for every file.
const LONGEST: usize = 256;

/// The maximum number of variables that are made of one.
const MOST: usize = 1000;

/// The maximum number of different coordinates of a dimension that are compared with each other.
const MOST_PARTS: usize = 100;

/// The traits of a file: indices in [`TRAITS`], and values.
pub(super) type Traits = Vec<(u8, String)>;

/// Returns the attributes of a file that are traits.
pub(super) fn traits(attributes: &Attributes) -> Traits {
    let own = |(at, name): (usize, &&str)| {
        let value = labels::text(attributes, name).filter(|value| value.len() <= LONGEST)?;
        Some((at as u8, value))
    };
    TRAITS.iter().enumerate().filter_map(own).collect()
}

fn value_of<'a>(input: &'a Input, name: &str) -> Option<&'a str> {
    let traits = input.traits.as_ref()?;
    traits.iter().find(|(at, _)| TRAITS[usize::from(*at)] == name).map(|(_, value)| &**value)
}

/// Adds the traits that a variable of the existing aggregation has to a variable of a file, with the values of the file.
pub(super) fn carry_over(existing: &Attributes, file: &Input, attributes: &mut Attributes) {
    for name in TRAITS.iter().filter(|name| existing.text(name).is_some()) {
        if let (Some(value), None) = (value_of(file, name), attributes.get(name)) {
            attributes.set_text(name, value);
        }
    }
}

/// Returns an attribute in which two files differ; the one that names members of an ensemble is compared first.
pub(super) fn differing(a: &Input, b: &Input) -> Option<&'static str> {
    let differ = |name: &&str| match (value_of(a, name), value_of(b, name)) {
        (Some(own), Some(other)) => own != other,
        _ => false,
    };
    [MEMBER].into_iter().chain(TRAITS).find(differ)
}

/// Arranges members as one field. Also returns the error that says why they do not fit together.
pub(super) type Draft<'a> = dyn Fn(Vec<Member>) -> (Field, Option<Error>) + 'a;

/// Fields of one name. If there are several, `by` says in what they differ.
pub(super) struct Arranged {
    pub fields: Vec<(Field, Option<Error>)>,
    pub by: Option<&'static str>,
}

/// The members of each variable.
type Classes = Vec<Vec<Member>>;

/// A way to tell members apart.
struct Rule {
    /// The difference, for messages.
    what: &'static str,
    classes: fn(&[Input], &[Member]) -> Option<Classes>,
    /// Whether members of different classes can never be one variable.
    is_certain: bool,
}

const RULES: [Rule; 6] = [
    Rule { what: "their dimensions", classes: by_dimensions, is_certain: true },
    Rule { what: GRID, classes: by_grid_label, is_certain: false },
    Rule { what: "their horizontal coordinates", classes: by_horizontal_coordinates, is_certain: true },
    Rule { what: START, classes: by_start, is_certain: false },
    Rule { what: "their reference times", classes: by_reference_time, is_certain: false },
    Rule { what: "the epochs of their times", classes: by_epoch, is_certain: false },
];

/// Arranges the members of a variable as one field, or as several.
pub(super) fn arrange(
    inputs: &[Input],
    members: Vec<Member>,
    options: &Options,
    draft: &Draft<'_>,
) -> Arranged {
    if options.new_dimension.is_none() {
        if let Some(classes) = by_start(inputs, &members).filter(|classes| classes.len() <= MOST) {
            let mut arranged = Arranged { fields: Vec::new(), by: Some(START) };
            for class in ordered(inputs, classes, START) {
                arranged.fields.extend(one(inputs, class, options, draft).fields);
            }
            tell_traits(inputs, &mut arranged.fields);
            return arranged;
        }
    }
    let mut arranged = one(inputs, members, options, draft);
    match arranged.by {
        Some(_) => tell_traits(inputs, &mut arranged.fields),
        None => arranged.fields.iter_mut().for_each(|(field, _)| keep_traits(inputs, field)),
    }
    arranged
}

fn one(inputs: &[Input], members: Vec<Member>, options: &Options, draft: &Draft<'_>) -> Arranged {
    let all = members.clone();
    let (field, fault) = draft(members);
    let found = fault.as_ref().and_then(|_| parted(inputs, &all, &RULES, options, draft));
    found.unwrap_or_else(|| Arranged { fields: vec![(field, fault)], by: None })
}

/// Returns the fields of members that do not fit together, if a rule tells them apart.
fn parted(
    inputs: &[Input],
    members: &[Member],
    rules: &[Rule],
    options: &Options,
    draft: &Draft<'_>,
) -> Option<Arranged> {
    for (at, rule) in rules.iter().enumerate() {
        let classes = (rule.classes)(inputs, members).filter(|classes| (2..=MOST).contains(&classes.len()));
        let Some(classes) = classes else { continue };
        // Members with a label each belong along the new dimension, not into variables of their own.
        if options.labelled().is_some_and(|name| have_a_label_each(inputs, &classes, name)) {
            continue;
        }
        let mut fields = Vec::with_capacity(classes.len());
        for class in ordered(inputs, classes, rule.what) {
            match draft(class.clone()) {
                (field, None) => fields.push((field, None)),
                (field, fault) => match parted(inputs, &class, &rules[at + 1..], options, draft) {
                    Some(more) => fields.extend(more.fields),
                    None => fields.push((field, fault.map(|e| placed(e, inputs, &class, rule.what)))),
                },
            }
        }
        if rule.is_certain || fields.iter().all(|(_, fault)| fault.is_none()) {
            return Some(Arranged { fields, by: Some(rule.what) });
        }
    }
    None
}

/// Returns the members of each variable in an order that does not depend on that of the files.
fn ordered(inputs: &[Input], mut classes: Classes, what: &str) -> Classes {
    classes.sort_by_cached_key(|class| {
        let value = class.first().and_then(|m| value_of(&inputs[m.input], what));
        field::precedence(inputs, class, value)
    });
    classes
}

/// Returns whether all members of each variable have the same label along a new dimension.
fn have_a_label_each(inputs: &[Input], classes: &Classes, name: &str) -> bool {
    let label = |member: &Member| match inputs[member.input].item(name).map(|item| &item.content) {
        Some(Content::Kept(values)) => Some(values.identity()),
        _ => None,
    };
    classes.iter().all(|class| {
        let first = class.first().and_then(label);
        first.is_some() && class.iter().all(|member| label(member) == first)
    })
}

/// Returns an error of files that were told apart, with the class of files that it is about.
fn placed(error: Error, inputs: &[Input], class: &[Member], what: &str) -> Error {
    let first = class.first().map_or("", |member| &*inputs[member.input].name);
    let more = if class.len() > 1 { format!(" and {} others", class.len() - 1) } else { String::new() };
    let message = format!("{}; files differ in {what}, and these are {first}{more}", error.message());
    let mut placed = Error::new(error.kind(), message);
    if let Some(variable) = error.variable() {
        placed = placed.in_variable(variable);
    }
    match error.file() {
        Some(file) => placed.in_file(file),
        None => placed,
    }
}

/// Marks the fields as told apart, and adds to each the traits that all its files share and not all other fields have.
fn tell_traits(inputs: &[Input], fields: &mut [(Field, Option<Error>)]) {
    fields.iter_mut().for_each(|(field, _)| field.is_told_apart = true);
    for name in TRAITS {
        let values: Vec<Option<&str>> = fields
            .iter()
            .map(|(field, _)| {
                let mut all = field.members.iter().map(|m| value_of(&inputs[m.input], name));
                let first = all.next().flatten();
                first.filter(|_| all.all(|other| other == first))
            })
            .collect();
        if values.iter().all(|value| *value == values[0]) {
            continue;
        }
        for ((field, _), value) in fields.iter_mut().zip(values) {
            field.traits.extend(value.map(|value| (name, value.to_owned())));
        }
    }
}

/// Keeps the traits of a variable of an aggregation that was told apart from others, even if these are gone.
fn keep_traits(inputs: &[Input], field: &mut Field) {
    let existing = field.members.iter().find(|m| inputs[m.input].variable.is_some());
    let Some(existing) = existing else { return };
    let attributes = &template(inputs, existing).attributes;
    let agreed = |name: &str| {
        let value = attributes.text(name)?;
        field.members.iter().all(|m| value_of(&inputs[m.input], name) == Some(&*value)).then_some(value)
    };
    let kept: Vec<(&'static str, String)> =
        TRAITS.into_iter().filter_map(|name| Some((name, agreed(name)?))).collect();
    field.traits.extend(kept);
}

/// Returns a note on variables that were told apart: for each its name in the aggregation, and the field.
pub(super) fn note(inputs: &[Input], by: &str, fields: &[(String, Field)]) -> String {
    let entry = |(name, field): &(String, Field)| {
        let value =
            field.traits.iter().find(|(trait_, _)| *trait_ == by).map(|(_, value)| short(value) + ", ");
        let first = &field.input(inputs, 0).name;
        let more = match field.cells.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        format!("{name} ({}{first}{more})", value.unwrap_or_default())
    };
    let original = fields.first().map_or("", |(_, field)| &*field.name);
    let list = listed(fields.iter().map(entry), fields.len() as u128);
    format!("the files with '{original}' differ in {by}; they are {} variables: {list}", fields.len())
}

/// Returns the members by key, in the order in which the keys occur; `None` if there are not several keys.
fn classes<K: std::hash::Hash + Eq>(members: &[Member], keys: Vec<K>) -> Option<Classes> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut classes = Classes::new();
    for (member, key) in members.iter().zip(keys) {
        let next = classes.len();
        let place = *places.entry(key).or_insert(next);
        if place == next {
            classes.push(Vec::new());
        }
        classes[place].push(*member);
    }
    (classes.len() > 1).then_some(classes)
}

fn template<'a>(inputs: &'a [Input], member: &Member) -> &'a Arc<Template> {
    &inputs[member.input].items[member.item].template
}

/// Tells members apart by their dimensions, if neither list contains the other. Other names of the same dimensions make
/// no difference.
fn by_dimensions(inputs: &[Input], members: &[Member]) -> Option<Classes> {
    let mut known: HashMap<*const Template, Vec<String>> = HashMap::new();
    for member in members {
        let own = template(inputs, member);
        known.entry(Arc::as_ptr(own)).or_insert_with(|| {
            let file = &inputs[member.input];
            own.dimensions.iter().map(|name| identity(file, name)).collect()
        });
        if known.len() > MOST {
            return None;
        }
    }
    let mut lists: Vec<&Vec<String>> = known.values().collect();
    lists.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    let mut kinds: Vec<&Vec<String>> = Vec::new();
    let contains = |kind: &Vec<String>, list: &Vec<String>| list.iter().all(|name| kind.contains(name));
    for list in lists {
        if !kinds.iter().any(|kind| contains(kind, list)) {
            kinds.push(list);
        }
    }
    let kind = |member: &Member| {
        let own = &known[&Arc::as_ptr(template(inputs, member))];
        kinds.iter().position(|kind| contains(kind, own))
    };
    classes(members, members.iter().map(kind).collect())
}

/// Returns the meaning of a dimension: the standard name of its coordinates, else its name.
fn identity(input: &Input, dimension: &str) -> String {
    let coordinate = input.item(dimension).filter(|item| roles::is_coordinate(&item.template));
    coordinate.and_then(|item| item.template.text("standard_name")).unwrap_or_else(|| dimension.to_owned())
}

fn by_grid_label(inputs: &[Input], members: &[Member]) -> Option<Classes> {
    by_attribute(inputs, members, GRID)
}

fn by_start(inputs: &[Input], members: &[Member]) -> Option<Classes> {
    by_attribute(inputs, members, START)
}

/// Tells members apart by an attribute that all files have.
fn by_attribute(inputs: &[Input], members: &[Member], name: &str) -> Option<Classes> {
    let keys = members.iter().map(|m| value_of(&inputs[m.input], name).filter(|value| *value != "none"));
    classes(members, keys.collect::<Option<Vec<&str>>>()?)
}

/// Tells members apart by their grids: horizontal coordinates that all cover a common range, and differ there. Tiles that
/// overlap by mistake have the same coordinates there.
fn by_horizontal_coordinates(inputs: &[Input], members: &[Member]) -> Option<Classes> {
    let dimensions = &template(inputs, members.first()?).dimensions;
    let mut keys: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    for name in dimensions {
        let Some((parts, part_of)) = parts(inputs, members, name) else { continue };
        let pairs = (0..parts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mut pairs = pairs.map(|(a, b)| are_different_grids(&parts[a], &parts[b])).peekable();
        if pairs.peek().is_some() && pairs.all(|differ| differ) {
            keys.iter_mut().zip(part_of).for_each(|(key, part)| key.push(part));
        }
    }
    classes(members, keys)
}

/// Returns the different coordinates of a horizontal dimension, in ascending order each, and for each member the index
/// of its own.
fn parts(inputs: &[Input], members: &[Member], name: &str) -> Option<(Vec<Vec<f64>>, Vec<usize>)> {
    let coordinate = |m: &Member| inputs[m.input].item(name).filter(|c| roles::is_coordinate(&c.template));
    let first = coordinate(members.first()?).filter(|item| is_horizontal(&item.template))?;
    let mut converter = Converter::to(&first.template);
    let mut places = HashMap::new();
    let mut parts: Vec<Vec<f64>> = Vec::new();
    let mut part_of = Vec::with_capacity(members.len());
    for member in members {
        let item = coordinate(member)?;
        let Content::Kept(kept) = &item.content else { return None };
        let key = (kept.identity(), Arc::as_ptr(&item.template));
        if let Some(&place) = places.get(&key) {
            part_of.push(place);
            continue;
        }
        let CoordinateValues::Numbers(list) = converter.coordinates(item).ok()? else { return None };
        let mut own = list.to_vec();
        own.sort_by(f64::total_cmp);
        let place = parts.iter().position(|known| alike(known, &own)).unwrap_or(parts.len());
        if place == parts.len() {
            parts.push(own);
        }
        if parts.len() > MOST_PARTS {
            return None;
        }
        places.insert(key, place);
        part_of.push(place);
    }
    Some((parts, part_of))
}

fn is_horizontal(template: &Template) -> bool {
    let names = ["latitude", "longitude", "projection_x_coordinate", "projection_y_coordinate"];
    let standard = template.text("standard_name").unwrap_or_default();
    names.iter().any(|name| standard.ends_with(name))
        || template.units.as_deref().is_some_and(|units| units.starts_with("degree"))
        || matches!(template.text("axis").as_deref(), Some("X" | "Y"))
}

fn alike(a: &[f64], b: &[f64]) -> bool {
    let [a, b] = [a, b].map(|list| CoordinateValues::Numbers(list.into()));
    a.same(&b, 0.0)
}

/// Returns whether coordinates in ascending order cover a common range, and differ there.
fn are_different_grids(a: &[f64], b: &[f64]) -> bool {
    let ([first, .., last], [begin, .., end]) = (a, b) else { return false };
    let (low, high) = (first.max(*begin), last.min(*end));
    let step = (last - first) / (a.len() - 1) as f64;
    let room = step.abs() * 1e-3;
    let within = |list: &[f64]| -> Vec<f64> {
        list.iter().copied().filter(|x| (low - room..=high + room).contains(x)).collect()
    };
    low < high && !alike(&within(a), &within(b))
}

/// Tells forecasts apart by a scalar coordinate that is the time of their start.
fn by_reference_time(inputs: &[Input], members: &[Member]) -> Option<Classes> {
    let is_start = |input: &Input, name: &str| {
        input.item(name).is_some_and(|item| {
            let standard = item.template.text("standard_name");
            item.template.rank() == 0 && standard.as_deref() == Some("forecast_reference_time")
        })
    };
    let first = members.first()?;
    let named = template(inputs, first).text("coordinates")?;
    let name = named.split_whitespace().find(|name| is_start(&inputs[first.input], name))?;
    let mut converter = Converter::to(&inputs[first.input].item(name)?.template);
    let mut key = |member: &Member| {
        let input = &inputs[member.input];
        let item = input.item(name).filter(|_| is_start(input, name))?;
        match converter.coordinates(item).ok()? {
            // Starts differ by more than rounding.
            CoordinateValues::Numbers(list) => list.first().map(|x| format!("{x:.6}")),
            _ => None,
        }
    };
    let keys: Option<Vec<String>> = members.iter().map(&mut key).collect();
    classes(members, keys?)
}

/// Tells forecasts apart that count the same times from different starts, if each overlaps the next one.
fn by_epoch(inputs: &[Input], members: &[Member]) -> Option<Classes> {
    let dimensions = &template(inputs, members.first()?).dimensions;
    let shares = dimensions.iter().map(|name| field::shares_of(inputs, members, name));
    let is_time = |share: &Share| share.coordinate.is_some_and(|c| epoch(&c.template).is_some());
    let shares = shares.into_iter().find(|shares: &Vec<Share>| shares.iter().all(is_time))?;
    let template = |share: &Share| share.coordinate.map(|c| c.template.clone());
    let epochs: Option<Vec<String>> = shares.iter().map(|share| epoch(&*template(share)?)).collect();
    let epochs = epochs?;
    let found = classes(members, epochs.clone())?;
    let mut converter = Converter::to(&*template(&shares[0])?);
    // For each epoch the first and last time, and the stored numbers of each file.
    let mut ranges: BTreeMap<&str, (f64, f64)> = BTreeMap::new();
    let mut offsets: HashMap<&str, HashSet<Identity>> = HashMap::new();
    for (share, epoch) in shares.iter().zip(&epochs) {
        let item = share.coordinate?;
        let Content::Kept(kept) = &item.content else { return None };
        offsets.entry(epoch).or_default().insert(kept.identity());
        let CoordinateValues::Numbers(list) = converter.coordinates(item).ok()? else { return None };
        let range = ranges.entry(epoch).or_insert((f64::INFINITY, f64::NEG_INFINITY));
        *range = list.iter().fold(*range, |(low, high), &x| (low.min(x), high.max(x)));
    }
    let mut ranges: Vec<(f64, f64)> = ranges.into_values().collect();
    ranges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all_overlap = ranges.windows(2).all(|pair| pair[1].0 <= pair[0].1 && pair[0].0 < pair[1].0);
    let mut offsets = offsets.into_values();
    let first = offsets.next()?;
    (all_overlap && offsets.all(|other| other == first)).then_some(found)
}

/// Returns the unit of the times and the moment from which they are counted.
fn epoch(template: &Template) -> Option<String> {
    let units = TimeUnits::parse(template.units.as_deref()?, template.calendar.as_deref()).ok()?;
    Some(format!("{} {}", units.seconds(), units.decode(0.0)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_differ_where_they_overlap_and_tiles_do_not() {
        for (a, b, differ) in [
            (&[0.0, 1.0, 2.0][..], &[0.0, 0.5, 1.0, 1.5, 2.0][..], true),
            (&[0.0, 1.0, 2.0], &[0.5, 1.5, 2.5], true),
            // Tiles that share a row, or two.
            (&[0.0, 1.0, 2.0], &[2.0, 3.0, 4.0], false),
            (&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0], false),
            // Rounded to single precision.
            (&[0.1, 0.2, 0.3], &[f64::from(0.1f32), f64::from(0.2f32), f64::from(0.3f32)], false),
            (&[0.0, 1.0], &[2.0, 3.0], false),
            (&[0.5], &[0.0, 1.0], false),
        ] {
            assert_eq!(are_different_grids(a, b), differ, "{a:?} {b:?}");
            assert_eq!(are_different_grids(b, a), differ, "{b:?} {a:?}");
        }
    }
}
