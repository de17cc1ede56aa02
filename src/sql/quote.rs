//! Quoting of names and texts.

/// A name in double quotes.
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in single quotes. A statement ends at a NUL byte, so each of them is a call of `chr`.
pub fn text(value: &str) -> String {
    let parts: Vec<String> =
        value.split('\0').map(|part| format!("'{}'", part.replace('\'', "''"))).collect();
    let joined = parts.join(" || chr(0) || ");
    if parts.len() == 1 { joined } else { format!("({joined})") }
}

/// A text expression that is grouped and compared by its bytes, whatever collation the database has as its
/// default: under NOCASE two files whose names differ in case alone would be one. Unlike `encode` it computes
/// nothing for a row.
pub fn as_bytes(expression: &str) -> String {
    format!("{expression} COLLATE \"binary\"")
}

/// A list of texts.
pub fn text_list<'a>(values: impl IntoIterator<Item = &'a str>) -> String {
    let values: Vec<String> = values.into_iter().map(text).collect();
    format!("[{}]", values.join(", "))
}

/// Above so many, a list is written as one text.
const MAX_CONSTANTS: usize = 50;

/// A list of texts, possibly of very many: these are one text that is split again, as thousands of constants
/// take longer to parse than the small files that they name take to scan.
pub fn long_text_list(values: &[String]) -> String {
    let is_free = |separator: &char| !values.iter().any(|value| value.contains(*separator));
    let separator = ('\n'..='\u{FFFF}').find(is_free);
    match separator.filter(|_| values.len() > MAX_CONSTANTS) {
        None => text_list(values.iter().map(String::as_str)),
        Some(separator) => {
            let separator = separator.to_string();
            format!("string_split({}, {})", text(&values.join(&separator)), text(&separator))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(identifier("a\"b"), "\"a\"\"b\"");
        assert_eq!(text("it's"), "'it''s'");
        assert_eq!(text("a'\0b"), "('a''' || chr(0) || 'b')");
        assert_eq!(text(""), "''");
        assert_eq!(text_list(["a", "b'"]), "['a', 'b''']");
    }

    #[test]
    fn long_lists_are_split_at_what_is_in_no_value() {
        let mut values = vec![String::from("a'b"); MAX_CONSTANTS];
        assert!(long_text_list(&values).starts_with("['a''b', "));
        values.push("c".into());
        let list = long_text_list(&values);
        assert!(list.starts_with("string_split('a''b\na''b\n") && list.ends_with("\nc', '\n')"));
        values.push("d\ne".into());
        assert!(long_text_list(&values).ends_with("\u{b}c\u{b}d\ne', '\u{b}')"));
    }
}
