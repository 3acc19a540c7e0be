//! Reads of numbers as they are meant into a caller's buffer: unpacked, or with NaN for what is missing.

use crate::canonical::{Conversion, Target};
use crate::container::read::zeroed;
use crate::dataset::variable::{Output, Variable};
use crate::error::{Error, Kind, Result};
use crate::read::scatter::Destination;
use crate::selection::{c_strides, Selection};
use crate::value::{Attributes, DataType};

impl Variable {
    /// As [`Variable::read_into`], with NaN for what is missing.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Type` when the type wanted has no NaN.
    pub fn read_with_nan_into(&self, selection: &Selection, mut output: Output<'_>) -> Result<()> {
        if !matches!(output.data_type, DataType::F32 | DataType::F64) {
            return Err(self.concerned(Kind::Type, format!("type {} has no NaN", output.data_type)));
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

    /// Reads numbers as they are meant: unpacked by `scale_factor` and `add_offset`, unsigned where `_Unsigned` says so,
    /// and NaN where they are missing.
    ///
    /// Takes memory for the packed numbers meanwhile.
    ///
    /// # Errors
    /// As [`Variable::read_into`]; `Type` for text, for numbers that do not fit the type wanted, and for missing data without
    /// mask in a type that has no NaN; `Attribute` for packing attributes that are not numbers.
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

/// The distance between neighbours in the buffer, and the place of the first element, in elements.
fn layout(selection: &Selection, output: &Output<'_>) -> (Vec<i64>, usize) {
    let c_order =
        || c_strides(selection.count()).iter().map(|&s| i64::try_from(s).unwrap_or(i64::MAX)).collect();
    (output.strides.map_or_else(c_order, <[i64]>::to_vec), output.first)
}

/// Visits all elements in C order, each with its place in a buffer, which holds all of them.
fn for_each_place(counts: &[u64], strides: &[i64], first: usize, mut visit: impl FnMut(usize, usize)) {
    let len = counts.iter().product::<u64>() as usize;
    let mut index = vec![0; counts.len()];
    let mut at = first as i64;
    for n in 0..len {
        visit(n, at as usize);
        for d in (0..counts.len()).rev() {
            (index[d], at) = (index[d] + 1, at.wrapping_add(strides[d]));
            if index[d] < counts[d] {
                break;
            }
            at = at.wrapping_sub(strides[d].wrapping_mul(counts[d] as i64));
            index[d] = 0;
        }
    }
}

fn put_nan(data_type: DataType, element: &mut [u8]) {
    match data_type {
        DataType::F32 => element.copy_from_slice(&f32::NAN.to_ne_bytes()),
        _ => element.copy_from_slice(&f64::NAN.to_ne_bytes()),
    }
}
