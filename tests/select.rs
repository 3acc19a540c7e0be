//! Parts by coordinates: what `--select` and `Variable::select_parts` find, against naive oracles.

use std::path::Path;
use std::process::Command;

use crate::support::program::cfa;
use cfa::extract::{cuts, extract, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{Coordinates, Dataset, Values};
use proptest::prelude::*;

/// A coordinate variable with the attributes of a longitude, a latitude or a time.
fn axis(name: &str, values: Values, units: &str, bounds: Option<Vec<f64>>) -> File {
    let mut file = File::default();
    let size = values.len() as u64;
    file.add_dimension(name, size);
    file.add_dimension("two", 2);
    let mut coordinate = Variable::with_values(name, &[name], values).attribute("units", units);
    if let Some(bounds) = bounds {
        coordinate = coordinate.attribute("bounds", "edges");
        file.variables.push(Variable::with_values("edges", &[name, "two"], Values::F64(bounds)));
    }
    file.variables.push(coordinate);
    let numbers = Values::I32((0..size as i32).collect());
    file.variables.push(Variable::with_values("v", &[name], numbers));
    file
}

fn open(folder: &Path, file: &File) -> Dataset {
    let path = folder.join("f.nc");
    write_file(file, &path, Format::Netcdf4).unwrap();
    Dataset::open(path).unwrap()
}

/// The indices that texts select, as they are read, and the labels there.
fn chosen(dataset: &Dataset, texts: &[String]) -> Result<(Vec<i32>, Vec<f64>), String> {
    let v = dataset.variable("v").unwrap();
    let parts = v.select_parts(texts).map_err(|e| e.to_string())?;
    let (Values::I32(found), valid) = v.read_parts(&parts).unwrap() else { panic!("another type") };
    assert!(valid.iter().all(|valid| *valid));
    let along = Coordinates::along_parts(&v, 0, &parts).unwrap();
    let labels = (0..found.len() as u64).map(|i| along.number(i).unwrap_or(f64::NAN)).collect();
    Ok((found, labels))
}

/// An axis that ascends or descends in steps of these lengths.
fn steps() -> impl Strategy<Value = Vec<f64>> {
    let lengths = proptest::collection::vec(1u32..9, 1..12);
    (-60i32..60, lengths, any::<bool>()).prop_map(|(first, lengths, ascends)| {
        let sign = if ascends { 0.5 } else { -0.5 };
        let next = |at: &mut f64, length: u32| {
            *at += sign * f64::from(length);
            Some(*at)
        };
        lengths.into_iter().scan(f64::from(first), next).collect()
    })
}

/// Bounds half way between neighbours.
fn half_way(x: &[f64]) -> Vec<f64> {
    let edge = |i: usize| match i {
        _ if x.len() == 1 => x[0] + i as f64 - 0.5,
        0 => x[0] - (x[1] - x[0]) / 2.0,
        i if i == x.len() => x[i - 1] + (x[i - 1] - x[i - 2]) / 2.0,
        i => (x[i - 1] + x[i]) / 2.0,
    };
    (0..x.len()).flat_map(|i| [edge(i), edge(i + 1)]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn ranges_are_those_of_a_naive_search(x in steps(), ends in proptest::collection::vec((-80i32..80, 0i32..40), 1..4)) {
        let folder = tempfile::tempdir().unwrap();
        let dataset = open(folder.path(), &axis("x", Values::F64(x.clone()), "m", None));
        let mut expected: Vec<i32> = Vec::new();
        let mut complete = true;
        for (low, width) in &ends {
            let (low, high) = (f64::from(*low), f64::from(low + width));
            let found: Vec<i32> =
                (0..x.len()).filter(|&i| (low..=high).contains(&x[i])).map(|i| i as i32).collect();
            complete &= !found.is_empty();
            found.into_iter().for_each(|i| if !expected.contains(&i) { expected.push(i) });
        }
        let items: Vec<String> = ends.iter().map(|(low, width)| format!("{low}..{}", low + width)).collect();
        let repeated: Vec<String> = items.iter().map(|item| format!("x={item}")).collect();
        for texts in [vec![format!("x={}", items.join(","))], repeated] {
            match chosen(&dataset, &texts) {
                Ok((found, _)) => prop_assert!(complete && found == expected, "{texts:?}: {found:?}, not {expected:?}"),
                Err(message) => prop_assert!(!complete && message.contains("has nothing at"), "{texts:?}: {message}"),
            }
        }
    }

    #[test]
    fn the_nearest_is_that_of_a_naive_search(x in steps(), wanted in -200i32..200) {
        let folder = tempfile::tempdir().unwrap();
        let dataset = open(folder.path(), &axis("x", Values::F64(x.clone()), "m", None));
        let wanted = f64::from(wanted) / 2.0;
        let mut best = 0;
        for i in 1..x.len() {
            if (x[i] - wanted).abs() < (x[best] - wanted).abs() {
                best = i;
            }
        }
        let outside = x.iter().all(|&x| x < wanted) || x.iter().all(|&x| x > wanted);
        let beside = if best == 0 { 1 } else { best - 1 };
        let reaches = x.len() == 1 || !outside || (x[best] - wanted).abs() <= (x[beside] - x[best]).abs() / 2.0;
        match chosen(&dataset, &[format!("x~{wanted}")]) {
            Ok((found, _)) => prop_assert!(reaches && found == [best as i32], "{wanted} in {x:?}: {found:?}"),
            Err(message) => prop_assert!(!reaches && message.contains("half a cell"), "{wanted} in {x:?}: {message}"),
        }
    }

    #[test]
    fn a_value_falls_into_the_first_cell_that_contains_it(x in steps(), wanted in -280i32..280) {
        let folder = tempfile::tempdir().unwrap();
        let bounds = half_way(&x);
        let dataset = open(folder.path(), &axis("x", Values::F64(x.clone()), "m", Some(bounds.clone())));
        let wanted = f64::from(wanted) / 4.0;
        let inside = |i: &usize| {
            let (a, b) = (bounds[2 * i], bounds[2 * i + 1]);
            a.min(b) <= wanted && wanted <= a.max(b)
        };
        let equal = x.iter().position(|&x| x == wanted);
        let expected = equal.or_else(|| (0..x.len()).find(inside));
        for sign in ["=", "~"] {
            match (chosen(&dataset, &[format!("x{sign}{wanted}")]), expected) {
                (Ok((found, _)), Some(expected)) => prop_assert_eq!(found, [expected as i32]),
                (Err(_), None) => {}
                (other, expected) => prop_assert!(false, "{wanted} in {x:?}: {other:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn longitudes_are_found_in_every_turn(
        first in -36i32..37, size in 1usize..38, ascends in any::<bool>(), west in -80i32..80, width in 0i32..37,
        single in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        // Ten degrees apart; 37 of them have the first again as the last.
        let mut x: Vec<f64> = (0..size).map(|i| f64::from(first * 10 + i as i32 * 10)).collect();
        if !ascends {
            x.reverse();
        }
        let values = match single {
            true => Values::F32(x.iter().map(|&x| x as f32).collect()),
            false => Values::F64(x.clone()),
        };
        let dataset = open(folder.path(), &axis("places", values, "degrees_east", None));
        let (west, east) = (f64::from(west) * 10.0, f64::from(west + width) * 10.0);
        let turns = |x: f64| (-9..=9).map(move |n| x + 360.0 * f64::from(n)).filter(|x| (west..=east).contains(x));
        let mut expected: Vec<f64> = x.iter().filter(|&&x| turns(x).next().is_some()).map(|x| x.rem_euclid(360.0)).collect();
        expected.sort_by(f64::total_cmp);
        expected.dedup();
        match chosen(&dataset, &[format!("places={west}..{east}")]) {
            Err(message) => prop_assert!(expected.is_empty(), "{west}..{east} of {x:?}: {message}"),
            Ok((found, labels)) => {
                let says = format!("{west}..{east} of {x:?}: {found:?} {labels:?}");
                let mut places: Vec<f64> = found.iter().map(|&i| x[i as usize].rem_euclid(360.0)).collect();
                places.sort_by(f64::total_cmp);
                places.dedup();
                prop_assert_eq!(places, expected, "{}", says);
                let in_order = labels.windows(2).all(|pair| pair[0] != pair[1] && (pair[0] < pair[1]) == ascends);
                prop_assert!(in_order || size == 1, "{}", says);
                for (label, &i) in labels.iter().zip(&found) {
                    prop_assert!((west..=east).contains(label), "{}", says);
                    prop_assert_eq!((label - x[i as usize]).rem_euclid(360.0), 0.0, "{}", says);
                }
            }
        }
    }

    #[test]
    fn dates_of_any_precision_are_beginnings_of_dates(
        step in 1i32..2000, size in 1usize..60, calendar in 0usize..3, length in 0usize..5, at in 0usize..60,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let hours: Vec<i32> = (0..size as i32).map(|i| i * step).collect();
        let mut file = axis("time", Values::I32(hours), "hours since 2001-01-30 12:00:00", None);
        let calendar = ["standard", "noleap", "360_day"][calendar];
        let time = file.variables.iter_mut().find(|v| v.name == "time").unwrap();
        time.attributes.set_text("calendar", calendar);
        let dataset = open(folder.path(), &file);
        let v = dataset.variable("v").unwrap();
        let along = Coordinates::along(&v, 0, &cfa::Selection::all(&[size as u64])).unwrap();
        let labels: Vec<String> = (0..size as u64).map(|i| along.label(i)).collect();
        let date = &labels[at % size][..[4, 7, 10, 13, 16][length]];
        let expected: Vec<i32> = (0..size).filter(|&i| labels[i].starts_with(date)).map(|i| i as i32).collect();
        prop_assert_eq!(&chosen(&dataset, &[format!("time={date}")]).unwrap().0, &expected);
        let nearest = chosen(&dataset, &[format!("time~{date}")]).unwrap().0;
        prop_assert!(nearest.len() == 1 && expected.contains(&nearest[0]), "{date}: {nearest:?} of {expected:?}");
    }
}

/// What a selection of one axis finds.
fn finds(file: &File, text: &str) -> Result<Vec<i32>, String> {
    let folder = tempfile::tempdir().unwrap();
    chosen(&open(folder.path(), file), &[text.to_owned()]).map(|(found, _)| found)
}

/// Months of two years, with the middle as time and bounds.
fn months(calendar: &str) -> File {
    let bounds = (0..24).flat_map(|i| [f64::from(i) * 30.0, f64::from(i + 1) * 30.0]).collect();
    let times = Values::F64((0..24).map(|i| f64::from(i) * 30.0 + 15.0).collect());
    let mut file = axis("time", times, "days since 2001-01-01", Some(bounds));
    file.variables.iter_mut().for_each(|v| v.attributes.set_text("calendar", calendar));
    file
}

#[test]
fn dates_fall_into_cells_and_nearest_dates_into_their_period() {
    let file = months("360_day");
    for (text, expected) in [
        ("time=2001-03-01", vec![2]),
        ("time=2001-02-30T23:59", vec![1]),
        ("time=2001-03-16", vec![2]),
        ("time=2001-06..2001-08,2002-06..2002-08", vec![5, 6, 7, 17, 18, 19]),
        ("time~2001-03", vec![2]),
        ("time~2001-03-01", vec![2]),
        ("time~2001-02-30", vec![1]),
        ("time~2001-03-01T00:00:00", vec![1]),
        ("time~2001", vec![5]),
        ("time=2001-12-30..2002-01", vec![12]),
        ("time=100", vec![3]),
    ] {
        assert_eq!(finds(&file, text).as_ref(), Ok(&expected), "{text}");
    }
}

#[test]
fn what_is_no_date_is_told() {
    let file = months("standard");
    for (text, says) in [
        ("time=soon", "'soon' is not a number or a date in UTC; write YYYY, YYYY-MM"),
        ("time~soon", "'soon' is not a number or a date"),
        ("time=2001-02-30", "the calendar 'standard' does not have it"),
        ("time=2001-13", "'2001-13' is not a date"),
        ("time=2001-01-01T25", "'2001-01-01T25' is not a date"),
        ("time=2001-01..soon", "'soon' is not a date"),
        ("time=1999-01..1999-02", "its coordinates go from 2001-01-16"),
        ("time~1999", "by more than half a cell"),
    ] {
        let message = finds(&file, text).unwrap_err();
        assert!(message.contains(says), "{text}: {message}");
    }
    assert_eq!(finds(&months("360_day"), "time=2001-02-30"), Ok(vec![1]));
}

#[test]
fn a_value_between_coordinates_without_bounds_names_the_nearest() {
    let file = axis("lat", Values::F32(vec![45.1, 45.2, 45.3]), "degrees_north", None);
    let message = finds(&file, "lat=45.22").unwrap_err();
    assert!(message.contains("lat~45.22 takes the nearest, 45.2"), "{message}");
    assert_eq!(finds(&file, "lat~45.22"), Ok(vec![1]));
    assert_eq!(finds(&file, "lat~45.25"), Ok(vec![1]), "the lower index of two that are equally near");
    assert_eq!(finds(&file, "lat=45.3,45.1"), Ok(vec![2, 0]));
}

#[test]
fn longitudes_are_known_by_their_attributes_and_the_shorter_arc_is_meant() {
    let x: Vec<f64> = (0..36).map(|i| f64::from(i) * 10.0).collect();
    let file = axis("i", Values::F64(x.clone()), "degrees_east", None);
    let expected: Vec<i32> = vec![34, 35, 0, 1, 2];
    for text in ["i=-20..20", "i=340..20", "i=340..380", "i=20..-20"] {
        assert_eq!(finds(&file, text).as_ref(), Ok(&expected), "{text}");
    }
    assert_eq!(finds(&file, "i=-170..170").unwrap().len(), 35);
    assert_eq!(finds(&file, "i=170..-170"), Ok(vec![17, 18, 19]));
    assert_eq!(finds(&file, "i=..20"), Ok(vec![0, 1, 2]));
    assert_eq!(finds(&file, "i=-10"), Ok(vec![35]));
    assert_eq!(finds(&file, "i~-4"), Ok(vec![0]));
    assert_eq!(finds(&file, "i~356"), Ok(vec![0]));
    assert!(finds(&axis("lon", Values::F64(x.clone()), "m", None), "lon=-20..20").unwrap() == [0, 1, 2]);
    let mut degrees = axis("lon", Values::F64(x), "degrees", None);
    assert_eq!(finds(&degrees, "lon=-20..20"), Ok(vec![0, 1, 2]));
    degrees.variables.iter_mut().find(|v| v.name == "lon").unwrap().attributes.set_text("axis", "X");
    assert_eq!(finds(&degrees, "lon=-20..20"), Ok(expected));
    // A file may go on with western longitudes after the eastern ones.
    let halves: Vec<f64> = (0..36).map(|i| f64::from(if i < 18 { i } else { i - 36 }) * 10.0).collect();
    let halves = axis("lon", Values::F64(halves), "degrees_east", None);
    assert_eq!(finds(&halves, "lon=-20..20"), Ok(vec![34, 35, 0, 1, 2]));
    assert_eq!(finds(&halves, "lon=170..190"), Ok(vec![17, 18, 19]));
    // A cell around 0 may be written from 355 to 5, and no other cell is that wide.
    let bounds = (0..36).flat_map(|i| [(i * 10 + 355) % 360, (i * 10 + 5) % 360]).map(f64::from).collect();
    let x = Values::I32((0..36).map(|i| i * 10).collect());
    let cells = axis("lon", x, "degrees_east", Some(bounds));
    for (text, expected) in [("lon=-4", 0), ("lon=356", 0), ("lon=4", 0), ("lon=93.5", 9), ("lon=-93.5", 27)]
    {
        assert_eq!(finds(&cells, text), Ok(vec![expected]), "{text}");
    }
}

#[test]
fn labels_may_have_commas_and_dots() {
    let mut file =
        axis("name", Values::String(["a", "b, c", "d..e", "f"].map(String::from).into()), "1", None);
    file.variables.retain(|v| v.name != "edges");
    for (text, expected) in [
        ("name=f,a", vec![3, 0]),
        ("name=b, c", vec![1]),
        ("name=\"b, c\",a", vec![1, 0]),
        ("name=\"d..e\"", vec![2]),
        ("name=\"b, c\"..\"d..e\"", vec![1, 2]),
    ] {
        assert_eq!(finds(&file, text).as_ref(), Ok(&expected), "{text}");
    }
    assert!(finds(&file, "name~a").unwrap_err().contains("labels"));
}

#[test]
fn a_label_that_occurs_several_times_selects_all_of_them() {
    let mut file =
        axis("name", Values::String(["a", "b", "a", "c", "a", "a"].map(String::from).into()), "1", None);
    file.variables.retain(|v| v.name != "edges");
    for (text, expected) in [
        ("name=a", vec![0, 2, 4, 5]),
        ("name=b", vec![1]),
        ("name=c,a", vec![3, 0, 2, 4, 5]),
        ("name=b..c", vec![1, 2, 3]),
    ] {
        assert_eq!(finds(&file, text).as_ref(), Ok(&expected), "{text}");
    }
}

#[test]
fn an_empty_value_is_a_mistake_and_not_the_whole() {
    let file = months("standard");
    for text in ["time=", "time= ", "time~"] {
        assert!(finds(&file, text).unwrap_err().contains("no value after"), "{text}");
    }
    assert_eq!(finds(&file, "time=..").unwrap().len(), 24);
}

/// A map of longitudes from 0 to 350, with bounds, and four years.
fn map(folder: &Path) {
    let bounds = (0..36).flat_map(|i| [f64::from(i) * 10.0 - 5.0, f64::from(i) * 10.0 + 5.0]).collect();
    let lon = Values::F32((0..36).map(|i| i as f32 * 10.0).collect());
    let mut file = axis("lon", lon, "degrees_east", Some(bounds));
    let lon = file.variables.iter_mut().find(|v| v.name == "lon").unwrap();
    lon.attributes.set("valid_min", Values::F32(vec![0.0]));
    file.add_dimension("time", 48);
    let days = Values::I32((0..48).map(|i| i * 30).collect());
    let time = Variable::with_values("time", &["time"], days);
    file.variables.push(time.attribute("units", "days since 2001-01-01").attribute("calendar", "360_day"));
    let values = Values::I16((0..48 * 36).map(|i| i as i16).collect());
    let mut tas = Variable::with_values("tas", &["time", "lon"], values);
    tas.attributes.set("scale_factor", Values::F32(vec![0.5]));
    tas.attributes.set("add_offset", Values::F32(vec![100.0]));
    tas.attributes.set("_FillValue", Values::I16(vec![36]));
    tas.attributes.set_text("units", "K");
    file.variables.push(tas);
    write_file(&file, &folder.join("map.nc"), Format::Netcdf4).unwrap();
}

#[track_caller]
fn good(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn several_ranges_are_read_and_extracted_alike() {
    let folder = tempfile::tempdir().unwrap();
    map(folder.path());
    let texts = ["time=2001-06..2001-08,2003-06..2003-07", "lon=-20..10"];
    let select = ["--select", texts[0], "--select", texts[1]];
    let csv = good(folder.path(), &[&["read", "map.nc", "tas", "--csv"], &select[..]].concat());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 5 * 4);
    assert_eq!(lines[1], "2001-06-01 00:00:00,-20,214");
    assert_eq!(lines[3], "2001-06-01 00:00:00,0,180");
    assert_eq!(lines[20], "2003-07-01 00:00:00,10,1081");
    let raw = cfa(folder.path(), &[&["read", "map.nc", "tas", "--raw"], &select[..]].concat()).stdout;
    assert_eq!(raw.len(), 2 * 20);
    assert_eq!(raw[2..4], 215i16.to_ne_bytes());
    good(folder.path(), &[&["extract", "map.nc", "part.nc", "--variable", "tas"], &select[..]].concat());
    assert_eq!(good(folder.path(), &["read", "part.nc", "tas", "--csv"]), csv);
    let part = Dataset::open(folder.path().join("part.nc")).unwrap();
    let values = |name: &str| {
        let variable = part.variable(name).unwrap();
        variable.read_values(&cfa::Selection::all(variable.shape().unwrap())).unwrap()
    };
    assert_eq!(values("lon"), Values::F32(vec![-20.0, -10.0, 0.0, 10.0]));
    assert_eq!(values("edges"), Values::F64(vec![-25.0, -15.0, -15.0, -5.0, -5.0, 5.0, 5.0, 15.0]));
    assert_eq!(part.variable("lon").unwrap().attributes().get("valid_min"), None);
    // One range of indices is what functions with start and count need.
    let tas = Dataset::open(folder.path().join("map.nc")).unwrap().variable("tas").unwrap();
    let message = tas.select(&texts).unwrap_err().to_string();
    assert!(message.contains("2 ranges of indices along dimension 'time' (5..7, 29..30)"), "{message}");
}

#[test]
fn blocks_of_an_extraction_cross_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let size = 3_000_000;
    let mut file = File::default();
    file.add_dimension("n", size);
    file.variables.push(Variable::with_values("v", &["n"], Values::I32((0..size as i32).collect())));
    write_file(&file, &folder.path().join("f.nc"), Format::Netcdf4).unwrap();
    let dataset = Dataset::open(folder.path().join("f.nc")).unwrap();
    let choose = |v: &cfa::Variable| v.select_parts(&["n=2000000..2900000,5..1500000,1900000"]);
    let cuts = cuts(&dataset, &["v".into()], choose).unwrap();
    let out = folder.path().join("out.nc");
    extract(&dataset, &out, &Options { cuts, ..Options::default() }).unwrap();
    let v = Dataset::open(out).unwrap().variable("v").unwrap();
    let Values::I32(found) = v.read_values(&cfa::Selection::all(v.shape().unwrap())).unwrap() else {
        panic!()
    };
    assert!(found.into_iter().eq((2_000_000..=2_900_000).chain(5..=1_500_000).chain([1_900_000])));
}

#[test]
fn packed_longitudes_are_not_moved() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = axis("lon", Values::I16((0..36).map(|i| i * 100).collect()), "degrees_east", None);
    let lon = file.variables.iter_mut().find(|v| v.name == "lon").unwrap();
    lon.attributes.set("scale_factor", Values::F64(vec![0.1]));
    write_file(&file, &folder.path().join("f.nc"), Format::Netcdf4).unwrap();
    let csv = good(folder.path(), &["read", "f.nc", "v", "--csv", "--select", "lon=-10..0"]);
    assert_eq!(csv, "lon,v\n-10,35\n0,0\n");
    let words = ["extract", "f.nc", "out.nc", "--variable", "v", "--select"];
    let refused = cfa(folder.path(), &[&words[..], &["lon=-10..0"]].concat());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("the longitudes are packed"));
    good(folder.path(), &[&words[..], &["lon=0..10"]].concat());
}

#[test]
fn unpacked_numbers_are_read_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    map(folder.path());
    let read = |words: &[&str]| {
        let part =
            ["read", "map.nc", "tas", "--unpacked", "--select", "time=2001-02", "--select", "lon=0..10"];
        good(folder.path(), &[&part[..], words].concat())
    };
    assert_eq!(read(&["--csv"]), "time,lon,tas\n2001-02-01 00:00:00,0,\n2001-02-01 00:00:00,10,118.5\n");
    let json: serde_json::Value = serde_json::from_str(&read(&["--json"])).unwrap();
    assert_eq!((json["dtype"].as_str(), &json["values"]), (Some("f4"), &serde_json::json!([null, 118.5])));
    let table = read(&[]);
    assert!(table.contains("tas (K)") && table.contains("_  118.5"), "{table}");
    let words =
        ["read", "map.nc", "tas", "--unpacked", "--raw", "--select", "time=2001-02", "--select", "lon=0..10"];
    let raw = cfa(folder.path(), &words).stdout;
    let numbers: Vec<f32> = raw.chunks(4).map(|b| f32::from_ne_bytes(b.try_into().unwrap())).collect();
    assert!(numbers.len() == 2 && numbers[0].is_nan() && numbers[1] == 118.5, "{numbers:?}");
    // Bytes that are unsigned in truth.
    let mut file = File::default();
    file.add_dimension("n", 3);
    let bytes =
        Variable::with_values("v", &["n"], Values::I8(vec![1, -1, -56])).attribute("_Unsigned", "true");
    file.variables.push(bytes.attribute("units", "1"));
    write_file(&file, &folder.path().join("u.nc"), Format::Netcdf4).unwrap();
    let csv = good(folder.path(), &["read", "u.nc", "v", "--unpacked", "--csv"]);
    assert_eq!(csv, "n,v\n0,1\n1,255\n2,200\n");
    assert_eq!(cfa(folder.path(), &["read", "u.nc", "v", "--unpacked", "--raw"]).stdout, [1, 255, 200]);
}

/// A file of 48 months, as docs/selecting.md describes it.
fn documented(folder: &Path) {
    let mut file = File::default();
    for (name, size) in [("time", 48), ("lat", 4), ("lon", 36), ("two", 2)] {
        file.add_dimension(name, size);
    }
    let edge = |i: i32| f64::from(i) * 30.4375;
    let times = Values::F64((0..48).map(|i| edge(i) + 15.0).collect());
    let time = Variable::with_values("time", &["time"], times).attribute("units", "days since 2001-01-01");
    file.variables.push(time.attribute("bounds", "edges"));
    let bounds = Values::F64((0..48).flat_map(|i| [edge(i), edge(i + 1)]).collect());
    file.variables.push(Variable::with_values("edges", &["time", "two"], bounds));
    let lat = Values::F32(vec![30.0, 45.0, 60.0, 75.0]);
    file.variables.push(Variable::with_values("lat", &["lat"], lat).attribute("units", "degrees_north"));
    let lon = Values::I32((0..36).map(|i| i * 10).collect());
    file.variables.push(Variable::with_values("lon", &["lon"], lon).attribute("units", "degrees_east"));
    let values = Values::F32((0..48 * 4 * 36).map(|i| i as f32).collect());
    file.variables.push(Variable::with_values("tas", &["time", "lat", "lon"], values));
    write_file(&file, &folder.join("map.nc"), Format::Netcdf4).unwrap();
}

#[test]
fn the_examples_of_the_documentation_run() {
    let folder = tempfile::tempdir().unwrap();
    documented(folder.path());
    let guide = include_str!("../docs/selecting.md");
    let blocks: Vec<&str> =
        guide.split("```sh tested\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 2);
    let program = Path::new(env!("CARGO_BIN_EXE_cfa")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-euxc", &blocks.concat()]).current_dir(folder.path()).env("PATH", path);
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    for shown in ["time = 6, lat = 1, lon = 5", "-20  -20", "time = 1, lat = 1, lon = 1"] {
        assert!(out.contains(shown), "{shown}: {out}");
    }
    assert!(err.contains("the calendar 'standard' does not have it"), "{err}");
}

/// An axis of several blocks, around whose ends parts are selected.
#[test]
fn parts_are_found_across_the_blocks_of_a_long_coordinate() {
    const SIZE: usize = 200_000;
    const BLOCK: usize = 1 << 16;
    let folder = tempfile::tempdir().unwrap();
    let find = |values: Values, units: &str, bounds: Option<Vec<f64>>, text: &str| {
        let folder = tempfile::tempdir_in(folder.path()).unwrap();
        let dataset = open(folder.path(), &axis("x", values, units, bounds));
        chosen(&dataset, &[text.to_owned()])
    };
    let up: Vec<f64> = (0..SIZE).map(|i| i as f64).collect();
    let numbers = |range: std::ops::Range<usize>| -> (Vec<i32>, Vec<f64>) {
        range.map(|i| (i as i32, i as f64)).unzip()
    };
    let many = |ranges: &[std::ops::Range<usize>]| -> (Vec<i32>, Vec<f64>) {
        ranges.iter().cloned().flatten().map(|i| (i as i32, i as f64)).unzip()
    };
    let cells = || Some(half_way(&up));
    for at in [BLOCK, 2 * BLOCK, SIZE - 2] {
        let plain = |text: String| find(Values::F64(up.clone()), "m", None, &text).unwrap();
        assert_eq!(plain(format!("x={}..{}", at - 1, at + 1)), numbers(at - 1..at + 2));
        assert_eq!(plain(format!("x~{}.3", at - 1)), numbers(at - 1..at));
        assert_eq!(plain(format!("x~{at}")), numbers(at..at + 1));
        let several = [at..at + 2, 5..7, BLOCK - 6..BLOCK - 2];
        assert_eq!(plain(format!("x={at}..{},5..6,65530..65533", at + 1)), many(&several));
        let within = find(Values::F64(up.clone()), "m", cells(), &format!("x={at}.25")).unwrap();
        assert_eq!(within, numbers(at..at + 1));
        let dates =
            find(Values::F64(up.clone()), "hours since 2000-01-01", None, &format!("x~{at}")).unwrap();
        assert_eq!(dates, numbers(at..at + 1));
    }
    // The last cell reaches half a cell beyond the last coordinate.
    let end = |text: &str, bounds| find(Values::F64(up.clone()), "m", bounds, text);
    assert_eq!(end("x~199999.4", None).unwrap(), numbers(SIZE - 1..SIZE));
    assert_eq!(end("x~199999.4", cells()).unwrap(), numbers(SIZE - 1..SIZE));
    for bounds in [None, cells()] {
        let message = end("x~199999.6", bounds).unwrap_err();
        assert!(message.contains("0 to 199999"), "{message}");
    }
    let days =
        find(Values::F64(up.clone()), "hours since 2000-01-01", None, "x=2007-06-23..2007-06-24").unwrap();
    assert_eq!(days, numbers(65_520..65_568));
    // Once around, ending in another block.
    let circle: Vec<f64> = (0..SIZE).map(|i| i as f64 * 360.0 / SIZE as f64).collect();
    let (found, labels) = find(Values::F64(circle.clone()), "degrees_east", None, "x=-0.002..0.001").unwrap();
    assert_eq!(found, [199_999, 0]);
    assert!((labels[0] + 0.0018).abs() < 1e-9 && labels[1] == 0.0, "{labels:?}");
    let texts: Vec<String> = (0..SIZE).map(|i| format!("s{}", i % (BLOCK + 1))).collect();
    let labelled = |text: &str| find(Values::String(texts.clone()), "", None, text).map(|(found, _)| found);
    assert_eq!(labelled("x=s65536").unwrap(), [65_536, 131_073, 196_610]);
    assert_eq!(labelled("x=s65534..s65536").unwrap(), [65_534, 65_535, 65_536]);
    assert!(labelled("x=s65537").unwrap_err().contains("it has: s0, s1"));
    // Several that are equal, in different blocks.
    let mut twice = up.clone();
    twice[150_000] = 7.0;
    assert!(find(Values::F64(twice), "m", None, "x=7").unwrap_err().contains("not in order"));
}

#[test]
fn neighbours_are_told_apart_however_fine_the_coordinates_are() {
    // Seconds as doubles, and longitudes of a second of arc.
    let seconds = |i: i32| 1e9 + f64::from(i);
    let file = axis("x", Values::F64((0..5000).map(seconds).collect()), "m", None);
    assert_eq!(finds(&file, "x=1000001000").unwrap(), [1000]);
    assert_eq!(finds(&file, "x=1000001000..1000001010").unwrap(), Vec::from_iter(1000..=1010));
    assert_eq!(finds(&file, "x~1000001000.4").unwrap(), [1000]);
    let file = axis("x", Values::I32((2_499_000..2_501_000).collect()), "m", None);
    assert_eq!(finds(&file, "x=2500000").unwrap(), [1000]);
    let file = axis("x", Values::F32((0..5000).map(|i| (12_498_000 + i) as f32).collect()), "m", None);
    assert_eq!(finds(&file, "x=12500000").unwrap(), [2000]);
    assert_eq!(finds(&file, "x~12500000").unwrap(), [2000]);
    assert_eq!(finds(&file, "x~12500007").unwrap(), [2007]);
    let fine = |i: i32| -60.0 + (f64::from(i) + 0.5) / 3600.0;
    let file = axis("lon", Values::F64((0..3600).map(fine).collect()), "degrees_east", None);
    let inside =
        |west: f64, east: f64| (0..3600).filter(|&i| (west..=east).contains(&fine(i))).collect::<Vec<i32>>();
    assert_eq!(finds(&file, "lon=-59.99..-59.98").unwrap(), inside(-59.99, -59.98));
    assert_eq!(finds(&file, "lon=300.01..300.02").unwrap(), inside(-59.99, -59.98));
}

#[test]
fn coordinates_need_not_be_written_to_their_last_digit() {
    let thirds: Vec<f64> = (0..300).map(|i| f64::from(i) / 3.0).collect();
    let single: Vec<f32> = thirds.iter().map(|&x| x as f32).collect();
    let widened: Vec<f64> = single.iter().map(|&x| f64::from(x)).collect();
    for values in [Values::F64(thirds), Values::F32(single), Values::F64(widened)] {
        let file = axis("x", values, "m", None);
        assert_eq!(finds(&file, "x=45.33333").unwrap(), [136]);
        assert_eq!(finds(&file, "x=45.33333333333333..46.66667").unwrap(), [136, 137, 138, 139, 140]);
    }
}
