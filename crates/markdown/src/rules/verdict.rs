//! Whether a list item, a paragraph or a table row is a rule.

use cerberus_prose::lists::{
    CHANGES, CONDITION_STARTS, CONTRIBUTIONS, DOCUMENT_PHRASES, EXAMPLE_LABELS, INSTALL_VERBS,
    POINTER_VERBS, REASON_LABELS, RIGHT, SETUP_VERBS, TOOL_LABELS, WRONG,
};
use cerberus_prose::wording::{
    Modality, first_verb, has_pair, is_about_code, is_conditional, is_declarative, is_descriptive,
    is_negated, is_norm, is_offer, is_permitted, is_possible_command, modality, n_words_of_first,
    names_act, without_remarks, words,
};

use super::blocks::{CODE, Words};
use super::context::Kind;

/// The minimum number of words of an item that is a rule by its context.
const MIN_WORDS: usize = 2;

/// The maximum number of words of an item that is perhaps a rule because its siblings are.
const MAX_SIBLING_WORDS: usize = 24;

/// The minimum number of words of a bold instruction, unlike those of a label in bold.
const MIN_LEAD_WORDS: usize = 4;

/// The maximum number of words of a label before a command: "Run all tests: `make test`".
const MAX_LABEL_WORDS: usize = 3;

/// The maximum number of words between "before" and the change that it names.
const MAX_CONDITION_WORDS: usize = 5;

pub(super) const STATEMENT: &str = "a statement";
pub(super) const STEP: &str = "a step or a command";
pub(super) const NEED: &str = "a need, which may be a fact";
const REMARK: &str = "a demand in parentheses";
pub(super) const POINTER: &str = "where to read more";
pub(super) const INTRO: &str = "an introduction";
const DESCRIPTION: &str = "a description, not a rule";

