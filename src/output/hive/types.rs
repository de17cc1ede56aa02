//! Which Hive type a DuckDB type is stored as, and which statistics Hive keeps of it.

use colstats_core::column::column_type::ColumnType;

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
    /// `None` for types that Hive keeps no statistics of.
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

/// The Hive type that holds the values of both, by their names: the wider integer, double over float,
/// string over varchar over char, and the decimal with the digits of both on either side of the point; where these are
/// more than 38, digits behind the point give way, as in Hive's `HiveDecimalUtils`.
/// `None` where there is none; a timestamp with local time zone goes with no other.
pub fn common_type(left: &str, right: &str) -> Option<String> {
    if left == right {
        return Some(left.to_owned());
    }
    let (first, second) = (NamedType::new(left), NamedType::new(right));
    let kind = kind_of_name(left)?;
    if kind_of_name(right) != Some(kind) || first.is_zoned() != second.is_zoned() {
        return None;
    }
    if kind == Kind::Decimal {
        let ((precision, scale), (other_precision, other_scale)) =
            (first.digits(), second.digits());
        let whole =
            precision.saturating_sub(scale).max(other_precision.saturating_sub(other_scale));
        let whole = whole.min(LARGEST_PRECISION);
        let scale = scale.max(other_scale).min(LARGEST_PRECISION - whole);
        let precision = whole + scale;
        return Some(format!("decimal({precision},{scale})"));
    }
    let (least, most) = if (first.width(), left) < (second.width(), right) {
        (first, right)
    } else {
        (second, left)
    };
    // A char may be longer than the varchar that it goes into.
    let widest = NamedType::new(most);
    match (widest.parameters.as_slice(), least.parameters.as_slice()) {
        ([length], [longer]) if longer > length => Some(format!("{}({longer})", widest.plain)),
        _ => Some(most.to_owned()),
    }
}

/// The digits behind the point of a decimal; `None` for other types.
pub fn decimal_scale(name: &str) -> Option<u32> {
    (kind_of_name(name) == Some(Kind::Decimal)).then(|| NamedType::new(name).digits().1)
}

/// Of Hive's decimals.
const LARGEST_PRECISION: u32 = 38;

/// A type's name taken apart.
struct NamedType {
    /// In small letters, without parameters.
    plain: String,
    parameters: Vec<u32>,
}

impl NamedType {
    fn new(name: &str) -> NamedType {
        let lower = name.trim().to_ascii_lowercase();
        let (plain, parameters) = lower.split_once('(').unwrap_or((&lower, ""));
        let parameters = parameters.trim_end_matches(')').split(',');
        NamedType {
            plain: plain.trim_end().to_owned(),
            parameters: parameters.filter_map(|number| number.trim().parse().ok()).collect(),
        }
    }

    fn is_zoned(&self) -> bool {
        self.plain == "timestamp with local time zone"
    }

    /// Precision and scale of a decimal.
    fn digits(&self) -> (u32, u32) {
        match self.parameters.as_slice() {
            [precision, scale, ..] => (*precision, *scale),
            [precision] => (*precision, 0),
            [] => (10, 0),
        }
    }

    /// Grows within a kind from type to type that holds the one before, then with the length.
    fn width(&self) -> (u8, u32) {
        let rank = match self.plain.as_str() {
            "tinyint" | "float" | "char" => 0,
            "smallint" | "double" | "double precision" | "varchar" => 1,
            "int" | "integer" | "string" => 2,
            "bigint" => 3,
            _ => 4,
        };
        (rank, self.parameters.first().copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_the_kind() {
        for column_type in [
            ColumnType::Boolean,
            ColumnType::UInteger,
            ColumnType::UHugeInt,
            ColumnType::Float,
            ColumnType::Decimal { width: 9, scale: 2 },
            ColumnType::enumeration(["a".to_owned()]),
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
