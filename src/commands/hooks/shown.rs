//! The files of a diff in the output of a shell command, such as `git show` or `gh pr diff`: an agent that reads a change
//! gets the rules of its files, as one that makes it.

use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of files of a diff that count. A change of more files is not read as a whole.
const MAX_FILES: usize = 20;

/// Returns the files of the project in a diff, with the lines that it adds to them.
pub(super) fn in_diff(output: &str, root: &Path) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    let mut current = None;
    let mut is_header = false;
    for line in output.lines() {
        if line.starts_with("diff --git ") {
            is_header = true;
            current = None;
        } else if is_header && let Some(path) = line.strip_prefix("+++ ") {
            current = in_project(path, root).filter(|path| {
                // Rules are not about the texts of memories.
                !path.starts_with(".memories/") && files.len() < MAX_FILES
            });
            if let Some(path) = &current {
                files.entry(path.clone()).or_default();
            }
        } else if line.starts_with("@@ ") {
            is_header = false;
        } else if let Some(path) = &current
            && let Some(added) = line.strip_prefix('+')
            && let Some(text) = files.get_mut(path)
        {
            text.push_str(added);
            text.push('\n');
        }
    }
    files
}

/// Returns the path of a file of the project. Git writes a letter and a slash before it, unless it is configured not to.
fn in_project(path: &str, root: &Path) -> Option<String> {
    let path = path.trim_end_matches(['\t', '\r']);
    let unquoted = unquoted(path);
    let path = unquoted.as_deref().unwrap_or(path);
    let without_prefix = path.split_once('/').map(|(_, rest)| rest);
    for candidate in [without_prefix, Some(path)].into_iter().flatten() {
        let is_inside =
            !candidate.starts_with('/') && !candidate.split('/').any(|part| part == "..");
        if is_inside && root.join(candidate).is_file() {
            return Some(candidate.to_owned());
        }
    }
    None
}

/// Returns a path that git put in quotes, because it has characters other than ASCII.
fn unquoted(path: &str) -> Option<String> {
    let mut rest = path.strip_prefix('"')?.strip_suffix('"')?.bytes();
    let mut bytes = Vec::new();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = rest.next()?;
        bytes.push(match escaped {
            b'"' | b'\\' => escaped,
            b'0'..=b'3' => {
                let octal = [escaped, rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&octal).ok()?, 8).ok()?
            }
            _ => return None,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::temporary::write;

    #[test]
    fn a_quoted_path_is_read() {
        for (path, expected) in [
            (r#""b/p\303\244y \"x\"\\.py""#, Some("b/päy \"x\"\\.py")),
            ("b/pay.py", None),
            (r#""b/\303""#, None),
            (r#""b/\3""#, None),
            (r#""b/\n""#, None),
            ("\"", None),
        ] {
            assert_eq!(unquoted(path).as_deref(), expected, "{path}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        write(&folder.path().join("päy.py"), "").expect("a file");
        let diff = "diff --git \"a/p\\303\\244y.py\" \"b/p\\303\\244y.py\"\n\
            +++ \"b/p\\303\\244y.py\"\n@@ -0,0 +1 @@\n+x\n";
        let found = in_diff(diff, folder.path());
        assert_eq!(found.get("päy.py").map(String::as_str), Some("x\n"));
    }

    #[test]
    fn the_added_lines_of_files_that_are_there_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        write(&root.join("lib/pay.py"), "").expect("a file");
        write(&root.join("x.py"), "").expect("a file");
        let diff = "commit 1\n\ndiff --git a/lib/pay.py b/lib/pay.py\nindex 1..2 100644\n--- a/lib/pay.py\n\
            +++ b/lib/pay.py\n@@ -1,2 +1,3 @@ def refund\n def refund():\n-    return 1\n+    return 2\n+++ three\n\
            diff --git x.py x.py\n--- x.py\n+++ x.py\n@@ -0,0 +1 @@\n+x = 1\n\
            diff --git a/gone.py b/gone.py\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n\
            diff --git a/../x.py b/../x.py\n+++ b/../x.py\n@@ -0,0 +1 @@\n+z\n";
        let found = in_diff(diff, root);
        let expected = [
            ("lib/pay.py", "    return 2\n++ three\n"),
            ("x.py", "x = 1\n"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(found, BTreeMap::from(expected));
        assert_eq!(in_diff("+++ b/lib/pay.py\n+x\n", root), BTreeMap::new());
    }
}
