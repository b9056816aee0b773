//! `cerberus hooks print`: the settings with which agents and git run cerberus. `setup` merges them
//! into files and removes them.
//!
//! Merging adds missing entries. The order, the comments and all other hooks, also edited ones of
//! cerberus, are preserved.

use anyhow::Result;
use cerberus_bank::ops::managed_block;
use cerberus_model::error::UserError;
use cerberus_model::text::word_list;
use clap::ValueEnum;
use serde_json::json;

use super::HookTool;
use crate::commands::settings_file::{self, Edited, Entry, Layout, Settings};
use crate::output::{CliResult, Printer};

/// The script of the pre-commit hook; it never blocks the commit.
const PRE_COMMIT: &str = include_str!("pre-commit.sh");

// `.opencode/plugins/cerberus.js`, https://opencode.ai/docs/plugins: `tool.execute.before` can change the
// arguments or fail, `tool.execute.after` can change the result, so the rules come with the result.
// Version 2 calls `setup` instead of `server`: https://opencode.ai/v2/docs/build/plugins/migrate-v1.
const OPENCODE_PLUGIN: &str = include_str!("opencode.js");

/// Prints the settings of a tool.
pub(super) fn print(tool: HookTool, out: &mut Printer) -> CliResult {
    let merged = merge(tool, b"", Layout::Like).map_err(UserError::usage)?;
    let text = String::from_utf8_lossy(&merged.text);
    out.report(&json!({ "text": text }), |_, out| out.code(text.trim_end()))
}

/// Returns `old` with the settings merged, or the reason for the failure.
pub(crate) fn merge(tool: HookTool, old: &[u8], layout: Layout) -> Result<Edited, String> {
    match tool {
        HookTool::Git => merge_script(old),
        HookTool::Opencode => merge_plugin(old),
        _ => settings_file::merge(old, settings(tool), layout),
    }
}

/// Returns `old` without the settings of a tool, or the reason for the failure. Edited hooks stay.
pub(crate) fn remove(tool: HookTool, old: &[u8]) -> Result<Edited, String> {
    if old.is_empty() {
        return Ok(Edited::new(Vec::new()));
    }
    match tool {
        HookTool::Git => remove_script(old),
        HookTool::Opencode if old == OPENCODE_PLUGIN.as_bytes() => Ok(Edited::new(Vec::new())),
        HookTool::Opencode => Ok(Edited {
            edited: edited_plugin(old),
            ..Edited::new(old.to_vec())
        }),
        _ => settings_file::remove(old, settings(tool), false),
    }
}

/// Returns the entries of the JSON settings of an agent.
fn settings(tool: HookTool) -> Settings {
    let agent = name(&tool);
    let mut lines = word_list::section(include_str!("hooks.txt"), &agent);
    let form = lines.next().unwrap_or_default();
    let mut entries = Vec::new();
    for hook in lines {
        let Some((key, rest)) = hook.split_once(' ') else {
            continue;
        };
        let (matcher, event) = match rest.split_once(' ') {
            Some((matcher, event)) => (Some(matcher), event),
            None => (None, rest),
        };
        entries.push(Entry {
            parent: "hooks",
            key,
            value: value(form, &agent, matcher, event),
            kind: Some(event.to_owned()),
        });
    }
    let has_version = matches!(tool, HookTool::Cursor | HookTool::Copilot);
    Settings {
        header: has_version.then_some(("version", "1")),
        is_header_optional: false,
        entries,
    }
}

/// Returns the name of a value on the command line.
pub(super) fn name(value: &impl ValueEnum) -> String {
    value
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

/// Returns the JSON of a hook. Its command does nothing without cerberus, and never fails: a
/// failure would block an edit or a command in some agents.
fn value(form: &str, agent: &str, matcher: Option<&str>, event: &str) -> String {
    let command = format!(
        "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run {agent} {event} || true"
    );
    let matcher = matcher
        .map(|matcher| format!("\"matcher\":\"{matcher}\","))
        .unwrap_or_default();
    form.replace("{matcher}", &matcher)
        .replace("{command}", &command)
        .replace(",}", "}")
}

/// Returns a script with the managed block, at the start because a script may exit anywhere.
fn merge_script(old: &[u8]) -> Result<Edited, String> {
    if old.is_empty() {
        let script = [b"#!/bin/sh\n".as_slice(), &with_block(b"")?].concat();
        return Ok(Edited::new(script));
    }
    let first = old
        .split_inclusive(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let is_shell = first.starts_with(b"#!") && first.trim_ascii_end().ends_with(b"sh");
    if !is_shell {
        return Err("it is not a shell script with a `#!` line".to_owned());
    }
    let Some(block) = block_of_script(old)? else {
        let script = [&with_block(first)?, &old[first.len()..]].concat();
        return Ok(Edited::new(script));
    };
    let mut script = Edited::new(old.to_vec());
    if block != PRE_COMMIT {
        script.edited.push(block);
    }
    Ok(script)
}

fn with_block(script: &[u8]) -> Result<Vec<u8>, String> {
    let updated = managed_block::SCRIPT.update(script, PRE_COMMIT);
    updated.map_err(|error| error.message)
}

fn block_of_script(script: &[u8]) -> Result<Option<String>, String> {
    let block = managed_block::SCRIPT
        .text(script)
        .map_err(|error| error.message)?;
    Ok(block.map(|block| String::from_utf8_lossy(block).replace("\r\n", "\n")))
}

/// Returns a script without the managed block, or nothing if only the first line remains.
fn remove_script(old: &[u8]) -> Result<Edited, String> {
    let block = block_of_script(old)?;
    if block.as_deref() != Some(PRE_COMMIT) {
        return Ok(Edited {
            edited: Vec::from_iter(block),
            ..Edited::new(old.to_vec())
        });
    }
    let mut rest = managed_block::SCRIPT
        .without_block(old)
        .map_err(|error| error.message)?;
    // The empty line between the first line and the block, which a merge puts there.
    let mut lines = old.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default().len();
    for newline in ["\r\n", "\n"] {
        let gap = format!("{newline}{}", managed_block::SCRIPT.start);
        if old[first..].starts_with(gap.as_bytes()) {
            rest.drain(first..first + newline.len());
            return Ok(Edited::new(rest));
        }
    }
    if rest == b"#!/bin/sh\n" {
        rest.clear();
    }
    Ok(Edited::new(rest))
}

/// Returns the plugin, which is the whole file.
fn merge_plugin(old: &[u8]) -> Result<Edited, String> {
    if old.is_empty() || old == OPENCODE_PLUGIN.as_bytes() {
        return Ok(Edited::new(OPENCODE_PLUGIN.as_bytes().to_vec()));
    }
    if !String::from_utf8_lossy(old).contains("cerberus") {
        return Err("it is another plugin; name a file of its own".to_owned());
    }
    Ok(Edited {
        edited: edited_plugin(old),
        ..Edited::new(old.to_vec())
    })
}

/// Returns the command of an edited plugin, or nothing if it is another plugin.
fn edited_plugin(text: &[u8]) -> Vec<String> {
    if String::from_utf8_lossy(text).contains("cerberus") {
        vec!["cerberus hooks run opencode".to_owned()]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
