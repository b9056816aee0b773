//! Finds the code that a rule names (identifiers, calls, annotations), and its paths and commands,
//! whose words say nothing about the content of code.
//!
//! Text in back-ticks is read as code. Outside of them, only what cannot be a word of prose
//! counts: `snake_case`, `camelCase`, `a::b`, `call()`.

use std::ops::Range;

use cerberus_model::text::conventions;
use cerberus_model::text::conventions::CONVENTIONS;
use memchr::memmem;
use rustc_hash::FxHashSet;

use super::word_lists::{GENERATED_PHRASES, LITERALS, POINTING, PROGRAMS, RUNNING, USING};

/// What a part of a rule's text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpanKind {
    /// An identifier, a qualified name, a call or an annotation.
    Name,
    /// A pattern of names: `test_*`, `{name}_command`.
    Pattern,
    /// A file, a folder or a glob.
    Path,
    /// A command line.
    Command,
    /// A fenced code block.
    Block,
}

/// A part of a rule's text that is not prose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: SpanKind,
    /// In bytes of the text; that of a name excludes its arguments.
    pub(crate) range: Range<usize>,
}

/// Minimum length of a name without a qualifier; shorter ones (`e`, `T`, `id`) occur everywhere.
const MIN_NAME_LEN: usize = 3;

/// Returns the words of a text that may be identifiers.
pub(crate) fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() >= MIN_NAME_LEN && !word.starts_with(|c: char| c.is_numeric()))
}

/// Returns the distinct words of the code in a rule, whatever kind of code it is.
pub(crate) fn code_words(rule: &str) -> FxHashSet<&str> {
    spans(rule)
        .into_iter()
        .flat_map(|span| identifiers(&rule[span.range]))
        .collect()
}

/// Returns the globs that a rule names, as `*.pb.go`, and the paths that must not be edited, as `gen/`.
pub fn named_globs(rule: &str) -> Vec<String> {
    let forbids_edits = GENERATED_PHRASES.first_in(&rule.to_lowercase()).is_some();
    let paths = spans(rule)
        .into_iter()
        .filter(|span| span.kind == SpanKind::Path);
    let paths = paths.map(|span| rule[span.range].to_owned());
    paths
        .filter(|path| forbids_edits || path.contains('*'))
        .collect()
}

/// Returns the spans of a text, in order.
pub(crate) fn spans(text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut prose_start = 0;
    for quote in quotes(text) {
        prose_spans(text, prose_start..quote.outer.start, &mut spans);
        quoted_spans(text, &quote, &mut spans);
        prose_start = quote.outer.end;
    }
    prose_spans(text, prose_start..text.len(), &mut spans);
    spans
}

/// Text between runs of back-ticks of the same length.
pub(super) struct Quote {
    pub(super) outer: Range<usize>,
    pub(super) inner: Range<usize>,
}

/// Returns the quoted parts of a text, in order.
pub(super) fn quotes(text: &str) -> Vec<Quote> {
    let runs = tick_runs(text);
    let mut quotes = Vec::new();
    let mut rest = &runs[..];
    while let [open, after @ ..] = rest {
        rest = after;
        // Text between runs of back-ticks of the same length is code.
        if let Some(close_idx) = after.iter().position(|run| run.len() == open.len()) {
            let close = &after[close_idx];
            rest = &after[close_idx + 1..];
            quotes.push(Quote {
                outer: open.start..close.end,
                inner: open.end..close.start,
            });
        }
    }
    quotes
}

/// Returns the runs of back-ticks in a text.
fn tick_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in memchr::memchr_iter(b'`', text.as_bytes()) {
        match runs.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn quoted_spans(text: &str, quote: &Quote, spans: &mut Vec<Span>) {
    let inner = &text[quote.inner.clone()];
    let whole = |kind| Span {
        kind,
        range: quote.inner.clone(),
    };
    if quote.inner.start - quote.outer.start >= 3 {
        spans.push(whole(SpanKind::Block));
    } else if is_command(inner) || is_after_run(&text[..quote.outer.start]) {
        spans.push(whole(SpanKind::Command));
    } else if is_path(inner) {
        spans.push(whole(SpanKind::Path));
    } else if let Some(range) = pattern(inner) {
        let start = quote.inner.start;
        let range = start + range.start..start + range.end;
        spans.push(Span {
            kind: SpanKind::Pattern,
            range,
        });
    } else {
        let names = chains(text, quote.inner.clone()).filter(Chain::is_code);
        spans.extend(names.map(|chain| Span {
            kind: SpanKind::Name,
            range: chain.range,
        }));
    }
}

fn is_command(quoted: &str) -> bool {
    let is_assignment = |word: &&str| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
        })
    };
    let mut words = quoted.split_whitespace().skip_while(is_assignment);
    let Some(first) = words.next() else {
        return false;
    };
    PROGRAMS.entries().contains(&first)
        || first.starts_with("--")
        || first.starts_with("./")
        || quoted
            .split_whitespace()
            .any(|word| word.starts_with("--") && word.len() > 2)
}

