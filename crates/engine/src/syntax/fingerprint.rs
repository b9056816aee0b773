//! Fingerprints, which identify a symbol's code after it was moved, renamed or reformatted.
//!
//! A fingerprint is computed from the tokens without comments, docstrings, white space, trailing
//! commas and other layout; all quotes are equal. Hashes are xxh3 of the normalised tokens and
//! part of the lock format: a change of the normalisation needs a new lock version.

pub mod encoding;

use std::borrow::Cow;

use cerberus_model::{Fingerprint, Span, sorted};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::minhash;
use super::parse::{ParsedFile, TokenKind, last_name};

/// Replaces the hash of the symbol's own name in hashes that do not depend on it.
const OWN_NAME: u64 = 0x6f77_6e5f_6e61_6d65;

/// Replaces the hash of an adjacent name at the start or the end of a container.
pub(crate) const NO_NEIGHBOUR: u16 = 0;

/// Number of identifiers in a fingerprint, two bytes each. They are a random sample by hash:
/// the estimated share of them in other code has a standard error of at most 0.11.
pub(crate) const MAX_NAMES: usize = 21;

/// Number of words of comments in a fingerprint, also sampled by hash. Fewer than identifiers,
/// because they matter only for symbols with little code.
pub(crate) const MAX_DOCS: usize = 12;

/// Maximum number of other definitions of its name in a fingerprint.
pub(crate) const MAX_NAMESAKES: usize = 16;

/// Minimum length of a word of a comment; shorter words are too common.
const MIN_DOC_BYTES: usize = 4;

/// Names that nearly every method has, which therefore do not identify code.
const RECEIVERS: [&str; 4] = ["self", "cls", "this", "super"];

#[derive(Debug, Clone, Copy)]
struct NormalisedToken {
    hash: u64,
    start: usize,
    is_name: bool,
}

/// A word of a comment or a docstring.
#[derive(Debug, Clone, Copy)]
struct DocWord {
    hash: u16,
    /// The start of the comment.
    comment_start: usize,
    is_docstring: bool,
}

/// The fingerprint of a symbol or a file, with the full sets that other fingerprints are
/// compared with.
#[derive(Debug, Clone, Default)]
pub struct SymbolFeatures {
    pub fingerprint: Fingerprint,
    /// Hashes of all identifiers except its own name, sorted.
    pub names: Vec<u16>,
    /// Hashes of all words of its comments, sorted.
    pub(crate) docs: Vec<u16>,
    /// Hashes of the names in the heading of a class, without its own: its bases, sorted.
    pub(crate) bases: Vec<u16>,
}

impl SymbolFeatures {
    fn with_docs(mut self, docs: Vec<u16>) -> Self {
        self.fingerprint.docs = sample(&docs, MAX_DOCS);
        self.docs = docs;
        self
    }
}

/// The normalised tokens of a file, from which the features of its symbols are computed.
pub struct FileFeatures<'t> {
    text: &'t str,
    parsed: &'t ParsedFile,
    tokens: Vec<NormalisedToken>,
    docs: Vec<DocWord>,
}

impl<'t> FileFeatures<'t> {
    /// Normalises the tokens of a parsed file.
    pub fn new(text: &'t str, parsed: &'t ParsedFile) -> Self {
        Self {
            text,
            parsed,
            tokens: normalise(text, parsed),
            docs: doc_words(text, parsed),
        }
    }

    /// Returns the complete fingerprint of a symbol.
    pub fn fingerprint(&self, symbol_idx: usize) -> Fingerprint {
        let symbols = &self.parsed.symbols;
        let container = split_name(&symbols[symbol_idx].name).0;
        let members: Vec<usize> = (0..symbols.len())
            .filter(|idx| split_name(&symbols[*idx].name).0 == container)
            .collect();
        let (between, beside) = neighbours(&members, |idx| &symbols[idx].name, symbol_idx);
        Fingerprint {
            between,
            beside,
            ..self.symbol(symbol_idx).fingerprint
        }
    }

