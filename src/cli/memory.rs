//! The commands under `cerberus memory`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::model::{CodeLocation, MemoryStatus, MemoryType, Scope};

use super::documents::{
    AppendArgs, CreateArgs, ExportArgs, ImportArgs, MergeArgs, ReadArgs, SecretArgs, UpdateArgs,
};
use super::pin::{PinCommand, SessionArgs};

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
    /// Search the memories, or just the wanted sections of them
    #[command(after_help = "\
Archived memories are left out (--status archived finds them), and so are those that another one
supersedes.

Examples:
  cerberus memory search \"session handling\"
  cerberus memory search release --anchors summary,decisions --content")]
    Search(SearchArgs),
    /// List the memories that speak of a file, a symbol or a memory, or are anchored there
    #[command(after_help = "\
Archived memories are left out, and so are those that another one supersedes.

Examples:
  cerberus memory linked src/auth.py
  cerberus memory linked src/auth.py::register \"password\"
  cerberus memory linked --diff")]
    Linked(LinkedArgs),
    /// List the links between memories and what they speak of
    #[command(after_help = "\
With --broken only links are listed that do not lead where they say, each with what is known of its
target, and the exit status is 1 if there is any.

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
    /// Count the memories and their anchors
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

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// What is to be remembered
    pub(crate) text: String,
    /// Name the memory instead of making a name from its text
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// What the memory is
    #[arg(long = "type", value_name = "TYPE", default_value = "rule")]
    pub(crate) memory_type: MemoryType,
    /// Put it into a category
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Say where it holds: universal, language:NAME or project:NAME
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Tag it (may be repeated)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Give a word that its example should hold (may be repeated, or several in one)
    #[arg(long = "hint", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    /// Anchor it by hand to FILE or FILE::SYMBOL
    #[arg(long, value_name = "PLACE", conflicts_with = "no_anchor")]
    pub(crate) anchor_to: Option<CodeLocation>,
    /// Do not look for its example
    #[arg(long)]
    pub(crate) no_anchor: bool,
    /// Keep an example from this quality on
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AnchorArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// List this many candidates with reasons and store nothing
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", group = "choice")]
    pub(crate) candidates: Option<usize>,
    /// Keep the candidate of this rank
    #[arg(long, value_name = "K", group = "choice")]
    pub(crate) pick: Option<usize>,
    /// Keep FILE or FILE::SYMBOL
    #[arg(long, value_name = "PLACE", group = "choice")]
    pub(crate) to: Option<CodeLocation>,
    /// Take the anchor away
    #[arg(long, group = "choice")]
    pub(crate) clear: bool,
    /// Give a word that the example should hold (may be repeated, or several in one)
    #[arg(long = "hint", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    /// Keep an example from this quality on
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    /// Say what would be kept and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("rule").required(true).args(["text", "rules"]))]
pub(crate) struct AnchorTestArgs {
    /// The rule, in words
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
    /// Give a word that the example should hold (may be repeated, or several in one)
    #[arg(long = "hint", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    /// Read many rules from a file (`-` for standard input), a rule or a JSON object
    /// {"rule", "hints"} a line; with --json print a document a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "hints", "expect"])]
    pub(crate) rules: Option<PathBuf>,
    /// Fail unless FILE or FILE::SYMBOL is found
    #[arg(long, value_name = "PLACE")]
    pub(crate) expect: Option<CodeLocation>,
    /// Accept what is expected among the first N candidates
    #[arg(long, value_name = "N", default_value_t = 1, requires = "expect")]
    pub(crate) within: usize,
    /// Look only at code of a scope, as in language:go
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Show so many candidates
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) limit: NonZeroUsize,
    /// Call an example from this quality on an anchor
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    /// Show which words decided, and which the code does not know
    #[arg(long)]
    pub(crate) explain: bool,
}

/// Which memories a command is about.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct FilterArgs {
    /// Only memories of this scope; `project` and `language` take all of their kind
    #[arg(long, help_heading = "Filters")]
    pub(crate) scope: Option<String>,
    /// Only memories of this type
    #[arg(long = "type", value_name = "TYPE", help_heading = "Filters")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Only memories of this category
    #[arg(long, help_heading = "Filters")]
    pub(crate) category: Option<String>,
    /// Only memories with this tag (repeated: with all of them)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    pub(crate) tags: Vec<String>,
    /// Only memories of this status
    #[arg(long, help_heading = "Filters")]
    pub(crate) status: Option<MemoryStatus>,
    /// Only memories anchored to this file
    #[arg(long, help_heading = "Filters")]
    pub(crate) file: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// Memories, or unique starts of their ids
    pub(crate) ids: Vec<String>,
    /// Only memories with an anchor, with the code at its current lines
    #[arg(long)]
    pub(crate) anchored: bool,
    /// Only memories without an anchor
    #[arg(long, conflicts_with = "anchored")]
    pub(crate) unanchored: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReanchorArgs {
    /// Write nothing and fail if anything has to be done
    #[arg(long, group = "mode")]
    pub(crate) check: bool,
    /// Record the changed code of one memory, or of all, as approved
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", group = "mode")]
    pub(crate) accept: Option<String>,
    /// Say what would be recorded and write nothing
    #[arg(long, group = "mode")]
    pub(crate) dry_run: bool,
    /// Take the last reanchor back
    #[arg(long, group = "mode")]
    pub(crate) undo: bool,
    /// Let any edit fail the check
    #[arg(long, requires = "check")]
    pub(crate) strict: bool,
    /// Look only at what changed since this revision; fail where git cannot tell
    #[arg(long, value_name = "REV")]
    pub(crate) since: Option<String>,
    /// Show what was compared and what decided for this memory
    #[arg(long, value_name = "ID")]
    pub(crate) explain: Option<String>,
    /// Print the findings in this form (--json is the same as json)
    #[arg(long, value_name = "FORM")]
    pub(crate) format: Option<ReportFormat>,
    /// Only memories of this scope; `all` takes every one
    #[arg(long, default_value = "all")]
    pub(crate) scope: String,
    /// Replace an example that is gone from this quality on
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
}

