//! Restores the names that an aggregation had to number (`tas_2`, `time_2`) because variables or dimensions of its files
//! have the same name. An update uses the names in the files, so that new files continue these variables, and numbers
//! them again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::existing::{Existing, ExistingVariable};
use super::record::{Input, Interner, Template};
use super::roles;
use crate::cf::{self, Reference};
use crate::model::fragments::Fragment;

/// The numbered names of an aggregation, with the names in the files.
#[derive(Default)]
pub(super) struct Numbered(HashMap<String, String>);

impl Numbered {
    /// Finds the names that consist of another name of the aggregation or of a file and a number. Names that these files
    /// have themselves are not numbered.
    pub fn of<'a>(existing: &Existing, files: impl Iterator<Item = &'a Input>) -> Numbered {
        let names_of = |t: &Template| t.dimensions.iter().chain([&t.name]).cloned().collect::<Vec<_>>();
        let all: HashSet<String> =
            existing.variables.iter().flat_map(|one| names_of(&one.template)).collect();
        let numbered = |name: &String| base(name).map(|base| (name.clone(), base.to_owned()));
        let mut found: HashMap<String, String> =
            all.iter().filter_map(numbered).filter(|(_, base)| all.contains(base)).collect();
        // The variable from which it was told apart may be gone.
        let data = existing.variables.iter().filter_map(|one| {
            let (name, base) = numbered(&one.template.name)?;
            has_identifier(one, &base).then_some((name, base))
        });
        found.extend(data);
        let mut seen = HashSet::new();
        let files = files.take(if found.is_empty() { 0 } else { usize::MAX });
        for item in files.flat_map(|file| file.items.iter()) {
            if seen.insert(Arc::as_ptr(&item.template)) {
                names_of(&item.template).iter().for_each(|name| drop(found.remove(name)));
            }
        }
        Numbered(found)
    }

    /// Returns the names for the fragments of a variable, and for the variables that describe it.
    pub fn names(&self, existing: &Existing, one: &ExistingVariable) -> Names {
        if self.0.is_empty() {
            return Names::default();
        }
        let template = &one.template;
        let mut own: HashSet<String> =
            roles::closure(template, &template.dimensions, |n| existing.find(n).map(|k| &*k.template))
                .into_iter()
                .collect();
        own.extend(template.dimensions.iter().cloned());
        let describing = own.iter().filter_map(|name| {
            let plain = self.0.get(name).filter(|plain| !own.contains(*plain))?;
            Some((name.clone(), plain.clone()))
        });
        let mut plain: HashMap<String, String> = describing.collect();
        // `v_2` and `v_3` of one variable cannot both be `v`.
        let mut seen = HashSet::new();
        let repeated: HashSet<String> = plain.values().filter(|name| !seen.insert(*name)).cloned().collect();
        plain.retain(|_, name| !repeated.contains(name));
        if let Some(name) = self.0.get(&template.name).filter(|name| has_identifier(one, name)) {
            plain.insert(template.name.clone(), name.clone());
        }
        Names { plain, known: HashMap::new() }
    }
}

/// Returns a name without the number at its end, if it has one.
fn base(name: &str) -> Option<&str> {
    let (base, number) = name.rsplit_once('_')?;
    let is_number = number.parse::<u64>().is_ok_and(|n| n > 1) && !number.starts_with(['0', '+']);
    is_number.then_some(base)
}

/// Returns whether the variable has this name in its first file.
fn has_identifier(one: &ExistingVariable, name: &str) -> bool {
    let first = one.fragments.as_ref().and_then(|all| all.list.first());
    first.is_some_and(|first| match &*first.fragment {
        Fragment::Stored { versions, .. } => {
            versions.first().is_some_and(|version| version.identifier.trim_start_matches('/') == name)
        }
        Fragment::Missing => false,
    })
}

/// Names in the files by names in the aggregation, as one variable needs them.
#[derive(Default)]
pub(super) struct Names {
    plain: HashMap<String, String>,
    known: HashMap<*const Template, Arc<Template>>,
}

impl Names {
    /// Returns the name in the files.
    pub fn name<'a>(&'a self, name: &'a str) -> &'a str {
        self.plain.get(name).map_or(name, |plain| plain)
    }

    /// Returns a description with the names in the files.
    pub fn template(&mut self, template: &Arc<Template>, interner: &Interner) -> Arc<Template> {
        if self.plain.is_empty() {
            return template.clone();
        }
        if let Some(known) = self.known.get(&Arc::as_ptr(template)) {
            return known.clone();
        }
        let mut new = Template::clone(template);
        new.name = self.name(&template.name).to_owned();
        new.dimensions.iter_mut().for_each(|name| *name = self.name(name).to_owned());
        for &Reference { attribute, form, .. } in cf::references(cf::Use::Rename) {
            let Some(text) = new.attributes.text(attribute) else { continue };
            let renamed = form.rename(&text, |word| Some(self.name(word).to_owned()));
            if !renamed.split_whitespace().eq(text.split_whitespace()) {
                new.attributes.set_text(attribute, renamed);
            }
        }
        let new = interner.template(new);
        self.known.insert(Arc::as_ptr(template), new.clone());
        new
    }
}
