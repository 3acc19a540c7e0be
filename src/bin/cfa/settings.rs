//! The engine's settings on the command line, which override those of the environment.

use cfa::text::redact;
use cfa::{Error, Kind, Result};
use cfa::{OpenOptions, SETTINGS};
use clap::Args;

/// Settings that every command accepts.
#[derive(Args, Default)]
#[command(next_help_heading = "Settings")]
pub struct Settings {
    /// What to do with a fragment that does not exist: an error, or fill its part with missing values
    #[arg(long, value_name = "error|fill")]
    missing_fragments: Option<String>,
    /// Which files may be opened: siblings (this directory and below), local, default, all, or a list of prefixes
    #[arg(long, value_name = "SOURCES")]
    allowed_sources: Option<String>,
    /// Replace ${KEY} in fragment locations, in place of what the file says (repeatable)
    #[arg(long, value_name = "${KEY}=TEXT")]
    substitution: Vec<String>,
    /// The archive has moved: locations that begin with FROM begin with TO (repeatable)
    #[arg(long, value_name = "FROM=TO")]
    relocate: Vec<String>,
    /// Let conversions to the variable's type lose information: fractions are cut off, what is out of range is missing
    #[arg(long)]
    lossy_casts: bool,
    /// Any other setting, as in the environment variables CFA_NAME (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", long_help = every_setting())]
    set: Vec<String>,
}

/// Returns the help of `--set`, which lists all settings.
pub fn every_setting() -> String {
    let mut help = String::from("Any setting, as in the environment variables CFA_NAME (repeatable):");
    for setting in SETTINGS {
        let default = if setting.default.is_empty() { "none" } else { setting.default };
        help.extend(["\n", setting.name, ": ", setting.description, " [default: ", default, "]"]);
    }
    help
}

impl Settings {
    /// Returns the settings of a command that accepts nothing but `--set`.
    pub fn named(set: &[String]) -> Self {
        Settings { set: set.to_vec(), ..Settings::default() }
    }

    /// Returns the settings of the environment, overridden by those of the command line.
    ///
    /// # Errors
    /// `Request` for a value that is not understood.
    pub fn options(&self) -> Result<OpenOptions> {
        let mut options = OpenOptions::from_env()?;
        let mut named: Vec<(&str, String)> = Vec::new();
        if let Some(value) = &self.missing_fragments {
            named.push(("MISSING_FRAGMENTS", value.clone()));
        }
        if let Some(value) = &self.allowed_sources {
            named.push(("ALLOWED_SOURCES", value.clone()));
        }
        if !self.substitution.is_empty() {
            named.push(("SUBSTITUTIONS", self.substitution.join(";")));
        }
        if !self.relocate.is_empty() {
            named.push(("RELOCATE", self.relocate.join(";")));
        }
        if self.lossy_casts {
            named.push(("LOSSY_CASTS", "YES".into()));
        }
        for pair in &self.set {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                Error::new(Kind::Request, format!("--set {}: expected NAME=VALUE", redact(pair)))
            })?;
            named.push((name, value.to_owned()));
        }
        for (name, value) in named {
            options.set(name, &value)?;
        }
        Ok(options)
    }
}
