//! Threads, and what the threads of a process share.

pub(crate) mod errands;
mod pool;
pub(crate) mod process;
pub(crate) mod progress;
pub(crate) mod stop;
pub(crate) mod workers;
