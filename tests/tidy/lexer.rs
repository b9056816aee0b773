//! A partial lexer of Rust: tokens, comments, literals, test blocks and the paths in the code.

/// A source file as tokens, comments and literals, each with its 1-based line.
pub(crate) struct Lexed<'a> {
    pub(crate) tokens: Vec<(usize, &'a str)>,
    pub(crate) comments: Vec<Prose<'a>>,
    /// String and character literals, with their quotes, and lifetimes.
    pub(crate) literals: Vec<Prose<'a>>,
}

/// A comment or a literal.
pub(crate) struct Prose<'a> {
    pub(crate) line: usize,
    pub(crate) text: &'a str,
    /// The index of the next token.
    pub(crate) token_idx: usize,
}

/// The block that contains a token.
#[derive(Clone, Copy, Default)]
pub(crate) struct Block {
    /// Whether it is inside a `#[cfg(test)]` item.
    pub(crate) is_test: bool,
    /// Number of enclosing `mod x { … }`.
    pub(crate) mods: usize,
}

impl<'a> Lexed<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut lexed = Self {
            tokens: Vec::new(),
            comments: Vec::new(),
            literals: Vec::new(),
        };
        let (mut rest, mut line) = (text, 1);
        while !rest.is_empty() {
            let (piece, length) = first_piece(rest);
            let (found, after) = rest.split_at(length);
            let token_idx = lexed.tokens.len();
            match piece {
                Piece::Comment => {
                    lexed
                        .comments
                        .extend(found.lines().enumerate().map(|(line_idx, text)| Prose {
                            line: line + line_idx,
                            text,
                            token_idx,
                        }))
                }
                Piece::Token => lexed.tokens.push((line, found)),
                Piece::Literal => lexed.literals.push(Prose {
                    line,
                    text: found,
                    token_idx,
                }),
                Piece::Space => {}
            }
            line += found.matches('\n').count();
            rest = after;
        }
        lexed
    }

    pub(crate) fn token(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.1)
    }

    fn before(&self, at: usize) -> &'a str {
        at.checked_sub(1).map_or("", |before| self.token(before))
    }

    pub(crate) fn is(&self, at: usize, tokens: &[&str]) -> bool {
        tokens
            .iter()
            .enumerate()
            .all(|(n, token)| self.token(at + n) == *token)
    }

    /// Returns the block of each token.
    pub(crate) fn blocks(&self, is_test_file: bool) -> Vec<Block> {
        let mut around = vec![Block {
            is_test: is_test_file,
            mods: 0,
        }];
        let (mut next_is_test, mut next_is_mod) = (false, false);
        let mut blocks = Vec::with_capacity(self.tokens.len());
        for (at, (_, token)) in self.tokens.iter().enumerate() {
            let outer = around.last().copied().unwrap_or_default();
            let here = Block {
                is_test: outer.is_test || next_is_test,
                mods: outer.mods,
            };
            blocks.push(here);
            match *token {
                "#" if self.is(at, &["#", "[", "cfg", "(", "test", ")", "]"]) => {
                    next_is_test = true
                }
                "mod" => next_is_mod = true,
                "{" => {
                    around.push(Block {
                        is_test: here.is_test,
                        mods: here.mods + usize::from(next_is_mod),
                    });
                    (next_is_test, next_is_mod) = (false, false);
                }
                "}" => {
                    around.pop();
                }
                ";" => (next_is_test, next_is_mod) = (false, false),
                _ => {}
            }
        }
        blocks
    }

    /// Returns the top-level modules named by the path that starts at a token, in a module at
    /// `depth`.
    pub(crate) fn modules_named(&self, at: usize, depth: usize) -> Vec<&'a str> {
        let mut next = at;
        if self.is(at, &["crate", "::"]) && self.before(at) != "$" {
            next += 2;
        } else if self.is(at, &["super", "::"])
            && !(self.before(at) == "::" && at >= 2 && self.token(at - 2) == "super")
        {
            while self.is(next, &["super", "::"]) {
                next += 2;
            }
            if (next - at) / 2 < depth {
                return Vec::new();
            }
        } else {
            return Vec::new();
        }
        if self.token(next) != "{" {
            return vec![self.token(next)];
        }
        let mut heads = Vec::new();
        let mut nesting = 0;
        for at in next.. {
            match self.token(at) {
                "{" => nesting += 1,
                "}" => nesting -= 1,
                _ => {}
            }
            if nesting == 0 || at >= self.tokens.len() {
                break;
            }
            if nesting == 1 && matches!(self.token(at), "{" | ",") && self.token(at + 1) != "}" {
                heads.push(self.token(at + 1));
            }
        }
        heads
    }

    /// Returns whether the token starts a path that may be in an external crate.
    pub(crate) fn is_crate_path(&self, at: usize) -> bool {
        let before = self.before(at);
        let is_first = match before {
            "::" => {
                let head = if at < 2 { "" } else { self.token(at - 2) };
                matches!(head, "use" | "return" | "impl" | "dyn" | "as")
                    || !(head == ">" || head.ends_with(is_word))
            }
            _ => before != ".",
        };
        let is_whole = before == "use" && matches!(self.token(at + 1), ";" | "as");
        is_first && (is_whole || self.token(at + 1) == "::")
    }

    pub(crate) fn names_crate(&self, name: &str) -> bool {
        (0..self.tokens.len()).any(|at| self.token(at) == name && self.is_crate_path(at))
    }
}

