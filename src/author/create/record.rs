//! The record of each input file: its variables without their data, and the values of the variables that describe the
//! data.
//!
//! Thousands of files mostly have the same descriptions and values, so equal ones are kept once.

use std::collections::hash_map::{DefaultHasher, Entry, HashMap};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::apart::Traits;
use super::items::Items;
use super::kept_values::Kept;
use crate::io::location::FileState;
use crate::io::os::shown;
use crate::model::fragments::Fragment;
use crate::options::OpenOptions;
use crate::value::{Attributes, DataType, Values};

/// A variable without sizes and values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Template {
    pub name: String,
    /// Its path in its file. It differs from its name for some variables in groups, and if the name was composed.
    pub path: String,
    pub data_type: DataType,
    pub dimensions: Vec<String>,
    /// Its attributes, as in its file.
    pub attributes: Attributes,
    /// The units of its numbers: its own, or for bounds without units those of the variable to which they belong.
    pub units: Option<String>,
    pub calendar: Option<String>,
}

impl Template {
    /// Returns a variable as its file describes it.
    pub fn new(
        name: String,
        path: String,
        data_type: DataType,
        dimensions: Vec<String>,
        attributes: Attributes,
    ) -> Self {
        let (units, calendar) = (attributes.text("units"), attributes.text("calendar"));
        Template { name, path, data_type, dimensions, attributes, units, calendar }
    }

    pub fn text(&self, name: &str) -> Option<String> {
        self.attributes.text(name)
    }

    /// Returns the number of dimensions other than the length of a text.
    pub fn rank(&self) -> usize {
        self.dimensions.len() - usize::from(self.data_type == DataType::Char && !self.dimensions.is_empty())
    }
}

/// What is known about the values of a variable.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// All of them.
    Kept(Kept),
    /// A digest, enough to compare two.
    Hashed(Box<[u64; 2]>),
    /// Nothing.
    Unread,
}

/// What the same variable of many files has in common.
#[derive(Debug)]
pub(super) struct Outline {
    pub template: Arc<Template>,
    pub shape: Arc<[u64]>,
    /// Whether it is data, not a description of data.
    pub is_data: bool,
    /// Whether it is stored by value in the aggregation that is updated.
    pub by_value: bool,
}

/// A variable of an input file. There are many of these, so things that are often equal are shared.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub outline: Arc<Outline>,
    pub content: Content,
    /// Its place, if it is not in the input file.
    pub fragment: Option<Arc<Fragment>>,
}

impl Deref for Item {
    type Target = Outline;

    fn deref(&self) -> &Outline {
        &self.outline
    }
}

impl Item {
    /// Returns whether both have the same outline and values in memory.
    fn is(&self, other: &Item) -> bool {
        let same_values = match (&self.content, &other.content) {
            (Content::Kept(a), Content::Kept(b)) => a.identity() == b.identity(),
            (Content::Unread, Content::Unread) => true,
            _ => false,
        };
        same_values && Arc::ptr_eq(&self.outline, &other.outline)
    }
}

/// Size and time of a file when it was scanned; NaN means unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    pub bytes: f64,
    pub modified: f64,
}

impl State {
    pub const UNKNOWN: State = State { bytes: f64::NAN, modified: f64::NAN };

    pub fn of(file: FileState) -> State {
        let since = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0.0, |d| d.as_secs_f64());
        State { bytes: file.length as f64, modified: file.modified.map_or(f64::NAN, since) }
    }

    /// Returns whether there is something to compare with.
    pub fn is_known(self) -> bool {
        self.bytes.is_finite()
    }
}

/// An input file, or a fragment of an aggregation that is updated. There are many of these too.
#[derive(Debug)]
pub(super) struct Input {
    /// The name used for it in messages.
    pub name: Arc<str>,
    pub state: Option<Box<State>>,
    pub items: Items,
    /// Its traits, from its global attributes.
    pub traits: Option<Arc<Traits>>,
    /// The name of the variable of the aggregation, if it is a fragment of one.
    pub variable: Option<Arc<String>>,
    /// Whether it is in no file of its own.
    is_nowhere: bool,
    more: Option<Box<More>>,
}

