//! The outcome of a check: findings, and the state of every fragment.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::rules::{Rule, Severity};
use crate::error::message;
use crate::model::grid::Grid;
use crate::model::Dialect;
use crate::value::DataType;

/// One violation of what a text demands.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// The stable name of the rule.
    pub rule: &'static str,
    /// The clause that states it; empty if no text states it.
    pub clause: String,
    /// How strongly the text demands it.
    pub severity: Severity,
    /// The variable concerned; `None` for the file.
    pub variable: Option<String>,
    /// The fragment concerned.
    pub fragment: Option<Vec<u64>>,
    /// What is wrong, on one line.
    pub message: String,
    /// The number of findings that this line represents: more than 1 in the line that counts those not listed.
    pub count: u64,
}

/// The state of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum State {
    /// It was not checked.
    Unchecked,
    /// It needs no file: a unique value, or wholly missing by definition.
    NoFile,
    /// Its first version exists and fits.
    Present,
    /// A version other than the first exists and fits.
    OtherVersion,
    /// It has changed since its state was recorded.
    Changed,
    /// No version exists.
    Missing,
    /// It exists, but does not fit or cannot be read.
    Wrong,
}

impl State {
    /// All states, from the least to the most remarkable.
    pub const ALL: [State; 7] = [
        State::Unchecked,
        State::NoFile,
        State::Present,
        State::OtherVersion,
        State::Changed,
        State::Missing,
        State::Wrong,
    ];

    /// Returns its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            State::Unchecked => "unchecked",
            State::NoFile => "no-file",
            State::Present => "present",
            State::OtherVersion => "other-version",
            State::Changed => "changed",
            State::Missing => "missing",
            State::Wrong => "wrong",
        }
    }

    /// Returns its meaning, for legends.
    pub fn meaning(self) -> &'static str {
        match self {
            State::Unchecked => "not checked",
            State::NoFile => "no file needed",
            State::Present => "present",
            State::OtherVersion => "other version used",
            State::Changed => "changed since recorded",
            State::Missing => "missing",
            State::Wrong => "wrong",
        }
    }
}

/// One aggregation variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct VariableReport {
    /// Its path.
    pub path: String,
    /// The text that it follows.
    pub dialect: Dialect,
    /// Its type.
    pub data_type: DataType,
    /// The names of the aggregated dimensions; empty if it could not be decoded.
    pub dimensions: Vec<String>,
    /// The shape of the aggregated data; `None` if it could not be decoded.
    pub shape: Option<Vec<u64>>,
    /// How the fragments tile the dimensions; `None` if it could not be decoded.
    pub grid: Option<Arc<Grid>>,
    /// The state of each fragment in C order; empty if fragments were not checked.
    pub states: Vec<State>,
    /// The locations of the fragments that a page names, by their numbers in C order.
    pub(super) files: HashMap<u64, Arc<str>>,
}

impl VariableReport {
    /// Returns the shape of the array of fragments.
    pub fn fragments(&self) -> Vec<u64> {
        self.grid.as_ref().map_or_else(Vec::new, |grid| grid.fragments().to_vec())
    }

    /// Returns the number of fragments; `None` if the variable could not be decoded.
    pub fn fragment_count(&self) -> Option<u64> {
        self.shape.as_ref()?;
        crate::selection::checked_product(&self.fragments())
    }

    /// Returns the part of a dimension that fragment `i` along it provides.
    pub fn range(&self, dimension: usize, i: u64) -> Range<u64> {
        self.grid.as_ref().map_or(0..0, |grid| grid.range(dimension, i))
    }

    /// Returns whether both have the same fragments, in the same files and states, so that one drawing serves for both.
    pub(super) fn has_fragments_of(&self, other: &VariableReport) -> bool {
        let same_grid = match (&self.grid, &other.grid) {
            (Some(one), Some(other)) => one.tiles_like(other),
            _ => false,
        };
        let same_text = self.dialect == other.dialect && self.data_type == other.data_type;
        let same = self.dimensions == other.dimensions && self.states == other.states;
        same_grid && same_text && same && self.files == other.files
    }

    /// Returns the number of fragments in each state, without states that no fragment has.
    pub fn counts(&self) -> Vec<(State, u64)> {
        let mut counts = [0u64; State::ALL.len()];
        for &state in &self.states {
            counts[state as usize] += 1;
        }
        State::ALL.into_iter().zip(counts).filter(|&(_, n)| n > 0).collect()
    }
}

