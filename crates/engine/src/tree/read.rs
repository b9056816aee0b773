//! Reading source files: regular files inside the root, up to a size limit.
#![expect(clippy::disallowed_methods, reason = "this module reads source files")]

use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::{Context, Result};
use cerberus_model::file_stat::FileStat;
use cerberus_model::text::conventions::CONVENTIONS;
use cerberus_model::{UserError, regular_file, text};
use memchr::memmem::Finder;

/// Size limit; larger files are data or generated.
pub const MAX_BYTES: u64 = 1024 * 1024;

/// Average line length above which a file is minified.
const MINIFIED_LINE_BYTES: usize = 500;

/// Length of a line that no person writes, and the part of a file's bytes in such lines from which it is
/// minified: three of four.
const LONG_LINE_BYTES: usize = 1000;
const LONG_LINES_SHARE: (usize, usize) = (3, 4);

/// Number of bytes that are searched for a notice of generated code.
const NOTICE_BYTES: usize = 2048;

/// Returns the bytes of the file at `path`, relative to `root`.
pub fn bytes(root: &Path, path: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    check_size(
        path,
        contents(&confined(root, path)?, path, &mut bytes, MAX_BYTES)?,
    )?;
    Ok(bytes)
}

/// Returns the stat of a file that was just listed, if it still exists.
pub(crate) fn stat(root: &Path, path: &str) -> Option<FileStat> {
    let metadata = std::fs::symlink_metadata(root.join(path)).ok()?;
    metadata.is_file().then(|| FileStat::new(&metadata))
}

/// Reads a regular file that was just listed into `bytes` and returns its stat before reading.
/// Skips the content of a file that is too large. Does not validate the path again, which takes
/// longer than reading.
pub fn read_listed(root: &Path, path: &str, bytes: &mut Vec<u8>) -> Result<FileStat> {
    read_up_to(root, path, bytes, MAX_BYTES)
}

/// Reads a file as [`read_listed`], with another size limit.
pub fn read_up_to(
    root: &Path,
    path: &str,
    bytes: &mut Vec<u8>,
    max_bytes: u64,
) -> Result<FileStat> {
    contents(&root.join(path), path, bytes, max_bytes)
}

fn contents(full: &Path, path: &str, bytes: &mut Vec<u8>, max_bytes: u64) -> Result<FileStat> {
    bytes.clear();
    let file = regular_file::open(full).with_context(|| format!("failed to open `{path}`"))?;
    let metadata = file
        .metadata()
        .with_context(|| format!("failed to read `{path}`"))?;
    let stat = FileStat::new(&metadata);
    if stat.size <= max_bytes {
        // If the file grows meanwhile, its stat changes and it is read again next time.
        bytes.reserve(usize::try_from(stat.size).unwrap_or(0));
        let mut file = file.take(stat.size);
        file.read_to_end(bytes)
            .with_context(|| format!("failed to read `{path}`"))?;
    }
    Ok(stat)
}

fn check_size(path: &str, stat: FileStat) -> Result<(), UserError> {
    if stat.size <= MAX_BYTES {
        return Ok(());
    }
    Err(UserError::usage(format!("`{path}` is larger than 1 MB"))
        .hint("name a smaller file; larger ones are not indexed"))
}

/// Returns the text of the file at `path`, relative to `root`.
pub fn text(root: &Path, path: &str) -> Result<String> {
    let bytes = bytes(root, path)?;
    Ok(text::decode(&bytes).0.into_owned())
}

/// Returns the text of a file that was just listed.
pub fn listed_text(root: &Path, path: &str) -> Result<String> {
    let mut bytes = Vec::new();
    check_size(path, read_listed(root, path, &mut bytes)?)?;
    Ok(text::decode(&bytes).0.into_owned())
}

/// Returns whether `path` is an existing file or folder inside `root`.
pub fn exists(root: &Path, path: &str) -> bool {
    let full = root.join(path);
    // Resolving a path asks for each folder on its way.
    let real = full.exists().then(|| full.canonicalize().ok()).flatten();
    let paths = real.zip(root.canonicalize().ok());
    paths.is_some_and(|(real, root)| real.starts_with(root))
}

/// Returns whether `path` is a regular file inside `root`, and no symbolic link.
pub fn is_file(root: &Path, path: &str) -> bool {
    confined(root, path).is_ok()
}

