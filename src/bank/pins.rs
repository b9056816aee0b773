//! `pins.toml`: the persistent pins, as TOML that people may edit, review and merge.
//!
//! A pin is a table of its own. Writing changes only the tables it is about: the
//! others keep their place, their comments and keys that this cerberus does not
//! know. A file that cannot be read is never written over.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use crate::error::UserError;
use crate::model::{Pin, PinScope, Priority};
use crate::text::LineIndex;

use super::{Bank, files};

/// The format that is written.
const VERSION: i64 = 1;

const MAX_BYTES: u64 = 1024 * 1024;

const HEADER: &str =
    "# Notes that are given every time. Written by `cerberus memory pin`; commit it.\n";

/// The persistent pins as their file tells them.
#[derive(Debug, Default)]
pub(crate) struct PinFile {
    pub(crate) pins: Vec<Pin>,
    /// Why the file cannot be read, where it cannot.
    pub(crate) fault: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

#[derive(Deserialize)]
struct Fields {
    version: i64,
    #[serde(default, rename = "pin")]
    pins: Vec<toml::Spanned<Entry>>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    content: String,
    priority: Priority,
    created_at: String,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    metadata: BTreeMap<String, String>,
    project: Option<String>,
}

impl Bank {
    /// Returns the path of the file of pins.
    pub(crate) fn pin_file(&self) -> PathBuf {
        self.folder().join("pins.toml")
    }

    /// Reads the persistent pins; a file that is damaged has none and says why.
    pub(crate) fn pins(&self) -> Result<PinFile> {
        let Some(bytes) = files::read(&self.pin_file(), MAX_BYTES)? else {
            return Ok(PinFile::default());
        };
        match parse(&bytes) {
            Ok(pins) => Ok(PinFile { pins, fault: None, bytes }),
            Err(Fault::TooNew(version)) => Err(UserError::environment(format!(
                "failed to read `pins.toml`: it has version {version}, this cerberus knows {VERSION}"
            ))
            .hint("upgrade cerberus")
            .into()),
            Err(Fault::Damaged(why)) => {
                Ok(PinFile { pins: Vec::new(), fault: Some(why), bytes })
            }
        }
    }

    /// Takes the pins of some ids out of the file and adds one. Returns the bytes that
    /// were written, and where a damaged file was put aside.
    pub(crate) fn write_pins(
        &self,
        removed: &[&str],
        added: Option<&Pin>,
    ) -> Result<(Vec<u8>, Option<PathBuf>)> {
        let old = self.pins()?;
        let mut aside = None;
        let mut document = if old.bytes.is_empty() || old.fault.is_some() {
            aside = old.fault.as_ref().map(|_| self.put_pins_aside()).transpose()?;
            let mut document: DocumentMut = HEADER.parse().context("the header is TOML")?;
            document["version"] = value(VERSION);
            // A comment at the end of a document would stay there.
            document.set_trailing("");
            document.key_mut("version").context("it was set")?.leaf_decor_mut().set_prefix(HEADER);
            document
        } else {
            String::from_utf8_lossy(&old.bytes).parse().context("failed to read `pins.toml`")?
        };
        let item = document.entry("pin").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        let mut tables = match std::mem::take(item).into_array_of_tables() {
            Ok(tables) => tables,
            Err(_) => ArrayOfTables::new(),
        };
        tables.retain(|table| {
            let id = table.get("id").and_then(Item::as_str);
            !id.is_some_and(|id| removed.contains(&id))
        });
        if let Some(pin) = added {
            tables.push(table(pin));
        }
        *item = Item::ArrayOfTables(tables);
        let text = document.to_string();
        files::replace(&self.pin_file(), text.as_bytes())?;
        Ok((text.into_bytes(), aside))
    }

