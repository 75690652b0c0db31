//! The places in a JSON document. Unit tests of the program use this file too.

use serde_json::Value;

/// All places in a JSON document, as pointers.
pub(crate) fn pointers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, here: &str, found: &mut Vec<String>) {
        found.push(here.to_owned());
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| walk(value, &format!("{here}/{name}"), found))
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, value)| walk(value, &format!("{here}/{index}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, "", &mut found);
    found
}
