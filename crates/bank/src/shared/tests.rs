//! Pinned banks that are read, selected, replaced, switched off and refused.
#![expect(clippy::disallowed_methods, reason = "tests write the files that they test")]

use std::path::Path;

use super::*;

/// A bank folder with a pinned bank `team` of these texts, and its configuration with more lines.
fn bank(folder: &Path, files: &[(&str, &str)], more: &str) -> Bank {
    let pack = pack(files);
    let cache = folder.join("cache");
    let sha256 = pack.save(&cache).expect("written");
    std::fs::create_dir_all(folder.join("bank")).expect("created");
    let configs = configs(more);
    let pin = PinnedBank {
        name: "team".to_owned(),
        source: "https://example.org/rules.git".to_owned(),
        revision: configs[0].revision().to_string(),
        folder: ".memories".to_owned(),
        commit: "0123456789012345678901234567890123456789".to_owned(),
        sha256,
        files: pack.files.len(),
        bytes: pack.n_bytes(),
    };
    let bank = Bank::new(folder.join("bank")).with_shared(configs, cache);
    bank.write_pinned_banks(&[pin]).expect("written");
    bank
}

fn pack(files: &[(&str, &str)]) -> Pack {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    Pack::new(files.collect()).expect("a bank")
}

fn configs(more: &str) -> Vec<BankConfig> {
    #[derive(serde::Deserialize)]
    struct File {
        banks: Vec<BankConfig>,
    }
    let text =
        format!("[[banks]]\nname = \"team\"\ngit = \"https://example.org/rules.git\"\n{more}");
    toml::from_str::<File>(&text).expect("valid").banks
}

fn ids(bank: &Bank) -> Vec<String> {
    bank.shared().memories().map(|stored| stored.memory.id.clone()).collect()
}

const RULES: &[(&str, &str)] = &[
    ("db/close.md", "---\ntype: rule\ntags: [db, core]\nscope: language:python\n---\n\nClose it\n"),
    ("hash.md", "---\nid: hash-it\ntype: rule\ntags: [security]\n---\n\nHash it\n"),
    ("notes.md", "Some notes\n"),
];

#[test]
fn memories_are_selected_by_id_tag_type_and_scope() {
    for (more, expected) in [
        ("", vec!["db/close", "hash-it", "notes"]),
        ("include = { type = [\"rule\"] }", vec!["db/close", "hash-it"]),
        (
            "include = { tag = [\"security\"], scope = [\"language:*\"] }",
            vec!["db/close", "hash-it"],
        ),
        ("exclude = { id = [\"db/*\"] }", vec!["hash-it", "notes"]),
        ("include = { type = [\"rule\"] }\nexclude = { tag = [\"core\"] }", vec!["hash-it"]),
        ("include = { id = [\"nothing\"] }", vec![]),
    ] {
        let folder = tempfile::tempdir().expect("a temp folder");
        assert_eq!(ids(&bank(folder.path(), RULES, more)), expected, "{more}");
    }
}

#[test]
fn a_memory_is_switched_off_with_its_reason() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let off =
        "off = [{ id = \"hash-it\", reason = \"no passwords\" }, { id = \"x\", reason = \"y\" }]";
    let bank = bank(folder.path(), RULES, off);
    assert_eq!(ids(&bank), ["db/close", "notes"]);
    let shared = bank.shared();
    assert_eq!(
        (shared.off[0].id.as_str(), shared.off[0].reason.as_str()),
        ("hash-it", "no passwords")
    );
    assert!(shared.warnings[0].contains("names `x`, which it does not have"), "{shared:?}");
}

#[test]
fn a_memory_of_the_project_replaces_a_shared_one() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let bank = bank(folder.path(), RULES, "");
    bank.create_text("hash-it", "Ours\n").expect("written");
    let read = bank.read_all().expect("readable");
    let files: Vec<&str> = read.all.iter().map(|stored| stored.file.as_str()).collect();
    assert_eq!(files, ["hash-it.md", "bank://team/db/close.md", "bank://team/notes.md"]);
    assert_eq!(read.duplicates[0].file, "bank://team/hash.md");
    assert!(read.warnings.is_empty() && !read.is_partial, "{:?}", read.warnings);
}

#[test]
fn shared_memories_are_never_written() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let bank = bank(folder.path(), RULES, "");
    let file = "bank://team/notes.md";
    let stored = bank.read(file).expect("readable");
    assert_eq!(stored.memory.body, "Some notes\n");
    assert_eq!(bank.bytes(file).expect("readable").as_deref(), Some(b"Some notes\n".as_slice()));
    let delete = bank.delete(&[(file, Default::default())], &Default::default());
    let errors = [
        bank.check_own(&stored).expect_err("refused"),
        bank.rewrite(file, "new").expect_err("refused"),
        delete.expect_err("refused"),
    ];
    for error in errors {
        let error = format!("{error:#}");
        assert!(error.contains("from the shared bank `team`"), "{error}");
    }
    assert!(!folder.path().join("bank/bank:").exists());
}

