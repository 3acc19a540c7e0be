//! A bounded cache that drops the least recently used entries: of files, chunks, blocks and expansions.
//!
//! Users that share a cache among threads lock it, and state the weight of each entry: 1 to bound the number of
//! entries, their length to bound the bytes.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Represents no entry.
const NONE: usize = usize::MAX;

/// Values by key, as many as their weights allow. The newest is kept whatever its weight.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    capacity: u64,
    weight: u64,
    places: HashMap<K, usize>,
    /// In no order; each knows its neighbours in the order of use. With a list a hit costs less than with a tree by
    /// time of use.
    entries: Vec<Entry<K, V>>,
    oldest: usize,
    newest: usize,
}

#[derive(Debug)]
struct Entry<K, V> {
    key: K,
    value: V,
    weight: u64,
    older: usize,
    newer: usize,
}

impl<K: Clone + Eq + Hash, V> Cache<K, V> {
    /// Returns an empty cache for entries up to this total weight.
    pub(crate) fn new(capacity: u64) -> Self {
        let (places, entries) = (HashMap::new(), Vec::new());
        Cache { capacity, weight: 0, places, entries, oldest: NONE, newest: NONE }
    }

    /// Returns the value under a key, and marks it as the most recently used.
    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        // The newest entry, which callers often look up again, is found without computing a hash.
        let is_newest = self.entries.get(self.newest).is_some_and(|entry| entry.key.borrow() == key);
        let at = if is_newest { self.newest } else { *self.places.get(key)? };
        if at != self.newest {
            self.unlink(at);
            self.link(at);
        }
        Some(&self.entries[at].value)
    }

    /// Keeps a value and returns the one that it replaces. Calls `dropped` with the values that must go, the oldest
    /// first.
    pub(crate) fn put(&mut self, key: K, value: V, weight: u64, mut dropped: impl FnMut(V)) -> Option<V> {
        let replaced = self.places.get(&key).copied().map(|at| self.remove(at));
        let at = self.entries.len();
        self.places.insert(key.clone(), at);
        self.entries.push(Entry { key, value, weight, older: NONE, newer: NONE });
        self.weight = self.weight.saturating_add(weight);
        self.link(at);
        while self.weight > self.capacity && self.entries.len() > 1 {
            dropped(self.remove(self.oldest));
        }
        replaced
    }

    /// Drops the values for which `keep` returns `false`.
    pub(crate) fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        for at in (0..self.entries.len()).rev() {
            if !keep(&self.entries[at].value) {
                self.remove(at);
            }
        }
    }

    /// Returns the weight of all entries.
    #[cfg(test)]
    pub(crate) fn weight(&self) -> u64 {
        self.weight
    }

    /// Makes an entry that has no neighbours the newest.
    fn link(&mut self, at: usize) {
        let older = std::mem::replace(&mut self.newest, at);
        match older {
            NONE => self.oldest = at,
            _ => self.entries[older].newer = at,
        }
        let entry = &mut self.entries[at];
        (entry.older, entry.newer) = (older, NONE);
    }

    /// Joins the neighbours of an entry.
    fn unlink(&mut self, at: usize) {
        let (older, newer) = (self.entries[at].older, self.entries[at].newer);
        self.join(older, newer);
    }

    fn join(&mut self, older: usize, newer: usize) {
        match older {
            NONE => self.oldest = newer,
            _ => self.entries[older].newer = newer,
        }
        match newer {
            NONE => self.newest = older,
            _ => self.entries[newer].older = older,
        }
    }

    fn remove(&mut self, at: usize) -> V {
        self.unlink(at);
        let removed = self.entries.swap_remove(at);
        self.places.remove(&removed.key);
        self.weight = self.weight.saturating_sub(removed.weight);
        // The last entry has moved to the empty place.
        if let Some(moved) = self.entries.get(at) {
            let (older, newer) = (moved.older, moved.newer);
            if let Some(place) = self.places.get_mut(&moved.key) {
                *place = at;
            }
            match older {
                NONE => self.oldest = at,
                _ => self.entries[older].newer = at,
            }
            match newer {
                NONE => self.newest = at,
                _ => self.entries[newer].older = at,
            }
        }
        removed.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Does the same in one line, with pairs of key and weight, the oldest first.
    fn naive(list: &mut Vec<(u8, u64)>, key: u8, weight: u64, capacity: u64) -> Vec<u8> {
        list.retain(|(k, _)| *k != key);
        list.push((key, weight));
        let mut gone = Vec::new();
        while list.len() > 1 && list.iter().map(|(_, w)| w).sum::<u64>() > capacity {
            gone.push(list.remove(0).0);
        }
        gone
    }

    fn order(cache: &Cache<u8, u8>) -> Vec<(u8, u64)> {
        let (mut at, mut list) = (cache.oldest, Vec::new());
        while at != NONE {
            list.push((cache.entries[at].key, cache.entries[at].weight));
            at = cache.entries[at].newer;
        }
        list
    }

    proptest! {
        #[test]
        fn it_is_a_list_in_the_order_of_use(
            steps in proptest::collection::vec((0u8..3, 0u8..12, 0u64..5), 0..200),
            capacity in 0u64..20,
        ) {
            let (mut cache, mut list) = (Cache::new(capacity), Vec::new());
            for (what, key, weight) in steps {
                match what {
                    0 => {
                        let mut gone = Vec::new();
                        let replaced = list.iter().any(|(k, _)| *k == key).then_some(key);
                        prop_assert_eq!(cache.put(key, key, weight, |v| gone.push(v)), replaced);
                        prop_assert_eq!(gone, naive(&mut list, key, weight, capacity));
                    }
                    1 => {
                        let place = list.iter().position(|(k, _)| *k == key);
                        prop_assert_eq!(cache.get(&key).copied(), place.map(|_| key));
                        if let Some(entry) = place.map(|at| list.remove(at)) {
                            list.push(entry);
                        }
                    }
                    _ => {
                        cache.retain(|&v| v != key);
                        list.retain(|(k, _)| *k != key);
                    }
                }
                prop_assert_eq!(order(&cache), list.clone());
                prop_assert_eq!(cache.weight(), list.iter().map(|(_, w)| w).sum::<u64>());
                prop_assert_eq!(cache.places.len(), list.len());
            }
        }
    }

    #[test]
    fn the_newest_stays_whatever_it_weighs() {
        let mut cache = Cache::new(10);
        cache.put("a", 1, 4, drop);
        let mut gone = Vec::new();
        assert_eq!(cache.put("b", 2, 40, |v| gone.push(v)), None);
        assert_eq!(gone, [1]);
        assert_eq!(cache.get("a"), None);
        assert_eq!(cache.get("b"), Some(&2));
    }
}
