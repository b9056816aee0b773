//! Imports the rules of documents that people write for people and agents.
//!
//! An item that was imported before is recognized (see [`sources`]). A new item becomes a
//! memory, a changed one changes its memory, and the memory of a removed one is proposed for the
//! trash. An item whose memory was deleted is not imported again. Everything is written together,
//! or nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;
use cerberus_engine::examples::{Options, Query, RankedSymbol, Ranking};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_engine::tree::{git, read, walk};
use cerberus_engine::{examples, excerpt};
use cerberus_markdown::rules::RuleItem;
pub use cerberus_model::ImportOutcome as Outcome;
use cerberus_model::text::decode;
use cerberus_model::{Anchor, Confidence, MemoryId, Scope};
use classify::{Classifier, Document, Surroundings, Update};
use find::Found;
use serde::Serialize;
use sources::{Source, Sources, parse_item};

use crate::ops::anchors::AnchorSummary;
use crate::ops::memories::Memories;
use crate::ops::rule_counts::RuleCounts;
use crate::ops::similar::{self, SimilarMemories};
use crate::ops::{Project, anchors, memories, trash};
use crate::{Workspace, names};

mod classify;
mod find;
mod place;
mod samples;
pub mod sources;
mod write;

/// The documents to import and how.
#[derive(Debug, Default)]
pub struct Request {
    /// Documents, or folders of documents; without any, all files of rules of the project.
    pub files: Vec<PathBuf>,
    /// Whether nothing is written, so that no bank is necessary.
    pub dry_run: bool,
    /// Whether the memories of items that are no longer in their documents are deleted.
    pub prune: bool,
    /// Whether no example is searched for.
    pub no_anchor: bool,
    /// The scope of the rules, instead of that of their documents.
    pub scope: Option<Scope>,
    pub allow_secrets: bool,
}

/// Maximum number of headings above a rule that become its tags.
const MAX_TAGS: usize = 3;

/// Maximum number of pairs of rules that are compared, which takes about a second.
const MAX_PAIRS: usize = 1_000_000;

/// Maximum number of rules whose candidates are shown; `review` shows the others.
const MAX_SHOWN: usize = 5;

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub dry_run: bool,
    /// The documents, in the order in which they were read.
    pub documents: Vec<DocumentSummary>,
    /// In the order of the documents.
    pub items: Vec<Item>,
    /// Of the whole bank after the import; none in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<RuleCounts>,
    pub warnings: Vec<String>,
}

impl Report {
    /// Whether every document was read.
    pub fn is_complete(&self) -> bool {
        let mut items = self.items.iter();
        items.all(|item| item.outcome != Outcome::Unreadable)
    }
}

/// The number of items of a document by outcome.
#[derive(Debug, Default, Serialize)]
pub struct DocumentSummary {
    pub file: String,
    pub added: usize,
    pub changed: usize,
    pub removed: usize,
    pub conflicts: usize,
    pub duplicates: usize,
    pub skipped: usize,
    /// Of the added ones, those that somebody has to confirm.
    pub proposed: usize,
    /// Of the added ones, those with an example.
    pub anchored: usize,
}

/// An item of a document.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// The last line.
    pub end_line: usize,
    pub outcome: Outcome,
    /// The memory of the item, existing or new.
    pub id: Option<String>,
    pub text: String,
    pub category: Option<String>,
    pub tags: Vec<String>,
    /// The headings above the item.
    pub heading: Option<String>,
    pub scope: Option<String>,
    /// Globs of the files that the rule applies to.
    pub paths: Vec<String>,
    pub anchor: Option<AnchorSummary>,
    /// The first candidates of a rule whose first one is likely to be right, with a few lines of each.
    #[serde(skip)]
    pub candidates: Vec<RankedSymbol>,
    /// Why it was not imported, or what changed.
    pub reason: Option<String>,
    /// Why somebody has to confirm that it is a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<String>,
}

impl Item {
    fn new(file: &str, found: &RuleItem, text: String) -> Self {
        let is_rule = found.skipped_because.is_none();
        let category = found.headings.last().cloned().or_else(|| {
            // The name of a file of rules is their topic, unlike that of AGENTS.md.
            let name = file.rsplit('/').next().unwrap_or(file);
            let stem = name
                .strip_suffix(".mdc")
                .or_else(|| name.strip_suffix(".instructions.md"))?;
            Some(names::from_text(stem).to_string())
        });
        let n_above = found.headings.len().saturating_sub(1);
        Self {
            file: file.to_owned(),
            line: found.line + 1,
            end_line: found.end_line + 1,
            outcome: if is_rule {
                Outcome::Added
            } else {
                Outcome::Skipped
            },
            text,
            category: category.filter(|_| is_rule),
            tags: found.headings[n_above.saturating_sub(MAX_TAGS)..n_above].to_vec(),
            heading: Some(found.heading.clone()).filter(|heading| !heading.is_empty()),
            reason: found.skipped_because.map(str::to_owned),
            doubt: found.doubt.map(str::to_owned),
            ..Self::default()
        }
    }

