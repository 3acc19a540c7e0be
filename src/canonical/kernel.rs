//! The loop over elements: load, mask, compute, cast, put the missing value, store.
//!
//! One instance per pair of types. Work goes in blocks that stay in the first-level cache, each step a plain loop over
//! a block, so that the compiler vectorises it. Byte slices of any alignment are taken.

use super::arithmetic::{cast_exactly, Arithmetic};
use super::cast::{cast_all, Cast};
use super::mask::Mask;
use super::number::{Number, Scalar};
use crate::{DataType, Error, Kind, Result};

const BLOCK: usize = 1024;

/// A conversion of stored to canonical elements, whatever their types.
pub(super) trait Convert: Send + Sync {
    /// Converts all elements; with `keep`, those that `mask` calls missing stay missing, else `mask` is only written.
    fn convert(&self, raw: &[u8], out: &mut [u8], mask: Option<&mut [u8]>, keep: bool) -> Result<()>;
    /// Whether the bytes of every element stay as they are.
    fn is_identity(&self) -> bool;
}

/// What a kernel does besides masking stored elements.
pub(super) struct Plan<'a> {
    pub arithmetic: Arithmetic,
    /// Values that mean missing after the cast.
    pub canonical: &'a [Scalar],
    /// What is written for missing elements; `None` if the type has nothing for it.
    pub missing: Option<Scalar>,
    pub lossy: bool,
    /// The kind of error for values that do not fit.
    pub kind: Kind,
}

/// Conversion from elements of type `T` to elements of type `U`.
pub(super) struct Kernel<T, U> {
    stored: Mask<T>,
    arithmetic: Arithmetic,
    canonical: Mask<U>,
    missing: U,
    /// Whether missing elements need a validity mask to be told from others.
    needs_mask: bool,
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
    pub fn new(stored: Mask<T>, plan: Plan) -> Kernel<T, U> {
        let canonical = Mask::among(plan.canonical);
        let missing = plan.missing.and_then(U::of);
        // Elements that are called missing hold the missing value already, before and after.
        let kept = match missing {
            Some(missing) => {
                let before = plan.missing.and_then(T::of).is_some_and(|missing| stored.only(missing));
                (before || stored.is_empty()) && canonical.only(missing)
            }
            None => stored.is_empty() && canonical.is_empty(),
        };
        Kernel {
            identity: T::TYPE == U::TYPE && plan.arithmetic.is_identity() && kept,
            stored,
            arithmetic: plan.arithmetic,
            canonical,
            missing: missing.unwrap_or_default(),
            needs_mask: missing.is_none(),
            lossy: plan.lossy,
            kind: plan.kind,
        }
    }

    fn convert_block(&self, stored: &[T], out: &mut [U], valid: &mut [u8]) -> Result<()> {
        self.stored.apply(stored, valid);
        let lost = if self.arithmetic.is_identity() {
            cast_all(stored, out, valid, self.lossy).map(|i| stored[i].to_string())
        } else if let Some(ratio) =
            self.arithmetic.exact().filter(|_| T::TYPE.is_integer() && U::TYPE.is_integer())
        {
            cast_exactly(ratio, stored, out, valid, self.lossy).map(|i| format!("of stored {}", stored[i]))
        } else {
            let mut values = [0.0; BLOCK];
            let values = &mut values[..stored.len()];
            self.arithmetic.apply(stored, values);
            cast_all(values, out, valid, self.lossy).map(|i| values[i].to_string())
        };
        if let Some(value) = lost {
            return Err(Error::new(
                self.kind,
                format!(
                    "value {value} cannot be given as {} without loss; allow lossy casts to truncate",
                    U::TYPE
                ),
            ));
        }
        if !self.canonical.is_empty() {
            self.canonical.apply(out, valid);
        }
        // Most blocks have no missing elements, and looking is cheaper than writing.
        if valid.contains(&0) {
            for (y, &v) in out.iter_mut().zip(valid.iter()) {
                *y = if v == 0 { self.missing } else { *y };
            }
        }
        Ok(())
    }
}

impl<T, U> Convert for Kernel<T, U>
where
    T: Cast<U>,
    U: Number,
    f64: Cast<U>,
{
    fn convert(&self, raw: &[u8], out: &mut [u8], mut mask: Option<&mut [u8]>, keep: bool) -> Result<()> {
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
        let mut stored = [T::default(); BLOCK];
        let mut canonical = [U::default(); BLOCK];
        let mut valid = [1; BLOCK];
        let blocks = raw.chunks(BLOCK * T::SIZE).zip(out.chunks_mut(BLOCK * U::SIZE));
        for (block, (raw, out)) in blocks.enumerate() {
            let n = raw.len() / T::SIZE;
            let place = block * BLOCK..block * BLOCK + n;
            let valid = &mut valid[..n];
            match &mask {
                Some(mask) if keep => {
                    for (v, &given) in valid.iter_mut().zip(&mask[place.clone()]) {
                        *v = u8::from(given != 0);
                    }
                }
                _ => valid.fill(1),
            }
            T::load(raw, &mut stored[..n]);
            self.convert_block(&stored[..n], &mut canonical[..n], valid)?;
            match &mut mask {
                Some(mask) => mask[place].copy_from_slice(valid),
                None if self.needs_mask && valid.contains(&0) => {
                    return Err(inexpressible(self.kind, U::TYPE))
                }
                None => {}
            }
            U::store(&canonical[..n], out);
        }
        Ok(())
    }

    fn is_identity(&self) -> bool {
        self.identity
    }
}

/// Missing data where the type has no value for it.
pub(super) fn inexpressible(kind: Kind, data_type: DataType) -> Error {
    Error::new(
        kind,
        format!("there are missing data, for which {data_type} has no value here; ask for a validity mask"),
    )
}
