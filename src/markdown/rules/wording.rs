//! How a sentence is worded: as a demand, as a command, or as a statement. English only.

use super::blocks::CODE;

/// How strongly a text tells its reader to do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Force {
    /// It states something.
    None,
    /// It opens with a verb in the imperative.
    Command,
    /// It says must, never, always and the like.
    Demand,
}

/// Words that demand wherever they stand.
const DEMANDS: &[&str] = &[
    "must",
    "mustn't",
    "should",
    "shouldn't",
    "shall",
    "never",
    "always",
    "avoid",
    "prefer",
    "preferred",
    "forbidden",
    "prohibited",
    "disallowed",
    "mandatory",
    "required",
];

/// Pairs of words that demand wherever they stand.
const DEMANDING_PAIRS: &[(&str, &str)] = &[
    ("must", "not"),
    ("not", "allowed"),
    ("make", "sure"),
    ("be", "sure"),
    ("need", "to"),
    ("needs", "to"),
    ("have", "to"),
    ("has", "to"),
    ("may", "not"),
    ("please", "do"),
];

/// What may stand before a verb in the imperative.
const OPENERS: &[&str] = &[
    "please",
    "also",
    "then",
    "first",
    "finally",
    "next",
    "just",
    "instead",
    "otherwise",
    "so",
    "and",
    "but",
    "only",
    "explicitly",
    "strictly",
    "simply",
    "generally",
    "usually",
    "whenever",
];

/// What opens a condition, which a comma ends.
const CONDITIONS: &[&str] = &[
    "when", "if", "for", "in", "before", "after", "once", "unless", "while", "to", "on", "at",
    "with", "under", "whenever", "during", "as", "where", "from", "by", "until", "without",
    "inside", "outside", "within", "given", "via",
];

/// Verbs that open a rule and are hardly ever nouns there.
const VERBS: &str = "
    accept adapt add adhere adopt align allow annotate answer append apply ask assert assign
    assume attach avoid await batch be become begin benchmark bind borrow break bring bump bundle
    call cap capitalize carry cast catch centralize chain check choose clean clear close co-locate
    collapse combine commit compare compose configure confirm consider consolidate construct
    consult convert coordinate copy cover create deal debounce declare decouple defer define
    delegate delete deny depend deploy derive describe destructure detect disable discuss dispose
    do document drop duplicate edit eliminate emit employ enable encapsulate encrypt enforce
    ensure enter escape establish evaluate exclude exercise exit expect explain export expose
    express extend externalize extract fail fall favor favour fetch fill find finish fix flag
    flush focus follow fork format get give go group guard handle harden hash hide hoist hold
    honor identify ignore implement import improve include increase indent index inherit
    initialise initialize inject inline insert install instantiate interpolate introduce
    investigate invoke isolate issue iterate join justify keep know label land launch learn leave
    let leverage limit link lint list load localize lock log look lower maintain make map mark
    match memoise memoize merge migrate mimic minimise minimize mirror mock model modify
    modularize mount move name narrow nest never normalise normalize note obtain omit open
    optimise optimize order organise organize override own pad paginate pair parse pass patch
    perform permit persist pick pin place populate post postpone precompute prefer prefix preload
    prepare prepend present preserve prevent print prioritize profile promote propagate propose
    protect prove provide publish pull purge push put query quote raise re-export reach react read
    rebase rebuild recheck recompute reconcile record recover redirect reduce refactor refer
    regenerate register reject release reload rely remember remove rename render repair repeat
    replace reply report represent reproduce require rerun reserve reset resist resolve respect
    respond restrict retain retry return reuse revert review reword rewrite rotate round route run
    sample sanitise sanitize save scan schedule scope script search secure seed seek select send
    separate serialize serve set share ship shorten show sign simplify skip slice snapshot sort
    spawn specify spell split squash stage standardize start state stay stick stop store stream
    stringify strip strive structure stub submit subscribe substitute summarize supply support
    suppress surround switch sync tag take target tell terminate test think throttle throw tidy
    toggle trace track transform translate treat trim truncate trust try tune turn type-check
    uncomment understand undo unify unit-test unsubscribe unwrap update upload use utilise utilize
    validate verify version view visit wait walk warn watch work wrap write yield
