//! `memory export` and `memory import --from-export`.

use std::collections::BTreeMap;

use expect_test::expect;

use crate::sandbox::Sandbox;

/// Returns the bytes of each file of the bank, without the store.
fn files(sandbox: &Sandbox) -> BTreeMap<String, Vec<u8>> {
    let mut folders = vec![sandbox.path(".memories")];
    let mut found = BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(sandbox.path(".memories")).expect("below it");
            let name = name.to_str().expect("a text").to_owned();
            if path.is_dir() {
                if name != "indices" && name != ".trash" {
                    folders.push(path);
                }
            } else {
                found.insert(name, std::fs::read(path).expect("readable"));
            }
        }
    }
    found
}

fn odd_bank() -> Sandbox {
    let sandbox = Sandbox::anchored();
    sandbox.memory("crlf", "---\r\ntype: fact\r\n---\r\nText\r\n");
    sandbox.memory("bom", "\u{FEFF}Marked, without an end");
    sandbox.memory("latin", b"Caf\xE9\n");
    sandbox.memory("wide", b"\xFF\xFEh\0i\0");
    sandbox.memory("empty", "");
    sandbox.memory(
        "deep/er/my notes~2",
        "In a folder \u{2028} \u{0} \u{1b}[31m \"quoted\" \\ 日本\n\n",
    );
    sandbox.memory("large", "word ".repeat(20_000));
    sandbox.write(".memories/pins.toml", "# pins\r\nversion = 1\r\n");
    sandbox
}

#[test]
fn export_and_import_restore_every_byte() {
    let (from, to) = (odd_bank(), Sandbox::bank());
    let export = from.ok("memory export");
    assert_eq!(from.ok("memory export"), export, "the same bank gives the same lines");
    let outcome = to.piped("memory import --from-export -", &export);
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert_eq!(files(&to), files(&from));
    assert_eq!(to.ok("memory export"), export);
    let again = to.json_of(to.piped("memory import --from-export - --json", &export));
    assert_eq!(
        (&again["imported"], &again["unchanged"]),
        (&serde_json::json!([]), &(export.lines().count() - 1).into())
    );
}

