//! Checks that the crate has the layers of ARCHITECTURE.md: compares its table of edges with every `crate::` path.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Layers that are a folder within another one.
const INNER: [&str; 2] = ["read/fragment", "read/plan"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Finds the source files in a folder.
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

/// Every source file of the library, by its path below `src`, without comments and tests.
fn sources() -> &'static BTreeMap<String, String> {
    static SOURCES: LazyLock<BTreeMap<String, String>> = LazyLock::new(read_sources);
    &SOURCES
}

fn read_sources() -> BTreeMap<String, String> {
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

/// A file without its comments and without what only tests have; brackets within literals are replaced by blanks.
fn code(text: &str) -> String {
    let text = without_comments(text);
    let mut parts = text.split("#[cfg(test)]\n");
    let mut code = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // An item ends with its braces or with a semicolon, a field with a comma or where its structure ends.
        let (mut depth, mut end) = (0, part.len());
        for (at, c) in part.char_indices() {
            depth += i32::from("{([".contains(c)) - i32::from("})]".contains(c));
            if depth < 0 || (depth == 0 && "};,".contains(c)) {
                end = at + usize::from(depth == 0);
                break;
            }
        }
        code.push_str(&part[end..]);
    }
    // Other spellings of the same paths.
    code.replace("$crate::", "crate::")
        .replace("self::super::", "super::")
        .replace("crate as ", "crate::* as ")
        .replace("super as ", "super::* as ")
}

/// A text without comments, the brackets, commas and semicolons within its literals replaced by blanks.
fn without_comments(text: &str) -> String {
    let (mut rest, mut code) = (text, String::new());
    while let Some(c) = rest.chars().next() {
        let is_word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = rest.strip_prefix('r').map(|r| r.len() - r.trim_start_matches('#').len());
        let hashes = hashes.filter(|n| rest[1 + n..].starts_with('"') && (!is_word || code.ends_with('b')));
        let (taken, is_literal) = if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        } else if rest.starts_with("/*") {
            rest = &rest[rest.find("*/").map_or(rest.len(), |at| at + 2)..];
            continue;
        } else if let Some(n) = hashes {
            let close = format!("\"{}", "#".repeat(n));
            let from = n + 2;
            (rest[from..].find(&close).map_or(rest.len(), |at| from + at + close.len()), true)
        } else if c == '"' {
            (1 + after_quote(&rest[1..], '"'), true)
        } else if c == '\'' && (rest[1..].starts_with('\\') || rest[1..].chars().nth(1) == Some('\'')) {
            (1 + after_quote(&rest[1..], '\''), true)
        } else {
            (c.len_utf8(), false)
        };
        let blank = |c: char| if "{}()[];,".contains(c) { ' ' } else { c };
        match is_literal {
            true => code.extend(rest[..taken].chars().map(blank)),
            false => code.push_str(&rest[..taken]),
        }
        rest = &rest[taken..];
    }
    code
}

/// The number of bytes up to the quotation mark that ends a literal, and with it.
fn after_quote(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
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

/// What the root of the crate has under another path: the name and where it is from.
fn exported(sources: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let mut names = BTreeMap::new();
    for path in lib.split("pub use ").skip(1).flat_map(|rest| flatten(rest.split(';').next().unwrap())) {
        if let Some((_, name)) = path.rsplit_once("::") {
            names.insert(name.to_owned(), path.clone());
        }
    }
    // An exported macro is at the root wherever it stands.
    for (file, code) in sources {
        for rest in code.split("#[macro_export]").skip(1) {
            let rest = rest.split_once("macro_rules! ").unwrap().1;
            let name = rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap();
            names.insert(name.to_owned(), format!("{}::{name}", layer(file)));
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

/// The paths in the code of a file that begin with a word such as `crate::`, one by one, without that word; and
/// whether each is exported by `pub use`.
fn paths_from<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = (String, bool)> + 'a {
    code.match_indices(word).flat_map(move |(at, _)| {
        let (before, rest) = (&code[..at], &code[at + word.len()..]);
        // The rest of a path that began before is no path of its own.
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':') {
            return Vec::new();
        }
        let statement = before.rsplit([';', '{', '}', ']']).next().unwrap_or_default().trim();
        let is_use = statement == "use" || statement.ends_with(" use");
        let end = match is_use {
            true => rest.find(';'),
            false => rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '*')),
        };
        let is_exported = is_use && statement.starts_with("pub");
        let tree = flatten(&rest[..end.unwrap_or(rest.len())]);
        tree.into_iter().map(|path| (path.replace("::", "/"), is_exported)).collect()
    })
}

