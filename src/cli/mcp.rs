//! `cerberus mcp`.

use std::io::IsTerminal;

use anyhow::Result;

use crate::commands::setup;
use crate::config::GlobalArgs;
use crate::error::ExitStatus;
use crate::mcp::{self, McpArgs, ToolSet};
use crate::output::Printer;

pub(super) fn run(args: &McpArgs, global: &GlobalArgs, out: &mut Printer) -> Result<ExitStatus> {
    if let Some(client) = args.print_config {
        out.line(setup::server_settings(client, &arguments(global, args.tools))?.trim_end());
        return Ok(ExitStatus::Done);
    }
    if std::io::stdin().is_terminal() {
        out.note(&[
            "waiting for an MCP client on stdin; press Ctrl-D to stop".to_owned(),
            "print the settings of a client: cerberus mcp --print-config claude".to_owned(),
        ]);
    }
    mcp::serve(global, args.tools)?;
    Ok(ExitStatus::Done)
}

/// Returns the arguments with which a client starts the server.
fn arguments(global: &GlobalArgs, tools: ToolSet) -> Vec<String> {
    let mut args = vec!["mcp".to_owned()];
    if tools == ToolSet::Core {
        args.extend(["--tools".to_owned(), "core".to_owned()]);
    }
    if let Some(project) = &global.project {
        args.extend(["--project".to_owned(), project.display().to_string()]);
    }
    args
}
