//! What most modules of the bank use, as in `use crate::prelude::*`.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::path::{Path, PathBuf};

pub(crate) use anyhow::{Context, Result};
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use serde::{Deserialize, Serialize};

pub(crate) use crate::MemoryFile;
pub(crate) use cerberus_model::{Anchor, MemoryStatus, UserError, text};