    /// Creates the item of a memory that is no longer in its document.
    fn removed(source: &Source, id: &str, body: &str) -> Self {
        Self {
            file: source.file.clone(),
            line: source.line,
            end_line: source.line,
            outcome: Outcome::Removed,
            id: Some(id.to_owned()),
            text: memories::title(body),
            reason: Some("no longer in the document".to_owned()),
            ..Self::default()
        }
    }

    /// Creates the item of a document that cannot be read.
    fn unreadable(file: String, reason: String) -> Self {
        Self {
            file,
            line: 1,
            end_line: 1,
            outcome: Outcome::Unreadable,
            reason: Some(reason),
            ..Self::default()
        }
    }

    fn skip(&mut self, reason: String) {
        self.outcome = Outcome::Skipped;
        self.reason = Some(reason);
    }

    /// Sets the outcome of an item of an existing memory.
    fn settle(&mut self, outcome: Outcome, id: &str, reason: Option<String>) {
        self.outcome = outcome;
        self.id = Some(id.to_owned());
        self.reason = reason;
    }
}

/// A rule to import.
struct NewRule {
    item_idx: usize,
    /// Start of the item's own words in its text, after the text that governs it.
    own_start: usize,
    /// Whether code that shows its own words may be the opposite of the rule.
    may_be_negated: bool,
    scope: Scope,
    /// The places of its copies.
    sources: Vec<String>,
    /// To the code that the document names, or else to that which the search finds.
    anchor: Option<Anchor>,
}

/// What an import would write.
pub struct Plan {
    pub report: Report,
    new_rules: Vec<NewRule>,
    /// By the index of the memory.
    updates: BTreeMap<usize, Update>,
    /// Files of the memories whose items were removed.
    pub removed: Vec<String>,
    memories: Rc<Memories>,
}

/// Compares documents with the bank.
pub fn plan(project: &Workspace, request: &Request) -> Result<Plan> {
    let find::Documents {
        found: documents,
        unreadable,
        warnings,
    } = find::documents(project, request)?;
    let (memories, deleted) = bank(project, request)?;
    let report = Report {
        dry_run: request.dry_run,
        warnings,
        ..Report::default()
    };
    let sources = Sources::new(&memories);
    let mut deleted_with_document = BTreeSet::new();
    for item in &deleted {
        if let Some((file, digest)) = parse_item(item)
            && !read::exists(&project.root, file)
        {
            deleted_with_document.insert(digest.to_owned());
        }
    }
    let surroundings = Surroundings {
        scope: request.scope.as_ref(),
        files: &walk::files(&project.root, &project.exclude)?,
    };
    let mut read = Vec::new();
    for (found, commit) in documents.iter().zip(commits(project, &documents)) {
        read.push(Document::new(project, found, commit, surroundings));
    }
    let mut missing = sources.files();
    missing.retain(|file| !read::exists(&project.root, file));
    let present = read.iter().flat_map(Document::digests).collect();
    let mut lost = Vec::new();
    for &file in &missing {
        for memory_idx in sources.removed(file, &present) {
            lost.push((memory_idx, file));
        }
    }
    let mut classifier = Classifier {
        sources: &sources,
        missing: &missing,
        lost,
        deleted,
        deleted_with_document,
        allow_secrets: request.allow_secrets,
        report,
        new_rules: Vec::new(),
        updates: BTreeMap::new(),
        removed: Vec::new(),
        new_by_text: BTreeMap::new(),
    };
    for document in &read {
        classifier.document(document);
    }
    if request.files.is_empty() {
        for file in &missing {
            classifier.missing_document(file);
        }
    }
    let Classifier {
        mut report,
        new_rules,
        updates,
        removed,
        ..
    } = classifier;
    for (file, why) in unreadable {
        report.items.push(Item::unreadable(file, why));
    }
    report.documents = summaries(&documents, &report.items);
    let removed = removed.into_iter();
    let removed = removed.map(|memory_idx| memories.all[memory_idx].file.clone());
    assign_ids(&memories, &mut report, &new_rules);
    Ok(Plan {
        report,
        new_rules,
        updates,
        removed: removed.collect(),
        memories,
    })
}

/// Returns the commit that is checked out for each document that it contains as it is.
fn commits(project: &Project, documents: &[Found]) -> Vec<Option<String>> {
    let mut commits = vec![None; documents.len()];
    let Some(head) = git::head(&project.root) else {
        return commits;
    };
    let commit = head.abbreviated_id();
    git::with_objects(&project.root, |objects| {
        for (document, at) in documents.iter().zip(&mut commits) {
            if let Some(bytes) = objects.read(&format!("{commit}:./{}", document.file))
                // Git may convert the ends of lines.
                && decode(&bytes).0.lines().eq(document.text.lines())
            {
                *at = Some(commit.clone());
            }
        }
    });
    commits
}

