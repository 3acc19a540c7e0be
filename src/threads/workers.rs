//! Runs the tasks of a read on several threads: the caller's and those of the [pool](crate::threads::pool).

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use once_cell::race::OnceNonZeroUsize;

use crate::error::{Error, Kind, Result};
use crate::threads::pool;

/// Waiting tasks, and the outcome of the others.
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: VecDeque<T>,
    at_work: usize,
    failure: Option<Error>,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the tasks that a task turned out to consist of. They are taken before others.
    pub(crate) fn add(&self, tasks: impl DoubleEndedIterator<Item = T>) {
        let mut state = self.lock();
        for task in tasks.rev() {
            state.waiting.push_front(task);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Returns the next task; `None` if all are done or one failed.
    fn next(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            if state.failure.is_some() {
                return None;
            }
            if let Some(task) = state.waiting.pop_front() {
                state.at_work += 1;
                return Some(task);
            }
            if state.at_work == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn done(&self, result: Result<()>) {
        let mut state = self.lock();
        state.at_work -= 1;
        if let Err(error) = result {
            state.failure.get_or_insert(error);
        }
        let over = state.failure.is_some() || (state.waiting.is_empty() && state.at_work == 0);
        drop(state);
        if over {
            self.changed.notify_all();
        }
    }
}

/// Returns the number of threads that a setting means; 0 means one per core.
pub(crate) fn threads(setting: usize) -> usize {
    // Asking costs more than a small read, so it happens once. Nothing waits here: a process made by `fork` would wait
    // for a thread that it does not have.
    static CORES: OnceNonZeroUsize = OnceNonZeroUsize::new();
    let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    match setting {
        0 => CORES.get_or_init(cores).get(),
        n => n,
    }
}

/// Runs `work` on every task, on this thread and up to `threads - 1` helpers, each with a state of its own.
///
/// Helpers are called only if there are tasks for them; a task that adds more does not call any.
///
/// # Errors
/// The first error. Tasks that have not begun by then are not run.
pub(crate) fn run<T: Send, S>(
    tasks: impl IntoIterator<Item = T>,
    threads: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(T, &Queue<T>, &mut S) -> Result<()> + Sync,
) -> Result<()> {
    let tasks = State { waiting: tasks.into_iter().collect(), at_work: 0, failure: None };
    let tasks_at_first = tasks.waiting.len();
    let queue = Queue { state: Mutex::new(tasks), changed: Condvar::new() };
    let serve = || {
        let mut own = state();
        while let Some(task) = queue.next() {
            let attempt = AssertUnwindSafe(|| work(task, &queue, &mut own));
            let outcome = std::panic::catch_unwind(attempt);
            let panicked = || Err(Error::new(Kind::Internal, "a read task panicked"));
            queue.done(outcome.unwrap_or_else(|_| panicked()));
        }
    };
    pool::run(threads.min(tasks_at_first).saturating_sub(1), serve);
    let state = queue.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failure.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_task_and_every_part_of_one_runs_once() {
        for threads in [1, 2, 7] {
            let sum = AtomicUsize::new(0);
            run(
                0..100usize,
                threads,
                || (),
                |task, queue, ()| {
                    if task < 10 {
                        queue.add((0..5).map(|i| 1000 + i));
                    }
                    sum.fetch_add(task, Ordering::Relaxed);
                    Ok(())
                },
            )
            .unwrap();
            assert_eq!(sum.into_inner(), (0..100).sum::<usize>() + 10 * (5000 + 10));
        }
    }

    #[test]
    fn an_error_ends_the_run() {
        let begun = AtomicUsize::new(0);
        let result = run(
            0..10_000,
            3,
            || (),
            |task, _, ()| {
                begun.fetch_add(1, Ordering::Relaxed);
                if task == 5 {
                    Err(Error::new(Kind::Damaged, "five"))
                } else {
                    Ok(())
                }
            },
        );
        assert_eq!(result.unwrap_err().message(), "five");
        assert!(begun.into_inner() < 10_000);
    }

    #[test]
    fn a_panic_is_an_error() {
        let result = run([1], 2, || (), |_, _, ()| panic!("no"));
        assert_eq!(result.unwrap_err().kind(), Kind::Internal);
    }
}
