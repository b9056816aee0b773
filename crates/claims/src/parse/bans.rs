//! The pieces of code that the sentences of a text forbid.

use std::ops::Range;

use cerberus_markdown::structure::normalize;
use cerberus_model::Span;
use cerberus_prose::stance::bans::Ban;
use pulldown_cmark::{Event, Options, Parser};

use super::context::Context;

/// Returns the pieces of code that the sentences of a text forbid or replace, and the other ones that it names.
pub fn bans(text: &str) -> (Vec<Ban>, Vec<String>) {
    let normalized = normalize(text);
    let mut context = Context::new(text);
    let events: Vec<(Event<'_>, Range<usize>)> =
        Parser::new_ext(&normalized, Options::ENABLE_TABLES)
            .into_offset_iter()
            .collect();
    for (event, range) in &events {
        context.add(event, Span::new(range.start, range.end));
    }
    let (mut bans, mut allowed) = (Vec::new(), Vec::new());
    for (event, range) in events {
        let Event::Code(code) = event else { continue };
        let code = code.trim().to_owned();
        match context.ban(Span::new(range.start, range.end)) {
            Some(ban) => bans.push(Ban { code, ..ban }),
            None => allowed.push(code),
        }
    }
    (bans, allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_forbids_and_says_where() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let (found, _) = bans(text);
            let found: Vec<_> = found.iter().map(|it| (&*it.code, &*it.place)).collect();
            assert_eq!(found, expected, "{text}");
        };
        check("Use `uv`, never `pip`.", &[("pip", "")]);
        check("Not `pytest`, run `make test`", &[("pytest", "")]);
        check(
            "Never `git push --force` or `git reset`",
            &[("git push --force", ""), ("git reset", "")],
        );
        check(
            "Use `uv add` instead of `pip install`",
            &[("pip install", "")],
        );
        check("Prefer `a` over `b`", &[("b", "")]);
        check(
            "- No `any` types\n- `c` is deprecated",
            &[("any", ""), ("c", "")],
        );
        check("We don't use `@DisplayName`", &[("@DisplayName", "")]);
        check("Never add `x`, use `y`", &[("x", "")]);
        check(
            "Never use `a` in tests, they are slow",
            &[("a", "in tests")],
        );
        check("In tests, never use `a`", &[("a", "in tests")]);
        check("Don't use `a` without `b`", &[("a", "without `")]);
        check("In tests, prefer `a` over bare `b`", &[("b", "in tests")]);
        check(
            "No `a()`, `b()`, or panics outside tests",
            &[("a()", "outside tests"), ("b()", "outside tests")],
        );
        check("Use `a` for durations, not `b`", &[("b", "for durations")]);
        check("Widgets must not use `a`", &[("a", "widgets")]);
        check("Widgets cannot use `a`", &[]);
        check("Avoid using `a`", &[("a", "")]);
        check("The `a` type must not be used", &[("a", "")]);
        check("Do use `a` instead of `b`", &[("b", "")]);
        check("We must never use `a`", &[("a", "")]);
        check(
            "Sources must have `a` instead of `b`",
            &[("b", "sources have")],
        );
        check("Never assign `a` (or `c`) to b", &[("a", "to b")]);
        check("When you write code: avoid `a`", &[("a", "")]);
        check(
            "Never use `a`, except in tests",
            &[("a", "except in tests")],
        );
        check("Never use `a`, only `b`", &[("a", "")]);
        check(
            "Never use `a` instead of `b`",
            &[("a", "of `"), ("b", "never")],
        );
        check("Avoid b: never use `a`", &[("a", "")]);
        check(
            "No `a` (except in b or tests)",
            &[("a", "except in b or tests")],
        );
        check("No `a` (allowed only in b)", &[("a", "allowed only in b")]);
        check("**No `a`.** Use `b` in c", &[("a", "")]);
        check("It matters that it's not a `a`", &[]);
        check("The route uses `a` not `b`", &[("b", "route")]);
        check("`a` (not `b`) in tests", &[("b", "in tests")]);
        check(
            "Times are numbers (`c`), never `a`",
            &[("a", "times numbers")],
        );
        check("Use `c` for all calls, never `a`", &[("a", "for")]);
        check("Always `c` — never `a`", &[("a", "")]);
        check("Use the wide logger (`c`) instead of `a`", &[("a", "")]);
        check(
            "Widgets use the wide logger instead of `a`",
            &[("a", "widgets")],
        );
        check("`c` has `b` — no `a`", &[("a", "has")]);
        check("Paths by `b`. `a` is forbidden", &[("a", "")]);
        check("Never use `a`/`b`", &[("a", ""), ("b", "")]);
        let is_whole = |text: &str| bans(text).0[0].is_whole;
        assert!(is_whole("No `any` types") && is_whole("Never use `a`, or b"));
        assert!(!is_whole("Never leave a `catch` block empty"));
        assert!(!is_whole("Do not treat `a` as a fix"));
        for text in [
            "Never edit `a`",
            "Direct access instead of `a`",
            "It is not `a`",
            "This does not use `a`",
            "No `a` was found",
            "Iterate over `a`",
            "Use objects of b: `a` over `c`",
            "If you don't have `a`, install it",
            "There is no `a`",
            "Use `a` to avoid `b`",
        ] {
            check(text, &[]);
        }
    }
}
