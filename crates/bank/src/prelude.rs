//! What most modules of the bank use, as in `use crate::prelude::*`.

pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use anyhow::{Context, Result};
pub(crate) use clap::Args;
pub(crate) use jiff::Timestamp;
pub(crate) use rayon::prelude::*;
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::lockfile::Anchors;
pub(crate) use crate::{Bank, MemoryFile, files, names, tokens};
pub(crate) use cerberus_engine::rank::tokenize;
pub(crate) use cerberus_engine::track;
pub(crate) use cerberus_engine::tree::{git, read, walk};
pub(crate) use cerberus_markdown::frontmatter::{self, FieldValue, Frontmatter};
pub(crate) use cerberus_markdown::sections;
pub(crate) use cerberus_model::file_stat::FileStat;
pub(crate) use cerberus_model::*;
