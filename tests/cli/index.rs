//! `index`.

#[cfg(target_os = "linux")]
use expect_test::expect;

#[cfg(target_os = "linux")]
use crate::sandbox::Outcome;
use crate::sandbox::Sandbox;

/// Pieces of code that leave something open, by file extension.
#[cfg(target_os = "linux")]
const PIECES: &[(&str, &[&str])] = &[
    (
        "py",
        &[
            "/*", "(", "[", "if", "lambda", "not", "*", "else:", "@", "\"", "f\"{", "->", "\\",
        ],
    ),
    (
        "go",
        &[
            "case a:", "func", "(", "{", "a", "map[", "if", "<-", "&", "/*", "`", "}", "struct",
        ],
    ),
    (
        "java",
        &[
            "A<", "(", "{", "@A", "?", "class", "if", "new", "->", "/*", "\"", "switch", "}",
        ],
    ),
    (
        "js",
        &[
            "(", "{", "`", "${", "=>", "?", "a", "class", "/", "/*", "await", "case a:", "</",
        ],
    ),
    (
        "ts",
        &[
            "A<B,", "(", "<", "a", "?", "=>", "keyof", "`", "as", "abstract", "/*", "{", "a:",
        ],
    ),
    (
        "tsx",
        &[
            "<", "<a>", "{", "}", "A<", "=>", "/>", "</", "?", "type", "&", "/*", "a",
        ],
    ),
    (
        "rs",
        &[
            "A<", "(", "|", "&", "fn", "impl", "dyn", "for<", "match", "=>", "#[", "/*", "'a",
        ],
    ),
];

/// Code that once took gigabytes or a minute.
#[cfg(target_os = "linux")]
const EXPENSIVE: &[(&str, &str, usize)] = &[
    ("py", "/*\n", 4_000),
    ("py", "/*\nwhere ", 6_000),
    ("py", "/*\na.b(c).d(e).f(g) ", 6_000),
    ("java", "A<\n", 25_000),
    ("ts", "A<B,\n", 12_000),
    ("go", "case a:\n", 12_000),
    ("go", "& } *\n", 12_000),
    ("js", "</ /* =a\n", 12_000),
    ("tsx", "A<B,\nas\n>\n", 12_000),
    (
        "tsx",
        "A<B, [ A<B, [ A<B, [ A<B, [ [ A<B, A<B, A<B, [ A<B,\n",
        7_000,
    ),
    (
        "js",
        "else else case a: case a: if } if } < } if if < } } < if\n",
        7_000,
    ),
];

/// Indexes a project with one file in 400 MB of address space and 10 seconds of processor time.
#[cfg(target_os = "linux")]
fn index_limited(path: &str, code: &str) -> Outcome {
    let sandbox = Sandbox::empty();
    sandbox.write(path, code);
    // At most 2 seconds of processor time are needed.
    let script = "ulimit -v 400000; ulimit -t 10; exec \"$0\" index --full --json";
    let mut command = sandbox.shell(script);
    command
        .arg(sandbox.command("").get_program())
        .env("RAYON_NUM_THREADS", "1");
    let outcome = sandbox.outcome(script, command.output().expect("a shell"));
    assert_eq!(outcome.status(), 0, "{path} {code:.60}: {}", outcome.text());
    outcome
}

#[test]
#[cfg(target_os = "linux")]
fn code_that_exhausts_the_parser_is_text_without_symbols() {
    for (extension, piece, n_pieces) in EXPENSIVE {
        let path = format!("code.{extension}");
        let outcome = index_limited(&path, &piece.repeat(*n_pieces));
        let warning = format!("`{path}` takes too much time or memory to parse");
        assert!(
            outcome.stderr().contains(&warning),
            "{piece:?}: {}",
            outcome.text()
        );
    }
}

#[test]
#[cfg(target_os = "linux")]
fn any_repeated_pieces_of_code_are_indexed_in_little_time_and_memory() {
    let mut seed = 18_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).expect("31 bits") % below
    };
    for (extension, pieces) in PIECES {
        for _ in 0..6 {
            let mut pattern = String::new();
            for _ in 0..=random(3) {
                pattern += pieces[random(pieces.len())];
                pattern += ["", " ", "\n"][random(3)];
            }
            // A long line would count as minified code, which is not parsed.
            pattern += "\n";
            index_limited(&format!("code.{extension}"), &pattern.repeat(12_000));
        }
    }
}

#[test]
fn a_file_that_exceeds_the_limits_of_the_parser_is_reported_once() {
    let sandbox = Sandbox::empty();
    sandbox.write("deep.py", "/*\n".repeat(4_000));
    sandbox.write(
        "table.py",
        format!("TABLE = [{}]\n", "0, (1, 'a'), ".repeat(4_000)),
    );
    sandbox.write("good.py", "def good():\n    return 1\n");
    let warning = "`deep.py` takes too much time or memory to parse, it is text without symbols";
    let warnings = |line: &str| sandbox.json(line)["warnings"].clone();
    assert_eq!(warnings("index --full"), serde_json::json!([warning]));
    assert_eq!(warnings("index --full"), serde_json::json!([]));
}

#[test]
fn index_reports_its_contents() {
    let sandbox = Sandbox::bank();
    sandbox.write("notes.txt", "no code");
    sandbox.session(expect![[r#"
        $ cerberus index
        go	2
        python	3
        typescript	2
        total	7
        0.0 MB of source, 7 files updated, 0 removed, 0 parsed, N ms
        store: $ROOT/shop/.memories/indices/cerberus.db
        [exit 0]
    "#]]);
    let index = |line: &str| {
        let it = sandbox.json(line);
        ["files", "parsed", "changed", "removed"].map(|key| it[key].as_u64().expect("a number"))
    };
    assert_eq!(index("index"), [7, 0, 0, 0]);
    assert_eq!(index("index --full"), [7, 7, 0, 0]);
    sandbox.edit("shop/db.py", "steps", "all_the_steps");
    sandbox.remove("web/html.ts");
    assert_eq!(index("index --full"), [6, 6, 1, 1]);
}

#[test]
fn a_folder_without_code_succeeds() {
    let sandbox = Sandbox::empty();
    let index = sandbox.json("index");
    assert_eq!(
        (&index["files"], &index["warnings"]),
        (&0.into(), &serde_json::json!([]))
    );
    sandbox.session(expect![[r#"
        $ cerberus memory anchor-test "close the session"
        close the session
        not anchored: no code contains any of its words
        [exit 0]
    "#]]);
}

#[test]
fn excluded_code_is_not_indexed() {
    let sandbox = Sandbox::shop();
    sandbox.write(
        "cerberus.toml",
        "[anchor]\nexclude = [\"web/**\", \"*.go\"]\n",
    );
    assert_eq!(
        sandbox.json("index")["languages"],
        serde_json::json!({"python": 3})
    );
}

#[test]
fn commands_that_miss_a_symbol_warn_about_its_file() {
    let sandbox = Sandbox::anchored();
    sandbox.memory("linker", "See [[web/html.ts::escapeHtml]].\n");
    let code = sandbox.read("web/html.ts");
    sandbox.write("web/html.ts", code + &"A<B,\n".repeat(12_000));
    let warning =
        "`web/html.ts` takes too much time or memory to parse, it is text without symbols";
    for line in ["memory reanchor --check", "memory links"] {
        assert_eq!(
            sandbox.json(line)["warnings"],
            serde_json::json!([warning]),
            "{line}"
        );
    }
}
