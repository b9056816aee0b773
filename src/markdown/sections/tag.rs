//! The grammar of one tag: `<!-- ANCHOR:id -->` and `<!-- /ANCHOR:id -->`.
//!
//! The keyword is read without case and white space is free, but for the colon,
//! which follows the keyword at once. Reads one comment; knows nothing of pairs.

use std::borrow::Cow;

use crate::text::Span;

const KEYWORD: &str = "anchor";

const BLANK: [char; 5] = [' ', '\t', '\r', '\n', '\x0C'];

/// The characters of a wrong tag that a message shows.
const MAX_SHOWN: usize = 40;

#[derive(Debug, Clone, Copy)]
pub(super) struct Tag<'a> {
    pub(super) span: Span,
    pub(super) closing: bool,
    pub(super) id: &'a str,
}

impl<'a> Tag<'a> {
    /// Returns the form in which ids are compared.
    pub(super) fn key(&self) -> Cow<'a, str> {
        match self.id.bytes().any(|byte| byte.is_ascii_uppercase()) {
            true => Cow::Owned(self.id.to_ascii_lowercase()),
            false => Cow::Borrowed(self.id),
        }
    }
}

/// What a comment turns out to be.
pub(super) enum Reading<'a> {
    Tag { closing: bool, id: &'a str },
    Malformed { message: String, hint: String },
    Other,
}

/// Reads a comment with its marks; `ended` says whether it has a `-->`.
pub(super) fn read(comment: &str, ended: bool) -> Reading<'_> {
    let body = comment.strip_prefix("<!--").unwrap_or(comment);
    let body = match body.strip_suffix("-->") {
        Some(body) if ended => body,
        // Only the first line can be meant when there is no end.
        _ => body.lines().next().unwrap_or_default(),
    };
    let body = match body.contains('\n') {
        // In a quote, the quote's marks begin the further lines of the comment.
        true => body.trim_matches(|ch| ch == '>' || BLANK.contains(&ch)),
        false => trim(body),
    };
    let (closing, named) = match body.strip_prefix('/') {
        Some(rest) => (true, trim(rest)),
        None => (false, body),
    };
    let Some((keyword, rest)) = named.split_at_checked(KEYWORD.len()) else {
        return Reading::Other;
    };
    if !keyword.eq_ignore_ascii_case(KEYWORD) {
        return Reading::Other;
    }
    let spaced = trim(rest);
    if let Some(id) = spaced.strip_prefix(':').map(trim) {
        if ended && rest.starts_with(':') && is_id(id) {
            return Reading::Tag { closing, id };
        }
        return malformed(body, closing, id, ended);
    }
    if let Some((closing, id)) = mdbook_style(rest) {
        return malformed(body, closing, id, ended);
    }
    // A colon forgotten is told from prose: one word at most, and the keyword in capitals.
    let is_bare = spaced.is_empty() || (spaced.len() < rest.len() && is_id(spaced));
    if is_bare && (closing || keyword == "ANCHOR") {
        return malformed(body, closing, spaced, ended);
    }
    Reading::Other
}

/// Returns the kind and id of a tag in the way of other tools: `ANCHOR_END:id`, `ANCHOR_START:id`.
fn mdbook_style(rest: &str) -> Option<(bool, &str)> {
    let (word, id) = rest.strip_prefix(['_', '-'])?.split_once(':')?;
    let closing = match trim(word).to_ascii_lowercase().as_str() {
        "end" | "close" | "stop" => true,
        "start" | "begin" | "open" => false,
        _ => return None,
    };
    Some((closing, trim(id)))
}

fn malformed<'a>(body: &str, closing: bool, id: &str, ended: bool) -> Reading<'a> {
    let shown = shown(body);
    let message = if !ended {
        format!("malformed tag `{shown}`: its comment has no `-->`")
    } else if id.is_empty() {
        format!("malformed tag `{shown}`: it names no section")
    } else if is_id(id) {
        format!("malformed tag `{shown}`")
    } else {
        format!(
            "malformed tag `{shown}`: an id is letters, digits and `_./-`, and begins with none of `./-`"
        )
    };
    let slash = if closing { "/" } else { "" };
    let id = mended(id);
    let hint = format!("did you mean `<!-- {slash}ANCHOR:{id} -->`?");
    Reading::Malformed { message, hint }
}

fn is_id(text: &str) -> bool {
    let begins = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().next().is_some_and(begins)
        && text.bytes().all(|byte| begins(byte) || b"./-".contains(&byte))
}

/// Returns the id nearest to what was written.
fn mended(id: &str) -> String {
    let mut mended = String::new();
    for ch in id.chars().take(MAX_SHOWN) {
        if ch.is_ascii_alphanumeric() || "_./-".contains(ch) {
            mended.push(ch);
        } else if !mended.ends_with('-') {
            mended.push('-');
        }
    }
    let mended = mended.trim_start_matches(['.', '/', '-']);
    match mended.trim_end_matches('-') {
        "" => "name".to_owned(),
        mended => mended.to_owned(),
    }
}

fn shown(body: &str) -> String {
    let mut shown: String = body.chars().take(MAX_SHOWN).collect();
    if shown.len() < body.len() {
        shown.push('…');
    }
    shown.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

fn trim(text: &str) -> &str {
    text.trim_matches(BLANK)
}
