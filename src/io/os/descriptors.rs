//! Descriptors of local files. A process has few of them, so those that no read uses are closed when others are needed;
//! the next read opens the file again and checks that it is the same file.
//!
//! So the numbers of fragments, threads and nested aggregations do not matter: a read needs one descriptor while it
//! lasts. Half of the descriptors that the process may have are left to the program that uses the library.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError, Weak};
use std::time::{Duration, Instant};

use super::system::{self, FileIdentity};
use crate::threads::process::PerProcess;

/// How long to wait for the reads of other threads to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// After this many checks in a row in which no other thread has a file, waiting is pointless.
const LOOKS: usize = 20;

/// Descriptors that are closed at a time.
const BATCH: usize = 8;

/// A file that is open, or was and is opened again when it is needed.
#[derive(Debug)]
pub(super) struct Descriptor {
    path: PathBuf,
    identity: FileIdentity,
    file: RwLock<Option<OpenFile>>,
    /// Whether it was read since the last search for one to close.
    is_recent: AtomicBool,
    /// The number of other users that rely on its number.
    pins: AtomicUsize,
}

/// Returns all descriptors of this process. Those that are gone are removed now and then.
fn all() -> MutexGuard<'static, Vec<Weak<Descriptor>>> {
    static ALL: PerProcess<Mutex<Vec<Weak<Descriptor>>>> = PerProcess::new();
    ALL.get(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many may be open, as far as that is known.
static MOST: AtomicUsize = AtomicUsize::new(0);

/// How many are open, or being opened or closed.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// A file that is counted from before it is opened until after it is closed, so that a caller without a descriptor
/// knows whether waiting helps.
#[derive(Debug)]
pub(super) struct OpenFile {
    // It is closed before it stops counting: fields are dropped in this order.
    file: File,
    _count: Count,
}

#[derive(Debug)]
struct Count;

impl Count {
    fn begin() -> Self {
        OPEN.fetch_add(1, Ordering::SeqCst);
        Count
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::SeqCst);
    }
}

impl std::ops::Deref for OpenFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.file
    }
}

impl Descriptor {
    /// Takes ownership of a file that was opened as `path`.
    pub(super) fn new(path: &Path, file: OpenFile, identity: FileIdentity) -> Arc<Self> {
        let path = match path.is_absolute() {
            true => path.to_owned(),
            false => std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        };
        let file = RwLock::new(Some(file));
        let made =
            Descriptor { path, identity, file, is_recent: AtomicBool::new(true), pins: AtomicUsize::new(0) };
        let made = Arc::new(made);
        let mut all = all();
        if all.len() == all.capacity() {
            all.retain(|one| one.strong_count() > 0);
        }
        all.push(Arc::downgrade(&made));
        made
    }

    /// Calls `work` with the open file.
    ///
    /// # Errors
    /// The errors of `work` and of opening the file again.
    pub(super) fn with<T>(&self, mut work: impl FnMut(&File) -> io::Result<T>) -> io::Result<T> {
        loop {
            if let Some(file) = &*self.file.read().unwrap_or_else(PoisonError::into_inner) {
                if !self.is_recent.load(Ordering::Relaxed) {
                    self.is_recent.store(true, Ordering::Relaxed);
                }
                return work(file);
            }
            self.reopen()?;
        }
    }

    /// Keeps the descriptor from being closed, until [`Descriptor::unpin`].
    pub(super) fn pin(&self) -> io::Result<()> {
        self.pins.fetch_add(1, Ordering::SeqCst);
        let opened = self.reopen();
        if opened.is_err() {
            self.unpin();
        }
        opened
    }

    pub(super) fn unpin(&self) {
        self.pins.fetch_sub(1, Ordering::SeqCst);
    }

    fn reopen(&self) -> io::Result<()> {
        let mut place = self.file.write().unwrap_or_else(PoisonError::into_inner);
        if place.is_some() {
            return Ok(());
        }
        let file = open(&self.path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || system::identity(&file, &metadata)? != self.identity {
            return Err(io::Error::other("another file took its place"));
        }
        *place = Some(file);
        Ok(())
    }

    /// Closes the file, unless a read uses it. Returns whether it was closed.
    fn close(&self) -> bool {
        let mut place = match self.file.try_write() {
            Ok(place) => place,
            Err(TryLockError::Poisoned(place)) => place.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        self.pins.load(Ordering::SeqCst) == 0 && place.take().is_some()
    }
}

/// Opens a file for reading, and closes others if necessary.
pub(super) fn open(path: &Path) -> io::Result<OpenFile> {
    let open = OPEN.load(Ordering::Relaxed);
    // The program may change its limit. Asking for it with each file would cost as much as reading a small one.
    if open >= MOST.load(Ordering::Relaxed) || open % BATCH == 0 {
        let most = system::most_descriptors() / 2;
        MOST.store(most, Ordering::Relaxed);
        if open >= most {
            close_some(open - most + 1);
        }
    }
    with_room(|| {
        let count = Count::begin();
        Ok(OpenFile { file: system::open(path)?, _count: count })
    })
}

/// Calls `work`, which needs a descriptor. If there is none, closes files that no read uses and tries again.
pub(crate) fn with_room<T>(mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut begun = None;
    let mut alone = 0;
    loop {
        match work() {
            Err(error) if system::is_exhaustion(&error) => {
                if close_some(BATCH) > 0 {
                    continue;
                }
                let begun = *begun.get_or_insert_with(Instant::now);
                // Descriptors held by reads of other threads become free; those that the program holds do not.
                alone = if OPEN.load(Ordering::SeqCst) == 0 { alone + 1 } else { 0 };
                if alone > LOOKS || begun.elapsed() > PATIENCE {
                    return Err(error);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            other => return other,
        }
    }
}

/// Makes this many descriptors free, for code that cannot be made to try again.
pub fn make_room(count: usize) {
    // If there are none, the code that needs them reports it.
    let _ = with_room(|| (0..count).map(|_| system::spare_descriptor()).collect::<io::Result<Vec<_>>>());
}

/// Closes files that no read uses, first those that were not read recently. Returns how many were closed.
fn close_some(count: usize) -> usize {
    let all = all();
    let mut closed = 0;
    for spare_recent in [true, false] {
        for one in all.iter().filter_map(Weak::upgrade) {
            if closed >= count {
                return closed;
            }
            if !(spare_recent && one.is_recent.swap(false, Ordering::Relaxed)) && one.close() {
                closed += 1;
            }
        }
    }
    closed
}
