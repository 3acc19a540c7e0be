//! Checks that no file to be written is a fragment of what is read: in any version, and also of a fragment that is an
//! aggregation.
//!
//! If there is no such file yet, it can only be a fragment that is missing, so names are compared. Otherwise each
//! fragment's file is compared, and opened to find the fragments that it names, as far as the settings allow it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Out;
use crate::container::tree::VariableId;
use crate::container::Container;
use crate::dataset::Dataset;
use crate::dialect;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, File, Identity, Place, Style};
use crate::io::os::{self, shown, FileIdentity};
use crate::io::source::Source;
use crate::model::effort::{Cost, Effort};
use crate::model::fragments::{Fragment, Lookup};
use crate::model::slabs::Slabs;
use crate::model::Aggregation;
use crate::options::OpenOptions;
use crate::selection::Selection;
use crate::threads::workers;

/// The number of fragments that are looked up at once.
const BLOCK: u64 = 4096;

/// The number of files that one thread searches at a time.
const BATCH: usize = 64;

/// Searches the fragments of an aggregation file.
///
/// # Errors
/// `Request` if one of them is a file to be written, or if the files cannot be determined.
pub(super) fn search(outs: &[&Out], dataset: &Dataset) -> Result<()> {
    let shared = dataset.shared();
    // The fragments of a file on a server are on servers, or exist already.
    if outs.iter().all(|out| !out.exists()) && !shared.origin.is_local() || outs.is_empty() {
        return Ok(());
    }
    let mut options = shared.options.clone();
    let again = |options: &OpenOptions| -> Result<()> {
        let (container, identity) = (Arc::clone(&shared.container), shared.identity.clone());
        let view = Dataset::from_container(container, identity, shared.origin.clone(), options)?;
        Search::new(outs, &shared.container).file(&view, 0)
    };
    if options.raw_view {
        options.raw_view = false;
        again(&options)?;
    } else {
        Search::new(outs, &shared.container).file(dataset, 0)?;
    }
    // The files that the aggregation file names are protected even if settings lead elsewhere.
    if !options.relocate.is_empty() || !options.substitutions.is_empty() {
        options.relocate.clear();
        options.substitutions.clear();
        again(&options)?;
    }
    Ok(())
}

struct Search<'a> {
    outs: &'a [&'a Out],
    /// The first of them that exists.
    existing: Option<&'a Out>,
    /// The files that were searched.
    seen: Mutex<HashSet<FileIdentity>>,
    effort: Effort,
}

