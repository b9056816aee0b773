//! Where a client sends what it is asked, as far as its configuration shows.

use std::fmt;
use std::path::Path;

use anyhow::Result;
use cerberus_model::error::UserError;
use serde_json::Value;

use super::client::{only_provider, printable};
use crate::agents::{Destination, UserFile};
use crate::config;

/// Where requests go.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Place {
    pub(super) provider: Option<String>,
    host: Option<String>,
    /// What a client uses if nothing is configured, and its name.
    usual: Option<(String, String)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quoted = |text: &str| format!("`{}`", printable(text));
        match (&self.provider, &self.host, &self.usual) {
            (Some(provider), Some(host), _) => {
                write!(f, "{}, the provider {}", quoted(host), quoted(provider))
            }
            (None, Some(host), _) => write!(f, "{}", quoted(host)),
            (Some(provider), None, _) => write!(f, "the provider {}", quoted(provider)),
            (None, None, Some((client, usual))) => {
                write!(
                    f,
                    "the provider that {client} is configured with, {usual} by default"
                )
            }
            (None, None, None) => write!(f, "the provider that it is configured with"),
        }
    }
}

impl Destination {
    /// Returns where a client sends requests, where `own` are settings that it printed.
    pub(super) fn place(&self, client: &str, own: &Value) -> Place {
        let settings = self.file.as_ref().map(UserFile::read).unwrap_or_default();
        let usual = self.usual.clone().map(|usual| (client.to_owned(), usual));
        for known in [own, &settings] {
            if let Some(place) = self.of_settings(known) {
                return place;
            }
        }
        for choice in &self.variables {
            let Some(value) = self.variable(&choice.name, &settings) else {
                continue;
            };
            if is_off(&value) {
                continue;
            }
            let Some(provider) = &choice.is else {
                return Place {
                    host: host(&value),
                    usual,
                    provider: None,
                };
            };
            let url = choice
                .url
                .as_ref()
                .and_then(|name| self.variable(name, &settings));
            let host = url.and_then(|url| host(&url));
            return Place {
                provider: Some(provider.clone()),
                host,
                usual: None,
            };
        }
        Place {
            usual,
            ..Place::default()
        }
    }

    fn of_settings(&self, settings: &Value) -> Option<Place> {
        let (name, url) = (self.provider.as_ref()?, self.url.as_ref()?);
        let provider = match settings.pointer(name).and_then(Value::as_str) {
            // A model is written with its provider, as in `provider/model`.
            Some(typed) => typed.split('/').next().unwrap_or(typed),
            None => only_provider(settings)?,
        };
        let url = settings.pointer(&url.replace("{}", &provider.replace('~', "~0")));
        let host = url.and_then(Value::as_str).and_then(host);
        Some(Place {
            provider: Some(provider.to_owned()),
            host,
            usual: None,
        })
    }

    /// Returns the value of a variable in the settings of the user, or else in the environment.
    fn variable(&self, name: &str, settings: &Value) -> Option<String> {
        let variables = self
            .file
            .as_ref()
            .and_then(|file| settings.pointer(&file.variables));
        let set = variables
            .and_then(|variables| variables.get(name))
            .and_then(Value::as_str);
        set.map(str::to_owned).or_else(|| config::variable(name))
    }

    /// Returns the error about a project that chooses a provider in a file which does not apply to a run,
    /// unless the user set the same variable.
    pub(super) fn check_project(&self, client: &str, root: &Path) -> Result<()> {
        let settings = self.file.as_ref().map(UserFile::read).unwrap_or_default();
        for file in &self.project {
            let text = config::small_file(&root.join(file)).unwrap_or_default();
            for choice in &self.variables {
                let is_set = self.variable(&choice.name, &settings).is_some();
                if names(&text, &choice.name) && !is_set {
                    let name = &choice.name;
                    let message = format!(
                        "`{file}` of this project chooses the provider of {client} with `{name}`, \
                         and the files of a project do not apply to `--with {client}`"
                    );
                    let hint = format!(
                        "set `{name}` in your environment to use that provider, or to nothing to use your own: {name}= cerberus …"
                    );
                    return Err(UserError::environment(message).hint(hint).into());
                }
            }
        }
        Ok(())
    }
}

/// Whether a text has a name as a whole word.
fn names(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    text.split(|letter| !is_part(letter))
        .any(|word| word == name)
}

impl UserFile {
    /// Returns the settings, or nothing if there are none.
    fn read(&self) -> Value {
        let folder = config::user_folder(&self.variable, &self.folder);
        let text = folder.and_then(|folder| config::small_file(&folder.join(&self.name)));
        let text = text.unwrap_or_default();
        match self.form.as_str() {
            "toml" => config::toml_value(&text),
            "env" => env_value(&text),
            _ => serde_json::from_str(&text).unwrap_or_default(),
        }
    }
}

/// Returns the variables of a file with lines `NAME=VALUE`.
fn env_value(text: &str) -> Value {
    let mut variables = serde_json::Map::new();
    for line in text.lines() {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        if let Some((name, value)) = line.split_once('=') {
            let value = value.trim().trim_matches(['"', '\'']);
            variables.insert(name.trim().to_owned(), Value::String(value.to_owned()));
        }
    }
    Value::Object(variables)
}

/// Whether a switch is not on.
fn is_off(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "0" | "false" | "no" | "off"
    )
}

/// Returns the host of a URL, with its port.
pub(super) fn host(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    // Without a name and a password.
    let host = authority.rsplit('@').next()?;
    if host.is_empty() {
        None
    } else {
        Some(host.to_owned())
    }
}

/// Whether a URL is on this machine.
pub(super) fn is_loopback(url: &str) -> bool {
    let Some(host) = host(url) else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    match name.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => name == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_host_of_a_url_is_without_names_of_users_and_known_as_of_this_machine() {
        for (url, expected, is_here) in [
            ("http://127.0.0.1:8080/v1", Some("127.0.0.1:8080"), true),
            ("http://localhost/v1", Some("localhost"), true),
            ("http://[::1]:11434", Some("[::1]:11434"), true),
            (
                "https://name:secret@models.example.com/v1?x",
                Some("models.example.com"),
                false,
            ),
            (
                "https://127.0.0.1@models.example.com",
                Some("models.example.com"),
                false,
            ),
            (
                "https://localhost.example.com",
                Some("localhost.example.com"),
                false,
            ),
            ("models.example.com", None, false),
            ("http:///x", None, false),
        ] {
            assert_eq!(host(url).as_deref(), expected, "{url}");
            assert_eq!(is_loopback(url), is_here, "{url}");
        }
    }

    #[test]
    fn variables_of_an_env_file_are_read() {
        let text = "# a=b\nexport ONE='http://a'\nTWO = b \nthree";
        let value = env_value(text);
        assert_eq!(
            (&value["ONE"], &value["TWO"]),
            (&json!("http://a"), &json!("b"))
        );
    }
}
