//! Inline code and comments within one stretch of prose.
//!
//! Both bind equally and the leftmost wins, as in CommonMark; a backslash takes
//! the meaning from the mark behind it. Knows nothing of blocks: the caller cuts
//! the prose (see `blocks`).

use memchr::memmem;
use rustc_hash::FxHashMap;

use crate::text::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// A code span with its backticks.
    Code,
    /// A comment with its marks.
    Comment,
    /// What begins as a comment and has no end before the next one begins.
    Unclosed,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    pub(crate) span: Span,
}

/// Returns the pieces of all of `prose`, which is in the order of the text, as they are.
pub(crate) fn pieces(text: &str, prose: &[Span]) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let mut ends = Places::new(bytes, b"-->");
    let mut starts = Places::new(bytes, b"<!--");
    let mut pieces = Vec::new();
    for &within in prose {
        scan(bytes, within, &mut starts, &mut ends, &mut pieces);
    }
    pieces
}

fn scan(
    bytes: &[u8],
    within: Span,
    starts: &mut Places,
    ends: &mut Places,
    pieces: &mut Vec<Piece>,
) {
    let bytes = &bytes[..within.end];
    let mut runs = None;
    let mut at = within.start;
    while let Some(found) = memchr::memchr3(b'\\', b'`', b'<', &bytes[at..]) {
        let start = at + found;
        match bytes[start] {
            b'\\' => at = (start + 2).min(within.end),
            b'`' => {
                at = run_end(bytes, start);
                let runs = runs.get_or_insert_with(|| Runs::new(bytes, start));
                if let Some(end) = runs.closing(at - start, at) {
                    pieces.push(Piece {
                        kind: PieceKind::Code,
                        span: Span::new(start, end),
                    });
                    at = end;
                }
            }
            _ if !bytes[start..].starts_with(b"<!--") => at = start + 1,
            _ => {
                let limit = starts.next(start + 4).unwrap_or(within.end);
                let limit = limit.min(within.end);
                // `<!-->` is a whole comment, so its end may share the dashes.
                let end = ends.next(start + 2).map(|dashes| dashes + 3);
                let end = end.filter(|&end| end <= within.end);
                let (kind, span_end) = match end {
                    Some(end) if end <= limit => (PieceKind::Comment, end),
                    _ => (PieceKind::Unclosed, limit),
                };
                pieces.push(Piece {
                    kind,
                    span: Span::new(start, span_end),
                });
                // With no end in sight the mark is text, and code may follow it.
                at = if end.is_some() { span_end } else { start + 4 };
            }
        }
    }
}

fn run_end(bytes: &[u8], start: usize) -> usize {
    let n_ticks = bytes[start..].iter().take_while(|&&byte| byte == b'`');
    start + n_ticks.count()
}

/// The runs of backticks, by length, each list walked once.
struct Runs {
    by_len: FxHashMap<usize, (Vec<usize>, usize)>,
}

impl Runs {
    fn new(bytes: &[u8], from: usize) -> Self {
        let mut by_len: FxHashMap<usize, (Vec<usize>, usize)> = FxHashMap::default();
        let mut at = from;
        while let Some(found) = memchr::memchr(b'`', &bytes[at..]) {
            let start = at + found;
            at = run_end(bytes, start);
            by_len.entry(at - start).or_default().0.push(start);
        }
        Self { by_len }
    }

    /// Returns the end of the first run of exactly `len` at or after `from`, which never decreases.
    fn closing(&mut self, len: usize, from: usize) -> Option<usize> {
        let (starts, passed) = self.by_len.get_mut(&len)?;
        while *starts.get(*passed)? < from {
            *passed += 1;
        }
        Some(starts[*passed] + len)
    }
}

/// The places of a mark in a text, found once however often they are asked about.
pub(super) struct Places<'a> {
    places: memmem::FindIter<'a, 'static>,
    /// The first place at or after the one asked about last.
    next: Option<usize>,
}

impl<'a> Places<'a> {
    pub(super) fn new(bytes: &'a [u8], mark: &'static [u8]) -> Self {
        let mut places = memmem::find_iter(bytes, mark);
        let next = places.next();
        Self { places, next }
    }

    /// Returns the first place at or after `from`, which never decreases.
    pub(super) fn next(&mut self, from: usize) -> Option<usize> {
        while self.next? < from {
            self.next = self.places.next();
        }
        self.next
    }
}
