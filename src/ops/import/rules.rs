//! `import FILE…`: the rules of documents that people write for people and agents.
//!
//! A rule is known again by the file it came from and a digest of its words, which its
//! memory's `source` names: the memory may be edited and the document be reordered, and
//! the same item is not taken twice. An item whose words changed is reported with the
//! memory that came from the old ones, and nothing is written for it. All memories are
//! written, or none.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::Result;
use rustc_hash::FxHashSet;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::bank::{MemoryFile, names};
use crate::engine::rank::tokenize;
use crate::error::UserError;
use crate::markdown::frontmatter::{self, Frontmatter};
use crate::markdown::rules::{self, RuleItem};
use crate::markdown::secrets;
use crate::model::{Anchor, MemoryType, Origin, Scope};
use crate::syntax::language;
use crate::tree::{documents, read};

use super::super::anchor::{self, Kept};
use super::super::memories::{self, Memories};
use super::super::similar::Kin;
use super::super::{Project, default_scope, document, seconds};
use super::mentions;
use crate::engine::examples::{self, Options, Query};

/// The share of common words from which on an item is what became of another one.
const CHANGED_LIKENESS: f64 = 0.4;

/// How many of the headings above a rule become its tags.
const MAX_TAGS: usize = 3;

/// What stands for a text that is not shown.
const WITHHELD: &str = "(not shown)";

/// What to take rules from.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Files and folders as they were typed.
    pub(crate) files: Vec<PathBuf>,
    /// Where the rules hold, whatever their files say.
    pub(crate) scope: Option<Scope>,
    pub(crate) no_anchor: bool,
    pub(crate) dry_run: bool,
    pub(crate) allow_secret: bool,
}

/// What became of every part of the documents, in their order.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(crate) dry_run: bool,
    pub(crate) items: Vec<Row>,
    pub(crate) warnings: Vec<String>,
}

impl Report {
    /// Returns how many items had an outcome.
    pub(crate) fn n(&self, outcome: Outcome) -> usize {
        self.items.iter().filter(|row| row.outcome == outcome).count()
    }
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Row {
    pub(crate) file: String,
    /// Counted from 1.
    pub(crate) line: usize,
    pub(crate) outcome: Outcome,
    /// The memory that says it, or that it would become.
    pub(crate) id: Option<String>,
    pub(crate) text: String,
    pub(crate) category: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) scope: Option<String>,
    pub(crate) anchor: Option<Kept>,
    /// Why it was not taken.
    pub(crate) reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome {
    /// Added, or to be added in a dry run.
    Added,
    /// Came from there before with other words.
    Changed,
    /// Is in the bank already.
    Known,
    /// No rule.
    Left,
}

impl Outcome {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Known => "known",
            Self::Left => "left",
        }
    }
}

/// A rule on its way into the bank.
struct Rule {
    /// Its row in the report.
    row: usize,
    /// Where in the row's text its own words begin.
    own_start: usize,
    scope: Scope,
    digest: String,
    anchor: Option<Anchor>,
}

