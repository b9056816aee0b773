//! Shared by the targets that need files.

use std::path::Path;

/// Runs a target in a temporary folder with a bank and checks that it writes nothing outside.
pub fn in_a_folder(run: impl FnOnce(&Path)) {
    let around = tempfile::tempdir().expect("a temp folder");
    let folder = around.path().join("inside");
    std::fs::create_dir_all(folder.join(".memories")).expect("a folder");
    run(&folder);
    let n_beside = std::fs::read_dir(around.path()).expect("a folder").count();
    assert_eq!(n_beside, 1, "something was written outside");
}
