//! The settings with which a client starts the server, in the format of the client.
//!
//! | client | file | documentation |
//! |---|---|---|
//! | Claude Code | `.mcp.json` | <https://code.claude.com/docs/en/mcp> |
//! | Codex | `.codex/config.toml` of a trusted project, or `~/.codex/config.toml` | <https://developers.openai.com/codex/mcp> |
//! | Cursor | `.cursor/mcp.json` | <https://cursor.com/docs/mcp> |
//! | VS Code | `.vscode/mcp.json` | <https://code.visualstudio.com/docs/copilot/reference/mcp-configuration> |
//! | Gemini CLI | `.gemini/settings.json` | <https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md> |
//! | opencode | `opencode.json` | <https://opencode.ai/docs/mcp-servers>; also read by version 2 |

use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use crate::config::GlobalArgs;

use super::args::{McpClient, ToolSet};

const COMMAND: &str = "cerberus";

/// Returns the settings for a client.
pub(super) fn settings(client: McpClient, global: &GlobalArgs, set: ToolSet) -> Result<String> {
    let args = arguments(global.project.as_deref(), set);
    let server = json!({ "command": COMMAND, "args": args });
    let typed = json!({ "type": "stdio", "command": COMMAND, "args": args });
    let settings = match client {
        McpClient::Claude | McpClient::Cursor => json!({ "mcpServers": { "cerberus": typed } }),
        McpClient::Gemini => json!({ "mcpServers": { "cerberus": server } }),
        McpClient::Vscode => json!({ "servers": { "cerberus": typed } }),
        McpClient::Opencode => {
            let command: Vec<&str> =
                [COMMAND].into_iter().chain(args.iter().map(String::as_str)).collect();
            json!({
                "$schema": "https://opencode.ai/config.json",
                "mcp": { "cerberus": { "type": "local", "command": command, "enabled": true } },
            })
        }
        McpClient::Codex => {
            // JSON strings are valid TOML strings, because serde_json does not escape `/`.
            return Ok(format!(
                "[mcp_servers.cerberus]\ncommand = {}\nargs = {}\n",
                Value::from(COMMAND),
                Value::from(args)
            ));
        }
    };
    Ok(serde_json::to_string_pretty(&settings)? + "\n")
}

fn arguments(project: Option<&Path>, set: ToolSet) -> Vec<String> {
    let mut args = vec!["mcp".to_owned()];
    if set == ToolSet::Core {
        args.extend(["--tools".to_owned(), "core".to_owned()]);
    }
    if let Some(project) = project {
        args.extend(["--project".to_owned(), project.display().to_string()]);
    }
    args
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ColorChoice;

    fn printed(client: McpClient, project: Option<&str>, set: ToolSet) -> String {
        let project = project.map(Into::into);
        let global = GlobalArgs { project, json: false, color: ColorChoice::Auto, timings: false };
        settings(client, &global, set).expect("it can be written")
    }

    #[test]
    fn each_client_gets_its_own_format() {
        for client in [McpClient::Claude, McpClient::Cursor, McpClient::Gemini] {
            let text = printed(client, None, ToolSet::All);
            let json: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(json["mcpServers"]["cerberus"]["args"], json!(["mcp"]), "{text}");
        }
        let json: Value =
            serde_json::from_str(&printed(McpClient::Vscode, None, ToolSet::All)).expect("JSON");
        assert_eq!(json["servers"]["cerberus"]["type"], "stdio");
        let text = printed(McpClient::Opencode, None, ToolSet::Core);
        let json: Value = serde_json::from_str(&text).expect("JSON");
        let command = json!(["cerberus", "mcp", "--tools", "core"]);
        assert_eq!(json["mcp"]["cerberus"]["command"], command);
    }

    #[test]
    fn settings_for_codex_are_valid_toml_with_any_path() {
        let text = printed(McpClient::Codex, Some("C:\\a \"b\"/ü"), ToolSet::All);
        let expected = "[mcp_servers.cerberus]\ncommand = \"cerberus\"\n\
                        args = [\"mcp\",\"--project\",\"C:\\\\a \\\"b\\\"/ü\"]\n";
        assert_eq!(text, expected);
        toml::from_str::<toml::Table>(&text).expect("TOML");
    }
}
