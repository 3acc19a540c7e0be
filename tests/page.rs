//! The page of `cfa check --report` in a browser: what it shows under the pointer, for the keyboard and on the axis of
//! dates, on a phone too, and that nothing of a file becomes more than text.

use std::fs;
use std::path::{Path, PathBuf};

use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, Format, Group, Variable};
use cfa::{DataType, Dialect, Fragment, Values, Version};

use crate::support::browser::Browser;
use crate::support::left_out::left_out;

/// The text of what is shown of squares, and where it is.
const SHOWN: &str = "[...document.querySelectorAll('label > span')].filter(e => e.checkVisibility())";

fn browser(width: u32, height: u32) -> Option<Browser> {
    let browser = Browser::start(width, height);
    if browser.is_none() {
        left_out("chromium", "there is no Chromium; the page is not shown");
    }
    browser
}

fn texts(browser: &mut Browser) -> Vec<String> {
    let list = browser.ask(&format!("{SHOWN}.map(e => e.innerText)"));
    list.as_array().unwrap().iter().map(|t| t.as_str().unwrap().to_owned()).collect()
}

/// Writes the aggregation `all.nc` of absent files of these names along `time`, each with `per_file` of these days, and
/// returns its page.
fn page_of(folder: &Path, names: &[String], days: Vec<f64>, calendar: &str) -> PathBuf {
    let mut file = Group::default();
    file.attributes.set_text("Conventions", Dialect::Cf113.conventions());
    file.add_dimension("time", days.len() as u64);
    let per_file = days.len() as u64 / names.len() as u64;
    let time = Variable::with_values("time", &["time"], Values::F64(days)).attribute("calendar", calendar);
    file.variables.push(time.attribute("units", "days since 2001-01-01"));
    let version =
        |name: &String| Version { location: Some(name.clone()), identifier: "v".into(), format: None };
    let stored = names.iter().map(|name| Fragment::Stored { versions: vec![version(name)], view: None });
    let variable = Variable::new("v", DataType::F32, &["time"]);
    let sizes = vec![vec![per_file; names.len()]];
    let fragments = Content::Stored(stored.collect());
    add(&mut file, &Aggregated { variable, sizes, fragments }, Dialect::Cf113).unwrap();
    write_file(&file, &folder.join("all.nc"), Format::Netcdf4).unwrap();
    let output = crate::archive::cfa(folder, &["check", "all.nc", "--report", "all.html", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    folder.join("all.html")
}

fn names(n: usize) -> Vec<String> {
    (0..n).map(|i| format!("in/day_{i}.nc")).collect()
}

#[test]
fn the_pointer_shows_file_and_dates_and_the_page_needs_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    crate::archive::make(folder.path());
    fs::remove_file(folder.path().join(crate::archive::location(1, 0))).unwrap();
    let output = crate::archive::cfa(folder.path(), &["check", "year.nc", "--report", "year.html"]);
    assert_eq!(output.status.code(), Some(1));
    let page = folder.path().join("year.html");
    let text = fs::read_to_string(&page).unwrap();
    for foreign in ["http://", "https://", "src=", "@import", "<script", "url("] {
        assert!(!text.contains(foreign), "{foreign}");
    }
    let Some(mut browser) = browser(1000, 800) else { return };
    browser.show(&page);
    assert_eq!(browser.ask("document.querySelectorAll('.map').length"), 3);
    assert_eq!(browser.ask("document.querySelectorAll('.map .present').length"), 9);
    assert_eq!(texts(&mut browser), [""; 0]);
    browser.point_at(".map .missing", 0);
    let expected =
        "fragment [1, 0, 0]: missing\npart%201_0.nc\ntime 2001-01-03 12:00 to 2001-01-04 12:00 (2–3)\n\
                    lat 0 to 1 (0–1)\nlon 10 to 30 (0–2)";
    assert_eq!(texts(&mut browser), [expected]);
    browser.point_at(".map label", 3);
    assert!(texts(&mut browser)[0].starts_with("fragment [1, 1, 0]: present\npart%201_1.nc\n"));
    browser.point_at("h1", 0);
    assert_eq!(texts(&mut browser), [""; 0]);
    assert!(browser.picture().starts_with(b"\x89PNG"));
    let own = format!("file://{}", page.display());
    assert!(browser.requests.iter().all(|r| *r == own || r == "about:blank"), "{:?}", browser.requests);
}

#[test]
fn the_keyboard_goes_from_square_to_square() {
    let folder = tempfile::tempdir().unwrap();
    let page = page_of(folder.path(), &names(5), (0..5).map(f64::from).collect(), "standard");
    let Some(mut browser) = browser(1000, 800) else { return };
    browser.show(&page);
    browser.press("Tab");
    assert!(texts(&mut browser)[0].contains("fragment [0]: missing\nday_0.nc\ntime 2001-01-01 (0)"));
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    assert!(texts(&mut browser)[0].contains("day_2.nc\ntime 2001-01-03 (2)"));
    browser.press("ArrowLeft");
    assert_eq!(texts(&mut browser).len(), 1);
    assert!(texts(&mut browser)[0].contains("day_1.nc"));
    // All squares together are one stop, the axis of dates is the next.
    browser.press("Tab");
    let group = browser.ask("document.activeElement.closest('[role=radiogroup]').className");
    assert_eq!(group, "dates few");
}

#[test]
fn dates_are_those_of_an_aggregated_coordinate_as_far_as_it_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = Group::default();
    file.attributes.set_text("Conventions", Dialect::Cf113.conventions());
    file.add_dimension("time", 9);
    let version = |name: &str, i: usize| Version {
        location: Some(format!("{i}.nc")),
        identifier: name.to_owned(),
        format: None,
    };
    for (i, first) in [31.0, 62.0, 90.0].into_iter().enumerate() {
        let mut part = Group::default();
        part.add_dimension("time", 3);
        let days = Values::F64(vec![first, first + 1.0, first + 2.0]);
        part.variables.push(Variable::with_values("time", &["time"], days));
        part.variables.push(Variable::with_values("v", &["time"], Values::F64(vec![1.0; 3])));
        write_file(&part, &folder.path().join(format!("{i}.nc")), Format::Netcdf4).unwrap();
    }
    for name in ["time", "v"] {
        let stored = |i| Fragment::Stored { versions: vec![version(name, i)], view: None };
        let fragments = Content::Stored((0..3).map(stored).collect());
        let mut variable = Variable::new(name, DataType::F64, &["time"]);
        if name == "time" {
            variable = variable.attribute("units", "days since 2001-01-01");
        }
        add(&mut file, &Aggregated { variable, sizes: vec![vec![3; 3]], fragments }, Dialect::Cf113).unwrap();
    }
    write_file(&file, &folder.path().join("all.nc"), Format::Netcdf4).unwrap();
    fs::remove_file(folder.path().join("1.nc")).unwrap();
    crate::archive::cfa(folder.path(), &["check", "all.nc", "--report", "all.html", "--quiet"]);
    let text = fs::read_to_string(folder.path().join("all.html")).unwrap();
    // Two variables in one map, and an axis of dates.
    for (expected, n) in [
        ("<bdi>0.nc</bdi><i>time 2001-02-01 to 2001-02-03 (0–2)</i>", 2),
        ("[1]: missing</b><bdi>1.nc</bdi><i>time 3–5</i>", 1),
        ("<bdi>2.nc</bdi><i>time 2001-04-01 to 2001-04-03 (6–8)</i>", 2),
    ] {
        assert_eq!(text.matches(expected).count(), n, "{expected}: {text}");
    }
}

