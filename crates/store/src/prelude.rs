//! What most modules of the store use, as in `use crate::prelude::*`.

pub(crate) use std::path::{Path, PathBuf};

pub(crate) use anyhow::{Context, Result};
pub(crate) use rusqlite::{Connection, Row, TransactionBehavior, params};
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use crate::values::{self, from_text, lines};
pub(crate) use crate::{execute, first, for_each, query, value};
pub(crate) use cerberus_model::file_stat::FileStat;
pub(crate) use cerberus_model::*;
