//! `memory add`.

use expect_test::expect;

use crate::sandbox::Sandbox;

const RULE: &str = "Hash the password with a fresh salt before the account is stored";

#[test]
fn a_rule_is_written_and_anchored() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory add "Hash the password with a fresh salt before the account is stored"
        added hash-the-password-with-a-fresh (hash-the-password-with-a-fresh.md)
          example shop/accounts.py::AccountStore.hash_password (quality Q)
        [exit 0]
    "#]]);
    expect![[r#"
        ---
        type: rule
        scope: project:shop
        created_at: "2026-01-02T03:04:05Z"
        ---

        Hash the password with a fresh salt before the account is stored
    "#]]
    .assert_eq(&sandbox.read(".memories/hash-the-password-with-a-fresh.md"));
}

#[test]
fn all_metadata_flags_are_written() {
    let sandbox = Sandbox::bank();
    sandbox.ok(
        "memory add \"Prefer small functions\" --id style/small --type decision \
        --category style --scope language:go --tag review --tag \"go code\" \
        --hint \"Handler,ServeHTTP\" --hint mux --no-anchor",
    );
    expect![[r#"
        ---
        type: decision
        category: style
        scope: language:go
        tags: [review, go code]
        hints: [Handler, ServeHTTP, mux]
        created_at: "2026-01-02T03:04:05Z"
        ---

        Prefer small functions
    "#]]
    .assert_eq(&sandbox.read(".memories/style/small.md"));
}

#[test]
fn a_missing_example_is_explained() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory add "Hang velvet curtains" --id none --kind code
        added none (none.md)
          not anchored: no code contains any of its words
          next, with a keyword from its code: cerberus memory anchor none --hint WORD
          or name it: cerberus memory anchor none --to FILE::SYMBOL
        [exit 0]

        $ cerberus memory add "Be kind in reviews" --scope universal
        added be-kind-in-reviews (be-kind-in-reviews.md)
          not anchored: a universal memory is never anchored
        [exit 0]

        $ cerberus memory add "Hash passwords in COBOL" --scope language:cobol
        added hash-passwords-in-cobol (hash-passwords-in-cobol.md)
          not anchored: code in `cobol` is not indexed
        [exit 0]

        $ cerberus memory add "Hash the password with salt" --id gate --min-quality 1 --json
        {
          "anchor": null,
          "file": "gate.md",
          "id": "gate",
          "unanchored": {
            "canBeAnchored": true,
            "candidates": [
              {
                "endLine": 17,
                "excerpt": "def hash_password(self, password):\n    \"\"\"Hash a password with a fresh salt before the account is stored.\"\"\"\n    salt = secrets.token_bytes(16)\n    digest = hashlib.scrypt(password.encode(), salt=salt, n=16384, r=8, p=1)\n    return salt + digest",
                "file": "shop/accounts.py",
                "kind": "method",
                "language": "python",
                "match": "Q",
                "matchedTerms": [
                  "password",
                  "salt",
                  "hash"
                ],
                "quality": "Q",
                "rank": 1,
                "shownLines": [
                  [
                    13,
                    17
                  ]
                ],
                "size": "Q",
                "startLine": 13,
                "symbol": "AccountStore.hash_password"
              },
              {
                "endLine": 20,
                "excerpt": "class AccountStore:\n    \"\"\"Keeps accounts by their name.\"\"\"\n    # … 4 lines\n    def hash_password(self, password):\n        \"\"\"Hash a password with a fresh salt before the account is stored.\"\"\"\n        # … 6 lines",
                "file": "shop/accounts.py",
                "kind": "class",
                "language": "python",
                "match": "Q",
                "matchedTerms": [
                  "salt",
                  "password",
                  "hash"
                ],
                "quality": "Q",
                "rank": 2,
                "shownLines": [
                  [
                    7,
                    8
                  ],
                  [
                    13,
                    14
                  ]
                ],
                "size": "Q",
                "startLine": 7,
                "symbol": "AccountStore"
              }
            ],
            "confidence": "likely",
            "kind": "code",
            "reason": "the best candidate has a quality of Q, and an anchor needs Q"
          },
          "warnings": []
        }
        [exit 0]
    "#]]);
    assert!(
        !sandbox.exists(".memories/anchors.lock"),
        "nothing was anchored"
    );
}

#[test]
fn a_scope_limits_the_search_for_the_example() {
    let sandbox = Sandbox::bank();
    let added = sandbox.json(&format!("memory add \"{RULE}\" --scope language:go"));
    let file = added["anchor"]["file"].as_str().unwrap_or("none.go");
    assert!(file.ends_with(".go"), "{added}");
}

#[test]
fn an_anchor_may_be_set_by_hand() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory add "Ship by label" --id whole --anchor-to shop/orders.py
        added whole (whole.md)
          example shop/orders.py (chosen by hand)
        [exit 0]

        $ cerberus memory add "Carriers print" --id part --anchor-to ./shop/orders.py::ship
        added part (part.md)
          example shop/orders.py::ship (chosen by hand)
        [exit 0]

        $ cerberus memory add "Reject clients" --id tail --anchor-to api/limit.go::RejectClient --json
        {
          "anchor": {
            "chosen": "manual",
            "file": "api/limit.go",
            "match": "Q",
            "quality": "Q",
            "symbol": "Limiter.RejectClient"
          },
          "file": "tail.md",
          "id": "tail",
          "warnings": []
        }
        [exit 0]

        $ cerberus memory add "By name" --id colons --anchor-to shop/accounts.py::AccountStore::find
        added colons (colons.md)
          example shop/accounts.py::AccountStore.find (chosen by hand)
        [exit 0]
    "#]],
    );
}

