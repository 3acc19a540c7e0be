//! Files on servers that fail, lie or stall: a read returns the right values or an error with the reason, in bounded
//! time.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::support::faulty_server::{
    partial, partial_head, partial_kept, status, whole, Request, Server, Step,
};
use cfa::internals::location::{open_named, File};
use cfa::OpenOptions;
use cfa::{Error, Kind, Result, Source};
use proptest::prelude::*;

/// Bytes that depend on their offset.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i ^ (i >> 8) ^ (i >> 16)) as u8).collect()
}

fn options(settings: &[(&str, &str)]) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.set("ALLOW_PRIVATE_NETWORK", "YES").unwrap();
    settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    options
}

fn open(server: &Server, settings: &[(&str, &str)]) -> Result<File> {
    Ok(open_named(Path::new(&server.url("/f.nc")), &options(settings))?.0.file)
}

fn read(file: &File, offset: u64, count: usize) -> Result<Vec<u8>> {
    let mut buffer = vec![0; count];
    file.read_at(offset, &mut buffer)?;
    Ok(buffer)
}

/// A server that does what it should but for the first answers.
fn failing_first(
    times: usize,
    file: Vec<u8>,
    fail: impl Fn(&Request) -> Vec<Step> + Send + Sync + 'static,
) -> Server {
    Server::start(move |request| if request.number < times { fail(request) } else { partial(request, &file) })
}

/// An answer that announces all requested bytes and has at most this many of them.
fn broken_off(request: &Request, file: &[u8], most: usize) -> Vec<u8> {
    let range = request.range().start..request.range().end.min(file.len());
    let mut answer = partial_head(&range, file.len(), "ETag: \"1\"\r\nConnection: close\r\n").into_bytes();
    answer.extend(&file[range.start..range.end.min(range.start + most)]);
    answer
}

fn error_of(server: &Server, settings: &[(&str, &str)]) -> Error {
    let begin = Instant::now();
    let error = open(server, settings).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(5), "{error} after {:?}", begin.elapsed());
    error
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn any_reads_give_the_bytes_of_the_file(
        length in prop_oneof![1usize..300, 60_000usize..140_000, 900_000usize..1_200_000],
        places in prop::collection::vec((0.0..1.0, 0.0..1.0), 1..20),
        in_a_row in any::<bool>(),
    ) {
        let file = bytes(length);
        let server = failing_first(0, file.clone(), |_| vec![]);
        let opened = open(&server, &[]).unwrap();
        prop_assert_eq!(opened.len(), length as u64);
        let mut next = 0;
        for (place, share) in places {
            let start = if in_a_row { next } else { (place * length as f64) as usize };
            let count = (share * share * share * (length - start) as f64) as usize;
            prop_assert_eq!(&read(&opened, start as u64, count).unwrap()[..], &file[start..start + count]);
            next = start + count;
        }
        prop_assert!(opened.read_at(length as u64, &mut [0]).is_err());
    }
}

#[test]
fn threads_that_read_at_once_get_what_they_asked_for() {
    let file = Arc::new(bytes(2_000_000));
    let served = Arc::clone(&file);
    let server = Server::start(move |request| partial(request, &served));
    let opened = open(&server, &[]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (opened, file) = (&opened, &file);
            scope.spawn(move || {
                for i in 0..30 {
                    let (start, count) = ((thread * 7919 + i * 104_729) % 1_900_000, 1 + i * 3000);
                    assert_eq!(read(opened, start as u64, count).unwrap(), file[start..start + count]);
                }
            });
        }
    });
}

#[test]
fn a_small_file_costs_one_request_and_reads_in_a_row_few() {
    let server = failing_first(0, bytes(60_000), |_| vec![]);
    let opened = open(&server, &[]).unwrap();
    (0..600).for_each(|i| drop(read(&opened, i * 100, 100).unwrap()));
    assert_eq!(server.requests().len(), 1);

    let server = failing_first(0, bytes(4 << 20), |_| vec![]);
    let opened = open(&server, &[]).unwrap();
    (0..4096).for_each(|i| drop(read(&opened, i * 1024, 1024).unwrap()));
    assert!(server.requests().len() < 20, "{}", server.requests().len());
    read(&opened, 0, 4 << 20).unwrap();
    assert!(server.requests().len() < 21);
}

