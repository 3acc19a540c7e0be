//! Pictures of `cfa plot`: what is where, in which colour, with which labels, and what they may replace.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::cdl::{make, make_from};

/// The area of values of a picture, in pixels.
const LEFT: u32 = 90;
const TOP: u32 = 64;
const WIDTH: u32 = 800;
const GREY: [u8; 3] = [200, 200, 200];

fn cfa(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cfa")).current_dir(folder).arg("plot").args(words).output().unwrap()
}

/// Draws, and returns what was noted.
fn good(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert!(output.status.success() && output.stdout.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn bad(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

struct Pixels {
    bytes: Vec<u8>,
    width: u32,
    height: u32,
}

impl Pixels {
    fn of(path: &Path) -> Pixels {
        let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        Pixels { bytes, width: info.width, height: info.height }
    }

    fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let i = ((y * self.width + x) * 3) as usize;
        self.bytes[i..i + 3].try_into().unwrap()
    }
}

const AXES: &str =
    "float lat(lat) ; lat:units = \"degrees_north\" ; float lon(lon) ; lon:units = \"degrees_east\" ;";

#[test]
fn north_is_up_in_both_orders_and_missing_values_are_grey() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, lat: &str, values: &str| {
        let body = format!(
            "dimensions: lat = 2 ; lon = 4 ; variables: {AXES} short v(lat, lon) ; v:_FillValue = -9s ;
            v:scale_factor = 0.5 ; v:units = \"m\" ; data: lat = {lat} ; lon = 45, 135, 225, 315 ; v = {values} ;"
        );
        make_from(folder.path(), name, &body);
        good(folder.path(), &[&format!("{name}.nc"), "v", "-o", &format!("{name}.png"), "--full"]);
        Pixels::of(&folder.path().join(format!("{name}.png")))
    };
    let up = file("up", "-45, 45", "0, 2, 4, 6, 8, 10, -9, 20");
    let down = file("down", "45, -45", "8, 10, -9, 20, 0, 2, 4, 6");
    assert!(up.bytes == down.bytes, "the order in the file changes nothing");
    assert_eq!((up.width, up.height), (1000, TOP + 400 + 62), "degrees are square");
    let place = |column: u32, row: u32| up.at(LEFT + WIDTH / 8 + column * WIDTH / 4, TOP + 100 + row * 200);
    assert_eq!(place(2, 0), GREY);
    // The ends of the bar have the colours of the least and the greatest value, 0 and 10.
    let bar = |y| up.at(LEFT + WIDTH + 31, y);
    assert_eq!(place(0, 1), bar(TOP + 400 - 1));
    assert_eq!(place(3, 0), bar(TOP + 1));
    assert_eq!(place(1, 0), bar(TOP + 200 - 1), "5 is in the middle");
    assert_ne!(place(0, 1), place(3, 0));
    // The user's range: what is beyond has the colour of the end.
    good(folder.path(), &["up.nc", "v", "-o", "r.png", "--range", "0,4"]);
    let r = Pixels::of(&folder.path().join("r.png"));
    assert_eq!(r.at(LEFT + WIDTH / 8 + 3 * WIDTH / 4, TOP + 100), r.at(LEFT + WIDTH / 8, TOP + 100));
    assert_ne!(r.at(LEFT + WIDTH + 31, TOP - 6), [255; 3], "the bar is pointed");
    assert_eq!(up.at(LEFT + WIDTH + 31, TOP - 6), [255; 3]);
}

#[test]
fn labels_are_coordinates_dates_title_and_units() {
    let folder = tempfile::tempdir().unwrap();
    let body = format!(
        "dimensions: time = 3 ; lat = 3 ; lon = 4 ; variables: double time(time) ; time:calendar = \"360_day\" ;
        time:units = \"days since 2001-02-30 06:00\" ; {AXES} float v(time, lon, lat) ; v:units = \"K < 300\" ;
        v:long_name = \"warmth\" ; data: time = 0, 30, 60 ; lat = -60, 0, 60 ; lon = 340, 350, 0, 10 ;
        v = {} ;",
        (0..36).map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
    );
    make_from(folder.path(), "a", &body);
    let svg = |words: &[&str], name: &str| {
        good(folder.path(), &[&["a.nc", "v", "-o", name][..], words].concat());
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
        let lines: Vec<String> = text.lines().map(|l| l.trim().to_owned()).collect();
        (text.clone(), lines)
    };
    let (_, map) = svg(&["--select", "time=2001-02-30"], "map.svg");
    for label in [
        "warmth (v)",
        "time 2001-02-30 06:00:00",
        "K &lt; 300",
        "lat",
        "lon",
        "60°N",
        "0°",
        "60°S",
        "10°W",
        "10°E",
    ] {
        assert!(map.contains(&label.to_owned()), "{label}: {map:#?}");
    }
    let (text, line) = svg(&["--select", "lat=0", "--select", "lon=0"], "line.svg");
    for label in ["2001-02", "2001-03", "2001-04", "time", "lon 0, lat 0"] {
        assert!(line.contains(&label.to_owned()), "{label}: {line:#?}");
    }
    // 7, 19, 31: a straight line.
    let points = text.split("stroke-width=\"2\" points=\"").nth(1).unwrap().split('"').next().unwrap();
    let points: Vec<Vec<i32>> =
        points.split_whitespace().map(|p| p.split(',').map(|n| n.parse().unwrap()).collect()).collect();
    assert_eq!(points.iter().map(|p| p[0]).collect::<Vec<_>>(), [90, 490, 890]);
    assert!(
        points[0][1] > points[1][1] && points[0][1] - points[1][1] == points[1][1] - points[2][1],
        "{points:?}"
    );
}

#[test]
fn dates_on_an_axis_are_at_equal_distances() {
    let folder = tempfile::tempdir().unwrap();
    let ticks = |first: &str, count: usize| {
        let list = |f: fn(usize) -> f64| (0..count).map(|i| f(i).to_string()).collect::<Vec<_>>().join(", ");
        let body = format!(
            "dimensions: time = {count} ; variables: double time(time) ; time:units = \"days since {first}\" ;
            float v(time) ; data: time = {} ; v = {} ;",
            list(|i| i as f64 + 0.5),
            list(|i| i as f64)
        );
        make_from(folder.path(), "a", &body);
        good(folder.path(), &["a.nc", "v", "-o", "a.svg", "--overwrite"]);
        let text = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
        let is_date = |l: &&str| l.len() == 10 && l.starts_with("2001-");
        text.lines().map(str::trim).filter(is_date).map(|l| l[5..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ticks("2001-01-01", 10), ["01-01", "01-03", "01-05", "01-07", "01-09"]);
    assert_eq!(ticks("2001-02-01", 28), ["02-01", "02-06", "02-11", "02-16", "02-21", "02-26"]);
    assert_eq!(ticks("2001-01-20", 22), ["01-21", "01-26", "02-01", "02-06"]);
    assert_eq!(ticks("2001-01-01", 50), ["01-01", "01-11", "01-21", "02-01", "02-11"]);
}

#[test]
fn what_is_no_picture_is_refused_with_advice_that_works() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: time = 2 ; y = 2 ; x = 2 ; variables: int time(time) ;
        time:units = \"hours since 2001-01-01 06:00\" ; int v(time, y, x) ; string s(x) ; int one ;
        data: time = 0, 6 ; v = 1, 2, 3, 4, 5, 6, 7, 8 ; s = \"a\", \"b\" ; one = 1 ;";
    make_from(folder.path(), "a", body);
    let message = bad(folder.path(), &["a.nc", "v", "-o", "v.png"]);
    assert!(message.contains("time (2 values)"), "{message}");
    let example = message.split("for example ").nth(1).unwrap().trim();
    assert_eq!(example, "--select time=2001-01-01T06:00:00");
    let words: Vec<&str> = example.split(' ').collect();
    good(folder.path(), &[&["a.nc", "v", "-o", "v.png"], &words[..]].concat());
    assert!(bad(folder.path(), &["a.nc", "one", "-o", "1.png"]).contains("cfa read"));
    assert!(bad(folder.path(), &["a.nc", "s", "-o", "s.png"]).contains("texts"));
    assert!(bad(folder.path(), &["a.nc", "v", "-o", "v.jpg"]).contains(".png or .svg"));
    for range in ["1", "2,1", "a,b", "nan,1", "1,1"] {
        let message = bad(folder.path(), &["a.nc", "v", "-o", "r.png", "--range", range]);
        assert!(message.contains("LOW,HIGH"), "{message}");
    }
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn pictures_replace_nothing_unasked_and_never_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent", "first", "second"]);
    let at = |name: &str| folder.path().join(name);
    std::fs::rename(at("absent.nc"), at("absent.png")).unwrap();
    std::fs::write(at("other.png"), "precious").unwrap();
    let words = |output: &'static str| ["absent.png", "v", "--substitution", "${OLD}=.", "-o", output];
    let before = std::fs::read(at("absent.png")).unwrap();
    assert!(bad(folder.path(), &words("other.png")).contains("--overwrite"));
    assert_eq!(std::fs::read(at("other.png")).unwrap(), b"precious");
    for overwrite in [&[][..], &["--overwrite"]] {
        bad(folder.path(), &[&words("absent.png"), overwrite].concat());
    }
    assert_eq!(std::fs::read(at("absent.png")).unwrap(), before);
    // A fragment, under the name of a picture.
    std::os::unix::fs::symlink(at("second.nc"), at("link.png")).unwrap();
    assert!(bad(folder.path(), &[&words("link.png")[..], &["--overwrite"]].concat()).contains("fragment"));
    good(folder.path(), &[&words("other.png")[..], &["--overwrite"]].concat());
    assert_eq!(Pixels::of(&at("other.png")).width, 1000);
}

#[test]
fn of_large_data_a_part_is_read_and_a_note_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let many: Vec<String> = (0..30_000).map(|i| (i % 7).to_string()).collect();
    let body = format!("dimensions: t = 30000 ; variables: byte v(t) ; data: v = {} ;", many.join(", "));
    make_from(folder.path(), "a", &body);
    let note = good(folder.path(), &["a.nc", "v", "-o", "a.png"]);
    assert!(note.contains("along t one value of 2 is drawn"), "{note}");
    assert!(good(folder.path(), &["a.nc", "v", "-o", "b.png", "--select", "t=0..9999"]).is_empty());
}

/// The picture as SVG, whose lines are trimmed.
fn svg(folder: &Path, words: &[&str]) -> Vec<String> {
    good(folder, &[words, &["-o", "p.svg", "--overwrite"]].concat());
    let text = std::fs::read_to_string(folder.join("p.svg")).unwrap();
    text.lines().map(|l| l.trim().to_owned()).collect()
}

/// The number in an attribute of an element of SVG.
fn number(element: &str, attribute: &str) -> f64 {
    let value = element.split(&format!(" {attribute}=\"")).nth(1).unwrap_or_else(|| panic!("{element}"));
    value.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn gaps_in_time_are_grey_and_interrupt_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: time = 8 ; x = 2 ; variables: int time(time) ; time:units = \"days since 2010-01-01\" ;
        int v(time, x) ; data: time = 0, 1, 2, 3, 7, 8, 9, 10 ; v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7 ;";
    make_from(folder.path(), "a", body);
    let line = svg(folder.path(), &["a.nc", "v", "--select", "x=0"]);
    assert_eq!(
        line.iter().filter(|l| l.contains("<polyline") && l.contains("stroke-width=\"2\"")).count(),
        2
    );
    let grey: Vec<&String> = line.iter().filter(|l| l.contains("<rect") && l.contains("#C8C8C8")).collect();
    // From half a day after the fourth day to half a day before the next: 3.5 to 6.5 of 10 days.
    assert_eq!(
        grey.iter().map(|r| (number(r, "x"), number(r, "width"))).collect::<Vec<_>>(),
        [(370.0, 240.0)]
    );
    good(folder.path(), &["a.nc", "v", "-o", "m.png"]);
    let map = Pixels::of(&folder.path().join("m.png"));
    // Time goes down the side, from -0.5 to 10.5, after labels of ten characters.
    let left = LEFT + 9 * 4;
    let at = |day: f64| map.at(left + 200, TOP + 420 - ((day + 0.5) / 11.0 * 420.0) as u32);
    assert_eq!([3.4, 3.6, 5.0, 6.4, 6.6].map(|day| at(day) == GREY), [false, true, true, true, false]);
    // Uneven times have no gaps.
    let body = body.replace("0, 1, 2, 3, 7, 8, 9, 10", "0, 1, 3, 6, 10, 15, 21, 28");
    make_from(folder.path(), "b", &body);
    let line = svg(folder.path(), &["b.nc", "v", "--select", "x=0"]);
    assert_eq!(
        line.iter().filter(|l| l.contains("<polyline") && l.contains("stroke-width=\"2\"")).count(),
        1
    );
}

#[test]
fn labels_do_not_overlap_and_are_not_cut() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: time = 6 ; s = 3 ; variables: double time(time) ; string s(s) ;
        time:units = \"hours since 2010-01-01\" ; int v(s, time) ; v:units = \"1\" ; v:long_name = \"a title that is too long for a picture, since it goes on and on to a great length\" ;
        data: time = 0, 1, 2, 3, 4, 5 ; s = \"a\", \"Basel\", \"Helsinki-Vantaa airport\" ;
        v = 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22 ;";
    make_from(folder.path(), "a", body);
    let map = svg(folder.path(), &["a.nc", "v"]);
    // An element, then its text.
    let texts: Vec<(&String, &String)> =
        map.windows(2).filter(|w| w[0].starts_with("<text")).map(|w| (&w[0], &w[1])).collect();
    let element = |label: &str| {
        texts.iter().find(|(_, text)| *text == label).unwrap_or_else(|| panic!("{label}: {texts:?}")).0
    };
    let word = element("Helsinki-Vantaa…");
    // It ends at its place, and its characters are 9 wide.
    assert!(word.contains("text-anchor=\"end\"") && number(word, "x") - 16.0 * 9.0 > 24.0, "{word}");
    let dates: Vec<f64> =
        texts.iter().filter(|(_, t)| t.starts_with("2010-")).map(|(e, _)| number(e, "x")).collect();
    assert!(dates.len() > 1 && dates.windows(2).all(|w| w[1] - w[0] > 16.0 * 9.0), "{dates:?}");
    let body = format!(
        "dimensions: lat = 3 ; lon = 2 ; variables: {AXES} int v(lat, lon) ; v:long_name = \"{}\" ;
        data: lat = -60, 0, 60 ; lon = 0, 2 ;",
        "title".repeat(20)
    );
    make_from(folder.path(), "b", &body);
    let narrow = svg(folder.path(), &["b.nc", "v"]);
    let title = narrow.iter().position(|l| l.starts_with("titletitle")).unwrap();
    assert!(number(&narrow[title - 1], "x") > 75.0 * 5.0, "it is cut: {}", narrow[title - 1]);
    assert!(texts.iter().all(|(_, t)| *t != "1"), "numbers without a unit have the unit 1");
    assert!(texts.iter().any(|(_, t)| t.starts_with("a title") && t.ends_with("… (v)")), "{texts:?}");
}

