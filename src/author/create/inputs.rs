//! The files that arguments name: files, addresses, directories, patterns, lists.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::pattern::{fits, is_pattern, natural};
use crate::error::{Error, Kind, Result};
use crate::io::location::{as_input, is_address};
use crate::io::os::{self, path_from_bytes, read_given, shown, EntryKind};

/// The files to aggregate, and the origin of each: paths and addresses are files that were named; [`expand`] also finds
/// files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    paths: Vec<PathBuf>,
    /// For each path, whether it was named. Otherwise a directory or pattern found it.
    named: Vec<bool>,
    /// The lists that named some of them.
    lists: Vec<PathBuf>,
}

impl Inputs {
    /// Returns the files, in their order. An address is a path of the same text.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Returns the files, each with whether it was named.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Path, bool)> {
        self.paths.iter().map(PathBuf::as_path).zip(self.named.iter().copied())
    }

    /// Returns the lists that were read.
    pub(super) fn lists(&self) -> &[PathBuf] {
        &self.lists
    }

    /// Returns the same files, each under one form of its name: `file:` URIs become paths, and addresses are normalised.
    ///
    /// # Errors
    /// `Uri` for a malformed address and for one with secrets.
    pub(super) fn in_one_form(mut self) -> Result<Inputs> {
        for path in &mut self.paths {
            *path = as_input(path)?;
        }
        Ok(self)
    }

    fn add(&mut self, paths: impl IntoIterator<Item = PathBuf>, named: bool) {
        self.paths.extend(paths);
        self.named.resize(self.paths.len(), named);
    }

    /// Removes repetitions. A file that was both found and named counts as named.
    fn without_repetitions(self) -> Inputs {
        let mut place: HashMap<Name, usize> = HashMap::new();
        let mut once = Inputs { lists: self.lists, ..Inputs::default() };
        for (path, named) in self.paths.into_iter().zip(self.named) {
            let at = *place.entry(Name::of(&path)).or_insert(once.paths.len());
            if at == once.paths.len() {
                once.add([path], named);
            } else {
                once.named[at] |= named;
            }
        }
        once.paths.shrink_to_fit();
        once.named.shrink_to_fit();
        once
    }
}

/// A name as it is compared with others: `a//b` and `a/b` are one path, but two addresses.
#[derive(PartialEq, Eq, Hash)]
enum Name {
    Path(PathBuf),
    Address(OsString),
}

impl Name {
    fn of(path: &Path) -> Name {
        match is_address(path) {
            true => Name::Address(path.as_os_str().to_owned()),
            false => Name::Path(path.to_owned()),
        }
    }
}

impl From<&[PathBuf]> for Inputs {
    fn from(paths: &[PathBuf]) -> Self {
        Inputs { paths: paths.to_vec(), named: vec![true; paths.len()], lists: Vec::new() }
    }
}

impl From<&Vec<PathBuf>> for Inputs {
    fn from(paths: &Vec<PathBuf>) -> Self {
        Inputs::from(paths.as_slice())
    }
}

impl<const N: usize> From<&[PathBuf; N]> for Inputs {
    fn from(paths: &[PathBuf; N]) -> Self {
        Inputs::from(paths.as_slice())
    }
}

impl From<&Inputs> for Inputs {
    fn from(inputs: &Inputs) -> Self {
        inputs.clone()
    }
}

/// Returns the files that the arguments name, in their order. The files of a pattern or directory are in natural order,
/// so that `r2` comes before `r10`. A file that is named twice counts once.
///
/// - An http, https or s3 address is a file on a server. It is not looked for here, and is never a pattern.
/// - `@list.txt` is a file with one name or address per line; relative names are relative to it.
/// - A directory means the files below it whose names end in `.nc`, `.nc4`, `.cdf` or `.nca`.
/// - `*`, `?` and `[...]` match within a name, `**` any directories; a name that exists is not a pattern.
///
/// # Errors
/// `Io` if something does not exist or cannot be read, `Uri` for an address that is malformed or has secrets, `Request`
/// if nothing is left.
pub fn expand<S: AsRef<OsStr>>(arguments: &[S]) -> Result<Inputs> {
    let mut found = Inputs::default();
    for argument in arguments {
        one(argument.as_ref(), Path::new(""), true, &mut found)?;
    }
    if found.paths.is_empty() {
        return Err(Error::new(Kind::Request, "no input files"));
    }
    Ok(found.without_repetitions())
}

fn one(argument: &OsStr, base: &Path, lists: bool, found: &mut Inputs) -> Result<()> {
    let name = as_input(Path::new(argument))?;
    if is_address(&name) {
        found.add([name], true);
        return Ok(());
    }
    let path = base.join(&name);
    let absent = |what: &str| Error::new(Kind::Io, what).in_file(shown(&path)).of_absence();
    let there = fs::metadata(&path).ok();
    if let (Some(list), true) = (listed(argument), lists && there.is_none()) {
        return all_of(&base.join(list), found);
    }
    if there.as_ref().is_some_and(fs::Metadata::is_dir) {
        let mut inside = Vec::new();
        walk(&path, &mut inside)?;
        inside.sort_by_cached_key(|p| natural(p.as_os_str()));
        if inside.is_empty() {
            return Err(absent("this directory has no netCDF files"));
        }
        found.add(inside, false);
    } else if there.is_some() {
        found.add([path], true);
    } else if !is_pattern(argument) {
        return Err(absent("no such file"));
    } else {
        let mut matched = Vec::new();
        let (mut root, mut parts) = (base.to_owned(), Vec::new());
        for component in Path::new(argument).components() {
            match component {
                Component::Prefix(_) | Component::RootDir => root.push(component),
                other => parts.push(other.as_os_str()),
            }
        }
        matches_of(&root, &parts, &mut matched)?;
        matched.sort_by_cached_key(|p| natural(p.as_os_str()));
        if matched.is_empty() {
            return Err(absent("no file matches"));
        }
        found.add(matched, false);
    }
    Ok(())
}

