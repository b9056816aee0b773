//! `trust`: a repository opens a user bank only with the consent of the user.

use expect_test::expect;

use crate::sandbox::Sandbox;

const ASK: &str = "[memory]\nstorage_strategy = \"user\"\n[pins]\nbuiltin = false\n";
const URL: &str = "https://example.com/ada/private.git";

/// Commands that would show, change or publish the bank.
const COMMANDS: &[&str] = &[
    "memory init",
    "memory show",
    "memory read secret",
    "memory search secret",
    "memory inject",
    "memory inject --into AGENTS.md",
    "memory report --html report.html",
    "memory append secret --content more",
    "memory update secret --content less",
    "memory delete secret",
    "memory pin add \"be quick\"",
    "index",
    "mcp",
];

/// A project with a user bank, which its remote names, and a memory.
fn victim() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.git(&format!("remote add origin {URL}"));
    sandbox.write("cerberus.toml", ASK);
    sandbox.ok("trust");
    sandbox.ok("memory init");
    sandbox.ok("memory add \"The secret rule\" --id secret --no-anchor");
    sandbox
}

/// A repository at another path that names the same remote.
fn forged(victim: &Sandbox) -> Sandbox {
    victim.git("init -q ../forged");
    let forged = victim.beside("forged");
    forged.git(&format!("remote add origin {URL}"));
    forged.write("cerberus.toml", ASK);
    forged
}

#[test]
fn a_repository_does_not_choose_the_user_bank_that_it_opens() {
    let victim = victim();
    let forged = forged(&victim);
    let before = victim.ok("memory read secret --json");
    let pins = victim.ok("memory pin list --json");
    for user in ["", "[memory]\nstorage_strategy = \"user\"\n"] {
        forged.write("../home/config/cerberus/config.toml", user);
        for line in COMMANDS {
            let outcome = forged.run(line);
            assert_eq!((outcome.status(), outcome.stdout()), (2, String::new()), "{line}");
            let printed = outcome.stderr();
            assert!(printed.contains(&format!("named by its remote `{URL}`")), "{line}: {printed}");
            assert!(printed.contains("run `cerberus trust`"), "{line}: {printed}");
        }
        let hook = forged.run("memory inject --for claude-hook");
        assert_eq!((hook.status(), hook.stdout()), (0, String::new()));
        assert_eq!(forged.run("doctor").status(), 1);
    }
    assert!(!forged.exists("AGENTS.md") && !forged.exists("report.html"));
    assert_eq!(victim.ok("memory read secret --json"), before);
    assert_eq!(victim.json("memory stats")["memories"], 1);
    assert_eq!(victim.ok("memory pin list --json"), pins);
}

#[test]
fn a_git_folder_outside_the_project_names_no_bank_without_consent() {
    let victim = Sandbox::empty();
    let user = "../home/config/cerberus/config.toml";
    victim.write(user, "[memory]\nstorage_strategy = \"user\"\n");
    victim.ok("memory init");
    victim.ok("memory add \"The secret rule\" --id secret --no-anchor");
    let forged = victim.beside("forged");
    forged.write(".git", format!("gitdir: {}\n", victim.path(".git").display()));
    let printed = forged.run("memory show").stderr();
    assert!(printed.contains("named by the git folder `"), "{printed}");
}

#[test]
fn consent_holds_for_one_root_and_one_bank() {
    let victim = victim();
    let forged = forged(&victim);
    victim.session(expect![[r#"
        $ cerberus trust
        unchanged: $ROOT/shop is trusted with the user bank `private-97d975cbcbd932d3`
        [exit 0]

        $ cerberus trust --list
        $ROOT/shop	private-97d975cbcbd932d3
        [exit 0]

        $ cerberus trust --project ../forged --json
        {
          "bank": "private-97d975cbcbd932d3",
          "root": "$ROOT/forged",
          "sharedWith": [
            "$ROOT/shop"
          ],
          "written": true
        }
        [exit 0]

        $ cerberus memory show --project ../forged
        secret	rule	-	The secret rule
        [exit 0]

        $ cerberus trust --remove --project ../forged
        removed $ROOT/forged: it no longer opens the user bank `private-97d975cbcbd932d3`
        [exit 0]

        $ cerberus trust --remove --project ../forged
        --- stderr
        cerberus: `$ROOT/forged` is not trusted with a user bank
        hint: list the trusted projects with `cerberus trust --list`
        [exit 1]

        $ cerberus memory show --project ../forged
        --- stderr
        cerberus: this project asks for the user bank `private-97d975cbcbd932d3`, named by its remote `https://example.com/ada/private.git`; it could read, change and publish the memories in it
        hint: if the project is yours, run `cerberus trust`
        hint: to store the bank in the project, set `storage_strategy = "project"` under `[memory]` in `cerberus.toml`
        [exit 2]
    "#]]);
    victim.git("remote set-url origin https://example.com/eve/other.git");
    victim.session(expect![[r#"
        $ cerberus memory show
        --- stderr
        cerberus: this project asks for the user bank `other-55b9557f1368b86d`, named by its remote `https://example.com/eve/other.git`, but you trusted it with the bank `private-97d975cbcbd932d3`; it could read, change and publish the memories in it
        hint: if the project is yours, run `cerberus trust`
        hint: to store the bank in the project, set `storage_strategy = "project"` under `[memory]` in `cerberus.toml`
        [exit 2]

        $ cerberus trust
        trusted $ROOT/shop with the user bank `other-55b9557f1368b86d`
        [exit 0]

        $ cerberus memory show
        --- stderr
        cerberus: no bank found at `$ROOT/home/data/cerberus/other-55b9557f1368b86d/memories`
        hint: run `cerberus memory init` to create one
        [exit 2]
    "#]]);
    forged.write("cerberus.toml", "");
    forged.session(expect![[r#"
        $ cerberus trust
        --- stderr
        cerberus: this project asks for no user bank; its bank is `$ROOT/forged/.memories`
        hint: to store its bank in your data folder, set `storage_strategy = "user"` under `[memory]` in `cerberus.toml`
        [exit 2]
    "#]]);
    forged.remove("../forged");
    victim.session(expect![[r#"
        $ cerberus trust --remove --project /nowhere
        --- stderr
        cerberus: `/nowhere` is not trusted with a user bank
        hint: list the trusted projects with `cerberus trust --list`
        [exit 1]
    "#]]);
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

#[test]
fn parallel_consents_are_all_recorded() {
    let sandbox = Sandbox::empty();
    let projects: Vec<Sandbox> = (0..8)
        .map(|n| {
            sandbox.git(&format!("init -q ../p{n}"));
            let project = sandbox.beside(&format!("p{n}"));
            project.write("cerberus.toml", ASK);
            project
        })
        .collect();
    let spawn = |project: &Sandbox| {
        let mut command = project.command("trust");
        command.stdout(std::process::Stdio::null()).spawn().expect("it starts")
    };
    for mut child in projects.iter().map(spawn).collect::<Vec<_>>() {
        assert!(child.wait().expect("it ends").success());
    }
    assert_eq!(sandbox.ok("trust --list").lines().count(), 8);
}
