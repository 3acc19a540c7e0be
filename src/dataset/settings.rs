//! Sets the options of a dataset by name and text, so that the environment, the command line and other hosts share one
//! spelling. [`SETTINGS`] describes them for help texts.

use std::ffi::OsString;

use crate::error::secrets::redact;
use crate::error::{Error, Kind, Result};
use crate::options::OpenOptions;

/// One entry of the table of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setting {
    /// The name for [`OpenOptions::set`]; the environment variable has this name with the prefix `CFA_`.
    pub name: &'static str,
    /// What it does and which values it accepts, on one line.
    pub description: &'static str,
    /// The default value.
    pub default: &'static str,
    /// What its values look like.
    pub form: SettingForm,
}

/// What the values of a setting look like, for hosts that offer a choice or check a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SettingForm {
    /// Any text; the description says more.
    Text,
    /// YES or NO.
    Boolean,
    /// A whole number that is not negative.
    Integer,
    /// A number.
    Number,
    /// One of these words.
    Word(&'static [&'static str]),
}

const fn setting(
    name: &'static str,
    form: SettingForm,
    default: &'static str,
    description: &'static str,
) -> Setting {
    Setting { name, description, default, form }
}

/// All settings, for help texts.
///
/// ```
/// let names: Vec<_> = cfa::SETTINGS.iter().map(|setting| setting.name).collect();
/// assert!(names.contains(&"ALLOWED_SOURCES"));
///
/// let mut options = cfa::OpenOptions::default();
/// options.set("MAX_NESTING", "2")?;
/// assert_eq!(options.max_nesting, 2);
/// # Ok::<(), cfa::Error>(())
/// ```
pub static SETTINGS: &[Setting] = &[
    setting(
        "ALLOWED_SOURCES",
        SettingForm::Text,
        "DEFAULT",
        "what an aggregation file may open: SIBLINGS, LOCAL, DEFAULT, ALL, or absolute paths and URLs (a;b)",
    ),
    setting("ALLOW_PRIVATE_NETWORK", SettingForm::Boolean, "NO", "YES or NO: loopback, private and link-local network addresses"),
    setting("S3_INSTANCE_METADATA", SettingForm::Boolean, "NO", "YES or NO: ask the metadata service of this machine for credentials for S3"),
    setting("HTTP_CONNECT_TIMEOUT", SettingForm::Number, "5", "seconds that connecting to a server may take"),
    setting("HTTP_STALL_TIMEOUT", SettingForm::Number, "30", "seconds that a server may send nothing"),
    setting("HTTP_CONCURRENCY", SettingForm::Integer, "64", "requests that a server has at a time; twice as many while they are small"),
    setting("HTTP_MAX_RETRY", SettingForm::Integer, "5", "how often a failed request is repeated"),
    setting("HTTP_DEADLINE", SettingForm::Number, "180", "seconds that a request may take, including repetitions"),
    setting("MISSING_FRAGMENTS", SettingForm::Word(&["ERROR", "FILL"]), "ERROR", "ERROR or FILL: what happens if no version of a fragment exists"),
    setting(
        "MISSING_BYTES",
        SettingForm::Text,
        "ERROR",
        "ERROR, or the number that stands for missing data in aggregated bytes without a missing value of their own",
    ),
    setting(
        "CHANGED_FRAGMENTS",
        SettingForm::Word(&["WARN", "ERROR", "IGNORE"]),
        "WARN",
        "WARN, ERROR or IGNORE: what happens if a fragment changed since its state was recorded",
    ),
    setting(
        "LOSSY_CASTS",
        SettingForm::Boolean,
        "NO",
        "YES or NO: convert fragments even where values change (fractions cut off, out of range missing)",
    ),
    setting("RAW_VIEW", SettingForm::Boolean, "NO", "YES or NO: show the variables as stored instead of the aggregated view"),
    setting("MAX_FRAGMENTS", SettingForm::Integer, "10000000", "fragments that one aggregation variable may have"),
    setting("MAX_NESTING", SettingForm::Integer, "32", "depth of aggregations whose fragments are aggregations"),
    setting("MAX_OPEN_FILES", SettingForm::Integer, "100", "fragment files kept open at a time"),
    setting("CACHE_BYTES", SettingForm::Text, "64M", "memory for decoded chunks, in bytes or with a suffix K, M or G"),
    setting("NUM_THREADS", SettingForm::Text, "0", "threads that read fragments; 0 means one per core"),
    setting(
        "SUBSTITUTIONS",
        SettingForm::Text,
        "",
        "replacements in fragment locations, before the file's own (${key}=value;...)",
    ),
    setting("RELOCATE", SettingForm::Text, "", "location prefixes that moved (from=to;...), compared by whole segments"),
    setting(
        "FRAGMENT_DRIVERS",
        SettingForm::Text,
        "GTiff,GRIB,Zarr,HDF4",
        "in the GDAL plugin: drivers that may read fragments, some of the default ones or NONE (a,b)",
    ),
];

