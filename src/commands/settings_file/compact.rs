//! Entries without spaces, directly after the bracket that opens their object or list: whatever the
//! rest of the file looks like, the bytes that were inserted can be recognized and removed.
//!
//! A space before an entry states that its object or list was there, and empty.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Entry, Settings};
use crate::agents::Header;

/// The place after an opening bracket, with what is written there for an entry.
struct Place {
    at: usize,
    text: String,
    n_others: usize,
    /// Whether the object or list is there without entries of cerberus, too.
    is_own: bool,
}

/// Returns `text` with the entries, unless it is not an object.
pub(super) fn insert(
    text: &str,
    header: Option<&Header>,
    entries: &[&Entry<'_>],
) -> Option<String> {
    let mut text = text.to_owned();
    for entry in entries {
        let Place {
            at,
            text: new,
            n_others,
            is_own,
        } = places(&text, entry)?.pop()?;
        let (before, after) = match n_others {
            0 if is_own => (" ", ""),
            0 => ("", ""),
            _ => ("", ","),
        };
        text.insert_str(at, &format!("{before}{new}{after}"));
    }
    if let Some(header) = header.filter(|_| !entries.is_empty()) {
        let at = start(&text)?;
        text.insert_str(at, &written(header));
    }
    Some(text)
}

/// Returns `text` without what [`insert`] inserted.
pub(super) fn remove(text: &str, settings: &Settings<'_>) -> String {
    let after_header = || {
        let header = written(settings.header?);
        let at = start(text)?;
        let rest = text[at..].strip_prefix(&header)?;
        Some(format!("{}{rest}", &text[..at]))
    };
    let before = after_header().unwrap_or_else(|| text.to_owned());
    let remove_entry = |text: String, entry: &Entry<'_>| {
        let places = places(&text, entry).unwrap_or_default();
        places
            .iter()
            .find_map(|place| place.without(&text))
            .unwrap_or(text)
    };
    let rest = settings
        .entries
        .iter()
        .rev()
        .fold(before.clone(), remove_entry);
    if rest == before {
        text.to_owned()
    } else {
        rest
    }
}

impl Place {
    /// Returns the text without the entry, if it is in this place.
    fn without(&self, text: &str) -> Option<String> {
        let Self {
            at,
            text: entry,
            n_others,
            is_own,
        } = self;
        let (before, rest) = text.split_at(*at);
        let rest = match n_others {
            // The entry itself.
            1 if *is_own => rest.strip_prefix(' ')?.strip_prefix(entry)?,
            1 => rest.strip_prefix(entry)?,
            _ => rest.strip_prefix(entry)?.strip_prefix(',')?,
        };
        Some(format!("{before}{rest}"))
    }
}

/// Returns the places in which an entry may be; in the last one it is inserted.
fn places(text: &str, entry: &Entry<'_>) -> Option<Vec<Place>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    let Some(Value::Object(root)) = parsed.value else {
        return None;
    };
    let Entry {
        parent,
        key,
        kind,
        value,
    } = entry;
    let list = if kind.is_some() {
        format!("[{value}]")
    } else {
        value.clone()
    };
    let property = format!("\"{key}\":{list}");
    let object = format!("\"{parent}\":{{{property}}}");
    let mut places = vec![in_object(&root, object, false)];
    if let Some(inner) = root.get_object(parent) {
        places.push(in_object(inner, property, true));
        if let Some(list) = inner.get_array(key).filter(|_| kind.is_some()) {
            places.push(in_list(list, value.clone()));
        }
    }
    Some(places)
}

fn in_object(object: &Object, text: String, is_own: bool) -> Place {
    Place {
        at: object.start() + 1,
        text,
        n_others: object.properties.len(),
        is_own,
    }
}

fn in_list(list: &Array, text: String) -> Place {
    Place {
        at: list.start() + 1,
        text,
        n_others: list.elements.len(),
        is_own: true,
    }
}

/// Returns the place after the first bracket.
fn start(text: &str) -> Option<usize> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    parsed.value?.as_object().map(|object| object.start() + 1)
}

/// Returns a header as it is inserted: the tabulator marks it as one that was not there.
fn written(header: &Header) -> String {
    format!("\t\"{}\":{},", header.key, header.value)
}
