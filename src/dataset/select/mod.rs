//! Selects parts of a variable by coordinates: `time=2001-03..2001-05`, `lat=45`, `lon=-20..20`, `station=Oslo`, or the
//! nearest coordinate, `lat~45.3`.
//!
//! Both ends are included, and an omitted end is that of the dimension. Dates are compared to the precision in which
//! they are written. A value without an equal coordinate means the cell whose bounds contain it. Longitudes may be
//! written in any turn of the circle. Several ranges are joined in the order in which they are written. A dimension
//! without coordinates is selected by index.
//!
//! ```no_run
//! let tas = cfa::Dataset::open("tas.nc")?.variable("tas")?;
//! let spring = tas.select(&["time=2001-03..2001-05", "lat~45.3"])?;
//! let values = tas.read::<f32>(&spring)?;
//! // What may be several ranges along a dimension:
//! let summers = tas.select_parts(&["time=2001-06..2001-08,2002-06..2002-08", "lon=-20..20"])?;
//! let (values, is_valid) = tas.read_parts(&summers)?;
//! # Ok::<(), cfa::Error>(())
//! ```

mod along;
mod cells;
mod circle;
mod dates;
mod find;
mod likeness;
mod parts;
mod read;
mod text;

pub(crate) use cells::bounds_of;
pub(in crate::dataset) use circle::is_longitude;
pub use parts::{Parts, Range};

use along::Along;

use crate::dataset::variable::Variable;
use crate::error::{Error, Kind, Result};
use crate::selection::Selection;

/// The coordinates to select along a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The coordinates between both ends, which are included; `None` is the end of the dimension. If both are the same
    /// and no coordinate equals them: the cell that contains them.
    Between(Option<String>, Option<String>),
    /// The coordinate that is nearest to a number or date.
    Nearest(String),
}

impl Variable {
    /// Returns the part that texts such as `lat=45`, `time=2001-03..2001-05` or `lat~45.3` select. Other dimensions are
    /// whole.
    ///
    /// # Errors
    /// `Request` if a text is malformed or selects nothing, or if the part is not one range of indices along each
    /// dimension ([`Variable::select_parts`] returns any number of them); those of reading coordinates.
    pub fn select<S: AsRef<str>>(&self, texts: &[S]) -> Result<Selection> {
        self.one_range(&self.select_parts(texts)?)
    }

    /// Returns the part that texts select, which may be several ranges of indices along a dimension.
    ///
    /// # Errors
    /// `Request` if a text is malformed or selects nothing; those of reading coordinates.
    pub fn select_parts<S: AsRef<str>>(&self, texts: &[S]) -> Result<Parts> {
        let mut finder = Finder::new(self)?;
        for text in texts {
            let wanted = text::parse(text.as_ref(), |name| finder.names.contains(&name))?;
            let d = finder.dimension(wanted.name)?;
            // Labels may have commas.
            let as_one = match wanted.as_one {
                Some(one) if finder.are_labels(d, &one)? => Some(one),
                _ => None,
            };
            for choice in as_one.map_or(wanted.choices, |one| vec![one]) {
                finder.add(d, &choice)?;
            }
        }
        Ok(finder.finish())
    }

    /// Returns the parts that these choices select along the named dimensions, joined in this order. Unlike in the texts
    /// of [`Variable::select_parts`], `..`, `,`, quotes and blanks are characters like others, so that every label can be
    /// selected.
    ///
    /// # Errors
    /// As [`Variable::select_parts`].
    pub fn choose(&self, wanted: &[(&str, Choice)]) -> Result<Parts> {
        let mut finder = Finder::new(self)?;
        for (name, choice) in wanted {
            let d = finder.dimension(name)?;
            finder.add(d, choice)?;
        }
        Ok(finder.finish())
    }

    /// Returns the part between two coordinates along each of the named dimensions: the name, and the coordinates of
    /// both ends, as in [`Choice::Between`].
    ///
    /// # Errors
    /// As [`Variable::select`].
    pub fn select_between(&self, wanted: &[(&str, Option<&str>, Option<&str>)]) -> Result<Selection> {
        let end = |end: Option<&str>| end.map(str::to_owned);
        let wanted: Vec<(&str, Choice)> =
            wanted.iter().map(|&(name, from, to)| (name, Choice::Between(end(from), end(to)))).collect();
        self.one_range(&self.choose(&wanted)?)
    }

    fn one_range(&self, parts: &Parts) -> Result<Selection> {
        if let Some(selection) = parts.single(self.shape()?)? {
            return Ok(selection);
        }
        let ids = self.dimensions()?;
        let d = (0..ids.len()).find(|&d| parts.ranges(d).len() != 1).unwrap_or(0);
        let ranges = parts.ranges(d);
        let shown = |range: &Range| format!("{}..{}", range.start, range.start + range.count.max(1) - 1);
        let some: Vec<String> = ranges.iter().take(3).map(shown).collect();
        let dots = if ranges.len() > some.len() { ", .." } else { "" };
        Err(request(format!(
            "the part is {} ranges of indices along dimension '{}' ({}{dots}), and only one can be read here",
            ranges.len(),
            self.dataset().dimension(ids[d]).name,
            some.join(", "),
        )))
    }
}

/// The ranges that were found so far along each dimension.
struct Finder<'a> {
    variable: &'a Variable,
    names: Vec<&'a str>,
    along: Vec<Option<Along<'a>>>,
    ranges: Vec<Option<Vec<Range>>>,
}

impl<'a> Finder<'a> {
    fn new(variable: &'a Variable) -> Result<Finder<'a>> {
        let ids = variable.dimensions()?;
        let names = ids.iter().map(|&id| variable.dataset().dimension(id).name.as_str()).collect();
        let along = ids.iter().map(|_| None).collect();
        Ok(Finder { variable, names, along, ranges: vec![None; ids.len()] })
    }

    /// Returns the number of a dimension, and reads its first coordinates.
    fn dimension(&mut self, name: &str) -> Result<usize> {
        let Some(d) = self.names.iter().position(|&one| one == name) else {
            let mut message = format!("no dimension '{name}'; the variable has: {}", self.names.join(", "));
            let other = self.variable.dataset().variable(name).ok();
            if let Some(rank @ 2..) = other.and_then(|other| other.shape().ok().map(<[u64]>::len)) {
                message +=
                    &format!("; '{name}' lies along {rank} dimensions, so none of its values is one index");
            }
            return Err(request(message));
        };
        if self.along[d].is_none() {
            self.along[d] = Some(Along::new(self.variable, d)?);
        }
        Ok(d)
    }

    /// Returns whether the ends of a choice are labels of a dimension.
    fn are_labels(&self, d: usize, choice: &Choice) -> Result<bool> {
        self.along[d].as_ref().map_or(Ok(false), |along| find::are_labels(along, choice))
    }

    fn add(&mut self, d: usize, choice: &Choice) -> Result<()> {
        if let Some(along) = &self.along[d] {
            let found = find::find(along, choice)?;
            parts::append(self.ranges[d].get_or_insert_default(), found);
        }
        Ok(())
    }

    fn finish(self) -> Parts {
        let shape = self.variable.shape().unwrap_or_default();
        let whole = |count: u64| vec![Range { start: 0, count, step: 1, shift: 0.0 }];
        Parts::new(self.ranges.into_iter().zip(shape).map(|(r, &n)| r.unwrap_or_else(|| whole(n))).collect())
    }
}

fn request(message: String) -> Error {
    Error::new(Kind::Request, message)
}
