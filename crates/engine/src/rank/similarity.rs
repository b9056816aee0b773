//! The log odds that a symbol is the one an anchor pointed to, from their similarity.
//!
//! The score is linear in a few features. Its weights are fitted as a multinomial logit, the choice
//! between all candidates and "none of them", to 185 symbols that were moved or renamed in
//! refactorings of six repositories, and rounded; weights set by hand are marked. In
//! cross-validation over repositories, small weights change by half and large ones by less; 96 % of
//! the symbols are then followed correctly and 1 % incorrectly, against 99 % and 0 % with the
//! weights below.

use std::sync::LazyLock;

use super::tokenize;
use crate::weights;

/// The comparison of an anchored symbol with a candidate; shares are from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Features {
    /// The code is equal except for the symbol's own name.
    pub(crate) is_same_code: bool,
    /// Jaccard similarity of the token trigrams.
    pub(crate) jaccard: f64,
    /// Share of the smaller symbol's trigrams that occur in the larger.
    pub(crate) containment: f64,
    /// Share of the anchor's stored identifiers that occur in the candidate.
    pub(crate) identifiers: f64,
    /// The signature is equal except for the name.
    pub(crate) is_same_signature: bool,
    /// Number of tokens of the anchored code.
    pub(crate) n_tokens: u32,
    pub(crate) name: f64,
    /// Whether the anchored symbol or the candidate has a container.
    pub(crate) has_container: bool,
    pub(crate) container: f64,
    pub(crate) path: f64,
    /// Share of the words of the anchor's documentation that occur in the candidate's.
    pub(crate) docs: f64,
    /// Share of the names of the siblings that are also siblings of the candidate.
    pub(crate) siblings: f64,
    /// Share of the two adjacent symbols that are also adjacent to the candidate.
    pub(crate) adjacent: f64,
    /// The candidate has a new name that a sibling of the anchored symbol already had.
    pub(crate) was_sibling: bool,
}

/// The weights, which are in `engine/weights/similarity.toml`.
pub(crate) static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| weights::read(include_str!("../weights/similarity.toml")));

/// The weights of the features.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Weights {
    /// Log odds of a candidate without any similarity; at 0 it is as likely as "none of them".
    bias: f64,
    /// Similarity of the body; decides together with the identifiers.
    body: f64,
    identifiers: f64,
    same_code: f64,
    signature: f64,
    /// Similarity of the name, with a bonus for an equal name.
    name: f64,
    same_name: f64,
    container: f64,
    same_container: f64,
    path: f64,
    docs: f64,
    siblings: f64,
    adjacent: f64,
    /// Replaces the name's weight if a different symbol already had the candidate's name next to the
    /// anchored one: only a merge of the two would explain it. Set by hand. The fit gives −1 because
    /// of one such merge among 185; then the twin of a deleted function would be taken for it.
    was_sibling: f64,
    /// A method of another class in another file with other siblings. Set by hand: the fit gives −0.6
    /// on few cases, but larger projects have more methods of the same name.
    moved_out_of_container: f64,
}

/// log2 of the number of tokens (128) from which the similarity of code has its full weight; short
/// bodies are similar by chance.
const FULL_WEIGHT_LOG2: f64 = 7.0;

/// Upper limit of the similarity of names and paths that are not equal (set by hand).
const MAX_UNEQUAL: f64 = 0.95;

impl Features {
    /// Returns the log odds that the candidate is the anchored symbol.
    pub(crate) fn log_odds(&self) -> f64 {
        let w = &*WEIGHTS;
        let code_weight = (f64::from(self.n_tokens.max(2)).log2() / FULL_WEIGHT_LOG2).min(1.0);
        let identifiers = if self.is_same_code {
            1.0
        } else {
            self.identifiers
        };
        let code = w.body * self.body()
            + w.same_code * flag(self.is_same_code)
            + w.signature * flag(self.is_same_signature)
            + w.identifiers * identifiers;
        let name = if self.was_sibling {
            w.was_sibling
        } else {
            w.name * self.name + w.same_name * flag(self.name >= 1.0)
        };
        // No container on both sides is half the evidence of the same container.
        let container = if self.has_container {
            w.container * self.container + w.same_container * flag(self.container >= 1.0)
        } else {
            w.container / 2.0
        };
        let location = w.path * self.path + w.siblings * self.siblings + w.adjacent * self.adjacent;
        w.bias
            + code_weight * code
            + name
            + container
            + location
            + w.docs * self.docs
            + w.moved_out_of_container * self.moved_out_of_container()
    }

    /// Returns the similarity of the bodies: the geometric mean of the two shares, because any long
    /// body contains most of a few lines.
    fn body(&self) -> f64 {
        if self.is_same_code {
            1.0
        } else {
            (self.jaccard * self.containment).sqrt()
        }
    }

    /// Returns 1 for a method whose surroundings have nothing in common with the former ones, 0 if
    /// half of them or more are the same.
    fn moved_out_of_container(&self) -> f64 {
        if !self.has_container || self.path >= 1.0 {
            return 0.0;
        }
        (1.0 - 2.0 * self.container.max(self.siblings).max(self.adjacent)).max(0.0)
    }
}

