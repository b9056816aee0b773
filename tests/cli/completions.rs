//! `completions`: the scripts and the candidates that the shells request.

use std::process::Command;

use expect_test::expect;

use crate::sandbox::{Sandbox, print_skipped};

/// Requests completions of the last word of a command line, like a shell. `_` is an empty word.
fn asked(sandbox: &Sandbox, shell: &str, line: &str) -> String {
    let words: Vec<&str> = line
        .split(' ')
        .map(|word| if word == "_" { "" } else { word })
        .collect();
    let mut command = sandbox.command("");
    command
        .env("CERBERUS_COMPLETE", shell)
        .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
        .env("_CLAP_IFS", if shell == "bash" { "\u{b}" } else { "\n" })
        .arg("--")
        .args(words);
    let output = command.output().expect("cerberus runs");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{output:?}"
    );
    String::from_utf8(output.stdout).expect("a text")
}

/// Returns the candidates for bash on one line.
fn bash(sandbox: &Sandbox, line: &str) -> String {
    asked(sandbox, "bash", line)
        .trim_end()
        .replace('\u{b}', " ")
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
fn ids_are_completed_from_the_project() {
    let sandbox = Sandbox::anchored();
    sandbox.memory("release/plan", "---\ntype: plan\n---\n# Release plan\n");
    sandbox.ok("memory delete escape-html");
    let lines = [
        "cerberus memory read _",
        "cerberus memory show h",
        "cerberus memory reanchor --accept c",
        "cerberus memory restore _",
        "cerberus memory merge a --into rel",
        "cerberus memory stats _",
        "cerberus memory stats --sh",
        "cerberus mem",
    ];
    let printed: String = lines
        .iter()
        .map(|line| format!("{line}\n  {}\n", bash(&sandbox, line)))
        .collect();
    expect![[r#"
        cerberus memory read _
          close-session hang-curtains hash-passwords limit-clients release/plan
        cerberus memory show h
          hang-curtains hash-passwords
        cerberus memory reanchor --accept c
          close-session
        cerberus memory restore _
          escape-html
        cerberus memory merge a --into rel
          release/plan
        cerberus memory stats _
          --show-anchors --rules --help --project --json --color
        cerberus memory stats --sh
          --show-anchors
        cerberus mem
          memory
    "#]]
    .assert_eq(&printed);
}

#[test]
fn ids_are_completed_from_the_project_that_the_line_names() {
    let (sandbox, other) = (Sandbox::anchored(), Sandbox::empty());
    let folder = sandbox.path("");
    let folder = folder.display();
    for option in [format!("--project {folder}"), format!("--project={folder}")] {
        let found = bash(&other, &format!("cerberus memory read {option} ha"));
        assert_eq!(found, "hang-curtains hash-passwords");
    }
}

#[test]
fn completion_never_prints_errors() {
    let sandbox = Sandbox::empty();
    assert_eq!(bash(&sandbox, "cerberus memory read x"), "");
    for (file, text) in [
        ("cerberus.toml", "[memory\n"),
        (".memories/anchors.lock", "<<<<<<< ours\n"),
        (".memories/a.md", "---\n[\n---\n"),
        (".memories/indices/cerberus.db", "no database"),
    ] {
        sandbox.write(file, text);
        for line in ["memory read x", "memory reanchor --accept x"] {
            assert_eq!(
                bash(&sandbox, &format!("cerberus {line}")),
                "",
                "{file} {line}"
            );
        }
    }
    for line in [
        "",
        "cerberus",
        "cerberus --none x",
        "cerberus memory read x --to y z",
    ] {
        bash(&sandbox, line);
        asked(&sandbox, "zsh", line);
    }
    assert_eq!(asked(&sandbox, "tcsh", "cerberus memory _"), "");
}

#[test]
fn completion_writes_no_file_and_no_control_character() {
    let sandbox = Sandbox::shop();
    sandbox.memory("kind", "Text.\n");
    sandbox.write("odd\u{1b}[31m.md", "Text.\n");
    sandbox.write("odd.md", "Text.\n");
    for shell in ["bash", "zsh", "fish"] {
        let printed = asked(&sandbox, shell, "cerberus memory read _");
        assert_eq!(printed.trim_end(), "kind", "{shell}");
        let printed = asked(&sandbox, shell, "cerberus memory create x --from od");
        assert_eq!(printed.trim_end(), "odd.md", "{shell}");
    }
    assert!(!sandbox.exists(".memories/indices") && !sandbox.exists("../home/cache"));
}

#[test]
fn fixed_words_are_completed() {
    let sandbox = Sandbox::shop();
    let printed = asked(&sandbox, "bash", "cerberus memory add x --kind _");
    assert_eq!(
        printed.trim_end().split('\u{b}').collect::<Vec<_>>(),
        ["code", "process"]
    );
    let printed = asked(&sandbox, "bash", "cerberus memory show --type ru");
    assert_eq!(printed.trim_end(), "rule");
}

/// A shell inserts a candidate as it is, and Enter runs the line.
#[test]
#[cfg(unix)]
fn completion_omits_names_that_a_shell_would_read_as_code() {
    let sandbox = Sandbox::empty();
    sandbox.ok("memory init");
    let odd = [
        "$(touch a)",
        "`touch a`",
        ";touch a",
        " b",
        "*",
        "{a,b}",
        "&a",
        "'",
        ">a",
        "~",
    ];
    for (number, end) in odd.iter().enumerate() {
        sandbox.memory(&format!("q{number}{end}"), "Text.\n");
        sandbox.write(format!("r{number}{end}.md"), "Text.\n");
    }
    sandbox.memory("--into", "Text.\n");
    sandbox.memory("q-plain", "Text.\n");
    sandbox.write("--fix", "Text.\n");
    sandbox.write("r-plain.md", "Text.\n");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let values = |line: &str| -> Vec<String> {
            let printed = asked(&sandbox, shell, line);
            let words = printed.split(['\n', '\u{b}', '\t']).map(str::to_owned);
            words.filter(|word| !word.is_empty()).collect()
        };
        assert_eq!(values("cerberus memory show q"), ["q-plain"], "{shell}");
        assert_eq!(
            values("cerberus memory create x --from r"),
            ["r-plain.md"],
            "{shell}"
        );
        assert!(
            !values("cerberus memory read _").contains(&"--into".to_owned()),
            "{shell}"
        );
        assert!(
            !values("cerberus check _").contains(&"--fix".to_owned()),
            "{shell}"
        );
    }
}

/// Runs the script in bash itself.
#[test]
#[cfg(unix)]
fn the_script_completes_in_bash() {
    let sandbox = Sandbox::anchored();
    let script = sandbox.ok("completions bash");
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_cerberus"))
        .parent()
        .expect("a folder");
    let test = r#"
        COMP_WORDS=(cerberus memory read h) COMP_CWORD=3
        _clap_complete_cerberus cerberus h read
        echo "${COMPREPLY[@]}"
    "#;
    let mut command = Command::new("bash");
    let path = format!(
        "{}:{}",
        folder.display(),
        std::env::var("PATH").expect("set")
    );
    command
        .args(["--norc", "-c", &format!("{script}\n{test}")])
        .env("PATH", path);
    let output = command.current_dir(sandbox.path("")).output();
    let Ok(output) = output else {
        return print_skipped("bash is not installed");
    };
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "hang-curtains hash-passwords\n"
    );
}
