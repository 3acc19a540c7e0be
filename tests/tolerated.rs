//! Odd files that are read nevertheless, with a warning that reaches the user.

use std::path::{Path, PathBuf};

use crate::support::program::cfa;
use crate::support::{all, write, Data, FileSpec, Format, Var};
use cfa::{DataType, Dataset, Kind, Values};

fn texts(list: &[&str]) -> Data {
    Data::Texts(list.iter().map(|t| t.to_string()).collect())
}

/// Two fragments of `time`, one number each, in these units and calendar, and their aggregation in those of the first.
fn times(folder: &Path, units: [&str; 2], calendar: &str, own: &[(&str, usize)]) -> PathBuf {
    for (name, (units, number)) in ["a.nc", "b.nc"].iter().zip(units.iter().zip([1.0, 0.5])) {
        let time = Var::new("time", DataType::F64, &[("time", 1)], Data::Numbers(vec![number]))
            .with("units", *units)
            .with("calendar", calendar);
        write(&folder.join(name), &FileSpec { format: Format::Cdf1, dims: vec![], vars: vec![time] });
    }
    let vars = vec![
        Var::new("time", DataType::F64, own, Data::None)
            .with("units", units[0])
            .with("calendar", calendar)
            .with("aggregated_dimensions", "time")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", DataType::I32, &[("one", 1), ("f", 2)], Data::Numbers(vec![1.0, 1.0])),
        Var::new("u", DataType::String, &[("f", 2)], texts(&["a.nc", "b.nc"])),
        Var::new("i", DataType::String, &[], texts(&["time"])),
    ];
    let path = folder.join("agg.nc");
    write(&path, &FileSpec { format: Format::Nc4, dims: vec![("time".into(), 2)], vars });
    path
}

#[test]
fn whoever_reads_an_aggregation_variable_with_dimensions_of_its_own_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let days = "days since 2000-01-01";
    let path = times(folder.path(), [days, "days since 2000-01-02"], "standard", &[("time", 2)]);
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!(all(&dataset, "time").unwrap(), Values::F64(vec![1.0, 1.5]));
    let told = |text: &str| text.matches("an aggregation variable should be scalar").count();
    assert_eq!(dataset.warnings().iter().filter(|w| told(w) == 1).count(), 1, "{:?}", dataset.warnings());
    for words in [
        &["read", "agg.nc", "time"][..],
        &["read", "agg.nc", "time", "--csv"],
        &["read", "agg.nc", "time", "--json"],
        &["read", "agg.nc", "time", "--raw"],
        &["extract", "agg.nc", "plain.nc"],
        &["convert", "agg.nc", "other.nc", "--dialect", "cfa-0.6.2"],
    ] {
        let output = cfa(folder.path(), words);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{words:?}: {said}");
        assert_eq!(told(&said), 1, "{words:?}: {said}");
        assert_eq!(told(&String::from_utf8_lossy(&output.stdout)), 0, "{words:?}");
    }
    assert_eq!(told(&String::from_utf8_lossy(&cfa(folder.path(), &["info", "agg.nc"]).stdout)), 1);
    let check = cfa(folder.path(), &["check", "agg.nc"]);
    assert!(String::from_utf8_lossy(&check.stdout).contains("it has 1 dimensions of its own"));
}

#[test]
fn utc_and_tai_are_converted_with_a_warning() {
    for calendar in ["utc", "tai"] {
        let folder = tempfile::tempdir().unwrap();
        let units = ["hours since 2016-12-31 12:00 UTC", "days since 2017-01-01Z"];
        let path = times(folder.path(), units, calendar, &[]);
        let dataset = Dataset::open(&path).unwrap();
        assert_eq!(all(&dataset, "time").unwrap(), Values::F64(vec![1.0, 24.0]));
        let warnings = dataset.warnings();
        assert!(warnings.len() == 1 && warnings[0].contains("leap seconds are not counted"), "{warnings:?}");
        let table = cfa(folder.path(), &["read", "agg.nc", "time"]);
        assert!(String::from_utf8_lossy(&table.stdout).contains("2017-01-01 12:00:00"), "{table:?}");
        let check = cfa(folder.path(), &["check", "agg.nc", "--fragments"]);
        let said = String::from_utf8_lossy(&check.stdout).into_owned();
        assert!(said.contains("leap seconds are not counted") && check.status.success(), "{said}");
        // Dates are also shown for times that were not converted.
        let plain = cfa(folder.path(), &["read", "a.nc", "time"]);
        let said = String::from_utf8_lossy(&plain.stderr).into_owned();
        assert!(said.contains("leap seconds are not counted"), "{said}");
    }
}

#[test]
fn making_an_aggregation_of_utc_times_tells_what_is_not_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (units, calendar, told) in [
        (["days since 2016-12-31", "days since 2017-01-01"], "utc", true),
        (["days since 2016-12-31", "days since 2017-01-01"], "standard", false),
        (["days since 2016-12-31 UTC", "days since 2016-12-31 UTC"], "tai", false),
    ] {
        for (name, (units, number)) in ["a.nc", "b.nc"].iter().zip(units.iter().zip([0.5, 1.5])) {
            let of = |name: &str| Var::new(name, DataType::F64, &[("time", 1)], Data::Numbers(vec![number]));
            let time = of("time").with("units", *units).with("calendar", calendar);
            let vars = vec![time, of("v")];
            write(&folder.path().join(name), &FileSpec { format: Format::Cdf1, dims: vec![], vars });
        }
        let made =
            cfa(folder.path(), &["create", &format!("made_{calendar}.nc"), "a.nc", "b.nc", "--allow-gaps"]);
        let said = String::from_utf8_lossy(&made.stdout).into_owned();
        assert!(made.status.success(), "{made:?}");
        assert_eq!(said.contains("leap seconds are not counted"), told, "{calendar}: {said}");
    }
}

#[test]
fn times_without_calendar_are_taken_as_they_are_from_equal_moments() {
    let folder = tempfile::tempdir().unwrap();
    let units = ["days since 2000-02-30", "hours since 2000-2-30 00:00 UTC"];
    let path = times(folder.path(), units, "none", &[]);
    let dataset = Dataset::open(&path).unwrap();
    assert_eq!(all(&dataset, "time").unwrap(), Values::F64(vec![1.0, 0.5 / 24.0]));
    assert!(dataset.warnings().is_empty(), "{:?}", dataset.warnings());
    let folder = tempfile::tempdir().unwrap();
    let path = times(folder.path(), ["days since 2000-02-30", "days since 2000-03-01"], "none", &[]);
    let error = all(&Dataset::open(&path).unwrap(), "time").unwrap_err();
    assert_eq!((error.kind(), error.fragment()), (Kind::Calendar, Some([1].as_slice())));
    assert!(error.to_string().contains("b.nc") && error.to_string().contains("'none'"), "{error}");
}

#[test]
fn years_beyond_9999_are_read_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let units = ["days since 12345-01-01", "days since 12346-01-01 06:00:00Z"];
    let path = times(folder.path(), units, "365_day", &[]);
    assert_eq!(all(&Dataset::open(&path).unwrap(), "time").unwrap(), Values::F64(vec![1.0, 365.75]));
    let table = cfa(folder.path(), &["read", "agg.nc", "time"]);
    assert!(String::from_utf8_lossy(&table.stdout).contains("12346-01-01 18:00:00"), "{table:?}");
}
