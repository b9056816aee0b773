//! Finds the words of a rule that an edit removed from its example.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cerberus_model::{Anchor, Language, text};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::rank::query::ParsedQuery;
use crate::rank::tokenize;
use crate::syntax::fingerprint::{name_hash, short_hash, word_hashes};
use crate::syntax::{ParsedFile, TokenKind, language};
use crate::track::FoundSymbol;
use crate::track::file_symbols::{ALL, FileSymbols};
use crate::track::in_place::{in_place_match, same_name};
use crate::tree::{git, read};

/// Minimum weight of a word of a rule. Common words and names of things to avoid weigh less.
const MIN_WEIGHT: f64 = 0.9;

/// Compares the code of examples with the words of their rules. Each version of a file is read and parsed once for all
/// examples in it.
pub struct LostWords<'r> {
    root: &'r Path,
    /// The current versions of files by path.
    current: Versions<Code>,
    /// The recorded versions of files by commit and path.
    recorded: Versions<Recorded>,
}

/// Versions of files, each once it was read; `None` for one that cannot be read.
struct Versions<V>(Mutex<FxHashMap<String, Arc<OnceLock<Option<V>>>>>);

impl<V> Versions<V> {
    fn version(&self, name: &str) -> Arc<OnceLock<Option<V>>> {
        let mut versions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        versions.entry(name.to_owned()).or_default().clone()
    }
}

/// A parsed version of a file.
struct Code {
    text: String,
    line_index: text::LineIndex,
    parsed: ParsedFile,
}

/// A version of a file that anchors were recorded with.
struct Recorded {
    symbols: FileSymbols,
    code: Code,
}

impl<'r> LostWords<'r> {
    pub fn new(root: &'r Path) -> Self {
        Self {
            root,
            current: Versions(Mutex::default()),
            recorded: Versions(Mutex::default()),
        }
    }

    /// Returns the words of a rule and its hints that the recorded code of an anchor contained, and that
    /// the code at `place` does not contain. Comments do not count. Where git lacks the recorded code,
    /// only identifiers of the fingerprint are known.
    pub fn find(
        &self,
        (rule, hints): (&str, &[String]),
        anchor: &Anchor,
        place: &FoundSymbol,
    ) -> Vec<String> {
        let Some(new) = self.current_code(place) else {
            return Vec::new();
        };
        let query = ParsedQuery::rule(rule, hints);
        let new_terms: FxHashSet<String> = tokenize::terms(&new).into_iter().collect();
        let new_words = word_hashes(&new);
        let old_terms: Option<FxHashSet<String>> = self
            .recorded_code(anchor)
            .map(|old| tokenize::terms(&old).into_iter().collect());
        let mut lost = Vec::new();
        for (term_idx, term) in query.terms.iter().enumerate() {
            let is_weighty = term.weight >= MIN_WEIGHT
                || query
                    .names
                    .iter()
                    .any(|name| name.weight >= MIN_WEIGHT && name.parts.contains(&term_idx));
            if !is_weighty || new_terms.contains(&term.term) {
                continue;
            }
            let was_there = match &old_terms {
                Some(old_terms) => old_terms.contains(&term.term),
                None => {
                    let hash = short_hash(name_hash(&term.word));
                    anchor.fingerprint.names.binary_search(&hash).is_ok()
                        && new_words.binary_search(&hash).is_err()
                }
            };
            if was_there {
                lost.push(term.word.clone());
            }
        }
        lost
    }

    /// Returns the code at `place`.
    fn current_code(&self, place: &FoundSymbol) -> Option<String> {
        let language = place.language?;
        let version = self.current.version(&place.file);
        let current = version.get_or_init(|| {
            let bytes = read::bytes(self.root, &place.file).ok()?;
            Some(Code::parse(language, &bytes))
        });
        current
            .as_ref()?
            .tokens(place.symbol.as_deref(), place.lines)
    }

    /// Returns the recorded code of an anchor from its commit, if it is the one of the fingerprint.
    fn recorded_code(&self, anchor: &Anchor) -> Option<String> {
        let name = format!("{}:./{}", anchor.commit.as_ref()?, anchor.file);
        let version = self.recorded.version(&name);
        let recorded = version.get_or_init(|| {
            let bytes = git::with_objects(self.root, |objects| objects.read(&name))??;
            let language = language::from_path(&anchor.file)?;
            Some(Recorded {
                symbols: FileSymbols::parse(&anchor.file, &bytes, ALL),
                code: Code::parse(language, &bytes),
            })
        });
        let Recorded { symbols, code } = recorded.as_ref()?;
        let found = in_place_match(anchor, symbols).filter(|found| found.similarity >= 1.0)?;
        let symbol = &symbols.symbols[found.symbol_idx];
        code.tokens(symbol.name.as_deref(), Some(symbol.lines))
    }
}

impl Code {
    fn parse(language: Language, bytes: &[u8]) -> Self {
        let text = text::decode(bytes).0.into_owned();
        Self {
            parsed: ParsedFile::parse(language, &text),
            line_index: text::LineIndex::new(&text),
            text,
        }
    }

    /// Returns the tokens of a symbol without comments.
    fn tokens(&self, symbol: Option<&str>, lines: Option<(u32, u32)>) -> Option<String> {
        let Self {
            text,
            line_index,
            parsed,
        } = self;
        let span = match symbol {
            None => text::Span::new(0, text.len()),
            Some(_) => {
                let mut named = parsed
                    .symbols
                    .iter()
                    .filter(|other| same_name(Some(&other.name), symbol));
                let at_lines = named.clone().find(|other| match lines {
                    Some((first, _)) => line_index.line(other.span.start) == first as usize,
                    None => true,
                });
                at_lines.or_else(|| named.next())?.span
            }
        };
        let first = parsed
            .tokens
            .partition_point(|token| token.span.start < span.start);
        let mut words = Vec::new();
        for token in &parsed.tokens[first..] {
            if token.span.start >= span.end {
                break;
            }
            let is_comment = matches!(token.kind, TokenKind::Comment | TokenKind::Docstring);
            if !is_comment && token.span.end <= span.end {
                words.push(token.span.slice(text));
            }
        }
        Some(words.join(" "))
    }
}
