//! `inject --into`: the managed blocks in files that agents read as instructions.
//!
//! With `--split-by-folder` the rules of folders are in further files, each with a block whose marker
//! names the first file. A block with that marker whose rules went away is removed, and its file if
//! nothing else is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::split::{self, Folders, Place};
use super::{Cost, InjectArgs, Omitted, Report, Request, Stored, explanation, inject_from};
use crate::output::{DIM, NAME, OK, Printer, WARN};
use cerberus_bank::ops::Project;
use cerberus_bank::ops::managed_block::{self, BlockMarkers};
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::pins::render;
use cerberus_bank::{ExternalFile, MemoryFile, external_file};
use cerberus_engine::tree::{documents, walk};
use cerberus_model::error::{ExitStatus, UserError};
use cerberus_model::text::plural;

/// The memories of a file for a folder. The value says whether the file names their paths.
pub(crate) type Part = BTreeMap<String, bool>;

/// The state of the managed blocks, as `--json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct BlockReport<'a> {
    file: &'a str,
    /// Whether the block was out of date.
    stale: bool,
    written: bool,
    /// The files of folders, if there are or were any.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    parts: &'a [PartReport],
    #[serde(flatten)]
    report: &'a Report,
}

/// The state of the managed block in a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PartReport {
    file: String,
    stale: bool,
    written: bool,
    /// Whether no rule of the bank belongs there any more.
    obsolete: bool,
    used_tokens: usize,
    /// Ids of its memories.
    memories: Vec<String>,
    omitted: Omitted,
}

/// Plans the block in the file at `path`, which comes first, and with `split` those of folders.
fn plan_blocks(
    project: &Project,
    request: &Request,
    path: &Path,
    split: bool,
) -> Result<Vec<Plan>> {
    check_bank(project, request, path)?;
    let file = ExternalFile::open(path, &project.root)?;
    let target = target(project, &file, path)?;
    let markers = SplitMarkers::new(&target);
    let was_split = start_line(&file.bytes).as_deref() == Some(&*markers.first);

    let memories = Memories::load(project)?;
    let stored = Stored::load(project, request, None)?;
    let parts = match split {
        true => split::parts(&folders(project)?, &target, &memories.all)?,
        false => BTreeMap::new(),
    };
    let in_parts: BTreeSet<String> =
        parts.values().flat_map(|(_, part)| part.keys().cloned()).collect();
    let block = Block {
        path: path.display().to_string(),
        frontmatter: Place::everywhere(&target).frontmatter(),
        start: if split { &markers.first } else { managed_block::MARKDOWN.start },
        request: Request { excluded: in_parts, ..request.clone() },
    };
    let mut planned = vec![block.plan(project, (&memories, &stored), file)?];
    let superseded = memories.superseded();
    let current = memories.all.iter().filter(|it| !superseded.contains_key(&it.memory.id));
    let by_id: BTreeMap<&str, &MemoryFile> = current.map(|it| (&*it.memory.id, it)).collect();
    for (part_file, (place, part)) in parts {
        // Only its memories: going through all of them for each part takes long.
        let mut own = Memories::default();
        let found = part.keys().filter_map(|id| by_id.get(&**id));
        own.all = found.map(|it| (*it).clone()).collect();
        let anchors = part.keys().filter_map(|id| memories.anchors.get_key_value(id));
        own.anchors = anchors.map(|(id, anchor)| (id.clone(), anchor.clone())).collect();
        let block = Block {
            path: part_file.clone(),
            frontmatter: place.frontmatter(),
            start: &markers.part,
            request: Request { part: Some(part), ..request.clone() },
        };
        let plan = block.plan(project, (&own, &stored), open_part(project, &part_file)?)?;
        // Its memories may all be superseded or archived.
        if !plan.report.text.is_empty() {
            planned.push(plan);
        }
    }
    if split || was_split {
        planned.extend(obsolete(project, &markers, &planned)?);
    }
    Ok(planned)
}

/// Returns the folders of a project in which files may be written, by path from the root.
fn folders(project: &Project) -> Result<Folders<'_>> {
    let mut walked = walk::folders(&project.root)?;
    if let Ok(bank) = project.bank.folder().strip_prefix(&project.root) {
        walked.retain(|folder| !Path::new(folder).starts_with(bank));
    }
    Ok(Folders { root: &project.root, walked })
}

