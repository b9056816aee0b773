//! The current code of an anchor, or the reason it is not shown.

use anyhow::Result;
use cerberus_bank::MemoryFile;
use cerberus_bank::ops::pins::render::safe;
use cerberus_bank::ops::{Project, anchors};
use cerberus_engine::excerpt::LineRange;
use cerberus_engine::tree::read;
use cerberus_engine::{excerpt, track};
use cerberus_model::{Anchor, State};

use super::block::Item;

/// The example of a memory.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    /// Counted from 0.
    pub(crate) first_line: u32,
    pub(crate) code: String,
    pub(crate) shown_lines: Vec<LineRange>,
    pub(crate) state: State,
    /// The injected lines: path, fences and code.
    pub(crate) item: Item,
}

/// Returns the code at the current location of an anchor that shows the rule of its memory.
pub(crate) fn example(
    project: &Project,
    stored: &MemoryFile,
    anchor: &Anchor,
    max_lines: usize,
) -> Result<Example, String> {
    let place = anchor.symbol.as_deref().unwrap_or(&anchor.file);
    let found = track::verify_in_place(&project.root, &anchor.file, &[anchor]).pop();
    let Some(symbol) = found.flatten().filter(|symbol| !symbol.is_ambiguous) else {
        return Err(format!(
            "its example is no longer at `{place}`: run `cerberus memory reanchor`"
        ));
    };
    if symbol.degree == Some(track::Degree::Gutted) {
        return Err(format!(
            "little is left of its example `{place}`: run `cerberus memory reanchor`"
        ));
    }
    let text = read::text(&project.root, &anchor.file).map_err(|error| format!("{error:#}"))?;
    let rule = anchors::rule_words(stored);
    let (first_line, _) = symbol.lines;
    let source = excerpt::Source {
        language: symbol.language,
        text: &text,
    };
    let excerpt = excerpt::of_text(&rule, source, symbol.lines, max_lines);
    let code = excerpt.text.trim_end();
    if code.is_empty() {
        return Err("its example is empty".to_owned());
    }
    let is_judged = symbol.degree == Some(track::Degree::Edited);
    let note = match symbol.state {
        State::Edited if is_judged => {
            " (edited and not approved: it may not show the rule any more)"
        }
        State::Edited => " (changed since it was recorded)",
        _ => "",
    };
    let place = format!("{}:{}{note}", safe(&anchor.file), first_line + 1);
    let tag = match &symbol.language {
        Some(language) => language.as_str(),
        None => extension(&anchor.file),
    };
    let item = Item::new(fenced(&format!("Example: {place}"), tag, code));
    let shown_lines = excerpt::shown_lines(&excerpt);
    Ok(Example {
        first_line,
        code: code.to_owned(),
        shown_lines,
        state: symbol.state,
        item,
    })
}

/// Formats code for the list item of its memory, with a fence longer than any in the code.
pub(crate) fn fenced(place: &str, tag: &str, code: &str) -> String {
    let code = safe(code);
    let longest_run = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest_run + 1).max(3));
    let mut text = format!("  {place}\n  {fence}{tag}\n");
    for line in code.lines().map(str::trim_end) {
        if !line.is_empty() {
            text.push_str("  ");
            text.push_str(line);
        }
        text.push('\n');
    }
    text + "  " + &fence + "\n"
}

/// Returns the extension of a file if it is a valid language tag of a fence.
fn extension(file: &str) -> &str {
    let (_, extension) = file.rsplit_once('.').unwrap_or_default();
    let is_plain = extension.len() <= 10 && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    if is_plain { extension } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(place: &str, tag: &str, code: &str, expected: &str) {
        assert_eq!(fenced(place, tag, code), expected);
    }

    #[test]
    fn the_fence_is_longer_than_any_fence_in_the_code() {
        check(
            "a.py:7",
            "python",
            "def f():\n\n\treturn 1  ",
            "  a.py:7\n  ```python\n  def f():\n\n  \treturn 1\n  ```\n",
        );
        check(
            "docs/a.md:7 (changed since it was recorded)",
            extension("docs/a.md"),
            "````\nx\n````",
            "  docs/a.md:7 (changed since it was recorded)\n  `````md\n  ````\n  x\n  ````\n  `````\n",
        );
        check(
            "LICENSE:7",
            extension("LICENSE"),
            "a\u{7}",
            "  LICENSE:7\n  ```\n  a\\u{7}\n  ```\n",
        );
    }
}
