//! Slugs of headings, as GitHub makes them for the links to its headings.
//!
//! Works on the source of a title: marks of emphasis, code, links and HTML are
//! not part of a slug. Only the second and later titles of one slug are numbered.
//! Not known: emoji by name, character references.

use rustc_hash::FxHashMap;

/// Gives out slugs, no two the same.
#[derive(Default)]
pub(super) struct Slugs {
    /// How many numbers were tried for each slug given out.
    n_used: FxHashMap<String, usize>,
}

impl Slugs {
    /// Returns the slug of the next title, or nothing if the title has no word in it.
    pub(super) fn slug(&mut self, title: &str) -> Option<String> {
        let base = slug(title);
        if base.is_empty() {
            return None;
        }
        let mut slug = base.clone();
        if let Some(mut number) = self.n_used.get(&base).copied() {
            while self.n_used.contains_key(&slug) {
                number += 1;
                slug = format!("{base}-{number}");
            }
            self.n_used.insert(base, number);
        }
        self.n_used.insert(slug.clone(), 0);
        Some(slug)
    }
}

fn slug(title: &str) -> String {
    let title = without_markup(title);
    let mut slug = String::with_capacity(title.len());
    for ch in title.trim().chars() {
        match ch {
            ' ' | '\n' => slug.push('-'),
            '-' | '_' => slug.push(ch),
            _ if ch.is_alphanumeric() || is_accent(ch) => slug.extend(ch.to_lowercase()),
            _ => {}
        }
    }
    slug
}

/// Returns whether `ch` is a combining mark that decomposed Latin letters carry.
fn is_accent(ch: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&ch)
}

/// Drops comments, HTML tags, the targets of links and the underscores of emphasis.
fn without_markup(title: &str) -> String {
    let mut kept = String::with_capacity(title.len());
    let mut in_code = false;
    // Whether an end may still come, so that each is looked for in vain but once.
    let (mut more_angles, mut more_parens) = (true, true);
    let mut rest = title;
    while let Some(ch) = rest.chars().next() {
        let after = &rest[ch.len_utf8()..];
        rest = after;
        match ch {
            '`' => in_code = !in_code,
            '<' if !in_code && more_angles && begins_markup(after) => {
                let mark = if after.starts_with("!--") { "-->" } else { ">" };
                match after.find(mark) {
                    Some(end) => rest = &after[end + mark.len()..],
                    None => more_angles = false,
                }
            }
            ']' if !in_code && more_parens && after.starts_with('(') => match after.find(')') {
                Some(end) => rest = &after[end + 1..],
                None => more_parens = false,
            },
            '_' if !in_code => {
                rest = after.trim_start_matches('_');
                let inside = |ch: Option<char>| ch.is_some_and(char::is_alphanumeric);
                if inside(kept.chars().next_back()) && inside(rest.chars().next()) {
                    let n_underscores = 1 + after.len() - rest.len();
                    kept.extend(std::iter::repeat_n('_', n_underscores));
                }
            }
            _ => kept.push(ch),
        }
    }
    kept
}

fn begins_markup(after: &str) -> bool {
    after.starts_with(|ch: char| ch.is_ascii_alphabetic() || ch == '/' || ch == '!')
}
