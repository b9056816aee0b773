//! The engine in a process that cannot start a thread.

use std::path::Path;
use std::process::Command;

use cerberus_engine::threads::{spawn, start_pool};
use cerberus_engine::tree::{git, walk};
use rayon::ThreadPoolBuilder;

/// The test runs itself in a process in which no thread has enough memory to start.
#[test]
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the test is a program")]
fn without_threads_nothing_panics() {
    if std::thread::Builder::new().spawn(|| {}).is_ok() {
        let mut again = Command::new(std::env::current_exe().expect("a test"));
        again.args(["--exact", "without_threads_nothing_panics"]);
        let output = again
            .env("RUST_MIN_STACK", "70368744177664")
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("1 passed"), "{text}");
        return;
    }
    assert_eq!(std::thread::scope(|scope| spawn(scope, || 5).join()), 5);
    assert!(start_pool(2).is_err());
    // The work of a pool, here on this thread, starts none.
    let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    pool.build_global().expect("there is none");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listing = walk::walk(root, &[]).expect("it is readable");
    assert!(listing.entries.iter().any(|it| it.path == "src/threads.rs"));
    assert!(
        git::head(root).is_none(),
        "git has a time limit, which needs a thread"
    );
}
