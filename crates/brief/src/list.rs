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

/// The sentence above the items of a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct List<'m> {
    heading: &'m str,
    /// Ends with a colon.
    pub(crate) sentence: &'m str,
}

/// Returns the list of each rule; `None` if it is not an item of a list of several below a condition.
pub(crate) fn lists<'m>(rules: &[Imported<'m>]) -> Vec<Option<List<'m>>> {
    let mut lists = Vec::with_capacity(rules.len());
    let mut counts: BTreeMap<List<'_>, usize> = BTreeMap::new();
    for rule in rules {
        let list = list(*rule);
        if let Some(list) = &list {
            *counts.entry(list.clone()).or_default() += 1;
        }
        lists.push(list);
    }
    for list in &mut lists {
        if list.as_ref().is_some_and(|list| counts[list] < 2) {
            *list = None;
        }
    }
    lists
}

fn list(rule: Imported<'_>) -> Option<List<'_>> {
    let body = rule.body.trim();
    let (sentence, _) = body.split_once(": ")?;
    let first = sentence.split_whitespace().next()?;
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    if sentence.contains('\n') || !CONDITIONS.contains(first.to_lowercase().as_str()) {
        return None;
    }
    Some(List {
        heading: rule.heading,
        sentence: &body[..=sentence.len()],
    })
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
        ];
        let rules = rules.map(|body| Imported { heading: "", body });
        let mut sentences = Vec::new();
        for list in lists(&rules) {
            sentences.push(list.map_or("", |list| list.sentence));
        }
        let job = "When adding a job:";
        assert_eq!(sentences, [job, "", job, "", ""]);
    }
}
