//! Layer files and styles for QGIS replace only former ones.

use std::fs;
use std::os::unix::fs::symlink;

use super::scene::Scene;

#[test]
fn a_former_layer_file_is_replaced_and_nothing_else() {
    let scene = Scene::new();
    assert_eq!(scene.good(&["qgis", "agg.nc"]), "agg.nc.qlr\nagg.qml\n");
    let first = fs::read_to_string(scene.at("agg.nc.qlr")).unwrap();
    fs::write(scene.at("agg.nc.qlr"), first.replace("K", "changed")).unwrap();
    scene.good(&["qgis", "agg.nc"]);
    assert_eq!(fs::read_to_string(scene.at("agg.nc.qlr")).unwrap(), first);
    for (name, other) in [("agg.qml", "<qgis/>"), ("agg.nc.qlr", ""), ("agg.qml", &first[1..])] {
        let former = fs::read(scene.at(name)).unwrap();
        fs::write(scene.at(name), other).unwrap();
        scene.refused(&["qgis", "agg.nc"], &[name, "--overwrite"]);
        scene.good(&["qgis", "agg.nc", "--overwrite"]);
        assert_eq!(fs::read(scene.at(name)).unwrap(), former);
    }
    fs::rename(scene.at("agg.qml"), scene.at("elsewhere")).unwrap();
    symlink("elsewhere", scene.at("agg.qml")).unwrap();
    scene.good(&["qgis", "agg.nc"]);
    assert!(fs::symlink_metadata(scene.at("agg.qml")).unwrap().is_symlink());
}

#[test]
fn a_file_that_is_read_is_never_replaced() {
    let scene = Scene::new();
    for name in ["agg.nc.qlr", "agg.qml"] {
        for target in ["data/day1.nc", "agg.nc"] {
            fs::hard_link(scene.at(target), scene.at(name)).unwrap();
            scene.refused_always(&["qgis", "agg.nc"], &[name]);
            fs::remove_file(scene.at(name)).unwrap();
            symlink(target, scene.at(name)).unwrap();
            scene.refused_always(&["qgis", "agg.nc"], &[name]);
            fs::remove_file(scene.at(name)).unwrap();
        }
    }
    // At any depth, and where a fragment should be.
    fs::rename(scene.at("data/day1.nc"), scene.at("top.nc.qlr")).unwrap();
    symlink("../top.nc.qlr", scene.at("data/day1.nc")).unwrap();
    scene.refused_always(&["qgis", "top.nc"], &["top.nc.qlr", "fragment"]);
    scene.day("b.nc.qlr", 5);
    scene.good(&["create", "b.nc", "b.nc.qlr", "--quiet"]);
    scene.refused_always(&["qgis", "b.nc"], &["b.nc.qlr", "fragment"]);
    fs::remove_file(scene.at("b.nc.qlr")).unwrap();
    scene.refused_always(&["qgis", "b.nc", "--missing-fragments", "fill"], &["b.nc.qlr", "fragment"]);
    // All files to be written are compared in one search, whether the others exist or not.
    fs::write(scene.at("b.qml"), "mine").unwrap();
    let fill = ["qgis", "b.nc", "--missing-fragments", "fill", "--overwrite"];
    scene.refused(&fill, &["b.nc.qlr", "fragment"]);
    fs::remove_file(scene.at("b.qml")).unwrap();
    scene.day("b.qml", 6);
    scene.good(&["create", "b.nc", "b.qml", "--quiet", "--overwrite"]);
    scene.refused_always(&["qgis", "b.nc"], &["b.qml"]);
    fs::write(scene.at("b.nc.qlr"), "mine").unwrap();
    scene.refused(&["qgis", "b.nc", "--overwrite"], &["b.qml", "fragment"]);
}

#[test]
fn create_writes_them_too_or_says_why_not() {
    let scene = Scene::new();
    scene.good(&["create", "new.nc", "data", "--qgis", "--quiet"]);
    assert!(fs::read_to_string(scene.at("new.nc.qlr")).unwrap().contains("./new.nc"));
    fs::write(scene.at("new.qml"), "mine").unwrap();
    let output = scene.run(&["create", "new.nc", "data", "--qgis", "--overwrite"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("new.qml"));
    assert_eq!(fs::read(scene.at("new.qml")).unwrap(), b"mine");
    assert_eq!(scene.run(&["create", "dry.nc", "data", "--qgis", "--dry-run"]).status.code(), Some(2));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let scene = Scene::new();
    scene.refused(&["qgis", "other.nc"], &["other.nc", "not an aggregation"]);
    scene.refused(&["qgis", "agg.nc", "pr"], &["no variable 'pr'", "tas"]);
    scene.refused(&["qgis", "agg.nc", "lat"], &["lat", "map"]);
    fs::copy(scene.at("agg.nc"), scene.at("a|b.nc")).unwrap();
    scene.refused(&["qgis", "a|b.nc"], &["a|b.nc", "rename"]);
    fs::remove_dir_all(scene.at("data")).unwrap();
    scene.refused(&["qgis", "agg.nc"], &["day", "--missing-fragments"]);
    scene.good(&["qgis", "agg.nc", "--missing-fragments", "fill"]);
}
