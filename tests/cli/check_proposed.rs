//! `check --fix --with AGENT`: an agent writes lines anew, and only those are written that `check` proves.

use serde_json::json;

use crate::review_with::prepare;
use crate::sandbox::Sandbox;

const LINES: &str = "# Shop\n\n- Run `make lint` before a commit; the code is in `src/till.py`.\n- Read `docs/guide.md` first.\n";

fn shop() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("Makefile", "lint:\n\truff .\n");
    sandbox.write("src/till.py", "x = 1\n");
    sandbox.write("docs/guide.md", "# Guide\n");
    sandbox.write("AGENTS.md", LINES);
    sandbox.commit("start");
    sandbox.write("Makefile", "check:\n\truff .\n");
    sandbox.git("rm -q docs/guide.md");
    sandbox.write("docs/handbook.md", "Other words.\n");
    sandbox.git("add -A");
    sandbox.commit("Rename the target, write a handbook");
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &str) -> String {
    let agent = sandbox.path("../agent/agent.sh").display().to_string();
    sandbox
        .run(&format!("check --fix --with \"sh {agent}\" {arguments}"))
        .text()
}

#[test]
fn only_lines_whose_claims_hold_are_written() {
    let sandbox = shop();
    let first = json!({ "id": 0, "line": "- Run `make check` before a commit; the code is in `src/till.py`." });
    let wrong = json!({ "id": 1, "line": "- Read `docs/manual.md` first." });
    let right = json!({ "id": 1, "line": "- Read `docs/handbook.md` first." });
    prepare(
        &sandbox,
        &[
            json!({ "corrections": [first, wrong] }),
            json!({ "corrections": [right] }),
        ],
    );
    let text = run(&sandbox, "--yes");
    let expected = LINES
        .replace("make lint", "make check")
        .replace("guide.md", "handbook.md");
    assert_eq!(sandbox.read("AGENTS.md"), expected, "{text}");
    let request = sandbox.read("../agent/request-0.json");
    assert!(request.contains("docs/handbook.md"), "{request}");
    let again = sandbox.read("../agent/request-1.json");
    assert!(again.contains("`docs/manual.md` is not there"), "{again}");
}

#[test]
fn an_error_is_not_deleted_together_with_what_was_right() {
    let sandbox = shop();
    let shorter =
        json!({ "id": 0, "line": "- Run the linter before a commit; the code is there." });
    let gone = json!({ "id": 1, "line": "-" });
    let answer = json!({ "corrections": [shorter, gone] });
    prepare(&sandbox, &[answer.clone(), answer]);
    let text = run(&sandbox, "--yes");
    assert_eq!(sandbox.read("AGENTS.md"), LINES, "{text}");
    let again = sandbox.read("../agent/request-1.json");
    assert!(
        again.contains("`src/till.py` was right, and is gone"),
        "{again}"
    );
}

#[test]
fn nothing_is_written_without_a_question() {
    let sandbox = shop();
    let line = "- Run `make check` before a commit; the code is in `src/till.py`.";
    let answer = json!({ "corrections": [{ "id": 0, "line": line }] });
    prepare(&sandbox, &[answer]);
    let text = run(&sandbox, "");
    assert!(text.contains(&format!("+{line}")), "{text}");
    assert!(text.contains("1 correction not written"), "{text}");
    assert_eq!(sandbox.read("AGENTS.md"), LINES);
}