/// Returns the path of a file that could not be read, with the reason, if it exists or may exist in a folder
/// without permission.
pub fn unread(root: &Path, path: &str, error: &anyhow::Error) -> Option<(String, String)> {
    let kind = error.downcast_ref::<std::io::Error>()?.kind();
    let is_there = kind == ErrorKind::PermissionDenied || is_file(root, path);
    is_there.then(|| (path.to_owned(), format!("{error:#}")))
}

/// Hint for a path that is not a file of the project.
const PATH_HINT: &str = "name a file by its path relative to the project root";

fn outside(path: &str) -> UserError {
    UserError::usage(format!("`{path}` is outside the project")).hint(PATH_HINT)
}

/// Returns the full path of a regular file inside `root`.
fn confined(root: &Path, path: &str) -> Result<PathBuf> {
    let full = regular(root, path)?;
    // Checking each folder for a symbolic link is faster than resolving the path and the root.
    let is_link = |folder: &&Path| {
        std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.file_type().is_symlink())
    };
    let mut folders = full
        .ancestors()
        .skip(1)
        .take_while(|folder| *folder != root);
    if !folders.any(|folder| is_link(&folder)) {
        return Ok(full);
    }
    let real = full
        .canonicalize()
        .with_context(|| format!("failed to resolve `{path}`"))?;
    let real_root = root
        .canonicalize()
        .context("failed to resolve the project's root")?;
    if !real.starts_with(&real_root) {
        return Err(outside(path).into());
    }
    Ok(full)
}

/// Returns the full path of a regular file. A folder on the way may be a symbolic link.
fn regular(root: &Path, path: &str) -> Result<PathBuf> {
    let is_inside = Path::new(path)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    if path.is_empty() || path.contains('\\') || !is_inside {
        return Err(outside(path).into());
    }
    let full = root.join(path);
    let kind =
        std::fs::symlink_metadata(&full).with_context(|| format!("failed to read `{path}`"))?;
    if !kind.is_file() {
        return Err(UserError::usage(format!("`{path}` is not a regular file"))
            .hint(PATH_HINT)
            .into());
    }
    Ok(full)
}

/// Returns the reason if a file should not be indexed.
pub fn skip_reason(bytes: &[u8]) -> Option<&'static str> {
    let head = &bytes[..bytes.len().min(NOTICE_BYTES)];
    if !bytes.starts_with(&[0xFF, 0xFE]) && !bytes.starts_with(&[0xFE, 0xFF]) && head.contains(&0) {
        return Some("binary");
    }
    let (mut n_lines, mut n_long, mut start) = (0, 0, 0);
    for end in memchr::memchr_iter(b'\n', bytes).chain([bytes.len()]) {
        n_lines += 1;
        n_long += if end - start > LONG_LINE_BYTES {
            end - start
        } else {
            0
        };
        start = end + 1;
    }
    let (part, whole) = LONG_LINES_SHARE;
    if bytes.len() / n_lines > MINIFIED_LINE_BYTES || n_long * whole > bytes.len() * part {
        return Some("minified");
    }
    let has_all = |notice: &Vec<Finder<'_>>| notice.iter().all(|part| part.find(head).is_some());
    NOTICES.iter().any(has_all).then_some("generated")
}

static NOTICES: LazyLock<Vec<Vec<Finder<'static>>>> = LazyLock::new(|| {
    let notices = CONVENTIONS.generated.notices.iter();
    notices
        .map(|parts| parts.iter().map(Finder::new).collect())
        .collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_outside_the_root_are_not_read() {
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
    fn binary_minified_and_generated_files_are_skipped() {
        assert_eq!(skip_reason(b"def f():\n    pass\n"), None);
        assert_eq!(skip_reason(b"\x7fELF\0\0"), Some("binary"));
        assert_eq!(
            skip_reason("var a=1;".repeat(200).as_bytes()),
            Some("minified")
        );
        // A licence of many short lines above a bundle.
        let (licence, bundle) = ("// Use it.\n".repeat(60), "var a=1;".repeat(300));
        assert_eq!(
            skip_reason(format!("{licence}{bundle}").as_bytes()),
            Some("minified")
        );
        let table = format!(
            "{}x = \"{}\"\n",
            "def f(): pass\n".repeat(100),
            "a".repeat(1200)
        );
        assert_eq!(skip_reason(table.as_bytes()), None);
        let notice = concat!("// Code generated by protoc. DO NOT", " EDIT.\npackage p\n");
        assert_eq!(skip_reason(notice.as_bytes()), Some("generated"));
    }
}
