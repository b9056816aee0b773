//! `memory feedback`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn feedback_is_counted_by_verdict() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory feedback hash --good
        noted that hash-passwords has helped
        [exit 0]

        $ cerberus memory feedback escape --good
        noted that escape-html has helped
        [exit 0]

        $ cerberus memory feedback escape --bad
        noted that escape-html has not helped
        [exit 0]

        $ cerberus memory feedback hang --bad --json
        {
          "anchored": false,
          "good": false,
          "id": "hang-curtains",
          "warnings": []
        }
        [exit 0]

        $ cerberus memory stats
        memories		5
        type	rule	5
        scope	project:shop	5
        status	active	5
        anchored		4 (80.0 %)
        anchor	fresh	4
        approval	with example	2 of 3 (66.7 %)
        approval	without example	0 of 1 (0.0 %)
        [exit 0]

        $ cerberus memory feedback nothing --good
        --- stderr
        cerberus: memory `nothing` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory feedback hash
        --- stderr
        error: the following required arguments were not provided:
          <--good|--bad>

        Usage: cerberus memory feedback <--good|--bad> <ID>

        For more information, try '--help'.
        [exit 2]

        $ cerberus memory feedback hash --good --bad
        --- stderr
        error: the argument '--good' cannot be used with '--bad'

        Usage: cerberus memory feedback <--good|--bad> <ID>

        For more information, try '--help'.
        [exit 2]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
}
