//! The paths of a directory tree that is drawn in a code block.

use cerberus_model::text::Span;

use super::is_fence;

/// Characters that draw the branches.
const BRANCHES: &[&str] = &["├", "└", "│", "|--", "`--", "+--"];

/// Minimum number of lines of a tree that only indentation draws.
const MIN_INDENTED: usize = 3;

/// Returns whether a block draws a tree.
pub(super) fn is_tree(block: &str) -> bool {
    let is_branch = |line: &&str| {
        let line = line.trim_start();
        ["├", "└", "|--", "`--", "+--"].iter().any(|branch| {
            line.trim_start_matches(['│', '|', ' ', '\u{a0}'])
                .starts_with(branch)
        })
    };
    block.lines().filter(is_branch).count() >= 2 || is_indented_tree(block)
}

/// Returns whether each line of a block is the name of a file or a folder, perhaps with a comment, and
/// lines are indented below folders only.
fn is_indented_tree(block: &str) -> bool {
    let lines = block
        .lines()
        .filter(|line| !line.trim().is_empty() && !is_fence(line.trim()));
    let (mut n_lines, mut n_below) = (0, 0);
    // The indentation of the last line, and whether it is a folder.
    let mut last: Option<(usize, bool)> = None;
    for line in lines {
        let rest = line.trim_start();
        let (indent, name) = (
            line.len() - rest.len(),
            rest.split(char::is_whitespace).next(),
        );
        let Some(name) = name.filter(|name| is_plain(name, &rest[name.len()..])) else {
            return false;
        };
        let is_folder = name.ends_with('/');
        if !is_folder && !name.contains('.') {
            return false;
        }
        match last {
            Some((outer, is_folder)) if indent > outer => {
                if !is_folder {
                    return false;
                }
                n_below += 1;
            }
            _ => {}
        }
        last = Some((indent, is_folder));
        n_lines += 1;
    }
    n_lines >= MIN_INDENTED && n_below > 0
}

/// Returns whether a name may be that of a file or a folder, and what is after it a comment.
fn is_plain(name: &str, after: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || "._-@/[]()+".contains(c);
    let comment = after.trim_start();
    let is_comment = comment.is_empty()
        || ["#", "//", "—", "-", "–", "←", "<", "(", "→", "*"]
            .iter()
            .any(|it| comment.starts_with(it))
        || after.starts_with("  ");
    let plain = name.trim_end_matches('/');
    !plain.is_empty()
        && plain != ".."
        && plain.chars().all(is_name)
        && is_comment
        && !plain.contains("...")
}

/// A line of a tree that names a file or a folder.
struct Line<'b> {
    /// The name without the slash at its end.
    name: &'b str,
    start: usize,
    column: usize,
    has_branch: bool,
}

/// Returns the lines of a block that name a file or a folder.
fn lines(block: &str) -> Vec<Line<'_>> {
    let is_indented = is_indented_tree(block);
    let is_branch = |c: char| c.is_whitespace() || "├└│─|`+-".contains(c);
    let mut found = Vec::new();
    for line in block.lines() {
        let Some(offset) = line.find(|c: char| !is_branch(c)) else {
            continue;
        };
        let rest = &line[offset..];
        let name = rest.split(char::is_whitespace).next().unwrap_or_default();
        if !is_plain(name, &rest[name.len()..]) || is_fence(name) {
            continue;
        }
        let marks = &line[..offset];
        found.push(Line {
            name: name.trim_end_matches('/'),
            start: name.as_ptr().addr() - block.as_ptr().addr(),
            column: marks.chars().count(),
            has_branch: is_indented || BRANCHES.iter().any(|branch| marks.contains(branch)),
        });
    }
    found
}

/// Returns the name at the root of a tree, and its paths, with the span of each name in the block. A block of
/// several trees has no root: each of them is in a folder of the project.
pub(super) fn paths(block: &str) -> (Option<String>, Vec<(Span, String)>) {
    let lines = lines(block);
    let first_column = lines.first().map_or(0, |line| line.column);
    let is_root = |line: &&Line<'_>| !line.has_branch && line.column == first_column;
    let is_folder = |line: &Line<'_>| {
        let end = line.start + line.name.len();
        block[end..].starts_with('/') || line.name.contains('.')
    };
    let roots: Vec<&Line<'_>> = lines.iter().filter(is_root).collect();
    let has_several = roots.len() > 1 && roots.iter().all(|line| is_folder(line));
    let mut found = Vec::new();
    let mut root = None;
    // The columns and the names of the folders around a line. The single root is the project or one of its
    // folders, so the paths do not include it.
    let mut open: Vec<(usize, String)> = Vec::new();
    for line in &lines {
        while open.last().is_some_and(|(other, _)| *other >= line.column) {
            open.pop();
        }
        let is_entry = line.has_branch || has_several && line.column == first_column;
        if !is_entry {
            if open.is_empty() {
                root = Some(line.name.trim_start_matches("./").to_owned());
                open.push((line.column, String::new()));
            }
            continue;
        }
        let mut path = String::new();
        for (_, folder) in &open {
            if !folder.is_empty() {
                path += folder;
                path.push('/');
            }
        }
        path += line.name;
        let span = Span::new(line.start, line.start + line.name.len());
        found.push((span, path));
        open.push((line.column, line.name.to_owned()));
    }
    (root, found)
}
