//! Limits on the time and the memory of parsing one file.
//!
//! The parser recovers from syntax errors in quadratic time and memory, so that a few kilobytes of
//! hostile code could take gigabytes. Most of that is spent in one step at the end of the text,
//! which cannot be interrupted. Parsing therefore stops before the end at the signs of it:
//!
//! - The parser hardly advances ([`MAX_SLOW_CALLS`]), or reads the same bytes again and again
//!   ([`MAX_READS`]), for example from each of many unfinished comments to the end.
//! - Repetitive code, deeply nested code or code with errors leaves constructs open ([`MAX_DEPTH`]), has many syntax errors
//!   ([`MAX_RECOVERIES`]) or is ambiguous ([`MAX_COMPARED`], [`MAX_MERGES`]). Only the log of the parser shows
//!   these, and it takes several times as long as parsing, so only such code is parsed with it.
//!
//! All signs are counted, not timed: the same text gives the same result on every machine.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use tree_sitter::{LogType, ParseOptions, ParseState, Parser, Tree};

/// The parser calls back after 100 operations. A call is slow if the parser read fewer tokens
/// than this since the last one; real code has at least 12 per call.
const MIN_TOKENS_PER_CALL: usize = 6;

/// Maximum number of slow calls. 10,000 files of real code (99 MB) have none.
const MAX_SLOW_CALLS: u32 = 100;

/// Number of bytes that the parser reads in one step.
const CHUNK_BYTES: usize = 4096;

/// Maximum number of times that the parser reads the text on average, and the number of bytes that
/// it may read of any text. Real code of more than 64 KB is read up to six times.
const MAX_READS: usize = 8;
const MIN_BYTES_READ: usize = 1024 * 1024;

/// Maximum number of symbols that are open at once in repetitive code. Real code has up to 300.
const MAX_DEPTH: i64 = 2000;

/// Maximum number of recoveries from syntax errors in repetitive code. 250 real files have none.
const MAX_RECOVERIES: u32 = 100;

/// Maximum number of tokens of repetitive code, most of which would be a byte or two. Real code of 1 MB
/// has 300,000.
const MAX_TOKENS: u64 = 400_000;

/// Maximum number of recoveries in other code with syntax errors. 1000 of them can take three seconds.
const MAX_SCATTERED_RECOVERIES: u32 = 500;

/// Maximum number of merges of the parser's versions in a long statement. Each can add a tree of the
/// whole statement at its end.
const MAX_MERGES: u32 = 600;

/// Number of consecutive lines, each of which starts with an operator or follows one, in a long
/// statement. An ambiguous one is expensive without any syntax error.
const LONG_STATEMENT: u32 = 200;

/// Number of brackets that are open at once in deep code, also counted in strings and comments.
const DEEP: u32 = 500;

/// Maximum number of tokens that the parser compares to select one of two trees for the same text,
/// if each comparison reads all tokens so far. Repetitive real code has up to 1 million.
const MAX_COMPARED: u64 = 300_000_000;

/// Length of a text whose parsing needs no limit.
const FREE_BYTES: usize = 1024;

/// Number of tokens in a block, for finding repetitive code.
const BLOCK_TOKENS: u32 = 256;

/// Number of tokens in a repetitive block that are part of a repetition.
const MIN_REPEATED_TOKENS: u32 = 230;

/// Number of repetitive blocks in repetitive code.
const MIN_REPETITIVE_BLOCKS: u32 = 2;

/// Maximum number of tokens between a piece of code and its repetition.
const MAX_PERIOD_TOKENS: u32 = 12;

/// Parses a text, or returns `None` if that would take too much time or memory.
pub(super) fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    if text.len() <= FREE_BYTES {
        return attempt(parser, text, None, &Cell::new(false));
    }
    let Shape {
        is_repetitive,
        is_deep,
        has_long_statement,
    } = Shape::of(text.as_bytes());
    if !is_repetitive && !is_deep && !has_long_statement {
        let has_error = Cell::new(false);
        let tree = attempt(parser, text, None, &has_error);
        if !has_error.get() {
            return tree;
        }
    }
    let max_recoveries = if is_repetitive {
        MAX_RECOVERIES
    } else {
        MAX_SCATTERED_RECOVERIES
    };
    let max_merges = if has_long_statement {
        MAX_MERGES
    } else {
        u32::MAX
    };
    let max_tokens = if is_repetitive { MAX_TOKENS } else { u64::MAX };
    let limits = OpenSymbols {
        max_recoveries,
        max_merges,
        max_tokens,
        ..OpenSymbols::default()
    };
    let open = Arc::new(limits);
    let counter = Arc::clone(&open);
    let log = move |kind, message: &str| counter.read(kind, message);
    parser.set_logger(Some(Box::new(log)));
    let tree = attempt(parser, text, Some(&open), &Cell::new(false));
    parser.set_logger(None);
    tree
}

