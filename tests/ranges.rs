//! What `cfa info` shows of coordinates: ends, step, gaps, and what cannot be read.

use std::path::Path;
use std::process::Command;

use serde_json::{json, Value};

use crate::support::cdl::{make, make_from};
use crate::support::program::cfa;

fn shown(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What follows a variable's name and dimensions on its line.
fn line(text: &str, variable: &str) -> String {
    let is_its =
        |line: &&str| line.split_whitespace().nth(1).is_some_and(|w| w.split('(').next() == Some(variable));
    let line = text
        .lines()
        .skip_while(|l| *l != "variables:")
        .find(is_its)
        .unwrap_or_else(|| panic!("{variable} in {text}"));
    line.trim().split_once("  ").map_or(String::new(), |(_, rest)| rest.to_owned())
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

/// Makes a file whose variable `t`, of the type and with the attributes given, has these values, and returns its line.
fn axis(data_type: &str, attributes: &str, values: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let n = values.split(',').count();
    let body =
        format!("dimensions: t = {n} ; variables: {data_type} t(t) ; {attributes} data: t = {values} ;");
    make_from(folder.path(), "a", &body);
    line(&shown(folder.path(), &["info", "a.nc"]), "t")
}

#[test]
fn the_unit_1_is_not_shown_among_numbers() {
    assert_eq!(axis("int", "t:units = \"1\" ;", "0, 1, 2"), "0 .. 2, every 1");
    let folder = tempfile::tempdir().unwrap();
    make_from(
        folder.path(),
        "a",
        "dimensions: t = 2 ; variables: float v(t) ; v:units = \"1\" ; data: v = 1, 2 ;",
    );
    assert_eq!(line(&shown(folder.path(), &["info", "a.nc"]), "v"), "8 bytes");
    let described: Value = serde_json::from_str(&shown(folder.path(), &["info", "a.nc", "--json"])).unwrap();
    assert_eq!(described["variables"][0]["attributes"]["units"], "1");
}

#[test]
fn times_are_shown_as_dates_with_their_step_and_gaps() {
    let days = "t:units = \"days since 2001-01-01\" ;";
    let noleap = "t:units = \"days since 2001-01-01\" ; t:calendar = \"noleap\" ;";
    assert_eq!(axis("double", days, &list(0..365)), "2001-01-01 .. 2001-12-31, every 1 day");
    assert_eq!(
        axis("double", noleap, &list((0..365).filter(|d| ![59, 60, 200].contains(d)))),
        "2001-01-01 .. 2001-12-31, every 1 day, noleap, 2 gaps: 2001-02-28 to 2001-03-03, 2001-07-19 to 2001-07-21"
    );
    let hours = "t:units = \"hours since 2000-02-28\" ;";
    assert_eq!(
        axis("int", hours, &list((0..20).map(|i| i * 6))),
        "2000-02-28 00:00 .. 2000-03-03 18:00, every 6 hours"
    );
    // The same time of day written in fractions of a day.
    assert_eq!(
        axis("double", days, &list((0..48).map(|i| f64::from(i) / 24.0))),
        "2001-01-01 00:00 .. 2001-01-02 23:00, every 1 hour"
    );
}

#[test]
fn months_and_years_are_steps_whatever_their_length() {
    let attributes =
        |calendar: &str| format!("t:units = \"days since 2001-01-01\" ; t:calendar = \"{calendar}\" ;");
    let noleap = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let firsts: Vec<i32> = (0..36).map(|m| noleap.iter().cycle().take(m).sum()).collect();
    let all = axis("double", &attributes("noleap"), &list(&firsts));
    assert_eq!(all, "2001-01-01 .. 2003-12-01, every 1 month, noleap");
    let some = firsts.iter().enumerate().filter(|(m, _)| *m != 13).map(|(_, d)| d);
    assert_eq!(
        axis("double", &attributes("noleap"), &list(some)),
        "2001-01-01 .. 2003-12-01, every 1 month, noleap, gap from 2002-01-01 to 2002-03-01"
    );
    let equal = axis("int", &attributes("360_day"), &list((0..24).map(|m| m * 30)));
    assert_eq!(equal, "2001-01-01 .. 2002-12-01, every 1 month, 360_day");
    let years = [0, 365, 730, 1095, 1461, 1826];
    let years = axis("int", &attributes("standard"), &list(years));
    assert_eq!(years, "2001-01-01 .. 2006-01-01, every 1 year, standard");
    // Thirty days are no month where months have other lengths.
    let thirty = axis("int", &attributes("standard"), &list((0..24).map(|m| m * 30)));
    assert_eq!(thirty, "2001-01-01 .. 2002-11-22, every 30 days, standard");
}

#[test]
fn numbers_packed_missing_and_out_of_order_are_told() {
    assert_eq!(
        axis("float", "t:units = \"degrees_east\" ;", &list((0..3600).map(|i| i as f32 * 0.1))),
        "0 .. 359.9 degrees_east, every 0.1"
    );
    assert_eq!(
        axis("short", "t:scale_factor = 0.5 ; t:units = \"m\" ;", "100, 90, 80"),
        "50 .. 40 m, every 5"
    );
    assert_eq!(axis("double", "", "1000, 850, 500, 100"), "1000 .. 100, uneven");
    assert_eq!(axis("int", "", "3, 1, 2, 3"), "1 .. 3, not in order");
    assert_eq!(axis("float", "t:_FillValue = -1.f ;", "-1, -1"), "all missing");
    assert_eq!(axis("float", "t:_FillValue = -1.f ;", "1, 2, -1, 4, 5"), "1 .. 5, every 1, 1 missing");
    assert_eq!(axis("double", "", "7"), "7");
    // Months of udunits, which are a twelfth of a mean year.
    let months = axis("double", "t:units = \"months since 2000-01-01\" ;", &list(0..24));
    assert!(months.ends_with(", every 30.43685 days"), "{months}");
    let unknown = "t:units = \"days since 2001-01-01\" ; t:calendar = \"lunar\" ;";
    assert_eq!(
        axis("int", unknown, "1, 2"),
        "1 .. 2 days since 2001-01-01, every 1, no dates in calendar 'lunar'"
    );
    assert_eq!(axis("string", "", "\"r1\", \"r2\""), "r1, r2");
    let many = list((1..=20).map(|i| format!("\"r{i}\"")));
    assert_eq!(axis("string", "", &many), "r1, r2, r3, ... r20");
}

#[test]
fn longitudes_go_on_at_the_end_of_the_circle() {
    let east = "t:units = \"degrees_east\" ;";
    assert_eq!(axis("float", east, "340, 350, 0, 10, 20"), "340 .. 20 degrees_east, every 10");
    let tenths = list((0..400).map(|i| (340.05 + f64::from(i) * 0.1) % 360.0));
    assert_eq!(axis("float", east, &tenths), "340.05 .. 19.95 degrees_east, every 0.1");
    assert_eq!(axis("double", east, "-170, -175, 180, 175"), "-170 .. 175 degrees_east, every 5");
    assert_eq!(axis("double", east, "350, 359, 0, 40"), "350 .. 40 degrees_east, uneven");
    assert_eq!(axis("double", east, "10, 350, 0, 340"), "0 .. 350 degrees_east, not in order");
    assert_eq!(
        axis("double", "t:units = \"degrees_north\" ;", "350, 0, 10"),
        "0 .. 350 degrees_north, not in order"
    );
    // Longitudes of stations are not those of the dimension, which are in order.
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: s = 4 ; variables: int s(s) ; float lon(s) ; lon:units = \"degrees_east\" ; float tas(s) ;
        tas:coordinates = \"lon\" ; data: s = 1, 2, 3, 4 ; lon = 10, 350, 30, 5 ;";
    make_from(folder.path(), "stations", body);
    assert_eq!(
        line(&shown(folder.path(), &["info", "stations.nc"]), "lon"),
        "5 .. 350 degrees_east, not in order"
    );
    let body = format!("dimensions: t = 3 ; variables: short t(t) ; {east} data: t = 350, 0, 10 ;");
    make_from(folder.path(), "a", &body);
    let json: Value = serde_json::from_str(&shown(folder.path(), &["info", "a.nc", "--json"])).unwrap();
    let range = &json["variables"][0]["range"];
    assert_eq!((&range["order"], &range["step"]["value"]), (&json!("ascending"), &json!(10.0)));
    assert_eq!((&range["first"], &range["last"], &range["min"]), (&json!(350.0), &json!(10.0), &json!(0.0)));
}

#[test]
fn auxiliary_coordinates_bounds_and_groups_have_their_lines() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: y = 2 ; x = 2 ; nv = 2 ; s = 4 ; variables: float lat(y, x) ; lat:units = \"degrees_north\" ;
        double height ; height:units = \"m\" ; char run(y, s) ; int y(y) ; y:bounds = \"edges\" ; int edges(y, nv) ;
        float tas(y, x) ; tas:units = \"K\" ; tas:long_name = \"temperature\" ; tas:coordinates = \"lat height run\" ;
        data: lat = 50, 51, -3, 2 ; height = 2 ; run = \"abc\", \"defg\" ; y = 1, 2 ;
        group: inner { dimensions: time = 2 ; variables: double time(time) ; time:units = \"days since 2001-01-01\" ;
        data: time = 30, 31 ; }";
    make_from(folder.path(), "a", body);
    let text = shown(folder.path(), &["info", "a.nc"]);
    assert_eq!(line(&text, "lat"), "-3 .. 51 degrees_north");
    assert_eq!(line(&text, "height"), "2 m");
    assert_eq!(line(&text, "run"), "abc, defg");
    assert_eq!(line(&text, "edges"), "bounds of y, 16 bytes");
    assert_eq!(line(&text, "tas"), "K, temperature, 16 bytes");
    assert_eq!(line(&text, "inner/time"), "2001-01-31 .. 2001-02-01, every 1 day");
    assert!(!text.contains("long_name"), "{text}");
    for words in [&["info", "a.nc", "--attributes"][..], &["info", "a.nc", "tas"]] {
        assert!(shown(folder.path(), words).contains("        long_name = \"temperature\"\n"), "{words:?}");
    }
}

#[test]
fn a_coordinate_that_cannot_be_read_leaves_the_others() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent"]);
    let absent =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cdl/absent.cdl"));
    // The aggregation variable v(x) becomes the coordinate x(x) of its dimension.
    let body =
        absent.unwrap().replace("double v ", "double x ").replace(" v:", " x:").replace("\"v\"", "\"x\"");
    std::fs::write(folder.path().join("b.cdl"), body).unwrap();
    let made =
        Command::new("ncgen").args(["-k", "nc4", "-o", "b.nc", "b.cdl"]).current_dir(folder.path()).status();
    assert!(made.unwrap().success());
    let text = shown(folder.path(), &["info", "b.nc"]);
    assert!(line(&text, "x").starts_with("not readable: "), "{text}");
    let json: Value = serde_json::from_str(&shown(folder.path(), &["info", "b.nc", "--json"])).unwrap();
    let range =
        json["variables"].as_array().unwrap().iter().find(|v| v["path"] == "/x").unwrap()["range"].clone();
    assert_eq!(range["error"], "fragment-missing", "{range}");
}

