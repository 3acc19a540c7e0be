//! Makes, converts and extracts aggregation files for C.

use std::ffi::{c_char, c_void};
use std::path::PathBuf;

use super::boundary::{c_string, list, optional_text, text, Answer, Failure};
use super::convert_options::cfa_convert_options;
use super::create_options::*;
use super::extract_options::{cfa_cut, cfa_extract_options, CFA_COMPRESSION_NONE};
use super::file::dialect_of;
use super::open::path_of;
use super::open_options::{choice, settings, CFA_CHOICE_DEFAULT};
use super::options::taken;
use super::planned::{self, cfa_note_callback};
use super::status::CFA_ERR_NOT_FOUND;
use super::watch::Watch;
use crate::author::convert::{self, Locations};
use crate::author::create::{self, Inputs};
use crate::author::extract::{self, Cut};
use crate::author::write::Format;
use crate::Dataset;

/// `cfa_aggregation_create`, under the contract of the C API (module capi), as the others here.
pub(super) unsafe fn create(
    out_path: *const c_char,
    files: *const *const c_char,
    file_count: usize,
    options: *const cfa_create_options,
) -> Answer<()> {
    // SAFETY: the contract.
    let (out, given, files) = unsafe {
        let given = taken(options, "options")?;
        (path_of(out_path, "out_path")?, given, list(files, file_count, "files")?)
    };
    // SAFETY: as above.
    let (settings, files) =
        unsafe { (create_settings(&given)?, input_files(files, yes(given.expand, "expand")?)?) };
    let work = match (yes(given.update, "update")?, yes(given.dry_run, "dry_run")?) {
        (true, _) if given.dialect != CFA_CHOICE_DEFAULT => {
            return Err(Failure::argument(
                "dialect is set while update is CFA_CHOICE_YES: the file keeps its dialect",
            ));
        }
        (true, _) if settings.overwrite => {
            return Err(Failure::argument(
                "overwrite is set while update is CFA_CHOICE_YES: nothing is replaced",
            ));
        }
        (false, false) => create::create,
        (false, true) => create::plan,
        (true, false) => create::update,
        (true, true) => create::plan_update,
    };
    let watch = Watch::begin(given.progress, given.user_data)?;
    let listener = |done: u64, total: u64| watch.report_part(done, total);
    let report = work(out, &files, &settings, Some(&listener))?;
    for variable in &report.variables {
        // SAFETY: as above: a function of this type.
        unsafe { planned::show(variable, given.describe, given.user_data) };
    }
    // SAFETY: as above.
    unsafe { report_notes(&report.notes, given.note, given.user_data) };
    watch.end();
    Ok(())
}

unsafe fn create_settings(given: &cfa_create_options) -> Answer<create::Options> {
    let mut options = create::Options::default();
    options.dialect = dialect_of(given.dialect)?.unwrap_or(options.dialect);
    options.format = format(given.format)?;
    // SAFETY: the contract of the C API (module capi).
    let base = unsafe { optional_text(given.base, "base")? };
    options.locations = match (base, given.locations) {
        (Some(base), CFA_CHOICE_DEFAULT) => create::Locations::Base(base.to_owned()),
        (Some(_), _) => return Err(Failure::argument("base and locations are both set")),
        (None, CFA_CHOICE_DEFAULT | CFA_LOCATIONS_RELATIVE) => create::Locations::Relative,
        (None, CFA_LOCATIONS_ABSOLUTE) => create::Locations::Absolute,
        (None, other) => return Err(Failure::value("locations", other)),
    };
    // SAFETY: as above.
    unsafe {
        options.variables = names(given.variables, "variables")?;
        options.dimensions = names(given.dimensions, "dimensions")?;
        options.new_dimension = optional_text(given.new_dimension, "new_dimension")?.map(str::to_owned);
        options.kept_attributes = names(given.keep_attributes, "keep_attributes")?;
        options.release = optional_text(given.drs_version, "drs_version")?.map(str::to_owned);
        options.history = optional_text(given.history, "history")?.map(str::to_owned);
        options.open = Some(settings(given.open)?);
    }
    options.allow_gaps = yes(given.allow_gaps, "allow_gaps")?;
    options.aggregate_coordinates = yes(given.aggregate_coordinates, "aggregate_coordinates")?;
    options.record_state = yes(given.record_state, "record_state")?;
    options.overwrite = yes(given.overwrite, "overwrite")?;
    options.record_chunks = yes(given.record_chunks, "record_chunks")?;
    options.skip_bad = yes(given.skip_bad, "skip_bad")?;
    options.prune = match given.prune {
        CFA_CHOICE_DEFAULT => create::Prune::Nothing,
        CFA_PRUNE_FILES => create::Prune::Files,
        CFA_PRUNE_FOLDERS => create::Prune::Folders,
        other => return Err(Failure::value("prune", other)),
    };
    options.num_threads =
        usize::try_from(given.num_threads).map_err(|_| Failure::value("num_threads", given.num_threads))?;
    Ok(options)
}

