//! Statistics of a leaf that only some shapes need: lengths, finite ends, frequent values, quantiles.
//! [`DetailSettings`] asks for them, so that the other shapes do not pay for them.

use std::ops::Range;

use crate::column::column_type::ColumnType;
use crate::column::vectors::{ByteString, Strings, Validity, Values};
use crate::error::Result;
use crate::kernels::float::{FloatExtremes, Floating};
use crate::kernels::lengths::Lengths;
use crate::kernels::members::MemberSet;
use crate::kernels::repetition::StringBatch;
use crate::sketch::frequent::{FrequentValue, FrequentValues};
use crate::sketch::quantiles::Quantiles;

/// What to compute beside lengths and finite ends, which cost little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetailSettings {
    /// How many frequent values to report; 0 for none.
    pub top_k: u16,
    /// Whether to keep a sketch of the quantiles.
    pub has_histogram: bool,
}

/// The running details of one leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Details {
    lengths: Option<Lengths>,
    members: Option<MemberSet>,
    finite: Option<FloatExtremes>,
    // Seldom asked for, and large.
    frequent: Option<Box<FrequentValues>>,
    quantiles: Option<Box<Quantiles>>,
}

/// The details as they stand.
#[derive(Debug, Clone, PartialEq)]
pub struct DetailSummary {
    pub lengths: Option<Lengths>,
    /// Smallest and largest text of the members of an enumeration that occur, by bytes.
    pub member_ends: Option<(String, String)>,
    /// Smallest and largest of the values that are neither NaN nor infinite; `None` for types that are not
    /// floating-point, and where there is no such value.
    pub finite_ends: Option<(f64, f64)>,
    /// The most frequent values, the most frequent first; `None` when they were not asked for.
    pub frequent: Option<Vec<FrequentValue>>,
    /// A KLL sketch of floats; `None` when it was not asked for, or there is no value.
    pub histogram: Option<Vec<u8>>,
}

impl Details {
    /// Empty details of a leaf of this type.
    pub fn new(column_type: &ColumnType, asked: DetailSettings) -> Result<Details> {
        Ok(Details {
            lengths: Lengths::new(column_type),
            members: MemberSet::new(column_type),
            finite: column_type.is_floating().then_some(FloatExtremes::EMPTY),
            frequent: match asked.top_k {
                0 => None,
                top_k => FrequentValues::new(column_type, top_k)?.map(Box::new),
            },
            quantiles: match asked.has_histogram {
                false => None,
                true => Quantiles::new(column_type)?.map(Box::new),
            },
        })
    }

    /// Takes in the valid rows of `rows`. The lengths of strings are left to [`Details::update_strings`].
    pub fn update<'a, S: Strings<'a>>(
        &mut self,
        values: &Values<'a, S>,
        validity: Validity<'a>,
        rows: Range<usize>,
    ) {
        if let Some(lengths) = &mut self.lengths {
            lengths.update(values, validity, rows.clone());
        }
        if let Some(members) = &mut self.members {
            members.update(values, validity, rows.clone());
        }
        match (&mut self.finite, values) {
            (Some(finite), Values::Float(values)) => {
                update_finite(finite, values, validity, rows.clone());
            }
            (Some(finite), Values::Double(values)) => {
                update_finite(finite, values, validity, rows.clone());
            }
            _ => {}
        }
        if let Some(frequent) = &mut self.frequent {
            frequent.update(values, validity, rows.clone());
        }
        if let Some(quantiles) = &mut self.quantiles {
            quantiles.update(values, validity, rows);
        }
    }

    /// Takes in the lengths of strings.
    pub fn update_strings<'a, T: ByteString<'a>>(&mut self, batch: &StringBatch<T>) {
        if let Some(lengths) = &mut self.lengths {
            lengths.update_strings(batch);
        }
    }

    /// Takes in what another pass over a column of the same type saw.
    pub fn merge(&mut self, other: &Details) -> Result<()> {
        if let (Some(lengths), Some(other)) = (&mut self.lengths, &other.lengths) {
            lengths.merge(other);
        }
        if let (Some(members), Some(other)) = (&mut self.members, &other.members) {
            members.merge(other);
        }
        if let (Some(finite), Some(other)) = (&mut self.finite, &other.finite) {
            finite.merge(other);
        }
        if let (Some(frequent), Some(other)) = (&mut self.frequent, &other.frequent) {
            frequent.merge(other)?;
        }
        if let (Some(quantiles), Some(other)) = (&mut self.quantiles, &other.quantiles) {
            quantiles.merge(other)?;
        }
        Ok(())
    }

    /// The details as they stand.
    pub fn finish(&self, column_type: &ColumnType) -> DetailSummary {
        let finite = self.finite.filter(FloatExtremes::has_bounds);
        DetailSummary {
            lengths: self.lengths.clone(),
            member_ends: self
                .members
                .as_ref()
                .and_then(MemberSet::ends)
                .map(|(min, max)| (min.to_owned(), max.to_owned())),
            finite_ends: finite.map(|seen| match column_type.base() {
                ColumnType::Float => {
                    (f64::from(f32::from_key(seen.min_key)), f64::from(f32::from_key(seen.max_key)))
                }
                _ => (f64::from_key(seen.min_key), f64::from_key(seen.max_key)),
            }),
            frequent: self.frequent.as_ref().map(|frequent| frequent.finish()),
            histogram: self.quantiles.as_ref().and_then(|quantiles| quantiles.to_bytes()),
        }
    }
}

/// Infinite values are rare: the quick pass tells whether there is one in the batch, and only then are
/// the values looked at one by one.
fn update_finite<T: Floating + Into<f64>>(
    finite: &mut FloatExtremes,
    values: &[T],
    validity: Validity<'_>,
    rows: Range<usize>,
) {
    let mut batch = FloatExtremes::EMPTY;
    batch.update(values, validity, rows.clone());
    let is_finite = |key| -> bool { T::from_key(key).into().is_finite() };
    if batch.has_bounds() && !(is_finite(batch.min_key) && is_finite(batch.max_key)) {
        batch = FloatExtremes::EMPTY;
        validity.for_each_valid(rows, |row| {
            if let Some(value) = values.get(row).filter(|value| (**value).into().is_finite()) {
                batch.update(&[*value], Validity::new(None), 0..1);
            }
        });
    }
    finite.merge(&batch);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::columns::ByteColumn;

    #[test]
    fn infinite_values_are_no_finite_ends() {
        let asked = DetailSettings { top_k: 0, has_histogram: false };
        let mut details = Details::new(&ColumnType::Double, asked).unwrap();
        let values = [f64::INFINITY, 1.5, f64::NAN, -2.5, f64::NEG_INFINITY];
        let column: Values<'_, ByteColumn<'_>> = Values::Double(&values);
        details.update(&column, Validity::new(None), 0..1);
        assert_eq!(details.finish(&ColumnType::Double).finite_ends, None);
        details.update(&column, Validity::new(None), 0..5);
        assert_eq!(details.finish(&ColumnType::Double).finite_ends, Some((-2.5, 1.5)));
    }
}
