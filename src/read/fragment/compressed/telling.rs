//! Reads the variables that define a compressed form, within the memory that a file of its size may need.

use super::home::Home;
use super::places::{Gathered, Members, Rows};
use super::whole::Whole;
use crate::container::tree::VariableId;
use crate::error::{Error, Kind, Result};
use crate::read::fragment::Chain;
use crate::selection::checked_product;

/// Bytes that any file may need; a larger file may need more.
const FLOOR: u64 = 32 << 20;
const TIMES_FILE: u64 = 8;

/// Reads the places of a gathered dimension, all within dimensions of these sizes.
pub(super) fn read_list(
    home: &Home<'_>,
    id: VariableId,
    sizes: Vec<u64>,
    samples: u64,
    chain: &Chain<'_>,
) -> Result<Gathered> {
    let raw = home.open(id)?;
    let list =
        Whole { raw: &raw, host: &**home.host, name: &format!("the list of places '{}'", home.path(id)) };
    let n = expected(&list, samples)?;
    let plane = checked_product(&sizes).ok_or_else(|| list.wrong(format!("is of dimensions {sizes:?}")))?;
    if plane == 0 && n > 0 {
        return Err(list.wrong(format!("is of dimensions {sizes:?}")));
    }
    // The places, and the order of those that are not ascending.
    let mut places = room(home, &list, n, n.saturating_mul(24))?;
    list.each(plane.saturating_sub(1), chain, |place| {
        places.push(place);
        Ok(())
    })?;
    Ok(Gathered::new(sizes, places))
}

/// Reads the rows of a contiguous ragged array, which fill the sample dimension.
pub(super) fn read_counts(home: &Home<'_>, id: VariableId, samples: u64, chain: &Chain<'_>) -> Result<Rows> {
    let raw = home.open(id)?;
    let count = Whole { raw: &raw, host: &**home.host, name: &format!("count variable '{}'", home.path(id)) };
    let n = count.len()?.saturating_add(1);
    let mut starts = room(home, &count, n, n.saturating_mul(8))?;
    let mut total = 0u64;
    starts.push(total);
    count.each(samples, chain, |n| {
        total = total.saturating_add(n);
        starts.push(total);
        Ok(())
    })?;
    if total != samples {
        return Err(count.wrong(format!("adds up to {total}, but its sample dimension has size {samples}")));
    }
    Ok(Rows::new(starts))
}

/// Reads the members of each instance of an indexed ragged array.
pub(super) fn read_index(
    home: &Home<'_>,
    id: VariableId,
    instances: u64,
    samples: u64,
    chain: &Chain<'_>,
) -> Result<Members> {
    let raw = home.open(id)?;
    let index = Whole { raw: &raw, host: &**home.host, name: &format!("index variable '{}'", home.path(id)) };
    let n = expected(&index, samples)?;
    // The instance of each element, and the lists that are built from that.
    let bytes = n.saturating_add(instances.saturating_add(2)).saturating_mul(8);
    let mut owners: Vec<u32> = room(home, &index, n, bytes)?;
    let most = u64::from(u32::MAX);
    if n > most || instances > most {
        return Err(Error::new(
            Kind::Limit,
            format!("{} has more than {most} elements or instances", index.name),
        ));
    }
    if instances == 0 && n > 0 {
        return Err(index.wrong("belongs to an instance dimension of size 0"));
    }
    index.each(instances.saturating_sub(1), chain, |owner| {
        owners.push(owner as u32);
        Ok(())
    })?;
    Members::new(instances as usize, &owners)
}

fn expected(numbers: &Whole<'_>, samples: u64) -> Result<u64> {
    let n = numbers.len()?;
    if n != samples {
        return Err(numbers.wrong(format!("has {n} elements for a dimension of size {samples}")));
    }
    Ok(n)
}

/// Returns an empty list with room for `n` elements; everything built from them takes `bytes`.
///
/// # Errors
/// `Limit` if that is more than a file of this size may need, or if there is no memory.
fn room<T>(home: &Home<'_>, numbers: &Whole<'_>, n: u64, bytes: u64) -> Result<Vec<T>> {
    let most = home.file_size().saturating_mul(TIMES_FILE).max(FLOOR);
    let mut list = Vec::new();
    let fits = bytes <= most && usize::try_from(n).is_ok_and(|n| list.try_reserve_exact(n).is_ok());
    if !fits {
        let message =
            format!("{} needs {bytes} bytes of memory, too many for a file of this size", numbers.name);
        return Err(Error::new(Kind::Limit, message));
    }
    Ok(list)
}
