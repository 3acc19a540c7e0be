//! The loop over elements: load, mask, compute, cast, write the missing value, store.
//!
//! There is one instance per pair of types. Elements are processed in blocks that stay in the first-level cache, and
//! each step is a plain loop over a block, so that the compiler vectorises it. Byte slices may have any alignment.

use super::arithmetic::{cast_exactly, infinite, rounded, Arithmetic};
use super::cast::{cast_all, Cast};
use super::mask::Mask;
use super::number::{Number, Scalar};
use crate::{DataType, Error, Kind, Result};

const BLOCK: usize = 512;
/// The length of a block if there are no more elements: setting up a long one takes longer than converting a few. Times are
/// often stored in chunks of one.
const SMALL: usize = 32;

/// A conversion of stored to canonical elements, whatever their types.
pub(super) trait Convert: Send + Sync {
    /// Converts all elements.
    fn convert(&self, raw: &[u8], out: &mut [u8], mask: Option<&mut [u8]>, how: Use) -> Result<()>;
    /// Returns whether the bytes of every element stay as they are.
    fn is_identity(&self) -> bool;
}

/// How a validity mask is used.
#[derive(Clone, Copy)]
pub(super) struct Use {
    /// Whether the mask is also input: elements that it marks as missing stay missing. Otherwise it is only written.
    pub given: bool,
    /// Whether the mask is passed on with the elements. Otherwise the elements alone must show what is missing.
    pub passed_on: bool,
}

/// What a kernel does besides masking stored elements.
pub(super) struct Steps<'a> {
    pub arithmetic: Arithmetic,
    /// Values that mean missing after the cast.
    pub canonical: &'a [Scalar],
    /// The value written for missing elements; `None` if the type has none.
    pub missing: Option<Scalar>,
    /// Whether readers do not know `missing` as a missing value, so that valid elements must not have it.
    pub chosen: bool,
    pub lossy: bool,
    /// The kind of error for values that do not fit.
    pub kind: Kind,
}

/// Whether a validity mask is needed to distinguish missing elements from others.
#[derive(Clone, Copy, PartialEq)]
enum NeedsMask {
    Never,
    /// The variable's missing value does not exist in this type.
    InThisType,
    /// The variable has no missing value.
    Always,
}

/// Conversion from elements of type `T` to elements of type `U`.
pub(super) struct Kernel<T, U> {
    stored: Mask<T>,
    arithmetic: Arithmetic,
    /// Whether a finite number may become non-finite.
    may_overflow: bool,
    canonical: Mask<U>,
    /// Whether the values alone show canonical marks, because all marks are the missing value.
    marked: bool,
    missing: U,
    needs_mask: NeedsMask,
    /// Whether valid elements must not have the value `missing`.
    chosen: bool,
    identity: bool,
    lossy: bool,
    kind: Kind,
}

