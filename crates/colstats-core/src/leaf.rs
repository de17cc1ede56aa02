//! The accumulator of one leaf: two counts, and the ends that its type can have.

use std::ops::Range;

use crate::column::column_type::ColumnType;
use crate::column::vectors::{Column, SignedWords, Strings, UnsignedWords, Validity, Values};
use crate::details::Details;
use crate::error::{Error, Result};
use crate::kernels::bytes::ByteExtremes;
use crate::kernels::float::{FloatExtremes, Floating};
use crate::kernels::geometry::GeometryExtremes;
use crate::kernels::integer;
use crate::kernels::integer::{Ordered, UnsignedWide, Wide};
use crate::kernels::repetition::StringBatch;
use crate::settings::Settings;
use crate::sketch::distinct::DistinctSketch;
use crate::summary::{Ends, Summary};

/// How many rows of strings are looked through at a time: as many as a chunk of DuckDB has.
const STRINGS_AT_A_TIME: usize = 2_048;

/// The statistics of one leaf column.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafStatistics {
    pub value_count: u64,
    pub null_count: u64,
    pub extremes: Extremes,
    /// Distinct values, where they are asked for and the type has them.
    pub distinct: Option<Box<DistinctSketch>>,
    /// Lengths and the like, where they are asked for.
    pub details: Option<Box<Details>>,
}

/// The ends by family of types. Each family starts neutral, with smallest above largest.
#[derive(Debug, Clone, PartialEq)]
pub enum Extremes {
    /// A type that is only counted.
    None,
    Boolean {
        true_count: u64,
        false_count: u64,
    },
    Signed {
        min: i64,
        max: i64,
    },
    Unsigned {
        min: u64,
        max: u64,
    },
    Wide {
        min: Wide,
        max: Wide,
    },
    UnsignedWide {
        min: UnsignedWide,
        max: UnsignedWide,
    },
    Floating(FloatExtremes),
    Bytes(ByteExtremes),
    Geometry(Box<GeometryExtremes>),
}

impl Extremes {
    /// The neutral start for a leaf of this type. TIMETZ and INTERVAL have no ends: their stored order
    /// is not the order their text sorts in (DuckLake keeps none either).
    pub fn new(column_type: &ColumnType, max_bound_bytes: u32) -> Self {
        use ColumnType::*;
        match column_type.base() {
            Boolean => Extremes::Boolean { true_count: 0, false_count: 0 },
            TinyInt | SmallInt | Integer | BigInt | Date | Time | TimeNs | TimestampS
            | TimestampMs | Timestamp | TimestampNs | TimestampTz | TimestampTzNs => {
                Extremes::Signed { min: i64::MAX, max: i64::MIN }
            }
            Decimal { width, .. } if *width <= 18 => {
                Extremes::Signed { min: i64::MAX, max: i64::MIN }
            }
            UTinyInt | USmallInt | UInteger | UBigInt | Enum(_) => {
                Extremes::Unsigned { min: u64::MAX, max: u64::MIN }
            }
            HugeInt | Uuid | Decimal { .. } => {
                Extremes::Wide { min: SignedWords::LARGEST, max: SignedWords::SMALLEST }
            }
            UHugeInt => {
                Extremes::UnsignedWide { min: UnsignedWords::LARGEST, max: UnsignedWords::SMALLEST }
            }
            Float | Double => Extremes::Floating(FloatExtremes::EMPTY),
            Varchar | Json | Blob => Extremes::Bytes(ByteExtremes::new(max_bound_bytes)),
            // Neither can be cut and still be read as a value of its type.
            Bit | BigNum => Extremes::Bytes(ByteExtremes::new(u32::MAX)),
            Geometry => Extremes::Geometry(Box::new(GeometryExtremes::EMPTY)),
            _ => Extremes::None,
        }
    }
}

impl LeafStatistics {
    /// An empty accumulator for a leaf of this type.
    pub fn new(column_type: &ColumnType, settings: Settings) -> Result<Self> {
        let distinct = match settings.sketch_precision {
            Some(precision) => DistinctSketch::new(column_type, precision)?.map(Box::new),
            None => None,
        };
        let extremes = Extremes::new(column_type, settings.max_bound_bytes);
        let details = match settings.details {
            Some(asked) => Some(Box::new(Details::new(column_type, asked)?)),
            None => None,
        };
        Ok(LeafStatistics { value_count: 0, null_count: 0, extremes, distinct, details })
    }

