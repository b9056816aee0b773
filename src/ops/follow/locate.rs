//! Finds the place that a user typed.

use std::path::Path;

use anyhow::{Context, Result};

use crate::error::Failure;
use crate::model::Fingerprint;

use super::Place;
use super::code::FileCode;

/// A place and the fingerprint of the code there.
#[derive(Debug, Clone)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) fingerprint: Fingerprint,
}

pub(crate) fn locate(root: &Path, file: &str, symbol: Option<&str>) -> Result<Located> {
    let code = FileCode::read(root, file)?;
    let at = code
        .candidates
        .iter()
        .position(|it| it.symbol.as_deref() == symbol)
        .or_else(|| code.candidates.iter().position(|it| it.symbol.as_deref().is_some_and(|s| s.ends_with(&format!(".{}", symbol.unwrap_or_default())))))
        .ok_or_else(|| Failure::usage("no such symbol"))
        .context("locate")?;
    Ok(Located {
        place: code.place(at, 1.0),
        fingerprint: code.fingerprint(at),
    })
}
