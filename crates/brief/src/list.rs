//! The items of a list below a sentence such as "When adding a command:", which were imported one by one and are
//! given together: whoever meets the condition needs all of them.

use std::collections::BTreeMap;

use cerberus_model::word_lists;

word_lists! { "words/conditions.txt": CONDITIONS }

/// A rule as it was imported.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Imported<'m> {
    pub(crate) heading: &'m str,
    pub(crate) body: &'m str,
}

/// The text above the items of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct List<'m> {
    heading: &'m str,
    /// Ends with a colon.
    pub(crate) text: &'m str,
}

/// The fewest words of a sentence that governs a list. Fewer are a title.
const MIN_SENTENCE_WORDS: usize = 6;

/// Returns the list of each rule: what governs it and another rule too. `None` if only titles do.
pub(crate) fn lists<'m>(rules: &[Imported<'m>]) -> Vec<Option<List<'m>>> {
    let mut counts: BTreeMap<List<'_>, usize> = BTreeMap::new();
    for rule in rules {
        for list in governing(*rule) {
            *counts.entry(list).or_default() += 1;
        }
    }
    let mut lists = Vec::with_capacity(rules.len());
    for rule in rules {
        let shared = governing(*rule)
            .into_iter()
            .rev()
            .find(|list| counts[list] > 1);
        lists.push(shared.filter(|list| list.is_sentence()));
    }
    lists
}

/// Returns the texts above a rule, the longest last.
fn governing(rule: Imported<'_>) -> Vec<List<'_>> {
    let body = rule.body.trim_start();
    let (line, _) = body.split_once('\n').unwrap_or((body, ""));
    let mut texts = Vec::new();
    for (at, _) in line.match_indices(": ") {
        if line[..at].matches('`').count() % 2 == 0 {
            texts.push(List {
                heading: rule.heading,
                text: &line[..=at],
            });
        }
    }
    texts
}

impl<'m> List<'m> {
    /// Returns the last sentence of the text, which governs the items.
    pub(crate) fn sentence(&self) -> &'m str {
        let text = self.text.trim_end_matches(':');
        let (_, last) = text.rsplit_once(": ").unwrap_or(("", text));
        last
    }

    /// Returns whether the text ends with a sentence, not with a title.
    fn is_sentence(&self) -> bool {
        let last = self.sentence();
        let first = last.split_whitespace().next().unwrap_or_default();
        let first = first
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        let n_words = last.split_whitespace().count();
        n_words >= MIN_SENTENCE_WORDS || CONDITIONS.contains(first.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_below_the_same_condition_are_a_list() {
        let rules = [
            "When adding a job: register its queue",
            "Style: keep it short",
            "When adding a job: write a page about it",
            "Style: no jokes",
            "If it fails: say why",
            "Jobs: All of these have to be done in this order: write it",
            "Jobs: All of these have to be done in this order: test it: twice",
        ];
        let rules = rules.map(|body| Imported { heading: "", body });
        let mut sentences = Vec::new();
        for list in lists(&rules) {
            sentences.push(list.map_or("", |list| list.text));
        }
        let job = "When adding a job:";
        let order = "Jobs: All of these have to be done in this order:";
        assert_eq!(sentences, [job, "", job, "", "", order, order]);
    }
}
