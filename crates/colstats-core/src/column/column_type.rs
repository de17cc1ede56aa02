//! The types a column can have, and the walk over their leaves.
//!
//! Statistics exist for leaves only: a struct, a list, a map or a union is walked, and every part
//! that holds values itself gets one summary. [`ColumnType::leaves`] fixes the order of leaves, how
//! a leaf's path is written, and its pre-order number, as DuckLake numbers the nodes of a table.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A DuckDB type, resolved once per aggregate state. Cloning is cheap.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ColumnType {
    /// The type of a bare NULL.
    Null,
    Boolean,
    TinyInt,
    SmallInt,
    Integer,
    BigInt,
    HugeInt,
    UTinyInt,
    USmallInt,
    UInteger,
    UBigInt,
    UHugeInt,
    /// An integer of any length; its bytes sort as its values do.
    BigNum,
    Float,
    Double,
    Decimal {
        width: u8,
        scale: u8,
    },
    Varchar,
    Json,
    Blob,
    Bit,
    Uuid,
    /// An enumeration with its members in declaration order, which is also their sort order.
    Enum(Arc<Members>),
    Date,
    Time,
    TimeNs,
    TimeTz,
    TimestampS,
    TimestampMs,
    Timestamp,
    TimestampNs,
    TimestampTz,
    TimestampTzNs,
    Interval,
    Geometry,
    Variant,
    /// A type this code does not know, or whose values it cannot order: it is counted only.
    Opaque(Arc<str>),
    Struct(Arc<[Field]>),
    List(Arc<ColumnType>),
    Array(Arc<ColumnType>, u64),
    Map(Arc<(ColumnType, ColumnType)>),
    Union(Arc<[Field]>),
    /// A named type (`CREATE TYPE`); behaves as what it names.
    Alias(Arc<str>, Arc<ColumnType>),
}

/// A field of a struct or a member of a union.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    pub name: String,
    pub column_type: ColumnType,
}

/// One leaf of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The parts below the column itself; empty for a flat column.
    pub path: Vec<String>,
    /// Pre-order number within the column: 1 is the column itself, nested parents are counted.
    pub node_number: u64,
    pub column_type: ColumnType,
}

/// The texts of an enumeration. There may be very many, and every group of rows asks for the type's name.
#[derive(Debug)]
pub struct Members {
    texts: Box<[String]>,
    type_name: OnceLock<String>,
}

impl Members {
    fn type_name(&self) -> &str {
        self.type_name.get_or_init(|| {
            let texts: Vec<String> =
                self.texts.iter().map(|text| format!("'{}'", text.replace('\'', "''"))).collect();
            format!("ENUM({})", texts.join(", "))
        })
    }
}

impl Deref for Members {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.texts
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Eq for Members {}

impl Hash for Members {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.texts.hash(state);
    }
}

impl ColumnType {
    /// An enumeration of these texts.
    pub fn enumeration(texts: impl IntoIterator<Item = String>) -> ColumnType {
        let texts = texts.into_iter().collect();
        ColumnType::Enum(Arc::new(Members { texts, type_name: OnceLock::new() }))
    }

    /// The type behind any alias.
    pub fn base(&self) -> &ColumnType {
        match self {
            ColumnType::Alias(_, base) => base.base(),
            other => other,
        }
    }

    /// The name that two parts of a STRUCT or UNION share, but for case. DuckDB has no such type: the C API hands names
    /// out up to their first NUL byte, so one of the two has more behind it.
    pub fn repeated_name(&self) -> Option<&str> {
        match self {
            ColumnType::Struct(fields) | ColumnType::Union(fields) => {
                let mut seen = HashSet::new();
                let mut named = fields.iter().map(|field| field.name.as_str());
                // The fields of `row(1, 2)` have no names.
                named
                    .find(|name| !name.is_empty() && !seen.insert(name.to_ascii_lowercase()))
                    .or_else(|| fields.iter().find_map(|field| field.column_type.repeated_name()))
            }
            ColumnType::List(element) | ColumnType::Array(element, _) => element.repeated_name(),
            ColumnType::Map(parts) => parts.0.repeated_name().or_else(|| parts.1.repeated_name()),
            ColumnType::Alias(_, base) => base.repeated_name(),
            _ => None,
        }
    }

