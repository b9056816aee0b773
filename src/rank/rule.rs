//! A rule read as language: which of its words say what the code should show.
//!
//! Filler and function words carry no weight; a contrast ("instead of X", "never X"
//! behind the point) names what the example must not be, so its words count little.
//! Hints count as words of the rule, nearly as heavy.

use rustc_hash::FxHashMap;

use super::tokenize;

/// What a hint weighs beside a word of the rule.
const HINT_WEIGHT: f64 = 0.9;

/// What a word weighs that only stands in a contrast.
const CONTRAST_WEIGHT: f64 = 0.3;

/// Words that open a contrast: what follows is what the code does not do.
const CONTRASTS: &[&str] = &["instead of", "rather than", "never", "not", "without", "no"];

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

/// A word of a rule as a term, with what it weighs.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Term {
    pub(crate) term: String,
    /// The word as written.
    pub(crate) word: String,
    pub(crate) weight: f64,
    pub(crate) is_hint: bool,
}

/// A rule's words, each once, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Rule {
    pub(crate) terms: Vec<Term>,
}

impl Rule {
    /// Reads a rule with its hints.
    pub(crate) fn read(text: &str, hints: &[String]) -> Self {
        let mut rule = Self::default();
        for (clause, weight) in clauses(text) {
            rule.add(clause, weight, false);
        }
        if rule.terms.is_empty() {
            // A rule of nothing but filler still has its words.
            rule.add_all(text);
        }
        for hint in hints {
            rule.add(hint, HINT_WEIGHT, true);
        }
        rule
    }

    fn add(&mut self, text: &str, weight: f64, is_hint: bool) {
        tokenize::words(text, |word| {
            let is_filler = FILLER_WORDS.contains_key(word.to_lowercase().as_str());
            if is_filler && !is_hint {
                return;
            }
            tokenize::parts(word, |part| self.add_term(tokenize::term(part), part, weight, is_hint));
        });
    }

    fn add_all(&mut self, text: &str) {
        tokenize::words(text, |word| {
            tokenize::parts(word, |part| self.add_term(tokenize::term(part), part, 1.0, false));
        });
    }

    fn add_term(&mut self, term: String, word: &str, weight: f64, is_hint: bool) {
        if let Some(known) = self.terms.iter_mut().find(|known| known.term == term) {
            known.weight = known.weight.max(weight);
            return;
        }
        self.terms.push(Term {
            term,
            word: word.to_owned(),
            weight,
            is_hint,
        });
    }
}

static FILLER_WORDS: std::sync::LazyLock<FxHashMap<&'static str, ()>> =
    std::sync::LazyLock::new(|| FILLER.split_whitespace().map(|word| (word, ())).collect());

/// Cuts a rule into its parts with their weights: contrasts that do not open the
/// sentence run to the end of their clause.
fn clauses(text: &str) -> Vec<(&str, f64)> {
    let mut found = Vec::new();
    for clause in text.split_inclusive([';', '.', ':', '(', ')', ',']) {
        let lower = clause.to_lowercase();
        let at = if lower.len() == clause.len() { contrast(&lower) } else { None };
        match at {
            // A clause that opens the rule with "never" is what the rule is about.
            Some(at) if at > 0 || !found.is_empty() => {
                let (head, tail) = clause.split_at(at);
                found.push((head, 1.0));
                found.push((tail, CONTRAST_WEIGHT));
            }
            _ => found.push((clause, 1.0)),
        }
    }
    found
}

/// Returns where the first contrast of a lower-case clause starts.
fn contrast(lower: &str) -> Option<usize> {
    let is_whole = |at: usize, len: usize| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + len..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    };
    let starts = CONTRASTS.iter().filter_map(|words| {
        let at = lower.find(words)?;
        (is_whole(at, words.len()) && !["no", "not", "without"].contains(words)
            || lower.trim_start().starts_with(words) && is_whole(at, words.len()))
        .then_some(at)
    });
    starts.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let words: Vec<String> = Rule::read(text, &[])
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
    }

    #[test]
    fn contrasts_count_little() {
        check(
            "Wrap writes in a transaction instead of committing by hand",
            "wrap writes transaction committing:0.3 hand:0.3",
        );
        check("Never log secrets", "log secrets");
        check("Hash passwords, never store plain text", "hash passwords store:0.3 plain:0.3 text:0.3");
    }

    #[test]
    fn hints_are_split_like_code() {
        let rule = Rule::read("Close it", &["close_db".into(), "teardown".into()]);
        let words: Vec<&str> = rule.terms.iter().map(|term| term.word.as_str()).collect();
        assert_eq!(words, ["close", "db", "teardown"]);
    }
}
