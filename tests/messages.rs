//! Whatever a file contains, messages about it are short, have no effect on a terminal and reveal no secrets.

use std::fs;
use std::path::Path;

use crate::support::program::cfa;
use crate::support::{write, Data, FileSpec, Format, Rng, Var};
use cfa::create::{plan, Options};
use cfa::internals::write::aggregation::{add, Aggregated, Content};
use cfa::internals::write::{write_file, File, Variable};
use cfa::Dialect;
use cfa::OpenOptions;
use cfa::{DataType, Dataset, Selection};
use cfa::{Fragment, Version};

/// Stands for characters in names, three bytes each time; libnetcdf itself refuses to write most of them.
const PLACEHOLDER: &str = "QQQ";

/// Characters that act: C0 and DEL, C1, ends of lines, directions of writing.
const TRICKS: [&str; 5] = ["\x1b\x07\x7f", "a\u{9b}", "\r\nx", "\u{202e}", "\u{2028}"];

fn is_deceptive(c: char) -> bool {
    (c.is_control() && c != '\n')
        || ('\u{2028}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
}

/// An aggregation of the file `f{odd}.nc` and of one that is not there, with this text in every name.
fn aggregation(folder: &Path, odd: &str) {
    let texts = |list: &[&str]| Data::Texts(list.iter().map(|t| format!("{t}{odd}")).collect());
    let fragment = FileSpec {
        format: Format::Cdf5,
        dims: Vec::new(),
        vars: vec![
            Var::new(
                &format!("v{odd}"),
                DataType::F64,
                &[(&format!("x{odd}"), 2)],
                Data::Numbers(vec![1.0, 2.0]),
            )
            .with("units", format!("K{odd}")),
            Var::new(
                &format!("x{odd}"),
                DataType::F64,
                &[(&format!("x{odd}"), 2)],
                Data::Numbers(vec![0.0, 1.0]),
            ),
        ],
    };
    write(&folder.join("f.nc"), &fragment);
    let whole = FileSpec {
        format: Format::Cdf5,
        dims: vec![(format!("x{odd}"), 4)],
        vars: vec![
            Var::new(&format!("v{odd}"), DataType::F64, &[], Data::None)
                .with("units", format!("K{odd}"))
                .with(&format!("note{odd}"), format!("a{odd}"))
                .with("aggregated_dimensions", format!("x{odd}"))
                .with("aggregated_data", "map: map uris: uris identifiers: ids"),
            Var::new(&format!("w{odd}"), DataType::F64, &[], Data::None)
                .with("aggregated_dimensions", format!("x{odd}"))
                .with("aggregated_data", format!("map: map{odd} uris: uris odd{odd}: ids")),
            Var::new(&format!("words{odd}"), DataType::Char, &[("two", 2)], texts(&["one", "two"])),
            Var::new("map", DataType::I32, &[("one", 1), ("two", 2)], Data::Numbers(vec![2.0, 2.0])),
            Var::new("uris", DataType::Char, &[("two", 2)], texts(&["f.nc", "https://me:pw@host/gone"])),
            Var::new("ids", DataType::Char, &[("two", 2)], texts(&["v", "v"])),
        ],
    };
    write(&folder.join("agg.nc"), &whole);
}

/// Puts the characters in place of the placeholder, in the files and in the name of one.
fn play(folder: &Path, trick: &str) {
    for name in ["f.nc", "agg.nc"] {
        let bytes = fs::read(folder.join(name)).unwrap();
        let mut played = bytes.clone();
        for at in 0..bytes.len().saturating_sub(2) {
            if bytes[at..].starts_with(PLACEHOLDER.as_bytes()) {
                played[at..at + 3].copy_from_slice(trick.as_bytes());
            }
        }
        assert_ne!(bytes, played);
        fs::write(folder.join(name), played).unwrap();
    }
    fs::copy(folder.join("f.nc"), folder.join(format!("f.nc{trick}"))).unwrap();
}

/// Every verb, on what `aggregation` makes.
fn verbs<'a>(variable: &'a str, other: &'a str, words: &'a str, file: &'a str) -> Vec<Vec<&'a str>> {
    vec![
        vec!["info", "agg.nc"],
        vec!["info", "agg.nc", "--fragments"],
        vec!["info", "agg.nc", "--fragments", "--json"],
        vec!["info", "agg.nc", "--set", "RAW_VIEW=YES"],
        vec!["info", "agg.nc", "none"],
        vec!["check", "agg.nc"],
        vec!["check", "agg.nc", "--fragments"],
        vec!["check", "agg.nc", "--fragments", "--json"],
        vec!["check", "agg.nc", "--report", "report.html"],
        vec!["read", "agg.nc", variable],
        vec!["read", "agg.nc", variable, "--missing-fragments", "fill"],
        vec!["read", "agg.nc", variable, "--count", "2"],
        vec!["read", "agg.nc", variable, "--count", "2", "--csv"],
        vec!["read", "agg.nc", variable, "--count", "2", "--json"],
        vec!["read", "agg.nc", variable, "--json"],
        vec!["read", "agg.nc", variable, "--select", "none=1"],
        vec!["read", "agg.nc", other],
        vec!["read", "agg.nc", words],
        vec!["read", "agg.nc", words, "--csv"],
        vec!["read", "agg.nc", words, "--json"],
        vec!["create", "out.nc", file],
        vec!["create", "out.nc", file, "--dry-run"],
        vec!["create", "out.nc", file, "f.nc"],
        vec!["create", "out.nc", file, "agg.nc"],
        vec!["create", "out.nc", file, "f.nc", "--new-dim", "n", "--dry-run"],
        vec!["convert", "agg.nc", "converted.nc"],
        vec!["convert", "agg.nc", "converted.nc", "--dialect", "CFA-0.4"],
        vec!["extract", "agg.nc", "extracted.nc"],
        vec!["extract", "agg.nc", "extracted.nc", "--variable", variable],
    ]
}

/// All that a verb prints, its report included.
fn printed(folder: &Path, words: &[&str]) -> String {
    let output = cfa(folder, words);
    let mut all = String::from_utf8(output.stdout).unwrap();
    all += &String::from_utf8(output.stderr).unwrap();
    if words.contains(&"--report") {
        all += &fs::read_to_string(folder.join("report.html")).unwrap();
    }
    all
}

#[test]
fn no_verb_prints_characters_that_act_on_a_terminal() {
    for trick in TRICKS {
        let folder = tempfile::tempdir().unwrap();
        aggregation(folder.path(), PLACEHOLDER);
        play(folder.path(), trick);
        let [variable, other, words] = ["v", "w", "words"].map(|name| format!("{name}{trick}"));
        let file = format!("f.nc{trick}");
        for words in verbs(&variable, &other, &words, &file) {
            let all = printed(folder.path(), &words);
            let found = all
                .find(is_deceptive)
                .map(|at| all[at.saturating_sub(60)..].chars().take(90).collect::<String>());
            assert_eq!(found, None, "{words:?}");
        }
    }
}

#[test]
fn text_of_files_is_whole_in_json() {
    for trick in TRICKS {
        let folder = tempfile::tempdir().unwrap();
        aggregation(folder.path(), PLACEHOLDER);
        play(folder.path(), trick);
        let output = cfa(folder.path(), &["info", "agg.nc", "--json"]);
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let names: Vec<&str> =
            json["variables"].as_array().unwrap().iter().filter_map(|v| v["path"].as_str()).collect();
        assert!(names.contains(&&*format!("/v{trick}")), "{names:?}");
        // A name with a space would be two in the list of dimensions.
        if trick.contains(char::is_whitespace) {
            continue;
        }
        let csv = cfa(folder.path(), &["read", "agg.nc", &format!("v{trick}"), "--count", "2", "--csv"]);
        let (told, shown) = [csv.stderr, csv.stdout].map(|bytes| String::from_utf8(bytes).unwrap()).into();
        assert_eq!(shown.lines().count(), 3, "{told}");
    }
}

#[test]
fn messages_stay_below_four_kibibytes() {
    let folder = tempfile::tempdir().unwrap();
    // libnetcdf writes names of at most 256 bytes; longer ones are made from such a name below.
    aggregation(folder.path(), PLACEHOLDER);
    let long = "n".repeat(200_000);
    for (odd, identifier) in [("q", &*long), ("\x1b", "v")] {
        let path = folder.path().join("long.nc");
        let mut vars = vec![
            Var::new("v", DataType::F64, &[], Data::None)
                .with("units", format!("{odd}{long}"))
                .with("aggregated_dimensions", "x")
                .with("aggregated_data", "map: map uris: uris identifiers: ids"),
            Var::new("w", DataType::F64, &[], Data::None)
                .with("aggregated_dimensions", format!("x {long}"))
                .with("aggregated_data", "map: map uris: uris identifiers: ids"),
            Var::new("y", DataType::F64, &[], Data::None)
                .with("aggregated_dimensions", "x")
                .with("aggregated_data", format!("map: map uris: {long} {long}: ids")),
            Var::new("map", DataType::I32, &[("one", 1), ("two", 2)], Data::Numbers(vec![2.0, 2.0])),
            Var::new(
                "uris",
                DataType::String,
                &[("two", 2)],
                Data::Texts(vec!["f.nc".into(), format!("{odd}{long}/{long}")]),
            ),
            Var::new(
                "ids",
                DataType::String,
                &[("two", 2)],
                Data::Texts(vec![identifier.into(), long.clone()]),
            ),
        ];
        vars.extend((0..60).map(|n| {
            Var::new(
                &format!("{}{n}", "m".repeat(240)),
                DataType::F64,
                &[("x", 4)],
                Data::Numbers(vec![0.0; 4]),
            )
        }));
        write(&path, &FileSpec { format: Format::Nc4, dims: vec![("x".into(), 4)], vars });
        fs::copy(&path, folder.path().join("agg.nc")).unwrap();
        let far = format!("{}.nc", "d/".repeat(20_000));
        for mut words in verbs("v", "w", "y", &far) {
            // The content of a table is not a message.
            words.retain(|&word| word != "--set" && word != "RAW_VIEW=YES");
            let output = cfa(folder.path(), &words);
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(told.lines().all(|line| line.len() < 4096), "{words:?}: {}", told.len());
            let shown = String::from_utf8(output.stdout).unwrap();
            if words[0] == "check" && !words.contains(&"--json") {
                assert!(shown.lines().all(|line| line.len() < 4096), "{words:?}: {}", shown.len());
            }
            for line in shown.lines().filter(|line| line.starts_with("note:")) {
                assert!(line.len() < 4096, "{words:?}: {}", line.len());
            }
            let json = serde_json::from_str::<serde_json::Value>(&shown).unwrap_or_default();
            let findings = json["findings"].as_array().cloned().unwrap_or_default();
            for message in findings.iter().chain([&json]).filter_map(|object| object["message"].as_str()) {
                assert!(message.len() < 4096, "{words:?}: {}", message.len());
            }
        }
    }
}

/// A location that leads to a file of this directory, of about this many bytes, and the path that it means.
fn roundabout(name: &str, bytes: usize) -> (String, String) {
    (format!("{}{name}", "%2E/".repeat(bytes / 4)), format!("{}{name}", "./".repeat(bytes / 4)))
}

#[test]
fn warnings_and_notes_stay_below_four_kibibytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, size: usize, empty: bool| {
        let mut vars = vec![Var::new("v", DataType::F64, &[("x", size)], Data::Numbers(vec![1.0; size]))];
        if empty {
            let name = "w".repeat(250);
            vars.push(Var::new(&name, DataType::F64, &[("none", 0)], Data::Numbers(Vec::new())));
        }
        write(&folder.path().join(name), &FileSpec { format: Format::Nc4, dims: Vec::new(), vars });
    };
    file("wrong.nc", 3, false);
    file("right.nc", 2, false);
    file("empty.nc", 2, true);
    let (location, _) = roundabout("wrong.nc", 7000);
    let versions = [location, "right.nc".to_owned()].map(|location| Version {
        location: Some(location),
        identifier: "v".into(),
        format: Some("nc".into()),
    });
    let mut made = File::default();
    made.add_dimension("x", 2);
    let fragments = Content::Stored(vec![Fragment::Stored { versions: versions.into(), view: None }]);
    let variable = Variable::new("v", DataType::F64, &["x"]);
    add(&mut made, &Aggregated { variable, sizes: vec![vec![2]], fragments }, Dialect::Cfa062).unwrap();
    let path = folder.path().join("agg.nc");
    write_file(&made, &path, cfa::internals::write::Format::Netcdf4).unwrap();
    let dataset = Dataset::open(&path).unwrap();
    dataset.variable("v").unwrap().read_values(&Selection::all(&[2])).unwrap();
    let warnings = dataset.warnings();
    assert!(warnings.iter().any(|told| told.contains("is skipped")), "{warnings:?}");
    assert!(warnings.iter().all(|told| told.len() < 4096), "{}", warnings[0].len());

    let start = folder.path().to_str().unwrap();
    let (_, path) = roundabout("empty.nc", 2 * (4000 - start.len()));
    let inputs = [folder.path().join(path)];
    let notes = plan(&folder.path().join("new.nc"), &inputs, &Options::default(), None).unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("has no data in")), "{notes:?}");
    assert!(notes.iter().all(|note| note.len() < 4096), "{}", notes[0].len());
}

