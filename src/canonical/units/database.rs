//! Finds a unit by its name or symbol, with prefixes.
//!
//! Names match in any case, symbols exactly. Names take precedence over symbols, and whole words over prefixes. Any
//! number of prefix names and at most one prefix symbol may precede a unit.

use super::error::{shown, UnitErrorKind::Unknown};
use super::form::{Form, Product};
use super::parse::parse;
use super::table;
use super::{Unit, UnitError};
use std::collections::HashMap;

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

/// Units and prefixes by their names and symbols.
pub(super) struct Database {
    names: HashMap<String, Unit>,
    symbols: HashMap<String, Unit>,
    /// Lower-case name and value.
    prefix_names: Vec<(&'static str, f64)>,
    /// Symbol and value, longest first.
    prefix_symbols: Vec<(&'static str, f64)>,
}

/// Nobody waits while another thread builds it: a process made by `fork` would wait for a thread that it does not have.
static DATABASE: OnceBox<Database> = OnceBox::new();

impl Database {
    /// Returns the one database, built at first use.
    pub fn get() -> &'static Database {
        DATABASE.get_or_init(|| Box::new(Database::build()))
    }

    fn build() -> Database {
        let mut database = Database {
            names: HashMap::new(),
            symbols: HashMap::new(),
            prefix_names: Vec::new(),
            prefix_symbols: Vec::new(),
        };
        for &(value, names, symbols) in table::PREFIXES {
            let value: f64 = value.parse().unwrap_or(f64::NAN);
            database.prefix_names.extend(names.split(' ').map(|name| (name, value)));
            database.prefix_symbols.extend(symbols.split(' ').map(|symbol| (symbol, value)));
        }
        database.prefix_symbols.sort_by_key(|(symbol, _)| std::cmp::Reverse(symbol.len()));
        let mut basics = 0;
        for &(definition, names, symbols) in table::UNITS {
            let unit = match definition {
                Definition::Text(text) => match parse(text, &database) {
                    Ok(unit) => unit,
                    // The table is fixed: a test checks that every definition parses.
                    Err(_) => continue,
                },
                Definition::Base | Definition::Dimensionless => {
                    let mut product = Product::default();
                    if let Some(power) = product.0.get_mut(basics) {
                        *power = 1;
                    }
                    basics += 1;
                    Unit::of(Form::Product(product))
                }
            };
            for name in names.split_ascii_whitespace().flat_map(spellings) {
                database.names.entry(name.to_ascii_lowercase()).or_insert_with(|| unit.clone());
            }
            for symbol in symbols.split_ascii_whitespace().flat_map(spellings) {
                database.symbols.entry(symbol).or_insert_with(|| unit.clone());
            }
        }
        database
    }

    fn exact(&self, id: &str, lower: &str) -> Option<&Unit> {
        self.names.get(lower).or_else(|| self.symbols.get(id))
    }

    /// Returns the unit of an identifier.
    pub fn find(&self, id: &str) -> Result<Unit, UnitError> {
        let lower = id.to_ascii_lowercase();
        let mut factor = 1.0;
        let mut at = 0;
        let mut symbol_seen = false;
        while at < id.len() {
            // Lower case preserves byte positions, and prefixes end at character boundaries.
            let (rest, rest_lower) = (&id[at..], &lower[at..]);
            if let Some(unit) = self.exact(rest, rest_lower) {
                return unit.scaled(factor);
            }
            let by_name = self.prefix_names.iter().find(|(name, _)| rest_lower.starts_with(name));
            let by_symbol = || self.prefix_symbols.iter().find(|(symbol, _)| rest.starts_with(symbol));
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

/// Returns an identifier, and the same with no-break spaces for underscores.
fn spellings(id: &str) -> impl Iterator<Item = String> {
    let plain = id.replace('\u{a0}', "_");
    let spaced = plain.contains('_').then(|| plain.replace('_', "\u{a0}"));
    std::iter::once(plain).chain(spaced)
}

#[cfg(test)]
mod tests {
    use super::super::form::{BASICS, DIMENSIONS};
    use super::*;

    #[test]
    fn every_definition_of_the_table_parses_and_every_name_is_found() {
        let database = Database::get();
        let basics: Vec<_> =
            table::UNITS.iter().filter(|(d, ..)| !matches!(d, Definition::Text(_))).collect();
        assert_eq!(basics.len(), BASICS);
        for (i, (definition, ..)) in basics.iter().enumerate() {
            assert_eq!(matches!(definition, Definition::Base), i < DIMENSIONS);
        }
        for (definition, names, symbols) in table::UNITS {
            if let Definition::Text(text) = definition {
                parse(text, database).unwrap();
            }
            for id in names.split_ascii_whitespace().chain(symbols.split_ascii_whitespace()) {
                database.find(id).unwrap();
            }
        }
        assert!(database.prefix_names.iter().chain(&database.prefix_symbols).all(|(_, v)| v.is_finite()));
    }

    #[test]
    fn no_prefix_name_begins_another_so_the_first_match_is_the_only_one() {
        let names = &Database::get().prefix_names;
        for (a, _) in names {
            assert_eq!(names.iter().filter(|(b, _)| b.starts_with(a)).count(), 1);
        }
    }
}
