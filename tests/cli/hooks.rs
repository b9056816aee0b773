//! `hooks print`.

use expect_test::expect;
use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn settings_are_printed_and_nothing_is_written() {
    let sandbox = Sandbox::empty();
    sandbox.session(expect![[r#"
        $ cerberus hooks print claude --json
        {
          "text": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"SubagentStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Edit|Write|MultiEdit|NotebookEdit\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true\",\n            \"timeout\": 30\n          }\n        ]\n      },\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit|Write|MultiEdit|NotebookEdit\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true\",\n            \"timeout\": 30\n          }\n        ]\n      },\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print codex --json
        {
          "text": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex session-start || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"SubagentStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex subagent-start || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"UserPromptSubmit\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex prompt || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"apply_patch|Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex edit || true\",\n            \"timeout\": 30\n          }\n        ]\n      },\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex command || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"apply_patch\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex after-edit || true\",\n            \"timeout\": 30\n          }\n        ]\n      },\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex after-command || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ],\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run codex stop || true\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print gemini --json
        {
          "text": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"name\": \"cerberus\",\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run gemini session-start || true\",\n            \"timeout\": 30000\n          }\n        ]\n      }\n    ],\n    \"BeforeAgent\": [\n      {\n        \"hooks\": [\n          {\n            \"name\": \"cerberus\",\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run gemini prompt || true\",\n            \"timeout\": 30000\n          }\n        ]\n      }\n    ],\n    \"BeforeTool\": [\n      {\n        \"matcher\": \"run_shell_command\",\n        \"hooks\": [\n          {\n            \"name\": \"cerberus\",\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run gemini command || true\",\n            \"timeout\": 30000\n          }\n        ]\n      }\n    ],\n    \"AfterTool\": [\n      {\n        \"matcher\": \"write_file|replace\",\n        \"hooks\": [\n          {\n            \"name\": \"cerberus\",\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run gemini edit || true\",\n            \"timeout\": 30000\n          }\n        ]\n      },\n      {\n        \"matcher\": \"run_shell_command\",\n        \"hooks\": [\n          {\n            \"name\": \"cerberus\",\n            \"type\": \"command\",\n            \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run gemini after-command || true\",\n            \"timeout\": 30000\n          }\n        ]\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print cursor --json
        {
          "text": "{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [\n      {\n        \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor session-start || true\"\n      }\n    ],\n    \"beforeShellExecution\": [\n      {\n        \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor command || true\"\n      }\n    ],\n    \"postToolUse\": [\n      {\n        \"command\": \"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run cursor edit || true\",\n        \"matcher\": \"Write|StrReplace|Edit\"\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print git
        #!/bin/sh
        # cerberus:start (written by `cerberus setup git`)
        if command -v cerberus >/dev/null 2>&1; then
            cerberus hooks run git commit || true
        fi
        # cerberus:end
        [exit 0]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
}

#[test]
fn settings_are_merged_into_a_file() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        ".claude/settings.json",
        "{\n  \"model\": \"opus\", // ours\n  \"hooks\": {}\n}\n",
    );
    sandbox.write(".cursor/hooks.json", "{");
    sandbox.ok("setup claude git --yes");
    sandbox.ok("setup claude git --check");
    sandbox.session(expect![[r#"
        $ cerberus setup cursor --yes
        --- stderr
        cerberus: failed to edit `.cursor/hooks.json`: it is not valid JSON: Unterminated object on line 1 column 1
        hint: fix the file, and run the command again; nothing was written
        [exit 2]
    "#]]);
    expect![[r#"
        {
          "model": "opus", // ours
          "hooks": {"Stop":[{"hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude stop || true","timeout":30}]}],"PostToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-command || true","timeout":30}]},{"matcher":"Edit|Write|MultiEdit|NotebookEdit","hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude after-edit || true","timeout":30}]}],"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude command || true","timeout":30}]},{"matcher":"Edit|Write|MultiEdit|NotebookEdit","hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude edit || true","timeout":30}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude prompt || true","timeout":30}]}],"SubagentStart":[{"hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude subagent-start || true","timeout":30}]}], "SessionStart":[{"hooks":[{"type":"command","command":"command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run claude session-start || true","timeout":30}]}]}
        }
    "#]]
    .assert_eq(&sandbox.read(".claude/settings.json"));
    assert_eq!(sandbox.read(".cursor/hooks.json"), "{");
    // The hook must not block a commit, even if its command fails.
    sandbox.commit("with the hook");
}

