//! Selects a part of a variable by coordinates: `time=2001-03..2001-05`, `lat=45`, `station=Oslo`.
//!
//! Both ends are included, and an omitted end is that of the dimension. Dates are compared to the precision in which
//! they are written. A dimension without coordinates is selected by index.
//!
//! ```no_run
//! let tas = cfa::Dataset::open("tas.nc")?.variable("tas")?;
//! let spring = tas.select(&["time=2001-03..2001-05", "lat=45"])?;
//! let values = tas.read::<f32>(&spring)?;
//! # Ok::<(), cfa::Error>(())
//! ```

use crate::dataset::coordinates::Coordinates;
use crate::dataset::variable::Variable;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;
use crate::value::Values;

impl Variable {
    /// Returns the part that these texts (`DIM=VALUE` or `DIM=VALUE..VALUE`) select. Other dimensions are whole.
    ///
    /// # Errors
    /// `Request` if a text is malformed or selects nothing; those of reading coordinates.
    pub fn select<S: AsRef<str>>(&self, texts: &[S]) -> Result<Selection> {
        selection(self, texts)
    }
}

pub(crate) fn selection<S: AsRef<str>>(variable: &Variable, texts: &[S]) -> Result<Selection> {
    let shape = variable.shape()?;
    let all = Selection::all(shape);
    let (mut start, mut count) = (vec![0; shape.len()], shape.to_vec());
    for text in texts.iter().map(AsRef::as_ref) {
        let (name, wanted) = text
            .split_once('=')
            .ok_or_else(|| request(format!("'{text}': expected DIM=VALUE or DIM=VALUE..VALUE")))?;
        let ids = variable.dimensions()?;
        let names: Vec<&str> = ids.iter().map(|&id| variable.dataset().dimension(id).name.as_str()).collect();
        let Some(d) = names.iter().position(|&n| n == name) else {
            return Err(request(format!("no dimension '{name}'; the variable has: {}", names.join(", "))));
        };
        (start[d], count[d]) = find(&Coordinates::along(variable, d, &all)?, wanted, shape[d])?;
    }
    Selection::new(&start, &count, &vec![1; shape.len()], shape)
}

fn request(message: String) -> Error {
    Error::new(Kind::Request, message)
}

/// Returns the range of indices whose coordinates lie between the two values. An omitted end is that of the dimension.
fn find(coordinates: &Coordinates, wanted: &str, size: u64) -> Result<(u64, u64)> {
    let (from, to) = wanted.split_once("..").unwrap_or((wanted, wanted));
    let (from, to) = (from.trim(), to.trim());
    let inside = match &coordinates.values {
        None => return indices(coordinates, from, to, size),
        Some(Values::String(words)) => between_words(words, from, to),
        Some(_) if coordinates.are_dates() && (is_date(from) || is_date(to)) => {
            between_dates(coordinates, from, to, size)?
        }
        Some(_) => between_numbers(|i| coordinates.number(i), from, to, size)?,
    };
    let Some(&first) = inside.first() else { return Err(nothing(coordinates, wanted, size)) };
    let last = inside[inside.len() - 1];
    if last - first + 1 != inside.len() as u64 {
        return Err(request(format!(
            "the coordinates of dimension '{}' are not in order, so {wanted} is not one range of indices",
            coordinates.dimension
        )));
    }
    Ok((first, inside.len() as u64))
}

fn nothing(coordinates: &Coordinates, wanted: &str, size: u64) -> Error {
    let ends = match (&coordinates.values, size) {
        (_, 0) => "it is empty".to_owned(),
        (None, n) => format!("it has no coordinates, and its indices go from 0 to {}", n - 1),
        (Some(Values::String(words)), _) => {
            let some: Vec<&str> = words.iter().map(String::as_str).take(20).collect();
            format!("it has: {}", some.join(", "))
        }
        (Some(_), n) => {
            format!("its coordinates go from {} to {}", coordinates.label(0), coordinates.label(n - 1))
        }
    };
    request(format!("dimension '{}' has nothing at {wanted}; {ends}", coordinates.dimension))
}

/// Returns the indices themselves, for a dimension without coordinates. Does not walk over them, since a dimension can
/// be of any size.
fn indices(coordinates: &Coordinates, from: &str, to: &str, size: u64) -> Result<(u64, u64)> {
    let index = |text: &str, end: u64| match text {
        "" => Ok(end),
        text => text.parse::<u64>().map_err(|_| {
            request(format!(
                "dimension '{}' has no coordinates, and '{text}' is not an index",
                coordinates.dimension
            ))
        }),
    };
    let (a, b) = (index(from, 0)?, index(to, size.saturating_sub(1))?);
    let (low, high) = (a.min(b), a.max(b).min(size.saturating_sub(1)));
    if low >= size {
        return Err(nothing(coordinates, &format!("{from}..{to}"), size));
    }
    Ok((low, high - low + 1))
}

