//! `anchors.lock`: what each memory is anchored to, as TOML sorted by memory id.
//!
//! To the memories what `Cargo.lock` is to `Cargo.toml`. An anchor is a table of its
//! own, so that git merges anchors that were added on two branches. Everything in it
//! is checked on reading: it is a file that people see, merge and damage.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::model::{Anchor, Chosen, Fingerprint, Language, SymbolKind};
use crate::syntax::fingerprint::encoding::FingerprintFields;
use crate::text::LineIndex;

use super::{Bank, files};

/// The format that is written.
const VERSION: u32 = 1;

/// No lock file of a sane project is larger: it holds some 25,000 anchors. One that is made
/// to hurt takes fifty times its size to read.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

const HEADER: &str = "# Where each memory is anchored. Written by `cerberus memory anchor` and `reanchor`;\n\
                      # commit it, so that everybody and CI know the same anchors.\n";

/// Anchors by the id of their memory.
pub(crate) type Anchors = BTreeMap<String, Anchor>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LockFile {
    version: u32,
    #[serde(default, rename = "anchor")]
    anchors: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: toml::Spanned<String>,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol: Option<String>,
    kind: SymbolKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
    chosen: Chosen,
    quality: f64,
    #[serde(rename = "match")]
    match_score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    tokens: u32,
    hashes: String,
    sketches: String,
}

impl Bank {
    /// Reads the anchors; a bank without a lock file has none.
    pub(crate) fn anchors(&self) -> Result<Anchors> {
        let path = self.lockfile();
        match files::read(&path, MAX_BYTES)? {
            None => Ok(Anchors::new()),
            // What `reanchor --undo` leaves of a lock file that it had made.
            Some(bytes) if bytes.is_empty() => Ok(Anchors::new()),
            Some(bytes) => {
                let text = String::from_utf8(bytes)
                    .map_err(|_| damaged("it is no valid UTF-8".to_owned(), None))?;
                parse(&text)
            }
        }
    }

    /// Writes the anchors if they differ from what is there, and returns whether they did.
    pub(crate) fn write_anchors(&self, anchors: &Anchors) -> Result<bool> {
        let path = self.lockfile();
        let text = render(anchors);
        let old = files::read(&path, MAX_BYTES)?;
        let is_empty = old.as_deref().is_none_or(<[u8]>::is_empty);
        if old.as_deref() == Some(text.as_bytes()) || (is_empty && anchors.is_empty()) {
            return Ok(false);
        }
        files::replace(&path, text.as_bytes())?;
        Ok(true)
    }
}

/// What `reanchor` keeps to take its last writing back: the text before it and after.
const UNDO_BEFORE: &str = "indices/reanchor.before";
const UNDO_AFTER: &str = "indices/reanchor.after";

impl Bank {
    /// Writes the anchors so that [`Bank::undo_anchors`] can take it back.
    pub(crate) fn write_anchors_undoably(&self, anchors: &Anchors) -> Result<bool> {
        let before = files::read(&self.lockfile(), MAX_BYTES)?.unwrap_or_default();
        let after = render(anchors);
        if before == after.as_bytes() || (before.is_empty() && anchors.is_empty()) {
            return Ok(false);
        }
        // The lock file comes last: what fails before has changed nothing.
        files::replace(&self.folder().join(UNDO_BEFORE), &before)?;
        files::replace(&self.folder().join(UNDO_AFTER), after.as_bytes())?;
        self.write_anchors(anchors)
    }

    /// Takes the last undoable writing back and returns how many anchors there are now.
    pub(crate) fn undo_anchors(&self) -> Result<usize> {
        let kept = |name: &str| files::read(&self.folder().join(name), MAX_BYTES);
        let (Some(before), Some(after)) = (kept(UNDO_BEFORE)?, kept(UNDO_AFTER)?) else {
            return Err(Failure::usage("there is no `reanchor` to take back")
                .hint("see what git has of the anchors: `git log -p .memories/anchors.lock`")
                .into());
        };
        if files::read(&self.lockfile(), MAX_BYTES)?.as_deref() != Some(after.as_slice()) {
            return Err(Failure::usage("the anchors were changed after the last `reanchor`")
                .hint("see the change with `git diff .memories/anchors.lock`")
                .into());
        }
        let text = String::from_utf8_lossy(&before).into_owned();
        let n_anchors = if text.is_empty() { 0 } else { parse(&text)?.len() };
        files::replace(&self.lockfile(), text.as_bytes())?;
        files::remove(&self.folder().join(UNDO_BEFORE))?;
        files::remove(&self.folder().join(UNDO_AFTER))?;
        Ok(n_anchors)
    }
}

/// Returns the text of a lock file.
pub(crate) fn render(anchors: &Anchors) -> String {
    let file = LockFile {
        version: VERSION,
        anchors: anchors.iter().map(|(id, it)| entry(id, it)).collect(),
    };
    let body = toml::to_string(&file).expect("strings and numbers always serialise");
    format!("{HEADER}{body}")
}

