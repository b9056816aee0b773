//! `memory sections`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn sections_are_listed_with_their_cost() {
    let sandbox = Sandbox::bank();
    sandbox.memory(
        "plan",
        "# Plan\n\nFirst.\n\n## Next steps\n\nSecond.\n\n<!-- ANCHOR:done -->\nThird.\n<!-- /ANCHOR:done -->\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory sections plan
        plan	heading	1-11	13
        next-steps	heading	5-11	8
        done	tag	9-11	2
        plan.md has 27 tokens (o200k_base)
        [exit 0]

        $ cerberus memory sections pl --validate
        all section tags of plan.md are valid (3 sections)
        [exit 0]
    "#]]);
}

#[test]
fn invalid_tags_are_located_and_affect_only_themselves() {
    let sandbox = Sandbox::bank();
    let text = "\
<!-- ANCHOR:good -->
Good.
<!-- /ANCHOR:good -->
<!-- ANCHOR:twice -->
One.
<!-- /ANCHOR:twice -->
<!-- ANCHOR:twice -->
Two.
<!-- /ANCHOR:twice -->
<!-- /ANCHOR:stray -->
<!-- ANCHOR:two words -->
<!-- ANCHOR:open -->
";
    sandbox.memory("odd", text);
    sandbox.session(expect![[r#"
        $ cerberus memory sections odd
        good	tag	1-3	2
        twice	tag	4-6	2
        twice#2	tag	7-9	2
        odd.md has 74 tokens (o200k_base)
        odd.md:7:1: duplicate: section `twice` on line 7 has the same name as the one on line 4
          hint: rename one of them; this one is `twice#2` until then
        odd.md:10:1: stray-close: line 10 closes section `stray`, which is not open
          hint: remove it, or write `<!-- ANCHOR:stray -->` where the section begins
        odd.md:11:1: malformed: malformed tag `ANCHOR:two words`: an id consists of letters, digits and `_./-`, and does not start with `./-`
          hint: did you mean `<!-- ANCHOR:two-words -->`?
        odd.md:12:1: unclosed: section `open`, opened on line 12, is never closed
          hint: add `<!-- /ANCHOR:open -->` where it ends
        [exit 0]

        $ cerberus memory sections odd --validate
        odd.md:7:1: duplicate: section `twice` on line 7 has the same name as the one on line 4
          hint: rename one of them; this one is `twice#2` until then
        odd.md:10:1: stray-close: line 10 closes section `stray`, which is not open
          hint: remove it, or write `<!-- ANCHOR:stray -->` where the section begins
        odd.md:11:1: malformed: malformed tag `ANCHOR:two words`: an id consists of letters, digits and `_./-`, and does not start with `./-`
          hint: did you mean `<!-- ANCHOR:two-words -->`?
        odd.md:12:1: unclosed: section `open`, opened on line 12, is never closed
          hint: add `<!-- /ANCHOR:open -->` where it ends
        [exit 1]
    "#]]);
    let found = sandbox.json("memory search good --anchors twice#2,good --content");
    assert_eq!(found["results"][0]["content"], "Two.\n\n---\n\nGood.");
}

#[test]
fn validation_sets_the_exit_status() {
    let sandbox = Sandbox::bank();
    let cases = [
        ("plain", "No tags at all.\n", 0),
        ("pair", "<!-- ANCHOR:a -->x<!-- /ANCHOR:a -->\n", 0),
        ("fence", "```\n<!-- ANCHOR:a -->\n```\n", 0),
        ("unclosed", "<!-- ANCHOR:a -->\nx\n", 1),
        ("stray", "x\n<!-- /ANCHOR:a -->\n", 1),
        ("crossed", "<!-- ANCHOR:a --><!-- ANCHOR:b --><!-- /ANCHOR:a --><!-- /ANCHOR:b -->\n", 1),
        (
            "duplicate",
            "<!-- ANCHOR:a -->x<!-- /ANCHOR:a --><!-- ANCHOR:a -->y<!-- /ANCHOR:a -->\n",
            1,
        ),
        ("malformed", "<!-- ANCHOR : x y -->\n", 1),
    ];
    for (id, text, status) in cases {
        sandbox.memory(id, text);
        for flags in ["", " --json"] {
            let outcome = sandbox.run(&format!("memory sections {id} --validate{flags}"));
            assert_eq!(outcome.status(), status, "{}", outcome.text());
            assert_eq!(sandbox.run(&format!("memory sections {id}{flags}")).status(), 0);
        }
    }
}

#[test]
fn an_unknown_memory_is_refused_with_a_suggestion() {
    let sandbox = Sandbox::bank();
    sandbox.memory("release", "Text.\n");
    sandbox.session(expect![[r#"
        $ cerberus memory sections relaese
        --- stderr
        cerberus: memory `relaese` not found
        hint: did you mean `release`?
        [exit 2]
    "#]]);
}

const OPEN: &str = "---\ntype: plan\n---\n# Plan\n\n<!-- ANCHOR:steps -->\n## Steps\n\n- one\n- two\n\n\
    ```\n<!-- ANCHOR:example -->\n## No heading\n```\n## Later\n<!-- ANCHOR:risks -->\nNone.\n\n<!-- /ANCHOR:risk -->\n";

#[test]
fn fix_closes_sections_and_shows_the_change() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", OPEN);
    sandbox.session(expect![[r#"
        $ cerberus memory sections plan --fix --dry-run
        --- a/plan.md
        +++ b/plan.md
        @@ -13,6 +13,7 @@
         <!-- ANCHOR:example -->
         ## No heading
         ```
        +<!-- /ANCHOR:steps -->
         ## Later
         <!-- ANCHOR:risks -->
         None.
        would close 1 section of plan.md
        plan.md:18:1: unclosed: section `risks`, opened on line 18, is never closed
          hint: the tag on line 21 may be intended to close it: add `<!-- /ANCHOR:risks -->` where it ends
        plan.md:21:1: stray-close: line 21 closes section `risk`, which is not open
          hint: open here is `risks`, from line 18
        [exit 0]
    "#]]);
    assert_eq!(sandbox.read(".memories/plan.md"), OPEN);
    sandbox.session(expect![[r#"
        $ cerberus memory sections plan --fix
        --- a/plan.md
        +++ b/plan.md
        @@ -13,6 +13,7 @@
         <!-- ANCHOR:example -->
         ## No heading
         ```
        +<!-- /ANCHOR:steps -->
         ## Later
         <!-- ANCHOR:risks -->
         None.
        closed 1 section of plan.md
        plan.md:18:1: unclosed: section `risks`, opened on line 18, is never closed
          hint: the tag on line 21 may be intended to close it: add `<!-- /ANCHOR:risks -->` where it ends
        plan.md:21:1: stray-close: line 21 closes section `risk`, which is not open
          hint: open here is `risks`, from line 18
        [exit 0]

        $ cerberus memory sections plan --fix
        no section of plan.md was closed
        plan.md:18:1: unclosed: section `risks`, opened on line 18, is never closed
          hint: the tag on line 21 may be intended to close it: add `<!-- /ANCHOR:risks -->` where it ends
        plan.md:21:1: stray-close: line 21 closes section `risk`, which is not open
          hint: open here is `risks`, from line 18
        [exit 0]

        $ cerberus memory sections plan --fix --validate
        no section of plan.md was closed
        plan.md:18:1: unclosed: section `risks`, opened on line 18, is never closed
          hint: the tag on line 21 may be intended to close it: add `<!-- /ANCHOR:risks -->` where it ends
        plan.md:21:1: stray-close: line 21 closes section `risk`, which is not open
          hint: open here is `risks`, from line 18
        [exit 1]

        $ cerberus memory sections plan --dry-run
        --- stderr
        cerberus: the following required arguments were not provided: --fix
        hint: see cerberus memory sections --help
        [exit 2]

        $ cerberus memory sections plan --fix --dry-run --validate
        --- stderr
        cerberus: the argument `--dry-run` cannot be used with `--validate`
        hint: see cerberus memory sections --help
        [exit 2]
    "#]]);
    let fixed = OPEN.replace("```\n## Later", "```\n<!-- /ANCHOR:steps -->\n## Later");
    assert_eq!(sandbox.read(".memories/plan.md"), fixed);
}

#[test]
fn fix_prints_a_valid_patch_and_preserves_line_endings() {
    let sandbox = Sandbox::bank();
    let text = "\u{FEFF}# Plan\r\n\r\n<!-- ANCHOR:a -->\r\ntext";
    sandbox.memory("dos", text);
    sandbox.memory("unix", "<!-- ANCHOR:a -->\ntext\n");
    for id in ["dos", "unix"] {
        let diff =
            sandbox.json(&format!("memory sections {id} --fix --dry-run"))["fix"]["diff"].clone();
        sandbox.write("fix.patch", diff.as_str().expect("a text"));
        sandbox.git("apply -p1 --directory=.memories fix.patch");
        let patched = sandbox.read(&format!(".memories/{id}.md"));
        sandbox.memory(id, if id == "dos" { text } else { "<!-- ANCHOR:a -->\ntext\n" });
        sandbox.ok(&format!("memory sections {id} --fix"));
        assert_eq!(sandbox.read(&format!(".memories/{id}.md")), patched);
    }
    assert_eq!(sandbox.read(".memories/dos.md"), format!("{text}\r\n<!-- /ANCHOR:a -->"));
}

#[test]
fn an_ambiguous_fix_is_refused() {
    let sandbox = Sandbox::bank();
    let utf16: Vec<u8> =
        "\u{FEFF}<!-- ANCHOR:a -->\ntext\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    sandbox.memory("wide", &utf16);
    sandbox.memory("full", format!("<!-- ANCHOR:a -->\n{}", "x".repeat(100 * 1024 - 20)));
    sandbox.session(expect![[r#"
        $ cerberus memory sections wide
        wide.md has 8 tokens (o200k_base)
        wide.md:1:1: unclosed: section `a`, opened on line 1, is never closed
          hint: add `<!-- /ANCHOR:a -->` where it ends
        [exit 0]

        $ cerberus memory sections wide --fix
        --- stderr
        cerberus: `wide.md` is not valid UTF-8 at byte 0; editing it would lose data
        hint: save it as UTF-8 in an editor first
        [exit 2]

        $ cerberus memory sections full --fix
        --- stderr
        cerberus: the memory has 101 KB, more than the limit of 100 KB
        hint: split it
        [exit 2]
    "#]]);
    assert_eq!(std::fs::read(sandbox.path(".memories/wide.md")).expect("there"), utf16);
}
