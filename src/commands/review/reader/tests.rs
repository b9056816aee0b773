//! What is read from an answer, and what is recorded of it.

use cerberus_bank::ops::anchor::{self, Choice};
use cerberus_bank::ops::fields::Fields;
use cerberus_bank::ops::open_rules::named_rules;
use cerberus_bank::ops::review;
use cerberus_bank::ops::update::{self, Update};
use cerberus_model::RuleKind;
use serde_json::json;

use super::super::tests::settings;
use super::*;

const RULES: &[(&str, RuleKind, &str)] = &[
    ("escape", RuleKind::Code, "Escape HTML entities in text"),
    ("close", RuleKind::Code, "Close the session"),
];

/// Records answers about the rules, for which candidates were ranked if `is_ranked`.
fn record(settings: &Settings, is_ranked: bool, items: &[Value]) -> Vec<Decided> {
    let project = &settings.project;
    let memories = project.memories().expect("loaded");
    let ids: Vec<String> = RULES.iter().map(|(id, ..)| (*id).to_owned()).collect();
    let (rules, _) = named_rules(&memories, &ids);
    let (_, mut offered) = with_candidates(project, &rules).expect("ranked");
    if !is_ranked {
        offered.values_mut().for_each(Vec::clear);
    }
    for id in ids {
        offered.entry(id).or_default();
    }
    let choice = AgentChoice::new("claude", project.now);
    let answers = Answers {
        choice: &choice,
        items,
        offered: &offered,
        continues: false,
    };
    answers::record(project, &answers).expect("recorded")
}

fn text(settings: &Settings, id: &str) -> String {
    let bank = &settings.project.bank;
    bank.read(&format!("{id}.md")).expect("a memory").text
}

fn without_kind(settings: &Settings, id: &str) {
    let bank = &settings.project.bank;
    let _guard = bank.lock_for_writing().expect("a lock");
    let text = text(settings, id).replace("kind: code\n", "");
    bank.rewrite(&format!("{id}.md"), &text).expect("written");
}

#[test]
fn an_offered_candidate_is_stored_with_its_quality_and_other_code_with_full_quality() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    let items = [
        json!({ "id": "escape", "example": "web.py::escape_html" }),
        json!({ "id": "close", "example": "db.py" }),
    ];
    let decided = record(&settings, true, &items);
    assert!(
        decided.iter().all(|it| it.outcome == Outcome::Anchored),
        "{decided:?}"
    );
    let anchors = settings.project.bank.anchors().expect("read");
    let (escape, close) = (&anchors["escape"], &anchors["close"]);
    assert!(
        escape.quality > 0.0 && escape.quality < 1.0,
        "{}",
        escape.quality
    );
    assert_eq!((close.quality, close.symbol.as_deref()), (1.0, None));
    for anchor in [escape, close] {
        let choice = anchor.chosen.as_ref().map(ToString::to_string);
        assert_eq!(choice.as_deref(), Some("chosen by claude on 2026-01-02"));
        assert!(anchor.look_alikes.is_some());
    }
    // The agent may change its mind, and nothing is written for the same answer.
    let before = settings.project.bank.anchors().expect("read");
    record(&settings, true, &items);
    assert_eq!(settings.project.bank.anchors().expect("read"), before);
    record(
        &settings,
        false,
        &[json!({ "id": "escape", "example": "db.py::escape_xml" })],
    );
    let anchors = settings.project.bank.anchors().expect("read");
    assert_eq!(anchors["escape"].symbol.as_deref(), Some("escape_xml"));
}

#[test]
fn other_hints_replace_the_first_ones_and_a_refused_candidate_is_not_offered_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    let memories = settings.project.memories().expect("loaded");
    let (mut rules, _) = named_rules(&memories, &["escape".to_owned()]);
    rules[0].search_again(vec!["escape_html".to_owned()], Vec::new());
    let examples = |item: &Value| -> Vec<String> {
        let candidates = item["candidates"].as_array().expect("a list");
        candidates
            .iter()
            .map(|it| it["example"].as_str().expect("one").to_owned())
            .collect()
    };
    let (items, mut offered) = with_candidates(&settings.project, &rules).expect("ranked");
    let first = examples(&items[0]);
    assert_eq!(first[0], "web.py::escape_html");
    let refused = offered.remove("escape").expect("offered");
    rules[0].search_again(vec!["close_session".to_owned()], refused);
    let (items, offered) = with_candidates(&settings.project, &rules).expect("ranked");
    let second = examples(&items[0]);
    assert_eq!(
        (&items[0]["hints"], offered["escape"].len()),
        (&json!(["close_session"]), second.len())
    );
    assert!(
        !second.iter().any(|it| first.contains(it)),
        "{first:?} {second:?}"
    );
}

