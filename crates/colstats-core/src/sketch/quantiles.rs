//! Quantiles of a leaf as Hive 4 keeps them: Apache DataSketches' KLL sketch of floats with k = 200, in
//! its serial form (`HISTOGRAM` of a metastore, `ds_kll_sketch` in Hive).
//!
//! Hive casts every value to float; dates and timestamps go in as seconds since 1970. NaN and infinite
//! values have no place among quantiles and are left out.

use std::ops::Range;

use datasketches::common::SearchCriteria;
use datasketches::kll::{KllFloat, KllSketch};

use crate::column::column_type::ColumnType;
use crate::column::vectors::{Strings, Validity, Values};
use crate::error::{Error, Result};
use crate::kernels::integer::Ordered;

/// Hive's `hive.stats.kll.k.param`.
const HIVE_K: u16 = 200;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// The sketch of one leaf.
#[derive(Debug, Clone)]
pub struct Quantiles {
    /// What a stored value is multiplied with.
    factor: f64,
    /// What it is divided by, as no power of ten below 1 is exact.
    divisor: f64,
    /// The units per second of a stored timestamp; whole seconds count.
    units_per_second: Option<i64>,
    sketch: KllSketch<KllFloat<f32>>,
}

impl PartialEq for Quantiles {
    fn eq(&self, other: &Self) -> bool {
        (self.factor, self.divisor) == (other.factor, other.divisor)
            && self.to_bytes() == other.to_bytes()
    }
}

impl Quantiles {
    /// An empty sketch; `None` for types that have no quantiles in Hive.
    pub fn new(column_type: &ColumnType) -> Result<Option<Quantiles>> {
        use ColumnType as T;
        let (factor, divisor, units_per_second) = match column_type.base() {
            T::Date => (SECONDS_PER_DAY, 1.0, None),
            T::TimestampS => (1.0, 1.0, Some(1)),
            T::TimestampMs => (1.0, 1.0, Some(1_000)),
            T::Timestamp | T::TimestampTz => (1.0, 1.0, Some(1_000_000)),
            T::TimestampNs | T::TimestampTzNs => (1.0, 1.0, Some(1_000_000_000)),
            T::Decimal { scale, .. } => (1.0, 10_f64.powi(i32::from(*scale)), None),
            T::TinyInt
            | T::SmallInt
            | T::Integer
            | T::BigInt
            | T::HugeInt
            | T::UTinyInt
            | T::USmallInt
            | T::UInteger
            | T::UBigInt
            | T::UHugeInt
            | T::Float
            | T::Double => (1.0, 1.0, None),
            _ => return Ok(None),
        };
        let sketch = KllSketch::new(HIVE_K).map_err(describe)?;
        Ok(Some(Quantiles { factor, divisor, units_per_second, sketch }))
    }

    /// Takes in the valid rows of `rows`.
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        validity.for_each_valid(rows, |row| {
            let Some(stored) = number_at(values, row, self.units_per_second) else { return };
            #[expect(clippy::cast_possible_truncation, reason = "Hive casts to float too")]
            let value = (stored * self.factor / self.divisor) as f32;
            if value.is_finite()
                && let Ok(value) = KllFloat::<f32>::new(value)
            {
                self.sketch.update(value);
            }
        });
    }

    /// Takes in what another sketch of the same column saw.
    pub fn merge(&mut self, other: &Quantiles) -> Result<()> {
        self.sketch.merge(&other.sketch).map_err(describe)
    }

    /// The sketch in Apache DataSketches' serial form; `None` while it is empty.
    pub fn to_bytes(&self) -> Option<Vec<u8>> {
        (!self.sketch.is_empty()).then(|| self.sketch.serialize())
    }
}

/// A sketch read from its serial form, to be merged with others.
#[derive(Debug, Clone)]
pub struct Histogram(KllSketch<KllFloat<f32>>);

impl Histogram {
    /// Reads a serial form.
    ///
    /// # Errors
    /// If it is not a KLL sketch of floats.
    pub fn from_bytes(blob: &[u8]) -> Result<Histogram> {
        read(blob).map(Histogram)
    }

    /// Takes in what another sketch saw.
    ///
    /// # Errors
    /// If DataSketches refuses to merge the two.
    pub fn merge(&mut self, other: &Histogram) -> Result<()> {
        self.0.merge(&other.0).map_err(describe)
    }

    /// The serial form.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.serialize()
    }
}

