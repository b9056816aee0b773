//! A rule read as language: which of its words say what the code should show.
//!
//! Filler carries no weight, everyday words little. A contrast ("instead of X",
//! "never X" behind the point) names what the example must not be, and a purpose
//! ("so that X") why it is done, so that their words count less than the words of
//! what is done. Hints count as words of the rule, nearly as heavy; they are never
//! filler, since their author meant code by them.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::tokenize;

/// What a hint weighs beside a word of the rule: a guess, if a good one.
const HINT_WEIGHT: f64 = 0.9;

/// What a word weighs that only stands in a contrast: the example must not be it, yet
/// often names it, as code does that handles what it must not let pass.
const CONTRAST_WEIGHT: f64 = 0.5;

/// What a word weighs that only says what for; code shows the means before the end.
const PURPOSE_WEIGHT: f64 = 0.5;

/// What an everyday word or an adverb of manner weighs.
const EVERYDAY_WEIGHT: f64 = 0.4;

/// The least length of an adverb in "-ly"; shorter words in it are mostly none (apply, reply).
const MIN_ADVERB_LEN: usize = 6;

/// What opens a contrast anywhere in a clause.
const CONTRASTS: &[&str] = &["instead of", "rather than", "never"];

/// What opens a contrast only at the start of a clause; elsewhere it belongs to what
/// is done ("a reader without a lock", "if there is no owner").
const OPENING_CONTRASTS: &[&str] = &["not", "without", "no"];

/// What opens a purpose.
const PURPOSES: &[&str] = &["so", "in order to"];

/// Terms that tell that a rule is about tests.
const TEST_TERMS: &[&str] = &["test", "fixtur", "mock"];

/// Words that say nothing about the code: function words, and what every rule says.
const FILLER: &str = "
    a an the this that these those it its itself they them their there here he she his her who whom
    whose which what when where why how and or but nor so if then else than as at by for from in into
    of off on onto out over per to toward under until up upon via with within about above across after
    against along among around before behind below beneath beside between beyond during down except
    near since through throughout toward unless while is are was were be been being am do does did
    done doing have has had having can could may might must shall should will would ought need needs
    not no never none always only just also even still yet again too very more most less least much
    many few some any all each every both either neither one two first last other others another
    same such own rather quite ever often once already instead avoid prefer use uses used using make
    makes made making ensure ensures keep keeps sure please remember let lets via etc eg ie like
    whenever wherever whatever whether because due however therefore thus hence we you your our us i
    my me mine yours ours theirs somebody someone anybody anyone everybody everyone something anything
    everything nothing thing things way ways case cases kind kinds get gets got put puts give gives
    take takes go goes come comes want wants new good better best right well code rule rules example
";

/// Everyday English that code seldom means when it says it: words of degree, manner,
/// time and opinion, and verbs so general that any code may be said to do them.
const EVERYDAY: &str = "
    able almost alone apart aside away back bad based bring brings brought certain clean clear common
    correct cost different early easy enough entire exact expected explicit extra fact far fast final
    find finds found fine free fresh full further general good graceful hand happen happens hard help
    helps hold holds important inside intended kept know known knows large late later latest lead leads
    leave leaves leaving left light little live lives long longer look looks lose loses low mean means
    meant move moves necessary next normal obvious offer offers old open opened outside particular plain
    point possible private proper provide provides public pure quick quiet reach reached reaches ready
    real reason relevant rely run runs running safe say says see seen separate serious set several shape
    share short show shows silent simple single slow small soon special specific stand start state stay
    stays stop strict tell tells think time times together touch true try turn turned turns unusual
    usual various wait whole wide work works wrong
";

static FILLER_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| FILLER.split_whitespace().collect());

static EVERYDAY_WORDS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| EVERYDAY.split_whitespace().collect());

/// A word of a rule as a term, with what it weighs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct QueryTerm {
    pub(crate) term: String,
    /// The word as written.
    pub(crate) word: String,
    pub(crate) weight: f64,
    /// Whether a hint says it, be it alone or with the rule.
    pub(crate) is_hinted: bool,
}

/// A rule's words, each once, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ParsedQuery {
    pub(crate) terms: Vec<QueryTerm>,
    /// Terms that are neighbours, as ascending indices into `terms`.
    pub(crate) pairs: Vec<(usize, usize)>,
    /// Identifiers of several parts that are named whole, as indices into `terms`.
    pub(crate) identifiers: Vec<Vec<usize>>,
    pub(crate) is_about_tests: bool,
}

impl ParsedQuery {
    /// Reads a rule with its hints.
    pub(crate) fn parse(text: &str, hints: &[String]) -> Self {
        let mut rule = Self::default();
        for (clause, weight) in clauses(text) {
            rule.add(clause, |word| weight * word_weight(word), false);
        }
        if rule.terms.is_empty() {
            // A rule of nothing but filler still has its words.
            rule.add(text, |_| 1.0, false);
        }
        rule.is_about_tests =
            tokenize::terms(text).iter().any(|term| TEST_TERMS.contains(&term.as_str()));
        for hint in hints {
            rule.add(hint, |_| HINT_WEIGHT, true);
        }
        rule
    }

