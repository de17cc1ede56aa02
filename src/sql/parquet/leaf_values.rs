//! The values of one leaf of a nested column as an SQL list.

use crate::sql::quote::text;
use colstats_core::column::column_type::ColumnType;

/// The leaf that is asked for, as an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeafValues {
    /// A list of its values in a row.
    pub list: String,
    /// Every row has exactly one entry: no list or map lies above the leaf.
    pub is_flat: bool,
}

/// The leaf of number `leaf` (from 1, in pre-order) of a column. `None` where no expression reaches it.
pub fn leaf_values(column: &str, column_type: &ColumnType, leaf: usize) -> Option<LeafValues> {
    descend(LeafValues { list: format!("[{column}]"), is_flat: true }, column_type, leaf)
}

fn descend(above: LeafValues, column_type: &ColumnType, leaf: usize) -> Option<LeafValues> {
    let list = &above.list;
    match column_type.base() {
        ColumnType::Struct(fields) => {
            let mut leaf = leaf;
            for field in fields.iter() {
                let count = field.column_type.leaf_types().len();
                if leaf <= count {
                    let name = text(&field.name);
                    let list = format!(
                        "list_transform({list}, lambda part: struct_extract(part, {name}))"
                    );
                    return descend(LeafValues { list, ..above }, &field.column_type, leaf);
                }
                leaf -= count;
            }
            None
        }
        ColumnType::List(element) => {
            let below = LeafValues { list: format!("flatten({list})"), is_flat: false };
            descend(below, element, leaf)
        }
        ColumnType::Map(entry) => {
            let key_count = entry.0.leaf_types().len();
            let (part, part_type, leaf) = if leaf <= key_count {
                ("map_keys", &entry.0, leaf)
            } else {
                ("map_values", &entry.1, leaf - key_count)
            };
            let list = format!("flatten(list_transform({list}, lambda part: {part}(part)))");
            descend(LeafValues { list, is_flat: false }, part_type, leaf)
        }
        ColumnType::Array(..) | ColumnType::Union(_) => None,
        _ => (leaf == 1).then_some(above),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use colstats_core::column::column_type::Field;
    use std::sync::Arc;

    #[test]
    fn every_leaf_is_reached() {
        let field = |name: &str, column_type| Field { name: name.into(), column_type };
        let map = ColumnType::Map(Arc::new((ColumnType::Varchar, ColumnType::Integer)));
        let list = ColumnType::List(ColumnType::Date.into());
        let column = ColumnType::Struct(
            vec![field("it's", ColumnType::Integer), field("m", map), field("l", list)].into(),
        );
        let at = |leaf| leaf_values("c", &column, leaf).map(|values| (values.list, values.is_flat));
        let part =
            |name| format!("list_transform([c], lambda part: struct_extract(part, '{name}'))");
        assert_eq!(at(1), Some((part("it''s"), true)));
        let values =
            format!("flatten(list_transform({}, lambda part: map_values(part)))", part("m"));
        assert_eq!(at(3), Some((values, false)));
        assert_eq!(at(4), Some((format!("flatten({})", part("l")), false)));
        assert_eq!(at(5), None);
    }
}
