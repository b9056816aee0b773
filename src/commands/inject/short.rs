//! The start of a long text, for a budget in which not all texts fit.

use cerberus_model::text::sentences;
use cerberus_model::{Span, word_lists};

/// The first sentence has at least this many bytes; `**Note.**` is not one. Later sentences may be shorter.
const MIN_FIRST_LEN: usize = 30;
const MIN_SENTENCE_LEN: usize = 12;

word_lists! { "words/demands.txt": DEMANDS IMPERATIVES }

/// Returns the first sentence of a text, with the sentences before it that govern it, and, if that demands nothing, the first that does. Returns `None` if
/// that is the whole text, or if the text is a list or code with an introduction: a part would say nothing.
pub(super) fn start(text: &str) -> Option<String> {
    let paragraph = paragraph(text);
    let mut sentences = sentences_of(paragraph);
    let first = sentences.next()?;
    if first.trim_end().ends_with(':') {
        return None;
    }
    let mut start = first.trim_end().to_owned();
    if !demands(first) {
        let mut separator = " ";
        for sentence in sentences {
            if demands(sentence) {
                start.push_str(separator);
                start.push_str(sentence.trim());
                break;
            }
            separator = " … ";
        }
    }
    (start.len() < text.trim_end().len()).then_some(start)
}

/// Returns the first paragraph, without a list or a code block in it.
fn paragraph(text: &str) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if end > 0 && ends_paragraph(line) {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

/// Returns whether a line is empty, or starts a code block or an item of a list or table.
fn ends_paragraph(line: &str) -> bool {
    let line = line.trim_start();
    if line.is_empty() {
        return true;
    }
    if ["```", "- ", "* ", "+ ", "|"]
        .iter()
        .any(|mark| line.starts_with(mark))
    {
        return true;
    }
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with(". ")
}

/// Returns the end of the last colon before further words. The text before it may forbid the text after it, as in "We
/// reject some changes. They are: …".
fn governing_len(text: &str) -> usize {
    let mut len = 0;
    for (at, _) in text.match_indices(": ") {
        if !is_in_code(text, at) {
            len = at + 1;
        }
    }
    len
}

/// Returns the sentences of a text. The sentences that govern the first one are a part of it.
fn sentences_of(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let min_first_len = MIN_FIRST_LEN.max(governing_len(text));
    std::iter::from_fn(move || {
        let rest = text.get(start..).filter(|rest| !rest.trim().is_empty())?;
        let from = start;
        let within = Span::new(start, text.len());
        let min_len = if from == 0 {
            min_first_len
        } else {
            MIN_SENTENCE_LEN
        };
        for (at, _) in rest.match_indices(['.', '!', '?']) {
            let stop = from + at;
            if at >= min_len
                && !is_in_code(text, stop)
                && let Some(gap) = sentences::gap_after(text, within, stop)
            {
                start = gap.end.max(from + 1);
                return Some(&text[from..gap.start]);
            }
        }
        start = text.len();
        Some(rest)
    })
}

/// Returns whether a position is between backticks.
fn is_in_code(text: &str, at: usize) -> bool {
    text[..at].matches('`').count() % 2 == 1
}

fn demands(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let first = lower
        .split(|c: char| !c.is_alphanumeric())
        .find(|word| !word.is_empty());
    if first.is_some_and(|word| IMPERATIVES.contains(word)) {
        return true;
    }
    for word in DEMANDS.entries() {
        for (at, _) in lower.match_indices(word) {
            let before = &lower[..at];
            let after = &lower[at + word.len()..];
            if !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
            {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(start(text).as_deref(), expected);
    }

    #[test]
    fn the_first_sentence_remains() {
        check(
            "Never hold the lock while you write to disk, e.g. `a.b()`. It blocks all readers.",
            Some("Never hold the lock while you write to disk, e.g. `a.b()`."),
        );
        check(
            "**Fix causes, not the symptoms.** A workaround stays.",
            Some("**Fix causes, not the symptoms.**"),
        );
        check("One sentence about the locks only", None);
        check("", None);
    }

    #[test]
    fn a_sentence_that_demands_something_is_part_of_it() {
        check(
            "The tool pins exact versions of the compilers. CI pins the same. Never float one of them. It fails.",
            Some("The tool pins exact versions of the compilers. … Never float one of them."),
        );
        check(
            "The queue is shared by all the sessions. Do not close it at the end. Why is a long story.",
            Some("The queue is shared by all the sessions. Do not close it at the end."),
        );
    }

    #[test]
    fn an_order_demands_something() {
        check(
            "**Comments:** They are compiled into a document. Use Markdown, not HTML. It is shorter.",
            Some("**Comments:** They are compiled into a document. Use Markdown, not HTML."),
        );
        check(
            "Use the queue of the session for all writes. It is fast.",
            Some("Use the queue of the session for all writes."),
        );
    }

    #[test]
    fn the_sentences_that_govern_a_list_are_kept_with_its_item() {
        check(
            "Some changes are closed by us. They are of this kind: Move files between packages. It breaks links.",
            Some(
                "Some changes are closed by us. They are of this kind: Move files between packages.",
            ),
        );
        check(
            "The team answers in a week. These are refused. For instance: You must rename a table. It is slow.",
            Some(
                "The team answers in a week. These are refused. For instance: You must rename a table.",
            ),
        );
    }

    #[test]
    fn an_introduction_alone_is_not_enough() {
        check(
            "Use one of these for the errors of a handler:\n- `A`\n- `B`",
            None,
        );
        check(
            "Run these commands in this order before you commit:\n```sh\nmake\n```",
            None,
        );
        check(
            "Use the shaded package in every module of the server.\n```java\nimport a;\n```",
            Some("Use the shaded package in every module of the server."),
        );
    }
}
