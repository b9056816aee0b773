//! Runs the seeds of a fuzz target.

use std::path::Path;

/// Runs each seed of a target in a temporary folder with a bank, and checks that it writes nothing outside.
#[expect(clippy::disallowed_methods, reason = "reads the seeds")]
pub(super) fn run(target: &str, run: impl Fn(&[u8], &Path)) {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut seeds = folders.map(|it| it.join("tests/fuzz/seeds").join(target));
    let seeds = seeds.find(|it| it.is_dir()).expect("a folder of seeds");
    for seed in std::fs::read_dir(seeds).expect("a folder of seeds") {
        let bytes = std::fs::read(seed.expect("a seed").path()).expect("a seed");
        let folder = tempfile::tempdir().expect("a temp folder");
        let inside = folder.path().join("inside");
        std::fs::create_dir_all(inside.join(".memories")).expect("a folder");
        run(&bytes, &inside);
        let n_beside = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(n_beside, 1, "{target} wrote outside of its folder");
    }
}
