//! Limits on the time and the memory of parsing one file.
//!
//! The parser recovers from syntax errors in quadratic time and memory, so that a few kilobytes of
//! hostile code could take gigabytes. Most of that is spent in one step at the end of the text,
//! which cannot be interrupted. Parsing therefore stops before the end at the signs of it:
//!
//! - The parser hardly advances ([`MAX_SLOW_CALLS`]), or reads the same bytes again and again
//!   ([`MAX_READS`]), for example from each of many unfinished comments to the end.
//! - Repetitive code leaves constructs open ([`MAX_DEPTH`]) or has many syntax errors
//!   ([`MAX_RECOVERIES`]). Only the log of the parser shows these, and it takes several times as long
//!   as parsing, so only code that repeats the same few tokens is parsed with it.
//!
//! All signs are counted, not timed: the same text gives the same result on every machine.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering::Relaxed};

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
    let open = (text.len() > FREE_BYTES && is_repetitive(text.as_bytes())).then(|| {
        let open = Arc::<OpenSymbols>::default();
        let counter = Arc::clone(&open);
        let log = move |kind, message: &str| counter.read(kind, message);
        parser.set_logger(Some(Box::new(log)));
        open
    });
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
        if n_slow_calls > MAX_SLOW_CALLS
            || n_bytes_read.get() > max_bytes_read
            || open.as_ref().is_some_and(|open| open.exceed_limits())
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
    if open.is_some() {
        parser.set_logger(None);
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

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Returns whether a text has at least `n` tokens, counting words and other characters.
fn has_tokens(text: &[u8], n: usize) -> bool {
    let mut is_in_word = false;
    let starts_token = |byte: &&u8| {
        let is_word = is_word_byte(**byte);
        let starts = !byte.is_ascii_whitespace() && (!is_word || !is_in_word);
        is_in_word = is_word;
        starts
    };
    text.iter().filter(starts_token).take(n).count() == n
}

/// Returns whether a text has a long part that repeats the same few tokens. Words are
/// not distinguished. Tables of numbers and strings do not count.
fn is_repetitive(text: &[u8]) -> bool {
    const NUMBER: u8 = b'0';
    const STRING: u8 = b'"';
    const WORD: u8 = b'w';
    let mut last_seen = [0u32; 1024];
    let mut recent = [0u8; 4];
    let (mut n_tokens, mut n_repeated, mut n_blocks) = (0u32, 0, 0);
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        let token = match first {
            _ if first.is_ascii_whitespace() => continue,
            _ if is_word_byte(first) => {
                let end = rest.iter().position(|byte| !is_word_byte(*byte));
                rest = &rest[end.unwrap_or(rest.len())..];
                if first.is_ascii_digit() { NUMBER } else { WORD }
            }
            b'"' | b'\'' => {
                let end = rest.iter().position(|byte| *byte == first || *byte == b'\n');
                if let Some(end) = end.filter(|end| rest[*end] == first) {
                    rest = &rest[end + 1..];
                }
                STRING
            }
            other => other,
        };
        recent = [recent[1], recent[2], recent[3], token];
        n_tokens += 1;
        let hash = u32::from_le_bytes(recent).wrapping_mul(0x9E37_79B1) >> 22;
        let seen = std::mem::replace(&mut last_seen[hash as usize], n_tokens);
        let is_table = recent.iter().all(|it| matches!(*it, NUMBER | STRING | b',' | b'.' | b':'));
        n_repeated += u32::from(n_tokens - seen <= MAX_PERIOD_TOKENS && !is_table);
        if n_tokens.is_multiple_of(BLOCK_TOKENS) {
            n_blocks += u32::from(n_repeated >= MIN_REPEATED_TOKENS);
            n_repeated = 0;
        }
    }
    n_blocks >= MIN_REPETITIVE_BLOCKS
}

/// The number of open symbols and of recoveries so far, from the parser's log. While it
/// recovers, the parser has several versions of its state; the best one is 0.
#[derive(Default)]
struct OpenSymbols {
    version: AtomicU32,
    depth: AtomicI64,
    n_recoveries: AtomicU32,
}

impl OpenSymbols {
    fn exceed_limits(&self) -> bool {
        self.depth.load(Relaxed) > MAX_DEPTH || self.n_recoveries.load(Relaxed) > MAX_RECOVERIES
    }

    fn read(&self, kind: LogType, message: &str) {
        if kind != LogType::Parse {
            return;
        }
        if let Some(version) = message.strip_prefix("process version:") {
            let version = version.split(',').next().and_then(|version| version.parse().ok());
            self.version.store(version.unwrap_or(0), Relaxed);
        } else if message.starts_with("recover_") {
            self.n_recoveries.fetch_add(1, Relaxed);
        } else if self.version.load(Relaxed) == 0 {
            let opened = if message.starts_with("shift state") {
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
    let (symbol, n_children) = message.strip_prefix("reduce sym:")?.split_once(", child_count:")?;
    Some((symbol, n_children.parse().ok()?))
}
