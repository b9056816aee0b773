//! Parallel and killed processes: nothing is lost and no file is partially written.

use std::collections::BTreeMap;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use crate::project::RULES;
use crate::sandbox::Sandbox;

const AT_ONCE: usize = 8;
const KILLS: u64 = 12;

/// Runs all command lines in parallel and returns their outputs in order.
fn at_once(sandbox: &Sandbox, lines: &[String]) -> Vec<Output> {
    let children: Vec<Child> = lines
        .iter()
        .map(|line| {
            let mut command = sandbox.command(line);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().expect("it starts")
        })
        .collect();
    children
        .into_iter()
        .map(|child| child.wait_with_output().expect("it ends"))
        .collect()
}

fn all_succeed(sandbox: &Sandbox, lines: &[String]) -> Vec<String> {
    let outcomes = at_once(sandbox, lines).into_iter().zip(lines);
    let stdouts = outcomes.map(|(output, line)| {
        let outcome = sandbox.outcome(line, output);
        assert_eq!(outcome.status(), 0, "{}", outcome.text());
        outcome.stdout()
    });
    stdouts.collect()
}

#[test]
fn memories_added_in_parallel_are_all_stored() {
    let sandbox = Sandbox::bank();
    let rules = RULES
        .iter()
        .filter(|(_, _, example)| example.is_some())
        .cycle()
        .take(AT_ONCE);
    let lines: Vec<String> = rules
        .enumerate()
        .map(|(n, (id, text, _))| format!("memory add \"{text}\" --id {id}-{n}"))
        .collect();
    all_succeed(&sandbox, &lines);
    let stats = sandbox.json("memory stats");
    assert_eq!(
        (&stats["memories"], &stats["anchored"]),
        (&8.into(), &8.into()),
        "{stats}"
    );
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn only_one_of_several_parallel_adds_of_an_id_succeeds() {
    let sandbox = Sandbox::bank();
    let lines: Vec<String> = (0..AT_ONCE)
        .map(|n| format!("memory add \"The one of {n}\" --id same --no-anchor"))
        .collect();
    let mut statuses: Vec<_> = at_once(&sandbox, &lines)
        .iter()
        .map(|it| it.status.code())
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses[0], Some(0));
    assert!(
        statuses[1..].iter().all(|status| *status == Some(2)),
        "{statuses:?}"
    );
    assert!(sandbox.read(".memories/same.md").contains("The one of "));
}

#[test]
fn parallel_adds_of_the_same_text_get_different_ids() {
    let sandbox = Sandbox::bank();
    let lines: Vec<String> = (0..AT_ONCE)
        .map(|_| "memory add \"Name it well\" --no-anchor".to_owned())
        .collect();
    all_succeed(&sandbox, &lines);
    assert_eq!(sandbox.json("memory stats")["memories"], AT_ONCE);
}

#[test]
fn two_parallel_reanchors_agree() {
    let sandbox = Sandbox::anchored();
    sandbox.git("mv shop people");
    sandbox.git("mv web/html.ts web/markup.ts");
    all_succeed(
        &sandbox,
        &["memory reanchor".to_owned(), "memory reanchor".to_owned()],
    );
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
    assert_eq!(
        sandbox.json("memory stats")["anchorsByState"],
        serde_json::json!({"fresh": 4})
    );
}

#[test]
fn parallel_commands_with_a_cold_store_agree() {
    let sandbox = Sandbox::anchored();
    let line = "memory anchor-test \"close the database session\" --limit 9";
    let answer = sandbox.ok(line);
    for _ in 0..3 {
        sandbox.remove(".memories/indices");
        let answers = all_succeed(&sandbox, &vec![line.to_owned(); AT_ONCE]);
        assert!(answers.iter().all(|it| *it == answer), "{answers:#?}");
    }
}

#[test]
fn parallel_commands_with_a_corrupt_store_agree() {
    let sandbox = Sandbox::anchored();
    let line = "memory anchor-test \"close the database session\" --limit 9";
    let answer = sandbox.ok(line);
    for _ in 0..3 {
        sandbox.remove(".memories/indices");
        sandbox.write(
            ".memories/indices/cerberus.db",
            "no database at all, ".repeat(500),
        );
        let answers = all_succeed(&sandbox, &vec![line.to_owned(); AT_ONCE]);
        assert!(answers.iter().all(|it| *it == answer), "{answers:#?}");
    }
}

