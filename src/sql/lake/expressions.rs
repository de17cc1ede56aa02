//! What is computed of the columns of a lake's files before they are aggregated.

use super::files::MappedName;
use crate::output::ducklake::lake_type::LakeType;
use crate::sql::quote::{identifier, text};
use colstats_core::column::column_type::{ColumnType, Field};

/// A column, cast to the type with these leaves if it has others.
pub fn with_leaves(column: &str, column_type: &ColumnType, leaf_types: Vec<String>) -> String {
    let name = identifier(column);
    let own = column_type.leaf_types();
    if own.iter().map(|leaf| leaf.name()).eq(leaf_types.iter().cloned()) {
        return name;
    }
    format!("CAST({name} AS {})", with_leaf_types(column_type, &mut leaf_types.into_iter()))
}

/// A type with other types in place of its leaves.
fn with_leaf_types(column_type: &ColumnType, types: &mut impl Iterator<Item = String>) -> String {
    let fields = |fields: &[Field], types: &mut _| {
        let fields: Vec<String> = fields
            .iter()
            .map(|f| format!("{} {}", identifier(&f.name), with_leaf_types(&f.column_type, types)))
            .collect();
        fields.join(", ")
    };
    match column_type.base() {
        ColumnType::Struct(parts) => format!("STRUCT({})", fields(parts, types)),
        ColumnType::Union(parts) => format!("UNION({})", fields(parts, types)),
        ColumnType::List(element) => format!("{}[]", with_leaf_types(element, types)),
        ColumnType::Array(element, size) => format!("{}[{size}]", with_leaf_types(element, types)),
        ColumnType::Map(entry) => {
            let key = with_leaf_types(&entry.0, types);
            format!("MAP({key}, {})", with_leaf_types(&entry.1, types))
        }
        leaf => types.next().unwrap_or_else(|| leaf.name()),
    }
}

/// DuckDB's name of the type of a catalogue's column, parts included; `None` where it is not known.
pub fn type_of(names: &[MappedName], of: &MappedName) -> Option<String> {
    let parts: Vec<&MappedName> =
        names.iter().filter(|name| name.parent == Some(of.number)).collect();
    let lake_type = of.lake_type.as_ref()?;
    match (lake_type.name(), parts.as_slice()) {
        ("struct", parts) => {
            let field = |part: &&MappedName| {
                Some(format!("{} {}", identifier(&part.source_name), type_of(names, part)?))
            };
            let fields: Option<Vec<String>> = parts.iter().map(field).collect();
            Some(format!("STRUCT({})", fields?.join(", ")))
        }
        ("list", [element]) => Some(format!("{}[]", type_of(names, element)?)),
        ("map", [key, value]) => {
            Some(format!("MAP({}, {})", type_of(names, key)?, type_of(names, value)?))
        }
        _ => LakeType::duckdb_name(lake_type),
    }
}

/// The struct at the end of a path of struct fields; `None` where the path leads elsewhere.
pub fn struct_at(column: &str, column_type: &ColumnType, path: &[String]) -> Option<String> {
    let mut expression = identifier(column);
    let mut column_type = column_type.base();
    for part in path {
        let ColumnType::Struct(fields) = column_type else { return None };
        column_type = fields.iter().find(|field| field.name == *part)?.column_type.base();
        expression = format!("struct_extract({expression}, {})", text(part));
    }
    matches!(column_type, ColumnType::Struct(_)).then_some(expression)
}

/// The text of a default as a value.
pub fn default_value(default: Option<&str>) -> String {
    default.map_or("NULL".into(), text)
}

/// A part that the files lack: its default wherever there is the struct that it is a part of.
pub fn part_default(
    parent: &str,
    default: Option<&str>,
    own_type: &str,
    scan_type: &str,
) -> String {
    format!(
        "CASE WHEN {parent} IS NOT NULL THEN CAST(CAST({} AS {own_type}) AS {scan_type}) END",
        default_value(default)
    )
}
