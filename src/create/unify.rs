//! One variable for many: the type, units, missing value and attributes of an aggregation variable whose fragments may
//! differ in them (CF-1.13 section 2.8.2).
//!
//! The result is unpacked. It is of a type that holds all fragments, wider where their missing values differ, so that no
//! valid value of one is the missing value of another.

use super::record::Template;
use crate::canonical::{Conversion, Target};
use crate::error::{Error, Result};
use crate::value::{Attributes, DataType, Values};

/// What the variable is to be.
#[derive(Debug)]
pub(super) struct Unified {
    pub data_type: DataType,
    pub attributes: Attributes,
    /// Names of attributes that were left out because they differ.
    pub dropped: Vec<String>,
}

/// Attributes that say how the numbers of one file are stored.
const ENCODING: [&str; 5] = ["scale_factor", "add_offset", "_Unsigned", "_FillValue", "missing_value"];

/// Attributes that have the stored type, and mean nothing for another.
const STORED_TYPE: [&str; 5] = ["valid_min", "valid_max", "valid_range", "flag_values", "flag_masks"];

/// Attributes that other steps decide on.
const DECIDED: [&str; 2] = ["units", "calendar"];

/// Unites different descriptions, each with a file that has it; the first gives the units.
///
/// # Errors
/// `Units`, `Calendar`, `FragmentType` when one cannot be converted, naming its file.
pub(super) fn unify(templates: &[(&Template, &str)]) -> Result<Unified> {
    let first = templates[0].0;
    let mut out =
        Unified { data_type: first.data_type, attributes: Attributes::default(), dropped: Vec::new() };
    let stored_alike = templates.iter().all(|(t, _)| {
        t.data_type == first.data_type
            && ENCODING.iter().all(|name| t.attributes.get(name) == first.attributes.get(name))
    });
    let units_alike = templates.iter().all(|(t, _)| DECIDED.iter().all(|n| t.text(n) == first.text(n)));
    out.data_type = templates.iter().map(|(t, _)| unpacked(t)).reduce(wider).unwrap_or(first.data_type);
    if !units_alike && out.data_type.is_integer() {
        out.data_type = DataType::F64;
    }
    let fills_alike = templates.iter().all(|(t, _)| {
        ["_FillValue", "missing_value"].iter().all(|n| t.attributes.get(n) == first.attributes.get(n))
    });
    let marks = !fills_alike
        || templates.iter().any(|(t, _)| {
            t.attributes.get("_FillValue").is_some() || t.attributes.get("missing_value").is_some()
        });
    let as_stored = stored_alike && out.data_type == first.data_type && !is_packed(first);
    if !as_stored && !fills_alike && out.data_type.is_integer() {
        out.data_type = roomier(out.data_type);
    }
    attributes(&mut out, templates, as_stored, units_alike);
    if !as_stored
        && out.data_type.is_number()
        && (marks || templates.iter().any(|(t, _)| t.data_type != out.data_type))
    {
        set_missing(&mut out);
    }
    let target = Target::new(&out.attributes, out.data_type);
    for (template, file) in templates {
        Conversion::new(&template.attributes, template.data_type, None, None, &target, false).map_err(
            |e| {
                let from = templates[0].1;
                Error::new(e.kind(), format!("{}; it has to fit {from}", e))
                    .in_variable(&*template.name)
                    .in_file(*file)
            },
        )?;
    }
    Ok(out)
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
            continue;
        }
        let differs = templates.iter().any(|(t, _)| t.attributes.get(name) != Some(&attribute.value));
        if differs && !DECIDED.contains(&name) {
            out.dropped.push(name.to_owned());
        } else {
            out.attributes.set(name, attribute.value.clone());
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
    // Fragments with units go with a variable that has them, also when the first has none.
    if out.attributes.get("units").is_none() {
        let with = templates.iter().find(|(t, _)| t.attributes.get("units").is_some());
        for name in DECIDED {
            if let Some(value) = with.and_then(|(t, _)| t.attributes.get(name)) {
                out.attributes.set(name, value.clone());
            }
        }
    }
}

/// The type that the type has by default for missing data, written out.
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

fn is_packed(template: &Template) -> bool {
    ["scale_factor", "add_offset", "_Unsigned"].iter().any(|n| template.attributes.get(n).is_some())
}

/// The type of the numbers that a variable means.
pub(super) fn unpacked(template: &Template) -> DataType {
    let packing = ["scale_factor", "add_offset"].map(|n| template.attributes.get(n));
    if packing.iter().all(Option::is_none) {
        let unsigned = template.text("_Unsigned").is_some_and(|t| t.eq_ignore_ascii_case("true"));
        return match (template.data_type, unsigned) {
            (DataType::I8, true) => DataType::U8,
            (DataType::I16, true) => DataType::U16,
            (DataType::I32, true) => DataType::U32,
            (DataType::I64, true) => DataType::U64,
            (other, _) => other,
        };
    }
    // CF section 8.1: the unpacked type is that of the attributes, if it can hold the packed numbers.
    let single = packing.iter().flatten().all(|v| v.data_type() == DataType::F32);
    let narrow = matches!(template.data_type, DataType::I8 | DataType::U8 | DataType::I16 | DataType::U16);
    if single && (narrow || template.data_type == DataType::F32) {
        DataType::F32
    } else {
        DataType::F64
    }
}

/// A type that holds the numbers of both.
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

/// An integer type with room for a missing value beside the values of this one; 64 bits have no larger type.
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
        Template { name: "v".into(), path: "v".into(), data_type, dimensions: vec![], attributes: list }
    }

    fn text(t: &str) -> Values {
        Values::Char(t.as_bytes().to_vec())
    }

    fn united(list: &[Template]) -> Result<Unified> {
        let with_files: Vec<(&Template, &str)> = list.iter().map(|t| (t, "f.nc")).collect();
        unify(&with_files)
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
