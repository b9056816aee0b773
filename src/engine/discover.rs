//! Finds the code that shows a rule.
//!
//! In three steps: all files by their vectors, the symbols of the best files, and the
//! best symbols once more by their text. Rules share what can be shared: the vectors
//! are read once for all rules, a file is parsed and read once. The answer depends on
//! the code and the rule alone, never on what was asked or parsed before.

mod reader;
mod symbols;
mod unknown;
mod words;

use std::cmp::Ordering;
use std::num::NonZeroU32;

use anyhow::Result;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engine::rank::calibrate::{self, Features};
use crate::engine::rank::document::Document;
use crate::engine::rank::postings;
use crate::engine::rank::query::ParsedQuery;
use crate::engine::rank::score::{self, ScorableFile, TermSet, WeightedQuery};
use crate::model::{Language, SymbolKind};
use crate::syntax::parse;
use crate::timings;

use super::index::{Code, CodeIndex};
use reader::{Reader, Wanted};
use unknown::Near;
use words::Words;

/// How many files are parsed for a rule: with 200 the first answer was the same as with
/// every file parsed for 155 rules of 155, with 50 for 98 of 100.
const PARSED_FILES: usize = 200;

/// How many symbols are read again for words side by side; the first answer is decided
/// among the first dozen.
const READ_SYMBOLS: usize = 50;

/// How many rules are answered together, and how many files may be held for them: what they
/// want is parsed at once, on all threads.
const RULES_AT_ONCE: usize = 200;
const FILES_AT_ONCE: usize = 4_000;

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
    pub(crate) evidence: Features,
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

/// A symbol on its way to being a candidate, of which a rule has some thousands.
#[derive(Debug, Clone, Copy)]
struct Scored {
    doc: u32,
    /// Counted from one, so that it takes four bytes whether there is one or not.
    symbol: Option<NonZeroU32>,
    score: f64,
}

impl Scored {
    fn new(doc: usize, symbol: Option<usize>, score: f64) -> Self {
        let small = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let symbol = symbol.and_then(|at| NonZeroU32::new(small(at + 1)));
        Self { doc: small(doc), symbol, score }
    }

    /// Returns which of the files parsed for the rule it is in.
    fn doc(self) -> usize {
        self.doc as usize
    }

    /// Returns its position among the symbols of the file, unless it is the whole file.
    fn symbol(self) -> Option<usize> {
        self.symbol.map(|number| number.get() as usize - 1)
    }
}

/// A file parsed for a rule.
struct Parsed<'a> {
    file: usize,
    score: f64,
    slots: TermSet,
    scorable: &'a ScorableFile,
}

impl<'a> Parsed<'a> {
    fn doc(&self) -> &'a Document {
        &self.scorable.document
    }
}

/// A rule with the files to look at for it.
struct Plan<'a> {
    rule: &'a ParsedQuery,
    query: WeightedQuery,
    /// The best files with their scores and the words of the rule that they have.
    files: Vec<(usize, f64, TermSet)>,
}

impl<'a> Plan<'a> {
    fn new(
        code: Code<'_>,
        words: &Words,
        rule: &'a ParsedQuery,
        languages: Option<&[Language]>,
    ) -> Self {
        let query = words.query(rule, code.files.len());
        let scores = words.file_scores(code.files, rule, &query);
        let files = best_files(code, &scores, languages);
        Self { rule, query, files }
    }
}