/// The quantiles of a serial form at these ranks (0 to 1); `None` of an empty sketch. Ranks are exclusive,
/// the default of the DataSketches release that Hive uses (`stats_histogram.q.out` shows it).
///
/// # Errors
/// If it is not a KLL sketch of floats.
pub fn quantiles_of(blob: &[u8], ranks: &[f64]) -> Result<Option<Vec<f32>>> {
    let sketch = read(blob)?;
    let found = sketch.quantiles(ranks, SearchCriteria::Exclusive).map_err(describe)?;
    Ok(found.map(|values| values.into_iter().map(KllFloat::into_inner).collect()))
}

fn read(blob: &[u8]) -> Result<KllSketch<KllFloat<f32>>> {
    KllSketch::deserialize(blob).map_err(|error| {
        Error::new(format!("this BLOB is not a KLL sketch of floats: {}", error.message()))
    })
}

fn describe(error: datasketches::error::Error) -> Error {
    Error::new(error.message())
}

fn number_at<'a, S: Strings<'a>>(
    values: &Values<'a, S>,
    row: usize,
    units_per_second: Option<i64>,
) -> Option<f64> {
    Some(match values {
        Values::Int8(values) => f64::from(*values.get(row)?),
        Values::Int16(values) => f64::from(*values.get(row)?),
        Values::Int32(values) => f64::from(*values.get(row)?),
        Values::Int64(values) => match units_per_second {
            Some(units) => values.get(row)?.div_euclid(units) as f64,
            None => *values.get(row)? as f64,
        },
        Values::UInt8(values) => f64::from(*values.get(row)?),
        Values::UInt16(values) => f64::from(*values.get(row)?),
        Values::UInt32(values) => f64::from(*values.get(row)?),
        Values::UInt64(values) => *values.get(row)? as f64,
        Values::Int128(values) => values.get(row)?.key().to_i128() as f64,
        Values::UInt128(values) => values.get(row)?.key().to_u128() as f64,
        Values::Float(values) => f64::from(*values.get(row)?),
        Values::Double(values) => *values.get(row)?,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns::ByteColumn;

    #[test]
    fn quantiles_come_back_from_the_serial_form() {
        let values: Vec<i64> = (0..100_000).collect();
        let mut parts = Vec::new();
        for rows in [0..1_000, 1_000..100_000] {
            let mut sketch = Quantiles::new(&ColumnType::BigInt).unwrap().unwrap();
            let column: Values<'_, ByteColumn<'_>> = Values::Int64(&values);
            sketch.update(&column, Validity::new(None), rows);
            parts.push(sketch.to_bytes().unwrap());
        }
        let mut merged = Histogram::from_bytes(&parts[0]).unwrap();
        merged.merge(&Histogram::from_bytes(&parts[1]).unwrap()).unwrap();
        let merged = merged.to_bytes();
        let found = quantiles_of(&merged, &[0.0, 0.5, 1.0]).unwrap().unwrap();
        assert_eq!((found[0], found[2]), (0.0, 99_999.0));
        assert!((found[1] - 50_000.0).abs() < 4_000.0, "{found:?}");
        assert!(Histogram::from_bytes(b"garbage").is_err());
    }

    #[test]
    fn decimals_are_rounded_once() {
        // 2878664.125 lies halfway between two floats: the even one is the nearest.
        let mut sketch =
            Quantiles::new(&ColumnType::Decimal { width: 18, scale: 5 }).unwrap().unwrap();
        let column: Values<'_, ByteColumn<'_>> = Values::Int64(&[287_866_412_500]);
        sketch.update(&column, Validity::new(None), 0..1);
        let blob = sketch.to_bytes().unwrap();
        assert_eq!(quantiles_of(&blob, &[0.5]), Ok(Some(vec![2_878_664.0])));
    }

    #[test]
    fn dates_and_timestamps_are_seconds() {
        let mut sketch = Quantiles::new(&ColumnType::Date).unwrap().unwrap();
        let column: Values<'_, ByteColumn<'_>> = Values::Int32(&[1, 7]);
        sketch.update(&column, Validity::new(Some(&[1])), 0..2);
        let blob = sketch.to_bytes().unwrap();
        assert_eq!(quantiles_of(&blob, &[0.5]), Ok(Some(vec![86_400.0])));
        let mut sketch = Quantiles::new(&ColumnType::Timestamp).unwrap().unwrap();
        let column: Values<'_, ByteColumn<'_>> = Values::Int64(&[-1]);
        sketch.update(&column, Validity::new(None), 0..1);
        assert_eq!(quantiles_of(&sketch.to_bytes().unwrap(), &[0.5]), Ok(Some(vec![-1.0])));
    }
}
