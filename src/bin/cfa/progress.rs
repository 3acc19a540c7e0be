//! How far a long task is: a bar on a terminal, plain lines now and then elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Tells of progress on standard error.
pub struct Progress {
    what: &'static str,
    quiet: bool,
    terminal: bool,
    state: Mutex<State>,
}

struct State {
    begun: Option<Instant>,
    told: Option<Instant>,
}

/// A task that is over sooner is not worth a line.
const PATIENCE: Duration = Duration::from_millis(700);

impl Progress {
    /// Of things called `what`; `quiet` says nothing at all.
    pub fn new(what: &'static str, quiet: bool) -> Self {
        let state = Mutex::new(State { begun: None, told: None });
        Progress { what, quiet, terminal: std::io::stderr().is_terminal(), state }
    }

    /// `done` of `total` are done; may be called by any thread, as often as it likes.
    pub fn tell(&self, done: u64, total: u64) {
        if self.quiet {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let spent = now.duration_since(*state.begun.get_or_insert(now));
        let pause = Duration::from_millis(if self.terminal { 100 } else { 5000 });
        let due = match state.told {
            None => spent >= PATIENCE,
            Some(last) => now.duration_since(last) >= pause,
        };
        if !due || done >= total {
            return;
        }
        state.told = Some(now);
        let line = line(self.what, done, total, spent);
        let mut err = std::io::stderr().lock();
        // Progress that cannot be shown is no reason to stop.
        let _ = match self.terminal {
            true => write!(err, "\r\x1b[K{} {line}", bar(done, total)),
            false => writeln!(err, "cfa: {line}"),
        };
        let _ = err.flush();
    }

    /// Clears the line.
    pub fn finish(&self) {
        let told = self.state.lock().unwrap_or_else(PoisonError::into_inner).told.is_some();
        if told && self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

fn line(what: &str, done: u64, total: u64, spent: Duration) -> String {
    let seconds = spent.as_secs_f64();
    let rate = done as f64 / seconds.max(1e-9);
    let left = (total.saturating_sub(done)) as f64 / rate.max(1e-9);
    format!("{done} of {total} {what}, {rate:.0}/s, {} left", duration(left))
}

fn bar(done: u64, total: u64) -> String {
    const WIDTH: usize = 24;
    let full = (u128::from(done) * WIDTH as u128 / u128::from(total.max(1))) as usize;
    let full = full.min(WIDTH);
    format!("[{}{}]", "#".repeat(full), ".".repeat(WIDTH - full))
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.0} s"),
        s if s < 3600.0 => format!("{:.0} min {:.0} s", (s / 60.0).floor(), s % 60.0),
        s if s < 86400.0 * 100.0 => format!("{:.0} h {:.0} min", (s / 3600.0).floor(), s % 3600.0 / 60.0),
        _ => "long".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_count_rate_and_time_left() {
        let line = line("files", 50, 200, Duration::from_secs(5));
        assert_eq!(line, "50 of 200 files, 10/s, 15 s left");
        assert_eq!(bar(50, 200), "[######..................]");
        assert_eq!(bar(u64::MAX, 0), format!("[{}]", "#".repeat(24)));
    }
}
