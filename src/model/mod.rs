//! The words of the domain as plain types: memory, scope, anchor, symbol, edge.
//!
//! Owns the spelling of each value in files and output. Knows no file, no store,
//! no syntax tree.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

mod location;

pub(crate) use location::CodeLocation;

/// Declares an enum whose values have one fixed spelling in files, flags and output.
macro_rules! spelled {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub(crate) enum $name {
            $($(#[$vdoc])* #[serde(rename = $text)] $variant,)+
        }

        impl $name {
            /// Every value, in the order of the documentation.
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the spelling.
            pub(crate) fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                let found = Self::ALL.iter().find(|value| value.as_str().eq_ignore_ascii_case(text));
                found.copied().ok_or_else(|| {
                    let known: Vec<&str> = Self::ALL.iter().map(|value| value.as_str()).collect();
                    format!("unknown {} `{text}`: expected one of {}", $what, known.join(", "))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

spelled! {
    /// What a memory is.
    MemoryType, "type" {
        Rule = "rule",
        Decision = "decision",
        Plan = "plan",
        Journal = "journal",
        Fact = "fact",
        Observation = "observation",
        Reflection = "reflection",
    }
}

spelled! {
    /// Whether a memory is in use.
    MemoryStatus, "status" {
        Active = "active",
        Archived = "archived",
    }
}

spelled! {
    /// A language whose definitions the code index knows.
    Language, "language" {
        Python = "python",
        Go = "go",
        JavaScript = "javascript",
        TypeScript = "typescript",
        Tsx = "tsx",
        Rust = "rust",
        Java = "java",
    }
}

impl Language {
    /// Returns whether code of `self` may stand for code of `other`: TypeScript
    /// projects mix `.ts`, `.tsx` and `.js`, and a refactor crosses them freely.
    pub(crate) fn is_kin(self, other: Self) -> bool {
        const WEB: [Language; 3] = [Language::JavaScript, Language::TypeScript, Language::Tsx];
        self == other || (WEB.contains(&self) && WEB.contains(&other))
    }
}

spelled! {
    /// What kind of definition a symbol is.
    SymbolKind, "symbol kind" {
        Class = "class",
        Struct = "struct",
        Interface = "interface",
        Trait = "trait",
        Enum = "enum",
        Type = "type",
        Module = "module",
        Function = "function",
        Method = "method",
        Constant = "constant",
        Variable = "variable",
        Macro = "macro",
        /// A whole file, where the anchor has no symbol.
        File = "file",
    }
}

impl SymbolKind {
    /// Returns whether definitions of this kind hold other definitions.
    pub(crate) fn is_container(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Interface | Self::Trait | Self::Enum | Self::Module
        )
    }
}

spelled! {
    /// Who chose an anchor.
    Chosen, "origin" {
        Auto = "auto",
        Manual = "manual",
    }
}

spelled! {
    /// What became of an anchor.
    State, "state" {
        Fresh = "fresh",
        Reformatted = "reformatted",
        Edited = "edited",
        Moved = "moved",
        Renamed = "renamed",
        Ambiguous = "ambiguous",
        Gone = "gone",
    }
}

spelled! {
    /// What a link says of its target.
    EdgeType, "relation" {
        Refactors = "refactors",
        Plans = "plans",
        Debugs = "debugs",
        Mentions = "mentions",
        Supersedes = "supersedes",
        Extends = "extends",
        Contradicts = "contradicts",
        DependsOn = "depends_on",
        RelatedTo = "related_to",
    }
}

spelled! {
    /// What became of a link's target.
    LinkState, "state" {
        Live = "live",
        Moved = "moved",
        Missing = "missing",
        /// It leads out of the project, and is not looked at.
        Outside = "outside",
        /// It is an address, and is not looked at.
        External = "external",
    }
}

spelled! {
    /// How much a pin matters; the first is given first and never gives way.
    Priority, "priority" {
        Critical = "critical",
        Safety = "safety",
        Info = "info",
    }
}

spelled! {
    /// How long a pin lasts.
    PinScope, "scope" {
        /// As long as one session.
        Session = "session",
        /// Until it is removed; kept in `pins.toml`.
        Persistent = "persistent",
        /// Until it expires.
        Temporary = "temporary",
    }
}

spelled! {
    /// What happened to pins.
    PinEvent, "event" {
        Added = "added",
        Removed = "removed",
        Expired = "expired",
        BudgetExceeded = "budget_exceeded",
        Persisted = "persisted",
        Loaded = "loaded",
    }
}

/// A short note that is injected every time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pin {
    pub(crate) id: String,
    pub(crate) content: String,
    pub(crate) priority: Priority,
    pub(crate) scope: PinScope,
    pub(crate) created_at: Timestamp,
    /// When a temporary pin ends; from this moment on it does not count.
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) tags: Vec<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    /// The project it is about; a global one is about every project.
    pub(crate) project: Option<String>,
}

/// Where a memory holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Scope {
    /// Everywhere; never anchored.
    Universal,
    /// In code of one language.
    Language(String),
    /// In one project, named or, without a name, the one whose bank holds the memory.
    Project(Option<String>),
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = match text.trim().split_once(':') {
            Some((kind, name)) => (kind, Some(name.trim()).filter(|name| !name.is_empty())),
            None => (text.trim(), None),
        };
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

/// One unit of knowledge, as its file tells it.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(crate) id: String,
    pub(crate) memory_type: MemoryType,
    pub(crate) category: Option<String>,
    pub(crate) scope: Scope,
    pub(crate) status: MemoryStatus,
    pub(crate) tags: Vec<String>,
    pub(crate) hints: Vec<String>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) updated_at: Option<Timestamp>,
    /// The text below the frontmatter.
    pub(crate) body: String,
}

/// The link from a memory to the code that shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Anchor {
    pub(crate) file: String,
    /// The qualified symbol, or none where the whole file is the example.
    pub(crate) symbol: Option<String>,
    pub(crate) kind: SymbolKind,
    pub(crate) language: Option<Language>,
    pub(crate) chosen: Chosen,
    pub(crate) quality: f64,
    pub(crate) match_score: f64,
    /// The commit at which the anchor was last known to be true.
    pub(crate) commit: Option<String>,
    pub(crate) fingerprint: Fingerprint,
}

/// What is remembered of a symbol's code to know it again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Fingerprint {
    /// How many syntax tokens the symbol has.
    pub(crate) n_tokens: u32,
    /// The hash of all tokens with the symbol's own name masked: code is equal where
    /// this and the name are, and equal but for its name where this alone is.
    pub(crate) masked: u64,
    /// The hash of the bytes, for telling layout changes from none.
    pub(crate) bytes: u32,
    /// The hash of the signature's tokens, its own name masked.
    pub(crate) signature: u32,
    /// The hash of the whole file's bytes: while it is the same, so is all in the file.
    pub(crate) file: u32,
    /// A sketch of the token trigrams (see `syntax::sketch`).
    pub(crate) sketch: Vec<u8>,
    /// A sample of the identifiers, hashed and ordered.
    pub(crate) names: Vec<u16>,
    /// A sample of the words of its comments, hashed and ordered.
    pub(crate) docs: Vec<u16>,
    /// What is defined right before and right after it in its container, hashed.
    pub(crate) between: [u16; 2],
    /// A filter of the names defined beside it (see `syntax::sketch`).
    pub(crate) beside: Vec<u8>,
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

    #[test]
    fn unknown_values_name_the_known_ones() {
        let error = "rulez".parse::<MemoryType>().expect_err("not a type");
        assert!(error.contains("`rulez`") && error.contains("decision"), "{error}");
    }
}
