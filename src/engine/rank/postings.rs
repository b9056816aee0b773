//! A file's terms packed into bytes: what the first stage ranks files by.
//!
//! Term ids ascend, so that differences are small numbers; all numbers are LEB128
//! varints. First the terms of the path, then those of the text with their counts.
//! Packed, a file takes about a tenth of its source; ranking reads it in order.

/// Counted terms, ascending by id.
pub(crate) type Counts = Vec<(u32, u32)>;

/// Returns the packed terms of a file.
pub(crate) fn pack(path: &[u32], text: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * text.len() + path.len() + 2);
    push(&mut bytes, u32::try_from(path.len()).unwrap_or(0));
    let mut last = 0;
    for &id in path {
        push(&mut bytes, id - last);
        last = id;
    }
    last = 0;
    for &(id, count) in text {
        push(&mut bytes, id - last);
        push(&mut bytes, count);
        last = id;
    }
    bytes
}

/// Calls `each` with every term id, its count in the text, and whether it is in the path instead.
/// Bytes that are no packed vector end the reading early.
pub(crate) fn unpack(bytes: &[u8], mut each: impl FnMut(u32, u32, bool)) {
    let mut rest = bytes;
    if pull_path(&mut rest, |id| each(id, 1, true)).is_none() {
        return;
    }
    let mut id = 0u32;
    while let (Some(step), Some(count)) = (pull_u32(&mut rest), pull_u32(&mut rest)) {
        id = id.wrapping_add(step);
        each(id, count, false);
    }
}

/// Returns the ids of the terms in the path.
pub(crate) fn path(bytes: &[u8]) -> Vec<u32> {
    let (mut rest, mut ids) = (bytes, Vec::new());
    // What ends early has no more.
    let _ = pull_path(&mut rest, |id| ids.push(id));
    ids
}

fn pull_path(rest: &mut &[u8], mut each: impl FnMut(u32)) -> Option<()> {
    let mut id = 0u32;
    for _ in 0..pull_u32(rest)? {
        id = id.wrapping_add(pull_u32(rest)?);
        each(id);
    }
    Some(())
}

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, number: impl Into<u64>) {
    let mut number = number.into();
    while number >= 0x80 {
        bytes.push((number as u8) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front.
pub(super) fn pull(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn pull_u32(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(pull(rest)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unpacking_gives_back_what_was_packed(
            path in prop::collection::btree_set(any::<u32>(), 0..8),
            text in prop::collection::btree_map(any::<u32>(), 1..u32::MAX, 0..40),
        ) {
            let path: Vec<u32> = path.into_iter().collect();
            let text: Counts = text.into_iter().collect();
            let (mut got_path, mut got_text) = (Vec::new(), Vec::new());
            unpack(&pack(&path, &text), |id, count, in_path| {
                if in_path { got_path.push(id) } else { got_text.push((id, count)) }
            });
            prop_assert_eq!(super::path(&pack(&path, &text)), path.clone());
            prop_assert_eq!(got_path, path);
            prop_assert_eq!(got_text, text);
        }

        #[test]
        fn any_bytes_unpack_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            unpack(&bytes, |_, _, _| ());
            super::path(&bytes);
        }
    }
}
