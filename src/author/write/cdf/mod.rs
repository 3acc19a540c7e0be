//! Writes classic files: CDF-2 and CDF-5, after "netCDF Classic Format Specification".
//!
//! The description contains everything that is in the header, so the header is written first and the place of every
//! value is known. CDF-1 is not written: CDF-2 differs from it only in the width of offsets, and every reader knows it.

mod header;

use std::collections::HashMap;
use std::fs::File;

use super::bytes::{encode, unwritten, Order};
use super::description::{Format, Group};
use super::region::{runs, Coverage};
use super::sink::Sink;
use crate::error::{Error, Kind, Result};
use crate::selection::checked_product;
use crate::value::Values;

/// The number of bytes that are written at once where there are no data.
const GAP: u64 = 1 << 20;

/// A classic file that is being written.
#[derive(Debug)]
pub(super) struct Writer {
    sink: Sink,
    variables: Vec<Variable>,
    /// The variables by name.
    names: HashMap<String, usize>,
    /// The distance from one record to the next, in bytes.
    record: u64,
}

/// The place of the data of a variable.
#[derive(Debug)]
struct Variable {
    name: String,
    shape: Vec<u64>,
    /// The size of an element in bytes.
    element: u64,
    /// The first byte of its data.
    begin: u64,
    is_record: bool,
    /// The element that stands for data that were never written.
    fill: Vec<u8>,
    covered: Coverage,
}

impl Writer {
    /// Begins an empty file. The description is consistent and uses only what the format has.
    ///
    /// # Errors
    /// `Unsupported` if there is more of something than the format can hold, `Io`.
    pub(super) fn create(file: &Group, format: Format, into: File) -> Result<Writer> {
        let mut variables = Vec::with_capacity(file.variables.len());
        for variable in &file.variables {
            let dimensions = variable.dimensions.iter().filter_map(|name| file.dimension(name));
            let fill = unwritten(variable, Order::Big);
            variables.push(Variable {
                name: variable.name.clone(),
                shape: dimensions.clone().map(|d| d.size).collect(),
                element: fill.len() as u64,
                begin: 0,
                is_record: dimensions.clone().next().is_some_and(|d| d.unlimited),
                fill,
                covered: Coverage::default(),
            });
        }
        let end = header::encode(file, format, &variables)?.len() as u64;
        let record = place(&mut variables, end, format)?;
        let header = header::encode(file, format, &variables)?;
        let mut sink = Sink::new(into);
        sink.append(&header)?;
        for variable in &variables {
            let slab = variable.slab()?;
            let before = match (variable.is_record, variable.shape.first()) {
                (false, _) => Some(0),
                (true, Some(&records)) if records > 0 => (records - 1).checked_mul(record),
                _ => continue,
            };
            let end = before.and_then(|n| n.checked_add(slab)?.checked_add(variable.begin));
            let more = end.ok_or_else(endless)?.saturating_sub(sink.end());
            sink.reserve(more)?;
        }
        sink.align(4)?;
        let names = variables.iter().enumerate().map(|(i, v)| (v.name.clone(), i)).collect();
        Ok(Writer { sink, variables, names, record })
    }

    /// Writes a block that lies within the shape of the variable.
    ///
    /// # Errors
    /// `Io`, `MissingVariable`.
    pub(super) fn put(&mut self, name: &str, start: &[u64], count: &[u64], values: &Values) -> Result<()> {
        let Some(&v) = self.names.get(name) else {
            return Err(Error::new(Kind::MissingVariable, format!("no variable '{name}' was described")));
        };
        let variable = &mut self.variables[v];
        let bytes = encode(values, Order::Big);
        let mut rest = &bytes[..];
        for (at, n) in runs(&variable.shape, start, count) {
            variable.covered.add(at, n);
            let (run, more) = rest.split_at((n * variable.element) as usize);
            variable.write(&mut self.sink, self.record, at, run)?;
            rest = more;
        }
        Ok(())
    }

    /// Fills gaps in the data, and closes the file.
    ///
    /// # Errors
    /// `Io`.
    pub(super) fn finish(mut self) -> Result<()> {
        // Reserved bytes that were not written are zero.
        for variable in self.variables.iter().filter(|v| v.fill.iter().any(|&b| b != 0)) {
            let total = checked_product(&variable.shape).unwrap_or(0);
            for (mut at, mut count) in variable.covered.gaps(total) {
                let bytes = variable.fill.repeat(count.min(GAP / variable.element) as usize);
                while count > 0 {
                    let n = count.min(GAP / variable.element);
                    variable.write(
                        &mut self.sink,
                        self.record,
                        at,
                        &bytes[..(n * variable.element) as usize],
                    )?;
                    at += n;
                    count -= n;
                }
            }
        }
        self.sink.finish()
    }
}

impl Variable {
    /// Returns the number of bytes of a record, or of all data if there are no records; without padding.
    fn slab(&self) -> Result<u64> {
        let shape = if self.is_record { &self.shape[1..] } else { &self.shape[..] };
        let bytes = checked_product(shape).and_then(|n| n.checked_mul(self.element));
        bytes.filter(|&bytes| bytes < i64::MAX as u64 - 3).ok_or_else(|| endless().in_variable(&*self.name))
    }

    /// Writes neighbouring elements; `at` is the index of the first one in the whole array.
    fn write(&self, sink: &mut Sink, record: u64, mut at: u64, mut bytes: &[u8]) -> Result<()> {
        if !self.is_record {
            return sink.write_at(self.begin + at * self.element, bytes);
        }
        let slab = self.slab()?;
        let elements = (slab / self.element).max(1);
        if slab == record {
            return sink.write_at(self.begin + at * self.element, bytes);
        }
        while !bytes.is_empty() {
            let (number, within) = (at / elements, at % elements);
            let n = (elements - within).min(bytes.len() as u64 / self.element);
            let (run, rest) = bytes.split_at((n * self.element) as usize);
            sink.write_at(self.begin + number * record + within * self.element, run)?;
            (at, bytes) = (at + n, rest);
        }
        Ok(())
    }
}

/// Assigns every variable its place after a header of this length, and returns the distance of records.
fn place(variables: &mut [Variable], header: u64, format: Format) -> Result<u64> {
    let most = if format == Format::Cdf5 { u64::MAX } else { u64::from(u32::MAX) - 3 };
    let mut at = header;
    let mut record = 0u64;
    for is_record in [false, true] {
        let chosen: Vec<usize> =
            (0..variables.len()).filter(|&v| variables[v].is_record == is_record).collect();
        let begin = at;
        for (i, &v) in chosen.iter().enumerate() {
            let slab = variables[v].slab()?;
            let padded = slab.next_multiple_of(4);
            // Only the last one may be longer, because no other offset depends on its end.
            let is_last =
                i + 1 == chosen.len() && (is_record || variables.iter().all(|other| !other.is_record));
            if padded > most && !is_last {
                let message =
                    "in CDF-2 only the last variable can have 4 GiB or more; use format cdf5 or netcdf4";
                return Err(Error::new(Kind::Unsupported, message).in_variable(&*variables[v].name));
            }
            variables[v].begin = at;
            // Records of a single variable have no padding.
            let step = if is_record && chosen.len() == 1 { slab } else { padded };
            at = at.checked_add(step).ok_or_else(endless)?;
        }
        if is_record {
            record = at - begin;
        }
    }
    Ok(record)
}

fn endless() -> Error {
    Error::new(Kind::Limit, "it has more data than a file can hold")
}