#[test]
fn a_missing_changed_or_unpinned_bank_is_a_failure_with_the_command() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let bank = bank(folder.path(), RULES, "");
    let failure = |bank: &Bank| {
        let failures: Vec<String> =
            bank.shared().failures.iter().map(ToString::to_string).collect();
        failures.join("; ")
    };
    let again = |more: &str| {
        Bank::new(bank.folder().to_owned()).with_shared(configs(more), folder.path().join("cache"))
    };
    assert_eq!(failure(&again("")), "");
    assert!(failure(&again("branch = \"main\"")).contains("cerberus memory bank update team"));
    let hash = bank.pinned_banks().expect("readable")[0].sha256.clone();
    let cached = folder.path().join(format!("cache/{hash}.bank"));
    let text = std::fs::read(&cached).expect("readable");
    let changed = String::from_utf8_lossy(&text).replace("Hash it", "Trash it");
    std::fs::write(&cached, changed).expect("written");
    assert!(failure(&again("")).contains("do not have the hash"), "{}", failure(&again("")));
    std::fs::remove_file(&cached).expect("removed");
    let missing = again("");
    assert!(failure(&missing).contains("cerberus memory bank fetch"));
    let read = missing.read_all().expect("readable");
    assert!(read.is_partial, "the anchors of its memories are not removed");
    let error = missing.check_shared().expect_err("missing");
    assert_eq!(format!("{error:#}"), "the shared bank `team` is not in the cache");
    std::fs::remove_file(bank.folder().join(lock::FILE)).expect("removed");
    assert!(failure(&again("")).contains("is not pinned"));
}

#[test]
fn damaged_pins_have_a_line_and_a_way_out() {
    for (text, why) in [
        ("version = 1\n[[bank]]\nname = 3\n", "banks.lock:3"),
        ("version = 9\n", "version 9 is newer"),
        ("<<<<<<< ours\n", "banks.lock:1"),
    ] {
        let error = lock::decode(text.as_bytes()).expect_err(text);
        let error = error.downcast_ref::<UserError>().expect("a user error");
        assert!(error.message.contains(why), "{}", error.message);
        assert!(error.hints[0].contains("git checkout"), "{:?}", error.hints);
    }
}

#[test]
fn a_bank_has_limits_and_safe_paths() {
    let of = |files: Vec<(String, Vec<u8>)>| Pack::new(files).expect_err("refused");
    let one = |path: &str, text: &[u8]| vec![(path.to_owned(), text.to_vec())];
    assert!(of(Vec::new()).contains("no memory"));
    assert!(of(one("../a.md", b"x")).contains("not a valid memory file"));
    assert!(of(one("a\u{1b}.md", b"x")).contains("not a valid memory file"));
    assert!(of(one("a.md", b"\xFF")).contains("not valid UTF-8"));
    assert!(of(one("a.md", &vec![b'x'; 200 * 1024])).contains("larger than 100 KB"));
    let many = (0..=pack::MAX_FILES).map(|n| (format!("{n}.md"), b"x".to_vec())).collect();
    assert!(of(many).contains("the limit is 2000"));
    let large = (0..90).map(|n| (format!("{n}.md"), vec![b'x'; 100 * 1024])).collect();
    assert!(of(large).contains("the limit is 8192 KB"));
}

#[test]
fn the_hash_depends_on_each_path_and_text_and_not_on_the_order() {
    let hash = pack(&[("a.md", "x"), ("b.md", "y")]).sha256();
    assert_eq!(pack(&[("b.md", "y"), ("a.md", "x")]).sha256(), hash);
    for other in [[("a.md", "y"), ("b.md", "x")], [("a.md", "x"), ("c.md", "y")]] {
        assert_ne!(pack(&other).sha256(), hash);
    }
    // The lengths separate a path from its text.
    assert_ne!(pack(&[("a.md", "xb.mdy")]).sha256(), hash);
}

#[test]
fn faults_of_a_configuration_name_the_bank() {
    for (more, why) in [
        ("path = \"../rules\"", "either `git` or `path`"),
        ("tag = \"v1\"\nbranch = \"main\"", "more than one of"),
        ("rev = \"abc\"", "not the full id of a commit"),
        ("folder = \"../secrets\"", "not a path inside"),
        ("folder = \"\"", "empty value"),
        ("branch = \"a\\u001bb\"", "control characters"),
        ("off = [{ id = \"x\", reason = \" \" }]", "switches `x` off without a reason"),
        ("exclude = { id = [\"a[\"] }", "invalid glob"),
    ] {
        let fault = config::fault(&configs(more)).expect(more);
        assert!(fault.contains(why) && fault.contains("`team`"), "{more}: {fault}");
    }
    let twice = "[[banks]]\nname = \"team\"\npath = \"b\"\n";
    assert!(config::fault(&configs(twice)).expect("twice").contains("defined twice"));
    let mut named = configs("");
    named[0].name = "../x".to_owned();
    assert!(config::fault(&named).expect("a bad name").contains("letters, digits"));
    assert_eq!(config::fault(&configs("branch = \"main\"\nfolder = \".\"")), None);
}
