//! `pins.toml`: the persistent pins, as TOML that people can edit, review and merge.
//!
//! Each pin is a table. Writing changes only the affected tables and preserves the order,
//! comments and unknown keys of the others. A corrupt file is renamed, never overwritten.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cerberus_model::{LineIndex, Pin, PinScope, UserError};
use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use crate::{Bank, files, names};

/// Name of the file.
const PINS: &str = "pins.toml";

/// Version of the format.
const VERSION: i64 = 1;

const MAX_BYTES: u64 = 1024 * 1024;

const HEADER: &str =
    "# Notes that are always injected. Written by `cerberus memory pin`; commit it.\n";

/// Parsed `pins.toml`.
#[derive(Debug, Default)]
pub struct PinFile {
    pub pins: Vec<Pin>,
    /// Why the file is corrupt, if it is.
    pub fault: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct Fields {
    version: i64,
    #[serde(default, rename = "pin")]
    pins: Vec<toml::Spanned<Pin>>,
}

impl Bank {
    /// Returns the path of `pins.toml`.
    pub fn pin_file(&self) -> PathBuf {
        self.folder().join(PINS)
    }

    /// Reads the persistent pins. A corrupt file contains none and has a `fault`.
    pub fn pins(&self) -> Result<PinFile> {
        let bytes = files::read(&self.pin_file(), MAX_BYTES)?;
        let Some(bytes) = bytes else {
            return Ok(PinFile::default());
        };
        match parse(&bytes) {
            Ok(pins) => Ok(PinFile { pins, fault: None, bytes }),
            Err(Fault::TooNew(version)) => Err(UserError::environment(format!(
                "failed to read `pins.toml`: it has version {version}, but this cerberus supports {VERSION}"
            ))
            .hint("upgrade cerberus")
            .into()),
            Err(Fault::Corrupt(why)) => Ok(PinFile { pins: Vec::new(), fault: Some(why), bytes }),
        }
    }

    /// Removes the pins with some ids from the file and adds one. Returns the written bytes, and
    /// the backup of a corrupt file.
    pub(crate) fn write_pins(
        &self,
        removed: &[&str],
        added: Option<&Pin>,
    ) -> Result<(Vec<u8>, Option<PathBuf>)> {
        let old = self.pins()?;
        let mut backup = None;
        let text = if old.bytes.is_empty() || old.fault.is_some() {
            if old.fault.is_some() {
                backup = Some(self.back_up_pins()?);
            }
            format!("{HEADER}version = {VERSION}\n")
        } else {
            String::from_utf8_lossy(&old.bytes).into_owned()
        };
        let mut document: DocumentMut = text.parse().context("failed to read `pins.toml`")?;
        let item = document
            .entry("pin")
            .or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let mut tables = std::mem::take(item)
            .into_array_of_tables()
            .unwrap_or_default();
        tables.retain(|table| match table.get("id").and_then(Item::as_str) {
            Some(id) => !removed.contains(&id),
            None => true,
        });
        if let Some(pin) = added {
            tables.push(table(pin));
        }
        *item = Item::ArrayOfTables(tables);
        let text = document.to_string();
        files::replace(&self.pin_file(), text.as_bytes())?;
        Ok((text.into_bytes(), backup))
    }

    fn back_up_pins(&self) -> Result<PathBuf> {
        let path = self.pin_file();
        let name = names::unused(&format!("{PINS}.corrupt"), |name| {
            self.folder().join(name).exists()
        });
        let backup = self.folder().join(name);
        files::rename(&path, &backup)?;
        Ok(backup)
    }
}

enum Fault {
    Corrupt(String),
    TooNew(i64),
}

fn parse(bytes: &[u8]) -> Result<Vec<Pin>, Fault> {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(corrupt(None, "it is not valid UTF-8"));
    };
    let lines = LineIndex::new(text);
    if let Some(line) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
        return Err(corrupt(Some(line), "it contains a merge conflict"));
    }
    let fields: Fields = toml::from_str(text).map_err(|error| {
        corrupt(
            error.span().map(|span| lines.line(span.start)),
            error.message(),
        )
    })?;
    if fields.version != VERSION {
        return Err(Fault::TooNew(fields.version));
    }
    let mut pins: Vec<Pin> = Vec::new();
    let mut ids = BTreeSet::new();
    for entry in fields.pins {
        let line = Some(lines.line(entry.span().start));
        let pin = entry.into_inner();
        if pin.id.is_empty() || pin.content.trim().is_empty() {
            return Err(corrupt(line, "a pin needs an `id` and a `content`"));
        }
        if !ids.insert(pin.id.clone()) {
            return Err(corrupt(line, &format!("pin `{}` is defined twice", pin.id)));
        }
        pins.push(Pin {
            scope: PinScope::Persistent,
            expires_at: None,
            ..pin
        });
    }
    Ok(pins)
}