    /// The leaves in pre-order.
    pub fn leaves(&self) -> Vec<Leaf> {
        let mut walk = LeafWalk { path: Vec::new(), nodes: 0, leaves: Vec::new() };
        walk.visit(self);
        walk.leaves
    }

    /// The types of the leaves in pre-order.
    pub fn leaf_types(&self) -> Vec<&ColumnType> {
        match self.base() {
            ColumnType::Struct(fields) | ColumnType::Union(fields) => {
                fields.iter().flat_map(|field| field.column_type.leaf_types()).collect()
            }
            ColumnType::List(element) | ColumnType::Array(element, _) => element.leaf_types(),
            ColumnType::Map(entry) => [&entry.0, &entry.1].map(ColumnType::leaf_types).concat(),
            _ => vec![self],
        }
    }

    /// How many pre-order numbers the column takes up, itself and all nested parts.
    pub fn node_count(&self) -> u64 {
        1 + match self.base() {
            ColumnType::Struct(fields) | ColumnType::Union(fields) => {
                fields.iter().map(|field| field.column_type.node_count()).sum()
            }
            ColumnType::List(element) | ColumnType::Array(element, _) => element.node_count(),
            ColumnType::Map(entry) => entry.0.node_count() + entry.1.node_count(),
            _ => 0,
        }
    }

    /// Whether `contains_nan` has a meaning for values of this type.
    pub fn is_floating(&self) -> bool {
        matches!(self.base(), ColumnType::Float | ColumnType::Double)
    }

    /// The name DuckDB's `typeof` prints.
    pub fn name(&self) -> String {
        use ColumnType::*;
        match self {
            Null => "\"NULL\"".into(),
            Boolean => "BOOLEAN".into(),
            TinyInt => "TINYINT".into(),
            SmallInt => "SMALLINT".into(),
            Integer => "INTEGER".into(),
            BigInt => "BIGINT".into(),
            HugeInt => "HUGEINT".into(),
            UTinyInt => "UTINYINT".into(),
            USmallInt => "USMALLINT".into(),
            UInteger => "UINTEGER".into(),
            UBigInt => "UBIGINT".into(),
            UHugeInt => "UHUGEINT".into(),
            BigNum => "BIGNUM".into(),
            Float => "FLOAT".into(),
            Double => "DOUBLE".into(),
            Decimal { width, scale } => format!("DECIMAL({width},{scale})"),
            Varchar => "VARCHAR".into(),
            Json => "JSON".into(),
            Blob => "BLOB".into(),
            Bit => "BIT".into(),
            Uuid => "UUID".into(),
            Enum(members) => members.type_name().to_owned(),
            Date => "DATE".into(),
            Time => "TIME".into(),
            TimeNs => "TIME_NS".into(),
            TimeTz => "TIME WITH TIME ZONE".into(),
            TimestampS => "TIMESTAMP_S".into(),
            TimestampMs => "TIMESTAMP_MS".into(),
            Timestamp => "TIMESTAMP".into(),
            TimestampNs => "TIMESTAMP_NS".into(),
            TimestampTz => "TIMESTAMP WITH TIME ZONE".into(),
            TimestampTzNs => "TIMESTAMP_NS WITH TIME ZONE".into(),
            Interval => "INTERVAL".into(),
            Geometry => "GEOMETRY".into(),
            Variant => "VARIANT".into(),
            Opaque(name) | Alias(name, _) => name.to_string(),
            Struct(fields) => format!("STRUCT({})", field_names(fields)),
            Union(fields) => format!("UNION({})", field_names(fields)),
            List(element) => format!("{}[]", element.name()),
            Array(element, size) => format!("{}[{size}]", element.name()),
            Map(entry) => format!("MAP({}, {})", entry.0.name(), entry.1.name()),
        }
    }
}

