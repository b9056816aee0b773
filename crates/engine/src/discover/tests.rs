//! Rankings of the fixture shop, and of generated code.
#![expect(clippy::disallowed_methods, reason = "these tests write source files")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use cerberus_store::Store;

use super::super::CodeBase;
use super::super::rank::calibrate::Weights;
use super::super::search::UnknownWord;
use super::*;

fn rank(queries: &[Query], limit: usize) -> Vec<Ranking> {
    rank_with(queries, options(limit))
}

fn options(limit: usize) -> Options {
    Options {
        limit,
        distinct_files: false,
        min_quality: 0.7,
        explain: true,
    }
}

fn rank_with(queries: &[Query], options: Options) -> Vec<Ranking> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/shop");
    rank_in(&root, queries, options)
}

/// Returns the locations of the candidates for a rule in a project with one file.
fn rank_in_file(file: &str, text: &str, rule: &str, limit: usize) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join(file), text).expect("a file");
    let ranking = rank_in(folder.path(), &[query(rule)], options(limit)).remove(0);
    ranking
        .candidates
        .into_iter()
        .filter_map(|it| it.symbol)
        .collect()
}

fn rank_in(root: &Path, queries: &[Query], options: Options) -> Vec<Ranking> {
    let store = Rc::new(Store::in_memory().expect("a store"));
    let code = CodeBase {
        root,
        store: &store,
        exclude: &[],
        weights: &Weights::default(),
        now: 0,
        progress: &|_, _| {},
    };
    let mut index = CodeIndex::refresh(code).expect("an index");
    super::rank(code, &mut index, queries, options).expect("rankings")
}

fn query(rule: &str) -> Query {
    Query {
        rule: rule.to_owned(),
        ..Query::default()
    }
}

const HASH: &str = "Hash passwords with a salt and a slow key derivation function";
const BREAKER: &str = "Put calls to unreliable dependencies behind a circuit breaker";

#[test]
fn the_best_symbol_is_first_and_its_match_is_over_the_threshold() {
    let candidates = &rank(&[query(HASH)], 5)[0].candidates;
    let best = &candidates[0];
    assert_eq!(best.file, "backend/shop/auth/passwords.py");
    assert_eq!(best.symbol.as_deref(), Some("hash_password"));
    assert!(best.match_score > 0.7, "{}", best.match_score);
    assert!(
        best.reasons
            .iter()
            .any(|it| it.word == "salt" && it.fields.contains(&"body"))
    );
    let matches: Vec<f64> = candidates.iter().map(|it| it.match_score).collect();
    assert!(matches.is_sorted_by(|a, b| a >= b), "{matches:?}");
}

#[test]
fn distinct_files_come_first() {
    let located = |limit, distinct_files| -> Vec<(String, Option<String>)> {
        let options = Options {
            distinct_files,
            ..options(limit)
        };
        let found = rank_with(&[query(HASH)], options)
            .remove(0)
            .candidates
            .into_iter();
        found.map(|it| (it.file, it.symbol)).collect()
    };
    let (all, distinct) = (located(50, false), located(50, true));
    let files = |found: &[(String, Option<String>)]| -> Vec<String> {
        let mut files: Vec<String> = found.iter().map(|it| it.0.clone()).collect();
        files.sort_unstable();
        files.dedup();
        files
    };
    let n_files = files(&all).len();
    assert!((5..all.len()).contains(&n_files), "{all:?}");
    assert!(files(&all[..5]).len() < 5, "{all:?}");
    assert_eq!(files(&distinct[..n_files]), files(&all));
    assert_eq!((distinct.len(), &distinct[0]), (all.len(), &all[0]));
    assert_eq!(located(5, true), distinct[..5]);
}

#[test]
fn a_caller_can_cancel_between_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/shop");
    for n_allowed in [0, 1, 5] {
        let n_calls = AtomicUsize::new(0);
        let progress = |_, _| {
            if n_calls.fetch_add(1, Relaxed) >= n_allowed {
                std::panic::resume_unwind(Box::new("cancelled"));
            }
        };
        let store = Rc::new(Store::in_memory().expect("a store"));
        let code = CodeBase {
            root: &root,
            store: &store,
            exclude: &[],
            weights: &Weights::default(),
            now: 0,
            progress: &progress,
        };
        let refresh = || CodeIndex::refresh(code).is_ok();
        assert!(
            catch_unwind(AssertUnwindSafe(refresh)).is_err(),
            "after {n_allowed} calls"
        );
    }
}

