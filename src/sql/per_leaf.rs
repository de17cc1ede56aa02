//! From the one row that a scan gives of a file to a row per leaf.

use super::file::statement::File;
use super::quote::long_text_list;

/// The common table expression `per_leaf(keys, column_position, leaf, leaf_position)`, with the one that it needs:
/// in `scanned`, `stats` holds a result for each column, and a result has an element for each leaf.
pub fn per_leaf(keys: &str, scanned: &str) -> String {
    format!(
        "per_column AS (SELECT {keys}, unnest(stats) AS column_leaves, \
         generate_subscripts(stats, 1) AS column_position FROM {scanned}), \
         per_leaf AS (SELECT {keys}, column_position, unnest(column_leaves) AS leaf, \
         generate_subscripts(column_leaves, 1) AS leaf_position FROM per_column)"
    )
}

/// Rows of `file_number`, which counts from `first`, `file_name`, `schema_number` and `more` columns: lists are
/// read faster than rows, where there are thousands of files.
pub fn file_rows(files: &[File], first: usize, more: &[(&str, String)]) -> String {
    let more: String =
        more.iter().map(|(name, list)| format!(", unnest({list}) AS {name}")).collect();
    format!(
        "SELECT unnest(range({first}, {end})) AS file_number, unnest({names}) AS file_name, \
         unnest(CAST({schemas} AS INTEGER[])) AS schema_number{more}",
        end = first + files.len(),
        names = list_of(files, |file| file.name.clone()),
        schemas = list_of(files, |file| file.schema.to_string()),
    )
}

/// A list of texts, one per file.
pub fn list_of(files: &[File], text: impl Fn(&File) -> String) -> String {
    long_text_list(&files.iter().map(text).collect::<Vec<_>>())
}