    fn put_pins_aside(&self) -> Result<PathBuf> {
        let path = self.pin_file();
        let mut aside = path.with_extension("toml.corrupt");
        let mut n = 2;
        while aside.exists() {
            aside = path.with_extension(format!("toml.corrupt-{n}"));
            n += 1;
        }
        files::rename(&path, &aside)?;
        Ok(aside)
    }
}

enum Fault {
    Damaged(String),
    TooNew(i64),
}

fn parse(bytes: &[u8]) -> Result<Vec<Pin>, Fault> {
    let damaged = |line: Option<usize>, why: &str| {
        let place = line.map(|line| format!(":{}", line + 1)).unwrap_or_default();
        Fault::Damaged(format!("`pins.toml{place}`: {why}"))
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(damaged(None, "it is no valid UTF-8"));
    };
    let lines = LineIndex::new(text);
    if let Some(line) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
        return Err(damaged(Some(line), "it holds a merge conflict"));
    }
    let fields: Fields = toml::from_str(text).map_err(|error| {
        damaged(error.span().map(|span| lines.line(span.start)), error.message())
    })?;
    if fields.version != VERSION {
        return Err(Fault::TooNew(fields.version));
    }
    let mut pins: Vec<Pin> = Vec::new();
    let mut ids = BTreeSet::new();
    for entry in fields.pins {
        let line = Some(lines.line(entry.span().start));
        let entry = entry.into_inner();
        let Ok(created_at) = entry.created_at.parse() else {
            return Err(damaged(line, "`created_at` is no time like 2026-01-02T03:04:05Z"));
        };
        if entry.id.is_empty() || entry.content.trim().is_empty() {
            return Err(damaged(line, "a pin needs an `id` and a `content`"));
        }
        if !ids.insert(entry.id.clone()) {
            return Err(damaged(line, &format!("the pin `{}` stands twice", entry.id)));
        }
        pins.push(Pin {
            id: entry.id,
            content: entry.content,
            priority: entry.priority,
            scope: PinScope::Persistent,
            created_at,
            expires_at: None,
            tags: entry.tags,
            metadata: entry.metadata,
            project: entry.project,
        });
    }
    Ok(pins)
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
        let entries = pin.metadata.iter().map(|(key, text)| (key.as_str(), Value::from(text)));
        table["metadata"] = value(entries.collect::<InlineTable>());
    }
    if let Some(project) = &pin.project {
        table["project"] = value(project);
    }
    table
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "these tests write what people write")]
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
    fn what_is_written_is_read() {
        let (_folder, bank) = bank();
        bank.write_pins(&[], Some(&pin("a"))).expect("written");
        bank.write_pins(&[], Some(&pin("b"))).expect("written");
        assert_eq!(bank.pins().expect("read").pins, [pin("a"), pin("b")]);
        bank.write_pins(&["a"], None).expect("written");
        assert_eq!(bank.pins().expect("read").pins, [pin("b")]);
    }

    #[test]
    fn what_people_wrote_around_a_change_stays() {
        let (_folder, bank) = bank();
        let text = "# ours\nversion = 1\n\n[[pin]] # why\nid = \"a\"\ncontent = 'x'\n\
                    priority = \"info\"\ncreated_at = \"2026-01-02T03:04:05Z\"\nowner = \"Ada\"\n";
        std::fs::write(bank.pin_file(), text).expect("a file");
        bank.write_pins(&[], Some(&pin("b"))).expect("written");
        bank.write_pins(&["b"], None).expect("written");
        assert_eq!(std::fs::read_to_string(bank.pin_file()).expect("read"), text);
    }

    #[test]
    fn a_damaged_file_is_kept_aside() {
        let (_folder, bank) = bank();
        for (text, fault) in [
            ("version = 1\n[[pin]\n", "`pins.toml:2`"),
            ("version = 1\n[[pin]]\nid = \"a\"\n", "`pins.toml:2`: missing field `content`"),
            ("version = 1\n<<<<<<< ours\n", "`pins.toml:2`: it holds a merge conflict"),
            ("\u{0}", "`pins.toml:1`"),
        ] {
            std::fs::write(bank.pin_file(), text).expect("a file");
            let found = bank.pins().expect("read").fault.expect("a fault");
            assert!(found.starts_with(fault), "{found}");
            let (_, aside) = bank.write_pins(&[], Some(&pin("b"))).expect("written");
            let aside = aside.expect("put aside");
            assert_eq!(std::fs::read_to_string(aside).expect("kept"), text);
            assert_eq!(bank.pins().expect("read").pins, [pin("b")]);
        }
    }
}
