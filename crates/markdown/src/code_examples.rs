//! Code blocks of a rule that show how to follow it, or how it is broken.
//!
//! A label decides: the words above a block (`Bad:`, `✅ Correct`), a comment on a line of its own,
//! which labels the code up to the next such comment, or a comment at the end of a line. Blocks
//! without a label are skipped.

use cerberus_model::WordList;
use cerberus_prose::lists::{BAD_MARKED, GOOD_MARKED, RIGHT, WRONG};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Whether code follows a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    Good,
    Bad,
}

/// Labelled code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeExample {
    pub label: Label,
    /// The first word after the opening fence, in lower case; may be empty.
    pub language: String,
    pub code: String,
}

/// Maximum number of words of a label above a block.
const LABEL_WORDS: usize = 14;

/// Returns the labelled code of a markdown text, in order.
pub fn code_examples(text: &str) -> Vec<CodeExample> {
    let mut found = Vec::new();
    let mut words = String::new();
    let mut block: Option<(String, String)> = None;
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = match &kind {
                    CodeBlockKind::Fenced(info) => info.split([' ', ',', '{', ':']).next(),
                    CodeBlockKind::Indented => None,
                };
                block = Some((info.unwrap_or_default().to_ascii_lowercase(), String::new()));
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, code)) = block.take() {
                    read_block(&language, &code, above(&words), &mut found);
                }
                words.clear();
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Item) => words.clear(),
            Event::SoftBreak | Event::HardBreak => match &mut block {
                Some((_, code)) => code.push('\n'),
                // The line next to the block is its label.
                None => words.clear(),
            },
            Event::Text(text) | Event::Code(text) => match &mut block {
                Some((_, code)) => code.push_str(&text),
                None => words.push_str(&text),
            },
            _ => {}
        }
    }
    found
}

/// Returns the label of the words above a block.
fn above(words: &str) -> Option<Label> {
    let words = words.trim();
    if words.split_whitespace().count() > LABEL_WORDS {
        return None;
    }
    label(words).or_else(|| {
        // A label may end the words, as in `The wrong way:` and `Null checks (bad)`.
        let plain = words.to_lowercase();
        let has = |known: &WordList| {
            plain
                .split(|c: char| !c.is_alphabetic() && c != '-')
                .any(|it| known.contains(it))
        };
        let is_label = words.ends_with([':', ')']) || words.split_whitespace().count() <= 4;
        match (has(&WRONG), has(&RIGHT)) {
            (true, false) if is_label => Some(Label::Bad),
            (false, true) if is_label => Some(Label::Good),
            _ => None,
        }
    })
}

/// Returns the label that a text starts with.
fn label(text: &str) -> Option<Label> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || "*_#-".contains(c));
    if let Some(label) = sign(text) {
        return Some(label);
    }
    let text = text.to_lowercase().replace('’', "'");
    let rest_of = |word: &str| {
        text.strip_prefix(word)
            .filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    };
    let starts = |known: &WordList| known.entries().iter().any(|word| rest_of(word).is_some());
    let is_marked = |rest: &str| {
        let rest = rest.trim_start();
        rest.is_empty() || rest.starts_with([':', '!', '—', '–', '-', '*'])
    };
    let starts_marked = |known: &WordList| {
        known
            .entries()
            .iter()
            .any(|word| rest_of(word).is_some_and(is_marked))
    };
    // `Not recommended` starts with a word of the other label.
    if starts(&WRONG) || starts_marked(&BAD_MARKED) || rest_of("not recommended").is_some() {
        Some(Label::Bad)
    } else if starts(&RIGHT) || starts_marked(&GOOD_MARKED) {
        Some(Label::Good)
    } else {
        None
    }
}

/// Returns the label of the sign that a text starts with, as ❌.
fn sign(text: &str) -> Option<Label> {
    let first = text.chars().next().filter(|first| !first.is_ascii())?;
    let sign = first.to_string();
    if WRONG.contains(&sign) {
        Some(Label::Bad)
    } else if RIGHT.contains(&sign) {
        Some(Label::Good)
    } else {
        None
    }
}

