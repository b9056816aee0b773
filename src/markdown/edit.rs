//! Editing a memory's text: its body, or one section of it, and no byte beside.
//!
//! What is put in gets the line ends of the text around it and loses the blank lines
//! at its own ends; byte-order mark, frontmatter and final newline stay as they are.
//! An edit is looked at once more as a reader will see it: one that would change what
//! another section is, or end what it stands in, is refused. Doing an edit twice is
//! doing it once.

#[cfg(test)]
mod tests;

use super::sections::{self, Origin, Section, Sections};
use super::structure::{self, structure};
use super::{Refusal, frontmatter};
use crate::text::{LineIndex, Span};

/// What an edit does to the text that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Puts the content after it.
    Append,
    /// Puts the content in its place.
    Replace,
}

/// Edits the body of `text`, which is a whole file.
pub(crate) fn body(text: &str, content: &str, way: Way) -> Result<String, Refusal> {
    let newline = newline_of(text);
    let content = fitted(content, newline);
    let body = Span::new(frontmatter::body_start(text), text.len());
    let found = sections::trim_blank_lines(body.of(text), true);
    let old = Span::new(body.start + found.start, body.start + found.end);
    let edited = if old.start == old.end {
        let gap = if text.trim_start_matches('\u{FEFF}').is_empty() {
            // Nothing may become frontmatter by standing first.
            if content.starts_with("---") { newline.to_owned() } else { String::new() }
        } else {
            gap("", &content, text, newline)
        };
        format!("{text}{gap}{content}{newline}")
    } else if way == Way::Replace {
        format!("{}{content}{}", &text[..old.start], &text[old.end..])
    } else if ends_with(old.of(text), &content) {
        text.to_owned()
    } else {
        let gap = gap(last_line(old.of(text)), &content, text, newline);
        let end = if text.ends_with('\n') { newline } else { "" };
        format!("{text}{gap}{content}{end}")
    };
    let block = |text: &str| frontmatter::span(text).map(|(block, _)| block);
    if block(text) != block(&edited) {
        return Err(Refusal::new(
            "with this text in it the memory would begin with other frontmatter",
            "close what line 1 opens with a line `---`, or begin with other text than `---`",
        ));
    }
    Ok(edited)
}

/// Edits the section that `wanted` names, and returns its id and the whole text.
pub(crate) fn section(
    text: &str,
    wanted: &str,
    content: &str,
    way: Way,
) -> Result<(String, String), Refusal> {
    check_conflict(text)?;
    let sections = sections::parse(text);
    let section = find(text, &sections, wanted)?;
    let newline = newline_of(text);
    let mut content = fitted(content, newline);
    // Below a line of its own nothing is taken for frontmatter.
    let read = sections::parse(&format!("\n{content}"));
    if !read.tags.is_empty() || !read.diagnostics.is_empty() {
        return Err(Refusal::new(
            "the content has section tags of its own",
            "leave the tags out: those of the section stay where they are",
        ));
    }
    let room = Room::of(text, section, &sections);
    if let (Origin::Heading, Way::Replace) = (section.origin, way) {
        content = without_heading(text, section, &content);
    }
    if content.is_empty() {
        return Err(Refusal::new(
            format!("there would be nothing in section `{}`", section.id),
            "give it a text below its heading",
        ));
    }
    let old = trimmed(text, room.inner);
    if way == Way::Replace {
        check_nested(text, old, section, &sections)?;
    }
    let content = with_prefix(&content, room.prefix);
    let (replaced, new) = if old.start == old.end {
        (room.inner, room.filled(text, &content, newline))
    } else if way == Way::Replace {
        room.framed(text, old, &content, newline)
    } else if ends_with(old.of(text), &content) {
        return Ok((section.id.clone(), text.to_owned()));
    } else {
        let mut gap = gap(last_line(old.of(text)), &content, old.of(text), newline);
        if gap.len() > newline.len() {
            gap = format!("{newline}{}{newline}", room.prefix.trim_end());
        }
        let end = Span::new(old.end, old.end);
        let (end, new) = room.framed(text, end, &content, newline);
        (end, gap + &new)
    };
    let edited = format!("{}{new}{}", &text[..replaced.start], &text[replaced.end..]);
    check_structure(section, &sections, replaced, new.len(), &content, &edited)?;
    Ok((section.id.clone(), edited))
}

