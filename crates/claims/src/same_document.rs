//! Claims that another part of their document makes right: an example that defines a name, a link to
//! a file.

use super::now::{Holds, Now};
use super::{snapshot, words};
use crate::prelude::*;

/// Returns whether an example in the document itself defines the name of a claim. `defined` are the
/// names that the examples define, once they are known.
pub(super) fn is_example<'d>(
    document: &'d Document,
    claim: &Claim,
    defined: &mut Option<FxHashSet<&'d str>>,
) -> bool {
    let Target::Symbol { parts, .. } = &claim.target else { return false };
    let defined = defined.get_or_insert_with(|| {
        let code = document.claims.examples.iter().map(|span| span.slice(&document.text));
        code.flat_map(words::defined_in).collect()
    });
    parts.last().is_some_and(|name| defined.contains(name.as_str()))
}

/// Returns whether a claim is the text of a link whose destination exists.
pub(super) fn is_text_of_link(now: &Now, document: &Document, claim_idx: usize) -> bool {
    let [claim, link, ..] = &document.claims.claims[claim_idx..] else { return false };
    let between = document.text.get(claim.span.end..link.span.start);
    matches!(between, Some("`](" | "]("))
        && matches!(link.target, Target::Path { is_link: true, .. })
        && matches!(now.holds(document, link), Holds::Yes)
}

/// Returns whether a claim is the name of a file to which the document has a link. `linked` are these names, once
/// they are known.
pub(super) fn is_linked<'d>(
    now: &Now,
    (document, claim): (&'d Document, &Claim),
    linked: &mut Option<FxHashSet<&'d str>>,
) -> bool {
    let Target::Path { path, part: None, is_link: false } = &claim.target else { return false };
    let names = || {
        let name = |it: &'d Claim| match &it.target {
            Target::Path { path, is_link: true, .. } => {
                matches!(now.holds(document, it), Holds::Yes).then(|| snapshot::last(path))
            }
            _ => None,
        };
        document.claims.claims.iter().filter_map(name).collect()
    };
    linked.get_or_insert_with(names).contains(path.as_str())
}