/// Returns the best `limit` candidates for each of `asks`, in their order.
pub(crate) fn find(
    index: &mut CodeIndex,
    asks: &[Ask<'_>],
    limit: usize,
    explain: bool,
) -> Result<Vec<Found>> {
    let step = timings::step("look the words up");
    let rules: Vec<ParsedQuery> =
        asks.par_iter().map(|ask| ParsedQuery::parse(ask.rule, ask.hints)).collect();
    let words = Words::gather(index, &rules);
    drop(step);
    let mut reader = Reader::new(rules.len() > RULES_AT_ONCE);
    let mut found = Vec::with_capacity(asks.len());
    for (rules, asks) in rules.chunks(RULES_AT_ONCE).zip(asks.chunks(RULES_AT_ONCE)) {
        let step = timings::step("rank the files");
        let code = index.code();
        let plan = |(rule, ask): (_, &Ask<'_>)| Plan::new(code, &words, rule, ask.languages);
        let plans: Vec<Plan<'_>> = rules.par_iter().zip(asks).map(plan).collect();
        drop(step);
        let mut rest = plans.as_slice();
        while !rest.is_empty() {
            let (now, wanted) = take_plans(&mut rest);
            index.gather(&wanted)?;
            let _step = timings::step("rank the symbols");
            let search = Search { code: index.code(), words: &words, limit, explain };
            search.answer(&mut reader, now, &mut found);
        }
    }
    if explain {
        let mut near = Near::default();
        for (found, rule) in found.iter_mut().zip(&rules) {
            found.unknown = unknown::words(index, &words, rule, &mut near);
        }
    }
    Ok(found)
}

/// Takes plans off the front, at least one, that want no more than so many files together,
/// and returns them with these files.
fn take_plans<'p, 'a>(rest: &mut &'p [Plan<'a>]) -> (&'p [Plan<'a>], Vec<usize>) {
    let mut wanted = FxHashSet::default();
    let mut n_taken = 0;
    for plan in *rest {
        if n_taken > 0 && wanted.len() + plan.files.len() > FILES_AT_ONCE {
            break;
        }
        wanted.extend(plan.files.iter().map(|it| it.0));
        n_taken += 1;
    }
    let (taken, later) = rest.split_at(n_taken);
    *rest = later;
    (taken, wanted.into_iter().collect())
}

/// What the answers to some rules are made of.
struct Search<'a> {
    code: Code<'a>,
    words: &'a Words,
    limit: usize,
    explain: bool,
}

