//! The shape of a block that is efficient to read at a time, and where such a block is stored.

use crate::container::array::{Array, Layout};
use crate::container::chunk_index::StoredChunk;
use crate::dataset::variable::Variable;
use crate::error::Result;
use crate::model::fragments::Lookup;
use crate::read::fragment::{Chain, Placement, Raw};
use crate::read::{chunk, Preparation};
use crate::selection::Selection;

impl Variable {
    /// Returns the chunk shape of the stored data, within one fragment, or the shape of the fragment if it is not
    /// stored in chunks.
    ///
    /// Opens at most the first fragment, and assumes that all fragments have its chunks.
    ///
    /// # Errors
    /// The errors of decoding the aggregation. A fragment that cannot be read is not an error.
    pub fn block_shape(&self) -> Result<Vec<u64>> {
        let Some(aggregation) = self.aggregation()? else {
            let array = self.stored_array();
            return Ok(clipped(array.chunk(), &array.shape));
        };
        let rank = aggregation.grid.shape().len();
        if aggregation.grid.shape().contains(&0) {
            return Ok(aggregation.grid.shape().to_vec());
        }
        let first: Vec<u64> = (0..rank).map(|d| aggregation.grid.range(d, 0).end).collect();
        let chunk = self.chunk_of_first_fragment(&first).unwrap_or(None);
        Ok(clipped(chunk.as_deref(), &first))
    }

    /// Returns where the block of this shape that begins at `start` is stored, or `None` if the variable is not
    /// aggregated, no local file has exactly this block, or its values would change.
    ///
    /// # Errors
    /// Those of reading its first element.
    pub(crate) fn stored_block(&self, start: &[u64], block: &[u64]) -> Result<Option<StoredChunk>> {
        chunk::place(self.dataset().shared(), self.id(), start, block)
            .map_err(|e| e.in_variable(self.path()).in_file(self.dataset().name()))
    }

    /// Returns the shape of the chunks in which the data are compressed, if they are; of fragments that of the first.
    ///
    /// # Errors
    /// The errors of decoding the aggregation. A fragment that cannot be read is not an error.
    pub(in crate::dataset) fn compressed_chunk(&self) -> Result<Option<Vec<u64>>> {
        let compressed = |array: &Array| match &array.layout {
            Layout::Chunked { chunk, filters, .. } if !filters.is_empty() => Some(chunk.clone()),
            _ => None,
        };
        let Some(aggregation) = self.aggregation()? else { return Ok(compressed(self.stored_array())) };
        match aggregation.grid.shape().contains(&0) {
            true => Ok(None),
            false => {
                Ok(self.first_fragment(|raw| raw.array().and_then(compressed)).unwrap_or(None).flatten())
            }
        }
    }

    fn chunk_of_first_fragment(&self, canonical: &[u64]) -> Result<Option<Vec<u64>>> {
        let chunk = self.first_fragment(|raw| {
            let chunk = raw.array().and_then(Array::chunk)?;
            // Axes of size 1 may be omitted or added; then chunks do not correspond to the aggregated dimensions.
            let same = raw.shape() == canonical && Placement::new(raw.shape(), canonical, None).is_ok();
            same.then(|| chunk.to_vec())
        });
        Ok(chunk?.flatten())
    }

    /// Opens the first fragment; returns what `look` returns of it, or `None` if it has no file.
    fn first_fragment<T>(&self, look: impl FnOnce(&Raw) -> T) -> Result<Option<T>> {
        let (dataset, id) = (self.dataset(), self.id());
        let file = dataset.shared();
        let Some(aggregation) = self.aggregation()? else { return Ok(None) };
        let chain = Chain::enter(None, &**file, id)?;
        let target = file.target(id);
        let preparation = Preparation::new(file, id, aggregation, &target, &chain);
        let rank = aggregation.grid.shape().len();
        let place = Selection::block(&vec![0; rank], &vec![1; rank], aggregation.grid.fragments())?;
        let Lookup::Fragments(list) = preparation.lookup(&place)? else { return Ok(None) };
        let Some(fragment) = list.first().filter(|f| f.view().is_none()) else { return Ok(None) };
        let raw = preparation.open(fragment, &vec![0; rank], |raw, _| Ok(raw))?;
        Ok(raw.as_ref().map(look))
    }
}

fn clipped(chunk: Option<&[u64]>, shape: &[u64]) -> Vec<u64> {
    match chunk {
        Some(chunk) if chunk.len() == shape.len() => {
            chunk.iter().zip(shape).map(|(&c, &s)| c.min(s)).collect()
        }
        _ => shape.to_vec(),
    }
}
