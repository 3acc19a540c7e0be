//! Files that are read are never replaced, and no option permits it.

use std::fs;
use std::os::unix::fs::symlink;

use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, Format, Group, Variable};
use cfa::DataType;
use cfa::Dialect;
use cfa::{Fragment, Version};

use super::scene::Scene;

#[test]
fn an_output_that_was_forgotten_is_not_the_first_data_file() {
    let scene = Scene::new();
    let files = ["data/day0.nc", "data/day1.nc", "data/day2.nc"];
    scene.refused(&[&["create"], &files[..]].concat(), &["data/day0.nc", "'tas'", "--overwrite", "first"]);
    scene.refused(&[&["create", "--dry-run"], &files[..]].concat(), &["data/day0.nc", "--overwrite"]);
}

#[test]
fn an_output_that_is_an_input_is_refused_by_every_name() {
    let scene = Scene::new();
    symlink("day0.nc", scene.at("data/link.nc")).unwrap();
    symlink("data", scene.at("folder")).unwrap();
    fs::hard_link(scene.at("data/day0.nc"), scene.at("hard.nc")).unwrap();
    let absolute = scene.at("data/day0.nc").display().to_string();
    for name in
        ["data/day0.nc", "./data/../data/day0.nc", "data/link.nc", "folder/day0.nc", "hard.nc", &absolute]
    {
        scene.refused_always(&["create", name, "data/day0.nc", "data/day1.nc"], &["input"]);
    }
    fs::remove_file(scene.at("data/link.nc")).unwrap();
    scene.refused_always(&["create", "data/day0.nc", "data/link2.nc", "data"], &[]);
    for found in ["data", "data/*.nc", "**/day?.nc"] {
        scene.refused_always(&["create", "data/day0.nc", found], &["data/day0.nc", "input"]);
        scene.refused_always(&["create", "hard.nc", found], &["hard.nc", "input"]);
    }
}

#[test]
fn a_list_and_what_it_names_are_inputs() {
    let scene = Scene::new();
    fs::write(scene.at("list.txt"), "data/day0.nc\ndata/day1.nc\n").unwrap();
    scene.refused_always(&["create", "list.txt", "@list.txt"], &["list.txt", "input"]);
    scene.refused_always(&["create", "data/day1.nc", "@list.txt"], &["data/day1.nc", "input"]);
    fs::write(scene.at("list.txt"), "agg.nc\nother.nc\n").unwrap();
    scene.refused_always(&["create", "agg.nc", "@list.txt"], &["agg.nc", "input"]);
    fs::write(scene.at("list.txt"), "a*.nc\ndata\n").unwrap();
    scene.good(&["create", "agg.nc", "@list.txt", "--quiet"]);
}

#[test]
fn an_aggregation_that_was_found_is_passed_over_and_one_that_was_named_is_refused() {
    let scene = Scene::new();
    fs::rename(scene.at("agg.nc"), scene.at("data/agg.nc")).unwrap();
    fs::remove_file(scene.at("top.nc")).unwrap();
    scene.good(&["create", "data/agg.nc", "data", "--quiet"]);
    scene.good(&["create", "data/agg.nc", "data/*.nc", "--quiet"]);
    scene.good(&["create", "data/agg.nc", "data", "--update", "--quiet"]);
    assert_eq!(scene.values("data/agg.nc").len(), 6);
    for more in [&["data"][..], &["data/day0.nc"], &["data/*.nc"]] {
        for option in [&[][..], &["--update"]] {
            let words = [&["create", "data/agg.nc", "data/agg.nc"], more, option].concat();
            scene.refused(&words, &["data/agg.nc", "input"]);
            let words = [&["create", "data/agg.nc"], more, &["./data/agg.nc"], option].concat();
            scene.refused(&words, &["data/agg.nc", "input"]);
        }
    }
}

