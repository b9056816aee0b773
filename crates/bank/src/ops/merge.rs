//! Merges several memories into one.
//!
//! Writes the target first, then redirects links, then moves the sources to the trash one by one.
//! If the process is killed, no text is lost and running the same command again completes the
//! merge. If a write fails, those before it are reverted.

use anyhow::Result;
use cerberus_markdown::edit::{self, EditMode};
use cerberus_markdown::frontmatter::{FieldValue, Frontmatter};
use cerberus_markdown::links::{self, Kind, Part, Target};
use cerberus_markdown::{EditError, frontmatter, merge as merge_text, secrets};
use cerberus_model::{Anchor, MemoryId, Origin, Scope, format_location, refuse};
use serde::Serialize;

use super::trash::{self, MovedMemory};
use crate::lockfile::Anchors;
use crate::ops::memories::Memories;
use crate::ops::{Project, default_scope, document, seconds};
use crate::{ImportChanges, MemoryFile, Workspace};

/// The memories to merge.
#[derive(Debug, Default)]
pub struct Request {
    /// Complete ids.
    pub sources: Vec<String>,
    /// Memory to merge into, which is created if it does not exist.
    pub into: String,
    /// Text of the target instead of the texts of the sources.
    pub content: Option<String>,
    pub allow_secrets: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub id: String,
    pub file: String,
    /// Whether the target is new.
    pub created: bool,
    /// The sources, now in the trash.
    pub merged: Vec<MovedMemory>,
    /// Memories whose links now point to the target.
    pub redirected: Vec<Redirected>,
    /// Memory whose anchor the target now has.
    pub anchor_from: Option<String>,
    pub warnings: Vec<String>,
}

/// Memory with redirected links.
#[derive(Debug, Serialize)]
pub struct Redirected {
    pub id: String,
    pub links: usize,
}

/// The links to memories that are merged or renamed, which lead to their target afterwards.
pub(super) struct Redirect<'a> {
    pub(super) sources: Vec<&'a MemoryFile>,
    /// Id of the target.
    pub(super) id: &'a str,
    /// File of the target.
    pub(super) file: String,
}

/// Memory to merge into the target, with its complete text.
struct Source<'a> {
    stored: &'a MemoryFile,
    text: String,
}

impl Request {
    /// Returns the id of the target.
    fn target_id(&self) -> &str {
        self.into.strip_suffix(".md").unwrap_or(&self.into)
    }
}

/// Merges memories.
pub fn merge(project: &Workspace, request: &Request) -> Result<Report> {
    if let Some(content) = &request.content {
        document::check_text(("the content", content), request.allow_secrets)?;
    }
    let lock = project.lock()?;
    let memories = lock.memories()?;
    let mut warnings = Vec::new();
    // Every check that can fail comes before the first write.
    let (redirect, merged, mut changes) = target(project, request, &memories, &mut warnings)?;
    let redirected = redirect.others(project, &memories, &mut changes, &mut warnings);
    changes.after.retain(|id, _| {
        // Sources that an interrupted merge moved to the trash have their anchors there.
        memories.get(id).is_some() || !request.sources.contains(id)
    });
    let anchor_from = redirect.move_anchor(&mut changes.after, &merged, &mut warnings);
    changes.check_sizes()?;
    trash::record_deletion(project, &redirect.sources)?;
    project.bank.import(&changes)?;
    let mut anchors = changes.after.clone();
    let moved = trash::move_to_trash(project, &mut anchors, &redirect.sources);
    if moved.is_err() {
        revert(project, &memories, &changes)?;
    }
    let file = &redirect.file;
    if !request.allow_secrets
        && let Some(secret) = secrets::find_secret(&merged)
    {
        // A warning is enough, because the secret already was in the bank.
        let line = secret.line + 1;
        let kind = secret.kind;
        warnings.push(format!(
            "`{file}:{line}` contains {kind} from a merged memory"
        ));
    }
    warnings.extend(document::text_warnings(file, &merged));
    Ok(Report {
        id: redirect.id.to_owned(),
        file: file.clone(),
        created: !changes.created.is_empty(),
        merged: moved?,
        redirected,
        anchor_from,
        warnings,
    })
}

