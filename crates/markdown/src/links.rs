//! Links: `[[target]]` in a memory, to a path, a symbol or another memory.
//!
//! The forms are `[[path]]`, `[[path::Symbol]]`, `[[path#L10-L20]]` and
//! `[[memory:id#section]]`, each with an optional label after `|` and an optional relation
//! before the target, as in `[[supersedes::memory:id|the old one]]`. Links are not recognised in
//! code, comments and frontmatter, as `![[x]]`, after a backslash, or across lines. Linear in the
//! text.

mod context;
#[cfg(test)]
mod tests;

use std::fmt;

use cerberus_model::{EdgeType, Span, sorted};

use super::{frontmatter, structure};

/// The kind of a link target, determined by its spelling alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It has a `/`, a symbol or lines.
    Path,
    /// It starts with `memory:`.
    Memory,
    /// An address outside the project.
    Url,
    /// A bare name: of a memory, a file or a symbol.
    Plain,
}

/// The part of the target that a link points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Symbol(String),
    /// The first and the last line, from 0.
    Lines(u32, u32),
    Section(String),
}

/// The target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub kind: Kind,
    /// The path, the id or the name, as written.
    pub name: String,
    pub part: Option<Part>,
}

/// A link `[[target]]` in a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Includes the brackets.
    pub span: Span,
    /// The name of the target alone, to replace it by another name.
    pub name_span: Span,
    pub target: Target,
    pub label: Option<String>,
    pub relation: EdgeType,
    /// Whether the link states its relation; otherwise it is inferred from the words around.
    pub(crate) is_explicit: bool,
    /// The sentence around the link, on one line.
    pub context: String,
}

/// Returns the links of a complete file, in order.
pub fn parse(text: &str) -> Vec<Link> {
    let body_start = frontmatter::body_start(text);
    let found = structure::parse_body(text);
    let comments = found
        .comments
        .iter()
        .filter(|comment| comment.is_closed)
        .map(|it| it.span);
    let mut excluded = sorted(found.code.into_iter().chain(comments));
    excluded.push(Span::new(text.len(), text.len()));
    let mut links = Vec::new();
    let mut at = body_start;
    for excluded in excluded {
        if excluded.start > at {
            scan(text, Span::new(at, excluded.start), &mut links);
        }
        at = at.max(excluded.end);
    }
    let contexts: Vec<(String, EdgeType)> = (0..links.len())
        .map(|link_idx| context::of_link(text, body_start, &links, link_idx))
        .collect();
    for (link, (context, inferred)) in links.iter_mut().zip(contexts) {
        link.context = context;
        if !link.is_explicit {
            link.relation = inferred;
        }
    }
    links
}

/// Parses a target by itself, such as an entry of the frontmatter's `links`; the brackets are
/// optional.
pub fn parse_target(text: &str) -> Option<(Target, Option<EdgeType>)> {
    let text = text.trim();
    let text = text
        .strip_prefix("[[")
        .and_then(|it| it.strip_suffix("]]"))
        .unwrap_or(text);
    let whole = Span::new(0, text.len());
    let link = parse_link(text, whole, whole)?;
    Some((link.target, link.is_explicit.then_some(link.relation)))
}

impl Target {
    /// Parses the output of [`Display`](fmt::Display).
    pub fn parse(text: &str) -> Option<Self> {
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

/// Returns a relative path without `.`, `..` and doubled `/`, or `None` if the path is absolute
/// or is outside its base folder.
pub fn normalize_path(path: &str) -> Option<String> {
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = Vec::new();
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

/// Finds the links in `within`, a part of `text` without code.
fn scan(text: &str, within: Span, links: &mut Vec<Link>) {
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
                // In `[[[a` the last two brackets open the link.
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
                    links.extend(parse_link(text, inner, Span::new(start, at + 2)));
                }
                open = None;
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Parses the text between the brackets of a link, or returns `None` if it has no name. The
/// context is left empty.
fn parse_link(text: &str, inner: Span, span: Span) -> Option<Link> {
    let content = inner.slice(text);
    let (target, label) = match content.split_once('|') {
        // In a table the bar is escaped.
        Some((target, label)) => (target.strip_suffix('\\').unwrap_or(target), Some(label)),
        None => (content, None),
    };
    let label = label.map(str::trim).filter(|label| !label.is_empty());
    let n_target = target.len();
    let (relation, rest) = split_relation(target);
    let (at, target) = self::target(rest)?;
    let start = inner.start + (n_target - rest.len()) + at;
    Some(Link {
        span,
        name_span: Span::new(start, start + target.name.len()),
        target,
        label: label.map(str::to_owned),
        relation: relation.unwrap_or(EdgeType::RelatedTo),
        is_explicit: relation.is_some(),
        context: String::new(),
    })
}

/// Parses a target and the start of its name, or returns `None` if it has no name, or if it would
/// not parse to the same target when written, as `a: ::b` would not.
fn target(text: &str) -> Option<(usize, Target)> {
    let found = split_target(text)?;
    let again = split_target(&found.1.to_string());
    again
        .is_some_and(|(_, again)| again == found.1)
        .then_some(found)
}

fn split_target(text: &str) -> Option<(usize, Target)> {
    let (kind, rest) = split_kind(text);
    let (name, part) = match kind {
        Kind::Url => (rest, None),
        _ => split_part(rest),
    };
    let is_path = name.contains('/') || matches!(part, Some(Part::Symbol(_) | Part::Lines(..)));
    let kind = if kind == Kind::Plain && is_path {
        Kind::Path
    } else {
        kind
    };
    let start = (text.len() - rest.len()) + (name.len() - name.trim_start().len());
    let name = name.trim();
    let is_name = !name.is_empty() && !name.starts_with(':');
    is_name.then(|| {
        (
            start,
            Target {
                kind,
                name: name.to_owned(),
                part,
            },
        )
    })
}

/// Splits a known relation off the start of a target.
fn split_relation(target: &str) -> (Option<EdgeType>, &str) {
    let Some((relation, rest)) = target.split_once("::") else {
        return (None, target);
    };
    let relation = relation.trim().replace(['-', ' '], "_");
    relation
        .parse()
        .map_or((None, target), |relation| (Some(relation), rest))
}

fn split_kind(target: &str) -> (Kind, &str) {
    const MEMORY: &str = "memory:";
    match target.trim_start().split_at_checked(MEMORY.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(MEMORY) && !rest.starts_with(':') => {
            (Kind::Memory, rest)
        }
        _ if target.contains("://") => (Kind::Url, target),
        _ => (Kind::Plain, target),
    }
}

/// Splits the symbol, the lines or the section off the end of a target.
fn split_part(target: &str) -> (&str, Option<Part>) {
    let non_empty = |part: &str| Some(part.trim().to_owned()).filter(|part| !part.is_empty());
    if let Some((name, symbol)) = target.split_once("::") {
        return (name, non_empty(symbol).map(Part::Symbol));
    }
    let Some((name, fragment)) = target.split_once('#') else {
        return (target, None);
    };
    let part = match lines(fragment.trim()) {
        Some((first, last)) => Some(Part::Lines(first, last)),
        None => non_empty(fragment).map(Part::Section),
    };
    (name, part)
}

/// Parses `L10`, `L10-L20` and `L10-20`.
fn lines(fragment: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.parse::<u32>().ok()?.checked_sub(1);
    let lines = fragment.strip_prefix(['L', 'l'])?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (number(first)?, number(last.trim_start_matches(['L', 'l']))?);
    Some((first.min(last), first.max(last)))
}
