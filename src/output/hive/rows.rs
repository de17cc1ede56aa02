//! The column statistics of a Hive metastore (`TAB_COL_STATS`, `PART_COL_STATS`), as Hive 4 computes
//! them in `ColumnStatsSemanticAnalyzer`.

use super::types::{Kind, hive_type};
use crate::output::blob_text::escaped;
use crate::output::ducklake;
use colstats_core::column::column_type::ColumnType;
use colstats_core::details::DetailSummary;
use colstats_core::kernels::bytes::Prefix;
use colstats_core::settings::Settings;
use colstats_core::sketch::frequent::{FrequentKey, FrequentValue};
use colstats_core::summary::{Ends, Summary};
use colstats_core::value::{Scalar, Speller};

/// The largest number of Hive's widest decimal.
const LARGEST_DECIMAL: u128 = 10_u128.pow(38) - 1;

/// Between two notes of one row; no note holds it.
pub const NOTE_SEPARATOR: &str = "\n";

/// A frequent value with its text; `None` where DuckDB has no text for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopValue {
    pub value: Option<String>,
    pub count: i64,
    pub error: i64,
}

/// The values of one row. What does not exist for the type, or is not known, is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HiveValues {
    /// Hive's name of the type.
    pub column_type: String,
    /// Integers; days of a date; whole seconds (rounded down) of a timestamp.
    pub long_low: Option<i64>,
    pub long_high: Option<i64>,
    /// The smallest and largest value that is neither NaN nor infinite.
    pub double_low: Option<f64>,
    pub double_high: Option<f64>,
    pub decimal_low: Option<String>,
    pub decimal_high: Option<String>,
    pub num_nulls: Option<i64>,
    /// Estimated from `bit_vector`: 1 where all values are NULL, 0 without rows.
    pub num_distincts: Option<i64>,
    pub bit_vector: Option<Vec<u8>>,
    pub histogram: Option<Vec<u8>>,
    /// NULL counts as length 0, as in Hive.
    pub avg_col_len: Option<f64>,
    /// In characters, of binaries in bytes.
    pub max_col_len: Option<i64>,
    pub num_trues: Option<i64>,
    pub num_falses: Option<i64>,
    /// For people: in DuckDB's spelling, texts cut as bounds.
    pub low_value: Option<String>,
    pub high_value: Option<String>,
    pub top_k: Option<Vec<TopValue>>,
    /// One a line.
    pub notes: Option<String>,
    /// The values that are not NULL.
    pub value_count: Option<i64>,
    /// The sum of all lengths, from which another average can be made.
    pub sum_col_len: Option<i64>,
}

/// The values of one leaf's summary.
pub fn values(summary: &Summary, speller: &dyn Speller) -> HiveValues {
    let mapped = hive_type(&summary.column_type);
    let mut row = HiveValues {
        column_type: mapped.name,
        num_nulls: Some(count(summary.null_count)),
        value_count: Some(count(summary.value_count)),
        ..HiveValues::default()
    };
    match mapped.kind {
        Some(Kind::Boolean) => {
            row.num_trues = summary.truths.map(|(trues, _)| count(trues));
            row.num_falses = summary.truths.map(|(_, falses)| count(falses));
        }
        Some(Kind::Binary) => set_lengths(&mut row, summary),
        Some(Kind::String) => {
            set_lengths(&mut row, summary);
            set_text_bounds(&mut row, summary, speller);
            set_distincts(&mut row, summary);
        }
        Some(_) => {
            set_number_bounds(&mut row, summary, speller);
            set_distincts(&mut row, summary);
        }
        None => {}
    }
    if let Some(details) = &summary.details {
        row.histogram = details.histogram.clone();
        let frequent = details.frequent.as_ref();
        row.top_k = frequent.map(|values| top_values(values, &summary.column_type, speller));
    }
    row.notes = notes(summary);
    row
}

