//! The threads that help a read, kept for the next one.
//!
//! A thread is started when work can use a helper and none is idle. It ends after some idle seconds. The owner of the
//! work takes part itself, so work never waits for a thread: an offer that nobody has taken when the owner is done is
//! withdrawn. Threads are shared by the whole process, so that many readers at once do not multiply them. A process
//! made by `fork` has none of its parent's threads and gets a pool of its own.

use std::panic::AssertUnwindSafe;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::threads::process::PerProcess;

/// The time that a thread waits for work before it ends.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of threads while some of them wait for servers.
const MOST_WAITING: usize = 512;

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    /// Signals that an offer was made.
    offered: Condvar,
    /// Signals that the last helper of an offer is done.
    finished: Condvar,
}

#[derive(Default)]
struct State {
    offers: Vec<Offer>,
    last_offer: u64,
    threads: usize,
    idle: usize,
}

/// Work that threads may join until its owner is done.
struct Offer {
    number: u64,
    work: &'static (dyn Fn() + Sync),
    places: usize,
    helpers: usize,
}

/// Runs `work` on this thread and on up to `helpers` others at the same time; returns when all of them are done.
///
/// The number of threads that really help depends on what else is running. A panic in `work` reaches the caller only
/// from its own thread.
pub(crate) fn run(helpers: usize, work: impl Fn() + Sync) {
    match helpers {
        0 => work(),
        _ => run_beside(helpers, helpers, &work, &work),
    }
}

/// Runs `work`, which mostly waits for servers, on up to `helpers` other threads, while this one runs `own`. Returns when
/// all are done.
pub(crate) fn run_waiting(helpers: usize, work: impl Fn() + Sync, own: impl FnOnce()) {
    run_beside(helpers, MOST_WAITING, &work, own);
}

/// Runs `own` on this thread and `work` on up to `helpers` others. `most` is the number of threads of the pool beyond
/// which no more are started for this work.
fn run_beside(helpers: usize, most: usize, work: &(dyn Fn() + Sync), own: impl FnOnce()) {
    // SAFETY: `offer` is dropped before `work`, also when `own` panics here, and its drop waits until no thread is
    // inside `work` and none can enter any more; so the reference is not used after `work` ends.
    let lasting = unsafe { std::mem::transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(work) };
    let offer = Pool::of_this_process().offer(helpers, most, lasting);
    own();
    drop(offer);
}

impl Pool {
    /// Returns the pool, which is made on first use.
    fn of_this_process() -> &'static Pool {
        static POOL: PerProcess<Pool> = PerProcess::new();
        POOL.get(Pool::default)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets up to `helpers` threads join `work`, and starts threads if too few are idle, up to `most` in all.
    fn offer(&'static self, helpers: usize, most: usize, work: &'static (dyn Fn() + Sync)) -> Offered {
        let mut state = self.lock();
        state.last_offer += 1;
        let number = state.last_offer;
        state.offers.push(Offer { number, work, places: helpers, helpers: 0 });
        let to_wake = helpers.min(state.idle);
        let to_start = (helpers - to_wake).min(most.saturating_sub(state.threads));
        state.threads += to_start;
        drop(state);
        for _ in 0..to_wake {
            self.offered.notify_one();
        }
        for started in 0..to_start {
            let thread = std::thread::Builder::new().name("cfa".into());
            // It is not an error if no thread can be started: the owner does the work.
            if thread.spawn(|| self.help()).is_err() {
                self.lock().threads -= to_start - started;
                break;
            }
        }
        Offered { pool: self, number }
    }

    /// Joins one offer after another. Each thread of the pool runs this.
    fn help(&self) {
        let mut state = self.lock();
        loop {
            if let Some(offer) = state.offers.iter_mut().find(|offer| offer.places > 0) {
                offer.places -= 1;
                offer.helpers += 1;
                let (number, work) = (offer.number, offer.work);
                drop(state);
                // Work handles its own panics; one that slips through must not disturb the count.
                let _ = std::panic::catch_unwind(AssertUnwindSafe(work));
                state = self.lock();
                if let Some(offer) = state.offers.iter_mut().find(|offer| offer.number == number) {
                    offer.helpers -= 1;
                    if offer.helpers == 0 {
                        self.finished.notify_all();
                    }
                }
                continue;
            }
            state.idle += 1;
            let (woken, wait) =
                self.offered.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if wait.timed_out() && state.offers.iter().all(|offer| offer.places == 0) {
                state.threads -= 1;
                return;
            }
        }
    }
}

/// An open offer. Dropping it withdraws it and waits for the helpers that took it.
struct Offered {
    pool: &'static Pool,
    number: u64,
}

impl Drop for Offered {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        loop {
            let Some(at) = state.offers.iter().position(|offer| offer.number == self.number) else { return };
            state.offers[at].places = 0;
            if state.offers[at].helpers == 0 {
                state.offers.swap_remove(at);
                return;
            }
            state = self.pool.finished.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread::ThreadId;

    use super::*;

    /// Returns the threads that took part in work that cannot be done by fewer than `together`.
    fn who_met(together: usize) -> HashSet<ThreadId> {
        let (met, barrier) = (Mutex::new(HashSet::new()), Barrier::new(together));
        run(together - 1, || {
            met.lock().unwrap().insert(std::thread::current().id());
            barrier.wait();
        });
        met.into_inner().unwrap()
    }

    #[test]
    fn helpers_work_at_the_same_time_and_are_kept() {
        // Other tests share the pool, so a helper may be busy. Within a few rounds the same threads return.
        let rounds: Vec<_> = (0..20).map(|_| who_met(3)).collect();
        assert!(rounds.iter().all(|met| met.len() == 3));
        let all: HashSet<_> = rounds.iter().flatten().collect();
        assert!(all.len() < 20, "{} threads for 20 rounds of 3", all.len());
    }

    #[test]
    fn an_owner_does_not_wait_for_a_busy_pool() {
        let (begin, end) = (Barrier::new(3), Barrier::new(3));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                run(1, || {
                    begin.wait();
                    end.wait();
                })
            });
            begin.wait();
            run(1, || ());
            end.wait();
        });
    }

    #[test]
    fn work_inside_work_is_done() {
        let done = Mutex::new(0);
        run(2, || run(2, || run(2, || *done.lock().unwrap() += 1)));
        assert!((1..=27).contains(&done.into_inner().unwrap()));
    }

    #[test]
    fn a_panic_of_the_owner_waits_for_the_helpers() {
        let owner = std::thread::current().id();
        let (met, inside) = (Barrier::new(2), Mutex::new(0));
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| {
            run(1, || {
                met.wait();
                if std::thread::current().id() == owner {
                    panic!("on purpose");
                }
                std::thread::sleep(Duration::from_millis(20));
                *inside.lock().unwrap() += 1;
            });
        }));
        assert!(result.is_err());
        assert_eq!(inside.into_inner().unwrap(), 1);
    }
}
