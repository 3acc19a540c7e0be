//! Variables of one name that are not one: on several grids, and forecasts from several starts.

use std::path::{Path, PathBuf};

use cfa::create::{create, update, Options, Prune};
use cfa::internals::write::{write_file, Data, File, Format, Variable};
use cfa::{Dataset, Kind, Selection, Values};
use proptest::prelude::*;

use super::parts::*;

/// How files say that they are of another grid, or from another start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    /// By nothing but their coordinates.
    Coordinates,
    Attribute,
    /// By other dimensions; starts by a scalar coordinate.
    Names,
}

/// A part of one series on one grid from one start.
#[derive(Clone, Debug)]
struct Piece {
    grid: usize,
    start: usize,
    first: usize,
    size: usize,
    member: usize,
}

const LATITUDES: [&[f64]; 3] =
    [&[-60.0, 0.0, 60.0], &[-60.0, -20.0, 20.0, 60.0], &[-60.0, -30.0, 0.0, 30.0, 60.0]];
const NAMES: [&str; 3] = ["lat", "y", "cell"];
const LABELS: [&str; 3] = ["gn", "gr", "gr1"];

/// Days between times, and between starts.
const STEP: f64 = 50.0;
const NEXT: f64 = 100.0;

impl Piece {
    /// Values are told by series, time and place.
    fn values(&self) -> Vec<f32> {
        let base = (self.member * 100_000 + (self.grid * 10 + self.start) * 1000) as f32;
        let places = LATITUDES[self.grid].len();
        let all = (self.first * places)..((self.first + self.size) * places);
        all.map(|i| base + i as f32).collect()
    }

    fn write(&self, folder: &Path, grids: By, starts: By) -> PathBuf {
        let mut file = File::default();
        let name = if grids == By::Names { NAMES[self.grid] } else { "lat" };
        let lat = LATITUDES[self.grid];
        file.add_dimension("time", self.size as u64);
        file.add_dimension(name, lat.len() as u64);
        let start = self.start as f64 * NEXT;
        // Epochs count the same numbers; otherwise all files count from one day.
        let (shift, epoch) = match starts {
            By::Coordinates => (0.0, ["2001-01-01", "2001-04-11", "2001-07-20"][self.start]),
            _ => (start, "2001-01-01"),
        };
        let times = (self.first..self.first + self.size).map(|i| shift + STEP * i as f64).collect();
        let time = Variable::with_values("time", &["time"], Values::F64(times));
        file.variables.push(time.attribute("units", format!("days since {epoch}")));
        let lat = Variable::with_values(name, &[name], Values::F64(lat.to_vec()));
        let lat = match grids {
            By::Names => lat.attribute("long_name", "place"),
            _ => lat.attribute("units", "degrees_north").attribute("standard_name", "latitude"),
        };
        file.variables.push(lat);
        let mut tas = Variable::with_values("tas", &["time", name], Values::F32(self.values()));
        tas.attributes.set_text("standard_name", "air_temperature");
        if starts == By::Names {
            let reftime = Variable::with_values("reftime", &[], Values::F64(vec![start]))
                .attribute("units", "days since 2001-01-01")
                .attribute("standard_name", "forecast_reference_time");
            file.variables.push(reftime);
            tas.attributes.set_text("coordinates", "reftime");
        }
        file.variables.push(tas);
        if grids == By::Attribute {
            file.attributes.set_text("grid_label", LABELS[self.grid]);
        }
        if starts == By::Attribute {
            file.attributes.set_text("sub_experiment_id", format!("s{}", 2001 + self.start));
        }
        let path = folder.join(format!("g{}_s{}_{}.nc", self.grid, self.start, self.first));
        write_file(&file, &path, Format::Netcdf4).unwrap();
        path
    }
}

