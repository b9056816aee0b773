//! The commands under `cerberus memory`.

use clap::Subcommand;

use crate::commands::add::AddArgs;
use crate::commands::anchor::AnchorArgs;
use crate::commands::anchor_test::AnchorTestArgs;
use crate::commands::append::AppendArgs;
use crate::commands::create::CreateArgs;
use crate::commands::export::ExportArgs;
use crate::commands::feedback::FeedbackArgs;
use crate::commands::import::ImportArgs;
use crate::commands::inject::InjectArgs;
use crate::commands::linked::LinkedArgs;
use crate::commands::links::LinksArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::pin::PinCommand;
use crate::commands::read::ReadArgs;
use crate::commands::reanchor::ReanchorArgs;
use crate::commands::report::ReportArgs;
use crate::commands::search::SearchArgs;
use crate::commands::sections::SectionsArgs;
use crate::commands::show::ShowArgs;
use crate::commands::stats::StatsArgs;
use crate::commands::trash::DeleteArgs;
use crate::commands::trash::RestoreArgs;
use crate::commands::update::UpdateArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Make a bank in this project
    #[command(after_help = "Example: cerberus memory init")]
    Init,
    /// Add a short memory and anchor it to the code that shows it
    #[command(after_help = "\
Example: cerberus memory add \"Hash passwords before storing them\" --hint generate_password_hash")]
    Add(AddArgs),
    /// Find and keep the anchor of a memory
    #[command(after_help = "\
Without a choice the best example is kept if its quality is over the gate; otherwise nothing is
stored and the exit status is 1.

Examples:
  cerberus memory anchor hash-passwords --candidates 5
  cerberus memory anchor hash-passwords --pick 2
  cerberus memory anchor hash-passwords --to src/auth.py::register")]
    Anchor(AnchorArgs),
    /// Rank the examples of a rule and store nothing
    #[command(after_help = "\
Examples:
  cerberus memory anchor-test \"close the session when the request ends\" --hint close_db
  cerberus memory anchor-test --rules rules.jsonl --json
  cerberus memory anchor-test \"hash passwords\" --expect src/auth.py::register --within 3")]
    AnchorTest(AnchorTestArgs),
    /// Show memories, newest first
    #[command(after_help = "\
Examples:
  cerberus memory show --anchored
  cerberus memory show hash-passwords")]
    Show(ShowArgs),
    /// Follow every anchor through what changed in the code
    #[command(after_help = "\
With --check nothing is written, and the exit status is 1 if an anchor is lost, no longer shows its
rule, or is not recorded at its new place.

Examples:
  cerberus memory reanchor
  cerberus memory reanchor --check --strict
  cerberus memory reanchor --accept hash-passwords")]
    Reanchor(ReanchorArgs),
    /// Search the memories, or sections of them
    #[command(after_help = "\
Archived and superseded memories are omitted; --status archived and --superseded find them.

Examples:
  cerberus memory search \"session handling\"
  cerberus memory search release --section summary,decisions --content")]
    Search(SearchArgs),
    /// List the memories that mention or are anchored to a file, a symbol or a memory
    #[command(
        visible_alias = "backlinks",
        after_help = "\
Archived and superseded memories are omitted; --superseded includes the superseded ones.

Examples:
  cerberus memory linked src/auth.py
  cerberus memory linked src/auth.py::register \"password\"
  cerberus memory linked --diff"
    )]
    Linked(LinkedArgs),
    /// List the links of the memories and their targets
    #[command(after_help = "\
With --broken only broken links are listed, each with the current location of its target if it is
known; the exit status is 1 if there are any.

Examples:
  cerberus memory links --broken
  cerberus memory links --format mermaid")]
    Links(LinksArgs),
    /// List the sections of a memory with their tokens, and close those that are not closed
    #[command(after_help = "\
A closing tag goes before the next heading of the section's level or above, the next tag or the end
of the text, never into code. Where something else may be meant, nothing is changed.

Examples:
  cerberus memory sections release-plan --validate
  cerberus memory sections release-plan --fix --dry-run")]
    Sections(SectionsArgs),
    /// Write a document of any length into the bank
    #[command(after_help = "\
The content may begin with frontmatter of its own; what is given besides is set in it. A document
is not anchored; `cerberus memory anchor` does that.

