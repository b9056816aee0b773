//! Editing the body of a memory or one of its sections without changing any other byte.
//!
//! Inserted content gets the line endings of the text around it and loses the blank lines at
//! its own ends; byte-order mark, frontmatter and final newline stay. The edited text is parsed
//! again: an edit that would change another section, or end the block that contains it, is
//! refused. Repeating an edit has no further effect.

#[cfg(test)]
mod tests;

use cerberus_model::text::{LineIndex, Span};

use super::sections::{self, Origin, Section, Sections, trimmed};
use super::structure::{self, Heading};
use super::{EditError, frontmatter};

/// How an edit combines its content with the existing text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditMode {
    Append,
    Replace,
}

/// Edits the body of a complete file.
pub fn body(text: &str, content: &str, mode: EditMode) -> Result<String, EditError> {
    let newline = newline_of(text);
    let content = normalize(content, newline);
    let start = frontmatter::body_start(text);
    let old = sections::trim_blank_lines(&text[start..], true).shifted(start);
    let edited = if old.is_empty() {
        let is_empty_file = text.trim_start_matches('\u{FEFF}').is_empty();
        let gap = match is_empty_file {
            // On the first line `---` would open frontmatter.
            true if content.starts_with("---") => newline.to_owned(),
            true => String::new(),
            false => gap("", &content, text, newline),
        };
        format!("{text}{gap}{content}{newline}")
    } else if mode == EditMode::Replace {
        format!("{}{content}{}", &text[..old.start], &text[old.end..])
    } else if ends_with(old.slice(text), &content) {
        text.to_owned()
    } else {
        let gap = gap(last_line(old.slice(text)), &content, text, newline);
        let end = if text.ends_with('\n') { newline } else { "" };
        format!("{text}{gap}{content}{end}")
    };
    let block = |text: &str| frontmatter::span(text).map(|(block, _)| block);
    if block(text) != block(&edited) {
        return Err(EditError::new(
            "the edit would change the frontmatter",
            "close the block on line 1 with a line `---`, or start the text with other characters",
        ));
    }
    Ok(edited)
}

/// Edits the section that `wanted` names; returns its id and the complete text.
pub fn section(
    text: &str,
    wanted: &str,
    content: &str,
    mode: EditMode,
) -> Result<(String, String), EditError> {
    check_conflict(text)?;
    let sections = sections::parse(text);
    let section = find(text, &sections, wanted)?;
    let newline = newline_of(text);
    let mut content = normalize(content, newline);
    // Below the first line `---` does not open frontmatter.
    let read = sections::parse(&format!("\n{content}"));
    if !read.tags.is_empty() || !read.diagnostics.is_empty() {
        return Err(EditError::new(
            "the content contains section tags",
            "omit them: the tags of the section stay in place",
        ));
    }
    let place = Surroundings::new(text, section, &sections);
    if (section.origin, mode) == (Origin::Heading, EditMode::Replace) {
        content = without_heading(text, section, &content);
    }
    if content.is_empty() {
        return Err(EditError::new(
            format!("section `{}` would be empty", section.id),
            "add text below its heading",
        ));
    }
    let old = trimmed(text, place.inner);
    if mode == EditMode::Replace {
        check_nested(text, old, section, &sections)?;
    }
    let content = with_prefix(&content, place.prefix);
    let (replaced, new) = if old.is_empty() {
        (place.inner, place.pad(text, &content, newline))
    } else if mode == EditMode::Replace {
        place.fit(text, old, &content, newline)
    } else if ends_with(old.slice(text), &content) {
        return Ok((section.id.clone(), text.to_owned()));
    } else {
        let mut gap = gap(
            last_line(old.slice(text)),
            &content,
            old.slice(text),
            newline,
        );
        if gap.len() > newline.len() {
            gap = format!("{newline}{}{newline}", place.prefix.trim_end());
        }
        let (end, new) = place.fit(text, Span::new(old.end, old.end), &content, newline);
        (end, gap + &new)
    };
    let edited = format!("{}{new}{}", &text[..replaced.start], &text[replaced.end..]);
    let change = Change {
        section,
        replaced,
        n_inserted: new.len(),
        content: &content,
    };
    check_sections(&change, &sections, &edited)?;
    Ok((section.id.clone(), edited))
}