unsafe fn input_files(files: &[*const c_char], expand: bool) -> Answer<Inputs> {
    // SAFETY: the contract of the C API (module capi).
    let path = |&file: &*const c_char| unsafe { path_of(file, "an entry of files") }.map(PathBuf::from);
    let paths = files.iter().map(path).collect::<Answer<Vec<_>>>()?;
    Ok(if expand { create::expand(&paths)? } else { Inputs::from(&paths) })
}

/// `cfa_aggregation_convert`.
pub(super) unsafe fn convert(
    path: *const c_char,
    out_path: *const c_char,
    options: *const cfa_convert_options,
) -> Answer<()> {
    // SAFETY: the contract.
    let (path, out, given) = unsafe {
        let given = taken(options, "options")?;
        (path_of(path, "path")?, path_of(out_path, "out_path")?, given)
    };
    unused(given.reserved, "reserved")?;
    unused(given.reserved_2, "reserved_2")?;
    // SAFETY: as above.
    let open = unsafe { settings(given.open)? };
    let mut options =
        convert::Options { format: format(given.format)?.unwrap_or_default(), ..convert::Options::default() };
    options.dialect = dialect_of(given.dialect)?.unwrap_or(options.dialect);
    options.overwrite = yes(given.overwrite, "overwrite")?;
    options.locations = match given.locations {
        CFA_CHOICE_DEFAULT => Locations::Keep,
        CFA_LOCATIONS_RELATIVE => Locations::Relative,
        CFA_LOCATIONS_ABSOLUTE => Locations::Absolute,
        other => return Err(Failure::value("locations", other)),
    };
    let watch = Watch::begin(given.progress, given.user_data)?;
    let listener = |done: u64, total: u64| watch.report_part(done, total);
    options.progress = Some(&listener);
    let dataset = Dataset::open_with(path, &open)?;
    convert::convert(&dataset, out, &options)?;
    // SAFETY: as above.
    unsafe { report_notes(&dataset.warnings(), given.note, given.user_data) };
    watch.end();
    Ok(())
}

/// `cfa_aggregation_extract`.
pub(super) unsafe fn extract(
    path: *const c_char,
    out_path: *const c_char,
    options: *const cfa_extract_options,
) -> Answer<()> {
    // SAFETY: the contract.
    let (path, out, given) = unsafe {
        let given = taken(options, "options")?;
        (path_of(path, "path")?, path_of(out_path, "out_path")?, given)
    };
    // SAFETY: as above.
    let (open, variables, chunk, cuts, select) = unsafe {
        let chunk = list(given.chunk, given.chunk_rank, "chunk")?;
        let cuts = list(given.cuts, given.cut_count, "cuts")?;
        let (variables, select) = (names(given.variables, "variables")?, names(given.select, "select")?);
        (settings(given.open)?, variables, chunk, cuts, select)
    };
    if !cuts.is_empty() && !select.is_empty() {
        return Err(Failure::argument("cuts and select are both set"));
    }
    if chunk.contains(&0) {
        return Err(Failure::argument("chunk has a size of 0"));
    }
    let deflate = match given.compression {
        0 => extract::Options::default().deflate,
        CFA_COMPRESSION_NONE => 0,
        n => u8::try_from(n).ok().filter(|n| *n <= 9).ok_or_else(|| Failure::value("compression", n))?,
    };
    let shuffle = choice(given.shuffle, "shuffle")?.unwrap_or(true);
    let overwrite = yes(given.overwrite, "overwrite")?;
    unused(given.reserved, "reserved")?;
    let watch = Watch::begin(given.progress, given.user_data)?;
    let listener = |done: u64, total: u64| watch.report_part(done, total);
    let dataset = Dataset::open_with(path, &open)?;
    let cuts = match select.is_empty() {
        // SAFETY: as above.
        true => unsafe { cuts_of(&dataset, cuts)? },
        false => extract::cuts(&dataset, &variables, |v| v.select_parts(&select))?,
    };
    let options = extract::Options {
        variables,
        cuts,
        chunks: (!chunk.is_empty()).then(|| chunk.to_vec()),
        deflate,
        shuffle,
        overwrite,
        progress: Some(&listener),
    };
    extract::extract(&dataset, out, &options)?;
    // SAFETY: as above.
    unsafe { report_notes(&dataset.warnings(), given.note, given.user_data) };
    watch.end();
    Ok(())
}

