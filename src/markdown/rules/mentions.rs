//! The files and symbols that a rule mentions.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::wording::words;
use crate::markdown::word_lists::REJECTIONS;

/// Returns the inline code and the paths in a rule, except those that it rejects, as in
/// "never call `x`".
pub(crate) fn mentions(rule: &str) -> Vec<String> {
    let is_rejected = |clause: &str| {
        let words = words(clause);
        REJECTIONS.contains_any(&words) || words.iter().any(|word| word.ends_with("n't"))
    };
    let (mut found, mut clause, mut in_block) = (Vec::new(), String::new(), false);
    for event in Parser::new(rule) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_block = true,
            Event::End(TagEnd::CodeBlock) => in_block = false,
            Event::Code(name) => {
                if !is_rejected(&clause) {
                    found.push(name.into_string());
                }
                clause.push_str(" it ");
            }
            Event::Text(text) if !in_block => {
                for word in text.split_inclusive(char::is_whitespace) {
                    let name = word.trim().trim_matches([',', '.', ';', ':', '(', ')', '"', '\'']);
                    let is_path = name.contains('/') && name.contains('.') && !name.contains("://");
                    if is_path && !is_rejected(&clause) {
                        found.push(name.to_owned());
                    }
                    clause.push_str(word);
                    if word.trim_end().ends_with([',', '.', ';', ':', '—', '–']) {
                        clause.clear();
                    }
                }
            }
            Event::Start(Tag::Item | Tag::Paragraph) => clause.clear(),
            Event::SoftBreak | Event::HardBreak => clause.push(' '),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_names_are_not_mentions() {
        let check = |rule: &str, expected: &str| {
            assert_eq!(mentions(rule).join(" "), expected, "{rule}");
        };
        check("Close sessions as `Session.close` does, see src/db.py.", "Session.close src/db.py");
        check("Never call `open_raw`, use `open`", "open");
        check("Use `open` instead of `open_raw`", "open");
        check("Prefer `a` over `b`; `c` is fine", "a c");
        check("See https://example.org/a.html\n\n```\nx `y`\n```", "");
    }
}
