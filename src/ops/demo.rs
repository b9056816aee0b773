//! `demo`: the whole life cycle on a throw-away repository, each step checked.
#![expect(
    clippy::disallowed_methods,
    reason = "the demo makes, changes and removes a folder of its own"
)]

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Serialize;

use crate::bank::Bank;
use crate::engine::rank::calibrate::Weights;
use crate::engine::rank::fusion::Recency;
use crate::model::{MemoryType, State};

use super::memories::Filter;
use super::reanchor::{self, Mode};
use super::{Project, add, init, inject, pins, search, show, trash};

/// The repository: a rule's example in Python, another one's in Go, and code around them.
const FILES: &[(&str, &str)] = &[
    ("shop/accounts.py", include_str!("demo/accounts.py")),
    ("shop/orders.py", include_str!("demo/orders.py")),
    ("api/limit.go", include_str!("demo/limit.go")),
];

/// A memory of two sections, to slice.
const NOTES: &str = include_str!("demo/release-notes.md");

const HASHING: &str = "Hash a password with a fresh salt before it is stored";
const LIMITING: &str = "Answer too many requests from one client with status 429";
const HOPELESS: &str = "Render invoices as PDF with embedded fonts";

/// What the demo showed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether every step held.
    pub(crate) ok: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) elapsed_ms: f64,
}

/// One step and what it showed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) shows: String,
    pub(crate) ok: bool,
}

/// Runs the demo in a folder of its own, which is gone afterwards.
pub(crate) fn demo(now: Timestamp) -> Result<Report> {
    let started = Instant::now();
    let folder = tempfile::tempdir().context("failed to make a folder for the demo")?;
    let root = folder.path().canonicalize()?;
    for (path, text) in FILES {
        write(&root.join(path), text)?;
    }
    let bank = Bank::new(root.join(".memories"));
    let project = Project {
        store: bank.folder().join("indices/cerberus.db"),
        bank,
        exclude: Vec::new(),
        min_quality: 0.7,
        weights: Weights::default(),
        recency: Recency::default(),
        pins: pins::PinLimits::default(),
        inject: inject::InjectOptions::default(),
        now,
        root,
    };
    let mut steps = Vec::new();
    remember(&project, &mut steps)?;
    refactor(&project, &mut steps)?;
    look_up(&project, &mut steps)?;
    Ok(Report {
        ok: steps.iter().all(|step| step.ok),
        steps,
        elapsed_ms: (started.elapsed().as_secs_f64() * 1e6).round() / 1e3,
    })
}

fn step(steps: &mut Vec<Step>, command: &str, shows: impl Into<String>, ok: bool) {
    steps.push(Step { command: command.to_owned(), shows: shows.into(), ok });
}

/// The rules come in and find their examples.
fn remember(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let made = init::init(project)?;
    step(steps, "cerberus memory init", made.created.join(", "), project.bank.exists());
    let rules = [
        ("hash-passwords", HASHING, Some(("shop/accounts.py", "Accounts.register"))),
        ("limit-clients", LIMITING, Some(("api/limit.go", "Limiter.Wrap"))),
        ("render-invoices", HOPELESS, None),
    ];
    for (id, text, expected) in rules {
        let report = add::add(project, &rule(id, text, project.min_quality))?;
        let found = report.anchor.map(|anchor| (anchor.file, anchor.symbol.unwrap_or_default()));
        let shows = match &found {
            Some((file, symbol)) => format!("example {file}::{symbol}"),
            None => "no example, as there is none".to_owned(),
        };
        let is_expected =
            found.as_ref().map(|(file, symbol)| (file.as_str(), symbol.as_str())) == expected;
        step(steps, &format!("cerberus memory add \"{text}\" --id {id}"), shows, is_expected);
    }
    Ok(())
}

fn rule(id: &str, text: &str, min_quality: f64) -> add::Request {
    add::Request {
        text: text.to_owned(),
        id: Some(id.to_owned()),
        memory_type: MemoryType::Rule,
        category: None,
        scope: None,
        tags: Vec::new(),
        hints: Vec::new(),
        anchor_to: None,
        no_anchor: false,
        min_quality,
        allow_secret: false,
    }
}