/// Facts that only few inputs have.
#[derive(Clone, Debug, Default)]
struct More {
    /// The path, if the name cannot show it unchanged.
    path: Option<Box<Path>>,
    /// Its location in the aggregation file, if that is already known.
    location: Option<Box<str>>,
    /// How a file on a server was opened.
    settings: Option<Arc<OpenOptions>>,
}

impl Input {
    /// Returns a file.
    pub fn file(path: &Path, state: Option<State>, items: Vec<Arc<Item>>) -> Input {
        let more =
            path.to_str().is_none().then(|| Box::new(More { path: Some(path.into()), ..More::default() }));
        let (name, state) = (Arc::from(shown(path)), state.map(Box::new));
        Input { name, state, items: items.into(), traits: None, variable: None, is_nowhere: false, more }
    }

    /// Returns a fragment.
    pub fn fragment(name: String, state: Option<State>, items: Vec<Arc<Item>>) -> Input {
        let (name, state) = (Arc::from(name), state.map(Box::new));
        Input { name, state, items: items.into(), traits: None, variable: None, is_nowhere: true, more: None }
    }

    /// Returns a part of a file that is already a fragment, under this location.
    pub fn part(&self, location: Option<&str>, items: Vec<Arc<Item>>) -> Input {
        let more =
            More { location: location.map(Box::from), ..self.more.as_deref().cloned().unwrap_or_default() };
        let (name, state, is_nowhere) = (self.name.clone(), self.state.clone(), self.is_nowhere);
        let (traits, more) = (self.traits.clone(), Some(Box::new(more)));
        Input { name, state, items: items.into(), traits, variable: None, is_nowhere, more }
    }

    /// Returns the input as a fragment of a variable of an aggregation.
    pub fn of_variable(mut self, name: &Arc<String>) -> Input {
        self.variable = Some(name.clone());
        self
    }

    /// Returns the input with its traits.
    pub fn of(mut self, traits: Option<Arc<Traits>>) -> Input {
        self.traits = traits;
        self
    }

    /// Returns the input with the settings that it was opened with.
    pub fn opened_with(mut self, settings: Option<&Arc<OpenOptions>>) -> Input {
        if settings.is_some() {
            self.more.get_or_insert_default().settings = settings.cloned();
        }
        self
    }

    /// Returns the settings to open it with again.
    pub fn settings(&self) -> OpenOptions {
        self.more.as_ref().and_then(|more| more.settings.as_deref()).cloned().unwrap_or_default()
    }

    pub fn location(&self) -> Option<&str> {
        self.more.as_ref().and_then(|more| more.location.as_deref())
    }

    pub fn path(&self) -> Option<&Path> {
        let own = self.more.as_ref().and_then(|more| more.path.as_deref());
        (!self.is_nowhere).then(|| own.unwrap_or(Path::new(&*self.name)))
    }

    pub fn item(&self, name: &str) -> Option<&Item> {
        self.items.named(name)
    }
}

/// The addresses of the template and of the shape, which the outline keeps, and the role.
type OutlineKey = (usize, usize, bool, bool);

/// Keeps equal things once.
#[derive(Default)]
pub(super) struct Interner {
    templates: Mutex<HashMap<u64, Arc<Template>>>,
    values: Mutex<HashMap<u64, Arc<Values>>>,
    /// Items by a digest of what they have in common: outline and values.
    items: Mutex<HashMap<u64, Arc<Item>>>,
    shapes: Mutex<HashSet<Arc<[u64]>>>,
    traits: Mutex<HashSet<Arc<Traits>>>,
    /// Outlines by their template, shape and role.
    outlines: Mutex<HashMap<OutlineKey, Arc<Outline>>>,
}

