//! A table in a TOML file that a person owns: the rest of the file, with its comments, is preserved.

use toml_edit::{DocumentMut, Item, Table};

/// The result of an edit.
#[derive(Debug, PartialEq)]
pub enum TableEdit {
    /// The new text of the file.
    Changed(String),
    Unchanged,
    /// The table exists with other entries. Its text.
    Different(String),
}

/// The space before an appended table.
const LINE: &str = " ";
const NO_LINE: &str = "\n  ";

/// Adds the table `[parent.name]` with the entries of the TOML text `entries`. Returns the reason
/// if the file cannot hold it.
pub fn add(old: &[u8], parent: &str, name: &str, entries: &str) -> Result<TableEdit, String> {
    added(old, [parent, name, entries], |text| {
        let mut document: DocumentMut = text.parse().map_err(invalid)?;
        let mut implicit = Table::new();
        implicit.set_implicit(true);
        let tables = document.entry(parent).or_insert(Item::Table(implicit));
        let table: DocumentMut = entries.parse().map_err(invalid)?;
        let tables = tables.as_table_mut().ok_or_else(|| no_place(parent))?;
        tables.insert(name, Item::Table(table.as_table().clone()));
        Ok(with_line_endings(document.to_string(), text))
    })
}

/// Like [`add`], but at the end, indented so that [`remove`] restores every byte before it: one space
/// after a complete line, two after one that was not.
pub fn append(old: &[u8], parent: &str, name: &str, entries: &str) -> Result<TableEdit, String> {
    added(old, [parent, name, entries], |text| {
        let indent = if text.is_empty() || text.ends_with('\n') {
            LINE
        } else {
            NO_LINE
        };
        Ok(format!("{text}{indent}[{parent}.{name}]\n{entries}"))
    })
}

fn added(
    old: &[u8],
    [parent, name, entries]: [&str; 3],
    edit: impl Fn(&str) -> Result<String, String>,
) -> Result<TableEdit, String> {
    let text = std::str::from_utf8(old).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let mut expected = parsed(text)?;
    let new = parsed(entries)?;
    if let Some(found) = expected.get(parent).and_then(|tables| tables.get(name)) {
        if found.as_table() == Some(&new) {
            return Ok(TableEdit::Unchanged);
        }
        return Ok(TableEdit::Different(found.to_string()));
    }
    let changed = edit(text)?;
    // Inline and dotted tables can be written in ways that a new table would break.
    let entry = expected
        .entry(parent)
        .or_insert_with(|| toml::Value::Table(toml::Table::new()));
    let entry = entry.as_table_mut().ok_or_else(|| no_place(parent))?;
    entry.insert(name.to_owned(), toml::Value::Table(new));
    if parsed(&changed).as_ref() != Ok(&expected) {
        return Err(no_place(parent));
    }
    Ok(TableEdit::Changed(changed))
}

fn no_place(parent: &str) -> String {
    format!("its `{parent}` has no place for a table")
}

/// Returns the text without a table that [`append`] added.
fn without_appended(text: &str, table: &str) -> Option<String> {
    for indent in [NO_LINE, LINE] {
        let Some((before, after)) = text.split_once(&format!("{indent}{table}")) else {
            continue;
        };
        if indent == NO_LINE || before.is_empty() || before.ends_with('\n') {
            return Some([before, after].concat());
        }
    }
    None
}

/// Removes the table `[parent.name]` if it has the entries of the TOML text `entries`. A comment
/// before it remains.
pub fn remove(old: &[u8], parent: &str, name: &str, entries: &str) -> Result<TableEdit, String> {
    let text = std::str::from_utf8(old).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let all = parsed(text)?;
    let Some(found) = all.get(parent).and_then(|tables| tables.get(name)) else {
        return Ok(TableEdit::Unchanged);
    };
    if found.as_table() != Some(&parsed(entries)?) {
        return Ok(TableEdit::Different(found.to_string()));
    }
    let expected = Ok(without(all, parent, name));
    let table = format!("[{parent}.{name}]\n{entries}");
    if let Some(changed) = without_appended(text, &table)
        && parsed(&changed).map(|all| without(all, parent, name)) == expected
    {
        return Ok(TableEdit::Changed(changed));
    }
    let mut document: DocumentMut = text.parse().map_err(invalid)?;
    if remove_table(&mut document, parent, name).is_some() {
        let changed = with_line_endings(document.to_string(), text);
        if parsed(&changed).map(|all| without(all, parent, name)) == expected {
            return Ok(TableEdit::Changed(changed));
        }
    }
    Err(format!("its `{parent}` is not a table with a heading"))
}

