//! What the words around a link say of it.
//!
//! Looks at the link's own sentence, and no further than a hundred characters to either
//! side, so that a neighbour's words do not weigh in. Of several telling words the nearest
//! one counts; words in links are names, not statements.

use super::{Kind, Written};
use crate::model::EdgeType;
use crate::text::Span;

/// How many characters of context a link has on each side.
const REACH: usize = 100;

/// Words that tell what a memory does with the target, wherever in the sentence they stand.
const TELLING: &[(EdgeType, &str)] = &[
    (
        EdgeType::Refactors,
        "refactor refactors refactored refactoring rewrite rewrites rewrote rewriting rewritten \
         restructure restructures restructured restructuring",
    ),
    (EdgeType::Plans, "plan plans planned planning todo todos will should"),
    (EdgeType::Debugs, "bug bugs fix fixes fixed fixing issue issues error errors"),
    (
        EdgeType::Mentions,
        "note notes noted remember remembers mention mentions mentioned mentioning",
    ),
];

/// Verbs whose object is another memory. It stands behind the verb: what stands before it
/// is the subject, and the passive says the reverse.
const BETWEEN_MEMORIES: &[(EdgeType, &str)] = &[
    (EdgeType::Supersedes, "supersede supersedes superseding"),
    (EdgeType::Extends, "extend extends extending"),
    (EdgeType::Contradicts, "contradict contradicts contradicting"),
    (EdgeType::DependsOn, "depend depends depending"),
];

/// How many words may stand between such a verb and its object, as in "the old rule".
const MAX_BETWEEN: usize = 3;

/// Short forms behind whose full stop the sentence goes on.
const SHORT_FORMS: &[&str] = &["e.g", "i.e", "cf", "vs", "resp", "approx"];

/// Returns the sentence around a link, in one line, and what its words say.
pub(super) fn of(
    text: &str,
    body_start: usize,
    links: &[Written],
    link_idx: usize,
) -> (String, EdgeType) {
    let own = links[link_idx].span;
    let before = text[body_start..own.start].char_indices().rev().take(REACH).last();
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
    let context = sentence.of(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words(text, sentence, links, link_idx);
    (context, edge(&words, own, links[link_idx].target.kind))
}

/// Returns what lies between the sentences of a window: white space, and the marks that
/// begin a heading, a list item, a quote or a row.
fn gaps(text: &str, body_start: usize, window: Span) -> Vec<Span> {
    let bytes = &text.as_bytes()[..window.end];
    let begins_line = window.start == body_start || bytes[window.start - 1] == b'\n';
    let mut found = Vec::new();
    let mut line_start = begins_line.then_some(window.start);
    if begins_line {
        found.push(Span::new(window.start, marks_end(bytes, window.start)));
    }
    for at in window.start..window.end {
        match bytes[at] {
            b'\n' => {
                let is_heading = line_start.is_some_and(|start| bytes[start] == b'#');
                let next = blanks_end(bytes, at + 1);
                let behind_marks = marks_end(bytes, at + 1);
                let is_blank = bytes.get(next).is_none_or(|&byte| byte == b'\n');
                if is_heading || is_blank || behind_marks > next {
                    found.push(Span::new(at, behind_marks));
                }
                line_start = Some(at + 1);
            }
            b'.' | b'!' | b'?' => {
                let n_closers = text[at + 1..window.end].find(|c| !"*_)]'\"”’".contains(c));
                let end = n_closers.map_or(window.end, |n| at + 1 + n);
                let is_space = |c: char| c.is_whitespace();
                let rest = &text[end..window.end];
                let goes_on = rest.trim_start().starts_with(char::is_lowercase)
                    || SHORT_FORMS
                        .iter()
                        .any(|short| ends_with_word(&text[window.start..at], short));
                if rest.is_empty() || (rest.starts_with(is_space) && !goes_on) {
                    found.push(Span::new(end, window.end - rest.trim_start().len()));
                }
            }
            _ => {}
        }
    }
    found
}

fn ends_with_word(text: &str, word: &str) -> bool {
    let Some(at) = text.len().checked_sub(word.len()) else {
        return false;
    };
    let is_inside = |before: &str| before.ends_with(char::is_alphanumeric);
    text.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(word)) && !is_inside(&text[..at])
}

fn blanks_end(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\r')) {
        at += 1;
    }
    at
}

