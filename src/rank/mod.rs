//! Which code shows a rule: words, weights and scores over statistics passed in.
//!
//! [`tokenize`] turns text into terms, [`vector`] packs a file's terms, [`rule`]
//! reads a rule, [`score`] weighs a file or a symbol against it. Pure functions of
//! their arguments: no file, no store, no clock, no thread.

pub(crate) mod calibrate;
pub(crate) mod likeness;
pub(crate) mod rule;
pub(crate) mod score;
pub(crate) mod tokenize;
pub(crate) mod vector;
