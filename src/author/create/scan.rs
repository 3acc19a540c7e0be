//! Scans every input file, natively and on several threads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::bad::Bad;
use super::facets::Facets;
use super::globals::{Globals, GroupAttributes};
use super::kept_values::Kept;
use super::labels::Labels;
use super::record::{Content, Digest, Input, Interner, Item, State, Template};
use super::Options;
use super::{apart, bounds, kept_attributes, roles, scope};
use crate::author::out::Out;
use crate::container::allowance::{Allowance, Measure};
use crate::container::composed::composed;
use crate::container::tree::Group;
use crate::container::Container;
use crate::dataset::coordinate_blocks;
use crate::dataset::variable::Variable;
use crate::dataset::Dataset;
use crate::error::{Error, Kind, Result};
use crate::io::location::{self, is_address, File, LocalFile, Origin, Place};
use crate::io::os::shown;
use crate::model::slabs::Slabs;
use crate::options::OpenOptions;
use crate::selection::{checked_product, Selection};
use crate::threads::progress::Progress;
use crate::threads::workers;
use crate::value::{Attributes, DataType, Values};

/// The maximum size of values that are kept. Larger ones are compared by a digest and read again when they are needed.
const KEPT_BYTES: u64 = 64 << 10;

/// The same for coordinates along one dimension and their bounds, which order the parts.
const KEPT_ALONG_BYTES: u64 = 16 << 20;

/// The maximum number of elements of all descriptions of a file that are compared with those of others. Deflate makes at
/// most 129 numbers of 8 bytes of one byte.
const COMPARED: Measure = Measure { floor: 1 << 26, length: 129, stored: 512, ceiling: 1 << 40 };

/// The number of bytes that are read at once to make a digest.
const PART_BYTES: u64 = 4 << 20;

/// The number of local files that one thread takes at a time.
const BATCH: usize = 16;

/// The contents of the files.
pub(super) struct Scanned {
    pub inputs: Vec<Input>,
    pub globals: Globals,
    pub facets: Facets,
    pub notes: Vec<String>,
    /// A note on the files that were left out because they cannot be read, and their positions.
    pub bad: Option<String>,
    pub skipped: Vec<usize>,
}

/// Scans the files; the result has their order.
///
/// # Errors
/// Those of opening and reading a file, with its name; `Request` if `out` is a fragment of one; `Cancelled`.
pub(super) fn scan(
    paths: &[&Path],
    out: &Out,
    options: &Options,
    labels: Option<&Labels>,
    progress: &Progress<'_>,
    interner: &Interner,
) -> Result<Scanned> {
    let settings = Arc::new(options.settings()?.num_threads(1));
    let here = Origin::local(Path::new("."))?;
    let shared = Mutex::new((Vec::with_capacity(paths.len()), Globals::default(), Vec::new()));
    let facets = Mutex::new(Facets::default());
    let bad = Bad::new(options.skip_bad || options.surveys);
    let waits = paths.iter().any(|path| is_address(path));
    let size = if waits { 1 } else { BATCH };
    let batches = paths.chunks(size).enumerate();
    let work = |(number, batch): (usize, &[&Path]), _: &_, (): &mut ()| {
        let mut found = Vec::with_capacity(batch.len());
        for (i, path) in batch.iter().enumerate() {
            match look(path, out, options, labels, &settings, &here, interner) {
                Ok((input, globals, notes)) => found.push((number * size + i, input, globals, notes)),
                Err(e) => bad.add(number * size + i, e)?,
            }
            progress.advance(1)?;
        }
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut facets = facets.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, input, globals, notes) in found {
            let root = globals.iter().filter(|(group, _)| group.is_empty());
            root.for_each(|(_, own)| facets.add(&input.name, own));
            shared.0.push((index, input));
            shared.1.merge(&globals);
            for note in notes {
                if !shared.2.contains(&note) && shared.2.len() < 100 {
                    shared.2.push(note);
                }
            }
        }
        Ok(())
    };
    match waits {
        true => workers::run_waiting(batches, at_once(&settings, paths.len()), Some(progress), || (), work)?,
        false => workers::run(batches, options.threads(), || (), work)?,
    }
    let (mut inputs, mut globals, mut notes) = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let (skipped, bad) = bad.finish()?;
    inputs.sort_by_key(|(index, _)| *index);
    globals.sort();
    notes.sort();
    Ok(Scanned {
        inputs: inputs.into_iter().map(|(_, input)| input).collect(),
        globals,
        facets: facets.into_inner().unwrap_or_else(PoisonError::into_inner),
        notes,
        skipped,
        bad,
    })
}

