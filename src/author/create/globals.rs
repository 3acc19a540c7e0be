//! The attributes of the groups of the aggregation file; those of the root are the global attributes.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Options;
use crate::canonical::Calendar;
use crate::error::{Error, Kind, Result};
use crate::value::Attributes;

/// The attributes of the groups of one file, by paths without leading slash.
pub(super) type GroupAttributes = Vec<(String, Attributes)>;

/// The attributes of each group in all files.
#[derive(Default)]
pub(super) struct Globals(BTreeMap<String, Shared>);

/// Attributes on which all files agree, and the names of the others.
#[derive(Default)]
struct Shared {
    common: Attributes,
    different: Vec<String>,
}

impl Globals {
    pub fn merge(&mut self, groups: &GroupAttributes) {
        for (path, attributes) in groups {
            match self.0.get_mut(path) {
                Some(shared) => shared.merge(attributes),
                None => {
                    let shared = Shared { common: attributes.clone(), different: Vec::new() };
                    self.0.insert(path.clone(), shared);
                }
            }
        }
    }

    /// Merges the attributes from other files.
    pub fn absorb(&mut self, others: Globals) {
        for (path, shared) in others.0 {
            let own = self
                .0
                .entry(path)
                .or_insert_with(|| Shared { common: shared.common.clone(), different: Vec::new() });
            own.merge(&shared.common);
            let more = shared.different.into_iter().filter(|name| !own.different.contains(name));
            own.different.extend(more.collect::<Vec<_>>());
        }
    }

    pub fn sort(&mut self) {
        self.0.values_mut().for_each(|shared| shared.different.sort());
    }

    /// Returns notes on attributes of groups below the root that are left out: because they differ, or because nothing of
    /// the group is in the aggregation.
    pub fn notes_on_groups(&self, has_variables: impl Fn(&str) -> bool) -> Vec<String> {
        let note = |(path, shared): (&String, &Shared)| match has_variables(path) {
            _ if path.is_empty() => None,
            false if shared.common.iter().next().is_none() && shared.different.is_empty() => None,
            false => Some(format!("group '{path}' has no data variables; its attributes are left out")),
            true if shared.different.is_empty() => None,
            true => {
                let list = shared.different.join(", ");
                Some(format!("attributes of group '{path}' that differ between files are left out: {list}"))
            }
        };
        self.0.iter().filter_map(note).collect()
    }

    /// Returns the common attributes of the groups below the root.
    pub fn of_groups(&self) -> GroupAttributes {
        let below = self.0.iter().filter(|(path, _)| !path.is_empty());
        below.map(|(path, shared)| (path.clone(), shared.common.clone())).collect()
    }
}

impl Shared {
    fn merge(&mut self, attributes: &Attributes) {
        let common = &mut self.common;
        let names = common.iter().chain(attributes).map(|a| a.name.clone()).collect::<Vec<_>>();
        for name in names {
            // For the conventions only the foreign ones are compared: the new file has its own.
            let alike = name == "Conventions" && foreign(common) == foreign(attributes);
            if common.get(&name) != attributes.get(&name) && !alike {
                common.remove(&name);
                if !self.different.contains(&name) {
                    self.different.push(name);
                }
            }
        }
    }
}

/// Returns the conventions other than CF and CFA.
fn foreign(attributes: &Attributes) -> Vec<String> {
    let all = attributes.text("Conventions").unwrap_or_default();
    let others =
        all.split([' ', ',']).filter(|c| !c.is_empty() && !c.starts_with("CF-") && !c.starts_with("CFA"));
    others.map(str::to_owned).collect()
}