    /// Returns the features of a symbol without its neighbours, which need a pass over all
    /// symbols of the file.
    pub fn symbol(&self, symbol_idx: usize) -> SymbolFeatures {
        let symbol = &self.parsed.symbols[symbol_idx];
        let own_name = name_hash(last_name(&symbol.name));
        let leading = symbol.leading_comments.map(|span| self.docs_in(span, true));
        let inside = self.docs_in(symbol.span, false);
        let docs = sorted(leading.into_iter().flatten().chain(inside));
        let tokens = within(&self.tokens, symbol.span, |token| token.start);
        let code = symbol.span.slice(self.text);
        let mut features = features(code, tokens, own_name, symbol.body_start).with_docs(docs);
        if symbol.kind.is_container() {
            let heading = tokens
                .iter()
                .take_while(|token| token.start < symbol.body_start);
            features.bases = sorted(names(heading, own_name));
        }
        features
    }

    /// Returns the words of the docstrings in `span`, and optionally of its comments. Comments
    /// inside a body change with the code.
    fn docs_in(&self, span: Span, with_comments: bool) -> Vec<u16> {
        let words = within(&self.docs, span, |word| word.comment_start).iter();
        sorted(
            words
                .filter(|word| with_comments || word.is_docstring)
                .map(|word| word.hash),
        )
    }

    /// Returns the features of the whole file.
    pub(crate) fn file(&self) -> SymbolFeatures {
        let docs = self.docs_in(Span::new(0, self.text.len()), true);
        features(self.text, &self.tokens, OWN_NAME, 0).with_docs(docs)
    }
}