/// Returns whether a text ends with a verb whose object is a command.
fn is_after_run(text: &str) -> bool {
    let text = text
        .trim_end_matches(['*', '_'])
        .strip_suffix(' ')
        .unwrap_or_default();
    RUNNING.contains(last_word(text))
}

fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default()
}

/// What a text says of code that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The text is about it, or points at it: it opens a sentence, follows a word such as "see", or is joined to a
    /// name that does.
    Subject,
    /// The text asks for its use: it is the object of a verb such as "use", or joined to such an object.
    Used,
    Other,
}

/// Returns the role of each span of a text.
pub(crate) fn roles(text: &str, spans: &[Span]) -> Vec<Role> {
    let (mut end, mut role) = (0, Role::Other);
    let roles = spans.iter().map(|span| {
        let is_sigil = |c: char| c.is_whitespace() || "`*_@&#[(\"".contains(c);
        let before = text.get(end..span.range.start).unwrap_or_default();
        let before = before.trim_end_matches(is_sigil);
        let article = ["the", "a", "an"]
            .into_iter()
            .find(|it| last_word(before).eq_ignore_ascii_case(it));
        let before = before[..before.len() - article.map_or(0, str::len)].trim_end();
        let joint = before.trim_start_matches(|c: char| !c.is_alphanumeric());
        let is_joined =
            end > 0 && ["", "or", "and"].contains(&joint) && !before.ends_with(['.', ':']);
        let opens =
            before.is_empty() && end == 0 || before.ends_with(['.', ':', ';', '!', '—', '–', '-']);
        end = span.range.end;
        role = match role {
            _ if POINTING.contains(&last_word(before).to_lowercase()) => Role::Subject,
            _ if USING.contains(&last_word(before).to_lowercase()) => Role::Used,
            joined if is_joined => joined,
            _ if opens => Role::Subject,
            _ => Role::Other,
        };
        role
    });
    roles.collect()
}

/// Returns the pattern of names in a quoted text.
fn pattern(quoted: &str) -> Option<Range<usize>> {
    quoted.split_whitespace().find_map(|word| {
        let word = word.trim_end_matches([':', ',', ')']).trim_end_matches('(');
        let is_wildcard = |c| matches!(c, '*' | '{' | '<');
        let is_allowed = |c: char| c.is_alphanumeric() || "_*{}<>$".contains(c);
        let has_wildcard = word.contains(is_wildcard) && !word.starts_with(['<', '$']);
        let is_pattern = has_wildcard && word.chars().all(is_allowed);
        // A wildcard next to nothing but a type (`*Foo`, `Vec<T>`) is a pointer or a generic type.
        let is_type = word.ends_with('>')
            || (word.starts_with('*')
                && !word[1..].contains(is_wildcard)
                && quoted.len() > word.len());
        let n_literal: usize = pattern_pieces(word).iter().map(|piece| piece.len()).sum();
        let start = word.as_ptr() as usize - quoted.as_ptr() as usize;
        (is_pattern && !is_type && n_literal >= MIN_NAME_LEN).then_some(start..start + word.len())
    })
}

/// Returns the literal pieces between the wildcards of a pattern of names. The first and the last
/// are empty if the pattern starts or ends with a wildcard.
pub(crate) fn pattern_pieces(pattern: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find(['*', '{', '<']) {
        pieces.push(&rest[..start]);
        let closing = match rest.as_bytes()[start] {
            b'{' => rest[start..].find('}'),
            b'<' => rest[start..].find('>'),
            _ => None,
        };
        rest = &rest[start + closing.unwrap_or(0) + 1..];
    }
    pieces.push(rest);
    pieces
}

