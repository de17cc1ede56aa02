//! Smallest and largest of integer-like values: integers, decimals, dates, times, UUIDs, enum
//! indexes. All of them order as the integer DuckDB stores.
//!
//! The loops start from a neutral pair (largest, smallest), so that no value needs an "is it the
//! first" test and the compiler can vectorise the pass without NULLs, once for each set of instructions.

use std::ops::Range;

use multiversion::multiversion;

use crate::column::vectors::{SignedWords, UnsignedWords, Validity};

/// A signed 128-bit value in two words. The derived order (high word, then low) is the numeric one,
/// and unlike `i128` it asks for no 16-byte alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wide {
    pub high: i64,
    pub low: u64,
}

/// An unsigned 128-bit value in two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnsignedWide {
    pub high: u64,
    pub low: u64,
}

impl Wide {
    /// The number itself.
    pub fn to_i128(self) -> i128 {
        i128::from(self.high) << 64 | i128::from(self.low)
    }
}

impl UnsignedWide {
    /// The number itself.
    pub fn to_u128(self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

impl From<i128> for Wide {
    #[expect(clippy::cast_possible_truncation, reason = "splits into two words")]
    fn from(value: i128) -> Wide {
        Wide { high: (value >> 64) as i64, low: value as u64 }
    }
}

impl From<u128> for UnsignedWide {
    #[expect(clippy::cast_possible_truncation, reason = "splits into two words")]
    fn from(value: u128) -> UnsignedWide {
        UnsignedWide { high: (value >> 64) as u64, low: value as u64 }
    }
}

/// What the kernel needs of a stored type: its order and the ends of its range.
pub trait Ordered: Copy {
    type Key: Copy + Ord;
    const SMALLEST: Self::Key;
    const LARGEST: Self::Key;
    fn key(self) -> Self::Key;
}

macro_rules! ordered_primitive {
    ($($primitive:ty),*) => {$(
        impl Ordered for $primitive {
            type Key = $primitive;
            const SMALLEST: $primitive = <$primitive>::MIN;
            const LARGEST: $primitive = <$primitive>::MAX;
            #[inline]
            fn key(self) -> $primitive {
                self
            }
        }
    )*};
}
ordered_primitive!(i8, i16, i32, i64, u8, u16, u32, u64);

impl Ordered for SignedWords {
    type Key = Wide;
    const SMALLEST: Wide = Wide { high: i64::MIN, low: 0 };
    const LARGEST: Wide = Wide { high: i64::MAX, low: u64::MAX };
    #[inline]
    fn key(self) -> Wide {
        Wide { high: self.0[1].cast_signed(), low: self.0[0] }
    }
}

impl Ordered for UnsignedWords {
    type Key = UnsignedWide;
    const SMALLEST: UnsignedWide = UnsignedWide { high: 0, low: 0 };
    const LARGEST: UnsignedWide = UnsignedWide { high: u64::MAX, low: u64::MAX };
    #[inline]
    fn key(self) -> UnsignedWide {
        UnsignedWide { high: self.0[1], low: self.0[0] }
    }
}

/// Smallest and largest valid key of `rows`; the neutral pair when none is valid.
pub fn extremes<T: Ordered>(
    values: &[T],
    validity: Validity<'_>,
    rows: Range<usize>,
) -> (T::Key, T::Key) {
    if validity.words().is_none() {
        return extremes_of_all(values.get(rows).unwrap_or_default());
    }
    let (mut min, mut max) = (T::LARGEST, T::SMALLEST);
    validity.for_each_valid(rows, |row| {
        if let Some(value) = values.get(row) {
            min = min.min(value.key());
            max = max.max(value.key());
        }
    });
    (min, max)
}

#[multiversion(targets = "simd")]
fn extremes_of_all<T: Ordered>(values: &[T]) -> (T::Key, T::Key) {
    let (mut min, mut max) = (T::LARGEST, T::SMALLEST);
    for value in values {
        min = min.min(value.key());
        max = max.max(value.key());
    }
    (min, max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_order_as_the_numbers_do() {
        let numbers = [i128::MIN, -1, 0, 1, i64::MAX as i128 + 1, u64::MAX as i128 + 1, i128::MAX];
        let words: Vec<SignedWords> =
            numbers.iter().map(|n| SignedWords([*n as u64, (*n >> 64) as u64])).collect();
        assert!(words.windows(2).all(|pair| pair[0].key() < pair[1].key()));
        assert!(words.iter().zip(numbers).all(|(word, number)| word.key().to_i128() == number));
    }

    #[test]
    fn null_rows_do_not_count() {
        let words = [0b0110_u64];
        let (min, max) = extremes(&[i64::MIN, 5, 7, i64::MAX], Validity::new(Some(&words)), 0..4);
        assert_eq!((min, max), (5, 7));
        let (min, max) = extremes(&[1_u8, 2], Validity::new(Some(&[0])), 0..2);
        assert_eq!((min, max), (u8::MAX, u8::MIN));
    }
}
