//! Turns a location into the places that it may mean, in the order in which they are tried.
//!
//! Relative locations are relative to the aggregation file, never to the working directory: first to the directory of
//! the given name, then, if that is a symbolic link or a redirection, to the directory of its target. A name is
//! percent-decoded (RFC 3986); since real files also have names that were never encoded, its literal form is tried
//! next. `..` is resolved by the file system; where symbolic links make that differ from RFC 3986 section 5.2.4, the
//! path resolved by text is tried next.

use std::path::{Component, Path, PathBuf};

use super::origin::{Base, Origin, Place};
use super::rewrite::{relocate, substitute};
use super::uri::{parse, percent_decode, Reference};
use super::virtual_files;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::io::os::path_from_bytes;
use crate::io::remote::Url;
use crate::options::{AllowedSources, OpenOptions};

/// Which names a dialect accepts as locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// CF: URI references; an absolute path must be written as a `file:` URI.
    Uri,
    /// The CFA texts: URI references and absolute paths.
    UriOrPath,
}

impl Style {
    /// Returns the style for a dialect in which names that begin with `/` are, or are not, file names.
    pub fn allowing_absolute_paths(allowed: bool) -> Self {
        if allowed {
            Style::UriOrPath
        } else {
            Style::Uri
        }
    }
}

/// The places that a location may mean, and the reasons why others are excluded.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// In the order in which they are tried; paths are absolute.
    pub places: Vec<Place>,
    /// Why the location, or one interpretation of it, has no place.
    pub reasons: Vec<String>,
}

/// Returns the places that a location may mean.
///
/// # Errors
/// `Uri` if it is malformed or the style does not allow it, `Unsupported` for what this build cannot reach.
pub fn candidates(origin: &Origin, name: &str, style: Style, options: &OpenOptions) -> Result<Candidates> {
    let name = substitute(name, &[&options.substitutions]);
    let moved = relocate(&name, &options.relocate)?;
    // A replacement that the user wrote in a setting need not follow the dialect.
    let trusted = moved.is_some();
    let style = if trusted { Style::UriOrPath } else { style };
    let name = moved.unwrap_or(name);
    let mut result = Candidates::default();
    let reference = parse(&name)?;
    if let Reference::Absolute(path) | Reference::Windows(path) | Reference::File(path) = reference {
        if cfg!(windows) && is_share(path) && !trusted && options.allowed_sources != AllowedSources::All {
            let message = format!("'{}' is on a network share; ALLOWED_SOURCES=ALL allows it", redact(path));
            return Err(Error::new(Kind::Policy, message));
        }
    }
    match reference {
        Reference::Relative(path) => result.relative(origin, path, true)?,
        Reference::File(path) => result.absolute(origin, path, options)?,
        Reference::Absolute(_) | Reference::Windows(_) if style == Style::Uri => {
            let message = format!("'{}' is a path without a scheme; CF requires file://{0}", redact(&name));
            return Err(Error::new(Kind::Uri, message));
        }
        Reference::Absolute(path) => result.absolute(origin, path, options)?,
        Reference::Windows(path) if cfg!(windows) => result.absolute(origin, path, options)?,
        Reference::Windows(path) => result.reasons.push(format!(
            "'{}' is a path of a Windows machine; set with RELOCATE where it is here",
            redact(path)
        )),
        Reference::OtherHost(_) => {
            result.reasons.push(format!("'{}' is on another host than this one", redact(&name)));
        }
        Reference::Network(_) => {
            Url::meant(&name)?.into_iter().for_each(|url| result.push_new(Place::Remote(url)));
        }
        Reference::Unknown { scheme, opaque } => {
            let shown = redact(&name);
            // The apparent scheme may be a user.
            let which = if shown.starts_with(scheme) { format!(" '{scheme}'") } else { String::new() };
            result.reasons.push(format!("'{shown}' has the unknown scheme{which}"));
            if opaque {
                result.relative(origin, &name, false)?;
            }
        }
    }
    Ok(result)
}

/// Returns whether Windows treats a path as a network share or a device. Accessing one sends the user's credentials
/// there.
fn is_share(path: &str) -> bool {
    matches!(path.as_bytes(), [b'/' | b'\\', b'/' | b'\\', ..])
}

