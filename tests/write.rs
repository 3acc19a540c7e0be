//! Written files: a read returns what was described, and a file is old or new but never half.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;

use cfa::internals::write::{write_file, Data, Dimension, File, Format, Group, NewFile, Storage, Variable};
use cfa::{Dataset, Kind, Selection, Values};

fn all_types() -> Vec<Values> {
    vec![
        Values::I8(vec![-1, 0, 127]),
        Values::U8(vec![1, 0, 255]),
        Values::I16(vec![-300, 0, 300]),
        Values::U16(vec![1, 2, 65535]),
        Values::I32(vec![i32::MIN + 1, 0, 5]),
        Values::U32(vec![1, 2, u32::MAX]),
        Values::I64(vec![i64::MIN + 1, 0, (1 << 53) + 1]),
        Values::U64(vec![1, 2, u64::MAX]),
        Values::F32(vec![0.5, -1e30, 3.25]),
        Values::F64(vec![0.1, -1e300, 3.25]),
        Values::Char(b"abc".to_vec()),
        Values::String(vec!["".into(), "é µ".into(), "long text with blanks".into()]),
    ]
}

fn read(path: &Path, name: &str) -> Values {
    let variable = Dataset::open(path).unwrap().variable(name).unwrap();
    let shape = variable.shape().unwrap().to_vec();
    variable.read_values(&Selection::all(&shape)).unwrap()
}

fn sample() -> File {
    let mut file = File::default();
    file.attributes.set_text("title", "sämple");
    file.attributes.set("list", Values::String(vec!["a".into(), "b".into()]));
    file.dimensions.push(Dimension { name: "x".into(), size: 3, unlimited: false });
    file.dimensions.push(Dimension { name: "t".into(), size: 3, unlimited: true });
    for values in all_types() {
        let name = format!("v_{}", values.data_type().code());
        let mut variable = Variable::with_values(name, &["x"], values.clone());
        variable.attributes.set("as_attribute", values);
        file.variables.push(variable);
    }
    let mut inner = Group { name: "inner".into(), ..Group::default() };
    inner.add_dimension("y", 2);
    let mut packed = Variable::with_values("grown", &["t", "y"], Values::I16(vec![1, 2, 3, 4, 5, 6]));
    packed.attributes.set("_FillValue", Values::I16(vec![-9]));
    packed.storage = Storage { chunks: Some(vec![2, 2]), deflate: Some(4), shuffle: true };
    inner.variables.push(packed);
    inner.variables.push(Variable::with_values("scalar", &[], Values::F64(vec![2.5])));
    file.groups.push(Group { name: "outer".into(), groups: vec![inner], ..Group::default() });
    file
}

#[test]
fn what_is_described_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let file = sample();
    write_file(&file, &path, Format::Netcdf4).unwrap();
    for values in all_types() {
        let name = format!("v_{}", values.data_type().code());
        assert_eq!(read(&path, &name), values, "{name}");
        let dataset = Dataset::open(&path).unwrap();
        let variable = dataset.variable(&name).unwrap();
        assert_eq!(variable.attributes().get("as_attribute"), Some(&values), "{name}");
    }
    assert_eq!(read(&path, "outer/inner/grown"), Values::I16(vec![1, 2, 3, 4, 5, 6]));
    assert_eq!(read(&path, "outer/inner/scalar"), Values::F64(vec![2.5]));
    let oracle = netcdf::open(&path).unwrap();
    let values: Vec<i64> = oracle.variable("v_i8").unwrap().get_values(..).unwrap();
    assert_eq!(values, [i64::MIN + 1, 0, (1 << 53) + 1]);
    assert!(oracle.dimension("t").unwrap().is_unlimited());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn classic_files_hold_what_they_can() {
    let folder = tempfile::tempdir().unwrap();
    for (format, magic) in [(Format::Classic, b"CDF\x02"), (Format::Cdf5, b"CDF\x05")] {
        let path = folder.path().join("out.nc");
        let mut file = sample();
        assert_eq!(write_file(&file, &path, format).unwrap_err().kind(), Kind::Unsupported);
        file.groups.clear();
        let wide = |v: &Variable| matches!(v.name.as_str(), "v_i8" | "v_u8" | "v_u4");
        file.variables.retain(|v| format == Format::Cdf5 || !wide(v));
        write_file(&file, &path, format).unwrap();
        assert_eq!(&fs::read(&path).unwrap()[..4], magic);
        assert_eq!(read(&path, "v_f4"), Values::F32(vec![0.5, -1e30, 3.25]));
        assert_eq!(read(&path, "v_char"), Values::Char(b"abc".to_vec()));
    }
}

