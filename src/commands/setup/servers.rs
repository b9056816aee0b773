//! The settings with which a client starts the MCP server, in the format of the client.
//!
//! | client | file | documentation |
//! |---|---|---|
//! | Claude Code | `.mcp.json` | <https://code.claude.com/docs/en/mcp> |
//! | Codex | `.codex/config.toml` of a trusted project, or `~/.codex/config.toml` | <https://developers.openai.com/codex/mcp> |
//! | Cursor | `.cursor/mcp.json` | <https://cursor.com/docs/mcp> |
//! | VS Code | `.vscode/mcp.json` | <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration> |
//! | Gemini CLI | `.gemini/settings.json` | <https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md> |
//! | Antigravity | `.agents/mcp_config.json` | <https://antigravity.google/docs/mcp> |
//! | Copilot CLI | `.github/mcp.json` | <https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference#mcp-server-loading-priority> |
//! | opencode | `opencode.json` | <https://opencode.ai/docs/mcp-servers>; also read by version 2 |

use cerberus_bank::toml_table::{self, TableEdit};

use super::Agent;
use crate::commands::settings_file::{self, Edited, Entry, Layout, Settings};

/// The name of the server in the settings.
const SERVER: &str = "cerberus";

/// The table of the servers in the settings of Codex.
const CODEX_SERVERS: &str = "mcp_servers";

/// The entries of the table for Codex.
const CODEX_ENTRIES: &str = "command = \"cerberus\"\nargs = [\"mcp\"]\n";

/// Returns `old` with the server added, or the reason for the failure. A server with this name and
/// other settings stays.
pub(super) fn merge(agent: Agent, old: &[u8], layout: Layout) -> Result<Edited, String> {
    match settings(agent) {
        Some(settings) => settings_file::merge(old, settings, layout),
        None => {
            let add = match layout {
                Layout::Like => toml_table::add,
                Layout::Compact => toml_table::append,
            };
            Ok(edited_table(
                add(old, CODEX_SERVERS, SERVER, CODEX_ENTRIES)?,
                old,
            ))
        }
    }
}

/// Returns `old` without the server, or the reason for the failure. A server with other settings
/// stays. An object of servers that is empty then stays if `is_object_kept`.
pub(super) fn remove(agent: Agent, old: &[u8], is_object_kept: bool) -> Result<Edited, String> {
    match settings(agent) {
        Some(settings) => settings_file::remove(old, settings, is_object_kept),
        None => {
            let edit = toml_table::remove(old, CODEX_SERVERS, SERVER, CODEX_ENTRIES)?;
            Ok(edited_table(edit, old))
        }
    }
}

/// Returns what is in the JSON settings of an agent, or nothing for one with TOML.
fn settings(agent: Agent) -> Option<Settings> {
    let (parent, value) = agent.file("entry")?.split_once(' ')?;
    let schema = ("$schema", "\"https://opencode.ai/config.json\"");
    Some(Settings {
        header: (agent == Agent::Opencode).then_some(schema),
        is_header_optional: true,
        entries: vec![Entry {
            parent,
            key: SERVER,
            kind: None,
            value: value.to_owned(),
        }],
    })
}

fn edited_table(edit: TableEdit, old: &[u8]) -> Edited {
    match edit {
        TableEdit::Changed(text) => Edited::new(text.into_bytes()),
        TableEdit::Unchanged => Edited::new(old.to_vec()),
        TableEdit::Different(text) => Edited {
            edited: vec![text],
            ..Edited::new(old.to_vec())
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    const JSON_CLIENTS: [Agent; 7] = [
        Agent::Claude,
        Agent::Cursor,
        Agent::Vscode,
        Agent::Gemini,
        Agent::Antigravity,
        Agent::Copilot,
        Agent::Opencode,
    ];

    fn json(client: Agent) -> Value {
        let text = merge(client, b"", Layout::Like)
            .expect("it can be written")
            .text;
        serde_json::from_slice(&text).expect("JSON")
    }

    #[test]
    fn each_client_gets_its_own_format() {
        let expected = serde_json::json!(["mcp"]);
        for client in [Agent::Claude, Agent::Cursor, Agent::Gemini, Agent::Copilot] {
            assert_eq!(json(client)["mcpServers"]["cerberus"]["args"], expected);
        }
        let tools = &json(Agent::Copilot)["mcpServers"]["cerberus"]["tools"];
        assert_eq!(*tools, serde_json::json!(["*"]));
        assert_eq!(json(Agent::Vscode)["servers"]["cerberus"]["type"], "stdio");
        let command = serde_json::json!(["cerberus", "mcp"]);
        assert_eq!(json(Agent::Opencode)["mcp"]["cerberus"]["command"], command);
        let text = merge(Agent::Codex, b"", Layout::Like)
            .expect("it can be written")
            .text;
        let expected = "[mcp_servers.cerberus]\ncommand = \"cerberus\"\nargs = [\"mcp\"]\n";
        assert_eq!(String::from_utf8_lossy(&text), expected);
    }

    #[test]
    fn a_removal_restores_every_byte_of_a_file_with_other_settings() {
        for client in JSON_CLIENTS {
            for old in [
                "{\n  // why\n  \"a\": [1,  2], // one\n  \"b\": { \"c\": 1 }\n}\n",
                "{\n\t\"a\": 1, /* last */\n}",
                "{\r\n    \"z\": {\r\n        \"y\": 1\r\n    }\r\n}\r\n",
                "{\n  \"mcpServers\": {\n    \"x\": { \"command\": \"y\" }\n  },\n  \"servers\": {\n    \"x\": 1,\n  },\n  \"mcp\": {\n    \"x\": 1 // one\n  }\n}\n",
            ] {
                let new = merge(client, old.as_bytes(), Layout::Like).expect("merged");
                assert_ne!(new.text, old.as_bytes());
                assert_eq!(
                    merge(client, &new.text, Layout::Like).as_ref(),
                    Ok(&new),
                    "idempotent"
                );
                let back = remove(client, &new.text, false).expect("removed");
                assert_eq!(String::from_utf8_lossy(&back.text), old, "{client:?}");
            }
            let new = merge(client, b"", Layout::Like).expect("created");
            assert_eq!(
                remove(client, &new.text, false),
                Ok(Edited::new(Vec::new()))
            );
        }
    }

    #[test]
    fn a_server_with_other_settings_stays() {
        for client in JSON_CLIENTS.into_iter().chain([Agent::Codex]) {
            let old = merge(client, b"", Layout::Like).expect("created").text;
            let core = String::from_utf8_lossy(&old).replace("\"mcp\"]", "\"mcp\", \"--tools\"]");
            for new in [
                merge(client, core.as_bytes(), Layout::Like),
                remove(client, core.as_bytes(), false),
            ] {
                let new = new.expect("valid");
                assert_eq!(
                    (new.edited.len(), new.text),
                    (1, core.clone().into_bytes()),
                    "{client:?}"
                );
            }
        }
    }
}