fn entry(id: &str, anchor: &Anchor) -> Entry {
    let FingerprintFields { tokens, hashes, minhash } = anchor.fingerprint.to_fields();
    Entry {
        id: toml::Spanned::new(0..0, id.to_owned()),
        file: anchor.file.clone(),
        symbol: anchor.symbol.clone(),
        kind: anchor.kind,
        language: anchor.language,
        chosen: anchor.chosen,
        quality: rounded(anchor.quality),
        match_score: rounded(anchor.match_score),
        commit: anchor.commit.clone(),
        tokens,
        hashes,
        sketches: minhash,
    }
}

/// Four digits: what is shown, and the same on every machine.
fn rounded(score: f64) -> f64 {
    (score * 1e4).round() / 1e4
}

/// Reads the text of a lock file.
pub(crate) fn parse(text: &str) -> Result<Anchors> {
    let lines = LineIndex::new(text);
    if let Some(at) = text.lines().position(|line| line.starts_with("<<<<<<< ")) {
        return Err(damaged("it holds a merge conflict".to_owned(), Some(at)).into());
    }
    let file: LockFile = toml::from_str(text).map_err(|error| {
        damaged(error.message().to_owned(), error.span().map(|span| lines.line(span.start)))
    })?;
    if file.version != VERSION {
        let why = format!("it has version {}, this cerberus knows {VERSION}", file.version);
        return Err(Failure::environment(format!("failed to read `anchors.lock`: {why}"))
            .hint("upgrade cerberus")
            .into());
    }
    let mut anchors = Anchors::new();
    for entry in file.anchors {
        let line = Some(lines.line(entry.id.span().start));
        let id = entry.id.get_ref().clone();
        let anchor = anchor(entry).map_err(|why| damaged(format!("anchor `{id}`: {why}"), line))?;
        if anchors.insert(id.clone(), anchor).is_some() {
            return Err(damaged(format!("anchor `{id}` stands twice"), line).into());
        }
    }
    Ok(anchors)
}

fn anchor(entry: Entry) -> Result<Anchor, String> {
    let names = [Some(entry.id.get_ref()), Some(&entry.file), entry.symbol.as_ref()];
    if names.into_iter().flatten().any(|name| name.contains(['\n', '\r'])) {
        return Err("a name in it has more than one line".to_owned());
    }
    if let Some(commit) = &entry.commit
        && !commit.bytes().all(|byte| byte.is_ascii_hexdigit())
    {
        return Err("its `commit` is no hexadecimal number".to_owned());
    }
    if !entry.quality.is_finite() || !entry.match_score.is_finite() {
        return Err("`quality` and `match` must be numbers".to_owned());
    }
    let fields =
        FingerprintFields { tokens: entry.tokens, hashes: entry.hashes, minhash: entry.sketches };
    Ok(Anchor {
        fingerprint: Fingerprint::from_fields(&fields)?,
        file: entry.file,
        symbol: entry.symbol,
        kind: entry.kind,
        language: entry.language,
        chosen: entry.chosen,
        quality: entry.quality,
        match_score: entry.match_score,
        commit: entry.commit,
    })
}

fn damaged(why: String, line: Option<usize>) -> Failure {
    let place = line.map(|line| format!(":{}", line + 1)).unwrap_or_default();
    Failure::environment(format!("failed to read `anchors.lock{place}`: {why}")).hint(
        "mend it, take it back with `git checkout -- .memories/anchors.lock`, or delete it and anchor again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::ParsedFile;
    use crate::syntax::fingerprint::FileFeatures;

    #[test]
    fn an_anchor_takes_at_most_600_bytes() {
        // More names, comments and neighbours than a fingerprint keeps.
        let word = |prefix: &str, n: u32| format!("{prefix}{}", n.wrapping_mul(0x9E37_79B9));
        let body: String = (0..200).map(|n| format!("    {} = 1\n", word("a", n))).collect();
        let comment: String = (0..40).map(|n| format!("# {}\n", word("word", n))).collect();
        let others: String = (0..40).map(|n| format!("def {}(): pass\n", word("b", n))).collect();
        let text = format!("{comment}def f():\n{body}{others}");
        let source = ParsedFile::parse(Language::Python, &text);
        let anchor = Anchor {
            file: "django/contrib/contenttypes/management/commands/stale.py".to_owned(),
            symbol: Some("NoFastDeleteCollector.can_fast_delete_all".to_owned()),
            kind: SymbolKind::Function,
            language: Some(Language::TypeScript),
            chosen: Chosen::Manual,
            quality: 0.9876,
            match_score: 0.9876,
            commit: Some("0123456789ab".to_owned()),
            fingerprint: FileFeatures::new(&text, &source).fingerprint(0),
        };
        let anchors = Anchors::from([("close-session-at-the-end".to_owned(), anchor)]);
        let text = render(&anchors);
        let entry = &text[text.find("[[anchor]]").expect("an entry")..];
        assert!((550..=600).contains(&entry.len()), "{}: {entry}", entry.len());
        assert_eq!(parse(&text).expect("what was written"), anchors);
    }
}
