//! Packages that the project depends on.

use crate::kinds::Kind;
use cerberus_engine::tree::git::past::TreeEntry;
use cerberus_model::text::Span;

use super::{Code, Place, Read, made_by};
use crate::paths::folder_of;
use crate::level::Evidence;
use crate::manifests::{self, Facts, package_name};
use crate::meant::{is_compound, is_related};
use crate::now::{Holds, Now};
use crate::parse::classify;
use crate::parse::word_lists::OTHER_KINDS;
use crate::snapshot::{self, Found};
use crate::then::{OldTree, Past, Truth, Writer};
use crate::words::{self, module_name};

/// A word that may be the name of a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Package(pub(crate) String);

impl Read for Package {
    fn in_code(code: &Code<'_>) -> Vec<(Span, Self)> {
        if !classify::is_module(code.text) && !is_package(code) {
            return Vec::new();
        }
        let whole = Span::new(0, code.text.len());
        vec![(whole, Self(code.text.to_owned()))]
    }
}

/// Returns whether a piece of code may be a package: the word after it is not that of another kind of thing.
fn is_package(code: &Code<'_>) -> bool {
    let next = code.after.split_whitespace().next().unwrap_or_default();
    let next = next.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_other = code.after.starts_with(' ') && OTHER_KINDS.contains(next);
    classify::is_package(code.text) && !is_other
}

impl Kind for Package {
    fn name(&self) -> &'static str {
        "dependency"
    }

    fn is_read_in(&self, entry: &TreeEntry) -> bool {
        words::is_code(entry) || manifests::is_manifest(&entry.path)
    }

    fn is_made_by(&self, _path: &str, facts: &Facts) -> bool {
        facts.versions_of(&package_name(&self.0)).next().is_some()
    }

    fn holds(&self, now: &Now, _place: Place<'_>) -> Holds {
        let name = &self.0;
        let made = now.manifests.making(self);
        let is_true = made.iter().any(|path| !manifests::is_foreign(path))
            || now.tools.contains(name)
            || now.manifests.defines(name)
            // A package of the project itself.
            || now.tree.resolve("", name) != Found::No;
        // A table of settings may keep the name of what was removed.
        let is_doubtful = !made.is_empty()
            || now.is_used(&module_name(name))
            || now.manifests.has_key(name);
        if !is_true && is_doubtful {
            return Holds::Perhaps;
        }
        is_true.into()
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        let folder = writer.reader_folder();
        let is_from_elsewhere = writer.is_from_elsewhere();
        let before = writer.document.text[..writer.claim.span.start].trim_end_matches('`');
        let is_link = before.ends_with('[');
        made_by(self, past, old, |path| {
            // A submodule that went does not say that its project is not used.
            if manifests::is_foreign(path) || snapshot::last(path) == ".gitmodules" {
                return false;
            }
            let package = folder_of(path);
            // A sentence may link any project, and a name of one word may be any word: they are
            // dependencies where the document is about the package that has them.
            if is_link && folder.is_empty() {
                return package.is_empty();
            }
            let is_any = is_compound(&self.0) && !is_link && !is_from_elsewhere;
            is_any || is_related(folder, package)
        })
    }

    fn reason(&self, _now: &Now, _truth: &Truth) -> String {
        "it is no longer a dependency".to_owned()
    }

    fn is_sure(&self, _evidence: &Evidence<'_>) -> bool {
        false
    }
}
