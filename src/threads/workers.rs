//! Runs the tasks of a read on several threads: the caller's and those of the [pool](crate::threads::pool).

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use once_cell::race::OnceNonZeroUsize;

use super::pool;
use super::progress::Progress;
use super::stop::{self, GLANCE};
use crate::error::{Error, Kind, Result};

/// Waiting tasks, and the outcome of the others.
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: VecDeque<T>,
    at_work: usize,
    /// How many threads wait for a change. Waking none is a system call too.
    listeners: usize,
    failure: Option<Error>,
    begun: bool,
}

impl<T> State<T> {
    fn is_over(&self) -> bool {
        self.at_work == 0 && (self.failure.is_some() || self.waiting.is_empty())
    }
}

/// How long a thread that only watches waits for the first task to begin, before it does the work itself.
const UNATTENDED: Duration = Duration::from_millis(500);

impl<T> Queue<T> {
    fn new(tasks: impl IntoIterator<Item = T>) -> Self {
        let state = State {
            waiting: tasks.into_iter().collect(),
            at_work: 0,
            listeners: 0,
            failure: None,
            begun: false,
        };
        Queue { state: Mutex::new(state), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a change of the state, and wakes those who wait for one.
    fn tell(&self, state: MutexGuard<'_, State<T>>) {
        let is_awaited = state.listeners > 0;
        drop(state);
        if is_awaited {
            self.changed.notify_all();
        }
    }

    /// Adds the tasks that a task turned out to consist of. They are taken before others.
    pub(crate) fn add(&self, tasks: impl DoubleEndedIterator<Item = T>) {
        let mut state = self.lock();
        for task in tasks.rev() {
            state.waiting.push_front(task);
        }
        self.tell(state);
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
                state.begun = true;
                return Some(task);
            }
            if state.at_work == 0 {
                return None;
            }
            state.listeners += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.listeners -= 1;
        }
    }

    fn done(&self, result: Result<()>) {
        let mut state = self.lock();
        state.at_work -= 1;
        if let Err(error) = result {
            state.failure.get_or_insert(error);
        }
        if state.failure.is_some() || (state.waiting.is_empty() && state.at_work == 0) {
            self.tell(state);
        }
    }

    /// Takes one task after the other.
    fn serve<S>(&self, state: &impl Fn() -> S, work: &impl Fn(T, &Queue<T>, &mut S) -> Result<()>) {
        let mut own = state();
        while let Some(task) = self.next() {
            let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| work(task, self, &mut own)));
            let panicked = || Err(Error::new(Kind::Internal, "a read task panicked"));
            self.done(outcome.unwrap_or_else(|_| panicked()));
        }
    }

    /// Waits until all tasks are done, and calls the listener meanwhile. If it stops the work, or the system has no
    /// threads for it, this ends earlier.
    fn watch(&self, progress: &Progress<'_>, serve: impl FnOnce()) {
        let begin = Instant::now();
        loop {
            let mut state = self.lock();
            if state.is_over() {
                return;
            }
            state.listeners += 1;
            let waited = self.changed.wait_timeout(state, GLANCE).unwrap_or_else(PoisonError::into_inner);
            let mut state = waited.0;
            state.listeners -= 1;
            let (is_over, has_begun) = (state.is_over(), state.begun);
            drop(state);
            if is_over {
                return;
            }
            if let Err(error) = progress.check() {
                let mut state = self.lock();
                state.failure.get_or_insert(error);
                return self.tell(state);
            }
            if !has_begun && begin.elapsed() > UNATTENDED {
                return serve();
            }
        }
    }

    fn outcome(self) -> Result<()> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.failure.map_or(Ok(()), Err)
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
    let queue = Queue::new(tasks);
    let helpers = threads.min(queue.lock().waiting.len()).saturating_sub(1);
    let stop = stop::current();
    pool::run(helpers, || stop::within(stop.clone(), || queue.serve(&state, &work)));
    queue.outcome()
}

/// Like [`run`], for tasks that mostly wait for servers: `threads` of them at a time, also for tasks that are added.
///
/// If this is the thread in which the listener of `progress` is called, it only watches, so that the listener hears of
/// the work, and can stop it, while all tasks wait.
///
/// # Errors
/// The first error.
pub(crate) fn run_waiting<T: Send, S>(
    tasks: impl IntoIterator<Item = T>,
    threads: usize,
    progress: Option<&Progress<'_>>,
    state: impl Fn() -> S + Sync,
    work: impl Fn(T, &Queue<T>, &mut S) -> Result<()> + Sync,
) -> Result<()> {
    let queue = Queue::new(tasks);
    let stop = progress.map(Progress::stop).or_else(stop::current);
    let serve = || stop::within(stop.clone(), || queue.serve(&state, &work));
    match progress.filter(|progress| progress.is_watched_here()) {
        Some(progress) => pool::run_waiting(threads, serve, || queue.watch(progress, serve)),
        None => pool::run_waiting(threads.saturating_sub(1), serve, serve),
    }
    queue.outcome()
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
    fn a_listener_hears_and_stops_work_that_only_waits() {
        let heard = AtomicUsize::new(0);
        let listener = |_, _| heard.fetch_add(1, Ordering::Relaxed) < 3;
        let progress = Progress::new(Some(&listener), 1, "stopped");
        let wait = |_: i32, _: &Queue<i32>, (): &mut ()| loop {
            stop::check()?;
            std::thread::sleep(Duration::from_millis(1));
        };
        let begin = Instant::now();
        let error = run_waiting(0..5, 3, Some(&progress), || (), wait).unwrap_err();
        assert_eq!((error.kind(), error.message()), (Kind::Cancelled, "stopped"));
        assert_eq!(heard.into_inner(), 4);
        assert!(begin.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn tasks_that_wait_do_so_side_by_side_and_those_that_they_add_too() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |task: usize, queue: &Queue<usize>, (): &mut ()| {
            if task == 0 {
                queue.add(1..=8);
                return Ok(());
            }
            most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(200));
            now.fetch_sub(1, Ordering::Relaxed);
            Ok(())
        };
        run_waiting([0], 8, None, || (), work).unwrap();
        assert!(most.into_inner() > 4);
    }

    #[test]
    fn a_panic_is_an_error() {
        let result = run([1], 2, || (), |_, _, ()| panic!("no"));
        assert_eq!(result.unwrap_err().kind(), Kind::Internal);
    }
}
