//! What may be replaced, and what only with `--overwrite`.

use std::fs;
use std::os::unix::fs::symlink;

use cfa::create::{create, update, Options};
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, Data, File, Format, Variable};
use cfa::Dialect;
use cfa::{DataType, Dataset, Values};
use cfa::{Fragment, Version};

use super::scene::{day_of, Scene};

/// Makes an aggregation of the first two days, with these options.
fn aggregation(scene: &Scene, name: &str, edit: impl FnOnce(&mut File)) {
    let days = [(Some("data/day0.nc"), "tas"), (Some("data/day1.nc"), "tas")];
    aggregation_of(scene, name, &days, edit);
}

/// An aggregation of these variables in these files; no file is the aggregation itself.
fn aggregation_of(scene: &Scene, name: &str, places: &[(Option<&str>, &str)], edit: impl FnOnce(&mut File)) {
    let stored = |(location, identifier): &(Option<&str>, &str)| Fragment::Stored {
        versions: vec![Version {
            location: location.map(str::to_owned),
            identifier: (*identifier).to_owned(),
            format: location.map(|_| "nc".into()),
        }],
        view: None,
    };
    let fragments = Content::Stored(places.iter().map(stored).collect());
    let mut file = File::default();
    file.attributes.set_text("Conventions", Dialect::Cfa062.conventions());
    file.add_dimension("time", places.len() as u64);
    file.add_dimension("lat", 2);
    let variable = Variable::new("tas", DataType::F32, &["time", "lat"]).attribute("units", "K");
    let sizes = vec![vec![1; places.len()], vec![2]];
    add(&mut file, &Aggregated { variable, sizes, fragments }, Dialect::Cfa062).unwrap();
    edit(&mut file);
    write_file(&file, &scene.at(name), Format::Netcdf4).unwrap();
}

fn plain(name: &str, dimensions: &[&str], values: usize) -> Variable {
    Variable::with_values(name, dimensions, Values::F32(vec![1.0; values]))
}

#[test]
fn an_aggregation_without_data_of_its_own_is_replaced() {
    let scene = Scene::new();
    scene.good(&["create", "agg.nc", "data", "--quiet"]);
    scene.good(&["create", "agg.nc", "data/day0.nc", "data/day1.nc", "--record-state", "--quiet"]);
    assert_eq!(scene.values("agg.nc").len(), 4);
    scene.good(&["convert", "top.nc", "new.nc"]);
    scene.good(&["convert", "agg.nc", "new.nc", "--dialect", "cfa-0.4"]);
    assert_eq!(scene.values("new.nc").len(), 4);
}

#[test]
fn what_describes_the_data_is_no_data() {
    let scene = Scene::new();
    aggregation(&scene, "described.nc", |file| {
        file.add_dimension("bnds", 2);
        for (name, dimensions) in [
            ("time", &["time"][..]),
            ("time_bnds", &["time", "bnds"]),
            ("area", &["lat"]),
            ("height", &[]),
            ("crs", &[]),
            ("pole", &[]),
            ("region", &["lat"]),
            ("ps", &["time", "lat"]),
            ("lev", &["lat"]),
        ] {
            let sizes = dimensions.iter().map(|d| file.dimension(d).unwrap().size as usize).product();
            file.variables.push(plain(name, dimensions, sizes));
        }
        let mut set = |name: &str, attribute: &str, text: &str| {
            let variable = file.variables.iter_mut().find(|v| v.name == name).unwrap();
            variable.attributes.set_text(attribute, text);
        };
        set("time", "bounds", "time_bnds");
        set("lev", "formula_terms", "ps: ps");
        set("pole", "grid_mapping_name", "rotated_latitude_longitude");
        set("tas", "coordinates", "height region lev");
        set("tas", "cell_measures", "area: area");
        set("tas", "grid_mapping", "crs: height");
    });
    scene.good(&["create", "described.nc", "data", "--quiet"]);
}

