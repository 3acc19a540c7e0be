//! A square or bar of a drawing: the fragments that it stands for, and what is said of them under the pointer.

use std::fmt::Write;

use super::axis::Axes;
use super::escape;
use crate::check::report::{State, VariableReport};
use crate::error::message::short;
use crate::selection::index_at;

/// The maximum number of bytes of the name of a file, and of dimensions, in one text.
const MOST_OF_NAME: usize = 120;
const MOST_DIMENSIONS: usize = 6;

/// Fragments that are drawn together.
pub(super) struct Cell {
    counts: [u64; State::ALL.len()],
    total: u64,
    /// Their lowest and highest number in C order.
    ends: (u64, u64),
    /// The dimensions that are described, and their lowest and highest index along each.
    along: Vec<(usize, u64, u64)>,
    /// The first of those in the most remarkable state.
    remarkable: (State, u64),
}

impl Cell {
    /// Returns what these fragments are; `strides` are those of the array of fragments.
    pub(super) fn of(
        variable: &VariableReport,
        fragments: &[u64],
        strides: &[u64],
        inside: impl Iterator<Item = u64>,
    ) -> Cell {
        let mut cell = Cell {
            counts: [0; State::ALL.len()],
            total: 0,
            ends: (u64::MAX, 0),
            along: described(fragments).into_iter().map(|d| (d, u64::MAX, 0)).collect(),
            remarkable: (State::Unchecked, u64::MAX),
        };
        for number in inside {
            let state = variable.states.get(number as usize).copied().unwrap_or(State::Unchecked);
            cell.counts[state as usize] += 1;
            cell.total += 1;
            cell.ends = (cell.ends.0.min(number), cell.ends.1.max(number));
            if state > cell.remarkable.0 || state == cell.remarkable.0 && number < cell.remarkable.1 {
                cell.remarkable = (state, number);
            }
            for (d, low, high) in &mut cell.along {
                let i = number / strides[*d].max(1) % fragments[*d].max(1);
                (*low, *high) = ((*low).min(i), (*high).max(i));
            }
        }
        cell
    }

    /// Returns the attributes of its element: the colour of its most frequent state and, at its foot, that of the most
    /// remarkable one.
    pub(super) fn colours(&self) -> String {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let state = self.remarkable.0;
        let common = State::ALL.into_iter().find(|&s| self.counts[s as usize] == most).unwrap_or(state);
        if common == state {
            return format!("class=\"{}\"", state.name());
        }
        // One among thousands must still be visible.
        let share = (self.counts[state as usize] as f64 / self.total.max(1) as f64).max(0.34);
        let (class, percent) = (common.name(), share * 100.0);
        format!("class=\"{class} foot\" style=\"--foot:var(--{});--part:{percent:.0}%\"", state.name())
    }

    /// Writes what is shown under the pointer, as lines of HTML.
    pub(super) fn describe(
        &self,
        page: &mut String,
        variable: &VariableReport,
        axes: Axes<'_>,
        folder: &str,
    ) {
        let (first, last) = self.ends;
        let name = |number: u64| {
            let name = variable.files.get(&number)?;
            Some(escape(&short(name.strip_prefix(folder).unwrap_or(name), MOST_OF_NAME)))
        };
        // Writing to a String never fails.
        let _ = match self.total {
            1 => write!(
                page,
                "<b>fragment {}: {}</b>",
                bracketed(variable, first),
                self.remarkable.0.meaning()
            ),
            n => {
                let (first, last) = (bracketed(variable, first), bracketed(variable, last));
                let each = |s: &State| format!("{} {}", self.counts[*s as usize], s.meaning());
                let list: Vec<String> =
                    State::ALL.iter().rev().filter(|&&s| self.counts[s as usize] > 0).map(each).collect();
                write!(page, "<b>{n} fragments, {first} to {last}: {}</b>", list.join(", "))
            }
        };
        let _ = match (name(first), name(last)) {
            (Some(one), _) if self.total == 1 => write!(page, "<bdi>{one}</bdi>"),
            (Some(one), Some(other)) if one != other => write!(page, "<bdi>{one}</bdi><bdi>to {other}</bdi>"),
            (Some(one), _) => write!(page, "<bdi>{one}</bdi>"),
            _ => Ok(()),
        };
        let (state, remarkable) = self.remarkable;
        if self.total > 1 && state > State::Present && self.counts[state as usize] < self.total {
            if let Some(name) = name(remarkable) {
                let _ = write!(page, "<bdi>{}: {name}</bdi>", state.meaning());
            }
        }
        for &(d, low, high) in &self.along {
            let range = variable.range(d, low).start..variable.range(d, high).end;
            let name = escape(&short(&variable.dimensions[d], 60));
            let last = range.end.saturating_sub(1);
            let indices = match range.start == last {
                true => range.start.to_string(),
                false => format!("{}–{last}", range.start),
            };
            let _ = match axes.along(d).and_then(|axis| axis.text(range.start, last)) {
                Some(text) => write!(page, "<i>{name} {} ({indices})</i>", escape(&text)),
                None => write!(page, "<i>{name} {indices}</i>"),
            };
        }
    }
}

/// Returns the dimensions that are described: first those with several fragments.
fn described(fragments: &[u64]) -> Vec<usize> {
    let of = |several: bool| (0..fragments.len()).filter(move |&d| (fragments[d] > 1) == several);
    of(true).chain(of(false)).take(MOST_DIMENSIONS).collect()
}

/// Returns the index of a fragment as text.
fn bracketed(variable: &VariableReport, number: u64) -> String {
    let index = index_at(&variable.fragments(), number);
    let words: Vec<String> = index.iter().map(u64::to_string).collect();
    format!("[{}]", words.join(", "))
}
