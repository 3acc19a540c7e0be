//! Fragments are found where an aggregation file names them, and only where the settings allow.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use cfa::internals::location::{open_fragment, open_named, Opened, Origin, Place, Style};
use cfa::{AllowedSources, OpenOptions};
use cfa::{Kind, Source};
use tempfile::TempDir;

/// A folder `run` with `agg.nc`, and files that hold their own path below the folder.
struct Archive(TempDir);

impl Archive {
    fn with(files: &[&str]) -> Self {
        let archive = Archive(tempfile::tempdir().unwrap());
        for file in files.iter().chain(&["run/agg.nc"]) {
            let path = archive.path(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        archive
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open_as(&self, name: &str, style: Style, options: &OpenOptions) -> cfa::Result<Opened> {
        open_fragment(&Origin::local(&self.path("run/agg.nc")).unwrap(), name, style, options)
    }

    fn open(&self, name: &str, allowed: AllowedSources) -> cfa::Result<Opened> {
        self.open_as(name, Style::UriOrPath, &OpenOptions::default().allowed_sources(allowed))
    }

    fn siblings(&self, name: &str) -> cfa::Result<Opened> {
        self.open(name, AllowedSources::Siblings)
    }

    fn local(&self, name: &str) -> cfa::Result<Opened> {
        self.open(name, AllowedSources::Local)
    }
}

fn text(opened: cfa::Result<Opened>) -> String {
    match opened.unwrap() {
        Opened::Found(found) => {
            let mut bytes = vec![0; found.file.len() as usize];
            found.file.read_at(0, &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        }
        Opened::Absent(tried) => panic!("absent: {tried:?}"),
    }
}

fn absent(opened: cfa::Result<Opened>) -> Vec<String> {
    match opened.unwrap() {
        Opened::Absent(tried) => tried,
        Opened::Found(found) => panic!("found {:?}", found.places),
    }
}

fn kind(opened: cfa::Result<Opened>) -> Kind {
    opened.unwrap_err().kind()
}

#[test]
fn relative_names_do_not_depend_on_the_working_directory() {
    let archive = Archive::with(&["run/f.nc", "run/sub/dir/g.nc", "up.nc", "run/run:1.nc"]);
    assert_eq!(text(archive.local("f.nc")), "run/f.nc");
    assert_eq!(text(archive.local("./run:1.nc")), "run/run:1.nc");
    assert_eq!(text(archive.local("run:1.nc")), "run/run:1.nc");
    assert_eq!(text(archive.local("sub/../sub/dir/g.nc")), "run/sub/dir/g.nc");
    assert_eq!(text(archive.local("../up.nc")), "up.nc");
    assert_eq!(text(archive.local("gone/../f.nc")), "run/f.nc");
    assert_eq!(text(archive.local("file:f.nc")), "run/f.nc");
    assert_eq!(text(archive.local("sub\\dir\\g.nc")), "run/sub/dir/g.nc");
}

#[test]
fn percent_names_are_decoded_once_and_literal_names_are_found_too() {
    let archive = Archive::with(&["run/a b.nc", "run/a%20b.nc", "run/50%.nc", "run/h#sh.nc", "run/x%41.nc"]);
    assert_eq!(text(archive.local("a%20b.nc")), "run/a b.nc");
    assert_eq!(text(archive.local("a b.nc")), "run/a b.nc");
    assert_eq!(text(archive.local("a%2520b.nc")), "run/a%20b.nc");
    assert_eq!(text(archive.local("50%25.nc")), "run/50%.nc");
    assert_eq!(text(archive.local("50%.nc")), "run/50%.nc");
    assert_eq!(text(archive.local("h%23sh.nc")), "run/h#sh.nc");
    assert_eq!(text(archive.local("x%41.nc")), "run/x%41.nc");
}

#[test]
fn absolute_locations_need_a_scheme_in_cf() {
    let archive = Archive::with(&["other/f.nc"]);
    let path = archive.path("other/f.nc").display().to_string();
    let options = OpenOptions::default();
    for prefix in ["file://", "file://localhost", "file:"] {
        assert_eq!(text(archive.open_as(&format!("{prefix}{path}"), Style::Uri, &options)), "other/f.nc");
    }
    assert_eq!(kind(archive.open_as(&path, Style::Uri, &options)), Kind::Uri);
    assert_eq!(text(archive.open_as(&path, Style::UriOrPath, &options)), "other/f.nc");
}

#[test]
fn what_is_not_here_is_absent_and_says_why() {
    let archive = Archive::with(&["run/f.nc"]);
    for (name, reason) in [
        ("none.nc", "none.nc: no such file"),
        ("f.nc/below.nc", "no such file"),
        ("none/f.nc", "no such file"),
        ("file://data1/f.nc", "'file://data1/f.nc' is on another host"),
        ("locally_meaningful_protocol:///UID", "unknown scheme 'locally_meaningful_protocol'"),
        ("C:\\f.nc", "Windows"),
    ] {
        let tried = absent(archive.local(name));
        assert!(tried.iter().any(|text| text.contains(reason)), "{name}: {tried:?}");
    }
    symlink("nowhere.nc", archive.path("run/dangling.nc")).unwrap();
    absent(archive.local("dangling.nc"));
    absent(archive.siblings("dangling.nc"));
    absent(archive.siblings("none.nc"));
}

#[test]
fn a_server_is_refused_where_local_files_alone_are_allowed() {
    let error = Archive::with(&[]).local("https://me:secret@example.org/f.nc?token=secret").unwrap_err();
    assert_eq!(error.kind(), Kind::Policy);
    assert!(error.to_string().contains("https://example.org/f.nc") && !error.to_string().contains("secret"));
}

#[test]
fn nul_and_empty_names_are_malformed() {
    let archive = Archive::with(&[]);
    for name in ["", "f\0.nc", "f%00.nc", "file://"] {
        assert_eq!(kind(archive.local(name)), Kind::Uri, "{name:?}");
    }
}

#[test]
fn a_fifo_a_device_and_a_directory_are_refused_without_hanging() {
    let archive = Archive::with(&["run/sub/f.nc"]);
    assert!(std::process::Command::new("mkfifo")
        .arg(archive.path("run/fifo.nc"))
        .status()
        .unwrap()
        .success());
    symlink("/dev/zero", archive.path("run/zero.nc")).unwrap();
    for allowed in [AllowedSources::Local, AllowedSources::Prefixes(vec!["/".into()])] {
        for (name, word) in
            [("fifo.nc", "FIFO"), ("zero.nc", "device"), ("sub", "directory"), (".", "directory")]
        {
            let error = archive.open(name, allowed.clone()).unwrap_err();
            assert_eq!(error.kind(), Kind::FragmentUnreadable);
            assert!(error.message().contains(word) && error.message().contains("only regular"), "{error}");
        }
    }
}

#[test]
fn siblings_do_not_reach_outside() {
    let archive = Archive::with(&["run/sub/f.nc", "other/f.nc", "run2/f.nc"]);
    assert_eq!(text(archive.siblings("sub/f.nc")), "run/sub/f.nc");
    assert_eq!(text(archive.siblings("../run/sub/f.nc")), "run/sub/f.nc");
    for name in ["../other/f.nc", "../run2/f.nc", "sub/../../other/f.nc", "%2e%2e/other/f.nc", "/etc/passwd"]
    {
        let error = archive.siblings(name).unwrap_err();
        assert_eq!(error.kind(), Kind::Policy, "{name}");
        assert!(error.message().contains("ALLOWED_SOURCES=SIBLINGS"), "{error}");
    }
    // The answer does not reveal whether a file outside exists.
    assert_eq!(kind(archive.siblings("../other/none.nc")), Kind::Policy);
    assert_eq!(kind(archive.siblings("file:///no/such/directory/f.nc")), Kind::Policy);
}

#[test]
fn symbolic_links_do_not_lead_out_of_siblings() {
    let archive = Archive::with(&["other/f.nc", "run/sub/g.nc"]);
    symlink("../other/f.nc", archive.path("run/file.nc")).unwrap();
    symlink("../other", archive.path("run/directory")).unwrap();
    symlink("sub/g.nc", archive.path("run/inside.nc")).unwrap();
    symlink("../other/none.nc", archive.path("run/dangling.nc")).unwrap();
    for name in ["file.nc", "directory/f.nc", "directory/none.nc", "directory/../other/f.nc"] {
        assert_eq!(kind(archive.siblings(name)), Kind::Policy, "{name}");
    }
    assert_eq!(text(archive.siblings("inside.nc")), "run/sub/g.nc");
    assert_eq!(text(archive.local("file.nc")), "other/f.nc");
}

#[test]
fn a_directory_exchanged_for_a_link_during_the_open_does_not_lead_out() {
    let archive = Archive::with(&["run/sub/f.nc", "other/f.nc"]);
    symlink("../other", archive.path("run/link")).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                exchange(&archive.path("run/sub"), &archive.path("run/link"));
            }
        });
        let leaked = (0..20_000).any(|_| match archive.siblings("sub/f.nc") {
            Ok(Opened::Found(found)) => text(Ok(Opened::Found(found))) != "run/sub/f.nc",
            _ => false,
        });
        done.store(true, Ordering::Relaxed);
        assert!(!leaked);
    });
}

