//! Runs the command line and returns its exit status.
#![expect(
    clippy::disallowed_methods,
    reason = "only this module reads the command line"
)]

use std::process::ExitCode;

// Parsing makes many small allocations on all threads, in the grammars and SQLite too (`override`).
// Without huge pages (`no_thp`) the peak memory is half, and the time the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cerberus_memory::run(std::env::args_os()).into()
}
