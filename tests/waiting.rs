//! Reads of many files on a server: how many requests wait at a time, how a read ends that is cancelled while it waits,
//! and what a server that restarts or has too much to do does to it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cfa::{DataType, Dataset, Kind, OpenOptions, Output, Result, Selection, Values};

use crate::support::faulty_server::{partial_kept, status, Request, Server, Step};
use crate::support::series::{aggregate, plain};
use crate::support::{Data, Var};

const COUNT: usize = 60;

/// What a server does about a request for a fragment, or `None` to answer it.
type Whim = dyn Fn(&Request) -> Option<Vec<Step>> + Send + Sync;

/// A local aggregation of fragments on a server: number n holds the values n, n.
fn series(folder: &std::path::Path, whim: Box<Whim>) -> (std::path::PathBuf, Server) {
    let number = |n: usize| {
        let data = Data::Numbers(vec![n as f64; 2]);
        std::fs::read(plain(folder, "f.nc", Var::new("v", DataType::I32, &[], data))).unwrap()
    };
    let files: Vec<Vec<u8>> = (0..COUNT).map(number).collect();
    let server = Server::start(move |request| {
        whim(request).unwrap_or_else(|| {
            let name = request.path.trim_start_matches('/').trim_end_matches(".nc");
            partial_kept(request, &files[name.parse::<usize>().unwrap()])
        })
    });
    let names: Vec<String> = (0..COUNT).map(|n| server.url(&format!("/{n}.nc"))).collect();
    let list: Vec<_> = names.iter().map(|name| (name.as_str(), "v", 2)).collect();
    let path = aggregate(folder, "agg.nc", Var::new("v", DataType::I32, &[], Data::None), &list);
    (path, server)
}

fn options(settings: &[(&str, &str)]) -> OpenOptions {
    let mut options = OpenOptions::default();
    options.set("ALLOW_PRIVATE_NETWORK", "YES").unwrap();
    settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    options
}

fn expected() -> Values {
    Values::I32((0..COUNT as i32).flat_map(|n| [n, n]).collect())
}

fn read(path: &std::path::Path, settings: &[(&str, &str)]) -> Result<Values> {
    let dataset = Dataset::open_with(path, &options(settings))?;
    dataset.variable("v").unwrap().read_values(&Selection::all(&[2 * COUNT as u64]))
}

/// Counts the requests that are answered at the same time.
#[derive(Default)]
struct AtOnce {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl AtOnce {
    fn during<T>(&self, work: impl FnOnce(usize) -> T) -> T {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let result = work(now);
        self.now.fetch_sub(1, Ordering::SeqCst);
        result
    }
}

#[test]
fn as_many_requests_wait_as_the_setting_says_and_twice_as_many_small_ones() {
    for (setting, least, most) in [("3", 4, 6), ("64", 20, COUNT)] {
        let folder = tempfile::tempdir().unwrap();
        let counter = Arc::new(AtOnce::default());
        let seen = Arc::clone(&counter);
        let whim = move |_: &Request| {
            seen.during(|_| std::thread::sleep(Duration::from_millis(100)));
            None
        };
        let (path, _server) = series(folder.path(), Box::new(whim));
        let settings = [("HTTP_CONCURRENCY", setting), ("NUM_THREADS", "1")];
        assert_eq!(read(&path, &settings).unwrap(), expected());
        let got = counter.most.load(Ordering::SeqCst);
        assert!((least..=most).contains(&got), "{got} requests at once with HTTP_CONCURRENCY={setting}");
    }
}

#[test]
fn a_server_that_has_too_much_to_do_gets_less() {
    for refusal in ["429 Too Many Requests", "503 Service Unavailable"] {
        let folder = tempfile::tempdir().unwrap();
        let (counter, refused) = (AtOnce::default(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&refused);
        let whim = move |_: &Request| {
            counter.during(|now| {
                std::thread::sleep(Duration::from_millis(10));
                (now > 4).then(|| {
                    count.fetch_add(1, Ordering::SeqCst);
                    status(refusal, "")
                })
            })
        };
        let (path, _server) = series(folder.path(), Box::new(whim));
        assert_eq!(read(&path, &[]).unwrap(), expected());
        assert!(refused.load(Ordering::SeqCst) > 0);
    }
}

#[test]
fn a_read_is_cancelled_while_all_requests_wait() {
    for hangs in [0, 1, COUNT] {
        let folder = tempfile::tempdir().unwrap();
        // Nothing is answered from request number `hangs` on, neither files that are opened nor data.
        let whim = move |request: &Request| {
            (request.number >= hangs).then(|| vec![Step::Wait(Duration::from_secs(60))])
        };
        let (path, server) = series(folder.path(), Box::new(whim));
        let dataset = Dataset::open_with(&path, &options(&[])).unwrap();
        let variable = dataset.variable("v").unwrap();
        let stopped: Mutex<Option<Instant>> = Mutex::default();
        let calls = AtomicUsize::new(0);
        let listener = |_: u64, _: u64| {
            let stop = calls.fetch_add(1, Ordering::Relaxed) >= 5 && server.requests().len() > hangs;
            if stop {
                stopped.lock().unwrap().get_or_insert_with(Instant::now);
            }
            !stop
        };
        let selection = Selection::all(&[2 * COUNT as u64]);
        let mut buffer = vec![0; 8 * COUNT];
        let mut output = Output::new(DataType::I32, &mut buffer);
        output.progress = Some(&listener);
        match variable.read_into(&selection, output) {
            Err(error) => {
                assert_eq!(error.kind(), Kind::Cancelled, "{error}");
                let since = stopped.lock().unwrap().unwrap().elapsed();
                // 0.2 s on a machine that has nothing else to do.
                assert!(since < Duration::from_secs(2), "{since:?}");
            }
            Ok(()) => assert_eq!(hangs, COUNT),
        }
    }
}

#[test]
fn a_server_that_restarts_does_not_end_a_read() {
    let folder = tempfile::tempdir().unwrap();
    let begin: Mutex<Option<Instant>> = Mutex::default();
    // It answers ten requests, then breaks every connection for two seconds.
    let whim = move |request: &Request| {
        let mut begin = begin.lock().unwrap();
        let gone =
            request.number >= 10 && begin.get_or_insert_with(Instant::now).elapsed() < Duration::from_secs(2);
        gone.then(Vec::new)
    };
    let (path, _server) = series(folder.path(), Box::new(whim));
    assert_eq!(read(&path, &[("HTTP_MAX_RETRY", "1")]).unwrap(), expected());
}

#[test]
fn a_server_that_was_never_reached_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (absent, local) = (format!("http://127.0.0.1:{port}/f.nc"), "f.nc");
    plain(folder.path(), local, Var::new("v", DataType::I32, &[], Data::Numbers(vec![1.0, 2.0])));
    let v = || Var::new("v", DataType::I32, &[], Data::None);
    let path = aggregate(folder.path(), "agg.nc", v(), &[(&absent, "v", 2)]);
    let begin = Instant::now();
    let dataset = Dataset::open_with(&path, &options(&[])).unwrap();
    let error = dataset.variable("v").unwrap().read_values(&Selection::all(&[2])).unwrap_err();
    assert_eq!(error.kind(), Kind::FragmentUnreadable);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}