/// How findings are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people
    Table,
    /// One document
    Json,
    /// GitHub workflow commands, shown beside the code
    Github,
    /// SARIF 2.1.0
    Sarif,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for
    pub(crate) query: String,
    /// Return just these sections, with what that saves
    #[arg(long, value_name = "SECTION,…", value_delimiter = ',')]
    pub(crate) anchors: Vec<String>,
    /// Print the text too
    #[arg(long)]
    pub(crate) content: bool,
    /// Show the place of each memory in each lane, and what it adds to the score
    #[arg(long)]
    pub(crate) why: bool,
    /// Also memories that another one supersedes
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Only memories written or changed from this date or time on
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) since: Option<String>,
    /// Only memories written or changed until this date or time
    #[arg(long, value_name = "DATE", help_heading = "Filters")]
    pub(crate) until: Option<String>,
    /// Show so many memories
    #[arg(long, value_name = "N", default_value = "5")]
    pub(crate) limit: NonZeroUsize,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("about").required(true).args(["target", "diff"]))]
pub(crate) struct LinkedArgs {
    /// FILE, FOLDER, FILE::SYMBOL, SYMBOL or memory:ID
    pub(crate) target: Option<String>,
    /// Rank the memories by how well they fit this
    #[arg(requires = "target")]
    pub(crate) query: Option<String>,
    /// Take the files that are staged in git for the target
    #[arg(long)]
    pub(crate) diff: bool,
    /// Also memories that another one supersedes
    #[arg(long)]
    pub(crate) superseded: bool,
    /// Say it to a host's hook before a commit, and nothing where there is nothing to say
    #[arg(long = "for", value_name = "HOST", requires = "diff")]
    pub(crate) host: Option<CommitHost>,
}

/// Whose hook runs before a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CommitHost {
    /// Claude Code, before it runs a command: JSON
    #[value(name = "claude-hook")]
    Claude,
    /// Codex, before it runs a command: JSON
    #[value(name = "codex-hook")]
    Codex,
    /// git
    #[value(name = "git-hook")]
    Git,
}

#[derive(Debug, Args)]
pub(crate) struct LinksArgs {
    /// Only links that do not lead where they say; fail if there is any
    #[arg(long)]
    pub(crate) broken: bool,
    /// Print the links in this form (--json is the same as json)
    #[arg(long, value_name = "FORM", default_value = "table")]
    pub(crate) format: LinksFormat,
}

/// How links are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LinksFormat {
    /// For people
    Table,
    /// One document
    Json,
    /// A graph for Graphviz
    Dot,
    /// A graph for Mermaid, which GitHub shows
    Mermaid,
}

#[derive(Debug, Args)]
pub(crate) struct SectionsArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// Fail if any section tag is wrong
    #[arg(long)]
    pub(crate) validate: bool,
    /// Close the sections that are never closed and show the change
    #[arg(long)]
    pub(crate) fix: bool,
    /// Show the change and write nothing
    #[arg(long, requires = "fix", conflicts_with = "validate")]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InjectArgs {
    /// Print at most so many tokens [default: 1500]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Put first what speaks of this
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// Put first what is about this file (may be repeated)
    #[arg(long = "file", value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Put first what is about the files of the staged change
    #[arg(long)]
    pub(crate) diff: bool,
    /// Print the texts alone
    #[arg(long)]
    pub(crate) no_examples: bool,
    /// Say on standard error what was left out and why
    #[arg(long)]
    pub(crate) explain: bool,
    /// Keep under what this host takes, and end with what was left out
    #[arg(long = "for", value_name = "HOST")]
    pub(crate) host: Option<HostName>,
    /// Print it in this form (--json is the same as json)
    #[arg(long, value_name = "FORM", default_value = "md", conflicts_with = "into")]
    pub(crate) format: InjectFormat,
    /// Keep it in a marked block of this file instead, and leave all else there alone
    #[arg(long, value_name = "FILE")]
    pub(crate) into: Option<PathBuf>,
    /// Write nothing and fail if the block is stale
    #[arg(long, requires = "into")]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) session: SessionArgs,
}

/// How the block is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum InjectFormat {
    /// Markdown
    Md,
    /// One document
    Json,
}

/// Who reads the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostName {
    /// A hook of Claude Code: 10,000 characters
    ClaudeHook,
    /// A hook of Codex: 2,500 tokens
    CodexHook,
    /// A hook of Gemini CLI: JSON
    GeminiHook,
    /// A hook of Cursor: JSON
    CursorHook,
    /// AGENTS.md: 32 KiB
    AgentsMd,
    /// A rule of Cursor: 500 lines
    Cursor,
    /// The instructions of Copilot: 4,000 characters
    Copilot,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("verdict").required(true).args(["good", "bad"]))]
pub(crate) struct FeedbackArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// It has helped
    #[arg(long)]
    pub(crate) good: bool,
    /// It has not
    #[arg(long)]
    pub(crate) bad: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// Write the page to this file, over an older page (`-` for standard output)
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// List each anchor with its state
    #[arg(long)]
    pub(crate) show_anchors: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteArgs {
    /// Memories, or unique starts of their ids
    #[arg(required = true)]
    pub(crate) ids: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The name of the memory in the trash
    pub(crate) id: String,
}

fn quality(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err("a quality lies between 0 and 1".to_owned()),
    }
}
