//! Reads the ranges of parts one after another, and joins them in their order.

use super::Parts;
use crate::container::read::zeroed;
use crate::dataset::coordinates::meant_type;
use crate::dataset::variable::{Output, Variable};
use crate::error::{Error, Kind, Result};
use crate::selection::{c_strides, offsets, Selection};
use crate::threads::progress::Listener;
use crate::value::{DataType, Values};

/// How parts are read.
#[derive(Clone, Copy)]
struct Joined<'a> {
    /// Whether the caller wants to know which numbers are valid. If not, missing ones have the missing value.
    masked: bool,
    progress: Option<&'a Listener<'a>>,
}

const MASKED: Joined<'static> = Joined { masked: true, progress: None };

impl Variable {
    /// Reads values in the variable's own type, in C order, and whether each is valid.
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read_parts(&self, parts: &Parts) -> Result<(Values, Vec<bool>)> {
        self.joined(parts, self.data_type(), MASKED, &|part, output| self.read_into(part, output))
    }

    /// Reads values in the variable's own type, in C order. Missing ones have its missing value (an empty string for
    /// strings).
    ///
    /// # Errors
    /// As [`Variable::read_into`].
    pub fn read_parts_values(&self, parts: &Parts) -> Result<Values> {
        self.read_parts_with(parts, None).map(|(values, _)| values)
    }

    /// Like [`Variable::read_parts_values`], with a listener that may stop it. For strings also returns which are valid.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Cancelled`.
    pub(crate) fn read_parts_with(
        &self,
        parts: &Parts,
        progress: Option<&Listener<'_>>,
    ) -> Result<(Values, Vec<bool>)> {
        let how = Joined { masked: false, progress };
        self.joined(parts, self.data_type(), how, &|part, output| self.read_into(part, output))
    }

    /// Reads unpacked numbers, in the type [`Variable::unpacked_type`]: unpacked by `scale_factor` and `add_offset`,
    /// unsigned where `_Unsigned` says so. Also returns whether each is valid. Text is read as it is.
    ///
    /// # Errors
    /// As [`Variable::read_unpacked_into`].
    pub fn read_parts_unpacked(&self, parts: &Parts) -> Result<(Values, Vec<bool>)> {
        match self.data_type().is_number() {
            true => self.joined(parts, self.unpacked_type(), MASKED, &|part, output| {
                self.read_unpacked_into(part, output)
            }),
            false => self.read_parts(parts),
        }
    }

    /// Returns the type of unpacked numbers: that of `scale_factor` and `add_offset` (`f4` only if it can hold the packed
    /// numbers), the unsigned one where `_Unsigned` says so, else the type of the data.
    pub fn unpacked_type(&self) -> DataType {
        meant_type(self.attributes(), self.data_type())
    }

    /// Reads all ranges, in numbers of this type.
    fn joined(
        &self,
        parts: &Parts,
        data_type: DataType,
        how: Joined<'_>,
        read: &dyn Fn(&Selection, Output<'_>) -> Result<()>,
    ) -> Result<(Values, Vec<bool>)> {
        let (shape, counts) = (self.shape()?, parts.count());
        let place = |e: Error| e.in_variable(self.path()).in_file(self.dataset().name());
        let whole = Selection::all(&counts);
        let Some(size) = data_type.size() else { return self.joined_words(parts, how.progress) };
        let mut bytes = zeroed(&whole, size).map_err(place)?;
        let mut valid = match how.masked {
            true => zeroed(&whole, 1).map_err(place)?,
            false => Vec::new(),
        };
        if let Some(part) = parts.single(shape).map_err(place)? {
            let mut output = Output { progress: how.progress, ..Output::new(data_type, &mut bytes) };
            output.mask = how.masked.then_some(&mut valid[..]);
            read(&part, output)?;
        } else {
            let strides = strides(&counts);
            for block in parts.blocks(shape) {
                let (part, at) = block.map_err(place)?;
                let first = first_place(&at, &strides);
                let mut mask = match how.masked {
                    true => zeroed(&part, 1).map_err(place)?,
                    false => Vec::new(),
                };
                let mut output = Output { progress: how.progress, ..Output::new(data_type, &mut bytes) };
                (output.first, output.strides) = (first, Some(&strides[..]));
                output.mask = how.masked.then_some(&mut mask[..]);
                read(&part, output)?;
                offsets(part.count(), &strides).zip(mask).for_each(|(n, is)| valid[first + n as usize] = is);
            }
        }
        let values = Values::from_native_bytes(data_type, &bytes)
            .ok_or_else(|| Error::new(Kind::Internal, "element size does not divide the data"))?;
        Ok((values, valid.into_iter().map(|valid| valid == 1).collect()))
    }

    /// Reads all ranges of strings.
    fn joined_words(&self, parts: &Parts, progress: Option<&Listener<'_>>) -> Result<(Values, Vec<bool>)> {
        let counts = parts.count();
        let place = |e: Error| e.in_variable(self.path()).in_file(self.dataset().name());
        let mut valid: Vec<bool> =
            zeroed(&Selection::all(&counts), 1).map_err(place)?.into_iter().map(|_| false).collect();
        let mut words = vec![String::new(); valid.len()];
        let strides = strides(&counts);
        for block in parts.blocks(self.shape()?) {
            let (part, at) = block.map_err(place)?;
            let first = first_place(&at, &strides);
            for (n, word) in offsets(part.count(), &strides).zip(self.read_strings_with(&part, progress)?) {
                let n = first + n as usize;
                valid[n] = word.is_some();
                words[n] = word.unwrap_or_default();
            }
        }
        Ok((Values::String(words), valid))
    }
}

/// Returns the distances between neighbours in C order.
fn strides(counts: &[u64]) -> Vec<i64> {
    c_strides(counts).iter().map(|&stride| i64::try_from(stride).unwrap_or(i64::MAX)).collect()
}

/// Returns the place of the first element of a block.
fn first_place(at: &[u64], strides: &[i64]) -> usize {
    at.iter().zip(strides).map(|(&at, &stride)| at as usize * stride as usize).sum()
}