/// Returns the data without a table, and without the parent if that is empty: whether an empty parent
/// stays is a question of layout.
fn without(mut all: toml::Table, parent: &str, name: &str) -> toml::Table {
    if let Some(toml::Value::Table(tables)) = all.get_mut(parent) {
        tables.remove(name);
        if tables.is_empty() {
            all.remove(parent);
        }
    }
    all
}

/// Removes a table, but not the comment before it. Returns `None` if it has no heading.
fn remove_table(document: &mut DocumentMut, parent: &str, name: &str) -> Option<()> {
    let tables = document.get_mut(parent)?.as_table_mut()?;
    let removed = tables.remove(name)?;
    if tables.is_empty() && tables.is_implicit() {
        document.remove(parent);
    }
    if let Some(table) = removed.as_table()
        && let Some(prefix) = table.decor().prefix()
        && let Some(comment) = prefix.as_str()
        && comment.contains('#')
    {
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        document.set_trailing(format!("{comment}{trailing}"));
    }
    Some(())
}

fn parsed(text: &str) -> Result<toml::Table, String> {
    text.parse().map_err(|error: toml::de::Error| {
        let reason = error.message().lines().next().unwrap_or_default();
        format!("it is not valid TOML: {reason}")
    })
}

fn invalid(error: toml_edit::TomlError) -> String {
    format!("it is not valid TOML: {}", error.message())
}

/// Gives a text the line endings of the old one.
fn with_line_endings(text: String, old: &str) -> String {
    let is_windows = old.contains("\r\n");
    if is_windows {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: &str = "command = \"x\"\nargs = [\"mcp\"]\n";
    const TABLE: &str = "[servers.a]\ncommand = \"x\"\nargs = [\"mcp\"]\n";

    /// Checks the text with the table, and that a removal restores the old one.
    #[track_caller]
    fn check(old: &str, expected: &str) {
        let added = add(old.as_bytes(), "servers", "a", ENTRIES);
        assert_eq!(added, Ok(TableEdit::Changed(expected.to_owned())));
        let again = add(expected.as_bytes(), "servers", "a", ENTRIES);
        assert_eq!(again, Ok(TableEdit::Unchanged), "idempotent");
        let removed = remove(expected.as_bytes(), "servers", "a", ENTRIES);
        assert_eq!(removed, Ok(TableEdit::Changed(old.to_owned())));
    }

    #[test]
    fn a_table_is_added_and_removed() {
        check("", TABLE);
        check(
            "# note\nmodel = \"m\"   # why\n",
            &format!("# note\nmodel = \"m\"   # why\n\n{TABLE}"),
        );
        check(
            "a = 1\r\n",
            &format!("a = 1\r\n\r\n{}", TABLE.replace('\n', "\r\n")),
        );
        check(
            "[servers.b]\nargs = [\n  \"c\", # one\n]\n\n[z]\na = 1\n",
            &format!("[servers.b]\nargs = [\n  \"c\", # one\n]\n\n{TABLE}\n[z]\na = 1\n"),
        );
    }

    #[test]
    fn a_comment_before_the_table_and_other_entries_remain() {
        let text = format!("a = 1\n\n# mine\n{TABLE}");
        let removed = remove(text.as_bytes(), "servers", "a", ENTRIES);
        assert_eq!(
            removed,
            Ok(TableEdit::Changed("a = 1\n\n# mine\n".to_owned()))
        );
        for edit in [add, remove] {
            let other = edit(
                b"[servers]\na = { command = \"y\" }\n",
                "servers",
                "a",
                ENTRIES,
            );
            assert!(matches!(other, Ok(TableEdit::Different(text)) if text.contains('y')));
        }
        assert_eq!(
            remove(b"b = 1\n", "servers", "a", ENTRIES),
            Ok(TableEdit::Unchanged)
        );
    }

    #[test]
    fn what_cannot_hold_a_table_is_refused() {
        for old in [
            "servers = 1\n",
            "servers = { b = 1 }\n",
            "servers = \n",
            "[[servers]]\n",
        ] {
            assert!(
                add(old.as_bytes(), "servers", "a", ENTRIES).is_err(),
                "{old}"
            );
        }
        assert!(add(b"\xff", "servers", "a", ENTRIES).is_err());
    }
}
