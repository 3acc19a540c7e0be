//! The `substitutions` attribute (CF draft 2.8.1 "location", CFA-0.6.2 `file`): a replacement is inserted for
//! `${keyword}` in a location. Settings of the reader take precedence over those of the file.
//!
//! Replacements are made in one pass over the location and are not searched again: the convention demands that their
//! order does not matter, and a chain of replacements could grow without bound.

use crate::error::{Error, Kind, Result};

/// The maximum length of a location after replacements, in bytes.
const LONGEST: usize = 64 * 1024;

/// The maximum number of keywords that a file may define: each is tried at every `${` of every location.
const MOST: usize = 1000;

/// Keywords and their replacements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Substitutions(Vec<(String, String)>);

impl Substitutions {
    /// Creates substitutions from pairs of keyword and replacement. The keyword may be written with or without `${}`.
    pub fn from_pairs<K: Into<String>, R: Into<String>>(pairs: impl IntoIterator<Item = (K, R)>) -> Self {
        let pairs = pairs.into_iter().map(|(keyword, replacement)| {
            let keyword: String = keyword.into();
            let whole = keyword.starts_with("${") && keyword.ends_with('}');
            (if whole { keyword } else { format!("${{{keyword}}}") }, replacement.into())
        });
        Substitutions(pairs.collect())
    }

    /// Parses the text of a `substitutions` attribute: `${keyword}: replacement ...`.
    ///
    /// # Errors
    /// `Attribute` if it does not have that form, `Limit` if it is too long.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::new(
                Kind::Attribute,
                format!("substitutions '{text}' does not have the form '${{keyword}}: replacement'"),
            )
        };
        let mut pairs = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            if pairs.len() == MOST {
                return Err(Error::new(Kind::Limit, format!("more than {MOST} substitutions")));
            }
            let end = rest.find("}:").filter(|_| rest.starts_with("${")).ok_or_else(wrong)?;
            let keyword = rest[..=end].to_owned();
            rest = rest[end + 2..].trim_start();
            // If this replacement is empty, the next element follows at once.
            let stop = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let word = &rest[..stop];
            if word.starts_with("${") && word.ends_with("}:") {
                pairs.push((keyword, String::new()));
            } else {
                pairs.push((keyword, word.to_owned()));
                rest = rest[stop..].trim_start();
            }
        }
        Ok(Substitutions(pairs))
    }

    /// Returns these substitutions with those of `runtime` added; for the same keyword, `runtime` wins.
    pub fn overridden_by(&self, runtime: &Substitutions) -> Substitutions {
        let own = self.0.iter().filter(|(keyword, _)| runtime.0.iter().all(|(k, _)| k != keyword));
        Substitutions(runtime.0.iter().chain(own).cloned().collect())
    }

    /// Replaces every known keyword in a location.
    ///
    /// # Errors
    /// `Uri` if the result is too long.
    pub fn apply(&self, location: String) -> Result<String> {
        if self.0.is_empty() || !location.contains("${") {
            return Ok(location);
        }
        let mut out = String::new();
        let mut rest = location.as_str();
        while let Some(at) = rest.find("${") {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            // If one keyword begins with another, the longest wins.
            let found =
                self.0.iter().filter(|(k, _)| rest.starts_with(k.as_str())).max_by_key(|(k, _)| k.len());
            match found {
                Some((keyword, replacement)) => {
                    out.push_str(replacement);
                    rest = &rest[keyword.len()..];
                }
                None => {
                    out.push_str("${");
                    rest = &rest[2..];
                }
            }
            if out.len() > LONGEST {
                return Err(Error::new(
                    Kind::Uri,
                    format!("substitutions make a location of over {LONGEST} bytes"),
                ));
            }
        }
        out.push_str(rest);
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(table: &str, location: &str) -> String {
        Substitutions::parse(table).unwrap().apply(location.to_owned()).unwrap()
    }

    #[test]
    fn keywords_are_replaced_wherever_they_occur() {
        assert_eq!(
            apply("${path}: https://remote.host/data/", "${path}file.nc"),
            "https://remote.host/data/file.nc"
        );
        assert_eq!(apply("${a}: x/\n${b}: y  ${c.d-e}: z", "${a}${b}/${c.d-e}.nc"), "x/y/z.nc");
        assert_eq!(apply("${a b}: x ${}: y", "${a b}/${}${a}"), "x/y${a}");
        assert_eq!(apply("${a}: ${b}: x", "${a}${b}"), "x");
    }

    #[test]
    fn unknown_keywords_stay_and_replacements_are_not_searched_again() {
        assert_eq!(apply("${a}: ${b}/x ${b}: y", "${a}/${c}"), "${b}/x/${c}");
    }

    #[test]
    fn settings_of_the_reader_go_before_those_of_the_file() {
        let file = Substitutions::parse("${base}: old/ ${x}: kept/").unwrap();
        let runtime = Substitutions::from_pairs([("base", "new/"), ("${more}", "m/")]);
        let both = file.overridden_by(&runtime);
        assert_eq!(both.apply("${base}${x}${more}f".into()).unwrap(), "new/kept/m/f");
    }

    #[test]
    fn malformed_substitutions_are_refused() {
        for bad in ["base: x", "${base} x", "${a}: x y", "${"] {
            assert_eq!(Substitutions::parse(bad).unwrap_err().kind(), Kind::Attribute, "{bad}");
        }
    }

    #[test]
    fn replacements_can_not_grow_without_bound() {
        let table = Substitutions::from_pairs([("a", "x".repeat(40_000))]);
        assert_eq!(table.apply("${a}${a}${a}".into()).unwrap_err().kind(), Kind::Uri);
    }
}
