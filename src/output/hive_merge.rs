//! Rows of partitions merged into a row of the table, as the metastore does (`columnstats/merge` and
//! `columnstats/aggr` in Hive): counts are added, bounds widened, distinct values united by sketch where
//! every row has one, else the largest number taken.

use std::cmp::Ordering;

use super::hive::{HiveValues, TopValue};
use super::hive_types::{Kind, kind_of_name};
use crate::core::sketch::hive_hll::HiveHll;
use crate::core::sketch::quantiles::merge_histograms;
use crate::error::{Error, Result};

/// How average lengths merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AverageMerge {
    /// The largest average, as Hive does.
    Largest,
    /// The average over all rows, weighted by values and NULLs (Hive's average counts NULL as 0).
    WeightedByRows,
    /// The average over all values (Impala's leaves NULL out).
    WeightedByValues,
}

/// What has been merged so far.
#[derive(Debug, Clone, PartialEq)]
pub struct HiveMerge {
    average_merge: AverageMerge,
    /// Everything but what follows; `None` before the first row.
    merged: Option<HiveValues>,
    /// One of the rows that may hold values has no sketch.
    lacks_sketch: bool,
    lacks_histogram: bool,
    lacks_counts: bool,
    weighted_length: f64,
    weight: f64,
}

impl HiveMerge {
    /// An empty merge.
    pub fn new(average_merge: AverageMerge) -> HiveMerge {
        HiveMerge {
            average_merge,
            merged: None,
            lacks_sketch: false,
            lacks_histogram: false,
            lacks_counts: false,
            weighted_length: 0.0,
            weight: 0.0,
        }
    }

    /// Takes in the row of a partition.
    ///
    /// # Errors
    /// If the type is of another family than the rows before, or a blob cannot be read.
    pub fn add(&mut self, row: &HiveValues) -> Result<()> {
        // Without values there is nothing that a sketch could lack.
        let has_values = row.value_count != Some(0);
        let mut other = HiveMerge::new(self.average_merge);
        other.lacks_sketch = has_values && row.bit_vector.as_ref().is_none_or(Vec::is_empty);
        other.lacks_histogram = has_values && row.histogram.is_none();
        if let Some(average) = row.avg_col_len {
            match self.weight_of(row) {
                Some(weight) => {
                    other.weighted_length = average * weight;
                    other.weight = weight;
                }
                None => other.lacks_counts = true,
            }
        }
        let mut row = row.clone();
        if row.bit_vector.as_ref().is_some_and(Vec::is_empty) {
            row.bit_vector = None;
        }
        other.merged = Some(row);
        self.merge(&other)
    }

    /// Takes in another merge of the same column.
    ///
    /// # Errors
    /// As for [`HiveMerge::add`].
    pub fn merge(&mut self, other: &HiveMerge) -> Result<()> {
        self.lacks_sketch |= other.lacks_sketch;
        self.lacks_histogram |= other.lacks_histogram;
        self.lacks_counts |= other.lacks_counts;
        self.weighted_length += other.weighted_length;
        self.weight += other.weight;
        match (&mut self.merged, &other.merged) {
            (_, None) => Ok(()),
            (merged @ None, Some(other)) => {
                *merged = Some(other.clone());
                Ok(())
            }
            (Some(merged), Some(other)) => merge_values(merged, other),
        }
    }

    /// The row of the table; `None` when there was no row.
    ///
    /// # Errors
    /// If the bit vector cannot be read.
    pub fn finish(&self) -> Result<Option<HiveValues>> {
        let Some(mut row) = self.merged.clone() else { return Ok(None) };
        if self.lacks_sketch {
            row.bit_vector = None;
        } else if let Some(blob) = &row.bit_vector {
            // The sketch of all says more than the largest number of one.
            let sketch = read_sketch(blob)?;
            row.num_distincts = i64::try_from(sketch.header_estimate()).ok();
            row.bit_vector = Some(sketch.to_bytes());
        }
        if self.lacks_histogram {
            row.histogram = None;
        }
        let is_weighted = self.average_merge != AverageMerge::Largest && !self.lacks_counts;
        if is_weighted && row.avg_col_len.is_some() && self.weight > 0.0 {
            row.avg_col_len = Some(self.weighted_length / self.weight);
        }
        Ok(Some(row))
    }

    fn weight_of(&self, row: &HiveValues) -> Option<f64> {
        let values = row.value_count? as f64;
        match self.average_merge {
            AverageMerge::Largest => None,
            AverageMerge::WeightedByRows => Some(values + row.num_nulls? as f64),
            AverageMerge::WeightedByValues => Some(values),
        }
    }
}

