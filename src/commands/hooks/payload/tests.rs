//! Events of each agent, as in its document.

use super::*;

/// Checks the edits of an event, as `PATH: TEXT`.
#[track_caller]
fn check(event: &str, folder: Option<&str>, expected: &[&str]) {
    let event = Event::parse(event.as_bytes()).expect("an event");
    assert_eq!(event.folder.as_deref(), folder);
    assert!(event.session.is_some());
    let edits: Vec<String> = event
        .edits()
        .into_iter()
        .map(|edit| format!("{}: {}", edit.path, edit.text))
        .collect();
    assert_eq!(edits, expected);
}

/// Returns the added lines of an edit in the format of Claude Code.
fn added(input: &str) -> String {
    let event = format!(r#"{{"session_id":"s","cwd":"/p","tool_input":{input}}}"#);
    let event = Event::parse(event.as_bytes()).expect("an event");
    event.edits().pop().expect("an edit").added
}

#[test]
fn lines_that_an_edit_repeats_are_not_added() {
    for (input, expected) in [
        (
            r#"{"file_path":"a","old_string":"a\nb\nc","new_string":"a\nB\nc"}"#,
            "B",
        ),
        (
            r#"{"file_path":"a","old_string":"a\nb\nc","new_string":"c\na"}"#,
            "",
        ),
        (r#"{"file_path":"a","old_str":"a","new_str":"b\na"}"#, "b"),
        (r#"{"file_path":"a","content":"a\nb"}"#, "a\nb"),
        (
            r#"{"file_path":"a","edits":[{"old_string":"a","new_string":"a\nb"},{"old_string":"c","new_string":"d"}]}"#,
            "b\nd",
        ),
        (
            r#"{"command":"*** Begin Patch\n*** Update File: a\n-b\n+c\n d\n*** End Patch"}"#,
            "c\n",
        ),
    ] {
        assert_eq!(added(input), expected, "{input}");
    }
}

// The events are those of the documents that `settings` cites.

#[test]
fn edits_of_claude_code_are_read() {
    check(
        r#"{"session_id":"abc123","transcript_path":"/home/user/.claude/projects/t.jsonl",
            "cwd":"/home/user/my-project","permission_mode":"default","hook_event_name":"PreToolUse",
            "tool_name":"Write","tool_use_id":"toolu_01ABC123",
            "tool_input":{"file_path":"/path/to/file.txt","content":"file content"}}"#,
        Some("/home/user/my-project"),
        &["/path/to/file.txt: file content"],
    );
    check(
        r#"{"session_id":"abc123","cwd":"/p","hook_event_name":"PreToolUse","tool_name":"Edit",
            "tool_input":{"file_path":"/p/a.py","old_string":"a","new_string":"b","replace_all":false}}"#,
        Some("/p"),
        &["/p/a.py: b"],
    );
    check(
        r#"{"session_id":"abc123","cwd":"/p","tool_name":"MultiEdit","tool_input":{"file_path":"/p/a.py",
            "edits":[{"old_string":"a","new_string":"b"},{"old_string":"c","new_string":"d"}]}}"#,
        Some("/p"),
        &["/p/a.py: b\nd"],
    );
    check(
        r#"{"session_id":"abc123","cwd":"/p","tool_name":"NotebookEdit",
            "tool_input":{"notebook_path":"/p/a.ipynb","new_source":"x = 1","cell_type":"code"}}"#,
        Some("/p"),
        &["/p/a.ipynb: x = 1"],
    );
}

#[test]
fn patches_of_codex_are_read() {
    check(
        r#"{"session_id":"0199","turn_id":"1","transcript_path":null,"cwd":"/p",
            "hook_event_name":"PreToolUse","model":"gpt-5","permission_mode":"default",
            "tool_name":"apply_patch","tool_use_id":"call-1","tool_input":{"command":
            "*** Begin Patch\n*** Add File: new.py\n+import os\n+x = 1\n*** Update File: src/a.py\n*** Move to: src/b.py\n@@ def f():\n-    old\n+    new\n context\n*** Delete File: gone.py\n*** End Patch"}}"#,
        Some("/p"),
        &["new.py: import os\nx = 1\n", "src/b.py:     new\n"],
    );
}

