//! What makes composed statements mean the same in every database: DuckDB's own functions are found before the
//! user's macros, and texts are compared as bytes.

use super::quote::{identifier, text};
use colstats_core::query::Query;

/// The names of database and schema that are current, quoted.
pub fn current_schema() -> Query<String> {
    Query::new(
        "SELECT system.main.current_database() AS database_name, \
         system.main.current_schema() AS schema_name",
        |row| {
            let names = [row.text("database_name"), row.text("schema_name")];
            names.into_iter().flatten().map(identifier).collect::<Vec<_>>().join(".")
        },
    )
}

/// Looks functions up among DuckDB's own first.
pub fn set_search_path(current_schema: &str) -> String {
    format!("SET search_path = {}", text(&format!("system.main,{current_schema}")))
}

/// Whether texts are compared by a collation that can be set for this session alone: DuckDB 1.3 would set it for
/// the whole database.
pub fn has_collation() -> Query<bool> {
    Query::new(
        "SELECT current_setting('default_collation') <> '' AND NOT starts_with(version(), 'v1.3.') \
         AS has_collation",
        |row| row.flag("has_collation") == Some(true),
    )
}

/// Compares texts as bytes.
pub const UNSET_COLLATION: &str = "SET default_collation = 'binary'";
