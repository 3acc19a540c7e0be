//! The program `cfa` as users see it: output, messages, exit status.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::cdl::{make, make_from};
use crate::support::program::cfa;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Standard output of a call that has to succeed.
fn good(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Standard error of a call that has to fail with this status, and say nothing on standard output.
fn bad(folder: &Path, status: i32, words: &[&str]) -> String {
    let output = cfa(folder, words);
    assert_eq!(output.status.code(), Some(status), "{words:?}");
    assert!(output.stdout.is_empty(), "{words:?}: {}", text(&output.stdout));
    text(&output.stderr)
}

#[test]
fn info_shows_the_logical_view() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent", "first", "ordinary"]);
    assert_eq!(
        good(folder.path(), &["info", "absent.nc", "--fragments"]),
        "absent.nc\ndimensions:\n    x = 4\nvariables:\n    double v(x=4)  32 bytes  aggregated: CF draft, 2 fragments\n\
        \x20       fragment [0] [0:1]  ./first.nc  other  there\n\
        \x20       fragment [1] [1:4]  gone.nc  other  MISSING\n\
        \x20           or  ${OLD}/second.nc  other  MISSING\n"
    );
    let ordinary = good(folder.path(), &["info", "ordinary.nc", "--attributes"]);
    assert!(ordinary.contains("time = 4 (unlimited)") && ordinary.contains("units = \"K\""), "{ordinary}");
    assert!(!ordinary.contains('\x1b'), "no colours in a pipe");
    let raw = good(folder.path(), &["info", "absent.nc", "--set", "RAW_VIEW=YES"]);
    assert!(raw.contains("string u(f=2, versions=2)"), "{raw}");
}

#[test]
fn tables_have_texts_of_any_length() {
    let folder = tempfile::tempdir().unwrap();
    let long = "t".repeat(100_000);
    let body = format!("dimensions: n = 2 ; variables: string v(n) ; data: v = \"{long}\", \"short\" ;");
    make_from(folder.path(), "a", &body);
    let shown = good(folder.path(), &["read", "a.nc", "v"]);
    assert!(shown.contains(&long) && shown.lines().last().unwrap().ends_with("   short"), "{}", shown.len());
}

#[test]
fn info_as_json_has_the_same() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent", "first"]);
    let output = good(folder.path(), &["info", "absent.nc", "v", "--json", "--fragments"]);
    let json: serde_json::Value = serde_json::from_str(&output).unwrap();
    let v = &json["variables"][0];
    assert_eq!((v["path"].as_str(), v["shape"][0].as_u64()), (Some("/v"), Some(4)));
    assert_eq!(v["aggregation"]["fragments"][0], 2);
    assert_eq!(v["fragments"][0]["versions"][0]["state"], "there");
    assert_eq!(v["fragments"][1]["versions"][1]["state"], "missing");
}

#[test]
fn read_prints_a_table_with_coordinates_and_dates() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["ordinary"]);
    let table = good(folder.path(), &["read", "ordinary.nc", "tas"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[1], "         time \\ lat  60.1  50  -10");
    assert_eq!(lines[3], "2001-02-28 12:00:00     4   _    6");
    assert!(lines[0].starts_with("tas") && lines[0].contains("packed"), "{}", lines[0]);
    assert_eq!(
        good(folder.path(), &["read", "ordinary.nc", "scalar"]).lines().last().map(str::trim),
        Some("2.5")
    );
}

#[test]
fn read_gives_json_csv_and_raw() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["ordinary"]);
    let read = |words: &[&str]| good(folder.path(), &[&["read", "ordinary.nc"], words].concat());
    let json: serde_json::Value =
        serde_json::from_str(&read(&["tas", "--json", "--start=1,2", "--stride=1,-1"])).unwrap();
    assert_eq!(json["shape"], serde_json::json!([3, 3]));
    assert_eq!(json["values"], serde_json::json!([6, null, 4, 9, 8, 7, 12, 11, 10]));
    assert_eq!((json["dtype"].as_str(), json["dims"][1].as_str()), (Some("i2"), Some("lat")));
    assert_eq!(read(&["height", "--csv"]), "station,height\n\"north, upper\",1e20\nsouth,0.1\n");
    let raw = cfa(folder.path(), &["read", "ordinary.nc", "count", "--raw", "--count=2"]).stdout;
    assert_eq!(raw, [10i32.to_ne_bytes(), 11i32.to_ne_bytes()].concat());
    assert_eq!(read(&["station", "--raw"]), "north, upper\nsouth\n");
}

