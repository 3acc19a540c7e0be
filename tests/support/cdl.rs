//! Fixtures from readable sources: ncgen makes them from `tests/data/cdl`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes these fixtures as netCDF-4 files in a folder and returns the name of the first.
pub fn make(folder: &Path, names: &[&str]) -> PathBuf {
    let sources = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/cdl");
    for name in names {
        let made = Command::new("ncgen")
            .args(["-k", "nc4", "-o"])
            .arg(folder.join(format!("{name}.nc")))
            .arg(sources.join(format!("{name}.cdl")))
            .status()
            .expect("ncgen of netcdf-bin (make deps)");
        assert!(made.success(), "{name}.cdl");
    }
    folder.join(format!("{}.nc", names[0]))
}

/// Makes a netCDF-4 file of this name in a folder from the text between the braces of its CDL.
pub fn make_from(folder: &Path, name: &str, body: &str) -> PathBuf {
    let (source, path) = (folder.join(format!("{name}.cdl")), folder.join(format!("{name}.nc")));
    std::fs::write(&source, format!("netcdf {name} {{ {body} }}")).unwrap();
    let made = Command::new("ncgen").args(["-k", "nc4", "-o"]).arg(&path).arg(&source).output();
    let made = made.expect("ncgen of netcdf-bin (make deps)");
    assert!(made.status.success(), "{body}: {}", String::from_utf8_lossy(&made.stderr));
    path
}
