//! Edits of the JSON settings of agents: comments, order and layout are preserved.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};

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
        Self { text, edited: Vec::new() }
    }
}

/// A settings file with an object.
pub(crate) struct SettingsFile {
    root: CstRootNode,
    is_new: bool,
}

impl SettingsFile {
    /// Parses the bytes of a file, or returns why they are not settings. Comments and trailing
    /// commas are accepted.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not valid UTF-8".to_owned())?;
        let root = CstRootNode::parse(text, &ParseOptions::default())
            .map_err(|error| format!("it is not valid JSON: {error}"))?;
        if root.value().is_none() && !text.trim().is_empty() {
            return Err("it contains only comments".to_owned());
        }
        Ok(Self { root, is_new: text.is_empty() })
    }

    /// Returns the object of the file, which is created if the file is empty.
    pub(crate) fn object(&self) -> Result<CstObject, String> {
        Ok(self.root.object_value_or_create().ok_or("it is not a JSON object")?)
    }

    /// Returns the text of the file.
    pub(crate) fn text(&self) -> Vec<u8> {
        let mut text = self.root.to_string();
        if !text.ends_with('\n') && self.is_new {
            text.push('\n');
        }
        text.into_bytes()
    }

    /// Returns the text of the file after a removal, which is empty if only an empty object
    /// remains, without a comment.
    pub(crate) fn text_or_empty(&self) -> Vec<u8> {
        let text = self.root.to_string();
        let is_empty = text.chars().filter(|c| !c.is_whitespace()).eq(['{', '}']);
        if is_empty { Vec::new() } else { text.into_bytes() }
    }
}

/// Whether a node has this value, in any layout and order of the keys.
pub(crate) fn is_equal(node: &CstNode, value: &CstInputValue) -> bool {
    match value {
        CstInputValue::Null => node.as_null_keyword().is_some(),
        CstInputValue::Bool(value) => node.as_boolean_lit().is_some_and(|it| it.value() == *value),
        CstInputValue::Number(value) => {
            node.as_number_lit().is_some_and(|number| number.to_string() == *value)
        }
        CstInputValue::String(value) => node
            .as_string_lit()
            .and_then(|it| it.decoded_value().ok())
            .is_some_and(|it| it == *value),
        CstInputValue::Array(values) => node.as_array().is_some_and(|array| {
            let nodes = array.elements();
            nodes.len() == values.len()
                && nodes.iter().zip(values).all(|(node, value)| is_equal(node, value))
        }),
        CstInputValue::Object(values) => node.as_object().is_some_and(|object| {
            object.properties().len() == values.len()
                && values.iter().all(|(key, value)| {
                    let node = object.get(key).and_then(|property| property.value());
                    node.is_some_and(|node| is_equal(&node, value))
                })
        }),
    }
}
