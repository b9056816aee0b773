//! Pairs of rules that contradict each other, pairs that do not, and a consistent set of rules.

use super::*;

#[track_caller]
fn check(a: &str, b: &str, expected: bool) {
    let (parsed_a, parsed_b) = (ParsedText::parse(a), ParsedText::parse(b));
    assert_eq!(parsed_a.contradicts(&parsed_b), expected, "{a} | {b}\n{parsed_a:?}\n{parsed_b:?}");
    assert_eq!(parsed_b.contradicts(&parsed_a), expected, "in reverse: {a} | {b}");
}

const CONTRADICTORY: &[(&str, &str)] = &[
    ("Use tabs", "Never use tabs"),
    ("Use tabs for indentation.", "Don't use tabs for indentation."),
    ("Always use global state", "Avoid global state"),
    ("Use tabs, not spaces", "Use spaces, not tabs"),
    ("Indent with tabs, not spaces", "Indent with spaces, not tabs"),
    ("Prefer composition over inheritance", "Prefer inheritance over composition"),
    ("Prefer `async`/`await` to callbacks", "Prefer callbacks to `async`/`await`"),
    ("Use `Result` instead of panicking", "Use panicking instead of `Result`"),
    ("Instead of mocks, use fakes", "Use mocks rather than fakes"),
    ("Close sessions in a finally block", "Do not close sessions in a finally block"),
    ("Handlers must not block", "Handlers should block"),
    ("Handlers shouldn’t block the loop", "Handlers block the loop"),
    ("Don't forget to close the session", "Never close the session"),
    ("Commit the lock file", "Do not commit the lock file, because it changes often"),
    ("Return errors and do not panic", "Panic, do not return errors"),
    ("When a test fails, merge the branch", "When a test fails, do not merge the branch"),
    ("Use spaces", "Use tabs, never spaces"),
    ("Only use `unsafe` in tests", "Never use `unsafe` in tests"),
    ("No default exports", "Use default exports"),
    ("Write C++ headers by hand", "Do not write C++ headers by hand"),
    ("Do not: squash the commits", "Squash the commits"),
];

const COMPATIBLE: &[(&str, &str)] = &[
    ("Use tabs", "Always use tabs"),
    ("Never use tabs", "Avoid tabs"),
    ("Use tabs, not spaces", "Never use spaces"),
    ("Use tabs, not spaces", "Prefer tabs over spaces"),
    ("Use unwrap in tests", "Do not use unwrap"),
    ("Do not commit without running the tests", "Run the tests before committing"),
    ("Never commit secrets", "Commit lock files"),
    ("Don't use X outside tests", "Only use X in tests"),
    ("Do not use the prefix `app_`", "Fix the prefix"),
    ("Donate to the project", "Do not donate twice"),
    ("You don't need to sign commits", "Sign commits"),
    ("Commits need not be signed", "Commits are signed"),
    ("Validate input before saving it", "Never validate input after saving it"),
    ("If tests fail, do not merge", "Merge, then delete the branch"),
    ("Do not skip tests", "Run tests"),
    ("Write not only unit tests but also integration tests", "Write unit tests"),
    ("Use async functions in handlers", "Do not use async functions in migrations"),
    ("Never call `open` unless the lock is held", "Call `open`"),
    ("Prefer composition over inheritance", "Prefer composition over inheritance in services"),
    ("Support tabs and spaces", "Use tabs, not spaces"),
    ("Notify the owner", "Do not notify the customer"),
    ("Avoid nothing", "Nothing is avoided here"),
    ("Name tests after what they test", "Do not name tests after bugs"),
    ("Do not: add major changesets", "Do not add major changesets"),
    ("", "Never"),
];

#[test]
fn contradictions_are_found() {
    for (a, b) in CONTRADICTORY {
        check(a, b, true);
    }
}

#[test]
fn compatible_rules_do_not_contradict() {
    for (a, b) in COMPATIBLE {
        check(a, b, false);
    }
}

