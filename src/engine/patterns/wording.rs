//! What the words of a rule say about names in code: a ban, or a duty of its users.
//!
//! Only a sentence that says it without a condition counts. A rule that is not understood says
//! nothing, because a wrong pattern costs more than none. English only.

use std::ops::Range;

use regex::Captures;

use super::forms::{self, Form};
use super::shapes;
use crate::engine::rank::named_code::{self, SpanKind};
use crate::model::Language;

/// How code uses a banned name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usage {
    Any,
    Call,
    Import,
    Throw,
    Catch,
}

/// What a sentence says about names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// No code uses these names.
    Ban {
        names: Vec<String>,
        usage: Usage,
        /// What to use instead.
        instead: Option<String>,
        /// Paths of the only files that it applies to.
        inside: Vec<String>,
        /// Paths of files that it does not apply to.
        outside: Vec<String>,
        /// Whether it only says to avoid them.
        is_soft: bool,
    },
    /// Every call of a name has an argument with a name.
    Argument { call: String, argument: String },
}

/// The first of the characters that take the places of names.
const FIRST: u32 = 0xE000;
const MAX_NAMES: usize = 200;

/// Returns what the sentences of a rule's text say.
pub(super) fn statements(text: &str) -> Vec<Statement> {
    let masked = Masked::new(text);
    let sentences = masked.sentences();
    let mut found = Vec::new();
    for (idx, sentence) in sentences.iter().enumerate() {
        // `Use x for y. Never z.` is about y.
        let before = idx.checked_sub(1).and_then(|idx| sentences.get(idx));
        let is_continued = sentence.chars().any(|c| is_mark(&c))
            && forms::BARE_REFUSAL.is_match(sentence)
            && before.is_some_and(|it| forms::FOR.is_match(it));
        if !is_continued {
            found.extend(masked.statement(sentence));
        }
    }
    found
}

/// Returns the names in a text: those in back-ticks, and words that can only be code.
pub(super) fn names(text: &str) -> Vec<String> {
    Masked::new(text).names
}

/// Returns the languages that a text names.
pub(super) fn languages(text: &str) -> Vec<Language> {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut found = Vec::new();
    for (idx, word) in words.iter().enumerate() {
        match *word {
            "Python" => found.push(Language::Python),
            "Rust" => found.push(Language::Rust),
            "Java" => found.push(Language::Java),
            "Golang" => found.push(Language::Go),
            // Not the verb.
            "Go" if !words.get(idx + 1).is_some_and(|next| GO_VERB.contains(next)) => {
                found.push(Language::Go);
            }
            "TypeScript" | "JavaScript" | "Typescript" | "Javascript" | "React" | "TSX" | "JSX" => {
                found.extend([Language::JavaScript, Language::TypeScript, Language::Tsx]);
            }
            _ => {}
        }
    }
    found
}

/// Returns the folders that a heading names, as `Tests (packages/core/)`.
pub(super) fn folders(heading: &str) -> Vec<String> {
    let words = heading.split_whitespace();
    let words = words.map(|word| word.trim_matches(['(', ')', '[', ']', '`', '*', ',', ':', '"']));
    words.filter(|word| word.len() > 2 && word.ends_with('/')).map(str::to_owned).collect()
}

/// Returns whether the words after a refused name limit the refusal to a place, or make it the name of something
/// else, as in `not the x aliases`.
pub(super) fn is_limiting(after: &str) -> bool {
    forms::LIMITING_TAIL.is_match(after) && !forms::FREE_TAIL.is_match(after)
}

/// Words after the verb `go`.
const GO_VERB: &[&str] =
    &["to", "with", "for", "through", "back", "ahead", "straight", "directly", "beyond", "over"];

/// Returns whether a text limits its rule to some situation.
pub(super) fn has_condition(text: &str) -> bool {
    forms::CONDITION.is_match(&Masked::new(text).text)
}

/// A text with a character in place of each name.
struct Masked {
    text: String,
    names: Vec<String>,
}

impl Masked {
    fn new(text: &str) -> Self {
        let text = text.replace('’', "'");
        let quotes = quotes(&text);
        let is_quoted = |at: usize| quotes.iter().any(|(outer, _)| outer.contains(&at));
        let mut parts = quotes.clone();
        for span in named_code::spans(&text) {
            let is_code = matches!(span.kind, SpanKind::Name | SpanKind::Path);
            if is_code && !is_quoted(span.range.start) && !is_quoted(span.range.end) {
                // The parentheses of a call belong to the name.
                let end = span.range.end;
                let end = if text[end..].starts_with("()") { end + 2 } else { end };
                parts.push((span.range.start..end, span.range.start..end));
            }
        }
        parts.sort_by_key(|(outer, _)| outer.start);
        let (mut masked, mut names, mut at) = (String::new(), Vec::new(), 0);
        for (outer, inner) in parts {
            if outer.start < at || names.len() == MAX_NAMES {
                continue;
            }
            let Some(mark) =
                u32::try_from(names.len()).ok().and_then(|n| char::from_u32(FIRST + n))
            else {
                continue;
            };
            masked.push_str(&text[at..outer.start]);
            masked.push(mark);
            names.push(text[inner].trim().to_owned());
            at = outer.end;
        }
        masked.push_str(&text[at..]);
        // Marks of bold and italic text are not part of the words.
        masked.retain(|c| c != '*');
        Self { text: masked, names }
    }

