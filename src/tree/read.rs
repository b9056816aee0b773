//! Reads source files, and only those: regular files inside the root, no larger
//! than what a person writes.
#![expect(clippy::disallowed_methods, reason = "this module owns the reading of code")]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result};
use memchr::memmem::Finder;

use crate::error::UserError;
use crate::file_stat::FileStat;
use crate::text;

/// The largest file that is read: larger ones are data or generated.
pub(crate) const MAX_BYTES: u64 = 1024 * 1024;

/// A line longer than this, on average over the file, is no line a person wrote.
const MINIFIED_LINE_BYTES: usize = 500;

/// How far into a file its "generated" notice may stand.
const NOTICE_BYTES: usize = 2048;

/// Returns the bytes of the file at `path` below `root`.
pub(crate) fn bytes(root: &Path, path: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    check_size(path, contents(&confined(root, path)?, path, &mut bytes)?)?;
    Ok(bytes)
}

/// Returns the stamp of a file that a walk of `root` has met just now, if it is still there.
pub(crate) fn stat(root: &Path, path: &str) -> Option<FileStat> {
    let metadata = std::fs::symlink_metadata(root.join(path)).ok()?;
    metadata.is_file().then(|| FileStat::new(&metadata))
}

/// Reads a file that a walk of `root` has met just now as a regular file into `bytes`, and
/// returns its stamp as of before; nothing is read of what is too large. Where its path
/// leads, which costs more than the reading, is not asked again.
pub(crate) fn walked(root: &Path, path: &str, bytes: &mut Vec<u8>) -> Result<FileStat> {
    contents(&root.join(path), path, bytes)
}

fn contents(full: &Path, path: &str, bytes: &mut Vec<u8>) -> Result<FileStat> {
    bytes.clear();
    let file = std::fs::File::open(full).with_context(|| format!("failed to open `{path}`"))?;
    let metadata = file.metadata().with_context(|| format!("failed to read `{path}`"))?;
    let stat = FileStat::new(&metadata);
    if stat.size <= MAX_BYTES {
        // As much as it has now; where it grows meanwhile it is read again the next time.
        bytes.reserve(usize::try_from(stat.size).unwrap_or(0));
        let mut file = file.take(stat.size);
        file.read_to_end(bytes).with_context(|| format!("failed to read `{path}`"))?;
    }
    Ok(stat)
}

fn check_size(path: &str, stat: FileStat) -> Result<(), UserError> {
    if stat.size <= MAX_BYTES {
        return Ok(());
    }
    Err(UserError::usage(format!("`{path}` is larger than 1 MB"))
        .hint("name a file that a person wrote; larger ones are never an example"))
}

/// Returns the text of the file at `path` below `root`.
pub(crate) fn text(root: &Path, path: &str) -> Result<String> {
    let bytes = bytes(root, path)?;
    Ok(text::decode(&bytes).0.into_owned())
}

/// Returns the text of a file that a walk of `root` has met just now.
pub(crate) fn walked_text(root: &Path, path: &str) -> Result<String> {
    let mut bytes = Vec::new();
    check_size(path, walked(root, path, &mut bytes)?)?;
    Ok(text::decode(&bytes).0.into_owned())
}

/// Returns whether there is a file or a folder at `path` below `root`.
pub(crate) fn is_there(root: &Path, path: &str) -> bool {
    let real = root.join(path).canonicalize();
    let inside = real.ok().zip(root.canonicalize().ok());
    inside.is_some_and(|(real, root)| real.starts_with(root))
}

/// What to do about a path that is no file of the project.
const NEXT: &str = "name a file by its path from the project's root";

fn outside(path: &str) -> UserError {
    UserError::usage(format!("`{path}` leads out of the project")).hint(NEXT)
}

