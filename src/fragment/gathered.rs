//! Fragments compressed by gathering (CF section 8.2), expanded in memory.
//!
//! A dimension whose coordinate variable has a `compress` attribute stands for the dimensions listed there; the
//! coordinate variable holds the places that are stored. All other places are missing.

use super::Raw;
use crate::canonical::Target;
use crate::container::tree::{DimensionId, Tree};
use crate::container::Container;
use crate::error::{Error, Kind, Result};
use crate::selection::{checked_product, Selection};

/// Expands a gathered variable; `None` when it is not gathered.
///
/// # Errors
/// `FragmentShape` when the expanded array is larger than `most` elements or the list of places is wrong, and
/// those of the container.
pub(crate) fn expand(raw: &Raw, most: u64) -> Result<Option<Raw>> {
    let Raw::Stored { container, path, .. } = raw else { return Ok(None) };
    let tree = container.tree()?;
    let Some(id) = tree.variable_at(path) else { return Ok(None) };
    let variable = &tree.variables[id.0];
    let Some((axis, places, dimensions)) = find_list(container, tree, &variable.dimensions)? else {
        return Ok(None);
    };
    let wrong = |message: &str| Error::new(Kind::FragmentShape, message).in_file(container.name());
    let expanded: Vec<u64> = dimensions.iter().map(|d| tree.dimensions[d.0].size).collect();
    let stored = &variable.array.shape;
    let mut shape = stored[..axis].to_vec();
    shape.extend(&expanded);
    shape.extend(&stored[axis + 1..]);
    let total = checked_product(&shape).filter(|&n| n <= most);
    let (Some(total), Some(plane)) = (total, checked_product(&expanded)) else {
        return Err(wrong("the gathered fragment is larger than its part of the aggregated data"));
    };
    let data_type = variable.array.data_type;
    let Some(element) = data_type.size() else { return Ok(None) };
    let fill = Target::new(&variable.attributes, data_type)
        .missing_value()
        .and_then(|value| value.native_bytes_at(0))
        .ok_or_else(|| wrong("a gathered byte variable without missing value"))?;

    let selection = Selection::all(stored);
    let mut packed = crate::container::read::zeroed(&selection, element)?;
    container.read(&variable.array, &selection, &mut packed)?;
    let bytes = usize::try_from(total).ok().and_then(|n| n.checked_mul(element));
    let mut full = Vec::new();
    let bytes =
        bytes.filter(|&n| full.try_reserve_exact(n).is_ok()).ok_or_else(|| wrong("no memory to expand"))?;
    while full.len() < bytes {
        full.extend_from_slice(&fill);
    }
    let inner = stored[axis + 1..].iter().product::<u64>() as usize * element;
    let outer: u64 = stored[..axis].iter().product();
    for o in 0..outer as usize {
        for (k, &place) in places.iter().enumerate() {
            let place = u64::try_from(place).ok().filter(|&p| p < plane);
            let place =
                place.ok_or_else(|| wrong("the list of places of a gathered dimension is out of range"))?;
            let from = (o * places.len() + k) * inner;
            let to = (o * plane as usize + place as usize) * inner;
            full[to..to + inner].copy_from_slice(&packed[from..from + inner]);
        }
    }
    Ok(Some(Raw::Expanded { bytes: full, shape, data_type, attributes: variable.attributes.clone() }))
}

type List = (usize, Vec<i128>, Vec<DimensionId>);

/// The gathered axis, the stored places, and the dimensions they stand for.
fn find_list(container: &Container, tree: &Tree, dimensions: &[DimensionId]) -> Result<Option<List>> {
    for (axis, id) in dimensions.iter().enumerate() {
        let dimension = &tree.dimensions[id.0];
        let Some(list) = tree.variable_in(dimension.group, &dimension.name) else { continue };
        let list = &tree.variables[list.0];
        let Some(names) = list.attributes.text("compress") else { continue };
        let named: Option<Vec<DimensionId>> = names
            .split_whitespace()
            .map(|name| tree.upward(dimension.group).find_map(|g| tree.dimension_in(g, name)))
            .collect();
        let Some(named) = named else {
            return Err(Error::new(
                Kind::FragmentShape,
                format!("compress names a dimension that is not there: {names}"),
            )
            .in_file(container.name()));
        };
        let values = container.read_values(&list.array, &Selection::all(&list.array.shape))?;
        let places: Option<Vec<i128>> = (0..values.len()).map(|i| values.int_at(i)).collect();
        let whole = places.filter(|p| p.len() as u64 == dimension.size);
        return match whole {
            Some(places) => Ok(Some((axis, places, named))),
            None => Err(Error::new(
                Kind::FragmentShape,
                "the list of places of a gathered dimension is not whole numbers",
            )
            .in_file(container.name())),
        };
    }
    Ok(None)
}
