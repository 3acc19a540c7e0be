//! Interprets the answer of a server that does not send the object.
//!
//! The body of such an answer is XML with a code. Only the code and the region are used: the rest repeats the request,
//! and with it the access key and the signature.

use std::io::Read;

use ureq::http::Response;
use ureq::Body;

use super::config::Signature;
use super::endpoint::is_region;
use crate::error::{Error, Kind};

/// The maximum number of bytes of a body that are read.
const LONGEST: u64 = 16 << 10;

/// What an answer says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: u16,
    pub(super) code: Option<String>,
    /// The region of the bucket.
    pub(super) region: Option<String>,
}

impl Problem {
    /// Reads an answer. Returns `None` for those that `request` handles: the bytes of an object, a range that it does not
    /// have, and temporary failures.
    pub(super) fn read(response: &mut Response<Body>) -> Option<Self> {
        let status = response.status().as_u16();
        if matches!(status, 0..=299 | 408 | 416 | 425 | 429 | 500..) {
            return None;
        }
        let named = response.headers().get("x-amz-bucket-region").and_then(|region| region.to_str().ok());
        let named = named.map(str::to_owned);
        let mut body = Vec::new();
        // What arrived before a failure is enough.
        let _ = response.body_mut().as_reader().take(LONGEST).read_to_end(&mut body);
        Some(Self::parse(status, named, &String::from_utf8_lossy(&body)))
    }

    fn parse(status: u16, named: Option<String>, body: &str) -> Self {
        let is_code = |code: &&str| {
            (1..=64).contains(&code.len())
                && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.')
        };
        let region = named.or_else(|| element(body, "Region").map(str::to_owned));
        Problem {
            status,
            code: element(body, "Code").filter(is_code).map(str::to_owned),
            region: region.filter(|region| is_region(region)),
        }
    }

    /// Returns the error, in plain words and with advice.
    pub(super) fn error(&self, bucket: &str, signature: &Signature) -> Error {
        let io = |message: String| Error::new(Kind::Io, message);
        let from = match signature {
            Signature::With(credentials) => &*credentials.from,
            _ => "the request",
        };
        match (self.code.as_deref().unwrap_or_default(), self.status) {
            ("NoSuchBucket", _) => io(format!("there is no bucket '{bucket}'")).of_absence(),
            ("RequestTimeTooSkewed" | "RequestExpired", _) => {
                io("the clock of this machine differs too much from that of the server".into())
            }
            ("InvalidAccessKeyId" | "InvalidClientTokenId", _) => {
                io(format!("the server does not know the access key of {from}"))
            }
            ("SignatureDoesNotMatch", _) => {
                io(format!("the secret key of {from} is not that of its access key"))
            }
            ("ExpiredToken" | "TokenRefreshRequired", _) => io(format!("the credentials of {from} expired")),
            ("InvalidToken", _) => {
                io(format!("the session token of {from} (AWS_SESSION_TOKEN) is not valid for its access key"))
            }
            ("InvalidObjectState", _) => {
                io("the object is in an archive, from which it must be restored".into())
            }
            ("PermanentRedirect" | "TemporaryRedirect" | "AuthorizationHeaderMalformed", _) | ("", 301) => {
                let region = self.region.as_ref();
                let which = region.map_or(String::new(), |region| format!(", by its answer '{region}'"));
                io(format!("the bucket is in another region{which}; AWS_REGION sets the region"))
            }
            ("AccessDenied" | "AllAccessDisabled" | "", 401 | 403) => io(self.denied(bucket, signature)),
            ("", _) => io(format!("the server answers {}", self.status)),
            (code, _) => io(format!("the server answers {} ({code})", self.status)),
        }
    }

    fn denied(&self, bucket: &str, signature: &Signature) -> String {
        let advice = match signature {
            Signature::With(credentials) => {
                return format!(
                    "access denied: {} may not read it, or there is no such object; for a bucket whose requester pays \
                     set AWS_REQUEST_PAYER=requester",
                    credentials.from
                )
            }
            Signature::Off => "AWS_NO_SIGN_REQUEST or AWS_SKIP_SIGNATURE is set".to_owned(),
            Signature::NoCredentials => {
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, set credentials".to_owned()
            }
            Signature::NotNamed => format!(
                "credentials go to the bucket of the aggregation file that you name and to a list in ALLOWED_SOURCES, \
                 such as 's3://{bucket}/'"
            ),
        };
        format!("access denied to an anonymous request, or there is no such object; {advice}")
    }
}

/// Returns the text of the first element of this name.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text.trim())
}

#[cfg(test)]
mod tests {
    use super::super::credentials::Credentials;
    use super::*;

    fn body(code: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>secret</Message>\
             <AWSAccessKeyId>secret</AWSAccessKeyId><StringToSign>secret</StringToSign></Error>"
        )
    }

    fn message(status: u16, code: &str, signature: &Signature) -> String {
        let error = Problem::parse(status, None, &body(code)).error("bk", signature);
        assert!(!error.to_string().contains("secret"), "{error}");
        assert_eq!(error.is_absence(), code == "NoSuchBucket");
        error.message().to_owned()
    }

    #[test]
    fn codes_are_told_in_plain_words_without_the_rest_of_the_answer() {
        let key = Credentials::new("ID", "secret", Some("secret"), "the environment").unwrap();
        let signed = Signature::With(key);
        for (status, code, words) in [
            (404, "NoSuchBucket", "no bucket 'bk'"),
            (403, "RequestTimeTooSkewed", "clock"),
            (403, "InvalidAccessKeyId", "does not know the access key of the environment"),
            (403, "SignatureDoesNotMatch", "secret key"),
            (400, "ExpiredToken", "expired"),
            (403, "InvalidObjectState", "restored"),
            (301, "PermanentRedirect", "AWS_REGION"),
            (403, "AccessDenied", "AWS_REQUEST_PAYER"),
            (403, "", "may not read it"),
            (400, "Odd.Code1", "400 (Odd.Code1)"),
            (400, "<b>x", "400"),
        ] {
            // The word for one half of a key is no secret.
            let text = Problem::parse(status, None, &body(code)).error("bk", &signed).message().to_owned();
            assert!(text.contains(words), "{code}: {text}");
            if code != "SignatureDoesNotMatch" {
                message(status, code, &signed);
            }
        }
    }

    #[test]
    fn a_refusal_says_why_the_request_was_anonymous() {
        for (signature, words) in [
            (Signature::NoCredentials, "AWS_PROFILE"),
            (Signature::Off, "AWS_NO_SIGN_REQUEST"),
            (Signature::NotNamed, "ALLOWED_SOURCES, such as 's3://bk/'"),
        ] {
            let text = message(403, "AccessDenied", &signature);
            assert!(text.contains(words) && text.contains("anonymous"), "{text}");
        }
    }

    #[test]
    fn a_region_is_taken_only_if_it_can_be_one() {
        let region =
            |named: Option<&str>, body: &str| Problem::parse(400, named.map(str::to_owned), body).region;
        assert_eq!(region(Some("eu-west-1"), "<Region>x</Region>").as_deref(), Some("eu-west-1"));
        assert_eq!(region(None, "<Region>us-west-2</Region>").as_deref(), Some("us-west-2"));
        for text in ["evil.example.org/", "", "a b", "<b>"] {
            assert_eq!(region(Some(text), ""), None, "{text}");
        }
    }
}
