//! The documents that a document imports, as Claude Code and Gemini CLI read them: `@docs/style.md`.

use std::collections::BTreeSet;

use cerberus_model::LineIndex;
use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// A path after `@`.
#[derive(Debug, PartialEq, Eq)]
pub struct Import {
    pub path: String,
    /// Line of the paragraph's part with the path, from 0.
    pub line: usize,
}

/// Returns the paths after `@` outside code.
pub fn imports(text: &str) -> Vec<Import> {
    let lines = LineIndex::new(text);
    let (mut found, mut known) = (Vec::new(), BTreeSet::new());
    let (mut prose, mut in_code) = (String::new(), false);
    // The line of each part of the prose, by the end of the part.
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (event, range) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            // The library splits a text at characters that may be markup.
            Event::Text(text) if !in_code => prose.push_str(&text),
            Event::Code(_) => prose.push('`'),
            _ => prose.push(' '),
        }
        ends.push((prose.len(), lines.line(range.start)));
    }
    for word in prose.split_whitespace() {
        let Some(path) = word.trim_start_matches(['(', '"']).strip_prefix('@') else {
            continue;
        };
        let path = path.trim_end_matches(['.', ',', ';', ':', ')', '"', '!']);
        let path = path.trim_start_matches("./");
        if path.contains('.') && known.insert(path) {
            let at = word.as_ptr().addr() - prose.as_ptr().addr();
            let end_idx = ends.partition_point(|(end, _)| *end <= at);
            let line = ends.get(end_idx).map_or(0, |(_, line)| *line);
            found.push(Import {
                path: path.to_owned(),
                line,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_after_an_at_sign_are_imports() {
        let text = "\
@AGENTS.md

See @./docs/my_style.md, and @docs/my_style.md. Ask @person or a@example.org.

- `@code.md`

```
@block.md
```
";
        let found: Vec<(String, usize)> = imports(text)
            .into_iter()
            .map(|import| (import.path, import.line))
            .collect();
        let expected = [("AGENTS.md", 0), ("docs/my_style.md", 2)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn many_imports_are_compared_in_linear_time() {
        let text: String = (0..100_000).map(|n| format!("@docs/{n}.md\n")).collect();
        assert_eq!(imports(&text.repeat(2)).len(), 100_000);
    }
}
