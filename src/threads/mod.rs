//! Threads, and what the threads of a process share.

mod pool;
pub(crate) mod process;
pub(crate) mod progress;
pub(crate) mod workers;