/// Returns `content` as it is put into a text: with its line ends, without blank lines at both ends.
pub(crate) fn fitted(content: &str, newline: &str) -> String {
    let content = content.strip_prefix('\u{FEFF}').unwrap_or(content).replace("\r\n", "\n");
    let content = sections::trim_blank_lines(&content, true).of(&content).trim_ascii_end();
    if newline == "\n" { content.to_owned() } else { content.replace('\n', newline) }
}

/// Returns the line end of a text's first line.
pub(crate) fn newline_of(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Finds the section to edit: one that is there and closed.
fn find<'a>(text: &str, sections: &'a Sections, wanted: &str) -> Result<&'a Section, Refusal> {
    let is_wanted = |it: &&Section| it.id.eq_ignore_ascii_case(wanted);
    if let Some(section) = sections.list.iter().find(is_wanted) {
        return Ok(section);
    }
    if let Some(tag) = sections::tag_of(text, sections, wanted) {
        let line = LineIndex::new(text).line(tag.start);
        let why = sections.diagnostics.iter().find(|it| it.line == line);
        let message = why.map_or_else(
            || format!("the tags of section `{wanted}` do not make a section"),
            |it| it.message.clone(),
        );
        let hint = why.and_then(|it| it.hint.clone());
        return Err(Refusal::new(message, hint.unwrap_or_default()).on_line(line));
    }
    let requested = [wanted.to_owned()];
    let mut selection = sections::select(sections, &requested);
    if let Some(section) = selection.found.pop() {
        return Ok(section);
    }
    let known: Vec<&str> = sections.list.iter().map(|it| it.id.as_str()).collect();
    let hint = match selection.missing.pop().and_then(|it| it.nearest) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "it has none; a heading begins one".to_owned(),
        None => format!("it has {}", known.join(", ")),
    };
    Err(Refusal::new(format!("there is no section `{wanted}`"), hint))
}

/// Where the text of a section may stand.
struct Room<'a> {
    inner: Span,
    /// What each line begins with: the marks of a quote or the indent of a list item.
    prefix: &'a str,
    /// Whether a heading is above: text below it and before what follows is set off by a
    /// blank line.
    sets_off: bool,
}

impl<'a> Room<'a> {
    fn of(text: &'a str, section: &Section, sections: &Sections) -> Self {
        match section.origin {
            Origin::Tag => Self::between_tags(text, section),
            Origin::Heading => Self::below_heading(text, section, sections),
        }
    }

    fn between_tags(text: &'a str, section: &Section) -> Self {
        let inner = section.inner.of(text);
        let before_close = inner.rfind('\n').map_or("", |newline| &inner[newline + 1..]);
        let is_prefix = before_close.trim_matches(['>', ' ', '\t']).is_empty();
        let prefix = if is_prefix { before_close } else { "" };
        let end = section.inner.end - prefix.len();
        Self { inner: Span::new(section.inner.start, end), prefix, sets_off: false }
    }

    /// What ends a heading's section may be tags that belong to what follows or to what is around.
    fn below_heading(text: &'a str, section: &Section, sections: &Sections) -> Self {
        let start = heading_of(text, section).map_or(section.outer.end, |heading| heading.end);
        let mut end = section.outer.end;
        for tag in sections.tags.iter().rev() {
            if tag.start >= end {
                continue;
            }
            let closes_own = sections.list.iter().any(|it| {
                it.origin == Origin::Tag && it.outer.end == tag.end && it.outer.start >= start
            });
            let is_last = tag.end <= end && text[tag.end..end].trim_ascii().is_empty();
            if closes_own || !is_last || tag.start < start {
                break;
            }
            let line = text[..tag.start].rfind('\n').map_or(0, |newline| newline + 1).max(start);
            let stands_alone = text[line..tag.start].trim_matches([' ', '\t', '>']).is_empty();
            end = if stands_alone { line } else { tag.start };
        }
        Self { inner: Span::new(start, end), prefix: "", sets_off: true }
    }

