//! One variable for many: the type, units, missing value and attributes of an aggregation variable whose fragments may
//! differ in them (CF-1.13 section 2.8.2).
//!
//! The result is unpacked. Its type holds the values of all fragments. If their missing values differ, a wider type is
//! used, so that no valid value of one is the missing value of another.

use super::record::Template;
use crate::canonical::{Conversion, Target};
use crate::cf;
use crate::dataset::coordinates::meant_type;
use crate::error::{Error, Result};
use crate::value::{Attributes, DataType, Values};

/// The properties of the variable.
#[derive(Debug)]
pub(super) struct Unified {
    pub data_type: DataType,
    pub attributes: Attributes,
    /// The units of its numbers, which may not be among its attributes.
    units: Option<String>,
    calendar: Option<String>,
    /// Names of attributes that were left out because they differ.
    pub dropped: Vec<String>,
    /// Names of attributes that were left out because they hold for the numbers that files store, which are converted.
    pub of_stored: Vec<String>,
    /// A file that has no units, unlike others.
    pub without_units: Option<String>,
}

impl Unified {
    /// Returns notes on what was left out of the variable, and on what was assumed.
    pub fn notes(&self, name: &str) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.dropped.is_empty() {
            let list = self.dropped.join(", ");
            notes.push(format!("attributes of '{name}' that differ between files are left out: {list}"));
        }
        if !self.of_stored.is_empty() {
            let list = self.of_stored.join(", ");
            notes.push(format!(
                "attributes of '{name}' that hold for its stored numbers are left out, since these are unpacked or \
                 converted: {list}"
            ));
        }
        if let (Some(file), Some(units)) = (&self.without_units, &self.units) {
            notes.push(format!(
                "'{name}' has no units in {file}, unlike in other files; its numbers are taken to be in '{units}'"
            ));
        }
        notes
    }

    /// Returns the target to which the numbers of fragments are converted.
    pub fn target(&self) -> Target {
        let mut attributes = self.attributes.clone();
        for (name, text) in DECIDED.into_iter().zip([&self.units, &self.calendar]) {
            if let Some(text) = text {
                attributes.set_text(name, text);
            }
        }
        Target::new(&attributes, self.data_type)
    }
}

/// Attributes that say how the numbers of one file are stored.
const ENCODING: [&str; 5] = ["scale_factor", "add_offset", "_Unsigned", "_FillValue", "missing_value"];

/// Attributes that have the stored type and are meaningless for another.
const STORED_TYPE: [&str; 5] = ["valid_min", "valid_max", "valid_range", "flag_values", "flag_masks"];

/// Attributes that are determined by other steps.
const DECIDED: [&str; 2] = ["units", "calendar"];

/// Unifies different descriptions, each with a file that has it. Bounds get the units of their parent, others the first
/// units that occur.
///
/// # Errors
/// `Units`, `Calendar`, `FragmentType` if one cannot be converted; the message names its file.
pub(super) fn unify(templates: &[(&Template, &str)], parent: Option<&Template>) -> Result<Unified> {
    if let Some(parent) = parent.filter(|p| p.units.is_some()) {
        // Bounds of another kind than their parent are left unchanged.
        if let Ok(united) = unify_as(templates, parent) {
            return Ok(united);
        }
    }
    let with = templates.iter().map(|(t, _)| *t).find(|t| t.units.is_some());
    unify_as(templates, with.unwrap_or(templates[0].0))
}

/// Unifies different descriptions, in the units of a variable.
fn unify_as(templates: &[(&Template, &str)], measure: &Template) -> Result<Unified> {
    let first = templates[0].0;
    let mut out = Unified {
        data_type: first.data_type,
        attributes: Attributes::default(),
        units: measure.units.clone(),
        calendar: measure.calendar.clone(),
        dropped: Vec::new(),
        of_stored: Vec::new(),
        without_units: None,
    };
    if measure.units.is_some() {
        let without = templates.iter().find(|(t, _)| t.units.is_none() && t.data_type.is_number());
        out.without_units = without.map(|(_, file)| (*file).to_owned());
    }
    let same_encoding = templates.iter().all(|(t, _)| encoded_alike(t, first));
    let units_alike = templates.iter().all(|(t, _)| measured_alike(t, measure));
    let meant = templates.iter().map(|(t, _)| meant_type(&t.attributes, t.data_type));
    out.data_type = meant.reduce(wider).unwrap_or(first.data_type);
    if !units_alike && out.data_type.is_integer() {
        out.data_type = DataType::F64;
    }
    let fills_alike = templates.iter().all(|(t, _)| {
        ["_FillValue", "missing_value"].iter().all(|n| t.attributes.get(n) == first.attributes.get(n))
    });
    let coordinates = !fills_alike
        || templates.iter().any(|(t, _)| {
            t.attributes.get("_FillValue").is_some() || t.attributes.get("missing_value").is_some()
        });
    let as_stored = same_encoding && out.data_type == first.data_type && !is_packed(first);
    if !as_stored && !fills_alike && out.data_type.is_integer() {
        out.data_type = roomier(out.data_type);
    }
    attributes(&mut out, templates, as_stored, units_alike);
    if !as_stored
        && out.data_type.is_number()
        && (coordinates || templates.iter().any(|(t, _)| t.data_type != out.data_type))
    {
        set_missing(&mut out);
    }
    let target = out.target();
    for (template, file) in templates {
        conversion(template, &target).map_err(|e| {
            let from = templates[0].1;
            Error::new(e.kind(), format!("{}; it must fit {from}", e))
                .in_variable(&*template.name)
                .in_file(*file)
        })?;
    }
    Ok(out)
}

