//! Finds the code that shows a rule.

use anyhow::Result;
use rustc_hash::FxHashMap;

use crate::model::Language;
use crate::rank::rule::Rule;
use crate::rank::score::{self, Query};
use crate::rank::vector;

use super::code_index::CodeIndex;

/// How many files are parsed for a rule.
const PARSED_FILES: usize = 200;


pub(crate) struct Ask<'a> { pub(crate) rule: &'a str, pub(crate) hints: &'a [String], pub(crate) languages: Option<&'a [Language]> }
pub(crate) struct Found { pub(crate) candidates: Vec<Candidate>, pub(crate) unknown: Vec<Unknown> }
pub(crate) struct Unknown { pub(crate) word: String, pub(crate) near: Vec<String> }
pub(crate) struct Candidate { pub(crate) file: String, pub(crate) symbol: Option<String>, pub(crate) kind: crate::model::SymbolKind, pub(crate) language: Language, pub(crate) first_line: u32, pub(crate) last_line: u32, pub(crate) match_score: f64, pub(crate) size: f64, pub(crate) matched_terms: Vec<String>, pub(crate) reasons: Vec<Reason> }
pub(crate) struct Reason { pub(crate) word: String, pub(crate) gain: f64, pub(crate) fields: Vec<&'static str>, pub(crate) idf: f64 }
pub(crate) fn find(index: &mut CodeIndex, asks: &[Ask<'_>], limit: usize, _explain: bool) -> Result<Vec<Found>> {
    let rules: Vec<(String, Vec<String>)> = asks.iter().map(|a| (a.rule.to_owned(), a.hints.to_vec())).collect();
    let n_docs = index.files.len();
    let average = index.files.iter().map(|f| f64::from(f.n_terms)).sum::<f64>() / n_docs.max(1) as f64;
    let mut out = Vec::new();
    let reads: Vec<Rule> = rules.iter().map(|(t, h)| Rule::read(t, h)).collect();
    // postings for all terms of all rules
    let mut post: FxHashMap<u32, Vec<(u32, u32, bool)>> = FxHashMap::default();
    let mut ids: FxHashMap<String, u32> = FxHashMap::default();
    for r in &reads { for t in &r.terms { if let Some(id) = index.term_id(&t.term)? { ids.insert(t.term.clone(), id); post.entry(id).or_default(); } } }
    let mut wanted = vec![false; index.last_term_id() as usize + 1];
    for &id in ids.values() { wanted[id as usize] = true; }
    let mut paths: Vec<Vec<u32>> = vec![Vec::new(); n_docs];
    for (at, f) in index.files.iter().enumerate() {
        vector::unpack(f.vector.as_deref().unwrap_or_default(), |id, n, path| {
            if wanted.get(id as usize).copied().unwrap_or(false) {
                if path { paths[at].push(id) }
                let p = post.get_mut(&id).unwrap();
                if path { p.push((at as u32, 0, true)) } else if let Some(l) = p.iter_mut().rev().next().filter(|l| l.0 == at as u32) { l.1 = n } else { p.push((at as u32, n, false)) }
            }
        });
    }
    let fshare = score::PARAMS.fshare;
    for (rule, ask) in reads.iter().zip(asks) {
        let mut query = Query::default();
        let mut file_scores = vec![0.0f64; n_docs];
        let mut attain = 0.0;
        for (slot, t) in rule.terms.iter().enumerate() {
            let n_with = ids.get(&t.term).map_or(0, |id| post[id].len());
            let idf = score::idf(n_with, n_docs);
            query.weights.push(idf * t.weight);
            attain += idf * t.weight;
            if let Some(&id) = ids.get(&t.term) {
                query.slots.insert(id, (slot, 1.0));
                for &(f, n, path) in &post[&id] {
                    file_scores[f as usize] += idf * t.weight * score::in_file(f64::from(n), path, f64::from(index.files[f as usize].n_terms), average);
                }
            }
        }
        let mut order: Vec<usize> = (0..n_docs).filter(|&f| file_scores[f] > 0.0 && ask.languages.is_none_or(|l| l.contains(&index.files[f].language))).collect();
        order.sort_by(|&a, &b| file_scores[b].total_cmp(&file_scores[a]).then(a.cmp(&b)));
        order.truncate(PARSED_FILES);
        let docs = index.documents(&order)?;
        let mut cands = Vec::new();
        for (&f, doc) in order.iter().zip(&docs) {
            let file = &index.files[f];
            let is_test = is_test(&file.path);
            for fit in score::fits(&query, doc, &paths[f]) {
                let s = &doc.symbols[fit.symbol];
                let mut sc = fit.score * (1.0 - fshare) + fshare * file_scores[f] / attain.max(1e-9);
                if is_test { sc *= score::PARAMS.test; }
                cands.push(Candidate { file: file.path.clone(), symbol: Some(s.name.clone()), kind: s.kind, language: file.language, first_line: s.first_line, last_line: s.last_line, match_score: sc, size: score::size((s.last_line - s.first_line) as usize + 1), reasons: Vec::new(),
                  matched_terms: rule.terms.iter().zip(&fit.gains).filter(|(_, g)| **g > 0.0).map(|(t, _)| t.word.clone()).collect() });
            }
        }
        cands.sort_by(|a, b| b.match_score.total_cmp(&a.match_score).then_with(|| a.file.cmp(&b.file)).then(a.first_line.cmp(&b.first_line)));
        cands.truncate(limit);
        out.push(Found { candidates: cands, unknown: Vec::new() });
    }
    Ok(out)
}

fn is_test(path: &str) -> bool {
    path.split('/').any(|p| p == "tests" || p == "test" || p.starts_with("test_") || p.contains("_test.") || p.contains(".test.") || p.contains(".spec.") || p == "__tests__" || p=="testing" || p == "examples" && false)
}
