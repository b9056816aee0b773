//! What the program knows about each agent: one file of data an agent, `agents/NAME.toml`, read into [`Agent`].
//!
//! The name of the file is the name of the agent on the command line. This module reads no files of a project, and
//! no other module decides by the name of an agent.

use std::sync::LazyLock;

use cerberus_brief::{Cost, Reader};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

mod headless;
mod hooks;
mod names;

pub(crate) use headless::{Destination, Headless, Providers, Text, UserFile, UserServers};
pub(crate) use hooks::{Entries, Hooks, PAYLOAD, Placeholder, WriteHooks, field, filled};
pub(crate) use names::Names;

/// Returns the names of the agents with the texts of their files.
macro_rules! files {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("agents/", $name, ".toml")))),*]
    };
}

/// All agents, in the order in which they are listed.
static AGENTS: LazyLock<Vec<Agent>> = LazyLock::new(|| {
    let files = files! {
        "claude" "codex" "cursor" "gemini" "copilot" "vscode" "antigravity" "opencode"
        "qwen" "cline" "continue" "aider" "pi" "droid" "git"
    };
    let mut agents = Vec::new();
    for (name, text) in files {
        let agent: Agent = toml::from_str(text).expect("a test reads each file");
        agents.push(Agent { name, ..agent });
    }
    agents
});

/// The texts of whole files and of blocks, by the names of their files.
const TEXTS: &[(&str, &str)] = &[
    ("aider.yml", include_str!("agents/aider.yml")),
    ("cline.sh", include_str!("agents/cline.sh")),
    ("opencode.js", include_str!("agents/opencode.js")),
    ("pi.ts", include_str!("agents/pi.ts")),
    ("pre-commit.sh", include_str!("agents/pre-commit.sh")),
];

/// A program that `setup` configures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Agent {
    #[serde(skip)]
    pub(crate) name: &'static str,
    /// Its name in texts.
    pub(crate) title: String,
    /// What `setup` writes, if the names of its files do not say it.
    about: Option<String>,
    /// The documents that state what this file says.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "for readers of the file, and a test")
    )]
    source: Vec<Source>,
    /// The files that show that a project uses it.
    #[serde(default)]
    pub(crate) signs: Vec<String>,
    /// A part of the name with which its MCP client introduces itself.
    client: Option<String>,
    /// The files of a project to write, without that of the hooks.
    #[serde(default)]
    pub(crate) settings: Vec<SettingsFile>,
    pub(crate) hooks: Option<Hooks>,
    /// The agent whose hooks it runs, if it has none of its own.
    hooks_of: Option<String>,
    /// The documents that it loads by itself.
    pub(crate) loads: Option<Reader>,
    /// What it reads of a text.
    #[serde(default)]
    limit: Vec<Limit>,
    /// How it answers `--with`, without a terminal.
    pub(crate) headless: Option<Headless>,
}

/// A document about an agent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "for readers of the file, and a test")
)]
struct Source {
    /// The keys of the file that it is about.
    about: Vec<String>,
    /// Its address, or how the fact was seen.
    url: String,
    /// The day on which it was read.
    read: String,
}

/// A file of a project to write.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingsFile {
    pub(crate) file: String,
    /// The file to write instead, if it exists.
    pub(crate) instead: Option<String>,
    pub(crate) write: Write,
}

/// What is written to a file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Write {
    /// An entry of an object of JSON settings.
    Json(JsonEntry),
    /// A table of TOML settings.
    Toml(TomlTable),
    /// Lines between two comments that start with `#`.
    Block(TextName),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonEntry {
    /// The key of the object that it is in.
    pub(crate) parent: String,
    pub(crate) key: String,
    /// JSON.
    #[serde(deserialize_with = "json")]
    pub(crate) value: String,
    pub(crate) header: Option<Header>,
}

/// A key that settings need, which has no meaning alone.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) key: String,
    /// JSON.
    #[serde(deserialize_with = "json")]
    pub(crate) value: String,
    /// Whether it is added only to a new file.
    #[serde(default)]
    pub(crate) is_optional: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TomlTable {
    pub(crate) parent: String,
    pub(crate) key: String,
    /// Lines of TOML.
    #[serde(deserialize_with = "toml_lines")]
    pub(crate) value: String,
}

