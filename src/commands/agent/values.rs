//! The JSON values in a text, around which there may be anything: prose with braces, fences of markdown,
//! lines of warnings, events.

use serde_json::{Deserializer, Value};

/// Returns the outermost JSON objects and lists of a text, in their order.
pub(super) fn values(text: &str) -> Vec<Value> {
    values_with_rest(text).0
}

/// Returns the outermost JSON objects and lists of a text, and the text between them.
pub(super) fn values_with_rest(text: &str) -> (Vec<Value>, String) {
    let mut values = Vec::new();
    let mut rest = String::new();
    let mut place = 0;
    while let Some(found) = next(text, place) {
        rest.push_str(text.get(place..found.start).unwrap_or_default());
        place = found.end;
        values.push(found.value);
    }
    rest.push_str(text.get(place..).unwrap_or_default());
    (values, rest)
}

/// A value with its bytes in a text.
struct Found {
    start: usize,
    end: usize,
    value: Value,
}

/// Returns the first value from a place on. A bracket that starts none is skipped.
fn next(text: &str, place: usize) -> Option<Found> {
    let mut start = place;
    loop {
        start += text.get(start..)?.find(['{', '['])?;
        let mut stream = Deserializer::from_str(text.get(start..)?).into_iter::<Value>();
        if let Some(Ok(value)) = stream.next() {
            return Some(Found {
                start,
                end: start + stream.byte_offset(),
                value,
            });
        }
        start += 1;
    }
}

/// Returns the items of an answer: the list `key` of the last object that has one, at any depth, or else the
/// last list of objects that have an `id`, or else those of an answer that is a string in a value.
pub(super) fn items(text: &str, key: &str) -> Option<Vec<Value>> {
    let values = values(text);
    let last = values.iter().rev();
    let named = last.clone().find_map(|value| named_list(value, key));
    let found = named.or_else(|| {
        last.clone()
            .filter_map(Value::as_array)
            .find(|list| has_ids(list))
    });
    match found {
        Some(list) => Some(list.clone()),
        None => last.clone().find_map(|value| quoted_items(value, key)),
    }
}

/// Returns the items of the last string in a value that is an answer: some programs print it in an envelope.
fn quoted_items(value: &Value, key: &str) -> Option<Vec<Value>> {
    match value {
        Value::String(text) if text.contains(['{', '[']) => items(text, key),
        Value::Object(object) => object
            .values()
            .rev()
            .find_map(|inner| quoted_items(inner, key)),
        Value::Array(list) => list.iter().rev().find_map(|inner| quoted_items(inner, key)),
        _ => None,
    }
}

fn named_list<'a>(value: &'a Value, key: &str) -> Option<&'a Vec<Value>> {
    match value {
        Value::Object(object) => match object.get(key).and_then(Value::as_array) {
            Some(list) => Some(list),
            None => object
                .values()
                .rev()
                .find_map(|inner| named_list(inner, key)),
        },
        Value::Array(list) => list.iter().rev().find_map(|inner| named_list(inner, key)),
        _ => None,
    }
}

fn has_ids(list: &[Value]) -> bool {
    list.iter().any(|item| item.get("id").is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_items_of_an_answer_are_found_in_other_text() {
        let list = json!([{ "id": 3, "outOfDate": true }]);
        let answer = json!({ "findings": list });
        for text in [
            answer.to_string(),
            format!("\u{feff}{answer}\n"),
            format!("Here it is:\n```json\n{answer:#}\n```\nDone {{nearly}}."),
            format!("(node:7) Warning: {{ NO_COLOR }} is ignored [x\n{answer}"),
            format!("{answer}\nIn `fn main() {{ }}` and `{{\"a\": [1, 2]}}` I am sure: }} ]"),
            format!("A draft: {{\"findings\": []}} and then {answer}"),
            format!("{{\"findings\": [{{\"id\": 3,\n{answer}"),
            json!({ "result": { "notes": [], "answer": answer } }).to_string(),
            json!({ "findings": list, "summary": "one" }).to_string(),
            json!({ "type": "result", "result": answer.to_string() }).to_string(),
            json!([{ "text": "I read {it}" }, { "text": format!("```json\n{answer}\n```") }])
                .to_string(),
            format!("[1] says:\n{list}\nsee [2]"),
        ] {
            assert_eq!(items(&text, "findings").as_ref(), list.as_array(), "{text}");
        }
        for text in [
            "",
            "} and {",
            "{}",
            "{\"findings\": [",
            "{\"findings\": [{\"id\": 1, \"outOf",
            "{\"findings\": {}}",
            "[]",
            "[1, 2]",
            "{\"rules\": []}",
        ] {
            assert_eq!(items(text, "findings"), None, "{text}");
        }
    }

    #[test]
    fn long_answers_that_are_no_json_are_read_in_time_and_without_a_panic() {
        for part in [
            "{",
            "[",
            "[\"",
            "{\"a\":",
            "[[],",
            "\"{",
            "{\u{e9}[\u{1f600}",
            "[1 ",
        ] {
            let text = part.repeat(20_000);
            assert_eq!(items(&text, "findings"), None, "{part}");
        }
    }

    #[test]
    fn the_text_between_values_is_kept() {
        let (values, rest) = values_with_rest("a {\"b\": 1} c {d [2] e");
        assert_eq!(values, [json!({ "b": 1 }), json!([2])]);
        assert_eq!(rest, "a  c {d  e");
    }
}
