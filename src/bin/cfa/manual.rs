//! Writes the manual page of a command in the language of roff, from the definition of the command line and its [`Page`].

use cfa::SETTINGS;
use clap::builder::StyledStr;
use clap::{Arg, Command};
use roff::{bold, italic, roman, Inline, Roff};

use crate::page::{Page, ENVIRONMENT};

/// An empty argument of a macro. The crate `roff` would leave out an empty text, and the next one would take its place.
const EMPTY: &str = "\"\"";

/// Returns the manual page of a command that was built. `others` are the names of the other pages.
pub fn page(command: &Command, texts: &Page, others: &[String]) -> String {
    let mut page = Roff::new();
    let title = name(command);
    let source = format!("cfa {}", env!("CARGO_PKG_VERSION"));
    // There is no date, so that every build makes the same page.
    page.control("TH", [title.to_uppercase().as_str(), "1", EMPTY, source.as_str(), "User Commands"]);
    page.control("SH", ["NAME"]);
    page.text([roman(format!("{title} - {}", purpose(command)))]);
    page.control("SH", ["SYNOPSIS"]);
    page.text(synopsis(command));
    page.control("SH", ["DESCRIPTION"]);
    prose(&mut page, &description(command), "PP");
    if command.has_subcommands() {
        page.control("SH", ["COMMANDS"]);
        for verb in command.get_subcommands() {
            entry(&mut page, vec![bold(name(verb)), roman("(1)")], &purpose(verb));
        }
    }
    options(&mut page, command);
    page.control("SH", ["EXAMPLES"]);
    for (command, purpose) in texts.examples {
        entry(&mut page, vec![bold(*command)], purpose);
    }
    page.control("SH", ["EXIT STATUS"]);
    for (status, meaning) in texts.statuses {
        entry(&mut page, vec![bold(status.to_string())], meaning);
    }
    environment(&mut page, command.has_subcommands());
    page.control("SH", ["FILES"]);
    for (names, meaning) in texts.files {
        entry(&mut page, vec![italic(*names)], meaning);
    }
    page.control("SH", ["SEE ALSO"]);
    let related = others.iter().filter(|&other| *other != title).map(|other| format!("{other}(1)"));
    let mut related: Vec<String> =
        related.chain(texts.see_also.iter().map(|&page| page.to_owned())).collect();
    related.push("section 2.8 of the CF conventions, https://cfconventions.org".to_owned());
    page.text([roman(related.join(", "))]);
    page.render()
}

/// Returns the name of the page of a command, as `cfa-read`.
pub fn name(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

/// Returns what a command does, for the line with its name: without a capital and a full stop.
fn purpose(command: &Command) -> String {
    let about = command.get_about().map(StyledStr::to_string).unwrap_or_default();
    let mut letters = about.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Returns a long description without its first paragraph, which is in the line with the name.
fn description(command: &Command) -> String {
    let about =
        command.get_long_about().or(command.get_about()).map(StyledStr::to_string).unwrap_or_default();
    about.split_once("\n\n").map(|(_, rest)| rest.to_owned()).unwrap_or(about)
}

fn synopsis(command: &Command) -> Vec<Inline> {
    let mut line = vec![bold(command.get_bin_name().unwrap_or(command.get_name()))];
    for option in shown(command).filter(|a| !a.is_positional() && a.is_required_set()) {
        line.push(roman(" "));
        line.extend(option_names(option).pop().into_iter().chain(value(option)));
    }
    line.extend([roman(" ["), italic("OPTION"), roman("]...")]);
    for argument in shown(command).filter(|a| a.is_positional()) {
        line.push(roman(" "));
        line.extend(positional(argument));
    }
    if command.has_subcommands() {
        line.extend([roman(" "), italic("COMMAND"), roman(" [...]")]);
    }
    line
}

/// Writes all arguments with their help: those of the command, and those under each heading.
fn options(page: &mut Roff, command: &Command) {
    page.control("SH", ["OPTIONS"]);
    let mut headings: Vec<Option<&str>> = vec![None];
    for argument in shown(command) {
        if !headings.contains(&argument.get_help_heading()) {
            headings.push(argument.get_help_heading());
        }
    }
    for heading in headings {
        if let Some(heading) = heading {
            page.control("SS", [heading]);
        }
        let here = || shown(command).filter(|a| a.get_help_heading() == heading);
        for argument in here().filter(|a| a.is_positional()) {
            entry(page, positional(argument), &help(argument));
        }
        for option in here().filter(|a| !a.is_positional()) {
            let mut header = Vec::new();
            for spelling in option_names(option) {
                header.extend((!header.is_empty()).then(|| roman(", ")));
                header.push(spelling);
            }
            header.extend(value(option));
            entry(page, header, &help(option));
        }
    }
}

fn environment(page: &mut Roff, has_all: bool) {
    page.control("SH", ["ENVIRONMENT"]);
    if has_all {
        for setting in SETTINGS {
            let default = if setting.default.is_empty() { "none" } else { setting.default };
            let meaning = format!("{} [default: {default}]", setting.description);
            entry(page, vec![bold(format!("CFA_{}", setting.name))], &meaning);
        }
    } else {
        let header = vec![bold("CFA_"), italic("NAME")];
        entry(page, header, "each setting NAME of `--set`, which comes before the environment");
    }
    for (names, meaning) in ENVIRONMENT {
        entry(page, vec![bold(*names)], meaning);
    }
}

fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|a| !a.is_hide_set())
}

