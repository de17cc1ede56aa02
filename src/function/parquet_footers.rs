//! The footers of many small Parquet files, read without `parquet_schema` and `parquet_metadata`: these make
//! a row of thirty columns for every column chunk, which for small files costs more than their scan.
//!
//! DuckDB reads no part of a file but the whole (`read_blob`); that is cheap for a small local file, whose
//! pages are read next. What is not found here is asked of the two functions, which also say what is wrong.

use std::collections::HashMap;

use crate::core::parquet_footer::Footer;
use crate::error::Result;
use crate::ffi::session::Session;
use crate::sql::file_statement::path_list;

/// Up to this size a file is read whole.
const MAX_FILE_BYTES: i64 = 1 << 20;

/// So much is read at a time: DuckDB 1.3 holds the files of two thousand rows at once.
const MAX_BATCH_BYTES: i64 = 32 << 20;

/// Footers by file.
pub type Footers = HashMap<String, Footer>;

/// The footers of those files that are local, small and in order.
pub fn read_footers(files: &[String], session: &Session) -> Footers {
    let mut footers = Footers::new();
    let small = small_files(files, session).unwrap_or_default();
    // The parts of a UNION ALL run side by side.
    let parts: Vec<String> = batches(&small).iter().map(|batch| file_ends(batch)).collect();
    if parts.is_empty() {
        return footers;
    }
    let Ok(rows) = session.query(&parts.join(" UNION ALL ")) else { return footers };
    let read = rows.for_each(|row| {
        let footer = row.bytes(1).and_then(Footer::decode);
        if let (Some(file), Some(footer)) = (row.text(0), footer) {
            footers.insert(file.to_owned(), footer);
        }
        Ok(())
    });
    if read.is_ok() { footers } else { Footers::new() }
}

/// The files that are worth it, with their sizes.
fn small_files(files: &[String], session: &Session) -> Result<Vec<(String, i64)>> {
    let local: Vec<&str> =
        files.iter().map(String::as_str).filter(|file| !file.contains("://")).collect();
    let mut small = Vec::new();
    if local.is_empty() {
        return Ok(small);
    }
    let sizes = format!("SELECT filename, size FROM read_blob({})", path_list(&local));
    session.query(&sizes)?.for_each(|row| {
        if let (Some(file), Some(size @ ..=MAX_FILE_BYTES)) = (row.text(0), row.integer(1)) {
            small.push((file.to_owned(), size));
        }
        Ok(())
    })?;
    Ok(small)
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
