//! Which file or package of a project a document means by a name.

use cerberus_engine::syntax::language;
use cerberus_model::text::conventions::CONVENTIONS;

use crate::parse::Claim;
use crate::parse::word_lists::FILE_NOUNS;
use crate::paths::{folder_of, is_within};
use crate::report::Document;

/// Returns whether a document means a file that its claim was resolved to. A bare name, such as
/// `config.json`, means a file in the document's folder or near it, not any file of that name.
pub(super) fn is_certain(document: &str, path: &str, found: &str) -> bool {
    let folder = folder_of(document);
    let path = path.trim_start_matches("./").trim_end_matches('/');
    let is_bare = !path.contains('/');
    let is_near = found == path
        || folder.starts_with(folder_of(found))
        || (!folder.is_empty() && found.starts_with(&format!("{folder}/")));
    // The only file of a name of several words, or of code, is meant anywhere.
    let name = found.rsplit('/').next().unwrap_or(found);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    // Whether this build has its grammar or not.
    let is_code = || {
        language::from_path(found)
            .or_else(|| language::lacking(found))
            .is_some()
    };
    !is_bare || is_near || is_compound(stem) || is_code()
}

/// Returns whether the word before or after a claim says that it is a file: "the workflow `deploy.yml`".
pub(super) fn is_called_file(document: &Document, claim: &Claim) -> bool {
    let text = &document.text;
    let is_mark = |c: char| c == '`' || c == ' ' || c == '*';
    let before = text[..claim.span.start].trim_end_matches(is_mark);
    let after = text[claim.span.end..].trim_start_matches(is_mark);
    let is_end = |c: char| !c.is_alphabetic();
    let last = before.rsplit(is_end).next().unwrap_or_default();
    let next = after.split(is_end).next().unwrap_or_default();
    let is_noun = |word: &str| FILE_NOUNS.contains(&word.to_lowercase());
    is_noun(last) || is_noun(next)
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
    let Some(head) = found
        .strip_suffix(path)
        .and_then(|head| head.strip_suffix('/'))
    else {
        return false;
    };
    let folder = folder_of(document);
    let is_sample = |part: &&str| CONVENTIONS.folders.samples.contains(*part);
    // A document of samples is about them.
    let is_named = |part: &str| text.contains(&format!("{part}/"));
    let has_sample = || folder.split('/').any(|part| is_sample(&part));
    !(is_within(folder, head) || is_within(head, folder) && has_sample())
        && head
            .split('/')
            .filter(is_sample)
            .any(|part| !folder.split('/').any(|own| own == part) && !is_named(part))
}

/// Returns whether a document in one folder is about the package of another one, which is around it
/// or inside it.
pub(super) fn is_related(document: &str, package: &str) -> bool {
    is_within(document, package) || is_within(package, document)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_a_sample_is_meant_where_the_sample_is_named() {
        let check = |document, text, found, expected| {
            assert_eq!(
                is_in_sample(document, text, "app/main.ts", found),
                expected,
                "{found}"
            );
        };
        check("AGENTS.md", "", "playground/vite/app/main.ts", true);
        check(
            "AGENTS.md",
            "in playground/",
            "playground/vite/app/main.ts",
            false,
        );
        check(
            "playground/README.md",
            "",
            "playground/vite/app/main.ts",
            false,
        );
        check("AGENTS.md", "", "packages/web/app/main.ts", false);
        check("AGENTS.md", "", "app/main.ts", false);
        check("e2e/README.md", "", "e2e/tests/app/main.ts", false);
    }

    #[test]
    fn the_only_file_of_code_is_meant_anywhere() {
        for (found, expected) in [("cmd/setup.sh", true), ("cmd/setup.yml", false)] {
            let name = found.rsplit('/').next().unwrap_or_default();
            assert_eq!(
                is_certain("docs/README.md", name, found),
                expected,
                "{found}"
            );
        }
        // A dot may be in a name of several words.
        for (name, expected) in [("6.1-cash-flow.md", true), ("shop.config.md", false)] {
            let found = format!("docs/plans/{name}");
            assert_eq!(is_certain("AGENTS.md", name, &found), expected, "{name}");
        }
        assert!(!is_certain(
            "docs/README.md",
            "./pkg",
            "third_party/zip/pkg"
        ));
        assert!(is_certain("docs/README.md", "./pkg/", "docs/zip/pkg"));
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
            assert_eq!(
                is_related(document, package),
                expected,
                "{document} {package}"
            );
        }
    }
}