/// Exchanges the names of two files. In one step where the system can: two steps hardly ever fall into one open.
fn exchange(a: &Path, b: &Path) {
    #[cfg(target_os = "linux")]
    {
        let c_path = |path: &Path| std::ffi::CString::new(path.as_os_str().as_encoded_bytes()).unwrap();
        let (a, b) = (c_path(a), c_path(b));
        // SAFETY: both are C strings that outlive the call.
        let done = unsafe {
            libc::renameat2(libc::AT_FDCWD, a.as_ptr(), libc::AT_FDCWD, b.as_ptr(), libc::RENAME_EXCHANGE)
        };
        assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
    }
    #[cfg(not(target_os = "linux"))]
    {
        let aside = a.with_extension("aside");
        for (from, to) in [(a, &*aside), (b, a), (&aside, b)] {
            fs::rename(from, to).unwrap();
        }
    }
}

#[test]
fn a_prefix_allows_whole_segments() {
    let archive = Archive::with(&["data/a/f.nc", "data/ab/f.nc", "run/f.nc"]);
    let prefix = archive.path("data/a").display().to_string();
    let allowed = AllowedSources::Prefixes(vec![prefix.clone()]);
    assert_eq!(text(archive.open("../data/a/f.nc", allowed.clone())), "data/a/f.nc");
    assert_eq!(text(archive.open(&format!("file://{prefix}/f.nc"), allowed.clone())), "data/a/f.nc");
    for name in ["../data/ab/f.nc", "../data/a/../ab/f.nc", "f.nc"] {
        assert_eq!(kind(archive.open(name, allowed.clone())), Kind::Policy, "{name}");
    }
}