/// Returns `content` with the line ending `newline` and without blank lines at both ends.
pub fn normalize(content: &str, newline: &str) -> String {
    let content = content
        .strip_prefix('\u{FEFF}')
        .unwrap_or(content)
        .replace("\r\n", "\n");
    let content = sections::trim_blank_lines(&content, true)
        .slice(&content)
        .trim_ascii_end();
    if newline == "\n" {
        content.to_owned()
    } else {
        content.replace('\n', newline)
    }
}

/// Returns the line ending of a text's first line.
pub fn newline_of(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((first, _)) if first.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns the section to edit, or an error that explains why it cannot be edited.
fn find<'a>(text: &str, sections: &'a Sections, wanted: &str) -> Result<&'a Section, EditError> {
    let is_wanted = |section: &&Section| section.id.eq_ignore_ascii_case(wanted);
    if let Some(section) = sections.list.iter().find(is_wanted) {
        return Ok(section);
    }
    if let Some(tag) = sections::find_tag(text, sections, wanted) {
        let line = LineIndex::new(text).line(tag.start);
        let reason = sections
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic.line == line);
        let message = format!("the tags of section `{wanted}` are unbalanced");
        let error = reason.map_or_else(|| EditError::new(message, ""), EditError::from);
        return Err(error.on_line(line));
    }
    let requested = [wanted.to_owned()];
    let mut selection = sections::select(sections, &requested);
    if let Some(section) = selection.found.pop() {
        return Ok(section);
    }
    let known: Vec<&str> = sections
        .list
        .iter()
        .map(|section| section.id.as_str())
        .collect();
    let hint = match selection.missing.pop().and_then(|missing| missing.nearest) {
        Some(suggestion) => format!("did you mean `{suggestion}`?"),
        None if known.is_empty() => "it has no sections; add a heading to start one".to_owned(),
        None => format!("its sections are {}", known.join(", ")),
    };
    Err(EditError::new(
        format!("section `{wanted}` not found"),
        hint,
    ))
}

/// The text around the content of a section, which inserted content has to fit into.
struct Surroundings<'a> {
    inner: Span,
    /// The start of each line: the markers of a quote or the indent of a list item.
    prefix: &'a str,
    /// Whether a blank line separates the content from the heading above and the text below.
    is_below_heading: bool,
}

impl<'a> Surroundings<'a> {
    fn new(text: &'a str, section: &Section, sections: &Sections) -> Self {
        match section.origin {
            Origin::Tag => Self::between_tags(text, section),
            Origin::Heading => Self::below_heading(text, section, sections),
        }
    }

    fn between_tags(text: &'a str, section: &Section) -> Self {
        let inner = section.inner.slice(text);
        let last_line = inner
            .rfind('\n')
            .map_or("", |newline| &inner[newline + 1..]);
        let is_prefix = last_line.trim_matches(['>', ' ', '\t']).is_empty();
        let prefix = if is_prefix { last_line } else { "" };
        let end = section.inner.end - prefix.len();
        Self {
            inner: Span::new(section.inner.start, end),
            prefix,
            is_below_heading: false,
        }
    }

    /// Excludes tags at the end that belong to the next section or to an enclosing one.
    fn below_heading(text: &'a str, section: &Section, sections: &Sections) -> Self {
        let start = heading_of(text, section).map_or(section.outer.end, |heading| heading.end);
        let mut end = section.outer.end;
        for tag in sections
            .tags
            .iter()
            .rev()
            .skip_while(|tag| tag.start >= section.outer.end)
        {
            let is_own = |outer: Span| outer.end == tag.end && outer.start >= start;
            let closes_own = sections.tagged().any(|section| is_own(section.outer));
            let is_last = tag.end <= end && text[tag.end..end].trim_ascii().is_empty();
            if closes_own || !is_last || tag.start < start {
                break;
            }
            let line = text[..tag.start]
                .rfind('\n')
                .map_or(0, |newline| newline + 1)
                .max(start);
            let starts_line = text[line..tag.start]
                .trim_matches([' ', '\t', '>'])
                .is_empty();
            end = if starts_line { line } else { tag.start };
        }
        Self {
            inner: Span::new(start, end),
            prefix: "",
            is_below_heading: true,
        }
    }

