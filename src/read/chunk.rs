//! Returns a chunk of a fragment as it is stored, if it can be a chunk of another file without a change.

use std::sync::Arc;

use super::fragment::Chain;
use super::plan::index_of;
use super::{AggregationFile, Preparation};
use crate::container::array::{Array, Element, Layout};
use crate::container::filter;
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
    search(file, id, start, form).ok().flatten()
}

fn search(
    file: &Arc<AggregationFile>,
    id: VariableId,
    start: &[u64],
    form: &Form,
) -> Result<Option<Vec<u8>>> {
    let Some(aggregation) = file.aggregation(id)? else { return Ok(None) };
    let grid = &aggregation.grid;
    for (d, (&at, &size)) in start.iter().zip(&form.chunk).enumerate() {
        let range = grid.range(d, grid.find(d, at));
        if (at - range.start) % size != 0 || at.checked_add(size).is_none_or(|end| end > range.end) {
            return Ok(None);
        }
    }
    let target = file.target(id);
    let chain = Chain::enter(None, &**file, id)?;
    let preparation = Preparation::new(file, id, aggregation, &target, &chain);
    let selection = Selection::block(start, &form.chunk, grid.shape())?;
    let mut found = None;
    preparation.each_block(&selection, |block, entries| {
        let Lookup::Fragments(list) = entries else { return Ok(()) };
        let [fragment] = &list[..] else { return Ok(()) };
        let spans = block.spans(0);
        let Some((prepared, piece)) = preparation.prepare(fragment, &spans)? else {
            return Ok(());
        };
        let raw = &prepared.raw;
        let Some((source, array)) = raw.in_file() else { return Ok(()) };
        let is_same = prepared.conversion.is_identity()
            && !raw.is_unmarked()
            && raw.data_type() == target.data_type()
            && *raw.shape() == *grid.shape_of(&index_of(&spans))
            && piece.selection.count() == form.chunk
            && piece.selection.step().iter().all(|&step| step == 1);
        if is_same {
            found = bytes(source, array, piece.selection.start(), form)?;
        }
        Ok(())
    })?;
    Ok(found)
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
    // If it is longer than the chunk itself, it is better to compress it again.
    let Some(stored) = usize::try_from(place.size).ok().filter(|&stored| stored <= len) else {
        return Ok(None);
    };
    let mut bytes = vec![0; stored];
    source.read_at(place.offset, &mut bytes)?;
    filter::decode(filters, 0, bytes.clone(), len, size)?;
    Ok(Some(bytes))
}
