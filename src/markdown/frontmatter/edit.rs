//! Setting single keys of a memory's frontmatter, with every other byte as it was.
//!
//! The block is edited as lines: an entry begins with its key at the start of a line
//! and goes on to the next one. Frontmatter that is written in another way (as a flow
//! mapping, with aliases) is found out by reading the result: if anything but the
//! wanted key reads as something else, nothing is edited.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_saphyr::FlowSeq;

use super::yaml::{self, KEYS};
use super::{Frontmatter, Parsed, body_start, parse, span};
use crate::markdown::Refusal;
use crate::markdown::edit::newline_of;
use crate::text::Span;

/// What a key is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting<'a> {
    Word(&'a str),
    List(&'a [String]),
}

/// Sets a key that cerberus knows; a text without frontmatter gets one.
pub(crate) fn set(text: &str, key: &'static str, value: Setting) -> Result<String, Refusal> {
    let before = parse(text);
    let wrong = before
        .warnings
        .iter()
        .find(|it| matches!(it.code, "invalid-yaml" | "unclosed-frontmatter"));
    if let Some(wrong) = wrong {
        let hint = wrong.hint.clone().unwrap_or_default();
        return Err(Refusal::new(wrong.message.clone(), hint).on_line(wrong.line));
    }
    let newline = newline_of(text);
    let entry = rendered(key, value);
    let edited = match span(text) {
        Some((block, _)) => edited(text, block, key, entry.trim_end(), newline),
        None => {
            let at = body_start(text);
            let (mark, rest) = text.split_at(at);
            Some(format!(
                "{mark}---{newline}{}{newline}---{newline}{newline}{rest}",
                entry.trim_end()
            ))
        }
    };
    match edited {
        Some(edited) if is_only(key, value, &before, &parse(&edited)) => Ok(edited),
        _ => Err(Refusal::new(
            format!("the frontmatter is written in a way in which `{key}` cannot be set"),
            "write it as lines of `key: value`, or set it in an editor",
        )),
    }
}

/// Sets `updated_at` where the frontmatter has dates; elsewhere, and where it cannot be
/// set, the text stays as it is.
pub(crate) fn touch(text: &str, now: &str) -> String {
    let front = parse(text).frontmatter;
    if front.created_at.is_none() && front.updated_at.is_none() {
        return text.to_owned();
    }
    set(text, "updated_at", Setting::Word(now)).unwrap_or_else(|_| text.to_owned())
}

/// Returns the line of an entry.
fn rendered(key: &str, value: Setting) -> String {
    match value {
        Setting::Word(word) => yaml::render(&BTreeMap::from([(key, word)])),
        Setting::List([]) => format!("{key}: []\n"),
        Setting::List(words) => yaml::render(&BTreeMap::from([(key, FlowSeq(words))])),
    }
}

/// Returns the text with an entry in place of the one of its key, or as a new line.
fn edited(text: &str, block: Span, key: &str, entry: &str, newline: &str) -> Option<String> {
    let yaml = block.of(text);
    let known = yaml::entries(yaml).ok()?;
    if let Some(old) = known.iter().find(|it| it.key == key) {
        let span = entry_span(yaml, old.key_at)?;
        let first = span.of(yaml).lines().next()?;
        let comment = comment(first.get(value_start(first, key)?..)?);
        return Some(replaced(text, block, span, &format!("{entry}{comment}"), newline));
    }
    // A new key follows the one that it follows in a new file, or comes first.
    let rank = |key: &str| KEYS.iter().position(|it| *it == key);
    let before = known.iter().filter(|it| rank(it.key) < rank(key)).max_by_key(|it| rank(it.key));
    let at = match before {
        Some(before) => entry_span(yaml, before.key_at)?.end,
        None => known.iter().map(|it| it.key_at).min().unwrap_or(yaml.len()),
    };
    Some(replaced(text, block, Span::new(at, at), entry, newline))
}

fn replaced(text: &str, block: Span, within: Span, line: &str, newline: &str) -> String {
    let (before, after) = (block.start + within.start, block.start + within.end);
    format!("{}{line}{newline}{}", &text[..before], &text[after..])
}

/// Returns the lines of the entry whose key stands at `key_at`, without the comments and
/// blank lines below it.
fn entry_span(yaml: &str, key_at: usize) -> Option<Span> {
    let begins_line = key_at == 0 || yaml.get(..key_at)?.ends_with('\n');
    if !begins_line {
        return None;
    }
    let mut end = key_at;
    let mut at = key_at;
    for line in yaml.get(key_at..)?.split_inclusive('\n') {
        let is_first = at == key_at;
        let is_inside = line.starts_with([' ', '\t', '-']);
        let shown = line.trim();
        let is_beside = shown.is_empty() || shown.starts_with('#');
        if !is_first && !is_inside && !is_beside {
            break;
        }
        at += line.len();
        if is_first || !is_beside {
            end = at;
        }
    }
    Some(Span::new(key_at, end))
}

/// Returns where the value begins on a line that begins with a key.
fn value_start(line: &str, key: &str) -> Option<usize> {
    let quoted = [format!("\"{key}\""), format!("'{key}'")];
    let spelled = std::iter::once(key).chain(quoted.iter().map(String::as_str));
    let rest = spelled.filter_map(|key| line.strip_prefix(key)).next()?;
    let rest = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    Some(line.len() - rest.len())
}

/// Returns the comment at the end of a line, with the white space before it.
fn comment(value: &str) -> &str {
    let mut quote = None;
    let (mut begins_word, mut is_escaped) = (true, false);
    for (at, c) in value.char_indices() {
        match quote {
            Some('"') if is_escaped => is_escaped = false,
            Some('"') if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if begins_word && (c == '"' || c == '\'') => quote = Some(c),
            None if c == '#' && (at == 0 || value[..at].ends_with([' ', '\t'])) => {
                let start = value[..at].trim_end_matches([' ', '\t']).len();
                return value[start..].trim_end();
            }
            None => {}
        }
        begins_word = matches!(c, '[' | '{' | ',') || (begins_word && (c == ' ' || c == '\t'));
    }
    ""
}

/// Returns whether two readings differ in nothing but that `key` now has the value.
fn is_only(key: &str, value: Setting, before: &Parsed, after: &Parsed) -> bool {
    let others = |parsed: &Parsed| {
        let mut fields = fields(&parsed.frontmatter);
        fields.remove(key);
        fields
    };
    let wanted = match value {
        Setting::Word(word) => vec![word.to_owned()],
        Setting::List(words) => words.to_vec(),
    };
    let has_new_fault = after.warnings.iter().any(|it| {
        let is_old = before.warnings.iter().any(|old| old.code == it.code);
        !is_old || it.code == "invalid-yaml"
    });
    !has_new_fault
        && others(before) == others(after)
        && fields(&after.frontmatter).remove(key).unwrap_or_default() == wanted
}

/// Returns the fields by their keys, spelled as they are written.
fn fields(front: &Frontmatter) -> BTreeMap<&'static str, Vec<String>> {
    fn word<T: ToString>(value: &Option<T>) -> Vec<String> {
        value.iter().map(T::to_string).collect()
    }
    let Frontmatter {
        id,
        memory_type,
        category,
        scope,
        status,
        tags,
        hints,
        created_at,
        updated_at,
        source,
        links,
    } = front;
    BTreeMap::from([
        ("id", word(id)),
        ("type", word(memory_type)),
        ("category", word(category)),
        ("scope", word(scope)),
        ("status", word(status)),
        ("tags", tags.clone()),
        ("hints", hints.clone()),
        ("created_at", word(created_at)),
        ("updated_at", word(updated_at)),
        ("source", word(source)),
        ("links", links.clone()),
    ])
}
