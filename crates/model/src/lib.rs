//! Plain types of the domain: memories, scopes, pins, anchors, code locations.
//!
//! Defines how each value is spelled in files and output. Reads no files.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize, Serializer};

pub mod error;
pub mod file_stat;
mod keywords;
pub mod languages;
mod location;
mod memory_id;
pub mod regular_file;
pub mod text;

pub use error::{ExitStatus, UserError, failed_to, refuse};
pub use keywords::{
    Confidence, EdgeType, Enforcement, ExampleChoice, ExampleRole, ImportOutcome, Language,
    LinkState, MemoryStatus, MemoryType, Origin, Outcome, PinEvent, PinScope, Priority, RuleKind,
    SectionOrigin, Severity, State, SymbolKind,
};
pub use location::{CodeLocation, format_location, split_number};
pub use memory_id::MemoryId;
pub use text::{
    Globs, LineIndex, Span, WordList, escaped, glob_fault, plural, shell_word, split_globs,
};

/// Returns the items in order, each once.
pub fn sorted<T: Ord>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.into_iter().collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// Short note that is injected into every prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all(serialize = "camelCase"))]
pub struct Pin {
    pub id: String,
    pub content: String,
    pub priority: Priority,
    #[serde(default)]
    pub scope: PinScope,
    pub created_at: Timestamp,
    /// When a temporary pin expires. It is ignored from this moment on.
    pub expires_at: Option<Timestamp>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// Project that the pin applies to; `None` for all projects.
    #[serde(rename(serialize = "projectId"))]
    pub project: Option<String>,
}

/// Code that a memory applies to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// All code; such a memory is never anchored.
    Universal,
    /// Code of one language.
    Language(String),
    /// One project: the named one, or the one that the bank belongs to.
    Project(Option<String>),
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = match text.trim().split_once(':') {
            Some((kind, name)) => (kind, Some(name.trim()).filter(|name| !name.is_empty())),
            None => (text.trim(), None),
        };
        if text.contains(char::is_control) {
            return Err(format!(
                "the scope `{}` has control characters",
                text.escape_debug()
            ));
        }
        match (kind.to_ascii_lowercase().as_str(), name) {
            ("universal", None) => Ok(Self::Universal),
            ("language", Some(name)) => Ok(Self::Language(name.to_ascii_lowercase())),
            ("project", name) => Ok(Self::Project(name.map(str::to_owned))),
            _ => Err(format!(
                "unknown scope `{}`: expected universal, language:<name> or project:<name>",
                text.trim()
            )),
        }
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Universal => f.write_str("universal"),
            Self::Language(name) => write!(f, "language:{name}"),
            Self::Project(Some(name)) => write!(f, "project:{name}"),
            Self::Project(None) => f.write_str("project"),
        }
    }
}

/// One unit of knowledge, parsed from its file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    pub id: String,
    #[serde(rename = "type")]
    pub memory_type: MemoryType,
    /// Kind of the rule, if a person set it in place of the one by its wording.
    pub kind: Option<RuleKind>,
    pub category: Option<String>,
    /// Headings above the text in the document that it was imported from, as in `Testing › Mocks`.
    pub heading: Option<String>,
    pub scope: Scope,
    /// Globs of the files that it applies to; empty for all files of its scope.
    pub paths: Vec<String>,
    pub status: MemoryStatus,
    pub tags: Vec<String>,
    pub hints: Vec<String>,
    /// The decision of a person about its example.
    pub example: Option<ExampleChoice>,
    /// The agent that looked for its example and found none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewed_by: Option<String>,
    /// Its author, or the places that it was imported from.
    #[serde(skip)]
    pub source: Vec<String>,
    /// Links that its frontmatter lists.
    #[serde(skip)]
    pub links: Vec<String>,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    /// Text after the frontmatter.
    #[serde(skip)]
    pub body: String,
}