#[test]
fn parallel_readers_and_writers_succeed() {
    let sandbox = Sandbox::anchored();
    let mut lines = Vec::new();
    for n in 0..3 {
        lines.push(format!(
            "memory add \"Escape HTML entities in field {n}\" --id field-{n}"
        ));
        lines.push("memory search password".to_owned());
        lines.push("memory show --anchored".to_owned());
        lines.push("memory reanchor".to_owned());
    }
    all_succeed(&sandbox, &lines);
    assert_eq!(sandbox.json("memory stats")["memories"], RULES.len() + 3);
}

#[test]
fn texts_appended_in_parallel_are_all_stored() {
    let sandbox = Sandbox::bank();
    sandbox.ok("memory create log --content \"# Log\"");
    sandbox.memory("notes", "## First\r\n\r\n## Second\r\nend\r\n");
    for round in 0..3 {
        let lines: Vec<String> = (0..AT_ONCE)
            .map(|n| match n % 2 {
                0 => format!("memory append log --content \"- entry {round}-{n}.\""),
                _ => format!(
                    "memory append notes --section first --content \"- entry {round}-{n}.\""
                ),
            })
            .collect();
        all_succeed(&sandbox, &lines);
    }
    let (log, notes) = (
        sandbox.read(".memories/log.md"),
        sandbox.read(".memories/notes.md"),
    );
    for round in 0..3 {
        for n in 0..AT_ONCE {
            let text = if n % 2 == 0 { &log } else { &notes };
            assert_eq!(
                text.matches(&format!("- entry {round}-{n}.")).count(),
                1,
                "{text}"
            );
        }
    }
    assert!(notes.ends_with("\r\n\r\n## Second\r\nend\r\n"), "{notes:?}");
    assert!(!notes.replace("\r\n", "").contains('\n'));
}

#[test]
fn parallel_writes_of_every_kind_are_serialized() {
    let sandbox = Sandbox::bank();
    for id in ["a", "b", "c", "d"] {
        sandbox.ok(&format!(
            "memory create {id} --content \"Text of {id}, see [[memory:a]].\""
        ));
    }
    let lines = [
        "memory append a --content Appended.",
        "memory update b --status archived",
        "memory update b --tag stored",
        "memory merge c --into d",
        "memory create e --content \"Text of e.\"",
        "memory append d --content More.",
        "memory show --json",
        "memory read a",
    ];
    all_succeed(&sandbox, &lines.map(str::to_owned));
    assert!(sandbox.read(".memories/a.md").contains("Appended."));
    let b = sandbox.read(".memories/b.md");
    assert!(
        b.contains("status: archived") && b.contains("tags: [stored]"),
        "{b}"
    );
    let d = sandbox.read(".memories/d.md");
    assert!(
        ["Text of c", "Text of d", "More."]
            .iter()
            .all(|it| d.contains(it)),
        "{d}"
    );
    assert_eq!(sandbox.json("memory stats")["memories"], 4);
}

/// Checks that every memory and deleted memory is complete, and returns the texts by file.
fn whole_files(sandbox: &Sandbox) -> BTreeMap<String, String> {
    toml::from_str::<toml::Table>(&sandbox.lock()).expect("the lock is TOML");
    let mut texts = BTreeMap::new();
    for folder in [".memories", ".memories/.trash"] {
        for entry in std::fs::read_dir(sandbox.path(folder)).expect("a folder") {
            let name = entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("a name");
            assert!(
                !name.starts_with(".cerberus-"),
                "`{folder}/{name}` was left behind"
            );
            if name.ends_with(".md") {
                let file = format!("{folder}/{name}");
                let text = sandbox.read(&file);
                assert!(
                    text.starts_with("---\n") && text.ends_with('\n'),
                    "{file}: {text:?}"
                );
                texts.insert(file, text);
            }
        }
    }
    for line in ["memory stats", "memory show", "memory reanchor --check"] {
        let outcome = sandbox.run(line);
        assert_eq!(
            (outcome.status(), outcome.stderr()),
            (0, String::new()),
            "{}",
            outcome.text()
        );
    }
    texts
}