#[test]
fn large_data_are_written_by_blocks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut file = File::default();
    file.dimensions.push(Dimension { name: "t".into(), size: 4, unlimited: true });
    file.add_dimension("x", 3);
    file.variables.push(Variable::new("v", cfa::DataType::F32, &["t", "x"]));
    let mut new = NewFile::create(&file, &path, Format::Netcdf4).unwrap();
    for t in [1u64, 3, 0, 2] {
        let row = (0..3).map(|x| (t * 3 + x) as f32).collect();
        new.put("v", &[t, 0], &[1, 3], &Values::F32(row)).unwrap();
    }
    assert_eq!(new.put("v", &[0], &[3], &Values::F32(vec![0.0; 3])).unwrap_err().kind(), Kind::Request);
    assert_eq!(new.put("w", &[0], &[0], &Values::F32(vec![])).unwrap_err().kind(), Kind::Request);
    assert!(!path.exists());
    new.commit().unwrap();
    assert_eq!(read(&path, "v"), Values::F32((0..12).map(|i| i as f32).collect()));
}

#[test]
fn a_description_that_does_not_hold_together_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let kind = |file: &File| write_file(file, &path, Format::Netcdf4).unwrap_err().kind();
    let mut file = File::default();
    file.variables.push(Variable::with_values("v", &["x"], Values::F32(vec![1.0])));
    assert_eq!(kind(&file), Kind::MissingDimension);
    file.add_dimension("x", 2);
    assert_eq!(kind(&file), Kind::Request);
    file.variables[0].data = Data::Values(Values::F64(vec![1.0, 2.0]));
    assert_eq!(kind(&file), Kind::Request);
    file.variables[0].data = Data::Values(Values::F32(vec![1.0, 2.0]));
    file.variables[0].attributes.set("_FillValue", Values::F64(vec![1.0]));
    assert_eq!(kind(&file), Kind::Request);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let nowhere = folder.path().join("none/out.nc");
    assert_eq!(write_file(&sample(), &nowhere, Format::Netcdf4).unwrap_err().kind(), Kind::Io);
}

#[cfg(unix)]
#[test]
fn a_symbolic_link_stays_one_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target.nc"), folder.path().join("link.nc"));
    write_file(&sample(), &target, Format::Netcdf4).unwrap();
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("target.nc", &link).unwrap();
    write_file(&versioned(7), &link, Format::Netcdf4).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(version_of(&target), Some(7));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

const ELEMENTS: usize = 200_000;

/// A file all of whose values are the same number.
fn versioned(version: i32) -> File {
    let mut file = File::default();
    file.add_dimension("x", ELEMENTS as u64);
    file.variables.push(Variable::with_values("a", &["x"], Values::I32(vec![version; ELEMENTS])));
    let names = (0..200).map(|i| format!("name {i} of {version}")).collect();
    file.add_dimension("n", 200);
    file.variables.push(Variable::with_values("names", &["n"], Values::String(names)));
    file.variables.push(Variable::with_values("b", &["x"], Values::I32(vec![version; ELEMENTS])));
    file
}

/// The number in a whole file; `None` for one that is not whole.
fn version_of(path: &Path) -> Option<i32> {
    let dataset = Dataset::open(path).ok()?;
    let mut version = None;
    for name in ["a", "b"] {
        let variable = dataset.variable(name).ok()?;
        let Values::I32(values) = variable.read_values(&Selection::all(&[ELEMENTS as u64])).ok()? else {
            return None;
        };
        let first = *version.get_or_insert(values[0]);
        if values.iter().any(|&v| v != first) {
            return None;
        }
    }
    let names = dataset.variable("names").ok()?.read_values(&Selection::all(&[200])).ok()?;
    (names.element(199) == Values::String(vec![format!("name 199 of {}", version?)])).then_some(version?)
}

