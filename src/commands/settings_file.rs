//! Edits of the files in which agents and git run cerberus. `setup` merges entries into them and removes them again.
//!
//! Comments, order, layout and all other entries are preserved, and so are edited entries of cerberus.

use jsonc_parser::ast::Value;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::agents::Header;

mod block;
mod compact;
mod content;
mod script;

pub(crate) use content::Content;

/// A text with merged or removed settings.
#[derive(Debug, PartialEq)]
pub(crate) struct Edited {
    /// The new text. It is empty if nothing remains, so that the file can be removed.
    pub(crate) text: Vec<u8>,
    /// The entries of cerberus that a person edited, so that they are not changed.
    pub(crate) edited: Vec<String>,
}

impl Edited {
    pub(crate) fn new(text: Vec<u8>) -> Self {
        Self {
            text,
            edited: Vec::new(),
        }
    }
}

/// What cerberus has in JSON settings.
#[derive(Clone)]
pub(crate) struct Settings<'a> {
    header: Option<&'a Header>,
    entries: Vec<Entry<'a>>,
}

/// One entry of cerberus.
#[derive(Clone)]
struct Entry<'a> {
    /// The key of the object that it is in.
    parent: &'a str,
    /// Its key, or that of the list that it is in.
    key: &'a str,
    /// The moment of `cerberus hooks run`, for an entry of a list.
    kind: Option<&'a str>,
    /// Its JSON, without spaces.
    value: String,
}

/// How missing entries are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Like the rest of the file, at the end of their objects.
    Like,
    /// Without spaces at the start of their objects, so that a removal restores any file.
    Compact,
}

/// What settings have in the place of an entry.
enum Found {
    Nothing,
    Same,
    Edited(String),
}

/// Returns `old` with the entries merged, or the reason for the failure. Edited entries stay.
fn merge(old: &[u8], settings: &Settings<'_>, layout: Layout) -> Result<Edited, String> {
    let root = parse(old)?;
    let object = root
        .object_value_or_create()
        .ok_or("it is not a JSON object")?;
    let mut missing = Vec::new();
    let mut edited = Vec::new();
    for entry in &settings.entries {
        match find(&object, entry)? {
            Found::Nothing => missing.push(entry),
            Found::Same => {}
            Found::Edited(text) => edited.push(text),
        }
    }
    let header = settings.header.filter(|header| {
        let is_wanted = old.is_empty() || !header.is_optional;
        is_wanted && object.get(&header.key).is_none()
    });
    if layout == Layout::Compact {
        let text = String::from_utf8_lossy(old);
        let text = compact::insert(&text, header, &missing);
        return Ok(Edited {
            text: text.ok_or("it has no place for it")?.into_bytes(),
            edited,
        });
    }
    if let Some(header) = header {
        object.append(&header.key, input(&header.value));
    }
    for Entry {
        parent,
        key,
        kind,
        value,
    } in missing
    {
        let inner = object.object_value_or_create(parent);
        let inner = inner.ok_or_else(|| format!("its `{parent}` is not an object"))?;
        if kind.is_none() {
            inner.append(key, input(value));
        } else if let Some(list) = inner.array_value_or_create(key) {
            list.append(input(value));
        }
    }
    let mut text = root.to_string();
    if old.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(Edited {
        text: text.into_bytes(),
        edited,
    })
}

/// Looks for an entry, or returns why the settings have no place for it.
fn find(object: &CstObject, entry: &Entry<'_>) -> Result<Found, String> {
    let Entry {
        parent,
        key,
        kind,
        value,
    } = entry;
    let Some(inner) = only(object, parent)? else {
        return Ok(Found::Nothing);
    };
    let inner = inner
        .as_object()
        .ok_or_else(|| format!("its `{parent}` is not an object"))?;
    let Some(found) = only(&inner, key)? else {
        return Ok(Found::Nothing);
    };
    let Some(kind) = kind else {
        let is_same = is_equal(&found, value);
        return Ok(if is_same {
            Found::Same
        } else {
            Found::Edited(found.to_string())
        });
    };
    let list = found
        .as_array()
        .ok_or_else(|| format!("its `{key}` is not an array"))?;
    let ours = of_kind(&list, kind);
    Ok(match ours.first() {
        None => Found::Nothing,
        Some(_) if ours.iter().any(|node| is_equal(node, value)) => Found::Same,
        Some(first) => Found::Edited(commands(first).into_iter().next().unwrap_or_default()),
    })
}

/// Returns the value of a key. Of a key that is there twice, programs read different values.
fn only(object: &CstObject, key: &str) -> Result<Option<CstNode>, String> {
    let is_it = |name: Option<String>| name.as_deref() == Some(key);
    let properties = object.properties();
    let mut named = properties
        .iter()
        .filter(|property| is_it(property.decoded_name()));
    let value = named
        .next()
        .map(|property| property.value().ok_or(format!("its `{key}` has no value")));
    match named.next() {
        None => value.transpose(),
        Some(_) => Err(format!("its `{key}` is there twice")),
    }
}

