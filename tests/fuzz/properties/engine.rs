//! Entry points of the fuzz targets for code and for packed data.
//!
//! Not part of releases. Each function checks properties that hold for any input, and panics if one is
//! violated. The unit tests run all seeds in `tests/fuzz/seeds`.

use cerberus_model::{Language, Span, SymbolKind, text};

use crate::rank::dictionary::Dictionary;
use crate::rank::document::Document;
use crate::rank::path_class::PathClass;
use crate::rank::query::ParsedQuery;
use crate::rank::score::{HitCounter, ScorableFile, TermHits, TermSet, WeightedQuery, WordInCode};
use crate::rank::token_cache::TokenCache;
use crate::rank::{postings, tokenize};
use crate::syntax::fingerprint::FileFeatures;
use crate::syntax::highlight::highlight;
use crate::syntax::{ParsedFile, excerpt};

#[cfg(test)]
#[path = "seeds.rs"]
mod seeds;

/// Any text can be read as a rule.
pub fn queries(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    ParsedQuery::rule(text, &[]);
    text.split("\n\n")
        .for_each(|part| drop(ParsedQuery::rule(part, &[text.to_string()])));
}

/// Symbols and tokens have valid spans, and each symbol has a fingerprint and an excerpt. The
/// first byte selects the language.
pub fn code(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let language = Language::ALL[usize::from(*first) % Language::ALL.len()];
    let text = &*text::decode(rest).0;
    let lines = text::LineIndex::new(text);
    let source = ParsedFile::parse(language, text);
    for token in &source.tokens {
        assert!(is_in(token.span, text), "{token:?}");
    }
    let code = FileFeatures::new(text, &source);
    code.file();
    for (at, symbol) in source.symbols.iter().enumerate() {
        assert!(
            is_in(symbol.span, text) && is_in(symbol.name_span, text),
            "{symbol:?}"
        );
        assert!(symbol.parent.is_none_or(|parent| parent < at), "{symbol:?}");
        assert!(
            symbol
                .leading_comments
                .is_none_or(|above| is_in(above, text)),
            "{symbol:?}"
        );
        code.symbol(at);
    }
    let kinds = SymbolKind::ALL;
    let kind = kinds[usize::from(*first) / Language::ALL.len() % kinds.len()];
    let pieces = highlight(Some(language), kind, text).into_iter();
    assert_eq!(
        pieces.map(|(_, piece)| piece).collect::<String>(),
        text,
        "coloured"
    );
    let code = excerpt::Source {
        language: Some(language),
        text,
    };
    for symbol in source.symbols.iter().take(4) {
        let shown = (lines.line(symbol.span.start), lines.line(symbol.span.end));
        let evidence = |line: &str| vec![(line.len() % 7, 1.0)];
        let cut = excerpt::excerpt(code, shown, 5, evidence);
        assert!(cut.text.lines().count() <= 5, "{symbol:?}");
    }
}

/// Corrupt packed data does not cause panics, and the token cache does not change the tokens.
pub fn packed(bytes: &[u8]) {
    let dictionary = Dictionary::new(bytes.to_vec());
    for (term, _) in dictionary.with_prefix("") {
        dictionary.id(&term);
        let found = dictionary.with_prefix(&term);
        assert!(found.iter().all(|(found, _)| found.starts_with(&term)));
    }
    postings::unpack(bytes, |_, _, _| ());
    let text = String::from_utf8_lossy(bytes);
    let mut raw_words = TokenCache::default();
    for _ in 0..2 {
        let mut expected = Vec::new();
        tokenize::words(&text, |word| {
            let mut parts = Vec::new();
            tokenize::parts(word, |part| parts.push(part.len()));
            expected.push((word.to_owned(), parts));
        });
        let mut expected = expected.into_iter();
        raw_words.each(&text, str::len, |at, parts| {
            assert_eq!(
                Some((text[at].to_owned(), parts.to_owned())),
                expected.next()
            );
        });
        assert_eq!(expected.next(), None);
    }
    let Some(document) = Document::unpack(bytes) else {
        return;
    };
    let rule = ParsedQuery::rule("Close the session", &[]);
    let words: Vec<WordInCode> = (1..)
        .zip(&rule.terms)
        .map(|(id, _)| (1, Some(id)))
        .collect();
    let query = WeightedQuery::new(&rule, &words, &[], 9);
    let file = ScorableFile::new(document, PathClass::Source);
    let is_in_path = |id| id <= 2;
    let mut hits = HitCounter::new(&file);
    let words: Vec<(usize, TermHits)> = (query.ids.iter().enumerate())
        .map(|(slot, id)| {
            hits.count(*id, is_in_path);
            (slot, hits.term_hits())
        })
        .collect();
    let words = words.iter().map(|(slot, word)| (*slot, word));
    for (at, score, _) in query.scores(&file, words, 0.5, &mut Vec::new()) {
        assert!(score.is_finite(), "{:?}", file.document.symbols[at]);
        query.explain(&file, TermSet::all(), is_in_path, at);
    }
}

fn is_in(span: Span, text: &str) -> bool {
    text.get(span.start..span.end).is_some()
}

#[test]
fn all_seeds_satisfy_the_properties() {
    seeds::run("rules", |bytes, _| queries(bytes));
    seeds::run("code", |bytes, _| code(bytes));
    seeds::run("packed", |bytes, _| packed(bytes));
}
