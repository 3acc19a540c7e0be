//! Replaces the fragments of a file that was scanned again by the present contents of the file.
//!
//! Each fragment stays where it was among the others, because the order of the files may be all that determines their
//! places. It keeps the location of its file, and its number along a dimension that was made from the order of files.

use std::sync::Arc;

use super::apart;
use super::coordinate_values::Converter;
use super::existing::{ContentByPlace, Existing, ExistingFragment, ExistingVariable, Ranges};
use super::numbered::Names;
use super::record::{Content, Input, Interner, Item, Template};
use crate::error::{Error, Kind, Result};
use crate::model::fragments::Fragment;

/// The place of a fragment in the aggregation.
pub(super) struct Slot<'a> {
    pub existing: &'a Existing,
    pub one: &'a ExistingVariable,
    pub ranges: &'a Ranges,
    pub old: &'a ExistingFragment,
    pub contents: &'a mut ContentByPlace,
    pub names: &'a mut Names,
}

/// The outcome for a fragment.
pub(super) struct Renewed {
    /// The path of its variable in the file.
    pub path: String,
    /// The new fragment; `None` if the old one stays.
    pub input: Option<Input>,
    /// How it differs from the aggregation.
    pub change: Option<String>,
}

impl Slot<'_> {
    /// Returns the fragment as it is in the file now. `number` is the index of the file.
    ///
    /// # Errors
    /// `FragmentVariable` if the file does not hold it any more; `Unsupported` if it changed, or may have, and is one
    /// of several versions or only partly a fragment; those of reading coordinates.
    pub fn renew(&mut self, number: usize, file: &Input, interner: &Interner) -> Result<Renewed> {
        let place = |e: Error| e.in_variable(&*self.one.template.name).in_file(&*file.name);
        let Fragment::Stored { versions, view } = &*self.old.fragment else {
            return Err(place(Error::new(Kind::Internal, "a fragment is not a file")));
        };
        if view.is_some() {
            let message = "its fragment is only a part of its array, or has its dimensions in another order, so \
                           changes cannot be detected; leave it out of the update, or create the aggregation again";
            return Err(place(Error::new(Kind::Unsupported, message)));
        }
        let located = versions.iter().filter(|v| v.location.is_some());
        let version = located.zip(&self.old.files).find(|(_, f)| **f == number).map(|(v, _)| v);
        let identifier = version.map_or("", |v| v.identifier.trim_start_matches('/'));
        let Some(now) = file.items.iter().find(|i| i.is_data && i.template.path == identifier) else {
            let message = format!(
                "'{identifier}' no longer exists in it, or has no data; create the aggregation again"
            );
            return Err(place(Error::new(Kind::FragmentVariable, message)));
        };
        let path = now.template.path.clone();
        let change = self.change(file, now, interner)?;
        if let (Some(change), 2..) = (&change, versions.len()) {
            let message = format!(
                "it changed since it was added ({change}), and is one of {} versions of a fragment; create the \
                 aggregation again",
                versions.len()
            );
            return Err(place(Error::new(Kind::Unsupported, message)));
        }
        let input = match versions.len() {
            1 => Some(self.input(file, now, interner)?),
            _ => None,
        };
        Ok(Renewed { path, input, change })
    }

    fn input(&mut self, file: &Input, now: &Item, interner: &Interner) -> Result<Input> {
        let own = &now.template;
        let (mut dimensions, mut shape) = (own.dimensions.clone(), now.shape.to_vec());
        let mut items: Vec<Arc<Item>> = file.items.iter().filter(|i| !i.is_data).cloned().collect();
        for (at, (dimension, range)) in self.one.template.dimensions.iter().zip(self.ranges).enumerate() {
            let name = self.names.name(dimension).to_owned();
            if dimensions.contains(&name) || file.item(&name).is_some() {
                continue;
            }
            // If the dimension was made from the order of files, the file has no coordinate for it.
            let Some(known) = self.existing.find(dimension).filter(|k| k.fragments.is_none()) else {
                continue;
            };
            let own = known.along(dimension, range)?;
            let content = self.existing.part(known, &own, self.contents, interner)?;
            let others = self.one.template.dimensions[..at].iter().map(|d| self.names.name(d));
            let before = others.filter(|d| dimensions.iter().any(|own| own == d)).count();
            dimensions.insert(before.min(dimensions.len()), name);
            shape.insert(before.min(shape.len()), range.end - range.start);
            let sizes: Vec<u64> = own.iter().map(|r| r.end - r.start).collect();
            let template = self.names.template(&known.template, interner);
            let outline = interner.outline(&template, &sizes, false, false);
            let item = Item { outline, content, fragment: None };
            items.push(Arc::new(item));
        }
        let name = self.names.name(&self.one.template.name).to_owned();
        let mut template = Template { name, dimensions, ..Template::clone(own) };
        apart::carry_over(&self.one.template.attributes, file, &mut template.attributes);
        let template = interner.template(template);
        let fragment = Some(Arc::clone(&self.old.fragment));
        let outline = interner.outline(&template, &shape, now.is_data, now.by_value);
        items.insert(0, Arc::new(Item { outline, fragment, content: now.content.clone() }));
        let location = self.old.files.first().map(|&f| &*self.existing.files[f].location);
        Ok(file.part(location, items))
    }

    /// Returns how the file differs from the aggregation: in size, or in coordinates that the aggregation stores.
    fn change(&mut self, file: &Input, now: &Item, interner: &Interner) -> Result<Option<String>> {
        let sizes = self.ranges.iter().map(|r| r.end - r.start);
        let squeezed = |sizes: &mut dyn Iterator<Item = u64>| sizes.filter(|&n| n != 1).collect::<Vec<_>>();
        if squeezed(&mut sizes.clone()) != squeezed(&mut now.shape.iter().copied()) {
            let before = self.one.template.dimensions.iter().zip(sizes);
            let after = now.template.dimensions.iter().zip(now.shape.iter());
            let grown = before.clone().find_map(|(name, had)| {
                let (_, &has) = after.clone().find(|(other, _)| *other == self.names.name(name))?;
                (has != had).then(|| format!("'{name}' has size {has} instead of {had}"))
            });
            return Ok(Some(grown.unwrap_or_else(|| format!("its shape is {:?}", now.shape))));
        }
        for (dimension, range) in self.one.template.dimensions.iter().zip(self.ranges) {
            let Some(known) = self.existing.find(dimension).filter(|k| k.fragments.is_none()) else {
                continue;
            };
            let name = self.names.name(dimension);
            let Some(there) = file.item(name).filter(|i| matches!(i.content, Content::Kept(_))) else {
                continue;
            };
            let own = known.along(dimension, range)?;
            let content = self.existing.part(known, &own, self.contents, interner)?;
            let sizes: Vec<u64> = own.iter().map(|r| r.end - r.start).collect();
            let outline = interner.outline(&known.template, &sizes, there.is_data, there.by_value);
            let before = Item { outline, content, fragment: there.fragment.clone() };
            let mut converter = Converter::to(&known.template);
            let same = match (converter.coordinates(&before), converter.coordinates(there)) {
                (Ok(before), Ok(there)) => before.same(&there, converter.slack()),
                _ => false,
            };
            if !same {
                return Ok(Some(format!("'{dimension}' has other coordinates")));
            }
        }
        Ok(None)
    }
}
