//! BloscLZ, the first codec of Blosc.

use super::run::{take, take_byte, Output};

/// Matches farther back than this store the rest of their distance in two more bytes.
const NEAR: usize = 8191;

/// Decompresses to the front of `out`. Returns `None` if the stream is broken or does not fit.
pub fn decompress(mut input: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut out = Output::new(out);
    // The first instruction is always a literal; its upper bits are a version mark.
    let mut control = (take_byte(&mut input)? & 31) as usize;
    loop {
        if control < 32 {
            out.literal(take(&mut input, control + 1)?)?;
        } else {
            let mut len = (control >> 5) + 2;
            if len == 9 {
                loop {
                    let more = take_byte(&mut input)?;
                    len += more as usize;
                    if more != 255 {
                        break;
                    }
                }
            }
            let high = control & 31;
            let low = take_byte(&mut input)? as usize;
            let mut distance = (high << 8) + low + 1;
            if high == 31 && low == 255 {
                let far = take(&mut input, 2)?;
                distance = NEAR + 1 + ((far[0] as usize) << 8) + far[1] as usize;
            }
            out.repeat(distance, len)?;
        }
        if input.is_empty() {
            return Some(out.len());
        }
        control = take_byte(&mut input)? as usize;
    }
}
