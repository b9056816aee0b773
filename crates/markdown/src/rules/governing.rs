//! The text above an item that governs it: the headings, the paragraph above its list, and the
//! items around that list.
//!
//! "Store passwords" below "Changes are rejected if they:" is the opposite of a rule without that
//! sentence. No list of words can name all such sentences, so all of them are a part of the item.
//! Only a heading or a label that consists of known topics is omitted.

use cerberus_prose::lists::{CLAUSE_OPENERS, DENYING_STARTS, DOCUMENTS, TOPICS};
use cerberus_prose::samples;
use cerberus_prose::wording::{is_conditional, is_negated, is_prohibition, words};

use super::MAX_PREFIX_BYTES;
use super::context::is_demand_of_each;

/// A part of the text above an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// A code block below a paragraph that announces it.
    Code(String),
    /// Items of the same list that are omitted.
    Omitted,
}

impl Piece {
    /// Returns a paragraph, a heading or an item, or `None` if it only names a topic. The words of
    /// the name of the `project` are topics, too.
    pub(super) fn of(text: &str, project: &[String]) -> Option<Self> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = callout(&text).unwrap_or(&text);
        let (_, text) = text
            .strip_prefix("[!")
            .and_then(|rest| rest.split_once("] "))
            .unwrap_or(("", text));
        let text = text.trim().trim_end_matches([':', '：', '.', '。', ' ']);
        let is_text = text.contains(|c: char| c.is_alphanumeric() || !c.is_ascii());
        (is_text && !is_topic(text, project)).then(|| Self::Text(text.to_owned()))
    }

    /// Returns whether it announces samples, or `None` if it says that they are not to be followed.
    pub(super) fn announces_samples(&self) -> Option<bool> {
        match self {
            Self::Text(text) if samples::is_denied(text) => None,
            Self::Text(text) => Some(samples::announces(text)),
            Self::Code(_) | Self::Omitted => Some(false),
        }
    }

    /// Returns whether it may say the opposite of an item alone. A condition and a demand do not.
    fn may_negate(&self) -> bool {
        let Self::Text(text) = self else { return true };
        let is_known = is_conditional(text) || is_demand_of_each(text);
        !is_known || is_negated(text) || is_prohibition(text)
    }
}

/// Returns the name of a callout: `[!WARNING]`.
pub(super) fn callout(text: &str) -> Option<&str> {
    text.strip_prefix("[!")?
        .strip_suffix(']')
        .filter(|name| !name.contains(']'))
}

/// Returns whether a text consists of words for the topics of a document, and of nothing else.
fn is_topic(text: &str, project: &[String]) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " &/,.()'-_#+:*".contains(c);
    let all = words(text);
    let names: Vec<String> = text
        .split_whitespace()
        .filter(|it| is_name(it))
        .flat_map(words)
        .collect();
    text.chars().all(is_plain)
        && all
            .first()
            .is_none_or(|first| !CLAUSE_OPENERS.contains(first))
        && all.iter().all(|word| {
            let is_number = word.chars().all(|c| c.is_ascii_digit());
            is_number || TOPICS.contains(word) || project.contains(word) || names.contains(word)
        })
}

/// Returns whether the title of a document is only its name: "Contributing to Acme".
pub(super) fn is_name_of_document(title: &str) -> bool {
    let all = words(title);
    let is_denied = |word: &String| {
        DENYING_STARTS
            .entries()
            .iter()
            .any(|start| word.starts_with(start))
    };
    title.is_ascii()
        && DOCUMENTS.contains_any(&all)
        && !all.iter().any(is_denied)
        && !is_conditional(title)
        && !is_negated(title)
        && !is_prohibition(title)
}

/// Returns whether a word is written as only names are, with a capital after a small letter:
/// `FastAPI`, unlike `NEVER`, `DONTs` and `Anti-Pattern`.
fn is_name(word: &str) -> bool {
    let mut is_after_small = false;
    for c in word.chars() {
        if is_after_small && c.is_ascii_uppercase() {
            return true;
        }
        is_after_small = c.is_ascii_lowercase();
    }
    false
}

