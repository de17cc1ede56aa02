//! Where the data files of a lake are.

use std::collections::HashSet;

use super::catalogue::{DataFile, Lake};
use crate::ffi::session::Session;
use crate::sql::lake::files::files_that_exist;
use colstats_core::error::{Error, Result};

/// How DuckDB's reader calls each file; an error for one that is not there.
pub(super) fn located(files: &[&DataFile], lake: &Lake, session: &Session) -> Result<Vec<String>> {
    let found = listed(files, session)?;
    if found.len() == files.len() {
        return Ok(found);
    }
    match missing_of(files, &found, session)?.first() {
        Some(file) => Err(is_missing(file, lake)),
        None => Err(Error::new(
            "the names of the lake's data files do not match the files that are there",
        )),
    }
}

/// The files that are not there.
pub(super) fn missing<'a>(files: &[&'a DataFile], session: &Session) -> Result<Vec<&'a DataFile>> {
    let found = listed(files, session)?;
    if found.len() == files.len() { Ok(Vec::new()) } else { missing_of(files, &found, session) }
}

pub(super) fn is_missing(file: &DataFile, lake: &Lake) -> Error {
    let table = lake.tables.get(&file.table_id).map_or("", |table| &table.table_name);
    Error::new(format!(
        "data file {} of table '{table}' is missing: '{}'; the lake itself cannot be read without it",
        file.data_file_id, file.path
    ))
}

fn listed(files: &[&DataFile], session: &Session) -> Result<Vec<String>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    session.collect(&files_that_exist(&paths))
}

/// An untidy path is listed under another name, so those that were not found are asked for one by one.
fn missing_of<'a>(
    files: &[&'a DataFile],
    found: &[String],
    session: &Session,
) -> Result<Vec<&'a DataFile>> {
    let found: HashSet<&str> = found.iter().map(String::as_str).collect();
    let mut missing = Vec::new();
    for file in files.iter().filter(|file| !found.contains(file.path.as_str())) {
        if session.collect(&files_that_exist(&[&file.path]))?.is_empty() {
            missing.push(*file);
        }
    }
    Ok(missing)
}
