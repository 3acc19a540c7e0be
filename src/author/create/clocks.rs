//! Notes on times of the calendars `utc` and `tai` that are converted between files without counting leap seconds.

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::HashSet;
use std::sync::Arc;

use super::record::Input;
use crate::canonical::{Calendar, TimeUnits};

/// Returns a note for each variable of such a calendar whose units differ between files.
pub(super) fn notes(inputs: &[Input]) -> Vec<String> {
    let mut known: BTreeMap<&str, (String, Option<String>)> = BTreeMap::new();
    let mut seen = HashSet::new();
    let all = inputs.iter().flat_map(|input| input.items.iter()).map(|item| &item.template);
    for template in all.filter(|template| seen.insert(Arc::as_ptr(template))) {
        let Some(calendar) = template.text("calendar") else { continue };
        if !Calendar::named(&calendar).is_some_and(Calendar::is_of_clocks) {
            continue;
        }
        let Some(units) = template.text("units") else { continue };
        match known.entry(&template.name) {
            Entry::Vacant(place) => drop(place.insert((units, None))),
            Entry::Occupied(mut place) if place.get().0 != units => {
                let time = TimeUnits::parse(&units, Some(&calendar)).ok();
                place.get_mut().1 = time.and_then(|time| time.warning());
            }
            Entry::Occupied(_) => {}
        }
    }
    let texts = known.into_iter().filter_map(|(name, (_, warning))| Some(format!("'{name}': {}", warning?)));
    texts.collect()
}
