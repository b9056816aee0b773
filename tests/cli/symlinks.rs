//! Malicious repositories: symbolic links and named pipes in place of cerberus's own files,
//! programs in the git configuration, oversized files, and paths outside the project.
#![cfg(unix)]

use std::fs::File;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use crate::sandbox::{Outcome, Sandbox};

/// Reading commands and one writing command.
const LINES: &[&str] = &[
    "memory show --anchored",
    "index",
    "memory search password",
    "memory inject",
    "memory links",
    "memory stats",
    "memory reanchor --check",
    "memory add \"Escape all HTML\" --id written",
];

fn fifo(sandbox: &Sandbox, path: &str) {
    let made = Command::new("mkfifo")
        .arg(sandbox.path(path))
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
}

/// Runs each line, which must end with a documented status. Which one depends on the file that is
/// replaced.
fn all_end(sandbox: &Sandbox) -> Vec<Outcome> {
    let outcomes: Vec<Outcome> = LINES.iter().map(|line| sandbox.run(line)).collect();
    for outcome in &outcomes {
        assert!((0..=3).contains(&outcome.status()), "{}", outcome.text());
        assert!(!outcome.stderr().contains("panicked"), "{}", outcome.text());
    }
    outcomes
}

#[test]
fn programs_configured_in_the_repository_do_not_run() {
    let sandbox = Sandbox::anchored();
    let program = sandbox.path("../program");
    let ran = sandbox.path("../ran");
    std::fs::write(
        &program,
        format!("#!/bin/sh\necho \"$@\" >> '{}'\ncat\n", ran.display()),
    )
    .expect("a file");
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("set");
    sandbox.write(
        ".gitattributes",
        "*.ts filter=odd diff=odd\n*.py filter=odd diff=odd\n",
    );
    let settings = [
        "core.fsmonitor",
        "core.hooksPath",
        "core.pager",
        "diff.external",
        "diff.odd.command",
        "diff.odd.textconv",
        "filter.odd.clean",
        "filter.odd.process",
        "gpg.program",
    ];
    for setting in settings {
        sandbox.git(&format!("config {setting} {}", program.display()));
    }
    sandbox.git("config filter.odd.required true");
    sandbox.git("config log.showSignature true");
    sandbox.edit("web/html.ts", "escape", "escaped");
    std::fs::rename(sandbox.path("shop/db.py"), sandbox.path("shop/base.py")).expect("moved");
    let lines = [
        "memory reanchor --check --since HEAD",
        "check --format github",
        "memory reanchor",
        "memory inject --diff",
        "memory links --broken",
        "index",
    ];
    for line in lines {
        let outcome = sandbox.run(line);
        assert!(outcome.status() < 2, "{}", outcome.text());
        let ran = std::fs::read_to_string(&ran);
        assert!(ran.is_err(), "{line} ran a program: {ran:?}");
    }
    sandbox.git_or_empty("diff");
    assert!(
        ran.exists(),
        "git itself runs the programs, so the configuration is effective"
    );
}

#[test]
fn a_filter_with_a_name_that_is_not_text_does_not_run() {
    let sandbox = Sandbox::anchored();
    let ran = sandbox.path("../ran");
    let program = format!("touch '{}'; cat", ran.display());
    for name in [&b"\xff"[..], b"a=b"] {
        let mut settings = std::fs::read(sandbox.path(".git/config")).expect("a file");
        settings.extend(
            [
                b"[filter \"",
                name,
                b"\"]\n\tclean = \"",
                program.as_bytes(),
                b"\"\n",
            ]
            .concat(),
        );
        sandbox.write(".git/config", settings);
        sandbox.write(".gitattributes", [b"* filter=", name, b"\n"].concat());
        sandbox.edit("web/html.ts", "escape", "escaped");
        sandbox.write("shop/base.py", sandbox.read("shop/db.py"));
        sandbox.remove("shop/db.py");
        for line in [
            "memory reanchor --check --since HEAD",
            "check --format github",
            "memory report --html -",
            "doctor",
            "memory reanchor",
        ] {
            let outcome = sandbox.run(line);
            assert!(outcome.status() < 2, "{}", outcome.text());
            assert!(!ran.exists(), "{line} ran the filter");
        }
        sandbox.git_or_empty("diff");
        std::fs::remove_file(&ran).expect("git itself runs the filter");
        sandbox.git_or_empty("checkout -q -- shop");
        sandbox.edit("web/html.ts", "escaped", "escape");
        let _ = std::fs::remove_file(&ran);
    }
}

