//! Tests of reading patterns and of their hits.

use super::*;

#[test]
fn hits_respect_languages_and_files() {
    let patterns =
        parse("language: Python\nrule:\n  pattern: print($$$)\nignores: ['**/tests/**']\n")
            .expect("valid");
    let checker = Checker::new([(7, &patterns[..])].into_iter());
    let lines = |path: &str| -> Vec<(usize, usize)> {
        let found = checker.hits(path, "a\nprint(1)\n");
        assert!(found.unchecked.is_empty());
        found
            .hits
            .iter()
            .map(|(rule, hit)| (*rule, hit.lines.0))
            .collect()
    };
    assert_eq!(lines("src/a.py"), [(7, 1)]);
    assert_eq!(lines("src/a.js"), []);
    assert_eq!(lines("src/tests/a.py"), []);
}

#[test]
fn what_is_not_searched_is_reported() {
    let text = "language: Python\nrule:\n  kind: call\n  has: {kind: string, stopBy: end}\n";
    let patterns = parse(text).expect("valid");
    let checker = Checker::new([(7, &patterns[..])].into_iter());
    let check = |code: &str, expected: &str| {
        let unchecked = checker.hits("a.py", code).unchecked;
        assert!(
            matches!(unchecked[..], [(7, why)] if why.contains(expected)),
            "{unchecked:?}"
        );
    };
    check(
        &format!("y = {}{}\n", "(".repeat(3000), ")".repeat(3000)),
        "nested too deeply",
    );
    let heavy = format!(
        "y = {}{}1{}\n",
        "f(".repeat(24),
        "1,".repeat(250_000),
        ")".repeat(24)
    );
    check(&heavy, "too many steps");
}

#[test]
fn a_rendered_pattern_is_read_again() {
    let text = "language: TypeScript, Tsx\nrule:\n  kind: call_expression\n  has:\n    regex: ^print$\n    field: function\nfiles:\n- \"**/sdk/**\"\n";
    let patterns = parse(text).expect("valid");
    assert_eq!(render(&patterns), text);
}

#[test]
fn wrong_patterns_have_an_error() {
    for (text, expected) in [
        ("", "it is empty"),
        (
            "language: Cobol\nrule: {kind: call}",
            "unknown language `Cobol`: expected one of Python, Go, JavaScript, TypeScript, Tsx, Rust, Java, Vue, Svelte, Astro, CSharp, C, Cpp, Php, Kotlin, Ruby, Swift, Scala, Bash",
        ),
        (
            "language: Python\nrule: {kind: calls}",
            "`rule.kind`: python has no node kind `calls`",
        ),
    ] {
        assert_eq!(parse(text).expect_err("wrong"), expected, "{text}");
    }
    assert!(parse("language: Python\nrules: {kind: call}").is_err());
}

#[test]
fn a_statement_of_a_sample_is_parsed_as_in_a_function() {
    let patterns = parse("language: Go\nrule:\n  pattern: fmt.Println($$$)\n").expect("valid");
    let sample = |label, code: &str| Sample {
        label,
        language: Language::Go,
        code: code.into(),
    };
    let samples = [
        sample(Label::Bad, "fmt.Println(\"x\") // A.\n"),
        sample(Label::Bad, "package a\n\nfunc f() { fmt.Println(x, y) }\n"),
        sample(Label::Good, "log.Println(x)"),
    ];
    let report = test(&patterns, &samples);
    assert_eq!(
        (report.n_bad, report.misses, report.false_hits),
        (2, vec![], vec![])
    );
}
