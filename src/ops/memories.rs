//! The memories of a project with their anchors, and finding one by what was typed.

use anyhow::Result;
use rustc_hash::FxHashSet;

use crate::bank::MemoryFile;
use crate::bank::lockfile::Anchors;
use crate::bank::memories::BankFiles;
use crate::error::UserError;
use crate::file_stat::FileStat;
use crate::model::{Language, Memory, MemoryStatus, MemoryType, Scope};
use crate::syntax::language;
use crate::text;
use crate::timings;

use super::Project;

/// All memories of a bank with their anchors.
#[derive(Debug)]
pub(crate) struct Memories {
    pub(crate) all: Vec<MemoryFile>,
    /// Ignored files whose id an earlier one has.
    pub(crate) duplicates: Vec<MemoryFile>,
    pub(crate) anchors: Anchors,
    pub(crate) lock_stat: Option<FileStat>,
    /// Whether some file could not be read.
    pub(crate) is_partial: bool,
    pub(crate) warnings: Vec<String>,
}

impl Memories {
    /// Reads the bank.
    pub(crate) fn load(project: &Project) -> Result<Self> {
        let _step = timings::step("read the memories");
        let BankFiles { memories: all, duplicates, anchors, lock_stat, is_partial, mut warnings } =
            project.bank.read_all()?;
        let ids: FxHashSet<&str> = all.iter().map(|stored| stored.memory.id.as_str()).collect();
        for id in anchors.keys() {
            if !ids.contains(id.as_str()) {
                warnings.push(format!(
                    "`anchors.lock` anchors `{id}`, which is no memory; `cerberus memory reanchor` drops it"
                ));
            }
        }
        Ok(Self { all, duplicates, anchors, lock_stat, is_partial, warnings })
    }

    /// Checks that no memory has this id, by its frontmatter or by its file.
    pub(crate) fn check_free(&self, id: &str) -> Result<()> {
        let file = format!("{id}.md");
        let holder = self.all.iter().find(|stored| stored.memory.id == id || stored.file == file);
        match holder {
            None => Ok(()),
            Some(holder) => Err(UserError::usage(format!(
                "there is a memory `{id}` already, in `{}`",
                holder.file
            ))
            .hint(format!("choose another id, or see it with `cerberus memory show {id}`"))
            .into()),
        }
    }

    /// Returns the memory that `typed` means: its id, or a unique start of it.
    pub(crate) fn find(&self, typed: &str) -> Result<&MemoryFile> {
        let ids = self.all.iter().map(|stored| stored.memory.id.as_str());
        let at = find_id(typed, ids)?;
        Ok(&self.all[at])
    }
}

/// Returns the position of the memory that `typed` means: its id, or a unique start of it.
pub(crate) fn find_id<'a>(typed: &str, ids: impl Iterator<Item = &'a str>) -> Result<usize> {
    find_named("memory", typed, ids)
}

/// As [`find_id`], where the ids are those of memories or of pins.
pub(crate) fn find_named<'a>(
    what: &str,
    typed: &str,
    ids: impl Iterator<Item = &'a str>,
) -> Result<usize> {
    let ids: Vec<&str> = ids.collect();
    if let Some(at) = ids.iter().position(|id| *id == typed) {
        return Ok(at);
    }
    let starts: Vec<usize> =
        (0..ids.len()).filter(|&at| !typed.is_empty() && ids[at].starts_with(typed)).collect();
    match starts[..] {
        [at] => Ok(at),
        [] => {
            let failure = UserError::usage(format!("there is no {what} `{typed}`"));
            Err(match text::suggest(typed, ids.iter().copied()) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None if what == "pin" => failure.hint("list them with `cerberus memory pin list`"),
                None => failure.hint("list the memories with `cerberus memory show`"),
            }
            .into())
        }
        _ => {
            let found: Vec<&str> = starts.iter().take(5).map(|&at| ids[at]).collect();
            Err(UserError::usage(format!("`{typed}` is the start of {} ids", starts.len()))
                .hint(format!("type more of it: {}", found.join(", ")))
                .into())
        }
    }
}

/// Which memories an operation is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) scope: Option<String>,
    pub(crate) memory_type: Option<MemoryType>,
    pub(crate) category: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) status: Option<MemoryStatus>,
    pub(crate) file: Option<String>,
}

impl Filter {
    /// Returns whether a memory passes.
    pub(crate) fn takes(&self, stored: &MemoryFile, anchors: &Anchors) -> bool {
        let anchor = anchors.get(&stored.memory.id);
        self.takes_memory(&stored.memory, &stored.file, anchor.map(|it| it.file.as_str()))
    }

    /// As [`takes`](Self::takes), for a memory whose text is not at hand.
    pub(crate) fn takes_memory(&self, memory: &Memory, file: &str, anchored: Option<&str>) -> bool {
        let is_like = |wanted: &Option<String>, found: Option<&str>| {
            wanted
                .as_ref()
                .is_none_or(|wanted| found.is_some_and(|found| found.eq_ignore_ascii_case(wanted)))
        };
        self.scope.as_ref().is_none_or(|scope| in_scope(&memory.scope, scope))
            && self.memory_type.is_none_or(|wanted| wanted == memory.memory_type)
            && is_like(&self.category, memory.category.as_deref())
            && self.tags.iter().all(|tag| memory.tags.iter().any(|it| it.eq_ignore_ascii_case(tag)))
            && self.status.is_none_or(|wanted| wanted == memory.status)
            && self.file.as_ref().is_none_or(|wanted| anchored == Some(wanted) || file == wanted)
    }

    /// Checks that the scope is one that some memory has, so that a slip of the finger
    /// does not look like an empty answer.
    pub(crate) fn check_scope<'m>(
        &self,
        memories: impl Iterator<Item = &'m Memory> + Clone,
    ) -> Result<()> {
        let Some(wanted) = self.scope.as_deref().filter(|scope| *scope != "all") else {
            return Ok(());
        };
        if memories.clone().any(|memory| in_scope(&memory.scope, wanted)) {
            return Ok(());
        }
        let mut known: Vec<String> = memories.map(|memory| memory.scope.to_string()).collect();
        known.sort_unstable();
        known.dedup();
        let failure = UserError::usage(format!("no memory has the scope `{wanted}`"));
        let failure = match text::suggest(wanted, known.iter().map(String::as_str)) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None if known.is_empty() => failure,
            None => failure.hint(format!("known are: all, {}", known.join(", "))),
        };
        Err(failure.into())
    }
}

/// Returns whether a scope is the wanted one, or of the wanted kind (`project`, `language`).
fn in_scope(scope: &Scope, wanted: &str) -> bool {
    let shown = scope.to_string();
    wanted == "all"
        || shown.eq_ignore_ascii_case(wanted)
        || shown.split_once(':').is_some_and(|(kind, _)| kind.eq_ignore_ascii_case(wanted))
}

/// Returns the languages that a scope limits its example to, or why it has none.
pub(crate) fn languages(scope: &Scope) -> Result<Option<&'static [Language]>, String> {
    match scope {
        Scope::Universal => Err("a universal memory is never anchored".to_owned()),
        Scope::Project(_) => Ok(None),
        Scope::Language(name) => match language::from_scope(name) {
            Some(languages) => Ok(Some(languages)),
            None => Err(format!("code in `{name}` is not indexed")),
        },
    }
}

/// Returns the first line that says something: no comment, no mark of a section.
pub(crate) fn title(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    let said = lines.find(|line| !line.is_empty() && !line.starts_with("<!--"));
    said.unwrap_or_default().trim_start_matches('#').trim_start()
}
