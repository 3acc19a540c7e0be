//! Finds a chunk of a fragment as it is stored, if its values are those of the aggregation variable without a change.

use std::sync::Arc;

use super::fragment::Chain;
use super::plan::index_of;
use super::{AggregationFile, Preparation};
use crate::container::array::{Array, Element, Layout};
use crate::container::chunk_index::StoredChunk;
use crate::container::filter::{self, Filter};
use crate::container::form::Form;
use crate::container::tree::VariableId;
use crate::error::Result;
use crate::io::source::Source;
use crate::model::fragments::Lookup;
use crate::selection::{checked_product, Selection};

/// Returns the stored bytes of the chunk that begins at `start` of an aggregation variable, or `None` if there is no
/// such chunk, its values would change, or it has an error, which an ordinary read then reports.
///
/// The chunk is decoded once, so that a damaged one is not copied.
pub(crate) fn stored(
    file: &Arc<AggregationFile>,
    id: VariableId,
    start: &[u64],
    form: &Form,
) -> Option<Vec<u8>> {
    search(file, id, start, &form.chunk, |_, source, array, at| bytes(source, array, at, form)).ok().flatten()
}

/// Returns where the block of this shape that begins at `start` of an aggregation variable is stored, or `None` if no
/// local file has exactly this block as a chunk or as a whole array, or if its values would change.
///
/// A chunk at the end of the variable may be larger than the rest of it, as in a file.
///
/// # Errors
/// Those of reading the first element.
pub(crate) fn place(
    file: &Arc<AggregationFile>,
    id: VariableId,
    start: &[u64],
    block: &[u64],
) -> Result<Option<StoredChunk>> {
    let Some(aggregation) = file.aggregation(id)? else { return Ok(None) };
    let shape = aggregation.grid.shape();
    if start.iter().zip(shape).any(|(at, size)| at >= size) {
        return Ok(None);
    }
    let rest = start.iter().zip(block).zip(shape).map(|((&at, &size), &all)| size.min(all - at));
    search(file, id, start, &rest.collect::<Vec<_>>(), |name, source, array, at| {
        Ok(place_in(source, array, at, block)?.map(|chunk| StoredChunk { file: name.to_owned(), ..chunk }))
    })
}

/// Calls `take` with the file and the array that have a block of an aggregation variable without a change, and the
/// start of the block in that array.
fn search<T>(
    file: &Arc<AggregationFile>,
    id: VariableId,
    start: &[u64],
    count: &[u64],
    mut take: impl FnMut(&str, &dyn Source, &Array, &[u64]) -> Result<Option<T>>,
) -> Result<Option<T>> {
    let Some(aggregation) = file.aggregation(id)? else { return Ok(None) };
    let grid = &aggregation.grid;
    for (d, (&at, &size)) in start.iter().zip(count).enumerate() {
        let range = grid.range(d, grid.find(d, at));
        if size == 0 || at.checked_add(size).is_none_or(|end| end > range.end) {
            return Ok(None);
        }
    }
    let target = file.target(id);
    let chain = Chain::enter(None, &**file, id)?;
    let preparation = Preparation::new(file, id, aggregation, &target, &chain);
    let selection = Selection::block(start, count, grid.shape())?;
    let mut found = None;
    preparation.each_block(&selection, |block, entries| {
        let Lookup::Fragments(list) = entries else { return Ok(()) };
        let [fragment] = &list[..] else { return Ok(()) };
        let spans = block.spans(0);
        let prepared = preparation.prepare(fragment, &spans).map_err(|e| e.in_fragment(&index_of(&spans)))?;
        let Some((prepared, piece)) = prepared else { return Ok(()) };
        let raw = &prepared.raw;
        let Some((source, array)) = raw.in_file() else { return Ok(()) };
        let is_same = prepared.conversion.is_identity()
            && !raw.is_unmarked()
            && raw.data_type() == target.data_type()
            && *raw.shape() == *grid.shape_of(&index_of(&spans))
            && piece.selection.count() == count
            && piece.selection.step().iter().all(|&step| step == 1);
        if is_same {
            found = take(raw.file().unwrap_or_default(), source, array, piece.selection.start())?;
        }
        Ok(())
    })?;
    Ok(found)
}

/// Returns where an array stores the block of this shape that begins at `start`; the caller adds the name of the file.
fn place_in(source: &dyn Source, array: &Array, start: &[u64], block: &[u64]) -> Result<Option<StoredChunk>> {
    let Element::Number { size: element, big_endian } = array.element else { return Ok(None) };
    if source.is_remote() || array.short.is_some() {
        return Ok(None);
    }
    let (offset, size, filters) = match &array.layout {
        Layout::Contiguous { offset } if *array.shape == *block => {
            let size = checked_product(block).and_then(|n| n.checked_mul(element as u64));
            let Some(size) = size else { return Ok(None) };
            (*offset, size, Vec::new())
        }
        Layout::Chunked { chunk, filters, index } if *chunk == block => {
            if start.iter().zip(block).any(|(at, size)| at % size != 0) {
                return Ok(None);
            }
            let at: Vec<u64> = start.iter().zip(block).map(|(at, size)| at / size).collect();
            let Some(place) = index.find(&at)? else { return Ok(None) };
            let applied =
                |&(i, _): &(usize, &Filter)| place.filter_mask.checked_shr(i as u32).unwrap_or(0) & 1 == 0;
            let filters = filters.iter().enumerate().filter(applied).map(|(_, filter)| filter.id.into());
            (place.offset, place.size, filters.collect())
        }
        _ => return Ok(None),
    };
    let big_endian = big_endian && element > 1;
    Ok(Some(StoredChunk { file: String::new(), offset, size, filters, big_endian }))
}

/// Returns the bytes of the chunk of an array that begins at `start`, if it has the form.
fn bytes(source: &dyn Source, array: &Array, start: &[u64], form: &Form) -> Result<Option<Vec<u8>>> {
    let Layout::Chunked { chunk, filters, index } = &array.layout else { return Ok(None) };
    let Element::Number { size, big_endian } = array.element else { return Ok(None) };
    let is_same = *chunk == form.chunk && form.is_of(filters) && array.short.is_none();
    if !is_same || (big_endian && size > 1) || start.iter().zip(chunk).any(|(at, size)| at % size != 0) {
        return Ok(None);
    }
    let at: Vec<u64> = start.iter().zip(chunk).map(|(at, size)| at / size).collect();
    let len = checked_product(chunk).and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_mul(size));
    let (Some(place), Some(len)) = (index.find(&at)?.filter(|place| place.filter_mask == 0), len) else {
        return Ok(None);
    };
    // A stored chunk that is longer than its data is better compressed again.
    let Some(stored) = usize::try_from(place.size).ok().filter(|&stored| stored <= len) else {
        return Ok(None);
    };
    let mut bytes = vec![0; stored];
    source.read_at(place.offset, &mut bytes)?;
    filter::decode(filters, 0, bytes.clone(), len, size)?;
    Ok(Some(bytes))
}
