//! `anchors.lock`: the anchors of the memories, as TOML sorted by memory id.
//!
//! Each anchor is a table, so git can merge anchors that were added on two branches. Reading
//! validates all values, because people edit and merge the file.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use anyhow::Result;
use cerberus_engine::rounded;
use cerberus_engine::syntax::fingerprint::encoding::{self, FingerprintFields};
use cerberus_model::{
    AgentChoice, Anchor, ExampleRole, Language, LineIndex, Origin, OtherExample, SymbolKind,
    UserError, refuse,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Bank, files};

#[cfg(test)]
mod tests;

/// Versions of the format. The second has `namesakes`, and is written only where they are needed.
const VERSION: u32 = 3;
const VERSION_WITH_NAMESAKES: u32 = 4;

/// Size limit, enough for about 25,000 anchors. Parsing takes up to seventy times as much memory.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Size from which the shape of the lines is checked before parsing: nested keys take more than 300
/// times as much memory.
const CHECKED_BYTES: usize = 1024 * 1024;

/// Line limit of a checked file, twice as many as 25,000 anchors have.
const MAX_LINES: usize = 700_000;

const HEADER: &str = "# The anchor of each memory. Written by `cerberus memory anchor` and `reanchor`;\n\
                      # commit it, so that everybody and CI use the same anchors.\n";

/// Anchors by the id of their memory.
pub type Anchors = BTreeMap<String, Anchor>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFile {
    version: u32,
    #[serde(default, rename = "anchor")]
    anchors: Vec<Entry>,
}

/// Defines an entry by its fields before the location of its code, before its fingerprint, and at
/// its end. All entries have the fields between these.
macro_rules! entry {
    ($name:ident { $($first:tt)* } { $($middle:tt)* } { $($last:tt)* }) => {
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $name {
            $($first)*
            file: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            symbol: Option<String>,
            kind: SymbolKind,
            #[serde(skip_serializing_if = "Option::is_none")]
            language: Option<Language>,
            $($middle)*
            #[serde(skip_serializing_if = "Option::is_none")]
            commit: Option<String>,
            tokens: u32,
            hashes: String,
            minhash: String,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            namesakes: Option<String>,
            $($last)*
        }

        impl $name {
            /// Returns an anchor to the code, or the fault of its location or fingerprint.
            fn anchor(&mut self) -> Result<Anchor, String> {
                let symbol = self.symbol.as_deref();
                if has_line_break(&self.file) || symbol.is_some_and(has_line_break) {
                    return Err("it contains a line break in a name".to_owned());
                }
                let mut commit = self.commit.iter().flat_map(|commit| commit.bytes());
                if !commit.all(|byte| byte.is_ascii_hexdigit()) {
                    return Err("its `commit` is not a hexadecimal number".to_owned());
                }
                let fields = FingerprintFields {
                    tokens: self.tokens,
                    hashes: take(&mut self.hashes),
                    minhash: take(&mut self.minhash),
                    namesakes: self.namesakes.take(),
                };
                Ok(Anchor {
                    file: take(&mut self.file),
                    symbol: self.symbol.take(),
                    kind: self.kind,
                    language: self.language,
                    commit: self.commit.take(),
                    fingerprint: fields.decode()?,
                    ..Anchor::default()
                })
            }
        }
    };
}

entry!(Entry {
    id: toml::Spanned<String>,
} {
    origin: Origin,
    quality: f64,
    #[serde(rename = "match")]
    match_score: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
} {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    look_alikes: Option<String>,
    #[serde(default, rename = "example", skip_serializing_if = "Vec::is_empty")]
    examples: Vec<ExampleEntry>,
});

entry!(ExampleEntry {
    role: ExampleRole,
} {} {
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
});

fn has_line_break(name: &str) -> bool {
    name.contains(['\n', '\r'])
}

impl Bank {
    /// Reads the anchors. A missing lock file contains none.
    pub fn anchors(&self) -> Result<Anchors> {
        let mut anchors = decode(&self.lock_bytes()?)?;
        self.view().apply_to_anchors(&mut anchors);
        Ok(anchors)
    }

