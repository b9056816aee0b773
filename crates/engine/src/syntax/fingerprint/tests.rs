//! Tests of the fingerprints of code in each language.

use cerberus_model::Language;

use super::*;

fn fingerprint(language: Language, text: &str, name: &str) -> Fingerprint {
    let parsed = ParsedFile::parse(language, text);
    let symbol_idx = parsed.symbols.iter().position(|symbol| symbol.name == name);
    FileFeatures::new(text, &parsed).fingerprint(symbol_idx.expect("the symbol exists"))
}

fn assert_same_code(language: Language, a: &str, b: &str) {
    assert_eq!(
        fingerprint(language, a, "f").name_independent_hash,
        fingerprint(language, b, "f").name_independent_hash,
        "{a}\n{b}"
    );
}

#[test]
fn formatting_and_comments_do_not_change_the_hash() {
    use Language::{Go, JavaScript, Python, Rust, TypeScript};
    for (language, a, b) in [
        (
            Python,
            "def f(a,b): return g(a, 'x')\n",
            "def f(a, b):\n    # why\n    return g(\n        a,\n        \"x\",\n    )\n",
        ),
        (
            Python,
            "def f():\n    \"\"\"Old words.\"\"\"\n    return 1\n",
            "def f():\n    '''New.'''\n    return (1)\n",
        ),
        (
            Python,
            "def f():\n    return a + \\\n        b\n",
            "def f():\n    return (\n        a\n        + b\n    )\n",
        ),
        (
            Python,
            "def f(): return 0XFF, u'a'\n",
            "def f():\n\n    return 0xff, \"a\"\n",
        ),
        (
            Python,
            "def f(): return br'a'\n",
            "def f(): return Rb\"a\"\n",
        ),
        (
            Python,
            "def f(): return f'{a!r} b'\n",
            "def f():\n    return f\"{a!r} b\"\n",
        ),
        (
            Python,
            "def f():\n  for (a, b) in c: return a, b\n",
            "def f():\n  for a, b in c:\n    return (\n      a,\n      b,\n    )\n",
        ),
        (
            Python,
            "def f():\n    class A(): pass\n",
            "def f():\n    class A:\n        pass\n",
        ),
        (
            TypeScript,
            "function f() { return 'it\\'s' }",
            "function f() {\n  return \"it's\";\n}",
        ),
        (
            JavaScript,
            "const f = x => g(x)",
            "const f = (x) => g(x);\n",
        ),
        (
            TypeScript,
            "const f = x => (g(x))",
            "const f = (x) => g(x);\n",
        ),
        (
            Go,
            "package p\nfunc f() { g(1, 2) }",
            "package p\n\nfunc f() {\n\tg(\n\t\t1, // one\n\t\t2,\n\t)\n}",
        ),
        (
            Rust,
            "fn f() { match a { B => { 1 } C => { d(); 2 }, _ => return } }",
            "fn f() {\n    match a {\n        B => 1,\n        C => {\n            d();\n            2\n        }\n        _ => return,\n    }\n}",
        ),
        (
            Rust,
            "fn f() { if a { return } g(|x| { h(x) }) }",
            "fn f() {\n    if a {\n        return;\n    }\n    g(|x| h(x))\n}",
        ),
    ] {
        assert_same_code(language, a, b);
    }
}

