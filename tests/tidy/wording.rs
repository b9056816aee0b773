//! Checks comments, messages and documents for a few words that made this project hard to read.
//!
//! The check covers comments and string literals of `src` outside tests, README.md and the
//! unreleased part of CHANGELOG.md. Text in back-ticks, fenced blocks and `{placeholders}` is not
//! prose and is skipped.

use super::lexer::{Lexed, is_word};
use super::{assert_none, read, sources};

/// Where a pattern applies.
#[derive(Clone, Copy, PartialEq)]
enum In {
    Comments,
    Everywhere,
}
use In::{Comments, Everywhere};

/// A pattern of words, `|` between alternatives, and the standard wording. A `.` matches the end
/// of a clause.
const PATTERNS: &[(&str, In, &str)] = &[
    (
        "is|are|was|were no",
        Everywhere,
        "`is not a …` or `has no …`",
    ),
    (
        "stand|stands|stood",
        Everywhere,
        "`is`, `means`, `represents` or `occurs`",
    ),
    (
        "told|tells",
        Everywhere,
        "`reports`, `prints`, `shows` or `is passed`",
    ),
    (
        "kept|keeps",
        Comments,
        "`stored`, `preserved`, `unchanged` or `remains`",
    ),
    ("mend|mends|mended|mending", Everywhere, "`fix` or `repair`"),
    ("left out", Everywhere, "`skipped` or `omitted`"),
    (
        "lead|leads nowhere|out",
        Everywhere,
        "`is unresolved` or `is outside the project`",
    ),
    ("leads to", Everywhere, "`points to` or `finds`"),
    ("speak|speaks of", Everywhere, "`links to` or `mentions`"),
    ("alike", Everywhere, "`similar` or `equal`"),
    ("likeness", Everywhere, "`similarity`"),
    ("kin", Everywhere, "`similar code`"),
    ("in all .", Everywhere, "`in total`"),
    ("all else", Everywhere, "`everything else`"),
    (
        "twice is once",
        Everywhere,
        "`running it twice has no further effect`",
    ),
    ("such as is|are", Everywhere, "`of the kind that …`"),
    (
        "settle|settles|settled",
        Everywhere,
        "`resolve` or `decide`",
    ),
    ("gate", Everywhere, "`quality threshold`"),
    ("taken away", Everywhere, "`removed`"),
];

/// Standard phrases that contain a pattern.
const ALLOWED_PHRASES: &[&str] = &["is|are|was|were no longer", "there is|are|was|were no"];

/// Lines that may contain a pattern, by a part of the line. Each entry needs a reason.
const ALLOWED_LINES: &[&str] = &[];

/// Text of one comment, literal or paragraph, with the line on which it starts.
struct Prose<'a> {
    line: usize,
    text: &'a str,
    is_comment: bool,
}

#[test]
fn comments_messages_and_documents_use_standard_words() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        if !is_test_file(&path) {
            faults.extend(wording_faults(&path, text.as_str(), &source_prose(&text)));
        }
    }
    let readme = read("README.md");
    faults.extend(wording_faults(
        "README.md",
        &readme,
        &document_prose(&readme),
    ));
    let changelog = read("CHANGELOG.md");
    let unreleased = unreleased(&changelog);
    faults.extend(wording_faults(
        "CHANGELOG.md",
        unreleased,
        &document_prose(unreleased),
    ));
    if !faults.is_empty() {
        faults.push(format!(
            "{} uses of words that have a standard equivalent",
            faults.len()
        ));
    }
    assert_none(faults);
}

fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Returns the comments and string literals outside test modules.
fn source_prose(text: &str) -> Vec<Prose<'_>> {
    let lexed = Lexed::new(text);
    let blocks = lexed.blocks(false);
    let comments = lexed.comments.into_iter().map(|item| (item, true));
    let literals = lexed.literals.into_iter().map(|item| (item, false));
    comments
        .chain(literals)
        .filter(|(item, _)| {
            !blocks
                .get(item.token_idx)
                .is_some_and(|block| block.is_test)
        })
        .map(|(item, is_comment)| Prose {
            line: item.line,
            text: item.text,
            is_comment,
        })
        .collect()
}

/// Returns the lines of a markdown document outside fenced blocks and comments.
fn document_prose(text: &str) -> Vec<Prose<'_>> {
    let mut is_fenced = false;
    let mut prose = Vec::new();
    for (line_idx, text) in text.lines().enumerate() {
        if text.starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced && !text.starts_with("<!--") {
            prose.push(Prose {
                line: line_idx + 1,
                text,
                is_comment: false,
            });
        }
    }
    prose
}

