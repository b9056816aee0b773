//! Tracks anchors through moves, renames, edits and deletions in small trees.
#![expect(
    clippy::disallowed_methods,
    reason = "the tests write the trees that they track"
)]

mod locations;

use std::path::Path;

use cerberus_model::Origin;
use proptest::prelude::*;

use super::*;
use crate::syntax::fingerprint::encoding::FingerprintFields;

const LOAD: &str = "def load_rows(path, limit):
    \"\"\"Reads the rows of a table until the limit.\"\"\"
    rows = []
    with open(path) as source:
        for line in source:
            cells = line.strip().split(\",\")
            if len(cells) > limit:
                raise ValueError(cells)
            rows.append(cells)
    return rows
";

const CLOSE: &str = "def close_session(session, clock):
    if session.is_open:
        session.flush(clock.now())
        session.is_open = False
    return session.token
";

const SERVER: &str = "class Server:
    def __init__(self, port):
        self.port = port

    def start(self, handler):
        self.socket = bind(self.port)
        self.socket.listen(handler)
        return self.socket
";

pub(super) fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let full = root.join(path);
        std::fs::create_dir_all(full.parent().expect("a folder")).expect("a folder");
        std::fs::write(full, text).expect("a file");
    }
}

pub(super) fn anchor_at(root: &Path, location: &str) -> Anchor {
    let (file, symbol) = location
        .split_once("::")
        .map_or((location, None), |(file, symbol)| (file, Some(symbol)));
    let located = locate(root, file, symbol).expect(location);
    let fields = FingerprintFields::encode(&located.fingerprint);
    Anchor {
        file: located.found.file,
        symbol: located.found.symbol,
        kind: located.found.kind,
        language: located.found.language,
        origin: Origin::Manual,
        quality: 1.0,
        match_score: 1.0,
        commit: None,
        fingerprint: fields.decode().expect("valid fields"),
        others: Vec::new(),
        chosen: None,
        look_alikes: None,
    }
}

pub(super) fn spell(outcome: &Outcome) -> String {
    let edited = if outcome.edited && outcome.state != State::Edited {
        " edited"
    } else {
        ""
    };
    let location = outcome
        .new
        .as_ref()
        .map_or(String::new(), |found| match &found.symbol {
            Some(symbol) => format!(" {}::{symbol}", found.file),
            None => format!(" {}", found.file),
        });
    format!("{}{edited}{location}", outcome.state)
}

pub(super) fn follow_all(root: &Path, anchors: &[Anchor]) -> Vec<Outcome> {
    follow(root, &[], anchors, &|_, _| ()).expect("outcomes")
}

/// Anchors to `locations` in the old tree and tracks them in the new one. Tracks the results once
/// more, which must all be fresh.
fn check(old: &[(&str, &str)], new: &[(&str, &str)], locations: &[&str], expected: &[&str]) {
    let (before, after) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    write(before.path(), old);
    write(after.path(), new);
    let anchors: Vec<Anchor> = locations
        .iter()
        .map(|location| anchor_at(before.path(), location))
        .collect();
    let outcomes = follow_all(after.path(), &anchors);
    assert_eq!(
        outcomes.iter().map(spell).collect::<Vec<_>>(),
        expected,
        "{outcomes:#?}"
    );
    let moved = |(anchor, outcome): (&Anchor, &Outcome)| {
        let new = outcome.new.clone()?;
        let fingerprint = outcome.fingerprint.clone()?;
        Some(Anchor {
            file: new.file,
            symbol: new.symbol,
            kind: new.kind,
            language: new.language,
            fingerprint,
            ..anchor.clone()
        })
    };
    let again: Vec<Anchor> = anchors.iter().zip(&outcomes).filter_map(moved).collect();
    // Without the hash of the file, the code of each anchor is compared.
    let compared: Vec<Anchor> = again.iter().cloned().map(without_file_hash).collect();
    for again in [again, compared] {
        for outcome in follow_all(after.path(), &again) {
            assert_eq!(outcome.state, State::Fresh, "{outcome:#?}");
        }
    }
}

fn without_file_hash(mut anchor: Anchor) -> Anchor {
    anchor.fingerprint.file = 0;
    anchor
}

