//! `memory import`: the text that governs an item, in all that agents get, and in memories whose document got it later.

use expect_test::expect;
use serde_json::json;

use crate::sandbox::Sandbox;

const REFUSED: &str = "\
# The shop

## Database

A request is closed if it does this:

- Close the session as `request_session` does
";

/// Returns a bank whose rule was imported before its document got the sentence above it.
fn imported_without_its_sentence() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "AGENTS.md",
        REFUSED.replace("A request is closed if it does this:\n\n", ""),
    );
    sandbox.ok("memory import AGENTS.md");
    sandbox.ok("memory update close-the-session-as-request-session --tag ours");
    sandbox.write("AGENTS.md", REFUSED);
    sandbox
}

#[test]
fn an_imported_rule_gets_the_sentence_that_governs_it() {
    let sandbox = imported_without_its_sentence();
    assert!(sandbox.lock().contains("request_session"));
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md --check
        changed close-the-session-as-request-session (AGENTS.md:7): `close-the-session-as-request-session` was imported from an earlier version of this item; its example, which was chosen without the text that governs it, is removed: choose one with `cerberus memory review`
        1 difference between the documents and the bank
        next: cerberus memory import
        [exit 1]

        $ cerberus memory import AGENTS.md
        changed close-the-session-as-request-session (AGENTS.md:7): `close-the-session-as-request-session` was imported from an earlier version of this item; its example, which was chosen without the text that governs it, is removed: choose one with `cerberus memory review`
        0 rules added, 1 changed, 0 duplicates, 1 skipped
          show the skipped items and the reasons with --dry-run
        1 rule: 0 anchored, 1 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory read close-the-session-as-request-session --raw
        ---
        type: rule
        category: database
        heading: Database
        scope: project:shop
        tags: [ours]
        created_at: "2026-01-02T03:04:05Z"
        updated_at: "2026-01-02T03:04:05Z"
        source: AGENTS.md:7 (96b62fc1)
        ---

        A request is closed if it does this: Close the session as `request_session` does
        [exit 0]

        $ cerberus memory import AGENTS.md --check
        the documents and the bank agree
        [exit 0]
    "#]]);
    assert!(
        !sandbox.lock().contains("request_session"),
        "it shows the forbidden form"
    );
}

#[test]
fn an_example_that_a_person_chose_is_kept() {
    let sandbox = imported_without_its_sentence();
    let id = "close-the-session-as-request-session";
    sandbox.ok(&format!(
        "memory anchor {id} --to shop/db.py::request_session"
    ));
    let report = sandbox.ok("memory import AGENTS.md");
    assert!(
        report.contains("1 changed") && !report.contains("is removed"),
        "{report}"
    );
    assert!(sandbox.lock().contains("request_session"));
}

#[test]
fn a_new_rule_below_a_sentence_that_may_forbid_it_is_not_anchored() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", REFUSED);
    let report = sandbox.ok("memory import AGENTS.md");
    assert!(report.contains("1 rule: 0 anchored, 1 waiting"), "{report}");
    sandbox.write(
        "web/AGENTS.md",
        REFUSED.replace("A request is closed if it does this:", "All changes must:"),
    );
    let report = sandbox.ok("memory import web/AGENTS.md");
    assert!(report.contains("1 anchored, 1 waiting"), "{report}");
}

