//! What a known agent prints, and what its user configured (`agents/NAME.toml`).

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::destination::is_loopback;
use super::values::{values, values_with_rest};
use crate::agents::{Headless, Providers, Text, UserServers};

/// Maximum number of characters of a message of an agent that are shown.
const N_SHOWN: usize = 400;

/// Maximum number of messages of an agent that are shown.
const N_LINES: usize = 4;

impl Headless {
    /// Returns the text of the answer in an output.
    pub(super) fn text(&self, output: &str) -> Option<String> {
        let texts = self.answer.texts(&values(output));
        // Some clients print it in parts.
        if texts.is_empty() {
            None
        } else {
            Some(texts.concat())
        }
    }

    fn failures(&self, values: &[Value]) -> Vec<String> {
        self.failures
            .iter()
            .flat_map(|text| text.texts(values))
            .collect()
    }
}

impl UserServers {
    /// Returns the names of the servers in a list, or `None` if it cannot be read.
    pub(super) fn names(&self, output: &str) -> Option<Vec<String>> {
        let values = values(output);
        let listed = values.last()?.pointer(&self.at)?;
        match listed {
            Value::Object(servers) => Some(servers.keys().cloned().collect()),
            Value::Array(servers) => servers.iter().map(server_name).collect(),
            _ => None,
        }
    }
}

impl Providers {
    /// Returns the settings of a run, in which a provider that nobody chose is off.
    pub(super) fn chosen(&self, mut kept: Value) -> Value {
        if provider(&kept) != Some(self.unchosen.as_str())
            && kept["provider"][&self.unchosen].is_null()
        {
            let mut off = kept[&self.off].as_array().cloned().unwrap_or_default();
            off.push(Value::String(self.unchosen.clone()));
            kept[&self.off] = Value::Array(off);
        }
        kept
    }

    /// Returns the settings of a run with the provider that a project chose, if it is on this machine and
    /// needs no package of others.
    pub(super) fn of_project(&self, kept: &Value) -> Option<Value> {
        let id = provider(kept)?;
        let chosen = &kept["provider"][id];
        let url = chosen["options"]["baseURL"].as_str()?;
        if !is_loopback(url) || !self.has_own_packages(chosen) || has_other_urls(chosen) {
            return None;
        }
        let mut run = kept.clone();
        run["provider"] = json!({ id: chosen });
        run["small_model"] = kept["model"].clone();
        Some(self.chosen(run))
    }

    /// Whether each package that a provider names comes with the client.
    fn has_own_packages(&self, value: &Value) -> bool {
        match value {
            Value::Object(object) => object.iter().all(|(key, inner)| match inner.as_str() {
                Some(package) if key == "npm" => package.starts_with(&self.packages),
                _ => self.has_own_packages(inner),
            }),
            Value::Array(list) => list.iter().all(|inner| self.has_own_packages(inner)),
            _ => true,
        }
    }
}

/// Whether a value has a URL that is not on this machine.
fn has_other_urls(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.values().any(has_other_urls),
        Value::Array(list) => list.iter().any(has_other_urls),
        Value::String(text) => text.contains("://") && !is_loopback(text),
        _ => false,
    }
}

/// Returns the provider that settings choose: that of the model, or the only one.
fn provider(kept: &Value) -> Option<&str> {
    if let Some(model) = kept["model"].as_str() {
        return model.split('/').next();
    }
    only_provider(kept)
}

/// Returns the only provider that settings define.
pub(super) fn only_provider(kept: &Value) -> Option<&str> {
    let providers = kept["provider"].as_object()?;
    if providers.len() == 1 {
        providers.keys().next().map(String::as_str)
    } else {
        None
    }
}

fn server_name(server: &Value) -> Option<String> {
    server["name"].as_str().map(str::to_owned)
}

impl Text {
    fn texts(&self, values: &[Value]) -> Vec<String> {
        let mut texts = Vec::new();
        for value in values {
            if let Some(member) = value.pointer(&self.member)
                && *member == self.is
                && let Some(text) = value.pointer(&self.at).and_then(Value::as_str)
            {
                texts.push(text.to_owned());
            }
        }
        texts
    }
}

/// Returns the cause that an agent printed, or an empty text: the messages of its failures, or else
/// its last lines and the messages of errors in its JSON values.
pub(super) fn cause(client: Option<&Headless>, output: &str, messages: &str) -> String {
    let (mut values, output) = values_with_rest(output);
    let (more, messages) = values_with_rest(messages);
    values.extend(more);
    let mut found = client
        .map(|client| client.failures(&values))
        .unwrap_or_default();
    if found.is_empty() {
        // The last ones are shown.
        found.extend(meaningful_lines(&output));
        found.extend(meaningful_lines(&messages));
        for value in &values {
            add_messages(value, false, &mut found);
        }
    }
    shown(&found)
}

/// Adds the texts of a JSON value that are named as messages of an error.
fn add_messages(value: &Value, is_error: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            let is_error = is_error || is_failure(object);
            for (key, inner) in object {
                let is_named = is_error_word(key);
                match inner {
                    Value::String(text) if is_named || (is_error && key == "message") => {
                        found.push(text.clone());
                    }
                    _ => add_messages(inner, is_error || is_named, found),
                }
            }
        }
        Value::Array(list) => list
            .iter()
            .for_each(|item| add_messages(item, is_error, found)),
        _ => {}
    }
}

