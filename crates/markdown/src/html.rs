//! A memory's text as safe HTML.
//!
//! CommonMark with tables, written by pulldown-cmark. HTML in the text is escaped, images are
//! replaced by their descriptions, links point only to the web, and no element has a style.

use cerberus_model::text::Span;
use pulldown_cmark::{
    Alignment, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html,
};

use super::links::{self, Link, Target};
use super::structure::normalize;

/// The schemes that a link may have.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// Returns `text` as HTML with consecutive heading levels that start at `level`. `href` returns
/// the URL fragment of a `[[link]]` target on the page.
pub fn html(text: &str, level: usize, href: &dyn Fn(&Target) -> Option<String>) -> String {
    let text = normalize(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer {
        level,
        href,
        headings: Vec::new(),
        open_links: Vec::new(),
        events: Vec::new(),
    };
    let mut links = links::parse(&text).into_iter().peekable();
    let mut inside = Span::default();
    let mut cell_end = text.len();
    let mut found = Parser::new_ext(&text, options)
        .into_offset_iter()
        .peekable();
    while let Some((event, range)) = found.next() {
        // Screen readers would announce an empty heading.
        if matches!(event, Event::Start(Tag::Heading { .. }))
            && found
                .next_if(|(next, _)| matches!(next, Event::End(_)))
                .is_some()
        {
            continue;
        }
        let span = Span::new(range.start, range.end);
        if matches!(event, Event::Start(Tag::TableCell)) {
            cell_end = span.end;
        } else if matches!(event, Event::End(TagEnd::Table)) {
            cell_end = text.len();
        }
        while links.next_if(|link| link.span.start < span.start).is_some() {}
        // The parser reads a `[[link]]` as several texts; it is written at the first one.
        // The bar of a `[[a|b]]` in a table separates two cells; such a link stays text.
        let starts = |link: &Link| {
            link.span.start == span.start && (span.end + 1..=cell_end).contains(&link.span.end)
        };
        if matches!(event, Event::Text(_))
            && let Some(link) = links.next_if(starts)
        {
            inside = link.span;
            writer.link(link);
            continue;
        }
        if span != inside && inside.start <= span.start && span.end <= inside.end {
            continue;
        }
        writer.event(event);
    }
    let mut page = String::new();
    html::push_html(&mut page, writer.events.into_iter());
    page
}

struct Writer<'a> {
    level: usize,
    href: &'a dyn Fn(&Target) -> Option<String>,
    /// The source levels of the enclosing headings.
    headings: Vec<HeadingLevel>,
    /// For each open link, its address if it is written as text.
    open_links: Vec<Option<String>>,
    events: Vec<Event<'a>>,
}

impl<'a> Writer<'a> {
    fn event(&mut self, event: Event<'a>) {
        self.events.push(match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::TaskListMarker(done) => Event::Text(if done { "☑ " } else { "☐ " }.into()),
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            Event::Start(Tag::Heading { level, .. }) => {
                while self.headings.pop_if(|outer| *outer >= level).is_some() {}
                self.headings.push(level);
                let level = self.shown_level();
                Event::Start(Tag::Heading {
                    level,
                    id: None,
                    classes: vec![],
                    attrs: vec![],
                })
            }
            Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(self.shown_level())),
            // Alignment would be written as a style.
            Event::Start(Tag::Table(columns)) => {
                Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
            }
            Event::Start(Tag::Image { .. }) => Event::Text("[image: ".into()),
            Event::End(TagEnd::Image) => Event::Text("]".into()),
            Event::Start(Tag::Link {
                link_type,
                dest_url,
                ..
            }) => {
                let has_scheme = |scheme: &&str| {
                    dest_url
                        .get(..scheme.len())
                        .is_some_and(|it| it.eq_ignore_ascii_case(scheme))
                };
                let is_safe = link_type == LinkType::Email || SCHEMES.iter().any(has_scheme);
                if !is_safe || self.is_in_link() {
                    self.open_links.push(Some(dest_url.into_string()));
                    return;
                }
                self.open_links.push(None);
                link_start(link_type, dest_url)
            }
            Event::End(TagEnd::Link) => match self.open_links.pop().flatten() {
                Some(url) => Event::Text(format!(" ({url})").into()),
                None => Event::End(TagEnd::Link),
            },
            other => other,
        });
    }

    /// Returns whether a link is open; links cannot be nested.
    fn is_in_link(&self) -> bool {
        self.open_links.iter().any(Option::is_none)
    }

    fn shown_level(&self) -> HeadingLevel {
        let level = (self.level + self.headings.len()).saturating_sub(1);
        HeadingLevel::try_from(level.clamp(1, 6)).unwrap_or(HeadingLevel::H6)
    }

    fn link(&mut self, link: Link) {
        let href = (self.href)(&link.target).filter(|_| !self.is_in_link());
        match (href, link.label) {
            (Some(href), label) => {
                let name = || Event::Code(link.target.name.into());
                self.events.extend([
                    link_start(LinkType::Inline, format!("#{href}").into()),
                    label.map_or_else(name, |label| Event::Text(label.into())),
                    Event::End(TagEnd::Link),
                ]);
            }
            (None, Some(label)) => self.events.extend([
                Event::Text(format!("{label} (").into()),
                Event::Code(link.target.to_string().into()),
                Event::Text(")".into()),
            ]),
            (None, None) => self
                .events
                .push(Event::Code(link.target.to_string().into())),
        }
    }
}

