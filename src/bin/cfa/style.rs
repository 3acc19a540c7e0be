//! The look of text: colours on a terminal only, and never if the user does not want them (`NO_COLOR`).

use std::io::IsTerminal;

/// Marks up text, or leaves it as it is.
#[derive(Clone, Copy)]
pub struct Style {
    colour: bool,
}

/// Returns the style for standard output.
pub fn for_stdout() -> Style {
    Style { colour: wanted() && std::io::stdout().is_terminal() }
}

/// Returns the style for standard error.
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

    /// Marks up a heading.
    pub fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Marks up a name.
    pub fn name(self, text: &str) -> String {
        self.paint("36", text)
    }

    /// Marks up less important text.
    pub fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    /// Marks up something good.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Marks up something wrong.
    pub fn alarm(self, text: &str) -> String {
        self.paint("31", text)
    }
}

/// Returns text of a file without the characters that could act on a terminal.
pub fn printable(text: &str) -> String {
    cfa::text::escaped(text)
}

/// Returns a name as [`printable`] does, shortened to fit on a line with others.
pub fn brief(name: &str) -> String {
    printable(&cfa::text::short(name, 200))
}