fn flag(is_set: bool) -> f64 {
    f64::from(u8::from(is_set))
}

/// A name with the parts by which it is compared.
#[derive(Debug)]
struct Name {
    text: String,
    /// Without case, spaces and underscores.
    letters: String,
    /// The pairs of adjacent letters, sorted.
    bigrams: Vec<(char, char)>,
    parts: Vec<String>,
}

impl Name {
    fn new(text: &str) -> Self {
        let lower = text.chars().flat_map(char::to_lowercase);
        let letters: String = lower.filter(|c| *c != '_' && !c.is_whitespace()).collect();
        let mut bigrams: Vec<_> = letters.chars().zip(letters.chars().skip(1)).collect();
        bigrams.sort_unstable();
        Self {
            text: text.to_owned(),
            letters,
            bigrams,
            parts: parts(text),
        }
    }

    /// Returns the similarity of two names, 1 only for equal ones: by letters without case and
    /// underscores or by words, whichever is higher.
    fn similarity(&self, other: &Self) -> f64 {
        if self.text == other.text {
            return 1.0;
        }
        MAX_UNEQUAL * self.by_letters(other).max(dice(&self.parts, &other.parts))
    }

    /// Returns the Sørensen-Dice coefficient of the pairs of letters.
    fn by_letters(&self, other: &Self) -> f64 {
        if self.letters == other.letters {
            return 1.0;
        }
        let mut n_shared = 0;
        let mut rest = other.bigrams.as_slice();
        for bigram in &self.bigrams {
            rest = &rest[rest.partition_point(|other| other < bigram)..];
            if rest.first() == Some(bigram) {
                n_shared += 1;
                rest = &rest[1..];
            }
        }
        let n_letters = self.letters.len() + other.letters.len();
        (2 * n_shared) as f64 / n_letters.saturating_sub(2).max(1) as f64
    }
}

/// The names of code, of its container and of its module.
#[derive(Debug)]
pub(crate) struct Names([Name; 3]);

impl Names {
    pub(crate) fn new(names: [&str; 3]) -> Self {
        Self(names.map(Name::new))
    }

    /// Returns the words of all three names.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .flat_map(|name| &name.parts)
            .map(String::as_str)
    }

    /// Returns the similarity of two names, each with the names around it: a word that the name lost
    /// may have moved to its container or module, as in `request_to_dict` and `Request.to_dict`,
    /// `WeightedError` and `weighted::Error`.
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        let [a, around_a @ ..] = &self.0;
        let [b, around_b @ ..] = &other.0;
        let plain = a.similarity(b);
        let removed = difference(&a.parts, &b.parts);
        let added = difference(&b.parts, &a.parts);
        let n_shared = a.parts.len() - removed.len();
        if plain >= MAX_UNEQUAL || n_shared == 0 {
            return plain;
        }
        let n_moved = n_around(&removed, around_b) + n_around(&added, around_a);
        let n_total = a.parts.len() + n_shared + added.len() + n_moved;
        plain.max(MAX_UNEQUAL * (2 * (n_shared + n_moved)) as f64 / n_total as f64)
    }

    /// Returns the similarity of the containers: a function that became a method may have had the
    /// container in its name.
    pub(crate) fn container_similarity(&self, other: &Self) -> f64 {
        let [a, a_container, _] = &self.0;
        let [b, b_container, _] = &other.0;
        let (container, name) = match (&*a_container.text, &*b_container.text) {
            ("", text) if !text.is_empty() => (b_container, a),
            (text, "") if !text.is_empty() => (a_container, b),
            _ => return a_container.similarity(b_container),
        };
        if difference(&container.parts, &name.parts).is_empty() {
            MAX_UNEQUAL
        } else {
            0.0
        }
    }
}

/// Returns the number of words that occur in the names around another one.
fn n_around(words: &[&String], around: &[Name]) -> usize {
    let around = around.iter().flat_map(|name| &name.parts);
    words.len() - difference(words.iter().copied(), around).len()
}

/// Returns the words removed from and added to a name, if some words changed and some did not.
pub(crate) fn changed_words(a: &str, b: &str) -> Option<(Vec<String>, Vec<String>)> {
    let a = parts(a);
    let b = parts(b);
    let removed = difference(&a, &b);
    let added = difference(&b, &a);
    if removed.len() == a.len() || (removed.is_empty() && added.is_empty()) {
        return None;
    }
    let removed = removed.into_iter().cloned().collect();
    let added = added.into_iter().cloned().collect();
    Some((removed, added))
}

/// Returns the similarity of two paths, 1 only for equal ones: half by all their words, half by
/// those of the file name, which stays the same when a directory is moved and distinguishes
/// similar symbols of adjacent files.
pub(crate) fn path_similarity(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let a_name = a.rsplit('/').next().unwrap_or(a);
    let b_name = b.rsplit('/').next().unwrap_or(b);
    let by_words = dice(&parts(a), &parts(b));
    let by_name = dice(&parts(a_name), &parts(b_name));
    MAX_UNEQUAL * (by_words + by_name) / 2.0
}

