//! Reads by recorded places equal reads without them, for random files.

use cfa::index::index;
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::Dimension;
use cfa::{DataType, Dialect, Fragment, OpenOptions, Version};
use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
struct Spec {
    format: Format,
    data_type: DataType,
    records: bool,
    chunk: Option<(u64, u64)>,
    deflate: bool,
    shuffle: bool,
    celsius: bool,
    packed: bool,
    fill: bool,
    range: bool,
    rows: u64,
    /// Whether the file lacks the first dimension, which then has size 1.
    flat: bool,
    /// Whether only a part is written.
    partly: bool,
}

fn spec() -> impl Strategy<Value = Spec> {
    let format = prop_oneof![Just(Format::Netcdf4), Just(Format::Classic), Just(Format::Cdf5)];
    let types =
        prop::sample::select(vec![DataType::I8, DataType::I16, DataType::I32, DataType::F32, DataType::F64]);
    let chunk = prop::option::of((1u64..4, 1u64..8));
    let flags = prop::collection::vec(any::<bool>(), 9);
    (format, types, chunk, flags, 1u64..5).prop_map(|(format, data_type, chunk, flags, rows)| Spec {
        format,
        data_type,
        records: flags[0],
        chunk,
        deflate: flags[1],
        shuffle: flags[2],
        celsius: flags[3],
        packed: flags[4] && data_type.is_integer(),
        fill: flags[5],
        range: flags[6],
        rows: if flags[7] { 1 } else { rows },
        flat: flags[7],
        partly: flags[8] && format == Format::Netcdf4 && chunk.is_some(),
    })
}

fn numbers(data_type: DataType, list: Vec<i64>) -> Values {
    match data_type {
        DataType::I8 => Values::I8(list.iter().map(|&n| n as i8).collect()),
        DataType::I16 => Values::I16(list.iter().map(|&n| n as i16).collect()),
        DataType::I32 => Values::I32(list.iter().map(|&n| n as i32).collect()),
        DataType::F32 => Values::F32(list.iter().map(|&n| n as f32 / 4.0).collect()),
        _ => Values::F64(list.iter().map(|&n| n as f64 / 8.0).collect()),
    }
}

const WIDTH: u64 = 9;

fn write(path: &Path, spec: &Spec, seed: u64) {
    let mut file = File::default();
    let unlimited = spec.records;
    file.dimensions.push(Dimension { name: "t".into(), size: spec.rows, unlimited });
    file.add_dimension("x", WIDTH);
    let count = if spec.flat { WIDTH } else { spec.rows * WIDTH };
    let list = (0..count).map(|i| ((seed + i) * 37 % 200) as i64 - 100).collect();
    let dimensions: &[&str] = if spec.flat { &["x"] } else { &["t", "x"] };
    let values = numbers(spec.data_type, list);
    let mut v = Variable::with_values("v", dimensions, values);
    v.attributes.set_text("units", if spec.celsius { "degC" } else { "K" });
    if spec.packed {
        v.attributes.set("scale_factor", Values::F64(vec![0.1]));
        v.attributes.set("add_offset", Values::F64(vec![250.0]));
    }
    if spec.fill {
        v.attributes.set("_FillValue", numbers(spec.data_type, vec![11]));
    }
    if spec.range {
        v.attributes.set("valid_max", numbers(spec.data_type, vec![60]));
    }
    if let Some((t, x)) = spec.chunk {
        let chunks = if spec.flat { vec![x] } else { vec![t.min(spec.rows), x] };
        let deflate = spec.deflate.then_some(1);
        v.storage = Storage { chunks: Some(chunks), deflate, shuffle: spec.shuffle };
    }
    // A second variable, so that records are longer than those of one.
    file.variables.push(Variable::with_values(
        "other",
        dimensions,
        numbers(DataType::I16, vec![7; count as usize]),
    ));
    if spec.partly {
        let Values::F64(_) = numbers(DataType::F64, vec![]) else { panic!() };
        v.data = cfa::internals::write::Data::Later;
        file.variables.push(v);
        let mut new = cfa::internals::write::NewFile::create(&file, path, spec.format).unwrap();
        let one = numbers(spec.data_type, vec![5]);
        let (start, size) = if spec.flat { (vec![0], vec![1]) } else { (vec![0, 0], vec![1, 1]) };
        new.put("v", &start, &size, &one).unwrap();
        new.commit().unwrap();
        return;
    }
    file.variables.push(v);
    write_file(&file, path, spec.format).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn reads_by_recorded_places_equal_reads_without_them(
        specs in prop::collection::vec(spec(), 1..5),
        from in 0.0..1.0f64,
        step in 1i64..4,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut list = Vec::new();
        for (i, spec) in specs.iter().enumerate() {
            write(&folder.path().join(format!("f{i}.nc")), spec, 1000 * i as u64);
            let location = Some(format!("f{i}.nc"));
            let version = Version { location, identifier: "v".into(), format: None };
            list.push(Fragment::Stored { versions: vec![version], view: None });
        }
        let rows: Vec<u64> = specs.iter().map(|s| s.rows).collect();
        let total: u64 = rows.iter().sum();
        let mut file = File::default();
        file.add_dimension("t", total);
        file.add_dimension("x", WIDTH);
        let mut variable = Variable::new("v", DataType::F64, &["t", "x"]).attribute("units", "K");
        variable.attributes.set("_FillValue", Values::F64(vec![-1e30]));
        let fragments = Content::Stored(list);
        let aggregated = Aggregated { variable, sizes: vec![rows, vec![WIDTH]], fragments };
        add(&mut file, &aggregated, Dialect::Cf113).unwrap();
        let path = folder.path().join("agg.nc");
        write_file(&file, &path, Format::Netcdf4).unwrap();
        let first = (from * total as f64) as u64;
        let count = (total - first).div_ceil(step as u64);
        let part = Selection::new(&[first, 1], &[count, 4], &[step, 2], &[total, WIDTH]).unwrap();
        let read = || {
            let dataset = Dataset::open(&path).unwrap();
            let v = dataset.variable("v").unwrap();
            (v.read_values(&Selection::all(&[total, WIDTH])).unwrap(), v.read_values(&part).unwrap())
        };
        let expected = read();
        let report = index(&path, &OpenOptions::default(), None).unwrap();
        // What was not written in chunks, and is not stored anywhere, has no place.
        let unplaced = specs.iter().filter(|s| s.partly).count() as u64;
        prop_assert!(report.recorded >= specs.len() as u64 - unplaced, "{:?} {specs:?}", report);
        prop_assert_eq!(&read(), &expected);
        for i in (0..specs.len()).filter(|_| report.recorded == specs.len() as u64) {
            spoil(&folder.path().join(format!("f{i}.nc")));
        }
        prop_assert_eq!(&read(), &expected);
    }
}
