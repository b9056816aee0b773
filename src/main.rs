//! Hands the command line to the library and its status to the shell.
#![expect(clippy::disallowed_methods, reason = "the one place that reads the command line")]

use std::process::ExitCode;

// Parsing is a great many small pieces of memory, taken and given back by all threads: with
// this allocator, which the grammars and SQLite use too, it takes a twentieth less time.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cerberus_memory::run(std::env::args_os()).into()
}
