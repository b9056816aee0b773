//! `check`: which documents it reads, and what their sentences claim.

use expect_test::expect;

use crate::sandbox::Sandbox;

/// A project of which every document of `documents` is committed, and then the file `src/b.py` is
/// removed.
fn without_b(documents: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    for (path, text) in documents {
        sandbox.write(path, text);
    }
    sandbox.write("src/a.py", "x = 1\n");
    sandbox.write("src/b.py", "y = 2\nprint(y)\n");
    sandbox.commit("start");
    sandbox.git("rm -q src/b.py");
    sandbox.commit("Remove b");
    sandbox
}

#[test]
fn words_of_a_sentence_that_do_not_govern_a_claim_do_not_silence_it() {
    let text = "\
- Instead of copying, extend `src/b.py`.
- There is no retry in `src/b.py`.
- Renamed columns are handled in `src/b.py`.
- Use `src/a.py` instead of `src/b.py`.
- Never call `src/b.py`.
- We put it into `src/b.py`, which was removed.
";
    without_b(&[("AGENTS.md", text)]).session(expect![[r#"
        $ cerberus check --all
        AGENTS.md:1:31: `src/b.py`: the file no longer exists
            since f8796eebd7 of 2026-01-02: Remove b
        AGENTS.md:2:25: `src/b.py`: the file no longer exists
            since f8796eebd7 of 2026-01-02: Remove b
        AGENTS.md:3:35: `src/b.py`: the file no longer exists
            since f8796eebd7 of 2026-01-02: Remove b
        AGENTS.md:4:30: `src/b.py`: it does not exist; its sentence, or a title above it, is not about what exists now
        AGENTS.md:5:15: `src/b.py`: it no longer exists, and the sentence forbids it
        AGENTS.md:6:19: `src/b.py`: it does not exist; its sentence, or a title above it, is not about what exists now

        3 errors; checked 7 claims in 1 document
        3 never true here
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn changelogs_are_read_only_if_they_are_named() {
    let dated = "# Log\n\n## 1.2.0\n\nSee `src/b.py`.\n\n## 1.1.0\n\n## 1.0.0\n";
    let sandbox = without_b(&[
        ("docs/CHANGELOG.md", "See `src/b.py`.\n"),
        ("docs/log.md", dated),
        ("docs/use.md", "See `src/b.py`.\n"),
    ]);
    sandbox.session(expect![[r#"
        $ cerberus check docs
        docs/use.md:1:6: `src/b.py`: the file no longer exists
            since 707738049b of 2026-01-02: Remove b
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it

        1 error; checked 1 claim in 1 document
        [exit 1]

        $ cerberus check docs/CHANGELOG.md docs/log.md
        docs/CHANGELOG.md:1:6: `src/b.py`: the file no longer exists
            since 707738049b of 2026-01-02: Remove b
        docs/log.md:5:6: `src/b.py`: the file no longer exists
            since 707738049b of 2026-01-02: Remove b

        2 errors; checked 2 claims in 2 documents
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn specifications_are_read_if_they_say_that_they_are_current() {
    let sandbox = without_b(&[
        (
            "AGENTS.md",
            "See `specs/named.md` and `specs/settled.md`.\n",
        ),
        (
            "specs/current.md",
            "# A\n\n**Status:** Active\n\nSee `src/b.py`.\n",
        ),
        ("specs/draft.md", "# A\n\nSee `src/b.py`.\n"),
        ("specs/named.md", "# A\n\nSee `src/b.py`.\n"),
        (
            "specs/settled.md",
            "# A\n\nStatus: implemented\n\nSee `src/b.py`.\n",
        ),
        (
            "docs/adr/1.md",
            "# A\n\n## Status\n\nAccepted\n\nSee `src/b.py`.\n",
        ),
        ("proposals/12-rows/README.md", "See `src/b.py`.\n"),
        ("docs/v1.20/README.md", "See `src/b.py`.\n"),
        (".cursor/rules/release.mdc", "See `src/b.py`.\n"),
        ("api/v2.0/README.md", "See `src/b.py`.\n"),
        ("lib/proposals/list/README.md", "See `src/b.py`.\n"),
    ]);
    sandbox.session(expect![[r#"
        $ cerberus check
        .cursor/rules/release.mdc:1:6: `src/b.py`: the file no longer exists
            since 7757d6ea1c of 2026-01-02: Remove b
        api/v2.0/README.md:1:6: `src/b.py`: the file no longer exists
            since 7757d6ea1c of 2026-01-02: Remove b
        lib/proposals/list/README.md:1:6: `src/b.py`: the file no longer exists
            since 7757d6ea1c of 2026-01-02: Remove b
        specs/current.md:5:6: `src/b.py`: the file no longer exists
            since 7757d6ea1c of 2026-01-02: Remove b
        specs/named.md:3:6: `src/b.py`: the file no longer exists
            since 7757d6ea1c of 2026-01-02: Remove b

        5 errors; checked 7 claims in 6 documents; of 5 others only the links: cerberus check .
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn a_change_is_compared_with_all_documents() {
    let sandbox = without_b(&[
        ("notes/use.md", "See `src/b.py`.\n"),
        ("AGENTS.md", "Text.\n"),
    ]);
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 0 claims in 1 document; of 1 other only the links: cerberus check .
        [exit 0]

        $ cerberus check --since HEAD~1
        notes/use.md:1:6: `src/b.py`: the file no longer exists
            since 14d2143e6a of 2026-01-02: Remove b
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it

        1 error; checked 1 claim in 2 documents
        [exit 1]
    "#]]);
}

#[test]
fn a_line_that_is_newer_than_the_revision_is_compared_with_its_own_commit() {
    let sandbox = Sandbox::empty();
    sandbox.write("conf.py", "x = 1\n");
    sandbox.write("tests/a.py", "y = 1\n");
    sandbox.write("AGENTS.md", "# Rules\n");
    sandbox.git("init -q");
    sandbox.commit("Add conf.py");
    sandbox.git("mv conf.py tests/conf.py");
    sandbox.write(
        "AGENTS.md",
        "# Rules\n- Fixtures: `conf.py`\n- They are in `tests/conf.py`.\n",
    );
    sandbox.commit("Move conf.py");
    sandbox.ok("check --since HEAD~1");
    sandbox.git("rm -q tests/conf.py");
    sandbox.commit("Remove conf.py");
    assert!(
        sandbox
            .run("check --since HEAD~2")
            .stdout()
            .contains("AGENTS.md:3:")
    );
}

#[test]
fn a_file_is_one_of_the_project_that_is_named() {
    let sandbox = without_b(&[("AGENTS.md", "See `src/b.py`.\n")]);
    let other = Sandbox::empty();
    other.write("AGENTS.md", "Text.\n");
    let root = sandbox.path("").display().to_string();
    let outcome = other.run(&format!("check AGENTS.md --project {root}"));
    assert!(
        outcome.text().contains("AGENTS.md:1:6: `src/b.py`"),
        "{}",
        outcome.text()
    );
}

#[test]
fn a_link_and_its_text_are_one_error() {
    let sandbox = without_b(&[("docs/use.md", "See [`src/b.py`](../src/b.py).\n")]);
    sandbox.git("mv src/a.py src/ä.py");
    sandbox.write("docs/more.md", "See `src/ä.py` and `größe_lesen()`.\n");
    sandbox.write("src/c.py", "def größe_lesen():\n    return 1\n");
    sandbox.commit("Write more");
    sandbox.git("rm -q src/ä.py src/c.py");
    sandbox.commit("Remove more");
    sandbox.session(expect![[r#"
        $ cerberus check docs
        docs/more.md:1:21: `größe_lesen()`: the code no longer defines or uses it
            was in `src/c.py`
            since 437100c246 of 2026-01-02: Remove more
        docs/more.md:1:6: `src/ä.py`: the file no longer exists
            since 437100c246 of 2026-01-02: Remove more
        docs/use.md:1:18: `../src/b.py`: the file no longer exists
            since df4d82cf5b of 2026-01-02: Remove b

        3 errors; checked 4 claims in 2 documents
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn a_file_goes_where_its_symbols_went() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "AGENTS.md",
        "Rows are read by `load_rows` in `src/rows.py`.\n",
    );
    let load =
        "    data = open(path).read()\n    return [row.split(',') for row in data.splitlines()]\n";
    sandbox.write("src/rows.py", format!("def load_rows(path):\n{load}"));
    sandbox.commit("start");
    sandbox.git("rm -q src/rows.py");
    sandbox.write("core/table.py", format!("import os\n\nNAMES = os.environ\n\n\ndef read_rows(path):\n{load}\n\ndef other():\n    return NAMES\n"));
    sandbox.commit("Move the rows");
    sandbox.session(expect![[r#"
        $ cerberus check
        AGENTS.md:1:19: `load_rows`: the code no longer defines or uses it
            was in `src/rows.py`
            since 5d693681d5 of 2026-01-02: Move the rows
            now `core/table.py::read_rows`
            next: cerberus check --fix
        AGENTS.md:1:34: `src/rows.py`: the file no longer exists
            since 5d693681d5 of 2026-01-02: Move the rows
            now `core/table.py`
            next: cerberus check --fix

        2 errors; checked 3 claims in 1 document
        to correct 2 of them: cerberus check --fix
        [exit 1]
    "#]]);
    sandbox.run("check --fix --yes");
    assert_eq!(
        sandbox.read("AGENTS.md"),
        "Rows are read by `read_rows` in `core/table.py`.\n"
    );
}

#[test]
fn what_a_tool_enforces_is_a_claim() {
    let sandbox = Sandbox::empty();
    let text = "\
- Ruff `T201` enforces that nothing is printed, and eslint makes `no-console` an error.
- CI runs `make lint`.
- Clippy fails on `unwrap_used`.
";
    sandbox.write("AGENTS.md", text);
    sandbox.write("Makefile", "lint:\n\truff check\n");
    sandbox.write("ruff.toml", "[lint]\nselect = [\"E\", \"T20\"]\n");
    sandbox.write(
        "eslint.config.js",
        "export default [{ rules: { \"no-console\": \"error\" } }];\n",
    );
    sandbox.write("Cargo.toml", "[lints.clippy]\nunwrap_used = \"deny\"\n");
    let job = "jobs:\n  lint:\n    steps:\n      - run: make lint\n";
    sandbox.write(".github/workflows/ci.yml", job);
    sandbox.commit("start");
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 5 claims in 1 document
        [exit 0]
    "#]]);
    sandbox.write("ruff.toml", "[lint]\nselect = [\"E\"]\n");
    sandbox.write(
        "eslint.config.js",
        "export default [{ rules: { \"no-var\": \"error\" } }];\n",
    );
    sandbox.write(
        ".github/workflows/ci.yml",
        job.replace("make lint", "make check"),
    );
    sandbox.commit("Check less");
    sandbox.session(expect![[r#"
        $ cerberus check
        AGENTS.md:1:9: `T201`: no configuration of ruff enables it any more
            was in `ruff.toml`
            since 8b5730ef80 of 2026-01-02: Check less
        AGENTS.md:1:67: `no-console`: no configuration of eslint enables it any more
            was in `eslint.config.js`
            since 8b5730ef80 of 2026-01-02: Check less
        AGENTS.md:2:12: `make lint`: no workflow runs it any more
            was in `.github/workflows/ci.yml`
            since 8b5730ef80 of 2026-01-02: Check less

        3 errors; checked 5 claims in 1 document
        next: correct or remove it, or put `<!-- cerberus: ignore -->` above it
        [exit 1]
    "#]]);
}

#[test]
fn a_word_in_the_font_of_code_is_not_recognised() {
    let sandbox = without_b(&[("AGENTS.md", "Written `easily` with `transport-io`.\n")]);
    sandbox.write("Cargo.toml", "[features]\ntransport-io = []\n");
    sandbox.commit("Add a feature");
    sandbox.session(expect![[r#"
        $ cerberus check --all
        AGENTS.md:1:10: `easily`: not recognised: nothing here has this name

        nothing is out of date; checked 2 claims in 1 document
        [exit 0]
    "#]]);
}

#[test]
fn a_submodule_is_there_without_its_folder() {
    let sandbox = Sandbox::empty();
    sandbox.write("a.py", "a = 1\n");
    sandbox.commit("start");
    let commit = sandbox.git("rev-parse HEAD");
    sandbox.git(&format!(
        "update-index --add --cacheinfo 160000,{},testing",
        commit.trim()
    ));
    sandbox.write("README.md", "The data is in `./testing` and `testing/`.\n");
    sandbox.write("b.py", "b = 1\n");
    for file in ["README.md", "b.py"] {
        sandbox.git(&format!("add {file}"));
        sandbox.git("commit -qm more");
    }
    let outcome = sandbox.run("check");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
}

#[test]
fn the_text_of_a_link_is_what_the_link_names() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "web/README.md",
        "See [`till_client.py`](../lib/till_client.py).\n",
    );
    sandbox.write("web/till_client.py", "A = 1\n");
    sandbox.write("lib/till_client.py", "B = 1\n");
    sandbox.commit("start");
    sandbox.git("rm -q web/till_client.py");
    sandbox.commit("Remove the copy");
    sandbox.session(expect![[r#"
        $ cerberus check
        nothing is out of date; checked 2 claims in 1 document
        [exit 0]
    "#]]);
}

#[test]
fn a_settled_document_is_history_and_a_guide_is_not() {
    let sandbox = Sandbox::empty();
    for (path, status) in [
        ("docs/a.md", "implemented"),
        ("docs/b.md", "current"),
        ("c/README.md", "implemented"),
    ] {
        sandbox.write(
            path,
            format!("# Sessions\n\n**Status**: {status}\n\nSee `till/load.py`.\n"),
        );
    }
    sandbox.write("AGENTS.md", "Read `docs/a.md` and `docs/b.md`.\n");
    sandbox.write("till/load.py", "A = 1\n");
    sandbox.commit("start");
    sandbox.git("mv till/load.py till/rows.py");
    sandbox.commit("Rename it");
    sandbox.session(expect![[r#"
        $ cerberus check
        c/README.md:5:6: `till/load.py`: the file no longer exists
            since b8b84fd7db of 2026-01-02: Rename it
            now `till/rows.py`
            next: cerberus check --fix
        docs/b.md:5:6: `till/load.py`: the file no longer exists
            since b8b84fd7db of 2026-01-02: Rename it
            now `till/rows.py`
            next: cerberus check --fix

        2 errors; checked 4 claims in 3 documents; of 1 other only the links: cerberus check .
        to correct 2 of them: cerberus check --fix
        [exit 1]
    "#]]);
}

#[test]
fn an_address_of_the_project_is_a_path_of_it() {
    let sandbox = Sandbox::empty();
    let host = "https://github.com";
    sandbox.write(
        "docs/README.md",
        format!(
            "[a]({host}/shop/till/blob/main/src/a.py#L2) [b]({host}/shop/till/tree/main/src/b)\n\
             [c]({host}/shop/stock/blob/main/src/a.py) [d]({host}/shop/till/blob/v1/src/a.py)\n\
             Fork `shop/till`.\n\n```sh\ndocker run shop/till:latest\n```\n"
        ),
    );
    sandbox.write(
        "Cargo.toml",
        format!("[package]\nrepository = \"{host}/shop/till\"\n"),
    );
    sandbox.write("src/a.py", "def load():\n    return 1\n");
    sandbox.write("src/b/c.py", "C = 1\n");
    sandbox.write("src/shop/till/pay.py", "T = 1\n");
    sandbox.commit("start");
    sandbox.git("mv src/a.py src/rows.py");
    sandbox.git("rm -q -r src/b src/shop");
    sandbox.commit("Move it");
    sandbox.session(expect![[r#"
        $ cerberus check
        docs/README.md:1:43: `https://github.com/shop/till/blob/main/src/a.py#L2`: the file no longer exists
            since dbedd8bb30 of 2026-01-02: Move it
            now `src/rows.py`
            next: cerberus check --fix
        docs/README.md:1:99: `https://github.com/shop/till/tree/main/src/b`: the file or folder no longer exists
            since dbedd8bb30 of 2026-01-02: Move it
            next: correct or remove it, or put `<!-- cerberus: ignore -->` above it

        2 errors; checked 2 claims in 1 document
        to correct 1 of them: cerberus check --fix
        [exit 1]
    "#]]);
    sandbox.run("check --fix --yes");
    let text = sandbox.read("docs/README.md");
    assert!(
        text.starts_with(&format!("[a]({host}/shop/till/blob/main/src/rows.py#L2) ")),
        "{text}"
    );
}
