//! Runs the statements over a catalogue's own tables, which may be absent.

use crate::ffi::session::Session;
use crate::sql::lake::catalogue::{columns_of, table};
use colstats_core::error::{Error, Result};
use colstats_core::query::Query;

/// Reads a catalogue.
pub struct Reader<'call> {
    pub session: &'call Session,
    /// The quoted prefix of the catalogue's tables.
    pub metadata: String,
}

const UNREADABLE: &str = "the DuckLake catalogue could not be read";

/// Whether DuckDB says that the table itself is not there, or all that it would be in, and not something that
/// a view of that name needs.
fn is_absence_of(name: &str, error: &Error) -> bool {
    let message = error.to_string();
    message.contains(&format!("Table with name {name} does not exist"))
        || message.contains(&format!(".{name}\" does not exist because"))
}

impl Reader<'_> {
    /// The columns that a table of the catalogue has; `None` where there is no such table. One that is there
    /// and cannot be read is an error: what is in it must not be taken for absent.
    pub fn columns(&self, name: &str) -> Result<Option<Vec<String>>> {
        match self.session.query(&columns_of(&table(&self.metadata, name))) {
            Ok(mut rows) => Ok(Some(rows.columns().into_iter().map(|(name, _)| name).collect())),
            Err(error) if is_absence_of(name, &error) => Ok(None),
            Err(error) => Err(error.context(UNREADABLE)),
        }
    }

    /// The columns of a table that cannot be done without.
    pub fn required_columns(&self, name: &str) -> Result<Vec<String>> {
        self.columns(name)?.ok_or_else(|| {
            Error::new(format!(
                "the catalogue has no table {} (is it a DuckLake catalogue of version 0.3 to 1.1? \
                 metadata_catalog and metadata_schema say where else its tables are)",
                table(&self.metadata, name)
            ))
        })
    }

    /// What a statement finds.
    pub fn all<T>(&self, query: &Query<T>) -> Result<Vec<T>> {
        self.session.collect(query).map_err(|error| error.context(UNREADABLE))
    }

    /// What a statement finds whose rows may lack what they need.
    pub fn rows<T>(&self, query: &Query<Result<T>>) -> Result<Vec<T>> {
        self.all(query)?.into_iter().collect()
    }
}