impl HiveValues {
    /// The same column without any row: all counts are 0, there is no sketch, and lengths are 0 where the
    /// type has them (Hive's `COALESCE`).
    #[must_use]
    pub fn without_rows(self) -> HiveValues {
        let zero = |known: Option<i64>| known.map(|_| 0);
        HiveValues {
            column_type: self.column_type,
            num_nulls: Some(0),
            num_distincts: zero(self.num_distincts),
            avg_col_len: self.avg_col_len.map(|_| 0.0),
            max_col_len: zero(self.max_col_len),
            num_trues: zero(self.num_trues),
            num_falses: zero(self.num_falses),
            top_k: self.top_k.map(|_| Vec::new()),
            value_count: Some(0),
            sum_col_len: zero(self.sum_col_len),
            ..HiveValues::default()
        }
    }

    /// The average length with NULL left out, as Impala computes it; `None` without a value.
    pub fn average_of_values(&self) -> Option<f64> {
        match (self.sum_col_len, self.value_count) {
            (Some(sum), Some(values)) if values > 0 => Some(sum as f64 / values as f64),
            _ => None,
        }
    }
}

fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn details(summary: &Summary) -> Option<&DetailSummary> {
    summary.details.as_deref()
}

fn set_distincts(row: &mut HiveValues, summary: &Summary) {
    let Some(sketch) = &summary.distinct else { return };
    row.num_distincts = Some(count(sketch.registers().header_estimate()));
    let registers = sketch.registers();
    row.bit_vector = registers.has_blob().then(|| registers.to_bytes());
}

fn set_lengths(row: &mut HiveValues, summary: &Summary) {
    let Some(lengths) = details(summary).and_then(|details| details.lengths.as_ref()) else {
        return;
    };
    let rows = summary.value_count + summary.null_count;
    row.max_col_len = Some(count(lengths.max));
    row.sum_col_len = Some(count(lengths.sum));
    row.avg_col_len = Some(if rows == 0 { 0.0 } else { lengths.sum as f64 / rows as f64 });
}

/// Bounds of texts. Those of an enumeration are of the texts it becomes in Hive, not of its declared order.
fn set_text_bounds(row: &mut HiveValues, summary: &Summary, speller: &dyn Speller) {
    let bounds = match summary.column_type.base() {
        ColumnType::Varchar | ColumnType::Json | ColumnType::Uuid => {
            ducklake::bounds(summary, speller)
        }
        _ => {
            let ends = details(summary).and_then(|details| details.member_ends.as_ref());
            let Some((min, max)) = ends else { return };
            let limit_bytes = Settings::default().max_bound_bytes;
            let prefix = |text: &str| Prefix::new(text.as_bytes(), limit_bytes);
            ducklake::text_bounds(&prefix(min), &prefix(max), limit_bytes)
        }
    };
    (row.low_value, row.high_value) = (bounds.min_value, bounds.max_value);
}

fn set_number_bounds(row: &mut HiveValues, summary: &Summary, speller: &dyn Speller) {
    let column_type = &summary.column_type;
    let spell = |value| speller.spell(column_type, value);
    match &summary.ends {
        Some(Ends::Signed(min, max)) => {
            row.low_value = spell(Scalar::Signed(*min));
            row.high_value = spell(Scalar::Signed(*max));
            set_integer_bounds(row, column_type, *min, *max);
        }
        Some(Ends::Unsigned(min, max)) => {
            row.low_value = spell(Scalar::Unsigned(*min));
            row.high_value = spell(Scalar::Unsigned(*max));
            match (i128::try_from(*min), i128::try_from(*max)) {
                (Ok(min), Ok(max)) => set_integer_bounds(row, column_type, min, max),
                _ => {
                    row.decimal_low.clone_from(&row.low_value);
                    row.decimal_high.clone_from(&row.high_value);
                }
            }
        }
        Some(Ends::Float(..) | Ends::Double(..)) => {
            let Some((min, max)) = details(summary).and_then(|details| details.finite_ends) else {
                return;
            };
            (row.double_low, row.double_high) = (Some(min), Some(max));
            #[expect(clippy::cast_possible_truncation, reason = "the value of a FLOAT column")]
            let scalar = |value: f64| match column_type.base() {
                ColumnType::Float => Scalar::Float(value as f32),
                _ => Scalar::Double(value),
            };
            (row.low_value, row.high_value) = (spell(scalar(min)), spell(scalar(max)));
        }
        _ => {}
    }
}