/// Returns the hashes of the names that are defined directly before and after a symbol, and the
/// Bloom filter of all names defined beside it, nearest first: in the same container, or at the
/// top level of the file. `members` are the symbols of the container in document order, and `name`
/// returns the qualified name of one.
pub(crate) fn neighbours<'n>(
    members: &[usize],
    name: impl Fn(usize) -> &'n str,
    symbol_idx: usize,
) -> ([u16; 2], Vec<u8>) {
    let own_name = split_name(name(symbol_idx)).1;
    let (before, after) = members.split_at(members.partition_point(|idx| *idx < symbol_idx));
    let (mut before, mut after) = (before.iter().rev().peekable(), after.iter().peekable());
    let mut between = [NO_NEIGHBOUR; 2];
    let mut nearest: Vec<&str> = Vec::new();
    while nearest.len() < minhash::MAX_BLOOM_ENTRIES || between.contains(&NO_NEIGHBOUR) {
        let distance = |idx: Option<&&usize>| idx.map_or(usize::MAX, |it| it.abs_diff(symbol_idx));
        let is_after = distance(after.peek()) < distance(before.peek());
        let Some(&idx) = (if is_after {
            after.next()
        } else {
            before.next()
        }) else {
            break;
        };
        let name = split_name(name(idx)).1;
        if name == own_name {
            continue;
        }
        let between = &mut between[usize::from(is_after)];
        if *between == NO_NEIGHBOUR {
            *between = short_hash(name_hash(name));
        }
        if nearest.len() < minhash::MAX_BLOOM_ENTRIES && !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    (
        between,
        minhash::bloom_filter(nearest.into_iter().map(name_hash)),
    )
}

/// Returns the features of a file in an unsupported language: its tokens are its lines without
/// indentation, its identifiers are its words.
pub(crate) fn plain_text(text: &str) -> SymbolFeatures {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut tokens = Vec::new();
    for line in lines {
        tokens.push(NormalisedToken {
            hash: xxh3_64(line.as_bytes()),
            start: 0,
            is_name: false,
        });
    }
    let mut features = features(text, &tokens, OWN_NAME, 0);
    features.names = word_hashes(text);
    features.fingerprint.names = sample(&features.names, MAX_NAMES);
    features.fingerprint.n_tokens =
        u32::try_from(text.split_whitespace().count()).unwrap_or(u32::MAX);
    features
}

/// Splits a qualified name into its container, which may be empty, and its last part.
pub(crate) fn split_name(qualified: &str) -> (&str, &str) {
    qualified.rsplit_once('.').unwrap_or(("", qualified))
}

/// Returns the hash of a name in Bloom filters and samples.
pub(crate) fn name_hash(name: &str) -> u64 {
    xxh3_64(name.strip_prefix("r#").unwrap_or(name).as_bytes())
}

/// Returns the hashes of all words of a text, sorted. They include the names of all symbols
/// that are defined in it.
pub(crate) fn word_hashes(text: &str) -> Vec<u16> {
    // A bit for each hash, which is faster than sorting.
    let mut bits = vec![0u64; 1024];
    hashed_words(text).for_each(|hash| bits[usize::from(hash) / 64] |= 1 << (hash % 64));
    let set = (0..).zip(bits).flat_map(|(idx, bits): (u16, u64)| {
        (0..64)
            .filter(move |bit| bits >> bit & 1 == 1)
            .map(move |bit| idx * 64 + bit)
    });
    set.collect()
}

/// Returns the hashes of the words of a text in their order.
pub(crate) fn hashed_words(text: &str) -> impl Iterator<Item = u16> {
    let words = text.as_bytes().split(|&byte| !is_word_byte(byte));
    let names = words.filter(|word| word.first().is_some_and(|byte| !byte.is_ascii_digit()));
    names.map(|word| short_hash(xxh3_64(word)))
}

/// Returns whether a byte may be part of a name in any language.
pub(crate) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// Returns a hash of bytes that is the same on every machine.
pub(crate) fn bytes_hash(bytes: &[u8]) -> u32 {
    (xxh3_64(bytes) >> 32) as u32
}

pub(crate) fn short_hash(hash: u64) -> u16 {
    (hash >> 48) as u16
}

/// Returns the identity of a definition among those of its name: 24 bits each of the hashes of its
/// code and of its signature.
pub(crate) fn namesake(fingerprint: &Fingerprint) -> [u32; 2] {
    [
        (fingerprint.name_independent_hash >> 40) as u32,
        fingerprint.signature >> 8,
    ]
}

/// Returns the items whose position is in `span`, from items sorted by position.
fn within<T>(items: &[T], span: Span, position: impl Fn(&T) -> usize) -> &[T] {
    let start = items.partition_point(|item| position(item) < span.start);
    let end = items.partition_point(|item| position(item) < span.end);
    &items[start..end]
}

fn sample(hashes: &[u16], max: usize) -> Vec<u16> {
    hashes.iter().copied().take(max).collect()
}

fn doc_words(text: &str, parsed: &ParsedFile) -> Vec<DocWord> {
    let mut found = Vec::new();
    for token in &parsed.tokens {
        if !matches!(token.kind, TokenKind::Comment | TokenKind::Docstring) {
            continue;
        }
        let words = token
            .span
            .slice(text)
            .split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|word| word.len() >= MIN_DOC_BYTES) {
            found.push(DocWord {
                hash: short_hash(xxh3_64(word.to_lowercase().as_bytes())),
                comment_start: token.span.start,
                is_docstring: token.kind == TokenKind::Docstring,
            });
        }
    }
    found
}

fn features(
    code: &str,
    tokens: &[NormalisedToken],
    own_name: u64,
    body_start: usize,
) -> SymbolFeatures {
    let mut hashes: Vec<u64> = tokens.iter().map(|token| token.hash).collect();
    for hash in &mut hashes {
        if *hash == own_name {
            *hash = OWN_NAME;
        }
    }
    let n_signature = tokens.partition_point(|token| token.start < body_start);
    let names = sorted(names(tokens.iter(), own_name));
    let fingerprint = Fingerprint {
        n_tokens: u32::try_from(tokens.len()).unwrap_or(u32::MAX),
        name_independent_hash: hash_all(&hashes),
        bytes: bytes_hash(code.as_bytes()),
        signature: (hash_all(&hashes[..n_signature]) >> 32) as u32,
        sketch: minhash::signature(trigrams(&hashes)),
        names: sample(&names, MAX_NAMES),
        ..Fingerprint::default()
    };
    SymbolFeatures {
        fingerprint,
        names,
        ..SymbolFeatures::default()
    }
}

