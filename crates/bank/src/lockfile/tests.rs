//! Tests of the lock file.

use cerberus_engine::syntax::ParsedFile;
use cerberus_engine::syntax::fingerprint::FileFeatures;
use cerberus_model::LookAlikes;

use super::*;

#[test]
fn an_anchor_has_at_most_700_bytes() {
    // More names, comments and siblings than a fingerprint stores.
    let word = |prefix: &str, n: u32| format!("{prefix}{}", n.wrapping_mul(0x9E37_79B9));
    let body: String = (0..200)
        .map(|n| format!("    {} = 1\n", word("a", n)))
        .collect();
    let comment: String = (0..40)
        .map(|n| format!("# {}\n", word("word", n)))
        .collect();
    let others: String = (0..40)
        .map(|n| format!("def {}(): pass\n", word("b", n)))
        .collect();
    let text = format!("{comment}def f():\n{body}{others}");
    let source = ParsedFile::parse(Language::Python, &text);
    let anchor = Anchor {
        file: "django/contrib/contenttypes/management/commands/stale.py".to_owned(),
        symbol: Some("NoFastDeleteCollector.can_fast_delete_all".to_owned()),
        kind: SymbolKind::Function,
        language: Some(Language::TypeScript),
        origin: Origin::Manual,
        quality: 0.9876,
        match_score: 0.9876,
        commit: Some("0123456789ab".to_owned()),
        fingerprint: FileFeatures::new(&text, &source).fingerprint(0),
        others: Vec::new(),
        chosen: None,
        look_alikes: Some(LookAlikes::new((0..99).map(|n| n * 0x5_4321))),
    };
    let anchors = Anchors::from([("close-session-at-the-end".to_owned(), anchor)]);
    let text = render(&anchors);
    let entry = &text[text.find("[[anchor]]").expect("an entry")..];
    assert!(
        (640..=700).contains(&entry.len()),
        "{}: {entry}",
        entry.len()
    );
    assert_eq!(parse(&text).expect("the rendered text"), anchors);
}

#[test]
fn other_examples_round_trip() {
    let two = include_str!("../../../../tests/fuzz/seeds/lock/two");
    let mut anchors = parse(two).expect("valid");
    let anchor = anchors.values_mut().next().expect("an anchor");
    for (role, code) in [
        (ExampleRole::Also, None),
        (ExampleRole::Not, Some("f(\n\t\"x\\n\"\n)")),
    ] {
        anchor.others.push(OtherExample {
            role,
            anchor: Anchor {
                file: "src/a.py".to_owned(),
                symbol: Some("A.f".to_owned()),
                kind: anchor.kind,
                language: anchor.language,
                origin: Origin::Manual,
                quality: 1.0,
                match_score: 1.0,
                commit: anchor.commit.clone(),
                fingerprint: anchor.fingerprint.clone(),
                ..Anchor::default()
            },
            code: code.map(str::to_owned),
        });
    }
    let text = render(&anchors);
    assert!(text.contains("[[anchor.example]]"), "{text}");
    let code = text
        .lines()
        .filter(|line| line.starts_with("code = "))
        .count();
    assert_eq!(code, 1, "{text}");
    assert_eq!(parse(&text).expect("the rendered text"), anchors);
    assert!(check_lines(&text).is_ok());
}

#[test]
fn only_an_anchor_with_namesakes_raises_the_version() {
    let two = include_str!("../../../../tests/fuzz/seeds/lock/two");
    let mut anchors = parse(two).expect("a lock file");
    assert!(render(&anchors).contains("version = 3\n"));
    let anchor = anchors.values_mut().next().expect("an anchor");
    anchor.symbol = Some("Mailer.send#2".to_owned());
    anchor.fingerprint.namesakes = vec![[1, 0x00ff_ffff]];
    let text = render(&anchors);
    assert!(text.contains("version = 4\n") && text.contains("\nnamesakes = \"AAAB////\"\n"));
    assert_eq!(parse(&text).expect("the rendered text"), anchors);
    // A merge by lines may have combined the field with the old version.
    let merged = text.replace("version = 4", "version = 3");
    assert_eq!(parse(&merged).expect("a merged text"), anchors);
    for damaged in ["AAAB", "AAAB///", "AAAB////"] {
        let text = text.replace("AAAB////", &damaged.repeat(17));
        let error = parse(&text).expect_err("damaged").to_string();
        assert!(
            error.contains("`namesakes` is not at most 16 pairs of hashes"),
            "{error}"
        );
    }
}

