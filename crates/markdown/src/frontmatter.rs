//! Frontmatter: the YAML block at the start of a memory.
//!
//! Reads the keys that cerberus knows and ignores all others. An invalid value does not affect
//! other values; invalid YAML invalidates the block, but not the text below. Aliases and nesting
//! are limited, so the work is bounded.

mod edit;
#[cfg(test)]
mod tests;
mod yaml;

use std::borrow::Cow;
use std::str::FromStr;

use cerberus_model::text::suggest;
use cerberus_model::{
    ExampleChoice, LineIndex, MemoryStatus, MemoryType, RuleKind, Scope, Span, glob_fault,
    split_globs,
};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

pub use self::edit::{FieldValue, remove, set, set_updated_at};
use self::yaml::{Entry, Field, Value};
pub use self::yaml::{to_yaml, yaml_keys};
use crate::Diagnostic;

/// The metadata of a memory; absent and invalid fields are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frontmatter {
    pub id: Option<String>,
    pub memory_type: Option<MemoryType>,
    /// The kind of the rule, if a person set it in place of the one by its wording.
    pub kind: Option<RuleKind>,
    pub category: Option<String>,
    /// The headings above the text in the document that it was imported from.
    pub heading: Option<String>,
    pub scope: Option<Scope>,
    /// Globs of the files that the memory applies to.
    pub paths: Vec<String>,
    pub status: Option<MemoryStatus>,
    pub tags: Vec<String>,
    pub hints: Vec<String>,
    pub example: Option<ExampleChoice>,
    /// The agent that looked for an example and found none.
    pub reviewed_by: Option<String>,
    /// The accepted pattern of code that breaks the rule, as YAML.
    pub pattern: Option<String>,
    /// The accepted commands that break the rule, as command lines.
    pub command: Vec<String>,
    /// What to use in place of what its pattern or its commands hit.
    pub instead: Option<String>,
    /// The agent that proposes the pattern or the commands, which no person accepted so far.
    pub pattern_by: Option<String>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    /// The author of the memory, a person or a program, or the places that it was imported from.
    pub source: Vec<String>,
    pub links: Vec<String>,
}

impl Frontmatter {
    /// Returns the non-empty fields with their keys, in the order in which they are written.
    fn fields(&self) -> Vec<(&'static str, Field<'_>)> {
        fn scalar<T: ToString>(value: Option<&T>) -> Option<Field<'static>> {
            value.map(|value| Field::Scalar(Cow::Owned(value.to_string())))
        }
        fn list(words: &[String]) -> Option<Field<'_>> {
            (!words.is_empty()).then_some(Field::List(words))
        }
        let values = [
            scalar(self.id.as_ref()),
            scalar(self.memory_type.as_ref()),
            scalar(self.kind.as_ref()),
            scalar(self.category.as_ref()),
            scalar(self.heading.as_ref()),
            scalar(self.scope.as_ref()),
            list(&self.paths),
            scalar(self.status.as_ref()),
            list(&self.tags),
            list(&self.hints),
            scalar(self.example.as_ref()),
            scalar(self.reviewed_by.as_ref()),
            self.pattern.as_deref().map(Field::Block),
            list(&self.command),
            scalar(self.instead.as_ref()),
            scalar(self.pattern_by.as_ref()),
            scalar(self.created_at.as_ref()),
            scalar(self.updated_at.as_ref()),
            match &self.source[..] {
                [one] => scalar(Some(one)),
                several => list(several),
            },
            list(&self.links),
        ];
        let fields = yaml::KEYS.entries().iter().zip(values);
        fields
            .filter_map(|(key, value)| Some((*key, value?)))
            .collect()
    }
}

/// The frontmatter of a memory, and where its body starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    pub frontmatter: Frontmatter,
    pub body_start: usize,
    pub warnings: Vec<Diagnostic>,
}

impl Parsed {
    /// Returns the warning that the frontmatter could not be read, so that its values are unknown.
    pub fn unreadable(&self) -> Option<&Diagnostic> {
        let is_fatal = |code| matches!(code, "invalid-yaml" | "unclosed-frontmatter");
        self.warnings.iter().find(|warning| is_fatal(warning.code))
    }
}

const BOM: char = '\u{FEFF}';

