//! Decides what may be requested from servers, and with which credentials.

use std::sync::{Arc, OnceLock};

use super::s3;
use super::url::Url;
use crate::error::{Error, Kind, Result};
use crate::options::{AllowedSources, OpenOptions};

/// What an aggregation file, or the user who named one, may request from servers.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    rule: Rule,
    setting: &'static str,
    /// The addresses of the aggregation file that the user named.
    home: Vec<Url>,
    /// The addresses of the list in ALLOWED_SOURCES.
    listed: Vec<Url>,
    instance_metadata: bool,
    s3: S3Settings,
}

/// The user's settings for S3, read when they are first needed. A dataset and its fragments share them, since reading
/// them means reading files.
#[derive(Clone, Debug, Default)]
pub(crate) struct S3Settings(Arc<OnceLock<Result<s3::Config>>>);

impl S3Settings {
    fn object(&self, url: &Url, is_named: bool, instance_metadata: bool) -> Result<s3::Object> {
        match self.0.get_or_init(|| s3::Config::of_process(instance_metadata)) {
            Ok(config) => s3::Object::new(url, config, is_named),
            Err(error) => Err(Error::new(error.kind(), error.message())),
        }
    }
}

#[derive(Clone, Debug)]
enum Rule {
    /// Everything, because the user said so.
    All,
    /// Everything, because nobody restricted it.
    Anything,
    /// Addresses with the origin of one of these.
    Origins(Vec<Url>),
    /// Addresses beside the aggregation file that the user named, or below.
    Siblings,
    /// Addresses in the list of ALLOWED_SOURCES.
    Listed,
}

/// How an address may be requested.
pub(super) struct Permit {
    /// The value of the header `Authorization`.
    authorization: Option<String>,
    /// How it is requested, if it is an object in S3.
    pub(super) object: Option<s3::Object>,
    /// Whether the user named this server, so that a proxy, which hides the address, may be used.
    pub(super) is_named: bool,
}

impl Permit {
    /// Returns the address of the request.
    pub(super) fn uri(&self, url: &Url) -> String {
        self.object.as_ref().map_or_else(|| url.to_location(), s3::Object::uri)
    }

    /// Returns the headers of the request besides `Range`.
    pub(super) fn headers(&self, range: &str) -> Vec<(&'static str, String)> {
        match &self.object {
            Some(object) => object.headers(range),
            None => self.authorization.iter().map(|value| ("authorization", value.clone())).collect(),
        }
    }
}

impl Access {
    /// Returns the access for an aggregation file that the user named by its address, wherever that redirects.
    pub(crate) fn of_named(url: &Url, options: &OpenOptions, s3: &S3Settings) -> Self {
        Access::new(Rule::Anything, "", vec![url.clone()], options, s3)
    }

    fn new(
        rule: Rule,
        setting: &'static str,
        home: Vec<Url>,
        options: &OpenOptions,
        s3: &S3Settings,
    ) -> Self {
        let (listed, s3) = (listed(options), s3.clone());
        Access { rule, setting, home, listed, instance_metadata: options.s3_instance_metadata, s3 }
    }

    /// Returns the access for the names in an aggregation file. `own` are its addresses, `home` those of the file that
    /// the user named, and `remote` is true if it is not a local file.
    pub(crate) fn of_fragments(
        remote: bool,
        own: Vec<Url>,
        home: Vec<Url>,
        options: &OpenOptions,
        s3: &S3Settings,
    ) -> Self {
        let (rule, setting) = match &options.allowed_sources {
            AllowedSources::All => (Rule::All, "ALLOWED_SOURCES=ALL"),
            AllowedSources::Prefixes(_) => (Rule::Listed, "the list in ALLOWED_SOURCES"),
            AllowedSources::Siblings => (Rule::Siblings, "ALLOWED_SOURCES=SIBLINGS"),
            AllowedSources::Local => (Rule::Siblings, "ALLOWED_SOURCES=LOCAL"),
            AllowedSources::Default if remote => {
                (Rule::Origins(own), "ALLOWED_SOURCES=DEFAULT in a file that is not local")
            }
            AllowedSources::Default => (Rule::Anything, "ALLOWED_SOURCES=DEFAULT"),
        };
        Access::new(rule, setting, home, options, s3)
    }

