//! Parses the command line.
//!
//! The arguments of a verb are defined when the verb is used: defining those of all verbs takes as long as opening a
//! file. Wrong command lines are reported without the secrets that they may contain: a user who forgets the verb puts a
//! location in its place.

use cfa::text::redact;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, Args, Command, Error, FromArgMatches, Parser};

use crate::style::printable;

/// Returns the arguments of the command line. Ends the program if they are wrong, and after `--help` and `--version`.
pub fn arguments<A: Parser>() -> A {
    let mut command = A::command();
    let verb = std::env::args_os().nth(1);
    if verb.is_none_or(|verb| command.find_subcommand(verb).is_none()) {
        // The help and the advice of the program show its verbs.
        command.build();
    }
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed =
        parsed.and_then(|found| A::from_arg_matches(&found).map_err(|error| error.format(&mut command)));
    parsed.unwrap_or_else(|error| hidden(error).exit())
}

/// The arguments of a verb, which are defined when it is used.
pub struct Later<A>(pub A);

impl<A: Args> Args for Later<A> {
    fn augment_args(command: Command) -> Command {
        command.defer(A::augment_args)
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(A::augment_args_for_update)
    }
}

impl<A: FromArgMatches> FromArgMatches for Later<A> {
    fn from_arg_matches(found: &ArgMatches) -> Result<Self, Error> {
        A::from_arg_matches(found).map(Later)
    }

    fn update_from_arg_matches(&mut self, found: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(found)
    }
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
