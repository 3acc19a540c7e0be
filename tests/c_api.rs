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
        for product in ["shared", "static"] {
            run(Command::new(root().join("scripts/cargo.sh")).arg(product).env("CFA_PROFILE", "dev"));
        }
        root().join("build/dev/lib")
    })
}

/// A directory with the fixtures as netCDF files.
fn fixtures() -> &'static Path {
    static MADE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let directory = tempfile::tempdir().unwrap();
        for name in ["agg", "part_1", "part_2", "day_1", "day_2"] {
            let source = root().join("c_tests/fixtures").join(name).with_extension("cdl");
            run(Command::new("ncgen")
                .arg("-4")
                .arg("-o")
                .arg(directory.path().join(name).with_extension("nc"))
                .arg(&source));
            std::fs::copy(&source, directory.path().join(name).with_extension("cdl")).unwrap();
        }
        write_large(directory.path()).unwrap();
        directory
    });
    made.path()
}

/// Aggregations that take a while to read: `many` fragments that are the same file, and `one` large fragment.
fn write_large(directory: &Path) -> Result<(), netcdf::Error> {
    const MANY: usize = 60;
    const ROWS: usize = 400;
    const COLUMNS: usize = 1000;
    let numbers: Vec<f32> = (0..ROWS * COLUMNS).map(|i| ((i * 7919) % 10_007) as f32).collect();
    for (name, rows) in [("piece.nc", ROWS), ("whole.nc", MANY * ROWS)] {
        let mut file = netcdf::create(directory.join(name))?;
        file.add_dimension("y", rows)?;
        file.add_dimension("x", COLUMNS)?;
        let mut variable = file.add_variable::<f32>("v", &["y", "x"])?;
        variable.set_chunking(&[100, COLUMNS])?;
        variable.set_compression(1, true)?;
        for at in (0..rows).step_by(ROWS) {
            variable.put_values(&numbers, (at..at + ROWS, ..))?;
        }
    }
    let mut file = netcdf::create(directory.join("large.nc"))?;
    for (name, size) in [
        ("y", MANY * ROWS),
        ("x", COLUMNS),
        ("f_many", MANY),
        ("f_x", 1),
        ("f_one", 1),
        ("j", 2),
        ("i", MANY),
        ("k", 1),
    ] {
        file.add_dimension(name, size)?;
    }
    let empty = i32::MIN + 1;
    for (name, fragments, uri, rows) in
        [("many", MANY, "piece.nc", ROWS), ("one", 1, "whole.nc", MANY * ROWS)]
    {
        let mut variable = file.add_variable::<f32>(name, &[])?;
        variable.put_attribute("aggregated_dimensions", "y x")?;
        let terms = format!("map: {name}_map uris: {name}_uris identifiers: {name}_ids");
        variable.put_attribute("aggregated_data", terms)?;
        let mut map =
            file.add_variable::<i32>(&format!("{name}_map"), &["j", if name == "many" { "i" } else { "k" }])?;
        map.set_fill_value(empty)?;
        let mut sizes = vec![rows as i32; fragments];
        sizes.push(COLUMNS as i32);
        sizes.extend(std::iter::repeat_n(empty, fragments - 1));
        map.put_values(&sizes, ..)?;
        for (feature, text) in [("uris", uri), ("ids", "v")] {
            let dimensions = [if name == "many" { "f_many" } else { "f_one" }, "f_x"];
            let mut variable = file.add_string_variable(&format!("{name}_{feature}"), &dimensions)?;
            for i in 0..fragments {
                variable.put_string(text, [i, 0])?;
            }
        }
    }
    Ok(())
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
const TESTS: [&str; 6] = ["arguments.c", "metadata.c", "options.c", "read.c", "threads.c", "writing.c"];

#[test]
fn the_contract_holds() {
    let directory = tempfile::tempdir().unwrap();
    for name in TESTS.iter().chain(&["fork.c", "header.cpp"]) {
        run(Command::new(compile(&c_test(name), directory.path(), &[])).arg(fixtures()));
    }
}

#[test]
fn a_read_is_cancelled_within_200_ms() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(Command::new(compile(&c_test("cancel.c"), directory.path(), &[])).arg(fixtures()));
    print!("{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn nothing_leaks_and_nothing_is_read_before_it_is_written() {
    let directory = tempfile::tempdir().unwrap();
    for name in TESTS {
        let program = compile(&c_test(name), directory.path(), &[]);
        run(Command::new("valgrind")
            .args(["--quiet", "--error-exitcode=9", "--leak-check=full"])
            .args(["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"])
            .arg(program)
            .arg(fixtures())
            .arg("1"));
    }
}

/// Helgrind knows the locks of pthreads, not the atomics of Rust, so reports of races within the library are
/// suppressed; what stays are misuse of threads, the order of locks, and races in the test itself.
#[test]
fn helgrind_finds_no_misuse_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let program = compile(&c_test("threads.c"), directory.path(), &[]);
    run(Command::new("valgrind")
        .args(["--tool=helgrind", "--quiet", "--error-exitcode=9"])
        .arg(format!("--suppressions={}", c_test("helgrind.supp").display()))
        .arg(format!("--suppressions={}", c_test("helgrind_exit.supp").display()))
        .arg(program)
        .arg(fixtures())
        .arg("1"));
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
fn the_library_exports_the_listed_symbols_and_nothing_else() {
    let wanted = std::fs::read_to_string(c_test("symbols.txt")).unwrap();
    let shared = library().join("libcfa.so");
    let listed = run(Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(&shared));
    let listed = String::from_utf8(listed.stdout).unwrap();
    let mut names: Vec<&str> = listed.lines().filter_map(|line| line.split(' ').next()).collect();
    names.sort_unstable();
    assert_eq!(names, wanted.lines().collect::<Vec<_>>());
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
fn a_program_links_the_static_library_which_does_not_write() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["metadata.c", "not_built.c"] {
        let program = directory.path().join(name).with_extension("");
        run(Command::new("cc")
            .args(["-std=c99", "-I"])
            .arg(root().join("include"))
            .arg(c_test(name))
            .arg(library().join("libcfa.a"))
            .args(["-lm", "-lpthread", "-ldl", "-o"])
            .arg(&program));
        run(Command::new(program).arg(fixtures()).current_dir(directory.path()));
    }
}

/// The program, the plugin and whoever links the static library choose libnetcdf themselves, or none.
#[test]
fn only_the_shared_library_needs_libnetcdf() {
    let needed = run(Command::new("readelf").arg("-d").arg(library().join("libcfa.so")));
    assert!(String::from_utf8_lossy(&needed.stdout).contains("[libnetcdf.so"));
    let archive = run(Command::new("nm").arg("--undefined-only").arg(library().join("libcfa.a")));
    let undefined = String::from_utf8_lossy(&archive.stdout).into_owned();
    let calls = |name: &str| {
        undefined.lines().any(|l| l.trim().strip_prefix("U ").is_some_and(|s| s.starts_with(name)))
    };
    assert!(calls("malloc") && !calls("nc_") && !calls("H5"));
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

/// A program of the guide is a block of C that begins with a comment that names its file; the block of text after it, if
/// there is one, is what it prints.
#[test]
fn programs_of_the_guide_run() {
    let guide = std::fs::read_to_string(root().join("docs/c-api.md")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut programs = 0;
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
        }
        programs += 1;
    }
    assert!(programs >= 3);
}
