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