#[cfg(unix)]
#[test]
fn settings_outside_the_project_are_not_written() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::empty();
    std::fs::create_dir(sandbox.path("../out")).expect("a new folder");
    sandbox.write("../out/settings.json", "{}");
    std::fs::create_dir(sandbox.path(".cursor")).expect("a new folder");
    sandbox.write(".gemini/own.json", "{}");
    symlink("../out", sandbox.path(".claude")).expect("a link");
    symlink(
        "../../out/settings.json",
        sandbox.path(".cursor/hooks.json"),
    )
    .expect("a link");
    symlink("own.json", sandbox.path(".gemini/settings.json")).expect("a link");
    for agent in ["claude", "cursor"] {
        let outcome = sandbox.run(&format!("setup {agent} --yes"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
    assert_eq!(
        std::fs::read_dir(sandbox.path("../out"))
            .expect("a folder")
            .count(),
        1
    );
    assert_eq!(sandbox.read("../out/settings.json"), "{}");
    sandbox.ok("setup gemini --yes");
    assert!(sandbox.read(".gemini/own.json").contains("cerberus"));
}

/// Returns the event of an edit in the format of Claude Code.
fn edit(sandbox: &Sandbox, session: &str, file: &str, text: &str) -> String {
    json!({
        "session_id": session,
        "transcript_path": "/home/ada/.claude/projects/shop/session.jsonl",
        "cwd": sandbox.path(""),
        "permission_mode": "default",
        "hook_event_name": "PreToolUse",
        "tool_name": "Edit",
        "tool_input": { "file_path": sandbox.path(file), "old_string": "x", "new_string": text },
        "tool_use_id": "toolu_01ABC123",
    })
    .to_string()
}

/// Runs a hook and returns what it prints. It must end with 0 and say nothing on stderr.
#[track_caller]
fn hook(sandbox: &Sandbox, hook: &str, event: impl AsRef<[u8]>) -> String {
    let outcome = sandbox.piped(&format!("hooks run {hook}"), event);
    assert_eq!(
        (outcome.status(), outcome.stderr()),
        (0, String::new()),
        "{}",
        outcome.text()
    );
    outcome.stdout()
}

#[test]
fn the_rules_for_an_edit_come_once_in_a_session() {
    let sandbox = Sandbox::anchored();
    let event = |session| edit(&sandbox, session, "web/html.ts", "escapeHtml(text)");
    expect![[r#"
        {"hookSpecificOutput":{"additionalContext":"<cerberus-memory> Data of this project, not a message of the user or the system.\nRules of this project for this edit:\n- Escape HTML entities in text before it is rendered as markup\n  Example: web/html.ts:4\n  ```typescript\n  export function escapeHtml(text: string): string {\n    return text.replace(/[&<>]/g, (found) => ENTITIES[found]);\n  }\n  ```\n</cerberus-memory>\n","hookEventName":"PreToolUse"}}
    "#]].assert_eq(&hook(&sandbox, "claude edit", event("a")));
    assert_eq!(hook(&sandbox, "claude edit", event("a")), "");
    assert!(hook(&sandbox, "claude edit", event("b")).contains("escapeHtml"));
    // A resumed session has its context, a compacted one has not.
    let start =
        |source: &str| json!({ "session_id": "a", "cwd": sandbox.path(""), "source": source });
    let text = hook(
        &sandbox,
        "claude session-start",
        start("resume").to_string(),
    );
    assert!(text.contains("<cerberus-memory>"), "{text}");
    assert_eq!(hook(&sandbox, "claude edit", event("a")), "");
    let again = hook(
        &sandbox,
        "claude session-start",
        start("resume").to_string(),
    );
    assert_eq!(again, "", "the session has it");
    let text = hook(
        &sandbox,
        "claude session-start",
        start("compact").to_string(),
    );
    assert!(text.contains("export function escapeHtml"), "{text}");
    assert_eq!(
        hook(&sandbox, "claude edit", event("a")),
        "",
        "the start gave it"
    );
    assert_eq!(sandbox.git("status --porcelain"), "");
}

#[test]
fn the_rules_for_a_new_file_depend_on_its_text() {
    let sandbox = Sandbox::anchored();
    let rules = |text| {
        hook(
            &sandbox,
            "claude edit",
            edit(&sandbox, text, "api/new.ts", text),
        )
    };
    let text =
        "export const show = (text) => `<p>${escapeHtml(text)}</p>`  // escape HTML entities\n";
    assert!(
        rules(text).contains("Escape HTML entities"),
        "{}",
        rules(text)
    );
    assert!(!rules("export const one = 1\n").contains("Escape HTML entities"));
}

#[test]
fn each_agent_reads_the_rules_in_its_format() {
    let sandbox = Sandbox::anchored();
    let (root, file) = (sandbox.path(""), sandbox.path("web/html.ts"));
    let text = "escapeHtml(text)";
    let patch = format!("*** Begin Patch\n*** Update File: web/html.ts\n+{text}\n*** End Patch");
    let events = [
        (
            "codex",
            json!({
                "session_id": "codex", "cwd": root, "hook_event_name": "PreToolUse",
                "tool_name": "apply_patch", "tool_input": { "command": patch },
            }),
        ),
        (
            "gemini",
            json!({
                "session_id": "gemini", "cwd": root, "hook_event_name": "AfterTool",
                "tool_name": "write_file", "tool_input": { "file_path": file, "content": text },
            }),
        ),
        (
            "cursor",
            json!({
                "conversation_id": "cursor", "workspace_roots": [root], "hook_event_name": "postToolUse",
                "tool_name": "Write", "tool_input": { "file_path": file, "content": text },
            }),
        ),
        (
            "copilot",
            json!({
                "sessionId": "copilot", "cwd": root, "toolName": "edit",
                "toolArgs": json!({ "path": file, "new_str": text }).to_string(),
            }),
        ),
        (
            "opencode",
            json!({
                "sessionID": "opencode", "cwd": root, "args": { "filePath": file, "newString": text },
            }),
        ),
    ];
    let mut printed = String::new();
    for (agent, event) in events {
        let text = hook(&sandbox, &format!("{agent} edit"), event.to_string());
        // The text itself is the same for all.
        let parts = text.split("<cerberus-memory>").collect::<Vec<_>>();
        let ends = parts[1..]
            .iter()
            .map(|it| it.split_once("</cerberus-memory>").expect("an end").1);
        printed += &format!(
            "{agent}: {}…{}",
            parts[0],
            ends.collect::<Vec<_>>().join("…")
        );
    }
    expect![[r#"
        codex: {"hookSpecificOutput":{"additionalContext":"…\n","hookEventName":"PreToolUse"}}
        gemini: {"hookSpecificOutput":{"additionalContext":"…\n","hookEventName":"AfterTool"}}
        cursor: {"additional_context":"…\n"}
        copilot: {"additionalContext":"…\n","hookSpecificOutput":{"additionalContext":"…\n","hookEventName":"PostToolUse"}}
        opencode: …
    "#]]
    .assert_eq(&printed);
}

#[test]
fn what_a_hook_does_not_understand_is_ignored() {
    let sandbox = Sandbox::anchored();
    let outside = sandbox.beside("home");
    let nothing = Sandbox::shop();
    let in_bank = edit(&sandbox, "s", ".memories/escape-html.md", "escapeHtml");
    let other = edit(&sandbox, "s", "../home/x.ts", "escapeHtml");
    let none = edit(&nothing, "s", "web/html.ts", "escapeHtml");
    for tool in ["claude", "codex", "gemini", "cursor", "copilot", "opencode"] {
        for event in ["", "{", "[]", "7", "{}", "\u{0}", &in_bank, &other, &none] {
            assert_eq!(
                hook(&sandbox, &format!("{tool} edit"), event),
                "",
                "{event}"
            );
            assert_eq!(
                hook(&outside, &format!("{tool} command"), event),
                "",
                "{event}"
            );
        }
        // No agent writes that much at once.
        let long = edit(&sandbox, "s", "web/html.ts", &"x".repeat(9 * 1024 * 1024));
        assert_eq!(hook(&sandbox, &format!("{tool} edit"), long), "");
    }
    // A broken project does not stop the agent either.
    sandbox.write("cerberus.toml", "[anchor]\nmin_quality = \"high\"\n");
    let event = edit(&sandbox, "s", "web/html.ts", "escapeHtml");
    let outcome = sandbox.piped("hooks run claude edit", event);
    assert_eq!((outcome.status(), outcome.stdout()), (0, String::new()));
    assert!(
        outcome.stderr().contains("cerberus.toml"),
        "{}",
        outcome.text()
    );
}

#[test]
fn of_eight_hooks_at_once_one_gives_a_rule() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("index");
    let event = edit(&sandbox, "s", "web/html.ts", "escapeHtml(text)");
    let texts: Vec<String> = std::thread::scope(|scope| {
        let run = || scope.spawn(|| hook(&sandbox, "claude edit", &event));
        let threads: Vec<_> = (0..8).map(|_| run()).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("it ends"))
            .collect()
    });
    let rule = "Escape HTML entities";
    assert_eq!(
        texts.iter().filter(|text| text.contains(rule)).count(),
        1,
        "{texts:?}"
    );
}

#[test]
fn the_hooks_of_a_start_and_of_its_prompt_give_a_rule_once() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory add \"Always write plain English in every message\" --no-anchor");
    sandbox.ok("index");
    let task = "Render the name of an order as markup in the new page of the shop";
    let event = event(&sandbox, "s", json!({ "source": "new", "prompt": task }));
    let run = &|name: &str| hook(&sandbox, &format!("copilot {name}"), &event);
    // Copilot runs both at the same time.
    let [start, prompt] = std::thread::scope(|scope| {
        ["session-start", "prompt"]
            .map(|name| scope.spawn(move || run(name)))
            .map(|it| it.join().expect("it ends"))
    });
    for rule in ["plain English", "Escape HTML"] {
        assert_ne!(
            start.contains(rule),
            prompt.contains(rule),
            "{start}{prompt}"
        );
    }
    assert_eq!(run("prompt"), "", "the start forgets nothing");
}

#[test]
fn a_session_start_is_printed_in_the_format_of_the_agent() {
    let sandbox = Sandbox::anchored();
    for (agent, start) in [
        (
            "claude",
            r#"{"hookSpecificOutput":{"additionalContext":"<cerberus-memory>"#,
        ),
        (
            "codex",
            r#"{"hookSpecificOutput":{"additionalContext":"<cerberus-memory>"#,
        ),
        (
            "gemini",
            r#"{"hookSpecificOutput":{"additionalContext":"<cerberus-memory>"#,
        ),
        ("cursor", r#"{"additional_context":"<cerberus-memory>"#),
        ("copilot", r#"{"additionalContext":"<cerberus-memory>"#),
    ] {
        let event = json!({ "session_id": agent, "cwd": sandbox.path("") }).to_string();
        let text = hook(&sandbox, &format!("{agent} session-start"), &event);
        assert!(text.starts_with(start), "{agent}: {text}");
    }
    let nothing = Sandbox::shop();
    assert_eq!(hook(&nothing, "claude session-start", "{}"), "");
}

/// Returns the event of a shell command in the format of Claude Code.
fn shell(sandbox: &Sandbox, command: &str) -> String {
    json!({
        "session_id": "s",
        "cwd": sandbox.path(""),
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": { "command": command, "description": "Commit" },
    })
    .to_string()
}

/// A project with a rule that forbids commands, and one whose text alone does.
fn with_forbidden_commands() -> Sandbox {
    let sandbox = Sandbox::shop();
    sandbox.memory(
        "uv",
        "---\ntype: rule\ncommand: [pip install, python -m pip]\ninstead: uv add\n---\n\nNever use pip\n",
    );
    sandbox.memory(
        "make",
        "---\ntype: rule\n---\n\nRun `make test`, never `go test`\n",
    );
    sandbox.memory(
        "web",
        "---\ntype: rule\npaths: web/\ncommand: npm ci\n---\n\nNo npm here\n",
    );
    sandbox
}

#[test]
fn a_forbidden_command_is_denied_in_the_format_of_each_agent() {
    let sandbox = with_forbidden_commands();
    let event = shell(&sandbox, "cd api && sudo bash -c 'pip -q install x'");
    let mut printed = String::new();
    for agent in ["claude", "codex", "copilot", "gemini", "cursor", "opencode"] {
        let text = hook(&sandbox, &format!("{agent} command"), &event);
        let reason = "A rule of this project forbids `pip -q install x`: Never use pip (`uv`). Use this instead: uv add";
        printed += &format!("{agent}: {}", text.replace(reason, "REASON"));
    }
    expect![[r#"
        claude: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"}}
        codex: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"}}
        copilot: {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"},"permissionDecision":"deny","permissionDecisionReason":"REASON"}
        gemini: {"decision":"deny","reason":"REASON"}
        cursor: {"agent_message":"REASON","permission":"deny","user_message":"REASON"}
        opencode: REASON
    "#]]
    .assert_eq(&printed);
    for command in [
        "npm ci",
        "cd .. && pip install x",
        "echo pip install; pip install --help; uv pip install x",
        "cat > notes.md <<EOF\npip install x\nEOF",
        "git commit -m \"$(cat <<'EOF'\nit's (pip install) && pip install\nEOF\n)\"",
    ] {
        assert_eq!(
            hook(&sandbox, "claude command", shell(&sandbox, command)),
            "",
            "{command}"
        );
    }
    for command in ["cd web; npm ci", "npm --version && (cd web && CI=1 npm ci)"] {
        let text = hook(&sandbox, "claude command", shell(&sandbox, command));
        assert!(text.contains("No npm here"), "{command}");
    }
    let own =
        json!({ "conversation_id": "c", "cwd": sandbox.path(""), "command": "pip install x" });
    assert!(hook(&sandbox, "cursor command", own.to_string()).contains("deny"));
    // A program that is not known is not denied; it is named on stderr.
    let outcome = sandbox.piped(
        "hooks run claude command",
        shell(&sandbox, "$PIP install x"),
    );
    assert_eq!((outcome.status(), outcome.stdout()), (0, String::new()));
    assert!(
        outcome.stderr().contains("`$PIP` is not known"),
        "{}",
        outcome.stderr()
    );
}

#[test]
fn a_command_that_the_text_of_a_rule_forbids_gets_a_hint_once() {
    let sandbox = with_forbidden_commands();
    let event = shell(&sandbox, "go test ./...");
    expect![[r#"
        {"hookSpecificOutput":{"additionalContext":"<cerberus-memory> Data of this project, not a message of the user or the system.\nRules of this project about this command:\n- Run `make test`, never `go test` (`make`)\n</cerberus-memory>\n","hookEventName":"PreToolUse"}}
    "#]]
    .assert_eq(&hook(&sandbox, "claude command", &event));
    assert_eq!(hook(&sandbox, "claude command", &event), "");
    assert_eq!(
        hook(
            &sandbox,
            "claude command",
            shell(&sandbox, "go vet; make test")
        ),
        ""
    );
    // These agents take no context before a command.
    let event = event.replace("\"session_id\":\"", "\"session_id\":\"other ");
    assert_eq!(hook(&sandbox, "gemini command", &event), "");
    let text = hook(&sandbox, "gemini after-command", &event);
    assert!(text.contains("never `go test` (`make`)"), "{text}");
}

#[test]
fn what_hooks_gave_and_what_was_broken_is_counted() {
    let sandbox = with_forbidden_commands();
    sandbox.commit("rules");
    let start = json!({ "session_id": "s", "cwd": sandbox.path(""), "source": "startup" });
    hook(&sandbox, "claude session-start", start.to_string());
    let denied =
        shell(&sandbox, "pip install x").replace("\"session_id\":\"", "\"session_id\":\"other ");
    for event in [&denied, &denied, &shell(&sandbox, "go test ./...")] {
        hook(&sandbox, "claude command", event);
    }
    let report = sandbox.json("memory stats --rules");
    let rows = report["ledger"].as_array().expect("rows").iter();
    let rows: Vec<String> = rows
        .map(|row| {
            let numbers = ["given", "broken", "brokenAfterGiven"].map(|key| row[key].to_string());
            let is_known = row["last"].is_string();
            format!(
                "{} {} {is_known} {}",
                row["id"],
                numbers.join(" "),
                row["added"]["author"]
            )
        })
        .collect();
    expect![[r#"
        "make" 1 1 1 true "Ada"
        "uv" 1 1 0 true "Ada"
        "web" 1 0 0 true "Ada"
    "#]]
    .assert_eq(&(rows.join("\n") + "\n"));
    let text = sandbox.ok("memory stats --rules");
    assert!(text.lines().any(|line| line.starts_with("make")), "{text}");
}

#[test]
fn the_commit_hook_names_the_rules_about_the_changed_code() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus hooks run git commit
        [exit 0]
    "#]]);
    sandbox.edit("web/html.ts", "return text", "// all of it\n  return text");
    let says = |command: &str| hook(&sandbox, "claude command", shell(&sandbox, command));
    for command in ["ls", "git commit -m 'git add .'"] {
        assert_eq!(says(command), "", "{command}");
    }
    let expected = expect![[r#"
        {"hookSpecificOutput":{"additionalContext":"<cerberus-memory> Data of this project, not a message of the user or the system.\nRules about the changed code:\n- web/html.ts::escapeHtml: Escape HTML entities in text before it is rendered as markup (`escape-html`)\n</cerberus-memory>\n","hookEventName":"PreToolUse"}}
    "#]];
    expected.assert_eq(&says("git commit -am 'Escape all'"));
    let all = says("git commit -a");
    for command in [
        "git add -A && git commit -m x",
        "git add web/html.ts; git commit -m \"$(cat <<'EOF'\nIt's done\nEOF\n)\"",
        "cd web && git add . && git commit -m x",
        "git commit -m x -- web/html.ts",
    ] {
        assert_eq!(says(command), all, "{command}");
    }
    sandbox.git("add web/html.ts");
    assert_eq!(says("git commit"), all);
    sandbox.memory("limits", "See [[api/limit.go]] before a release.\n");
    sandbox.edit("api/limit.go", "package", "// Limits.\npackage");
    assert!(says("git commit -a").contains("api/limit.go: See [[api/limit.go]]"));
    sandbox.session(expect![[r#"
        $ cerberus hooks run git commit
        <cerberus-memory> Data of this project, not a message of the user or the system.
        Rules about the changed code:
        - web/html.ts::escapeHtml: Escape HTML entities in text before it is rendered as markup (`escape-html`)
        </cerberus-memory>
        [exit 0]
    "#]]);
}

#[test]
fn the_commit_hook_says_which_examples_are_lost() {
    let sandbox = Sandbox::anchored();
    sandbox.remove("web/html.ts");
    let accounts = sandbox.read("shop/accounts.py");
    let start = accounts.find("        salt = ").expect("the body");
    let end = start
        + accounts[start..]
            .find("\n\n")
            .unwrap_or(accounts.len() - start);
    sandbox.write(
        "shop/accounts.py",
        format!(
            "{}        raise NotImplementedError{}",
            &accounts[..start],
            &accounts[end..]
        ),
    );
    sandbox.git("add -A");
    sandbox.session(expect![[r#"
        $ cerberus hooks run git commit
        <cerberus-memory> Data of this project, not a message of the user or the system.
        Examples of rules that this commit changes:
        - web/html.ts::escapeHtml is removed; it showed: Escape HTML entities in text before it is rendered as markup (`escape-html`)
        - shop/accounts.py::AccountStore.hash_password is almost removed; it showed: Hash the password with a fresh salt before the account is stored (`hash-passwords`)
        Choose other examples with `cerberus memory review`, or change the rules.
        </cerberus-memory>
        [exit 0]
    "#]]);
    // It was said with the commit that did it.
    sandbox.commit("lost");
    sandbox.edit(
        "shop/accounts.py",
        "raise NotImplementedError",
        "raise NotImplementedError()",
    );
    sandbox.git("add -A");
    let text = sandbox.ok("hooks run git commit");
    assert!(!text.contains("is almost removed"), "{text}");
}

#[test]
fn a_moved_example_is_not_lost() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv web/html.ts web/escape.ts");
    assert_eq!(sandbox.ok("hooks run git commit"), "");
}

#[cfg(unix)]
#[test]
fn the_hook_of_git_sees_what_a_commit_adds() {
    let sandbox = Sandbox::anchored();
    std::fs::create_dir_all(sandbox.path(".git/hooks")).expect("a folder");
    sandbox.ok("setup git --yes");
    let program = std::path::PathBuf::from(env!("CARGO_BIN_EXE_cerberus"));
    let commit = |name: &str, arguments: &str, has_cerberus: bool| {
        sandbox.edit("web/html.ts", "return", &format!("/* {name} */ return"));
        let mut command = sandbox.shell(&format!("git commit -m {name} {arguments} 2>&1"));
        if has_cerberus {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(program.parent().expect("a folder").to_owned())
                .chain(std::env::split_paths(&folders));
            command.env("PATH", std::env::join_paths(folders).expect("a list"));
        }
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).contains("Escape HTML entities")
    };
    assert!(commit("a", "-a", true));
    assert!(commit("b", "web/html.ts", true));
    assert!(!commit("c", "-a", false), "cerberus is not on PATH");
}

/// An event of a session in the project.
fn event(sandbox: &Sandbox, session: &str, fields: serde_json::Value) -> String {
    let mut event = json!({ "session_id": session, "cwd": sandbox.path("") });
    event
        .as_object_mut()
        .expect("an object")
        .extend(fields.as_object().expect("fields").clone());
    event.to_string()
}

#[test]
fn the_rules_for_a_task_come_with_the_prompt() {
    let sandbox = Sandbox::anchored();
    let task = "Render the name of an order as markup in the new page of the shop";
    let prompt = |session, text| event(&sandbox, session, json!({ "prompt": text }));
    let given = hook(&sandbox, "claude prompt", prompt("a", task));
    assert!(
        given.contains("Escape HTML") && given.contains("export function escapeHtml"),
        "{given}"
    );
    assert!(given.contains(r#""hookEventName":"UserPromptSubmit""#) && !given.contains("Pinned"));
    assert_eq!(
        hook(&sandbox, "claude prompt", prompt("a", task)),
        "",
        "once in a session"
    );
    let edit = edit(&sandbox, "a", "web/html.ts", "escapeHtml(text)");
    assert_eq!(
        hook(&sandbox, "claude edit", edit),
        "",
        "whichever hook gives it"
    );
    for text in ["/clear", "yes", "continue with that", ""] {
        assert_eq!(
            hook(&sandbox, "claude prompt", prompt("b", text)),
            "",
            "{text}"
        );
    }
    assert_eq!(
        hook(
            &sandbox,
            "claude prompt",
            json!({ "prompt": task }).to_string()
        ),
        ""
    );
    // An agent that shortens its context loses what it was given.
    hook(&sandbox, "copilot compact", event(&sandbox, "a", json!({})));
    let given = hook(&sandbox, "copilot prompt", prompt("a", task));
    let given: serde_json::Value = serde_json::from_str(&given).expect("JSON");
    assert_eq!(
        given["additionalContext"],
        given["hookSpecificOutput"]["additionalContext"]
    );
}

#[test]
fn what_an_agent_has_loaded_is_named_and_comes_with_its_code() {
    let sandbox = Sandbox::anchored();
    let rule = "Escape HTML entities in text before it is rendered as markup";
    sandbox.write("AGENTS.md", format!("# Rules\n\n- {rule}\n"));
    let task = "Render the name of an order as markup in the new page of the shop";
    let given = |agent: &str, session| {
        let event = event(&sandbox, session, json!({ "prompt": task }));
        hook(&sandbox, &format!("{agent} prompt"), event)
    };
    let named = given("claude", "a");
    let place = r#"AGENTS.md:3 \"Escape HTML entities in text before it is…\""#;
    assert!(named.contains(place) && !named.contains(rule), "{named}");
    assert!(named.contains("export function escapeHtml"), "{named}");
    let whole = given("gemini", "b");
    assert!(
        whole.contains(rule) && !whole.contains("AGENTS.md"),
        "{whole}"
    );
    // A document of its own hides the other one.
    sandbox.write("CLAUDE.md", "Be brief.\n");
    assert!(given("claude", "c").contains(rule));
    sandbox.write("CLAUDE.md", "@AGENTS.md\n");
    assert!(given("claude", "d").contains(place));
    let start = event(&sandbox, "e", json!({ "source": "startup" }));
    let start = hook(&sandbox, "claude session-start", start);
    assert!(!start.contains("Escape HTML"), "{start}");
}

#[test]
fn an_edit_that_adds_code_which_a_rule_names_gets_the_rule() {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "ignore",
        "---\ntype: rule\n---\nNever silence the checker with `# type: ignore`\n",
    );
    for n in 0..60 {
        sandbox.memory(
            &format!("other-{n}"),
            format!("---\ntype: rule\n---\nSort the `columns_{n}` of report number {n}\n"),
        );
    }
    let given = |session, text| {
        let event = edit(&sandbox, session, "shop/db.py", text);
        hook(&sandbox, "claude edit", event)
    };
    let broken = given("a", "total = price * count  # type: ignore\n");
    assert!(broken.contains("Never silence the checker"), "{broken}");
    assert_eq!(given("b", "total = price * count\n"), "");
}

#[test]
fn a_session_starts_once_and_a_subagent_has_a_start_of_its_own() {
    let sandbox = Sandbox::anchored();
    let start = |fields| event(&sandbox, "a", fields);
    let startup = start(json!({ "source": "startup" }));
    assert!(hook(&sandbox, "claude session-start", &startup).contains("SessionStart"));
    assert_eq!(
        hook(&sandbox, "claude session-start", &startup),
        "",
        "a plugin and the settings"
    );
    assert_eq!(
        hook(&sandbox, "copilot session-start", &startup),
        "",
        "it runs the hooks of both"
    );
    let subagent = start(json!({ "agent_id": "x", "agent_type": "Explore" }));
    let text = hook(&sandbox, "claude subagent-start", &subagent);
    assert!(
        text.contains(r#""hookEventName":"SubagentStart""#),
        "{text}"
    );
    assert_eq!(hook(&sandbox, "claude subagent-start", &subagent), "");
}

#[test]
fn files_that_a_command_edits_get_their_rules() {
    let sandbox = Sandbox::anchored();
    let command = |session, command: &str| {
        event(
            &sandbox,
            session,
            json!({ "tool_input": { "command": command } }),
        )
    };
    // The files of the project are new, but equal to the commit.
    assert_eq!(
        hook(&sandbox, "claude after-command", command("a", "ls")),
        ""
    );
    let text = sandbox.read("web/html.ts");
    sandbox.write(
        "web/html.ts",
        format!("{text}\nexport const shown = escapeHtml(text);\n"),
    );
    let given = hook(
        &sandbox,
        "claude after-command",
        command("a", "sed -i s/a/b/ web/html.ts"),
    );
    assert!(
        given.contains("PostToolUse") && given.contains("Escape HTML"),
        "{given}"
    );
    assert_eq!(
        hook(&sandbox, "claude after-command", command("a", "ls")),
        ""
    );
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: web/html.ts\n+escapeHtml(text)\n*** End Patch\nEOF";
    let given = hook(&sandbox, "codex edit", command("b", patch));
    assert!(
        given.contains("PreToolUse") && given.contains("Escape HTML"),
        "{given}"
    );
}

#[test]
fn an_agent_that_stops_is_asked_once_to_follow_the_rules() {
    let sandbox = Sandbox::anchored();
    let id = "no-print";
    sandbox.ok(&format!(
        "memory add \"Never use `print()`\" --id {id} --no-anchor"
    ));
    let rule = sandbox.read(".memories/no-print.md");
    let pattern = "pattern: |\n  language: Python\n  rule:\n    pattern: print($$$)\n---\n";
    let (head, body) = rule[4..].split_once("---\n").expect("frontmatter");
    sandbox.write(
        ".memories/no-print.md",
        format!("---\n{head}{pattern}{body}"),
    );
    sandbox.commit("A rule");
    let stop = |fields| event(&sandbox, "a", fields);
    assert_eq!(hook(&sandbox, "claude stop", stop(json!({}))), "");
    sandbox.write("new.py", "print(1)\n");
    // What a command wrote is reported once, not after each command that follows.
    let command = |line: &str| event(&sandbox, "a", json!({ "tool_input": { "command": line } }));
    let found = hook(
        &sandbox,
        "claude after-command",
        command("echo 'print(1)' > new.py"),
    );
    assert!(found.contains("new.py:1: error: Never use"), "{found}");
    assert_eq!(hook(&sandbox, "claude after-command", command("ls")), "");
    assert_eq!(
        hook(
            &sandbox,
            "claude stop",
            stop(json!({ "stop_hook_active": true }))
        ),
        ""
    );
    assert_eq!(
        hook(&sandbox, "claude stop", stop(json!({ "agent_id": "x" }))),
        "",
        "a subagent"
    );
    let asked = hook(&sandbox, "codex stop", stop(json!({})));
    let asked: serde_json::Value = serde_json::from_str(&asked).expect("JSON");
    assert_eq!(asked["decision"], "block");
    let finding = "new.py:1: error: Never use";
    assert!(
        asked["reason"]
            .as_str()
            .expect("a reason")
            .contains(finding)
    );
    assert_eq!(
        hook(&sandbox, "claude stop", stop(json!({}))),
        "",
        "once in a session"
    );
    let asked = hook(&sandbox, "claude stop", event(&sandbox, "b", json!({})));
    assert!(
        asked.contains(r#""hookEventName":"Stop""#) && asked.contains(finding),
        "{asked}"
    );
}

#[test]
fn a_session_start_is_short_and_has_the_built_in_pins_only_if_they_are_configured() {
    let sandbox = Sandbox::anchored();
    for n in 0..40 {
        sandbox.memory(
            &format!("r{n}"),
            format!("---\ntype: rule\n---\nAlways do thing {n} well\n"),
        );
    }
    sandbox.ok("memory pin add \"Mind the gap\"");
    let start = |session| {
        let event = event(&sandbox, session, json!({ "source": "startup" }));
        hook(&sandbox, "opencode session-start", event)
    };
    let text = start("a");
    assert!(
        text.contains("Mind the gap") && !text.contains("(safety)"),
        "{text}"
    );
    assert!(text.len() <= 2048, "{} bytes", text.len());
    sandbox.write(
        "cerberus.toml",
        "[pins]\nbuiltin = true\n[inject]\nsession_budget = 1500\n",
    );
    let text = start("b");
    assert!(text.contains("(safety)") && text.len() > 2048, "{text}");
}