impl Candidates {
    fn relative(&mut self, origin: &Origin, name: &str, backslashes: bool) -> Result<()> {
        let has_other = backslashes && cfg!(not(windows)) && name.contains('\\');
        let slashed = has_other.then(|| name.replace('\\', "/"));
        let slashed = slashed.as_deref();
        if let Base::Remote(bases) = &origin.base {
            for reference in [Some(name), slashed].into_iter().flatten() {
                for base in bases {
                    base.join(reference)?.into_iter().for_each(|url| self.push_new(Place::Remote(url)));
                }
            }
            return Ok(());
        }
        for form in forms(name)?.into_iter().chain(slashed.map(PathBuf::from)) {
            match &origin.base {
                Base::Local(directories) => {
                    directories.iter().for_each(|directory| self.push_local(directory.join(&form)));
                }
                Base::Virtual(directory) => self.push_new(Place::Virtual(join_by_text(directory, &form))),
                Base::Remote(_) => {}
            }
        }
        Ok(())
    }

    fn absolute(&mut self, origin: &Origin, name: &str, options: &OpenOptions) -> Result<()> {
        for form in forms(name)? {
            match virtual_files::is_meant(origin, &form, options) {
                true => self.push_new(Place::Virtual(form)),
                false => self.push_local(form),
            }
        }
        Ok(())
    }

    fn push_local(&mut self, path: PathBuf) {
        let by_text = has_dots(&path).then(|| remove_dots(&path));
        self.push_new(Place::Local(path));
        by_text.into_iter().for_each(|path| self.push_new(Place::Local(path)));
    }

    fn push_new(&mut self, place: Place) {
        // Path equality ignores `.` segments, as intended.
        if !self.places.contains(&place) {
            self.places.push(place);
        }
    }
}

/// Joins names in which two slashes in a row are significant, as in `/vsizip//data/a.zip` and `/vsicurl/https://host`.
fn join_by_text(directory: &Path, name: &Path) -> PathBuf {
    let directory = directory.to_string_lossy();
    let mut segments: Vec<&str> = directory.split('/').collect();
    let name = name.to_string_lossy();
    for segment in name.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    PathBuf::from(segments.join("/"))
}

/// Returns the name decoded, then as it is written.
fn forms(name: &str) -> Result<Vec<PathBuf>> {
    if !name.contains('%') {
        return Ok(vec![PathBuf::from(name)]);
    }
    let mut forms = Vec::with_capacity(2);
    if let Some(path) = percent_decode(name)?.and_then(path_from_bytes) {
        forms.push(path);
    }
    let literal = PathBuf::from(name);
    if !forms.contains(&literal) {
        forms.push(literal);
    }
    Ok(forms)
}

/// Returns whether a path may have segments that [`remove_dots`] changes.
fn has_dots(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().windows(2).any(|pair| matches!(pair, [b'/' | b'\\', b'.']))
}

