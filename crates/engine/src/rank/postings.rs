//! The terms of a file packed into bytes, by which the first stage ranks files.
//!
//! First the terms of the path, then the terms of the text with their counts. Term ids ascend and
//! are delta-encoded; all numbers are LEB128 varints. A packed file takes about a tenth of its
//! source; ranking reads it sequentially.

/// Terms with their counts, ascending by id.
pub(crate) type Counts = Vec<(u32, u32)>;

/// Returns the packed terms of a file.
pub fn pack(path: &[u32], text: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(2 * text.len() + path.len() + 2);
    write_varint(&mut bytes, u32::try_from(path.len()).unwrap_or(0));
    let mut previous = 0;
    for &id in path {
        write_varint(&mut bytes, id - previous);
        previous = id;
    }
    previous = 0;
    for &(id, count) in text {
        write_varint(&mut bytes, id - previous);
        write_varint(&mut bytes, count);
        previous = id;
    }
    bytes
}

/// Calls `each` with every term id, its count, and whether it is a term of the path.
/// Stops early at invalid bytes.
pub fn unpack(bytes: &[u8], mut each: impl FnMut(u32, u32, bool)) {
    let mut rest = bytes;
    if read_path(&mut rest, |id| each(id, 1, true)).is_none() {
        return;
    }
    let mut id = 0u32;
    while let (Some(delta), Some(count)) = (read_u32(&mut rest), read_u32(&mut rest)) {
        id = id.wrapping_add(delta);
        each(id, count, false);
    }
}

/// Returns the ids of the terms in the path.
pub(crate) fn path_terms(bytes: &[u8]) -> Vec<u32> {
    let mut rest = bytes;
    let mut ids = Vec::new();
    // Invalid bytes end the list early.
    let _ = read_path(&mut rest, |id| ids.push(id));
    ids
}

fn read_path(rest: &mut &[u8], mut each: impl FnMut(u32)) -> Option<()> {
    let mut id = 0u32;
    for _ in 0..read_u32(rest)? {
        id = id.wrapping_add(read_u32(rest)?);
        each(id);
    }
    Some(())
}

/// Appends a varint.
pub(super) fn write_varint(bytes: &mut Vec<u8>, number: impl Into<u64>) {
    let mut number = number.into();
    while number >= 0x80 {
        bytes.push((number as u8) | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a varint and advances `rest`.
pub(super) fn read_varint(rest: &mut &[u8]) -> Option<u64> {
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

fn read_u32(rest: &mut &[u8]) -> Option<u32> {
    u32::try_from(read_varint(rest)?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn packing_round_trips(
            path in prop::collection::btree_set(any::<u32>(), 0..8),
            text in prop::collection::btree_map(any::<u32>(), 1..u32::MAX, 0..40),
        ) {
            let path: Vec<u32> = path.into_iter().collect();
            let text: Counts = text.into_iter().collect();
            let (mut actual_path, mut actual_text) = (Vec::new(), Vec::new());
            unpack(&pack(&path, &text), |id, count, in_path| {
                if in_path { actual_path.push(id) } else { actual_text.push((id, count)) }
            });
            prop_assert_eq!(path_terms(&pack(&path, &text)), path.clone());
            prop_assert_eq!(actual_path, path);
            prop_assert_eq!(actual_text, text);
        }

        #[test]
        fn any_bytes_unpack_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            unpack(&bytes, |_, _, _| ());
            path_terms(&bytes);
        }
    }
}
