//! Frontmatter: the YAML block at the head of a memory.
//!
//! Reads what cerberus knows and leaves the rest alone: a value that is wrong
//! costs only itself, YAML that is wrong costs the block, and the text below
//! counts in any case. Work is bounded however aliases and nesting are stacked.

mod edit;
#[cfg(test)]
mod tests;
mod yaml;

use std::str::FromStr;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_saphyr::FlowSeq;

pub(crate) use self::edit::{Setting, set, touch};
use self::yaml::{Entry, Value};
use super::Diagnostic;
use crate::model::{MemoryStatus, MemoryType, Scope};
use crate::text::{LineIndex, Span, nearest};

/// What a memory says of itself, as far as it says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Frontmatter {
    pub(crate) id: Option<String>,
    pub(crate) memory_type: Option<MemoryType>,
    pub(crate) category: Option<String>,
    pub(crate) scope: Option<Scope>,
    pub(crate) status: Option<MemoryStatus>,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) updated_at: Option<Timestamp>,
    /// Who or what wrote the memory.
    pub(crate) source: Option<String>,
    pub(crate) links: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) frontmatter: Frontmatter,
    pub(crate) body_start: usize,
    pub(crate) warnings: Vec<Diagnostic>,
}

const BOM: char = '\u{FEFF}';

/// Reads the frontmatter of `text`, which is a whole file.
pub(crate) fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed { body_start: body_start(text), ..Parsed::default() };
    let Some((block, _)) = span(text) else {
        if let Some(start) = opening(text).map(|opening| opening.start) {
            let message = "frontmatter, opened on line 1, is never closed".to_owned();
            let warning =
                Diagnostic::new("unclosed-frontmatter", start, &LineIndex::new(text), message);
            parsed.warnings = vec![warning.hint("add a line `---` where it ends".to_owned())];
        }
        return parsed;
    };
    let mut reader =
        Reader { block, lines: LineIndex::new(&text[..block.end]), warnings: Vec::new() };
    match yaml::entries(block.of(text)) {
        Ok(entries) => parsed.frontmatter = reader.fields(entries),
        Err(error) => {
            let message = format!("failed to read the frontmatter: {}", error.message);
            reader.warn("invalid-yaml", error.at, message);
            reader.hint("write it as lines of `key: value`".to_owned());
        }
    }
    parsed.warnings = reader.warnings;
    parsed
}