    /// Takes in `rows` of `column`. No value is copied to the heap unless it is kept.
    pub fn update<'a, S: Strings<'a>>(&mut self, column: &Column<'a, S>, rows: Range<usize>) {
        let validity = column.validity.within(&rows);
        let value_count = validity.count_valid(&rows);
        self.value_count += value_count as u64;
        self.null_count += (rows.len() - value_count) as u64;
        if value_count == 0 {
            return;
        }
        if let Some(details) = &mut self.details {
            details.update(&column.values, validity, rows.clone());
        }
        if let Values::Bytes(strings) = &column.values {
            for start in rows.clone().step_by(STRINGS_AT_A_TIME) {
                self.update_strings(strings, start..rows.end.min(start + STRINGS_AT_A_TIME));
            }
            return;
        }
        if let Some(sketch) = &mut self.distinct {
            sketch.update(&column.values, validity, rows.clone());
        }
        self.update_extremes(&column.values, validity, rows);
    }

    fn update_strings<'a, S: Strings<'a>>(&mut self, strings: &S, rows: Range<usize>) {
        // Repetitions cost more to find than to compare, and less than to hash or to parse.
        if let (Extremes::Bytes(seen), None, None) =
            (&mut self.extremes, &self.distinct, &self.details)
        {
            seen.update(strings, rows);
            return;
        }
        let batch = StringBatch::new(strings, rows);
        if let Some(sketch) = &mut self.distinct {
            sketch.update_strings(batch.items());
        }
        if let Some(details) = &mut self.details {
            details.update_strings(&batch);
        }
        match &mut self.extremes {
            Extremes::Bytes(seen) => seen.update(&batch, 0..batch.items().len()),
            Extremes::Geometry(seen) => seen.update(batch.items()),
            _ => {}
        }
    }

