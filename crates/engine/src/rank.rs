//! Ranking formulas: which code shows a rule, and how similar two pieces of code are.
//!
//! - [`tokenize`] splits text into terms, [`token_cache`] caches the terms of raw words (in a
//!   [`word_map`]), [`word_lists`] has the stop words and other lists,
//!   [`weights`] the weights.
//! - [`dictionary`], [`postings`] and [`document`] pack term ids, the terms of a file and the
//!   terms of its symbols into bytes.
//! - [`query`] parses a rule or a search query, [`score`] scores files and symbols against it,
//!   [`named_code`] finds the code that a rule names, [`roles`] which of it the rule demands and forbids,
//!   [`code_form`] finds these forms in code, [`rule_kind`] decides whether code can show
//!   a rule, [`moment`] at which moment of the work it matters, [`phrases`] finds adjacent words, [`path_class`] classifies paths,
//!   [`rule_words`] marks the words of a rule in lines of code, [`relevance`] scores whether a rule
//!   is relevant to a file, an edit or a task, [`imports`] finds the lines of a file that import names.
//! - [`calibrate`] turns scores into probabilities, [`fusion`] merges the rankings of a search.
//! - [`similarity`] scores whether one symbol became another.
//!
//! All functions are pure: they access no file, store, clock or thread.

pub mod calibrate;
pub(crate) mod code_form;
pub(crate) mod code_mentions;
pub(crate) mod dictionary;
pub(crate) mod document;
pub mod fusion;
pub(crate) mod imports;
pub mod moment;
pub(crate) use cerberus_prose::named_code;
pub mod path_class;
pub(crate) mod phrases;
pub mod postings;
pub mod query;
pub mod relevance;
pub(crate) use cerberus_prose::roles;
pub mod rule_kind;
pub mod rule_words;
pub(crate) mod score;
pub(crate) mod similarity;
pub(crate) mod token_cache;
pub mod tokenize;
pub(crate) mod weights;
mod word_lists;
mod word_map;