#[test]
fn gaps_lie_where_their_dates_are() {
    let folder = tempfile::tempdir().unwrap();
    // Ten days of 100 are absent between two files, and five within one.
    let days = (0..100).filter(|d| !(20..30).contains(d) && !(72..77).contains(d)).map(f64::from);
    let page = page_of(folder.path(), &names(17), days.collect(), "360_day");
    let Some(mut browser) = browser(1000, 800) else { return };
    browser.show(&page);
    let gaps = browser.ask(
        "(() => { const a = document.querySelector('.dates').getBoundingClientRect();
         return [...document.querySelectorAll('.dates .gap')].map(e => { const r = e.getBoundingClientRect();
         return [(r.left - a.left) / a.width * 100, (r.right - a.left) / a.width * 100].map(Math.round); }); })()",
    );
    assert_eq!(gaps, serde_json::json!([[20, 30], [72, 77]]));
    let caption = browser.ask("document.querySelector('.dates').previousElementSibling.innerText");
    let two = "2 gaps: 2001-01-20 to 2001-02-01, 2001-03-12 to 2001-03-18";
    assert_eq!(caption, format!("time: 2001-01-01 to 2001-04-10; {two}"));
    browser.point_at(".dates .gap", 1);
    assert_eq!(texts(&mut browser), ["gap\nno time between 2001-03-12 and 2001-03-18"]);
    let ticks = browser.ask("[...document.querySelectorAll('.ticks span')].map(e => e.innerText)");
    assert_eq!(ticks, serde_json::json!(["2001-01", "2001-02", "2001-03", "2001-04"]));
    // A bar names its file and dates as its square does.
    browser.point_at(".dates label:not(.gap)", 16);
    assert!(texts(&mut browser)[0].contains("day_16.nc\ntime 2001-04-06 to 2001-04-10 (80–84)"));
}

