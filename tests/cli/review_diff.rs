//! `memory pattern`, `memory review-diff` and the hook after an edit.

use expect_test::expect;

use crate::sandbox::Sandbox;

/// A project with a committed file and a rule with a pattern.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "no-print",
        "---\nid: no-print\ntype: rule\npattern: |\n  language: Python\n  rule:\n    kind: call\n    has:\n      regex: ^print$\n      field: function\n  ignores:\n  - '**/cli/**'\n---\n\nNever use `print()`; call `log()`.\n\n```python\n# Bad\nprint(1)\n# Good\nlog(1)\n```\n",
    );
    sandbox.memory(
        "short",
        "---\nid: short\ntype: rule\n---\n\nKeep functions short.\n",
    );
    sandbox.write("app/old.py", "print('old')\n");
    sandbox.commit("start");
    sandbox
}

#[test]
fn a_new_pattern_is_proved_and_stored_with_its_hits() {
    let sandbox = sandbox();
    sandbox.edit("app/old.py", "print('old')", "print('new')");
    sandbox.commit("new");
    let set = |text: &str, options: &str| {
        sandbox.piped(&format!("memory pattern no-print --set - {options}"), text)
    };
    let before = sandbox.read(".memories/no-print.md");
    for (text, why) in [
        (
            "language: Python\nrule:\n  kind: calls\n",
            "python has no node kind `calls`",
        ),
        ("language: Python\nrule:\n  pattern: log($$$)\n", "it"),
        (
            "language: Python\nrule:\n  pattern: warn($$$)\n",
            "misses 1 of 1 counter-examples",
        ),
        ("command: [a && b]\n", "`a && b` is not one program"),
    ] {
        let refused = set(text, "");
        assert_eq!(refused.status(), 1, "{}", refused.text());
        assert!(refused.stderr().contains("not stored") && refused.stderr().contains(why));
    }
    let pattern = "language: Python\nrule:\n  pattern: print($$$)\n";
    let dry = set(pattern, "--dry-run");
    assert_eq!(sandbox.read(".memories/no-print.md"), before);
    expect![[r#"
        no-print is enforced: once it is stored, without --dry-run
          language: Python
          rule:
            pattern: print($$$)
        hits 1 place of the project now
          app/old.py:1: print('new')
        hits 2 lines that the last 3 commits added; 1 of them are gone
        hits 0 of 1 example, and 1 of 1 counter-example
    "#]]
    .assert_eq(&dry.stdout());
    let stored = set(pattern, "").stdout();
    assert_eq!(
        stored.replace(
            "a person accepted its pattern",
            "once it is stored, without --dry-run"
        ),
        dry.stdout()
    );
    assert!(
        sandbox
            .read(".memories/no-print.md")
            .contains("    pattern: print($$$)\n")
    );
    set("command: [python app/old.py]\ninstead: make run\n", "");
    let text = sandbox.read(".memories/no-print.md");
    assert!(
        text.contains("command: [python app/old.py]") && !text.contains("pattern:"),
        "{text}"
    );
    // `List[$A]` is a subscript, and not a type.
    sandbox.memory(
        "types",
        "---\ntype: rule\n---\n\n`list[str]`, not `List[str]`\n",
    );
    let types = "language: Python\nrule: {pattern: 'List[$A]'}\n";
    let stderr = sandbox
        .piped("memory pattern types --set -", types)
        .stderr();
    assert!(
        stderr.contains("nothing shows that the pattern can hit"),
        "{stderr}"
    );
    sandbox.memory(
        "types",
        "---\ntype: rule\n---\n\nUse `list[str]`\n\nBad:\n\n```python\ndef f(a: List[str]): pass\n```\n",
    );
    let stderr = sandbox
        .piped("memory pattern types --set -", types)
        .stderr();
    assert!(
        stderr.contains("misses 1 of 1 counter-examples"),
        "{stderr}"
    );
}

#[test]
fn code_of_tests_and_of_others_does_what_a_text_forbids() {
    let sandbox = sandbox();
    sandbox.memory("panics", "---\ntype: rule\n---\n\nNever `unwrap()`\n");
    sandbox.write("app/lib.rs", "mod pay;\n#[cfg(test)]\nmod harness;\n");
    sandbox.write("app/pay.rs", "fn f() { a.unwrap() }\n");
    sandbox.write("app/harness.rs", "fn f() { a.unwrap() }\n");
    sandbox.write("app/generated/b.rs", "fn f() { a.unwrap() }\n");
    sandbox.write("vendor/c.rs", "fn f() { a.unwrap() }\n");
    let report = sandbox.json("memory review-diff");
    let found = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| &it["file"]);
    assert_eq!(found.collect::<Vec<_>>(), ["app/pay.rs"]);
}

#[test]
fn code_that_the_text_of_a_rule_forbids_is_a_hint() {
    let sandbox = sandbox();
    sandbox.memory(
        "clock",
        "---\ntype: rule\n---\n\nNever use `datetime.now()` or `time.time`, use `clock()`.\n",
    );
    sandbox.memory("src", "---\ntype: rule\npaths: web/\n---\n\nNo `eval()`\n");
    // Its own example shows that the text means something else.
    sandbox.memory(
        "run",
        "---\ntype: rule\n---\n\nNever use `run()`\n\n```python\n# Good\nrun(1)\n```\n",
    );
    sandbox.write(
        "app/new.py",
        "# datetime.now()\na = datetime.now()\nb = time.time()\nrun()\neval('1')\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory pattern clock
        clock is advisory: its frontmatter has no pattern
          its text forbids `datetime.now()`, a hint in added lines
          its text forbids `time.time`, a hint in added lines
        [exit 0]

        $ cerberus memory review-diff
        app/new.py:2:5: hint: Never use `datetime.now()` or `time.time`, use `clock()`. (clock)
          a = datetime.now()
          or allow it: # cerberus: allow clock REASON
        app/new.py:3:5: hint: Never use `datetime.now()` or `time.time`, use `clock()`. (clock)
          b = time.time()
          or allow it: # cerberus: allow clock REASON
        0 errors and 2 hints in 5 lines of 1 file
        [exit 0]
    "#]]);
    sandbox.edit(
        "app/new.py",
        "b =",
        "# cerberus: allow clock it is a benchmark\nb =",
    );
    assert_eq!(sandbox.json("memory review-diff")["summary"]["allowed"], 1);
}

#[test]
fn what_a_project_does_widely_is_no_hint() {
    let sandbox = sandbox();
    sandbox.memory("eval", "---\ntype: rule\n---\n\nNever use `eval()`\n");
    sandbox.write("app/first.py", "eval('1')\n");
    sandbox.commit("first");
    sandbox.write("app/first.py", "eval('1')\neval('2')\n");
    sandbox.write("app/second.py", "eval('1')\n");
    let files = || {
        let report = sandbox.json("memory review-diff");
        let findings = report["findings"].as_array().expect("a list").iter();
        findings
            .map(|it| it["file"].as_str().map(str::to_owned))
            .collect::<Option<Vec<_>>>()
    };
    // The first file is an exception.
    assert_eq!(files(), Some(vec!["app/second.py".to_owned()]));
    (0..15).for_each(|n| sandbox.write(format!("app/old_{n}.py"), "eval('1')\n"));
    assert_eq!(files().map(|it| it.len()), Some(17 - 1));
    sandbox.commit("others");
    sandbox.write("app/third.py", "eval('1')\n");
    assert_eq!(files(), Some(Vec::new()));
    let shown = sandbox.ok("memory pattern eval");
    let why =
        "`eval()`, no hint in added lines: 18 files of the project have it; a pattern enforces it";
    assert!(shown.contains(why), "{shown}");
}

#[test]
fn a_pattern_is_shown_tested_and_removed() {
    let sandbox = sandbox();
    sandbox.session(expect![[r#"
        $ cerberus memory pattern no-print
        no-print is enforced: a person accepted its pattern
          language: Python
          rule:
            kind: call
            has:
              regex: ^print$
              field: function
          ignores:
          - "**/cli/**"
        hits 0 of 1 example, and 1 of 1 counter-example
        [exit 0]

        $ cerberus memory pattern short
        short is advisory: its frontmatter has no pattern
        [exit 0]
    "#]]);
    let shown = sandbox.ok("memory show no-print");
    assert!(
        shown.contains("enforced: see cerberus memory pattern no-print"),
        "{shown}"
    );
    sandbox.ok("memory reanchor --check");
    sandbox.edit(".memories/no-print.md", "^print$", "^log$");
    let failed = sandbox.run("memory reanchor --check");
    assert_eq!(failed.status(), 1);
    assert!(
        failed.text().contains("its pattern hits 1 of 1 examples"),
        "{}",
        failed.text()
    );
    sandbox.edit(".memories/no-print.md", "kind: call", "kind: calls");
    let warned = sandbox.run("memory review-diff");
    assert!(
        warned.stderr().contains("python has no node kind `calls`"),
        "{}",
        warned.text()
    );
    assert_eq!(warned.status(), 3);
    sandbox.ok("memory pattern no-print --remove");
    assert!(!sandbox.read(".memories/no-print.md").contains("pattern:"));
    assert_eq!(
        sandbox.json("memory pattern no-print")["enforcement"],
        "advisory"
    );
}

#[test]
fn added_code_is_checked() {
    let sandbox = sandbox();
    assert_eq!(
        sandbox.json("memory review-diff")["summary"]["addedLines"],
        0
    );
    sandbox.write(
        "app/new.py",
        "def f():\n    print('a')\n    # cerberus: allow no-print the answer\n    print('b')\n",
    );
    sandbox.edit("app/old.py", "print('old')\n", "print('old')\nx = 1\n");
    sandbox.session(expect![[r#"
        $ cerberus memory review-diff
        app/new.py:2:5: error: Never use `print()`; call `log()`. (no-print)
          print('a')
          or allow it: # cerberus: allow no-print REASON
        1 error and 0 hints in 5 lines of 2 files; 1 allowed
        [exit 1]
    "#]]);
    for (format, expected) in [
        (
            "github",
            "::error file=app/new.py,line=2,endLine=2,col=5,title=cerberus%3A no-print::",
        ),
        ("sarif", "\"ruleId\":\"no-print\""),
        ("json", "\"severity\":\"error\""),
    ] {
        let outcome = sandbox.run(&format!("memory review-diff --format {format}"));
        assert_eq!(outcome.status(), 1);
        let text = outcome.stdout().replace("\": ", "\":");
        assert!(text.contains(expected), "{text}");
    }
    let staged = sandbox.json_of(sandbox.run("memory review-diff --staged --format json"));
    assert_eq!(staged["summary"]["files"], 0);
    sandbox.git("add .");
    let staged = sandbox.json_of(sandbox.run("memory review-diff --staged --format json"));
    assert_eq!(staged["findings"][0]["line"], 2);
    assert_eq!(
        sandbox.run("memory review-diff no-such-revision").status(),
        3
    );
}

#[test]
fn an_edit_is_answered_with_what_it_hits() {
    let sandbox = sandbox();
    sandbox.write("app/new.py", "print('a')\nx = 1\n");
    let path = sandbox.path("app/new.py").display().to_string();
    let event = |text: &str| {
        serde_json::json!({
            "session_id": "1", "cwd": sandbox.path("").display().to_string(),
            "tool_input": { "file_path": path, "content": text }
        })
        .to_string()
    };
    let answer = sandbox.piped("hooks run claude after-edit", event("print('a')\nx = 1\n"));
    assert_eq!(answer.status(), 0);
    let text = answer.stdout();
    assert!(
        text.contains("\"hookEventName\":\"PostToolUse\"")
            || text.contains("\"hookEventName\": \"PostToolUse\""),
        "{text}"
    );
    assert!(text.contains("app/new.py:1: error: Never use"), "{text}");
    let part = sandbox.piped("hooks run claude after-edit", event("rint('a')"));
    assert!(
        part.stdout().contains("app/new.py:1: error"),
        "{}",
        part.text()
    );
    // Another edit of the file does not repeat it.
    assert_eq!(
        sandbox
            .piped("hooks run claude after-edit", event("x = 1\n"))
            .stdout(),
        ""
    );
    let gemini = sandbox.piped("hooks run gemini edit", event("print('a')\n"));
    assert!(
        gemini.stdout().contains("app/new.py:1: error"),
        "{}",
        gemini.text()
    );
}

#[test]
fn what_is_not_checked_is_an_error() {
    let sandbox = sandbox();
    let large = format!("print(1)\n{}", "# pad\n".repeat(180_000));
    sandbox.write("app/large.py", large.as_bytes());
    sandbox.write(
        "app/deep.py",
        format!("y = {}{}\n", "(".repeat(3000), ")".repeat(3000)),
    );
    sandbox.write("app/cli/large.py", large.as_bytes());
    let outcome = sandbox.run("memory review-diff");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    let shown = outcome.stderr();
    for expected in [
        "not checked in `app/large.py`: the pattern of `no-print`: `app/large.py` is larger than 1 MB",
        "not checked in `app/deep.py`: the pattern of `no-print`: it is nested too deeply",
    ] {
        assert!(shown.contains(expected), "{shown}");
    }
    assert!(
        outcome.stdout().contains("no pattern is hit"),
        "{}",
        outcome.text()
    );
    assert!(
        outcome.stdout().contains("; 2 not checked"),
        "{}",
        outcome.text()
    );
    let report = sandbox.json_of(sandbox.run("memory review-diff --json"));
    assert_eq!(report["ok"], false);
    assert_eq!(report["unchecked"][1]["file"], "app/large.py");
    sandbox.git("add .");
    let staged = sandbox.run("memory review-diff --staged --format github");
    assert_eq!(staged.status(), 3, "{}", staged.text());
    assert!(
        staged.stdout().contains("::warning file=app/large.py,"),
        "{}",
        staged.text()
    );
    assert_eq!(sandbox.run("memory review-diff --all").status(), 3);
    // The encoding does not matter.
    sandbox.commit("these files");
    let text: Vec<u8> = "\u{feff}print(2)\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    sandbox.write("app/utf16.py", text);
    assert_eq!(sandbox.run("memory review-diff").status(), 1);
}

#[test]
fn a_repository_that_git_refuses_is_not_a_new_one() {
    let sandbox = sandbox();
    sandbox.write(".git/config", "[broken\n");
    for line in ["memory review-diff", "check"] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        let why = "git refuses to read the repository: bad config line 1 in file";
        assert!(outcome.stderr().contains(why), "{}", outcome.text());
    }
}

#[test]
fn rules_of_a_submodule_that_is_not_checked_out_are_not_checked() {
    let sandbox = sandbox();
    sandbox.write(
        ".gitmodules",
        "[submodule \"team\"]\n\tpath = .memories/team\n\turl = ../team\n",
    );
    for folder in [".memories/team", ".memories/empty"] {
        std::fs::create_dir(sandbox.path(folder)).expect("a new folder");
    }
    sandbox.edit("app/old.py", "print('old')", "log('old')");
    let why = "`.memories/team` is not checked out: git submodule update --init .memories/team";
    for command in ["memory review-diff", "check", "memory reanchor --check"] {
        let outcome = sandbox.run(command);
        assert_eq!(outcome.status(), 3, "{command}: {}", outcome.text());
        assert_eq!(
            outcome.text().matches(why).count(),
            1,
            "{command}: {}",
            outcome.text()
        );
        assert!(!outcome.text().contains(".memories/empty"), "{command}");
    }
    // The other commands work with the rules that are there.
    assert_eq!(sandbox.run("memory show no-print").status(), 0);
}

/// Returns the status of a review, the files with findings and those that were not checked.
fn reviewed(sandbox: &Sandbox, options: &str) -> (i32, Vec<String>, Vec<String>) {
    let outcome = sandbox.run(&format!("memory review-diff --json {options}"));
    let status = outcome.status();
    let report = sandbox.json_of(outcome);
    let files = |key: &str| {
        let items = report[key].as_array().expect("a list").iter();
        items
            .map(|item| item["file"].as_str().expect("a file").to_owned())
            .collect()
    };
    (status, files("findings"), files("unchecked"))
}

#[test]
fn the_changed_files_are_those_of_git() {
    let sandbox = sandbox();
    let files = [
        ".ci/lint.py",
        ".tool.py",
        "build/kept.py",
        "extern/a.py",
        "lib/deep/b.py",
        "web/c.min.js",
    ];
    for file in files {
        sandbox.write(file, "x = 1\n");
    }
    sandbox.write(".gitignore", "build/\n");
    sandbox.write("cerberus.toml", "[anchor]\nexclude = [\"extern/**\"]\n");
    sandbox.git("add --force build");
    sandbox.commit("files");
    // Rules of others than git, in the change itself, and those of folders around the project.
    sandbox.write("lib/.ignore", "*\n");
    sandbox.write("../.gitignore", "*\n");
    for file in files {
        sandbox.write(file, "x = 1\nprint(2)\n");
    }
    sandbox.write("build/new.py", "print(3)\n");
    sandbox.write("lib/new.py", "print(3)\n");
    let mut expected = vec![".ci/lint.py", ".tool.py", "build/kept.py", "extern/a.py"];
    expected.extend(["lib/deep/b.py", "lib/new.py"]);
    let (status, found, unchecked) = reviewed(&sandbox, "");
    assert_eq!(
        (status, found),
        (1, expected.iter().map(|file| (*file).to_owned()).collect())
    );
    assert_eq!(unchecked.len(), 0);
    sandbox.commit("the change");
    let (status, found, _) = reviewed(&sandbox, "HEAD~1");
    assert_eq!(
        (status, found),
        (1, expected.iter().map(|file| (*file).to_owned()).collect())
    );
    // What the project excludes is not its code.
    let (_, found, _) = reviewed(&sandbox, "--all");
    assert!(!found.contains(&"extern/a.py".to_owned()), "{found:?}");
}

#[cfg(unix)]
#[test]
fn changed_files_that_no_path_can_name_are_not_checked() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = sandbox();
    for name in [
        &b"app/na\xefve.py"[..],
        b"app/two\nlines.py",
        b"app/two\nlines.txt",
        b"app/back\\slash.py",
    ] {
        sandbox.write(std::ffi::OsStr::from_bytes(name), "print(1)\n");
    }
    let unchecked = [
        "app/back\\slash.py",
        "app/na\u{FFFD}ve.py",
        "app/two\u{FFFD}lines.py",
    ];
    for options in ["", "--all"] {
        let (status, _, found) = reviewed(&sandbox, options);
        assert_eq!(
            (status, &*found),
            (3, &unchecked.map(str::to_owned)[..]),
            "{options}"
        );
    }
    sandbox.commit("odd names");
    assert_eq!(reviewed(&sandbox, "HEAD~1").0, 3);
    assert_eq!(reviewed(&sandbox, "HEAD").0, 0, "they did not change");
}

#[cfg(unix)]
#[test]
fn a_hook_of_git_sees_the_commit_that_is_made() {
    let sandbox = sandbox();
    sandbox.write("app/new.py", "x = 1\n");
    sandbox.commit("new");
    let program = env!("CARGO_BIN_EXE_cerberus");
    sandbox.write(
        ".git/hooks/pre-commit",
        format!("#!/bin/sh\n{program} memory review-diff --staged > ../seen\nexit 0\n"),
    );
    let made = sandbox.shell("chmod +x .git/hooks/pre-commit").status();
    assert!(made.expect("a shell").success());
    sandbox.write("app/new.py", "x = 1\nprint(2)\n");
    sandbox.git("commit -q --all -m all");
    assert!(
        sandbox.read("../seen").contains("app/new.py:2"),
        "{}",
        sandbox.read("../seen")
    );
    sandbox.git("worktree add -q ../linked -b linked");
    let linked = sandbox.beside("linked");
    linked.write("app/linked.py", "print(3)\n");
    linked.git("add app/linked.py");
    linked.git("commit -q -m linked");
    assert!(
        linked.read("../seen").contains("app/linked.py:1"),
        "{}",
        linked.read("../seen")
    );
    // The variables of another repository do not matter.
    linked.write("app/linked.py", "print(3)\nprint(4)\n");
    let script = format!("GIT_DIR=$PWD/../none GIT_WORK_TREE=$PWD/.. {program} memory review-diff");
    let output = linked.shell(&script).output().expect("a shell");
    let outcome = linked.outcome("review-diff", output);
    assert!(
        outcome.stdout().contains("app/linked.py:2"),
        "{}",
        outcome.text()
    );
}

#[test]
fn a_branch_that_lost_its_commit_is_not_a_new_one() {
    let lines = [
        "check",
        "memory review-diff",
        "memory review-diff --staged",
        "memory reanchor --check",
    ];
    let damaged = |sandbox: &Sandbox| {
        sandbox.write("AGENTS.md", "See `web/html.ts`.\n");
        sandbox.commit("a guide");
        let text = sandbox.read("web/html.ts");
        sandbox.remove("web/html.ts");
        sandbox.write("web/other.ts", text.replace("escapeHtml", "escapeText"));
    };
    let sandbox = Sandbox::anchored();
    damaged(&sandbox);
    sandbox.git("pack-refs --all");
    sandbox.write(".git/packed-refs", "");
    for line in lines {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{line}: {}", outcome.text());
        assert!(
            outcome.stderr().contains("has a log, but no commit"),
            "{line}"
        );
    }
    // A branch without a past, as git makes it.
    for line in ["checkout -q --orphan fresh", "update-ref -d HEAD"] {
        let sandbox = Sandbox::anchored();
        sandbox.git(line);
        for line in lines {
            let outcome = sandbox.run(line);
            assert_ne!(outcome.status(), 3, "{line}: {}", outcome.text());
        }
    }
}

#[test]
fn a_truncated_index_is_not_compared() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "See `web/html.ts`.\n");
    sandbox.commit("a guide");
    let index = std::fs::read(sandbox.path(".git/index")).expect("an index");
    let half = &index[..index.len() / 2];
    std::fs::write(sandbox.path(".git/index"), half).expect("written");
    for line in [
        "check",
        "memory review-diff",
        "memory review-diff HEAD",
        "memory review-diff --staged",
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{line}: {}", outcome.text());
    }
}

#[test]
fn a_damaged_commit_is_not_a_missing_one() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "See `web/html.ts`.\n");
    sandbox.commit("a guide");
    let commit = sandbox.git("rev-parse HEAD");
    let commit = commit.trim().to_owned();
    let object = format!(".git/objects/{}/{}", &commit[..2], &commit[2..]);
    let text = sandbox.read("web/html.ts");
    sandbox.remove("web/html.ts");
    sandbox.write("web/other.ts", text.replace("escapeHtml", "escapeText"));
    for is_there in [true, false] {
        sandbox.remove(&object);
        if is_there {
            sandbox.write(&object, "");
        }
        for line in [
            "check",
            "memory review-diff",
            "memory review-diff HEAD",
            "memory review-diff --staged",
            "memory reanchor --check",
        ] {
            let outcome = sandbox.run(line);
            assert_eq!(outcome.status(), 3, "{line}: {}", outcome.text());
            assert!(
                outcome.stderr().contains("hint: "),
                "{line}: {}",
                outcome.text()
            );
        }
        // The recency of code is that of its commit.
        sandbox.write("cerberus.toml", "[anchor]\nweights = \"legacy\"\n");
        let outcome = sandbox.run("memory anchor-test \"Escape HTML\"");
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        let warning = "git failed to read the commit that is checked out";
        assert!(outcome.stderr().contains(warning), "{}", outcome.text());
        sandbox.write(&object, "");
    }
}
