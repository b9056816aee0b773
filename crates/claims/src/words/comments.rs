//! Which text of a file is code, and which is in its comments.

use cerberus_engine::syntax::{ParsedFile, TokenKind, language};
use cerberus_model::Language;
use memchr::memmem;

use super::{line_start, positions};

/// Returns whether a word is certainly outside the comments of a file: no comment starts before it on
/// its line, and all that start above have ended. Otherwise it may be in a comment.
pub(super) fn is_outside_comments(path: &str, text: &str, word: &str) -> bool {
    let Some(language) = language::from_path(path) else {
        return false;
    };
    let has = |text: &str, marks: &[&str]| marks.iter().any(|mark| text.contains(mark));
    let count = |text: &str, mark: &str| memmem::find_iter(text.as_bytes(), mark).count();
    // Their comments start with `#`, which may be a part of a string.
    if matches!(language, Language::Ruby | Language::Shell | Language::Php) {
        return false;
    }
    let marks = match language {
        // A docstring is a string.
        Language::Python => ["\"\"\"", "'''"],
        _ => ["/*", "*/"],
    };
    let (mut n_read, mut n_marks, mut is_open) = (0, [0_usize; 2], false);
    positions(text, word).any(|at| {
        let Some(line_start) = line_start(text, at) else {
            return false;
        };
        let (above, before) = (&text[n_read..line_start.max(n_read)], &text[line_start..at]);
        n_read = n_read.max(line_start);
        for (n, mark) in n_marks.iter_mut().zip(marks) {
            *n += count(above, mark);
        }
        if language == Language::Python {
            return !has(before, &["#", "\"", "'"]) && n_marks.iter().all(|n| n % 2 == 0);
        }
        if above.contains(marks[0]) || above.contains(marks[1]) {
            is_open = above.rfind(marks[0]) > above.rfind(marks[1]);
        }
        !has(before, &["//", "/*", "*/"]) && !is_open && n_marks[0] == n_marks[1]
    })
}

/// Returns whether a word is in the code of a line of a text, without a comment before it.
pub(super) fn is_on_line_of_code(text: &str, word: &str) -> bool {
    positions(text, word).any(|at| {
        let Some(line_start) = line_start(text, at) else {
            return false;
        };
        let before = text[line_start..at].trim_start();
        let starts = ["#", "*", "/*", "--", "<!--"];
        !before.contains("//") && !starts.iter().any(|mark| before.starts_with(mark))
    })
}

/// Returns the code of a file without its comments.
pub(crate) fn without_comments(path: &str, text: &str) -> Vec<u8> {
    let mut code = Vec::with_capacity(text.len());
    let parsed = language::from_path(path).map(|language| ParsedFile::parse(language, text));
    if let Some(parsed) = parsed.filter(|parsed| !parsed.exceeds_limits) {
        let is_comment = |kind| matches!(kind, TokenKind::Comment | TokenKind::Docstring);
        for token in parsed.tokens.iter().filter(|token| !is_comment(token.kind)) {
            code.extend_from_slice(token.span.slice(text).as_bytes());
            code.push(b' ');
        }
        return code;
    }
    for line in text.lines() {
        if !is_comment(line) {
            code.extend_from_slice(line.as_bytes());
            code.push(b'\n');
        }
    }
    code
}

/// Returns whether a line looks like a comment, in any language.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "# ", "* ", "/*", "-- ", "<!--", ";"]
        .iter()
        .any(|it| line.starts_with(it))
}
