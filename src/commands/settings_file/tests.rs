//! The format of the settings of each tool, as in its document, and what a merge changes.

use cerberus_bank::ops::managed_block;

use super::*;
use crate::agents::Agent;

fn merge(tool: &str, old: &[u8], layout: Layout) -> Result<Edited, String> {
    let agent = Agent::named(tool).expect(tool);
    let hooks = agent.hooks.as_ref().expect("it has hooks");
    Content::of_hooks(agent, hooks).merge(old, layout)
}

/// The content of the first settings of an agent, which have its server.
fn server(agent: &str) -> Content<'static> {
    Content::of(&Agent::named(agent).expect(agent).settings[0].write)
}

#[track_caller]
fn check(tool: &str, old: &str, expected: &str) {
    let text = |merged: Edited| String::from_utf8(merged.text).expect("text");
    let new = merge(tool, old.as_bytes(), Layout::Like).map(text);
    assert_eq!(new.as_deref(), Ok(expected));
    let again = merge(tool, expected.as_bytes(), Layout::Like).map(text);
    assert_eq!(again.as_deref(), Ok(expected), "idempotent");
}

fn merged(tool: &str, old: &str) -> String {
    let merged = merge(tool, old.as_bytes(), Layout::Like).expect("merged");
    String::from_utf8(merged.text).expect("text")
}

const TOOLS: [&str; 7] = [
    "claude", "codex", "gemini", "cursor", "copilot", "opencode", "git",
];

/// Returns the settings as JSON.
fn json(tool: &str) -> serde_json::Value {
    serde_json::from_str(&merged(tool, "")).expect("JSON")
}

/// Fails if an object has other keys than `required` and `optional`.
#[track_caller]
fn check_keys(value: &serde_json::Value, required: &[&str], optional: &[&str]) {
    let object = value.as_object().expect("an object");
    for key in required {
        assert!(object.contains_key(*key), "no `{key}` in {value}");
    }
    for key in object.keys() {
        assert!(
            required.contains(&&**key) || optional.contains(&&**key),
            "`{key}` in {value}"
        );
    }
}

const MOMENTS: &[&str] = &[
    "SessionStart",
    "SubagentStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "Stop",
];

// The formats below are those of the documents that the files of the agents cite.

#[test]
fn groups_have_the_format_of_claude_code_codex_and_gemini() {
    for (tool, events, names) in [
        ("claude", MOMENTS, &[][..]),
        ("codex", MOMENTS, &[]),
        (
            "gemini",
            &["SessionStart", "BeforeAgent", "BeforeTool", "AfterTool"],
            &["name"],
        ),
    ] {
        let settings = json(tool);
        check_keys(&settings, &["hooks"], &[]);
        check_keys(&settings["hooks"], events, &[]);
        for group in events
            .iter()
            .flat_map(|event| settings["hooks"][event].as_array())
            .flatten()
        {
            check_keys(group, &["hooks"], &["matcher"]);
            for hook in group["hooks"].as_array().expect("hooks") {
                check_keys(hook, &["type", "command", "timeout"], names);
                assert_eq!(hook["type"], "command");
                // Seconds, or milliseconds for Gemini CLI.
                let unit = if tool == "gemini" { 1000 } else { 1 };
                assert_eq!(hook["timeout"], 30 * unit);
            }
        }
    }
}

#[test]
fn entries_have_the_format_of_cursor_and_copilot() {
    const COPILOT: &[&str] = &[
        "sessionStart",
        "subagentStart",
        "userPromptSubmitted",
        "preToolUse",
        "postToolUse",
        "preCompact",
        "agentStop",
    ];
    for (tool, events, required) in [
        (
            "cursor",
            &["sessionStart", "beforeShellExecution", "postToolUse"][..],
            &["command"][..],
        ),
        ("copilot", COPILOT, &["type", "bash", "timeoutSec"]),
    ] {
        let settings = json(tool);
        check_keys(&settings, &["version", "hooks"], &[]);
        assert_eq!(settings["version"], 1);
        check_keys(&settings["hooks"], events, &[]);
        for event in events {
            for hook in settings["hooks"][event].as_array().expect("hooks") {
                check_keys(hook, required, &["matcher"]);
            }
        }
    }
}

#[test]
fn every_command_tolerates_a_missing_cerberus_and_a_failure() {
    for tool in TOOLS {
        for command in merged(tool, "")
            .lines()
            .filter(|line| line.contains("cerberus hooks run"))
        {
            if tool == "git" {
                assert!(command.ends_with(" || true"), "{command}");
            } else {
                let guard = "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run ";
                assert!(
                    command.contains(guard) && command.contains(" || true"),
                    "{command}"
                );
            }
        }
    }
}

