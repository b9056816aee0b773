//! What code that breaks a rule has and code that follows it lacks.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::shapes;
use super::wording::{self, Usage};
use super::{Label, Sample, is_hit};
use crate::model::Language;
use crate::syntax::pattern::{CodePattern, Rule};

/// Syntax that is looked for in every language that has it, and that nothing but its own rule is
/// about, so that the text need not mention it.
const SYNTAX: &[&str] = &[
    "any",
    "as any",
    "as unknown as",
    "enum",
    "namespace",
    "var",
    "export default",
    "export *",
    "debugger",
    "except:",
    "import *",
    "global",
    "interface{}",
    "unsafe",
    "@ts-ignore",
    "@ts-expect-error",
    "@ts-nocheck",
    "type: ignore",
    "noqa",
    "nolint",
];

static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[@.]?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*[!(]?").expect("it is valid")
});

static MODULES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)(?:\bfrom\s+|\bimport\s+|\brequire\(\s*)['"]?([@\w][\w./@-]*)['"]?"#)
        .expect("it is valid")
});

/// Something that code which breaks the rule has.
pub(super) struct Difference {
    /// As a person would write it.
    pub(super) name: String,
    pub(super) rule: Rule,
    /// Whether the text of the rule mentions it after a word such as `not`.
    pub(super) is_refused: bool,
    /// Whether it is syntax that is hardly used for another reason.
    pub(super) is_syntax: bool,
}

/// Returns what all code of a language that breaks the rule has and no code that follows it has.
pub(super) fn differences(text: &str, samples: &[Sample], language: Language) -> Vec<Difference> {
    let of =
        |label| samples.iter().filter(move |it| it.label == label && it.language.is_kin(language));
    let bad: Vec<&Sample> = of(Label::Bad).collect();
    let good: Vec<&Sample> = of(Label::Good).collect();
    if bad.is_empty() || good.is_empty() {
        return Vec::new();
    }
    let mut candidates: BTreeSet<(String, bool)> = BTreeSet::new();
    candidates.extend(SYNTAX.iter().map(|name| ((*name).to_owned(), false)));
    for sample in &bad {
        for found in NAMES.find_iter(&sample.code) {
            let name = found.as_str();
            if is_local(name, &sample.code) {
                continue;
            }
            let name = match name.strip_suffix('(') {
                Some(callee) => format!("{callee}()"),
                None => name.to_owned(),
            };
            // The method of any object, too, which is not named by a variable.
            if let Some((object, method)) = name.rsplit_once('.')
                && !object.is_empty()
                && method.ends_with("()")
            {
                candidates.insert((format!(".{method}"), false));
            }
            candidates.insert((name, false));
        }
        candidates.extend(MODULES.captures_iter(&sample.code).map(|it| (it[1].to_owned(), true)));
    }
    let mut found = Vec::new();
    for (name, is_import) in candidates {
        let usage = if is_import { Usage::Import } else { Usage::Any };
        let Some(rule) = shapes::of_name(&name, usage, language) else { continue };
        let pattern = CodePattern {
            language: super::language_name(language).to_owned(),
            rule: rule.clone(),
            ..CodePattern::default()
        };
        let has = |sample: &&Sample| is_hit(&pattern, sample) == Some(true);
        if bad.iter().all(has) && !good.iter().any(|sample| is_hit(&pattern, sample) != Some(false))
        {
            let (is_refused, is_syntax) =
                (is_refused(&name, text), SYNTAX.contains(&name.as_str()));
            found.push(Difference { name, rule, is_refused, is_syntax });
        }
    }
    found
}

/// Returns whether code defines the first part of a name itself.
fn is_local(name: &str, code: &str) -> bool {
    let first = name.trim_start_matches('.').split(['.', ':', '(', '!']).next().unwrap_or_default();
    if name.starts_with(['.', '@']) || first.is_empty() {
        return false;
    }
    let first = regex::escape(first);
    let definition = format!(
        r"(?m)\b(?:const|let|var|function|def|class|func|fn|type|interface|struct|enum)\s+(?:\([^)]*\)\s*)?{first}\b|\b{first}\s*(?::[^=\n]*)?:?=[^=>]|\bfor\s+\(?(?:const\s+|let\s+|var\s+)?{first}\b|[(,]\s*{first}\s*[:,)]"
    );
    Regex::new(&definition).is_ok_and(|regex| regex.is_match(code))
}

/// Words before a name that refuse it.
const REFUSALS: &[&str] = &[
    "not",
    "never",
    "no",
    "don't",
    "avoid",
    "over",
    "than",
    "of",
    "without",
    "forbidden",
    "banned",
];

/// Number of words between a refusal and the name.
const MAX_DISTANCE: usize = 3;

/// Returns whether a text has a name as a whole word shortly after a word that refuses it, in the
/// same sentence.
pub(super) fn is_refused(name: &str, text: &str) -> bool {
    let bare = name.trim_end_matches("()").trim_end_matches('!').trim_start_matches(['.', '@']);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_refusal = |before: &str| {
        let sentence = before.rsplit(['.', ';', ':', '!', '?']).next().unwrap_or_default();
        let words = sentence.split(|c: char| !c.is_alphanumeric() && c != '\'');
        let words: Vec<String> =
            words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        let near =
            words.iter().rev().take(MAX_DISTANCE).any(|word| REFUSALS.contains(&word.as_str()));
        // `of` and `than` only as in `instead of` and `rather than`.
        near && words.iter().any(|it| {
            it != "of" && it != "than" && REFUSALS.contains(&it.as_str())
                || it == "instead"
                || it == "rather"
        })
    };
    bare.len() > 1
        && text.match_indices(bare).any(|(at, _)| {
            !text[..at].ends_with(is_part)
                && !text[at + bare.len()..].starts_with(is_part)
                && is_refusal(&text[..at])
        })
}

/// Returns whether a text refuses a name only in some places, as in `not f() in types`.
pub(super) fn is_limited(name: &str, text: &str) -> bool {
    let bare = name.trim_end_matches("()").trim_end_matches('!').trim_start_matches(['.', '@']);
    !bare.is_empty()
        && text.match_indices(bare).any(|(at, _)| {
            let after = text[at + bare.len()..].trim_start_matches(['(', ')', '`', '*', '"', '\'']);
            is_refused(bare, &text[..at + bare.len()]) && wording::is_limiting(after)
        })
}
