//! The commands under `cerberus memory`, in the order of the groups of `help`.

use clap::Subcommand;

use crate::commands::trash::{self, DeleteArgs, RestoreArgs, TrashArgs};
use crate::commands::{
    add, anchor, anchor_test, append, create, import, init, inject, linked, links, merge, pattern,
    pin, read, reanchor, rename, report, review, review_diff, search, sections, show, stats,
    update,
};
use crate::config::Settings;
use crate::output::{CliResult, Printer};

/// Defines the commands, each with its arguments and the function that runs it.
macro_rules! commands {
    ($($(#[$attribute:meta])* $name:ident($args:ty) => $run:path,)*) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum MemoryCommand {
            $($(#[$attribute])* $name($args),)*
        }

        impl MemoryCommand {
            pub(super) fn run(&self, settings: &Settings, out: &mut Printer) -> CliResult {
                match self {
                    $(Self::$name(args) => $run(args, settings, out),)*
                }
            }
        }
    };
}

commands! {
    /// Create a bank in this project
    Init(init::InitArgs) => init::run,
    /// Add a rule and link it to its best example
    Add(add::AddArgs) => add::run,
    /// Find and store the anchor of a memory
    Anchor(anchor::AnchorArgs) => anchor::run,
    /// Show memories, newest first, then by id
    Show(show::ShowArgs) => show::run,
    /// Search the memories or their sections
    Search(search::SearchArgs) => search::run,
    /// List the memories about a file or a symbol
    #[command(visible_alias = "backlinks")]
    Linked(linked::LinkedArgs) => linked::run,
    /// Follow the anchors through changes of code
    Reanchor(reanchor::ReanchorArgs) => reanchor::run,
    /// Import rules from AGENTS.md and similar files
    Import(import::ImportArgs) => import::run,
    /// Print rules and examples within a budget
    Inject(inject::InjectArgs) => inject::run,
    /// Move memories to the trash
    Delete(DeleteArgs) => trash::run_delete,
    /// Restore a memory from the trash
    Restore(RestoreArgs) => trash::run_restore,
    /// List the trash, or empty it
    Trash(TrashArgs) => trash::run_trash,
    /// Change the id of a memory; links follow
    Rename(rename::RenameArgs) => rename::run,
    /// Choose the examples that are not sure
    Review(review::ReviewArgs) => review::run,
    /// Check changed code against the rules
    ReviewDiff(review_diff::ReviewDiffArgs) => review_diff::run,
    /// Show, set or test the pattern of a rule
    Pattern(pattern::PatternArgs) => pattern::run,
    /// Rank candidates for a rule, store nothing
    #[command(visible_alias = "rank")]
    AnchorTest(anchor_test::AnchorTestArgs) => anchor_test::run,
    /// Count the memories, anchors and links
    Stats(stats::StatsArgs) => stats::run,
    /// Write an HTML page of rules and examples
    Report(report::ReportArgs) => report::run,
    /// Create a document in the bank
    Create(create::CreateArgs) => create::run,
    /// Append text to a memory or a section
    Append(append::AppendArgs) => append::run,
    /// Print a memory or some of its sections
    Read(read::ReadArgs) => read::run,
    /// Replace text or frontmatter of a memory
    Update(update::UpdateArgs) => update::run,
    /// Merge memories into one
    Merge(merge::MergeArgs) => merge::run,
    /// List the sections of a memory
    Sections(sections::SectionsArgs) => sections::run,
    /// List the links of the memories
    Links(links::LinksArgs) => links::run,
    /// Pin short notes that are always injected
    Pin(pin::PinArgs) => pin::run,
}
