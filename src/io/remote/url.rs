//! Parses, normalises, joins and compares addresses.

use std::fmt;

use base64::prelude::{Engine, BASE64_STANDARD};
use percent_encoding::percent_decode_str;

use crate::error::secrets::has_user;
use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};

/// An http, https or s3 address, normalised (WHATWG URL): case of scheme and host, default port, `.` and `..`, also
/// where they are percent-encoded. In an s3 address the host is the bucket, and `?` and `#` are part of the key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Url(url::Url, Doubt);

/// Whether the text of an address may have contained a password that became part of its path:
/// `http://me:/password@host`.
type Doubt = bool;

/// Scheme, host and port of a server, or scheme and name of a bucket.
pub(super) type Origin = (String, Option<String>, Option<u16>);

impl Url {
    /// Parses an absolute address.
    ///
    /// # Errors
    /// `Uri` if it is malformed, `Unsupported` for another scheme.
    pub(crate) fn parse(name: &str) -> Result<Self> {
        let shown = redact(name);
        // The parser would silently drop some of these.
        if name.contains(char::is_control) {
            return Err(Error::new(Kind::Uri, format!("'{shown}' has a control character")));
        }
        let mut text = encode_stray_percents(name);
        if is_s3(name) {
            text = encode_query(&text);
        }
        let url = url::Url::parse(&text)
            .map_err(|e| Error::new(Kind::Uri, format!("'{shown}' is not a URL: {e}")))?;
        Self::supported(url, has_user(name))
    }

    /// Returns the addresses that an absolute name may mean. Programs for S3 write keys as they are, so the literal form
    /// of such a name is the second one.
    ///
    /// # Errors
    /// As [`Url::parse`].
    pub(crate) fn meant(name: &str) -> Result<Vec<Self>> {
        let mut meant = vec![Self::parse(name)?];
        if is_s3(name) {
            meant.extend(Self::parse(&name.replace('%', "%25")));
            meant.dedup();
        }
        Ok(meant)
    }