#[test]
fn symlinks_in_place_of_bank_files_are_not_followed() {
    let places = [
        ("indices", "../../outside"),
        ("indices/bank.lock", "../../../outside/stored"),
        ("indices/cerberus.db", "../../../outside/stored"),
        ("indices/.gitignore", "../../../outside/new"),
        (".trash", "../../outside"),
        (".gitignore", "../../outside/new"),
        ("anchors.lock", "../../outside/stored"),
        ("pins.toml", "../../outside/stored"),
    ];
    for (place, target) in places {
        let sandbox = Sandbox::bank();
        sandbox.memory("old", "An old memory\n");
        let outside = sandbox.path("../outside");
        std::fs::create_dir(&outside).expect("a folder");
        std::fs::write(outside.join("stored"), "somebody's own\n").expect("a file");
        let link = sandbox.path(format!(".memories/{place}"));
        if link.is_dir() {
            std::fs::remove_dir_all(&link).expect("removed");
        } else if link.exists() {
            std::fs::remove_file(&link).expect("removed");
        }
        std::fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
        symlink(target, &link).expect("a link");
        all_end(&sandbox);
        sandbox.run("memory pin add \"a note\"");
        sandbox.run("memory delete old");
        let left: Vec<_> = std::fs::read_dir(&outside)
            .expect("a folder")
            .flatten()
            .collect();
        assert_eq!(left.len(), 1, "{place}: something was written outside");
        let stored = std::fs::read_to_string(outside.join("stored")).expect("a file");
        assert_eq!(stored, "somebody's own\n", "{place}");
    }
}

#[test]
fn a_bank_behind_a_symlink_out_of_the_project_is_refused() {
    let sandbox = Sandbox::shop();
    std::fs::create_dir(sandbox.path("../outside")).expect("a folder");
    symlink("../outside", sandbox.path(".memories")).expect("a link");
    for line in LINES {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        assert!(
            outcome.stderr().contains("is outside the project"),
            "{}",
            outcome.text()
        );
    }
    let n_files = std::fs::read_dir(sandbox.path("../outside"))
        .expect("a folder")
        .count();
    assert_eq!(n_files, 0);
}

#[test]
fn a_named_pipe_in_place_of_a_file_does_not_block() {
    let places = [
        ".memories/anchors.lock",
        ".memories/pins.toml",
        ".memories/indices/bank.lock",
        ".memories/indices/cerberus.db",
        "cerberus.toml",
        ".gitignore",
        ".ignore",
        "shop/.gitignore",
        "shop/.ignore",
    ];
    for place in places {
        let sandbox = Sandbox::bank();
        if sandbox.exists(place) {
            sandbox.remove(place);
        }
        std::fs::create_dir_all(sandbox.path(".memories/indices")).expect("a folder");
        fifo(&sandbox, place);
        all_end(&sandbox);
    }
}

/// Runs commands that ask git, each with a limit of time that ends a command that blocks.
fn all_end_in_time(sandbox: &Sandbox, place: &str) {
    let lines = ["doctor", "memory reanchor --check --since HEAD", "index"];
    // Each command waits for its limit of time, because no query of a setting can be answered.
    let n_lines = if place == "include.path" {
        1
    } else {
        lines.len()
    };
    for line in &lines[..n_lines] {
        let mut shell = sandbox.shell(&format!("exec timeout 20 \"$0\" {line}"));
        let output = shell
            .arg(env!("CARGO_BIN_EXE_cerberus"))
            .output()
            .expect("it runs");
        let outcome = sandbox.outcome(&format!("{line} ({place})"), output);
        assert!((0..=3).contains(&outcome.status()), "{}", outcome.text());
        assert!(!outcome.stderr().contains("panicked"), "{}", outcome.text());
    }
}

