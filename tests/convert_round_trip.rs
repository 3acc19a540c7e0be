//! Conversion keeps the meaning: random aggregations through every dialect and format, compared with a naive oracle of
//! their values.

use std::path::Path;

use cfa::convert::{convert, Options};
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_checked, write_file, File, Format, Variable};
use cfa::Dialect;
use cfa::{DataType, Dataset, Kind, Selection, Values};
use cfa::{Fragment, Version};
use proptest::prelude::*;

const FORMATS: [Format; 3] = [Format::Netcdf4, Format::Classic, Format::Cdf5];
const NAMES: [&str; 3] = ["t", "y", "x"];
const FILL: f64 = -9.0;

/// Where a fragment is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    File,
    /// In a file that is an aggregation.
    Nested,
    /// In the aggregation file.
    Own,
    /// In a file, and before that in one that is not there.
    Versions,
    /// In the aggregation file, and before that in a file that is not there.
    OwnVersion,
    Nowhere,
}

#[derive(Clone, Debug)]
struct Scenario {
    sizes: Vec<Vec<u64>>,
    places: Vec<Place>,
    /// All variables that are fragments have one name.
    one_name: bool,
    unique: bool,
}

impl Scenario {
    fn shape(&self) -> Vec<u64> {
        self.sizes.iter().map(|row| row.iter().sum()).collect()
    }

    fn count(&self) -> usize {
        self.sizes.iter().map(Vec::len).product()
    }

    fn place(&self, fragment: usize) -> Place {
        self.places[fragment % self.places.len()]
    }

    fn has(&self, wanted: &[Place]) -> bool {
        (0..self.count()).any(|i| wanted.contains(&self.place(i)))
    }

    /// Whether a dialect has words for it.
    fn fits(&self, dialect: Dialect) -> bool {
        let cf = matches!(dialect, Dialect::Cf113 | Dialect::CfDraft);
        if self.unique {
            return cf;
        }
        let several = self.has(&[Place::Versions, Place::OwnVersion]);
        let none = self.has(&[Place::Nowhere]);
        let one_each = matches!(dialect, Dialect::Cf113 | Dialect::Cfa04);
        !(several && one_each || none && (cf || dialect == Dialect::Cfa04))
    }
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let place = prop_oneof![
        4 => Just(Place::File),
        1 => Just(Place::Nested),
        3 => Just(Place::Own),
        1 => Just(Place::Versions),
        1 => Just(Place::OwnVersion),
        1 => Just(Place::Nowhere),
    ];
    (
        prop::collection::vec(prop::collection::vec(1u64..4, 1..4), 0..3),
        prop::collection::vec(place, 1..7),
        any::<bool>(),
        prop::bool::weighted(0.15),
    )
        .prop_map(|(sizes, places, one_name, unique)| Scenario { sizes, places, one_name, unique })
}

/// The position of element `i` of an array of this shape.
fn unravel(mut i: u64, shape: &[u64]) -> Vec<u64> {
    let mut out = vec![0; shape.len()];
    for d in (0..shape.len()).rev() {
        out[d] = i % shape[d];
        i /= shape[d];
    }
    out
}

/// Start and count of a fragment.
fn block(scenario: &Scenario, fragment: usize) -> (Vec<u64>, Vec<u64>) {
    let counts: Vec<u64> = scenario.sizes.iter().map(|row| row.len() as u64).collect();
    let cell = unravel(fragment as u64, &counts);
    let along = |(row, &at): (&Vec<u64>, &u64)| {
        let at = at as usize;
        (row[..at].iter().sum::<u64>(), row[at])
    };
    scenario.sizes.iter().zip(&cell).map(along).unzip()
}

fn truth(index: &[u64]) -> f64 {
    index.iter().fold(1.0, |n, &i| n * 7.0 + i as f64)
}

/// The values of a fragment in C order.
fn values(scenario: &Scenario, fragment: usize) -> Vec<f64> {
    let (start, count) = block(scenario, fragment);
    let total: u64 = count.iter().product();
    let at = |i| unravel(i, &count).iter().zip(&start).map(|(a, b)| a + b).collect::<Vec<_>>();
    (0..total).map(|i| truth(&at(i))).collect()
}

