//! Collects what `cfa plot` draws: values, axes with their ticks, colours and texts.

use cfa::qgis::{fitting, robust_range, Colours};
use cfa::{Coordinates, Error, Kind, Parts, Range, Result, Selection, Variable};

use crate::plot_axis::Axis;
use crate::plot_chart::fitted;
use crate::style::brief;

/// The contents of a picture.
pub struct Picture {
    /// Rows from the first to the last coordinate of `down`, one row for a line; NaN where values are missing.
    pub values: Vec<f64>,
    pub across: Axis,
    /// `None` for a line.
    pub up: Option<Axis>,
    pub colours: Colours,
    /// The least and the greatest value.
    pub extremes: (f64, f64),
    /// Whether the user chose the range.
    pub is_chosen: bool,
    pub title: String,
    /// The coordinates along the other dimensions, as text.
    pub place: String,
    pub units: String,
    pub notes: Vec<String>,
}

impl Picture {
    /// Reads the contents of a picture that has room for `most` values across and up.
    pub fn read(
        variable: &Variable,
        part: &Parts,
        most: (u64, u64),
        range: Option<(f64, f64)>,
        full: bool,
    ) -> Result<Picture> {
        let place = |e: Error| e.in_variable(variable.path()).in_file(variable.dataset().name());
        if !variable.data_type().is_number() {
            return Err(place(Error::new(Kind::Type, "texts cannot be drawn; cfa read prints them")));
        }
        let mut count = part.count();
        let rank = count.len();
        let long: Vec<usize> = (0..rank).filter(|&d| count[d] != 1).collect();
        if count.contains(&0) {
            return Err(place(request("there are no values to draw")));
        }
        let (row, column) = match long[..] {
            [] => return Err(place(request("one value is no picture; cfa read prints it"))),
            [column] => (None, column),
            [row, column] => (Some(row), column),
            _ => return Err(place(too_many(variable, part, &long))),
        };
        let (row, column) = match row {
            Some(row) if is_upright(variable, column)? && !is_upright(variable, row)? => (Some(column), row),
            other => (other, column),
        };
        let mut notes = Vec::new();
        let mut ranges: Vec<Vec<Range>> = (0..rank).map(|d| part.ranges(d).to_vec()).collect();
        for (d, most) in [(Some(column), if row.is_some() { most.0 } else { LONGEST }), (row, most.1)] {
            let Some(d) = d.filter(|&d| count[d] > most) else { continue };
            let by = count[d].div_ceil(most);
            (count[d], ranges[d]) = (count[d].div_ceil(by), thinned(&ranges[d], by));
            let name = brief(&variable.dataset().dimension(variable.dimensions()?[d]).name);
            notes.push(format!("along {name} one value of {by} is drawn; --select chooses a smaller part"));
        }
        let drawn = Parts::new(ranges);
        let values = numbers(variable, &drawn)?;
        let along = |d: usize| {
            Coordinates::along_parts(variable, d, &drawn).or_else(|error| {
                notes.push(format!("indices are shown instead of coordinates: {error}"));
                Coordinates::indices_of_parts(variable, d, &drawn)
            })
        };
        let coordinates: Vec<Coordinates> = (0..rank).map(along).collect::<Result<_>>()?;
        let axis = |d: usize| -> Result<Axis> {
            let mut axis = Axis::of(variable, &coordinates[d], d, count[d])?;
            // There may be a gap between ranges that were joined, as in times.
            if drawn.ranges(d).len() > 1 {
                axis.look_for_gaps();
            }
            Ok(axis)
        };
        // Rows are the dimension that goes up. If it is stored as columns, rows and columns are exchanged.
        let values = match row {
            Some(row) if row > column => turned(&values, count[column] as usize),
            _ => values,
        };
        let (across, up) = (axis(column)?, row.map(axis).transpose()?);
        let fixed = (0..rank).filter(|d| !long.contains(d) && coordinates[*d].values.is_some());
        let fixed: Vec<String> = fixed
            .map(|d| {
                format!(
                    "{} {}",
                    brief(&coordinates[d].dimension),
                    brief(day_or_time(&coordinates[d].label(0)))
                )
            })
            .collect();
        let text = |name: &str| variable.attributes().text(name).filter(|t| !t.trim().is_empty());
        let units = text("units").unwrap_or_default();
        let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let extremes = (
            finite.iter().copied().fold(f64::INFINITY, f64::min),
            finite.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        );
        let mut colours = match (robust_range(&mut finite), full) {
            (None, _) => {
                notes.push("all values are missing".to_owned());
                fitting("", &units, 0.0, 1.0)
            }
            (Some(_), true) => {
                fitting(&text("standard_name").unwrap_or_default(), &units, extremes.0, extremes.1)
            }
            (Some((low, high)), false) => {
                fitting(&text("standard_name").unwrap_or_default(), &units, low, high)
            }
        };
        if let Some((low, high)) = range {
            (colours.low, colours.high) = (low, high);
        } else if full && extremes.0 < extremes.1 {
            (colours.low, colours.high) = extremes;
        }
        let name = variable.name().to_owned();
        let meaning = text("long_name").or_else(|| text("standard_name"));
        let short = fitted(&brief(&name), LONGEST_TITLE / 2);
        let room = LONGEST_TITLE - short.chars().count() - 3;
        let title = meaning.map_or(short.clone(), |m| format!("{} ({short})", fitted(&brief(&m), room)));
        Ok(Picture {
            values,
            across,
            up,
            colours,
            extremes,
            is_chosen: range.is_some(),
            title,
            place: fixed.join(", "),
            // Numbers without a unit have the unit 1.
            units: if units.trim() == "1" { String::new() } else { brief(&units) },
            notes,
        })
    }
}

