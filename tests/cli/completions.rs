//! `completions`: the scripts and the candidates that the shells request.

use std::process::Command;
use std::time::{Duration, Instant};

use expect_test::expect;

use crate::sandbox::{Sandbox, print_skipped};

/// Requests completions of the last word of a command line, like a shell. `_` is an empty word.
fn asked(sandbox: &Sandbox, shell: &str, line: &str) -> String {
    let words: Vec<&str> =
        line.split(' ').map(|word| if word == "_" { "" } else { word }).collect();
    let mut command = sandbox.command("");
    command
        .env("CERBERUS_COMPLETE", shell)
        .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
        .env("_CLAP_IFS", "\n")
        .arg("--")
        .args(words);
    let output = command.output().expect("cerberus runs");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).expect("a text")
}

/// Returns the candidates for bash on one line.
fn bash(sandbox: &Sandbox, line: &str) -> String {
    asked(sandbox, "bash", line).lines().collect::<Vec<_>>().join(" ")
}

fn rich() -> Sandbox {
    let sandbox = Sandbox::anchored();
    sandbox.memory(
        "release/plan",
        "---\ntype: plan\ntags: [release, later]\ncategory: ops\n---\n# Release plan\n\n## Steps\n",
    );
    sandbox.ok("memory pin add \"Run the tests\" --tag ci");
    sandbox.ok("memory pin add \"Wait for Ada\" --expires 2h");
    sandbox
}

#[test]
fn every_shell_gets_a_completion_script() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.ok(&format!("completions {shell}"));
        assert!(script.contains("CERBERUS_COMPLETE"), "{shell}");
    }
    assert_eq!(sandbox.run("completions tcsh").status(), 2);
}