fn part(scenario: &Scenario, fragment: usize, name: &str, prefix: &str) -> (Vec<(String, u64)>, Variable) {
    let (_, count) = block(scenario, fragment);
    let dimensions: Vec<(String, u64)> =
        count.iter().enumerate().map(|(d, &n)| (format!("{prefix}{d}_{n}"), n)).collect();
    let names: Vec<&str> = dimensions.iter().map(|(n, _)| n.as_str()).collect();
    let variable = Variable::with_values(name, &names, Values::F64(values(scenario, fragment)));
    (dimensions.clone(), variable)
}

fn stored(location: Option<String>, identifier: &str) -> Version {
    Version { location, identifier: identifier.into(), format: None }
}

/// Writes the fragments and the aggregation, in a dialect that can say all of it.
fn write(folder: &Path, scenario: &Scenario, format: Format) -> std::path::PathBuf {
    let mut file = File::default();
    file.attributes.set_text("title", "µ");
    for (d, &size) in scenario.shape().iter().enumerate() {
        file.add_dimension(NAMES[d], size);
        let list = (0..size).map(|i| i as f64 * 0.1).collect();
        let coordinate = Variable::with_values(NAMES[d], &[NAMES[d]], Values::F64(list));
        file.variables.push(coordinate.attribute("units", "m"));
    }
    let mut fragments = Vec::new();
    for i in 0..scenario.count() {
        let name = if scenario.one_name { "part".to_owned() } else { format!("part{i}") };
        let beside = format!("f {i}.nc");
        let place = if scenario.unique { Place::Nowhere } else { scenario.place(i) };
        if matches!(place, Place::File | Place::Nested | Place::Versions) {
            let mut own = File::default();
            let (dimensions, variable) = part(scenario, i, &name, "d");
            dimensions.iter().for_each(|(n, size)| own.add_dimension(n, *size));
            own.variables.push(variable);
            let inner = if place == Place::Nested { format!("inner {i}.nc") } else { beside.clone() };
            write_file(&own, &folder.join(&inner), Format::Netcdf4).unwrap();
            if place == Place::Nested {
                let mut nested = File::default();
                dimensions.iter().for_each(|(n, size)| nested.add_dimension(n, *size));
                let names: Vec<&str> = dimensions.iter().map(|(n, _)| n.as_str()).collect();
                let one = Aggregated {
                    variable: Variable::new(&*name, DataType::F64, &names),
                    sizes: dimensions.iter().map(|(_, n)| vec![*n]).collect(),
                    fragments: Content::Stored(vec![Fragment::Stored {
                        versions: vec![stored(Some(inner.replace(' ', "%20")), &name)],
                        view: None,
                    }]),
                };
                add(&mut nested, &one, Dialect::Cf113).unwrap();
                write_checked(&nested, &folder.join(&beside), Format::Netcdf4).unwrap();
            }
        }
        // One variable serves all fragments of its shape where they have one name.
        let own = if scenario.one_name {
            let shape: Vec<String> = block(scenario, i).1.iter().map(u64::to_string).collect();
            format!("own_{}", shape.join("_"))
        } else {
            format!("own{i}")
        };
        let beside = Some(beside.replace(' ', "%20"));
        let versions = match place {
            Place::File | Place::Nested => vec![stored(beside, &name)],
            Place::Own => vec![stored(None, &own)],
            Place::Versions => vec![stored(Some("absent.nc".into()), &name), stored(beside, &name)],
            Place::OwnVersion => {
                vec![stored(Some("absent.nc".into()), &own), stored(Some("agg.nc".into()), &own)]
            }
            Place::Nowhere => Vec::new(),
        };
        if matches!(place, Place::Own | Place::OwnVersion) && file.variable(&own).is_none() {
            let (dimensions, variable) = part(scenario, i, &own, "o");
            dimensions.iter().for_each(|(n, size)| file.add_dimension(n, *size));
            file.variables.push(variable);
        }
        fragments.push(match versions.is_empty() {
            true => Fragment::Missing,
            false => Fragment::Stored { versions, view: None },
        });
    }
    let mut variable =
        Variable::new("v", DataType::F64, &NAMES[..scenario.sizes.len()]).attribute("units", "K");
    variable.attributes.set("_FillValue", Values::F64(vec![FILL]));
    let unique = (0..scenario.count()).map(|i| if i % 3 == 2 { FILL } else { i as f64 }).collect();
    let fragments = match scenario.unique {
        true => Content::Unique(Values::F64(unique)),
        false => Content::Stored(fragments),
    };
    let one = Aggregated { variable, sizes: scenario.sizes.clone(), fragments };
    add(&mut file, &one, if scenario.unique { Dialect::Cf113 } else { Dialect::Cfa062 }).unwrap();
    let path = folder.join("agg.nc");
    write_checked(&file, &path, format).unwrap();
    path
}

