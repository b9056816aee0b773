//! `hooks run`: what an agent reads in its shell.

use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const DIFF: &str = "commit 1\n\ndiff --git a/web/html.ts b/web/html.ts\n--- a/web/html.ts\n+++ b/web/html.ts\n\
    @@ -1,2 +1,3 @@\n export function escapeHtml(text) {\n+export const shown = escapeHtml(text);\n";

fn after_command(sandbox: &Sandbox, agent: &str, event: &Value) -> String {
    let line = format!("hooks run {agent} after-command");
    let outcome = sandbox.piped(&line, event.to_string());
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    outcome.stdout()
}

#[test]
fn a_diff_that_an_agent_reads_gets_the_rules_of_its_files_once() {
    for (agent, mut event) in [
        (
            "claude",
            json!({ "session_id": "a", "tool_response": { "stdout": DIFF, "stderr": "" } }),
        ),
        ("codex", json!({ "session_id": "a", "tool_response": DIFF })),
        (
            "gemini",
            json!({ "session_id": "a", "tool_response": { "llmContent": DIFF } }),
        ),
        (
            "copilot",
            json!({ "sessionId": "a", "toolResult": { "textResultForLlm": DIFF } }),
        ),
        ("opencode", json!({ "sessionID": "a", "output": DIFF })),
    ] {
        let sandbox = Sandbox::anchored();
        event["cwd"] = json!(sandbox.path(""));
        for key in ["tool_input", "toolArgs", "args"] {
            event[key] = json!({ "command": "gh pr diff 7" });
        }
        let given = after_command(&sandbox, agent, &event);
        assert!(given.contains("Escape HTML"), "{agent}: {given}");
        assert_eq!(after_command(&sandbox, agent, &event), "", "{agent}");
    }
}

#[test]
fn an_output_without_a_diff_gets_nothing() {
    let sandbox = Sandbox::anchored();
    let event = json!({
        "session_id": "a",
        "cwd": sandbox.path(""),
        "tool_input": { "command": "cat notes" },
        "tool_response": { "stdout": "+++ b/web/html.ts\n+export const shown = escapeHtml(text);\n" },
    });
    assert_eq!(after_command(&sandbox, "claude", &event), "");
}
