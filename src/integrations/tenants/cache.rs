//! Answers that are kept: bounded in number, those that are used outlast those that are not.

use std::collections::{HashMap, hash_map};
use std::sync::Arc;

/// A map that holds a limited number of entries, and of them always the most recently used third of the limit.
///
/// Two generations: what is used moves to the young one; when that is a third of the limit, the old one leaves and the young one
/// grows old. What leaves is dropped in small parts, so that nobody waits while thousands of keys are wiped.
///
/// A library would bring little more than these lines: single flight across cancelled requests, and answers that outlive
/// their time, have to be ours, and follow the runtime's clock, which tests hold. `moka` has a clock of its own and 30
/// crates, `quick_cache` no times and ten.
#[derive(Debug)]
pub(super) struct Bounded<V> {
    young: HashMap<Arc<str>, V>,
    old: HashMap<Arc<str>, V>,
    leaving: hash_map::IntoIter<Arc<str>, V>,
    third: usize,
}

/// How many leave with each that comes: all have, long before more do.
const LEAVE: usize = 2;

impl<V> Bounded<V> {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            leaving: HashMap::new().into_iter(),
            third: (limit / 3).max(1),
        }
    }

    /// The entry of this key, which counts as used.
    pub(super) fn get(&mut self, key: &str) -> Option<&mut V> {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.insert(key, value);
        }
        self.young.get_mut(key)
    }

    pub(super) fn insert(&mut self, key: Arc<str>, value: V) {
        self.old.remove(&key);
        self.leaving.by_ref().take(LEAVE).for_each(drop);
        if self.young.len() >= self.third && !self.young.contains_key(&key) {
            let young = core::mem::take(&mut self.young);
            self.leaving = core::mem::replace(&mut self.old, young).into_iter();
        }
        self.young.insert(key, value);
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.young.remove(key);
        self.old.remove(key);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len() + self.leaving.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(map: &mut Bounded<usize>, value: usize) {
        map.insert(value.to_string().into(), value);
    }

    #[test]
    fn the_number_is_bounded_and_what_is_used_stays() {
        let mut map = Bounded::new(100);
        insert(&mut map, 0);
        for value in 1..10_000 {
            insert(&mut map, value);
            assert!(map.len() <= 100, "{}", map.len());
            if value % 30 == 0 {
                assert_eq!(map.get("0"), Some(&mut 0), "after {value}");
            }
        }
        for value in 9_968..10_000 {
            assert!(map.get(&value.to_string()).is_some(), "{value} is among the last third");
        }
        assert_eq!(map.get("5000"), None);
    }

    #[test]
    fn few_are_dropped_at_a_time() {
        let mut map = Bounded::new(3000);
        let value = Arc::new(());
        let mut held = 1;
        for key in 0..20_000 {
            map.insert(key.to_string().into(), Arc::clone(&value));
            let now = Arc::strong_count(&value);
            assert!(now <= 3001 && held + 1 - now <= LEAVE, "{held} {now}");
            held = now;
        }
        assert!(held > 2000, "{held}");
    }

    #[test]
    fn an_entry_is_there_once_and_can_be_removed() {
        let mut map = Bounded::new(9);
        insert(&mut map, 1);
        insert(&mut map, 2);
        insert(&mut map, 3);
        map.insert("1".into(), 10);
        assert_eq!(map.len(), 3);
        assert_eq!(map.get("1"), Some(&mut 10));
        map.remove("1");
        map.remove("2");
        assert_eq!(map.len(), 1);
        assert_eq!(map.get("3"), Some(&mut 3));
        for limit in [0, 1] {
            let mut map = Bounded::new(limit);
            insert(&mut map, 1);
            assert_eq!(map.get("1"), Some(&mut 1), "{limit}");
        }
    }
}
