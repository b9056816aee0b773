//! The word lists by which claims are recognised. `words/claims.txt` says what each list is for. English
//! only.

use cerberus_model::word_lists;

word_lists! { "words/claims.txt":
    FILE_NAMES RUNTIMES ABSENT ABSENT_AFTER FORBIDDEN SHELLS PROGRAMS PREFIXES MANAGER_COMMANDS
    CARGO_COMMANDS WITHOUT_PATHS WITH_VALUE
}
