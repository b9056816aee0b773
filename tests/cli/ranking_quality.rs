//! Accuracy of the ranking: everyday rules with known examples in a project of realistic
//! size, in three languages, with similar but wrong candidates, and rules without an example.

use serde_json::Value;

use crate::sandbox::Sandbox;

const RULES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/shop_rules.jsonl"
);
const ANSWERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/fixtures/shop_answers.jsonl"
);
const SHOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/shop");

/// At least 18 of 20 rules rank the right file first, at least 16 the right symbol, and none of
/// the five rules without an example gets an anchor.
#[test]
fn everyday_rules_find_their_examples() {
    let sandbox = Sandbox::empty();
    let mut command = sandbox.command("memory anchor-test --json");
    let output = command
        .args(["--rules", RULES, "--project", SHOP])
        .output()
        .expect("it runs");
    let answers = String::from_utf8(output.stdout).expect("a text");
    let rules = std::fs::read_to_string(RULES).expect("the rules");
    let (mut files, mut symbols, mut wrongly_anchored, mut n_rules) = (0, 0, Vec::new(), 0);
    assert_eq!(
        answers.lines().count(),
        rules.lines().count(),
        "an answer per rule"
    );
    for (line, answer) in rules.lines().zip(answers.lines()) {
        let rule: Value = serde_json::from_str(line).expect("a rule");
        let answer: Value = serde_json::from_str(answer).expect("an answer");
        assert_eq!(
            rule["rule"], answer["rule"],
            "answers come in the order of the rules"
        );
        let gold = rule["gold"].as_array().expect("a list");
        if gold.is_empty() {
            wrongly_anchored.extend((!answer["anchor"].is_null()).then(|| rule["id"].to_string()));
            continue;
        }
        n_rules += 1;
        let first = &answer["candidates"][0];
        files += usize::from(gold.iter().any(|place| place["file"] == first["file"]));
        symbols += usize::from(gold.iter().any(|place| is_same(place, first)));
    }
    assert_eq!(n_rules, 20);
    assert!(files >= 18, "the right file first for {files} of 20");
    assert!(symbols >= 16, "the right symbol first for {symbols} of 20");
    assert_eq!(
        wrongly_anchored,
        Vec::<String>::new(),
        "rules without an example"
    );
}

/// Guards optimizations: every rule has exactly the stored candidates, with an empty store and
/// with a filled one. Quality is not compared because it depends on the age of the files.
#[test]
fn rankings_equal_the_stored_answers() {
    let expected = std::fs::read_to_string(ANSWERS).expect("the answers");
    let sandbox = Sandbox::empty();
    for _ in ["empty store", "filled store"] {
        let mut command = sandbox.command("memory anchor-test --json --limit 20");
        let output = command
            .args(["--rules", RULES, "--project", SHOP])
            .output()
            .expect("it runs");
        let answers = String::from_utf8(output.stdout).expect("a text");
        assert_eq!(answers.lines().count(), expected.lines().count());
        for (answer, expected) in answers.lines().zip(expected.lines()) {
            let mut answer: Value = serde_json::from_str(answer).expect("an answer");
            let expected: Value = serde_json::from_str(expected).expect("an answer");
            let candidates = answer["candidates"].as_array_mut().expect("a list");
            for (candidate, kept) in candidates
                .iter_mut()
                .zip(expected["candidates"].as_array().expect("a list"))
            {
                let names = kept.as_object().expect("a candidate");
                let fields = candidate.as_object_mut().expect("a candidate");
                fields.retain(|name, _| names.contains_key(name));
            }
            assert_eq!(
                answer["candidates"], expected["candidates"],
                "{}",
                expected["rule"]
            );
        }
    }
}

/// Returns whether a candidate is the expected symbol, its class or one of its members.
fn is_same(place: &Value, found: &Value) -> bool {
    let text = |value: &Value| value["symbol"].as_str().unwrap_or_default().to_owned();
    let (wanted, got) = (text(place), text(found));
    place["file"] == found["file"]
        && (wanted == got
            || wanted.starts_with(&format!("{got}."))
            || got.starts_with(&format!("{wanted}.")))
}

/// The first command of the README finds its example in the code of this repository.
#[test]
fn the_readme_rule_finds_its_example_in_this_repository() {
    let here = env!("CARGO_MANIFEST_DIR");
    let readme = std::fs::read_to_string(format!("{here}/README.md")).expect("the README");
    let command = "cargo run --locked -- memory anchor-test \"";
    let rule = readme
        .split(command)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let rule = rule.expect("the README has its first command");
    // A copy, so that the tests leave no index in the clone.
    let sandbox = Sandbox::empty();
    let copied = sandbox
        .shell(&format!("cp -R '{here}/crates' '{here}/src' ."))
        .status();
    assert!(copied.expect("sh runs").success());
    let mut command = sandbox.command("memory anchor-test");
    let output = command.arg(rule).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("\nexample crates/model/src/text/escape.rs::escaped:"),
        "{text}"
    );
}
