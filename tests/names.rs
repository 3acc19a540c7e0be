//! Names of files are bytes: a file whose name is not UTF-8 is written, found and read like any other.
#![cfg(unix)]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cfa::create::{create, expand, Options};
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::EntrySource;
use cfa::{Dataset, Kind, Selection, Values};

fn name(bytes: &[u8]) -> OsString {
    OsString::from_vec(bytes.to_vec())
}

/// A file with one day.
fn day(path: &Path, day: u32) {
    let mut file = File::default();
    file.add_dimension("time", 1);
    let time = Variable::with_values("time", &["time"], Values::F64(vec![f64::from(day)]));
    file.variables.push(time.attribute("units", "days since 2001-01-01"));
    let tas = Variable::with_values("tas", &["time"], Values::F32(vec![day as f32]));
    file.variables.push(tas.attribute("units", "K"));
    write_file(&file, path, Format::Netcdf4).unwrap();
}

/// `d\xFF/tas_\xE9.nc`, `d\xFF/tas_\xEA.nc` and `d\xFF/tas_é.nc`: days 0 to 2.
fn scene() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join(name(b"d\xFF"));
    fs::create_dir(&data).unwrap();
    for (number, bytes) in [&b"tas_\xE9.nc"[..], b"tas_\xEA.nc", "tas_é.nc".as_bytes()].iter().enumerate() {
        day(&data.join(name(bytes)), number as u32);
    }
    (folder, data)
}

fn cfa<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cfa")).args(arguments).current_dir(folder).output().unwrap()
}

#[track_caller]
fn good<S: AsRef<OsStr>>(folder: &Path, arguments: &[S]) -> String {
    let output = cfa(folder, arguments);
    let words: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn values(path: &Path) -> Values {
    let tas = Dataset::open(path).unwrap().variable("tas").unwrap();
    let shape = tas.shape().unwrap().to_vec();
    tas.read_values(&Selection::all(&shape)).unwrap()
}

fn locations(path: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let tas = Dataset::open(path).unwrap().variable("tas").unwrap();
    tas.for_each_fragment(|entry| {
        if let EntrySource::Versions(versions) = entry.source {
            found.extend(versions.into_iter().filter_map(|v| v.location));
        }
        Ok::<(), cfa::Error>(())
    })
    .unwrap();
    found
}

const ALL: [f32; 3] = [0.0, 1.0, 2.0];

#[test]
fn every_way_to_give_files_keeps_their_bytes() {
    let (folder, data) = scene();
    let root = folder.path();
    let inside = |bytes: &[u8]| {
        let mut whole = b"d\xFF/".to_vec();
        whole.extend(bytes);
        name(&whole)
    };
    let list = [
        b"d\xFF/tas_\xE9.nc\r\n# note \xFE\n".to_vec(),
        b"d\xFF/tas_\xEA.nc\n".to_vec(),
        inside("tas_é.nc".as_bytes()).into_vec(),
    ];
    fs::write(root.join(name(b"list\xFE.txt")), list.concat()).unwrap();
    let named = vec![inside(b"tas_\xEA.nc"), inside("tas_é.nc".as_bytes()), inside(b"tas_\xE9.nc")];
    let ways = [
        named,
        vec![name(b"d\xFF")],
        vec![inside(b"*.nc")],
        // One character, whether a letter or a byte that is not one.
        vec![inside(b"tas_?.nc")],
        vec![inside(b"tas_[!a].nc")],
        vec![inside(b"tas_[\xE9\xEA].nc"), inside("tas_[é].nc".as_bytes())],
        vec![inside(b"tas_[\xE0-\xEF].nc"), inside("tas_[à-ï].nc".as_bytes())],
        vec![name(b"d?/*.nc")],
        vec![name(b"**/tas_*.nc")],
        vec![name(b"@list\xFE.txt")],
        vec![data.join("*").into_os_string()],
    ];
    for way in ways {
        let mut words = vec![name(b"create"), name(b"out.nc")];
        words.extend(way.iter().cloned());
        good(root, &words);
        assert_eq!(
            locations(&root.join("out.nc")),
            ["d%FF/tas_%E9.nc", "d%FF/tas_%EA.nc", "d%FF/tas_%C3%A9.nc"],
            "{way:?}"
        );
        assert_eq!(values(&root.join("out.nc")), Values::F32(ALL.to_vec()), "{way:?}");
    }
}

#[test]
fn every_form_of_location_leads_back_to_the_bytes() {
    let (folder, _) = scene();
    let root = fs::canonicalize(folder.path()).unwrap();
    fs::create_dir(root.join("sub")).unwrap();
    let out = root.join("out.nc");
    for dialect in ["CF-1.13", "CF-draft", "CFA-0.6.2", "CFA-0.6b1", "CFA-terms"] {
        for format in ["netcdf4", "classic"] {
            let d = name(b"d\xFF");
            let words = |option: &[&str]| {
                let fixed = ["create", "out.nc", "--dialect", dialect, "--format", format, "--overwrite"];
                let mut words: Vec<OsString> = fixed.iter().chain(option).map(OsString::from).collect();
                words.push(d.clone());
                words
            };
            good(&root, &words(&[]));
            assert_eq!(values(&out), Values::F32(ALL.to_vec()), "{dialect}");
            good(&root, &words(&["--absolute"]));
            assert_eq!(values(&out), Values::F32(ALL.to_vec()), "{dialect}");
            assert_eq!(locations(&out)[0], format!("file://{}/d%FF/tas_%E9.nc", root.display()));
            good(&root, &words(&["--base", "https://host/x/"]));
            assert_eq!(locations(&out)[0], "https://host/x/d%FF/tas_%E9.nc");
            // Converted for another place, relative and absolute.
            good(&root, &words(&[]));
            for option in ["--relative", "--absolute"] {
                let there = name(b"sub/there\xFE.nc");
                let words = ["convert", "out.nc"].map(OsString::from).into_iter().chain([
                    there.clone(),
                    option.into(),
                    "--dialect".into(),
                    dialect.into(),
                    "--overwrite".into(),
                ]);
                good(&root, &words.collect::<Vec<_>>());
                assert_eq!(values(&root.join(&there)), Values::F32(ALL.to_vec()), "{dialect}");
            }
        }
    }
}

#[test]
fn a_name_that_a_dialect_cannot_express_is_an_error_that_shows_it() {
    let (folder, data) = scene();
    let out = folder.path().join("out.nc");
    let mut words: Vec<OsString> = ["create", "out.nc", "--dialect", "CFA-0.4"].map(OsString::from).into();
    words.push(data.clone().into_os_string());
    for option in [&[][..], &["--absolute"]] {
        let words: Vec<OsString> = words.iter().cloned().chain(option.iter().map(OsString::from)).collect();
        let output = cfa(folder.path(), &words);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.contains("d\\xFF/tas_\\xE9.nc") && message.contains("CFA-0.4"), "{message}");
        assert!(!out.exists());
    }
    good(folder.path(), &[OsStr::new("create"), OsStr::new("out.nc"), data.as_os_str()]);
    let output = cfa(folder.path(), &["convert", "out.nc", "old.nc", "--dialect", "cfa-0.4"]);
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(message.contains("d\\xFF/tas_\\xE9.nc") && message.contains("CFA-0.4"), "{message}");
    assert!(!folder.path().join("old.nc").exists());
}

