//! Links: `[[target]]` in a memory, to a path, a symbol or another memory.
//!
//! `[[path]]`, `[[path::Symbol]]`, `[[path#L10-L20]]`, `[[memory:id#section]]`, each with
//! a label behind `|` and a relation before it, as in `[[supersedes::memory:id|the old one]]`.
//! No links are what stands in code, in comments and in frontmatter, what spans lines,
//! `![[x]]`, and what a backslash escapes. Linear in the text, whatever it holds.

mod context;
#[cfg(test)]
mod tests;

use std::fmt;

use super::frontmatter;
use super::structure::structure;
use crate::model::EdgeType;
use crate::text::Span;

/// What a link points at, by its spelling alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It has a `/`, a symbol or lines.
    Path,
    /// It begins with `memory:`.
    Memory,
    /// An address outside the project.
    Url,
    /// A name alone: of a memory, a file or a symbol.
    Plain,
}

/// Which part of the target is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    Symbol(String),
    /// The first and the last line, from 0.
    Lines(u32, u32),
    Section(String),
}

/// What a link points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// The path, the id or the name, as it is written.
    pub(crate) name: String,
    pub(crate) part: Option<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// With its brackets.
    pub(crate) span: Span,
    /// Of the target's name alone: what to write another name over.
    pub(crate) name_span: Span,
    pub(crate) target: Target,
    pub(crate) label: Option<String>,
    pub(crate) edge: EdgeType,
    /// Whether the link itself says its relation, which is else read from the words around.
    pub(crate) is_stated: bool,
    /// The sentence around the link, in one line.
    pub(crate) context: String,
}

/// Returns the links of `text`, which is a whole file, in its order.
pub(crate) fn parse(text: &str) -> Vec<Link> {
    let body = Span::new(frontmatter::body_start(text), text.len());
    let found = structure(text, body);
    let comments = found.comments.iter().filter(|comment| comment.ended).map(|it| it.span);
    let mut hidden: Vec<Span> = found.code.into_iter().chain(comments).collect();
    hidden.sort_unstable();
    let mut written = Vec::new();
    let mut at = body.start;
    for hidden in hidden.into_iter().chain([Span::new(text.len(), text.len())]) {
        if hidden.start > at {
            scan(text, Span::new(at, hidden.start), &mut written);
        }
        at = at.max(hidden.end);
    }
    let contexts: Vec<(String, EdgeType)> = (0..written.len())
        .map(|link_idx| context::of(text, body.start, &written, link_idx))
        .collect();
    let links = written.into_iter().zip(contexts).map(|(written, (context, inferred))| Link {
        span: written.span,
        name_span: written.name,
        target: written.target,
        label: written.label,
        edge: written.stated.unwrap_or(inferred),
        is_stated: written.stated.is_some(),
        context,
    });
    links.collect()
}

/// Reads what stands by itself, such as an entry of the frontmatter's `links`; brackets
/// around it may be there or not.
pub(crate) fn parse_target(text: &str) -> Option<(Target, Option<EdgeType>)> {
    let text = text.trim();
    let text = text.strip_prefix("[[").and_then(|it| it.strip_suffix("]]")).unwrap_or(text);
    let whole = Span::new(0, text.len());
    let written = read(text, whole, whole)?;
    Some((written.target, written.stated))
}

impl Target {
    /// Reads a target as [`Display`](fmt::Display) writes it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        target(text).map(|(_, target)| target)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == Kind::Memory {
            f.write_str("memory:")?;
        }
        f.write_str(&self.name)?;
        match &self.part {
            None => Ok(()),
            Some(Part::Symbol(symbol)) => write!(f, "::{symbol}"),
            Some(Part::Section(section)) => write!(f, "#{section}"),
            Some(Part::Lines(first, last)) if first == last => write!(f, "#L{}", first + 1),
            Some(Part::Lines(first, last)) => write!(f, "#L{}-L{}", first + 1, last + 1),
        }
    }
}