/// Returns the memories and the deleted items of the bank. A dry run needs no bank: it shows what a
/// new one would get.
fn bank(project: &Workspace, request: &Request) -> Result<(Rc<Memories>, BTreeSet<String>)> {
    if request.dry_run && !project.bank.exists() {
        return Ok(Default::default());
    }
    let memories = project.memories()?;
    let deleted = BTreeSet::from_iter(project.bank.deleted_items()?);
    Ok((memories, deleted))
}

/// Finds the examples of the new rules, writes the plan unless it is a dry run, and completes the
/// report.
pub fn apply(project: &Workspace, request: &Request, plan: &mut Plan) -> Result<()> {
    examine(project, request, plan)?;
    let Report {
        items, documents, ..
    } = &mut plan.report;
    for item in items.iter().filter(|item| item.anchor.is_some()) {
        if let Some(summary) = documents.iter_mut().find(|it| it.file == item.file) {
            summary.anchored += 1;
        }
    }
    if request.dry_run {
        return Ok(());
    }
    write::write(project, plan)?;
    if request.prune {
        trash::delete_files(project, &plan.removed)?;
    }
    plan.report.rules = Some(RuleCounts::of(&*project.memories()?));
    Ok(())
}

/// Returns the rules that differ between the bank and the documents that it was imported from.
pub fn differences(project: &Workspace) -> Result<Vec<Item>> {
    let mut files: BTreeSet<PathBuf> = BTreeSet::new();
    for stored in &project.memories()?.all {
        for source in Source::all(&stored.memory) {
            files.insert(project.root.join(source.file));
        }
    }
    files.retain(|file| file.is_file());
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let request = Request {
        files: Vec::from_iter(files),
        ..Request::default()
    };
    let mut items = plan(project, &request)?.report.items;
    items.retain(|item| item.outcome.is_difference());
    Ok(items)
}

/// Finds the examples of the new rules, and adds warnings about similar memories.
fn examine(project: &Workspace, request: &Request, plan: &mut Plan) -> Result<()> {
    let Plan {
        report,
        new_rules,
        updates,
        memories,
        ..
    } = plan;
    remember_look_alikes(project, new_rules, updates)?;
    for rule in &*new_rules {
        report.items[rule.item_idx].anchor = rule.anchor.as_ref().map(AnchorSummary::from);
    }
    if !request.no_anchor && !new_rules.is_empty() {
        find_anchors(project, report, new_rules)?;
    }
    let n_pairs = new_rules.len() * (memories.all.len() + new_rules.len() / 2);
    if n_pairs > MAX_PAIRS {
        let warning = "the rules are too many to be compared: similar ones are not reported";
        report.warnings.push(warning.to_owned());
        return Ok(());
    }
    let mut similar = SimilarMemories::new(memories);
    let mut near = Vec::new();
    for rule in new_rules {
        let item = &report.items[rule.item_idx];
        let warning = similar.near_duplicates(&item.text).next();
        near.extend(warning.map(|warning| format!("{}:{}: {warning}", item.file, item.line)));
        similar.add(item.id.as_deref().unwrap_or_default(), &item.text);
    }
    report.warnings.append(&mut similar::limited(near));
    Ok(())
}

/// Completes the anchors to the code that documents name.
fn remember_look_alikes(
    project: &Project,
    new_rules: &mut [NewRule],
    updates: &mut BTreeMap<usize, Update>,
) -> Result<()> {
    let mut named: Vec<&mut Anchor> = Vec::new();
    for rule in new_rules {
        named.extend(&mut rule.anchor);
    }
    for update in updates.values_mut() {
        named.extend(&mut update.sample);
    }
    anchors::remember_look_alikes(project, &mut named)
}

fn summaries(documents: &[Found], items: &[Item]) -> Vec<DocumentSummary> {
    let mut by_file: BTreeMap<&str, DocumentSummary> = BTreeMap::new();
    let mut order: Vec<&str> = documents.iter().map(|found| found.file.as_str()).collect();
    for item in items {
        if !by_file.contains_key(item.file.as_str()) && !order.contains(&item.file.as_str()) {
            // A document that no longer exists.
            order.push(&item.file);
        }
        let summary = by_file.entry(&item.file).or_default();
        if item.outcome == Outcome::Added {
            summary.proposed += usize::from(item.doubt.is_some());
        }
        *match item.outcome {
            Outcome::Added => &mut summary.added,
            Outcome::Changed => &mut summary.changed,
            Outcome::Removed => &mut summary.removed,
            Outcome::Conflict => &mut summary.conflicts,
            Outcome::Duplicate => &mut summary.duplicates,
            Outcome::Skipped | Outcome::Unreadable => &mut summary.skipped,
        } += 1;
    }
    let mut summaries = Vec::new();
    for file in order {
        let counts = by_file.remove(file).unwrap_or_default();
        summaries.push(DocumentSummary {
            file: file.to_owned(),
            ..counts
        });
    }
    summaries
}

