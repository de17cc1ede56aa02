//! Smallest and largest of floating-point values, and the count of NaN.
//!
//! NaN never becomes a bound (DuckLake, Iceberg and Parquet agree on that). The values are compared by
//! a signed integer key in which -0.0 comes before 0.0, as Iceberg's bounds require, and which makes the
//! loop free of floating-point comparison rules.

use std::ops::Range;

use multiversion::multiversion;

use crate::column::vectors::Validity;

/// What the kernel needs of `f32` and `f64`.
pub trait Floating: Copy {
    /// The order key of the value, or `None` for NaN.
    fn key(self) -> Option<i64>;
    /// The value behind a key.
    fn from_key(key: i64) -> Self;
}

impl Floating for f32 {
    #[inline]
    fn key(self) -> Option<i64> {
        let bits = self.to_bits().cast_signed();
        (!self.is_nan()).then_some(i64::from(bits ^ ((bits >> 31) & i32::MAX)))
    }

    #[expect(clippy::cast_possible_truncation, reason = "keys of f32 are made from 32 bits")]
    fn from_key(key: i64) -> f32 {
        let bits = key as i32;
        f32::from_bits((bits ^ ((bits >> 31) & i32::MAX)).cast_unsigned())
    }
}

impl Floating for f64 {
    #[inline]
    fn key(self) -> Option<i64> {
        let bits = self.to_bits().cast_signed();
        (!self.is_nan()).then_some(bits ^ ((bits >> 63) & i64::MAX))
    }

    fn from_key(key: i64) -> f64 {
        f64::from_bits((key ^ ((key >> 63) & i64::MAX)).cast_unsigned())
    }
}

/// Keys of the smallest and largest value that is not NaN, and how many are NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatExtremes {
    pub min_key: i64,
    pub max_key: i64,
    pub nan_count: u64,
}

impl FloatExtremes {
    /// The neutral start.
    pub const EMPTY: FloatExtremes =
        FloatExtremes { min_key: i64::MAX, max_key: i64::MIN, nan_count: 0 };

    /// Takes in the valid rows of `rows`.
    pub fn update<T: Floating>(
        &mut self,
        values: &[T],
        validity: Validity<'_>,
        rows: Range<usize>,
    ) {
        // A local copy keeps the loop in registers.
        let mut seen = *self;
        if validity.words().is_none() {
            seen = with_all(seen, values.get(rows).unwrap_or_default());
        } else {
            validity.for_each_valid(rows, |row| {
                if let Some(value) = values.get(row) {
                    seen.add(*value);
                }
            });
        }
        *self = seen;
    }

    /// Takes in one value.
    #[inline]
    pub fn add<T: Floating>(&mut self, value: T) {
        let key = value.key();
        self.min_key = self.min_key.min(key.unwrap_or(i64::MAX));
        self.max_key = self.max_key.max(key.unwrap_or(i64::MIN));
        self.nan_count += u64::from(key.is_none());
    }

    /// Takes in what another pass saw.
    pub fn merge(&mut self, other: &FloatExtremes) {
        self.min_key = self.min_key.min(other.min_key);
        self.max_key = self.max_key.max(other.max_key);
        self.nan_count += other.nan_count;
    }

    /// Whether there is a value that can be a bound.
    pub fn has_bounds(&self) -> bool {
        self.min_key <= self.max_key
    }
}

#[multiversion(targets = "simd")]
fn with_all<T: Floating>(mut seen: FloatExtremes, values: &[T]) -> FloatExtremes {
    values.iter().for_each(|value| seen.add(*value));
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_order_all_values_and_come_back() {
        let values = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            1.0,
            f64::MAX,
            f64::INFINITY,
        ];
        let keys: Vec<i64> = values.iter().map(|value| value.key().unwrap()).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(
            values.iter().zip(&keys).all(|(v, key)| f64::from_key(*key).to_bits() == v.to_bits())
        );
        for value in values {
            let narrow = value as f32;
            assert_eq!(f32::from_key(narrow.key().unwrap()).to_bits(), narrow.to_bits());
        }
        assert_eq!((f64::NAN.key(), (-f32::NAN).key()), (None, None));
    }

    #[test]
    fn nan_is_counted_and_left_out() {
        let mut seen = FloatExtremes::EMPTY;
        seen.update(&[f32::NAN, -f32::NAN], Validity::new(None), 0..2);
        assert!(!seen.has_bounds());
        seen.update(&[1.5_f32, f32::NAN, -2.0, 9.0], Validity::new(Some(&[0b0111])), 0..4);
        assert_eq!(seen.nan_count, 3);
        assert_eq!((f32::from_key(seen.min_key), f32::from_key(seen.max_key)), (-2.0, 1.5));
    }
}
