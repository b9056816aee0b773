//! What the code of an example names: what it calls and creates, and the file of which it is an
//! excerpt. What it imports may be of a library, and variables may be those of the reader's program.

use std::collections::BTreeSet;

use cerberus_engine::syntax::{ParsedFile, Token, TokenKind, language};
use cerberus_model::Language;
use cerberus_model::text::Span;
use pulldown_cmark::CodeBlockKind;

use super::classify;
use super::word_lists::DEFINING;
use crate::kinds::Target;
use crate::kinds::module::Module;
use crate::kinds::symbol::Symbol;

/// Minimum length of a name: shorter ones are those of anybody.
const MIN_BYTES: usize = 6;

/// Returns what the code of a block with an info string names, with the spans in the code.
pub(super) fn claims(code: &str, info: &str) -> Vec<(Span, Target)> {
    let Some([language, ..]) = language::from_scope(info) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if *language == Language::Python {
        for line in code.lines() {
            let start = line.as_ptr().addr() - code.as_ptr().addr();
            if let Some((span, module)) = Module::imported(line) {
                found.push((span.shifted(start), module.into()));
            }
        }
    }
    let tokens = ParsedFile::parse_piece(*language, code).tokens;
    let names = tokens
        .iter()
        .enumerate()
        .filter(|(_, it)| it.kind == TokenKind::Identifier);
    let names = names.map(|(idx, token)| (idx, token.span.slice(code)));
    let own: BTreeSet<&str> = names
        .filter(|(idx, _)| is_defined(code, &tokens, *idx))
        .map(|(_, name)| name)
        .collect();
    for (idx, token) in tokens.iter().enumerate() {
        let text = token.span.slice(code);
        match token.kind {
            TokenKind::Identifier
                if is_specific(text) && !own.contains(text) && is_used(code, &tokens, idx) =>
            {
                let target = Target::Symbol(Symbol {
                    parts: vec![text.to_owned()],
                    is_call: true,
                });
                found.push((token.span, target));
            }
            TokenKind::Comment => found.extend(excerpt(token.span, text)),
            _ => {}
        }
    }
    found
}

/// Returns whether a token is a name that the code defines: after a keyword, or assigned as a whole.
fn is_defined(code: &str, tokens: &[Token], idx: usize) -> bool {
    let text = |idx: usize| tokens.get(idx).map_or("", |token| token.span.slice(code));
    let before = idx.checked_sub(1).map_or("", text);
    DEFINING.entries().contains(&before) || (before != "." && ["=", ":="].contains(&text(idx + 1)))
}

/// Returns whether a token is called, or created as a type.
fn is_used(code: &str, tokens: &[Token], idx: usize) -> bool {
    let text = |token: &Token| token.span.slice(code);
    let is_called = tokens
        .get(idx + 1)
        .is_some_and(|it| text(it).starts_with(['(', '{', '!']));
    is_called || text(&tokens[idx]).starts_with(|c: char| c.is_ascii_uppercase())
}

/// Returns whether a name has several words, and is none of a constant.
fn is_specific(name: &str) -> bool {
    let has_humps = || {
        name.bytes().skip(1).any(|it| it.is_ascii_uppercase())
            && name.bytes().any(|it| it.is_ascii_lowercase())
    };
    name.len() >= MIN_BYTES
        && !classify::is_variable_name(name)
        && (name.trim_matches('_').contains('_') || has_humps())
}

/// Returns the path that a comment consists of.
fn excerpt(span: Span, comment: &str) -> Option<(Span, Target)> {
    let path = comment.trim_matches(|c: char| c.is_whitespace() || "/#*".contains(c));
    let start = span.start + (path.as_ptr().addr() - comment.as_ptr().addr());
    (path.contains('/') && classify::is_path(path) && !path.contains(['*', '{', ':'])).then(|| {
        (
            Span::new(start, start + path.len()),
            classify::located(path).into(),
        )
    })
}

/// Returns the first word of the info string of a fenced block.
pub(super) fn info(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Fenced(info) => {
            let first = info.split([' ', ',', '{']).next();
            first.unwrap_or_default().to_ascii_lowercase()
        }
        CodeBlockKind::Indented => "indented".to_owned(),
    }
}