/// What the aggregation has of a variable: its values, the days of its times, and its places.
fn read(dataset: &Dataset, name: &str) -> (Vec<f32>, Vec<f64>, Vec<f64>) {
    let of = |name: &str| {
        let variable = dataset.variable(name).unwrap();
        let shape = variable.shape().unwrap().to_vec();
        variable.read_values(&Selection::all(&shape)).unwrap()
    };
    let Values::F32(values) = of(name) else { panic!("other values") };
    let paths = dataset.variable(name).unwrap().dimensions().unwrap().to_vec();
    let [time, place] = [0, 1].map(|d| dataset.dimension_path(paths[d]).trim_start_matches('/').to_owned());
    let (Values::F64(time_values), Values::F64(places)) = (of(&time), of(&place)) else { panic!("no axes") };
    let units = dataset.variable(&time).unwrap().attributes().text("units").unwrap();
    let epoch = ["2001-01-01", "2001-04-11", "2001-07-20"].iter().position(|day| units.ends_with(day));
    let epoch = epoch.unwrap() as f64 * NEXT;
    (values, time_values.into_iter().map(|t| t + epoch).collect(), places)
}

fn names(dataset: &Dataset) -> Vec<String> {
    let all = dataset.variables().into_iter().map(|v| v.name().to_owned());
    all.filter(|name| name.starts_with("tas")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_series_is_a_variable_of_its_own(
        grids in 1usize..4,
        starts in 1usize..4,
        sizes in prop::collection::vec(1usize..4, 2..4),
        by in (0usize..3, 0usize..3),
        shuffle in any::<u64>(),
        added in 0usize..6,
    ) {
        let kinds = [By::Coordinates, By::Attribute, By::Names];
        let (by_grid, by_start) = (kinds[by.0], kinds[by.1]);
        // Each start lies within the forecast before it.
        let sizes = [&[3], &sizes[..]].concat();
        let folder = tempfile::tempdir().unwrap();
        let mut paths = Vec::new();
        for grid in 0..grids {
            for start in 0..starts {
                let mut first = 0;
                for &size in &sizes {
                    paths.push(Piece { grid, start, first, size, member: 0 }.write(folder.path(), by_grid, by_start));
                    first += size;
                }
            }
        }
        let mut state = shuffle | 1;
        for i in (1..paths.len()).rev() {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            paths.swap(i, (state >> 33) as usize % (i + 1));
        }
        // Only an attribute tells starts apart if not all files are there.
        let added = if by_start == By::Attribute || starts == 1 { added.min(paths.len() - 1) } else { 0 };
        let (later, first) = paths.split_at(added);
        let out = folder.path().join("agg.nca");
        let mut options = Options::default();
        options.allow_gaps = true;
        create(&out, first, &options, None).unwrap();
        if added > 0 {
            update(&out, later, &options, None).unwrap();
        }
        let dataset = Dataset::open(&out).unwrap();
        let names = names(&dataset);
        prop_assert_eq!(names.len(), grids * starts, "{:?}", names);
        let mut seen = Vec::new();
        for name in &names {
            let (values, times, places) = read(&dataset, name);
            let series = (values[0] / 1000.0) as usize;
            let (grid, start) = (series / 10, series % 10);
            let total = sizes.iter().sum();
            let whole = Piece { grid, start, first: 0, size: total, member: 0 };
            prop_assert_eq!(values, whole.values());
            let expected: Vec<f64> = (0..total).map(|i| start as f64 * NEXT + STEP * i as f64).collect();
            prop_assert_eq!(times, expected);
            prop_assert_eq!(&places[..], LATITUDES[grid]);
            let text = |attribute| dataset.variable(name).unwrap().attributes().text(attribute);
            if by_grid == By::Attribute && grids > 1 {
                prop_assert_eq!(text("grid_label").unwrap(), LABELS[grid]);
            }
            if by_start == By::Attribute && starts > 1 {
                prop_assert_eq!(text("sub_experiment_id").unwrap(), format!("s{}", 2001 + start));
            }
            seen.push(series);
        }
        seen.sort_unstable();
        seen.dedup();
        prop_assert_eq!(seen.len(), names.len());
    }
}

#[test]
fn a_note_says_how_variables_were_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let piece = |grid, first| Piece { grid, start: 0, first, size: 3, member: 0 };
    let paths = [piece(0, 0), piece(1, 0), piece(0, 3), piece(1, 3)]
        .map(|piece| piece.write(folder.path(), By::Attribute, By::Attribute));
    let out = folder.path().join("agg.nca");
    let report = create(&out, &paths, &Options::default(), None).unwrap();
    let notes = report.notes.join("\n");
    for words in ["2 variables: tas (gn, ", "; tas_2 (gr, ", " and 1 more)"] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    assert!(!notes.contains("left out") && !notes.contains("different variables"), "{notes}");
    assert_eq!([&*report.variables[0].name, &*report.variables[1].name], ["tas", "tas_2"]);
    // The order of the files does not matter.
    let mut reversed = paths.clone();
    reversed.reverse();
    let out = folder.path().join("reversed.nca");
    let again = create(&out, &reversed, &Options::default(), None).unwrap();
    assert!(again.notes.join("\n").contains("2 variables: tas (gn, "), "{:?}", again.notes);
    // The name of a variable stays with its grid, whatever is added.
    let out = folder.path().join("other.nca");
    create(&out, &paths[..2], &Options::default(), None).unwrap();
    let report = update(&out, &paths[3..], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!([shape(&dataset, "tas"), shape(&dataset, "tas_2")], [[3, 3], [6, 4]]);
    assert!(!report.notes.join("\n").contains("left out"), "{:?}", report.notes);
}

#[test]
fn a_variable_keeps_its_name_and_its_grid_when_another_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let piece = |grid, first| Piece { grid, start: 0, first, size: 3, member: 0 };
    let paths = [piece(0, 0), piece(1, 0), piece(1, 3), piece(2, 0)]
        .map(|piece| piece.write(folder.path(), By::Attribute, By::Coordinates));
    let out = folder.path().join("agg.nca");
    create(&out, &paths[..2], &Options::default(), None).unwrap();
    std::fs::remove_file(&paths[0]).unwrap();
    let mut options = Options::default();
    options.prune = Prune::Files;
    // With the file that is there, which is scanned again, and with another of its grid.
    for files in [&paths[1..2], &paths[2..3]] {
        let report = update(&out, files, &options, None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(names(&dataset), ["tas_2"]);
        assert_eq!(dataset.variable("tas_2").unwrap().attributes().text("grid_label").unwrap(), "gr");
        assert!(!report.notes.join("\n").contains("left out"), "{:?}", report.notes);
    }
    update(&out, &paths[3..], &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(names(&dataset), ["tas_2", "tas"]);
    assert_eq!([shape(&dataset, "tas_2"), shape(&dataset, "tas")], [[6, 4], [3, 5]]);
}

#[test]
fn files_that_only_overlap_are_no_forecasts_and_no_grids() {
    // Hours of days, of which one is there twice in other units.
    let day = |name, units| Part { units, ..Part::new(name, &[0.0, 6.0, 12.0, 18.0]) };
    let parts = [
        day("a.nc", "hours since 2001-01-01"),
        day("b.nc", "hours since 2001-01-02"),
        day("c.nc", "hours since 2001-01-02 00:00:00"),
    ];
    refused(&parts, Kind::Map, &["b.nc", "c.nc", "same coordinates"]);
    let parts = [
        day("a.nc", "hours since 2001-01-01"),
        day("b.nc", "hours since 2001-01-02"),
        day("c.nc", "hours since 2001-01-02 12:00:00"),
    ];
    refused(&parts, Kind::Map, &["b.nc", "c.nc", "overlap"]);
    // Tiles that share a row.
    let tile = |name, lat: &[f64]| Part { lat: lat.to_vec(), ..Part::new(name, &[0.0]) };
    refused(
        &[tile("a.nc", &[-10.0, 0.0, 10.0]), tile("b.nc", &[10.0, 20.0])],
        Kind::Map,
        &["a.nc", "b.nc", "overlap"],
    );
    // A grid that has a fault of its own says so.
    let parts = [
        tile("a.nc", &[-10.0, 0.0, 10.0]),
        tile("b.nc", &[-10.0, 10.0]),
        Part { base: 5.0, ..tile("c.nc", &[-10.0, 10.0]) },
    ];
    refused(
        &parts,
        Kind::Map,
        &["b.nc", "c.nc", "same coordinates", "differ in their horizontal coordinates"],
    );
    // An equator at 1e-9 is no other grid.
    let parts =
        [tile("a.nc", &[-10.0, 0.0, 10.0]), Part { time: vec![1.0], ..tile("b.nc", &[-10.0, 1e-9, 10.0]) }];
    let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
    assert_eq!(shape(&dataset, "tas"), [2, 3]);
}

#[test]
fn members_of_an_ensemble_are_no_forecasts_but_a_dimension_to_be_named() {
    let member = |name, edit| Part { edit, ..Part::new(name, &[0.0, 1.0]) };
    let parts = [
        member("a.nc", |f| f.attributes.set_text("variant_label", "r1i1p1f1")),
        member("b.nc", |f| {
            f.attributes.set_text("variant_label", "r2i1p1f1");
            data(f).attributes.set_text("comment", "other");
            data(f).data = Data::Values(Values::F32(vec![7.0; 6]));
        }),
    ];
    refused(&parts, Kind::Map, &["same coordinates", "--new-dim variant_label=attribute:variant_label"]);
}

#[test]
fn starts_and_members_are_variables_with_a_dimension() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for member in [1, 2] {
        let below = folder.path().join(format!("r{member}"));
        std::fs::create_dir(&below).unwrap();
        for start in 0..2 {
            let piece = Piece { grid: 0, start, first: 0, size: 4, member };
            paths.push(piece.write(&below, By::Coordinates, By::Attribute));
        }
    }
    let out = folder.path().join("agg.nca");
    let mut options = Options::default();
    options.new_dimension = Some("member=path".into());
    create(&out, &paths, &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(names(&dataset), ["tas", "tas_2"]);
    assert_eq!([shape(&dataset, "tas"), shape(&dataset, "tas_2")], [[2, 4, 3], [2, 4, 3]]);
    for name in ["tas", "tas_2"] {
        assert!(dataset.variable(name).unwrap().attributes().text("sub_experiment_id").is_some(), "{name}");
    }
}

#[test]
fn starts_that_are_to_be_a_dimension_are_no_variables_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [0, 1].map(|start| {
        let piece = Piece { grid: 0, start, first: 0, size: 4, member: 0 };
        piece.write(folder.path(), By::Coordinates, By::Attribute)
    });
    let mut options = Options::default();
    options.new_dimension = Some("start=attribute:sub_experiment_id".into());
    let error = create(&folder.path().join("agg.nca"), &paths, &options, None).unwrap_err();
    assert!(error.kind() == Kind::Map && error.to_string().contains("'time' overlaps"), "{error}");
}

#[test]
fn a_forecast_period_makes_a_dimension_of_starts() {
    fn forecast(file: &mut File) {
        let Data::Values(Values::F64(time)) = file.variables[0].data.clone() else { panic!("no times") };
        let units = file.variables[0].attributes.text("units").unwrap();
        file.variables.remove(0);
        file.dimensions[0].name = "leadtime".into();
        let lead = Values::F64(time.iter().map(|t| t - time[0]).collect());
        file.variables.push(
            Variable::with_values("leadtime", &["leadtime"], lead)
                .attribute("standard_name", "forecast_period")
                .attribute("units", "days"),
        );
        let valid = Variable::with_values("time", &["leadtime"], Values::F64(time.clone()));
        file.variables.push(valid.attribute("units", &*units));
        data(file).dimensions[0] = "leadtime".into();
        scalar(file, "reftime", Values::F64(vec![time[0]]), &units);
        data(file).attributes.set_text("coordinates", "reftime time");
    }
    let part =
        |name, first: f64| Part { edit: forecast, ..Part::new(name, &[first, first + 1.0, first + 2.0]) };
    let (_folder, dataset) = made(&[part("a.nc", 0.0), part("b.nc", 1.0)], &Options::default()).unwrap();
    assert_eq!(shape(&dataset, "tas"), [2, 3, 3]);
    assert_eq!(values(&dataset, "reftime"), Values::F64(vec![0.0, 1.0]));
    assert_eq!(values(&dataset, "time"), Values::F64(vec![0.0, 1.0, 2.0, 1.0, 2.0, 3.0]));
}
