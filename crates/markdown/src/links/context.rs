//! The relation of a link, inferred from the words around it.
//!
//! Only the sentence of the link counts, and at most a hundred characters to either side. If
//! several words imply a relation, the nearest one wins; words inside links are names and are
//! ignored.

use cerberus_model::{EdgeType, Span, WordList};
use cerberus_prose::lists::{
    CONTRADICTS, DEBUGS, DEPENDS_ON, EXTENDS, MENTIONS, PLANS, REFACTORS, SUPERSEDES,
};
use cerberus_prose::sentences;

use super::{Kind, Link};

/// Lists of words that imply a relation.
type RelationWords = [(EdgeType, &'static WordList); 4];

const RELATION_WORDS: RelationWords = [
    (EdgeType::Refactors, &REFACTORS),
    (EdgeType::Plans, &PLANS),
    (EdgeType::Debugs, &DEBUGS),
    (EdgeType::Mentions, &MENTIONS),
];
const MEMORY_VERBS: RelationWords = [
    (EdgeType::Supersedes, &SUPERSEDES),
    (EdgeType::Extends, &EXTENDS),
    (EdgeType::Contradicts, &CONTRADICTS),
    (EdgeType::DependsOn, &DEPENDS_ON),
];

/// The number of characters of context on each side of a link.
const REACH: usize = 100;

/// The maximum number of words between a verb and its object, as in "the old rule".
const MAX_BETWEEN: usize = 3;

/// Returns the sentence around a link, on one line, and the relation that it implies.
pub(super) fn of_link(
    text: &str,
    body_start: usize,
    links: &[Link],
    link_idx: usize,
) -> (String, EdgeType) {
    let own = links[link_idx].span;
    let before = text[body_start..own.start]
        .char_indices()
        .rev()
        .take(REACH)
        .last();
    let after = text[own.end..].char_indices().nth(REACH);
    let window = Span::new(
        before.map_or(own.start, |(at, _)| body_start + at),
        after.map_or(text.len(), |(at, _)| own.end + at),
    );
    let mut sentence = window;
    for gap in gaps(text, body_start, window) {
        if gap.end <= own.start {
            sentence.start = gap.end;
        } else if gap.start >= own.end {
            sentence.end = gap.start;
            break;
        }
    }
    let context = sentence
        .slice(text)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let words = words(text, sentence, links, link_idx);
    (context, relation(&words, own, links[link_idx].target.kind))
}

/// Returns the gaps between the sentences of a window: white space, and the markers of
/// headings, list items, quotes and table rows.
fn gaps(text: &str, body_start: usize, window: Span) -> Vec<Span> {
    let bytes = &text.as_bytes()[..window.end];
    let mut found = Vec::new();
    let mut line_start = None;
    if window.start == body_start || bytes[window.start - 1] == b'\n' {
        line_start = Some(window.start);
        found.push(Span::new(window.start, markers_end(bytes, window.start)));
    }
    for at in window.start..window.end {
        match bytes[at] {
            b'\n' => {
                let is_heading = line_start.is_some_and(|start| bytes[start] == b'#');
                let next = spaces_end(bytes, at + 1);
                let after_markers = markers_end(bytes, at + 1);
                let is_blank = bytes.get(next).is_none_or(|&byte| byte == b'\n');
                if is_heading || is_blank || after_markers > next {
                    found.push(Span::new(at, after_markers));
                }
                line_start = Some(at + 1);
            }
            b'.' | b'!' | b'?' => found.extend(sentences::gap_after(text, window, at)),
            _ => {}
        }
    }
    found
}

fn spaces_end(bytes: &[u8], at: usize) -> usize {
    at + bytes
        .iter()
        .skip(at)
        .take_while(|byte| b" \t\r".contains(byte))
        .count()
}

/// Returns the start of the text of a line, after the markers of blocks.
fn markers_end(bytes: &[u8], line_start: usize) -> usize {
    let mut at = spaces_end(bytes, line_start);
    loop {
        let rest = &bytes[at.min(bytes.len())..];
        let n_marker = match rest.first() {
            Some(b'>' | b'|') => Some(1),
            Some(b'-' | b'*' | b'+') => with_space(rest, 1),
            Some(b'#') => with_space(rest, rest.iter().take_while(|&&byte| byte == b'#').count()),
            Some(b'0'..=b'9') => {
                let n_digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let has_dot = matches!(rest.get(n_digits), Some(b'.' | b')'));
                with_space(rest, n_digits + 1).filter(|_| has_dot)
            }
            _ => None,
        };
        let Some(n_marker) = n_marker else { return at };
        at = spaces_end(bytes, at + n_marker);
    }
}

fn with_space(bytes: &[u8], n_marker: usize) -> Option<usize> {
    matches!(bytes.get(n_marker), Some(b' ' | b'\t')).then_some(n_marker + 1)
}

/// Returns the words of a sentence outside links, each with its position.
fn words<'t>(
    text: &'t str,
    sentence: Span,
    links: &[Link],
    link_idx: usize,
) -> Vec<(usize, &'t str)> {
    let overlaps = |link: &&Link| link.span.end > sentence.start && link.span.start < sentence.end;
    let earlier = links[..link_idx].iter().rev().take_while(overlaps);
    let later = links[link_idx..].iter().take_while(overlaps);
    let links: Vec<Span> = earlier.chain(later).map(|link| link.span).collect();
    let is_in_link = |at: usize| links.iter().any(|span| span.start <= at && at < span.end);
    let is_separator = |c: char| !(c.is_alphanumeric() || "_'’./".contains(c));
    let runs = sentence.slice(text).split(is_separator);
    // A path or a number with a dot or a slash inside is one word.
    let words = runs.map(|run| run.trim_matches(['.', '/', '\'', '’']));
    let words = words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word));
    words
        .filter(|(at, word)| !word.is_empty() && !is_in_link(*at))
        .collect()
}