    fn supported(mut url: url::Url, has_user: bool) -> Result<Self> {
        let doubt = has_user && url.username().is_empty() && url.password().is_none();
        if url.scheme() == "s3" {
            return Self::in_bucket(Url(url, doubt));
        }
        if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
            let scheme = url.scheme().to_owned();
            let message = format!("'{}': {scheme} locations are not supported yet", Url(url, doubt));
            return Err(Error::new(Kind::Unsupported, message));
        }
        url.set_fragment(None);
        Ok(Url(url, doubt))
    }

    /// Checks the bucket of an s3 address, which may become part of the name of a server.
    fn in_bucket(url: Url) -> Result<Self> {
        let wrong = |what: &str| Err(Error::new(Kind::Uri, format!("'{url}' {what}")));
        if !url.0.username().is_empty() || url.0.password().is_some() {
            return wrong("has credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE");
        }
        let bucket = url.0.host_str().unwrap_or_default();
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
        let is_name =
            bucket.starts_with(|first: char| first.is_ascii_alphanumeric()) && !bucket.contains("..");
        match is_name && bucket.len() <= 255 && bucket.bytes().all(is_part) && url.0.port().is_none() {
            true => Ok(url),
            false => wrong("does not name a bucket: s3://bucket/key"),
        }
    }

    /// Returns whether this is the address of an object in S3.
    pub(super) fn is_s3(&self) -> bool {
        self.0.scheme() == "s3"
    }

    /// Returns the bucket and the key, which is still encoded, of an s3 address.
    pub(super) fn bucket_and_path(&self) -> (&str, &str) {
        let path = self.0.path();
        (self.0.host_str().unwrap_or_default(), path.strip_prefix('/').unwrap_or(path))
    }

    /// Returns the addresses that a relative name in a file at this address may mean: the one by RFC 3986, then the one
    /// that takes every character literally, since real files have names that were never encoded.
    ///
    /// # Errors
    /// `Uri`.
    pub(crate) fn join(&self, reference: &str) -> Result<Vec<Self>> {
        if reference.contains(char::is_control) {
            let message = format!("'{}' has a control character", redact(reference));
            return Err(Error::new(Kind::Uri, message));
        }
        let literal = encode_query(&reference.replace('%', "%25"));
        let mut encoded = encode_stray_percents(reference);
        if self.is_s3() {
            encoded = encode_query(&encoded);
        }
        let mut joined = Vec::new();
        for text in [encoded, literal] {
            // `run:1.nc` is a file and no scheme.
            let url = self.0.join(&format!("./{text}"));
            let url = url.map_err(|e| Error::new(Kind::Uri, format!("'{}': {e}", redact(reference))))?;
            let url = Self::supported(url, self.1)?;
            if !joined.contains(&url) {
                joined.push(url);
            }
        }
        Ok(joined)
    }

    /// Returns the address that the server at this one redirects to.
    pub(super) fn redirected(&self, location: &str) -> Result<Self> {
        let shown = redact(location);
        let url = self.0.join(location);
        let url =
            url.map_err(|_| Error::new(Kind::Io, format!("it leads to '{shown}', which is not a URL")))?;
        // A server knows nothing of the user's stores.
        match url.scheme() {
            "s3" => Err(Error::new(Kind::Io, format!("it leads to '{shown}', which is not an http address"))),
            _ => Self::supported(url, has_user(location)),
        }
    }

    /// Returns scheme, host and port, which identify a server, or a bucket.
    pub(super) fn origin(&self) -> Origin {
        (self.0.scheme().to_owned(), self.0.host().map(|host| host.to_string()), self.0.port())
    }

    /// Returns whether both have the same scheme, host and port, or are in the same bucket.
    pub(super) fn has_origin_of(&self, other: &Url) -> bool {
        self.origin() == other.origin()
    }

    /// Returns whether this address is `directory` or lies below it, by whole segments.
    pub(super) fn lies_below(&self, directory: &Url) -> bool {
        let decoded = |url: &Url| percent_decode_str(url.0.path()).decode_utf8_lossy().into_owned();
        let path = decoded(self);
        // A separator for one server is part of a name for another; `..;` means `..` to some.
        let has_slashes =
            path.contains('\\') || path.matches('/').count() != self.0.path().matches('/').count();
        if has_slashes || path.split('/').any(|segment| segment.split(';').next() == Some("..")) {
            return false;
        }
        let rest = path.strip_prefix(decoded(directory).trim_end_matches('/'));
        self.has_origin_of(directory) && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the directory of the address.
    pub(super) fn directory(&self) -> Url {
        let mut directory = self.0.clone();
        if let Ok(mut segments) = directory.path_segments_mut() {
            segments.pop().push("");
        }
        directory.set_query(None);
        Url(directory, self.1)
    }

    /// Returns the value of the header `Authorization` for the user name and password in the address, if it has any.
    pub(super) fn authorization(&self) -> Option<String> {
        let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
        let (user, password) = (self.0.username(), self.0.password());
        if user.is_empty() && password.is_none() {
            return None;
        }
        let mut pair = decoded(user);
        pair.push(b':');
        pair.extend(decoded(password.unwrap_or_default()));
        Some(format!("Basic {}", BASE64_STANDARD.encode(pair)))
    }

    /// Returns the text for a request or a file, without user name and password.
    pub(crate) fn to_location(&self) -> String {
        let mut url = self.0.clone();
        // Both fail only for addresses without a host.
        let _ = (url.set_username(""), url.set_password(None));
        url.into()
    }

    /// Returns whether it has, or may have had, a user name or a password.
    pub(crate) fn has_user(&self) -> bool {
        self.1 || !self.0.username().is_empty() || self.0.password().is_some()
    }

    /// Returns whether it has a query.
    pub(crate) fn has_query(&self) -> bool {
        self.0.query().is_some()
    }

    /// Returns the whole text, secrets included.
    pub(super) fn whole(&self) -> &str {
        self.0.as_str()
    }
}

fn is_s3(name: &str) -> bool {
    name.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("s3://"))
}

/// Encodes what begins a query and a fragment, where there is neither.
fn encode_query(text: &str) -> String {
    text.replace('?', "%3F").replace('#', "%23")
}

