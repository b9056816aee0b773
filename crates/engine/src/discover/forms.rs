//! Drops the candidates that show what their rule forbids.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cerberus_model::LineIndex;
use rustc_hash::FxHashMap;

use super::named_code::span_with_lines_above;
use super::order::select_top;
use super::{FileCandidates, ParsedCandidate, Ranker, SymbolScore, lines};
use crate::rank::code_form::{CodeFile, CodeOf};
use crate::tree::read;

/// How often as many candidates are read as there are places.
const MAX_ROUNDS: usize = 4;

/// Maximum number of bytes of the files that are stored between two batches of rules.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// The files whose code was compared with forms, by their indices. Rules share them: reading and parsing them costs
/// more than the comparison.
#[derive(Default)]
pub(super) struct FormFiles {
    files: Mutex<FxHashMap<usize, Arc<FormFile>>>,
    n_bytes: AtomicUsize,
}

/// A file, once it is read.
type FormFile = OnceLock<(CodeFile, LineIndex)>;

impl FormFiles {
    /// Drops the files if they are too many.
    pub(super) fn limit(&mut self) {
        if *self.n_bytes.get_mut() > MAX_BYTES {
            *self = Self::default();
        }
    }

    fn file(&self, file_idx: usize) -> Arc<FormFile> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.entry(file_idx).or_default().clone()
    }
}

impl Ranker<'_> {
    /// Drops the symbols with a form that the rule forbids and none that it demands. At most [`Self::n_best`] are left, and all of
    /// them were read.
    pub(super) fn drop_forbidden(
        &self,
        candidates: &FileCandidates<'_>,
        parsed: &[ParsedCandidate<'_>],
        scores: &mut Vec<SymbolScore>,
    ) {
        let forms = &candidates.rule.forms;
        if !forms.forbids() {
            return;
        }
        let n_best = self.n_best();
        let mut kept = Vec::new();
        for _ in 0..MAX_ROUNDS {
            let n_missing = (n_best - kept.len()).min(scores.len());
            select_top(scores, n_missing, parsed);
            let rest = scores.split_off(n_missing);
            for symbol in std::mem::replace(scores, rest) {
                let file = &parsed[symbol.doc_idx()];
                let row = &self.code.files[file.file_idx];
                let stored = self.form_files.file(file.file_idx);
                let (code_file, index) = stored.get_or_init(|| {
                    let text = read::listed_text(self.code.root, &row.path).unwrap_or_default();
                    let n_bytes = &self.form_files.n_bytes;
                    n_bytes.fetch_add(text.len(), Ordering::Relaxed);
                    let index = LineIndex::new(&text);
                    (CodeFile::new(row.language, text), index)
                });
                let lines = lines(file.doc(), symbol.symbol_idx());
                let code = CodeOf {
                    span: span_with_lines_above(&code_file.text, index, lines),
                    file: code_file,
                };
                if !forms.are_broken_by(code) {
                    kept.push(symbol);
                }
            }
        }
        *scores = kept;
    }
}
