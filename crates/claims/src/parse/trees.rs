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

/// Returns the name at the root of a tree, and its paths, with the span of each name in the block.
pub(super) fn paths(block: &str) -> (Option<String>, Vec<(Span, String)>) {
    let is_indented = is_indented_tree(block);
    let mut found = Vec::new();
    let mut root = None;
    // The columns and the names of the folders around a line. The root is the project or one of its
    // folders, so the paths do not include it.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    for line in block.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let is_branch = |c: char| c.is_whitespace() || "├└│─|`+-".contains(c);
        let Some(offset) = line.find(|c: char| !is_branch(c)) else {
            continue;
        };
        let has_branch = is_indented
            || BRANCHES
                .iter()
                .any(|branch| line[..offset].contains(branch));
        let rest = &line[offset..];
        let name = rest.split(char::is_whitespace).next().unwrap_or_default();
        let column = line[..offset].chars().count();
        while open.last().is_some_and(|(other, _)| *other >= column) {
            open.pop();
        }
        if !is_plain(name, &rest[name.len()..]) || is_fence(name) {
            continue;
        }
        let plain = name.trim_end_matches('/');
        if !has_branch && !open.is_empty() {
            continue;
        }
        if has_branch {
            let outer = open
                .iter()
                .map(|(_, name)| name.as_str())
                .filter(|name| !name.is_empty());
            let path = outer.chain([plain]).collect::<Vec<_>>().join("/");
            let span = Span::new(start + offset, start + offset + plain.len());
            found.push((span, path));
        } else {
            root = Some(plain.trim_start_matches("./").to_owned());
        }
        open.push((
            column,
            if has_branch {
                plain.to_owned()
            } else {
                String::new()
            },
        ));
    }
    (root, found)
}
