//! `memory inject --into`: what does not fit, and `--split-by-folder`.

use expect_test::expect;

use crate::sandbox::Sandbox;

/// A project with rules for all files and for folders, without built-in pins.
fn nested() -> Sandbox {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[pins]\nbuiltin = false\n");
    sandbox.memory("all", "Be kind.\n");
    sandbox.memory("api", "---\npaths: [api/**]\n---\nAnswer with a status.\n");
    sandbox.memory("both", "---\npaths: [api/**, web/**]\n---\nLog each request.\n");
    sandbox.memory("types", "---\npaths: ['web/**/*.ts']\n---\nUse strict types.\n");
    sandbox.memory("tests", "---\npaths: ['**/*_test.go']\n---\nName the case.\n");
    sandbox
}

/// Returns the lines of a file that are items of a list.
fn items(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let text = sandbox.read(file);
    text.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect()
}

#[test]
fn rules_of_folders_are_written_to_their_folders() {
    let sandbox = nested();
    sandbox.write("web/AGENTS.md", "# Web\r\n");
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md --split-by-folder --check
        stale AGENTS.md: its block is out of date
        stale api/AGENTS.md: its block is out of date
        stale web/AGENTS.md: its block is out of date
        next: cerberus memory inject --into AGENTS.md --split-by-folder
        [exit 1]

        $ cerberus memory inject --into AGENTS.md --split-by-folder
        updated AGENTS.md (47 tokens)
        updated api/AGENTS.md (41 tokens)
        updated web/AGENTS.md (46 tokens)
        [exit 0]

        $ cerberus memory inject --into AGENTS.md --split-by-folder
        AGENTS.md is up to date
        api/AGENTS.md is up to date
        web/AGENTS.md is up to date
        [exit 0]

        $ cerberus memory inject --into AGENTS.md --split-by-folder --check
        AGENTS.md is up to date
        api/AGENTS.md is up to date
        web/AGENTS.md is up to date
        [exit 0]
    "#]]);
    assert_eq!(items(&sandbox, "AGENTS.md"), ["Be kind.", "In `**/*_test.go`: Name the case."]);
    assert_eq!(items(&sandbox, "api/AGENTS.md"), ["Answer with a status.", "Log each request."]);
    assert_eq!(
        items(&sandbox, "web/AGENTS.md"),
        ["Log each request.", "In `web/**/*.ts`: Use strict types."]
    );
    let web = sandbox.read("web/AGENTS.md");
    assert!(web.starts_with("# Web\r\n\r\n<!-- cerberus:start (part of AGENTS.md, "), "{web}");
    assert!(web.lines().count() == web.matches("\r\n").count(), "{web}");

    // The rules of a folder went away, while one with a longer path has some.
    sandbox.memory("deep", "---\npaths: [web/api/**]\n---\nBe deep.\n");
    sandbox.write("web/api/x.ts", "");
    for id in ["api", "both"] {
        sandbox.ok(&format!("memory delete {id}"));
    }
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md --split-by-folder --check
        AGENTS.md is up to date
        stale web/AGENTS.md: its block is out of date
        stale web/api/AGENTS.md: its block is out of date
        stale api/AGENTS.md: its rules went away
        next: cerberus memory inject --into AGENTS.md --split-by-folder
        [exit 1]

        $ cerberus memory inject --into AGENTS.md --split-by-folder
        AGENTS.md is up to date
        updated web/AGENTS.md (41 tokens)
        updated web/api/AGENTS.md (34 tokens)
        removed the block of api/AGENTS.md: its rules went away
        [exit 0]
    "#]]);
    assert!(!sandbox.exists("api/AGENTS.md"), "nothing else was in it");
    sandbox.ok("memory delete types");
    sandbox.ok("memory inject --into AGENTS.md --split-by-folder");
    assert_eq!(sandbox.read("web/AGENTS.md"), "# Web\r\n", "the rest of the file stays");
}

#[test]
fn without_the_flag_all_rules_return_to_the_first_file() {
    let sandbox = nested();
    sandbox.ok("memory inject --into CLAUDE.md --split-by-folder");
    sandbox.ok("memory inject --into api/AGENTS.md");
    assert_eq!(sandbox.run("memory inject --into CLAUDE.md --check").status(), 1);
    sandbox.ok("memory inject --into CLAUDE.md");
    assert_eq!(items(&sandbox, "CLAUDE.md").len(), 5);
    assert!(!sandbox.exists("api/CLAUDE.md") && !sandbox.exists("web/CLAUDE.md"));
    assert_eq!(items(&sandbox, "api/AGENTS.md").len(), 5, "a block that is not part of the split");
    sandbox.ok("memory inject --into CLAUDE.md --check");
}

