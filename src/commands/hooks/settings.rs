//! `cerberus hooks print`: the settings with which agents and git run cerberus. `setup` merges them
//! into files and removes them.
//!
//! Merging adds missing entries. The order, the comments and all other hooks, also edited ones of
//! cerberus, are preserved.

use anyhow::Result;
use clap::ValueEnum;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject};
use jsonc_parser::json;
use serde::Serialize;

use super::{HookEvent, HookTool, HooksPrintArgs};
use crate::commands::settings_file::{Edited, SettingsFile, is_equal};
use crate::error::{ExitStatus, UserError};
use crate::ops::managed_block;
use crate::output::Printer;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Printed {
    text: String,
}

/// The script of the pre-commit hook; it never blocks the commit.
const PRE_COMMIT: &str = "\
if command -v cerberus >/dev/null 2>&1; then
    cerberus hooks run git commit || true
fi
";

// `.opencode/plugins/cerberus.js`, https://opencode.ai/docs/plugins: `tool.execute.before` can only
// change the arguments, `tool.execute.after` can change the result, so the rules come with the result.
const OPENCODE_PLUGIN: &str = include_str!("opencode.js");

/// The event in the settings of an agent, the tools of the agent whose use it is about, and what
/// cerberus does.
type Hook = (&'static str, Option<&'static str>, HookEvent);