#[test]
fn parts_are_selected_by_number_date_word_and_index() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["ordinary"]);
    let values = |variable: &str, select: &[&str]| {
        let mut words = vec!["read", "ordinary.nc", variable, "--json"];
        select.iter().for_each(|s| words.extend(["--select", s]));
        let json: serde_json::Value = serde_json::from_str(&good(folder.path(), &words)).unwrap();
        json["values"].to_string()
    };
    assert_eq!(values("tas", &["time=2001-03", "lat=-10..50"]), "[8,9,11,12]");
    assert_eq!(values("tas", &["time=2001-03-01..2001-02-28", "lat=60.1"]), "[4,7]");
    assert_eq!(values("tas", &["time=2001-03-01T12:00:00Z..", "lat=50"]), "[8,11]");
    assert_eq!(values("tas", &["time=..2001-02-27", "lat=50.."]), "[1,2]");
    assert_eq!(values("tas", &["time=2001", "lat=50"]), "[2,null,8,11]");
    assert_eq!(values("tas", &["time=2..3", "lat=50"]), "[8,11]");
    assert_eq!(values("height", &["station=south"]), "[0.1]");
    assert_eq!(values("height", &["station=south..north, upper"]), "[1e20,0.1]".replace("1e20", "1e+20"));
    assert_eq!(values("count", &["bare=3.."]), "[13,14]");
    let fails = |select: &str, says: &str| {
        let message = bad(folder.path(), 1, &["read", "ordinary.nc", "tas", "--select", select]);
        assert!(message.contains(says), "{message}");
    };
    fails("time=2002-01", "go from 2001-02-27 12:00:00 to 2001-03-02 12:00:00");
    fails("time=2001-xx", "is not a date");
    fails("lat=north", "is not a number");
    fails("depth=3", "the variable has: time, lat");
    fails("lat", "expected DIM=VALUE");
}

#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent", "first", "ordinary"]);
    let message = bad(folder.path(), 1, &["read", "absent.nc", "v"]);
    assert!(message.starts_with("cfa: absent.nc: variable '/v': fragment [1]: not found"), "{message}");
    assert!(message.contains("--missing-fragments fill") && message.contains("--relocate"), "{message}");
    let message = bad(folder.path(), 1, &["read", "ordinary.nc", "nope"]);
    assert!(message.contains("it has: time, lat, station"), "{message}");
    assert!(bad(folder.path(), 1, &["info", "nope.nc"]).contains("no such file"));
    assert!(bad(folder.path(), 1, &["info", "."]).contains("regular file"));
    assert!(bad(folder.path(), 1, &["read", "ordinary.nc", "tas", "--start=9,0"]).contains("outside"));
    assert!(bad(folder.path(), 1, &["read", "ordinary.nc", "tas", "--count=1"]).contains("2 dimensions"));
    assert!(bad(folder.path(), 1, &["read", "ordinary.nc", "tas", "--stride=0,1"]).contains("step"));
    assert!(bad(folder.path(), 1, &["read", "ordinary.nc", "tas", "--start=x"]).contains("whole numbers"));
    assert!(bad(folder.path(), 1, &["read", "absent.nc", "v", "--set", "NO=1"]).contains("unknown setting"));
    // A smaller part would have the same number.
    let message = bad(folder.path(), 1, &["read", "absent.nc", "v", "--set", "MAX_FRAGMENTS=1"]);
    assert!(message.contains("MAX_FRAGMENTS") && !message.contains("--start"), "{message}");
    assert!(bad(folder.path(), 2, &["read", "ordinary.nc"]).contains("Usage"));
    assert!(
        bad(folder.path(), 2, &["read", "ordinary.nc", "tas", "--json", "--csv"]).contains("cannot be used")
    );
    let output = cfa(folder.path(), &["read", "absent.nc", "v", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), json["error"].as_str()), (Some(1), Some("fragment-missing")));
}

#[test]
fn settings_come_from_the_environment_and_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent", "first", "second"]);
    let fill = |words: &[&str]| good(folder.path(), &[&["read", "absent.nc", "v", "--csv"], words].concat());
    assert_eq!(fill(&["--missing-fragments", "fill"]), "x,v\n0,100\n1,\n2,\n3,\n");
    assert_eq!(fill(&["--substitution", "${OLD}=."]), "x,v\n0,100\n1,102\n2,103\n3,104\n");
    let run = |value: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cfa"));
        command.current_dir(folder.path()).env("CFA_MISSING_FRAGMENTS", value);
        command.args(["read", "absent.nc", "v", "--csv"]).args(words).output().unwrap()
    };
    assert!(run("fill", &[]).status.success());
    assert_eq!(run("fill", &["--missing-fragments", "error"]).status.code(), Some(1));
    let odd = run("perhaps", &[]);
    assert!(text(&odd.stderr).contains("CFA_MISSING_FRAGMENTS"), "{}", text(&odd.stderr));
    let message = bad(folder.path(), 1, &["read", "absent.nc", "v", "--allowed-sources", "/nowhere"]);
    assert!(message.contains("ALLOWED_SOURCES"), "{message}");
}

