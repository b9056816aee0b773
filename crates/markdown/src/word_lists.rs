//! The word lists by which rules and links are recognised. The files in `words/` say what
//! each list is for. English only.

use cerberus_model::word_lists;

word_lists! { "words/code_examples.txt": BAD_WORDS GOOD_WORDS BAD_MARKED GOOD_MARKED }