/// Anchors to `location` with the look-alikes of the old tree, removes the files of the old tree
/// that the new one does not have, and tracks the anchor with and without its look-alikes.
fn check_look_alikes(
    old: &[(&str, &str)],
    new: &[(&str, &str)],
    location: &str,
    expected: [&str; 2],
) {
    let (before, after) = (
        tempfile::tempdir().expect("a folder"),
        tempfile::tempdir().expect("a folder"),
    );
    write(before.path(), old);
    write(after.path(), new);
    let unaware = anchor_at(before.path(), location);
    let mut anchor = unaware.clone();
    remember_look_alikes(before.path(), &[], &mut [&mut anchor]).expect("a readable tree");
    let spelled = [anchor, unaware].map(|it| spell(&follow_all(after.path(), &[it])[0]));
    assert_eq!(spelled, expected);
}

#[test]
fn code_that_was_similar_when_the_anchor_was_recorded_is_not_its_successor() {
    let twin = LOAD
        .replace("load_rows", "load_rows_strictly")
        .replace("ValueError", "KeyError");
    let old = [
        ("a.py", LOAD),
        ("strict.py", twin.as_str()),
        ("b.py", CLOSE),
    ];
    let rest = [("strict.py", twin.as_str()), ("b.py", CLOSE)];
    let location = "a.py::load_rows";
    check_look_alikes(
        &old,
        &rest,
        location,
        ["gone", "renamed edited strict.py::load_rows_strictly"],
    );
    // The same name elsewhere, and a look-alike in the same file.
    let same_name = LOAD.replace("limit", "bound");
    let old = [("a.py", LOAD), ("other/a.py", same_name.as_str())];
    check_look_alikes(
        &old,
        &old[1..],
        location,
        ["gone", "moved edited other/a.py::load_rows"],
    );
    let both = format!("{LOAD}\n\n{twin}");
    check_look_alikes(
        &[("a.py", &both)],
        &[("a.py", &twin)],
        location,
        ["gone", "gone"],
    );
}

#[test]
fn a_look_alike_is_known_after_its_folder_was_moved() {
    let twin = LOAD
        .replace("load_rows", "load_rows_strictly")
        .replace("ValueError", "KeyError");
    check_look_alikes(
        &[("shop/a.py", LOAD), ("shop/strict.py", &twin)],
        &[("src/shop/strict.py", &twin)],
        "shop/a.py::load_rows",
        [
            "gone",
            "renamed edited src/shop/strict.py::load_rows_strictly",
        ],
    );
}

#[test]
fn code_that_moved_is_found_beside_its_look_alikes() {
    let twin = LOAD
        .replace("load_rows", "load_rows_strictly")
        .replace("ValueError", "KeyError");
    let edited = LOAD
        .replace("load_rows", "load_limited_rows")
        .replace("rows", "found");
    let old = [("a.py", LOAD), ("strict.py", twin.as_str())];
    let new = [
        ("shop/rows.py", edited.as_str()),
        ("strict.py", twin.as_str()),
    ];
    let moved = "renamed edited shop/rows.py::load_limited_found";
    let unaware = "renamed edited strict.py::load_rows_strictly";
    check_look_alikes(&old, &new, "a.py::load_rows", [moved, unaware]);
}

#[test]
fn an_anchor_in_place_is_fresh_reformatted_or_edited() {
    let old = [("a.py", LOAD)];
    let location = ["a.py::load_rows"];
    check(&old, &old, &location, &["fresh a.py::load_rows"]);
    let spaced = LOAD
        .replace("Reads the", "Gives the")
        .replace("\",\"", "','");
    check(
        &old,
        &[("a.py", &spaced)],
        &location,
        &["reformatted a.py::load_rows"],
    );
    check(
        &old,
        &[("a.py", &LOAD.replace("> limit", ">= limit"))],
        &location,
        &["edited a.py::load_rows"],
    );
}

