//! Which files a call names: globs expanded, cut into runs, and what their paths say of partitions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::options::Format;
use crate::ffi::session::Session;
use crate::sql::file::listing::matching_files;
use crate::sql::file::statement::is_pattern;
use colstats_core::error::{Error, Result};

/// A reader of CSV or JSON takes up to 60 MB of buffers for the smallest file, and before DuckDB 2.0 those of
/// all scans of a statement are held at once. So many are put into one.
const MAX_TEXT_SCANS: usize = 8;

/// Expands globs in list order, each sorted by DuckDB; a file named twice is kept once.
pub fn expand(patterns: &[String], session: &Session) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut seen = HashMap::new();
    let (literal, all) = (!patterns.iter().any(|p| is_pattern(p)), patterns.len());
    let mut keep = |file: &str| {
        if let Entry::Vacant(entry) = seen.entry(file.to_owned()) {
            entry.insert(());
            files.push(file.to_owned());
        }
    };
    // Plain names: one statement for all. Should one be missing, the loop below says which.
    if literal {
        let found = glob(patterns, session)?;
        if found.len() == all {
            found.iter().for_each(|file| keep(file));
            return Ok(files);
        }
    }
    for pattern in patterns {
        let found = glob(std::slice::from_ref(pattern), session)?;
        if found.is_empty() {
            return Err(no_file_matches(pattern, session));
        }
        found.iter().for_each(|file| keep(file));
    }
    Ok(files)
}

fn no_file_matches(pattern: &str, session: &Session) -> Error {
    let directory = pattern.trim_end_matches(['/', '\\']);
    if !directory.is_empty() && has_files(directory, session) {
        return Error::new(format!(
            "'{pattern}' is a directory; name its files, as in '{directory}/**/*.parquet'"
        ));
    }
    Error::new(format!(
        "no file matches '{pattern}'; check the path (relative paths start where DuckDB runs)"
    ))
}

/// Whether there are files in a directory, or in those in it, which may be partitions; to look into all of them
/// might take long.
fn has_files(directory: &str, session: &Session) -> bool {
    let levels = [format!("{directory}/*"), format!("{directory}/*/*")];
    glob(&levels, session).is_ok_and(|files| !files.is_empty())
}

fn glob(patterns: &[String], session: &Session) -> Result<Vec<String>> {
    Ok(session.collect(&matching_files(patterns))?.into_iter().flatten().collect())
}

/// The keys of hive partition directories (`key=value`) in the paths.
pub fn partition_keys(files: &[String]) -> Vec<&str> {
    let mut keys: Vec<&str> = files
        .iter()
        .filter_map(|file| file.rsplit_once(['/', '\\']).map(|(directory, _)| directory))
        .flat_map(|directory| directory.split(['/', '\\']))
        .filter_map(|part| part.split_once('=').map(|(key, _)| key))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Runs of files whose statement has a bounded number of scans of its own for CSV and JSON files.
pub fn batches(files: &[(Format, String)], is_one_scan: bool) -> Vec<&[(Format, String)]> {
    let mut batches = Vec::new();
    let (mut start, mut text_scans) = (0, 0);
    for (index, (format, _)) in files.iter().enumerate() {
        if *format != Format::Parquet && !is_one_scan {
            if text_scans == MAX_TEXT_SCANS {
                batches.extend(files.get(start..index));
                (start, text_scans) = (index, 0);
            }
            text_scans += 1;
        }
    }
    batches.extend(files.get(start..));
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_have_few_scans_of_text_files() {
        let file = |format| (format, String::new());
        let mut files = vec![file(Format::Parquet); 100];
        assert_eq!(batches(&files, false).len(), 1);
        files.extend(vec![file(Format::Csv); MAX_TEXT_SCANS]);
        files.extend(vec![file(Format::Parquet); 3]);
        assert_eq!(batches(&files, false).len(), 1);
        files.push(file(Format::Json));
        files.push(file(Format::Parquet));
        let lengths: Vec<usize> = batches(&files, false).iter().map(|batch| batch.len()).collect();
        assert_eq!(lengths, [103 + MAX_TEXT_SCANS, 2]);
        assert_eq!(batches(&files, true).len(), 1);
    }
}