#[test]
fn a_named_pipe_in_place_of_a_file_of_git_does_not_block() {
    let places = [
        ".git/HEAD",
        ".git/commondir",
        ".git/config",
        ".git/info/attributes",
        ".git/info/exclude",
        ".git/objects/info/alternates",
        ".git/packed-refs",
        ".gitattributes",
        ".mailmap",
        ".memories/.gitignore",
        ".memories/indices/cerberus.db-journal",
        "shop/.gitattributes",
        "shop/sub/.git/info/exclude",
    ];
    for place in places {
        let sandbox = Sandbox::anchored();
        if sandbox.exists(place) {
            sandbox.remove(place);
        }
        std::fs::create_dir_all(sandbox.path(place).parent().expect("a folder")).expect("a folder");
        fifo(&sandbox, place);
        all_end_in_time(&sandbox, place);
    }
}

#[test]
fn a_named_pipe_in_a_setting_of_git_does_not_block() {
    for setting in [
        "core.attributesFile",
        "core.excludesFile",
        "diff.orderFile",
        "include.path",
        "mailmap.file",
    ] {
        let sandbox = Sandbox::anchored();
        fifo(&sandbox, "pipe");
        sandbox.git(&format!(
            "config {setting} {}",
            sandbox.path("pipe").display()
        ));
        all_end_in_time(&sandbox, setting);
    }
}

#[test]
fn a_file_of_a_gigabyte_is_not_read() {
    let places = [
        "shop/huge.py",
        ".memories/huge.md",
        ".memories/anchors.lock",
        ".memories/pins.toml",
        ".memories/indices/cerberus.db",
        "cerberus.toml",
        ".gitignore",
    ];
    for place in places {
        let sandbox = Sandbox::bank();
        std::fs::create_dir_all(sandbox.path(".memories/indices")).expect("a folder");
        let file = File::create(sandbox.path(place)).expect("a file");
        file.set_len(1 << 30).expect("a file with holes");
        for outcome in all_end(&sandbox) {
            assert!(
                !outcome.stderr().contains("memory allocation"),
                "{}",
                outcome.text()
            );
        }
        if cfg!(target_os = "linux") {
            // With less memory than that for all that it maps, the store's file too.
            let mut shell = sandbox.shell("ulimit -v 1000000; exec \"$0\" memory inject");
            let output = shell
                .arg(env!("CARGO_BIN_EXE_cerberus"))
                .output()
                .expect("it runs");
            let outcome = sandbox.outcome(place, output);
            assert!((0..=3).contains(&outcome.status()), "{}", outcome.text());
        }
    }
}

#[test]
fn folders_nested_a_thousand_deep_are_walked() {
    let sandbox = Sandbox::bank();
    // Longer than the longest path that the system accepts.
    let nest = "for i in $(seq 1500); do mkdir d; cd d; done; printf '%s' \"$0\" > deep.$1";
    for (folder, text, extension) in [
        ("shop", "def walrus(): pass", "py"),
        (".memories", "A deep memory", "md"),
    ] {
        let mut shell = sandbox.shell(nest);
        let made = shell
            .current_dir(sandbox.path(folder))
            .args([text, extension])
            .status();
        assert!(made.expect("it runs").success());
    }
    all_end(&sandbox);
    let emptied = sandbox.shell("rm -rf shop .memories").status();
    assert!(emptied.expect("it runs").success());
}