/// Returns the conversion from the numbers of a variable to those of a target.
///
/// # Errors
/// `Units`, `Calendar`, `FragmentType` if there is none.
pub(super) fn conversion(template: &Template, target: &Target) -> Result<Conversion> {
    let (units, calendar) = (template.units.as_deref(), template.calendar.as_deref());
    Conversion::new(&template.attributes, template.data_type, units, calendar, target, false)
}

/// Returns whether equal stored numbers mean the same in both.
pub(super) fn stored_alike(a: &Template, b: &Template) -> bool {
    encoded_alike(a, b) && measured_alike(a, b)
}

fn encoded_alike(a: &Template, b: &Template) -> bool {
    let same = |name: &str| a.attributes.get(name) == b.attributes.get(name);
    a.data_type == b.data_type && ENCODING.iter().all(|name| same(name))
}

fn measured_alike(a: &Template, b: &Template) -> bool {
    a.units == b.units && a.calendar == b.calendar
}

/// Returns whether readers of an aggregation variable convert these fragments correctly. They do not consider the
/// variable from which bounds get their units.
pub(super) fn are_fragments(templates: &[(&Template, &str)], parent: Option<&Template>) -> bool {
    let first = templates[0].0;
    let measure = parent.unwrap_or(first);
    let own = |t: &Template| (t.text("units"), t.text("calendar"));
    let said = |t: &Template| own(t) == (t.units.clone(), t.calendar.clone());
    templates.iter().all(|(t, _)| said(t))
        || templates.iter().all(|(t, _)| measured_alike(t, measure) && own(t) == own(first))
}

fn attributes(out: &mut Unified, templates: &[(&Template, &str)], as_stored: bool, units_alike: bool) {
    let first = templates[0].0;
    for attribute in &first.attributes {
        let name = &*attribute.name;
        let keeps = match name {
            _ if ENCODING.contains(&name) => as_stored,
            _ if STORED_TYPE.contains(&name) => as_stored && units_alike,
            _ => true,
        };
        if !keeps {
            out.of_stored.extend(STORED_TYPE.contains(&name).then(|| name.to_owned()));
            continue;
        }
        let differs = templates.iter().any(|(t, _)| !says(t, name, &attribute.value));
        if differs && !DECIDED.contains(&name) {
            out.dropped.push(name.to_owned());
        } else {
            out.attributes.set(name, attribute.value.clone());
        }
    }
    for (name, decided) in DECIDED.into_iter().zip([out.units.clone(), out.calendar.clone()]) {
        let said = templates.iter().any(|(t, _)| t.attributes.get(name).is_some());
        if let Some(text) = decided.filter(|text| said && out.attributes.text(name).as_ref() != Some(text)) {
            out.attributes.set_text(name, text);
        }
    }
    for (template, _) in &templates[1..] {
        for attribute in &template.attributes {
            let name = &*attribute.name;
            let decided = ENCODING.contains(&name) || DECIDED.contains(&name) || STORED_TYPE.contains(&name);
            if !decided && first.attributes.get(name).is_none() && !out.dropped.iter().any(|d| d == name) {
                out.dropped.push(name.to_owned());
            }
        }
    }
}

/// Writes the default missing value of the type as an attribute.
fn set_missing(out: &mut Unified) {
    let fill = match out.data_type {
        DataType::I16 => Values::I16(vec![-32767]),
        DataType::U16 => Values::U16(vec![65535]),
        DataType::I32 => Values::I32(vec![-2147483647]),
        DataType::U32 => Values::U32(vec![u32::MAX]),
        DataType::I64 => Values::I64(vec![-9223372036854775806]),
        DataType::U64 => Values::U64(vec![18446744073709551614]),
        DataType::F32 => Values::F32(vec![9.969_21e36]),
        DataType::F64 => Values::F64(vec![9.969_209_968_386_869e36]),
        _ => return,
    };
    out.attributes.set("_FillValue", fill);
}

/// Returns whether an attribute of a variable has this value. How text is stored and how names are separated does not
/// matter.
fn says(template: &Template, name: &str, value: &Values) -> bool {
    let Some(own) = template.attributes.get(name) else { return false };
    match (own.as_text(), value.as_text()) {
        (Some(a), Some(b)) if cf::reference(name, cf::Use::Rename).is_some() => {
            a.split_whitespace().eq(b.split_whitespace())
        }
        (Some(a), Some(b)) => a == b,
        _ => own == value,
    }
}

