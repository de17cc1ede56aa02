//! Values of partition columns in paths (`.../key=value/...`), as DuckDB's readers take them, DuckLake's included.
//! Found by running them (test/e2e/lake/test_partition_values.py).

use super::quote::text;

/// The directory that Hive makes for NULL.
pub const HIVE_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// The value that the raw text of a path stands for, as an expression of type VARCHAR. `NULL` in any case is NULL, and
/// so is nothing at all but for a text; escapes are resolved after that is decided.
pub fn value(raw: Option<&str>, is_text: bool) -> String {
    match raw {
        None | Some(HIVE_NULL) => "NULL".into(),
        Some(raw) if raw.eq_ignore_ascii_case("NULL") => "NULL".into(),
        Some("") if !is_text => "NULL".into(),
        Some(raw) => format!("url_decode({})", text(raw)),
    }
}

/// The raw value of a key in a path: of the first directory called so, whatever the case of ASCII letters.
pub fn raw_value<'path>(path: &'path str, key: &str) -> Option<&'path str> {
    let (directories, _) = path.rsplit_once(['/', '\\'])?;
    directories
        .split(['/', '\\'])
        .filter_map(|directory| directory.split_once('='))
        .find(|(name, _)| name.eq_ignore_ascii_case(key))
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_has_several_spellings() {
        for raw in [HIVE_NULL, "NULL", "null", "Null"] {
            assert_eq!(value(Some(raw), true), "NULL", "{raw}");
        }
        assert_eq!(
            (value(Some(""), true).as_str(), value(Some(""), false).as_str()),
            ("url_decode('')", "NULL")
        );
        assert_eq!(value(Some("%4eULL"), true), "url_decode('%4eULL')");
        assert_eq!(value(None, true), "NULL");
    }

    #[test]
    fn values_are_those_of_directories() {
        assert_eq!(raw_value("a/K=1/b/k=2=3/f=4.parquet", "k"), Some("1"));
        assert_eq!(raw_value("a/k=2=3/f=4.parquet", "k"), Some("2=3"));
        assert_eq!(raw_value("a/k=1/f.parquet", "f"), None);
        assert_eq!(raw_value("a/f=1.parquet", "f"), None);
    }
}
