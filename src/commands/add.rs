//! `cerberus memory add`: stores a short memory and anchors it to its best example.

use anyhow::Result;
use cerberus_bank::Workspace;
use cerberus_bank::memories::text_of;
use cerberus_bank::names;
use cerberus_bank::ops::anchors::AnchorSummary;
use cerberus_bank::ops::memories::Memories;
use cerberus_bank::ops::{anchors, document, memories, similar};
use cerberus_engine::examples;
use cerberus_engine::examples::{Options, Query, RankedSymbol};
use cerberus_engine::rank::rule_words::RuleWords;
use cerberus_markdown::frontmatter::Frontmatter;
use cerberus_model::error::UserError;
use cerberus_model::{
    Anchor, CodeLocation, Confidence, MemoryType, Origin, RuleKind, format_location,
};
use clap::Args;
use serde::Serialize;

use super::args::{FieldArgs, SecretArgs, quality};
use super::review::print;
use crate::config::Settings;
use crate::output::{CliResult, DIM, NAME, OK, Printer, WARN};

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AddArgs {
    /// Text of the memory
    #[arg(allow_hyphen_values = true, value_parser = super::args::text)]
    pub(crate) text: String,
    /// Id of the memory (default: derived from its text)
    #[arg(long)]
    pub(crate) id: Option<String>,
    /// Anchor the memory to this file or symbol
    #[arg(
        long,
        alias = "anchor-to",
        value_name = "FILE[::SYMBOL]",
        conflicts_with = "no_anchor"
    )]
    pub(crate) to: Option<CodeLocation>,
    /// Do not search for an example
    #[arg(long)]
    pub(crate) no_anchor: bool,
    /// Minimum quality for an anchor (0 to 1)
    #[arg(long, value_name = "QUALITY", value_parser = quality)]
    pub(crate) min_quality: Option<f64>,
    #[command(flatten)]
    pub(crate) secret: SecretArgs,
    #[command(flatten)]
    pub(crate) fields: FieldArgs,
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) id: String,
    pub(crate) file: String,
    pub(crate) anchor: Option<AnchorSummary>,
    /// Why the search for an example found no anchor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unanchored: Option<Unanchored>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Unanchored {
    pub(crate) reason: String,
    /// Whether other hints or a manual choice could anchor the memory.
    pub(crate) can_be_anchored: bool,
    /// The kind of the rule and the confidence of the ranking, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<RuleKind>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) kind_reasons: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confidence: Option<Confidence>,
    /// The first candidates, with a few lines of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) candidates: Vec<RankedSymbol>,
}

/// Creates a memory and, unless disabled, anchors it.
pub(crate) fn add(project: &Workspace, args: &AddArgs) -> Result<Report> {
    let text = args.text.trim();
    if text.is_empty() {
        return Err(UserError::usage("the text of the memory is empty")
            .hint("pass a text, as in `cerberus memory add \"Close sessions in a finally block\"`")
            .into());
    }
    if let Some(id) = &args.id {
        names::check(id)?;
    }
    document::check_content(text)?;
    args.fields.check(("the text", text), &args.secret)?;
    let memories = project.memories()?;
    let mut warnings = similar::warnings(&memories, text);
    let frontmatter = args.fields.frontmatter(project, MemoryType::Rule);
    // Every check that can fail comes before the first write.
    let (anchor, unanchored) = find_anchor(project, args, &frontmatter, &mut warnings)?;
    let lock = project.lock()?;
    // Under the lock, because another process may have used the id since.
    let memories = lock.memories()?;
    let id = free_id(args, text, &memories)?;
    let mut anchors = memories.anchors.clone();
    let file = project
        .bank
        .create_text(&id, &text_of(&frontmatter, text))?;
    let summary = anchor.as_ref().map(AnchorSummary::from);
    if let Some(anchor) = anchor {
        anchors.insert(id.clone(), anchor);
        if let Err(error) = project.bank.write_anchors(&anchors) {
            project.bank.discard(&file)?;
            return Err(error);
        }
    }
    Ok(Report {
        id,
        file,
        anchor: summary,
        unanchored,
        warnings,
    })
}