/// What a text is, without and with its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Rule,
    /// A rule only after its introduction or its heading.
    InContext,
    /// Perhaps a rule, with the reason for the doubt.
    Doubtful(&'static str),
    /// Perhaps a rule if most of its siblings are rules.
    WithSiblings,
    Other(&'static str),
}

/// Judges a list item in the context of a heading or an introduction.
pub(super) fn item(item: &Words, kind: Option<Kind>) -> Verdict {
    let plain = item.plain.trim();
    let outside = without_remarks(plain);
    let with_remarks = modality(plain);
    let modality = modality(&outside).min(with_remarks);
    let n_words = words(plain).len();
    if plain.ends_with('?') {
        return Verdict::Other("a question");
    }
    if is_example(plain) {
        return Verdict::Other("an example");
    }
    if is_address(plain) {
        return Verdict::Other("links");
    }
    if modality < Modality::Obligation && is_reason(plain) {
        return Verdict::Other("a reason");
    }
    if kind == Some(Kind::Prohibitions) && n_words > 0 {
        let is_alone = is_negated(plain) && !names_act(plain);
        return if is_alone {
            Verdict::Rule
        } else {
            Verdict::InContext
        };
    }
    if item.is_link()
        || modality == Modality::Statement && (item.starts_with_link || is_reference(plain))
    {
        return Verdict::Other("links");
    }
    if modality == Modality::Statement && is_labelled_path(item) {
        return Verdict::Other("links");
    }
    let is_weak = modality < Modality::Obligation && !is_norm(&outside);
    let is_description = is_description_of_code(item) && !is_standing_condition(plain);
    if is_weak && (is_description || is_labelled_fact(plain)) {
        return Verdict::Other(DESCRIPTION);
    }
    if is_weak && first_verb(plain).is_some_and(|verb| INSTALL_VERBS.contains(&verb)) {
        return Verdict::Other(STEP);
    }
    let required = match kind {
        Some(Kind::Steps | Kind::Descriptions) if !is_standing_condition(plain) => {
            Modality::Obligation
        }
        _ => Modality::Command,
    };
    let names_document = item.has_link() || item.shown.contains(".md");
    let is_pointer = modality == Modality::Command
        && names_document
        && is_pointer(plain)
        && !is_conditional(plain);
    if is_pointer && required == Modality::Command {
        return Verdict::Doubtful(POINTER);
    }
    if modality >= required || (required == Modality::Command && is_norm(plain)) {
        return Verdict::Rule;
    }
    let can_be_rule = n_words >= MIN_WORDS && !ends_open(plain);
    if with_remarks == Modality::Obligation && can_be_rule {
        // "Structure a page by its use (never by its author)"
        let is_command = is_possible_command(plain);
        return if is_command {
            Verdict::Rule
        } else {
            Verdict::Doubtful(REMARK)
        };
    }
    match kind {
        Some(Kind::Steps) => Verdict::Other(STEP),
        None | Some(Kind::Rules) if modality == Modality::Need => Verdict::Doubtful(NEED),
        Some(Kind::Rules) if is_descriptive(plain) || is_about_code(plain) => {
            Verdict::Other(STATEMENT)
        }
        _ if is_offer(plain) => Verdict::Other("an offer"),
        None | Some(Kind::Rules) if can_be_rule && is_permitted(plain) => {
            Verdict::Doubtful("a permission")
        }
        Some(Kind::Rules) if can_be_rule && is_declarative(plain) => Verdict::Doubtful(STATEMENT),
        Some(Kind::Rules) if can_be_rule => Verdict::InContext,
        None if is_possible_command(plain) => Verdict::WithSiblings,
        None if can_be_rule
            && n_words_of_first(plain) <= MAX_SIBLING_WORDS
            && !is_descriptive(plain)
            && !is_declarative(plain) =>
        {
            Verdict::WithSiblings
        }
        _ if ends_open(plain) => Verdict::Other(INTRO),
        _ => Verdict::Other(STATEMENT),
    }
}

/// Returns whether a paragraph demands something of its reader. One that is followed by shell
/// commands may only introduce them.
pub(super) fn paragraph(own: &Words, kind: Option<Kind>, is_before_commands: bool) -> bool {
    let plain = own.plain.trim();
    // A callout without a text, "[!NOTE]", or a directive, "#fetch URL".
    let is_callout = plain.starts_with("[!") && plain.find(']') == Some(plain.len() - 1);
    let is_mark = is_callout || plain.starts_with('#');
    if plain.ends_with('?') || is_example(plain) || is_mark {
        return false;
    }
    let modality = modality(plain);
    let is_shown = is_before_commands && is_step(plain);
    if has_bold_command(own) && !is_shown || modality == Modality::Obligation {
        return true;
    }
    let is_instruction = modality == Modality::Command || is_norm(plain);
    let verb = first_verb(plain).unwrap_or_default();
    let is_other = kind == Some(Kind::Steps)
        || SETUP_VERBS.contains(&verb)
        || is_pointer(plain)
        || is_about_document(plain)
        || is_shown;
    is_instruction && !is_other
}

/// Returns whether a text says where to read more: "For details, see the handbook", unlike "Read the
/// handbook before you start".
fn is_pointer(plain: &str) -> bool {
    let verb = first_verb(plain).unwrap_or_default();
    let words = words(plain);
    let is_look = words.windows(3).any(|three| three == ["take", "a", "look"]);
    is_look || (POINTER_VERBS.contains(&verb) && !words.contains(&"before".to_owned()))
}

/// Returns whether the commands below a text are all that it asks for: "Run the tests:", unlike
/// "Before you commit, run:".
pub(super) fn is_step(plain: &str) -> bool {
    modality(plain) < Modality::Obligation && !is_norm(plain) && !is_standing_condition(plain)
}

/// Returns whether a paragraph starts with a bold instruction: "**Keep it short.** …".
pub(super) fn has_bold_command(own: &Words) -> bool {
    let Some(lead) = own
        .lead
        .as_deref()
        .filter(|lead| words(lead).len() >= MIN_LEAD_WORDS)
    else {
        return false;
    };
    let rest = own.plain[lead.len()..].trim_start();
    let is_sentence = lead.ends_with(['.', '!'])
        || rest.is_empty()
        || rest.starts_with(['.', ':', '(', '—', '–', '-']);
    let verb = first_verb(lead).unwrap_or_default();
    is_sentence
        && modality(lead) >= Modality::Command
        && !SETUP_VERBS.contains(&verb)
        && !POINTER_VERBS.contains(&verb)
}

/// Returns whether a paragraph says how the document itself is to be used.
fn is_about_document(plain: &str) -> bool {
    has_pair(&words(plain), &DOCUMENT_PHRASES)
}

/// Returns whether a text is a labelled example: "Good:", "❌ Wrong: …".
pub(super) fn is_example(plain: &str) -> bool {
    let plain = plain
        .trim()
        .trim_start_matches(['✅', '❌', '✓', '✗', '✔', '✘', '\u{FE0F}', ' ']);
    let first = plain.split([':', '(']).next().unwrap_or_default();
    let is_label = words(first).len() == 1 && is_example_label(&words(first)[0]);
    // "Examples: add one for each function" and "Examples (in a folder) must compile" are instructions.
    let rest = &plain[first.len()..];
    let rest = rest
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
        .map_or(rest, |it| it.1);
    is_label
        && modality(rest) == Modality::Statement
        && (first.len() < plain.len() || words(plain).len() == 1)
}

fn is_example_label(word: &str) -> bool {
    [&EXAMPLE_LABELS, &WRONG, &RIGHT]
        .iter()
        .any(|list| list.contains(word))
}

/// Returns whether a text is an address, perhaps with a word before it: `#fetch https://example.org`.
fn is_address(plain: &str) -> bool {
    let (label, address) = plain.rsplit_once(char::is_whitespace).unwrap_or_default();
    address.contains("://") && words(label).len() <= 1
}

pub(super) fn ends_open(plain: &str) -> bool {
    plain.trim_end().ends_with(':')
}

fn is_reference(plain: &str) -> bool {
    matches!(
        words(plain).first().map(String::as_str),
        Some("see" | "refer")
    )
}

/// Returns whether a text names a tool or a version after a label: "Framework: x", "Go: 1.22+".
fn is_labelled_fact(plain: &str) -> bool {
    let Some((label, value)) = plain.split_once(':') else {
        return false;
    };
    let is_tool = words(label)
        .last()
        .is_some_and(|last| TOOL_LABELS.contains(last));
    let version = value
        .trim_start()
        .trim_start_matches(['v', '>', '<', '=', '~', '^', '≥', ' ']);
    let number: String = version
        .chars()
        .take_while(|c| !c.is_whitespace() && *c != ',')
        .collect();
    let is_version = number.starts_with(|c: char| c.is_ascii_digit())
        && (number.contains('.') || number.ends_with('+') || value.trim_start().starts_with('v'));
    words(label).len() <= MAX_LABEL_WORDS
        && (is_tool || is_version)
        && modality(value) == Modality::Statement
}

/// Returns whether a text is a path after a label: "**Testing**: `docs/testing.md`".
fn is_labelled_path(item: &Words) -> bool {
    let value = item.plain.split_once(':').map(|(_, value)| value.trim());
    let path = item.shown.split_once(':').map(|(_, path)| path.trim());
    let is_code = value.is_some_and(|value| value.chars().all(|c| c == CODE));
    is_code && path.is_some_and(|path| path.contains('/') && !path.contains(char::is_whitespace))
}

/// Returns whether a text is an instruction for each change of a kind: "Run `x` after changing y".
pub(super) fn is_standing_condition(plain: &str) -> bool {
    let words = words(plain);
    words.iter().enumerate().any(|(word_idx, word)| {
        let mut rest = words[word_idx + 1..].iter().take(MAX_CONDITION_WORDS);
        let is_condition = match word.as_str() {
            "for" => false,
            "each" | "every" | "any" => true,
            word => CONDITION_STARTS.contains(word),
        };
        is_condition && rest.any(|word| CHANGES.contains(word) || CONTRIBUTIONS.contains(word))
    })
}

/// Returns whether a text is code with its description (`src/`: the sources) or a labelled
/// command ("Run: `make x`").
fn is_description_of_code(item: &Words) -> bool {
    let plain = item.plain.trim();
    let rest = after_codes(plain);
    let separators = [':', '-', '–', '—', '→', '(', '='];
    let is_command = |(label, rest): (&str, &str)| {
        // "Fast tests: `make quick` (without the database)"
        let rest = rest.split('(').next().unwrap_or_default();
        let is_code =
            rest.contains(CODE) && rest.chars().all(|c| c == CODE || !c.is_alphanumeric());
        // A single word of code, as in "Test files: `kebab-case.test.ts`", is a form.
        let code = item
            .shown
            .split_once(':')
            .map_or("", |(_, code)| code.trim());
        // "Wrap errors: `errors.Wrap(err)`" demands a form of code.
        let is_form = modality(label) == Modality::Command
            && (code.contains(['(', '{']) || code.contains(" = "));
        let is_label =
            words(label).len() <= MAX_LABEL_WORDS || modality(label) == Modality::Command;
        is_label && is_code && code.contains(char::is_whitespace) && !is_form
    };
    let is_described = plain.starts_with(CODE)
        && (rest.is_empty() || rest.starts_with(separators))
        && !rest.starts_with("(not ");
    is_described || plain.split_once(':').is_some_and(is_command)
}

/// Returns a text without the codes that it starts with: "`a`, `b` or `c` - the tests".
fn after_codes(plain: &str) -> &str {
    let mut rest = plain;
    loop {
        rest = rest.trim_start_matches([CODE, ',', '/', ' ', '+', '&']);
        let joined = rest.strip_prefix("or ").or(rest.strip_prefix("and "));
        match joined {
            Some(next) if next.starts_with(CODE) => rest = next,
            _ => return rest,
        }
    }
}

/// Returns whether a text starts with the label of a reason: "Rationale: …".
fn is_reason(plain: &str) -> bool {
    let plain = plain.trim_start_matches(|c: char| !c.is_alphanumeric());
    let label = plain
        .split([':', ']'])
        .next()
        .filter(|label| label.len() < plain.len());
    let words = label.map(words).unwrap_or_default();
    words.len() == 1 && REASON_LABELS.contains(&words[0])
}
