//! Patterns of code: a subset of ast-grep's rules, with the same meaning.
//!
//! A rule tests a node: its code (`pattern`), its kind, its text (`regex`), what surrounds it
//! (`inside`) and what it contains (`has`), joined by `all`, `any` and `not`. In a `pattern`, `$A`
//! is one node and `$$$` any number of them. The code of a `pattern` is compared as
//! ast-grep's strictness `smart` does. A rule runs in the real ast-grep with the same matches.

mod compile;
mod matcher;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub(crate) use compile::{Compiled, compile, in_function};
pub use matcher::{Match, MatchedFile};
use serde::{Deserialize, Serialize};

/// A pattern with the files that it applies to, as in a file of ast-grep's rules.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CodePattern {
    /// Languages with ast-grep's names, separated by commas. An exported rule has one.
    pub(crate) language: String,
    pub(crate) rule: Rule,
    /// Tests of the nodes that `$A` matches, by name without `$`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) constraints: BTreeMap<String, Rule>,
    /// Globs of the files that it applies to; empty for all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Globs of files that it does not apply to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignores: Vec<String>,
}

/// Tests of a node, which all must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pattern: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) regex: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) inside: Option<Box<Rule>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) has: Option<Box<Rule>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) all: Option<Vec<Rule>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) any: Option<Vec<Rule>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) not: Option<Box<Rule>>,
    /// Only in `inside` and `has`: how far to search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stop_by: Option<StopBy>,
    /// Only in `inside` and `has`: the field of the parent that holds the child.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) field: Option<String>,
}

/// How far `inside` and `has` search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StopBy {
    /// The parent, or the children.
    Neighbor,
    /// All ancestors, or all descendants.
    End,
}
