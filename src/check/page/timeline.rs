//! The fragments along a dimension of dates as bars on an axis of dates, with the gaps between them.

use std::fmt::Write;

use super::axis::{Axes, Times};
use super::cell::Cell;
use super::ticks::ticks;
use super::{escape, grouped, Square};
use crate::check::report::VariableReport;
use crate::error::message::short;
use crate::selection::c_strides;

/// The axes of one variable.
const MOST_AXES: usize = 4;
/// If there are at most this many bars beside each other, they have lines between them.
const FEW: usize = 60;
/// The gaps that are named below an axis.
const MOST_NAMED: usize = 8;

/// Writes the axis of each dimension of dates that has several fragments or gaps, with at most so many bars.
pub(super) fn write(
    page: &mut String,
    variable: &VariableReport,
    axes: Axes<'_>,
    folder: &str,
    number: usize,
    most: u64,
) {
    let fragments = variable.fragments();
    let times = |d: usize| {
        let times = axes.along(d)?.times.as_ref()?;
        (fragments[d] > 1 || !times.gaps.is_empty()).then_some((d, times))
    };
    for (d, times) in (0..fragments.len()).filter_map(times).take(MOST_AXES) {
        let bars = bars(variable, axes, d, times, most);
        let low = bars.iter().map(|bar| bar.from).fold(f64::INFINITY, f64::min);
        let high = bars.iter().map(|bar| bar.to).fold(f64::NEG_INFINITY, f64::max);
        if !(high - low).is_finite() || high <= low {
            continue;
        }
        let scale = Scale { low, high };
        let name = escape(&short(&variable.dimensions[d], 60));
        let _ = write!(
            page,
            "<p class=\"axes\">{name}: {} to {}{}</p>\n<div class=\"dates{}\" role=\"radiogroup\" aria-label=\"{name}\">\n",
            escape(&times.text(low)),
            escape(&times.text(bars.iter().map(|bar| bar.last).fold(low, f64::max))),
            gaps_text(times),
            if bars.len() > FEW { "" } else { " few" },
        );
        let group = format!("t{number}-{d}");
        for bar in &bars {
            let place = scale.place(bar.from, bar.to);
            Square { group: &group, place: &place, is_gap: false, colours: &bar.cell.colours() }
                .write(page, |page| bar.cell.describe(page, variable, axes, folder));
        }
        for (after, before) in longest(times, most as usize) {
            let (from, to) = (after.min(before), after.max(before));
            let place = scale.place((from + times.step).min(to), to);
            Square { group: &group, place: &place, is_gap: true, colours: "" }.write(page, |page| {
                let (from, to) = (escape(&times.text(from)), escape(&times.text(to)));
                let _ = write!(page, "<b>gap</b><i>no {name} between {from} and {to}</i>");
            });
        }
        page.push_str("</div>\n<div class=\"ticks\" aria-hidden=\"true\">");
        for (i, (at, label)) in ticks(&times.units, low, high).into_iter().enumerate() {
            let percent = scale.percent(at);
            let side = if percent < 10.0 {
                " begin"
            } else if percent > 90.0 {
                " end"
            } else {
                ""
            };
            let class = if i % 2 == 1 { "odd" } else { "even" };
            let _ = write!(
                page,
                "<span class=\"{class}{side}\" style=\"left:{percent:.2}%\">{}</span>",
                escape(&label)
            );
        }
        page.push_str("</div>\n");
    }
}

/// Fragments that are drawn as one bar.
struct Bar {
    from: f64,
    to: f64,
    /// The last time that they have.
    last: f64,
    cell: Cell,
}

/// Returns the bars along dimension `d`; those whose times are unknown have none.
fn bars(variable: &VariableReport, axes: Axes<'_>, d: usize, times: &Times, most: u64) -> Vec<Bar> {
    let fragments = variable.fragments();
    let strides = c_strides(&fragments);
    let count = fragments[d];
    let bin = count.div_ceil(most.max(1));
    let total: u64 = fragments.iter().product();
    let (outer, inner) = (total / strides[d] / count, strides[d]);
    let mut bars: Vec<Bar> = Vec::new();
    for first in (0..count).step_by(bin as usize) {
        let end = (first + bin).min(count);
        let range = variable.range(d, first).start..variable.range(d, end - 1).end;
        let number = |i: u64| axes.along(d).and_then(|axis| axis.number(i));
        let (Some(a), Some(b)) = (number(range.start), number(range.end.saturating_sub(1))) else { continue };
        let inside = (0..outer).flat_map(|o| {
            (first..end).flat_map(move |i| (0..inner).map(move |n| (o * count + i) * inner + n))
        });
        let cell = Cell::of(variable, &fragments, &strides, inside);
        bars.push(Bar { from: a.min(b), to: a.max(b) + times.step, last: a.max(b), cell });
    }
    bars.sort_by(|a, b| a.from.total_cmp(&b.from));
    // Each ends where the next begins, at the latest; times without a step last until the next.
    for i in 1..bars.len() {
        let next = bars[i].from;
        let bar = &mut bars[i - 1];
        if times.step == 0.0 || bar.to > next {
            bar.to = next;
        }
    }
    bars
}

/// Where times lie on the page.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn percent(&self, at: f64) -> f64 {
        ((at - self.low) / (self.high - self.low) * 100.0).clamp(0.0, 100.0)
    }

    fn place(&self, from: f64, to: f64) -> String {
        let (from, to) = (self.percent(from), self.percent(to));
        format!("left:{from:.2}%;width:{:.2}%", (to - from).max(0.0))
    }
}

/// Returns the longest gaps, in the order of the file.
fn longest(times: &Times, most: usize) -> Vec<(f64, f64)> {
    let mut gaps: Vec<(usize, (f64, f64))> = times.gaps.iter().copied().enumerate().collect();
    let length = |gap: &(usize, (f64, f64))| (gap.1 .1 - gap.1 .0).abs();
    gaps.sort_by(|a, b| length(b).total_cmp(&length(a)).then(a.0.cmp(&b.0)));
    gaps.truncate(most.max(1));
    gaps.sort_by_key(|gap| gap.0);
    gaps.into_iter().map(|(_, gap)| gap).collect()
}

/// Returns `; 2 gaps: 2001-02-03 to 2001-02-07, ...`.
fn gaps_text(times: &Times) -> String {
    let one =
        |&(after, before): &(f64, f64)| escape(&format!("{} to {}", times.text(after), times.text(before)));
    let shown: Vec<String> = times.gaps.iter().take(MOST_NAMED).map(one).collect();
    let more = if times.gap_count > shown.len() as u64 { ", ..." } else { "" };
    match times.gap_count {
        0 => String::new(),
        1 => format!("; <strong>gap</strong> from {}", shown[0]),
        n => format!("; <strong>{} gaps</strong>: {}{more}", grouped(n), shown.join(", ")),
    }
}
