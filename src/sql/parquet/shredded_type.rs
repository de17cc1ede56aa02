//! The types that fields of a VARIANT are shredded to: their names in DuckLake, and how the bounds that
//! `parquet_metadata` prints are compared and spelled.

use crate::output::ducklake::lake_type::LakeType;

/// A shredded type as `parquet_schema` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShreddedType {
    duckdb_type: String,
    name: String,
}

impl ShreddedType {
    /// `None` for a type that DuckLake has no name for.
    pub fn new(duckdb_type: &str) -> Option<ShreddedType> {
        let lake_type = LakeType::of_duckdb(duckdb_type)?;
        // No VARIANT is shredded to these.
        let is_foreign = matches!(lake_type.name(), "json" | "interval" | "geometry" | "variant");
        (!is_foreign && !lake_type.is_huge()).then(|| ShreddedType {
            duckdb_type: duckdb_type.into(),
            name: lake_type.name().into(),
        })
    }

    /// DuckLake's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it has NaN.
    pub fn is_floating(&self) -> bool {
        matches!(self.name.as_str(), "float32" | "float64")
    }

    /// An expression that orders the bounds in `column` as their values are ordered, whatever the
    /// settings; NULL for a bound that cannot be taken. `None` where no bound can.
    pub fn key(&self, column: &str) -> Option<String> {
        Some(match self.name.as_str() {
            // No bounds for them anywhere (docs/ducklake.md): their order is not that of their texts.
            "timetz" => return None,
            // As bytes: collations have no say. A bound that is not UTF-8 is printed escaped like a BLOB;
            // such a text cannot be told from one that holds a backslash.
            "varchar" => format!(
                "CASE WHEN NOT regexp_matches({column}, '\\\\x[0-9A-F]{{2}}') \
                 THEN encode({column}) END"
            ),
            // Printed in UTC; read without the zone, so that the session's has no say.
            "timestamptz" => format!(
                "CASE WHEN suffix({column}, '+00') OR suffix({column}, 'infinity') \
                 THEN TRY_CAST(regexp_replace({column}, '\\+00$', '') AS TIMESTAMP) END"
            ),
            _ => format!("TRY_CAST({column} AS {})", self.duckdb_type),
        })
    }

    /// An expression that spells the bound in `column` as DuckLake does.
    pub fn spelling(&self, column: &str) -> String {
        match self.name.as_str() {
            "boolean" => {
                format!("CASE TRY_CAST({column} AS BOOLEAN) WHEN true THEN '1' ELSE '0' END")
            }
            "blob" => format!("hex(TRY_CAST({column} AS BLOB))"),
            _ => column.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_ducklake_names() {
        let name = |duckdb_type| ShreddedType::new(duckdb_type).map(|t| t.name().to_owned());
        assert_eq!(name("DECIMAL(18,3)").as_deref(), Some("decimal(18,3)"));
        assert_eq!(name("TIMESTAMP WITH TIME ZONE").as_deref(), Some("timestamptz"));
        assert_eq!(name("TIMESTAMP_NS WITH TIME ZONE"), None);
        assert_eq!(name(""), None);
    }

    #[test]
    fn bounds_are_compared_as_values() {
        let key = |duckdb_type| ShreddedType::new(duckdb_type).and_then(|t| t.key("c"));
        assert_eq!(key("BIGINT").as_deref(), Some("TRY_CAST(c AS BIGINT)"));
        assert_eq!(
            key("VARCHAR").as_deref(),
            Some("CASE WHEN NOT regexp_matches(c, '\\\\x[0-9A-F]{2}') THEN encode(c) END")
        );
        assert_eq!(key("TIME WITH TIME ZONE"), None);
    }
}
