//! Stances of names in sentences.

use super::*;

/// Compares the stances of the names of a text, in order: plain `.`, forbidden `f`, absent `a`.
#[track_caller]
fn check(text: &str, expected: &str) {
    let ticks: Vec<usize> = text.match_indices('`').map(|it| it.0).collect();
    let names: Vec<Span> = ticks
        .chunks(2)
        .map(|it| Span::new(it[0], it[1] + 1))
        .collect();
    let block = Span::new(0, text.len());
    let letter = |name: &Span| match of(text, block, &names, *name) {
        Stance::Plain => '.',
        Stance::Unclear => '?',
        Stance::Example => 'e',
        Stance::Forbidden => 'f',
        Stance::Absent => 'a',
    };
    assert_eq!(
        names.iter().map(letter).collect::<String>(),
        expected,
        "{text}"
    );
}

#[test]
fn a_cue_governs_its_object() {
    check("Removed `a`, `b` and the `c` helper from `d`", "aaa.");
    check("Removed `a` and moved `b` to `c`", "aa.");
    check("Removed: `a`, `b`", "aa");
    check("**Removed `a`.** See `b`", "a.");
    check("There is no retry in `a`", ".");
    check("There is no `a`", "a");
    check("Renamed columns are handled in `a`", ".");
    check("It replaces `a` in `b`", "a.");
    check("`a` replaced `b`", ".a");
    check("We no longer call `a` from `b`", "a.");
    check("Removed `a`'s retry", ".");
    check("Removed support for `a` (see `b`)", "a.");
}

#[test]
fn a_predicate_governs_its_subject() {
    check("`a` was removed in favour of `b`", "a.");
    check("`a`, `b` and `c` were removed", "aaa");
    check("The retry in `a` was removed", ".");
    check("The `a` function in `b` was removed", "a.");
    check("The `a` loader cache was removed, see `b`", "..");
    check("`a` was renamed to `b`", "a.");
    check("`a` (removed in 2.0) and `b`", "a.");
    check("`a`: removed; `b`", "a.");
    check("`a` (deprecated, use `b`)", "f.");
    check("`a`, which was dropped, and `b`", "a.");
    check("It was in the `a` module that was removed", "a");
    check("`a` no longer exists", "a");
    check("`a` is no longer used by `b`", "a.");
    check("`a` no longer reads lines", ".");
    check("`a` handles removed rows", ".");
    check("`a` is not yet implemented", "a");
    check("`a` can be removed", ".");
    check("| `a` | `b` | removed |", "a.");
    check("| `a` | *(removed)* | text |", "a");
    check("~~`a`~~ `b`", "a.");
}

#[test]
fn a_condition_says_nothing_about_now() {
    check("If `a` was removed, run `b`", "..");
    check("When `a` does not exist, `b` is made", "..");
}

#[test]
fn an_alternative_is_not_wanted() {
    check("Instead of copying, extend `a`", ".");
    check("Use `a` instead of `b`, or `c`", ".a.");
    check("Call `a` rather than calling `b` from `c`", ".a.");
    check("It is in `a` rather than in `b`", ".a");
    check("`a` (formerly in `b`)", ".a");
    check("Use `a` (not `b` or `c`), and not only `d`", ".aa.");
    check("`a` moved from `b` to `c`", ".a.");
}

#[test]
fn a_prohibition_governs_what_it_prohibits() {
    check("Never use `a` in `b`", "f.");
    check("Never edit `a` by hand", ".");
    check("Do not import `a` or `b` from `c`", "ff.");
    check("Don't forget to run `a`", ".");
    check("Do not create files like `a`", "a");
    check("Never merge without running `a`", ".");
    check("`a` must never be called from `b`", "f.");
    check("You cannot call `a`; use `b`", "f.");
    check("❌ `a` - use `b`", "f.");
    check("Bad: call `a`. Good: call `b`.", "f.");
    check("`a` is forbidden in `b`", "f.");
    check("Use `a` and do not use `b`", ".f");
    check("Create a file called `a` for `b`", "a.");
    check("List these and do not bundle them: `a`", ".");
    check("To avoid `a` calling `b`, use `c`", "...");
}

#[test]
fn what_is_said_of_a_place_that_was_left_is_not_about_now() {
    check("The code no longer lives under `a`", "a");
    check("It was split out of `a` into `b`", "a.");
    check("There is no retry in `a`", ".");
    let is_about_now = |text: &str| {
        let at = text.find('`').expect("a name");
        super::is_about_now(text, Span::new(at, at + 3))
    };
    assert!(is_about_now(
        "Do not ask. The code is in `a`, which is fast"
    ));
    for text in [
        "The code is not in `a`",
        "Nothing is in `a`",
        "Before 2.0 it was in `a`",
    ] {
        assert!(!is_about_now(text), "{text}");
    }
}

#[test]
fn leads_and_titles_govern_what_follows() {
    assert_eq!(of_lead("Never run these:"), Stance::Forbidden);
    assert_eq!(of_lead("Bad"), Stance::Forbidden);
    assert_eq!(of_lead("The following were removed:"), Stance::Absent);
    assert_eq!(of_lead("**Before (the upgrade):"), Stance::Absent);
    assert_eq!(of_lead("Before you start, run"), Stance::Plain);
    assert_eq!(
        of_lead("Before (re)starting, look at these:"),
        Stance::Plain
    );
    assert_eq!(of_lead("Legacy, but still supported:"), Stance::Plain);
    assert_eq!(of_lead("There is no need to install it"), Stance::Plain);
    assert_eq!(of_lead("Removed columns are read"), Stance::Plain);
    assert_eq!(of_title("Removed in 2.0"), Stance::Absent);
    assert_eq!(of_title("Done"), Stance::Absent);
    assert_eq!(of_title("Definition of done"), Stance::Plain);
    assert_eq!(of_title("Anti-patterns"), Stance::Forbidden);
    assert_eq!(
        of_title("Never edit the files that the generator writes"),
        Stance::Plain
    );
    assert_eq!(of_column("Old"), Stance::Absent);
    assert_eq!(of_column("Old rows are read"), Stance::Plain);
}
