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
/// error, but for times with a zone: there it is NULL.
pub fn value(raw: &str, lake_type: &LakeType) -> String {
    let is_text = matches!(lake_type.name(), "varchar" | "json");
    if raw == HIVE_NULL || raw.eq_ignore_ascii_case("NULL") || (raw.is_empty() && !is_text) {
        return "NULL".into();
    }
    let decoded = format!("url_decode({})", text(raw));
    match lake_type.name() {
        "timestamptz" => if_castable(&decoded, "TIMESTAMP WITH TIME ZONE"),
        "timetz" => if_castable(&decoded, "TIME WITH TIME ZONE"),
        _ => decoded,
    }
}

fn if_castable(decoded: &str, type_name: &str) -> String {
    format!("CASE WHEN TRY_CAST({decoded} AS {type_name}) IS NOT NULL THEN {decoded} END")
}

/// Whether the value is another one in another session: a time with a zone that is written without its offset is taken
/// in the zone of the session that reads it. The name of a zone is no better: ICU keeps it for the values that it reads
/// next, those of other files.
pub fn depends_on_session(raw: &str, lake_type: &LakeType) -> bool {
    let has_zone = matches!(lake_type.name(), "timestamptz" | "timetz");
    // `infinity`, `epoch`, NULL and what is no time at all have no digit.
    has_zone && raw.contains(|character: char| character.is_ascii_digit()) && !ends_with_offset(raw)
}

/// Whether a time ends with its offset from UTC: `Z`, `+01`, `-01:30`.
fn ends_with_offset(raw: &str) -> bool {
    let text = raw.replace("%2B", "+").replace("%2b", "+").replace("%3A", ":").replace("%3a", ":");
    let text = text.trim_end_matches("%20").trim_end();
    if let Some(time) = text.strip_suffix(['Z', 'z']) {
        return time.ends_with(|character: char| character.is_ascii_digit());
    }
    // A sign behind the hours and minutes is none of the date's.
    let Some((before, offset)) = text.rsplit_once(['+', '-']) else { return false };
    before.contains(':')
        && !offset.is_empty()
        && offset.chars().all(|character| character.is_ascii_digit() || character == ':')
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
    fn times_without_an_offset_depend_on_the_session() {
        let depends = |raw: &str| depends_on_session(raw, &LakeType::new("timestamptz"));
        for raw in [
            "2020-01-01",
            "2020-01-01 00:00:00",
            "2020-01-01%2000%3A00%3A00",
            "2020-01-01 00:00 Europe%2FBerlin",
        ] {
            assert!(depends(raw), "{raw}");
        }
        for raw in [
            "2020-01-01 00:00:00+00",
            "2020-01-01 00%3A00%3A00%2B01:30",
            "2020-01-01T00:00:00Z",
            "NULL",
            "infinity",
            "abc",
        ] {
            assert!(!depends(raw), "{raw}");
        }
        assert!(!depends_on_session("2020-01-01", &LakeType::new("timestamp")));
        assert!(depends_on_session("10:00:00", &LakeType::new("timetz")));
        assert!(!depends_on_session("10:00:00-05", &LakeType::new("timetz")));
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
