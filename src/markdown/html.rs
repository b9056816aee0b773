//! A memory's text as HTML that can do no harm.
//!
//! CommonMark with tables, written by pulldown-cmark. HTML in the text is text, images
//! are their descriptions, links lead to the web or nowhere, and nothing has a style.

use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, LinkType, Options, Parser};
use pulldown_cmark::{Tag, TagEnd, html};

use super::links::{self, Link, Target};
use super::structure::shallow;
use crate::text::Span;

/// What a link may lead to.
const SCHEMES: &[&str] = &["http://", "https://", "mailto:"];

/// Returns `text` as HTML whose headings go on from `level` without a gap. `href` says
/// where on the page the target of a `[[link]]` is.
pub(crate) fn html(text: &str, level: usize, href: &dyn Fn(&Target) -> Option<String>) -> String {
    let text = shallow(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer { level, href, headings: Vec::new(), left_out: Vec::new() };
    let mut links = links::parse(&text).into_iter().peekable();
    let mut inside = Span::default();
    let mut events = Vec::new();
    let mut found = Parser::new_ext(&text, options).into_offset_iter().peekable();
    while let Some((event, range)) = found.next() {
        // A heading without words names nothing, and is a stumble for who listens to the page.
        if matches!(event, Event::Start(Tag::Heading { .. }))
            && found.next_if(|(next, _)| matches!(next, Event::End(_))).is_some()
        {
            continue;
        }
        let span = Span::new(range.start, range.end);
        while links.next_if(|link| link.span.start < span.start).is_some() {}
        // A link is read as brackets and words; it is written at the first of them.
        let begins = |link: &Link| link.span.start == span.start && span.end < link.span.end;
        if matches!(event, Event::Text(_))
            && let Some(link) = links.next_if(begins)
        {
            inside = link.span;
            writer.link(&link, &mut events);
            continue;
        }
        if span != inside && inside.start <= span.start && span.end <= inside.end {
            continue;
        }
        writer.event(event, &mut events);
    }
    let mut page = String::new();
    html::push_html(&mut page, events.into_iter());
    page
}

struct Writer<'a> {
    level: usize,
    href: &'a dyn Fn(&Target) -> Option<String>,
    /// The levels of the headings that the text is below, as they are written.
    headings: Vec<HeadingLevel>,
    /// For each link that is open, where it leads if it is not to lead there.
    left_out: Vec<Option<String>>,
}

