//! Code on a terminal: colours by syntax class, marked spans, and lines that fit the width.

use anstyle::{AnsiColor, Style};

use super::{DIM, Printer, WARN};
use cerberus_engine::syntax::highlight::{HighlightClass, highlight};
use cerberus_model::{Language, Span, SymbolKind};

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
        let is_long = |line: &str| self.cut(line, usize::MAX).1 > max_chars;
        let ends = code.lines().map(|line| {
            if is_long(line) { (max_chars.saturating_sub(1), "…") } else { (max_chars, "") }
        });
        if !self.terminal.color {
            let lines = code.lines().zip(ends);
            return lines.map(|(line, (limit, mark))| self.cut(line, limit).0 + mark).collect();
        }
        let ends: Vec<(usize, &str)> = ends.chain([(0, "")]).collect();
        let mut lines = vec![(String::new(), ends[0].0)];
        let mut start = 0;
        for (class, piece) in highlight(language, kind, code) {
            for (part, is_marked) in split_at_marks(Span::new(start, start + piece.len()), marks) {
                let style = style(class, is_marked);
                for (idx, text) in part.slice(code).split('\n').enumerate() {
                    if idx > 0 {
                        lines.push((String::new(), ends[lines.len().min(ends.len() - 1)].0));
                    }
                    let Some((line, n_left)) = lines.last_mut() else { continue };
                    let (text, n_chars) = self.cut(text.trim_end_matches('\r'), *n_left);
                    if n_chars > 0 {
                        line.push_str(
                            &style.map_or(text.clone(), |style| self.paint(style, &text)),
                        );
                    }
                    *n_left -= n_chars;
                }
            }
            start += piece.len();
        }
        lines.into_iter().zip(ends).map(|((line, _), (_, mark))| line + mark).collect()
    }

    /// Returns the start of untrusted text for stdout, and its number of characters. On a terminal
    /// that is at most `max_chars`, else everything.
    fn cut(&self, text: &str, max_chars: usize) -> (String, usize) {
        if !self.terminal.out_is_terminal {
            return (text.to_owned(), 0);
        }
        let safe = self.safe(&text.replace('\t', "    "));
        let cut: String = safe.chars().take(max_chars).collect();
        let n_chars = cut.chars().count();
        (cut, n_chars)
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
        let (start, end) = (mark.start.max(at), mark.end.min(span.end));
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
        let terminal =
            Terminal { out_is_terminal, err_is_terminal: false, color, width: 80, height: 24 };
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
        assert!(lines[1].ends_with(&format!("{DIM}# why{DIM:#}")), "{lines:?}");
        assert_eq!(lines.len(), 2);
        let cut = self::lines(&printer(true, true), 13);
        assert!(cut.iter().all(|line| line.ends_with('…')), "{cut:?}");
    }
}
