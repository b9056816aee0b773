//! The grammar of one tag: `<!-- ANCHOR:id -->` and `<!-- /ANCHOR:id -->`.
//!
//! The keyword is case-insensitive and white space is optional, except before the colon, where
//! it is not allowed. Parses one comment; pairs of tags are found by `pairing`.

use std::borrow::Cow;

use cerberus_model::Span;

const KEYWORD: &str = "anchor";

const WHITE_SPACE: [char; 5] = [' ', '\t', '\r', '\n', '\x0C'];

/// The maximum number of characters of a malformed tag in a message.
const MAX_SHOWN: usize = 40;

#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) span: Span,
    pub(super) is_closing: bool,
    pub(super) id: &'a str,
}

impl<'a> Tag<'a> {
    /// Returns the lower-case id, used for comparisons.
    pub(super) fn key(&self) -> Cow<'a, str> {
        match self.id.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(self.id.to_ascii_lowercase()),
            false => Cow::Borrowed(self.id),
        }
    }
}

/// A parsed comment.
pub(super) enum Parsed<'a> {
    Tag { is_closing: bool, id: &'a str },
    Malformed { message: String, hint: String },
    Other,
}

/// Parses a comment with its delimiters; `is_closed` states whether it has a `-->`.
pub(super) fn parse(comment: &str, is_closed: bool) -> Parsed<'_> {
    let body = comment.strip_prefix("<!--").unwrap_or(comment);
    let body = match body.strip_suffix("-->") {
        Some(body) if is_closed => body,
        // In an unclosed comment only the first line can be a tag.
        _ => body.lines().next().unwrap_or_default(),
    };
    let body = match body.contains('\n') {
        // In a quote, quote markers start the other lines of the comment.
        true => body.trim_matches(|c| c == '>' || WHITE_SPACE.contains(&c)),
        false => trim(body),
    };
    let (is_closing, named) = match body.strip_prefix('/') {
        Some(rest) => (true, trim(rest)),
        None => (false, body),
    };
    let Some((keyword, rest)) = named
        .split_at_checked(KEYWORD.len())
        .filter(|(keyword, _)| keyword.eq_ignore_ascii_case(KEYWORD))
    else {
        return Parsed::Other;
    };
    let spaced = trim(rest);
    if let Some(id) = spaced.strip_prefix(':').map(trim) {
        if is_closed && rest.starts_with(':') && is_id(id) {
            return Parsed::Tag { is_closing, id };
        }
        return malformed(body, is_closing, id, is_closed);
    }
    if let Some((is_closing, id)) = mdbook_style(rest) {
        return malformed(body, is_closing, id, is_closed);
    }
    // Distinguish a forgotten colon from prose: at most one word after an upper-case keyword.
    let is_bare = spaced.is_empty() || (spaced.len() < rest.len() && is_id(spaced));
    if is_bare && (is_closing || keyword == "ANCHOR") {
        return malformed(body, is_closing, spaced, is_closed);
    }
    Parsed::Other
}

/// Parses a tag as other tools write it: `ANCHOR_END:id`, `ANCHOR_START:id`.
fn mdbook_style(rest: &str) -> Option<(bool, &str)> {
    let (word, id) = rest.strip_prefix(['_', '-'])?.split_once(':')?;
    let is_closing = match trim(word).to_ascii_lowercase().as_str() {
        "end" | "close" | "stop" => true,
        "start" | "begin" | "open" => false,
        _ => return None,
    };
    Some((is_closing, trim(id)))
}

fn malformed(body: &str, is_closing: bool, id: &str, is_closed: bool) -> Parsed<'static> {
    let reason = if !is_closed {
        ": its comment has no `-->`"
    } else if id.is_empty() {
        ": it has no id"
    } else if is_id(id) {
        ""
    } else {
        ": an id consists of letters, digits and `_./-`, and does not start with `./-`"
    };
    let message = format!("malformed tag `{}`{reason}", abbreviated(body));
    let slash = if is_closing { "/" } else { "" };
    let hint = format!("did you mean `<!-- {slash}ANCHOR:{} -->`?", valid_id(id));
    Parsed::Malformed { message, hint }
}

fn is_id(text: &str) -> bool {
    let may_start = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().next().is_some_and(may_start)
        && text
            .bytes()
            .all(|byte| may_start(byte) || b"./-".contains(&byte))
}

/// Returns a valid id that is similar to `id`.
fn valid_id(id: &str) -> String {
    let mut valid = String::new();
    for c in id.chars().take(MAX_SHOWN) {
        if c.is_ascii_alphanumeric() || "_./-".contains(c) {
            valid.push(c);
        } else if !valid.ends_with('-') {
            valid.push('-');
        }
    }
    match valid
        .trim_start_matches(['.', '/', '-'])
        .trim_end_matches('-')
    {
        "" => "name".to_owned(),
        valid => valid.to_owned(),
    }
}

fn abbreviated(body: &str) -> String {
    let mut start: String = body.chars().take(MAX_SHOWN).collect();
    if start.len() < body.len() {
        start.push('…');
    }
    start.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn trim(text: &str) -> &str {
    text.trim_matches(WHITE_SPACE)
}
