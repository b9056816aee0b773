//! What most commands use, as in `use crate::commands::prelude::*`.

pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::path::{Path, PathBuf};

pub(super) use anyhow::{Context, Result};
pub(super) use clap::{Args, ValueEnum};
pub(super) use rayon::prelude::*;
pub(super) use rustc_hash::{FxHashMap, FxHashSet};
pub(super) use serde::{Deserialize, Serialize};
pub(super) use serde_json::{Value, json};

pub(super) use crate::config::{GlobalArgs, Settings};
pub(super) use crate::output::{CliResult, DIM, ERROR, NAME, OK, Printer, ProgressBar, WARN};
pub(super) use cerberus_bank::MemoryFile;
pub(super) use cerberus_bank::lockfile::Anchors;
pub(super) use cerberus_bank::ops::memories::{self, Memories};
pub(super) use cerberus_bank::ops::{Project, anchors, document};
pub(super) use cerberus_engine::examples::{self, Options, Query, RankedSymbol};
pub(super) use cerberus_engine::excerpt::{self, LineRange};
pub(super) use cerberus_engine::rank::rule_words::RuleWords;
pub(super) use cerberus_engine::syntax::language;
pub(super) use cerberus_engine::track;
pub(super) use cerberus_engine::tree::{documents, git, read};
pub(super) use cerberus_markdown::frontmatter::{self, FieldValue, Frontmatter};
pub(super) use cerberus_model::error::{ExitStatus, UserError};
pub(super) use cerberus_model::text::{self, plural, shell_word};
pub(super) use cerberus_model::{
    Anchor, Confidence, Language, Memory, MemoryStatus, MemoryType, Origin, RuleKind, Scope,
    Severity, State, format_location,
};