/// Decimals as their text; all others in whole units that fit a long.
fn set_integer_bounds(row: &mut HiveValues, column_type: &ColumnType, min: i128, max: i128) {
    if hive_type(column_type).kind == Some(Kind::Decimal) {
        row.decimal_low = row.low_value.as_deref().map(hive_decimal);
        row.decimal_high = row.high_value.as_deref().map(hive_decimal);
        return;
    }
    let units = units_per_second(column_type).unwrap_or(1);
    let long = |value: i128| i64::try_from(value.div_euclid(units)).ok();
    (row.long_low, row.long_high) = (long(min), long(max));
}

/// Hive's decimals have no zeros at the end of their fraction.
fn hive_decimal(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    }
}

fn units_per_second(column_type: &ColumnType) -> Option<i128> {
    Some(match column_type.base() {
        ColumnType::TimestampS => 1,
        ColumnType::TimestampMs => 1_000,
        ColumnType::Timestamp | ColumnType::TimestampTz => 1_000_000,
        ColumnType::TimestampNs | ColumnType::TimestampTzNs => 1_000_000_000,
        _ => return None,
    })
}

fn top_value(value: &FrequentValue, column_type: &ColumnType, speller: &dyn Speller) -> TopValue {
    let scalar = match &value.key {
        FrequentKey::Signed(stored) => Scalar::Signed(*stored),
        FrequentKey::Unsigned(stored) => Scalar::Unsigned(*stored),
        FrequentKey::Float(bits) => Scalar::Float(f32::from_bits(*bits)),
        FrequentKey::Double(bits) => Scalar::Double(f64::from_bits(*bits)),
        FrequentKey::Bytes(bytes) => Scalar::Bytes(bytes),
    };
    let text = match (column_type.base(), scalar) {
        (ColumnType::Boolean, Scalar::Unsigned(stored)) => Some((stored != 0).to_string()),
        (ColumnType::Blob, Scalar::Bytes(bytes)) => Some(escaped(bytes)),
        (_, scalar) => speller.spell(column_type, scalar),
    };
    TopValue { value: text, count: count(value.count), error: count(value.error) }
}

/// Frequent values with their texts.
pub fn top_values(
    values: &[FrequentValue],
    column_type: &ColumnType,
    speller: &dyn Speller,
) -> Vec<TopValue> {
    values.iter().map(|value| top_value(value, column_type, speller)).collect()
}

/// What somebody who loads the row should know.
fn notes(summary: &Summary) -> Option<String> {
    let mut notes = Vec::new();
    let nan_count = summary.nan_count.unwrap_or_default();
    let is_infinite = match summary.ends {
        Some(Ends::Float(min, max)) => min.is_infinite() || max.is_infinite(),
        Some(Ends::Double(min, max)) => min.is_infinite() || max.is_infinite(),
        _ => false,
    };
    if nan_count > 0 || is_infinite {
        let what = match (nan_count, is_infinite) {
            (0, _) => "infinite values".to_owned(),
            (_, false) => format!("{nan_count} NaN"),
            (_, true) => format!("{nan_count} NaN and infinite values"),
        };
        notes.push(format!(
            "bounds leave out {what}; where NaN or infinity becomes its minimum or maximum, Hive drops \
             all statistics of the column"
        ));
    }
    match &summary.ends {
        Some(Ends::Signed(min, max)) if is_infinite_time(&summary.column_type, *min, *max) => {
            notes.push("a bound stands for infinity, which Hive does not have".to_owned());
        }
        Some(Ends::Signed(min, max))
            if min.unsigned_abs().max(max.unsigned_abs()) > LARGEST_DECIMAL =>
        {
            notes.push("a value does not fit decimal(38,0), Hive's widest".to_owned());
        }
        Some(Ends::Unsigned(_, max)) if *max > LARGEST_DECIMAL => {
            notes.push("a value does not fit decimal(38,0), Hive's widest".to_owned());
        }
        _ => {}
    }
    (!notes.is_empty()).then(|| notes.join(NOTE_SEPARATOR))
}

/// DuckDB stores infinite dates and timestamps as the ends of the stored range.
fn is_infinite_time(column_type: &ColumnType, min: i128, max: i128) -> bool {
    let infinity = match column_type.base() {
        ColumnType::Date => i128::from(i32::MAX),
        other if units_per_second(other).is_some() => i128::from(i64::MAX),
        _ => return false,
    };
    min == -infinity || max == infinity
}

#[cfg(test)]
mod tests;
