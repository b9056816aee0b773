//! The events that agents send to a hook.
//!
//! The agents name the same things differently, and some run the hooks of another one with events of
//! their own, so every spelling is accepted from everyone. An event is untrusted and may be of any
//! version: what is not understood is `None`.

use std::io::{IsTerminal, Read};

use cerberus_bank::ops::envelope;
use rustc_hash::FxHashSet;
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_128;

use crate::agents::{PAYLOAD, field};

/// Maximum size of an event. An agent writes no larger file at once.
const MAX_BYTES: u64 = 8 * 1024 * 1024;

/// An event of a session.
#[derive(Debug, PartialEq)]
pub(super) struct Event {
    /// The key of the session in the store.
    pub(super) session: Option<String>,
    /// The folder in which the agent works.
    pub(super) folder: Option<String>,
    /// Why a session starts.
    pub(super) source: Option<String>,
    /// What the user asks for.
    pub(super) prompt: Option<String>,
    /// Whether it is an event of a subagent.
    pub(super) is_subagent: bool,
    /// Whether the agent goes on because a hook asked it to.
    pub(super) is_repeated_stop: bool,
    arguments: Value,
    /// The output of a tool.
    pub(super) output: Option<String>,
}

/// A file and the text that is written to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) path: String,
    pub(super) text: String,
    /// The lines of the text that are not in the text that it replaces.
    pub(super) added: String,
}

/// Reads the event from stdin.
pub(super) fn read() -> Option<Event> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return None;
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .ok()?;
    if bytes.len() as u64 > MAX_BYTES {
        return None;
    }
    Event::parse(&bytes)
}

impl Event {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        // Some have the arguments of a tool in the event itself.
        let mut arguments = field(&value, &PAYLOAD.arguments).unwrap_or(&value).clone();
        // Copilot may send the arguments as text.
        if let Some(text) = arguments.as_str()
            && let Ok(parsed) = serde_json::from_str(text)
        {
            arguments = parsed;
        }
        // A subagent has a context of its own; in Copilot its prompt has its id as the session. An agent
        // that also runs the hooks of another one has the same session in both.
        let agent = text_field(&value, &PAYLOAD.agent);
        let is_subagent = agent.is_some();
        let session = text_field(&value, &PAYLOAD.session);
        let session = session.map(|session| agent.unwrap_or(session));
        let prompt = text_field(&value, &PAYLOAD.prompt);
        let repeated = field(&value, &PAYLOAD.is_repeated_stop);
        Some(Self {
            session: session.map(|session| format!("{:032x}", xxh3_128(session.as_bytes()))),
            folder: folder(&value),
            source: text_field(&value, &PAYLOAD.source),
            prompt: prompt.map(|prompt| without_given(&prompt)),
            is_subagent,
            is_repeated_stop: repeated.and_then(Value::as_bool).unwrap_or_default(),
            arguments,
            output: text_field(&value, &PAYLOAD.output),
        })
    }

    /// Returns the shell command that the agent is about to run.
    pub(super) fn command(&self) -> Option<String> {
        let command = field(&self.arguments, &PAYLOAD.command)?;
        let Some(several) = command.as_array() else {
            return command.as_str().map(str::to_owned);
        };
        let lines: Option<Vec<&str>> = several.iter().map(Value::as_str).collect();
        lines.map(|lines| lines.join("\n"))
    }

    /// Returns the files that the agent edits.
    pub(super) fn edits(&self) -> Vec<Edit> {
        if let Some(patch) = self.patch() {
            return patch;
        }
        let several = field(&self.arguments, &PAYLOAD.several).and_then(Value::as_array);
        let several = several.map(Vec::as_slice).unwrap_or_default();
        let all = std::iter::once(&self.arguments).chain(several);
        let of_all = text_field(&self.arguments, &PAYLOAD.path);
        let mut edits: Vec<Edit> = Vec::new();
        for arguments in all {
            let path = text_field(arguments, &PAYLOAD.path).or_else(|| of_all.clone());
            // A tool that only reads names a file, too.
            let (Some(path), Some(text)) = (path, text_field(arguments, &PAYLOAD.text)) else {
                continue;
            };
            let old = text_field(arguments, &PAYLOAD.old_text).unwrap_or_default();
            let added = added_lines(&old, &text);
            match edits.iter_mut().find(|edit| edit.path == path) {
                Some(edit) => {
                    append(&mut edit.text, &text);
                    append(&mut edit.added, &added);
                }
                None => edits.push(Edit { path, text, added }),
            }
        }
        edits
    }

    /// Returns the edits of a patch in the format of `apply_patch`.
    fn patch(&self) -> Option<Vec<Edit>> {
        let patch = match &self.arguments {
            Value::String(patch) => patch.clone(),
            arguments => text_field(arguments, &PAYLOAD.patch)?,
        };
        let start = patch.find("*** Begin Patch")?;
        let mut edits: Vec<Edit> = Vec::new();
        for line in patch[start..].lines() {
            let path = ["*** Add File: ", "*** Update File: "]
                .iter()
                .find_map(|marker| line.strip_prefix(marker));
            if let Some(path) = path {
                let path = path.trim().to_owned();
                edits.push(Edit {
                    path,
                    text: String::new(),
                    added: String::new(),
                });
            } else if let Some(edit) = edits.last_mut() {
                if let Some(path) = line.strip_prefix("*** Move to: ") {
                    path.trim().clone_into(&mut edit.path);
                } else if let Some(added) = line.strip_prefix('+') {
                    edit.text.push_str(added);
                    edit.text.push('\n');
                }
            }
        }
        for edit in &mut edits {
            edit.added.clone_from(&edit.text);
        }
        Some(edits)
    }
}

/// Returns a prompt without what hooks gave: Gemini CLI puts it before the words of the user, with escaped
/// tags, and Copilot takes the start of a subagent and the reason not to stop for a part of the prompt.
fn without_given(prompt: &str) -> String {
    let mut prompt = prompt.replace("&lt;", "<").replace("&gt;", ">");
    while let Some((before, rest)) = prompt.split_once(envelope::START.trim_end()) {
        let after = rest
            .split_once(envelope::END.trim_end())
            .map_or("", |(_, after)| after);
        prompt = format!("{before}\n{after}");
    }
    prompt
}

/// Returns the lines of a text that are not in the one that it replaces: agents repeat lines around a change.
fn added_lines(old: &str, new: &str) -> String {
    let old: FxHashSet<&str> = old.lines().collect();
    new.lines()
        .filter(|line| !old.contains(line))
        .collect::<Vec<_>>()
        .join("\n")
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push('\n');
    }
    text.push_str(more);
}

/// Returns the folder in which the agent works, or the first of several.
fn folder(event: &Value) -> Option<String> {
    for name in &PAYLOAD.folder {
        let Some(found) = field(event, std::slice::from_ref(name)) else {
            continue;
        };
        let folder = found.get(0).unwrap_or(found).as_str();
        // Cursor may send an empty one.
        if let Some(folder) = folder.filter(|folder| !folder.is_empty()) {
            return Some(folder.to_owned());
        }
    }
    None
}

fn text_field(value: &Value, names: &[String]) -> Option<String> {
    for name in names {
        if let Some(text) = field(value, std::slice::from_ref(name)).and_then(Value::as_str) {
            return Some(text.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests;
