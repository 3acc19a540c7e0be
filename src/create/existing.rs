//! An aggregation that is updated: its fragments, with the coordinates that the aggregation has for them, are inputs like
//! the new files. No fragment is opened.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::globals::GroupAttributes;
use super::record::{Content, Input, Interner, Item, State, Template};
use super::{roles, scan, scope};
use crate::container::tree::VariableId;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::inventory::EntrySource;
use crate::model::fragments::{Fragment, Version};
use crate::model::{Aggregation, Dialect};
use crate::options::OpenOptions;
use crate::selection::Selection;
use crate::value::{DataType, Values};
use crate::variable::Variable;

/// What an aggregation file has.
pub(super) struct Existing {
    pub inputs: Vec<Input>,
    pub globals: GroupAttributes,
    pub history: Option<String>,
    pub dialect: Option<Dialect>,
    pub has_state: bool,
    locations: HashSet<String>,
    /// The sizes of the dimensions.
    sizes: HashMap<String, u64>,
}

impl Existing {
    /// Whether a file is a fragment already.
    pub fn has(&self, location: &str) -> bool {
        self.locations.contains(location)
    }

    /// Gives new files numbers along a dimension that an earlier call made of the order of files; `false` when there is no
    /// such dimension. Files with the same coordinates get one number after the other.
    ///
    /// # Errors
    /// `Map` when the dimension has other coordinates than such numbers.
    pub fn number(&self, dimension: &str, files: &mut [Input], interner: &Interner) -> Result<bool> {
        let known: Vec<&Item> = self.inputs.iter().filter_map(|i| i.item(dimension)).collect();
        let Some(first) = known.first() else { return Ok(false) };
        let mut next = 0;
        for item in &known {
            match &item.content {
                Content::Kept(values) if matches!(**values, Values::I32(_)) => {
                    next = (0..values.len())
                        .filter_map(|i| values.int_at(i))
                        .map(|n| n + 1)
                        .fold(next, i128::max);
                }
                _ => return Err(foreign(dimension)),
            }
        }
        let size = self.sizes.get(dimension).copied().map(i128::from);
        let Some(next) = i32::try_from(next).ok().filter(|_| size == Some(next)) else {
            return Err(foreign(dimension));
        };
        let template = interner.template(Template {
            name: dimension.to_owned(),
            path: dimension.to_owned(),
            data_type: DataType::I32,
            dimensions: Vec::new(),
            attributes: first.template.attributes.clone(),
        });
        let mut seen: HashMap<Vec<usize>, i32> = HashMap::new();
        for file in files.iter_mut().filter(|f| f.item(dimension).is_none()) {
            // Equal values are one in memory.
            let place = |i: &Arc<Item>| match &i.content {
                Content::Kept(values) if roles::is_coordinate(&i.template) => {
                    Some(Arc::as_ptr(values) as usize)
                }
                _ => None,
            };
            let count = seen.entry(file.items.iter().filter_map(place).collect()).or_default();
            let value = Values::I32(vec![next.saturating_add(*count)]);
            *count = count.saturating_add(1);
            let content = Content::Kept(interner.values(value));
            let (template, shape) = (template.clone(), interner.shape(&[]));
            let item = Item { template, shape, content, is_data: false, by_value: false, fragment: None };
            file.items.push(Arc::new(item));
        }
        Ok(true)
    }
}

fn foreign(dimension: &str) -> Error {
    let message = format!(
        "'{dimension}' has coordinates that do not count files from 0, so --new-dim cannot go on with them; give the new files \
         a scalar coordinate '{dimension}'"
    );
    Error::new(Kind::Map, message)
}

type Ranges = Vec<Range<u64>>;

/// The fragments of a variable, by where they lie, with what was recorded of their files.
type Pieces = HashMap<Ranges, (Fragment, Option<State>)>;

/// A variable with its description.
struct Known {
    variable: Variable,
    template: Arc<Template>,
    /// Where its pieces are, if it is aggregated.
    pieces: Option<Pieces>,
}

/// Reads an aggregation file.
///
/// # Errors
/// What is wrong with it; `Unsupported` for fragments that are no files.
pub(super) fn read(out: &Path, interner: &Interner) -> Result<Existing> {
    let dataset = Dataset::open_with(out, &OpenOptions::default())?;
    let mut existing = Existing {
        inputs: Vec::new(),
        globals: scan::attributes_of(&dataset),
        history: None,
        dialect: None,
        has_state: false,
        locations: HashSet::new(),
        sizes: HashMap::new(),
    };
    let root = existing.globals.iter_mut().find(|(path, _)| path.is_empty());
    existing.history = root.and_then(|(_, global)| global.remove("history")).and_then(|h| h.as_text());
    let mut known = Vec::new();
    for (variable, template) in scope::templates(&dataset)? {
        let pieces = look(&variable, &mut existing)?;
        existing.sizes.extend(template.dimensions.iter().cloned().zip(variable.shape()?.iter().copied()));
        known.push(Known { variable, template: interner.template(template), pieces });
    }
    let companions = roles::companions(known.iter().map(|k| &*k.template));
    for one in known.iter().filter(|k| !companions.contains(&k.template.name)) {
        match &one.pieces {
            Some(pieces) => {
                let mut list: Vec<_> = pieces.iter().collect();
                list.sort_by(|a, b| a.0.iter().map(|r| r.start).cmp(b.0.iter().map(|r| r.start)));
                let mut cache = HashMap::new();
                for (ranges, (fragment, state)) in list {
                    let mut items =
                        vec![Arc::new(item(one, ranges, Content::Unread, true, Some(fragment), interner))];
                    describe(one, ranges, &known, &mut cache, &mut items, interner)?;
                    let name = format!("{} {}", out.display(), shown(fragment));
                    existing.inputs.push(Input::fragment(name, *state, items));
                }
            }
            None => {
                let shape = one.variable.shape()?.to_vec();
                let ranges: Ranges = shape.iter().map(|&n| 0..n).collect();
                let mut whole = item(one, &ranges, Content::Unread, true, None, interner);
                whole.by_value = true;
                let mut items = vec![Arc::new(whole)];
                describe(one, &ranges, &known, &mut HashMap::new(), &mut items, interner)?;
                existing.inputs.push(Input::file(out, None, items));
            }
        }
    }
    Ok(existing)
}