/// Returns the anchor, if there is an example, or why a search found none.
fn find_anchor(
    project: &Workspace,
    args: &AddArgs,
    frontmatter: &Frontmatter,
    warnings: &mut Vec<String>,
) -> Result<(Option<Anchor>, Option<Unanchored>)> {
    if let Some(location) = &args.to {
        return Ok((Some(anchors::at_location(project, location)?), None));
    }
    if args.no_anchor {
        return Ok((None, None));
    }
    let languages = match frontmatter
        .scope
        .as_ref()
        .map_or(Ok(None), memories::languages)
    {
        Ok(languages) => languages,
        Err(reason) => {
            return Ok((
                None,
                Some(Unanchored {
                    reason,
                    ..Unanchored::default()
                }),
            ));
        }
    };
    let rule = anchors::rule(&args.text).to_owned();
    let hints = frontmatter.hints.clone();
    let kind = frontmatter.kind;
    let query = Query {
        rule,
        hints,
        languages,
        kind,
        ..Query::default()
    };
    let min_quality = args.min_quality.unwrap_or(project.min_quality);
    let options = Options {
        explain: true,
        ..Options::distinct(print::N_INLINE, min_quality)
    };
    let words = RuleWords::new(&query.rule, &query.hints);
    let Some(mut ranking) = project.rank(&[query], options)?.pop() else {
        return Ok((None, None));
    };
    warnings.extend(anchors::hint_warnings(&ranking));
    warnings.append(&mut ranking.warnings);
    if let Some(best) = &ranking.anchor {
        return Ok((
            Some(anchors::from_candidate(project, best, Origin::Auto)?),
            None,
        ));
    }
    let mut unanchored = Unanchored {
        reason: anchors::rejection(&ranking),
        can_be_anchored: true,
        kind: Some(ranking.kind),
        kind_reasons: ranking.kind_reasons,
        confidence: Some(ranking.confidence),
        candidates: Vec::new(),
    };
    if ranking.kind == RuleKind::Code {
        let candidates = &mut unanchored.candidates;
        *candidates = ranking.candidates;
        examples::add_excerpts(&project.root, &words, candidates, print::INLINE_LINES);
        candidates
            .iter_mut()
            .for_each(|candidate| candidate.reasons.clear());
    }
    Ok((None, Some(unanchored)))
}

/// Returns the requested id if it is unused, otherwise an unused one derived from the text.
fn free_id(args: &AddArgs, text: &str, memories: &Memories) -> Result<String> {
    if let Some(id) = &args.id {
        memories.check_free(id)?;
        return Ok(id.clone());
    }
    Ok(names::unused(names::from_text(text), |id| {
        memories.check_free(id).is_err()
    }))
}

pub(crate) fn run(args: &AddArgs, settings: &Settings, out: &mut Printer) -> CliResult {
    let args = AddArgs {
        fields: args.fields.as_stored(),
        ..args.clone()
    };
    let report = add(&settings.project, &args)?;
    out.report(&report, |report, out| print_report(report, &args, out))
}

fn print_report(report: &Report, args: &AddArgs, out: &mut Printer) {
    out.warn(&report.warnings);
    let id = out.style(NAME, &report.id);
    let file = out.paint(DIM, &format!("({})", report.file));
    out.line(&format!("{} {id} {file}", out.paint(OK, "added")));
    if let Some(anchor) = &report.anchor {
        let location = format_location(&anchor.file, anchor.symbol.as_deref());
        let location = out.style(NAME, &location);
        out.line(&format!(
            "  example {location} (quality {:.2})",
            anchor.quality
        ));
    }
    if let Some(unanchored) = &report.unanchored {
        let reason = out.safe(&unanchored.reason);
        out.line(&format!("  {}: {reason}", out.paint(WARN, "not anchored")));
        let command = format!("cerberus memory anchor {}", report.id);
        if unanchored.kind == Some(RuleKind::Process) {
            out.line(&format!("  if it is about code: {command} --kind code"));
        } else if unanchored.can_be_anchored {
            let hints = args.fields.hints.as_deref().unwrap_or_default();
            let words = RuleWords::new(anchors::rule(&args.text), hints);
            print::candidates(unanchored.candidates.iter(), &words, out);
            let keyword = format!("with a keyword from its code: {command} --hint WORD");
            if unanchored.candidates.is_empty() {
                out.line(&format!("  next, {keyword}"));
            } else {
                out.line(&format!(
                    "  next: {command} --pick 1, or --candidates 5 for more"
                ));
                out.line(&format!("  or, {keyword}"));
            }
        }
    }
}
