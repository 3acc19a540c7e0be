//! Objects in S3 and in other stores that speak its protocol.
//!
//! An address `s3://bucket/key` has no server and no credentials. Both come from the user's environment (`config`) and
//! never from a file. A request is signed (`sign`) only for a bucket that the user named; all others are anonymous, so
//! that an aggregation file reads no more than everybody may.

mod answer;
mod config;
mod credentials;
mod endpoint;
mod metadata;
mod profile;
mod regions;
mod sign;

use std::borrow::Cow;
use std::time::SystemTime;

use percent_encoding::percent_decode_str;
use ureq::http::Response;
use ureq::Body;

use super::url::Url;
use crate::error::{Error, Kind, Result};
use answer::Problem;
pub(super) use config::Config;
use config::Signature;
use endpoint::Target;
use sign::{stamp, Scope, EMPTY};

/// The region of a bucket if neither the user nor a server names one.
const REGION: &str = "us-east-1";

impl Config {
    /// Reads the settings from the environment of the process, in the GDAL plugin also from GDAL's own options.
    ///
    /// # Errors
    /// `Request`, which names the variable whose value is not valid.
    pub(super) fn of_process(instance_metadata: bool) -> Result<Self> {
        Self::load(instance_metadata, crate::io::os::variable)
    }
}

/// How one object is requested.
#[derive(Debug)]
pub(super) struct Object {
    bucket: String,
    /// The bucket and its server, by which its region is remembered.
    place: String,
    region: String,
    target: Target,
    signature: Signature,
    requester_pays: bool,
}

/// What an answer means for the request.
pub(super) enum Review {
    Answer(Response<Body>),
    /// The server named the region of the bucket, in which the request is to be repeated.
    Repeat,
}

impl Object {
    /// Determines how the object at an address is requested. `is_named` says whether the user named the bucket, so that
    /// the request may be signed.
    ///
    /// # Errors
    /// `Uri` for an address without a key or with a key that servers may understand as another one; `Request`,
    /// `Unsupported` and `Io` if the user's credentials cannot be read.
    pub(super) fn new(url: &Url, config: &Config, is_named: bool) -> Result<Self> {
        let (bucket, path) = url.bucket_and_path();
        let key: Cow<[u8]> = percent_decode_str(path).into();
        let is_dots = |segment: &[u8]| segment == b"." || segment == b"..";
        if key.is_empty() || key.split(|&byte| byte == b'/').any(is_dots) {
            let problem =
                if key.is_empty() { "names a bucket and no object" } else { "has '.' or '..' in its key" };
            return Err(Error::new(Kind::Uri, format!("'{url}' {problem}")));
        }
        let server = config.endpoint.custom.as_ref().map_or("", |url| url.as_str());
        let place = format!("{server} {bucket}");
        let region = regions::of(&place).or_else(|| config.region.clone()).unwrap_or_else(|| REGION.into());
        Ok(Object {
            target: config.endpoint.target(&region, bucket, &key),
            bucket: bucket.to_owned(),
            place,
            region,
            signature: config.signature(is_named)?,
            requester_pays: config.requester_pays,
        })
    }

    /// Returns the address of the request.
    pub(super) fn uri(&self) -> String {
        self.target.uri()
    }

    /// Returns the headers of the request besides `Range`, which is signed too.
    pub(super) fn headers(&self, range: &str) -> Vec<(&'static str, String)> {
        self.headers_at(range, &stamp(SystemTime::now()))
    }

    fn headers_at(&self, range: &str, time: &str) -> Vec<(&'static str, String)> {
        let Signature::With(credentials) = &self.signature else { return Vec::new() };
        let mut headers = vec![("x-amz-content-sha256", EMPTY.to_owned()), ("x-amz-date", time.to_owned())];
        // An anonymous requester cannot pay.
        headers.extend(self.requester_pays.then(|| ("x-amz-request-payer", "requester".to_owned())));
        headers.extend(credentials.token.as_ref().map(|token| ("x-amz-security-token", token.clone())));
        let mut signed = vec![("host", &*self.target.host), ("range", range)];
        signed.extend(headers.iter().map(|(name, value)| (*name, &**value)));
        let scope = Scope { time, region: &self.region, service: "s3" };
        let authorization = scope.authorization(credentials, &self.target.path, &signed);
        headers.push(("authorization", authorization));
        headers
    }

