//! How text and numbers look: colours on a terminal only and never against the user's wish (`NO_COLOR`).

use std::io::IsTerminal;

/// Marks up text, or leaves it as it is.
#[derive(Clone, Copy)]
pub struct Style {
    colour: bool,
}

/// For what goes to standard output.
pub fn for_stdout() -> Style {
    Style { colour: wanted() && std::io::stdout().is_terminal() }
}

/// For what goes to standard error.
pub fn for_stderr() -> Style {
    Style { colour: wanted() && std::io::stderr().is_terminal() }
}

fn wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// A heading.
    pub fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A name.
    pub fn name(self, text: &str) -> String {
        self.paint("36", text)
    }

    /// Less important text.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Something good.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Something wrong.
    pub fn alarm(self, text: &str) -> String {
        self.paint("31", text)
    }
}

/// Text of a file without the characters that could play tricks on a terminal.
pub fn printable(text: &str) -> String {
    cfa::text::escaped(text)
}

/// The same of a name that stands beside others on a line: no longer than that.
pub fn brief(name: &str) -> String {
    printable(&cfa::text::short(name, 200))
}
