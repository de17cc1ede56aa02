//! Statements that ask DuckDB for the schemas of Parquet files.

use crate::sql::file::statement::path_list;
use crate::sql::quote::text;
use colstats_core::parquet::footer::{GEOMETRY_KEY, SchemaNode};
use colstats_core::parquet::listing::BoundKind;
use colstats_core::query::Query;

/// A node of the schema of a file.
pub struct ListedNode {
    pub file_name: String,
    pub node: SchemaNode,
    /// What the values of a leaf are stored as; groups have none.
    pub physical_type: Option<String>,
    /// Equal for nodes that are read alike.
    pub fingerprint: String,
}

/// The nodes of the schemas, file by file in pre-order. Which bounds of a leaf DuckDB can list is not looked at as
/// closely as in a footer that is read here: those of a time or a decimal may be fine.
pub fn schema_nodes(files: &[&str]) -> Query<ListedNode> {
    let statement = format!(
        "SELECT file_name, name, coalesce(num_children, 0) AS child_count, field_id, \
         repetition_type = 'REPEATED' AS is_repeated, CAST(type AS VARCHAR) AS physical_type, \
         CAST(hash(*COLUMNS(* EXCLUDE (file_name))) AS VARCHAR) AS fingerprint, \
         type = 'BYTE_ARRAY' AND converted_type IS NULL AND logical_type IS NULL AS is_bare_bytes, \
         coalesce(converted_type IN ('INTERVAL', 'TIME_MILLIS', 'TIME_MICROS'), false) \
         OR coalesce(starts_with(logical_type, 'TimeType') OR logical_type IN ('NullType()', 'UNKNOWN'), false) \
         OR coalesce(type IN ('INT32', 'INT64') AND (converted_type = 'DECIMAL' \
         OR starts_with(logical_type, 'DecimalType')), false) AS is_suspect \
         FROM parquet_schema({})",
        path_list(files)
    );
    Query::new(statement, |row| ListedNode {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        node: SchemaNode {
            name: row.owned_text("name").unwrap_or_default(),
            child_count: row.integer("child_count").and_then(|n| n.try_into().ok()).unwrap_or(0),
            field_id: row.integer("field_id").filter(|id| *id >= 0),
            is_repeated: row.flag("is_repeated") == Some(true),
            is_bare_bytes: row.flag("is_bare_bytes") == Some(true),
            bound_kind: match row.flag("is_suspect") {
                Some(false) => BoundKind::Any,
                _ => BoundKind::None,
            },
        },
        physical_type: row.owned_text("physical_type"),
        fingerprint: row.owned_text("fingerprint").unwrap_or_default(),
    })
}

/// What a file says by the rules of GeoParquet.
pub struct GeometryMetadata {
    pub file_name: String,
    pub metadata: Vec<u8>,
}

/// The metadata of those files that have some.
pub fn geometry_metadata(files: &[&str]) -> Query<GeometryMetadata> {
    let statement = format!(
        "SELECT file_name, value AS metadata FROM parquet_kv_metadata({}) WHERE key = CAST({} AS BLOB)",
        path_list(files),
        text(GEOMETRY_KEY)
    );
    Query::new(statement, |row| GeometryMetadata {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        metadata: row.bytes("metadata").map(<[u8]>::to_vec).unwrap_or_default(),
    })
}

/// A leaf of the schema of a file.
pub struct LeafType {
    pub file_name: String,
    /// What DuckDB reads it as.
    pub duckdb_type: String,
}

/// The types of the leaves, in the order of their column chunks. Fails on hosts before 1.5: they number no columns.
pub fn leaf_types(files: &[&str]) -> Query<LeafType> {
    let statement = format!(
        "SELECT file_name, duckdb_type FROM parquet_schema({}) WHERE coalesce(num_children, 0) = 0 \
         ORDER BY file_name, column_id",
        path_list(files)
    );
    Query::new(statement, |row| LeafType {
        file_name: row.owned_text("file_name").unwrap_or_default(),
        duckdb_type: row.owned_text("duckdb_type").unwrap_or_default(),
    })
}
