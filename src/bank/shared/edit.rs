//! Adds and removes `[[banks]]` in `cerberus.toml`, and preserves everything else.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use super::config::{BankConfig, DEFAULT_FOLDER};

/// Returns the text of a configuration with one more bank.
pub(crate) fn added(text: &str, bank: &BankConfig) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let item = document.entry("banks").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
    let tables = item.as_array_of_tables_mut().ok_or("`banks` is not written as `[[banks]]`")?;
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
    if !text.trim().is_empty() {
        table.decor_mut().set_prefix("\n");
    }
    tables.push(table);
    Ok(document.to_string())
}

/// Returns the text of a configuration without a bank.
pub(crate) fn removed(text: &str, name: &str) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let tables = document.get_mut("banks").and_then(Item::as_array_of_tables_mut);
    let tables = tables.ok_or("`banks` is not written as `[[banks]]`")?;
    tables.retain(|table| table.get("name").and_then(Item::as_str) != Some(name));
    if tables.is_empty() {
        document.remove("banks");
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bank_is_added_and_removed_without_other_changes() {
        let text = "# ours\n[anchor]\nmin_quality = 0.5 # low\n";
        let bank: BankConfig =
            toml::from_str("name = \"team\"\ngit = \"https://example.org/r.git\"\nbranch = \"main\"")
                .expect("valid");
        let with = added(text, &bank).expect("added");
        let expected = "\n[[banks]]\nname = \"team\"\ngit = \"https://example.org/r.git\"\nbranch = \"main\"\n";
        assert_eq!(with, format!("{text}{expected}"));
        assert_eq!(removed(&with, "team").expect("removed"), text);
        assert!(added("banks = 3\n", &bank).is_err());
    }
}
