//! `cerberus mcp`.

use std::io::IsTerminal;

use crate::config::GlobalArgs;
use crate::mcp::{self, McpArgs};
use crate::output::{CliResult, Printer};
use cerberus_model::error::ExitStatus;

pub(super) fn run(args: &McpArgs, global: &GlobalArgs, out: &mut Printer) -> CliResult {
    if std::io::stdin().is_terminal() {
        out.note(&[
            "waiting for an MCP client on stdin; press Ctrl-D to stop".to_owned(),
            "write the settings of an agent: cerberus setup claude".to_owned(),
        ]);
    }
    mcp::serve(global, args.tools)?;
    Ok(ExitStatus::Done)
}
