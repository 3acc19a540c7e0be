//! Random descriptions, written natively and by libnetcdf: `ncdump` must show no difference, and our reader must find
//! everything.

use std::fs;

use cfa::internals::write::{write_checked, Dimension, File, Format, Group, Storage, Variable};
use cfa::{Attributes, DataType, Values};
use proptest::prelude::*;

use super::{alone, dump, oracle};
use crate::support::TYPES;

/// Values from seeds; every seed has its own.
fn values(data_type: DataType, seeds: &[u32]) -> Values {
    let float = |s: u32| f64::from(s) / 7.0 - 1e4;
    match data_type {
        DataType::I8 => Values::I8(seeds.iter().map(|&s| s as i8).collect()),
        DataType::U8 => Values::U8(seeds.iter().map(|&s| s as u8).collect()),
        DataType::I16 => Values::I16(seeds.iter().map(|&s| s as i16).collect()),
        DataType::U16 => Values::U16(seeds.iter().map(|&s| s as u16).collect()),
        DataType::I32 => Values::I32(seeds.iter().map(|&s| s as i32).collect()),
        DataType::U32 => Values::U32(seeds.to_vec()),
        DataType::I64 => {
            Values::I64(seeds.iter().map(|&s| i64::from(s).wrapping_mul(-0x1_0000_0001)).collect())
        }
        DataType::U64 => {
            Values::U64(seeds.iter().map(|&s| u64::from(s).wrapping_mul(0x1_0000_0001)).collect())
        }
        DataType::F32 => Values::F32(seeds.iter().map(|&s| float(s) as f32).collect()),
        DataType::F64 => Values::F64(seeds.iter().map(|&s| float(s)).collect()),
        DataType::Char => Values::Char(seeds.iter().map(|&s| b'a' + (s % 26) as u8).collect()),
        _ => {
            let text = |s: u32| {
                if s.is_multiple_of(5) {
                    String::new()
                } else {
                    "é µ".repeat((s % 9) as usize) + &s.to_string()
                }
            };
            Values::String(seeds.iter().map(|&s| text(s)).collect())
        }
    }
}

/// What a variable or attribute is drawn from.
#[derive(Clone, Debug)]
struct Draw {
    name: usize,
    data_type: usize,
    dimensions: Vec<usize>,
    seeds: Vec<u32>,
    attributes: Vec<(usize, Vec<u32>)>,
    fill: bool,
    chunks: Option<Vec<u64>>,
    deflate: Option<u8>,
    shuffle: bool,
}

fn draw() -> impl Strategy<Value = Draw> {
    let seeds = prop::collection::vec(any::<u32>(), 4..9);
    let attributes = prop::collection::vec((0usize..12, prop::collection::vec(any::<u32>(), 0..4)), 0..4);
    let chunks = prop::option::of(prop::collection::vec(1u64..5, 3));
    let storage = (chunks, prop::option::of(0u8..10), any::<bool>());
    let dimensions = prop::collection::vec(any::<usize>(), 0..4);
    (any::<usize>(), 0usize..12, dimensions, seeds, attributes, any::<bool>(), storage).prop_map(
        |(name, data_type, dimensions, seeds, attributes, fill, (chunks, deflate, shuffle))| Draw {
            name,
            data_type,
            dimensions,
            seeds,
            attributes,
            fill,
            chunks,
            deflate,
            shuffle,
        },
    )
}

type GroupDraw = (Vec<(u64, bool)>, Vec<Draw>, Vec<(usize, Vec<u32>)>);

fn group_draw() -> impl Strategy<Value = GroupDraw> {
    let dimensions = prop::collection::vec((1u64..6, any::<bool>()), 0..4);
    let attributes = prop::collection::vec((0usize..12, prop::collection::vec(any::<u32>(), 0..4)), 0..4);
    (dimensions, prop::collection::vec(draw(), 0..5), attributes)
}

fn attributes(draws: &[(usize, Vec<u32>)], types: &[DataType]) -> Attributes {
    let mut out = Attributes::none();
    for (i, (data_type, seeds)) in draws.iter().enumerate() {
        let data_type = types[data_type % types.len()];
        // libnetcdf cannot write an attribute with no strings.
        let empty = seeds.is_empty() && data_type == DataType::String;
        out.set(&format!("att é{i}"), values(data_type, if empty { &[7] } else { seeds }));
    }
    out
}

