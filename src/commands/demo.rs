//! `cerberus demo`: runs the main commands in a new repository, and checks what each prints.
#![expect(
    clippy::disallowed_methods,
    reason = "the demo creates, changes and removes a folder of its own"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use cerberus_model::error::{ExitStatus, UserError};
use clap::Args;
use serde::Serialize;

use super::temporary::write;
use crate::output::{CliResult, DIM, ERROR, NAME, Printer};

/// The repository: code in Python and Go, and instructions about it.
const FILES: &[(&str, &str)] = &[
    ("AGENTS.md", include_str!("demo/AGENTS.md")),
    ("shop/accounts.py", include_str!("demo/accounts.py")),
    ("shop/orders.py", include_str!("demo/orders.py")),
    ("api/limit.go", include_str!("demo/limit.go")),
];

/// The steps: `# EXPLANATION`, `$ COMMAND`, and `= STATUS TEXT`, which the command above must print.
const SESSION: &str = include_str!("demo/session.txt");

/// How the repository is made.
const START: &str = "git init -q && git add -A && git commit -qm 'The shop'";

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Create the repository in this new folder, and leave it there
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// Whether every step passed.
    pub(crate) ok: bool,
    pub(crate) steps: Vec<Step>,
    pub(crate) elapsed_ms: f64,
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Step {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explanation: Option<&'static str>,
    pub(crate) command: &'static str,
    /// What the command prints.
    pub(crate) shows: String,
    pub(crate) ok: bool,
}

/// Runs the session in `root`; `each` gets every step.
fn demo(root: &Path, home: &Path, mut each: impl FnMut(&Step)) -> Result<Report> {
    let started = Instant::now();
    for (path, text) in FILES {
        write(&root.join(path), text)?;
    }
    let (status, text) = run_line(root, home, START)?;
    if status != 0 {
        return Err(UserError::environment(format!(
            "git cannot create a repository: {}",
            text.trim()
        ))
        .hint("install git 2.30 or newer, and a POSIX shell")
        .into());
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut explanation = None;
    for line in SESSION.lines() {
        match line.split_at(2) {
            ("# ", text) => explanation = Some(text),
            ("$ ", command) => {
                let explanation = explanation.take();
                steps.push(Step {
                    explanation,
                    command,
                    ..Step::default()
                });
            }
            (_, expected) => {
                let Some(step) = steps.last_mut() else {
                    continue;
                };
                let (wanted, part) = expected.split_once(' ').unwrap_or((expected, ""));
                let (status, shows) = run_line(root, home, step.command)?;
                step.ok = status.to_string() == wanted && shows.contains(part);
                step.shows = shows;
                each(step);
            }
        }
    }
    let ok = steps.iter().all(|step| step.ok);
    Ok(Report {
        ok,
        steps,
        elapsed_ms: super::milliseconds(started),
    })
}

/// Runs a command line without the settings of the user; returns its status, and what it prints.
fn run_line(root: &Path, home: &Path, line: &str) -> Result<(i32, String)> {
    let own = std::env::current_exe()?;
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = own
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&folders));
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("exec 2>&1\n{line}")])
        .current_dir(root);
    command
        .env("PATH", std::env::join_paths(folders)?)
        .env("HOME", home);
    for (key, value) in std::env::vars_os() {
        let name = key.to_string_lossy();
        let is_kept = matches!(&*name, "PATH" | "HOME" | "CERBERUS_NOW") || value.is_empty();
        if !is_kept
            && ["GIT_", "XDG_", "CERBERUS_"]
                .iter()
                .any(|start| name.starts_with(start))
        {
            command.env_remove(&key);
        }
    }
    for who in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{who}_NAME"), "Ada")
            .env(format!("GIT_{who}_EMAIL"), "ada@example.com");
    }
    let output = command.output().context("failed to run `sh`")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status.code().unwrap_or(-1), text))
}

pub(crate) fn run(args: &DemoArgs, out: &mut Printer) -> CliResult {
    let temporary = tempfile::tempdir().context("failed to create a temporary folder")?;
    let root = match &args.keep {
        Some(folder) => folder.clone(),
        None => temporary.path().join("shop"),
    };
    if is_in_bank_project(&root) {
        let folder = root.display();
        return Err(
            UserError::usage(format!("`{folder}` is in a project with memories"))
                .hint("name a folder outside of it, as in `cerberus demo --keep ../demo`")
                .into(),
        );
    }
    if let Err(error) = std::fs::create_dir(&root) {
        let folder = root.display();
        return Err(
            UserError::usage(format!("failed to create `{folder}`: {error}"))
                .hint("name a folder that does not exist yet")
                .into(),
        );
    }
    let is_json = out.json;
    let report = demo(&root, temporary.path(), |step| {
        if !is_json {
            print(step, out);
        }
    })?;
    if out.json {
        out.json(&report)?;
        return Ok(ExitStatus::of_check(report.ok));
    }
    if !report.ok {
        out.flush()?;
        let error = UserError::check("a demo step failed");
        return Err(error.hint("please report it with the lines above").into());
    }
    if let Some(folder) = &args.keep {
        out.line(&format!(
            "the repository is in {}",
            out.style(NAME, &folder.display().to_string())
        ));
    }
    Ok(ExitStatus::Done)
}

/// Returns whether a folder around a new one has a bank, which its commands would use.
fn is_in_bank_project(folder: &Path) -> bool {
    let parent = match folder.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let Ok(parent) = parent.canonicalize() else {
        return false;
    };
    parent
        .ancestors()
        .any(|around| around.join(".memories").is_dir())
}

fn print(step: &Step, out: &mut Printer) {
    if let Some(explanation) = step.explanation {
        out.line("");
        out.line(&out.paint(NAME, explanation));
    }
    out.line(&format!("$ {}", step.command));
    step.shows
        .lines()
        .for_each(|line| out.line(&out.paint(DIM, &out.safe(line))));
    if !step.ok {
        out.line(&out.paint(ERROR, "FAIL"));
    }
}
