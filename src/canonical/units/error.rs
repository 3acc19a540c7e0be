//! Why a unit text or a conversion is refused.

use std::fmt;

/// The kind of an error in a unit or a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnitErrorKind {
    /// The text does not follow the grammar.
    Syntax,
    /// A name or symbol is not in the database.
    Unknown,
    /// The operation has no meaning, such as a power of a logarithmic unit.
    Meaningless,
    /// libudunits2 2.2.28 would interpret the text as something that it does not say: an invalid date or time, a number
    /// out of range, an origin of something that is not a length of time.
    Refused,
    /// The text is too long or nested too deeply.
    Limit,
    /// The two units measure different things.
    NotConvertible,
    /// The two units are times since different moments; only a calendar can relate them.
    NeedsCalendar,
}

/// A unit text or a conversion that is refused, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    kind: UnitErrorKind,
    text: String,
    reason: String,
}

/// The maximum number of characters of a text in a message.
const SHOWN: usize = 80;

impl UnitError {
    pub(super) fn new(kind: UnitErrorKind, reason: impl Into<String>) -> Self {
        UnitError { kind, text: String::new(), reason: reason.into() }
    }

    /// Adds the text that the error is about.
    pub(super) fn about(mut self, text: &str) -> Self {
        self.text = shown(text);
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> UnitErrorKind {
        self.kind
    }
}

/// Returns the beginning of a text, with control characters made visible, so that a message stays one short line.
pub(in crate::canonical) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() {
            f.write_str(&self.reason)
        } else {
            write!(f, "units '{}': {}", self.text, self.reason)
        }
    }
}

impl std::error::Error for UnitError {}

impl From<UnitError> for crate::Error {
    fn from(error: UnitError) -> Self {
        crate::Error::new(crate::Kind::Units, error.to_string())
    }
}