/// Returns a path in its one spelling: without `.`, `..` and doubled `/`; none where it
/// is absolute or leads out of the folder it starts in.
pub(crate) fn normal_path(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if path.starts_with('/') {
        return None;
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A link as it is written, before the words around it are looked at.
struct Written {
    span: Span,
    name: Span,
    target: Target,
    label: Option<String>,
    stated: Option<EdgeType>,
}

/// Finds the links in what `within` covers of `text`, which holds no code.
fn scan(text: &str, within: Span, found: &mut Vec<Written>) {
    let bytes = &text.as_bytes()[..within.end];
    let is = |at: usize, byte: u8| bytes.get(at) == Some(&byte);
    let (mut open, mut n_brackets) = (None, 0_usize);
    let (mut escaped_at, mut at) = (None, within.start);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => {
                escaped_at = Some(at + 1);
                at += 1;
            }
            b'\n' | b'\r' => open = None,
            b'[' if is(at + 1, b'[') => {
                let first = at;
                // Of `[[[a` the last two brackets open the link.
                while is(at + 2, b'[') {
                    at += 1;
                }
                let before = first.checked_sub(1).filter(|&it| it >= within.start);
                let is_embedded = first == at
                    && before.is_some_and(|it| bytes[it] == b'!')
                    && before != escaped_at;
                open = Some((at, is_embedded));
                n_brackets = 0;
                at += 1;
            }
            b'[' if open.is_some() => n_brackets += 1,
            b']' if n_brackets > 0 => n_brackets -= 1,
            b']' if is(at + 1, b']') => {
                if let Some((start, false)) = open {
                    let inner = Span::new(start + 2, at);
                    found.extend(read(text, inner, Span::new(start, at + 2)));
                }
                open = None;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Reads what stands between the brackets of a link; none where it names nothing.
fn read(text: &str, inner: Span, span: Span) -> Option<Written> {
    let content = inner.of(text);
    let (target, label) = match content.split_once('|') {
        // In a table the bar is escaped.
        Some((target, label)) => (target.strip_suffix('\\').unwrap_or(target), Some(label)),
        None => (content, None),
    };
    let label = label.map(str::trim).filter(|label| !label.is_empty());
    let n_target = target.len();
    let (stated, rest) = stated(target);
    let (at, target) = self::target(rest)?;
    let start = inner.start + (n_target - rest.len()) + at;
    Some(Written {
        span,
        name: Span::new(start, start + target.name.len()),
        target,
        label: label.map(str::to_owned),
        stated,
    })
}

/// Reads a target and where in it its name begins; none where it names nothing.
fn target(text: &str) -> Option<(usize, Target)> {
    let (kind, rest) = kind(text);
    let (name, part) = match kind {
        Kind::Url => (rest, None),
        _ => split_part(rest),
    };
    let is_path = name.contains('/') || matches!(part, Some(Part::Symbol(_) | Part::Lines(..)));
    let kind = if kind == Kind::Plain && is_path { Kind::Path } else { kind };
    let start = (text.len() - rest.len()) + (name.len() - name.trim_start().len());
    let name = name.trim();
    // A colon before `::`, or behind `memory:`, would not be read again as it is written.
    let is_name = !name.is_empty() && !name.starts_with(':');
    is_name.then(|| (start, Target { kind, name: name.to_owned(), part }))
}

/// Splits a known relation off the start of a target.
fn stated(target: &str) -> (Option<EdgeType>, &str) {
    let Some((relation, rest)) = target.split_once("::") else {
        return (None, target);
    };
    let relation = relation.trim().replace(['-', ' '], "_");
    relation.parse().map_or((None, target), |edge| (Some(edge), rest))
}

fn kind(target: &str) -> (Kind, &str) {
    const MEMORY: &str = "memory:";
    let trimmed = target.trim_start();
    match trimmed.get(..MEMORY.len()) {
        Some(start)
            if start.eq_ignore_ascii_case(MEMORY) && !trimmed[MEMORY.len()..].starts_with(':') =>
        {
            (Kind::Memory, &trimmed[MEMORY.len()..])
        }
        _ if target.contains("://") => (Kind::Url, target),
        _ => (Kind::Plain, target),
    }
}

/// Splits the symbol, the lines or the section off the end of a target.
fn split_part(target: &str) -> (&str, Option<Part>) {
    if let Some((name, symbol)) = target.split_once("::") {
        let symbol = symbol.trim();
        return (name, (!symbol.is_empty()).then(|| Part::Symbol(symbol.to_owned())));
    }
    let Some((name, fragment)) = target.split_once('#') else {
        return (target, None);
    };
    let fragment = fragment.trim();
    let part = match lines(fragment) {
        Some((first, last)) => Some(Part::Lines(first, last)),
        None => (!fragment.is_empty()).then(|| Part::Section(fragment.to_owned())),
    };
    (name, part)
}

/// Reads `L10`, `L10-L20` and `L10-20`.
fn lines(fragment: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
    let lines = fragment.strip_prefix(['L', 'l'])?;
    let (first, last) = match lines.split_once('-') {
        Some((first, last)) => (number(first)?, number(last.trim_start_matches(['L', 'l']))?),
        None => (number(lines)?, number(lines)?),
    };
    Some((first.min(last), first.max(last)))
}
