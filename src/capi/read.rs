//! Reading a part of a variable into a caller's buffer.

use std::ffi::{c_char, c_void};

use super::boundary::{self, is_null, list, Answer, Failure};
use super::open_options::choice;
use super::options::taken;
use super::read_options::cfa_read_options;
use super::status::{cfa_status, CFA_ERR_BUFFER, CFA_ERR_LIMIT, CFA_ERR_TYPE};
use super::strings::allocate;
use super::types;
use super::variable::{cfa_variable, variable};
use super::watch::Watch;
use crate::dataset::coordinates;
use crate::selection::{c_strides, offsets};
use crate::{DataType, Listener, Output, Selection};

/// Called with the fraction of the work that is done.
///
/// It may call functions of this library.
///
/// @param fraction  from 0 to 1
/// @param user_data as given in the options
/// @return 0 to stop the work, which then returns CFA_ERR_CANCELLED; anything else to go on
pub type cfa_progress_callback = Option<unsafe extern "C" fn(fraction: f64, user_data: *mut c_void) -> i32>;

/// Reads a part of a variable into a buffer.
///
/// Element (i, j, ...) of the result is element (start[0] + i * step[0], start[1] + j * step[1], ...) of the
/// variable; it is written at buffer + i * buffer_stride[0] + j * buffer_stride[1] + ..., counted in elements. Types
/// of arguments are those of GDAL's multidimensional Read.
///
/// Where data are missing, the buffer receives the number of cfa_variable_missing_value, or NULL for a string, and the
/// mask receives 0. The mask does not depend on the type. If there is no such number, missing data are an error unless
/// there is a mask. If a variable that is not aggregated has several missing values, a read in its own type returns
/// them as they are stored. With options->missing_as_nan, all missing data are NaN. Packed data are returned packed
/// (cfa_variable_scale_offset) unless options->unpacked is set.
///
/// @param variable      the variable
/// @param start         first index along each dimension; may be NULL for a scalar, as may the next three
/// @param count         number of indices along each dimension; may be 0
/// @param step          distance between indices, may be negative, not 0; NULL for 1 everywhere
/// @param buffer_stride distance in the buffer, in elements, may be negative; NULL for C order. Strides may let
///                      several elements share a place, and then one of them is there in the end; strings may not
///                      share any, since all but one would be lost and never freed
/// @param type          type of the buffer: that of the variable, or for numbers any other number type; values that
///                      do not fit it are an error, unless lossy is set: then fractions are cut off, and what is out
///                      of range, or would become infinite, is missing
/// @param buffer_bytes  size of the buffer in bytes, from buffer on (from options->buffer_start on, if that is set)
/// @param buffer        where element (0, 0, ...) goes; for CFA_TYPE_STRING an array of char pointers, whose old
///                      values are overwritten and whose new ones are freed with cfa_strings_free
/// @param options       mask, progress and so on; NULL for none
/// @return CFA_OK; CFA_ERR_ARGUMENT if the part is not within the variable or strings would share a place,
///         CFA_ERR_BUFFER if an element would lie outside buffer or mask, CFA_ERR_TYPE, CFA_ERR_CANCELLED;
///         CFA_ERR_FRAGMENT_MISSING and all other errors of the aggregation or a fragment
///
/// After an error the contents of buffer and mask are not defined, except that no strings are left to free.
/// The read may use several threads.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_read(
    variable: *const cfa_variable,
    start: *const u64,
    count: *const usize,
    step: *const i64,
    buffer_stride: *const isize,
    r#type: i32,
    buffer_bytes: usize,
    buffer: *mut c_void,
    options: *const cfa_read_options,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let variable = unsafe { self::variable(variable)? };
        // SAFETY: as above.
        let selection = unsafe { selection(variable, start, count, step)? };
        let data_type = types::data_type(r#type)?;
        // SAFETY: as above.
        let options = unsafe { taken(options, "options")? };
        let lossy = choice(options.lossy, "lossy")?;
        let unpacked = choice(options.unpacked, "unpacked")?.unwrap_or(false);
        let with_nan = choice(options.missing_as_nan, "missing_as_nan")?.unwrap_or(false);
        if data_type == DataType::String && (unpacked || with_nan) {
            return Err(Failure::new(CFA_ERR_TYPE, "strings cannot be unpacked and have no NaN"));
        }
        if options.reserved != 0 {
            return Err(Failure::argument("options->reserved is not 0"));
        }
        // SAFETY: as above.
        let strides = unsafe { strides(&selection, buffer_stride)? };
        let memory =
            memory(&selection, &strides, data_type, buffer_bytes, buffer, options.buffer_start.cast())?;
        let mask = mask(&selection, &options)?;
        if selection.is_empty() {
            return Ok(());
        }
        let watch = Watch::new(options.progress, options.user_data);
        let listener = |done: u64, total: u64| watch.report(done, total);
        let progress = options.progress.map(|_| &listener as &Listener<'_>);
        if data_type == DataType::String {
            // SAFETY: `memory` and `mask` have checked that all elements lie within the caller's memory.
            return unsafe { strings(variable, &selection, &strides, &memory, mask, progress) };
        }
        // SAFETY: as above; the caller leaves this memory to the read while it lasts.
        let (bytes, mask) = unsafe {
            let mask = mask.map(|(start, len)| std::slice::from_raw_parts_mut(start, len));
            (std::slice::from_raw_parts_mut(memory.base, memory.bytes), mask)
        };
        let output = Output {
            data_type,
            buffer: bytes,
            first: memory.first,
            strides: Some(&strides),
            mask,
            lossy,
            progress,
        };
        match (unpacked, with_nan) {
            (true, _) => variable.variable.read_unpacked_into(&selection, output)?,
            (false, true) => variable.variable.read_with_nan_into(&selection, output)?,
            (false, false) => variable.variable.read_into(&selection, output)?,
        }
        Ok(())
    })
}

