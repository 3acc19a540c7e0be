//! Compares values that were read with the intended ones, in terms of the format.
//!
//! Numbers are compared bit by bit, so that NaN is equal to itself. Classic files have no strings and CDF-2 has no
//! unsigned or 64-bit integers: there text and numbers are compared. Text ends at its first NUL.

use crate::value::{text_of, Values};

/// Returns whether an attribute is as intended; `classic` if the format has fewer types.
pub(super) fn same_attribute(meant: &Values, read: &Values, classic: bool) -> bool {
    match (meant, read) {
        (Values::String(list), Values::String(there)) => {
            list.len() == there.len() && list.iter().zip(there).all(|(a, b)| without_nul(a) == without_nul(b))
        }
        (Values::String(list), Values::Char(_)) if classic => {
            text_of(list.join(" ").as_bytes()) == read.as_text().unwrap_or_default()
        }
        (Values::Char(a), Values::Char(b)) => a == b || text_of(a) == text_of(b),
        _ => meant.len() == read.len() && first_difference(meant, 0, read, classic).is_none(),
    }
}

/// Returns the text without NULs, which strings of netCDF cannot contain.
fn without_nul(text: &str) -> String {
    text.replace('\0', "")
}

/// Returns the first element read that differs from the intended one; `at` is the index of the first intended element.
pub(super) fn first_difference(meant: &Values, at: usize, read: &Values, classic: bool) -> Option<usize> {
    let n = read.len();
    if meant.len() < at.saturating_add(n) {
        return Some(meant.len().saturating_sub(at));
    }
    /// Returns the first element that differs by its `key`.
    fn differs<T, K: PartialEq>(meant: &[T], read: &[T], key: impl Fn(&T) -> K) -> Option<usize> {
        meant.iter().zip(read).position(|(a, b)| key(a) != key(b))
    }
    macro_rules! by_bits {
        ($($kind:ident),*) => {
            match (meant, read) {
                (Values::F32(a), Values::F32(b)) => differs(&a[at..at + n], b, |x| x.to_bits()),
                (Values::F64(a), Values::F64(b)) => differs(&a[at..at + n], b, |x| x.to_bits()),
                (Values::Char(a), Values::Char(b)) => differs(&a[at..at + n], b, |x| *x),
                (Values::String(a), Values::String(b)) => {
                    a[at..at + n].iter().zip(b).position(|(a, b)| ended(a) != ended(b))
                }
                $((Values::$kind(a), Values::$kind(b)) => differs(&a[at..at + n], b, |x| *x),)*
                _ if classic => (0..n).find(|&i| {
                    let number = meant.int_at(at + i);
                    number.is_none() || number != read.int_at(i)
                }),
                _ => Some(0),
            }
        };
    }
    by_bits!(I8, U8, I16, U16, I32, U32, I64, U64)
}

/// Returns the first row of characters that is not the intended string; `at` is the index of the first intended string.
pub(super) fn first_other_row(meant: &[String], at: usize, rows: &[u8], width: usize) -> Option<usize> {
    let width = width.max(1);
    let list = meant.get(at..).unwrap_or_default();
    if list.len() < rows.len() / width {
        return Some(list.len());
    }
    let same = |text: &String, row: &[u8]| {
        let end = row.iter().position(|&b| b == 0).unwrap_or(row.len());
        ended(text).as_bytes() == &row[..end]
    };
    list.iter().zip(rows.chunks(width)).position(|(text, row)| !same(text, row))
}

/// Returns a string as netCDF stores it.
pub(super) fn ended(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_bit_by_bit() {
        let nan = Values::F64(vec![1.0, f64::NAN, 3.0]);
        assert_eq!(first_difference(&nan, 1, &Values::F64(vec![f64::NAN, 3.0]), false), None);
        assert_eq!(first_difference(&nan, 1, &Values::F64(vec![f64::NAN, 4.0]), false), Some(1));
        assert_eq!(first_difference(&Values::F32(vec![0.0]), 0, &Values::F32(vec![-0.0]), false), Some(0));
        assert_eq!(first_difference(&nan, 2, &Values::F64(vec![3.0, 0.0]), false), Some(1));
        assert_eq!(first_difference(&nan, 9, &Values::F64(vec![3.0]), false), Some(0));
    }

    #[test]
    fn only_classic_files_may_have_another_integer_type() {
        let (meant, read) = (Values::I64(vec![1, -2]), Values::I32(vec![1, -2]));
        assert_eq!(first_difference(&meant, 0, &read, true), None);
        assert_eq!(first_difference(&meant, 0, &read, false), Some(0));
        assert_eq!(first_difference(&meant, 0, &Values::I32(vec![1, 2]), true), Some(1));
        assert_eq!(first_difference(&meant, 0, &Values::F64(vec![1.0, -2.0]), true), Some(0));
    }

    #[test]
    fn text_is_compared_as_text() {
        let strings = |list: &[&str]| Values::String(list.iter().map(|s| s.to_string()).collect());
        let chars = |text: &[u8]| Values::Char(text.to_vec());
        assert!(same_attribute(&strings(&["a", "b"]), &chars(b"a b"), true));
        assert!(!same_attribute(&strings(&["a", "b"]), &chars(b"a b"), false));
        assert!(same_attribute(&chars(b"K\0"), &chars(b"K"), false));
        assert!(same_attribute(&chars(&[0xb5, b'm']), &chars("µm".as_bytes()), false));
        assert!(!same_attribute(&chars(b"K"), &chars(b"k"), false));
        assert!(!same_attribute(&chars(b""), &Values::F64(vec![]), false));
        let rows = ["ab".to_owned(), "xyz".to_owned(), "".to_owned()];
        assert_eq!(first_other_row(&rows, 0, b"ab\0xyz\0\0\0", 3), None);
        assert_eq!(first_other_row(&rows, 1, b"xyz\0\0y", 3), None);
        assert_eq!(first_other_row(&rows, 1, b"xyzy\0\0", 3), Some(1));
        assert_eq!(first_other_row(&rows, 2, b"\0\0\0\0\0\0", 3), Some(1));
    }
}
