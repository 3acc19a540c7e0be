//! Reads the user's settings for S3, under the names that AWS and GDAL use: environment variables and a profile.

use url::Url;

use super::credentials::Credentials;
use super::endpoint::{self, is_region, Endpoint};
use super::metadata;
use super::profile::{self, Form, Profile};
use crate::error::{Error, Kind, Result};

/// The settings of S3.
#[derive(Debug)]
pub(in super::super) struct Config {
    pub(super) endpoint: Endpoint,
    pub(super) region: Option<String>,
    pub(super) requester_pays: bool,
    signing: Signing,
}

/// Where credentials come from.
#[derive(Debug)]
enum Signing {
    /// The user does not want signed requests.
    Off,
    Key(Credentials),
    /// The service of the machine in the cloud, at this address.
    Instance(Url),
    Nowhere,
    /// The credentials cannot be read, which is an error once they are needed.
    Failing(Error),
}

/// The credentials that sign a request, or why it is not signed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Signature {
    With(Credentials),
    Off,
    NoCredentials,
    /// The user did not name the bucket.
    NotNamed,
}

impl Config {
    /// Reads the settings. `variable` returns those of the environment; empty ones count as unset.
    ///
    /// # Errors
    /// `Request`, which names the variable whose value is not valid.
    pub(in super::super) fn load(
        instance_metadata: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let first = |names: &[&str]| {
            names.iter().find_map(|name| variable(name).map(|value| (name.to_string(), value)))
        };
        let profiles = Profiles::read(variable);
        let flag = |names: &[&str]| first(names).map(|(name, value)| parse_flag(&name, &value)).transpose();

        let region = first(&["AWS_REGION", "AWS_DEFAULT_REGION"])
            .or_else(|| profiles.get("region").map(|region| ("region".into(), region.to_owned())));
        if let Some((name, _)) = region.as_ref().filter(|(_, region)| !is_region(region)) {
            return Err(Error::new(Kind::Request, format!("{name}: the value is not the name of a region")));
        }
        let virtual_hosting = match flag(&["AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "AWS_VIRTUAL_HOSTING"])? {
            Some(wanted) => Some(wanted),
            None => match profiles.get("s3.addressing_style") {
                Some("virtual") => Some(true),
                Some("path") => Some(false),
                _ => None,
            },
        };
        let requester_pays = match variable("AWS_REQUEST_PAYER") {
            Some(value) if value.trim().eq_ignore_ascii_case("requester") => true,
            Some(value) => parse_flag("AWS_REQUEST_PAYER", &value)?,
            None => false,
        };
        let is_off = flag(&["AWS_NO_SIGN_REQUEST"])?.unwrap_or(false)
            || flag(&["AWS_SKIP_SIGNATURE"])?.unwrap_or(false);
        let is_instance = instance_metadata && !flag(&["AWS_EC2_METADATA_DISABLED"])?.unwrap_or(false);
        let signing = match is_off {
            true => Signing::Off,
            false => match signing(variable, &profiles, is_instance) {
                Ok(signing) => signing,
                Err(error) => Signing::Failing(error),
            },
        };
        let custom = match flag(&["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"])? {
            Some(true) => None,
            _ => custom_endpoint(variable, &profiles, flag(&["AWS_HTTPS"])?.unwrap_or(true))?,
        };
        Ok(Config {
            endpoint: Endpoint { custom, virtual_hosting },
            region: region.map(|(_, region)| region),
            requester_pays,
            signing,
        })
    }

    /// Returns how a request to a bucket is signed. `is_named` says whether the user named the bucket.
    ///
    /// # Errors
    /// `Request`, `Unsupported` or `Io` if the user's credentials cannot be read.
    pub(super) fn signature(&self, is_named: bool) -> Result<Signature> {
        match &self.signing {
            Signing::Off => Ok(Signature::Off),
            _ if !is_named => Ok(match self.signing {
                Signing::Nowhere => Signature::NoCredentials,
                _ => Signature::NotNamed,
            }),
            Signing::Key(credentials) => Ok(Signature::With(credentials.clone())),
            Signing::Instance(address) => metadata::credentials(address).map(Signature::With),
            Signing::Nowhere => Ok(Signature::NoCredentials),
            Signing::Failing(error) => Err(Error::new(error.kind(), error.message())),
        }
    }
}

/// The sections of the profile that is used.
struct Profiles {
    name: String,
    /// Whether the user chose it, so that its absence is an error.
    is_chosen: bool,
    config: Option<Profile>,
    credentials: Option<Profile>,
    services: Option<Profile>,
}

impl Profiles {
    fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let chosen = variable("AWS_PROFILE").or_else(|| variable("AWS_DEFAULT_PROFILE"));
        let home = || variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
        let text = |name: &str, file: &str| {
            profile::path(variable(name), home(), file).and_then(|path| profile::read(&path))
        };
        let (config, credentials) =
            (text("AWS_CONFIG_FILE", "config"), text("AWS_SHARED_CREDENTIALS_FILE", "credentials"));
        let name = chosen.as_deref().unwrap_or("default").trim();
        let of_config = |kind: &str, name: &str| profile::find(config.as_deref()?, Form::Config, kind, name);
        let own = of_config("profile", name);
        let services = own.as_ref().and_then(|own| of_config("services", own.get("services")?));
        let credentials = credentials.as_deref();
        Profiles {
            credentials: credentials.and_then(|text| profile::find(text, Form::Credentials, "profile", name)),
            name: name.to_owned(),
            is_chosen: chosen.is_some(),
            config: own,
            services,
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.config.as_ref().and_then(|profile| profile.get(key))
    }
}

fn signing(
    variable: impl Fn(&str) -> Option<String>,
    profiles: &Profiles,
    is_instance: bool,
) -> Result<Signing> {
    if let Some(found) = Credentials::of_environment(&variable)? {
        return Ok(Signing::Key(found));
    }
    let Profiles { name, is_chosen, config, credentials, .. } = profiles;
    if *is_chosen && config.is_none() && credentials.is_none() {
        return Err(Error::new(Kind::Request, format!("AWS_PROFILE: there is no profile '{name}'")));
    }
    if let Some(found) = Credentials::of_profile(name, credentials.as_ref(), config.as_ref())? {
        return Ok(Signing::Key(found));
    }
    match is_instance {
        true => metadata::address(variable).map(Signing::Instance),
        false => Ok(Signing::Nowhere),
    }
}

/// Returns the server that the user names. A name for S3 alone takes precedence over one for every service.
fn custom_endpoint(
    variable: impl Fn(&str) -> Option<String>,
    profiles: &Profiles,
    secure: bool,
) -> Result<Option<Url>> {
    for name in ["AWS_ENDPOINT_URL_S3", "AWS_S3_ENDPOINT", "AWS_ENDPOINT_URL"] {
        if let Some(value) = variable(name) {
            return endpoint::parse(name, value.trim(), secure).map(Some);
        }
    }
    let services = profiles.services.as_ref();
    let of_profile =
        services.and_then(|own| own.get("s3.endpoint_url")).or_else(|| profiles.get("endpoint_url"));
    of_profile.map(|value| endpoint::parse("endpoint_url", value, true)).transpose()
}

fn parse_flag(name: &str, value: &str) -> Result<bool> {
    match &*value.trim().to_ascii_uppercase() {
        "YES" | "TRUE" | "ON" | "1" => Ok(true),
        "NO" | "FALSE" | "OFF" | "0" => Ok(false),
        _ => Err(Error::new(Kind::Request, format!("{name}: the value is neither YES nor NO"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "ID"), ("AWS_SECRET_ACCESS_KEY", "secret")];

    fn load(variables: &[(&str, &str)]) -> Result<Config> {
        load_with(false, variables)
    }

    fn load_with(instance_metadata: bool, variables: &[(&str, &str)]) -> Result<Config> {
        let value = |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, v)| v.to_string());
        Config::load(instance_metadata, value)
    }

    fn custom(variables: &[(&str, &str)]) -> Option<String> {
        load(variables).unwrap().endpoint.custom.map(|url| url.as_str().to_owned())
    }

    #[test]
    fn nothing_set_is_anonymous_and_aws() {
        let config = load(&[]).unwrap();
        assert_eq!(config.endpoint, Endpoint::default());
        assert_eq!((&config.region, config.requester_pays), (&None, false));
        assert_eq!(config.signature(true).unwrap(), Signature::NoCredentials);
    }

    #[test]
    fn only_what_the_user_named_is_signed() {
        let config = load(&KEY).unwrap();
        assert!(matches!(config.signature(true).unwrap(), Signature::With(found) if found.id == "ID"));
        assert_eq!(config.signature(false).unwrap(), Signature::NotNamed);
        for word in ["AWS_NO_SIGN_REQUEST", "AWS_SKIP_SIGNATURE"] {
            let config = load(&[KEY[0], KEY[1], (word, "true")]).unwrap();
            assert_eq!(config.signature(true).unwrap(), Signature::Off, "{word}");
        }
    }

    #[test]
    fn credentials_that_cannot_be_had_matter_only_when_they_are_needed() {
        let config = load(&[("AWS_PROFILE", "none"), ("HOME", "/nonexistent")]).unwrap();
        assert_eq!(config.signature(false).unwrap(), Signature::NotNamed);
        let error = config.signature(true).unwrap_err();
        assert_eq!(error.message(), "AWS_PROFILE: there is no profile 'none'");
    }

    #[test]
    fn the_words_of_aws_and_of_gdal_mean_the_same() {
        assert_eq!(
            load(&[("AWS_REGION", "a-1"), ("AWS_DEFAULT_REGION", "b-1")]).unwrap().region.as_deref(),
            Some("a-1")
        );
        assert_eq!(
            load(&[("AWS_DEFAULT_REGION", "b-1"), ("AWS_REGION", " ")]).unwrap().region.as_deref(),
            Some("b-1")
        );
        for (word, value, expected) in [
            ("AWS_VIRTUAL_HOSTED_STYLE_REQUEST", "true", Some(true)),
            ("AWS_VIRTUAL_HOSTING", "NO", Some(false)),
            ("HOME", "/nonexistent", None),
        ] {
            assert_eq!(load(&[(word, value)]).unwrap().endpoint.virtual_hosting, expected, "{word}");
        }
        for (value, expected) in [("requester", true), ("true", true), ("NO", false), ("", false)] {
            assert_eq!(load(&[("AWS_REQUEST_PAYER", value)]).unwrap().requester_pays, expected, "{value}");
        }
        assert_eq!(
            custom(&[("AWS_ENDPOINT_URL", "http://a"), ("AWS_S3_ENDPOINT", "b:1")]).unwrap(),
            "https://b:1/"
        );
        assert_eq!(custom(&[("AWS_S3_ENDPOINT", "b"), ("AWS_HTTPS", "NO")]).unwrap(), "http://b/");
        assert_eq!(
            custom(&[("AWS_ENDPOINT_URL_S3", "http://c"), ("AWS_S3_ENDPOINT", "b")]).unwrap(),
            "http://c/"
        );
        let ignored = ("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true");
        assert_eq!(custom(&[("AWS_ENDPOINT_URL", "http://a"), ignored]), None);
    }

    #[test]
    fn a_wrong_value_names_its_variable_and_is_not_repeated() {
        for name in [
            "AWS_REGION",
            "AWS_VIRTUAL_HOSTING",
            "AWS_REQUEST_PAYER",
            "AWS_NO_SIGN_REQUEST",
            "AWS_ENDPOINT_URL",
            "AWS_HTTPS",
            "AWS_EC2_METADATA_DISABLED",
        ] {
            let error = load_with(true, &[(name, "http://x:secret@")]).unwrap_err();
            assert_eq!(error.kind(), Kind::Request);
            assert!(error.message().starts_with(name) && !error.message().contains("secret"), "{error}");
        }
    }

    #[test]
    fn the_service_of_the_machine_is_asked_only_when_switched_on() {
        let is_instance = |on, variables: &[(&str, &str)]| {
            matches!(load_with(on, variables).unwrap().signing, Signing::Instance(_))
        };
        assert!(is_instance(true, &[]) && !is_instance(false, &[]) && !is_instance(true, &KEY));
        assert!(!is_instance(true, &[("AWS_EC2_METADATA_DISABLED", "true")]));
    }

    #[test]
    fn a_profile_has_what_the_environment_lacks() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(path(".aws")).unwrap();
        let config = "[default]\nregion = c-1\n[profile mine]\nregion = d-1\nservices = s\ns3 =\n addressing_style = virtual\n\
                      [services s]\ns3 =\n endpoint_url = http://store\n";
        std::fs::write(path(".aws/config"), config).unwrap();
        let keys = "[default]\naws_access_key_id=A\naws_secret_access_key=a\n[mine]\naws_access_key_id=M\naws_secret_access_key=m\n";
        std::fs::write(path(".aws/credentials"), keys).unwrap();
        std::fs::write(path("other"), keys.replace("=M", "=N")).unwrap();
        let (home, other) = (path(""), path("other"));
        let id = |config: &Config| match config.signature(true).unwrap() {
            Signature::With(found) => found.id,
            other => panic!("{other:?}"),
        };
        let plain = load(&[("HOME", &home)]).unwrap();
        assert_eq!((plain.region.as_deref(), id(&plain).as_str()), (Some("c-1"), "A"));
        let mine = load(&[("HOME", &home), ("AWS_PROFILE", "mine")]).unwrap();
        assert_eq!((mine.region.as_deref(), id(&mine).as_str()), (Some("d-1"), "M"));
        assert_eq!(mine.endpoint.custom.as_ref().map(Url::as_str), Some("http://store/"));
        assert_eq!(mine.endpoint.virtual_hosting, Some(true));
        let named = [("HOME", &*home), ("AWS_PROFILE", "mine"), ("AWS_SHARED_CREDENTIALS_FILE", &*other)];
        assert_eq!(id(&load(&named).unwrap()), "N");
        let both = [("HOME", &*home), KEY[0], KEY[1], ("AWS_REGION", "e-1")];
        let both = load(&both).unwrap();
        assert_eq!((both.region.as_deref(), id(&both).as_str()), (Some("e-1"), "ID"));
    }
}