#[test]
fn help_teaches() {
    let folder = tempfile::tempdir().unwrap();
    let general = good(folder.path(), &["--help"]);
    assert!(general.contains("Examples:") && general.contains("Exit status"), "{general}");
    let read = good(folder.path(), &["read", "--help"]);
    for word in ["--select", "--start", "--json", "--csv", "--raw", "--missing-fragments", "--relocate"] {
        assert!(read.contains(word), "{word}");
    }
    for setting in cfa::SETTINGS {
        assert!(read.contains(&format!("{}: ", setting.name)), "{}", setting.name);
    }
    assert!(good(folder.path(), &["info", "--help"]).contains("--fragments"));
    assert!(bad(folder.path(), 2, &[]).contains("Usage"));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), &["absent", "ordinary"]);
    for words in
        [&["read", "ordinary.nc", "tas", "--csv"][..], &["read", "absent.nc", "v", "--json"], &["info", "."]]
    {
        let mut child = Command::new(env!("CARGO_BIN_EXE_cfa"))
            .current_dir(folder.path())
            .args(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let status = child.wait().unwrap();
        assert!(
            !said.contains("panicked") && matches!(status.code(), Some(0 | 1)),
            "{words:?}: {status} {said}"
        );
    }
}

#[test]
fn raw_bytes_that_cannot_tell_what_is_missing_are_refused() {
    use crate::support::{write, Data, FileSpec, Format, Var};
    let folder = tempfile::tempdir().unwrap();
    let vars = vec![
        Var::new("v", cfa::DataType::I8, &[], Data::None)
            .with("aggregated_dimensions", "x")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", cfa::DataType::I32, &[("one", 1), ("f", 1)], Data::Numbers(vec![2.0])),
        Var::new("u", cfa::DataType::String, &[("f", 1)], Data::Texts(vec!["gone.nc".into()])),
        Var::new("i", cfa::DataType::String, &[], Data::Texts(vec!["v".into()])),
    ];
    let spec = FileSpec { format: Format::Cdf1, dims: vec![("x".into(), 2)], vars };
    write(&folder.path().join("agg.nc"), &spec);
    let fill = ["read", "agg.nc", "v", "--missing-fragments", "fill"];
    assert!(good(folder.path(), &[&fill[..], &["--csv"]].concat()).ends_with("0,\n1,\n"));
    assert!(bad(folder.path(), 1, &[&fill[..], &["--raw"]].concat()).contains("--set MISSING_BYTES=N"));
    let chosen = [&fill[..], &["--raw", "--set", "MISSING_BYTES=88"]].concat();
    assert_eq!(good(folder.path(), &chosen), "XX");
    // The extracted file states the value for missing data.
    let extract = ["extract", "agg.nc", "out.nc", "--missing-fragments", "fill", "--quiet"];
    assert!(bad(folder.path(), 1, &extract).contains("--set MISSING_BYTES=N"));
    good(folder.path(), &[&extract[..], &["--set", "MISSING_BYTES=-1"]].concat());
    assert!(good(folder.path(), &["read", "out.nc", "v", "--json"]).contains("[null,null]"));
}

#[test]
fn names_in_a_file_play_no_tricks_on_the_terminal() {
    use crate::support::{write, Data, FileSpec, Format, Var};
    let folder = tempfile::tempdir().unwrap();
    let vars = vec![
        Var::new("v", cfa::DataType::I32, &[], Data::None)
            .with("aggregated_dimensions", "x")
            .with("aggregated_data", "map: m uris: u identifiers: i"),
        Var::new("m", cfa::DataType::I32, &[("one", 1), ("f", 1)], Data::Numbers(vec![2.0])),
        Var::new("u", cfa::DataType::String, &[("f", 1)], Data::Texts(vec!["\x1b[2Jgone.nc".into()])),
        Var::new("i", cfa::DataType::String, &[], Data::Texts(vec!["v\x07".into()])),
    ];
    let spec = FileSpec { format: Format::Cdf1, dims: vec![("x".into(), 2)], vars };
    write(&folder.path().join("agg.nc"), &spec);
    for words in [&["info", "agg.nc", "--fragments"][..], &["read", "agg.nc", "v"]] {
        let output = cfa(folder.path(), words);
        let said = [output.stdout, output.stderr].concat();
        assert!(text(&said).contains("gone.nc"), "{}", text(&said));
        assert!(!said.iter().any(|&b| b == 0x1b || b == 7), "{words:?}");
    }
}