#[test]
fn a_prefix_that_is_a_link_allows_its_target() {
    let archive = Archive::with(&["data/a/f.nc"]);
    symlink("data", archive.path("link")).unwrap();
    let allowed = AllowedSources::Prefixes(vec![archive.path("link/a").display().to_string()]);
    assert_eq!(text(archive.open("../data/a/f.nc", allowed.clone())), "data/a/f.nc");
    assert_eq!(text(archive.open("../link/a/f.nc", allowed)), "data/a/f.nc");
}

#[test]
fn an_aggregation_that_is_a_link_has_the_siblings_of_both_places() {
    let archive = Archive::with(&["run/f.nc", "links/g.nc", "links/both.nc", "run/both.nc", "other/h.nc"]);
    symlink("../run/agg.nc", archive.path("links/agg.nc")).unwrap();
    let (_, origin) = open_named(&archive.path("links/agg.nc"), &OpenOptions::default()).unwrap();
    let options = OpenOptions::default().allowed_sources(AllowedSources::Siblings);
    let open = |name| open_fragment(&origin, name, Style::Uri, &options);
    assert_eq!(text(open("g.nc")), "links/g.nc");
    assert_eq!(text(open("f.nc")), "run/f.nc");
    assert_eq!(text(open("both.nc")), "links/both.nc");
    assert_eq!(absent(open("none.nc")).len(), 2);
    assert_eq!(kind(open("../other/h.nc")), Kind::Policy);
}

#[test]
fn a_nested_aggregation_has_the_siblings_of_the_first_one() {
    let archive = Archive::with(&["run/sub/inner.nc", "run/f.nc", "other/h.nc"]);
    let options = OpenOptions::default().allowed_sources(AllowedSources::Siblings);
    let origin = Origin::local(&archive.path("run/agg.nc")).unwrap();
    let Opened::Found(inner) = open_fragment(&origin, "sub/inner.nc", Style::Uri, &options).unwrap() else {
        panic!("absent")
    };
    let nested = origin.nested(&inner.places);
    assert_eq!(text(open_fragment(&nested, "../f.nc", Style::Uri, &options)), "run/f.nc");
    assert_eq!(kind(open_fragment(&nested, "../../other/h.nc", Style::Uri, &options)), Kind::Policy);
}