#[test]
fn changed_code_changes_the_hash() {
    let python = |text| fingerprint(Language::Python, text, "f").name_independent_hash;
    assert_ne!(python("def f(): return 1"), python("def f(): return 2"));
    assert_ne!(
        python("def f(): return g('')"),
        python("def f(): return g()")
    );
    assert_ne!(
        python("def f(): return (a + b) * c"),
        python("def f(): return a + b * c")
    );
    assert_ne!(
        python("def f(): return b'x'"),
        python("def f(): return 'x'")
    );
    assert_ne!(
        python("def f(): return g((a, b))"),
        python("def f(): return g(a, b)")
    );
    assert_ne!(python("def f(): return (a,)"), python("def f(): return a"));
    assert_ne!(python("def f(): return A"), python("def f(): return a"));
    let web = |text: &str| {
        fingerprint(Language::Tsx, &format!("function f() {{ {text} }}"), "f").name_independent_hash
    };
    for (a, b) in [
        ("return (a + b) * c", "return a + b * c"),
        ("return a - (b - c)", "return a - b - c"),
        ("return a && (b || c)", "return a && b || c"),
        ("return (a ? b : c) ? d : e", "return a ? b : c ? d : e"),
        ("return (a ?? b) || c", "return a ?? b || c"),
        ("return -(a ** b)", "return -a ** b"),
        ("return (await a).b", "return await a.b"),
        ("return (() => a)()", "return () => a()"),
        ("let a: { b: 1 } | c", "let a: { b: 1 } & c"),
        ("return { 'a-b': 1 }", "return { 'a': 1 }"),
        ("return <p>a</p>", "return <p>b</p>"),
        ("return <p>{a} b</p>", "return <p>{a}{b}</p>"),
    ] {
        assert_ne!(web(a), web(b), "{a}\n{b}");
    }
    let rust = |text| fingerprint(Language::Rust, text, "f").name_independent_hash;
    assert_ne!(rust("fn f() { a(); }"), rust("fn f() { a() }"));
    assert_ne!(rust("fn f() { (a + b) * c }"), rust("fn f() { a + b * c }"));
}

#[test]
fn a_rename_does_not_change_the_hash() {
    let old = fingerprint(
        Language::Python,
        "def walk(n):\n    return walk(n - 1)\n",
        "walk",
    );
    let new = fingerprint(
        Language::Python,
        "def stroll(n):\n    return stroll(n - 1)\n",
        "stroll",
    );
    assert_eq!(old.name_independent_hash, new.name_independent_hash);
    assert_eq!(old.signature, new.signature);
}

#[test]
fn neighbours_are_in_the_same_container() {
    let text = "class A:\n    def a(self): pass\n    def b(self): pass\ndef c(): pass\n";
    let contains = |name, other| {
        minhash::bloom_contains(
            &fingerprint(Language::Python, text, name).beside,
            name_hash(other),
        )
    };
    assert!(contains("A.a", "b") && !contains("A.a", "a") && !contains("A.a", "c"));
    assert!(contains("A", "c") && !contains("c", "a"));
}

proptest::proptest! {
    #[test]
    fn the_nearest_names_on_both_sides_are_neighbours(names in proptest::collection::vec("[ab]\\.[c-f]", 1..12)) {
        for symbol_idx in 0..names.len() {
            let split = |idx: usize| split_name(&names[idx]);
            let (container, own) = split(symbol_idx);
            let is_member = |idx: &usize| split(*idx).0 == container;
            let members: Vec<usize> = (0..names.len()).filter(is_member).collect();
            let found = neighbours(&members, |idx| &names[idx], symbol_idx);
            let is_other = |idx: &usize| is_member(idx) && split(*idx).1 != own;
            let hash = |idx: Option<usize>| idx.map_or(NO_NEIGHBOUR, |idx| short_hash(name_hash(split(idx).1)));
            let (before, after) = ((0..symbol_idx).rev().find(is_other), (symbol_idx..names.len()).find(is_other));
            proptest::prop_assert_eq!(found.0, [hash(before), hash(after)]);
        }
    }

    #[test]
    fn the_names_of_a_symbol_are_in_the_words_of_its_file(name in "[a-z_]{1,8}", other in "[a-zé$_][a-z0-9_]{0,8}") {
        let text = format!("function {name}() {{ return {other}(1.5, '{name}') }}");
        let parsed = ParsedFile::parse(Language::JavaScript, &text);
        let all = word_hashes(&text);
        for symbol_idx in 0..parsed.symbols.len() {
            for hash in FileFeatures::new(&text, &parsed).symbol(symbol_idx).names {
                proptest::prop_assert!(all.binary_search(&hash).is_ok(), "{text}");
            }
        }
    }
}