    /// Checks an address: the first one, and each one that a server redirects to.
    ///
    /// # Errors
    /// `Policy` if it is not allowed; as [`s3::Object::new`] for an object in S3.
    pub(super) fn judge(&self, url: &Url) -> Result<Permit> {
        let is_listed = self.listed.iter().any(|prefix| url.lies_below(prefix));
        let allowed = match &self.rule {
            Rule::All | Rule::Anything => true,
            Rule::Origins(own) => own.iter().any(|own| url.has_origin_of(own)),
            Rule::Siblings => self.home.iter().any(|home| url.lies_below(&home.directory())),
            Rule::Listed => is_listed,
        };
        if !allowed {
            let message = format!(
                "'{url}' is outside of what {} allows; a list in ALLOWED_SOURCES with '{}' allows it",
                self.setting,
                url.directory()
            );
            return Err(Error::new(Kind::Policy, message));
        }
        let is_named = is_listed || self.home.iter().any(|home| url.has_origin_of(home));
        let authorization = is_named.then(|| self.authorization(url)).flatten();
        let object =
            url.is_s3().then(|| self.s3.object(url, is_named, self.instance_metadata)).transpose()?;
        Ok(Permit { authorization, object, is_named: is_named || matches!(self.rule, Rule::All) })
    }

    /// Returns the credentials in the address itself, or else those that the user gave for its server.
    fn authorization(&self, url: &Url) -> Option<String> {
        let given = self.listed.iter().filter(|prefix| url.lies_below(prefix));
        let given = given.chain(self.home.iter().filter(|home| url.has_origin_of(home)));
        std::iter::once(url).chain(given).find_map(Url::authorization)
    }
}

