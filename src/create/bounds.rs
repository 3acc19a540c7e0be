//! Bounds and the variables that they belong to (CF-1.13 sections 7.1 and 7.4).
//!
//! Bounds without units have those of the variable that names them, and bounds with units but without calendar its
//! calendar. They lie along its dimensions and one more.

use super::record::{Input, Item, Template};

/// The name of the bounds of a variable.
pub(super) fn name_of(template: &Template) -> Option<String> {
    let text = ["bounds", "climatology"].iter().find_map(|name| template.text(name))?;
    text.split_whitespace().next().map(str::to_owned)
}

/// The bounds of a variable of a file.
pub(super) fn of<'a>(input: &'a Input, template: &Template) -> Option<&'a Item> {
    input.item(&name_of(template)?).filter(|bounds| bounds.template.name != template.name)
}

/// The variable of a file that these are the bounds of.
pub(super) fn parent<'a>(input: &'a Input, name: &str) -> Option<&'a Item> {
    let is_parent = |i: &Item| i.template.name != name && name_of(&i.template).is_some_and(|n| n == name);
    input.items.iter().find(|i| is_parent(i)).map(|i| &**i)
}

/// Gives the bounds among the variables of a file the units that they do not say themselves.
pub(super) fn lend_units(templates: &mut [&mut Template]) {
    let named = |t: &&mut Template| Some((name_of(t)?, t.name.clone(), t.units.clone(), t.calendar.clone()));
    let lenders: Vec<_> = templates.iter().filter_map(named).collect();
    for bounds in templates {
        let lender = lenders.iter().find(|(name, parent, ..)| *name == bounds.name && *parent != bounds.name);
        let Some((_, _, units, calendar)) = lender else { continue };
        if bounds.attributes.get("units").is_none() {
            bounds.units.clone_from(units);
            bounds.calendar.clone_from(calendar);
        } else if bounds.calendar.is_none() {
            bounds.calendar.clone_from(calendar);
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

    /// The units and calendar of bounds with these attributes.
    fn lent(naming: &str, own: &[(&str, &str)]) -> (Option<String>, Option<String>) {
        let mut bounds = template("b", own);
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
}
