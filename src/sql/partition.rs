//! Values of partition columns in paths (`.../key=value/...`), as DuckDB's readers take them, DuckLake's included.
//! Found by running them (test/e2e/lake/test_partition_values.py).

use super::quote::text;
use crate::output::ducklake::lake_type::LakeType;

/// The directory that Hive makes for NULL.
const HIVE_NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// A text that a reader takes from the path, where hosts before 1.5 read the directory that stands for NULL as a text.
pub fn text_or_null(column: &str) -> String {
    format!("nullif({column}, {})", text(HIVE_NULL))
}

/// The value that the raw text of a path stands for, as an expression of type VARCHAR. `NULL` in any case is NULL, and
/// so is nothing at all but for a text; escapes are resolved after that is decided. What is no value of the type is an
/// error, but for a TIMESTAMP WITH TIME ZONE: there it is NULL.
pub fn value(raw: &str, lake_type: &LakeType) -> String {
    let is_text = matches!(lake_type.name(), "varchar" | "json");
    if raw == HIVE_NULL || raw.eq_ignore_ascii_case("NULL") || (raw.is_empty() && !is_text) {
        return "NULL".into();
    }
    let decoded = format!("url_decode({})", text(raw));
    match lake_type.name() {
        "timestamptz" => format!(
            "CASE WHEN TRY_CAST({decoded} AS TIMESTAMP WITH TIME ZONE) IS NOT NULL THEN {decoded} END"
        ),
        _ => decoded,
    }
}

/// The raw value of a key in a path: of the first directory called so, in the same case.
pub fn raw_value<'path>(path: &'path str, key: &str) -> Option<&'path str> {
    let (directories, _) = path.rsplit_once(['/', '\\'])?;
    directories
        .split(['/', '\\'])
        .filter_map(key_and_value)
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
}

/// A directory with one `=` in it, not counting one at its beginning, is a partition; one with a question mark or a line
/// break is not.
fn key_and_value(directory: &str) -> Option<(&str, &str)> {
    let (key, value) = directory.rsplit_once('=')?;
    let is_plain = !directory.contains(['?', '\n']);
    (is_plain && !key.is_empty() && !key.get(1..).is_some_and(|key| key.contains('=')))
        .then_some((key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(type_name: &str, raw: &str) -> String {
        value(raw, &LakeType::new(type_name))
    }

    #[test]
    fn null_has_several_spellings() {
        for raw in [HIVE_NULL, "NULL", "null", "Null"] {
            assert_eq!(of("varchar", raw), "NULL", "{raw}");
        }
        assert_eq!(of("varchar", ""), "url_decode('')");
        assert_eq!(of("json", ""), "url_decode('')");
        assert_eq!(of("int32", ""), "NULL");
        assert_eq!(of("varchar", "%4eULL"), "url_decode('%4eULL')");
        assert!(of("timestamptz", "x").starts_with("CASE WHEN TRY_CAST(url_decode('x')"));
    }

    #[test]
    fn values_are_those_of_directories() {
        assert_eq!(raw_value("a/K=1/b/k=2/k=3/f=4.parquet", "k"), Some("2"));
        assert_eq!(raw_value("a/k=2=3/k=4/f.parquet", "k"), Some("4"));
        assert_eq!(raw_value("a/k=2?/k=3\n/k=4/f.parquet", "k"), Some("4"));
        assert_eq!(raw_value("a/k=1/f.parquet", "f"), None);
        assert_eq!(raw_value("a/K=1/f.parquet", "k"), None);
        assert_eq!(raw_value("a/=1/f.parquet", ""), None);
        assert_eq!(raw_value("a/=k=1/f.parquet", "=k"), Some("1"));
        assert_eq!(raw_value("a/é=b=1/f.parquet", "é"), None);
        assert_eq!(raw_value("a/f=1.parquet", "f"), None);
    }
}