fn parts(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    tokenize::words(name, |word| {
        tokenize::parts(word, |part| found.push(part.to_owned()))
    });
    found
}

/// Returns the Dice coefficient of two multisets of words.
fn dice(a: &[String], b: &[String]) -> f64 {
    let n_shared = a.len() - difference(a, b).len();
    (2 * n_shared) as f64 / (a.len() + b.len()).max(1) as f64
}

/// Returns the multiset difference: the words of `a` that are not in `b`.
fn difference<'w>(
    a: impl IntoIterator<Item = &'w String>,
    b: impl IntoIterator<Item = &'w String>,
) -> Vec<&'w String> {
    let mut rest: Vec<&String> = b.into_iter().collect();
    let mut found = Vec::new();
    for part in a {
        match rest.iter().position(|other| *other == part) {
            Some(idx) => drop(rest.swap_remove(idx)),
            None => found.push(part),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, min: f64, max: f64) {
        let (a, b) = (Name::new(a), Name::new(b));
        let actual = a.similarity(&b);
        assert!((min..=max).contains(&actual), "{a:?} {b:?}: {actual}");
        assert!(
            (actual - b.similarity(&a)).abs() < 1e-9,
            "{a:?} {b:?} in reverse"
        );
    }

    #[test]
    fn names_are_similar_by_letters_or_by_words() {
        check("load", "load", 1.0, 1.0);
        check("getlist", "get_list", 0.95, 0.95);
        check("prepare", "_prepare", 0.95, 0.95);
        check("parse_user_line", "line_of_user", 0.4, 0.8);
        check("open", "shutdown", 0.0, 0.2);
        check("", "Server", 0.0, 0.0);
    }

    #[test]
    fn a_word_may_move_to_the_container_or_module() {
        let plain = Name::new("request_to_dict").similarity(&Name::new("to_dict"));
        let old = Names::new(["request_to_dict", "", "reqser"]);
        let moved = old.similarity(&Names::new(["to_dict", "Request", ""]));
        assert!(moved > plain && moved > 0.9, "{plain} {moved}");
        let unrelated = old.similarity(&Names::new(["to_dict", "Item", ""]));
        assert!((unrelated - plain).abs() < 1e-9, "{plain} {unrelated}");
    }

    #[test]
    fn a_function_may_become_a_method_of_a_container_in_its_name() {
        let check = |[a, b]: [&str; 2], [c, d]: [&str; 2], expected: f64| {
            let (old, new) = (Names::new([b, a, ""]), Names::new([d, c, ""]));
            assert_eq!(old.container_similarity(&new), expected);
        };
        check(["", "request_to_dict"], ["Request", "to_dict"], MAX_UNEQUAL);
        check(["", "item_to_dict"], ["Request", "to_dict"], 0.0);
        check(["Shop", "open"], ["Shop", "open"], 1.0);
    }

    #[test]
    fn changed_words_are_those_removed_and_added() {
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let change = changed_words("IteratorStream", "IteratorByteStream");
        assert_eq!(change, Some((words(""), words("byte"))));
        assert_eq!(changed_words("Stream", "Stream"), None);
        assert_eq!(changed_words("open", "shut"), None, "no shared word");
    }

    fn dissimilar() -> Features {
        Features {
            n_tokens: 100,
            jaccard: 0.05,
            containment: 0.2,
            identifiers: 0.2,
            ..Features::default()
        }
    }

    fn similar() -> Features {
        Features {
            jaccard: 0.7,
            containment: 0.8,
            identifiers: 0.8,
            path: 0.5,
            ..dissimilar()
        }
    }

    #[test]
    fn code_alone_or_name_and_path_alone_are_not_enough() {
        assert!(dissimilar().log_odds() < 0.0);
        assert!(similar().log_odds() < 0.0);
        assert!(
            Features {
                name: 1.0,
                path: 1.0,
                ..dissimilar()
            }
            .log_odds()
                < 0.0
        );
        assert!(
            Features {
                name: 1.0,
                ..similar()
            }
            .log_odds()
                > 0.0
        );
        assert!(
            Features {
                name: 0.95,
                ..similar()
            }
            .log_odds()
                > 0.0
        );
    }

    #[test]
    fn a_former_sibling_is_not_the_renamed_symbol() {
        let renamed = Features {
            name: 0.8,
            adjacent: 0.5,
            ..similar()
        };
        assert!(renamed.log_odds() > 0.0);
        assert!(
            Features {
                was_sibling: true,
                ..renamed
            }
            .log_odds()
                < 0.0
        );
    }

    #[test]
    fn a_method_outside_its_container_needs_more_similarity() {
        let moved_out = Features {
            name: 1.0,
            has_container: true,
            ..similar()
        };
        let in_place = Features {
            container: 1.0,
            siblings: 0.6,
            ..moved_out
        };
        assert!(
            moved_out.log_odds() < 1.0 && in_place.log_odds() > 2.0,
            "{} {}",
            moved_out.log_odds(),
            in_place.log_odds()
        );
    }
}
