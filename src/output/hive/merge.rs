//! Rows of partitions merged into a row of the table, as the metastore does (`columnstats/merge` and
//! `columnstats/aggr` in Hive): counts are added, bounds widened, distinct values united by sketch where
//! every row has one, else the largest number taken.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::decimal::{compare_decimals, extreme_decimal, round_outward};
use super::rows::{HiveValues, NOTE_SEPARATOR, TopValue};
use super::types::{Kind, common_type, decimal_scale, kind_of_name};
use colstats_core::error::{Error, Result};
use colstats_core::sketch::hive_hll::HiveHll;
use colstats_core::sketch::quantiles::Histogram;

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
#[derive(Debug, Clone)]
pub struct HiveMerge {
    average_merge: AverageMerge,
    /// Everything but what follows; `None` before the first row.
    merged: Option<HiveValues>,
    /// The bit vectors of all rows, read once each.
    sketch: Option<HiveHll>,
    histogram: Option<Histogram>,
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
            sketch: None,
            histogram: None,
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
    pub fn add(&mut self, mut row: HiveValues) -> Result<()> {
        // Without values there is nothing that a sketch could lack.
        let has_values = row.value_count != Some(0);
        let bit_vector = row.bit_vector.take().filter(|blob| !blob.is_empty());
        let histogram = row.histogram.take();
        let mut other = HiveMerge::new(self.average_merge);
        other.lacks_sketch = has_values && bit_vector.is_none();
        other.lacks_histogram = has_values && histogram.is_none();
        other.sketch = bit_vector.as_deref().map(HiveHll::from_bytes).transpose()?;
        other.histogram = histogram.as_deref().map(Histogram::from_bytes).transpose()?;
        if let Some(average) = row.avg_col_len {
            match self.weight_of(&row) {
                Some(weight) => {
                    other.weighted_length = average * weight;
                    other.weight = weight;
                }
                None => other.lacks_counts = true,
            }
        }
        // NaN is no bound.
        row.double_low = row.double_low.filter(|low| !low.is_nan());
        row.double_high = row.double_high.filter(|high| !high.is_nan());
        other.merged = Some(row);
        if self.merged.is_none() {
            *self = other;
            return Ok(());
        }
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
        merge_sketches(&mut self.sketch, &other.sketch, HiveHll::unite)?;
        merge_sketches(&mut self.histogram, &other.histogram, Histogram::merge)?;
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
    pub fn finish(&self) -> Option<HiveValues> {
        let mut row = self.merged.clone()?;
        if let Some(sketch) = self.sketch.as_ref().filter(|_| !self.lacks_sketch) {
            // The sketch of all says more than the largest number of one.
            row.num_distincts = i64::try_from(sketch.header_estimate()).ok();
            row.bit_vector = Some(sketch.to_bytes());
        }
        let histogram = self.histogram.as_ref().filter(|_| !self.lacks_histogram);
        row.histogram = histogram.map(Histogram::to_bytes);
        let is_weighted = self.average_merge != AverageMerge::Largest && !self.lacks_counts;
        if is_weighted && row.avg_col_len.is_some() && self.weight > 0.0 {
            row.avg_col_len = Some(self.weighted_length / self.weight);
        }
        Some(row)
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
    merged.double_low = extreme(merged.double_low, other.double_low, |left, right| {
        if right.total_cmp(&left) == Ordering::Less { right } else { left }
    });
    merged.double_high = extreme(merged.double_high, other.double_high, |left, right| {
        if right.total_cmp(&left) == Ordering::Greater { right } else { left }
    });
    merged.decimal_low =
        extreme_decimal(merged.decimal_low.take(), &other.decimal_low, Ordering::Less);
    merged.decimal_high =
        extreme_decimal(merged.decimal_high.take(), &other.decimal_high, Ordering::Greater);
    fit_decimals(merged);
    merged.top_k = merge_top_values(merged, other);
    merged.num_nulls = sum(merged.num_nulls, other.num_nulls);
    merged.value_count = sum(merged.value_count, other.value_count);
    merged.num_trues = sum(merged.num_trues, other.num_trues);
    merged.num_falses = sum(merged.num_falses, other.num_falses);
    merged.sum_col_len = sum(merged.sum_col_len, other.sum_col_len);
    merged.num_distincts = extreme(merged.num_distincts, other.num_distincts, i64::max);
    merged.max_col_len = extreme(merged.max_col_len, other.max_col_len, i64::max);
    merged.avg_col_len = extreme(merged.avg_col_len, other.avg_col_len, f64::max);
    merged.notes = merge_notes(merged.notes.take(), other.notes.as_ref());
    Ok(())
}

/// Both, where both rows have one; else the one there is.
fn merge_sketches<S: Clone>(
    merged: &mut Option<S>,
    other: &Option<S>,
    merge: impl Fn(&mut S, &S) -> Result<()>,
) -> Result<()> {
    match (merged, other) {
        (_, None) => Ok(()),
        (Some(merged), Some(other)) => merge(merged, other),
        (merged @ None, Some(other)) => {
            *merged = Some(other.clone());
            Ok(())
        }
    }
}

/// Types of one family may differ between partitions (a column that grew from int to bigint).
fn merge_types(merged: &mut HiveValues, other: &HiveValues) -> Result<()> {
    let both = common_type(&merged.column_type, &other.column_type).ok_or_else(|| {
        Error::new(format!(
            "statistics of {} and of {} do not merge; group by the column's name",
            merged.column_type, other.column_type
        ))
    })?;
    merged.column_type = both;
    Ok(())
}

/// Where the digits behind the point gave way, the bounds of a decimal have more of them than its type. They are
/// rounded outward, and stay bounds.
fn fit_decimals(merged: &mut HiveValues) {
    let Some(scale) = decimal_scale(&merged.column_type) else { return };
    let lows = [&mut merged.low_value, &mut merged.decimal_low];
    let highs = [&mut merged.high_value, &mut merged.decimal_high];
    for (ends, outward) in [(lows, Ordering::Less), (highs, Ordering::Greater)] {
        for end in ends.into_iter().flatten() {
            *end = round_outward(end, scale, outward);
        }
    }
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

/// One end of a row's bounds: as a number (a row has one at most), and as text.
struct End<'a> {
    long: Option<i64>,
    double: Option<f64>,
    decimal: Option<&'a str>,
    text: Option<&'a String>,
    /// A text is missing for want of values, or because it could not be raised: then there is none for
    /// the whole either.
    is_unknown: bool,
}

impl<'a> End<'a> {
    fn low(row: &'a HiveValues) -> End<'a> {
        End {
            long: row.long_low,
            double: row.double_low,
            decimal: row.decimal_low.as_deref(),
            text: row.low_value.as_ref(),
            is_unknown: has_unknown_texts(row),
        }
    }

    fn high(row: &'a HiveValues) -> End<'a> {
        End {
            long: row.long_high,
            double: row.double_high,
            decimal: row.decimal_high.as_deref(),
            text: row.high_value.as_ref(),
            is_unknown: has_unknown_texts(row),
        }
    }

    /// The order of the numbers, one alone being the outer; `None` without any.
    fn compare_numbers(&self, other: &End<'_>, outer: Ordering) -> Option<Ordering> {
        fn compare<T>(
            (left, right): (Option<T>, Option<T>),
            outer: Ordering,
            order: impl Fn(T, T) -> Ordering,
        ) -> Option<Ordering> {
            match (left, right) {
                (Some(left), Some(right)) => Some(order(left, right)),
                (Some(_), None) => Some(outer),
                (None, Some(_)) => Some(outer.reverse()),
                (None, None) => None,
            }
        }
        compare((self.long, other.long), outer, |left, right| left.cmp(&right))
            .or_else(|| compare((self.double, other.double), outer, |l, r| l.total_cmp(&r)))
            .or_else(|| compare((self.decimal, other.decimal), outer, compare_decimals))
    }

    /// The text of the end of both: that of the outer number, else the outer text.
    fn outer_text(&self, other: &End<'_>, outer: Ordering) -> Option<String> {
        let order = self.compare_numbers(other, outer);
        if let Some(order) = order.filter(|order| order.is_ne()) {
            return if order == outer { self.text } else { other.text }.cloned();
        }
        match (self.text, other.text) {
            // Texts of one second are of one length up to the fraction.
            (Some(mine), Some(theirs)) if theirs.cmp(mine) == outer => Some(theirs.clone()),
            (Some(mine), Some(_)) => Some(mine.clone()),
            (Some(mine), None) => (order.is_some() || !other.is_unknown).then(|| mine.clone()),
            (None, Some(theirs)) => (order.is_some() || !self.is_unknown).then(|| theirs.clone()),
            (None, None) => None,
        }
    }
}

fn has_unknown_texts(row: &HiveValues) -> bool {
    kind_of_name(&row.column_type) == Some(Kind::String) && row.value_count != Some(0)
}

fn merge_text_bounds(merged: &mut HiveValues, other: &HiveValues) {
    let low = End::low(merged).outer_text(&End::low(other), Ordering::Less);
    let high = End::high(merged).outer_text(&End::high(other), Ordering::Greater);
    (merged.low_value, merged.high_value) = (low, high);
}

/// A value that one of the rows does not list occurs there at most as often as the least it lists, or as
/// it has values; not at all where the list is complete. Values without a text are left out: two of them
/// need not be the same. Counts come from SQL and may be of any size.
fn merge_top_values(left: &HiveValues, right: &HiveValues) -> Option<Vec<TopValue>> {
    let (left_values, right_values) = (left.top_k.as_ref()?, right.top_k.as_ref()?);
    let most_unlisted = |row: &HiveValues, values: &[TopValue]| -> Option<i64> {
        let is_complete = values.iter().all(|value| value.error == 0)
            && row.value_count.map(i128::from)
                == Some(values.iter().map(|value| i128::from(value.count)).sum());
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
    let has_text = |value: &&TopValue| value.value.is_some();
    for value in left_values.iter().filter(has_text) {
        let (count, error) = find(right_values, &value.value).unwrap_or((right_rest, right_rest));
        merged.push(TopValue {
            value: value.value.clone(),
            count: value.count.saturating_add(count),
            error: value.error.saturating_add(error),
        });
    }
    let is_new = |value: &&TopValue| find(left_values, &value.value).is_none();
    for value in right_values.iter().filter(has_text).filter(is_new) {
        merged.push(TopValue {
            value: value.value.clone(),
            count: value.count.saturating_add(left_rest),
            error: value.error.saturating_add(left_rest),
        });
    }
    merged.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    merged.truncate(left_values.len().max(right_values.len()));
    Some(merged)
}

/// The notes of both, each once and whole, in any order of merging the same text.
fn merge_notes(left: Option<String>, right: Option<&String>) -> Option<String> {
    let (Some(left), Some(right)) = (&left, right) else {
        return left.or_else(|| right.cloned());
    };
    let notes: BTreeSet<&str> =
        left.split(NOTE_SEPARATOR).chain(right.split(NOTE_SEPARATOR)).collect();
    Some(notes.into_iter().collect::<Vec<_>>().join(NOTE_SEPARATOR))
}

#[cfg(test)]
mod tests;
