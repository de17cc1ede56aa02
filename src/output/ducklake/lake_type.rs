//! The column types of a DuckLake catalogue: what they are called in DuckDB, and how DuckLake reads the
//! bounds of such a column.

/// A type as `ducklake_column.column_type` names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LakeType {
    name: String,
}

/// Where a leaf lies in its column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is a column.
    TopLevel,
    /// It is a part of structs alone: a row has one value of it.
    StructPart,
    /// There is a list above it, and no map.
    ListPart,
    /// There is a map above it.
    MapPart,
}

/// How the bounds that a scan finds become the bounds of a data file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundRule {
    /// As `column_stats` spells them.
    Plain,
    /// A FLOAT: DuckLake compares its text with a DOUBLE, so a text with an exponent is moved out by a step.
    Float,
    /// HUGEINT and UHUGEINT lie in files as DOUBLE and are compared there: moved out to the next DOUBLE.
    SignedDouble,
    UnsignedDouble,
}

/// What the types that hold values are called in a catalogue and in DuckDB.
const NAMES: [(&str, &str); 30] = [
    ("boolean", "BOOLEAN"),
    ("int8", "TINYINT"),
    ("int16", "SMALLINT"),
    ("int32", "INTEGER"),
    ("int64", "BIGINT"),
    ("int128", "HUGEINT"),
    ("uint8", "UTINYINT"),
    ("uint16", "USMALLINT"),
    ("uint32", "UINTEGER"),
    ("uint64", "UBIGINT"),
    ("uint128", "UHUGEINT"),
    ("float32", "FLOAT"),
    ("float64", "DOUBLE"),
    ("varchar", "VARCHAR"),
    ("json", "JSON"),
    ("blob", "BLOB"),
    ("date", "DATE"),
    ("time", "TIME"),
    ("time_ns", "TIME_NS"),
    ("timetz", "TIME WITH TIME ZONE"),
    ("timestamp", "TIMESTAMP"),
    ("timestamp_us", "TIMESTAMP"),
    ("timestamp_s", "TIMESTAMP_S"),
    ("timestamp_ms", "TIMESTAMP_MS"),
    ("timestamp_ns", "TIMESTAMP_NS"),
    ("timestamptz", "TIMESTAMP WITH TIME ZONE"),
    ("uuid", "UUID"),
    ("interval", "INTERVAL"),
    ("geometry", "GEOMETRY"),
    ("variant", "VARIANT"),
];

/// What a DECIMAL's name begins with, before its digits.
const DECIMAL: (&str, &str) = ("decimal(", "DECIMAL(");

impl LakeType {
    /// The catalogue's name of a type of DuckDB; `None` where there is none.
    pub fn of_duckdb(duckdb_name: &str) -> Option<Self> {
        if duckdb_name.starts_with(DECIMAL.1) {
            return Some(LakeType::new(duckdb_name));
        }
        let (name, _) = NAMES.iter().find(|(_, known)| *known == duckdb_name)?;
        Some(LakeType::new(name))
    }

    pub fn new(name: &str) -> Self {
        LakeType { name: name.to_ascii_lowercase() }
    }

    /// The name in the catalogue.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// DuckDB's name of the type; `None` for nested types and those this code does not know.
    pub fn duckdb_name(&self) -> Option<String> {
        if self.name.starts_with(DECIMAL.0) {
            return Some(self.name.to_ascii_uppercase());
        }
        let (_, duckdb_name) = NAMES.iter().find(|(known, _)| *known == self.name)?;
        Some((*duckdb_name).to_owned())
    }

    /// The type in which the text of a value in the catalogue is read. A default of JSON is taken as it stands: that of
    /// a column that was promoted is no JSON.
    pub fn constant_type(&self) -> String {
        let name = if self.is_json() { None } else { self.duckdb_name() };
        name.unwrap_or("VARCHAR".into())
    }