/// Rules of an imaginary project: similar on purpose, but without contradictions.
const BANK: &str = "\
Use four spaces for indentation, never tabs
Use tabs in Makefiles, since make asks for them
Close every database session in a finally block
Never open a database session outside `request_session`
Do not close sessions that you did not open
Hash passwords with a fresh salt before storing them
Never store plain passwords
Never log passwords, tokens or session ids
Log every request with its id
Do not log request bodies in production
Validate input at the edge of the system
Do not validate the same input twice
Prefer composition over inheritance
Prefer small functions over comments
Prefer `pathlib` over `os.path`
Use f-strings, not `format`
Do not use f-strings in log calls
Raise exceptions instead of returning error codes
Never raise bare `Exception`
Catch specific exceptions
Never catch exceptions without logging them
Do not swallow exceptions
Write a test for every bug that is fixed
Do not write tests that sleep
Run the whole test suite before merging
Never merge when a test fails
Do not run migrations in tests
Mock the network in unit tests
Do not mock the database in integration tests
Use fakes rather than mocks for the clock
Use the `Clock` interface; do not call `time.time` directly
Keep handlers thin
Handlers must not talk to the database
Services talk to the database through repositories
Repositories must not call services
Name booleans with `is_` or `has_`
Do not name variables after their types
Use British spelling in documentation
Do not use abbreviations in public names
Abbreviations are fine in loops
Commit generated files for the API client
Do not edit generated files by hand
Never commit secrets or `.env` files
Commit messages say why, not what
Keep commits small
Do not squash commits that stand alone
Squash fixup commits before merging
Use `async` functions for input and output
Do not use `async` functions for pure computation
Never block the event loop
Retry requests that failed with a timeout
Do not retry requests that are not idempotent
Cache responses that are immutable
Never cache responses with cookies
Escape HTML before it is rendered
Do not escape HTML twice
Use feature flags for risky changes
Remove feature flags once they are on everywhere
Do not add feature flags for refactorings
Bump the version in the release commit only
Don't bump dependencies and the version together
Dependencies are pinned in the lock file
";

#[test]
fn a_consistent_set_of_rules_raises_no_alarm() {
    let rules: Vec<&str> = BANK.lines().collect();
    assert!(rules.len() >= 60);
    let parsed: Vec<ParsedText> = rules.iter().map(|rule| ParsedText::parse(rule)).collect();
    let mut alarms = Vec::new();
    for (a, b) in (0..rules.len()).flat_map(|a| (a..rules.len()).map(move |b| (a, b))) {
        if parsed[a].contradicts(&parsed[b]) {
            alarms.push(format!("{} | {}", rules[a], rules[b]));
        }
    }
    assert_eq!(alarms, Vec::<String>::new());
}

/// Rules of the project with plausible contradictions.
const REVERSED: &[(&str, &str)] = &[
    (
        "Close every database session in a finally block",
        "Never close a database session in a finally block",
    ),
    ("Never log passwords, tokens or session ids", "Log passwords"),
    ("Log every request with its id", "Do not log the request with its id"),
    ("Validate input at the edge of the system", "Don't validate input at the edge of the system"),
    ("Prefer composition over inheritance", "Prefer inheritance over composition"),
    ("Prefer small functions over comments", "Avoid small functions"),
    ("Use f-strings, not `format`", "Use `format`, not f-strings"),
    (
        "Raise exceptions instead of returning error codes",
        "Return error codes, do not raise exceptions",
    ),
    ("Catch specific exceptions", "Do not catch specific exceptions"),
    ("Mock the network in unit tests", "Never mock the network in unit tests"),
    ("Use fakes rather than mocks for the clock", "Use mocks for the clock"),
    ("Keep handlers thin", "Don't keep handlers thin"),
    ("Use British spelling in documentation", "Avoid British spelling in documentation"),
    ("Do not edit generated files by hand", "Edit generated files by hand"),
    ("Never block the event loop", "Block the event loop"),
    ("Escape HTML before it is rendered", "Never escape HTML before it is rendered"),
    ("Keep commits small", "Prefer large commits"),
    ("Use feature flags for risky changes", "No feature flags for risky changes"),
    ("Do not squash commits that stand alone", "Always squash commits"),
    ("Commit messages say why, not what", "Commit messages say what, not why"),
];

#[test]
fn most_contradictions_of_its_rules_are_found() {
    let is_found =
        |pair: &&(&str, &str)| ParsedText::parse(pair.0).contradicts(&ParsedText::parse(pair.1));
    let n_found = REVERSED.iter().filter(is_found).count();
    let missed: Vec<_> = REVERSED.iter().filter(|pair| !is_found(pair)).collect();
    assert!(n_found >= 15, "{n_found} of {}: {missed:#?}", REVERSED.len());
}

proptest::proptest! {
    #[test]
    fn a_text_of_one_clause_does_not_contradict_itself(word in "[a-z]{2,10}( [a-z]{2,10}){0,5}") {
        let parsed = ParsedText::parse(&word);
        proptest::prop_assert!(!parsed.contradicts(&parsed) || parsed.statements.len() > 1);
    }

    #[test]
    fn contradiction_is_symmetric_for_any_text(a in "\\PC{0,80}", b in "(never|not|use|don't|,|\\.|over|instead of| |tabs){0,20}") {
        let (a, b) = (ParsedText::parse(&a), ParsedText::parse(&b));
        proptest::prop_assert_eq!(a.contradicts(&b), b.contradicts(&a));
    }
}