impl Interner {
    pub fn template(&self, template: Template) -> Arc<Template> {
        let mut hasher = DefaultHasher::new();
        template.path.hash(&mut hasher);
        template.dimensions.hash(&mut hasher);
        (&template.units, &template.calendar).hash(&mut hasher);
        for attribute in &template.attributes {
            attribute.name.hash(&mut hasher);
            hash_values(&attribute.value, &mut hasher);
        }
        keep(&self.templates, hasher.finish(), template)
    }

    pub fn outline(
        &self,
        template: &Arc<Template>,
        shape: &[u64],
        is_data: bool,
        by_value: bool,
    ) -> Arc<Outline> {
        let shape = self.shape(shape);
        let key = (Arc::as_ptr(template) as usize, shape.as_ptr() as usize, is_data, by_value);
        let mut outlines = self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Arc::new(Outline { template: Arc::clone(template), shape, is_data, by_value });
        Arc::clone(outlines.entry(key).or_insert_with(new))
    }

    fn shape(&self, shape: &[u64]) -> Arc<[u64]> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = shapes.get(shape) {
            return found.clone();
        }
        let new: Arc<[u64]> = shape.into();
        shapes.insert(new.clone());
        new
    }

    pub fn traits(&self, traits: Traits) -> Option<Arc<Traits>> {
        if traits.is_empty() {
            return None;
        }
        let mut all = self.traits.lock().unwrap_or_else(PoisonError::into_inner);
        let found = all.get(&traits).cloned().unwrap_or_else(|| Arc::new(traits));
        all.insert(found.clone());
        Some(found)
    }

    pub fn values(&self, values: Values) -> Arc<Values> {
        let mut hasher = DefaultHasher::new();
        hash_values(&values, &mut hasher);
        keep(&self.values, hasher.finish(), values)
    }

    /// Returns the item itself, or an equal one.
    pub fn item(&self, item: Item) -> Arc<Item> {
        let values = match &item.content {
            Content::Kept(kept) => Some(kept.identity()),
            Content::Unread => None,
            Content::Hashed(_) => return Arc::new(item),
        };
        if item.fragment.is_some() {
            return Arc::new(item);
        }
        let mut hasher = DefaultHasher::new();
        (Arc::as_ptr(&item.outline), values).hash(&mut hasher);
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        match items.entry(hasher.finish()) {
            Entry::Occupied(known) if known.get().is(&item) => known.get().clone(),
            // Different items with the same hash are rare; they are not shared.
            Entry::Occupied(_) => Arc::new(item),
            Entry::Vacant(place) => place.insert(Arc::new(item)).clone(),
        }
    }
}

/// Different values with the same hash are rare; they are not shared.
fn keep<T: PartialEq>(map: &Mutex<HashMap<u64, Arc<T>>>, hash: u64, value: T) -> Arc<T> {
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    match map.get(&hash) {
        Some(found) if **found == value => found.clone(),
        Some(_) => Arc::new(value),
        None => {
            let new = Arc::new(value);
            map.insert(hash, new.clone());
            new
        }
    }
}

/// A digest that distinguishes large values without keeping them. It is equal for equal values in equal parts.
#[derive(Default)]
pub(super) struct Digest([DefaultHasher; 2]);

impl Digest {
    /// Adds a part of the values.
    pub fn add(&mut self, values: &Values) {
        for (seed, hasher) in (0u8..).zip(&mut self.0) {
            seed.hash(hasher);
            hash_values(values, hasher);
        }
    }

    pub fn finish(&self) -> [u64; 2] {
        self.0.each_ref().map(Hasher::finish)
    }
}

fn hash_values(values: &Values, hasher: &mut impl Hasher) {
    values.data_type().hash(hasher);
    match values {
        Values::Char(v) => v.hash(hasher),
        Values::String(v) => v.hash(hasher),
        numbers => hasher.write(&bytes_of(numbers)),
    }
}

/// Returns numbers or characters as native bytes.
pub(super) fn bytes_of(values: &Values) -> Vec<u8> {
    match values {
        Values::Char(v) => v.clone(),
        numbers => {
            crate::for_numbers!(numbers, v => v.iter().flat_map(|x| x.to_ne_bytes()).collect(), Vec::new())
        }
    }
}