#[test]
fn a_fragment_of_an_input_is_refused_at_any_depth() {
    let scene = Scene::new();
    symlink("data/day1.nc", scene.at("link.nc")).unwrap();
    fs::hard_link(scene.at("data/day1.nc"), scene.at("hard.nc")).unwrap();
    for out in ["data/day1.nc", "link.nc", "hard.nc"] {
        for input in ["agg.nc", "top.nc"] {
            for verb in ["convert", "extract"] {
                scene.refused_always(&[verb, input, out], &[out, "fragment"]);
            }
            scene.refused_always(&["create", out, input], &[out, "fragment"]);
        }
    }
    for verb in ["convert", "extract"] {
        scene.refused_always(&[verb, "top.nc", "agg.nc"], &["agg.nc", "fragment"]);
    }
    // An aggregation that an input has as its fragment.
    scene.day("day3.nc", 3);
    scene.refused_always(&["create", "agg.nc", "top.nc", "day3.nc"], &["agg.nc", "fragment"]);
    scene.refused(&["create", "agg.nc", "top.nc", "--update"], &["agg.nc", "fragment"]);
}

#[test]
fn the_aggregation_file_itself_is_refused() {
    let scene = Scene::new();
    symlink("agg.nc", scene.at("link.nc")).unwrap();
    fs::hard_link(scene.at("agg.nc"), scene.at("hard.nc")).unwrap();
    for verb in ["convert", "extract"] {
        for out in ["agg.nc", "link.nc", "hard.nc", "data/../agg.nc"] {
            scene.refused_always(&[verb, "agg.nc", out], &["input"]);
        }
    }
}

/// An aggregation of one fragment in these versions.
fn versions(scene: &Scene, name: &str, dialect: Dialect, locations: &[&str]) {
    let versions = locations.iter().map(|l| Version {
        location: Some((*l).to_owned()),
        identifier: "tas".into(),
        format: dialect.has_plain_paths().then(|| "nc".into()),
    });
    let fragments = Content::Stored(vec![Fragment::Stored { versions: versions.collect(), view: None }]);
    let variable = Variable::new("tas", DataType::F32, &["time", "lat"]);
    let mut file = Group::default();
    file.attributes.set_text("Conventions", dialect.conventions());
    file.add_dimension("time", 1);
    file.add_dimension("lat", 2);
    add(&mut file, &Aggregated { variable, sizes: vec![vec![1], vec![2]], fragments }, dialect).unwrap();
    write_file(&file, &scene.at(name), Format::Netcdf4).unwrap();
}

#[test]
fn every_version_counts_in_whatever_form_it_is_named() {
    let scene = Scene::new();
    let uri = format!("file://{}", fs::canonicalize(scene.at("data/day2.nc")).unwrap().display());
    for dialect in [Dialect::Cfa062, Dialect::Cfa06b1] {
        versions(&scene, "versions.nc", dialect, &["data/day0.nc", "none.nc", "data/d%61y1.nc", &uri]);
        for day in 0..3 {
            let out = format!("data/day{day}.nc");
            scene.refused_always(&["extract", "versions.nc", &out], &["fragment"]);
            scene.refused_always(&["convert", "versions.nc", &out], &["fragment"]);
            scene.refused_always(&["create", &out, "versions.nc"], &["fragment"]);
        }
        assert!(scene.run(&["extract", "versions.nc", "other.nc", "--overwrite"]).status.success());
    }
}

#[test]
fn where_a_fragment_should_be_nothing_else_is_written() {
    let scene = Scene::new();
    fs::remove_file(scene.at("data/day1.nc")).unwrap();
    symlink("data", scene.at("folder")).unwrap();
    for out in ["data/day1.nc", "folder/day1.nc", "./data/day1.nc"] {
        scene.refused_always(&["convert", "agg.nc", out], &["fragment"]);
        scene.refused_always(&["extract", "agg.nc", out, "--missing-fragments", "fill"], &["fragment"]);
        scene.refused_always(&["create", out, "agg.nc"], &["fragment"]);
        scene.refused(&["check", "agg.nc", "--report", out], &["fragment"]);
    }
    // The same name in another place is another file.
    scene.good(&["convert", "agg.nc", "day1.nc"]);
}

