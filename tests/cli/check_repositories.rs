//! `check` in unusual repositories, and with unusual documents, pipes and write errors.

use expect_test::expect;

use crate::sandbox::Sandbox;

const AGENTS: &str = "See `src/a.py` and `src/b.py`.\n";

/// A project whose instructions name a file that was removed.
fn stale() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", AGENTS);
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.write("src/b.py", "y = 2\nprint(y)\n");
    sandbox.commit("start");
    sandbox.git("rm -q src/b.py");
    sandbox.commit("Remove b");
    sandbox
}

#[test]
fn a_folder_without_git_is_an_error() {
    let sandbox = stale();
    sandbox.git("clone -q . ../plain");
    let plain = sandbox.beside("plain");
    std::fs::remove_dir_all(plain.path(".git")).expect("it can be removed");
    plain.session(expect![[r#"
        $ cerberus check
        --- stderr
        cerberus: failed to list the files of a git repository
        hint: run it in the working tree of a git repository; check with `git status`
        [exit 3]
    "#]]);
}

#[test]
fn a_bare_repository_is_an_error() {
    let sandbox = stale();
    sandbox.git("clone -q --bare . ../bare");
    let bare = sandbox.beside("bare");
    bare.write("AGENTS.md", AGENTS);
    assert_eq!(
        bare.run("check").status(),
        3,
        "{}",
        bare.run("check").text()
    );
}

#[test]
fn what_a_submodule_has_is_unknown() {
    let sandbox = stale();
    let source = sandbox.path("").display().to_string();
    sandbox.git(&format!(
        "-c protocol.file.allow=always submodule add -q file://{source} lib"
    ));
    sandbox.write("AGENTS.md", "See `lib/src/nothing.py` and `lib/`.\n");
    sandbox.commit("Add a submodule");
    sandbox.session(expect![[r#"
        $ cerberus check AGENTS.md
        nothing is out of date; checked 2 claims in 1 document
        1 unknown
        [exit 0]
    "#]]);
}

#[test]
fn a_branch_that_was_merged_later_is_part_of_the_past() {
    let sandbox = stale();
    sandbox.git("checkout -q -b guide HEAD~1");
    sandbox.write("CLAUDE.md", "Run `src/b.py` first.\n");
    sandbox.commit("Write a guide");
    sandbox.git("checkout -q -");
    sandbox.git("merge -q --no-edit guide");
    sandbox.session(expect![[r#"
        $ cerberus check CLAUDE.md
        CLAUDE.md:1:6: `src/b.py`: the file no longer exists
            since 1bbae68d5b of 2026-01-02: Remove b
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it

        1 error; checked 1 claim in 1 document
        [exit 1]
    "#]]);
}

#[test]
fn a_renamed_document_keeps_its_past() {
    let sandbox = stale();
    sandbox.git("mv AGENTS.md CLAUDE.md");
    sandbox.commit("Rename the document");
    let finding = &sandbox.json_of(sandbox.run("check --json"))["findings"][0];
    assert_eq!(finding["written"]["subject"], "start");
    assert_eq!(finding["removed"]["subject"], "Remove b");
}

#[test]
fn a_line_that_was_moved_and_reworded_keeps_its_past() {
    let sandbox = stale();
    sandbox.write(
        "AGENTS.md",
        "# Rules\n\nAll code is in `src/a.py` or in `src/b.py`!\n",
    );
    sandbox.commit("Reword");
    let finding = &sandbox.json_of(sandbox.run("check --json"))["findings"][0];
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&3.into(), &34.into())
    );
    assert_eq!(finding["written"]["subject"], "start");
}

#[test]
fn a_symbol_is_followed_through_a_move_and_two_renames() {
    let code = "def load(path):\n    with open(path) as file:\n        return [row.split(',') for row in file]\n";
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", "Read rows with `load_rows()`.\n");
    sandbox.write("src/rows.py", code.replace("load", "load_rows"));
    sandbox.commit("start");
    sandbox.remove("src/rows.py");
    sandbox.write("src/table.py", code.replace("load", "load_rows"));
    sandbox.commit("Move the function");
    sandbox.write("src/table.py", code.replace("load", "read_rows"));
    sandbox.commit("Rename it");
    sandbox.write("src/table.py", code.replace("load", "read_table"));
    sandbox.commit("Rename it again");
    sandbox.session(expect![[r#"
        $ cerberus check
        AGENTS.md:1:17: `load_rows()`: the code no longer defines or uses it
            was in `src/table.py`
            since a5bedfa155 of 2026-01-02: Rename it
            now `src/table.py::read_table`
            next: cerberus check --fix

        1 error; checked 1 claim in 1 document
        to correct 1 of them: cerberus check --fix
        [exit 1]
    "#]]);
}

#[test]
fn variables_of_another_program_are_no_errors() {
    let sandbox = Sandbox::empty();
    sandbox.write("package.json", "{\"name\": \"shop-plugin\"}\n");
    sandbox.write(
        "AGENTS.md",
        "| `SHOP_URL` |\n|---|\n| `SHOP_KEY` |\n| `SHOP_MODE` |\n",
    );
    sandbox.write("src/a.js", "start(process.env.SHOP_URL);\n");
    sandbox.commit("start");
    sandbox.write("src/a.js", "start();\n");
    sandbox.commit("Let the program read it");
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 3 claims in 1 document
        3 never true here (see --all)
        [exit 0]
    "#]]);
}

#[test]
fn a_document_outside_the_project_is_refused() {
    let sandbox = stale();
    sandbox.write("../outside.md", AGENTS);
    let outcome = sandbox.run("check ../outside.md");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
}

#[test]
fn a_document_that_is_not_utf8_is_checked() {
    let sandbox = stale();
    sandbox.write("AGENTS.md", b"Rows of the caf\xe9: `src/b.py`\n");
    sandbox.session(expect![[r#"
        $ cerberus check
        AGENTS.md:1:20: `src/b.py`: the file no longer exists
            since 1bbae68d5b of 2026-01-02: Remove b
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it

        1 error; checked 1 claim in 1 document
        [exit 1]
    "#]]);
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_the_check_quietly() {
    let sandbox = stale();
    sandbox.write("AGENTS.md", AGENTS.repeat(3_000));
    for line in [
        "check",
        "check --json",
        "check --format sarif",
        "check --format github",
    ] {
        let mut command = sandbox.command(line);
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("it runs");
        drop(child.stdout.take());
        let outcome = sandbox.outcome(line, child.wait_with_output().expect("it ends"));
        assert!(!outcome.stderr().contains("output"), "{}", outcome.text());
        assert!(!outcome.stderr().contains("panic"), "{}", outcome.text());
    }
}

#[cfg(unix)]
#[test]
fn a_failed_write_leaves_the_document_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = stale();
    sandbox.write("src/b.py", "y = 2\nprint(y)\n");
    sandbox.git("add -A");
    sandbox.commit("Restore b");
    sandbox.git("mv src/b.py src/c.py");
    sandbox.commit("Rename b");
    let Some(sandbox) = sandbox.unprivileged() else {
        return;
    };
    let folder = sandbox.path("");
    let allow = |mode| {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&folder, permissions).expect("it is ours");
    };
    allow(0o555);
    let fixed = sandbox.run("check --fix --yes");
    let baseline = sandbox.run("check --baseline accepted.json --update-baseline");
    allow(0o755);
    for outcome in [fixed, baseline] {
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        assert!(outcome.stderr().contains("failed to"), "{}", outcome.text());
    }
    assert_eq!(sandbox.read("AGENTS.md"), AGENTS);
    assert!(!sandbox.exists("accepted.json"));
}

#[test]
fn since_reports_the_links_of_memories_that_a_change_broke() {
    let sandbox = Sandbox::bank();
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.memory("old", "# Old\n\nSee [[src/nothing.py|it]].\n");
    sandbox.memory("new", "# New\n\nSee [[src/a.py|it]].\n");
    sandbox.commit("start");
    sandbox.remove("src/a.py");
    sandbox.commit("Remove a");
    let claims = |line: &str| {
        let report = sandbox.json_of(sandbox.run(line));
        let findings = report["findings"].as_array().expect("findings").clone();
        let links = findings
            .into_iter()
            .filter(|it| it["check"] == "memoryLink");
        links
            .map(|it| it["claim"].as_str().expect("a text").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(claims("check --json"), ["src/a.py", "src/nothing.py"]);
    assert_eq!(claims("check --json --since HEAD~1"), ["src/a.py"]);
    assert_eq!(claims("check --json --since HEAD"), [""; 0]);
}

#[test]
fn files_that_a_program_looks_for_are_no_errors() {
    let sandbox = Sandbox::empty();
    sandbox.write("src/a.js", "run('.shop/hooks', 'BeforeOrder');\n");
    sandbox.write(".shop/hooks/BeforeOrder", "echo 1\n");
    sandbox.write(".shop/hooks/Forgotten", "echo 2\n");
    sandbox.write(
        "AGENTS.md",
        "Write `.shop/hooks/BeforeOrder`, `.shop/hooks/Forgotten`.\n",
    );
    sandbox.commit("start");
    sandbox.git("rm -q -r .shop");
    sandbox.commit("Remove the examples");
    let report = sandbox.json_of(sandbox.run("check --json"));
    let findings = report["findings"].as_array().expect("findings");
    let claims: Vec<_> = findings.iter().map(|finding| &finding["claim"]).collect();
    assert_eq!(claims, [".shop/hooks/Forgotten"]);
}

#[test]
fn the_layout_of_the_readers_project_is_no_error() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "AGENTS.md",
        "```\nshop/\n├── till/\n│   └── pay.py\n└── stock/\n    ├── count.py\n    └── order.py\n```\n\
         Write `app/till.ts`; others are in samples/ too.\n",
    );
    sandbox.write("samples/till/pay.py", "x = 1\n");
    sandbox.write("playground/small/app/till.ts", "start();\n");
    sandbox.write("src/a.py", "y = 2\n");
    sandbox.commit("start");
    sandbox.git("rm -q -r samples playground");
    sandbox.commit("Remove the samples");
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 6 claims in 1 document
        6 never true here (see --all)
        [exit 0]
    "#]]);
}

#[test]
fn a_name_that_its_removing_commit_writes_anew_is_no_error() {
    let sandbox = Sandbox::empty();
    sandbox.write("AGENTS.md", "Call `load_rows` first.\n");
    sandbox.write("src/a.py", "def load_rows():\n    return 1\n");
    sandbox.commit("start");
    sandbox.write(
        "AGENTS.md",
        "The driver polls its own `load_rows` until it is done.\n",
    );
    sandbox.write("src/a.py", "import driver\n");
    sandbox.commit("Let the driver load the rows");
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 2 claims in 1 document
        1 never true here (see --all)
        [exit 0]
    "#]]);
}

#[test]
fn a_version_is_that_of_the_packages_around_the_document() {
    let sandbox = Sandbox::empty();
    let manifest = |version: &str| format!("{{\"engines\": {{\"node\": \">={version}\"}}}}\n");
    sandbox.write("client/package.json", manifest("20"));
    sandbox.write("client/README.md", "Needs Node 20.\n");
    sandbox.write("examples/shop/README.md", "Needs Node 20.\n");
    sandbox.commit("start");
    sandbox.write("client/package.json", manifest("24"));
    sandbox.commit("Require Node 24");
    sandbox.session(expect![[r#"
        $ cerberus check
        client/README.md: 1 warning
            1:7: `Node 20`: the manifests now require >=24, since 7f47d6c328 of 2026-01-02

        no errors, 1 warning; checked 2 claims in 2 documents
        1 never true here (see --all)
        [exit 0]
    "#]]);
}

#[test]
fn installed_skills_are_not_documents_of_the_project() {
    let sandbox = Sandbox::empty();
    for skill in ["widgets", "boosted", "own"] {
        sandbox.write(
            format!(".agents/skills/{skill}/SKILL.md"),
            "Use `src/b.py`.\n",
        );
    }
    sandbox.write("boost.json", "{\"skills\": [\"boosted\"]}\n");
    sandbox.write(
        "skills-lock.json",
        "{\"skills\": {\"widgets\": {\"source\": \"shop/widgets\"}}}\n",
    );
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.write("src/b.py", "y = 2\nprint(y)\n");
    sandbox.commit("start");
    sandbox.git("rm -q src/b.py");
    sandbox.commit("Remove b");
    let report = sandbox.json_of(sandbox.run("check --json"));
    let findings = report["findings"].as_array().expect("findings");
    let files: Vec<_> = findings.iter().map(|finding| &finding["file"]).collect();
    assert_eq!(files, [".agents/skills/own/SKILL.md"]);
}

#[test]
fn a_new_place_is_not_a_file_with_the_same_licence() {
    let sandbox = Sandbox::empty();
    let licence =
        "// Copyright of the shop.\n// It may be used and changed.\n// There are no promises.\n";
    let file = |name: &str, n: usize| {
        let lines: Vec<String> = (0..n).map(|idx| format!("{name}_{idx}();\n")).collect();
        format!("{licence}{}", lines.concat())
    };
    sandbox.write(
        "AGENTS.md",
        "See `src/till/mod.rs`, `src/order.rs`, `docs/guide.md`.\n",
    );
    sandbox.write("src/till/mod.rs", file("mod", 1));
    sandbox.write("src/order.rs", file("order", 9));
    for guide in ["guide", "start", "end"] {
        sandbox.write(format!("docs/{guide}.md"), file(guide, 9));
    }
    sandbox.commit("start");
    sandbox.git("mv src/order.rs src/orders.rs");
    sandbox.git("rm -q src/till/mod.rs docs/guide.md");
    sandbox.write("src/stock/mod.rs", file("use", 1));
    for guide in ["guide", "start", "end"] {
        sandbox.write(format!("docs/v1/{guide}.md"), file(guide, 9));
    }
    sandbox.commit("Publish the guide of version 1");
    let report = sandbox.json_of(sandbox.run("check --json"));
    let findings = report["findings"].as_array().expect("findings");
    let now: Vec<_> = findings
        .iter()
        .map(|finding| (&finding["claim"], &finding["now"]))
        .collect();
    assert_eq!(
        now,
        [
            (&"docs/guide.md".into(), &serde_json::Value::Null),
            (&"src/order.rs".into(), &"src/orders.rs".into()),
            (&"src/till/mod.rs".into(), &serde_json::Value::Null),
        ]
    );
}

#[test]
fn a_field_or_a_variable_counts_only_where_the_document_is_about_its_code() {
    let sandbox = Sandbox::empty();
    let text = "Pass `row_limit` and call `load_rows` with it.\n";
    sandbox.write("AGENTS.md", text);
    sandbox.write("docs/loader.md", format!("In `rows_loader`: {text}"));
    sandbox.write(
        "src/rows_loader.py",
        "def load_rows():\n    row_limit = 5\n    return row_limit\n",
    );
    sandbox.write("src/report.js", "report({\n  keepAlive: true,\n});\n");
    sandbox.write("src/README.md", "Set `keepAlive`.\n");
    sandbox.write("lib/README.md", "Set `keepAlive`.\n");
    sandbox.commit("start");
    sandbox.write("src/rows_loader.py", "def fetch():\n    return 1\n");
    sandbox.write("src/report.js", "report({});\n");
    sandbox.commit("Load other rows");
    let report = sandbox.json_of(sandbox.run("check AGENTS.md docs src lib --json"));
    let findings = report["findings"].as_array().expect("a list");
    let found: Vec<(&str, &str)> = findings
        .iter()
        .filter_map(|it| Some((it["file"].as_str()?, it["claim"].as_str()?)))
        .collect();
    let expected = [
        ("AGENTS.md", "load_rows"),
        ("docs/loader.md", "load_rows"),
        ("docs/loader.md", "row_limit"),
        ("src/README.md", "keepAlive"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_empty_index_is_not_compared_with_the_past() {
    let sandbox = stale();
    sandbox.git("read-tree --empty");
    sandbox.session(expect![[r#"
        $ cerberus check
        0 errors, and not all was checked; checked 2 claims in 1 document
        1 unknown
        --- stderr
        warning: not checked in `AGENTS.md`: 1 claim: git lists no files; restore the index with `git reset`
        [exit 3]
    "#]]);
}

#[test]
fn a_name_in_code_that_is_too_large_to_parse_is_in_use() {
    let sandbox = Sandbox::empty();
    let code =
        "def load_rows():\n    pass\n\n\nclass Till:\n    def pay_all(self):\n        pass\n";
    sandbox.write("src/app.py", code);
    sandbox.write("AGENTS.md", "Call `load_rows()`, then `Till.pay_all()`.\n");
    sandbox.commit("start");
    sandbox.write(
        "src/app.py",
        format!("{}{code}", "x = [1, 2, 3]  # data\n".repeat(60_000)),
    );
    sandbox.commit("Grow");
    sandbox.ok("check");
    sandbox.write("src/app.py", "x = 1\n");
    sandbox.commit("Shrink");
    let report = sandbox.json_of(sandbox.run("check --json"));
    assert_eq!(report["summary"]["errors"], 2);
}

#[test]
fn a_package_of_the_project_may_be_named_without_its_scope() {
    let sandbox = Sandbox::empty();
    sandbox.write("till/package.json", "{\"name\": \"till-agent\"}");
    sandbox.write(
        "package.json",
        "{\"dependencies\": {\"till-agent\": \"1\", \"old-pay\": \"1\"}}",
    );
    sandbox.write("AGENTS.md", "Enable `till-agent` and `old-pay`.\n");
    sandbox.commit("start");
    sandbox.write("till/package.json", "{\"name\": \"@shop/till-agent\"}");
    sandbox.write(
        "package.json",
        "{\"dependencies\": {\"@shop/till-agent\": \"1\"}}",
    );
    sandbox.commit("Add the scope");
    let report = sandbox.json_of(sandbox.run("check --json"));
    let claims: Vec<&str> = report["findings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|it| it["claim"].as_str())
        .collect();
    assert_eq!(claims, ["old-pay"]);
}

/// A repository whose guide names a file, a function and a task that are gone.
fn with_a_past() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.write("till/pay.py", "def pay_in_cash(sum):\n    return sum\n");
    sandbox.write("Makefile", "close-till:\n\techo\n");
    sandbox.write(".idea/till.json", "{}\n");
    sandbox.write(
        "AGENTS.md",
        "Call `pay_in_cash()`, run `make close-till`, and read `.idea/till.json`.\n",
    );
    sandbox.commit("start");
    sandbox
}

#[test]
fn ignore_rules_that_other_clones_lack_excuse_nothing() {
    let sandbox = with_a_past();
    sandbox.remove(".idea");
    sandbox.commit("remove it");
    let expected = sandbox.run("check");
    assert_eq!(expected.status(), 1, "{}", expected.text());
    let rules = ".idea/\n*.json\nAGENTS.md\n";
    sandbox.write("../home/config/git/ignore", rules);
    sandbox.write(".git/info/exclude", rules);
    sandbox.write("../.gitignore", rules);
    sandbox.write("../of-user", rules);
    sandbox.git(&format!(
        "config core.excludesFile {}",
        sandbox.path("../of-user").display()
    ));
    assert_eq!(sandbox.run("check").text(), expected.text());
    // A file of the repository excuses it: the file may be generated.
    sandbox.write(".gitignore", ".idea/\n");
    assert_eq!(sandbox.run("check").status(), 0);
}

#[test]
fn a_clone_without_old_files_is_not_enough() {
    let sandbox = with_a_past();
    sandbox.write("till/pay.py", "def pay_by_card(sum):\n    return sum\n");
    sandbox.write("Makefile", "open-till:\n\techo\n");
    sandbox.commit("another way");
    sandbox.git("config uploadpack.allowFilter true");
    let source = sandbox.path("").display().to_string();
    sandbox.git(&format!(
        "clone -q --filter=blob:none file://{source} ../partial"
    ));
    let clone = sandbox.beside("partial");
    clone.git("remote set-url origin file:///nowhere");
    let outcome = clone.run("check");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    let why = "2 claims: the repository lacks old versions of files";
    assert!(outcome.stderr().contains(why), "{}", outcome.text());
    clone.git(&format!("remote set-url origin file://{source}"));
    clone.git("cat-file -p HEAD~1:till/pay.py");
    clone.git("cat-file -p HEAD~1:Makefile");
    let outcome = clone.run("check");
    assert_eq!(
        (outcome.status(), outcome.stderr()),
        (1, String::new()),
        "{}",
        outcome.stdout()
    );
}

#[cfg(unix)]
#[test]
fn documents_that_no_path_can_name_are_not_checked() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = with_a_past();
    sandbox.ok("check");
    for name in [
        &b"caf\xe9/AGENTS.md"[..],
        b"two\nlines/AGENTS.md",
        b"bell\x07/AGENTS.md",
    ] {
        sandbox.write(std::ffi::OsStr::from_bytes(name), "See `till/pay.py`.\n");
    }
    for line in ["check", "check ."] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        assert_eq!(
            outcome.stderr().matches("AGENTS.md`: its name").count(),
            3,
            "{}",
            outcome.text()
        );
    }
    assert_eq!(sandbox.run("check AGENTS.md").status(), 0);
}

#[test]
fn an_anchor_in_a_file_that_a_sparse_checkout_omits_is_not_gone() {
    let sandbox = Sandbox::anchored();
    // The index of the copied files has other times.
    sandbox.git("reset -q --hard");
    sandbox.git("sparse-checkout set --no-cone /* !/web/");
    assert!(!sandbox.exists("web/html.ts"));
    for line in ["memory reanchor --check", "memory reanchor"] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 3, "{}", outcome.text());
        assert!(
            outcome
                .stderr()
                .contains("a sparse checkout omits `web/html.ts`")
        );
    }
}

#[test]
fn files_that_a_sparse_checkout_omits_may_have_the_claim() {
    let sandbox = with_a_past();
    sandbox.write("web/a.py", "x = 1\n");
    sandbox.commit("web");
    sandbox.git("sparse-checkout set --no-cone /AGENTS.md /web/");
    let outcome = sandbox.run("check");
    assert_eq!(outcome.status(), 3, "{}", outcome.text());
    assert!(
        outcome
            .stderr()
            .contains("2 claims: a sparse checkout omits files"),
        "{}",
        outcome.text()
    );
    sandbox.git("sparse-checkout disable");
    assert_eq!(sandbox.run("check").status(), 0);
}