/// Reads the frontmatter of a complete file.
pub fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed {
        body_start: body_start(text),
        ..Parsed::default()
    };
    let Some((block, _)) = span(text) else {
        parsed.warnings.extend(opening(text).map(|opening| {
            let message = "frontmatter, opened on line 1, is never closed".to_owned();
            Diagnostic::new(
                "unclosed-frontmatter",
                opening.start,
                &LineIndex::new(text),
                message,
            )
            .hint("add a line `---` where it ends")
        }));
        return parsed;
    };
    let mut reader = Reader {
        block,
        lines: LineIndex::new(&text[..block.end]),
        warnings: Vec::new(),
    };
    match yaml::entries(block.slice(text)) {
        Ok(entries) => parsed.frontmatter = reader.fields(entries),
        Err(error) => {
            let message = format!("failed to read the frontmatter: {}", error.message);
            let warning = reader.warn("invalid-yaml", error.at, message);
            warning.hint = Some("write it as lines of `key: value`".to_owned());
        }
    }
    parsed.warnings = reader.warnings;
    parsed
}

/// Returns the span of the YAML between the delimiters of `text` and the start of the body, or
/// `None` if the delimiters are absent.
pub fn span(text: &str) -> Option<(Span, usize)> {
    let start = opening(text)?.end;
    let mut line_start = start;
    for line in text[start..].split_inclusive('\n') {
        let next = line_start + line.len();
        if matches!(line.trim_ascii_end(), "---" | "...") {
            return Some((Span::new(start, line_start), next));
        }
        line_start = next;
    }
    None
}

/// Returns the start of the text below the frontmatter and any byte-order mark.
pub fn body_start(text: &str) -> usize {
    match span(text) {
        Some((_, body_start)) => body_start,
        None if text.starts_with(BOM) => BOM.len_utf8(),
        None => 0,
    }
}

/// Returns the line that opens frontmatter.
fn opening(text: &str) -> Option<Span> {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    let start = text.len() - body.len();
    let newline = body.find('\n')?;
    (body[..newline].trim_ascii_end() == "---").then(|| Span::new(start, start + newline + 1))
}

/// Returns the frontmatter of a new file, with its delimiters and the blank line below.
pub fn render(frontmatter: &Frontmatter) -> String {
    let fields = frontmatter.fields();
    // The library writes an empty mapping as `{}`, to which no line can be added.
    let yaml = if fields.is_empty() {
        String::new()
    } else {
        yaml::render(&fields)
    };
    format!("---\n{yaml}---\n\n")
}

struct Reader {
    block: Span,
    lines: LineIndex,
    warnings: Vec<Diagnostic>,
}

impl Reader {
    fn fields(&mut self, entries: Vec<Entry>) -> Frontmatter {
        let mut fields = Frontmatter::default();
        let mut seen = Vec::new();
        for entry in entries {
            if seen.contains(&entry.key) {
                let message = format!("`{}` is defined twice: the first value is used", entry.key);
                self.warn("duplicate-key", entry.key_at, message);
                continue;
            }
            seen.push(entry.key);
            match entry.key {
                "id" => fields.id = self.label(&entry),
                "type" => fields.memory_type = self.keyword(&entry, MemoryType::ALL),
                "kind" => fields.kind = self.keyword(&entry, RuleKind::ALL),
                "category" => fields.category = self.scalar(&entry),
                "heading" => fields.heading = self.label(&entry),
                "paths" => {
                    fields.paths = self.list(&entry, split_globs);
                    let faults = fields
                        .paths
                        .iter()
                        .filter_map(|it| Some((it, glob_fault(it)?)));
                    for (glob, fault) in faults {
                        self.warn_value(&entry, &format!("has an invalid glob `{glob}`: {fault}"));
                    }
                }
                "scope" => fields.scope = self.choice(&entry, &["universal"]),
                "status" => fields.status = self.keyword(&entry, MemoryStatus::ALL),
                "tags" => fields.tags = self.list(&entry, at_commas),
                "hints" => fields.hints = self.list(&entry, at_commas),
                "example" => fields.example = self.keyword(&entry, ExampleChoice::ALL),
                "reviewed_by" => fields.reviewed_by = self.label(&entry),
                "pattern" => fields.pattern = self.scalar(&entry),
                "command" => fields.command = self.list(&entry, at_commas),
                "instead" => fields.instead = self.label(&entry),
                "pattern_by" => fields.pattern_by = self.label(&entry),
                "created_at" => fields.created_at = self.time(&entry),
                "updated_at" => fields.updated_at = self.time(&entry),
                "source" => fields.source = self.source(&entry),
                "links" => fields.links = self.list(&entry, at_commas),
                _ => {}
            }
        }
        fields
    }

