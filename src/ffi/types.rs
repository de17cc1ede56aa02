//! DuckDB's logical types to [`ColumnType`] and back.

use std::sync::Arc;

use libduckdb_sys as sys;

use super::handle::{LogicalType, owned_text};
use super::host_quirks::orders_bits_by_bytes;
use colstats_core::column::column_type::{ColumnType, Field};
use colstats_core::error::{Error, Result};

/// Resolves a type with all its parts.
pub fn resolve(logical_type: &LogicalType) -> ColumnType {
    // SAFETY: the handle is alive; the returned string is owned by us.
    let alias = unsafe { owned_text(sys::duckdb_logical_type_get_alias(logical_type.as_raw())) };
    let resolved = resolve_unnamed(logical_type);
    match (alias.as_deref(), &resolved) {
        // The kernels order bytes. Where that is not the host's order there are counts only, which mislead no reader.
        (_, ColumnType::Bit) if !orders_bits_by_bytes() => ColumnType::Opaque("BIT".into()),
        (None | Some(""), _) => resolved,
        (Some("JSON"), ColumnType::Varchar) => ColumnType::Json,
        // The spatial extension of hosts without the core type: its bytes have no order of use.
        (Some("GEOMETRY"), ColumnType::Blob) => ColumnType::Opaque("GEOMETRY".into()),
        (Some(alias), ColumnType::Opaque(_)) => ColumnType::Opaque(alias.into()),
        (Some(alias), _) => ColumnType::Alias(alias.into(), Arc::new(resolved)),
    }
}

fn resolve_unnamed(logical_type: &LogicalType) -> ColumnType {
    let raw = logical_type.as_raw();
    // SAFETY: the handle is alive.
    let type_id = unsafe { sys::duckdb_get_type_id(raw) };
    if let Some((_, column_type)) = SIMPLE_TYPES.iter().find(|(id, _)| *id == type_id) {
        return column_type.clone();
    }
    // SAFETY (all of these): the type id says that the handle has the part asked for, indexes stay
    // below the counts, and every handle returned is owned by us.
    match type_id {
        sys::DUCKDB_TYPE_DUCKDB_TYPE_DECIMAL => {
            // SAFETY: a DECIMAL has a width and a scale.
            let (width, scale) =
                unsafe { (sys::duckdb_decimal_width(raw), sys::duckdb_decimal_scale(raw)) };
            ColumnType::Decimal { width, scale }
        }
        sys::DUCKDB_TYPE_DUCKDB_TYPE_ENUM => ColumnType::enumeration(enum_members(logical_type)),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_LIST => {
            // SAFETY: a LIST has a child type.
            let child = unsafe { LogicalType::from_raw(sys::duckdb_list_type_child_type(raw)) };
            ColumnType::List(Arc::new(resolve(&child)))
        }
        sys::DUCKDB_TYPE_DUCKDB_TYPE_ARRAY => {
            // SAFETY: an ARRAY has a child type.
            let child = unsafe { LogicalType::from_raw(sys::duckdb_array_type_child_type(raw)) };
            // SAFETY: an ARRAY has a size.
            let size = unsafe { sys::duckdb_array_type_array_size(raw) };
            ColumnType::Array(Arc::new(resolve(&child)), size)
        }
        sys::DUCKDB_TYPE_DUCKDB_TYPE_MAP => {
            // SAFETY: a MAP has a key type.
            let key = unsafe { LogicalType::from_raw(sys::duckdb_map_type_key_type(raw)) };
            // SAFETY: a MAP has a value type.
            let value = unsafe { LogicalType::from_raw(sys::duckdb_map_type_value_type(raw)) };
            ColumnType::Map(Arc::new((resolve(&key), resolve(&value))))
        }
        sys::DUCKDB_TYPE_DUCKDB_TYPE_STRUCT => ColumnType::Struct(struct_fields(raw)),
        sys::DUCKDB_TYPE_DUCKDB_TYPE_UNION => ColumnType::Union(union_members(raw)),
        other => ColumnType::Opaque(format!("UNKNOWN_TYPE_{other}").into()),
    }
}

fn struct_fields(raw: sys::duckdb_logical_type) -> Arc<[Field]> {
    // SAFETY: the caller found a STRUCT, which has fields.
    let count = unsafe { sys::duckdb_struct_type_child_count(raw) };
    fields(
        count,
        // SAFETY: `index` is below the count; the string is owned by us.
        |index| unsafe { owned_text(sys::duckdb_struct_type_child_name(raw, index)) },
        // SAFETY: `index` is below the count; the type is owned by us.
        |index| unsafe { LogicalType::from_raw(sys::duckdb_struct_type_child_type(raw, index)) },
    )
}

