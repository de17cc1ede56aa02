//! Which statistics of a footer DuckDB's `parquet_metadata` can list.
//!
//! It writes every bound as text, whichever columns are asked for. At some it raises an internal error, which ends
//! the whole database, or ends the process. Found by running it on DuckDB 1.3 to 2.0 over every physical type with
//! every annotation, and bounds of many lengths (test/e2e/parquet/test_hostile_footers.py).

use super::thrift_compact::{Kind, Reader};

/// The part of a leaf's type that decides whether its bounds can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BoundKind {
    /// Any bytes can be listed, or give a plain error.
    #[default]
    Any,
    /// None can: INTERVAL, and the type of columns that hold only NULL.
    None,
    /// Times in the day, stored in so many bytes.
    Time { bytes: usize, units_per_day: i64 },
    /// Whole numbers of so many bytes, which have no more digits than the type says.
    Decimal { bytes: usize, precision: u32 },
}

/// The annotations of a leaf as they are read from a schema.
#[derive(Debug, Clone, Copy, Default)]
pub struct Annotations {
    pub physical_type: Option<i64>,
    pub converted_type: Option<i64>,
    pub precision: Option<i64>,
    pub logical: Option<Logical>,
}

/// A logical type, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Logical {
    Decimal {
        precision: Option<i64>,
    },
    /// `unit` is 1 for milliseconds, 2 for microseconds, 3 for nanoseconds.
    Time {
        unit: Option<i64>,
    },
    Unknown,
    Other,
}

/// Numbers of `parquet.thrift`.
const INT32: i64 = 1;
const INT64: i64 = 2;
const CONVERTED_DECIMAL: i64 = 5;
const CONVERTED_TIME_MILLIS: i64 = 7;
const CONVERTED_TIME_MICROS: i64 = 8;
const CONVERTED_INTERVAL: i64 = 21;
const LOGICAL_DECIMAL: i64 = 5;
const LOGICAL_TIME: i64 = 7;
const LOGICAL_UNKNOWN: i64 = 11;

const MILLISECONDS_PER_DAY: i64 = 86_400_000;

impl BoundKind {
    /// The kind of a leaf with these annotations. A logical type is taken before a converted one.
    pub fn of(leaf: &Annotations) -> BoundKind {
        let time = |unit: i64| match unit {
            1 => BoundKind::Time { bytes: 4, units_per_day: MILLISECONDS_PER_DAY },
            2 => BoundKind::Time { bytes: 8, units_per_day: MILLISECONDS_PER_DAY * 1_000 },
            3 => BoundKind::Time { bytes: 8, units_per_day: MILLISECONDS_PER_DAY * 1_000_000 },
            _ => BoundKind::None,
        };
        let decimal = |precision: Option<i64>| {
            let bytes = match leaf.physical_type {
                Some(INT32) => 4,
                Some(INT64) => 8,
                _ => return BoundKind::Any,
            };
            let precision = precision.and_then(|digits| u32::try_from(digits).ok());
            precision.map_or(BoundKind::None, |precision| BoundKind::Decimal { bytes, precision })
        };
        // Which of the two is believed differs between versions, so both have to be harmless.
        match (leaf.logical, leaf.converted_type) {
            (_, Some(CONVERTED_INTERVAL)) | (Some(Logical::Unknown), _) => BoundKind::None,
            (Some(Logical::Time { unit }), _) => time(unit.unwrap_or(0)),
            (_, Some(CONVERTED_TIME_MILLIS)) => time(1),
            (_, Some(CONVERTED_TIME_MICROS)) => time(2),
            (Some(Logical::Decimal { precision }), _) => decimal(precision.or(leaf.precision)),
            (_, Some(CONVERTED_DECIMAL)) => decimal(leaf.precision),
            _ => BoundKind::Any,
        }
    }