#[test]
fn names_with_control_characters_are_skipped() {
    let sandbox = Sandbox::bank();
    sandbox.write("shop/wal\nrus.py", "def walrus_tusk():\n    return 1\n");
    sandbox.write(".memories/two\nlines.md", "Text.\n");
    sandbox.memory(
        "odd",
        "---\nid: \"a\\nb\"\ntags: [\"c\\u001b[2J\", d]\n---\nText.\n",
    );
    sandbox.session(expect_test::expect![[r#"
        $ cerberus memory show
        odd	fact	-	Text.
        --- stderr
        warning: `two\nlines.md` is ignored: its name contains control characters
        warning: odd.md:2:5: `id` has control characters and is ignored
        warning: odd.md:3:7: `tags` has control characters and is ignored
        [exit 0]

        $ cerberus memory show --tag d
        odd	fact	-	Text.
        --- stderr
        warning: `two\nlines.md` is ignored: its name contains control characters
        warning: odd.md:2:5: `id` has control characters and is ignored
        warning: odd.md:3:7: `tags` has control characters and is ignored
        [exit 0]

        $ cerberus memory anchor-test "walrus tusk" --kind code
        walrus tusk
        not anchored: no code contains any of its words
        --- stderr
        warning: skipped `shop/wal�rus.py`: its name has a line break
        [exit 0]
    "#]]);
}

#[test]
fn a_crafted_lock_file_reads_nothing_outside_the_project() {
    let sandbox = Sandbox::anchored();
    let whole = sandbox.lock();
    std::fs::write(
        sandbox.path("../secret.py"),
        "def secret():\n    return 42\n",
    )
    .expect("a file");
    let line = |key: &str| {
        let found = whole
            .lines()
            .find(|line| line.starts_with(key))
            .expect("a line");
        found.to_owned()
    };
    let (file, commit) = (line("file = "), line("commit = "));
    for (old, new) in [
        (&file, "file = \"../secret.py\""),
        (&file, "file = \"/etc/passwd\""),
        (&file, "file = \"shop/../../secret.py\""),
        (&file, "file = \".git/config\""),
        (&file, "file = \"a\\n::stop-commands::x\""),
        (&commit, "commit = \"--output=written\""),
        (&commit, "commit = \"HEAD\""),
    ] {
        sandbox.write(".memories/anchors.lock", whole.replacen(old, new, 1));
        for line in [
            "memory show --anchored",
            "memory reanchor --check",
            "check --format github",
            "memory inject",
        ] {
            let outcome = sandbox.run(line);
            assert!((0..=3).contains(&outcome.status()), "{}", outcome.text());
            let printed = outcome.text();
            assert!(
                !printed.contains("return 42") && !printed.contains("\n::stop"),
                "{printed}"
            );
            assert!(!printed.contains("repositoryformatversion"), "{printed}");
        }
        assert!(!sandbox.exists("written"));
    }
}

#[test]
fn arguments_outside_the_project_are_refused() {
    let sandbox = Sandbox::anchored();
    std::fs::write(
        sandbox.path("../secret.py"),
        "def secret():\n    return 42\n",
    )
    .expect("a file");
    std::fs::write(sandbox.path("../secret.md"), "- Always return 42.\n").expect("a file");
    let before = std::fs::read_dir(sandbox.path(".."))
        .expect("a folder")
        .count();
    for line in [
        "memory add x --id ../x",
        "memory add x --id /x",
        "memory add x --id a/../../x",
        "memory add x --id \"a\\..\\x\"",
        "memory add x --id .trash/x",
        "memory add x --id indices/x",
        "memory add x --anchor-to ../secret.py",
        "memory add x --anchor-to ../secret.py::secret",
        "memory add x --anchor-to /etc/passwd",
        "memory anchor escape-html --to ../secret.py::secret",
        "memory anchor escape-html --to shop/../../secret.py",
        "memory create ../x --content y",
        "memory create /tmp/x --content y",
        "memory append ../secret --content y",
        "memory update ../secret --content y",
        "memory read ../secret",
        "memory show ../secret",
        "memory merge escape-html --into ../x",
        "memory delete ../secret",
        "memory restore ../secret",
        "memory import ../secret.md",
        "memory inject --into ../x.md",
        "memory inject --into /x.md",
        "memory sections ../secret",
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        assert!(!outcome.stdout().contains("42"), "{}", outcome.text());
        let now = std::fs::read_dir(sandbox.path(".."))
            .expect("a folder")
            .count();
        assert_eq!(now, before, "{line} wrote outside");
    }
}
