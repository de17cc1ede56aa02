//! A column's statistics as JSON with the field names of Hive's Thrift struct `ColumnStatisticsObj`
//! (`hive_metastore.thrift`). Binary fields are base64; what is absent is left out.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::rows::HiveValues;
use super::types::{Kind, kind_of_name};

/// The object; `None` for types that Hive keeps no statistics of.
pub fn statistics_obj(column_name: &str, row: &HiveValues) -> Option<String> {
    let kind = kind_of_name(&row.column_type)?;
    let mut data = Map::new();
    match kind {
        Kind::Boolean => {
            put(&mut data, "numTrues", row.num_trues);
            put(&mut data, "numFalses", row.num_falses);
            put(&mut data, "numNulls", row.num_nulls);
        }
        Kind::String | Kind::Binary => {
            put(&mut data, "maxColLen", row.max_col_len);
            put(&mut data, "avgColLen", row.avg_col_len);
            put(&mut data, "numNulls", row.num_nulls);
        }
        _ => {
            put(&mut data, "lowValue", low(kind, row));
            put(&mut data, "highValue", high(kind, row));
            put(&mut data, "numNulls", row.num_nulls);
        }
    }
    if !matches!(kind, Kind::Boolean | Kind::Binary) {
        put(&mut data, "numDVs", row.num_distincts);
        put(&mut data, "bitVectors", row.bit_vector.as_ref().map(|bytes| STANDARD.encode(bytes)));
        if kind != Kind::String {
            put(&mut data, "histogram", row.histogram.as_ref().map(|bytes| STANDARD.encode(bytes)));
        }
    }
    let member = match kind {
        Kind::Boolean => "booleanStats",
        Kind::Long => "longStats",
        Kind::Double => "doubleStats",
        Kind::Decimal => "decimalStats",
        Kind::String => "stringStats",
        Kind::Binary => "binaryStats",
        Kind::Date => "dateStats",
        Kind::Timestamp => "timestampStats",
    };
    let object = json!({
        "colName": column_name,
        "colType": row.column_type,
        "statsData": { member: data },
    });
    Some(object.to_string())
}

fn put(object: &mut Map<String, Value>, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        object.insert(name.to_owned(), value.into());
    }
}

fn low(kind: Kind, row: &HiveValues) -> Option<Value> {
    bound(kind, row.long_low, row.double_low, row.decimal_low.as_deref())
}

fn high(kind: Kind, row: &HiveValues) -> Option<Value> {
    bound(kind, row.long_high, row.double_high, row.decimal_high.as_deref())
}

fn bound(
    kind: Kind,
    long: Option<i64>,
    double: Option<f64>,
    decimal: Option<&str>,
) -> Option<Value> {
    match kind {
        Kind::Double => double.map(Value::from),
        Kind::Decimal => {
            let (unscaled, scale) = unscaled(decimal?)?;
            Some(json!({ "unscaled": STANDARD.encode(unscaled), "scale": scale }))
        }
        Kind::Date => long.map(|days| json!({ "daysSinceEpoch": days })),
        Kind::Timestamp => long.map(|seconds| json!({ "secondsSinceEpoch": seconds })),
        _ => long.map(Value::from),
    }
}

/// The digits of a decimal as the shortest two's-complement big-endian number, and its scale.
fn unscaled(text: &str) -> Option<(Vec<u8>, usize)> {
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let scale = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let magnitude: u128 = digits.replace('.', "").parse().ok()?;
    let mut bytes = vec![0];
    bytes.extend(magnitude.to_be_bytes());
    if is_negative {
        let mut carry = true;
        for byte in bytes.iter_mut().rev() {
            let (negated, overflows) = (!*byte).overflowing_add(u8::from(carry));
            (*byte, carry) = (negated, overflows);
        }
    }
    // A leading byte goes as long as the next one still tells the sign.
    let sign: u8 = if is_negative && magnitude > 0 { 0xFF } else { 0 };
    let spare = bytes
        .windows(2)
        .take_while(|pair| matches!(pair, [first, next] if *first == sign && (next ^ sign) < 0x80))
        .count();
    bytes.drain(..spare);
    Some((bytes, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_shortest_two_s_complement() {
        assert_eq!(unscaled("0"), Some((vec![0], 0)));
        assert_eq!(unscaled("1.27"), Some((vec![127], 2)));
        assert_eq!(unscaled("12.8"), Some((vec![0, 128], 1)));
        assert_eq!(unscaled("-1.28"), Some((vec![128], 2)));
        assert_eq!(unscaled("-0.01"), Some((vec![255], 2)));
        assert_eq!(unscaled("-25.7"), Some((vec![0xFE, 0xFF], 1)));
        let all = unscaled("340282366920938463463374607431768211455").unwrap();
        assert_eq!(all.0, [vec![0], vec![255; 16]].concat());
        assert_eq!(unscaled("x"), None);
    }

    #[test]
    fn each_kind_has_its_member() {
        let row = HiveValues {
            column_type: "date".into(),
            long_low: Some(-1),
            num_nulls: Some(2),
            num_distincts: Some(3),
            bit_vector: Some(vec![0x48, 0x4C]),
            ..HiveValues::default()
        };
        let expected = r#"{"colName":"d","colType":"date","statsData":{"dateStats":{"lowValue":{"daysSinceEpoch":-1},"numNulls":2,"numDVs":3,"bitVectors":"SEw="}}}"#;
        assert_eq!(statistics_obj("d", &row).as_deref(), Some(expected));
        let row = HiveValues {
            column_type: "boolean".into(),
            num_trues: Some(1),
            num_falses: Some(0),
            num_nulls: Some(0),
            ..HiveValues::default()
        };
        let expected = r#"{"colName":"b","colType":"boolean","statsData":{"booleanStats":{"numTrues":1,"numFalses":0,"numNulls":0}}}"#;
        assert_eq!(statistics_obj("b", &row).as_deref(), Some(expected));
        assert_eq!(statistics_obj("v", &HiveValues::default()), None);
    }
}
