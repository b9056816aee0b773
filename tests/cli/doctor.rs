//! `doctor`: one sandbox for each finding.

use expect_test::{Expect, expect};

use crate::sandbox::Sandbox;

/// Runs `doctor`, compares its output and checks that it changes no file.
#[track_caller]
fn check(sandbox: &Sandbox, expected: Expect) {
    let before = sandbox.git_or_empty("status --porcelain --ignored");
    let text = sandbox.run("doctor").text();
    let rest = text.strip_prefix("$ cerberus doctor\n").expect("the command line");
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
        all is well: looked at configuration, 7 source files, bank, 4 memories, 0 pins, 4 anchors, 0 links, store, git
        [exit 0]
    "#]],
    );
    let report = sandbox.json("doctor");
    assert_eq!(report["ok"], true);
    assert_eq!(report["rootSource"], "the nearest folder with a bank");
}

#[test]
fn a_check_that_cannot_run_does_not_pass() {
    let sandbox = Sandbox::bank();
    let mut command = sandbox.command("doctor");
    command.env("TMPDIR", sandbox.path("none"));
    let outcome = sandbox.outcome("doctor", command.output().expect("it runs"));
    expect![[r#"
        $ cerberus doctor
        broken	environment	no throw-away store can be made: entity not found	set TMPDIR to a folder that can be written
        [exit 3]
    "#]].assert_eq(&outcome.text());
}

#[test]
fn a_folder_without_a_bank_is_reported() {
    let sandbox = Sandbox::empty();
    sandbox.remove(".git");
    check(
        &sandbox,
        expect![[r#"
        wrong	bank	there is no bank	cerberus memory init
        remark	code	there is no file in Python, Go, JavaScript, TypeScript, Rust or Java, so no rule finds an example	name the project's folder: cerberus doctor --project DIR
        remark	git	this is no git repository, so memories have no history	git init
        [exit 1]
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
            wrong	configuration	failed to read `$ROOT/home/config/cerberus/config.toml:1:8`: unclosed table, expected `]`	fix this line, or comment it out with `#`
            wrong	configuration	failed to read `$ROOT/shop/cerberus.toml:2:1`: unknown field `min_qualty`, expected one of `min_quality`, `weights`, `exclude`	did you mean `min_quality`?
            wrong	memories	`.memories/plan.md:3:1`: section `steps`, opened on line 3, is never closed	cerberus memory sections plan --fix
            remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
            [exit 1]
        "#]],
    );
}

#[test]
fn the_sources_of_the_settings_are_listed() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "../home/config/cerberus/config.toml",
        "[anchor]\nmin_quality = 0.9\nweights = \"seed\"\n",
    );
    let settings = sandbox.json("doctor")["settings"].to_string();
    let settings = settings
        .replace(&sandbox.path("..").canonicalize().expect("there").display().to_string(), "$ROOT");
    expect![[r#"[{"file":"$ROOT/home/config/cerberus/config.toml","key":"anchor.weights","value":"\"seed\""},{"file":"$ROOT/shop/cerberus.toml","key":"anchor.min_quality","value":"0.2"}]"#]].assert_eq(&settings);
}

#[test]
fn excluding_all_code_is_reported() {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[anchor]\nexclude = [\"**\"]\n");
    check(
        &sandbox,
        expect![[r#"
        wrong	code	`exclude` hides every source file, so no rule finds an example	narrow `exclude` under `[anchor]` in `cerberus.toml`
        [exit 1]
    "#]],
    );
    sandbox.write("cerberus.toml", "[anchor]\nexclude = [\"a[\"]\n");
    check(
        &sandbox,
        expect![[r#"
            wrong	code	invalid exclude glob `a[`: error parsing glob '!a[': unclosed character class; missing ']'	fix `exclude` under `[anchor]` in `cerberus.toml`
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
        remark	configuration	memory is switched off for this project	set `enabled = true` under `[memory]` in `cerberus.toml`
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
        wrong	environment	CERBERUS_NOW is not a valid time: `yesterday`: failed to parse four digit integer as year: invalid digit, expected 0-9 but got y	unset CERBERUS_NOW
        remark	environment	unknown variable `CERBERUS_PROJEKT`	unset CERBERUS_PROJEKT, or did you mean CERBERUS_PROJECT?
        remark	environment	`XDG_DATA_HOME` is not an absolute path and is ignored	set XDG_DATA_HOME to an absolute path, or unset it
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
        wrong	bank	`.memories` is no folder	move it away, then run `cerberus memory init`: mv .memories .memories.old
        [exit 1]
    "#]],
    );
}

#[test]
fn leftover_temporary_files_are_reported() {
    let sandbox = Sandbox::bank();
    sandbox.write(".memories/.cerberus-tmp-00000000000000a1", "x");
    sandbox.write(".memories/db/.cerberus-tmp-00000000000000b2", "x");
    check(
        &sandbox,
        expect![[r#"
            info	bank	2 temporary files of an interrupted command: .memories/.cerberus-tmp-00000000000000a1, .memories/db/.cerberus-tmp-00000000000000b2	find .memories -name ".cerberus-tmp-*" -delete
            [exit 0]
        "#]],
    );
}

#[test]
fn invalid_memories_are_reported_one_by_one() {
    let sandbox = Sandbox::bank();
    sandbox.memory("yaml", "---\ntype: [rule\n---\nx\n");
    sandbox.memory("type", "---\ntype: rul\nscope: galaxy\n---\nx\n");
    sandbox.memory("open", "---\ntype: rule\n");
    sandbox.memory("conflict", "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n");
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
            wrong	memories	`$ROOT/shop/.memories/huge.md` is larger than 100 KB	split it, or move it out of `.memories`
            wrong	memories	`.memories/conflict.md:2` holds a merge conflict	keep one side of it in `.memories/conflict.md`
            wrong	memories	`.memories/open.md:1:1`: frontmatter, opened on line 1, is never closed	add a line `---` where it ends
            wrong	memories	`.memories/sections.md:1:1`: section `a`, opened on line 1, is never closed (and 1 more)	cerberus memory sections sections --fix
            wrong	memories	`.memories/stray.md:2:1`: line 2 closes section `a`, which is not open	cerberus memory sections stray --validate
            wrong	memories	`.memories/type.md:2:7`: unknown type `rul`: expected one of rule, decision, plan, journal, fact, observation, reflection (and 1 more)	did you mean `rule`?
            wrong	memories	`.memories/yaml.md:2:7`: failed to read the frontmatter: unclosed bracket '['	write it as lines of `key: value`
            wrong	memories	`second.md` is ignored: `first.md` already has the id `same`	give `second.md` an `id` of its own in its frontmatter
            wrong	memories	the ids `same` of `first.md` and `SAME` of `third.md` differ in case alone	give `third.md` an `id` of its own in its frontmatter
            remark	memories	`aux.md` is not a valid memory file: `aux.md` is reserved	give it another name in `.memories`
            remark	memories	`bytes.md` is not valid UTF-8; invalid bytes are shown as U+FFFD	save it as UTF-8 in an editor
            remark	memories	`cobol` can never have an example: code in `cobol` is not indexed	cerberus memory update cobol --scope project
            remark	memories	`large.md` has 60 KB; the limit is 100 KB	split it: cerberus memory sections large
            remark	git	14 memories are not in git yet	git add .memories
            [exit 1]
        "#]],
    );
}

#[test]
fn broken_links_and_cycles_are_reported() {
    let sandbox = Sandbox::bank();
    sandbox.memory("a", "See [[shop/nowhere.py]] and [[supersedes::memory:b]].\n");
    sandbox.memory("b", "[[supersedes::memory:a]]\n");
    check(
        &sandbox,
        expect![[r#"
        wrong	links	1 link does not lead where it says: a.md:1 to shop/nowhere.py	cerberus memory links --broken
        wrong	links	`a` supersedes `b` supersedes `a`: a cycle, so none of them is hidden	take one of these links out of the memories
        remark	git	2 memories are not in git yet	git add .memories
        [exit 1]
    "#]],
    );
}

#[test]
fn rules_without_an_example_are_an_info() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"Be kind to whales\" --id whales --no-anchor");
    check(
        &sandbox,
        expect![[r#"
        remark	memories	1 rule has no example: whales	cerberus memory anchor whales --candidates 5, or give --hint with a word of its code
        remark	git	1 memory is not in git yet	git add .memories
        [exit 0]
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
            wrong	anchors	failed to read `anchors.lock:1`: it contains a merge conflict	fix it, restore it with `git checkout -- .memories/anchors.lock`, or delete it and anchor again
            [exit 1]
        "#]],
    );
    sandbox.write(".memories/anchors.lock", lock.replace("version = 2", "version = 9"));
    check(
        &sandbox,
        expect![[r#"
            wrong	anchors	failed to read `anchors.lock`: it has version 9, but this cerberus supports 2	upgrade cerberus
            [exit 1]
        "#]],
    );
}

#[test]
fn outdated_anchors_fail_the_check() {
    let sandbox = Sandbox::anchored();
    sandbox.remove("web/html.ts");
    sandbox.git("mv api/limit.go api/limiter.go");
    sandbox.remove(".memories/hash-passwords.md");
    check(
        &sandbox,
        expect![[r#"
        wrong	anchors	`.memories/anchors.lock` anchors 1 id that is no memory: hash-passwords	cerberus memory reanchor
        wrong	anchors	1 anchor is lost or no longer shows its rule: escape-html (gone)	cerberus memory reanchor --check
        wrong	anchors	1 anchor has changed and is not recorded: limit-clients (moved)	cerberus memory reanchor
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        [exit 1]
    "#]],
    );
    sandbox.ok("memory reanchor");
    check(
        &sandbox,
        expect![[r#"
        wrong	anchors	1 anchor is lost or no longer shows its rule: escape-html (gone)	cerberus memory reanchor --check
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        [exit 1]
    "#]],
    );
}

#[test]
fn pins_are_checked() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory pin add \"Run the tests\"");
    sandbox.ok("memory pin add \"Ask before a push\"");
    sandbox.write("cerberus.toml", "[pins]\nmax_pins = 1\n");
    check(
        &sandbox,
        expect![[r#"
            wrong	pins	2 pins of 14 tokens are over the limit of 1 pin and 2000 tokens	see what can go: cerberus memory pin list
            [exit 1]
        "#]],
    );
    sandbox.write(".memories/pins.toml", "version = 1\n[[pin]\n");
    check(
        &sandbox,
        expect![[r#"
        wrong	pins	`pins.toml:2`: unclosed array table, expected `]`; no pin of it is given	mend it, or take it back: git checkout -- .memories/pins.toml
        [exit 1]
    "#]],
    );
}

#[test]
fn the_store_is_checked_and_not_changed() {
    let sandbox = Sandbox::anchored();
    let store = ".memories/indices/cerberus.db";
    for (file, text) in
        [("cerberus.db", "no database ".repeat(400)), ("cerberus.db.corrupt", "x".to_owned())]
    {
        sandbox.write(format!(".memories/indices/{file}"), text);
    }
    let before = std::fs::read(sandbox.path(store)).expect("there");
    check(
        &sandbox,
        expect![[r#"
        wrong	store	`.memories/indices/cerberus.db` is corrupt: Error code 26: file is not a database	set it aside and rebuild it: cerberus index
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        remark	store	1 corrupt store was set aside: .memories/indices/cerberus.db.corrupt	rm .memories/indices/cerberus.db.corrupt
        [exit 1]
    "#]],
    );
    assert_eq!(std::fs::read(sandbox.path(store)).expect("there"), before);
    sandbox.remove(store);
    std::fs::create_dir(sandbox.path(store)).expect("a new folder");
    check(
        &sandbox,
        expect![[r#"
        wrong	store	the store `$ROOT/shop/.memories/indices/cerberus.db` is not a regular file	move it away: mv $ROOT/shop/.memories/indices/cerberus.db $ROOT/shop/.memories/indices/cerberus.db.old
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        [exit 1]
    "#]],
    );
    sandbox.remove(".memories/indices");
    check(
        &sandbox,
        expect![[r#"
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        [exit 0]
    "#]],
    );
    assert!(!sandbox.exists(".memories/indices"), "no store is made");
}

#[test]
fn the_git_status_of_the_bank_is_checked() {
    let sandbox = Sandbox::bank();
    sandbox.memory("a", "x\n");
    check(
        &sandbox,
        expect![[r#"
        remark	git	1 memory is not in git yet	git add .memories
        [exit 0]
    "#]],
    );
    sandbox.write(".gitignore", ".memories\n");
    check(
        &sandbox,
        expect![[r#"
        wrong	git	git ignores `.memories`, so no other clone has these memories	take out the line that this names: git check-ignore -v .memories/a.md
        [exit 1]
    "#]],
    );
    sandbox.write(".gitignore", "*.lock\n");
    check(
        &sandbox,
        expect![[r#"
        wrong	git	git ignores `.memories/anchors.lock`, so other clones and CI do not have it	take out the line that this names: git check-ignore -v .memories/anchors.lock
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
        wrong	git	git has `.memories/indices`, which can be made again	git rm -r --cached .memories/indices
        wrong	git	git does not ignore `.memories/.trash`	echo .trash/ >> .memories/.gitignore
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
        wrong	git	`.memories/anchors.lock` is not in git, so CI does not know what was anchored where	git add .memories/anchors.lock
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
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
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        remark	git	this clone is shallow, so what is older than it counts as of no date	git fetch --unshallow
        [exit 0]
    "#]],
    );
}

#[test]
fn missing_commits_are_an_info() {
    let sandbox = Sandbox::anchored();
    let lock = sandbox.lock();
    let commits = lock.lines().filter_map(|line| line.strip_prefix("commit = "));
    let commit = commits.clone().next().expect("a commit");
    sandbox.write(".memories/anchors.lock", lock.replace(commit, "\"0123456789ab\""));
    check(
        &sandbox,
        expect![[r#"
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        remark	git	`anchors.lock` names 1 commit that this clone does not have: 0123456789ab	fetch what is missing: git fetch --all
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
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        remark	git	there is no `git`, so renames, recency and `--diff` are unknown	install git
        [exit 0]
    "#]].assert_eq(&outcome.text());
}

#[test]
fn hook_settings_with_a_missing_program_are_reported() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        ".mcp.json",
        "{\"mcpServers\": {\"cerberus\": {\"command\": \"/none/cerberus\", \"args\": [\"mcp\"]}}}",
    );
    sandbox.ok("hooks print git --write .git/hooks/pre-commit");
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
        wrong	hosts	`.mcp.json` starts `/none/cerberus`, which is not there	mend the path; see what belongs there with: cerberus mcp --print-config claude
        wrong	hosts	`.git/hooks/pre-commit` starts `cerberus`, which is not on PATH	put cerberus, or a link to it, into a folder of PATH
        [exit 1]
    "#]].assert_eq(&outcome.text());
}

#[test]
fn a_stale_block_is_an_info() {
    let sandbox = Sandbox::anchored();
    sandbox.write("AGENTS.md", "# Agents\n");
    sandbox.ok("memory inject --into AGENTS.md --for agents-md");
    sandbox.commit("agents");
    check(
        &sandbox,
        expect![[r#"
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        [exit 0]
    "#]],
    );
    sandbox.ok("memory pin add \"Run the tests\"");
    sandbox.commit("a pin");
    check(
        &sandbox,
        expect![[r#"
        remark	memories	1 rule has no example: hang-curtains	cerberus memory anchor hang-curtains --candidates 5, or give --hint with a word of its code
        remark	hosts	the block in `AGENTS.md` is not what `inject` gives now, or was made with other options	cerberus memory inject --into AGENTS.md
        [exit 0]
    "#]],
    );
}
