//! `memory stats`.

use expect_test::expect;

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
        [exit 0]

        $ cerberus memory stats --json
        {
          "anchored": 0,
          "anchoredPercent": null,
          "anchorsByState": {},
          "approval": {
            "withExample": {
              "bad": 0,
              "good": 0,
              "percent": null
            },
            "withoutExample": {
              "bad": 0,
              "good": 0,
              "percent": null
            }
          },
          "brokenLinks": 0,
          "byScope": {},
          "byStatus": {},
          "byType": {},
          "links": 0,
          "memories": 0,
          "noExample": 0,
          "warnings": []
        }
        [exit 0]
    "#]]);
}
