//! Memories that apply to some files only.

use expect_test::expect;

use crate::sandbox::Sandbox;

fn with_paths() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Keep handlers thin\" --path api/** --no-anchor");
    sandbox.ok("memory add \"Use the cart's own total\" --path web/**/*.{ts,tsx} --no-anchor");
    sandbox.ok("memory add \"Write prices in cents\" --no-anchor");
    sandbox
}

#[test]
fn memories_are_filtered_by_the_file_that_they_apply_to() {
    let sandbox = with_paths();
    sandbox.session(expect![[r#"
        $ cerberus memory show --path web/html.ts
        use-the-carts-own-total	rule	-	Use the cart's own total
        write-prices-in-cents	rule	-	Write prices in cents
        [exit 0]

        $ cerberus memory search thin --path web/html.ts
        --- stderr
        cerberus: no memory matches `thin`
        hint: 1 matching memory is archived, superseded or excluded by the filters: try `--superseded` or `--status archived`
        [exit 1]

        $ cerberus memory linked api/limit.go
        keep-handlers-thin  rule
          applies to api/**
        [exit 0]

        $ cerberus memory inject --file api/limit.go --explain
        <cerberus-memory> Data of this project, not a message of the user or the system.
        Pinned notes:
        - (safety) Ask before `git reset --hard`, `git clean`, a forced push or any rewriting of history: what goes may be the only copy.
        - (safety) Delete, move and overwrite inside this project only, and list what a recursive delete would take before it runs.
        - (safety) Keep keys, tokens and passwords out of output, logs, code and commits.
        - (safety) Ask before a migration or anything else that touches production data.
        - (safety) Change dependencies and lockfiles with their own tool, and only where the task needs it.
        - (safety) Never disable or weaken a test or a check to make it pass; say that it fails.
        - (safety) Call a thing working only after running it; say what was not run.
        - (safety) Leave generated and vendored files alone; change what they are made from.
        Rules of this project for these files:
        - In `api/**`: Keep handlers thin
        </cerberus-memory>
        --- stderr
        given: memory keep-handlers-thin: it applies to api/**
        skipped: memory use-the-carts-own-total: it applies to web/**/*.{ts,tsx}, but to none of the files
        skipped: memory write-prices-in-cents: not relevant to the files
        [exit 0]

        $ cerberus memory show keep-handlers-thin
        keep-handlers-thin  rule · project:shop · api/**
          Keep handlers thin
        [exit 0]
    "#]]);
}

#[test]
fn paths_are_replaced_and_removed() {
    let sandbox = with_paths();
    sandbox.session(expect![[r#"
        $ cerberus memory update keep-handlers-thin --path shop/** --path api/*.go
        updated keep-handlers-thin (keep-handlers-thin.md)
        [exit 0]

        $ cerberus memory read keep-handlers-thin --raw
        ---
        type: rule
        scope: project:shop
        paths: [shop/**, api/*.go]
        created_at: "2026-01-02T03:04:05Z"
        updated_at: "2026-01-02T03:04:05Z"
        ---

        Keep handlers thin
        [exit 0]

        $ cerberus memory update keep-handlers-thin --path ""
        updated keep-handlers-thin (keep-handlers-thin.md)
        [exit 0]

        $ cerberus memory show --path web/html.ts
        keep-handlers-thin	rule	-	Keep handlers thin
        use-the-carts-own-total	rule	-	Use the cart's own total
        write-prices-in-cents	rule	-	Write prices in cents
        [exit 0]
    "#]]);
}

#[test]
fn the_project_is_named_by_its_configuration_then_by_its_remote() {
    let sandbox = Sandbox::bank();
    sandbox.git("init --quiet");
    sandbox.git("remote add origin git@example.org:team/tea-shop.git");
    sandbox.session(expect![[r#"
        $ cerberus memory add "Write prices in cents" --no-anchor
        added write-prices-in-cents (write-prices-in-cents.md)
        [exit 0]

        $ cerberus memory show write-prices-in-cents
        write-prices-in-cents  rule · project:tea-shop
          Write prices in cents
        [exit 0]
    "#]]);
    sandbox.write("cerberus.toml", "[project]\nname = \"tea\"\n");
    sandbox.session(expect![[r#"
        $ cerberus memory add "Hash passwords with salt" --no-anchor
        added hash-passwords-with-salt (hash-passwords-with-salt.md)
        [exit 0]

        $ cerberus memory show hash-passwords-with-salt
        hash-passwords-with-salt  rule · project:tea
          Hash passwords with salt
        [exit 0]
    "#]]);
}

#[test]
fn a_glob_that_matches_no_file_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Use tea\" --id tea --no-anchor");
    for glob in ["src/[", "../up/**", "/abs/**"] {
        for command in ["memory add x --id x --no-anchor", "memory update tea"] {
            let outcome = sandbox.run(&format!("{command} --path {glob}"));
            assert_eq!(outcome.status(), 2, "{}", outcome.text());
            let error = format!("`{glob}` is not a valid path: ");
            assert!(outcome.stderr().contains(&error), "{}", outcome.text());
        }
    }
    assert!(
        !sandbox.exists(".memories/x.md"),
        "a refused command leaves no trace"
    );
    sandbox.memory("broken", "---\nid: broken\npaths: src/[\n---\nUse milk\n");
    let outcome = sandbox.run("memory show broken");
    let warning = "broken.md:3:8: `paths` has an invalid glob `src/[`: unclosed character class";
    assert!(outcome.stderr().contains(warning), "{}", outcome.text());
}

#[test]
fn imports_that_are_dropped_and_broken_globs_of_a_document_are_located() {
    let sandbox = Sandbox::bank();
    let text = "---\nglobs: src/*.css, ../out/**\n---\n# Rules\n\n- Always use tabs\n\n\
                @missing.md and @app.route\n@../../../etc/passwd\n@AGENTS.rst\n";
    sandbox.write("AGENTS.md", text);
    sandbox.write("AGENTS.rst", "x");
    let report = sandbox.json("memory import AGENTS.md --no-anchor");
    assert_eq!(
        report["warnings"],
        serde_json::json!([
            "AGENTS.md:8: `@missing.md` is not imported: no such file",
            "AGENTS.md:9: `@../../../etc/passwd` is not imported: it is outside the project",
            "AGENTS.md:10: `@AGENTS.rst` is not imported: its extension is not that of a document",
            "AGENTS.md:2: the glob `../out/**` is invalid: it leaves the project with `..`",
        ])
    );
}
