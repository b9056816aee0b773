//! Which file or package of a project a document means by a name.

use std::borrow::Cow;
use std::cell::OnceCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::parse::Part;
use cerberus_engine::syntax::language;
use cerberus_model::text::conventions::CONVENTIONS;

use super::{folder_of, is_within, words};

/// Returns whether a document means a file that its claim was resolved to. A bare name, such as
/// `config.json`, means a file in the document's folder or near it, not any file of that name.
pub(super) fn is_certain(document: &str, path: &str, found: &str) -> bool {
    let folder = folder_of(document);
    let is_bare = !path.trim_end_matches('/').contains('/');
    let is_near = found == path.trim_end_matches('/')
        || folder.starts_with(folder_of(found))
        || (!folder.is_empty() && found.starts_with(&format!("{folder}/")));
    // The only file of a name of several words, or of code, is meant anywhere.
    let stem = found.rsplit('/').next().unwrap_or(found).split('.').next().unwrap_or_default();
    !is_bare || is_near || is_compound(stem) || language::from_path(found).is_some()
}

/// Returns whether a name has several words.
pub(super) fn is_compound(name: &str) -> bool {
    name.contains(['_', '-']) || name.chars().skip(1).any(char::is_uppercase)
}

/// Returns whether a document that names a path means one of the reader's project, of which the
/// project had an example: it was found only by its end, in a folder of tests or samples that the
/// document is not in and does not name.
pub(super) fn is_in_sample(document: &str, text: &str, path: &str, found: &str) -> bool {
    let path = path.trim_start_matches("./").trim_matches('/');
    let Some(head) = found.strip_suffix(path).and_then(|head| head.strip_suffix('/')) else {
        return false;
    };
    let folder = folder_of(document);
    let is_unnamed_sample = |part: &&str| {
        CONVENTIONS.folders.samples.contains(*part)
            && !folder.split('/').any(|own| own == *part)
            && !text.contains(&format!("{part}/"))
    };
    !is_within(folder, head) && head.split('/').any(|part| is_unnamed_sample(&part))
}

/// Returns whether a document in one folder is about the package of another one, which is around it
/// or inside it.
pub(super) fn is_related(document: &str, package: &str) -> bool {
    is_within(document, package) || is_within(package, document)
}

/// A text with what was found in it for its parts. Many claims are about parts of one file.
pub(super) struct Parts<'t> {
    text: Cow<'t, str>,
    n_lines: OnceCell<usize>,
    words: OnceCell<FxHashSet<String>>,
    /// The slugs of its headings, in lower case.
    slugs: OnceCell<FxHashSet<String>>,
}

impl<'t> Parts<'t> {
    pub(super) fn new(text: Cow<'t, str>) -> Self {
        let (n_lines, words, slugs) = Default::default();
        Self { text, n_lines, words, slugs }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn words(&self) -> &FxHashSet<String> {
        self.words.get_or_init(|| words::all(&self.text).map(str::to_owned).collect())
    }

    /// Returns whether the text has a part.
    pub(super) fn has(&self, part: &Part) -> bool {
        match part {
            Part::Line(line) => {
                let n_lines = *self.n_lines.get_or_init(|| self.text.lines().count());
                n_lines >= usize::try_from(*line).unwrap_or(usize::MAX)
            }
            Part::Symbol(symbol) => {
                let name = symbol.rsplit('.').next().unwrap_or_default();
                if words::all(name).next() == Some(name) {
                    self.words().contains(name)
                } else {
                    words::has_word(&self.text, name)
                }
            }
            Part::Heading(slug) => {
                let slugs = || {
                    let slugs = crate::parse::heading_slugs(&self.text).into_iter();
                    slugs.map(|slug| slug.to_ascii_lowercase()).collect()
                };
                self.slugs.get_or_init(slugs).contains(&slug.to_lowercase().to_ascii_lowercase())
            }
        }
    }
}

/// Files with their parts, by path or object. Files that cannot be read have none.
#[derive(Default)]
pub(super) struct PartsOfFiles(FxHashMap<String, Option<Parts<'static>>>);

impl PartsOfFiles {
    /// Returns whether a file has a part. `read` reads its text.
    pub(super) fn has(
        &mut self,
        file: &str,
        part: &Part,
        read: impl FnOnce() -> Option<String>,
    ) -> Option<bool> {
        if !self.0.contains_key(file) {
            let parts = read().map(|text| Parts::new(Cow::Owned(text)));
            self.0.insert(file.to_owned(), parts);
        }
        Some(self.0.get(file)?.as_ref()?.has(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_once_for_all_its_parts() {
        let (mut files, mut n_reads) = (PartsOfFiles::default(), 0);
        let symbol = |name: &str| Part::Symbol(name.to_owned());
        let heading = |slug: &str| Part::Heading(slug.to_owned());
        let parts = [
            (Part::Line(3), true),
            (Part::Line(4), false),
            (symbol("x.get_y"), true),
            (symbol("get"), false),
            (symbol("c-d"), true),
            (symbol("d-c"), false),
            (heading("a-b"), true),
            (heading("A-b"), true),
            (heading("b"), false),
        ];
        for (part, expected) in parts {
            let read = || {
                n_reads += 1;
                Some("# A b\n\nx.get_y c-d\n".to_owned())
            };
            assert_eq!(files.has("a.md", &part, read), Some(expected), "{part:?}");
        }
        assert_eq!(n_reads, 1);
        assert_eq!(files.has("b.md", &Part::Line(1), || None), None);
    }

    #[test]
    fn a_path_of_a_sample_is_meant_where_the_sample_is_named() {
        let check = |document, text, found, expected| {
            assert_eq!(is_in_sample(document, text, "app/main.ts", found), expected, "{found}");
        };
        check("AGENTS.md", "", "playground/vite/app/main.ts", true);
        check("AGENTS.md", "in playground/", "playground/vite/app/main.ts", false);
        check("playground/README.md", "", "playground/vite/app/main.ts", false);
        check("AGENTS.md", "", "packages/web/app/main.ts", false);
        check("AGENTS.md", "", "app/main.ts", false);
    }

    #[test]
    fn a_document_is_about_the_packages_around_and_inside_its_folder() {
        for (document, package, expected) in [
            ("", "", true),
            ("docs", "", true),
            ("", "clients/python", true),
            ("clients", "clients/python", true),
            ("clients/python/docs", "clients/python", true),
            ("examples/shop", "clients/python", false),
            ("examples/shop", "examples/sh", false),
        ] {
            assert_eq!(is_related(document, package), expected, "{document} {package}");
        }
    }
}
