//! The part of a page about variables that have the same fragments.

use std::fmt::Write;

use super::axis::Axes;
use super::cell::Cell;
use super::layout::Layout;
use super::{escape, grouped, timeline, Square};
use crate::check::report::{State, VariableReport};
use crate::error::message::{names, short};
use crate::selection::c_strides;

/// The bars of an axis of dates, at most, and how many squares there are for each.
const MOST_BARS: u64 = 200;
const SQUARES_PER_BAR: u64 = 4;

/// Returns the pixels from one square to the next, depending on the number of squares across.
fn pitch(columns: u64) -> u64 {
    match columns {
        0..=12 => 34,
        13..=30 => 24,
        31..=60 => 16,
        61..=120 => 9,
        _ => 6,
    }
}

/// Writes the section of variables, the first of which is given whole; `number` distinguishes it from others, and
/// `most` is the number of squares that it may have.
pub(super) fn write(
    page: &mut String,
    paths: &[&str],
    variable: &VariableReport,
    axes: Axes<'_>,
    number: usize,
    most: u64,
) {
    let title = match paths.len() {
        1 => escape(paths[0]),
        n => format!("{} <small>({n} variables)</small>", escape(&names(paths.iter().copied()))),
    };
    let _ = write!(page, "<section class=\"variable\">\n<h2>{title}</h2>\n");
    let Some(shape) = &variable.shape else {
        let _ = write!(
            page,
            "<p class=\"facts\">{} · {}</p>\n<p class=\"broken\">It cannot be decoded; the findings below say why.</p>\n</section>\n",
            escape(variable.dialect.name()),
            escape(variable.data_type.cdl_name())
        );
        return;
    };
    let sizes: Vec<String> = variable
        .dimensions
        .iter()
        .zip(shape)
        .map(|(name, &size)| format!("{} {}", escape(name), grouped(size)))
        .collect();
    let form: Vec<String> = variable.fragments().iter().map(|&n| grouped(n)).collect();
    let form = if form.len() > 1 { format!(" ({})", form.join(" × ")) } else { String::new() };
    let count = variable.fragment_count().unwrap_or(0);
    let _ = writeln!(
        page,
        "<p class=\"facts\">{} · {} · {} · {} fragment{}{form}</p>",
        escape(variable.dialect.name()),
        escape(variable.data_type.cdl_name()),
        if sizes.is_empty() { "scalar".to_owned() } else { sizes.join(", ") },
        grouped(count),
        if count == 1 { "" } else { "s" },
    );
    let is_whole = variable.states.len() as u64 == count;
    if let Some(layout) = Layout::of(&variable.fragments(), most).filter(|_| is_whole) {
        bar(page, variable);
        let folder = common_folder(variable);
        if !folder.is_empty() {
            let _ = writeln!(
                page,
                "<p class=\"axes\">Files are in <code>{}</code></p>",
                escape(&short(folder, 300))
            );
        }
        drawing(page, variable, &layout, axes, folder, number);
        timeline::write(page, variable, axes, folder, number, (most / SQUARES_PER_BAR).clamp(1, MOST_BARS));
    }
    page.push_str("</section>\n");
}

/// Writes how many fragments are in each state: a bar and the legend of the map.
fn bar(page: &mut String, variable: &VariableReport) {
    let counts = variable.counts();
    page.push_str("<div class=\"bar\">");
    for (state, n) in &counts {
        let _ = write!(
            page,
            "<span class=\"{}\" style=\"flex-grow:{n}\" title=\"{} {}\"></span>",
            state.name(),
            grouped(*n),
            state.meaning()
        );
    }
    page.push_str("</div>\n<ul class=\"legend\">\n");
    for state in State::ALL.into_iter().filter(|&s| s != State::Unchecked) {
        let n = counts.iter().find(|(s, _)| *s == state).map_or(0, |(_, n)| *n);
        let none = if n == 0 { " class=\"none\"" } else { "" };
        let _ = writeln!(
            page,
            "<li{none}><span class=\"swatch {}\"></span>{} <b>{}</b></li>",
            state.name(),
            state.meaning(),
            grouped(n)
        );
    }
    page.push_str("</ul>\n");
}

/// Writes the map of the fragments.
fn drawing(
    page: &mut String,
    variable: &VariableReport,
    layout: &Layout,
    axes: Axes<'_>,
    folder: &str,
    number: usize,
) {
    let joined = |dimensions: &[usize]| {
        let list: Vec<String> =
            dimensions.iter().map(|&d| escape(&short(&variable.dimensions[d], 60))).collect();
        list.join(" × ")
    };
    let arrow = |dimensions: &[usize], sign: &str| match dimensions {
        [] => String::new(),
        _ => format!("{} {sign} &nbsp; ", joined(dimensions)),
    };
    let note = match layout.bin.0.saturating_mul(layout.bin.1) {
        1 => String::new(),
        n => format!(
            "<em>each square stands for up to {} fragments; its foot shows the most remarkable of them</em>",
            grouped(n)
        ),
    };
    let across = match layout.is_strip() {
        true => layout.columns.min(60).max(layout.columns / 25).min(120),
        false => layout.columns,
    };
    let (form, columns) = match layout.is_strip() {
        true => ("strip", String::new()),
        false => ("table", format!(";grid-template-columns:repeat({},var(--side))", layout.columns)),
    };
    let _ = write!(
        page,
        "<p class=\"axes\">{}{}{note}</p>\n<div class=\"scroll\"><div class=\"map {form}\" role=\"radiogroup\" \
         aria-label=\"map of the fragments\" style=\"--side:{}px{columns}\">\n",
        arrow(&layout.down, "↓"),
        arrow(&layout.across, "→"),
        pitch(across),
    );
    let (fragments, strides) = (variable.fragments(), c_strides(&variable.fragments()));
    let group = format!("m{number}");
    for row in 0..layout.rows {
        let down = layout.row(row);
        for column in 0..layout.columns {
            let cell = Cell::of(variable, &fragments, &strides, layout.inside(column, &down));
            Square { group: &group, place: "", is_gap: false, colours: &cell.colours() }
                .write(page, |page| cell.describe(page, variable, axes, folder));
        }
    }
    page.push_str("</div></div>\n");
}

/// Returns the folder in which all the files are that are named, with its slash.
fn common_folder(variable: &VariableReport) -> &str {
    let mut names = variable.files.values();
    let Some(first) = names.next() else { return "" };
    let mut folder = first.rfind('/').map_or("", |end| &first[..=end]);
    for name in names {
        while !name.starts_with(folder) {
            folder = folder.trim_end_matches('/').rfind('/').map_or("", |end| &folder[..=end]);
        }
    }
    folder
}