    /// Returns the new text of an empty section.
    fn pad(&self, text: &str, content: &str, newline: &str) -> String {
        if self.is_below_heading {
            let starts_line = text[..self.inner.start].ends_with('\n');
            let n_after = match self.inner.end == text.len() {
                true => usize::from(text.ends_with('\n')),
                false => 2,
            };
            let before = newline.repeat(if starts_line { 1 } else { 2 });
            return format!("{before}{content}{}", newline.repeat(n_after));
        }
        let is_inline = !self.inner.slice(text).contains('\n') && !needs_own_lines(content);
        if is_inline {
            content.to_owned()
        } else {
            format!("{newline}{content}{newline}")
        }
    }

    /// Returns `content` with the newlines that it needs in place of `old`, and the span that
    /// it replaces.
    fn fit(&self, text: &str, old: Span, content: &str, newline: &str) -> (Span, String) {
        let rest = &text[old.end..self.inner.end];
        let ends_line = rest.contains('\n') || self.inner.end == text.len();
        let is_inline = !needs_own_lines(content) && (ends_line || !self.is_below_heading);
        if !old.is_empty() && is_inline {
            return (old, content.to_owned());
        }
        let starts_line = old.is_empty() || text[..old.start].ends_with('\n');
        let before = if starts_line { "" } else { newline };
        let (end, after) = if ends_line {
            (old.end, "")
        } else {
            (self.inner.end, newline)
        };
        (
            Span::new(old.start, end),
            format!("{before}{content}{after}"),
        )
    }
}

/// Returns whether a content would change its meaning within a line of other text.
fn needs_own_lines(content: &str) -> bool {
    content.contains('\n') || content.starts_with([' ', '\t'])
}

fn heading_of(text: &str, section: &Section) -> Option<Heading> {
    let headings = structure::parse_body(text).headings;
    headings
        .into_iter()
        .find(|heading| heading.start == section.outer.start)
}

/// Returns `content` without its first line if that repeats the heading of the section.
fn without_heading(text: &str, section: &Section, content: &str) -> String {
    let own = heading_of(text, section);
    let whole = Span::new(0, content.len());
    let first = structure::parse(content, whole).headings.into_iter().next();
    match (own, first) {
        (Some(own), Some(first))
            if first.start == 0 && (first.level, &first.title) == (own.level, &own.title) =>
        {
            normalize(&content[first.end..], newline_of(content))
        }
        _ => content.to_owned(),
    }
}

/// Refuses a text with a merge conflict: the line between the two sides underlines a heading,
/// so neither headings nor tags are reliable.
fn check_conflict(text: &str) -> Result<(), EditError> {
    let find = |marker: &str| text.lines().position(|line| line.starts_with(marker));
    match (find("<<<<<<< "), find(">>>>>>> ")) {
        (Some(line), Some(_)) => {
            let message = "the memory contains a merge conflict";
            Err(EditError::new(message, "resolve it in an editor first").on_line(line))
        }
        _ => Ok(()),
    }
}

/// Refuses to replace tags: the displayed text of a section has none, so writing it back
/// would delete them.
fn check_nested(
    text: &str,
    within: Span,
    section: &Section,
    sections: &Sections,
) -> Result<(), EditError> {
    let is_inside = |span: &Span| within.start <= span.start && span.end <= within.end;
    let Some(tag) = sections.tags.iter().find(|tag| is_inside(tag)) else {
        return Ok(());
    };
    let inside = sections
        .tagged()
        .filter(|section| is_inside(&section.outer));
    let inside: Vec<&str> = inside.map(|section| section.id.as_str()).collect();
    let message = format!("section `{}` contains tags of other sections", section.id);
    let hint = match inside[..] {
        [] => "replace the whole memory, or edit its file".to_owned(),
        _ => format!(
            "replace the sections inside it instead: {}",
            inside.join(", ")
        ),
    };
    Err(EditError::new(message, hint).on_line(LineIndex::new(text).line(tag.start)))
}

