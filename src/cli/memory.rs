//! The commands under `cerberus memory`.

use clap::Subcommand;

use crate::commands::add::AddArgs;
use crate::commands::anchor::AnchorArgs;
use crate::commands::anchor_test::AnchorTestArgs;
use crate::commands::append::AppendArgs;
use crate::commands::bank::BankCommand;
use crate::commands::create::CreateArgs;
use crate::commands::export::ExportArgs;
use crate::commands::feedback::FeedbackArgs;
use crate::commands::import::ImportArgs;
use crate::commands::inject::InjectArgs;
use crate::commands::linked::LinkedArgs;
use crate::commands::links::LinksArgs;
use crate::commands::merge::MergeArgs;
use crate::commands::merge_lock::MergeLockArgs;
use crate::commands::pattern::PatternArgs;
use crate::commands::pin::PinCommand;
use crate::commands::read::ReadArgs;
use crate::commands::reanchor::ReanchorArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::report::ReportArgs;
use crate::commands::review::ReviewArgs;
use crate::commands::review_diff::ReviewDiffArgs;
use crate::commands::search::SearchArgs;
use crate::commands::sections::SectionsArgs;
use crate::commands::show::ShowArgs;
use crate::commands::stats::StatsArgs;
use crate::commands::trash::DeleteArgs;
use crate::commands::trash::RestoreArgs;
use crate::commands::update::UpdateArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Create a bank in this project
    #[command(after_help = "Example: cerberus memory init")]
    Init,
    /// Add a short memory and link it to its best example in the code
    #[command(after_help = "\
Example: cerberus memory add \"Hash passwords before storing them\" --hint generate_password_hash")]
    Add(AddArgs),
    /// Find and store the anchor of a memory
    #[command(after_help = "\
By default the best candidate is stored if its quality reaches the threshold; otherwise nothing is
stored and the exit status is 1.

Examples:
  cerberus memory anchor hash-passwords --candidates 5
  cerberus memory anchor hash-passwords --pick 2
  cerberus memory anchor hash-passwords --to src/auth.py::register")]
    Anchor(AnchorArgs),
    /// Rank the candidates for a rule and store nothing
    #[command(
        visible_alias = "rank",
        after_help = "\
Examples:
  cerberus memory anchor-test \"close the session when the request ends\" --hint close_db
  cerberus memory anchor-test --rules rules.jsonl --json
  cerberus memory anchor-test \"hash passwords\" --expect src/auth.py::register --top 3"
    )]
    AnchorTest(AnchorTestArgs),
    /// Show memories, newest first
    #[command(after_help = "\
Piped output is the raw text, without the envelope in which `inject` marks texts as data for an agent.

Examples:
  cerberus memory show --anchored
  cerberus memory show hash-passwords")]
    Show(ShowArgs),
    /// Follow every anchor through changes in the code
    #[command(after_help = "\
With --check nothing is written, and the exit status is 1 if an anchor is lost, no longer matches
its rule, or is not recorded at its new location.

Examples:
  cerberus memory reanchor
  cerberus memory reanchor --check --strict
  cerberus memory reanchor --accept hash-passwords")]
    Reanchor(ReanchorArgs),
    /// Compare the recorded changes of the anchors with how the history alone follows them
    #[command(after_help = "\
Each commit that changed the location of an anchor in anchors.lock is a question with a known answer:
the code is followed from the location before, through the commits between, and compared with the
location after. `followed` is the same location, `wrong` another one, `lost` none; `chosen` means that
the old code is still there, so somebody chose another example. An anchor that was followed and then
set to other code while it was still there is `wrong` as well. `open` is what changed since and is
not recorded yet. The tree is not searched, so `reanchor` can find some of what is lost here. Nothing
is written. At most 200 versions of anchors.lock are compared.

Examples:
  cerberus memory replay
  cerberus memory replay --since v1.0 --json")]
    Replay(ReplayArgs),
    /// Choose the examples of the rules whose example is not sure
    #[command(after_help = "\
