//! Reads numbers into a caller's buffer as users want to see them: unpacked, or with NaN for missing ones.

use crate::bytes::{arrays, arrays_mut};
use crate::canonical::{Conversion, Target};
use crate::container::read::zeroed;
use crate::dataset::variable::{Output, Variable};
use crate::error::{Error, Kind, Result};
use crate::read::scatter::Destination;
use crate::selection::{c_strides, offsets, Selection};
use crate::value::{Attributes, DataType};

/// The number of elements that are searched for missing ones at a time.
const BLOCK: usize = 4096;

impl Variable {
    /// As [`Variable::read_into`], with NaN for missing elements.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Type` when the type wanted has no NaN.
    pub fn read_with_nan_into(&self, selection: &Selection, mut output: Output<'_>) -> Result<()> {
        if !matches!(output.data_type, DataType::F32 | DataType::F64) {
            return Err(self.concerned(Kind::Type, format!("type {} has no NaN", output.data_type)));
        }
        if let Some(fill) = self.only_missing_value(&output)? {
            return self.read_and_replace(selection, output, fill);
        }
        let place = |e: Error| e.in_variable(self.path()).in_file(self.dataset().name());
        let mut own = match output.mask {
            Some(_) => Vec::new(),
            None => zeroed(selection, 1).map_err(place)?,
        };
        let valid = output.mask.take().unwrap_or(&mut own);
        self.read_into(
            selection,
            Output {
                buffer: &mut *output.buffer,
                mask: Some(&mut *valid),
                strides: output.strides,
                ..output
            },
        )?;
        let element = output.data_type.size().unwrap_or(1);
        let (strides, first) = layout(selection, &output);
        for_each_place(selection.count(), &strides, first, |n, at| {
            if valid.get(n) == Some(&0) {
                put_nan(output.data_type, &mut output.buffer[at * element..(at + 1) * element]);
            }
        });
        Ok(())
    }

    /// Returns the one number that all missing elements, and no others, have after a read without mask. Returns `None` if
    /// there is no such number, or if a mask is wanted.
    fn only_missing_value(&self, output: &Output<'_>) -> Result<Option<f64>> {
        let is_its_own = output.mask.is_none() && output.data_type == self.data_type();
        if !is_its_own || self.aggregation()?.is_none() {
            return Ok(None);
        }
        let marks = ["missing_value", "valid_min", "valid_max", "valid_range"];
        if marks.iter().any(|name| self.attributes().get(name).is_some()) {
            return Ok(None);
        }
        Ok(self.missing_value().and_then(|value| value.f64_at(0)))
    }

    /// Reads without a mask, which would take memory and time, and replaces one number by NaN.
    fn read_and_replace(&self, selection: &Selection, output: Output<'_>, fill: f64) -> Result<()> {
        let (data_type, size) = (output.data_type, output.data_type.size().unwrap_or(1));
        let (strides, first) = layout(selection, &output);
        let is_c_order = output.strides.is_none_or(|strides| is_c_order(strides, selection.count()));
        let buffer = output.buffer;
        self.read_into(selection, Output { buffer: &mut *buffer, ..output })?;
        let replace = |elements: &mut [u8]| match data_type {
            DataType::F32 => {
                replace(elements, |x| f32::from_ne_bytes(x) == fill as f32, f32::NAN.to_ne_bytes())
            }
            _ => replace(elements, |x| f64::from_ne_bytes(x) == fill, f64::NAN.to_ne_bytes()),
        };
        if is_c_order {
            let all = selection.len().unwrap_or(0) as usize * size;
            replace(&mut buffer[first * size..][..all]);
        } else {
            let at = |at: usize| at * size..(at + 1) * size;
            for_each_place(selection.count(), &strides, first, |_, n| replace(&mut buffer[at(n)]));
        }
        Ok(())
    }