#[test]
fn edits_of_other_agents_are_read() {
    check(
        r#"{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"AfterTool",
            "timestamp":"2026-01-01T00:00:00Z","tool_name":"replace","tool_response":{},
            "tool_input":{"file_path":"a.ts","instruction":"i","old_string":"a","new_string":"b"}}"#,
        Some("/p"),
        &["a.ts: b"],
    );
    check(
        r#"{"conversation_id":"c","generation_id":"g","hook_event_name":"postToolUse","cwd":"",
            "workspace_roots":["/p"],"tool_name":"Write","tool_output":"{}","duration":3.5,
            "tool_input":{"file_path":"/p/a.ts","content":"x"}}"#,
        Some("/p"),
        &["/p/a.ts: x"],
    );
    check(
        r#"{"sessionId":"s","timestamp":1704614400000,"cwd":"/p","toolName":"edit",
            "toolArgs":"{\"path\":\"/p/a.go\",\"old_str\":\"a\",\"new_str\":\"b\"}",
            "toolResult":{"resultType":"success","textResultForLlm":"ok"}}"#,
        Some("/p"),
        &["/p/a.go: b"],
    );
    check(
        r#"{"sessionId":"s","cwd":"/p","toolName":"create",
            "toolArgs":{"path":"/p/a.go","file_text":"package a"}}"#,
        Some("/p"),
        &["/p/a.go: package a"],
    );
    check(
        r#"{"sessionID":"ses_1","cwd":"/p","args":{"filePath":"/p/a.rs","oldString":"a","newString":"b"}}"#,
        Some("/p"),
        &["/p/a.rs: b"],
    );
    check(
        r#"{"sessionID":"ses_1","cwd":"/p","args":{"patchText":"*** Begin Patch\n*** Update File: a.rs\n+b\n*** End Patch"}}"#,
        Some("/p"),
        &["a.rs: b\n"],
    );
}

#[test]
fn edits_of_several_files_are_read() {
    check(
        r#"{"sessionId":"s","cwd":"/p","tool_name":"multi_replace_string_in_file","tool_input":{"explanation":"e",
            "replacements":[{"filePath":"/p/a.ts","oldString":"a","newString":"b"},
            {"filePath":"/p/b.ts","oldString":"c","newString":"d"},
            {"filePath":"/p/a.ts","oldString":"e","newString":"f"}]}}"#,
        Some("/p"),
        &["/p/a.ts: b\nf", "/p/b.ts: d"],
    );
    check(
        r#"{"sessionId":"s","cwd":"/p","tool_name":"insert_edit_into_file",
            "tool_input":{"explanation":"e","filePath":"/p/a.ts","code":"x"}}"#,
        Some("/p"),
        &["/p/a.ts: x"],
    );
    let read = r#"{"sessionId":"s","cwd":"/p","tool_name":"read_file","tool_input":{"filePath":"/p/a.ts"}}"#;
    check(read, Some("/p"), &[]);
}

#[test]
fn sessions_of_agents_and_subagents_differ() {
    let session = |event: &str| Event::parse(event.as_bytes()).expect("JSON").session;
    let main = session(r#"{"session_id":"s"}"#);
    assert_eq!(main, session(r#"{"session_id":"s","cwd":"/x"}"#));
    assert_eq!(
        main,
        session(r#"{"sessionId":"s"}"#),
        "the hooks of two agents for one session"
    );
    assert_ne!(main, session(r#"{"session_id":"s","agent_id":"a"}"#));
    let start = session(r#"{"sessionId":"s","agentId":"a"}"#);
    assert_eq!(
        start,
        session(r#"{"sessionId":"a"}"#),
        "the prompt of a subagent in Copilot"
    );
    assert_eq!(session(r#"{"session_id":7}"#), None);
}

#[test]
fn prompts_and_repeated_stops_are_read() {
    let event = |text: &str| Event::parse(text.as_bytes()).expect("JSON");
    let prompt =
        event(r#"{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"Fix it"}"#);
    assert_eq!(prompt.prompt.as_deref(), Some("Fix it"));
    assert!(!prompt.is_repeated_stop);
    let given = envelope::wrapped("A rule\n");
    let escaped = given.replace('<', "&lt;").replace('>', "&gt;");
    for text in [format!("{given}Fix it"), format!("{escaped}{given}Fix it")] {
        let event = event(&serde_json::json!({ "prompt": text }).to_string());
        assert_eq!(
            event.prompt.map(|it| it.trim().to_owned()).as_deref(),
            Some("Fix it")
        );
    }
    assert!(event(r#"{"session_id":"s","stop_hook_active":true}"#).is_repeated_stop);
    assert!(event(r#"{"sessionId":"s","stopHookActive":true}"#).is_repeated_stop);
}

#[test]
fn unknown_events_have_no_edits() {
    assert_eq!(Event::parse(b"{\"session_id\": \"s\""), None);
    assert_eq!(Event::parse(b"\xff\xfe"), None);
    for event in [
        "[]",
        "null",
        "\"x\"",
        "{}",
        r#"{"tool_input":[]}"#,
        r#"{"tool_input":{"file_path":7}}"#,
        r#"{"tool_input":"*** Begin Patch\n+x"}"#,
        r#"{"tool_input":{"command":"ls"}}"#,
        r#"{"workspace_roots":{},"toolArgs":"{"}"#,
    ] {
        let event = Event::parse(event.as_bytes()).expect("JSON");
        assert!(event.edits().is_empty(), "{event:?}");
    }
}