/// Parses a text with the limits that need no log, and with those of `open` if there is a log.
/// Without a log, a longer text is not parsed further after an error, and `has_error` is set.
fn attempt(
    parser: &mut Parser,
    text: &str,
    open: Option<&OpenSymbols>,
    has_error: &Cell<bool>,
) -> Option<Tree> {
    let end = text.trim_end().len();
    let mut read_to = 0;
    let mut n_slow_calls = 0;
    let n_bytes_read = Cell::new(0);
    let max_bytes_read = MIN_BYTES_READ + text.len() * MAX_READS;
    let mut check = |state: &ParseState| {
        let position = state.current_byte_offset();
        // Balancing the tree after the end takes linear time.
        if position < end {
            let progress = text.as_bytes().get(read_to..position).unwrap_or_default();
            n_slow_calls += u32::from(!has_tokens(progress, MIN_TOKENS_PER_CALL));
            read_to = read_to.max(position);
        }
        if open.is_none() && state.has_error() && text.len() > FREE_BYTES {
            has_error.set(true);
        }
        if has_error.get()
            || n_slow_calls > MAX_SLOW_CALLS
            || n_bytes_read.get() > max_bytes_read
            || open.is_some_and(OpenSymbols::exceed_limits)
        {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut check);
    let mut read = |offset: usize, _| {
        // The log makes reading slow. An early end of text is safe where the depth is limited.
        if open.is_some() && n_bytes_read.get() > max_bytes_read {
            return [].as_slice();
        }
        let chunk = chunk(text, offset);
        n_bytes_read.update(|n_bytes| n_bytes + chunk.len());
        chunk
    };
    let tree = parser
        .parse_with_options(&mut read, None, Some(options))
        .filter(|_| n_bytes_read.get() <= max_bytes_read);
    if tree.is_none() {
        // Otherwise the next text would continue this one.
        parser.reset();
    }
    tree
}

/// Returns the next bytes that the parser reads, up to [`CHUNK_BYTES`] in whole characters.
fn chunk(text: &str, start: usize) -> &[u8] {
    let mut end = start.saturating_add(CHUNK_BYTES).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.as_bytes().get(start..end).unwrap_or_default()
}

/// The class of each byte. A table, because each byte of each file is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Space,
    Word,
    Quote,
    Open,
    Close,
    Other,
}

static CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Other; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' => ByteClass::Space,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80.. => ByteClass::Word,
            b'"' | b'\'' => ByteClass::Quote,
            b'(' | b'[' | b'{' | b'<' => ByteClass::Open,
            b')' | b']' | b'}' | b'>' => ByteClass::Close,
            _ => ByteClass::Other,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> ByteClass {
    CLASSES[usize::from(byte)]
}

/// Returns whether a text has at least `n` tokens, counting words and other characters.
fn has_tokens(text: &[u8], n: usize) -> bool {
    let mut is_in_word = false;
    let starts_token = |byte: &&u8| {
        let is_word = class(**byte) == ByteClass::Word;
        let starts = class(**byte) != ByteClass::Space && (!is_word || !is_in_word);
        is_in_word = is_word;
        starts
    };
    text.iter().filter(starts_token).take(n).count() == n
}

/// The cost of parsing a text, estimated from its bytes.
struct Shape {
    /// Whether a long part repeats the same few tokens. Words are not distinguished. Tables of
    /// numbers and strings do not count.
    is_repetitive: bool,
    /// Whether it opens many more brackets than it closes.
    is_deep: bool,
    /// Whether very many lines continue a statement with an operator, or are those of a comment.
    has_long_statement: bool,
}