/// Standard output of a program whose terminal has this many columns. Lines end as in a file.
fn on_terminal(folder: &Path, columns: u32, words: &str) -> String {
    let command = format!("stty cols {columns} rows 50; NO_COLOR=1 {} {words}", env!("CARGO_BIN_EXE_cfa"));
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(folder).stdin(Stdio::null());
    let output = script.output().expect("script of bsdutils");
    assert!(output.status.success(), "{words}: {}", text(&output.stdout));
    text(&output.stdout).replace("\r\n", "\n")
}

#[test]
fn tables_fit_the_terminal_and_say_what_they_leave_out() {
    let folder = tempfile::tempdir().unwrap();
    let values: Vec<String> = (0..60 * 50).map(|i| i.to_string()).collect();
    let body =
        format!("dimensions: y = 60 ; x = 50 ; variables: int v(y, x) ; data: v = {} ;", values.join(", "));
    make_from(folder.path(), "a", &body);
    for columns in [20, 40, 81, 120] {
        let shown = on_terminal(folder.path(), columns, "read a.nc v");
        let widest = shown.lines().map(|l| l.chars().count()).max().unwrap();
        assert!(widest <= columns as usize, "{columns}: {shown}");
        let table: Vec<&str> = shown.lines().skip(1).take(42).collect();
        assert!(columns < 81 || table.iter().any(|l| l.chars().count() + 6 > columns as usize), "{shown}");
        // The first, the middle that is left out, and the last.
        assert!(table[1].split_whitespace().take(2).eq(["0", "0"]) && table[1].contains("..."), "{shown}");
        assert!(
            table[41].split_whitespace().eq(table[41].split_whitespace()) && table[41].contains("2950"),
            "{shown}"
        );
        let end = shown.replace("\n    ", " ");
        assert!(
            end.contains("left out: 20 of y, ") && end.contains(" of x; a file or pipe gets everything"),
            "{end}"
        );
        assert!(end.contains("less -S") && end.contains("--select"), "{end}");
    }
    let wide = on_terminal(folder.path(), 400, "read a.nc v");
    assert!(wide.contains("left out: 20 of y; ") && wide.lines().nth(1).unwrap().ends_with("  49"), "{wide}");
    let piped = good(folder.path(), &["read", "a.nc", "v"]);
    let numbers: Vec<&str> = piped.lines().skip(2).flat_map(|l| l.split_whitespace().skip(1)).collect();
    assert_eq!((piped.lines().count(), numbers), (62, values.iter().map(String::as_str).collect()));
}

#[test]
fn lines_of_info_fit_the_terminal_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: t = 4 ; variables: int t(t) ; t:units = \"days since 2001-01-01 12:00\" ;
        float v(t) ; v:long_name = \"near-surface air temperature in the middle of the day\" ; data: t = 0, 1, 5, 6 ;";
    make_from(folder.path(), "a", body);
    let piped = good(folder.path(), &["info", "a.nc"]);
    let narrow = on_terminal(folder.path(), 50, "info a.nc");
    assert!(
        narrow.lines().all(|l| l.chars().count() <= 50) && narrow.lines().count() > piped.lines().count(),
        "{narrow}"
    );
    assert!(narrow.split_whitespace().eq(piped.split_whitespace()), "{narrow}");
}

#[test]
fn wide_characters_are_counted_as_the_terminal_shows_them() {
    let folder = tempfile::tempdir().unwrap();
    let body = "dimensions: s = 3 ; x = 1 ; variables: string s(s) ; int v(s, x) ;
        data: s = \"東京\", \"Basel\", \"Zu\u{308}rich\" ; v = 1, 2, 3 ;";
    make_from(folder.path(), "a", body);
    let table = good(folder.path(), &["read", "a.nc", "v"]);
    let lines: Vec<&str> = table.lines().skip(1).collect();
    assert_eq!(lines, [" s \\ x  0", "  東京  1", " Basel  2", "Zu\u{308}rich  3"]);
}
