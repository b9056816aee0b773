//! Patterns of code on small pieces of each language.

use cerberus_engine::syntax::language;
use cerberus_model::Language;

use super::*;

/// Reads a pattern in JSON, which as TOML has `=` after its keys.
fn pattern(json: &str) -> CodePattern {
    let toml = format!("it = {}", json.replace("\":", "\" ="));
    let mut read: BTreeMap<String, CodePattern> = toml::from_str(&toml).expect("a pattern");
    read.remove("it").expect("a pattern")
}

/// Compares the matched lines, or the error of the pattern.
#[track_caller]
fn check(language: Language, rule: &str, code: &str, expected: &[&str]) {
    let pattern = pattern(&format!(r#"{{"language": "{language}", "rule": {rule}}}"#));
    let compiled = compile(&pattern, language).expect("a valid pattern");
    let file = MatchedFile::parse(language, code).expect("it parses");
    let found: Vec<&str> = file
        .matches(&compiled)
        .0
        .iter()
        .map(|it| it.span.slice(code))
        .collect();
    assert_eq!(found, expected, "{rule} in {code}");
}

#[track_caller]
fn check_error(rule: &str, expected: &str) {
    let pattern = pattern(&format!(r#"{{"language": "python", "rule": {rule}}}"#));
    assert_eq!(
        compile(&pattern, Language::Python).err().as_deref(),
        Some(expected),
        "{rule}"
    );
}

#[test]
fn code_matches_with_variables() {
    use Language::{Go, JavaScript, Python, Rust, Tsx};
    check(
        JavaScript,
        r#"{"pattern": "console.log($A)"}"#,
        "console.log(1); console.log(1, 2)",
        &["console.log(1)"],
    );
    check(
        JavaScript,
        r#"{"pattern": "console.log($$$)"}"#,
        "console.log(); console.log(1, 2)",
        &["console.log()", "console.log(1, 2)"],
    );
    check(
        JavaScript,
        r#"{"pattern": "$A === $A"}"#,
        "a === a; a === b; f(1) === f(1)",
        &["a === a", "f(1) === f(1)"],
    );
    check(
        Python,
        r#"{"pattern": "print($$$)"}"#,
        "print('a', end='')\npprint(1)",
        &["print('a', end='')"],
    );
    check(
        Python,
        r#"{"pattern": "f($A, $$$REST)"}"#,
        "f()\nf(1)\nf(1, 2)",
        &["f(1, 2)"],
    );
    check(
        Rust,
        r#"{"pattern": "$X.unwrap()"}"#,
        "fn f() { a.b.unwrap(); c.unwrap_or(1); }",
        &["a.b.unwrap()"],
    );
    check(
        Go,
        r#"{"pattern": "$A = append($A, $B)"}"#,
        "func f() { a = append(a, b) }",
        &["a = append(a, b)"],
    );
    let text = "func f() {\n\tfmt.Println(\"x\", y)\n\tfmt.Println()\n\tfmt.Printf(z)\n\treturn http.DefaultClient\n}\n";
    for (pattern, expected) in [
        (
            "fmt.Println($$$)",
            &["fmt.Println(\"x\", y)", "fmt.Println()"][..],
        ),
        ("fmt.Printf($A)", &["fmt.Printf(z)"]),
        ("http.DefaultClient", &["http.DefaultClient"]),
        ("func $F() { $$$ }", &[text.trim_end()]),
    ] {
        check(
            Go,
            &format!("{{\"pattern\": \"{pattern}\"}}"),
            text,
            expected,
        );
    }
    check(
        Tsx,
        r#"{"pattern": "<$T onClick={$$$} />"}"#,
        "const a = <b onClick={c} />",
        &["<b onClick={c} />"],
    );
    check(
        JavaScript,
        r#"{"pattern": "f(a, $$$, c)"}"#,
        "f(a, c); f(a, b, c); f(a, b, c, d)",
        &["f(a, c)", "f(a, b, c)"],
    );
    check(
        JavaScript,
        r#"{"pattern": "a = 1"}"#,
        "a = /* one */ 1; a = 2",
        &["a = /* one */ 1"],
    );
}

#[test]
fn kinds_and_texts_match() {
    use Language::{Python, TypeScript};
    check(
        TypeScript,
        r#"{"kind": "predefined_type", "regex": "^any$"}"#,
        "let a: any; let b: string",
        &["any"],
    );
    check(
        Python,
        r#"{"kind": "except_clause", "regex": "^except\\s*:"}"#,
        "try:\n    a\nexcept:\n    b\n",
        &["except:\n    b"],
    );
}

#[test]
fn relations_match() {
    use Language::{JavaScript, Python};
    check(
        JavaScript,
        r#"{"kind": "call_expression", "has": {"field": "function", "regex": "^f$"}}"#,
        "f(g()); g(f)",
        &["f(g())"],
    );
    check(
        JavaScript,
        r#"{"pattern": "await $A", "inside": {"kind": "for_in_statement", "stopBy": "end"}}"#,
        "for (const a of b) { if (a) { await a } }\nawait c",
        &["await a"],
    );
    check(
        JavaScript,
        r#"{"pattern": "await $A", "inside": {"kind": "for_in_statement"}}"#,
        "for (const a of b) { if (a) { await a } }",
        &[],
    );
    check(
        Python,
        r#"{"pattern": "get($$$)", "not": {"has": {"kind": "keyword_argument", "has": {"field": "name", "regex": "^timeout$"}, "stopBy": "end"}}}"#,
        "get(a)\nget(a, timeout=1)",
        &["get(a)"],
    );
    check(
        Python,
        r#"{"any": [{"pattern": "a"}, {"pattern": "b"}]}"#,
        "a + b + c",
        &["a", "b"],
    );
    check(
        Python,
        r#"{"all": [{"kind": "identifier"}, {"not": {"regex": "^a$"}}]}"#,
        "a + b",
        &["b"],
    );
}

#[test]
fn constraints_test_variables() {
    let pattern = pattern(
        r#"{"language": "python", "rule": {"pattern": "$F($$$)"}, "constraints": {"F": {"regex": "^p"}}}"#,
    );
    let compiled = compile(&pattern, Language::Python).expect("a valid pattern");
    let code = "print(1)\nlog(1)";
    let file = MatchedFile::parse(Language::Python, code).expect("it parses");
    let found: Vec<&str> = file
        .matches(&compiled)
        .0
        .iter()
        .map(|it| it.span.slice(code))
        .collect();
    assert_eq!(found, ["print(1)"]);
}

/// Returns whether Python code was searched completely, and the number of matches.
#[track_caller]
fn search(rule: &str, code: &str) -> (bool, usize) {
    let pattern = pattern(&format!(r#"{{"language": "python", "rule": {rule}}}"#));
    let compiled = compile(&pattern, Language::Python).expect("a valid pattern");
    let file = MatchedFile::parse(Language::Python, code).expect("it parses");
    let (matches, is_complete) = file.matches(&compiled);
    (is_complete, matches.len())
}

#[test]
fn a_nested_pattern_is_compared_once_per_level() {
    // Comparing the rest twice at each level takes 2^30 steps.
    let nested = |call: &str| (0..30).fold("x".to_owned(), |inner, _| call.replace("_", &inner));
    let code = nested("f(_)");
    for call in ["f($$$, _)", "f($$$A, _)"] {
        let rule = format!(r#"{{"pattern": "{}"}}"#, nested(call));
        assert_eq!(search(&rule, &code), (true, 1), "{call}");
    }
}

#[test]
fn a_repeated_list_has_one_value() {
    use Language::JavaScript;
    let code = "f(a, g(a)); f(a, g(b)); f(a, g(b), g(a))";
    check(
        JavaScript,
        r#"{"pattern": "f($$$A, g($$$A))"}"#,
        code,
        &["f(a, g(a))"],
    );
    check(
        JavaScript,
        r#"{"pattern": "f($$$, h($$$A, g($$$A)))"}"#,
        "f(1, h(2, g(2)))",
        &["f(1, h(2, g(2)))"],
    );
}

#[test]
fn an_ancestor_is_tested_once() {
    let code = "q = 1\n".repeat(20_000);
    let rule = r#"{"kind": "identifier", "inside": {"regex": "q.*z", "stopBy": "end"}}"#;
    assert_eq!(search(rule, &code), (true, 0));
    // A test with a variable depends on the node.
    check(
        Language::Python,
        r#"{"pattern": "$A = 1", "inside": {"has": {"pattern": "$A()", "stopBy": "end"}, "stopBy": "end"}}"#,
        "if x:\n    a = 1\n    b = 1\n    b()\n",
        &["b = 1"],
    );
}

#[test]
fn a_search_without_steps_is_incomplete() {
    let code = format!(
        "{}{}{}\nz = f('hit')\n",
        "f(".repeat(24),
        "1,".repeat(250_000),
        ")".repeat(24)
    );
    let inner = r#"{"kind": "string", "stopBy": "end"}"#;
    let rule = format!(r#"{{"kind": "call", "has": {inner}}}"#);
    assert_eq!(search(&rule, &code), (false, 0));
    // A test that was not finished is no reason for a hit.
    let rule = format!(r#"{{"kind": "call", "not": {{"has": {inner}}}}}"#);
    let (is_complete, n_matches) = search(&rule, &code);
    assert!(!is_complete && n_matches < 24, "{n_matches}");
}

#[test]
fn the_length_of_a_text_counts() {
    let code = format!("{}1{}", "f(".repeat(60), ")".repeat(60));
    assert_eq!(search(r#"{"regex": "zz$"}"#, &code), (true, 0));
    // Each of 60 calls contains the text.
    let code = code.replace('1', &format!("'{}'", "a".repeat(400_000)));
    assert!(!search(r#"{"regex": "zz$"}"#, &code).0);
}

#[test]
fn a_wrong_rule_has_an_error() {
    check_error("{}", "`rule` has no test, as `pattern: …`");
    check_error(
        r#"{"kind": "call_expression"}"#,
        "`rule.kind`: python has no node kind `call_expression`",
    );
    check_error(
        r#"{"pattern": "a b c ("}"#,
        "`rule.pattern`: `a b c (` is not python code",
    );
    check_error(
        r#"{"pattern": "$$$"}"#,
        "`rule.pattern`: `$$$` alone is not a node",
    );
    check_error(
        r#"{"has": {"field": "callee", "kind": "call"}}"#,
        "`rule.has.field`: python has no field `callee`",
    );
    check_error(
        r#"{"kind": "call", "stopBy": "end"}"#,
        "`rule`: `stopBy` and `field` belong in `inside` and `has`",
    );
    check_error(
        r#"{"not": {"kind": "call"}}"#,
        "`rule` needs a `pattern`, a `kind` or another test besides `not`",
    );
    check_error(r#"{"regex": "("}"#, "`rule.regex`: unclosed group");
}

#[test]
fn code_of_the_languages_that_are_features_matches() {
    use Language::{C, CSharp, Cpp, Kotlin, Php, Ruby, Scala, Shell, Swift};
    for (language, pattern, code, expected) in [
        (
            CSharp,
            "Console.WriteLine($A)",
            "class A { void B() { Console.WriteLine(c); } }",
            "Console.WriteLine(c)",
        ),
        (
            CSharp,
            "$A.Result",
            "class A { void B() { var d = c.Result; } }",
            "c.Result",
        ),
        (
            C,
            "strcpy($A, $B)",
            "void f(void) { strcpy(a, b); strncpy(a, b, 1); }",
            "strcpy(a, b)",
        ),
        (
            Cpp,
            "new $T($$$)",
            "void f() { auto a = new B(1, 2); }",
            "new B(1, 2)",
        ),
        (Php, "dd($A)", "<?php\ndd($b); dump($b);", "dd($b)"),
        (
            Kotlin,
            "println($A)",
            "fun f() { println(a) }",
            "println(a)",
        ),
        (Ruby, "puts($A)", "def f\n  puts(a)\nend\n", "puts(a)"),
        (Swift, "print($A)", "func f() { print(a) }", "print(a)"),
        (
            Scala,
            "println($A)",
            "object A { def f = println(b) }",
            "println(b)",
        ),
        (Shell, "eval $A", "f() {\n  eval \"$b\"\n}\n", "eval \"$b\""),
    ] {
        if language::is_built(language) {
            check(
                language,
                &format!(r#"{{"pattern": "{pattern}"}}"#),
                code,
                &[expected],
            );
        }
    }
}