/// Appends the labelled parts of a block.
fn read_block(language: &str, code: &str, above: Option<Label>, found: &mut Vec<CodeExample>) {
    let mut parts: Vec<(Option<Label>, String)> = vec![(above, String::new())];
    let mut at_ends: Vec<(Label, &str)> = Vec::new();
    for line in code.lines() {
        if let Some(label) = comment(line.trim()).and_then(comment_label) {
            parts.push((Some(label), String::new()));
            continue;
        }
        let at_end = ["//", "# ", "/*", "{/*"].iter().find_map(|mark| {
            let at = line.find(mark).filter(|at| *at > 0)?;
            Some((comment_label(comment(&line[at..])?)?, &line[..at]))
        });
        at_ends.extend(at_end);
        if let Some((_, text)) = parts.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    let mut push = |label, code: &str| {
        let code = code.trim_matches('\n').trim_end().to_owned();
        if !code.trim().is_empty() {
            found.push(CodeExample {
                label,
                language: language.to_owned(),
                code,
            });
        }
    };
    if parts.len() == 1 && above.is_none() {
        at_ends
            .iter()
            .for_each(|(label, line)| push(*label, line.trim()));
        return;
    }
    for (label, code) in &parts {
        if let Some(label) = label {
            push(*label, code);
        }
    }
}

/// Returns the text of a line that is a comment.
pub(crate) fn comment(line: &str) -> Option<&str> {
    let text = ["{/*", "/*", "//", "<!--"]
        .iter()
        .find_map(|mark| line.strip_prefix(mark));
    let hash = || {
        line.strip_prefix('#')
            .filter(|rest| !rest.starts_with(['[', '!']))
    };
    let text = text
        .or_else(hash)?
        .trim_end_matches(['*', '/', '}', '-', '>', ' ']);
    Some(text.trim_start_matches(['/', '*', '#', ' ']))
}

/// Returns the label of a comment. Comments explain code, too, so that a word needs a mark.
pub(crate) fn comment_label(text: &str) -> Option<Label> {
    let word_end = text.find(|c: char| !c.is_alphabetic() && c != '\'' && c != '’' && c != '-');
    let rest = word_end.map_or("", |end| &text[end..]).trim_start();
    let is_marked = rest.is_empty() || rest.starts_with([':', '!', '—', '–', '-', '(', '.', ',']);
    let is_loud =
        word_end.is_some_and(|end| end > 1 && text[..end].chars().all(|c| !c.is_lowercase()));
    label(text).filter(|_| sign(text).is_some() || is_marked || is_loud)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(Label, &str)]) {
        let found = code_examples(text);
        let found: Vec<(Label, &str)> = found
            .iter()
            .map(|it| (it.label, it.code.as_str()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn labels_above_blocks() {
        check(
            "**Bad:**\n```js\na()\n```\nGood example:\n```js\nb()\n```\n",
            &[(Label::Bad, "a()"), (Label::Good, "b()")],
        );
        check(
            "### ❌ Don't\n\n```\na\n```\n\n### ✅ Do\n\n```\nb\n```",
            &[(Label::Bad, "a"), (Label::Good, "b")],
        );
        check(
            "The wrong way:\n```\na\n```\n```\nb\n```",
            &[(Label::Bad, "a")],
        );
        check(
            "Use it for good measure in all of the files that you may ever want to open here:\n```\na\n```",
            &[],
        );
        check("Example:\n```\na\n```", &[]);
    }

    #[test]
    fn comments_label_the_code_below_them() {
        check(
            "```ts\n// ❌ BAD\na()\n\n// ✅ GOOD - see b\nb()\nc()\n```",
            &[(Label::Bad, "a()"), (Label::Good, "b()\nc()")],
        );
        check(
            "```py\n# Wrong:\na\n# Correct\nb\n# good morning\nc\n```",
            &[(Label::Bad, "a"), (Label::Good, "b\n# good morning\nc")],
        );
        check("```py\n# Do not retry here\na\n```", &[]);
    }

    #[test]
    fn comments_label_the_line_before_them() {
        check(
            "```js\nvar a = 1; // ❌\nlet a = 1; // ✅ better\n```",
            &[(Label::Bad, "var a = 1;"), (Label::Good, "let a = 1;")],
        );
    }
}
