//! Finds the code that shows a rule.
//!
//! In three steps: all files by their vectors, the symbols of the best files, and the
//! best symbols once more by their text. Rules share what can be shared: the vectors
//! are read once for all rules, a file is parsed and read once. The answer depends on
//! the code and the rule alone, never on what was asked or parsed before.

mod unknown;
mod words;

use std::cmp::Ordering;
use std::sync::Arc;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::model::{Language, SymbolKind};
use crate::rank::calibrate::{self, Evidence};
use crate::rank::place::Place;
use crate::rank::rule::Rule;
use crate::rank::score::{self, FileDoc, Hits, Query};
use crate::rank::{phrases, tokenize};
use crate::syntax::source;
use crate::tree::read;

use super::code_index::CodeIndex;
use unknown::Near;
use words::Words;

/// How many files are parsed for a rule: with 200 the first answer was the same as with
/// every file parsed for 155 rules of 155, with 50 for 98 of 100.
const PARSED_FILES: usize = 200;

/// How many symbols are read again for words side by side; the first answer is decided
/// among the first dozen.
const READ_SYMBOLS: usize = 50;

/// How many texts, of some 20 KB each, and how many symbols' words, of some 2 KB each,
/// are kept over the rules of a run.
const MAX_KEPT_TEXTS: usize = 500;
const MAX_KEPT_SPANS: usize = 20_000;

/// A rule and where to look for it.
pub(crate) struct Ask<'a> {
    pub(crate) rule: &'a str,
    pub(crate) hints: &'a [String],
    /// Only files of these languages, where there are any.
    pub(crate) languages: Option<&'a [Language]>,
}

/// What was found for a rule.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The best first.
    pub(crate) candidates: Vec<Candidate>,
    /// The words of the rule that the code does not know; only if they were asked for.
    pub(crate) unknown: Vec<Unknown>,
    /// What the first candidate's match was told from; `benches/fit_match.py` reads it.
    pub(crate) evidence: Evidence,
}

/// A word that the code does not know, with near ones that it does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unknown {
    pub(crate) word: String,
    pub(crate) near: Vec<String>,
}

/// Code that may show a rule.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) file: String,
    /// The qualified symbol, or none where the whole file is the example.
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Language,
    /// The 0-based lines on which it starts and ends.
    pub(crate) first_line: u32,
    pub(crate) last_line: u32,
    pub(crate) match_score: f64,
    pub(crate) size: f64,
    /// The rule's words as written, the most telling first.
    pub(crate) matched_terms: Vec<String>,
    /// Only if they were asked for.
    pub(crate) reasons: Vec<Reason>,
}

/// What a word of the rule did for a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reason {
    pub(crate) word: String,
    /// What it added to the score, which all words together bring to 1 at most.
    pub(crate) gain: f64,
    pub(crate) fields: Vec<&'static str>,
    pub(crate) idf: f64,
}

/// A symbol on its way to being a candidate.
#[derive(Debug, Clone, Copy)]
struct Scored {
    /// Which of the files parsed for the rule.
    doc: usize,
    symbol: Option<usize>,
    score: f64,
}

/// A file parsed for a rule.
struct Parsed {
    file: usize,
    doc: Arc<FileDoc>,
    /// The rule's terms in its path.
    path: Vec<u32>,
}