fn is_packed(template: &Template) -> bool {
    ["scale_factor", "add_offset", "_Unsigned"].iter().any(|n| template.attributes.get(n).is_some())
}

/// Returns a type that holds the numbers of both.
pub(super) fn wider(a: DataType, b: DataType) -> DataType {
    if a == b {
        return a;
    }
    if !a.is_number() || !b.is_number() {
        return if a.is_number() { a } else { DataType::String };
    }
    let bits = |t: DataType| t.size().unwrap_or(8) * 8;
    let signed = |t: DataType| matches!(t, DataType::I8 | DataType::I16 | DataType::I32 | DataType::I64);
    match (a.is_float(), b.is_float()) {
        (true, true) => DataType::F64,
        (true, false) | (false, true) => {
            let (float, integer) = if a.is_float() { (a, b) } else { (b, a) };
            if bits(integer) <= 16 {
                float
            } else {
                DataType::F64
            }
        }
        (false, false) if signed(a) == signed(b) => {
            if bits(a) > bits(b) {
                a
            } else {
                b
            }
        }
        (false, false) => {
            let unsigned = if signed(a) { b } else { a };
            let need = (bits(unsigned) * 2).max(bits(a)).max(bits(b));
            match need {
                16 => DataType::I16,
                32 => DataType::I32,
                64 => DataType::I64,
                _ => DataType::F64,
            }
        }
    }
}

/// Returns an integer type with room for a missing value in addition to the values of this one; there is none beyond 64
/// bits.
fn roomier(t: DataType) -> DataType {
    match t {
        DataType::I8 | DataType::U8 => DataType::I16,
        DataType::I16 | DataType::U16 => DataType::I32,
        DataType::I32 | DataType::U32 => DataType::I64,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn template(data_type: DataType, attributes: &[(&str, Values)]) -> Template {
        let mut list = Attributes::default();
        for (name, value) in attributes {
            list.set(name, value.clone());
        }
        Template::new("v".into(), "v".into(), data_type, vec![], list)
    }

    fn text(t: &str) -> Values {
        Values::Char(t.as_bytes().to_vec())
    }

    fn united(list: &[Template]) -> Result<Unified> {
        let with_files: Vec<(&Template, &str)> = list.iter().map(|t| (t, "f.nc")).collect();
        unify(&with_files, None)
    }

    #[test]
    fn the_type_holds_all_fragments() {
        use DataType::*;
        for (a, b, both) in [
            (I16, F32, F32),
            (I32, F32, F64),
            (U8, I8, I16),
            (U32, I32, I64),
            (U64, I8, F64),
            (F32, F64, F64),
            (Char, String, String),
        ] {
            assert_eq!(wider(a, b), both);
            assert_eq!(wider(b, a), both);
        }
    }

    #[test]
    fn packed_fragments_give_an_unpacked_variable() {
        let packed = template(
            DataType::I16,
            &[
                ("scale_factor", Values::F32(vec![0.5])),
                ("_FillValue", Values::I16(vec![-1])),
                ("units", text("K")),
            ],
        );
        let out = united(&[packed]).unwrap();
        assert_eq!(out.data_type, DataType::F32);
        assert_eq!(out.attributes.get("scale_factor"), None);
        assert_eq!(out.attributes.get("_FillValue"), Some(&Values::F32(vec![9.969_21e36])));
        assert_eq!(out.dropped, [""; 0]);
    }

    #[test]
    fn names_are_the_same_however_they_are_separated() {
        let with = |value: Values| template(DataType::F64, &[("bounds", value.clone()), ("note", value)]);
        let list = [with(text("b")), with(text("b ")), with(Values::String(vec!["b".into()]))];
        let out = united(&list).unwrap();
        assert_eq!(out.attributes.text("bounds").unwrap(), "b");
        assert_eq!(out.dropped, ["note"]);
        let [char, _, string] = list;
        assert_eq!(united(&[char, string]).unwrap().dropped, [""; 0]);
    }

    #[test]
    fn different_missing_values_make_the_type_roomier() {
        let with = |fill: i16| template(DataType::I16, &[("_FillValue", Values::I16(vec![fill]))]);
        let out = united(&[with(-1), with(-2)]).unwrap();
        assert_eq!(
            (out.data_type, out.attributes.get("_FillValue")),
            (DataType::I32, Some(&Values::I32(vec![-2147483647])))
        );
        let same = united(&[with(-1), with(-1)]).unwrap();
        assert_eq!(
            (same.data_type, same.attributes.get("_FillValue")),
            (DataType::I16, Some(&Values::I16(vec![-1])))
        );
    }

    #[test]
    fn units_that_differ_are_converted_and_others_refused() {
        let with = |units: &str| template(DataType::I32, &[("units", text(units)), ("note", text(units))]);
        let out = united(&[with("m"), with("km")]).unwrap();
        assert_eq!((out.data_type, out.attributes.text("units").unwrap()), (DataType::F64, "m".into()));
        assert_eq!(out.dropped, ["note"]);
        assert_eq!(united(&[with("m"), with("K")]).unwrap_err().kind(), Kind::Units);
    }
}
