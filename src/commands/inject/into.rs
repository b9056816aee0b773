//! `inject --into`: the managed blocks in files that agents read as instructions.
//!
//! With `--split-by-folder` the rules of folders are in further files, each with a block whose marker
//! names the first file. A block with that marker whose rules went away is removed, and its file if
//! nothing else is in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::split::{Layout, Place};
use super::{Cost, InjectArgs, Omitted, Report, Request, explanation, inject_from};
use crate::bank::{ExternalFile, external_file};
use crate::error::{ExitStatus, UserError};
use crate::ops::Project;
use crate::ops::managed_block::{self, BlockMarkers};
use crate::ops::memories::Memories;
use crate::output::{DIM, NAME, OK, Printer, WARN};
use crate::text::plural;
use crate::tree::documents;

/// The memories of a file for a folder. The value says whether the file names their paths.
pub(crate) type Part = BTreeMap<String, bool>;

/// The state of the managed block in a file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BlockReport {
    pub(crate) file: String,
    /// Whether the block was out of date.
    pub(crate) stale: bool,
    pub(crate) written: bool,
    /// The files of folders, if there are or were any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parts: Vec<PartReport>,
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// The state of the managed block with the rules of a folder.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartReport {
    pub(crate) file: String,
    pub(crate) stale: bool,
    pub(crate) written: bool,
    /// Whether no rule of the bank belongs there any more.
    pub(crate) obsolete: bool,
    pub(crate) used_tokens: usize,
    /// Ids of its memories.
    pub(crate) memories: Vec<String>,
    pub(crate) omitted: Omitted,
}

impl BlockReport {
    /// Whether a block is out of date.
    pub(crate) fn is_stale(&self) -> bool {
        self.stale || self.parts.iter().any(|part| part.stale)
    }
}

/// Updates the block in the file at `path`, and with `split` those of folders; with `check_only`
/// writes nothing.
pub(crate) fn update_blocks(
    project: &Project,
    request: &Request,
    path: &Path,
    split: bool,
    check_only: bool,
) -> Result<BlockReport> {
    check_bank(project, request, path)?;
    let file = ExternalFile::open(path, &project.root)?;
    let target = target(project, &file, path)?;
    let layout = split.then(|| Layout::of(&target)).transpose()?;
    let markers = SplitMarkers::new(&target);
    let was_split = start_line(&file.bytes).as_deref() == Some(&*markers.first);

    let memories = Memories::load(project)?;
    let parts = match &layout {
        Some(layout) => layout.parts(project, &memories.all),
        None => BTreeMap::new(),
    };
    let in_parts: BTreeSet<String> =
        parts.values().flat_map(|(_, part)| part.keys().cloned()).collect();
    let block = Block {
        path: path.display().to_string(),
        frontmatter: Place::everywhere(&target).frontmatter(),
        start: if split { &markers.first } else { managed_block::MARKDOWN.start },
        request: Request { excluded: in_parts, ..request.clone() },
    };
    let mut planned = vec![block.plan(project, &memories, file)?];
    for (part_file, (place, part)) in parts {
        let block = Block {
            path: part_file.clone(),
            frontmatter: place.frontmatter(),
            start: &markers.part,
            request: Request { part: Some(part), ..request.clone() },
        };
        let plan = block.plan(project, &memories, open_part(project, &part_file)?)?;
        // Its memories may all be superseded or archived.
        if !plan.report.text.is_empty() {
            planned.push(plan);
        }
    }
    if split || was_split {
        planned.extend(obsolete(project, &markers, &planned)?);
    }
    // Everything that can be refused is checked above. Parts first: a rule is rather in two files
    // than in none if the command is interrupted.
    let mut reports = Vec::new();
    for plan in planned.into_iter().rev() {
        reports.push(plan.carry_out(check_only)?);
    }
    reports.reverse();
    let mut reports = reports.into_iter();
    let (first, report) = reports.next().expect("the first plan is that of the target");
    let parts: Vec<PartReport> = reports.map(|(part, _)| part).collect();
    Ok(BlockReport { file: first.file, stale: first.stale, written: first.written, parts, report })
}