/// The code changes, and the anchors follow.
fn refactor(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let (old, new) =
        (project.root.join("shop/accounts.py"), project.root.join("people/members.py"));
    let text = std::fs::read_to_string(&old)?.replace("class Accounts", "class Members");
    write(&new, &text)?;
    std::fs::remove_file(&old)?;
    let moved = "the file moves to people/members.py, the class becomes Members";
    step(steps, "git mv shop/accounts.py people/members.py", moved, true);

    let check = follow(project, Mode::Check)?;
    let command = "cerberus memory reanchor --check";
    step(steps, command, format!("exit status 1: {}", moves(&check)), !check.ok);
    let done = follow(project, Mode::Follow)?;
    step(steps, "cerberus memory reanchor", moves(&done), done.stored);
    let check = follow(project, Mode::Check)?;
    step(steps, command, "exit status 0: every anchor holds", check.ok);
    Ok(())
}

fn follow(project: &Project, mode: Mode) -> Result<reanchor::Report> {
    let request = reanchor::Request {
        mode,
        filter: Filter::default(),
        min_quality: project.min_quality,
        strict: false,
        since: None,
    };
    reanchor::reanchor(project, &request, &|_, _| ())
}

fn moves(report: &reanchor::Report) -> String {
    let moved = report.results.iter().filter(|finding| finding.state != State::Fresh);
    let told = moved.map(|finding| {
        let place = finding.new.as_ref().map_or("nowhere", |place| place.file.as_str());
        format!("{} {} to {place}", finding.id, finding.state)
    });
    told.collect::<Vec<_>>().join(", ")
}

/// The memories are shown, sliced, deleted and restored.
fn look_up(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let request = show::Request { anchored: true, ..show::Request::default() };
    let shown = |project: &Project| -> Result<String> {
        let report = show::show(project, &request)?;
        let code = report.memories.into_iter().filter_map(|memory| memory.anchor?.code);
        Ok(code.collect::<Vec<_>>().join("\n"))
    };
    let before = shown(project)?;
    if let Some(indices) = project.store.parent() {
        std::fs::remove_dir_all(indices)?;
    }
    let same = before == shown(project)? && before.contains("def register");
    let told = "the same code with the store deleted";
    step(steps, "rm -r .memories/indices && cerberus memory show --anchored", told, same);

    write(&project.bank.folder().join("release-notes.md"), NOTES)?;
    let found = search::search(
        project,
        &search::Request {
            query: "release".to_owned(),
            sections: vec!["summary".to_owned()],
            content: true,
            filter: Filter::default(),
            since: None,
            until: None,
            superseded: false,
            limit: 1,
        },
    )?;
    let metrics = found.results.first().and_then(|hit| hit.token_metrics.clone());
    let (told, ok) = match metrics.and_then(|metrics| Some((metrics.savings_percent?, metrics))) {
        Some((saved, it)) => (
            format!("{} of {} tokens, {saved} % saved", it.actual_tokens, it.full_file_tokens),
            saved > 50.0,
        ),
        None => ("nothing found".to_owned(), false),
    };
    step(steps, "cerberus memory search release --anchors summary --content", told, ok);

    let deleted = trash::delete(project, &["limit-clients".to_owned()])?;
    let restored = trash::restore(project, "limit-clients")?;
    let ok =
        [&deleted, &restored].iter().all(|report| report.moved.iter().all(|moved| moved.anchored));
    let command = "cerberus memory delete limit-clients && cerberus memory restore limit-clients";
    step(steps, command, "back from the trash, with its anchor", ok);
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("failed to write `{}`", path.display()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_step_holds() {
        let report = super::demo(jiff::Timestamp::UNIX_EPOCH).expect("runs");
        let failed: Vec<_> = report.steps.iter().filter(|step| !step.ok).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
