//! The format of the settings of each tool, as in its document, and what a merge changes.

use super::*;

#[track_caller]
fn check(tool: HookTool, old: &str, expected: &str) {
    let text = |merged: Edited| String::from_utf8(merged.text).expect("text");
    let new = merge(tool, old.as_bytes(), Layout::Like).map(text);
    assert_eq!(new.as_deref(), Ok(expected));
    let again = merge(tool, expected.as_bytes(), Layout::Like).map(text);
    assert_eq!(again.as_deref(), Ok(expected), "idempotent");
}

fn merged(tool: HookTool, old: &str) -> String {
    let merged = merge(tool, old.as_bytes(), Layout::Like).expect("merged");
    String::from_utf8(merged.text).expect("text")
}

const TOOLS: [HookTool; 7] = [
    HookTool::Claude,
    HookTool::Codex,
    HookTool::Gemini,
    HookTool::Cursor,
    HookTool::Copilot,
    HookTool::Opencode,
    HookTool::Git,
];

/// Returns the settings as JSON.
fn json(tool: HookTool) -> serde_json::Value {
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

// The formats below are those of the documents that `entries` cites.

#[test]
fn groups_have_the_format_of_claude_code_codex_and_gemini() {
    for (tool, events, names) in [
        (HookTool::Claude, MOMENTS, &[][..]),
        (HookTool::Codex, MOMENTS, &[]),
        (
            HookTool::Gemini,
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
                let unit = if tool == HookTool::Gemini { 1000 } else { 1 };
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
            HookTool::Cursor,
            &["sessionStart", "beforeShellExecution", "postToolUse"][..],
            &["command"][..],
        ),
        (HookTool::Copilot, COPILOT, &["type", "bash", "timeoutSec"]),
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
            if tool == HookTool::Git {
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
        HookTool::Cursor,
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
    let new = merge(HookTool::Cursor, edited.as_bytes(), Layout::Like).expect("merged");
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
    let slow = merged(HookTool::Codex, "").replace("\"timeout\": 30", "\"timeout\": 5");
    let new = merge(HookTool::Codex, slow.as_bytes(), Layout::Like).expect("merged");
    assert_eq!(
        (new.edited.len(), String::from_utf8(new.text)),
        (8, Ok(slow))
    );
    // An unrelated hook with the name of cerberus in its path is not one of cerberus.
    let other = r#"{"hooks":{"sessionStart":[{"command":"~/src/cerberus/edit.sh"}]}}"#;
    let new = merge(HookTool::Cursor, other.as_bytes(), Layout::Like).expect("merged");
    assert!(new.edited.is_empty() && new.text.len() > other.len() + 100);
}

#[test]
fn the_block_is_at_the_start_of_a_script() {
    let block = format!(
        "{}\n{PRE_COMMIT}{}\n",
        managed_block::SCRIPT.start,
        managed_block::SCRIPT.end
    );
    check(HookTool::Git, "", &format!("#!/bin/sh\n{block}"));
    check(
        HookTool::Git,
        "#!/usr/bin/env bash\nexec make lint",
        &format!("#!/usr/bin/env bash\n\n{block}exec make lint"),
    );
    let old = format!("#!/bin/sh\n{block}make lint\n");
    check(HookTool::Git, &old, &old);
    let edited = old.replace("|| true", "|| exit 1");
    let new = merge(HookTool::Git, edited.as_bytes(), Layout::Like).expect("merged");
    assert_eq!((new.edited.len(), new.text), (1, edited.into_bytes()));
}

#[test]
fn the_plugin_is_the_whole_file() {
    check(HookTool::Opencode, "", OPENCODE_PLUGIN);
    let edited = format!("{OPENCODE_PLUGIN}// mine\n");
    let new = merge(HookTool::Opencode, edited.as_bytes(), Layout::Like).expect("merged");
    assert_eq!((new.edited.len(), new.text), (1, edited.into_bytes()));
    assert!(merge(HookTool::Opencode, b"export const A = 1", Layout::Like).is_err());
}

#[test]
fn invalid_files_are_an_error() {
    for (tool, old, why) in [
        (HookTool::Claude, "{\"a\": }", "it is not valid JSON"),
        (HookTool::Claude, "[]", "it is not a JSON object"),
        (
            HookTool::Claude,
            "{\"hooks\": []}",
            "its `hooks` is not an object",
        ),
        (
            HookTool::Codex,
            "{\"hooks\": {\"SessionStart\": 1}}",
            "its `SessionStart` is not an array",
        ),
        (
            HookTool::Git,
            "#!/usr/bin/env python\n",
            "it is not a shell script",
        ),
        (HookTool::Git, "\u{7f}ELF", "it is not a shell script"),
    ] {
        let error = merge(tool, old.as_bytes(), Layout::Like).expect_err("refused");
        assert!(error.starts_with(why), "{error}");
    }
}
