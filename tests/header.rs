//! `include/cfa.h` matches `src/capi`, and is a complete manual.
//!
//! `UPDATE=1 cargo test --test all header::` rewrites the header and the list of exported symbols.

use std::path::{Path, PathBuf};

#[path = "header/assembly.rs"]
mod assembly;
#[path = "header/topics.rs"]
mod topics;

/// The files of `src/capi` that have items of the header, in its order.
fn nouns() -> impl Iterator<Item = &'static str> {
    topics::TOPICS.iter().flat_map(|topic| topic.nouns).copied()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn source(noun: &str) -> PathBuf {
    root().join("src/capi").join(noun).with_extension("rs")
}

fn generated() -> String {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).unwrap();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for noun in nouns() {
        builder = builder.with_src(source(noun));
    }
    let mut header = Vec::new();
    builder.generate().unwrap().write(&mut header);
    let read = |noun: &str| std::fs::read_to_string(source(noun)).unwrap();
    assembly::assembled(&String::from_utf8(header).unwrap(), read)
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
    for noun in nouns() {
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

/// The topics come in the order in which a reader needs them, and all words on threads stand at the head.
#[test]
fn the_header_has_its_topics_in_order() {
    let header = generated();
    let places: Vec<_> =
        topics::TOPICS.iter().map(|t| header.find(&format!("/* {} ====", t.title)).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(header.matches("Thread-safe").count() + header.matches("thread-safe").count(), 0);
    let long: Vec<&str> = header.lines().filter(|line| line.chars().count() > 120).collect();
    assert_eq!(long, [""; 0]);
}

/// The examples of the topics are functions that a C compiler accepts.
#[test]
fn the_examples_of_the_header_compile() {
    let directory = tempfile::tempdir().unwrap();
    let mut program = "#include <cfa.h>\n#include <stdio.h>\n".to_owned();
    for line in topics::TOPICS.iter().flat_map(|topic| topic.text.lines()) {
        if let Some(code) = line.strip_prefix("    ") {
            program += &format!("{code}\n");
        }
    }
    let path = directory.path().join("examples.c");
    std::fs::write(&path, &program).unwrap();
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only", "-I"]);
    std::fs::write(directory.path().join("cfa.h"), generated()).unwrap();
    let output = compiler.arg(directory.path()).arg(&path).output().unwrap();
    assert!(output.status.success(), "{program}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(program.matches("static ").count() >= topics::TOPICS.len());
}
