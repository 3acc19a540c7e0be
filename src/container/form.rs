//! How compressed chunks are stored, in a form that can be compared between files.

use super::filter::{Filter, DEFLATE, SHUFFLE};

/// How a chunk is to be stored, in little-endian order.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// Its shape.
    pub(crate) chunk: Vec<u64>,
    /// The size of the elements, if their bytes are shuffled.
    pub(crate) shuffle: Option<usize>,
    /// The minimum level of compression.
    pub(crate) deflate: u8,
}

impl Form {
    /// Returns whether chunks that went through these filters have this form.
    pub(crate) fn is_of(&self, filters: &[Filter]) -> bool {
        let (shuffle, deflate) = match filters {
            [deflate] => (None, deflate),
            [shuffle, deflate] if shuffle.id == SHUFFLE => (Some(shuffle), deflate),
            _ => return false,
        };
        let size = shuffle.and_then(|f| f.parameters.first()).map(|&size| size as usize);
        let level = deflate.parameters.first().copied().unwrap_or(0);
        deflate.id == DEFLATE
            && shuffle.is_some() == self.shuffle.is_some()
            && size == self.shuffle
            && level >= u32::from(self.deflate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(list: &[(u16, u32)]) -> Vec<Filter> {
        list.iter().map(|&(id, parameter)| Filter { id, parameters: vec![parameter] }).collect()
    }

    #[test]
    fn only_the_same_filters_are_the_same_form() {
        let form = Form { chunk: vec![4], shuffle: Some(4), deflate: 2 };
        assert!(form.is_of(&filters(&[(SHUFFLE, 4), (DEFLATE, 2)])));
        assert!(form.is_of(&filters(&[(SHUFFLE, 4), (DEFLATE, 9)])));
        for other in [
            &[(SHUFFLE, 4), (DEFLATE, 1)][..],
            &[(SHUFFLE, 2), (DEFLATE, 2)],
            &[(DEFLATE, 2)],
            &[(DEFLATE, 2), (SHUFFLE, 4)],
            &[(SHUFFLE, 4), (DEFLATE, 2), (3, 0)],
            &[(SHUFFLE, 4)],
            &[],
        ] {
            assert!(!form.is_of(&filters(other)), "{other:?}");
        }
        let plain = Form { shuffle: None, ..form };
        assert!(plain.is_of(&filters(&[(DEFLATE, 2)])));
        assert!(!plain.is_of(&filters(&[(SHUFFLE, 4), (DEFLATE, 2)])));
    }
}
