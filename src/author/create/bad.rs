//! Collects the files that cannot be read: a scan goes on without them and lists them all at its end.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::listing::listed;
use crate::author::option_name::OptionName;
use crate::error::{Error, Kind, Result};

/// The number of files that cannot be read after which a scan ends, unless they are to be left out. So many failures
/// may have one cause, such as a server that is down.
const MOST: usize = 100;

/// The files that could not be read so far, by position.
pub(super) struct Bad {
    skips: bool,
    found: Mutex<BTreeMap<usize, Error>>,
}

impl Bad {
    /// Creates an empty collection. `skips` says whether such files are left out.
    pub fn new(skips: bool) -> Bad {
        Bad { skips, found: Mutex::default() }
    }

    /// Adds a file with its error.
    ///
    /// # Errors
    /// The same error, if it ends the scan.
    pub fn add(&self, position: usize, error: Error) -> Result<()> {
        // `Request`: a file may have the file to be written among its fragments. Leaving it out would not protect it.
        if matches!(error.kind(), Kind::Cancelled | Kind::Internal | Kind::Request) {
            return Err(error);
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.skips && found.len() + 1 >= MOST {
            return Err(
                one_error(found.values().chain([&error]), &format!("at least {MOST}")).unwrap_or(error)
            );
        }
        found.insert(position, error);
        Ok(())
    }

    /// Returns the positions of the files that are left out, and a note on them.
    ///
    /// # Errors
    /// One that names all of them, if they are not to be left out.
    pub fn finish(self) -> Result<(Vec<usize>, Option<String>)> {
        let found = self.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let count = found.len();
        if count == 0 {
            return Ok((Vec::new(), None));
        }
        if !self.skips {
            let error = one_error(found.values(), &count.to_string());
            return Err(error.unwrap_or_else(|| Error::new(Kind::Internal, "no file was read")));
        }
        let list = listed(found.values().map(ToString::to_string), count as u128);
        let note = match count {
            1 => format!("a file cannot be read and is left out: {list}"),
            _ => format!("{count} files cannot be read and are left out: {list}"),
        };
        Ok((found.into_keys().collect(), Some(note)))
    }
}

/// Returns one error for these files; if there is one file, its own error.
fn one_error<'a>(errors: impl Iterator<Item = &'a Error> + Clone, count: &str) -> Option<Error> {
    let n = errors.clone().count();
    let first = errors.clone().next()?;
    if n == 1 {
        return Some(first.clone());
    }
    let list = listed(errors.map(ToString::to_string), n as u128);
    Some(Error::new(
        first.kind(),
        format!("{count} files cannot be read: {list}; {} goes on without them", OptionName::SkipBad),
    ))
}