#[test]
fn grids_of_the_ground_have_one_scale_and_indices_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    let axis = |name: &str, axis: &str, kind: &str, units: &str| {
        format!("float {name}({name}) ; {name}:axis = \"{axis}\" ; {name}:units = \"{units}\" ; {name}:standard_name = \"{kind}\" ;")
    };
    for (kind, units) in [("grid_l", "degrees"), ("projection_", "km")] {
        let names = if kind == "grid_l" {
            ["grid_latitude", "grid_longitude"]
        } else {
            ["projection_y_coordinate", "projection_x_coordinate"]
        };
        let body = format!(
            "dimensions: y = 4 ; x = 8 ; variables: {} {} float v(y, x) ; data: y = 1, 2, 3, 4 ; x = 1, 2, 3, 4, 5, 6, 7, 8 ;",
            axis("y", "Y", names[0], units), axis("x", "X", names[1], units)
        );
        make_from(folder.path(), "a", &body);
        good(folder.path(), &["a.nc", "v", "-o", "a.png", "--overwrite"]);
        let picture = Pixels::of(&folder.path().join("a.png"));
        assert_eq!((picture.width, picture.height), (1000, TOP + 400 + 62), "{kind}");
        // Else viewers show seams.
        let map = svg(folder.path(), &["a.nc", "v"]);
        assert!(map[0].contains("shape-rendering=\"crispEdges\""));
    }
    make_from(folder.path(), "b", "dimensions: x = 3 ; variables: int v(x) ; data: v = 10, 25, 40 ;");
    let line = svg(folder.path(), &["b.nc", "v"]);
    assert!(!line[0].contains("crispEdges"));
    let ticks: Vec<&String> =
        line.iter().filter(|l| ["0", "0.5", "1", "1.5", "2"].contains(&l.as_str())).collect();
    assert_eq!(ticks, ["0", "1", "2"]);
}