/// Returns whether the blocks of a file are out of date, in the way in which they were written.
pub(crate) fn are_blocks_stale(project: &Project, request: &Request, path: &Path) -> Result<bool> {
    let start = start_line(&external_file::read(path)?).unwrap_or_default();
    let is_split = start.contains("--split-by-folder");
    let request = Request { without_pins: true, ..request.clone() };
    Ok(plan_blocks(project, &request, path, is_split)?.iter().any(Plan::is_stale))
}

/// Refuses to publish the texts of a user bank without consent.
fn check_bank(project: &Project, request: &Request, path: &Path) -> Result<()> {
    if !project.has_user_bank() || request.include_user_bank {
        return Ok(());
    }
    let shown = path.display();
    Err(UserError::usage(format!(
        "`{shown}` is a file of the project, but the bank is in your data folder: the block would publish its texts"
    ))
    .hint(format!("to write them anyway: `cerberus memory inject --into {shown} --include-user-bank`"))
    .into())
}

/// Returns the path of a file relative to the project's root. Refuses a file that agents do not read
/// as instructions, unless it already has a block.
fn target(project: &Project, file: &ExternalFile, path: &Path) -> Result<String> {
    let root = project.root.canonicalize()?;
    let relative = file.real_path().strip_prefix(&root).unwrap_or(file.real_path());
    let relative = relative.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
    if documents::is_rule_file(&relative) || start_line(&file.bytes).is_some() {
        return Ok(relative);
    }
    Err(UserError::usage(format!(
        "`{}` is not a file that agents read as instructions",
        path.display()
    ))
    .hint("name one, such as `AGENTS.md`, `CLAUDE.md`, `.cursor/rules/cerberus.mdc` or `.claude/rules/cerberus.md`")
    .into())
}

/// Opens the file for a folder. Unlike the target, it may not be a link: two files of the split
/// would have the same text.
fn open_part(project: &Project, file: &str) -> Result<ExternalFile> {
    let path = project.root.join(file);
    let root = project.root.canonicalize()?;
    let opened = ExternalFile::open(&path, &project.root)?;
    if opened.real_path() != root.join(file) {
        return Err(UserError::usage(format!("`{file}` is behind a symbolic link"))
            .hint("name the link's target in `--into`, or remove the link")
            .into());
    }
    Ok(opened)
}

/// Returns the plans to remove the blocks of a split that no rule belongs to any more.
fn obsolete(project: &Project, markers: &SplitMarkers, planned: &[Plan]) -> Result<Vec<Plan>> {
    let root = project.root.canonicalize()?;
    let planned: BTreeSet<&Path> = planned.iter().map(|plan| plan.file.real_path()).collect();
    let mut plans = Vec::new();
    for path in documents::find_rule_files(&root)? {
        let full = root.join(&path);
        if planned.contains(&*full) {
            continue;
        }
        let Ok(file) = ExternalFile::open(&full, &root) else { continue };
        if start_line(&file.bytes).as_deref() != Some(&*markers.part) {
            continue;
        }
        let rest = managed_block::MARKDOWN.remove(&file.bytes).map_err(|it| in_file(&path, it))?;
        let is_ours = frontmatter_end(&rest).is_some_and(|end| rest[end..].trim_ascii().is_empty());
        let new = if is_ours { None } else { Some(rest) };
        plans.push(Plan { path, file, new, is_obsolete: true, report: Report::default() });
    }
    Ok(plans)
}

/// Returns where the frontmatter that a split writes ends: only such a file is removed as a whole.
fn frontmatter_end(text: &[u8]) -> Option<usize> {
    let trimmed = text.trim_ascii();
    if trimmed.is_empty() {
        return Some(text.len());
    }
    let text = str::from_utf8(text).ok()?;
    let body = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let end = body.find("\n---")? + "\n---".len();
    let is_generated = |line: &str| {
        let keys = ["globs:", "alwaysApply:", "applyTo:", "paths:", "  - "];
        keys.iter().any(|key| line.starts_with(key)) || line == "---"
    };
    body[..end].lines().all(is_generated).then_some(text.len() - body.len() + end)
}

/// Returns the first line of the block in a file, if there is one.
fn start_line(bytes: &[u8]) -> Option<String> {
    managed_block::MARKDOWN.start_line(bytes).ok().flatten()
}

fn in_file(path: &str, error: UserError) -> UserError {
    UserError { message: format!("`{path}`: {}", error.message), ..error }
}

