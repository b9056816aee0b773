//! Tests of the style sheet and of the HTML ids.

use sha2::{Digest, Sha256};

use super::*;

#[test]
fn the_policy_has_the_hash_of_the_style_sheet() {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(STYLE);
    let mut hash = "sha256-".to_owned();
    for chunk in digest.chunks(3) {
        let bits = chunk
            .iter()
            .fold(0, |bits, byte| bits << 8 | u32::from(*byte))
            << (24 - 8 * chunk.len());
        let letters = (0..=chunk.len()).map(|idx| bits >> (18 - 6 * idx) & 63);
        hash.extend(letters.map(|letter| char::from(ALPHABET[letter as usize])));
    }
    hash.push('=');
    assert_eq!(STYLE_HASH, hash, "set `STYLE_HASH` to this hash");
}

#[test]
fn the_style_sheet_has_no_resources_and_no_end_tag() {
    for word in ["url(", "@import", "</", "\\"] {
        assert!(!STYLE.contains(word), "{word}");
    }
}

#[test]
fn memories_with_plain_ids_have_them_as_html_ids() {
    assert_eq!(element_id(3, "db/close-sessions"), "m-db/close-sessions");
    assert_eq!(element_id(3, "a b\"><script>"), "n-3");
}
