//! Variables of the environment and constants: identifiers in capitals.

use crate::kinds::Kind;
use cerberus_engine::syntax::language;
use cerberus_model::text::Span;

use super::{Code, Place, Read};
use crate::level::Evidence;
use crate::now::{Holds, Now};
use crate::parse::classify;
use crate::then::{MAX_SEARCHED, Needs, OldTree, Past, Truth, Writer};
use crate::words;

/// The name of a variable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(pub(crate) String);

/// Text before the name of a variable.
const PREFIXES: [&str; 6] = ["process.env.", "import.meta.env.", "${", "$", "env.", ""];

impl Read for Variable {
    const IS_ONLY_READING: bool = true;

    fn in_code(code: &Code<'_>) -> Vec<(Span, Self)> {
        let prefix = PREFIXES
            .iter()
            .find(|prefix| code.text.starts_with(**prefix))
            .map_or(0, |prefix| prefix.len());
        let rest = &code.text[prefix..];
        let end = rest.find(['=', '}', ':']).unwrap_or(rest.len());
        let name = &rest[..end];
        if !classify::is_variable_name(name) {
            return Vec::new();
        }
        vec![(Span::new(prefix, prefix + end), Self(name.to_owned()))]
    }
}

impl Kind for Variable {
    fn name(&self) -> &'static str {
        "variable"
    }

    fn needs(&self) -> Needs {
        Needs::CODE.or(Needs::MANIFESTS)
    }

    fn words(&self) -> Vec<String> {
        vec![self.0.clone()]
    }

    fn is_read_in(&self, entry: &cerberus_engine::tree::git::past::TreeEntry) -> bool {
        words::is_code(entry)
    }

    fn holds(&self, now: &Now, _place: Place<'_>) -> Holds {
        now.is_used(&self.0).into()
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        _writer: Writer<'_>,
    ) -> Option<Truth> {
        let name = &self.0;
        let word = past.words.idx(name)?;
        let entries = past.entries_with(old, word);
        let prefix = name.split('_').next()?;
        let is_own = past.now.manifests.is_named(prefix) || past.manifests(old).is_named(prefix);
        let is_of_program = words::is_of_program(name, prefix);
        let is_foreign = is_of_program
            || !words::UNSPECIFIC.entries().contains(&prefix)
                && past.now.manifests.has_dependency_named(prefix);
        let mut found = Vec::new();
        for idx in entries.into_iter().take(MAX_SEARCHED) {
            let path = &old.entries[idx].path;
            let Some(version) = past.version(&old.entries[idx]) else {
                continue;
            };
            let is_code = || language::from_path(path).is_some();
            // A variable of another program, such as a token, may be in use elsewhere.
            if (is_own && version.uses(name))
                || (!is_foreign && words::is_setting(path, &version.text, name))
                || (((!is_of_program && words::is_script(path)) || is_code())
                    && version.defines(name))
            {
                found.push(path.clone());
            }
        }
        (!found.is_empty()).then_some(Truth::Word(found))
    }

    fn reason(&self, _now: &Now, _truth: &Truth) -> String {
        "the code no longer uses it".to_owned()
    }

    fn is_sure(&self, _evidence: &Evidence<'_>) -> bool {
        false
    }
}