fn merge_values(merged: &mut HiveValues, other: &HiveValues) -> Result<()> {
    merge_types(merged, other)?;
    // Bounds as text follow the bounds as numbers.
    merge_text_bounds(merged, other);
    merged.long_low = extreme(merged.long_low, other.long_low, i64::min);
    merged.long_high = extreme(merged.long_high, other.long_high, i64::max);
    merged.double_low = extreme(merged.double_low, other.double_low, f64::min);
    merged.double_high = extreme(merged.double_high, other.double_high, f64::max);
    merged.decimal_low =
        extreme_decimal(merged.decimal_low.take(), &other.decimal_low, Ordering::Less);
    merged.decimal_high =
        extreme_decimal(merged.decimal_high.take(), &other.decimal_high, Ordering::Greater);
    merged.top_k = merge_top_values(merged, other);
    merged.num_nulls = sum(merged.num_nulls, other.num_nulls);
    merged.value_count = sum(merged.value_count, other.value_count);
    merged.num_trues = sum(merged.num_trues, other.num_trues);
    merged.num_falses = sum(merged.num_falses, other.num_falses);
    merged.sum_col_len = sum(merged.sum_col_len, other.sum_col_len);
    merged.num_distincts = extreme(merged.num_distincts, other.num_distincts, i64::max);
    merged.max_col_len = extreme(merged.max_col_len, other.max_col_len, i64::max);
    merged.avg_col_len = extreme(merged.avg_col_len, other.avg_col_len, f64::max);
    merged.bit_vector = match (&merged.bit_vector, &other.bit_vector) {
        (Some(left), Some(right)) => Some(unite(left, right)?),
        (left, right) => left.clone().or_else(|| right.clone()),
    };
    merged.histogram = merge_histograms(
        [&merged.histogram, &other.histogram].into_iter().flatten().map(Vec::as_slice),
    )?;
    merged.notes = merge_notes(merged.notes.take(), other.notes.as_ref());
    Ok(())
}

/// Types of one family may differ between partitions (a column that grew from int to bigint): the wider
/// integer, else the name that sorts last.
fn merge_types(merged: &mut HiveValues, other: &HiveValues) -> Result<()> {
    let rank =
        |name: &str| ["tinyint", "smallint", "int", "bigint"].iter().position(|n| *n == name);
    if merged.column_type == other.column_type {
        return Ok(());
    }
    if kind_of_name(&merged.column_type) != kind_of_name(&other.column_type) {
        return Err(Error::new(format!(
            "statistics of {} and of {} do not merge; group by the column's name",
            merged.column_type, other.column_type
        )));
    }
    if (rank(&merged.column_type), &merged.column_type)
        < (rank(&other.column_type), &other.column_type)
    {
        merged.column_type.clone_from(&other.column_type);
    }
    Ok(())
}

fn sum(left: Option<i64>, right: Option<i64>) -> Option<i64> {
    Some(left?.saturating_add(right?))
}

/// Of two known ends the outer one; one alone is taken (an all-NULL partition has none).
fn extreme<T>(left: Option<T>, right: Option<T>, outer: impl Fn(T, T) -> T) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(outer(left, right)),
        (left, right) => left.or(right),
    }
}

fn extreme_decimal(
    left: Option<String>,
    right: &Option<String>,
    wanted: Ordering,
) -> Option<String> {
    extreme(left, right.clone(), |left, right| {
        if compare_decimals(&right, &left) == wanted { right } else { left }
    })
}

