//! Fragments that are whole variables of one file each, as nearly all are: they take much less memory than others.

use std::borrow::Cow;

use super::Content;
use crate::model::fragments::{Fragment, Version};

/// Fragments in C order, each a whole variable of one netCDF file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Files {
    locations: Vec<Box<str>>,
    /// The variables: the end of each run of fragments with the same one, and its name.
    identifiers: Vec<(usize, Box<str>)>,
}

impl Files {
    /// Returns an empty list with room for this many.
    pub(crate) fn with_room(count: usize) -> Files {
        Files { locations: Vec::with_capacity(count), identifiers: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.locations.len()
    }

    pub(super) fn add(&mut self, location: impl Into<Box<str>>, identifier: &str) {
        self.locations.push(location.into());
        let end = self.locations.len();
        match self.identifiers.last_mut() {
            Some((last, same)) if **same == *identifier => *last = end,
            _ => self.identifiers.push((end, identifier.into())),
        }
    }

    /// Returns the location and the variable of each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut run = 0;
        self.locations.iter().enumerate().map(move |(i, location)| {
            while self.identifiers.get(run).is_some_and(|(end, _)| *end <= i) {
                run += 1;
            }
            (&**location, self.identifiers.get(run).map_or("", |(_, identifier)| &**identifier))
        })
    }
}

/// Returns a fragment that is a whole variable of one netCDF file.
pub(crate) fn of_file(location: &str, identifier: &str) -> Fragment {
    let version =
        Version { location: Some(location.to_owned()), identifier: identifier.to_owned(), format: None };
    Fragment::Stored { versions: vec![version], view: None }
}

/// Returns the location and the variable of a fragment that is a whole variable of one netCDF file.
fn in_file(fragment: &Fragment) -> Option<(&str, &str)> {
    match fragment {
        Fragment::Stored { versions, view: None } => match &versions[..] {
            [Version { location: Some(location), identifier, format: None }] => Some((location, identifier)),
            _ => None,
        },
        _ => None,
    }
}

impl Content {
    /// Returns no fragments, with room for this many.
    pub(crate) fn with_room(count: usize) -> Content {
        Content::Files(Files::with_room(count))
    }

    /// Adds a fragment that is a whole variable of one netCDF file.
    pub(crate) fn add_file(&mut self, location: String, identifier: &str) {
        match self {
            Content::Files(files) => files.add(location, identifier),
            _ => self.add(&of_file(&location, identifier)),
        }
    }

    /// Adds a fragment. Values have no fragments.
    pub(crate) fn add(&mut self, fragment: &Fragment) {
        if let (Content::Files(files), Some((location, identifier))) = (&mut *self, in_file(fragment)) {
            return files.add(location, identifier);
        }
        if let Content::Files(files) = self {
            *self = Content::Stored(
                files.iter().map(|(location, identifier)| of_file(location, identifier)).collect(),
            );
        }
        if let Content::Stored(list) = self {
            list.push(fragment.clone());
        }
    }

    /// Returns the number of fragments.
    pub(super) fn len(&self) -> usize {
        match self {
            Content::Stored(list) => list.len(),
            Content::Files(files) => files.len(),
            Content::Unique(values) => values.len(),
        }
    }

    /// Returns the fragments; `None` if they are values.
    pub(crate) fn stored(&self) -> Option<Cow<'_, [Fragment]>> {
        match self {
            Content::Stored(list) => Some(Cow::Borrowed(list)),
            Content::Files(files) => {
                Some(files.iter().map(|(location, identifier)| of_file(location, identifier)).collect())
            }
            Content::Unique(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_what_was_added() {
        let file = |location: &str, identifier: &str| of_file(location, identifier);
        let plain = [file("a", "v"), file("b", "v"), file("c", "w"), file("d", "v")];
        let mut content = Content::with_room(4);
        content.add_file("a".into(), "v");
        plain[1..].iter().for_each(|fragment| content.add(fragment));
        assert!(matches!(content, Content::Files(_)));
        assert_eq!(*content.stored().unwrap(), plain);
        content.add(&Fragment::Missing);
        content.add_file("e".into(), "v");
        let more = [&plain[..], &[Fragment::Missing, file("e", "v")]].concat();
        assert_eq!(content, Content::Stored(more));
        assert_eq!(content.len(), 6);
    }
}
