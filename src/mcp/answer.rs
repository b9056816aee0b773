//! Reports and failures as results of tools: data and readable text, both bounded.
//!
//! The text is the same report without braces, so that it costs less and reads better.

use std::fmt::Write as _;

use anyhow::{Error, Result};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::UserError;
use crate::tokens;

/// The most tokens of an answer, each as data and as text; hosts warn of 10,000.
const MAX_TOKENS: usize = 5000;

/// Room for the line that says what was cut.
const ROOM_TO_TELL: usize = 150;

/// From this length on a string is cut before anything is left out.
const LONG_BYTES: usize = 2000;

/// What stands first in the text of a thing, in this order.
const FIRST: &[&str] = &["rank", "id", "state", "file", "symbol", "reason"];

/// What only the data has: it explains a rank or repeats what is known.
const DATA_ONLY: &[&str] =
    &["signals", "recency", "size", "match", "tokenizer", "contribution", "approval"];

/// What a tool answers.
pub(super) struct Answer {
    data: Value,
    text: Option<String>,
    /// How to get what is cut.
    more: &'static str,
    limit: usize,
    failure: Option<&'static str>,
}

impl Answer {
    /// Returns a report as an answer; `more` says how to get what does not fit.
    pub(super) fn of<T: Serialize>(report: &T, more: &'static str) -> Result<Self> {
        let data = serde_json::to_value(report)?;
        Ok(Self { data, text: None, more, limit: MAX_TOKENS, failure: None })
    }

    /// Takes fields away that the agent has no use for.
    pub(super) fn without(mut self, fields: &[&str]) -> Self {
        if let Value::Object(map) = &mut self.data {
            map.retain(|key, _| !fields.contains(&key.as_str()));
        }
        self
    }

    /// Gives this text instead of one made of the data.
    pub(super) fn with_text(mut self, text: String) -> Self {
        self.text = Some(text);
        self
    }

    /// Lets the answer have as many tokens as the agent asked for.
    pub(super) fn within(mut self, tokens: Option<usize>) -> Self {
        self.limit = self.limit.max(tokens.unwrap_or(0).saturating_mul(2));
        self
    }

    /// Says that what was asked for was not reached, and what to do.
    pub(super) fn failed(mut self, failure: &'static str) -> Self {
        self.failure = Some(failure);
        self
    }

    /// Returns the answer as the protocol has it, within its limit.
    pub(super) fn into_result(mut self) -> CallToolResult {
        let room = self.limit.saturating_sub(ROOM_TO_TELL);
        let cut = fit(&mut self.data, room);
        if let (Some(cut), Value::Object(map)) = (cut, &mut self.data) {
            let told = format!("{cut}; for more: {}", self.more);
            map.insert("truncated".to_owned(), Value::String(told));
        }
        let mut text = match self.text {
            Some(text) if tokens::count(&text) <= self.limit => text,
            _ => readable(&self.data),
        };
        if let Some(failure) = self.failure {
            text = format!("{failure}\n{text}");
        }
        let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
        result.structured_content = Some(self.data);
        result.is_error = Some(self.failure.is_some());
        result
    }
}

/// Returns a failure with its next steps, for the agent to act on.
pub(super) fn failed(error: &Error) -> CallToolResult {
    let failure = error.chain().find_map(|cause| cause.downcast_ref::<UserError>());
    let mut text = format!("{error:#}");
    for hint in failure.map(|failure| failure.hints.as_slice()).unwrap_or_default() {
        let _ = write!(text, "\nhint: {hint}");
    }
    CallToolResult::error(vec![ContentBlock::text(text)])
}

