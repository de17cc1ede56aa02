//! Where the data files of a lake are.

use std::collections::HashSet;

use super::catalogue::{DataFile, Lake};
use crate::ffi::session::Session;
use crate::sql::file::statement::{exact_path, path_list};
use crate::sql::quote::text;
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
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut found = Vec::new();
    if !paths.is_empty() {
        session.query(&format!("SELECT file FROM glob({})", path_list(&paths)))?.for_each(
            |row| {
                found.extend(row.text(0).map(str::to_owned));
                Ok(())
            },
        )?;
    }
    Ok(found)
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
        let mut is_there = false;
        let statement = format!("SELECT file FROM glob({})", text(&exact_path(&file.path)));
        session.query(&statement)?.for_each(|_| {
            is_there = true;
            Ok(())
        })?;
        if !is_there {
            missing.push(*file);
        }
    }
    Ok(missing)
}