/// Returns how many of these files on servers are opened at the same time: a server has twice as many small requests as
/// large ones, and opening a file is one.
pub(super) fn at_once(settings: &OpenOptions, files: usize) -> usize {
    settings.http_concurrency.saturating_mul(2).min(files).max(1)
}

fn look(
    path: &Path,
    out: &Out,
    options: &Options,
    labels: Option<&Labels>,
    settings: &Arc<OpenOptions>,
    here: &Origin,
    interner: &Interner,
) -> Result<(Input, GroupAttributes, Vec<String>)> {
    let (file, origin, address) = if is_address(path) {
        let (found, origin) = location::open_named(path, settings)?;
        // A name may mean several addresses. This is the one that was found.
        let address = found.places.first().and_then(Place::address).map(PathBuf::from);
        (found.file, origin, address)
    } else {
        // No policy applies to files that the user named. So their real directory, which costs a call per level, is not
        // needed.
        let file = File::Local(LocalFile::open(path)?);
        (file, here.nested(&[Place::Local(path.to_owned())]), None)
    };
    let path = address.as_deref().unwrap_or(path);
    // The state is taken before anything is read, so that later changes are noticed.
    let state = options.record_state.then(|| State::of(file.state()));
    let identity = file.identity();
    let container = Arc::new(Container::open(Arc::new(file))?);
    let dataset = Dataset::from_container(container, identity, origin, settings)?;
    out.refuse_fragments(&dataset)?;
    let name = shown(path);
    let mut notes = Vec::new();
    let found = scope::templates(&dataset)?;
    let companions = roles::companions(found.iter().map(|(_, t)| t));
    let lines = || found.iter().map(|(_, t)| t).filter(|t| t.rank() <= 1);
    let along: HashSet<String> =
        lines().flat_map(|t| [Some(t.name.clone()), bounds::name_of(t)]).flatten().collect();
    let allowance = Allowance::of_gathering(&**dataset.shared().container.source());
    let source = dataset.shared().container.source();
    let mut left = COMPARED.of(source.len(), source.stored());
    let mut items = Vec::with_capacity(found.len());
    refuse_kept(options, &found, path)?;
    for (variable, mut template) in found {
        let describes = companions.contains(&template.name);
        if !describes && !options.wants(&template.name) {
            continue;
        }
        let shape = variable.shape()?;
        let elements = checked_product(shape).unwrap_or(u64::MAX);
        if elements == 0 && !describes {
            notes.push(format!("'{}' has no data in {name}; it is skipped", template.name));
            continue;
        }
        // A text takes as long as some numbers.
        let cost =
            if variable.data_type() == DataType::String { elements.saturating_mul(8) } else { elements };
        let content = if describes && cost <= left {
            left -= cost;
            let most = if along.contains(&template.name) { KEPT_ALONG_BYTES } else { KEPT_BYTES };
            content(&variable, elements, most, &allowance, interner)?
        } else {
            Content::Unread
        };
        if !describes && !options.kept_attributes.is_empty() {
            kept_attributes::refer(&options.kept_attributes, &mut template);
        }
        let outline = interner.outline(&interner.template(template), shape, !describes, false);
        items.push(interner.item(Item { outline, content, fragment: None }));
    }
    if !items.iter().any(|i| i.is_data) && options.variables.is_empty() {
        notes.push(format!("{name} has no data variables"));
    }
    let globals = attributes_of(&dataset);
    let none = Attributes::default();
    let root = globals.iter().find(|(group, _)| group.is_empty()).map_or(&none, |(_, own)| own);
    items.extend(kept_attributes::items(&options.kept_attributes, root, interner));
    let mut input = Input::file(path, state, items).opened_with(address.is_some().then_some(settings));
    input.traits = interner.traits(apart::traits(root));
    if let Some(labels) = labels {
        labels.add(&mut input, path, root, interner)?;
    }
    Ok((input, globals, notes))
}