impl OpenOptions {
    /// Returns the defaults, changed by the environment variables `CFA_*` of [`SETTINGS`]. An empty variable counts as
    /// unset.
    ///
    /// # Errors
    /// `Request`, which names the variable whose value is not valid.
    pub fn from_env() -> Result<Self> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    fn from_variables(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        let mut options = OpenOptions::default();
        for setting in SETTINGS {
            let variable = format!("CFA_{}", setting.name);
            let Some(value) = lookup(&variable).filter(|value| !value.is_empty()) else { continue };
            let problem = match value.to_str() {
                Some(value) => options.assign(setting.name, value),
                None => Err("the value is not valid UTF-8".into()),
            };
            problem.map_err(|problem| {
                Error::new(Kind::Request, format!("environment variable {variable}: {problem}"))
            })?;
        }
        Ok(options)
    }

    /// Sets one of [`SETTINGS`] by its name (any case, `-` for `_`) and a text.
    ///
    /// # Errors
    /// `Request` if there is no such setting or the value is not valid; the setting then keeps its value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let canonical = name.to_ascii_uppercase().replace('-', "_");
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == canonical) else {
            let names: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
            let message =
                format!("unknown setting '{}'; the settings are: {}", redact(name), names.join(", "));
            return Err(Error::new(Kind::Request, message));
        };
        self.assign(setting.name, value)
            .map_err(|problem| Error::new(Kind::Request, format!("setting {}: {problem}", setting.name)))
    }

    fn assign(&mut self, name: &str, value: &str) -> std::result::Result<(), String> {
        let value = value.trim();
        match name {
            "ALLOWED_SOURCES" => self.allowed_sources = parse::sources(value)?,
            "ALLOW_PRIVATE_NETWORK" => self.allow_private_network = parse::flag(value)?,
            "S3_INSTANCE_METADATA" => self.s3_instance_metadata = parse::flag(value)?,
            "HTTP_CONNECT_TIMEOUT" => self.http_connect_timeout = parse::seconds(value)?,
            "HTTP_STALL_TIMEOUT" => self.http_stall_timeout = parse::seconds(value)?,
            "HTTP_CONCURRENCY" => self.http_concurrency = parse::count(1, value)?,
            "HTTP_MAX_RETRY" => self.http_max_retry = parse::count(0, value)?,
            "HTTP_DEADLINE" => self.http_deadline = parse::seconds(value)?,
            "MISSING_FRAGMENTS" => self.missing_fragments = parse::missing(value)?,
            "MISSING_BYTES" => self.missing_bytes = parse::missing_bytes(value)?,
            "CHANGED_FRAGMENTS" => self.changed_fragments = parse::changed(value)?,
            "LOSSY_CASTS" => self.lossy_casts = parse::flag(value)?,
            "RAW_VIEW" => self.raw_view = parse::flag(value)?,
            "MAX_FRAGMENTS" => self.max_fragments = parse::at_least(1, value)?,
            "MAX_NESTING" => self.max_nesting = parse::count(0, value)?,
            "MAX_OPEN_FILES" => self.max_open_files = parse::count(1, value)?,
            "CACHE_BYTES" => self.cache_bytes = parse::bytes(value)?,
            "NUM_THREADS" if value.eq_ignore_ascii_case("ALL_CPUS") => self.num_threads = 0,
            "NUM_THREADS" => self.num_threads = parse::count(0, value)?,
            "SUBSTITUTIONS" => self.substitutions = parse::substitutions(value)?,
            "RELOCATE" => self.relocate = parse::pairs(value)?,
            "FRAGMENT_DRIVERS" => self.fragment_drivers = parse::drivers(value)?,
            _ => return Err("it cannot be set here".into()),
        }
        Ok(())
    }
}

