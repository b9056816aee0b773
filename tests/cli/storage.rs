//! The location of the bank: both storage strategies behave the same; and disabled memory.

use std::path::PathBuf;

use crate::sandbox::Sandbox;

/// Commands that use a bank: every subcommand of `memory` except `init`.
const LIFE: &[&str] = &[
    "memory add \"Hash the password with a fresh salt\" --id hash-passwords",
    "memory add \"Be kind\" --id kind --no-anchor --tag people",
    "memory add \"Be kind\" --id kind",
    "memory create release/plan --type plan --content \"# Plan\"",
    "memory append release/plan --content \"See [[memory:kind]].\"",
    "memory append release/plan --section plan --content \"- tag it\"",
    "memory update release/plan --section plan --content \"<!-- ANCHOR:no\"",
    "memory update kind --status archived --category people",
    "memory read release/plan --section plan,nothing",
    "memory sections release/plan --validate",
    "memory search password --content",
    "memory search kind --anchors plan",
    "memory anchor kind --to web/html.ts::escapeHtml",
    "memory anchor hash-passwords --candidates 2",
    "memory anchor-test \"close the database session\"",
    "memory show --anchored",
    "memory show nothing",
    "memory stats --show-anchors",
    "memory review --list",
    "memory review --with false",
    "memory links",
    "memory linked web/html.ts",
    "memory pin add \"Ask before a release\" --id ask",
    "memory pin list",
    "memory inject --query password",
    "memory merge kind release/plan --into all",
    "memory delete all",
    "memory show",
    "memory restore all",
    "memory restore all",
    "memory report --html ../report.html",
    "memory delete all hash-passwords",
    "memory trash",
    "memory import AGENTS.md",
    "memory restore hash-passwords",
    "memory restore all",
    "memory rename hash-passwords passwords",
    "memory rename passwords hash-passwords",
    "memory reanchor --check",
    "memory pattern hash-passwords",
    "memory review-diff --all",
];

/// The shop project with a storage strategy set in the user's configuration.
fn project(strategy: &str) -> Sandbox {
    let sandbox = Sandbox::shop();
    let config = format!("[memory]\nstorage_strategy = \"{strategy}\"\n");
    sandbox.write("../home/config/cerberus/config.toml", config);
    sandbox
}

/// Creates the bank and returns its folder.
fn bank(sandbox: &Sandbox) -> PathBuf {
    let made = sandbox.json("memory init");
    sandbox.path(made["bank"].as_str().expect("a folder"))
}

#[test]
fn both_storage_strategies_give_the_same_output() {
    let banks = [project("project"), project("user")].map(|sandbox| (bank(&sandbox), sandbox));
    for command in memory_commands().get_subcommands() {
        let name = format!("memory {} ", command.get_name());
        let is_told = command.get_name() == "init"
            || LIFE
                .iter()
                .any(|line| format!("{line} ").starts_with(&name));
        assert!(is_told, "no line of LIFE runs `{name}`");
    }
    for (at, line) in LIFE.iter().enumerate() {
        let printed = [&banks[0], &banks[1]].map(|(bank, sandbox)| {
            let text = sandbox.run(line).text();
            let shown = bank.strip_prefix(sandbox.path("")).unwrap_or(bank);
            text.replace(&shown.display().to_string(), "BANK")
        });
        assert_eq!(printed[0], printed[1], "line {at}");
        let is_bank = |(bank, _): &(PathBuf, Sandbox)| bank.join("anchors.lock").exists();
        assert!(banks.iter().all(is_bank), "after {line}");
    }
    let moved = [&banks[0], &banks[1]].map(|(_, sandbox)| {
        sandbox.git("mv shop people");
        [
            "memory reanchor",
            "memory reanchor --check",
            "memory reanchor --undo",
        ]
        .map(|line| sandbox.run(line).text())
    });
    assert_eq!(moved[0], moved[1]);
    assert!(
        moved[0][0].contains("people/accounts.py"),
        "{}",
        moved[0][0]
    );
    assert_eq!(memories(&banks[0].0), memories(&banks[1].0));
    let outside = banks[1]
        .1
        .git("status --porcelain --untracked-files=all -- . :!people :!shop");
    assert_eq!(outside, "", "the user's bank leaves nothing in the project");
}

