//! `check` knows since when a line is there, in whatever document it was, and which package a command means.

use crate::sandbox::Sandbox;

const CODE: &str = "def load_settings():\n    return 1\n";
const SENTENCE: &str = "Settings are read by `load_settings` of `src/conf.py`, once.";

/// Writes files and commits them.
fn start(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    sandbox.commit("start");
    sandbox
}

/// Runs a change, and commits it.
fn change(sandbox: &Sandbox, change: &str, subject: &str) {
    assert!(
        sandbox.shell(change).status().expect("it runs").success(),
        "{change}"
    );
    sandbox.git("add -A");
    sandbox.commit(subject);
}

/// Returns the errors with the subjects of the commits that wrote their lines.
fn errors(sandbox: &Sandbox, arguments: &str) -> Vec<String> {
    let report = sandbox.json_of(sandbox.run(&format!("check --json {arguments}")));
    let mut found = Vec::new();
    for it in report["findings"].as_array().expect("a list") {
        if it["class"] != "stale" {
            continue;
        }
        let [file, claim] = ["file", "claim"].map(|key| it[key].as_str().unwrap_or_default());
        let written = it["written"]["subject"].as_str().unwrap_or_default();
        found.push(format!("{file} {claim} ({written})"));
    }
    found
}

/// Compares the errors after the code was removed, and text moved by `moves`, one commit each.
#[track_caller]
fn check_moves(document: &str, moves: &[&str], place: &str) {
    let text = format!("# Shop\n\n{SENTENCE}\n");
    let sandbox = start(&[(document, &text), ("src/conf.py", CODE)]);
    change(
        &sandbox,
        "sed -i s/load_settings/read_rows/ src/conf.py",
        "Rename it",
    );
    for (n, command) in moves.iter().enumerate() {
        change(&sandbox, command, &format!("Move {n}"));
    }
    assert_eq!(
        errors(&sandbox, ""),
        [format!("{place} load_settings (start)")],
        "{moves:?}"
    );
}

#[test]
fn text_that_moved_to_another_document_keeps_its_date() {
    // A stub, a link or nothing is left.
    check_moves(
        "CLAUDE.md",
        &["cp CLAUDE.md AGENTS.md && echo See @AGENTS.md. > CLAUDE.md"],
        "AGENTS.md",
    );
    check_moves(
        "CLAUDE.md",
        &["mv CLAUDE.md AGENTS.md && ln -s AGENTS.md CLAUDE.md"],
        "AGENTS.md",
    );
    check_moves(
        ".cursorrules",
        &["git mv .cursorrules AGENTS.md"],
        "AGENTS.md",
    );
    // A part of it moves, to a document that is there or to two.
    let part = "printf '# Guide\\n\\nFirst of all.\\n\\n' > CONTRIBUTING.md && tail -n 1 CLAUDE.md >> CONTRIBUTING.md && echo '# Shop' > CLAUDE.md";
    check_moves("CLAUDE.md", &[part], "CONTRIBUTING.md");
    check_moves(
        "CLAUDE.md",
        &[
            "echo '# Read it' > README.md",
            "tail -n 1 CLAUDE.md >> README.md && git rm -q CLAUDE.md",
        ],
        "README.md",
    );
    // It is copied, and the other document goes later.
    check_moves(
        "CLAUDE.md",
        &["cp CLAUDE.md AGENTS.md", "git rm -q CLAUDE.md"],
        "AGENTS.md",
    );
    // It moves twice.
    let twice = [
        "cp CLAUDE.md AGENTS.md && echo @AGENTS.md > CLAUDE.md",
        "tail -n 1 AGENTS.md > CONTRIBUTING.md && git rm -q AGENTS.md CLAUDE.md",
    ];
    check_moves("CLAUDE.md", &twice, "CONTRIBUTING.md");
}

#[test]
fn text_that_moved_without_a_commit_keeps_its_date() {
    let text = format!("# Shop\n\n{SENTENCE}\n");
    let sandbox = start(&[("CLAUDE.md", &text), ("src/conf.py", CODE)]);
    change(
        &sandbox,
        "sed -i s/load_settings/read_rows/ src/conf.py",
        "Rename it",
    );
    let moves = "cp CLAUDE.md AGENTS.md && echo See @AGENTS.md. > CLAUDE.md";
    assert!(sandbox.shell(moves).status().expect("it runs").success());
    assert_eq!(errors(&sandbox, ""), ["AGENTS.md load_settings (start)"]);
}

#[test]
fn what_became_false_since_a_revision_counts_from_the_first_document() {
    let text = format!("# Shop\n\n{SENTENCE}\n");
    let sandbox = start(&[("CLAUDE.md", &text), ("src/conf.py", CODE)]);
    sandbox.git("tag before");
    change(
        &sandbox,
        "sed -i s/load_settings/read_rows/ src/conf.py",
        "Rename it",
    );
    sandbox.git("tag after");
    change(
        &sandbox,
        "cp CLAUDE.md AGENTS.md && echo @AGENTS.md > CLAUDE.md",
        "Move it",
    );
    assert_eq!(
        errors(&sandbox, "--since before"),
        ["AGENTS.md load_settings (start)"]
    );
    assert!(errors(&sandbox, "--since after").is_empty());
}

