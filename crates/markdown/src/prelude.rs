//! What most modules of the markdown use, as in `use crate::prelude::*`.

pub(crate) use std::borrow::Cow;
pub(crate) use std::collections::BTreeSet;

pub(crate) use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
pub(crate) use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use crate::word_lists::*;
pub(crate) use crate::{Diagnostic, EditError};
pub(crate) use cerberus_model::text::{sentences, suggest};
pub(crate) use cerberus_model::*;
