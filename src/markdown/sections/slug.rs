//! Slugs of headings, as GitHub makes them for the links to its headings.
//!
//! Only the second and later titles of one slug are numbered. Does not know
//! emoji by name.

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

/// Returns the slug of a title, which may be empty.
pub(in crate::markdown) fn slug(title: &str) -> String {
    let mut slug = String::with_capacity(title.len());
    for ch in title.trim().chars() {
        match ch {
            ' ' => slug.push('-'),
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