/// Parses texts to values. An error says what is wrong with the text. Values that may contain credentials are not
/// repeated.
mod parse {
    use std::time::Duration;

    use crate::error::Kind;
    use crate::io::location::{is_absolute, parse, Reference};
    use crate::io::remote::Url;
    use crate::options::{AllowedSources, ChangedFragments, FragmentDriver, MissingFragments};

    type Parsed<T> = std::result::Result<T, String>;

    pub fn changed(value: &str) -> Parsed<ChangedFragments> {
        match &*value.to_ascii_uppercase() {
            "WARN" => Ok(ChangedFragments::Warn),
            "ERROR" => Ok(ChangedFragments::Error),
            "IGNORE" => Ok(ChangedFragments::Ignore),
            _ => Err(format!("'{value}' is not WARN, ERROR or IGNORE")),
        }
    }

    pub fn flag(value: &str) -> Parsed<bool> {
        match &*value.to_ascii_uppercase() {
            "YES" | "TRUE" | "ON" | "1" => Ok(true),
            "NO" | "FALSE" | "OFF" | "0" => Ok(false),
            _ => Err(format!("'{value}' is neither YES nor NO")),
        }
    }

    pub fn missing(value: &str) -> Parsed<MissingFragments> {
        match &*value.to_ascii_uppercase() {
            "ERROR" => Ok(MissingFragments::Error),
            "FILL" => Ok(MissingFragments::Fill),
            _ => Err(format!("'{value}' is neither ERROR nor FILL")),
        }
    }

    pub fn missing_bytes(value: &str) -> Parsed<Option<i16>> {
        if value.eq_ignore_ascii_case("ERROR") {
            return Ok(None);
        }
        let number = value.parse().ok().filter(|number| (-128..=255).contains(number));
        number.map(Some).ok_or_else(|| format!("'{value}' is neither ERROR nor a number from -128 to 255"))
    }

    pub fn at_least(least: u64, value: &str) -> Parsed<u64> {
        let number = value.parse::<u64>().map_err(|_| format!("'{value}' is not a whole number"))?;
        if number < least {
            return Err(format!("{number} is less than {least}"));
        }
        Ok(number)
    }

    pub fn count(least: u64, value: &str) -> Parsed<usize> {
        usize::try_from(at_least(least, value)?).map_err(|_| format!("'{value}' is too large"))
    }

    /// Parses seconds: more than 0 and at most a day.
    pub fn seconds(value: &str) -> Parsed<Duration> {
        let number = value.parse::<f64>().ok().filter(|seconds| (0.001..=86_400.0).contains(seconds));
        let number =
            number.ok_or_else(|| format!("'{value}' is not a number of seconds from 0.001 to 86400"))?;
        Ok(Duration::from_secs_f64(number))
    }

    pub fn bytes(value: &str) -> Parsed<u64> {
        let upper = value.to_ascii_uppercase();
        let text = upper.strip_suffix("IB").or_else(|| upper.strip_suffix('B')).unwrap_or(&upper);
        let (digits, shift) = match text.chars().last() {
            Some('K') => (&text[..text.len() - 1], 10),
            Some('M') => (&text[..text.len() - 1], 20),
            Some('G') => (&text[..text.len() - 1], 30),
            _ => (text, 0),
        };
        let number = digits.trim_end().parse::<u64>();
        let number = number.map_err(|_| format!("'{value}' is not a size such as 500K, 64M or 2G"))?;
        number.checked_mul(1 << shift).ok_or_else(|| format!("'{value}' is too large"))
    }

