//! Compares the meaning of descriptions in two files, however they are stored.

use std::borrow::Cow;
use std::sync::Arc;

use super::coordinate_values::{labels, Converter};
use super::record::{Content, Input, Item};
use super::{scan, unify};
use crate::value::Values;

/// Returns whether a variable means the same in two files: equal, or equal except for rounding in the units of the
/// converter.
pub(super) fn values(files: [&Input; 2], items: [&Item; 2], converter: &mut Converter) -> bool {
    let [x, y] = items;
    if matches!(x.content, Content::Unread) || matches!(y.content, Content::Unread) {
        // Too large to be compared, or already part of an aggregation.
        return true;
    }
    let alike = Arc::ptr_eq(&x.template, &y.template)
        || !x.template.data_type.is_number()
        || unify::stored_alike(&x.template, &y.template);
    match (&x.content, &y.content) {
        (Content::Kept(v), Content::Kept(w)) if alike && v == w => return true,
        // Equal numbers in different units have different meanings.
        (Content::Hashed(v), Content::Hashed(w)) if alike => return v == w,
        _ => {}
    }
    let (Some(v), Some(w)) = (read(files[0], x), read(files[1], y)) else { return false };
    if let (Some(v), Some(w)) = (labels(&v, &x.shape), labels(&w, &y.shape)) {
        return v == w;
    }
    let mut coordinates = |item: &Item, values: &Values| match &item.content {
        Content::Kept(_) => converter.coordinates(item),
        _ => converter.convert(&item.template, values, &item.shape),
    };
    match (coordinates(x, &v), coordinates(y, &w)) {
        (Ok(a), Ok(b)) => a.same(&b, converter.slack()),
        _ => false,
    }
}

/// Returns the values of an item, from memory or from its file.
fn read<'a>(input: &Input, item: &'a Item) -> Option<Cow<'a, Values>> {
    match &item.content {
        Content::Kept(kept) => Some(kept.values()),
        _ => scan::read_again(input, &item.template).ok().map(Cow::Owned),
    }
}
