//! `cerberus demo`: runs the main commands in a temporary repository and checks each step.
#![expect(
    clippy::disallowed_methods,
    reason = "the demo creates, changes and removes a temporary folder"
)]

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use jiff::Timestamp;
use serde::Serialize;

use super::add::{self, AddArgs};
use super::init;
use super::reanchor::{self, ReanchorArgs};
use crate::commands::show::{self, ShowArgs};
use crate::commands::trash::{self, DeleteArgs, RestoreArgs};
use crate::config;
use crate::output::{DIM, ERROR, OK, Printer};
use cerberus_bank::Bank;
use cerberus_bank::ops::{InjectOptions, Project, pins, search};
use cerberus_engine::rank::calibrate::Weights;
use cerberus_engine::rank::fusion::Recency;
use cerberus_model::State;
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_store::StoreFile;

/// The repository: one example in Python and one in Go, and other code.
const FILES: &[(&str, &str)] = &[
    ("shop/accounts.py", include_str!("demo/accounts.py")),
    ("shop/orders.py", include_str!("demo/orders.py")),
    ("api/limit.go", include_str!("demo/limit.go")),
];

/// A memory with two sections.
const NOTES: &str = include_str!("demo/release-notes.md");

/// Id and text of each rule, with its example.
const RULES: &[(&str, &str, Option<&str>)] = &[
    (
        "hash-passwords",
        "Hash a password with a fresh salt before it is stored",
        Some("shop/accounts.py::Accounts.register"),
    ),
    (
        "limit-clients",
        "Answer too many requests from one client with status 429",
        Some("api/limit.go::Limiter.Wrap"),
    ),
    ("render-invoices", "Render invoices as PDF with embedded fonts", None),
];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether every step passed.
    pub(crate) ok: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) elapsed_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) shows: String,
    pub(crate) ok: bool,
}

/// Runs the demo in a temporary folder.
fn demo(now: Timestamp) -> Result<Report> {
    let started = Instant::now();
    let folder = tempfile::tempdir().context("failed to create a temporary folder")?;
    let root = folder.path().canonicalize()?;
    for (path, text) in FILES {
        write(&root.join(path), text)?;
    }
    let bank = Bank::new(root.join(".memories"));
    let project = Project {
        store: StoreFile {
            path: bank.folder().join("indices/cerberus.db"),
            key: Some(root.join("key")),
        },
        bank,
        name: None,
        exclude: Vec::new(),
        min_quality: 0.7,
        weights: Weights::default(),
        recency: Recency::default(),
        pins: pins::PinLimits::default(),
        inject: InjectOptions::default(),
        now,
        root,
    };
    let mut steps = Vec::new();
    add_rules(&project, &mut steps)?;
    move_code(&project, &mut steps)?;
    rebuild_store(&project, &mut steps)?;
    search_sections(&project, &mut steps)?;
    delete_and_restore(&project, &mut steps)?;
    let ok = steps.iter().all(|step| step.ok);
    Ok(Report { ok, steps, elapsed_ms: super::milliseconds(started) })
}

fn step(steps: &mut Vec<Step>, command: &str, shows: impl Into<String>, ok: bool) {
    steps.push(Step { command: command.to_owned(), shows: shows.into(), ok });
}

fn add_rules(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let created = init::init(project)?.created.join(", ");
    step(steps, "cerberus memory init", created, project.bank.exists());
    for (id, text, expected) in RULES {
        let args = AddArgs { id: Some((*id).to_owned()), ..AddArgs::new((*text).to_owned()) };
        let anchor = add::add(project, &args)?.anchor;
        let found =
            anchor.map(|anchor| super::format_location(&anchor.file, anchor.symbol.as_deref()));
        let shows = match &found {
            Some(location) => format!("example {location}"),
            None => "not anchored, because there is no example".to_owned(),
        };
        let command = format!("cerberus memory add \"{text}\" --id {id}");
        step(steps, &command, shows, found.as_deref() == *expected);
    }
    Ok(())
}

