//! Modules of the project's own Python packages: `python -m pkg.mod`, `pkg.mod:attribute`, `from pkg.mod import x`.

use cerberus_model::text::Span;

use super::{Code, Kind, Place, Read};
use crate::kinds::path::Part;
use crate::level::Evidence;
use crate::now::{Holds, Now};
use crate::snapshot::{self, Found};
use crate::then::{Needs, OldTree, Past, Truth, Writer};

/// A module, with one of its names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Module {
    parts: Vec<String>,
    attribute: Option<String>,
}

impl Read for Module {
    const IS_ONLY_READING: bool = true;

    /// An entry point: `pkg.mod:attribute`.
    fn in_code(code: &Code<'_>) -> Vec<(Span, Self)> {
        let Some((name, attribute)) = code.text.split_once(':') else {
            return Vec::new();
        };
        if !is_identifier(attribute) || !name.contains('.') {
            return Vec::new();
        }
        let Some(mut module) = Self::new(name) else {
            return Vec::new();
        };
        module.attribute = Some(attribute.to_owned());
        vec![(Span::new(0, name.len()), module)]
    }

    /// An import.
    fn in_phrase(text: &str) -> Vec<(Span, Self)> {
        Self::imported(text).into_iter().collect()
    }

    /// The value of the option `-m` of an interpreter.
    fn in_command(words: &[&str]) -> Vec<(usize, Self)> {
        let mut found = Vec::new();
        for (idx, words) in words.windows(3).enumerate() {
            let program = words[0].rsplit('/').next().unwrap_or(words[0]);
            if program.starts_with("python")
                && words[1] == "-m"
                && let Some(module) = Self::new(words[2])
            {
                found.push((idx + 2, module));
            }
        }
        found
    }
}

impl Module {
    fn new(name: &str) -> Option<Self> {
        let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        let is_name = parts.iter().all(|part| is_identifier(part));
        is_name.then_some(Self {
            parts,
            attribute: None,
        })
    }

    /// Returns the module that a line of Python imports: one in a package, by its name from the root.
    pub(crate) fn imported(line: &str) -> Option<(Span, Self)> {
        let mut words = line.split_whitespace();
        let keyword = words.next()?;
        let name = words.next()?;
        let is_import = match keyword {
            "from" => words.next() == Some("import"),
            "import" => words.next().is_none_or(|word| word == "as"),
            _ => false,
        };
        if !is_import || !name.contains('.') || name.starts_with('.') {
            return None;
        }
        let start = name.as_ptr().addr() - line.as_ptr().addr();
        Some((Span::new(start, start + name.len()), Self::new(name)?))
    }

    fn path(&self) -> String {
        self.parts.join("/")
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

impl Kind for Module {
    fn name(&self) -> &'static str {
        "module"
    }

    fn needs(&self) -> Needs {
        Needs::PATHS
    }

    fn holds(&self, now: &Now, place: Place<'_>) -> Holds {
        let found = now
            .tree
            .resolve(place.document.folder(), &self.path());
        if found == Found::No {
            // It may be of a library.
            return Holds::Perhaps;
        }
        match &self.attribute {
            Some(name) => now
                .has_part(found.paths(), &Part::Symbol(name.clone()))
                .into(),
            None => Holds::Yes,
        }
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        let path = self.path();
        let now = past.now.tree.resolve(writer.folder(), &path);
        if let Some(name) = &self.attribute {
            let part = Part::Symbol(name.clone());
            for file in now.paths() {
                if past.has_part(old, file, &part) {
                    return Some(Truth::Part(file.clone(), part));
                }
            }
        }
        let Found::One(found) = old.removed.resolve(writer.folder(), &path) else {
            return None;
        };
        let is_python = !snapshot::last(&found).contains('.') || found.ends_with(".py");
        (now == Found::No && is_python).then(|| Truth::Paths(vec![found]))
    }

    fn reason(&self, _now: &Now, truth: &Truth) -> String {
        match (truth, &self.attribute) {
            (Truth::Part(..), Some(name)) => format!("the module no longer has `{name}`"),
            _ => "the module no longer exists".to_owned(),
        }
    }

    fn is_sure(&self, _evidence: &Evidence<'_>) -> bool {
        self.parts.len() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_read_in_commands_imports_and_entry_points() {
        let module = |name: &str| Module::new(name).expect("a name");
        let command = ["uv", "run", "python", "-m", "shop.till"];
        assert_eq!(Module::in_command(&command), [(4, module("shop.till"))]);
        let import = Module::imported("from shop.till import Till");
        assert_eq!(import, Some((Span::new(5, 14), module("shop.till"))));
        for line in ["from . import till", "import till", "from shop.till", "import a.b c"] {
            assert_eq!(Module::imported(line), None, "{line}");
        }
        let read = |text| Module::in_code(&Code { text, after: "" });
        assert_eq!(read("shop.till:main").len(), 1);
        for text in ["till:main", "shop.till:8000", "shop.till"] {
            assert_eq!(read(text), [], "{text}");
        }
    }
}