/// Encodes each `%` that begins no encoded byte: it can only be meant literally, and servers refuse it.
fn encode_stray_percents(text: &str) -> String {
    let is_encoded = |rest: &str| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    let mut parts = text.split('%');
    let mut encoded = parts.next().unwrap_or_default().to_owned();
    for rest in parts {
        encoded.push_str(if is_encoded(rest) { "%" } else { "%25" });
        encoded.push_str(rest);
    }
    encoded
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            true => write!(f, "{}://...", self.0.scheme()),
            false if self.is_s3() => {
                let shown = redact(self.0.as_str());
                // What the key has after such a mark may have been meant as a query or a fragment.
                let end = ["%3F", "%23"].into_iter().filter_map(|mark| shown.find(mark)).min();
                match end {
                    Some(end) => write!(f, "{}?...", &shown[..end]),
                    None => f.write_str(&shown),
                }
            }
            false => f.write_str(&redact(self.0.as_str())),
        }
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn joined(base: &str, name: &str) -> Vec<String> {
        url(base).join(name).unwrap().iter().map(|url| url.whole().to_owned()).collect()
    }

    #[test]
    fn addresses_are_normalised() {
        for (text, expected) in [
            ("HTTP://Example.ORG:80/a/./b/../f.nc", "http://example.org/a/f.nc"),
            ("https://h:443/%2e%2e/a/%2E/f.nc", "https://h/a/f.nc"),
            ("https://h/a b\u{fc}.nc#part", "https://h/a%20b%C3%BC.nc"),
            ("http://0x7f.1/f.nc", "http://127.0.0.1/f.nc"),
            ("http:\\\\h\\a\\f.nc", "http://h/a/f.nc"),
            ("http://h/50%.nc", "http://h/50%25.nc"),
        ] {
            assert_eq!(url(text).whole(), expected);
        }
    }

    #[test]
    fn other_schemes_and_malformed_addresses_are_refused_without_their_secrets() {
        for (text, kind) in [
            ("ftp://host/f.nc?sig=secret", Kind::Unsupported),
            ("s3://key:secret@bucket/f.nc", Kind::Uri),
            ("s3://key:sec/ret@bucket/f.nc?secret", Kind::Uri),
            ("s3://secret:?secret@bucket/f.nc", Kind::Uri),
            ("s3://secret:#secret@[::1]", Kind::Uri),
            ("s3://buck$et/f.nc?secret", Kind::Uri),
            ("s3:///f.nc?secret", Kind::Uri),
            ("s3:bucket/f.nc?secret", Kind::Uri),
            ("s3://bucket:80/f.nc?secret", Kind::Uri),
            ("s3://a..b/f.nc?secret", Kind::Uri),
            ("https://me:secret@/f.nc", Kind::Uri),
            ("https://me:secret@h:99999/f.nc", Kind::Uri),
            ("https://h/f\r\nX: y", Kind::Uri),
        ] {
            let error = Url::parse(text).unwrap_err();
            assert_eq!(error.kind(), kind, "{text}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }

    #[test]
    fn relative_names_are_references_and_then_literal() {
        let base = "https://me:pw@h/run/agg.nc?x=1";
        assert_eq!(joined(base, "f.nc"), ["https://me:pw@h/run/f.nc"]);
        assert_eq!(joined(base, "../g/f.nc"), ["https://me:pw@h/g/f.nc"]);
        assert_eq!(joined(base, "run:1.nc"), ["https://me:pw@h/run/run:1.nc"]);
        assert_eq!(
            joined(base, "a%20b.nc"),
            ["https://me:pw@h/run/a%20b.nc", "https://me:pw@h/run/a%2520b.nc"]
        );
        assert_eq!(joined(base, "h#sh?.nc"), ["https://me:pw@h/run/h", "https://me:pw@h/run/h%23sh%3F.nc"]);
        assert_eq!(joined(base, "50%.nc"), ["https://me:pw@h/run/50%25.nc"]);
        assert_eq!(joined(base, "5%2")[0], "https://me:pw@h/run/5%252");
        assert!(url(base).join("a\nb").is_err());
    }

    #[test]
    fn s3_addresses_have_a_bucket_and_a_key_and_no_query() {
        let meant = |text: &str| {
            let urls = Url::meant(text).unwrap();
            urls.iter().map(|url| url.whole().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(meant("S3://bucket/a/../b c.nc"), ["s3://bucket/b%20c.nc"]);
        assert_eq!(meant("s3://bucket/a%20b"), ["s3://bucket/a%20b", "s3://bucket/a%2520b"]);
        assert_eq!(meant("s3://b_1.x/h#sh?50%.nc"), ["s3://b_1.x/h%23sh%3F50%25.nc"]);
        assert_eq!(meant("https://h/a%20b"), ["https://h/a%20b"]);
        assert_eq!(url("s3://bucket/a//b").bucket_and_path(), ("bucket", "a//b"));
        assert_eq!(url("s3://bucket").bucket_and_path(), ("bucket", ""));
        let base = "s3://bucket/run/agg.nc";
        assert_eq!(joined(base, "../f.nc"), ["s3://bucket/f.nc"]);
        assert_eq!(joined(base, "../../../f.nc"), ["s3://bucket/f.nc"]);
        assert_eq!(
            joined(base, "a%20b+?.nc"),
            ["s3://bucket/run/a%20b+%3F.nc", "s3://bucket/run/a%2520b+%3F.nc"]
        );
        assert_eq!(joined(base, "run:1.nc"), ["s3://bucket/run/run:1.nc"]);
        assert_eq!(url("s3://bucket/f.nc?sig=secret").to_string(), "s3://bucket/f.nc?...");
        assert_eq!(url("s3://bucket/f.nc#secret?x").to_string(), "s3://bucket/f.nc?...");
        assert_eq!(url("s3://bucket/a@b.nc").to_string(), "s3://bucket/a@b.nc");
        assert_eq!(url("s3://bucket/run/a.nc").directory(), url("s3://bucket/run/"));
    }

    #[test]
    fn no_server_leads_to_a_bucket() {
        for base in ["https://h/f.nc", "s3://bucket/f.nc"] {
            assert_eq!(url(base).redirected("s3://other/f.nc").unwrap_err().kind(), Kind::Io);
        }
        assert_eq!(url("s3://bucket/f.nc").redirected("/other/f.nc").unwrap_err().kind(), Kind::Io);
        assert_eq!(url("s3://bucket/f.nc").redirected("https://h/f").unwrap(), url("https://h/f"));
    }

    #[test]
    fn whole_segments_of_the_same_origin_lie_below() {
        for (text, directory, expected) in [
            ("https://h/data/f.nc", "https://h/data", true),
            ("https://h/data/f.nc", "https://h/data/", true),
            ("https://h/%64ata/f.nc", "https://h/data/", true),
            ("https://h/data", "https://h/data", true),
            ("https://h/f.nc", "https://h", true),
            ("https://h/data2/f.nc", "https://h/data", false),
            ("https://h/data/../f.nc", "https://h/data", false),
            ("https://h/data/%2e%2e/f.nc", "https://h/data", false),
            ("https://h/data/..%2ff.nc", "https://h/data", false),
            ("https://h/data/..;/f.nc", "https://h/data", false),
            ("https://h/data%2ff.nc", "https://h/data", false),
            ("https://h/data/a;b/f.nc", "https://h/data", true),
            ("https://h/data/x%2f..%2f..%2ff.nc", "https://h/data", false),
            ("http://h/data/f.nc", "https://h/data", false),
            ("https://h:8443/data/f.nc", "https://h/data", false),
            ("https://h.evil.org/data/f.nc", "https://h/data", false),
            ("s3://b/data/f.nc", "s3://b/data", true),
            ("s3://b/f.nc", "s3://b", true),
            ("s3://b/data2/f.nc", "s3://b/data", false),
            ("s3://b2/data/f.nc", "s3://b", false),
            ("s3://b/data/..%2ff.nc", "s3://b/data", false),
            ("https://b/data/f.nc", "s3://b/data", false),
        ] {
            assert_eq!(url(text).lies_below(&url(directory)), expected, "{text} {directory}");
        }
        assert_eq!(url("https://h/a/b.nc?x").directory(), url("https://h/a/"));
    }

    #[test]
    fn credentials_are_for_the_header_and_nothing_else() {
        let named = url("https://me:p%40ss%2F@h/f.nc?sig=secret");
        assert_eq!(named.authorization().unwrap(), format!("Basic {}", BASE64_STANDARD.encode("me:p@ss/")));
        assert_eq!(named.to_location(), "https://h/f.nc?sig=secret");
        assert_eq!(format!("{named} {named:?}"), "https://h/f.nc?... Url(https://h/f.nc?...)");
        assert_eq!(url("https://h/f.nc").authorization(), None);
    }

    proptest! {
        #[test]
        fn no_name_panics(name in any::<String>(), base in "(https?|s3)://[a-z:@./%?#]{0,12}") {
            if let (Ok(base), _) = (Url::parse(&base), Url::parse(&name)) {
                let _ = (base.join(&name), base.redirected(&name), base.directory(), base.authorization());
            }
        }
    }
}
