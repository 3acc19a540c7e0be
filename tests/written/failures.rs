//! Whatever fails, there is an error with the reason, status 1, and the file is as it was before.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use cfa::internals::write::{write_file, Dimension, File, Format, Storage, Variable};
use cfa::Values;

const ENOSPC: i32 = 28;
const EIO: i32 = 5;
const EDQUOT: i32 = 122;

/// The parts of an aggregation, and its file.
fn scene(folder: &Path) -> PathBuf {
    for part in 0..3i32 {
        let mut file = File::default();
        file.dimensions.push(Dimension { name: "t".into(), size: 2, unlimited: true });
        file.add_dimension("x", 600);
        let times = vec![f64::from(2 * part), f64::from(2 * part + 1)];
        file.variables.push(
            Variable::with_values("t", &["t"], Values::F64(times)).attribute("units", "days since 2000-1-1"),
        );
        let values = (0..1200).map(|i| i * 7919 + part).collect();
        let mut variable =
            Variable::with_values("v", &["t", "x"], Values::I32(values)).attribute("units", "m");
        variable.storage = Storage { chunks: Some(vec![1, 600]), deflate: Some(1), shuffle: true };
        file.variables.push(variable);
        write_file(&file, &folder.join(format!("part_{part}.nc")), Format::Netcdf4).unwrap();
    }
    let aggregation = folder.join("agg.nc");
    let output = cfa().args(["create", "-q"]).arg(&aggregation).args(parts(folder)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    aggregation
}

fn parts(folder: &Path) -> Vec<PathBuf> {
    (0..3).map(|part| folder.join(format!("part_{part}.nc"))).collect()
}

/// The program, at a time that stands still: it is in the files.
fn cfa() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cfa"));
    command.env("SOURCE_DATE_EPOCH", "0");
    command
}

/// The library that makes a call fail.
fn shim(folder: &Path) -> PathBuf {
    let (source, made) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written/failing.c"), folder.join("failing.so"));
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&made).arg(source).arg("-ldl");
    assert!(compiler.status().unwrap().success());
    made
}

/// The programs that write, each with what it writes into a directory.
fn commands(inputs: &Path, out: &Path) -> Vec<Command> {
    let aggregation = inputs.join("agg.nc");
    let mut create = cfa();
    create.args(["create", "-q", "--overwrite"]).arg(out).args(parts(inputs));
    let mut convert = cfa();
    convert
        .args(["convert", "--overwrite", "--format", "cdf5", "--dialect", "CFA-0.6.2"])
        .arg(&aggregation)
        .arg(out);
    let mut extract = cfa();
    extract.args(["extract", "-q", "--overwrite"]).arg(&aggregation).arg(out);
    let mut plain = cfa();
    plain.args(["extract", "-q", "--overwrite", "--deflate", "0"]).arg(&aggregation).arg(out);
    vec![create, convert, extract, plain]
}

/// What is in a directory besides the file.
fn others(out: &Path) -> Vec<String> {
    let list = fs::read_dir(out.parent().unwrap()).unwrap();
    let names = list.map(|e| e.unwrap().file_name().into_string().unwrap());
    names.filter(|name| Some(name.as_str()) != out.file_name().and_then(|n| n.to_str())).collect()
}

fn check(output: &Output, out: &Path, old: &[u8], new: &[u8], reason: &str, what: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{what}: {said}");
    assert!(said.contains(reason) && said.contains("out.nc"), "{what}: {said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{what}: {said}");
    assert_eq!(others(out), [""; 0], "{what}");
    let there = fs::read(out).unwrap();
    assert!(there == old || there == new, "{what}: neither the old file nor the new one");
}

