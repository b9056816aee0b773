//! A quick look at the links of a document that is not read otherwise.

use cerberus_markdown::links::normalize_path;

use crate::paths::folder_of;
use crate::snapshot::{joined, last};

/// The text before the destination of a link.
const MARKS: [&str; 4] = ["](", "]: ", " href=\"", " src=\""];

/// Returns whether a link of a document may lead to a file that is not there, so that the document is worth
/// reading. `is_there` says whether a path of the project exists.
pub fn may_be_broken(path: &str, text: &str, is_there: &dyn Fn(&str) -> bool) -> bool {
    let folder = folder_of(path);
    for mark in MARKS {
        for (at, _) in text.match_indices(mark) {
            let rest = &text[at + mark.len()..];
            let end = rest.find([')', '"', '>', '\n', ' ', '#', '?']);
            let destination = rest[..end.unwrap_or(rest.len())].trim_start_matches('<');
            if !is_file_of_project(destination) {
                continue;
            }
            let target = normalize_path(&joined(folder, destination));
            if target.is_some_and(|target| !is_there(&target)) {
                return true;
            }
        }
    }
    false
}

/// Returns whether a destination is a relative path with an ending.
fn is_file_of_project(destination: &str) -> bool {
    !destination.starts_with('/')
        && !destination.contains([':', '{', '$'])
        && last(destination).contains('.')
        && !destination.ends_with(['.', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_a_file_that_is_not_there_is_seen() {
        let is_there = |path: &str| path == "docs/a.md";
        for (text, expected) in [
            ("[a](a.md), [a](../docs/a.md#b \"title\")", false),
            ("[b](b.md)", true),
            ("[b]: <b.md>", true),
            ("<img src=\"b.png\">", true),
            (
                "[b](https://example.org/b.md), [b](/b.md), [b](../b/)",
                false,
            ),
            ("[b](../../b.md)", false),
        ] {
            assert_eq!(
                may_be_broken("docs/c.md", text, &is_there),
                expected,
                "{text}"
            );
        }
    }
}
