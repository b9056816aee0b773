//! `memory append`.

use expect_test::expect;

use crate::sandbox::Sandbox;

const MEMORY: &str = "\u{FEFF}---\r\n# mine\r\ntype: plan\r\nowner: jo # unknown\r\ncreated_at: 2025-01-15\r\n---\r\n\r\n\
    ## Steps\r\n- one\r\n\r\n<!-- ANCHOR:notes -->\r\nold\r\n<!-- /ANCHOR:notes -->\r\nend";

#[test]
fn appending_the_same_text_twice_adds_it_once() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    sandbox.session(expect![[r#"
        $ cerberus memory append pl --content more
        appended to plan (plan.md)
        [exit 0]

        $ cerberus memory append plan --content more
        unchanged plan (plan.md)
        [exit 0]

        $ cerberus memory append plan --section notes --content new --json
        {
          "file": "plan.md",
          "id": "plan",
          "section": "notes",
          "warnings": [],
          "written": true
        }
        [exit 0]

        $ cerberus memory append plan --section note --content new
        --- stderr
        cerberus: plan.md: section `note` not found
        hint: did you mean `notes`?
        [exit 2]

        $ cerberus memory append plan --section notes --content new
        unchanged plan section notes (plan.md)
        [exit 0]
    "#]]);
    expect![[r#"
        ﻿---␍
        # mine␍
        type: plan␍
        owner: jo # unknown␍
        created_at: 2025-01-15␍
        updated_at: "2026-01-02T03:04:05Z"␍
        ---␍
        ␍
        ## Steps␍
        - one␍
        ␍
        <!-- ANCHOR:notes -->␍
        old␍
        ␍
        new␍
        <!-- /ANCHOR:notes -->␍
        end␍
        ␍
        more"#]]
    .assert_eq(&sandbox.read(".memories/plan.md").replace('\r', "␍"));
}

#[test]
fn a_text_may_start_with_a_dash() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", "Steps:\n");
    sandbox.ok("memory append plan \"- tag it\"");
    sandbox.ok("memory add \"- Close the session\" --id close --no-anchor");
    assert!(sandbox.read(".memories/plan.md").ends_with("- tag it\n"));
    sandbox.session(expect![[r#"
        $ cerberus memory append plan --secton
        --- stderr
        cerberus: invalid value `--secton` for `[TEXT]`: no such option, and a text has several words
        hint: see cerberus memory append --help
        [exit 2]
    "#]]);
}

#[test]
fn text_that_already_ends_the_file_is_not_appended() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    let path = sandbox.path(".memories/plan.md");
    let modified = || {
        std::fs::metadata(&path)
            .expect("there")
            .modified()
            .expect("a time")
    };
    let before = modified();
    sandbox.ok("memory append plan --content end");
    sandbox.ok("memory append plan --section notes --content old");
    assert_eq!(
        (sandbox.read(".memories/plan.md").as_str(), modified()),
        (MEMORY, before)
    );
}

#[test]
fn append_does_not_add_dates() {
    let sandbox = Sandbox::bank();
    sandbox.memory("a", "One.");
    sandbox.memory("b", "---\nmine: 1\n---\nOne.\n");
    for id in ["a", "b"] {
        sandbox.ok(&format!("memory append {id} --content Two."));
    }
    assert_eq!(sandbox.read(".memories/a.md"), "One.\n\nTwo.");
    assert_eq!(
        sandbox.read(".memories/b.md"),
        "---\nmine: 1\n---\nOne.\n\nTwo.\n"
    );
}

#[test]
fn an_edit_that_damages_the_memory_is_refused() {
    let sandbox = Sandbox::bank();
    let memory = "# Plan\n\n<!-- ANCHOR:open -->\n\n## Steps\n\n- one\n";
    sandbox.memory("plan", memory);
    sandbox.memory(
        "torn",
        "## A\n<<<<<<< ours\nx\n=======\ny\n>>>>>>> theirs\n",
    );
    sandbox.memory("latin", b"Caf\xE9 is open.\n");
    sandbox.memory("full", "word ".repeat(20_478));
    sandbox.write("fence.md", "```\nopen\n");
    sandbox.write("heading.md", "## Other\n");
    sandbox.session(expect![[r#"
        $ cerberus memory append plan --section stpes --content x
        --- stderr
        cerberus: plan.md: section `stpes` not found
        hint: did you mean `steps`?
        [exit 2]

        $ cerberus memory append plan --section zebra --content x
        --- stderr
        cerberus: plan.md: section `zebra` not found
        hint: its sections are plan, steps
        [exit 2]

        $ cerberus memory append plan --section open --content x
        --- stderr
        cerberus: plan.md:3: section `open`, opened on line 3, is never closed
        hint: add `<!-- /ANCHOR:open -->` where it ends
        [exit 2]

        $ cerberus memory append plan --section steps --content "<!-- ANCHOR:x -->y<!-- /ANCHOR:x -->"
        --- stderr
        cerberus: plan.md: the content contains section tags
        hint: omit them: the tags of the section stay in place
        [exit 2]

        $ cerberus memory append plan --section steps --file heading.md
        --- stderr
        cerberus: plan.md: the content would end section `steps`, or start another
        hint: use headings below the section's own, and close the code blocks that it opens
        [exit 2]

        $ cerberus memory append torn --section a --content x
        --- stderr
        cerberus: torn.md:2: the memory contains a merge conflict
        hint: resolve it in an editor first
        [exit 2]

        $ cerberus memory append latin --content x
        --- stderr
        cerberus: `latin.md` is not valid UTF-8 at byte 3; editing it would lose data
        hint: save it as UTF-8 in an editor first
        [exit 2]

        $ cerberus memory append full --content "one word more than it may have"
        --- stderr
        cerberus: the memory has 101 KB, more than the limit of 100 KB
        hint: split it
        [exit 2]

        $ cerberus memory append nobody --content x
        --- stderr
        cerberus: memory `nobody` not found
        hint: list the memories with `cerberus memory show`
        [exit 2]

        $ cerberus memory append plan --content ""
        --- stderr
        cerberus: the content is empty
        hint: pass it with `--content TEXT`, `--file FILE` or standard input
        [exit 2]
    "#]]);
    assert_eq!(sandbox.read(".memories/plan.md"), memory);
}