    /// Returns whether the lock file contains a merge conflict.
    pub fn has_conflict(&self) -> Result<bool> {
        Ok(conflict_line(&String::from_utf8_lossy(&self.lock_bytes()?)).is_some())
    }

    /// Writes the anchors if the file differs, and returns whether it did.
    pub fn write_anchors(&self, anchors: &Anchors) -> Result<bool> {
        let change = self.change_of_lock(anchors)?;
        if let Some((_, after)) = &change {
            files::replace(&self.lockfile(), after.as_bytes())?;
        }
        Ok(change.is_some())
    }

    /// Returns the bytes of the lock file; none if it is missing.
    fn lock_bytes(&self) -> Result<Vec<u8>> {
        Ok(files::read(&self.lockfile(), MAX_BYTES)?.unwrap_or_default())
    }

    /// Returns the lock file before and after a write of the anchors, if they differ.
    fn change_of_lock(&self, anchors: &Anchors) -> Result<Option<(Vec<u8>, String)>> {
        let before = self.lock_bytes()?;
        let after = render(anchors);
        let is_same = before == after.as_bytes() || (before.is_empty() && anchors.is_empty());
        Ok((!is_same).then_some((before, after)))
    }
}

/// The lock file before and after the last change of many anchors, to undo it.
const UNDO_BEFORE: &str = "indices/reanchor.before";
const UNDO_AFTER: &str = "indices/reanchor.after";

impl Bank {
    /// Like [`Bank::write_anchors`], but [`Bank::undo_anchors`] can revert it, if it `continues` the last
    /// such change together with that one.
    pub fn write_anchors_undoably(&self, anchors: &Anchors, continues: bool) -> Result<bool> {
        let Some((before, after)) = self.change_of_lock(anchors)? else {
            return Ok(false);
        };
        // Another process may have written since the change that is continued.
        let is_last = continues && self.undo_bytes(UNDO_AFTER)?.as_ref() == Some(&before);
        // The lock file is written last, so that a failure before changes nothing.
        if !is_last {
            files::replace_unsynced(&self.folder().join(UNDO_BEFORE), &before)?;
        }
        files::replace(&self.folder().join(UNDO_AFTER), after.as_bytes())?;
        files::replace(&self.lockfile(), after.as_bytes())?;
        Ok(true)
    }

    fn undo_bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        files::read(&self.folder().join(name), MAX_BYTES)
    }

    /// Reverts the last [`Bank::write_anchors_undoably`] and returns the number of anchors that
    /// change.
    pub fn undo_anchors(&self) -> Result<usize> {
        let before = self.undo_bytes(UNDO_BEFORE)?;
        let after = self.undo_bytes(UNDO_AFTER)?;
        let (Some(before), Some(after)) = (before, after) else {
            return refuse(
                "nothing to undo: no change of the anchors was recorded",
                "show the history of the anchors with `git log -p .memories/anchors.lock`",
            );
        };
        if files::read(&self.lockfile(), MAX_BYTES)?.as_deref() != Some(after.as_slice()) {
            return refuse(
                "the anchors were changed after the last recorded change",
                "show the change with `git diff .memories/anchors.lock`",
            );
        }
        let old = decode(&before)?;
        let new = decode(&after)?;
        let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
        let changed = ids.iter().filter(|id| old.get(**id) != new.get(**id));
        let n_changed = changed.count();
        files::replace(&self.lockfile(), &before)?;
        files::remove_unsynced(&self.folder().join(UNDO_BEFORE))?;
        files::remove(&self.folder().join(UNDO_AFTER))?;
        Ok(n_changed)
    }
}

/// Returns the text of a lock file.
pub(crate) fn render(anchors: &Anchors) -> String {
    let file = LockFile {
        version: version(anchors.values()),
        anchors: anchors
            .iter()
            .map(|(id, anchor)| entry(id, anchor.clone()))
            .collect(),
    };
    let body = toml::to_string(&file).expect("strings and numbers can be serialized");
    format!("{HEADER}{body}")
}