#[test]
fn other_settings_are_preserved() {
    check(
        "cursor",
        "{\n    // comment\n    \"z\": 1,\n    \"hooks\": {\"stop\": []},\n    \"a\": [1,  2]\n}",
        r#"{
    // comment
    "z": 1,
    "hooks": {
        "stop": [],
        "sessionStart": [
            {
                "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor session-start || true"
            }
        ],
        "beforeShellExecution": [
            {
                "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor command || true"
            }
        ],
        "postToolUse": [
            {
                "command": "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor edit || true",
                "matcher": "Write|StrReplace|Edit"
            }
        ]
    },
    "a": [1,  2],
    "version": 1
}"#,
    );
}

#[test]
fn edited_hooks_stay_and_are_reported() {
    let edited = r#"{"hooks":{"sessionStart":[{"command":"cd x && cerberus hooks run cursor session-start --budget 9"}]},"version":1}"#;
    let new = merge("cursor", edited.as_bytes(), Layout::Like).expect("merged");
    assert_eq!(
        new.edited,
        ["cd x && cerberus hooks run cursor session-start --budget 9"]
    );
    let text = String::from_utf8(new.text).expect("text");
    assert!(
        text.contains("--budget 9") && !text.contains("session-start ||"),
        "{text}"
    );
    assert!(text.contains("cerberus hooks run cursor edit"), "{text}");
    // Another time limit is an edit too.
    let slow = merged("codex", "").replace("\"timeout\": 30", "\"timeout\": 5");
    let new = merge("codex", slow.as_bytes(), Layout::Like).expect("merged");
    assert_eq!(
        (new.edited.len(), String::from_utf8(new.text)),
        (8, Ok(slow))
    );
    // An unrelated hook with the name of cerberus in its path is not one of cerberus.
    let other = r#"{"hooks":{"sessionStart":[{"command":"~/src/cerberus/edit.sh"}]}}"#;
    let new = merge("cursor", other.as_bytes(), Layout::Like).expect("merged");
    assert!(new.edited.is_empty() && new.text.len() > other.len() + 100);
}

#[test]
fn the_block_is_at_the_start_of_a_script() {
    let block = format!(
        "{}\n{}{}\n",
        managed_block::SCRIPT.start,
        include_str!("../../agents/pre-commit.sh"),
        managed_block::SCRIPT.end
    );
    check("git", "", &format!("#!/bin/sh\n{block}"));
    check(
        "git",
        "#!/usr/bin/env bash\nexec make lint",
        &format!("#!/usr/bin/env bash\n\n{block}exec make lint"),
    );
    let old = format!("#!/bin/sh\n{block}make lint\n");
    check("git", &old, &old);
    let edited = old.replace("|| true", "|| exit 1");
    let new = merge("git", edited.as_bytes(), Layout::Like).expect("merged");
    assert_eq!((new.edited.len(), new.text), (1, edited.into_bytes()));
}

#[test]
fn the_plugin_is_the_whole_file() {
    check("opencode", "", include_str!("../../agents/opencode.js"));
    let edited = format!("{}// mine\n", include_str!("../../agents/opencode.js"));
    let new = merge("opencode", edited.as_bytes(), Layout::Like).expect("merged");
    assert_eq!((new.edited.len(), new.text), (1, edited.into_bytes()));
    assert!(merge("opencode", b"export const A = 1", Layout::Like).is_err());
}

#[test]
fn invalid_files_are_an_error() {
    for (tool, old, why) in [
        ("claude", "{\"a\": }", "it is not valid JSON"),
        ("claude", "[]", "it is not a JSON object"),
        ("claude", "{\"hooks\": []}", "its `hooks` is not an object"),
        (
            "codex",
            "{\"hooks\": {\"SessionStart\": 1}}",
            "its `SessionStart` is not an array",
        ),
        ("git", "#!/usr/bin/env python\n", "it is not a shell script"),
        ("git", "\u{7f}ELF", "it is not a shell script"),
    ] {
        let error = merge(tool, old.as_bytes(), Layout::Like).expect_err("refused");
        assert!(error.starts_with(why), "{error}");
    }
}

const JSON_CLIENTS: [&str; 7] = [
    "claude",
    "cursor",
    "vscode",
    "gemini",
    "antigravity",
    "copilot",
    "opencode",
];

#[test]
fn each_client_gets_its_own_format_of_a_server() {
    let json = |client: &str| -> serde_json::Value {
        let merged = server(client).merge(b"", Layout::Like).expect("merged");
        serde_json::from_slice(&merged.text).expect("JSON")
    };
    let expected = serde_json::json!(["mcp"]);
    for client in ["claude", "cursor", "gemini", "copilot"] {
        assert_eq!(json(client)["mcpServers"]["cerberus"]["args"], expected);
    }
    let tools = &json("copilot")["mcpServers"]["cerberus"]["tools"];
    assert_eq!(*tools, serde_json::json!(["*"]));
    assert_eq!(json("vscode")["servers"]["cerberus"]["type"], "stdio");
    let command = serde_json::json!(["cerberus", "mcp"]);
    assert_eq!(json("opencode")["mcp"]["cerberus"]["command"], command);
    let merged = server("codex").merge(b"", Layout::Like).expect("merged");
    let expected = "[mcp_servers.cerberus]\ncommand = \"cerberus\"\nargs = [\"mcp\"]\n";
    assert_eq!(String::from_utf8_lossy(&merged.text), expected);
}