#[test]
fn settings_that_lead_elsewhere_do_not_free_the_fragments() {
    let scene = Scene::new();
    scene.good(&["create", "absolute.nc", "data", "--absolute", "--quiet"]);
    fs::create_dir(scene.at("moved")).unwrap();
    for day in 0..3 {
        fs::copy(scene.at(&format!("data/day{day}.nc")), scene.at(&format!("moved/day{day}.nc"))).unwrap();
    }
    let real = fs::canonicalize(scene.path()).unwrap();
    let relocate = format!("{0}/data={0}/moved", real.display());
    for verb in ["extract", "convert"] {
        for out in ["data/day1.nc", "moved/day1.nc"] {
            scene.refused_always(&[verb, "absolute.nc", out, "--relocate", &relocate], &["fragment"]);
        }
        scene.refused_always(&[verb, "agg.nc", "data/day1.nc", "--set", "RAW_VIEW=YES"], &[]);
    }
}

#[test]
fn fragments_that_cannot_be_told_are_not_taken_for_other_files() {
    let scene = Scene::new();
    let mut file = Group::default();
    file.add_dimension("time", 1);
    file.add_dimension("lat", 2);
    let version = Version { location: Some("data/day0.nc".into()), identifier: "tas".into(), format: None };
    let fragments = Content::Stored(vec![Fragment::Stored { versions: vec![version], view: None }]);
    let variable = Variable::new("tas", DataType::F32, &["time", "lat"]);
    let sizes = vec![vec![1], vec![2]];
    add(&mut file, &Aggregated { variable, sizes, fragments }, Dialect::Cf113).unwrap();
    let odd = Variable::with_values("odd", &[], cfa::Values::F32(vec![0.0]));
    let odd = odd.attribute("aggregated_dimensions", "time").attribute("aggregated_data", "map: m uris: u");
    file.variables.push(odd);
    write_file(&file, &scene.at("half.nc"), Format::Netcdf4).unwrap();
    let extract = ["extract", "half.nc", "other.nc", "--variable", "tas", "--quiet"];
    scene.refused_always(&extract, &["other.nc", "cannot be checked"]);
    // If the file does not exist, nothing can be lost.
    scene.good(&["extract", "half.nc", "new.nc", "--variable", "tas", "--quiet"]);
}

#[test]
fn an_update_takes_aggregations_only() {
    let scene = Scene::new();
    scene.day("day3.nc", 3);
    fs::write(scene.at("text.nc"), "no netCDF").unwrap();
    for out in ["other.nc", "text.nc", "data/day0.nc"] {
        scene.refused(&["create", out, "day3.nc", "--update"], &[out]);
        scene.refused(&["create", out, "day3.nc", "--update", "--dry-run"], &[out]);
    }
    scene.refused(&["create", "other.nc", "day3.nc", "--update"], &["aggregation", "without --update"]);
    scene.good(&["create", "none.nc", "day3.nc", "--update", "--quiet"]);
    assert_eq!(scene.values("none.nc").len(), 2);
    scene.good(&["create", "agg.nc", "day3.nc", "--update", "--quiet"]);
    assert_eq!(scene.values("agg.nc").len(), 8);
}

#[test]
fn the_name_of_a_directory_is_no_name_of_a_file() {
    let scene = Scene::new();
    for name in ["new/", "data/", "new/.", "./", "..", "data/.."] {
        scene.refused(&["create", name, "data"], &[name, "directory"]);
        scene.refused(&["convert", "agg.nc", name], &[name, "directory"]);
        scene.refused(&["extract", "agg.nc", name], &[name, "directory"]);
        scene.refused(&["check", "agg.nc", "--report", name], &[name, "directory"]);
    }
}

#[test]
fn a_hyphen_is_not_taken_for_a_name() {
    let scene = Scene::new();
    for arguments in [&["create", "-", "data"][..], &["convert", "agg.nc", "-"], &["extract", "agg.nc", "-"]]
    {
        scene.refused(arguments, &["./-"]);
    }
    scene.refused(&["check", "agg.nc", "--report", "-"], &["./-"]);
    scene.good(&["create", "./-", "data", "--quiet"]);
}