#[test]
fn acknowledged_parallel_writes_are_never_lost() {
    const ROUNDS: usize = 4;
    let sandbox = Sandbox::bank();
    sandbox.ok("memory create log --content \"# Log\"");
    let write = |id: &str, text: &str| {
        sandbox.memory(id, format!("---\ntype: plan\n---\n{text}\n"));
    };
    let mut last_words = 0;
    for n in 0..ROUNDS {
        write(&format!("victim-{n}"), "Condemned.");
        write(&format!("left-{n}"), &format!("Left {n}."));
        write(
            &format!("right-{n}"),
            &format!("Right {n}, see [[memory:left-{n}]]."),
        );
        write(&format!("open-{n}"), &format!("First {n}."));
        let lines = [
            format!("memory add \"Escape HTML entities\" --id rule-{n} --anchor-to web/html.ts"),
            "memory add \"Name it well\" --no-anchor".to_owned(),
            format!("memory create doc-{n} --content \"Doc {n}.\""),
            format!("memory append log --content \"- entry {n}.\""),
            format!("memory delete victim-{n}"),
            format!("memory merge left-{n} right-{n} --into both-{n}"),
            format!("memory append open-{n} --content \"More {n}.\""),
            format!("memory append victim-{n} --content \"Last words {n}.\""),
            format!("memory update log --category round-{n}"),
        ];
        for (output, line) in at_once(&sandbox, &lines).into_iter().zip(&lines) {
            let outcome = sandbox.outcome(line, output);
            if !line.contains("append victim") {
                assert_eq!(outcome.status(), 0, "{}", outcome.text());
            } else if outcome.status() == 0 {
                last_words += 1;
            } else {
                let printed = outcome.stderr();
                assert!(
                    printed.contains("memory `victim-") && printed.contains("not found"),
                    "{}",
                    outcome.text()
                );
            }
        }
    }
    let texts = whole_files(&sandbox);
    let all = texts.values().map(String::as_str).collect::<String>();
    assert_eq!(
        all.matches("Last words ").count(),
        last_words,
        "as often as they were printed"
    );
    let bank = |id: String| &texts[&format!(".memories/{id}.md")];
    let log = bank("log".to_owned());
    assert_eq!(log.matches("category: round-").count(), 1, "{log}");
    let lock = sandbox.lock();
    for n in 0..ROUNDS {
        assert_eq!(log.matches(&format!("- entry {n}.")).count(), 1, "{log}");
        assert!(bank(format!("doc-{n}")).contains(&format!("Doc {n}.")));
        assert!(
            lock.contains(&format!("id = \"rule-{n}\"\nfile = \"web/html.ts\"")),
            "{lock}"
        );
        let both = bank(format!("both-{n}"));
        for text in [
            format!("Left {n}."),
            format!("Right {n}, see [[memory:both-{n}]]."),
        ] {
            assert_eq!(both.matches(&text).count(), 1, "{both}");
        }
        let open = bank(format!("open-{n}"));
        for text in [format!("First {n}."), format!("More {n}.")] {
            assert_eq!(open.matches(&text).count(), 1, "{open}");
        }
        for gone in ["victim", "left", "right"] {
            assert!(!texts.contains_key(&format!(".memories/{gone}-{n}.md")));
            assert!(texts.contains_key(&format!(".memories/.trash/{gone}-{n}.md")));
        }
    }
    assert_eq!(all.matches("Name it well").count(), ROUNDS);
}

#[test]
fn the_same_parallel_edit_is_applied_once() {
    let sandbox = Sandbox::bank();
    let text = "---\ntype: plan\n---\nText.\n\n## Next\n\nEnd.\n";
    let line = "memory append plan --section next --content Once.";
    sandbox.memory("plan", text);
    all_succeed(&sandbox, &vec![line.to_owned(); AT_ONCE]);
    assert_eq!(
        sandbox.read(".memories/plan.md"),
        text.replace("End.\n", "End.\n\nOnce.\n")
    );
    // One of eight deletions succeeds; the others report that the memory is not found.
    let mut statuses: Vec<_> = at_once(&sandbox, &vec!["memory delete plan".to_owned(); AT_ONCE])
        .iter()
        .map(|it| it.status.code())
        .collect();
    statuses.sort_unstable();
    assert_eq!(
        statuses,
        [vec![Some(0)], vec![Some(2); AT_ONCE - 1]].concat()
    );
    assert_eq!(
        std::fs::read_dir(sandbox.path(".memories/.trash"))
            .expect("a trash")
            .count(),
        1
    );
}

#[test]
fn a_killed_merge_loses_nothing_and_can_be_finished() {
    let line = "memory merge one two three --into all";
    for n in 0..KILLS {
        let sandbox = Sandbox::bank();
        for id in ["one", "two", "three"] {
            sandbox.memory(id, format!("---\ntype: fact\n---\nText of {id}.\n"));
        }
        sandbox.memory("linker", "See [[memory:one]] and [[two]].\n");
        kill_after(&sandbox, line, Duration::from_micros(2_500 * n));
        for id in ["one", "two", "three"] {
            let places = [
                format!(".memories/{id}.md"),
                format!(".memories/.trash/{id}.md"),
            ];
            assert!(
                places.iter().any(|it| sandbox.exists(it)),
                "round {n}: {id} is lost"
            );
        }
        sandbox.ok(line);
        let all = sandbox.read(".memories/all.md");
        for id in ["one", "two", "three"] {
            assert_eq!(
                all.matches(&format!("Text of {id}.")).count(),
                1,
                "round {n}: {all}"
            );
        }
        let linker = sandbox.read(".memories/linker.md");
        assert_eq!(linker, "See [[memory:all]] and [[all]].\n", "round {n}");
        assert_eq!(sandbox.json("memory stats")["memories"], 2);
    }
}

