//! Statements that ask DuckDB about the footers of Parquet files.

use crate::sql::file::statement::path_list;
use crate::sql::quote::as_bytes;
use colstats_core::parquet::footer::Footer;
use colstats_core::query::Query;

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

/// A row group of a file.
pub struct RowGroupSize {
    pub file_name: String,
    pub row_count: i64,
}

/// The row groups of files, in their order.
pub fn row_group_sizes(files: &[&str]) -> Query<RowGroupSize> {
    let statement = format!(
        "SELECT file_name, row_group_num_rows FROM parquet_metadata({}) WHERE column_id = 0 \
         ORDER BY file_name, row_group_id",
        path_list(files)
    );
    Query::new(statement, |row| RowGroupSize {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        row_count: row.integer("row_group_num_rows").unwrap_or(0),
    })
}

/// The number of rows of a file.
pub fn row_count(file: &str) -> Query<Option<i64>> {
    Query::new(
        format!("SELECT num_rows FROM parquet_file_metadata({})", path_list(&[file])),
        |row| row.integer("num_rows"),
    )
}

/// Who wrote a file.
pub struct Writer {
    pub file_name: String,
    /// Nothing where the writer does not say.
    pub created_by: Option<String>,
}

/// The writers of files.
pub fn writers(files: &[&str]) -> Query<Writer> {
    let statement =
        format!("SELECT file_name, created_by FROM parquet_file_metadata({})", path_list(files));
    Query::new(statement, |row| Writer {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        created_by: row.owned_text("created_by"),
    })
}

/// Lists all that DuckDB knows of a column chunk; which columns the listing has depends on the host.
pub fn chunk_listing(file: &str) -> String {
    format!("parquet_metadata({})", path_list(&[file]))
}
