//! Which part of a variable is wanted: by index (`--start --count --stride`) or by coordinate (`--select`).

use cfa::{Error, Kind, Result, Selection, Values, Variable};
use clap::Args;

use crate::coordinates::Coordinates;

/// Arguments that choose a part.
#[derive(Args, Default)]
#[command(next_help_heading = "Which part")]
pub struct Part {
    /// First index along each dimension [default: 0]
    #[arg(long, value_name = "I,J,..", allow_hyphen_values = true)]
    start: Option<String>,
    /// Number of indices along each dimension [default: all that are left]
    #[arg(long, value_name = "N,M,..")]
    count: Option<String>,
    /// Distance between indices along each dimension; negative goes backward [default: 1]
    #[arg(long, value_name = "S,T,..", allow_hyphen_values = true)]
    stride: Option<String>,
    /// Coordinates from..to along a dimension, both included; numbers, words or dates (repeatable)
    #[arg(long, value_name = "DIM=VALUE[..VALUE]", conflicts_with_all = ["start", "count", "stride"])]
    select: Vec<String>,
}

impl Part {
    /// Whether nothing was chosen.
    pub fn is_whole(&self) -> bool {
        self.start.is_none() && self.count.is_none() && self.stride.is_none() && self.select.is_empty()
    }

    /// The selection of this variable.
    ///
    /// # Errors
    /// `Request` when the words are not understood or reach outside.
    pub fn selection(&self, variable: &Variable) -> Result<Selection> {
        let shape = variable.shape()?;
        if self.select.is_empty() {
            return self.by_index(shape);
        }
        let coordinates = Coordinates::of(variable)?;
        let mut start = vec![0; shape.len()];
        let mut count = shape.to_vec();
        for text in &self.select {
            let (name, wanted) = text
                .split_once('=')
                .ok_or_else(|| request(format!("--select {text}: expected DIM=VALUE or DIM=VALUE..VALUE")))?;
            let Some(d) = coordinates.iter().position(|c| c.dimension == name) else {
                let names: Vec<&str> = coordinates.iter().map(|c| c.dimension.as_str()).collect();
                return Err(request(format!(
                    "no dimension '{name}'; the variable has: {}",
                    names.join(", ")
                )));
            };
            (start[d], count[d]) = find(&coordinates[d], wanted, shape[d])?;
        }
        Selection::new(&start, &count, &vec![1; shape.len()], shape)
    }

    fn by_index(&self, shape: &[u64]) -> Result<Selection> {
        let start = numbers::<u64>("start", self.start.as_deref())?;
        let count = numbers::<u64>("count", self.count.as_deref())?;
        let step = numbers::<i64>("stride", self.stride.as_deref())?;
        let step = step.unwrap_or_else(|| vec![1; shape.len()]);
        let start = start.unwrap_or_else(|| {
            let last = |(d, &size): (usize, &u64)| match step.get(d) {
                Some(s) if *s < 0 => size.saturating_sub(1),
                _ => 0,
            };
            shape.iter().enumerate().map(last).collect()
        });
        let count = count.unwrap_or_else(|| {
            let left = |(d, &size): (usize, &u64)| match (start.get(d), step.get(d)) {
                (Some(&from), Some(&by)) if by < 0 && from < size => from / by.unsigned_abs() + 1,
                (Some(&from), Some(&by)) if by > 0 && from < size => {
                    (size - 1 - from) / by.unsigned_abs() + 1
                }
                _ => 0,
            };
            shape.iter().enumerate().map(left).collect()
        });
        Selection::new(&start, &count, &step, shape)
    }
}

fn request(message: String) -> Error {
    Error::new(Kind::Request, message)
}

fn numbers<T: std::str::FromStr>(what: &str, text: Option<&str>) -> Result<Option<Vec<T>>> {
    let Some(text) = text.map(str::trim).filter(|t| !t.is_empty()) else { return Ok(None) };
    let parsed: std::result::Result<Vec<T>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    parsed
        .map(Some)
        .map_err(|_| request(format!("--{what} {text}: expected whole numbers separated by commas")))
}

/// The range of indices whose coordinates lie between the two values.
fn find(coordinates: &Coordinates, wanted: &str, size: u64) -> Result<(u64, u64)> {
    let (from, to) = wanted.split_once("..").unwrap_or((wanted, wanted));
    let inside = match &coordinates.values {
        Some(Values::String(words)) => between_words(words, from, to),
        Some(_) if coordinates.are_dates() && looks_like_date(from) => {
            between_dates(coordinates, from, to, size)
        }
        Some(values) => between_numbers(|i| values.f64_at(i as usize), from, to, size)?,
        None => between_numbers(|i| Some(i as f64), from, to, size)?,
    };
    let Some(&first) = inside.first() else {
        let ends = match size {
            0 => "it is empty".to_owned(),
            n => format!("its coordinates go from {} to {}", coordinates.label(0), coordinates.label(n - 1)),
        };
        return Err(request(format!(
            "nothing of dimension '{}' lies at {wanted}; {ends}",
            coordinates.dimension
        )));
    };
    let last = inside[inside.len() - 1];
    if last - first + 1 != inside.len() as u64 {
        return Err(request(format!(
            "the coordinates of dimension '{}' are not in order, so {wanted} is not one range; use --start and --count",
            coordinates.dimension
        )));
    }
    Ok((first, inside.len() as u64))
}

fn between_words(words: &[String], from: &str, to: &str) -> Vec<u64> {
    let at = |word: &str| words.iter().position(|w| w == word);
    match (at(from), at(to)) {
        (Some(a), Some(b)) => (a.min(b) as u64..=a.max(b) as u64).collect(),
        _ => Vec::new(),
    }
}

fn between_numbers(value: impl Fn(u64) -> Option<f64>, from: &str, to: &str, size: u64) -> Result<Vec<u64>> {
    let number =
        |text: &str| text.trim().parse::<f64>().map_err(|_| request(format!("'{text}' is not a number")));
    let (a, b) = (number(from)?, number(to)?);
    let (low, high) = (a.min(b), a.max(b));
    // Coordinates stored as float32 are seldom the decimal number that the user writes.
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * x.abs().max(y.abs());
    let inside = |x: f64| (low <= x && x <= high) || near(x, low) || near(x, high);
    Ok((0..size).filter(|&i| value(i).is_some_and(inside)).collect())
}

fn looks_like_date(text: &str) -> bool {
    text.trim().trim_start_matches('-').contains('-')
}

/// Dates are compared as far as the user wrote them: `2001-03` is the whole of March.
fn between_dates(coordinates: &Coordinates, from: &str, to: &str, size: u64) -> Vec<u64> {
    let fields = |text: &str| -> Vec<f64> {
        text.split(['-', 'T', ' ', ':']).filter(|f| !f.is_empty()).map_while(|f| f.parse().ok()).collect()
    };
    let (low, high) = (fields(from), fields(to));
    (0..size)
        .filter(|&i| {
            let Some(date) = coordinates.date(i) else { return false };
            let parts = fields(&date.to_string());
            let cut = |wanted: &[f64]| parts[..wanted.len().min(parts.len())].to_vec();
            cut(&low) >= low && cut(&high) <= high
        })
        .collect()
}
