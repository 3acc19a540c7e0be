//! Variables and dimensions of one name in the files, which the aggregation has to number.

use cfa::create::{create, update, Options};
use cfa::internals::write::{Data, File, Variable};
use cfa::{Dataset, Values};

use super::parts::*;

const MEAN: fn(&mut File) = |f| data(f).attributes.set_text("cell_methods", "time: mean");
const MAXIMUM: fn(&mut File) = |f| data(f).attributes.set_text("cell_methods", "time: maximum");
const WIND: fn(&mut File) = |f| {
    data(f).attributes.set_text("standard_name", "wind_speed");
    data(f).attributes.set_text("units", "m s-1");
    data(f).name = "wind".into();
};

fn part(name: &'static str, time: &[f64], base: f64, edit: fn(&mut File)) -> Part {
    Part { base, edit, ..Part::new(name, time) }
}

fn dimensions(dataset: &Dataset, name: &str) -> Vec<String> {
    let variable = dataset.variable(name).unwrap();
    variable.dimensions().unwrap().iter().map(|&d| dataset.dimension_path(d)).collect()
}

fn floats(range: std::ops::Range<usize>) -> Values {
    Values::F32(range.map(|i| i as f32).collect())
}

#[test]
fn a_variable_that_is_numbered_has_its_own_dimensions() {
    // As many times as the other has, so that the sizes are no guide; and fewer.
    for (times, count) in [(&[5.0, 6.0][..], 6), (&[5.0][..], 3)] {
        let parts = [part("a.nc", &[0.0, 1.0], 0.0, MEAN), part("b.nc", times, 100.0, MAXIMUM)];
        let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
        assert_eq!(dimensions(&dataset, "tas"), ["/time", "/lat"]);
        assert_eq!(dimensions(&dataset, "tas_2"), ["/time_2", "/lat"]);
        assert_eq!(values(&dataset, "time_2"), Values::F64(times.to_vec()));
        assert_eq!(values(&dataset, "tas_2"), floats(100..100 + count));
        let methods = dataset.variable("tas_2").unwrap().attributes().text("cell_methods").unwrap();
        assert_eq!(methods, "time_2: maximum");
    }
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [part("a.nc", &[0.0], 0.0, MEAN), part("b.nc", &[5.0], 100.0, MAXIMUM)];
    let mut paths = paths.map(|part| part.write(folder.path()));
    for _ in 0..2 {
        let out = folder.path().join("agg.nca");
        create(&out, &paths, &Options::default(), None).unwrap();
        assert_eq!(values(&Dataset::open(&out).unwrap(), "tas"), floats(0..3));
        paths.reverse();
    }
}

#[test]
fn coordinates_are_not_lost_to_another_variable_of_their_name() {
    // Latitudes along two dimensions in one file, coordinates of a dimension in the other.
    const CURVILINEAR: fn(&mut File) = |f| {
        f.variables.retain(|v| v.name != "lat");
        f.dimensions.iter_mut().filter(|d| d.name == "lat").for_each(|d| d.name = "j".into());
        f.add_dimension("i", 2);
        let lat = Variable::with_values("lat", &["j", "i"], Values::F64((0..6).map(f64::from).collect()));
        f.variables.push(lat.attribute("units", "degrees_north"));
        let tas = data(f);
        tas.dimensions = ["time", "j", "i"].map(String::from).to_vec();
        tas.data = Data::Values(Values::F32((0..6).map(|i| i as f32).collect()));
        tas.attributes.set_text("coordinates", "lat");
    };
    for (second, name) in [(WIND, "wind"), ((|_| {}) as fn(&mut File), "tas_2")] {
        let parts = [part("a.nc", &[0.0], 0.0, CURVILINEAR), part("b.nc", &[0.0], 50.0, second)];
        let (_folder, dataset) = made(&parts, &Options::default()).unwrap();
        assert_eq!(dimensions(&dataset, "tas"), ["/time", "/j", "/i"]);
        assert_eq!(values(&dataset, "lat"), Values::F64((0..6).map(f64::from).collect()));
        assert_eq!(dimensions(&dataset, name), ["/time", "/lat_2"]);
        assert_eq!(values(&dataset, "lat_2"), Values::F64(vec![-10.0, 0.0, 10.0]));
        assert_eq!(values(&dataset, name), floats(50..53));
    }
}

