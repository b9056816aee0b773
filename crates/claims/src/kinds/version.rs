//! The version of a package or of a language: `react 18`, `Python 3.11`.

use crate::kinds::Kind;
use cerberus_model::text::Span;

use super::{Code, Place, Read, made_by};
use crate::paths::folder_of;
use crate::level::Evidence;
use crate::manifests::{Facts, has_version, package_name};
use crate::meant::is_related;
use crate::now::{Holds, Now};
use crate::parse::classify;
use crate::then::{OldTree, Past, Truth, Writer};

/// Maximum number of versions that a reason names.
const MAX_NAMED: usize = 3;

/// A package or a language with its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequiredVersion {
    pub(crate) name: String,
    pub(crate) version: String,
}

impl Read for RequiredVersion {
    fn in_code(code: &Code<'_>) -> Vec<(Span, Self)> {
        if !classify::is_package(code.text) {
            return Vec::new();
        }
        let next = code.after.strip_prefix(' ').map(str::split_whitespace);
        let Some(version) = next.and_then(|mut words| classify::version(words.next()?)) else {
            return Vec::new();
        };
        let required = Self {
            name: code.text.to_owned(),
            version: version.to_owned(),
        };
        vec![(Span::new(0, code.text.len()), required)]
    }
}

impl Kind for RequiredVersion {
    fn name(&self) -> &'static str {
        "version"
    }

    fn is_made_by(&self, _path: &str, facts: &Facts) -> bool {
        let name = package_name(&self.name);
        let mut versions = facts.versions_of(&name);
        versions.any(|version| has_version(version, &self.version))
    }

    fn holds(&self, now: &Now, _place: Place<'_>) -> Holds {
        let is_required = !now.manifests.depending(&self.name).is_empty();
        (!is_required || now.is_made(self)).into()
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        let folder = writer.reader_folder();
        made_by(self, past, old, |path| is_related(folder, folder_of(path)))
    }

    fn reason(&self, now: &Now, _truth: &Truth) -> String {
        let mut versions: Vec<&str> = Vec::new();
        for (_, version) in now.manifests.depending(&self.name) {
            versions.push(version);
        }
        versions.sort_unstable();
        versions.dedup();
        versions.truncate(MAX_NAMED);
        format!("the manifests now require {}", versions.join(", "))
    }

    fn is_sure(&self, _evidence: &Evidence<'_>) -> bool {
        false
    }
}
