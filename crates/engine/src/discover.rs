//! Finds the code that matches a rule.
//!
//! Three stages: score all files by their term vectors, score the symbols of the best files, and
//! score the best symbols again by their text. Rules share the work: the vectors are read once for
//! all rules, and each file is parsed and read once. A ranking depends on the code and the rule
//! alone, not on earlier queries or on the files that are already parsed.

mod forms;
mod imported;
mod named_code;
mod order;
mod place;
mod reader;
mod symbols;
mod term_index;
mod unknown_words;

use std::num::NonZeroU32;

use anyhow::Result;
use cerberus_model::{Confidence, Language, LineIndex, RuleKind, SymbolKind};
use forms::FormFiles;
use order::{append_below, distinct_files_first, order, prefer_short, select_top};
use place::Place;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelExtend,
    ParallelIterator,
};
use rayon::slice::ParallelSliceMut;
use reader::WordCache;
use rustc_hash::{FxHashMap, FxHashSet};
use term_index::TermIndex;
use unknown_words::UnknownWords;

use super::index::{Code, CodeIndex, PARSED_FILES};
use super::search::{Options, Query, RankedSymbol, Ranking, Reason};
use super::{CodeBase, recency, rounded};
use crate::rank::calibrate::{self, Features};
use crate::rank::document::Document;
use crate::rank::query::ParsedQuery;
use crate::rank::score::{self, NameMatch, NameSet, ScorableFile, TermSet};
use crate::rank::{postings, rule_kind, tokenize};
use crate::syntax::parse::unique_name;
use crate::tree::read;

/// Symbols read again for adjacent words. The first dozen decide which candidate is first.
const READ_SYMBOLS: usize = 50;

/// Limits of a batch: rules ranked together, and files parsed for them on all threads.
const RULES_PER_BATCH: usize = 250;
const FILES_PER_BATCH: usize = 4_000;

/// The score of a symbol: small, since a large project has thousands for each rule.
#[derive(Debug, Clone, Copy)]
struct SymbolScore {
    /// See [`Self::doc_idx`] and [`Self::symbol_idx`].
    doc_idx: u16,
    symbol_number: Option<NonZeroU32>,
    /// The names of code in the rule of which the symbol has all parts.
    names: NameSet,
    score: f64,
}

impl SymbolScore {
    fn new(doc_idx: usize, symbol_idx: Option<usize>, names: NameSet, score: f64) -> Self {
        // A rule has [`PARSED_FILES`], and a file fewer symbols than bytes.
        let doc_idx = u16::try_from(doc_idx).unwrap_or(u16::MAX);
        let number = symbol_idx.map(|idx| u32::try_from(idx + 1).unwrap_or(u32::MAX));
        Self {
            doc_idx,
            symbol_number: number.and_then(NonZeroU32::new),
            names,
            score,
        }
    }

    /// Returns the index of its file among the files parsed for the rule.
    fn doc_idx(self) -> usize {
        usize::from(self.doc_idx)
    }

    /// Returns its index among the symbols of the file, or `None` for the whole file.
    fn symbol_idx(self) -> Option<usize> {
        self.symbol_number.map(|number| number.get() as usize - 1)
    }
}

/// A file parsed for a rule.
struct ParsedCandidate<'a> {
    file_idx: usize,
    score: f64,
    /// The terms of the rule that the file contains.
    terms: TermSet,
    /// Of its file; see [`Place::factor`].
    place_factor: f64,
    scorable: &'a ScorableFile,
}

impl<'a> ParsedCandidate<'a> {
    fn doc(&self) -> &'a Document {
        &self.scorable.document
    }
}

/// A rule with the files that may contain its example.
struct FileCandidates<'a> {
    query: &'a Query,
    rule: &'a ParsedQuery,
    scorer: score::WeightedQuery,
    /// The best files, with their scores and the terms of the rule that they contain.
    files: Vec<(usize, f64, TermSet)>,
    /// The indices of the terms that the code has, by their ids.
    term_idxs: FxHashMap<u32, usize>,
    place: Place,
    /// Number of hints of which all words occur in the code.
    n_known_hints: usize,
}

