//! The JSON Schemas in `docs/reference/schemas`, compared with real documents.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::mcp::Client;
use crate::review_with;
use crate::sandbox::Sandbox;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/schemas")
}

fn schema(name: &str) -> Value {
    let path = folder().join(format!("{name}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
    serde_json::from_str(&text).expect("JSON")
}

/// Adds where a value differs from its schema. A member that the schema does not describe is a
/// fault too: the schemas are the documentation.
fn compare(value: &Value, schema: &Value, at: &str, faults: &mut Vec<String>) {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let allowed = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect::<Vec<_>>(),
    };
    let is_number = kind == "integer" && allowed.contains(&"number");
    if !is_number && !allowed.contains(&kind) {
        faults.push(format!("{at}: {kind} is not {allowed:?}"));
    }
    for (idx, item) in value.as_array().into_iter().flatten().enumerate() {
        compare(item, &schema["items"], &format!("{at}[{idx}]"), faults);
    }
    let Some(object) = value.as_object() else {
        return;
    };
    for key in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !object.contains_key(key) {
            faults.push(format!("{at}: `{key}` is missing"));
        }
    }
    for (key, member) in object {
        let others = schema
            .get("additionalProperties")
            .filter(|it| it.is_object());
        match schema["properties"].get(key).or(others) {
            Some(schema) => compare(member, schema, &format!("{at}.{key}"), faults),
            None => faults.push(format!("{at}: `{key}` is not described")),
        }
    }
}

#[track_caller]
fn check(sandbox: &Sandbox, name: &str, line: &str) -> String {
    let mut faults = Vec::new();
    compare(&sandbox.json(line), &schema(name), name, &mut faults);
    assert!(faults.is_empty(), "cerberus {line}:\n{}", faults.join("\n"));
    name.to_owned()
}