enum Piece {
    Comment,
    Literal,
    Space,
    Token,
}

pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the first piece of Rust source and its length in bytes.
fn first_piece(text: &str) -> (Piece, usize) {
    let word = text.len() - text.trim_start_matches(is_word).len();
    let (head, tail) = text.split_at(word);
    if matches!(head, "r" | "br" | "cr") {
        let hashes = tail.len() - tail.trim_start_matches('#').len();
        if let Some(body) = tail[hashes..].strip_prefix('"') {
            let close = format!("\"{}", &tail[..hashes]);
            let length = body
                .find(&close)
                .map_or(body.len(), |end| end + close.len());
            return (Piece::Literal, word + hashes + 1 + length);
        }
    }
    if word > 0 {
        return (Piece::Token, word);
    }
    let mut chars = text.chars();
    let first = chars.next().map_or(0, char::len_utf8);
    match &text[..first] {
        "/" if text.starts_with("//") => (Piece::Comment, text.find('\n').unwrap_or(text.len())),
        "/" if text.starts_with("/*") => (Piece::Comment, block_comment(text)),
        "\"" => (Piece::Literal, quoted(text)),
        "'" => match (chars.next(), chars.next()) {
            (Some('\\'), _) | (Some(_), Some('\'')) => (Piece::Literal, quoted(text)),
            _ => (
                Piece::Literal,
                first + text[first..].find(|c| !is_word(c)).unwrap_or(0),
            ),
        },
        ":" | "-" | "=" if ["::", "->", "=>"].iter().any(|it| text.starts_with(it)) => {
            (Piece::Token, 2)
        }
        it if it.trim().is_empty() => (Piece::Space, first),
        _ => (Piece::Token, first),
    }
}

/// Returns the length of a literal up to its closing quote.
fn quoted(text: &str) -> usize {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, c)| c);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if Some(c) == quote {
            return at + 1;
        }
    }
    text.len()
}

fn block_comment(text: &str) -> usize {
    let (mut at, mut nesting) = (0, 0_usize);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            nesting += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            nesting -= 1;
            at += 2;
            if nesting == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

#[test]
fn comments_and_literals_are_not_code() {
    let text = r##"//! Unlike `crate::store::x`.
/* crate::store /* rusqlite:: */ .unwrap() */
fn f<'a>(c: &'a str) {
    g('"', '\'', b'"', "a\" crate::store::x", r#"rusqlite:: "quoted" "#);
    crate::ops::f();
}
"##;
    super::check(
        "crates/bank/src/a.rs",
        text,
        &["crates/bank/src/a.rs:5: `bank::a` (layer 2.5) uses `bank::ops` (layer 3)"],
    );
}