#[test]
fn the_anchors_of_an_unchanged_moved_file_move_with_it() {
    let old = [("a.py", LOAD), ("b.py", CLOSE)];
    let reason = |new: &[(&str, &str)], expected: &str| {
        let (before, after) = (
            tempfile::tempdir().expect("a folder"),
            tempfile::tempdir().expect("a folder"),
        );
        write(before.path(), &old);
        write(after.path(), new);
        let anchors = [anchor_at(before.path(), "a.py::load_rows")];
        let found = follow_all(after.path(), &anchors);
        assert_eq!(spell(&found[0]), expected);
        // The search gives the same result without the hash of the file.
        let compared = anchors.map(without_file_hash);
        let searched = follow_all(after.path(), &compared);
        assert_eq!(spell(&searched[0]), expected);
        found[0].reason.clone()
    };
    let whole = reason(
        &[("c/d.py", LOAD), ("b.py", CLOSE)],
        "moved c/d.py::load_rows",
    );
    assert_eq!(whole, "its whole file is now `c/d.py`, unchanged");
    let longer = format!("{LOAD}\n\n{CLOSE}");
    let searched = reason(&[("c/d.py", &longer)], "moved c/d.py::load_rows");
    assert_eq!(searched, "the same code is now at `c/d.py::load_rows`");
    reason(&[("c/d.py", LOAD), ("c/e.py", LOAD)], "ambiguous");
}

#[test]
fn code_is_tracked_to_other_files_and_names() {
    let old = [("a.py", LOAD), ("b.py", CLOSE)];
    check(
        &old,
        &[("c/d.py", LOAD), ("b.py", CLOSE)],
        &["a.py::load_rows"],
        &["moved c/d.py::load_rows"],
    );
    let renamed = LOAD.replace("load_rows", "read_table");
    check(
        &old,
        &[("a.py", &renamed), ("b.py", CLOSE)],
        &["a.py::load_rows"],
        &["renamed a.py::read_table"],
    );
    let edited = LOAD
        .replace("> limit", ">= limit")
        .replace("ValueError", "TableError");
    check(
        &old,
        &[("c/d.py", &edited)],
        &["a.py::load_rows"],
        &["moved edited c/d.py::load_rows"],
    );
}

#[test]
fn deleted_code_is_gone_even_with_similar_code_beside_it() {
    let twin = LOAD
        .replace("load_rows", "load_rows_strictly")
        .replace("> limit", "!= limit");
    let both = format!("{LOAD}\n{twin}");
    check(
        &[("a.py", &both)],
        &[("a.py", &twin)],
        &["a.py::load_rows"],
        &["gone"],
    );
    check(
        &[("a.py", LOAD)],
        &[("b.py", CLOSE)],
        &["a.py::load_rows"],
        &["gone"],
    );
    check(&[("a.py", LOAD)], &[], &["a.py::load_rows"], &["gone"]);
}

#[test]
fn unlike_code_of_the_same_name_is_followed_only_to_a_file_of_the_same_name() {
    let rewritten = "def load_rows(path, limit):
    \"\"\"Loads rows.\"\"\"
    rows = Table(path).rows()
    if rows.count() > limit:
        raise ValueError(path)
    return rows.sorted()
";
    let check = |path, expected| {
        check(
            &[("a.py", LOAD)],
            &[(path, rewritten)],
            &["a.py::load_rows"],
            &[expected],
        );
    };
    check("store/b.py", "gone");
    check("store/a.py", "moved edited store/a.py::load_rows");
}

#[test]
fn an_anchor_with_two_equal_candidates_is_ambiguous() {
    check(
        &[("a.py", LOAD)],
        &[("x/b.py", LOAD), ("x/c.py", LOAD)],
        &["a.py::load_rows"],
        &["ambiguous"],
    );
}

#[test]
fn two_anchors_never_get_the_same_symbol() {
    let twin = LOAD.replace("load_rows", "load_cells");
    let old = [("a.py", LOAD), ("b.py", twin.as_str())];
    let locations = ["a.py::load_rows", "b.py::load_cells"];
    check(
        &old,
        &[("c.py", LOAD)],
        &locations,
        &["moved c.py::load_rows", "gone"],
    );
    let both = format!("{LOAD}\n{twin}");
    check(
        &old,
        &[("c.py", &both)],
        &locations,
        &["moved c.py::load_rows", "moved c.py::load_cells"],
    );
    // Two memories may be anchored to one symbol.
    check(
        &old,
        &[("c.py", LOAD)],
        &["a.py::load_rows"; 2],
        &["moved c.py::load_rows"; 2],
    );
}