/// Takes the rules of documents into the bank.
pub(crate) fn import(project: &Project, request: &Request) -> Result<Report> {
    let mut files = Vec::new();
    for path in &request.files {
        for file in documents::find(&project.root, path)? {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    let memories = Memories::load(project)?;
    let mut report = Report { dry_run: request.dry_run, items: Vec::new(), warnings: Vec::new() };
    let mut rules = Vec::new();
    let sources = Sources::of(&memories);
    for file in &files {
        let text = read::text(&project.root, file)?;
        let scope = request.scope.clone().or_else(|| scope_of_globs(&text));
        let scope = scope.unwrap_or_else(|| default_scope(project));
        let first = report.items.len();
        sort(file, &text, &scope, &sources, &mut report, &mut rules);
        if !request.allow_secret {
            withhold_secrets(&mut report, first, &mut rules);
        }
    }
    name(&memories, &mut report, &rules)?;
    if !request.no_anchor {
        find_anchors(project, &mut report, &mut rules)?;
    }
    let mut kin = Kin::of(&memories);
    for rule in &rules {
        let row = &report.items[rule.row];
        let id = row.id.as_deref().unwrap_or_default();
        let said = kin.warnings(&row.text, &rule.scope);
        let place = format!("{}:{}", row.file, row.line);
        report.warnings.extend(said.into_iter().map(|warning| format!("{place}: {warning}")));
        kin.learn(id, &row.text, &rule.scope);
    }
    if !request.dry_run && !rules.is_empty() {
        write(project, &mut report, rules)?;
    }
    Ok(report)
}

/// Decides what becomes of each part of one document.
fn sort(
    file: &str,
    text: &str,
    scope: &Scope,
    sources: &Sources,
    report: &mut Report,
    rules: &mut Vec<Rule>,
) {
    let found = rules::parse(text);
    let digests: Vec<String> = found.iter().map(|found| digest(&found.text)).collect();
    let mut orphans = sources.orphans(file, &digests);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut n_rules = 0;
    for (found, digest) in found.iter().zip(&digests) {
        let mut row = row(file, found);
        n_rules += usize::from(found.skipped_because.is_none());
        if found.skipped_because.is_none() {
            row.scope = Some(scope.to_string());
            if let Err(error) = document::check_content(&found.text) {
                row.outcome = Outcome::Left;
                row.reason = Some(format!("{error:#}"));
            } else if let Some(id) = sources.holder(file, digest) {
                row.outcome = Outcome::Known;
                row.id = Some(id.to_owned());
            } else if let Some(line) = seen.get(digest.as_str()) {
                row.outcome = Outcome::Left;
                row.reason = Some(format!("stands in line {line} already"));
            } else if let Some(old) = take_orphan(&mut orphans, &found.text) {
                let id = old.memory.id.clone();
                row.reason = Some(format!(
                    "`{id}` came from other words of it; take them over with `cerberus memory update {id} --content …`, or delete it and import again"
                ));
                row.outcome = Outcome::Changed;
                row.id = Some(id);
            } else {
                seen.insert(digest, row.line);
                let row_at = report.items.len();
                let rule = Rule {
                    row: row_at,
                    own_start: found.prefix_len,
                    scope: scope.clone(),
                    digest: digest.clone(),
                    anchor: None,
                };
                rules.push(rule);
            }
        }
        report.items.push(row);
    }
    for orphan in orphans {
        let id = &orphan.memory.id;
        report.warnings.push(format!("`{id}` came from `{file}`, which no longer says it"));
    }
    if n_rules == 0 {
        report
            .warnings
            .push(format!("`{file}` holds no rules: nothing in a list asks for anything"));
    }
}

/// Leaves the rules that hold a secret. What holds one is not shown either.
fn withhold_secrets(report: &mut Report, first: usize, rules: &mut Vec<Rule>) {
    for at in first..report.items.len() {
        let row = &mut report.items[at];
        let headings = row.tags.iter().chain(&row.category).map(String::as_str);
        let texts = std::iter::once(row.text.as_str()).chain(headings);
        let Some(secret) = texts.into_iter().find_map(secrets::find_secret) else { continue };
        row.text = WITHHELD.to_owned();
        row.category = None;
        row.tags = Vec::new();
        if matches!(row.outcome, Outcome::Left | Outcome::Known) {
            continue;
        }
        row.outcome = Outcome::Left;
        row.id = None;
        row.scope = None;
        row.reason = Some(format!("holds {}", secret.kind));
        report.warnings.push(format!(
            "`{}:{}` holds {} and is left; say where it is kept instead, or import with `--allow-secret` what is no secret",
            row.file, row.line, secret.kind
        ));
        rules.retain(|rule| rule.row != at);
    }
}

fn row(file: &str, found: &RuleItem) -> Row {
    let category = found.headings.last().cloned().or_else(|| {
        // The name of a rule's own file says what it is about; AGENTS.md says nothing.
        let name = file.rsplit('/').next().unwrap_or(file);
        let stem = name.strip_suffix(".mdc").or_else(|| name.strip_suffix(".instructions.md"))?;
        Some(names::from_text(stem))
    });
    let above = found.headings.len().saturating_sub(1);
    Row {
        file: file.to_owned(),
        line: found.line + 1,
        outcome: if found.skipped_because.is_some() { Outcome::Left } else { Outcome::Added },
        id: None,
        text: found.text.clone(),
        category: category.filter(|_| found.skipped_because.is_none()),
        tags: found.headings[above.saturating_sub(MAX_TAGS)..above].to_vec(),
        scope: None,
        anchor: None,
        reason: found.skipped_because.map(str::to_owned),
    }
}

/// Where the memories of a bank came from.
struct Sources<'a> {
    all: &'a [MemoryFile],
    /// The memory of a document and a digest.
    known: BTreeMap<(String, String), usize>,
    /// The digest of each memory's own text.
    digests: Vec<String>,
    /// Memories by the digest of their own text.
    texts: BTreeMap<String, usize>,
}

impl<'a> Sources<'a> {
    fn of(memories: &'a Memories) -> Self {
        let all = &memories.all;
        let digests: Vec<String> = all.iter().map(|it| digest(&it.memory.body)).collect();
        let (mut known, mut texts) = (BTreeMap::new(), BTreeMap::new());
        for (at, stored) in all.iter().enumerate() {
            let source = frontmatter::parse(&stored.text).frontmatter.source;
            known.extend(source.as_deref().and_then(read_source).map(|source| (source, at)));
            texts.entry(digests[at].clone()).or_insert(at);
        }
        Self { all, known, digests, texts }
    }

    fn holder(&self, file: &str, digest: &str) -> Option<&str> {
        let from_there = self.known.get(&(file.to_owned(), digest.to_owned()));
        let at = from_there.or_else(|| self.texts.get(digest))?;
        Some(&self.all[*at].memory.id)
    }

    /// Returns the memories that came from words which a document no longer has; one that
    /// took over the new words has a place in it again.
    fn orphans(&self, file: &str, digests: &[String]) -> Vec<&'a MemoryFile> {
        let from_there = self.known.iter().filter(|((from, digest), at)| {
            let is_there = |digest: &String| digests.contains(digest);
            from == file && !is_there(digest) && !is_there(&self.digests[**at])
        });
        from_there.map(|(_, at)| &self.all[*at]).collect()
    }
}