/// Starts a command and kills it after `wait`. It may have ended by then.
fn kill_after(sandbox: &Sandbox, line: &str, wait: Duration) {
    let mut command = sandbox.command(line);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // The sleep selects the moment of the kill; nothing is awaited.
    std::thread::sleep(wait);
    // Killing a process that has ended is an error without meaning here.
    let _ = child.kill();
    child.wait().expect("it ends");
}

/// Checks that every file in the bank is complete.
fn is_whole(sandbox: &Sandbox, text: &str) {
    if sandbox.exists(".memories/anchors.lock") {
        toml::from_str::<toml::Table>(&sandbox.lock()).expect("the lock is TOML");
    }
    for entry in std::fs::read_dir(sandbox.path(".memories")).expect("a bank") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "md") {
            let memory = std::fs::read_to_string(&path).expect("a text");
            assert!(
                memory.starts_with("---\n") && memory.ends_with(&format!("{text}\n")),
                "{memory:?}"
            );
        }
    }
    let outcome = sandbox.run("memory stats");
    assert_eq!(
        (outcome.status(), outcome.stderr()),
        (0, String::new()),
        "{}",
        outcome.text()
    );
}

#[test]
fn a_killed_add_leaves_no_partial_file() {
    let sandbox = Sandbox::bank();
    let text = "Escape HTML entities in text before it is rendered as markup";
    for n in 0..KILLS {
        let line = format!("memory add \"{text}\" --id escape-{n}");
        kill_after(&sandbox, &line, Duration::from_micros(3_750 * n));
        is_whole(&sandbox, text);
    }
    sandbox.ok(&format!("memory add \"{text}\" --id at-last"));
    sandbox.ok("memory reanchor");
    assert_eq!(sandbox.run("memory reanchor --check --strict").status(), 0);
}

#[test]
fn leftover_temporary_files_are_ignored_by_git() {
    let sandbox = Sandbox::bank();
    sandbox.commit("an empty bank");
    // The name that `bank` gives to temporary files.
    sandbox.write(".memories/.cerberus-tmp-0123456789abcdef", "---\ntype: ru");
    assert_eq!(sandbox.git("status --porcelain"), "");
    // A writing command removes it, but no file of the user with a similar name.
    let notes = [
        ".memories/.cerberus-notes.md",
        ".memories/deep/.cerberus-tmp-notes",
        ".cerberus-x",
    ];
    for path in notes {
        sandbox.write(path, "of the user");
    }
    sandbox.ok("memory create a --content Text.");
    sandbox.ok("memory inject --into AGENTS.md");
    assert!(!sandbox.exists(".memories/.cerberus-tmp-0123456789abcdef"));
    for path in notes {
        assert_eq!(sandbox.read(path), "of the user");
    }
}

#[test]
fn a_killed_reanchor_can_be_run_again() {
    let sandbox = Sandbox::anchored();
    let places = ["web/html.ts", "web/markup.ts"];
    for n in 0..KILLS {
        let (from, to) = if n % 2 == 0 {
            (places[0], places[1])
        } else {
            (places[1], places[0])
        };
        std::fs::rename(sandbox.path(from), sandbox.path(to)).expect("it is there");
        kill_after(
            &sandbox,
            "memory reanchor",
            Duration::from_micros(2_500 * n),
        );
        toml::from_str::<toml::Table>(&sandbox.lock()).expect("the lock is TOML");
        if n % 3 == 0 {
            sandbox.ok("memory reanchor");
            assert_eq!(
                sandbox.run("memory reanchor --check --strict").status(),
                0,
                "round {n}"
            );
        }
    }
    sandbox.ok("memory reanchor");
    assert_eq!(
        sandbox.json("memory stats")["anchorsByState"],
        serde_json::json!({"fresh": 4})
    );
}

#[test]
fn a_killed_index_is_completed_by_the_next_command() {
    let sandbox = Sandbox::shop();
    let line = "memory anchor-test \"close the database session\" --limit 9";
    let answer = sandbox.ok(line);
    for n in 0..KILLS / 2 {
        sandbox.remove("../home/cache");
        kill_after(&sandbox, "index --full", Duration::from_micros(3_750 * n));
        assert_eq!(sandbox.ok(line), answer, "round {n}");
    }
}
