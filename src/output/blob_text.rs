//! The texts of a BLOB.

/// As DuckDB's cast to VARCHAR writes it.
pub fn escaped(bytes: &[u8]) -> String {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'\\' | b'\'' | b'"');
    let text = |byte: &u8| match *byte {
        byte if is_plain(byte) => char::from(byte).to_string(),
        byte => format!("\\x{byte:02X}"),
    };
    bytes.iter().map(text).collect()
}

/// In hexadecimal digits, as DuckLake writes bounds.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blobs_are_escaped_as_duckdb_does() {
        assert_eq!(escaped(b"\\x4'\"~ \x00\xFF"), "\\x5Cx4\\x27\\x22~ \\x00\\xFF");
        assert_eq!(hexadecimal(b"a\x00\xFF"), "6100FF");
    }
}
