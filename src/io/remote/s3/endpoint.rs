//! Determines the address of an object: the server of its region or the one that the user names, with the bucket in the
//! path or in the name of the server.

use percent_encoding::{percent_encode, AsciiSet, NON_ALPHANUMERIC};
use url::{Host, Url};

use crate::error::{Error, Kind, Result};

/// The characters that are encoded in the path of a request, for the signature too.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// The server of the buckets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The address of a server that the user names; otherwise the buckets are those of AWS.
    pub(super) custom: Option<Url>,
    /// Whether the name of the bucket is part of the name of the server, if the user says so.
    pub(super) virtual_hosting: Option<bool>,
}

/// The address of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The scheme and the server.
    origin: String,
    /// The value of the header `Host`.
    pub(super) host: String,
    /// The encoded path.
    pub(super) path: String,
}

impl Target {
    pub(super) fn uri(&self) -> String {
        format!("{}{}", self.origin, self.path)
    }
}

impl Endpoint {
    /// Returns the address of an object. The region must be one by [`is_region`].
    pub(super) fn target(&self, region: &str, bucket: &str, key: &[u8]) -> Target {
        let key = percent_encode(key, ENCODED).to_string();
        let (scheme, host, port, base) = match &self.custom {
            Some(url) => {
                let host = url.host_str().unwrap_or_default().to_owned();
                (url.scheme(), host, url.port(), url.path().trim_end_matches('/'))
            }
            None => {
                let suffix = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
                ("https", format!("s3.{region}.{suffix}"), None, "")
            }
        };
        let mut host = host;
        let path = match self.is_virtual(bucket) {
            true => {
                // Some programs want the name of the bucket in the address of the server.
                if !host.starts_with(&format!("{bucket}.")) {
                    host = format!("{bucket}.{host}");
                }
                format!("{base}/{key}")
            }
            false => format!("{base}/{bucket}/{key}"),
        };
        if let Some(port) = port {
            host = format!("{host}:{port}");
        }
        Target { origin: format!("{scheme}://{host}"), host, path }
    }

    /// Returns whether the name of a bucket is part of the name of the server. Certificates of AWS have one level below
    /// the server, so a bucket with a dot in its name is part of the path there.
    fn is_virtual(&self, bucket: &str) -> bool {
        let has = |own: fn(u8) -> bool| bucket.bytes().all(|byte| byte.is_ascii_lowercase() || own(byte));
        let is_label = has(|byte| byte.is_ascii_digit() || byte == b'-') && bucket.len() <= 63;
        let is_name = has(|byte| byte.is_ascii_digit() || b"-.".contains(&byte)) && bucket.len() <= 63;
        let is_numeric = |url: &Url| !matches!(url.host(), Some(Host::Domain(_)));
        match (&self.custom, self.virtual_hosting) {
            (Some(url), Some(wanted)) => wanted && is_name && !is_numeric(url),
            // A server of one's own rarely has a name for each bucket.
            (Some(_), None) => false,
            (None, wanted) => wanted.unwrap_or(is_label) && is_name,
        }
    }
}

/// Returns whether a text may be the name of a region, which becomes part of the name of a server.
pub(super) fn is_region(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=32).contains(&text.len()) && text.bytes().all(is_part)
}

/// Parses the address of a server that the user names. GDAL's variable has no scheme; `secure` says which one is meant.
///
/// # Errors
/// `Request`, which names the variable and does not repeat the value.
pub(super) fn parse(variable: &str, text: &str, secure: bool) -> Result<Url> {
    let text = match text.contains("://") {
        true => text.to_owned(),
        false => format!("{}://{text}", if secure { "https" } else { "http" }),
    };
    let url = Url::parse(&text).ok().filter(|url| {
        let is_plain = url.username().is_empty() && url.password().is_none() && url.query().is_none();
        matches!(url.scheme(), "http" | "https") && url.has_host() && is_plain && url.fragment().is_none()
    });
    url.ok_or_else(|| {
        Error::new(
            Kind::Request,
            format!("{variable}: the value is not the http or https address of a server"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(endpoint: &Endpoint, region: &str, bucket: &str, key: &str) -> String {
        endpoint.target(region, bucket, key.as_bytes()).uri()
    }

    fn custom(text: &str, virtual_hosting: Option<bool>) -> Endpoint {
        Endpoint { custom: Some(parse("X", text, true).unwrap()), virtual_hosting }
    }

    #[test]
    fn buckets_of_aws_are_at_the_server_of_their_region() {
        let aws = Endpoint::default();
        assert_eq!(
            uri(&aws, "eu-west-1", "my-data", "a/f.nc"),
            "https://my-data.s3.eu-west-1.amazonaws.com/a/f.nc"
        );
        assert_eq!(
            uri(&aws, "cn-north-1", "my-data", "f"),
            "https://my-data.s3.cn-north-1.amazonaws.com.cn/f"
        );
        for bucket in ["my.data", "My_Data"] {
            let expected = format!("https://s3.us-east-1.amazonaws.com/{bucket}/f");
            assert_eq!(uri(&aws, "us-east-1", bucket, "f"), expected);
        }
        let path = Endpoint { custom: None, virtual_hosting: Some(false) };
        assert_eq!(uri(&path, "us-east-1", "b", "f"), "https://s3.us-east-1.amazonaws.com/b/f");
    }

    #[test]
    fn a_server_of_ones_own_has_the_bucket_in_the_path_unless_told_otherwise() {
        let own = |text: &str, wanted| custom(text, wanted).target("r", "bk", b"k");
        let target = own("http://h:9000/s3/", None);
        assert_eq!((target.uri().as_str(), target.host.as_str()), ("http://h:9000/s3/bk/k", "h:9000"));
        let target = own("http://h:9000", Some(true));
        assert_eq!((target.uri().as_str(), target.host.as_str()), ("http://bk.h:9000/k", "bk.h:9000"));
        assert_eq!(own("https://bk.h", Some(true)).uri(), "https://bk.h/k");
        assert_eq!(own("http://127.0.0.1:1", Some(true)).uri(), "http://127.0.0.1:1/bk/k");
        assert_eq!(own("http://[::1]:1", None).uri(), "http://[::1]:1/bk/k");
        assert_eq!(own("h:443", None).host, "h");
    }

    #[test]
    fn keys_are_encoded_byte_by_byte() {
        let endpoint = custom("h", None);
        assert_eq!(
            uri(&endpoint, "r", "b", "a b+c/ü*'(1)!~&=@:$,;?#%41.nc"),
            "https://h/b/a%20b%2Bc/%C3%BC%2A%27%281%29%21~%26%3D%40%3A%24%2C%3B%3F%23%2541.nc"
        );
        assert_eq!(uri(&endpoint, "r", "b", "a//b/"), "https://h/b/a//b/");
    }

    #[test]
    fn what_is_no_address_of_a_server_is_refused_without_repeating_it() {
        for text in
            ["https://me:secret@h/", "https://h/?secret", "https://h/#secret", "ftp://secret", "", "http://"]
        {
            let error = parse("AWS_ENDPOINT_URL", text, true).unwrap_err();
            assert!(error.message().contains("AWS_ENDPOINT_URL") && !error.message().contains("secret"));
        }
        assert_eq!(parse("X", "h:9000", false).unwrap().as_str(), "http://h:9000/");
    }

    #[test]
    fn a_region_is_one_label() {
        assert!(is_region("us-east-1") && is_region("local") && is_region("auto"));
        for text in ["", "a.b", "evil/", "A", "a b", "a@b", "x".repeat(33).as_str()] {
            assert!(!is_region(text), "{text}");
        }
    }
}
