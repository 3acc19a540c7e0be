//! Time of the processor, which is the same on a machine with other work; that of the clock is not.

use std::ffi::OsStr;
use std::process::Command;
use std::time::Duration;

/// The time that this thread has had until now.
pub fn time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the structure that it is given, and to nothing else.
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) }, 0);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// A program that is ended by a signal when it has had so much.
pub fn at_most(limit: Duration, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -t {} && exec \"$0\" \"$@\"", limit.as_secs())]).arg(program);
    command
}