fn field_names(fields: &[Field]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|f| format!("\"{}\" {}", f.name.replace('"', "\"\""), f.column_type.name()))
        .collect();
    fields.join(", ")
}

struct LeafWalk {
    path: Vec<String>,
    nodes: u64,
    leaves: Vec<Leaf>,
}

impl LeafWalk {
    fn visit(&mut self, column_type: &ColumnType) {
        self.nodes += 1;
        match column_type.base() {
            ColumnType::Struct(fields) | ColumnType::Union(fields) => {
                for field in fields.iter() {
                    self.descend(&field.name, &field.column_type);
                }
            }
            ColumnType::List(element) | ColumnType::Array(element, _) => {
                self.descend("element", element);
            }
            ColumnType::Map(entry) => {
                self.descend("key", &entry.0);
                self.descend("value", &entry.1);
            }
            _ => self.leaves.push(Leaf {
                path: self.path.clone(),
                node_number: self.nodes,
                column_type: column_type.clone(),
            }),
        }
    }

    fn descend(&mut self, part: &str, column_type: &ColumnType) {
        self.path.push(part.to_owned());
        self.visit(column_type);
        self.path.pop();
    }
}

/// Joins path parts with dots; a part that holds a dot or a double quote, or is empty, is written in
/// double quotes (doubled inside), so that the text can be taken apart again.
pub fn join_path<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            text.push('.');
        }
        if part.is_empty() || part.contains(['.', '"']) {
            text.push('"');
            text.push_str(&part.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(part);
        }
    }
    text
}

/// The inverse of [`join_path`]. A text without any part is the empty path.
pub fn split_path(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quoted = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                part.push('"');
                characters.next();
            }
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(std::mem::take(&mut part)),
            other => part.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, column_type: ColumnType) -> Field {
        Field { name: name.into(), column_type }
    }

    #[test]
    fn leaves_are_numbered_in_pre_order_with_parents_counted() {
        let inner = ColumnType::Struct(
            vec![field("z", ColumnType::Varchar), field("w", ColumnType::Double)].into(),
        );
        let map = ColumnType::Map(Arc::new((ColumnType::Varchar, ColumnType::Integer)));
        let column = ColumnType::Struct(
            vec![
                field("x", ColumnType::Integer),
                field("y", inner),
                field("m", map),
                field("l", ColumnType::List(Arc::new(ColumnType::Date))),
            ]
            .into(),
        );
        let leaves: Vec<(String, u64)> = column
            .leaves()
            .iter()
            .map(|leaf| (join_path(leaf.path.iter().map(String::as_str)), leaf.node_number))
            .collect();
        let expected =
            [("x", 2), ("y.z", 4), ("y.w", 5), ("m.key", 7), ("m.value", 8), ("l.element", 10)];
        assert_eq!(leaves, expected.map(|(path, number)| (path.to_string(), number)));
        assert_eq!(column.node_count(), 10);
    }

    #[test]
    fn paths_survive_dots_quotes_and_empty_parts() {
        for parts in [vec!["a"], vec!["a.b", "c"], vec!["", "x"], vec!["q\"q", ".", "\""], vec![""]]
        {
            let text = join_path(parts.iter().copied());
            assert_eq!(split_path(&text), parts, "{text}");
        }
        assert!(split_path("").is_empty());
        assert_eq!(join_path(["a.b", "say \"hi\"", ""]), "\"a.b\".\"say \"\"hi\"\"\".\"\"");
    }

    #[test]
    fn names_are_those_of_typeof() {
        assert_eq!(ColumnType::Decimal { width: 9, scale: 2 }.name(), "DECIMAL(9,2)");
        let members = ["ok", "jo'y"].map(str::to_owned);
        assert_eq!(ColumnType::enumeration(members).name(), "ENUM('ok', 'jo''y')");
    }
}