/// Returns the best `limit` candidates for each of `asks`, in their order.
pub(crate) fn find(
    index: &mut CodeIndex,
    asks: &[Ask<'_>],
    limit: usize,
    explain: bool,
) -> Result<Vec<Found>> {
    let rules: Vec<Rule> = asks.iter().map(|ask| Rule::read(ask.rule, ask.hints)).collect();
    let words = Words::gather(index, &rules)?;
    let mut kept = Kept::default();
    let mut found = Vec::with_capacity(asks.len());
    for (ask, rule) in asks.iter().zip(&rules) {
        found.push(answer(index, &words, &mut kept, ask, rule, limit, explain)?);
    }
    Ok(found)
}

fn answer(
    index: &mut CodeIndex,
    words: &Words,
    kept: &mut Kept,
    ask: &Ask<'_>,
    rule: &Rule,
    limit: usize,
    explain: bool,
) -> Result<Found> {
    let query = words.query(rule, index.files.len());
    let file_scores = words.file_scores(index, rule, &query);
    let best = best_files(index, &file_scores, ask.languages);
    let docs = index.documents(&best)?;
    let parsed: Vec<Parsed> = best
        .into_iter()
        .zip(docs)
        .map(|(file, doc)| Parsed { file, doc, path: words.in_path(rule, file) })
        .collect();

    let mut scored = score_symbols(index, &query, &parsed, &file_scores);
    scored.sort_by(|a, b| order(a, b, index, &parsed));
    for symbol in scored.iter_mut().take(READ_SYMBOLS) {
        symbol.score +=
            bonus(index, words, &mut kept.spans, rule, &query, &parsed[symbol.doc], symbol.symbol);
    }
    scored.sort_by(|a, b| order(a, b, index, &parsed));
    add_coherence(&mut scored, parsed.len());
    scored.sort_by(|a, b| order(a, b, index, &parsed));

    let n_known = rule.terms.iter().filter(|term| words.n_with(&term.term) > 0).count();
    let evidence = evidence(&scored, n_known);
    let confidence = calibrate::confidence(evidence);
    scored.truncate(limit);
    let candidates = scored.iter().map(|symbol| {
        let match_score = confidence * symbol.score / evidence.score;
        candidate(index, rule, &query, &parsed[symbol.doc], symbol.symbol, match_score, explain)
    });
    Ok(Found {
        candidates: candidates.collect(),
        unknown: if explain {
            unknown::words(index, words, rule, &mut kept.near)?
        } else {
            Vec::new()
        },
        evidence,
    })
}

/// Returns the positions of the best files that have a word of the rule.
fn best_files(index: &CodeIndex, scores: &[f64], languages: Option<&[Language]>) -> Vec<usize> {
    let is_wanted = |at: &usize| {
        let language = index.files[*at].language;
        scores[*at] > 0.0 && languages.is_none_or(|languages| languages.contains(&language))
    };
    let mut best: Vec<usize> = (0..scores.len()).filter(is_wanted).collect();
    // Files are ordered by path.
    best.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    best.truncate(PARSED_FILES);
    best
}

fn score_symbols(
    index: &CodeIndex,
    query: &Query,
    parsed: &[Parsed],
    file_scores: &[f64],
) -> Vec<Scored> {
    let files = &index.files;
    let score = |(at, Parsed { file, doc, path }): (usize, &Parsed)| {
        let place = Place::of(&files[*file].path);
        let hits = Hits::count(query, doc, path);
        let file_score = file_scores[*file];
        let whole = doc.symbols.is_empty().then(|| (None, hits.whole_file(place, file_score)));
        let symbols = hits.scores(place, file_score).into_iter();
        let scores = symbols.map(|(symbol, score)| (Some(symbol), score)).chain(whole);
        let scored = scores.map(|(symbol, score)| Scored { doc: at, symbol, score });
        scored.collect::<Vec<Scored>>()
    };
    parsed.par_iter().enumerate().flat_map_iter(score).collect()
}

/// Orders by score, then smaller first, then by path and line.
fn order(a: &Scored, b: &Scored, index: &CodeIndex, parsed: &[Parsed]) -> Ordering {
    let place = |it: &Scored| {
        let Parsed { file, doc, .. } = &parsed[it.doc];
        let (first, last) = lines(doc, it.symbol);
        (last - first, index.files[*file].path.as_str(), first, it.symbol)
    };
    b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
}

/// Returns the first and last line of a symbol, or of the file.
fn lines(doc: &FileDoc, symbol: Option<usize>) -> (u32, u32) {
    match symbol.map(|at| &doc.symbols[at]) {
        Some(symbol) => (symbol.first_line, symbol.last_line.max(symbol.first_line)),
        None => (0, doc.n_lines.saturating_sub(1)),
    }
}

/// Returns what a symbol gains for words side by side and for its own name.
fn bonus(
    index: &CodeIndex,
    words: &Words,
    spans: &mut Spans,
    rule: &Rule,
    query: &Query,
    parsed: &Parsed,
    symbol: Option<usize>,
) -> f64 {
    let name = symbol.map_or("", |at| source::last_name(&parsed.doc.symbols[at].name));
    let numbers: Vec<Option<u32>> =
        rule.terms.iter().map(|term| words.number(&term.term)).collect();
    let slot =
        |word: &Option<u32>| word.and_then(|_| numbers.iter().position(|number| number == word));
    let span = spans.words(index, words, parsed, symbol);
    let neighbours = phrases::neighbours(span.iter().map(slot), &rule.pairs);
    score::phrase_bonus(query, rule, &neighbours, &tokenize::terms(name))
}

/// Lifts the symbols of files in which several fit; `scored` is ordered by score.
fn add_coherence(scored: &mut [Scored], n_docs: usize) {
    let mut by_doc: Vec<Vec<f64>> = vec![Vec::new(); n_docs];
    for symbol in scored.iter() {
        by_doc[symbol.doc].push(symbol.score);
    }
    let added: Vec<f64> = by_doc.iter().map(|scores| score::coherence(scores)).collect();
    for symbol in scored {
        symbol.score += added[symbol.doc];
    }
}

/// Returns what tells whether the first of `scored` is right.
fn evidence(scored: &[Scored], n_known: usize) -> Evidence {
    let Some(first) = scored.first() else {
        return Evidence::default();
    };
    let next = scored.iter().find(|it| it.doc != first.doc).map_or(0.0, |next| next.score);
    Evidence { score: first.score, lead: 1.0 - next / first.score.max(f64::MIN_POSITIVE), n_known }
}

fn candidate(
    index: &CodeIndex,
    rule: &Rule,
    query: &Query,
    parsed: &Parsed,
    symbol: Option<usize>,
    match_score: f64,
    explain: bool,
) -> Candidate {
    let Parsed { file, doc, path } = parsed;
    let gains = symbol.map(|at| Hits::count(query, doc, path).explain(at)).unwrap_or_default();
    let word = |slot: usize| rule.terms[slot].word.clone();
    let reason = |gain: &score::Gain| Reason {
        word: word(gain.slot),
        gain: query.share(gain.gain),
        fields: gain.fields.clone(),
        idf: query.idfs[gain.slot],
    };
    let (first_line, last_line) = lines(doc, symbol);
    Candidate {
        file: index.files[*file].path.clone(),
        symbol: symbol.map(|at| doc.symbols[at].name.clone()),
        kind: symbol.map_or(SymbolKind::File, |at| doc.symbols[at].kind),
        language: index.files[*file].language,
        first_line,
        last_line,
        match_score,
        size: calibrate::size((last_line - first_line + 1) as usize),
        matched_terms: gains.iter().map(|gain| word(gain.slot)).collect(),
        reasons: if explain { gains.iter().map(reason).collect() } else { Vec::new() },
    }
}

/// What rules of one run share.
#[derive(Default)]
struct Kept {
    spans: Spans,
    near: Near,
}

/// The symbols that were read again, over the rules of a run.
#[derive(Default)]
struct Spans {
    texts: FxHashMap<usize, String>,
    /// By file and symbol, the number of each word that is a word of some rule.
    words: FxHashMap<(usize, Option<usize>), Vec<Option<u32>>>,
}

impl Spans {
    /// Returns the words of a symbol or of a whole file; none if the file has gone.
    fn words(
        &mut self,
        index: &CodeIndex,
        words: &Words,
        parsed: &Parsed,
        symbol: Option<usize>,
    ) -> &[Option<u32>] {
        if self.texts.len() >= MAX_KEPT_TEXTS {
            self.texts.clear();
        }
        if self.words.len() >= MAX_KEPT_SPANS {
            self.words.clear();
        }
        self.words.entry((parsed.file, symbol)).or_insert_with(|| {
            let path = &index.files[parsed.file].path;
            let text = self.texts.entry(parsed.file);
            let text = text.or_insert_with(|| read::text(&index.root, path).unwrap_or_default());
            let (first, last) = lines(&parsed.doc, symbol);
            let mut found = Vec::new();
            for line in text.lines().skip(first as usize).take((last - first + 1) as usize) {
                tokenize::words(line, |word| {
                    tokenize::parts(word, |part| found.push(words.number(&tokenize::term(part))));
                });
            }
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::Store;

    fn index() -> CodeIndex {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shop");
        let store = Store::in_memory().expect("a store");
        CodeIndex::refresh(&root, &[], store, 0).expect("an index")
    }

    fn ask(rule: &str) -> Ask<'_> {
        Ask { rule, hints: &[], languages: None }
    }

    const HASH: &str = "Hash passwords with a salt and a slow key derivation function";
    const BREAKER: &str = "Put calls to unreliable dependencies behind a circuit breaker";

    #[test]
    fn the_best_symbol_comes_first_and_passes_the_gate() {
        let found = find(&mut index(), &[ask(HASH)], 5, true).expect("an answer");
        let best = &found[0].candidates[0];
        assert_eq!(best.file, "backend/shop/auth/passwords.py");
        assert_eq!(best.symbol.as_deref(), Some("hash_password"));
        assert!(best.match_score > 0.7, "{}", best.match_score);
        assert!(best.reasons.iter().any(|it| it.word == "salt" && it.fields.contains(&"body")));
        let matches: Vec<f64> = found[0].candidates.iter().map(|it| it.match_score).collect();
        assert!(matches.is_sorted_by(|a, b| a >= b), "{matches:?}");
    }

    #[test]
    fn answers_do_not_depend_on_other_rules() {
        let mut shared = index();
        let together = find(&mut shared, &[ask(BREAKER), ask(HASH)], 20, true).expect("answers");
        for (rule, expected) in [(HASH, &together[1]), (BREAKER, &together[0])] {
            let alone = find(&mut index(), &[ask(rule)], 20, true).expect("an answer");
            assert_eq!(format!("{:?}", alone[0]), format!("{expected:?}"));
        }
    }

    #[test]
    fn only_files_of_the_languages_are_found() {
        let only = Ask { languages: Some(&[Language::Go]), ..ask(HASH) };
        let found = find(&mut index(), &[only], 20, false).expect("an answer");
        assert!(!found[0].candidates.is_empty());
        assert!(found[0].candidates.iter().all(|it| it.file.ends_with(".go")));
    }

    #[test]
    fn unknown_words_are_told_with_near_ones() {
        let found = find(&mut index(), &[ask("Gzip the validator")], 1, true).expect("an answer");
        let gzip = Unknown { word: "gzip".into(), near: Vec::new() };
        assert_eq!(found[0].unknown.first(), Some(&gzip));
        let validator = found[0].unknown.iter().find(|it| it.word == "validator");
        assert!(validator.is_none_or(|it| !it.near.is_empty()), "{validator:?}");
    }

    #[test]
    fn nothing_is_found_for_nothing() {
        let found = find(&mut index(), &[ask(""), ask("qqqq")], 5, true).expect("answers");
        assert!(found.iter().all(|found| found.candidates.is_empty()));
    }
}
