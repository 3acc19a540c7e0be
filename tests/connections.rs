//! Connections that are made before a request needs them: to the server of the file that the user names, while the
//! first request for it is under way.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use cfa::internals::location::find_named;
use cfa::{DataType, Dataset, OpenOptions, Selection, Values};

use crate::support::faulty_server::{partial_kept, Server, Step};
use crate::support::series::{aggregate, plain};
use crate::support::{Data, Var};

/// The fragments of the aggregation file, fewer than the connections that are made ahead.
const COUNT: usize = 12;

/// A server with the files of a folder. The first answer is for the aggregation file, and comes late.
fn serve(folder: &Path) -> Server {
    let folder = folder.to_owned();
    Server::start(move |request| {
        let mut answer = partial_kept(request, &std::fs::read(folder.join(&request.path[1..])).unwrap());
        if request.path == "/agg.nc" {
            answer.insert(0, Step::Wait(Duration::from_millis(500)));
        }
        answer
    })
}

/// Writes fragments, and `agg.nc` of those at these addresses; number n holds the values n, n.
fn make(folder: &Path, address: impl Fn(&str) -> String) {
    let names: Vec<String> = (0..COUNT).map(|n| format!("{n}.nc")).collect();
    for (n, name) in names.iter().enumerate() {
        plain(folder, name, Var::new("v", DataType::I32, &[], Data::Numbers(vec![n as f64; 2])));
    }
    let names: Vec<String> = names.iter().map(|name| address(name)).collect();
    let list: Vec<_> = names.iter().map(|name| (name.as_str(), "v", 2)).collect();
    aggregate(folder, "agg.nc", Var::new("v", DataType::I32, &[], Data::None), &list);
}

fn options(settings: &[(&str, &str)]) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.set("ALLOW_PRIVATE_NETWORK", "YES").unwrap();
    settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    options
}

fn read(dataset: &Dataset) -> Values {
    dataset.variable("v").unwrap().read_values(&Selection::all(&[2 * COUNT as u64])).unwrap()
}

fn expected() -> Values {
    Values::I32((0..COUNT as i32).flat_map(|n| [n, n]).collect())
}

#[test]
fn fragments_are_requested_on_connections_that_were_made_for_them() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), str::to_owned);
    let server = serve(folder.path());
    let dataset = Dataset::open_with(server.url("/agg.nc"), &options(&[])).unwrap();
    let connections = server.connections();
    assert!(connections > COUNT, "{connections}");
    assert_eq!(server.requests().len(), 1);
    assert_eq!(read(&dataset), expected());
    assert_eq!((server.connections(), server.requests().len()), (connections, 1 + COUNT));
    // It has connections now.
    Dataset::open_with(server.url("/agg.nc"), &options(&[])).unwrap();
    assert_eq!(server.connections(), connections);
}

#[test]
fn there_are_never_more_than_the_setting_allows() {
    // The first request may take one of them.
    for (setting, expected) in [("1", 1..=1), ("2", 1..=2), ("5", 4..=5)] {
        let folder = tempfile::tempdir().unwrap();
        make(folder.path(), str::to_owned);
        let server = serve(folder.path());
        let options = options(&[("HTTP_CONCURRENCY", setting)]);
        Dataset::open_with(server.url("/agg.nc"), &options).unwrap();
        assert!(expected.contains(&server.connections()), "{setting}: {}", server.connections());
    }
}

#[test]
fn none_is_made_for_a_local_file_or_to_another_server_or_for_a_file_that_is_only_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let other = serve(folder.path());
    make(folder.path(), |name| other.url(&format!("/{name}")));
    Dataset::open_with(folder.path().join("agg.nc"), &options(&[])).unwrap();
    let server = serve(folder.path());
    let dataset = Dataset::open_with(server.url("/agg.nc"), &options(&[("ALLOWED_SOURCES", "ALL")])).unwrap();
    assert_eq!(other.connections(), 0);
    assert_eq!(read(&dataset), expected());

    let third = serve(folder.path());
    find_named(Path::new(&third.url("/agg.nc")), &options(&[])).unwrap();
    assert_eq!(third.connections(), 1);
}

/// Passes connections on to a server: the first one, and those after so many that it closes.
fn closing(server: &Server, closed: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, to) = (listener.local_addr().unwrap().port(), server.port);
    thread::spawn(move || {
        for (number, stream) in listener.incoming().flatten().enumerate() {
            if (1..=closed).contains(&number) {
                continue;
            }
            let other = TcpStream::connect(("127.0.0.1", to)).unwrap();
            for (mut from, mut to) in
                [(stream.try_clone().unwrap(), other.try_clone().unwrap()), (other, stream)]
            {
                thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        }
    });
    port
}

#[test]
fn those_that_the_server_closes_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path(), str::to_owned);
    let server = serve(folder.path());
    let port = closing(&server, 8);
    let name = format!("http://127.0.0.1:{port}/agg.nc");
    let dataset = Dataset::open_with(name, &options(&[])).unwrap();
    let begin = Instant::now();
    assert_eq!(read(&dataset), expected());
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert!(server.connections() > 1);
}
