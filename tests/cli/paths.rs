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
        Project memory:
        - In `api/**`: Keep handlers thin
        </cerberus-memory>
        --- stderr
        given: memory keep-handlers-thin: it applies to api/**
        skipped: memory use-the-carts-own-total: it applies to web/**/*.{ts,tsx}, but to none of the files
        skipped: memory write-prices-in-cents: not relevant to the task
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