#[test]
fn an_unknown_location_is_refused_with_a_suggestion() {
    let sandbox = Sandbox::bank();
    std::fs::write(sandbox.path("../secret.py"), "def secret(): pass\n").expect("a file");
    let refused = [
        ("shop/ordrs.py", "shop/orders.py"),
        ("shop/orders.py::shipp", "ship"),
        ("shop/orders.py::", "FILE::SYMBOL"),
        ("../secret.py", "is outside the project"),
        ("/etc/passwd", "is outside the project"),
        ("shop", "shop"),
    ];
    for (place, message) in refused {
        let outcome = sandbox.run(&format!("memory add \"Refused\" --anchor-to {place}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        assert!(outcome.stderr().contains(message), "{}", outcome.text());
    }
    assert_eq!(
        sandbox.json("memory show")["memories"],
        serde_json::json!([])
    );
}

#[test]
fn an_id_outside_the_bank_is_refused() {
    let sandbox = Sandbox::bank();
    for id in [
        "..",
        "../x",
        "/tmp/x",
        "a//b",
        ".hidden",
        "x.",
        "nul",
        "con.md",
        "a\\b",
        "indices/x",
        "a b",
    ] {
        let outcome = sandbox.run(&format!("memory add Refused --no-anchor --id \"{id}\""));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
    let long = "x".repeat(121);
    assert_eq!(
        sandbox
            .run(&format!("memory add Refused --id {long}"))
            .status(),
        2
    );
    sandbox.session(expect![[r#"
        $ cerberus memory add Refused --id ""
        --- stderr
        cerberus: `` is not a valid memory id: it is empty
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]
    "#]]);
    assert_eq!(
        sandbox.json("memory show")["memories"],
        serde_json::json!([])
    );
}

#[test]
fn an_id_in_use_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add \"The first one\" --id same --no-anchor");
    sandbox.session(expect![[r#"
        $ cerberus memory add "Something else" --id same --no-anchor
        --- stderr
        cerberus: memory `same` already exists in `same.md`
        hint: choose another id, or show it with `cerberus memory show same`
        [exit 2]
    "#]]);
    assert!(sandbox.read(".memories/same.md").contains("The first one"));
}

#[test]
fn an_id_in_the_frontmatter_of_another_file_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.memory("file", "---\nid: claimed\n---\nMine.\n");
    let outcome = sandbox.run("memory add \"Something else\" --id claimed --no-anchor");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
    assert!(sandbox.ok("memory show claimed").contains("Mine."));
}

#[test]
fn a_generated_id_is_unused() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory add "Name things well" --no-anchor
        added name-things-well (name-things-well.md)
        [exit 0]

        $ cerberus memory add "Name things well!" --no-anchor
        added name-things-well-2 (name-things-well-2.md)
        --- stderr
        warning: `name-things-well` is a near-duplicate: Name things well
        [exit 0]

        $ cerberus memory add "日本語" --no-anchor
        added 日本語 (日本語.md)
        [exit 0]
    "#]]);
}

#[test]
fn empty_and_oversize_texts_are_refused() {
    let sandbox = Sandbox::bank();
    sandbox.session(expect![[r#"
        $ cerberus memory add "  "
        --- stderr
        cerberus: the text of the memory is empty
        hint: pass a text, as in `cerberus memory add "Close sessions in a finally block"`
        [exit 2]
    "#]]);
    let long = "word ".repeat(21_000);
    let outcome = sandbox.run(&format!("memory add \"{long}\" --id long --no-anchor"));
    assert_eq!(outcome.status(), 2);
    expect![[r#"
        cerberus: the memory has 103 KB, more than the limit of 100 KB
        hint: split it
    "#]]
    .assert_eq(&outcome.stderr());
    assert!(!sandbox.exists(".memories/long.md"));
}

#[test]
fn control_characters_and_invalid_globs_are_refused() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory add Text --id text --no-anchor");
    let before = sandbox.read(".memories/text.md");
    for (line, place) in [
        (
            "memory add \"a\u{1b}[31mb\" --no-anchor",
            "line 1 of the content contains",
        ),
        (
            "memory add a --category b\u{1b}c --no-anchor",
            "the category `b\\u{1b}c` contains",
        ),
        (
            "memory add a --tag \"b\nc\" --no-anchor",
            "the tag `b\\nc` contains",
        ),
        (
            "memory add a --hint b\u{7}c --no-anchor",
            "the hint `b\\u{7}c` contains",
        ),
        (
            "memory add a --scope language:b\u{1b}c --no-anchor",
            "the scope `language:b\\u{1b}c` has",
        ),
        (
            "memory add a --path b/[ --no-anchor",
            "`b/[` is not a valid path",
        ),
        (
            "memory create a --content b --tag c\u{1b}",
            "the tag `c\\u{1b}` contains",
        ),
        (
            "memory update text --tag c\u{1b}",
            "the tag `c\\u{1b}` contains",
        ),
        (
            "memory update text --hint c\u{1b}",
            "the hint `c\\u{1b}` contains",
        ),
        (
            "memory update text --path ../c",
            "`../c` is not a valid path",
        ),
        (
            "memory anchor text --hint c\u{1b}",
            "the hint `c\\u{1b}` contains",
        ),
        (
            "memory pin add \"a\u{1b}b\"",
            "line 1 of the content contains",
        ),
        (
            "memory pin add a --tag b\u{1b}",
            "the tag `b\\u{1b}` contains",
        ),
        (
            "memory pin add a --meta b=c\u{1b}",
            "the metadata `c\\u{1b}` contains",
        ),
    ] {
        let outcome = sandbox.run(line);
        assert_eq!(outcome.status(), 2, "{line:?}");
        assert!(
            outcome.stderr().contains(place),
            "{line:?}: {}",
            outcome.stderr()
        );
    }
    assert_eq!(sandbox.read(".memories/text.md"), before);
    assert_eq!(
        sandbox.json("memory show")["memories"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
}
