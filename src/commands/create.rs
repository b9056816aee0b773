//! `cerberus memory create`: writes a new document. Does not anchor it.

use super::args::{ContentArgs, SecretArgs};
use crate::commands::prelude::*;
use cerberus_bank::names;
use cerberus_bank::ops::{default_scope, seconds, similar};
use cerberus_markdown::edit;
use cerberus_markdown::frontmatter::{self, FieldValue, Frontmatter};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct CreateArgs {
    /// Path of the file in the bank, without .md
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) content: ContentArgs,
    /// Id of the memory (default: its name)
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Type of the memory (default: journal)
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) memory_type: Option<MemoryType>,
    /// Category of the memory
    #[arg(long)]
    pub(crate) category: Option<String>,
    /// Scope: universal, language:NAME or project:NAME
    #[arg(long)]
    pub(crate) scope: Option<Scope>,
    /// Tag of the memory (repeatable)
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// Keyword expected in the example (repeatable)
    #[arg(long = "hint", visible_alias = "keyword", value_name = "WORD")]
    pub(crate) hints: Vec<String>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) warnings: Vec<String>,
}

/// Creates a document. The arguments override the frontmatter of `content`.
pub(crate) fn create(project: &Project, args: &CreateArgs, content: &str) -> Result<Report> {
    let name = args.name.strip_suffix(".md").unwrap_or(&args.name);
    names::check(name)?;
    if let Some(id) = &args.id {
        names::check(id)?;
    }
    document::check_content(content)?;
    document::check_fields(args.category.as_deref(), &args.tags, &args.hints)?;
    if !args.secret.allow_secret {
        let category = args.category.as_deref();
        document::check_secrets(("the content", content), category, &args.tags, &args.hints)?;
    }
    let text = compose(project, args, content)?;
    let front = frontmatter::parse(&text).frontmatter;
    let id = front.id.unwrap_or_else(|| name.to_owned());
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    memories.check_free(&id)?;
    memories.check_free(name)?;
    let file = project.bank.create_text(name, &text)?;
    let mut warnings = document::text_warnings(&file, &text);
    let body = text[frontmatter::body_start(&text)..].trim();
    warnings.extend(similar::warnings(&memories, body));
    Ok(Report { id, file, warnings })
}

/// Returns the complete text of the new file.
fn compose(project: &Project, args: &CreateArgs, content: &str) -> Result<String> {
    let content = content.trim_start_matches('\u{FEFF}');
    if frontmatter::span(content).is_none() {
        let newline = edit::newline_of(content);
        let front = Frontmatter {
            id: args.id.clone(),
            memory_type: Some(args.memory_type.unwrap_or(MemoryType::Journal)),
            category: args.category.clone(),
            scope: Some(args.scope.clone().unwrap_or_else(|| default_scope(project))),
            tags: args.tags.clone(),
            hints: args.hints.clone(),
            created_at: Some(seconds(project.now)),
            ..Frontmatter::default()
        };
        let head = frontmatter::render(&front).replace('\n', newline);
        return Ok(format!("{head}{}{newline}", edit::normalize(content, newline)));
    }
    let parsed = frontmatter::parse(content);
    if content[parsed.body_start..].trim().is_empty() {
        return Err(UserError::usage("the content has frontmatter but no text")
            .hint("write the text below the second line `---`")
            .into());
    }
    let front = &parsed.frontmatter;
    let memory_type =
        args.memory_type.or(front.memory_type.is_none().then_some(MemoryType::Journal));
    let scope = args.scope.clone();
    let scope = scope.or_else(|| front.scope.is_none().then(|| default_scope(project)));
    let scope = scope.map(|scope| scope.to_string());
    let created_at = front.created_at.is_none().then(|| seconds(project.now).to_string());
    let fields = [
        ("id", args.id.as_deref().map(FieldValue::Scalar)),
        ("type", memory_type.map(|memory_type| FieldValue::Scalar(memory_type.as_str()))),
        ("category", args.category.as_deref().map(FieldValue::Scalar)),
        ("scope", scope.as_deref().map(FieldValue::Scalar)),
        ("created_at", created_at.as_deref().map(FieldValue::Scalar)),
        ("tags", (!args.tags.is_empty()).then_some(FieldValue::List(&args.tags))),
        ("hints", (!args.hints.is_empty()).then_some(FieldValue::List(&args.hints))),
    ];
    Ok(document::set_fields(content.to_owned(), fields)
        .map_err(|error| document::edit_error("the content", error))?)
}

pub(crate) fn run(args: &CreateArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let content = args.content.read()?;
    let args = CreateArgs { hints: super::hints(&args.hints), ..args.clone() };
    out.report(&create(&settings.project, &args, &content)?, |report, out| {
        out.warn(&report.warnings);
        let (created, id) = (out.paint(OK, "created"), out.style(NAME, &report.id));
        out.line(&format!("{created} {id} {}", out.paint(DIM, &format!("({})", report.file))));
    })
}