/// Cuts data until it has no more tokens than `limit`; returns what it cut.
fn fit(data: &mut Value, limit: usize) -> Option<String> {
    let before = lengths(data);
    let mut is_cut = false;
    loop {
        let text = data.to_string();
        // A token has at least one byte.
        if text.len() <= limit || tokens::count(&text) <= limit || !shorten(data) {
            break;
        }
        is_cut = true;
    }
    let left_out: Vec<String> = before
        .iter()
        .zip(lengths(data))
        .filter(|((_, all), (_, kept))| kept < all)
        .map(|((key, all), (_, kept))| format!("{kept} of {all} {key}"))
        .collect();
    is_cut.then(|| match left_out[..] {
        [] => "long texts are cut".to_owned(),
        _ => format!("only {}", left_out.join(", ")),
    })
}

/// Returns the length of each list of a report.
fn lengths(data: &Value) -> Vec<(String, usize)> {
    let fields = data.as_object().into_iter().flatten();
    fields.filter_map(|(key, it)| Some((key.clone(), it.as_array()?.len()))).collect()
}

/// Makes the data smaller: long strings first, then the longest list; returns whether it could.
fn shorten(data: &mut Value) -> bool {
    let longest = longest_string(data).map_or(0, |text| text.len());
    if longest < LONG_BYTES
        && let Some(list) = largest_list(data)
    {
        list.truncate(list.len() * 3 / 4);
        return true;
    }
    let Some(text) = longest_string(data).filter(|text| text.len() > "…".len()) else {
        return false;
    };
    let middle = (0..=text.len() / 2).rev().find(|&at| text.is_char_boundary(at));
    text.truncate(middle.unwrap_or(0));
    text.push('…');
    true
}

fn longest_string(data: &mut Value) -> Option<&mut String> {
    match data {
        Value::String(text) => Some(text),
        Value::Array(list) => list.iter_mut().filter_map(longest_string).max_by_key(|it| it.len()),
        Value::Object(map) => map.values_mut().filter_map(longest_string).max_by_key(|it| it.len()),
        _ => None,
    }
}

/// Returns the list of a report that takes most room.
fn largest_list(data: &mut Value) -> Option<&mut Vec<Value>> {
    let fields = data.as_object_mut()?.values_mut();
    let lists = fields.filter_map(Value::as_array_mut).filter(|list| !list.is_empty());
    lists.max_by_key(|list| list.iter().map(|it| it.to_string().len()).sum::<usize>())
}

/// Returns data as indented lines, without what is empty.
fn readable(data: &Value) -> String {
    let mut text = String::new();
    match data {
        Value::Object(map) => {
            for (key, value) in ordered(map) {
                let is_nothing = value.as_array().is_some_and(Vec::is_empty);
                if is_nothing && key != "warnings" {
                    let _ = writeln!(text, "{key}: none");
                }
                field(&mut text, 0, key, value);
            }
        }
        other => text = scalar(other),
    }
    text.truncate(text.trim_end().len());
    text
}

fn field(text: &mut String, indent: usize, key: &str, value: &Value) {
    let margin = " ".repeat(indent);
    match value {
        _ if is_empty(value) => {}
        Value::String(long) if long.contains('\n') => {
            let _ = writeln!(text, "{margin}{key}: |");
            block(text, indent + 2, long);
        }
        Value::Array(list) if list.iter().all(is_plain) => {
            let words: Vec<String> = list.iter().map(scalar).collect();
            let _ = writeln!(text, "{margin}{key}: {}", words.join(", "));
        }
        Value::Array(list) => {
            let _ = writeln!(text, "{margin}{key}:");
            for item in list {
                item_lines(text, indent, item);
            }
        }
        Value::Object(map) => {
            let _ = writeln!(text, "{margin}{key}:");
            fields(text, indent + 2, map);
        }
        plain => {
            let _ = writeln!(text, "{margin}{key}: {}", scalar(plain));
        }
    }
}

fn fields(text: &mut String, indent: usize, map: &Map<String, Value>) {
    for (key, value) in ordered(map) {
        field(text, indent, key, value);
    }
}

