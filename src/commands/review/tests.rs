//! A review with typed keys.
#![expect(clippy::disallowed_methods, reason = "these tests write source files")]

use std::collections::VecDeque;
use std::path::Path;

use anyhow::Result;
use cerberus_bank::ops::add::{self, Example};
use cerberus_bank::ops::fields::Fields;
use cerberus_bank::ops::review::list;
use cerberus_bank::ops::{InjectOptions, Project, pins};
use cerberus_bank::{Bank, Workspace};
use cerberus_engine::rank::calibrate::Weights;
use cerberus_model::{ExampleChoice, Origin, RuleKind};
use cerberus_store::StoreFile;

use super::session::{Person, Tally};
use super::*;
use crate::config::{CheckConfig, Terminal};

const CODE: &str = "\
def escape_html(text):
    \"\"\"Escapes HTML entities in text.\"\"\"
    return text.replace('<', '&lt;')


def close_session(session):
    session.close()
";

/// A project in which no candidate is sure, with these rules.
pub(super) fn settings(folder: &Path, rules: &[(&str, RuleKind, &str)]) -> Settings {
    std::fs::write(folder.join("web.py"), CODE).expect("a file");
    std::fs::write(folder.join("db.py"), CODE.replace("html", "xml")).expect("a file");
    let bank = Bank::new(folder.join(".memories"));
    bank.create().expect("a bank");
    let project = Workspace::new(Project {
        root: folder.to_owned(),
        store: StoreFile {
            path: bank.folder().join("indices/cerberus.db"),
            state: Some(folder.join("state")),
        },
        bank,
        name: None.into(),
        exclude: Vec::new(),
        min_quality: 1.0,
        min_import_quality: 1.0,
        weights: Weights::default(),
        recency: cerberus_engine::rank::fusion::Recency::default(),
        pins: pins::PinLimits::default(),
        inject: InjectOptions::default(),
        now: "2026-01-02T03:04:05Z".parse().expect("a time"),
    });
    for (id, kind, text) in rules {
        let args = add::Request {
            id: Some((*id).to_owned()),
            fields: Fields {
                kind: Some(*kind),
                ..Fields::default()
            },
            example: Example::None,
            text: (*text).to_owned(),
            ..add::Request::default()
        };
        add::add(&project, &args).expect("added");
    }
    Settings {
        project,
        is_project_named: false,
        memory_enabled: true,
        check: CheckConfig::default(),
        session: None,
    }
}

/// A person who types these keys. A line starts with `=` and ends with a newline.
struct Typist {
    keys: VecDeque<char>,
    /// What was shown.
    shown: String,
}

impl Person for Typist {
    fn key(&mut self, out: &mut Printer) -> Result<Option<char>> {
        self.shown.push_str(&out.take());
        Ok(self.keys.pop_front())
    }

    fn line(&mut self, out: &mut Printer) -> Result<String> {
        assert_eq!(self.key(out)?, Some('='));
        let end = self.keys.iter().position(|c| *c == '\n').expect("a line");
        let line = self.keys.drain(..end).collect();
        self.keys.pop_front();
        Ok(line)
    }
}

/// Reviews with typed keys, which must all be read. Returns what was decided and shown.
fn review_with(settings: &Settings, args: &Request, keys: &str) -> (Tally, String) {
    let report = list(&settings.project, args, &|_, _| {}).expect("a list");
    let terminal = Terminal {
        out_is_terminal: true,
        err_is_terminal: false,
        color: true,
        width: 80,
        height: 24,
    };
    let mut typist = Typist {
        keys: keys.chars().collect(),
        shown: String::new(),
    };
    let mut out = Printer::new(terminal, false);
    let tally = session::run(settings, report, &mut typist, &mut out).expect("a review");
    assert!(typist.keys.is_empty(), "left: {:?}", typist.keys);
    (tally, typist.shown + &out.take())
}

fn review(settings: &Settings, keys: &str) -> Tally {
    review_with(settings, &Request::default(), keys).0
}

fn ids(settings: &Settings) -> Vec<String> {
    let report = list(&settings.project, &Request::default(), &|_, _| {}).expect("a list");
    report.items.into_iter().map(|item| item.id).collect()
}

const RULES: &[(&str, RuleKind, &str)] = &[
    ("escape", RuleKind::Code, "Escape HTML entities in text"),
    ("hang", RuleKind::Code, "Hang velvet curtains"),
    (
        "ask",
        RuleKind::Process,
        "Ask the maintainers before adding a dependency",
    ),
];

