//! Repositories with unusual files: symbolic links, named pipes, control characters in names,
//! invalid UTF-8, and generated code.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Command;

use crate::sandbox::Sandbox;

/// Returns the file of each candidate for `rule`.
fn found(sandbox: &Sandbox, rule: &str) -> Vec<String> {
    let document = sandbox.json(&format!("memory anchor-test \"{rule}\" --limit 50"));
    let candidates = document["candidates"]
        .as_array()
        .expect("candidates")
        .iter();
    candidates
        .map(|it| it["file"].as_str().expect("a file").to_owned())
        .collect()
}

fn fifo(sandbox: &Sandbox, path: &str) {
    let made = Command::new("mkfifo")
        .arg(sandbox.path(path))
        .status()
        .expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn control_characters_pass_through_a_pipe_unchanged() {
    let sandbox = Sandbox::empty();
    let name = "web/\x1b[31mred\u{202E}.ts";
    sandbox.write(name, "/** Escapes zebra \x1b[2J stripes \u{202E}backwards. */\nexport function zebra(): number {\n  return 1; // \x1b]0;title\x07\n}\n");
    let tested = sandbox.ok("memory anchor-test \"zebra stripes\"");
    assert!(tested.contains(name), "{tested:?}");
    sandbox.ok("memory init");
    // `add` refuses them.
    sandbox.memory("zebra", "zebra \x1b[1m stripes\n");
    sandbox.ok(&format!("memory anchor zebra --to {name}::zebra"));
    let shown = sandbox.ok("memory show zebra");
    for odd in [name, "\x1b]0;title\x07", "zebra \x1b[1m stripes"] {
        assert!(shown.contains(odd), "{shown:?}");
    }
    let document = sandbox.run("memory show zebra --json").stdout();
    assert!(
        !document.contains('\x1b'),
        "JSON escapes control characters: {document:?}"
    );
}

#[test]
fn a_file_name_that_is_not_utf8_is_skipped() {
    let sandbox = Sandbox::shop();
    sandbox.write(
        OsStr::from_bytes(b"web/bad\xFF.ts"),
        "export function walrusTusk() {}\n",
    );
    sandbox.write(OsStr::from_bytes(b".memories/bad\xFF.md"), "Text.\n");
    sandbox.memory("good", "Escape HTML.\n");
    assert_eq!(found(&sandbox, "walrus tusk"), Vec::<String>::new());
    let outcome = sandbox.run("memory anchor-test \"walrus tusk\"");
    let warning = "skipped `web/bad\u{FFFD}.ts`: its name is not UTF-8";
    assert!(outcome.stderr().contains(warning), "{}", outcome.text());
    let outcome = sandbox.run("memory show");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert!(outcome.stdout().starts_with("good\t") && outcome.stderr().contains("UTF-8"));
}

#[test]
fn symlinks_in_the_code_are_not_followed() {
    let sandbox = Sandbox::bank();
    let code = "def zebra_stripes():\n    return 'secret'\n";
    std::fs::create_dir(sandbox.path("../outside")).expect("a folder");
    std::fs::write(sandbox.path("../outside/secret.py"), code).expect("a file");
    symlink("../../outside/secret.py", sandbox.path("shop/file.py")).expect("a link");
    symlink("../outside", sandbox.path("folder")).expect("a link");
    symlink("shop", sandbox.path("inside")).expect("a link");
    symlink(".", sandbox.path("loop")).expect("a link");
    assert_eq!(found(&sandbox, "zebra stripes"), Vec::<String>::new());
    sandbox.write("zebra.py", code);
    assert_eq!(found(&sandbox, "zebra stripes"), ["zebra.py"]);
    for place in [
        "shop/file.py",
        "folder/secret.py",
        "folder/secret.py::zebra_stripes",
    ] {
        let outcome = sandbox.run(&format!("memory add Zebra --anchor-to {place}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
}

#[test]
fn an_example_replaced_by_a_symlink_is_gone() {
    let sandbox = Sandbox::anchored();
    let text = sandbox.read("web/html.ts");
    std::fs::write(sandbox.path("../html.ts"), text).expect("a file");
    sandbox.remove("web/html.ts");
    symlink("../../html.ts", sandbox.path("web/html.ts")).expect("a link");
    assert_eq!(
        sandbox.json("memory show escape-html")["memories"][0]["anchor"]["state"],
        "gone"
    );
    assert_eq!(sandbox.run("memory reanchor --check").status(), 1);
}

#[test]
fn symlinks_in_the_bank_are_not_followed() {
    let sandbox = Sandbox::bank();
    std::fs::create_dir(sandbox.path("../outside")).expect("a folder");
    std::fs::write(sandbox.path("../outside/secret.md"), "secret\n").expect("a file");
    symlink("../../outside/secret.md", sandbox.path(".memories/file.md")).expect("a link");
    symlink("../../outside", sandbox.path(".memories/folder")).expect("a link");
    sandbox.memory("own", "Not outside.\n");
    let outcome = sandbox.run("memory show --json");
    assert_eq!(outcome.status(), 0, "{}", outcome.text());
    assert!(
        outcome.stdout().contains("Not outside."),
        "{}",
        outcome.text()
    );
    assert!(!outcome.stdout().contains("secret"), "{}", outcome.text());
}

#[test]
fn nothing_is_written_through_a_symlink_in_the_bank() {
    let sandbox = Sandbox::bank();
    std::fs::create_dir(sandbox.path("../outside")).expect("a folder");
    symlink("../../outside", sandbox.path(".memories/folder")).expect("a link");
    symlink("../../outside/new.md", sandbox.path(".memories/file.md")).expect("a link");
    for id in ["folder/new", "file"] {
        let outcome = sandbox.run(&format!("memory add Written --no-anchor --id {id}"));
        assert_eq!(outcome.status(), 2, "{}", outcome.text());
    }
    let outside = std::fs::read_dir(sandbox.path("../outside"))
        .expect("a folder")
        .count();
    assert_eq!(outside, 0);
}

#[test]
fn generated_and_binary_files_are_not_examples() {
    let sandbox = Sandbox::empty();
    let zebra = "def zebra_stripes():\n    return 1\n";
    let huge = format!("{zebra}{}", "# padding padding padding\n".repeat(50_000));
    let minified = format!("function zebraStripes(){{{}}}", "zebra();".repeat(2_000));
    let generated = concat!(
        "// Code generated by protoc. DO NOT",
        " EDIT.\npackage a\n\nfunc ZebraStripes() {}\n"
    );
    sandbox.write("binary.py", format!("{zebra}\0\0\0"));
    sandbox.write("huge.py", huge);
    sandbox.write("bundle.js", minified);
    sandbox.write("zebra.pb.go", generated);
    sandbox.write("zebra.txt", zebra);
    assert_eq!(found(&sandbox, "zebra stripes"), Vec::<String>::new());
    sandbox.write("real.py", zebra);
    assert_eq!(found(&sandbox, "zebra stripes"), ["real.py"]);
}

#[test]
fn code_in_other_encodings_is_found_and_followed() {
    let sandbox = Sandbox::bank();
    let utf16 = |text: &str| {
        [0xFEFF_u16]
            .into_iter()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect()
    };
    let files: [(&str, &str, Vec<u8>); 4] = [
        (
            "crlf.py",
            "walrus",
            b"def walrus_tusk():\r\n    return 1\r\n".to_vec(),
        ),
        (
            "latin.py",
            "beaver",
            b"def beaver_dam():\n    return 'caf\xE9'\n".to_vec(),
        ),
        (
            "bom.py",
            "otter",
            b"\xEF\xBB\xBFdef otter_raft():\n    return 1\n".to_vec(),
        ),
        (
            "wide.py",
            "badger",
            utf16("def badger_sett():\n    return 1\n"),
        ),
    ];
    for (path, word, bytes) in &files {
        sandbox.write(path, bytes);
        sandbox.ok(&format!("memory add \"the {word}\" --id {word}"));
        let shown = sandbox.json(&format!("memory show {word}"));
        let anchor = &shown["memories"][0]["anchor"];
        assert_eq!(
            (&anchor["file"], &anchor["state"]),
            (&(*path).into(), &"fresh".into()),
            "{shown}"
        );
    }
    let crlf = String::from_utf8(files[0].2.clone()).expect("ASCII");
    sandbox.write("crlf.py", crlf.replace("\r\n", "\n"));
    assert_eq!(
        sandbox.run("memory reanchor --check --strict").status(),
        0,
        "line ends are layout"
    );
}

#[test]
fn a_named_pipe_in_the_tree_does_not_block() {
    let sandbox = Sandbox::anchored();
    fifo(&sandbox, "shop/pipe.py");
    fifo(&sandbox, ".memories/pipe.md");
    let lines = [
        "memory show",
        "index --full",
        "memory search password",
        "memory reanchor --check",
    ];
    for line in lines {
        sandbox.ok(line);
    }
    let outcome = sandbox.run("memory add x --anchor-to shop/pipe.py");
    assert_eq!(outcome.status(), 2, "{}", outcome.text());
    // The anchored file itself becomes a named pipe.
    sandbox.remove("web/html.ts");
    fifo(&sandbox, "web/html.ts");
    sandbox.ok("memory show escape-html");
    assert_eq!(sandbox.run("memory reanchor --check").status(), 1);
}

#[test]
fn the_valid_parts_of_broken_code_are_found() {
    let sandbox = Sandbox::empty();
    sandbox.write(
        "a.py",
        "def broken(:\n    pass )\n\n\ndef zebra_stripes():\n    return 1\n",
    );
    sandbox.write(
        "deep.js",
        format!(
            "function zebraStripes() {{ return {}1{} }}",
            "[".repeat(9_000),
            "]".repeat(9_000)
        ),
    );
    assert!(found(&sandbox, "zebra stripes").contains(&"a.py".to_owned()));
}

#[test]
fn code_of_another_working_tree_is_no_candidate() {
    let sandbox = Sandbox::anchored();
    sandbox.git("worktree add -q agents/tree -b other");
    sandbox.git("init -q nested");
    sandbox.write("nested/html.ts", sandbox.read("web/html.ts"));
    let files = found(&sandbox, "Escape HTML");
    assert!(files.contains(&"web/html.ts".to_owned()), "{files:?}");
    assert!(
        files
            .iter()
            .all(|file| !file.starts_with("agents/") && !file.starts_with("nested/"))
    );
    sandbox.git("rm -q web/html.ts");
    sandbox.git("commit -q -m \"remove it\"");
    let report = sandbox.json_of(sandbox.run("memory reanchor --json"));
    assert!(!report.to_string().contains("agents/tree"), "{report}");
    assert!(!sandbox.lock().contains("agents/tree"));
}

#[test]
fn hidden_and_ignored_code_that_git_tracks_is_code() {
    let sandbox = Sandbox::empty();
    let code = |word: &str| format!("def {word}_stripes():\n    return 1\n");
    sandbox.write(".ci/zebra.py", code("zebra"));
    sandbox.write("out/tiger.py", code("tiger"));
    sandbox.write("src/hyena.py", code("hyena"));
    sandbox.commit("start");
    sandbox.write(".gitignore", "out/\n");
    sandbox.write("src/.ignore", "*\n");
    sandbox.write("../.gitignore", "*\n");
    sandbox.write("../home/config/git/ignore", "*\n");
    for (word, file) in [
        ("zebra", ".ci/zebra.py"),
        ("tiger", "out/tiger.py"),
        ("hyena", "src/hyena.py"),
    ] {
        assert_eq!(found(&sandbox, &format!("{word} stripes"))[0], file);
    }
}
