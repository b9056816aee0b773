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

use crate::lists::{GENERATED_PHRASES, LITERALS, PROGRAMS, RUNNING};

mod role;

pub use role::{Role, roles};

/// The kind of a part of a rule's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
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
pub struct Span {
    pub kind: SpanKind,
    /// In bytes of the text; that of a name excludes its arguments.
    pub range: Range<usize>,
}

/// Minimum length of a name without a qualifier; shorter ones (`e`, `T`, `id`) occur everywhere.
const MIN_NAME_LEN: usize = 3;

/// Returns the words of a text that may be identifiers.
pub fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() >= MIN_NAME_LEN && !word.starts_with(|c: char| c.is_numeric()))
}

/// Returns the distinct words of the code in a rule, whatever kind of code it is.
pub fn code_words(rule: &str) -> FxHashSet<&str> {
    let mut words = FxHashSet::default();
    for span in spans(rule) {
        words.extend(identifiers(&rule[span.range]));
    }
    words
}

/// Returns the globs that a rule names.
pub fn named_globs(rule: &str) -> Vec<String> {
    let mut globs = Vec::new();
    for span in spans(rule) {
        let path = &rule[span.range];
        if span.kind == SpanKind::Path && path.contains('*') {
            globs.push(path.to_owned());
        }
    }
    globs
}

/// Returns the paths and globs of files that a rule forbids to change: those in the sentence that forbids it. The next one may
/// name the files to change instead.
pub fn forbidden_globs(rule: &str) -> Vec<String> {
    let mut globs = Vec::new();
    // The end of a sentence may be emphasized.
    let rule = rule.replace(".**", ". **");
    for sentence in rule.lines().flat_map(|line| line.split(". ")) {
        // Authors emphasize the "not".
        let plain = sentence.to_lowercase().replace('*', "");
        if GENERATED_PHRASES.first_in(&plain).is_none() {
            continue;
        }
        for span in spans(sentence) {
            if span.kind == SpanKind::Path {
                globs.push(sentence[span.range].to_owned());
            }
        }
    }
    globs
}

/// Returns the spans of a text, in order.
pub fn spans(text: &str) -> Vec<Span> {
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
pub struct Quote {
    pub outer: Range<usize>,
    pub inner: Range<usize>,
}

/// Returns the quoted parts of a text, in order.
pub fn quotes(text: &str) -> Vec<Quote> {
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
    let mut range = quote.inner.clone();
    let kind = if quote.inner.start - quote.outer.start >= 3 {
        SpanKind::Block
    } else if is_command(inner) || is_after_run(&text[..quote.outer.start]) {
        SpanKind::Command
    } else if is_path(inner) {
        SpanKind::Path
    } else if let Some(pattern) = pattern(inner) {
        let start = range.start;
        range = start + pattern.start..start + pattern.end;
        SpanKind::Pattern
    } else {
        let names = chains(text, range).filter(Chain::is_code);
        spans.extend(names.map(Chain::into_span));
        return;
    };
    spans.push(Span { kind, range });
}

fn is_command(quoted: &str) -> bool {
    let mut words = quoted.split_whitespace();
    let Some(first) = words.find(|word| !is_assignment(word)) else {
        return false;
    };
    if first.starts_with("--") || first.starts_with("./") || PROGRAMS.entries().contains(&first) {
        return true;
    }
    let mut words = quoted.split_whitespace();
    words.any(|word| word.starts_with("--") && word.len() > 2)
}

/// Returns whether a word sets a variable of the environment, as `CI=1`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else {
        return false;
    };
    let mut bytes = name.bytes();
    !name.is_empty() && bytes.all(|byte| byte.is_ascii_uppercase() || byte == b'_')
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

/// The first characters of wildcards in a pattern of names.
const WILDCARDS: [char; 3] = ['*', '{', '<'];

/// Returns the pattern of names in a quoted text.
fn pattern(quoted: &str) -> Option<Range<usize>> {
    for word in quoted.split_whitespace() {
        let word = word.trim_end_matches([':', ',', ')']).trim_end_matches('(');
        if is_pattern(word, quoted.len() > word.len()) {
            let start = word.as_ptr() as usize - quoted.as_ptr() as usize;
            return Some(start..start + word.len());
        }
    }
    None
}

fn is_pattern(word: &str, has_neighbours: bool) -> bool {
    let mut chars = word.chars();
    if pattern_pieces(word).len() == 1
        || word.starts_with(['<', '$'])
        || !chars.all(|c| c.is_alphanumeric() || "_*{}<>$".contains(c))
    {
        return false;
    }
    // A wildcard next to nothing but a type (`*Foo`, `Vec<T>`) is a pointer or a generic type.
    if word.ends_with('>') && !word.contains("_<") {
        return false;
    }
    if let Some(rest) = word.strip_prefix('*')
        && has_neighbours
        && !rest.contains(WILDCARDS)
    {
        return false;
    }
    let literal_lens = pattern_pieces(word).into_iter().map(str::len);
    literal_lens.sum::<usize>() >= MIN_NAME_LEN
}

/// Returns the literal pieces between the wildcards of a pattern of names. The first and the last
/// are empty if the pattern starts or ends with a wildcard.
pub fn pattern_pieces(pattern: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some((start, len)) = wildcard(rest) {
        pieces.push(&rest[..start]);
        rest = &rest[start + len..];
    }
    pieces.push(rest);
    // A prefix: `NAT_CI_`.
    if pieces.len() == 1
        && rest.len() > MIN_NAME_LEN
        && rest.ends_with('_')
        && !rest.starts_with('_')
    {
        pieces.push("");
    }
    pieces
}

