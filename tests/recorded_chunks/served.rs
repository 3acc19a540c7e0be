//! Fragments on a server: no request but those for data, and right values whatever the server says later.

use std::fs;
use std::sync::{Arc, Mutex};

use cfa::create::Locations;
use cfa::index::index;
use cfa::OpenOptions;

use super::*;
use crate::support::faulty_server::{partial_head, status, whole, Request, Server, Step};

/// What the server has: files by name, and the headers that it sends with them.
struct Contents {
    folder: PathBuf,
    headers: String,
}

struct Archive {
    scene: Scene,
    contents: Arc<Mutex<Contents>>,
    server: Server,
    options: OpenOptions,
}

fn answer(contents: &Contents, request: &Request) -> Vec<Step> {
    let Ok(file) = fs::read(contents.folder.join(request.path.trim_start_matches('/'))) else {
        return status("404 Not Found", "");
    };
    let range = request.range();
    let range = range.start.min(file.len())..range.end.min(file.len());
    if range.is_empty() {
        return status("416 Range Not Satisfiable", &format!("Content-Range: bytes */{}\r\n", file.len()));
    }
    let headers = format!("{}Connection: close\r\n", contents.headers);
    let mut bytes = partial_head(&range, file.len(), &headers).into_bytes();
    bytes.extend(&file[range]);
    whole(bytes)
}

const FIRST: &str = "ETag: \"1\"\r\nLast-Modified: Mon, 01 Jan 2001 00:00:00 GMT\r\n";

/// The length of the files.
const LENGTH: usize = 8192;

impl Archive {
    fn new(headers: &str) -> Archive {
        let scene = Scene::with(|path, i| plain(path, 2 * i, i as u64, false, LENGTH));
        let folder = scene.folder.path().to_owned();
        let contents = Arc::new(Mutex::new(Contents { folder, headers: headers.into() }));
        let shared = Arc::clone(&contents);
        let server = Server::start(move |request| answer(&shared.lock().unwrap(), request));
        let mut options = OpenOptions::default();
        options.set("ALLOW_PRIVATE_NETWORK", "YES").unwrap();
        let mut made = Options::default();
        made.locations = Locations::Base(server.url(""));
        create(&scene.out, &scene.parts, &made, None).unwrap();
        Archive { scene, contents, server, options }
    }

    fn index(&self) -> u64 {
        index(&self.scene.out, &self.options, None).unwrap().recorded
    }

    fn open(&self) -> Dataset {
        Dataset::open_with(&self.scene.out, &self.options).unwrap()
    }

    /// Reads, and returns the values and where each request began.
    fn read(&self) -> (Values, Vec<usize>) {
        let before = self.server.requests().len();
        let values = tas(&self.open()).unwrap();
        let requests = self.server.requests();
        (values, requests[before..].iter().map(|request| request.range().start).collect())
    }
}

#[test]
fn a_read_requests_data_and_nothing_else() {
    let archive = Archive::new(FIRST);
    let (expected, starts) = archive.read();
    assert!(starts.contains(&0), "without what is recorded, headers are read: {starts:?}");
    assert_eq!(archive.index(), 3);
    let (values, starts) = archive.read();
    assert!(values == expected);
    assert_eq!(starts.len(), 3, "one request for each fragment: {starts:?}");
    assert!(!starts.contains(&0), "no header: {starts:?}");
    // A second read of an open dataset needs no more.
    let dataset = archive.open();
    let before = archive.server.requests().len();
    for _ in 0..2 {
        assert!(tas(&dataset).unwrap() == expected);
    }
    assert!(archive.server.requests().len() <= before + 6);
}

#[test]
fn an_etag_or_a_time_alone_is_enough_and_nothing_is_not() {
    for headers in
        ["ETag: \"1\"\r\n", "ETag: W/\"1\"\r\n", "Last-Modified: Mon, 01 Jan 2001 00:00:00 GMT\r\n"]
    {
        let archive = Archive::new(headers);
        assert_eq!(archive.index(), 3, "{headers}");
        let (_, starts) = archive.read();
        assert!(starts.len() == 3 && !starts.contains(&0), "{headers} {starts:?}");
    }
    let archive = Archive::new("");
    let expected = archive.scene.parsed();
    assert_eq!(archive.index(), 0);
    let (values, starts) = archive.read();
    assert!(values == expected && starts.contains(&0));
}

/// What a read returns after a change is what the server then has.
fn after(headers: &str, change: impl FnOnce(&Archive)) {
    let archive = Archive::new(FIRST);
    assert_eq!(archive.index(), 3);
    let (before, _) = archive.read();
    let open = archive.open();
    assert!(tas(&open).unwrap() == before);
    archive.contents.lock().unwrap().headers = headers.into();
    change(&archive);
    let now = archive.scene.parsed();
    let (values, starts) = archive.read();
    assert!(values == now, "the values of now");
    assert!(starts.contains(&0), "the files are parsed: {starts:?}");
    assert!(tas(&open).unwrap() == now, "also for a reader that read before");
}

/// Writes files with other data at other places.
fn replace(archive: &Archive, more: usize) {
    for (i, path) in archive.scene.parts.iter().enumerate() {
        plain(path, 2 * i, 100 + i as u64, true, LENGTH + more);
    }
}

#[test]
fn another_etag_is_noticed() {
    after(&FIRST.replace("\"1\"", "\"2\""), |archive| replace(archive, 0));
}

#[test]
fn another_time_is_noticed() {
    after(&FIRST.replace("00:00 GMT", "00:01 GMT"), |archive| replace(archive, 0));
}

#[test]
fn another_length_is_noticed() {
    after(FIRST, |archive| replace(archive, 1));
}

#[test]
fn a_server_that_no_longer_tells_versions_apart_is_asked_again() {
    after("", |archive| replace(archive, 0));
    after("ETag: \"1\"\r\n", |_| {});
}

#[test]
fn a_file_that_is_gone_is_missing() {
    let archive = Archive::new(FIRST);
    assert_eq!(archive.index(), 3);
    fs::remove_file(&archive.scene.parts[1]).unwrap();
    let error = tas(&archive.open()).unwrap_err();
    assert_eq!(error.kind(), cfa::Kind::FragmentMissing, "{error}");
}

#[test]
fn a_file_that_ends_earlier_is_an_error_as_without_what_is_recorded() {
    let archive = Archive::new(FIRST);
    assert_eq!(archive.index(), 3);
    let bytes = fs::read(&archive.scene.parts[1]).unwrap();
    fs::write(&archive.scene.parts[1], &bytes[..bytes.len() / 3]).unwrap();
    let error = tas(&archive.open()).unwrap_err();
    assert_eq!(error.kind(), cfa::Kind::FragmentUnreadable, "{error}");
}

#[test]
fn what_the_settings_refuse_is_refused() {
    let archive = Archive::new(FIRST);
    assert_eq!(archive.index(), 3);
    let before = archive.server.requests().len();
    let error = tas(&Dataset::open(&archive.scene.out).unwrap()).unwrap_err();
    assert_eq!(error.kind(), cfa::Kind::Policy, "{error}");
    assert_eq!(archive.server.requests().len(), before);
}
