//! The text of `aggregated_data` and `cfa_array`: blank-separated elements `feature: variable`.

use crate::error::{Error, Kind, Result};

/// The maximum number of elements of a text; no dialect has a dozen keywords.
pub(crate) const MOST: usize = 1000;

/// Splits a text into its elements (keyword and variable) and the words that do not have that form. One more than
/// [`MOST`] are returned if there are more, and the rest is not split.
pub(crate) fn elements(text: &str) -> (Vec<(&str, &str)>, Vec<&str>) {
    let (mut pairs, mut bad) = (Vec::new(), Vec::new());
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        if pairs.len() + bad.len() > MOST {
            break;
        }
        let pair = match word.strip_suffix(':') {
            Some(keyword) => words.next_if(|w| !w.ends_with(':')).map(|variable| (keyword, variable)),
            // Some writers omit the blank.
            None => word.split_once(':').filter(|(_, variable)| !variable.is_empty()),
        };
        match pair.filter(|(keyword, _)| !keyword.is_empty()) {
            Some(pair) => pairs.push(pair),
            None => bad.push(word),
        }
    }
    (pairs, bad)
}

/// Keywords and the variables they name, in the order of the attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms(Vec<(String, String)>);

impl Terms {
    /// Splits the text at blanks, tabs and newlines.
    ///
    /// # Errors
    /// `Attribute` if an element does not have the form `feature: variable`, `Terms` if a keyword occurs twice, `Limit` if
    /// there are more than [`MOST`].
    pub fn parse(text: &str) -> Result<Terms> {
        let (pairs, bad) = elements(text);
        match bad.first() {
            _ if pairs.len() + bad.len() > MOST => {
                Err(Error::new(Kind::Limit, format!("more than {MOST} elements 'feature: variable'")))
            }
            Some(bad) => {
                let message = format!("'{bad}': elements have the form 'feature: variable'");
                Err(Error::new(Kind::Attribute, message))
            }
            None => Terms::from_elements(&pairs),
        }
    }

    /// Returns the terms of these elements.
    ///
    /// # Errors
    /// `Terms` if a keyword occurs twice.
    pub(super) fn from_elements(pairs: &[(&str, &str)]) -> Result<Terms> {
        let owned = |&(keyword, variable): &(&str, &str)| (keyword.to_owned(), variable.to_owned());
        Terms(pairs.iter().map(owned).collect()).checked()
    }

    /// Returns the same terms with keywords in lower case, for dialects that ignore case.
    ///
    /// # Errors
    /// `Terms` if a keyword then occurs twice.
    pub fn ignoring_case(self) -> Result<Terms> {
        Terms(self.0.into_iter().map(|(keyword, variable)| (keyword.to_lowercase(), variable)).collect())
            .checked()
    }

    fn checked(self) -> Result<Terms> {
        let mut keywords: Vec<&str> = self.keywords().collect();
        keywords.sort_unstable();
        match keywords.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::new(Kind::Terms, format!("keyword '{}' is given twice", pair[0]))),
            None => Ok(self),
        }
    }

    /// Returns the keywords.
    pub fn keywords(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(keyword, _)| keyword.as_str())
    }

    /// Returns whether a keyword is present.
    pub fn has(&self, keyword: &str) -> bool {
        self.get(keyword).is_some()
    }

    /// Returns the variable that a keyword names.
    pub fn get(&self, keyword: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == keyword).map(|(_, variable)| variable.as_str())
    }

    /// Returns the variable that a mandatory keyword names.
    ///
    /// # Errors
    /// `Terms` if it is absent.
    pub fn need(&self, keyword: &str) -> Result<&str> {
        self.get(keyword).ok_or_else(|| {
            let have: Vec<&str> = self.keywords().collect();
            Error::new(
                Kind::Terms,
                format!("keyword '{keyword}' is missing; the attribute has: {}", have.join(", ")),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_elements_than_any_text_has_are_refused() {
        let many = |n: usize| (0..n).map(|i| format!("k{i}: v ")).collect::<String>();
        assert!(Terms::parse(&many(MOST)).is_ok());
        assert_eq!(Terms::parse(&many(MOST + 1)).unwrap_err().kind(), Kind::Limit);
        assert_eq!(elements(&many(10 * MOST)).0.len(), MOST + 1);
        assert_eq!(elements(&"bad ".repeat(10 * MOST)).1.len(), MOST + 1);
    }

    #[test]
    fn blanks_tabs_and_newlines_separate_elements_in_any_order() {
        let terms = Terms::parse("\n  uris: /a/u\n\tmap:  m \t identifiers:\ni ").unwrap();
        assert_eq!(
            (terms.get("map"), terms.get("uris"), terms.get("identifiers")),
            (Some("m"), Some("/a/u"), Some("i"))
        );
        assert_eq!(Terms::parse("map:m uris:u").unwrap().get("uris"), Some("u"));
    }

    #[test]
    fn bad_elements_do_not_hide_the_good_ones() {
        let (pairs, bad) = elements("map: m uris identifiers:i : x unique_values:");
        assert_eq!(pairs, [("map", "m"), ("identifiers", "i")]);
        assert_eq!(bad, ["uris", ":", "unique_values:"]);
    }

    #[test]
    fn elements_have_the_form_feature_colon_variable() {
        for bad in ["map m uris u", "map: m unique_values:", "map: uris: u", ": m", "map"] {
            assert_eq!(Terms::parse(bad).unwrap_err().kind(), Kind::Attribute, "{bad}");
        }
        assert_eq!(Terms::parse("").unwrap().keywords().count(), 0);
    }

    #[test]
    fn a_keyword_comes_once() {
        assert_eq!(Terms::parse("map: a map: b").unwrap_err().kind(), Kind::Terms);
        let terms = Terms::parse("File: a FILE: b").unwrap();
        assert_eq!(terms.ignoring_case().unwrap_err().kind(), Kind::Terms);
    }
}
