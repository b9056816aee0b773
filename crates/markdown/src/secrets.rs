//! Detection of secrets that must not be stored in a memory: private keys and the tokens of
//! well-known services, by their patterns.
//!
//! A memory is committed, shared and sent to agents. Each pattern is the one that the issuer
//! documents for scanners; secrets without a fixed pattern, such as passwords, are not detected.
//! Mentions are not secrets: a prefix alone, a header without a key below it, a placeholder
//! with few different characters, a documented example.

use std::sync::LazyLock;

use cerberus_model::text::word_list::lines;
use memchr::memmem;

static PATTERNS: LazyLock<Vec<SecretPattern>> = LazyLock::new(|| {
    lines(include_str!("words/secrets.txt"))
        .map(SecretPattern::new)
        .collect()
});

/// The pattern of a token: its prefixes, then a number of bytes of one class.
struct SecretPattern {
    kind: &'static str,
    prefixes: Vec<&'static str>,
    /// The bytes beside letters and digits, or `A-Z` if it has only digits and capital letters. A dot separates the
    /// parts of a token.
    others: &'static str,
    min_len: usize,
    max_len: usize,
}

/// The minimum number of different bytes in a token; a placeholder such as `ghp_xxxx…` has fewer.
const MIN_DISTINCT_BYTES: usize = 8;

/// The minimum length of a line of a private key, and the maximum distance from its header.
const MIN_KEY_LINE: usize = 40;
const MAX_KEY_DISTANCE: usize = 400;

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// With its article: "an npm token".
    pub kind: &'static str,
    /// From 0.
    pub line: usize,
}

/// Returns the first secret in `text`.
pub fn find_secret(text: &str) -> Option<Secret> {
    let tokens = PATTERNS
        .iter()
        .filter_map(|pattern| Some((pattern.find(text)?, pattern.kind)));
    let key = find_private_key(text).map(|at| (at, "a private key"));
    let (at, kind) = tokens.chain(key).min()?;
    Some(Secret {
        kind,
        line: text[..at].matches('\n').count(),
    })
}

impl SecretPattern {
    fn new(line: &'static str) -> Self {
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("a test reads each pattern");
        let (kind, prefixes, others, len) = (field(), field(), field(), field());
        let (min, max) = len.split_once('-').unwrap_or((len, ""));
        Self {
            kind,
            prefixes: prefixes.split(' ').collect(),
            others,
            min_len: min.parse().expect("a test reads each pattern"),
            max_len: max.parse().unwrap_or(usize::MAX),
        }
    }

    /// Returns whether a token may have a byte after its prefix.
    fn allows(&self, byte: u8) -> bool {
        match self.others {
            "A-Z" => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            others => byte.is_ascii_alphanumeric() || others.as_bytes().contains(&byte),
        }
    }

    /// Returns the start of the first token with this pattern.
    fn find(&self, text: &str) -> Option<usize> {
        let find = |prefix: &&str| self.find_prefixed(text.as_bytes(), prefix.as_bytes());
        self.prefixes.iter().filter_map(find).min()
    }

    fn find_prefixed(&self, bytes: &[u8], prefix: &[u8]) -> Option<usize> {
        let mut from = 0;
        while let Some(at) = memmem::find(&bytes[from..], prefix).map(|at| from + at) {
            from = at + prefix.len();
            if at > 0 && is_word(bytes[at - 1]) {
                continue;
            }
            let rest = &bytes[from..];
            let n_bytes = rest.iter().take_while(|byte| self.allows(**byte)).count();
            let is_complete = !rest.get(n_bytes).is_some_and(|byte| is_word(*byte));
            if is_complete && self.is_token(&rest[..n_bytes]) {
                return Some(at);
            }
            // A token that starts further in would end at the same byte and be shorter.
            from += n_bytes;
        }
        None
    }