/// Returns the YAML between the delimiters of `text`, if it has them, and where the body starts.
pub(crate) fn span(text: &str) -> Option<(Span, usize)> {
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

/// Returns where the text below the frontmatter and any byte-order mark starts.
pub(crate) fn body_start(text: &str) -> usize {
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
pub(crate) fn render(frontmatter: &Frontmatter) -> String {
    #[derive(Serialize)]
    struct Fields<'a> {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        memory_type: Option<MemoryType>,
        #[serde(skip_serializing_if = "Option::is_none")]
        category: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<MemoryStatus>,
        #[serde(skip_serializing_if = "Option::is_none")]
        tags: Option<FlowSeq<&'a [String]>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        hints: Option<FlowSeq<&'a [String]>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        created_at: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        updated_at: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        links: Option<FlowSeq<&'a [String]>>,
    }
    fn list(words: &[String]) -> Option<FlowSeq<&[String]>> {
        (!words.is_empty()).then_some(FlowSeq(words))
    }
    let fields = Fields {
        id: frontmatter.id.as_deref(),
        memory_type: frontmatter.memory_type,
        category: frontmatter.category.as_deref(),
        scope: frontmatter.scope.as_ref().map(Scope::to_string),
        status: frontmatter.status,
        tags: list(&frontmatter.tags),
        hints: list(&frontmatter.hints),
        created_at: frontmatter.created_at.map(|time| time.to_string()),
        updated_at: frontmatter.updated_at.map(|time| time.to_string()),
        source: frontmatter.source.as_deref(),
        links: list(&frontmatter.links),
    };
    let yaml = match *frontmatter == Frontmatter::default() {
        // The library's empty mapping is `{}`, which nobody could add a line to.
        true => String::new(),
        false => yaml::render(&fields),
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
                let message = format!("`{}` is given twice: the first one counts", entry.key);
                self.warn("duplicate-key", entry.key_at, message);
                continue;
            }
            match entry.key {
                "id" => fields.id = self.name(&entry),
                "type" => {
                    fields.memory_type =
                        self.known(&entry, MemoryType::ALL.iter().map(|it| it.as_str()))
                }
                "category" => fields.category = self.word(&entry),
                "scope" => fields.scope = self.known(&entry, ["universal"]),
                "status" => {
                    fields.status =
                        self.known(&entry, MemoryStatus::ALL.iter().map(|it| it.as_str()))
                }
                "tags" => fields.tags = self.words(&entry),
                "hints" => fields.hints = self.words(&entry),
                "created_at" => fields.created_at = self.time(&entry),
                "updated_at" => fields.updated_at = self.time(&entry),
                "source" => fields.source = self.word(&entry),
                "links" => fields.links = self.words(&entry),
                _ => {}
            }
            seen.push(entry.key);
        }
        fields
    }

    fn word(&mut self, entry: &Entry) -> Option<String> {
        match &entry.value {
            Value::Null => None,
            Value::Word(word) if word.trim().is_empty() => None,
            Value::Word(word) => Some(word.clone()),
            Value::List(_) | Value::Other => {
                let message = format!("`{}` is not a single value", entry.key);
                self.warn("invalid-value", entry.value_at, message);
                None
            }
        }
    }

    fn name(&mut self, entry: &Entry) -> Option<String> {
        let word = self.word(entry)?;
        // A block of YAML ends with its line end.
        let name = word.trim_end_matches(['\n', '\r']);
        if name.contains(char::is_control) {
            self.warn_of_control(entry);
            return None;
        }
        Some(name.to_owned())
    }

    fn words(&mut self, entry: &Entry) -> Vec<String> {
        let (mut words, n_wrong) = match &entry.value {
            Value::Null => return Vec::new(),
            Value::Word(text) => (text.split(',').map(|word| word.trim().to_owned()).collect(), 0),
            Value::List(items) => {
                let words: Vec<String> = items.iter().flatten().cloned().collect();
                let n_wrong = items.len() - words.len();
                (words, n_wrong)
            }
            Value::Other => (Vec::new(), 1),
        };
        if n_wrong > 0 {
            let message = format!("`{}` is not a list of words", entry.key);
            self.warn("invalid-value", entry.value_at, message);
        }
        words.retain(|word| !word.trim().is_empty());
        let n_words = words.len();
        words.retain(|word| !word.trim().contains(char::is_control));
        if words.len() < n_words {
            self.warn_of_control(entry);
        }
        words
    }

    /// Names and tags are printed within lines, which nothing in them may break or rewrite.
    fn warn_of_control(&mut self, entry: &Entry) {
        let message = format!("`{}` has control characters and does not count", entry.key);
        self.warn("invalid-value", entry.value_at, message);
    }

    /// Reads a value of fixed spellings, of which `names` may be offered instead.
    fn known<'a, T: FromStr<Err = String>>(
        &mut self,
        entry: &Entry,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Option<T> {
        let word = self.word(entry)?;
        match word.trim().parse() {
            Ok(value) => Some(value),
            Err(message) => {
                self.warn("invalid-value", entry.value_at, message);
                if let Some(name) = nearest(&word, names) {
                    self.hint(format!("did you mean `{name}`?"));
                }
                None
            }
        }
    }

    fn time(&mut self, entry: &Entry) -> Option<Timestamp> {
        let word = self.word(entry)?;
        let time = time(word.trim());
        if time.is_none() {
            let message = format!("`{}` is no date: `{word}`", entry.key);
            self.warn("invalid-value", entry.value_at, message);
            self.hint("write it as `2025-01-15T09:30:00Z` or `2025-01-15`".to_owned());
        }
        time
    }

    fn warn(&mut self, code: &'static str, at: usize, message: String) {
        let at = (self.block.start + at).min(self.block.end);
        self.warnings.push(Diagnostic::new(code, at, &self.lines, message));
    }

    fn hint(&mut self, hint: String) {
        if let Some(warning) = self.warnings.last_mut() {
            warning.hint = Some(hint);
        }
    }
}

/// Reads an RFC 3339 time; without an offset, or without a time of day, it is taken as UTC.
pub(crate) fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok().or_else(|| {
        let naive: DateTime = text.parse().ok()?;
        TimeZone::UTC.to_timestamp(naive).ok()
    })
}