#[test]
fn every_call_that_fails_is_an_error_and_leaves_the_old_file_or_the_new_one() {
    let inputs = tempfile::tempdir().unwrap();
    scene(inputs.path());
    let shim = shim(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    let mark = inputs.path().join("mark");
    let mut failed = 0;
    for number in 0..4 {
        let command = || commands(inputs.path(), &out).swap_remove(number);
        assert!(command().env("LD_PRELOAD", &shim).status().unwrap().success(), "command {number}");
        let new = fs::read(&out).unwrap();
        let mut old_file = File::default();
        old_file.attributes.set_text("title", "old");
        write_file(&old_file, &out, Format::Netcdf4).unwrap();
        let old = fs::read(&out).unwrap();
        for at in 1.. {
            let (error, reason) = [
                (ENOSPC, "No space left on device"),
                (EIO, "Input/output error"),
                (EDQUOT, "Disk quota exceeded"),
            ][at % 3];
            let mut command = command();
            command.env("LD_PRELOAD", &shim).env("FAIL_IN", folder.path()).env("FAIL_MARK", &mark);
            command.env("FAIL_AT", at.to_string()).env("FAIL_WITH", error.to_string());
            let output = command.output().unwrap();
            if fs::remove_file(&mark).is_err() {
                // There are fewer calls than that.
                assert!(output.status.success());
                assert!(fs::read(&out).unwrap() == new);
                break;
            }
            failed += 1;
            check(&output, &out, &old, &new, reason, &format!("command {number}, call {at}"));
            fs::write(&out, &old).unwrap();
        }
    }
    assert!(failed > 40, "only {failed} calls were made to fail");
}

#[test]
fn what_cannot_be_locked_looked_at_listed_or_closed_is_no_crash_and_leaves_nothing() {
    let inputs = tempfile::tempdir().unwrap();
    scene(inputs.path());
    let shim = shim(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    let mark = inputs.path().join("mark");
    let (mut failed, mut borne) = (0, 0);
    for (number, is_there) in (0..4).flat_map(|number| [(number, false), (number, true)]) {
        let command = || commands(inputs.path(), &out).swap_remove(number);
        let _ = fs::remove_file(&out);
        assert!(command().env("LD_PRELOAD", &shim).status().unwrap().success(), "command {number}");
        let new = fs::read(&out).unwrap();
        for at in 1.. {
            let what = format!("command {number}, call {at}, {is_there}");
            match is_there {
                true => fs::write(&out, &new).unwrap(),
                false => fs::remove_file(&out).unwrap_or_default(),
            }
            let mut command = command();
            command.env("LD_PRELOAD", &shim).env("FAIL_IN", folder.path()).env("FAIL_MARK", &mark);
            command.env("FAIL_LOOKING", "1").env("FAIL_AT", at.to_string()).env("FAIL_WITH", EIO.to_string());
            let output = command.output().unwrap();
            if fs::remove_file(&mark).is_err() {
                assert!(output.status.success());
                break;
            }
            // Much of this need not succeed: what was only read is closed, names are looked up to tidy up.
            if output.status.success() {
                borne += 1;
                assert_eq!(others(&out), [""; 0], "{what}");
                assert!(fs::read(&out).unwrap() == new, "{what}");
            } else {
                failed += 1;
                if !is_there && !out.exists() {
                    fs::write(&out, &new).unwrap();
                }
                check(&output, &out, &new, &new, "Input/output error", &what);
            }
        }
    }
    assert!(failed > 30 && borne > 30, "{failed} calls made the program fail, {borne} did not");
}

#[test]
fn what_cannot_be_removed_hinders_no_later_run_which_removes_it() {
    let inputs = tempfile::tempdir().unwrap();
    scene(inputs.path());
    let shim = shim(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    let mark = inputs.path().join("mark");
    let mut left = Vec::new();
    for number in 0..4 {
        let run = |at: Option<u32>| {
            let mut command = commands(inputs.path(), &out).swap_remove(number);
            command.env("LD_PRELOAD", &shim);
            if let Some(at) = at {
                command.env("FAIL_IN", folder.path()).env("FAIL_MARK", &mark).env("FAIL_REMOVING", "1");
                command.env("FAIL_AT", at.to_string()).env("FAIL_WITH", EIO.to_string());
            }
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && said.is_empty(), "command {number}, call {at:?}: {said}");
            fs::read(&out).unwrap()
        };
        let new = run(None);
        // Every removal fails, in two runs one after the other; then each of them alone.
        for at in [0, 0].into_iter().chain(1..) {
            assert!(run(Some(at)) == new);
            left.append(&mut others(&out));
            if fs::remove_file(&mark).is_err() {
                break;
            }
            if at > 0 {
                assert!(run(None) == new);
                assert_eq!(others(&out), [""; 0], "command {number}, call {at}");
            }
        }
    }
    assert!(left.iter().any(|name| name.ends_with(".lock")), "{left:?}");
}

/// The check that the next test runs in a process of its own, with calls that fail.
#[test]
fn both_reports_are_written() {
    let Some(folder) = std::env::var_os("CFA_TEST_REPORTS").map(PathBuf::from) else { return };
    let (html, json) = (folder.join("r.html"), folder.join("r.json"));
    let aggregation = PathBuf::from(std::env::var_os("CFA_TEST_AGGREGATION").unwrap());
    let options =
        cfa::check::Options { html_report: Some(html), json_report: Some(json), ..Default::default() };
    match cfa::check::check(aggregation, &options) {
        Ok(_) => {}
        Err(error) => {
            eprintln!("error: {error}");
            std::process::exit(1);
        }
    }
}

#[test]
fn a_check_that_cannot_write_both_reports_leaves_neither() {
    let inputs = tempfile::tempdir().unwrap();
    let aggregation = scene(inputs.path());
    let shim = shim(inputs.path());
    let mark = inputs.path().join("mark");
    for at in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "written::failures::both_reports_are_written", "--nocapture"]);
        command.env("CFA_TEST_REPORTS", folder.path()).env("CFA_TEST_AGGREGATION", &aggregation);
        command.env("LD_PRELOAD", &shim).env("FAIL_IN", folder.path()).env("FAIL_MARK", &mark);
        command.env("FAIL_AT", at.to_string()).env("FAIL_WITH", ENOSPC.to_string());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let left = others(&folder.path().join("none"));
        if fs::remove_file(&mark).is_err() {
            assert!(output.status.success() && left.len() == 2, "{said}");
            assert!(at > 7, "only {} calls", at - 1);
            break;
        }
        assert_eq!(output.status.code(), Some(1), "call {at}: {said}");
        assert!(said.contains("No space left on device"), "call {at}: {said}");
        // A report that is complete and has its name stays.
        assert!(left.is_empty() || said.contains("has its name"), "call {at}: {left:?}, {said}");
    }
}

