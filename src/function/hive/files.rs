//! Finds out what `hive_column_stats` has to scan: files, partitions, columns. Reads no data but Parquet
//! footers and what DuckDB's CSV and JSON readers sniff.

use std::collections::{HashMap, HashSet};

use super::options::{default_options, hive_options};
use crate::ffi::session::Session;
use crate::function::file::columns::unused_file_column;
use crate::function::file::columns::{check_names, null_byte_in};
use crate::function::file::list::expand;
use crate::function::file::options::{FileOptions, Format, reader_options};
use crate::function::options::{NamedOption, option, read};
use crate::function::own_session::isolate;
use crate::sql::file::listing::names_with_nul_bytes;
use crate::sql::file::statement::Scan;
use crate::sql::hive::statement::{HiveFileStatement, HiveOptions, Part, partition_of};
use crate::sql::quote::identifier;
use crate::sql::rows::probe;
use colstats_core::error::{Error, Result};
use colstats_core::value::Literal;

/// Whether there is a row per partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitions {
    /// Where a file lies in a partition directory.
    Auto,
    Yes,
    No,
}

/// The checked arguments of `hive_column_stats`.
#[derive(Debug, Clone, PartialEq)]
pub struct HiveFiles {
    files: FileOptions,
    partitions: Partitions,
    options: HiveOptions,
}

impl AsMut<HiveOptions> for HiveFiles {
    fn as_mut(&mut self) -> &mut HiveOptions {
        &mut self.options
    }
}

impl AsMut<FileOptions> for HiveFiles {
    fn as_mut(&mut self) -> &mut FileOptions {
        &mut self.files
    }
}

/// The options.
pub fn hive_files_options() -> Vec<NamedOption<HiveFiles>> {
    let partitions = option("partitions", |checked: &mut HiveFiles, given| {
        checked.partitions = partitions_of(given.value)?;
        Ok(())
    });
    hive_options().into_iter().chain([partitions]).chain(reader_options()).collect()
}

impl HiveFiles {
    /// Checks the arguments. An option whose name is not known is an error.
    pub fn new(files: &Literal, named: &[(&str, Literal)]) -> Result<HiveFiles> {
        let mut checked = HiveFiles {
            files: FileOptions::new(files, &[])?,
            partitions: Partitions::Auto,
            options: default_options(),
        };
        read(&hive_files_options(), named, &mut checked)?;
        Ok(checked)
    }

    /// Makes the session our own, unless there are options of the reader, which may name types of the user.
    pub fn isolate(&self, session: &Session) -> Result<()> {
        if self.files.read_options.is_empty() { isolate(session) } else { Ok(()) }
    }

    /// The statement over the files, which are looked up now.
    pub fn statement(&self, session: &Session) -> Result<String> {
        let files = expand(&self.files.files, session)?;
        let has_backslashes = files.iter().all(|file| file.contains('\\') && !file.contains('/'));
        let of_file = |file: &String| partition_of(file, has_backslashes);
        let of_files: Vec<Option<String>> = match self.partitions {
            Partitions::No => vec![None; files.len()],
            _ => files.iter().map(of_file).collect(),
        };
        if self.partitions == Partitions::Yes
            && let Some((file, _)) = files.iter().zip(&of_files).find(|(_, known)| known.is_none())
        {
            return Err(Error::new(format!(
                "file '{file}' lies in no partition directory (key=value), but partitions is true"
            )));
        }
        let is_partitioned = of_files.iter().any(Option::is_some);
        let mut statement = HiveFileStatement {
            scans: scans(&files, &self.files)?,
            columns: Vec::new(),
            parts: parts(&files, &of_files),
            is_partitioned,
            has_backslashes,
        };
        let columns = column_names(&statement, session)?;
        let keys = keys(&of_files);
        check_keys(&columns, &keys, &statement, session)?;
        let file_column = unused_file_column(columns.iter().map(String::as_str));
        statement.scans.iter_mut().for_each(|scan| scan.file_column.clone_from(&file_column));
        statement.columns = self.select(columns, &keys)?;
        Ok(statement.compose(&self.options))
    }

    /// The columns to report: all but the partition columns, or those asked for.
    fn select(&self, columns: Vec<String>, partition_keys: &[String]) -> Result<Vec<String>> {
        let is_partition = |column: &String| is_key(column, partition_keys);
        let columns: Vec<String> = columns.into_iter().filter(|c| !is_partition(c)).collect();
        if columns.is_empty() {
            return Err(Error::new("the files have no column beside the partition columns"));
        }
        let Some(asked) = &self.options.columns else { return Ok(columns) };
        // DuckDB's names do not depend on the case of ASCII letters, but on that of others.
        let folded = |names: &[String]| -> HashSet<String> {
            names.iter().map(|name| name.to_ascii_lowercase()).collect()
        };
        let known_names = folded(&columns);
        for name in asked {
            if is_partition(name) {
                return Err(Error::new(format!(
                    "'{name}' is a partition column, of which Hive keeps no statistics"
                )));
            }
            if !known_names.contains(&name.to_ascii_lowercase()) {
                let known: Vec<String> =
                    columns.iter().take(20).map(|column| identifier(column)).collect();
                return Err(Error::new(format!(
                    "column '{name}' is in none of the files; the columns are {}",
                    known.join(", ")
                )));
            }
        }
        let asked_names = folded(asked);
        let is_asked = |column: &String| asked_names.contains(&column.to_ascii_lowercase());
        Ok(columns.into_iter().filter(is_asked).collect())
    }
}

