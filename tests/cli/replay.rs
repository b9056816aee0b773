//! `memory replay`: the recorded changes of the anchors against the history.

use expect_test::expect;
use serde_json::Value;

use crate::sandbox::Sandbox;

const LOAD: &str = "def load_rows(path, limit):
    rows = []
    with open(path) as source:
        for line in source:
            cells = line.strip().split(\",\")
            if len(cells) > limit:
                raise ValueError(cells)
            rows.append(cells)
    return rows
";

const STORE: &str = "def store_rows(path, rows):
    with open(path, \"w\") as target:
        for cells in rows:
            target.write(\",\".join(cells))
            target.write(\"\\n\")
    return len(rows)
";

/// A project whose anchors were moved by a rename, set to another example by hand, lost by a
/// rewrite, followed and then corrected, and moved without a record.
fn project() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("rows.py", format!("{LOAD}\n\n{STORE}"));
    sandbox.write("more.py", LOAD.replace("load_rows", "load_more").replace("limit", "bound"));
    sandbox.commit("code");
    for (id, place) in [
        ("follow", "rows.py::load_rows"),
        ("choose", "rows.py::store_rows"),
        ("lose", "more.py::load_more"),
        ("correct", "rows.py::load_rows"),
    ] {
        sandbox.ok(&format!("memory add \"Rule {id}\" --id {id} --anchor-to {place}"));
    }
    sandbox.commit("rules");
    sandbox.git("tag first");
    // A rename that `reanchor` records.
    sandbox.edit("rows.py", "load_rows", "read_rows");
    sandbox.ok("memory reanchor");
    sandbox.commit("rename");
    // Another example by hand, for one anchor after it was followed.
    sandbox.ok("memory anchor choose --to more.py::load_more");
    sandbox.ok("memory anchor correct --to rows.py::store_rows");
    sandbox.commit("choose");
    // The code of `lose` and `choose` is replaced.
    sandbox.write("more.py", "def count(paths):\n    return sum(len(path) for path in paths)\n");
    sandbox.commit("rewrite");
    sandbox.ok("memory anchor lose --to more.py::count");
    sandbox.commit("record");
    // Nobody records this one.
    sandbox.git("mv rows.py tables.py");
    sandbox.commit("move");
    sandbox
}

/// Returns the id and the verdict of each change.
fn verdicts(report: &Value) -> Vec<String> {
    let changes = report["changes"].as_array().expect("changes");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut found: Vec<String> =
        changes.iter().map(|it| format!("{} {}", text(&it["id"]), text(&it["verdict"]))).collect();
    found.sort();
    found
}

#[test]
fn each_recorded_change_is_compared_with_the_history() {
    let sandbox = project();
    let before = sandbox.git("status --porcelain");
    let report = sandbox.json("memory replay");
    assert_eq!(
        verdicts(&report),
        [
            "choose chosen",
            "choose open",
            "correct chosen",
            "correct open",
            "correct wrong",
            "follow followed",
            "follow open",
            "lose lost",
        ],
        "{report:#}"
    );
    let change = |id: &str, verdict: &str| {
        let mut changes = report["changes"].as_array().expect("changes").iter();
        changes.find(|it| it["id"] == id && it["verdict"] == verdict).expect("a change").clone()
    };
    let followed = change("follow", "followed");
    assert_eq!(followed["followed"]["symbol"], "read_rows");
    assert_eq!(followed["steps"].as_array().expect("steps").len(), 1);
    assert_eq!(change("follow", "open")["followed"]["file"], "tables.py");
    assert_eq!(change("choose", "open")["followed"], Value::Null);
    assert_eq!(report["summary"]["wrong"], 1);
    assert_eq!(sandbox.git("status --porcelain"), before, "nothing is written");
}

#[test]
fn since_limits_the_compared_versions() {
    let sandbox = project();
    let report = sandbox.json("memory replay --since HEAD~2");
    assert_eq!(report["versions"], 2);
    let recorded: Vec<String> =
        verdicts(&report).into_iter().filter(|it| !it.ends_with("open")).collect();
    assert_eq!(recorded, ["lose lost"]);
    let all = sandbox.json("memory replay --since first");
    assert_eq!(verdicts(&all).len(), 8, "{all:#}");
}

#[test]
fn a_table_is_printed_and_missing_history_is_an_error() {
    let sandbox = project();
    let printed = sandbox.ok("memory replay");
    let head: Vec<&str> = printed.lines().take_while(|line| !line.starts_with("choose")).collect();
    expect![[r#"
        followed	1
        lost	1
        wrong	1
        chosen	2
        open	3"#]]
    .assert_eq(&head.join("\n"));
    let lines = printed.lines().filter(|line| line.starts_with("  wrong"));
    assert_eq!(lines.count(), 1, "{printed}");
    let empty = Sandbox::bank();
    empty.session(expect![[r#"
        $ cerberus memory replay
        no anchor changed its location in 0 versions of anchors.lock
        [exit 0]

        $ cerberus memory replay --since nothing
        --- stderr
        cerberus: revision `nothing` not found
        hint: name a commit of this clone; a shallow clone may need `git fetch --unshallow`
        [exit 3]
    "#]]);
}