/// A location with secrets in it, of whatever form.
fn location(rng: &mut Rng) -> String {
    let odd = ["", "", "", "/", "?", "#", "@", ":", "%", "%2F", "%40", "\\", " ", "é"];
    let mut secret = || format!("{}QZX{}QZX{}", rng.pick(&odd), rng.pick(&odd), rng.pick(&odd));
    let (password, query, signature) = (secret(), secret(), secret());
    let schemes = [
        "https://", "HTTP://", "s3://", "S3://", "ftp://", "file://", "FILE://", "https:", "//", "\\\\", "",
        "./", "a_b://",
    ];
    let scheme = rng.pick(&schemes);
    let user = rng.pick(&["", "me", "QZXuser"]);
    let user = if scheme.is_empty() || scheme == "./" { "QZXuser" } else { user };
    let host = rng.pick(&["host.invalid", "127.0.0.1", "127.0.0.1:1", "[::1]"]);
    let path = rng.pick(&["", "/a.nc", "/d/../a.nc", "/d%20e/a.nc"]);
    let end = rng.pick(&[
        "".to_owned(),
        format!("?sig={query}"),
        format!("?a=b&X-Amz-Signature={query}#{signature}"),
    ]);
    let whole = format!("{scheme}{user}:{password}@{host}{path}{end}");
    if rng.once_in(8) {
        return whole.replace(':', "%3A").replace('/', "%2F").replace('@', "%40");
    }
    whole
}