#[test]
fn thousands_of_fragments_have_a_square_each_on_a_phone() {
    let folder = tempfile::tempdir().unwrap();
    let page = page_of(folder.path(), &names(5000), (0..5000).map(f64::from).collect(), "noleap");
    assert!(fs::metadata(&page).unwrap().len() < 1_500_000);
    let Some(mut browser) = browser(360, 740) else { return };
    browser.show(&page);
    assert_eq!(browser.ask("document.querySelectorAll('.map label').length"), 5000);
    for (i, date) in [(0, "2001-01-01"), (2499, "2007-11-06"), (4999, "2014-09-12")] {
        browser.point_at(".map label", i);
        assert_eq!(texts(&mut browser), [format!("fragment [{i}]: missing\nday_{i}.nc\ntime {date} ({i})")]);
        let place = browser.ask(&format!(
            "(() => {{ const r = {SHOWN}[0].getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; }})()"
        ));
        let place: Vec<f64> = place.as_array().unwrap().iter().map(|n| n.as_f64().unwrap()).collect();
        assert!(place[0] >= 0.0 && place[1] >= 0.0 && place[2] <= 360.0 && place[3] <= 740.0, "{place:?}");
    }
    let wide = browser.ask("document.documentElement.scrollWidth");
    assert_eq!(wide, 360, "nothing is beside the page");
    let bars = browser.ask("document.querySelectorAll('.dates label').length");
    assert!(bars.as_u64().unwrap() <= 200, "{bars}");
}

#[test]
fn names_in_files_are_text_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = [
        "<script>document.title='bad'</script>.nc",
        "\"><img src=x onerror=\"document.title='bad'\">.nc",
        "</span></label><b onmouseover='document.title=1'>.nc",
        "a\u{1b}[31m\u{202e}cn.\u{7}\n<p>.nc",
        "Größe/風 ünï &amp; x.nc",
    ];
    let long = format!("{}<i>.nc", "x".repeat(5000));
    let list: Vec<String> = hostile.iter().map(|n| (*n).to_owned()).chain([long]).collect();
    let page = page_of(folder.path(), &list, (0..6).map(f64::from).collect(), "standard");
    let text = fs::read_to_string(&page).unwrap();
    assert!(!text.contains("\u{1b}") && !text.contains("\u{202e}") && !text.contains("<script"));
    let Some(mut browser) = browser(360, 740) else { return };
    browser.show(&page);
    for (i, name) in hostile.iter().enumerate() {
        browser.point_at(".map label", i);
        let shown = texts(&mut browser).remove(0);
        let expected = name.replace(['\u{1b}', '\u{202e}', '\u{7}', '\n'], "\u{fffd}");
        assert_eq!(shown.lines().nth(1).unwrap(), expected);
    }
    browser.point_at(".map label", 5);
    assert!(texts(&mut browser)[0].len() < 400);
    assert_eq!(browser.ask("document.querySelectorAll('script, img, [onerror], [onmouseover]').length"), 0);
    assert_eq!(browser.ask("document.title"), "all.nc – aggregation check");
    assert_eq!(browser.ask("document.documentElement.scrollWidth"), 360);
}