#[test]
fn an_aggregation_with_data_of_its_own_is_kept() {
    let scene = Scene::new();
    aggregation(&scene, "own.nc", |file| file.variables.push(plain("pr", &["time", "lat"], 4)));
    aggregation(&scene, "flags.nc", |file| {
        file.variables.push(plain("flags", &["time", "lat"], 4));
        let tas = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
        tas.attributes.set_text("ancillary_variables", "flags");
    });
    aggregation_of(&scene, "same.nc", &[(Some("data/day0.nc"), "tas"), (None, "part")], |file| {
        file.add_dimension("one", 1);
        file.variables.push(plain("part", &["one", "lat"], 2));
    });
    // In disguise: the variable that stores the fragment also describes another one.
    aggregation_of(&scene, "hidden.nc", &[(None, "part"), (Some("data/day0.nc"), "tas")], |file| {
        file.add_dimension("one", 1);
        file.variables.push(plain("part", &["one", "lat"], 2));
        let tas = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
        tas.attributes.set_text("coordinates", "part");
    });
    aggregation_of(&scene, "named.nc", &[(Some("named.nc"), "part"), (Some("./named.nc"), "part")], |file| {
        file.add_dimension("one", 1);
        file.variables.push(plain("part", &["one", "lat"], 2));
        let tas = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
        tas.attributes.set_text("coordinates", "part");
    });
    aggregation(&scene, "group.nc", |file| {
        let mut group = cfa::internals::write::Group { name: "g".into(), ..Default::default() };
        group.variables.push(plain("pr", &["time", "lat"], 4));
        file.groups.push(group);
    });
    for (name, variable) in [
        ("own.nc", "pr"),
        ("flags.nc", "flags"),
        ("same.nc", "part"),
        ("hidden.nc", "part"),
        ("named.nc", "part"),
        ("group.nc", "g/pr"),
    ] {
        scene.refused(&["create", name, "data"], &[name, variable, "--overwrite"]);
        scene.refused(&["create", name, "data", "--dry-run"], &[name, variable, "--overwrite"]);
        scene.refused(&["convert", "agg.nc", name], &[name, variable, "--overwrite"]);
        scene.good(&["convert", "agg.nc", name, "--overwrite"]);
        assert_eq!(scene.values(name).len(), 6);
    }
}

#[test]
fn what_readers_ignore_or_cannot_read_is_data() {
    let scene = Scene::new();
    aggregation(&scene, "array.nc", |file| {
        let tas = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
        tas.dimensions = vec!["time".into(), "lat".into()];
        tas.data = Data::Values(Values::F32(vec![1.0; 4]));
    });
    // A type that netCDF variables may have but that is not read.
    let pairs = "types: compound pair { int a; int b; };
        dimensions: time = 1; one = 1; lat = 2;
        variables: float tas; tas:aggregated_dimensions = \"time lat\";
        tas:aggregated_data = \"map: map uris: uris identifiers: ids\";
        int map(lat, one); string uris(one, one); string ids; pair pairs(lat);
        data: map = 1, 2; uris = \"data/day0.nc\"; ids = \"tas\"; pairs = {1, 2}, {3, 4};";
    crate::support::cdl::make_from(scene.path(), "pairs", pairs);
    assert_eq!(scene.values("pairs.nc"), Values::F32(vec![0.0; 2]));
    for (name, variable) in [("array.nc", "tas"), ("pairs.nc", "pairs")] {
        scene.refused(&["create", name, "data"], &[name, variable, "--overwrite"]);
        scene.refused(&["convert", "agg.nc", name], &[name, variable, "--overwrite"]);
        scene.good(&["create", name, "data", "--overwrite", "--quiet"]);
    }
}

#[test]
fn unique_values_are_data() {
    let scene = Scene::new();
    let fragments = Content::Unique(Values::F32(vec![5.0]));
    let mut file = File::default();
    file.add_dimension("time", 1);
    let variable = Variable::new("tas", DataType::F32, &["time"]);
    add(&mut file, &Aggregated { variable, sizes: vec![vec![1]], fragments }, Dialect::Cf113).unwrap();
    write_file(&file, &scene.at("unique.nc"), Format::Netcdf4).unwrap();
    scene.refused(&["create", "unique.nc", "data"], &["unique.nc", "tas", "--overwrite"]);
    scene.good(&["create", "unique.nc", "data", "--overwrite", "--quiet"]);
}

#[test]
fn what_is_no_aggregation_or_cannot_be_told_is_kept() {
    let scene = Scene::new();
    let whole = fs::read(scene.at("agg.nc")).unwrap();
    let files: [(&str, &[u8]); 4] = [
        ("text.nc", b"notes of many years"),
        ("empty.nc", b""),
        ("cut.nc", &whole[..whole.len() / 2]),
        ("head.nc", &whole[..200]),
    ];
    for (name, bytes) in files {
        fs::write(scene.at(name), bytes).unwrap();
    }
    // An aggregation whose fragments cannot be determined.
    let mut file = File::default();
    file.add_dimension("time", 1);
    let odd = Variable::with_values("tas", &[], Values::F32(vec![1.0]));
    let odd = odd.attribute("aggregated_dimensions", "time").attribute("aggregated_data", "map: m uris: u");
    file.variables.push(odd);
    write_file(&file, &scene.at("odd.nc"), Format::Netcdf4).unwrap();
    let names = ["text.nc", "empty.nc", "cut.nc", "head.nc", "odd.nc", "other.nc"];
    for name in names {
        scene.refused(&["create", name, "data"], &[name, "--overwrite"]);
        scene.refused(&["convert", "agg.nc", name], &[name, "--overwrite"]);
        scene.refused(&["extract", "agg.nc", name], &[name, "--overwrite"]);
    }
    for name in names {
        scene.good(&["create", name, "data", "--overwrite", "--quiet"]);
        assert_eq!(scene.values(name).len(), 6);
    }
}