/// A change of one section.
struct Change<'a> {
    section: &'a Section,
    replaced: Span,
    n_inserted: usize,
    /// What the section ends with, or consists of.
    content: &'a str,
}

/// Checks that all sections outside the replaced span are unchanged.
fn check_sections(change: &Change, old: &Sections, edited: &str) -> Result<(), EditError> {
    let &Change {
        section: edited_section,
        replaced,
        n_inserted,
        content,
    } = change;
    let new = sections::parse(edited);
    if new.tags.len() != old.tags.len() {
        return Err(EditError::new(
            format!(
                "the content would hide the end of section `{}`",
                edited_section.id
            ),
            "close the code blocks and comments that it opens",
        ));
    }
    let has_content = new
        .list
        .iter()
        .find(|it| it.id == edited_section.id)
        .is_some_and(|now| {
            let inner = Surroundings::new(edited, now, &new).inner;
            ends_with(trimmed(edited, inner).slice(edited), content)
        });
    let moved = |at: usize| (at + n_inserted).saturating_sub(replaced.end - replaced.start);
    let is_unchanged = |section: &Section| {
        let Span { start, end } = section.outer;
        let start = if start < replaced.start {
            start
        } else {
            moved(start)
        };
        let may_end_anywhere = section.origin == Origin::Heading;
        let is_edited = section.id == edited_section.id;
        new.list.iter().any(|now| {
            (&now.id, now.origin, now.outer.start) == (&section.id, section.origin, start)
                && (now.outer.end == moved(end)
                    || (!is_edited && (may_end_anywhere || now.outer.end == end)))
        })
    };
    let is_outside =
        |it: &&Section| it.outer.start < replaced.start || it.outer.start >= replaced.end;
    let changed = old
        .list
        .iter()
        .filter(is_outside)
        .find(|it| !is_unchanged(it));
    match changed.or((!has_content).then_some(edited_section)) {
        None => Ok(()),
        Some(changed) if changed.id == edited_section.id => Err(EditError::new(
            format!(
                "the content would end section `{}`, or start another",
                changed.id
            ),
            "use headings below the section's own, and close the code blocks that it opens",
        )),
        Some(changed) => Err(EditError::new(
            format!(
                "the content would change the id of section `{}`",
                changed.id
            ),
            "give its headings other titles, and close the code blocks that it opens",
        )),
    }
}

/// Returns whether the last lines of `text` are `content`.
fn ends_with(text: &str, content: &str) -> bool {
    let before = text.trim_ascii_end().strip_suffix(content);
    before.is_some_and(|before| before.is_empty() || before.ends_with('\n'))
}

fn last_line(text: &str) -> &str {
    text.lines().next_back().unwrap_or_default()
}

/// Returns the newlines to insert between the end of `text` and appended content: a blank
/// line, except between list items.
fn gap(last: &str, content: &str, text: &str, newline: &str) -> String {
    let n_present = text[text.trim_ascii_end().len()..].matches('\n').count();
    let n_wanted = if is_item(last) && is_item(content) {
        1
    } else {
        2_usize
    };
    let n_min = usize::from(!text.ends_with('\n'));
    newline.repeat(n_wanted.saturating_sub(n_present).max(n_min))
}

/// Returns whether a line is a list item, quoted or not.
fn is_item(line: &str) -> bool {
    let line = line.trim_start_matches(['>', ' ', '\t']);
    let after_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match after_digits.len() < line.len() {
        true => after_digits.strip_prefix(['.', ')']),
        false => line.strip_prefix(['-', '*', '+']),
    };
    rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// Returns `content` with `prefix` before each line, unless every line has it.
fn with_prefix(content: &str, prefix: &str) -> String {
    let marker = prefix.trim_end();
    let has_prefix = |line: &str| line.starts_with(prefix) || line.trim_end() == marker;
    if prefix.is_empty() || content.lines().all(has_prefix) {
        return content.to_owned();
    }
    let lines = content
        .split_inclusive('\n')
        .map(|line| match line.trim_ascii_end() {
            "" => format!("{marker}{line}"),
            _ => format!("{prefix}{line}"),
        });
    lines.collect()
}
