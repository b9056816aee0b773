//! Names of memories: what is allowed, and one made from a text.
//!
//! An id is also a path below the bank, so it must stay inside on every system.

use crate::error::UserError;

/// The longest id; every file system takes names of this length.
const MAX_BYTES: usize = 120;

/// The longest part of a file's path.
const MAX_PART_BYTES: usize = 240;

/// How much of a text goes into an id made from it.
const MAX_WORDS: usize = 6;
const MAX_MADE_BYTES: usize = 48;

/// Names that some systems keep for devices.
const RESERVED: &[&str] =
    &["con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "lpt1", "lpt2", "lpt3"];

/// Checks that `id` can name a memory of a bank.
pub(crate) fn check(id: &str) -> Result<(), UserError> {
    let refuse = |why: &str| {
        UserError::usage(format!("`{}` cannot be the id of a memory: {why}", id.escape_debug()))
            .hint(
                "use letters, digits, `-`, `_`, `.` and `/` for folders, as in `db/close-sessions`",
            )
    };
    if id.is_empty() {
        return Err(refuse("it is empty"));
    }
    if id.len() > MAX_BYTES {
        return Err(refuse("it is longer than 120 bytes"));
    }
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if let Some(c) = id.chars().find(|c| !allowed(*c)) {
        return Err(refuse(&format!("`{}` is not allowed in it", c.escape_debug())));
    }
    for part in id.split('/') {
        if part.is_empty() || part.starts_with('.') || part.ends_with('.') {
            return Err(refuse("no part of it may be empty or start or end with a dot"));
        }
        let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
        if RESERVED.contains(&stem.as_str()) || part == "indices" {
            return Err(refuse(&format!("`{part}` is reserved")));
        }
    }
    Ok(())
}

/// Checks that `file` can be the file of a memory, as people name files: inside the bank
/// on every system, whatever else is in its name.
pub(crate) fn check_file(file: &str) -> Result<(), UserError> {
    let refuse = |why: &str| {
        UserError::usage(format!("`{}` cannot be the file of a memory: {why}", file.escape_debug()))
            .hint("name it as in `db/close-sessions.md`, below the bank")
    };
    if !file.ends_with(".md") {
        return Err(refuse("it does not end in `.md`"));
    }
    if let Some(c) = file.chars().find(|c| c.is_control() || matches!(c, '\\' | ':')) {
        return Err(refuse(&format!("`{}` is not allowed in it", c.escape_debug())));
    }
    for (at, part) in file.split('/').enumerate() {
        if part.is_empty() || part.starts_with('.') || part.len() > MAX_PART_BYTES {
            return Err(refuse("a part of it is empty, too long or starts with a dot"));
        }
        let stem = part.split('.').next().unwrap_or(part).to_ascii_lowercase();
        if RESERVED.contains(&stem.as_str()) || (at == 0 && part == super::INDICES) {
            return Err(refuse(&format!("`{part}` is reserved")));
        }
    }
    Ok(())
}

/// Returns an id made of a text's first words.
pub(crate) fn from_text(text: &str) -> String {
    let mut id = String::new();
    // "user's" is one word.
    let text: String = text.chars().filter(|c| !matches!(c, '\'' | '’')).collect();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words.take(MAX_WORDS) {
        if !id.is_empty() && id.len() + word.len() >= MAX_MADE_BYTES {
            break;
        }
        if !id.is_empty() {
            id.push('-');
        }
        id.push_str(&word.to_ascii_lowercase());
    }
    id.truncate(MAX_BYTES);
    if id.is_empty() || check(&id).is_err() { "memory".to_owned() } else { id }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_inside_the_bank() {
        for id in ["a", "close-sessions", "db/close", "v1.2", "größe"] {
            assert!(check(id).is_ok(), "{id}");
        }
        for id in [
            "",
            "..",
            "../x",
            "/x",
            "a//b",
            "a\nb",
            "a b",
            ".x",
            "x.",
            "NUL",
            "con.md",
            "a\\b",
            "indices/x",
        ] {
            assert!(check(id).is_err(), "{id:?}");
        }
    }

    #[test]
    fn files_stay_inside_the_bank() {
        for file in ["a.md", "my notes.md", "db/größe~2.md", "a/b/c.d.md"] {
            assert!(check_file(file).is_ok(), "{file}");
        }
        for file in [
            "",
            ".md",
            "a",
            "../x.md",
            "/x.md",
            "C:/x.md",
            "a//b.md",
            "a/../b.md",
            "a\\b.md",
            "a\n.md",
            "NUL.md",
            "db/aux.x.md",
            "indices/x.md",
            ".trash/x.md",
            "anchors.lock",
        ] {
            assert!(check_file(file).is_err(), "{file:?}");
        }
    }

    #[test]
    fn texts_give_readable_ids() {
        assert_eq!(
            from_text("Hash passwords; never store plain text, ever."),
            "hash-passwords-never-store-plain-text"
        );
        assert_eq!(from_text("日本語"), "memory");
        assert_eq!(from_text("Con"), "memory");
    }

    proptest::proptest! {
        #[test]
        fn a_made_id_is_allowed(text in "\\PC{0,200}") {
            proptest::prop_assert!(check(&from_text(&text)).is_ok());
        }
    }
}
