//! `memory merge-lock`, run by real merges and rebases of git.
#![cfg(unix)]

use std::path::Path;

use expect_test::expect;

use crate::sandbox::Sandbox;

const CODE: &str = "def load_rows(path):
    with open(path) as source:
        return [line.split(',') for line in source]


def store_rows(path, rows):
    with open(path, 'w') as target:
        target.writelines(','.join(row) for row in rows)


def count_rows(path):
    with open(path) as source:
        return sum(1 for line in source if line.strip())
";

/// Runs a script in which `cerberus` is this program, and returns its status and its output.
fn script(sandbox: &Sandbox, script: &str) -> (i32, String) {
    let program = Path::new(env!("CARGO_BIN_EXE_cerberus"));
    let folder = program.parent().expect("a folder").display();
    let script = format!("PATH={folder}:$PATH; {{ {script}; }} 2>&1");
    let output = sandbox.shell(&script).output().expect("a shell");
    let status = output.status.code().expect("a status");
    (status, String::from_utf8_lossy(&output.stdout).into_owned())
}

fn add(sandbox: &Sandbox, id: &str, symbol: &str) {
    sandbox.ok(&format!("memory add \"Rule {id}\" --id {id} --anchor-to rows.py::{symbol}"));
}

/// A repository with two anchors, and a branch `other` of its last commit.
fn two_branches() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("rows.py", CODE);
    add(&sandbox, "load", "load_rows");
    add(&sandbox, "store", "store_rows");
    sandbox.commit("rules");
    sandbox
}

fn install(sandbox: &Sandbox) {
    sandbox.ok("memory merge-lock --install");
    sandbox.commit("merge anchors by memory");
}

/// Commits `ours` on this branch and `theirs` on the branch `other`.
fn diverge(sandbox: &Sandbox, ours: impl Fn(&Sandbox), theirs: impl Fn(&Sandbox)) {
    sandbox.git("branch other");
    ours(sandbox);
    sandbox.commit("ours");
    sandbox.git("checkout -q other");
    theirs(sandbox);
    sandbox.commit("theirs");
    sandbox.git("checkout -q -");
}

fn ids(sandbox: &Sandbox) -> Vec<String> {
    let lock = sandbox.lock();
    let ids = lock.lines().filter_map(|line| line.strip_prefix("id = "));
    ids.map(|id| id.trim_matches('"').to_owned()).collect()
}

#[test]
fn branches_that_anchor_different_rules_merge_without_a_conflict() {
    for command in ["merge -q --no-edit other", "rebase -q other", "cherry-pick other"] {
        for is_installed in [true, false] {
            let sandbox = two_branches();
            if is_installed {
                install(&sandbox);
            }
            // Both new anchors are between the two old ones.
            let ours = |sandbox: &Sandbox| add(sandbox, "m-count", "count_rows");
            let theirs = |sandbox: &Sandbox| add(sandbox, "n-count", "count_rows");
            diverge(&sandbox, ours, theirs);
            let (status, output) = script(&sandbox, &format!("git {command}"));
            assert_eq!(status == 0, is_installed, "{command}: {output}");
            if is_installed {
                assert_eq!(ids(&sandbox), ["load", "m-count", "n-count", "store"], "{command}");
                sandbox.ok("memory reanchor --check");
                assert_eq!(sandbox.git("status --porcelain"), "", "{command}");
            }
        }
    }
}

#[test]
fn an_anchor_to_one_of_several_definitions_is_merged() {
    let sandbox = two_branches();
    install(&sandbox);
    sandbox.write("rows.py", format!("{CODE}\n\ndef count_rows(path, limit):\n    return limit\n"));
    sandbox.commit("another definition");
    let ours = |sandbox: &Sandbox| add(sandbox, "m-count", "count_rows#2");
    let theirs = |sandbox: &Sandbox| {
        add(sandbox, "n-load", "load_rows");
        sandbox.ok("memory anchor store --to \"rows.py::count_rows(path)\"");
    };
    diverge(&sandbox, ours, theirs);
    let (status, output) = script(&sandbox, "git merge -q --no-edit other");
    assert_eq!(status, 0, "{output}");
    let lock = sandbox.lock();
    let symbols = lock.lines().filter_map(|line| line.strip_prefix("symbol = "));
    let expected = ["load_rows", "count_rows#2", "load_rows", "count_rows#1"];
    assert!(symbols.eq(expected.map(|it| format!("{it:?}"))), "{lock}");
    assert!(lock.contains("version = 4\n"), "{lock}");
    sandbox.ok("memory reanchor --check");
}

