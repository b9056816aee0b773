//! `cerberus hooks print`: prints or merges the settings with which agents and git run cerberus.
//!
//! Merging adds missing entries, and replaces those that an earlier version wrote and nobody edited.
//! The order, the comments and all other hooks, also edited ones of cerberus, are preserved.

use std::path::Path;

use anyhow::Result;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};
use jsonc_parser::json;
use serde::Serialize;

use super::{HookEvent, HookTool, HooksPrintArgs};
use crate::bank::ExternalFile;
use crate::commands::settings_file::{Edited, SettingsFile, is_equal};
use crate::config::{GlobalArgs, Settings};
use crate::error::{ExitStatus, UserError};
use crate::ops::managed_block;
use crate::output::{NAME, OK, Printer, WARN};

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
    /// The commands of hooks that run cerberus, but were edited, so that they are not replaced.
    edited: Vec<String>,
}

/// Returns whether settings contain an unedited hook of an earlier version.
pub(crate) fn is_outdated(tool: HookTool, settings: &[u8]) -> bool {
    merge(tool, settings).is_ok_and(|merged| merged.is_upgraded)
}

/// The script of the pre-commit hook; it never blocks the commit.
const PRE_COMMIT: &str = "\
if command -v cerberus >/dev/null 2>&1; then
    cerberus hooks run git commit || true
fi
";

/// The scripts that earlier versions wrote.
const OLD_PRE_COMMITS: &[&str] = &["\
if command -v cerberus >/dev/null 2>&1; then
    cerberus memory linked --diff --for git-hook || true
fi
"];

// `.opencode/plugins/cerberus.js`, https://opencode.ai/docs/plugins: `tool.execute.before` can only
// change the arguments, `tool.execute.after` can change the result, so the rules come with the result.
const OPENCODE_PLUGIN: &str = include_str!("opencode.js");

/// An entry of the settings.
struct Entry {
    /// The name of the event in the settings.
    event: &'static str,
    /// What cerberus does.
    kind: HookEvent,
    value: CstInputValue,
}

pub(super) fn run(
    args: &HooksPrintArgs,
    global: &GlobalArgs,
    out: &mut Printer,
) -> Result<ExitStatus> {
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
        return Ok(ExitStatus::Done);
    }
    let file = out.style(NAME, &report.file);
    if report.written {
        out.line(&format!("{} {file}", out.paint(OK, "updated")));
    } else if report.edited.is_empty() {
        out.line(&format!("{file} is up to date"));
    }
    for command in &report.edited {
        let kept = out.paint(WARN, "kept");
        out.line(&format!("{kept} an edited hook in {file}: {}", out.safe(&one_line(command))));
    }
    if !report.edited.is_empty() {
        out.line("next: remove it to get the hook of this version, and run the command again");
    }
    Ok(ExitStatus::Done)
}

fn one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Returns the settings of a tool.
fn print(tool: HookTool) -> Result<Printed> {
    let merged = merge(tool, b"").map_err(UserError::usage)?;
    Ok(Printed { text: String::from_utf8_lossy(&merged.text).into_owned() })
}

/// Merges the settings of a tool into the file at `path`.
fn write(tool: HookTool, path: &Path, root: &Path) -> Result<Written> {
    let file = ExternalFile::open(path, root)?;
    let path = path.display();
    let new = merge(tool, &file.bytes).map_err(|why| {
        UserError::usage(format!("failed to merge into `{path}`: {why}"))
            .hint("fix the file, or print the settings to add with `cerberus hooks print`")
    })?;
    let written = file.write(&new.text)?;
    if tool == HookTool::Git {
        file.make_executable()?;
    }
    Ok(Written { file: path.to_string(), written, edited: new.edited })
}

/// Returns `old` with the settings merged, or the reason for the failure.
pub(crate) fn merge(tool: HookTool, old: &[u8]) -> Result<Edited, String> {
    match tool {
        HookTool::Git => merge_script(old),
        HookTool::Opencode => merge_plugin(old),
        _ => merge_json(tool, old),
    }
}

