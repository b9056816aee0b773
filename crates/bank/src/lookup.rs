//! Finds an id that a person typed, completely or by a unique prefix.

use anyhow::Result;
use cerberus_model::{refuse, text};

/// Returns the position of the id that is `typed` or has it as a unique prefix. The kind of the ids is
/// `memory`, `pin` or `trashed memory`.
pub(crate) fn find_named(kind: &str, typed: &str, ids: &[&str]) -> Result<usize> {
    if let Some(id_idx) = ids.iter().position(|id| *id == typed) {
        return Ok(id_idx);
    }
    let mut matches = Vec::new();
    for (id_idx, id) in ids.iter().enumerate() {
        if !typed.is_empty() && id.starts_with(typed) {
            matches.push(id_idx);
        }
    }
    match matches[..] {
        [id_idx] => Ok(id_idx),
        [] => {
            let hint = match (kind, text::suggest(typed, ids.iter().copied())) {
                (_, Some(near)) => format!("did you mean `{near}`?"),
                ("pin", None) => "list the pins with `cerberus memory pin list`".to_owned(),
                ("trashed memory", None) if ids.is_empty() => "the trash is empty".to_owned(),
                ("trashed memory", None) => format!("the trash contains: {}", ids.join(", ")),
                (_, None) => "list the memories with `cerberus memory show`".to_owned(),
            };
            refuse(format!("{kind} `{typed}` not found"), hint)
        }
        _ => {
            let shown: Vec<&str> = matches.iter().take(5).map(|&id_idx| ids[id_idx]).collect();
            refuse(
                format!("`{typed}` is a prefix of {} ids", matches.len()),
                format!("type more characters of one of: {}", shown.join(", ")),
            )
        }
    }
}

/// Like [`find_named`], but the complete id is necessary: a mistyped id must not remove something else.
pub(crate) fn find_whole(kind: &str, typed: &str, ids: &[&str]) -> Result<usize> {
    let id_idx = find_named(kind, typed, ids)?;
    if ids[id_idx] == typed {
        return Ok(id_idx);
    }
    refuse(
        format!("`{typed}` is not a complete {kind} id"),
        format!("type the complete id, such as `{}`", ids[id_idx]),
    )
}
