//! Edits `[[banks]]` in `cerberus.toml`, and preserves everything else.

use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

use super::config::{BankConfig, DEFAULT_FOLDER};

/// Returns the text of a configuration with one more bank at its end.
pub fn added(text: &str, bank: &BankConfig) -> Result<String, String> {
    let mut added = ArrayOfTables::new();
    let mut table = Table::new();
    let fields = [
        ("name", Some(&bank.name)),
        ("git", bank.git.as_ref()),
        ("path", bank.path.as_ref()),
        ("rev", bank.rev.as_ref()),
        ("tag", bank.tag.as_ref()),
        ("branch", bank.branch.as_ref()),
        ("folder", Some(&bank.folder).filter(|folder| *folder != DEFAULT_FOLDER)),
    ];
    for (key, field) in fields {
        if let Some(field) = field {
            table[key] = value(field);
        }
    }
    added.push(table);
    let mut document = DocumentMut::new();
    document["banks"] = Item::ArrayOfTables(added);
    // Comments at the end belong to the table above them, so the text is extended and not edited.
    let above = text.trim_end();
    let space = if above.is_empty() { "" } else { "\n\n" };
    let new = format!("{above}{space}{document}");
    let mut document = new.parse::<DocumentMut>().map_err(|error| format!("{error}"))?;
    let same_name = tables(&mut document)?.iter().filter(|it| is_named(it, &bank.name)).count();
    if same_name > 1 {
        return Err(format!("it has a bank `{}` already", bank.name));
    }
    Ok(new)
}

/// Returns the text of a configuration without a bank, but with the comments above it.
pub fn removed(text: &str, name: &str) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let tables = tables(&mut document)?;
    let is_named = |table: &Table| is_named(table, name);
    let above: String = tables
        .iter()
        .filter(|table| is_named(table))
        .filter_map(|table| table.decor().prefix()?.as_str().map(str::to_owned))
        .collect();
    tables.retain(|table| !is_named(table));
    if tables.is_empty() {
        document.remove("banks");
    }
    let after = document.trailing().as_str().unwrap_or_default().to_owned();
    document.set_trailing(format!("{above}{after}"));
    let new = document.to_string();
    Ok(if new.trim().is_empty() { String::new() } else { format!("{}\n", new.trim_end()) })
}

/// Returns the text of a configuration in which `no_example` of a bank has an id, or has it no more.
pub(crate) fn with_no_example(
    text: &str,
    name: &str,
    id: &str,
    has_no_example: bool,
) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let table = tables(&mut document)?.iter_mut().find(|table| is_named(table, name));
    let table = table.ok_or_else(|| format!("it has no bank `{name}`"))?;
    let ids = table.entry("no_example").or_insert(value(Array::new()));
    let ids = ids.as_array_mut().ok_or("`no_example` is not a list")?;
    ids.retain(|known| known.as_str() != Some(id));
    if has_no_example {
        ids.push(id);
    }
    if ids.is_empty() {
        table.remove("no_example");
    }
    Ok(document.to_string())
}

fn tables(document: &mut DocumentMut) -> Result<&mut ArrayOfTables, String> {
    let tables = document.get_mut("banks").and_then(Item::as_array_of_tables_mut);
    tables.ok_or_else(|| "`banks` is not written as `[[banks]]`".to_owned())
}

fn is_named(table: &Table, name: &str) -> bool {
    table.get("name").and_then(Item::as_str) == Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_is_added_and_removed_without_other_changes() {
        let text = "# ours\n[anchor]\nmin_quality = 0.5 # low\n";
        let bank: BankConfig = toml::from_str(
            "name = \"team\"\ngit = \"https://example.org/r.git\"\nbranch = \"main\"",
        )
        .expect("valid");
        let with = added(text, &bank).expect("added");
        let expected = "\n[[banks]]\nname = \"team\"\ngit = \"https://example.org/r.git\"\nbranch = \"main\"\n";
        assert_eq!(with, format!("{text}{expected}"));
        assert_eq!(removed(&with, "team").expect("removed"), text);
        assert!(added("banks = 3\n", &bank).is_err());
        assert_eq!(added("", &bank).expect("added"), expected.trim_start());
        // Comments of another table remain in it.
        let text = "[check]\n# exclude = []\n";
        let with = added(text, &bank).expect("added");
        assert_eq!(with, format!("{text}{expected}"));
        assert_eq!(removed(&with, "team").expect("removed"), text);
    }

    #[test]
    fn an_id_is_added_to_and_removed_from_the_memories_without_an_example() {
        let text = "# ours\n[[banks]]\nname = \"team\" # all\npath = \"../rules\"\n\n# next\n[[banks]]\nname = \"x\"\npath = \"../x\"\n";
        let with = |text: &str, id: &str, has: bool| {
            with_no_example(text, "team", id, has).expect("edited")
        };
        let one = with(text, "velvet", true);
        let line = "path = \"../rules\"\nno_example = [\"velvet\"]\n";
        assert_eq!(one, text.replace("path = \"../rules\"\n", line));
        let two = with(&one, "db/close", true);
        assert!(two.contains("no_example = [\"velvet\", \"db/close\"]\n"), "{two}");
        assert_eq!(with(&two, "db/close", true), two);
        assert_eq!(with(&two, "db/close", false), one);
        assert_eq!(with(&one, "velvet", false), text);
        assert_eq!(with(text, "velvet", false), text);
        assert!(with_no_example(text, "other", "velvet", true).is_err());
        assert!(with_no_example("banks = 3\n", "team", "velvet", true).is_err());
    }
}