impl<T, U> Kernel<T, U>
where
    T: Cast<U>,
    U: Number,
    f64: Cast<U>,
{
    pub fn new(mut stored: Mask<T>, plan: Steps) -> Kernel<T, U> {
        let same = T::TYPE == U::TYPE && plan.arithmetic.is_identity();
        let mut canonical = Mask::among(plan.canonical);
        if same {
            // Stored values are canonical ones, so both kinds of marks are checked at once.
            stored.add(plan.canonical);
            canonical = Mask::among(&[]);
        }
        let missing = plan.missing.and_then(U::of);
        let needs_mask = match (plan.missing, missing) {
            (_, Some(_)) => NeedsMask::Never,
            (Some(_), None) => NeedsMask::InThisType,
            (None, None) => NeedsMask::Always,
        };
        // Elements marked as missing already have the missing value.
        let kept = match plan.missing.and_then(T::of) {
            Some(missing) => stored.only(missing),
            None => stored.is_empty(),
        };
        Kernel {
            identity: same && kept && !plan.chosen,
            marked: missing.is_some_and(|missing| canonical.only(missing)),
            stored,
            may_overflow: match plan.arithmetic.is_identity() {
                true => T::TYPE == DataType::F64 && U::TYPE == DataType::F32,
                false => U::TYPE.is_float(),
            },
            arithmetic: plan.arithmetic,
            canonical,
            missing: missing.unwrap_or_default(),
            needs_mask,
            chosen: plan.chosen,
            lossy: plan.lossy,
            kind: plan.kind,
        }
    }

    fn convert_block(&self, stored: &[T], out: &mut [U], valid: &mut [u8], masked: bool) -> Result<()> {
        self.stored.apply(stored, valid);
        let lost = if self.arithmetic.is_identity() {
            cast_all(stored, out, valid, self.lossy).map(|i| format!("{:?}", stored[i]))
        } else if let Some(ratio) =
            self.arithmetic.exact().filter(|_| T::TYPE.is_integer() && U::TYPE.is_integer())
        {
            cast_exactly(ratio, stored, out, valid, self.lossy).map(|i| format!("of stored {:?}", stored[i]))
        } else {
            match stored.len() {
                ..=SMALL => self.compute::<SMALL>(stored, out, valid),
                _ => self.compute::<BLOCK>(stored, out, valid),
            }
        };
        let lost = lost.or_else(|| {
            let of = if self.arithmetic.is_identity() { "" } else { "of stored " };
            let found = self.may_overflow.then(|| infinite(stored, out, valid, self.lossy)).flatten();
            found.map(|i| format!("{of}{:?}", stored[i]))
        });
        if let Some(value) = lost {
            return Err(Error::new(
                self.kind,
                format!(
                    "value {value} cannot be converted to {} without loss; LOSSY_CASTS=YES cuts off fractions and \
                     sets values out of range to missing",
                    U::TYPE
                ),
            ));
        }
        if masked || !self.marked {
            self.canonical.apply(out, valid);
        }
        // Most blocks have no missing elements, and checking is cheaper than writing.
        if valid.contains(&0) {
            for (y, &v) in out.iter_mut().zip(valid.iter()) {
                *y = if v == 0 { self.missing } else { *y };
            }
        }
        Ok(())
    }

    /// Computes up to `N` elements in double precision, and returns the first value that does not fit.
    fn compute<const N: usize>(&self, stored: &[T], out: &mut [U], valid: &mut [u8]) -> Option<String> {
        let mut values = [0.0; N];
        let values = &mut values[..stored.len()];
        self.arithmetic.apply(stored, values);
        let whole = T::TYPE.is_integer() && U::TYPE.is_integer() && !self.lossy;
        match whole.then(|| rounded(stored, values, valid)).flatten() {
            Some(i) => Some(format!("of stored {:?}", stored[i])),
            None => cast_all(values, out, valid, self.lossy).map(|i| format!("{:?}", values[i])),
        }
    }

    /// Converts elements in blocks of `N`. The three buffers have one length.
    fn convert_blocks<const N: usize>(
        &self,
        raw: &[u8],
        out: &mut [u8],
        mut mask: Option<&mut [u8]>,
        how: Use,
    ) -> Result<()> {
        let mut stored = [T::default(); N];
        let mut canonical = [U::default(); N];
        let mut valid = [1; N];
        let blocks = raw.chunks(N * T::SIZE).zip(out.chunks_mut(N * U::SIZE));
        for (block, (raw, out)) in blocks.enumerate() {
            let n = raw.len() / T::SIZE;
            let place = block * N..block * N + n;
            let valid = &mut valid[..n];
            match &mask {
                Some(mask) if how.given => {
                    for (v, &given) in valid.iter_mut().zip(&mask[place.clone()]) {
                        *v = u8::from(given != 0);
                    }
                }
                _ => valid.fill(1),
            }
            T::load(raw, &mut stored[..n]);
            self.convert_block(&stored[..n], &mut canonical[..n], valid, mask.is_some())?;
            if !how.passed_on {
                self.must_show(&canonical[..n], valid)?;
            }
            if let Some(mask) = &mut mask {
                mask[place].copy_from_slice(valid);
            }
            U::store(&canonical[..n], out);
        }
        Ok(())
    }
}

impl<T, U> Kernel<T, U>
where
    U: Number,
{
    /// Checks that the elements alone show which of them are missing.
    fn must_show(&self, canonical: &[U], valid: &[u8]) -> Result<()> {
        match self.needs_mask {
            NeedsMask::Always if valid.contains(&0) => Err(inexpressible(self.kind, U::TYPE)),
            NeedsMask::InThisType if valid.contains(&0) => Err(Error::new(
                self.kind,
                format!(
                    "data are missing, and the missing value does not fit type {}; ask for a validity mask, or for \
                     another type",
                    U::TYPE
                ),
            )),
            _ if self.chosen && canonical.iter().zip(valid).any(|(&x, &v)| v != 0 && x == self.missing) => {
                let value = self.missing;
                Err(Error::new(
                    self.kind,
                    format!(
                        "valid data have the value {value:?} that MISSING_BYTES sets for missing data; choose \
                         another, or ask for a validity mask"
                    ),
                ))
            }
            _ => Ok(()),
        }
    }
}

impl<T, U> Convert for Kernel<T, U>
where
    T: Cast<U>,
    U: Number,
    f64: Cast<U>,
{
    fn convert(&self, raw: &[u8], out: &mut [u8], mask: Option<&mut [u8]>, how: Use) -> Result<()> {
        let count = raw.len() / T::SIZE;
        let fits = raw.len() == count * T::SIZE
            && Some(out.len()) == count.checked_mul(U::SIZE)
            && mask.as_ref().is_none_or(|mask| mask.len() == count);
        if !fits {
            return Err(Error::new(Kind::Internal, "stored, canonical and mask buffers differ in length"));
        }
        if mask.is_none() && self.is_identity() {
            out.copy_from_slice(raw);
            return Ok(());
        }
        if count <= SMALL {
            self.convert_blocks::<SMALL>(raw, out, mask, how)
        } else {
            self.convert_blocks::<BLOCK>(raw, out, mask, how)
        }
    }

    fn is_identity(&self) -> bool {
        self.identity
    }
}

/// Returns the error for missing data in a variable that has no value for them.
pub(super) fn inexpressible(kind: Kind, data_type: DataType) -> Error {
    let range = if data_type == DataType::I8 { "-128 to 127" } else { "0 to 255" };
    Error::new(
        kind,
        format!(
            "data are missing, and the variable has no missing value; ask for a validity mask, or choose a value \
             from {range} with the setting MISSING_BYTES"
        ),
    )
}
