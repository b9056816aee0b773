//! The report of a fleet on the terminal.

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use crate::output::{NAME, OK, Printer, WARN};
use cerberus_bank::ops::banks::short;
use cerberus_bank::ops::fleet::{
    self, BankUse, Fleet, PinState, PinnedCommit, Repository, RuleState,
};
use cerberus_model::text::plural;

/// Maximum number of rows of the rules.
const MAX_RULES: usize = 50;

#[derive(Debug, Serialize)]
struct PartReport {
    part: String,
    repositories: usize,
}

pub(super) fn part(n: usize, path: &Path, out: &mut Printer) -> Result<()> {
    let part = path.display().to_string();
    if out.json {
        return out.json(&PartReport { part, repositories: n });
    }
    let n = plural(n, "repository");
    out.line(&format!("{} {n} to {}", out.paint(OK, "wrote"), out.safe(&part)));
    Ok(())
}

/// Prints the repositories that could not be read.
pub(super) fn failures(repositories: &[Repository], out: &Printer) {
    let failed = repositories.iter().filter_map(|repository| {
        Some(format!("`{}` was not read: {}", repository.place, repository.error.as_ref()?))
    });
    out.warn(&failed.collect::<Vec<_>>());
}

pub(super) fn fleet(fleet: &Fleet, out: &mut Printer) {
    let counts = &fleet.counts;
    let n = plural(counts.repositories, "repository");
    let mut line = format!("{n}: {} behind", counts.behind);
    for (count, what) in [(counts.unreadable, "not read"), (counts.without_bank, "without a bank")]
    {
        if count > 0 {
            line.push_str(&format!(", {count} {what}"));
        }
    }
    let (held, drifted, unanchored) = (counts.held, counts.drifted, counts.unanchored);
    out.line(&format!("{line}; examples: {held} held, {drifted} drifted, {unanchored} missing"));
    for bank in &fleet.banks {
        out.line("");
        let newest = bank.newest.as_deref().map_or("not known", short);
        let source = out.style(NAME, &bank.source);
        out.line(&format!("{source} {}, newest {newest}", out.safe(&bank.revision)));
        for PinnedCommit { commit, repositories, behind } in &bank.pinned {
            let state = match &bank.newest {
                Some(newest) if newest == commit => out.paint(OK, "current"),
                Some(_) => out.paint(WARN, &fleet::behind(*behind)),
                None => "pinned".to_owned(),
            };
            let n = plural(*repositories, "repository");
            out.line(&format!("  {} {state}: {n}", out.safe(short(commit))));
        }
        if bank.unpinned > 0 {
            out.line(&format!("  not pinned: {}", plural(bank.unpinned, "repository")));
        }
    }
    if !fleet.rules.is_empty() {
        out.line("");
        let rows = fleet.rules.iter().take(MAX_RULES).map(|rule| {
            let everywhere = if rule.everywhere { "everywhere" } else { "-" };
            let counts = rule.counts().map(|n| n.to_string());
            [&[rule.id.clone()][..], &counts, &[everywhere.to_owned()]].concat()
        });
        let heading =
            ["rule", "repositories", "held", "drifted", "missing", "none", "off", "example"];
        out.rows(&heading, rows);
        if fleet.rules.len() > MAX_RULES {
            out.line(&format!("and {} more rules: add `--json`", fleet.rules.len() - MAX_RULES));
        }
    }
    let attention = fleet.attention();
    if !attention.is_empty() {
        out.line("");
        let rows = attention.into_iter().map(|(it, why)| [it.place.clone(), why]);
        out.rows(&["repository", "needs attention"], rows);
    }
}

/// Returns the state of a pinned bank in words.
pub(super) fn pin(bank: &BankUse) -> String {
    let commit = bank.commit.as_deref().map(short).unwrap_or_default();
    match bank.state {
        PinState::Current => format!("{}: current, {commit}", bank.name),
        PinState::Old => format!("{}: {}, {commit}", bank.name, fleet::behind(bank.behind)),
        PinState::Unpinned => format!("{}: not pinned", bank.name),
        PinState::Unknown => format!("{}: {commit}", bank.name),
    }
}

/// Returns the state of a rule in words.
pub(super) fn state(state: RuleState) -> &'static str {
    match state {
        RuleState::Held => "held",
        RuleState::Drifted => "drifted",
        RuleState::Unanchored => "no example yet",
        RuleState::NoExample => "without an example",
        RuleState::Off => "off",
    }
}
