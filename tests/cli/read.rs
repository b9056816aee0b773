//! `memory read`.

use expect_test::expect;

use crate::sandbox::Sandbox;

const MEMORY: &str = "---\ntype: plan\ntags: [a]\n---\n\n# Plan\n\n<!-- ANCHOR:summary-1 -->\nShip\n<!-- ANCHOR:deep -->\nit.\n\
    <!-- /ANCHOR:deep -->\n<!-- /ANCHOR:summary-1 -->\n\n## Steps\n\n- one\n";

#[test]
fn a_memory_is_printed_whole_or_in_sections() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    sandbox.session(expect![[r#"
        $ cerberus memory read plan
        # Plan

        <!-- ANCHOR:summary-1 -->
        Ship
        <!-- ANCHOR:deep -->
        it.
        <!-- /ANCHOR:deep -->
        <!-- /ANCHOR:summary-1 -->

        ## Steps

        - one
        [exit 0]

        $ cerberus memory read plan --section steps,summary
        ## Steps

        - one

        ---

        Ship

        it.
        [exit 0]

        $ cerberus memory read plan --section summary --raw
        Ship
        <!-- ANCHOR:deep -->
        it.
        <!-- /ANCHOR:deep -->
        [exit 0]

        $ cerberus memory read plan --section stpes --section deep
        it.
        --- stderr
        warning: `plan` has no section `stpes`: it has plan, summary-1, deep, steps; did you mean `steps`?
        [exit 0]

        $ cerberus memory read plan --section zebra
        --- stderr
        warning: `plan` has no section `zebra`: it has plan, summary-1, deep, steps
        [exit 1]

        $ cerberus memory read plna
        --- stderr
        cerberus: memory `plna` not found
        hint: did you mean `plan`?
        [exit 2]
    "#]]);
}

#[test]
fn json_contains_all_metadata() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    sandbox.session(expect![[r###"
        $ cerberus memory read plan --section steps --section zebra --json
        {
          "category": null,
          "content": "## Steps\n\n- one",
          "createdAt": null,
          "example": null,
          "file": "plan.md",
          "heading": null,
          "hints": [],
          "id": "plan",
          "kind": null,
          "missing": [
            {
              "id": "zebra",
              "nearest": null
            }
          ],
          "paths": [],
          "scope": "project",
          "sections": [
            {
              "endLine": 17,
              "id": "steps",
              "startLine": 15
            }
          ],
          "status": "active",
          "tags": [
            "a"
          ],
          "tokenMetrics": {
            "actualTokens": 5,
            "fullFileTokens": 56,
            "savingsPercent": 91.1,
            "tokenizer": "o200k_base"
          },
          "type": "plan",
          "updatedAt": null,
          "warnings": [
            "`plan` has no section `zebra`: it has plan, summary-1, deep, steps"
          ]
        }
        [exit 0]

        $ cerberus memory read plan --json
        {
          "category": null,
          "content": "# Plan\n\n<!-- ANCHOR:summary-1 -->\nShip\n<!-- ANCHOR:deep -->\nit.\n<!-- /ANCHOR:deep -->\n<!-- /ANCHOR:summary-1 -->\n\n## Steps\n\n- one",
          "createdAt": null,
          "example": null,
          "file": "plan.md",
          "heading": null,
          "hints": [],
          "id": "plan",
          "kind": null,
          "missing": [],
          "paths": [],
          "scope": "project",
          "sections": [
            {
              "endLine": 17,
              "id": "plan",
              "startLine": 6
            },
            {
              "endLine": 13,
              "id": "summary-1",
              "startLine": 8
            },
            {
              "endLine": 12,
              "id": "deep",
              "startLine": 10
            },
            {
              "endLine": 17,
              "id": "steps",
              "startLine": 15
            }
          ],
          "status": "active",
          "tags": [
            "a"
          ],
          "type": "plan",
          "updatedAt": null,
          "warnings": []
        }
        [exit 0]
    "###]]);
}

#[test]
fn raw_prints_the_file_byte_for_byte() {
    let sandbox = Sandbox::bank();
    for bytes in [
        &b"\xEF\xBB\xBF---\r\ntype: fact\r\n---\r\nText\r\n\r\n"[..],
        b"Caf\xE9",
        b"",
        b"\xFF\xFEh\0i\0",
    ] {
        sandbox.memory("odd", bytes);
        assert_eq!(sandbox.run("memory read odd --raw").output.stdout, bytes);
    }
}

#[test]
fn a_section_can_be_read_and_written_back_unchanged() {
    let sandbox = Sandbox::bank();
    sandbox.memory("plan", MEMORY);
    for section in ["deep", "steps"] {
        let text = sandbox.ok(&format!("memory read plan --section {section}"));
        let outcome = sandbox.piped(&format!("memory update plan --section {section}"), text);
        assert!(
            outcome.stdout().starts_with("unchanged"),
            "{}",
            outcome.text()
        );
    }
    let text = sandbox.ok("memory read plan");
    let outcome = sandbox.piped("memory update plan", text);
    assert!(
        outcome.stdout().starts_with("unchanged"),
        "{}",
        outcome.text()
    );
    assert_eq!(sandbox.read(".memories/plan.md"), MEMORY);
}
