//! Excerpts of code in each language, and properties of all excerpts.

use proptest::prelude::*;

use super::*;

const LONG: &str = "\
def handle(request):
    \"\"\"Answers.\"\"\"
    user = find(request)
    if user is None:
        log(request)
        raise Unknown(
            request,
        )
    for item in user.items:
        price(item)

    total = add(user)
    return total
";

fn of(language: Option<Language>, text: &str) -> Source<'_> {
    Source { language, text }
}

/// Returns the words of a list that a line has; each weighs 1.
fn words(line: &str, wanted: &[&str]) -> Evidence {
    let found = wanted
        .iter()
        .enumerate()
        .filter(|(_, word)| line.contains(**word));
    found.map(|(idx, _)| (idx, 1.0)).collect()
}

fn shown(
    language: Language,
    text: &str,
    lines: Lines,
    max_lines: usize,
    wanted: &[&str],
) -> String {
    excerpt(of(Some(language), text), lines, max_lines, |line| {
        words(line, wanted)
    })
    .text
}

#[track_caller]
fn check(language: Language, text: &str, max_lines: usize, wanted: &[&str], expected: &str) {
    let last = text.lines().count() - 1;
    assert_eq!(
        shown(language, text, (0, last), max_lines, wanted),
        expected.trim_end()
    );
}

/// Returns a text of lines with a letter and a number.
fn numbered(prefix: &str, n: usize) -> String {
    (0..n).map(|n| format!("{prefix}a{n} = {n}\n")).collect()
}

#[test]
fn short_code_is_not_changed() {
    check(Language::Python, LONG, 13, &["nothing"], LONG);
    let text = excerpt(of(None, "a\nb\n"), (0, 1), 2, |_| Vec::new());
    assert_eq!(
        text,
        Excerpt {
            text: "a\nb".to_owned(),
            lines: vec![(0, 1)]
        }
    );
}

#[test]
fn the_signature_and_the_evidence_are_shown() {
    check(
        Language::Python,
        LONG,
        6,
        &["price"],
        "def handle(request):\n    # … 7 lines\n    for item in user.items:\n        price(item)\n    # … 3 lines",
    );
    check(
        Language::Python,
        LONG,
        9,
        &["Unknown", "total"],
        "def handle(request):\n    # … 2 lines\n    if user is None:\n        log(request)\n        raise Unknown(\n            request,\n        )\n    # … 4 lines\n    return total",
    );
}

#[test]
fn without_evidence_the_first_lines_of_code_are_shown() {
    check(
        Language::Python,
        LONG,
        5,
        &["nothing"],
        "def handle(request):\n    \"\"\"Answers.\"\"\"\n    user = find(request)\n    # … 10 lines",
    );
    check(
        Language::Go,
        "x := `\na\nb\nc\n",
        2,
        &[],
        "x := `\n// … 3 lines",
    );
    let text = excerpt(of(None, "a\nb\nc\nd\n"), (0, 3), 3, |_| Vec::new()).text;
    assert_eq!(text, "a\nb\n… 2 lines");
    assert_eq!(
        excerpt(of(None, "a\nb\nc\nd\n"), (1, 3), 1, |_| Vec::new()).text,
        "b"
    );
}

#[test]
fn lines_far_apart_are_shown_with_their_blocks() {
    let text = format!(
        "def run(job):\n{}    if job.old:\n        job.close()\n{}    with lock:\n        job.start()\n{}",
        numbered("    ", 10),
        numbered("    ", 10),
        numbered("    ", 10)
    );
    check(
        Language::Python,
        &text,
        8,
        &["close", "start"],
        "def run(job):\n    # … 10 lines\n    if job.old:\n        job.close()\n    # … 10 lines\n    with lock:\n        job.start()\n    # … 10 lines",
    );
}

#[test]
fn the_method_of_a_line_in_a_class_is_shown() {
    let text = format!(
        "class Pool(Base):\n    \"\"\"One.\"\"\"\n\n    def a(self):\n{0}\n    @property\n    def b(\n        self,\n    ) -> int:\n{0}        return self.size\n\n    def c(self):\n{0}",
        numbered("        ", 8)
    );
    check(
        Language::Python,
        &text,
        12,
        &["size"],
        "class Pool(Base):\n    # … 13 lines\n    def b(\n        self,\n    ) -> int:\n        # … 4 lines\n        a4 = 4\n        a5 = 5\n        a6 = 6\n        a7 = 7\n        return self.size\n    # … 10 lines",
    );
}

