//! The commands under `cerberus memory`, in the order of the groups of `help`.

use anyhow::Result;
use clap::Subcommand;

use crate::commands::trash::{self, DeleteArgs, RestoreArgs};
use crate::commands::{
    add, anchor, anchor_test, append, bank, create, feedback, import, init, inject, linked, links,
    merge, merge_lock, pattern, pin, read, reanchor, report, review, review_diff, search, sections,
    show, stats, update,
};
use crate::config::Settings;
use crate::output::Printer;
use cerberus_model::error::ExitStatus;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Create a bank in this project
    Init,
    /// Add a short memory and link it to its best example in the code
    Add(add::AddArgs),
    /// Find and store the anchor of a memory
    Anchor(anchor::AnchorArgs),
    /// Show memories, newest first
    Show(show::ShowArgs),
    /// Search the memories, or sections of them
    Search(search::SearchArgs),
    /// List the memories that mention or are anchored to a file, a symbol or a memory
    #[command(visible_alias = "backlinks")]
    Linked(linked::LinkedArgs),
    /// Follow every anchor through changes in the code
    Reanchor(reanchor::ReanchorArgs),
    /// Import rules from AGENTS.md and similar files
    Import(import::ImportArgs),
    /// Print pins, memories and their examples within a token budget
    Inject(inject::InjectArgs),
    /// Move memories to the trash
    Delete(DeleteArgs),
    /// Restore a memory from the trash
    Restore(RestoreArgs),
    /// Choose the examples of the rules whose example is not sure
    Review(review::ReviewArgs),
    /// Check added and changed code against the patterns of the rules
    ReviewDiff(review_diff::ReviewDiffArgs),
    /// Show, test, export or remove the pattern of code that breaks a rule
    Pattern(pattern::PatternArgs),
    /// Rank the candidates for a rule and store nothing
    #[command(visible_alias = "rank")]
    AnchorTest(anchor_test::AnchorTestArgs),
    /// Count the memories, anchors and links
    Stats(stats::StatsArgs),
    /// Write an HTML page of the rules, their examples, changes and links
    Report(report::ReportArgs),
    /// Create a document in the bank
    Create(create::CreateArgs),
    /// Append text to a memory or to one of its sections
    Append(append::AppendArgs),
    /// Print a memory or some of its sections
    Read(read::ReadArgs),
    /// Replace the text of a memory or of one section, and set its frontmatter
    Update(update::UpdateArgs),
    /// Merge memories into one
    Merge(merge::MergeArgs),
    /// List the sections of a memory with their token counts, or close unclosed ones
    Sections(sections::SectionsArgs),
    /// List the links of the memories and their targets
    Links(links::LinksArgs),
    /// Pin short notes that are always injected
    #[command(subcommand)]
    Pin(pin::PinCommand),
    /// Use memories of other repositories, pinned to a commit
    #[command(subcommand)]
    Bank(bank::BankCommand),
    /// Record whether an injected memory was helpful
    Feedback(feedback::FeedbackArgs),
    /// Merge two versions of anchors.lock memory by memory, as a merge driver of git
    MergeLock(merge_lock::MergeLockArgs),
}

impl MemoryCommand {
    pub(super) fn run(&self, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
        match self {
            Self::Init => init::run(settings, out),
            Self::Add(args) => add::run(args, settings, out),
            Self::Anchor(args) => anchor::run(args, settings, out),
            Self::Show(args) => show::run(args, settings, out),
            Self::Search(args) => search::run(args, settings, out),
            Self::Linked(args) => linked::run(args, settings, out),
            Self::Reanchor(args) => reanchor::run(args, settings, out),
            Self::Import(args) => import::run(args, settings, out),
            Self::Inject(args) => inject::run(args, settings, out),
            Self::Delete(args) => trash::run_delete(args, settings, out),
            Self::Restore(args) => trash::run_restore(args, settings, out),
            Self::Review(args) => review::run(args, settings, out),
            Self::ReviewDiff(args) => review_diff::run(args, settings, out),
            Self::Pattern(args) => pattern::run(args, settings, out),
            Self::AnchorTest(args) => anchor_test::run(args, settings, out),
            Self::Stats(args) => stats::run(args, settings, out),
            Self::Report(args) => report::run(args, settings, out),
            Self::Create(args) => create::run(args, settings, out),
            Self::Append(args) => append::run(args, settings, out),
            Self::Read(args) => read::run(args, settings, out),
            Self::Update(args) => update::run(args, settings, out),
            Self::Merge(args) => merge::run(args, settings, out),
            Self::Sections(args) => sections::run(args, settings, out),
            Self::Links(args) => links::run(args, settings, out),
            Self::Pin(command) => pin::run(command, settings, out),
            Self::Bank(command) => bank::run(command, settings, out),
            Self::Feedback(args) => feedback::run(args, settings, out),
            Self::MergeLock(args) => merge_lock::run(args, settings, out),
        }
    }
}
