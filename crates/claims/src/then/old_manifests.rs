//! The manifests of old trees.

use std::sync::Arc;

use super::{OldTree, Past};
use crate::manifests::{self, Manifests};

impl Past<'_, '_> {
    /// Returns all manifests of an old tree.
    pub(crate) fn all_manifests(&mut self, old: &mut OldTree) -> Arc<Manifests> {
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
    pub(crate) fn manifests<'t>(&mut self, old: &'t mut OldTree) -> &'t Manifests {
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