/// Returns whether the blocks of a file are out of date, in the way in which they were written.
pub(crate) fn are_blocks_stale(project: &Project, request: &Request, path: &Path) -> Result<bool> {
    let start = start_line(&external_file::read(path)?).unwrap_or_default();
    let is_split = start.contains("--split-by-folder");
    Ok(update_blocks(project, request, path, is_split, true)?.is_stale())
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
    let mut plans = Vec::new();
    for path in documents::find_rule_files(&root)? {
        let full = root.join(&path);
        if planned.iter().any(|plan| plan.file.real_path() == full) {
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
    fn plan(&self, project: &Project, memories: &Memories, file: ExternalFile) -> Result<Plan> {
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
        let mut report = inject_from(project, memories, &request, None)?;
        report.budget = budget;
        report.omitted.needed_tokens += cost.tokens;
        let is_empty = report.text.is_empty() && !file.exists;
        let new = markers.update(old, &report.text).map_err(with_path)?;
        let new = if is_empty { None } else { Some(new) };
        Ok(Plan { path: self.path.clone(), file, new, is_obsolete: false, report })
    }
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
    fn carry_out(self, check_only: bool) -> Result<(PartReport, Report)> {
        let stale = match &self.new {
            Some(new) => *new != self.file.bytes || !self.file.exists,
            None => self.file.exists,
        };
        let written = match &self.new {
            _ if check_only || !stale => false,
            Some(new) => self.file.write(new)?,
            None => self.file.remove()?,
        };
        let part = PartReport {
            file: self.path,
            stale,
            written,
            obsolete: self.is_obsolete,
            used_tokens: self.report.used_tokens,
            memories: self.report.memories.iter().map(|memory| memory.id.clone()).collect(),
            omitted: self.report.omitted.clone(),
        };
        Ok((part, self.report))
    }
}

pub(super) fn run(
    args: &InjectArgs,
    path: &Path,
    project: &Project,
    out: &mut Printer,
) -> Result<ExitStatus> {
    let block = update_blocks(project, &args.request, path, args.split_by_folder, args.check)?;
    let is_stale = args.check && block.is_stale();
    let status = if is_stale { ExitStatus::CheckFailed } else { ExitStatus::Done };
    if out.json {
        out.json(&block)?;
        return Ok(status);
    }
    out.warn(&block.report.warnings);
    let first = (&*block.file, block.stale, block.written, block.report.used_tokens);
    print_file(first, false, args, out);
    for part in &block.parts {
        let state = (&*part.file, part.stale, part.written, part.used_tokens);
        print_file(state, part.obsolete, args, out);
    }
    if is_stale {
        out.line(&format!("next: {}", out.safe(&command(args, path))));
    }
    let omitted = [(&*block.file, &block.report.omitted)].into_iter();
    for (file, omitted) in omitted.chain(block.parts.iter().map(|it| (&*it.file, &it.omitted))) {
        print_omitted(file, omitted, args, out);
    }
    if args.explain {
        out.note(&explanation(&block.report));
    }
    Ok(status)
}

fn print_file(
    (file, stale, written, tokens): (&str, bool, bool, usize),
    obsolete: bool,
    args: &InjectArgs,
    out: &mut Printer,
) {
    let file = out.style(NAME, file);
    out.line(&match (stale, written, obsolete) {
        (true, false, _) if args.check => {
            let why = if obsolete { "its rules went away" } else { "its block is out of date" };
            format!("{} {file}: {why}", out.paint(WARN, "stale"))
        }
        (_, true, true) => {
            format!("{} {file}: its rules went away", out.paint(OK, "removed the block of"))
        }
        (_, true, false) => format!("{} {file} ({tokens} tokens)", out.paint(OK, "updated")),
        _ => format!("{file} is up to date"),
    });
}

/// Prints what does not fit into a block, and how to make it fit.
fn print_omitted(file: &str, omitted: &Omitted, args: &InjectArgs, out: &mut Printer) {
    let Omitted { pins, memories, examples, needed_tokens, by_client } = *omitted;
    let counts = [(pins, "pin"), (memories, "memory"), (examples, "example")];
    let counts = counts.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| plural(*n, noun));
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() {
        return;
    }
    let verb = if pins + memories + examples == 1 { "does" } else { "do" };
    let counts = counts.join(" and ");
    if pins + memories == 0 {
        let text = format!("{file}: {counts} {verb} not fit; all rules are in it");
        out.line(&out.paint(DIM, &out.safe(&text)));
        return;
    }
    let label = out.paint(WARN, "omitted");
    out.line(&format!("{label} {}: {counts} {verb} not fit", out.style(NAME, file)));
    let mut ways = Vec::new();
    if !by_client {
        ways.push(format!("all rules need `--budget {needed_tokens}`"));
    }
    if !args.split_by_folder {
        ways.push(
            "`--split-by-folder` moves the rules of folders to files of their own".to_owned(),
        );
    }
    if by_client {
        ways.push("the limit of `--for` cannot be raised: delete or archive rules".to_owned());
    }
    out.line(&format!("  {}", ways.join("; ")));
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
