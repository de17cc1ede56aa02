//! Statements that ask DuckDB about the footers of Parquet files.

use crate::sql::file::statement::path_list;
use crate::sql::quote::as_bytes;
use colstats_core::parquet::footer::Footer;
use colstats_core::query::Query;

/// Fails where DuckDB is not allowed one of the files.
pub fn allowed_files(files: &[&str]) -> String {
    format!("SELECT file FROM glob({})", path_list(files))
}

/// The bytes of a file.
pub fn remote_size(file: &str) -> Query<Option<i64>> {
    Query::new(format!("SELECT size FROM read_blob({})", path_list(&[file])), |row| {
        row.integer("size")
    })
}

/// The footer of a file, if that is in order.
pub fn remote_footer(file: &str) -> Query<Option<Footer>> {
    Query::new(format!("SELECT content FROM read_blob({})", path_list(&[file])), |row| {
        row.bytes("content").and_then(Footer::decode)
    })
}

/// The size of a column chunk over all row groups of a file.
pub struct ChunkSize {
    pub file_name: String,
    pub compressed_bytes: i64,
    pub has_entries: bool,
}

/// The sizes of files, column by column.
pub fn chunk_sizes(files: &[&str]) -> Query<ChunkSize> {
    let statement = format!(
        "SELECT any_value(file_name) AS file_name, column_id, \
         CAST(sum(total_compressed_size) AS BIGINT) AS compressed_bytes, \
         bool_or(num_values > 0) AS has_entries FROM parquet_metadata({}) \
         GROUP BY {}, column_id ORDER BY column_id",
        path_list(files),
        as_bytes("file_name")
    );
    Query::new(statement, |row| ChunkSize {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        compressed_bytes: row.integer("compressed_bytes").unwrap_or(0),
        has_entries: row.flag("has_entries") == Some(true),
    })
}

/// The number of rows of a file.
pub fn row_count(file: &str) -> Query<Option<i64>> {
    Query::new(
        format!("SELECT num_rows FROM parquet_file_metadata({})", path_list(&[file])),
        |row| row.integer("num_rows"),
    )
}
