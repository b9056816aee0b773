//! The life cycle of a rule: it is anchored, the code changes, and the anchor follows.

use expect_test::expect;

use crate::project::RULES;
use crate::sandbox::Sandbox;

#[test]
fn every_rule_with_an_example_finds_it() {
    let sandbox = Sandbox::anchored();
    for (id, text, example) in RULES {
        let shown = sandbox.json(&format!("memory show {id}"));
        let memory = &shown["memories"][0];
        let anchor = &memory["anchor"];
        let found = anchor["file"].as_str().zip(anchor["symbol"].as_str());
        assert_eq!(
            (memory["text"].as_str(), found),
            (Some(*text), *example),
            "{id}"
        );
    }
}

#[test]
fn an_anchor_follows_a_moved_file_and_a_renamed_class() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv shop/accounts.py shop/members.py");
    sandbox.edit("shop/members.py", "AccountStore", "MemberStore");
    let before = sandbox.lock();
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --check
        fresh	3
        renamed	1
        renamed hash-passwords: shop/accounts.py::AccountStore.hash_password → shop/members.py::MemberStore.hash_password
          the same code is now at `shop/members.py::MemberStore.hash_password`
        anchors are out of date: run `cerberus memory reanchor`, resolve the findings, commit anchors.lock
        [exit 1]
    "#]]);
    assert_eq!(sandbox.lock(), before, "a check writes nothing");
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor
        fresh	3
        renamed	1
        renamed hash-passwords: shop/accounts.py::AccountStore.hash_password → shop/members.py::MemberStore.hash_password
          the same code is now at `shop/members.py::MemberStore.hash_password`
        recorded 1, nothing to decide
        [exit 0]
    "#]]);
    sandbox.session(expect![[r#"
        $ cerberus memory reanchor --check --strict
        fresh	4
        all anchors are up to date
        [exit 0]
    "#]]);
    let settled = sandbox.lock();
    sandbox.ok("memory reanchor");
    assert_eq!(sandbox.lock(), settled, "a second run changes nothing");
}

#[test]
fn the_output_is_the_same_without_a_store() {
    let sandbox = Sandbox::anchored();
    sandbox.commit("as it is");
    let lines = [
        "memory show --anchored",
        "memory search password --content",
        "memory stats --show-anchors",
        "memory reanchor --check",
        "memory anchor-test \"close the database session\"",
    ];
    let answers = |sandbox: &Sandbox| lines.map(|line| sandbox.ok(line));
    let before = answers(&sandbox);
    sandbox.remove(".memories/indices");
    assert_eq!(answers(&sandbox), before, "without its store");
    assert_eq!(
        sandbox.git("status --porcelain"),
        "",
        "the store is none of git's business"
    );

    sandbox.git("clone -q . ../clone");
    let clone = sandbox.beside("clone");
    assert_eq!(answers(&clone), before, "in a fresh clone");
    assert_eq!(clone.lock(), sandbox.lock());
    assert_eq!(clone.git("status --porcelain"), "");
}

#[test]
fn reading_a_handwritten_bank_changes_no_file() {
    let sandbox = Sandbox::shop();
    sandbox.memory("note", "Close sessions early.\n");
    sandbox.commit("a bank without a .gitignore");
    for line in [
        "memory show",
        "memory search close",
        "memory anchor-test \"close session\"",
    ] {
        sandbox.ok(line);
        assert_eq!(sandbox.git("status --porcelain"), "", "after {line}");
    }
}
