//! Variables that are stored by value: joins the cells of all files, converted to one type and units.

use std::borrow::Cow;
use std::collections::hash_map::{Entry, HashMap};
use std::sync::Arc;

use super::coordinate_values::labels;
use super::distribution::{Distribution, Extent};
use super::field::Field;
use super::record::{bytes_of, Content, Input, Template};
use super::scan;
use super::unify::{self, Unified};
use crate::author::write::{Data, Variable};
use crate::canonical::Conversion;
use crate::error::{Error, Kind, Result};
use crate::selection::{c_strides, checked_product, offsets};
use crate::value::{DataType, Values};

/// The maximum number of bytes of a variable that is stored by value.
const MOST_BYTES: u64 = 1 << 30;

/// Returns the variable with all its values, and notes on it.
///
/// # Errors
/// Those of converting and reading a cell; `Limit` if it is too large.
pub(super) fn variable(
    inputs: &[Input],
    field: &Field,
    distribution: &Distribution,
) -> Result<(Variable, Vec<String>)> {
    let mut united = unify::unify(&distribution.templates(inputs, field), distribution.parent())?;
    let values = match assemble(inputs, field, distribution, &united) {
        // Integers whose units change need not remain integers.
        Err(e) if e.kind() == Kind::FragmentType && united.data_type.is_integer() => {
            united.data_type = DataType::F64;
            united.attributes.remove("_FillValue");
            united.attributes.remove("missing_value");
            assemble(inputs, field, distribution, &united)?
        }
        other => other?,
    };
    let mut variable = Variable::new(&*distribution.name, values.data_type(), &[]);
    variable.dimensions = extents_of(distribution, united.data_type).iter().map(|e| e.name.clone()).collect();
    let notes = united.notes(&distribution.name);
    variable.attributes = united.attributes;
    variable.data = Data::Values(values);
    Ok((variable, notes))
}

/// Returns its dimensions in a type: strings have none for their length.
fn extents_of<'a>(distribution: &'a Distribution, data_type: DataType) -> &'a [Extent] {
    let text = distribution.items.iter().any(|i| i.template.data_type == DataType::Char);
    let reference_has = distribution.extents.last().is_some_and(|e| e.axis.is_none());
    match data_type == DataType::String && text && reference_has {
        true => &distribution.extents[..distribution.extents.len() - 1],
        false => &distribution.extents,
    }
}

fn assemble(
    inputs: &[Input],
    field: &Field,
    distribution: &Distribution,
    united: &Unified,
) -> Result<Values> {
    let extents = extents_of(distribution, united.data_type);
    let shape: Vec<u64> = extents.iter().map(|e| e.size).collect();
    let element = united.data_type.size().unwrap_or(32) as u64;
    let too_large =
        || Error::new(Kind::Limit, format!("'{}' is too large to be stored by value", distribution.name));
    let total =
        checked_product(&shape).filter(|n| n.saturating_mul(element) <= MOST_BYTES).ok_or_else(too_large)?;
    let target = united.target();
    let mut bytes = Vec::new();
    let mut strings = Vec::new();
    let make_room = |bytes: &mut Vec<u8>, strings: &mut Vec<String>| match united.data_type.size() {
        Some(size) if bytes.is_empty() => *bytes = vec![0u8; total as usize * size],
        None if strings.is_empty() => *strings = vec![String::new(); total as usize],
        _ => {}
    };
    let edges: Vec<Vec<u64>> = extents.iter().map(|e| edges(field, e)).collect();
    // Files mostly share their descriptions.
    let mut conversions: HashMap<*const Template, Conversion> = HashMap::new();
    for cell in &distribution.cells {
        let (_, m) = cell;
        let (start, count) = block(&edges, &distribution.place(field, cell));
        let item = distribution.items[*m];
        let input = field.input(inputs, *m);
        let values = &*match &item.content {
            Content::Kept(kept) => kept.values(),
            _ => Cow::Owned(scan::read_again(input, &item.template)?),
        };
        // Once it is known that the file has values enough.
        make_room(&mut bytes, &mut strings);
        let in_file = |e: Error| e.in_variable(&*distribution.name).in_file(&*input.name);
        let n = checked_product(&count).unwrap_or(0) as usize;
        match united.data_type {
            DataType::String => {
                let list = labels(values, &item.shape).unwrap_or_default();
                paste(&mut strings, &shape, &start, &count, &stretched(list, n)?, 1);
            }
            DataType::Char => {
                let length = shape.last().copied().unwrap_or(1) as usize;
                let own = item.shape.last().copied().unwrap_or(1).max(1) as usize;
                let padded: Vec<u8> = bytes_of(values)
                    .chunks(own)
                    .flat_map(|row| {
                        row.iter().copied().chain(std::iter::repeat_n(0, length.saturating_sub(own)))
                    })
                    .collect();
                paste(&mut bytes, &shape, &start, &count, &stretched(padded, n)?, 1);
            }
            number => {
                let conversion = match conversions.entry(Arc::as_ptr(&item.template)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => {
                        place.insert(unify::conversion(&item.template, &target).map_err(in_file)?)
                    }
                };
                let size = number.size().unwrap_or(1);
                let mut out = vec![0u8; values.len() * size];
                conversion.apply(&bytes_of(values), &mut out, None).map_err(in_file)?;
                paste(&mut bytes, &shape, &start, &count, &stretched(out, n * size)?, size);
            }
        }
    }
    make_room(&mut bytes, &mut strings);
    match united.data_type {
        DataType::String => Ok(Values::String(strings)),
        other => Values::from_native_bytes(other, &bytes).ok_or_else(too_large),
    }
}