/// The first lines of the blocks of a split.
struct SplitMarkers {
    /// In the file that `--into` names.
    first: String,
    /// In the files of folders.
    part: String,
}

impl SplitMarkers {
    fn new(target: &str) -> Self {
        let command = format!("`cerberus memory inject --into {target} --split-by-folder`");
        let start = "<!-- cerberus:start";
        let end = "changes between the marks are lost) -->";
        Self {
            first: format!("{start} (written by {command}; {end}"),
            part: format!("{start} (part of {target}, written by {command}; {end}"),
        }
    }
}

/// A block to write.
struct Block<'a> {
    path: String,
    /// For a new file.
    frontmatter: String,
    start: &'a str,
    request: Request,
}

impl Block<'_> {
    fn plan(
        &self,
        project: &Project,
        (memories, stored): (&Memories, &Stored),
        file: ExternalFile,
    ) -> Result<Plan> {
        if file.bytes.starts_with(&[0xFF, 0xFE]) || file.bytes.starts_with(&[0xFE, 0xFF]) {
            return Err(UserError::usage(format!("`{}` is UTF-16", self.path))
                .hint("save it as UTF-8, or print the block with `cerberus memory inject`")
                .into());
        }
        let markers = BlockMarkers { start: self.start, ..managed_block::MARKDOWN };
        let with_path = |error| in_file(&self.path, error);
        let old = if file.exists { &*file.bytes } else { self.frontmatter.as_bytes() };
        let outside = markers.without_block(old).map_err(with_path)?;
        let cost = Cost::of(&format!("\n{}\n{}\n", markers.start, markers.end));
        let budget = self.request.budget.unwrap_or(project.inject.budget);
        let request = Request {
            budget: Some(budget.saturating_sub(cost.tokens)),
            persistent_only: true,
            reserved: Some(Cost::of(&String::from_utf8_lossy(&outside)).plus(cost)),
            ..self.request.clone()
        };
        let has_pins = markers.text(old).ok().flatten().is_some_and(has_pins);
        let request = Request {
            stated: stated(old, &self.path, memories),
            without_pins: request.without_pins && !has_pins,
            ..request
        };
        let mut report = inject_from(project, memories, stored, &request)?;
        report.budget = budget;
        report.omitted.needed_tokens += cost.tokens;
        let is_empty = report.text.is_empty() && !file.exists;
        let new = markers.update(old, &report.text).map_err(with_path)?;
        let new = if is_empty { None } else { Some(new) };
        Ok(Plan { path: self.path.clone(), file, new, is_obsolete: false, report })
    }
}

/// Returns whether the text of a block has pins.
fn has_pins(text: &[u8]) -> bool {
    text.windows(render::HEADER.len()).any(|part| part == render::HEADER.as_bytes())
}

/// Returns the memories that were imported from a file and that its text above the block still has, with the lines.
fn stated(text: &[u8], path: &str, memories: &Memories) -> BTreeMap<String, usize> {
    let text = String::from_utf8_lossy(text);
    let text = text.split("<!-- cerberus:start").next().unwrap_or_default();
    let mut words = String::new();
    // Where the words of each line start.
    let mut starts = Vec::new();
    for line in text.lines() {
        starts.push(words.len());
        line.split_whitespace().for_each(|word| words.extend([word, " "]));
    }
    let is_from_here = |source: &String| {
        source.rsplit_once(':').is_some_and(|(file, _)| file == path) || source == path
    };
    let imported = memories.all.iter().filter(|it| it.memory.source.iter().any(is_from_here));
    let line = |stored: &MemoryFile| {
        let wanted: Vec<&str> = stored.memory.body.split_whitespace().collect();
        let at = words.find(&wanted.join(" ")).filter(|_| !wanted.is_empty())?;
        Some((stored.memory.id.clone(), starts.partition_point(|start| *start <= at)))
    };
    imported.filter_map(line).collect()
}

/// A file with its new content.
struct Plan {
    path: String,
    file: ExternalFile,
    /// `None` if there is to be no file.
    new: Option<Vec<u8>>,
    is_obsolete: bool,
    report: Report,
}

impl Plan {
    fn is_stale(&self) -> bool {
        match &self.new {
            Some(new) => *new != self.file.bytes || !self.file.exists,
            None => self.file.exists,
        }
    }