    fn scalar(&mut self, entry: &Entry) -> Option<String> {
        match &entry.value {
            Value::Null => None,
            Value::Scalar(word) => Some(word.clone()).filter(|word| !word.trim().is_empty()),
            Value::List(_) | Value::Other => {
                self.warn_value(entry, "is not a single value");
                None
            }
        }
    }

    /// Reads a value that is printed within a line.
    fn label(&mut self, entry: &Entry) -> Option<String> {
        let word = self.scalar(entry)?;
        // A YAML block scalar ends with a newline.
        let label = word.trim_end_matches(['\n', '\r']);
        if label.contains(char::is_control) {
            self.warn_control(entry);
            return None;
        }
        Some(label.to_owned())
    }

    /// Reads one source or a list of them.
    fn source(&mut self, entry: &Entry) -> Vec<String> {
        match &entry.value {
            Value::List(_) => self.list(entry, at_commas),
            _ => self.scalar(entry).into_iter().collect(),
        }
    }

    /// Reads a list; `split` divides a single value.
    fn list(&mut self, entry: &Entry, split: fn(&str) -> Vec<&str>) -> Vec<String> {
        let (mut words, is_valid): (Vec<String>, bool) = match &entry.value {
            Value::Null => return Vec::new(),
            Value::Scalar(text) => (
                split(text)
                    .into_iter()
                    .map(|word| word.trim().to_owned())
                    .collect(),
                true,
            ),
            Value::List(items) => (
                items.iter().flatten().cloned().collect(),
                items.iter().all(Option::is_some),
            ),
            Value::Other => (Vec::new(), false),
        };
        if !is_valid {
            self.warn_value(entry, "is not a list of words");
        }
        words.retain(|word| !word.trim().is_empty());
        let n_words = words.len();
        words.retain(|word| !word.trim().contains(char::is_control));
        if words.len() < n_words {
            self.warn_control(entry);
        }
        words
    }

    /// Reads one of the values of an enum.
    fn keyword<T>(&mut self, entry: &Entry, values: &[T]) -> Option<T>
    where
        T: Copy + FromStr<Err = String> + Into<&'static str>,
    {
        let names: Vec<&str> = values.iter().map(|value| (*value).into()).collect();
        self.choice(entry, &names)
    }

    /// Reads a value; a suggestion for an invalid one is one of `names`.
    fn choice<T: FromStr<Err = String>>(&mut self, entry: &Entry, names: &[&str]) -> Option<T> {
        let word = self.scalar(entry)?;
        let parsed = word.trim().parse();
        let invalid = |message| {
            let names = names.iter().copied();
            let hint = suggest(&word, names).map(|name| format!("did you mean `{name}`?"));
            self.warn("invalid-value", entry.value_at, message).hint = hint;
        };
        parsed.map_err(invalid).ok()
    }

    fn time(&mut self, entry: &Entry) -> Option<Timestamp> {
        let word = self.scalar(entry)?;
        let time = time(word.trim());
        if time.is_none() {
            self.warn_value(entry, &format!("is not a valid date: `{word}`"))
                .hint = Some("write it as `2025-01-15T09:30:00Z` or `2025-01-15`".to_owned());
        }
        time
    }

    /// Ids and tags are printed within lines, which a control character could break or rewrite.
    fn warn_control(&mut self, entry: &Entry) {
        self.warn_value(entry, "has control characters and is ignored");
    }

    fn warn_value(&mut self, entry: &Entry, problem: &str) -> &mut Diagnostic {
        self.warn(
            "invalid-value",
            entry.value_at,
            format!("`{}` {problem}", entry.key),
        )
    }

    fn warn(&mut self, code: &'static str, at: usize, message: String) -> &mut Diagnostic {
        let at = (self.block.start + at).min(self.block.end);
        self.warnings
            .push(Diagnostic::new(code, at, &self.lines, message));
        self.warnings.last_mut().expect("a warning was just added")
    }
}

fn at_commas(text: &str) -> Vec<&str> {
    text.split(',').collect()
}

/// Parses an RFC 3339 time; without an offset or a time of day it is in UTC.
pub fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let naive: DateTime = text.parse().ok()?;
        TimeZone::UTC.to_timestamp(naive).ok()
    })
}
