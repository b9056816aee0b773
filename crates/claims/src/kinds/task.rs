//! Tasks that a command line runs by their names: scripts, targets, recipes, packages, features.

use crate::kinds::Kind;
use std::collections::BTreeSet;

use cerberus_engine::tree::documents;

use super::{Place, Read, made_by};
use crate::paths::folder_of;
use crate::level::Evidence;
use crate::manifests::{self, Facts, Scope};
use crate::now::{Holds, Now};
use crate::snapshot;
use crate::then::{OldTree, Past, Truth, Writer};
use crate::words;

/// Something that a command line runs by its name in a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Task {
    pub(crate) runner: Runner,
    pub(crate) name: String,
    /// Whether the name may also be a program: `yarn NAME`, `uv run NAME`.
    pub(crate) may_be_program: bool,
    pub(crate) within: Within,
}

/// Where a command says that its task is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Within {
    /// Where the reader of the document is.
    Here,
    /// In packages or a folder that the command does not name exactly: `pnpm -r NAME`, `cd "$DIR"`.
    Anywhere,
    /// In a folder, from that of the reader: `make -C docs NAME`, `cd docs && make NAME`.
    Folder(String),
    /// In a package, by its name: `pnpm --filter PACKAGE NAME`.
    Package(String),
}

/// What knows the tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Runner {
    /// `scripts` of `package.json`.
    Script,
    /// `tasks` of `deno.json`, and scripts.
    Deno,
    /// `targets` of `project.json`, and scripts.
    Nx,
    /// `name` of `package.json`.
    Workspace,
    Make,
    Just,
    /// `Taskfile.yml`.
    TaskFile,
    /// Aliases of `.cargo/config.toml`.
    CargoAlias,
    CargoPackage,
    /// A binary, an example, a test or a benchmark of a package.
    CargoTarget,
    CargoFeature,
    /// Entry points and tasks of `pyproject.toml`.
    Python,
    Tox,
}

// Command lines have several words, so the reader of command lines recognises it.
impl Read for Task {}

impl Kind for Task {
    fn name(&self) -> &'static str {
        "command"
    }

    fn is_made_by(&self, path: &str, facts: &Facts) -> bool {
        facts.defines(self) && manifests::may_be_of(path, facts, self)
    }

    fn holds(&self, now: &Now, place: Place<'_>) -> Holds {
        let folder = place.document.folder();
        let paths = match now.manifests.scope(self, folder) {
            Scope::Open => return self.holds_around(now, place, folder),
            // What was never there is not known here, and what was is gone.
            Scope::Missing => return Holds::Perhaps,
            Scope::These(paths) => paths,
        };
        if now.manifests.is_defined_in(self, &paths) || self.is_program(now) {
            Holds::Yes
        } else if now.manifests.is_dynamic(self.runner) {
            Holds::Perhaps
        } else {
            Holds::No
        }
    }

    fn held(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        if self.has_new_rules(past, old) {
            return None;
        }
        if matches!(self.within, Within::Folder(_) | Within::Package(_)) {
            return self.held_in_its_place(past, old, writer);
        }
        let folder = writer.reader_folder();
        let is_any = !writer.is_from_elsewhere() && past.now.manifests.making(self).is_empty();
        made_by(self, past, old, |path| {
            is_any || manifests::is_for(path, folder)
        })
    }

    /// The task of an outer manifest, which still defines it, was meant when the command was written: the nearest
    /// one that it may be of now did not define it.
    fn meant_another(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> bool {
        if self.within != Within::Here || self.runner != Runner::Script {
            return false;
        }
        let all = past.all_manifests(old);
        let mut near = snapshot::candidates(writer.folder(), "package.json");
        near.retain(|path| all.0.contains_key(path));
        let defining = near
            .iter()
            .position(|path| all.is_defined_in(self, &[path]));
        let Some(position) = defining else {
            return false;
        };
        position > 0 && past.now.manifests.is_defined_in(self, &[&near[position]])
    }

    fn reason(&self, now: &Now, _truth: &Truth) -> String {
        now.manifests.missing(self)
    }

    /// A script of another folder, in an instruction file that never names that folder.
    fn never_held(&self, now: &Now, place: Place<'_>, is_added: bool) -> Option<String> {
        let is_of_folder = matches!(
            self.runner,
            Runner::Script | Runner::Deno | Runner::Make | Runner::Just | Runner::TaskFile
        );
        let is_here = self.within == Within::Here && is_of_folder && !self.may_be_program;
        if !is_here || !documents::is_rule_file(&place.document.path) {
            return None;
        }
        let made = now.manifests.making(self);
        let [first, ..] = made[..] else {
            let reason = || format!("no manifest defines `{}`", self.name);
            return is_added.then(reason);
        };
        let text = &place.document.text;
        let is_named = |path: &&str| {
            let folder = folder_of(path);
            folder.is_empty() || words::has_word(text, snapshot::last(folder))
        };
        let is_elsewhere = !made.iter().any(is_named);
        is_elsewhere.then(|| format!("it is defined elsewhere: in `{first}`"))
    }

    /// The task of an outer manifest may be meant: a reader runs it there.
    fn is_sure(&self, evidence: &Evidence<'_>) -> bool {
        let folder = evidence.place.document.folder();
        let made = evidence.now.manifests.making(self);
        !made.iter().any(|path| manifests::is_for(path, folder))
    }

    /// A command line is in a block because it is one.
    fn is_sure_in_block(&self, _evidence: &Evidence<'_>) -> bool {
        true
    }
}

