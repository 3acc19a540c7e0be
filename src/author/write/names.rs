//! Composes names, the form in which netCDF stores them. libnetcdf does not find names that are stored in another form.

use std::borrow::Cow;

use super::description::{File, Group};
use crate::container::composed::composed;
use crate::value::{Attribute, Attributes};

/// Returns the same description with composed names; texts and values stay as they are.
pub(super) fn compose(file: &File) -> Cow<'_, File> {
    if is_composed(file) {
        return Cow::Borrowed(file);
    }
    let mut file = file.clone();
    change(&mut file);
    Cow::Owned(file)
}

fn is_composed(group: &Group) -> bool {
    let attributes = |list: &Attributes| list.iter().all(|a| is(&a.name));
    attributes(&group.attributes)
        && group.dimensions.iter().all(|d| is(&d.name))
        && group
            .variables
            .iter()
            .all(|v| is(&v.name) && v.dimensions.iter().all(|name| is(name)) && attributes(&v.attributes))
        && group.groups.iter().all(|child| is(&child.name) && is_composed(child))
}

fn is(name: &str) -> bool {
    matches!(composed(name), Cow::Borrowed(_))
}

fn change(group: &mut Group) {
    group.attributes = changed(&group.attributes);
    for dimension in &mut group.dimensions {
        dimension.name = composed(&dimension.name).into_owned();
    }
    for variable in &mut group.variables {
        variable.name = composed(&variable.name).into_owned();
        for name in &mut variable.dimensions {
            *name = composed(name).into_owned();
        }
        variable.attributes = changed(&variable.attributes);
    }
    for child in &mut group.groups {
        child.name = composed(&child.name).into_owned();
        change(child);
    }
}

fn changed(attributes: &Attributes) -> Attributes {
    let one = |a: &Attribute| Attribute { name: composed(&a.name).into_owned(), value: a.value.clone() };
    Attributes::new(attributes.iter().map(one).collect())
}
