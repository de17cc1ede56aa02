//! How bounds that are stored as texts are ordered: in the type of their column. A collation of the session must not
//! matter, so texts are compared as bytes.

/// What the text of a value is ordered by.
pub fn text_key(order_type: &str, text: &str) -> String {
    match order_type {
        "VARCHAR" => format!("encode({text})"),
        _ => format!("TRY_CAST({text} AS {order_type})"),
    }
}

/// A time with a zone in UTC, as which Parquet stores and orders it.
pub fn time_in_utc(column: &str) -> String {
    format!("CAST({column} AS TIME)")
}

/// What a value of the column is ordered by.
pub fn value_key(order_type: &str, value: &str) -> String {
    match order_type {
        "VARCHAR" => format!("encode(CAST({value} AS VARCHAR))"),
        _ => value.into(),
    }
}

/// -1, 0 or 1 as one key is less than, equal to or greater than another; NULL where one of them is NULL.
fn sign(left: &str, right: &str) -> String {
    format!(
        "CASE WHEN {left} < {right} THEN -1 WHEN {left} = {right} THEN 0 WHEN {left} > {right} THEN 1 END"
    )
}

/// What bounds of columns of this type are compared as in a footer; `None` for types without an order in Parquet.
pub fn footer_order_type(column_type: &str) -> Option<&str> {
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

/// The [`sign`] of a footer's bound, as `parquet_metadata` prints it, and a key; NULL where the text is no value of the
/// type. Zeros are equal, whatever their sign: readers take a minimum of 0.0 for -0.0, and a maximum of -0.0 for 0.0.
///
/// A bound of text that was cut inside a character is printed as a BLOB is. Whether `\xC3` stands for one byte or for
/// four is not to be seen, so such a bound has an order only if it is the same both ways.
pub fn footer_sign(order_type: &str, footer_text: &str, key: &str) -> String {
    let plain = sign(&text_key(order_type, footer_text), key);
    if order_type != "VARCHAR" {
        return plain;
    }
    let bytes = format!("TRY_CAST({footer_text} AS BLOB)");
    let escaped = sign(&bytes, key);
    format!(
        "CASE WHEN NOT contains({footer_text}, '\\x') OR {bytes} IS NULL OR ({plain}) = ({escaped}) \
         THEN {plain} ELSE 0 END"
    )
}

/// The types of bounds that lie in one column of text, each with its number.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrderTypes {
    types: Vec<String>,
}

impl OrderTypes {
    /// The number of a type, which is added when it is new.
    pub fn number(&mut self, order_type: &str) -> usize {
        self.types.iter().position(|known| known == order_type).unwrap_or_else(|| {
            self.types.push(order_type.to_owned());
            self.types.len() - 1
        })
    }

    /// The [`sign`] of two texts in the type that the expression `number` gives; NULL where one is no value of it.
    pub fn compare(&self, number: &str, left: &str, right: &str) -> String {
        self.cases(number, |order_type, _| {
            sign(&text_key(order_type, left), &text_key(order_type, right))
        })
    }

    /// Whether a text that is not NULL is no value of its column's type.
    pub fn is_unreadable(&self, number: &str, text: &str) -> String {
        self.cases(number, |order_type, _| {
            format!("{text} IS NOT NULL AND {} IS NULL", text_key(order_type, text))
        })
    }

    /// The text of least (`arg_min`) or greatest (`arg_max`) value. A text is cast to its own column's type
    /// alone: casts that fail are slow.
    pub fn extreme(&self, function: &str, text: &str) -> String {
        self.cases("order_number", |order_type, number| {
            let key = text_key(order_type, text);
            format!("{function}({text}, CASE WHEN order_number = {number} THEN {key} END)")
        })
    }

    fn cases(&self, number: &str, branch: impl Fn(&str, usize) -> String) -> String {
        let branches: String = self
            .types
            .iter()
            .enumerate()
            .map(|(index, order_type)| format!(" WHEN {index} THEN {}", branch(order_type, index)))
            .collect();
        if branches.is_empty() { "NULL".into() } else { format!("CASE {number}{branches} END") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_without_an_order_have_none() {
        assert_eq!(footer_order_type("DECIMAL(38,2)"), Some("DECIMAL(38,2)"));
        assert_eq!(footer_order_type("TIMESTAMP WITH TIME ZONE"), Some("TIMESTAMPTZ"));
        for unordered in ["INTERVAL", "TIME WITH TIME ZONE", "GEOMETRY", "VARIANT", "\"NULL\"", "x"]
        {
            assert_eq!(footer_order_type(unordered), None, "{unordered}");
        }
    }

    #[test]
    fn only_texts_can_be_escaped() {
        assert_eq!(
            footer_sign("DATE", "f", &text_key("DATE", "t")),
            "CASE WHEN TRY_CAST(f AS DATE) < TRY_CAST(t AS DATE) THEN -1 \
             WHEN TRY_CAST(f AS DATE) = TRY_CAST(t AS DATE) THEN 0 \
             WHEN TRY_CAST(f AS DATE) > TRY_CAST(t AS DATE) THEN 1 END"
        );
        assert!(footer_sign("VARCHAR", "f", "k").contains("TRY_CAST(f AS BLOB) < k"));
    }

    #[test]
    fn every_type_has_one_branch() {
        let mut types = OrderTypes::default();
        assert_eq!(types.compare("n", "a", "b"), "NULL");
        assert_eq!(
            (types.number("DATE"), types.number("VARCHAR"), types.number("DATE")),
            (0, 1, 0)
        );
        assert_eq!(
            types.extreme("arg_min", "t"),
            "CASE order_number \
             WHEN 0 THEN arg_min(t, CASE WHEN order_number = 0 THEN TRY_CAST(t AS DATE) END) \
             WHEN 1 THEN arg_min(t, CASE WHEN order_number = 1 THEN encode(t) END) END"
        );
    }
}