unsafe fn cuts_of(dataset: &Dataset, given: &[cfa_cut]) -> Answer<Vec<Cut>> {
    let mut cuts: Vec<Cut> = Vec::with_capacity(given.len());
    for one in given {
        // SAFETY: the contract of the C API (module capi).
        let name = unsafe { text(one.dimension, "the dimension of a cut")? };
        let unknown = |e| Failure::from(e).with_status(CFA_ERR_NOT_FOUND);
        let dimension = dataset.dimension_at(name).map_err(unknown)?;
        if cuts.iter().any(|c| c.dimension == dimension) {
            return Err(Failure::argument(format!("dimension '{name}' is cut twice")));
        }
        let size = dataset.dimension_size(dimension);
        if one.start >= size && size > 0 {
            let message = format!("dimension '{name}' has size {size}; a cut begins at {}", one.start);
            return Err(Failure::argument(message));
        }
        let step = if one.step == 0 { 1 } else { one.step };
        let count = match (one.count, size) {
            (0, 0) => 0,
            (0, _) if step > 0 => (size - 1 - one.start) / step.unsigned_abs() + 1,
            (0, _) => one.start / step.unsigned_abs() + 1,
            (count, _) => count,
        };
        cuts.push(Cut { dimension, start: one.start, count, step, shift: 0.0 });
    }
    Ok(cuts)
}

fn format(code: i32) -> Answer<Option<Format>> {
    match code {
        CFA_CHOICE_DEFAULT => Ok(None),
        CFA_FORMAT_NETCDF4 => Ok(Some(Format::Netcdf4)),
        CFA_FORMAT_CLASSIC => Ok(Some(Format::Classic)),
        CFA_FORMAT_CDF5 => Ok(Some(Format::Cdf5)),
        other => Err(Failure::value("format", other)),
    }
}

/// Returns the texts of a list that ends with NULL; none for NULL.
pub(super) unsafe fn names(mut entry: *const *const c_char, name: &str) -> Answer<Vec<String>> {
    let mut found = Vec::new();
    if entry.is_null() {
        return Ok(found);
    }
    // SAFETY: the contract of the C API (module capi): the list goes on to its NULL.
    unsafe {
        while !entry.read().is_null() {
            found.push(text(entry.read(), name)?.to_owned());
            entry = entry.add(1);
        }
    }
    Ok(found)
}

unsafe fn report_notes(notes: &[String], tell: cfa_note_callback, user_data: *mut c_void) {
    let Some(tell) = tell else { return };
    for note in notes {
        // SAFETY: the caller's function, and a text that outlives the call.
        unsafe { tell(c_string(note).as_ptr(), user_data) };
    }
}

/// A choice whose default is no.
fn yes(value: i32, name: &str) -> Answer<bool> {
    Ok(choice(value, name)?.unwrap_or(false))
}

/// Checks that a reserved field is zero.
fn unused(value: i32, name: &str) -> Answer<()> {
    match value {
        0 => Ok(()),
        _ => Err(Failure::argument(format!("options->{name} is not 0"))),
    }
}