/// Returns what the text shows of a map, in the order that it is read in.
fn ordered(map: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let shown = map.iter().filter(|(key, _)| !DATA_ONLY.contains(&key.as_str()));
    let mut fields: Vec<(&str, &Value)> = shown.map(|(key, value)| (key.as_str(), value)).collect();
    let place = |key: &str| FIRST.iter().position(|it| *it == key).unwrap_or(FIRST.len());
    fields.sort_by_key(|(key, _)| place(key));
    fields
}

/// Writes an item of a list: its first line begins with a dash.
fn item_lines(text: &mut String, indent: usize, item: &Value) {
    let start = text.len();
    match item {
        Value::Object(map) => fields(text, indent + 2, map),
        Value::String(long) => block(text, indent + 2, long),
        plain => block(text, indent + 2, &scalar(plain)),
    }
    if text.len() > start {
        text.replace_range(start + indent..start + indent + 1, "-");
    }
}

fn block(text: &mut String, indent: usize, long: &str) {
    let margin = " ".repeat(indent);
    for line in long.lines() {
        let _ = writeln!(text, "{}", format!("{margin}{line}").trim_end());
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.values().all(is_empty),
        _ => false,
    }
}

fn is_plain(value: &Value) -> bool {
    match value {
        // A sentence has commas of its own.
        Value::String(text) => !text.contains(['\n', ' ', ',']),
        Value::Array(_) | Value::Object(_) => false,
        _ => true,
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_reads_without_braces() {
        let report = json!({
            "query": "close",
            "results": [
                { "why": ["close", "session"], "id": "a", "text": "one\n\n  two", "sections": [] },
                { "id": "b", "why": ["it is, so", "x"], "text": null, "size": 0.5 },
            ],
            "didYouMean": [],
            "anchor": { "file": "a.py", "symbol": null },
            "warnings": [],
        });
        let expected = "\
anchor:
  file: a.py
didYouMean: none
query: close
results:
- id: a
  text: |
    one

      two
  why: close, session
- id: b
  why:
  - it is, so
  - x";
        assert_eq!(readable(&report), expected);
    }

    #[test]
    fn what_is_too_long_is_cut_and_told() {
        let hits: Vec<Value> = (0..3)
            .map(|n| json!({ "id": format!("m{n}"), "content": "word ".repeat(20_000) }))
            .collect();
        let answer = Answer::of(&json!({ "results": hits }), "lower `limit`").expect("JSON");
        let result = answer.into_result();
        let data = result.structured_content.expect("data");
        assert_eq!(data["results"].as_array().map(Vec::len), Some(3), "texts go before hits");
        assert_eq!(data["truncated"], "long texts are cut; for more: lower `limit`");
        assert!(tokens::count(&data.to_string()) <= MAX_TOKENS);
    }

    #[test]
    fn many_small_things_are_left_out_at_the_end() {
        let rows: Vec<Value> = (0..5000).map(|n| json!({ "id": n, "state": "fresh" })).collect();
        let mut data = json!({ "results": rows });
        let told = fit(&mut data, 500).expect("it is too long");
        let kept = data["results"].as_array().map_or(0, Vec::len);
        assert!((30..200).contains(&kept), "{kept}");
        assert_eq!(told, format!("only {kept} of 5000 results"));
        assert_eq!(data["results"][0]["id"], 0);
    }

    #[test]
    fn a_failure_says_what_to_do() {
        let error = Error::from(UserError::usage("memory `x` not found").hint("did you mean `y`?"));
        let result = failed(&error);
        assert_eq!(result.is_error, Some(true));
        let text = &result.content[0].as_text().expect("text").text;
        assert_eq!(text, "memory `x` not found\nhint: did you mean `y`?");
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "\\PC{0,300}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map("[a-z]{1,3}", inner, 0..6)
                    .prop_map(|map| Value::from(Map::from_iter(map))),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn nothing_is_over_its_limit(list in prop::collection::vec(any_json(), 0..6)) {
            let mut data = json!({ "list": list });
            fit(&mut data, 60);
            prop_assert!(tokens::count(&data.to_string()) <= 60);
            readable(&data);
        }
    }
}
