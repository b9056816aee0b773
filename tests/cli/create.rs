//! `memory create`.

use expect_test::expect;

use crate::sandbox::Sandbox;

#[test]
fn a_document_is_written_and_not_anchored() {
    let sandbox = Sandbox::bank();
    sandbox.write(
        "plan.md",
        "\n# Hash the password with a fresh salt\n\n- one\n\n",
    );
    sandbox.session(expect![[r#"
        $ cerberus memory create release/plan --type plan --category ship --tag release --tag "go live" --hint scrypt --file plan.md
        created release/plan (release/plan.md)
        [exit 0]

        $ cerberus memory create note --content "Kept."
        created note (note.md)
        [exit 0]

        $ cerberus memory create file.md --id other-name --scope universal --content Kept --json
        {
          "file": "file.md",
          "id": "other-name",
          "warnings": [
            "`note` is a near-duplicate: Kept."
          ]
        }
        [exit 0]
    "#]]);
    expect![[r#"
        ---
        type: plan
        category: ship
        scope: project:shop
        tags: [release, go live]
        hints: [scrypt]
        created_at: "2026-01-02T03:04:05Z"
        ---

        # Hash the password with a fresh salt

        - one
    "#]]
    .assert_eq(&sandbox.read(".memories/release/plan.md"));
    expect![[r#"
        ---
        id: other-name
        type: journal
        scope: universal
        created_at: "2026-01-02T03:04:05Z"
        ---

        Kept
    "#]]
    .assert_eq(&sandbox.read(".memories/file.md"));
    assert!(
        sandbox
            .read(".memories/note.md")
            .contains("type: journal\n")
    );
    assert!(!sandbox.exists(".memories/anchors.lock"));
}

#[test]
fn frontmatter_in_the_content_is_preserved() {
    let sandbox = Sandbox::bank();
    let content =
        "---\r\n# mine\r\nid: own\r\nowner: jo # unknown\r\ntags: [a]\r\n---\r\nText.\r\n";
    let outcome = sandbox.piped("memory create file --type plan --tag b", content);
    expect![[r#"
        $ cerberus memory create file --type plan --tag b
        created own (file.md)
        [exit 0]
    "#]]
    .assert_eq(&outcome.text());
    expect![[r#"
        ---␍
        # mine␍
        id: own␍
        type: plan␍
        scope: project:shop␍
        owner: jo # unknown␍
        tags: [b]␍
        created_at: "2026-01-02T03:04:05Z"␍
        ---␍
        Text.␍
    "#]]
    .assert_eq(&sandbox.read(".memories/file.md").replace('\r', "␍"));
}

#[test]
fn an_invalid_document_is_refused() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory create there --content x");
    sandbox.write("bell.txt", "one\ntwo \x07\n");
    sandbox.write("latin.txt", b"Caf\xE9\n");
    sandbox.write("large.txt", "word ".repeat(21_000));
    sandbox.write("full.txt", "word ".repeat(20_475));
    sandbox.write("half.txt", "word ".repeat(12_000));
    sandbox.write("yaml.txt", "---\ntags: [a\n---\nText\n");
    sandbox.write("bare.txt", "---\ntags: [a]\n---\n");
    sandbox.session(expect![[r#"
        $ cerberus memory create there --content y
        --- stderr
        cerberus: memory `there` already exists in `there.md`
        hint: choose another id, or show it with `cerberus memory show there`
        [exit 2]

        $ cerberus memory create new --id there --content y
        --- stderr
        cerberus: memory `there` already exists in `there.md`
        hint: choose another id, or show it with `cerberus memory show there`
        [exit 2]

        $ cerberus memory create ../out --content y
        --- stderr
        cerberus: `../out` is not a valid memory id: no part of it may be empty or start or end with a dot
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]

        $ cerberus memory create indices/x --content y
        --- stderr
        cerberus: `indices/x` is not a valid memory id: `indices` is reserved
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]

        $ cerberus memory create new --id "a b" --content y
        --- stderr
        cerberus: `a b` is not a valid memory id: ` ` is not allowed in it
        hint: use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`
        [exit 2]

        $ cerberus memory create new --content " "
        --- stderr
        cerberus: the content is empty
        hint: pass it with `--content TEXT`, `--file FILE` or standard input
        [exit 2]

        $ cerberus memory create new
        --- stderr
        cerberus: the content is empty
        hint: pass it with `--content TEXT`, `--file FILE` or standard input
        [exit 2]

        $ cerberus memory create new --content x --file bell.txt
        --- stderr
        cerberus: the argument `--content <TEXT>` cannot be used with `--from <FILE>`
        hint: see cerberus memory create --help
        [exit 2]

        $ cerberus memory create new --file bell.txt
        --- stderr
        cerberus: line 2 of the content contains the control character `\u{7}`
        hint: remove it: a memory is plain text
        [exit 2]

        $ cerberus memory create new --file latin.txt
        --- stderr
        cerberus: `latin.txt` is not valid UTF-8
        hint: save it as UTF-8 first
        [exit 2]

        $ cerberus memory create new --file large.txt
        --- stderr
        cerberus: `large.txt` is larger than 100 KB
        hint: split it into several parts
        [exit 2]

        $ cerberus memory create new --file full.txt
        --- stderr
        cerberus: the memory has 101 KB, more than the limit of 100 KB
        hint: split it
        [exit 2]

        $ cerberus memory create new --file yaml.txt
        --- stderr
        cerberus: the content:2: failed to read the frontmatter: unclosed bracket '['
        hint: write it as lines of `key: value`
        [exit 2]

        $ cerberus memory create new --file bare.txt
        --- stderr
        cerberus: the content has frontmatter but no text
        hint: write the text below the second line `---`
        [exit 2]

        $ cerberus memory create new --file nowhere.txt
        --- stderr
        cerberus: failed to read `nowhere.txt`: No such file or directory (os error 2)
        hint: pass the path of a readable file, or `-`
        [exit 2]

        $ cerberus memory create new --file web
        --- stderr
        cerberus: failed to read `web`: it is a folder
        hint: pass the path of a file in it, or `-`
        [exit 2]

        $ cerberus memory create half --file half.txt
        created half (half.md)
        --- stderr
        warning: `half.md` has 58 KB; the limit is 100 KB
        [exit 0]

        $ cerberus memory create twin --content x
        created twin (twin.md)
        --- stderr
        warning: `there` is a near-duplicate: x
        [exit 0]
    "#]]);
    assert!(!sandbox.exists(".memories/new.md"));
}

#[test]
fn the_content_may_come_from_stdin() {
    let sandbox = Sandbox::bank();
    for (name, line) in [("a", ""), ("b", " --file -"), ("c", " --content -")] {
        let outcome = sandbox.piped(&format!("memory create {name}{line}"), "\u{FEFF}piped\n");
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        assert!(
            sandbox
                .read(&format!(".memories/{name}.md"))
                .ends_with("---\n\npiped\n")
        );
    }
    let outcome = sandbox.piped("memory create dash", "--- not frontmatter\n");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    sandbox.ok("memory create minus --content --flag");
}
