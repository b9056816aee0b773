//! Slugs of headings, as GitHub generates them for links to headings.
//!
//! Only repeated slugs are numbered, from the second on. Emoji names are not supported.

use std::sync::LazyLock;

use regex::Regex;
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

/// Returns whether a character is a mark of another one.
fn is_mark(c: char) -> bool {
    static MARK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\p{M}").expect("a valid pattern"));
    !c.is_ascii() && MARK.is_match(c.encode_utf8(&mut [0; 4]))
}

/// Returns the slug of a title, which may be empty.
pub(crate) fn slug(title: &str) -> String {
    let mut slug = String::with_capacity(title.len());
    for c in title.trim().chars() {
        match c {
            ' ' => slug.push('-'),
            '-' | '_' => slug.push(c),
            // Marks stay: of decomposed letters, of other scripts, and those that select the form of an emoji.
            _ if c.is_alphanumeric() || is_mark(c) => {
                slug.extend(c.to_lowercase());
            }
            _ => {}
        }
    }
    slug
}
