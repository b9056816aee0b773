//! `memory merge`.

use expect_test::expect;

use crate::sandbox::Sandbox;

fn bank() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.memory("old", "---\ntype: rule\ntags: [db, go]\ncreated_at: 2025-03-01\n---\n\n# Old\n\nOld text, see [[memory:second#part]].\n");
    sandbox.memory("deep/second", "---\nid: second\ntype: fact\ntags: [DB, web]\ncreated_at: 2025-02-01\n---\r\n\r\nSecond.\r\n");
    sandbox.memory("linker", "---\nlinks: [\"memory:old\", other]\n---\r\n[[old]], [[memory:old|the old]], [[./deep/second.md]], `[[old]]`, [[supersedes::memory:second#part]], [[src/old::old]].\r\n");
    sandbox
}

#[test]
fn sources_become_one_memory_and_links_are_redirected() {
    let sandbox = bank();
    let old = sandbox.read(".memories/old.md");
    sandbox.session(expect![[r#"
        $ cerberus memory merge old second --into db/all
        merged into the new db/all (db/all.md)
          old moved to the trash as .trash/old.md
          second moved to the trash as .trash/deep/second.md
          linker: 5 links redirected
        [exit 0]

        $ cerberus memory merge old second --into db/all
        unchanged db/all (db/all.md)
        --- stderr
        warning: `old` is already merged into `db/all`
        warning: `second` is already merged into `db/all`
        [exit 0]
    "#]]);
    expect![[r#"
        ---
        type: rule
        scope: project:shop
        tags: [db, go, web]
        created_at: "2025-02-01T00:00:00Z"
        updated_at: "2026-01-02T03:04:05Z"
        ---

        <!-- merged from old -->

        # Old

        Old text, see [[memory:db/all#part]].

        <!-- merged from second -->

        Second.
    "#]]
    .assert_eq(&sandbox.read(".memories/db/all.md"));
    expect![[r#"
        ---
        links: [memory:db/all, other]
        ---␍
        [[db/all]], [[memory:db/all|the old]], [[db/all.md]], `[[old]]`, [[supersedes::memory:db/all#part]], [[src/old::old]].␍
    "#]].assert_eq(&sandbox.read(".memories/linker.md").replace('\r', "␍"));
    assert_eq!(sandbox.read(".memories/.trash/old.md"), old);
    sandbox.ok("memory restore old");
    assert_eq!(sandbox.read(".memories/old.md"), old);
}

#[test]
fn an_existing_target_keeps_its_text() {
    let sandbox = bank();
    sandbox.memory(
        "target",
        "---\nowner: jo # mine\ntags: [x] # some\nupdated_at: 2025-01-01\n---\nThe target.",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory merge target old old second --into target --json
        {
          "anchorFrom": null,
          "created": false,
          "file": "target.md",
          "id": "target",
          "merged": [
            {
              "anchored": false,
              "file": ".trash/old.md",
              "id": "old",
              "name": "old"
            },
            {
              "anchored": false,
              "file": ".trash/deep/second.md",
              "id": "second",
              "name": "deep/second"
            }
          ],
          "redirected": [
            {
              "id": "linker",
              "links": 5
            }
          ],
          "warnings": []
        }
        [exit 0]
    "#]]);
    expect![[r#"
        ---
        owner: jo # mine
        tags: [x, db, go, web] # some
        updated_at: "2026-01-02T03:04:05Z"
        ---
        The target.

        <!-- merged from old -->

        # Old

        Old text, see [[memory:target#part]].

        <!-- merged from second -->

        Second."#]]
    .assert_eq(&sandbox.read(".memories/target.md"));
}

#[test]
fn a_summary_replaces_the_merged_texts() {
    let sandbox = bank();
    let summary = "---\ntype: decision\nmine: 1\n---\nBoth in short.\n";
    let outcome = sandbox.piped("memory merge old second --into short --file -", summary);
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    expect![[r#"
        ---
        type: decision
        mine: 1
        ---

        Both in short.

        <!-- merged from old -->
        <!-- merged from second -->
    "#]]
    .assert_eq(&sandbox.read(".memories/short.md"));
}

#[test]
fn the_best_anchor_is_moved_to_the_target() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory merge escape-html close-session --into both
        merged into the new both (both.md)
          escape-html moved to the trash as .trash/escape-html.md
          close-session moved to the trash as .trash/close-session.md
          anchored to the example of close-session
        --- stderr
        warning: the anchor of `escape-html` is dropped: web/html.ts::escapeHtml
        [exit 0]
    "#]]);
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
    assert!(sandbox.json("memory show both")["memories"][0]["anchor"].is_object());
    sandbox.ok("memory restore close-session");
    assert!(sandbox.json("memory show close-session")["memories"][0]["anchor"].is_object());
}

#[test]
fn an_impossible_merge_is_refused_and_changes_nothing() {
    let sandbox = bank();
    sandbox.memory("fence", "```\nnever closed\n");
    sandbox.memory("latin", b"Caf\xE9\n");
    sandbox.memory("large", "word ".repeat(20_460));
    sandbox.commit("a bank");
    sandbox.session(expect![[r#"
        $ cerberus memory merge old nobody --into new
        --- stderr
        cerberus: memory `nobody` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory merge old --into old
        --- stderr
        cerberus: nothing to merge into `old`
        hint: specify memories other than the target
        [exit 2]

        $ cerberus memory merge old --into ../new
        --- stderr
        cerberus: `../new` is not a valid memory id: no part of it may be empty or start or end with a dot
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]

        $ cerberus memory merge fence old --into new
        --- stderr
        cerberus: new.md: the text of `fence` ends inside a code block or comment
        hint: close it first, in an editor or with `cerberus memory update`
        [exit 2]

        $ cerberus memory merge old latin --into new
        --- stderr
        cerberus: `latin.md` is not valid UTF-8 at byte 3; editing it would lose data
        hint: save it as UTF-8 in an editor first
        [exit 2]

        $ cerberus memory merge old large --into new
        --- stderr
        cerberus: the memory has 101 KB, more than the limit of 100 KB
        hint: split it
        [exit 2]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
    let merged = sandbox.run("memory merge old fence --into new");
    assert_eq!(merged.status(), 0, "nothing is below it: {}", merged.text());
}

#[test]
fn a_merge_whose_sources_cannot_be_moved_changes_nothing() {
    let sandbox = bank();
    let files = ["linker.md", "anchors.lock", "old.md"].map(|file| format!(".memories/{file}"));
    let read = || {
        files
            .clone()
            .map(|file| std::fs::read(sandbox.path(&file)).ok())
    };
    let before = read();
    sandbox.write(".memories/.trash", "a file in place of the folder");
    for target in ["all", "linker"] {
        let outcome = sandbox.run(&format!("memory merge old second --into {target}"));
        assert!(outcome.status() > 1, "{}", outcome.text());
        assert_eq!(read(), before, "{target}");
        assert!(!sandbox.path(".memories/all.md").exists(), "{target}");
    }
}
