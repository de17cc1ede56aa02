//! Statements that ask DuckDB about the footers of Parquet files.

use crate::sql::file::statement::path_list;
use crate::sql::quote::as_bytes;

/// Fails where DuckDB is not allowed one of the files; columns: file.
pub fn allowed_files(files: &[&str]) -> String {
    format!("SELECT file FROM glob({})", path_list(files))
}

/// Columns: bytes of the file.
pub fn remote_size(file: &str) -> String {
    format!("SELECT size FROM read_blob({})", path_list(&[file]))
}

/// Columns: the file.
pub fn remote_content(file: &str) -> String {
    format!("SELECT content FROM read_blob({})", path_list(&[file]))
}

/// Columns: file, column chunk, its compressed bytes over all row groups, whether it has entries.
pub fn sizes(files: &[&str]) -> String {
    format!(
        "SELECT any_value(file_name), column_id, CAST(sum(total_compressed_size) AS BIGINT), \
         CAST(bool_or(num_values > 0) AS BIGINT) FROM parquet_metadata({}) \
         GROUP BY {}, column_id ORDER BY column_id",
        path_list(files),
        as_bytes("file_name")
    )
}

/// Columns: number of rows.
pub fn has_rows(file: &str) -> String {
    format!("SELECT num_rows FROM parquet_file_metadata({})", path_list(&[file]))
}
