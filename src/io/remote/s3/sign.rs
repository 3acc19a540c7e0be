//! Signs requests: AWS Signature Version 4 in the header `Authorization`.
//!
//! <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>. Requests are GET without a query and
//! without a body, so the canonical request has neither.

use std::time::{SystemTime, UNIX_EPOCH};

use ring::{digest, hmac};

use super::credentials::Credentials;

/// The SHA-256 of an empty body.
pub(super) const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// What a signature is valid for.
pub(super) struct Scope<'a> {
    /// The time as [`stamp`] writes it.
    pub(super) time: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
}

impl Scope<'_> {
    fn date(&self) -> &str {
        self.time.split('T').next().unwrap_or_default()
    }

    /// Returns the value of the header `Authorization` for a GET of an encoded path. The headers are those that are
    /// signed: in lower case, sorted, `host` among them.
    pub(super) fn authorization(
        &self,
        credentials: &Credentials,
        path: &str,
        headers: &[(&str, &str)],
    ) -> String {
        let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String =
            headers.iter().map(|(name, value)| format!("{name}:{}\n", value.trim())).collect();
        let request = format!("GET\n{path}\n\n{lines}\n{names}\n{EMPTY}");
        let scope = format!("{}/{}/{}/aws4_request", self.date(), self.region, self.service);
        let hash = hex(digest::digest(&digest::SHA256, request.as_bytes()).as_ref());
        let text = format!("AWS4-HMAC-SHA256\n{}\n{scope}\n{hash}", self.time);
        let signature = hex(sign(&self.key(&credentials.secret), &text).as_ref());
        format!(
            "AWS4-HMAC-SHA256 Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
            credentials.id
        )
    }

    fn key(&self, secret: &str) -> hmac::Key {
        let new = |bytes: &[u8]| hmac::Key::new(hmac::HMAC_SHA256, bytes);
        [self.date(), self.region, self.service, "aws4_request"]
            .iter()
            .fold(new(format!("AWS4{secret}").as_bytes()), |key, part| new(sign(&key, part).as_ref()))
    }
}

fn sign(key: &hmac::Key, text: &str) -> hmac::Tag {
    hmac::sign(key, text.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a time as signatures need it: `20130524T000000Z`.
pub(super) fn stamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

/// Returns the date of a day since 1970. Years are counted from March, so that a leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let first = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + u64::from(first <= 2), first, day - (153 * month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn credentials(id: &str, secret: &str) -> Credentials {
        Credentials { id: id.into(), secret: secret.into(), token: None, from: "the test".into() }
    }

    fn signature(authorization: &str) -> &str {
        authorization.rsplit('=').next().unwrap()
    }

    /// The example "GET Object" of the documentation above.
    #[test]
    fn the_example_of_s3_has_its_published_signature() {
        let credentials = credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
        let scope = Scope { time: "20130524T000000Z", region: "us-east-1", service: "s3" };
        let headers = [
            ("host", "examplebucket.s3.amazonaws.com"),
            ("range", "bytes=0-9"),
            ("x-amz-content-sha256", EMPTY),
            ("x-amz-date", "20130524T000000Z"),
        ];
        assert_eq!(
            scope.authorization(&credentials, "/test.txt", &headers),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
             SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, \
             Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        );
    }

    /// Those of the Signature Version 4 test suite of AWS that are GET requests without a query.
    #[test]
    fn the_test_suite_of_aws_has_its_published_signatures() {
        let credentials = credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
        let scope = Scope { time: "20150830T123600Z", region: "us-east-1", service: "service" };
        let (host, date) = (("host", "example.amazonaws.com"), ("x-amz-date", "20150830T123600Z"));
        let token =
            ("x-amz-security-token", "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267");
        let plain = [host, date];
        type Headers<'a> = &'a [(&'a str, &'a str)];
        let cases: [(&str, &str, Headers, &str); 7] = [
            ("get-vanilla", "/", &plain, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (
                "get-unreserved",
                "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
                &plain,
                "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
            ),
            (
                "get-utf8",
                "/%E1%88%B4",
                &plain,
                "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
            ),
            (
                "get-space-unnormalized",
                "/example%20space/",
                &plain,
                "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741",
            ),
            (
                "get-slashes-unnormalized",
                "//example//",
                &plain,
                "87cca117541a147f6df867677d98a7d80dff226d2bfca9e4ffa899665623c7e5",
            ),
            (
                "get-header-key-duplicate",
                "/",
                &[host, ("my-header1", "value2,value2,value1"), date],
                "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea",
            ),
            (
                "get-vanilla-with-session-token",
                "/",
                &[host, date, token],
                "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
            ),
        ];
        for (name, path, headers, expected) in cases {
            assert_eq!(signature(&scope.authorization(&credentials, path, headers)), expected, "{name}");
        }
    }

    #[test]
    fn times_are_written_in_the_calendar() {
        for (seconds, expected) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (951_868_800, "20000301T000000Z"),
            (1_369_353_600, "20130524T000000Z"),
            (1_440_938_160, "20150830T123600Z"),
            (1_735_689_599, "20241231T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(stamp(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}
