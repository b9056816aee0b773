//! `cerberus completions`.

use anyhow::{Context, Result};
use clap::Args;
use clap_complete::Shell;
use clap_complete::env::Shells;

use crate::config::COMPLETE;
use crate::error::ExitStatus;
use crate::output::Printer;

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

const NAME: &str = "cerberus";

/// The library's own script for bash cuts words at `:` and `=`, as bash does; this one puts
/// them together again.
const BASH: &str = include_str!("completions/cerberus.bash");

/// What loads the script of zsh when it is found on its path, where the file is the function.
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
    let known = shells.completer(&shell.to_string()).context("every shell has its script")?;
    let mut script = Vec::new();
    known.write_registration(COMPLETE, NAME, NAME, NAME, &mut script)?;
    let mut script = String::from_utf8(script)?;
    if shell == Shell::Zsh {
        script.push_str(ZSH_AUTOLOAD);
    }
    Ok(script)
}
