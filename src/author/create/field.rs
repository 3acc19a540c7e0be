//! A variable over all files that hold a part of it: which files belong together, and how their parts are arranged.
//!
//! Variables belong together if they have the same name, standard name and cell methods. A variable of another name
//! also belongs to them if it has the same standard name, cell methods and dimensions, in a file without the first
//! name.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::sync::Arc;

use super::axis::{self, Axis, AxisPart, Share, Wishes};
use super::pattern::natural;
use super::record::{Content, Input, Item, Template};
use super::{bounds, cells, ragged, roles, scan, unify, Options};
use crate::author::option_name::OptionName;
use crate::error::{Error, Kind, Result};

/// A variable of an input: the index of the input, and that of the variable in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub input: usize,
    pub item: usize,
}

/// A variable over all its files.
#[derive(Debug)]
pub(super) struct Field {
    pub name: String,
    pub members: Vec<Member>,
    pub axes: Vec<Axis>,
    /// The member in each cell of the array of parts, in C order.
    pub cells: Vec<usize>,
    /// Whether all files have the whole variable with the same values.
    pub is_static: bool,
    /// If so, a member for each other description of it.
    pub others: Vec<Member>,
    /// Whether it is one of several variables that have the same name in the files, and the attributes in which they
    /// differ.
    pub is_told_apart: bool,
    pub traits: Vec<(&'static str, String)>,
}

impl Field {
    pub fn item<'a>(&self, inputs: &'a [Input], member: usize) -> &'a Item {
        let m = self.members[member];
        &inputs[m.input].items[m.item]
    }

    pub fn input<'a>(&self, inputs: &'a [Input], member: usize) -> &'a Input {
        &inputs[self.members[member].input]
    }
}

/// Returns the data variables of the inputs, each with its members in the order of the inputs.
pub(super) fn group(inputs: &[Input]) -> Vec<(String, Vec<Member>)> {
    type Key = (String, Option<String>, Option<String>);
    let mut places: HashMap<Key, usize> = HashMap::new();
    // Files mostly share their descriptions.
    let mut known: HashMap<*const Template, usize> = HashMap::new();
    let mut groups: Vec<(Key, Vec<Member>)> = Vec::new();
    for (input, file) in inputs.iter().enumerate() {
        for (item, found) in file.items.iter().enumerate().filter(|(_, i)| i.is_data) {
            let t = &found.template;
            let place = *known.entry(Arc::as_ptr(t)).or_insert_with(|| {
                let methods =
                    t.text("cell_methods").map(|m| m.split_whitespace().collect::<Vec<_>>().join(" "));
                let key = (t.name.clone(), t.text("standard_name"), methods);
                *places.entry(key.clone()).or_insert_with(|| {
                    groups.push((key, Vec::new()));
                    groups.len() - 1
                })
            });
            groups[place].1.push(Member { input, item });
        }
    }
    let mut out: Vec<(Key, Vec<Member>)> = Vec::new();
    // Those that may take in variables of another name.
    let mut kinds: HashMap<_, Vec<usize>> = HashMap::new();
    for (key, members) in groups {
        let Member { input, item } = members[0];
        let dimensions = &inputs[input].items[item].template.dimensions;
        let kind = (key.1.clone(), key.2.clone(), folder(&key.0).to_owned(), dimensions);
        let kin = kinds.entry(kind).or_default();
        let is_kin = |&&at: &&usize| {
            let (other, theirs): &(Key, Vec<Member>) = &out[at];
            other.0 != key.0
                // Variables of an aggregation are different ones.
                && (first_existing(inputs, theirs).is_none() || first_existing(inputs, &members).is_none())
                && !theirs.iter().any(|t| members.binary_search_by_key(&t.input, |m| m.input).is_ok())
        };
        match kin.iter().find(is_kin).filter(|_| key.1.is_some()).copied() {
            Some(at) => {
                out[at].1.extend(members);
                out[at].1.sort_by_key(|m| m.input);
            }
            None => {
                kin.push(out.len());
                out.push((key, members));
            }
        }
    }
    // Variables of one name are numbered in an order that does not depend on that of the files.
    let mut namesakes: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, (key, _)) in out.iter().enumerate() {
        namesakes.entry(&key.0).or_default().push(at);
    }
    let mut places: Vec<usize> = (0..out.len()).collect();
    for list in namesakes.into_values().filter(|list| list.len() > 1) {
        let mut sorted = list.clone();
        sorted.sort_by_cached_key(|&at| {
            let (key, members) = &out[at];
            (precedence(inputs, members, None), key.clone())
        });
        list.iter().zip(sorted).for_each(|(&place, at)| places[place] = at);
    }
    let mut out: Vec<_> = out.into_iter().map(|(key, members)| Some((key.0, members))).collect();
    places.into_iter().filter_map(|at| out[at].take()).collect()
}