#[test]
fn clients_with_globs_get_a_file_for_each_list_of_paths() {
    let sandbox = nested();
    sandbox.memory("braces", "---\npaths: ['*.{ts,tsx}', '!gen']\n---\nNo any.\n");
    for folder in [".cursor/rules", ".github/instructions", ".claude/rules"] {
        sandbox.write(format!("{folder}/own.md"), "Ours.\n");
    }
    let heads = |first: &str| {
        let report = sandbox.json(&format!("memory inject --into {first} --split-by-folder"));
        let parts = report["parts"].as_array().expect("parts").iter();
        let files = parts.map(|part| part["file"].as_str().expect("a file"));
        let head = |file: &str| {
            let text = sandbox.read(file);
            let end = text.find("<!--").expect("a block");
            format!("{file}\n{}", &text[..end])
        };
        [first].into_iter().chain(files).map(head).collect::<String>()
    };
    expect![[r#"
        .cursor/rules/cerberus.mdc
        ---
        alwaysApply: true
        ---

        .cursor/rules/cerberus-_test-go.mdc
        ---
        globs: **/*_test.go
        alwaysApply: false
        ---

        .cursor/rules/cerberus-api-web.mdc
        ---
        globs: api/**,web/**
        alwaysApply: false
        ---

        .cursor/rules/cerberus-api.mdc
        ---
        globs: api/**
        alwaysApply: false
        ---

        .cursor/rules/cerberus-ts-tsx.mdc
        ---
        globs: **/*.ts,**/*.tsx
        alwaysApply: false
        ---

        .cursor/rules/cerberus-web-ts.mdc
        ---
        globs: web/**/*.ts
        alwaysApply: false
        ---

    "#]]
    .assert_eq(&heads(".cursor/rules/cerberus.mdc"));
    expect![[r#"
        .github/instructions/cerberus.instructions.md
        ---
        applyTo: "**"
        ---

        .github/instructions/cerberus-_test-go.instructions.md
        ---
        applyTo: "**/*_test.go"
        ---

        .github/instructions/cerberus-api-web.instructions.md
        ---
        applyTo: "api/**,web/**"
        ---

        .github/instructions/cerberus-api.instructions.md
        ---
        applyTo: "api/**"
        ---

        .github/instructions/cerberus-ts-tsx.instructions.md
        ---
        applyTo: "**/*.ts,**/*.tsx"
        ---

        .github/instructions/cerberus-web-ts.instructions.md
        ---
        applyTo: "web/**/*.ts"
        ---

    "#]]
    .assert_eq(&heads(".github/instructions/cerberus.instructions.md"));
    expect![[r#"
        .claude/rules/cerberus.md
        .claude/rules/cerberus-_test-go.md
        ---
        paths:
          - "**/*_test.go"
        ---

        .claude/rules/cerberus-api-web.md
        ---
        paths:
          - "api/**"
          - "web/**"
        ---

        .claude/rules/cerberus-api.md
        ---
        paths:
          - "api/**"
        ---

        .claude/rules/cerberus-ts-tsx.md
        ---
        paths:
          - "**/*.{ts,tsx}"
        ---

        .claude/rules/cerberus-web-ts.md
        ---
        paths:
          - "web/**/*.ts"
        ---

    "#]]
    .assert_eq(&heads(".claude/rules/cerberus.md"));
    let part = ".cursor/rules/cerberus-web-ts.mdc";
    assert_eq!(items(&sandbox, part), ["Use strict types."], "the file names the paths");
    let braces = ".claude/rules/cerberus-ts-tsx.md";
    assert_eq!(items(&sandbox, braces), ["In `*.{ts,tsx}`, `!gen`: No any."]);

    sandbox.ok("memory delete types");
    sandbox.ok("memory inject --into .cursor/rules/cerberus.mdc --split-by-folder");
    assert!(!sandbox.exists(part));
    assert_eq!(sandbox.read(".cursor/rules/own.md"), "Ours.\n");
    // A file that a person continued stays, without the block.
    sandbox.ok("memory delete tests");
    let part = ".claude/rules/cerberus-_test-go.md";
    sandbox.write(part, sandbox.read(part) + "\nOurs.\n");
    sandbox.ok("memory inject --into .claude/rules/cerberus.md --split-by-folder");
    assert!(sandbox.read(part).ends_with("---\n\n\nOurs.\n"), "{}", sandbox.read(part));
}

#[test]
fn rules_that_do_not_fit_are_counted_with_a_way_to_make_them_fit() {
    let sandbox = nested();
    for n in 0..30 {
        sandbox.memory(&format!("m{n:02}"), format!("Rule {n}: {}\n", "keep it simple ".repeat(8)));
    }
    sandbox.write(".cursorrules", "");
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md --budget 300
        updated AGENTS.md (261 tokens)
        omitted AGENTS.md: 27 memories do not fit
          all rules need `--budget 1015`; `--split-by-folder` moves the rules of folders to files of their own
        [exit 0]

        $ cerberus memory inject --into AGENTS.md --budget 300 --check
        AGENTS.md is up to date
        omitted AGENTS.md: 27 memories do not fit
          all rules need `--budget 1015`; `--split-by-folder` moves the rules of folders to files of their own
        [exit 0]

        $ cerberus memory inject --into AGENTS.md --split-by-folder --for agents-md --budget 300
        updated AGENTS.md (250 tokens)
        updated api/AGENTS.md (41 tokens)
        updated web/AGENTS.md (46 tokens)
        omitted AGENTS.md: 25 memories do not fit
          all rules need `--budget 986`
        [exit 0]

        $ cerberus memory inject --into .cursorrules --split-by-folder
        --- stderr
        cerberus: agents read no files of folders beside `.cursorrules`
        hint: name a file such as `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/cerberus.mdc`, `.github/instructions/cerberus.instructions.md` or `.claude/rules/cerberus.md`
        [exit 2]
    "#]]);
    let text = sandbox.read("AGENTS.md");
    assert!(text.contains("\nOmitted for lack of space: "), "agents see it as well: {text}");
    let report = sandbox.json("memory inject --into AGENTS.md --budget 300");
    let needed = report["omitted"]["neededTokens"].as_u64().expect("a number");
    let all = sandbox.json(&format!("memory inject --into AGENTS.md --budget {needed}"));
    assert_eq!((&all["omitted"]["memories"], &all["skipped"]), (&0.into(), &serde_json::json!([])));
    let fewer = sandbox.json(&format!("memory inject --into AGENTS.md --budget {}", needed - 1));
    assert_ne!(fewer["omitted"]["memories"], 0, "{needed} is the least budget");
}

#[test]
fn eight_at_once_write_the_same() {
    let sandbox = nested();
    let line = "memory inject --into AGENTS.md --split-by-folder";
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| sandbox.ok(line));
        }
    });
    sandbox.ok(&format!("{line} --check"));
    for id in ["api", "both", "types"] {
        sandbox.ok(&format!("memory delete {id}"));
    }
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| sandbox.ok(line));
        }
    });
    assert!(!sandbox.exists("api/AGENTS.md") && !sandbox.exists("web/AGENTS.md"));
    sandbox.ok(&format!("{line} --check"));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_if_one_file_is_refused() {
    use std::os::unix::fs::symlink;
    let sandbox = nested();
    sandbox.write("elsewhere/AGENTS.md", "# Else\n");
    symlink("../elsewhere/AGENTS.md", sandbox.path("web/AGENTS.md")).expect("a link");
    sandbox.session(expect![[r#"
        $ cerberus memory inject --into AGENTS.md --split-by-folder
        --- stderr
        cerberus: `web/AGENTS.md` is behind a symbolic link
        hint: name the link's target in `--into`, or remove the link
        [exit 2]
    "#]]);
    assert!(!sandbox.exists("AGENTS.md") && !sandbox.exists("api/AGENTS.md"));
    assert_eq!(sandbox.read("elsewhere/AGENTS.md"), "# Else\n");
    std::fs::remove_file(sandbox.path("web/AGENTS.md")).expect("the link");
    sandbox.write("web/AGENTS.md", "<!-- cerberus:start -->\n");
    let outcome = sandbox.run("memory inject --into AGENTS.md --split-by-folder");
    assert!(outcome.stderr().contains("`web/AGENTS.md`: the markers"), "{}", outcome.text());
    assert!(!sandbox.exists("AGENTS.md") && !sandbox.exists("api/AGENTS.md"));
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let Some(sandbox) = nested().unprivileged() else { return };
    let set_mode = |mode| {
        std::fs::set_permissions(sandbox.path("web"), std::fs::Permissions::from_mode(mode))
            .expect("a folder");
    };
    set_mode(0o555);
    let outcome = sandbox.run("memory inject --into AGENTS.md --split-by-folder");
    set_mode(0o755);
    assert_ne!(outcome.status(), 0, "{}", outcome.text());
    assert!(outcome.stderr().contains("web"), "{}", outcome.text());
    sandbox.ok("memory inject --into AGENTS.md --split-by-folder");
}
