//! What most modules of this folder use, as in `use crate::track::prelude::*`.

pub(super) use crate::prelude::*;
pub(super) use crate::syntax::fingerprint::{
    self, bytes_hash, hashed_words, name_hash, short_hash, split_name, word_hashes,
};
pub(super) use crate::syntax::{ParsedFile, language, minhash};
pub(super) use crate::tree::git::{self, Change, Commits, Comparison, Objects};
pub(super) use crate::tree::read;

pub(super) use super::assign::{self, Assignment};
pub(super) use super::file_symbols::{ALL, FileSymbol, FileSymbols, find_file, split_path};
pub(super) use super::in_place::{in_place_match, last_name, same_name, similarity};
pub(super) use super::line_diff::LineDiff;
pub(super) use super::search::{self, Candidates, MissingAnchor, Pair, Prefilter};
pub(super) use super::walk::{End, Walk};
pub(super) use super::weights::WEIGHTS;
pub(super) use super::{
    Degree, FoundSymbol, MIN_TOKENS, Outcome, Step, are_compatible, look_alikes, stayed,
};
