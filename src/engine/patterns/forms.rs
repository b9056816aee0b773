//! The forms of sentences that forbid names or require arguments, as regular expressions.
//!
//! Compiling one of them takes up to a millisecond, as long as everything else that showing a memory does. So
//! each is compiled for the first text that has one of its words.

use std::sync::OnceLock;

use regex::{Captures, Regex};

/// The characters that take the places of names.
const NAME: &str = r"[\u{E000}-\u{F8FF}]";
const MODIFIERS: &str = r"(?:(?:the|a|an|any|raw|direct|directly|bare|plain|naked|global|native|built-in|builtin|standard|legacy|old|explicit|use of|usage of|calls to|imports from|imports of|type|types)\s+)*(?:(?-i:[A-Z])[\w.'-]*\s+)?";
const VERBS: &str = r"(?:(?:ever\s+)?(?P<verb>use|uses|using|call|calling|import|importing|reach\s+for|rely\s+on|relying\s+on|invoke|invoking|access|accessing|cast\s+to|casting\s+to|throw|throwing|raise|raising|catch|catching|add|adding|leave|leaving|write|writing)\s+)";
/// Words after a name that do not limit the ban.
const NOUNS: &str = r"(?:\s+(?:directly|anywhere|ever|at all|calls?|statements?|types?|type assertions?|assertions?|casts?|imports?|keyword|operators?|methods?|functions?|hooks?|components?|library|package|decorators?|annotations?|macros?|syntax|clauses?|everywhere|again|globally|blocks?|comments?|suppressions?|expressions?|loops?))*";

/// A form of a sentence.
pub(super) struct Form {
    /// Lower-case words of which each text of this form has at least one. If empty, any text may have it.
    words: &'static [&'static str],
    pattern: fn() -> String,
    regex: OnceLock<Regex>,
}

impl Form {
    const fn new(words: &'static [&'static str], pattern: fn() -> String) -> Self {
        Self { words, pattern, regex: OnceLock::new() }
    }

    /// Returns the expression if a text may have this form.
    fn for_text(&self, text: &str) -> Option<&Regex> {
        if !self.words.is_empty() {
            let text = text.to_lowercase();
            self.words.iter().find(|word| text.contains(**word))?;
        }
        let compile = || Regex::new(&(self.pattern)()).expect("the forms are valid");
        Some(self.regex.get_or_init(compile))
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.for_text(text)?.captures(text)
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.for_text(text).is_some_and(|regex| regex.is_match(text))
    }

    /// Returns the places of all matches.
    pub(super) fn find_all<'t>(&self, text: &'t str) -> Vec<regex::Match<'t>> {
        self.for_text(text).map(|regex| regex.find_iter(text).collect()).unwrap_or_default()
    }
}

fn list() -> String {
    format!(
        r"(?P<names>{NAME}(?:(?:\s*,\s*(?:or\s+|and\s+|nor\s+)?|\s+or\s+|\s+and\s+|\s+nor\s+|\s*/\s*){MODIFIERS}{NAME})*)"
    )
}

/// `never use x`
pub(super) static BAN: Form = Form::new(
    &[
        "never",
        "don't",
        "dont",
        "do not",
        "must not",
        "mustn't",
        "mustnt",
        "avoid",
        "no ",
        "forbid",
        "not allowed to",
    ],
    || {
        let list = list();
        format!(
            r"(?i)^(?P<before>.*?)\b(?P<refusal>never|don'?t|do\s+not|must\s+not|mustn'?t|avoid|no|forbid|not\s+allowed\s+to)\s+(?:directly\s+)?{VERBS}?{MODIFIERS}{list}{NOUNS}(?P<after>.*)$"
        )
    },
);

/// `use x instead of y`
pub(super) static ALTERNATIVE: Form = Form::new(
    &["instead of", "rather than", "in place of", "not"],
    || {
        format!(
            r"(?i)^(?P<before>.*?)\b(?:always\s+|must\s+)?(?P<verb>use|using|import|call|throw|raise)\s+{MODIFIERS}(?P<instead>{NAME})[^.;{FIRST_TO_LAST}]*?[\s,(]+(?:instead\s+of|rather\s+than|in\s+place\s+of|not)\s+(?:using\s+|calling\s+)?{MODIFIERS}(?P<names>{NAME}(?:(?:\s+or\s+|\s*/\s*){NAME})*){NOUNS}(?P<after>.*)$",
            FIRST_TO_LAST = r"\u{E000}-\u{F8FF}"
        )
    },
);

/// `x is forbidden`
pub(super) static PASSIVE: Form = Form::new(
    &["forbidden", "banned", "prohibited", "not allowed", "disallowed"],
    || {
        let list = list();
        format!(
            r"(?i)^(?P<before>.*?){list}{NOUNS}\s+(?:is|are)\s+(?:strictly\s+)?(?:forbidden|banned|prohibited|not\s+allowed|disallowed)(?P<after>.*)$"
        )
    },
);

