//! CFA-0.4: `cfa_array` holds JSON with a list of `Partitions`.
//!
//! A partition is placed by its `location`, so `index`, `pmshape` and `pmdimensions` are not needed and not read.
//! Writers differ on whether the end of a range is inclusive: whichever reading tiles the dimension is used. Refused:
//! variables given by `varid` alone, and `pdimensions` that are not aggregated dimensions.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::context::Context;
use super::words::{ROLE_ATTRIBUTE, ROLE_OF_FRAGMENT};
use super::{json, part, ranges, reference};
use crate::container::allowance::Held;
use crate::error::{Error, Kind, Result};
use crate::model::fragments::{Fragments, Version, View};
use crate::model::grid::{Grid, Row};
use crate::model::partitions::{Partition, Partitions};
use crate::model::room::Room;

/// The maximum length of JSON text in bytes; decoded, it takes up to twenty times the memory.
const LONGEST: usize = 256 << 20;

/// The number of values that any JSON text may have. On top of it, a text may have one value per eight bytes, more than
/// any text with file names has.
const MOST_VALUES: usize = 250_000;

/// What parsing costs for each object and for each value in it, in bytes of memory.
const OBJECT: usize = 700;
const VALUE: usize = 64;

/// What an index range takes while the dimensions are tiled: as it is written, sorted, and in both readings.
const RANGE: usize = 4 * size_of::<(u64, u64)>();

/// Decodes the JSON text.
///
/// Partitions are parsed one at a time, once for their places and once for the rest, so that the text is never in
/// memory as a whole tree.
pub fn decode(cx: &mut Context, text: &str) -> Result<(Arc<Grid>, Fragments)> {
    if text.len() > LONGEST {
        return Err(Error::new(Kind::Limit, format!("cfa_array has {} bytes", text.len())));
    }
    cx.features.allowance().work(text.len() as u64)?;
    // Commas separate the values of lists and objects, and each value takes some dozens of bytes.
    let values = text.bytes().filter(|&byte| byte == b',').count();
    if values > text.len() / 8 + MOST_VALUES {
        return Err(Error::new(
            Kind::Limit,
            format!("cfa_array has {values} values in {} bytes", text.len()),
        ));
    }
    let whole: &RawValue = serde_json::from_str(text).map_err(invalid)?;
    let list = json::member(whole.get(), "Partitions").filter(|list| list.starts_with('['));
    let list = list.ok_or_else(|| Error::new(Kind::Attribute, "cfa_array has no list of Partitions"))?;
    let count = json::elements(list).count();
    cx.check_count(&[count as u64])?;
    let base = json::member(whole.get(), "base").and_then(|base| serde_json::from_str::<String>(base).ok());
    let base = base.unwrap_or_default();

    let _places = cx.hold(count.saturating_mul(cx.rank()).saturating_mul(RANGE))?;
    let mut places: Vec<(u64, u64)> = Vec::new();
    for (i, written) in json::elements(list).enumerate() {
        let place = parsed(cx, written).and_then(|(json, _held)| place(cx, &json, count));
        places.extend(place.map_err(|e| numbered(e, i))?);
    }
    let tiling: Vec<Tiling> = (0..cx.rank()).map(|d| Tiling::new(cx, d, &places)).collect::<Result<_>>()?;
    let counts: Vec<u64> = tiling.iter().map(|t| t.row.len()).collect();
    cx.check_count(&counts)?;
    let total: u64 = counts.iter().product();
    if total != count as u64 {
        let message = format!("{count} partitions do not fill an array of fragments {counts:?}");
        return Err(Error::new(Kind::Map, message));
    }
    let mut held = cx.hold(count.saturating_mul(size_of::<Option<Partition>>()))?;
    let mut cells: Vec<Option<Partition>> = (0..count).map(|_| None).collect();
    let mut room = Room::for_places(total);
    for (i, written) in json::elements(list).enumerate() {
        let place = &places[i * cx.rank()..][..cx.rank()];
        let index: Vec<u64> = tiling.iter().zip(place).map(|(t, range)| t.position(*range)).collect();
        let ranges = tiling.iter().zip(&index).map(|(t, &at)| t.row.range(at));
        let shape: Vec<u64> = ranges.map(|range| range.end - range.start).collect();
        let at = index.iter().zip(&counts).fold(0, |at, (i, n)| at * n + i) as usize;
        if cells[at].is_some() {
            return Err(numbered(Error::new(Kind::Map, "another partition is in the same place"), i));
        }
        let partition =
            parsed(cx, written).and_then(|(json, _held)| read_partition(cx, &json, &base, &shape));
        let partition = partition.map_err(|e| numbered(e, i))?;
        partition.version.location.iter().try_for_each(|location| room.take(location))?;
        held.join(cx.hold(partition.memory())?);
        cells[at] = Some(partition);
    }
    let grid = Arc::new(cx.grid(tiling.into_iter().map(|t| t.row).collect())?);
    let cells = cells.into_iter().flatten().collect();
    let partitions = Partitions::new(grid.fragments(), cx.group, cells, held);
    Ok((grid, Fragments::Partitions(partitions)))
}

