//! Answers that are found without a process of git, compared with those of git.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::ProptestConfig;
use proptest::{collection, prop_assert_eq};

use super::{FOLDERS, Folder, NAMES, PATTERNS};
use crate::tree::git::past::{self, Graph};
use crate::tree::git::{self, IgnoredPath};

/// Commands that change the index, `P` is a path.
const STAGED: [&str; 5] = [
    "rm --quiet --cached P",
    "update-index --chmod=+x P",
    "mv P moved.py",
    "rm --quiet -f P",
    "update-index --force-remove P",
];

proptest::proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn missing_paths_are_ignored_by_the_patterns_that_git_names(
        rules in collection::vec((1..FOLDERS.len(), PATTERNS), 0..5),
    ) {
        let folder = Folder::repository();
        for (place, text) in rules {
            folder.write(&format!("{}/.gitignore", FOLDERS[place]), &text);
        }
        folder.write("a/b/x.py", "");
        let mut paths = Vec::new();
        for place in &FOLDERS[2..] {
            paths.push(format!("{place}/"));
            for name in NAMES {
                paths.push(format!("{place}/{name}"));
                paths.push(format!("{place}/{name}/"));
            }
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let as_paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        let root = folder.root();
        let mut expected = git::ignored(&root, &as_paths);
        expected.retain(|ignored| ignored.source.ends_with(".gitignore"));
        let plain = |ignored: &IgnoredPath| {
            format!("{} by {} of {}", ignored.path, ignored.pattern, ignored.source)
        };
        let found: Vec<String> = git::ignored_by_tree(&root, &paths).iter().map(plain).collect();
        let expected: Vec<String> = expected.iter().map(plain).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn the_files_that_the_index_has_otherwise_are_those_of_git(
        changes in collection::vec((1..FOLDERS.len(), 0..3_usize, 0..STAGED.len()), 0..6),
        format in 0..2_usize,
    ) {
        let folder = Folder::plain();
        folder.git(["init --quiet", "init --quiet --object-format=sha256"][format]);
        for place in &FOLDERS[1..] {
            for name in &NAMES[..3] {
                folder.write(&format!("{place}/{name}"), &format!("{place} {name}"));
            }
            folder.write(&format!("{place}.py"), place);
        }
        folder.commit();
        let mut known = BTreeSet::new();
        for (place, name, change) in changes {
            if known.insert((place, name)) {
                let path = format!("{}/{}", FOLDERS[place], NAMES[name]);
                let command = STAGED[change].replace('P', &path);
                folder.git(&command.replace("moved", &path.replace('/', "_")));
            }
        }
        folder.write("new/later.py", "x");
        folder.git("add --intent-to-add new/later.py");
        let root = folder.root();
        let found: BTreeSet<String> =
            past::staged_away(&root).into_iter().map(|entry| entry.path).collect();
        let listed = folder.git("diff-index --cached --name-only --no-renames --diff-filter=MDT HEAD");
        let expected: BTreeSet<String> = listed.lines().map(str::to_owned).collect();
        prop_assert_eq!(found, expected);
        let n_files = folder.git("ls-tree -r --name-only HEAD -- a").lines().count();
        prop_assert_eq!(past::n_files(&root, "HEAD", "a"), n_files);
    }
}

proptest::proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn the_order_of_commits_is_that_of_git(
        parents in collection::vec((0..100_usize, 0..100_usize), 6..10),
    ) {
        let folder = Folder::repository();
        let tree = folder.git("hash-object -t tree -w --stdin");
        let tree = tree.trim();
        let mut ids: Vec<String> = Vec::new();
        let mut heads: BTreeSet<usize> = BTreeSet::new();
        for (idx, (first, second)) in parents.into_iter().enumerate() {
            let mut line = format!("commit-tree {tree} -m {idx}");
            if idx > 0 {
                for parent in BTreeSet::from([first % idx, second % idx]) {
                    line += &format!(" -p {}", ids[parent]);
                    heads.remove(&parent);
                }
            }
            heads.insert(idx);
            ids.push(folder.git(&line).trim().to_owned());
        }
        // The last commit leads to all others.
        let mut line = format!("commit-tree {tree} -m last");
        for idx in heads {
            line += &format!(" -p {}", ids[idx]);
        }
        let head = folder.git(&line).trim().to_owned();
        ids.push(head.clone());
        folder.git(&format!("update-ref HEAD {head}"));
        let root = folder.root();
        let graph = Graph::read(&root, &head);
        let ids_of = |nodes: Vec<past::Node>| nodes.into_iter().map(|node| node.id).collect();
        let expected = folder.git("rev-list --first-parent HEAD");
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        let found: Vec<String> = ids_of(graph.first_parents());
        prop_assert_eq!(found, expected);
        for a in &ids {
            let between = folder.git(&format!("rev-list --ancestry-path {a}..{head}"));
            let path: Vec<String> = ids_of(graph.path(a, &head));
            prop_assert_eq!(path.is_empty(), between.is_empty());
            for id in &path {
                prop_assert_eq!(between.contains(id), true);
            }
            for b in &ids {
                let bases = folder.git(&format!("merge-base --all {a} {b}"));
                let found = graph.merge_base(a, b).expect("the first commit");
                prop_assert_eq!(bases.contains(&found), true, "{} {}", a, b);
            }
        }
    }
}
