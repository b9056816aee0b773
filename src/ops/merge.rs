//! `merge`: several memories become one.
//!
//! What is merged is written to the target before anything is moved, then links are
//! redirected, then the sources go to the trash one by one: killed at any moment, no
//! text is lost, and the same command again does what is left to do.

use anyhow::Result;
use serde::Serialize;

use crate::bank::lockfile::Anchors;
use crate::bank::{MemoryFile, names};
use crate::error::UserError;
use crate::markdown::edit::{self, EditMode};
use crate::markdown::frontmatter::{self, FieldValue, Frontmatter};
use crate::markdown::links::{self, Kind, Part, Target};
use crate::markdown::{EditError, merge, secrets};
use crate::model::{Anchor, Origin, Scope};

use super::memories::Memories;
use super::trash::{self, Moved};
use super::{Project, document};

/// What to merge into what.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) sources: Vec<String>,
    /// A memory that is there, or the name of a new one.
    pub(crate) into: String,
    /// What the target says instead of the sources' own texts.
    pub(crate) content: Option<String>,
    pub(crate) allow_secret: bool,
}

/// What was merged.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    /// Whether the target is new.
    pub(crate) created: bool,
    /// The sources, where they are now.
    pub(crate) merged: Vec<Moved>,
    /// The memories whose links lead to the target now.
    pub(crate) redirected: Vec<Redirected>,
    /// The memory whose anchor the target has taken over.
    pub(crate) anchor_from: Option<String>,
    pub(crate) warnings: Vec<String>,
}

/// A memory whose links were changed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Redirected {
    pub(crate) id: String,
    pub(crate) links: usize,
}

/// A source with its whole text.
struct Source<'a> {
    stored: &'a MemoryFile,
    text: String,
}

/// Merges memories.
pub(crate) fn merge(project: &Project, request: &Request) -> Result<Report> {
    if let Some(content) = &request.content {
        document::check_content(content)?;
        if !request.allow_secret {
            document::refuse_secrets(&[("the content", content)])?;
        }
    }
    let _guard = project.bank.lock_for_writing()?;
    let memories = Memories::load(project)?;
    let target = memories.all.iter().find(|stored| stored.memory.id == request.into);
    if target.is_none() {
        names::check(&request.into)?;
        memories.check_free(&request.into)?;
    }
    let old_text = target.map(|stored| project.bank.read_utf8(&stored.file)).transpose()?;
    let mut warnings = Vec::new();
    let sources = sources(project, request, &memories, old_text.as_deref(), &mut warnings)?;
    let moving: Vec<&MemoryFile> = sources.iter().map(|source| source.stored).collect();
    let into = Names { id: &request.into, file: target.map(|stored| stored.file.as_str()) };
    let file = target.map_or_else(|| format!("{}.md", request.into), |it| it.file.clone());
    let said = |refusal: EditError| document::refused(&file, refusal);

    // All that can be refused is looked at before anything is written.
    let merged = match &old_text {
        Some(text) => extended(project, text, &sources, request).map_err(said)?,
        None => joined(project, &sources, request).map_err(said)?,
    };
    merge::check_notes(&merged).map_err(said)?;
    let (merged, _) = redirected(&merged, &moving, into).map_err(said)?;
    let others = memories.all.iter().filter(|stored| {
        stored.memory.id != request.into && !moving.iter().any(|it| it.file == stored.file)
    });
    let mut changes = Vec::new();
    for other in others {
        if let Some(change) = redirected_memory(project, other, &moving, into, &mut warnings)? {
            changes.push((other, change));
        }
    }

    match &old_text {
        None => {
            project.bank.create_text(&request.into, &merged)?;
        }
        Some(text) if *text != merged => project.bank.rewrite(&file, &merged)?,
        Some(_) => {}
    }
    let mut anchors = memories.anchors.clone();
    // What a merge that was interrupted has moved, has its anchor with it.
    let is_memory = |id: &str| memories.all.iter().any(|stored| stored.memory.id == id);
    anchors.retain(|id, _| is_memory(id) || !request.sources.contains(id));
    let anchor_from = carry_anchor(&mut anchors, request, &merged, &moving, &mut warnings);
    project.bank.write_anchors(&anchors)?;
    let mut links = Vec::new();
    for (other, (text, n_links)) in changes {
        project.bank.rewrite(&other.file, &text)?;
        links.push(Redirected { id: other.memory.id.clone(), links: n_links });
    }
    let merged_sources = trash::put_all(project, &mut anchors, &moving)?;
    if !request.allow_secret
        && let Some(secret) = secrets::find_secret(&merged)
    {
        // It is in the bank already: to refuse it here would keep nothing out.
        warnings.push(format!(
            "`{file}:{}` holds {}, as a memory did before",
            secret.line + 1,
            secret.kind
        ));
    }
    warnings.extend(document::remarks(&file, &merged));
    Ok(Report {
        id: request.into.clone(),
        file,
        created: old_text.is_none(),
        merged: merged_sources,
        redirected: links,
        anchor_from,
        warnings,
    })
}

