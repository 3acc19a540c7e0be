//! Files of the native writer, read by libnetcdf and by this library.

mod composed;
mod failures;
mod for_readers;
mod limits;
mod oracle;
mod random;
mod same_bytes;

use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Held by whoever calls libnetcdf or starts a program: a new process has the files of libhdf5 open, and locked, as well.
fn alone() -> MutexGuard<'static, ()> {
    static LIBRARY: Mutex<()> = Mutex::new(());
    LIBRARY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What libnetcdf says of a file, with all digits of its values.
fn dump(path: &Path) -> String {
    let _alone = alone();
    let output = Command::new("ncdump").args(["-p", "9,17", "-n", "x"]).arg(path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    text
}