/// The name of a text of [`TEXTS`].
#[derive(Debug, Deserialize)]
pub(crate) struct TextName(String);

/// The size above which an agent drops or cuts a text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// Its name for `--for`.
    pub(crate) name: String,
    pub(crate) about: String,
    /// The document that has the limit. Without one, it is that of the text of a hook.
    pub(crate) document: Option<String>,
    chars: Option<usize>,
    bytes: Option<usize>,
    tokens: Option<usize>,
    lines: Option<usize>,
}

impl Agent {
    /// Returns all agents, in the order in which they are listed.
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        AGENTS.iter()
    }

    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// Returns the agent whose MCP client has this name, as in `claude-code`.
    pub(crate) fn of_client(client: &str) -> Option<&'static Self> {
        let client = client.to_lowercase();
        Self::all().find(|agent| match &agent.client {
            Some(part) => client.contains(part),
            None => false,
        })
    }

    /// Returns the hooks that it runs.
    pub(crate) fn run_hooks(&self) -> Option<&Hooks> {
        match &self.hooks_of {
            Some(other) => Self::named(other)?.hooks.as_ref(),
            None => self.hooks.as_ref(),
        }
    }

    /// Whether it takes a context before it runs a tool. Others get it with the result.
    pub(crate) fn adds_context_before(&self) -> bool {
        match &self.hooks {
            Some(hooks) => hooks.adds_context_before,
            None => false,
        }
    }

    /// Returns the size of the largest text of a hook that it reads as a whole.
    pub(crate) fn hook_limit(&self) -> Cost {
        match self.limit.iter().find(|limit| limit.is_of_hook()) {
            Some(limit) => limit.cost(),
            None => Cost::UNLIMITED,
        }
    }

    /// Returns the files in which cerberus may be set up.
    pub(crate) fn settings_files(&self) -> Vec<&str> {
        let mut files = Vec::new();
        for settings in &self.settings {
            files.push(settings.file.as_str());
            files.extend(settings.instead.as_deref());
        }
        if let Some(hooks) = &self.hooks
            && !hooks.is_git_hook
        {
            files.push(&hooks.file);
            files.extend(hooks.own_file.as_deref());
        }
        files
    }

    /// Returns what `setup` writes, in one line.
    pub(crate) fn shown(&self) -> String {
        let files = match &self.about {
            Some(about) => about.clone(),
            None => {
                let mut files: Vec<&str> = Vec::new();
                for settings in &self.settings {
                    files.push(&settings.file);
                }
                if let Some(hooks) = &self.hooks
                    && !files.contains(&hooks.file.as_str())
                {
                    files.push(&hooks.file);
                }
                files.join(", ")
            }
        };
        format!("{}: {files}", self.title)
    }
}

impl TextName {
    pub(crate) fn text(&self) -> &'static str {
        let found = TEXTS.iter().find(|(name, _)| *name == self.0);
        found.map(|(_, text)| *text).unwrap_or_default()
    }
}

impl Limit {
    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        Agent::all().flat_map(|agent| &agent.limit)
    }

    pub(crate) fn cost(&self) -> Cost {
        let none = Cost::UNLIMITED;
        Cost {
            chars: self.chars.unwrap_or(none.chars),
            bytes: self.bytes.unwrap_or(none.bytes),
            tokens: self.tokens.unwrap_or(none.tokens),
            lines: self.lines.unwrap_or(none.lines),
        }
    }

    /// Whether it is that of a hook: a failing command would fail the program that runs it.
    pub(crate) fn is_of_hook(&self) -> bool {
        self.document.is_none()
    }
}

impl Serialize for Agent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

fn json<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = toml::Value::deserialize(deserializer)?;
    serde_json::to_string(&value).map_err(D::Error::custom)
}

fn toml_lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let table = toml::Table::deserialize(deserializer)?;
    toml::to_string(&table).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests;
