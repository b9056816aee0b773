//! What most modules of the engine use, as in `use crate::prelude::*`.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::LazyLock;

pub(crate) use anyhow::Result;
pub(crate) use rayon::prelude::*;
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use cerberus_model::{Anchor, Fingerprint, Language, SymbolKind, text};
