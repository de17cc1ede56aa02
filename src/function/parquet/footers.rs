//! The footers of many small Parquet files, read without `parquet_schema` and `parquet_metadata`: these make
//! a row of thirty columns for every column chunk, which for small files costs more than their scan.
//!
//! DuckDB reads no part of a file but the whole (`read_blob`); that is cheap for a small local file, whose
//! pages are read next. What is not found here is asked of the two functions, which also say what is wrong.

use std::collections::HashMap;

use crate::ffi::session::Session;
use crate::sql::file::statement::{FileSizes, path_list};
use crate::sql::quote::as_bytes;
use crate::sql::rows::union_all;
use colstats_core::error::Result;
use colstats_core::parquet::footer::Footer;

/// Up to this size a file is read whole.
const MAX_FILE_BYTES: i64 = 1 << 20;

/// So much is read at a time: DuckDB 1.3 holds the files of two thousand rows at once.
const MAX_BATCH_BYTES: i64 = 32 << 20;

/// Footers by file.
pub type Footers = HashMap<String, Footer>;

/// The footers of those files that are local, small and in order.
pub fn read_footers(files: &[String], session: &Session) -> Footers {
    read_footers_by_size(sizes_of_files(files, session).unwrap_or_default(), session)
}

fn is_local(file: &str) -> bool {
    !file.contains("://")
}

/// [`read_footers`] of files whose sizes in bytes are known.
pub fn read_footers_by_size(mut files: Vec<(String, i64)>, session: &Session) -> Footers {
    files.retain(|(file, size_bytes)| is_local(file) && *size_bytes <= MAX_FILE_BYTES);
    let mut footers = Footers::new();
    let parts: Vec<String> = batches(&files).iter().map(|batch| file_ends(batch)).collect();
    let Some(statement) = union_all(parts) else { return footers };
    // With an order of their own, the parts need not be collected one after the other.
    let Ok(rows) = session.query(&format!("{statement} ORDER BY filename")) else { return footers };
    let read = rows.for_each(|row| {
        let footer = row.bytes(1).and_then(Footer::decode);
        if let (Some(file), Some(footer)) = (row.text(0), footer) {
            footers.insert(file.to_owned(), footer);
        }
        Ok(())
    });
    if read.is_ok() { footers } else { Footers::new() }
}

/// What these footers say of sizes.
pub fn known_sizes(footers: Footers) -> impl Iterator<Item = (String, FileSizes)> {
    footers.into_iter().map(|(file, footer)| {
        let (has_rows, chunk_bytes) = (footer.row_count > 0, Some(footer.chunk_bytes));
        (file, FileSizes { has_rows, chunk_bytes })
    })
}

/// Asks DuckDB for the sizes in Parquet files.
///
/// DuckDB's `parquet_metadata` spells all bounds of a footer and fails at one that has no text, such as a
/// timestamp out of range. The values can be read all the same. So the file that it fails at is searched by
/// halves, and of that one only the number of rows is asked.
pub fn add_sizes(sizes: &mut HashMap<String, FileSizes>, files: &[&str], session: &Session) {
    if files.is_empty() {
        return;
    }
    match (listed_sizes(files, session), files) {
        (Ok(listed), _) => sizes.extend(listed),
        (Err(_), [file]) => {
            let has_rows = has_rows(file, session).unwrap_or(false);
            sizes.insert((*file).to_owned(), FileSizes { has_rows, chunk_bytes: None });
        }
        (Err(_), _) => {
            let (left, right) = files.split_at(files.len() / 2);
            add_sizes(sizes, left, session);
            add_sizes(sizes, right, session);
        }
    }
}

fn listed_sizes(files: &[&str], session: &Session) -> Result<HashMap<String, FileSizes>> {
    // A file without row groups has no row in the answer.
    let empty = || FileSizes { has_rows: false, chunk_bytes: Some(Vec::new()) };
    let mut sizes: HashMap<String, FileSizes> =
        files.iter().map(|file| ((*file).to_owned(), empty())).collect();
    let statement = format!(
        "SELECT any_value(file_name), column_id, CAST(sum(total_compressed_size) AS BIGINT), \
         CAST(bool_or(num_values > 0) AS BIGINT) FROM parquet_metadata({}) \
         GROUP BY {}, column_id ORDER BY column_id",
        path_list(files),
        as_bytes("file_name")
    );
    session.query(&statement)?.for_each(|row| {
        if let Some(sizes) = row.text(0).and_then(|file| sizes.get_mut(file)) {
            sizes.has_rows |= row.integer(3) == Some(1);
            sizes.chunk_bytes.get_or_insert_default().push(row.integer(2).unwrap_or(0));
        }
        Ok(())
    })?;
    Ok(sizes)
}

fn has_rows(file: &str, session: &Session) -> Result<bool> {
    let statement = format!("SELECT num_rows FROM parquet_file_metadata({})", path_list(&[file]));
    let mut has_rows = false;
    session.query(&statement)?.for_each(|row| {
        has_rows = row.integer(0).is_some_and(|count| count > 0);
        Ok(())
    })?;
    Ok(has_rows)
}

fn sizes_of_files(files: &[String], session: &Session) -> Result<Vec<(String, i64)>> {
    let local: Vec<&str> = files.iter().map(String::as_str).filter(|file| is_local(file)).collect();
    let mut sizes = Vec::new();
    if local.is_empty() {
        return Ok(sizes);
    }
    // Sorted, since each file comes as a chunk of its own, and chunks cost more to collect than rows.
    let statement =
        format!("SELECT filename, size FROM read_blob({}) ORDER BY filename", path_list(&local));
    session.query(&statement)?.for_each(|row| {
        sizes.extend(row.text(0).map(str::to_owned).zip(row.integer(1)));
        Ok(())
    })?;
    Ok(sizes)
}

fn batches(files: &[(String, i64)]) -> Vec<Vec<&str>> {
    let mut batches: Vec<Vec<&str>> = Vec::new();
    let mut batch_bytes = MAX_BATCH_BYTES;
    for (file, size) in files {
        batch_bytes = batch_bytes.saturating_add(*size);
        match batches.last_mut() {
            Some(batch) if batch_bytes <= MAX_BATCH_BYTES => batch.push(file),
            _ => {
                batches.push(vec![file]);
                batch_bytes = *size;
            }
        }
    }
    batches
}

/// The files with their last bytes: the footer, its length (four bytes, the lowest first) and four more.
fn file_ends(files: &[&str]) -> String {
    format!(
        "SELECT filename, content[greatest(size - 7 - coalesce(TRY_CAST('0x' || length[7:8] || length[5:6] \
         || length[3:4] || length[1:2] AS BIGINT), 0), 1):] AS file_end FROM (SELECT filename, content, size, \
         hex(content[size - 7:size - 4]) AS length FROM read_blob({}))",
        path_list(files)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded() {
        let files: Vec<(String, i64)> =
            (0..5).map(|number| (number.to_string(), MAX_BATCH_BYTES / 2)).collect();
        assert_eq!(batches(&files), [vec!["0", "1"], vec!["2", "3"], vec!["4"]]);
        assert_eq!(batches(&[("a".into(), MAX_BATCH_BYTES + 1)]), [vec!["a"]]);
        assert!(batches(&[]).is_empty());
    }
}