impl Shape {
    fn of(text: &[u8]) -> Self {
        const NUMBER: u8 = b'0';
        const STRING: u8 = b'"';
        const WORD: u8 = b'w';
        let mut last_seen = [0u32; 1024];
        // The last four tokens, the last one in the highest byte.
        let mut recent = 0u32;
        let (mut n_tokens, mut n_repeated, mut n_blocks) = (0u32, 0, 0);
        let mut brackets = Brackets::default();
        let (mut n_continued, mut has_long_statement, mut is_line_start) = (0, false, false);
        let mut at = 0;
        while at < text.len() {
            let first = text[at];
            at += 1;
            let token = match class(first) {
                ByteClass::Space => {
                    is_line_start |= first == b'\n';
                    while at < text.len() && text[at] == b' ' {
                        at += 1;
                    }
                    continue;
                }
                ByteClass::Word => {
                    while at < text.len() && class(text[at]) == ByteClass::Word {
                        at += 1;
                    }
                    if first.is_ascii_digit() { NUMBER } else { WORD }
                }
                ByteClass::Quote => {
                    let end = memchr::memchr2(first, b'\n', &text[at..]).map(|end| at + end);
                    if let Some(end) = end.filter(|end| text[*end] == first) {
                        text[at..end]
                            .iter()
                            .for_each(|byte| brackets.count(class(*byte)));
                        at = end + 1;
                    }
                    STRING
                }
                other => {
                    brackets.count(other);
                    first
                }
            };
            if is_line_start {
                is_line_start = false;
                let is_continued = is_operator(token) || is_operator((recent >> 24) as u8);
                n_continued = if is_continued { n_continued + 1 } else { 0 };
                has_long_statement |= n_continued > LONG_STATEMENT;
            }
            recent = recent >> 8 | u32::from(token) << 24;
            n_tokens += 1;
            let hash = recent.wrapping_mul(0x9E37_79B1) >> 22;
            let seen = std::mem::replace(&mut last_seen[hash as usize], n_tokens);
            if n_tokens - seen <= MAX_PERIOD_TOKENS {
                let is_separator = |it: &u8| matches!(*it, b',' | b'.' | b':');
                let is_data = |it: &u8| matches!(*it, NUMBER | STRING) || is_separator(it);
                let last = recent.to_le_bytes();
                let is_table = last.iter().all(is_data) && last.iter().any(is_separator);
                n_repeated += u32::from(!is_table);
            }
            if n_tokens.is_multiple_of(BLOCK_TOKENS) {
                n_blocks += u32::from(n_repeated >= MIN_REPEATED_TOKENS);
                n_repeated = 0;
            }
        }
        Self {
            is_repetitive: n_blocks >= MIN_REPETITIVE_BLOCKS,
            is_deep: brackets.max_depth > DEEP,
            has_long_statement,
        }
    }
}

/// Returns whether a token is the last or the first byte of an operator with two operands.
fn is_operator(token: u8) -> bool {
    let is_comparison = matches!(token, b'<' | b'>' | b'=' | b'!' | b'?' | b'@');
    is_comparison || matches!(token, b'*' | b'/' | b'%' | b'+' | b'-' | b'&' | b'|' | b'^')
}

/// The brackets that are open at once, and the maximum so far.
#[derive(Default)]
struct Brackets {
    depth: u32,
    max_depth: u32,
}

impl Brackets {
    fn count(&mut self, class: ByteClass) {
        match class {
            ByteClass::Open => {
                self.depth += 1;
                self.max_depth = self.max_depth.max(self.depth);
            }
            ByteClass::Close => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// The number of open symbols, of recoveries, merges and comparisons so far, from the parser's log. While it
/// recovers, the parser has several versions of its state; the best one is 0.
#[derive(Default)]
struct OpenSymbols {
    version: AtomicU32,
    depth: AtomicI64,
    n_recoveries: AtomicU32,
    max_recoveries: u32,
    n_merges: AtomicU32,
    max_merges: u32,
    n_tokens: AtomicU64,
    max_tokens: u64,
    n_compared: AtomicU64,
}

impl OpenSymbols {
    fn exceed_limits(&self) -> bool {
        self.depth.load(Relaxed) > MAX_DEPTH
            || self.n_recoveries.load(Relaxed) > self.max_recoveries
            || self.n_merges.load(Relaxed) > self.max_merges
            || self.n_compared.load(Relaxed) > MAX_COMPARED
            || self.n_tokens.load(Relaxed) > self.max_tokens
    }

    fn read(&self, kind: LogType, message: &str) {
        if kind != LogType::Parse {
            return;
        }
        if let Some(version) = message.strip_prefix("process version:") {
            let version = version
                .split(',')
                .next()
                .and_then(|version| version.parse().ok());
            self.version.store(version.unwrap_or(0), Relaxed);
        } else if message.starts_with("recover_") {
            self.n_recoveries.fetch_add(1, Relaxed);
        } else if message == "condense" {
            self.n_merges.fetch_add(1, Relaxed);
        } else if message.starts_with("select_earlier") || message.starts_with("select_existing") {
            self.n_compared
                .fetch_add(self.n_tokens.load(Relaxed), Relaxed);
        } else if self.version.load(Relaxed) == 0 {
            let opened = if message.starts_with("shift state") {
                self.n_tokens.fetch_add(1, Relaxed);
                1
            } else if let Some((symbol, n_children)) = reduction(message) {
                // A comment is in the log, but not among the children of the symbol around it.
                i64::from(!symbol.ends_with("comment")) - n_children
            } else {
                return;
            };
            let depth = self.depth.load(Relaxed) + opened;
            self.depth.store(depth.max(0), Relaxed);
        }
    }
}

/// Returns the symbol and the number of children of a message about a reduction.
fn reduction(message: &str) -> Option<(&str, i64)> {
    let (symbol, n_children) = message
        .strip_prefix("reduce sym:")?
        .split_once(", child_count:")?;
    Some((symbol, n_children.parse().ok()?))
}