/// Compares two plain decimal texts as numbers, whatever their scales.
fn compare_decimals(left: &str, right: &str) -> Ordering {
    let parts = |text: &str| -> (bool, String, String) {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let whole = whole.trim_start_matches('0').to_owned();
        let fraction = fraction.trim_end_matches('0').to_owned();
        // Zero has no sign.
        (is_negative && !(whole.is_empty() && fraction.is_empty()), whole, fraction)
    };
    let (left, right) = (parts(left), parts(right));
    let magnitude = |(_, whole, fraction): &(bool, String, String)| {
        (whole.len(), whole.clone(), fraction.clone())
    };
    match (left.0, right.0) {
        (false, false) => magnitude(&left).cmp(&magnitude(&right)),
        (true, true) => magnitude(&right).cmp(&magnitude(&left)),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

fn merge_text_bounds(merged: &mut HiveValues, other: &HiveValues) {
    let replaces_low = compare_lows(other, merged) == Ordering::Less;
    let replaces_high = compare_highs(other, merged) == Ordering::Greater;
    // A text bound is missing for want of values, or because it could not be raised: then there is none
    // for the whole either.
    let is_text = kind_of_name(&merged.column_type) == Some(Kind::String);
    let (mine_unknown, theirs_unknown) =
        (is_text && merged.value_count != Some(0), is_text && other.value_count != Some(0));
    let choose =
        |mine: Option<String>, theirs: &Option<String>, replaces: bool| match (mine, theirs) {
            (Some(mine), Some(theirs)) => Some(if replaces { theirs.clone() } else { mine }),
            (Some(mine), None) => (!theirs_unknown).then_some(mine),
            (None, Some(theirs)) => (!mine_unknown).then(|| theirs.clone()),
            (None, None) => None,
        };
    merged.low_value = choose(merged.low_value.take(), &other.low_value, replaces_low);
    merged.high_value = choose(merged.high_value.take(), &other.high_value, replaces_high);
}

/// By the numbers where there are some; texts of one second are of one length up to the fraction.
fn compare_lows(left: &HiveValues, right: &HiveValues) -> Ordering {
    match (left, right) {
        (HiveValues { long_low: Some(l), .. }, HiveValues { long_low: Some(r), .. }) => {
            l.cmp(r).then_with(|| left.low_value.cmp(&right.low_value))
        }
        (HiveValues { double_low: Some(l), .. }, HiveValues { double_low: Some(r), .. }) => {
            l.total_cmp(r)
        }
        (HiveValues { decimal_low: Some(l), .. }, HiveValues { decimal_low: Some(r), .. }) => {
            compare_decimals(l, r)
        }
        _ => left.low_value.cmp(&right.low_value),
    }
}

fn compare_highs(left: &HiveValues, right: &HiveValues) -> Ordering {
    match (left, right) {
        (HiveValues { long_high: Some(l), .. }, HiveValues { long_high: Some(r), .. }) => {
            l.cmp(r).then_with(|| left.high_value.cmp(&right.high_value))
        }
        (HiveValues { double_high: Some(l), .. }, HiveValues { double_high: Some(r), .. }) => {
            l.total_cmp(r)
        }
        (HiveValues { decimal_high: Some(l), .. }, HiveValues { decimal_high: Some(r), .. }) => {
            compare_decimals(l, r)
        }
        _ => left.high_value.cmp(&right.high_value),
    }
}

/// A value that one of the rows does not list occurs there at most as often as the least it lists, or as
/// it has values; not at all where the list is complete.
fn merge_top_values(left: &HiveValues, right: &HiveValues) -> Option<Vec<TopValue>> {
    let (left_values, right_values) = (left.top_k.as_ref()?, right.top_k.as_ref()?);
    let most_unlisted = |row: &HiveValues, values: &[TopValue]| -> Option<i64> {
        let is_complete = values.iter().all(|value| value.error == 0)
            && row.value_count == Some(values.iter().map(|value| value.count).sum());
        if is_complete {
            return Some(0);
        }
        let least = values.iter().map(|value| value.count).min();
        least.into_iter().chain(row.value_count).min()
    };
    let left_rest = most_unlisted(left, left_values)?;
    let right_rest = most_unlisted(right, right_values)?;
    let mut merged = Vec::new();
    let find = |values: &[TopValue], value: &Option<String>| {
        values.iter().find(|known| known.value == *value).map(|known| (known.count, known.error))
    };
    for value in left_values {
        let (count, error) = find(right_values, &value.value).unwrap_or((right_rest, right_rest));
        merged.push(TopValue {
            value: value.value.clone(),
            count: value.count + count,
            error: value.error + error,
        });
    }
    for value in right_values.iter().filter(|value| find(left_values, &value.value).is_none()) {
        merged.push(TopValue {
            value: value.value.clone(),
            count: value.count + left_rest,
            error: value.error + left_rest,
        });
    }
    merged.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    merged.truncate(left_values.len().max(right_values.len()));
    Some(merged)
}

fn merge_notes(left: Option<String>, right: Option<&String>) -> Option<String> {
    match (left, right) {
        (Some(left), Some(right)) if !left.contains(right.as_str()) => {
            // In any order of merging the same text.
            let mut notes: Vec<&str> = left.split("; ").chain(right.split("; ")).collect();
            notes.sort_unstable();
            notes.dedup();
            Some(notes.join("; "))
        }
        (left, right) => left.or_else(|| right.cloned()),
    }
}

fn read_sketch(blob: &[u8]) -> Result<HiveHll> {
    HiveHll::from_bytes(blob).map_err(|error| Error::new(error.to_string()))
}

/// The union at the smaller precision of the two.
fn unite(left: &[u8], right: &[u8]) -> Result<Vec<u8>> {
    let (left, right) = (read_sketch(left)?, read_sketch(right)?);
    let (mut receiver, given) =
        if left.precision() <= right.precision() { (left, right) } else { (right, left) };
    receiver.merge(&given).map_err(|error| Error::new(error.to_string()))?;
    Ok(receiver.to_bytes())
}

#[cfg(test)]
#[path = "hive_merge_tests.rs"]
mod tests;