fn is_key(column: &str, partition_keys: &[String]) -> bool {
    partition_keys.iter().any(|key| key.eq_ignore_ascii_case(column))
}

/// A column that is called like a partition is left out. The C API hands names out up to their first NUL byte, and what
/// follows it may make the column another one.
fn check_keys(
    columns: &[String],
    partition_keys: &[String],
    statement: &HiveFileStatement,
    session: &Session,
) -> Result<()> {
    if !columns.iter().any(|column| is_key(column, partition_keys)) {
        return Ok(());
    }
    match session.collect(&names_with_nul_bytes(&statement.source(false)))?.first() {
        Some(name) => Err(null_byte_in(name)),
        None => Ok(()),
    }
}

fn partitions_of(value: &Literal) -> Result<Partitions> {
    let known = match value {
        Literal::Boolean(true) => Some(Partitions::Yes),
        Literal::Boolean(false) => Some(Partitions::No),
        Literal::Text(text) => match text.to_ascii_lowercase().as_str() {
            "auto" => Some(Partitions::Auto),
            "true" => Some(Partitions::Yes),
            "false" => Some(Partitions::No),
            _ => None,
        },
        _ => None,
    };
    known.ok_or_else(|| Error::new("partitions must be 'auto', true or false"))
}

/// One scan per format, united by name, so that files may differ in their columns.
fn scans(files: &[String], options: &FileOptions) -> Result<Vec<Scan>> {
    let mut scans: Vec<Scan> = Vec::new();
    for file in files {
        let reader = options.format.map_or_else(|| Format::of_file(file), Ok)?.reader();
        match scans.iter_mut().find(|scan| scan.reader == reader) {
            Some(scan) => scan.files.push(file.clone()),
            None => scans.push(Scan {
                reader,
                files: vec![file.clone()],
                options: options.read_options.clone(),
                file_column: String::new(),
                columns: Vec::new(),
            }),
        }
    }
    for scan in &mut scans {
        scan.options.push(("hive_partitioning".into(), Literal::Boolean(false)));
        if scan.files.len() > 1 {
            scan.options.push(("union_by_name".into(), Literal::Boolean(true)));
        }
    }
    Ok(scans)
}

/// The partitions in the order of their first files.
fn parts(files: &[String], of_files: &[Option<String>]) -> Vec<Part> {
    let mut positions: HashMap<&Option<String>, usize> = HashMap::new();
    let mut parts: Vec<Part> = Vec::new();
    for (file, partition_name) in files.iter().zip(of_files) {
        let position = *positions.entry(partition_name).or_insert_with(|| {
            parts.push(Part {
                partition_name: partition_name.clone(),
                file_name: Some(file.clone()),
            });
            parts.len() - 1
        });
        if let Some(part) = parts.get_mut(position)
            && part.file_name.as_ref() != Some(file)
        {
            part.file_name = None;
        }
    }
    parts
}

/// The keys of the partitions. DuckDB reads all directories of a path as partitions
/// ([`crate::function::file::list::partition_keys`]), also those outside of the innermost run.
fn keys(of_files: &[Option<String>]) -> Vec<String> {
    let mut keys: Vec<String> = of_files
        .iter()
        .flatten()
        .flat_map(|partition| partition.split('/'))
        .filter_map(|part| part.split_once('=').map(|(key, _)| key.to_owned()))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The names of the columns as the readers present them.
fn column_names(statement: &HiveFileStatement, session: &Session) -> Result<Vec<String>> {
    let source = statement.source(false);
    let columns = session.columns(&probe(&source)).map_err(|error| {
        Error::new(format!(
            "{error}; is every file whole, and what its name says? format := '...' names another format"
        ))
    })?;
    let files: Vec<String> = statement.scans.iter().flat_map(|scan| scan.files.clone()).collect();
    check_names(&columns, &files)?;
    Ok(columns.into_iter().map(|(name, _)| name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_only_file() {
        let files = ["p=1/a".to_owned(), "p=2/b".to_owned(), "p=1/c".to_owned()];
        let of_files: Vec<_> = files.iter().map(|file| partition_of(file, false)).collect();
        let part = |partition: &str, file: Option<&str>| Part {
            partition_name: Some(partition.into()),
            file_name: file.map(str::to_owned),
        };
        assert_eq!(parts(&files, &of_files), [part("p=1", None), part("p=2", Some("p=2/b"))]);
        assert_eq!(keys(&of_files), ["p"]);
    }

    #[test]
    fn columns_are_asked_for_in_any_ascii_case() {
        let select = |asked: &str| {
            let asked = Literal::List(vec![Literal::Text(asked.into())]);
            let files = Literal::Text("f.parquet".into());
            let files = HiveFiles::new(&files, &[("columns", asked)]).unwrap();
            files.select(vec!["Name".into(), "É".into(), "é".into()], &["p".into()])
        };
        assert_eq!(select("nAME"), Ok(vec!["Name".into()]));
        assert_eq!(select("é"), Ok(vec!["é".into()]));
        assert_eq!(select("É"), Ok(vec!["É".into()]));
        assert!(select("P").unwrap_err().to_string().contains("partition column"));
        assert!(select("ñ").unwrap_err().to_string().contains("in none of the files"));
    }
}
