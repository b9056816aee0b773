//! JSON schemas of tool parameters, reduced to the fields that agents need.

use rmcp::model::JsonObject;
use rmcp::schemars::generate::SchemaSettings;
use rmcp::schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;

/// Returns the schema of a parameter type.
pub(super) fn of<P: JsonSchema>() -> JsonObject {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<P>().to_value();
    reduce(&mut schema);
    match schema {
        Value::Object(mut schema) => {
            schema.remove("description");
            schema.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
            schema
        }
        _ => JsonObject::new(),
    }
}

/// Returns the schema of an enum with these spellings.
pub(super) fn one_of(spellings: &[&str]) -> Schema {
    json_schema!({ "type": "string", "enum": spellings })
}

/// Removes titles, number formats, default values and the type `null` of optional fields.
fn reduce(schema: &mut Value) {
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
            reduce(inner);
        }
    }
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(reduce);
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
    fn schemas_have_no_redundant_fields() {
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