/// Returns what orders variables of one name, whatever the order of the files: those of an aggregation that is updated
/// come first, then others by their labels and the names of their files.
pub(super) fn precedence(inputs: &[Input], members: &[Member], label: Option<&str>) -> impl Ord + use<> {
    let existing = first_existing(inputs, members);
    let name = members.iter().map(|m| natural(OsStr::new(&*inputs[m.input].name))).min();
    (existing.is_none(), existing, label.map(|label| natural(OsStr::new(label))), name)
}

/// Returns the first input with a part of these members that is in the aggregation to be updated.
fn first_existing(inputs: &[Input], members: &[Member]) -> Option<usize> {
    let is_existing = |m: &&Member| {
        let item = &inputs[m.input].items[m.item];
        item.fragment.is_some() || item.by_value
    };
    members.iter().find(is_existing).map(|m| m.input)
}

/// Returns the group in the path of a variable.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Arranges the members of a variable as far as that is possible; and returns why it is not possible completely: `Map` if
/// parts overlap, are missing, occur twice or leave gaps (the message names the files); `Rank`, `Units`, `Calendar`.
pub(super) fn draft(
    inputs: &[Input],
    name: &str,
    members: Vec<Member>,
    options: &Options,
) -> (Field, Option<Error>) {
    let (axes, cells, others, traits) = Default::default();
    let (is_static, is_told_apart) = (false, false);
    let mut field =
        Field { name: name.to_owned(), members, axes, cells, is_static, others, is_told_apart, traits };
    let fault = place(inputs, &mut field, options).err().map(|e| e.in_variable(name));
    (field, fault)
}

fn place(inputs: &[Input], field: &mut Field, options: &Options) -> Result<()> {
    let whole = (0..field.members.len())
        .rev()
        .max_by_key(|&m| field.item(inputs, m).template.dimensions.len())
        .unwrap_or(0);
    let dimensions = field.item(inputs, whole).template.dimensions.clone();
    for m in 0..field.members.len() {
        check_dimensions(inputs, field, m, &dimensions, whole)?;
    }
    let mut ordered: Option<usize> = None;
    for (position, name) in dimensions.iter().enumerate() {
        let shares = shares(inputs, field, name);
        let wishes = Wishes { named: options.joins(name), gaps: options.allow_gaps };
        match axis::axis(name, false, &shares, &wishes)? {
            Some(axis) => field.axes.push(axis),
            None => {
                let part_of = vec![0; field.members.len()];
                field.axes.push(Axis::bare(name, false, vec![AxisPart::bare(0, 0)], part_of));
                if ordered.replace(position).is_some() {
                    let message = "two dimensions cannot both be joined in the order of the files";
                    return Err(Error::new(Kind::Request, message));
                }
            }
        }
    }
    let labelled = options.labelled().filter(|name| !dimensions.iter().any(|d| d == name));
    // Scalar coordinates of files along a new dimension stay along it: those of a station are no dimensions.
    let is_new = labelled.is_some() || options.ordered().is_some();
    if !is_new && cells::collision(field).is_some() && ordered.is_none() {
        add_scalar_axes(inputs, field, options)?;
    }
    let kept = (0..field.members.len()).any(|m| field.item(inputs, m).by_value);
    let repeated = cells::collision(field).is_some() && ordered.is_none();
    if (kept || repeated) && is_same_everywhere(inputs, field)? {
        field.is_static = true;
        let first = &field.item(inputs, 0).template;
        let mut seen = HashSet::from([Arc::as_ptr(first)]);
        let template = |m: &Member| &inputs[m.input].items[m.item].template;
        field.others =
            field.members.iter().filter(|m| seen.insert(Arc::as_ptr(template(m)))).copied().collect();
        field.members.truncate(1);
        for axis in &mut field.axes {
            axis.part_of.truncate(1);
        }
    } else if let Some(name) = labelled {
        let shares = shares(inputs, field, name);
        let wishes = Wishes { named: false, gaps: true };
        field.axes.splice(0..0, axis::axis(name, true, &shares, &wishes)?);
        match ordered {
            Some(position) => order(inputs, field, position + 1)?,
            None if cells::collision(field).is_some() => add_scalar_axes(inputs, field, options)?,
            None => {}
        }
    } else if let Some(new) = options.ordered().filter(|_| ordered.is_none()) {
        field.axes.insert(0, Axis::bare(new, true, Vec::new(), Vec::new()));
        order(inputs, field, 0)?;
    } else if let Some(position) = ordered {
        order(inputs, field, position)?;
    }
    cells::fill(inputs, field, options)
}