#[test]
fn json_has_the_same_and_all_digits() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: t = 4 ; s = 2 ; variables: int t(t) ; t:units = \"days since 2001-01-01 12:00\" ;
        float v(t) ; string s(s) ; data: t = 0, 1, 5, 6 ; s = \"r1\", \"r2\" ;";
    make_from(folder.path(), "a", body);
    let json: Value = serde_json::from_str(&shown(folder.path(), &["info", "a.nc", "--json"])).unwrap();
    let (t, v) = (&json["variables"][0], &json["variables"][1]);
    assert_eq!((&v["bytes"], v.get("range")), (&json!(16), None));
    assert_eq!(json["variables"][2]["range"]["words"], json!(["r1", "r2"]));
    assert_eq!(
        t["range"],
        json!({"count": 4, "missing": 0, "first": "2001-01-01 12:00:00", "last": "2001-01-07 12:00:00",
            "min": "2001-01-01 12:00:00", "max": "2001-01-07 12:00:00", "order": "ascending",
            "step": {"value": 86400.0, "unit": "seconds"}, "gap_count": 1,
            "gaps": [{"index": 1, "after": "2001-01-02 12:00:00", "before": "2001-01-06 12:00:00"}],
            "words": [], "units": "days since 2001-01-01 12:00", "calendar": "standard", "complete": true})
    );
}

#[test]
fn a_gap_between_two_blocks_is_found_and_a_long_axis_takes_no_memory_in_proportion() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.nc");
    let mut file = netcdf::create(&path).unwrap();
    file.add_dimension("t", 1_000_000).unwrap();
    let mut t = file.add_variable::<f64>("t", &["t"]).unwrap();
    t.put_attribute("units", "hours since 1850-01-01").unwrap();
    let values: Vec<f64> = (0..1_000_000).map(|i| f64::from(i + 24 * i32::from(i >= 1 << 16))).collect();
    t.put_values(&values, ..).unwrap();
    drop(file);
    let dataset = cfa::Dataset::open(&path).unwrap();
    let variable = dataset.variable("t").unwrap();
    let (range, peak) = crate::support::allocations::most_during(|| variable.range(1 << 23).unwrap());
    assert_eq!((range.gap_count, range.gaps[0].index), (1, (1 << 16) - 1));
    assert_eq!(range.step, Some(cfa::Step::Seconds(3600.0)));
    assert!(peak < 4_000_000, "{peak} bytes for 8 MB of values");
    let ends = variable.range(1000).unwrap();
    assert!(!ends.is_complete && ends.last == range.last && ends.gap_count == 0);
}
