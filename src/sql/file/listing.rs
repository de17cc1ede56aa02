//! What DuckDB says of files and of the columns that it reads from them, before anything is scanned.

use super::statement::exact_path;
use crate::sql::quote::long_text_list;
use colstats_core::query::Query;

/// The files that match the patterns. Fails where DuckDB is not allowed one of them.
pub fn matching_files(patterns: &[String]) -> Query<Option<String>> {
    Query::new(format!("SELECT file FROM glob({})", long_text_list(patterns)), |row| {
        row.owned_text("file")
    })
}

/// [`matching_files`] for plain names.
pub fn existing_files(files: &[&str]) -> Query<Option<String>> {
    matching_files(&files.iter().map(|file| exact_path(file)).collect::<Vec<_>>())
}

/// The names of columns that hold a NUL byte, whole.
pub fn names_with_nul_bytes(source: &str) -> Query<String> {
    Query::new(
        format!(
            "SELECT column_name FROM (DESCRIBE SELECT * FROM {source}) WHERE contains(column_name, chr(0))"
        ),
        |row| row.owned_text("column_name").unwrap_or_default(),
    )
}

/// The whole type names of the columns of `source`, in order.
pub fn type_names(source: &str) -> Query<String> {
    Query::new(format!("SELECT column_type FROM (DESCRIBE SELECT * FROM {source})"), |row| {
        row.owned_text("column_type").unwrap_or_default()
    })
}
