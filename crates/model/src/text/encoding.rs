//! Decoding bytes of unknown encoding, and encoding a text as its file was.

use std::borrow::Cow;

const UTF8_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];
const UTF16_LE_MARK: [u8; 2] = [0xFF, 0xFE];
const UTF16_BE_MARK: [u8; 2] = [0xFE, 0xFF];

/// Decodes `bytes` as UTF-8, or as UTF-16 if they start with its byte-order mark.
///
/// A byte-order mark is dropped and invalid bytes become U+FFFD. The flag is false if any
/// byte was replaced.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest),
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        _ => decode_utf8(bytes),
    }
}

/// Returns a text in the encoding of `old`, with its byte-order mark.
pub fn encode_like(old: &[u8], text: &str) -> Vec<u8> {
    if old.starts_with(&UTF16_LE_MARK) {
        return encode_utf16(UTF16_LE_MARK, text, u16::to_le_bytes);
    }
    if old.starts_with(&UTF16_BE_MARK) {
        return encode_utf16(UTF16_BE_MARK, text, u16::to_be_bytes);
    }
    let mut bytes = Vec::with_capacity(UTF8_MARK.len() + text.len());
    if old.starts_with(&UTF8_MARK) {
        bytes.extend(UTF8_MARK);
    }
    bytes.extend(text.as_bytes());
    bytes
}

fn encode_utf16(mark: [u8; 2], text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut bytes = mark.to_vec();
    bytes.extend(text.encode_utf16().flat_map(unit));
    bytes
}

fn decode_utf8(bytes: &[u8]) -> (Cow<'_, str>, bool) {
    // Validating takes a tenth of the time of looking for the parts that are valid.
    match std::str::from_utf8(bytes) {
        Ok(text) => (text.into(), true),
        Err(_) => (String::from_utf8_lossy(bytes), false),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> (Cow<'_, str>, bool) {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|&pair| unit(pair)).collect();
    let is_exact = odd.is_empty() && String::from_utf16(&units).is_ok();
    (Cow::Owned(String::from_utf16_lossy(&units)), is_exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_are_dropped_and_invalid_bytes_flagged() {
        assert_eq!(decode(b"\xEF\xBB\xBFhi"), ("hi".into(), true));
        assert_eq!(decode(b"\xFF\xFEh\0i\0"), ("hi".into(), true));
        assert_eq!(decode(b"\xFE\xFF\0h\0i"), ("hi".into(), true));
        assert_eq!(decode(b"h\xFFi"), ("h\u{FFFD}i".into(), false));
    }

    #[test]
    fn a_text_is_encoded_as_its_file_was() {
        for mark in [&b""[..], &UTF8_MARK, &UTF16_LE_MARK, &UTF16_BE_MARK] {
            let bytes = encode_like(mark, "é𝄞\r\n");
            assert!(bytes.starts_with(mark));
            assert_eq!(decode(&bytes), ("é𝄞\r\n".into(), true), "{mark:?}");
            assert_eq!(encode_like(&bytes, "é𝄞\r\n"), bytes);
        }
    }
}