fn link_start<'a>(link_type: LinkType, dest_url: CowStr<'a>) -> Event<'a> {
    Event::Start(Tag::Link {
        link_type,
        dest_url,
        title: "".into(),
        id: "".into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::Kind;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let href = |target: &Target| {
            (target.kind == Kind::Memory && target.name == "a").then(|| "m-a".to_owned())
        };
        assert_eq!(html(text, 4, &href), expected);
    }

    #[test]
    fn html_is_escaped() {
        check(
            "a <b onclick=x>b</b>\n",
            "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n",
        );
        check(
            "<script>alert(1)</script>\n",
            "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n",
        );
        check(
            "```\n</code></pre><script>\n```\n",
            "<pre><code>&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;\n</code></pre>\n",
        );
        check(
            "```\"><script>\nx\n```\n",
            "<pre><code class=\"language-&quot;&gt;&lt;script&gt;\">x\n</code></pre>\n",
        );
        check("&lt;i&gt; &#x3c;\n", "<p>&lt;i&gt; &lt;</p>\n");
    }

    #[test]
    fn only_links_to_the_web_are_written_as_links() {
        check(
            "[a](https://x.y/?a&b)\n",
            "<p><a href=\"https://x.y/?a&amp;b\">a</a></p>\n",
        );
        check("[a](javascript:alert)\n", "<p>a (javascript:alert)</p>\n");
        check(
            "[a](java&#x73;cript:alert)\n",
            "<p>a (javascript:alert)</p>\n",
        );
        check(
            "<javascript:alert> <me@x.y>\n",
            "<p>javascript:alert (javascript:alert) <a href=\"mailto:me@x.y\">me@x.y</a></p>\n",
        );
        check(
            "[a](../b.md) ![c](http://x.y/z)\n",
            "<p>a (../b.md) [image: c]</p>\n",
        );
    }

    #[test]
    fn links_between_memories_point_to_a_fragment() {
        check(
            "See [[memory:a]].\n",
            "<p>See <a href=\"#m-a\"><code>a</code></a>.</p>\n",
        );
        check(
            "See [[memory:a|b]] and c.\n",
            "<p>See <a href=\"#m-a\">b</a> and c.</p>\n",
        );
        check(
            "[[src/a_b_c.py::F|x]] d\n",
            "<p>x (<code>src/a_b_c.py::F</code>) d</p>\n",
        );
        check(
            "**[[x.py]]** `[[y]]`\n",
            "<p><strong><code>x.py</code></strong> <code>[[y]]</code></p>\n",
        );
        check("[[x]] y\n\n[x]: http://z\n", "<p><code>x</code> y</p>\n");
        check("[[x]]", "<p><code>x</code></p>\n");
        check(
            "- a [[x]]\n- [[y]]",
            "<ul>\n<li>a <code>x</code></li>\n<li><code>y</code></li>\n</ul>\n",
        );
    }

    #[test]
    fn links_are_not_nested() {
        check(
            "[a [[memory:a|b]] <http://c>](http://d)\n",
            "<p><a href=\"http://d\">a b (<code>memory:a</code>) http://c (http://c)</a></p>\n",
        );
        check(
            "[a [[memory:a]]](b.md)\n",
            "<p>a <a href=\"#m-a\"><code>a</code></a> (b.md)</p>\n",
        );
    }

    #[test]
    fn a_link_across_table_cells_is_text() {
        check(
            "| a | b |\n|---|---|\n|[[a|b]]|\n| [[a | b]] |\n| [[a\\|b]] | [[a]] |\n\n[[memory:a|b]]\n",
            "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\n\
             <tr><td>[[a</td><td>b]]</td></tr>\n\
             <tr><td>[[a</td><td>b]]</td></tr>\n\
             <tr><td>b (<code>a</code>)</td><td><code>a</code></td></tr>\n\
             </tbody></table>\n<p><a href=\"#m-a\">b</a></p>\n",
        );
    }

    #[test]
    fn heading_levels_are_consecutive() {
        check(
            "## A\n#### B\n#\n# C\n",
            "<h4>A</h4>\n<h5>B</h5>\n<h4>C</h4>\n",
        );
        check("#\n## A\n", "<h4>A</h4>\n");
    }

    #[test]
    fn elements_have_no_style_and_no_controls() {
        check(
            "| a |\n|--:|\n| b |\n\n- [x] c\n",
            "<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>b</td></tr>\n</tbody></table>\n<ul>\n<li>☑ c</li>\n</ul>\n",
        );
    }
}