/// A group, with dimensions of those above it.
fn group(draw: &GroupDraw, level: usize, above: &[Dimension], types: &[DataType]) -> Group {
    let classic = types.len() < 12;
    let mut made = Group { attributes: attributes(&draw.2, types), ..Group::default() };
    for (i, &(size, unlimited)) in draw.0.iter().enumerate() {
        let unlimited = unlimited && !classic || classic && i == 0;
        made.dimensions.push(Dimension { name: format!("d{level}_{i}"), size, unlimited });
    }
    let all: Vec<Dimension> = above.iter().chain(&made.dimensions).cloned().collect();
    for (i, draw) in draw.1.iter().enumerate() {
        // Some variables have the name of a dimension, be they its coordinate variable or not.
        let name =
            made.dimensions.get(draw.name % 7).map_or_else(|| format!("v{level}_{i} ü"), |d| d.name.clone());
        if made.variable(&name).is_some() {
            continue;
        }
        let mut chosen: Vec<&Dimension> = Vec::new();
        for pick in draw.dimensions.iter().filter(|_| !all.is_empty()) {
            let dimension = &all[pick % all.len()];
            // The records of a classic file come first.
            if !(classic && dimension.unlimited && !chosen.is_empty()) {
                chosen.push(dimension);
            }
        }
        let shape: Vec<u64> = chosen.iter().map(|d| d.size).collect();
        let count = shape.iter().product::<u64>();
        let seeds: Vec<u32> = (0..count as usize)
            .map(|i| draw.seeds[i % draw.seeds.len()].wrapping_add(i as u32 * 31))
            .collect();
        let data_type = types[draw.data_type % types.len()];
        let names: Vec<&str> = chosen.iter().map(|d| &*d.name).collect();
        let mut variable = Variable::with_values(name, &names, values(data_type, &seeds));
        variable.attributes = attributes(&draw.attributes, types);
        if draw.fill {
            variable.attributes.set("_FillValue", values(data_type, &draw.seeds[..1]));
        }
        let chunks =
            draw.chunks.as_ref().map(|c| c.iter().zip(&shape).map(|(&c, &n)| c.min(n)).collect::<Vec<_>>());
        variable.storage = Storage {
            chunks: chunks.filter(|c| c.len() == shape.len() && !shape.is_empty()),
            deflate: draw.deflate.filter(|_| !shape.is_empty()),
            shuffle: draw.shuffle && !shape.is_empty(),
        };
        made.variables.push(variable);
    }
    // libnetcdf learns the number of records only from data.
    for dimension in &mut made.dimensions {
        dimension.unlimited &=
            !classic || made.variables.iter().any(|v| v.dimensions.contains(&dimension.name));
    }
    made
}

/// Writes a description both ways, and compares.
fn compare(file: &File, format: Format) {
    let folder = tempfile::tempdir().unwrap();
    let (ours, again, theirs) =
        (folder.path().join("ours.nc"), folder.path().join("again.nc"), folder.path().join("theirs.nc"));
    write_checked(file, &ours, format).unwrap();
    write_checked(file, &again, format).unwrap();
    assert!(fs::read(&ours).unwrap() == fs::read(&again).unwrap(), "the bytes differ from time to time");
    oracle::write(file, &theirs, format);
    assert_eq!(dump(&ours), dump(&theirs));
    // libnetcdf can continue the written file.
    let _alone = alone();
    let mut more = netcdf::append(&ours).unwrap();
    if format != Format::Netcdf4 {
        more.redef().unwrap();
    }
    more.add_attribute("added", 5).unwrap();
    more.add_dimension("added", 2).unwrap();
    more.add_variable::<f32>("added", &["added"]).unwrap();
    if format != Format::Netcdf4 {
        more.enddef().unwrap();
    }
    more.variable_mut("added").unwrap().put_values(&[1f32, 2.0], ..).unwrap();
    more.close().unwrap();
    let read: Vec<f32> = netcdf::open(&ours).unwrap().variable("added").unwrap().get_values(..).unwrap();
    assert_eq!(read, [1.0, 2.0]);
}

#[test]
fn a_classic_file_ends_with_its_last_record() {
    let mut file = File::default();
    file.dimensions.push(Dimension { name: "t".into(), size: 5, unlimited: true });
    file.add_dimension("x", 3);
    for (name, data_type) in [("a", DataType::F64), ("b", DataType::I8), ("c", DataType::F32)] {
        let seeds: Vec<u32> = (0..15).collect();
        file.variables.push(Variable::with_values(name, &["t", "x"], values(data_type, &seeds)));
    }
    let folder = tempfile::tempdir().unwrap();
    for format in [Format::Classic, Format::Cdf5] {
        let (ours, theirs) =
            (folder.path().join(format!("{format:?}.nc")), folder.path().join(format!("{format:?}_2.nc")));
        write_checked(&file, &ours, format).unwrap();
        oracle::write(&file, &theirs, format);
        assert_eq!(fs::metadata(&ours).unwrap().len(), fs::metadata(&theirs).unwrap().len(), "{format:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn netcdf4_files_are_as_libnetcdf_writes_them(
        root in group_draw(), inner in prop::option::of(group_draw()), innermost in prop::option::of(group_draw()),
    ) {
        let mut file = group(&root, 0, &[], &TYPES);
        if let Some(inner) = &inner {
            let mut made = group(inner, 1, &file.dimensions, &TYPES);
            made.name = "inner ü".into();
            if let Some(innermost) = &innermost {
                let above: Vec<Dimension> = file.dimensions.iter().chain(&made.dimensions).cloned().collect();
                let mut below = group(innermost, 2, &above, &TYPES);
                below.name = "innermost".into();
                made.groups.push(below);
            }
            file.groups.push(made);
        }
        compare(&file, Format::Netcdf4);
    }

    #[test]
    fn cdf2_files_are_as_libnetcdf_writes_them(root in group_draw()) {
        let types = [DataType::I8, DataType::I16, DataType::I32, DataType::F32, DataType::F64, DataType::Char];
        compare(&group(&root, 0, &[], &types), Format::Classic);
    }

    #[test]
    fn cdf5_files_are_as_libnetcdf_writes_them(root in group_draw()) {
        compare(&group(&root, 0, &[], &TYPES[..11]), Format::Cdf5);
    }
}
