//! `memory init`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn a_bank_is_created_once() {
    let sandbox = Sandbox::empty();
    sandbox.session(expect![[r#"
        $ cerberus memory init
        created .memories
        created .memories/.gitignore
        created cerberus.toml
        commit them: git add .memories cerberus.toml
        next: cerberus memory add "…a rule of this project…"
        [exit 0]

        $ cerberus memory init
        unchanged: .memories already exists
        commit them: git add .memories cerberus.toml
        next: cerberus memory add "…a rule of this project…"
        [exit 0]
    "#]]);
    sandbox.git("add --all");
    expect![[r#"
        A  .memories/.gitignore
        A  cerberus.toml
    "#]]
    .assert_eq(&sandbox.git("status --porcelain"));
    assert_eq!(
        sandbox.read(".memories/.gitignore"),
        "indices/\n.trash/\n.cerberus-tmp-*\n"
    );
}

#[test]
fn existing_files_are_unchanged() {
    let sandbox = Sandbox::empty();
    sandbox.write("cerberus.toml", "# mine\n");
    sandbox.write(".memories/.gitignore", "# mine too\n");
    sandbox.session(expect![[r#"
        $ cerberus memory init --json
        {
          "bank": ".memories",
          "commit": [
            ".memories",
            "cerberus.toml"
          ],
          "created": [],
          "ruleFiles": []
        }
        [exit 0]
    "#]]);
    assert_eq!(sandbox.read("cerberus.toml"), "# mine\n");
    assert_eq!(sandbox.read(".memories/.gitignore"), "# mine too\n");
}

#[test]
fn init_of_a_user_bank_does_not_ask_for_a_commit() {
    let sandbox = Sandbox::empty();
    sandbox.write("cerberus.toml", "[memory]\nstorage_strategy = \"user\"\n");
    let message = sandbox.ok("memory init");
    let commit = message
        .lines()
        .find(|line| line.contains("git add"))
        .unwrap_or_default();
    assert!(!commit.contains("home/data"), "{message}");
}