    fn sentences(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for line in self.text.split("\n\n").flat_map(|part| part.split("\n- ")) {
            let mut start = 0;
            let is_end = |(at, c): &(usize, char)| {
                let is_abbreviation =
                    ["e.g", "i.e", "etc", "vs"].iter().any(|it| line[..*at].ends_with(it));
                matches!(c, '.' | '!' | ';')
                    && !is_abbreviation
                    && line[at + c.len_utf8()..].starts_with([' ', '\n'])
            };
            for (at, c) in line.char_indices().filter(is_end) {
                found.push(line[start..at + c.len_utf8()].trim());
                start = at + c.len_utf8();
            }
            found.push(line[start..].trim());
        }
        found.retain(|sentence| !sentence.is_empty());
        found
    }

    fn names_in(&self, text: &str) -> Vec<String> {
        let idx = |mark: char| usize::try_from(u32::from(mark) - FIRST).ok();
        let marks = text.chars().filter(is_mark);
        marks.filter_map(|mark| self.names.get(idx(mark)?).cloned()).collect()
    }

    fn statement(&self, sentence: &str) -> Option<Statement> {
        if !sentence.chars().any(|c| is_mark(&c)) {
            return None;
        }
        let sentence = sentence.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(found) = forms::ARGUMENT.captures(&sentence) {
            let name = |key: &str| self.names_in(&found[key]).pop();
            let (call, argument) = (name("call")?, name("argument")?);
            return Some(Statement::Argument { call, argument });
        }
        let found = forms::ALTERNATIVE
            .captures(&sentence)
            .or_else(|| forms::BAN.captures(&sentence))
            .or_else(|| forms::PASSIVE.captures(&sentence))?;
        self.ban(&found)
    }

    /// Returns whether a sentence says to use a name that another one forbids, with another meaning.
    fn is_recommended(&self, name: &str) -> bool {
        let bare = |name: &str| name.split('(').next().unwrap_or_default().to_owned();
        self.sentences().into_iter().any(|sentence| {
            forms::RECOMMENDED.find_all(sentence).into_iter().any(|found| {
                let is_refused = forms::REFUSAL.is_match(&sentence[..found.start()]);
                let names = self.names_in(found.as_str());
                !is_refused && names.iter().any(|it| bare(it) == bare(name))
            })
        })
    }

