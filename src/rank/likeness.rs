//! How much one symbol looks like what another one was: evidence to odds.
//!
//! scratch doc

use super::tokenize;

/// What was compared between an anchor and a candidate; shares are 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Evidence {
    pub(crate) exact: bool,
    pub(crate) masked: bool,
    pub(crate) likeness: f64,
    pub(crate) containment: f64,
    pub(crate) identifiers: f64,
    pub(crate) signature: bool,
    pub(crate) same_kind: bool,
    pub(crate) name: f64,
    pub(crate) container: f64,
    pub(crate) path: f64,
    pub(crate) neighbours: f64,
    pub(crate) was_neighbour: bool,
    pub(crate) kin: bool,
    pub(crate) n_tokens: u32,
    pub(crate) ratio: f64,
}

/// Returns how alike two names are: 1 for equal ones, at most 0.95 for others.
pub(crate) fn of_names(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let plain = |name: &str| name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect::<String>();
    let by_letters = strsim::sorensen_dice(&plain(a), &plain(b));
    0.95 * by_letters.max(dice(&parts(a), &parts(b)))
}

/// Returns how alike two paths are by the words in them.
pub(crate) fn of_paths(a: &str, b: &str) -> f64 {
    if a == b { 1.0 } else { 0.95 * dice(&parts(a), &parts(b)) }
}

fn parts(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokenize::words(name, |word| tokenize::parts(word, |part| found.push(part.to_owned())));
    found.sort_unstable();
    found
}

fn dice(a: &[String], b: &[String]) -> f64 {
    let n_both = a.iter().filter(|part| b.contains(part)).count();
    2.0 * n_both as f64 / (a.len() + b.len()).max(1) as f64
}

/// Returns the odds (as their logarithm) that a candidate is what the anchor was on.
pub(crate) fn odds(e: &Evidence) -> f64 {
    let body = if e.masked { 1.0 } else { 0.95 * (e.likeness + e.containment) / 2.0 };
    let share = if e.masked { 1.0 } else { e.identifiers };
    6.0 * body + 2.0 * share + 3.0 * e.name + 1.5 * e.container + 1.0 * e.path + 1.0 * f64::from(u8::from(e.signature))
        + 2.0 * e.neighbours + 1.0 * f64::from(u8::from(e.kin)) - 4.0 * f64::from(u8::from(e.was_neighbour))
        - 8.5
}
