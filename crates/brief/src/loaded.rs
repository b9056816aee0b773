//! The documents that an agent has loaded by itself: what they state is not repeated.

use std::collections::BTreeSet;
use std::path::Path;

use cerberus_engine::tree::read;
use serde::Deserialize;

/// The fewest words of a memory by which it is recognized in a document.
const MIN_WORDS: usize = 4;

/// The deepest import of a document by another one.
const MAX_DEPTH: usize = 5;

/// The documents that an agent reads.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reader {
    pub documents: Vec<String>,
    /// The documents that it reads where there is none of the others.
    #[serde(default)]
    pub fallback: Vec<String>,
    /// The folders of documents that it reads for some files only.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Whether a line `@FILE` includes another document.
    #[serde(default)]
    pub imports: bool,
    /// Whether it also reads the documents in the folders of the files that it works on.
    #[serde(default)]
    pub nested: bool,
    /// What it reads of all documents together.
    pub max_bytes: Option<usize>,
}

/// The text of loaded documents.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    documents: Vec<Document>,
}

/// The text of a memory in a document.
pub(crate) struct Stated {
    /// As in `AGENTS.md:12`.
    pub(crate) place: String,
    /// Number of words of the memory before those that the document has there: headings, and text above a list.
    pub(crate) n_governing: usize,
}

/// A document as its words.
#[derive(Debug, Clone)]
struct Document {
    path: String,
    /// With one space after each word.
    words: String,
    /// The positions of the first words of the lines.
    line_starts: Vec<usize>,
}

impl Loaded {
    /// Reads the documents that an agent has loaded if it works on files.
    pub fn of(reader: &Reader, root: &Path, files: &BTreeSet<String>) -> Self {
        let mut loaded = Self::default();
        loaded.add_folder(reader, root, "");
        if reader.nested {
            for folder in folders_of(files) {
                loaded.add_folder(reader, root, &folder);
            }
        }
        loaded
    }

    fn add_folder(&mut self, reader: &Reader, root: &Path, folder: &str) {
        let n_before = self.documents.len();
        for name in &reader.documents {
            self.add(reader, root, &format!("{folder}{name}"), 0);
        }
        if self.documents.len() == n_before {
            for name in &reader.fallback {
                self.add(reader, root, &format!("{folder}{name}"), 0);
            }
        }
    }

    fn add(&mut self, reader: &Reader, root: &Path, path: &str, depth: usize) {
        let is_known = self.documents.iter().any(|known| known.path == path);
        if is_known || depth > MAX_DEPTH {
            return;
        }
        let Ok(mut text) = read::text(root, path) else {
            return;
        };
        if let Some(max_bytes) = reader.max_bytes {
            let n_used: usize = self.documents.iter().map(|known| known.words.len()).sum();
            let mut end = max_bytes.saturating_sub(n_used).min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
        }
        self.documents.push(Document::new(path, &text));
        if reader.imports {
            let (folder, _) = path.rsplit_once('/').unwrap_or_default();
            for import in imports(&text) {
                let import = import.trim_start_matches("./");
                let target = if folder.is_empty() {
                    import.to_owned()
                } else {
                    format!("{folder}/{import}")
                };
                self.add(reader, root, &target, depth + 1);
            }
        }
    }

    /// Returns where the text of a memory is stated.
    pub(crate) fn find(&self, body: &str) -> Option<Stated> {
        let mut words: Vec<&str> = body.split_whitespace().collect();
        let n_words = words.len();
        while words.len() >= MIN_WORDS {
            let text = words.join(" ");
            for document in &self.documents {
                if let Some(line) = document.line_of(&text) {
                    return Some(Stated {
                        place: format!("{}:{line}", document.path),
                        n_governing: n_words - words.len(),
                    });
                }
            }
            // An import puts headings and the sentence above a list before an item.
            let n_governing = words.iter().position(|word| word.ends_with(':'))? + 1;
            words.drain(..n_governing);
        }
        None
    }
}

impl Document {
    fn new(path: &str, text: &str) -> Self {
        let mut words = String::with_capacity(text.len());
        let mut line_starts = Vec::new();
        for line in text.lines() {
            line_starts.push(words.len());
            for word in line.split_whitespace() {
                words.push_str(word);
                words.push(' ');
            }
        }
        Self {
            path: path.to_owned(),
            words,
            line_starts,
        }
    }

    /// Returns the number of the line in which a text starts, from 1.
    fn line_of(&self, text: &str) -> Option<usize> {
        let at = self.words.find(text)?;
        Some(self.line_starts.partition_point(|start| *start <= at))
    }
}

/// Returns the folders above files, each with a `/` at its end.
fn folders_of(files: &BTreeSet<String>) -> BTreeSet<String> {
    let mut folders = BTreeSet::new();
    for file in files {
        for (at, _) in file.match_indices('/') {
            folders.insert(file[..=at].to_owned());
        }
    }
    folders
}

/// Returns the paths that a document imports.
fn imports(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_in_block = !is_in_block;
        }
        if is_in_block {
            continue;
        }
        for word in line.split_whitespace() {
            let word = word.trim_end_matches([',', ';', ')', '.']);
            if let Some(path) = word.strip_prefix('@')
                && !path.starts_with(['~', '/'])
                && path.contains('.')
            {
                found.push(path);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Loaded {
        Loaded {
            documents: vec![Document::new("AGENTS.md", text)],
        }
    }

    #[test]
    fn a_text_is_found_in_the_line_in_which_it_starts() {
        let loaded =
            loaded("# Rules\n\nWhen adding a job:\n- Register its\n  queue in `jobs.py`\n");
        let place = |body: &str| loaded.find(body).map(|stated| stated.place);
        assert_eq!(
            place("Register its queue in `jobs.py`"),
            Some("AGENTS.md:4".to_owned())
        );
        assert_eq!(
            place("Jobs: When adding a job: Register its queue in `jobs.py`"),
            Some("AGENTS.md:4".to_owned())
        );
        assert_eq!(place("Register its queue in `tasks.py`"), None);
        assert_eq!(place("Rules: adding a"), None, "too short to be recognized");
    }

    #[test]
    fn imports_are_read_outside_of_code_blocks() {
        let text = "See @docs/style.md, and ask @someone.\n```\n@in/block.md\n```\n@AGENTS.md\n";
        assert_eq!(imports(text), ["docs/style.md", "AGENTS.md"]);
    }
}