/// `always pass x to y`
pub(super) static ARGUMENT: Form = Form::new(&["always", "must"], || {
    format!(
        r"(?i)^(?:always|must)\s+(?:pass|set|specify|provide|include)\s+(?:an?\s+|the\s+)?(?:explicit\s+)?(?P<argument>{NAME})\s+(?:argument\s+|parameter\s+|option\s+)?(?:to|in|on|for|with|when\s+calling)\s+(?:every\s+|each\s+|all\s+)?(?:calls?\s+(?:to|of)\s+)?(?P<call>{NAME})(?:\s+calls?)?\s*\.?$"
    )
});

/// Words that limit a rule to some situation.
pub(super) static CONDITION: Form = Form::new(&[], || {
    r"(?i)\b(?:when|whenever|if|unless|until|while|where|without|only|except|other than|outside|before|after|during|within|inside|more than|between|since|once|for|prefer|generally|usually|sparingly|possible|necessary|needed|inside|as a|as an)\b".to_owned()
});

/// Words after a name that do not limit the ban.
pub(super) static FREE_TAIL: Form = Form::new(&[], || {
    r"(?i)^\s*(?:directly\s*)?(?:in\s+(?:production|application|new|our|the|this|any|all)\s+(?:production\s+|application\s+)?(?:code|codebase|code\s+base|repo|repository|project|files?|packages?)\s*)?(?:$|[.;:,!()]|—|–|-\s|→|\s*(?:use|prefer)\s|instead\b)".to_owned()
});

/// Words that say what something is used for.
pub(super) static PURPOSE: Form = Form::new(&[], || {
    r"(?i)\b(?:to|for|when|whenever|if|while|as|during|where|inside|within)\b".to_owned()
});

/// `outside x`
pub(super) static OUTSIDE: Form = Form::new(&[], || {
    format!(
        r"(?i)^\s*(?:outside(?:\s+of)?|except\s+in|other\s+than\s+in)\s+(?:the\s+)?(?P<paths>{NAME}(?:(?:\s*,\s*|\s+and\s+|\s+or\s+){NAME})*)(?:\s+(?:folder|directory|file|module|package))?\s*[.;)]?$"
    )
});

/// `in x`
pub(super) static INSIDE: Form = Form::new(&[], || {
    format!(
        r"(?i)^\s*(?:in|inside|under|within)\s+(?:the\s+)?(?P<paths>{NAME}(?:(?:\s*,\s*|\s+and\s+|\s+or\s+){NAME})*)(?:\s+(?:folder|directory|file|module|package))?\s*[.;)]?$"
    )
});

/// `prefer x`
pub(super) static RECOMMENDED: Form =
    Form::new(&["use", "using", "prefer", "call", "via", "with"], || {
        format!(r"(?i)\b(?:use|using|prefer|call|via|with)\s+(?:[\w'-]+\s+){{0,2}}\(?{NAME}")
    });

/// The start of a sentence that refuses what follows.
pub(super) static REFUSAL: Form =
    Form::new(&["never", "don't", "dont", "not", "avoid", "no"], || {
        r"(?i)\b(?:never|don'?t|not|avoid|no)\b[^;,]*$".to_owned()
    });

/// A refusal without a verb as a whole sentence.
pub(super) static BARE_REFUSAL: Form = Form::new(&["never", "not ", "no "], || {
    format!(r"(?i)^\W*(?:never|not|no)\s+{MODIFIERS}{NAME}")
});

/// `use x for y`
pub(super) static FOR: Form =
    Form::new(&["for", "when", "if"], || format!(r"(?i){NAME}[^;:]*?\b(?:for|when|whenever|if)\s"));

/// Words after a refused name that are not about all its uses.
pub(super) static LIMITING_TAIL: Form = Form::new(&[], || {
    r"(?i)^\s+(?:in|on|at|to|alias(?:es)?|syntax|names?|prefix(?:es)?|suffix(?:es)?|variables?|fields?|props?|keys?|values?|files?|folders?|arguments?|parameters?|options?|blocks?)\b".to_owned()
});

/// `in tests`
pub(super) static IN_TESTS: Form =
    Form::new(&["test"], || r"(?i)\b(?:in|for|of)\s+(?:the\s+)?(?:\w+\s+)?tests?\b".to_owned());

/// A list that goes on in words, and that a place limits: `never x, or write to y from z`.
pub(super) static CONTINUED_LIST: Form = Form::new(&["or", "and"], || {
    r"(?i)^\s*,?\s*(?:or|nor|and)\s.*\b(?:from|in|inside|within|under|into)\s".to_owned()
});
