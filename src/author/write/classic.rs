//! Expresses a description in the classic formats: no strings, no groups, fewer types, one unlimited dimension.
//!
//! Strings become characters with a dimension for their length; every reader of the conventions treats those as
//! strings. 64-bit and unsigned integers become `int` in CDF-2 if their values are known to fit.

use std::borrow::Cow;

use super::description::{Data, File, Format, Variable};
use crate::error::{Error, Kind, Result};
use crate::value::{DataType, Values};

/// Returns the same content in terms of the format; for netCDF-4 nothing changes.
///
/// # Errors
/// `Unsupported` if the format cannot express it.
pub(super) fn lower(file: &File, format: Format) -> Result<Cow<'_, File>> {
    if format == Format::Netcdf4 {
        return Ok(Cow::Borrowed(file));
    }
    let mut file = file.clone();
    if let Some(group) = file.groups.first() {
        return Err(refused(format!("it has a group '{}', which classic files do not support", group.name)));
    }
    let mut seen = false;
    for dimension in &mut file.dimensions {
        dimension.unlimited &= !seen;
        seen |= dimension.unlimited;
    }
    let names: Vec<String> = file.attributes.iter().map(|a| a.name.clone()).collect();
    for name in names {
        let lowered = file.attributes.get(&name).map(|v| attribute(&name, v, format)).transpose()?;
        if let Some(value) = lowered {
            file.attributes.set(&name, value);
        }
    }
    let mut variables = std::mem::take(&mut file.variables);
    for variable in &mut variables {
        let place = variable.name.clone();
        lower_variable(variable, &mut file, format).map_err(|e| e.in_variable(place))?;
    }
    file.variables = variables;
    order_records(&mut file);
    Ok(Cow::Owned(file))
}

fn lower_variable(variable: &mut Variable, file: &mut File, format: Format) -> Result<()> {
    if variable.data_type == DataType::String {
        let Data::Values(Values::String(strings)) = &variable.data else {
            return Err(refused("strings that are written in blocks need the format netcdf4".into()));
        };
        let length = strings.iter().map(String::len).max().unwrap_or(0).max(1);
        let mut bytes = Vec::with_capacity(strings.len() * length);
        for string in strings {
            bytes.extend_from_slice(string.as_bytes());
            bytes.resize(bytes.len() + length - string.len(), 0);
        }
        let name = format!("strlen{length}");
        file.add_dimension(&name, length as u64);
        variable.dimensions.push(name);
        variable.data_type = DataType::Char;
        variable.data = Data::Values(Values::Char(bytes));
        variable.attributes.remove("_FillValue");
    } else if format == Format::Classic {
        if let Data::Values(values) = &variable.data {
            let lowered = narrow(values)?;
            variable.data_type = lowered.data_type();
            variable.data = Data::Values(lowered);
        } else if narrowed(variable.data_type) != variable.data_type {
            let message = format!("CDF-2 has no type {}; use format cdf5 or netcdf4", variable.data_type);
            return Err(refused(message));
        }
    }
    let names: Vec<String> = variable.attributes.iter().map(|a| a.name.clone()).collect();
    for name in names {
        if let Some(value) = variable.attributes.get(&name) {
            let mut value = attribute(&name, value, format)?;
            if name == "_FillValue" && value.data_type() != variable.data_type {
                value = cast_fill(&value, variable.data_type)?;
            }
            variable.attributes.set(&name, value);
        }
    }
    Ok(())
}

/// Makes the record dimension a fixed one if it is not the first of some variable: in a classic file it must be.
fn order_records(file: &mut File) {
    for d in 0..file.dimensions.len() {
        let name = &file.dimensions[d].name;
        let late = file.variables.iter().any(|v| v.dimensions.iter().skip(1).any(|n| n == name));
        file.dimensions[d].unlimited &= !late;
    }
}

fn attribute(name: &str, value: &Values, format: Format) -> Result<Values> {
    match value {
        Values::String(list) => Ok(Values::Char(list.join(" ").into_bytes())),
        numbers if format == Format::Classic => {
            narrow(numbers).map_err(|e| Error::new(e.kind(), format!("attribute '{name}': {}", e.message())))
        }
        other => Ok(other.clone()),
    }
}

fn cast_fill(value: &Values, to: DataType) -> Result<Values> {
    match (to, value.int_at(0)) {
        (DataType::I32, Some(x)) if i32::try_from(x).is_ok() => Ok(Values::I32(vec![x as i32])),
        _ => Err(refused(format!("_FillValue does not fit type {to}"))),
    }
}

fn narrowed(data_type: DataType) -> DataType {
    match data_type {
        DataType::U8 | DataType::U16 | DataType::U32 | DataType::I64 | DataType::U64 => DataType::I32,
        other => other,
    }
}

fn narrow(values: &Values) -> Result<Values> {
    if narrowed(values.data_type()) == values.data_type() {
        return Ok(values.clone());
    }
    let convert = |i: usize| values.int_at(i).and_then(|x| i32::try_from(x).ok());
    let narrow: Option<Vec<i32>> = (0..values.len()).map(convert).collect();
    narrow.map(Values::I32).ok_or_else(|| {
        let message = format!(
            "CDF-2 has no type {} and the values do not fit int; use format cdf5 or netcdf4",
            values.data_type()
        );
        refused(message)
    })
}

fn refused(message: String) -> Error {
    Error::new(Kind::Unsupported, message)
}

#[cfg(test)]
mod tests {
    use super::super::description::Group;
    use super::*;

    #[test]
    fn strings_become_characters_and_long_integers_short_ones() {
        let mut file = Group::default();
        file.add_dimension("n", 2);
        let strings = Values::String(vec!["ab".into(), "xyz".into()]);
        file.variables.push(Variable::with_values("s", &["n"], strings));
        file.variables.push(Variable::with_values("m", &["n"], Values::I64(vec![1, -2])));
        let low = lower(&file, Format::Classic).unwrap();
        assert_eq!(low.variables[0].data, Data::Values(Values::Char(b"ab\0xyz".to_vec())));
        assert_eq!(low.variables[0].dimensions, ["n", "strlen3"]);
        assert_eq!(low.variables[1].data, Data::Values(Values::I32(vec![1, -2])));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut file = Group::default();
        file.variables.push(Variable::with_values("m", &[], Values::I64(vec![1 << 40])));
        assert_eq!(lower(&file, Format::Classic).unwrap_err().kind(), Kind::Unsupported);
        assert!(lower(&file, Format::Cdf5).is_ok());
        file.groups.push(Group { name: "g".into(), ..Group::default() });
        assert_eq!(lower(&file, Format::Cdf5).unwrap_err().kind(), Kind::Unsupported);
    }
}
