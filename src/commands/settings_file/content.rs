//! What cerberus has in one file.

use cerberus_bank::toml_table::{self, TableEdit};

use super::{Edited, Entry, Layout, Settings, block, merge, remove, script};
use crate::agents::{
    Agent, Entries, Hooks, JsonEntry, Placeholder, TomlTable, Write, WriteHooks, filled,
};

#[derive(Clone)]
pub(crate) enum Content<'a> {
    /// Entries of JSON settings.
    Json(Settings<'a>),
    /// A table of TOML settings.
    Toml(&'a TomlTable),
    /// The whole file.
    Whole(&'a str),
    /// Lines of a shell script.
    Script(&'a str),
    /// Lines at the end of a file.
    Block(&'a str),
}

impl<'a> Content<'a> {
    pub(crate) fn of(write: &'a Write) -> Self {
        match write {
            Write::Json(entry) => Self::Json(of_entry(entry)),
            Write::Toml(table) => Self::Toml(table),
            Write::Block(text) => Self::Block(text.text()),
        }
    }

    pub(crate) fn of_hooks(agent: &Agent, hooks: &'a Hooks) -> Self {
        match &hooks.write {
            WriteHooks::Json(entries) => Self::Json(of_hooks(agent, entries)),
            WriteHooks::Whole(text) => Self::Whole(text.text()),
            WriteHooks::Script(text) => Self::Script(text.text()),
        }
    }

    /// Returns `old` with the content, or the reason for the failure. Edited entries stay.
    pub(crate) fn merge(&self, old: &[u8], layout: Layout) -> Result<Edited, String> {
        match self {
            Self::Json(settings) => merge(old, settings, layout),
            Self::Toml(table) => {
                let add = match layout {
                    Layout::Like => toml_table::add,
                    Layout::Compact => toml_table::append,
                };
                let edit = add(old, &table.parent, &table.key, &table.value)?;
                Ok(edited_table(edit, old))
            }
            Self::Whole(text) if old.is_empty() => Ok(Edited::new(text.as_bytes().to_vec())),
            Self::Whole(text) => edited_file(old, text),
            Self::Script(lines) => script::merge(old, lines),
            Self::Block(lines) => block::merge(old, lines),
        }
    }

    /// Returns `old` without the content, or the reason for the failure. Edited entries stay. An object that is empty
    /// then stays if `is_object_kept`.
    pub(crate) fn remove(&self, old: &[u8], is_object_kept: bool) -> Result<Edited, String> {
        if old.is_empty() {
            return Ok(Edited::new(Vec::new()));
        }
        match self {
            Self::Json(settings) => remove(old, settings, is_object_kept),
            Self::Toml(table) => {
                let edit = toml_table::remove(old, &table.parent, &table.key, &table.value)?;
                Ok(edited_table(edit, old))
            }
            Self::Whole(text) if old == text.as_bytes() => Ok(Edited::new(Vec::new())),
            Self::Whole(text) => Ok(edited_file(old, text).unwrap_or(Edited::new(old.to_vec()))),
            Self::Script(lines) => script::remove(old, lines),
            Self::Block(lines) => block::remove(old, lines),
        }
    }
}

fn of_entry(entry: &JsonEntry) -> Settings<'_> {
    Settings {
        header: entry.header.as_ref(),
        entries: vec![Entry {
            parent: &entry.parent,
            key: &entry.key,
            kind: None,
            value: entry.value.clone(),
        }],
    }
}

/// Returns the entries of hooks. Their commands do nothing without cerberus, and never fail: a failure would block an
/// edit or a command in some agents.
fn of_hooks<'a>(agent: &Agent, hooks: &'a Entries) -> Settings<'a> {
    let mut entries = Vec::new();
    for event in &hooks.events {
        let command = format!(
            "command -v cerberus >/dev/null 2>&1 || exit 0; cerberus hooks run {} {} || true",
            agent.name, event.moment
        );
        let form = match (&event.tools, &hooks.form_without_tools) {
            (None, Some(form)) => form,
            _ => &hooks.form,
        };
        let placeholders = [
            Placeholder {
                name: "{command}",
                text: Some(&command),
            },
            Placeholder {
                name: "{tools}",
                text: event.tools.as_deref(),
            },
        ];
        entries.push(Entry {
            parent: &hooks.parent,
            key: &event.event,
            kind: Some(&event.moment),
            value: filled(form, &placeholders),
        });
    }
    Settings {
        header: hooks.header.as_ref(),
        entries,
    }
}

/// Returns a file of which cerberus writes the whole, as it is.
fn edited_file(old: &[u8], text: &str) -> Result<Edited, String> {
    let mut file = Edited::new(old.to_vec());
    if old == text.as_bytes() {
        return Ok(file);
    }
    if !String::from_utf8_lossy(old).contains("cerberus") {
        return Err("it is another file; move it away".to_owned());
    }
    file.edited.push("the file".to_owned());
    Ok(file)
}

fn edited_table(edit: TableEdit, old: &[u8]) -> Edited {
    match edit {
        TableEdit::Changed(text) => Edited::new(text.into_bytes()),
        TableEdit::Unchanged => Edited::new(old.to_vec()),
        TableEdit::Different(text) => Edited {
            edited: vec![text],
            ..Edited::new(old.to_vec())
        },
    }
}
