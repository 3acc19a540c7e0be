//! Checks that the crate has the layers of ARCHITECTURE.md: compares its table of edges with every `crate::` path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Layers that are a folder within another one.
const INNER: [&str; 2] = ["read/fragment", "read/plan"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every source file of the library, by its path below `src`, without comments and tests.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    let src = root().join("src");
    let mut paths = Vec::new();
    walk(&src, &mut paths);
    let mut sources = BTreeMap::new();
    for path in paths {
        let name = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
        if name != "lib.rs" && !name.starts_with("bin/") && !is_test {
            sources.insert(name, code(&fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(sources.len() > 300, "{} files", sources.len());
    sources
}

/// A file without its comments and without what only tests have.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim_start().starts_with("//") {
        true => "",
        false => line.split(" // ").next().unwrap_or(line),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let mut parts = text.split("#[cfg(test)]\n");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // An item ends with its braces or with a semicolon.
        let (mut depth, mut end) = (0, part.len());
        for (at, c) in part.char_indices() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            if depth == 0 && (c == '}' || c == ';') {
                end = at + 1;
                break;
            }
        }
        code.push_str(&part[end..]);
    }
    code
}

/// The layer that a file or a path of modules belongs to.
fn layer(path: &str) -> String {
    let inner =
        INNER.iter().find(|inner| path.strip_prefix(**inner).is_some_and(|r| r.starts_with(['/', '.'])));
    match inner {
        Some(inner) => (*inner).to_owned(),
        None => path.split(['/', '.']).next().unwrap_or(path).to_owned(),
    }
}

/// What `lib.rs` exports under another path: the name and where it is from.
fn exported() -> BTreeMap<String, String> {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let mut names = BTreeMap::new();
    for path in lib.split("pub use ").skip(1).flat_map(|rest| flatten(rest.split(';').next().unwrap())) {
        if let Some((_, name)) = path.rsplit_once("::") {
            names.insert(name.to_owned(), path.clone());
        }
    }
    names
}

/// The paths of a `use` tree, `a::{b, c::d}`, one by one.
fn flatten(tree: &str) -> Vec<String> {
    let tree: String = tree.split_whitespace().collect();
    let Some((head, rest)) = tree.split_once('{') else { return vec![tree] };
    let rest = rest.strip_suffix('}').unwrap_or(rest);
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&rest[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&rest[start..]);
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts
        .flat_map(|part| flatten(part).into_iter().map(|p| format!("{head}{p}")).collect::<Vec<_>>())
        .collect()
}

/// The `crate::` and `super::` paths in the code of a file, each as `module/module/name`.
fn paths(file: &str, code: &str) -> Vec<String> {
    let module = file.trim_end_matches(".rs").trim_end_matches("/mod");
    let mut found = Vec::new();
    for word in ["crate::", "super::"] {
        for (at, _) in code.match_indices(word) {
            let before = &code[..at];
            // The rest of a path that began before is no path of its own.
            if before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == ':') {
                continue;
            }
            let (mut base, mut rest) = (String::new(), &code[at..]);
            if word == "super::" {
                base = module.to_owned();
                while let Some(after) = rest.strip_prefix("super::") {
                    base = base.rsplit_once('/').map_or(String::new(), |(outer, _)| outer.to_owned());
                    rest = after;
                }
            } else {
                rest = &rest[word.len()..];
            }
            let is_use = before.trim_end().ends_with("use");
            let end = match is_use {
                true => rest.find(';'),
                false => rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')),
            };
            for path in flatten(&rest[..end.unwrap_or(rest.len())]) {
                let path = path.replace("::", "/");
                found.push(if base.is_empty() { path } else { format!("{base}/{path}") });
            }
        }
    }
    found
}

/// The edges of the crate: layer, layer used, and a file that uses it.
fn edges() -> BTreeMap<(String, String), String> {
    let exported = exported();
    let mut edges = BTreeMap::new();
    for (file, code) in sources() {
        for path in paths(&file, &code) {
            let first = path.split('/').next().unwrap_or_default();
            let path = exported.get(first).map_or(path.clone(), |from| from.replace("::", "/"));
            let (from, to) = (layer(&file), layer(&path));
            // A macro is exported at the root wherever it stands.
            if from != to && first != "for_numbers" {
                edges
                    .entry((from, to))
                    .or_insert(format!("src/{file} uses crate::{}", path.replace('/', "::")));
            }
        }
    }
    edges
}

/// The table of ARCHITECTURE.md: each layer and those that it may use.
fn allowed() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = text.split_once("| layer | may use |\n").expect("ARCHITECTURE.md has no table of edges");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let names = |cell: &str| -> BTreeSet<String> {
        cell.split('`').skip(1).step_by(2).map(|name| name.trim_end_matches('/').to_owned()).collect()
    };
    rows.map(|row| {
        let mut cells = row.trim_matches('|').split('|');
        let layer = names(cells.next().unwrap()).pop_first().unwrap();
        (layer, names(cells.next().unwrap()))
    })
    .collect()
}