fn check_dimensions(
    inputs: &[Input],
    field: &Field,
    m: usize,
    dimensions: &[String],
    whole: usize,
) -> Result<()> {
    let own = &field.item(inputs, m).template.dimensions;
    let input = field.input(inputs, m);
    let mut rest = own.iter();
    let mut next = rest.next();
    for name in dimensions {
        if next == Some(name) {
            next = rest.next();
        } else if input.item(name).is_none_or(|i| i.template.rank() != 0) {
            break;
        }
    }
    let fits = next.is_none()
        && dimensions
            .iter()
            .all(|d| own.contains(d) || input.item(d).is_some_and(|i| i.template.rank() == 0));
    if fits {
        return Ok(());
    }
    let absent: Vec<&String> = dimensions.iter().filter(|d| !own.contains(d)).collect();
    let hint = match absent[..] {
        [one] if own.len() + 1 == dimensions.len() => format!(
            "; a file without '{one}' needs a scalar coordinate of this name, or {} with {} to \
             follow the existing files",
            OptionName::Update,
            OptionName::NewDimension(Some(one))
        ),
        _ => String::new(),
    };
    let message = format!(
        "its dimensions are ({}) in {} and ({}) in {}{hint}",
        dimensions.join(", "),
        field.input(inputs, whole).name,
        own.join(", "),
        input.name
    );
    Err(Error::new(Kind::Rank, message))
}

/// Returns the share of each member in a dimension.
fn shares<'a>(inputs: &'a [Input], field: &Field, name: &str) -> Vec<Share<'a>> {
    shares_of(inputs, &field.members, name)
}

/// Returns the share of each of these members in a dimension.
pub(super) fn shares_of<'a>(inputs: &'a [Input], members: &[Member], name: &str) -> Vec<Share<'a>> {
    let share = |member: &Member| {
        let input = &inputs[member.input];
        let item = &input.items[member.item];
        let position = item.template.dimensions.iter().position(|d| d == name);
        let size = position.map_or(1, |p| item.shape[p]);
        let coordinate = input.item(name).filter(|c| {
            let t = &c.template;
            !c.is_data && if position.is_some() { roles::is_coordinate(t) } else { t.rank() == 0 }
        });
        let coordinate =
            coordinate.or_else(|| position.and_then(|_| times_along(input, &item.template, name)));
        let bounds = coordinate.and_then(|c| bounds::of(input, &c.template));
        Share { input, coordinate, bounds, size }
    };
    members.iter().map(share).collect()
}

/// Returns the times along a dimension without coordinate variable, which also order its parts. Times of samples do
/// not: samples are in the order of their instances.
fn times_along<'a>(input: &'a Input, template: &Template, dimension: &str) -> Option<&'a Item> {
    let named = template.text("coordinates")?;
    let found = named.split_whitespace().filter_map(|n| input.item(n)).find(|i| {
        i.template.dimensions == [dimension]
            && i.template.units.as_deref().is_some_and(|u| u.contains(" since "))
            && matches!(i.content, Content::Kept(_))
    });
    found.filter(|_| !ragged::is_sample_dimension(input, dimension))
}