#[test]
fn brackets_around_the_definition_are_shown() {
    let body = numbered("        let ", 30).replace('\n', ";\n");
    let text = format!("impl A {{\n    fn f(\n        &self,\n    ) -> u8 {{\n{body}    }}\n}}\n");
    let shown = shown(Language::Rust, &text, (1, 34), 8, &["a20 "]);
    assert_eq!(
        shown,
        "fn f(\n    &self,\n) -> u8 {\n    // … 20 lines\n    let a20 = 20;\n    let a21 = 21;\n    // … 8 lines\n}"
    );
}

#[test]
fn the_class_line_is_shown_if_only_it_has_a_word_of_the_rule() {
    let body = numbered("        ", 40);
    let text = format!("class Task(BaseModel):\n    x = 1\n\n    def run(self):\n{body}");
    let with = shown(Language::Python, &text, (3, 43), 7, &["BaseModel", "a7 "]);
    assert!(
        with.starts_with("class Task(BaseModel):\n    # … 2 lines\n    def run(self):\n"),
        "{with}"
    );
    let without = shown(Language::Python, &text, (3, 43), 7, &["a7 "]);
    assert!(without.starts_with("def run(self):\n"), "{without}");
}

#[test]
fn licences_and_imports_at_the_head_of_a_file_are_never_shown() {
    let licence = |comment: &str| format!("{comment} Copyright 2026\n{comment} All of it\n\n");
    let files = [
        (
            Language::Python,
            "#",
            "import os\nfrom os import (\n    path,\n)\n\n\ndef open_all():\n    pass\n",
        ),
        (
            Language::Go,
            "//",
            "package a\n\nimport (\n\t\"os\"\n)\n\nfunc open() {\n}\n",
        ),
        (
            Language::JavaScript,
            "//",
            "import { a } from \"os\";\n\nfunction open() {\n}\n",
        ),
        (
            Language::TypeScript,
            "//",
            "import { a } from \"os\";\n\nfunction open() {\n}\n",
        ),
        (
            Language::Tsx,
            "//",
            "import { a } from \"os\";\n\nfunction open() {\n}\n",
        ),
        (Language::Rust, "//", "use std::os;\n\nfn open() {\n}\n"),
        (
            Language::Java,
            "//",
            "package a;\n\nimport os.A;\n\nclass Open {\n}\n",
        ),
    ];
    for (language, comment, code) in files {
        for n_lines in [0, 40] {
            let rest = format!("{comment} end\n").repeat(n_lines);
            let text = licence(comment) + code + &rest;
            let last = text.lines().count() - 1;
            let shown = shown(language, &text, (0, last), 12, &["os", "open", "Open"]);
            for hidden in ["Copyright", "All of it", "import", "use std"] {
                assert!(!shown.contains(hidden), "{language}: {shown}");
            }
            assert!(shown.to_lowercase().contains("open"), "{language}: {shown}");
        }
    }
    // A rule about an import has no other evidence.
    let text = format!(
        "{}import os\nimport re\n\n\n{}",
        licence("#"),
        numbered("", 30)
    );
    let last = text.lines().count() - 1;
    let shown = shown(Language::Python, &text, (0, last), 12, &["re"]);
    assert!(
        shown.contains("import re") && !shown.contains("import os"),
        "{shown}"
    );
}

#[test]
fn a_comment_is_evidence_only_if_no_code_is() {
    let text = format!(
        "def f():\n    # close it\n{}    close()\n{0}",
        numbered("    ", 20)
    );
    let last = text.lines().count() - 1;
    let code = shown(Language::Python, &text, (0, last), 7, &["close"]);
    assert!(
        code.contains("close()") && !code.contains("close it"),
        "{code}"
    );
    let text = text.replace("close()", "pass");
    let comment = shown(Language::Python, &text, (0, last), 7, &["close"]);
    assert!(comment.contains("close it"), "{comment}");
}