/// Reads unpacked numbers, such as coordinates: scaled by scale_factor and add_offset, unsigned if _Unsigned says so,
/// and NaN where they are missing. cfa_time_format takes such numbers.
///
/// @param variable the variable
/// @param start    as for cfa_variable_read
/// @param count    as for cfa_variable_read
/// @param step     as for cfa_variable_read
/// @param capacity the room in values
/// @param values   receives the numbers in C order
/// @return CFA_OK; CFA_ERR_BUFFER if capacity is less than the number of elements, CFA_ERR_TYPE for text,
///         CFA_ERR_ATTRIBUTE if scale_factor or add_offset is not a number; else as cfa_variable_read
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_read_unpacked(
    variable: *const cfa_variable,
    start: *const u64,
    count: *const usize,
    step: *const i64,
    capacity: usize,
    values: *mut f64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (variable, selection) = unsafe {
            let variable = self::variable(variable)?;
            (variable, selection(variable, start, count, step)?)
        };
        // Before anything is read.
        let need = selection.len().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
        if capacity < need {
            let message = format!("values has room for {capacity} numbers; the part has {need}");
            return Err(Failure::new(CFA_ERR_BUFFER, message));
        }
        if need > 0 && values.is_null() {
            return Err(is_null("values"));
        }
        let numbers = coordinates::numbers(&variable.variable, &selection)?;
        // SAFETY: as above, `values` has room for `capacity` numbers.
        unsafe { numbers.iter().enumerate().for_each(|(i, x)| values.add(i).write(*x)) };
        Ok(())
    })
}

/// Announces that a part will be read soon, so that it may be fetched and decoded ahead. No read depends on it, and
/// only some of the part may be kept.
///
/// @param variable the variable
/// @param start    as for cfa_variable_read
/// @param count    as for cfa_variable_read
/// @param step     as for cfa_variable_read
/// @return CFA_OK; CFA_ERR_ARGUMENT if the part is not within the variable; what cfa_variable_check returns. What is
///         wrong with a fragment is reported by the read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cfa_variable_advise(
    variable: *const cfa_variable,
    start: *const u64,
    count: *const usize,
    step: *const i64,
) -> cfa_status {
    boundary::status(|| {
        // SAFETY: the contract of the C API (module capi).
        let (variable, selection) = unsafe {
            let variable = self::variable(variable)?;
            (variable, selection(variable, start, count, step)?)
        };
        variable.variable.advise(&selection)?;
        Ok(())
    })
}

unsafe fn selection(
    variable: &cfa_variable,
    start: *const u64,
    count: *const usize,
    step: *const i64,
) -> Answer<Selection> {
    let shape = variable.variable.shape()?;
    let rank = shape.len();
    // SAFETY: the contract of the C API (module capi): one number per dimension.
    let (start, count) = unsafe { (list(start, rank, "start")?, list(count, rank, "count")?) };
    let step = match step.is_null() {
        true => vec![1; rank],
        // SAFETY: as above.
        false => unsafe { list(step, rank, "step")? }.to_vec(),
    };
    let count: Vec<u64> = count.iter().map(|&c| c as u64).collect();
    let placed =
        |e: crate::Error| e.in_variable(variable.variable.path()).in_file(variable.variable.dataset().name());
    Ok(Selection::new(start, &count, &step, shape).map_err(placed)?)
}

unsafe fn strides(selection: &Selection, given: *const isize) -> Answer<Vec<i64>> {
    if given.is_null() {
        let strides = c_strides(selection.count());
        return Ok(strides.iter().map(|&s| i64::try_from(s).unwrap_or(i64::MAX)).collect());
    }
    // SAFETY: the contract of the C API (module capi): one number per dimension.
    Ok(unsafe { list(given, selection.rank(), "buffer_stride")? }.iter().map(|&s| s as i64).collect())
}

