//! A bank in the data folder of the user: a repository does not choose that of another project.

use expect_test::expect;

use crate::sandbox::Sandbox;

const ASK: &str = "[memory]\nstorage_strategy = \"user\"\n[pins]\nbuiltin = false\n";

/// A project with a user bank and a memory.
fn victim() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git("remote add origin https://example.com/ada/private.git");
    sandbox.write("cerberus.toml", ASK);
    sandbox.ok("memory init");
    sandbox.ok("memory add \"The secret rule\" --id secret --no-anchor");
    sandbox
}

/// Checks that a repository gets a bank of its own, which does not exist.
fn check_has_own_bank(repository: &Sandbox) {
    for line in [
        "memory show",
        "memory inject",
        "memory delete secret",
        "memory pin add \"be quick\"",
    ] {
        let outcome = repository.run(line);
        assert_eq!(
            (outcome.status(), outcome.stdout()),
            (2, String::new()),
            "{line}"
        );
        assert!(
            outcome.stderr().contains("no bank found"),
            "{line}: {}",
            outcome.stderr()
        );
    }
    let hook = repository.run("memory inject --for claude-hook");
    assert_eq!((hook.status(), hook.stdout()), (0, String::new()));
}

#[test]
fn a_remote_does_not_choose_the_user_bank() {
    let victim = victim();
    victim.git("init -q ../forged");
    let forged = victim.beside("forged");
    forged.git("remote add origin https://example.com/ada/private.git");
    forged.write("cerberus.toml", ASK);
    check_has_own_bank(&forged);
    assert_eq!(victim.json("memory stats")["memories"], 1);
}

#[test]
fn a_git_folder_of_another_repository_does_not_choose_the_user_bank() {
    let victim = victim();
    victim.git("worktree add -q --orphan ../other");
    let git = victim.path(".git");
    let forged = victim.beside("forged");
    forged.write("cerberus.toml", ASK);
    for named in [git.clone(), git.join("worktrees/other")] {
        forged.write(".git", format!("gitdir: {}\n", named.display()));
        check_has_own_bank(&forged);
    }
    victim.git("init -q ../shared");
    let shared = victim.beside("shared");
    shared.write("cerberus.toml", ASK);
    shared.write(".git/commondir", format!("{}\n", git.display()));
    check_has_own_bank(&shared);
}

#[test]
fn texts_of_a_user_bank_are_written_into_the_project_only_on_request() {
    let sandbox = victim();
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md
        --- stderr
        cerberus: `AGENTS.md` is a file of the project, but the bank is in your data folder: the block would publish its texts
        hint: to write them anyway: `cerberus memory inject --into AGENTS.md --include-user-bank`
        [exit 2]

        $ cerberus memory inject --into AGENTS.md --check
        --- stderr
        cerberus: `AGENTS.md` is a file of the project, but the bank is in your data folder: the block would publish its texts
        hint: to write them anyway: `cerberus memory inject --into AGENTS.md --include-user-bank`
        [exit 2]
    "#]]);
    assert!(!sandbox.exists("AGENTS.md"));
    sandbox.ok("memory inject --into AGENTS.md --include-user-bank");
    assert!(sandbox.read("AGENTS.md").contains("The secret rule"));
    sandbox.ok("memory inject --into AGENTS.md --include-user-bank --check");
}
