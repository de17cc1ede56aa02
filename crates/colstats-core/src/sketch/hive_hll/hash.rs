//! Hive's hash of a column value: Murmur3.hash64 of storage-api's `org.apache.hive.common.util`.
//!
//! It is not the first half of the 128-bit Murmur3: one lane only, with a seed of its own. Hive
//! hashes numbers as eight big-endian bytes; for those the byte loop collapses to one block.

const FIRST_MULTIPLIER: u64 = 0x87c3_7b91_1142_53d5;
const SECOND_MULTIPLIER: u64 = 0x4cf5_ad43_2745_937f;
const SEED: u64 = 104_729;
const CANONICAL_NAN: u64 = 0x7ff8_0000_0000_0000;

/// The hash of a byte string.
#[must_use]
pub fn hash64(bytes: &[u8]) -> u64 {
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut state = SEED;
    for block in blocks {
        state = absorb(state, u64::from_le_bytes(*block));
    }
    if !tail.is_empty() {
        state ^= scramble(tail_word(bytes, tail));
    }
    finish(state, bytes.len() as u64)
}

/// The one to seven bytes of `tail`, which end `bytes`, least significant first.
#[inline]
fn tail_word(bytes: &[u8], tail: &[u8]) -> u64 {
    match bytes.last_chunk::<8>() {
        // The upper bytes of the last word, the others shifted out.
        Some(last) => u64::from_le_bytes(*last) >> (64 - 8 * tail.len()),
        None => tail.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// The hash of a long, that is `hash64` of its eight bytes, most significant first.
#[inline]
#[must_use]
pub fn hash_long(value: i64) -> u64 {
    hash_eight_bytes(value.cast_unsigned())
}

/// The hash of a double, that is of its IEEE bits: every NaN is one value, the two zeros are two.
#[inline]
#[must_use]
pub fn hash_double(value: f64) -> u64 {
    hash_eight_bytes(if value.is_nan() { CANONICAL_NAN } else { value.to_bits() })
}

#[inline]
fn hash_eight_bytes(bits: u64) -> u64 {
    // Written big-endian, read little-endian.
    finish(absorb(SEED, bits.swap_bytes()), 8)
}

#[inline]
fn scramble(block: u64) -> u64 {
    block.wrapping_mul(FIRST_MULTIPLIER).rotate_left(31).wrapping_mul(SECOND_MULTIPLIER)
}

#[inline]
fn absorb(state: u64, block: u64) -> u64 {
    let mixed = (state ^ scramble(block)).rotate_left(27);
    mixed.wrapping_mul(5).wrapping_add(0x52dc_e729)
}

#[inline]
fn finish(state: u64, length: u64) -> u64 {
    let mut hash = state ^ length;
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ hash >> 33
}

/// The rank of a hash: the trailing zeros above its index bits, plus one. It is 1 to 64 - precision, or 65 where no
/// bit is set.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "at most 65")]
pub(super) fn rank_of(hash: u64, precision: u8) -> u8 {
    (hash >> precision).trailing_zeros() as u8 + 1
}
