//! The C API from C: builds the shared library, compiles the programs of `c_tests/`, `examples/` and `docs/c-api.md`
//! against it, and runs them, also under valgrind and with the C side sanitized.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-g"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Where the development build of the libraries is.
fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let mut build = Command::new(root().join("scripts/cargo.sh"));
        // Nothing is compiled again: the library is the one that `cargo test` compiled for this very program.
        build.arg("products").env("CFA_PROFILE", "dev").env("CFA_BESIDE", "--test=all");
        // Build scripts look at these: with what `cargo test` sets they would run again, and replace what the documentation
        // tests are linked with.
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            let of_the_user = ["CARGO_HOME", "CARGO_INCREMENTAL", "CARGO_TARGET_DIR"].contains(&&*name);
            if name.starts_with("CARGO_") && !of_the_user && !name.starts_with("CARGO_PROFILE_") {
                build.env_remove(&*name);
            }
        }
        run(&mut build);
        root().join("build/dev/lib")
    })
}

/// A directory with the files that the programs read.
fn fixtures() -> &'static Path {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        run(Command::new(c_test("make_fixtures.sh")).arg(directory.path()));
        directory
    });
    made.path()
}

/// Compiles a program into a directory; `flags` come before the source.
fn compile(source: &Path, directory: &Path, flags: &[&str]) -> PathBuf {
    let program = directory.join(source.file_stem().unwrap());
    let cpp = source.extension() == Some(OsStr::new("cpp"));
    let mut command = Command::new(if cpp { "c++" } else { "cc" });
    command.arg(if cpp { "-std=c++11" } else { "-std=c99" }).args(STRICT).args(flags);
    command.arg("-I").arg(root().join("include")).arg("-I").arg(root().join("c_tests")).arg(source);
    command.arg("-o").arg(&program).arg("-L").arg(library()).args(["-lcfa", "-lm", "-lpthread"]);
    run(command.arg(format!("-Wl,-rpath,{}", library().display())));
    program
}

fn c_test(name: &str) -> PathBuf {
    root().join("c_tests").join(name)
}

/// The programs that use the small fixtures.
const TESTS: [&str; 13] = [
    "arguments.c",
    "chunks.c",
    "errors.c",
    "fragments.c",
    "meaning.c",
    "metadata.c",
    "options.c",
    "read.c",
    "replacing.c",
    "supplied.c",
    "threads.c",
    "writing.c",
    "writing_options.c",
];

#[test]
fn the_contract_holds() {
    let directory = tempfile::tempdir().unwrap();
    for name in TESTS.iter().chain(&["fork.c", "parallel.c", "header.cpp"]) {
        run(Command::new(compile(&c_test(name), directory.path(), &[])).arg(fixtures()));
    }
}

/// The programs that link the static library.
const STATIC_TESTS: [&str; 3] = ["metadata.c", "own_codecs.c", "writing.c"];

#[test]
fn every_program_of_c_tests_is_run_by_a_test() {
    let elsewhere = ["cancel.c", "faults.c", "fork.c", "parallel.c"];
    let mut known: Vec<&str> = TESTS.iter().chain(&STATIC_TESTS).chain(&elsewhere).copied().collect();
    known.sort_unstable();
    known.dedup();
    let there = std::fs::read_dir(root().join("c_tests")).unwrap();
    let mut there: Vec<String> = there.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    there.retain(|name| name.ends_with(".c"));
    there.sort_unstable();
    assert_eq!(there, known);
}

#[test]
fn a_read_is_cancelled_within_200_ms() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(Command::new(compile(&c_test("cancel.c"), directory.path(), &[])).arg(fixtures()));
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

/// A program below valgrind, which ends with `FOUND` when it found something.
fn valgrind(options: &[&str], program: &Path) -> Command {
    let mut command = Command::new("valgrind");
    command
        .args(["--quiet", &format!("--error-exitcode={FOUND}")])
        .args(options)
        .arg(program)
        .arg(fixtures());
    command
}

const FOUND: i32 = 9;

const MEMCHECK: [&str; 3] =
    ["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"];

/// Runs one of the faults on purpose, which valgrind must find; what it says of it.
fn found(options: &[&str], fault: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(&c_test("faults.c"), directory.path(), &[]);
    let output = valgrind(options, &program).arg(fault).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(FOUND), "{fault}: {said}");
    said
}

#[test]
fn nothing_leaks_and_nothing_is_read_before_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    for name in TESTS {
        let program = compile(&c_test(name), directory.path(), &[]);
        run(valgrind(&MEMCHECK, &program).arg("1"));
    }
    assert!(found(&MEMCHECK, "leak").contains("definitely lost"));
    assert!(found(&MEMCHECK, "overflow").contains("Invalid write"));
}

/// Helgrind does not know the locks of Rust, so here each thread has its own dataset: what the library has for all of
/// them is what could race. Threads that share one are for ThreadSanitizer (scripts/sanitize.sh), which knows.
#[test]
fn helgrind_finds_no_race_between_threads_with_their_own_datasets() {
    let directory = tempfile::tempdir().unwrap();
    let suppressions = format!("--suppressions={}", c_test("helgrind.supp").display());
    let at_exit = format!("--suppressions={}", c_test("helgrind_exit.supp").display());
    let options = ["--tool=helgrind", &suppressions, &at_exit];
    let program = compile(&c_test("threads.c"), directory.path(), &[]);
    run(valgrind(&options, &program).args(["1", "own"]));
    let said = found(&options, "race");
    assert!(said.contains("Possible data race") && said.contains("place_of_race"), "{said}");
}

