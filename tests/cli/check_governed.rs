//! `check` reads an item together with the sentences that govern it, and says when it does not know their words.

use crate::sandbox::Sandbox;

/// The doubt of a warning about a sentence in unknown words.
const UNKNOWN_WORDS: &str = "what its sentence, or one above it, says of it is not known";

/// Returns what is said to be out of date, and the rest of what was true, for a document that names `old_call` and `src/rows.py`, which
/// are gone.
fn verdicts(document: &str) -> [Vec<String>; 2] {
    let sandbox = Sandbox::empty();
    sandbox.write("src/rows.py", "def old_call():\n    return 1\n");
    sandbox.write("AGENTS.md", document);
    sandbox.commit("start");
    sandbox.write("src/other.py", "def sum_up():\n    return 2\n");
    sandbox.git("rm -q src/rows.py");
    sandbox.git("add -A");
    sandbox.commit("Remove it");
    let report = sandbox.json_of(sandbox.run("check --all --json"));
    let findings = report["findings"].as_array().expect("a list");
    let (mut outdated, mut rest) = (Vec::new(), Vec::new());
    for finding in findings {
        let claim = finding["claim"].as_str().unwrap_or_default().to_owned();
        match finding["class"].as_str() {
            Some("stale") if finding["doubt"] != UNKNOWN_WORDS => outdated.push(claim),
            Some("neverTrue") => {}
            _ => rest.push(claim),
        }
    }
    [outdated, rest]
}

#[track_caller]
fn check(document: &str, n_errors: usize) {
    let [errors, notes] = verdicts(document);
    assert_eq!(errors.len(), n_errors, "{document}: {errors:?} {notes:?}");
    assert_eq!(
        notes.len(),
        1 - n_errors,
        "{document}: {errors:?} {notes:?}"
    );
}

#[test]
fn an_item_below_a_sentence_that_refuses_it_is_no_error() {
    for lead in [
        "Reviewers reject a change that brings back:",
        "A pull request fails if it adds a call of one\nof these:",
        "We won't merge code which relies on:",
        "No module may import:",
        "None of the following is allowed.",
        "We do not take these calls any more. They are:",
    ] {
        check(&format!("# Shop\n\n{lead}\n\n- `old_call`\n"), 0);
        // Of an outer list.
        check(
            &format!(
                "# Shop\n\n1. {}\n   - In Python:\n     - `old_call`\n",
                lead.replace('\n', " ")
            ),
            0,
        );
    }
    check("# Shop\n\n## What we never accept\n\n- `old_call`\n", 0);
    check("# Shop\n\n- No `old_call` in handlers\n", 0);
}

/// Where the author means another list than CommonMark reads, or the sentence is a title.
#[test]
fn an_item_is_below_the_sentence_that_its_author_means() {
    check(
        "# Shop\n\n1. Never call:\n  1. `old_call`\n  2. It is slow.\n",
        0,
    );
    check(
        "# Shop\n\nCall:\n- `sum_up`\nNever call:\n- `old_call`\n",
        0,
    );
    check(
        "# Shop\n\nNever call:\n- `sum_up`\nCall these:\n- `old_call`\n",
        1,
    );
    check("# Shop\n\n**Never call**\n\n- `old_call`\n", 0);
    check("# Shop\n\n**Calls**\n\n- `old_call`\n", 1);
    let details = |title: &str| {
        format!(
            "# Shop\n\n<details>\n<summary><b>{title}</b></summary>\n\n- `old_call`\n\n</details>\n"
        )
    };
    check(&details("Never call"), 0);
    check(&details("Calls of rows"), 1);
}

#[test]
fn an_item_below_another_sentence_is_a_claim() {
    for lead in [
        "Start with these:",
        "Do not forget to call:",
        "If the build fails, call:",
        "Tests that do not need rows call:",
        "Secrets are not committed.",
        "We do not use it. Read the rows with:",
    ] {
        check(&format!("# Shop\n\n{lead}\n\n- `old_call`\n"), 1);
    }
    check(
        "# Shop\n\n## What we never accept\n\nUse this instead:\n\n- `old_call`\n",
        1,
    );
    check(
        "# Shop\n\n## Never do it\n\nRows are read by `old_call`.\n",
        1,
    );
}

#[test]
fn a_sentence_in_another_language_is_only_likely_a_claim() {
    for sentence in [
        "Rufe `old_call` in neuem Code nie auf.",
        "N'appelez pas `old_call` dans les tests.",
        "Não chame `old_call` em código novo.",
        "Roep `old_call` nooit aan.",
        "Evitad `old_call`.",
        "新代码不要调用 `old_call`。",
        "`old_call` は呼び出さないこと。",
        "Больше не вызывайте `old_call`.",
        "`old_call` 호출 금지",
    ] {
        check(&format!("# Shop\n\n{sentence}\n"), 0);
        let lead = sentence
            .replace("`old_call`", "")
            .trim_end_matches(['.', '。'])
            .to_owned();
        check(&format!("# Shop\n\n{lead}:\n\n- `old_call`\n"), 0);
    }
    // In a document in English, and the other way round.
    let english = "# Shop\n\nRead the rows of the shop before you write a test for it.\n\n";
    check(
        &format!("{english}Rufe in neuem Code niemals `old_call` auf.\n"),
        0,
    );
    check(&format!("{english}Entry: `old_call`\n"), 1);
    // What is a claim in any language.
    check(
        "# Laden\n\nNiemals ändern, nur lesen: [Zeilen](src/rows.py).\n",
        1,
    );
    check(
        "# Laden\n\nRegeln zum Lesen stehen in @src/rows.py und anderswo.\n",
        1,
    );
    let [errors, _] =
        verdicts("# Laden\n\nAufbau und Inhalt:\n\n```\nsrc/\n├── rows.py\n└── other.py\n```\n");
    assert_eq!(errors, ["rows.py"]);
}

#[test]
fn what_is_only_likely_says_why() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/rows.py", "def old_call():\n    return 1\n");
    sandbox.write("AGENTS.md", "# Laden\n\nRufe niemals `old_call` auf.\n");
    sandbox.commit("start");
    sandbox.git("mv src/rows.py src/other.py");
    sandbox.write("src/other.py", "def sum_up():\n    return 2\n");
    sandbox.git("add -A");
    sandbox.commit("Remove it");
    let report = sandbox.json_of(sandbox.run("check --all --json"));
    let finding = &report["findings"][0];
    assert_eq!(finding["severity"], "warning");
    assert_eq!(finding["removed"]["subject"], "Remove it");
    assert_eq!(finding["doubt"], UNKNOWN_WORDS);
    assert_eq!(report["summary"]["warnings"], 1);
    sandbox.ok("check");
}