#[test]
fn the_agent_that_chose_an_anchor_round_trips() {
    let two = include_str!("../../../../tests/fuzz/seeds/lock/two");
    let mut anchors = parse(two).expect("valid");
    let anchor = anchors.values_mut().next().expect("an anchor");
    let at = Timestamp::from_second(1_767_000_000).expect("a time");
    anchor.chosen = Some(AgentChoice::new(" Claude\u{1b} Code", at));
    anchor.origin = Origin::Agent;
    let text = render(&anchors);
    let lines = "origin = \"agent\"\nquality = 0.9764\nmatch = 0.9764\nby = \"Claude Code\"\nat = \"2025-12-29T09:20:00Z\"\n";
    assert!(text.contains(lines), "{text}");
    assert!(check_lines(&text).is_ok());
    assert_eq!(parse(&text).expect("the rendered text"), anchors);
    for (old, new) in [
        ("by = \"Claude Code\"\n", ""),
        ("Claude Code", ""),
        ("Claude Code", "Claude\\nCode"),
        ("Claude Code", &"x".repeat(65)),
        ("at = \"2025-12-29T09:20:00Z\"\n", ""),
        ("2025-12-29T09:20:00Z", "yesterday"),
        ("origin = \"agent\"", "origin = \"manual\""),
    ] {
        let other = text.replace(old, new);
        assert!(other != text && parse(&other).is_err(), "{old} {new}");
    }
}

#[test]
fn several_writes_of_one_run_are_undone_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let bank = Bank::new(folder.path().join(".memories"));
    bank.create().expect("a bank");
    let _guard = bank.lock_for_writing().expect("a lock");
    let two = parse(include_str!("../../../../tests/fuzz/seeds/lock/two")).expect("valid");
    let states: Vec<Anchors> = (0..=2)
        .map(|n| two.clone().into_iter().take(n).collect())
        .collect();
    let write = |n: usize, continues: bool| {
        bank.write_anchors_undoably(&states[n], continues)
            .expect("written")
    };
    assert!(write(1, false) && write(2, true) && !write(2, true));
    assert_eq!(bank.undo_anchors().expect("undone"), 2);
    assert_eq!(bank.anchors().expect("read"), states[0]);
    // What another process wrote in between is not undone.
    write(2, false);
    bank.write_anchors(&states[0]).expect("written");
    write(1, true);
    assert_eq!(bank.undo_anchors().expect("undone"), 1);
    assert_eq!(bank.anchors().expect("read"), states[0]);
}

#[test]
fn a_large_file_with_nested_keys_is_refused_before_it_is_parsed() {
    let refused = |line: &str, why: &str| {
        let text = format!(
            "version = 3\n{}",
            line.repeat(CHECKED_BYTES / line.len() + 1)
        );
        let error = parse(&text).expect_err("nested keys").to_string();
        assert_eq!(
            error,
            format!("failed to read `anchors.lock{why}"),
            "{line}"
        );
    };
    let expected = ":2`: expected `[[anchor]]` or a key with a text or a number";
    for line in [
        "a.b.c.d = 1\n",
        "[a.b.c.d]\n",
        "[[a]]\n",
        "a = [[[[\n",
        "a = {b={\n",
    ] {
        refused(line, expected);
    }
    refused("\n", "`: it has more than 700000 lines");
    let comment = format!("# {}\n", "x".repeat(CHECKED_BYTES));
    assert_eq!(
        parse(&format!("{comment}version = 3\n")).expect("no anchor"),
        Anchors::new()
    );
}

#[test]
fn another_version_and_unknown_keys_are_refused() {
    let two = include_str!("../../../../tests/fuzz/seeds/lock/two");
    for (old, new, why) in [
        (
            "version = 3",
            "version = 2",
            "it has version 2, but this cerberus supports 3 and 4",
        ),
        (
            "version = 3",
            "version = 5",
            "it has version 5, but this cerberus supports 3 and 4",
        ),
        ("\norigin = ", "\nchosen = ", "unknown field `chosen`"),
        ("\nminhash = ", "\nsketches = ", "unknown field `sketches`"),
    ] {
        assert!(two.contains(old), "{old}");
        let error = parse(&two.replace(old, new))
            .expect_err("refused")
            .to_string();
        assert!(error.contains(why), "{error}");
    }
}