#[test]
fn no_layer_uses_one_that_the_table_does_not_allow() {
    let allowed = allowed();
    let wrong: Vec<String> = edges()
        .into_iter()
        .filter(|((from, to), _)| !allowed.get(from).is_some_and(|list| list.contains(to)))
        .map(|((from, to), example)| format!("{from} -> {to}: {example}"))
        .collect();
    assert!(wrong.is_empty(), "edges that ARCHITECTURE.md does not allow:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_allows_nothing_that_nobody_needs() {
    let edges = edges();
    for (from, list) in allowed() {
        for to in list {
            assert!(edges.contains_key(&(from.clone(), to.clone())), "{from} does not use {to}");
        }
    }
}

#[test]
fn layers_stand_in_an_order_without_cycles() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (_, table) = text.split_once("| layer | may use |\n").unwrap();
    let mut below = BTreeSet::new();
    for row in table.lines().skip(1).take_while(|line| line.starts_with('|')) {
        let names: Vec<&str> = row.split('`').skip(1).step_by(2).map(|n| n.trim_end_matches('/')).collect();
        for used in &names[1..] {
            assert!(
                below.contains(used),
                "{} uses {used}, which does not stand above it in the table",
                names[0]
            );
        }
        below.insert(names[0]);
    }
    let folders: BTreeSet<String> = sources().keys().map(|file| layer(file)).collect();
    let below: BTreeSet<String> = below.into_iter().map(str::to_owned).collect();
    assert_eq!(folders, below);
}

/// The files, of those for which `is_free` is not true, that contain a word.
fn files_with(words: &[&str], is_free: impl Fn(&str) -> bool) -> Vec<String> {
    let with = |code: &str| words.iter().any(|word| code.contains(word));
    sources().into_iter().filter(|(file, code)| !is_free(file) && with(code)).map(|(file, _)| file).collect()
}

#[test]
fn nothing_but_io_and_the_writers_opens_files() {
    let words =
        ["File::open", "File::create", "OpenOptions::new()", "fs::read(", "read_to_string(", "libc::open"];
    // `LocalFile` is how io/ opens files; a `File` of a container is the structure in a source.
    let opens = |code: &str| {
        words.iter().any(|word| {
            code.match_indices(word).any(|(at, _)| {
                let before =
                    code[..at].rsplit(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).next();
                matches!(before, Some("" | "fs::" | "std::fs::"))
            })
        })
    };
    let is_free = |file: &str| file.starts_with("io/") || file.starts_with("author/out/");
    let all = sources().into_iter().filter(|(file, code)| !is_free(file) && opens(code));
    assert_eq!(all.map(|(file, _)| file).collect::<Vec<_>>(), Vec::<String>::new());
    assert!(opens("fs::File::open(path)") && opens("let f = File::create(p)"));
    assert!(!opens("LocalFile::open(path)") && !opens("NewFile::create(file)"));
}

#[test]
fn directories_are_listed_by_io_alone() {
    // The standard library ends the program if a directory cannot be closed, except on Windows.
    let found = files_with(&["read_dir(", "remove_dir_all("], |file| file == "io/os/windows.rs");
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn reading_of_arrays_does_not_know_hdf5() {
    let found = files_with(&["hdf5"], |file| !file.starts_with("container/read/"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn attributes_of_aggregation_are_spelt_in_dialects_alone() {
    let words = [
        "\"aggregated_data\"",
        "\"aggregated_dimensions\"",
        "\"cfa_dimensions\"",
        "\"cfa_array\"",
        "\"cfa_role\"",
        "\"cf_role\"",
    ];
    let found = files_with(&words, |file| file.starts_with("dialect/"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn an_edge_that_is_added_is_seen() {
    let code = code("use crate::{io::os, read::{self, plan}};\n// crate::check\nlet x = crate::dataset::Dataset::open(p);");
    assert_eq!(paths("a/b.rs", &code), ["io/os", "read/self", "read/plan", "dataset/Dataset/open"]);
    let tests = "use crate::io;\n#[cfg(test)]\nmod tests {\n fn f() {}\n use crate::read;\n}\nuse crate::model;\n#[cfg(test)]\nuse crate::check;\nfn f() {}\n";
    assert_eq!(paths("a/b.rs", &self::code(tests)), ["io", "model"]);
    let up = "use super::{c, d};\nuse super::super::numbers;";
    assert_eq!(paths("read/fragment/raw.rs", up), ["read/fragment/c", "read/fragment/d", "read/numbers"]);
    assert_eq!(layer("read/fragment/raw.rs"), "read/fragment");
    assert_eq!(layer("read/plan.rs"), "read/plan");
    assert_eq!(layer("read/parts.rs"), "read");
    assert_eq!(layer("value.rs"), "value");
}

#[test]
fn files_that_the_documents_name_exist() {
    let mut documents: Vec<PathBuf> =
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(|d| root().join(d)).into();
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    documents.extend(docs.filter(|path| path.extension().is_some_and(|e| e == "md")));
    let mut names = 0;
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for word in text.split('`').skip(1).step_by(2) {
            let name = word.split(':').next().unwrap();
            let is_path = name.contains('/') && name.ends_with(".rs") && !name.contains(['*', '<', ' ']);
            if !is_path || name.contains(|c: char| c.is_ascii_uppercase()) {
                continue;
            }
            let places = ["src", "tests", ""].map(|folder| root().join(folder).join(name));
            assert!(places.iter().any(|path| path.exists()), "{}: there is no {name}", document.display());
            names += 1;
        }
    }
    assert!(names > 50, "{names} names");
}
