//! Accuracy of `memory search` on a bank of invented notes. Half of the queries share no words
//! with the memory that they ask for.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// How often a signal ranks the expected memory first and among the first five.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hits {
    at_1: usize,
    at_5: usize,
}

impl Hits {
    fn count(&mut self, rank: Option<u64>) {
        self.at_1 += usize::from(rank == Some(1));
        self.at_5 += usize::from(rank.is_some_and(|rank| rank <= 5));
    }
}

fn fixture(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/search")
        .join(path)
}

#[test]
fn the_combined_ranking_finds_as_much_as_each_signal() {
    let sandbox = Sandbox::bank();
    for entry in std::fs::read_dir(fixture("bank")).expect("a folder") {
        let path = entry.expect("a file").path();
        let id = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        sandbox.memory(&id, std::fs::read_to_string(&path).expect("a text"));
    }
    let queries = std::fs::read_to_string(fixture("queries.jsonl")).expect("the queries");
    let mut hits: BTreeMap<(String, String), Hits> = BTreeMap::new();
    let mut message = String::new();
    for line in queries.lines() {
        let asked: Value = serde_json::from_str(line).expect("a JSON object");
        let text = |key: &str| asked[key].as_str().expect("a text").to_owned();
        let (query, kind) = (text("query"), text("kind"));
        let found = sandbox.run(&format!("memory search \"{query}\" --limit 1000 --json"));
        let found: Value = serde_json::from_str(&found.stdout()).expect("JSON");
        let results = found["results"].as_array().expect("results");
        let place = results.iter().position(|it| it["id"] == asked["expect"]);
        let mut count = |signal: &str, rank| {
            for kind in ["all", kind.as_str()] {
                hits.entry((kind.to_owned(), signal.to_owned()))
                    .or_default()
                    .count(rank);
            }
        };
        count("fusion", place.map(|place| place as u64 + 1));
        let signals = place.map(|place| results[place]["signals"].as_array().expect("signals"));
        for signal in ["keyword", "vector", "graph"] {
            let own = signals
                .into_iter()
                .flatten()
                .find(|it| it["signal"] == signal);
            count(signal, own.and_then(|it| it["rank"].as_u64()));
        }
        message += &format!("{place:?} {query}\n");
    }
    let of = |signal: &str| hits[&("all".to_owned(), signal.to_owned())];
    let fusion = of("fusion");
    for signal in ["keyword", "vector", "graph"] {
        let alone = of(signal);
        assert!(
            alone.at_5 > 0,
            "{signal} finds nothing, so the comparison means nothing"
        );
        let holds = fusion.at_1 >= alone.at_1 && fusion.at_5 >= alone.at_5;
        assert!(holds, "{signal} finds more alone: {hits:#?}\n{message}");
    }
    // The figures when this test was written. Some queries share no word with any memory.
    assert!(
        fusion.at_1 >= 25 && fusion.at_5 >= 33,
        "{hits:#?}\n{message}"
    );
}

#[test]
fn parts_of_identifiers_headings_and_paths_match() {
    let sandbox = Sandbox::bank();
    let memory = |id: &str, front: &str, text: &str| {
        sandbox.memory(id, format!("---\ntype: rule\n{front}---\n\n{text}\n"));
    };
    memory(
        "style",
        "",
        "Write short functions. Write how a caller does use them.",
    );
    memory("focus", "", "Every `dialogBox` takes the keyboard focus.");
    memory("layout", "", "Give each `dialog_frame` a title bar.");
    memory("close", "heading: UI / Dialogs\n", "Escape closes it.");
    memory(
        "state",
        "paths: [src/dialog/**]\n",
        "Keep the state in the parent.",
    );
    memory(
        "greeting",
        "",
        "What a user does first is log in. I am how.",
    );
    let found = sandbox.run("memory search \"how do I write a dialog\" --json");
    let found: Value = serde_json::from_str(&found.stdout()).expect("JSON");
    let results = found["results"].as_array().expect("results").iter();
    let ids: Vec<&str> = results
        .map(|hit| hit["id"].as_str().expect("an id"))
        .collect();
    for id in ["close", "focus", "layout", "state"] {
        assert!(ids.contains(&id), "{id}: {ids:?}");
    }
    assert!(
        !ids.contains(&"greeting"),
        "question words do not match: {ids:?}"
    );
}
