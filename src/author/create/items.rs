//! The variables of an input, which are found by name and by the name of their bounds, however many there are.

use std::ops::Deref;
use std::sync::Arc;

use super::bounds;
use super::record::Item;

/// The number of variables up to which all are searched.
const FEW: usize = 16;

/// The variables of an input in their order.
#[derive(Debug)]
pub(super) struct Items {
    list: Box<[Arc<Item>]>,
    /// `None` if there are few.
    order: Option<Box<Order>>,
}

/// The places of the variables.
#[derive(Debug)]
struct Order {
    by_name: Vec<u32>,
    /// Those with bounds, by the name of these.
    by_bounds: Vec<u32>,
}

impl Items {
    /// Adds one at the end.
    pub fn push(&mut self, item: Arc<Item>) {
        let mut list = std::mem::take(&mut self.list).into_vec();
        list.push(item);
        *self = Items::from(list);
    }

    /// Returns the variable of this name.
    pub fn named(&self, name: &str) -> Option<&Item> {
        let is_it = |item: &&Arc<Item>| item.template.name == name;
        let found = match self.order.as_deref() {
            None => self.list.iter().find(is_it),
            Some(Order { by_name, .. }) => {
                let start = by_name.partition_point(|&at| *self.list[at as usize].template.name < *name);
                by_name.get(start).map(|&at| &self.list[at as usize]).filter(is_it)
            }
        };
        found.map(|item| &**item)
    }

    /// Returns the variables that name this one as their bounds.
    pub fn with_bounds<'a: 'n, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a Item> + 'n {
        let (all, placed) = match &self.order {
            None => (&self.list[..], &[][..]),
            Some(order) => {
                let before = |&at: &u32| bounds_of(&self.list[at as usize]).as_deref() < Some(name);
                (&[][..], &order.by_bounds[order.by_bounds.partition_point(before)..])
            }
        };
        let is_it = move |item: &&Arc<Item>| bounds_of(item).is_some_and(|own| own == name);
        let placed = placed.iter().map(|&at| &self.list[at as usize]).take_while(is_it);
        all.iter().filter(is_it).chain(placed).map(|item| &**item)
    }
}

fn bounds_of(item: &Item) -> Option<String> {
    bounds::name_of(&item.template)
}

impl From<Vec<Arc<Item>>> for Items {
    fn from(list: Vec<Arc<Item>>) -> Self {
        let order = (list.len() > FEW).then(|| {
            let all = 0..list.len() as u32;
            let mut by_name: Vec<u32> = all.clone().collect();
            by_name.sort_by_key(|&at| &list[at as usize].template.name);
            let mut by_bounds: Vec<u32> = all.filter(|&at| bounds_of(&list[at as usize]).is_some()).collect();
            by_bounds.sort_by_cached_key(|&at| bounds_of(&list[at as usize]));
            Box::new(Order { by_name, by_bounds })
        });
        Items { list: list.into(), order }
    }
}

impl Deref for Items {
    type Target = [Arc<Item>];

    fn deref(&self) -> &[Arc<Item>] {
        &self.list
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::{Content, Interner, Template};
    use super::*;
    use crate::value::{Attributes, DataType};

    fn item(name: String, bounds: Option<String>) -> Arc<Item> {
        let mut attributes = Attributes::default();
        if let Some(bounds) = bounds {
            attributes.set_text("bounds", bounds);
        }
        let interner = Interner::default();
        let template = Template::new(name.clone(), name, DataType::F64, Vec::new(), attributes);
        let outline = interner.outline(&interner.template(template), &[], false, false);
        Arc::new(Item { outline, content: Content::Unread, fragment: None })
    }

    #[test]
    fn few_and_many_variables_are_found_alike() {
        for count in [0, 1, FEW, FEW + 1, 5 * FEW] {
            let one =
                |i: usize| item(format!("v{}", i * 7 % 100), (i % 3 > 0).then(|| format!("b{}", i % 5)));
            let mut items = Items::from((0..count).map(one).collect::<Vec<_>>());
            items.push(item("last".into(), Some("b1".into())));
            for name in ["last", "v0", "v7", "v21", "v99", "", "w"] {
                let found = items.named(name).map(|found| found as *const Item);
                let naive = items.iter().find(|i| i.template.name == name).map(Arc::as_ptr);
                assert_eq!(found, naive, "{name} of {count}");
            }
            for name in ["b0", "b1", "b4", "b9", ""] {
                let found: Vec<_> = items.with_bounds(name).map(|i| i.template.name.clone()).collect();
                let all = items.iter().filter(|i| i.template.text("bounds").as_deref() == Some(name));
                let naive: Vec<_> = all.map(|i| i.template.name.clone()).collect();
                assert_eq!(found, naive, "{name} of {count}");
            }
        }
    }
}
