//! What most commands use, as in `use crate::commands::prelude::*`.

pub(super) use std::collections::{BTreeMap, BTreeSet};
pub(super) use std::path::{Path, PathBuf};

pub(super) use anyhow::{Context, Result};
pub(super) use clap::Args;
pub(super) use serde::Serialize;

pub(super) use crate::config::Settings;
pub(super) use crate::output::{DIM, ERROR, NAME, OK, Printer, WARN};
pub(super) use cerberus_bank::MemoryFile;
pub(super) use cerberus_bank::ops::Project;
pub(super) use cerberus_bank::ops::memories::Memories;
pub(super) use cerberus_model::Severity;
pub(super) use cerberus_model::error::{ExitStatus, UserError};
pub(super) use cerberus_model::text::plural;
