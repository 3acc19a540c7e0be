//! Values that are kept in memory. A few numbers, such as the time that each of thousands of files has, are kept in
//! place; other values are shared between the variables that have them.

use std::borrow::Cow;
use std::sync::Arc;

use super::record::Interner;
use crate::value::{DataType, Values};

/// The maximum number of bytes that are kept in place: those of a time with its bounds.
const FEW: usize = 16;

/// Values in memory.
#[derive(Clone, Debug)]
pub(super) enum Kept {
    /// The native bytes of a few numbers.
    Few { data_type: DataType, len: u8, bytes: [u8; FEW] },
    /// Values that others may have too.
    Shared(Arc<Values>),
}

/// Equal for values of equal type and bytes: the bytes themselves, or the address of shared values. The last part is the
/// number of bytes, or 255 for shared values.
pub(super) type Identity = (u128, DataType, u8);

impl Kept {
    pub fn new(values: Values, interner: &Interner) -> Kept {
        let data_type = values.data_type();
        let size =
            data_type.size().filter(|_| data_type.is_number()).and_then(|n| n.checked_mul(values.len()));
        match size {
            Some(size @ ..=FEW) => {
                let mut bytes = [0; FEW];
                let mut at = 0;
                crate::for_numbers!(&values, list => for x in list {
                    let own = x.to_ne_bytes();
                    bytes[at..at + own.len()].copy_from_slice(&own);
                    at += own.len();
                }, ());
                Kept::Few { data_type, len: size as u8, bytes }
            }
            _ => Kept::Shared(interner.values(values)),
        }
    }

    pub fn values(&self) -> Cow<'_, Values> {
        match self {
            Kept::Shared(values) => Cow::Borrowed(values),
            Kept::Few { data_type, .. } => {
                let values = Values::from_native_bytes(*data_type, self.few().unwrap_or_default());
                Cow::Owned(values.unwrap_or(Values::I8(Vec::new())))
            }
        }
    }

    /// Returns the native bytes of few numbers.
    pub fn few(&self) -> Option<&[u8]> {
        match self {
            Kept::Few { len, bytes, .. } => Some(&bytes[..usize::from(*len)]),
            Kept::Shared(_) => None,
        }
    }

    /// Returns the identity, in which other values differ.
    pub fn identity(&self) -> Identity {
        match self {
            Kept::Few { data_type, len, bytes } => (u128::from_ne_bytes(*bytes), *data_type, *len),
            Kept::Shared(values) => (Arc::as_ptr(values) as usize as u128, values.data_type(), u8::MAX),
        }
    }
}

/// Numbers are equal if their bytes are; other values as [`Values`] are.
impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        match (self, other) {
            (Kept::Shared(a), Kept::Shared(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => self.identity() == other.identity(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_are_kept_in_place_and_are_what_they_were() {
        let interner = Interner::default();
        let all = [
            (Values::F64(vec![1.5, -2.5]), true),
            (Values::F64(vec![1.0, 2.0, 3.0]), false),
            (Values::I16(vec![7]), true),
            (Values::U8((0..16).collect()), true),
            (Values::U8((0..17).collect()), false),
            (Values::I32(Vec::new()), true),
            (Values::Char(b"ab".to_vec()), false),
            (Values::String(vec!["a".into()]), false),
        ];
        for (values, in_place) in &all {
            let kept = Kept::new(values.clone(), &interner);
            assert_eq!(*kept.values(), *values);
            assert_eq!(kept.few().is_some(), *in_place, "{values:?}");
            for (other, _) in &all {
                assert_eq!(
                    kept == Kept::new(other.clone(), &interner),
                    values == other,
                    "{values:?} {other:?}"
                );
            }
        }
        let nan = || Kept::new(Values::F64(vec![f64::NAN]), &interner);
        assert_eq!(nan(), nan());
    }

    #[test]
    fn a_variable_with_few_numbers_is_small() {
        assert_eq!(size_of::<Kept>(), 24);
        assert_eq!(size_of::<super::super::record::Content>(), 24);
    }
}