fn shown(fragment: &Fragment) -> String {
    match fragment {
        Fragment::Stored { versions, .. } => {
            versions.iter().filter_map(|v| v.location.as_deref()).next().unwrap_or_default().to_owned()
        }
        Fragment::Missing => String::new(),
    }
}

/// The fragments of an aggregation variable, and what they tell of the file; `None` for another variable.
fn look(variable: &Variable, existing: &mut Existing) -> Result<Option<Pieces>> {
    let Some(aggregation) = variable.aggregation()? else { return Ok(None) };
    existing.dialect.get_or_insert(aggregation.dialect);
    existing.has_state |= aggregation.recorded.is_some();
    let states = states(variable.dataset(), aggregation)?;
    let mut list = HashMap::new();
    let mut number = 0;
    variable.for_each_fragment(|entry| -> Result<()> {
        let state = states.as_ref().and_then(|s| s.get(number).copied());
        number += 1;
        let EntrySource::Versions(versions) = entry.source else {
            let message = "it has fragments that are no files; such an aggregation cannot be updated";
            return Err(Error::new(Kind::Unsupported, message).in_variable(variable.path()));
        };
        existing.locations.extend(versions.iter().filter_map(|v: &Version| v.location.clone()));
        list.insert(entry.ranges, (Fragment::Stored { versions, view: None }, state));
        Ok(())
    })?;
    Ok(Some(list))
}

/// The recorded states of the fragments, in C order.
fn states(dataset: &Dataset, aggregation: &Aggregation) -> Result<Option<Vec<State>>> {
    let Some(recorded) = aggregation.recorded else { return Ok(None) };
    let shared = dataset.shared();
    let all = Selection::all(aggregation.grid.fragments());
    let read = |id: VariableId| shared.container.read_values(&shared.tree().variables[id.0].array, &all);
    let (bytes, modified) = (read(recorded[0])?, read(recorded[1])?);
    let pair = |i| Some(State { bytes: bytes.f64_at(i)?, modified: modified.f64_at(i)? });
    Ok((0..bytes.len()).map(pair).collect())
}

fn item(
    known: &Known,
    ranges: &[Range<u64>],
    content: Content,
    is_data: bool,
    fragment: Option<&Fragment>,
    interner: &Interner,
) -> Item {
    let shape: Vec<u64> = ranges.iter().map(|r| r.end - r.start).collect();
    let (template, shape) = (known.template.clone(), interner.shape(&shape));
    let fragment = fragment.map(|f| Box::new(f.clone()));
    Item { template, shape, content, is_data, by_value: false, fragment }
}

/// Adds the part of everything that describes a piece of a variable.
fn describe(
    data: &Known,
    ranges: &[Range<u64>],
    known: &[Known],
    cache: &mut HashMap<(String, Ranges), Content>,
    items: &mut Vec<Arc<Item>>,
    interner: &Interner,
) -> Result<()> {
    let find = |name: &str| known.iter().find(|k| k.template.name == name);
    let names = roles::closure(&data.template, &data.template.dimensions, |n| find(n).map(|k| &*k.template));
    for one in names.iter().filter_map(|n| find(n)) {
        let shape = one.variable.shape()?.to_vec();
        let mut own: Ranges = Vec::with_capacity(shape.len());
        for (d, dimension) in one.template.dimensions.iter().enumerate() {
            let position = data.template.dimensions.iter().position(|n| n == dimension);
            own.push(position.map_or(0..shape[d], |p| ranges[p].clone()));
        }
        if let Some(pieces) = &one.pieces {
            let Some((fragment, _)) = pieces.get(&own) else {
                let message =
                    format!("'{}' is divided otherwise than '{}'", one.template.name, data.template.name);
                return Err(Error::new(Kind::Unsupported, message));
            };
            items.push(Arc::new(item(one, &own, Content::Unread, false, Some(fragment), interner)));
            continue;
        }
        let key = (one.template.name.clone(), own);
        let content = match cache.get(&key) {
            Some(content) => content.clone(),
            None => {
                let start: Vec<u64> = key.1.iter().map(|r| r.start).collect();
                let count: Vec<u64> = key.1.iter().map(|r| r.end - r.start).collect();
                let values = one.variable.read_values(&Selection::block(&start, &count, &shape)?)?;
                let content = Content::Kept(interner.values(values));
                cache.insert(key.clone(), content.clone());
                content
            }
        };
        items.push(interner.item(item(one, &key.1, content, false, None, interner)));
    }
    Ok(())
}
