//! The same data, with any epoch and unit in each file, yield the same aggregation.

use std::path::{Path, PathBuf};

use cfa::check::{check, Options as CheckOptions};
use cfa::create::{create, update, Options};
use cfa::internals::canonical::{Calendar, TimeUnits};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{Dataset, Selection, Values};
use proptest::prelude::*;

/// How the times of one file are written.
#[derive(Clone, Debug)]
struct Encoding {
    unit: usize,
    year: i64,
    month: u8,
    day: u8,
    hour: u8,
    cells: Cells,
    /// Whether times and cells are stored as integers, each with a scale and an offset.
    packed: bool,
}

/// What the bounds of one file say of their units.
#[derive(Clone, Copy, Debug)]
enum Cells {
    Nothing,
    Units,
    UnitsAndCalendar,
    /// Others than those of the times.
    OwnUnits,
}

const UNITS: [(&str, f64); 4] = [("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0)];

const CALENDARS: [Option<&str>; 9] = [
    None,
    Some("standard"),
    Some("proleptic_gregorian"),
    Some("noleap"),
    Some("all_leap"),
    Some("360_day"),
    Some("julian"),
    Some("utc"),
    Some("tai"),
];

fn encoding() -> impl Strategy<Value = Encoding> {
    let cells = prop::sample::select(vec![
        Cells::Nothing,
        Cells::Nothing,
        Cells::Units,
        Cells::UnitsAndCalendar,
        Cells::OwnUnits,
    ]);
    (0usize..4, 1600i64..2100, 1u8..13, 1u8..29, 0u8..24, cells, any::<bool>()).prop_map(
        |(unit, year, month, day, hour, cells, packed)| Encoding {
            unit,
            year,
            month,
            day,
            hour,
            cells,
            packed,
        },
    )
}

impl Encoding {
    const PLAIN: Encoding =
        Encoding { unit: 0, year: 2000, month: 1, day: 1, hour: 0, cells: Cells::Nothing, packed: false };

    fn text(&self) -> String {
        let Encoding { year, month, day, hour, .. } = self;
        format!("{} since {year:04}-{month:02}-{day:02} {hour:02}:00:00", UNITS[self.unit].0)
    }

    /// A variable of seconds of the calendar, in these units.
    fn write(&self, name: &str, dimensions: &[&str], calendar: Calendar, seconds: &[f64]) -> Variable {
        let epoch = calendar.day_number(self.year, self.month, self.day).unwrap() as f64 * 86_400.0;
        let epoch = epoch + f64::from(self.hour) * 3600.0;
        let length = UNITS[self.unit].1;
        if !self.packed {
            let numbers = seconds.iter().map(|s| (s - epoch) / length).collect();
            return Variable::with_values(name, dimensions, Values::F64(numbers));
        }
        // The middles of cells of whole minutes are half minutes.
        let (offset, step) = (seconds[0] + 600.0, 30.0);
        let numbers = seconds.iter().map(|s| ((s - offset) / step).round() as i32).collect();
        let mut variable = Variable::with_values(name, dimensions, Values::I32(numbers));
        variable.attributes.set("scale_factor", Values::F64(vec![step / length]));
        variable.attributes.set("add_offset", Values::F64(vec![(offset - epoch) / length]));
        variable
    }
}

/// The data, before they are written.
#[derive(Clone, Debug)]
struct Truth {
    calendar: Option<&'static str>,
    /// The lengths of the cells in minutes.
    minutes: Vec<u32>,
    /// The sizes of the files along time.
    sizes: Vec<usize>,
    /// How many files lie beside each other.
    tiles: usize,
    descending: bool,
    /// Whether files have a time each, without dimension.
    scalar: bool,
    naming: &'static str,
}

fn truth() -> impl Strategy<Value = Truth> {
    let sizes = prop::collection::vec(1usize..4, 1..4);
    let lengths = prop::collection::vec(1u32..50_000, 12);
    let naming = prop::sample::select(vec!["bounds", "climatology"]);
    (0usize..CALENDARS.len(), lengths, sizes, 1usize..3, any::<bool>(), any::<bool>(), naming).prop_map(
        |(calendar, minutes, sizes, tiles, down, scalar, naming)| {
            let sizes = if scalar { vec![1; sizes.len()] } else { sizes };
            // Single times have no direction, so they are put in ascending order.
            let descending = down && sizes.iter().any(|&n| n > 1);
            Truth { calendar: CALENDARS[calendar], minutes, sizes, tiles, descending, scalar, naming }
        },
    )
}

impl Truth {
    fn calendar(&self) -> Calendar {
        Calendar::named(self.calendar.unwrap_or("standard")).unwrap()
    }

    /// The cells along time, in seconds of the calendar.
    fn cells(&self) -> Vec<[f64; 2]> {
        let mut at = self.calendar().day_number(2000, 2, 25).unwrap() as f64 * 86_400.0;
        let cell = |&minutes: &u32| {
            let begin = at;
            at += f64::from(minutes) * 60.0;
            [begin, at]
        };
        let mut cells: Vec<[f64; 2]> = self.minutes[..self.sizes.iter().sum()].iter().map(cell).collect();
        if self.descending {
            cells.reverse();
        }
        cells
    }

    fn write(&self, folder: &Path, encodings: &[Encoding]) -> Vec<PathBuf> {
        std::fs::create_dir(folder).unwrap();
        let mut paths = Vec::new();
        let mut first = 0;
        for (i, &size) in self.sizes.iter().enumerate() {
            for tile in 0..self.tiles {
                let number = i * self.tiles + tile;
                let path = folder.join(format!("f{number}.nc"));
                self.write_part(&path, first..first + size, tile, &encodings[number % encodings.len()]);
                paths.push(path);
            }
            first += size;
        }
        paths
    }

    fn write_part(&self, path: &Path, range: std::ops::Range<usize>, tile: usize, encoding: &Encoding) {
        let cells = &self.cells()[range.clone()];
        let middles: Vec<f64> = cells.iter().map(|[a, b]| (a + b) / 2.0).collect();
        let mut file = File::default();
        let along: &[&str] = if self.scalar { &[] } else { &["time"] };
        if !self.scalar {
            file.add_dimension("time", cells.len() as u64);
        }
        file.add_dimension("lat", 2);
        file.add_dimension("nv", 2);
        let calendar = self.calendar();
        let mut time = encoding
            .write("time", along, calendar, &middles)
            .attribute("units", encoding.text())
            .attribute(self.naming, "time_bnds");
        if let Some(name) = self.calendar {
            time.attributes.set_text("calendar", name);
        }
        file.variables.push(time);
        let own = match encoding.cells {
            Cells::OwnUnits => {
                Encoding { unit: (encoding.unit + 1) % 4, year: encoding.year + 1, ..encoding.clone() }
            }
            _ => encoding.clone(),
        };
        let edges: Vec<f64> = cells.iter().flatten().copied().collect();
        let dimensions = [along, &["nv"]].concat();
        let mut bounds = own.write("time_bnds", &dimensions, calendar, &edges);
        if !matches!(own.cells, Cells::Nothing) {
            bounds.attributes.set_text("units", own.text());
        }
        if let (Cells::UnitsAndCalendar, Some(name)) = (own.cells, self.calendar) {
            bounds.attributes.set_text("calendar", name);
        }
        file.variables.push(bounds);
        let lat = Values::F64([0.0, 10.0].map(|y| y + 20.0 * tile as f64).to_vec());
        file.variables.push(Variable::with_values("lat", &["lat"], lat).attribute("units", "degrees_north"));
        let values = range.flat_map(|t| [0, 1].map(|y| (t * 10 + tile * 2 + y) as f32)).collect();
        let dimensions = [along, &["lat"]].concat();
        let mut tas = Variable::with_values("tas", &dimensions, Values::F32(values)).attribute("units", "K");
        if self.scalar {
            tas.attributes.set_text("coordinates", "time");
        }
        file.variables.push(tas);
        write_file(&file, path, Format::Netcdf4).unwrap();
    }
}

/// What an aggregation holds, with times in seconds of the calendar.
#[derive(Debug)]
struct Read {
    fragments: Vec<u64>,
    tas: Values,
    time: Vec<f64>,
    cells: Vec<f64>,
    lat: Values,
    shapes: Vec<Vec<u64>>,
}

fn read(out: &Path, calendar: Calendar) -> Read {
    let report = check(out, &CheckOptions { fragments: true, ..CheckOptions::default() }).unwrap();
    let is_known = |message: &str| message.contains("leap seconds are not counted");
    assert!(report.findings.iter().all(|f| is_known(&f.message)), "{:?}", report.findings);
    let dataset = Dataset::open(out).unwrap();
    let variable = |name: &str| dataset.variable(name).unwrap();
    let values = |name: &str| {
        let shape = variable(name).shape().unwrap().to_vec();
        variable(name).read_values(&Selection::all(&shape)).unwrap()
    };
    // Bounds in other units than their times would be misread by many.
    let time = variable("time");
    let units = time.attributes().text("units").unwrap();
    assert!(variable("time_bnds").attributes().text("units").is_none_or(|own| own == units));
    let units = TimeUnits::parse(&units, time.attributes().text("calendar").as_deref()).unwrap();
    let seconds = |name: &str| -> Vec<f64> {
        let values = values(name);
        let second = |i: usize| {
            let date = units.decode(values.f64_at(i).unwrap()).unwrap();
            let day = calendar.day_number(date.year, date.month, date.day).unwrap() as f64;
            let clock =
                f64::from(date.hour) * 3600.0 + f64::from(date.minute) * 60.0 + f64::from(date.second);
            day * 86_400.0 + clock + f64::from(date.microsecond) / 1e6
        };
        (0..values.len()).map(second).collect()
    };
    let grid = variable("tas").aggregation().unwrap().map(|a| a.grid.fragments().to_vec());
    Read {
        fragments: grid.unwrap_or_default(),
        tas: values("tas"),
        time: seconds("time"),
        cells: seconds("time_bnds"),
        lat: values("lat"),
        shapes: ["tas", "time", "time_bnds"].iter().map(|n| variable(n).shape().unwrap().to_vec()).collect(),
    }
}

fn close(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() < 1e-3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn epochs_and_units_of_the_files_do_not_matter(
        truth in truth(),
        encodings in prop::collection::vec(encoding(), 1..6),
        shuffle in any::<u64>(),
        as_fragments in any::<bool>(),
        added in 0usize..3,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let plain = truth.write(&folder.path().join("plain"), &[Encoding::PLAIN]);
        let mut other = truth.write(&folder.path().join("other"), &encodings);
        let mut state = shuffle | 1;
        for i in (1..other.len()).rev() {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            other.swap(i, (state >> 33) as usize % (i + 1));
        }
        let mut options = Options::default();
        let (one, two) = (folder.path().join("one.nc"), folder.path().join("two.nc"));
        create(&one, &plain, &options, None).unwrap();
        options.aggregate_coordinates = as_fragments;
        // Files with the last times are added later, so that no place stays empty.
        let added = if as_fragments || truth.scalar { 0 } else { added.min(truth.sizes.len() - 1) * truth.tiles };
        let last = |path: &PathBuf| {
            let name = path.file_stem().unwrap().to_str().unwrap();
            name[1..].parse::<usize>().unwrap() >= truth.sizes.len() * truth.tiles - added
        };
        let (later, first): (Vec<PathBuf>, Vec<PathBuf>) = other.into_iter().partition(last);
        create(&two, &first, &options, None).unwrap();
        if !later.is_empty() {
            update(&two, &later, &options, None).unwrap();
        }
        let calendar = truth.calendar();
        let (one, two) = (read(&one, calendar), read(&two, calendar));
        prop_assert_eq!(&one.shapes, &two.shapes);
        prop_assert_eq!(&one.fragments, &two.fragments);
        prop_assert_eq!(two.fragments.iter().product::<u64>(), (truth.sizes.len() * truth.tiles) as u64);
        prop_assert_eq!(&one.tas, &two.tas);
        prop_assert_eq!(&one.lat, &two.lat);
        prop_assert!(close(&one.time, &two.time), "{:?} {:?}", one.time, two.time);
        prop_assert!(close(&one.cells, &two.cells), "{:?} {:?}", one.cells, two.cells);
        let expected: Vec<f64> = truth.cells().iter().flatten().copied().collect();
        prop_assert!(close(&expected, &two.cells), "{:?} {:?}", expected, two.cells);
    }
}