/// Returns the redirection of links to the target, its new text, and the changes that write it.
fn target<'a>(
    project: &Project,
    request: &'a Request,
    memories: &'a Memories,
    warnings: &mut Vec<String>,
) -> Result<(Redirect<'a>, String, ImportChanges)> {
    let id = request.target_id();
    let content = request.content.as_deref();
    let mut changes = ImportChanges {
        before: memories.anchors.clone(),
        after: memories.anchors.clone(),
        ..ImportChanges::default()
    };
    let mut new_id = None;
    let mut old = None;
    let file = match memories.get(id) {
        Some(stored) => {
            old = Some(project.bank.utf8_text(stored)?);
            stored.file.clone()
        }
        None => {
            let id: MemoryId = id.parse()?;
            memories.check_free(&id)?;
            new_id.insert(id).file()
        }
    };
    let (sources, merged_before) = find_sources(project, request, memories, old.as_deref())?;
    warnings.extend(merged_before);
    let redirect = Redirect {
        sources: sources.iter().map(|source| source.stored).collect(),
        id,
        file,
    };
    let file = &redirect.file;
    let edit_error = |error: EditError| document::edit_error(file, error);
    let merged = match &old {
        Some(text) => extend_target(project, text, &sources, content),
        None => new_target(project, &sources, content),
    };
    let merged = merged.map_err(edit_error)?;
    merge_text::check_notes(&merged).map_err(edit_error)?;
    let (merged, _) = redirect.in_text(&merged).map_err(edit_error)?;
    if let Some(id) = new_id {
        changes.created.push((id, merged.clone()));
    } else if old.as_ref() != Some(&merged) {
        changes.changed.push((file.clone(), merged.clone()));
    }
    Ok((redirect, merged, changes))
}

/// Writes the memories and anchors before the changes.
fn revert(project: &Project, memories: &Memories, changes: &ImportChanges) -> Result<()> {
    for (file, _) in &changes.changed {
        if let Some(stored) = memories.at(file) {
            project
                .bank
                .rewrite(file, &project.bank.utf8_text(stored)?)?;
        }
    }
    project.bank.write_anchors(&changes.before)?;
    for (id, _) in &changes.created {
        project.bank.discard(&id.file())?;
    }
    Ok(())
}

/// Returns the memories that are not merged yet, each once and without the target, and warnings about
/// those that the text of the target has already.
fn find_sources<'a>(
    project: &Project,
    request: &Request,
    memories: &'a Memories,
    target: Option<&str>,
) -> Result<(Vec<Source<'a>>, Vec<String>)> {
    let target_id = request.target_id();
    let mut sources: Vec<Source> = Vec::new();
    let mut warnings = Vec::new();
    for typed in &request.sources {
        if let Some(text) = target
            && memories.get(typed).is_none()
            && text.contains(&merge_text::note(typed))
        {
            warnings.push(format!("`{typed}` is already merged into `{target_id}`"));
            continue;
        }
        let stored = memories.find_whole(typed)?;
        let is_duplicate = sources
            .iter()
            .any(|source| source.stored.file == stored.file);
        if stored.memory.id != target_id && !is_duplicate {
            sources.push(Source {
                stored,
                text: project.bank.utf8_text(stored)?,
            });
        }
    }
    if sources.is_empty() && warnings.is_empty() {
        return refuse(
            format!("nothing to merge into `{target_id}`"),
            "specify memories other than the target",
        );
    }
    Ok((sources, warnings))
}

/// Returns the parts to append to a target with this text, without parts that it contains.
fn additions(text: &str, sources: &[Source], content: Option<&str>, newline: &str) -> Vec<String> {
    let mut additions = Vec::new();
    let Some(content) = content else {
        for source in sources {
            additions.push(merge_text::part(
                &source.stored.memory.id,
                &source.text,
                newline,
            ));
        }
        additions.retain(|addition| !text.contains(addition.as_str()));
        return additions;
    };
    let mut notes = Vec::new();
    for source in sources {
        notes.push(merge_text::note(&source.stored.memory.id));
    }
    notes.retain(|note| !text.contains(note.as_str()));
    let summary = edit::normalize(&content[frontmatter::body_start(content)..], newline);
    if !text.contains(summary.as_str()) {
        additions.push(summary);
    }
    additions.push(notes.join(newline));
    additions.retain(|addition| !addition.is_empty());
    additions
}