/// Link from a memory to its example in the code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    pub file: String,
    /// Qualified symbol, with its number if its file has several of that name; `None` if the whole
    /// file is the example.
    pub symbol: Option<String>,
    pub kind: SymbolKind,
    pub language: Option<Language>,
    pub origin: Origin,
    pub quality: f64,
    pub match_score: f64,
    /// Last commit at which the anchor was verified.
    pub commit: Option<String>,
    pub fingerprint: Fingerprint,
    /// The similar code at that time. `None` if it is unknown.
    pub look_alikes: Option<LookAlikes>,
    /// More examples, and code that breaks the rule; sorted by role and location.
    pub others: Vec<OtherExample>,
    /// Who chose it, for [`Origin::Agent`].
    pub chosen: Option<AgentChoice>,
}

/// The agent that chose an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentChoice {
    /// Name of the agent.
    pub by: String,
    pub at: Timestamp,
}

impl AgentChoice {
    /// Maximum number of characters of a name.
    const MAX_NAME: usize = 64;

    /// Returns the choice of an agent, whose name is shortened and loses its control characters.
    pub fn new(name: &str, at: Timestamp) -> Self {
        let printable = name.trim().chars().filter(|c| !c.is_control());
        let by: String = printable.take(Self::MAX_NAME).collect();
        let by = if by.is_empty() {
            "agent".to_owned()
        } else {
            by
        };
        Self {
            by,
            at: Timestamp::from_second(at.as_second()).unwrap_or(at),
        }
    }
}

impl fmt::Display for AgentChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "chosen by {} on {}",
            self.by,
            self.at.strftime("%Y-%m-%d")
        )
    }
}

/// Code that shows a rule beside its main example, or that breaks it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherExample {
    pub role: ExampleRole,
    /// Its location, of which the lock file has no more than that and the fingerprint. Of a counter-example
    /// `commit` is the one at which it broke the rule.
    pub anchor: Anchor,
    /// The code of a short counter-example, which need not exist any more.
    pub code: Option<String>,
}

impl OtherExample {
    /// Returns what distinguishes it among those of an anchor, and orders them.
    pub fn key(&self) -> (ExampleRole, &String, &Option<String>) {
        (self.role, &self.anchor.file, &self.anchor.symbol)
    }

    /// Returns the file and the symbol of its code.
    pub fn place(&self) -> (&String, &Option<String>) {
        (&self.anchor.file, &self.anchor.symbol)
    }
}

/// Locations of code that was similar to an example when its anchor was recorded, as hashes of 24
/// bits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LookAlikes(Vec<u32>);

impl LookAlikes {
    /// Maximum number of locations.
    pub const MAX: usize = 16;

    /// Returns the first [`LookAlikes::MAX`] of `hashes`, most similar first.
    pub fn new(hashes: impl IntoIterator<Item = u32>) -> Self {
        Self(sorted(hashes.into_iter().take(Self::MAX)))
    }

    /// Returns whether the set has this hash.
    pub fn contains(&self, hash: u32) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    /// Sorted.
    pub fn hashes(&self) -> &[u32] {
        &self.0
    }
}

/// Features of a symbol's code that identify it after an edit, move or rename.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Number of syntax tokens of the symbol.
    pub n_tokens: u32,
    /// Hash of all tokens with the symbol's own name masked. Equal hashes mean equal code,
    /// except that the name may differ.
    pub name_independent_hash: u64,
    /// Hash of the bytes, to detect changes of layout.
    pub bytes: u32,
    /// Hash of the tokens of the signature with the symbol's own name masked.
    pub signature: u32,
    /// Hash of the bytes of the whole file.
    pub file: u32,
    /// MinHash signature of the token trigrams.
    pub sketch: Vec<u8>,
    /// Sample of the identifiers, hashed and sorted.
    pub names: Vec<u16>,
    /// Sample of the words in its comments, hashed and sorted.
    pub docs: Vec<u16>,
    /// Hashed names of the previous and the next definition in the container.
    pub between: [u16; 2],
    /// Bloom filter of the other names in the container.
    pub beside: Vec<u8>,
    /// Short hashes of the code and of the signature of each other definition of its name in the
    /// file, in document order.
    pub namesakes: Vec<[u32; 2]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_round_trip() {
        for text in ["universal", "language:go", "project:shop", "project"] {
            let scope: Scope = text.parse().expect(text);
            assert_eq!(scope.to_string(), text);
        }
        for text in ["", "universal:x", "language", "language:", "galaxy:x"] {
            assert!(text.parse::<Scope>().is_err(), "{text}");
        }
    }
}
