//! Names that programs of the project know as data: files that they read or write, packages that they import.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::checker::Checker;
use crate::former::Former;
use crate::kinds::package::Package;
use crate::kinds::path::FilePath;
use crate::parse::{Claim, Target};
use crate::paths::folder_of;
use crate::project::{Position, Project};
use crate::report::Verdict;
use crate::{snapshot, words};

impl Checker<'_> {
    /// Omits the files that code contains as a string: such a claim is about what a program reads or writes, as
    /// `package.json` is. Omits the packages that code imports. Returns the others, and among them those whose
    /// whole path is such a string, which is out of date as well if the file was moved.
    pub(crate) fn without_known_names(
        &mut self,
        former: Vec<Former>,
    ) -> (Vec<Former>, FxHashSet<Position>) {
        let Project { root, now, .. } = self.project;
        let package = |it: &Former| match &self.project.claim(it.at).1.target {
            // Not a module of Go, whose last part other modules have too.
            Target::Package(Package(name)) if name.split('/').count() < 3 => {
                Some(words::module_name(name))
            }
            _ => None,
        };
        let packages: BTreeSet<String> = former.iter().filter_map(package).collect();
        let imported = words::imported(root, now.tree.entries(), &packages);
        let name = |it: &Former| {
            let (document, claim) = self.project.claim(it.at);
            looked_for(claim).filter(|name| {
                // The document of a folder means the file that was beside it.
                let was_beside = |path: &str| {
                    let folder = folder_of(path);
                    !folder.is_empty() && it.truth.file() == snapshot::joined(folder, name)
                };
                // A name that other files of the project have is that of a kind of file.
                let is_own = |path| was_beside(path) && now.tree.n_named(name) == 0;
                !is_own(&document.path)
                    && !is_own(&it.written.path)
                    && document.claims.tree(claim).is_none()
            })
        };
        let names: BTreeSet<&str> = former.iter().filter_map(name).collect();
        let known = words::mentioned(root, now.tree.entries(), &names);
        let is_whole_path = |it: &Former| {
            name(it).is_some_and(|name| name.contains('/') && name == it.truth.file())
        };
        let is_known = |it: &Former| {
            name(it).is_some_and(|name| known.contains(name))
                || package(it).is_some_and(|name| imported.contains(&name))
        };
        let (known, mut former): (Vec<_>, Vec<_>) = former.into_iter().partition(is_known);
        let (perhaps, known): (Vec<_>, Vec<_>) = known.into_iter().partition(is_whole_path);
        self.put_all(known.iter().map(|it| &it.at), &Verdict::NeverTrue);
        let perhaps_moved = perhaps.iter().map(|it| it.at).collect();
        former.extend(perhaps);
        (former, perhaps_moved)
    }
}

/// Returns the file that a program may look for, as it would name it: `config.json`, `data/seed.json`, or
/// its last part if it has no ending and is in the folder of a tool, as in `.tool/hooks/start`.
fn looked_for(claim: &Claim) -> Option<&str> {
    let Target::Path(FilePath {
        path,
        is_link: false,
        ..
    }) = &claim.target
    else {
        return None;
    };
    if path.contains(['*', '{']) || path.is_empty() || path.ends_with('/') {
        return None;
    }
    let path = path.trim_start_matches("./");
    match path.rsplit_once('/') {
        Some((folder, name)) if folder.starts_with('.') && !name.contains('.') => {
            (!folder.starts_with("..")).then_some(name)
        }
        _ => Some(path),
    }
}
