//! `cerberus memory update`.

use super::args::{ContentArgs, SecretArgs};
use crate::model::{MemoryStatus, MemoryType, Scope};
use anyhow::Result;
use clap::Args;

use crate::config::Settings;
use crate::error::{ExitStatus, UserError};
use crate::ops::document::Edited;
use crate::ops::update::{self, Request};
use crate::output::{DIM, NAME, OK, Printer};

use super::content;

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

pub(crate) fn run(args: &UpdateArgs, settings: &Settings, out: &mut Printer) -> Result<ExitStatus> {
    let (text, file) = (args.content.content.as_deref(), args.content.file.as_deref());
    let words = |list: &[String]| -> Vec<String> {
        list.iter().map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
    };
    let wanted = update::Settings {
        memory_type: args.memory_type,
        category: args.category.clone(),
        scope: args.scope.clone(),
        status: args.status,
        tags: args.tags.as_deref().map(words),
        hints: args.hints.as_deref().map(super::hints),
    };
    // A pipe is read where there is nothing else to do.
    let sets_nothing = wanted == update::Settings::default();
    let content = match content::named(text, file)? {
        None if sets_nothing || args.section.is_some() || args.replace_frontmatter => {
            Some(content::required(None, None)?)
        }
        content => content,
    };
    if wanted.category.as_deref().is_some_and(|it| it.trim().is_empty()) {
        return Err(UserError::usage("the category is empty")
            .hint("name one, as in `--category db`")
            .into());
    }
    let request = Request {
        id: args.id.clone(),
        content,
        section: args.section.clone(),
        replace_frontmatter: args.replace_frontmatter,
        settings: wanted,
        allow_secret: args.secret.allow_secret,
    };
    let report = update::update(&settings.project, &request)?;
    show(&report, "updated", "says all this already", out)
}

/// Prints what became of a memory that was edited.
pub(super) fn show(
    report: &Edited,
    done: &str,
    idle: &str,
    out: &mut Printer,
) -> Result<ExitStatus> {
    if out.json {
        out.json(report)?;
        return Ok(ExitStatus::Done);
    }
    out.warn(&report.warnings);
    let section = report.section.as_ref().map(|id| format!(" section {}", out.safe(id)));
    let section = section.unwrap_or_default();
    let id = out.style(NAME, &report.id);
    out.line(&if report.changed {
        let file = out.paint(DIM, &format!("({})", out.safe(&report.file)));
        format!("{} {id}{section} {file}", out.paint(OK, done))
    } else {
        format!("{id}{section} {idle}; nothing is changed")
    });
    Ok(ExitStatus::Done)
}