/// Returns the name of the list in `@list`.
fn listed(argument: &OsStr) -> Option<PathBuf> {
    argument.as_encoded_bytes().strip_prefix(b"@").and_then(|name| path_from_bytes(name.to_vec()))
}

/// Adds the files that a list names.
fn all_of(list: &Path, found: &mut Inputs) -> Result<()> {
    let wrong = |what: &str| Error::new(Kind::Io, what).in_file(shown(list));
    let bytes = read_given(list).map_err(|e| wrong("the list cannot be read").because(e))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    found.lists.push(list.to_owned());
    for line in bytes.split(|&b| b == b'\n').map(<[u8]>::trim_ascii) {
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let name = path_from_bytes(line.to_vec()).ok_or_else(|| wrong("a name in it is not UTF-8"))?;
        one(name.as_os_str(), folder, false, found)?;
    }
    Ok(())
}

fn entries(folder: &Path) -> Result<Vec<(PathBuf, Option<EntryKind>)>> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let io = |e| Error::new(Kind::Io, "the directory cannot be read").because(e).in_file(shown(place));
    let mut list = Vec::new();
    for entry in os::entries(place).map_err(io)? {
        let entry = entry.map_err(io)?;
        list.push((folder.join(entry.name()), entry.kind().ok()));
    }
    Ok(list)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|n| n.as_encoded_bytes().starts_with(b"."))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    // Links to directories are not followed: they may lead back.
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for (path, kind) in entries(&folder)?.into_iter().filter(|(p, _)| !is_hidden(p)) {
            let ending = path.extension().map(OsStr::to_ascii_lowercase).unwrap_or_default();
            if kind == Some(EntryKind::Directory) {
                open.push(path);
            } else if ["nc", "nc4", "cdf", "nca"].iter().any(|known| ending == *known) {
                found.push(path);
            }
        }
    }
    Ok(())
}

fn matches_of(root: &Path, parts: &[&OsStr], found: &mut Vec<PathBuf>) -> Result<()> {
    let mut open = vec![(root.to_owned(), 0usize)];
    while let Some((folder, at)) = open.pop() {
        let Some(&part) = parts.get(at) else { continue };
        let last = at + 1 == parts.len();
        if !is_pattern(part) {
            let path = folder.join(part);
            match (last, path.is_dir()) {
                (true, false) if path.exists() => found.push(path),
                (false, true) => open.push((path, at + 1)),
                _ => {}
            }
            continue;
        }
        let any_depth = part == "**";
        if any_depth {
            open.push((folder.clone(), at + 1));
        }
        let hidden_too = part.as_encoded_bytes().starts_with(b".");
        for (path, kind) in entries(&folder)?.into_iter().filter(|(p, _)| hidden_too || !is_hidden(p)) {
            let folder = match kind {
                Some(EntryKind::Directory) => true,
                Some(EntryKind::File) => false,
                _ => !any_depth && path.is_dir(),
            };
            if any_depth {
                if folder {
                    open.push((path, at));
                }
            } else if path.file_name().is_some_and(|name| fits(name, part)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_directories_and_patterns_are_expanded() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        for name in ["f10.nc", "f2.nc", "note.txt", "sub/g.nc"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at("list.txt"), "# two\nf2.nc\r\n\nsub/*.nc\n").unwrap();
        let text = |name: &str| at(name).display().to_string();
        let names = |arguments: &[String]| expand(arguments).map(|inputs| inputs.paths().to_vec());
        assert_eq!(names(&[format!("@{}", text("list.txt"))]).unwrap(), [at("f2.nc"), at("sub/g.nc")]);
        assert_eq!(names(&[text("*.nc")]).unwrap(), [at("f2.nc"), at("f10.nc")]);
        assert_eq!(names(&[text("**/*.nc")]).unwrap(), [at("f2.nc"), at("f10.nc"), at("sub/g.nc")]);
        assert_eq!(names(&[text("f10.nc"), text("")]).unwrap().len(), 3);
        assert_eq!(names(&[text("none.nc")]).unwrap_err().kind(), Kind::Io);
        assert_eq!(names(&[text("*.grib")]).unwrap_err().kind(), Kind::Io);
        assert_eq!(names(&[]).unwrap_err().kind(), Kind::Request);
    }

    #[test]
    fn what_is_named_once_is_named_however_often_it_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a.nc", "b.nc", "c.nc"] {
            fs::write(at(name), "").unwrap();
        }
        fs::write(at("list.txt"), "c.nc\na*.nc\n").unwrap();
        let list = PathBuf::from(format!("@{}", at("list.txt").display()));
        let inputs = expand(&[folder.path().to_owned(), at("b.nc"), list]).unwrap();
        let named: Vec<(PathBuf, bool)> = inputs.iter().map(|(p, n)| (p.to_owned(), n)).collect();
        assert_eq!(named, [(at("a.nc"), false), (at("b.nc"), true), (at("c.nc"), true)]);
        assert_eq!(inputs.lists(), [at("list.txt")]);
    }
}
