//! What is kept of each input file: its variables without their data, and the values of what describes the data.
//!
//! Thousands of files mostly say the same: descriptions and values that are equal are kept once.

use std::collections::hash_map::DefaultHasher;
use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::model::fragments::Fragment;
use crate::value::{Attributes, DataType, Values};

/// A variable without sizes and values.
#[derive(Debug, PartialEq)]
pub(super) struct Template {
    pub name: String,
    pub data_type: DataType,
    pub dimensions: Vec<String>,
    pub attributes: Attributes,
}

impl Template {
    pub fn text(&self, name: &str) -> Option<String> {
        self.attributes.text(name)
    }

    /// The number of dimensions that are not the length of a text.
    pub fn rank(&self) -> usize {
        self.dimensions.len() - usize::from(self.data_type == DataType::Char && !self.dimensions.is_empty())
    }
}

/// What is known of the values of a variable.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// All of them.
    Kept(Arc<Values>),
    /// Enough to tell whether two are the same.
    Hashed([u64; 2]),
    /// Nothing.
    Unread,
}

/// A variable of an input file.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub template: Arc<Template>,
    pub shape: Vec<u64>,
    pub content: Content,
    /// Whether it is data, not a description of data.
    pub is_data: bool,
    /// Whether it is stored by value in the aggregation that is updated.
    pub by_value: bool,
    /// Where it is, if not in the input file.
    pub fragment: Option<Fragment>,
}

/// Size and time of a file when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct State {
    pub bytes: f64,
    pub modified: f64,
}

/// An input file, or a fragment of an aggregation that is updated.
#[derive(Debug)]
pub(super) struct Input {
    /// What messages call it.
    pub name: String,
    pub path: Option<PathBuf>,
    pub state: Option<State>,
    pub items: Vec<Item>,
}

impl Input {
    pub fn item(&self, name: &str) -> Option<&Item> {
        self.items.iter().find(|i| i.template.name == name)
    }
}

/// Keeps equal things once.
#[derive(Default)]
pub(super) struct Interner {
    templates: Mutex<HashMap<u64, Vec<Arc<Template>>>>,
    values: Mutex<HashMap<u64, Vec<Arc<Values>>>>,
}

impl Interner {
    pub fn template(&self, template: Template) -> Arc<Template> {
        let mut hasher = DefaultHasher::new();
        template.name.hash(&mut hasher);
        template.dimensions.hash(&mut hasher);
        for attribute in &template.attributes {
            attribute.name.hash(&mut hasher);
            hash_values(&attribute.value, &mut hasher);
        }
        keep(&self.templates, hasher.finish(), template)
    }

    pub fn values(&self, values: Values) -> Arc<Values> {
        let mut hasher = DefaultHasher::new();
        hash_values(&values, &mut hasher);
        keep(&self.values, hasher.finish(), values)
    }
}

fn keep<T: PartialEq>(map: &Mutex<HashMap<u64, Vec<Arc<T>>>>, hash: u64, value: T) -> Arc<T> {
    let mut map = map.lock().unwrap_or_else(PoisonError::into_inner);
    let list = map.entry(hash).or_default();
    if let Some(found) = list.iter().find(|v| ***v == value) {
        return found.clone();
    }
    let new = Arc::new(value);
    list.push(new.clone());
    new
}

/// Tells large values apart without keeping them.
pub(super) fn digest(values: &Values) -> [u64; 2] {
    [0u8, 1].map(|seed| {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        hash_values(values, &mut hasher);
        hasher.finish()
    })
}

fn hash_values(values: &Values, hasher: &mut impl Hasher) {
    values.data_type().hash(hasher);
    match values {
        Values::Char(v) => v.hash(hasher),
        Values::String(v) => v.hash(hasher),
        numbers => hasher.write(&bytes_of(numbers)),
    }
}

/// Numbers or characters as native bytes.
pub(super) fn bytes_of(values: &Values) -> Vec<u8> {
    match values {
        Values::Char(v) => v.clone(),
        numbers => {
            crate::for_numbers!(numbers, v => v.iter().flat_map(|x| x.to_ne_bytes()).collect(), Vec::new())
        }
    }
}
