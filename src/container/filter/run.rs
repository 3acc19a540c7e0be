//! What the byte-oriented codecs (LZF, BloscLZ, Snappy) share: writes literals and matches within bounds.

/// Output that does not grow past its end.
pub struct Output<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl<'a> Output<'a> {
    pub fn new(bytes: &'a mut [u8]) -> Self {
        Output { bytes, len: 0 }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends bytes as they are. Returns `None` if they do not fit.
    pub fn literal(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.len.checked_add(bytes.len())?;
        self.bytes.get_mut(self.len..end)?.copy_from_slice(bytes);
        self.len = end;
        Some(())
    }

    /// Repeats `len` bytes from `distance` back, which may overlap the output. Returns `None` if that is out of bounds.
    pub fn repeat(&mut self, distance: usize, len: usize) -> Option<()> {
        let end = self.len.checked_add(len).filter(|&end| end <= self.bytes.len())?;
        let start = self.len.checked_sub(distance).filter(|_| distance > 0)?;
        // The repeated part doubles with each copy, since what was just written has the same period.
        while self.len < end {
            let part = (self.len - start).min(end - self.len);
            self.bytes.copy_within(start..start + part, self.len);
            self.len += part;
        }
        Some(())
    }
}

/// Splits the first `len` bytes off `input`.
pub fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (head, tail) = input.split_at_checked(len)?;
    *input = tail;
    Some(head)
}

/// Splits the first byte off `input`.
pub fn take_byte(input: &mut &[u8]) -> Option<u8> {
    take(input, 1).map(|byte| byte[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_may_overlap_what_it_writes() {
        let mut bytes = [0; 10];
        let mut out = Output::new(&mut bytes);
        out.literal(b"abc").unwrap();
        out.repeat(3, 5).unwrap();
        out.repeat(1, 2).unwrap();
        assert_eq!(out.len(), 10);
        assert_eq!(&bytes, b"abcabcabbb");
    }

    #[test]
    fn nothing_is_written_out_of_bounds() {
        let mut bytes = [0; 4];
        let mut out = Output::new(&mut bytes);
        assert!(out.repeat(1, 1).is_none());
        assert!(out.literal(b"abcde").is_none());
        out.literal(b"ab").unwrap();
        assert!(out.repeat(0, 1).is_none());
        assert!(out.repeat(3, 1).is_none());
        assert!(out.repeat(1, 3).is_none());
        assert!(out.repeat(1, usize::MAX).is_none());
    }
}
