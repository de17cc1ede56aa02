//! Quoting of names and texts.

/// A name in double quotes.
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in single quotes.
pub fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// A list of texts.
pub fn text_list<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let values: Vec<String> = values.into_iter().map(text).collect();
    format!("[{}]", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(identifier("a\"b"), "\"a\"\"b\"");
        assert_eq!(text("it's"), "'it''s'");
        assert_eq!(text_list(["a", "b'"]), "['a', 'b''']");
    }
}