/// Returns the attributes that all files have in common, with `Conventions` and `history` of the new file; and a note
/// on those left out that are not kept elsewhere.
///
/// # Errors
/// `Request` if `SOURCE_DATE_EPOCH` is not a time.
pub(super) fn merge(
    globals: &Globals,
    old_history: Option<String>,
    options: &Options,
    is_kept: &dyn Fn(&str) -> bool,
) -> Result<(Attributes, Option<String>)> {
    let nothing = Shared::default();
    let Shared { common, different } = globals.0.get("").unwrap_or(&nothing);
    let mut out = Attributes::default();
    let mut conventions = vec![options.dialect.conventions().to_owned()];
    conventions.extend(foreign(common));
    out.set_text("Conventions", conventions.join(" "));
    for attribute in common {
        if attribute.name != "Conventions" {
            out.set(&attribute.name, attribute.value.clone());
        }
    }
    let mut history = format!("{} {}", time_to_write()?, options.history.as_deref().unwrap_or("cfa create"));
    let is_new = old_history.is_none();
    if let Some(old) = old_history.or_else(|| common.text("history")).filter(|h| !h.is_empty()) {
        history.push('\n');
        history.push_str(&old);
    }
    out.set_text("history", history);
    // An update has the history of the aggregation, and says nothing on those of the new files.
    let is_noted = |name: &&str| *name != "Conventions" && (is_new || *name != "history") && !is_kept(name);
    let left_out: Vec<&str> = different.iter().map(String::as_str).filter(is_noted).collect();
    let note = (!left_out.is_empty()).then(|| {
        format!("global attributes that differ between files are left out: {}", left_out.join(", "))
    });
    Ok((out, note))
}

/// The last second of the year 9999.
const LATEST: u64 = 253_402_300_799;

/// Returns the time of the call, or that of `SOURCE_DATE_EPOCH` if it is set, so that the same input yields the same
/// bytes.
fn time_to_write() -> Result<String> {
    let seconds = match std::env::var_os("SOURCE_DATE_EPOCH") {
        Some(text) => epoch(&text.to_string_lossy())?,
        None => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs()),
    };
    Ok(shown(seconds))
}

fn epoch(text: &str) -> Result<u64> {
    text.parse().ok().filter(|&seconds| seconds <= LATEST).ok_or_else(|| {
        let message =
            format!("SOURCE_DATE_EPOCH is '{text}'; it must be a number of seconds since 1970-01-01");
        Error::new(Kind::Request, message)
    })
}

/// Returns a time in UTC, such as `2026-01-31T12:00:00Z`.
fn shown(seconds: u64) -> String {
    let calendar = Calendar::Standard;
    let origin = calendar.day_number(1970, 1, 1).unwrap_or(0);
    let (year, month, day) = calendar.date(origin + (seconds / 86_400) as i64).unwrap_or((1970, 1, 1));
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventions_are_replaced_and_others_kept() {
        let mut common = Attributes::default();
        common.set_text("Conventions", "CF-1.7 CMIP-6.2");
        common.set_text("title", "x");
        common.set_text("history", "earlier");
        let mut globals = Globals::default();
        let mut other = common.clone();
        other.set_text("tracking_id", "1");
        globals.merge(&vec![(String::new(), common)]);
        globals.merge(&vec![(String::new(), other)]);
        let (out, note) = merge(&globals, None, &Options::default(), &|_| false).unwrap();
        assert_eq!(out.text("Conventions").unwrap(), "CF-1.13 CMIP-6.2");
        assert!(out.text("history").unwrap().ends_with("cfa create\nearlier"));
        assert!(note.unwrap().contains("tracking_id"));
    }

    #[test]
    fn times_are_shown_to_the_second() {
        assert_eq!(shown(0), "1970-01-01T00:00:00Z");
        assert_eq!(shown(epoch("951782399").unwrap()), "2000-02-28T23:59:59Z");
        assert_eq!(shown(epoch("253402300799").unwrap()), "9999-12-31T23:59:59Z");
        for text in ["", "now", "-1", "1.5", "253402300800"] {
            assert_eq!(epoch(text).unwrap_err().kind(), Kind::Request, "{text}");
        }
    }
}