    pub fn sources(value: &str) -> Parsed<AllowedSources> {
        match &*value.to_ascii_uppercase() {
            "SIBLINGS" => return Ok(AllowedSources::Siblings),
            "LOCAL" => return Ok(AllowedSources::Local),
            "DEFAULT" => return Ok(AllowedSources::Default),
            "ALL" => return Ok(AllowedSources::All),
            _ => {}
        }
        let prefixes: Vec<String> = entries(value).map(str::to_owned).collect();
        let forms = "SIBLINGS, LOCAL, DEFAULT, ALL, or absolute paths and URLs separated by ';'";
        // An address that this build cannot read is still an address.
        let is_malformed = |prefix: &String| {
            let is_network = matches!(parse(prefix), Ok(Reference::Network(_)));
            is_network && Url::parse(prefix).is_err_and(|error| error.kind() == Kind::Uri)
        };
        if prefixes.is_empty() || prefixes.iter().any(|prefix| !is_absolute(prefix) || is_malformed(prefix)) {
            return Err(format!("the value is none of {forms}"));
        }
        Ok(AllowedSources::Prefixes(prefixes))
    }

    pub fn substitutions(value: &str) -> Parsed<Vec<(String, String)>> {
        let mut pairs = pairs(value)?;
        for (key, _) in &mut pairs {
            if !(key.starts_with("${") && key.ends_with('}')) {
                *key = format!("${{{key}}}");
            }
        }
        Ok(pairs)
    }

    pub fn pairs(value: &str) -> Parsed<Vec<(String, String)>> {
        let pair = |(number, entry): (usize, &str)| match entry.split_once('=') {
            Some((key, to)) if !key.trim().is_empty() => Ok((key.trim().to_owned(), to.trim().to_owned())),
            _ => Err(format!("entry {} is not of the form from=to", number + 1)),
        };
        entries(value).enumerate().map(pair).collect()
    }

    pub fn drivers(value: &str) -> Parsed<Vec<FragmentDriver>> {
        if value.eq_ignore_ascii_case("NONE") {
            return Ok(Vec::new());
        }
        let driver = |entry: &str| {
            let named = |driver: &FragmentDriver| driver.name().eq_ignore_ascii_case(entry.trim());
            FragmentDriver::ALL.into_iter().find(named).ok_or_else(|| {
                let names = FragmentDriver::ALL.map(FragmentDriver::name).join(", ");
                format!("'{entry}' is none of {names}")
            })
        };
        value.split(',').map(driver).collect()
    }

