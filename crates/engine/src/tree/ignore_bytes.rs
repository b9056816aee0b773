//! A limit on the ignore files of a walk. Each of them has a limit too, but compiling the patterns of
//! a hundred large ones takes a minute and gigabytes of memory.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::prelude::*;

use super::walk;

/// Size limit of all ignore files of a walk. The patterns of 1 MB take about a second to compile.
const MAX_BYTES: u64 = 1024 * 1024;

/// Total size of the ignore files that a walk has met. A walk with too many is refused as a whole,
/// because the order in which its threads meet them must not decide which ones apply.
#[derive(Clone)]
pub(super) struct IgnoreBytes(Arc<AtomicU64>);

impl IgnoreBytes {
    /// Starts with the ignore files of the first folder.
    pub(super) fn new(start: &Path) -> Self {
        Self(Arc::new(AtomicU64::new(walk::ignore_bytes(start).unwrap_or(0))))
    }

    /// Adds the ignore files of a folder, and returns false if one is invalid or there are too many.
    pub(super) fn add(&self, folder: &Path) -> bool {
        let Ok(own) = walk::ignore_bytes(folder) else { return false };
        self.0.fetch_add(own, Ordering::Relaxed) + own <= MAX_BYTES
    }

    /// Fails if the walk has met too many.
    pub(super) fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) <= MAX_BYTES {
            return Ok(());
        }
        Err(UserError::environment("the ignore files of the project have more than 1 MB together")
            .hint("find the large ones: find . -name '.*ignore' -size +99k")
            .into())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "the test creates files")]

    use std::path::Path;

    use crate::tree::{documents, walk};

    #[test]
    fn many_large_ignore_files_are_refused() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let root = folder.path();
        for (name, size) in [("a", 600_000), ("b", 400_000), ("c", 100_000)] {
            std::fs::create_dir(root.join(name)).expect("a folder");
            std::fs::write(root.join(name).join("x.md"), "x").expect("a document");
            assert!(
                walk::walk(root, &[]).is_ok() && walk::files(root, &[]).is_ok(),
                "before {name}"
            );
            assert!(documents::find(root, root).is_ok(), "before {name}");
            assert!(walk::unignored(root, Path::new("")).is_ok(), "before {name}");
            // A comment compiles to nothing.
            let text = format!("#{}", "x".repeat(size));
            std::fs::write(root.join(name).join(".gitignore"), text).expect("an ignore file");
        }
        let expected = "the ignore files of the project have more than 1 MB together";
        let errors = [
            walk::walk(root, &[]).expect_err("too large"),
            walk::walk_plain(root, &[]).expect_err("too large"),
            walk::files(root, &[]).expect_err("too large"),
            documents::find(root, root).expect_err("too large"),
            walk::unignored(root, Path::new("")).expect_err("too large"),
        ];
        for error in errors {
            assert_eq!(error.to_string(), expected);
        }
    }
}