    /// The type to which a column of a file is cast before it is aggregated; `None` where it is taken as it
    /// lies there. FLOAT is read as DOUBLE, whose text is exact; so are HUGEINT and UHUGEINT, unless they lie there as
    /// whole numbers.
    pub fn scan_type(&self, is_whole: bool) -> Option<String> {
        match self.name.as_str() {
            "float32" => Some("DOUBLE".into()),
            "int128" | "uint128" if !is_whole => Some("DOUBLE".into()),
            "json" | "geometry" | "variant" => None,
            _ => self.duckdb_name(),
        }
    }

    /// The type in which two bounds are compared; `None` where a catalogue should hold no bounds.
    pub fn order_type(&self) -> Option<String> {
        match self.name.as_str() {
            // The hexadecimal digits of a BLOB sort as its bytes do.
            "varchar" | "json" | "uuid" | "blob" => Some("VARCHAR".into()),
            "time_ns" | "timetz" | "interval" | "geometry" | "variant" => None,
            _ => self.duckdb_name(),
        }
    }

    /// Whether DuckLake reads the bounds. Those of a BLOB it never looks at.
    pub fn has_read_bounds(&self) -> bool {
        self.name != "blob" && self.order_type().is_some()
    }

    /// Whether DuckDB decides IS NULL by the flag of a table's row (test/e2e/lake/test_flags_that_are_read.py).
    pub fn has_read_null_flag(&self) -> bool {
        self.is_geometry() || self.has_read_bounds() && !self.is_huge()
    }

    /// Whether the catalogue compares the bounds as texts.
    pub fn is_text(&self) -> bool {
        matches!(self.name.as_str(), "varchar" | "json" | "uuid")
    }

    pub fn is_floating(&self) -> bool {
        matches!(self.name.as_str(), "float32" | "float64")
    }

    /// A whole number of 128 bits: DuckDB's planner gets no statistics of such a column from DuckLake.
    pub fn is_huge(&self) -> bool {
        matches!(self.name.as_str(), "int128" | "uint128")
    }

    pub fn is_json(&self) -> bool {
        self.name == "json"
    }

    pub fn is_geometry(&self) -> bool {
        self.name == "geometry"
    }

    pub fn is_variant(&self) -> bool {
        self.name == "variant"
    }

    pub fn bound_rule(&self) -> BoundRule {
        match self.name.as_str() {
            "float32" => BoundRule::Float,
            "int128" => BoundRule::SignedDouble,
            "uint128" => BoundRule::UnsignedDouble,
            _ => BoundRule::Plain,
        }
    }

    /// Whether DuckDB answers MIN and MAX from the table's row, so that its bounds must be attained. Wider
    /// ones are allowed for texts only, and where the type takes no part in it.
    pub fn answers_min_and_max(&self) -> bool {
        self.has_read_bounds() && !self.is_text() && !self.is_huge()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_duckdb() {
        assert_eq!(LakeType::new("decimal(18,3)").duckdb_name().as_deref(), Some("DECIMAL(18,3)"));
        assert_eq!(LakeType::new("struct").duckdb_name(), None);
        for (name, duckdb_name) in NAMES {
            assert_eq!(LakeType::new(name).duckdb_name().as_deref(), Some(duckdb_name));
            let back = LakeType::of_duckdb(duckdb_name).map(|found| found.duckdb_name());
            assert_eq!(back.flatten().as_deref(), Some(duckdb_name));
        }
        assert_eq!(LakeType::of_duckdb("DECIMAL(9,2)"), Some(LakeType::new("decimal(9,2)")));
        assert_eq!(LakeType::of_duckdb("TIMESTAMP"), Some(LakeType::new("timestamp")));
        assert_eq!(LakeType::new("int128").scan_type(false).as_deref(), Some("DOUBLE"));
        assert_eq!(LakeType::new("interval").order_type(), None);
        assert!(!LakeType::new("int128").answers_min_and_max());
        assert!(LakeType::new("float32").answers_min_and_max());
    }
}