/// Finds the memories that are still to be merged, each once; the target is none of them.
fn sources<'a>(
    project: &Project,
    request: &Request,
    memories: &'a Memories,
    target: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Source<'a>>> {
    let mut sources: Vec<Source> = Vec::new();
    let mut n_done = 0;
    for typed in &request.sources {
        let is_there = memories.all.iter().any(|stored| stored.memory.id == *typed);
        if !is_there && target.is_some_and(|text| text.contains(&merge::note(typed))) {
            warnings.push(format!("`{typed}` is part of `{}` already", request.into));
            n_done += 1;
            continue;
        }
        let stored = memories.find(typed)?;
        let is_known = sources.iter().any(|it| it.stored.file == stored.file);
        if stored.memory.id != request.into && !is_known {
            sources.push(Source { stored, text: project.bank.read_utf8(&stored.file)? });
        }
    }
    if sources.is_empty() && n_done == 0 {
        return Err(UserError::usage(format!("there is nothing to merge into `{}`", request.into))
            .hint("name other memories than the target")
            .into());
    }
    Ok(sources)
}

/// Returns what the sources add to a target that says `text`, in their order; what it has
/// already is not added again.
fn additions(text: &str, sources: &[Source], request: &Request, newline: &str) -> Vec<String> {
    let is_new = |addition: &String| !text.contains(addition.as_str());
    let Some(content) = &request.content else {
        let parts = sources.iter().map(|it| merge::part(&it.stored.memory.id, &it.text, newline));
        return parts.filter(is_new).collect();
    };
    let summary = edit::normalize(&content[frontmatter::body_start(content)..], newline);
    let notes = sources.iter().map(|it| merge::note(&it.stored.memory.id)).filter(is_new);
    let notes = notes.collect::<Vec<_>>().join(newline);
    let additions = [Some(summary).filter(is_new), Some(notes)];
    additions.into_iter().flatten().filter(|it| !it.is_empty()).collect()
}

/// Returns the text of a new target.
fn joined(project: &Project, sources: &[Source], request: &Request) -> Result<String, EditError> {
    let memory = |at: usize| &sources[at].stored.memory;
    let shared = |is_same: &dyn Fn(usize) -> bool| (1..sources.len()).all(is_same);
    let scope = shared(&|at| memory(at).scope == memory(0).scope).then(|| match &memory(0).scope {
        Scope::Project(None) => super::default_scope(project),
        scope => scope.clone(),
    });
    let front = Frontmatter {
        memory_type: Some(memory(0).memory_type),
        category: memory(0)
            .category
            .clone()
            .filter(|_| shared(&|at| memory(at).category == memory(0).category)),
        scope: Some(scope.unwrap_or_else(|| super::default_scope(project))),
        tags: united(&[], sources, |stored| &stored.memory.tags),
        hints: united(&[], sources, |stored| &stored.memory.hints),
        // What is known is as old as its oldest part.
        created_at: sources
            .iter()
            .filter_map(|source| source.stored.memory.created_at)
            .min()
            .or(Some(super::seconds(project.now))),
        updated_at: Some(super::seconds(project.now)),
        ..Frontmatter::default()
    };
    let own = request.content.as_deref().and_then(|content| {
        let content = content.trim_start_matches('\u{FEFF}');
        frontmatter::span(content).map(|(_, body_start)| &content[..body_start])
    });
    let head = match own {
        // A summary may bring its own frontmatter, which then counts alone.
        Some(own) => {
            let head = format!("{}\n\n", own.replace("\r\n", "\n").trim_end());
            match frontmatter::parse(&head).frontmatter.memory_type {
                Some(_) => head,
                None => frontmatter::set(
                    &head,
                    "type",
                    FieldValue::Scalar(memory(0).memory_type.as_str()),
                )?,
            }
        }
        None => frontmatter::render(&front),
    };
    Ok(format!("{head}{}\n", additions("", sources, request, "\n").join("\n\n")))
}

/// Returns the text of a target that was there, with what it does not hold yet.
fn extended(
    project: &Project,
    text: &str,
    sources: &[Source],
    request: &Request,
) -> Result<String, EditError> {
    let mut new = text.to_owned();
    for addition in additions(text, sources, request, edit::newline_of(text)) {
        new = edit::body(&new, &addition, EditMode::Append)?;
    }
    let front = frontmatter::parse(text).frontmatter;
    let tags = united(&front.tags, sources, |stored| &stored.memory.tags);
    let hints = united(&front.hints, sources, |stored| &stored.memory.hints);
    for (key, old, list) in [("tags", front.tags, tags), ("hints", front.hints, hints)] {
        if list != old {
            new = frontmatter::set(&new, key, FieldValue::List(&list))?;
        }
    }
    if new != text {
        new = frontmatter::set_updated_at(&new, &super::seconds(project.now).to_string());
    }
    Ok(new)
}