/// Returns the fault of a file, at a line counted from 0.
fn corrupt(line: Option<usize>, why: &str) -> Fault {
    Fault::Corrupt(match line {
        Some(line_idx) => format!("`pins.toml:{}`: {why}", line_idx + 1),
        None => format!("`pins.toml`: {why}"),
    })
}

fn table(pin: &Pin) -> Table {
    let mut table = Table::new();
    table["id"] = value(&pin.id);
    table["content"] = value(&pin.content);
    table["priority"] = value(pin.priority.as_str());
    table["created_at"] = value(pin.created_at.to_string());
    if !pin.tags.is_empty() {
        table["tags"] = value(pin.tags.iter().collect::<toml_edit::Array>());
    }
    if !pin.metadata.is_empty() {
        let mut metadata = InlineTable::new();
        for (key, text) in &pin.metadata {
            metadata.insert(key, Value::from(text));
        }
        table["metadata"] = value(metadata);
    }
    if let Some(project) = &pin.project {
        table["project"] = value(project);
    }
    table
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::disallowed_methods,
        reason = "these tests write files like a user"
    )]
    use std::collections::BTreeMap;

    use cerberus_model::Priority;

    use super::*;

    fn bank() -> (tempfile::TempDir, Bank) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let bank = Bank::new(folder.path().to_owned());
        (folder, bank)
    }

    fn pin(id: &str) -> Pin {
        Pin {
            id: id.to_owned(),
            content: "Say \"ü\"\nand more".to_owned(),
            priority: Priority::Safety,
            scope: PinScope::Persistent,
            created_at: "2026-01-02T03:04:05Z".parse().expect("a time"),
            expires_at: None,
            tags: vec!["git".to_owned()],
            metadata: BTreeMap::from([("a key".to_owned(), "x".to_owned())]),
            project: Some("shop".to_owned()),
        }
    }

    #[test]
    fn written_pins_are_read_back() {
        let (_folder, bank) = bank();
        bank.write_pins(&[], Some(&pin("a"))).expect("written");
        bank.write_pins(&[], Some(&pin("b"))).expect("written");
        assert_eq!(bank.pins().expect("read").pins, [pin("a"), pin("b")]);
        bank.write_pins(&["a"], None).expect("written");
        assert_eq!(bank.pins().expect("read").pins, [pin("b")]);
    }

    #[test]
    fn writing_preserves_comments_and_unknown_keys() {
        let (_folder, bank) = bank();
        let text = "# ours\nversion = 1\n\n[[pin]] # why\nid = \"a\"\ncontent = 'x'\n\
                    priority = \"info\"\ncreated_at = \"2026-01-02T03:04:05Z\"\nowner = \"Ada\"\n";
        std::fs::write(bank.pin_file(), text).expect("a file");
        bank.write_pins(&[], Some(&pin("b"))).expect("written");
        bank.write_pins(&["b"], None).expect("written");
        assert_eq!(
            std::fs::read_to_string(bank.pin_file()).expect("read"),
            text
        );
    }

    #[test]
    fn a_corrupt_file_is_renamed() {
        let (_folder, bank) = bank();
        for (text, fault) in [
            ("version = 1\n[[pin]\n", "`pins.toml:2`"),
            (
                "version = 1\n[[pin]]\nid = \"a\"\n",
                "`pins.toml:2`: missing field `content`",
            ),
            (
                "version = 1\n<<<<<<< ours\n",
                "`pins.toml:2`: it contains a merge conflict",
            ),
            ("\u{0}", "`pins.toml:1`"),
        ] {
            std::fs::write(bank.pin_file(), text).expect("a file");
            let found = bank.pins().expect("read").fault.expect("a fault");
            assert!(found.starts_with(fault), "{found}");
            let (_, backup) = bank.write_pins(&[], Some(&pin("b"))).expect("written");
            let backup = backup.expect("a backup");
            assert_eq!(std::fs::read_to_string(backup).expect("a file"), text);
            assert_eq!(bank.pins().expect("read").pins, [pin("b")]);
        }
    }
}
