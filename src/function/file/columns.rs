//! The columns of a scan, as DuckDB's reader names and types them.

use std::collections::HashSet;

use super::list::partition_keys;
use crate::ffi::session::Session;
use crate::sql::file::listing::type_names;
use crate::sql::file::statement::Scan;
use crate::sql::partition::text_or_null;
use crate::sql::quote::identifier;
use crate::sql::rows::probe;
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};

/// A column as the reader presents it.
#[derive(Debug, Clone)]
pub struct SourceColumn {
    pub name: String,
    pub column_type: ColumnType,
    /// It is read from the path, not from the file.
    pub is_partition: bool,
}

impl SourceColumn {
    /// What is aggregated.
    pub fn expression(&self) -> String {
        let name = identifier(&self.name);
        if self.is_partition && self.column_type == ColumnType::Varchar {
            text_or_null(&name)
        } else {
            name
        }
    }
}

/// Looks the columns up; no data is read. Columns from `first_partition` on may come from the paths.
pub fn source_columns(
    scan: &Scan,
    first_partition: usize,
    session: &Session,
) -> Result<Vec<SourceColumn>> {
    let source = scan.source(&[]);
    let partition_keys =
        if scan.is_unpartitioned() { Vec::new() } else { partition_keys(&scan.files) };
    let named = session.columns(&probe(&source))?;
    check_names(&named, &scan.files)?;
    let mut columns: Vec<SourceColumn> = named
        .into_iter()
        .enumerate()
        .map(|(position, (name, column_type))| {
            let is_partition = position >= first_partition
                && partition_keys.iter().any(|key| key.eq_ignore_ascii_case(&name));
            SourceColumn { name, column_type, is_partition }
        })
        .collect();
    if columns.iter().any(|column| needs_description(&column.column_type)) {
        describe(&mut columns, &source, session)?;
    }
    Ok(columns)
}

/// Readers make names unique. The C API hands them out up to their first NUL byte; where two are the same, one of them
/// holds such a byte, and its column would be taken for the other.
pub fn check_names(columns: &[(String, ColumnType)], files: &[String]) -> Result<()> {
    let mut seen = HashSet::new();
    let repeated = columns.iter().find(|(name, _)| !seen.insert(name.to_ascii_lowercase()));
    let in_part = columns.iter().find_map(|(_, column_type)| column_type.repeated_name());
    match repeated.map(|(name, _)| name.as_str()).or(in_part) {
        Some(name) => Err(Error::new(format!(
            "file '{}': two columns are called '{name}', one of them with a NUL byte and more behind it, which no \
             statement can name; rename the column",
            files.first().map_or("", String::as_str)
        ))),
        None => Ok(()),
    }
}

/// The error for a column whose name holds a NUL byte.
pub fn null_byte_in(name: &str) -> Error {
    Error::new(format!(
        "the name of column '{}' holds a NUL byte, which no statement can name; rename the column",
        name.replace('\0', "\\0")
    ))
}

/// DuckDB lists columns that it could not find, with their NUL bytes written as `\0`.
pub fn explain_null_bytes(error: Error) -> Error {
    if error.to_string().contains("\\0") {
        return error.context(
            "the name of a column holds a NUL byte, which no statement can name; rename the column",
        );
    }
    error
}

/// Whether the C API tells less about the type than DESCRIBE does.
fn needs_description(column_type: &ColumnType) -> bool {
    matches!(column_type, ColumnType::Opaque(_) | ColumnType::Geometry)
}

/// Takes over the type names of flat columns whose own name is not complete.
fn describe(columns: &mut [SourceColumn], source: &str, session: &Session) -> Result<()> {
    let names = session.collect(&type_names(source))?;
    for (column, name) in columns.iter_mut().zip(names) {
        match &column.column_type {
            ColumnType::Opaque(_) => column.column_type = ColumnType::Opaque(name.into()),
            ColumnType::Geometry if name != "GEOMETRY" => {
                column.column_type = ColumnType::Alias(name.into(), ColumnType::Geometry.into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// [`unused_file_column`] for these columns.
pub fn unused_name(columns: &[SourceColumn]) -> String {
    unused_file_column(columns.iter().map(|column| column.name.as_str()))
}

/// A name for the reader's file column that none of the columns has.
pub fn unused_file_column<'name>(columns: impl Iterator<Item = &'name str> + Clone) -> String {
    let mut name = String::from("colstats_file_name");
    while columns.clone().any(|column| column.eq_ignore_ascii_case(&name)) {
        name.push('_');
    }
    name
}