/// A process that ends with the test, however that ends.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs this test program again to do something that may kill it.
fn child(role: &str, path: &Path) -> Running {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "write::as_a_child", "--nocapture"]);
    command.env("CFA_TEST_ROLE", role).env("CFA_TEST_PATH", path);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    Running(command.spawn().unwrap())
}

#[test]
fn as_a_child() {
    let Ok(role) = std::env::var("CFA_TEST_ROLE") else { return };
    let path = PathBuf::from(std::env::var_os("CFA_TEST_PATH").unwrap());
    match role.as_str() {
        "for ever" => {
            for version in 1.. {
                write_file(&versioned(version), &path, Format::Netcdf4).unwrap();
            }
        }
        "full disk" => {
            let mut small = File::default();
            small.variables.push(Variable::with_values("v", &[], Values::I32(vec![1])));
            write_file(&small, &path, Format::Netcdf4).unwrap();
            let mut large = versioned(2);
            for format in [Format::Netcdf4, Format::Classic] {
                let error = write_file(&large, &path, format).unwrap_err();
                assert_eq!(error.kind(), Kind::Io);
                large.variables.retain(|v| v.name != "names");
            }
            // A limit just above the existing size makes the write fail only at the end.
            for n in (100_000..160_000).step_by(4000) {
                let mut close = File::default();
                close.add_dimension("x", n);
                close.variables.push(Variable::with_values("v", &["x"], Values::I32(vec![7; n as usize])));
                let _ = write_file(&close, &path, Format::Netcdf4);
                assert!(matches!(read(&path, "v").int_at(0), Some(1 | 7)));
            }
            assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        }
        _ => panic!("{role}"),
    }
}

#[test]
fn a_kill_at_any_moment_leaves_a_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    write_file(&versioned(0), &path, Format::Netcdf4).unwrap();
    let mut pause = 3u64;
    for _ in 0..40 {
        let mut writer = child("for ever", &path);
        std::thread::sleep(Duration::from_millis(pause));
        assert!(writer.0.try_wait().unwrap().is_none(), "the writer failed");
        drop(writer);
        assert!(version_of(&path).is_some(), "after {pause} ms");
        pause = (pause * 7 + 11) % 101;
    }
}

#[test]
fn two_writers_leave_the_file_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    write_file(&versioned(0), &path, Format::Netcdf4).unwrap();
    let mut writers = [child("for ever", &path), child("for ever", &path)];
    let (mut version, mut replaced) = (Some(0), 0);
    while replaced < 50 {
        let now = version_of(&path);
        assert!(now.is_some());
        replaced += u32::from(now != version);
        version = now;
        // A writer that ended would let this go on for ever.
        assert!(writers.iter_mut().all(|writer| writer.0.try_wait().unwrap().is_none()), "a writer failed");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_the_old_file_and_nothing_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    let mounted = |then: &str| {
        let script = format!("mount -t tmpfs -o size=600k none \"$CFA_TEST_FOLDER\" && {then}");
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", &script]).arg(std::env::current_exe().unwrap());
        command.env("CFA_TEST_ROLE", "full disk").env("CFA_TEST_FOLDER", folder.path());
        command.env("CFA_TEST_PATH", folder.path().join("out.nc"));
        command.output()
    };
    if !mounted("true").is_ok_and(|output| output.status.success()) {
        crate::support::left_out::left_out("small-disk", "this system lets nobody mount a small file system");
        return;
    }
    let output = mounted("\"$0\" --exact write::as_a_child --nocapture").unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{} {printed}", output.status);
    assert_eq!(printed, "");
    assert!(String::from_utf8_lossy(&output.stdout).contains(" 1 passed"));
}

/// Links of a large group are huge objects of a heap; whoever searches their index for each of them looks at 0.5 GB.
#[test]
fn thousands_of_variables_are_read_back_with_little_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.nc");
    let mut file = File::default();
    file.dimensions.push(Dimension { name: "x".into(), size: 1, unlimited: false });
    for v in 0..5000 {
        file.variables.push(Variable::with_values(format!("v{v}"), &["x"], Values::I8(vec![1])));
    }
    write_file(&file, &path, Format::Netcdf4).unwrap();
    assert_eq!(Dataset::open(&path).unwrap().variables().len(), 5000);
}