/// Returns the part of a changelog above its first release.
fn unreleased(changelog: &str) -> &str {
    let end = changelog
        .match_indices("\n## [")
        .find(|(at, _)| !changelog[*at..].starts_with("\n## [Unreleased]"));
    &changelog[..end.map_or(changelog.len(), |(at, _)| at)]
}

fn wording_faults(path: &str, text: &str, prose: &[Prose]) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut faults = Vec::new();
    for item in prose {
        let words = words(item.text);
        for (pattern, scope, standard) in PATTERNS {
            if *scope == Comments && !item.is_comment {
                continue;
            }
            for at in find(&words, pattern) {
                let line = item.line + words[at].0;
                let content = lines.get(line - 1).copied().unwrap_or_default();
                if !ALLOWED_LINES.iter().any(|part| content.contains(part)) {
                    let found = &words[at].1;
                    faults.push(format!(
                        "{path}:{line}: `{found}` ({pattern}): write {standard}"
                    ));
                }
            }
        }
    }
    faults
}

/// Returns where a pattern matches, unless it is part of an allowed phrase.
fn find(words: &[(usize, String)], pattern: &str) -> Vec<usize> {
    let is_at = |at: usize, pattern: &str| {
        pattern.split(' ').enumerate().all(|(n, alternatives)| {
            let word = words.get(at + n).map_or(".", |(_, word)| word);
            alternatives.split('|').any(|it| it == word)
        })
    };
    let is_allowed = |at: usize| {
        ALLOWED_PHRASES.iter().any(|phrase| {
            let n_words = phrase.split(' ').count();
            (at.saturating_sub(n_words - 1)..=at).any(|start| is_at(start, phrase))
        })
    };
    (0..words.len())
        .filter(|at| is_at(*at, pattern) && !is_allowed(*at))
        .collect()
}

/// Returns the lower-case words of a text with their line offsets, and `.` for the end of a
/// clause. Text in back-ticks and braces is one empty word.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    let (mut line, mut rest) = (0, text);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '`' | '{' => {
                let close = if first == '`' { '`' } else { '}' };
                let end = rest[1..].find(close).map_or(rest.len(), |end| end + 2);
                words.push((line, String::new()));
                end
            }
            '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            c if is_word(c) => {
                let length = rest
                    .find(|c| !is_word(c) && c != '\'')
                    .unwrap_or(rest.len());
                words.push((line, rest[..length].to_lowercase()));
                length
            }
            c => {
                if matches!(c, '.' | ',' | ';' | ':' | '(' | ')' | '"') {
                    words.push((line, ".".to_owned()));
                }
                c.len_utf8()
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    words
}

#[test]
fn words_of_the_list_are_reported_with_the_standard_word() {
    let check = |text: &str, expected: &[&str]| {
        let faults = wording_faults("a.rs", text, &source_prose(text));
        let places: Vec<&str> = faults
            .iter()
            .map(|it| it.split(" (").next().unwrap_or(it))
            .collect();
        assert_eq!(places, expected, "{text}");
    };
    check("// It is no date.\n", &["a.rs:1: `is`"]);
    check(
        "// It is no longer there; if it is. No file is read. There is no file.\n",
        &[],
    );
    check(
        "/// Told once,\n/// and KEPT.\n",
        &["a.rs:1: `told`", "a.rs:2: `kept`"],
    );
    check(
        "fn f() { g(\"an old file is kept, and told\"); }\n",
        &["a.rs:1: `told`"],
    );
    check(
        "fn f() { g(\"a\\\n    b {told} `stands`\"); } // `mend`\n",
        &[],
    );
    check("fn stands() { told(kept) }\n", &[]);
    check("//! 3 in all.\n// in all files\n", &["a.rs:1: `in`"]);
    check(
        "#[cfg(test)]\nmod tests {\n    // is no\n    const A: &str = \"alike\";\n}\n",
        &[],
    );
    let page = "It stands.\n```sh\nstands\n```\n<!-- stands -->\n`stands`\n";
    assert_eq!(wording_faults("a.md", page, &document_prose(page)).len(), 1);
    let log = "# C\n\n## [Unreleased]\n\nA\n\n## [0.1.0] - 2026-01-02\n\nB\n";
    assert_eq!(unreleased(log), "# C\n\n## [Unreleased]\n\nA\n");
}
