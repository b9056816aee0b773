//! `memory stats`.

use expect_test::expect;
use serde_json::json;

use crate::sandbox::Sandbox;

#[test]
fn memories_and_anchors_are_counted() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory add \"Be kind\" --scope universal --type decision");
    sandbox.remove("web/html.ts");
    sandbox.edit("shop/accounts.py", "r=8", "r=16");
    sandbox.session(expect![[r#"
        $ cerberus memory stats --show-anchors
        memories		6
        type	decision	1
        type	rule	5
        scope	project:shop	5
        scope	universal	1
        status	active	6
        anchored		4 (80.0 %)
        rules		5
        rules	anchored	4
        rules	waiting	1
        rules	process	0
        rules	no example	0
        anchor	fresh	2
        anchor	edited	1
        anchor	gone	1

        close-session	fresh	Q	shop/db.py::request_session
        escape-html	gone	Q	web/html.ts::escapeHtml
        hash-passwords	edited	Q	shop/accounts.py::AccountStore.hash_password
        limit-clients	fresh	Q	api/limit.go::Limiter.RejectClient
        [exit 0]
    "#]]);
}

#[test]
fn an_empty_bank_has_no_percentage() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory stats
        memories		0
        anchored		0
        rules		0
        rules	anchored	0
        rules	waiting	0
        rules	process	0
        rules	no example	0
        [exit 0]

        $ cerberus memory stats --json
        {
          "anchored": 0,
          "anchoredPercent": null,
          "anchorsByState": {},
          "brokenLinks": 0,
          "byScope": {},
          "byStatus": {},
          "byType": {},
          "links": 0,
          "memories": 0,
          "noExample": 0,
          "rules": {
            "anchored": 0,
            "noExample": 0,
            "process": 0,
            "total": 0,
            "waiting": 0
          },
          "warnings": []
        }
        [exit 0]
    "#]]);
}

#[test]
fn import_review_report_and_stats_have_the_same_numbers_of_rules() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "AGENTS.md",
        "# Rules\n\n- Escape HTML entities in text before it is rendered as markup\n- Always hang velvet curtains\n- Ask the maintainers before you add a dependency\n- Never sell coffee\n",
    );
    sandbox.ok("memory import");
    sandbox.ok("memory anchor never-sell-coffee --none");
    sandbox.ok("memory add \"Be kind\" --scope universal");
    sandbox.ok("memory add \"The shop is old\" --type fact");
    let rules = sandbox.json("memory stats")["rules"].clone();
    assert_eq!(
        (&rules["total"], &rules["noExample"]),
        (&json!(5), &json!(2)),
        "{rules}"
    );
    let n = |key: &str| rules[key].as_u64().expect("a number");
    assert_eq!(
        n("anchored") + n("waiting") + n("process") + n("noExample"),
        n("total")
    );
    assert_eq!(sandbox.json("memory report")["counts"]["rules"], rules);
    assert_eq!(sandbox.json("memory import")["rules"], rules);
    let review = sandbox.json("memory review");
    assert_eq!(review["rules"], rules);
    assert_eq!(
        (review["total"].as_u64(), review["skippedProcess"].as_u64()),
        (Some(n("waiting")), Some(n("process")))
    );
    let line = format!(
        "5 rules: {} anchored, {} waiting, {} process, {} no example\n",
        n("anchored"),
        n("waiting"),
        n("process"),
        n("noExample")
    );
    for command in [
        "memory import",
        "memory review --list",
        "memory report --html ../page.html",
    ] {
        let printed = sandbox.run(command).text();
        assert!(printed.contains(&line), "{command}: {printed}");
    }
    let printed = sandbox.run("memory stats").text();
    assert!(
        printed.contains(&format!("rules\twaiting\t{}\n", n("waiting"))),
        "{printed}"
    );
}
