//! Lists of words and phrases, which are data: each is a section of a text file.
//!
//! A file is `words/NAME.txt` in the folder of the module that reads it. A line that starts with `#` is
//! a comment; the first ones state what the lists are for and where they come from. A line `[NAME]`
//! starts a section. Every other line is one entry, a word or a phrase, in lower case if its case does not
//! matter, in quotes if it ends with a space; a row of a table has tabs between its fields. The letters behind a
//! slash are other forms of the entry, as in the dictionaries of Hunspell: `S` is a plural or a third
//! person, `D` a past, and `G` ends with "-ing". A form that is not regular is an entry of its own.
//!
//! ```text
//! # Words that say how a rule binds. Source: RFC 2119, and 53 instruction files.
//! [DEMANDS]
//! must
//! demand/SDG
//! ```
//!
//! ```ignore
//! word_lists! { "words/demands.txt": DEMANDS }
//! assert!(DEMANDS.contains("must"));
//! ```

use std::borrow::Cow;
use std::sync::OnceLock;

use rustc_hash::FxHashSet;

/// A list of words or phrases in lower case.
#[derive(Debug)]
pub struct WordList {
    text: &'static str,
    section: &'static str,
    /// Built at the first use: a document of 10,000 items causes millions of look-ups.
    entries: OnceLock<Entries>,
}

#[derive(Debug)]
struct Entries {
    lines: Vec<&'static str>,
    /// The words of the lines with their forms.
    words: FxHashSet<Cow<'static, str>>,
}

impl WordList {
    /// The list in a section of a file; each line is an entry.
    pub const fn section(file: &'static str, name: &'static str) -> Self {
        Self {
            text: file,
            section: name,
            entries: OnceLock::new(),
        }
    }

    fn get(&self) -> &Entries {
        self.entries.get_or_init(|| {
            let lines: Vec<&str> = section(self.text, self.section).collect();
            debug_assert!(!lines.is_empty(), "the list {:?} is empty", self.section);
            let mut words = FxHashSet::default();
            for line in &lines {
                let Some((word, flags)) = inflected(line) else {
                    words.insert(Cow::Borrowed(*line));
                    continue;
                };
                words.insert(Cow::Borrowed(word));
                for flag in flags.chars() {
                    words.insert(Cow::Owned(form(word, flag)));
                }
            }
            Entries { lines, words }
        })
    }

    /// Returns whether `word` is in the list, ignoring the case of ASCII letters.
    pub fn contains(&self, word: &str) -> bool {
        let words = &self.get().words;
        if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return words.contains(word.to_ascii_lowercase().as_str());
        }
        words.contains(word)
    }

    /// Returns whether any of `words` is in the list.
    pub fn contains_any(&self, words: &[String]) -> bool {
        words.iter().any(|word| self.contains(word))
    }

    /// Returns the entries in the order of the file. They have no forms.
    pub fn entries(&self) -> &[&'static str] {
        let lines = &self.get().lines;
        debug_assert!(
            lines.iter().all(|line| inflected(line).is_none()),
            "the forms of {:?} are not entries",
            self.section
        );
        lines
    }

    /// Returns the first entry that occurs in a text, as a word or as a part of one.
    pub fn first_in(&self, text: &str) -> Option<&'static str> {
        self.entries()
            .iter()
            .find(|entry| text.contains(**entry))
            .copied()
    }
}

/// Splits an entry with forms: `commit/S`.
fn inflected(line: &str) -> Option<(&str, &str)> {
    let (word, flags) = line.rsplit_once('/')?;
    let is_flag = |flag: char| matches!(flag, 'S' | 'D' | 'G');
    (!word.is_empty() && !flags.is_empty() && flags.chars().all(is_flag)).then_some((word, flags))
}

/// Returns a regular form of a word.
fn form(word: &str, flag: char) -> String {
    let has_consonant_before_y = word.ends_with('y')
        && !["ay", "ey", "oy", "uy"]
            .iter()
            .any(|end| word.ends_with(end));
    let stem = &word[..word.len() - 1];
    match flag {
        'S' if has_consonant_before_y => format!("{stem}ies"),
        'S' if word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh") => {
            format!("{word}es")
        }
        'S' => format!("{word}s"),
        'D' if has_consonant_before_y => format!("{stem}ied"),
        'D' if word.ends_with('e') => format!("{word}d"),
        'D' => format!("{word}ed"),
        _ if word.ends_with('e') => format!("{stem}ing"),
        _ => format!("{word}ing"),
    }
}

/// Declares lists, each the section of a file that has its name.
#[macro_export]
macro_rules! word_lists {
    (pub $file:literal: $($name:ident)*) => {
        $(pub static $name: $crate::text::WordList =
            $crate::text::WordList::section(include_str!($file), stringify!($name));)*
    };
    ($file:literal: $($name:ident)*) => {
        $(pub(crate) static $name: $crate::text::WordList =
            $crate::text::WordList::section(include_str!($file), stringify!($name));)*
    };
}

/// Returns the lines of a file of words that are not comments.
pub fn lines(file: &'static str) -> impl Iterator<Item = &'static str> {
    file.lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
}

/// Returns the lines of a section.
pub fn section(file: &'static str, name: &str) -> impl Iterator<Item = &'static str> {
    let is_title = |line: &str, name: &str| {
        line.strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            == Some(name)
    };
    let rest = lines(file)
        .skip_while(move |line| !is_title(line, name))
        .skip(1);
    rest.take_while(|line| !line.starts_with('['))
        .map(|line| line.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_sections_of_words_and_phrases() {
        const FILE: &str = "# For tests.\n[one]\nno\nin no way\n\n# Again.\n[two]\na\tb\n";
        static ONE: WordList = WordList::section(FILE, "one");
        assert_eq!(ONE.entries(), ["no", "in no way"]);
        assert!(ONE.contains("NO") && !ONE.contains("way"));
        static FORMS: WordList =
            WordList::section("[f]\nedit/SG\ncopy/SDG\nuse/D\nboxes\nbox/S\nand/or\n", "f");
        for word in [
            "edit", "edits", "editing", "copies", "copied", "copying", "used", "boxes", "and/or",
        ] {
            assert!(FORMS.contains(word), "{word}");
        }
        assert!(!FORMS.contains("edited") && !FORMS.contains("edit/SG"));
        assert_eq!(ONE.first_in("there is no way in"), Some("no"));
        assert_eq!(section(FILE, "two").collect::<Vec<_>>(), ["a\tb"]);
    }
}