/// Refuses attributes to be kept that have the name of a variable or dimension of the file.
fn refuse_kept(options: &Options, found: &[(Variable, Template)], path: &Path) -> Result<()> {
    let taken = |t: &Template| t.dimensions.iter().chain([&t.name]).find(|name| options.keeps(name)).cloned();
    match found.iter().find_map(|(_, template)| taken(template)) {
        None => Ok(()),
        Some(name) => {
            let message = format!("it has '{name}' itself, so its attribute of this name cannot be kept");
            Err(Error::new(Kind::Request, message).in_file(shown(path)))
        }
    }
}

/// Reads values and keeps them if they have at most `most` bytes. Others are read in parts, and only a digest is kept.
fn content(
    variable: &Variable,
    elements: u64,
    most: u64,
    allowance: &Allowance,
    interner: &Interner,
) -> Result<Content> {
    let shape = variable.shape()?;
    let element = variable.data_type().size().unwrap_or(64) as u64;
    let bytes = elements.saturating_mul(element);
    if bytes <= most && (bytes <= KEPT_BYTES || allowance.keep_values(bytes).is_ok()) {
        let values = variable.read_values(&Selection::all(shape))?;
        return Ok(Content::Kept(Kept::new(values, interner)));
    }
    let mut digest = Digest::default();
    // The digest depends on the parts, which are those of every file whatever its chunks.
    let part = (PART_BYTES / element).max(1);
    let block = match shape {
        [_] => coordinate_blocks::length(variable)?.div_ceil(part).saturating_mul(part),
        _ => part,
    };
    for block in Slabs::new(&Selection::all(shape), shape, block) {
        let values = variable.read_values(&block?)?;
        for start in (0..values.len()).step_by(part as usize) {
            digest.add(&values.part(start..values.len().min(start + part as usize)));
        }
    }
    Ok(Content::Hashed(Box::new(digest.finish())))
}

/// Returns the attributes of every group, by its path without leading slash.
pub(super) fn attributes_of(dataset: &Dataset) -> GroupAttributes {
    let own = |g: &Group| (composed(g.path.trim_start_matches('/')).into_owned(), g.attributes.clone());
    dataset.groups().iter().map(own).collect()
}

/// Reads a variable that was not kept.
pub(super) fn read_again(input: &Input, template: &Template) -> Result<Values> {
    let name = &template.path;
    let path = input.path().ok_or_else(|| {
        Error::new(Kind::Unsupported, format!("'{name}' is too large to be taken from an aggregation"))
            .in_file(&*input.name)
    })?;
    let variable = Dataset::open_with(path, &input.settings())?.variable(name)?;
    let shape = variable.shape()?.to_vec();
    let element = variable.data_type().size().unwrap_or(size_of::<String>()) as u64;
    let bytes = checked_product(&shape).and_then(|n| n.checked_mul(element)).unwrap_or(u64::MAX);
    Allowance::of_gathering(&**variable.dataset().shared().container.source())
        .keep_values(bytes)
        .map_err(|e| e.in_variable(variable.path()).in_file(&*input.name))?;
    variable.read_values(&Selection::all(&shape))
}