#[test]
fn code_is_found_behind_a_forwarder_with_the_old_name() {
    let moved = format!(
        "{}\n\ndef load_rows(path, limit):\n    warn(\"use read_table\")\n    return read_table(path, limit)\n",
        LOAD.replace("load_rows", "read_table")
    );
    check(
        &[("a.py", LOAD)],
        &[("a.py", &moved)],
        &["a.py::load_rows"],
        &["renamed a.py::read_table"],
    );
}

#[test]
fn methods_are_tracked_with_their_class() {
    let moved = format!("import x\n\n\n{SERVER}");
    check(
        &[("a.py", SERVER)],
        &[("b.py", &moved)],
        &["a.py::Server.start"],
        &["moved b.py::Server.start"],
    );
    let renamed = SERVER.replace("Server", "Listener");
    check(
        &[("a.py", SERVER)],
        &[("a.py", &renamed)],
        &["a.py::Server.start"],
        &["renamed a.py::Listener.start"],
    );
    let other = "class Robot:\n    def start(self, handler):\n        self.motor = power(self.battery)\n        self.motor.turn(handler)\n        return self.motor\n";
    check(
        &[("a.py", SERVER)],
        &[("b.py", other)],
        &["a.py::Server.start"],
        &["gone"],
    );
}

#[test]
fn of_several_definitions_of_one_name_the_most_similar_is_matched() {
    let accessors = "class A:\n    @property\n    def size(self):\n        return self._size + self.border\n\n    @size.setter\n    def size(self, value):\n        self._size = check(value)\n";
    let swapped = "class A:\n    @size.setter\n    def size(self, value):\n        self._size = check(value)\n\n    @property\n    def size(self):\n        return self._size + self.border\n";
    let (old, new) = ("a.py::A.size#1", "fresh a.py::A.size#2");
    check(&[("a.py", accessors)], &[("a.py", swapped)], &[old], &[new]);
}

#[test]
fn whole_files_are_tracked() {
    let notes = "first line\nsecond line\nthird line\nfourth line\n";
    let old = [
        ("a.py", LOAD),
        ("doc/notes.txt", notes),
        ("doc/other.txt", "something else\n"),
    ];
    let new = [
        ("src/a.py", LOAD),
        ("docs/notes.txt", notes),
        ("doc/other.txt", "something else\n"),
    ];
    let locations = ["a.py", "doc/notes.txt", "doc/other.txt"];
    check(
        &old,
        &new,
        &locations,
        &[
            "moved src/a.py",
            "moved docs/notes.txt",
            "fresh doc/other.txt",
        ],
    );
    check(&old, &[("c.txt", "nothing\n")], &locations, &["gone"; 3]);
}

#[test]
fn code_is_tracked_only_to_compatible_languages() {
    let code = "export function total(rows) {\n  let sum = 0;\n  for (const row of rows) { sum += row.price * row.count; }\n  return round(sum, rows.currency);\n}\n";
    check(
        &[("a.js", code)],
        &[("b.ts", code)],
        &["a.js::total"],
        &["moved b.ts::total"],
    );
    check(
        &[("a.js", code)],
        &[("b.py", "def total(rows): return rows\n")],
        &["a.js::total"],
        &["gone"],
    );
}

/// Returns the `n`th of several functions with different words.
fn function(n: usize, name: &str) -> String {
    let words = [
        "order", "price", "user", "token", "row", "page", "lock", "queue",
    ];
    let (a, b, c) = (words[n % 8], words[(n / 2 + 3) % 8], words[(n * 5 + 1) % 8]);
    format!(
        "def {name}({a}, {b}):\n    {c}_{n} = {a}.find_{b}({n})\n    if {c}_{n} is None:\n        raise Missing_{n}({a})\n    return {c}_{n}.{b} + {a}.total\n"
    )
}

