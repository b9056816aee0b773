//! The difference between the pinned and the new texts of a bank.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use similar::TextDiff;

use cerberus_bank::shared::pack::Pack;

/// What changes in a bank.
#[derive(Debug, Default, Serialize)]
pub(super) struct Difference {
    /// Paths of the memories in the bank.
    pub(super) added: Vec<String>,
    pub(super) changed: Vec<String>,
    pub(super) removed: Vec<String>,
    /// The unified diff of all texts.
    #[serde(rename = "diff")]
    pub(super) text: String,
}

impl Difference {
    /// Compares the texts of a bank; without old ones all are added.
    pub(super) fn new(name: &str, old: Option<&Pack>, new: &Pack) -> Self {
        let texts =
            |pack: &'_ Pack| -> BTreeMap<String, String> { pack.files.iter().cloned().collect() };
        let (old, new) = (old.map(texts).unwrap_or_default(), texts(new));
        let mut difference = Self::default();
        for path in old.keys().chain(new.keys()).collect::<BTreeSet<_>>() {
            let (before, after) = (old.get(path), new.get(path));
            let list = match (before, after) {
                (Some(before), Some(after)) if before == after => continue,
                (Some(_), Some(_)) => &mut difference.changed,
                (None, _) => &mut difference.added,
                (_, None) => &mut difference.removed,
            };
            list.push(path.clone());
            let header = |side: &str, text: Option<&String>| match text {
                Some(_) => format!("{side}/{name}/{path}"),
                None => "/dev/null".to_owned(),
            };
            let (from, to) = (header("a", before), header("b", after));
            let text = |text: Option<&'_ String>| text.cloned().unwrap_or_default();
            let (before, after) = (text(before), text(after));
            let diff = TextDiff::from_lines(&before, &after);
            difference.text += &diff.unified_diff().header(&from, &to).to_string();
        }
        difference
    }

    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.changed.is_empty() && self.removed.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack(files: &[(&str, &str)]) -> Pack {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        Pack::new(files.collect()).expect("a bank")
    }

    #[test]
    fn added_changed_and_removed_texts_are_shown() {
        let old = pack(&[("a.md", "one\n"), ("b.md", "two\n"), ("c.md", "three\n")]);
        let new = pack(&[("b.md", "2\n"), ("c.md", "three\n"), ("d.md", "four\n")]);
        let found = Difference::new("team", Some(&old), &new);
        assert_eq!(
            (found.added, found.changed, found.removed),
            (vec!["d.md".into()], vec!["b.md".into()], vec!["a.md".into()])
        );
        for line in
            ["--- a/team/b.md", "+++ b/team/b.md", "-two", "+2", "+++ /dev/null", "-one", "+four"]
        {
            assert!(found.text.contains(line), "{line}: {}", found.text);
        }
        assert!(Difference::new("team", Some(&old), &old).is_empty());
    }
}