impl Search<'_> {
    /// Adds the answers to the rules of `plans`, whose files are parsed.
    fn answer(&self, reader: &mut Reader, plans: &[Plan<'_>], found: &mut Vec<Found>) {
        let parsed: Vec<Vec<Parsed<'_>>> = plans.par_iter().map(|plan| self.parsed(plan)).collect();
        let n_best = self.limit.max(READ_SYMBOLS);
        let mut scored = symbols::score(self.code, plans, &parsed, n_best);
        let forward = |(scored, parsed): (&mut Vec<Scored>, &Vec<Parsed<'_>>)| {
            bring_forward(scored, READ_SYMBOLS, parsed);
        };
        scored.par_iter_mut().zip(&parsed).for_each(forward);
        self.add_bonuses(reader, plans, &parsed, &mut scored);
        let answers = plans.par_iter().zip(&parsed).zip(scored);
        found.par_extend(answers.map(|((plan, parsed), scored)| self.found(plan, parsed, scored)));
    }

    fn parsed(&self, plan: &Plan<'_>) -> Vec<Parsed<'_>> {
        let files = plan.files.iter().filter_map(|&(file, score, slots)| {
            Some(Parsed { file, score, slots, scorable: self.code.parsed(file)? })
        });
        files.collect()
    }

    /// Lifts those of the first symbols of each rule that have more of it than its words.
    fn add_bonuses(
        &self,
        reader: &mut Reader,
        plans: &[Plan<'_>],
        parsed: &[Vec<Parsed<'_>>],
        scored: &mut [Vec<Scored>],
    ) {
        let wanted = plans.iter().enumerate().flat_map(|(at_plan, plan)| {
            let first = scored[at_plan].iter().take(READ_SYMBOLS).enumerate();
            first.filter_map(move |(at, symbol)| {
                let file = &parsed[at_plan][symbol.doc()];
                let has_pair = |&(a, b): &_| file.slots.contains(a) && file.slots.contains(b);
                plan.rule.pairs.iter().any(has_pair).then(|| {
                    let lines = lines(file.doc(), symbol.symbol());
                    (file.file, Wanted { lines, asking: (at_plan, at) })
                })
            })
        });
        let neighbours = reader.read(self.code, self.words, plans, wanted.collect());
        let neighbours: FxHashMap<(usize, usize), Vec<bool>> = neighbours.into_iter().collect();
        let add = |(at_plan, scored): (usize, &mut Vec<Scored>)| {
            for (at, symbol) in scored.iter_mut().take(READ_SYMBOLS).enumerate() {
                let file = &parsed[at_plan][symbol.doc()];
                let neighbours = neighbours.get(&(at_plan, at)).map_or(&[][..], Vec::as_slice);
                symbol.score += bonus(&plans[at_plan], file, symbol.symbol(), neighbours);
            }
        };
        scored.par_iter_mut().enumerate().for_each(add);
    }

    fn found(&self, plan: &Plan<'_>, parsed: &[Parsed<'_>], mut scored: Vec<Scored>) -> Found {
        add_coherence(&mut scored, parsed.len());
        bring_forward(&mut scored, self.limit.max(1), parsed);

        let terms = plan.rule.terms.iter();
        let n_known = terms.filter(|term| self.words.n_with(&term.term) > 0).count();
        let evidence = evidence(&scored, n_known);
        let confidence = calibrate::confidence(evidence);
        scored.truncate(self.limit);
        scored.sort_unstable_by(|a, b| order(a, b, parsed));
        let candidates = scored.iter().map(|symbol| {
            let match_score = confidence * symbol.score / evidence.score;
            self.candidate(plan, &parsed[symbol.doc()], symbol.symbol(), match_score)
        });
        Found { candidates: candidates.collect(), unknown: Vec::new(), evidence }
    }

    fn candidate(
        &self,
        plan: &Plan<'_>,
        parsed: &Parsed<'_>,
        symbol: Option<usize>,
        match_score: f64,
    ) -> Candidate {
        let Plan { rule, query, .. } = plan;
        let (file, doc) = (&self.code.files[parsed.file], parsed.doc());
        let path = postings::path_terms(file.vector.as_deref().unwrap_or_default());
        let is_in_path = |id| path.contains(&id);
        let gains = |at| query.explain(parsed.scorable, parsed.slots, is_in_path, at);
        let gains = symbol.map(gains).unwrap_or_default();
        let word = |slot: usize| rule.terms[slot].word.clone();
        let reason = |gain: &score::Contribution| Reason {
            word: word(gain.term_idx),
            gain: query.share(gain.score),
            fields: gain.fields.clone(),
            idf: query.idfs[gain.term_idx],
        };
        let (first_line, last_line) = lines(doc, symbol);
        Candidate {
            file: file.path.clone(),
            symbol: symbol.map(|at| doc.symbols[at].name.clone()),
            kind: symbol.map_or(SymbolKind::File, |at| doc.symbols[at].kind),
            language: file.language,
            first_line,
            last_line,
            match_score,
            size: calibrate::size((last_line - first_line + 1) as usize),
            matched_terms: gains.iter().map(|gain| word(gain.term_idx)).collect(),
            reasons: if self.explain { gains.iter().map(reason).collect() } else { Vec::new() },
        }
    }
}

/// Sorts what is asked of files, each given by its position, and returns it file by file.
fn by_file<T: Send>(asked: &mut [(usize, T)]) -> Vec<&[(usize, T)]> {
    asked.par_sort_unstable_by_key(|(file, _)| *file);
    asked.chunk_by(|a, b| a.0 == b.0).collect()
}

/// Returns the positions of the best files that have a word of the rule, the best first.
fn best_files(
    code: Code<'_>,
    scores: &[(f64, TermSet)],
    languages: Option<&[Language]>,
) -> Vec<(usize, f64, TermSet)> {
    let is_wanted = |at: &usize| {
        let language = code.files[*at].language;
        scores[*at].0 > 0.0 && languages.is_none_or(|languages| languages.contains(&language))
    };
    let mut best: Vec<usize> = (0..scores.len()).filter(is_wanted).collect();
    // Files are ordered by path.
    let order = |a: &usize, b: &usize| scores[*b].0.total_cmp(&scores[*a].0).then(a.cmp(b));
    if best.len() > PARSED_FILES {
        best.select_nth_unstable_by(PARSED_FILES - 1, order);
        best.truncate(PARSED_FILES);
    }
    best.sort_unstable_by(order);
    best.into_iter().map(|at| (at, scores[at].0, scores[at].1)).collect()
}

/// Brings the best `n` to the front, the very best first.
fn bring_forward(scored: &mut [Scored], n: usize, parsed: &[Parsed<'_>]) {
    select(scored, n, parsed);
    let n = n.min(scored.len());
    select(&mut scored[..n], 1, parsed);
}

/// Brings the best `n` to the front.
fn select(scored: &mut [Scored], n: usize, parsed: &[Parsed<'_>]) {
    if (1..scored.len()).contains(&n) {
        scored.select_nth_unstable_by(n - 1, |a, b| order(a, b, parsed));
    }
}

/// Orders by score, then smaller first, then by path and line.
fn order(a: &Scored, b: &Scored, parsed: &[Parsed<'_>]) -> Ordering {
    let place = |it: &Scored| {
        let parsed = &parsed[it.doc()];
        let (first, last) = lines(parsed.doc(), it.symbol());
        // Files are ordered by path.
        (last - first, parsed.file, first, it.symbol)
    };
    b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
}

/// Returns the first and last line of a symbol, or of the file.
fn lines(doc: &Document, symbol: Option<usize>) -> (u32, u32) {
    match symbol.map(|at| &doc.symbols[at]) {
        Some(symbol) => (symbol.first_line, symbol.last_line.max(symbol.first_line)),
        None => (0, doc.n_lines.saturating_sub(1)),
    }
}

/// Returns what a symbol gains for words side by side and for its own name.
fn bonus(plan: &Plan<'_>, parsed: &Parsed<'_>, symbol: Option<usize>, neighbours: &[bool]) -> f64 {
    let name = symbol.map_or("", |at| parse::last_name(&parsed.doc().symbols[at].name));
    score::phrase_bonus(&plan.query, plan.rule, neighbours, name)
}

/// Lifts the symbols of files in which several fit.
fn add_coherence(scored: &mut [Scored], n_docs: usize) {
    let mut best = vec![score::TopScores::default(); n_docs];
    for symbol in scored.iter() {
        best[symbol.doc()].add(symbol.score);
    }
    let added: Vec<f64> = best.iter().map(score::TopScores::coherence).collect();
    for symbol in scored {
        symbol.score += added[symbol.doc()];
    }
}

/// Returns what tells whether the first of `scored`, which is the best, is right.
fn evidence(scored: &[Scored], n_known: usize) -> Features {
    let Some(first) = scored.first() else {
        return Features::default();
    };
    let others = scored.iter().filter(|it| it.doc != first.doc).map(|it| it.score);
    let next = others.fold(0.0, f64::max);
    Features { score: first.score, lead: 1.0 - next / first.score.max(f64::MIN_POSITIVE), n_known }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::store::Store;

    fn index() -> CodeIndex {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/shop");
        CodeIndex::refresh(&root, &[], Store::in_memory, 0).expect("an index")
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
    fn answers_to_more_rules_than_are_answered_together_are_the_same() {
        let rules: Vec<Ask<'_>> =
            [BREAKER, HASH].into_iter().cycle().take(RULES_AT_ONCE + 1).map(ask).collect();
        let found = find(&mut index(), &rules, 3, false).expect("answers");
        let found: Vec<String> = found.iter().map(|found| format!("{found:?}")).collect();
        assert_eq!(found.len(), rules.len());
        assert!(found.iter().step_by(2).all(|it| *it == found[0]));
        assert!(found.iter().skip(1).step_by(2).all(|it| *it == found[1]));
        assert_ne!(found[0], found[1]);
    }

    #[test]
    fn plans_are_taken_until_they_want_too_many_files() {
        let rule = ParsedQuery::parse(HASH, &[]);
        let plan = |files: std::ops::Range<usize>| Plan {
            rule: &rule,
            query: WeightedQuery::default(),
            files: files.map(|file| (file, 1.0, TermSet::default())).collect(),
        };
        let most = FILES_AT_ONCE;
        let plans = [plan(0..most + 1), plan(0..most - 1), plan(1..most), plan(most..most + 1)];
        let mut rest = &plans[..];
        let mut taken = Vec::new();
        while !rest.is_empty() {
            let (now, mut wanted) = take_plans(&mut rest);
            wanted.sort_unstable();
            taken.push((now.len(), wanted.len(), wanted.last().copied()));
        }
        let first = (1, most + 1, Some(most));
        assert_eq!(taken, [first, (1, most - 1, Some(most - 2)), (2, most, Some(most))]);
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
