//! Object headers (HDF5 file format IV.A.1), version 2: in one piece, with the order of attributes, without times.

use crate::container::checksum::lookup3;
use crate::error::{Error, Kind, Result};

/// Attributes have an order, and an index of it if they are outside the header; the length has four bytes.
const FLAGS: u8 = 0x0c | 2;
/// The number of bytes before the messages.
const PREFIX: usize = 10;
/// The number of bytes before the body of a message.
const ENVELOPE: usize = 6;
/// The maximum length of the body of a message.
pub(super) const LONGEST: usize = u16::MAX as usize;

/// A message of an object header.
#[derive(Debug)]
pub(super) struct Message {
    /// The type of the message.
    pub kind: u8,
    /// Its flags.
    pub flags: u8,
    /// The number of an attribute, in order of creation.
    pub order: u16,
    /// Its body, of at most [`LONGEST`] bytes.
    pub body: Vec<u8>,
}

impl Message {
    /// Returns a message that is not an attribute.
    pub(super) fn new(kind: u8, flags: u8, body: Vec<u8>) -> Message {
        Message { kind, flags, order: 0, body }
    }
}

/// Returns the number of bytes of a header with messages of these lengths.
pub(super) fn length(bodies: impl Iterator<Item = usize>) -> usize {
    PREFIX + bodies.map(|body| ENVELOPE + body).sum::<usize>() + 4
}

/// Returns the bytes of a header.
///
/// # Errors
/// `Limit` if it is too long.
pub(super) fn encode(messages: &[Message]) -> Result<Vec<u8>> {
    let total = length(messages.iter().map(|m| m.body.len()));
    let long =
        || Error::new(Kind::Limit, "it has more attributes, or a group more members, than a file can hold");
    let size = u32::try_from(total - PREFIX - 4).map_err(|_| long())?;
    let mut out = Vec::with_capacity(total);
    out.extend(b"OHDR\x02");
    out.push(FLAGS);
    out.extend(size.to_le_bytes());
    for message in messages {
        let len = u16::try_from(message.body.len()).map_err(|_| long())?;
        out.push(message.kind);
        out.extend(len.to_le_bytes());
        out.push(message.flags);
        out.extend(message.order.to_le_bytes());
        out.extend(&message.body);
    }
    Ok(sealed(out))
}

/// Appends the checksum to the bytes.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = lookup3(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}
