//! `memory feedback`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn feedback_is_counted_by_verdict() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory feedback hash --helpful
        recorded hash-passwords as helpful
        [exit 0]

        $ cerberus memory feedback escape --helpful
        recorded escape-html as helpful
        [exit 0]

        $ cerberus memory feedback escape --unhelpful
        recorded escape-html as unhelpful
        [exit 0]

        $ cerberus memory feedback hang --unhelpful --json
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
        rules		5
        rules	anchored	4
        rules	waiting	1
        rules	process	0
        rules	no example	0
        anchor	fresh	4
        approval	with example	2 of 3 (66.7 %)
        approval	without example	0 of 1 (0.0 %)
        [exit 0]

        $ cerberus memory feedback nothing --helpful
        --- stderr
        cerberus: memory `nothing` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory feedback hash
        --- stderr
        cerberus: the following required arguments were not provided: <--helpful|--unhelpful>
        hint: see cerberus memory feedback --help
        [exit 2]

        $ cerberus memory feedback hash --helpful --unhelpful
        --- stderr
        cerberus: the argument `--helpful` cannot be used with `--unhelpful`
        hint: see cerberus memory feedback --help
        [exit 2]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
}
