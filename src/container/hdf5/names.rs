//! Determines whether a file has attributes of certain names, from as little of it as possible.
//!
//! Nothing is decoded, and illegible parts are skipped: a damaged aggregation file is recognised as long as the
//! attribute can be found. Soft links are not followed, since they lead to objects that have other links.

use std::collections::HashSet;

use super::attribute::is_any_named;
use super::header::{Header, ObjectKind};
use super::links::{self, Target};
use super::netcdf4::MAX_LINKS;
use super::store::Store;
use crate::error::{Error, Kind, Result};

/// Memory that the address of an object that was visited takes, in a table that grows.
const VISITED_BYTES: usize = 32;

/// Whether a dataset of any group has an attribute with one of these names.
///
/// # Errors
/// If none is found: the error of the root group if it is not legible; `Io`, `Limit`.
pub(super) fn has_attribute(store: &Store, names: &[&str]) -> Result<bool> {
    let (root, mut outcome) = Header::read_legible(store, store.root);
    let mut visited = HashSet::from([store.root]);
    let mut groups = vec![root];
    let mut count = 0;
    while let Some(group) = groups.pop() {
        let (links, listed) = links::list_legible(store, &group);
        group.release(store);
        if visited.len() == 1 {
            outcome = outcome.and(listed);
        } else {
            pass_over(listed)?;
        }
        count += links.len();
        if count > MAX_LINKS {
            return Err(Error::new(Kind::Limit, "the file has too many objects"));
        }
        for link in links {
            let hard = if let Target::Hard(address) = link.target { Some(address) } else { None };
            link.release(store);
            let Some(address) = hard.filter(|&address| visited.insert(address)) else { continue };
            store.budget.keep(VISITED_BYTES)?;
            let (header, read) = Header::read_legible(store, address);
            pass_over(read)?;
            if header.kind() == ObjectKind::Group {
                groups.push(header);
                continue;
            }
            let found = store.budget.passing(|| is_any_named(store, &header, names));
            header.release(store);
            if pass_over(found)? == Some(true) {
                return Ok(true);
            }
        }
    }
    store.budget.check()?;
    outcome.map(|()| false)
}

/// Skips what is damaged, but reports a file that cannot be read at the moment.
fn pass_over<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if error.kind() == Kind::Io => Err(error),
        result => Ok(result.ok()),
    }
}