#[test]
fn a_short_file_of_which_much_is_expected_takes_two_requests() {
    let file = bytes(700_000);
    let served = file.clone();
    let server = Server::start(move |request| partial(request, &served));
    let reads = [(300_000, 100), (100_000, 300_000), (0, 100), (690_000, 10_000), (65_000, 1000)];
    for first in 0..3 {
        let before = server.requests().len();
        let opened = open(&server, &[]).unwrap();
        opened.expect_all();
        read(&opened, 10, 65_000).unwrap();
        assert_eq!(server.requests().len() - before, 1, "the first block suffices");
        match first {
            2 => drop(opened.fetch(&[5..10, 400_000..500_000]).unwrap()),
            _ => drop(read(&opened, reads[first].0, reads[first].1).unwrap()),
        }
        for (offset, count) in reads {
            let at = offset as usize;
            assert!(read(&opened, offset, count).unwrap() == file[at..at + count], "{offset} {count}");
        }
        let asked: Vec<_> = server.requests()[before..].iter().map(Request::range).collect();
        assert_eq!(asked.len(), 2, "{asked:?}");
        assert_eq!(asked[1].start, asked[0].end, "nothing is requested twice");
    }
}

#[test]
fn a_long_file_is_not_read_whole_whatever_is_expected() {
    let file = bytes((2 << 20) + 1);
    let server = Server::start(move |request| partial(request, &file));
    let opened = open(&server, &[]).unwrap();
    opened.expect_all();
    read(&opened, 2 << 20, 1).unwrap();
    let asked: usize = server.requests().iter().map(|request| request.range().len()).sum();
    assert!(asked <= 3 << 16, "{asked}");
}

#[test]
fn a_file_that_changes_before_the_rest_of_it_is_read_is_an_error() {
    let file = bytes(300_000);
    let server = Server::start(move |request| {
        let tag = format!("ETag: \"{}\"\r\nConnection: close\r\n", request.number.min(1));
        let range = request.range().start..request.range().end.min(file.len());
        let mut answer = partial_head(&range, file.len(), &tag).into_bytes();
        answer.extend(&file[range]);
        whole(answer)
    });
    let (opened, range) = (open(&server, &[]).unwrap(), 60_000..200_000);
    assert_eq!(opened.fetch(std::slice::from_ref(&range)).unwrap_err().kind(), Kind::Io);
    opened.expect_all();
    assert_eq!(read(&opened, 200_000, 10).unwrap_err().kind(), Kind::Io);
    assert_eq!(opened.fetch(std::slice::from_ref(&range)).unwrap_err().kind(), Kind::Io);
}

