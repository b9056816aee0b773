//! Hands the command line to the library and its status to the shell.
#![expect(clippy::disallowed_methods, reason = "the one place that reads the command line")]

use std::process::ExitCode;

fn main() -> ExitCode {
    cerberus_memory::run(std::env::args_os()).into()
}