impl<'a> FileCandidates<'a> {
    fn new(code: Code<'_>, terms: &TermIndex, rule: &'a ParsedQuery, query: &'a Query) -> Self {
        let scorer = terms.scorer(rule, code.files.len());
        let mut scores = terms.file_scores(code.files, rule, &scorer);
        let place = Place::new(code, query, rule);
        for (file_idx, (score, _)) in scores.iter_mut().enumerate() {
            *score *= place.factor(code, file_idx);
        }
        let files = best_files(code, &scores, query.languages);
        let known_hints = query.hints.iter().filter(|hint| {
            let words = tokenize::terms(hint);
            words.iter().all(|term| terms.is_known(term))
        });
        let n_known_hints = known_hints.count();
        let mut term_idxs = FxHashMap::default();
        for (idx, id) in scorer.ids.iter().enumerate() {
            if let Some(id) = *id {
                term_idxs.insert(id, idx);
            }
        }
        Self {
            query,
            rule,
            scorer,
            files,
            term_idxs,
            place,
            n_known_hints,
        }
    }

    /// Returns whether the text of the first symbols is searched for names of code and hints.
    fn is_read_for_names(&self) -> bool {
        !self.rule.names.is_empty() || !self.query.hints.is_empty()
    }
}

/// Ranks the candidates of each query, in order, with an index that is up to date.
pub fn rank(
    base: CodeBase<'_>,
    index: &mut CodeIndex,
    queries: &[Query],
    options: Options,
) -> Result<Vec<Ranking>> {
    let progress = base.progress;
    let n_files = index.files.len();
    let report = |n_parsed: usize| progress(n_files + n_parsed, n_files + PARSED_FILES);
    let mut rules: Vec<ParsedQuery> = queries
        .par_iter()
        .map(|query| ParsedQuery::rule(&query.rule, &query.hints))
        .collect();
    let terms = TermIndex::new(index, &rules);
    rules
        .par_iter_mut()
        .for_each(|rule| terms.settle_roles(rule));
    let code = index.code();
    let candidates: Vec<FileCandidates<'_>> = rules
        .par_iter()
        .zip(queries)
        .map(|(rule, query)| FileCandidates::new(code, &terms, rule, query))
        .collect();
    let mut rankings = Vec::with_capacity(queries.len());
    let mut rest = candidates.as_slice();
    let word_cache = WordCache::new();
    let mut form_files = FormFiles::default();
    while !rest.is_empty() {
        form_files.limit();
        let (batch, file_idxs) = next_batch(&mut rest);
        report(0);
        index.load_symbols(&file_idxs, progress)?;
        report(PARSED_FILES);
        let ranker = Ranker {
            code: index.code(),
            terms: &terms,
            word_cache: &word_cache,
            form_files: &form_files,
            options,
        };
        ranker.rank(batch, &mut rankings);
        report(PARSED_FILES);
    }
    let mut unknown = UnknownWords::new(index, &terms, options.explain);
    for ((ranking, rule), query) in rankings.iter_mut().zip(&rules).zip(queries) {
        if options.explain || !query.hints.is_empty() {
            ranking.unknown_words = Some(unknown.of_rule(rule, &query.hints));
        }
    }
    let recencies = (base.weights.recency > 0.0).then(|| recency::of_candidates(index, &rankings));
    for ranking in &mut rankings {
        ranking.rate(base.weights, recencies.as_ref());
    }
    Ok(rankings)
}

/// Splits off the first rules, at least one, up to [`RULES_PER_BATCH`] and [`FILES_PER_BATCH`]. Returns them
/// with the files that they need.
fn next_batch<'p, 'a>(
    rest: &mut &'p [FileCandidates<'a>],
) -> (&'p [FileCandidates<'a>], Vec<usize>) {
    let mut file_idxs = FxHashSet::default();
    let mut n_rules = 0;
    for candidates in *rest {
        let n_files = file_idxs.len() + candidates.files.len();
        if n_rules == RULES_PER_BATCH || (n_rules > 0 && n_files > FILES_PER_BATCH) {
            break;
        }
        file_idxs.extend(candidates.files.iter().map(|file| file.0));
        n_rules += 1;
    }
    let (batch, later) = rest.split_at(n_rules);
    *rest = later;
    (batch, file_idxs.into_iter().collect())
}

/// Ranks the symbols of parsed files.
struct Ranker<'a> {
    code: Code<'a>,
    terms: &'a TermIndex,
    word_cache: &'a WordCache,
    form_files: &'a FormFiles,
    options: Options,
}