#[test]
fn connections_are_kept_for_the_next_request() {
    let file = bytes(2_000_000);
    let served = file.clone();
    let server = Server::start(move |request| partial_kept(request, &served));
    // Otherwise some are made ahead.
    let opened = open(&server, &[("HTTP_CONCURRENCY", "1")]).unwrap();
    for start in (0..1_900_000).step_by(100_000).rev() {
        assert_eq!(read(&opened, start as u64, 10).unwrap(), file[start..start + 10]);
    }
    read(&opened, 0, 1_000_000).unwrap();
    assert!(server.requests().len() > 15);
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_kept_connection_that_the_server_closes_does_no_harm() {
    let file = bytes(1_000_000);
    let served = file.clone();
    let server = Server::start(move |request| match request.number {
        // Closes the connection without an answer, as an overloaded server does.
        1 | 3 | 5 => vec![],
        _ => partial_kept(request, &served),
    });
    let opened = open(&server, &[]).unwrap();
    for start in [900_000, 500_000, 200_000] {
        assert_eq!(read(&opened, start as u64, 10).unwrap(), file[start..start + 10]);
    }
    assert_eq!(server.requests().len(), 7);
}

#[test]
fn what_passes_is_tried_again_as_often_as_the_setting_says() {
    for line in ["503 Service Unavailable", "500 Oops", "429 Too Many Requests", "504 Gateway Timeout"] {
        let fail = move |_: &Request| status(line, "Retry-After: 0\r\n");
        let server = failing_first(2, bytes(10), fail);
        assert_eq!(read(&open(&server, &[]).unwrap(), 0, 10).unwrap(), bytes(10));
        let server = failing_first(2, bytes(10), fail);
        let error = error_of(&server, &[("HTTP_MAX_RETRY", "1")]);
        assert!(error.to_string().contains(&format!("answers {}", &line[..3])), "{error}");
        assert_eq!(server.requests().len(), 2);
    }
}

#[test]
fn what_does_not_pass_is_not_tried_again() {
    for (line, kind) in [("403 Forbidden", Kind::Io), ("404 Not Found", Kind::Io), ("418 Teapot", Kind::Io)] {
        let server = failing_first(9, bytes(10), move |_| status(line, ""));
        assert_eq!(error_of(&server, &[]).kind(), kind);
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_server_that_asks_for_more_patience_than_there_is_gets_none() {
    for seconds in ["3600", "18446744073709551615"] {
        let header = format!("Retry-After: {seconds}\r\n");
        let server = failing_first(1, bytes(10), move |_| status("503 Busy", &header));
        assert!(error_of(&server, &[]).to_string().contains("503"));
    }
}

#[test]
fn an_answer_that_breaks_off_is_continued_where_it_broke() {
    let file = bytes(3_000_000);
    let served = file.clone();
    let server = Server::start(move |request| whole(broken_off(request, &served, 900_000)));
    let opened = open(&server, &[]).unwrap();
    assert_eq!(read(&opened, 0, file.len()).unwrap(), file);
    let starts: Vec<usize> = server.requests()[1..].iter().map(|request| request.range().start).collect();
    assert_eq!(starts, [0, 900_000, 1_800_000, 2_700_000]);
}

#[test]
fn a_silent_server_is_given_up_after_the_time_of_the_setting() {
    let silent = |_: &Request| vec![Step::Wait(Duration::from_secs(60))];
    let server = failing_first(99, bytes(10), silent);
    let error = error_of(&server, &[("HTTP_STALL_TIMEOUT", "0.2"), ("HTTP_MAX_RETRY", "1")]);
    assert!(error.to_string().contains("nothing for 0.2 s (setting HTTP_STALL_TIMEOUT)"), "{error}");
    assert_eq!(server.requests().len(), 2);
    // The same in the middle of the bytes; those that arrived are not requested again.
    let file = bytes(1_000_000);
    let served = file.clone();
    let server = Server::start(move |request| {
        let wait = if request.range().len() > 400_000 { 60 } else { 0 };
        vec![Step::Send(broken_off(request, &served, 400_000)), Step::Wait(Duration::from_secs(wait))]
    });
    let opened = open(&server, &[("HTTP_STALL_TIMEOUT", "0.2")]).unwrap();
    assert_eq!(read(&opened, 0, file.len()).unwrap(), file);
}

#[test]
fn a_slow_server_is_given_up_at_the_deadline() {
    let trickle = |_: &Request| {
        let head = Step::Send(partial_head(&(0..60_000), 60_000, "").into_bytes());
        let drops = (0..1000).flat_map(|_| [Step::Wait(Duration::from_millis(20)), Step::Send(vec![0])]);
        std::iter::once(head).chain(drops).collect()
    };
    let server = failing_first(99, bytes(10), trickle);
    let error = error_of(&server, &[("HTTP_DEADLINE", "0.6")]);
    assert!(error.to_string().contains("more than 0.6 s (setting HTTP_DEADLINE)"), "{error}");
    let server = failing_first(99, bytes(10), |_| status("503 Busy", ""));
    assert!(error_of(&server, &[("HTTP_DEADLINE", "1"), ("HTTP_MAX_RETRY", "1000")])
        .to_string()
        .contains("503"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_takes_no_connection_is_given_up_after_the_time_of_the_setting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Nothing accepts connections, so the queue fills up and requests are not answered.
    let mut waiting = Vec::new();
    while let Ok(stream) = TcpStream::connect_timeout(&address, Duration::from_millis(300)) {
        waiting.push(stream);
        assert!(waiting.len() < 10_000);
    }
    let name = format!("http://{address}/f.nc");
    let settings = options(&[("HTTP_CONNECT_TIMEOUT", "0.3"), ("HTTP_MAX_RETRY", "1")]);
    let begin = Instant::now();
    let error = open_named(Path::new(&name), &settings).unwrap_err();
    assert!(
        error.to_string().contains("no connection within 0.3 s (setting HTTP_CONNECT_TIMEOUT)"),
        "{error}"
    );
    assert!(begin.elapsed() < Duration::from_secs(3));
}

#[test]
fn private_addresses_are_refused_before_a_connection_is_made() {
    let server = failing_first(0, bytes(10), |_| vec![]);
    let port = server.port;
    for host in ["127.0.0.1", "localhost", "0x7f.1", "2130706433", "0", "[::1]", "[::ffff:127.0.0.1]"] {
        let name = format!("http://{host}:{port}/f.nc?sig=secret");
        let error = open_named(Path::new(&name), &OpenOptions::default()).unwrap_err();
        assert_eq!(error.kind(), Kind::Policy, "{error}");
        assert!(error.to_string().contains("ALLOW_PRIVATE_NETWORK=YES"), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    assert_eq!((server.requests().len(), server.connections()), (0, 0));
}

#[test]
fn connections_of_a_looser_setting_do_not_serve_a_stricter_one() {
    let server = failing_first(0, bytes(100_000), |_| vec![]);
    let loose = open(&server, &[]).unwrap();
    read(&loose, 70_000, 10).unwrap();
    let error = open_named(Path::new(&server.url("/f.nc")), &OpenOptions::default()).unwrap_err();
    assert_eq!(error.kind(), Kind::Policy);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_an_error_and_can_be_opened_again() {
    let file = bytes(1_000_000);
    let served = file.clone();
    let server = Server::start(move |request| {
        let version = if request.number < 2 { "A" } else { "B" };
        let range = request.range();
        let mut answer = partial_head(&range, served.len(), &format!("ETag: \"{version}\"\r\n")).into_bytes();
        answer.extend(&served[range]);
        whole(answer)
    });
    let opened = open(&server, &[]).unwrap();
    read(&opened, 300_000, 10).unwrap();
    let error = read(&opened, 600_000, 10).unwrap_err();
    assert!(error.to_string().contains("changed on the server"), "{error}");
    let again = open(&server, &[]).unwrap();
    assert_ne!(opened.identity(), again.identity());
    assert_eq!(read(&again, 600_000, 10).unwrap(), file[600_000..600_010]);
}

#[test]
fn redirections_are_followed_and_remembered_and_forgotten() {
    let file = bytes(1_000_000);
    let served = file.clone();
    let server = Server::start(move |request| match &*request.path {
        "/f.nc" => status("302 Found", &format!("Location: store/a?sig=secret{}\r\n", request.number)),
        // The signature is valid for three requests.
        signed if request.number - signed[19..].parse::<usize>().unwrap() > 3 => status("403 Expired", ""),
        _ => partial(request, &served),
    });
    let opened = open(&server, &[]).unwrap();
    for start in (0..900_000).step_by(90_000) {
        assert_eq!(read(&opened, start as u64, 10).unwrap(), file[start..start + 10]);
    }
    let first = server.requests().iter().filter(|request| request.path == "/f.nc").count();
    assert!((2..6).contains(&first), "{first}");
}

#[test]
fn a_place_that_a_redirection_led_to_and_that_is_gone_is_looked_for_again() {
    let file = bytes(1_000_000);
    // The first place answers once, and then breaks connections or is busy for ever.
    for busy in [None, Some("503 Busy"), Some("500 Oops")] {
        let served = file.clone();
        let server = Server::start(move |request| match &*request.path {
            "/f.nc" if request.number == 0 => status("302 Found", "Location: /first\r\n"),
            "/f.nc" => status("302 Found", "Location: /sécond\r\n"),
            "/first" if request.number > 1 => busy.map_or_else(Vec::new, |line| status(line, "")),
            _ => partial(request, &served),
        });
        let opened = open(&server, &[]).unwrap();
        assert_eq!(read(&opened, 500_000, 10).unwrap(), file[500_000..500_010]);
        assert_eq!(server.requests().iter().filter(|request| request.path == "/first").count(), 2);
        assert_eq!(server.requests().last().unwrap().path, "/s%C3%A9cond");
    }
}

#[test]
fn a_server_that_ignores_the_range_once_is_asked_again() {
    let file = bytes(300_000);
    let served = file.clone();
    let server = Server::start(move |request| match request.number {
        1 => whole("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"),
        _ => partial(request, &served),
    });
    assert_eq!(read(&open(&server, &[]).unwrap(), 200_000, 10).unwrap(), file[200_000..200_010]);
}

#[test]
fn aggregations_whose_addresses_differ_in_the_query_alone_have_their_own_fragments() {
    let folder = tempfile::tempdir().unwrap();
    let made = |name: &str, text: &str| {
        let (source, path) = (folder.path().join("source.cdl"), folder.path().join(name));
        std::fs::write(&source, text).unwrap();
        let made = std::process::Command::new("ncgen").arg("-4").arg("-o").arg(&path).arg(&source).status();
        assert!(made.unwrap().success(), "{name}");
        path
    };
    let fragment =
        |values: &str| format!("netcdf f {{ dimensions: x = 2; variables: int v(x); data: v = {values}; }}");
    let aggregation = |size: usize, names: &str, map: &str| {
        let count = map.split(',').count();
        let identifiers = vec!["\"v\""; count].join(", ");
        format!(
            "netcdf a {{ dimensions: x = {size}; one = 1; n = {count}; variables: int v; \
             v:aggregated_dimensions = \"x\"; v:aggregated_data = \"map: m uris: u identifiers: i\"; \
             int m(one, n); string u(n); string i(n); data: m = {map}; u = {names}; i = {identifiers}; }}"
        )
    };
    let mut files = std::collections::HashMap::new();
    for (place, values) in [("a", "1, 2"), ("b", "3, 4")] {
        files.insert(format!("/{place}/f.nc"), std::fs::read(made("f.nc", &fragment(values))).unwrap());
        let nested = made("nested.nc", &aggregation(2, "\"f.nc\"", "2"));
        files.insert(format!("/{place}/agg.nc"), std::fs::read(nested).unwrap());
    }
    let server = Server::start(move |request| match request.path.strip_prefix("/get?id=") {
        Some(place) => status("302 Found", &format!("Location: /{place}/agg.nc\r\n")),
        None => {
            files.get(&request.path).map_or_else(|| status("404 None", ""), |file| partial(request, file))
        }
    });
    let names = format!("\"{}\", \"{}\"", server.url("/get?id=a"), server.url("/get?id=b"));
    let outer = made("outer.nc", &aggregation(4, &names, "2, 2"));
    let dataset = cfa::Dataset::open_with(outer, &options(&[])).unwrap();
    let values = dataset.variable("v").unwrap().read_values(&cfa::Selection::all(&[4])).unwrap();
    assert_eq!(values, cfa::Values::I32(vec![1, 2, 3, 4]));
}

#[test]
fn redirections_end() {
    let server = Server::start(|_| status("301 Moved", "Location: /f.nc\r\n"));
    assert!(error_of(&server, &[]).to_string().contains("redirects more than 10 times"));
    for (location, word) in [
        ("file:///etc/passwd", "not supported"),
        ("s3://bucket/f", "not an http address"),
        ("http://", "not a URL"),
    ] {
        let server = Server::start(move |_| status("307 There", &format!("Location: {location}\r\n")));
        let error = error_of(&server, &[]).to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn credentials_are_not_taken_along_to_another_server() {
    let other = Arc::new(failing_first(0, bytes(10), |_| vec![]));
    let target = other.url("/f.nc");
    let server = Server::start(move |_| status("302 Found", &format!("Location: {target}\r\n")));
    let name = format!("http://me:secret@127.0.0.1:{}/f.nc", server.port);
    let opened = open_named(Path::new(&name), &options(&[])).unwrap().0.file;
    assert_eq!(read(&opened, 0, 10).unwrap(), bytes(10));
    assert!(!opened.name().contains("secret") && !format!("{opened:?}").contains("secret"));
    assert_eq!(server.requests()[0].headers["authorization"], "Basic bWU6c2VjcmV0");
    assert!(!other.requests()[0].headers.contains_key("authorization"));
}

#[test]
fn a_server_that_gives_no_parts_serves_small_files() {
    let file = bytes(200_000);
    let served = file.clone();
    let server = Server::start(move |_| {
        let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", served.len()).into_bytes();
        answer.extend(&served);
        whole(answer)
    });
    let opened = open(&server, &[]).unwrap();
    assert_eq!(read(&opened, 150_000, 50_000).unwrap(), file[150_000..]);
    assert_eq!(server.requests().len(), 1);
    for head in ["Content-Length: 100000000\r\n", "Transfer-Encoding: chunked\r\n"] {
        let server = Server::start(move |_| {
            let head = Step::Send(format!("HTTP/1.1 200 OK\r\n{head}\r\n").into_bytes());
            let chunk = || Step::Send([b"100000\r\n", &vec![0u8; 0x10_0000][..], b"\r\n"].concat());
            std::iter::once(head).chain((0..40).map(|_| chunk())).collect()
        });
        let error = error_of(&server, &[]);
        assert_eq!(error.kind(), Kind::Unsupported);
        assert!(error.to_string().contains("ignores the header Range"), "{error}");
    }
}

#[test]
fn an_empty_file_is_empty() {
    let server = failing_first(0, vec![], |_| vec![]);
    assert_eq!(open(&server, &[]).unwrap().len(), 0);
}

#[test]
fn answers_that_make_no_sense_are_errors() {
    let length = u64::MAX;
    let cases = [
        format!("HTTP/1.1 206 P\r\nContent-Length: 4\r\nContent-Range: bytes 0-3/{length}\r\n\r\nabcd"),
        "HTTP/1.1 206 P\r\nContent-Length: 4\r\nContent-Range: bytes 7-10/20\r\n\r\nabcd".to_owned(),
        "HTTP/1.1 206 P\r\nContent-Length: 4\r\nContent-Range: bytes 0-3/*\r\n\r\nabcd".to_owned(),
        "HTTP/1.1 206 P\r\nContent-Length: 4\r\n\r\nabcd".to_owned(),
        "HTTP/1.1 206 P\r\nContent-Length: 4\r\nContent-Encoding: gzip\r\nContent-Range: bytes 0-3/4\r\n\r\nabcd".to_owned(),
        format!("HTTP/1.1 206 P\r\nContent-Length: 4\r\nContent-Range: bytes 0-{length}/{length}\r\n\r\nabcd"),
        "HTTP/1.1 302 F\r\nContent-Length: 0\r\n\r\n".to_owned(),
        "SSH-2.0-OpenSSH_9.2\r\n".to_owned(),
        format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(1 << 20)),
        String::new(),
    ];
    for case in cases {
        let head = case.chars().take(80).collect::<String>();
        let server = Server::start(move |_| whole(case.clone()));
        let error = error_of(&server, &[("HTTP_MAX_RETRY", "1")]);
        assert_eq!(error.kind(), Kind::Io, "{head:?}: {error}");
    }
}

#[test]
fn a_server_that_lies_about_the_length_is_found_out_without_much_memory() {
    let length = 1_usize << 60;
    let server = Server::start(move |request| {
        let range = request.range();
        if range.start > 0 {
            return status("416 Range Not Satisfiable", "Content-Range: bytes */65536\r\n");
        }
        let mut answer = partial_head(&(0..65_536), length, "").into_bytes();
        answer.extend(bytes(65_536));
        whole(answer)
    });
    let opened = open(&server, &[]).unwrap();
    assert_eq!(opened.len(), length as u64);
    assert!(read(&opened, 1 << 50, 100).unwrap_err().to_string().contains("416"));
}