impl Writer<'_> {
    fn event<'t>(&mut self, event: Event<'t>, events: &mut Vec<Event<'t>>) {
        events.push(match event {
            Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
            Event::TaskListMarker(done) => Event::Text(if done { "☑ " } else { "☐ " }.into()),
            Event::Start(Tag::HtmlBlock) => Event::Start(Tag::Paragraph),
            Event::End(TagEnd::HtmlBlock) => Event::End(TagEnd::Paragraph),
            Event::Start(Tag::Heading { level, .. }) => {
                while self.headings.pop_if(|above| *above >= level).is_some() {}
                self.headings.push(level);
                let level = self.shown_level();
                Event::Start(Tag::Heading { level, id: None, classes: vec![], attrs: vec![] })
            }
            Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(self.shown_level())),
            // Where a column is aligned it would be by a style.
            Event::Start(Tag::Table(columns)) => {
                Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
            }
            Event::Start(Tag::Image { .. }) => Event::Text("[image: ".into()),
            Event::End(TagEnd::Image) => Event::Text("]".into()),
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                let url: &str = &dest_url;
                let is_safe = SCHEMES.iter().any(|scheme| {
                    url.get(..scheme.len()).is_some_and(|it| it.eq_ignore_ascii_case(scheme))
                });
                let is_safe = is_safe || matches!(link_type, LinkType::Email);
                let is_written = is_safe && !self.is_in_link();
                self.left_out.push((!is_written).then(|| url.to_owned()));
                if !is_written {
                    return;
                }
                Event::Start(Tag::Link { link_type, dest_url, title: "".into(), id: "".into() })
            }
            Event::End(TagEnd::Link) => match self.left_out.pop().flatten() {
                Some(url) => Event::Text(format!(" ({url})").into()),
                None => Event::End(TagEnd::Link),
            },
            other => other,
        });
    }

    /// Returns whether a link is open: within it there is no other.
    fn is_in_link(&self) -> bool {
        self.left_out.iter().any(Option::is_none)
    }

    fn shown_level(&self) -> HeadingLevel {
        let level = (self.level + self.headings.len()).saturating_sub(1);
        HeadingLevel::try_from(level.clamp(1, 6)).unwrap_or(HeadingLevel::H6)
    }

    fn link(&self, link: &Link, events: &mut Vec<Event<'_>>) {
        let href = (self.href)(&link.target).filter(|_| !self.is_in_link());
        let target = match href {
            Some(_) => link.target.name.clone(),
            None => link.target.to_string(),
        };
        if let Some(href) = &href {
            events.push(Event::Start(Tag::Link {
                link_type: LinkType::Inline,
                dest_url: format!("#{href}").into(),
                title: CowStr::Borrowed(""),
                id: CowStr::Borrowed(""),
            }));
        }
        match &link.label {
            Some(label) if href.is_some() => events.push(Event::Text(label.clone().into())),
            Some(label) => {
                events.push(Event::Text(format!("{label} (").into()));
                events.push(Event::Code(target.into()));
                events.push(Event::Text(")".into()));
            }
            None => events.push(Event::Code(target.into())),
        }
        if href.is_some() {
            events.push(Event::End(TagEnd::Link));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::links::Kind;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let href = |target: &Target| {
            (target.kind == Kind::Memory && target.name == "a").then(|| "m-a".to_owned())
        };
        assert_eq!(html(text, 4, &href), expected);
    }

    #[test]
    fn html_is_text() {
        check("a <b onclick=x>b</b>\n", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>\n");
        check("<script>alert(1)</script>\n", "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>\n");
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
    fn links_lead_to_the_web_or_nowhere() {
        check("[a](https://x.y/?a&b)\n", "<p><a href=\"https://x.y/?a&amp;b\">a</a></p>\n");
        check("[a](javascript:alert)\n", "<p>a (javascript:alert)</p>\n");
        check("[a](java&#x73;cript:alert)\n", "<p>a (javascript:alert)</p>\n");
        check(
            "<javascript:alert> <me@x.y>\n",
            "<p>javascript:alert (javascript:alert) <a href=\"mailto:me@x.y\">me@x.y</a></p>\n",
        );
        check("[a](../b.md) ![c](http://x.y/z)\n", "<p>a (../b.md) [image: c]</p>\n");
    }

    #[test]
    fn links_of_memories_lead_to_them() {
        check("See [[memory:a]].\n", "<p>See <a href=\"#m-a\"><code>a</code></a>.</p>\n");
        check("See [[memory:a|b]] and c.\n", "<p>See <a href=\"#m-a\">b</a> and c.</p>\n");
        check("[[src/a_b_c.py::F|x]] d\n", "<p>x (<code>src/a_b_c.py::F</code>) d</p>\n");
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
    fn no_link_is_in_a_link() {
        check(
            "[a [[memory:a|b]] <http://c>](http://d)\n",
            "<p><a href=\"http://d\">a b (<code>memory:a</code>) http://c (http://c)</a></p>\n",
        );
        check("[a [[memory:a]]](b.md)\n", "<p>a <a href=\"#m-a\"><code>a</code></a> (b.md)</p>\n");
    }

    #[test]
    fn headings_go_on_without_a_gap() {
        check("## A\n#### B\n#\n# C\n", "<h4>A</h4>\n<h5>B</h5>\n<h4>C</h4>\n");
        check("#\n## A\n", "<h4>A</h4>\n");
    }

    #[test]
    fn nothing_has_a_style_or_a_control() {
        check(
            "| a |\n|--:|\n| b |\n\n- [x] c\n",
            "<table><thead><tr><th>a</th></tr></thead><tbody>\n<tr><td>b</td></tr>\n</tbody></table>\n<ul>\n<li>☑ c</li>\n</ul>\n",
        );
    }
}
