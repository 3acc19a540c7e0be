//! An aggregation that is updated: its fragments, with the coordinates that the aggregation has for them, are inputs like
//! the new files. No fragment is opened.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::record::{Content, Input, Interner, Item, State, Template};
use super::{roles, scan};
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::inventory::EntrySource;
use crate::model::fragments::{Fragment, Version};
use crate::model::Dialect;
use crate::options::OpenOptions;
use crate::selection::Selection;
use crate::value::Attributes;
use crate::variable::Variable;

/// What an aggregation file has.
pub(super) struct Existing {
    pub inputs: Vec<Input>,
    pub globals: Attributes,
    pub history: Option<String>,
    pub dialect: Option<Dialect>,
    pub has_state: bool,
    locations: HashSet<String>,
}

impl Existing {
    /// Whether a file is a fragment already.
    pub fn has(&self, location: &str) -> bool {
        self.locations.contains(location)
    }
}

type Ranges = Vec<Range<u64>>;

/// A variable with its description.
struct Known {
    variable: Variable,
    template: Arc<Template>,
    /// Where its pieces are, if it is aggregated.
    pieces: Option<HashMap<Ranges, (Fragment, Option<State>)>>,
}

/// Reads an aggregation file.
///
/// # Errors
/// What is wrong with it; `Unsupported` for fragments that are no files.
pub(super) fn read(out: &Path, interner: &Interner) -> Result<Existing> {
    let dataset = Dataset::open_with(out, &OpenOptions::default())?;
    let mut existing = Existing {
        inputs: Vec::new(),
        globals: dataset.groups().first().map(|g| g.attributes.clone()).unwrap_or_default(),
        history: None,
        dialect: None,
        has_state: false,
        locations: HashSet::new(),
    };
    existing.history = existing.globals.remove("history").and_then(|h| h.as_text());
    let mut known = Vec::new();
    for variable in dataset.variables().into_iter().filter(|v| v.path().matches('/').count() == 1) {
        known.push(look(variable, &mut existing, interner)?);
    }
    let companions = roles::companions(known.iter().map(|k| &*k.template));
    for one in known.iter().filter(|k| !companions.contains(&k.template.name)) {
        match &one.pieces {
            Some(pieces) => {
                let mut list: Vec<_> = pieces.iter().collect();
                list.sort_by(|a, b| a.0.iter().map(|r| r.start).cmp(b.0.iter().map(|r| r.start)));
                let mut cache = HashMap::new();
                for (ranges, (fragment, state)) in list {
                    let mut items = vec![item(one, ranges, Content::Unread, true, Some(fragment.clone()))];
                    describe(one, ranges, &known, &mut cache, &mut items, interner)?;
                    let name = format!("{} {}", out.display(), shown(fragment));
                    existing.inputs.push(Input { name, path: None, state: *state, items });
                }
            }
            None => {
                let shape = one.variable.shape()?.to_vec();
                let ranges: Ranges = shape.iter().map(|&n| 0..n).collect();
                let mut whole = item(one, &ranges, Content::Unread, true, None);
                whole.by_value = true;
                let mut items = vec![whole];
                describe(one, &ranges, &known, &mut HashMap::new(), &mut items, interner)?;
                let (name, path) = (out.display().to_string(), Some(out.to_owned()));
                existing.inputs.push(Input { name, path, state: None, items });
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

fn look(variable: Variable, existing: &mut Existing, interner: &Interner) -> Result<Known> {
    let dataset = variable.dataset().clone();
    let mut attributes = variable.attributes().clone();
    let state_names = attributes.text(crate::dialect::STATE_ATTRIBUTE);
    let mut pieces = None;
    if let Some(aggregation) = variable.aggregation()? {
        existing.dialect.get_or_insert(aggregation.dialect);
        for own in scan::AGGREGATION_ATTRIBUTES {
            attributes.remove(own);
        }
        if attributes.text("cf_role").as_deref() == Some("cfa_variable") {
            attributes.remove("cf_role");
        }
        existing.has_state |= state_names.is_some();
        let states = state_names.map(|t| states(&dataset, &t)).transpose()?.flatten();
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
        pieces = Some(list);
    }
    let dimensions = variable.dimensions()?.iter().map(|&d| dataset.dimension(d).name.clone()).collect();
    let (name, data_type) = (variable.name().to_owned(), variable.data_type());
    let template = interner.template(Template { name, data_type, dimensions, attributes });
    Ok(Known { variable, template, pieces })
}

/// The recorded states of the fragments, in C order.
fn states(dataset: &Dataset, names: &str) -> Result<Option<Vec<State>>> {
    let mut columns = Vec::new();
    for key in ["size:", "modified:"] {
        let mut words = names.split_whitespace().skip_while(|w| *w != key);
        let Some(name) = words.nth(1) else { return Ok(None) };
        let Ok(variable) = dataset.variable(name) else { return Ok(None) };
        let shape = variable.shape()?.to_vec();
        columns.push(variable.read_values(&Selection::all(&shape))?);
    }
    let pair = |i| Some(State { bytes: columns[0].f64_at(i)?, modified: columns[1].f64_at(i)? });
    Ok((0..columns[0].len()).map(pair).collect())
}

fn item(
    known: &Known,
    ranges: &[Range<u64>],
    content: Content,
    is_data: bool,
    fragment: Option<Fragment>,
) -> Item {
    let shape = ranges.iter().map(|r| r.end - r.start).collect();
    Item { template: known.template.clone(), shape, content, is_data, by_value: false, fragment }
}

/// Adds the part of everything that describes a piece of a variable.
fn describe(
    data: &Known,
    ranges: &[Range<u64>],
    known: &[Known],
    cache: &mut HashMap<(String, Ranges), Content>,
    items: &mut Vec<Item>,
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
            items.push(item(one, &own, Content::Unread, false, Some(fragment.clone())));
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
        items.push(item(one, &key.1, content, false, None));
    }
    Ok(())
}
