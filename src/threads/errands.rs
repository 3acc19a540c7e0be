//! Threads that wait for servers on behalf of others.
//!
//! A thread that sends an errand can leave before it is done, since the errand borrows nothing from it. So a cancelled
//! read ends at once even if a server does not answer. A process made by `fork` has errands of its own.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::process::PerProcess;
use super::stop::{self, Stop, GLANCE};
use crate::error::{Error, Kind, Result};

/// The time that a thread waits for an errand before it ends.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of threads; further errands wait for one.
const MOST: usize = 512;

type Errand = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Office {
    state: Mutex<State>,
    sent: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Errand>,
    threads: usize,
    idle: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Office {
    fn of_this_process() -> &'static Office {
        static OFFICE: PerProcess<Office> = PerProcess::new();
        OFFICE.get(Office::default)
    }

    fn send(&'static self, errand: Errand) -> Result<()> {
        let mut state = lock(&self.state);
        state.waiting.push_back(errand);
        if state.idle >= state.waiting.len() || state.threads >= MOST {
            drop(state);
            self.sent.notify_one();
            return Ok(());
        }
        state.threads += 1;
        drop(state);
        let thread = std::thread::Builder::new().name("cfa".into());
        if let Err(error) = thread.spawn(|| self.serve()) {
            let mut state = lock(&self.state);
            state.threads -= 1;
            // If there are other threads, one of them takes the errand.
            if state.threads == 0 {
                state.waiting.clear();
                return Err(Error::new(Kind::Limit, "no thread can be started for a request").because(error));
            }
        }
        Ok(())
    }

    fn serve(&self) {
        let mut state = lock(&self.state);
        loop {
            if let Some(errand) = state.waiting.pop_front() {
                drop(state);
                // The sender notices a panic because nothing is delivered.
                let _ = std::panic::catch_unwind(AssertUnwindSafe(errand));
                state = lock(&self.state);
                continue;
            }
            state.idle += 1;
            let (woken, wait) =
                self.sent.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if wait.timed_out() && state.waiting.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }
}

/// An errand that was sent. Dropping it tells the errand to end early.
pub(crate) struct Sent<T> {
    delivery: Arc<Delivery<T>>,
    left: Stop,
}

struct Delivery<T> {
    outcome: Mutex<Outcome<T>>,
    arrived: Condvar,
}

enum Outcome<T> {
    Awaited,
    Delivered(T),
    /// The errand ended without a result.
    Lost,
}

/// Starts an errand of which nobody waits for the result.
///
/// # Errors
/// `Limit` if no thread can be started.
pub(crate) fn start(errand: impl FnOnce() + Send + 'static) -> Result<()> {
    Office::of_this_process().send(Box::new(errand))
}

/// Sends an errand. It receives a flag that is set when nobody waits for it any more.
///
/// # Errors
/// `Limit` if no thread can be started.
pub(crate) fn send<T: Send + 'static>(errand: impl FnOnce(&Stop) -> T + Send + 'static) -> Result<Sent<T>> {
    /// Reports that the errand ended, also after a panic.
    struct Report<T>(Arc<Delivery<T>>);
    impl<T> Drop for Report<T> {
        fn drop(&mut self) {
            let mut outcome = lock(&self.0.outcome);
            if matches!(*outcome, Outcome::Awaited) {
                *outcome = Outcome::Lost;
            }
            drop(outcome);
            self.0.arrived.notify_all();
        }
    }
    let delivery = Arc::new(Delivery { outcome: Mutex::new(Outcome::Awaited), arrived: Condvar::new() });
    let left = Stop::default();
    let (report, abandoned) = (Report(Arc::clone(&delivery)), left.clone());
    start(move || {
        if !abandoned.is_set() {
            let result = errand(&abandoned);
            *lock(&report.0.outcome) = Outcome::Delivered(result);
        }
        drop(report);
    })?;
    Ok(Sent { delivery, left })
}

impl<T> Sent<T> {
    /// Waits for the result.
    ///
    /// # Errors
    /// `Cancelled` if the work of this thread is stopped meanwhile.
    pub(crate) fn wait(self) -> Result<T> {
        let mut outcome = lock(&self.delivery.outcome);
        loop {
            match std::mem::replace(&mut *outcome, Outcome::Awaited) {
                Outcome::Delivered(result) => return Ok(result),
                Outcome::Lost => return Err(Error::new(Kind::Internal, "a request panicked")),
                Outcome::Awaited => {}
            }
            stop::check()?;
            let arrived = self.delivery.arrived.wait_timeout(outcome, GLANCE);
            outcome = arrived.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<T> Drop for Sent<T> {
    fn drop(&mut self) {
        self.left.set();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn errands_run_side_by_side() {
        let begin = Instant::now();
        let pause = |number: u64| {
            send(move |_| {
                std::thread::sleep(Duration::from_millis(100));
                number
            })
        };
        let sent: Vec<_> = (0..50).map(|number| pause(number).unwrap()).collect();
        let sum: u64 = sent.into_iter().map(|sent| sent.wait().unwrap()).sum();
        assert_eq!(sum, (0..50).sum::<u64>());
        assert!(begin.elapsed() < Duration::from_secs(3));
    }

    #[test]
    fn a_sender_that_is_stopped_leaves_and_the_errand_learns_of_it() {
        let (told, heard) = std::sync::mpsc::channel();
        let stop = Stop::default();
        let sent = send(move |left| {
            while !left.is_set() {
                std::thread::sleep(Duration::from_millis(1));
            }
            told.send(()).unwrap();
        });
        let waiting = {
            let stop = stop.clone();
            std::thread::spawn(move || stop::within(Some(stop), || sent.unwrap().wait()))
        };
        stop.set();
        assert_eq!(waiting.join().unwrap().unwrap_err().kind(), Kind::Cancelled);
        heard.recv_timeout(Duration::from_secs(10)).unwrap();
    }

    #[test]
    fn a_panic_is_an_error() {
        let sent = send(|_| panic!("on purpose")).unwrap();
        let lost: Result<()> = sent.wait();
        assert_eq!(lost.unwrap_err().kind(), Kind::Internal);
    }
}