fn version<'a>(mut anchors: impl Iterator<Item = &'a Anchor>) -> u32 {
    if anchors.any(has_namesakes) {
        VERSION_WITH_NAMESAKES
    } else {
        VERSION
    }
}

fn has_namesakes(anchor: &Anchor) -> bool {
    let mut others = anchor.others.iter();
    !anchor.fingerprint.namesakes.is_empty()
        || others.any(|other| !other.anchor.fingerprint.namesakes.is_empty())
}

fn entry(id: &str, anchor: Anchor) -> Entry {
    let FingerprintFields {
        tokens,
        hashes,
        minhash,
        namesakes,
    } = FingerprintFields::encode(&anchor.fingerprint);
    let Anchor {
        file,
        symbol,
        kind,
        language,
        origin,
        commit,
        chosen,
        ..
    } = anchor;
    let (by, at) = chosen.map(|choice| (choice.by, choice.at)).unzip();
    Entry {
        id: toml::Spanned::new(0..0, id.to_owned()),
        file,
        symbol,
        kind,
        language,
        origin,
        quality: rounded(anchor.quality),
        match_score: rounded(anchor.match_score),
        by,
        at,
        commit,
        tokens,
        hashes,
        minhash,
        namesakes,
        look_alikes: anchor.look_alikes.as_ref().map(encoding::look_alikes_field),
        examples: anchor.others.into_iter().map(example_entry).collect(),
    }
}

fn example_entry(OtherExample { role, anchor, code }: OtherExample) -> ExampleEntry {
    let FingerprintFields {
        tokens,
        hashes,
        minhash,
        namesakes,
    } = FingerprintFields::encode(&anchor.fingerprint);
    let Anchor {
        file,
        symbol,
        kind,
        language,
        commit,
        ..
    } = anchor;
    let code = code.as_deref().map(one_line);
    ExampleEntry {
        role,
        file,
        symbol,
        kind,
        language,
        commit,
        tokens,
        hashes,
        minhash,
        namesakes,
        code,
    }
}

/// Writes code in one line, so that git merges the file line by line and no text looks like a table.
fn one_line(code: &str) -> String {
    code.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

/// Reads code from [`one_line`].
fn several_lines(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            code.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => code.push('\n'),
            Some('r') => code.push('\r'),
            Some(other) => code.push(other),
            None => {}
        }
    }
    code
}

/// Reads the bytes of a lock file, which may be no longer than a lock file can be.
pub fn decode(bytes: &[u8]) -> Result<Anchors> {
    if bytes.len() as u64 > MAX_BYTES {
        let limit = MAX_BYTES / 1024;
        return Err(damaged(format!("it is larger than {limit} KB"), None).into());
    }
    // `reanchor --undo` leaves an empty file if `reanchor` created it.
    if bytes.is_empty() {
        return Ok(Anchors::new());
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|_| damaged("it is not valid UTF-8".to_owned(), None))?;
    parse(text)
}

/// Reads the text of a lock file.
pub(crate) fn parse(text: &str) -> Result<Anchors> {
    let lines = LineIndex::new(text);
    // The text between the markers is not one side: git also joins lines of different anchors.
    if let Some(line_idx) = conflict_line(text) {
        let place = line_idx + 1;
        let message =
            format!("failed to read `anchors.lock:{place}`: it contains a merge conflict");
        return Err(UserError::environment(message)
            .hint(
                "resolve it with `cerberus memory reanchor`, which keeps the anchors of both sides",
            )
            .into());
    }
    if text.len() >= CHECKED_BYTES {
        check_lines(text)?;
    }
    let file: LockFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| lines.line(span.start));
        damaged(error.message().to_owned(), line)
    })?;
    if !(VERSION..=VERSION_WITH_NAMESAKES).contains(&file.version) {
        let why = format!(
            "it has version {}, but this cerberus supports {VERSION} and {VERSION_WITH_NAMESAKES}",
            file.version
        );
        return Err(
            UserError::environment(format!("failed to read `anchors.lock`: {why}"))
                .hint("upgrade cerberus")
                .into(),
        );
    }
    let mut anchors = Anchors::new();
    for entry in file.anchors {
        let line = Some(lines.line(entry.id.span().start));
        let id = entry.id.get_ref().clone();
        let anchor = anchor(entry).map_err(|why| damaged(format!("anchor `{id}`: {why}"), line))?;
        if anchors.insert(id.clone(), anchor).is_some() {
            return Err(damaged(format!("anchor `{id}` is defined twice"), line).into());
        }
    }
    Ok(anchors)
}

