//! Which Hive type a DuckDB type is stored as, and which statistics Hive keeps of it.

use crate::core::column_type::ColumnType;

/// The member of Hive's union `ColumnStatisticsData` that a type's statistics go into
/// (`ColumnStatsType` in Hive's `ColStatsProcessor`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Boolean,
    Long,
    Double,
    Decimal,
    String,
    Binary,
    Date,
    Timestamp,
}

/// A Hive type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiveType {
    pub name: String,
    /// `None` for types of which Hive keeps no statistics.
    pub kind: Option<Kind>,
}

/// The Hive type of a leaf. Types that Hive has go to themselves; the others to the nearest one that
/// holds every value:
///
/// | DuckDB | Hive | because |
/// |---|---|---|
/// | UTINYINT, USMALLINT, UINTEGER | smallint, int, bigint | the next wider signed type |
/// | UBIGINT | decimal(20,0) | 20 digits |
/// | HUGEINT, UHUGEINT | decimal(38,0) | Hive's widest; a value of 39 digits is noted |
/// | UUID, ENUM, JSON | string | their text |
/// | TIME, TIME_NS | bigint | microseconds, nanoseconds since midnight, as Parquet stores them |
/// | TIMETZ, INTERVAL | string | their text, which is counted only: no lengths, no distinct values |
/// | BIT, BIGNUM, GEOMETRY | binary | their stored bytes (WKB for geometries): lengths only |
/// | VARIANT and types unknown here | binary | counted only |
/// | the type of a bare NULL | void | no statistics |
pub fn hive_type(column_type: &ColumnType) -> HiveType {
    use ColumnType as T;
    let (name, kind) = match column_type.base() {
        T::Boolean => ("boolean", Kind::Boolean),
        T::TinyInt => ("tinyint", Kind::Long),
        T::SmallInt | T::UTinyInt => ("smallint", Kind::Long),
        T::Integer | T::USmallInt => ("int", Kind::Long),
        T::BigInt | T::UInteger | T::Time | T::TimeNs => ("bigint", Kind::Long),
        T::UBigInt => ("decimal(20,0)", Kind::Decimal),
        T::HugeInt | T::UHugeInt => ("decimal(38,0)", Kind::Decimal),
        T::Float => ("float", Kind::Double),
        T::Double => ("double", Kind::Double),
        T::Decimal { width, scale } => {
            let name = format!("decimal({width},{scale})");
            return HiveType { name, kind: Some(Kind::Decimal) };
        }
        T::Varchar | T::Json | T::Uuid | T::Enum(_) | T::TimeTz | T::Interval => {
            ("string", Kind::String)
        }
        T::Date => ("date", Kind::Date),
        T::TimestampS | T::TimestampMs | T::Timestamp | T::TimestampNs => {
            ("timestamp", Kind::Timestamp)
        }
        T::TimestampTz | T::TimestampTzNs => ("timestamp with local time zone", Kind::Long),
        T::Null => return HiveType { name: "void".into(), kind: None },
        _ => ("binary", Kind::Binary),
    };
    HiveType { name: name.into(), kind: Some(kind) }
}

/// The kind of a Hive type by its name, as it stands in a metastore's `COLUMN_TYPE`.
pub fn kind_of_name(name: &str) -> Option<Kind> {
    let lower = name.trim().to_ascii_lowercase();
    let plain = lower.split('(').next().unwrap_or_default().trim_end();
    Some(match plain {
        "boolean" => Kind::Boolean,
        "tinyint"
        | "smallint"
        | "int"
        | "integer"
        | "bigint"
        | "timestamp with local time zone" => Kind::Long,
        "float" | "double" | "double precision" => Kind::Double,
        "decimal" | "numeric" | "dec" => Kind::Decimal,
        "string" | "varchar" | "char" => Kind::String,
        "binary" => Kind::Binary,
        "date" => Kind::Date,
        "timestamp" => Kind::Timestamp,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_kind() {
        let members: std::sync::Arc<[String]> = vec!["a".to_owned()].into();
        for column_type in [
            ColumnType::Boolean,
            ColumnType::UInteger,
            ColumnType::UHugeInt,
            ColumnType::Float,
            ColumnType::Decimal { width: 9, scale: 2 },
            ColumnType::Enum(members),
            ColumnType::Blob,
            ColumnType::Date,
            ColumnType::TimestampNs,
            ColumnType::TimestampTz,
            ColumnType::Null,
        ] {
            let mapped = hive_type(&column_type);
            assert_eq!(kind_of_name(&mapped.name), mapped.kind, "{}", mapped.name);
        }
        assert_eq!(kind_of_name(" VARCHAR(20)"), Some(Kind::String));
        assert_eq!(kind_of_name("array<int>"), None);
    }
}
