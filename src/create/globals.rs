//! The global attributes of the aggregation file.

use std::time::{SystemTime, UNIX_EPOCH};

use super::scan::Globals;
use super::Options;
use crate::canonical::Calendar;
use crate::value::Attributes;

/// What all files agree on, with `Conventions` and `history` of the new file; and a note on what was left out.
pub(super) fn merge(
    globals: &Globals,
    old_history: Option<String>,
    options: &Options,
) -> (Attributes, Option<String>) {
    let common = globals.common.clone().unwrap_or_default();
    let mut out = Attributes::default();
    let others = common.text("Conventions").unwrap_or_default();
    let others =
        others.split([' ', ',']).filter(|c| !c.is_empty() && !c.starts_with("CF-") && !c.starts_with("CFA"));
    let mut conventions = vec![options.dialect.conventions().to_owned()];
    conventions.extend(others.map(str::to_owned));
    out.set_text("Conventions", conventions.join(" "));
    for attribute in &common {
        if attribute.name != "Conventions" {
            out.set(&attribute.name, attribute.value.clone());
        }
    }
    let mut history = format!("{} {}", now(), options.history.as_deref().unwrap_or("cfa create"));
    if let Some(old) = old_history.or_else(|| common.text("history")).filter(|h| !h.is_empty()) {
        history.push('\n');
        history.push_str(&old);
    }
    out.set_text("history", history);
    let hidden = ["Conventions", "history"];
    let left_out: Vec<&str> =
        globals.different.iter().map(String::as_str).filter(|n| !hidden.contains(n)).collect();
    let note = (!left_out.is_empty()).then(|| {
        format!("global attributes that differ between files are left out: {}", left_out.join(", "))
    });
    (out, note)
}

/// The time in UTC, as `2026-01-31T12:00:00Z`.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
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
        let globals = Globals { common: Some(common), different: vec!["tracking_id".into()] };
        let (out, note) = merge(&globals, None, &Options::default());
        assert_eq!(out.text("Conventions").unwrap(), "CF-1.13 CMIP-6.2");
        assert!(out.text("history").unwrap().ends_with("cfa create\nearlier"));
        assert!(note.unwrap().contains("tracking_id"));
        assert_eq!(now().len(), 20);
    }
}
