//! Anchors through moves, renames, edits and deletions of small trees.
#![expect(clippy::disallowed_methods, reason = "the tests make the trees they follow through")]

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::model::Origin;

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

fn write(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let full = root.join(path);
        std::fs::create_dir_all(full.parent().expect("a folder")).expect("a folder");
        std::fs::write(full, text).expect("a file");
    }
}

fn anchor_at(root: &Path, place: &str) -> Anchor {
    let (file, symbol) =
        place.split_once("::").map_or((place, None), |(file, symbol)| (file, Some(symbol)));
    let located = locate(root, file, symbol).expect(place);
    let fields = located.fingerprint.to_fields();
    Anchor {
        file: located.place.file,
        symbol: located.place.symbol,
        kind: located.place.kind,
        language: located.place.language,
        origin: Origin::Manual,
        quality: 1.0,
        match_score: 1.0,
        commit: None,
        fingerprint: Fingerprint::from_fields(&fields).expect("as it was written"),
    }
}

fn spell(one: &Followed) -> String {
    let edited = if one.edited && one.state != State::Edited { " edited" } else { "" };
    let place = one.new.as_ref().map_or(String::new(), |place| match &place.symbol {
        Some(symbol) => format!(" {}::{symbol}", place.file),
        None => format!(" {}", place.file),
    });
    format!("{}{edited}{place}", one.state)
}

/// Anchors to `places` in one tree, follows them in another, and follows what was
/// found once more, which must be all fresh.
fn check(old: &[(&str, &str)], new: &[(&str, &str)], places: &[&str], expected: &[&str]) {
    let (before, after) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    write(before.path(), old);
    write(after.path(), new);
    let anchors: Vec<Anchor> = places.iter().map(|place| anchor_at(before.path(), place)).collect();
    let found = follow(after.path(), &[], &anchors, &|_, _| ()).expect("followed");
    assert_eq!(found.iter().map(spell).collect::<Vec<_>>(), expected, "{found:#?}");
    let moved = |(anchor, one): (&Anchor, &Followed)| {
        let new = one.new.clone()?;
        let fingerprint = one.fingerprint.clone()?;
        Some(Anchor {
            file: new.file,
            symbol: new.symbol,
            kind: new.kind,
            language: new.language,
            fingerprint,
            ..anchor.clone()
        })
    };
    let again: Vec<Anchor> = anchors.iter().zip(&found).filter_map(moved).collect();
    // With nothing known of the file, each is compared.
    let compared: Vec<Anchor> = again.iter().cloned().map(without_file_hash).collect();
    for again in [again, compared] {
        for one in follow(after.path(), &[], &again, &|_, _| ()).expect("followed again") {
            assert_eq!(one.state, State::Fresh, "{one:#?}");
        }
    }
}

fn without_file_hash(mut anchor: Anchor) -> Anchor {
    anchor.fingerprint.file = 0;
    anchor
}

#[test]
fn an_anchor_that_holds_is_fresh_reformatted_or_edited() {
    let old = [("a.py", LOAD)];
    let place = ["a.py::load_rows"];
    check(&old, &old, &place, &["fresh a.py::load_rows"]);
    let spaced = LOAD.replace("Reads the", "Gives the").replace("\",\"", "','");
    check(&old, &[("a.py", &spaced)], &place, &["reformatted a.py::load_rows"]);
    check(
        &old,
        &[("a.py", &LOAD.replace("> limit", ">= limit"))],
        &place,
        &["edited a.py::load_rows"],
    );
}

#[test]
fn a_file_that_moved_whole_takes_its_anchors_along() {
    let old = [("a.py", LOAD), ("b.py", CLOSE)];
    let reason = |new: &[(&str, &str)], expected: &str| {
        let (before, after) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        write(before.path(), &old);
        write(after.path(), new);
        let anchors = [anchor_at(before.path(), "a.py::load_rows")];
        let found = follow(after.path(), &[], &anchors, &|_, _| ()).expect("followed");
        assert_eq!(spell(&found[0]), expected);
        // What is found with the help of the file is found without.
        let compared = anchors.map(without_file_hash);
        let searched = follow(after.path(), &[], &compared, &|_, _| ()).expect("followed");
        assert_eq!(spell(&searched[0]), expected);
        found[0].reason.clone()
    };
    let whole = reason(&[("c/d.py", LOAD), ("b.py", CLOSE)], "moved c/d.py::load_rows");
    assert_eq!(whole, "its whole file is now `c/d.py`, unchanged");
    let longer = format!("{LOAD}\n\n{CLOSE}");
    let searched = reason(&[("c/d.py", &longer)], "moved c/d.py::load_rows");
    assert_eq!(searched, "the same code is now at `c/d.py::load_rows`");
    reason(&[("c/d.py", LOAD), ("c/e.py", LOAD)], "ambiguous");
}

