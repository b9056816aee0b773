//! Tags around parts of a document: `<important if="you write tests">`, `<rules>`, `:::warning`,
//! `!!! warning`.
//!
//! CommonMark reads the text between such tags as HTML. Lines that consist of a tag are replaced
//! by spaces, so that the text is read, and the tags become headings.

/// Names of HTML elements, which are left to the library.
const HTML: [&str; 20] = [
    "a", "br", "details", "div", "em", "h1", "h2", "h3", "hr", "img", "li", "ol", "p", "picture",
    "pre", "source", "span", "summary", "table", "ul",
];

/// Attributes that only concern the layout and the address of an element.
const LAYOUT: [&str; 7] = ["class", "className", "href", "icon", "id", "src", "style"];

/// The indent of the text of an admonition, which CommonMark reads as code. As a quotation of the
/// same length it is text.
const ADMONITION_INDENT: &str = "    ";
const QUOTED_INDENT: &str = ">   ";

/// The beginning or the end of an element or a quotation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// With its title: its condition, otherwise its name and the values of its attributes.
    Open(String),
    Close,
    OpenQuote,
    CloseQuote,
}

/// Returns the text with blank lines for the tags, and the tags with their positions. The
/// positions are those of the text without the changes.
pub(super) fn blank(text: &str) -> (String, Vec<(usize, Mark)>) {
    let mut blanked = String::with_capacity(text.len());
    let mut marks = Vec::new();
    let mut fence: Option<&str> = None;
    let mut in_admonition = false;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (line_idx, line) in lines.iter().enumerate() {
        let bare = line.trim();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| bare.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            _ => {}
        }
        if in_admonition && !bare.is_empty() {
            if let Some(rest) = line.strip_prefix(ADMONITION_INDENT) {
                blanked.push_str(QUOTED_INDENT);
                blanked.push_str(rest);
                continue;
            }
            marks.push((blanked.len(), Mark::Close));
            in_admonition = false;
        }
        let mut found = mark(bare).or_else(|| container(bare));
        if let Some(title) = admonition(bare)
            && is_indented(&lines[line_idx + 1..])
        {
            in_admonition = fence.is_none();
            found = Some(Mark::Open(title));
        }
        match found.filter(|_| fence.is_none()) {
            Some(mark) => {
                marks.push((blanked.len(), mark));
                blanked.extend(line.chars().flat_map(|c| {
                    let blank = if matches!(c, '\n' | '\r') { c } else { ' ' };
                    std::iter::repeat_n(blank, c.len_utf8())
                }));
            }
            None => blanked.push_str(line),
        }
    }
    (blanked, marks)
}

/// Returns the beginning or the end of a container: `:::warning`, `:::`.
fn container(line: &str) -> Option<Mark> {
    let name = line.strip_prefix(":::")?.trim_start_matches(':');
    let title = name_of(name);
    if title.is_empty() {
        return Some(Mark::Close);
    }
    Some(Mark::Open(title))
}

/// Returns the title of an admonition whose text is indented below it: `!!! warning "Keys"`.
fn admonition(line: &str) -> Option<String> {
    let name = line.strip_prefix("!!! ").or_else(|| {
        let rest = line.strip_prefix("???")?;
        rest.trim_start_matches('+').strip_prefix(' ')
    })?;
    Some(name_of(name))
}

/// Returns whether the first line with a text is indented as that of an admonition.
fn is_indented(lines: &[&str]) -> bool {
    let first = lines.iter().find(|line| !line.trim().is_empty());
    first.is_some_and(|line| line.starts_with(ADMONITION_INDENT))
}

/// Returns a name with its title, without the marks around it.
fn name_of(text: &str) -> String {
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    words.join(" ")
}

/// Returns the tag that a line consists of.
fn mark(line: &str) -> Option<Mark> {
    let tag = line.strip_prefix('<')?.strip_suffix('>')?;
    let (is_end, tag) = tag
        .strip_prefix('/')
        .map_or((false, tag), |tag| (true, tag));
    let end = tag.find(|c: char| c.is_whitespace()).unwrap_or(tag.len());
    let (name, attributes) = tag.split_at(end);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !is_name || HTML.contains(&name.to_ascii_lowercase().as_str()) || tag.contains(['<', '>']) {
        return None;
    }
    if is_end {
        return Some(Mark::Close);
    }
    let values = values(attributes);
    let name = name.replace(['-', '_'], " ");
    let title = if attributes.trim_start().starts_with("if=") {
        format!("if {values}")
    } else {
        format!("{name} {values}")
    };
    (!tag.ends_with('/')).then(|| Mark::Open(title.trim().to_owned()))
}

/// Returns the values of the attributes that may say something about the text of an element.
fn values(attributes: &str) -> String {
    let mut values = Vec::new();
    let mut rest = attributes;
    while let Some(start) = rest.find(['"', '\'']) {
        let (name, quoted) = rest.split_at(start);
        let quote = &quoted[..1];
        let Some((value, after)) = quoted[1..].split_once(quote) else {
            break;
        };
        let name = name.trim().trim_end_matches(['=', '{', ' ']);
        if !LAYOUT.contains(&name) {
            values.push(value);
        }
        rest = after;
    }
    values.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_blank_lines() {
        let text = "<important if=\"you write tests\">\r\n- Use tea\n</important>\n```\n<x>\n```\n<div>\né\n";
        let (blanked, marks) = blank(text);
        assert_eq!(blanked.len(), text.len());
        assert_eq!(
            blanked.trim_start(),
            "- Use tea\n            \n```\n<x>\n```\n<div>\né\n"
        );
        assert_eq!(marks.len(), 2);
        assert_eq!(marks[0].1, Mark::Open("if you write tests".to_owned()));
        assert_eq!(
            mark("<coding_rules>"),
            Some(Mark::Open("coding rules".to_owned()))
        );
        assert_eq!(
            mark("<rule name='x'>"),
            Some(Mark::Open("rule x".to_owned()))
        );
        for other in [
            "<br/>",
            "<x/>",
            "a <b>",
            "<a><b>",
            "<https://example.org>",
            "<>",
        ] {
            assert_eq!(mark(other), None, "{other}");
        }
    }
}