    fn ban(&self, found: &Captures<'_>) -> Option<Statement> {
        let before = found.name("before").map_or("", |it| it.as_str()).trim();
        // A label such as `Logging:`, or another clause, but no condition.
        let is_example = ["e.g.", "i.e.", "such as", "for example", "like "]
            .iter()
            .any(|it| before.contains(it));
        if is_example {
            return None;
        }
        let is_free =
            before.is_empty() || before.ends_with([':', '—', '–', '-', ';', ',', '.', '(']);
        if !is_free || forms::CONDITION.is_match(before) || before.to_lowercase().starts_with("in ")
        {
            return None;
        }
        let refusal = found.name("refusal").map(|it| it.as_str().to_lowercase());
        let refusal = refusal.as_deref().unwrap_or_default();
        let is_plain_no = found.name("verb").is_none() && refusal == "no";
        let after = &found["after"];
        // `No x → y` says what follows from a lack of x, and `never read the notes (no x)` is about the notes.
        let is_consequence = after.trim_start().starts_with('→');
        let is_detail = forms::REFUSAL.is_match(before) && before.ends_with('(');
        if is_plain_no && (is_description(before) || is_consequence || is_detail) {
            return None;
        }
        // `Use self.x()` is only for the objects that have it.
        let is_own = |it: regex::Match<'_>| {
            let names = self.names_in(it.as_str());
            names.iter().any(|name| ["self.", "this."].iter().any(|of| name.contains(of)))
        };
        if found.name("instead").is_some_and(is_own) || forms::IN_TESTS.is_match(before) {
            return None;
        }
        // `Use x to do y, not z` is only about y.
        if let (Some(instead), Some(names)) = (found.name("instead"), found.name("names"))
            && forms::PURPOSE.is_match(&found[0][instead.end()..names.start()])
        {
            return None;
        }
        let paths = |form: &Form| {
            let paths = form.captures(after).map(|it| self.names_in(&it["paths"]))?;
            paths.iter().all(|path| is_path(path)).then_some(paths)
        };
        let mut names = self.names_in(&found["names"]);
        names.retain(|name| !self.is_recommended(name));
        // A word after a mere `no` may be a property or a variable, and one after `don't` is a verb.
        let is_verb = found.name("verb").is_none()
            && (refusal.ends_with("not") || refusal.starts_with("don"));
        names.retain(|name| !(is_plain_no || is_verb) || !shapes::is_plain_word(name));
        // A method of any object is replaced by another one only where both exist.
        let is_alternative = found.name("instead").is_some();
        names.retain(|name| !(is_alternative && name.starts_with('.')));
        // Bare comments are only those that switch off all checks.
        let words = found[0][..found.name("names").map_or(0, |it| it.start())].trim_end();
        if words.ends_with("bare") || words.ends_with("plain") {
            for name in names.iter_mut().filter(|name| shapes::is_directive(name)) {
                name.insert_str(0, "bare ");
            }
        }
        if names.is_empty() {
            return None;
        }
        let outside = paths(&forms::OUTSIDE);
        let inside = paths(&forms::INSIDE);
        if outside.is_none() && inside.is_none() {
            let is_limited =
                forms::CONDITION.is_match(after) || forms::CONTINUED_LIST.is_match(after);
            // An object may follow a remark in parentheses, as in `never f (or g) a y`.
            let is_free = |tail: &str| forms::FREE_TAIL.is_match(tail);
            if is_limited || !is_free(after) || !is_free(after_remark(after)) {
                return None;
            }
        }
        // `Catch x, never y` has one verb for both.
        let verb =
            found.name("verb").map_or_else(|| first_verb(before), |it| it.as_str().to_lowercase());
        let usage = match &verb[..] {
            verb if verb.starts_with("call") => Usage::Call,
            verb if verb.starts_with("import") => Usage::Import,
            verb if verb.starts_with("throw") || verb.starts_with("rais") => Usage::Throw,
            verb if verb.starts_with("catch") => Usage::Catch,
            _ => Usage::Any,
        };
        Some(Statement::Ban {
            names,
            usage,
            instead: found.name("instead").and_then(|it| self.names_in(it.as_str()).pop()),
            inside: inside.unwrap_or_default(),
            outside: outside.unwrap_or_default(),
            is_soft: refusal == "avoid",
        })
    }
}

/// Returns whether a character takes the place of a name.
fn is_mark(c: &char) -> bool {
    ('\u{E000}'..='\u{F8FF}').contains(c)
}

/// Returns whether words describe one thing, as in `This file uses eager imports (no ...)`.
fn is_description(before: &str) -> bool {
    // `x functions — no y` is about x.
    let clause = before.rsplit(": ").next().unwrap_or_default();
    if clause.starts_with(|c| is_mark(&c)) && clause.contains(['—', '–']) {
        return true;
    }
    let mut words = before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default().to_lowercase();
    let is_subject =
        matches!(first.as_str(), "this" | "these" | "that" | "it" | "its" | "the" | "a" | "an");
    let is_verb = first.ends_with('s') && first != "always";
    (is_subject || is_verb) && words.count() >= 3
}

/// Returns the first word after labels, in lower case.
fn first_verb(before: &str) -> String {
    let clause = before.trim_end_matches([':', ' ']).rsplit(": ").next().unwrap_or_default();
    let first = clause.split_whitespace().next().unwrap_or_default();
    first.to_lowercase()
}

/// Returns what follows a remark in parentheses at the start, or all if there is none.
fn after_remark(after: &str) -> &str {
    let inner = after.trim_start().strip_prefix('(');
    inner.and_then(|inner| inner.split_once(')')).map_or(after, |(_, rest)| rest)
}

fn is_path(name: &str) -> bool {
    name.contains('/') || name.rsplit_once('.').is_some_and(|(_, ending)| ending.len() <= 4)
}