    /// Reads unpacked numbers: unpacked by `scale_factor` and `add_offset`, unsigned where `_Unsigned` says so, and NaN
    /// where they are missing.
    ///
    /// Needs more memory, for the packed numbers.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Type` for text, for numbers that do not fit the requested type, and for missing data
    /// without mask in a type that has no NaN; `Attribute` for packing attributes that are not numbers.
    pub fn read_unpacked_into(&self, selection: &Selection, mut output: Output<'_>) -> Result<()> {
        let (stored_type, wanted) = (self.data_type(), output.data_type);
        let sizes = (stored_type.size(), wanted.size());
        let (Some(stored_size), Some(size)) = sizes else {
            return Err(self.concerned(Kind::Type, format!("{stored_type} cannot be unpacked to {wanted}")));
        };
        if !stored_type.is_number() || !wanted.is_number() {
            return Err(self.concerned(Kind::Type, format!("{stored_type} cannot be unpacked to {wanted}")));
        }
        let place = |e: Error| e.in_variable(self.path()).in_file(self.dataset().name());
        let (strides, first) = layout(selection, &output);
        Destination::strided(output.buffer, first, &strides, selection.count(), size).map_err(place)?;
        if let Some(mask) = &mut output.mask {
            Destination::c_order(mask, selection.count(), 1).map_err(place)?;
        }
        let mut stored = zeroed(selection, stored_size).map_err(place)?;
        let mut valid = zeroed(selection, 1).map_err(place)?;
        let mut own = Output::new(stored_type, &mut stored);
        (own.mask, own.progress) = (Some(&mut valid[..]), output.progress);
        self.read_into(selection, own)?;
        let target = Target::new(&Attributes::default(), wanted);
        let lossy = output.lossy.unwrap_or(self.dataset().shared().options.lossy_casts);
        let conversion = Conversion::new(self.attributes(), stored_type, None, None, &target, lossy);
        let conversion = conversion.map_err(place)?;
        let has_nan = matches!(wanted, DataType::F32 | DataType::F64);
        let mut values = zeroed(selection, size).map_err(place)?;
        let converted = conversion.apply_masked(&stored, &mut values, &mut valid, true);
        converted.map_err(|e| match e.kind() {
            Kind::FragmentType => place(e.with_kind(Kind::Type)),
            _ => place(e),
        })?;
        if output.mask.is_none() && !has_nan && valid.contains(&0) {
            let message =
                format!("data are missing, and {wanted} has no NaN; ask for a mask or a floating-point type");
            return Err(self.concerned(Kind::Type, message));
        }
        for_each_place(selection.count(), &strides, first, |n, at| {
            let into = &mut output.buffer[at * size..(at + 1) * size];
            into.copy_from_slice(&values[n * size..(n + 1) * size]);
            if has_nan && valid[n] == 0 {
                put_nan(wanted, into);
            }
        });
        if let Some(mask) = &mut output.mask {
            mask[..valid.len()].copy_from_slice(&valid);
        }
        Ok(())
    }

    fn concerned(&self, kind: Kind, message: String) -> Error {
        Error::new(kind, message).in_variable(self.path()).in_file(self.dataset().name())
    }
}

/// Replaces elements of `N` bytes.
fn replace<const N: usize>(elements: &mut [u8], is_old: impl Fn([u8; N]) -> bool, new: [u8; N]) {
    for block in elements.chunks_mut(BLOCK * N) {
        // The search has no branch, so that many elements are compared at once. Few blocks have such an element.
        if arrays(block).iter().fold(false, |found, &element| found | is_old(element)) {
            arrays_mut(block)
                .iter_mut()
                .filter(|element| is_old(**element))
                .for_each(|element| *element = new);
        }
    }
}

/// Returns whether these strides are those of an array in C order.
fn is_c_order(strides: &[i64], counts: &[u64]) -> bool {
    let own = c_strides(counts);
    let mut pairs = strides.iter().zip(&own).zip(counts);
    pairs.all(|((&stride, &own), &count)| count == 1 || u64::try_from(stride) == Ok(own))
}

/// Returns the distances between neighbours in the buffer, and the place of the first element, in elements.
fn layout(selection: &Selection, output: &Output<'_>) -> (Vec<i64>, usize) {
    let c_order =
        || c_strides(selection.count()).iter().map(|&s| i64::try_from(s).unwrap_or(i64::MAX)).collect();
    (output.strides.map_or_else(c_order, <[i64]>::to_vec), output.first)
}

/// Visits all elements in C order, each with its place in a buffer, which holds all of them.
fn for_each_place(counts: &[u64], strides: &[i64], first: usize, mut visit: impl FnMut(usize, usize)) {
    for (n, offset) in offsets(counts, strides).enumerate() {
        visit(n, (first as i64).wrapping_add(offset) as usize);
    }
}

fn put_nan(data_type: DataType, element: &mut [u8]) {
    match data_type {
        DataType::F32 => element.copy_from_slice(&f32::NAN.to_ne_bytes()),
        _ => element.copy_from_slice(&f64::NAN.to_ne_bytes()),
    }
}
