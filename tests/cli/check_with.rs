//! `check --with`: an agent reads the errors, here a script with prepared answers.

use expect_test::expect;
use serde_json::{Value, json};

use crate::check::{AGENTS, moved};
use crate::review_with::prepare;
use crate::sandbox::Sandbox;

#[test]
fn an_agent_dismisses_errors_whose_lines_are_right_and_the_baseline_keeps_them() {
    let sandbox = moved();
    let guide = json!({ "id": 0, "outOfDate": false, "reason": "a guide of the reader" });
    let others = [json!({ "id": 2, "outOfDate": true }), json!({ "id": 70, "outOfDate": false })];
    let first = json!({ "findings": [guide, others[0], others[1]] });
    let second = json!({ "findings": [{ "id": 1, "outOfDate": false }] });
    prepare(&sandbox, &[first.clone(), first, second]);
    let agent = sandbox.path("../agent/agent.sh").display().to_string();
    let with = format!("check --with \"sh {agent}\"");
    let report = sandbox.json_of(sandbox.run(&format!("{with} --json")));
    let summary = &report["summary"];
    assert_eq!((&summary["errors"], &summary["dismissed"]), (&json!(4), &json!(1)));
    let request: Value =
        serde_json::from_str(&sandbox.read("../agent/request-0.json")).expect("JSON");
    expect![[r#"
        {
          "claim": "src/db/session.py",
          "document": "AGENTS.md",
          "finding": "the file no longer exists",
          "headings": [
            "Shop"
          ],
          "id": 1,
          "line": 3,
          "now": "core/session.py",
          "removed": "2026-01-02 Move the session",
          "text": [
            "1: # Shop",
            "2: Rules:",
            "3: - Sessions are in `src/db/session.py`; see [the guide](docs/guide.md).",
            "4: - Open one with `open_session()`, and run `make lint` before a commit.",
            "5: - Never use `src/db/legacy.py`. Names like `src/foo.py` are examples.",
            "6: - Tests use `pytest` 7."
          ],
          "was": null,
          "written": "2026-01-02 start"
        }"#]]
    .assert_eq(&format!("{:#}", request["findings"][1]));
    let with = format!("{with} --baseline accepted.json --update-baseline");
    let text = sandbox.run(&format!("{with} --all")).text();
    expect![[r#"
        AGENTS.md:3:56: `docs/guide.md`: the file no longer exists; dismissed by sh: a guide of the reader
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:49: `make lint`: no manifest defines it any more
            was in `Makefile`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix
        AGENTS.md:5:14: `src/db/legacy.py`: it no longer exists, and the sentence forbids it
        AGENTS.md:5:45: `src/foo.py`: it was never true in this repository
        AGENTS.md:6:14: `pytest`: the manifests now require >=8.1
            was in `requirements.txt`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide

        4 errors; checked 8 claims in 1 document
        1 dismissed by the agent, 2 never true here
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        --- stderr
        asking sh about 5 errors, with the lines around: 1194 tokens
        the baseline `accepted.json` accepts 1 finding
        [exit 1]
    "#]].assert_eq(text.split_once('\n').expect("the command").1);
    // Without the agent it is accepted, and a second look adds to what is.
    assert_eq!(sandbox.run(&with).status(), 1);
    sandbox.session(expect![[r#"
        $ cerberus check --baseline accepted.json
        AGENTS.md:3:20: `src/db/session.py`: the file no longer exists
            since 21572e42c1 of 2026-01-02: Move the session
            now `core/session.py`
            next: cerberus check --fix
        AGENTS.md:4:18: `open_session()`: the code no longer defines or uses it
            was in `core/session.py`
            since b856d34e76 of 2026-01-02: Rename the function
            now `core/session.py::connect_session`
            next: cerberus check --fix
        AGENTS.md:6:14: `pytest`: the manifests now require >=8.1
            was in `requirements.txt`
            since 3a1c86e95b of 2026-01-02: Replace lint, drop the guide
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it

        3 errors; checked 8 claims in 1 document
        2 accepted by the baseline, 2 never true here (see --all)
        to correct 2 of them: cerberus check --fix
        [exit 1]
    "#]]);
}

#[test]
fn an_answer_dismisses_errors_of_its_request_only() {
    let sandbox = Sandbox::empty();
    let names: Vec<String> = (0..26).map(|n| format!("src/part_{n:02}.py")).collect();
    names.iter().for_each(|name| sandbox.write(name, "x = 1\n"));
    let lines = names.iter().map(|name| format!("- See `{name}`.\n"));
    sandbox.write("AGENTS.md", lines.collect::<String>());
    sandbox.commit("start");
    sandbox.git("rm -q -r src");
    sandbox.commit("Drop the parts");
    let right = |id: u32| json!({ "findings": [{ "id": id, "outOfDate": false }] });
    prepare(&sandbox, &[right(25), right(0)]);
    let agent = sandbox.path("../agent/agent.sh").display().to_string();
    let report = sandbox.json_of(sandbox.run(&format!("check --json --with \"sh {agent}\"")));
    assert_eq!(report["summary"]["dismissed"], 0);
    assert!(sandbox.exists("../agent/request-1.json"));
}

#[test]
fn an_agent_that_fails_dismisses_nothing() {
    let sandbox = moved();
    sandbox.session(expect![[r#"
        $ cerberus check --with "echo '{}'"
        --- stderr
        asking echo about 5 errors, with the lines around: 1194 tokens
        cerberus: failed to read the answer of `echo '{}'`: missing field `findings` at line 1 column 2; it starts with `{}`
        [exit 3]

        $ cerberus check --with "echo no >&2; exit 1" --baseline new.json --update-baseline
        --- stderr
        asking echo about 5 errors, with the lines around: 1194 tokens
        cerberus: `echo no >&2; exit 1` failed: no
        [exit 3]

        $ cerberus check --with "exit 1" --fix
        --- stderr
        cerberus: the argument `--with <AGENT>` cannot be used with `--fix`
        hint: see cerberus check --help
        [exit 2]
    "#]]);
    assert!(!sandbox.exists("new.json"));
    // An agent is not started for nothing.
    sandbox.edit("AGENTS.md", AGENTS, "# Shop\n");
    sandbox.ok("check --with \"exit 1\"");
}