/// The values that a reader must return; fragments of one name share those of the first that was written.
fn expected(scenario: &Scenario) -> Vec<f64> {
    let shape = scenario.shape();
    let mut out = vec![FILL; shape.iter().product::<u64>() as usize];
    let mut owned: Vec<(Vec<u64>, Vec<f64>)> = Vec::new();
    for i in 0..scenario.count() {
        let (start, count) = block(scenario, i);
        let own = matches!(scenario.place(i), Place::Own | Place::OwnVersion) && scenario.one_name;
        let known = owned.iter().find(|(shape, _)| own && *shape == count).map(|(_, v)| v.clone());
        let list = if scenario.unique {
            vec![if i % 3 == 2 { FILL } else { i as f64 }; count.iter().product::<u64>() as usize]
        } else if scenario.place(i) == Place::Nowhere {
            continue;
        } else {
            known.unwrap_or_else(|| values(scenario, i))
        };
        if own {
            owned.push((count.clone(), list.clone()));
        }
        for (k, value) in list.into_iter().enumerate() {
            let place = unravel(k as u64, &count);
            let at = (0..shape.len()).fold(0, |at, d| at * shape[d] + start[d] + place[d]);
            out[at as usize] = value;
        }
    }
    out
}

fn read(path: &Path, name: &str) -> Values {
    let variable = Dataset::open(path).unwrap().variable(name).unwrap();
    let shape = variable.shape().unwrap().to_vec();
    variable.read_values(&Selection::all(&shape)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_aggregation_survives_any_two_conversions(
        scenario in scenario(), first in 0usize..7, second in 0usize..7, formats in [0usize..3, 0..3, 0..3],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), &scenario, FORMATS[formats[0]]);
        let truth = Values::F64(expected(&scenario));
        prop_assert_eq!(read(&path, "v"), truth.clone());
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let mut from = path.clone();
        for (step, (dialect, format)) in [(first, formats[1]), (second, formats[2])].into_iter().enumerate() {
            let (dialect, format) = (Dialect::ALL[dialect], FORMATS[format]);
            let out = folder.path().join(["sub/once.nc", "twice.nc"][step]);
            let options = Options { dialect, format, ..Options::default() };
            let result = convert(&Dataset::open(&from).unwrap(), &out, &options);
            if !scenario.fits(dialect) {
                prop_assert_eq!(result.unwrap_err().kind(), Kind::Unsupported);
                prop_assert!(!out.exists());
                continue;
            }
            result.unwrap();
            prop_assert_eq!(read(&out, "v"), truth.clone(), "{} {:?}", dialect, format);
            for name in &NAMES[..scenario.sizes.len()] {
                prop_assert_eq!(read(&out, name), read(&path, name));
            }
            let dataset = Dataset::open(&out).unwrap();
            let variable = dataset.variable("v").unwrap();
            prop_assert_eq!(variable.attributes().text("units"), Some("K".into()));
            prop_assert_eq!(variable.attributes().get("_FillValue"), Some(&Values::F64(vec![FILL])));
            from = out;
        }
    }
}
