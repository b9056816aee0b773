//! The arguments of the commands on documents and whole banks.

use std::path::PathBuf;

use clap::Args;

use crate::model::{MemoryStatus, MemoryType, Scope};

/// Where a text comes from; without either, from a pipe.
#[derive(Debug, Clone, Args)]
pub(crate) struct ContentArgs {
    /// Take this text (without it and --file: what comes through a pipe)
    #[arg(long, value_name = "TEXT", help_heading = "Content", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Take the text of this file, or of the standard input with -
    #[arg(long, value_name = "FILE", help_heading = "Content", conflicts_with = "content")]
    pub(crate) file: Option<PathBuf>,
}

/// Whether what looks like a secret may be written.
#[derive(Debug, Clone, Args)]
pub(crate) struct SecretArgs {
    /// Write it even if it looks like a private key or the token of a service
    #[arg(long)]
    pub(crate) allow_secret: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CreateArgs {
    /// The name of its file in the bank, without .md
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Give it an id other than its name
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// What the memory is (journal unless told otherwise)
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) memory_type: Option<MemoryType>,
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
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AppendArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Append to this section: one between tags, or one below a heading
    #[arg(long)]
    pub(crate) section: Option<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    /// Only this section (may be repeated, or several with commas between)
    #[arg(long = "section", value_name = "SECTION", value_delimiter = ',')]
    pub(crate) sections: Vec<String>,
    /// Keep the tags in sections; without a section, print the file to the byte
    #[arg(long)]
    pub(crate) raw: bool,
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// The memory, or a unique start of its id
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Replace the text of this section alone
    #[arg(long)]
    pub(crate) section: Option<String>,
    /// Take the content's own frontmatter instead of keeping the memory's
    #[arg(long, conflicts_with = "section")]
    pub(crate) replace_frontmatter: bool,
    /// Set what the memory is
    #[arg(long = "type", value_name = "TYPE", help_heading = "Frontmatter")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Set its category
    #[arg(long, help_heading = "Frontmatter")]
    pub(crate) category: Option<String>,
    /// Set where it holds: universal, language:NAME or project:NAME
    #[arg(long, help_heading = "Frontmatter")]
    pub(crate) scope: Option<Scope>,
    /// Set whether it is in use: active or archived
    #[arg(long, help_heading = "Frontmatter")]
    pub(crate) status: Option<MemoryStatus>,
    /// Set its tags (repeated: all of them; an empty one takes them away)
    #[arg(long = "tag", value_name = "TAG", help_heading = "Frontmatter")]
    pub(crate) tags: Option<Vec<String>>,
    /// Set its hints (repeated, or several in one: all of them)
    #[arg(long = "hint", value_name = "WORD", help_heading = "Frontmatter")]
    pub(crate) hints: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The memories to merge, or unique starts of their ids
    #[arg(required = true, value_name = "SOURCE")]
    pub(crate) sources: Vec<String>,
    /// Merge them into this memory, which is made if it is not there
    #[arg(long, value_name = "TARGET")]
    pub(crate) into: String,
    /// Let the target say this instead of the sources' own texts
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) content: Option<String>,
    /// Let the target say what is in this file, or in the standard input with -
    #[arg(long, value_name = "FILE", conflicts_with = "content")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Write to this file instead of the standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Take the rules of these documents, or of all documents in a folder
    #[arg(value_name = "FILE", required_unless_present = "from_export")]
    pub(crate) files: Vec<PathBuf>,
    /// Say what would be taken and what left, and write nothing
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) dry_run: bool,
    /// Do not look for the rules' examples
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) no_anchor: bool,
    /// Say where they hold: universal, language:NAME or project:NAME
    #[arg(long, conflicts_with = "from_export")]
    pub(crate) scope: Option<Scope>,
    /// Take what `cerberus memory export` wrote, or the standard input with -
    #[arg(long, value_name = "EXPORT", conflicts_with = "files")]
    pub(crate) from_export: Option<PathBuf>,
    /// Write over memories that differ; the bank's own go to the trash
    #[arg(long, requires = "from_export", conflicts_with = "files")]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}
