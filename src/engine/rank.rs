//! Which code shows a rule, and how alike two pieces of code are: words, weights and
//! scores over statistics passed in.
//!
//! [`tokenize`] turns text into terms, [`raw_words`] remembers them by a [`word_map`],
//! [`dictionary`] packs the terms' ids, [`vector`] a file's terms, [`document`] those of its
//! symbols, [`rule`] reads a rule, [`score`] weighs a file or a symbol against it,
//! [`phrases`] looks at words side by side, [`place`] at what a path says, [`calibrate`]
//! makes scores mean something; [`fusion`] makes one order of a search's lanes;
//! [`likeness`] weighs the evidence that one symbol became another, [`polarity`] tells
//! rules that ask for opposite things. Pure functions of their arguments: no file, no
//! store, no clock, no thread.

pub(crate) mod calibrate;
pub(crate) mod contradiction;
pub(crate) mod dictionary;
pub(crate) mod document;
pub(crate) mod fusion;
pub(crate) mod path_class;
pub(crate) mod phrases;
pub(crate) mod postings;
pub(crate) mod query;
pub(crate) mod score;
pub(crate) mod similarity;
pub(crate) mod token_cache;
pub(crate) mod tokenize;
pub(crate) mod word_map;
