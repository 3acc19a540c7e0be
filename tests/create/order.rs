//! All gaps, overlaps and repetitions are reported, with dates and with the files on either side.

use std::path::PathBuf;

use cfa::create::{create, plan, Options};
use cfa::internals::write::{Data, File, Variable};
use cfa::{Kind, Values};

use super::parts::*;

const NAMES: [&str; 14] = [
    "a.nc", "b.nc", "c.nc", "d.nc", "e.nc", "f.nc", "g.nc", "h.nc", "i.nc", "j.nc", "k.nc", "l.nc", "m.nc",
    "n.nc",
];

/// Files that begin on these days of January 2001 and have so many days.
fn days(list: &[(f64, usize)], bounds: bool) -> Vec<Part> {
    let part = |(&(first, n), name): (&(f64, usize), &&'static str)| {
        let time: Vec<f64> = (0..n).map(|i| first + i as f64).collect();
        Part { bounds, ..Part::new(name, &time) }
    };
    list.iter().zip(&NAMES).map(part).collect()
}

/// The message, without folders.
fn message(parts: &[Part]) -> String {
    let (kind, message) = problem(parts, &Options::default());
    assert_eq!(kind, Kind::Map, "{message}");
    without_folders(&message)
}

#[track_caller]
fn has(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "{word}: {text}");
    }
}

#[test]
fn every_gap_is_told_in_dates_with_the_files_on_both_sides() {
    let bounded = message(&days(&[(0.0, 2), (4.0, 1), (5.0, 1), (8.0, 2)], true));
    has(
        &bounded,
        &[
            "'time' has 2 gaps",
            "from 2001-01-02 12:00:00 to 2001-01-04 12:00:00 between a.nc and b.nc",
            "from 2001-01-06 12:00:00 to 2001-01-08 12:00:00 between c.nc and d.nc",
            "--allow-gaps",
        ],
    );
    let points = message(&days(&[(0.0, 3), (5.0, 3), (8.0, 2), (12.0, 4)], false));
    has(
        &points,
        &[
            "'time' has 2 gaps",
            "from 2001-01-03 00:00:00 to 2001-01-06 00:00:00 between a.nc and b.nc",
            "from 2001-01-10 00:00:00 to 2001-01-13 00:00:00 between c.nc and d.nc",
        ],
    );
    let one = message(&days(&[(0.0, 2), (4.0, 1)], true));
    has(&one, &["'time' has a gap from 2001-01-02 12:00:00 to 2001-01-04 12:00:00 between a.nc and b.nc"]);
}

#[test]
fn three_days_without_bounds_tell_a_gap_and_three_moments_do_not() {
    let text = message(&days(&[(0.0, 1), (1.0, 1), (8.0, 1)], false));
    has(&text, &["'time' has a gap from 2001-01-02 00:00:00 to 2001-01-09 00:00:00 between b.nc and c.nc"]);
    let mut parts = days(&[(0.0, 1), (0.0, 1), (9.0, 1)], false);
    parts[1].units = "hours since 2001-01-02";
    parts[2].units = "days since 2000-12-31";
    has(&message(&parts), &["from 2001-01-02 00:00:00 to 2001-01-09 00:00:00 between b.nc and c.nc"]);
    made(&days(&[(0.0, 1), (1.0, 1), (2.7, 1)], false), &Options::default()).unwrap();
    // The first of January, February and April.
    has(&message(&days(&[(0.0, 1), (31.0, 1), (90.0, 1)], false)), &["from 2001-02-01", "to 2001-04-01"]);
    made(&days(&[(0.0, 1), (31.0, 1), (59.0, 1), (90.0, 1)], false), &Options::default()).unwrap();
}

#[test]
fn many_gaps_are_counted() {
    let list: Vec<(f64, usize)> = (0..14).map(|i| (f64::from(i) * 2.0, 1)).collect();
    let text = message(&days(&list, true));
    has(&text, &["'time' has 13 gaps", "between a.nc and b.nc", "between j.nc and k.nc; and 3 more"]);
    assert!(!text.contains("between k.nc and l.nc"), "{text}");
}

#[test]
fn gaps_that_are_allowed_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let parts = days(&[(0.0, 2), (4.0, 1), (5.0, 1), (8.0, 2)], true);
    let paths: Vec<PathBuf> = parts.iter().map(|p| p.write(folder.path())).collect();
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.allow_gaps = true;
    for report in [plan(&out, &paths, &options, None).unwrap(), create(&out, &paths, &options, None).unwrap()]
    {
        let notes: Vec<&String> = report.notes.iter().filter(|n| n.contains("gaps")).collect();
        assert_eq!(notes.len(), 1, "{:?}", report.notes);
        has(notes[0], &["2001-01-04 12:00:00", "b.nc", "2001-01-06 12:00:00", "d.nc"]);
        assert!(!notes[0].contains("--allow-gaps"));
    }
    let whole = [0, 1].map(|i| days(&[(f64::from(i) * 2.0, 2)], true).remove(0).write(folder.path()));
    let report = create(&out, &whole[..1], &options, None).unwrap();
    assert!(!report.notes.iter().any(|n| n.contains("gap")), "{:?}", report.notes);
}