#[test]
fn selected_longitudes_pass_the_end_of_the_circle_and_ranges_are_joined() {
    let folder = tempfile::tempdir().unwrap();
    let (file, at) = (
        |name: &str, lon: &[i32]| {
            let values: Vec<i32> = (0..2).flat_map(|y| lon.iter().map(move |x| (x + 20) % 360 + y)).collect();
            let list = |numbers: &[i32]| numbers.iter().map(i32::to_string).collect::<Vec<_>>().join(", ");
            let body = format!(
                "dimensions: lat = 2 ; lon = {} ; variables: {AXES} short v(lat, lon) ; v:scale_factor = 0.1 ;
                data: lat = 0, 10 ; lon = {} ; v = {} ;",
                lon.len(), list(lon), list(&values)
            );
            make_from(folder.path(), name, &body);
        },
        |name: &str| folder.path().join(name),
    );
    file("globe", &(0..36).map(|i| i * 10).collect::<Vec<_>>());
    file("part", &[-20, -10, 0, 10, 20]);
    good(folder.path(), &["globe.nc", "v", "-o", "globe.png", "--select", "lon=-20..20"]);
    good(folder.path(), &["part.nc", "v", "-o", "part.png"]);
    assert!(Pixels::of(&at("globe.png")).bytes == Pixels::of(&at("part.png")).bytes);
    // What lies between two ranges is grey, and both have their places.
    let line = svg(folder.path(), &["globe.nc", "v", "--select", "lon=0..40,80..120", "--select", "lat=0"]);
    let grey: Vec<&String> = line.iter().filter(|l| l.contains("<rect") && l.contains("#C8C8C8")).collect();
    assert_eq!(
        grey.iter().map(|r| (number(r, "x"), number(r, "width"))).collect::<Vec<_>>(),
        [(390.0, 200.0)]
    );
    // Every second value of two ranges, whose first index is the last of its turn.
    let many: Vec<String> = (0..30_000).map(|i| i.to_string()).collect();
    let body = format!("dimensions: t = 30000 ; variables: int v(t) ; data: v = {} ;", many.join(", "));
    make_from(folder.path(), "long", &body);
    let words = ["long.nc", "v", "--select", "t=0..10000,10003..29998"];
    assert!(good(folder.path(), &[&words[..], &["-o", "l.png"]].concat()).contains("one value of 2"));
}
