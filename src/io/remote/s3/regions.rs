//! Remembers the regions of buckets that servers named, so that only the first request of a process goes astray.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::threads::process::PerProcess;

/// The maximum number of buckets that are remembered. When there are more, all are forgotten.
const MOST: usize = 1024;

fn known() -> MutexGuard<'static, HashMap<String, String>> {
    static KNOWN: PerProcess<Mutex<HashMap<String, String>>> = PerProcess::new();
    KNOWN.get(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the region that a server named for a bucket. `bucket` also contains the server.
pub(super) fn of(bucket: &str) -> Option<String> {
    known().get(bucket).cloned()
}

/// Remembers the region that a server names in answer to a request to the region `asked`. Returns whether to repeat the
/// request: not if it went to this region already, nor if the server named another one before.
pub(super) fn learn(bucket: &str, asked: &str, named: &str) -> bool {
    let mut known = known();
    if named == asked {
        return false;
    }
    if known.get(bucket).is_some_and(|before| before != named) {
        // The next file starts without a known region.
        known.remove(bucket);
        return false;
    }
    if known.len() >= MOST {
        known.clear();
    }
    known.insert(bucket.to_owned(), named.to_owned());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_name_one_other_region() {
        let bucket = "https://test/regions";
        assert_eq!(of(bucket), None);
        assert!(!learn(bucket, "a", "a"));
        assert!(learn(bucket, "a", "b"));
        assert_eq!(of(bucket).as_deref(), Some("b"));
        // Another thread that asked before the first one learnt.
        assert!(learn(bucket, "a", "b"));
        assert!(!learn(bucket, "b", "c"));
        assert_eq!(of(bucket), None);
    }
}
