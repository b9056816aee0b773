//! The report of a fleet as one HTML page, with the frame and the style of `memory report`.

use maud::{Markup, html};

use super::print::{pin, state};
use crate::commands::report::page::{contents, counts, document, section, table};
use cerberus_bank::ops::banks::short;
use cerberus_bank::ops::fleet::{
    self, BankVersions, Counts, Fleet, PinnedCommit, Repository, RuleState, RuleUse,
};

/// Returns the page.
pub(super) fn page(fleet: &Fleet) -> String {
    let Counts { repositories: n, behind, held, drifted, unanchored, without_bank, unreadable } =
        fleet.counts;
    let title = format!("Rules of {n} repositories");
    let numbers = [
        ("repositories", n),
        ("behind", behind),
        ("examples held", held),
        ("drifted", drifted),
        ("missing", unanchored),
        ("without a bank", without_bank),
    ];
    let body = html! {
        header {
            h1 { (title) }
            p.verdict { (behind) " behind, " (unreadable) " not read." }
        }
        (contents(&[
            ("banks", "Banks", Some(fleet.banks.len())),
            ("rules", "Rules", Some(fleet.rules.len())),
            ("repositories", "Repositories", Some(fleet.repositories.len())),
        ]))
        main id="main" tabindex="-1" {
            (section("summary", "Summary", &counts(numbers)))
            (section("banks", "Banks", &banks(fleet)))
            (section("rules", "Rules", &rules(fleet)))
            (section("repositories", "Repositories", &repositories(fleet)))
        }
    };
    document(&title, &body)
}

fn banks(fleet: &Fleet) -> Markup {
    let state = |bank: &BankVersions, pinned: &PinnedCommit| match &bank.newest {
        Some(newest) if *newest == pinned.commit => "current".to_owned(),
        Some(_) => fleet::behind(pinned.behind),
        None => "the newest commit is not known".to_owned(),
    };
    let row = |commit: Markup, n: usize, state: &str| {
        html! { th scope="row" { (commit) } td.number { (n) } td { (state) } }
    };
    let rows = |bank: &BankVersions| {
        let pinned = bank.pinned.iter().map(|it| {
            row(html! { code { (short(&it.commit)) } }, it.repositories, &state(bank, it))
        });
        let unpinned = row(html! { "-" }, bank.unpinned, "not pinned");
        pinned.chain((bank.unpinned > 0).then_some(unpinned)).collect::<Vec<_>>()
    };
    html! {
        @if fleet.banks.is_empty() { p { "No repository uses a shared bank." } }
        @for bank in &fleet.banks {
            @let caption = format!("{} ({})", bank.source, bank.revision);
            (table(&caption, &["Commit", "#Repositories", "State"], rows(bank)))
        }
    }
}

fn rules(fleet: &Fleet) -> Markup {
    let columns = ["Rule", "Repositories", "Held", "Drifted", "Missing", "None", "Off", "Example"];
    let rows = fleet.rules.iter().map(|rule| {
        html! {
            th scope="row" { (rule.id) }
            @for n in rule.counts() { td.number { (n) } }
            td { @if rule.everywhere { "everywhere" } }
        }
    });
    html! {
        @if fleet.rules.is_empty() {
            p { "No rule is in a shared bank or in several repositories." }
        } @else {
            (table("The rules of shared banks, and those of several repositories", &columns, rows))
        }
    }
}

fn repositories(fleet: &Fleet) -> Markup {
    let columns = ["Repository", "Commit", "Banks", "Held", "To do"];
    let rows = fleet.repositories.iter().map(row);
    table("Each repository at the commit that was read", &columns, rows)
}

fn row(repository: &Repository) -> Markup {
    let to_do = |rule: &&RuleUse| {
        matches!(rule.state, RuleState::Drifted | RuleState::Unanchored | RuleState::Off)
    };
    html! {
        th scope="row" {
            (repository.place)
            @if let Some(branch) = &repository.branch { " (" (branch) ")" }
        }
        td { @if let Some(commit) = &repository.commit { code { (short(commit)) } } }
        td { @for bank in &repository.banks { div { (pin(bank)) } } }
        td.number { (repository.n_rules(RuleState::Held)) }
        td {
            @if let Some(error) = &repository.error { div { "not read: " (error) } }
            @for rule in repository.rules.iter().filter(to_do) {
                div {
                    (rule.id) ": " (state(rule.state))
                    @if let (RuleState::Drifted, Some(file)) = (rule.state, &rule.file) {
                        " in " code { (file) }
                    }
                    @if let Some(reason) = &rule.reason { ", " (reason) }
                }
            }
            @for warning in &repository.warnings { div { (warning) } }
        }
    }
}