/// Parses a partition; what is returned with it counts its memory.
fn parsed(cx: &Context, text: &str) -> Result<(Value, Held)> {
    let cost = |byte: u8| match byte {
        b'{' => OBJECT,
        b',' | b'[' => VALUE,
        _ => 1,
    };
    let held = cx.hold(text.bytes().map(cost).sum())?;
    Ok((serde_json::from_str(text).map_err(invalid)?, held))
}

fn invalid(error: serde_json::Error) -> Error {
    Error::new(Kind::Attribute, "cfa_array is not valid JSON").because(error)
}

fn numbered(e: Error, i: usize) -> Error {
    Error::new(e.kind(), format!("partition {i} of cfa_array: {}", e.message()))
}

type Ranges = Vec<(u64, u64)>;

/// Returns the start and stop of a partition along each dimension, as written.
fn place(cx: &Context, partition: &Value, count: usize) -> Result<Ranges> {
    let wrong = || Error::new(Kind::Map, "location must have a start and a stop for each dimension");
    let Some(location) = partition.get("location").filter(|l| !l.is_null()) else {
        // A single partition without location spans the whole array.
        let whole = |d: usize| cx.size(d).filter(|&n| n > 0).map(|n| (0, n - 1)).ok_or_else(wrong);
        return if count == 1 { (0..cx.rank()).map(whole).collect() } else { Err(wrong()) };
    };
    let ranges = location.as_array().filter(|l| l.len() == cx.rank()).ok_or_else(wrong)?;
    let pair = |range: &Value| match range.as_array()?.as_slice() {
        [start, stop] => Some((start.as_u64()?, stop.as_u64()?)),
        _ => None,
    };
    ranges.iter().map(|range| pair(range).ok_or_else(wrong)).collect()
}

/// The distinct ranges along one dimension, in order.
struct Tiling {
    row: Row,
    ranges: Vec<(u64, u64)>,
}

impl Tiling {
    fn new(cx: &Context, d: usize, places: &[(u64, u64)]) -> Result<Tiling> {
        let mut ranges: Vec<(u64, u64)> = places.iter().skip(d).step_by(cx.rank()).copied().collect();
        ranges.sort_unstable();
        ranges.dedup();
        let fills = |row: &Row| cx.size(d).is_none_or(|n| row.sum() == i128::from(n));
        let mut problem = None;
        for end in [0, 1] {
            if end == 1 && ranges.iter().any(|(a, b)| b <= a) {
                continue;
            }
            match tiled(cx, &ranges, end)? {
                Ok(row) if fills(&row) => return Ok(Tiling { row, ranges }),
                Ok(_) => {
                    problem.get_or_insert_with(|| "the partitions do not fill it".to_owned());
                }
                Err(what) => {
                    problem.get_or_insert(what);
                }
            }
        }
        let message = format!("cfa_array, dimension '{}': {}", cx.name(d), problem.unwrap_or_default());
        Err(Error::new(Kind::Map, message))
    }

    fn position(&self, range: (u64, u64)) -> u64 {
        self.ranges.binary_search(&range).unwrap_or(0) as u64
    }
}

/// Returns the fragments of ranges that follow each other, whose last index is `end` less than what is written. The
/// inner result is a message if they do not.
fn tiled(cx: &Context, ranges: &[(u64, u64)], end: u64) -> Result<Result<Row, String>> {
    if let Some((a, b)) = ranges.iter().find(|(a, b)| a > b) {
        return Ok(Err(format!("range {a} to {b} ends before it begins")));
    }
    let (mut row, mut next) = (Row::default(), 0u64);
    for (i, &(first, last)) in ranges.iter().enumerate() {
        match ranges::follow(i as u64, (first, last - end), next) {
            Ok(size) => row.push(1, size, &|bytes| cx.hold(bytes))?,
            Err(what) => return Ok(Err(what)),
        }
        next = (last - end).saturating_add(1);
    }
    Ok(Ok(row))
}

fn read_partition(cx: &mut Context, partition: &Value, base: &str, shape: &[u64]) -> Result<Partition> {
    let subarray = partition.get("subarray").and_then(Value::as_object);
    let subarray = subarray.ok_or_else(|| Error::new(Kind::Attribute, "it has no subarray"))?;
    let text = |name: &str| subarray.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    let mut version = Version {
        location: text("file").map(|file| located(base, file)),
        identifier: text("ncvar").unwrap_or_default().to_owned(),
        format: text("format").map(str::to_lowercase),
    };
    if version.identifier.is_empty() && version.is_netcdf() {
        let why = if subarray.get("varid").is_some_and(Value::is_number) {
            " (varid is not supported)"
        } else {
            ""
        };
        return Err(Error::new(Kind::Address, format!("its subarray has no ncvar{why}")));
    }
    if version.location.is_none() {
        version.format = None;
        if let Some(private) = reference::variable(cx.tree, cx.group, &version.identifier) {
            let role = cx.tree.variables[private.0].attributes.text(ROLE_ATTRIBUTE);
            if role.as_deref() == Some(ROLE_OF_FRAGMENT) && cx.definition.last() != Some(&private) {
                cx.definition.push(private);
            }
        }
    }
    let view = partition.as_object().map(|p| view(cx, p, shape)).transpose()?.unwrap_or_default();
    let view = (view != View::default()).then(|| Box::new(view));
    Ok(Partition { version, view })
}