#[test]
fn every_overlap_is_told_in_dates() {
    let chain = message(&days(&[(0.0, 3), (2.0, 3), (4.0, 3)], false));
    has(
        &chain,
        &[
            "'time' overlaps",
            "a.nc (2001-01-01 00:00:00 to 2001-01-03 00:00:00) and b.nc (2001-01-03 00:00:00 to 2001-01-05 00:00:00)",
            "b.nc (2001-01-03 00:00:00 to 2001-01-05 00:00:00) and c.nc (2001-01-05 00:00:00 to 2001-01-07 00:00:00)",
        ],
    );
    // Parts within a longer one are not its neighbours.
    let long = message(&days(&[(0.0, 9), (2.0, 1), (5.0, 2)], false));
    has(&long, &["a.nc (2001-01-01 00:00:00 to 2001-01-09 00:00:00) and b.nc (2001-01-03 00:00:00)"]);
    has(&long, &["and c.nc (2001-01-06 00:00:00 to 2001-01-07 00:00:00)"]);
    let all: Vec<Part> = days(&[(0.0, 30)], false).into_iter().chain(inner()).collect();
    has(&message(&all), &["and 2 more"]);
}

/// Twelve days within January, in files of their own.
fn inner() -> Vec<Part> {
    let one = |i: usize| Part::new(NAMES[i], &[i as f64 * 2.0 + 0.5]);
    (1..13).map(one).collect()
}

#[test]
fn every_repetition_is_told_in_dates() {
    let mut parts = days(&[(0.0, 2), (0.0, 2), (2.0, 1), (3.0, 1), (3.0, 1), (3.0, 1)], false);
    parts.iter_mut().enumerate().for_each(|(i, part)| part.base = i as f64);
    let text = message(&parts);
    has(
        &text,
        &[
            "a.nc and b.nc (time 2001-01-01 00:00:00 to 2001-01-02 00:00:00)",
            "d.nc and e.nc and f.nc (time 2001-01-04 00:00:00)",
            "--new-dim",
        ],
    );
    assert!(!text.contains("c.nc"), "{text}");
    let other = Part { units: "hours since 2000-12-31", base: 9.0, ..Part::new("z.nc", &[24.0, 48.0]) };
    let text = message(&[Part::new("a.nc", &[0.0, 1.0]), other]);
    has(&text, &["a.nc and z.nc (time 2001-01-01 00:00:00 to 2001-01-02 00:00:00)"]);
}

#[test]
fn every_place_that_no_file_fills_is_told() {
    let tile = |name, time: f64, lat: f64| Part { lat: vec![lat], ..Part::new(name, &[time]) };
    let parts = [
        tile("a.nc", 0.0, 0.0),
        tile("b.nc", 1.0, 10.0),
        tile("c.nc", 2.0, 20.0),
        tile("d.nc", 0.0, 10.0),
        tile("e.nc", 1.0, 20.0),
    ];
    let text = message(&parts);
    has(
        &text,
        &[
            "no file has time 0 (2001-01-01 00:00:00), lat 20",
            "time 1 (2001-01-02 00:00:00), lat 0",
            "time 2 (2001-01-03 00:00:00), lat 0",
            "time 2 (2001-01-03 00:00:00), lat 10",
            "5 of 9 parts",
        ],
    );
}

#[test]
fn labels_that_come_twice_are_told_wherever_they_are() {
    fn named(file: &mut File, words: &[&str]) {
        file.dimensions.retain(|d| d.name != "time");
        file.add_dimension("time", words.len() as u64);
        file.variables.retain(|v| v.name != "time");
        let values = Values::String(words.iter().map(|w| (*w).to_owned()).collect());
        file.variables.push(Variable::with_values("time", &["time"], values));
    }
    let edits: [fn(&mut File); 3] = [
        |f| named(f, &["Oslo", "Rome"]),
        |f| named(f, &["Paris", "Riga"]),
        |f| named(f, &["Vilnius", "Rome"]),
    ];
    let parts = [0, 1, 2].map(|i| Part { edit: edits[i], ..Part::new(NAMES[i], &[0.0, 1.0]) });
    has(&message(&parts), &["a.nc and c.nc both have 'Rome'"]);
}

#[test]
fn times_that_differ_by_the_rounding_of_another_epoch_are_the_same() {
    // A third of a day, counted from centuries before in hours.
    let far = Part { units: "hours since 1600-01-01", ..Part::new("b.nc", &[146_463.0 * 24.0 + 8.0]) };
    let far = Part { lat: vec![20.0, 30.0], ..far };
    let near = Part::new("a.nc", &[1.0 / 3.0]);
    let (_folder, dataset) = made(&[near, far], &Options::default()).unwrap();
    assert_eq!(shape(&dataset, "tas"), [1, 5]);
    let last = Part {
        units: "hours since 1600-01-01",
        ..Part::new("b.nc", &[146_463.0 * 24.0 + 8.0, 146_465.0 * 24.0])
    };
    has(&message(&[Part::new("a.nc", &[-1.0 + 1.0 / 3.0, 1.0 / 3.0]), last]), &["overlaps"]);
}

#[test]
fn missing_coordinates_cannot_be_put_in_order() {
    let gone: fn(&mut File) = |f| {
        let time = f.variables.iter_mut().find(|v| v.name == "time").unwrap();
        time.attributes.set("_FillValue", Values::F64(vec![-1.0]));
        time.data = Data::Values(Values::F64(vec![-1.0]));
    };
    let parts = [Part::new("a.nc", &[0.0]), Part { edit: gone, ..Part::new("b.nc", &[1.0]) }];
    has(&message(&parts), &["coordinate 'time'", "missing values in b.nc"]);
}