#[test]
fn rankings_do_not_depend_on_other_rules() {
    let together = rank(&[query(BREAKER), query(HASH)], 20);
    for (rule, expected) in [(HASH, &together[1]), (BREAKER, &together[0])] {
        let alone = rank(&[query(rule)], 20);
        assert_eq!(format!("{:?}", alone[0]), format!("{expected:?}"));
    }
}

#[test]
fn rankings_do_not_depend_on_the_number_of_batches() {
    let rules = [BREAKER, HASH]
        .into_iter()
        .cycle()
        .take(RULES_PER_BATCH + 1);
    let queries: Vec<Query> = rules.map(query).collect();
    let rankings: Vec<String> = rank(&queries, 3)
        .iter()
        .map(|ranking| format!("{ranking:?}"))
        .collect();
    assert_eq!(rankings.len(), queries.len());
    assert!(rankings.iter().step_by(2).all(|it| *it == rankings[0]));
    assert!(
        rankings
            .iter()
            .skip(1)
            .step_by(2)
            .all(|it| *it == rankings[1])
    );
    assert_ne!(rankings[0], rankings[1]);
}

#[test]
fn a_batch_ends_before_it_needs_too_many_files() {
    let (query, rule) = (query(HASH), ParsedQuery::rule(HASH, &[]));
    let candidates = |files: std::ops::Range<usize>| FileCandidates {
        query: &query,
        rule: &rule,
        scorer: score::WeightedQuery::default(),
        files: files.map(|file| (file, 1.0, TermSet::default())).collect(),
        term_idxs: FxHashMap::default(),
        place: Place::default(),
        n_known_hints: 0,
    };
    let most = FILES_PER_BATCH;
    let candidates = [0..most + 1, 0..most - 1, 1..most, most..most + 1].map(candidates);
    let mut rest = &candidates[..];
    let mut batches = Vec::new();
    while !rest.is_empty() {
        let (batch, mut file_idxs) = next_batch(&mut rest);
        file_idxs.sort_unstable();
        batches.push((batch.len(), file_idxs.len(), file_idxs.last().copied()));
    }
    let first = (1, most + 1, Some(most));
    assert_eq!(
        batches,
        [first, (1, most - 1, Some(most - 2)), (2, most, Some(most))]
    );
}

#[test]
fn only_files_of_the_languages_are_candidates() {
    let go = Query {
        languages: Some(&[Language::Go]),
        ..query(HASH)
    };
    let candidates = &rank(&[go], 20)[0].candidates;
    assert!(!candidates.is_empty());
    assert!(candidates.iter().all(|it| it.file.ends_with(".go")));
}

#[test]
fn unknown_words_are_reported_with_suggestions() {
    let ranking = rank(&[query("Gzip the validatr")], 1).remove(0);
    let unknown = |word: &str, near: &[&str]| UnknownWord {
        word: word.to_owned(),
        is_hint: false,
        near: near.iter().map(|&near| near.to_owned()).collect(),
    };
    let expected = vec![unknown("gzip", &[]), unknown("validatr", &["validation"])];
    assert_eq!(ranking.unknown_words, Some(expected));
}

#[test]
fn unknown_hints_are_reported_as_typed_without_an_explanation() {
    let hints = vec![
        "Gzip".to_owned(),
        "hash_Gzipped".to_owned(),
        "hash".to_owned(),
    ];
    let options = Options {
        explain: false,
        ..options(1)
    };
    let queries = [
        Query {
            hints,
            ..query("Hash the qqqq")
        },
        query("Hash the qqqq"),
    ];
    let rankings = rank_with(&queries, options);
    let unknown = rankings[0].unknown_words.as_deref().unwrap_or_default();
    let words: Vec<&str> = unknown.iter().map(|it| it.word.as_str()).collect();
    assert_eq!(words, ["Gzip", "hash_Gzipped"]);
    assert_eq!(rankings[1].unknown_words, None);
}