/// Takes the memory that most likely came from what this text was before.
fn take_orphan<'a>(orphans: &mut Vec<&'a MemoryFile>, text: &str) -> Option<&'a MemoryFile> {
    let words = |text: &str| -> FxHashSet<String> { tokenize::terms(text).into_iter().collect() };
    let wanted = words(text);
    let likeness = |stored: &MemoryFile| {
        let other = words(&stored.memory.body);
        let n_shared = wanted.intersection(&other).count();
        n_shared as f64 / (wanted.len() + other.len() - n_shared).max(1) as f64
    };
    let scored = orphans.iter().enumerate().map(|(at, stored)| (likeness(stored), at));
    let (best, at) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (best >= CHANGED_LIKENESS).then(|| orphans.remove(at))
}

/// Returns eight digits that stand for the words of a text, whatever is around them.
fn digest(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    format!("{:08x}", xxh3_64(words.join(" ").as_bytes()) >> 32)
}

/// Where a memory came from, as its frontmatter says it: `AGENTS.md:12 (1a2b3c4d)`.
fn source(row: &Row, digest: &str) -> String {
    format!("{}:{} ({digest})", row.file, row.line)
}

/// Returns the file and the digest of a source.
fn read_source(source: &str) -> Option<(String, String)> {
    let (place, digest) = source.strip_suffix(')')?.rsplit_once(" (")?;
    let (file, line) = place.rsplit_once(':')?;
    line.parse::<usize>().ok()?;
    Some((file.to_owned(), digest.to_owned()))
}