fn merge_json(tool: HookTool, old: &[u8]) -> Result<Edited, String> {
    let file = SettingsFile::parse(old)?;
    let settings = file.object()?;
    let has_version = matches!(tool, HookTool::Cursor | HookTool::Copilot);
    if has_version && settings.get("version").is_none() {
        settings.append("version", json!(1));
    }
    let hooks = settings.object_value_or_create("hooks").ok_or("its `hooks` is not an object")?;
    let old_entries = old_entries(tool);
    let (mut edited, mut is_upgraded) = (Vec::new(), false);
    for entry in entries(tool) {
        let event = entry.event;
        let array = hooks
            .array_value_or_create(event)
            .ok_or_else(|| format!("its `{event}` is not an array"))?;
        let found = array.elements();
        let ours: Vec<&CstNode> =
            found.iter().filter(|node| kind(node) == Some(entry.kind)).collect();
        let is_old = |node: &CstNode| old_entries.iter().any(|old| is_equal(node, old));
        match ours[..] {
            [] => {
                array.append(entry.value);
            }
            _ if ours.iter().any(|node| is_equal(node, &entry.value)) => {}
            [node, ..] if is_old(node) => {
                is_upgraded = true;
                if let Some(node) = node.as_object() {
                    node.replace_with(entry.value);
                }
            }
            [node, ..] => edited.extend(commands(node).into_iter().next()),
        }
    }
    Ok(Edited { text: file.text(), is_upgraded, edited })
}

/// Returns `old` without the settings of a tool, or the reason for the failure. Edited hooks stay.
pub(crate) fn remove(tool: HookTool, old: &[u8]) -> Result<Edited, String> {
    if old.is_empty() {
        return Ok(Edited::new(Vec::new()));
    }
    match tool {
        HookTool::Git => remove_script(old),
        HookTool::Opencode if old == OPENCODE_PLUGIN.as_bytes() => Ok(Edited::new(Vec::new())),
        HookTool::Opencode => {
            Ok(Edited { edited: edited_plugin(old), ..Edited::new(old.to_vec()) })
        }
        _ => remove_json(tool, old),
    }
}

fn remove_json(tool: HookTool, old: &[u8]) -> Result<Edited, String> {
    let file = SettingsFile::parse(old)?;
    let settings = file.object()?;
    let Some(hooks) = settings.object_value("hooks") else {
        return Ok(Edited::new(old.to_vec()));
    };
    let old_entries = old_entries(tool);
    let (mut edited, mut n_removed) = (Vec::new(), 0);
    for entry in entries(tool) {
        let Some(array) = hooks.array_value(entry.event) else { continue };
        for node in array.elements().into_iter().filter(|node| kind(node) == Some(entry.kind)) {
            if is_equal(&node, &entry.value) || old_entries.iter().any(|it| is_equal(&node, it)) {
                node.remove();
                n_removed += 1;
            } else {
                edited.extend(commands(&node).into_iter().next());
            }
        }
        if n_removed > 0 && array.elements().is_empty() {
            hooks.get(entry.event).into_iter().for_each(|property| property.remove());
        }
    }
    if n_removed == 0 {
        return Ok(Edited { edited, ..Edited::new(old.to_vec()) });
    }
    if hooks.properties().is_empty() {
        settings.get("hooks").into_iter().for_each(|property| property.remove());
    }
    // The version alone has no meaning.
    if let ([property], HookTool::Cursor | HookTool::Copilot) = (&settings.properties()[..], tool)
        && property.decoded_name().as_deref() == Some("version")
    {
        property.clone().remove();
    }
    Ok(Edited { edited, ..Edited::new(file.text_or_empty()) })
}

/// Returns the command line of a hook. It does nothing without cerberus, and never fails: a failure
/// would block an edit or a command in some agents.
fn command(tool: &str, event: &str) -> String {
    format!(
        "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run {tool} {event} || true"
    )
}