    /// Adds the words of a clause or a hint; words that weigh nothing are left out,
    /// and their neighbours become each other's.
    fn add(&mut self, text: &str, weight: impl Fn(&str) -> f64, is_hint: bool) {
        let mut last = None;
        tokenize::words(text, |word| {
            let weight = weight(&word.to_lowercase());
            if weight == 0.0 {
                return;
            }
            let mut parts = Vec::new();
            tokenize::parts(word, |part| {
                let slot = self.add_term(part, weight, is_hint);
                parts.push(slot);
                if let Some(last) = last.replace(slot) {
                    let pair = (slot.min(last), slot.max(last));
                    if slot != last && !self.pairs.contains(&pair) {
                        self.pairs.push(pair);
                    }
                }
            });
            if parts.len() > 1 && !self.identifiers.contains(&parts) {
                self.identifiers.push(parts);
            }
        });
    }

    fn add_term(&mut self, word: &str, weight: f64, is_hint: bool) -> usize {
        let term = tokenize::term(word);
        if let Some(at) = self.terms.iter().position(|known| known.term == term) {
            let known = &mut self.terms[at];
            known.weight = known.weight.max(weight);
            known.is_hinted |= is_hint;
            return at;
        }
        self.terms.push(QueryTerm { term, word: word.to_owned(), weight, is_hinted: is_hint });
        self.terms.len() - 1
    }
}

/// Returns what a lower-case word of a rule weighs, 0 for filler.
fn word_weight(word: &str) -> f64 {
    if FILLER_WORDS.contains(word) {
        0.0
    } else if EVERYDAY_WORDS.contains(word)
        || (word.len() >= MIN_ADVERB_LEN && word.ends_with("ly"))
    {
        EVERYDAY_WEIGHT
    } else {
        1.0
    }
}

/// Cuts a rule into its parts with their weights: a contrast that does not open the
/// rule and a purpose run to the end of their clause.
fn clauses(text: &str) -> Vec<(&str, f64)> {
    let mut found = Vec::new();
    for clause in text.split_inclusive([';', '.', ':', '(', ')', ',']) {
        let lower = clause.to_lowercase();
        if lower.len() != clause.len() {
            // Offsets into the lower-case text would not fit the text.
            found.push((clause, 1.0));
            continue;
        }
        let is_first = found.is_empty();
        let cut =
            |at: Option<usize>, weight| at.filter(|&at| at > 0 || !is_first).map(|at| (at, weight));
        let (contrast, purpose) = (contrast(&lower), opening(&lower, PURPOSES));
        // A clause that opens the rule with "never" is what the rule is about.
        let cuts = [cut(contrast, CONTRAST_WEIGHT), cut(purpose, PURPOSE_WEIGHT)];
        match cuts.into_iter().flatten().min_by_key(|&(at, _)| at) {
            Some((at, weight)) => {
                let (head, tail) = clause.split_at(at);
                found.push((head, 1.0));
                found.push((tail, weight));
            }
            None => found.push((clause, 1.0)),
        }
    }
    found
}

/// Returns where the first contrast of a lower-case clause starts.
fn contrast(lower: &str) -> Option<usize> {
    let start = lower.len() - lower.trim_start().len();
    let opens = opening(lower, OPENING_CONTRASTS).filter(|&at| at == start);
    opens.into_iter().chain(opening(lower, CONTRASTS)).min()
}

/// Returns where the first of `phrases` stands in a lower-case clause as whole words.
fn opening(lower: &str, phrases: &[&str]) -> Option<usize> {
    let is_whole = |at: usize, len: usize| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + len..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    };
    let starts = phrases.iter().filter_map(|phrase| {
        let mut found = lower.match_indices(phrase).map(|(at, _)| at);
        found.find(|&at| is_whole(at, phrase.len()))
    });
    starts.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<String> = ParsedQuery::parse(text, &[])
            .terms
            .iter()
            .map(|term| match term.weight {
                1.0 => term.word.clone(),
                weight => format!("{}:{weight}", term.word),
            })
            .collect();
        assert_eq!(words.join(" "), expected, "{text}");
    }

    #[test]
    fn filler_is_dropped_and_words_count_once() {
        check("Always close the session; a session must be closed.", "close session");
        check("Use it.", "use it");
        check("", "");
    }

    #[test]
    fn everyday_words_count_little() {
        check("Quickly find the real owner", "quickly:0.4 find:0.4 real:0.4 owner");
        check("Apply the reply", "apply reply");
    }

    #[test]
    fn contrasts_count_little() {
        check(
            "Wrap writes in a transaction instead of committing by name",
            "wrap writes transaction committing:0.5 name:0.5",
        );
        check("Never log secrets", "log secrets");
        check("Hash passwords, never store text", "hash passwords store:0.5 text:0.5");
        check("Return early, not deeply nested", "return early:0.4 deeply:0.2 nested:0.5");
        check("İ never X", "i\u{307}");
    }

    #[test]
    fn purposes_count_half() {
        check("Sort the keys so that diffs stay small", "sort keys diffs:0.5 stay:0.2 small:0.2");
        check("Also sort", "sort");
    }

    #[test]
    fn hints_are_split_like_code() {
        let rule = ParsedQuery::parse("Close a db", &["close_db".into(), "teardown".into()]);
        let words: Vec<&str> = rule.terms.iter().map(|term| term.word.as_str()).collect();
        assert_eq!(words, ["close", "db", "teardown"]);
        assert!(rule.terms.iter().all(|term| term.is_hinted));
        assert_eq!(rule.identifiers, [[0, 1]]);
        assert_eq!(rule.pairs, [(0, 1)]);
    }

    #[test]
    fn neighbours_are_paired_across_filler() {
        let rule = ParsedQuery::parse("Compare a signature in constant time", &[]);
        assert_eq!(rule.pairs, [(0, 1), (1, 2), (2, 3)]);
    }
}
