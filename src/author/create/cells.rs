//! The array of parts of a field: exactly one file fills each place of it.

use std::collections::HashMap;

use super::apart;
use super::axis::Axis;
use super::field::Field;
use super::listing::listed;
use super::record::Input;
use super::Options;
use crate::author::option_name::OptionName;
use crate::error::{Error, Kind, Result};

/// The maximum number of places that are described in a message; the others are counted.
const MOST_HOLES: usize = 20;

/// Returns the place of a member in the array of parts.
fn cell_of(field: &Field, strides: &[u128], member: usize) -> u128 {
    let along = |(a, s): (&Axis, &u128)| (a.part_of[member] as u128).saturating_mul(*s);
    field.axes.iter().zip(strides).map(along).fold(0, u128::saturating_add)
}

/// Returns the places that files fill, if all axes are known and the places can be counted.
pub(super) fn places(field: &Field) -> Vec<u64> {
    if field.axes.iter().any(|axis| axis.part_of.len() != field.members.len()) {
        return Vec::new();
    }
    let strides = strides(field);
    let number = |m: usize| u64::try_from(cell_of(field, &strides, m)).ok();
    let mut places: Vec<u64> =
        (0..field.members.len()).map(number).collect::<Option<_>>().unwrap_or_default();
    places.sort_unstable();
    places.dedup();
    places
}

/// Returns two members in the same cell.
pub(super) fn collision(field: &Field) -> Option<(usize, usize)> {
    let strides = strides(field);
    let mut seen: HashMap<u128, usize> = HashMap::with_capacity(field.members.len());
    (0..field.members.len()).find_map(|m| seen.insert(cell_of(field, &strides, m), m).map(|other| (other, m)))
}

/// Returns the distance of neighbours along each axis in the array of parts, which may have more places than fit
/// memory.
fn strides(field: &Field) -> Vec<u128> {
    let after = |d: usize| field.axes[d + 1..].iter().map(|a| a.parts.len() as u128);
    (0..field.axes.len()).map(|d| after(d).fold(1, u128::saturating_mul)).collect()
}

/// Finds the member in each cell.
///
/// # Errors
/// `Map` if cells have several members or none (the message names files and coordinates), or if a dimension is divided
/// that is not to be joined.
pub(super) fn fill(inputs: &[Input], field: &mut Field, options: &Options) -> Result<()> {
    let strides = strides(field);
    let mut found: Vec<(u128, usize)> =
        (0..field.members.len()).map(|m| (cell_of(field, &strides, m), m)).collect();
    found.sort_unstable();
    if found.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(repeated(inputs, field, &found));
    }
    if let Some(axis) = field.axes.iter().find(|a| a.is_split() && !a.new && !options.may_join(&a.name)) {
        let names = [0, 1].map(|i| &field.input(inputs, axis.parts[i].member).name);
        let message = format!(
            "'{}' differs between {} and {}, and is not among the dimensions to be joined ({})",
            axis.name,
            names[0],
            names[1],
            OptionName::Dimension(None)
        );
        return Err(Error::new(Kind::Map, message));
    }
    let total = field.axes.iter().map(|a| a.parts.len() as u128).fold(1, u128::saturating_mul);
    if total != found.len() as u128 {
        return Err(missing(inputs, field, &found, total, &strides));
    }
    field.cells = found.into_iter().map(|(_, m)| m).collect();
    Ok(())
}

/// Returns the error for files with the same coordinates; `found` has the members in the order of their cells.
fn repeated(inputs: &[Input], field: &Field, found: &[(u128, usize)]) -> Error {
    let groups = || found.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1);
    let texts = groups().map(|group| {
        let names: Vec<&str> = group.iter().take(3).map(|&(_, m)| &*field.input(inputs, m).name).collect();
        let more = group.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        // Coordinates that all files share are not informative, unless they are dates.
        let shown = field.axes.iter().filter_map(|axis| {
            let scale = axis.scale();
            let part = &axis.parts[axis.part_of[group[0].1]];
            let tells = axis.reference.is_some() && (axis.is_split() || scale.is_time());
            tells.then(|| format!("{} {}", axis.name, scale.range(part)))
        });
        let shown: Vec<String> = shown.collect();
        let place = if shown.is_empty() { String::new() } else { format!(" ({})", shown.join(", ")) };
        format!("{}{more}{place}", names.join(" and "))
    });
    let pair = groups().next().map(|group| [group[0].1, group[1].1].map(|m| field.input(inputs, m)));
    // An attribute in which they differ is the best name and source of a dimension.
    let differs = pair.and_then(|[a, b]| apart::differing(a, b));
    let source = differs.map(|name| format!("{name}=attribute:{name}"));
    // The usual reason is a dimension without coordinates that could distinguish its parts.
    let bare = field.axes.iter().find(|axis| axis.reference.is_none() && !axis.new);
    let hint = bare.map_or(String::new(), |axis| {
        let option = OptionName::Dimension(Some(&axis.name));
        format!(", or join along '{}', which has no coordinates, with {option}", axis.name)
    });
    let message = format!(
        "files have the same coordinates: {}; leave out all but one, or add a dimension for the files with \
         {}{hint}",
        listed(texts, groups().count() as u128),
        OptionName::NewDimension(source.as_deref())
    );
    Error::new(Kind::Map, message)
}

/// Returns the error for places that no file fills; `found` has the members in the order of their cells.
fn missing(inputs: &[Input], field: &Field, found: &[(u128, usize)], total: u128, strides: &[u128]) -> Error {
    let mut holes: Vec<u128> = Vec::new();
    let mut next = 0;
    for cell in found.iter().map(|(cell, _)| *cell).chain([total]) {
        holes.extend((next..cell).take(MOST_HOLES - holes.len()));
        next = cell.saturating_add(1);
    }
    let texts = holes.iter().map(|hole| {
        let mut wanted = Vec::new();
        let mut beside = Vec::new();
        for (axis, stride) in field.axes.iter().zip(strides).filter(|(a, _)| a.is_split()) {
            let part = &axis.parts[(hole / stride % axis.parts.len() as u128) as usize];
            let scale = axis.scale();
            wanted.push(format!("{} {}", axis.name, scale.full_range(part)));
            let name = &field.input(inputs, part.member).name;
            beside.push(format!("{name} ({} {})", axis.name, scale.range(part)));
        }
        format!("{}, beside {}", wanted.join(", "), beside.join(" and "))
    });
    let list = listed(texts, total.saturating_sub(found.len() as u128));
    let message = format!("no file has {list}; {} of {total} parts exist", field.members.len());
    Error::new(Kind::Map, message)
}