/// The memory that a read may write.
struct Memory {
    base: *mut u8,
    bytes: usize,
    /// Index of element (0, 0, ...) from `base` on.
    first: usize,
}

/// Checks that every element is within the buffer.
fn memory(
    selection: &Selection,
    strides: &[i64],
    data_type: DataType,
    buffer_bytes: usize,
    buffer: *mut c_void,
    buffer_start: *const u8,
) -> Answer<Memory> {
    let size = types::size(data_type);
    if selection.is_empty() {
        return Ok(Memory { base: buffer.cast(), bytes: 0, first: 0 });
    }
    if buffer.is_null() {
        return Err(is_null("buffer"));
    }
    let before = match buffer_start.is_null() {
        true => 0,
        false => (buffer as usize)
            .checked_sub(buffer_start as usize)
            .ok_or_else(|| Failure::argument("buffer lies before options->buffer_start"))?,
    };
    let (first, odd) = (before / size, before % size);
    let bytes = buffer_bytes.saturating_sub(odd).min(isize::MAX as usize);
    let (mut low, mut high) = (first as i128, first as i128);
    for (&stride, &count) in strides.iter().zip(selection.count()) {
        let reach = i128::from(stride) * i128::from(count - 1);
        low += reach.min(0);
        high += reach.max(0);
    }
    let room = (bytes / size) as i128;
    if low < 0 || high >= room {
        let message =
            format!("buffer has room for elements 0 to {}; the read writes {low} to {high}", room - 1);
        return Err(Failure::new(CFA_ERR_BUFFER, message));
    }
    Ok(Memory { base: buffer.cast::<u8>().wrapping_sub(before - odd), bytes, first })
}

/// Checks that the mask has a byte for every element.
fn mask(selection: &Selection, options: &cfa_read_options) -> Answer<Option<(*mut u8, usize)>> {
    if options.mask.is_null() {
        return Ok(None);
    }
    let need = selection.len().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    if options.mask_bytes < need {
        let message = format!("mask has {} bytes; the read has {need} elements", options.mask_bytes);
        return Err(Failure::new(CFA_ERR_BUFFER, message));
    }
    Ok(Some((options.mask, need)))
}

/// Reads strings; each is allocated for the caller.
unsafe fn strings(
    variable: &cfa_variable,
    selection: &Selection,
    strides: &[i64],
    memory: &Memory,
    mask: Option<(*mut u8, usize)>,
    progress: Option<&Listener<'_>>,
) -> Answer<()> {
    let places = places_of_strings(selection, strides)?;
    let texts = variable.variable.read_strings_with(selection, progress)?;
    let mut copies: Vec<*mut c_char> = Vec::new();
    copies
        .try_reserve_exact(texts.len())
        .map_err(|_| Failure::new(CFA_ERR_LIMIT, "no memory for the strings"))?;
    for text in &texts {
        match text.as_deref().map(allocate).unwrap_or(Ok(std::ptr::null_mut())) {
            Ok(copy) => copies.push(copy),
            Err(failure) => {
                // SAFETY: from `allocate`, and not yet passed to the caller.
                copies.iter().for_each(|&copy| unsafe { libc::free(copy.cast()) });
                return Err(failure);
            }
        }
    }
    let first = memory.base.cast::<*mut c_char>().wrapping_add(memory.first);
    for (n, (copy, at)) in copies.into_iter().zip(places).enumerate() {
        // SAFETY: `memory` and `mask` have checked that these are within the caller's memory.
        unsafe {
            first.offset(at as isize).write_unaligned(copy);
            if let Some((mask, _)) = mask {
                mask.add(n).write(u8::from(!copy.is_null()));
            }
        }
    }
    Ok(())
}

/// Returns the place of each string, counted from the first, in C order of the selection.
///
/// No two may share a place: the caller could not free the one that is overwritten.
fn places_of_strings(selection: &Selection, strides: &[i64]) -> Answer<Vec<i64>> {
    let shared = || Failure::argument("buffer_stride puts several strings in one place");
    let no_memory = |_| Failure::new(CFA_ERR_LIMIT, "no memory for the strings");
    let axes = selection.count().iter().zip(strides);
    let span: i128 = axes.map(|(&n, &stride)| i128::from(stride.unsigned_abs()) * i128::from(n - 1)).sum();
    // More strings than places are refused first, so that no more memory is requested than the buffer has.
    let len = selection.len().filter(|&n| i128::from(n) <= span + 1).ok_or_else(shared)? as usize;
    let mut places = Vec::new();
    places.try_reserve_exact(len).map_err(no_memory)?;
    places.extend(offsets(selection.count(), strides));
    let mut sorted = Vec::new();
    sorted.try_reserve_exact(len).map_err(no_memory)?;
    sorted.extend_from_slice(&places);
    sorted.sort_unstable();
    match sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(shared()),
        false => Ok(places),
    }
}