impl Ranker<'_> {
    /// Appends the rankings of the rules of `batch`, whose files are parsed.
    fn rank(&self, batch: &[FileCandidates<'_>], rankings: &mut Vec<Ranking>) {
        let parsed: Vec<Vec<ParsedCandidate<'_>>> = batch
            .par_iter()
            .map(|candidates| self.parsed(candidates))
            .collect();
        let mut scores = symbols::score(self.code, batch, &parsed, self.n_best());
        scores
            .par_iter_mut()
            .zip(&parsed)
            .zip(batch)
            .for_each(|((scores, parsed), candidates)| {
                self.drop_forbidden(candidates, parsed, scores);
                select_top(scores, READ_SYMBOLS, parsed);
            });
        for ((rule_idx, symbol_rank), found) in self.read(batch, &parsed, &scores) {
            let FileCandidates {
                scorer,
                n_known_hints,
                ..
            } = &batch[rule_idx];
            let symbol = &mut scores[rule_idx][symbol_rank];
            symbol.score += found.phrases + found.imported;
            symbol.score += score::name_bonus(scorer, &found.names, symbol.names, found.n_lines);
            symbol.score *= score::hint_factor(found.n_hints, *n_known_hints);
        }
        let ranked = batch.par_iter().zip(&parsed).zip(scores);
        rankings.par_extend(
            ranked.map(|((candidates, parsed), scores)| self.ranking(candidates, parsed, scores)),
        );
    }

    /// Returns the number of symbols that are scored for a rule.
    fn n_best(&self) -> usize {
        self.options.limit.max(READ_SYMBOLS)
    }

    fn parsed(&self, candidates: &FileCandidates<'_>) -> Vec<ParsedCandidate<'_>> {
        let mut parsed = Vec::with_capacity(candidates.files.len());
        for &(file_idx, score, terms) in &candidates.files {
            if let Some(scorable) = self.code.parsed(file_idx) {
                parsed.push(ParsedCandidate {
                    file_idx,
                    score,
                    terms,
                    place_factor: candidates.place.factor(self.code, file_idx),
                    scorable,
                });
            }
        }
        parsed
    }

    fn ranking(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &[ParsedCandidate<'_>],
        mut scores: Vec<SymbolScore>,
    ) -> Ranking {
        let unread = if candidates.is_read_for_names() {
            scores.split_off(scores.len().min(READ_SYMBOLS))
        } else {
            Vec::new()
        };
        add_coherence(&mut scores, parsed.len());
        let last_read = scores.iter().take(READ_SYMBOLS).map(|symbol| symbol.score);
        let is_enough = last_read.len() == READ_SYMBOLS;
        let rest = if is_enough {
            last_read.fold(f64::INFINITY, f64::min).max(0.0)
        } else {
            0.0
        };
        append_below(&mut scores, unread);
        prefer_short(&mut scores, parsed);
        select_top(&mut scores, self.options.limit.max(1), parsed);

        let verdict = rule_kind::classify(&candidates.query.rule);
        let kind = candidates.query.kind.unwrap_or(verdict.kind);
        let is_by_wording = kind == RuleKind::Process && candidates.query.kind.is_none();
        let best = match scores.first() {
            Some(first) => first.score,
            None => 1.0,
        };
        let evidence = Features {
            rest: rest / best.max(f64::MIN_POSITIVE),
            wording: verdict.wording,
            is_code: candidates.query.kind == Some(RuleKind::Code),
            ..self.evidence(candidates, parsed, &scores)
        };
        let confidence = calibrate::confidence(evidence);
        if self.options.distinct_files {
            scores = distinct_files_first(scores, parsed);
        } else {
            scores.truncate(self.options.limit);
            scores.sort_unstable_by(|a, b| order(a, b, parsed));
        }
        scores.truncate(self.options.limit);
        let mut ranked = Vec::with_capacity(scores.len());
        for (idx, symbol) in scores.iter().enumerate() {
            let file = &parsed[symbol.doc_idx()];
            ranked.push(RankedSymbol {
                rank: idx + 1,
                match_score: confidence * symbol.score / best,
                ..self.ranked_symbol(candidates, file, symbol.symbol_idx())
            });
        }
        let rounded = Features {
            score: rounded(evidence.score),
            lead: rounded(evidence.lead),
            rest: rounded(evidence.rest),
            n_effective: rounded(evidence.n_effective),
            ..evidence
        };
        Ranking {
            rule: candidates.query.rule.clone(),
            hints: candidates.query.hints.clone(),
            min_quality: self.options.min_quality,
            kind,
            kind_reasons: if is_by_wording {
                verdict.cues
            } else {
                Vec::new()
            },
            confidence: Confidence::None,
            anchor: None,
            candidates: ranked,
            unknown_words: None,
            evidence: self.options.explain.then_some(rounded),
            elapsed_ms: 0.0,
            warnings: Vec::new(),
        }
    }

    /// Returns the features of the first of `scores`, without those of the rule and of the others.
    fn evidence(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &[ParsedCandidate<'_>],
        scores: &[SymbolScore],
    ) -> Features {
        let Some(first) = scores.first() else {
            return Features::default();
        };
        let FileCandidates { rule, scorer, .. } = candidates;
        let others = scores
            .iter()
            .filter(|symbol| symbol.doc_idx != first.doc_idx);
        let next = others.map(|symbol| symbol.score).fold(0.0, f64::max);
        let lead = 1.0 - next / first.score.max(f64::MIN_POSITIVE);
        let file = &parsed[first.doc_idx()];
        let (first_line, last_line) = lines(file.doc(), first.symbol_idx());
        let gains = self.gains(candidates, file, first.symbol_idx());
        let scores_of_terms: Vec<f64> = gains.iter().map(|gain| gain.score).collect();
        let names = rule.names.iter().zip(&scorer.name_freqs);
        let path = &self.code.files[file.file_idx].path;
        let found = self.found_in(candidates, file, first.symbol_idx());
        let is_definition = match first.symbol_idx() {
            Some(symbol_idx) => {
                let symbol = &file.doc().symbols[symbol_idx];
                let mut alone = rule.names.iter().filter(|name| name.is_alone);
                alone.any(|name| named_code::is_definition(name, &symbol.name, path))
            }
            None => false,
        };
        Features {
            score: first.score / file.place_factor,
            lead,
            n_effective: calibrate::effective_number(&scores_of_terms),
            n_unknown_names: names
                .filter(|(name, freq)| name.is_name() && !name.is_hinted && **freq == 0)
                .count(),
            n_hints: candidates.n_known_hints,
            n_found_hints: found.n_hints,
            n_names: found.n_names,
            n_found_names: found.n_found_names,
            is_definition,
            is_test_mismatch: file.scorable.is_test(first.symbol_idx()) != rule.is_about_tests,
            is_without_demand: rule.is_without_demand,
            n_lines: (last_line - first_line + 1) as usize,
            ..Features::default()
        }
    }

    /// Returns what the text of a symbol contains of the names and the hints of a rule.
    fn found_in(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &ParsedCandidate<'_>,
        symbol_idx: Option<usize>,
    ) -> FoundCode {
        let path = &self.code.files[parsed.file_idx].path;
        let text = read::listed_text(self.code.root, path).unwrap_or_default();
        let lines = lines(parsed.doc(), symbol_idx);
        let code = named_code::with_lines_above(&text, &LineIndex::new(&text), lines);
        let symbol = match symbol_idx {
            Some(idx) => parsed.doc().symbols[idx].name.as_str(),
            None => "",
        };
        let mut found = FoundCode {
            n_hints: named_code::n_contained(code, &candidates.query.hints),
            ..FoundCode::default()
        };
        let names = candidates.rule.names.iter();
        for (name, freq) in names.zip(&candidates.scorer.name_freqs) {
            if name.is_hinted || *freq == 0 {
                continue;
            }
            found.n_names += 1;
            let is_found = named_code::name_match(name, symbol, code) >= NameMatch::Verbatim;
            found.n_found_names += usize::from(is_found);
        }
        found
    }

    /// Returns the contributions of the terms of the rule to the score of a symbol; nothing for a whole
    /// file.
    fn gains(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &ParsedCandidate<'_>,
        symbol_idx: Option<usize>,
    ) -> Vec<score::Contribution> {
        let Some(symbol_idx) = symbol_idx else {
            return Vec::new();
        };
        let vector = &self.code.files[parsed.file_idx].vector;
        let path = postings::path_terms(vector.as_deref().unwrap_or_default());
        candidates.scorer.explain(
            parsed.scorable,
            parsed.terms,
            |id| path.contains(&id),
            symbol_idx,
        )
    }

    /// Returns a symbol of a file, or the whole file, with its size and the reasons for its score.
    fn ranked_symbol(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &ParsedCandidate<'_>,
        symbol_idx: Option<usize>,
    ) -> RankedSymbol {
        let FileCandidates { rule, scorer, .. } = candidates;
        let file = &self.code.files[parsed.file_idx];
        let doc = parsed.doc();
        let mut matched_terms = Vec::new();
        let mut reasons = Vec::new();
        for gain in self.gains(candidates, parsed, symbol_idx) {
            let word = &rule.terms[gain.term_idx].word;
            matched_terms.push(word.clone());
            if self.options.explain {
                reasons.push(Reason {
                    word: word.clone(),
                    gain: rounded(scorer.share(gain.score)),
                    idf: rounded(scorer.idfs[gain.term_idx]),
                    fields: gain.fields,
                });
            }
        }
        let mut symbol = None;
        let mut kind = SymbolKind::File;
        if let Some(idx) = symbol_idx {
            let names = doc.symbols.iter().map(|symbol| &*symbol.name);
            symbol = Some(unique_name(names, idx));
            kind = doc.symbols[idx].kind;
        }
        let (first_line, last_line) = lines(doc, symbol_idx);
        RankedSymbol {
            rank: 0,
            file: file.path.clone(),
            symbol,
            kind,
            language: file.language,
            start_line: first_line + 1,
            end_line: last_line + 1,
            quality: 0.0,
            match_score: 0.0,
            size: calibrate::size((last_line - first_line + 1) as usize),
            recency: None,
            matched_terms,
            reasons,
            excerpt: None,
            shown_lines: None,
        }
    }
}

/// How much a candidate contains of the code that a rule and its hints name.
#[derive(Default)]
struct FoundCode {
    n_hints: usize,
    n_names: usize,
    n_found_names: usize,
}

/// Groups requests by the index of their file.
fn group_by_file<T: Send>(requests: &mut [(usize, T)]) -> Vec<&[(usize, T)]> {
    requests.par_sort_unstable_by_key(|(file_idx, _)| *file_idx);
    requests.chunk_by(|a, b| a.0 == b.0).collect()
}

/// Returns the indices of the files with the best scores over 0, best first.
fn best_files(
    code: Code<'_>,
    scores: &[(f64, TermSet)],
    languages: Option<&[Language]>,
) -> Vec<(usize, f64, TermSet)> {
    let mut best: Vec<usize> = Vec::new();
    for (file_idx, (score, _)) in scores.iter().enumerate() {
        let language = code.files[file_idx].language;
        if *score > 0.0 && languages.is_none_or(|languages| languages.contains(&language)) {
            best.push(file_idx);
        }
    }
    // Files are ordered by path.
    let order = |a: &usize, b: &usize| scores[*b].0.total_cmp(&scores[*a].0).then(a.cmp(b));
    if best.len() > PARSED_FILES {
        best.select_nth_unstable_by(PARSED_FILES - 1, order);
        best.truncate(PARSED_FILES);
    }
    best.sort_unstable_by(order);
    best.into_iter()
        .map(|idx| (idx, scores[idx].0, scores[idx].1))
        .collect()
}

/// Returns the first and last line of a symbol, or of the file.
fn lines(doc: &Document, symbol_idx: Option<usize>) -> (u32, u32) {
    match symbol_idx.map(|idx| &doc.symbols[idx]) {
        Some(symbol) => (symbol.first_line, symbol.last_line.max(symbol.first_line)),
        None => (0, doc.n_lines.saturating_sub(1)),
    }
}

/// Raises the scores of symbols in files that have several matching symbols.
fn add_coherence(scores: &mut [SymbolScore], n_docs: usize) {
    let mut best = vec![score::TopScores::default(); n_docs];
    for symbol in scores.iter() {
        best[symbol.doc_idx()].add(symbol.score);
    }
    let bonuses: Vec<f64> = best.iter().map(score::TopScores::coherence).collect();
    for symbol in scores {
        symbol.score += bonuses[symbol.doc_idx()];
    }
}

#[cfg(test)]
mod tests;