#[test]
fn code_is_followed_to_other_files_and_names() {
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
    let edited = LOAD.replace("> limit", ">= limit").replace("ValueError", "TableError");
    check(&old, &[("c/d.py", &edited)], &["a.py::load_rows"], &["moved edited c/d.py::load_rows"]);
}

#[test]
fn what_was_deleted_is_gone_whatever_stood_beside_it() {
    let twin = LOAD.replace("load_rows", "load_rows_strictly").replace("> limit", "!= limit");
    let both = format!("{LOAD}\n{twin}");
    check(&[("a.py", &both)], &[("a.py", &twin)], &["a.py::load_rows"], &["gone"]);
    check(&[("a.py", LOAD)], &[("b.py", CLOSE)], &["a.py::load_rows"], &["gone"]);
    check(&[("a.py", LOAD)], &[], &["a.py::load_rows"], &["gone"]);
}

#[test]
fn equals_are_never_guessed_between() {
    check(
        &[("a.py", LOAD)],
        &[("x/b.py", LOAD), ("x/c.py", LOAD)],
        &["a.py::load_rows"],
        &["ambiguous"],
    );
}

#[test]
fn two_anchors_never_end_on_one_symbol() {
    let twin = LOAD.replace("load_rows", "load_cells");
    let old = [("a.py", LOAD), ("b.py", twin.as_str())];
    let places = ["a.py::load_rows", "b.py::load_cells"];
    check(&old, &[("c.py", LOAD)], &places, &["moved c.py::load_rows", "gone"]);
    let both = format!("{LOAD}\n{twin}");
    check(&old, &[("c.py", &both)], &places, &["moved c.py::load_rows", "moved c.py::load_cells"]);
    // Two memories may be anchored to one symbol.
    check(&old, &[("c.py", LOAD)], &["a.py::load_rows"; 2], &["moved c.py::load_rows"; 2]);
}

#[test]
fn a_forwarder_under_the_old_name_leads_to_the_code() {
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
fn methods_keep_to_their_class() {
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
    check(&[("a.py", SERVER)], &[("b.py", other)], &["a.py::Server.start"], &["gone"]);
}

#[test]
fn of_several_definitions_of_one_name_the_same_is_chosen() {
    let accessors = "class A:\n    @property\n    def size(self):\n        return self._size + self.border\n\n    @size.setter\n    def size(self, value):\n        self._size = check(value)\n";
    let swapped = "class A:\n    @size.setter\n    def size(self, value):\n        self._size = check(value)\n\n    @property\n    def size(self):\n        return self._size + self.border\n";
    check(&[("a.py", accessors)], &[("a.py", swapped)], &["a.py::A.size"], &["fresh a.py::A.size"]);
}

#[test]
fn whole_files_are_followed_too() {
    let notes = "first line\nsecond line\nthird line\nfourth line\n";
    let old = [("a.py", LOAD), ("doc/notes.txt", notes), ("doc/other.txt", "something else\n")];
    let new =
        [("src/a.py", LOAD), ("docs/notes.txt", notes), ("doc/other.txt", "something else\n")];
    let places = ["a.py", "doc/notes.txt", "doc/other.txt"];
    check(&old, &new, &places, &["moved src/a.py", "moved docs/notes.txt", "fresh doc/other.txt"]);
    check(&old, &[("c.txt", "nothing\n")], &places, &["gone"; 3]);
}

#[test]
fn languages_are_not_crossed_but_kin_are() {
    let code = "export function total(rows) {\n  let sum = 0;\n  for (const row of rows) { sum += row.price * row.count; }\n  return round(sum, rows.currency);\n}\n";
    check(&[("a.js", code)], &[("b.ts", code)], &["a.js::total"], &["moved b.ts::total"]);
    check(
        &[("a.js", code)],
        &[("b.py", "def total(rows): return rows\n")],
        &["a.js::total"],
        &["gone"],
    );
}

fn located(file: &str, symbol: Option<&str>) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let twice = format!("{SERVER}\nclass Other:\n    def start(self): pass\n");
    write(folder.path(), &[("a.py", &twice), ("b.txt", "text\n")]);
    let found = locate(folder.path(), file, symbol).map(|it| it.place.symbol.unwrap_or_default());
    found.map_err(|error| {
        let failure =
            error.downcast_ref::<crate::error::UserError>().expect("a failure with a hint");
        format!("{failure}; {}", failure.hints.join("; "))
    })
}

