//! The access key with which requests are signed, and where it is looked for: the environment, then a profile.

use std::fmt;

use super::profile::Profile;
use crate::error::{Error, Kind, Result};

/// An access key.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Credentials {
    pub(super) id: String,
    pub(super) secret: String,
    /// The token of a session, for keys that expire.
    pub(super) token: Option<String>,
    /// Where they were found, for messages.
    pub(super) from: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({})", self.from)
    }
}

impl Credentials {
    /// Checks that the parts can be sent in headers.
    ///
    /// # Errors
    /// `Request`, which does not repeat them.
    pub(super) fn new(id: &str, secret: &str, token: Option<&str>, from: &str) -> Result<Self> {
        let part = |text: &str| {
            let text = text.trim();
            match !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
                true => Ok(text.to_owned()),
                false => {
                    Err(wrong(format!("the credentials of {from} have other characters than keys have")))
                }
            }
        };
        let token = token.map(str::trim).filter(|token| !token.is_empty());
        Ok(Credentials {
            id: part(id)?,
            secret: part(secret)?,
            token: token.map(part).transpose()?,
            from: from.to_owned(),
        })
    }

    /// Returns the access key in the environment, if there is one.
    ///
    /// # Errors
    /// `Request` if it has only one half of a key.
    pub(super) fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Self>> {
        let [id, secret, token] =
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"].map(variable);
        match (id, secret) {
            (Some(id), Some(secret)) => {
                Self::new(&id, &secret, token.as_deref(), "the environment").map(Some)
            }
            (None, None) => Ok(None),
            (Some(_), None) => Err(wrong("AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not".into())),
            (None, Some(_)) => Err(wrong("AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not".into())),
        }
    }

    /// Returns the access key of a profile: that of its section in the credentials file, else that in the config file.
    ///
    /// # Errors
    /// `Request` if it has only one half of a key; `Unsupported` if another program or service provides the key.
    pub(super) fn of_profile(
        name: &str,
        credentials: Option<&Profile>,
        config: Option<&Profile>,
    ) -> Result<Option<Self>> {
        for profile in [credentials, config].into_iter().flatten() {
            let [id, secret, token] = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]
                .map(|key| profile.get(key));
            let from = format!("the profile '{name}'");
            match (id, secret) {
                (Some(id), Some(secret)) => return Self::new(id, secret, token, &from).map(Some),
                (None, None) => {}
                _ => return Err(wrong(format!("{from} has only one half of an access key"))),
            }
        }
        let ways =
            ["sso_session", "sso_start_url", "role_arn", "credential_process", "web_identity_token_file"];
        let found =
            |way: &&str| [credentials, config].into_iter().flatten().any(|own| own.get(way).is_some());
        match ways.into_iter().find(found) {
            Some(way) => {
                let message = format!(
                    "the profile '{name}' has its credentials by '{way}', which is not supported; \
                     `aws configure export-credentials --profile {name} --format env` puts them into the environment"
                );
                Err(Error::new(Kind::Unsupported, message))
            }
            None => Ok(None),
        }
    }
}

fn wrong(message: String) -> Error {
    Error::new(Kind::Request, message)
}

#[cfg(test)]
mod tests {
    use super::super::profile::{find, Form};
    use super::*;

    fn of_environment(variables: &[(&str, &str)]) -> Result<Option<Credentials>> {
        let value = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, v)| v.to_string());
        Credentials::of_environment(value)
    }

    fn of_profile(text: &str) -> Result<Option<Credentials>> {
        let profile = find(text, Form::Credentials, "profile", "p");
        Credentials::of_profile("p", None, profile.as_ref())
    }

    #[test]
    fn the_environment_has_a_whole_key_or_none() {
        let (id, secret) = (("AWS_ACCESS_KEY_ID", "ID"), ("AWS_SECRET_ACCESS_KEY", "secret\n"));
        let found = of_environment(&[id, secret]).unwrap().unwrap();
        assert_eq!((found.id.as_str(), found.secret.as_str(), found.token), ("ID", "secret", None));
        let found = of_environment(&[id, secret, ("AWS_SESSION_TOKEN", "T")]).unwrap().unwrap();
        assert_eq!(found.token.as_deref(), Some("T"));
        assert_eq!(of_environment(&[]).unwrap(), None);
        assert!(of_environment(&[id]).unwrap_err().message().contains("AWS_SECRET_ACCESS_KEY is not"));
        assert!(of_environment(&[secret]).unwrap_err().message().contains("AWS_ACCESS_KEY_ID is not"));
    }

    #[test]
    fn a_profile_has_a_key_or_says_how_to_get_one() {
        let text = "[p]\naws_access_key_id=ID\naws_secret_access_key=secret\naws_session_token=T\n";
        let found = of_profile(text).unwrap().unwrap();
        assert_eq!((found.id.as_str(), found.token.as_deref()), ("ID", Some("T")));
        assert_eq!(found.from, "the profile 'p'");
        assert_eq!(of_profile("[p]\nregion=x\n").unwrap(), None);
        assert_eq!(of_profile("[p]\naws_access_key_id=ID\n").unwrap_err().kind(), Kind::Request);
        let error = of_profile("[p]\nsso_session=s\n").unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        assert!(error.message().contains("export-credentials --profile p"), "{error}");
    }

    #[test]
    fn a_secret_is_never_shown() {
        let found = Credentials::new("ID", "secret", Some("token"), "the test").unwrap();
        assert_eq!(format!("{found:?}"), "Credentials(the test)");
        for secret in ["se\ncret", "", "s\u{e9}cret"] {
            let error = Credentials::new("ID", secret, None, "the test").unwrap_err();
            assert!(!error.to_string().contains("cret"), "{error}");
        }
    }
}
