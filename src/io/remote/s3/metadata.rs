//! Asks the instance metadata service of a machine in the cloud (IMDSv2) for credentials, if the user switches it on.
//!
//! The address of the service is not a public one. No file and no setting of this library can name it: it is the
//! well-known one, or the one in the user's environment.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use ureq::Agent;
use url::Url;

use super::credentials::Credentials;
use super::endpoint;
use crate::error::{Error, Kind, Result};
use crate::threads::process::PerProcess;

const ADDRESS: &str = "http://169.254.169.254";
const VARIABLE: &str = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
/// The service is on the machine itself, or it is not there.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Credentials are kept for this time. They are valid for hours, and the service renews them well before they expire.
const KEPT: Duration = Duration::from_secs(300);
/// Longer answers are not credentials.
const LONGEST: u64 = 64 << 10;

/// Returns the address of the service.
///
/// # Errors
/// `Request` for a malformed variable.
pub(super) fn address(variable: impl Fn(&str) -> Option<String>) -> Result<Url> {
    endpoint::parse(VARIABLE, variable(VARIABLE).as_deref().unwrap_or(ADDRESS).trim(), false)
}

/// Returns the credentials of the machine.
///
/// # Errors
/// `Io` if there is no such service or it has none.
pub(super) fn credentials(address: &Url) -> Result<Credentials> {
    type Known = Option<(Url, Instant, Credentials)>;
    static KNOWN: PerProcess<Mutex<Known>> = PerProcess::new();
    let mut known = KNOWN.get(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, found)) = known.as_ref().filter(|(own, at, _)| own == address && at.elapsed() < KEPT) {
        return Ok(found.clone());
    }
    let found = ask(address).ok_or_else(|| {
        let message =
            "the instance metadata service has no credentials for this machine, or does not answer \
                       (setting S3_INSTANCE_METADATA)";
        Error::new(Kind::Io, message)
    })?;
    *known = Some((address.clone(), Instant::now(), found.clone()));
    Ok(found)
}

fn ask(address: &Url) -> Option<Credentials> {
    let config = Agent::config_builder().proxy(None).max_redirects(0).timeout_global(Some(TIMEOUT)).build();
    let agent = Agent::new_with_config(config);
    let base = address.as_str().trim_end_matches('/');
    let token = agent
        .put(format!("{base}/latest/api/token"))
        .header("x-aws-ec2-metadata-token-ttl-seconds", "21600")
        .send_empty();
    let token = text(token)?;
    let get = |path: &str| {
        let url = format!("{base}/latest/meta-data/iam/security-credentials/{path}");
        text(agent.get(url).header("x-aws-ec2-metadata-token", token.trim()).call())
    };
    let roles = get("")?;
    let role = roles.lines().next().map(str::trim).filter(|role| is_role(role))?;
    parse(&get(role)?)
}

/// Returns whether a name can be part of an address as it is.
fn is_role(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+=,.@-_".contains(&byte))
}

fn text(answer: std::result::Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Option<String> {
    answer.ok()?.body_mut().with_config().limit(LONGEST).read_to_string().ok()
}

fn parse(text: &str) -> Option<Credentials> {
    let value: Value = serde_json::from_str(text).ok()?;
    let part = |name: &str| value.get(name).and_then(Value::as_str);
    Credentials::new(part("AccessKeyId")?, part("SecretAccessKey")?, part("Token"), "this machine").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_credentials_or_nothing() {
        let text = r#"{"Code": "Success", "AccessKeyId": "A", "SecretAccessKey": "s", "Token": "t", "Expiration": "x"}"#;
        let found = parse(text).unwrap();
        assert_eq!((found.id.as_str(), found.secret.as_str(), found.token.as_deref()), ("A", "s", Some("t")));
        for text in
            ["", "{}", "[1]", r#"{"AccessKeyId": "A"}"#, r#"{"AccessKeyId": 1, "SecretAccessKey": "s"}"#]
        {
            assert_eq!(parse(text), None, "{text}");
        }
        assert!(is_role("my-role_1") && !is_role("") && !is_role("a/b") && !is_role("a?b"));
    }

    #[test]
    fn the_address_is_the_known_one_or_that_of_the_environment() {
        assert_eq!(address(|_| None).unwrap().as_str(), "http://169.254.169.254/");
        assert_eq!(address(|_| Some("http://[::1]:7".into())).unwrap().as_str(), "http://[::1]:7/");
        assert!(address(|_| Some("file:///x".into())).is_err());
    }
}
