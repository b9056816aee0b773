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
        (
            "crossed",
            "<!-- ANCHOR:a --><!-- ANCHOR:b --><!-- /ANCHOR:a --><!-- /ANCHOR:b -->\n",
            1,
        ),
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
            assert_eq!(
                sandbox
                    .run(&format!("memory sections {id}{flags}"))
                    .status(),
                0
            );
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