/// Returns the one language that a document's frontmatter limits it to, anywhere in the
/// project. `globs: *.py` is no valid YAML, so that the lines are read as they are.
fn scope_of_globs(text: &str) -> Option<Scope> {
    let (block, _) = frontmatter::span(text)?;
    let mut globs = String::new();
    let mut is_inside = false;
    for line in block.slice(text).lines() {
        let key = ["globs:", "applyTo:", "paths:"].iter().find_map(|key| line.strip_prefix(key));
        is_inside = key.is_some() || (is_inside && line.trim_start().starts_with('-'));
        if is_inside {
            globs.push_str(key.unwrap_or_else(|| line.trim_start().trim_start_matches('-')));
            globs.push(',');
        }
    }
    let mut languages = BTreeSet::new();
    for glob in expanded(&globs) {
        let (folder, name) = glob.rsplit_once('/').unwrap_or(("", &glob));
        let extension = name.strip_prefix("*.")?;
        let is_anywhere = folder.split('/').all(|part| matches!(part, "" | "**"));
        let known = language::from_scope(extension)?.first()?;
        languages.extend(is_anywhere.then(|| known.as_str()));
        if !is_anywhere {
            return None;
        }
    }
    let only = languages.pop_first().filter(|_| languages.is_empty())?;
    Some(Scope::Language(only.to_owned()))
}

/// Returns the globs of a list, those in braces one by one.
fn expanded(globs: &str) -> Vec<String> {
    let plain: String = globs.chars().filter(|c| !matches!(c, '"' | '\'' | '[' | ']')).collect();
    let mut found = Vec::new();
    let mut rest = plain.as_str();
    while !rest.is_empty() {
        let brace = rest.find('{').filter(|at| !rest[..*at].contains(','));
        let (glob, next) = match brace.and_then(|at| Some((at, rest[at..].find('}')? + at))) {
            Some((open, close)) => {
                let choices = rest[open + 1..close].split(',').map(str::trim);
                let head = rest[..open].trim();
                found.extend(choices.map(|choice| format!("{head}{choice}")));
                (String::new(), &rest[close + 1..])
            }
            None => {
                let (glob, next) = rest.split_once(',').unwrap_or((rest, ""));
                (glob.trim().to_owned(), next)
            }
        };
        found.push(glob);
        rest = next;
    }
    found.retain(|glob| !glob.is_empty());
    found
}

/// Gives every rule an id that nothing in the bank has.
fn name(memories: &Memories, report: &mut Report, rules: &[Rule]) -> Result<()> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for stored in &memories.all {
        taken.insert(stored.memory.id.to_lowercase());
        taken.insert(stored.file.trim_end_matches(".md").to_lowercase());
    }
    for rule in rules {
        let row = &mut report.items[rule.row];
        let base = names::from_text(&row.text[rule.own_start..]);
        let numbered = (2..).map(|n| format!("{base}-{n}"));
        let mut ids = std::iter::once(base.clone()).chain(numbered);
        let id = ids.find(|id| taken.insert(id.clone()));
        row.id = Some(id.ok_or_else(|| UserError::usage("there is no id left"))?);
    }
    Ok(())
}

/// Finds the example of each rule: the place that it names, else the best over the gate.
fn find_anchors(project: &Project, report: &mut Report, rules: &mut [Rule]) -> Result<()> {
    if rules.is_empty() {
        return Ok(());
    }
    let mut index = examples::open_index(project.code())?;
    report.warnings.append(&mut index.warnings);
    let texts: Vec<(&str, &str)> = rules
        .iter()
        .map(|rule| &report.items[rule.row])
        .map(|row| (row.file.as_str(), row.text.as_str()))
        .collect();
    let places = mentions::places(&mut index, &texts)?;
    let (mut questions, mut asking) = (Vec::new(), Vec::new());
    for (at, (rule, place)) in rules.iter_mut().zip(places).enumerate() {
        let Ok(languages) = memories::languages(&rule.scope) else { continue };
        let row = &report.items[rule.row];
        // A symbol that is not where the rule says is looked for like any other.
        rule.anchor = place.and_then(|place| anchor::by_hand(project, &place).ok());
        if rule.anchor.is_none() {
            let own = &row.text[rule.own_start..];
            let text = own.split("\n\n").next().unwrap_or_default().to_owned();
            questions.push(Query { rule: text, hints: Vec::new(), languages });
            asking.push(at);
        }
    }
    let options = Options { limit: 1, min_quality: project.min_quality, explain: false };
    let answers = examples::rank(project.code(), &mut index, &questions, options)?;
    for (at, answer) in asking.into_iter().zip(answers) {
        if let Some(first) = &answer.anchor {
            rules[at].anchor = Some(anchor::of_candidate(project, first, Origin::Auto)?);
        }
    }
    for rule in rules {
        report.items[rule.row].anchor = rule.anchor.as_ref().map(Kept::of);
    }
    Ok(())
}

