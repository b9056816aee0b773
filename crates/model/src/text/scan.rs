//! Scanning bytes in blocks, without a branch per byte.

/// The bytes scanned together: one for each bit of a mask.
pub const BLOCK: usize = u64::BITS as usize;

/// Calls `each` with the offset of every 64-byte block and a bit mask of the bytes matching
/// `is`, the first byte as the lowest bit.
///
/// The last block is padded with zero bytes, which `is` must not match. A branch per byte
/// would be mispredicted too often.
#[inline]
pub fn scan_blocks(bytes: &[u8], is: impl Fn(u8) -> bool, mut each: impl FnMut(usize, u64)) {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let mut last = [0; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    for (block_idx, block) in blocks.iter().chain(std::iter::once(&last)).enumerate() {
        let mut matches = [0; BLOCK];
        for (is_match, byte) in matches.iter_mut().zip(block) {
            *is_match = u8::from(is(*byte));
        }
        let mut mask = 0;
        for (chunk_idx, eight) in matches.as_chunks::<8>().0.iter().enumerate() {
            // The product's highest byte has the eight lowest bits side by side.
            let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            mask |= bits << (8 * chunk_idx);
        }
        each(block_idx * BLOCK, mask);
    }
}
