//! Drops the candidates that show what their rule forbids.

use cerberus_model::LineIndex;
use rustc_hash::FxHashMap;

use super::named_code::span_with_lines_above;
use super::order::select_top;
use super::{FileCandidates, ParsedCandidate, Ranker, SymbolScore, lines};
use crate::rank::code_form::CodeOf;
use crate::tree::read;

/// How often as many candidates are read as there are places.
const MAX_ROUNDS: usize = 4;

impl Ranker<'_> {
    /// Drops the symbols with a form that the rule forbids and none that it demands. At most `n_best` are left, and all of
    /// them were read.
    pub(super) fn drop_forbidden(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &[ParsedCandidate<'_>],
        scores: &mut Vec<SymbolScore>,
        n_best: usize,
    ) {
        let forms = &candidates.rule.forms;
        if !forms.forbids() {
            return;
        }
        let mut texts: FxHashMap<usize, (String, LineIndex)> = FxHashMap::default();
        let mut kept = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let n_missing = (n_best - kept.len()).min(scores.len());
            select_top(scores, n_missing, parsed);
            let rest = scores.split_off(n_missing);
            for symbol in std::mem::replace(scores, rest) {
                let file = &parsed[symbol.doc_idx()];
                let row = &self.code.files[file.file_idx];
                let (text, index) = texts.entry(file.file_idx).or_insert_with(|| {
                    let text = read::listed_text(self.code.root, &row.path).unwrap_or_default();
                    let index = LineIndex::new(&text);
                    (text, index)
                });
                let lines = lines(file.doc(), symbol.symbol_idx());
                let span = span_with_lines_above(text, index, lines);
                let code = CodeOf {
                    language: row.language,
                    file: text,
                    span,
                };
                if !forms.are_broken_by(code) {
                    kept.push(symbol);
                }
            }
        }
        *scores = kept;
    }
}