/// Returns the text of a new target.
fn new_target(
    project: &Project,
    sources: &[Source],
    content: Option<&str>,
) -> Result<String, EditError> {
    let own_head = content.and_then(|content| {
        let content = content.trim_start_matches('\u{FEFF}');
        frontmatter::span(content).map(|(_, body_start)| &content[..body_start])
    });
    let head = match own_head {
        Some(head) => {
            let head = format!("{}\n\n", head.replace("\r\n", "\n").trim_end());
            let has_type = frontmatter::parse(&head).frontmatter.memory_type.is_some();
            let first_type = sources[0].stored.memory.memory_type.as_str();
            let memory_type = (!has_type).then_some(FieldValue::Scalar(first_type));
            document::set_fields(head, [("type", memory_type)])?
        }
        None => frontmatter::render(&merged_frontmatter(project, sources)),
    };
    Ok(format!(
        "{head}{}\n",
        additions("", sources, content, "\n").join("\n\n")
    ))
}

fn merged_frontmatter(project: &Project, sources: &[Source]) -> Frontmatter {
    let first = &sources[0].stored.memory;
    let memories = sources.iter().map(|source| &source.stored.memory);
    let scope = match &first.scope {
        Scope::Project(None) => default_scope(project),
        _ if memories.clone().any(|memory| memory.scope != first.scope) => default_scope(project),
        scope => scope.clone(),
    };
    let is_same_category = memories
        .clone()
        .all(|memory| memory.category == first.category);
    let oldest = memories
        .clone()
        .filter_map(|memory| memory.created_at)
        .min();
    Frontmatter {
        memory_type: Some(first.memory_type),
        category: first.category.clone().filter(|_| is_same_category),
        scope: Some(scope),
        paths: if memories.clone().any(|memory| memory.paths.is_empty()) {
            Vec::new()
        } else {
            union(&[], sources, |stored| &stored.memory.paths)
        },
        tags: union(&[], sources, |stored| &stored.memory.tags),
        hints: union(&[], sources, |stored| &stored.memory.hints),
        created_at: oldest.or(Some(seconds(project.now))),
        updated_at: Some(seconds(project.now)),
        ..Frontmatter::default()
    }
}

/// Returns the text of an existing target with the parts that it does not contain.
fn extend_target(
    project: &Project,
    text: &str,
    sources: &[Source],
    content: Option<&str>,
) -> Result<String, EditError> {
    let mut new = text.to_owned();
    for addition in additions(text, sources, content, edit::newline_of(text)) {
        new = edit::body(&new, &addition, EditMode::Append)?;
    }
    let front = frontmatter::parse(text).frontmatter;
    let tags = union(&front.tags, sources, |stored| &stored.memory.tags);
    let hints = union(&front.hints, sources, |stored| &stored.memory.hints);
    let fields = [
        (
            "tags",
            (tags != front.tags).then_some(FieldValue::List(&tags)),
        ),
        (
            "hints",
            (hints != front.hints).then_some(FieldValue::List(&hints)),
        ),
    ];
    new = document::set_fields(new, fields)?;
    if new != text {
        new = frontmatter::set_updated_at(&new, &seconds(project.now).to_string());
    }
    Ok(new)
}

/// Returns `own` and the words of the sources, without duplicates.
fn union(
    own: &[String],
    sources: &[Source],
    words: impl Fn(&MemoryFile) -> &[String],
) -> Vec<String> {
    let mut union = own.to_vec();
    for word in sources.iter().flat_map(|source| words(source.stored)) {
        if !union.iter().any(|known| known.eq_ignore_ascii_case(word)) {
            union.push(word.clone());
        }
    }
    union
}

/// Returns the order of anchors by who chose them.
fn certainty(origin: Origin) -> u8 {
    match origin {
        Origin::Manual => 0,
        Origin::Document => 1,
        Origin::Agent => 2,
        Origin::Auto => 3,
    }
}