/// The `crate::` and `super::` paths in the code of a file, each as `module/module/name`, and whether it is exported.
fn paths(file: &str, code: &str) -> Vec<(String, bool)> {
    let mut found: Vec<_> = paths_from(code, "crate::").collect();
    for (path, is_exported) in paths_from(code, "super::") {
        let mut base = file.trim_end_matches(".rs").trim_end_matches("/mod");
        let mut rest = &*path;
        base = base.rsplit_once('/').map_or("", |(outer, _)| outer);
        while let Some(after) = rest.strip_prefix("super/") {
            base = base.rsplit_once('/').map_or("", |(outer, _)| outer);
            rest = after;
        }
        found.push((if base.is_empty() { rest.to_owned() } else { format!("{base}/{rest}") }, is_exported));
    }
    found
}

/// An edge of the crate: layer, layer used.
type Edge = (String, String);

/// The edges of the crate with a file that has each, and the places that export what is another layer's.
fn edges() -> (BTreeMap<Edge, String>, Vec<String>) {
    let sources = sources();
    let exported = exported(sources);
    let (mut edges, mut handed_on) = (BTreeMap::new(), Vec::new());
    for (file, code) in sources {
        for (path, is_exported) in paths(file, code) {
            let first = path.split('/').next().unwrap_or_default();
            let path = exported.get(first).map_or(path.clone(), |from| from.replace("::", "/"));
            let (from, to) = (layer(file), layer(&path));
            if from == to {
                continue;
            }
            let example = format!("src/{file} uses crate::{}", path.replace('/', "::"));
            // A folder may show what its inner layers have.
            if is_exported && !to.starts_with(&format!("{from}/")) {
                handed_on.push(example.clone());
            }
            edges.entry((from, to)).or_insert(example);
        }
    }
    (edges, handed_on)
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
        .0
        .into_iter()
        .filter(|((from, to), _)| !allowed.get(from).is_some_and(|list| list.contains(to)))
        .map(|((from, to), example)| format!("{from} -> {to}: {example}"))
        .collect();
    assert!(wrong.is_empty(), "edges that ARCHITECTURE.md does not allow:\n{}", wrong.join("\n"));
}

#[test]
fn the_table_allows_nothing_that_nobody_needs() {
    let (edges, _) = edges();
    for (from, list) in allowed() {
        for to in list {
            assert!(edges.contains_key(&(from.clone(), to.clone())), "{from} does not use {to}");
        }
    }
}

#[test]
fn no_layer_exports_what_belongs_to_another() {
    // Who takes it from there would use the other layer without an edge.
    assert_eq!(edges().1, Vec::<String>::new());
}

#[test]
fn no_file_is_compiled_in_another_layer() {
    let found = files_with(&["include!(", "extern crate"], |_| false);
    assert_eq!(found, Vec::<String>::new());
    for (file, code) in sources() {
        for path in code.split("#[path = \"").skip(1) {
            let name = path.split('"').next().unwrap();
            assert!(!name.contains(['/', '\\']), "src/{file}: {name}");
        }
    }
}

#[test]
fn programs_and_bindings_use_no_internals() {
    for folder in ["src/bin", "python/src", "gdal/src", "examples"] {
        let mut found = Vec::new();
        walk(&root().join(folder), &mut found);
        for path in found {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("internals"), "{}", path.display());
            assert!(folder == "gdal/src" || !text.contains("cfa::plugin"), "{}", path.display());
        }
    }
}

#[test]
fn the_engine_does_not_call_gdal() {
    // With a feature for it, the engine would be compiled once more for the plugin.
    assert_eq!(files_with(&["gdal_sys", "feature = \"gdal"], |_| false), Vec::<String>::new());
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(!manifest.contains("gdal-sys"));
    let plugin = fs::read_to_string(root().join("gdal/Cargo.toml")).unwrap();
    assert!(
        plugin.contains("cfa = { path = \"..\" }\n"),
        "the plugin has the features of the other products"
    );
}

#[test]
fn the_steps_that_are_arithmetic_do_no_io() {
    let allowed = allowed();
    for layer in ["dialect", "model", "read/plan", "canonical"] {
        assert!(!allowed[layer].contains("io"), "{layer}");
    }
}

#[test]
fn nothing_is_memory_mapped() {
    assert_eq!(files_with(&["mmap", "memmap", "Mmap"], |_| false), Vec::<String>::new());
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
    sources()
        .iter()
        .filter(|(file, code)| !is_free(file) && with(code))
        .map(|(file, _)| file.clone())
        .collect()
}