/// Returns the offsets at which `code` contains `name` as a whole.
pub(crate) fn occurrences<'t>(
    code: &'t str,
    name: &'t str,
) -> impl Iterator<Item = usize> + use<'t> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole = move |at: &usize| {
        let before = code[..*at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        !before.into_iter().chain(after).any(is_part)
    };
    memmem::find_iter(code.as_bytes(), name).filter(is_whole)
}

fn has_file_ending(path: &str) -> bool {
    CONVENTIONS
        .endings
        .rules
        .contains(conventions::ending(path))
}

fn is_path(quoted: &str) -> bool {
    let quoted = quoted.trim();
    let is_one_word = !quoted.contains(char::is_whitespace) && !quoted.contains('(');
    let is_file = has_file_ending(quoted) && !quoted.contains("::");
    let is_folder = quoted.contains('/') && !quoted.contains("://") && !quoted.starts_with('@');
    let is_hidden = quoted.starts_with('.') && quoted.len() > 1;
    is_one_word && (is_file || is_folder || is_hidden)
}

/// Returns whether a word of prose can only be a path, unlike `and/or` and `Node.js`.
fn is_path_in_prose(word: &str) -> bool {
    let n_slashes = word.matches('/').count();
    let is_file = has_file_ending(word) && !word.ends_with(".js");
    word.contains("://") || n_slashes > 1 || word.ends_with('/') || is_file
}

/// Appends the names and paths outside of back-ticks.
fn prose_spans(text: &str, range: Range<usize>, spans: &mut Vec<Span>) {
    let prose = &text[range.clone()];
    let mut word_start = None;
    let ends = prose.char_indices().chain([(prose.len(), ' ')]);
    for (offset, c) in ends {
        if !c.is_whitespace() {
            word_start.get_or_insert(offset);
            continue;
        }
        let Some(start) = word_start.take() else {
            continue;
        };
        let word = range.start + start..range.start + offset;
        let trimmed =
            text[word.clone()].trim_matches(|c: char| !c.is_alphanumeric() && c != '@' && c != '/');
        if is_path_in_prose(trimmed) {
            spans.push(Span {
                kind: SpanKind::Path,
                range: word,
            });
        } else {
            let names = chains(text, word).filter(Chain::is_code_in_prose);
            spans.extend(names.map(|chain| Span {
                kind: SpanKind::Name,
                range: chain.range,
            }));
        }
    }
}

/// Identifiers joined by `.` or `::`.
struct Chain<'t> {
    text: &'t str,
    range: Range<usize>,
    /// Whether `(` or `!` follows.
    is_call: bool,
    /// Whether it is a part of a pattern like `test_*` or `{name}_command`, or of a template.
    is_pattern: bool,
}

impl Chain<'_> {
    fn name(&self) -> &str {
        &self.text[self.range.clone()]
    }

    /// Returns whether text in back-ticks is the name of something.
    fn is_code(&self) -> bool {
        let name = self.name();
        let is_word = name.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_qualified = name.contains('.') || name.contains(':');
        !self.is_pattern
            && (is_qualified || name.len() >= MIN_NAME_LEN)
            && (self.is_call || !is_word)
            && !LITERALS.entries().contains(&name)
            && name.bytes().any(|byte| byte.is_ascii_alphabetic())
    }

    /// Returns whether a part of prose can only be code.
    fn is_code_in_prose(&self) -> bool {
        let name = self.name();
        let has_underscore = name.trim_matches('_').contains('_');
        let is_camel = name
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            && name.starts_with(|c: char| c.is_ascii_lowercase());
        let is_annotation = name.starts_with('@') && name.contains('.');
        let is_called = self.is_call && self.text[self.range.end..].starts_with("()");
        self.is_code()
            && (has_underscore || is_camel || is_annotation || is_called || name.contains("::"))
    }
}

