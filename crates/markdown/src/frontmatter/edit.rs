//! Setting single keys of the frontmatter without changing any other byte.
//!
//! The block is edited as lines: an entry starts with its key at the start of a line and ends
//! before the next entry. The result is parsed to detect other forms of YAML (flow mappings,
//! aliases): if any other key reads differently, the edit fails.

#[cfg(test)]
mod tests;

use cerberus_model::Span;

use super::yaml::{self, Field, KEYS};
use super::{Parsed, body_start, parse, span};
use crate::EditError;
use crate::edit::newline_of;

/// The value that a key is set to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldValue<'a> {
    Scalar(&'a str),
    List(&'a [String]),
    /// Text of several lines, which stay lines.
    Block(&'a str),
}

impl<'a> FieldValue<'a> {
    /// Returns the field to write, or `None` for an empty list.
    fn field(self) -> Option<Field<'a>> {
        match self {
            Self::Scalar(word) => Some(Field::Scalar(word.into())),
            Self::List([]) => None,
            Self::List(words) => Some(Field::List(words)),
            Self::Block(text) => Some(Field::Block(text)),
        }
    }
}

/// Sets a known key; a text without frontmatter gets a new block.
pub fn set(text: &str, key: &'static str, value: FieldValue) -> Result<String, EditError> {
    let before = parse_for_edit(text)?;
    let newline = newline_of(text);
    let entry = match value.field() {
        Some(field) => yaml::render(&[(key, field)]),
        None => format!("{key}: []"),
    };
    let entry = entry.trim_end();
    let edited = match span(text) {
        Some((block, _)) => with_entry(text, block, key, entry),
        None => {
            let (mark, rest) = text.split_at(body_start(text));
            Some(format!(
                "{mark}---{newline}{entry}{newline}---{newline}{newline}{rest}"
            ))
        }
    };
    let new_field = value.field();
    let is_correct = |edited: &String| changes_only(key, new_field, &before, &parse(edited));
    let hint = format!("rewrite the frontmatter, or set `{key}` in an editor");
    edited
        .filter(is_correct)
        .ok_or_else(|| not_lines(&format!("set `{key}`"), hint))
}

fn not_lines(failed: &str, hint: String) -> EditError {
    let message = format!("failed to {failed}: the frontmatter is not lines of `key: value`");
    EditError::new(message, hint)
}

/// Removes a known key. A text without it is returned unchanged.
pub fn remove(text: &str, key: &'static str) -> Result<String, EditError> {
    let before = parse_for_edit(text)?;
    let Some((block, _)) = span(text) else {
        return Ok(text.to_owned());
    };
    let yaml = block.slice(text);
    let known = yaml::entries(yaml).unwrap_or_default();
    let Some(old) = known.iter().find(|entry| entry.key == key) else {
        return Ok(text.to_owned());
    };
    let edited = entry_span(yaml, old.key_at).map(|within| {
        let within = within.shifted(block.start);
        [&text[..within.start], &text[within.end..]].concat()
    });
    let is_correct = |edited: &String| changes_only(key, None, &before, &parse(edited));
    let hint = format!("remove `{key}` in an editor");
    edited
        .filter(is_correct)
        .ok_or_else(|| not_lines(&format!("remove `{key}`"), hint))
}

fn parse_for_edit(text: &str) -> Result<Parsed, EditError> {
    let parsed = parse(text);
    match parsed.unreadable() {
        Some(warning) => Err(EditError::from(warning)),
        None => Ok(parsed),
    }
}

/// Sets `updated_at` if the frontmatter has dates; otherwise, and if the edit fails, returns
/// the text unchanged.
pub fn set_updated_at(text: &str, now: &str) -> String {
    let front = parse(text).frontmatter;
    let has_dates = front.created_at.is_some() || front.updated_at.is_some();
    let edited = has_dates
        .then(|| set(text, "updated_at", FieldValue::Scalar(now)).ok())
        .flatten();
    edited.unwrap_or_else(|| text.to_owned())
}

/// Returns the text with `entry` in place of the current entry of `key`, or on a new line.
fn with_entry(text: &str, block: Span, key: &str, entry: &str) -> Option<String> {
    let newline = newline_of(text);
    let yaml = block.slice(text);
    let known = yaml::entries(yaml).ok()?;
    let replace = |within: Span, comment: &str| {
        let within = within.shifted(block.start);
        format!(
            "{}{entry}{comment}{newline}{}",
            &text[..within.start],
            &text[within.end..]
        )
    };
    if let Some(old) = known.iter().find(|entry| entry.key == key) {
        let span = entry_span(yaml, old.key_at)?;
        let first = span.slice(yaml).lines().next()?;
        return Some(replace(
            span,
            comment(first.get(value_start(first, key)?..)?),
        ));
    }
    // A new key follows the key that precedes it in a new file.
    let rank = |key: &str| KEYS.entries().iter().position(|known| *known == key);
    let before = known
        .iter()
        .filter(|it| rank(it.key) < rank(key))
        .max_by_key(|it| rank(it.key));
    let at = match before {
        Some(before) => entry_span(yaml, before.key_at)?.end,
        None => known
            .iter()
            .map(|entry| entry.key_at)
            .min()
            .unwrap_or(yaml.len()),
    };
    // To YAML, a carriage return alone starts a line as well. The entry would not be found there again.
    let is_after_line = at == yaml.len() || is_line_start(yaml, at);
    is_after_line.then(|| replace(Span::new(at, at), ""))
}

fn is_line_start(yaml: &str, at: usize) -> bool {
    at == 0 || yaml.get(..at).is_some_and(|before| before.ends_with('\n'))
}

/// Returns the lines of the entry whose key is at `key_at`, without the comments and blank
/// lines below it.
fn entry_span(yaml: &str, key_at: usize) -> Option<Span> {
    if !is_line_start(yaml, key_at) {
        return None;
    }
    let mut lines = yaml.get(key_at..)?.split_inclusive('\n');
    let mut at = key_at + lines.next().map_or(0, str::len);
    let mut end = at;
    for line in lines {
        let content = line.trim();
        let is_value = !content.is_empty() && !content.starts_with('#');
        if is_value && !line.starts_with([' ', '\t', '-']) {
            break;
        }
        at += line.len();
        if is_value {
            end = at;
        }
    }
    Some(Span::new(key_at, end))
}

/// Returns the start of the value on a line that starts with a key.
fn value_start(line: &str, key: &str) -> Option<usize> {
    let spellings = [key.to_owned(), format!("\"{key}\""), format!("'{key}'")];
    let rest = spellings
        .iter()
        .find_map(|key| line.strip_prefix(key.as_str()))?;
    let rest = rest.trim_start_matches([' ', '\t']).strip_prefix(':')?;
    Some(line.len() - rest.len())
}

/// Returns the comment at the end of a line, with the white space before it.
fn comment(value: &str) -> &str {
    let mut quote = None;
    let (mut starts_word, mut is_escaped) = (true, false);
    for (at, c) in value.char_indices() {
        match quote {
            Some('"') if is_escaped => is_escaped = false,
            Some('"') if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if starts_word && (c == '"' || c == '\'') => quote = Some(c),
            None if c == '#' && (at == 0 || value[..at].ends_with([' ', '\t'])) => {
                let start = value[..at].trim_end_matches([' ', '\t']).len();
                return value[start..].trim_end();
            }
            None => {}
        }
        starts_word = matches!(c, '[' | '{' | ',') || (starts_word && (c == ' ' || c == '\t'));
    }
    ""
}

/// Returns whether two parse results differ only in that `key` now has the value, or is absent.
fn changes_only(key: &str, value: Option<Field<'_>>, before: &Parsed, after: &Parsed) -> bool {
    let has_new_warning = after.warnings.iter().any(|warning| {
        let is_old = before.warnings.iter().any(|old| old.code == warning.code);
        !is_old || warning.code == "invalid-yaml"
    });
    let (mut old, mut new) = (before.frontmatter.fields(), after.frontmatter.fields());
    old.retain(|(other, _)| *other != key);
    let found = new
        .extract_if(.., |(other, _)| *other == key)
        .next()
        .map(|(_, field)| field);
    !has_new_warning && old == new && found == value
}