impl Task {
    /// Returns whether the name is that of a program of a dependency.
    fn is_program(&self, now: &Now) -> bool {
        self.may_be_program && !now.manifests.depending(&self.name).is_empty()
    }

    /// Returns whether a manifest around the reader has the task.
    fn holds_around(&self, now: &Now, place: Place<'_>, folder: &str) -> Holds {
        let made = now.manifests.making(self);
        if made.is_empty() {
            return if self.is_program(now) {
                Holds::Yes
            } else if now.manifests.is_dynamic(self.runner) {
                Holds::Perhaps
            } else {
                Holds::No
            };
        }
        if self.within == Within::Anywhere {
            return Holds::Yes;
        }
        // A sentence before it says where: "from the `web/app` folder".
        let around = place.around();
        for path in made {
            let manifest_folder = folder_of(path);
            let is_named =
                !manifest_folder.is_empty() && words::has_word(around, manifest_folder);
            if is_named || now.manifests.is_read_in(path, folder) {
                return Holds::Yes;
            }
        }
        Holds::Perhaps
    }

    /// Returns the manifests that defined the task of the package or the folder that its command names.
    fn held_in_its_place(
        &self,
        past: &mut Past<'_, '_>,
        old: &mut OldTree,
        writer: Writer<'_>,
    ) -> Option<Truth> {
        let folder = writer.document.folder();
        let is_gone = past.now.manifests.scope(self, folder) == Scope::Missing;
        // The name of the package, or the path of the folder, is a claim of its own.
        let is_claim = match &self.within {
            Within::Package(name) => name.starts_with('@'),
            Within::Folder(folder) => folder.trim_matches(['.', '/']).contains('/'),
            Within::Here | Within::Anywhere => false,
        };
        if is_gone && is_claim {
            return None;
        }
        let all = past.all_manifests(old);
        let Scope::These(paths) = all.scope(self, writer.reader_folder()) else {
            return None;
        };
        let mut found = Vec::new();
        for path in paths {
            if all.is_defined_in(self, &[path]) {
                found.push(path.to_owned());
            }
        }
        (!found.is_empty()).then_some(Truth::Manifests(found))
    }

    /// Returns whether a manifest of now for those who ran the task has rules that compute tasks and that it did
    /// not have.
    fn has_new_rules(&self, past: &mut Past<'_, '_>, old: &mut OldTree) -> bool {
        let now = past.now;
        let manifests = past.manifests(old);
        let mut folders: Vec<String> = Vec::new();
        for path in manifests.making(self) {
            folders.push(folder_of(path).to_owned());
        }
        let rules_of = |facts: &Facts| -> BTreeSet<String> {
            let mut rules = BTreeSet::new();
            for (runner, rule) in &facts.dynamic {
                if *runner == self.runner {
                    rules.insert(rule.clone());
                }
            }
            rules
        };
        for (path, facts) in &now.manifests.0 {
            let old_facts = past.manifests(old).0.get(path).cloned();
            let is_changed = old_facts.is_some() || old.added.contains(path.as_str());
            if !is_changed || !folders.iter().any(|folder| manifests::is_for(path, folder)) {
                continue;
            }
            let old_rules = old_facts.map(|facts| rules_of(&facts)).unwrap_or_default();
            if !rules_of(facts).is_subset(&old_rules) {
                return true;
            }
        }
        false
    }
}
