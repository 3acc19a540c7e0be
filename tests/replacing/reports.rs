//! A report replaces only a former report.

use std::fs;
use std::os::unix::fs::symlink;

use cfa::check::{check, Options};
use cfa::Kind;

use super::scene::Scene;

#[test]
fn a_report_never_replaces_data() {
    let scene = Scene::new();
    symlink("data/day0.nc", scene.at("link.html")).unwrap();
    fs::hard_link(scene.at("agg.nc"), scene.at("hard.html")).unwrap();
    for name in ["agg.nc", "data/day0.nc", "top.nc", "other.nc", "link.html", "hard.html"] {
        scene.refused(&["check", "agg.nc", "--report", name], &[name]);
    }
}

#[test]
fn a_report_replaces_a_former_report_and_no_other_page() {
    let scene = Scene::new();
    let names: [(&str, &[u8]); 4] = [
        ("page.html", b"<!DOCTYPE html>\n<html><body>my thesis</body></html>\n"),
        ("empty.html", b""),
        ("notes.txt", b"notes"),
        ("odd.html", b"\xff\xfe<!DOCTYPE html>"),
    ];
    for (name, bytes) in names {
        fs::write(scene.at(name), bytes).unwrap();
        scene.refused(&["check", "agg.nc", "--report", name], &[name, "report"]);
    }
    scene.good(&["check", "agg.nc", "--report", "report.html", "--quiet"]);
    let first = fs::read(scene.at("report.html")).unwrap();
    scene.good(&["check", "top.nc", "--report", "report.html", "--quiet"]);
    assert_ne!(fs::read(scene.at("report.html")).unwrap(), first);
    // A report whose input is a report is refused.
    let quoted = [b"<html><!-- ", &first[..], b" --></html>"].concat();
    fs::write(scene.at("quoted.html"), quoted).unwrap();
    scene.refused(&["check", "agg.nc", "--report", "quoted.html"], &["quoted.html"]);
    symlink("report.html", scene.at("link.html")).unwrap();
    scene.good(&["check", "agg.nc", "--report", "link.html", "--quiet"]);
    assert_eq!(fs::read(scene.at("report.html")).unwrap(), first);
    assert!(fs::symlink_metadata(scene.at("link.html")).unwrap().is_symlink());
}

#[test]
fn a_report_can_go_where_nothing_is_kept() {
    let scene = Scene::new();
    let page = scene.good(&["check", "agg.nc", "--report", "/dev/stdout", "--quiet"]);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    scene.refused(&["check", "agg.nc", "--report", "data"], &["data"]);
    scene.refused(&["check", "agg.nc", "--report", "none/report.html"], &["none/report.html"]);
}

#[test]
fn two_reports_do_not_replace_each_other() {
    let scene = Scene::new();
    symlink(".", scene.at("here")).unwrap();
    for other in ["report", "here/report"] {
        let options = Options {
            html_report: Some(scene.at("report")),
            json_report: Some(scene.at(other)),
            ..Options::default()
        };
        let error = check(scene.at("agg.nc"), &options).unwrap_err();
        assert_eq!(error.kind(), Kind::Request);
        assert!(error.to_string().contains("both reports"), "{error}");
        assert!(!scene.at("report").exists());
    }
}