fn listed(options: &OpenOptions) -> Vec<Url> {
    match &options.allowed_sources {
        AllowedSources::Prefixes(list) => list.iter().filter_map(|prefix| Url::parse(prefix).ok()).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn urls(texts: &[&str]) -> Vec<Url> {
        texts.iter().map(|text| url(text)).collect()
    }

    fn options(allowed: &str) -> OpenOptions {
        let mut options = OpenOptions::default();
        options.set("ALLOWED_SOURCES", allowed).unwrap();
        options
    }

    #[test]
    fn a_local_file_may_name_servers_by_default_and_by_a_list() {
        let allows = |setting: &str, text: &str| {
            let access =
                Access::of_fragments(false, vec![], vec![], &options(setting), &S3Settings::default());
            access.judge(&url(text)).is_ok()
        };
        assert!(allows("DEFAULT", "https://h/f.nc") && allows("ALL", "http://h/f.nc"));
        assert!(!allows("LOCAL", "https://h/f.nc") && !allows("SIBLINGS", "https://h/f.nc"));
        assert!(allows("/data;https://h/a", "https://h/a/f.nc"));
        assert!(!allows("/data;https://h/a", "https://h/ab/f.nc") && !allows("/data", "https://h/data/f.nc"));
    }

    #[test]
    fn a_remote_file_may_name_its_own_server_by_default() {
        let own = urls(&["https://h/run/agg.nc", "https://cdn/x/agg.nc"]);
        let allows = |setting: &str, text: &str| {
            let access = Access::of_fragments(
                true,
                own.clone(),
                own.clone(),
                &options(setting),
                &S3Settings::default(),
            );
            access.judge(&url(text)).is_ok()
        };
        for text in ["https://h/run/f.nc", "https://h/other/f.nc", "https://cdn/f.nc"] {
            assert!(allows("DEFAULT", text), "{text}");
        }
        for text in ["http://h/run/f.nc", "https://h:8443/f.nc", "https://other/f.nc"] {
            assert!(!allows("DEFAULT", text) && allows("ALL", text), "{text}");
        }
        for setting in ["SIBLINGS", "LOCAL"] {
            assert!(allows(setting, "https://h/run/sub/f.nc") && !allows(setting, "https://h/f.nc"));
        }
    }

    #[test]
    fn credentials_go_to_what_the_user_named_and_nowhere_else() {
        let home = urls(&["https://me:pw@h/agg.nc"]);
        let authorization = |setting: &str, text: &str| {
            let access = Access::of_fragments(
                true,
                home.clone(),
                home.clone(),
                &options(setting),
                &S3Settings::default(),
            );
            access.judge(&url(text)).unwrap().authorization
        };
        let mine = url("https://me:pw@x/").authorization();
        assert_eq!(authorization("DEFAULT", "https://h/f.nc"), mine);
        assert_eq!(
            authorization("DEFAULT", "https://you:pw@h/f.nc"),
            url("https://you:pw@x/").authorization()
        );
        assert_eq!(authorization("ALL", "https://me:pw@other/f.nc"), None);
        assert_eq!(authorization("https://me:pw@other/", "https://other/f.nc"), mine);
        let local =
            Access::of_fragments(false, vec![], vec![], &OpenOptions::default(), &S3Settings::default());
        assert_eq!(local.judge(&url("https://me:pw@h/f.nc")).unwrap().authorization, None);
    }

    /// Returns whether a request for this address is signed, or `None` if it is not allowed.
    fn is_signed(own: &[&str], setting: &str, text: &str) -> Option<bool> {
        let own = urls(own);
        let access = Access::of_fragments(
            !own.is_empty(),
            own.clone(),
            own,
            &options(setting),
            &S3Settings::default(),
        );
        let key = |name: &str| name.starts_with("AWS_") && name.ends_with("KEY") || name.ends_with("KEY_ID");
        let config = s3::Config::load(false, |name| key(name).then(|| "x".to_owned()));
        access.s3.0.set(config).unwrap();
        let permit = access.judge(&url(text)).ok()?;
        Some(permit.headers("bytes=0-1").iter().any(|(name, _)| *name == "authorization"))
    }

    #[test]
    fn only_buckets_that_the_user_named_or_listed_are_asked_with_a_signature() {
        for (setting, text, expected) in [
            ("DEFAULT", "s3://b/f.nc", Some(false)),
            ("ALL", "s3://b/f.nc", Some(false)),
            ("SIBLINGS", "s3://b/f.nc", None),
            ("LOCAL", "s3://b/f.nc", None),
            ("/data;s3://b/run", "s3://b/run/f.nc", Some(true)),
            ("/data;s3://b/run", "s3://b/f.nc", None),
            ("/data;s3://b/run", "s3://c/run/f.nc", None),
            ("https://h/;s3://b", "https://h/f.nc", Some(false)),
        ] {
            assert_eq!(is_signed(&[], setting, text), expected, "local, {setting}: {text}");
        }
        for (setting, text, expected) in [
            ("DEFAULT", "s3://b/other/f.nc", Some(true)),
            ("DEFAULT", "s3://c/run/f.nc", None),
            ("DEFAULT", "https://b/run/f.nc", None),
            ("ALL", "s3://b/f.nc", Some(true)),
            ("ALL", "s3://c/f.nc", Some(false)),
            ("SIBLINGS", "s3://b/run/f.nc", Some(true)),
            ("SIBLINGS", "s3://b/f.nc", None),
            ("s3://c", "s3://c/f.nc", Some(true)),
        ] {
            assert_eq!(is_signed(&["s3://b/run/agg.nc"], setting, text), expected, "s3, {setting}: {text}");
        }
        assert_eq!(is_signed(&["https://h/agg.nc"], "DEFAULT", "s3://b/f.nc"), None);
    }

    #[test]
    fn a_refusal_names_the_setting_and_shows_no_secret() {
        let access = Access::of_fragments(false, vec![], vec![], &options("LOCAL"), &S3Settings::default());
        let refusal = access.judge(&url("https://me:secret@h/a/f.nc?sig=secret")).err().unwrap();
        assert_eq!(
            refusal.message(),
            "'https://h/a/f.nc?...' is outside of what ALLOWED_SOURCES=LOCAL allows; \
             a list in ALLOWED_SOURCES with 'https://h/a/' allows it"
        );
    }
}