fn between_words(words: &[String], from: &str, to: &str) -> Vec<u64> {
    let at = |word: &str, end| if word.is_empty() { end } else { words.iter().position(|w| w == word) };
    match (at(from, Some(0)), at(to, words.len().checked_sub(1))) {
        (Some(a), Some(b)) if a.max(b) < words.len() => (a.min(b) as u64..=a.max(b) as u64).collect(),
        _ => Vec::new(),
    }
}

fn between_numbers(value: impl Fn(u64) -> Option<f64>, from: &str, to: &str, size: u64) -> Result<Vec<u64>> {
    let number = |text: &str, end: f64| match text {
        "" => Ok(end),
        text => text.parse::<f64>().map_err(|_| request(format!("'{text}' is not a number"))),
    };
    let (a, b) = (number(from, f64::NEG_INFINITY)?, number(to, f64::INFINITY)?);
    let (low, high) = (a.min(b), a.max(b));
    // Coordinates stored as float32 are rarely equal to the decimal number that the user writes.
    let near = |x: f64, y: f64| y.is_finite() && (x - y).abs() <= 1e-6 * x.abs().max(y.abs());
    let inside = |x: f64| (low <= x && x <= high) || near(x, low) || near(x, high);
    Ok((0..size).filter(|&i| value(i).is_some_and(inside)).collect())
}

/// Returns whether a text is a date: a year of four digits, or more than that.
fn is_date(text: &str) -> bool {
    let year = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
    year || text.parse::<f64>().is_err() && text.get(1..).is_some_and(|rest| rest.contains('-'))
}

/// Finds the coordinates between two dates, to the precision in which the user wrote them: `2001-03` is the whole of
/// March.
fn between_dates(coordinates: &Coordinates, from: &str, to: &str, size: u64) -> Result<Vec<u64>> {
    let (mut low, mut high) = (date_fields(from)?, date_fields(to)?);
    let common = low.len().min(high.len());
    if low[..common] > high[..common] {
        std::mem::swap(&mut low, &mut high);
    }
    let inside = |i: &u64| {
        let Some(date) = coordinates.date(*i) else { return false };
        let seconds = f64::from(date.second) + f64::from(date.microsecond) / 1e6;
        let (month, day) = (date.month.into(), date.day.into());
        let fields = [date.year as f64, month, day, date.hour.into(), date.minute.into(), seconds];
        fields[..low.len()] >= low[..] && fields[..high.len()] <= high[..]
    };
    Ok((0..size).filter(inside).collect())
}

/// Returns year, month, day, hour, minute and second, as many as are given; none for an omitted end.
fn date_fields(text: &str) -> Result<Vec<f64>> {
    let odd =
        || request(format!("'{text}' is not a date; write YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss"));
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let (sign, digits) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let digits = digits.trim_end_matches(['Z', 'z']);
    let fields: Option<Vec<f64>> = digits
        .split(['-', 'T', 't', ' ', ':'])
        .map(|field| field.parse().ok().filter(|_| field.bytes().all(|b| b.is_ascii_digit() || b == b'.')))
        .collect();
    let mut fields = fields.filter(|f| f.len() <= 6).ok_or_else(odd)?;
    fields[0] *= sign;
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_numbers() {
        for date in ["2001", "2001-03", "-0044-03-15", "2001-03-04T12:00"] {
            assert!(is_date(date), "{date}");
        }
        for number in ["12", "-5", "20.5", "1e-5", "-1e-5", "20010", ""] {
            assert!(!is_date(number), "{number}");
        }
    }

    #[test]
    fn date_fields_are_as_many_as_are_written() {
        assert_eq!(date_fields("2001-03").unwrap(), [2001.0, 3.0]);
        assert_eq!(date_fields("-0044-03-15").unwrap(), [-44.0, 3.0, 15.0]);
        assert_eq!(date_fields("2001-03-04T12:30:01.5Z").unwrap(), [2001.0, 3.0, 4.0, 12.0, 30.0, 1.5]);
        for odd in ["2001-xx", "2001-", "2001--03", "2001-03-04-05-06-07-08", "March"] {
            assert!(date_fields(odd).is_err(), "{odd}");
        }
    }
}
