//! The settings with which a client starts the MCP server, in the format of the client.
//!
//! | client | file | documentation |
//! |---|---|---|
//! | Claude Code | `.mcp.json` | <https://code.claude.com/docs/en/mcp> |
//! | Codex | `.codex/config.toml` of a trusted project, or `~/.codex/config.toml` | <https://developers.openai.com/codex/mcp> |
//! | Cursor | `.cursor/mcp.json` | <https://cursor.com/docs/mcp> |
//! | VS Code | `.vscode/mcp.json` | <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration> |
//! | Gemini CLI | `.gemini/settings.json` | <https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md> |
//! | Copilot CLI | `.github/mcp.json` | <https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-command-reference#mcp-server-loading-priority> |
//! | opencode | `opencode.json` | <https://opencode.ai/docs/mcp-servers>; also read by version 2 |

use anyhow::Result;
use clap::ValueEnum;
use jsonc_parser::cst::CstInputValue;
use jsonc_parser::json;
use serde_json::Value;

use crate::bank::toml_table::{self, TableEdit};
use crate::commands::settings_file::{Edited, SettingsFile, is_equal};
use crate::error::UserError;

const COMMAND: &str = "cerberus";

/// The name of the server in the settings.
const SERVER: &str = "cerberus";

/// The table of the servers in the settings of Codex.
const CODEX_SERVERS: &str = "mcp_servers";

/// The client that starts the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum McpClient {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Cursor
    Cursor,
    /// VS Code
    Vscode,
    /// Gemini CLI
    Gemini,
    /// GitHub Copilot CLI
    Copilot,
    /// opencode
    Opencode,
}

/// Returns the settings for a client that starts cerberus with `args`.
pub(crate) fn server_settings(client: McpClient, args: &[String]) -> Result<String> {
    let edited = merge(client, b"", args).map_err(UserError::usage)?;
    Ok(String::from_utf8_lossy(&edited.text).into_owned())
}

/// Returns `old` with the server added, or the reason for the failure. A server with this name and
/// other settings stays.
pub(super) fn merge(client: McpClient, old: &[u8], args: &[String]) -> Result<Edited, String> {
    let Some((servers, value)) = server(client, args) else {
        let edit = toml_table::add(old, CODEX_SERVERS, SERVER, &codex_entries(args))?;
        return Ok(edited_table(edit, old));
    };
    let file = SettingsFile::parse(old)?;
    let settings = file.object()?;
    if old.is_empty() && client == McpClient::Opencode {
        settings.append("$schema", json!("https://opencode.ai/config.json"));
    }
    let object = settings.object_value_or_create(servers);
    let object = object.ok_or_else(|| format!("its `{servers}` is not an object"))?;
    match object.get(SERVER).and_then(|property| property.value()) {
        None => {
            object.append(SERVER, value);
            Ok(Edited::new(file.text()))
        }
        Some(found) if is_equal(&found, &value) => Ok(Edited::new(old.to_vec())),
        Some(found) => Ok(Edited { edited: vec![found.to_string()], ..Edited::new(old.to_vec()) }),
    }
}

/// Returns `old` without the server, or the reason for the failure. A server with other settings
/// stays. An object of servers that is empty then stays if `is_object_kept`.
pub(super) fn remove(
    client: McpClient,
    old: &[u8],
    args: &[String],
    is_object_kept: bool,
) -> Result<Edited, String> {
    if old.is_empty() {
        return Ok(Edited::new(Vec::new()));
    }
    let Some((servers, value)) = server(client, args) else {
        let edit = toml_table::remove(old, CODEX_SERVERS, SERVER, &codex_entries(args))?;
        return Ok(edited_table(edit, old));
    };
    let file = SettingsFile::parse(old)?;
    let settings = file.object()?;
    let Some(object) = settings.object_value(servers) else {
        return Ok(Edited::new(old.to_vec()));
    };
    match object.get(SERVER).and_then(|property| property.value()) {
        None => return Ok(Edited::new(old.to_vec())),
        Some(found) if !is_equal(&found, &value) => {
            return Ok(Edited { edited: vec![found.to_string()], ..Edited::new(old.to_vec()) });
        }
        Some(_) => object.get(SERVER).into_iter().for_each(|property| property.remove()),
    }
    if is_object_kept {
        return Ok(Edited::new(file.text()));
    }
    if object.properties().is_empty() {
        settings.get(servers).into_iter().for_each(|property| property.remove());
    }
    if let ([schema], McpClient::Opencode) = (&settings.properties()[..], client)
        && schema.decoded_name().as_deref() == Some("$schema")
    {
        schema.clone().remove();
    }
    Ok(Edited::new(file.text_or_empty()))
}