#[test]
fn only_an_anchor_that_both_sides_changed_is_a_conflict() {
    let sandbox = two_branches();
    install(&sandbox);
    let ours = |sandbox: &Sandbox| {
        add(sandbox, "m-count", "count_rows");
        sandbox.ok("memory anchor store --to rows.py::count_rows");
    };
    let theirs = |sandbox: &Sandbox| {
        add(sandbox, "n-count", "count_rows");
        sandbox.ok("memory anchor store --to rows.py::load_rows");
    };
    diverge(&sandbox, ours, theirs);
    let (status, output) = script(&sandbox, "git merge -q --no-edit other");
    assert_eq!(status, 1, "{output}");
    assert!(output.contains("both sides changed the anchor of store"), "{output}");
    let shown: Vec<String> = sandbox
        .lock()
        .lines()
        .filter(|line| ["<<<", "===", ">>>", "id ", "sym"].contains(&&line[..line.len().min(3)]))
        .map(str::to_owned)
        .collect();
    expect![[r#"
        id = "load"
        symbol = "load_rows"
        id = "m-count"
        symbol = "count_rows"
        id = "n-count"
        symbol = "count_rows"
        <<<<<<< ours
        id = "store"
        symbol = "count_rows"
        =======
        id = "store"
        symbol = "load_rows"
        >>>>>>> theirs"#]]
    .assert_eq(&shown.join("\n"));
    // The rest is as with a conflict of text.
    let report = sandbox.run("memory reanchor");
    assert_eq!(report.status(), 1, "{}", report.text());
    assert!(report.text().contains("both sides of the merge changed the anchor of `store`"));
    assert_eq!(ids(&sandbox), ["load", "m-count", "n-count", "store"]);
}

#[test]
fn a_clone_without_cerberus_merges_the_file_as_text() {
    let sandbox = two_branches();
    install(&sandbox);
    let ours = |sandbox: &Sandbox| add(sandbox, "m-count", "count_rows");
    let theirs = |sandbox: &Sandbox| add(sandbox, "n-count", "count_rows");
    diverge(&sandbox, ours, theirs);
    let output = sandbox.shell("git merge -q --no-edit other").output().expect("a shell");
    assert_eq!(output.status.code(), Some(1));
    let lock = sandbox.lock();
    assert!(lock.contains("<<<<<<< ours") && lock.contains("\"n-count\""), "{lock}");
    // Nothing of either side is lost.
    sandbox.ok("memory reanchor");
    assert_eq!(ids(&sandbox), ["load", "m-count", "n-count", "store"]);
}

#[test]
fn the_driver_is_installed_once_and_only_on_request() {
    let sandbox = two_branches();
    assert_eq!(sandbox.git_or_empty("config --get merge.cerberus-anchors.driver"), "");
    assert!(!sandbox.exists(".memories/.gitattributes"));
    sandbox.write(".memories/.gitattributes", "*.md text");
    sandbox.session(expect![[r#"
        $ cerberus memory merge-lock --install
        set merge.cerberus-anchors.driver = cerberus memory merge-lock %O %A %B; status=$?; test $status -le 1 && exit $status; git merge-file -L ours -L base -L theirs %A %O %B
        set merge.cerberus-anchors.name = anchors of cerberus, merged memory by memory
        added .memories/.gitattributes: anchors.lock merge=cerberus-anchors
        commit it: git add .memories/.gitattributes
        [exit 0]

        $ cerberus memory merge-lock --install
        set merge.cerberus-anchors.driver = cerberus memory merge-lock %O %A %B; status=$?; test $status -le 1 && exit $status; git merge-file -L ours -L base -L theirs %A %O %B
        set merge.cerberus-anchors.name = anchors of cerberus, merged memory by memory
        unchanged .memories/.gitattributes: anchors.lock merge=cerberus-anchors
        commit it: git add .memories/.gitattributes
        [exit 0]

        $ cerberus memory merge-lock
        --- stderr
        cerberus: the following required arguments were not provided: <<BASE> <OURS> <THEIRS>|--install>
        hint: see cerberus memory merge-lock --help
        [exit 2]

        $ cerberus memory merge-lock base
        --- stderr
        cerberus: 3 values required for `[BASE] [OURS] [THEIRS]...` but 1 was provided
        hint: see cerberus memory merge-lock --help
        [exit 2]

        $ cerberus memory merge-lock rows.py rows.py missing
        --- stderr
        cerberus: failed to read `anchors.lock:1`: key with no value, expected `=`
        hint: fix it, restore it with `git checkout -- .memories/anchors.lock`, or delete it and anchor again
        [exit 3]
    "#]]);
    let attributes = sandbox.read(".memories/.gitattributes");
    assert_eq!(attributes, "*.md text\nanchors.lock merge=cerberus-anchors\n");
    let config = sandbox.read(".git/config");
    assert_eq!(config.matches("[merge \"cerberus-anchors\"]").count(), 1, "{config}");
}
