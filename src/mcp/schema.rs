//! JSON schemas of tool parameters, reduced to the fields that agents need.

use cerberus_model::{MemoryStatus, MemoryType, PinScope, Priority};
use rmcp::model::JsonObject;
use rmcp::schemars::generate::SchemaSettings;
use rmcp::schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::Value;

use crate::commands::review::reader::ANSWER_SCHEMA;

/// Returns the documentation of a parameter type, on one line, and its schema.
pub(super) fn of<P: JsonSchema>() -> (String, JsonObject) {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<P>()
        .to_value();
    reduce(&mut schema);
    let Value::Object(mut schema) = schema else {
        return Default::default();
    };
    let description = schema.remove("description").unwrap_or_default();
    let description = description.as_str().unwrap_or_default().replace('\n', " ");
    schema
        .entry("properties")
        .or_insert_with(|| Value::Object(JsonObject::new()));
    (description, schema)
}

/// Declares schemas of enums, which list their spellings.
macro_rules! spellings {
    ($($name:ident: $type:ty),*) => {$(
        pub(super) fn $name(_: &mut SchemaGenerator) -> Schema {
            let spellings: Vec<&str> = <$type>::ALL.iter().map(|keyword| keyword.as_str()).collect();
            json_schema!({ "type": "string", "enum": spellings })
        }
    )*};
}

spellings! { memory_type: MemoryType, memory_status: MemoryStatus, pin_scope: PinScope, priority: Priority }

/// Returns the schema of the answers about rules.
pub(super) fn rule_answers(_: &mut SchemaGenerator) -> Schema {
    let schema: Value = serde_json::from_str(ANSWER_SCHEMA).unwrap_or_default();
    Schema::try_from(schema["properties"]["rules"].clone()).unwrap_or_default()
}

/// Removes titles, number formats, default values and the type `null` of optional fields.
fn reduce(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    for key in ["format", "minimum", "additionalProperties"] {
        map.remove(key);
    }
    // A property may be called `title`.
    if let Some(Value::String(_)) = map.get("title") {
        map.remove("title");
    }
    let is_empty = match map.get("default") {
        Some(Value::Null | Value::Bool(false)) => true,
        Some(Value::Array(list)) => list.is_empty(),
        _ => false,
    };
    if is_empty {
        map.remove("default");
    }
    if let Some(Value::Array(types)) = map.get("type")
        && let Some(only) = types.iter().find(|name| *name != "null").cloned()
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

    /// Search for it,
    /// and for others
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
        let (description, schema) = of::<Sample>();
        assert_eq!(description, "Search for it, and for others");
        assert_eq!(Value::Object(schema), expected);
    }
}
