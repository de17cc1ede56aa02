//! The most frequent values of a leaf with guaranteed bounds on their counts: Apache DataSketches'
//! frequent-items sketch, the successor of the Space-Saving algorithm that Hive's "Column Level Top K
//! Statistics" names.
//!
//! Every reported count is an upper bound of the true count, and the count less its error is a lower
//! bound. A value that is not reported occurs at most as often as the smallest reported count (when
//! there is one).

use std::hash::Hash;
use std::ops::Range;

use datasketches::frequencies::{ErrorType, FrequentItemsSketch};

use crate::column::column_type::ColumnType;
use crate::column::vectors::{ByteString, Strings, Validity, Values};
use crate::error::{Error, Result};
use crate::kernels::integer::Ordered;

/// The counters kept per reported value; the error is at most 3.5 / (counters) of all values.
const COUNTERS_PER_VALUE: usize = 32;
const FEWEST_COUNTERS: usize = 256;

/// A value as DuckDB stores it, in a form that can be looked up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FrequentKey {
    Signed(i128),
    Unsigned(u128),
    /// The bits of a FLOAT; one NaN and one zero.
    Float(u32),
    /// The bits of a DOUBLE; one NaN and one zero.
    Double(u64),
    Bytes(Vec<u8>),
}

/// One of the most frequent values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrequentValue {
    pub key: FrequentKey,
    /// Not less than the true count.
    pub count: u64,
    /// The true count is not less than `count - error`.
    pub error: u64,
}

/// The sketch of one leaf.
#[derive(Debug, Clone)]
pub struct FrequentValues {
    top_k: usize,
    sketch: Sketch,
}

#[derive(Debug, Clone)]
enum Sketch {
    Numbers(FrequentItemsSketch<FrequentKey>),
    /// Text and bytes have a sketch of their own, in which known values are found without a copy.
    Bytes(FrequentItemsSketch<Vec<u8>>),
}

impl PartialEq for FrequentValues {
    fn eq(&self, other: &Self) -> bool {
        self.top_k == other.top_k && self.finish() == other.finish()
    }
}

impl FrequentValues {
    /// An empty sketch that reports `top_k` values; `None` for types whose values are not looked at.
    pub fn new(column_type: &ColumnType, top_k: u16) -> Result<Option<FrequentValues>> {
        use ColumnType as T;
        let top_k = usize::from(top_k);
        let counters = (top_k * COUNTERS_PER_VALUE).max(FEWEST_COUNTERS).next_power_of_two();
        let sketch = match column_type.base() {
            T::Varchar | T::Json | T::Blob | T::Bit | T::BigNum => {
                Sketch::Bytes(FrequentItemsSketch::new(counters).map_err(describe)?)
            }
            T::Null
            | T::TimeTz
            | T::Interval
            | T::Geometry
            | T::Variant
            | T::Opaque(_)
            | T::Struct(_)
            | T::List(_)
            | T::Array(..)
            | T::Map(_)
            | T::Union(_) => return Ok(None),
            _ => Sketch::Numbers(FrequentItemsSketch::new(counters).map_err(describe)?),
        };
        Ok(Some(FrequentValues { top_k, sketch }))
    }

    /// Takes in the valid rows of `rows`.
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        match (&mut self.sketch, values) {
            (Sketch::Bytes(sketch), Values::Bytes(strings)) => {
                strings.for_each_valid(rows, |item| sketch.update_ref(item.bytes()));
            }
            (Sketch::Numbers(sketch), values) => {
                validity.for_each_valid(rows, |row| {
                    if let Some(key) = number_at(values, row) {
                        sketch.update(key);
                    }
                });
            }
            _ => {}
        }
    }

    /// Takes in what another sketch of the same column saw; the errors add up.
    pub fn merge(&mut self, other: &FrequentValues) -> Result<()> {
        match (&mut self.sketch, &other.sketch) {
            (Sketch::Numbers(sketch), Sketch::Numbers(other)) => sketch.merge(other),
            (Sketch::Bytes(sketch), Sketch::Bytes(other)) => sketch.merge(other),
            _ => return Err(Error::new("frequent values of different types do not merge")),
        }
        Ok(())
    }

    /// The most frequent values: by count, equal counts by value.
    pub fn finish(&self) -> Vec<FrequentValue> {
        let mut found = match &self.sketch {
            Sketch::Numbers(sketch) => rows(sketch, Clone::clone),
            Sketch::Bytes(sketch) => rows(sketch, |bytes| FrequentKey::Bytes(bytes.clone())),
        };
        found.sort_by(|left, right| {
            right.count.cmp(&left.count).then_with(|| left.key.cmp(&right.key))
        });
        found.truncate(self.top_k);
        found
    }
}

