//! `cerberus memory bank`: adds, fetches, updates, lists and removes shared banks.

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;

use super::args::SecretArgs;
use super::confirm;
use crate::config::Settings;
use crate::output::{DIM, NAME, OK, Printer, WARN};
use cerberus_bank::ops::banks::{self, Snapshot, short};
use cerberus_bank::ops::{Project, document};
use cerberus_bank::repeated::Repeated;
use cerberus_bank::shared::config::{BankConfig, DEFAULT_FOLDER};
use cerberus_bank::shared::lock::PinnedBank;
use cerberus_bank::shared::pack;
use cerberus_bank::shared::{self, SwitchedOff, edit};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::{masked, plural};

mod difference;

use difference::Difference;

#[derive(Debug, Subcommand)]
pub(crate) enum BankCommand {
    /// Add a shared bank to cerberus.toml, and pin it
    Add(BankAddArgs),
    /// Show what changed in the shared banks, and pin the new texts
    Update(BankUpdateArgs),
    /// Fetch the pinned texts that are not in the cache
    Fetch,
    /// List the shared banks and what they are pinned to
    List,
    /// Remove a shared bank from cerberus.toml and banks.lock
    Remove(BankRemoveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BankAddArgs {
    /// Name of the bank in this project
    name: String,
    /// URL or folder of its git repository
    source: String,
    /// Pin this commit (full id)
    #[arg(long, value_name = "COMMIT", conflicts_with_all = ["tag", "branch"])]
    rev: Option<String>,
    /// Pin the commit of this tag
    #[arg(long, conflicts_with = "branch")]
    tag: Option<String>,
    /// Pin the newest commit of this branch (default: the branch of its HEAD)
    #[arg(long)]
    branch: Option<String>,
    /// Folder of the memories in the repository; `.` for its root
    #[arg(long, default_value = DEFAULT_FOLDER)]
    folder: String,
    #[command(flatten)]
    pin: PinArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BankUpdateArgs {
    /// Names of the banks (default: all)
    names: Vec<String>,
    /// Accept a branch that lost the pinned commit, and a tag that was moved
    #[arg(long)]
    allow_rewritten: bool,
    #[command(flatten)]
    pin: PinArgs,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct PinArgs {
    /// Pin without asking
    #[arg(long)]
    yes: bool,
    /// Show the difference and write nothing
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
    #[command(flatten)]
    secret: SecretArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BankRemoveArgs {
    /// Name of the bank
    name: String,
}

/// The result of `add` and `update`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    banks: Vec<BankChange>,
    written: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BankChange {
    name: String,
    source: String,
    revision: String,
    /// The pinned commit before.
    old: Option<String>,
    new: String,
    sha256: String,
    memories: usize,
    bytes: u64,
    #[serde(flatten)]
    difference: Difference,
}

impl BankChange {
    fn is_new(&self) -> bool {
        self.old.as_ref() != Some(&self.new) || !self.difference.is_empty()
    }
}

pub(crate) fn run(
    command: &BankCommand,
    settings: &Settings,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let project = &settings.project;
    match command {
        BankCommand::Add(args) => add(project, args, out),
        BankCommand::Update(args) => update(project, args, out),
        BankCommand::Fetch => fetch(project, out),
        BankCommand::List => list(project, out),
        BankCommand::Remove(args) => remove(project, args, out),
    }
}

fn add(project: &Project, args: &BankAddArgs, out: &mut Printer) -> Result<ExitStatus> {
    let is_url = args.source.contains(':') && !project.root.join(&args.source).exists();
    let (git, path) = match is_url {
        true => (Some(args.source.clone()), None),
        false => (None, Some(args.source.clone())),
    };
    let bank = BankConfig {
        name: args.name.clone(),
        git,
        path,
        rev: args.rev.clone(),
        tag: args.tag.clone(),
        branch: args.branch.clone(),
        folder: args.folder.clone(),
        include: None,
        exclude: None,
        off: Vec::new(),
        no_example: Vec::new(),
    };
    if let Some(fault) = bank.fault() {
        return Err(UserError::usage(format!("the shared bank is not added: {fault}"))
            .hint("as in `cerberus memory bank add team https://example.org/team/rules.git`")
            .into());
    }
    if project.bank.shared_configs().iter().any(|other| other.name == bank.name) {
        let name = &bank.name;
        return Err(UserError::usage(format!("the shared bank `{name}` already exists"))
            .hint(format!("update it with `cerberus memory bank update {name}`"))
            .into());
    }
    // Before anything is fetched, because the configuration may be invalid.
    let edited = || banks::edited_config(project, |text| edit::added(text, &bank));
    edited()?;
    let snapshot = banks::newest(project, &bank, None, false)?;
    let changes = vec![(change(None, &snapshot, &args.pin)?, snapshot)];
    decide(changes, &args.pin, out, |snapshots| {
        // The person may have edited the configuration before the answer.
        let (file, text) = edited()?;
        project.bank.create()?;
        pin(project, snapshots)?;
        // Last, so that an interrupted command leaves a configuration that works.
        let written = file.write(text.as_bytes());
        if written.is_err() {
            unpin(project, &bank.name)?;
        }
        written.map(drop)
    })
}

fn update(project: &Project, args: &BankUpdateArgs, out: &mut Printer) -> Result<ExitStatus> {
    let configs = selected(project, &args.names)?;
    let pinned = project.bank.pinned_banks()?;
    let mut changes = Vec::new();
    for config in configs {
        let old = pinned.iter().find(|pin| pin.name == config.name);
        let snapshot = banks::newest(project, config, old, args.allow_rewritten)?;
        changes.push((change(old, &snapshot, &args.pin)?, snapshot));
    }
    decide(changes, &args.pin, out, |snapshots| pin(project, snapshots))
}

/// Returns the banks with these names; without names, all.
fn selected<'p>(project: &'p Project, names: &[String]) -> Result<Vec<&'p BankConfig>> {
    let configs = project.bank.shared_configs();
    if configs.is_empty() {
        return Err(no_banks().into());
    }
    if names.is_empty() {
        return Ok(configs.iter().collect());
    }
    let find = |name: &String| {
        let known: Vec<&str> = configs.iter().map(|config| config.name.as_str()).collect();
        configs.iter().find(|config| config.name == *name).ok_or_else(|| {
            UserError::usage(format!("the shared bank `{name}` not found"))
                .hint(format!("name one of: {}", known.join(", ")))
                .into()
        })
    };
    names.iter().map(find).collect()
}

fn no_banks() -> UserError {
    UserError::usage("`cerberus.toml` names no shared bank")
        .hint("add one, as in `cerberus memory bank add team https://example.org/team/rules.git`")
}

/// Compares the texts of a bank with those that are pinned, and refuses texts that no command would
/// write.
fn change(old: Option<&PinnedBank>, new: &Snapshot, args: &PinArgs) -> Result<BankChange> {
    let PinnedBank { name, source, revision, commit, sha256, files, bytes, .. } = new.pin.clone();
    for (path, text) in &new.pack.files {
        let checked = document::check_content(text).and_then(|()| match args.secret.allow_secret {
            true => Ok(()),
            false => document::refuse_secrets(&[("the text", text)]),
        });
        checked.map_err(|error| error.context(format!("`{path}` of the shared bank `{name}`")))?;
    }
    let difference = Difference::new(&name, new.before.as_ref(), &new.pack);
    let source = masked(&source);
    let (old, new, memories) = (old.map(|pin| pin.commit.clone()), commit, files);
    Ok(BankChange { name, source, revision, old, new, sha256, memories, bytes, difference })
}

/// Prints the changes, asks, and pins them.
fn decide(
    changes: Vec<(BankChange, Snapshot)>,
    args: &PinArgs,
    out: &mut Printer,
    write: impl FnOnce(&[Snapshot]) -> Result<()>,
) -> Result<ExitStatus> {
    let (changes, snapshots): (Vec<BankChange>, Vec<Snapshot>) = changes.into_iter().unzip();
    let is_new = changes.iter().any(BankChange::is_new);
    if !out.json {
        changes.iter().for_each(|change| print_change(change, out));
    }
    let may_ask = !args.dry_run && is_new && confirm::is_possible(out) && !out.json;
    let is_wanted = args.yes || (may_ask && confirm::ask("pin these texts?", out)?);
    // An unchanged pin is written too: the cache may lack its texts.
    if is_wanted || (!is_new && !args.dry_run) {
        write(&snapshots)?;
    }
    let written = is_new && is_wanted;
    if out.json {
        out.json(&Report { banks: changes, written })?;
    } else if written {
        let names: Vec<String> = changes.iter().map(|it| out.style(NAME, &it.name)).collect();
        out.line(&format!("{} {}", out.paint(OK, "pinned"), names.join(", ")));
        out.line("  next: cerberus memory review");
    } else if is_new && !args.dry_run {
        out.line(&out.paint(WARN, "not pinned: read the difference, then add `--yes`"));
    }
    Ok(ExitStatus::of_check(!is_new || written))
}

fn print_change(change: &BankChange, out: &mut Printer) {
    let BankChange { name, revision, old, new, memories, .. } = change;
    let name = out.style(NAME, name);
    let n = plural(*memories, "memory");
    if !change.is_new() {
        let at = out.safe(&format!("{revision}, commit {}, {n}", short(new)));
        return out.line(&format!("{name} is up to date ({at})"));
    }
    let from = old.as_deref().map_or_else(String::new, |old| format!("{} → ", short(old)));
    let at = out.safe(&format!("{revision}, commit {from}{}, {n}", short(new)));
    out.line(&format!("{name} {}", out.paint(DIM, &format!("({at})"))));
    for line in change.difference.text.lines() {
        out.line(&out.safe(line));
    }
    let difference = &change.difference;
    let (added, removed) = (difference.added.len(), difference.removed.len());
    let changed = difference.changed.len();
    out.line(&format!("  {added} added, {changed} changed, {removed} removed"));
}

/// Writes texts to the cache and pins them.
fn pin(project: &Project, snapshots: &[Snapshot]) -> Result<()> {
    let cache = project.bank.shared_cache();
    for snapshot in snapshots {
        snapshot.pack.save(cache)?;
    }
    let _guard = project.bank.lock_for_writing()?;
    // Another process may have pinned another bank since.
    let mut pinned = project.bank.pinned_banks()?;
    for snapshot in snapshots {
        pinned.retain(|pin| pin.name != snapshot.pin.name);
        pinned.push(snapshot.pin.clone());
    }
    project.bank.write_pinned_banks(&pinned).map(drop)
}

fn unpin(project: &Project, name: &str) -> Result<()> {
    let _guard = project.bank.lock_for_writing()?;
    let mut pinned = project.bank.pinned_banks()?;
    pinned.retain(|pin| pin.name != name);
    project.bank.write_pinned_banks(&pinned).map(drop)
}

#[derive(Debug, Serialize)]
struct FetchReport {
    fetched: Vec<String>,
    cached: Vec<String>,
}

fn fetch(project: &Project, out: &mut Printer) -> Result<ExitStatus> {
    let pinned = project.bank.pinned_banks()?;
    let mut report = FetchReport { fetched: Vec::new(), cached: Vec::new() };
    for config in selected(project, &[])? {
        let name = config.name.clone();
        let pin = pinned.iter().find(|pin| pin.name == name && pin.is_of(config));
        let Some(pin) = pin else {
            return Err(UserError::check(format!(
                "`banks.lock` does not pin the shared bank `{name}` as `cerberus.toml` names it"
            ))
            .hint(format!("cerberus memory bank update {name}"))
            .into());
        };
        if matches!(pack::load(project.bank.shared_cache(), &pin.sha256), Ok(Some(_))) {
            report.cached.push(name);
            continue;
        }
        banks::pinned(project, config, pin)?;
        report.fetched.push(name);
    }
    out.report(&report, |report, out| {
        for name in &report.fetched {
            out.line(&format!("{} {}", out.paint(OK, "fetched"), out.style(NAME, name)));
        }
        for name in &report.cached {
            out.line(&format!("{} is in the cache", out.style(NAME, name)));
        }
    })
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ListReport {
    banks: Vec<Listed>,
    off: Vec<SwitchedOff>,
    repeated: Vec<Repeated>,
    problems: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    name: String,
    source: String,
    revision: String,
    folder: String,
    commit: Option<String>,
    sha256: Option<String>,
    /// Number of memories that the project uses.
    used: usize,
    /// Number of memories of the pinned commit.
    memories: usize,
    is_ready: bool,
}

fn list(project: &Project, out: &mut Printer) -> Result<ExitStatus> {
    let bank = &project.bank;
    let shared = bank.shared();
    let pinned = bank.pinned_banks().unwrap_or_default();
    let mut problems: Vec<String> = shared.failures.iter().map(ToString::to_string).collect();
    problems.extend_from_slice(&shared.warnings);
    let (used, repeated) = match bank.exists().then(|| bank.read_all()).transpose() {
        Ok(files) => files.map(|it| (it.all, it.repeated)).unwrap_or_default(),
        Err(error) => {
            problems.push(format!("{error:#}"));
            Default::default()
        }
    };
    let listed = project.bank.shared_configs().iter().map(|config| {
        let pin = pinned.iter().find(|pin| pin.name == config.name);
        let is_of = |file: &str| shared::bank_of(file) == Some(config.name.as_str());
        Listed {
            name: config.name.clone(),
            source: config.shown_source(),
            revision: config.revision().to_string(),
            folder: config.folder.clone(),
            commit: pin.map(|pin| pin.commit.clone()),
            sha256: pin.map(|pin| pin.sha256.clone()),
            used: used.iter().filter(|stored| is_of(&stored.file)).count(),
            memories: pin.map_or(0, |pin| pin.files),
            is_ready: shared.pin(&config.name).is_some(),
        }
    });
    let report =
        ListReport { banks: listed.collect(), off: shared.off.clone(), repeated, problems };
    out.report(&report, print_list)?;
    Ok(ExitStatus::of_check(report.banks.iter().all(|bank| bank.is_ready)))
}

fn print_list(report: &ListReport, out: &mut Printer) {
    out.warn(&report.problems);
    if report.banks.is_empty() {
        out.line("no shared banks");
    }
    let rows = report.banks.iter().map(|bank| {
        let commit = bank.commit.as_deref().map_or("not pinned", short).to_owned();
        let used = format!("{} of {}", bank.used, bank.memories);
        [bank.name.clone(), bank.revision.clone(), commit, used, bank.source.clone()]
    });
    out.rows(&["name", "revision", "commit", "memories", "source"], rows);
    for SwitchedOff { id, bank, reason } in &report.off {
        let why = out.safe(&format!("{bank}: {reason}"));
        out.line(&format!("off: {} of {why}", out.style(NAME, id)));
    }
    for repeated in &report.repeated {
        out.line(&out.safe(&repeated.to_string()));
    }
}

#[derive(Debug, Serialize)]
struct RemoveReport {
    removed: String,
}

fn remove(project: &Project, args: &BankRemoveArgs, out: &mut Printer) -> Result<ExitStatus> {
    let name = &args.name;
    selected(project, std::slice::from_ref(name))?;
    let (file, text) = banks::edited_config(project, |text| edit::removed(text, name))?;
    file.write(text.as_bytes())?;
    if project.bank.exists() {
        unpin(project, name)?;
    }
    out.report(&RemoveReport { removed: name.clone() }, |_, out| {
        out.line(&format!("{} {}", out.paint(OK, "removed"), out.style(NAME, name)));
        out.line("  next: cerberus memory reanchor, which removes the anchors of its memories");
    })
}
