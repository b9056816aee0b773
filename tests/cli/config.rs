//! How the project, its settings and its bank are found.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn an_invalid_configuration_is_reported_with_its_position() {
    let sandbox = Sandbox::bank();
    let mut printed = String::new();
    for text in [
        "[anchor]\nmin_qualty = 0.5\n",
        "[ancor]\n",
        "[memory]\nstorage_strategy = \"users\"\n",
        "[anchor]\nmin_quality = 7\n",
        "[anchor]\nmin_quality = \"high\"\n",
        "[anchor\n",
        "[anchor]\nexclude = [\"a[\"]\n",
    ] {
        sandbox.write("cerberus.toml", text);
        printed += &sandbox.run("index").text();
    }
    expect![[r#"
        $ cerberus index
        --- stderr
        cerberus: failed to read `$ROOT/shop/cerberus.toml:2:1`: unknown field `min_qualty`, expected one of `min_quality`, `weights`, `exclude`
        hint: did you mean `min_quality`?
        [exit 2]
        $ cerberus index
        --- stderr
        cerberus: failed to read `$ROOT/shop/cerberus.toml:1:2`: unknown field `ancor`, expected one of `project`, `memory`, `anchor`, `pins`, `inject`, `check`
        hint: did you mean `anchor`?
        [exit 2]
        $ cerberus index
        --- stderr
        cerberus: failed to read `$ROOT/shop/cerberus.toml:2:20`: unknown variant `users`, expected `project` or `user`
        hint: did you mean `user`?
        [exit 2]
        $ cerberus index
        --- stderr
        cerberus: failed to read `$ROOT/shop/cerberus.toml`: min_quality is 7
        hint: it must be between 0 and 1
        [exit 2]
        $ cerberus index
        --- stderr
        cerberus: failed to read `$ROOT/shop/cerberus.toml:2:15`: invalid type: string "high", expected f64
        hint: fix this line, or comment it out with `#`
        [exit 2]
        $ cerberus index
        --- stderr
        cerberus: failed to read `$ROOT/shop/cerberus.toml:1:8`: unclosed table, expected `]`
        hint: fix this line, or comment it out with `#`
        [exit 2]
        $ cerberus index
        --- stderr
        cerberus: invalid exclude glob `a[`: error parsing glob '!a[': unclosed character class; missing ']'
        hint: fix `exclude` under `[anchor]` in `cerberus.toml`
        [exit 2]
    "#]].assert_eq(&printed);
}

#[test]
fn the_project_file_overrides_the_user_file() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "../home/config/cerberus/config.toml",
        "[anchor]\nmin_quality = 0.9\nweights = \"legacy\"\n",
    );
    let gate = || sandbox.json("memory anchor-test x")["minQuality"].as_f64();
    assert_eq!(gate(), Some(0.4));
    sandbox.remove("cerberus.toml");
    assert_eq!(gate(), Some(0.9));
    sandbox.remove("../home/config");
    assert_eq!(gate(), Some(0.7));
    assert_eq!(
        sandbox.json("memory anchor-test x --min-quality 0.3")["minQuality"],
        0.3
    );
}

#[test]
fn memory_can_be_disabled() {
    let sandbox = Sandbox::bank();
    sandbox.write("cerberus.toml", "[memory]\nenabled = false\n");
    sandbox.session(expect![[r#"
        $ cerberus memory show
        --- stderr
        cerberus: memory is disabled for this project
        hint: set `enabled = true` under `[memory]` in `cerberus.toml`
        [exit 2]
    "#]]);
    assert_eq!(sandbox.run("index").status(), 0, "code is no memory");
}

#[test]
fn the_project_is_found_from_a_subfolder() {
    let sandbox = Sandbox::anchored();
    let shown = sandbox.ok("memory show --anchored");
    let inside = sandbox.beside("shop/web");
    assert_eq!(inside.ok("memory show --anchored"), shown);
    let elsewhere = sandbox.beside("home");
    assert_eq!(
        elsewhere.ok("memory show --anchored --project ../shop"),
        shown
    );
    let mut command = elsewhere.command("memory show --anchored");
    let output = command
        .env("CERBERUS_PROJECT", sandbox.path(""))
        .output()
        .expect("it runs");
    assert_eq!(elsewhere.outcome("", output).stdout(), shown);
    sandbox.session(expect![[r#"
        $ cerberus memory show --project none
        --- stderr
        cerberus: failed to open the project `none`: No such file or directory (os error 2)
        hint: name an existing folder with `--project`
        [exit 2]

        $ cerberus memory show --project cerberus.toml
        --- stderr
        cerberus: `cerberus.toml` is not a folder
        hint: name an existing folder with `--project`
        [exit 2]
    "#]]);
}

#[test]
fn there_is_no_bank_before_init() {
    let sandbox = Sandbox::shop();
    let lines = [
        "memory show",
        "memory stats",
        "memory reanchor",
        "memory search x",
        "memory add x",
        "memory anchor x",
        "memory sections x",
        "memory delete x",
        "memory restore x",
    ];
    for line in lines {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        assert!(
            outcome
                .stderr()
                .contains("hint: run `cerberus memory init`"),
            "{}",
            outcome.text()
        );
    }
    sandbox.session(expect![[r#"
        $ cerberus memory show
        --- stderr
        cerberus: no bank found at `$ROOT/shop/.memories`
        hint: run `cerberus memory init` to create one
        [exit 2]
    "#]]);
    assert_eq!(
        sandbox.git("status --porcelain"),
        "",
        "a refusal leaves no trace"
    );
}

#[test]
fn worktrees_share_the_user_bank() {
    let sandbox = Sandbox::shop();
    sandbox.write("cerberus.toml", "[memory]\nstorage_strategy = \"user\"\n");
    sandbox.commit("the bank is mine");
    sandbox.ok("memory init");
    sandbox.ok("memory add \"Escape HTML entities in text\" --id escape --min-quality 0.2");
    sandbox.git("worktree add -q ../other");
    let other = sandbox.beside("other");
    assert_eq!(
        other.ok("memory show --anchored"),
        sandbox.ok("memory show --anchored")
    );
    other.ok("memory add \"Be kind\" --id kind --no-anchor");
    sandbox.ok("memory show kind");
    assert_eq!(sandbox.git("status --porcelain"), "");
    assert_eq!(other.git("status --porcelain"), "");

    sandbox.git("init -q ../home/shop");
    let namesake = sandbox.beside("home/shop");
    namesake.write("cerberus.toml", "[memory]\nstorage_strategy = \"user\"\n");
    let message = namesake.run("memory show").stderr();
    assert!(
        message.contains("no bank found"),
        "a project of the same name has its own: {message}"
    );
}