#[test]
fn an_extract_replaces_nothing_unless_told() {
    let scene = Scene::new();
    scene.good(&["extract", "agg.nc", "plain.nc", "--quiet"]);
    scene.good(&["convert", "agg.nc", "second.nc"]);
    for name in ["plain.nc", "other.nc", "second.nc"] {
        scene.refused(&["extract", "agg.nc", name], &[name, "--overwrite"]);
        scene.good(&["extract", "agg.nc", name, "--overwrite", "--quiet"]);
        assert_eq!(scene.values(name).len(), 6);
    }
}

#[test]
fn behind_a_link_its_target_is_judged_and_replaced() {
    let scene = Scene::new();
    symlink("other.nc", scene.at("link.nc")).unwrap();
    scene.refused(&["create", "link.nc", "data"], &["link.nc", "--overwrite"]);
    scene.refused(&["extract", "agg.nc", "link.nc"], &["link.nc", "--overwrite"]);
    scene.good(&["create", "link.nc", "data", "--overwrite", "--quiet"]);
    assert!(fs::symlink_metadata(scene.at("link.nc")).unwrap().is_symlink());
    assert_eq!(scene.values("other.nc").len(), 6);
    scene.good(&["create", "link.nc", "data", "--quiet"]);
    symlink("nowhere.nc", scene.at("loose.nc")).unwrap();
    scene.refused(&["create", "loose.nc", "data"], &["loose.nc"]);
    fs::create_dir(scene.at("folder.nc")).unwrap();
    scene.refused(&["create", "folder.nc", "data", "--overwrite"], &["folder.nc"]);
    scene.refused(&["create", "none/agg.nc", "data"], &["none/agg.nc"]);
}

#[test]
fn an_update_keeps_the_data_of_the_file_and_never_makes_them_its_fragments() {
    let scene = Scene::new();
    let data = |name: &str| {
        let mut file = day_of(3);
        let mut pr = plain("pr", &["time", "lat"], 2);
        pr.attributes.set_text("standard_name", "precipitation_flux");
        file.variables.push(pr);
        write_file(&file, &scene.at(name), Format::Netcdf4).unwrap();
    };
    data("day3.nc");
    aggregation(&scene, "own.nc", |file| {
        let time = Variable::with_values("time", &["time"], Values::F64(vec![0.0, 1.0]));
        file.variables.push(time.attribute("units", "days since 2001-01-01"));
        let lat = Variable::with_values("lat", &["lat"], Values::F64(vec![0.0, 10.0]));
        file.variables.push(lat.attribute("units", "degrees_north"));
        let mut pr = plain("pr", &["time", "lat"], 4);
        pr.attributes.set_text("standard_name", "precipitation_flux");
        file.variables.push(pr);
        let tas = file.variables.iter_mut().find(|v| v.name == "tas").unwrap();
        tas.attributes.set_text("standard_name", "air_temperature");
    });
    scene.refused(&["create", "own.nc", "day3.nc", "--update", "--allow-gaps"], &["own.nc", "'pr'"]);
    // If nothing is added, it stays unchanged.
    scene.good(&["create", "own.nc", "data/day2.nc", "--update", "--quiet"]);
    let pr = Dataset::open(scene.at("own.nc")).unwrap().variable("pr").unwrap();
    assert!(pr.aggregation().unwrap().is_none());
    let all = cfa::Selection::all(pr.shape().unwrap());
    assert_eq!(pr.read_values(&all).unwrap(), Values::F32(vec![1.0; 4]));
    assert_eq!(scene.values("own.nc").len(), 6);
}

#[test]
fn the_functions_have_the_rule_too() {
    let scene = Scene::new();
    let (out, day) = (scene.at("other.nc"), scene.at("data/day0.nc"));
    let before = scene.everything();
    let mut options = Options::default();
    for overwrite in [false, true] {
        options.overwrite = overwrite;
        let error = create(&day, &[day.clone(), scene.at("data/day1.nc")], &options, None).unwrap_err();
        assert_eq!(error.kind(), cfa::Kind::Request, "{error}");
        let error = update(&out, std::slice::from_ref(&day), &options, None).unwrap_err();
        assert!(error.to_string().contains("other.nc"), "{error}");
    }
    options.overwrite = false;
    assert_eq!(
        create(&out, std::slice::from_ref(&day), &options, None).unwrap_err().kind(),
        cfa::Kind::Request
    );
    scene.unchanged(&before, "the functions");
    options.overwrite = true;
    create(&out, &[day], &options, None).unwrap();
    assert!(Dataset::identify(&out).unwrap().is_some());
}
