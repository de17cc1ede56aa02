//! The spelling of DuckLake's `ducklake_file_column_stats`.
//!
//! Rules and their reasons are in DuckLake's specification of data types and in what its released
//! versions do with the rows they read: bounds are cast to the column's type (text is compared as it
//! stands), and a bound that does not cast, or lies inside the data, loses rows.

use super::geometry::geometry_stats;
use crate::output::blob_text::hexadecimal;
use colstats_core::column::column_type::ColumnType;
use colstats_core::kernels::bytes::{Prefix, lower_text_bound, upper_byte_bound, upper_text_bound};
use colstats_core::kernels::geometry::{AxisRange, GeometryExtremes};
use colstats_core::summary::{Ends, Summary};
use colstats_core::value::{Scalar, Speller};

/// The columns of a row that depend on the values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bounds {
    pub min_value: Option<String>,
    pub max_value: Option<String>,
}

/// `min_value` and `max_value`: NaN left out, NULL where the type or the data has no bound.
pub fn bounds(summary: &Summary, speller: &dyn Speller) -> Bounds {
    let spell = |value| speller.spell(&summary.column_type, value);
    match &summary.ends {
        None => Bounds::default(),
        Some(Ends::Boolean(min, max)) => Bounds {
            min_value: Some(u8::from(*min).to_string()),
            max_value: Some(u8::from(*max).to_string()),
        },
        Some(Ends::Signed(min, max)) => {
            pair(spell(Scalar::Signed(*min)), spell(Scalar::Signed(*max)))
        }
        Some(Ends::Unsigned(min, max)) => {
            pair(spell(Scalar::Unsigned(*min)), spell(Scalar::Unsigned(*max)))
        }
        Some(Ends::Double(min, max)) => {
            pair(spell(Scalar::Double(*min)), spell(Scalar::Double(*max)))
        }
        Some(Ends::Float(min, max)) => {
            float_bounds(*min, *max, &|value| spell(Scalar::Float(value)))
        }
        Some(Ends::Bytes { min, max, limit_bytes }) => match summary.column_type.base() {
            ColumnType::Varchar | ColumnType::Json => text_bounds(min, max, *limit_bytes),
            ColumnType::Blob => blob_bounds(min, max),
            _ => pair(spell(Scalar::Bytes(&min.bytes)), spell(Scalar::Bytes(&max.bytes))),
        },
    }
}

/// A bound alone is of no use to a reader that asks for both; one that could not be spelled takes
/// nothing from the other.
fn pair(min_value: Option<String>, max_value: Option<String>) -> Bounds {
    Bounds { min_value, max_value }
}

/// DuckLake casts a FLOAT bound from its text and compares it with a constant as DOUBLE. Where the text
/// has an exponent the two can differ in the last place and the file is pruned although it holds the
/// constant, so such a bound is moved out by one step.
fn float_bounds(min: f32, max: f32, spell: &dyn Fn(f32) -> Option<String>) -> Bounds {
    let widened = |value: f32, moved: f32| {
        spell(value).and_then(|text| if text.contains('e') { spell(moved) } else { Some(text) })
    };
    pair(widened(min, min.next_down()), widened(max, max.next_up()))
}

/// Text as it is, cut at whole characters. DuckLake takes `min = max` for a file of one value, so two
/// equal texts are written only if both are the whole value.
pub fn text_bounds(min: &Prefix, max: &Prefix, limit_bytes: u32) -> Bounds {
    let (min_value, min_is_exact) = lower_text_bound(min);
    let Some((max_value, max_is_exact)) = upper_text_bound(max, limit_bytes) else {
        return pair(Some(min_value), None);
    };
    let is_single = min_value == max_value && !(min_is_exact && max_is_exact);
    pair(Some(min_value), (!is_single).then_some(max_value))
}

fn blob_bounds(min: &Prefix, max: &Prefix) -> Bounds {
    let max_value = upper_byte_bound(max).map(|bytes| hexadecimal(&bytes));
    pair(Some(hexadecimal(&min.bytes)), max_value)
}

/// Whether NaN occurs, for FLOAT and DOUBLE; NULL for all other types.
pub fn contains_nan(summary: &Summary) -> Option<bool> {
    summary.nan_count.map(|count| count > 0)
}

/// The JSON of `extra_stats`: box and types of geometries, NULL for all other types and where they cannot be
/// known.
pub fn extra_stats(summary: &Summary) -> Option<String> {
    summary.geometry.as_ref().and_then(geometry_json)
}

/// The `extra_stats` of a geometry column without a value.
pub fn empty_geometry_stats() -> String {
    geometry_json(&GeometryExtremes::EMPTY).unwrap_or_default()
}

fn geometry_json(geometry: &GeometryExtremes) -> Option<String> {
    if geometry.is_unreadable {
        return None;
    }
    let mut corners = [None; 8];
    for (pair, range) in corners.chunks_mut(2).zip(geometry.axes) {
        // Infinity has no JSON. Nobody reads the ranges of z and m.
        if let (Some((min, max)), [low, high]) = (range.filter(is_finite), pair) {
            (*low, *high) = (Some(min), Some(max));
        }
    }
    Some(geometry_stats(is_bounded(geometry).then_some(corners), geometry.type_names()))
}

fn is_finite((min, max): &(f64, f64)) -> bool {
    min.is_finite() && max.is_finite()
}

/// Whether a box holds all vertices. A state of an older version does not say it; then its ranges do.
fn is_bounded(geometry: &GeometryExtremes) -> bool {
    let [x, y, ..] = geometry.axes;
    let can_hold = |axis: AxisRange| axis.as_ref().is_none_or(is_finite);
    !geometry.is_unbounded && can_hold(x) && can_hold(y) && x.is_some() == y.is_some()
}
