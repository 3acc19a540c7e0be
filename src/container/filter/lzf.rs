//! Filter 32000, LZF: the stream of liblzf, without a header.

use super::damaged;
use super::run::{take, take_byte, Output};
use crate::error::Result;

/// Decompresses to the front of `out`.
pub fn decode(input: &[u8], out: &mut [u8]) -> Result<usize> {
    decompress(input, out).ok_or_else(|| damaged("lzf", "the stream is cut short or does not fit its chunk"))
}

fn decompress(mut input: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut out = Output::new(out);
    while !input.is_empty() {
        let control = take_byte(&mut input)? as usize;
        if control < 32 {
            out.literal(take(&mut input, control + 1)?)?;
            continue;
        }
        let mut len = control >> 5;
        if len == 7 {
            len += take_byte(&mut input)? as usize;
        }
        let distance = ((control & 31) << 8) + take_byte(&mut input)? as usize + 1;
        out.repeat(distance, len + 2)?;
    }
    Some(out.len())
}