fn move_code(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let (old, new) =
        (project.root.join("shop/accounts.py"), project.root.join("people/members.py"));
    let text = std::fs::read_to_string(&old)?.replace("class Accounts", "class Members");
    write(&new, &text)?;
    std::fs::remove_file(&old)?;
    let shows = "the file moves to people/members.py, the class becomes Members";
    step(steps, "git mv shop/accounts.py people/members.py", shows, true);

    let reanchor = |check| {
        let args = ReanchorArgs { check, ..ReanchorArgs::default() };
        reanchor::reanchor(project, &args, &|_, _| ())
    };
    let command = "cerberus memory reanchor --check";
    let report = reanchor(true)?;
    step(steps, command, format!("exit status 1: {}", changes(&report)), !report.ok);
    let report = reanchor(false)?;
    step(steps, "cerberus memory reanchor", changes(&report), report.written);
    let report = reanchor(true)?;
    step(steps, command, "exit status 0: all anchors are up to date", report.ok);
    Ok(())
}

fn changes(report: &reanchor::Report) -> String {
    let changed = report.results.iter().filter(|finding| finding.state != State::Fresh);
    let changes = changed.map(|finding| {
        let file = finding.new.as_ref().map_or("not found", |new| new.file.as_str());
        format!("{} {} to {file}", finding.id, finding.state)
    });
    changes.collect::<Vec<_>>().join(", ")
}

fn rebuild_store(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let args = ShowArgs { anchored: true, ..ShowArgs::default() };
    let show = || -> Result<String> {
        let report = show::show(project, &args)?;
        let code = report.memories.into_iter().filter_map(|memory| memory.anchor?.code);
        Ok(code.collect::<Vec<_>>().join("\n"))
    };
    let before = show()?;
    if let Some(indices) = project.store.path.parent() {
        std::fs::remove_dir_all(indices)?;
    }
    let is_same = before == show()? && before.contains("def register");
    let command = "rm -r .memories/indices && cerberus memory show --anchored";
    step(steps, command, "the same code after the store was deleted", is_same);
    Ok(())
}

fn search_sections(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    write(&project.bank.folder().join("release-notes.md"), NOTES)?;
    let request = search::Request {
        sections: vec!["summary".to_owned()],
        content: true,
        ..search::Request::new("release".to_owned(), 1)
    };
    let mut results = search::search(project, &request)?.results.into_iter();
    let metrics = results.next().and_then(|hit| hit.token_metrics);
    let (shows, ok) = match metrics.and_then(|it| Some((it.savings_percent?, it))) {
        Some((saved, it)) => (
            format!("{} of {} tokens, {saved} % saved", it.actual_tokens, it.full_file_tokens),
            saved > 50.0,
        ),
        None => ("no results".to_owned(), false),
    };
    step(steps, "cerberus memory search release --section summary --content", shows, ok);
    Ok(())
}

fn delete_and_restore(project: &Project, steps: &mut Vec<Step>) -> Result<()> {
    let deleted = trash::delete(project, &DeleteArgs { ids: vec!["limit-clients".to_owned()] })?;
    let restored = trash::restore(project, &RestoreArgs { id: "limit-clients".to_owned() })?;
    let ok = [deleted, restored].iter().all(|report| report.moved.iter().all(|it| it.anchored));
    let command = "cerberus memory delete limit-clients && cerberus memory restore limit-clients";
    step(steps, command, "restored from the trash with its anchor", ok);
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(path, text).with_context(|| format!("failed to write `{}`", path.display()))
}

pub(crate) fn run(out: &mut Printer) -> Result<ExitStatus> {
    let report = demo(config::now()?)?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::of_check(report.ok));
    }
    for step in &report.steps {
        let mark = if step.ok { out.paint(OK, "ok  ") } else { out.paint(ERROR, "FAIL") };
        out.line(&format!("{mark} {}", step.command));
        out.line(&out.paint(DIM, &format!("     {}", step.shows)));
    }
    if report.ok {
        out.line(&format!("{} steps passed, {:.0} ms", report.steps.len(), report.elapsed_ms));
        return Ok(ExitStatus::Done);
    }
    out.flush()?;
    Err(UserError::check("a demo step failed").hint("please report it with the lines above").into())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_step_passes() {
        let report = super::demo(jiff::Timestamp::UNIX_EPOCH).expect("runs");
        let failed: Vec<_> = report.steps.iter().filter(|step| !step.ok).collect();
        assert!(failed.is_empty(), "{failed:#?}");
    }
}
