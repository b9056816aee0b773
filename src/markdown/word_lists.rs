//! The word lists by which rules, links and claims are recognised. The files in `words/` say what
//! each list is for. English only.

use crate::text::WordList;

/// Declares lists, each the section of a file that has its name.
macro_rules! lists {
    ($file:literal: $($name:ident)*) => {
        $(pub(super) static $name: WordList =
            WordList::section(include_str!($file), stringify!($name));)*
    };
}

lists! { "words/rules.txt":
    MODALS OPENERS CONDITIONS CONDITION_STARTS VERBS AMBIGUOUS_VERBS OBJECT_STARTS DETERMINERS
    FUNCTION_WORDS PROHIBITIONS NEGATIONS EXAMPLE_LABELS REASON_LABELS TOOL_LABELS
    RULE_INTROS STEP_INTROS EMPHASES OPEN_ENDS
    POINTER_VERBS ADVERB_SUBJECTS STATEMENT_VERBS SETUP_VERBS INSTALL_VERBS
    CHANGE_CONDITIONS CHANGES CONTRIBUTIONS RULE_TITLES SETUP_TITLES STEP_TITLES
    DESCRIPTION_TITLES DO_COLUMNS DONT_COLUMNS RULE_COLUMNS MODAL_PHRASES DEMAND_PHRASES
    CHOICE_PHRASES NEGATED_PHRASES DOCUMENT_PHRASES PROCEDURE_TITLES
}

lists! { "words/links.txt":
    REFACTORS PLANS DEBUGS MENTIONS SUPERSEDES EXTENDS CONTRADICTS DEPENDS_ON
}

lists! { "words/claims.txt":
    FILE_NAMES RUNTIMES ABSENT ABSENT_AFTER FORBIDDEN
}