";

/// Verbs that are as often nouns or adjectives: what follows has to be an object.
const DOUBTFUL: &str = "
    access batch benchmark build bundle cache cap cast chain change check clean comment commit
    complete configure control copy cover design document duplicate exercise export flag focus
    format group import index inline issue label land launch limit link lint list load lock log
    map mark match mock model name note open order own pair patch place plan post prefix present
    print process profile query quote record release report reset review round route sample
    schedule scope script search secure seed set share ship sign slice snapshot stage start state
    stream structure stub support switch tag target test throttle trace track type update version
    view watch work
";

/// What an object begins with.
const OBJECTS: &[&str] = &[
    "the",
    "a",
    "an",
    "all",
    "any",
    "every",
    "each",
    "your",
    "our",
    "its",
    "their",
    "this",
    "that",
    "these",
    "those",
    "only",
    "new",
    "existing",
    "no",
    "both",
    "one",
    "it",
    "them",
    "for",
    "with",
    "in",
    "to",
    "by",
    "up",
    "out",
    "off",
    "on",
    "at",
    "as",
    "into",
    "before",
    "after",
    "if",
    "whether",
    "what",
    "how",
    "why",
    "not",
    "onto",
    "explicit",
    "public",
    "private",
    "related",
    "unused",
    "proper",
    "clear",
    "descriptive",
    "meaningful",
    "consistent",
    "small",
];

/// Returns how strongly a text demands something of its reader.
pub(super) fn force(plain: &str) -> Force {
    let clauses = sentences(plain).flat_map(|sentence| {
        let clauses: Vec<Vec<String>> = sentence.split([',', '(']).map(words).collect();
        clauses.into_iter().enumerate().map(|(at, words)| (at == 0, words)).collect::<Vec<_>>()
    });
    let mut found = Force::None;
    let mut in_condition = false;
    for (is_first, words) in clauses {
        if demands(&words) {
            return Force::Demand;
        }
        if is_first {
            in_condition = words.first().is_some_and(|first| CONDITIONS.contains(&first.as_str()));
        }
        if (is_first || in_condition) && is_command(&words) {
            found = Force::Command;
        }
    }
    found
}

/// Returns whether a heading or an introduction says that what follows is not to be done.
pub(super) fn prohibits(plain: &str) -> bool {
    const MAX_WORDS: usize = 10;
    const PROHIBITING: &[&str] = &[
        "never",
        "avoid",
        "don't",
        "dont",
        "don'ts",
        "donts",
        "forbidden",
        "prohibited",
        "banned",
        "disallowed",
        "anti-pattern",
        "anti-patterns",
        "antipatterns",
        "mistakes",
        "pitfalls",
        "mustn't",
        "shouldn't",
        "cannot",
    ];
    let words = words(plain);
    let is_negated = |at: usize| {
        let helper = at.checked_sub(1).map(|at| words[at].as_str()).unwrap_or_default();
        words[at] == "not"
            && matches!(helper, "do" | "must" | "should" | "to" | "is" | "are" | "may")
    };
    // "Do's and don'ts" holds both.
    let is_both = words.iter().any(|word| matches!(word.as_str(), "do's" | "dos" | "do"))
        && words.iter().any(|word| word.starts_with("don"));
    words.len() <= MAX_WORDS
        && !is_both
        && !is_conditional(plain)
        && (0..words.len()).any(|at| PROHIBITING.contains(&words[at].as_str()) || is_negated(at))
}

/// Returns whether a text forbids by itself.
pub(super) fn is_negative(plain: &str) -> bool {
    let words = words(plain);
    words.iter().any(|word| {
        matches!(word.as_str(), "never" | "avoid" | "not" | "no" | "cannot")
            || word.ends_with("n't")
    }) || plain.trim_start().starts_with(['❌', '🚫', '⛔'])
}