#[test]
fn names_that_look_like_something_else_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir(root.join("sub")).unwrap();
    let names =
        ["run:1.nc", "c:2.nc", "\\back\\slash.nc", "two words.nc", "50%.nc", "a#b?.nc", "-dash.nc", "~x.nc"];
    for (number, name) in names.iter().enumerate() {
        day(&root.join(name), number as u32);
    }
    let expected = Values::F32((0..names.len()).map(|n| n as f32).collect());
    for dialect in ["CF-1.13", "CFA-0.6.2", "CFA-0.4"] {
        good(root, &["create", "sub/out.nc", "*.nc", "--dialect", dialect]);
        assert_eq!(values(&root.join("sub/out.nc")), expected, "{dialect}");
        for second in ["CF-1.13", "CFA-0.4"] {
            good(root, &["convert", "sub/out.nc", "back.txt", "--dialect", second, "--overwrite"]);
            assert_eq!(values(&root.join("back.txt")), expected, "{dialect} {second}");
            fs::create_dir_all(root.join("a/b")).unwrap();
            good(root, &["convert", "back.txt", "a/b/deep.nc", "--dialect", second, "--overwrite"]);
            assert_eq!(values(&root.join("a/b/deep.nc")), expected, "{dialect} {second}");
        }
    }
    // Decoded, it names another file.
    day(&root.join("c%3A2.nc"), 9);
    for option in [&[][..], &["--absolute"]] {
        let words = [&["create", "sub/other.nc", "c%3A2.nc", "--dialect", "CFA-0.4"], option].concat();
        good(root, &words);
        assert_eq!(values(&root.join("sub/other.nc")), Values::F32(vec![9.0]), "{option:?}");
    }
    good(root, &["create", "sub/other.nc", "c%3A2.nc"]);
    assert_eq!(values(&root.join("sub/other.nc")), Values::F32(vec![9.0]));
}

