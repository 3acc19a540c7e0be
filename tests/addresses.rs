//! Archives of addresses: aggregations made of files on servers, and what is done with their fragments.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use cfa::check;
use cfa::create::{create, expand, update, Options};
use cfa::extract;
use cfa::internals::write::{write_file, File, Format, Variable};
use cfa::{DataType, Dataset, EntrySource, Kind, OpenOptions, Presence, Selection, Values};
use tempfile::TempDir;

use crate::support::faulty_server::{partial_kept, status, Request, Server, Step};
use crate::support::series::plain;
use crate::support::{write, Data, FileSpec, Var};

const COUNT: usize = 40;

/// What a server does about a request, or `None` to answer it.
type Whim = dyn Fn(&Request) -> Option<Vec<Step>> + Send + Sync;

/// Daily files `0.nc`, `1.nc`, ..., each with one time step, and a server that has them.
struct Archive {
    folder: TempDir,
    server: Server,
}

impl Archive {
    fn new(whim: impl Fn(&Request) -> Option<Vec<Step>> + Send + Sync + 'static) -> Archive {
        let folder = tempfile::tempdir().unwrap();
        (0..COUNT).for_each(|day| day_file(&folder.path().join(format!("{day}.nc")), day, 3));
        let (root, whim): (PathBuf, Box<Whim>) = (folder.path().to_owned(), Box::new(whim));
        let server = Server::start(move |request| {
            whim(request).unwrap_or_else(|| {
                match std::fs::read(root.join(request.path.trim_start_matches('/'))) {
                    Ok(bytes) => partial_kept(request, &bytes),
                    Err(_) => status("404 Not Found", ""),
                }
            })
        });
        Archive { folder, server }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn address(&self, day: usize) -> PathBuf {
        self.server.url(&format!("/{day}.nc")).into()
    }

    fn addresses(&self) -> Vec<PathBuf> {
        (0..COUNT).map(|day| self.address(day)).collect()
    }

    fn locals(&self) -> Vec<PathBuf> {
        (0..COUNT).map(|day| self.path(&format!("{day}.nc"))).collect()
    }
}

/// Writes a file with one time step of `places` values; more places make it longer.
fn day_file(path: &Path, day: usize, places: usize) {
    let mut file = File::default();
    file.add_dimension("time", 1);
    file.add_dimension("place", places as u64);
    let time = Variable::with_values("time", &["time"], Values::F64(vec![day as f64]));
    file.variables.push(time.attribute("units", "days since 2001-01-01"));
    let values = (0..places).map(|place| (10 * day + place) as i32).collect();
    file.variables.push(Variable::with_values("v", &["time", "place"], Values::I32(values)));
    write_file(&file, path, Format::Netcdf4).unwrap();
}

fn open_options() -> OpenOptions {
    let mut options = OpenOptions::default();
    options.set("ALLOW_PRIVATE_NETWORK", "YES").unwrap();
    options
}

fn options() -> Options {
    let mut options = Options::default();
    options.open = Some(open_options());
    options
}

fn values(path: &Path, name: &str) -> Values {
    let variable = Dataset::open_with(path, &open_options()).unwrap().variable(name).unwrap();
    let shape = variable.shape().unwrap().to_vec();
    variable.read_values(&Selection::all(&shape)).unwrap()
}

/// Returns the location of each fragment of `v`.
fn locations(path: &Path) -> Vec<String> {
    let variable = Dataset::open_with(path, &open_options()).unwrap().variable("v").unwrap();
    let mut found = Vec::new();
    let each = variable.for_each_fragment(|entry| {
        if let EntrySource::Versions(versions) = entry.source {
            found.push(versions[0].location.clone().unwrap());
        }
        Ok::<(), cfa::Error>(())
    });
    each.unwrap();
    found
}

/// Counts the requests that are answered at the same time.
fn counting(most: &Arc<AtomicUsize>) -> impl Fn(&Request) -> Option<Vec<Step>> + Send + Sync + 'static {
    let (now, most) = (AtomicUsize::new(0), Arc::clone(most));
    move |_| {
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(100));
        now.fetch_sub(1, Ordering::SeqCst);
        None
    }
}

