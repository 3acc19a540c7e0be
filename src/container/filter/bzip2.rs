//! Filter 307, bzip2: one stream.

use bzip2::{Decompress, Status};

use super::damaged;
use crate::error::Result;

/// Decompresses to the front of `out`.
pub fn decode(input: &[u8], out: &mut [u8]) -> Result<usize> {
    let mut decompress = Decompress::new(false);
    let (mut read, mut written) = (0, 0);
    loop {
        let status = decompress
            .decompress(&input[read..], &mut out[written..])
            .map_err(|cause| damaged("bzip2", cause))?;
        let progress = (decompress.total_in() as usize, decompress.total_out() as usize);
        if status == Status::StreamEnd {
            return Ok(progress.1);
        }
        if progress == (read, written) {
            return Err(damaged("bzip2", "the stream is cut short or does not fit its chunk"));
        }
        (read, written) = progress;
    }
}
