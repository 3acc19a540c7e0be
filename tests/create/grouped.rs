//! Variables in groups.

use std::path::{Path, PathBuf};

use cfa::create::{create, update, Options};
use cfa::internals::write::{write_file, File, Format, Group, Variable};
use cfa::Dialect;
use cfa::{Dataset, Kind, Values};

use super::parts::*;

/// Time in the root, data in a group, and more in a group of that with a dimension of its own.
fn write(folder: &Path, name: &str, time: f64) -> PathBuf {
    let mut file = File::default();
    file.add_dimension("time", 1);
    file.add_dimension("bnds", 2);
    let cell = Values::F64(vec![time - 0.5, time + 0.5]);
    file.variables.push(Variable::with_values("time_bnds", &["time", "bnds"], cell));
    let coordinate = Variable::with_values("time", &["time"], Values::F64(vec![time]));
    file.variables
        .push(coordinate.attribute("units", "days since 2001-01-01").attribute("bounds", "time_bnds"));
    let mut inner = Group { name: "ocean".into(), ..Group::default() };
    inner.add_dimension("depth", 2);
    inner.variables.push(Variable::with_values("depth", &["depth"], Values::F64(vec![5.0, 10.0])));
    let data = Values::F32(vec![time as f32, time as f32 + 0.5]);
    inner.variables.push(
        Variable::with_values("thetao", &["time", "depth"], data)
            .attribute("units", "K")
            .attribute("coordinates", "label")
            .attribute("cell_methods", "time: mean depth: point"),
    );
    let mut group = Group { name: "forecast".into(), ..Group::default() };
    group.attributes.set_text("title", "a forecast");
    group.attributes.set_text("tracking_id", name);
    let label = Variable::with_values("label", &["time"], Values::I32(vec![time as i32 * 10]));
    group.variables.push(label.attribute("long_name", "label"));
    let tas = Variable::with_values("tas", &["time"], Values::F32(vec![200.0 + time as f32]));
    group.variables.push(tas.attribute("units", "K").attribute("coordinates", "label"));
    group.groups.push(inner);
    file.groups.push(group);
    let path = folder.join(name);
    write_file(&file, &path, Format::Netcdf4).unwrap();
    path
}

fn is_sound(out: &Path) {
    let dataset = Dataset::open(out).unwrap();
    let thetao = dataset.variable("/forecast/ocean/thetao").unwrap();
    assert!(thetao.aggregation().unwrap().is_some());
    assert_eq!(shape(&dataset, "/forecast/ocean/thetao"), [3, 2]);
    assert_eq!(values(&dataset, "/forecast/ocean/thetao"), Values::F32(vec![0.0, 0.5, 1.0, 1.5, 2.0, 2.5]));
    assert_eq!(values(&dataset, "/forecast/tas"), Values::F32(vec![200.0, 201.0, 202.0]));
    assert_eq!(values(&dataset, "/forecast/label"), Values::I32(vec![0, 10, 20]));
    assert_eq!(values(&dataset, "/forecast/ocean/depth"), Values::F64(vec![5.0, 10.0]));
    assert_eq!(values(&dataset, "/time_bnds"), Values::F64(vec![-0.5, 0.5, 0.5, 1.5, 1.5, 2.5]));
    for (name, text) in [("coordinates", "label"), ("cell_methods", "time: mean depth: point")] {
        assert_eq!(thetao.attributes().text(name).unwrap(), text);
    }
    let group = dataset.groups().iter().find(|g| g.path == "/forecast").unwrap();
    assert_eq!(group.attributes.text("title").unwrap(), "a forecast");
    assert_eq!(group.attributes.get("tracking_id"), None);
}

#[test]
fn variables_in_groups_are_aggregated_in_their_groups() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [2.0, 0.0, 1.0].map(|t| write(folder.path(), &format!("{t}.nc"), t));
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    for dialect in [Dialect::Cf113, Dialect::CfDraft, Dialect::Cfa062, Dialect::Cfa06b1] {
        options.dialect = dialect;
        let report = create(&out, &paths, &options, None).unwrap();
        assert_eq!(report.variables.len(), 2, "{dialect}");
        is_sound(&out);
        let findings = cfa::check::check(&out, &cfa::check::Options::default()).unwrap();
        assert!(findings.is_fine(), "{dialect}: {findings:?}");
    }
    for dialect in [Dialect::CfaTerms, Dialect::Cfa04] {
        options.dialect = dialect;
        let error = create(&out, &paths, &options, None).unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        assert!(error.to_string().contains("group"), "{error}");
    }
    let mut options = Options::default();
    options.format = Some(Format::Classic);
    let error = create(&out, &paths, &options, None).unwrap_err();
    assert!(error.to_string().contains("it has a group 'forecast'"), "{error}");
    is_sound(&out);
}

#[test]
fn groups_are_updated_and_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [0.0, 1.0, 2.0].map(|t| write(folder.path(), &format!("{t}.nc"), t));
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    options.record_state = true;
    create(&out, &paths[..2], &options, None).unwrap();
    update(&out, &paths, &Options::default(), None).unwrap();
    is_sound(&out);
    assert_eq!(Dataset::open(&out).unwrap().warnings(), [""; 0]);
    options.variables = vec!["/forecast/tas".into()];
    create(&out, &paths, &options, None).unwrap();
    let dataset = Dataset::open(&out).unwrap();
    assert_eq!(values(&dataset, "/forecast/tas"), Values::F32(vec![200.0, 201.0, 202.0]));
    assert!(dataset.variable("/forecast/ocean/thetao").is_err());
    assert_eq!(dataset.groups().len(), 2);
}

#[test]
fn coordinates_of_another_group_order_the_parts() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [1.0, 0.0].map(|time| {
        let mut file = File::default();
        file.add_dimension("time", 1);
        let mut coordinates = Group { name: "coordinates".into(), ..Group::default() };
        coordinates.variables.push(Variable::with_values("time", &["time"], Values::F64(vec![time])));
        let mut data = Group { name: "data".into(), ..Group::default() };
        data.variables.push(Variable::with_values("v", &["time"], Values::F64(vec![time * 7.0])));
        file.groups.extend([data, coordinates]);
        let path = folder.path().join(format!("{time}.nc"));
        write_file(&file, &path, Format::Netcdf4).unwrap();
        path
    });
    let out = folder.path().join("agg.nc");
    let mut options = Options::default();
    for aggregate in [false, true] {
        options.aggregate_coordinates = aggregate;
        create(&out, &paths, &options, None).unwrap();
        let dataset = Dataset::open(&out).unwrap();
        assert_eq!(values(&dataset, "/data/v"), Values::F64(vec![0.0, 7.0]));
        assert_eq!(values(&dataset, "/time"), Values::F64(vec![0.0, 1.0]));
        assert_eq!(dataset.variable("/time").unwrap().aggregation().unwrap().is_some(), aggregate);
    }
}
