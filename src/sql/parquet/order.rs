//! How a bound that `parquet_metadata` prints is compared with values: in the type of the column.

/// What bounds of columns of this type are compared as; `None` for types without an order in Parquet.
pub fn order_type(column_type: &str) -> Option<&str> {
    match column_type {
        "BOOLEAN" | "TINYINT" | "SMALLINT" | "INTEGER" | "BIGINT" | "UTINYINT" | "USMALLINT"
        | "UINTEGER" | "UBIGINT" | "FLOAT" | "DOUBLE" | "BLOB" | "UUID" | "DATE" | "TIME"
        | "TIME_NS" | "TIMESTAMP" | "TIMESTAMP_S" | "TIMESTAMP_MS" | "TIMESTAMP_NS" | "VARCHAR" => {
            Some(column_type)
        }
        "JSON" => Some("VARCHAR"),
        "TIMESTAMP WITH TIME ZONE" => Some("TIMESTAMPTZ"),
        "TIMESTAMP_NS WITH TIME ZONE" => Some("TIMESTAMPTZ_NS"),
        decimal if decimal.starts_with("DECIMAL(") => Some(decimal),
        _ => None,
    }
}

/// A time with a zone in UTC, as which Parquet stores and orders it.
pub fn time_in_utc(column: &str) -> String {
    format!("CAST({column} AS TIME)")
}

/// What a value of the column is ordered by. A collation of the session must not matter, so texts are
/// compared as bytes.
pub fn value_key(order_type: &str, value: &str) -> String {
    match order_type {
        "VARCHAR" => format!("encode(CAST({value} AS VARCHAR))"),
        _ => value.into(),
    }
}

/// What the text of a value is ordered by.
pub fn text_key(order_type: &str, text: &str) -> String {
    match order_type {
        "VARCHAR" => format!("encode({text})"),
        _ => format!("TRY_CAST({text} AS {order_type})"),
    }
}

/// -1, 0 or 1 as the footer's bound is less than, equal to or greater than a key; NULL where the text of
/// the bound is no value of the type. Zeros are equal, whatever their sign: readers take a minimum of 0.0
/// for -0.0, and a maximum of -0.0 for 0.0.
///
/// A bound of text that was cut inside a character is printed as a BLOB is. Whether `\xC3` stands for one
/// byte or for four is not to be seen, so such a bound has an order only if it is the same both ways.
pub fn sign(order_type: &str, footer_text: &str, key: &str) -> String {
    let order = |bound: &str| {
        format!(
            "CASE WHEN {bound} < {key} THEN -1 WHEN {bound} = {key} THEN 0 WHEN {bound} > {key} THEN 1 END"
        )
    };
    let plain = order(&text_key(order_type, footer_text));
    if order_type != "VARCHAR" {
        return plain;
    }
    let bytes = format!("TRY_CAST({footer_text} AS BLOB)");
    let escaped = order(&bytes);
    format!(
        "CASE WHEN NOT contains({footer_text}, '\\x') OR {bytes} IS NULL OR ({plain}) = ({escaped}) \
         THEN {plain} ELSE 0 END"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_without_an_order_have_none() {
        assert_eq!(order_type("DECIMAL(38,2)"), Some("DECIMAL(38,2)"));
        assert_eq!(order_type("TIMESTAMP WITH TIME ZONE"), Some("TIMESTAMPTZ"));
        for unordered in ["INTERVAL", "TIME WITH TIME ZONE", "GEOMETRY", "VARIANT", "\"NULL\"", "x"]
        {
            assert_eq!(order_type(unordered), None, "{unordered}");
        }
    }

    #[test]
    fn only_texts_can_be_escaped() {
        assert_eq!(
            sign("DATE", "f", &text_key("DATE", "t")),
            "CASE WHEN TRY_CAST(f AS DATE) < TRY_CAST(t AS DATE) THEN -1 \
             WHEN TRY_CAST(f AS DATE) = TRY_CAST(t AS DATE) THEN 0 \
             WHEN TRY_CAST(f AS DATE) > TRY_CAST(t AS DATE) THEN 1 END"
        );
        assert!(sign("VARCHAR", "f", "k").contains("TRY_CAST(f AS BLOB) < k"));
    }
}