    fn is_token(&self, body: &[u8]) -> bool {
        let body = body.strip_suffix(b".").unwrap_or(body);
        let has = |is_kind: fn(&u8) -> bool| usize::from(body.iter().any(is_kind));
        let n_kinds =
            has(u8::is_ascii_uppercase) + has(u8::is_ascii_lowercase) + has(u8::is_ascii_digit);
        // Names and hyphenated prose have only one kind of character.
        let is_mixed = n_kinds >= 2 || self.allows(b'A') != self.allows(b'a');
        // The first two parts of a dotted token have a minimum length.
        let mut parts = body.split(|byte| *byte == b'.').map(<[u8]>::len);
        let has_parts =
            !self.allows(b'.') || (parts.next() >= Some(10) && parts.next() >= Some(10));
        (self.min_len..=self.max_len).contains(&body.len())
            && is_mixed
            && has_parts
            && is_varied(body)
            && !body.ends_with(b"EXAMPLE")
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_varied(body: &[u8]) -> bool {
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count() >= MIN_DISTINCT_BYTES
}

/// Returns the position of the first private key header with a key below it; newlines may be
/// written as `\n`.
fn find_private_key(text: &str) -> Option<usize> {
    let headers = ["PRIVATE KEY", "PuTTY-User-Key-File-"];
    let found = headers.iter().filter_map(|header| {
        let is_key = |at: usize| {
            let is_header = header.starts_with("PuTTY") || is_begin(&text.as_bytes()[..at]);
            is_header && has_key(&text.as_bytes()[at + header.len()..])
        };
        text.match_indices(header)
            .map(|(at, _)| at)
            .find(|at| is_key(*at))
    });
    found.min()
}

fn is_begin(before: &[u8]) -> bool {
    // The name of the algorithm is in between: `EC`, `ENCRYPTED`, `SSH2 ENCRYPTED`.
    const MAX_BETWEEN: usize = 40;
    let tail = &before[before.len().saturating_sub(MAX_BETWEEN)..];
    tail.windows(10)
        .any(|window| window == b"---- BEGIN" || window == b"----BEGIN ")
}

fn has_key(rest: &[u8]) -> bool {
    let below = &rest[..rest.len().min(MAX_KEY_DISTANCE)];
    let mut runs = below.split(|byte| !(byte.is_ascii_alphanumeric() || b"/+=".contains(byte)));
    runs.any(|run| run.len() >= MIN_KEY_LINE && is_varied(run))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(
            find_secret(text).map(|secret| secret.kind),
            expected,
            "{text}"
        );
    }

    /// Returns a body that no service has issued; complete tokens do not belong in a repository.
    fn body(n: usize) -> String {
        "Ab3dE5gH7jKq".chars().cycle().take(n).collect()
    }

    fn pem(algorithm: &str) -> String {
        let key = body(64);
        format!(
            "-----BEGIN {algorithm}PRIVATE KEY-----\n{key}\n-----END {algorithm}PRIVATE KEY-----\n"
        )
    }

    #[test]
    fn tokens_are_detected_with_their_kind() {
        for pattern in &*PATTERNS {
            for prefix in &pattern.prefixes {
                let mut token = body(pattern.min_len.max(30));
                token.truncate(pattern.max_len);
                if pattern.allows(b'.') {
                    token = format!("{}.eyJ{}.{}", body(20), body(20), body(43));
                } else if !pattern.allows(b'a') {
                    token.make_ascii_uppercase();
                }
                for around in [
                    "key = \"#\"",
                    "KEY=#",
                    "Use #.",
                    "https://x.org/?t=#&u=1",
                    "`#`",
                ] {
                    check(
                        &around.replace('#', &format!("{prefix}{token}")),
                        Some(pattern.kind),
                    );
                }
            }
        }
    }

    #[test]
    fn private_keys_are_detected() {
        for algorithm in [
            "",
            "RSA ",
            "EC ",
            "OPENSSH ",
            "ENCRYPTED ",
            "SSH2 ENCRYPTED ",
        ] {
            check(&pem(algorithm), Some("a private key"));
            check(
                &pem(algorithm).replace('\n', "\r\n    "),
                Some("a private key"),
            );
            check(
                &format!("{{\"key\": {:?}}}", pem(algorithm)),
                Some("a private key"),
            );
        }
        let key = body(64);
        let armour = format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{key}\n");
        check(&armour, Some("a private key"));
        let putty = format!("PuTTY-User-Key-File-3: ssh-rsa\nComment: x\nPublic-Lines: 6\n{key}\n");
        check(&putty, Some("a private key"));
    }

    #[test]
    fn mentions_of_secrets_are_not_secrets() {
        for text in [
            "Never commit AKIA keys, or tokens such as ghp_… or glpat-….",
            "Tokens begin with `ghp_`, keys with `sk_live_`.",
            "ghp_short",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "export AWS_ACCESS_KEY_ID=AKIAXXXXXXXXXXXXXXXX",
            "Never commit files with -----BEGIN RSA PRIVATE KEY----- in them.",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "A PRIVATE KEY is made by src/crypto/keys/generation/ed25519/fresh/from/seed",
            "-----BEGIN CERTIFICATE-----",
            "-----BEGIN PUBLIC KEY-----",
            "the function parse_AKIAABCDEFGHIJ2LMNOP is ours",
            "AKIAABCDEFGHIJ2LMNOPQRSTUV is no key: it is too long",
            "sk-ant-colony-optimisation-with-a-very-long-name-indeed-it-is",
            "task-ant-colony-optimisation-with-a-very-long-name-indeed-it-is",
            "npm_config_registry and npm_lifecycle_event_and_more_of_that_kind",
            "eyJhbGciOi is how a header starts",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha512-MxjMLRyvlJZ2Zp1Vkt0eOV1QTKpKlYXcBsb1xoKpHLrGuhYHgO8TlKTvwFZQmNcVDWbdHQnAnDhGmjUcBo5MpQ==",
            "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
            "https://example.com/SG.html and hvs.example.org",
        ] {
            check(text, None);
        }
        check(&format!("AKIAIOSFODNN7{}", "EXAMPLE"), None);
    }

    #[test]
    fn the_line_is_that_of_the_first_secret() {
        let text = format!("one\ntwo\nghp_{} glpat-{}\n{}", body(36), body(20), pem(""));
        assert_eq!(
            find_secret(&text),
            Some(Secret {
                kind: "a GitHub token",
                line: 2
            })
        );
    }

    #[test]
    fn hostile_text_takes_linear_time() {
        for (unit, kind) in [
            ("glpat-", None),
            ("eyJ.", None),
            ("SG.", None),
            ("-----BEGIN PRIVATE KEY", None),
            ("PuTTY-User-Key-File-", None),
        ] {
            check(&unit.repeat(20_000), kind);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_scanned(text in any::<String>(), unit in "(ghp_|sk-|eyJ|PRIVATE KEY|[a-zß.]){0,30}") {
            find_secret(&text);
            find_secret(&unit);
        }

        #[test]
        fn text_around_a_token_does_not_hide_it(
            before in "[a-zA-Z äé\n]{0,20}[ \"'=:(`\n]",
            after in "[ \"')`\n][a-zA-Z äé\n]{0,20}",
        ) {
            let text = format!("{before}ghp_{}{after}", body(36));
            let line = before.matches('\n').count();
            prop_assert_eq!(find_secret(&text), Some(Secret { kind: "a GitHub token", line }));
        }
    }
}