#[test]
fn each_key_writes_its_decision() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    assert_eq!(ids(&settings), ["escape", "hang"]);
    // Unknown keys and the help change nothing.
    let tally = review(&settings, "?x91on");
    assert_eq!(
        tally,
        Tally {
            anchored: 1,
            refused: 1,
            skipped: 0
        }
    );
    let memories = settings.project.memories().expect("memories");
    let anchor = &memories.anchors["escape"];
    assert_eq!(
        (anchor.symbol.as_deref(), anchor.origin),
        (Some("escape_html"), Origin::Manual)
    );
    let hang = memories.find("hang").expect("it exists");
    assert_eq!(hang.memory.example, Some(ExampleChoice::None));
    assert_eq!(ids(&settings), [] as [&str; 0]);
}

#[test]
fn a_decision_can_be_made_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = [
        RULES[0],
        ("quote", RuleKind::Code, "Escape HTML quotes in text"),
    ];
    let settings = settings(folder.path(), &rules);
    let (tally, shown) = review_with(&settings, &Request::default(), "bnb1s");
    assert!(shown.contains("this is the first one"), "{shown}");
    assert_eq!(
        tally,
        Tally {
            anchored: 1,
            refused: 0,
            skipped: 1
        }
    );
    let memories = settings.project.memories().expect("memories");
    assert_eq!(
        memories.anchors["escape"].symbol.as_deref(),
        Some("escape_html")
    );
    assert_eq!(
        memories.find("escape").expect("it exists").memory.example,
        None
    );
}

#[test]
fn process_rules_and_rules_without_a_candidate_are_folded_until_they_are_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    let folded = "also 1 process rule and 1 without a candidate: o open, any other key to end";
    let (tally, shown) = review_with(&settings, &Request::default(), "sx");
    assert_eq!(
        tally,
        Tally {
            anchored: 0,
            refused: 0,
            skipped: 1
        }
    );
    assert!(
        shown.contains(folded) && !shown.contains("velvet"),
        "{shown}"
    );
    assert!(
        shown.contains("2 memories to review") && shown.contains("1/2"),
        "{shown}"
    );
    let (tally, shown) = review_with(&settings, &Request::default(), "soss");
    assert_eq!(
        tally,
        Tally {
            anchored: 0,
            refused: 0,
            skipped: 3
        }
    );
    assert!(
        shown.contains("velvet") && shown.contains("Ask the maintainers"),
        "{shown}"
    );
    let named = Request {
        ids: vec!["hang".to_owned()],
        ..Request::default()
    };
    let (tally, shown) = review_with(&settings, &named, "s");
    assert_eq!(
        tally,
        Tally {
            anchored: 0,
            refused: 0,
            skipped: 1
        }
    );
    assert!(shown.contains("velvet"), "{shown}");
}

#[test]
fn hints_are_stored_and_searched_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), &RULES[1..2]);
    let tally = review(&settings, "oh=\nh=close_session\n1");
    assert_eq!(
        tally,
        Tally {
            anchored: 1,
            refused: 0,
            skipped: 0
        }
    );
    let memories = settings.project.memories().expect("memories");
    let hang = &memories.find("hang").expect("it exists").memory;
    assert_eq!(hang.hints, ["close_session"]);
    assert_eq!(
        memories.anchors["hang"].symbol.as_deref(),
        Some("close_session")
    );
}

#[test]
fn an_interrupted_review_retains_its_decisions() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    assert_eq!(
        review(&settings, "n"),
        Tally {
            anchored: 0,
            refused: 1,
            skipped: 0
        }
    );
    assert_eq!(ids(&settings), ["hang"]);
    assert_eq!(review(&settings, "q"), Tally::default());
    assert_eq!(
        review(&settings, "os"),
        Tally {
            anchored: 0,
            refused: 0,
            skipped: 1
        }
    );
    assert_eq!(ids(&settings), ["hang"]);
}

#[test]
fn the_list_is_limited_after_it_is_ordered() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    let args = Request {
        limit: Some(2),
        all: true,
        ..Request::default()
    };
    let report = list(&settings.project, &args, &|_, _| {}).expect("a list");
    let kinds: Vec<(&str, RuleKind)> = report
        .items
        .iter()
        .map(|item| (item.id.as_str(), item.kind))
        .collect();
    assert_eq!(
        kinds,
        [("escape", RuleKind::Code), ("hang", RuleKind::Code)]
    );
    assert_eq!((report.total, report.skipped_process), (3, 0));
    let files: Vec<&str> = report.items[0]
        .candidates
        .iter()
        .take(2)
        .map(|it| it.file.as_str())
        .collect();
    assert_eq!(files, ["web.py", "db.py"]);
    assert!(
        report.items[0].candidates[0]
            .excerpt
            .starts_with("def escape_html(text):\n")
    );
}
