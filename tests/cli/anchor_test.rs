//! `memory anchor-test`.

use std::io::Write;
use std::process::Stdio;

use expect_test::expect;

use crate::project::RULES;
use crate::sandbox::Sandbox;

#[test]
fn candidates_are_ranked_without_a_bank() {
    let sandbox = Sandbox::shop();
    sandbox.session(expect![[r#"
        $ cerberus memory anchor-test hash the password --limit 1
        hash the password
        example shop/accounts.py::AccountStore.hash_password:13 (quality Q)
        1	Q	shop/accounts.py:13-17	AccountStore.hash_password	password hash
        [exit 0]
    "#]]);
    sandbox.session(expect![[r#"
        $ cerberus memory anchor-test "velvet curtains"
        velvet curtains
        not anchored: no code contains any of its words
        [exit 0]
    "#]]);
    assert_eq!(
        sandbox.git("status --porcelain"),
        "",
        "the index is in the user's cache"
    );
}

#[test]
fn the_first_candidate_is_the_example_of_each_rule() {
    let sandbox = Sandbox::shop();
    for (id, text, example) in RULES {
        let Some((file, symbol)) = example else {
            continue;
        };
        let first =
            sandbox.json(&format!("memory anchor-test \"{text}\""))["candidates"][0].clone();
        assert_eq!(
            (&first["file"], &first["symbol"]),
            (&(*file).into(), &(*symbol).into()),
            "{id}"
        );
    }
}

#[test]
fn rules_are_read_from_a_file_or_stdin() {
    let sandbox = Sandbox::shop();
    let rules = "Escape HTML entities\n\n{\"rule\": \"Velvet\", \"hints\": [\"Retry-After\"]}\n";
    sandbox.write("rules.txt", rules);
    let files = |stdout: &str| -> Vec<String> {
        let documents = stdout
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"));
        let best = documents.map(|it: serde_json::Value| it["candidates"][0]["file"].clone());
        best.map(|file| file.as_str().expect("a file").to_owned())
            .collect()
    };
    let line = "memory anchor-test --json --rules";
    let read = sandbox.ok(&format!("{line} rules.txt"));
    assert_eq!(files(&read), ["web/html.ts", "api/limit.go"]);

    let mut command = sandbox.command(&format!("{line} -"));
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(rules.as_bytes()).expect("it reads");
    drop(stdin);
    let piped = child.wait_with_output().expect("it ends");
    assert_eq!(files(&String::from_utf8_lossy(&piped.stdout)), files(&read));
}

#[test]
fn invalid_rules_are_reported_with_their_line() {
    let sandbox = Sandbox::shop();
    sandbox.write("rules.txt", "Escape HTML\n{\"rules\": \"x\"}\n");
    sandbox.session(expect![[r#"
        $ cerberus memory anchor-test --rules rules.txt
        --- stderr
        cerberus: failed to read `rules.txt:2:14`: missing field `rule`
        hint: write one rule per line, or {"rule": "…", "hints": ["…"]}
        [exit 2]

        $ cerberus memory anchor-test --rules none.txt
        --- stderr
        cerberus: failed to read `none.txt`: No such file or directory (os error 2)
        hint: pass the path of a readable file, or `-`
        [exit 2]

        $ cerberus memory anchor-test
        --- stderr
        cerberus: the following required arguments were not provided: <TEXT|--rules <FILE>>
        hint: see cerberus memory anchor-test --help
        [exit 2]

        $ cerberus memory anchor-test x --rules rules.txt
        --- stderr
        cerberus: the argument `[TEXT]...` cannot be used with `--rules <FILE>`
        hint: see cerberus memory anchor-test --help
        [exit 2]

        $ cerberus memory anchor-test x --scope universal
        --- stderr
        cerberus: cannot search the scope `universal`: a universal memory is never anchored
        hint: omit `--scope`, or specify a language as in `--scope language:go`
        [exit 2]

        $ cerberus memory anchor-test x --scope galaxy
        --- stderr
        cerberus: invalid value `galaxy` for `--scope <SCOPE>`: unknown scope `galaxy`: expected universal, language:<name> or project:<name>
        hint: see cerberus memory anchor-test --help
        [exit 2]
    "#]],
    );
}

#[test]
fn words_missing_from_the_code_are_explained() {
    let sandbox = Sandbox::shop();
    let message = sandbox.ok("memory anchor-test \"hash the pasword\" --explain --limit 1");
    assert!(
        message.contains("not found in the code: `pasword`"),
        "{message}"
    );
    assert!(message.contains("password"), "{message}");
    let document = sandbox.json("memory anchor-test \"hash the password\" --explain --limit 1");
    let reasons = document["candidates"][0]["reasons"]
        .as_array()
        .expect("reasons");
    assert!(reasons.iter().any(|it| {
        it["word"]
            .as_str()
            .is_some_and(|word| word.contains("hash"))
    }));
}

#[test]
fn unusual_text_is_accepted_as_a_rule() {
    let sandbox = Sandbox::shop();
    for text in [
        "'",
        "AND NOT (",
        "a:b*c/d-e",
        "\u{1F600}",
        "async/await C++ don't",
        "--",
        ";",
    ] {
        let outcome = sandbox.run(&format!("memory anchor-test --json -- \"{text}\""));
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
    }
}

#[test]
fn changed_code_is_found_at_once() {
    let sandbox = Sandbox::shop();
    let best = |sandbox: &Sandbox| {
        let found = sandbox.json("memory anchor-test \"escape html entities\"");
        format!("{}", found["candidates"][0]["file"])
    };
    assert_eq!(best(&sandbox), "\"web/html.ts\"");
    sandbox.git("mv web/html.ts web/markup.ts");
    assert_eq!(best(&sandbox), "\"web/markup.ts\"");
    sandbox.write(".gitignore", "web/markup.ts\n");
    assert_eq!(best(&sandbox), "\"web/markup.ts\"", "git tracks it");
    sandbox.git("rm -q --cached web/markup.ts");
    assert_ne!(
        best(&sandbox),
        "\"web/markup.ts\"",
        "ignored files are no examples"
    );
}
