//! What most modules of the claims use, as in `use crate::prelude::*`.

pub(crate) use std::collections::{BTreeMap, BTreeSet};
pub(crate) use std::path::{Path, PathBuf};
pub(crate) use std::sync::Arc;

pub(crate) use rayon::prelude::*;
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use crate::parse::{Claim, Part, Place, Target, Task};
pub(crate) use crate::{Document, folder_of, is_within};
pub(crate) use cerberus_engine::tree::git::past::{self, TreeEntry};
pub(crate) use cerberus_engine::tree::git::{self, Objects};
pub(crate) use cerberus_engine::tree::read;
pub(crate) use cerberus_model::text::conventions::{self, CONVENTIONS};
pub(crate) use cerberus_model::text::{self, Span};
