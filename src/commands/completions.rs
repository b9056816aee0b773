//! `cerberus completions`.

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::config::COMPLETE;
use crate::output::Printer;
use cerberus_model::error::ExitStatus;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell to print the script for
    pub(crate) shell: clap_complete::Shell,
}

const NAME: &str = "cerberus";

/// Replaces the script of `clap_complete`: bash splits words at `:` and `=`, this script joins
/// them.
const BASH: &str = include_str!("completions/cerberus.bash");

/// Runs the completer when zsh autoloads the file as a function.
const ZSH_AUTOLOAD: &str = "
if [[ $funcstack[1] == _cerberus ]]; then
    _clap_dynamic_completer_cerberus \"$@\"
fi
";

pub(crate) fn run(args: &CompletionsArgs, out: &mut Printer) -> Result<ExitStatus> {
    out.line(script(args.shell)?.trim());
    Ok(ExitStatus::Done)
}

fn script(shell: Shell) -> Result<String> {
    if shell == Shell::Bash {
        return Ok(BASH.replace("VARIABLE", COMPLETE));
    }
    let shells = Shells::builtins();
    let completer = shells.completer(&shell.to_string()).context("unsupported shell")?;
    let mut script = Vec::new();
    completer.write_registration(COMPLETE, NAME, NAME, NAME, &mut script)?;
    let mut script = String::from_utf8(script)?;
    if shell == Shell::Zsh {
        script.push_str(ZSH_AUTOLOAD);
    }
    Ok(script)
}