/// The form of a paragraph above a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// It announces what follows.
    Announces,
    /// It begins with a label, so it does not continue the list above it.
    Labelled,
    /// It announces instances of what the text above it says.
    Continues,
    Plain,
}

/// The paragraphs that govern the next list of a section.
#[derive(Debug, Clone, Default)]
pub(super) struct Above {
    pieces: Vec<Piece>,
    /// Whether the last paragraph announces something that did not come yet.
    is_open: bool,
    /// Whether the last paragraph is a rule itself, so that it does not announce another one.
    is_complete: bool,
    /// Whether the last block was a list.
    is_used: bool,
}

impl Above {
    /// Returns the text that governs a list.
    pub(super) fn of_list(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the text that governs a paragraph: another one that announces it.
    pub(super) fn of_paragraph(&self) -> &[Piece] {
        if self.is_open && !self.is_complete {
            &self.pieces
        } else {
            &[]
        }
    }

    /// Adds a paragraph.
    pub(super) fn paragraph(&mut self, own: Option<Piece>, form: Form) {
        let is_open = matches!(form, Form::Announces | Form::Continues);
        // A list that a paragraph splits is still below its introduction.
        let can_split = matches!(form, Form::Plain | Form::Continues);
        let is_split = self.is_used && can_split && !self.pieces.is_empty();
        if is_split {
            let split = self
                .pieces
                .iter()
                .position(|piece| *piece == Piece::Omitted);
            self.pieces.truncate(split.unwrap_or(self.pieces.len()));
            self.pieces.push(Piece::Omitted);
        } else if (!self.is_open || self.is_complete) && form != Form::Continues {
            self.pieces.clear();
        }
        self.pieces.extend(own);
        self.is_open = is_open;
        self.is_complete = false;
        self.is_used = false;
    }

    /// Records that the last paragraph is a rule itself.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }

    /// Adds the code below a paragraph that announces it.
    pub(super) fn code(&mut self, code: &str) {
        if self.is_open {
            self.pieces.push(Piece::Code(code.trim_end().to_owned()));
        }
        self.is_open = false;
    }

    /// Adds an example of the rule above it with its label, which may also be above a list.
    pub(super) fn example(&mut self, label: Option<Piece>, code: &str) {
        if !self.pieces.is_empty() {
            self.pieces.push(Piece::Omitted);
        }
        self.pieces.extend(label);
        self.pieces.push(Piece::Code(code.trim_end().to_owned()));
        self.is_open = false;
    }

    /// Records that the next text does not continue the list above it.
    pub(super) fn leave_list(&mut self) {
        if self.is_used {
            *self = Self::default();
        }
    }

    pub(super) fn list(&mut self) {
        self.is_open = false;
        self.is_used = true;
    }
}

/// The text that an item is prefixed with.
#[derive(Debug, Default)]
pub(super) struct Prefix {
    pub(super) text: String,
    /// Whether the item alone may be the opposite of the rule.
    pub(super) may_negate: bool,
}

impl Prefix {
    pub(super) fn of(pieces: &[Piece]) -> Self {
        let mut prefix = Self::default();
        let mut last = None;
        for piece in pieces {
            if prefix.text.len() > MAX_PREFIX_BYTES {
                break;
            }
            match piece {
                // "Never" below the heading "Never".
                Piece::Text(_) if last == Some(piece) => {}
                Piece::Text(text) => {
                    prefix.text.push_str(text);
                    prefix.text.push_str(": ");
                }
                Piece::Code(code) => {
                    prefix.text.truncate(prefix.text.trim_end().len());
                    prefix.text.push_str(&format!("\n{code}\n"));
                }
                Piece::Omitted if prefix.text.ends_with("… ") => {}
                Piece::Omitted => prefix.text.push_str("… "),
            }
            prefix.may_negate |= piece.may_negate();
            last = Some(piece);
        }
        prefix
    }
}