/// Returns the line with the first marker of a merge conflict.
fn conflict_line(text: &str) -> Option<usize> {
    text.lines().position(|line| line.starts_with("<<<<<<< "))
}

/// Refuses lines that no lock file contains: nested keys, other tables, arrays.
fn check_lines(text: &str) -> Result<(), UserError> {
    for (line_idx, line) in text.lines().enumerate() {
        if line_idx == MAX_LINES {
            return Err(damaged(format!("it has more than {MAX_LINES} lines"), None));
        }
        if !is_of_lock_file(line.trim_ascii()) {
            let why = "expected `[[anchor]]` or a key with a text or a number";
            return Err(damaged(why.to_owned(), Some(line_idx)));
        }
    }
    Ok(())
}

/// Returns whether a line is empty, a comment, the head of a table, or a key with a plain value.
fn is_of_lock_file(line: &str) -> bool {
    if line.is_empty() {
        return true;
    }
    for start in ["#", "[[anchor]]", "[[anchor.example]]"] {
        if line.starts_with(start) {
            return true;
        }
    }
    let Some((key, value)) = line.split_once('=') else {
        return false;
    };
    let mut key = key.trim_ascii().bytes();
    key.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !value.trim_ascii_start().starts_with(['[', '{'])
}

fn anchor(mut entry: Entry) -> Result<Anchor, String> {
    if has_line_break(entry.id.get_ref()) {
        return Err("it contains a line break in a name".to_owned());
    }
    if !entry.quality.is_finite() || !entry.match_score.is_finite() {
        return Err("`quality` and `match` must be numbers".to_owned());
    }
    let code = entry.anchor()?;
    let chosen = match (entry.by, entry.at) {
        (Some(by), Some(at)) => Some(AgentChoice { by, at }),
        _ => None,
    };
    let is_agent = entry.origin == Origin::Agent;
    let is_valid = match &chosen {
        Some(choice) => is_agent && *choice == AgentChoice::new(&choice.by, choice.at),
        None => !is_agent,
    };
    if !is_valid {
        return Err("`by` and `at` must name the agent, if the origin is `agent`".to_owned());
    }
    let look_alikes = match &entry.look_alikes {
        Some(field) => Some(encoding::look_alikes(field)?),
        None => None,
    };
    let mut others = Vec::with_capacity(entry.examples.len());
    for example in entry.examples {
        others.push(other_example(example)?);
    }
    Ok(Anchor {
        origin: entry.origin,
        quality: entry.quality,
        match_score: entry.match_score,
        look_alikes,
        others,
        chosen,
        ..code
    })
}

fn other_example(mut entry: ExampleEntry) -> Result<OtherExample, String> {
    let anchor = Anchor {
        origin: Origin::Manual,
        quality: 1.0,
        match_score: 1.0,
        ..entry.anchor()?
    };
    Ok(OtherExample {
        role: entry.role,
        anchor,
        code: entry.code.as_deref().map(several_lines),
    })
}

fn damaged(why: String, line: Option<usize>) -> UserError {
    let place = match line {
        Some(line_idx) => format!(":{}", line_idx + 1),
        None => String::new(),
    };
    UserError::environment(format!("failed to read `anchors.lock{place}`: {why}")).hint(
        "fix it, restore it with `git checkout -- .memories/anchors.lock`, or delete it and anchor again",
    )
}
