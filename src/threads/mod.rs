//! Threads, and what the threads of a process share.

pub(crate) mod control;
mod pool;
pub(crate) mod process;
pub(crate) mod workers;