/// Returns the code in single back-ticks, with and without them.
fn quotes(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find('`').map(|at| from + at) {
        let n_ticks = text[start..].len() - text[start..].trim_start_matches('`').len();
        let inner = start + n_ticks;
        let Some(len) = text[inner..].find(&text[start..inner]) else { break };
        let end = inner + len + n_ticks;
        found.push((start..end, inner..inner + len));
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let shown: Vec<String> = statements(text)
            .into_iter()
            .map(|statement| match statement {
                Statement::Ban { names, usage, instead, inside, outside, is_soft } => {
                    let mut shown = format!("{usage:?} {}", names.join(" "));
                    shown.extend(is_soft.then_some(" soft".to_owned()));
                    shown.extend(instead.map(|it| format!(" → {it}")));
                    shown.extend(inside.iter().map(|it| format!(" in {it}")));
                    shown.extend(outside.iter().map(|it| format!(" not in {it}")));
                    shown
                }
                Statement::Argument { call, argument } => format!("{call} has {argument}"),
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn a_ban_names_what_not_to_use() {
        check("Never use `console.log`.", &["Any console.log"]);
        check("Use AssertJ (`assertThat(...)`). Do not use Hamcrest `assertThat`.", &[]);
        check(
            "Logging: do not call `print()` or `pprint()` in production code",
            &["Call print() pprint()"],
        );
        check("**Don’t** use the `any` type; narrow it.", &["Any any"]);
        check("Never import `lodash`, use `es-toolkit`", &["Import lodash"]);
        check("`unwrap()` is forbidden.", &["Any unwrap()"]);
        check("No `console.log` calls", &["Any console.log"]);
        check("Use the logger — no `console.log`.", &["Any console.log"]);
        check("Type safety of all code: no `any`", &["Any any"]);
        check("Never throw `Error` directly.", &["Throw Error"]);
        check("Do not use Next.js `unstable_cache()`.", &["Any unstable_cache()"]);
        check("Avoid using `any`", &["Any any soft"]);
        check("Be specific: `# noqa: E501`, never bare `# noqa`.", &["Any bare # noqa"]);
        check("Never use bare `fetch`.", &["Any fetch"]);
        check("Never use `any` (see `x`); narrow it.", &["Any any"]);
        check("Use `log()`. Never `print()`.", &["Any print()"]);
        check("Use the helper, never `a.b` (or `c.b`) directly.", &["Any a.b"]);
    }

    #[test]
    fn one_verb_may_be_for_both_names() {
        check(
            "**Catch the specific exception, never a bare `Exception` or `DbError`.**",
            &["Catch Exception DbError"],
        );
        check("Import `a` first, never `b_c`", &["Import b_c"]);
    }

    #[test]
    fn languages_are_named() {
        let web = vec![Language::JavaScript, Language::TypeScript, Language::Tsx];
        assert_eq!(languages("Do not add TypeScript `any`"), web);
        assert_eq!(languages("Go code, Rust"), [Language::Go, Language::Rust]);
        assert_eq!(languages("Go through it; rust, java"), []);
    }

    #[test]
    fn headings_name_folders() {
        assert_eq!(folders("Work › The SDK (`mem0-ts/`)"), ["mem0-ts/"]);
        assert!(folders("Client/server code").is_empty());
    }

    #[test]
    fn an_alternative_names_both() {
        check("Use `logger.info` instead of `console.log`.", &["Any console.log → logger.info"]);
        check("Always use `Path` rather than `os.path`", &["Any os.path → Path"]);
        check("Use `tmp_path`, not `tempfile`", &["Any tempfile → tmp_path"]);
    }

    #[test]
    fn a_ban_may_be_limited_to_paths() {
        check(
            "Never use `process.env` outside `src/config.ts`.",
            &["Any process.env not in src/config.ts"],
        );
        check("Do not import `react` in `packages/core/`", &["Import react in packages/core/"]);
    }

    #[test]
    fn an_argument_may_be_required() {
        check("Always pass `timeout` to `requests.get`.", &["requests.get has timeout"]);
    }

    #[test]
    fn a_condition_says_nothing() {
        for text in [
            "Never use `useEffect` for data fetching",
            "When testing, do not use `sleep`",
            "Avoid `any` unless it is needed",
            "Prefer `interface` over `type`",
            "Use `a()` instead of `b()` when possible",
            "In tests, never use `sleep()`",
            "Do not forget `close()`",
            "Never use `sleep` in tests",
            "Only use `fetch` in loaders",
            "Use `.nullish()` instead of `.optional()`",
            "Avoid short names, e.g. use `version` instead of `ver`",
            "This file uses eager imports (no `lazy()`) because all are read",
            "Owns its trailing chevron — no `rightIcon`.",
            "No `initPath()` → default preferences",
            "Never use unbounded labels. No `actor_id`, `runner_id`, etc.",
            "Use `extractEvent()` to get return values (not `simulate()`)",
            "NEVER read their contents (no `cat`, `open()`, `Read`)",
            "Compose, don't `className`.",
            "Use `self.create_task()` instead of `asyncio.create_task()`.",
            "Cost in tests: `MinCost`, never `bcrypt.DefaultCost`.",
            "Do not call `print()`, `log()`, or write to stdout from engine code.",
            "Never use `a_b` in library code",
            "Always use `.rate()` for counters. Never `count()` or `sum()`.",
            "Never `json.Marshal` (or `json.Encode`) a `jsonrpc2` type.",
            "Convention: `fetch_*()` functions — collect data, no `echo()` calls",
        ] {
            check(text, &[]);
        }
    }
}
