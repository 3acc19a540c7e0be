//! The parts of a JSON text that is known to be valid, as they are written: nothing is parsed or copied.

/// Returns the value of a member of an object; of several with the same name, the last. `None` if it has none.
pub(super) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut members = parts(object.trim_ascii().strip_prefix('{')?);
    let mut found = None;
    // The first part of a member is its name, in quotes, and the second its value.
    while let (Some(key), Some(value)) = (members.next(), members.next()) {
        // A name may be written with escapes, of at most six characters each.
        let short = key.len() <= 6 * name.len() + 2;
        if short && serde_json::from_str::<String>(key).is_ok_and(|key| key == name) {
            found = Some(value);
        }
    }
    found
}

/// Returns the elements of a list.
pub(super) fn elements(list: &str) -> impl Iterator<Item = &str> {
    parts(list.trim_ascii().strip_prefix('[').unwrap_or_default())
}

/// Returns what commas and colons separate, up to the bracket that closes the list or object.
fn parts(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (mut depth, mut text, mut escape) = (0usize, false, false);
        for (i, byte) in rest.bytes().enumerate() {
            match byte {
                _ if escape => escape = false,
                b'\\' if text => escape = true,
                b'"' => text = !text,
                _ if text => {}
                b'[' | b'{' => depth += 1,
                b',' | b':' | b']' | b'}' if depth == 0 => {
                    let part = rest[..i].trim_ascii();
                    rest = if matches!(byte, b']' | b'}') { "" } else { &rest[i + 1..] };
                    return (!part.is_empty()).then_some(part);
                }
                b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn members_and_elements_are_found_as_they_are_written() {
        let text = r#" { "a,}" : "x:]\"," , "l":[1, {"a":[2,3]} ,"]"] ,"e":[ ],"\u0062ase":"q", "e":[0]} "#;
        assert_eq!(member(text, "a,}"), Some(r#""x:]\",""#));
        let list: Vec<&str> = elements(member(text, "l").unwrap()).collect();
        assert_eq!(list, ["1", r#"{"a":[2,3]}"#, r#""]""#]);
        assert_eq!((member(text, "base"), member(text, "none")), (Some(r#""q""#), None));
        assert_eq!(member(text, "e"), Some("[0]"));
        assert_eq!((elements("[ ]").count(), member("{}", "a"), member("[1]", "a")), (0, None, None));
    }

    fn json() -> impl Strategy<Value = Value> {
        let text = r#"[a\\":,{}\[\] é]{0,6}"#;
        let leaf = prop_oneof![any::<i64>().prop_map(Value::from), text.prop_map(Value::from)];
        leaf.prop_recursive(3, 20, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(text, inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_part_is_found_as_a_parser_finds_it(value in json(), pretty in any::<bool>()) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            let parse = |part: &str| serde_json::from_str::<Value>(part).unwrap();
            match &value {
                Value::Object(map) => for (name, value) in map {
                    prop_assert_eq!(&parse(member(&text, name).unwrap()), value);
                },
                Value::Array(list) => {
                    prop_assert_eq!(&elements(&text).map(parse).collect::<Vec<_>>(), list);
                }
                _ => {}
            }
        }
    }
}
