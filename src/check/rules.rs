//! The rules that are checked: what each demands, how strongly, and which clause of which text states it.
//!
//! The rules are those of the conformance document of CF-1.13 for section 2.8, those that the sections 2.8.1 and 2.8.2
//! state in addition, and the corresponding ones of the older texts. A rule that a text does not have is not applied to
//! it. Rules of other sections of CF are checked if a violation would give an aggregation of coordinates a wrong
//! meaning.

use crate::dialect::words::{Keywords, Names};
use crate::model::Dialect;

/// How strongly a text demands something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Not a matter of the conventions, but worth knowing.
    Note,
    /// The text says "should".
    Recommendation,
    /// The text says "must", or the data cannot be read.
    Requirement,
}

impl Severity {
    /// Returns its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Recommendation => "recommendation",
            Severity::Requirement => "requirement",
        }
    }
}

/// The part of a text that states a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// The global attribute `Conventions`.
    Conventions,
    /// Aggregation variables as such.
    Variable,
    /// The attribute that names the aggregated dimensions.
    Dimensions,
    /// The attribute with the keywords.
    Data,
    /// The table of sizes or index ranges.
    Map,
    /// The names of the files.
    Locations,
    /// The variables in them.
    Identifiers,
    /// The formats of the files.
    Formats,
    /// One value per fragment.
    Unique,
    /// The properties of a fragment.
    Fragment,
    /// Cell boundaries; every text has those of CF.
    Bounds,
    /// Climatological boundaries.
    Climatology,
    /// Not in any text.
    None,
}

/// One rule.
#[derive(Debug)]
pub(crate) struct Rule {
    /// The stable name.
    pub(crate) id: &'static str,
    /// How strong it is in most texts.
    severity: Severity,
    pub(crate) topic: Topic,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $severity:ident, $topic:ident;)*) => {
        $(pub(crate) const $name: Rule =
            Rule { id: $id, severity: Severity::$severity, topic: Topic::$topic };)*

        /// All rules, for documentation and its test.
        #[cfg(test)]
        pub(crate) const ALL: &[Rule] = &[$($name),*];
    };
}

rules! {
    CONVENTIONS = "conventions", Recommendation, Conventions;
    SCALAR = "scalar", Requirement, Variable;
    CONTAINER = "container-variable", Recommendation, Variable;
    PACKED = "not-packed", Requirement, Variable;
    DIMENSIONS_TEXT = "dimensions-text", Requirement, Dimensions;
    DIMENSION_EXISTS = "dimension-exists", Requirement, Dimensions;
    DIMENSION_ONCE = "dimension-once", Requirement, Dimensions;
    DATA_TEXT = "data-text", Requirement, Data;
    DATA_FORM = "data-form", Requirement, Data;
    KEYWORDS = "keywords", Requirement, Data;
    VARIABLE_EXISTS = "variable-exists", Requirement, Data;
    MAP_TYPE = "map-type", Requirement, Map;
    MAP_SCALAR = "map-scalar", Requirement, Map;
    MAP_RANK = "map-rank", Requirement, Map;
    MAP_ROWS = "map-rows", Requirement, Map;
    MAP_SIZES = "map-sizes", Requirement, Map;
    MAP_PADDING = "map-padding", Requirement, Map;
    MAP_SUM = "map-sum", Requirement, Map;
    LOCATIONS_TYPE = "locations-type", Requirement, Locations;
    LOCATIONS_RANK = "locations-rank", Requirement, Locations;
    LOCATIONS_SHAPE = "locations-shape", Requirement, Locations;
    LOCATIONS_MISSING = "locations-missing", Requirement, Locations;
    LOCATIONS_FORM = "locations-form", Requirement, Locations;
    SUBSTITUTIONS = "substitutions", Requirement, Locations;
    IDENTIFIERS_SHAPE = "identifiers-shape", Requirement, Identifiers;
    IDENTIFIERS_MISSING = "identifiers-missing", Requirement, Identifiers;
    FORMATS_SHAPE = "formats-shape", Requirement, Formats;
    FORMATS_MISSING = "formats-missing", Requirement, Formats;
    UNIQUE_RANK = "unique-rank", Requirement, Unique;
    UNIQUE_SHAPE = "unique-shape", Requirement, Unique;
    UNIQUE_TYPE = "unique-type", Requirement, Fragment;
    BOUNDS_DIMENSIONS = "bounds-dimensions", Requirement, Bounds;
    CLIMATOLOGY_DIMENSIONS = "climatology-dimensions", Requirement, Climatology;
    DECODED = "decoded", Requirement, Data;
    ODDITY = "oddity", Note, None;
    FRAGMENT_PRESENT = "fragment-present", Requirement, Fragment;
    FRAGMENT_READABLE = "fragment-readable", Requirement, Fragment;
    FRAGMENT_FORMAT = "fragment-format", Requirement, Formats;
    FRAGMENT_VARIABLE = "fragment-variable", Requirement, Identifiers;
    FRAGMENT_SHAPE = "fragment-shape", Requirement, Fragment;
    FRAGMENT_TYPE = "fragment-type", Requirement, Fragment;
    FRAGMENT_UNITS = "fragment-units", Requirement, Fragment;
    FRAGMENT_CALENDAR = "fragment-calendar", Requirement, Fragment;
    FRAGMENT_CYCLE = "fragment-cycle", Requirement, Fragment;
    FRAGMENT_REFUSED = "fragment-refused", Requirement, None;
    FRAGMENT_CHANGED = "fragment-changed", Requirement, None;
    FRAGMENT_CHUNKS = "fragment-chunks", Requirement, None;
    FRAGMENT_CHUNKS_STALE = "fragment-chunks-stale", Note, None;
    FRAGMENT_VERSION = "fragment-version", Note, None;
    FRAGMENT_LOSSY = "fragment-lossy", Note, Fragment;
}

