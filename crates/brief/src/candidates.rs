//! The texts of the relevant memories, and where their code is to be read.

use cerberus_bank::ops::memories::Memories;
use cerberus_model::Memory;

use super::Request;
use super::block::{Candidate, Slot, Text};
use super::focus::Occasion;
use super::place::{place, text, with_place};
use super::relevance::Relevant;

/// The most words of a text that are given instead of it.
const MAX_FIRST_WORDS: usize = 8;

/// Returns the relevant memories with their texts, in their order.
pub(crate) fn all<'m>(
    memories: &'m Memories,
    request: &Request,
    relevant: &[Relevant<'m>],
) -> Vec<Candidate<'m>> {
    let mut candidates = Vec::with_capacity(relevant.len());
    for relevant in relevant {
        candidates.push(Candidate {
            stored: relevant.stored,
            text: item(relevant, request),
            example: slot(relevant, memories, request),
            why: relevant.why.clone(),
        });
    }
    candidates
}

fn item(relevant: &Relevant<'_>, request: &Request) -> Text {
    let stored = relevant.stored;
    let Memory { id, .. } = &stored.memory;
    if let Occasion::Block { lines } = &request.occasion {
        return match lines.get(id) {
            Some(line) => Text::in_line(*line, id),
            None => Text::alone(&with_place(stored)),
        };
    }
    let text = text(stored);
    if let Some(stated) = request.known.loaded.find(&stored.memory.body) {
        let words = first_words(&stored.memory.body, stated.n_governing);
        return Text::loaded(&stated.place, &words);
    }
    if request.known.texts.contains(id) {
        return Text::loaded(&format!("`{id}`"), &first_words(&text, 0));
    }
    match &relevant.list {
        Some(list) => {
            let rest = text.strip_prefix(list.text).unwrap_or(&text);
            let sentence = list.text.trim_end_matches(':');
            let place = match place(stored) {
                Some(place) => format!("{place}: {sentence}"),
                None => sentence.to_owned(),
            };
            Text::in_place(Some(place), rest.trim_start())
        }
        None => Text::in_place(place(stored), &text),
    }
}

/// Returns the first words of a text, in one line. Those above a list may forbid its items, and are not cut.
fn first_words(text: &str, n_governing: usize) -> String {
    let n_words = n_governing + MAX_FIRST_WORDS;
    let words: Vec<&str> = text.split_whitespace().take(n_words).collect();
    words.join(" ")
}

fn slot<'m>(relevant: &Relevant<'m>, memories: &'m Memories, request: &Request) -> Slot<'m> {
    let id = &relevant.stored.memory.id;
    let is_stated = match &request.occasion {
        Occasion::Block { lines } => lines.contains_key(id),
        _ => false,
    };
    match memories.anchors.get(id) {
        None => Slot::Absent,
        Some(anchor) if is_stated => Slot::Unread(anchor),
        Some(_) if !request.shows_examples => Slot::Absent,
        Some(_) if !relevant.shows_example => Slot::Hidden,
        Some(anchor) => Slot::Unread(anchor),
    }
}
