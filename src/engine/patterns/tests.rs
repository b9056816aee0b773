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
fn syntax_of_a_counter_example_is_not_what_a_text_refuses() {
    let code = "```ts\n// Bad\nconst a: Map<string, any> = service.get()\n// Good\nstart()\n```";
    check(&format!("Types\n{code}"), &[], &format!("{EXAMPLES}: any"));
    check(&format!("Avoid `Container.get()` to find things\n{code}"), &[], NOTHING);
}

#[test]
fn a_refusal_in_some_places_is_not_one_everywhere() {
    let code = "```ts\n// Bad\nf(alpha(1))\n// Good\nf(1)\n```";
    check(&format!("Numbers, no alpha\n{code}"), &[], &format!("{EXAMPLES}: alpha()"));
    check(&format!("Numbers, no `alpha()` in type expressions\n{code}"), &[], NOTHING);
}

#[test]
fn a_heading_may_name_the_folder_of_a_rule() {
    let source = Source {
        text: "Never use `any`.",
        heading: "The SDK (sdk/)",
        languages: &[Language::TypeScript],
        ..Source::default()
    };
    let derived = derive(&source).expect("a pattern");
    assert_eq!(derived.patterns[0].files, ["**/sdk/**"]);
}

#[test]
fn a_pattern_is_for_the_languages_that_the_rule_names() {
    let languages = |text: &str, heading: &str| -> Vec<String> {
        let all = [Language::Go, Language::TypeScript];
        let source = Source { text, heading, samples: &[], languages: &all };
        let derived = derive(&source).expect("a pattern");
        derived.patterns.into_iter().map(|pattern| pattern.language).collect()
    };
    assert_eq!(languages("Never use `any`.", ""), ["TypeScript, Tsx"]);
    assert_eq!(languages("Do not add TypeScript `any`.", ""), ["TypeScript, Tsx"]);
    assert_eq!(languages("Never use `any`.", "Style › Go"), ["Go"]);
    // Languages that the project lacks say nothing.
    assert_eq!(languages("Never use `any`.", "Rust"), ["TypeScript, Tsx"]);
}

#[test]
fn a_bare_comment_switches_off_all_checks() {
    let text =
        "Type ignores are specific: `# type: ignore[attr-defined]`, never bare `# type: ignore`.";
    let source = Source { text, languages: &[Language::Python], ..Source::default() };
    let derived = derive(&source).expect("a pattern");
    let checker = Checker::new([(0, &derived.patterns[..])].into_iter());
    let n_hits = |code: &str| checker.hits("src/a.py", code).len();
    assert_eq!(n_hits("import a  # type: ignore\n"), 1);
    assert_eq!(n_hits("import a  # type: ignore  # why\n"), 1);
    assert_eq!(n_hits("import a  # type: ignore[import]\n"), 0);
}

/// Counts the hits of the pattern of a rule in code.
fn n_hits(text: &str, language: Language, path: &str, code: &str) -> usize {
    let languages = [language];
    let source = Source { text, languages: &languages, ..Source::default() };
    let derived = derive(&source).expect("a pattern");
    Checker::new([(0, &derived.patterns[..])].into_iter()).hits(path, code).len()
}

#[test]
fn tests_in_the_file_of_their_code_are_ignored() {
    let code = "fn f() { a.unwrap(); }\n#[cfg(test)]\nmod tests {\n    fn g() { a.unwrap(); }\n}\n";
    let text = "Never use `.unwrap()`.";
    assert_eq!(n_hits(text, Language::Rust, "src/a.rs", code), 1);
    assert_eq!(n_hits(text, Language::Rust, "src/a/tests.rs", "fn f() { a.unwrap(); }"), 0);
    assert_eq!(n_hits(text, Language::Rust, "build.rs", "fn f() { a.unwrap(); }"), 0);
    let code = "mod race {\n    #[tokio::test]\n    async fn g() { a.unwrap(); }\n}\n#[test]\nfn test_f() { a.unwrap(); }\n";
    assert_eq!(n_hits(text, Language::Rust, "src/a.rs", code), 0);
}

#[test]
fn a_variable_with_the_name_of_a_function_is_none() {
    let text = "Do not use `forwardRef`.";
    let n_hits = |code: &str| n_hits(text, Language::TypeScript, "src/a.ts", code);
    assert_eq!(n_hits("import {forwardRef} from 'react'"), 1);
    assert_eq!(n_hits("const A = forwardRef(f)"), 1);
    assert_eq!(n_hits("const {ref: forwardRef} = props; use(forwardRef)"), 0);
}

#[test]
fn programs_may_print() {
    let n_hits = |path: &str| {
        n_hits(
            "Never use `fmt.Printf`.",
            Language::Go,
            path,
            "package a\nfunc f() { fmt.Printf(x) }\n",
        )
    };
    assert_eq!(n_hits("server/a.go"), 1);
    assert_eq!(n_hits("cmd/a/main.go"), 0);
}

#[test]
fn generated_files_are_ignored() {
    let source = Source {
        text: "Never use `any`.",
        languages: &[Language::TypeScript],
        ..Source::default()
    };
    let derived = derive(&source).expect("a pattern");
    let checker = Checker::new([(0, &derived.patterns[..])].into_iter());
    let n_hits = |path: &str| checker.hits(path, "let a: any\n").len();
    assert_eq!(n_hits("src/a.ts"), 1);
    for path in ["vendor/a/b.ts", "src/a.d.ts", "src/generated/a.ts", "src/a.gen.ts"] {
        assert_eq!(n_hits(path), 0, "{path}");
    }
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
