//! The report of a fleet as one HTML page, with the frame and the style of `memory report`.

use maud::{Markup, html};

use super::print::{pin, state};
use crate::commands::report::page::{document, table_head};
use crate::ops::banks::short;
use crate::ops::fleet::{self, Fleet, PinnedCommit, Repository, RuleState, RuleUse};

/// Returns the page.
pub(super) fn page(fleet: &Fleet) -> String {
    let counts = &fleet.counts;
    let title = format!("Rules of {} repositories", counts.repositories);
    let body = html! {
        header {
            h1 { (title) }
            p.verdict { (counts.behind) " behind, " (counts.unreadable) " not read." }
        }
        nav aria-label="Contents" {
            ul {
                li { a href="#banks" { "Banks" } " " span.tally { (fleet.banks.len()) } }
                li { a href="#rules" { "Rules" } " " span.tally { (fleet.rules.len()) } }
                li {
                    a href="#repositories" { "Repositories" } " "
                    span.tally { (fleet.repositories.len()) }
                }
            }
        }
        main id="main" tabindex="-1" {
            section aria-labelledby="summary-title" {
                h2 id="summary-title" { "Summary" }
                dl.counts {
                    div { dt { "repositories" } dd { (counts.repositories) } }
                    div { dt { "behind" } dd { (counts.behind) } }
                    div { dt { "examples held" } dd { (counts.held) } }
                    div { dt { "drifted" } dd { (counts.drifted) } }
                    div { dt { "missing" } dd { (counts.unanchored) } }
                    div { dt { "without a bank" } dd { (counts.without_bank) } }
                }
            }
            (banks(fleet))
            (rules(fleet))
            (repositories(fleet))
        }
    };
    document(&title, &body)
}

fn banks(fleet: &Fleet) -> Markup {
    html! {
        section id="banks" aria-labelledby="banks-title" {
            h2 id="banks-title" { "Banks" }
            @if fleet.banks.is_empty() { p { "No repository uses a shared bank." } }
            @for bank in &fleet.banks {
                table {
                    caption { (bank.source) " (" (bank.revision) ")" }
                    (table_head(&["Commit", "Repositories", "State"], Some(1)))
                    tbody {
                        @for PinnedCommit { commit, repositories, behind } in &bank.pinned {
                            tr {
                                th scope="row" { code { (short(commit)) } }
                                td.number { (repositories) }
                                td {
                                    @match &bank.newest {
                                        Some(newest) if newest == commit => "current",
                                        Some(_) => (fleet::behind(*behind)),
                                        None => "the newest commit is not known",
                                    }
                                }
                            }
                        }
                        @if bank.unpinned > 0 {
                            tr { th scope="row" { "-" } td.number { (bank.unpinned) } td { "not pinned" } }
                        }
                    }
                }
            }
        }
    }
}

fn rules(fleet: &Fleet) -> Markup {
    let columns = ["Rule", "Repositories", "Held", "Drifted", "Missing", "None", "Off", "Example"];
    html! {
        section id="rules" aria-labelledby="rules-title" {
            h2 id="rules-title" { "Rules" }
            @if fleet.rules.is_empty() { p { "No rule is in a shared bank or in several repositories." } }
            @else {
                table {
                    caption { "The rules of shared banks, and those of several repositories" }
                    (table_head(&columns, None))
                    tbody {
                        @for rule in &fleet.rules {
                            tr {
                                th scope="row" { (rule.id) }
                                @for n in [rule.repositories, rule.held, rule.drifted, rule.unanchored, rule.no_example, rule.off] {
                                    td.number { (n) }
                                }
                                td { @if rule.everywhere { "everywhere" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn repositories(fleet: &Fleet) -> Markup {
    html! {
        section id="repositories" aria-labelledby="repositories-title" {
            h2 id="repositories-title" { "Repositories" }
            table {
                caption { "Each repository at the commit that was read" }
                (table_head(&["Repository", "Commit", "Banks", "Held", "To do"], None))
                tbody {
                    @for repository in &fleet.repositories { (row(repository)) }
                }
            }
        }
    }
}

fn row(repository: &Repository) -> Markup {
    let to_do = |rule: &&RuleUse| {
        matches!(rule.state, RuleState::Drifted | RuleState::Unanchored | RuleState::Off)
    };
    html! {
        tr {
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
}