/// Returns whether a text says first when it holds.
pub(super) fn is_conditional(plain: &str) -> bool {
    const OPENERS: &[&str] =
        &["if", "when", "whenever", "unless", "before", "after", "once", "while", "for"];
    words(plain).first().is_some_and(|first| OPENERS.contains(&first.as_str()))
}

/// Returns whether a text opens as a description does: "Uses x", "Provides x".
pub(super) fn describes(plain: &str) -> bool {
    let words = words(plain);
    let Some(first) = words.first() else { return false };
    let verb = first.strip_suffix('s').or_else(|| first.strip_suffix("es")).unwrap_or_default();
    let has = |list: &str| list.split_whitespace().any(|word| word == verb);
    has(VERBS) && !has(DOUBTFUL)
}

/// Returns the words of a text, lower-cased, each inline code as one.
pub(super) fn words(text: &str) -> Vec<String> {
    let is_in_word = |c: char| c.is_alphanumeric() || c == CODE || matches!(c, '\'' | '-' | '_');
    let text = text.replace('’', "'");
    let words = text.split(|c: char| !is_in_word(c));
    let words = words.map(|word| word.trim_matches(['\'', '-', '_']).to_lowercase());
    words.filter(|word| !word.is_empty()).collect()
}

fn sentences(plain: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let bytes = plain.char_indices().collect::<Vec<_>>();
    for (n, (at, c)) in bytes.iter().enumerate() {
        let next = bytes.get(n + 1).map_or(' ', |(_, next)| *next);
        let ends_here = matches!(c, '—' | '–' | '→')
            || (matches!(c, '.' | '!' | '?' | ';' | ':') && next.is_whitespace())
            || (*c == '-' && next.is_whitespace());
        if ends_here {
            ends.push((start, *at));
            start = at + c.len_utf8();
        }
    }
    ends.push((start, plain.len()));
    ends.into_iter().map(|(start, end)| &plain[start..end])
}

fn demands(words: &[String]) -> bool {
    // "This will have to wait" tells what is to come.
    let foretells =
        |at: usize| at > 0 && matches!(words[at - 1].as_str(), "will" | "would" | "might");
    let pairs = words.windows(2).enumerate().any(|(at, pair)| {
        let is_pair = |known: &&(&str, &str)| pair[0] == known.0 && pair[1] == known.1;
        DEMANDING_PAIRS.iter().any(|known| is_pair(&known)) && !foretells(at)
    });
    // "They don't" states; "don't", "and do not" demand.
    let forbids = (0..words.len()).any(|at| {
        let is_negated = words[at] == "don't"
            || (words[at] == "do" && words.get(at + 1).is_some_and(|next| next == "not"));
        let is_addressed = || matches!(words[at - 1].as_str(), "please" | "also" | "then" | "you");
        let is_joined = || matches!(words[at - 1].as_str(), "and" | "but") && is_command(words);
        is_negated && (at == 0 || is_addressed() || is_joined())
    });
    // "Required fields" are no demand, "x is required" is.
    let demanding = words.iter().enumerate().any(|(at, word)| {
        DEMANDS.contains(&word.as_str())
            && (!matches!(word.as_str(), "required" | "preferred")
                || (at > 0 && matches!(words[at - 1].as_str(), "is" | "are" | "be")))
    });
    pairs || forbids || demanding
}

fn is_command(words: &[String]) -> bool {
    let is_opener = |word: &String| OPENERS.contains(&word.as_str()) || word.ends_with("ly");
    let rest: Vec<&String> = words.iter().skip_while(|word| is_opener(word)).collect();
    let (Some(verb), Some(next)) = (rest.first(), rest.get(1)) else { return false };
    let has = |list: &str| list.split_whitespace().any(|word| word == *verb);
    if has(DOUBTFUL) {
        return next.starts_with(CODE) || OBJECTS.contains(&next.as_str());
    }
    has(VERBS) && !matches!(next.as_str(), "is" | "are" | "of" | "was")
}