/// Returns the name and text of each file of a bank, without store and trash.
fn memories(bank: &std::path::Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![bank.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .strip_prefix(bank)
                .expect("inside")
                .display()
                .to_string();
            if path.is_file() {
                found.push((name, std::fs::read_to_string(&path).expect("a text")));
            } else if name != "indices" && name != ".trash" {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn worktrees_share_the_user_bank_and_have_separate_stores() {
    let sandbox = project("user");
    let shared = bank(&sandbox);
    sandbox.git("worktree add -q ../other");
    let other = sandbox.beside("other");
    assert_eq!(bank(&other), shared);
    sandbox.ok("memory add \"Escape HTML entities in text\" --id escape");
    let stores = [&sandbox, &other].map(|it| it.json("index")["store"].clone());
    assert_ne!(stores[0], stores[1]);
    // Each worktree finds the code of its own tree.
    other.git("mv web/html.ts web/markup.ts");
    let file = |it: &Sandbox| {
        it.json("memory anchor-test \"escape html entities\"")["anchor"]["file"].clone()
    };
    assert_eq!(
        (file(&sandbox), file(&other)),
        ("web/html.ts".into(), "web/markup.ts".into())
    );
}

#[test]
fn the_project_configuration_overrides_the_user_strategy() {
    let sandbox = Sandbox::shop();
    let user = "../home/config/cerberus/config.toml";
    sandbox.write(
        user,
        "[memory]\nstorage_strategy = \"user\"\nenabled = false\n",
    );
    assert_eq!(sandbox.run("memory init").status(), 2);
    sandbox.write("cerberus.toml", "[memory]\nenabled = true\n");
    assert!(
        !bank(&sandbox).starts_with(sandbox.path("")),
        "the user's strategy"
    );
    sandbox.write(
        "cerberus.toml",
        "[memory]\nenabled = true\nstorage_strategy = \"project\"\n",
    );
    assert_eq!(bank(&sandbox), sandbox.path(".memories"));
    sandbox.write(user, "[memory]\nenable = false\n");
    let outcome = sandbox.run("memory show");
    assert_eq!(outcome.status(), 2);
    let printed = outcome.stderr();
    assert!(printed.contains("config.toml:2:1"), "{printed}");
    assert!(
        printed.contains("hint: did you mean `enabled`?"),
        "{printed}"
    );
}

fn memory_commands() -> clap::Command {
    let command = cerberus_memory::command();
    command
        .find_subcommand("memory")
        .expect("it is there")
        .clone()
}

/// Returns a command line with all required arguments and no others.
fn shortest(command: &clap::Command) -> String {
    let in_group = command.get_groups().filter(|it| it.is_required_set());
    let firsts: Vec<_> = in_group.filter_map(|it| it.get_args().next()).collect();
    // Without a file, `import` reads those of the project.
    let is_file = |it: &clap::Arg| command.get_name() == "import" && it.get_id() == "files";
    let needed = command
        .get_arguments()
        .filter(|it| it.is_required_set() || firsts.contains(&it.get_id()) || is_file(it));
    let args = needed.map(|arg| match arg.get_long() {
        Some(long) if arg.get_action().takes_values() => format!("--{long} x"),
        Some(long) => format!("--{long}"),
        None => "x ".repeat(arg.get_num_args().map_or(1, |it| it.min_values().max(1))),
    });
    format!(
        "memory {} {}",
        command.get_name(),
        args.collect::<Vec<_>>().join(" ")
    )
}

#[test]
fn every_memory_command_is_refused_when_memory_is_disabled() {
    let sandbox = Sandbox::anchored();
    sandbox.write("cerberus.toml", "[memory]\nenabled = false\n");
    sandbox.commit("no memory here");
    sandbox.remove(".memories/indices");
    for command in memory_commands().get_subcommands() {
        let mut lines = vec![command.clone()];
        // A command with subcommands is run once for each of them.
        lines.extend(command.get_subcommands().cloned());
        let nested = lines.len() > 1;
        for (at, each) in lines.iter().enumerate().skip(usize::from(nested)) {
            let line = match nested && at > 0 {
                true => {
                    shortest(each).replacen("memory", &format!("memory {}", command.get_name()), 1)
                }
                false => shortest(each),
            };
            let outcome = sandbox.run(&format!("{line} --json"));
            let printed = outcome.stderr();
            assert_eq!(
                (outcome.status(), outcome.stdout()),
                (2, String::new()),
                "{}",
                outcome.text()
            );
            assert!(
                printed.starts_with("{\"error\":\"memory is disabled"),
                "{line}: {printed}"
            );
            assert!(
                printed.contains("\"hints\":[\"set `enabled = true`"),
                "{line}: {printed}"
            );
        }
    }
    assert_eq!(sandbox.git("status --porcelain"), "");
    assert!(!sandbox.exists(".memories/indices"), "nothing is made");
}
