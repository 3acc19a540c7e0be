//! Finds a unit by its name or symbol, with prefixes.
//!
//! Names match in any case, symbols exactly. Names take precedence over symbols, and whole words over prefixes. Any
//! number of prefix names and at most one prefix symbol may precede a unit.

use super::error::{shown, UnitErrorKind::Unknown};
use super::form::{Form, Product};
use super::parse::parse;
use super::table::{NAMES, PREFIX_NAMES, PREFIX_SYMBOLS, SYMBOLS, UNITS};
use super::{Unit, UnitError};

use once_cell::race::OnceBox;

/// How the table defines a unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Definition {
    /// A base unit.
    Base,
    /// A basic unit without dimension.
    Dimensionless,
    /// An expression of units that are defined before.
    Text(&'static str),
}

/// The units that were asked for so far, in the order of the table. A definition is parsed when its unit is first asked
/// for: few programs need more than a handful of them. Nobody waits while another thread parses one: a process made by
/// `fork` would wait for a thread that it does not have.
static PARSED: [OnceBox<Unit>; UNITS.len()] = [const { OnceBox::new() }; UNITS.len()];

/// Returns the unit that is defined at a place of the table.
fn unit(place: usize) -> Result<&'static Unit, UnitError> {
    PARSED[place].get_or_try_init(|| {
        let is_basic = |definition: &Definition| !matches!(definition, Definition::Text(_));
        let unit = match UNITS[place].0 {
            Definition::Text(text) => parse(text, Names { count: place })?,
            Definition::Base | Definition::Dimensionless => {
                let mut product = Product::default();
                let basics = UNITS[..place].iter().filter(|(d, ..)| is_basic(d)).count();
                if let Some(power) = product.0.get_mut(basics) {
                    *power = 1;
                }
                Unit::of(Form::Product(product))
            }
        };
        Ok(Box::new(unit))
    })
}

/// The units that a text may name: all, or, in the definition of a unit, those that the table defines before it.
#[derive(Clone, Copy)]
pub(super) struct Names {
    count: usize,
}

impl Names {
    /// The names of all units.
    pub(super) const ALL: Names = Names { count: UNITS.len() };

    fn exact(self, id: &str, lower: &str) -> Option<usize> {
        let find = |rows: &[(&str, u16)], key: &str| {
            let row = rows.binary_search_by_key(&key, |row| row.0).ok()?;
            Some(usize::from(rows[row].1)).filter(|&place| place < self.count)
        };
        find(NAMES, lower).or_else(|| find(SYMBOLS, id))
    }

    /// Returns the unit of an identifier.
    pub(super) fn find(self, id: &str) -> Result<Unit, UnitError> {
        let lower = id.to_ascii_lowercase();
        let mut factor = 1.0;
        let mut at = 0;
        let mut symbol_seen = false;
        while at < id.len() {
            // Lower case preserves byte positions, and prefixes end at character boundaries.
            let (rest, rest_lower) = (&id[at..], &lower[at..]);
            if let Some(place) = self.exact(rest, rest_lower) {
                return unit(place)?.scaled(factor);
            }
            let by_name = PREFIX_NAMES.iter().find(|(name, _)| rest_lower.starts_with(name));
            let by_symbol = || PREFIX_SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol));
            let (prefix, value) = match by_name {
                Some(prefix) => prefix,
                None if symbol_seen => break,
                None => match by_symbol() {
                    Some(prefix) => {
                        symbol_seen = true;
                        prefix
                    }
                    None => break,
                },
            };
            factor *= value;
            at += prefix.len();
        }
        Err(UnitError::new(Unknown, format!("'{}' is not a unit of udunits2", shown(id))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::{BASICS, DIMENSIONS};
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_definition_of_the_table_parses_and_every_name_is_found() {
        let basics: Vec<_> = UNITS.iter().filter(|(d, ..)| !matches!(d, Definition::Text(_))).collect();
        assert_eq!(basics.len(), BASICS);
        for (i, (definition, ..)) in basics.iter().enumerate() {
            assert_eq!(matches!(definition, Definition::Base), i < DIMENSIONS);
        }
        for (place, (_, names, symbols)) in UNITS.iter().enumerate() {
            unit(place).unwrap();
            for id in names.split_ascii_whitespace().chain(symbols.split_ascii_whitespace()) {
                Names::ALL.find(id).unwrap();
            }
        }
        assert!(PREFIX_NAMES.iter().chain(PREFIX_SYMBOLS).all(|(_, value)| value.is_finite()));
    }

    #[test]
    fn no_prefix_name_begins_another_so_the_first_match_is_the_only_one() {
        for (a, _) in PREFIX_NAMES {
            assert_eq!(PREFIX_NAMES.iter().filter(|(b, _)| b.starts_with(a)).count(), 1);
        }
    }

    #[test]
    fn a_name_is_that_of_the_first_unit_that_has_it() {
        let spellings = |id: &str| [id.replace('\u{a0}', "_"), id.replace('_', "\u{a0}")];
        let (mut names, mut symbols) = (BTreeMap::new(), BTreeMap::new());
        for (place, row) in UNITS.iter().enumerate() {
            for id in row.1.split(' ').flat_map(spellings) {
                names.entry(id.to_ascii_lowercase()).or_insert(place);
            }
            for id in row.2.split(' ').filter(|id| !id.is_empty()).flat_map(spellings) {
                symbols.entry(id).or_insert(place);
            }
        }
        names.remove("");
        for (rows, expected) in [(NAMES, names), (SYMBOLS, symbols)] {
            let rows: Vec<_> = rows.iter().map(|&(id, place)| (id.to_owned(), usize::from(place))).collect();
            assert_eq!(rows, Vec::from_iter(expected));
        }
    }
}