impl<'a> Search<'a> {
    fn new(outs: &'a [&'a Out], container: &Container) -> Self {
        let existing = outs.iter().find(|out| out.exists()).copied();
        Search { outs, existing, seen: Mutex::default(), effort: Effort::of(container) }
    }

    /// Checks every fragment of an aggregation file, which is itself a fragment of this depth.
    fn file(&self, dataset: &Dataset, depth: usize) -> Result<()> {
        let tree = dataset.shared().tree();
        for (i, variable) in tree.variables.iter().enumerate() {
            if dialect::is_aggregation(&variable.attributes) {
                self.variable(dataset, VariableId(i), depth)?;
            }
        }
        Ok(())
    }

    /// Treats unknown fragments as a possible loss, unless there is nothing to lose.
    fn unknown(&self, error: &Error) -> Result<()> {
        match self.existing {
            Some(out) => Err(out.refusal(format!(
                "it may be one of the fragments, which cannot be checked ({error}); choose another name"
            ))),
            None => Ok(()),
        }
    }

    fn variable(&self, dataset: &Dataset, id: VariableId, depth: usize) -> Result<()> {
        let shared = dataset.shared();
        let found = match shared.aggregation(id) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(()),
            Err(error) => return self.unknown(&error),
        };
        let shape = found.grid.fragments();
        for block in Slabs::new(&Selection::all(shape), shape, BLOCK) {
            let block = block?;
            let list = found.fragments.lookup(&*shared.container, &block, &shared.runtime_substitutions);
            let cost = if matches!(list, Ok(Lookup::UniqueValues(_))) { Cost::NoFile } else { Cost::Named };
            if !self.effort.spend(block.len().unwrap_or(0), cost) {
                let message =
                    "it may be one of the fragments, which are too many to compare for files of this length";
                return Err(Error::new(Kind::Limit, message).in_file(self.outs[0].name()));
            }
            match list {
                Ok(Lookup::Fragments(list)) => self.block(dataset, found, &list, depth)?,
                Ok(Lookup::UniqueValues(_)) => return Ok(()),
                Err(error) => {
                    self.unknown(&error)?;
                    // If names are too long for memory, they are so in every block, and each would be tried.
                    if error.kind() == Kind::Limit {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn block(&self, dataset: &Dataset, found: &Aggregation, list: &[Fragment], depth: usize) -> Result<()> {
        let shared = dataset.shared();
        let style = Style::allowing_absolute_paths(found.fragments.allows_absolute_paths());
        let versions = list.iter().filter_map(|fragment| match fragment {
            Fragment::Stored { versions, .. } => Some(versions),
            Fragment::Missing => None,
        });
        let names: HashSet<&str> =
            versions.flatten().filter_map(|version| version.location.as_deref()).collect();
        let mut more = Vec::new();
        for name in names {
            // An invalid location leads to no file.
            let places = location::candidates(&shared.origin, name, style, &shared.options);
            for place in places.map(|found| found.places).unwrap_or_default() {
                if let Place::Local(path) = place {
                    more.extend(self.place(dataset, path)?);
                }
            }
        }
        if more.is_empty() || depth >= shared.options.max_nesting {
            return Ok(());
        }
        let threads = workers::threads(shared.options.num_threads);
        let batches = more.chunks(BATCH);
        let look = |batch: &[PathBuf], _: &_, (): &mut ()| {
            batch.iter().try_for_each(|path| self.look_into(dataset, path, depth))
        };
        workers::run(batches, threads, || (), look)
    }

    /// Compares the file at a place. Returns the path if the file is to be searched.
    fn place(&self, dataset: &Dataset, path: PathBuf) -> Result<Option<PathBuf>> {
        let identity = self.existing.and_then(|_| os::identity_at(&path).ok());
        let is_it = |out: &&&Out| match (out.exists(), &identity) {
            (true, identity) => identity.as_ref().is_some_and(|identity| out.is_identity(identity)),
            (false, _) => out.is(&path),
        };
        let Some(out) = self.outs.iter().find(is_it) else {
            let Some(identity) = identity else { return Ok(None) };
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(seen.insert(identity).then_some(path));
        };
        let message = format!(
            "it is a fragment of {} ('{}'), which is never replaced; choose another name",
            dataset.name(),
            redact(&shown(&path))
        );
        Err(out.refusal(message))
    }

    /// Searches the file of a fragment, if it is an aggregation. A file that may not or cannot be opened is not read
    /// either.
    fn look_into(&self, dataset: &Dataset, path: &Path, depth: usize) -> Result<()> {
        let shared = dataset.shared();
        let Ok(Some(file)) = location::open_local_fragment(&shared.origin, path, &shared.options) else {
            return Ok(());
        };
        let identity = Identity::Local(file.identity().clone());
        let source: Arc<dyn Source> = Arc::new(File::Local(file));
        if !Container::has_attribute(&source, &dialect::ATTRIBUTES).unwrap_or(false) {
            return Ok(());
        }
        let Ok(container) = Container::open(source) else { return Ok(()) };
        let origin = shared.origin.nested(&[Place::Local(path.to_owned())]);
        self.effort.add(&container);
        match Dataset::from_container(Arc::new(container), identity, origin, &shared.options) {
            Ok(inner) => self.file(&inner, depth + 1),
            Err(_) => Ok(()),
        }
    }
}
