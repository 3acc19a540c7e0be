//! Threads, and what the threads of a process share.

// Without the feature `remote`, no thread waits for servers.
#[cfg_attr(not(feature = "remote"), allow(dead_code))]
pub(crate) mod errands;
mod pool;
pub(crate) mod process;
pub(crate) mod progress;
pub(crate) mod stop;
pub(crate) mod workers;