fn chains(text: &str, range: Range<usize>) -> impl Iterator<Item = Chain<'_>> {
    let bytes = text.as_bytes();
    let is_start =
        |byte: u8| byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80;
    let is_name = move |byte: u8| is_start(byte) || byte.is_ascii_digit();
    let mut at = range.start;
    std::iter::from_fn(move || {
        while at < range.end && !is_name(bytes[at]) {
            at += 1;
        }
        if at >= range.end {
            return None;
        }
        let mut start = at;
        if start > range.start && bytes[start - 1] == b'@' {
            start -= 1;
        }
        loop {
            while at < range.end && is_name(bytes[at]) {
                at += 1;
            }
            let separator = match bytes.get(at..range.end).unwrap_or_default() {
                [b':', b':', next, ..] if is_start(*next) => 2,
                [b'.', next, ..] if is_start(*next) => 1,
                _ => break,
            };
            at += separator;
        }
        let before = bytes[range.start..start].last();
        let after = bytes[at..range.end].first();
        let is_joint = |byte: &u8| matches!(byte, b'*' | b'{' | b'}' | b'%' | b'-');
        Some(Chain {
            text,
            range: start..at,
            is_call: matches!(after, Some(b'(' | b'!')),
            // An asterisk before a name makes it a pointer.
            is_pattern: before.is_some_and(|byte| *byte != b'*' && is_joint(byte))
                || after.is_some_and(is_joint),
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = spans(text)
            .iter()
            .map(|span| format!("{:?} {}", span.kind, &text[span.range.clone()]))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn globs_and_paths_not_to_edit_are_named() {
        let check =
            |rule: &str, expected: &[&str]| assert_eq!(named_globs(rule), expected, "{rule}");
        check("Regenerate `*.pb.go` with `make proto`", &["*.pb.go"]);
        check("Do not edit `gen/` by hand", &["gen/"]);
        check("Tests are in `tests/`, see `src/a.py`", &[]);
    }

    #[test]
    fn a_name_is_the_subject_or_used_or_neither() {
        use Role::{Other, Subject, Used};
        let check = |text: &str, expected: &[Role]| {
            assert_eq!(roles(text, &spans(text)), expected, "{text}");
        };
        check("Always use `StorageFactory`", &[Used]);
        check("Reject bad paths, as `validate_path` does", &[Subject]);
        check("Use the `XmlParser` or `JsonParser`", &[Used, Used]);
        check("**Uses** `@cached` for lists", &[Used]);
        check(
            "`ServiceRegistry` is built once and uses `Clock`",
            &[Subject, Used],
        );
        check(
            "The `FirstPart`, `SecondPart` and `ThirdPart` hold data",
            &[Subject; 3],
        );
        check("Output: `ChildSpec` defines the headers", &[Subject]);
        check("Implement `validate()`, via `check_all()`", &[Other, Used]);
        check("Use names like `pkgRoot`, `inputPath`", &[Other, Other]);
        check(
            "Adding a type to `TypeRegistry`. `OtherRegistry` finds it",
            &[Other, Subject],
        );
    }

    #[test]
    fn quoted_identifiers_are_names() {
        check("Wrap with `errors.Join(a, b)`", &["Name errors.Join"]);
        check(
            "Use `#[derive(Debug)]` and `@pytest.fixture`",
            &["Name derive", "Name Debug", "Name @pytest.fixture"],
        );
        check(
            "`std::fs::read`, ``a_b``",
            &["Name std::fs::read", "Name a_b"],
        );
        check("No `panic!` or `private`, `None`, `e`", &["Name panic"]);
    }

    #[test]
    fn patterns_of_names_are_recognized() {
        check(
            "`def test_*()`, `{name}_command`, `*Singletons`",
            &[
                "Pattern test_*",
                "Pattern {name}_command",
                "Pattern *Singletons",
            ],
        );
        check(
            "`*common.Common`, `Vec<T>`",
            &["Name common.Common", "Name Vec"],
        );
        assert_eq!(pattern_pieces("a_{b}_c*"), ["a_", "_c", ""]);
    }

    #[test]
    fn prose_names_only_what_is_no_word() {
        check(
            "Call waitForTraces before GitHub and e.g. close() of b::c",
            &["Name waitForTraces", "Name close", "Name b::c"],
        );
        check("Node.js and and/or", &[]);
    }

    #[test]
    fn commands_paths_and_blocks_are_recognized() {
        check(
            "`A_B=1 go test`, run `erk plan`",
            &["Command A_B=1 go test", "Command erk plan"],
        );
        check(
            "Run `cargo test` in `src/engine/` for `main.rs`",
            &["Command cargo test", "Path src/engine/", "Path main.rs"],
        );
        check(
            "See docs/setup.md.\n```\nx()\n```",
            &["Path docs/setup.md.", "Block \nx()\n"],
        );
        check("an open ` tick", &[]);
    }

    proptest! {
        #[test]
        fn spans_are_ordered_parts_of_any_text(text in "[a`\\.:/@(é* ]{0,40}") {
            let mut end = 0;
            for span in spans(&text) {
                prop_assert!(span.range.start >= end && text.get(span.range.clone()).is_some());
                end = span.range.end;
            }
        }
    }
}
