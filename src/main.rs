//! Runs the command line and returns its exit status.
#![expect(clippy::disallowed_methods, reason = "only this module reads the command line")]

use std::process::ExitCode;

// Parsing makes many small allocations on all threads. This allocator, which the grammars and
// SQLite use too, makes it 5 % faster.
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cerberus_memory::run(std::env::args_os()).into()
}