#[test]
fn what_is_still_true_when_it_moves_is_as_old_as_in_the_first_document() {
    let text = format!("# Shop\n\n{SENTENCE}\n");
    let sandbox = start(&[("CLAUDE.md", &text), ("src/conf.py", CODE)]);
    change(
        &sandbox,
        "cp CLAUDE.md AGENTS.md && echo @AGENTS.md > CLAUDE.md",
        "Move it",
    );
    change(
        &sandbox,
        "sed -i s/load_settings/read_rows/ src/conf.py",
        "Rename it",
    );
    assert_eq!(errors(&sandbox, ""), ["AGENTS.md load_settings (start)"]);
}

#[test]
fn a_short_line_that_another_document_had_is_not_older() {
    for line in [
        "`src/conf.py`",
        "## Tests\n\n`src/conf.py`",
        "- `src/conf.py`\n- `src/b.py`",
    ] {
        let sandbox = start(&[
            ("CLAUDE.md", &format!("# A\n\n{line}\n")),
            ("src/conf.py", CODE),
        ]);
        change(&sandbox, "git mv src/conf.py src/rows.py", "Move the code");
        let document = format!("# B\n\nA sample of another shop:\n\n{line}\n");
        sandbox.write("AGENTS.md", &document);
        change(&sandbox, "git rm -q CLAUDE.md", "Write another document");
        assert!(errors(&sandbox, "").is_empty(), "{line}");
    }
    // What was never true in the other document either.
    let sandbox = start(&[(
        "CLAUDE.md",
        "# A\n\nRows are in `src/none.py`, as we said before.\n",
    )]);
    change(
        &sandbox,
        "cp CLAUDE.md AGENTS.md && echo @AGENTS.md > CLAUDE.md",
        "Move it",
    );
    assert!(errors(&sandbox, "").is_empty());
}

#[test]
fn text_from_another_part_of_the_project_says_nothing_of_its_old_folder() {
    let line = "Build the whole sample with `npm run bundle` before you open it.";
    let sandbox = start(&[
        ("samples/a/README.md", &format!("# A\n\n{line}\n")),
        (
            "samples/a/package.json",
            "{\"scripts\": {\"bundle\": \"x\"}}",
        ),
        ("samples/b/package.json", "{}"),
    ]);
    change(
        &sandbox,
        "git rm -q samples/a/package.json && mv samples/a/README.md samples/b && echo '# A' > samples/a/README.md && printf '\\nMore words of it.\\n' >> samples/b/README.md",
        "Move it",
    );
    assert!(errors(&sandbox, "").is_empty());
}

