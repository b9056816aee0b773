//! The word lists by which claims are recognised. `words/claims.txt` says what each list is for. English
//! only.

use cerberus_model::word_lists;

word_lists! { "words/claims.txt":
    FILE_NAMES RUNTIMES OTHER_KINDS SHELLS MANAGER_COMMANDS CARGO_COMMANDS CREATING WITH_VALUE
    FOLDER_OPTIONS PACKAGE_OPTIONS RECURSIVE_OPTIONS TURBO_COMMANDS DEFINING FILE_NOUNS VERSION_WORDS
}