#[test]
fn an_update_goes_on_with_what_is_numbered() {
    for (other, name) in [(MAXIMUM, "tas_2"), (WIND, "wind")] {
        let bounded = |part: Part| Part { bounds: true, ..part };
        let parts = [
            bounded(part("a.nc", &[0.0, 1.0], 0.0, MEAN)),
            bounded(part("b.nc", &[5.0, 6.0], 100.0, other)),
            bounded(part("c.nc", &[7.0], 106.0, other)),
            bounded(part("d.nc", &[2.0], 6.0, MEAN)),
        ];
        let folder = tempfile::tempdir().unwrap();
        let paths = parts.map(|part| part.write(folder.path()));
        let (grown, whole) = (folder.path().join("grown.nca"), folder.path().join("whole.nca"));
        create(&whole, &paths, &Options::default(), None).unwrap();
        create(&grown, &paths[..2], &Options::default(), None).unwrap();
        update(&grown, &paths[2..3], &Options::default(), None).unwrap();
        // A file that is there is scanned again.
        update(&grown, &paths[1..], &Options::default(), None).unwrap();
        let [whole, grown] = [whole, grown].map(|out| Dataset::open(&out).unwrap());
        let names = |d: &Dataset| d.variables().into_iter().map(|v| v.name().to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&whole), names(&grown));
        for dataset in [&whole, &grown] {
            assert_eq!(dimensions(dataset, name), ["/time_2", "/lat"]);
            assert_eq!(values(dataset, "time_2"), Values::F64(vec![5.0, 6.0, 7.0]));
            assert_eq!(values(dataset, "time_bnds_2"), Values::F64(vec![4.5, 5.5, 5.5, 6.5, 6.5, 7.5]));
            assert_eq!(values(dataset, name), floats(100..109));
            assert_eq!(values(dataset, "tas"), floats(0..9));
        }
    }
}

#[test]
fn an_update_joins_no_variables_of_the_aggregation_that_differ_in_name_only() {
    const TWO: fn(&mut File) = |f| {
        let mut other = data(f).clone();
        other.name = "tas10m".into();
        f.variables.push(other);
    };
    let folder = tempfile::tempdir().unwrap();
    let paths =
        [part("a.nc", &[0.0], 0.0, TWO), part("b.nc", &[1.0], 3.0, TWO)].map(|p| p.write(folder.path()));
    let out = folder.path().join("agg.nca");
    create(&out, &paths, &Options::default(), None).unwrap();
    let wind = part("c.nc", &[0.0], 0.0, WIND).write(folder.path());
    update(&out, &[wind], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    for name in ["tas", "tas10m"] {
        assert_eq!(values(&dataset, name), floats(0..6), "{name}");
    }
}

#[test]
fn names_that_the_files_have_themselves_are_not_taken_for_numbered() {
    const BOTH: fn(&mut File) = |f| {
        let mut other = data(f).clone();
        other.name = "tas_2".into();
        f.variables.push(other);
    };
    let parts = [part("a.nc", &[0.0], 0.0, BOTH), part("b.nc", &[1.0], 3.0, BOTH)];
    let folder = tempfile::tempdir().unwrap();
    let paths = parts.map(|part| part.write(folder.path()));
    let wind = part("c.nc", &[0.0], 0.0, WIND).write(folder.path());
    let out = folder.path().join("agg.nca");
    create(&out, &paths[..1], &Options::default(), None).unwrap();
    update(&out, &paths[1..], &Options::default(), None).unwrap();
    update(&out, &[wind], &Options::default(), None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    for name in ["tas", "tas_2"] {
        assert_eq!(values(&dataset, name), floats(0..6), "{name}");
    }
}