/// Whether an object says of itself that it is an error.
fn is_failure(object: &serde_json::Map<String, Value>) -> bool {
    ["type", "status", "level"].iter().any(|key| {
        object
            .get(*key)
            .and_then(Value::as_str)
            .is_some_and(is_error_word)
    })
}

fn is_error_word(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    word.contains("error") || word.contains("fail")
}

/// Returns the lines of messages that say something: not those of a stack.
fn meaningful_lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in text.lines() {
        let is_frame =
            line.starts_with(char::is_whitespace) && line.trim_start().starts_with("at ");
        let is_text = line.chars().filter(|letter| letter.is_alphabetic()).count() > 1;
        if is_text && !is_frame {
            lines.push(line.trim().to_owned());
        }
    }
    lines
}

/// Returns different messages as one line: the first that names an error, and the last ones.
fn shown(messages: &[String]) -> String {
    let mut different: Vec<String> = Vec::new();
    // An attempt that is repeated differs in its time and its number only; the last one counts.
    let mut seen = BTreeSet::new();
    for message in messages.iter().rev() {
        let message = meaningful_lines(message).join("; ");
        let plain: String = message
            .chars()
            .filter(|letter| !letter.is_ascii_digit())
            .collect();
        if !message.is_empty() && seen.insert(plain) {
            different.push(message);
        }
    }
    different.reverse();
    let n_more = different.len().saturating_sub(N_LINES);
    let first = different
        .iter()
        .position(|message| is_error_word(message))
        .unwrap_or(0);
    let mut text = String::new();
    for (idx, message) in different.iter().enumerate() {
        if idx > n_more || n_more == 0 || idx == first.min(n_more) {
            let separator = if text.is_empty() { "" } else { "; " };
            let start: String = message.chars().take(N_SHOWN).collect();
            text += &format!("{separator}{start}");
        }
    }
    printable(&text)
}

/// Returns a text with its control characters escaped.
pub(super) fn printable(text: &str) -> String {
    let mut printable = String::new();
    for letter in text.chars() {
        if letter.is_control() {
            printable.extend(letter.escape_debug());
        } else {
            printable.push(letter);
        }
    }
    printable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_found_among_events_stacks_and_warnings() {
        let stats = json!({ "type": "result", "usage": { "requests": 0 } });
        for (output, messages, expected) in [
            ("", "", ""),
            ("{}\n[1]", "...\n---\n", ""),
            ("", "one\n\n  two\n", "one; two"),
            (
                &*format!("{stats}\nquota \u{1b}[31mexceeded"),
                "",
                "quota \\u{1b}[31mexceeded",
            ),
            (
                "",
                "Failed: 503\n    at run (a.js:1)\n    at main (b.js:2)\n",
                "Failed: 503",
            ),
            (
                "",
                "try 1 of 9: slow\ntry 2 of 9: slow\n",
                "try 2 of 9: slow",
            ),
            (
                "Error: no login\nYou can:\na one\nb two\nc three\nd four",
                "",
                "Error: no login; b two; c three; d four",
            ),
            (
                r#"{"kind":"x","error":{"message":"overloaded","code":529}}"#,
                "",
                "overloaded",
            ),
            (
                r#"{"level":"error","message":"no route"}{"message":"hello"}"#,
                "",
                "no route",
            ),
            (
                r#"{"data":{"errorMessage":"bad key","note":"n"}}"#,
                "",
                "bad key",
            ),
        ] {
            assert_eq!(
                cause(None, output, messages),
                expected,
                "{output} {messages}"
            );
        }
    }

    #[test]
    fn a_project_chooses_a_provider_on_this_machine_only() {
        let agent = crate::agents::Agent::named("opencode").expect("known");
        let headless = agent.headless.as_ref().expect("it answers");
        let settings = headless.providers.as_ref().expect("it has them");
        let chosen = |url: &str, package: &str| {
            let provider = json!({ "npm": package, "options": { "baseURL": url }, "models": {} });
            let other = json!({ "options": { "apiKey": "secret" } });
            json!({ "model": "near/m", "provider": { "near": provider, "other": other } })
        };
        let run = settings
            .of_project(&chosen("http://127.0.0.1:1/v1", "@ai-sdk/openai"))
            .expect("on it");
        assert_eq!(run["provider"].as_object().map(|it| it.len()), Some(1));
        assert_eq!(run["small_model"], "near/m");
        assert_eq!(run["disabled_providers"], json!(["opencode"]));
        for (url, package) in [
            ("https://models.example.com", "@ai-sdk/openai"),
            ("http://127.0.0.1:1", "file:///project/provider.js"),
            ("http://127.0.0.1@example.com", "@ai-sdk/openai"),
        ] {
            assert_eq!(
                settings.of_project(&chosen(url, package)),
                None,
                "{url} {package}"
            );
        }
        assert_eq!(settings.of_project(&json!({ "model": "cloud/m" })), None);
        // A user may choose any.
        let own = json!({ "model": "opencode/m" });
        assert_eq!(settings.chosen(own.clone()), own);
    }
}