    /// Interprets an answer.
    ///
    /// # Errors
    /// `Io`, with [`Error::is_absence`] if there is no such bucket.
    pub(super) fn review(&self, mut response: Response<Body>) -> Result<Review> {
        let Some(problem) = Problem::read(&mut response) else { return Ok(Review::Answer(response)) };
        let is_astray = matches!(problem.status, 301 | 302 | 307 | 400);
        if let Some(region) = problem.region.as_ref().filter(|_| is_astray) {
            if regions::learn(&self.place, &self.region, region) {
                return Ok(Review::Repeat);
            }
        }
        let is_redirection = matches!(problem.status, 301 | 302 | 303 | 307 | 308);
        let is_absent =
            matches!(problem.status, 404 | 410) && problem.code.as_deref() != Some("NoSuchBucket");
        match is_absent || (is_redirection && response.headers().contains_key("location")) {
            true => Ok(Review::Answer(response)),
            false => Err(problem.error(&self.bucket, &self.signature)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(address: &str, is_named: bool, variables: &[(&str, &str)]) -> Result<Object> {
        let value = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, v)| v.to_string());
        Object::new(&Url::parse(address).unwrap(), &Config::load(false, value).unwrap(), is_named)
    }

    const EXAMPLE: [(&str, &str); 4] = [
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        ("AWS_S3_ENDPOINT", "s3.amazonaws.com"),
        ("AWS_VIRTUAL_HOSTING", "YES"),
    ];

    fn names(headers: &[(&'static str, String)]) -> Vec<&'static str> {
        headers.iter().map(|(name, _)| *name).collect()
    }

    /// The example of AWS that `sign` has too, from an address and the environment.
    #[test]
    fn an_address_becomes_the_published_example() {
        let object = object("s3://examplebucket/test.txt", true, &EXAMPLE).unwrap();
        assert_eq!(object.uri(), "https://examplebucket.s3.amazonaws.com/test.txt");
        let headers = object.headers_at("bytes=0-9", "20130524T000000Z");
        assert_eq!(names(&headers), ["x-amz-content-sha256", "x-amz-date", "authorization"]);
        let signature = "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41";
        assert!(headers[2].1.ends_with(signature), "{}", headers[2].1);
    }

    #[test]
    fn what_the_user_did_not_name_is_requested_without_any_header() {
        let with_token: Vec<_> = EXAMPLE
            .into_iter()
            .chain([("AWS_SESSION_TOKEN", "T"), ("AWS_REQUEST_PAYER", "requester")])
            .collect();
        let headers = |is_named| {
            let object = object("s3://examplebucket/test.txt", is_named, &with_token).unwrap();
            names(&object.headers("bytes=0-9"))
        };
        let all = ["x-amz-content-sha256", "x-amz-date", "x-amz-request-payer", "x-amz-security-token"];
        assert_eq!(headers(true)[..4], all);
        assert!(headers(false).is_empty());
    }

    #[test]
    fn a_bucket_alone_and_dots_are_no_objects() {
        for address in ["s3://bucket", "s3://bucket/", "s3://bucket/a%2F..%2Fb", "s3://bucket/..%2f..%2fb/c"]
        {
            assert_eq!(object(address, false, &[]).unwrap_err().kind(), Kind::Uri, "{address}");
        }
        let uri = object("s3://bucket/a%2Fb/x%20y", false, &[]).unwrap().uri();
        assert_eq!(uri, "https://bucket.s3.us-east-1.amazonaws.com/a/b/x%20y");
    }
}