/// A definition of each language with nested blocks, comments and blank lines.
fn code(language: Language, parts: &[usize]) -> String {
    let (open, close, comment) = match language {
        Language::Python => ("def f(a):\n", "", "    # why\n"),
        Language::Go => ("func f(\n\ta int,\n) {\n", "}\n", "    // why\n"),
        Language::Rust => (
            "#[inline]\n#[must_use]\nfn f(a: u8) {\n",
            "}\n",
            "    // why\n",
        ),
        Language::Java => ("@A\nvoid f(int a) {\n", "}\n", "    // why\n"),
        _ => (
            "export function f(\n  a: string,\n) {\n",
            "}\n",
            "    // why\n",
        ),
    };
    let stop = if language == Language::Python {
        ""
    } else {
        ";"
    };
    let (if_open, if_close) = if language == Language::Python {
        ("    if a:\n", "")
    } else {
        ("    if (a) {\n", "    }\n")
    };
    let mut text = open.to_owned();
    for (n, part) in parts.iter().enumerate() {
        text += &match part {
            0 => format!("    call(w{n}){stop}\n"),
            1 => format!("    call(\n        w{n}\n    ){stop}\n"),
            2 => format!("{if_open}        call(w{n}){stop}\n{if_close}"),
            3 => comment.to_owned(),
            _ => "\n".to_owned(),
        };
    }
    text + "    call(end)" + stop + "\n" + close
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn an_excerpt_has_lines_of_the_definition_in_order_within_its_bound(
        parts in prop::collection::vec(0..5_usize, 0..40),
        wanted in prop::collection::vec(0..40_usize, 0..5),
        max_lines in 1..40_usize,
        has_language: bool,
    ) {
        let wanted: Vec<String> = wanted.iter().map(|n| format!("w{n}")).collect();
        let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
        for &language in Language::ALL {
            let comment = if language == Language::Python { "#" } else { "//" };
            let text = format!("{comment}\n{}{comment}\n", code(language, &parts));
            let lines: Vec<&str> = text.lines().collect();
            let range = (1, lines.len() - 2);
            let language = Some(language).filter(|_| has_language);
            let found = excerpt(of(language, &text), range, max_lines, |line| words(line, &wanted));
            prop_assert!(found.text.lines().count() <= max_lines, "{}", found.text);
            let rows = found.lines.iter().flat_map(|(first, last)| *first..=*last);
            let rows: Vec<usize> = rows.collect();
            prop_assert!(rows.is_sorted() && rows.iter().all(|row| (1..lines.len() - 1).contains(row)));
            let shown = rows.iter().map(|row| lines[*row].trim());
            let text_lines = found.text.lines().map(str::trim).filter(|line| !line.contains('…'));
            prop_assert_eq!(text_lines.collect::<Vec<_>>(), shown.collect::<Vec<_>>());
            if has_language {
                let name = lines.iter().position(|line| line.contains(" f(")).expect("a name");
                prop_assert!(rows.contains(&name), "{}", found.text);
            }
            let again = excerpt(of(language, &text), range, max_lines, |line| words(line, &wanted));
            prop_assert_eq!(found, again);
        }
    }

    #[test]
    fn any_bytes_and_any_lines_have_an_excerpt(text in "[a-z{}()\"#/ \n]{0,300}", first in 0..20_usize, n in 0..20_usize) {
        for &language in Language::ALL {
            let found = excerpt(of(Some(language), &text), (first, first + n), 5, |line| words(line, &["a"]));
            prop_assert!(found.text.lines().count() <= 5);
        }
    }
}

#[test]
fn the_comment_above_starts_with_its_first_words() {
    let text = "let x = 1; // one\n/**\n * Closes it.\n * Late.\n */\nfunction close() {}\n";
    let above = comment_above(text, 5, 2);
    assert_eq!(
        above,
        Excerpt {
            text: "* Closes it.\n* Late.".to_owned(),
            lines: vec![(2, 3)]
        }
    );
    assert_eq!(comment_above(text, 1, 2), Excerpt::default());
    assert_eq!(comment_above(text, 5, 0), Excerpt::default());
    assert_eq!(comment_above("", 9, 2), Excerpt::default());
}
