//! Changes to a location before it is interpreted: keywords (`${...}`), prefixes that moved, the `base` of CFA-0.4.
//!
//! Keywords come only from the given tables: the environment is never consulted.

use super::uri::{is_absolute, percent_decode};
use crate::error::Result;

/// Replaces keywords from left to right, once: a replacement is not searched for keywords.
///
/// `tables` are searched in order. Keywords, written `${key}`, that are in none of them are kept, and the dialect
/// decides about them (see [`unknown_keyword`]).
pub fn substitute(name: &str, tables: &[&[(String, String)]]) -> String {
    let mut result = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let end = start + length + 1;
        let key = &rest[start..end];
        let found = tables.iter().flat_map(|table| table.iter()).find(|(candidate, _)| candidate == key);
        result.push_str(&rest[..start]);
        result.push_str(found.map_or(key, |(_, value)| value));
        rest = &rest[end..];
    }
    result.push_str(rest);
    result
}

/// Returns the first keyword of a location that is in none of the tables.
pub fn unknown_keyword<'a>(name: &'a str, tables: &[&[(String, String)]]) -> Option<&'a str> {
    let mut rest = name;
    while let Some(start) = rest.find("${") {
        let end = start + rest[start..].find('}')? + 1;
        let key = &rest[start..end];
        if !tables.iter().any(|table| table.iter().any(|(candidate, _)| candidate == key)) {
            return Some(key);
        }
        rest = &rest[end..];
    }
    None
}

/// Appends the name to the `base` of a CFA-0.4 array, unless the name is absolute. An empty base is the aggregation's
/// directory.
pub fn join_base(base: &str, name: &str) -> String {
    if base.is_empty() || name.is_empty() || is_absolute(name) || name.starts_with("file:") {
        return name.to_owned();
    }
    join(base, name)
}

/// Replaces the longest matching prefix of the table in a location. Returns `None` if none matches.
///
/// Prefixes match whole segments: `/old` is a prefix of `/old/a.nc` and `file:///old/a.nc`, not of `/older/a.nc`. An
/// empty replacement makes the location relative to the aggregation file.
///
/// # Errors
/// `Uri` if the location has an encoded NUL.
pub fn relocate(name: &str, table: &[(String, String)]) -> Result<Option<String>> {
    let mut best: Option<(usize, String)> = None;
    for (from, to) in table {
        let Some((segments, rest)) = strip_segments(local_path(name), local_path(from))? else { continue };
        if best.as_ref().is_none_or(|(longest, _)| segments > *longest) {
            let rest = if is_windows(from) { rest.replace('\\', "/") } else { rest.to_owned() };
            best = Some((segments, join(to, &rest)));
        }
    }
    Ok(best.map(|(_, name)| name))
}

fn join(base: &str, name: &str) -> String {
    match base {
        "" => name.to_owned(),
        _ if name.is_empty() => base.to_owned(),
        _ if base.ends_with(['/', '\\']) => format!("{base}{name}"),
        _ => format!("{base}/{name}"),
    }
}

/// Returns the path of a `file:` URI of this machine, and any other text as it is.
fn local_path(name: &str) -> &str {
    let rest = name.strip_prefix("file:").unwrap_or(name);
    if rest.len() == name.len() {
        return name;
    }
    let path = rest.strip_prefix("//localhost/").or_else(|| rest.strip_prefix("///"));
    match path {
        // The slash before the path is one byte.
        Some(path) => &rest[rest.len() - path.len() - 1..],
        None if rest.starts_with("//") => name,
        None => rest,
    }
}

fn is_windows(path: &str) -> bool {
    path.contains('\\')
}

