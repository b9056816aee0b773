//! `memory delete` and `memory restore`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn restore_brings_back_the_memory_and_its_anchor() {
    let sandbox = Sandbox::anchored();
    let (memory, lock) = (sandbox.read(".memories/escape-html.md"), sandbox.lock());
    sandbox.session(expect![[r#"
        $ cerberus memory delete escape close-session
        escape-html moved to the trash as .trash/escape-html.md, with its anchor
        close-session moved to the trash as .trash/close-session.md, with its anchor
        undo with: cerberus memory restore escape-html
        undo with: cerberus memory restore close-session
        [exit 0]

        $ cerberus memory show escape-html
        --- stderr
        cerberus: memory `escape-html` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory restore escape-html
        escape-html restored as escape-html.md, with its anchor
        [exit 0]
    "#]]);
    assert_eq!(sandbox.read(".memories/escape-html.md"), memory);
    sandbox.ok("memory restore close-session");
    assert_eq!(sandbox.lock(), lock);
    assert_eq!(sandbox.git("status --porcelain"), "");
}

#[test]
fn several_memories_are_deleted_all_or_none() {
    let sandbox = Sandbox::anchored();
    sandbox.session(expect![[r#"
        $ cerberus memory delete escape-html escape-hmtl
        --- stderr
        cerberus: memory `escape-hmtl` not found
        hint: did you mean `escape-html`?
        [exit 2]
    "#]]);
    assert_eq!(sandbox.git("status --porcelain"), "");
    sandbox.ok("memory delete escape-html escape-html");
}

#[test]
fn the_most_recently_deleted_is_restored_first() {
    let sandbox = Sandbox::bank();
    for text in ["one", "two"] {
        sandbox.ok(&format!("memory add {text} --id same --no-anchor"));
        sandbox.ok("memory delete same");
    }
    sandbox.ok("memory restore same");
    assert!(sandbox.read(".memories/same.md").contains("two"));
    sandbox.session(expect![[r#"
        $ cerberus memory restore same
        --- stderr
        cerberus: memory `same` already exists in `same.md`
        hint: choose another id, or show it with `cerberus memory show same`
        [exit 2]
    "#]]);
    assert!(
        sandbox.read(".memories/same.md").contains("two"),
        "what is there stays"
    );
    sandbox.ok("memory delete same");
    sandbox.ok("memory restore same");
    assert!(sandbox.read(".memories/same.md").contains("two"));
}

#[test]
fn an_id_that_is_not_in_the_trash_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add one --id one --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory restore one
        --- stderr
        cerberus: trashed memory `one` not found
        hint: the trash is empty
        [exit 2]

        $ cerberus memory delete one
        one moved to the trash as .trash/one.md
        undo with: cerberus memory restore one
        [exit 0]

        $ cerberus memory restore oen
        --- stderr
        cerberus: trashed memory `oen` not found
        hint: the trash contains: one
        [exit 2]
    "#]]);
    sandbox.session(expect![[r#"
        $ cerberus memory restore ../one
        --- stderr
        cerberus: trashed memory `../one` not found
        hint: the trash contains: one
        [exit 2]

        $ cerberus memory restore zzz
        --- stderr
        cerberus: trashed memory `zzz` not found
        hint: the trash contains: one
        [exit 2]
    "#]]);
}

#[test]
fn a_memory_in_a_folder_is_deleted_and_restored() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add one --id deep/er/one --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory delete deep/er/one
        deep/er/one moved to the trash as .trash/deep/er/one.md
        undo with: cerberus memory restore deep/er/one
        [exit 0]

        $ cerberus memory restore deep/er/one --json
        {
          "moved": [
            {
              "anchored": false,
              "file": "deep/er/one.md",
              "id": "deep/er/one",
              "name": "deep/er/one"
            }
          ],
          "warnings": []
        }
        [exit 0]
    "#]]);
    assert!(sandbox.exists(".memories/deep/er/one.md"));
}

#[test]
fn a_frontmatter_id_may_differ_from_the_file_name() {
    let sandbox = Sandbox::bank();
    sandbox.memory("file", "---\nid: name\n---\nText.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory delete name
        name moved to the trash as .trash/file.md
        undo with: cerberus memory restore file
        [exit 0]

        $ cerberus memory restore file
        name restored as file.md
        [exit 0]
    "#]]);
}

#[test]
fn an_id_that_is_in_use_again_is_not_restored() {
    let sandbox = Sandbox::bank();
    sandbox.memory("file", "---\nid: name\n---\nThe old one.\n");
    sandbox.ok("memory delete name");
    sandbox.ok("memory add \"The new one\" --id name --no-anchor");
    let outcome = sandbox.run("memory restore file");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
    assert!(sandbox.ok("memory show name").contains("The new one"));
}

#[test]
fn the_newest_is_restored_after_trash_files_were_removed_by_hand() {
    let sandbox = Sandbox::bank();
    for text in ["one", "two", "three"] {
        sandbox.ok(&format!("memory add {text} --id same --no-anchor"));
        sandbox.ok("memory delete same");
    }
    sandbox.remove(".memories/.trash/same.md");
    sandbox.remove(".memories/.trash/same~2.md");
    sandbox.ok("memory add four --id same --no-anchor");
    sandbox.ok("memory delete same");
    sandbox.ok("memory restore same");
    assert!(sandbox.read(".memories/same.md").contains("four"));
    assert!(sandbox.read(".memories/.trash/same~3.md").contains("three"));
}

#[test]
fn a_name_that_looks_numbered_is_restored_unchanged() {
    let sandbox = Sandbox::bank();
    sandbox.memory("same", "The one.\n");
    sandbox.memory("same~2", "Another.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory delete same~2 same
        same~2 moved to the trash as .trash/same~2~1.md
        same moved to the trash as .trash/same.md
        undo with: cerberus memory restore 'same~2'
        undo with: cerberus memory restore same
        [exit 0]

        $ cerberus memory restore same~2
        same~2 restored as same~2.md
        [exit 0]

        $ cerberus memory restore same
        same restored as same.md
        [exit 0]
    "#]]);
    assert_eq!(sandbox.read(".memories/same~2.md"), "Another.\n");
    assert_eq!(sandbox.read(".memories/same.md"), "The one.\n");
}

#[test]
fn a_leftover_anchor_is_not_given_to_a_new_memory() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory delete escape-html");
    sandbox.remove(".memories/.trash/escape-html.md");
    sandbox.ok("memory add Another. --id escape-html --no-anchor");
    sandbox.ok("memory delete escape-html");
    sandbox.ok("memory restore escape-html");
    assert!(sandbox.json("memory show escape-html")["memories"][0]["anchor"].is_null());
}

#[test]
fn a_unique_prefix_restores_a_memory() {
    let sandbox = Sandbox::bank();
    for id in ["close-sessions", "close-files"] {
        sandbox.ok(&format!("memory add \"About {id}\" --id {id} --no-anchor"));
    }
    sandbox.ok("memory delete close-sessions close-files");
    sandbox.session(expect![[r#"
        $ cerberus memory restore close
        --- stderr
        cerberus: `close` is a prefix of 2 ids
        hint: type more characters of one of: close-files, close-sessions
        [exit 2]

        $ cerberus memory restore close-s
        close-sessions restored as close-sessions.md
        [exit 0]
    "#]]);
    assert!(sandbox.exists(".memories/close-sessions.md"));
}

#[test]
fn a_deletion_names_the_links_that_it_breaks() {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "notes",
        "See [[memory:escape-html]] and [[memory:escape-html|again]], and [[memory:close-session]].\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory delete escape-html
        escape-html moved to the trash as .trash/escape-html.md, with its anchor
        broken: 2 links of notes
        undo with: cerberus memory restore escape-html
        [exit 0]
    "#]]);
    let report = sandbox.json("memory delete close-session");
    assert_eq!(report["brokenLinks"][0]["id"], "notes");
}

#[test]
fn the_trash_is_listed_and_emptied() {
    let sandbox = Sandbox::bank();
    for text in ["one", "two"] {
        sandbox.ok(&format!("memory add {text} --id same --no-anchor"));
        sandbox.ok("memory delete same");
    }
    sandbox.memory("deep/other", "Other.\n");
    sandbox.ok("memory delete deep/other");
    sandbox.session(expect![[r#"
        $ cerberus memory trash
        deep/other
        same
        [exit 0]

        $ cerberus memory trash --empty
        --- stderr
        cerberus: removing the trash needs a confirmation
        hint: confirm it with `cerberus memory trash --empty --yes`
        [exit 2]

        $ cerberus memory trash --empty -y
        removed 2 names for good
        [exit 0]

        $ cerberus memory trash
        the trash is empty
        [exit 0]
    "#]]);
    assert!(!sandbox.exists(".memories/.trash/same.md"));
    assert!(!sandbox.exists(".memories/.trash/deep/other.md"));
}