#[test]
fn places_are_found_as_people_type_them() {
    assert_eq!(located("a.py", Some("Server.start")), Ok("Server.start".to_owned()));
    assert_eq!(located("a.py", Some("__init__")), Ok("Server.__init__".to_owned()));
    assert_eq!(located("a.py", None), Ok(String::new()));
    for (file, symbol, expected) in [
        (
            "a.py",
            "start",
            "`start` is ambiguous in `a.py`; say which: `Server.start`, `Other.start`",
        ),
        (
            "a.py",
            "Sever.start",
            "`a.py` defines no `Sever.start`; it defines `Server.start`, `Server`",
        ),
        ("z.py", "f", "no such file: `z.py`"),
        ("b.txt", "f", "`b.txt` has no symbols that cerberus knows; anchor to the whole file"),
    ] {
        let error = located(file, Some(symbol)).expect_err(expected);
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Functions that differ in their words, by number.
fn function(n: usize, name: &str) -> String {
    let words = ["order", "price", "user", "token", "row", "page", "lock", "queue"];
    let (a, b, c) = (words[n % 8], words[(n / 2 + 3) % 8], words[(n * 5 + 1) % 8]);
    format!(
        "def {name}({a}, {b}):\n    {c}_{n} = {a}.find_{b}({n})\n    if {c}_{n} is None:\n        raise Missing_{n}({a})\n    return {c}_{n}.{b} + {a}.total\n"
    )
}

fn file(numbers: &[usize]) -> String {
    numbers.iter().map(|&n| function(n, &format!("f{n}")) + "\n").collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Functions are dealt anew to files: each is found, the order of the anchors
    /// does not matter, and together as alone the answer is the same.
    #[test]
    fn dealt_anew_all_are_found(homes in prop::collection::vec(0..3usize, 8), order in Just((0..8usize).collect::<Vec<_>>()).prop_shuffle()) {
        let (before, after) = (tempfile::tempdir()?, tempfile::tempdir()?);
        write(before.path(), &[("old.py", &file(&(0..8).collect::<Vec<_>>()))]);
        for at in 0..3 {
            let numbers: Vec<usize> = (0..8).filter(|&n| homes[n] == at).collect();
            write(after.path(), &[(&format!("new{at}.py"), &file(&numbers))]);
        }
        let anchors: Vec<Anchor> = (0..8).map(|n| anchor_at(before.path(), &format!("old.py::f{n}"))).collect();
        let found = follow(after.path(), &[], &anchors, &|_, _| ()).expect("followed");
        for (n, one) in found.iter().enumerate() {
            prop_assert_eq!(spell(one), format!("moved new{}.py::f{n}", homes[n]));
            let alone = follow(after.path(), &[], &anchors[n..=n], &|_, _| ()).expect("followed");
            prop_assert_eq!(&alone[0], one);
        }
        let shuffled: Vec<Anchor> = order.iter().map(|&n| anchors[n].clone()).collect();
        let again = follow(after.path(), &[], &shuffled, &|_, _| ()).expect("followed");
        for (at, &n) in order.iter().enumerate() {
            prop_assert_eq!(&again[at], &found[n]);
        }
    }
}

/// Returns an anchor on each symbol of a file.
fn anchors_of(code: &FileCode) -> Vec<Anchor> {
    let symbols = code.candidates.iter().enumerate().filter(|(_, it)| it.symbol.is_some());
    symbols
        .map(|(at, it)| Anchor {
            file: code.path.clone(),
            symbol: it.symbol.clone(),
            kind: it.kind,
            language: code.language,
            origin: Origin::Auto,
            quality: 1.0,
            match_score: 1.0,
            commit: None,
            fingerprint: code.fingerprint(at),
        })
        .collect()
}

/// The files of `after` were made from those of `before` by black, gofmt, prettier and
/// rustfmt with their defaults; those of `before` were written in other styles.
#[test]
fn what_a_formatter_did_is_no_edit() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/formatted");
    let (before, after) = (fixtures.join("before"), fixtures.join("after"));
    let mut anchors = Vec::new();
    for entry in crate::tree::walk::walk(&before, &[]).expect("a tree").entries {
        anchors.extend(anchors_of(&FileCode::read(&before, &entry.path).expect("a file")));
    }
    let found = follow(&after, &[], &anchors, &|_, _| ()).expect("followed");
    let held = |state| found.iter().filter(|one| one.state == state).count();
    let changed = anchors.iter().zip(&found).filter_map(|(anchor, one)| {
        let is_held = matches!(one.state, State::Fresh | State::Reformatted);
        (!is_held).then(|| format!("{}::{:?}: {}", anchor.file, anchor.symbol, spell(one)))
    });
    assert_eq!(changed.collect::<Vec<_>>(), Vec::<String>::new());
    assert!(held(State::Reformatted) > 100, "{}", held(State::Reformatted));
}
