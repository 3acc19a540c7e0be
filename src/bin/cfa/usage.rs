//! Reports wrong command lines without the secrets that they may contain: someone who forgets the verb puts a location
//! in its place.

use cfa::text::redact;
use clap::error::{ContextKind, ContextValue};
use clap::{Error, Parser};

use crate::style::printable;

/// Returns the arguments of the command line. Ends the program if they are wrong, and after `--help` and `--version`.
pub fn arguments<A: Parser>() -> A {
    A::try_parse().unwrap_or_else(|error| hidden(error).exit())
}

fn hidden(mut error: Error) -> Error {
    let given = |(kind, value): (ContextKind, &ContextValue)| match value {
        ContextValue::String(text) => Some((kind, text.clone())),
        _ => None,
    };
    let given: Vec<(ContextKind, String)> = error.context().filter_map(given).collect();
    for (kind, text) in given {
        let shown = printable(&redact(&text));
        if shown != text {
            error.insert(kind, ContextValue::String(shown));
            // The suggestion repeats the text.
            error.remove(ContextKind::Suggested);
        }
    }
    error
}