/// What code takes of `std::fs` that is not only looking: opening, writing, renaming, removing.
fn opens(code: &str) -> Vec<String> {
    let looks = [
        "File",
        "FileType",
        "Metadata",
        "Metadata/is_dir",
        "canonicalize",
        "metadata",
        "self",
        "symlink_metadata",
    ];
    let of_std = paths_from(code, "std::").filter_map(|(path, _)| Some(path.strip_prefix("fs/")?.to_owned()));
    let of_fs = paths_from(code, "fs::").map(|(path, _)| path).filter(|path| !path.is_empty());
    // A type of this name that is not the standard library's has its module before it.
    let of_type = ["File::", "OpenOptions::"].into_iter().flat_map(|word| {
        let calls = ["open", "create", "create_new", "options", "new"];
        let used = paths_from(code, word).filter(move |(path, _)| calls.contains(&path.as_str()));
        used.map(move |(path, _)| format!("{word}{path}"))
    });
    let mut found: Vec<String> = of_std.chain(of_fs).filter(|path| !looks.contains(&path.as_str())).collect();
    found.extend(of_type);
    found.extend(paths_from(code, "libc::").map(|(path, _)| path).filter(|path| path.contains("open")));
    found
}

#[test]
fn nothing_but_io_and_the_writers_opens_files() {
    let is_free = |file: &str| file.starts_with("io/") || file.starts_with("author/out/");
    for (file, code) in sources().iter().filter(|(file, _)| !is_free(file)) {
        assert_eq!(opens(code), Vec::<String>::new(), "src/{file}");
    }
    let all = [
        "fs::File::open(path)",
        "let f = File::create(p)",
        "use std::fs::read;",
        "use std::fs::File as F;",
        "use std::{fs::{self as f}, io};",
        "std::fs::write(p, b)",
        "let f = File::options()",
        "OpenOptions::new()",
        "libc::openat(d, p)",
    ];
    for code in all {
        assert_ne!(opens(code), Vec::<String>::new(), "{code}");
    }
    let none =
        ["LocalFile::open(path)", "NewFile::create(file)", "use std::{fs::{self, File}};", "fs::metadata(p)"];
    for code in none {
        assert_eq!(opens(code), Vec::<String>::new(), "{code}");
    }
}

#[test]
fn directories_are_listed_by_io_alone() {
    // The standard library ends the program if a directory cannot be closed, except on Windows.
    let found = files_with(&["read_dir(", "remove_dir_all("], |file| file == "io/os/windows.rs");
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn reading_of_arrays_does_not_know_hdf5() {
    let found = files_with(&["hdf5", "Hdf5", "HDF5"], |file| !file.starts_with("container/read/"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn attributes_of_aggregation_are_spelt_in_dialects_alone() {
    let words =
        ["aggregated_data", "aggregated_dimensions", "cfa_dimensions", "cfa_array", "cfa_role", "cf_role"];
    let found = files_with(&words, |file| file.starts_with("dialect/"));
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn an_edge_that_is_added_is_seen() {
    let names = |file: &str, text: &str| -> Vec<String> {
        paths(file, &code(text)).into_iter().map(|(path, _)| path).collect()
    };
    let uses = "use crate::{io::os, read::{self, plan}};\n// crate::check\nlet x = crate::dataset::Dataset::open(p);";
    assert_eq!(names("a/b.rs", uses), ["io/os", "read/self", "read/plan", "dataset/Dataset/open"]);
    let tests = "use crate::io;\n#[cfg(test)]\nmod tests {\n fn f() { '{' }\n use crate::read;\n}\nuse crate::model;\n#[cfg(test)]\nuse crate::check;\nfn f() {}\n";
    assert_eq!(names("a/b.rs", tests), ["io", "model"]);
    let field = "struct S {\n#[cfg(test)]\nf: u8\n}\nuse crate::io;";
    assert_eq!(names("a/b.rs", field), ["io"]);
    let up = "use super::{c, d};\nuse super::super::numbers;\nuse self::super::e;";
    assert_eq!(
        names("read/fragment/raw.rs", up),
        ["read/fragment/c", "read/fragment/d", "read/numbers", "read/fragment/e"]
    );
    let others = "macro_rules! m { () => { $crate::io::x() } }\nlet s = r#\"\"}// \"#; crate::model::f(); /* crate::check */\nuse crate as c;\nuse crate::*;";
    assert_eq!(names("a/b.rs", others), ["io/x", "model/f", "*asc", "*"]);
    let handed_on = "pub(crate) use crate::io::X;\nuse crate::model::{Y, Z};";
    let exported: Vec<bool> =
        paths("a/b.rs", handed_on).into_iter().map(|(_, is_exported)| is_exported).collect();
    assert_eq!(exported, [true, false, false]);
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
