//! The tokens of strings, of text between tags, and of code that a grammar does not divide.

use cerberus_model::Span;
use tree_sitter::Node;

use super::{TokenKind, TreeWalker, span};
use crate::syntax::language::How;

impl TreeWalker<'_, '_> {
    /// Returns whether `node` is an object key whose quotes a formatter may remove.
    pub(super) fn is_unquotable_key(&self, node: Node<'_>) -> bool {
        let is_key = self.parents.last().is_some_and(|parent| {
            self.tables
                .definition(parent.role)
                .is_some_and(|definition| definition.how == How::Property)
                && parent.node.start_byte() == node.start_byte()
        });
        let quoted = span(node).slice(self.text);
        let key = quoted
            .get(1..quoted.len().saturating_sub(1))
            .unwrap_or_default();
        is_key
            && key.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '$'))
            && key
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$'))
    }

    /// Records each word of a markup text.
    pub(super) fn push_words(&mut self, whole: Span) {
        let text = whole.slice(self.text);
        for word in text.split_whitespace() {
            let start = whole.start + (word.as_ptr() as usize - text.as_ptr() as usize);
            self.push_token(
                Span::new(start, start + word.len()),
                TokenKind::StringContent,
            );
        }
    }

    /// Records a string literal as its opening quotes, with their prefix, and its content.
    pub(super) fn push_string(&mut self, whole: Span) {
        let text = whole.slice(self.text);
        let prefix = text.find(['"', '\'', '`', '/']).unwrap_or(0);
        let rest = text.get(prefix..).unwrap_or_default();
        let n_quotes = rest
            .get(..3)
            .filter(|quote| matches!(*quote, "\"\"\"" | "'''"))
            .map_or(1, str::len);
        // Raw strings, regexes with flags and unterminated strings end differently.
        let is_closed = rest
            .get(..n_quotes)
            .is_some_and(|quote| rest.len() >= 2 * n_quotes && rest.ends_with(quote));
        if !is_closed {
            self.push_token(whole, TokenKind::StringContent);
            return;
        }
        let content_start = whole.start + prefix + n_quotes;
        self.push_token(Span::new(whole.start, content_start), TokenKind::Quote);
        self.push_token(
            Span::new(content_start, whole.end - n_quotes),
            TokenKind::StringContent,
        );
    }

    /// Records each word and each other character of code, without the ends of continued lines.
    pub(super) fn push_pieces(&mut self, whole: Span) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut rest = whole.slice(self.text);
        while let Some(first) = rest.chars().next() {
            let start = whole.end - rest.len();
            let n_bytes = if is_word(first) {
                rest.find(|c| !is_word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            rest = &rest[n_bytes..];
            let kind = if is_word(first) {
                TokenKind::Identifier
            } else {
                TokenKind::Punctuation
            };
            if !first.is_whitespace() && first != '\\' {
                self.push_token(Span::new(start, start + n_bytes), kind);
            }
        }
    }
}
