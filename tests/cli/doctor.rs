//! `doctor`: one sandbox for each finding.

use expect_test::{Expect, expect};

use crate::sandbox::Sandbox;

/// Runs `doctor`, compares its output and checks that it changes no file.
#[track_caller]
fn check(sandbox: &Sandbox, expected: Expect) {
    let before = sandbox.git_or_empty("status --porcelain --ignored");
    let text = sandbox.run("doctor").text();
    let rest = text
        .strip_prefix("$ cerberus doctor\n")
        .expect("the command line");
    expected.assert_eq(rest);
    assert_eq!(
        sandbox.git_or_empty("status --porcelain --ignored"),
        before,
        "it changed something"
    );
}

#[test]
fn a_healthy_project_gets_one_line() {
    let sandbox = Sandbox::anchored();
    sandbox.ok("memory delete hang-curtains");
    check(
        &sandbox,
        expect![[r#"
            no problems found; checked configuration, 7 source files, bank, 4 memories, 4 anchors, 0 pins, git
            [exit 0]
        "#]],
    );
    let report = sandbox.json("doctor");
    assert_eq!(report["ok"], true);
    assert_eq!(report["rootSource"], "the nearest folder with a bank");
}

#[test]
fn hooks_that_codex_was_not_allowed_to_run_are_named() {
    let sandbox = Sandbox::bank();
    sandbox.ok("setup codex --yes");
    let hooks = sandbox
        .path(".codex/hooks.json")
        .canonicalize()
        .expect("a path");
    let says = |config: &str| {
        sandbox.write("codex/config.toml", config);
        let mut command = sandbox.command("doctor");
        let output = command
            .env("CODEX_HOME", sandbox.path("codex"))
            .output()
            .expect("run");
        String::from_utf8_lossy(&output.stdout).contains("Codex skips the hooks")
    };
    assert!(says("model = 'x'\n"));
    assert!(!says(&format!(
        "[hooks.state.'{}:stop:0:0']\n",
        hooks.display()
    )));
}

#[test]
fn a_folder_without_a_bank_is_reported() {
    let sandbox = Sandbox::empty();
    sandbox.remove(".git");
    check(
        &sandbox,
        expect![[r#"
            info	code	no Python, Go, JavaScript, TypeScript, Rust or Java files found, so rules cannot have examples	pass the folder of the project: cerberus doctor --project DIR
            info	bank	there is no bank, so no rules are stored; `cerberus check` needs none	cerberus memory init
            info	git	this is not a git repository, so memories have no history	git init
            [exit 0]
        "#]],
    );
    assert!(!sandbox.exists(".memories"));
}

#[test]
fn an_invalid_configuration_does_not_stop_the_other_checks() {
    let sandbox = Sandbox::anchored();
    sandbox.write("cerberus.toml", "[anchor]\nmin_qualty = 0.5\n");
    sandbox.write("../home/config/cerberus/config.toml", "[memory\n");
    sandbox.memory("plan", "# Plan\n\n<!-- ANCHOR:steps -->\n");
    check(
        &sandbox,
        expect![[r#"
            error	configuration	failed to read `$ROOT/home/config/cerberus/config.toml:1:8`: unclosed table, expected `]`	fix this line, or comment it out with `#`
            error	configuration	failed to read `$ROOT/shop/cerberus.toml:2:1`: unknown field `min_qualty`, expected one of `min_quality`, `weights`, `exclude`	did you mean `min_quality`?
            error	memories	plan.md:3:1: section `steps`, opened on line 3, is never closed	cerberus memory sections plan --validate
            [exit 1]
        "#]],
    );
}

#[test]
fn the_sources_of_the_settings_are_listed() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "../home/config/cerberus/config.toml",
        "[anchor]\nmin_quality = 0.9\nweights = \"legacy\"\n",
    );
    let settings = sandbox.json("doctor")["settings"].to_string();
    let settings = settings.replace(
        &sandbox
            .path("..")
            .canonicalize()
            .expect("there")
            .display()
            .to_string(),
        "$ROOT",
    );
    expect![[r#"[{"file":"$ROOT/home/config/cerberus/config.toml","key":"anchor.weights","value":"\"legacy\""},{"file":"$ROOT/shop/cerberus.toml","key":"anchor.min_quality","value":"0.4"}]"#]].assert_eq(&settings);
}

#[test]
fn excluding_all_code_is_reported() {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[anchor]\nexclude = [\"**\"]\n");
    check(
        &sandbox,
        expect![[r#"
            error	code	`exclude` matches every source file, so rules cannot have examples	narrow `exclude` under `[anchor]` in `cerberus.toml`
            [exit 1]
        "#]],
    );
    sandbox.write("cerberus.toml", "[anchor]\nexclude = [\"a[\"]\n");
    check(
        &sandbox,
        expect![[r#"
            error	code	invalid exclude glob `a[`: error parsing glob '!a[': unclosed character class; missing ']'	fix `exclude` under `[anchor]` in `cerberus.toml`
            [exit 1]
        "#]],
    );
}

#[test]
fn disabled_memory_is_an_info() {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[memory]\nenabled = false\n");
    check(
        &sandbox,
        expect![[r#"
            info	configuration	memory is disabled for this project	set `enabled = true` under `[memory]` in `cerberus.toml`
            [exit 0]
        "#]],
    );
}

#[test]
fn the_environment_is_checked() {
    let sandbox = Sandbox::bank();
    let mut command = sandbox.command("doctor");
    command
        .env("CERBERUS_NOW", "yesterday")
        .env("CERBERUS_PROJEKT", "x")
        .env("XDG_DATA_HOME", "here");
    let outcome = sandbox.outcome("doctor", command.output().expect("it runs"));
    expect![[r#"
        $ cerberus doctor
        error	environment	CERBERUS_NOW is not a valid time: `yesterday`: failed to parse four digit integer as year: invalid digit, expected 0-9 but got y	unset CERBERUS_NOW
        info	environment	unknown variable `CERBERUS_PROJEKT`	unset CERBERUS_PROJEKT, or did you mean CERBERUS_PROJECT?
        info	environment	`XDG_DATA_HOME` is not an absolute path and is ignored	set XDG_DATA_HOME to an absolute path, or unset it
        [exit 1]
    "#]].assert_eq(&outcome.text());
    let mut command = sandbox.command("doctor");
    command.env("CERBERUS_PROJECT", "none");
    let outcome = sandbox.outcome("doctor", command.output().expect("it runs"));
    expect![[r#"
        $ cerberus doctor
        --- stderr
        cerberus: failed to open the project `none`: No such file or directory (os error 2)
        hint: name an existing folder with `CERBERUS_PROJECT`
        [exit 2]
    "#]]
    .assert_eq(&outcome.text());
}

#[test]
fn a_bank_that_is_not_a_folder_is_reported() {
    let sandbox = Sandbox::shop();
    sandbox.write(".memories", "x");
    check(
        &sandbox,
        expect![[r#"
            error	bank	`.memories` is not a folder	move it away, then run `cerberus memory init`: mv .memories .memories.old
            [exit 1]
        "#]],
    );
}

#[test]
fn invalid_memories_are_reported_one_by_one() {
    let sandbox = Sandbox::bank();
    sandbox.memory("yaml", "---\ntype: [rule\n---\nx\n");
    sandbox.memory("type", "---\ntype: rul\nscope: galaxy\n---\nx\n");
    sandbox.memory("open", "---\ntype: rule\n");
    sandbox.memory(
        "conflict",
        "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n",
    );
    sandbox.memory("sections", "<!-- ANCHOR:a -->\ntext\n\n<!-- ANCHOR:b -->\n");
    sandbox.memory("stray", "text\n<!-- /ANCHOR:a -->\n");
    sandbox.memory("first", "---\nid: same\n---\nx\n");
    sandbox.memory("second", "---\nid: same\n---\nx\n");
    sandbox.memory("third", "---\nid: SAME\n---\nx\n");
    sandbox.memory("huge", "x".repeat(110 * 1024));
    sandbox.memory("large", "x ".repeat(30 * 1024));
    sandbox.memory("bytes", b"a\xFFb\n");
    sandbox.memory("aux", "x\n");
    sandbox.memory("cobol", "---\nscope: language:cobol\n---\nx\n");
    check(
        &sandbox,
        expect![[r#"
            error	memories	`bytes.md` is not valid UTF-8; invalid bytes are shown as U+FFFD	correct it in `.memories`
            error	memories	`$ROOT/shop/.memories/huge.md` is larger than 100 KB	correct it in `.memories`
            error	memories	open.md:1:1: frontmatter, opened on line 1, is never closed	correct it in `.memories`
            error	memories	type.md:2:7: unknown type `rul`: expected one of rule, decision, plan, journal, fact, observation, reflection	correct it in `.memories`
            error	memories	type.md:3:8: unknown scope `galaxy`: expected universal, language:<name> or project:<name>	correct it in `.memories`
            error	memories	yaml.md:2:7: failed to read the frontmatter: unclosed bracket '['	correct it in `.memories`
            error	memories	`second.md` is ignored: `first.md` already has the id `same`	correct it in `.memories`
            error	memories	sections.md:1:1: section `a`, opened on line 1, is never closed	cerberus memory sections sections --validate
            error	memories	stray.md:2:1: line 2 closes section `a`, which is not open	cerberus memory sections stray --validate
            info	memories	`large.md` has 60 KB; the limit is 100 KB	correct it in `.memories`
            info	git	14 memories not tracked by git yet	git add .memories
            [exit 1]
        "#]],
    );
}

#[test]
fn a_damaged_lock_is_reported() {
    let sandbox = Sandbox::anchored();
    let lock = sandbox.lock();
    sandbox.write(".memories/anchors.lock", format!("<<<<<<< ours\n{lock}"));
    check(
        &sandbox,
        expect![[r#"
            error	memories	failed to read `anchors.lock:1`: it contains a merge conflict	resolve it with `cerberus memory reanchor`, which keeps the anchors of both sides
            [exit 1]
        "#]],
    );
    sandbox.write(
        ".memories/anchors.lock",
        lock.replace("version = 3", "version = 9"),
    );
    check(
        &sandbox,
        expect![[r#"
            error	memories	failed to read `anchors.lock`: it has version 9, but this cerberus supports 3 and 4	upgrade cerberus
            [exit 1]
        "#]],
    );
}

#[test]
fn pins_are_checked() {
    let sandbox = Sandbox::bank();
    sandbox.write(".memories/pins.toml", "version = 1\n[[pin]\n");
    check(
        &sandbox,
        expect![[r#"
            error	pins	`pins.toml:2`: unclosed array table, expected `]`; its pins are not injected	fix it, or restore it: git checkout -- .memories/pins.toml
            [exit 1]
        "#]],
    );
}

#[test]
fn no_store_is_made() {
    let sandbox = Sandbox::anchored();
    sandbox.remove(".memories/indices");
    assert_eq!(sandbox.run("doctor").status(), 0);
    assert!(!sandbox.exists(".memories/indices"));
}

#[test]
fn the_git_status_of_the_bank_is_checked() {
    let sandbox = Sandbox::bank();
    sandbox.memory("a", "x\n");
    check(
        &sandbox,
        expect![[r#"
            info	git	1 memory not tracked by git yet	git add .memories
            [exit 0]
        "#]],
    );
    sandbox.write(".gitignore", ".memories\n");
    check(
        &sandbox,
        expect![[r#"
            error	git	git ignores `.memories`, so other clones do not get these memories	remove the pattern printed by: git check-ignore -v .memories/a.md
            [exit 1]
        "#]],
    );
    sandbox.write(".gitignore", "*.lock\n");
    check(
        &sandbox,
        expect![[r#"
            error	git	git ignores `.memories/anchors.lock`, so other clones and CI do not get it	remove the pattern printed by: git check-ignore -v .memories/anchors.lock
            [exit 1]
        "#]],
    );
    sandbox.write(".gitignore", "");
    sandbox.write(".memories/.gitignore", "indices/\n");
    sandbox.ok("memory delete a");
    sandbox.ok("index");
    sandbox.git("add --force .memories/indices");
    check(
        &sandbox,
        expect![[r#"
            error	git	git tracks `.memories/indices`, which is generated	git rm -r --cached .memories/indices
            error	git	git does not ignore `.memories/.trash`	echo .trash/ >> .memories/.gitignore
            [exit 1]
        "#]],
    );
}

#[test]
fn a_lock_that_is_not_in_git_is_reported() {
    let sandbox = Sandbox::anchored();
    sandbox.git("rm -q --cached .memories/anchors.lock");
    check(
        &sandbox,
        expect![[r#"
            error	git	`.memories/anchors.lock` is not tracked by git, so CI does not have the anchors	git add .memories/anchors.lock
            [exit 1]
        "#]],
    );
}

#[test]
fn a_shallow_clone_is_an_info() {
    let sandbox = Sandbox::anchored();
    sandbox.commit("later");
    let source = format!("file://{}", sandbox.path("").display());
    sandbox.git(&format!("clone -q --depth 1 {source} ../clone"));
    let clone = sandbox.beside("clone");
    check(
        &clone,
        expect![[r#"
            info	git	this clone is shallow, so the dates of older changes are unknown	git fetch --unshallow
            [exit 0]
        "#]],
    );
}

#[test]
fn the_other_checks_run_without_git() {
    let sandbox = Sandbox::anchored();
    let mut command = sandbox.command("doctor");
    command.env("PATH", sandbox.path("none"));
    let outcome = sandbox.outcome("doctor", command.output().expect("it runs"));
    expect![[r#"
        $ cerberus doctor
        info	git	`git` not found, so renames, recency and `--diff` are unavailable	install git
        [exit 0]
    "#]]
    .assert_eq(&outcome.text());
}

#[test]
fn hook_settings_with_a_missing_program_are_reported() {
    let sandbox = Sandbox::bank();
    sandbox.ok("setup git --yes");
    let mut command = sandbox.command("doctor");
    let git = std::env::split_paths(&std::env::var_os("PATH").expect("set"))
        .find(|folder| folder.join("git").exists())
        .expect("git is somewhere");
    std::fs::create_dir(sandbox.path("../bin")).expect("a new folder");
    #[cfg(unix)]
    std::os::unix::fs::symlink(git.join("git"), sandbox.path("../bin/git")).expect("a link");
    command.env("PATH", sandbox.path("../bin"));
    let outcome = sandbox.outcome("doctor", command.output().expect("it runs"));
    expect![[r#"
        $ cerberus doctor
        error	hosts	`.git/hooks/pre-commit` starts `cerberus`, which is not on PATH	install cerberus in a folder of PATH
        [exit 1]
    "#]].assert_eq(&outcome.text());
}

#[test]
fn an_agents_file_that_claude_code_does_not_read_is_an_info() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "# Agents\n");
    sandbox.write("CLAUDE.md", "# Claude\n");
    sandbox.commit("agents");
    check(
        &sandbox,
        expect![[r#"
            info	hosts	Claude Code does not read `AGENTS.md`, because there is `CLAUDE.md`	if it should, add the line `@AGENTS.md` to `CLAUDE.md`
            [exit 0]
        "#]],
    );
    sandbox.write("CLAUDE.md", "# Claude\n\n@AGENTS.md\n");
    sandbox.commit("import");
    let outcome = sandbox.run("doctor");
    assert!(
        !outcome.stdout().contains("AGENTS.md"),
        "{}",
        outcome.text()
    );
}

/// The row of Claude Code in a report: by hooks, in its documents, twice, not.
const CLAUDE_ROW: &str = "<th scope=\"row\">claude</th><td class=\"number\">1</td><td class=\"number\">0</td>\
                          <td class=\"number\">1</td><td class=\"number\">0</td>";

#[test]
fn rules_that_an_agent_does_not_get_are_counted() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Close the session in a finally block\"");
    sandbox.ok("memory add \"Hash passwords with a salt\"");
    sandbox.write("AGENTS.md", "# Rules\n\n- Hash passwords\n  with a salt\n");
    let said = || -> Vec<String> {
        let report = sandbox.json("doctor");
        let findings = report["findings"].as_array().expect("findings").iter();
        let messages = findings.map(|it| it["message"].as_str().unwrap_or_default().to_owned());
        messages
            .filter(|it| it.contains("rules without asking") || it.contains("both"))
            .collect()
    };
    let none: [String; 0] = [];
    assert_eq!(said(), none);
    sandbox.write(".codex/config.toml", "model = \"x\"\n");
    sandbox.write("CLAUDE.md", "@AGENTS.md\n");
    sandbox.write("GEMINI.md", "Be brief.\n");
    let counts = |said: Vec<String>| {
        said.iter()
            .filter_map(|it| it.split(" rules").next().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        counts(said()),
        [
            "claude gets 1 of 2",
            "codex gets 1 of 2",
            "gemini gets 0 of 2"
        ]
    );
    let arrivals = || -> Vec<String> {
        let report = sandbox.json("memory report");
        let reach = report["reach"].as_array().expect("agents").iter();
        reach
            .map(|it| it["rules"]["hash-passwords-with-a-salt"].to_string())
            .collect()
    };
    assert_eq!(arrivals(), ["\"document\"", "\"document\"", "\"missing\""]);
    sandbox.write("CLAUDE.md", "Be brief.\n");
    let text = format!("{}\n- Hash passwords with a salt\n", "long ".repeat(8_000));
    sandbox.write("AGENTS.md", &text);
    assert_eq!(arrivals(), ["\"hidden\"", "\"cut\"", "\"missing\""]);
    sandbox.ok("setup claude codex gemini --yes");
    assert_eq!(said(), none);
    sandbox.write("CLAUDE.md", "@AGENTS.md\n");
    assert_eq!(arrivals(), ["\"doubled\"", "\"hooks\"", "\"hooks\""]);
    assert!(sandbox.ok("memory report --html -").contains(CLAUDE_ROW));
    let settings = sandbox.read(".claude/settings.json");
    sandbox.write(".claude/settings.local.json", &settings);
    assert_eq!(said().len(), 1);
}

#[test]
fn instructions_that_do_not_reach_an_agent_are_named() {
    let sandbox = Sandbox::empty();
    let long = "A rule of this folder.\n".repeat(900);
    sandbox.write("AGENTS.md", &long);
    sandbox.write("web/AGENTS.md", &long);
    sandbox.write(
        "web/CLAUDE.md",
        "Rules: @docs/style.md and `@not/imported.md`\n",
    );
    sandbox.write("web/docs/style.md", "# Style\n");
    sandbox.write("GEMINI.md", "See @docs/none.md for more.\n");
    sandbox.write(
        ".cursor/rules/a.mdc",
        "---\nalwaysApply: true\n---\n@src/none.ts\n",
    );
    sandbox.write(".agents/rules/a.md", "x".repeat(12_001));
    let report = sandbox.json_of(sandbox.run("doctor --json"));
    let mut found = Vec::new();
    for finding in report["findings"].as_array().expect("a list") {
        if finding["check"] == "hosts" {
            found.push(finding["message"].as_str().unwrap_or_default().to_owned());
        }
    }
    assert_eq!(
        found,
        [
            "Codex reads 32768 bytes of AGENTS.md from the root to a folder, and with `web/AGENTS.md` there are 41400: the end of it does not arrive",
            "Antigravity reads 12000 characters of a rule file, and `.agents/rules/a.md` has 12001",
            "`.cursor/rules/a.mdc:4` imports `@src/none.ts`, which does not exist",
            "`GEMINI.md:1` imports `@docs/none.md`, which does not exist",
            "Claude Code does not read `web/AGENTS.md`, because there is `web/CLAUDE.md`",
        ]
    );
}
