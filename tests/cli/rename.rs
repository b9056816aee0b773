//! `memory rename`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn the_anchor_and_the_links_follow_a_new_id() {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "notes",
        "---\nlinks: [\"[[memory:escape-html]]\"]\n---\nSee [[memory:escape-html|it]] and [other](escape-html.md).\n",
    );
    let anchored = sandbox.json("memory show escape-html")["memories"][0]["anchor"].clone();
    sandbox.session(expect![[r#"
        $ cerberus memory rename escape web/escape
        renamed escape-html to web/escape, with its anchor
          2 links of notes changed
        [exit 0]

        $ cerberus memory links --broken
        no broken links (2 in total)
        [exit 0]
    "#]]);
    assert!(!sandbox.exists(".memories/escape-html.md"));
    assert_eq!(
        sandbox.json("memory show web/escape")["memories"][0]["anchor"],
        anchored
    );
    expect![[r#"
        ---
        links: ["[[memory:web/escape]]"]
        ---
        See [[memory:web/escape|it]] and [other](escape-html.md).
    "#]]
    .assert_eq(&sandbox.read(".memories/notes.md"));
    sandbox.ok("memory reanchor --check");
}

#[test]
fn an_id_in_the_frontmatter_gives_way_to_the_new_name() {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "file",
        "---\nid: name\ntype: rule\n---\nText, see [[memory:name]].\n",
    );
    sandbox.ok("memory rename name other");
    expect![[r#"
        ---
        type: rule
        ---
        Text, see [[memory:other]].
    "#]]
    .assert_eq(&sandbox.read(".memories/other.md"));
    assert!(!sandbox.exists(".memories/file.md"));
}

#[test]
fn an_id_that_is_used_or_not_valid_is_refused() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory rename escape-html close-session
        --- stderr
        cerberus: memory `close-session` already exists in `close-session.md`
        hint: choose another id, or show it with `cerberus memory show close-session`
        [exit 2]

        $ cerberus memory rename escape-html ../out
        --- stderr
        cerberus: `../out` is not a valid memory id: no part of it may be empty or start or end with a dot
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]

        $ cerberus memory rename nothing other
        --- stderr
        cerberus: memory `nothing` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
}
