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

/// A part of a dimension: its name, and the coordinates of both ends; `None` for an end of the dimension.
type Wanted<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

impl Variable {
    /// Returns the part that these texts (`DIM=VALUE` or `DIM=VALUE..VALUE`) select. Other dimensions are whole.
    ///
    /// # Errors
    /// `Request` if a text is malformed or selects nothing; those of reading coordinates.
    pub fn select<S: AsRef<str>>(&self, texts: &[S]) -> Result<Selection> {
        selection(self, texts)
    }

    /// Returns the part between two coordinates along each of the named dimensions: the name, and the coordinates of
    /// both ends, which are included. `None` is the end of the dimension. Unlike in the texts of [`Variable::select`],
    /// `..`, `=` and blanks are characters like others, so that every label can be selected.
    ///
    /// # Errors
    /// As [`Variable::select`].
    pub fn select_between(&self, wanted: &[(&str, Option<&str>, Option<&str>)]) -> Result<Selection> {
        let shape = self.shape()?;
        let all = Selection::all(shape);
        let (mut start, mut count) = (vec![0; shape.len()], shape.to_vec());
        let ids = self.dimensions()?;
        let names: Vec<&str> = ids.iter().map(|&id| self.dataset().dimension(id).name.as_str()).collect();
        for wanted in wanted {
            let Some(d) = names.iter().position(|&name| name == wanted.0) else {
                let message = format!("no dimension '{}'; the variable has: {}", wanted.0, names.join(", "));
                return Err(request(message));
            };
            (start[d], count[d]) = find(&Coordinates::along(self, d, &all)?, wanted, shape[d])?;
        }
        Selection::new(&start, &count, &vec![1; shape.len()], shape)
    }
}

pub(crate) fn selection<S: AsRef<str>>(variable: &Variable, texts: &[S]) -> Result<Selection> {
    let wanted: Vec<Wanted> = texts.iter().map(|text| parse(text.as_ref())).collect::<Result<_>>()?;
    variable.select_between(&wanted)
}

/// Parses `DIM=VALUE` or `DIM=VALUE..VALUE`.
fn parse(text: &str) -> Result<Wanted<'_>> {
    let (name, wanted) = text
        .split_once('=')
        .ok_or_else(|| request(format!("'{text}': expected DIM=VALUE or DIM=VALUE..VALUE")))?;
    let (from, to) = wanted.split_once("..").unwrap_or((wanted, wanted));
    Ok((name, end(from), end(to)))
}

