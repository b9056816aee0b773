//! Hands the command line to the library and its status to the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    cerberus_memory::run(std::env::args_os()).into()
}
