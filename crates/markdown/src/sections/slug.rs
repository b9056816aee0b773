//! Slugs of headings, as GitHub generates them for links to headings.
//!
//! Only repeated slugs are numbered, from the second on. Emoji names are not supported.

use rustc_hash::FxHashMap;

/// Generates unique slugs.
#[derive(Default)]
pub struct Slugs {
    /// The last number tried for each slug generated so far.
    last_number: FxHashMap<String, usize>,
}

impl Slugs {
    /// Returns the slug of the next title, or `None` if the title contains no letter or digit.
    pub fn slug(&mut self, title: &str) -> Option<String> {
        let base = slug(title);
        if base.is_empty() {
            return None;
        }
        let mut slug = base.clone();
        if let Some(mut number) = self.last_number.get(&base).copied() {
            while self.last_number.contains_key(&slug) {
                number += 1;
                slug = format!("{base}-{number}");
            }
            self.last_number.insert(base, number);
        }
        self.last_number.insert(slug.clone(), 0);
        Some(slug)
    }
}

/// Returns the slug of a title, which may be empty.
pub(crate) fn slug(title: &str) -> String {
    let mut slug = String::with_capacity(title.len());
    for c in title.trim().chars() {
        match c {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(c),
            // Combining marks, as in decomposed Latin letters, stay.
            _ if c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c) => {
                slug.extend(c.to_lowercase());
            }
            _ => {}
        }
    }
    slug
}