/// Removes `.` and `..` from an absolute path by text (RFC 3986 section 5.2.4).
pub(crate) fn remove_dots(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::io::remote::S3Settings;

    fn origin(directories: &[&str]) -> Origin {
        let base = Base::Local(directories.iter().map(PathBuf::from).collect());
        Origin { home: base.clone(), base, s3: S3Settings::default() }
    }

    fn paths(name: &str, style: Style) -> Vec<String> {
        let found = candidates(&origin(&["/data/run"]), name, style, &OpenOptions::default()).unwrap();
        let path = |place: &Place| match place {
            Place::Local(path) => path.display().to_string(),
            other => panic!("{other}"),
        };
        found.places.iter().map(path).collect()
    }

    fn kind(name: &str, style: Style) -> Kind {
        candidates(&origin(&["/data"]), name, style, &OpenOptions::default()).unwrap_err().kind()
    }

    #[test]
    fn relative_names_are_relative_to_the_aggregation_and_then_to_its_target() {
        let origin = origin(&["/links", "/data"]);
        let found = candidates(&origin, "sub/f.nc", Style::Uri, &OpenOptions::default()).unwrap();
        let local = |path: &str| Place::Local(path.into());
        assert_eq!(found.places, [local("/links/sub/f.nc"), local("/data/sub/f.nc")]);
    }

    #[test]
    fn parent_segments_are_left_to_the_file_system_and_then_removed_by_text() {
        assert_eq!(paths("../f.nc", Style::Uri), ["/data/run/../f.nc", "/data/f.nc"]);
        assert_eq!(paths("./f.nc", Style::Uri), ["/data/run/./f.nc"]);
        assert_eq!(paths("../../../../f.nc", Style::Uri)[1], "/f.nc");
    }

    #[test]
    fn names_are_decoded_and_then_taken_literally() {
        assert_eq!(paths("a%20b.nc", Style::Uri), ["/data/run/a b.nc", "/data/run/a%20b.nc"]);
        assert_eq!(paths("two words.nc", Style::Uri), ["/data/run/two words.nc"]);
        assert_eq!(paths("50%.nc", Style::Uri), ["/data/run/50%.nc"]);
        assert_eq!(paths("%2Fetc%2Fpasswd", Style::Uri), ["/data/run/%2Fetc%2Fpasswd"]);
        assert_eq!(paths("h#sh?.nc", Style::Uri), ["/data/run/h#sh?.nc"]);
        assert_eq!(paths("file:///a%20b.nc", Style::Uri), ["/a b.nc", "/a%20b.nc"]);
    }

    #[test]
    fn absolute_paths_are_names_in_cfa_and_not_in_cf() {
        assert_eq!(paths("/a/f.nc", Style::UriOrPath), ["/a/f.nc"]);
        assert_eq!(kind("/a/f.nc", Style::Uri), Kind::Uri);
        assert_eq!(kind("C:\\f.nc", Style::Uri), Kind::Uri);
        assert_eq!(paths("file:///a/f.nc", Style::Uri), ["/a/f.nc"]);
        assert_eq!(paths("file://localhost/a/f.nc", Style::Uri), ["/a/f.nc"]);
    }

    #[test]
    fn backslashes_of_relative_names_may_separate_directories() {
        assert_eq!(paths("sub\\f.nc", Style::Uri), ["/data/run/sub\\f.nc", "/data/run/sub/f.nc"]);
        let found =
            candidates(&origin(&["/"]), "D:\\f.nc", Style::UriOrPath, &OpenOptions::default()).unwrap();
        assert!(found.places.is_empty() && found.reasons[0].contains("RELOCATE"));
    }

    #[test]
    fn unknown_schemes_and_other_hosts_are_absent_with_a_reason() {
        for (name, word) in
            [("urn_x://1", "unknown scheme"), ("file://data1/f.nc", "'file://data1/f.nc' is on another host")]
        {
            let found = candidates(&origin(&["/"]), name, Style::Uri, &OpenOptions::default()).unwrap();
            assert!(found.places.is_empty() && found.reasons[0].contains(word), "{found:?}");
        }
        assert_eq!(paths("run:1.nc", Style::Uri), ["/data/run/run:1.nc"]);
    }

    #[test]
    fn two_separators_begin_a_network_share() {
        for path in ["//h/s", "\\\\h\\s", "/\\h", "\\/h", "\\\\?\\C:\\f"] {
            assert!(is_share(path), "{path}");
        }
        assert!(!is_share("/h/s") && !is_share("C:\\f") && !is_share("/"));
    }

    #[test]
    fn the_environment_is_never_expanded() {
        for name in ["$HOME/f.nc", "${HOME}/f.nc", "~/f.nc", "%HOME%/f.nc", "*.nc"] {
            assert_eq!(paths(name, Style::Uri), [format!("/data/run/{name}")]);
        }
    }

    #[test]
    fn settings_substitute_and_relocate_whatever_the_style() {
        let mut options = OpenOptions::default();
        options.set("SUBSTITUTIONS", "base=/old/").unwrap();
        options.set("RELOCATE", "/old=/new").unwrap();
        let found = candidates(&origin(&["/"]), "${base}f.nc", Style::Uri, &options).unwrap();
        assert_eq!(found.places, [Place::Local("/new/f.nc".into())]);
    }
}
