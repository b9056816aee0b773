//! What most modules of the engine use, as in `use crate::prelude::*`.

pub(crate) use std::cell::RefCell;
pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::ops::{ControlFlow, Range};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::{Arc, LazyLock};

pub(crate) use anyhow::{Context, Result};
pub(crate) use memchr::memmem;
pub(crate) use rayon::prelude::*;
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use tree_sitter::Node;

pub(crate) use cerberus_model::text::conventions::{self, CONVENTIONS};
pub(crate) use cerberus_model::*;
