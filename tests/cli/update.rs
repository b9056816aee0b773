//! `memory update`.

use expect_test::expect;

use crate::sandbox::Sandbox;

const MEMORY: &str = "---\n# mine\ntype: plan\nowner: jo # unknown\ntags:\n  - a\nstatus: active # for now\n\
    created_at: 2025-01-15\n---\n\n# Plan\n\nOld.\n\n## Steps\n\n- one\n";

#[test]
fn the_body_is_replaced_and_the_frontmatter_unchanged() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    sandbox.session(expect![[r#"
        $ cerberus memory update plan --section steps --content "- two" --json
        {
          "file": "plan.md",
          "id": "plan",
          "section": "steps",
          "warnings": [],
          "written": true
        }
        [exit 0]

        $ cerberus memory update plan --section steps --content "- two"
        unchanged plan section steps (plan.md)
        [exit 0]

        $ cerberus memory update plan --content "All new."
        updated plan (plan.md)
        [exit 0]

        $ cerberus memory update plan --content "All new."
        unchanged plan (plan.md)
        [exit 0]
    "#]]);
    expect![[r#"
        ---
        # mine
        type: plan
        owner: jo # unknown
        tags:
          - a
        status: active # for now
        created_at: 2025-01-15
        updated_at: "2026-01-02T03:04:05Z"
        ---

        All new.
    "#]]
    .assert_eq(&sandbox.read(".memories/plan.md"));
}

#[test]
fn frontmatter_keys_are_set_and_nothing_else_changes() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    sandbox.memory("bare", "Bare.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory update plan --status archived --tag b --tag "c d" --category ship --scope universal --hint "one,two"
        updated plan (plan.md)
        [exit 0]

        $ cerberus memory update plan --status archived --tag b --tag "c d" --category ship --scope universal --hint "one two"
        unchanged plan (plan.md)
        [exit 0]

        $ cerberus memory update plan --tag ""
        updated plan (plan.md)
        [exit 0]

        $ cerberus memory update bare --status archived
        updated bare (bare.md)
        [exit 0]

        $ cerberus memory update plan --status archvied
        --- stderr
        cerberus: invalid value `archvied` for `--status <STATUS>`: unknown status `archvied`: expected one of active, proposed, archived
        hint: see cerberus memory update --help
        [exit 2]
    "#]]);
    expect![[r#"
        ---
        # mine
        type: plan
        category: ship
        scope: universal
        owner: jo # unknown
        tags: []
        hints: [one, two]
        status: archived # for now
        created_at: 2025-01-15
        updated_at: "2026-01-02T03:04:05Z"
        ---

        # Plan

        Old.

        ## Steps

        - one
    "#]]
    .assert_eq(&sandbox.read(".memories/plan.md"));
    expect![[r#"
        ---
        type: fact
        status: archived
        ---

        Bare.
    "#]]
    .assert_eq(&sandbox.read(".memories/bare.md"));
    assert_eq!(
        sandbox.run("memory search plan").status(),
        1,
        "archived memories are not found"
    );
}

#[test]
fn an_unchanged_memory_is_not_rewritten() {
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
    sandbox.ok("memory update plan --status active --type plan --tag a");
    let outcome = sandbox.piped("memory update plan", MEMORY);
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert_eq!(
        (sandbox.read(".memories/plan.md").as_str(), modified()),
        (MEMORY, before)
    );
}

#[test]
fn the_frontmatter_of_the_content_is_ignored() {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "file",
        format!("\u{FEFF}{}", MEMORY.replace("# mine\n", "id: plan\n")),
    );
    sandbox.write("new.md", "---\ntags: [new]\n---\nNew.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory update plan --file new.md
        updated plan (file.md)
        --- stderr
        warning: the frontmatter of the content is ignored: set its fields with options
        [exit 0]
    "#]]);
    let text = sandbox.read(".memories/file.md");
    assert!(
        text.starts_with("\u{FEFF}---\nid: plan\n") && !text.contains("new"),
        "{text}"
    );
}

#[test]
fn an_edit_that_damages_the_memory_is_refused() {
    let sandbox = Sandbox::bank();
    let memory = "---\n{status: active}\n---\n# Plan\n<!-- ANCHOR:in -->x<!-- /ANCHOR:in -->\n";
    sandbox.memory("plan", memory);
    sandbox.memory("yaml", "---\ntags: [a\n---\nText\n");
    sandbox.session(expect![[r#"
        $ cerberus memory update plan --status archived
        --- stderr
        cerberus: plan.md: failed to set `status`: the frontmatter is not lines of `key: value`
        hint: rewrite the frontmatter, or set `status` in an editor
        [exit 2]

        $ cerberus memory update yaml --status archived
        --- stderr
        cerberus: yaml.md:2: failed to read the frontmatter: unclosed bracket '['
        hint: write it as lines of `key: value`
        [exit 2]

        $ cerberus memory update plan --section plan --content x
        --- stderr
        cerberus: plan.md:5: section `plan` contains tags of other sections
        hint: replace the sections inside it instead: in
        [exit 2]

        $ cerberus memory update plan --section missing --content x
        --- stderr
        cerberus: plan.md: section `missing` not found
        hint: its sections are plan, in
        [exit 2]

        $ cerberus memory update plan
        --- stderr
        cerberus: the content is empty
        hint: pass it with `--content TEXT`, `--file FILE` or standard input
        [exit 2]

        $ cerberus memory update plan --category " "
        --- stderr
        cerberus: the category is empty
        hint: specify one, for example `--category db`
        [exit 2]
    "#]]);
    assert_eq!(sandbox.read(".memories/plan.md"), memory);
    sandbox.ok("memory update yaml --content New.");
    assert_eq!(
        sandbox.read(".memories/yaml.md"),
        "---\ntags: [a\n---\nNew.\n"
    );
}

#[test]
fn an_updated_memory_keeps_its_anchor() {
    let sandbox = Sandbox::anchored();
    let lock = sandbox.lock();
    sandbox.ok("memory update escape-html --content \"Escape HTML entities, always\"");
    assert_eq!(sandbox.lock(), lock);
    let outcome = sandbox.run("memory update escape-html --scope universal");
    assert!(outcome.stderr().contains("--clear"), "{}", outcome.text());
}