#[test]
fn an_edited_memory_without_its_sentence_is_a_conflict() {
    let sandbox = imported_without_its_sentence();
    let id = "close-the-session-as-request-session";
    sandbox.ok(&format!(
        "memory update {id} --content \"Close each session as `request_session` does\""
    ));
    sandbox.session(expect![[r#"
        $ cerberus memory import AGENTS.md
        conflict close-the-session-as-request-session (AGENTS.md:7): `close-the-session-as-request-session` was imported from an earlier version of this item and edited since; update it with `cerberus memory update close-the-session-as-request-session --content …`, or delete it and import again
        0 rules added, 0 changed, 1 in conflict, 0 duplicates, 1 skipped
          show the skipped items and the reasons with --dry-run
        1 rule: 1 anchored, 0 waiting, 0 process, 0 no example
        [exit 0]
    "#]]);
}

/// The same words are a demand in one place and forbidden in another one.
#[test]
fn the_same_words_below_other_sentences_become_two_rules() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "- Use the cart of the session\n");
    sandbox.write("web/AGENTS.md", "- Use the cart of the session\n");
    sandbox.ok("memory import --no-anchor");
    assert_eq!(texts(&sandbox), ["Use the cart of the session"]);
    sandbox.write("AGENTS.md", "All views must:\n\n- Use the cart of the session\n\nNo test may:\n\n- Use the cart of the session\n");
    sandbox.write(
        "web/AGENTS.md",
        "Hooks that do this are refused:\n\n- Use the cart of the session\n",
    );
    sandbox.ok("memory import AGENTS.md --no-anchor");
    sandbox.ok("memory import --no-anchor");
    let expected = [
        "All views must: Use the cart of the session",
        "Hooks that do this are refused: Use the cart of the session",
        "No test may: Use the cart of the session",
    ];
    assert_eq!(texts(&sandbox), expected);
    assert_eq!(sandbox.run("memory import --check").status(), 0);
}

fn texts(sandbox: &Sandbox) -> Vec<String> {
    let report = sandbox.json("memory show");
    let memories = report["memories"].as_array().expect("memories");
    let text = |memory: &serde_json::Value| memory["text"].as_str().expect("a text").to_owned();
    let mut texts: Vec<String> = memories.iter().map(text).collect();
    texts.sort();
    texts
}

/// Shortened texts, too, keep what forbids them.
#[test]
fn agents_get_a_rule_with_the_text_that_governs_it() {
    let sandbox = Sandbox::bank();
    let filler =
        "The price of an order is the sum of its lines, which is why a total is never stored.";
    let refused: String = (1..40)
        .map(|n| format!("- Round the order total number {n} to integers. {filler} {filler}\n"))
        .collect();
    sandbox.write("AGENTS.md", format!("# The shop\n\n## Sent back\n\nReviews are short. A change to a total is sent back. These are some:\n\n{refused}"));
    sandbox.ok("memory import AGENTS.md --no-anchor");
    let prompt = json!({
        "session_id": "a",
        "cwd": sandbox.path(""),
        "hook_event_name": "UserPromptSubmit",
        "prompt": "Round the order total to integers before it is shown",
    });
    let start = json!({ "session_id": "c", "cwd": sandbox.path(""), "hook_event_name": "SessionStart", "source": "startup" });
    let outputs = [
        (
            "prompt",
            sandbox
                .piped("hooks run claude prompt", prompt.to_string())
                .stdout(),
        ),
        (
            "session",
            sandbox
                .piped("hooks run claude session-start", start.to_string())
                .stdout(),
        ),
        (
            "inject",
            sandbox.ok("memory inject --query \"round the order total to integers\" --budget 900"),
        ),
        (
            "search",
            sandbox.ok("memory search \"round order total integers\" --content"),
        ),
        ("show", sandbox.ok("memory show")),
    ];
    for (place, output) in outputs {
        let output = output.replace("\\n", "\n");
        let mut n_rules = 0;
        for (at, _) in output.match_indices("Round the order total number") {
            n_rules += 1;
            let before = &output[..at];
            let sentence = before.rfind("A change to a total is sent back. These are some: ");
            let is_governed = sentence.is_some_and(|from| !before[from..].contains("Round the"));
            assert!(is_governed, "{place}: {output}");
        }
        // A session starts with what the agent has not loaded.
        assert_eq!(n_rules > 0, place != "session", "{place}: {output}");
    }
}

#[test]
fn an_edit_gets_a_rule_with_the_text_that_governs_it() {
    let sandbox = Sandbox::bank();
    let item = "Round the order total in `total` to integers";
    sandbox.write(
        "AGENTS.md",
        format!("## Sent back\n\nA change to a total:\n\n- {item}\n"),
    );
    sandbox.ok("memory import AGENTS.md --no-anchor");
    let edit = json!({
        "session_id": "b",
        "cwd": sandbox.path(""),
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": { "file_path": sandbox.path("shop/orders.py"), "content": "def total(order):\n    # Round the order total to integers\n    return round(order.total)\n" },
    });
    let output = sandbox
        .piped("hooks run claude edit", edit.to_string())
        .stdout();
    let expected = format!("\\\"Sent back: A change to a total: {item}");
    assert!(output.contains(&expected), "{output}");
}