    fn report(&self, check_only: bool) -> PartReport {
        let stale = self.is_stale();
        PartReport {
            file: self.path.clone(),
            stale,
            written: stale && !check_only,
            obsolete: self.is_obsolete,
            used_tokens: self.report.used_tokens,
            memories: self.report.memories.iter().map(|memory| memory.id.clone()).collect(),
            omitted: self.report.omitted.clone(),
        }
    }
}

pub(super) fn run(
    args: &InjectArgs,
    path: &Path,
    project: &Project,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let request = Request { without_pins: !args.pins, ..args.request.clone() };
    let plans = plan_blocks(project, &request, path, args.split_by_folder)?;
    if !args.check {
        // Everything that can be refused was checked. Parts first: a rule is rather in two files than
        // in none if the command is interrupted.
        let stale = plans.iter().rev().filter(|plan| plan.is_stale());
        let files = stale.map(|plan| (&plan.file, plan.new.as_deref()));
        external_file::write_all(&files.collect::<Vec<_>>())?;
    }
    let files: Vec<PartReport> = plans.iter().map(|plan| plan.report(args.check)).collect();
    let is_stale = args.check && files.iter().any(|file| file.stale);
    let status = if is_stale { ExitStatus::CheckFailed } else { ExitStatus::Done };
    let (first, report) = (&files[0], &plans[0].report);
    if out.json {
        let PartReport { file, stale, written, .. } = first;
        let (stale, written, parts) = (*stale, *written, &files[1..]);
        out.json(&BlockReport { file, stale, written, parts, report })?;
        return Ok(status);
    }
    out.warn(&report.warnings);
    files.iter().for_each(|file| print_file(file, args, out));
    if is_stale {
        out.line(&format!("next: {}", out.safe(&command(args, path))));
    }
    files.iter().for_each(|file| print_omitted(file, args, out));
    if args.explain {
        out.note(&explanation(report));
    }
    Ok(status)
}

fn print_file(part: &PartReport, args: &InjectArgs, out: &mut Printer) {
    let file = out.style(NAME, &part.file);
    out.line(&match (part.stale, part.written, part.obsolete) {
        (true, false, obsolete) if args.check => {
            let why = if obsolete { "its rules went away" } else { "its block is out of date" };
            format!("{} {file}: {why}", out.paint(WARN, "stale"))
        }
        (_, true, true) => {
            format!("{} {file}: its rules went away", out.paint(OK, "removed the block of"))
        }
        (_, true, false) => {
            format!("{} {file} ({} tokens)", out.paint(OK, "updated"), part.used_tokens)
        }
        _ => format!("{file} is up to date"),
    });
}

/// Prints what does not fit into a block, and how to make it fit.
fn print_omitted(part: &PartReport, args: &InjectArgs, out: &mut Printer) {
    let PartReport { file, omitted, .. } = part;
    let Omitted { pins, memories, examples, needed_tokens, by_client } = *omitted;
    let counts = [(pins, "pin"), (memories, "memory"), (examples, "example")];
    let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| plural(*n, noun));
    let counts = counts.collect::<Vec<String>>().join(" and ");
    if counts.is_empty() {
        return;
    }
    let verb = if pins + memories + examples == 1 { "does" } else { "do" };
    if pins + memories == 0 {
        let text = format!("{file}: {counts} {verb} not fit; all rules are in it");
        out.line(&out.paint(DIM, &out.safe(&text)));
        return;
    }
    let label = out.paint(WARN, "omitted");
    out.line(&format!("{label} {}: {counts} {verb} not fit", out.style(NAME, file)));
    let budget = format!("all rules need `--budget {needed_tokens}`");
    let split = "`--split-by-folder` moves the rules of folders to files of their own";
    let client = "the limit of `--for` cannot be raised: delete or archive rules";
    let ways = [(!by_client, &*budget), (!args.split_by_folder, split), (by_client, client)];
    let ways = ways.iter().filter(|(is_way, _)| *is_way).map(|(_, way)| *way);
    out.line(&format!("  {}", ways.collect::<Vec<&str>>().join("; ")));
}

/// Returns the command that brings the blocks up to date.
fn command(args: &InjectArgs, path: &Path) -> String {
    let mut command = format!("cerberus memory inject --into {}", path.display());
    for (is_given, flag) in [
        (args.split_by_folder, " --split-by-folder"),
        (args.request.include_user_bank, " --include-user-bank"),
    ] {
        command.push_str(if is_given { flag } else { "" });
    }
    command
}