    /// Returns what stands between `inner`'s ends when there was nothing.
    fn filled(&self, text: &str, content: &str, newline: &str) -> String {
        let before = &text[..self.inner.start];
        let after = &text[self.inner.end..];
        if self.sets_off {
            let start = if before.ends_with('\n') { newline.to_owned() } else { newline.repeat(2) };
            let end = match after.is_empty() {
                true if text.ends_with('\n') => newline.to_owned(),
                true => String::new(),
                false => newline.repeat(2),
            };
            return format!("{start}{content}{end}");
        }
        let is_inline = !self.inner.of(text).contains('\n') && !has_lines(content);
        if is_inline { content.to_owned() } else { format!("{newline}{content}{newline}") }
    }

    /// Returns `content` for the place of `old`, on lines of its own if it has several, and
    /// what it replaces.
    fn framed(&self, text: &str, old: Span, content: &str, newline: &str) -> (Span, String) {
        let is_added = old.start == old.end;
        let rest = &text[old.end..self.inner.end];
        let ends_line = rest.contains('\n') || self.inner.end == text.len();
        if !is_added && !has_lines(content) && (ends_line || !self.sets_off) {
            return (old, content.to_owned());
        }
        let begins_line = is_added || text[..old.start].ends_with('\n');
        let start = if begins_line { "" } else { newline };
        let (end, after) = if ends_line { (old.end, "") } else { (self.inner.end, newline) };
        (Span::new(old.start, end), format!("{start}{content}{after}"))
    }
}

/// Returns whether a content needs lines of its own to mean what it does.
fn has_lines(content: &str) -> bool {
    content.contains('\n') || content.starts_with([' ', '\t'])
}

fn heading_of(text: &str, section: &Section) -> Option<structure::Heading> {
    let body = Span::new(frontmatter::body_start(text), text.len());
    let headings = structure(text, body).headings;
    headings.into_iter().find(|heading| heading.start == section.outer.start)
}

/// Returns `content` without its first line where that is the heading of the section itself.
fn without_heading(text: &str, section: &Section, content: &str) -> String {
    let own = heading_of(text, section);
    let first = structure(content, Span::new(0, content.len())).headings.into_iter().next();
    match (own, first) {
        (Some(own), Some(first))
            if first.start == 0 && (first.level, &first.title) == (own.level, &own.title) =>
        {
            fitted(&content[first.end..], newline_of(content))
        }
        _ => content.to_owned(),
    }
}

/// Refuses a text with both sides of a merge in it: its headings and tags are not to be
/// relied on, since the line between the sides underlines a heading.
fn check_conflict(text: &str) -> Result<(), Refusal> {
    let has = |mark: &str| text.lines().position(|line| line.starts_with(mark));
    match (has("<<<<<<< "), has(">>>>>>> ")) {
        (Some(line), Some(_)) => {
            let message = "the memory holds a merge conflict";
            Err(Refusal::new(message, "settle it in an editor first").on_line(line))
        }
        _ => Ok(()),
    }
}

/// Refuses to replace tags: what is read from a section comes without them, so that
/// writing it back would lose them.
fn check_nested(
    text: &str,
    within: Span,
    section: &Section,
    sections: &Sections,
) -> Result<(), Refusal> {
    let tag = sections.tags.iter().find(|tag| within.start <= tag.start && tag.end <= within.end);
    let Some(tag) = tag else { return Ok(()) };
    let inside = sections.list.iter().filter(|it| {
        it.origin == Origin::Tag && within.start <= it.outer.start && it.outer.end <= within.end
    });
    let inside: Vec<&str> = inside.map(|it| it.id.as_str()).collect();
    let message = format!("section `{}` holds tags of other sections", section.id);
    let hint = match inside[..] {
        [] => "replace the whole memory, or edit its file".to_owned(),
        _ => format!("replace what is in it instead: {}", inside.join(", ")),
    };
    Err(Refusal::new(message, hint).on_line(LineIndex::new(text).line(tag.start)))
}

