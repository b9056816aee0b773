//! YAML as far as frontmatter needs it: known keys with untyped values and positions.
//!
//! The only user of the YAML library. Scalars retain their spelling: an id `007` or a tag
//! `1.10` is not read as a number.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use cerberus_model::word_lists;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};
use serde_saphyr::{FlowSeq, LitStr, Location, Spanned};

word_lists! { "../words/frontmatter.txt": KEYS }

/// Far above any useful frontmatter, and small enough to be read in a few milliseconds.
const MAX_EVENTS: usize = 20_000;
const MAX_DEPTH: usize = 32;

/// An entry as it is read; positions are byte offsets in the YAML.
pub(super) struct Entry {
    pub(super) key: &'static str,
    pub(super) key_at: usize,
    pub(super) value: Value,
    pub(super) value_at: usize,
}

pub(super) enum Value {
    Null,
    Scalar(String),
    /// The items of a list; `None` for an item that is not a scalar.
    List(Vec<Option<String>>),
    Other,
}

/// A value as it is written.
#[derive(Debug, PartialEq)]
pub(super) enum Field<'a> {
    Scalar(Cow<'a, str>),
    List(&'a [String]),
    /// Text of several lines, which stay lines.
    Block(&'a str),
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Scalar(word) => word.serialize(serializer),
            Self::List(words) => FlowSeq(words).serialize(serializer),
            Self::Block(text) => LitStr(text).serialize(serializer),
        }
    }
}

pub(super) struct Error {
    pub(super) at: usize,
    pub(super) message: String,
}

/// Returns the entries of a YAML mapping that have known keys, in order.
pub(super) fn entries(yaml: &str) -> Result<Vec<Entry>, Error> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: MAX_EVENTS,
            max_recorded_anchor_events: MAX_EVENTS,
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_EVENTS,
        },
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    };
    let mapping: Option<Mapping> =
        serde_saphyr::from_str_with_options(yaml, options).map_err(|error| Error {
            at: error
                .location()
                .map_or(0, |location| offset(yaml, location)),
            message: message(&error),
        })?;
    let entries = mapping.into_iter().flat_map(|mapping| mapping.0);
    let entries = entries.map(|(key, key_at, value)| Entry {
        key,
        key_at: offset(yaml, key_at),
        value_at: offset(yaml, value.referenced),
        value: match &value.value {
            Node::List(items) => Value::List(items.iter().map(|item| scalar(yaml, item)).collect()),
            Node::Null => Value::Null,
            _ => scalar(yaml, &value).map_or(Value::Other, Value::Scalar),
        },
    });
    Ok(entries.collect())
}

/// Returns the keys of a YAML mapping, or why it is none.
pub fn yaml_keys(yaml: &str) -> Result<BTreeSet<String>, String> {
    let options = serde_saphyr::options! { with_snippet: false };
    let mapping: Result<Option<BTreeMap<String, IgnoredAny>>, _> =
        serde_saphyr::from_str_with_options(yaml, options);
    match mapping {
        Ok(mapping) => Ok(mapping.unwrap_or_default().into_keys().collect()),
        Err(error) => Err(format!("it is not a YAML mapping: {}", message(&error))),
    }
}

/// Returns `fields` as YAML that parses back to the same fields.
pub(super) fn render(fields: &[(&str, Field)]) -> String {
    struct Ordered<'a>(&'a [(&'a str, Field<'a>)]);
    impl Serialize for Ordered<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(key, field)| (key, field)))
        }
    }
    to_yaml(&Ordered(fields))
}

/// Returns a value of strings and lists as YAML.
pub fn to_yaml(value: &impl Serialize) -> String {
    let options = serde_saphyr::ser_options! {
        prefer_block_scalars: false,
    };
    serde_saphyr::to_string_with_options(value, options)
        .expect("strings and lists have a YAML form")
}

fn message(error: &serde_saphyr::Error) -> String {
    if matches!(error, serde_saphyr::Error::Budget { .. }) {
        return "it is too large or too deeply nested".to_owned();
    }
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default();
    // The library counts lines within the block; the diagnostic has the line of the file.
    let (message, _) = message.split_once(" at line ").unwrap_or((message, ""));
    message.to_owned()
}

struct Mapping(Vec<(&'static str, Location, Spanned<Node>)>);

enum Node {
    Null,
    Text(String),
    /// A number or boolean; only the source has its spelling.
    Plain,
    List(Vec<Spanned<Node>>),
    Other,
}

fn scalar(yaml: &str, node: &Spanned<Node>) -> Option<String> {
    match &node.value {
        Node::Text(text) => Some(text.clone()),
        Node::Plain => {
            let span = node.defined.span();
            let start = usize::try_from(span.byte_offset()?).ok()?;
            let len = usize::try_from(span.byte_len()?).ok()?;
            Some(yaml.get(start..start + len)?.to_owned())
        }
        Node::Null | Node::List(_) | Node::Other => None,
    }
}

/// Returns the byte offset of `location`, converted from characters if the library has no bytes.
fn offset(yaml: &str, location: Location) -> usize {
    let span = location.span();
    let known = span.byte_offset().and_then(|at| usize::try_from(at).ok());
    let at = known.or_else(|| {
        let n_chars = usize::try_from(span.offset()).ok()?;
        yaml.char_indices().nth(n_chars).map(|(at, _)| at)
    });
    at.unwrap_or(yaml.len())
}

impl<'de> Deserialize<'de> for Mapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Mapping;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("keys with values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Mapping, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key::<Spanned<String>>()? {
                    match KEYS.entries().iter().find(|&&known| known == key.value) {
                        Some(known) => entries.push((*known, key.referenced, map.next_value()?)),
                        None => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(Mapping(entries))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

macro_rules! visit_plain {
    ($($visit:ident($type:ty)),*) => {
        $(fn $visit<E>(self, _: $type) -> Result<Node, E> {
            Ok(Node::Plain)
        })*
    };
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyNode;

        impl<'de> Visitor<'de> for AnyNode {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Node, E> {
                Ok(Node::Null)
            }

            visit_plain! {
                visit_bool(bool), visit_i64(i64), visit_i128(i128),
                visit_u64(u64), visit_u128(u128), visit_f64(f64)
            }

            fn visit_str<E>(self, text: &str) -> Result<Node, E> {
                Ok(Node::Text(text.to_owned()))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Node::List(items))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Node::Other)
            }
        }

        deserializer.deserialize_any(AnyNode)
    }
}
