//! A file of the tree as what anchors are compared with.

use std::path::Path;

use anyhow::Result;

use crate::model::{Fingerprint, Language, SymbolKind};
use crate::syntax::fingerprint::{
    self, FileFeatures, NO_NEIGHBOUR, SymbolFeatures, name_hash, short_hash, split_name,
};
use crate::syntax::{ParsedFile, language};
use crate::text::{self, LineIndex};
use crate::tree::read;

use super::Place;

/// A symbol, or a whole file, that an anchor may be on.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The qualified name, or none for the file itself.
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
    pub(crate) features: SymbolFeatures,
    /// Its container, as an index into [`FileCode::groups`].
    pub(crate) group: usize,
    /// What is defined right before and after it in its container.
    pub(crate) between: [u16; 2],
}

/// The symbols that have one container in a file.
#[derive(Debug)]
pub(crate) struct Group {
    container: String,
    /// The hashes of their distinct last names, ordered.
    pub(crate) names: Vec<u64>,
}

/// Tells which symbols are wanted.
pub(crate) type Wanted<'a> = &'a dyn Fn(Option<&str>) -> bool;

/// A file's symbols in document order and, last, the file itself.
#[derive(Debug)]
pub(crate) struct FileCode {
    pub(crate) path: String,
    /// The hash of its bytes.
    hash: u32,
    pub(crate) language: Option<Language>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) groups: Vec<Group>,
}

impl FileCode {
    /// Returns the code of the file at `path` below `root`.
    pub(crate) fn read(root: &Path, path: &str) -> Result<Self> {
        Self::read_only(root, path, Some(&|_| true))
    }

    /// As [`read`](Self::read), but only the symbols that `is_wanted` takes, if there is
    /// such a thing, get their prints, which cost as much as parsing; no symbol stands for
    /// the whole file.
    pub(crate) fn read_only(
        root: &Path,
        path: &str,
        is_wanted: Option<Wanted<'_>>,
    ) -> Result<Self> {
        Ok(Self::only(path, &read::bytes(root, path)?, is_wanted))
    }

    pub(crate) fn new(path: &str, bytes: &[u8]) -> Self {
        Self::only(path, bytes, Some(&|_| true))
    }

    /// As [`read_only`](Self::read_only), of bytes that were read before.
    pub(crate) fn only(path: &str, bytes: &[u8], is_wanted: Option<Wanted<'_>>) -> Self {
        let text: &str = &text::decode(bytes).0;
        let lines = LineIndex::new(text);
        let line = |offset| u32::try_from(lines.line(offset)).unwrap_or(u32::MAX);
        let language = language::from_path(path);
        let mut this = Self {
            path: path.to_owned(),
            hash: fingerprint::bytes_hash(bytes),
            language,
            candidates: Vec::new(),
            groups: Vec::new(),
        };
        let whole = match language {
            None => fingerprint::plain_text(text),
            Some(language) => {
                let source = match is_wanted {
                    Some(_) => ParsedFile::parse(language, text),
                    None => ParsedFile::outline(language, text),
                };
                let code = is_wanted.map(|_| FileFeatures::new(text, &source));
                let features =
                    |symbol: Option<&str>, of: &dyn Fn(&FileFeatures<'_>) -> SymbolFeatures| {
                        let is_wanted = is_wanted.is_some_and(|is_wanted| is_wanted(symbol));
                        code.as_ref().filter(|_| is_wanted).map(of).unwrap_or_default()
                    };
                for (at, symbol) in source.symbols.iter().enumerate() {
                    let group = this.group(&symbol.name);
                    this.candidates.push(Candidate {
                        symbol: Some(symbol.name.clone()),
                        kind: symbol.kind,
                        first_line: line(symbol.span.start),
                        last_line: line(symbol.span.end.saturating_sub(1)),
                        features: features(Some(&symbol.name), &|code| code.symbol(at)),
                        group,
                        between: [NO_NEIGHBOUR; 2],
                    });
                }
                features(None, &|code| code.file())
            }
        };
        let group = this.group("");
        this.candidates.push(Candidate {
            symbol: None,
            kind: SymbolKind::File,
            first_line: 0,
            last_line: line(text.len().saturating_sub(1)),
            features: whole,
            group,
            between: [NO_NEIGHBOUR; 2],
        });
        this.note_between();
        for group in &mut this.groups {
            group.names.sort_unstable();
            group.names.dedup();
        }
        this
    }

    /// Notes for each symbol what of another name stands before and after it in its
    /// container: overloads and accessors of one name have the same neighbours.
    fn note_between(&mut self) {
        let mut members: Vec<Vec<(usize, u16)>> = vec![Vec::new(); self.groups.len()];
        for (at, candidate) in self.candidates.iter().enumerate() {
            if let Some(symbol) = &candidate.symbol {
                members[candidate.group].push((at, short_hash(name_hash(split_name(symbol).1))));
            }
        }
        for members in members {
            for (n, &(at, own)) in members.iter().enumerate() {
                let other = |it: &&(usize, u16)| it.1 != own;
                let before = members[..n].iter().rev().find(other);
                let after = members[n..].iter().find(other);
                self.candidates[at].between =
                    [before, after].map(|it| it.map_or(NO_NEIGHBOUR, |it| it.1));
            }
        }
    }

    fn group(&mut self, qualified: &str) -> usize {
        let (container, name) = fingerprint::split_name(qualified);
        let found = self.groups.iter().rposition(|group| group.container == container);
        let at = found.unwrap_or_else(|| {
            self.groups.push(Group { container: container.to_owned(), names: Vec::new() });
            self.groups.len() - 1
        });
        if !name.is_empty() {
            self.groups[at].names.push(fingerprint::name_hash(name));
        }
        at
    }

    /// Returns whether something of this qualified name is defined here.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.candidates.iter().any(|it| it.symbol.as_deref() == Some(name))
    }

    /// Returns where the candidate at `at` is.
    pub(crate) fn place(&self, at: usize, similarity: f64) -> Place {
        let candidate = &self.candidates[at];
        Place {
            file: self.path.clone(),
            symbol: candidate.symbol.clone(),
            kind: candidate.kind,
            language: self.language,
            lines: Some((candidate.first_line, candidate.last_line)),
            similarity,
        }
    }

    /// Returns the whole fingerprint of the candidate at `at`.
    pub(crate) fn fingerprint(&self, at: usize) -> Fingerprint {
        let candidate = &self.candidates[at];
        let mut kept = Fingerprint { file: self.hash, ..candidate.features.fingerprint.clone() };
        if candidate.symbol.is_some() {
            let names: Vec<&str> =
                self.candidates.iter().filter_map(|it| it.symbol.as_deref()).collect();
            (kept.between, kept.beside) = fingerprint::neighbours(&names, at);
        }
        kept
    }
}
