//! Reads a catalogue as a whole.

use super::Lake;
use super::files::{data_files, mappings};
use super::inlined::{copy_inlined_rows, inlined_tables, tables_with_deletes};
use super::reader::Reader;
use super::tables::{add_columns, add_former_columns, tables};
use crate::ffi::session::Session;
use crate::function::lake::options::LakeOptions;
use crate::sql::lake::catalogue::{
    BEGIN, COMMIT, ROLLBACK, databases, metadata_prefix, snapshot_range,
};
use crate::sql::quote::identifier;
use colstats_core::error::{Error, Result};

/// Reads the catalogue of the lake that the options name, all of it as it is at one moment. Inlined rows
/// may be moved into files the moment after: where they are needed, they are copied.
pub fn read_lake(
    options: &LakeOptions,
    needs_inlined_rows: bool,
    session: &Session,
) -> Result<Lake> {
    check_is_attached(&options.lake, session)?;
    let (catalog, schema) = (&options.metadata_catalog, &options.metadata_schema);
    let metadata = metadata_prefix(&options.lake, catalog.as_deref(), schema.as_deref());
    session.change(BEGIN)?;
    let lake = lake(&Reader { session, metadata }, options, needs_inlined_rows);
    session.change(if lake.is_ok() { COMMIT } else { ROLLBACK })?;
    lake
}

/// The names of attached databases are found without regard to the case of ASCII letters, as DuckDB does.
fn check_is_attached(lake: &str, session: &Session) -> Result<()> {
    let mut attached = session.collect(&databases())?;
    attached.retain(|database| database.name.eq_ignore_ascii_case(lake));
    let exact = attached.iter().find(|database| database.name == lake);
    match exact.or(attached.first()).map(|database| database.kind.as_str()) {
        Some("ducklake") => Ok(()),
        Some(other) => Err(Error::new(format!(
            "database '{lake}' is not a DuckLake but of type {other}; name a lake attached with \
             ATTACH 'ducklake:...' AS my_lake"
        ))),
        None => Err(Error::new(format!(
            "no database '{lake}' is attached; ATTACH 'ducklake:...' AS {} first",
            identifier(lake)
        ))),
    }
}

fn lake(reader: &Reader<'_>, options: &LakeOptions, needs_inlined_rows: bool) -> Result<Lake> {
    let snapshot = snapshot(reader, options.snapshot)?;
    let mut tables = tables(reader, options, snapshot)?;
    add_columns(reader, &mut tables, snapshot)?;
    let files = data_files(reader, &tables, snapshot)?;
    if files.iter().any(|file| file.encryption_key.is_some()) {
        add_former_columns(reader, &mut tables)?;
    }
    let mappings = mappings(reader)?;
    let (mut inlined, without_inlined) = inlined_tables(reader, &tables)?;
    let deleted = tables_with_deletes(reader, &tables, &inlined)?;
    for table_id in deleted.iter().chain(without_inlined.keys()) {
        if let Some(table) = tables.get_mut(table_id) {
            table.has_all_rows = false;
        }
    }
    if needs_inlined_rows {
        copy_inlined_rows(reader, &mut inlined)?;
    }
    let metadata = reader.metadata.clone();
    Ok(Lake { metadata, snapshot, tables, files, mappings, inlined, without_inlined })
}

fn snapshot(reader: &Reader<'_>, asked: Option<i64>) -> Result<i64> {
    reader.required_columns("ducklake_snapshot")?;
    let range = reader.all(&snapshot_range(&reader.metadata))?.into_iter().flatten().next();
    let Some((first, last)) = range else {
        return Err(Error::new("the catalogue has no snapshot"));
    };
    match asked {
        Some(snapshot) if !(first..=last).contains(&snapshot) => Err(Error::new(format!(
            "snapshot {snapshot} is not in the catalogue, which has {first} to {last}"
        ))),
        asked => Ok(asked.unwrap_or(last)),
    }
}
