//! Eight processes in parallel, each with its own random sequence of reads and writes. The
//! bank afterwards contains every acknowledged write and nothing else; every failed command
//! printed an error and changed nothing.
//!
//! `CERBERUS_TEST_OPERATIONS=2000 cargo test --test cli parallel_operations -- --nocapture`
//! runs that many operations and prints the count of each exit status.

use std::collections::{BTreeMap, BTreeSet};

use crate::sandbox::{Outcome, Sandbox};

const AT_ONCE: usize = 8;

/// Number of operations in a normal run.
const OPERATIONS: usize = 96;

/// The acknowledged writes of one process.
#[derive(Debug, Default)]
struct Model {
    /// The texts in each memory of this process, by id.
    memories: BTreeMap<String, Vec<String>>,
    trashed: BTreeMap<String, Vec<String>>,
    anchored: BTreeSet<String>,
    pins: BTreeSet<String>,
    /// The texts appended to the shared memory.
    shared: Vec<String>,
    /// Number of operations by exit status.
    ended: BTreeMap<i32, usize>,
}

#[test]
#[expect(clippy::print_stdout, reason = "the figures of a long run")]
fn acknowledged_operations_of_eight_processes_are_all_stored() {
    let n_operations = std::env::var("CERBERUS_TEST_OPERATIONS")
        .map_or(OPERATIONS, |n| n.parse().expect("a number"));
    let sandbox = Sandbox::anchored();
    sandbox.memory("shared", "---\ntype: journal\n---\nThe log.\n");
    sandbox.write(
        "cerberus.toml",
        "[pins]\nmax_pins = 100\nmax_tokens = 100000\n",
    );
    let models: Vec<Model> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE)
            .map(|worker| {
                let sandbox = &sandbox;
                scope.spawn(move || work(sandbox, worker, n_operations / AT_ONCE))
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("no operation failed its check"))
            .collect()
    });
    for (worker, model) in models.iter().enumerate() {
        println!("process {worker}: {:?}", model.ended);
    }
    let n_done: usize = models.iter().filter_map(|model| model.ended.get(&0)).sum();
    assert!(
        n_done * 2 > n_operations,
        "only {n_done} of {n_operations} operations succeeded"
    );
    check(&sandbox, &models);
}

fn work(sandbox: &Sandbox, worker: usize, n_operations: usize) -> Model {
    let mut model = Model::default();
    // The linear congruential generator of Numerical Recipes, seeded by process.
    let mut state = worker as u32 * 7919 + 1;
    for n in 0..n_operations {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        step(sandbox, &mut model, worker, n, (state >> 16) as usize);
    }
    model
}

/// Runs one operation and records it in the model if it was acknowledged.
fn step(sandbox: &Sandbox, model: &mut Model, worker: usize, n: usize, random: usize) {
    let (id, words) = (format!("w{worker}-{n}"), format!("Words {worker} {n}."));
    let pick = |names: Vec<&String>| {
        names
            .get(random / 32 % names.len().max(1))
            .copied()
            .cloned()
    };
    let own = pick(model.memories.keys().collect());
    match (random % 20, own) {
        (0 | 1, _) | (2..=9, None) => {
            if done(
                sandbox,
                model,
                &format!("memory add \"{words}\" --id {id} --no-anchor"),
            ) {
                model.memories.insert(id, vec![words]);
            }
        }
        (2, Some(own)) => {
            if done(
                sandbox,
                model,
                &format!("memory append {own} --content \"{words}\""),
            ) {
                model.memories.entry(own).or_default().push(words);
            }
        }
        (3, Some(own)) => {
            if done(
                sandbox,
                model,
                &format!("memory update {own} --content \"{words}\""),
            ) {
                model.memories.insert(own, vec![words]);
            }
        }
        (4 | 5, Some(own)) => {
            if done(
                sandbox,
                model,
                &format!("memory anchor {own} --to web/html.ts::escapeHtml"),
            ) {
                model.anchored.insert(own);
            }
        }
        (6, Some(own)) => {
            if done(sandbox, model, &format!("memory delete {own}")) {
                let texts = model.memories.remove(&own).unwrap_or_default();
                model.trashed.insert(own, texts);
            }
        }
        (7, Some(own)) => {
            if done(sandbox, model, &format!("memory merge {own} --into {id}")) {
                let texts = model.memories.remove(&own).unwrap_or_default();
                model.memories.insert(id.clone(), texts.clone());
                if model.anchored.contains(&own) {
                    model.anchored.insert(id);
                }
                model.trashed.insert(own, texts);
            }
        }
        (8, Some(own)) => {
            let outcome = ended(sandbox, model, &format!("memory read {own}"));
            let text = outcome.stdout();
            for words in &model.memories[&own] {
                assert!(
                    text.contains(words),
                    "{own} has no `{words}`: {}",
                    outcome.text()
                );
            }
        }
        (9, Some(_)) => {
            if let Some(gone) = pick(model.trashed.keys().collect())
                && done(sandbox, model, &format!("memory restore {gone}"))
            {
                let texts = model.trashed.remove(&gone).unwrap_or_default();
                model.memories.insert(gone, texts);
            }
        }
        (10 | 11, _) => {
            if done(
                sandbox,
                model,
                &format!("memory append shared --content \"{words}\""),
            ) {
                model.shared.push(words);
            }
        }
        (12, _) => {
            let pin = pick(model.pins.iter().collect());
            if let Some(pin) = pin {
                if done(sandbox, model, &format!("memory pin remove {pin}")) {
                    model.pins.remove(&pin);
                }
            } else if done(
                sandbox,
                model,
                &format!("memory pin add \"{words}\" --id {id}"),
            ) {
                model.pins.insert(id);
            }
        }
        (other, _) => {
            let lines = [
                "memory show --anchored",
                "memory search session",
                "memory inject --query password",
                "memory linked web/html.ts",
                "memory stats",
                "memory reanchor --check",
                "memory anchor-test \"escape html entities\" --limit 1",
            ];
            let outcome = ended(sandbox, model, lines[other % lines.len()]);
            assert!(outcome.status() != 2, "{}", outcome.text());
        }
    }
}

