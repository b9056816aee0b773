//! `hooks`: the settings that make agents and git call cerberus.
//!
//! Each tool's own format. Merging adds what is missing and changes nothing else: not
//! the order, not the comments, not a hook of ours that somebody has edited.

use std::path::Path;

use anyhow::Result;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use serde::Serialize;

use crate::bank::ExternalFile;
use crate::error::UserError;

use super::managed_block;

/// What calls cerberus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    /// `.claude/settings.json` (<https://code.claude.com/docs/en/hooks>): `SessionStart`
    /// without a matcher also comes after a compaction, and takes plain text.
    Claude,
    /// `.codex/hooks.json` (<https://developers.openai.com/codex/hooks>): as Claude Code's.
    Codex,
    /// `.gemini/settings.json` (<https://geminicli.com/docs/hooks/reference>): timeouts are
    /// in milliseconds, answers in JSON; no event follows a compression.
    Gemini,
    /// `.cursor/hooks.json` (<https://cursor.com/docs/agent/hooks>): answers are in JSON; no
    /// event that takes text follows a compaction.
    Cursor,
    /// `.git/hooks/pre-commit` (<https://git-scm.com/docs/githooks>).
    Git,
}

/// The settings as text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Printed {
    pub(crate) text: String,
}

/// A file that has the settings now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Written {
    pub(crate) file: String,
    /// Whether anything was missing.
    pub(crate) written: bool,
}

/// What starts every command line of ours.
const OURS: &str = "cerberus memory ";

/// What git runs before a commit; whatever comes of it, the commit goes on.
const BEFORE_COMMIT: &str = "\
if command -v cerberus >/dev/null 2>&1; then
    cerberus memory linked --diff --for git-hook || true
fi
";

/// Returns the settings of a tool.
pub(crate) fn print(tool: Tool) -> Result<Printed> {
    let text = merged(tool, b"").map_err(UserError::usage)?;
    Ok(Printed { text: String::from_utf8_lossy(&text).into_owned() })
}

/// Merges the settings of a tool into the file at `path`.
pub(crate) fn write(tool: Tool, path: &Path) -> Result<Written> {
    let file = ExternalFile::open(path, None)?;
    let shown = path.display();
    let new = merged(tool, &file.bytes).map_err(|why| {
        UserError::usage(format!("failed to merge into `{shown}`: {why}"))
            .hint("mend the file, or see what to add with `cerberus hooks print`")
    })?;
    let written = file.write(&new)?;
    if tool == Tool::Git {
        file.make_executable()?;
    }
    Ok(Written { file: shown.to_string(), written })
}

/// Returns `old` with the settings in it, or why that cannot be.
fn merged(tool: Tool, old: &[u8]) -> Result<Vec<u8>, String> {
    if tool == Tool::Git {
        return in_script(old);
    }
    let text = std::str::from_utf8(old).map_err(|_| "it is no valid UTF-8".to_owned())?;
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it is no JSON: {error}"))?;
    if root.value().is_none() && !text.trim().is_empty() {
        return Err("it holds no JSON but comments".to_owned());
    }
    let settings = root.object_value_or_create().ok_or("it holds no JSON object")?;
    if tool == Tool::Cursor && settings.get("version").is_none() {
        settings.append("version", json!(1));
    }
    let hooks = settings.object_value_or_create("hooks").ok_or("its `hooks` is no object")?;
    let command = match tool {
        Tool::Claude => "cerberus memory inject --for claude-hook",
        Tool::Codex => "cerberus memory inject --for codex-hook",
        Tool::Gemini => "cerberus memory inject --for gemini-hook",
        Tool::Cursor | Tool::Git => "cerberus memory inject --for cursor-hook",
    };
    let (event, entry) = match tool {
        Tool::Gemini => (
            "SessionStart",
            json!({ "hooks": [{
                "name": "cerberus", "type": "command", "command": command, "timeout": 10000
            }] }),
        ),
        Tool::Cursor | Tool::Git => ("sessionStart", json!({ "command": command })),
        Tool::Claude | Tool::Codex => (
            "SessionStart",
            json!({ "hooks": [{ "type": "command", "command": command, "timeout": 10 }] }),
        ),
    };
    add(&hooks, event, entry)?;
    // A usage error would end with 2, which stops the command: what fails is let pass.
    let before_commit = match tool {
        Tool::Claude => Some("cerberus memory linked --diff --for claude-hook || true"),
        Tool::Codex => Some("cerberus memory linked --diff --for codex-hook || true"),
        Tool::Gemini | Tool::Cursor | Tool::Git => None,
    };
    if let Some(command) = before_commit {
        let entry = json!({ "matcher": "Bash", "hooks": [
            { "type": "command", "command": command, "timeout": 10 }
        ] });
        add(&hooks, "PreToolUse", entry)?;
    }
    let mut text = root.to_string();
    if !text.ends_with('\n') && old.is_empty() {
        text.push('\n');
    }
    Ok(text.into_bytes())
}

