//! The roles of the code that a rule names: what the rule says about it, or which relation to it the rule asks for.

use super::{Span, SpanKind, last_word};
use crate::lists::{ANNOTATING, DERIVING, PLACING, POINTING, USING};

/// The role of code in the text that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The text is about it, or points at it: it opens a sentence, follows a word such as "see", or is joined to a
    /// name that does.
    Subject,
    /// The text asks for its use: it is the object of a verb such as "use", or joined to such an object.
    Used,
    /// The text asks for types that are derived from it: "extend", "implement".
    Base,
    /// The text asks for definitions that are marked with it: "decorate with".
    Mark,
    /// The text asks for a line in it: "register in". Only paths have this role.
    Place,
    Other,
}

/// Returns the role of each span of a text.
pub fn roles(text: &str, spans: &[Span]) -> Vec<Role> {
    let mut roles = Vec::with_capacity(spans.len());
    let mut end = 0;
    for span in spans {
        let before = text.get(end..span.range.start).unwrap_or_default();
        let is_type = text[span.range.clone()].contains(|c: char| c.is_ascii_uppercase());
        roles.push(
            match relation_before(&text[..span.range.start], span.kind) {
                // A function is implemented, a type is extended.
                Some(Role::Base) if !is_type => role_after(before, roles.last().copied()),
                Some(role) => role,
                None => role_after(before, roles.last().copied()),
            },
        );
        end = span.range.end;
    }
    roles
}

/// Number of words in which a verb names its object: "decorate each public handler with".
const MAX_RELATION_WORDS: usize = 6;

/// Returns the relation that the clause before a span asks for: "inherit from", "annotate the class with", "export from".
fn relation_before(before: &str, kind: SpanKind) -> Option<Role> {
    let clause = before
        .rsplit(['.', ';', ':', ',', '(', '\n'])
        .next()
        .unwrap_or_default();
    let words: Vec<String> = clause
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let words = &words[words.len().saturating_sub(MAX_RELATION_WORDS)..];
    let mut rest = words;
    while let [before @ .., last] = rest
        && ARTICLES.contains(&last.as_str())
    {
        rest = before;
    }
    let last = rest.last()?;
    if kind == SpanKind::Path {
        let is_into = matches!(
            last.as_str(),
            "in" | "to" | "from" | "into" | "via" | "through"
        );
        let is_placed = rest.iter().any(|word| PLACING.contains(word));
        return (is_into && is_placed).then_some(Role::Place);
    }
    let is_marked = rest.iter().any(|word| ANNOTATING.contains(word));
    if is_marked && matches!(last.as_str(), "with" | "by" | "using" | "as") {
        return Some(Role::Mark);
    }
    let is_derived = rest.iter().any(|word| DERIVING.contains(word));
    let is_direct = DERIVING.contains(last);
    if is_direct || is_derived && matches!(last.as_str(), "from" | "of" | "to") {
        return Some(Role::Base);
    }
    None
}

/// Returns the role of a span by the text between it and the span before, which has the role `previous`.
fn role_after(between: &str, previous: Option<Role>) -> Role {
    let words = between.trim_end_matches(|c: char| c.is_whitespace() || "`*_@&#[(\"".contains(c));
    let before = without_article(words);
    let verb = last_word(before).to_lowercase();
    if POINTING.contains(&verb) {
        return Role::Subject;
    }
    if USING.contains(&verb) {
        return Role::Used;
    }
    let joint = before.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_joint = matches!(joint, "" | "or" | "and") && !before.ends_with(['.', ':']);
    match previous {
        Some(role) if is_joint => role,
        None if before.is_empty() => Role::Subject,
        _ if before.ends_with(['.', ':', ';', '!', '—', '–', '-']) => Role::Subject,
        _ => Role::Other,
    }
}

const ARTICLES: [&str; 3] = ["the", "a", "an"];

fn without_article(text: &str) -> &str {
    let word = last_word(text);
    for article in ARTICLES {
        if word.eq_ignore_ascii_case(article) {
            return text[..text.len() - word.len()].trim_end();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::spans;
    use super::*;

    #[test]
    fn a_name_is_the_subject_or_used_or_neither() {
        use Role::{Base, Mark, Other, Place, Subject, Used};
        let check = |text: &str, expected: &[Role]| {
            assert_eq!(roles(text, &spans(text)), expected, "{text}");
        };
        check("Always use `StorageFactory`", &[Used]);
        check("Reject bad paths, as `validate_path` does", &[Subject]);
        check("Use the `XmlParser` or `JsonParser`", &[Used, Used]);
        check("**Uses** `@cached` for lists", &[Used]);
        check(
            "`ServiceRegistry` is built once and uses `Clock`",
            &[Subject, Used],
        );
        check(
            "The `FirstPart`, `SecondPart` and `ThirdPart` hold data",
            &[Subject; 3],
        );
        check("Output: `ChildSpec` defines the headers", &[Subject]);
        check("Implement `validate()`, via `check_all()`", &[Other, Used]);
        check("Use names like `pkgRoot`, `inputPath`", &[Other, Other]);
        check(
            "Adding a type to `TypeRegistry`. `OtherRegistry` finds it",
            &[Other, Subject],
        );
        check("All models inherit from the `BaseModel`", &[Base]);
        check("Decorate each public handler with `@traced`", &[Mark]);
        check("A parcel is a subclass of `Load`", &[Base]);
        check("Export it from `src/index.ts`", &[Place]);
        check("See `src/index.ts`", &[Subject]);
    }
}
