//! The documents that a document imports, as Claude Code and Gemini CLI read them: `@docs/style.md`.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

/// Returns the paths after `@` outside code.
pub(crate) fn imports(text: &str) -> Vec<String> {
    let (mut found, mut prose, mut in_code) = (Vec::new(), String::new(), false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            // The library splits a text at characters that may be markup.
            Event::Text(text) if !in_code => prose.push_str(&text),
            Event::Code(_) => prose.push('`'),
            _ => prose.push(' '),
        }
    }
    for word in prose.split_whitespace() {
        let Some(path) = word.trim_start_matches(['(', '"']).strip_prefix('@') else { continue };
        let path = path.trim_end_matches(['.', ',', ';', ':', ')', '"', '!']);
        let path = path.trim_start_matches("./");
        if path.contains('.') && !found.iter().any(|known| known == path) {
            found.push(path.to_owned());
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
        assert_eq!(imports(text), ["AGENTS.md", "docs/my_style.md"]);
    }
}