/// Checks that all sections are those they were, apart from what was replaced.
fn check_structure(
    section: &Section,
    old: &Sections,
    replaced: Span,
    n_bytes: usize,
    content: &str,
    edited: &str,
) -> Result<(), Refusal> {
    let new = sections::parse(edited);
    let holds_it = new.list.iter().find(|it| it.id == section.id).is_some_and(|now| {
        ends_with(trimmed(edited, Room::of(edited, now, &new).inner).of(edited), content)
    });
    let n_gone = replaced.end - replaced.start;
    let moved = |at: usize| (at + n_bytes).saturating_sub(n_gone);
    let start = |at: usize| if at < replaced.start { at } else { moved(at) };
    let is_kept = |it: &Section| {
        new.list.iter().any(|now| {
            let is_there = now.id == it.id
                && now.origin == it.origin
                && now.outer.start == start(it.outer.start);
            let ends_there = if it.id == section.id {
                now.outer.end == moved(it.outer.end)
            } else {
                it.origin == Origin::Heading
                    || now.outer.end == it.outer.end
                    || now.outer.end == moved(it.outer.end)
            };
            is_there && ends_there
        })
    };
    let is_outside =
        |it: &&Section| it.outer.start < replaced.start || it.outer.start >= replaced.end;
    if new.tags.len() != old.tags.len() {
        return Err(Refusal::new(
            format!("the content would swallow the end of section `{}`", section.id),
            "close the code blocks and comments that it opens",
        ));
    }
    let lost = old.list.iter().filter(is_outside).find(|it| !is_kept(it));
    match lost.or((!holds_it).then_some(section)) {
        None => Ok(()),
        Some(lost) if lost.id == section.id => Err(Refusal::new(
            format!("the content would end section `{}`, or begin another", section.id),
            "use headings below the section's own, and close the code blocks that it opens",
        )),
        Some(lost) => Err(Refusal::new(
            format!("the content would take its name from section `{}`", lost.id),
            "give its headings other titles, and close the code blocks that it opens",
        )),
    }
}

fn trimmed(text: &str, within: Span) -> Span {
    let begins_line = within.start == 0 || text[..within.start].ends_with('\n');
    let found = sections::trim_blank_lines(within.of(text), begins_line);
    Span::new(within.start + found.start, within.start + found.end)
}

/// Returns whether the last lines of `text` are `content`.
fn ends_with(text: &str, content: &str) -> bool {
    let before = text.trim_ascii_end().strip_suffix(content);
    before.is_some_and(|before| before.is_empty() || before.ends_with('\n'))
}

fn last_line(text: &str) -> &str {
    text.lines().next_back().unwrap_or_default()
}

/// Returns the line ends that are missing between the end of `text` and what follows:
/// a blank line, but none within a list.
fn gap(last: &str, content: &str, text: &str, newline: &str) -> String {
    let n_there = text[text.trim_ascii_end().len()..].matches('\n').count();
    let is_list = is_item(last) && is_item(content);
    let n_wanted = if is_list { 1 } else { 2_usize };
    let n_least = usize::from(!text.ends_with('\n'));
    newline.repeat(n_wanted.saturating_sub(n_there).max(n_least))
}

/// Returns whether a line is an item of a list, quoted or not.
fn is_item(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ', '\t']);
    let rest = match line.strip_prefix(['-', '*', '+']) {
        Some(rest) => rest,
        None => match line.trim_start_matches(|c: char| c.is_ascii_digit()) {
            rest if rest.len() == line.len() => return false,
            rest => rest.strip_prefix(['.', ')']).unwrap_or("x"),
        },
    };
    rest.starts_with([' ', '\t'])
}

/// Returns `content` with `prefix` before each line, unless every line has it.
fn with_prefix(content: &str, prefix: &str) -> String {
    let mark = prefix.trim_end();
    let has_it = |line: &str| line.starts_with(prefix) || line.trim_end() == mark;
    if prefix.is_empty() || content.lines().all(has_it) {
        return content.to_owned();
    }
    let lines = content.split_inclusive('\n').map(|line| match line.trim_ascii_end() {
        "" => format!("{mark}{line}"),
        _ => format!("{prefix}{line}"),
    });
    lines.collect()
}