fn union_members(raw: sys::duckdb_logical_type) -> Arc<[Field]> {
    // SAFETY: the caller found a UNION, which has members.
    let count = unsafe { sys::duckdb_union_type_member_count(raw) };
    fields(
        count,
        // SAFETY: `index` is below the count; the string is owned by us.
        |index| unsafe { owned_text(sys::duckdb_union_type_member_name(raw, index)) },
        // SAFETY: `index` is below the count; the type is owned by us.
        |index| unsafe { LogicalType::from_raw(sys::duckdb_union_type_member_type(raw, index)) },
    )
}

fn fields(
    count: u64,
    name: impl Fn(u64) -> Option<String>,
    child: impl Fn(u64) -> LogicalType,
) -> Arc<[Field]> {
    let names: Vec<String> = (0..count).map(|index| name(index).unwrap_or_default()).collect();
    // The fields of a tuple have no names: their positions tell them apart, as in `tuple[1]`.
    let is_tuple = names.iter().filter(|name| name.is_empty()).count() > 1;
    (0..)
        .zip(names)
        .map(|(index, name)| Field {
            name: if is_tuple { (index + 1).to_string() } else { name },
            column_type: resolve(&child(index)),
        })
        .collect()
}

fn enum_members(logical_type: &LogicalType) -> Vec<String> {
    let raw = logical_type.as_raw();
    // SAFETY: an ENUM has a dictionary.
    let count = unsafe { sys::duckdb_enum_dictionary_size(raw) };
    (0..u64::from(count))
        // SAFETY: the index is below the size; the string is owned by us.
        .map(|index| unsafe { owned_text(sys::duckdb_enum_dictionary_value(raw, index)) })
        .map(Option::unwrap_or_default)
        .collect()
}

/// Builds the logical type of a result.
pub fn build(column_type: &ColumnType) -> Result<LogicalType> {
    match column_type {
        ColumnType::List(element) => Ok(LogicalType::list(&build(element)?)),
        ColumnType::Struct(fields) => {
            let fields = fields
                .iter()
                .map(|field| Ok((field.name.clone(), build(&field.column_type)?)))
                .collect::<Result<Vec<_>>>()?;
            LogicalType::structure(&fields)
        }
        other => SIMPLE_TYPES
            .iter()
            .find(|(_, column_type)| column_type == other)
            .map(|(type_id, _)| LogicalType::simple(*type_id))
            .ok_or_else(|| Error::new(format!("{} is not a result type", other.name()))),
    }
}

/// The types without parameters.
static SIMPLE_TYPES: &[(sys::duckdb_type, ColumnType)] = &[
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_SQLNULL, ColumnType::Null),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_BOOLEAN, ColumnType::Boolean),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TINYINT, ColumnType::TinyInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_SMALLINT, ColumnType::SmallInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_INTEGER, ColumnType::Integer),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGINT, ColumnType::BigInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_HUGEINT, ColumnType::HugeInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_UTINYINT, ColumnType::UTinyInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_USMALLINT, ColumnType::USmallInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_UINTEGER, ColumnType::UInteger),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_UBIGINT, ColumnType::UBigInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_UHUGEINT, ColumnType::UHugeInt),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_BIGNUM, ColumnType::BigNum),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_FLOAT, ColumnType::Float),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_DOUBLE, ColumnType::Double),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR, ColumnType::Varchar),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_BLOB, ColumnType::Blob),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_BIT, ColumnType::Bit),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_UUID, ColumnType::Uuid),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_DATE, ColumnType::Date),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIME, ColumnType::Time),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIME_NS, ColumnType::TimeNs),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIME_TZ, ColumnType::TimeTz),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_S, ColumnType::TimestampS),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_MS, ColumnType::TimestampMs),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP, ColumnType::Timestamp),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_NS, ColumnType::TimestampNs),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ, ColumnType::TimestampTz),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_TIMESTAMP_TZ_NS, ColumnType::TimestampTzNs),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_INTERVAL, ColumnType::Interval),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_GEOMETRY, ColumnType::Geometry),
    (sys::DUCKDB_TYPE_DUCKDB_TYPE_VARIANT, ColumnType::Variant),
];