#[test]
fn the_environment_is_never_expanded() {
    let archive = Archive::with(&["run/$HOME/f.nc"]);
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_else(|| "/".into()));
    assert_eq!(text(archive.local("$HOME/f.nc")), "run/$HOME/f.nc");
    for name in ["${HOME}", "~", "~/", "%HOME%", "$PWD"] {
        let tried = absent(archive.local(name));
        assert!(tried.iter().all(|text| !text.starts_with(&*home.join("f").to_string_lossy())), "{tried:?}");
    }
}

#[test]
fn an_archive_that_moved_is_found() {
    let archive = Archive::with(&["new/sub/f.nc"]);
    let mut options = OpenOptions::default();
    options.set("relocate", &format!("/old/archive={}", archive.path("new").display())).unwrap();
    for name in ["/old/archive/sub/f.nc", "file:///old/archive/sub/f.nc", "file:///old/%61rchive/sub/%66.nc"]
    {
        assert_eq!(text(archive.open_as(name, Style::Uri, &options)), "new/sub/f.nc", "{name}");
    }
    options.set("substitutions", "store=/old/archive").unwrap();
    assert_eq!(text(archive.open_as("${store}/sub/f.nc", Style::Uri, &options)), "new/sub/f.nc");
    // The policy applies to relocated locations, too.
    options.set("allowed-sources", "siblings").unwrap();
    assert_eq!(kind(archive.open_as("/old/archive/sub/f.nc", Style::Uri, &options)), Kind::Policy);
}

#[test]
fn the_aggregation_file_itself_has_the_same_identity_as_a_fragment() {
    let archive = Archive::with(&["run/f.nc"]);
    let (aggregation, origin) = open_named(&archive.path("run/agg.nc"), &OpenOptions::default()).unwrap();
    let open = |name| match open_fragment(&origin, name, Style::Uri, &OpenOptions::default()).unwrap() {
        Opened::Found(found) => found.identity(),
        Opened::Absent(tried) => panic!("absent: {tried:?}"),
    };
    assert_eq!(aggregation.identity(), open("../run/agg.nc"));
    assert_ne!(aggregation.identity(), open("f.nc"));
}

#[test]
fn aggregations_are_opened_by_path_or_file_uri() {
    let archive = Archive::with(&["run/a b.nc"]);
    let open = |name: &Path| open_named(name, &OpenOptions::default());
    let uri = format!("file://{}", archive.path("run/a%20b.nc").display());
    let (found, _) = open(Path::new(&uri)).unwrap();
    assert_eq!(found.places, [Place::Local(archive.path("run/a b.nc"))]);
    for (name, kind) in [
        (Path::new("s3://id:secret@bucket/a.nc"), Kind::Uri),
        (&archive.path("run/none.nc"), Kind::Io),
        (&archive.path("run"), Kind::Io),
    ] {
        assert_eq!(open(name).unwrap_err().kind(), kind, "{name:?}");
    }
}

#[test]
fn the_documentation_lists_every_setting_with_its_default() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/security.md")).unwrap();
    for setting in cfa::SETTINGS {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{}` |", setting.name)));
        let row = row.unwrap_or_else(|| panic!("{} is not documented", setting.name));
        let default =
            if setting.default.is_empty() { "| |".into() } else { format!("| `{}` |", setting.default) };
        assert!(row.ends_with(&default), "{row}");
    }
}

#[test]
fn files_without_read_permission_are_unreadable() {
    use std::os::unix::fs::PermissionsExt;
    let archive = Archive::with(&["run/f.nc"]);
    fs::set_permissions(archive.path("run/f.nc"), fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser can read it nevertheless.
    if fs::File::open(archive.path("run/f.nc")).is_err() {
        assert_eq!(kind(archive.local("f.nc")), Kind::FragmentUnreadable);
        assert_eq!(kind(archive.siblings("f.nc")), Kind::FragmentUnreadable);
    }
}