#[test]
fn values_are_completed_from_the_project() {
    let sandbox = rich();
    let lines = [
        "cerberus memory read _",
        "cerberus memory show h",
        "cerberus memory reanchor --accept c",
        "cerberus memory merge a --into rel",
        "cerberus memory pin remove _",
        "cerberus memory pin list --tag _",
        "cerberus memory show --scope p",
        "cerberus memory add x --scope=language:t",
        "cerberus memory show --tag _",
        "cerberus memory update x --category _",
        "cerberus memory update x --status _",
        "cerberus memory show --type r",
        "cerberus memory read release/plan --section _",
        "cerberus memory read release --section release-plan,s",
        "cerberus memory search x --section _",
        "cerberus memory anchor x --to _",
        "cerberus memory anchor x --to web/",
        "cerberus memory anchor x --to api/l",
        "cerberus memory anchor-test x --expect shop/accounts.py::AccountStore.",
        "cerberus memory linked memory:r",
        "cerberus memory show --file api/",
        "cerberus memory stats _",
        "cerberus memory stats --sh",
        "cerberus mem",
    ];
    let printed: String =
        lines.iter().map(|line| format!("{line}\n  {}\n", bash(&sandbox, line))).collect();
    expect![[r#"
        cerberus memory read _
          close-session escape-html hang-curtains hash-passwords limit-clients release/plan
        cerberus memory show h
          hang-curtains hash-passwords
        cerberus memory reanchor --accept c
          close-session
        cerberus memory merge a --into rel
          release/plan
        cerberus memory pin remove _
          run-the-tests wait-for-ada
        cerberus memory pin list --tag _
          ci
        cerberus memory show --scope p
          project project:shop
        cerberus memory add x --scope=language:t
          --scope=language:tsx --scope=language:typescript
        cerberus memory show --tag _
          later release
        cerberus memory update x --category _
          ops
        cerberus memory update x --status _
          active archived
        cerberus memory show --type r
          rule reflection
        cerberus memory read release/plan --section _
          release-plan steps
        cerberus memory read release --section release-plan,s
          release-plan,steps
        cerberus memory search x --section _
          release-plan steps
        cerberus memory anchor x --to _
          api/ shop/ web/
        cerberus memory anchor x --to web/
          web/cart.ts web/html.ts
        cerberus memory anchor x --to api/l
          api/limit.go api/limit.go::Limiter api/limit.go::Limiter.Forget api/limit.go::Limiter.RejectClient
        cerberus memory anchor-test x --expect shop/accounts.py::AccountStore.
          shop/accounts.py::AccountStore.__init__ shop/accounts.py::AccountStore.find shop/accounts.py::AccountStore.hash_password
        cerberus memory linked memory:r
          memory:release/plan
        cerberus memory show --file api/
          api/health.go api/limit.go
        cerberus memory stats _
          --show-anchors --rules --help --version --project --json --color
        cerberus memory stats --sh
          --show-anchors
        cerberus mem
          memory
    "#]].assert_eq(&printed);
}

#[test]
fn zsh_and_fish_show_memory_titles() {
    let sandbox = rich();
    let printed =
        ["zsh", "fish"].map(|shell| asked(&sandbox, shell, "cerberus memory read _")).join("--\n");
    expect![[r#"
        close-session:Close the database session in a finally block when the reque…
        escape-html:Escape HTML entities in text before it is rendered as markup
        hang-curtains:Hang velvet curtains in golden ballrooms
        hash-passwords:Hash the password with a fresh salt before the account is st…
        limit-clients:Answer too many requests from one client with the limiter's …
        release/plan:Release plan
        --
        close-session	Close the database session in a finally block when the reque…
        escape-html	Escape HTML entities in text before it is rendered as markup
        hang-curtains	Hang velvet curtains in golden ballrooms
        hash-passwords	Hash the password with a fresh salt before the account is st…
        limit-clients	Answer too many requests from one client with the limiter's …
        release/plan	Release plan
    "#]]
    .assert_eq(&printed);
}

#[test]
fn completion_uses_the_project_flag() {
    let sandbox = rich();
    let home = sandbox.beside("home");
    assert_eq!(bash(&home, "cerberus memory read h"), "");
    assert_eq!(
        bash(&home, "cerberus --project ../shop memory read ha"),
        "hang-curtains hash-passwords"
    );
    assert_eq!(bash(&home, "cerberus memory read --project=../shop has"), "hash-passwords");
}

#[test]
fn completion_never_prints_errors() {
    let sandbox = Sandbox::empty();
    assert_eq!(bash(&sandbox, "cerberus memory read x"), "");
    for (file, text) in [
        ("cerberus.toml", "[memory\n"),
        (".memories/anchors.lock", "<<<<<<< ours\n"),
        (".memories/pins.toml", "[[pin\n"),
        (".memories/a.md", "---\n[\n---\n"),
        (".memories/indices/cerberus.db", "no database"),
    ] {
        sandbox.write(file, text);
        for line in ["memory read x", "memory pin remove x", "memory reanchor --accept x"] {
            assert_eq!(bash(&sandbox, &format!("cerberus {line}")), "", "{file} {line}");
        }
    }
    for line in ["", "cerberus", "cerberus --none x", "cerberus memory read x --to y z"] {
        bash(&sandbox, line);
        asked(&sandbox, "zsh", line);
    }
    assert_eq!(asked(&sandbox, "tcsh", "cerberus memory _"), "");
}

#[test]
fn completion_writes_no_file_and_no_control_character() {
    let sandbox = Sandbox::shop();
    sandbox.memory(
        "evil",
        "---\nid: \"a\\e[31mb\"\ntags: [\"x\\ty\"]\n---\nsays \u{1b}[31m\u{202e}red\n",
    );
    sandbox.memory("kind", "says \u{1b}[31m\u{202e}red\n");
    for shell in ["bash", "zsh", "fish"] {
        for line in [
            "cerberus memory read _",
            "cerberus memory show --tag _",
            "cerberus memory pin remove _",
        ] {
            let printed = asked(&sandbox, shell, line);
            assert!(!printed.contains(['\u{1b}', '\u{202e}']), "{printed:?}");
        }
    }
    assert!(!sandbox.exists(".memories/indices") && !sandbox.exists("../home/cache"));
}

#[test]
fn a_thousand_memories_are_completed_quickly() {
    let sandbox = Sandbox::bank();
    for n in 0..1000 {
        sandbox.memory(
            &format!("memory-{n:04}"),
            format!("---\ntype: rule\ntags: [t{n}]\n---\nRule {n}\n"),
        );
    }
    let durations = [(); 3].map(|()| {
        let started = Instant::now();
        assert_eq!(bash(&sandbox, "cerberus memory read memory-0999"), "memory-0999");
        started.elapsed()
    });
    // One of them, and ten times the usual duration, to allow for busy machines.
    assert!(durations.iter().any(|it| *it < Duration::from_secs(1)), "{durations:?}");
}

/// Runs the script in bash itself. Bash splits words at `:` and `=`.
#[test]
#[cfg(unix)]
fn bash_completes_words_with_colons_and_equal_signs() {
    let sandbox = rich();
    let script = sandbox.ok("completions bash");
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_cerberus")).parent().expect("a folder");
    let test = r#"
        try() {
            COMP_LINE="$1" COMP_POINT=${#1}; shift
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _cerberus 2> /dev/null
            echo "$COMP_LINE => ${COMPREPLY[*]}"
        }
        COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
        try "cerberus memory read h" cerberus memory read h
        try "cerberus memory anchor x --to api/limit.go::" cerberus memory anchor x --to api/limit.go ::
        try "cerberus memory anchor x --to api/limit.go::Limiter.R" cerberus memory anchor x --to api/limit.go :: Limiter.R
        try "cerberus memory add x --scope=lang" cerberus memory add x --scope = lang
        try "cerberus memory add \"a b\" --scope language:g" cerberus memory add '"a b"' --scope language : g
        COMP_WORDBREAKS=$' \t\n'
        try "cerberus memory add x --scope language:g" cerberus memory add x --scope language:g
    "#;
    let mut command = Command::new("bash");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("set"));
    command.args(["--norc", "-c", &format!("{script}\n{test}")]).env("PATH", path);
    let output = command.current_dir(sandbox.path("")).output();
    let Ok(output) = output else { return print_skipped("bash is not installed") };
    expect![[r#"
        cerberus memory read h => hang-curtains hash-passwords
        cerberus memory anchor x --to api/limit.go:: => Limiter Limiter.Forget Limiter.RejectClient
        cerberus memory anchor x --to api/limit.go::Limiter.R => Limiter.RejectClient
        cerberus memory add x --scope=lang => language:astro language:go language:java language:javascript language:python language:rust language:svelte language:tsx language:typescript language:vue
        cerberus memory add "a b" --scope language:g => go
        cerberus memory add x --scope language:g => language:go
    "#]].assert_eq(&String::from_utf8_lossy(&output.stdout));
}