/// Returns the messages of the errors about a document after a change.
fn messages(document: (&str, &str), edit: &str) -> Vec<String> {
    let scripts = "\"scripts\": {\"pack\": \"x\", \"test\": \"y\"}";
    let sandbox = start(&[
        document,
        (
            "package.json",
            &format!("{{\"name\": \"shop\", {scripts}}}"),
        ),
        (
            "apps/web/package.json",
            &format!("{{\"name\": \"@shop/web\", {scripts}}}"),
        ),
        (
            "apps/till/package.json",
            &format!("{{\"name\": \"till\", {scripts}}}"),
        ),
        ("apps/till/Makefile", "all:\n\tx\n"),
        ("Makefile", "all:\n\tx\n"),
    ]);
    change(&sandbox, edit, "Change it");
    let report = sandbox.json_of(sandbox.run("check --json"));
    let findings = report["findings"].as_array().expect("a list").iter();
    findings
        .map(|it| it["message"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_command_that_names_its_package_is_compared_with_that_package() {
    let gone = "sed -i s/pack/bundle/ apps/web/package.json";
    for (command, named) in [
        ("pnpm --filter @shop/web pack:it", None),
        (
            "pnpm --filter web run pack",
            Some("the package `web` no longer defines `pack`"),
        ),
        (
            "npm run pack -w @shop/web",
            Some("the package `@shop/web` no longer defines `pack`"),
        ),
        (
            "yarn workspace @shop/web run pack",
            Some("the package `@shop/web` no longer defines `pack`"),
        ),
        (
            "npm --prefix apps/web run pack",
            Some("no manifest in `apps/web` defines `pack` any more"),
        ),
        (
            "(cd apps/web && npm run pack)",
            Some("no manifest in `apps/web` defines `pack` any more"),
        ),
        (
            "turbo run pack --filter=web",
            Some("the package `web` no longer defines `pack`"),
        ),
        (
            "npx nx run web:pack",
            Some("the package `web` no longer defines `pack`"),
        ),
        ("npm run pack -w till", None),
        ("npm run pack", None),
        ("pnpm -r run pack", None),
        ("pnpm --filter './apps/*' run pack", None),
        ("pnpm --filter other run pack", None),
        ("cd \"$APP\" && npm run pack", None),
    ] {
        let found = messages(("AGENTS.md", &format!("Run `{command}` first.\n")), gone);
        assert_eq!(found, named.into_iter().collect::<Vec<_>>(), "{command}");
    }
    let block = "Build it:\n\n```sh\ncd apps/web\nnpm install\nnpm run pack\n```\n";
    let expected = ["no manifest in `apps/web` defines `pack` any more"];
    assert_eq!(messages(("AGENTS.md", block), gone), expected);
    let makefile = "printf 'none:\\n\\tx\\n' > apps/till/Makefile";
    let document = ("AGENTS.md", "Run `make -C apps/till all`.\n");
    let expected = ["no manifest in `apps/till` defines `all` any more"];
    assert_eq!(messages(document, makefile), expected);
    assert!(messages(document, "printf 'none:\\n\\tx\\n' > Makefile").is_empty());
}

#[test]
fn a_package_that_is_renamed_or_gone_is_named_once() {
    let renamed = "sed -i s,till,counter, apps/till/package.json && git mv apps/till apps/counter";
    let document = ("AGENTS.md", "Run `pnpm --filter till test`.\n");
    assert_eq!(
        messages(document, renamed),
        ["there is no package `till` any more"]
    );
    let renamed =
        "sed -i s,@shop/web,@shop/site, apps/web/package.json && git mv apps/web apps/site";
    let document = ("AGENTS.md", "Run `pnpm --filter @shop/web test`.\n");
    assert_eq!(
        messages(document, renamed),
        ["there is no package `@shop/web` any more"]
    );
    // It only moved.
    assert!(messages(document, "git mv apps/web apps/site").is_empty());
}

#[test]
fn a_script_of_a_task_runner_is_no_script_of_a_package() {
    let edit = "echo '{}' > package.json && sed -i s/pack/bundle/ apps/*/package.json && echo '{\"tasks\": {\"pack\": \"x\"}}' > deno.json";
    let found = messages(("AGENTS.md", "Run `npm run pack`.\n"), edit);
    assert_eq!(found, ["no manifest defines it any more"]);
    assert!(messages(("AGENTS.md", "Run `deno task pack`.\n"), edit).is_empty());
}

#[test]
fn a_document_below_a_package_may_mean_a_script_of_the_root() {
    let sandbox = start(&[
        ("apps/web/README.md", "Run `npm run release` or so.\n"),
        (
            "package.json",
            "{\"scripts\": {\"ship\": \"x\", \"release\": \"x\"}}",
        ),
        (
            "apps/web/package.json",
            "{\"scripts\": {\"release\": \"x\"}}",
        ),
    ]);
    change(
        &sandbox,
        "sed -i s/release/ship/ apps/web/package.json",
        "Rename the script",
    );
    // Since then only the root has it.
    change(
        &sandbox,
        "echo 'Run `npm run release` in the root.' > apps/web/README.md",
        "Say where",
    );
    assert!(errors(&sandbox, "").is_empty());
    // One that was only in the root, and is nowhere now.
    change(
        &sandbox,
        "sed -i s/release/tag/ package.json",
        "Rename it there",
    );
    assert_eq!(errors(&sandbox, "").len(), 1);
}

/// A paragraph of a template, long enough to be known again.
const TEMPLATE: &str = "Components of the page are kept below `parts/panes`, which the build of the template reads first.\nSee [the steps](#steps-of-the-build) for all that the build of the template does with them.\n";

#[test]
fn text_of_a_template_says_nothing_of_the_project_that_it_was_copied_from() {
    let with_steps = format!("# One\n\n{TEMPLATE}\n## Steps of the build\n\nNone.\n");
    let sandbox = start(&[
        ("kits/one/README.md", &with_steps),
        ("kits/far/parts/panes/a.txt", "a\n"),
        ("kits/two/main.txt", "b\n"),
    ]);
    let own = "The second kit has a text of its own, in other words than all others.\n\n".repeat(9);
    let copy = format!("# Two\n\n{own}{TEMPLATE}");
    sandbox.write("kits/two/README.md", copy);
    sandbox.git("rm -rq kits/one/README.md kits/far");
    sandbox.git("add -A");
    sandbox.commit("copy the template");
    assert_eq!(errors(&sandbox, ""), [""; 0]);
}

#[test]
fn a_dependency_of_a_template_is_none_of_the_project_that_copied_its_text() {
    let text = "The pages are drawn by `pane-kit`, which reads the whole folder at each start.\n";
    let manifest = "{\"name\": \"one\", \"dependencies\": {\"pane-kit\": \"1.0.0\"}}\n";
    let document = format!("# Kit\n\n{text}");
    let sandbox = start(&[
        ("kits/one/README.md", &document),
        ("kits/one/package.json", manifest),
        ("kits/two/package.json", "{\"name\": \"two\"}\n"),
    ]);
    sandbox.git("mv kits/one/README.md kits/two/GUIDE.md");
    sandbox.git("rm -q kits/one/package.json");
    sandbox.write("kits/two/GUIDE.md", format!("# Another title of it\n\n{text}\nMore of the text of the other kit, with other words.\nAnd more of it, so that git finds no rename of the file.\n"));
    sandbox.git("add -A");
    sandbox.commit("copy the template");
    assert_eq!(errors(&sandbox, ""), [""; 0]);
}
