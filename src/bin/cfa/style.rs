//! Colours text, only on a terminal and never if the user does not want it (`NO_COLOR`), and fits it to the width.

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

/// Returns the width of the terminal, or `None` if standard output is not a terminal.
pub fn width() -> Option<usize> {
    let (columns, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    // A terminal that does not know its width reports 0.
    Some(columns.0.into()).filter(|&n| n > 0)
}

/// Breaks a line at blanks so that it fits a terminal of this width. Further lines are indented. A word that is too
/// long stays as it is.
pub fn wrapped(line: &str, width: Option<usize>, indent: usize) -> String {
    let Some(width) = width.filter(|&w| w > 2 * indent) else { return line.to_owned() };
    let (mut out, mut column) = (String::new(), 0);
    for (i, word) in line.split(' ').enumerate() {
        let long = visible(word);
        if i > 0 && column + 1 + long > width && column > indent && long > 0 {
            out.truncate(out.trim_end().len());
            out += "\n";
            out += &" ".repeat(indent);
            column = indent;
        } else if i > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += long;
    }
    out
}

/// Returns the number of columns that a text takes on a terminal, without its codes for colours.
fn visible(text: &str) -> usize {
    let mut is_code = false;
    let shown = |c: &char| {
        let hidden = is_code || *c == '\x1b';
        is_code = hidden && *c != 'm';
        !hidden
    };
    text.chars().filter(shown).map(columns_of).sum()
}

/// Returns the number of columns that a text takes on a terminal.
pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Returns the number of columns of a character: none if it joins the one before it, two if it is wide, as those of
/// Chinese, Japanese and Korean and pictures are (Unicode Standard Annex 11).
fn columns_of(c: char) -> usize {
    match c {
        '\0'..='\u{2ff}' => 1,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' => 0,
        '\u{200b}'..='\u{200d}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97c}' => 2,
        '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}' => 2,
        '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1faff}' => 2,
        '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
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

/// Returns a text from a file without the characters that could act on a terminal.
pub fn printable(text: &str) -> String {
    cfa::text::escaped(text)
}

/// Returns a name as [`printable`] does, shortened to fit on a line with others.
pub fn brief(name: &str) -> String {
    printable(&cfa::text::short(name, 200))
}
