//! `include/cfa.h` is what `src/capi` says, and is a complete manual.
//!
//! `UPDATE=1 cargo test --test header` rewrites the header and the list of exported symbols.

use std::path::{Path, PathBuf};

/// In the order of the header.
const NOUNS: [&str; 20] = [
    "version",
    "status",
    "types",
    "file",
    "open_options",
    "dataset",
    "group",
    "dimension",
    "attribute",
    "variable",
    "fragment",
    "read_options",
    "read",
    "strings",
    "time",
    "create_options",
    "check_options",
    "convert_options",
    "extract_options",
    "aggregation",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source(noun: &str) -> PathBuf {
    root().join("src/capi").join(noun).with_extension("rs")
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for noun in NOUNS {
        builder = builder.with_src(source(noun));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    String::from_utf8(header).unwrap()
}

/// The names of all functions that the header declares, sorted.
fn declared(header: &str) -> Vec<String> {
    let mut names: Vec<String> = header
        .lines()
        .filter(|line| !line.starts_with([' ', '#', '/', '*']) && !line.starts_with("typedef"))
        .filter_map(|line| line.split_once('('))
        .filter_map(|(before, _)| before.split([' ', '*']).next_back())
        .filter(|name| name.starts_with("cfa_"))
        .map(str::to_owned)
        .collect();
    names.sort();
    names
}

fn compare(path: &str, wanted: &str) {
    let path = root().join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, wanted).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == wanted, "{} is out of date: UPDATE=1 cargo test --test header", path.display());
}

#[test]
fn the_header_is_what_the_sources_say() {
    let header = generated();
    compare("include/cfa.h", &header);
    let mut symbols = declared(&header).join("\n");
    symbols.push('\n');
    compare("c_tests/symbols.txt", &symbols);
}

#[test]
fn every_export_is_in_the_header() {
    let names = declared(&generated());
    for entry in std::fs::read_dir(root().join("src/capi")).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for line in text.lines().filter(|l| l.starts_with("pub ") && l.contains("extern \"C\" fn ")) {
            let name = line.split("fn ").nth(1).unwrap().split('(').next().unwrap();
            assert!(names.iter().any(|n| n == name), "{name}");
        }
    }
    assert!(names.len() > 60, "{names:?}");
}

#[test]
fn every_function_says_what_it_takes_and_gives_and_since_when() {
    for noun in NOUNS {
        let text = std::fs::read_to_string(source(noun)).unwrap();
        for export in text.split("#[unsafe(no_mangle)]").collect::<Vec<_>>().windows(2) {
            let doc = export[0].rsplit("\n\n").next().unwrap();
            let signature = export[1].split('{').next().unwrap();
            let name = signature.split("fn ").nth(1).unwrap().split('(').next().unwrap();
            let since = doc.rsplit("Since ").next().unwrap();
            assert!(since.starts_with(char::is_numeric), "{name} does not say since when it is there");
            assert!(doc.to_lowercase().contains("thread"), "{name} says nothing about threads");
            assert_eq!(doc.contains("@return"), signature.contains("->"), "{name} and what it returns");
            let list = signature.split_once('(').unwrap().1.rsplit_once(')').unwrap().0;
            for parameter in list.split(',').filter_map(|p| p.split_once(':')).map(|(p, _)| p.trim()) {
                let parameter = parameter.trim_start_matches("r#");
                assert!(doc.contains(&format!("@param {parameter} ")), "{name} does not explain {parameter}");
            }
        }
    }
}

#[test]
fn the_package_and_the_header_have_the_same_version() {
    let header = generated();
    for (part, value) in [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ] {
        assert!(header.contains(&format!("#define CFA_VERSION_{part} {value}\n")), "{part}");
    }
}