/// Writes all memories and their anchors; what was written is taken back if one fails.
fn write(project: &Project, report: &mut Report, rules: Vec<Rule>) -> Result<()> {
    let _guard = project.bank.lock_for_writing()?;
    // Another process may have taken the same rules or the same ids meanwhile.
    let memories = Memories::load(project)?;
    let sources = Sources::of(&memories);
    let mut rules = rules;
    rules.retain(|rule| {
        let row = &mut report.items[rule.row];
        let holder = sources.holder(&row.file, &rule.digest);
        if let Some(id) = holder {
            row.outcome = Outcome::Known;
            row.id = Some(id.to_owned());
        }
        holder.is_none()
    });
    name(&memories, report, &rules)?;
    let old = project.bank.anchors()?;
    let mut anchors = old.clone();
    for rule in &mut rules {
        let id = report.items[rule.row].id.clone().unwrap_or_default();
        anchors.extend(rule.anchor.take().map(|anchor| (id, anchor)));
    }
    // An import that is killed is run again, and then knows the memories that it has
    // written: their anchors have to be there before them.
    project.bank.write_anchors(&anchors)?;
    let mut written = Vec::new();
    let mut done = Ok(());
    for rule in rules {
        let row = &report.items[rule.row];
        let id = row.id.as_deref().unwrap_or_default();
        let front = Frontmatter {
            memory_type: Some(MemoryType::Rule),
            category: row.category.clone(),
            scope: Some(rule.scope),
            tags: row.tags.clone(),
            created_at: Some(seconds(project.now)),
            source: Some(source(row, &rule.digest)),
            ..Frontmatter::default()
        };
        match project.bank.create_memory(id, &front, &row.text) {
            Ok(file) => written.push(file),
            Err(error) => {
                done = Err(error);
                break;
            }
        }
    }
    if done.is_err() {
        for file in &written {
            project.bank.discard(file)?;
        }
        project.bank.write_anchors(&old)?;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::super::super::managed_block;
    use super::*;

    #[test]
    fn what_inject_keeps_in_a_document_is_no_rule() {
        let text =
            managed_block::MARKDOWN.update(b"- Use tea\n", "- Use coffee\n").expect("no marks yet");
        let text = String::from_utf8(text).expect("it was text");
        let found = rules::parse(&text);
        let taken: Vec<&str> = found
            .iter()
            .filter(|it| it.skipped_because.is_none())
            .map(|it| it.text.as_str())
            .collect();
        assert_eq!(taken, ["Use tea"]);
    }

    #[test]
    fn globs_of_one_language_say_where_rules_hold() {
        let check = |globs: &str, expected: Option<&str>| {
            let found = scope_of_globs(&format!("---\ndescription: x\n{globs}\n---\n- x\n"));
            assert_eq!(found.map(|scope| scope.to_string()).as_deref(), expected, "{globs}");
        };
        check("globs: **/*.go", Some("language:go"));
        check("globs: *.py", Some("language:python"));
        check("globs: [\"**/*.ts\", '*.tsx']", Some("language:typescript"));
        check("globs: **/*.{ts,tsx}", Some("language:typescript"));
        check("applyTo: \"**/*.rs\"", Some("language:rust"));
        check("globs:\n  - \"**/*.java\"\n  - '*.java'", Some("language:java"));
        for globs in
            ["globs: src/**/*.go", "globs: *.go, *.py", "globs: **/*.md", "globs:", "globs: {a"]
        {
            check(globs, None);
        }
    }

    #[test]
    fn a_source_is_read_as_it_was_written() {
        let read =
            |source: &str| read_source(source).map(|(file, digest)| format!("{file} {digest}"));
        assert_eq!(read("a (b)/x.md:12 (1a2b)").as_deref(), Some("a (b)/x.md 1a2b"));
        for other in ["a person", "x.md:12", "x.md (1a2b)", ""] {
            assert_eq!(read(other), None, "{other}");
        }
        assert_eq!(digest("- **Use** `tea`."), digest("use tea"));
    }
}