#[test]
fn a_hint_that_occurs_nowhere_lowers_no_match() {
    let match_with = |hints: &[&str]| {
        let hints = hints.iter().map(|&hint| hint.to_owned()).collect();
        let ranking = rank(
            &[Query {
                hints,
                ..query(HASH)
            }],
            1,
        )
        .remove(0);
        ranking.candidates[0].match_score
    };
    assert_eq!(
        match_with(&["pbkdf2_hmac", "Zorgblatt"]),
        match_with(&["pbkdf2_hmac"])
    );
    assert!(match_with(&["pbkdf2_hmac", "close_session"]) < match_with(&["pbkdf2_hmac"]));
}

#[test]
fn code_without_a_body_is_no_example() {
    let text = "def log_action(a):\n    raise NotImplementedError\n\n\ndef keep(b):\n    log_action(b)\n    return b\n";
    let first = |rule: &str| rank_in_file("a.py", text, rule, 2).remove(0);
    assert_eq!(first("Log a failed action with `log_action`"), "keep");
    assert_eq!(
        first("Raise `NotImplementedError` in `log_action`"),
        "log_action"
    );
}

#[test]
fn a_short_symbol_precedes_a_long_one_that_is_hardly_better() {
    let fields: String = (0..80).map(|n| format!("    number_{n} = {n}\n")).collect();
    let class = |method: &str| {
        format!(
            "class Courier:\n    \"\"\"Delivers a parcel.\"\"\"\n{fields}\n    def {method}(self, parcel):\n        \"\"\"Delivers a parcel.\"\"\"\n        parcel.delivery = self\n        return parcel\n"
        )
    };
    let found = rank_in_file("a.py", &class("deliver_parcel"), "Deliver the parcel", 2);
    assert_eq!(found, ["Courier.deliver_parcel", "Courier"]);
    let found = rank_in_file("a.py", &class("f"), "A courier delivers the parcel", 2);
    assert_eq!(found[0], "Courier");
}