#[test]
fn an_update_knows_such_files_again() {
    let (folder, data) = scene();
    let out = folder.path().join(name(b"out\xFE.nc"));
    let first = [data.join(name(b"tas_\xE9.nc"))];
    create(&out, &first, &Options::default(), None).unwrap();
    let words = |more: &[&str]| {
        let mut words: Vec<OsString> =
            vec!["create".into(), name(b"out\xFE.nc"), name(b"d\xFF"), "--update".into()];
        words.extend(more.iter().map(OsString::from));
        words
    };
    let said = good(folder.path(), &words(&["--dry-run"]));
    assert!(said.contains("tas_\\xEA.nc") && said.contains("out\\xFE.nc is not written"), "{said}");
    good(folder.path(), &words(&[]));
    assert_eq!(values(&out), Values::F32(ALL.to_vec()));
    let said = good(folder.path(), &words(&[]));
    assert!(said.contains("3 of the files are already in the aggregation"), "{said}");
}

#[test]
fn every_verb_takes_and_shows_such_names() {
    let (folder, data) = scene();
    let root = folder.path();
    let (agg, plain, page) = (name(b"agg\xFE.nc"), name(b"plain\xFE.nc"), name(b"page\xFE.html"));
    good(root, &[OsStr::new("create"), &agg, data.as_os_str()]);
    let info = good(root, &[OsStr::new("info"), &agg]);
    assert!(info.contains("agg\\xFE.nc"), "{info}");
    assert!(good(root, &[OsStr::new("read"), &agg, OsStr::new("tas"), OsStr::new("--csv")]).ends_with(",2\n"));
    let said =
        good(root, &[OsStr::new("check"), &agg, OsStr::new("--fragments"), OsStr::new("--report"), &page]);
    assert!(said.contains("agg\\xFE.nc") && said.contains("3 present"), "{said}");
    let text = fs::read_to_string(root.join(&page)).unwrap();
    assert!(text.contains("agg\\xFE.nc"));
    good(root, &[OsStr::new("extract"), &agg, &plain, OsStr::new("--quiet")]);
    assert_eq!(values(&root.join(&plain)), Values::F32(ALL.to_vec()));
    fs::remove_file(data.join(name(b"tas_\xEA.nc"))).unwrap();
    for words in [
        vec![OsStr::new("read"), &agg, OsStr::new("tas")],
        vec![OsStr::new("check"), &agg, OsStr::new("--fragments")],
    ] {
        let output = cfa(root, &words);
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(said.contains("d\\xFF/tas_\\xEA.nc"), "{said}");
    }
    let output = cfa(root, &[OsStr::new("read"), &name(b"none\xFE.nc"), OsStr::new("tas")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("none\\xFE.nc: no such file"));
    let output = cfa(root, &[OsStr::new("create"), OsStr::new("x.nc"), &name(b"none\xFE.nc")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("none\\xFE.nc: no such file"));
    let output = cfa(root, &[OsStr::new("create"), OsStr::new("x.nc"), &name(b"none\xFE*.nc")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("none\\xFE*.nc: no file matches"));
}

#[test]
fn the_bytes_of_a_list_of_allowed_sources_and_of_a_prefix_that_moved_count() {
    let (folder, data) = scene();
    let root = fs::canonicalize(folder.path()).unwrap();
    good(&root, &[OsStr::new("create"), OsStr::new("out.nc"), OsStr::new("--absolute"), data.as_os_str()]);
    let allowed = format!("{0}/none;file://{0}/d%FF", root.display());
    good(&root, &["read", "out.nc", "tas", "--allowed-sources", &allowed]);
    let other = format!("file://{}/d%FE", root.display());
    let output = cfa(&root, &["read", "out.nc", "tas", "--allowed-sources", &other]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("ALLOWED_SOURCES"));
    let moved = root.join(name(b"moved\xFE"));
    fs::rename(root.join(name(b"d\xFF")), moved).unwrap();
    let relocate = format!("file://{0}/d%FF=file://{0}/moved%FE", root.display());
    good(&root, &["read", "out.nc", "tas", "--relocate", &relocate]);
    good(&root, &["convert", "out.nc", "new.nc", "--relocate", &relocate]);
    assert_eq!(values(&root.join("new.nc")), Values::F32(ALL.to_vec()));
}

#[test]
fn names_that_differ_in_one_byte_have_an_order_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for byte in 0x80..=0xBFu8 {
        let path = folder.path().join(name(&[b'r', byte, b'.', b'n', b'c']));
        fs::write(&path, "").unwrap();
        files.push(path);
    }
    for number in ["2", "10"] {
        let path = folder.path().join(OsStr::from_bytes(&[b"r\xC0", number.as_bytes(), b".nc"].concat()));
        fs::write(&path, "").unwrap();
        files.push(path);
    }
    let found = expand(&[folder.path()]).unwrap();
    assert_eq!(found.paths(), files);
    assert_eq!(expand(&[folder.path().join(name(b"\xFF*"))]).unwrap_err().kind(), Kind::Io);
}
