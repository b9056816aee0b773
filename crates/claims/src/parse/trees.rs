//! The paths of a directory tree that is drawn in a code block.

use cerberus_model::text::Span;

/// Characters that draw the branches.
const BRANCHES: &[&str] = &["├", "└", "│", "|--", "`--", "+--"];

/// Returns whether a block draws a tree.
pub(super) fn is_tree(block: &str) -> bool {
    let is_branch = |line: &&str| {
        let line = line.trim_start();
        ["├", "└", "|--", "`--", "+--"]
            .iter()
            .any(|branch| line.trim_start_matches(['│', '|', ' ', '\u{a0}']).starts_with(branch))
    };
    block.lines().filter(is_branch).count() >= 2
}

/// Returns the name at the root of a tree, and its paths, with the span of each name in the block.
pub(super) fn paths(block: &str) -> (Option<String>, Vec<(Span, String)>) {
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
        let Some(offset) = line.find(|c: char| !is_branch(c)) else { continue };
        let has_branch = BRANCHES.iter().any(|branch| line[..offset].contains(branch));
        let rest = &line[offset..];
        let name = rest.split(char::is_whitespace).next().unwrap_or_default();
        let column = line[..offset].chars().count();
        while open.last().is_some_and(|(other, _)| *other >= column) {
            open.pop();
        }
        let is_name = |c: char| c.is_alphanumeric() || "._-@/[]()+".contains(c);
        let comment = rest[name.len()..].trim_start();
        let is_plain = comment.is_empty()
            || ["#", "//", "—", "-", "–", "←", "<", "(", "→", "*"]
                .iter()
                .any(|it| comment.starts_with(it))
            || rest[name.len()..].starts_with("  ");
        let plain = name.trim_end_matches('/');
        if plain.is_empty()
            || plain == ".."
            || !plain.chars().all(is_name)
            || !is_plain
            || plain.contains("...")
        {
            continue;
        }
        if !has_branch && !open.is_empty() {
            continue;
        }
        if has_branch {
            let outer = open.iter().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty());
            let path = outer.chain([plain]).collect::<Vec<_>>().join("/");
            let span = Span::new(start + offset, start + offset + plain.len());
            found.push((span, path));
        } else {
            root = Some(plain.trim_start_matches("./").to_owned());
        }
        open.push((column, if has_branch { plain.to_owned() } else { String::new() }));
    }
    (root, found)
}