/// Returns what is written for an end, if anything is.
fn end(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn request(message: String) -> Error {
    Error::new(Kind::Request, message)
}

/// Returns the range of indices whose coordinates lie between the two values.
fn find(coordinates: &Coordinates, &(_, from, to): &Wanted, size: u64) -> Result<(u64, u64)> {
    let is_date = |end: Option<&str>| end.is_some_and(is_date);
    let inside = match &coordinates.values {
        None => return indices(coordinates, from, to, size),
        Some(Values::String(words)) => between_words(words, from, to),
        Some(_) if coordinates.are_dates() && (is_date(from) || is_date(to)) => {
            between_dates(coordinates, from, to, size)?
        }
        Some(_) => between_numbers(|i| coordinates.number(i), from, to, size)?,
    };
    let Some(&first) = inside.first() else { return Err(nothing(coordinates, from, to, size)) };
    let last = inside[inside.len() - 1];
    if last - first + 1 != inside.len() as u64 {
        return Err(request(format!(
            "the coordinates of dimension '{}' are not in order, so {} is not one range of indices",
            coordinates.dimension,
            shown(from, to)
        )));
    }
    Ok((first, inside.len() as u64))
}

/// Returns a range as users write it.
fn shown(from: Option<&str>, to: Option<&str>) -> String {
    match from == to {
        true => from.unwrap_or("..").to_owned(),
        false => format!("{}..{}", from.unwrap_or_default(), to.unwrap_or_default()),
    }
}

fn nothing(coordinates: &Coordinates, from: Option<&str>, to: Option<&str>, size: u64) -> Error {
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
    request(format!("dimension '{}' has nothing at {}; {ends}", coordinates.dimension, shown(from, to)))
}

/// Returns the indices themselves, for a dimension without coordinates. Does not walk over them, since a dimension can
/// be of any size.
fn indices(coordinates: &Coordinates, from: Option<&str>, to: Option<&str>, size: u64) -> Result<(u64, u64)> {
    let index = |text: Option<&str>, end: u64| match text {
        None => Ok(end),
        Some(text) => text.parse::<u64>().map_err(|_| {
            request(format!(
                "dimension '{}' has no coordinates, and '{text}' is not an index",
                coordinates.dimension
            ))
        }),
    };
    let (a, b) = (index(from, 0)?, index(to, size.saturating_sub(1))?);
    let (low, high) = (a.min(b), a.max(b).min(size.saturating_sub(1)));
    if low >= size {
        return Err(nothing(coordinates, from, to, size));
    }
    Ok((low, high - low + 1))
}

fn between_words(words: &[String], from: Option<&str>, to: Option<&str>) -> Vec<u64> {
    let at = |word: Option<&str>, end| match word {
        None => end,
        Some(word) => words.iter().position(|w| w == word),
    };
    match (at(from, Some(0)), at(to, words.len().checked_sub(1))) {
        (Some(a), Some(b)) if a.max(b) < words.len() => (a.min(b) as u64..=a.max(b) as u64).collect(),
        _ => Vec::new(),
    }
}

fn between_numbers(
    value: impl Fn(u64) -> Option<f64>,
    from: Option<&str>,
    to: Option<&str>,
    size: u64,
) -> Result<Vec<u64>> {
    let number = |text: Option<&str>, end: f64| match text.map(|text| (text, text.parse::<f64>())) {
        None => Ok(end),
        Some((_, Ok(number))) if !number.is_nan() => Ok(number),
        Some((text, _)) => Err(request(format!("'{text}' is not a number"))),
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
fn between_dates(
    coordinates: &Coordinates,
    from: Option<&str>,
    to: Option<&str>,
    size: u64,
) -> Result<Vec<u64>> {
    let fields = |end: Option<&str>| end.map_or(Ok(Vec::new()), date_fields);
    let (mut low, mut high) = (fields(from)?, fields(to)?);
    let common = low.len().min(high.len());
    if low[..common] > high[..common] {
        std::mem::swap(&mut low, &mut high);
    }
    let inside = |i: &u64| {
        let Some(date) = coordinates.date(*i) else { return false };
        let (month, day, hour) = (date.month.into(), date.day.into(), date.hour.into());
        let (minute, second, fraction) = (date.minute.into(), date.second.into(), date.microsecond.into());
        let fields = [date.year, month, day, hour, minute, second, fraction];
        fields[..low.len()] >= low[..] && fields[..high.len()] <= high[..]
    };
    Ok((0..size).filter(inside).collect())
}

/// Returns year, month, day, hour, minute, second and microsecond, as many as are given.
fn date_fields(text: &str) -> Result<Vec<i64>> {
    let odd = || {
        request(format!(
            "'{text}' is not a date in UTC; write YYYY, YYYY-MM, YYYY-MM-DD or YYYY-MM-DDThh:mm:ss"
        ))
    };
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let digits = digits.trim_end_matches(['Z', 'z']);
    let (date, time) = match digits.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (digits, None),
    };
    let whole = |text: &str| text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
    let fields: Option<Vec<i64>> = date.split('-').map(whole).collect();
    let mut fields = fields.filter(|f| f.len() <= 3).ok_or_else(odd)?;
    fields[0] *= sign;
    let Some(time) = time else { return Ok(fields) };
    let parts: Vec<&str> = time.split(':').collect();
    if fields.len() != 3 || parts.len() > 3 {
        return Err(odd());
    }
    for (i, part) in parts.iter().enumerate() {
        let (part, fraction) = match part.split_once('.') {
            Some((part, fraction)) if i == 2 => (part, Some(fraction)),
            _ => (*part, None),
        };
        fields.push(whole(part).ok_or_else(odd)?);
        if let Some(fraction) = fraction {
            // Further digits are beyond the precision of dates.
            whole(fraction).ok_or_else(odd)?;
            fields.push(whole(&format!("{fraction:0<6.6}")).ok_or_else(odd)?);
        }
    }
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
        assert_eq!(date_fields("2001-03").unwrap(), [2001, 3]);
        assert_eq!(date_fields("-0044-03-15").unwrap(), [-44, 3, 15]);
        assert_eq!(date_fields("2001-03-04T12:30:01.5Z").unwrap(), [2001, 3, 4, 12, 30, 1, 500_000]);
        assert_eq!(date_fields("2001-03-04T12:30:59.123456789").unwrap()[5..], [59, 123_456]);
        assert_eq!(date_fields("2001-03-04 12").unwrap(), [2001, 3, 4, 12]);
        for odd in ["2001-xx", "2001-", "2001--03", "2001-03-04-05-06-07-08", "March", "", "2001-03T12"] {
            assert!(date_fields(odd).is_err(), "{odd}");
        }
        // A shift from UTC would otherwise be taken for minutes or seconds.
        for zone in ["2001-03-04T12-05", "2001-03-04T12:00-05", "2001-03-04T12:00:00+02:00"] {
            assert!(date_fields(zone).is_err(), "{zone}");
        }
    }

    #[test]
    fn texts_are_cut_at_the_first_equals_sign_and_dots() {
        assert_eq!(parse("x=1").unwrap(), ("x", Some("1"), Some("1")));
        assert_eq!(parse("x= 1 .. ").unwrap(), ("x", Some("1"), None));
        assert_eq!(parse("x=").unwrap(), ("x", None, None));
        assert_eq!(parse("x=a=b..c..d").unwrap(), ("x", Some("a=b"), Some("c..d")));
        assert!(parse("x").is_err());
    }

    #[test]
    fn no_number_is_between_nan_and_another() {
        let between = |from, to| between_numbers(|i| Some(i as f64), from, to, 9);
        assert_eq!(between(Some("5"), Some("7")).unwrap(), [5, 6, 7]);
        assert_eq!(between(Some("inf"), Some("7")).unwrap(), [7, 8]);
        assert!(between(Some("nan"), Some("7")).is_err());
    }
}