#[test]
fn addresses_make_the_aggregation_that_local_files_make_with_a_request_each() {
    let archive = Archive::new(|_| None);
    let (local, remote) = (archive.path("local.nc"), archive.path("remote.nc"));
    create(&local, &archive.locals(), &Options::default(), None).unwrap();
    let report = create(&remote, &archive.addresses(), &options(), None).unwrap();
    assert_eq!((report.files, archive.server.requests().len()), (COUNT as u64, COUNT));
    let addresses = archive.addresses();
    assert_eq!(locations(&remote), addresses.iter().map(|a| a.to_str().unwrap()).collect::<Vec<_>>());
    for name in ["v", "time"] {
        assert_eq!(values(&remote, name), values(&local, name), "{name}");
    }
}

#[test]
fn a_list_may_mix_addresses_and_paths() {
    let archive = Archive::new(|_| None);
    let list = archive.path("list.txt");
    let line = |day: usize| match day % 3 {
        0 => format!("{}\n", archive.address(day).display()),
        1 => format!("{day}.nc\n"),
        _ => format!("file://{}\n", archive.path(&format!("{day}.nc")).display()),
    };
    let lines: String = (0..COUNT).map(line).collect();
    // What is named twice counts once, also under another form of its name.
    std::fs::write(
        &list,
        format!("{lines}{}\n1.nc\n", archive.address(0).display()).replace("http:", "HTTP:"),
    )
    .unwrap();
    let inputs = expand(&[format!("@{}", list.display())]).unwrap();
    assert_eq!(inputs.paths().len(), COUNT);
    let out = archive.path("mixed.nc");
    create(&out, &inputs, &options(), None).unwrap();
    let found = locations(&out);
    assert_eq!((&*found[1], &*found[2]), ("1.nc", "2.nc"));
    assert_eq!(found[3], archive.address(3).to_str().unwrap());
    let local = archive.path("local.nc");
    create(&local, &archive.locals(), &Options::default(), None).unwrap();
    assert_eq!(values(&out, "v"), values(&local, "v"));
}

#[test]
fn files_on_servers_are_scanned_side_by_side() {
    let most = Arc::new(AtomicUsize::new(0));
    let archive = Archive::new(counting(&most));
    let mut options = options();
    options.num_threads = 1;
    create(&archive.path("agg.nc"), &archive.addresses(), &options, None).unwrap();
    assert!(most.load(Ordering::SeqCst) > 15, "{most:?}");
}

#[test]
fn an_absent_file_is_named_and_nothing_is_written() {
    let archive = Archive::new(|_| None);
    let mut files = archive.addresses();
    files.push(archive.address(4711));
    let out = archive.path("agg.nc");
    let error = create(&out, &files, &options(), None).unwrap_err();
    assert_eq!(error.kind(), Kind::Io);
    assert!(error.to_string().contains(files[COUNT].to_str().unwrap()), "{error}");
    assert!(!out.exists());
}

#[test]
fn the_network_of_the_user_must_be_allowed() {
    let archive = Archive::new(|_| None);
    let mut options = Options::default();
    options.open = Some(OpenOptions::default());
    let error = create(&archive.path("agg.nc"), &archive.addresses(), &options, None).unwrap_err();
    assert_eq!(error.kind(), Kind::Policy);
    assert!(archive.server.requests().is_empty());
}

