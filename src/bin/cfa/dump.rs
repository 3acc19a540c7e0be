//! Prints values for people and for other programs: as a table, as CSV, as bare bytes.

use std::io::Write;

use cfa::Coordinates;
use cfa::{Selection, Values, Variable};

use crate::read::Answer;
use crate::style::{self, printable};
use crate::{json, Outcome};

/// The maximum number of rows and columns of a table. Beyond them the middle is left out.
const MOST_ROWS: u64 = 40;
const MOST_COLUMNS: u64 = 12;

/// Writes the bare bytes; strings one per line.
pub fn raw(out: &mut impl Write, values: &Values) -> Outcome {
    if let Values::String(list) = values {
        for text in list {
            writeln!(out, "{text}")?;
        }
        return Ok(());
    }
    for i in 0..values.len() {
        out.write_all(&values.native_bytes_at(i).unwrap_or_default())?;
    }
    Ok(())
}

/// Writes one line per value: its coordinates, then the value. Missing values are empty. Control characters are
/// escaped, so that none of them breaks a line.
pub fn csv(
    out: &mut impl Write,
    variable: &Variable,
    coordinates: &[Coordinates],
    answer: &Answer,
) -> Outcome {
    let names: Vec<String> = coordinates.iter().map(|c| quoted(&printable(&c.dimension))).collect();
    writeln!(out, "{}", [names, vec![quoted(&printable(variable.name()))]].concat().join(","))?;
    let mut fields = vec![String::new(); coordinates.len() + 1];
    let all = Selection::all(&answer.shape);
    for n in 0..answer.values.len() {
        for ((field, along), i) in fields.iter_mut().zip(coordinates).zip(all.index(n as u64)) {
            // What is missing is empty, coordinates and values alike.
            let label = if along.is_missing(i) { String::new() } else { along.label(i) };
            *field = quoted(&printable(&label));
        }
        fields[coordinates.len()] =
            if answer.valid[n] { quoted(&printable(&word(&answer.values, n))) } else { String::new() };
        writeln!(out, "{}", fields.join(","))?;
    }
    Ok(())
}

/// Returns a field of CSV, quoted if necessary (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns a value as text.
fn word(values: &Values, i: usize) -> String {
    if let Some(number) = values.decimal_at(i) {
        return number;
    }
    match json::element(values, i) {
        serde_json::Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Writes a table of the last two dimensions for each index of the others.
pub fn table(
    out: &mut impl Write,
    variable: &Variable,
    coordinates: &[Coordinates],
    answer: &Answer,
) -> Outcome {
    let style = style::for_stdout();
    let units = units_of(variable, answer.is_packed);
    let shape: Vec<String> = coordinates
        .iter()
        .zip(&answer.shape)
        .map(|(c, n)| format!("{} = {n}", printable(&c.dimension)))
        .collect();
    writeln!(
        out,
        "{}{units}  {}",
        style.heading(&printable(variable.path().trim_start_matches('/'))),
        style.faint(&shape.join(", "))
    )?;
    let rank = answer.shape.len();
    let rows = if rank > 1 { answer.shape[rank - 2] } else { 1 };
    let columns = if rank > 0 { answer.shape[rank - 1] } else { 1 };
    let planes: u64 = answer.shape[..rank.saturating_sub(2)].iter().product();
    if answer.values.is_empty() {
        writeln!(out, "no values")?;
        return Ok(());
    }
    for plane in shown(planes, MOST_ROWS) {
        let Some(plane) = plane else {
            writeln!(out, "\n{}", style.faint("... (--csv or --json prints everything)"))?;
            continue;
        };
        if rank > 2 {
            let index = Selection::all(&answer.shape[..rank - 2]).index(plane);
            let place: Vec<String> = coordinates
                .iter()
                .zip(index)
                .map(|(along, i)| format!("{} {}", printable(&along.dimension), printable(&along.label(i))))
                .collect();
            writeln!(out, "\n{}", style.name(&place.join(", ")))?;
        }
        let value = |row: u64, column: u64| {
            let n = ((plane * rows + row) * columns + column) as usize;
            if answer.valid[n] {
                printable(&word(&answer.values, n))
            } else {
                "_".to_owned()
            }
        };
        let label =
            |d: Option<usize>, i: u64| d.map_or(String::new(), |d| printable(&coordinates[d].label(i)));
        if rank == 1 {
            let lines = shown(columns, MOST_ROWS);
            let cells = lines.iter().map(|line| match line {
                Some(i) => vec![label(Some(0), *i), value(0, *i)],
                None => vec!["...".into(), "...".into()],
            });
            grid(out, cells.collect())?;
            continue;
        }
        let down = shown(rows, MOST_ROWS);
        let across = shown(columns, MOST_COLUMNS);
        let dots = || "...".to_owned();
        let mut cells = Vec::new();
        if rank > 1 {
            let name = |d: usize| printable(&coordinates[d].dimension);
            let corner = format!("{} \\ {}", name(rank - 2), name(rank - 1));
            let heads = across.iter().map(|c| c.map_or_else(dots, |c| label(Some(rank - 1), c)));
            cells.push(std::iter::once(corner).chain(heads).collect());
        }
        for row in &down {
            let head = row.map_or_else(dots, |r| label(rank.checked_sub(2), r));
            let line = across.iter().map(|c| match (row, c) {
                (Some(r), Some(c)) => value(*r, *c),
                _ => dots(),
            });
            cells.push(std::iter::once(head).chain(line).collect());
        }
        grid(out, cells)?;
    }
    Ok(())
}

/// Returns the units of the values, for the heading, and how packed ones are unpacked.
fn units_of(variable: &Variable, is_packed: bool) -> String {
    let attributes = variable.attributes();
    let units = attributes.text("units").map(|u| printable(&u));
    let number = |name| attributes.get(name).and_then(|v| v.decimal_at(0));
    let (scale, offset) = (number("scale_factor"), number("add_offset"));
    if !is_packed || scale.is_none() && offset.is_none() {
        return units.map_or_else(String::new, |u| format!(" ({u})"));
    }
    let scale = scale.map_or_else(String::new, |s| format!(" * {s}"));
    let offset = offset.map_or_else(String::new, |o| format!(" + {o}"));
    let gives = units.map_or_else(String::new, |u| format!(" in {u}"));
    format!(" (packed: number{scale}{offset}{gives})")
}

/// Returns the indices to show; `None` represents those left out in the middle.
fn shown(size: u64, most: u64) -> Vec<Option<u64>> {
    if size <= most {
        return (0..size).map(Some).collect();
    }
    let half = most / 2;
    (0..half).map(Some).chain([None]).chain((size - half..size).map(Some)).collect()
}

/// Writes columns aligned to the right.
fn grid(out: &mut impl Write, cells: Vec<Vec<String>>) -> Outcome {
    let columns = cells.iter().map(Vec::len).max().unwrap_or(0);
    let width =
        |c: usize| cells.iter().filter_map(|row| row.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in &cells {
        // `format!` panics at widths of more than 65535.
        let blanks = |text: &str, width: usize| " ".repeat(width - text.chars().count());
        let line: Vec<String> = row.iter().zip(&widths).map(|(text, &w)| blanks(text, w) + text).collect();
        writeln!(out, "{}", line.join("  "))?;
    }
    Ok(())
}
