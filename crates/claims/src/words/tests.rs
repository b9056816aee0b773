//! Words, comments and definitions of texts.

use super::comments::{is_comment, is_on_line_of_code, is_outside_comments};
use super::definitions::is_defining;
use super::*;

#[test]
fn comments_are_known_by_what_is_above_and_before_a_word() {
    let check = |path, text, expected| {
        assert_eq!(is_outside_comments(path, text, "word"), expected, "{text}");
    };
    check("a.js", "/* a */\nword", true);
    check("a.js", "/* word */", false);
    check("a.js", "/*\nword\n*/", false);
    check("a.js", "/*\nword\n*/\nword", true);
    check("a.js", "/*\n*/\n/*\nword */\n// word", false);
    check("a.js", "*/\n/*\nword", false);
    check("a.py", "\"\"\"\nword\n\"\"\"\n# word", false);
    check("a.py", "\"\"\"\nword\n\"\"\"\nword = 1", true);
    check("a.rb", "word", false);
}

#[test]
fn names_are_in_use_in_code_only() {
    for (path, expected) in [("a.ts", true), ("a.wasm", false), ("changelog.py", false)] {
        let (path, object) = (path.to_owned(), String::new());
        assert_eq!(
            is_code(&TreeEntry {
                path,
                kind: EntryKind::File,
                object
            }),
            expected
        );
    }
}

#[test]
fn a_word_far_behind_on_its_line_is_not_looked_at() {
    for (n_bytes, expected) in [(100, true), (MAX_LINE, false)] {
        let before = "x;".repeat(n_bytes / 2);
        let line = format!("{before} const word = env");
        assert_eq!(is_outside_comments("a.js", &line, "word"), expected);
        assert_eq!(is_on_line_of_code(&line, "word"), expected);
        assert_eq!(defined_in(&line).contains(&"word"), expected);
        assert_eq!(
            is_setting("a.js", &format!("{before} env.word"), "word"),
            expected
        );
    }
}

#[test]
fn an_example_in_a_comment_defines_nothing() {
    assert_eq!(
        defined_in("/*\n * type A struct {}\n */\n//\ttype B int\ntype C int"),
        ["C"]
    );
}

/// Returns whether a word follows one that introduces a definition, or is assigned at the start of
/// a line, that is no comment.
fn defines(text: &str, word: &str) -> bool {
    positions(text, word).any(|at| {
        let start = text[..at].rfind('\n').map_or(0, |it| it + 1);
        if is_comment(text[start..].lines().next().unwrap_or_default()) {
            return false;
        }
        let before = text[start..at].trim();
        let after = text[at + word.len()..].trim_start_matches([' ', '\t']);
        let is_introduced = before
            .rsplit([' ', '\t', '('])
            .next()
            .is_some_and(is_defining);
        let is_assigned =
            before.is_empty() && after.starts_with(['=', ':']) && !after.starts_with("==");
        is_introduced || is_assigned
    })
}

proptest::proptest! {
    #[test]
    fn the_words_that_a_text_defines_are_all_found(
        pieces in proptest::collection::vec("def|fn|pub|a|bc|é|[ \t(.*:=\n]| = |==|//", 0..20),
    ) {
        let text = pieces.concat();
        let defined = defined_in(&text);
        for word in all(&text) {
            proptest::prop_assert_eq!(defined.contains(&word), defines(&text, word), "{}", word);
        }
    }
}
