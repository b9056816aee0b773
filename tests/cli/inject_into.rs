//! `memory inject --into`: what does not fit, new files of clients, and several writers at once.

use expect_test::expect;

use crate::sandbox::Sandbox;

/// A project with a rule for all files and one for some, without built-in pins.
fn scoped() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[pins]\nbuiltin = false\n");
    sandbox.memory("all", "Be kind.\n");
    sandbox.memory(
        "tests",
        "---\npaths: ['**/*_test.go']\n---\nName the case.\n",
    );
    sandbox
}

#[test]
fn a_rule_of_some_files_names_them() {
    let sandbox = scoped();
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md --check
        stale AGENTS.md: its block is out of date
        next: cerberus memory inject --into AGENTS.md
        [exit 1]

        $ cerberus memory inject --into AGENTS.md
        updated AGENTS.md (47 tokens)
        [exit 0]

        $ cerberus memory inject --into AGENTS.md --check
        AGENTS.md is up to date
        [exit 0]
    "#]]);
    let text = sandbox.read("AGENTS.md");
    let items: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
    assert_eq!(items, ["- Be kind.", "- In `**/*_test.go`: Name the case."]);
}

#[test]
fn a_new_file_of_a_client_is_read_for_every_task() {
    let sandbox = scoped();
    for (path, start) in [
        (
            ".cursor/rules/cerberus.mdc",
            "---\nalwaysApply: true\n---\n\n<!-- cerberus:start",
        ),
        (
            ".github/instructions/cerberus.instructions.md",
            "---\napplyTo: \"**\"\n---\n\n<!-- cerberus:start",
        ),
        (".claude/rules/cerberus.md", "<!-- cerberus:start"),
    ] {
        sandbox.write(format!("{path}.txt"), "");
        sandbox.ok(&format!("memory inject --into {path}"));
        assert!(
            sandbox.read(path).starts_with(start),
            "{}",
            sandbox.read(path)
        );
        sandbox.ok(&format!("memory inject --into {path} --check"));
    }
}

#[test]
fn rules_that_do_not_fit_are_counted_with_a_way_to_make_them_fit() {
    let sandbox = scoped();
    for n in 0..30 {
        sandbox.memory(
            &format!("m{n:02}"),
            format!("Rule {n}: {}\n", "keep it simple ".repeat(8)),
        );
    }
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md --budget 300
        updated AGENTS.md (257 tokens)
        omitted AGENTS.md: 23 memories do not fit
          all of it needs `--budget 979`
        [exit 0]

        $ cerberus memory inject --into AGENTS.md --budget 300 --check
        AGENTS.md is up to date
        omitted AGENTS.md: 23 memories do not fit
          all of it needs `--budget 979`
        [exit 0]
    "#]]);
    let report = sandbox.json("memory inject --into AGENTS.md --budget 300");
    let needed = report["omitted"]["neededTokens"]
        .as_u64()
        .expect("a number");
    let all = sandbox.json(&format!("memory inject --into AGENTS.md --budget {needed}"));
    assert_eq!(
        (&all["omitted"]["memories"], &all["skipped"]),
        (&0.into(), &serde_json::json!([]))
    );
    let fewer = sandbox.json(&format!(
        "memory inject --into AGENTS.md --budget {}",
        needed - 1
    ));
    assert_ne!(
        fewer["omitted"]["memories"], 0,
        "{needed} is the least budget"
    );
}

#[test]
fn examples_of_the_own_rules_come_first_and_rules_of_nested_documents_stay_there() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "AGENTS.md",
        "# Rules\n\n- Escape HTML entities with `escapeHtml` before rendering\n",
    );
    let rules = sandbox.read("AGENTS.md") + "- Render pages on the server only\n";
    sandbox.write("web/AGENTS.md", rules);
    sandbox.ok("memory import");
    for n in 0..9 {
        sandbox.memory(
            &format!("m{n}"),
            format!("Rule {n}: {}\n", "keep it simple ".repeat(8)),
        );
    }
    let report = sandbox.json("memory inject --into AGENTS.md --budget 200");
    assert!(report["memories"][0]["example"].is_object(), "{report}");
    assert!(
        report["omitted"]["memories"] != 0 && report["omitted"]["examples"] == 0,
        "{report}"
    );
    assert!(!sandbox.read("AGENTS.md").contains("on the server"));
    // Without room for its example, the line of a rule says nothing.
    let report = sandbox.json("memory inject --into AGENTS.md --budget 80");
    assert_eq!(report["omitted"]["examples"], 1);
    assert!(!sandbox.read("AGENTS.md").contains("line 3 above"));
    let needed = &report["omitted"]["neededTokens"];
    let all = sandbox.json(&format!("memory inject --into AGENTS.md --budget {needed}"));
    assert_eq!(all["skipped"], serde_json::json!([]));
    // A rule that was edited in the bank is not the one of the document.
    sandbox.ok("memory append render-pages-on-the-server-only --content \"Or in a worker.\"");
    sandbox.ok("memory inject --into AGENTS.md");
    assert!(sandbox.read("AGENTS.md").contains("in a worker"));
}

#[test]
fn eight_at_once_write_the_same() {
    let sandbox = scoped();
    let line = "memory inject --into AGENTS.md";
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| sandbox.ok(line));
        }
    });
    sandbox.ok(&format!("{line} --check"));
}
