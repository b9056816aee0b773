//! Where words occur in the code of the working tree.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_engine::tree::read;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::comments::{is_on_line_of_code, is_outside_comments, without_comments};
use super::definitions::{is_callable, is_introduced};
use super::{MAX_BYTES, Words};

/// Maximum number of words that are searched for one by one in a file. For more it is parsed.
const MAX_SEARCHED: usize = 100;

/// A word that occurs in more files than this is in use; in fewer, its occurrences in comments are
/// not counted.
const MAX_PARSED: usize = 12;

/// What is asked about words besides whether code uses them.
#[derive(Default)]
pub(crate) struct Asked {
    /// The words that matter together.
    pub(crate) pairs: BTreeSet<(usize, usize)>,
    /// The words that a document calls.
    pub(crate) called: BTreeSet<usize>,
}

/// Where words occur in code.
pub(crate) struct Occurrences {
    /// For each word, whether code contains it outside comments.
    is_used: Vec<AtomicBool>,
    /// For each word that is called in a document, whether code may call it.
    is_callable: Vec<AtomicBool>,
    /// The pairs of words that occur in one file.
    pairs: FxHashSet<(usize, usize)>,
    /// The files that exist and could not be read, with the reasons.
    pub(crate) unread: Vec<(String, String)>,
}

impl Occurrences {
    /// Reads files of code.
    pub(crate) fn read(root: &Path, files: &[&TreeEntry], words: &Words, asked: &Asked) -> Self {
        let flags = || words.words.iter().map(|_| AtomicBool::new(false)).collect();
        let mut this = Self {
            is_used: flags(),
            is_callable: flags(),
            pairs: FxHashSet::default(),
            unread: Vec::new(),
        };
        if words.is_empty() {
            return this;
        }
        let code = Code { root, files, words };
        let found = code.find(&mut this.unread);
        this.pairs = code.pairs(&found, &asked.pairs);
        let mut rare = this.rare_words(&found);
        // Most names are where no comment can be, which is seen without a parse.
        set_found(&this.is_used, &rare, |file_idx, wanted| {
            code.outside_comments(file_idx, wanted)
        });
        set_found(&this.is_used, &rare, |file_idx, wanted| {
            code.in_parsed_code(file_idx, wanted)
        });
        for of_file in &mut rare {
            of_file.words.retain(|word| asked.called.contains(word));
        }
        set_found(&this.is_callable, &rare, |file_idx, wanted| {
            code.callable(file_idx, wanted)
        });
        this
    }

    /// Notes the words that are in a large file or in many files, and returns the files of the others.
    fn rare_words(&self, found: &[FoundWords]) -> Vec<RareWords> {
        let mut files_of_words = vec![Vec::new(); self.is_used.len()];
        for (file_idx, found) in found.iter().enumerate() {
            for &word in &found.words {
                if found.is_large {
                    self.set_used(word);
                }
                // One more than are parsed says that there are many.
                if files_of_words[word].len() <= MAX_PARSED {
                    files_of_words[word].push(file_idx);
                }
            }
        }
        // The words of each file, to read it once.
        let mut rare: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (word, file_idxs) in files_of_words.into_iter().enumerate() {
            if file_idxs.len() > MAX_PARSED {
                self.set_used(word);
                continue;
            }
            for file_idx in file_idxs {
                rare.entry(file_idx).or_default().push(word);
            }
        }
        let mut of_files = Vec::with_capacity(rare.len());
        for (file_idx, words) in rare {
            of_files.push(RareWords { file_idx, words });
        }
        of_files
    }

    /// Notes that a word is in a file of which nothing else is known, or in many files.
    fn set_used(&self, word: usize) {
        self.is_used[word].store(true, Ordering::Relaxed);
        self.is_callable[word].store(true, Ordering::Relaxed);
    }

    /// Returns whether code may call a word that a document calls.
    pub(crate) fn is_callable(&self, word: usize) -> bool {
        self.is_callable[word].load(Ordering::Relaxed)
    }

    pub(crate) fn is_used(&self, word: usize) -> bool {
        self.is_used[word].load(Ordering::Relaxed)
    }

    pub(crate) fn are_together(&self, a: usize, b: usize) -> bool {
        self.pairs.contains(&(a, b))
    }
}

/// The words that a file contains, in order.
#[derive(Default)]
struct FoundWords {
    words: Vec<usize>,
    /// Whether it is too large to be parsed.
    is_large: bool,
}

/// The words of a file that few files contain.
struct RareWords {
    file_idx: usize,
    words: Vec<usize>,
}

/// Files of code in which words are looked for.
struct Code<'c> {
    root: &'c Path,
    files: &'c [&'c TreeEntry],
    words: &'c Words,
}