const MISPLACED: &str = "https://me:QZX@host.invalid/a.nc?sig=QZX";

#[test]
fn no_secret_of_a_location_is_in_any_message() {
    let mut rng = Rng::new(15);
    for case in 0..crate::support::cases(20) {
        let folder = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..4).map(|_| location(&mut rng)).collect();
        let style = if case % 2 == 0 {
            "map: map uris: uris identifiers: ids"
        } else {
            "location: map file: uris address: ids format: form"
        };
        let whole = FileSpec {
            format: Format::Nc4,
            dims: vec![("x".into(), 4)],
            vars: vec![
                Var::new("v", DataType::F64, &[], Data::None)
                    .with("aggregated_dimensions", "x")
                    .with("aggregated_data", style),
                Var::new("map", DataType::I32, &[("one", 1), ("four", 4)], Data::Numbers(vec![1.0; 4])),
                Var::new("uris", DataType::String, &[("four", 4)], Data::Texts(names.clone())),
                Var::new("form", DataType::String, &[("four", 4)], Data::Texts(vec!["nc".into(); 4])),
                Var::new("ids", DataType::String, &[("four", 4)], Data::Texts(vec!["v".into(); 4])),
            ],
        };
        let path = folder.path().join("agg.nc");
        write(&path, &whole);
        let mut said = Vec::new();
        let moved = location(&mut rng);
        for (setting, value) in [
            ("ALLOWED_SOURCES", "SIBLINGS".to_owned()),
            ("ALLOWED_SOURCES", "DEFAULT".to_owned()),
            ("ALLOWED_SOURCES", "ALL".to_owned()),
            ("ALLOWED_SOURCES", format!("/nowhere;{}", names[0])),
            ("RELOCATE", format!("{}={moved}", names[0].split(';').next().unwrap_or_default())),
            ("SUBSTITUTIONS", format!("${{base}}={moved}")),
            ("NUM_THREADS", moved.clone()),
            (&*moved.clone(), "1".to_owned()),
        ] {
            let mut options = OpenOptions::default().num_threads(1).http_max_retry(0);
            said.extend(
                options
                    .set(setting, &value)
                    .err()
                    .map(|error| error.to_string())
                    .filter(|_| setting != "NUM_THREADS"),
            );
            said.push(format!("{:?}", options.allowed_sources));
            let dataset = Dataset::open_with(&path, &options).unwrap();
            let variable = dataset.variable("v").unwrap();
            for n in 0..4 {
                let part = Selection::block(&[n], &[1], &[4]).unwrap();
                said.extend(variable.read_values(&part).err().map(|error| error.to_string()));
            }
            said.extend(dataset.warnings());
        }
        for name in &names {
            said.extend(Dataset::open(Path::new(name)).err().map(|error| error.to_string()));
        }
        let folder = folder.path();
        let option = format!("--{}", names[3]);
        let setting = format!("NUM_THREADS={MISPLACED}");
        for words in [
            vec!["info", "agg.nc", "--fragments"],
            vec!["check", "agg.nc", "--fragments"],
            vec!["check", "agg.nc", "--fragments", "--json"],
            vec!["check", "agg.nc", "--report", "report.html"],
            vec!["create", "out.nc", &names[0]],
            vec!["create", "out.nc", "agg.nc"],
            vec!["create", "out.nc", "agg.nc", "--base", &names[1]],
            vec!["create", "out.nc", "agg.nc", "--update"],
            vec!["create", &names[1], "agg.nc"],
            vec!["convert", "agg.nc", "out2.nc"],
            vec!["convert", "agg.nc", "out3.nc", "--relative"],
            vec!["convert", "agg.nc", &names[2]],
            vec!["extract", "agg.nc", "out4.nc"],
            vec!["info", &names[0]],
            vec!["check", &names[1]],
            vec!["read", &names[2], "v"],
            vec!["read", "agg.nc", "v", "--set", &names[0]],
            // The verb is missing, or there is one name too many.
            vec![&names[0]],
            vec!["info", "agg.nc", "v", &names[0]],
            vec!["info", &option],
            // A location where something else belongs.
            vec!["read", "agg.nc", MISPLACED],
            vec!["info", "agg.nc", MISPLACED],
            vec!["read", "agg.nc", "v", "--start", MISPLACED],
            vec!["read", "agg.nc", "v", "--select", MISPLACED],
            vec!["read", "agg.nc", "v", "--set", &setting],
            vec!["create", "out.nc", "agg.nc", "--dialect", MISPLACED],
            vec!["create", "out.nc", "agg.nc", "--format", MISPLACED],
            vec!["extract", "agg.nc", "out4.nc", "--chunk", MISPLACED],
        ] {
            said.push(printed(folder, &words));
        }
        for text in &said {
            assert!(!text.contains("QZX"), "{names:#?} {moved}: {text}");
        }
    }
}
