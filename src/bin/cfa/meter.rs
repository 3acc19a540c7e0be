//! Shows the progress of a long task: as a bar on a terminal, as occasional lines elsewhere.

use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Shows progress on standard error.
pub struct Meter {
    what: &'static str,
    quiet: bool,
    terminal: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    begun: Option<Instant>,
    printed: Option<Instant>,
    /// When the task began to wait for another program, and whether that was printed.
    waiting: Option<Instant>,
    said: bool,
}

/// The number of characters of a bar.
const BAR: u128 = 20;

/// A task that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(700);

impl Meter {
    /// Creates a meter that counts things called `what`. With `quiet` it prints nothing at all.
    pub fn new(what: &'static str, quiet: bool) -> Self {
        Meter { what, quiet, terminal: std::io::stderr().is_terminal(), state: Mutex::default() }
    }

    /// Returns a listener that shows progress here and never stops the work.
    pub fn listener(&self) -> impl Fn(u64, u64) -> bool + Sync + '_ {
        |done, total| {
            match total {
                _ if self.quiet => {}
                0 => self.show_waiting(),
                total => self.show(done, total),
            }
            true
        }
    }

    fn show(&self, done: u64, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let spent = now.duration_since(*state.begun.get_or_insert(now));
        let pause = Duration::from_millis(if self.terminal { 100 } else { 5000 });
        let due = match state.printed {
            None => spent >= PATIENCE,
            Some(last) => now.duration_since(last) >= pause,
        };
        if !due || done >= total {
            return;
        }
        state.printed = Some(now);
        let mut err = std::io::stderr().lock();
        // The work continues even if its progress cannot be shown.
        let _ = err.write_all(shown(self.what, done, total, spent, self.terminal).as_bytes());
        let _ = err.flush();
    }

    /// Prints once why nothing happens.
    fn show_waiting(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if state.waiting.is_none_or(|since| now.duration_since(since) < PATIENCE) {
            state.waiting.get_or_insert(now);
        } else if !std::mem::replace(&mut state.said, true) {
            let _ = writeln!(std::io::stderr(), "waiting for another program that writes the same file");
        }
    }

    /// Clears the line.
    pub fn finish(&self) {
        let printed = self.state.lock().unwrap_or_else(PoisonError::into_inner).printed.is_some();
        if printed && self.terminal {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

/// Returns what to print: on a terminal a bar that replaces the last one, elsewhere a line.
fn shown(what: &str, done: u64, total: u64, spent: Duration, terminal: bool) -> String {
    let line = line(what, done, total, spent);
    if !terminal {
        return line + "\n";
    }
    let full = (BAR * u128::from(done) / u128::from(total.max(1))).min(BAR) as usize;
    format!("\r\x1b[K[{}{}] {line}", "#".repeat(full), ".".repeat(BAR as usize - full))
}

fn line(what: &str, done: u64, total: u64, spent: Duration) -> String {
    let seconds = spent.as_secs_f64();
    let rate = done as f64 / seconds.max(1e-9);
    let left = (total.saturating_sub(done)) as f64 / rate.max(1e-9);
    let percent = 100 * u128::from(done) / u128::from(total.max(1));
    format!("{percent:3}%  {done} of {total} {what}, {rate:.0}/s, {} left", duration(left))
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
    fn a_terminal_has_a_bar_and_anything_else_plain_lines() {
        let at = |done, terminal| shown("files", done, 4000, Duration::from_secs(10), terminal);
        assert_eq!(at(1000, false), " 25%  1000 of 4000 files, 100/s, 30 s left\n");
        assert_eq!(
            at(1000, true),
            "\r\x1b[K[#####...............]  25%  1000 of 4000 files, 100/s, 30 s left"
        );
        assert_eq!(at(10, false), "  0%  10 of 4000 files, 1/s, 1 h 6 min left\n");
        assert!(at(0, true).contains("long left"));
    }
}
