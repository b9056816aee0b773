//! Decides whether what documents say about their project is still true.
//!
//! Time decides: a claim that fails now is stale only if it was true in the tree of the commit that
//! wrote its line. Everything else that fails was never true here: an example, a placeholder, the
//! name of something in another project. So no list of exceptions is needed.
//!
//! 1. Each claim is compared with the tree as it is: one list of the tracked files, the manifests,
//!    and one pass over the code for all names together. Each kind of claim is a file of [`kinds`].
//! 2. For the claims that fail, the versions of their documents name the commits that wrote their
//!    lines ([`origin`]), and each claim is compared with the tree of its commit ([`then`]). If it
//!    fails there too, the line may have been rewritten meanwhile: the oldest version that names
//!    the target is compared as well. A line that was in another document before is as old as there
//!    ([`moved`]).
//! 3. For the claims that were true, the commit that removed their target ([`ends`]) and its new
//!    place are searched ([`removal`]). Kind, place and document decide whether they are errors or
//!    warnings ([`level`]).
//! 4. Of those that never were, a few are mistakes of their writer ([`mistakes`]).

pub mod addresses;
mod checker;
mod corrected;
mod ends;
mod foreign;
mod former;
mod gone;
mod kinds;
mod known;
mod level;
mod manifests;
mod meant;
mod mistakes;
mod moved;
mod now;
mod origin;
pub mod parse;
mod paths;
mod project;
mod removal;
pub mod report;
pub mod rules;
mod snapshot;
mod then;
mod versions;
mod words;

pub use checker::check;