    fn can_list(self, bound: &[u8]) -> bool {
        let number = || match bound {
            [a, b, c, d] => Some(i64::from(i32::from_le_bytes([*a, *b, *c, *d]))),
            _ => Some(i64::from_le_bytes(*bound.first_chunk::<8>()?)),
        };
        match self {
            BoundKind::Any => true,
            BoundKind::None => false,
            BoundKind::Time { bytes, units_per_day } => {
                bound.len() == bytes
                    && number().is_some_and(|time| (0..=units_per_day).contains(&time))
            }
            BoundKind::Decimal { bytes, precision } => {
                let limit = 10_u64.checked_pow(precision);
                bound.len() == bytes
                    && number().is_some_and(|n| limit.is_none_or(|limit| n.unsigned_abs() < limit))
            }
        }
    }

    /// Reads the statistics of a column chunk; whether its bounds can be listed.
    pub(super) fn can_list_statistics(self, reader: &mut Reader<'_>) -> Option<bool> {
        let mut can_list = true;
        reader.each_field(|reader, number, kind| match (number, kind) {
            // max, min, max_value, min_value
            (1 | 2 | 5 | 6, Kind::Binary) => {
                can_list &= self.can_list(reader.binary()?);
                Some(())
            }
            (_, kind) => reader.skip(kind),
        })?;
        Some(can_list)
    }
}

/// Reads the union of logical types.
pub(super) fn logical_type(reader: &mut Reader<'_>) -> Option<Logical> {
    let mut logical = Logical::Other;
    reader.each_field(|reader, number, kind| match (i64::from(number), kind) {
        (LOGICAL_DECIMAL, Kind::Struct) => {
            let mut precision = None;
            reader.each_field(|reader, number, kind| match (number, kind) {
                (2, Kind::Integer) => reader.integer().map(|digits| precision = Some(digits)),
                (_, kind) => reader.skip(kind),
            })?;
            logical = Logical::Decimal { precision };
            Some(())
        }
        (LOGICAL_TIME, Kind::Struct) => {
            let mut unit = None;
            reader.each_field(|reader, number, kind| match (number, kind) {
                (2, Kind::Struct) => reader.each_field(|reader, number, kind| {
                    unit = Some(i64::from(number));
                    reader.skip(kind)
                }),
                (_, kind) => reader.skip(kind),
            })?;
            logical = Logical::Time { unit };
            Some(())
        }
        (LOGICAL_UNKNOWN, kind) => {
            logical = Logical::Unknown;
            reader.skip(kind)
        }
        (_, kind) => reader.skip(kind),
    })?;
    Some(logical)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(physical_type: i64, converted_type: i64) -> BoundKind {
        BoundKind::of(&Annotations {
            physical_type: Some(physical_type),
            converted_type: Some(converted_type),
            precision: Some(9),
            logical: None,
        })
    }

    #[test]
    fn bounds_of_times_lie_in_the_day() {
        let time = kind(INT64, CONVERTED_TIME_MICROS);
        assert!(time.can_list(&86_400_000_000_i64.to_le_bytes()) && time.can_list(&[0; 8]));
        assert!(!time.can_list(&86_400_000_001_i64.to_le_bytes()) && !time.can_list(&[0xff; 8]));
        assert!(!time.can_list(&[0; 4]) && !time.can_list(&[]) && !time.can_list(&[0; 9]));
        assert!(kind(INT32, CONVERTED_TIME_MILLIS).can_list(&[0; 4]));
    }

    #[test]
    fn bounds_of_decimals_have_no_more_digits_than_their_type() {
        let decimal = kind(INT64, CONVERTED_DECIMAL);
        assert!(decimal.can_list(&999_999_999_i64.to_le_bytes()));
        assert!(!decimal.can_list(&(-1_000_000_000_i64).to_le_bytes()));
        assert!(!decimal.can_list(&i64::MIN.to_le_bytes()));
        assert_eq!(kind(6, CONVERTED_DECIMAL), BoundKind::Any);
    }

    #[test]
    fn intervals_and_unknown_types_have_no_bounds_to_list() {
        assert_eq!(kind(7, CONVERTED_INTERVAL), BoundKind::None);
        let unknown = Annotations { logical: Some(Logical::Unknown), ..Annotations::default() };
        assert_eq!(BoundKind::of(&unknown), BoundKind::None);
        assert!(!BoundKind::None.can_list(&[]) && BoundKind::Any.can_list(&[1, 2, 3]));
    }
}