#[test]
fn a_removal_restores_every_byte_of_a_file_with_other_settings() {
    for client in JSON_CLIENTS {
        let content = server(client);
        for old in [
            "{\n  // why\n  \"a\": [1,  2], // one\n  \"b\": { \"c\": 1 }\n}\n",
            "{\n\t\"a\": 1, /* last */\n}",
            "{\r\n    \"z\": {\r\n        \"y\": 1\r\n    }\r\n}\r\n",
            "{\n  \"mcpServers\": {\n    \"x\": { \"command\": \"y\" }\n  },\n  \"servers\": {\n    \"x\": 1,\n  },\n  \"mcp\": {\n    \"x\": 1 // one\n  }\n}\n",
        ] {
            let new = content.merge(old.as_bytes(), Layout::Like).expect("merged");
            assert_ne!(new.text, old.as_bytes());
            let again = content.merge(&new.text, Layout::Like);
            assert_eq!(again.as_ref(), Ok(&new), "idempotent");
            let back = content.remove(&new.text, false).expect("removed");
            assert_eq!(String::from_utf8_lossy(&back.text), old, "{client}");
        }
        let new = content.merge(b"", Layout::Like).expect("created");
        let back = content.remove(&new.text, false);
        assert_eq!(back, Ok(Edited::new(Vec::new())));
    }
}

#[test]
fn a_server_with_other_settings_stays() {
    for client in JSON_CLIENTS.into_iter().chain(["codex"]) {
        let content = server(client);
        let old = content.merge(b"", Layout::Like).expect("created").text;
        let core = String::from_utf8_lossy(&old).replace("\"mcp\"]", "\"mcp\", \"--tools\"]");
        let expected = core.clone().into_bytes();
        let merged = content.merge(core.as_bytes(), Layout::Like).expect("valid");
        assert_eq!(
            (merged.edited.len(), &merged.text),
            (1, &expected),
            "{client}"
        );
        let removed = content.remove(core.as_bytes(), false).expect("valid");
        assert_eq!(
            (removed.edited.len(), &removed.text),
            (1, &expected),
            "{client}"
        );
    }
}

#[test]
fn lines_at_the_end_of_a_file_are_removed_to_the_byte() {
    let content = server("aider");
    for old in [
        "",
        "# mine\nmodel: x\n",
        "model: x",
        "model: x\r\ndark: true\r\n",
        "a: 1\r\nb: 2",
    ] {
        let new = content.merge(old.as_bytes(), Layout::Like).expect("merged");
        assert!(
            String::from_utf8_lossy(&new.text).contains("read: [AGENTS.md]"),
            "{old:?}"
        );
        let again = content.merge(&new.text, Layout::Like);
        assert_eq!(again.as_ref(), Ok(&new), "idempotent");
        let back = content.remove(&new.text, false).expect("removed");
        assert_eq!(String::from_utf8_lossy(&back.text), old);
    }
    for (old, why) in [
        (
            "read: CONVENTIONS.md\n",
            "it has `read` already: add `read: [AGENTS.md]` to it",
        ),
        ("\"read\" : CONVENTIONS.md\n", "it has `read` already"),
        (
            "{ model: x }\n",
            "its form has no place for lines at its end",
        ),
        (
            "model: x\n...\n",
            "its form has no place for lines at its end",
        ),
        ("- x\n", "it is not a YAML mapping: "),
        ("model: \"x\n", "it is not a YAML mapping: "),
    ] {
        let refused = content.merge(old.as_bytes(), Layout::Like).expect_err(old);
        assert!(refused.starts_with(why), "{old}: {refused}");
    }
    let edited = "# cerberus:start\nread: [AGENTS.md, x.md]\n# cerberus:end\n";
    for kept in [
        content.merge(edited.as_bytes(), Layout::Like),
        content.remove(edited.as_bytes(), false),
    ] {
        let kept = kept.expect("valid");
        assert_eq!(
            (kept.edited.len(), kept.text),
            (1, edited.as_bytes().to_vec())
        );
    }
}

#[test]
fn the_hooks_of_antigravity_have_its_two_forms_of_events() {
    let settings = json("antigravity");
    check_keys(&settings, &["cerberus"], &[]);
    let hooks = &settings["cerberus"];
    check_keys(hooks, &["PreInvocation"], &[]);
    let hook = &hooks["PreInvocation"][0];
    check_keys(hook, &["type", "command", "timeout"], &[]);
    assert!(hook["timeout"].is_i64());
}