/// Runs a command and returns whether it succeeded.
fn done(sandbox: &Sandbox, model: &mut Model, line: &str) -> bool {
    ended(sandbox, model, line).status() == 0
}

/// Runs a command, which must succeed or explain its failure.
fn ended(sandbox: &Sandbox, model: &mut Model, line: &str) -> Outcome {
    let outcome = sandbox.run(line);
    *model.ended.entry(outcome.status()).or_default() += 1;
    let is_told = outcome.stderr().contains("cerberus: ");
    let is_check = line.ends_with("--check") && outcome.status() == 1;
    let is_clear = [2, 3].contains(&outcome.status()) && is_told;
    assert!(
        outcome.status() == 0 || is_check || is_clear,
        "{}",
        outcome.text()
    );
    outcome
}

/// Compares the acknowledged writes with the files.
fn check(sandbox: &Sandbox, models: &[Model]) {
    let shared = sandbox.read(".memories/shared.md");
    for words in models.iter().flat_map(|model| &model.shared) {
        assert_eq!(shared.matches(words).count(), 1, "`{words}` in {shared}");
    }
    let n_shared: usize = models.iter().map(|model| model.shared.len()).sum();
    assert_eq!(shared.matches("Words ").count(), n_shared, "{shared}");
    for (folder, of) in [
        (
            ".memories",
            (|it| &it.memories) as fn(&Model) -> &BTreeMap<String, Vec<String>>,
        ),
        (".memories/.trash", |it| &it.trashed),
    ] {
        let expected: BTreeSet<&String> =
            models.iter().flat_map(|model| of(model).keys()).collect();
        let there = own_files(sandbox, folder);
        assert_eq!(
            there.keys().collect::<BTreeSet<_>>(),
            expected,
            "the memories in {folder}"
        );
        for (name, texts) in models.iter().flat_map(of) {
            let text = &there[name];
            assert!(
                text.starts_with("---\n") && text.ends_with('\n'),
                "{name} is torn: {text}"
            );
            assert_eq!(
                text.matches("Words ").count(),
                texts.len(),
                "{name}: {text}"
            );
            assert!(
                texts.iter().all(|words| text.contains(words)),
                "{name}: {text}"
            );
        }
    }
    let is_anchored = |model: &&Model, id: &str| model.anchored.contains(id);
    let lock: toml::Table = sandbox.lock().parse().expect("the lock is TOML");
    let anchors = lock["anchor"].as_array().expect("anchors").iter();
    let anchors: BTreeSet<&str> = anchors.filter_map(|it| it["id"].as_str()).collect();
    let own: BTreeSet<&str> = anchors
        .into_iter()
        .filter(|id| id.starts_with('w'))
        .collect();
    let expected = models.iter().flat_map(|model| {
        model
            .memories
            .keys()
            .filter(move |id| is_anchored(&model, id))
            .map(String::as_str)
    });
    assert_eq!(own, expected.collect(), "the anchors");
    if sandbox.exists(".memories/pins.toml") {
        let pins: toml::Table = sandbox.read(".memories/pins.toml").parse().expect("TOML");
        let pins = pins["pin"].as_array().cloned().unwrap_or_default();
        let pins: BTreeSet<&str> = pins.iter().filter_map(|pin| pin["id"].as_str()).collect();
        let expected = models
            .iter()
            .flat_map(|model| &model.pins)
            .map(String::as_str);
        assert_eq!(pins, expected.collect(), "the pins");
    }
    sandbox.ok("memory stats");
}

/// Returns the text of each memory in a folder that a process created, by id.
fn own_files(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, String> {
    let Ok(entries) = std::fs::read_dir(sandbox.path(folder)) else {
        return BTreeMap::new();
    };
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names
        .filter(|name| !name.starts_with(".cerberus-") || panic!("{name} was left"))
        .filter_map(|name| Some((name.strip_suffix(".md")?.to_owned(), name)))
        .filter(|(stem, _)| stem.starts_with('w'))
        .map(|(stem, name)| (stem, sandbox.read(&format!("{folder}/{name}"))))
        .collect()
}
