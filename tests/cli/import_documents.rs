//! `memory import`: documents that move, cannot be read or are not markdown.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn a_moved_document_keeps_its_memories() {
    let sandbox = Sandbox::bank();
    sandbox.write("lib/a.txt", "");
    sandbox.write("lib/b.txt", "");
    sandbox.write(
        "lib/AGENTS.md",
        "- Never call `a.txt` twice\n- Use tea\n- Use pots\n",
    );
    sandbox.ok("memory import --no-anchor");
    sandbox.ok("memory delete use-pots");
    let text = sandbox.read("lib/AGENTS.md");
    std::fs::remove_dir_all(sandbox.path("lib")).expect("a folder");
    sandbox.write("lib/web/a.txt", "");
    sandbox.write("lib/web/AGENTS.md", &text);
    sandbox.session(expect![[r#"
        $ cerberus memory import --no-anchor
        changed never-call-lib-a-txt-twice (lib/web/AGENTS.md:1): `never-call-lib-a-txt-twice` was imported from an earlier version of this item
        changed use-tea (lib/web/AGENTS.md:2): its document was moved from lib/AGENTS.md
        0 rules added, 2 changed, 0 duplicates, 1 skipped
          show the skipped items and the reasons with --dry-run
        2 rules: 0 anchored, 2 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 0]

        $ cerberus memory import --check
        the documents and the bank agree
        [exit 0]

        $ cerberus memory read never-call-lib-a-txt-twice
        Never call `lib/web/a.txt` twice
        [exit 0]

        $ cerberus memory show use-tea
        use-tea  rule · project:shop · lib/web/**
          Use tea
        [exit 0]
    "#]]);
}

#[cfg(unix)]
#[test]
fn a_document_that_no_path_can_name_is_said() {
    use std::os::unix::ffi::OsStrExt;
    let sandbox = Sandbox::bank();
    sandbox.write("docs/AGENTS.md", "- Use tea\n");
    sandbox.write(
        std::ffi::OsStr::from_bytes(b"docs/two\nlines/AGENTS.md"),
        "- Use pots\n",
    );
    for line in [
        "memory import --no-anchor",
        "memory import docs --no-anchor",
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 1, "{}", outcome.text());
        assert!(
            outcome.text().contains("its name has a line break"),
            "{}",
            outcome.text()
        );
    }
}

#[test]
fn a_document_that_is_not_text_is_one_problem() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "- Use tea\n");
    sandbox.write("lib/CLAUDE.md", "- Use pots\n");
    sandbox.ok("memory import --no-anchor");
    std::fs::write(sandbox.path("lib/CLAUDE.md"), b"- Use caf\xE9\0\n").expect("a file");
    sandbox.session(expect![[r#"
        $ cerberus memory import --check
        unreadable: `lib/CLAUDE.md` is not text in UTF-8 or UTF-16
        1 difference between the documents and the bank
        [exit 1]

        $ cerberus memory import --prune --no-anchor
        unreadable: `lib/CLAUDE.md` is not text in UTF-8 or UTF-16
        0 rules added, 0 changed, 1 duplicate, 0 skipped
        2 rules: 0 anchored, 2 waiting, 0 process, 0 no example
          choose the examples of the waiting ones with `cerberus memory review`
        [exit 1]

        $ cerberus memory import lib/CLAUDE.md
        --- stderr
        cerberus: `lib/CLAUDE.md` is not text in UTF-8 or UTF-16
        hint: convert it, for example with `iconv -f LATIN1 -t UTF-8`, if it is text
        [exit 2]
    "#]]);
}

#[test]
fn a_dry_run_lists_removals_apart() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "- Use tea\n- Use pots\n");
    sandbox.write("lib/AGENTS.md", "- Never use coffee\n");
    sandbox.ok("memory import --no-anchor");
    sandbox.write("AGENTS.md", "- Use tea\n- Never use sugar\n");
    sandbox.session(expect![[r#"
        $ cerberus memory import --prune --dry-run --no-anchor
        AGENTS.md:2	added	never-use-sugar	Never use sugar	
        would be moved to the trash:
          use-pots (AGENTS.md:2): Use pots
        1 rule would be added, 0 changed, 1 removed, 2 duplicates, 0 skipped
        [exit 0]

        $ cerberus memory import --dry-run --no-anchor
        AGENTS.md:2	added	never-use-sugar	Never use sugar	
        no longer in a document:
          use-pots (AGENTS.md:2): Use pots
        1 rule would be added, 0 changed, 1 removed, 2 duplicates, 0 skipped
          move the removed ones to the trash with --prune
        [exit 0]

        $ cerberus memory import --check
        added never-use-sugar (AGENTS.md:2)
        removed use-pots (AGENTS.md:2): no longer in the document
        2 differences between the documents and the bank
        next: cerberus memory import --prune, which moves the removed ones to the trash
        [exit 1]
    "#]]);
}

#[test]
fn the_source_of_an_uncommitted_document_has_no_commit() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "- Use tea\n");
    sandbox.write("CLAUDE.md", "- Use pots\n");
    sandbox.git("init --quiet");
    sandbox.git("add --all");
    sandbox.git("-c user.name=a -c user.email=b commit --quiet -m x");
    sandbox.write("CLAUDE.md", "- Use pots\n\nText\n");
    sandbox.ok("memory import --no-anchor");
    let source = |id: &str| {
        let text = sandbox.ok(&format!("memory read {id} --raw"));
        text.lines()
            .find(|line| line.starts_with("source:"))
            .expect("a source")
            .to_owned()
    };
    assert!(source("use-tea").starts_with("source: AGENTS.md:1@"));
    assert!(source("use-pots").starts_with("source: CLAUDE.md:1 ("));
}

#[test]
fn init_names_the_import_if_there_are_rules() {
    let sandbox = Sandbox::empty();
    sandbox.write("lib/AGENTS.md", "- Use tea\n");
    let out = sandbox.ok("memory init");
    assert!(
        out.ends_with("next: cerberus memory import, for the rules of lib/AGENTS.md\n"),
        "{out}"
    );
}

const SAMPLES: &str = "\
# The shop

## Golden samples

- Orders: `shop/orders.py::ship`
- Pages: `web/nothing.ts`

| Pattern | Reference |
|---|---|
| Sums of money | `shop/orders.py:5` |

## Work

- Close the session, see shop/db.py for an example
- Old code in `web/cart.ts` is a bad example, do not copy it
";

/// Returns the id, the place and the origin of each anchor.
fn anchors_of(sandbox: &Sandbox) -> Vec<String> {
    let shown = sandbox.json("memory reanchor --check");
    let results = shown["results"].as_array().expect("results");
    let mut anchors = Vec::new();
    for result in results {
        let place = &result["new"];
        let symbol = place["symbol"].as_str().unwrap_or("-");
        let file = place["file"].as_str().expect("a file");
        let chosen = result["chosen"].as_str().expect("an origin");
        anchors.push(format!("{file} {symbol} {chosen}"));
    }
    anchors
}

#[test]
fn code_that_a_document_names_as_a_sample_is_the_example() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", SAMPLES);
    let planned = sandbox.ok("memory import AGENTS.md --dry-run");
    assert!(
        planned.contains("shop/orders.py::ship (named by the document)"),
        "{planned}"
    );
    assert!(
        planned.contains("AGENTS.md:6\tskipped\tit names no code of the project"),
        "{planned}"
    );
    let imported = sandbox.ok("memory import AGENTS.md");
    assert!(
        imported.contains("3 with the example that the document names"),
        "{imported}"
    );
    let found = anchors_of(&sandbox);
    assert_eq!(
        found,
        [
            "shop/db.py - document",
            "shop/orders.py ship document",
            "shop/orders.py total document",
        ]
    );

    // It follows its document, and a choice of a person stays.
    let edited = SAMPLES
        .replace("`shop/orders.py::ship`", "`web/cart.ts::addToCart`")
        .replace("shop/db.py for", "shop/orders.py for");
    sandbox.ok("memory anchor close-the-session --to shop/db.py::request_session");
    sandbox.write("AGENTS.md", &edited);
    sandbox.ok("memory import AGENTS.md");
    let found = anchors_of(&sandbox);
    assert_eq!(
        found,
        [
            "shop/db.py request_session manual",
            "web/cart.ts addToCart document",
            "shop/orders.py total document",
        ]
    );
    sandbox.write(
        "AGENTS.md",
        edited.replace("`web/cart.ts::addToCart`", "`web/`"),
    );
    sandbox.ok("memory import AGENTS.md --prune --yes");
    assert_eq!(anchors_of(&sandbox).len(), 2);
}

#[test]
fn what_a_document_says_is_not_reported_again_for_its_memory() {
    let sandbox = Sandbox::bank();
    sandbox.write("AGENTS.md", "- Always put a time into `shop/late.py`\n");
    sandbox.write("shop/late.py", "x = 1\n");
    sandbox.ok("memory import AGENTS.md --no-anchor");
    sandbox.commit("start");
    sandbox.git("rm -q shop/late.py");
    sandbox.commit("Remove it");
    let files = || {
        let report = sandbox.json_of(sandbox.run("check --json"));
        let findings = report["findings"].as_array().expect("a list").iter();
        let files = findings.map(|finding| finding["file"].as_str().expect("a file").to_owned());
        files.collect::<Vec<String>>()
    };
    assert_eq!(files(), ["AGENTS.md"]);
    let id = "always-put-a-time-into-shop";
    sandbox.ok(&format!(
        "memory update {id} --content \"Put each time into `shop/late.py`\""
    ));
    let memory = format!(".memories/{id}.md");
    assert!(files().contains(&memory), "{:?}", files());
}