fn united(
    own: &[String],
    sources: &[Source],
    of: impl Fn(&MemoryFile) -> &Vec<String>,
) -> Vec<String> {
    let mut all = own.to_vec();
    for word in sources.iter().flat_map(|source| of(source.stored)) {
        if !all.iter().any(|it| it.eq_ignore_ascii_case(word)) {
            all.push(word.clone());
        }
    }
    all
}

/// Gives the target the best anchor of its sources, where it has none, and tells of the
/// others; they stay with their memories in the trash.
fn carry_anchor(
    anchors: &mut Anchors,
    request: &Request,
    merged: &str,
    sources: &[&MemoryFile],
    warnings: &mut Vec<String>,
) -> Option<String> {
    let anchored = sources.iter().filter_map(|stored| {
        let (id, anchor) = anchors.get_key_value(&stored.memory.id)?;
        Some((id.clone(), anchor.clone()))
    });
    let mut anchored: Vec<_> = anchored.collect();
    anchored.sort_by(|(_, a), (_, b)| {
        let is_auto = |anchor: &Anchor| anchor.origin == Origin::Auto;
        is_auto(a).cmp(&is_auto(b)).then(b.quality.total_cmp(&a.quality))
    });
    let is_universal = frontmatter::parse(merged).frontmatter.scope == Some(Scope::Universal);
    let can_take = !anchors.contains_key(&request.into) && !is_universal;
    let n_taken = usize::from(can_take && !anchored.is_empty());
    for (id, anchor) in &anchored[n_taken..] {
        let symbol = anchor.symbol.as_ref().map(|it| format!("::{it}")).unwrap_or_default();
        warnings.push(format!("the example of `{id}` is dropped: {}{symbol}", anchor.file));
    }
    let (id, anchor) = anchored.into_iter().take(n_taken).next()?;
    anchors.insert(request.into.clone(), anchor);
    Some(id)
}

/// What the target is called.
#[derive(Clone, Copy)]
struct Names<'a> {
    id: &'a str,
    file: Option<&'a str>,
}

impl Names<'_> {
    /// Returns the new name in a link that leads to a source, or none where it does not.
    fn instead_of(self, target: &Target, sources: &[&MemoryFile]) -> Option<String> {
        let is_memory = match target.kind {
            Kind::Memory => true,
            Kind::Plain | Kind::Path => {
                !matches!(target.part, Some(Part::Symbol(_) | Part::Lines(..)))
            }
            Kind::Url => false,
        };
        let found = sources.iter().filter(|_| is_memory).find_map(|stored| {
            let is_file = links::normalize_path(&target.name).as_deref() == Some(&stored.file);
            (is_file || target.name == stored.memory.id).then_some(is_file)
        });
        found.map(|is_file| match (is_file, self.file) {
            (false, _) => self.id.to_owned(),
            (true, Some(file)) => file.to_owned(),
            (true, None) => format!("{}.md", self.id),
        })
    }
}

/// Returns a text whose links to the sources lead to the target, and how many those were.
fn redirected(
    text: &str,
    sources: &[&MemoryFile],
    into: Names,
) -> Result<(String, usize), EditError> {
    let mut new = text.to_owned();
    let mut n_links = 0;
    for link in links::parse(text).into_iter().rev() {
        if let Some(name) = into.instead_of(&link.target, sources) {
            new.replace_range(link.name_span.start..link.name_span.end, &name);
            n_links += 1;
        }
    }
    let mut listed = frontmatter::parse(text).frontmatter.links;
    let mut n_listed = 0;
    for entry in &mut listed {
        let target = links::parse_target(entry).map(|(target, _)| target);
        if let Some((target, name)) =
            target.and_then(|it| into.instead_of(&it, sources).map(|name| (it, name)))
            && let Some(at) = entry.rfind(&target.name)
        {
            entry.replace_range(at..at + target.name.len(), &name);
            n_listed += 1;
        }
    }
    if n_listed > 0 {
        new = frontmatter::set(&new, "links", FieldValue::List(&listed))?;
    }
    Ok((new, n_links + n_listed))
}

/// Returns another memory's text with its links redirected, if it has any to the sources.
fn redirected_memory(
    project: &Project,
    stored: &MemoryFile,
    sources: &[&MemoryFile],
    into: Names,
    warnings: &mut Vec<String>,
) -> Result<Option<(String, usize)>> {
    let told = redirected(&stored.text, sources, into);
    if matches!(told, Ok((_, 0))) {
        return Ok(None);
    }
    let exact = project.bank.read_utf8(&stored.file);
    let said = |refusal: EditError| document::refused(&stored.file, refusal).into();
    match exact.and_then(|text| redirected(&text, sources, into).map_err(said)) {
        Ok(change) => Ok(Some(change)),
        Err(error) => {
            warnings
                .push(format!("the links of `{}` are not redirected: {error:#}", stored.memory.id));
            Ok(None)
        }
    }
}
