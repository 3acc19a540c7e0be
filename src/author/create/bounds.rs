//! Bounds and the variables that they belong to (CF-1.13 sections 7.1 and 7.4).
//!
//! Bounds without units have those of the variable that names them, and bounds with units but without calendar its
//! calendar. They have its dimensions and one more. A variable with fewer dimensions is not treated as bounds, and
//! neither is a coordinate variable; so bounds that in turn name their variable as bounds remain bounds, and nothing
//! else.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::record::{Input, Item, Template};
use super::roles::is_coordinate;

/// Returns the name of the bounds of a variable.
pub(super) fn name_of(template: &Template) -> Option<String> {
    let text = ["bounds", "climatology"].iter().find_map(|name| template.text(name))?;
    text.split_whitespace().next().map(str::to_owned)
}

/// Returns whether a variable can be the bounds of one that names it as such.
pub(super) fn can_be(bounds: &Template, parent: &Template) -> bool {
    match bounds.rank().cmp(&parent.rank()) {
        Ordering::Greater => true,
        Ordering::Equal => {
            bounds.name != parent.name
                && !is_coordinate(bounds)
                && name_of(bounds).is_none_or(|name| name != parent.name)
        }
        Ordering::Less => false,
    }
}

/// Returns the bounds of a variable of a file.
pub(super) fn of<'a>(input: &'a Input, template: &Template) -> Option<&'a Item> {
    input.item(&name_of(template)?).filter(|bounds| can_be(&bounds.template, template))
}

/// Returns the variable of a file to which these bounds belong.
pub(super) fn parent<'a>(input: &'a Input, name: &str) -> Option<&'a Item> {
    let bounds = input.item(name)?;
    input.items.with_bounds(name).find(|parent| can_be(&bounds.template, &parent.template))
}

/// Sets the units of the bounds of a file to those of their variables, if they have none of their own.
pub(super) fn lend_units(templates: &mut [&mut Template]) {
    let mut lenders: HashMap<String, Vec<Template>> = HashMap::new();
    for template in templates.iter() {
        if let Some(name) = name_of(template) {
            lenders.entry(name).or_default().push((**template).clone());
        }
    }
    for bounds in templates {
        let lender =
            lenders.get(&bounds.name).and_then(|all| all.iter().find(|parent| can_be(bounds, parent)));
        let Some(parent) = lender else { continue };
        if bounds.attributes.get("units").is_none() {
            bounds.units.clone_from(&parent.units);
            bounds.calendar.clone_from(&parent.calendar);
        } else if bounds.calendar.is_none() {
            bounds.calendar.clone_from(&parent.calendar);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Attributes, DataType};

    fn template(name: &str, attributes: &[(&str, &str)]) -> Template {
        let mut list = Attributes::default();
        for (name, text) in attributes {
            list.set_text(name, *text);
        }
        Template::new(name.into(), name.into(), DataType::F64, Vec::new(), list)
    }

    /// Returns the units and calendar of bounds with these attributes.
    fn lent(naming: &str, own: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let mut bounds = template("b", own);
        bounds.dimensions.push("nv".into());
        let mut time =
            template("t", &[("units", "days since 2000-01-01"), ("calendar", "noleap"), (naming, " b ")]);
        lend_units(&mut [&mut bounds, &mut time]);
        (bounds.units, bounds.calendar)
    }

    #[test]
    fn bounds_take_what_they_do_not_say() {
        let both = (Some("days since 2000-01-01".to_owned()), Some("noleap".to_owned()));
        assert_eq!(lent("bounds", &[]), both);
        assert_eq!(lent("climatology", &[]), both);
        assert_eq!(lent("bounds", &[("calendar", "julian")]), both);
        assert_eq!(lent("bounds", &[("units", "d")]), (Some("d".into()), Some("noleap".into())));
        assert_eq!(lent("bounds", &[("units", "d"), ("calendar", "julian")]).1, Some("julian".into()));
        assert_eq!(lent("ancillary_variables", &[]), (None, None));
    }

    #[test]
    fn a_variable_is_not_its_own_parent() {
        let mut odd = template("b", &[("bounds", "b")]);
        lend_units(&mut [&mut odd]);
        assert_eq!(odd.units, None);
    }

    #[test]
    fn a_variable_is_not_the_bounds_of_its_bounds() {
        let mut bounds = template("b", &[("units", "d"), ("bounds", "t")]);
        bounds.dimensions.push("nv".into());
        let mut time = template("t", &[("bounds", "b")]);
        lend_units(&mut [&mut bounds, &mut time]);
        assert_eq!(time.units, None);
    }
}