#[test]
fn an_invalid_answer_is_refused_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    for (item, why) in [
        (
            json!({ "id": "nothing", "none": true }),
            "`nothing` is not the id of a requested rule",
        ),
        (json!({ "none": true }), "missing field `id`"),
        (json!("escape"), "it is not an object"),
        (
            json!({ "id": "escape" }),
            "it has no kind, hints, example or `none`",
        ),
        (
            json!({ "id": "escape", "run": "ls", "none": true }),
            "unknown field `run`",
        ),
        (
            json!({ "id": "escape", "kind": "prose" }),
            "unknown variant `prose`",
        ),
        (
            json!({ "id": "escape", "example": "web.py", "none": true }),
            "it has an example and",
        ),
        (
            json!({ "id": "escape", "example": "web.py::nope" }),
            "symbol `nope` not found",
        ),
        (
            json!({ "id": "escape", "example": "no.py::f" }),
            "file `no.py` not found",
        ),
        (
            json!({ "id": "escape", "example": "" }),
            "`` is not a valid location",
        ),
        (json!({ "id": "escape", "example": "../key" }), ""),
        (json!({ "id": "escape", "example": "/etc/hosts" }), ""),
        (json!({ "id": "escape", "example": "web.py/../../key" }), ""),
        (
            json!({ "id": "escape", "hints": [""] }),
            "expected at most 12 hints",
        ),
        (
            json!({ "id": "escape", "hints": ["x".repeat(81)] }),
            "expected at most 12 hints",
        ),
        (
            json!({ "id": "escape", "hints": vec!["x"; 13] }),
            "expected at most 12 hints",
        ),
        (
            json!({ "id": "escape", "hints": ["a\nb"] }),
            "the hint `a\\nb` contains the control",
        ),
    ] {
        let valid = json!({ "id": "close", "hints": ["close"] });
        let before = (
            text(&settings, "escape"),
            settings.project.bank.anchors().expect("read"),
        );
        let decided = record(&settings, true, &[item.clone(), valid]);
        let [refused, other] = &decided[..] else {
            panic!("{decided:?}")
        };
        let reason = refused.reason.as_deref().unwrap_or_default();
        assert_eq!(
            (refused.outcome, other.outcome),
            (Outcome::Refused, Outcome::Described)
        );
        assert!(
            reason.starts_with(why) && !reason.is_empty(),
            "{item}: {reason}"
        );
        let after = (
            text(&settings, "escape"),
            settings.project.bank.anchors().expect("read"),
        );
        assert_eq!(before, after, "{item}");
    }
    let item = json!({ "id": "escape", "hints": ["html"] });
    let decided = record(&settings, true, &[item.clone(), item]);
    assert_eq!(
        decided
            .iter()
            .filter(|it| it.outcome == Outcome::Refused)
            .count(),
        1
    );
}

#[test]
fn a_choice_of_a_person_is_never_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    let anchor = |choice: Choice| {
        let request = anchor::Request {
            id: "escape".to_owned(),
            choice,
            ..anchor::Request::default()
        };
        anchor::anchor(&settings.project, &request).expect("done")
    };
    let answers = [
        json!({ "id": "escape", "example": "db.py::escape_xml" }),
        json!({ "id": "escape", "none": true }),
        json!({ "id": "escape", "hints": ["xml"] }),
    ];
    let check = |why: &str| {
        let before = (
            text(&settings, "escape"),
            settings.project.bank.anchors().expect("read"),
        );
        for answer in &answers {
            let decided = record(&settings, true, std::slice::from_ref(answer));
            assert_eq!(decided[0].reason.as_deref(), Some(why), "{answer}");
        }
        let after = (
            text(&settings, "escape"),
            settings.project.bank.anchors().expect("read"),
        );
        assert_eq!(before, after);
    };
    anchor(Choice::To("web.py::escape_html".parse().expect("valid")));
    check("a person chose its example; ask before you change that");
    anchor(Choice::None);
    check("a person decided that it has no example; ask before you change that");
    anchor(Choice::Clear);
    // `kind: code` of a person is kept as well.
    let decided = record(
        &settings,
        true,
        &[json!({ "id": "escape", "kind": "process" })],
    );
    assert_eq!(decided[0].outcome, Outcome::Described);
    assert!(text(&settings, "escape").contains("kind: code\n"));
}

#[test]
fn what_an_agent_says_is_in_the_frontmatter_until_the_rule_or_its_anchor_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RULES);
    for (id, ..) in RULES {
        without_kind(&settings, id);
    }
    let project = &settings.project;
    let open = || -> Vec<String> {
        let memories = project.memories().expect("loaded");
        let (open, _) = open_rules(&memories, &review::Request::default()).expect("listed");
        open.iter().map(|rule| rule.id().to_owned()).collect()
    };
    let described = json!({ "id": "escape", "kind": "code", "hints": ["html", " amp ", "html"] });
    record(
        &settings,
        true,
        &[described, json!({ "id": "close", "kind": "process" })],
    );
    let escape = text(&settings, "escape");
    assert!(
        escape.contains("kind: code\nscope") && escape.contains("hints: [html, amp]"),
        "{escape}"
    );
    let close = text(&settings, "close");
    assert!(
        close.contains("kind: process\n") && close.contains("reviewed_by: claude\n"),
        "{close}"
    );
    assert_eq!(open(), ["escape"]);
    record(
        &settings,
        true,
        &[json!({ "id": "escape", "none": true, "hints": ["quot"] })],
    );
    let escape = text(&settings, "escape");
    assert!(escape.contains("hints: [html, amp, quot]\n"), "{escape}");
    assert_eq!(open(), [""; 0]);
    let update = |request: Update| {
        let request = Update {
            id: "escape".to_owned(),
            ..request
        };
        update::update(project, &request).expect("updated");
        text(&settings, "escape").contains("reviewed_by")
    };
    let fields = Fields {
        tags: Some(vec!["web".to_owned()]),
        ..Fields::default()
    };
    let tags = Update {
        fields,
        ..Update::default()
    };
    assert!(update(tags), "the rule is as before");
    let content = Update {
        content: Some("Escape all entities".to_owned()),
        ..Update::default()
    };
    assert!(!update(content));
    record(&settings, true, &[json!({ "id": "escape", "none": true })]);
    let location = "web.py::escape_html".parse().expect("a location");
    let request = anchor::Request {
        id: "escape".to_owned(),
        choice: Choice::To(location),
        ..anchor::Request::default()
    };
    anchor::anchor(project, &request).expect("anchored");
    assert!(!text(&settings, "escape").contains("reviewed_by"));
}