    fn entries(value: &str) -> impl Iterator<Item = &str> {
        value.split(';').map(str::trim).filter(|entry| !entry.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{AllowedSources, FragmentDriver, MissingFragments};

    fn set(name: &str, value: &str) -> Result<OpenOptions> {
        let mut options = OpenOptions::default();
        options.set(name, value).map(|()| options)
    }

    #[test]
    fn the_forms_of_the_table_are_those_of_the_values() {
        for setting in SETTINGS {
            let (good, bad): (&[&str], &[&str]) = match setting.form {
                SettingForm::Text => continue,
                SettingForm::Boolean => (&["YES", "NO"], &["2", "maybe"]),
                SettingForm::Integer => (&["1", "7"], &["-1", "1.5", "x"]),
                SettingForm::Number => (&["1", "1.5"], &["x"]),
                SettingForm::Word(words) => (words, &["YES", "1", "x"]),
            };
            assert!(good.iter().all(|value| set(setting.name, value).is_ok()), "{}", setting.name);
            assert!(bad.iter().all(|value| set(setting.name, value).is_err()), "{}", setting.name);
        }
    }

    #[test]
    fn the_defaults_of_the_table_are_the_defaults() {
        for setting in SETTINGS {
            assert_eq!(
                set(setting.name, setting.default).unwrap(),
                OpenOptions::default(),
                "{}",
                setting.name
            );
        }
    }

    #[test]
    fn names_are_taken_in_any_case_with_hyphens() {
        assert_eq!(set("max-nesting", "3").unwrap().max_nesting, 3);
        assert_eq!(set("Max_Nesting", " 3 ").unwrap().max_nesting, 3);
        let error = set("max nesting", "3").unwrap_err();
        assert_eq!(error.kind(), Kind::Request);
        assert!(error.message().contains("MAX_NESTING"), "{error}");
    }

    #[test]
    fn sizes_take_binary_suffixes() {
        for (text, bytes) in
            [("0", 0), ("512", 512), ("3k", 3072), ("64M", 64 << 20), ("2 GiB", 2 << 30), ("1MB", 1 << 20)]
        {
            assert_eq!(set("CACHE_BYTES", text).unwrap().cache_bytes, bytes, "{text}");
        }
        for text in ["", "M", "-1", "1.5G", "1T", "99999999999G", "1Mi", "é"] {
            assert!(set("CACHE_BYTES", text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_limit_of_nothing_is_refused_where_it_makes_no_sense() {
        assert!(set("MAX_FRAGMENTS", "0").is_err());
        assert!(set("MAX_OPEN_FILES", "0").is_err());
        assert_eq!(set("MAX_NESTING", "0").unwrap().max_nesting, 0);
        assert_eq!(set("NUM_THREADS", "ALL_CPUS").unwrap().num_threads, 0);
    }

    #[test]
    fn sources_are_words_or_absolute_prefixes() {
        assert_eq!(set("ALLOWED_SOURCES", "siblings").unwrap().allowed_sources, AllowedSources::Siblings);
        let list = set("ALLOWED_SOURCES", "/data/a; https://example.org/x;").unwrap().allowed_sources;
        assert_eq!(list, AllowedSources::Prefixes(vec!["/data/a".into(), "https://example.org/x".into()]));
        for text in ["SIBLING", "data/a", "/data;LOCAL", ";", ""] {
            assert!(set("ALLOWED_SOURCES", text).is_err(), "{text}");
        }
    }

    #[test]
    fn substitutions_are_given_with_or_without_braces() {
        let options = set("SUBSTITUTIONS", "base=/data/;${x}=a=b;;y=").unwrap();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(options.substitutions, [pair("${base}", "/data/"), pair("${x}", "a=b"), pair("${y}", "")]);
        assert!(set("SUBSTITUTIONS", "base").is_err());
        assert!(set("RELOCATE", "=/new").is_err());
    }

    #[test]
    fn fragment_drivers_are_some_of_those_that_are_safe() {
        let drivers = |text| set("FRAGMENT_DRIVERS", text).map(|options| options.fragment_drivers);
        assert_eq!(drivers("zarr, GTIFF").unwrap(), [FragmentDriver::Zarr, FragmentDriver::GeoTiff]);
        assert_eq!(drivers("none").unwrap(), []);
        for text in ["VRT", "GTiff,VRT", "", "GTiff,,Zarr"] {
            let error = drivers(text).unwrap_err();
            assert!(
                error.message().contains("FRAGMENT_DRIVERS") && error.message().contains("HDF4"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_environment_changes_the_defaults_and_errors_name_the_variable() {
        let options = OpenOptions::from_variables(|name| match name {
            "CFA_MISSING_FRAGMENTS" => Some("fill".into()),
            "CFA_MAX_FRAGMENTS" => Some("".into()),
            "CFA_LOSSY_CASTS" => Some("yes".into()),
            _ => None,
        });
        let expected = OpenOptions::default().missing_fragments(MissingFragments::Fill).lossy_casts(true);
        assert_eq!(options.unwrap(), expected);
        let wrong = OpenOptions::from_variables(|name| (name == "CFA_NUM_THREADS").then(|| "many".into()));
        let error = wrong.unwrap_err();
        assert!(error.message().contains("CFA_NUM_THREADS: 'many'"), "{error}");
    }

    #[test]
    fn a_bad_list_is_not_repeated_in_the_error() {
        for name in ["ALLOWED_SOURCES", "RELOCATE", "SUBSTITUTIONS"] {
            let error = set(name, "user:secret@host").unwrap_err();
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