/// Turns scalar coordinates that distinguish members of one cell into dimensions.
fn add_scalar_axes(inputs: &[Input], field: &mut Field, options: &Options) -> Result<()> {
    let template = &field.item(inputs, 0).template;
    let mut names: Vec<String> = template
        .text("coordinates")
        .map(|t| t.split_whitespace().map(str::to_owned).collect())
        .unwrap_or_default();
    // Texts of attributes order nothing.
    names.retain(|n| !field.axes.iter().any(|a| a.name == *n) && !options.keeps(n));
    let mut candidates = Vec::new();
    for name in names {
        let shares = shares(inputs, field, &name);
        if !shares.iter().all(|s| s.coordinate.is_some()) {
            continue;
        }
        let wishes = Wishes { named: false, gaps: options.allow_gaps };
        if let Some(axis) = axis::axis(&name, true, &shares, &wishes)?.filter(Axis::is_split) {
            candidates.push(axis);
        }
    }
    let before = field.axes.clone();
    for candidate in &candidates {
        field.axes.insert(0, candidate.clone());
        if cells::collision(field).is_none() {
            return Ok(());
        }
        field.axes.clone_from(&before);
    }
    field.axes.splice(0..0, candidates);
    if cells::collision(field).is_some() {
        field.axes = before;
    }
    Ok(())
}

/// Returns whether the files do not divide the variable and have the same values.
fn is_same_everywhere(inputs: &[Input], field: &Field) -> Result<bool> {
    if field.axes.iter().any(Axis::is_split) {
        return Ok(false);
    }
    let first = field.item(inputs, 0);
    for m in 1..field.members.len() {
        let other = field.item(inputs, m);
        if other.shape != first.shape || !unify::stored_alike(&other.template, &first.template) {
            return Ok(false);
        }
    }
    let values = scan::read_again(field.input(inputs, 0), &first.template)?;
    for m in 1..field.members.len() {
        if scan::read_again(field.input(inputs, m), &field.item(inputs, m).template)? != values {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Assigns the members of each cell places along an axis, in the order of the files.
fn order(inputs: &[Input], field: &mut Field, position: usize) -> Result<()> {
    let mut cells: HashMap<Vec<usize>, Vec<usize>> = HashMap::new();
    for m in 0..field.members.len() {
        let mut cell: Vec<usize> =
            field.axes.iter().map(|a| a.part_of.get(m).copied().unwrap_or(0)).collect();
        cell[position] = 0;
        cells.entry(cell).or_default().push(m);
    }
    let (name, new) = (field.axes[position].name.clone(), field.axes[position].new);
    let mut lists: Vec<&Vec<usize>> = cells.values().collect();
    lists.sort();
    let depth = lists[0].len();
    if let Some(other) = lists.iter().find(|l| l.len() != depth) {
        let message = format!(
            "'{name}' has {depth} files at the place of {} but {} at the place of {}",
            field.input(inputs, lists[0][0]).name,
            other.len(),
            field.input(inputs, other[0]).name
        );
        return Err(Error::new(Kind::Map, message));
    }
    let size = |m: usize| {
        let item = field.item(inputs, m);
        item.template.dimensions.iter().position(|d| *d == name && !new).map_or(1, |p| item.shape[p])
    };
    let mut part_of = vec![0; field.members.len()];
    let mut parts = Vec::with_capacity(depth);
    for k in 0..depth {
        let member = lists[0][k];
        parts.push(AxisPart::bare(size(member), member));
        for list in &lists {
            part_of[list[k]] = k;
            if size(list[k]) != size(member) {
                let message = format!(
                    "'{name}' has size {} in {} and {} in {}, which are neighbours",
                    size(member),
                    field.input(inputs, member).name,
                    size(list[k]),
                    field.input(inputs, list[k]).name
                );
                return Err(Error::new(Kind::Map, message));
            }
        }
    }
    field.axes[position] = Axis::bare(&name, new, parts, part_of);
    Ok(())
}