/// Repeats a single value for a whole part of an axis; otherwise returns the values unchanged.
fn stretched<T: Clone>(list: Vec<T>, n: usize) -> Result<Vec<T>> {
    if list.len() == n {
        return Ok(list);
    }
    if list.is_empty() || n % list.len() != 0 {
        return Err(Error::new(Kind::Internal, "the size of a cell is not that of its place"));
    }
    Ok(list.iter().cloned().cycle().take(n).collect())
}

/// Returns where the parts of a dimension begin, and where the last one ends.
fn edges(field: &Field, extent: &Extent) -> Vec<u64> {
    let Some(axis) = extent.axis else { return vec![0, extent.size] };
    let mut edges = vec![0];
    let mut end = 0u64;
    for part in field.axes[axis].parts.iter() {
        end = end.saturating_add(part.size);
        edges.push(end);
    }
    edges
}

/// Returns where a cell begins and its extent.
fn block(edges: &[Vec<u64>], place: &[usize]) -> (Vec<u64>, Vec<u64>) {
    edges.iter().zip(place).map(|(edges, &at)| (edges[at], edges[at + 1] - edges[at])).unzip()
}

/// Copies a block in C order into an array; an element has `width` entries.
fn paste<T: Clone>(whole: &mut [T], shape: &[u64], start: &[u64], count: &[u64], block: &[T], width: usize) {
    let run = count.last().map_or(1, |&n| n as usize) * width;
    if run == 0 {
        return;
    }
    let strides = c_strides(shape);
    let first: u64 = start.iter().zip(&strides).map(|(start, stride)| start * stride).sum();
    let outer = count.len().saturating_sub(1);
    let steps: Vec<i64> = strides[..outer].iter().map(|&stride| stride as i64).collect();
    for (at, row) in offsets(&count[..outer], &steps).zip(block.chunks_exact(run)) {
        let at = first.wrapping_add_signed(at) as usize * width;
        whole[at..at + run].clone_from_slice(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_pasted_in_their_place() {
        let mut whole = vec![0; 12];
        paste(&mut whole, &[3, 4], &[1, 2], &[2, 2], &[1, 2, 3, 4], 1);
        assert_eq!(whole, [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4]);
        let mut scalar = vec![0, 0];
        paste(&mut scalar, &[], &[], &[], &[7, 8], 2);
        assert_eq!(scalar, [7, 8]);
    }
}
