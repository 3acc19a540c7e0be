//! The names of files that become fragments: paths, and addresses that may be written to a file.

use std::path::{Path, PathBuf};

use super::origin::Place;
use super::{places_named, uri};
use crate::error::{Error, Kind, Result};
use crate::io::os::is_virtual;

/// Returns whether a name that the user gave is the address of a file on a server.
pub(crate) fn is_address(name: &Path) -> bool {
    let Some(text) = name.to_str().filter(|text| text.contains(':') && !is_virtual(name)) else {
        return false;
    };
    matches!(uri::parse(text), Ok(uri::Reference::Network(_)))
}

/// Returns the name of an input file in the form in which names are compared: a `file:` URI as the path that it means,
/// an address normalised, and any other name as it is.
///
/// # Errors
/// `Uri` for a malformed address, and for one with a password or a query: it becomes the location of a fragment, and
/// files do not contain secrets. `Unsupported` if this build has no client for servers.
pub(crate) fn as_input(name: &Path) -> Result<PathBuf> {
    match places_named(name)?.into_iter().next() {
        Some(Place::Remote(url)) => {
            let refused = |what: &str| Err(Error::new(Kind::Uri, what).in_file(url.to_string()));
            if url.has_user() {
                return refused(
                    "it has a user name or password, which would be written to the aggregation file; name the file \
                     without them, and give them in the list of ALLOWED_SOURCES (https://user:password@host/)",
                );
            }
            if url.has_query() || name.to_str().is_some_and(|text| text.contains('?')) {
                return refused(
                    "it has a query (?...), which may contain a signature and is never written to a file; name the \
                     file without it (in the key of an s3 address, write %3F for a question mark)",
                );
            }
            Ok(url.to_location().into())
        }
        Some(Place::Local(path) | Place::Virtual(path)) => Ok(path),
        None => Ok(name.to_owned()),
    }
}

/// Returns all normalised addresses that an address may mean.
pub(crate) fn addresses(name: &Path) -> Vec<String> {
    places_named(name).unwrap_or_default().iter().filter_map(Place::address).collect()
}

#[cfg(all(test, feature = "remote"))]
mod tests {
    use super::*;

    #[test]
    fn names_take_the_form_in_which_they_are_compared() {
        for (name, form) in [
            ("a/b.nc", "a/b.nc"),
            ("run:1.nc", "run:1.nc"),
            ("HTTP://Host:80/a/../b%20c.nc#x", "http://host/b%20c.nc"),
            ("s3://bucket/a//b c.nc", "s3://bucket/a//b%20c.nc"),
            ("s3://bucket/q%3Fx", "s3://bucket/q%3Fx"),
        ] {
            let input = as_input(Path::new(name)).unwrap();
            assert_eq!(input.as_os_str(), form);
            assert_eq!(as_input(&input).unwrap().as_os_str(), form);
            assert_eq!(is_address(&input), form.contains("://"), "{name}");
        }
        if cfg!(unix) {
            assert_eq!(as_input(Path::new("file:///no/a%20b.nc")).unwrap(), Path::new("/no/a b.nc"));
        }
        assert_eq!(addresses(Path::new("s3://b/a%20b")), ["s3://b/a%20b", "s3://b/a%2520b"]);
    }

    #[test]
    fn addresses_with_secrets_are_refused_and_the_secrets_not_shown() {
        for name in [
            "https://me:secret@host/f.nc",
            "https://me@host/f.nc",
            "https://me:/secret@host/f.nc",
            "https://host/f.nc?sig=secret",
            "s3://bucket/f.nc?X-Amz-Signature=secret",
            "s3://key:secret@bucket/f.nc",
        ] {
            let error = as_input(Path::new(name)).unwrap_err();
            assert_eq!(error.kind(), Kind::Uri, "{name}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
