//! `index`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn index_reports_its_contents() {
    let sandbox = Sandbox::bank();
    sandbox.write("notes.txt", "no code");
    sandbox.session(expect![[r#"
        $ cerberus index
        go	2
        python	3
        typescript	2
        total	7
        0.0 MB of source, 7 files updated, 0 removed, 0 parsed, N ms
        store: $ROOT/shop/.memories/indices/cerberus.db
        [exit 0]
    "#]]);
    let index = |line: &str| {
        let it = sandbox.json(line);
        ["files", "parsed", "changed", "removed"].map(|key| it[key].as_u64().expect("a number"))
    };
    assert_eq!(index("index"), [7, 0, 0, 0]);
    assert_eq!(index("index --full"), [7, 7, 0, 0]);
    sandbox.edit("shop/db.py", "steps", "all_the_steps");
    sandbox.remove("web/html.ts");
    assert_eq!(index("index --full"), [6, 6, 1, 1]);
}

#[test]
fn a_folder_without_code_succeeds() {
    let sandbox = Sandbox::empty();
    let index = sandbox.json("index");
    assert_eq!((&index["files"], &index["warnings"]), (&0.into(), &serde_json::json!([])));
    sandbox.session(expect![[r#"
        $ cerberus memory anchor-test "close the session"
        close the session
        not anchored: no code contains any of its words
        [exit 0]
    "#]]);
}

#[test]
fn excluded_code_is_not_indexed() {
    let sandbox = Sandbox::shop();
    sandbox.write("cerberus.toml", "[anchor]\nexclude = [\"web/**\", \"*.go\"]\n");
    assert_eq!(sandbox.json("index")["languages"], serde_json::json!({"python": 3}));
}