#[test]
fn documents_have_the_form_of_their_schemas() {
    let sandbox = Sandbox::anchored();
    sandbox.write(
        "AGENTS.md",
        "# Rules\n\n- Escape all HTML in `web/html.ts`.\n\nPlain text.\n",
    );
    sandbox.commit("rules");
    let mut checked: BTreeSet<String> = [
        ("memory-add", "memory add \"Be kind\" --id kind --no-anchor"),
        (
            "memory-add",
            "memory add \"Hash the password with a fresh salt\" --id salt",
        ),
        ("memory-show", "memory show"),
        ("memory-show", "memory show hash kind"),
        ("memory-show", "memory show --anchored --full"),
        ("memory-search", "memory search password"),
        (
            "memory-search",
            "memory search password --content --explain",
        ),
        ("memory-read", "memory read hash"),
        (
            "memory-anchor-test",
            "memory anchor-test \"hash the password\" --explain",
        ),
        (
            "memory-anchor-test",
            "memory anchor-test \"no such thing at all\"",
        ),
        ("memory-linked", "memory linked web/html.ts"),
        ("memory-linked", "memory linked web/html.ts html"),
        ("memory-inject", "memory inject"),
        (
            "memory-inject",
            "memory inject --file web/html.ts --explain",
        ),
        ("memory-reanchor", "memory reanchor --check"),
        ("import", "memory import --dry-run"),
        ("check", "check --all"),
        ("setup", "setup claude git"),
        ("setup", "setup claude --yes"),
        ("doctor", "doctor"),
    ]
    .iter()
    .map(|(name, line)| check(&sandbox, name, line))
    .collect();
    sandbox.git("mv web/html.ts web/markup.ts");
    sandbox.commit("a move");
    for (name, line) in [
        ("memory-reanchor", "memory reanchor --check"),
        ("memory-show", "memory show --anchored"),
        ("check", "check"),
        ("check", "check --since HEAD~1"),
        ("doctor", "doctor"),
        ("memory-reanchor", "memory reanchor"),
    ] {
        checked.insert(check(&sandbox, name, line));
    }
    checked.extend(agent_documents());
    let files = std::fs::read_dir(folder()).expect("a folder");
    let files = files.map(|it| {
        it.expect("an entry")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    let named: BTreeSet<String> = files
        .filter_map(|file| Some(file.strip_suffix(".schema.json")?.to_owned()))
        .collect();
    assert_eq!(named, checked, "each schema is compared with a document");
}

#[test]
fn the_data_of_tools_have_the_form_of_the_schemas() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "# Rules\n\n- Escape HTML in `web/html.ts`.\n");
    sandbox.write(
        ".memories/about.md",
        "---\ntype: fact\n---\n## Part\nEscape text as [[web/html.ts]] does it.\n",
    );
    sandbox.commit("rules");
    sandbox.git("mv web/html.ts web/markup.ts");
    let mut client = Client::new(&sandbox);
    for (tool, arguments, name) in [
        (
            "search_linked_memories",
            json!({ "target_document": "web/html.ts" }),
            "memory-linked",
        ),
        ("read_memory", json!({ "id": "about" }), "memory-read"),
        (
            "read_memory",
            json!({ "id": "about", "anchors": ["part"] }),
            "memory-read",
        ),
        (
            "search_memories",
            json!({ "query": "escape", "sections": ["part"], "includeContent": true }),
            "memory-search",
        ),
        ("check_documents", json!({}), "check"),
        (
            "reanchor_memories",
            json!({ "check": true }),
            "memory-reanchor",
        ),
        (
            "find_anchor",
            json!({ "rule": "hash the password" }),
            "memory-anchor-test",
        ),
        (
            "create_memory",
            json!({ "content": "Hash the password with a fresh salt" }),
            "memory-add",
        ),
    ] {
        let mut data = client.call(tool, arguments);
        let members = data.as_object_mut().expect("an object");
        assert!(members.remove("about").is_some(), "{tool}");
        let mut schema = schema(name);
        // What an answer for a model omits, as docs/reference/json.md says.
        if let Some(required) = schema["required"].as_array_mut() {
            required.retain(|key| !OMITTED.contains(&key.as_str().unwrap_or_default()));
        }
        let mut faults = Vec::new();
        compare(&data, &schema, tool, &mut faults);
        assert!(faults.is_empty(), "{tool}:\n{}", faults.join("\n"));
        if tool == "search_linked_memories" {
            let reason = &data["memories"][0]["reasons"][0];
            assert!(
                reason["context"].is_string() && reason["line"].is_u64(),
                "{reason}"
            );
        }
    }
}

/// Members that the data of some tools do not have.
const OMITTED: [&str; 5] = ["anchor", "documents", "elapsedMs", "evidence", "outdated"];

/// Compares the documents of a review by an agent with their schemas.
fn agent_documents() -> Vec<String> {
    let sandbox = review_with::project(&[review_with::described()]);
    let line = |arguments: &str| review_with::line(&sandbox, arguments);
    let mut faults = Vec::new();
    let answer = schema("memory-review-answer");
    compare(
        &review_with::described(),
        &answer,
        "memory-review-answer",
        &mut faults,
    );
    assert_eq!(faults, [""; 0]);
    let plan = sandbox.json(&line("--dry-run"));
    assert_eq!(plan["request"]["answerSchema"], answer);
    check(&sandbox, "memory-review-with", &line("--dry-run"));
    vec![
        check(&sandbox, "memory-review-with", &line("--max-tokens 1000")),
        check(&sandbox, "memory-review-with", &line("escape --dry-run")),
        "memory-review-answer".to_owned(),
    ]
}

#[test]
fn a_document_of_another_form_is_a_fault() {
    let mut value = serde_json::json!({ "ok": true, "summary": 1, "findings": [{}], "more": 1 });
    let mut faults = Vec::new();
    compare(&value, &schema("check"), "check", &mut faults);
    let text = faults.join("\n");
    for fault in [
        "check.summary: integer is not",
        "`warnings` is missing",
        "`more` is not",
        "[0]: `",
    ] {
        assert!(text.contains(fault), "{text}");
    }
    value["ok"] = "yes".into();
    faults.clear();
    compare(&value, &schema("check"), "check", &mut faults);
    assert!(
        faults
            .iter()
            .any(|fault| fault.starts_with("check.ok: string"))
    );
}
