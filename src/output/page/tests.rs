//! What the page says of itself.

use sha2::{Digest, Sha256};

use super::*;

#[test]
fn the_policy_knows_the_style_sheet() {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digest = Sha256::digest(STYLE);
    let mut hash = "sha256-".to_owned();
    for three in digest.chunks(3) {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte))
            << (24 - 8 * three.len());
        let letters = (0..=three.len()).map(|at| bits >> (18 - 6 * at) & 63);
        hash.extend(letters.map(|at| char::from(ALPHABET[at as usize])));
    }
    hash.push('=');
    assert_eq!(STYLE_HASH, hash, "write this hash into `STYLE_HASH`");
}

#[test]
fn a_style_sheet_loads_nothing_and_cannot_end_early() {
    for word in ["url(", "@import", "</", "\\"] {
        assert!(!STYLE.contains(word), "{word}");
    }
}

#[test]
fn an_element_has_the_name_of_its_memory_where_that_can_be_one() {
    assert_eq!(element(3, "db/close-sessions"), "m-db/close-sessions");
    assert_eq!(element(3, "a b\"><script>"), "n-3");
}