#[test]
fn a_check_with_a_stream_that_is_full_leaves_no_report() {
    let inputs = tempfile::tempdir().unwrap();
    let aggregation = scene(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    let options = cfa::check::Options {
        html_report: Some(folder.path().join("r.html")),
        json_report: Some("/dev/full".into()),
        ..Default::default()
    };
    let error = cfa::check::check(aggregation, &options).unwrap_err();
    assert!(error.to_string().contains("No space left on device"), "{error}");
    assert_eq!(others(&folder.path().join("none")), [""; 0]);
}

#[test]
fn a_limit_of_any_size_is_an_error_and_leaves_the_old_file() {
    let inputs = tempfile::tempdir().unwrap();
    scene(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    for number in 0..4 {
        let command = || commands(inputs.path(), &out).swap_remove(number);
        let _ = fs::remove_file(&out);
        assert!(command().status().unwrap().success());
        let new = fs::read(&out).unwrap();
        let mut old_file = File::default();
        old_file.attributes.set_text("title", "old");
        write_file(&old_file, &out, Format::Netcdf4).unwrap();
        let old = fs::read(&out).unwrap();
        for limit in (0..new.len()).step_by(new.len() / 12) {
            let mut command = command();
            // SAFETY: the function may be called between fork and exec.
            unsafe {
                command.pre_exec(move || {
                    let limit = libc::rlimit { rlim_cur: limit as u64, rlim_max: limit as u64 };
                    libc::setrlimit(libc::RLIMIT_FSIZE, &limit);
                    Ok(())
                });
            }
            let output = command.output().unwrap();
            check(&output, &out, &old, &old, "File too large", &format!("command {number}, {limit} bytes"));
        }
    }
}

#[test]
fn a_directory_that_cannot_be_written_to_is_an_error() {
    let inputs = tempfile::tempdir().unwrap();
    scene(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    for number in 0..4 {
        let out = folder.path().join("out.nc");
        let mut command = Command::new("unshare");
        let script = "mount -t tmpfs -o ro none \"$DIRECTORY\" || exit 77; exec \"$0\" \"$@\"";
        let inner = commands(inputs.path(), &out).swap_remove(number);
        command.args(["-rm", "sh", "-c", script]).arg(inner.get_program()).args(inner.get_args());
        let output = command.env("DIRECTORY", folder.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if output.status.code() == Some(77) || said.contains("unshare") {
            eprintln!("skipped: this system lets nobody mount a file system");
            return;
        }
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("Read-only file system") && said.contains("out.nc"), "{said}");
    }
}

#[test]
fn what_a_kill_leaves_is_removed_by_the_next_writer() {
    let inputs = tempfile::tempdir().unwrap();
    scene(inputs.path());
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.nc");
    for pause in (0..60).step_by(3) {
        let mut writer = commands(inputs.path(), &out).swap_remove(2).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(pause));
        writer.kill().unwrap();
        writer.wait().unwrap();
    }
    // The file that a kill in the middle of the data leaves.
    fs::write(folder.path().join(".out.nc.999999-3.tmp"), "half").unwrap();
    assert!(commands(inputs.path(), &out).swap_remove(2).status().unwrap().success());
    assert_eq!(others(&out), [""; 0]);
}