fn rows<T: Clone + Eq + Hash>(
    sketch: &FrequentItemsSketch<T>,
    key: impl Fn(&T) -> FrequentKey,
) -> Vec<FrequentValue> {
    sketch
        .frequent_items(ErrorType::NoFalseNegatives)
        .iter()
        .map(|row| FrequentValue {
            key: key(row.item()),
            count: row.upper_bound(),
            error: row.upper_bound() - row.lower_bound(),
        })
        .collect()
}

fn describe(error: datasketches::error::Error) -> Error {
    Error::new(error.message())
}

/// The value of a row, unless its type is text.
fn number_at<'a, S: Strings<'a>>(values: &Values<'a, S>, row: usize) -> Option<FrequentKey> {
    use FrequentKey::{Double, Float, Signed, Unsigned};
    Some(match values {
        Values::Boolean(values) => Unsigned(u128::from(*values.get(row)? != 0)),
        Values::Int8(values) => Signed((*values.get(row)?).into()),
        Values::Int16(values) => Signed((*values.get(row)?).into()),
        Values::Int32(values) => Signed((*values.get(row)?).into()),
        Values::Int64(values) => Signed((*values.get(row)?).into()),
        Values::UInt8(values) => Unsigned((*values.get(row)?).into()),
        Values::UInt16(values) => Unsigned((*values.get(row)?).into()),
        Values::UInt32(values) => Unsigned((*values.get(row)?).into()),
        Values::UInt64(values) => Unsigned((*values.get(row)?).into()),
        Values::Int128(values) => Signed(values.get(row)?.key().to_i128()),
        Values::UInt128(values) => Unsigned(values.get(row)?.key().to_u128()),
        // Adding zero makes -0.0 the other zero: DuckDB calls them equal.
        Values::Float(values) => Float(match *values.get(row)? {
            value if value.is_nan() => f32::NAN.to_bits(),
            value => (value + 0.0).to_bits(),
        }),
        Values::Double(values) => Double(match *values.get(row)? {
            value if value.is_nan() => f64::NAN.to_bits(),
            value => (value + 0.0).to_bits(),
        }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns::ByteColumn;
    use std::collections::HashMap;

    #[test]
    fn few_values_are_counted_exactly() {
        let mut sketch = FrequentValues::new(&ColumnType::Double, 2).unwrap().unwrap();
        let values = [0.0, -0.0, f64::NAN, -f64::NAN, f64::NAN, 1.0];
        let column: Values<'_, ByteColumn<'_>> = Values::Double(&values);
        sketch.update(&column, Validity::new(None), 0..6);
        let found: Vec<_> = sketch.finish().iter().map(|v| (v.key.clone(), v.count)).collect();
        let nan = FrequentKey::Double(f64::NAN.to_bits());
        assert_eq!(found, [(nan, 3), (FrequentKey::Double(0), 2)]);
    }

    #[test]
    fn bounds_hold_after_any_merge() {
        let mut truth: HashMap<i64, u64> = HashMap::new();
        let mut merged = FrequentValues::new(&ColumnType::BigInt, 10).unwrap().unwrap();
        for part in 0..4_i64 {
            let values: Vec<i64> = (0..20_000)
                .map(|row: i64| if row % 3 == 0 { row % 7 } else { row * 31 + part })
                .collect();
            values.iter().for_each(|value| *truth.entry(*value).or_default() += 1);
            let mut sketch = FrequentValues::new(&ColumnType::BigInt, 10).unwrap().unwrap();
            let column: Values<'_, ByteColumn<'_>> = Values::Int64(&values);
            sketch.update(&column, Validity::new(None), 0..values.len());
            merged.merge(&sketch).unwrap();
        }
        let found = merged.finish();
        assert_eq!(found.len(), 10);
        for value in &found {
            let FrequentKey::Signed(key) = value.key else { panic!("not a number") };
            let count = truth.get(&i64::try_from(key).unwrap()).copied().unwrap_or_default();
            assert!(value.count - value.error <= count && count <= value.count, "{value:?}");
        }
        // The seven frequent ones come first.
        let first: Vec<_> = found.iter().take(7).map(|value| value.key.clone()).collect();
        assert!((0..7).all(|key| first.contains(&FrequentKey::Signed(key))), "{found:?}");
    }
}
