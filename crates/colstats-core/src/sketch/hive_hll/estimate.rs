//! From registers to a count: `count` and `estimateBias` of Hive's `HyperLogLog`.
//!
//! The number is part of the blob, so every rounding step of Hive's is kept: single precision for
//! alpha, truncation in between, and the sum over the registers as their order gives it.

use super::bias;
use super::sparse::KEY_COUNT;
use crate::sketch::hive_hll::{HiveHll, Store};

const NEAREST_NEIGHBOURS: usize = 6;

impl HiveHll {
    /// The estimated number of distinct values, Hive's `count()`: 0 for an empty sketch.
    #[must_use]
    pub fn estimate(&self) -> u64 {
        let count = match &self.store {
            Store::Sparse(table) => count_sparse(table.len()),
            Store::Oversized(entries) => count_sparse(entries.len()),
            Store::Dense(registers) => count_dense(registers, self.precision),
        };
        u64::try_from(count).unwrap_or(0)
    }

    /// The number Hive shows and stores, its `estimateNumDistinctValues()`: `estimate()`, but 1
    /// for an empty sketch, because Hive divides by it.
    #[must_use]
    pub fn header_estimate(&self) -> u64 {
        self.estimate().max(1)
    }
}

fn count_sparse(entry_count: usize) -> i64 {
    let zeros = u64::from(KEY_COUNT).saturating_sub(entry_count as u64);
    linear_count(f64::from(KEY_COUNT), zeros)
}

#[allow(clippy::cast_precision_loss, reason = "at most 2^25")]
fn linear_count(register_count: f64, zeros: u64) -> i64 {
    round(register_count * (register_count / zeros as f64).ln())
}

/// Java's `Math.round`.
#[allow(clippy::cast_possible_truncation, reason = "saturates, as in Java")]
fn round(value: f64) -> i64 {
    (value + 0.5).floor() as i64
}

#[allow(clippy::cast_possible_truncation, reason = "truncates and saturates, as in Java")]
fn count_dense(registers: &[u8], precision: u8) -> i64 {
    let register_count = 1i32 << precision;
    // The partial sums are multiples of 2^-largest below 2^precision. As long as those fit the 53
    // bits of a double nothing is rounded, and any order gives what Hive's order gives.
    let largest = registers.iter().copied().max().unwrap_or(0);
    let sum = if precision + largest <= 53 { sum::<8>(registers) } else { sum::<1>(registers) };
    let mut count = (f64::from(alpha_times_square(precision)) * (1.0 / sum)) as i64;
    if count <= i64::from(5 * register_count) {
        count -= estimate_bias(bias::table(precision), count);
    }
    let zeros = count_zeros(registers);
    let by_zeros = if zeros > 0 { linear_count(f64::from(register_count), zeros) } else { count };
    if by_zeros < linear_counting_threshold(precision) { by_zeros } else { count }
}

/// The sum of 2^-rank over the registers, in so many lanes that do not wait for each other.
fn sum<const LANES: usize>(registers: &[u8]) -> f64 {
    let mut sums = [0.0; LANES];
    for ranks in registers.as_chunks::<LANES>().0 {
        for (sum, rank) in sums.iter_mut().zip(ranks) {
            *sum += inverse_power_of_two(*rank);
        }
    }
    sums.iter().fold(0.0, |total, sum| total + sum)
}

/// Counts in bytes first: the processor adds sixteen of them at a time.
fn count_zeros(registers: &[u8]) -> u64 {
    let in_chunk = |chunk: &[u8]| chunk.iter().map(|rank| u8::from(*rank == 0)).sum::<u8>();
    registers.chunks(128).map(|chunk| u64::from(in_chunk(chunk))).sum()
}

/// 2^-rank, exactly.
fn inverse_power_of_two(rank: u8) -> f64 {
    f64::from_bits((1023 - u64::from(rank)) << 52)
}

/// Alpha times the square of the number of registers, in Hive's order of single-precision steps.
#[allow(clippy::cast_precision_loss, reason = "a power of two up to 2^16")]
fn alpha_times_square(precision: u8) -> f32 {
    let register_count = (1u32 << precision) as f32;
    let alpha = 0.7213_f32 / (1.0 + 1.079_f32 / register_count);
    alpha * register_count * register_count
}

/// The mean bias of the six raw estimates nearest to `count`. Hive collects them in a map keyed by
/// the squared distance, so of two at the same distance only the later one counts.
#[allow(clippy::cast_precision_loss, reason = "at most five times 2^16")]
#[allow(clippy::cast_possible_truncation, reason = "truncates, as in Java")]
fn estimate_bias(table: &[(f64, f64)], count: i64) -> i64 {
    let mut nearest: Vec<(f64, f64)> = Vec::with_capacity(NEAREST_NEIGHBOURS + 1);
    for (raw_estimate, bias) in table {
        let distance = (count as f64 - raw_estimate) * (count as f64 - raw_estimate);
        let place = nearest.partition_point(|(other, _)| *other < distance);
        match nearest.get_mut(place) {
            // Not smaller either, so equal.
            Some(same) if same.0 <= distance => same.1 = *bias,
            _ => nearest.insert(place, (distance, *bias)),
        }
        nearest.truncate(NEAREST_NEIGHBOURS);
    }
    let sum: f64 = nearest.iter().fold(0.0, |sum, (_, bias)| sum + bias);
    (sum / NEAREST_NEIGHBOURS as f64 + 0.5) as i64
}

/// Below this, counting zero registers beats the harmonic mean. Hive's list is the one of the
/// HLL++ paper, except at precision 14, where the paper has 11500.
fn linear_counting_threshold(precision: u8) -> i64 {
    match precision {
        4 => 10,
        5 => 20,
        6 => 40,
        7 => 80,
        8 => 220,
        9 => 400,
        10 => 900,
        11 => 1_800,
        12 => 3_100,
        13 => 6_500,
        14 => 15_500,
        15 => 20_000,
        _ => 50_000,
    }
}

#[cfg(test)]
pub(crate) fn alpha_times_square_bits(precision: u8) -> u32 {
    alpha_times_square(precision).to_bits()
}