Lists the rules without an anchor whose best candidate is not sure, and the anchors to code that was
edited, is gone or is ambiguous. On a terminal it asks about each with one key: 1-5 stores a candidate,
n records that the code has no example, h adds a hint, e edits the memory, s skips, q quits. Each
decision is written at once. Otherwise, and with --list, it only prints them.

Examples:
  cerberus memory review
  cerberus memory review --list --limit 10
  cerberus memory review hash-passwords")]
    Review(ReviewArgs),
    /// Show, test, export or remove the pattern of code that breaks a rule
    #[command(after_help = "\
A pattern is a rule of ast-grep in the frontmatter of the memory, which a person writes, and its hits
are errors. It is tested against the examples and counter-examples of its rule. Most rules have none.

Examples:
  cerberus memory pattern no-print
  cerberus memory pattern no-print --format ast-grep > no-print.yml")]
    Pattern(PatternArgs),
    /// Check added and changed code against the patterns of the rules
    #[command(after_help = "\
Compares the files with the last commit, with --staged the index, with REV the last common commit.
A pattern in an added line is an error, and the exit status is 1; a new function that the project
nearly has already is a hint. The comment `cerberus: allow ID REASON` on the line or the line above
it allows it.

Examples:
  cerberus memory review-diff
  cerberus memory review-diff origin/main --format github
  cerberus memory review-diff --all --baseline old-hits.json --update-baseline")]
    ReviewDiff(ReviewDiffArgs),
    /// Search the memories, or sections of them
    #[command(after_help = "\
Archived and superseded memories are omitted; --status archived and --superseded find them.
Piped output is the raw text, without the envelope in which `inject` marks texts as data for an agent.

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
    /// List the sections of a memory with their token counts, or close unclosed ones
    #[command(after_help = "\
--fix inserts a closing tag before the next heading of the same or a higher level, the next tag or
the end of the text, never in code. Ambiguous sections are not changed.

Examples:
  cerberus memory sections release-plan --validate
  cerberus memory sections release-plan --fix --dry-run")]
    Sections(SectionsArgs),
    /// Create a document in the bank
    #[command(after_help = "\
The content may start with frontmatter; options override its fields. The document is not anchored;
to anchor it, run `cerberus memory anchor`.

Examples:
  cerberus memory create release/plan --type plan --tag release --file plan.md
  git log -5 | cerberus memory create journal/today")]
    Create(CreateArgs),
    /// Append text to a memory or to one of its sections
    #[command(after_help = "\
Nothing is written if the memory or section already ends with the text.

Examples:
  cerberus memory append release/plan --content \"- tag the release\" --section steps
  date | cerberus memory append journal/today")]
    Append(AppendArgs),
    /// Print a memory or some of its sections
    #[command(after_help = "\
Piped output is the raw text, without the envelope in which `inject` marks texts as data for an agent.

Examples:
  cerberus memory read release/plan --section summary,steps
  cerberus memory read release/plan --raw")]
    Read(ReadArgs),
    /// Replace the text of a memory or of one section, and set its frontmatter
    #[command(after_help = "\
Everything else in the file is unchanged byte for byte. An update without effect does not write the
file.

Examples:
  cerberus memory update release/plan --section summary --content \"Out in May.\"
  cerberus memory update release/plan --status archived --tag release --tag done")]
    Update(UpdateArgs),
    /// Merge memories into one
    #[command(after_help = "\
The target gets the texts of all sources, each below a note with its origin, and their tags. The
sources are moved to the trash and links to them are redirected to the target. After an
interruption, running the same command again completes the merge.

Examples:
  cerberus memory merge close-sessions pool-size --into db/sessions
  cerberus memory merge monday tuesday --into week --content \"We shipped.\"")]
    Merge(MergeArgs),
    /// Merge two versions of anchors.lock memory by memory, as a merge driver of git
    #[command(after_help = "\
