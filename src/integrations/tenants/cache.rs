//! Answers that are kept: bounded in number, those that are used outlast those that are not.

use std::collections::HashMap;
use std::sync::Arc;

/// A map that holds a limited number of entries, and of them always the most recently used half of the limit.
///
/// Two generations: what is used moves to the young one; when that is half of the limit, the old one is dropped and the young
/// one grows old. A library would bring little more than these lines: times, single flight and answers that outlive
/// their time have to be ours, since they follow the runtime's clock, which tests hold.
#[derive(Debug)]
pub(super) struct Bounded<V> {
    young: HashMap<Arc<str>, V>,
    old: HashMap<Arc<str>, V>,
    half: usize,
}

impl<V> Bounded<V> {
    pub(super) fn new(limit: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), half: (limit / 2).max(1) }
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
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = core::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(super) fn remove(&mut self, key: &str) {
        self.young.remove(key);
        self.old.remove(key);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
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
            if value % 40 == 0 {
                assert_eq!(map.get("0"), Some(&mut 0), "after {value}");
            }
        }
        for value in 9_950..10_000 {
            assert!(map.get(&value.to_string()).is_some(), "{value} is among the last 50");
        }
        assert_eq!(map.get("5000"), None);
    }

    #[test]
    fn an_entry_is_there_once_and_can_be_removed() {
        let mut map = Bounded::new(4);
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