/// Returns the number of segments of `prefix`, and what follows them in `name`.
fn strip_segments<'a>(name: &'a str, prefix: &str) -> Result<Option<(usize, &'a str)>> {
    let separators: &[char] = if is_windows(prefix) { &['/', '\\'] } else { &['/'] };
    let prefix = prefix.strip_suffix(separators).unwrap_or(prefix);
    let mut rest = Some(name);
    let mut count = 0;
    for wanted in prefix.split(separators) {
        let Some(text) = rest else { return Ok(None) };
        let (segment, after) = match text.find(separators) {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        if segment != wanted && percent_decode(segment)?.as_deref() != Some(wanted.as_bytes()) {
            return Ok(None);
        }
        rest = after;
        count += 1;
    }
    Ok(Some((count, rest.unwrap_or(""))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
    }

    #[test]
    fn keywords_are_replaced_once_and_the_first_table_wins() {
        let own = table(&[("${a}", "x/"), ("${b}", "y"), ("${c.d-e}", "${a}")]);
        let runtime = table(&[("${b}", "Z")]);
        let substituted = |name| substitute(name, &[&runtime, &own]);
        assert_eq!(substituted("${a}${b}/${c.d-e}.nc"), "x/Z/${a}.nc");
        assert_eq!(substituted("${HOME}/$HOME/${a"), "${HOME}/$HOME/${a");
        assert_eq!(unknown_keyword("${a}${other}f.nc", &[&runtime, &own]), Some("${other}"));
        assert_eq!(unknown_keyword("${a}f.nc", &[&own]), None);
    }

    #[test]
    fn a_base_goes_before_relative_names_only() {
        assert_eq!(join_base("/data", "f.nc"), "/data/f.nc");
        assert_eq!(join_base("file:///data/", "f.nc"), "file:///data/f.nc");
        assert_eq!(join_base("", "f.nc"), "f.nc");
        assert_eq!(join_base("/data", "/other/f.nc"), "/other/f.nc");
        assert_eq!(join_base("/data", "file:///other/f.nc"), "file:///other/f.nc");
        assert_eq!(join_base("/data", ""), "");
    }

    #[test]
    fn a_moved_prefix_matches_whole_segments_of_paths_and_file_uris() {
        let moved = table(&[("/old", "/new"), ("/old/deep", "/elsewhere/"), ("/here", "")]);
        let relocated = |name| relocate(name, &moved).unwrap();
        assert_eq!(relocated("/old/a.nc").as_deref(), Some("/new/a.nc"));
        assert_eq!(relocated("file:///old/a.nc").as_deref(), Some("/new/a.nc"));
        assert_eq!(relocated("file://localhost/old/a%20b.nc").as_deref(), Some("/new/a%20b.nc"));
        assert_eq!(relocated("file:/old/a.nc").as_deref(), Some("/new/a.nc"));
        assert_eq!(relocated("/old/deep/a.nc").as_deref(), Some("/elsewhere/a.nc"));
        assert_eq!(relocated("/here/sub/a.nc").as_deref(), Some("sub/a.nc"));
        for name in ["/older/a.nc", "old/a.nc", "file://host/old/a.nc", "a.nc", "/"] {
            assert_eq!(relocated(name), None, "{name}");
        }
    }

    #[test]
    fn prefixes_of_urls_encoded_names_and_windows_paths_move() {
        let moved = table(&[
            ("https://host/x", "/data"),
            ("/a dir", "/b"),
            ("C:\\run\\", "/run"),
            ("file:///u/", "https://h/u"),
            ("../frag", "/frag"),
        ]);
        let relocated = |name| relocate(name, &moved).unwrap();
        assert_eq!(relocated("https://host/x/a.nc").as_deref(), Some("/data/a.nc"));
        assert_eq!(relocated("file:///a%20dir/a.nc").as_deref(), Some("/b/a.nc"));
        assert_eq!(relocated("C:\\run\\1\\a.nc").as_deref(), Some("/run/1/a.nc"));
        assert_eq!(relocated("/u/a.nc").as_deref(), Some("https://h/u/a.nc"));
        assert_eq!(relocated("../frag/a.nc").as_deref(), Some("/frag/a.nc"));
    }

    proptest! {
        #[test]
        fn no_name_panics(name in "[a-c/${}%:.\\\\]{0,12}", from in "[a-c/${}%:.\\\\]{0,6}") {
            let pairs = vec![(from, "to".to_owned())];
            let _ = (substitute(&name, &[&pairs]), unknown_keyword(&name, &[&pairs]), relocate(&name, &pairs));
        }
    }
}