/// Returns the spellings of an option, the short one first.
fn option_names(option: &Arg) -> Vec<Inline> {
    let short = option.get_short().map(|c| format!("-{c}"));
    let long = option.get_long().map(|word| format!("--{word}"));
    short.into_iter().chain(long).map(bold).collect()
}

/// Returns the value of an option, with the sign between the option and its value.
fn value(option: &Arg) -> Vec<Inline> {
    let Some(range) = option.get_num_args().filter(|range| range.takes_values()) else { return Vec::new() };
    let (before, after) = match (range.min_values() == 0, option.is_require_equals_set()) {
        (true, true) => ("[=", "]"),
        (true, false) => (" [", "]"),
        (false, true) => ("=", ""),
        (false, false) => (" ", ""),
    };
    vec![roman(before), italic(value_names(option)), roman(after)]
}

fn positional(argument: &Arg) -> Vec<Inline> {
    let several = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let name = [italic(value_names(argument)), roman(if several { "..." } else { "" })];
    match argument.is_required_set() {
        true => name.into(),
        false => [roman("[")].into_iter().chain(name).chain([roman("]")]).collect(),
    }
}

fn value_names(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ")
}

/// Returns the help of an argument, with its default and the words that it accepts.
fn help(argument: &Arg) -> String {
    let mut text =
        argument.get_long_help().or(argument.get_help()).map(StyledStr::to_string).unwrap_or_default();
    let takes_values = argument.get_num_args().is_some_and(|range| range.takes_values());
    let defaults: Vec<_> = argument.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if takes_values && !defaults.is_empty() {
        text += &format!(" [default: {}]", defaults.join(" "));
    }
    let words: Vec<String> = argument.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
    if takes_values && !words.is_empty() {
        text += &format!(" [possible values: {}]", words.join(", "));
    }
    text
}

/// Writes a term with its explanation.
fn entry(page: &mut Roff, term: Vec<Inline>, explanation: &str) {
    page.control("TP", []);
    page.text(term);
    prose(page, explanation, "IP");
}

/// Writes paragraphs of text, which empty lines separate; the lines of a paragraph stay lines.
fn prose(page: &mut Roff, text: &str, next_paragraph: &str) {
    for (i, paragraph) in text.trim().split("\n\n").enumerate() {
        if i > 0 {
            page.control(next_paragraph, []);
        }
        for (i, line) in paragraph.lines().enumerate() {
            if i > 0 {
                page.control("br", []);
            }
            page.text(marked(line));
        }
    }
}

/// Returns a text with options, and the words between backticks, in bold.
fn marked(line: &str) -> Vec<Inline> {
    let mut inlines = Vec::new();
    for (i, piece) in line.split('`').enumerate() {
        if i % 2 == 1 {
            inlines.push(bold(piece));
            continue;
        }
        for word in piece.split_inclusive(' ') {
            let is_letter = |c: char| c.is_ascii_lowercase() || c == '-';
            let length = word.find(|c| !is_letter(c)).unwrap_or(word.len());
            let (option, rest) = word.split_at(if word.starts_with("--") { length } else { 0 });
            inlines.extend((!option.is_empty()).then(|| bold(option)));
            inlines.push(roman(rest));
        }
    }
    inlines
}
