//! The manual pages have the sections that people expect, and everything that the help says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::left_out::left_out;

const VERBS: [&str; 9] = ["check", "convert", "create", "extract", "index", "info", "plot", "qgis", "read"];

fn cfa(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_cfa")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The source of all pages, by name, in a folder.
fn pages(folder: &Path) -> BTreeMap<String, String> {
    cfa(&["documents", folder.to_str().unwrap()]);
    let files = fs::read_dir(folder.join("man/man1")).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
    files.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

/// What a page says, without its fonts, in single spaces.
fn words(page: &str) -> String {
    let mut text = page.to_owned();
    for (escape, meaning) in
        [(r"\fB", ""), (r"\fI", ""), (r"\fR", ""), (r"\*(Aq", "'"), (r"\-", "-"), (r"\&", ""), (r"\\", r"\")]
    {
        text = text.replace(escape, meaning);
    }
    let said = text.lines().filter(|line| !line.starts_with('.') || line.starts_with(".."));
    said.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

fn sections(page: &str) -> Vec<&str> {
    page.lines().filter_map(|line| line.strip_prefix(".SH ")).map(|title| title.trim_matches('"')).collect()
}

/// The help of a verb, or of the program.
fn help(page: &str) -> String {
    match page.strip_prefix("cfa-") {
        Some(verb) => cfa(&[verb, "--help"]),
        None => cfa(&["--help"]),
    }
}

/// The arguments that a help lists: the words that stand for each, and what it says of it.
fn arguments(help: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut is_list = false;
    for line in help.lines() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim();
        if indent == 0 && !text.is_empty() {
            is_list = line.ends_with(':') && !["Examples:", "Commands:"].contains(&line);
        } else if is_list && (text.starts_with('-') && indent < 10 || indent == 2) {
            // Short descriptions stand on the same line.
            let (term, rest) = text.split_once("  ").unwrap_or((text, ""));
            found.push((term.to_owned(), rest.trim().to_owned()));
        } else if is_list && !text.is_empty() {
            let said = &mut found.last_mut().unwrap().1;
            *said += " ";
            *said += text;
        }
    }
    found
}

#[test]
fn every_page_has_the_sections_that_people_expect() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    let mut expected: Vec<String> = VERBS.iter().map(|verb| format!("cfa-{verb}")).collect();
    expected.insert(0, "cfa".to_owned());
    assert_eq!(pages.keys().cloned().collect::<Vec<_>>(), expected);
    for (name, page) in &pages {
        let title = format!(".TH {} 1 ", name.to_uppercase());
        assert!(page.lines().any(|line| line.starts_with(&title)), "{name}: {title}");
        let mut expected = vec![
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "COMMANDS",
            "OPTIONS",
            "EXAMPLES",
            "EXIT STATUS",
            "ENVIRONMENT",
            "FILES",
            "SEE ALSO",
        ];
        expected.retain(|&section| section != "COMMANDS" || name == "cfa");
        assert_eq!(sections(page), expected, "{name}");
        for (section, text) in page.split("\n.SH ").skip(1).map(|part| part.split_once('\n').unwrap()) {
            assert!(!text.trim().is_empty(), "{name}: {section} is empty");
        }
        for other in pages.keys().filter(|&other| other != name) {
            assert!(page.replace(r"\-", "-").contains(&format!("{other}(1)")), "{name} leads to {other}");
        }
    }
}

#[test]
fn pages_say_of_each_argument_what_the_help_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (name, page) in pages(folder.path()) {
        let page = words(&page);
        for (term, said) in arguments(&help(&name)) {
            // The page has the names of values in italics in place of brackets.
            let term = term.replace(['<', '>'], "").replace(", ", " ");
            for word in term.split_whitespace().filter(|word| *word != "help") {
                let word = word.trim_end_matches("...").trim_matches(['[', ']']);
                assert!(page.contains(word), "{name}: {word}");
            }
            let said = said.replace('`', "").split_whitespace().collect::<Vec<_>>().join(" ");
            // clap knows two texts for its own options.
            let own = ["Print help (see a summary with '-h')", "Print help", "Print version"];
            assert!(own.contains(&said.as_str()) || page.contains(&said), "{name}: {term}: {said}\n{page}");
            compared += 1;
        }
    }
    assert!(compared > 130, "{compared} arguments");
}

#[test]
fn examples_of_pages_are_those_of_the_help_and_command_lines() {
    let folder = tempfile::tempdir().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_cfa")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut examples = 0;
    for (name, page) in pages(&folder.path().join("share")) {
        let help = help(&name);
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let section = page.split(".SH EXAMPLES\n").nth(1).unwrap().split("\n.SH ").next().unwrap();
        let entries: Vec<&str> = section.split(".TP\n").skip(1).collect();
        assert!(entries.len() >= 2, "{name}");
        for entry in entries {
            let (command, purpose) = entry.split_once('\n').unwrap();
            let (command, purpose) = (words(command), words(purpose));
            assert!(help.contains(&format!("{command} {purpose}")), "{name}: {command}: {purpose}");
            // There are no such files here; a wrong command line would be status 2.
            let output = Command::new("sh")
                .args(["-c", &command])
                .env("PATH", &path)
                .env("CFA_HTTP_MAX_RETRY", "0")
                .env("CFA_ALLOWED_SOURCES", "SIBLINGS")
                .env("http_proxy", "http://127.0.0.1:9")
                .env("https_proxy", "http://127.0.0.1:9")
                .current_dir(folder.path())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{command}: {said}");
            examples += 1;
        }
        let statuses = page.split(".SH \"EXIT STATUS\"\n").nth(1).unwrap().split("\n.SH ").next().unwrap();
        for status in statuses.split(".TP\n").skip(1).map(words) {
            assert!(help.contains(&status), "{name}: {status}");
        }
    }
    assert!(examples > 30, "{examples} examples");
}

/// Whether the program can be started.
fn is_there(program: &str) -> bool {
    Command::new("sh").args(["-c", &format!("command -v {program}")]).output().unwrap().status.success()
}

#[test]
fn formatters_have_nothing_to_say_against_the_pages() {
    let folder = tempfile::tempdir().unwrap();
    let pages = pages(folder.path());
    // A page without a date is one that every build makes alike.
    let warns: [(&str, &[&str], &str); 2] = [
        ("groff", &["-man", "-Tutf8", "-ww", "-z"], ""),
        ("mandoc", &["-Tlint", "-Wwarning"], "missing date"),
    ];
    for (program, arguments, known) in warns {
        if !is_there(program) {
            left_out(program, "it is not installed");
            continue;
        }
        for name in pages.keys() {
            let page = folder.path().join(format!("man/man1/{name}.1"));
            let output = Command::new(program).args(arguments).arg(page).output().unwrap();
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            let said: Vec<&str> = said.lines().filter(|l| known.is_empty() || !l.contains(known)).collect();
            assert!(said.is_empty(), "{program}: {name}: {said:?}");
        }
    }
}