impl Code<'_> {
    /// Returns the words of each file, and adds the files that could not be read.
    fn find(&self, unread: &mut Vec<(String, String)>) -> Vec<FoundWords> {
        let scan = |bytes: &mut Vec<u8>, file: &&TreeEntry| {
            let stat = read::read_up_to(self.root, &file.path, bytes, MAX_BYTES);
            stat.map(|stat| self.in_bytes(bytes, stat.size > read::MAX_BYTES))
        };
        let scanned: Vec<_> = self.files.par_iter().map_init(Vec::new, scan).collect();
        let mut found = Vec::with_capacity(scanned.len());
        for (file, result) in self.files.iter().zip(scanned) {
            match result {
                Ok(of_file) => found.push(of_file),
                Err(error) => {
                    unread.extend(read::unread(self.root, &file.path, &error));
                    found.push(FoundWords::default());
                }
            }
        }
        found
    }

    fn in_bytes(&self, bytes: &[u8], is_large: bool) -> FoundWords {
        let mut found = FoundWords {
            words: Vec::new(),
            is_large,
        };
        // A large file that is binary or minified is not code.
        if !is_large || read::skip_reason(bytes).is_none() {
            found.words = self.words.in_text(bytes);
        }
        found
    }

    /// Returns the ones of `pairs` that code of one file contains.
    fn pairs(
        &self,
        found: &[FoundWords],
        pairs: &BTreeSet<(usize, usize)>,
    ) -> FxHashSet<(usize, usize)> {
        // A module may be named only by the path of its file.
        let mut in_paths = Vec::with_capacity(self.files.len());
        for file in self.files {
            in_paths.push(self.words.in_text(file.path.replace('-', "_").as_bytes()));
        }
        let mut texts: FxHashMap<usize, String> = FxHashMap::default();
        let mut together = FxHashSet::default();
        for &(a, b) in pairs {
            let mut named = Vec::new();
            for (file_idx, FoundWords { words, .. }) in found.iter().enumerate() {
                let has_first = has(words, a) || has(&in_paths[file_idx], a);
                if has_first && has(words, b) {
                    named.push(file_idx);
                }
            }
            let is_common = named.len() > MAX_PARSED;
            let are_together = is_common
                || named.into_iter().any(|file_idx| {
                    if found[file_idx].is_large || has(&in_paths[file_idx], a) {
                        return true;
                    }
                    let text = texts
                        .entry(file_idx)
                        .or_insert_with(|| self.text(file_idx).unwrap_or_default());
                    [a, b]
                        .iter()
                        .all(|word| is_on_line_of_code(text, &self.words.words[*word]))
                });
            if are_together {
                together.insert((a, b));
            }
        }
        together
    }

    fn text(&self, file_idx: usize) -> Option<String> {
        read::listed_text(self.root, &self.files[file_idx].path).ok()
    }

    /// Returns the ones of a few words that are where no comment can be.
    fn outside_comments(&self, file_idx: usize, mut wanted: Vec<usize>) -> Vec<usize> {
        if wanted.len() > MAX_SEARCHED {
            return Vec::new();
        }
        let path = &self.files[file_idx].path;
        let text = self.text(file_idx).unwrap_or_default();
        wanted.retain(|word| {
            let word = &self.words.words[*word];
            is_introduced(&text, word) || is_outside_comments(path, &text, word)
        });
        wanted
    }

    /// Returns the ones of the words that are in the code of a file without its comments.
    fn in_parsed_code(&self, file_idx: usize, mut wanted: Vec<usize>) -> Vec<usize> {
        let Some(text) = self.text(file_idx) else {
            return Vec::new();
        };
        let code = without_comments(&self.files[file_idx].path, &text);
        let in_code = self.words.in_text(&code);
        wanted.retain(|word| has(&in_code, *word));
        wanted
    }

    /// Returns the ones of the words that code may call.
    fn callable(&self, file_idx: usize, mut wanted: Vec<usize>) -> Vec<usize> {
        let text = self.text(file_idx).unwrap_or_default();
        wanted.retain(|word| is_callable(&text, &self.words.words[*word]));
        wanted
    }
}

/// Returns whether words in order contain one.
fn has(words: &[usize], word: usize) -> bool {
    words.binary_search(&word).is_ok()
}

/// Sets the flags of the words that `find` finds in files, of those that are not set.
fn set_found(
    flags: &[AtomicBool],
    files: &[RareWords],
    find: impl Fn(usize, Vec<usize>) -> Vec<usize> + Sync,
) {
    files.par_iter().for_each(|file| {
        let mut open = file.words.clone();
        open.retain(|word| !flags[*word].load(Ordering::Relaxed));
        if open.is_empty() {
            return;
        }
        for word in find(file.file_idx, open) {
            flags[word].store(true, Ordering::Relaxed);
        }
    });
}
