//! Claims about another project, which were true here by accident.
//!
//! A document describes another program, or the layout of the reader's project, or shows an idea in
//! code, with names of which this project had some once. Most of the others never existed here, and
//! that distinguishes them.

use std::collections::BTreeSet;

use cerberus_model::text::Span;
use rustc_hash::FxHashSet;

use crate::former::Former;
use crate::kinds::path::FilePath;
use crate::kinds::symbol::Symbol;
use crate::kinds::variable::Variable;
use crate::parse::Target;
use crate::project::{Position, Project};
use crate::report::{Document, Finding, Verdict};

/// Separates claims that were true into those about other projects and the others. `findings` are
/// all other claims that fail now.
pub(super) fn split(
    project: Project<'_>,
    findings: &[Finding],
    former: Vec<Former>,
) -> (Vec<Former>, Vec<Former>) {
    let position = |it: &Finding| (it.document_idx, it.claim_idx);
    let is_never = |it: &&Finding| it.verdict == Verdict::NeverTrue;
    let failing: FxHashSet<Position> = findings.iter().map(position).collect();
    let never: FxHashSet<Position> = findings.iter().filter(is_never).map(position).collect();
    let known: FxHashSet<Position> = former.iter().map(|it| it.at).collect();
    let variables = foreign_variables(project, &never, &known);
    former.into_iter().partition(|it| {
        let (document, claim) = project.claim(it.at);
        match &claim.target {
            Target::Variable(Variable(name)) => variables.contains(&(it.at.0, prefix_of(name))),
            Target::Path(FilePath { .. }) | Target::Symbol(Symbol { .. }) => {
                document.claims.drawn(claim).is_some_and(|span| {
                    let at = |idx: usize| (it.at.0, idx);
                    let n_never = count_within(document, span, |idx| never.contains(&at(idx)));
                    let n_true = count_within(document, span, |idx| !failing.contains(&at(idx)));
                    n_never > n_true
                })
            }
            _ => false,
        }
    })
}

/// Returns the prefixes of the variables of which a document names more that never were used than
/// that were: it describes another program, which code here used.
fn foreign_variables<'d>(
    project: Project<'d>,
    never: &FxHashSet<Position>,
    known: &FxHashSet<Position>,
) -> BTreeSet<(usize, &'d str)> {
    let names = |claims: &FxHashSet<Position>| -> BTreeSet<(usize, &'d str, &'d str)> {
        let name = |at: &Position| match &project.claim(*at).1.target {
            Target::Variable(Variable(name)) => Some((at.0, prefix_of(name), name.as_str())),
            _ => None,
        };
        claims.iter().filter_map(name).collect()
    };
    let (never, known) = (names(never), names(known));
    let count = |names: &BTreeSet<(usize, &str, &str)>, it: &(usize, &str)| {
        names.iter().filter(|name| (name.0, name.1) == *it).count()
    };
    let prefixes = known.iter().map(|it| (it.0, it.1));
    prefixes
        .filter(|it| count(&never, it) > count(&known, it))
        .collect()
}

/// Returns the number of claims of a tree for which `is_counted` is true.
fn count_within(document: &Document, tree: Span, is_counted: impl Fn(usize) -> bool) -> usize {
    let claims = document.claims.claims.iter().enumerate();
    claims
        .filter(|(idx, claim)| contains(tree, claim.span) && is_counted(*idx))
        .count()
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Returns the first word of a variable's name, which is that of its program.
fn prefix_of(name: &str) -> &str {
    name.split('_').next().unwrap_or(name)
}
