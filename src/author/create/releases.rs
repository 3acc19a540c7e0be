//! Chooses among the releases of a file in folders of the Data Reference Syntax of CMIP (`.../v20190101/tas.nc`). Only
//! one of them is an input, since an older release is not an equal copy of a newer one.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::listing::listed;
use crate::author::option_name::OptionName;
use crate::error::{Error, Kind, Result};
use crate::io::location::is_address;
use crate::io::os::shown;

/// Returns whether this is the name of a folder for a release: `v` and a date.
fn is_release(name: &OsStr) -> bool {
    let date = name.to_str().and_then(|name| name.strip_prefix('v'));
    date.is_some_and(|date| date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()))
}

/// Returns the release of a file, and its path without it.
fn release(path: &Path) -> Option<(String, Vec<OsString>)> {
    if !path.iter().any(is_release) {
        return None;
    }
    let absolute: PathBuf;
    let path = match is_address(path) {
        true => path,
        false => {
            absolute = std::path::absolute(path).ok()?;
            &absolute
        }
    };
    // The names are compared as bytes, since two of them may look the same as text.
    let mut parts: Vec<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    let at = parts.iter().rev().skip(1).position(|part| is_release(part))?;
    let at = parts.len() - 2 - at;
    let release = std::mem::take(&mut parts[at]).into_string().ok()?;
    Some((release, parts))
}

/// Chooses one release of each file: the newest, or the newest that is not newer than `wanted`. Returns the files in
/// their order, and notes on those left out. `all` keeps all of them.
///
/// # Errors
/// `Request` if no file has the release that is wanted.
pub(super) fn choose<'a>(files: Vec<&'a Path>, wanted: Option<&str>) -> Result<(Vec<&'a Path>, Vec<String>)> {
    if wanted == Some("all") {
        return Ok((files, Vec::new()));
    }
    let found: Vec<Option<(String, Vec<OsString>)>> = files.iter().map(|file| release(file)).collect();
    if let Some(wanted) = wanted {
        let there: BTreeSet<&str> = found.iter().flatten().map(|(release, _)| release.as_str()).collect();
        if !there.contains(wanted) {
            let there: Vec<&str> = there.into_iter().collect();
            let message = match there.is_empty() {
                true => {
                    "the files are in no folders for releases (v and a date, such as v20190101)".to_owned()
                }
                false => format!("no file is of {wanted}; there are {}, or all", there.join(", ")),
            };
            return Err(Error::new(Kind::Request, format!("{}: {message}", OptionName::Release)));
        }
    }
    let mut newest: HashMap<&[OsString], &str> = HashMap::new();
    for (release, key) in found.iter().flatten() {
        if wanted.is_none_or(|wanted| release.as_str() <= wanted) {
            let best = newest.entry(key).or_insert(release);
            *best = (*best).max(release);
        }
    }
    let (mut kept, mut left_out) = (Vec::with_capacity(files.len()), Vec::new());
    let mut joined: BTreeMap<Vec<OsString>, BTreeSet<&str>> = BTreeMap::new();
    for (file, found) in files.iter().zip(&found) {
        match found {
            Some((release, key)) if newest.get(key.as_slice()) != Some(&release.as_str()) => {
                left_out.push(*file)
            }
            Some((release, key)) => {
                joined.entry(key[..key.len() - 1].to_vec()).or_default().insert(release);
                kept.push(*file);
            }
            None => kept.push(*file),
        }
    }
    if kept.is_empty() {
        return Err(Error::new(Kind::Request, "no input files"));
    }
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        let what = match (wanted, left_out.len()) {
            (None, 1) => "another release of a file is left out, because it is older".to_owned(),
            (None, n) => format!("{n} files are left out, because there are newer releases of them"),
            (Some(wanted), 1) => format!("a file is left out, because it is not the release of {wanted}"),
            (Some(wanted), n) => {
                format!("{n} files are left out, because they are not the releases of {wanted}")
            }
        };
        let count = left_out.len() as u128;
        notes.push(format!(
            "{what} ({} all keeps them): {}",
            OptionName::Release,
            listed(left_out.iter().copied().map(shown), count)
        ));
    }
    for releases in joined.into_values().filter(|releases| releases.len() > 1) {
        let note = format!("files of different releases are joined: {}", Vec::from_iter(releases).join(", "));
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    Ok((kept, notes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen<'a>(files: &'a [&'a str], wanted: Option<&str>) -> (Vec<&'a str>, Vec<String>) {
        let (kept, notes) = choose(files.iter().map(Path::new).collect(), wanted).unwrap();
        (kept.iter().map(|file| file.to_str().unwrap()).collect(), notes)
    }

    const FILES: [&str; 4] =
        ["d/v20190101/a.nc", "d/v20200101/a.nc", "d/v20190101/b.nc", "https://h/d/v20180101/a.nc"];

    #[test]
    fn the_newest_release_of_each_file_is_taken() {
        let (kept, notes) = chosen(&FILES, None);
        assert_eq!(kept, [FILES[1], FILES[2], FILES[3]]);
        assert!(
            notes[0].contains("d/v20190101/a.nc") && notes[1].contains("v20190101, v20200101"),
            "{notes:?}"
        );
        let (kept, notes) = chosen(&FILES, Some("v20190101"));
        assert_eq!(kept, [FILES[0], FILES[2], FILES[3]]);
        assert!(notes.len() == 1 && notes[0].contains("d/v20200101/a.nc"), "{notes:?}");
        assert_eq!(chosen(&FILES, Some("all")), (FILES.to_vec(), vec![]));
        let error = choose(vec![Path::new(FILES[0])], Some("v20180101")).unwrap_err();
        assert!(error.to_string().contains("there are v20190101"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn names_that_look_alike_are_two_files() {
        use std::os::unix::ffi::OsStrExt;
        let files =
            [&b"v20190101/\xe9.nc"[..], b"v20200101/\xe8.nc"].map(|name| Path::new(OsStr::from_bytes(name)));
        assert_eq!(choose(files.to_vec(), None).unwrap().0, files);
    }

    #[test]
    fn only_folders_named_by_a_date_are_releases() {
        for files in [["v1/a.nc", "v2/a.nc"], ["v2019/a.nc", "v2020/a.nc"], ["x/v20190101", "x/v20200101"]] {
            assert_eq!(chosen(&files, None), (files.to_vec(), vec![]));
        }
    }
}