/// Returns where `path` leads, which is a regular file inside `root`.
fn confined(root: &Path, path: &str) -> Result<PathBuf> {
    let full = regular(root, path)?;
    // A folder on the way may be a link; where it leads is what counts. Without one the
    // file is where it says, which costs less to see than where the root is.
    let is_link = |folder: &&Path| {
        std::fs::symlink_metadata(folder).is_ok_and(|it| it.file_type().is_symlink())
    };
    let mut folders = full.ancestors().skip(1).take_while(|folder| *folder != root);
    if !folders.any(|folder| is_link(&folder)) {
        return Ok(full);
    }
    let real = full.canonicalize().with_context(|| format!("failed to resolve `{path}`"))?;
    let real_root = root.canonicalize().context("failed to resolve the project's root")?;
    if !real.starts_with(&real_root) {
        return Err(outside(path).into());
    }
    Ok(full)
}

/// Returns the path of a regular file that is below `root` if no folder on the way is a link.
fn regular(root: &Path, path: &str) -> Result<PathBuf> {
    let is_inside =
        Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    if path.is_empty() || path.contains('\\') || !is_inside {
        return Err(outside(path).into());
    }
    let full = root.join(path);
    let kind =
        std::fs::symlink_metadata(&full).with_context(|| format!("failed to read `{path}`"))?;
    if !kind.is_file() {
        return Err(UserError::usage(format!("`{path}` is not a regular file")).hint(NEXT).into());
    }
    Ok(full)
}

/// Returns why a file's content is not worth indexing, if it is not.
pub(crate) fn unfit(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(NOTICE_BYTES)];
    if !bytes.starts_with(&[0xFF, 0xFE]) && !bytes.starts_with(&[0xFE, 0xFF]) && head.contains(&0) {
        return Some("binary");
    }
    let n_lines = memchr::memchr_iter(b'\n', bytes).count() + 1;
    if bytes.len() / n_lines > MINIFIED_LINE_BYTES {
        return Some("minified");
    }
    let has = |notice: &Finder<'_>| notice.find(head).is_some();
    let [go, of_go, plain, django, protobuf] = &*NOTICES;
    let is_generated = (has(go) && has(of_go)) || has(plain) || has(django) || has(protobuf);
    is_generated.then_some("generated")
}

/// The two halves of the notice that Go's tools look for, the one that most others use,
/// and those of two that write their own. Split so that this file does not count as
/// generated itself.
static NOTICES: LazyLock<[Finder<'static>; 5]> = LazyLock::new(|| {
    [
        "Code generated",
        concat!("DO NOT", " EDIT"),
        concat!("@gener", "ated"),
        concat!("Generated by", " Django"),
        concat!("Generated by the", " protocol buffer compiler"),
    ]
    .map(Finder::new)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_root_is_read() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let root = folder.path().join("root");
        std::fs::create_dir(&root).expect("a root");
        std::fs::write(folder.path().join("secret.py"), "x").expect("a file");
        std::fs::write(root.join("in.py"), "y").expect("a file");
        assert_eq!(text(&root, "in.py").expect("inside"), "y");
        for path in ["../secret.py", "/etc/passwd", "", ".", "missing.py", "a\\b"] {
            assert!(bytes(&root, path).is_err(), "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path(), root.join("out")).expect("a link");
            std::os::unix::fs::symlink("in.py", root.join("link.py")).expect("a link");
            assert!(bytes(&root, "out/secret.py").is_err());
            assert!(bytes(&root, "link.py").is_err());
        }
    }

    #[test]
    fn what_no_person_wrote_is_told() {
        assert_eq!(unfit(b"def f():\n    pass\n"), None);
        assert_eq!(unfit(b"\x7fELF\0\0"), Some("binary"));
        assert_eq!(unfit("var a=1;".repeat(200).as_bytes()), Some("minified"));
        let notice = concat!("// Code generated by protoc. DO NOT", " EDIT.\npackage p\n");
        assert_eq!(unfit(notice.as_bytes()), Some("generated"));
    }
}
