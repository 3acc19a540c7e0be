//! What is kept of each input file: its variables without their data, and the values of the variables that describe the
//! data.
//!
//! Thousands of files mostly have the same descriptions and values, so equal ones are kept once.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::apart::Traits;
use super::items::Items;
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
    Kept(Arc<Values>),
    /// A digest, enough to compare two.
    Hashed(Box<[u64; 2]>),
    /// Nothing.
    Unread,
}

/// A variable of an input file. There are many of these, so rare things are boxed, and things that are often equal are
/// shared.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub template: Arc<Template>,
    pub shape: Arc<[u64]>,
    pub content: Content,
    /// Whether it is data, not a description of data.
    pub is_data: bool,
    /// Whether it is stored by value in the aggregation that is updated.
    pub by_value: bool,
    /// Its place, if it is not in the input file.
    pub fragment: Option<Box<Fragment>>,
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

/// An input file, or a fragment of an aggregation that is updated.
#[derive(Debug)]
pub(super) struct Input {
    /// The name used for it in messages.
    pub name: Arc<str>,
    place: StoredIn,
    /// Its location in the aggregation file, if that is already known.
    location: Option<Box<str>>,
    pub state: Option<Box<State>>,
    pub items: Items,
    /// What its global attributes say that it is of.
    pub traits: Option<Arc<Traits>>,
    /// The name of the variable of an aggregation of which it is a fragment.
    pub variable: Option<Arc<String>>,
    /// How a file on a server was opened.
    settings: Option<Arc<OpenOptions>>,
}

/// The place of an input.
#[derive(Debug)]
enum StoredIn {
    /// In the file of its name.
    Named,
    /// In a file whose name cannot be shown unchanged.
    File(Box<Path>),
    /// In no file of its own.
    Nowhere,
}

impl Input {
    /// Returns a file.
    pub fn file(path: &Path, state: Option<State>, items: Vec<Arc<Item>>) -> Input {
        let place = if path.to_str().is_some() { StoredIn::Named } else { StoredIn::File(path.into()) };
        let (name, state) = (Arc::from(shown(path)), state.map(Box::new));
        Input {
            name,
            place,
            location: None,
            state,
            items: items.into(),
            traits: None,
            variable: None,
            settings: None,
        }
    }

    /// Returns a fragment.
    pub fn fragment(name: String, state: Option<State>, items: Vec<Arc<Item>>) -> Input {
        let (name, place) = (Arc::from(name), StoredIn::Nowhere);
        let state = state.map(Box::new);
        Input {
            name,
            place,
            location: None,
            state,
            items: items.into(),
            traits: None,
            variable: None,
            settings: None,
        }
    }

    /// Returns a part of a file that is already a fragment, under this location.
    pub fn part(&self, location: Option<&str>, items: Vec<Arc<Item>>) -> Input {
        let place = match &self.place {
            StoredIn::Named => StoredIn::Named,
            StoredIn::File(path) => StoredIn::File(path.clone()),
            StoredIn::Nowhere => StoredIn::Nowhere,
        };
        let (name, location, state) = (self.name.clone(), location.map(Box::from), self.state.clone());
        let (traits, settings) = (self.traits.clone(), self.settings.clone());
        Input { name, place, location, state, items: items.into(), traits, variable: None, settings }
    }

    /// Returns it as a fragment of a variable of an aggregation.
    pub fn of_variable(mut self, name: &Arc<String>) -> Input {
        self.variable = Some(name.clone());
        self
    }

    /// Returns it with what its global attributes say that it is of.
    pub fn of(mut self, traits: Option<Arc<Traits>>) -> Input {
        self.traits = traits;
        self
    }

    /// Returns it with the settings that it was opened with.
    pub fn opened_with(mut self, settings: Option<&Arc<OpenOptions>>) -> Input {
        self.settings = settings.cloned();
        self
    }

    /// Returns the settings to open it with again.
    pub fn settings(&self) -> OpenOptions {
        self.settings.as_deref().cloned().unwrap_or_default()
    }

    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    pub fn path(&self) -> Option<&Path> {
        match &self.place {
            StoredIn::Named => Some(Path::new(&*self.name)),
            StoredIn::File(path) => Some(path),
            StoredIn::Nowhere => None,
        }
    }

    pub fn item(&self, name: &str) -> Option<&Item> {
        self.items.named(name)
    }
}

/// Keeps equal things once.
#[derive(Default)]
pub(super) struct Interner {
    templates: Mutex<HashMap<u64, Arc<Template>>>,
    values: Mutex<HashMap<u64, Arc<Values>>>,
    /// Items by what they have in common: template, shape and values.
    items: Mutex<HashMap<[usize; 3], Arc<Item>>>,
    shapes: Mutex<HashSet<Arc<[u64]>>>,
    traits: Mutex<HashSet<Arc<Traits>>>,
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

    pub fn shape(&self, shape: &[u64]) -> Arc<[u64]> {
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
            // Values that no other item has: this is the first item of its kind.
            Content::Kept(values) if Arc::strong_count(values) == 2 => return Arc::new(item),
            Content::Kept(values) => Arc::as_ptr(values) as usize,
            Content::Unread if item.fragment.is_none() => 0,
            _ => return Arc::new(item),
        };
        let key = [Arc::as_ptr(&item.template) as usize, item.shape.as_ptr() as usize, values];
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        let known = items.get(&key).filter(|k| k.is_data == item.is_data && k.by_value == item.by_value);
        if let Some(known) = known {
            return known.clone();
        }
        let new = Arc::new(item);
        items.insert(key, new.clone());
        new
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

/// A digest that distinguishes large values without keeping them. Of the same values in the same parts it is the same.
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