/// Returns `old` without the entries, or the reason for the failure. Edited entries stay. A parent
/// that is empty then stays if `is_parent_kept`.
fn remove(old: &[u8], settings: &Settings<'_>, is_parent_kept: bool) -> Result<Edited, String> {
    if old.is_empty() {
        return Ok(Edited::new(Vec::new()));
    }
    let text = std::str::from_utf8(old).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let old = compact::remove(text, settings);
    let root = parse(old.as_bytes())?;
    let object = root
        .object_value_or_create()
        .ok_or("it is not a JSON object")?;
    let mut edited = Vec::new();
    let mut n_removed = 0;
    for Entry {
        parent,
        key,
        kind,
        value,
    } in &settings.entries
    {
        let Some(inner) = object.object_value(parent) else {
            continue;
        };
        if let Some(kind) = kind {
            let Some(list) = inner.array_value(key) else {
                continue;
            };
            for node in of_kind(&list, kind) {
                if is_equal(&node, value) {
                    node.remove();
                    n_removed += 1;
                } else {
                    edited.extend(commands(&node).into_iter().next());
                }
            }
            if n_removed > 0 && list.elements().is_empty() {
                remove_property(&inner, key);
            }
        } else if let Some(found) = inner.get(key).and_then(|property| property.value()) {
            if is_equal(&found, value) {
                remove_property(&inner, key);
                n_removed += 1;
            } else {
                edited.push(found.to_string());
            }
        }
        if n_removed > 0 && inner.properties().is_empty() && !is_parent_kept {
            remove_property(&object, parent);
        }
    }
    if n_removed == 0 {
        return Ok(Edited {
            text: old.into_bytes(),
            edited,
        });
    }
    if let ([property], Some(header)) = (&object.properties()[..], settings.header)
        && property.decoded_name().as_deref() == Some(&header.key)
    {
        property.clone().remove();
    }
    let text = root.to_string();
    let is_empty = text.chars().filter(|c| !c.is_whitespace()).eq(['{', '}']);
    Ok(Edited {
        text: if is_empty {
            Vec::new()
        } else {
            text.into_bytes()
        },
        edited,
    })
}

/// Parses the bytes of a file, or returns why they are not settings. Comments and trailing commas are
/// accepted.
fn parse(bytes: &[u8]) -> Result<CstRootNode, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
    let root = CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|error| format!("it is not valid JSON: {error}"))?;
    if root.value().is_none() && !text.trim().is_empty() {
        return Err("it contains only comments".to_owned());
    }
    Ok(root)
}

fn remove_property(object: &CstObject, key: &str) {
    if let Some(property) = object.get(key) {
        property.remove();
    }
}

/// Returns JSON as a value that can be inserted, which is then laid out like the file.
fn input(json: &str) -> CstInputValue {
    fn of(value: &Value<'_>) -> CstInputValue {
        match value {
            Value::StringLit(text) => CstInputValue::String(text.value.to_string()),
            Value::NumberLit(number) => CstInputValue::Number(number.value.to_owned()),
            Value::BooleanLit(it) => CstInputValue::Bool(it.value),
            Value::NullKeyword(_) => CstInputValue::Null,
            Value::Array(array) => CstInputValue::Array(array.elements.iter().map(of).collect()),
            Value::Object(object) => {
                let properties = object.properties.iter();
                let property = properties
                    .map(|property| (property.name.as_str().to_owned(), of(&property.value)));
                CstInputValue::Object(property.collect())
            }
        }
    }
    let parsed = parse_to_ast(json, &CollectOptions::default(), &ParseOptions::default());
    let value = parsed.ok().and_then(|parsed| parsed.value);
    value.map_or(CstInputValue::Null, |value| of(&value))
}

/// Whether a node has the value of this JSON, in any layout and order of the keys.
fn is_equal(node: &CstNode, json: &str) -> bool {
    let value = serde_json::from_str::<serde_json::Value>(json).ok();
    value.is_some() && node.to_serde_value() == value
}

/// Returns the entries that run cerberus for an event.
fn of_kind(entries: &CstArray, event: &str) -> Vec<CstNode> {
    let mut found = entries.elements();
    found.retain(|entry| {
        commands(entry).iter().any(|command| {
            let (_, arguments) = command
                .rsplit_once("cerberus hooks run ")
                .unwrap_or_default();
            arguments.split_whitespace().any(|word| word == event)
        })
    });
    found
}

/// Returns the commands of an entry, which may be in its `hooks`.
fn commands(entry: &CstNode) -> Vec<String> {
    let Some(entry) = entry.as_object() else {
        return Vec::new();
    };
    let own = |object: &CstObject| -> Vec<String> {
        let values = ["command", "bash"]
            .into_iter()
            .filter_map(|name| object.get(name)?.value());
        values
            .filter_map(|value| value.as_string_lit()?.decoded_value().ok())
            .collect()
    };
    let inner = entry
        .array_value("hooks")
        .map(|array: CstArray| array.elements())
        .unwrap_or_default();
    let inner = inner.iter().filter_map(CstNode::as_object);
    own(&entry)
        .into_iter()
        .chain(inner.flat_map(|hook| own(&hook)))
        .collect()
}

#[cfg(test)]
mod tests;