/// Returns the entries of a tool. Before the first edit, a large project may have to be indexed,
/// which the time limits allow for.
fn entries(tool: HookTool) -> Vec<Entry> {
    use HookEvent::{AfterEdit, Commit, Edit, SessionStart};
    let entry = |event, kind, value| Entry { event, kind, value };
    match tool {
        // `.claude/settings.json`, https://code.claude.com/docs/en/hooks: `SessionStart` without a
        // matcher also runs after a compaction and reads plain text; `PreToolUse` reads
        // `additionalContext`.
        HookTool::Claude => {
            let hook = |event| group_hook(&command("claude", event), 30);
            let edits = "Edit|Write|MultiEdit|NotebookEdit";
            vec![
                entry("SessionStart", SessionStart, group(None, hook("session-start"))),
                entry("PreToolUse", Edit, group(Some(edits), hook("edit"))),
                entry("PostToolUse", AfterEdit, group(Some(edits), hook("after-edit"))),
                entry("PreToolUse", Commit, group(Some("Bash"), hook("commit"))),
            ]
        }
        // `.codex/hooks.json`, https://developers.openai.com/codex/hooks: the format of Claude Code;
        // files are edited with the tool `apply_patch`.
        HookTool::Codex => {
            let hook = |event| group_hook(&command("codex", event), 30);
            vec![
                entry("SessionStart", SessionStart, group(None, hook("session-start"))),
                entry("PreToolUse", Edit, group(Some("apply_patch"), hook("edit"))),
                entry("PostToolUse", AfterEdit, group(Some("apply_patch"), hook("after-edit"))),
                entry("PreToolUse", Commit, group(Some("Bash"), hook("commit"))),
            ]
        }
        // `.gemini/settings.json`, https://geminicli.com/docs/hooks/reference: timeouts are in
        // milliseconds, the output is JSON, no event follows a compression, and `BeforeTool` cannot
        // add context, but `AfterTool` can.
        HookTool::Gemini => {
            let hook = |event| named_hook(&command("gemini", event), 30_000);
            vec![
                entry("SessionStart", SessionStart, group(None, hook("session-start"))),
                entry("AfterTool", Edit, group(Some("write_file|replace"), hook("edit"))),
            ]
        }
        // `.cursor/hooks.json`, https://cursor.com/docs/hooks: `preToolUse` can deny a call but not
        // add context, `postToolUse` can. The matcher is a regular expression.
        HookTool::Cursor => {
            let start = command("cursor", "session-start");
            let edit = command("cursor", "edit");
            vec![
                entry("sessionStart", SessionStart, json!({ "command": start })),
                entry(
                    "postToolUse",
                    Edit,
                    json!({
                        "command": edit, "matcher": "Write|StrReplace|Edit"
                    }),
                ),
            ]
        }
        // `.github/hooks/*.json`, https://docs.github.com/en/copilot/reference/hooks-reference:
        // `preToolUse` can deny a call but not add context, `postToolUse` can.
        HookTool::Copilot => {
            let start = command("copilot", "session-start");
            let edit = command("copilot", "edit");
            vec![
                entry(
                    "sessionStart",
                    SessionStart,
                    json!({
                        "type": "command", "bash": start, "timeoutSec": 30
                    }),
                ),
                entry(
                    "postToolUse",
                    Edit,
                    json!({
                        "type": "command", "matcher": "create|edit|str_replace_editor|apply_patch",
                        "bash": edit, "timeoutSec": 30
                    }),
                ),
            ]
        }
        HookTool::Opencode | HookTool::Git => Vec::new(),
    }
}

/// Returns the entries that earlier versions wrote.
fn old_entries(tool: HookTool) -> Vec<CstInputValue> {
    let start = |command: &str| group(None, group_hook(command, 10));
    let commit = |command: &str| group(Some("Bash"), group_hook(command, 10));
    match tool {
        HookTool::Claude => vec![
            start("cerberus memory inject --for claude-hook"),
            commit("cerberus memory linked --diff --for claude-hook || true"),
        ],
        HookTool::Codex => vec![
            start("cerberus memory inject --for codex-hook"),
            commit("cerberus memory linked --diff --for codex-hook || true"),
        ],
        HookTool::Gemini => {
            vec![group(None, named_hook("cerberus memory inject --for gemini-hook", 10_000))]
        }
        HookTool::Cursor => {
            vec![json!({ "command": "cerberus memory inject --for cursor-hook" })]
        }
        HookTool::Copilot | HookTool::Opencode | HookTool::Git => Vec::new(),
    }
}

/// Returns a group of one hook, in the format of Claude Code.
fn group(matcher: Option<&str>, hook: CstInputValue) -> CstInputValue {
    let matcher = matcher.map(|matcher| ("matcher".to_owned(), matcher.into()));
    let hooks = ("hooks".to_owned(), CstInputValue::Array(vec![hook]));
    CstInputValue::Object(matcher.into_iter().chain([hooks]).collect())
}

fn group_hook(command: &str, timeout: i32) -> CstInputValue {
    json!({ "type": "command", "command": command, "timeout": timeout })
}

fn named_hook(command: &str, timeout: i32) -> CstInputValue {
    json!({ "name": "cerberus", "type": "command", "command": command, "timeout": timeout })
}