Examples:
  cerberus memory create release/plan --type plan --tag release --file plan.md
  git log -5 | cerberus memory create journal/today")]
    Create(CreateArgs),
    /// Append a text to a memory or to one of its sections
    #[command(after_help = "\
A text that is the end already is not appended again.

Examples:
  cerberus memory append release/plan --content \"- tag the release\" --section steps
  date | cerberus memory append journal/today")]
    Append(AppendArgs),
    /// Print a memory, or just the wanted sections of it
    #[command(after_help = "\
Examples:
  cerberus memory read release/plan --section summary,steps
  cerberus memory read release/plan --raw")]
    Read(ReadArgs),
    /// Replace the text of a memory or of one section, and set its frontmatter
    #[command(after_help = "\
What is not replaced or set stays to the byte, and a memory that says all this already is not
written.

Examples:
  cerberus memory update release/plan --section summary --content \"Out in May.\"
  cerberus memory update release/plan --status archived --tag release --tag done")]
    Update(UpdateArgs),
    /// Merge memories into one
    #[command(after_help = "\
The target gets the texts of all sources, each below a note of where it came from, and their tags.
The sources go to the trash, and links to them lead to the target. After an interruption the same
command does the rest.

Examples:
  cerberus memory merge close-sessions pool-size --into db/sessions
  cerberus memory merge monday tuesday --into week --content \"We shipped.\"")]
    Merge(MergeArgs),
    /// Print the whole bank as JSON Lines, without loss
    #[command(after_help = "\
The first line says the format, each further one is a file: memories, anchors.lock, pins.toml.

Example: cerberus memory export --output memories.jsonl")]
    Export(ExportArgs),
    /// Take rules out of AGENTS.md and the like, or a whole bank out of an export
    #[command(
        arg_required_else_help = true,
        after_help = "\
List items that tell what to do become rules: AGENTS.md, CLAUDE.md, CONTRIBUTING.md,
.github/copilot-instructions.md, .cursor/rules, .clinerules. Prose, links, listings and steps are
left; --dry-run says why. A file or symbol that a rule names is its example, else the best one
over the gate. What was taken before is known by its file and its words and not taken again, even
if the memory was edited since; a changed item is reported.

An export is checked before anything is written. What the bank has already is left alone; what it
has otherwise is refused unless --overwrite is given.

Examples:
  cerberus memory import AGENTS.md .cursor/rules --dry-run
  cerberus memory import --from-export memories.jsonl"
    )]
    Import(ImportArgs),
    /// Print pins, memories and their examples within a token budget
    #[command(after_help = "\
Pins come first, then the memories about what is named, then what is newest. No more tokens are
printed than the budget, headers and fences counted.

Examples:
  cerberus memory inject --query \"session handling\" --budget 800
  cerberus memory inject --file src/auth.py --explain
  cerberus memory inject --into AGENTS.md --for agents-md")]
    Inject(InjectArgs),
    /// Pin short notes that are given every time
    #[command(subcommand)]
    Pin(PinCommand),
    /// Say whether a memory that was given has helped
    #[command(after_help = "\
What was said is counted by `cerberus memory stats`, apart for memories with and without an example.

Example: cerberus memory feedback hash-passwords --good")]
    Feedback(FeedbackArgs),
    /// Count the memories, anchors and links
    #[command(after_help = "Example: cerberus memory stats --show-anchors")]
    Stats(StatsArgs),
    /// Write a page that shows the rules, their examples, what changed and the links
    #[command(after_help = "\
The page is one file for people: it loads nothing, runs no script and is read in light, in dark, on
a phone and on paper. Anchors stand in it as `reanchor --check` finds them; nothing is recorded. The
same bank and commit make the same page. --json prints what the page shows as data.

Examples:
  cerberus memory report --html report.html
  cerberus memory report --html - | gzip > report.html.gz")]
    Report(ReportArgs),
    /// Move memories to the trash
    #[command(after_help = "Example: cerberus memory delete hash-passwords")]
    Delete(DeleteArgs),
    /// Take a memory back from the trash
    #[command(after_help = "Example: cerberus memory restore hash-passwords")]
    Restore(RestoreArgs),
}
