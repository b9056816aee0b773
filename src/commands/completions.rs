//! `cerberus completions`.

use anyhow::Result;

use crate::cli::CompletionsArgs;
use crate::error::ExitStatus;
use crate::output::Printer;

pub(super) fn run(args: &CompletionsArgs, out: &mut Printer) -> Result<ExitStatus> {
    let mut script = Vec::new();
    let mut command = <crate::cli::Cli as clap::CommandFactory>::command();
    clap_complete::generate(args.shell, &mut command, "cerberus", &mut script);
    out.line(String::from_utf8_lossy(&script).trim_end());
    Ok(ExitStatus::Done)
}
