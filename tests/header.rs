//! `include/cfa.h` is what `src/capi` says, and is a complete manual.
//!
//! `UPDATE=1 cargo test --test all header::` rewrites the header and the list of exported symbols.

use std::path::{Path, PathBuf};

/// In the order of the header.
const NOUNS: [&str; 25] = [
    "version",
    "status",
    "last_error",
    "types",
    "file",
    "open_options",
    "dataset",
    "supplied",
    "group",
    "dimension",
    "attribute",
    "variable",
    "fragment",
    "fragments",
    "read_options",
    "read",
    "select",
    "strings",
    "time",
    "setting",
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
    let header = String::from_utf8(header).unwrap();
    header.lines().map(|line| with_parentheses(line) + "\n").collect()
}

/// A macro that is a negative number has parentheses round it, so that `1 CFA_X` is never an expression.
fn with_parentheses(line: &str) -> String {
    match line.rsplit_once(' ') {
        Some((name, value)) if name.starts_with("#define ") && value.starts_with('-') => {
            format!("{name} ({value})")
        }
        _ => line.to_owned(),
    }
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
    assert!(there == wanted, "{} is out of date: UPDATE=1 cargo test --test all header::", path.display());
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

/// What a comment of the manual lacks, for a function with this signature in Rust.
fn lacking(doc: &str, signature: &str) -> Vec<String> {
    let text = doc.lines().map(|line| line.trim_start_matches("///").trim()).collect::<Vec<_>>().join("\n");
    let (before, list) = signature.split_once('(').unwrap();
    let (list, result) = list.rsplit_once(')').unwrap();
    let status = result.contains("cfa_status");
    let mut lacks = Vec::new();
    let mut want = |there: bool, what: &str| {
        if !there {
            lacks.push(format!("{}: {what}", before.rsplit(' ').next().unwrap()));
        }
    };
    let first = text.split("\n\n").next().unwrap();
    want(first.starts_with(char::is_uppercase) && first.ends_with('.'), "a sentence on what it does");
    for parameter in list.split(',').filter_map(|p| p.split_once(':')).map(|(p, _)| p.trim()) {
        let name = parameter.trim_start_matches("r#");
        want(text.contains(&format!("@param {name} ")), &format!("its parameter {name}"));
    }
    let returned = text.split("@return ").nth(1).map(|t| t.split("\n\n").next().unwrap());
    want(returned.is_some() == result.contains("->"), "what it returns, if anything");
    let returned = returned.unwrap_or_default();
    let codes =
        returned.contains("CFA_OK") && (returned.contains("CFA_ERR_") || returned.contains(" returns"));
    want(!status || codes, "the codes it returns");
    let gives = ["*mut *const ", "*mut *mut cfa_"].iter().any(|output| list.contains(output));
    let gives = gives || result.contains('*');
    let lifetimes = ["cfa_dataset_free", "until the next call", "for ever"];
    want(!gives || lifetimes.iter().any(|l| text.contains(l)), "how long what it gives is valid");
    lacks
}

#[test]
fn every_function_is_described_in_full() {
    let mut functions = 0;
    for noun in NOUNS {
        let text = std::fs::read_to_string(source(noun)).unwrap();
        for export in text.split("#[unsafe(no_mangle)]").collect::<Vec<_>>().windows(2) {
            let doc = export[0].rsplit("\n\n").next().unwrap();
            let signature = export[1].split('{').next().unwrap();
            assert_eq!(lacking(doc, signature), [""; 0]);
            functions += 1;
        }
    }
    assert_eq!(functions, declared(&generated()).len());
}

#[test]
fn a_part_that_a_description_lacks_is_found() {
    let signature = "pub unsafe extern \"C\" fn cfa_x(at: usize, to: *mut *const u8) -> cfa_status ";
    let whole = [
        "/// Finds it.\n///\n",
        "/// @param at where\n",
        "/// @param to receives it,",
        " borrowed until cfa_dataset_free\n",
        "/// @return CFA_OK; CFA_ERR_ARGUMENT\n",
    ];
    assert_eq!(lacking(&whole.concat(), signature), [""; 0]);
    for left_out in 0..whole.len() {
        let rest: Vec<&str> = (0..whole.len()).filter(|&i| i != left_out).map(|i| whole[i]).collect();
        assert!(!lacking(&rest.concat(), signature).is_empty(), "{}", whole[left_out]);
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