#[test]
fn secrets_in_addresses_are_refused_before_anything_is_asked_for() {
    let archive = Archive::new(|_| None);
    let plain = archive.server.url("/0.nc");
    for address in [plain.replace("http://", "http://me:secret@"), format!("{plain}?sig=secret")] {
        for error in [
            create(&archive.path("agg.nc"), &[PathBuf::from(&address)], &options(), None).unwrap_err(),
            expand(&[&address]).unwrap_err(),
        ] {
            assert_eq!(error.kind(), Kind::Uri, "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
    assert!(archive.server.requests().is_empty());
}

#[test]
fn the_new_file_is_no_input_under_any_name_and_no_address() {
    let archive = Archive::new(|_| None);
    let out = archive.path("0.nc");
    let before = std::fs::read(&out).unwrap();
    let mut overwriting = options();
    overwriting.overwrite = true;
    let same = PathBuf::from(format!("file://{}", out.display()));
    let error = create(&out, &[same, archive.address(1)], &overwriting, None).unwrap_err();
    assert_eq!(error.kind(), Kind::Request);
    assert!(error.message().contains("one of the input files"), "{error}");
    let error = create(&archive.address(9999), &archive.locals(), &overwriting, None).unwrap_err();
    assert!(error.kind() == Kind::Request && error.message().contains("address"), "{error}");
    assert_eq!(std::fs::read(&out).unwrap(), before);
    assert!(archive.server.requests().is_empty());
}

#[test]
fn a_scan_is_cancelled_while_a_server_hangs() {
    let archive =
        Archive::new(|request| (request.number >= 5).then(|| vec![Step::Wait(Duration::from_secs(60))]));
    let stopped: Mutex<Option<Instant>> = Mutex::default();
    let listener = |_: u64, _: u64| {
        let stop = archive.server.requests().len() > 10;
        if stop {
            stopped.lock().unwrap().get_or_insert_with(Instant::now);
        }
        !stop
    };
    let out = archive.path("agg.nc");
    let error = create(&out, &archive.addresses(), &options(), Some(&listener)).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled, "{error}");
    let since = stopped.lock().unwrap().unwrap().elapsed();
    assert!(since < Duration::from_secs(2), "{since:?}");
    assert!(!out.exists());
}

#[test]
fn an_update_knows_files_by_their_addresses_and_scans_those_that_changed() {
    let archive = Archive::new(|_| None);
    let out = archive.path("agg.nc");
    let mut recording = options();
    recording.record_state = true;
    let all = archive.addresses();
    create(&out, &all[..COUNT - 1], &recording, None).unwrap();
    let before = archive.server.requests().len();
    // Another form of the address of a file that it has, and one that is new.
    let other = PathBuf::from(all[7].to_str().unwrap().replace("http://", "HTTP://"));
    let report = update(&out, &[other, all[COUNT - 1].clone()], &options(), None).unwrap();
    assert!(
        report.notes.iter().any(|note| note.contains("1 of the files are already")),
        "{:?}",
        report.notes
    );
    assert_eq!(archive.server.requests().len() - before, 2);
    let local = archive.path("local.nc");
    create(&local, &archive.locals(), &Options::default(), None).unwrap();
    assert_eq!(values(&out, "v"), values(&local, "v"));
    // A file of another length, whose coordinate changed too.
    day_file(&archive.path("7.nc"), 7, 3);
    let mut longer = std::fs::read(archive.path("7.nc")).unwrap();
    let was = longer.len();
    longer.resize(was + 8, 0);
    std::fs::write(archive.path("7.nc"), longer).unwrap();
    let report = update(&out, &all, &options(), None).unwrap();
    assert!(
        report.notes.iter().any(|note| note.contains("changed") && note.contains("/7.nc")),
        "{:?}",
        report.notes
    );
    assert_eq!(locations(&out)[7], all[7].to_str().unwrap());
}

#[test]
fn a_file_of_another_length_than_recorded_is_noticed() {
    let archive = Archive::new(|_| None);
    let out = archive.path("agg.nc");
    let mut recording = options();
    recording.record_state = true;
    create(&out, &archive.addresses(), &recording, None).unwrap();
    let mut longer = std::fs::read(archive.path("3.nc")).unwrap();
    longer.resize(longer.len() + 1, 0);
    std::fs::write(archive.path("3.nc"), longer).unwrap();
    let dataset = Dataset::open_with(&out, &open_options()).unwrap();
    dataset.variable("v").unwrap().read_values(&Selection::all(&[COUNT as u64, 3])).unwrap();
    let warnings = dataset.warnings().join("\n");
    assert!(warnings.contains("3.nc") && warnings.contains("bytes instead of the recorded"), "{warnings}");
}

#[test]
fn fragments_on_servers_are_checked_listed_and_extracted_side_by_side() {
    let most = Arc::new(AtomicUsize::new(0));
    let archive = Archive::new(counting(&most));
    let out = archive.path("agg.nc");
    create(&out, &archive.addresses(), &options(), None).unwrap();
    let mut single = open_options();
    single.num_threads = 1;
    let at_once = |work: &dyn Fn()| {
        most.store(0, Ordering::SeqCst);
        let before = archive.server.requests().len();
        work();
        (most.load(Ordering::SeqCst), archive.server.requests().len() - before)
    };
    let (many, requests) = at_once(&|| {
        let options = check::Options { open: single.clone(), fragments: true, ..check::Options::default() };
        let report = check::check(&out, &options).unwrap();
        assert!(report.is_fine());
        assert_eq!(report.variables[0].counts().iter().map(|(_, n)| n).sum::<u64>(), COUNT as u64);
    });
    assert!(many > 15 && requests == COUNT, "check: {many} of {requests}");
    let (many, requests) = at_once(&|| {
        let variable = Dataset::open_with(&out, &single).unwrap().variable("v").unwrap();
        let mut next = 0;
        let each = variable.for_each_presence(|entry, found| {
            assert_eq!(entry.index[0], next);
            assert!(matches!(&found[..], [Presence::Present(_)]));
            next += 1;
            Ok::<(), cfa::Error>(())
        });
        each.unwrap();
        assert_eq!(next, COUNT as u64);
    });
    assert!(many > 15 && requests == COUNT, "list: {many} of {requests}");
    let (many, _) = at_once(&|| {
        let dataset = Dataset::open_with(&out, &single).unwrap();
        extract::extract(&dataset, &archive.path("one.nc"), &extract::Options::default()).unwrap();
    });
    assert!(many > 15, "extract: {many}");
    assert_eq!(values(&archive.path("one.nc"), "v"), values(&out, "v"));
}

#[test]
fn chunks_on_servers_are_copied_side_by_side() {
    let most = Arc::new(AtomicUsize::new(0));
    let archive = Archive::new(counting(&most));
    let (n, chunk) = (16usize, 1usize << 18);
    let numbers = Data::Numbers((0..n * chunk).map(|i| (i % 251) as f64).collect());
    let mut var = Var::new("v", DataType::F64, &[("x", n * chunk)], numbers);
    var.chunks = Some(vec![chunk]);
    write(
        &archive.path("big.nc"),
        &FileSpec { format: crate::support::Format::Nc4, dims: vec![], vars: vec![var] },
    );
    let out = archive.path("agg.nc");
    create(&out, &[PathBuf::from(archive.server.url("/big.nc"))], &options(), None).unwrap();
    most.store(0, Ordering::SeqCst);
    let mut single = open_options();
    single.num_threads = 1;
    let dataset = Dataset::open_with(&out, &single).unwrap();
    extract::extract(&dataset, &archive.path("one.nc"), &extract::Options::default()).unwrap();
    assert!(most.load(Ordering::SeqCst) >= 4, "{most:?}");
    assert_eq!(values(&archive.path("one.nc"), "v"), values(&archive.path("big.nc"), "v"));
}

/// A fragment with two versions, in this order.
fn with_versions(folder: &Path, versions: [&str; 2]) -> PathBuf {
    let path = folder.join("versions.nc");
    let texts = |list: &[&str]| Data::Texts(list.iter().map(|text| (*text).to_owned()).collect());
    let vars = vec![
        Var::new("v", DataType::I32, &[], Data::None)
            .with("aggregated_dimensions", "x")
            .with("aggregated_data", "shape: s location: l address: a"),
        Var::new("s", DataType::I32, &[("one", 1), ("f", 1)], Data::Numbers(vec![2.0])),
        Var::new("l", DataType::String, &[("f", 1), ("version", 2)], texts(&versions)),
        Var::new("a", DataType::String, &[], texts(&["v"])),
    ];
    write(&path, &FileSpec { format: crate::support::Format::Nc4, dims: vec![("x".into(), 2)], vars });
    path
}

#[test]
fn a_local_version_is_taken_before_one_on_a_server() {
    let archive = Archive::new(|_| None);
    let ones = || Var::new("v", DataType::I32, &[], Data::Numbers(vec![1.0, 1.0]));
    plain(archive.folder.path(), "near.nc", ones());
    plain(archive.folder.path(), "far.nc", ones());
    let far = archive.server.url("/far.nc");
    let read = |versions, settings: &[(&str, &str)]| {
        let mut options = open_options();
        settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
        let dataset = Dataset::open_with(with_versions(archive.folder.path(), versions), &options).unwrap();
        let before = archive.server.requests().len();
        let got = dataset.variable("v").unwrap().read_values(&Selection::all(&[2]));
        assert_eq!(got.unwrap(), Values::I32(vec![1, 1]), "{versions:?}");
        (archive.server.requests().len() - before, dataset.warnings().join("\n"))
    };
    assert_eq!(read([&far, "near.nc"], &[]), (0, String::new()));
    assert_eq!(read(["near.nc", &far], &[]), (0, String::new()));
    // One that is absent, not allowed or unusable changes nothing.
    assert_eq!(read([&far, "none.nc"], &[]), (1, String::new()));
    assert_eq!(read([&far, "near.nc"], &[("ALLOWED_SOURCES", &archive.server.url("/"))]), (1, String::new()));
    std::fs::write(archive.path("bad.nc"), "nothing").unwrap();
    assert_eq!(read([&far, "bad.nc"], &[]), (1, String::new()));
    let (requests, warning) = read(["bad.nc", &far], &[]);
    assert!(requests == 1 && warning.contains("version 1 (bad.nc) is skipped"), "{warning}");
}

#[test]
fn a_check_prefers_a_local_version_as_a_read_does() {
    let archive = Archive::new(|_| None);
    let ones = || Var::new("v", DataType::I32, &[], Data::Numbers(vec![1.0, 1.0]));
    plain(archive.folder.path(), "near.nc", ones());
    plain(archive.folder.path(), "far.nc", ones());
    std::fs::write(archive.path("bad.nc"), "nothing").unwrap();
    let far = archive.server.url("/far.nc");
    let gone = archive.server.url("/gone.nc");
    let check = |versions| {
        let before = archive.server.requests().len();
        let options = check::Options { open: open_options(), fragments: true, ..check::Options::default() };
        let report = check::check(with_versions(archive.folder.path(), versions), &options).unwrap();
        let requests = archive.server.requests().len() - before;
        (requests > 0, report.variables[0].states[0])
    };
    assert_eq!(check([&far, "near.nc"]), (false, check::State::OtherVersion));
    assert_eq!(check([&gone, "near.nc"]), (false, check::State::OtherVersion));
    assert_eq!(check(["near.nc", &far]), (false, check::State::Present));
    // One that is absent or unusable changes nothing.
    assert_eq!(check([&far, "none.nc"]), (true, check::State::Present));
    assert_eq!(check([&far, "bad.nc"]), (true, check::State::Present));
    assert_eq!(check([&gone, "none.nc"]), (true, check::State::Missing));
}
