//! Which files a call names: globs expanded, and what their paths say of partitions.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::error::{Error, Result};
use crate::ffi::session::Session;
use crate::sql::quote::{long_text_list, text};

/// Expands globs in list order, each sorted by DuckDB; a file named twice is kept once.
pub fn expand(patterns: &[String], session: &Session) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut seen = HashMap::new();
    let (literal, all) = (patterns.iter().all(|p| !p.contains(['*', '?', '['])), patterns.len());
    let mut keep = |file: &str| {
        if let Entry::Vacant(entry) = seen.entry(file.to_owned()) {
            entry.insert(());
            files.push(file.to_owned());
        }
    };
    // Plain names: one statement for all. Should one be missing, the loop below says which.
    if literal {
        let found = glob(&long_text_list(patterns), session)?;
        if found.len() == all {
            found.iter().for_each(|file| keep(file));
            return Ok(files);
        }
    }
    for pattern in patterns {
        let found = glob(&text(pattern), session)?;
        if found.is_empty() {
            return Err(Error::new(format!(
                "no file matches '{pattern}'; check the path (relative paths start where DuckDB runs)"
            )));
        }
        found.iter().for_each(|file| keep(file));
    }
    Ok(files)
}

fn glob(argument: &str, session: &Session) -> Result<Vec<String>> {
    let mut files = Vec::new();
    session.query(&format!("SELECT file FROM glob({argument})"))?.for_each(|row| {
        files.extend(row.text(0).map(str::to_owned));
        Ok(())
    })?;
    Ok(files)
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
