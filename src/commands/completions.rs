//! `cerberus completions`.

use anyhow::Context;
use cerberus_model::error::ExitStatus;
use clap::Args;
use clap_complete::env::Shells;

use crate::config::COMPLETE;
use crate::output::{CliResult, Printer};

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to print the script for
    pub(crate) shell: clap_complete::Shell,
}

const NAME: &str = "cerberus";

/// Runs the completer when zsh autoloads the file as a function.
const ZSH_AUTOLOAD: &str = include_str!("completions.zsh");

pub(crate) fn run(args: &CompletionsArgs, out: &mut Printer) -> CliResult {
    let shells = Shells::builtins();
    let completer = shells
        .completer(&args.shell.to_string())
        .context("unsupported shell")?;
    let mut script = Vec::new();
    completer.write_registration(COMPLETE, NAME, NAME, NAME, &mut script)?;
    out.code(String::from_utf8(script)?.trim());
    if args.shell == clap_complete::Shell::Zsh {
        out.code(ZSH_AUTOLOAD.trim_end());
    }
    Ok(ExitStatus::Done)
}