/// Returns the location of the first candidate for a rule in a project with these files.
fn first_in(files: &[(&str, &str)], rule: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in files {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let candidate = rank_in(folder.path(), &[query(rule)], options(1))[0].candidates[0].clone();
    format!(
        "{}::{}",
        candidate.file,
        candidate.symbol.unwrap_or_default()
    )
}

#[test]
fn a_named_file_ranks_its_code_and_excludes_no_other() {
    let sealed = "def seal(parcel):\n    label = wax_stamp(parcel)\n    return label\n";
    let barrel = "VERSION = 3\n";
    let files = [("barrel.py", barrel), ("seal.py", sealed)];
    let rule = "Parcels get a `wax_stamp(parcel)`, see `barrel.py`";
    assert_eq!(first_in(&files, rule), "seal.py::seal");
    let files = [("a.py", sealed), ("b.py", sealed)];
    let rule = "Parcels get a `wax_stamp(parcel)` as in `b.py`";
    assert_eq!(first_in(&files, rule), "b.py::seal");
    let rule = "Parcels get a `wax_stamp(parcel)`; register them in `b.py`";
    assert_eq!(first_in(&files, rule), "a.py::seal");
}

#[test]
fn a_type_derived_from_the_named_one_precedes_it() {
    let text = "class Load:\n    \"\"\"A load.\"\"\"\n\n    def weigh(self):\n        return self.load\n\n\nclass Crate(Load):\n    def open(self):\n        return pry(self)\n\n\ndef unload(load):\n    return Load(load).weigh()\n";
    let found = rank_in_file("a.py", text, "Every load inherits from `Load`", 1);
    assert_eq!(found, ["Crate"]);
}

#[test]
fn a_name_of_a_module_that_the_rule_names_shows_it() {
    let plain = "def register(hooks):\n    marker = make_marker(hooks)\n    return marker\n";
    let imported = format!("from pluggy import make_marker\n\n\n{plain}");
    let files = [("a.py", plain), ("b.py", &imported)];
    assert_eq!(
        first_in(&files, "Hooks get a marker with pluggy"),
        "b.py::register"
    );
    let unused = imported.replace("make_marker", "other_marker");
    let unused = unused.replacen("= other_marker", "= make_marker", 1);
    let files = [("a.py", plain), ("b.py", &unused), ("c.py", &imported)];
    assert_eq!(
        first_in(&files, "Hooks get a marker with pluggy"),
        "c.py::register"
    );
}

#[test]
fn the_users_of_a_named_package_precede_its_own_code() {
    let own = "package depot\n\n// Crates of parcels.\nfunc Crates(parcels int) int {\n\treturn parcels\n}\n";
    let user = "package main\n\nimport \"x/lib/depot\"\n\nfunc send(parcels int) int {\n\treturn depot.Crates(parcels)\n}\n";
    let files = [("lib/depot/a.go", own), ("main.go", user)];
    assert_eq!(
        first_in(&files, "Use `lib/depot` for parcels"),
        "main.go::send"
    );
}

#[test]
fn code_beside_a_definition_does_not_use_it() {
    let own = "def seal(parcel):\n    return parcel\n\n\ndef seal_each(parcels):\n    return [seal(parcel) for parcel in parcels]\n";
    let user = "def send(parcels):\n    return [seal(parcel) for parcel in parcels]\n";
    let files = [("a.py", own), ("b.py", user)];
    assert_eq!(first_in(&files, "Use `seal()` for parcels"), "b.py::send");
}

#[test]
fn files_of_the_named_ending_precede_others() {
    let code = "def pack(parcel):\n    return crate(parcel)\n";
    let files = [("depot.py", code), ("depot_windows.py", code)];
    let rule = "Code that packs a parcel is in files that end with `_windows.py`";
    assert_eq!(first_in(&files, rule), "depot_windows.py::pack");
}

#[test]
fn code_is_found_as_it_is_written() {
    let text = "export function a() {\n  const sizes = as([1, 2]);\n  return sizes;\n}\n\nexport function b() {\n  return [1, 2] as const;\n}\n";
    let found = rank_in_file("a.ts", text, "Sizes end with `as const`", 1);
    assert_eq!(found, ["b"]);
}

#[test]
fn more_symbols_than_are_read_can_be_listed() {
    let text: String = (0..READ_SYMBOLS + 10)
        .map(|n| format!("def f{n}(a):\n    b = a\n    return wrap_it(b)\n\n\n"))
        .collect();
    let rule = "Use `wrap_it()` to wrap";
    let all = rank_in_file("a.py", &text, rule, 100);
    assert_eq!(all.len(), READ_SYMBOLS + 10);
    assert_eq!(rank_in_file("a.py", &text, rule, 5), all[..5]);
}

#[test]
fn a_rule_without_known_words_has_no_candidates() {
    let rankings = rank(&[query(""), query("qqqq")], 5);
    assert!(rankings.iter().all(|ranking| ranking.candidates.is_empty()));
}

#[test]
fn code_with_only_the_forbidden_form_is_no_candidate() {
    let old = (0..READ_SYMBOLS + 20).map(|n| {
        format!("def send_parcel_{n}(parcel):\n    \"\"\"Send the parcel.\"\"\"\n    old_post(parcel)\n\n\n")
    });
    let new = "def new_way(parcel):\n    fresh_post(parcel)\n    old_post(parcel)\n";
    let text = old.collect::<String>() + new;
    for rule in [
        "Send a parcel with `fresh_post()` instead of `old_post()`",
        "Never call `old_post()` to send a parcel; use `fresh_post()`",
        "To send a parcel, `old_post()` must be replaced by `fresh_post()`",
    ] {
        assert_eq!(rank_in_file("a.py", &text, rule, 5), ["new_way"], "{rule}");
    }
    let banned = rank_in_file("a.py", &text, "Never call `old_post()` with a parcel", 5);
    assert_eq!(banned, [""; 0]);
    // Nothing is forbidden.
    let wanted = rank_in_file("a.py", &text, "Send a parcel with `old_post()`", 5);
    assert_eq!(wanted.len(), 5);
}