/// Returns the relation that the nearest relation word implies.
fn relation(words: &[(usize, &str)], own: Span, target: Kind) -> EdgeType {
    let n_before = words.partition_point(|(at, _)| *at < own.start);
    let mut nearest: Option<(usize, EdgeType)> = None;
    for (word_idx, &(at, word)) in words.iter().enumerate() {
        let next = words.get(word_idx + 1).map(|(_, next)| *next);
        let previous = word_idx.checked_sub(1).map(|previous| words[previous].1);
        let is_object = word_idx < n_before && n_before - word_idx - 1 <= MAX_BETWEEN;
        let may_be_memory = is_object && matches!(target, Kind::Memory | Kind::Plain);
        let memory_verb = || {
            let relation = find(&MEMORY_VERBS, word).filter(|_| may_be_memory)?;
            let is_complete =
                relation != EdgeType::DependsOn || next.is_some_and(|it| is(it, "on"));
            is_complete.then_some(relation)
        };
        let Some(relation) = find(&RELATION_WORDS, word).or_else(memory_verb) else {
            continue;
        };
        let negates = |word: &str| ["not", "never", "longer"].iter().any(|it| is(word, it));
        let is_auxiliary = is(word, "will") || is(word, "should");
        let is_negated = previous
            .is_some_and(|it| negates(it) || it.to_lowercase().ends_with("n't"))
            || (is_auxiliary && next.is_some_and(negates));
        let end = at + word.len();
        let gap = if end <= own.start {
            own.start - end
        } else {
            at.saturating_sub(own.end)
        };
        if !is_negated && nearest.is_none_or(|(least, _)| gap < least) {
            nearest = Some((gap, relation));
        }
    }
    nearest.map_or(EdgeType::RelatedTo, |(_, relation)| relation)
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

fn find(lists: &RelationWords, word: &str) -> Option<EdgeType> {
    lists
        .iter()
        .find(|(_, list)| list.contains(word))
        .map(|(relation, _)| *relation)
}