/// Returns the hashes of the names among some tokens, without a symbol's own.
fn names<'t>(
    tokens: impl Iterator<Item = &'t NormalisedToken>,
    own_name: u64,
) -> impl Iterator<Item = u16> {
    let names = tokens.filter(move |token| token.is_name && token.hash != own_name);
    names.map(|token| short_hash(token.hash))
}

/// Returns a hash of every three consecutive tokens; fewer tokens are a single gram.
fn trigrams(tokens: &[u64]) -> impl Iterator<Item = u64> {
    let width = tokens.len().clamp(1, 3);
    tokens.windows(width).map(|gram| {
        let mixed = gram.iter().fold(0u64, |mixed, hash| {
            mixed.rotate_left(23).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ hash
        });
        // The finaliser of MurmurHash3: MinHash needs well-mixed bits.
        let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
        mixed ^ (mixed >> 33)
    })
}

fn hash_all(hashes: &[u64]) -> u64 {
    let mut hasher = Xxh3Default::new();
    for hash in hashes {
        hasher.update(&hash.to_le_bytes());
    }
    hasher.digest()
}

fn normalise(text: &str, parsed: &ParsedFile) -> Vec<NormalisedToken> {
    let mut tokens: Vec<NormalisedToken> = Vec::with_capacity(parsed.tokens.len());
    // Pushed with the next token, unless that is a closing bracket.
    let mut pending_comma: Option<NormalisedToken> = None;
    for token in &parsed.tokens {
        let piece = token.span.slice(text);
        let normalised: Cow<'_, str> = match token.kind {
            TokenKind::Layout if piece == ")" => {
                pending_comma = None;
                continue;
            }
            TokenKind::Comment | TokenKind::Docstring | TokenKind::Layout => continue,
            TokenKind::Identifier => normalise_word(piece),
            TokenKind::Punctuation if is_short_fraction(piece) => Cow::Owned(format!("0{piece}")),
            // `#  define` is `#define`.
            TokenKind::Punctuation if piece.starts_with('#') && piece.contains([' ', '\t']) => {
                Cow::Owned(piece.replace([' ', '\t'], ""))
            }
            TokenKind::Keyword | TokenKind::Punctuation => Cow::Borrowed(piece),
            TokenKind::Quote => {
                let prefix = piece.trim_end_matches(|c: char| !c.is_alphabetic());
                let mut prefix: Vec<char> =
                    prefix.to_lowercase().replace('u', "").chars().collect();
                prefix.sort_unstable();
                Cow::Owned(format!("\"{}", String::from_iter(prefix)))
            }
            TokenKind::StringContent if piece.contains('\\') => {
                Cow::Owned(piece.replace("\\'", "'").replace("\\\"", "\""))
            }
            TokenKind::StringContent => Cow::Borrowed(piece),
        };
        let is_punctuation = token.kind == TokenKind::Punctuation;
        let token = NormalisedToken {
            hash: xxh3_64(normalised.as_bytes()),
            start: token.span.start,
            is_name: token.kind == TokenKind::Identifier && is_name(&normalised),
        };
        if is_punctuation && piece == "," {
            tokens.extend(pending_comma.replace(token));
            continue;
        }
        let is_closing = is_punctuation && matches!(piece, ")" | "]" | "}" | ">");
        tokens.extend(pending_comma.take().filter(|_| !is_closing));
        tokens.push(token);
    }
    tokens.extend(pending_comma);
    tokens
}

/// Returns a number in lower case, and a raw identifier without its prefix.
fn normalise_word(piece: &str) -> Cow<'_, str> {
    if piece.starts_with(|c: char| c.is_ascii_digit())
        && piece.contains(|c: char| c.is_ascii_uppercase())
    {
        return Cow::Owned(piece.to_ascii_lowercase());
    }
    Cow::Borrowed(piece.strip_prefix("r#").unwrap_or(piece))
}

/// Returns whether a number has no digit before its point, which prettier adds.
fn is_short_fraction(piece: &str) -> bool {
    piece
        .strip_prefix('.')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn is_name(word: &str) -> bool {
    word.bytes().all(is_word_byte)
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && !RECEIVERS.contains(&word)
}

#[cfg(test)]
mod tests;
