//! The files of the agents.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;

#[test]
fn each_file_says_where_its_facts_are_from() {
    for agent in Agent::all() {
        let mut keys = BTreeSet::new();
        for source in &agent.source {
            assert!(
                source.url.contains('/') && source.read.starts_with("20"),
                "{source:?}"
            );
            keys.extend(source.about.iter().map(String::as_str));
        }
        for (key, is_there) in [
            ("signs", !agent.signs.is_empty()),
            ("settings", !agent.settings.is_empty()),
            ("hooks", agent.hooks.is_some()),
            ("hooks_of", agent.hooks_of.is_some()),
            ("loads", agent.loads.is_some()),
            ("limit", !agent.limit.is_empty()),
            ("headless", agent.headless.is_some()),
        ] {
            assert_eq!(keys.contains(key), is_there, "`{key}` of {}", agent.name);
        }
    }
}

#[test]
fn the_documentation_has_the_files_of_each_agent() {
    let page = include_str!("../../docs/how-to/agents.md");
    for agent in Agent::all() {
        let mut files: Vec<&String> = Vec::new();
        files.extend(agent.settings.iter().map(|settings| &settings.file));
        files.extend(agent.hooks.iter().map(|hooks| &hooks.file));
        for file in files {
            assert!(page.contains(file), "`{file}` of {}", agent.name);
        }
    }
}

#[test]
fn a_client_is_known_by_a_part_of_its_name() {
    let name = |client: &str| Agent::of_client(client).map(|agent| agent.name);
    assert_eq!(name("Claude-Code"), Some("claude"));
    assert_eq!(name("gemini-cli-mcp-client"), Some("gemini"));
    assert_eq!(name("x"), None);
}

#[test]
fn a_text_of_a_file_is_there() {
    let mut names = Vec::new();
    for agent in Agent::all() {
        for settings in &agent.settings {
            if let Write::Block(text) = &settings.write {
                names.push(text);
            }
        }
        if let Some(hooks) = &agent.hooks
            && let WriteHooks::Whole(text) | WriteHooks::Script(text) = &hooks.write
        {
            names.push(text);
        }
    }
    assert!(names.len() >= TEXTS.len());
    for name in names {
        assert!(!name.text().is_empty(), "{name:?}");
    }
}

#[test]
fn an_answer_has_the_event_and_the_text_in_the_form_of_the_agent() {
    let hooks = |name: &str| {
        Agent::named(name)
            .and_then(|agent| agent.hooks.as_ref())
            .expect(name)
    };
    let parsed = |text: Option<String>| -> serde_json::Value {
        serde_json::from_str(&text.expect("a form")).expect("JSON")
    };
    let context = json!({ "hookEventName": "PreToolUse", "additionalContext": "a \"{text}\"" });
    let expected = json!({ "hookSpecificOutput": context });
    assert_eq!(
        parsed(hooks("claude").context("edit", "a \"{text}\"")),
        expected
    );
    let copilot = parsed(hooks("copilot").context("edit", "a"));
    assert_eq!(
        copilot["hookSpecificOutput"]["hookEventName"],
        "PostToolUse"
    );
    let gemini = parsed(hooks("gemini").context("prompt", "a"));
    assert_eq!(gemini["hookSpecificOutput"]["hookEventName"], "BeforeAgent");
    let deny = json!({ "decision": "deny", "reason": "no" });
    assert_eq!(parsed(hooks("gemini").deny("no")), deny);
    assert_eq!(hooks("opencode").context("edit", "a"), None);
}

#[test]
fn a_property_without_a_text_is_omitted() {
    let form: toml::Table =
        toml::from_str("a = '{tools}'\nb = ['x{tools}', '{command}']").expect("TOML");
    let placeholders = [
        Placeholder {
            name: "{tools}",
            text: None,
        },
        Placeholder {
            name: "{command}",
            text: Some("c"),
        },
    ];
    let filled = filled(&toml::Value::Table(form), &placeholders);
    assert_eq!(filled, r#"{"b":["x{tools}","c"]}"#);
}
