//! Prints values for people and for other programs: as a table, as CSV, as bare bytes.

use std::collections::HashMap;
use std::io::Write;

use cfa::Coordinates;
use cfa::{Selection, Values, Variable};

use crate::read::Answer;
use crate::style::{self, printable};
use crate::{json, Outcome};

/// The maximum number of tables and of rows of each on a terminal. Beyond them the middle is left out.
const MOST_ROWS: u64 = 40;

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

/// Writes `{"dims", "dtype", "shape", "values"}` on one line, value by value: JSON in memory takes many times as much as
/// the values. Missing values are null.
pub fn json(out: &mut impl Write, dimensions: &[String], answer: &Answer) -> Outcome {
    let (dtype, shape) = (answer.values.data_type().code(), &answer.shape);
    let head = serde_json::json!({"dims": dimensions, "dtype": dtype, "shape": shape});
    write!(out, "{},\"values\":[", json::printed(&head, false).trim_end_matches('}'))?;
    for (i, &is_valid) in answer.valid.iter().enumerate() {
        let value = if is_valid { json::element(&answer.values, i) } else { serde_json::Value::Null };
        let comma = if i == 0 { "" } else { "," };
        write!(out, "{comma}{}", json::printed(&value, false))?;
    }
    writeln!(out, "]}}")?;
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
            // Missing coordinates are empty, as missing values are.
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
    let width = style::width();
    let most = if width.is_some() { MOST_ROWS } else { u64::MAX };
    // The numbers of indices that are left out: of the dimensions before the last two together, of rows, of columns.
    let mut left_out = [planes.saturating_sub(most), 0, 0];
    for plane in shown(planes, most) {
        let Some(plane) = plane else {
            writeln!(out, "\n...")?;
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
            |d: usize, i: u64| coordinates.get(d).map_or(String::new(), |along| printable(&along.label(i)));
        let name = |d: usize| printable(&coordinates[d].dimension);
        // The values of one dimension go down.
        let (down, across) = if rank == 1 { (columns, 1) } else { (rows, columns) };
        let cell = |row: Option<u64>, column: Option<u64>| match (rank, row, column) {
            (0, ..) => value(0, 0),
            (1, Some(row), _) => value(0, row),
            (_, Some(row), Some(column)) => value(row, column),
            _ => "...".to_owned(),
        };
        let table = Table {
            corner: (rank > 1).then(|| format!("{} \\ {}", name(rank - 2), name(rank - 1))),
            down: shown(down, most),
            row: &|row| label(rank.saturating_sub(2), row),
            column: &|column| label(rank - 1, column),
            has_labels: rank > 0,
            cell: &cell,
        };
        let shown_columns = table.write(out, across, width)?;
        left_out[1] = down.saturating_sub(most);
        left_out[2] = left_out[2].max(across - shown_columns);
    }
    left_out_text(out, coordinates, left_out)
}

/// Prints what was left out, and how to see it.
fn left_out_text(out: &mut impl Write, coordinates: &[Coordinates], left_out: [u64; 3]) -> Outcome {
    let rank = coordinates.len();
    let name =
        |back: usize| rank.checked_sub(back).map_or(String::new(), |d| printable(&coordinates[d].dimension));
    let [planes, rows, columns] = left_out;
    let of = [(planes, "tables".to_owned()), (rows, name(if rank == 1 { 1 } else { 2 })), (columns, name(1))];
    let parts: Vec<String> =
        of.into_iter().filter(|(n, _)| *n > 0).map(|(n, of)| format!("{n} of {of}")).collect();
    if !parts.is_empty() {
        let text = format!(
            "left out: {}; a file or pipe gets everything (cfa read ... | less -S), --select chooses a part",
            parts.join(", ")
        );
        writeln!(out, "{}", style::for_stdout().faint(&style::wrapped(&text, style::width(), 4)))?;
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
    (0..most - half).map(Some).chain([None]).chain((size - half..size).map(Some)).collect()
}

/// A table whose cells are texts.
struct Table<'a> {
    /// The text above the labels of rows, if columns have labels.
    corner: Option<String>,
    down: Vec<Option<u64>>,
    row: &'a dyn Fn(u64) -> String,
    column: &'a dyn Fn(u64) -> String,
    /// Whether rows have labels.
    has_labels: bool,
    cell: &'a dyn Fn(Option<u64>, Option<u64>) -> String,
}

impl Table<'_> {
    /// Writes as many of the columns as fit the width, aligned to the right. Returns how many.
    fn write(&self, out: &mut impl Write, columns: u64, width: Option<usize>) -> Outcome<u64> {
        let labels = self.has_labels.then(|| self.label_width());
        let mut known = HashMap::new();
        let mut width_of = |column: Option<u64>| *known.entry(column).or_insert_with(|| self.width(column));
        // A column takes at least a blank and a character.
        let mut most = width.map_or(columns, |width| columns.min(width as u64 / 2).max(1));
        let (across, widths) = loop {
            let across = shown(columns, most);
            let widths: Vec<usize> = across.iter().map(|&c| width_of(c)).collect();
            let total = labels.map_or(0, |w| w + 2) + widths.iter().map(|w| w + 2).sum::<usize>();
            if most == 1 || width.is_none_or(|width| total <= width + 2) {
                break (across, widths);
            }
            most -= 1;
        };
        if let Some(corner) = &self.corner {
            let heads = across.iter().map(|c| c.map_or("...".to_owned(), |c| (self.column)(c)));
            line(out, labels.map(|w| (corner.clone(), w)), heads.zip(widths.iter().copied()))?;
        }
        for &row in &self.down {
            let head = row.map_or("...".to_owned(), |r| (self.row)(r));
            let cells = across.iter().map(|&c| (self.cell)(row, c));
            line(out, labels.map(|w| (head, w)), cells.zip(widths.iter().copied()))?;
        }
        Ok(most)
    }

    fn label_width(&self) -> usize {
        let corner = self.corner.as_ref().map_or(0, |c| style::columns(c));
        self.down
            .iter()
            .map(|r| r.map_or(3, |r| style::columns(&(self.row)(r))))
            .max()
            .unwrap_or(0)
            .max(corner)
    }

    fn width(&self, column: Option<u64>) -> usize {
        let head = match (&self.corner, column) {
            (Some(_), Some(column)) => style::columns(&(self.column)(column)),
            _ => 0,
        };
        self.down.iter().map(|&r| style::columns(&(self.cell)(r, column))).max().unwrap_or(0).max(head)
    }
}

fn line(
    out: &mut impl Write,
    label: Option<(String, usize)>,
    cells: impl Iterator<Item = (String, usize)>,
) -> Outcome {
    // `format!` panics at widths of more than 65535.
    let padded =
        |(text, width): (String, usize)| " ".repeat(width.saturating_sub(style::columns(&text))) + &text;
    let words: Vec<String> = label.into_iter().chain(cells).map(padded).collect();
    writeln!(out, "{}", words.join("  "))?;
    Ok(())
}
