//! CFA-0.4: the JSON text of `cfa_array`.

use serde_json::{json, Map, Value};

use super::{refused, tables, versions_of};
use crate::error::Result;
use crate::model::fragments::{AxisIndices, Fragment, View};

/// Returns the text for these fragments.
///
/// # Errors
/// `Unsupported` for several versions of a fragment and for one that is wholly missing.
pub(super) fn text(list: &[Fragment], dimensions: &[String], sizes: &[Vec<u64>]) -> Result<String> {
    let mut fragments = list.iter();
    let mut partitions = Vec::with_capacity(list.len());
    let mut problem = None;
    let ranges = tables::ranges(sizes);
    let rank = sizes.len();
    let split: Vec<usize> = (0..rank).filter(|&d| sizes[d].len() > 1).collect();
    tables::for_each(sizes, |index| {
        let Some(fragment) = fragments.next() else { return };
        let at = partitions.len() * 2 * rank;
        match partition(fragment, index, &ranges[at..at + 2 * rank], dimensions, &split) {
            Ok(partition) => partitions.push(partition),
            Err(error) => {
                problem.get_or_insert(error);
                partitions.push(Value::Null);
            }
        }
    });
    if let Some(error) = problem {
        return Err(error);
    }
    let names: Vec<&String> = split.iter().map(|&d| &dimensions[d]).collect();
    let shape: Vec<usize> = split.iter().map(|&d| sizes[d].len()).collect();
    Ok(json!({"Partitions": partitions, "pmshape": shape, "pmdimensions": names, "base": ""}).to_string())
}

fn partition(
    fragment: &Fragment,
    index: &[u64],
    ranges: &[u64],
    dimensions: &[String],
    split: &[usize],
) -> Result<Value> {
    let [version] = versions_of(fragment) else {
        return Err(refused("a fragment has no version, or several; CFA-0.4 needs exactly one".into()));
    };
    let location: Vec<&[u64]> = ranges.chunks(2).collect();
    let shape: Vec<u64> = location.iter().map(|r| r[1] - r[0] + 1).collect();
    let mut subarray = Map::new();
    if let Some(file) = &version.location {
        subarray.insert("file".into(), json!(file));
        subarray.insert("format".into(), json!(version.format.as_deref().unwrap_or("netCDF")));
    }
    subarray.insert("ncvar".into(), json!(version.identifier));
    subarray.insert("shape".into(), json!(shape));
    let mut partition = Map::new();
    partition.insert("index".into(), json!(split.iter().map(|&d| index[d]).collect::<Vec<_>>()));
    partition.insert("location".into(), json!(location));
    partition.insert("subarray".into(), Value::Object(subarray));
    if let Some(view) = fragment.view() {
        look(&mut partition, view, dimensions);
    }
    Ok(Value::Object(partition))
}

fn look(partition: &mut Map<String, Value>, view: &View, dimensions: &[String]) {
    let named = |list: &[usize]| json!(list.iter().map(|&d| &dimensions[d]).collect::<Vec<_>>());
    if let Some(axes) = &view.axes {
        partition.insert("pdimensions".into(), named(axes));
    }
    if !view.reversed.is_empty() {
        partition.insert("reverse".into(), named(&view.reversed));
    }
    for (key, text) in [("punits", &view.units), ("pcalendar", &view.calendar)] {
        if let Some(text) = text {
            partition.insert(key.into(), json!(text));
        }
    }
    if let Some(parts) = &view.part {
        let written: Vec<String> = parts.iter().map(part).collect();
        partition.insert("part".into(), json!(format!("[{}]", written.join(", "))));
    }
}

fn part(part: &AxisIndices) -> String {
    match part {
        AxisIndices::Slice { start, count, step } => {
            let last = i128::from(*start) + i128::from(count.saturating_sub(1)) * i128::from(*step);
            format!("[{start}, {last}, {step}]")
        }
        AxisIndices::Indices(list) => {
            format!("({})", list.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
        }
    }
}