/// Returns where the text of a line begins, behind the marks of blocks.
fn marks_end(bytes: &[u8], line_start: usize) -> usize {
    let mut at = blanks_end(bytes, line_start);
    loop {
        let mut end = at;
        match bytes.get(at) {
            Some(b'>' | b'|') => end += 1,
            Some(b'-' | b'*' | b'+') => end = spaced(bytes, at + 1).unwrap_or(at),
            Some(b'#') => {
                let n_marks = bytes[at..].iter().take_while(|&&byte| byte == b'#').count();
                end = spaced(bytes, at + n_marks).unwrap_or(at);
            }
            Some(b'0'..=b'9') => {
                let n_digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                let has_dot = matches!(bytes.get(at + n_digits), Some(b'.' | b')'));
                end = spaced(bytes, at + n_digits + 1).filter(|_| has_dot).unwrap_or(at);
            }
            _ => {}
        }
        if end == at {
            return at;
        }
        at = blanks_end(bytes, end);
    }
}

fn spaced(bytes: &[u8], at: usize) -> Option<usize> {
    matches!(bytes.get(at), Some(b' ' | b'\t')).then_some(at + 1)
}

/// Returns the words of a sentence that stand in no link, each with its place.
fn words<'t>(
    text: &'t str,
    sentence: Span,
    links: &[Written],
    link_idx: usize,
) -> Vec<(usize, &'t str)> {
    let touches =
        |link: &&Written| link.span.end > sentence.start && link.span.start < sentence.end;
    let earlier = links[..link_idx].iter().rev().take_while(touches).count();
    let own_and_later = links[link_idx..].iter().take_while(touches).count();
    let mut found = Vec::new();
    let mut at = sentence.start;
    for link in &links[link_idx - earlier..link_idx + own_and_later] {
        collect_words(text, Span::new(at, link.span.start.max(at)), &mut found);
        at = link.span.end;
    }
    collect_words(text, Span::new(at.min(sentence.end), sentence.end), &mut found);
    found
}

fn collect_words<'t>(text: &'t str, within: Span, found: &mut Vec<(usize, &'t str)>) {
    let is_apart = |c: char| !(c.is_alphanumeric() || "_'’./".contains(c));
    for run in within.of(text).split(is_apart) {
        // What has a dot or a slash inside is a path or a number, and one word.
        let word = run.trim_matches(['.', '/', '\'', '’']);
        if !word.is_empty() {
            found.push((word.as_ptr() as usize - text.as_ptr() as usize, word));
        }
    }
}

/// Returns what the nearest telling word says.
fn edge(words: &[(usize, &str)], own: Span, target: Kind) -> EdgeType {
    let n_before = words.partition_point(|(at, _)| *at < own.start);
    let mut nearest: Option<(usize, EdgeType)> = None;
    for (word_idx, &(at, word)) in words.iter().enumerate() {
        let next = words.get(word_idx + 1).map(|(_, next)| *next);
        let previous = word_idx.checked_sub(1).map(|it| words[it].1);
        let is_object = word_idx < n_before && n_before - word_idx - 1 <= MAX_BETWEEN;
        let may_relate = is_object && matches!(target, Kind::Memory | Kind::Plain);
        let related = || {
            let edge = find(BETWEEN_MEMORIES, word).filter(|_| may_relate)?;
            let is_whole = edge != EdgeType::DependsOn || next.is_some_and(|it| is(it, "on"));
            is_whole.then_some(edge)
        };
        let Some(edge) = find(TELLING, word).or_else(related) else {
            continue;
        };
        let denies = |word: &str| ["not", "never", "longer"].iter().any(|it| is(word, it));
        let is_denied = previous.is_some_and(|it| denies(it) || it.to_lowercase().ends_with("n't"))
            || ((is(word, "will") || is(word, "should")) && next.is_some_and(denies));
        let end = at + word.len();
        let gap = if end <= own.start { own.start - end } else { at.saturating_sub(own.end) };
        if !is_denied && nearest.is_none_or(|(least, _)| gap < least) {
            nearest = Some((gap, edge));
        }
    }
    nearest.map_or(EdgeType::RelatedTo, |(_, edge)| edge)
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

fn find(table: &[(EdgeType, &str)], word: &str) -> Option<EdgeType> {
    let holds = |forms: &str| forms.split(' ').any(|form| is(form, word));
    table.iter().find(|(_, forms)| holds(forms)).map(|(edge, _)| *edge)
}
