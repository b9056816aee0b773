//! Finds the words of a rule that an edit removed from its example.

use std::path::Path;

use cerberus_model::{Anchor, Language, text};
use rustc_hash::FxHashSet;

use crate::rank::query::ParsedQuery;
use crate::rank::tokenize;
use crate::syntax::fingerprint::{name_hash, short_hash, word_hashes};
use crate::syntax::{ParsedFile, TokenKind, language};
use crate::track::FoundSymbol;
use crate::track::file_symbols::FileSymbols;
use crate::track::in_place::{in_place_match, same_name};
use crate::tree::{git, read};

/// Minimum weight of a word of a rule. Common words and names of things to avoid weigh less.
const MIN_WEIGHT: f64 = 0.9;

/// Returns the words of a rule and its hints that the recorded code of an anchor contained, and that
/// the code at `place` does not contain. Comments do not count. Where git lacks the recorded code,
/// only identifiers of the fingerprint are known.
pub fn lost_words(
    root: &Path,
    (rule, hints): (&str, &[String]),
    anchor: &Anchor,
    place: &FoundSymbol,
) -> Vec<String> {
    let query = ParsedQuery::rule(rule, hints);
    let Some(new) = current(root, place) else {
        return Vec::new();
    };
    let new_terms: FxHashSet<String> = tokenize::terms(&new).into_iter().collect();
    let new_words = word_hashes(&new);
    let old_terms: Option<FxHashSet<String>> =
        recorded(root, anchor).map(|old| tokenize::terms(&old).into_iter().collect());
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
fn current(root: &Path, place: &FoundSymbol) -> Option<String> {
    let bytes = read::bytes(root, &place.file).ok()?;
    let (text, _) = text::decode(&bytes);
    code(place.language?, &text, place.symbol.as_deref(), place.lines)
}

/// Returns the recorded code of an anchor from its commit, if it is the one of the fingerprint.
fn recorded(root: &Path, anchor: &Anchor) -> Option<String> {
    let name = format!("{}:./{}", anchor.commit.as_ref()?, anchor.file);
    let bytes = git::with_objects(root, |objects| objects.read(&name))??;
    let file = FileSymbols::parse(
        &anchor.file,
        &bytes,
        Some(&|name| same_name(name, anchor.symbol.as_deref())),
    );
    let found = in_place_match(anchor, &file).filter(|found| found.similarity >= 1.0)?;
    let symbol = &file.symbols[found.symbol_idx];
    let language = language::from_path(&anchor.file)?;
    let (text, _) = text::decode(&bytes);
    code(language, &text, symbol.name.as_deref(), Some(symbol.lines))
}

/// Returns the tokens of a symbol without comments.
fn code(
    language: Language,
    text: &str,
    symbol: Option<&str>,
    lines: Option<(u32, u32)>,
) -> Option<String> {
    let parsed = ParsedFile::parse(language, text);
    let span = match symbol {
        None => text::Span::new(0, text.len()),
        Some(_) => {
            let line_index = text::LineIndex::new(text);
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
    let mut words = Vec::new();
    for token in &parsed.tokens {
        let is_comment = matches!(token.kind, TokenKind::Comment | TokenKind::Docstring);
        let is_inside = token.span.start >= span.start && token.span.end <= span.end;
        if !is_comment && is_inside {
            words.push(token.span.slice(text));
        }
    }
    Some(words.join(" "))
}