    fn update_extremes<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        match (&mut self.extremes, values) {
            (Extremes::Boolean { true_count, false_count }, Values::Boolean(values)) => {
                validity.for_each_valid(rows, |row| {
                    let is_true = values.get(row).is_some_and(|value| *value != 0);
                    *true_count += u64::from(is_true);
                    *false_count += u64::from(!is_true);
                });
            }
            (Extremes::Signed { min, max }, values) => {
                let (low, high) = match values {
                    Values::Int8(values) => widened(integer::extremes(values, validity, rows)),
                    Values::Int16(values) => widened(integer::extremes(values, validity, rows)),
                    Values::Int32(values) => widened(integer::extremes(values, validity, rows)),
                    Values::Int64(values) => integer::extremes(values, validity, rows),
                    _ => return,
                };
                (*min, *max) = ((*min).min(low), (*max).max(high));
            }
            (Extremes::Unsigned { min, max }, values) => {
                let (low, high) = match values {
                    Values::UInt8(values) => widened(integer::extremes(values, validity, rows)),
                    Values::UInt16(values) => widened(integer::extremes(values, validity, rows)),
                    Values::UInt32(values) => widened(integer::extremes(values, validity, rows)),
                    Values::UInt64(values) => integer::extremes(values, validity, rows),
                    _ => return,
                };
                (*min, *max) = ((*min).min(low), (*max).max(high));
            }
            (Extremes::Wide { min, max }, Values::Int128(values)) => {
                let (low, high) = integer::extremes(values, validity, rows);
                (*min, *max) = ((*min).min(low), (*max).max(high));
            }
            (Extremes::UnsignedWide { min, max }, Values::UInt128(values)) => {
                let (low, high) = integer::extremes(values, validity, rows);
                (*min, *max) = ((*min).min(low), (*max).max(high));
            }
            (Extremes::Floating(seen), Values::Float(values)) => {
                seen.update(values, validity, rows)
            }
            (Extremes::Floating(seen), Values::Double(values)) => {
                seen.update(values, validity, rows);
            }
            _ => {}
        }
    }

    /// Takes in what another accumulator of the same type saw.
    pub fn merge(&mut self, other: &LeafStatistics) -> Result<()> {
        self.value_count = sum(self.value_count, other.value_count)?;
        self.null_count = sum(self.null_count, other.null_count)?;
        match (&mut self.distinct, &other.distinct) {
            (Some(sketch), Some(other)) => sketch.merge(other)?,
            // Distinct values of only a part are not those of the whole.
            (sketch, _) => *sketch = None,
        }
        match (&mut self.details, &other.details) {
            (Some(details), Some(other)) => details.merge(other)?,
            // Details of only a part are not those of the whole.
            (details, _) => *details = None,
        }
        match (&mut self.extremes, &other.extremes) {
            (Extremes::None, Extremes::None) => {}
            (
                Extremes::Boolean { true_count, false_count },
                Extremes::Boolean { true_count: other_true, false_count: other_false },
            ) => {
                *true_count += other_true;
                *false_count += other_false;
            }
            (Extremes::Signed { min, max }, Extremes::Signed { min: low, max: high }) => {
                (*min, *max) = ((*min).min(*low), (*max).max(*high));
            }
            (Extremes::Unsigned { min, max }, Extremes::Unsigned { min: low, max: high }) => {
                (*min, *max) = ((*min).min(*low), (*max).max(*high));
            }
            (Extremes::Wide { min, max }, Extremes::Wide { min: low, max: high }) => {
                (*min, *max) = ((*min).min(*low), (*max).max(*high));
            }
            (
                Extremes::UnsignedWide { min, max },
                Extremes::UnsignedWide { min: low, max: high },
            ) => {
                (*min, *max) = ((*min).min(*low), (*max).max(*high));
            }
            (Extremes::Floating(seen), Extremes::Floating(other)) => seen.merge(other),
            (Extremes::Bytes(seen), Extremes::Bytes(other)) => seen.merge(other),
            (Extremes::Geometry(seen), Extremes::Geometry(other)) => seen.merge(other),
            _ => return Err(Error::new("statistics of different types do not merge")),
        }
        Ok(())
    }

    /// The statistics as they stand.
    pub fn finish(&self, path: Vec<String>, column_type: ColumnType) -> Summary {
        Summary {
            path,
            value_count: self.value_count,
            null_count: self.null_count,
            nan_count: match &self.extremes {
                Extremes::Floating(seen) => Some(seen.nan_count),
                _ => None,
            },
            ends: self.ends(&column_type),
            geometry: match &self.extremes {
                Extremes::Geometry(seen) => Some((**seen).clone()),
                _ => None,
            },
            truths: match &self.extremes {
                Extremes::Boolean { true_count, false_count } => Some((*true_count, *false_count)),
                _ => None,
            },
            distinct: self.distinct.clone(),
            details: self.details.as_ref().map(|details| Box::new(details.finish(&column_type))),
            column_type,
        }
    }

    fn ends(&self, column_type: &ColumnType) -> Option<Ends> {
        if self.value_count == 0 {
            return None;
        }
        match &self.extremes {
            Extremes::None | Extremes::Geometry(_) => None,
            Extremes::Boolean { true_count, false_count } => {
                Some(Ends::Boolean(*false_count == 0, *true_count > 0))
            }
            Extremes::Signed { min, max } => Some(Ends::Signed((*min).into(), (*max).into())),
            Extremes::Unsigned { min, max } => Some(Ends::Unsigned((*min).into(), (*max).into())),
            Extremes::Wide { min, max } => Some(Ends::Signed(min.to_i128(), max.to_i128())),
            Extremes::UnsignedWide { min, max } => {
                Some(Ends::Unsigned(min.to_u128(), max.to_u128()))
            }
            Extremes::Floating(seen) if !seen.has_bounds() => None,
            Extremes::Floating(seen) if *column_type.base() == ColumnType::Float => Some(
                Ends::Float(Floating::from_key(seen.min_key), Floating::from_key(seen.max_key)),
            ),
            Extremes::Floating(seen) => Some(Ends::Double(
                Floating::from_key(seen.min_key),
                Floating::from_key(seen.max_key),
            )),
            Extremes::Bytes(seen) => seen.ends.as_ref().map(|(min, max)| Ends::Bytes {
                min: min.clone(),
                max: max.clone(),
                limit_bytes: seen.limit_bytes(),
            }),
        }
    }
}

/// Counts are shown as BIGINT. Rows cannot exceed that, states that are forged or merged again can.
fn sum(left: u64, right: u64) -> Result<u64> {
    left.checked_add(right)
        .filter(|sum| i64::try_from(*sum).is_ok())
        .ok_or_else(|| Error::new("the counts add up to more than a BIGINT holds"))
}

fn widened<Narrow: Into<Large>, Large>((min, max): (Narrow, Narrow)) -> (Large, Large) {
    (min.into(), max.into())
}