/// The outcome of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The file.
    pub file: String,
    /// Its `Conventions`.
    pub conventions: Option<String>,
    /// Its aggregation variables.
    pub variables: Vec<VariableReport>,
    /// The findings, requirements first.
    pub findings: Vec<Finding>,
    /// Whether fragments were opened.
    pub fragments_checked: bool,
}

impl Report {
    /// Returns whether no requirement is violated.
    pub fn is_fine(&self) -> bool {
        self.count(Severity::Requirement) == 0
    }

    /// Returns the number of findings with this severity.
    pub fn count(&self, severity: Severity) -> u64 {
        self.findings.iter().filter(|f| f.severity == severity).map(|f| f.count).sum()
    }
}

/// The maximum number of bytes of the message of a finding, which shares a line with its rule and place.
const MOST: usize = 2500;

/// Collects findings. For each rule and variable only the first ones are kept; the others are counted.
pub(crate) struct Findings {
    list: Vec<Finding>,
    seen: std::collections::HashMap<(&'static str, Option<String>), usize>,
    most: usize,
}

impl Findings {
    pub(crate) fn new(most: usize) -> Self {
        Findings { list: Vec::new(), seen: Default::default(), most: most.max(1) }
    }

    /// Adds a finding.
    pub(crate) fn add(
        &mut self,
        rule: &Rule,
        dialect: Dialect,
        variable: Option<&str>,
        fragment: Option<&[u64]>,
        message: impl Into<String>,
    ) {
        let seen = self.seen.entry((rule.id, variable.map(str::to_owned))).or_default();
        *seen += 1;
        if *seen > self.most {
            return;
        }
        self.list.push(Finding {
            rule: rule.id,
            clause: rule.clause(dialect),
            severity: rule.severity(dialect),
            variable: variable.map(str::to_owned),
            fragment: fragment.map(<[u64]>::to_vec),
            message: message::line(&message.into(), MOST),
            count: 1,
        });
    }

    /// Returns whether a variable violates a requirement.
    pub(crate) fn has_requirement(&self, variable: &str) -> bool {
        self.list
            .iter()
            .any(|f| f.severity == Severity::Requirement && f.variable.as_deref() == Some(variable))
    }

    /// Returns whether there are findings for a variable.
    pub(crate) fn has_any(&self, variable: &str) -> bool {
        self.list.iter().any(|f| f.variable.as_deref() == Some(variable))
    }

    /// Returns all findings, requirements first, then by variable and fragment; a last line has the number of those
    /// that were only counted.
    pub(crate) fn finish(mut self) -> Vec<Finding> {
        let more: Vec<Finding> = (self.seen.iter())
            .filter(|(_, &n)| n > self.most)
            .filter_map(|((rule, variable), &n)| {
                let like = self.list.iter().find(|f| f.rule == *rule && f.variable == *variable)?;
                let count = (n - self.most) as u64;
                let message = format!("and {count} more of this kind");
                Some(Finding { fragment: None, message, count, ..like.clone() })
            })
            .collect();
        self.list.sort_by(|a, b| {
            let key = |f: &Finding| (std::cmp::Reverse(f.severity), f.variable.clone(), f.rule);
            key(a).cmp(&key(b)).then_with(|| a.fragment.cmp(&b.fragment))
        });
        for last in more {
            let same = |f: &Finding| f.rule == last.rule && f.variable == last.variable;
            let at = self.list.iter().rposition(same).map_or(self.list.len(), |i| i + 1);
            self.list.insert(at, last);
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::super::rules;
    use super::*;

    #[test]
    fn requirements_come_first_and_repetitions_are_counted() {
        let mut findings = Findings::new(2);
        findings.add(&rules::ODDITY, Dialect::Cf113, Some("/a"), None, "odd");
        for i in [3u64, 1, 2, 0] {
            findings.add(&rules::FRAGMENT_PRESENT, Dialect::Cf113, Some("/a"), Some(&[i]), "gone");
        }
        assert!(findings.has_requirement("/a") && !findings.has_requirement("/b"));
        let list = findings.finish();
        let rows: Vec<_> = list.iter().map(|f| (f.rule, f.fragment.clone(), f.message.as_str())).collect();
        assert_eq!(rows[0], ("fragment-present", Some(vec![1]), "gone"));
        assert_eq!(rows[2], ("fragment-present", None, "and 2 more of this kind"));
        assert_eq!(rows[3].0, "oddity");
    }
}
