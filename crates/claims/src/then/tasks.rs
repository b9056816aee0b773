//! The tasks of old manifests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{OldTree, Past, Truth, Writer};
use crate::manifests::{self, Facts, Manifests, Scope};
use crate::parse::{Place, Runner, Target, Task};
use crate::{folder_of, snapshot};

impl Past<'_, '_> {
    /// Returns the manifests that defined a task of the package or the folder that its command names.
    pub(super) fn named_task(
        &mut self,
        old: &mut OldTree,
        writer: Writer<'_>,
        task: &Task,
    ) -> Option<Truth> {
        let is_gone = self
            .now
            .manifests
            .scope(task, folder_of(&writer.document.path))
            == Scope::Missing;
        match &task.place {
            // The name of the package, or the path of the folder, is a claim of its own.
            Place::Package(name) if is_gone && name.starts_with('@') => return None,
            Place::Folder(folder) if is_gone && folder.trim_matches(['.', '/']).contains('/') => {
                return None;
            }
            _ => {}
        }
        let all = self.all_manifests(old);
        let Scope::These(paths) = all.scope(task, writer.reader_folder()) else {
            return None;
        };
        let is_defining = |path: &&str| all.is_defined_in(task, &[path]);
        let found: Vec<String> = paths
            .into_iter()
            .filter(is_defining)
            .map(str::to_owned)
            .collect();
        (!found.is_empty()).then_some(Truth::Manifests(found))
    }

    /// Returns whether a command meant the task of an outer manifest, which still defines it, when it was
    /// written: the nearest one that it may be of now did not.
    pub(crate) fn is_of_outer(&mut self, old: &mut OldTree, writer: Writer<'_>) -> bool {
        let Target::Task(task) = &writer.claim.target else {
            return false;
        };
        if task.place != Place::Here || task.runner != Runner::Script {
            return false;
        }
        let all = self.all_manifests(old);
        let mut near = snapshot::candidates(writer.folder(), "package.json");
        near.retain(|path| all.0.contains_key(path));
        let defining = near
            .iter()
            .position(|path| all.is_defined_in(task, &[path]));
        defining.is_some_and(|position| {
            position > 0 && self.now.manifests.is_defined_in(task, &[&near[position]])
        })
    }

    /// Returns whether a manifest of now for those who ran a task has rules that compute tasks and that
    /// it did not have.
    pub(super) fn has_new_rules(&mut self, old: &mut OldTree, task: &Task) -> bool {
        let made = self.manifests(old).making(&Target::Task(task.clone()));
        let folders: Vec<String> = made
            .into_iter()
            .map(|it| folder_of(it).to_owned())
            .collect();
        let rules = |facts: &Facts| -> BTreeSet<String> {
            let own = facts
                .dynamic
                .iter()
                .filter(|(runner, _)| *runner == task.runner);
            own.map(|(_, rule)| rule.clone()).collect()
        };
        let old_facts = self
            .manifests(old)
            .0
            .iter()
            .map(|(path, facts)| (path.clone(), facts));
        let old_rules: BTreeMap<String, BTreeSet<String>> = old_facts
            .map(|(path, facts)| (path, rules(facts)))
            .collect();
        self.now.manifests.0.iter().any(|(path, facts)| {
            let is_changed = old_rules.contains_key(path) || old.added.contains(path.as_str());
            let is_for = || folders.iter().any(|folder| manifests::is_for(path, folder));
            is_changed
                && is_for()
                && !rules(facts).is_subset(old_rules.get(path).unwrap_or(&BTreeSet::new()))
        })
    }

    /// Returns all manifests of an old tree.
    fn all_manifests(&mut self, old: &mut OldTree) -> Arc<Manifests> {
        if let Some(all) = &old.all_manifests {
            return all.clone();
        }
        let mut all = self.now.manifests.0.clone();
        all.retain(|path, _| !old.added.contains(path.as_str()));
        all.extend(
            self.manifests(old)
                .0
                .iter()
                .map(|(path, facts)| (path.clone(), facts.clone())),
        );
        let all = Arc::new(Manifests(all));
        old.all_manifests = Some(all.clone());
        all
    }

    /// Returns the differing manifests of an old tree.
    pub(super) fn manifests<'t>(&mut self, old: &'t mut OldTree) -> &'t Manifests {
        let entries = &old.entries;
        old.manifests.get_or_insert_with(|| {
            let own = entries.iter().filter(|it| manifests::is_manifest(&it.path));
            let facts = own.filter_map(|entry| {
                let facts = self
                    .facts
                    .get(&(entry.path.clone(), entry.object.clone()))?;
                Some((entry.path.clone(), facts.clone()))
            });
            Manifests(facts.collect())
        })
    }
}
