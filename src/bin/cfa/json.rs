//! Converts values, attributes and errors to JSON.

use cfa::{Error, Values};
use serde_json::{json, Value};

/// Returns JSON as text: on one line, or with `indented` for people to read. It has no characters that act on a
/// terminal.
pub fn printed(value: &Value, indented: bool) -> String {
    cfa::text::escaped_json(&if indented { format!("{value:#}") } else { value.to_string() })
}

/// Returns an error as `{"error": category, "message": text}`.
pub fn error(error: &Error) -> Value {
    json!({"error": error.kind().category(), "message": error.to_string()})
}

/// Returns a floating-point number; those that JSON cannot express become words.
pub fn float(x: f64) -> Value {
    if x.is_nan() {
        json!("NaN")
    } else if x.is_infinite() {
        json!(if x > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(x)
    }
}

/// Returns element `i` of some values. A float32 is written as the double that it equals.
pub fn element(values: &Values, i: usize) -> Value {
    match values {
        Values::String(list) => json!(list[i]),
        Values::Char(bytes) => match bytes[i] {
            0 => json!(""),
            byte => json!(char::from(byte).to_string()),
        },
        Values::I64(list) => json!(list[i]),
        Values::U64(list) => json!(list[i]),
        Values::F32(list) => float(list[i].into()),
        Values::F64(list) => float(list[i]),
        other => other.int_at(i).map_or(Value::Null, |x| json!(x as i64)),
    }
}

/// Returns an attribute's value: text, one number, or a list.
pub fn attribute(values: &Values) -> Value {
    if let Some(text) = values.as_text() {
        return json!(text);
    }
    match values.len() {
        1 => element(values, 0),
        n => (0..n).map(|i| element(values, i)).collect(),
    }
}