#[test]
fn sanitizers_of_the_c_side_find_nothing() {
    let directory = tempfile::tempdir().unwrap();
    for name in TESTS {
        let flags = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        run(Command::new(compile(&c_test(name), directory.path(), &flags)).arg(fixtures()).arg("2"));
    }
}

#[test]
fn the_libraries_export_the_listed_symbols_and_nothing_else() {
    let wanted = std::fs::read_to_string(c_test("symbols.txt")).unwrap();
    for (name, kind) in [("libcfa.so", "--dynamic"), ("libcfa.a", "--extern-only")] {
        let library = library().join(name);
        let listed = run(Command::new("nm").args([kind, "--defined-only", "--format=posix"]).arg(library));
        let listed = String::from_utf8(listed.stdout).unwrap();
        let mut names: Vec<&str> = listed.lines().filter_map(|l| l.split_once(' ')).map(|(n, _)| n).collect();
        names.sort_unstable();
        assert_eq!(names, wanted.lines().collect::<Vec<_>>(), "{name}");
    }
}

#[test]
fn the_library_has_its_soname() {
    let output = run(Command::new("readelf").arg("-d").arg(library().join("libcfa.so")));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let soname = format!("libcfa.so.{}", env!("CARGO_PKG_VERSION_MAJOR"));
    assert!(text.contains(&format!("[{soname}]")), "{text}");
    let link = std::fs::read_link(library().join(soname)).unwrap();
    assert_eq!(link, Path::new(&format!("libcfa.so.{}", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn programs_link_the_static_library() {
    let directory = tempfile::tempdir().unwrap();
    for name in STATIC_TESTS {
        let program = directory.path().join(name).with_extension("");
        run(Command::new("cc")
            .args(["-std=c99", "-I"])
            .arg(root().join("include"))
            .arg(c_test(name))
            .arg(library().join("libcfa.a"))
            .args(["-lm", "-lpthread", "-ldl", "-o"])
            .arg(&program));
        run(Command::new(program).arg(fixtures()));
    }
}

#[test]
fn examples_run() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(&root().join("examples/cfa_read.c"), directory.path(), &[]);
    let part = ["tas", "3,1", "2,2", "-2,1"];
    let output = run(Command::new(program).arg(fixtures().join("agg.nc")).args(part));
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        r#"{"dtype": "f4", "shape": [2, 2], "dims": ["time", "lat"], "values": [31, null, 11, 12]}"#
    );
}

/// The model for bindings: Python with its standard library alone, over the header.
#[test]
fn the_example_in_python_runs() {
    let python = |arguments: &[&str]| {
        let mut command = Command::new("/usr/bin/python3");
        command.arg("-B").arg(root().join("examples/cfa_read.py")).args(arguments).current_dir(fixtures());
        command.env("CFA_LIBRARY", library().join("libcfa.so")).output().unwrap()
    };
    let said = |arguments: &[&str]| {
        let output = python(arguments);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = said(&["agg.nc"]);
    assert!(listed.starts_with("float /tas (time=4, lat=3) K\n"), "{listed}");
    assert!(listed.contains("\nfloat /bad is not usable: missing-variable\n"), "{listed}");
    assert_eq!(said(&["agg.nc", "tas", "time=2..3"]), "(2, 3) [20.0, 21.0, 22.0, 30.0, 31.0, None]\n");
    assert_eq!(said(&["agg.nc", "name"]), "(3,) ['Oslo', None, 'Bergen']\n");
    assert_eq!(said(&["day_1.nc", "tas", "time=2001-01-02", "lat=0.."]), "(1, 2) [11.0, 12.0]\n");
    let refused = |arguments: &[&str]| {
        let output = python(arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(refused(&["absent.nc"]), "absent.nc: no such file\n");
    let missing = refused(&["agg.nc", "gone"]);
    assert!(missing.starts_with("fragment-missing (fragment (0,)): agg.nc: variable '/gone'"), "{missing}");
}

/// A program of the guide is a block of C that begins with a comment that names its file; the block of text after it, if
/// there is one, is what it prints.
#[test]
fn programs_of_the_guide_run() {
    let guide = std::fs::read_to_string(root().join("docs/c-api.md")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (mut programs, mut outputs) = (0, 0);
    for block in guide.split("```c\n").skip(1) {
        let (source, rest) = block.split_once("```\n").unwrap();
        let Some(name) =
            source.strip_prefix("/* ").and_then(|s| s.split([':', ' ']).next()).filter(|n| n.ends_with(".c"))
        else {
            continue;
        };
        let path = directory.path().join(name);
        std::fs::write(&path, source).unwrap();
        let output =
            run(Command::new(compile(&path, directory.path(), &[])).arg("agg.nc").current_dir(fixtures()));
        let before_next = rest.split("```c\n").next().unwrap();
        if let Some((_, shown)) = before_next.split_once("```text\n") {
            assert_eq!(String::from_utf8_lossy(&output.stdout), shown.split("```").next().unwrap(), "{name}");
            outputs += 1;
        }
        programs += 1;
    }
    assert!(programs >= 3 && outputs >= 1);
}