/// Returns the key of the servers and the value of ours, or nothing for a client with TOML.
fn server(client: McpClient, args: &[String]) -> Option<(&'static str, CstInputValue)> {
    let args: Vec<CstInputValue> = args.iter().cloned().map(CstInputValue::String).collect();
    Some(match client {
        McpClient::Claude | McpClient::Cursor => {
            ("mcpServers", json!({ "type": "stdio", "command": COMMAND, "args": args }))
        }
        McpClient::Vscode => {
            ("servers", json!({ "type": "stdio", "command": COMMAND, "args": args }))
        }
        McpClient::Gemini => ("mcpServers", json!({ "command": COMMAND, "args": args })),
        McpClient::Copilot => (
            "mcpServers",
            json!({ "type": "stdio", "command": COMMAND, "args": args, "tools": ["*"] }),
        ),
        McpClient::Opencode => {
            let command = [CstInputValue::String(COMMAND.to_owned())];
            let command: Vec<CstInputValue> = command.into_iter().chain(args).collect();
            ("mcp", json!({ "type": "local", "command": command, "enabled": true }))
        }
        McpClient::Codex => return None,
    })
}

/// Returns the entries of the table for Codex.
fn codex_entries(args: &[String]) -> String {
    // JSON strings are valid TOML strings, because serde_json does not escape `/`.
    let args: Vec<Value> = args.iter().map(|arg| Value::from(arg.as_str())).collect();
    format!("command = {}\nargs = {}\n", Value::from(COMMAND), Value::from(args))
}

fn edited_table(edit: TableEdit, old: &[u8]) -> Edited {
    match edit {
        TableEdit::Changed(text) => Edited::new(text.into_bytes()),
        TableEdit::Unchanged => Edited::new(old.to_vec()),
        TableEdit::Different(text) => Edited { edited: vec![text], ..Edited::new(old.to_vec()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON_CLIENTS: [McpClient; 6] = [
        McpClient::Claude,
        McpClient::Cursor,
        McpClient::Vscode,
        McpClient::Gemini,
        McpClient::Copilot,
        McpClient::Opencode,
    ];

    fn args(args: &[&str]) -> Vec<String> {
        args.iter().map(|arg| (*arg).to_owned()).collect()
    }

    fn printed(client: McpClient, of: &[&str]) -> String {
        server_settings(client, &args(of)).expect("it can be written")
    }

    fn json(client: McpClient, of: &[&str]) -> Value {
        serde_json::from_str(&printed(client, of)).expect("JSON")
    }

    #[test]
    fn each_client_gets_its_own_format() {
        let expected = serde_json::json!(["mcp"]);
        for client in [McpClient::Claude, McpClient::Cursor, McpClient::Gemini, McpClient::Copilot]
        {
            assert_eq!(json(client, &["mcp"])["mcpServers"]["cerberus"]["args"], expected);
        }
        let tools = &json(McpClient::Copilot, &["mcp"])["mcpServers"]["cerberus"]["tools"];
        assert_eq!(*tools, serde_json::json!(["*"]));
        assert_eq!(json(McpClient::Vscode, &["mcp"])["servers"]["cerberus"]["type"], "stdio");
        let core = ["mcp", "--tools", "core"];
        let command = serde_json::json!(["cerberus", "mcp", "--tools", "core"]);
        assert_eq!(json(McpClient::Opencode, &core)["mcp"]["cerberus"]["command"], command);
    }

    #[test]
    fn settings_for_codex_are_valid_toml_with_any_path() {
        let text = printed(McpClient::Codex, &["mcp", "--project", "C:\\a \"b\"/ü"]);
        let expected = "[mcp_servers.cerberus]\ncommand = \"cerberus\"\n\
                        args = [\"mcp\",\"--project\",\"C:\\\\a \\\"b\\\"/ü\"]\n";
        assert_eq!(text, expected);
        toml::from_str::<toml::Table>(&text).expect("TOML");
    }

    #[test]
    fn a_removal_restores_every_byte_of_a_file_with_other_settings() {
        let args = args(&["mcp"]);
        for client in JSON_CLIENTS {
            for old in [
                "{\n  // why\n  \"a\": [1,  2], // one\n  \"b\": { \"c\": 1 }\n}\n",
                "{\n\t\"a\": 1, /* last */\n}",
                "{\r\n    \"z\": {\r\n        \"y\": 1\r\n    }\r\n}\r\n",
                "{\n  \"mcpServers\": {\n    \"x\": { \"command\": \"y\" }\n  },\n  \"servers\": {\n    \"x\": 1,\n  },\n  \"mcp\": {\n    \"x\": 1 // one\n  }\n}\n",
            ] {
                let new = merge(client, old.as_bytes(), &args).expect("merged");
                assert_ne!(new.text, old.as_bytes());
                assert_eq!(merge(client, &new.text, &args).as_ref(), Ok(&new), "idempotent");
                let back = remove(client, &new.text, &args, false).expect("removed");
                assert_eq!(String::from_utf8_lossy(&back.text), old, "{client:?}");
            }
            let new = merge(client, b"", &args).expect("created");
            assert_eq!(remove(client, &new.text, &args, false), Ok(Edited::new(Vec::new())));
        }
    }

    #[test]
    fn a_server_with_other_settings_stays() {
        let core = args(&["mcp", "--tools", "core"]);
        for client in JSON_CLIENTS.into_iter().chain([McpClient::Codex]) {
            let old = merge(client, b"", &core).expect("created").text;
            let args = args(&["mcp"]);
            for new in [merge(client, &old, &args), remove(client, &old, &args, false)] {
                let new = new.expect("valid");
                assert_eq!((new.edited.len(), &new.text), (1, &old), "{client:?}");
            }
        }
    }
}
