//! Finds things of a group by their names without looking at each: a file may have thousands of variables, and
//! attributes that name thousands.

use std::cmp::Ordering;

use once_cell::race::OnceBox;

use super::composed::{composed, is_same};
use super::tree::GroupId;

/// Up to this number, looking at each is faster.
const FEW: usize = 32;

/// The variables, dimensions or groups of a tree, by group and name. It is sorted when it is first needed; whoever
/// comes second in that moment sorts for himself, so that no thread waits.
#[derive(Debug, Default)]
pub(super) struct Order(OnceBox<Vec<u32>>);

/// A copy of a tree may change, so it has an order of its own.
impl Clone for Order {
    fn clone(&self) -> Self {
        Order::new()
    }
}

impl Order {
    pub(super) const fn new() -> Self {
        Order(OnceBox::new())
    }

    /// Returns the item of this name in a group or, if there is none, the first with the same composed form. `items`
    /// are those of the group; `key` returns the group and the name of each of all `count` items.
    pub(super) fn find<'a>(
        &self,
        group: GroupId,
        name: &str,
        items: impl ExactSizeIterator<Item = usize> + Clone,
        (count, key): (usize, impl Fn(usize) -> (Option<GroupId>, &'a str)),
    ) -> Option<usize> {
        let sorted = (items.len() > FEW).then(|| self.0.get_or_init(|| Box::new(sorted(count, &key))));
        // A tree that is still being built grows after it was sorted.
        let Some(sorted) = sorted.filter(|sorted| sorted.len() == count) else {
            let exact = items.clone().find(|&i| key(i).1 == name);
            return exact.or_else(|| items.clone().find(|&i| is_same(key(i).1, name)));
        };
        let wanted = (Some(group), composed(name));
        let place = |i: u32| {
            let (group, name) = key(i as usize);
            (group, composed(name))
        };
        let first = sorted.partition_point(|&i| place(i) < wanted);
        let same = sorted[first..].iter().take_while(|&&i| place(i) == wanted).map(|&i| i as usize);
        same.clone().find(|&i| key(i).1 == name).or_else(|| same.clone().next())
    }
}

/// Returns all items by group, name and place in the file.
fn sorted<'a>(count: usize, key: &impl Fn(usize) -> (Option<GroupId>, &'a str)) -> Vec<u32> {
    // More than four thousand million items do not fit into a file's budget; if they did, none would be found sorted.
    let mut list: Vec<u32> = (0..u32::try_from(count).unwrap_or(0)).collect();
    list.sort_unstable_by(|&a, &b| {
        let ((one, name), (other, second)) = (key(a as usize), key(b as usize));
        let names = || composed(name).cmp(&composed(second));
        one.cmp(&other).then_with(names).then_with(|| if a < b { Ordering::Less } else { Ordering::Greater })
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find(names: &[(usize, String)], group: usize, name: &str) -> Option<usize> {
        let items: Vec<usize> = (0..names.len()).filter(|&i| names[i].0 == group).collect();
        let key = |i: usize| (Some(GroupId(names[i].0)), names[i].1.as_str());
        Order::new().find(GroupId(group), name, items.into_iter(), (names.len(), key))
    }

    /// Looks at each.
    fn oracle(names: &[(usize, String)], group: usize, name: &str) -> Option<usize> {
        let exact = names.iter().position(|(g, n)| *g == group && n == name);
        exact.or_else(|| names.iter().position(|(g, n)| *g == group && composed(n) == composed(name)))
    }

    proptest! {
        #[test]
        fn many_names_are_found_as_few_are(
            names in prop::collection::vec((0usize..2, "(a|e|\u{301}|é|K|\u{212a}){1,3}"), 0..200),
            wanted in "(a|e|\u{301}|é|K|\u{212a}){1,3}",
        ) {
            for group in 0..3 {
                prop_assert_eq!(find(&names, group, &wanted), oracle(&names, group, &wanted));
                for (_, name) in &names {
                    prop_assert_eq!(find(&names, group, name), oracle(&names, group, name));
                }
            }
        }
    }

    #[test]
    fn what_is_added_later_is_found() {
        let mut names: Vec<String> = (0..50).map(|i| format!("v{i}")).collect();
        let order = Order::new();
        for i in [49, 50] {
            names.push(format!("v{}", names.len()));
            let key = |i: usize| (Some(GroupId(0)), names[i].as_str());
            let found = order.find(GroupId(0), &format!("v{i}"), 0..names.len(), (names.len(), key));
            assert_eq!(found, Some(i));
        }
    }
}
