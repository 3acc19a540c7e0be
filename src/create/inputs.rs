//! The files that arguments name: files, directories, patterns, lists.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};

/// The files that the arguments name, in their order; what a pattern or directory gives is in natural order, so that
/// `r2` comes before `r10`. A file that is named twice counts once.
///
/// - `@list.txt` is a file with one name per line; relative names are relative to it.
/// - A directory stands for the files below it whose names end in `.nc`, `.nc4`, `.cdf` or `.nca`.
/// - `*`, `?` and `[...]` match within a name, `**` any directories; a name that exists is not a pattern.
///
/// # Errors
/// `Io` when something is not there or cannot be read, `Request` when nothing is left.
pub fn expand<S: AsRef<str>>(arguments: &[S]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for argument in arguments {
        one(argument.as_ref(), Path::new(""), true, &mut found)?;
    }
    let mut seen = HashSet::new();
    found.retain(|path| seen.insert(path.clone()));
    if found.is_empty() {
        return Err(Error::new(Kind::Request, "no input files"));
    }
    Ok(found)
}

fn one(argument: &str, base: &Path, lists: bool, found: &mut Vec<PathBuf>) -> Result<()> {
    let path = base.join(argument);
    let absent = |what: &str| Error::new(Kind::Io, what).in_file(path.display().to_string());
    let there = fs::metadata(&path).ok();
    if let (Some(list), true) = (argument.strip_prefix('@'), lists && there.is_none()) {
        let list = base.join(list);
        let io = |e| {
            Error::new(Kind::Io, "the list cannot be read").because(e).in_file(list.display().to_string())
        };
        let text = fs::read_to_string(&list).map_err(io)?;
        let folder = list.parent().unwrap_or(Path::new(""));
        for line in text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            one(line, folder, false, found)?;
        }
        return Ok(());
    }
    if there.as_ref().is_some_and(fs::Metadata::is_dir) {
        let mut inside = Vec::new();
        walk(&path, &mut inside)?;
        inside.sort_by_cached_key(|p| natural(&p.to_string_lossy()));
        if inside.is_empty() {
            return Err(absent("no netCDF files are in this directory"));
        }
        found.append(&mut inside);
    } else if there.is_some() {
        found.push(path);
    } else if !argument.contains(['*', '?', '[']) {
        return Err(absent("no such file"));
    } else {
        let mut matched = Vec::new();
        let parts: Vec<&str> = argument.split('/').filter(|p| !p.is_empty()).collect();
        let root = if argument.starts_with('/') { PathBuf::from("/") } else { base.to_owned() };
        matches_of(&root, &parts, &mut matched)?;
        matched.sort_by_cached_key(|p| natural(&p.to_string_lossy()));
        if matched.is_empty() {
            return Err(absent("no file matches"));
        }
        found.append(&mut matched);
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let io = |e| {
        Error::new(Kind::Io, "the directory cannot be read").because(e).in_file(shown.display().to_string())
    };
    let mut list = Vec::new();
    for entry in fs::read_dir(shown).map_err(io)? {
        list.push(folder.join(entry.map_err(io)?.file_name()));
    }
    Ok(list)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|n| n.to_string_lossy().starts_with('.'))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    // Links to directories are not followed: they may lead back.
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for path in entries(&folder)?.into_iter().filter(|p| !is_hidden(p)) {
            let kind = fs::symlink_metadata(&path).map(|m| m.file_type());
            let ending =
                path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
            if kind.is_ok_and(|k| k.is_dir()) {
                open.push(path);
            } else if matches!(&*ending, "nc" | "nc4" | "cdf" | "nca") {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn matches_of(root: &Path, parts: &[&str], found: &mut Vec<PathBuf>) -> Result<()> {
    let mut open = vec![(root.to_owned(), 0usize)];
    while let Some((folder, at)) = open.pop() {
        let Some(&part) = parts.get(at) else { continue };
        let last = at + 1 == parts.len();
        if !part.contains(['*', '?', '[']) {
            let path = folder.join(part);
            match (last, path.is_dir()) {
                (true, false) if path.exists() => found.push(path),
                (false, true) => open.push((path, at + 1)),
                _ => {}
            }
            continue;
        }
        if part == "**" {
            open.push((folder.clone(), at + 1));
        }
        for path in entries(&folder)?.into_iter().filter(|p| part.starts_with('.') || !is_hidden(p)) {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let folder =
                fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir()) || (part != "**" && path.is_dir());
            if part == "**" {
                if folder {
                    open.push((path, at));
                }
            } else if fits(&name, part) {
                match (last, folder) {
                    (true, false) => found.push(path),
                    (false, true) => open.push((path, at + 1)),
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

/// Whether a name fits a pattern of `*`, `?` and `[...]`.
fn fits(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut n, mut p) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
                continue;
            }
            Some('?') => Some(p + 1),
            Some('[') => class(&pattern[p..], name[n]).map(|length| p + length),
            Some(c) if *c == name[n] => Some(p + 1),
            _ => None,
        };
        match (step, star) {
            (Some(next), _) => (n, p) = (n + 1, next),
            // The last star takes one more.
            (None, Some((at, from))) => {
                (n, p) = (from + 1, at + 1);
                star = Some((at, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

/// The length of a `[...]` that has this character; `None` if it has not.
fn class(pattern: &[char], c: char) -> Option<usize> {
    let end = pattern.iter().skip(2).position(|p| *p == ']')? + 2;
    let negated = matches!(pattern[1], '!' | '^');
    let set = &pattern[1 + usize::from(negated)..end];
    let mut has = false;
    let mut i = 0;
    while i < set.len() {
        if i + 2 < set.len() && set[i + 1] == '-' {
            has |= (set[i]..=set[i + 2]).contains(&c);
            i += 3;
        } else {
            has |= set[i] == c;
            i += 1;
        }
    }
    (has != negated).then_some(end + 1)
}

/// A key by which `r2` comes before `r10`.
pub(super) fn natural(text: &str) -> Vec<(String, u128)> {
    let mut key = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let words = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(words);
        let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(digits);
        key.push((word.to_owned(), number.parse().unwrap_or(0)));
        rest = after;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_within_a_name() {
        for (name, pattern, expected) in [
            ("a.nc", "*.nc", true),
            ("a.nc4", "*.nc", false),
            ("tas_2001.nc", "tas_200[0-4].n?", true),
            ("tas_2005.nc", "tas_200[!0-4].nc", true),
            ("aXbXc", "a*b*c", true),
            ("abcb", "*b", true),
            ("", "*", true),
            ("a", "[", false),
        ] {
            assert_eq!(fits(name, pattern), expected, "{name} {pattern}");
        }
    }

    #[test]
    fn numbers_are_ordered_as_numbers() {
        let mut names = ["r10i1", "r2i1", "r2i10", "r1", "a"];
        names.sort_by_key(|n| natural(n));
        assert_eq!(names, ["a", "r1", "r2i1", "r2i10", "r10i1"]);
    }

    #[test]
    fn lists_directories_and_patterns_are_expanded() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        for name in ["f10.nc", "f2.nc", "note.txt", "sub/g.nc"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at("list.txt"), "# two\nf2.nc\n\nsub/*.nc\n").unwrap();
        let text = |name: &str| at(name).display().to_string();
        let names = |arguments: &[String]| expand(arguments);
        assert_eq!(names(&[format!("@{}", text("list.txt"))]).unwrap(), [at("f2.nc"), at("sub/g.nc")]);
        assert_eq!(names(&[text("*.nc")]).unwrap(), [at("f2.nc"), at("f10.nc")]);
        assert_eq!(names(&[text("**/*.nc")]).unwrap(), [at("f2.nc"), at("f10.nc"), at("sub/g.nc")]);
        assert_eq!(names(&[text("f10.nc"), text("")]).unwrap().len(), 3);
        assert_eq!(names(&[text("none.nc")]).unwrap_err().kind(), Kind::Io);
        assert_eq!(names(&[text("*.grib")]).unwrap_err().kind(), Kind::Io);
        assert_eq!(names(&[]).unwrap_err().kind(), Kind::Request);
    }
}
