//! Code on a terminal: colours by syntax class, marked spans, and lines that fit the width.

use anstyle::{AnsiColor, Style};
use cerberus_engine::syntax::highlight::{HighlightClass, highlight};
use cerberus_model::{Language, Span, SymbolKind};
use console::truncate_str;

use super::{DIM, Printer, WARN};

const STRING: Style = AnsiColor::Green.on_default();
const KEYWORD: Style = AnsiColor::Magenta.on_default();
const NUMBER: Style = AnsiColor::Blue.on_default();

impl Printer {
    /// Returns the lines of a definition with colours. The marked spans are in order and do not
    /// overlap. On a terminal, lines are cut to `max_chars`, with a mark at their end.
    pub(crate) fn code_lines(
        &self,
        (language, kind): (Option<Language>, SymbolKind),
        code: &str,
        marks: &[Span],
        max_chars: usize,
    ) -> Vec<String> {
        let mut text = String::new();
        let mut start = 0;
        for (class, piece) in highlight(language, kind, code) {
            for (part, is_marked) in split_at_marks(Span::new(start, start + piece.len()), marks) {
                let style = style(class, is_marked);
                let lines = part
                    .slice(code)
                    .split('\n')
                    .map(|line| self.code_part(style, line));
                text += &lines.collect::<Vec<_>>().join("\n");
            }
            start += piece.len();
        }
        let width = if self.terminal.out_is_terminal {
            max_chars
        } else {
            usize::MAX
        };
        text.lines()
            .map(|line| truncate_str(line, width, "…").into_owned())
            .collect()
    }

    /// Returns untrusted text without line breaks for stdout.
    fn code_part(&self, style: Option<Style>, text: &str) -> String {
        let text = text.trim_end_matches('\r');
        if !self.terminal.out_is_terminal || text.is_empty() {
            return text.to_owned();
        }
        let safe = self.safe(&text.replace('\t', "    "));
        if let Some(style) = style {
            self.paint(style, &safe)
        } else {
            safe
        }
    }
}

fn style(class: Option<HighlightClass>, is_marked: bool) -> Option<Style> {
    if is_marked {
        return Some(WARN.bold().underline());
    }
    Some(match class? {
        HighlightClass::Comment => DIM,
        HighlightClass::String => STRING,
        HighlightClass::Keyword => KEYWORD,
        HighlightClass::Number => NUMBER,
        HighlightClass::Name => Style::new().bold(),
    })
}

/// Splits a span at the marks. Returns the parts in order, and whether each is marked.
fn split_at_marks(span: Span, marks: &[Span]) -> Vec<(Span, bool)> {
    let mut parts = Vec::new();
    let mut at = span.start;
    for mark in marks {
        let start = mark.start.max(at);
        let end = mark.end.min(span.end);
        if start >= end {
            continue;
        }
        parts.push((Span::new(at, start), false));
        parts.push((Span::new(start, end), true));
        at = end;
    }
    parts.push((Span::new(at, span.end), false));
    parts.retain(|(part, _)| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Terminal;

    fn printer(color: bool, out_is_terminal: bool) -> Printer {
        let terminal = Terminal {
            out_is_terminal,
            err_is_terminal: false,
            color,
            width: 80,
            height: 24,
        };
        Printer::new(terminal, false)
    }

    const CODE: &str = "def f(session):\n    close(session)  # why";

    fn lines(printer: &Printer, max_chars: usize) -> Vec<String> {
        let start = CODE.find("session").expect("it is there");
        let marks = [Span::new(start, start + 7)];
        let of = (Some(Language::Python), SymbolKind::Function);
        printer.code_lines(of, CODE, &marks, max_chars)
    }

    #[test]
    fn without_colours_code_is_only_cut_on_a_terminal() {
        assert_eq!(lines(&printer(false, false), 5).join("\n"), CODE);
        assert_eq!(lines(&printer(false, true), 5), ["def …", "    …"]);
    }

    #[test]
    fn marked_words_stand_out_and_each_line_ends_its_colours() {
        let lines = lines(&printer(true, true), 60);
        let marked = format!("{0}session{0:#}", WARN.bold().underline());
        assert!(lines[0].contains(&marked), "{lines:?}");
        assert!(
            lines[1].ends_with(&format!("{DIM}# why{DIM:#}")),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 2);
        let cut = self::lines(&printer(true, true), 13);
        assert!(cut.iter().all(|line| line.contains('…')), "{cut:?}");
    }
}
