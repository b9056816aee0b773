//! Rules with their code blocks, and the patterns that are derived from them.

use super::*;
use crate::markdown::code_examples::code_examples;

/// Derives the pattern of a rule with its code blocks, and compares its rules in YAML.
#[track_caller]
fn check(rule: &str, languages: &[Language], expected: &str) {
    let (text, _) = rule.split_once("\n```").unwrap_or((rule, ""));
    let samples = samples(&code_examples(rule), languages);
    let source = Source { text, heading: "", samples: &samples, languages };
    let found = match derive(&source) {
        Ok(derived) => {
            let read = parse(&render(&derived.patterns)).expect("valid patterns");
            assert_eq!(read, derived.patterns);
            format!("{}: {}", derived.origin, derived.names.join(" "))
        }
        Err(why) => why.to_owned(),
    };
    assert_eq!(found, expected, "{rule}");
}

const NOTHING: &str = "neither its text nor its examples say what code must not have";
const TEXT: &str = "the text of the rule";
const EXAMPLES: &str = "its examples and counter-examples";

#[test]
fn patterns_come_from_the_text() {
    check("Never use `console.log`.", &[Language::TypeScript], &format!("{TEXT}: console.log"));
    check("Use `logger` instead of `print()`.", &[Language::Python], &format!("{TEXT}: print()"));
    check(
        "Do not use `.unwrap()`; return the error.",
        &[Language::Rust],
        &format!("{TEXT}: .unwrap()"),
    );
    check(
        "Always pass `timeout` to `requests.get`.",
        &[Language::Python],
        &format!("{TEXT}: requests.get"),
    );
    check("Keep functions short.", &[Language::Python], NOTHING);
    check("Never use `make test`.", &[Language::Python], NOTHING);
}

#[test]
fn patterns_come_from_examples_and_counter_examples() {
    check(
        "Logging, not console.log\n```ts\n// ❌ Bad\nconsole.log('a', b)\n// ✅ Good\nlogger.info('a', b)\n```",
        &[],
        &format!("{EXAMPLES}: console.log()"),
    );
    check(
        "Errors\n```py\n# Bad\ntry:\n    f()\nexcept:\n    pass\n# Good\ntry:\n    f()\nexcept ValueError:\n    pass\n```",
        &[],
        &format!("{EXAMPLES}: except:"),
    );
    // The text refuses none of the differences.
    check("Logging\n```ts\n// Bad\nconsole.log(a)\n// Good\nlog(a)\n```", &[], NOTHING);
    check("Style\n```py\n# Bad\nalpha(beta())\n# Good\ngamma()\n```", &[], NOTHING);
    // The text mentions one of them.
    check(
        "Never call `alpha`\n```py\n# Bad\nalpha(beta())\n# Good\ngamma()\n```",
        &[],
        &format!("{TEXT}: alpha"),
    );
}

#[test]
fn a_pattern_that_contradicts_its_examples_is_refused() {
    check(
        "Never use `alpha()`.\n```py\n# Good\nalpha()\n```",
        &[],
        "what its text forbids is in its examples",
    );
    check(
        "Never use `alpha()`.\n```py\n# Bad\nbeta()\n# Good\ngamma()\n```",
        &[],
        "what its text forbids is not in its counter-examples",
    );
}

#[test]
fn hits_respect_languages_and_files() {
    let patterns =
        parse("language: Python\nrule:\n  pattern: print($$$)\nignores: ['**/tests/**']\n")
            .expect("valid");
    let checker = Checker::new([(7, &patterns[..])].into_iter());
    let lines = |path: &str| -> Vec<(usize, usize)> {
        checker.hits(path, "a\nprint(1)\n").iter().map(|(rule, hit)| (*rule, hit.lines.0)).collect()
    };
    assert_eq!(lines("src/a.py"), [(7, 1)]);
    assert_eq!(lines("src/a.js"), []);
    assert_eq!(lines("src/tests/a.py"), []);
}

#[test]
fn wrong_patterns_have_an_error() {
    for (text, expected) in [
        ("", "it is empty"),
        (
            "language: Cobol\nrule: {kind: call}",
            "unknown language `Cobol`: expected one of Python, Go, JavaScript, TypeScript, Tsx, Rust, Java",
        ),
        ("language: Python\nrule: {kind: calls}", "`rule.kind`: python has no node kind `calls`"),
    ] {
        assert_eq!(parse(text).expect_err("wrong"), expected, "{text}");
    }
    assert!(parse("language: Python\nrules: {kind: call}").is_err());
}