fn view(cx: &Context, partition: &Map<String, Value>, shape: &[u64]) -> Result<View> {
    let axes = match partition.get("pdimensions").filter(|v| !v.is_null()) {
        Some(names) => Some(positions(cx, "pdimensions", names)?),
        None => None,
    };
    let reversed = match partition.get("reverse").filter(|v| !v.is_null()) {
        Some(names) => positions(cx, "reverse", names)?,
        None => Vec::new(),
    };
    let order = axes.clone().unwrap_or_else(|| (0..cx.rank()).collect());
    let text = |name: &str| partition.get(name).and_then(Value::as_str).map(str::to_owned);
    let wrong = |what: &str| Error::new(Kind::Map, format!("part {what}"));
    let part = match partition.get("part").filter(|v| !v.is_null()) {
        None => None,
        Some(value) => {
            let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let list =
                part::parse(&written).ok_or_else(|| wrong(&format!("'{written}' is not understood")))?;
            if list.is_empty() {
                None
            } else if list.len() != order.len() {
                return Err(wrong(&format!("'{written}' must have {} entries", order.len())));
            } else {
                let parts = list.into_iter().zip(&order).map(|(axis, &d)| axis.resolve(shape[d]));
                let parts: Option<Vec<_>> = parts.collect();
                Some(parts.ok_or_else(|| wrong(&format!("'{written}' does not have the shape {shape:?}")))?)
            }
        }
    };
    // The stored order is the aggregated one: nothing to do.
    let axes = axes.filter(|axes| !axes.iter().copied().eq(0..cx.rank()));
    Ok(View { axes, reversed, part, units: text("punits"), calendar: text("pcalendar") })
}

/// Returns the positions of the aggregated dimensions in a list of names.
fn positions(cx: &Context, what: &str, names: &Value) -> Result<Vec<usize>> {
    let wrong = || Error::new(Kind::Attribute, format!("{what} must be a list of different names"));
    let mut out = Vec::new();
    for name in names.as_array().ok_or_else(wrong)? {
        let name = name.as_str().ok_or_else(wrong)?;
        let found = (0..cx.rank()).find(|&d| cx.name(d) == name).ok_or_else(|| {
            Error::new(
                Kind::MissingDimension,
                format!("{what} has '{name}', which is not an aggregated dimension"),
            )
        })?;
        if out.contains(&found) {
            return Err(wrong());
        }
        out.push(found);
    }
    Ok(out)
}

/// Returns the file as a URI reference. Names in this dialect are paths, where `%` and `#` have no special meaning.
pub(super) fn located(base: &str, file: &str) -> String {
    let is_uri = |name: &str| name.contains("://") || name.starts_with("file:");
    let joined = if base.is_empty() || file.starts_with('/') || is_uri(file) {
        file.to_owned()
    } else {
        format!("{}/{file}", base.trim_end_matches('/'))
    };
    if is_uri(&joined) {
        return joined;
    }
    let mut out = String::new();
    if joined.split('/').next().is_some_and(|first| first.contains(':')) {
        out.push_str("./");
    }
    for c in joined.chars() {
        match c {
            '%' => out.push_str("%25"),
            '#' => out.push_str("%23"),
            '?' => out.push_str("%3F"),
            c => out.push(c),
        }
    }
    out
}

/// Returns the file name from which [`located`] makes this location.
pub(super) fn named(location: &str) -> String {
    if located("", location) == location {
        return location.to_owned();
    }
    let plain = location.replace("%3F", "?").replace("%23", "#").replace("%25", "%");
    match plain.strip_prefix("./") {
        Some(rest) if located("", rest) == location => rest.to_owned(),
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_become_names_again() {
        for name in
            ["a.nc", "50%#1?.nc", "%2523.nc", "run:1.nc", "./x.nc", "d/run:1.nc", "./run:1.nc", "/a%.nc"]
        {
            assert_eq!(located("", &named(&located("", name))), located("", name), "{name}");
        }
        assert_eq!(named("50%25.nc"), "50%.nc");
        assert_eq!(named("http://host/a%20b.nc"), "http://host/a%20b.nc");
    }

    #[test]
    fn names_are_paths_below_the_base() {
        assert_eq!(located("", "a.nc"), "a.nc");
        assert_eq!(located("/data/archive/", "a.nc"), "/data/archive/a.nc");
        assert_eq!(located("../x", "/abs.nc"), "/abs.nc");
        assert_eq!(located("http://host/files", "a.nc"), "http://host/files/a.nc");
        assert_eq!(located("x", "http://host/a%20b.nc"), "http://host/a%20b.nc");
        assert_eq!(located("", "50%#1.nc"), "50%25%231.nc");
        assert_eq!(located("", "run:1.nc"), "./run:1.nc");
    }
}