/// Returns the offset and the length of the first wildcard.
fn wildcard(pattern: &str) -> Option<(usize, usize)> {
    let signs = pattern.find(WILDCARDS);
    for any in ["Xxx", "XXX", "xxx"] {
        if let Some(start) = pattern.find(any)
            && signs.is_none_or(|sign| start < sign)
        {
            return Some((start, any.len()));
        }
    }
    let start = signs?;
    let closing = match pattern.as_bytes()[start] {
        b'{' => pattern[start..].find('}'),
        b'<' => pattern[start..].find('>'),
        _ => None,
    };
    Some((start, closing.unwrap_or(0) + 1))
}

/// Returns whether a text in back-ticks is a value or a marker that occurs anywhere.
pub fn is_value(quoted: &str) -> bool {
    LITERALS.entries().contains(&quoted)
}

/// Returns the offsets at which `code` contains `name` as a whole.
pub fn occurrences<'t>(code: &'t str, name: &'t str) -> impl Iterator<Item = usize> + use<'t> {
    memmem::find_iter(code.as_bytes(), name).filter(move |at| {
        let before = code[..*at].chars().next_back();
        let after = code[at + name.len()..].chars().next();
        let mut around = before.into_iter().chain(after);
        !around.any(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Returns whether a path ends like a file.
pub fn has_file_ending(path: &str) -> bool {
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
            spans.extend(names.map(Chain::into_span));
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

    fn into_span(self) -> Span {
        Span {
            kind: SpanKind::Name,
            range: self.range,
        }
    }

    /// Returns whether text in back-ticks is the name of something.
    fn is_code(&self) -> bool {
        let name = self.name();
        let is_word = name.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_qualified = name.contains('.') || name.contains(':');
        !self.is_pattern
            && (is_qualified || name.len() >= MIN_NAME_LEN)
            && (self.is_call || !is_word)
            && !is_value(name)
            && name.bytes().any(|byte| byte.is_ascii_alphabetic())
    }

    /// Returns whether a part of prose can only be code.
    fn is_code_in_prose(&self) -> bool {
        let name = self.name();
        let has_underscore = name.trim_matches('_').contains('_');
        let mut pairs = name.as_bytes().windows(2);
        let is_camel = name.starts_with(|c: char| c.is_ascii_lowercase())
            && pairs.any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        let is_annotation = name.starts_with('@') && name.contains('.');
        let rest = &self.text[self.range.end..];
        let is_called =
            self.is_call && (rest.starts_with("()") || name.contains('.') && rest.starts_with('('));
        self.is_code()
            && (has_underscore || is_camel || is_annotation || is_called || name.contains("::"))
    }
}

fn chains(text: &str, range: Range<usize>) -> impl Iterator<Item = Chain<'_>> {
    let bytes = text.as_bytes();
    let mut at = range.start;
    std::iter::from_fn(move || {
        while at < range.end && !is_of_name(bytes[at]) {
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
            while at < range.end && is_of_name(bytes[at]) {
                at += 1;
            }
            match bytes.get(at..range.end).unwrap_or_default() {
                [b':', b':', next, ..] if starts_name(*next) => at += 2,
                [b'.', next, ..] if starts_name(*next) => at += 1,
                _ => break,
            }
        }
        let before = bytes[range.start..start].last();
        let after = bytes[at..range.end].first();
        // An asterisk before a name makes it a pointer.
        let is_joined = matches!(before, Some(b'{' | b'}' | b'%' | b'-'))
            || matches!(after, Some(b'*' | b'{' | b'}' | b'%' | b'-'));
        Some(Chain {
            text,
            range: start..at,
            is_call: matches!(after, Some(b'(' | b'!')),
            is_pattern: is_joined,
        })
    })
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_of_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit()
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
        assert_eq!(named_globs("Regenerate `*.pb.go` with `make`"), ["*.pb.go"]);
        let forbidden = |rule: &str| forbidden_globs(rule).join(" ");
        assert_eq!(forbidden("Do **not** edit `gen/` by hand"), "gen/");
        let rule = "**Never modify `gen/a.py`.** Change `src/a.py` instead";
        assert_eq!(forbidden(rule), "gen/a.py");
        assert_eq!(forbidden("Tests are in `tests/`, see `src/a.py`"), "");
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
        check(
            "`_SHOP_<CRATE>_<STEP>`, `SHOP_CI_` and `TestXxx`, not `_hidden`",
            &[
                "Pattern _SHOP_<CRATE>_<STEP>",
                "Pattern SHOP_CI_",
                "Pattern TestXxx",
                "Name _hidden",
            ],
        );
        assert_eq!(pattern_pieces("a_{b}_c*"), ["a_", "_c", ""]);
        assert_eq!(pattern_pieces("SHOP_CI_"), ["SHOP_CI_", ""]);
    }

    #[test]
    fn prose_names_only_what_is_no_word() {
        check(
            "Call waitForTraces before GitHub and e.g. close() of b::c",
            &["Name waitForTraces", "Name close", "Name b::c"],
        );
        check("Wrap with errors.Join(a, b)", &["Name errors.Join"]);
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