impl Redirect<'_> {
    /// Adds the other memories with links to the sources to the changes, with redirected links.
    pub(super) fn others(
        &self,
        project: &Project,
        memories: &Memories,
        changes: &mut ImportChanges,
        warnings: &mut Vec<String>,
    ) -> Vec<Redirected> {
        let mut redirected = Vec::new();
        for other in &memories.all {
            let id = &other.memory.id;
            let is_merged = self.sources.iter().any(|source| source.file == other.file);
            if is_merged || id == self.id {
                continue;
            }
            match self.in_memory(project, other) {
                Ok((_, 0)) => {}
                Ok((text, links)) => {
                    changes.changed.push((other.file.clone(), text));
                    let id = id.clone();
                    redirected.push(Redirected { id, links });
                }
                Err(error) => {
                    warnings.push(format!("failed to redirect the links of `{id}`: {error:#}"));
                }
            }
        }
        redirected
    }

    /// Moves the best anchor of the sources to a target without an anchor, and returns the id of its
    /// source. The other anchors are moved to the trash with their memories; warns about them.
    fn move_anchor(
        &self,
        anchors: &mut Anchors,
        merged: &str,
        warnings: &mut Vec<String>,
    ) -> Option<String> {
        let mut found: Vec<(String, Anchor)> = Vec::new();
        for source in &self.sources {
            if let Some((id, anchor)) = anchors.get_key_value(&source.memory.id) {
                found.push((id.clone(), anchor.clone()));
            }
        }
        found.sort_by(|(_, a), (_, b)| {
            let by_quality = b.quality.total_cmp(&a.quality);
            certainty(a.origin)
                .cmp(&certainty(b.origin))
                .then(by_quality)
        });
        let is_universal = frontmatter::parse(merged).frontmatter.scope == Some(Scope::Universal);
        let mut needs_anchor = !anchors.contains_key(self.id) && !is_universal;
        let mut moved_from = None;
        for (id, anchor) in found {
            if needs_anchor {
                needs_anchor = false;
                anchors.insert(self.id.to_owned(), anchor);
                moved_from = Some(id);
            } else {
                let location = format_location(&anchor.file, anchor.symbol.as_deref());
                warnings.push(format!("the anchor of `{id}` is dropped: {location}"));
            }
        }
        moved_from
    }

    /// Returns the new name in a link if the link points to one of the sources.
    fn new_name(&self, link: &Target) -> Option<String> {
        let is_memory = match link.kind {
            Kind::Memory => true,
            Kind::Plain | Kind::Path => {
                !matches!(link.part, Some(Part::Symbol(_) | Part::Lines(..)))
            }
            Kind::Url => false,
        };
        if !is_memory {
            return None;
        }
        let path = links::normalize_path(&link.name);
        for stored in &self.sources {
            if path.as_deref() == Some(&stored.file) {
                return Some(self.file.clone());
            }
            if link.name == stored.memory.id {
                return Some(self.id.to_owned());
            }
        }
        None
    }

    /// Returns a text whose links to the sources point to the target, and the number of these links.
    pub(super) fn in_text(&self, text: &str) -> Result<(String, usize), EditError> {
        let mut new = text.to_owned();
        let mut n_links = 0;
        for link in links::parse(text).into_iter().rev() {
            if let Some(name) = self.new_name(&link.target) {
                new.replace_range(link.name_span.start..link.name_span.end, &name);
                n_links += 1;
            }
        }
        let mut entries = frontmatter::parse(text).frontmatter.links;
        let mut n_entries = 0;
        for entry in &mut entries {
            if let Some((link, _)) = links::parse_target(entry)
                && let Some(name) = self.new_name(&link)
                && let Some(start) = entry.rfind(&link.name)
            {
                entry.replace_range(start..start + link.name.len(), &name);
                n_entries += 1;
            }
        }
        if n_entries > 0 {
            new = frontmatter::set(&new, "links", FieldValue::List(&entries))?;
        }
        Ok((new, n_links + n_entries))
    }

    /// Returns the text of another memory with redirected links, and their number.
    pub(super) fn in_memory(
        &self,
        project: &Project,
        stored: &MemoryFile,
    ) -> Result<(String, usize)> {
        if let Ok(unchanged @ (_, 0)) = self.in_text(&stored.text) {
            return Ok(unchanged);
        }
        let text = project.bank.utf8_text(stored)?;
        Ok(self
            .in_text(&text)
            .map_err(|error| document::edit_error(&stored.file, error))?)
    }
}
