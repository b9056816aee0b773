//! `cerberus hooks print`: prints or merges the settings with which agents and git run cerberus.
//!
//! Merging only adds missing entries. The order, the comments and the existing hooks of cerberus,
//! edited or not, are preserved.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, Subcommand, ValueEnum};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{ParseOptions, json};
use serde::Serialize;

use crate::bank::ExternalFile;
use crate::config::{GlobalArgs, Settings};
use crate::error::{ExitStatus, UserError};
use crate::ops::managed_block;
use crate::output::{NAME, OK, Printer};

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// Print the settings that run cerberus, or merge them into a file
    #[command(
        arg_required_else_help = true,
        after_help = "\
The settings belong in .claude/settings.json, .codex/hooks.json, .gemini/settings.json,
.cursor/hooks.json or .git/hooks/pre-commit. Only --write changes a file; the rest of the file is
preserved, and running it twice has no further effect. The file must be inside the project, and its
folder must exist. Gemini CLI and Cursor have no hook event
after a compaction or before a command that can add context without approving or blocking; use the
git hook there, which runs before a commit. Codex needs its feature `codex_hooks`.

Examples:
  cerberus hooks print claude
  cerberus hooks print claude --write .claude/settings.json
  cerberus hooks print git --write .git/hooks/pre-commit"
    )]
    Print(HooksPrintArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HooksPrintArgs {
    /// The tool to print the settings for
    pub(crate) tool: HookTool,
    /// Merge the settings into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
}

/// The program that runs the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookTool {
    // `.claude/settings.json`, https://code.claude.com/docs/en/hooks: `SessionStart` without a
    // matcher also runs after a compaction and reads plain text.
    /// Claude Code
    Claude,
    // `.codex/hooks.json`, https://developers.openai.com/codex/hooks: same format.
    /// Codex
    Codex,
    // `.gemini/settings.json`, https://geminicli.com/docs/hooks/reference: timeouts are in
    // milliseconds, the output is JSON, and no event follows a compression.
    /// Gemini CLI
    Gemini,
    // `.cursor/hooks.json`, https://cursor.com/docs/agent/hooks: the output is JSON, and no event
    // that reads text follows a compaction.
    /// Cursor
    Cursor,
    // `.git/hooks/pre-commit`, https://git-scm.com/docs/githooks
    /// git, before a commit
    Git,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    file: String,
    /// Whether the file was changed.
    written: bool,
}

/// The start of each command line of cerberus in a hook.
const COMMAND_PREFIX: &str = "cerberus memory ";

/// The script of the pre-commit hook; it never blocks the commit.
const PRE_COMMIT: &str = "\
if command -v cerberus >/dev/null 2>&1; then
    cerberus memory linked --diff --for git-hook || true
fi
";

pub(crate) fn run(
    command: &HooksCommand,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let HooksCommand::Print(args) = command;
    let Some(path) = &args.write else {
        let report = print(args.tool)?;
        if out.json {
            out.json(&report)?;
        } else {
            out.line(report.text.trim_end());
        }
        return Ok(ExitStatus::Done);
    };
    let report = write(args.tool, path, &Settings::resolve(global)?.project.root)?;
    if out.json {
        out.json(&report)?;
    } else if report.written {
        out.line(&format!("{} {}", out.paint(OK, "updated"), out.style(NAME, &report.file)));
    } else {
        out.line(&format!("{} is up to date", out.style(NAME, &report.file)));
    }
    Ok(ExitStatus::Done)
}

/// Returns the settings of a tool.
fn print(tool: HookTool) -> Result<Printed> {
    let text = merge(tool, b"").map_err(UserError::usage)?;
    Ok(Printed { text: String::from_utf8_lossy(&text).into_owned() })
}

/// Merges the settings of a tool into the file at `path`.
fn write(tool: HookTool, path: &Path, root: &Path) -> Result<Written> {
    let file = ExternalFile::open(path, root)?;
    let path = path.display();
    let new = merge(tool, &file.bytes).map_err(|why| {
        UserError::usage(format!("failed to merge into `{path}`: {why}"))
            .hint("fix the file, or print the settings to add with `cerberus hooks print`")
    })?;
    let written = file.write(&new)?;
    if tool == HookTool::Git {
        file.make_executable()?;
    }
    Ok(Written { file: path.to_string(), written })
}

