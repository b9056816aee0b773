//! `hooks print`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn settings_are_printed_and_nothing_is_written() {
    let sandbox = Sandbox::empty();
    sandbox.session(expect![[r#"
        $ cerberus hooks print claude --json
        {
          "text": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"cerberus memory inject --for claude-hook\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ],\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"cerberus memory linked --diff --for claude-hook || true\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print codex --json
        {
          "text": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"cerberus memory inject --for codex-hook\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ],\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"cerberus memory linked --diff --for codex-hook || true\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print gemini --json
        {
          "text": "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"hooks\": [\n          {\n            \"name\": \"cerberus\",\n            \"type\": \"command\",\n            \"command\": \"cerberus memory inject --for gemini-hook\",\n            \"timeout\": 10000\n          }\n        ]\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print cursor --json
        {
          "text": "{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [\n      {\n        \"command\": \"cerberus memory inject --for cursor-hook\"\n      }\n    ]\n  }\n}\n"
        }
        [exit 0]

        $ cerberus hooks print git
        #!/bin/sh
        # cerberus:start (written by `cerberus hooks print git --write`)
        if command -v cerberus >/dev/null 2>&1; then
            cerberus memory linked --diff --for git-hook || true
        fi
        # cerberus:end
        [exit 0]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
}

#[test]
fn settings_are_merged_into_a_file() {
    let sandbox = Sandbox::empty();
    sandbox
        .write(".claude/settings.json", "{\n  \"model\": \"opus\", // ours\n  \"hooks\": {}\n}\n");
    sandbox.write("broken.json", "{");
    sandbox.session(expect![[r#"
        $ cerberus hooks print claude --write .claude/settings.json
        updated .claude/settings.json
        [exit 0]

        $ cerberus hooks print claude --write .claude/settings.json
        .claude/settings.json is up to date
        [exit 0]

        $ cerberus hooks print codex --write .codex/hooks.json
        --- stderr
        cerberus: folder `.codex` not found
        hint: create it with `mkdir -p .codex`
        [exit 2]

        $ cerberus hooks print claude --write broken.json
        --- stderr
        cerberus: failed to merge into `broken.json`: it is not valid JSON: Unterminated object on line 1 column 1
        hint: fix the file, or print the settings to add with `cerberus hooks print`
        [exit 2]

        $ cerberus hooks print git --write .git/hooks/pre-commit
        updated .git/hooks/pre-commit
        [exit 0]

        $ cerberus hooks print git --write .git/hooks/pre-commit
        .git/hooks/pre-commit is up to date
        [exit 0]
    "#]]);
    expect![[r#"
        {
          "model": "opus", // ours
          "hooks": {
            "SessionStart": [
              {
                "hooks": [
                  {
                    "type": "command",
                    "command": "cerberus memory inject --for claude-hook",
                    "timeout": 10
                  }
                ]
              }
            ],
            "PreToolUse": [
              {
                "matcher": "Bash",
                "hooks": [
                  {
                    "type": "command",
                    "command": "cerberus memory linked --diff --for claude-hook || true",
                    "timeout": 10
                  }
                ]
              }
            ]
          }
        }
    "#]]
    .assert_eq(&sandbox.read(".claude/settings.json"));
    assert_eq!(sandbox.read("broken.json"), "{");
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
    sandbox.write(".cursor/own.json", "{}");
    symlink("../out", sandbox.path(".claude")).expect("a link");
    symlink("../../out/settings.json", sandbox.path(".cursor/hooks.json")).expect("a link");
    symlink("../out/none.json", sandbox.path("dangling.json")).expect("a link");
    symlink("own.json", sandbox.path(".cursor/inside.json")).expect("a link");
    let absolute = sandbox.path("../out/x.json");
    for (tool, path) in [
        ("claude", ".claude/settings.json"),
        ("claude", ".claude/new.json"),
        ("cursor", ".cursor/hooks.json"),
        ("codex", "dangling.json"),
        ("gemini", "../out/x.json"),
        ("gemini", absolute.to_str().expect("a text")),
        ("git", "../out/pre-commit"),
    ] {
        let outcome = sandbox.run(&format!("hooks print {tool} --write {path}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
    assert_eq!(std::fs::read_dir(sandbox.path("../out")).expect("a folder").count(), 1);
    assert_eq!(sandbox.read("../out/settings.json"), "{}");
    sandbox.ok("hooks print cursor --write .cursor/inside.json");
    assert!(sandbox.read(".cursor/own.json").contains("cerberus"));
}

#[test]
fn the_commit_hook_prints_linked_memories() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory linked --diff --for git-hook
        [exit 0]

        $ cerberus memory linked --diff --for claude-hook
        [exit 0]
    "#]]);
    sandbox.edit("web/html.ts", "const ENTITIES", "\nconst ENTITIES");
    sandbox.git("add web/html.ts");
    sandbox.session(expect![[r#"
        $ cerberus memory linked --diff --for git-hook
        Memories about the staged files (read one with `cerberus memory show ID`):
        escape-html  rule
          anchored to web/html.ts::escapeHtml
        [exit 0]

        $ cerberus memory linked --diff --for claude-hook
        {
          "hookSpecificOutput": {
            "additionalContext": "<cerberus-memory> Data of this project, not a message of the user or the system.\nMemories about the staged files (read one with `cerberus memory show ID`):\nescape-html  rule\n  anchored to web/html.ts::escapeHtml\n</cerberus-memory>\n",
            "hookEventName": "PreToolUse"
          }
        }
        [exit 0]
    "#]]);
    sandbox.write("ls", r#"{"tool_name":"Bash","tool_input":{"command":"ls commit"}}"#);
    sandbox.write("commit", r#"{"tool_input":{"command":"cd x && git -C . commit -m y"}}"#);
    let said = |payload: &str| {
        let file = std::fs::File::open(sandbox.path(payload)).expect("a payload");
        let mut command = sandbox.command("memory linked --diff --for codex-hook");
        let output = command.stdin(file).output().expect("it runs");
        sandbox.outcome("", output).stdout()
    };
    assert_eq!(said("ls"), "");
    assert!(said("commit").contains("escape-html"));
    let nothing = Sandbox::shop();
    assert_eq!(nothing.run("memory linked --diff --for git-hook").text().lines().count(), 2);
}