#[test]
fn an_export_is_a_header_and_one_line_per_file() {
    let sandbox = Sandbox::bank();
    sandbox.memory("a", "Text.\n");
    sandbox.memory("latin", b"Caf\xE9\n");
    sandbox.session(expect![[r#"
        $ cerberus memory export
        {
          "files": 2,
          "format": "cerberus-export",
          "version": 2
        }
        {
          "file": "a.md",
          "hash": "1c5dd447052abb0846d32e7f6435c4ae",
          "text": "Text.\n"
        }
        {
          "base64": "Q2Fm6Qo=",
          "file": "latin.md",
          "hash": "02e8a587a2418a8cfabbc5deaf5591bb"
        }
        [exit 0]

        $ cerberus memory export --output out.jsonl
        exported 2 memories to out.jsonl
        [exit 0]

        $ cerberus memory export --output out.jsonl --json
        {
          "memories": 2,
          "output": "out.jsonl",
          "warnings": []
        }
        [exit 0]

        $ cerberus memory export --output no/where.jsonl
        --- stderr
        cerberus: folder `no` not found
        hint: create it with `mkdir -p no`
        [exit 2]

        $ cerberus memory import --from-export out.jsonl
        2 files unchanged
        [exit 0]
    "#]]);
    assert_eq!(sandbox.read("out.jsonl"), sandbox.ok("memory export"));
}

#[test]
fn a_conflicting_import_is_refused_without_overwrite() {
    let (from, to) = (Sandbox::anchored(), Sandbox::anchored());
    from.ok("memory update escape-html --content \"Another text\"");
    from.ok("memory create extra --content Extra.");
    from.ok("memory export --output out.jsonl");
    to.memory("named", "---\nid: extra\n---\nMine.\n");
    to.write("out.jsonl", from.read("out.jsonl"));
    let before = files(&to);
    to.session(expect![[r#"
        $ cerberus memory import --from-export out.jsonl
        --- stderr
        cerberus: the bank differs from the export in escape-html.md, extra.md
        hint: replace them with `--overwrite`, which moves the bank's memories to the trash
        [exit 2]
    "#]]);
    assert_eq!(files(&to), before);
    to.session(expect![[r#"
        $ cerberus memory import --from-export out.jsonl --overwrite
        overwritten escape-html.md
        overwritten extra.md
        5 files unchanged
        [exit 0]

        $ cerberus memory import --from-export out.jsonl --overwrite --json
        {
          "imported": [],
          "overwritten": [],
          "unchanged": 7,
          "warnings": []
        }
        [exit 0]
    "#]]);
    assert_eq!(files(&to), files(&from));
    to.session(expect![[r#"
        $ cerberus memory restore named
        --- stderr
        cerberus: memory `extra` already exists in `extra.md`
        hint: choose another id, or show it with `cerberus memory show extra`
        [exit 2]
    "#]]);
    assert_eq!(to.run("memory reanchor --check").status(), 0);
}

#[test]
fn import_leaves_other_anchors_unchanged() {
    let (from, to) = (Sandbox::bank(), Sandbox::bank());
    let rule = "memory add \"Escape HTML entities in text before it is rendered as markup\"";
    from.ok(&format!("{rule} --id theirs"));
    to.ok(&format!("{rule} --id mine"));
    let outcome = to.piped("memory import --from-export -", from.ok("memory export"));
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert_eq!(to.json("memory stats")["anchored"], 2);
    assert_eq!(to.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn an_altered_export_is_refused() {
    let (from, to) = (Sandbox::anchored(), Sandbox::bank());
    from.ok("memory pin add \"Use UTC\" --id utc");
    let export = from.ok("memory export");
    let before = files(&to);
    for (old, new) in [
        ("Escape HTML", "Escape XML"),
        ("\"file\":\"escape-html.md\"", "\"file\":\"escape-xml.md\""),
        ("origin = \\\"auto", "origin = \\\"manual"),
        ("Use UTC", "Use GMT"),
        ("\"hash\":\"", "\"hash\":\"0"),
        ("\"hash\":", "\"text\":"),
    ] {
        let altered = export.replacen(old, new, 1);
        assert_ne!(altered, export, "{old}");
        let outcome = to.piped("memory import --from-export - --overwrite", altered);
        assert_eq!(outcome.status(), 2, "{old}: {}", outcome.text());
        assert_eq!(files(&to), before, "{old}");
    }
    let without_hash = to.piped(
        "memory import --from-export -",
        "{\"format\":\"cerberus-export\",\"version\":2,\"files\":1}\n{\"file\":\"a.md\",\"text\":\"x\"}\n",
    );
    assert!(without_hash.stderr().contains("line 2 of the export: a line must have a `hash`"));
    let version_1 = to.piped(
        "memory import --from-export -",
        "{\"format\":\"cerberus-export\",\"version\":1,\"files\":1}\n{\"file\":\"a.md\",\"text\":\"x\"}\n",
    );
    assert_eq!((version_1.status(), to.read(".memories/a.md").as_str()), (0, "x"));
}

#[test]
fn files_that_cannot_be_imported_are_reported_by_the_export() {
    let sandbox = Sandbox::bank();
    sandbox.memory("large", "word ".repeat(30_000));
    sandbox.write(".memories/pins.toml", "garbage");
    let outcome = sandbox.run("memory export --output out.jsonl");
    assert_eq!(outcome.status(), 0);
    let warnings = outcome.stderr();
    assert!(
        warnings.contains(
            "`large.md` has 147 KB, more than the limit of 100 KB; it cannot be imported"
        ),
        "{warnings}"
    );
    assert!(warnings.contains("pins.toml:1`"), "{warnings}");
}

#[cfg(unix)]
#[test]
fn an_export_is_not_written_through_a_link_out_of_the_project() {
    let sandbox = Sandbox::bank();
    std::fs::create_dir(sandbox.path("../out")).expect("a new folder");
    std::os::unix::fs::symlink("../out", sandbox.path("link")).expect("a link");
    for path in ["link/a.jsonl", "link/../link/a.jsonl"] {
        let outcome = sandbox.run(&format!("memory export --output {path}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        let outcome = sandbox.run(&format!("report {path}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
    assert_eq!(std::fs::read_dir(sandbox.path("../out")).expect("a folder").count(), 0);
    sandbox.ok("memory export --output ../out/a.jsonl");
    assert!(sandbox.exists("../out/a.jsonl"));
}

#[test]
fn an_invalid_export_is_refused_as_a_whole() {
    let sandbox = Sandbox::bank();
    let before = files(&sandbox);
    let header =
        |n: usize| format!("{{\"format\":\"cerberus-export\",\"version\":1,\"files\":{n}}}\n");
    let good = "{\"file\":\"good.md\",\"text\":\"Good.\"}\n";
    let mut printed = String::new();
    for (n, second) in [
        (2, "{\"file\":\"../x.md\",\"text\":\"\"}"),
        (2, "{\"file\":\"/tmp/x.md\",\"text\":\"\"}"),
        (2, "{\"file\":\"a\\nb.md\",\"text\":\"\"}"),
        (2, "{\"file\":\"con.md\",\"text\":\"\"}"),
        (2, "{\"file\":\".gitignore\",\"text\":\"\"}"),
        (2, "{\"file\":\"indices/x.md\",\"text\":\"\"}"),
        (2, "{\"file\":\"good.md\",\"text\":\"\"}"),
        (2, "{\"file\":\"good.md/x.md\",\"text\":\"\"}"),
        (2, "{\"file\":\"x.md\"}"),
        (2, "{\"file\":\"x.md\",\"base64\":\"?\"}"),
        (2, "{\"file\":\"x.md\",\"txt\":\"\"}"),
        (2, "{\"file\":\"anchors.lock\",\"text\":\"version = 9\"}"),
        (2, "{\"file\":\"pins.toml\",\"text\":\"garbage\"}"),
        (2, "{\"file\":\"pins.toml\",\"text\":\"version = 9\"}"),
        (2, "{\"file\":\"anchors.lock\",\"base64\":\"/w==\"}"),
        (2, &format!("{{\"file\":\"x.md\",\"text\":\"{}\"}}", "word ".repeat(30_000))),
        (2, "{\"file\":\"x.md\",\"text\":\"\",\"hash\":\"0\"}"),
        (3, "{\"file\":\"x.md\",\"text\":\"\"}"),
        (2, "no JSON"),
    ] {
        let export = format!("{}{good}{second}\n", header(n));
        let outcome = sandbox.piped("memory import --from-export -", export);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        printed += &outcome.stderr();
    }
    for export in [
        "",
        "{}",
        "{\"format\":\"x\",\"version\":1,\"files\":0}",
        "{\"format\":\"cerberus-export\",\"version\":3,\"files\":0}",
    ] {
        let outcome = sandbox.piped("memory import --from-export -", export);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        printed += &outcome.stderr();
    }
    expect![[r#"
        cerberus: line 3 of the export: `../x.md` is not a valid memory file: a part of it is empty, too long or starts with a dot
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `/tmp/x.md` is not a valid memory file: a part of it is empty, too long or starts with a dot
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `a\nb.md` is not a valid memory file: `\n` is not allowed in it
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `con.md` is not a valid memory file: `con.md` is reserved
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `.gitignore` is not a valid memory file: it does not end in `.md`
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `indices/x.md` is not a valid memory file: `indices` is reserved
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `good.md` is defined twice
        hint: create it again with `cerberus memory export`
        cerberus: `good.md` is both a file and a folder in the export
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: a line must have either `text` or `base64`
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `base64` is not valid: Invalid symbol 63, offset 0
        hint: create it again with `cerberus memory export`
        cerberus: failed to read standard input, line 3, column 20: unknown field `txt`, expected one of `file`, `hash`, `text`, `base64`
        hint: create an export with `cerberus memory export`
        cerberus: line 3 of the export: failed to read `anchors.lock`: it has version 9, but this cerberus supports 3
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `pins.toml:1`: key with no value, expected `=`
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `pins.toml` has version 9, but this cerberus supports 1
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: failed to read `anchors.lock`: it is not valid UTF-8
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `x.md` has 147 KB, more than the limit of 100 KB
        hint: create it again with `cerberus memory export`
        cerberus: line 3 of the export: `x.md` was altered after the export
        hint: create it again with `cerberus memory export`
        cerberus: the export is truncated: it has 2 of 3 files
        hint: copy it again, or create another with `cerberus memory export`
        cerberus: failed to read standard input, line 3, column 2: expected ident
        hint: create an export with `cerberus memory export`
        cerberus: failed to read standard input, line 1, column 0: EOF while parsing a value
        hint: create an export with `cerberus memory export`
        cerberus: failed to read standard input, line 1, column 2: missing field `format`
        hint: create an export with `cerberus memory export`
        cerberus: the format is `x`, expected `cerberus-export`
        hint: create an export with `cerberus memory export`
        cerberus: failed to read the export: it has version 3, but this cerberus supports 2
        hint: upgrade cerberus
    "#]].assert_eq(&printed);
    assert_eq!(files(&sandbox), before);
}

#[cfg(unix)]
#[test]
fn import_writes_nothing_through_a_symlink() {
    let sandbox = Sandbox::bank();
    std::fs::create_dir(sandbox.path("../outside")).expect("a folder");
    std::fs::write(sandbox.path("../outside/x.md"), "secret").expect("a file");
    std::os::unix::fs::symlink("../../outside", sandbox.path(".memories/folder")).expect("a link");
    std::os::unix::fs::symlink("../../outside/x.md", sandbox.path(".memories/x.md"))
        .expect("a link");
    for file in ["folder/x.md", "x.md"] {
        let export = format!(
            "{{\"format\":\"cerberus-export\",\"version\":1,\"files\":2}}\n{{\"file\":\"a.md\",\"text\":\"\"}}\n{{\"file\":\"{file}\",\"text\":\"new\"}}\n"
        );
        let outcome = sandbox.piped("memory import --from-export - --overwrite", export);
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
        assert!(!sandbox.exists(".memories/a.md"));
    }
    assert_eq!(std::fs::read_to_string(sandbox.path("../outside/x.md")).expect("a file"), "secret");
    assert!(!sandbox.ok("memory export").contains("secret"));
}