/// The maximum number of characters of a title.
const LONGEST_TITLE: usize = 75;
/// The maximum number of values of a line.
const LONGEST: u64 = 20_000;

/// Returns the text of a date without a time of day that is midnight.
fn day_or_time(label: &str) -> &str {
    label.strip_suffix(" 00:00:00").unwrap_or(label)
}

fn request(message: impl Into<String>) -> Error {
    Error::new(Kind::Request, message.into())
}

/// Returns the error for too many dimensions: it names them, and shows how to select along them.
fn too_many(variable: &Variable, part: &Parts, long: &[usize]) -> Error {
    let name = |d: usize| {
        let ids = variable.dimensions().unwrap_or_default();
        ids.get(d).map_or(String::new(), |&id| variable.dataset().dimension(id).name.clone())
    };
    let mut spare: Vec<usize> = long[..long.len() - 2].to_vec();
    spare.truncate(8);
    let sizes: Vec<String> =
        spare.iter().map(|&d| format!("{} ({} values)", brief(&name(d)), part.count()[d])).collect();
    let starts: Vec<u64> = (0..part.count().len()).map(|d| part.ranges(d)[0].start).collect();
    let example = |&d: &usize| {
        let one = vec![1; starts.len()];
        let first = Selection::block(&starts, &one, variable.shape().unwrap_or_default());
        let label = first
            .and_then(|first| Coordinates::along(variable, d, &first))
            .map_or("0".into(), |c| c.label(0));
        let label = match label.contains(':') {
            true => day_or_time(&label).replace(' ', "T"),
            false => label,
        };
        format!("--select {}={}", brief(&name(d)), brief(&label))
    };
    let examples: Vec<String> = spare.iter().map(example).collect();
    request(format!(
        "a picture has one or two dimensions, and {} are left; select one value of {}, for example {}",
        long.len(),
        sizes.join(" and of "),
        examples.join(" ")
    ))
}

/// Returns whether a dimension goes up whatever the order of dimensions: latitudes, heights, pressures, depths.
fn is_upright(variable: &Variable, d: usize) -> Result<bool> {
    let one = vec![1; variable.shape()?.len()];
    let start = vec![0; one.len()];
    let first = Selection::block(&start, &one, variable.shape()?)?;
    let coordinates =
        Coordinates::along(variable, d, &first).or_else(|_| Coordinates::indices(variable, d, &first))?;
    Ok(Axis::of(variable, &coordinates, d, 1)?.is_upright)
}

/// Returns every `by`-th index of ranges that are joined.
fn thinned(ranges: &[Range], by: u64) -> Vec<Range> {
    let (mut thinned, mut place) = (Vec::new(), 0u64);
    for range in ranges {
        let skipped = (by - place % by) % by;
        if skipped < range.count {
            thinned.push(Range {
                start: range.start.wrapping_add_signed(range.step.saturating_mul(skipped as i64)),
                count: (range.count - skipped).div_ceil(by),
                step: range.step.saturating_mul(by as i64),
                ..*range
            });
        }
        place = place.saturating_add(range.count);
    }
    thinned
}

fn numbers(variable: &Variable, parts: &Parts) -> Result<Vec<f64>> {
    let (values, valid) = variable.read_parts_unpacked(parts)?;
    let number = |i: usize| values.f64_at(i).filter(|_| valid[i]).unwrap_or(f64::NAN);
    Ok((0..values.len()).map(number).collect())
}

/// Exchanges rows and columns. `rows` is the number of stored rows.
fn turned(values: &[f64], rows: usize) -> Vec<f64> {
    let columns = values.len() / rows.max(1);
    (0..columns).flat_map(|c| (0..rows).map(move |r| values[r * columns + c])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_so_many_indices_of_joined_ranges_are_kept() {
        let range = |start, count, step| Range { start, count, step, shift: 0.0 };
        let listed = |ranges: &[Range]| -> Vec<i64> {
            ranges.iter().flat_map(|r| (0..r.count as i64).map(|i| r.start as i64 + i * r.step)).collect()
        };
        for by in 1..9 {
            for ranges in [
                vec![range(0, 10, 1)],
                vec![range(5, 4, 2), range(90, 1, 1), range(30, 7, -3), range(0, 2, 1)],
                vec![range(9, 10, -1), range(50, 13, 1)],
            ] {
                let expected: Vec<i64> = listed(&ranges).into_iter().step_by(by).collect();
                assert_eq!(listed(&thinned(&ranges, by as u64)), expected, "{by} {ranges:?}");
            }
        }
    }
}
