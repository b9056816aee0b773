//! Whether claims hold once their new names are written.
//!
//! The document is read again with the new names, and each of its new claims is compared with the
//! tree as `check` does. A name that is not a claim any more, or names another target, is not written:
//! the next check could not see that it is wrong.

use cerberus_model::text::Span;

use super::addresses::Addresses;
use super::now::Holds;
use super::snapshot;
use crate::kinds::symbol::Symbol;
use crate::parse;
use crate::parse::{Claim, Target};
use crate::project::{Position, Project};
use crate::report::{Document, NewPlace};

/// Why `--fix` leaves a name whose new form was read again.
const UNREAD: &str = "written so, the next check could not read it as a name";
const OTHER: &str = "written so, it would not name the new place";
const LABEL: &str = "it is the label of a link, and the definition of the link has it too";
const REUSED: &str = "the document names it already, and it had other code before";

/// A new name of a claim.
pub(super) struct Renamed<'n> {
    pub(super) at: Position,
    pub(super) new: &'n mut NewPlace,
}

/// Removes the replacements with which a claim would not hold. `renamed` is sorted by position.
pub(super) fn verify(project: Project<'_>, mut renamed: Vec<Renamed<'_>>) {
    let addresses = Addresses::new(project.root);
    for of_document in renamed.chunk_by_mut(|a, b| a.at.0 == b.at.0) {
        let document = &project.documents[of_document[0].at.0];
        for it in of_document.iter_mut() {
            let claim = &document.claims.claims[it.at.1];
            if it.new.replacement.is_some() && is_label(&document.text, claim.span) {
                it.new.replacement = None;
                it.new.unwritten = Some(LABEL);
            }
        }
        let (text, starts) = with_new_names(document, of_document);
        let claims = parse::read(&text, &addresses);
        let corrected = Document {
            written_at: document.written_at.clone(),
            ..Document::new(document.path.clone(), text, claims)
        };
        for (it, start) in of_document.iter_mut().zip(starts) {
            let claim = &document.claims.claims[it.at.1];
            // Only what changes in the text needs a proof.
            let Some(start) = start else { continue };
            if let Err(why) = holds(project, (document, claim), &corrected, (start, it.new)) {
                it.new.replacement = None;
                it.new.unwritten = Some(why);
            }
        }
    }
}

/// Returns whether a name is the label of a link that the document defines elsewhere: `[docs/a.md]`
/// with the line `[docs/a.md]: docs/a.md`.
fn is_label(text: &str, span: Span) -> bool {
    let is_mark = |c: char| matches!(c, '`' | '*' | '_');
    let before = text[..span.start].trim_end_matches(is_mark);
    let after = text[span.end..].trim_start_matches(is_mark);
    if !before.ends_with('[') || !after.starts_with(']') {
        return false;
    }
    let label = &text[before.len()..text.len() - after.len()];
    let definition = format!("[{label}]:").to_lowercase();
    text.lines().any(|line| {
        let line = line.trim_start().to_lowercase();
        line.starts_with(&definition)
    })
}

/// Returns the text of a document with the new names, and where each of them starts in it: `None` for
/// one that is not written.
fn with_new_names(document: &Document, renamed: &[Renamed<'_>]) -> (String, Vec<Option<usize>>) {
    let mut changes: Vec<(Span, &str, Option<usize>)> = Vec::new();
    for (idx, Renamed { at, new }) in renamed.iter().enumerate() {
        let Some(replacement) = new.replacement.as_deref() else {
            continue;
        };
        let claim = &document.claims.claims[at.1];
        for span in document.claims.renamed(&document.text, claim) {
            changes.push((span, replacement, (span == claim.span).then_some(idx)));
        }
    }
    // The name of a claim before the same bytes as a use in the example of another claim.
    changes.sort_by_key(|(span, _, idx)| (*span, idx.is_none()));
    let mut text = String::with_capacity(document.text.len());
    let mut starts = vec![None; renamed.len()];
    let mut at = 0;
    for (span, new, idx) in changes {
        let Some(between) = document.text.get(at..span.start) else {
            continue;
        };
        text.push_str(between);
        if let Some(idx) = idx {
            starts[idx] = Some(text.len());
        }
        text.push_str(new);
        at = span.end;
    }
    text.push_str(&document.text[at..]);
    (text, starts)
}

/// Returns why a claim does not hold with its new name, which starts at a position of the corrected
/// document.
fn holds(
    project: Project<'_>,
    (document, claim): (&Document, &Claim),
    corrected: &Document,
    (start, new): (usize, &NewPlace),
) -> Result<(), &'static str> {
    let replacement = new.replacement.as_deref().unwrap_or_default();
    let written = Span::new(start, start + replacement.len());
    let is_there = |it: &&Claim| it.span.start <= start && written.end <= it.span.end;
    let mut found = corrected.claims.claims.iter().filter(is_there);
    let new_claim = found
        .find(|it| is_same_kind(&it.target, &claim.target))
        .ok_or(UNREAD)?;
    match (&claim.target, &new_claim.target) {
        (Target::Symbol(Symbol { parts: old, .. }), Target::Symbol(Symbol { parts, .. })) => {
            // The file that has the name was compared when it was followed.
            let Some((last, qualifiers)) = parts.split_last() else {
                return Err(UNREAD);
            };
            if last != replacement || qualifiers != &old[..old.len() - 1] {
                return Err(OTHER);
            }
            // Another sentence would mean the former code of the name.
            let is_named = |it: &Claim| matches!(&it.target, Target::Symbol(Symbol { parts, .. }) if parts.last() == Some(last));
            let is_crossed = new.is_reused && document.claims.claims.iter().any(is_named);
            if is_crossed { Err(REUSED) } else { Ok(()) }
        }
        (_, Target::Path(new_path)) => {
            let path = new_path.path.as_str();
            let now = project.now;
            let names_place = match now.tree_base(document, claim) {
                Some(base) => snapshot::joined(base, path).trim_end_matches('/') == new.place,
                None => {
                    let named = new_path.named(now, corrected);
                    let is_true = match now.holds(corrected, new_claim) {
                        Holds::Yes => true,
                        // The end of one path only.
                        Holds::Perhaps => named.len() == 1,
                        Holds::No | Holds::Unknown(_) => false,
                    };
                    is_true && named.contains(&new.place)
                }
            };
            names_place.then_some(()).ok_or(OTHER)
        }
        _ => Err(UNREAD),
    }
}

fn is_same_kind(a: &Target, b: &Target) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}