/// Returns `old` with the settings merged, or the reason for the failure.
fn merge(tool: HookTool, old: &[u8]) -> Result<Vec<u8>, String> {
    if tool == HookTool::Git {
        return merge_script(old);
    }
    let text = std::str::from_utf8(old).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it is not valid JSON: {error}"))?;
    if root.value().is_none() && !text.trim().is_empty() {
        return Err("it contains only comments".to_owned());
    }
    let settings = root.object_value_or_create().ok_or("it is not a JSON object")?;
    if tool == HookTool::Cursor && settings.get("version").is_none() {
        settings.append("version", json!(1));
    }
    let hooks = settings.object_value_or_create("hooks").ok_or("its `hooks` is not an object")?;
    let command = match tool {
        HookTool::Claude => "cerberus memory inject --for claude-hook",
        HookTool::Codex => "cerberus memory inject --for codex-hook",
        HookTool::Gemini => "cerberus memory inject --for gemini-hook",
        HookTool::Cursor | HookTool::Git => "cerberus memory inject --for cursor-hook",
    };
    let (event, entry) = match tool {
        HookTool::Gemini => (
            "SessionStart",
            json!({ "hooks": [{
                "name": "cerberus", "type": "command", "command": command, "timeout": 10000
            }] }),
        ),
        HookTool::Cursor | HookTool::Git => ("sessionStart", json!({ "command": command })),
        HookTool::Claude | HookTool::Codex => (
            "SessionStart",
            json!({ "hooks": [{ "type": "command", "command": command, "timeout": 10 }] }),
        ),
    };
    add(&hooks, event, entry)?;
    // `|| true`: exit status 2, a usage error, would block the command.
    let pre_commit = match tool {
        HookTool::Claude => Some("cerberus memory linked --diff --for claude-hook || true"),
        HookTool::Codex => Some("cerberus memory linked --diff --for codex-hook || true"),
        HookTool::Gemini | HookTool::Cursor | HookTool::Git => None,
    };
    if let Some(command) = pre_commit {
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

/// Adds an entry to an event unless the event already runs cerberus.
fn add(hooks: &CstObject, event: &str, entry: CstInputValue) -> Result<(), String> {
    let entries = hooks
        .array_value_or_create(event)
        .ok_or_else(|| format!("its `{event}` is not an array"))?;
    if !runs_cerberus(&entries) {
        entries.append(entry);
    }
    Ok(())
}

/// Whether any entry runs cerberus, directly or in its `hooks`.
fn runs_cerberus(entries: &CstArray) -> bool {
    let has_command = |entry: &CstObject| {
        let command = entry.get("command").and_then(|property| property.value());
        let command = command.and_then(|value| value.as_string_lit()?.decoded_value().ok());
        command.is_some_and(|command| command.contains(COMMAND_PREFIX))
    };
    let objects =
        |array: CstArray| array.elements().into_iter().filter_map(|it: CstNode| it.as_object());
    objects(entries.clone()).any(|entry| {
        has_command(&entry)
            || entry
                .array_value("hooks")
                .is_some_and(|inner| objects(inner).any(|it| has_command(&it)))
    })
}

/// Returns a script with the managed block, at the start because a script may exit anywhere.
fn merge_script(old: &[u8]) -> Result<Vec<u8>, String> {
    let update =
        |old: &[u8]| managed_block::SCRIPT.update(old, PRE_COMMIT).map_err(|it| it.message);
    if old.is_empty() {
        return Ok([b"#!/bin/sh\n".as_slice(), &update(b"")?].concat());
    }
    let first = old.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_shell = first.starts_with(b"#!") && first.trim_ascii_end().ends_with(b"sh");
    if !is_shell {
        return Err("it is not a shell script with a `#!` line".to_owned());
    }
    if managed_block::SCRIPT.without_block(old).map_err(|it| it.message)?.len() < old.len() {
        return update(old);
    }
    Ok([&update(first)?, &old[first.len()..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tool: HookTool, old: &str, expected: &str) {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        let new = merge(tool, old.as_bytes()).map(text);
        assert_eq!(new.as_deref(), Ok(expected));
        let again = merge(tool, expected.as_bytes()).map(text);
        assert_eq!(again.as_deref(), Ok(expected), "idempotent");
    }

    #[test]
    fn settings_have_the_format_of_the_tool() {
        check(
            HookTool::Claude,
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
            HookTool::Cursor,
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
    fn other_settings_are_preserved() {
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
            HookTool::Gemini,
            "{\n    // comment\n    \"z\": 1,\n    \"hooks\": {\"Stop\": []},\n    \"a\": [1,  2]\n}",
            &format!(
                "{{\n    // comment\n    \"z\": 1,\n    \"hooks\": {{\n        \"Stop\": [],\n        \
                 \"SessionStart\": [\n            {entry}\n        ]\n    }},\n    \"a\": [1,  2]\n}}"
            ),
        );
        let edited = r#"{"hooks":{"sessionStart":[{"command":"cd x && cerberus memory inject --budget 9"}]},"version":1}"#;
        check(HookTool::Cursor, edited, edited);
    }

    #[test]
    fn the_block_is_at_the_start_of_a_script() {
        let block =
            format!("{}\n{PRE_COMMIT}{}\n", managed_block::SCRIPT.start, managed_block::SCRIPT.end);
        check(HookTool::Git, "", &format!("#!/bin/sh\n{block}"));
        check(
            HookTool::Git,
            "#!/usr/bin/env bash\nexec make lint",
            &format!("#!/usr/bin/env bash\n\n{block}exec make lint"),
        );
    }

    #[test]
    fn invalid_files_are_an_error() {
        for (tool, old, why) in [
            (HookTool::Claude, "{\"a\": }", "it is not valid JSON"),
            (HookTool::Claude, "[]", "it is not a JSON object"),
            (HookTool::Claude, "{\"hooks\": []}", "its `hooks` is not an object"),
            (
                HookTool::Codex,
                "{\"hooks\": {\"SessionStart\": 1}}",
                "its `SessionStart` is not an array",
            ),
            (HookTool::Git, "#!/usr/bin/env python\n", "it is not a shell script"),
            (HookTool::Git, "\u{7f}ELF", "it is not a shell script"),
        ] {
            let error = merge(tool, old.as_bytes()).expect_err("refused");
            assert!(error.starts_with(why), "{error}");
        }
    }
}
