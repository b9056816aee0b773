//! The examples of memories that are followed: the anchors, and the examples beside them.
//!
//! A counter-example is a record of code that need not exist any more, so it is not followed.

use cerberus_bank::lockfile::Anchors;
use cerberus_model::{Anchor, ExampleRole, OtherExample};

/// A followed example of a memory.
pub(super) struct Example<'a> {
    pub(super) id: &'a str,
    /// `None` for the anchor itself.
    pub(super) other: Option<&'a OtherExample>,
    pub(super) anchor: Anchor,
}

/// Returns the anchors, and after them the examples beside them, in their order.
pub(super) fn of(selected: &Anchors) -> Vec<Example<'_>> {
    let main = selected.iter();
    let main = main.map(|(id, anchor)| Example { id, other: None, anchor: anchor.clone() });
    let all = selected.iter().flat_map(|(id, anchor)| anchor.others.iter().map(move |it| (id, it)));
    let others = all.filter(|(_, example)| example.role == ExampleRole::Also);
    let anchor = |it: &OtherExample| it.anchor.clone();
    let others = others.map(|(id, it)| Example { id, other: Some(it), anchor: anchor(it) });
    main.chain(others).collect()
}

impl Example<'_> {
    /// Replaces the example among the anchors.
    pub(super) fn record(&self, anchors: &mut Anchors, update: &Anchor) {
        let Some(example) = self.other else {
            anchors.insert(self.id.to_owned(), update.clone());
            return;
        };
        let others = anchors.get_mut(self.id).map(|anchor| &mut anchor.others);
        if let Some(old) = others.and_then(|it| it.iter_mut().find(|it| *it == example)) {
            old.anchor = update.clone();
        }
    }
}