/// Assigns an unused id to every rule.
fn assign_ids(memories: &Memories, report: &mut Report, new_rules: &[NewRule]) {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for stored in &memories.all {
        used.insert(stored.memory.id.to_lowercase());
        used.insert(stored.file.trim_end_matches(".md").to_lowercase());
    }
    // The next number of each name, because many items may begin with the same words.
    let mut next: BTreeMap<MemoryId, usize> = BTreeMap::new();
    for rule in new_rules {
        let item = &mut report.items[rule.item_idx];
        let base = names::from_text(&item.text[rule.own_start..]);
        let next = next.entry(base.clone()).or_insert(1);
        while !used.insert(base.numbered(*next).to_string()) {
            *next += 1;
        }
        item.id = Some(base.numbered(*next).to_string());
        *next += 1;
    }
}

/// Finds the example of each rule.
fn find_anchors(project: &Workspace, report: &mut Report, new_rules: &mut [NewRule]) -> Result<()> {
    let (mut queries, mut query_rules) = (Vec::new(), Vec::new());
    for rule in new_rules {
        let Ok(languages) = memories::languages(&rule.scope) else {
            continue;
        };
        let item = &report.items[rule.item_idx];
        if item.doubt.is_some() || rule.anchor.is_some() {
            continue;
        }
        queries.push(Query {
            rule: anchors::rule(&item.text[rule.own_start..]).to_owned(),
            paths: item.paths.clone(),
            languages,
            ..Query::default()
        });
        query_rules.push(rule);
    }
    let options = Options::distinct(anchors::N_INLINE, project.min_import_quality);
    report.warnings.append(&mut project.index_code()?);
    let mut rankings = project.rank(&queries, options)?;
    for (rule, ranking) in query_rules.iter().zip(&mut rankings) {
        // The query is made of the own words, which the text above them may forbid.
        if rule.may_be_negated {
            ranking.anchor = None;
        }
    }
    let best: Vec<RankedSymbol> = rankings
        .iter()
        .filter_map(|ranking| ranking.anchor.clone())
        .collect();
    let mut anchors = anchors::from_candidates(project, &best)?.into_iter();
    let shown = best_likely(&rankings);
    let asked = query_rules.into_iter().zip(&queries).zip(rankings);
    for (idx, ((rule, query), ranking)) in asked.enumerate() {
        let item = &mut report.items[rule.item_idx];
        if let Some(anchor) = ranking.anchor.and_then(|_| anchors.next()) {
            item.anchor = Some(AnchorSummary::from(&anchor));
            rule.anchor = Some(anchor);
        } else if shown.contains(&idx) {
            let words = RuleWords::new(&query.rule, &query.hints);
            let mut likely = ranking.candidates;
            likely.retain(RankedSymbol::is_likely);
            let max_lines = excerpt::CANDIDATE_LINES;
            examples::add_excerpts(&project.root, &words, &mut likely, max_lines);
            item.candidates = likely;
        }
    }
    Ok(())
}

fn best_quality(ranking: &Ranking) -> f64 {
    match ranking.candidates.first() {
        Some(best) => best.quality,
        None => 0.0,
    }
}

/// Returns the indices of the best rankings whose first candidate is likely, at most [`MAX_SHOWN`].
fn best_likely(rankings: &[Ranking]) -> Vec<usize> {
    let mut likely: Vec<usize> = (0..rankings.len()).collect();
    likely.retain(|idx| rankings[*idx].confidence == Confidence::Likely);
    // Of equal ones, the first.
    likely.sort_by(|a, b| best_quality(&rankings[*b]).total_cmp(&best_quality(&rankings[*a])));
    likely.truncate(MAX_SHOWN);
    likely
}

#[cfg(test)]
mod tests {
    use cerberus_markdown::rules;

    use crate::ops::managed_block;

    #[test]
    fn the_managed_block_contains_no_rules() {
        let text = managed_block::MARKDOWN
            .update(b"- Use tea\n", "- Use coffee\n")
            .expect("no markers yet");
        let text = String::from_utf8(text).expect("valid UTF-8");
        let found = rules::parse(&text, "");
        let rules: Vec<&str> = found
            .iter()
            .filter(|it| it.skipped_because.is_none())
            .map(|it| it.text.as_str())
            .collect();
        assert_eq!(rules, ["Use tea"]);
    }
}