fn file(numbers: &[usize]) -> String {
    numbers
        .iter()
        .map(|&n| function(n, &format!("f{n}")) + "\n")
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every function is found after they were redistributed over files. The order of the anchors
    /// and the other anchors do not matter.
    #[test]
    fn redistributed_functions_are_all_found(file_idxs in prop::collection::vec(0..3usize, 8), order in Just((0..8usize).collect::<Vec<_>>()).prop_shuffle()) {
        let (before, after) = (tempfile::tempdir()?, tempfile::tempdir()?);
        write(before.path(), &[("old.py", &file(&(0..8).collect::<Vec<_>>()))]);
        for file_idx in 0..3 {
            let numbers: Vec<usize> = (0..8).filter(|&n| file_idxs[n] == file_idx).collect();
            write(after.path(), &[(&format!("new{file_idx}.py"), &file(&numbers))]);
        }
        let anchors: Vec<Anchor> = (0..8).map(|n| anchor_at(before.path(), &format!("old.py::f{n}"))).collect();
        let found = follow_all(after.path(), &anchors);
        for (n, one) in found.iter().enumerate() {
            prop_assert_eq!(spell(one), format!("moved new{}.py::f{n}", file_idxs[n]));
            let alone = follow_all(after.path(), &anchors[n..=n]);
            prop_assert_eq!(&alone[0], one);
        }
        let shuffled: Vec<Anchor> = order.iter().map(|&n| anchors[n].clone()).collect();
        let again = follow_all(after.path(), &shuffled);
        for (outcome, &n) in again.iter().zip(&order) {
            prop_assert_eq!(outcome, &found[n]);
        }
    }
}

/// Returns an anchor on each symbol of a file.
fn anchors_of(code: &FileSymbols) -> Vec<Anchor> {
    let symbols = code
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| symbol.name.is_some());
    symbols
        .map(|(symbol_idx, symbol)| Anchor {
            file: code.path.clone(),
            symbol: symbol.name.clone(),
            kind: symbol.kind,
            language: code.language,
            origin: Origin::Auto,
            quality: 1.0,
            match_score: 1.0,
            commit: None,
            fingerprint: code.fingerprint(symbol_idx),
            others: Vec::new(),
            chosen: None,
            look_alikes: None,
        })
        .collect()
}

/// black, gofmt, prettier and rustfmt with their defaults created the files of `after` from those of
/// `before`, which have other styles.
#[test]
fn code_changed_by_a_formatter_is_not_edited() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/formatted");
    let (before, after) = (fixtures.join("before"), fixtures.join("after"));
    let mut anchors = Vec::new();
    for entry in crate::tree::walk::walk(&before, &[])
        .expect("a tree")
        .entries
    {
        let code = FileSymbols::read(&before, &entry.path, ALL).expect("a file");
        anchors.extend(anchors_of(&code));
    }
    let outcomes = follow_all(&after, &anchors);
    let changed = anchors
        .iter()
        .zip(&outcomes)
        .filter_map(|(anchor, outcome)| {
            let is_changed = !matches!(outcome.state, State::Fresh | State::Reformatted);
            is_changed.then(|| format!("{}::{:?}: {}", anchor.file, anchor.symbol, spell(outcome)))
        });
    assert_eq!(changed.collect::<Vec<_>>(), Vec::<String>::new());
    let n_reformatted = outcomes
        .iter()
        .filter(|it| it.state == State::Reformatted)
        .count();
    assert!(n_reformatted > 100, "{n_reformatted}");
}

/// The symbol that [`verify_in_place`] finds, with and without the hash of the file.
#[test]
fn an_overload_is_verified_against_the_most_similar_definition() {
    let code = "class A:\n    @property\n    def size(self):\n        return self._size + self.border\n\n    @size.setter\n    def size(self, value):\n        self._size = check(value)\n";
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &[("a.py", code)]);
    let symbols = FileSymbols::read(folder.path(), "a.py", ALL).expect("a file");
    let setter = anchors_of(&symbols).pop().expect("the setter");
    for anchor in [setter.clone(), without_file_hash(setter)] {
        let verified = verify_in_place(folder.path(), "a.py", &[&anchor]).remove(0);
        let verified = verified.expect("the setter");
        assert_eq!(
            (verified.state, verified.is_ambiguous),
            (State::Fresh, false)
        );
        assert_eq!(verified.lines.1, 7);
    }
}
