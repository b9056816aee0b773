//! A file of the tree as what anchors are compared with.

use std::path::Path;

use anyhow::Result;

use crate::model::{Fingerprint, Language, SymbolKind};
use crate::syntax::fingerprint::{self, Code, Print};
use crate::syntax::{Source, language};
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
    pub(crate) print: Print,
    /// Its container, as an index into [`FileCode::groups`].
    pub(crate) group: usize,
}

/// The symbols that have one container in a file.
#[derive(Debug)]
pub(crate) struct Group {
    container: String,
    /// The hashes of their distinct last names, ordered.
    pub(crate) names: Vec<u64>,
}

/// A file's symbols in document order and, last, the file itself.
#[derive(Debug)]
pub(crate) struct FileCode {
    pub(crate) path: String,
    pub(crate) language: Option<Language>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) groups: Vec<Group>,
}

impl FileCode {
    /// Returns the code of the file at `path` below `root`.
    pub(crate) fn read(root: &Path, path: &str) -> Result<Self> {
        let bytes = read::bytes(root, path)?;
        Ok(Self::new(path, &text::decode(&bytes).0))
    }

    pub(crate) fn new(path: &str, text: &str) -> Self {
        let lines = LineIndex::new(text);
        let line = |offset| u32::try_from(lines.line(offset)).unwrap_or(u32::MAX);
        let language = language::of_path(path);
        let mut this = Self {
            path: path.to_owned(),
            language,
            candidates: Vec::new(),
            groups: Vec::new(),
        };
        let whole = match language {
            None => fingerprint::of_plain_text(text),
            Some(language) => {
                let source = Source::parse(language, text);
                let code = Code::new(text, &source);
                for (at, symbol) in source.symbols.iter().enumerate() {
                    let group = this.group(&symbol.name);
                    this.candidates.push(Candidate {
                        symbol: Some(symbol.name.clone()),
                        kind: symbol.kind,
                        first_line: line(symbol.span.start),
                        last_line: line(symbol.span.end.saturating_sub(1)),
                        print: code.symbol(at),
                        group,
                    });
                }
                code.file()
            }
        };
        let group = this.group("");
        this.candidates.push(Candidate {
            symbol: None,
            kind: SymbolKind::File,
            first_line: 0,
            last_line: line(text.len().saturating_sub(1)),
            print: whole,
            group,
        });
        for group in &mut this.groups {
            group.names.sort_unstable();
            group.names.dedup();
        }
        this
    }

    fn group(&mut self, qualified: &str) -> usize {
        let (container, name) = fingerprint::split_name(qualified);
        let found = self.groups.iter().rposition(|group| group.container == container);
        let at = found.unwrap_or_else(|| {
            self.groups.push(Group {
                container: container.to_owned(),
                names: Vec::new(),
            });
            self.groups.len() - 1
        });
        if !name.is_empty() {
            self.groups[at].names.push(fingerprint::name_hash(name));
        }
        at
    }

    /// Returns where the candidate at `at` is.
    pub(crate) fn place(&self, at: usize, similarity: f64) -> Place {
        let candidate = &self.candidates[at];
        Place {
            file: self.path.clone(),
            symbol: candidate.symbol.clone(),
            kind: candidate.kind,
            language: self.language,
            first_line: candidate.first_line,
            last_line: candidate.last_line,
            similarity,
        }
    }

    /// Returns the whole fingerprint of the candidate at `at`.
    pub(crate) fn fingerprint(&self, at: usize) -> Fingerprint {
        let candidate = &self.candidates[at];
        let mut kept = candidate.print.kept.clone();
        if candidate.symbol.is_some() {
            let names: Vec<&str> = self.candidates.iter().filter_map(|it| it.symbol.as_deref()).collect();
            kept.neighbours = fingerprint::neighbours(&names, at);
        }
        kept
    }

    /// Returns the identifiers in the headers of the symbols called `name`.
    pub(crate) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = u16> + 'a {
        let named = move |it: &&Candidate| it.symbol.as_deref() == Some(name) && it.kind.is_container();
        self.candidates.iter().filter(named).flat_map(|it| it.print.header.iter().copied())
    }
}