Git merges lines, so two branches that anchor different rules can conflict. With this driver they do
not: an anchor is in conflict only if both sides changed it differently, and `cerberus memory reanchor`
resolves that. Git runs no driver that a repository brings along, so each clone installs it once with
--install, which sets `merge.cerberus-anchors` in the settings of this clone and adds a line to
`.gitattributes` in the bank. A clone without the driver merges the file as text. To remove it, run
`git config --remove-section merge.cerberus-anchors`.

Example: cerberus memory merge-lock --install")]
    MergeLock(MergeLockArgs),
    /// Export the bank as JSON Lines
    #[command(after_help = "\
The first line states the format, each other line holds a file: memories, anchors.lock, pins.toml.
`cerberus memory import --from-export` restores them byte for byte.

Example: cerberus memory export --output memories.jsonl")]
    Export(ExportArgs),
    /// Import rules from AGENTS.md and similar files, or a bank from an export
    #[command(after_help = "\
What demands something becomes a rule: list items, paragraphs, sections, rows of tables.
Descriptions, links, listings and steps are skipped; --dry-run shows the reasons. The example of a
rule is the best candidate above the threshold; if the rule names a file, the best in that file. The
rules of a nested document apply to its folder.

Without FILE, all files of rules are read: AGENTS.md and CLAUDE.md at any depth, GEMINI.md,
CONTRIBUTING.md, .cursor/rules, .cursorrules, .windsurfrules, .github/copilot-instructions.md,
.github/instructions, .claude/rules, .clinerules, .serena/memories and others, with the documents
that they import as `@path`, except in folders of other projects such as vendor and testdata. On a
terminal, a summary is shown first. --dry-run needs no bank.

Run it again after the documents changed: changed items update their memories, unless these were
edited; memories of removed items are listed, and --prune moves them to the trash; a deleted memory
does not come back. A moved document keeps its memories. --check only compares, for CI.

The exit status is 1 if a file of rules cannot be read; the others are imported.

An export is checked before anything is written. Identical files are skipped; files that differ
from those in the bank are an error without --overwrite.

Examples:
  cerberus memory import AGENTS.md .cursor/rules --dry-run
  cerberus memory import --check
  cerberus memory import --from-export memories.jsonl")]
    Import(ImportArgs),
    /// Print pins, memories and their examples within a token budget
    #[command(after_help = "\
Pins come first, then memories about the query and the files, then the newest. The output never
exceeds the budget, including headers and fences. The texts are between the lines
`<cerberus-memory> …` and `</cerberus-memory>`, which mark them as data for an agent. Markers of roles
and chat templates in them are escaped with a backslash, as in `<\\/system>`. With --json, only the
field `text` is in this form.

Examples:
  cerberus memory inject --query \"session handling\" --budget 800
  cerberus memory inject --file src/auth.py --explain
  cerberus memory inject --into AGENTS.md --for agents-md")]
    Inject(InjectArgs),
    /// Pin short notes that are always injected
    #[command(subcommand)]
    Pin(PinCommand),
    /// Use memories of other repositories, pinned to a commit
    #[command(subcommand)]
    Bank(BankCommand),
    /// Record whether an injected memory was helpful
    #[command(after_help = "\
`cerberus memory stats` prints the totals, separately for memories with and without an example.

Example: cerberus memory feedback hash-passwords --helpful")]
    Feedback(FeedbackArgs),
    /// Count the memories, anchors and links
    #[command(after_help = "Example: cerberus memory stats --show-anchors")]
    Stats(StatsArgs),
    /// Write an HTML page of the rules, their examples, changes and links
    #[command(after_help = "\
The page is a single file without scripts or external resources, with styles for light and dark
mode, phones and print. It shows the state of the anchors as `reanchor --check` reports it. The same
bank and commit produce the same page. --json prints the data of the page.

Examples:
  cerberus memory report --html report.html
  cerberus memory report --html - | gzip > report.html.gz")]
    Report(ReportArgs),
    /// Move memories to the trash
    #[command(after_help = "Example: cerberus memory delete hash-passwords")]
    Delete(DeleteArgs),
    /// Restore a memory from the trash
    #[command(after_help = "Example: cerberus memory restore hash-passwords")]
    Restore(RestoreArgs),
}
