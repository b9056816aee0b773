//! The code of an anchor as it is now, or why it is not shown.

use crate::engine::track;
use crate::model::{Anchor, Language, State};
use crate::ops::Project;
use crate::ops::pins::render::safe;
use crate::syntax::excerpt::excerpt;
use crate::tree::read;

/// Code that shows a memory.
#[derive(Debug, Clone)]
pub(super) struct Example {
    /// From 0.
    pub(super) first_line: u32,
    pub(super) code: String,
    pub(super) state: State,
    /// As it is given: path, fence and all.
    pub(super) text: String,
}

/// Returns the code at the current place of an anchor that holds.
pub(super) fn example(
    project: &Project,
    anchor: &Anchor,
    max_lines: usize,
) -> Result<Example, String> {
    let gone = || {
        format!(
            "its example is not at `{}` any more: run `cerberus memory reanchor`",
            anchor.symbol.as_deref().unwrap_or(&anchor.file)
        )
    };
    let symbol = track::verify_in_place(&project.root, &anchor.file, &[anchor]).pop().flatten();
    let symbol = symbol.filter(|symbol| !symbol.is_ambiguous).ok_or_else(gone)?;
    let text = read::text(&project.root, &anchor.file).map_err(|error| format!("{error:#}"))?;
    let (first_line, last_line) = symbol.lines;
    let lines = (first_line as usize, last_line as usize);
    let is_head = anchor.symbol.is_none();
    let code = excerpt(symbol.language, &text, lines, max_lines, is_head);
    if code.trim().is_empty() {
        return Err("its example is empty".to_owned());
    }
    let text = fenced(&anchor.file, first_line + 1, symbol.state, symbol.language, &code);
    Ok(Example { first_line, code, state: symbol.state, text })
}

/// Returns code below the item that it belongs to, between fences that it cannot end.
fn fenced(file: &str, line: u32, state: State, language: Option<Language>, code: &str) -> String {
    let code = safe(code);
    let fence = "`".repeat((longest_run(&code) + 1).max(3));
    let tag = language.map_or_else(|| extension(file), |language| language.as_str());
    let note = if state == State::Edited { " (changed since it was recorded)" } else { "" };
    let mut text = format!("  Example: {}:{line}{note}\n  {fence}{tag}\n", safe(file));
    for line in code.lines().map(str::trim_end) {
        if !line.is_empty() {
            text.push_str("  ");
            text.push_str(line);
        }
        text.push('\n');
    }
    text.push_str("  ");
    text.push_str(&fence);
    text.push('\n');
    text
}

/// Returns the length of the longest run of backticks.
fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Returns a file's extension where it can name a language.
fn extension(file: &str) -> &str {
    let extension = file.rsplit_once('.').map_or("", |it| it.1);
    let is_plain = extension.len() <= 10 && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    if is_plain { extension } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(file: &str, state: State, language: Option<Language>, code: &str, expected: &str) {
        assert_eq!(fenced(file, 7, state, language, code), expected);
    }

    #[test]
    fn no_code_ends_its_fence() {
        check(
            "a.py",
            State::Fresh,
            Some(Language::Python),
            "def f():\n\n\treturn 1  ",
            "  Example: a.py:7\n  ```python\n  def f():\n\n  \treturn 1\n  ```\n",
        );
        check(
            "docs/a.md",
            State::Edited,
            None,
            "````\nx\n````",
            "  Example: docs/a.md:7 (changed since it was recorded)\n  `````md\n  ````\n  x\n  ````\n  `````\n",
        );
        check(
            "LICENSE",
            State::Fresh,
            None,
            "a\u{7}",
            "  Example: LICENSE:7\n  ```\n  a\\u{7}\n  ```\n",
        );
    }
}
