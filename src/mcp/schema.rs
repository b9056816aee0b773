//! The schemas of parameters, from their types, without what costs tokens and says nothing.

use rmcp::model::JsonObject;
use rmcp::schemars::generate::SchemaSettings;
use rmcp::schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;

/// Returns the schema of a type's parameters.
pub(super) fn of<P: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<P>().to_value();
    shorten(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.remove("description");
            schema.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
            schema
        }
        _ => JsonObject::new(),
    }
}

/// Returns the schema of a value with one of these spellings.
pub(super) fn one_of(spellings: &[&str]) -> Schema {
    json_schema!({ "type": "string", "enum": spellings })
}

/// Takes away titles, widths of numbers, and that what may be left out may be null too.
fn shorten(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for key in ["title", "format", "minimum", "additionalProperties"] {
        if key != "title" || map.get(key).is_some_and(Value::is_string) {
            map.remove(key);
        }
    }
    if map.get("default").is_some_and(|default| {
        default.is_null() || *default == Value::Bool(false) || *default == Value::Array(Vec::new())
    }) {
        map.remove("default");
    }
    if let Some(Value::Array(types)) = map.get("type")
        && let Some(only) = types.iter().find(|it| *it != "null").cloned()
    {
        map.insert("type".to_owned(), only);
    }
    for key in ["items", "additionalItems"] {
        if let Some(inner) = map.get_mut(key) {
            shorten(inner);
        }
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(shorten);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[schemars(crate = "rmcp::schemars")]
    #[expect(dead_code, reason = "only its schema counts")]
    struct Sample {
        /// What to look for
        query: String,
        #[schemars(default)]
        tags: Vec<String>,
        limit: Option<usize>,
    }

    #[test]
    fn a_schema_says_what_is_needed_and_no_more() {
        let expected = serde_json::json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "What to look for" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "limit": { "type": "integer" },
            },
            "required": ["query"],
        });
        assert_eq!(Value::Object(of::<Sample>()), expected);
    }
}