/// Prints the settings of a tool.
pub(super) fn run(args: &HooksPrintArgs, out: &mut Printer) -> Result<ExitStatus> {
    let merged = merge(args.tool, b"").map_err(UserError::usage)?;
    let report = Printed { text: String::from_utf8_lossy(&merged.text).into_owned() };
    if out.json {
        out.json(&report)?;
    } else {
        out.line(report.text.trim_end());
    }
    Ok(ExitStatus::Done)
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
    let mut edited = Vec::new();
    for (event, matcher, kind) in entries(tool) {
        let array = hooks
            .array_value_or_create(event)
            .ok_or_else(|| format!("its `{event}` is not an array"))?;
        let value = value(tool, *matcher, *kind);
        let ours = of_kind(&array, *kind);
        if ours.is_empty() {
            array.append(value);
        } else if !ours.iter().any(|node| is_equal(node, &value)) {
            edited.extend(commands(&ours[0]).into_iter().next());
        }
    }
    Ok(Edited { text: file.text(), edited })
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
    let (mut edited, mut n_removed) = (Vec::new(), 0);
    for (event, matcher, kind) in entries(tool) {
        let Some(array) = hooks.array_value(event) else { continue };
        let value = value(tool, *matcher, *kind);
        for node in of_kind(&array, *kind) {
            if is_equal(&node, &value) {
                node.remove();
                n_removed += 1;
            } else {
                edited.extend(commands(&node).into_iter().next());
            }
        }
        if n_removed > 0 && array.elements().is_empty() {
            hooks.get(event).into_iter().for_each(|property| property.remove());
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

/// Returns the hooks of an agent. Before the first edit, a large project may have to be indexed,
/// which the time limits allow for.
fn entries(tool: HookTool) -> &'static [Hook] {
    use HookEvent::{AfterEdit, Commit, Edit, SessionStart};
    match tool {
        // `.claude/settings.json`, https://code.claude.com/docs/en/hooks: `SessionStart` without a
        // matcher also runs after a compaction and reads plain text; `PreToolUse` reads
        // `additionalContext`.
        HookTool::Claude => &[
            ("SessionStart", None, SessionStart),
            ("PreToolUse", Some("Edit|Write|MultiEdit|NotebookEdit"), Edit),
            ("PostToolUse", Some("Edit|Write|MultiEdit|NotebookEdit"), AfterEdit),
            ("PreToolUse", Some("Bash"), Commit),
        ],
        // `.codex/hooks.json`, https://developers.openai.com/codex/hooks: the format of Claude Code;
        // files are edited with the tool `apply_patch`.
        HookTool::Codex => &[
            ("SessionStart", None, SessionStart),
            ("PreToolUse", Some("apply_patch"), Edit),
            ("PostToolUse", Some("apply_patch"), AfterEdit),
            ("PreToolUse", Some("Bash"), Commit),
        ],
        // `.gemini/settings.json`, https://geminicli.com/docs/hooks/reference: timeouts are in
        // milliseconds, the output is JSON, no event follows a compression, and `BeforeTool` cannot
        // add context, but `AfterTool` can.
        HookTool::Gemini => {
            &[("SessionStart", None, SessionStart), ("AfterTool", Some("write_file|replace"), Edit)]
        }
        // `.cursor/hooks.json`, https://cursor.com/docs/hooks: `preToolUse` can deny a call but not
        // add context, `postToolUse` can. The matcher is a regular expression.
        HookTool::Cursor => &[
            ("sessionStart", None, SessionStart),
            ("postToolUse", Some("Write|StrReplace|Edit"), Edit),
        ],
        // `.github/hooks/*.json`, https://docs.github.com/en/copilot/reference/hooks-reference:
        // `preToolUse` can deny a call but not add context, `postToolUse` can.
        HookTool::Copilot => &[
            ("sessionStart", None, SessionStart),
            ("postToolUse", Some("create|edit|str_replace_editor|apply_patch"), Edit),
        ],
        HookTool::Opencode | HookTool::Git => &[],
    }
}

/// Returns the value of a hook. Its command does nothing without cerberus, and never fails: a
/// failure would block an edit or a command in some agents.
fn value(tool: HookTool, matcher: Option<&str>, event: HookEvent) -> CstInputValue {
    let name = |value: Option<clap::builder::PossibleValue>| {
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    };
    let (agent, event) = (name(tool.to_possible_value()), name(event.to_possible_value()));
    let command = format!(
        "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run {agent} {event} || true"
    );
    let matcher = matcher.map(|matcher| ("matcher".to_owned(), matcher.into()));
    let command = |key: &str| (key.to_owned(), command.as_str().into());
    let entry = |key: &str, value: CstInputValue| (key.to_owned(), value);
    let kind = entry("type", json!("command"));
    let group = |hook: Vec<(String, CstInputValue)>| {
        let hooks = CstInputValue::Array(vec![CstInputValue::Object(hook)]);
        matcher.clone().into_iter().chain([entry("hooks", hooks)]).collect()
    };
    CstInputValue::Object(match tool {
        HookTool::Gemini => group(vec![
            entry("name", json!("cerberus")),
            kind,
            command("command"),
            entry("timeout", json!(30_000)),
        ]),
        HookTool::Cursor => [command("command")].into_iter().chain(matcher).collect(),
        HookTool::Copilot => [kind]
            .into_iter()
            .chain(matcher)
            .chain([command("bash"), entry("timeoutSec", json!(30))])
            .collect(),
        _ => group(vec![kind, command("command"), entry("timeout", json!(30))]),
    })
}

/// Returns the entries in which cerberus does this.
fn of_kind(entries: &CstArray, wanted: HookEvent) -> Vec<CstNode> {
    const KINDS: &[(&str, HookEvent)] = &[
        ("session-start", HookEvent::SessionStart),
        ("commit", HookEvent::Commit),
        ("after-edit", HookEvent::AfterEdit),
        ("edit", HookEvent::Edit),
    ];
    let kind = |entry: &CstNode| {
        commands(entry).iter().find_map(|command| {
            let ours =
                command.rsplit_once("cerberus hooks run ").map(|(_, arguments)| arguments)?;
            KINDS.iter().find(|(words, _)| ours.contains(words)).map(|(_, kind)| *kind)
        })
    };
    entries.elements().into_iter().filter(|entry| kind(entry) == Some(wanted)).collect()
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
    if block == PRE_COMMIT {
        return Ok(Edited::new(update(old)?));
    }
    Ok(Edited { edited: vec![block], ..Edited::new(old.to_vec()) })
}

/// Returns a script without the managed block, or nothing if only the first line remains.
fn remove_script(old: &[u8]) -> Result<Edited, String> {
    let Some(block) = managed_block::SCRIPT.text(old).map_err(|it| it.message)? else {
        return Ok(Edited::new(old.to_vec()));
    };
    let block = String::from_utf8_lossy(block).replace("\r\n", "\n");
    if block != PRE_COMMIT {
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