/// Adds an entry to an event that has none of ours.
fn add(hooks: &CstObject, event: &str, entry: CstInputValue) -> Result<(), String> {
    let entries =
        hooks.array_value_or_create(event).ok_or_else(|| format!("its `{event}` is no list"))?;
    if !calls_us(&entries) {
        entries.append(entry);
    }
    Ok(())
}

/// Returns whether any entry has a command of ours, on its own or among its `hooks`.
fn calls_us(entries: &CstArray) -> bool {
    let is_ours = |entry: &CstObject| {
        let command = entry.get("command").and_then(|property| property.value());
        let command = command.and_then(|value| value.as_string_lit()?.decoded_value().ok());
        command.is_some_and(|command| command.contains(OURS))
    };
    let objects =
        |array: CstArray| array.elements().into_iter().filter_map(|it: CstNode| it.as_object());
    objects(entries.clone()).any(|entry| {
        is_ours(&entry)
            || entry.array_value("hooks").is_some_and(|inner| objects(inner).any(|it| is_ours(&it)))
    })
}

/// Returns a script with our block in it, at its start, since scripts may end anywhere.
fn in_script(old: &[u8]) -> Result<Vec<u8>, String> {
    let put = |old: &[u8]| managed_block::SCRIPT.put(old, BEFORE_COMMIT).map_err(|it| it.message);
    if old.is_empty() {
        return Ok([b"#!/bin/sh\n".as_slice(), &put(b"")?].concat());
    }
    let first = old.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_shell = first.starts_with(b"#!") && first.trim_ascii_end().ends_with(b"sh");
    if !is_shell {
        return Err("it is no shell script with a `#!` line".to_owned());
    }
    if managed_block::SCRIPT.around(old).map_err(|it| it.message)?.len() < old.len() {
        return put(old);
    }
    Ok([&put(first)?, &old[first.len()..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tool: Tool, old: &str, expected: &str) {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let new = merged(tool, old.as_bytes()).map(text);
        assert_eq!(new.as_deref(), Ok(expected));
        let again = merged(tool, expected.as_bytes()).map(text);
        assert_eq!(again.as_deref(), Ok(expected), "twice is once");
    }

    #[test]
    fn settings_are_in_each_tools_format() {
        check(
            Tool::Claude,
            "",
            r#"{
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
"#,
        );
        check(
            Tool::Cursor,
            "",
            r#"{
  "version": 1,
  "hooks": {
    "sessionStart": [
      {
        "command": "cerberus memory inject --for cursor-hook"
      }
    ]
  }
}
"#,
        );
    }

    #[test]
    fn what_else_is_in_the_file_stays() {
        let entry = r#"{
                "hooks": [
                    {
                        "name": "cerberus",
                        "type": "command",
                        "command": "cerberus memory inject --for gemini-hook",
                        "timeout": 10000
                    }
                ]
            }"#;
        check(
            Tool::Gemini,
            "{\n    // ours\n    \"z\": 1,\n    \"hooks\": {\"Stop\": []},\n    \"a\": [1,  2]\n}",
            &format!(
                "{{\n    // ours\n    \"z\": 1,\n    \"hooks\": {{\n        \"Stop\": [],\n        \
                 \"SessionStart\": [\n            {entry}\n        ]\n    }},\n    \"a\": [1,  2]\n}}"
            ),
        );
        let edited = r#"{"hooks":{"sessionStart":[{"command":"cd x && cerberus memory inject --budget 9"}]},"version":1}"#;
        check(Tool::Cursor, edited, edited);
    }

    #[test]
    fn scripts_call_us_first() {
        let block = format!(
            "{}\n{BEFORE_COMMIT}{}\n",
            managed_block::SCRIPT.start,
            managed_block::SCRIPT.end
        );
        check(Tool::Git, "", &format!("#!/bin/sh\n{block}"));
        check(
            Tool::Git,
            "#!/usr/bin/env bash\nexec make lint",
            &format!("#!/usr/bin/env bash\n\n{block}exec make lint"),
        );
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for (tool, old, why) in [
            (Tool::Claude, "{\"a\": }", "it is no JSON"),
            (Tool::Claude, "[]", "it holds no JSON object"),
            (Tool::Claude, "{\"hooks\": []}", "its `hooks` is no object"),
            (Tool::Codex, "{\"hooks\": {\"SessionStart\": 1}}", "its `SessionStart` is no list"),
            (Tool::Git, "#!/usr/bin/env python\n", "it is no shell script"),
            (Tool::Git, "\u{7f}ELF", "it is no shell script"),
        ] {
            let error = merged(tool, old.as_bytes()).expect_err("refused");
            assert!(error.starts_with(why), "{error}");
        }
    }
}