impl Rule {
    /// Returns how strongly this text demands it.
    pub(crate) fn severity(&self, dialect: Dialect) -> Severity {
        let cf = matches!(dialect, Dialect::Cf113 | Dialect::CfDraft);
        match self.topic {
            // "must indicate this by setting ... Conventions" in the CFA texts; CF 2.6.1 recommends.
            Topic::Conventions if matches!(dialect, Dialect::Cfa06b1 | Dialect::Cfa062) => {
                Severity::Requirement
            }
            // "should be a scalar" in the CFA texts, "must" in CF.
            Topic::Variable if self.id == SCALAR.id && !cf => Severity::Recommendation,
            _ => self.severity,
        }
    }

    /// Returns the clause of this text that states it; empty if no text states it.
    pub(crate) fn clause(&self, dialect: Dialect) -> String {
        let (variable, terms, fragment) = match dialect {
            Dialect::Cf113 => ("2.8", "2.8.1", "2.8.2"),
            Dialect::CfDraft => ("2.8", "2.8.1", "2.8.2"),
            Dialect::Cfa062 => {
                ("Aggregation variables", "Standardized aggregation instructions", "Fragment storage")
            }
            Dialect::Cfa06b1 => ("Aggregation variables", "Aggregation variables", "Fragment Storage"),
            Dialect::Cfa06b1Early => ("Aggregated Variables", "Aggregated Variables", "Fragment Storage"),
            Dialect::CfaTerms | Dialect::Cfa04 => ("", "", ""),
        };
        let text = match (self.topic, dialect) {
            (Topic::Bounds | Topic::Climatology, Dialect::Cf113 | Dialect::CfDraft) => dialect.name(),
            (Topic::Bounds | Topic::Climatology, _) => "CF",
            _ => dialect.name(),
        };
        let place = match self.topic {
            Topic::None => return String::new(),
            Topic::Bounds => "7.1",
            Topic::Climatology => "7.4",
            Topic::Conventions => match dialect {
                Dialect::Cf113 | Dialect::CfDraft => "2.6.1",
                _ => "Identification of Conventions",
            },
            Topic::Variable => variable,
            Topic::Fragment => fragment,
            Topic::Dimensions | Topic::Data => match dialect {
                Dialect::Cf113 | Dialect::CfDraft => "2.8.1",
                _ => variable,
            },
            _ => terms,
        };
        let words: Vec<&str> =
            [text, place, self.word(dialect)].into_iter().filter(|w| !w.is_empty()).collect();
        words.join(" ")
    }

    /// Returns the keyword or attribute that the clause is about.
    pub(crate) fn word(&self, dialect: Dialect) -> &'static str {
        let names = Names::of(dialect);
        match self.topic {
            Topic::Bounds => return "bounds",
            Topic::Climatology => return "climatology",
            Topic::Dimensions => return names.dimensions,
            Topic::Data => return names.data,
            _ => {}
        }
        let Some(words) = Keywords::of(dialect) else { return names.data };
        match self.topic {
            Topic::Map => words.map,
            Topic::Locations => words.locations,
            Topic::Identifiers => words.identifiers,
            Topic::Formats => words.formats.unwrap_or_default(),
            Topic::Unique => words.unique.unwrap_or_default(),
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_names_text_section_and_keyword() {
        assert_eq!(MAP_SUM.clause(Dialect::Cf113), "CF-1.13 2.8.1 map");
        assert_eq!(MAP_SUM.clause(Dialect::CfaTerms), "CFA terms index");
        assert_eq!(LOCATIONS_FORM.clause(Dialect::Cfa06b1), "CFA-0.6b1 Aggregation variables file");
        assert_eq!(FRAGMENT_UNITS.clause(Dialect::Cf113), "CF-1.13 2.8.2");
        assert_eq!(FRAGMENT_CHANGED.clause(Dialect::Cf113), "");
        assert_eq!(BOUNDS_DIMENSIONS.clause(Dialect::Cf113), "CF-1.13 7.1 bounds");
        assert_eq!(CLIMATOLOGY_DIMENSIONS.clause(Dialect::Cfa04), "CF 7.4 climatology");
    }

    #[test]
    fn rule_names_are_unique_and_documented() {
        let guide = include_str!("../../docs/checking.md");
        for (i, rule) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.id != rule.id), "{}", rule.id);
            assert!(guide.contains(&format!("`{}`", rule.id)), "docs/checking.md lacks {}", rule.id);
        }
    }

    #[test]
    fn older_texts_recommend_scalars_and_demand_conventions() {
        assert_eq!(SCALAR.severity(Dialect::Cf113), Severity::Requirement);
        assert_eq!(SCALAR.severity(Dialect::Cfa06b1), Severity::Recommendation);
        assert_eq!(CONVENTIONS.severity(Dialect::Cfa062), Severity::Requirement);
        assert_eq!(CONVENTIONS.severity(Dialect::Cf113), Severity::Recommendation);
    }
}