/// Returns what cerberus does in an entry, if the entry runs cerberus.
fn kind(entry: &CstNode) -> Option<HookEvent> {
    const KINDS: &[(&str, HookEvent)] = &[
        ("memory inject", HookEvent::SessionStart),
        ("session-start", HookEvent::SessionStart),
        ("memory linked", HookEvent::Commit),
        ("commit", HookEvent::Commit),
        ("after-edit", HookEvent::AfterEdit),
        ("edit", HookEvent::Edit),
    ];
    commands(entry).iter().find_map(|command| {
        let ours = command.rsplit_once("cerberus ").map(|(_, arguments)| arguments)?;
        let ours = ours
            .strip_prefix("hooks run ")
            .or_else(|| ours.starts_with("memory ").then_some(ours))?;
        KINDS.iter().find(|(words, _)| ours.contains(words)).map(|(_, kind)| *kind)
    })
}

/// Returns the commands of an entry, which may be in its `hooks`.
fn commands(entry: &CstNode) -> Vec<String> {
    let Some(entry) = entry.as_object() else { return Vec::new() };
    let own = |object: &CstObject| -> Vec<String> {
        let values = ["command", "bash"].into_iter().filter_map(|name| object.get(name)?.value());
        values.filter_map(|value| value.as_string_lit()?.decoded_value().ok()).collect()
    };
    let inner = entry.array_value("hooks").map(|it: CstArray| it.elements()).unwrap_or_default();
    let inner = inner.iter().filter_map(CstNode::as_object);
    own(&entry).into_iter().chain(inner.flat_map(|hook| own(&hook))).collect()
}

/// Returns a script with the managed block, at the start because a script may exit anywhere.
fn merge_script(old: &[u8]) -> Result<Edited, String> {
    let update =
        |old: &[u8]| managed_block::SCRIPT.update(old, PRE_COMMIT).map_err(|it| it.message);
    if old.is_empty() {
        return Ok(Edited::new([b"#!/bin/sh\n".as_slice(), &update(b"")?].concat()));
    }
    let first = old.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_shell = first.starts_with(b"#!") && first.trim_ascii_end().ends_with(b"sh");
    if !is_shell {
        return Err("it is not a shell script with a `#!` line".to_owned());
    }
    let Some(block) = managed_block::SCRIPT.text(old).map_err(|it| it.message)? else {
        return Ok(Edited::new([&update(first)?, &old[first.len()..]].concat()));
    };
    let block = String::from_utf8_lossy(block).replace("\r\n", "\n");
    let is_upgraded = OLD_PRE_COMMITS.contains(&&*block);
    if is_upgraded || block == PRE_COMMIT {
        return Ok(Edited { is_upgraded, ..Edited::new(update(old)?) });
    }
    Ok(Edited { edited: vec![block], ..Edited::new(old.to_vec()) })
}

/// Returns a script without the managed block, or nothing if only the first line remains.
fn remove_script(old: &[u8]) -> Result<Edited, String> {
    let Some(block) = managed_block::SCRIPT.text(old).map_err(|it| it.message)? else {
        return Ok(Edited::new(old.to_vec()));
    };
    let block = String::from_utf8_lossy(block).replace("\r\n", "\n");
    if block != PRE_COMMIT && !OLD_PRE_COMMITS.contains(&&*block) {
        return Ok(Edited { edited: vec![block], ..Edited::new(old.to_vec()) });
    }
    let mut rest = managed_block::SCRIPT.remove(old).map_err(|it| it.message)?;
    // The empty line between the first line and the block, which a merge puts there.
    let first = old.split_inclusive(|byte| *byte == b'\n').next().map_or(0, <[u8]>::len);
    for newline in ["\r\n", "\n"] {
        let gap = format!("{newline}{}", managed_block::SCRIPT.start);
        if old[first..].starts_with(gap.as_bytes()) {
            rest.drain(first..first + newline.len());
        }
    }
    let is_empty = rest.trim_ascii() == b"#!/bin/sh";
    Ok(Edited::new(if is_empty { Vec::new() } else { rest }))
}

/// Returns the plugin, which is the whole file.
fn merge_plugin(old: &[u8]) -> Result<Edited, String> {
    if old.is_empty() || old == OPENCODE_PLUGIN.as_bytes() {
        return Ok(Edited::new(OPENCODE_PLUGIN.as_bytes().to_vec()));
    }
    if !String::from_utf8_lossy(old).contains("cerberus") {
        return Err("it is another plugin; name a file of its own".to_owned());
    }
    Ok(Edited { edited: edited_plugin(old), ..Edited::new(old.to_vec()) })
}

/// Returns the command of an edited plugin, or nothing if it is another plugin.
fn edited_plugin(text: &[u8]) -> Vec<String> {
    let is_ours = String::from_utf8_lossy(text).contains("cerberus");
    is_ours.then(|| "cerberus hooks run opencode edit".to_owned()).into_iter().collect()
}

#[cfg(test)]
mod tests;
