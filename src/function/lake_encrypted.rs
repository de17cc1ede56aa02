//! How the files of an encrypted lake are read. Their footers cannot be listed, so only the reader itself can
//! match their columns, by field id; it does so for whole columns, and matches the parts of nested ones by
//! name.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::lake_catalogue::{LakeTable, MappedName, Reader, owned, required};
use super::lake_columns::lake_type_text;
use crate::error::Result;
use crate::sql::literal::Literal;
use crate::sql::quote::text;

/// What is asked of the reader for an encrypted file that DuckLake wrote.
pub struct EncryptedColumns {
    /// The reader's `schema`: its columns, by field id.
    pub schema: (String, Literal),
    /// What the columns are called in the scan.
    pub names: Vec<MappedName>,
    /// Columns whose parts cannot be told by name.
    pub unknown: Vec<i64>,
}

/// The columns of a table, each under a name made of its id. A column that a file lacks is read as what it is
/// taken to hold there.
pub fn encrypted_columns(table: &LakeTable) -> EncryptedColumns {
    let roots: Vec<i64> =
        table.nodes.iter().filter(|(_, node)| node.parent.is_none()).map(|(id, _)| *id).collect();
    let names: Vec<MappedName> = table
        .nodes
        .iter()
        .map(|(id, node)| MappedName {
            number: *id,
            parent: node.parent,
            source_name: match node.parent {
                None => format!("column_{id}"),
                Some(_) => node.name.clone(),
            },
            column_id: *id,
            is_partition: false,
            lake_type: Some(node.lake_type.clone()),
        })
        .collect();
    let (mut entries, mut unknown) = (Vec::new(), Vec::new());
    for root in roots {
        let name = names.iter().find(|name| name.number == root);
        let type_text = name.and_then(|name| lake_type_text(&names, name));
        let (Some(name), Some(type_text), false) =
            (name, type_text, table.renamed_roots.contains(&root))
        else {
            unknown.push(root);
            continue;
        };
        let default = table.nodes.get(&root).and_then(|node| node.initial_default.clone());
        let column = vec![
            ("name".into(), Literal::Text(name.source_name.clone())),
            ("type".into(), Literal::Text(type_text)),
            ("default_value".into(), default.map_or(Literal::Null, Literal::Text)),
        ];
        entries.push((Literal::Integer(root), Literal::Struct(column)));
    }
    EncryptedColumns { schema: ("schema".into(), Literal::Map(entries)), names, unknown }
}

/// The reader's option for a file that is encrypted with a key of its own, which the catalogue keeps.
pub fn decryption(key: &str) -> (String, Literal) {
    let value = Literal::Expression(format!("from_base64({})", text(key)));
    ("encryption_config".into(), Literal::Struct(vec![("footer_key_value".into(), value)]))
}

impl Reader<'_> {
    /// Finds the nested columns of which a part ever had another name, or a name that another part had: in
    /// them a name does not tell the part.
    pub(super) fn add_renamed_roots(&self, tables: &mut BTreeMap<i64, LakeTable>) -> Result<()> {
        let statement = format!(
            "SELECT DISTINCT CAST(table_id AS BIGINT), CAST(column_id AS BIGINT), \
             CAST(parent_column AS BIGINT), CAST(column_name AS VARCHAR) FROM {} \
             WHERE parent_column IS NOT NULL",
            self.table("ducklake_column")
        );
        let mut parents: HashMap<(i64, i64), i64> = HashMap::new();
        let mut names_of_part: HashMap<(i64, i64), HashSet<String>> = HashMap::new();
        let mut parts_of_name: HashMap<(i64, i64, String), HashSet<i64>> = HashMap::new();
        self.each(&statement, |row| {
            let table = required(row, 0, "ducklake_column.table_id")?;
            let part = required(row, 1, "ducklake_column.column_id")?;
            let parent = required(row, 2, "ducklake_column.parent_column")?;
            parents.insert((table, part), parent);
            let name = owned(row, 3).to_ascii_lowercase();
            names_of_part.entry((table, part)).or_default().insert(name.clone());
            parts_of_name.entry((table, parent, name)).or_default().insert(part);
            Ok(())
        })?;
        let renamed = names_of_part.into_iter().filter(|(_, names)| names.len() > 1);
        let reused = parts_of_name.into_iter().filter(|(_, parts)| parts.len() > 1);
        let doubtful = renamed
            .map(|(part, _)| part)
            .chain(reused.map(|((table, parent, _), _)| (table, parent)));
        for (table_id, mut part) in doubtful {
            while let Some(parent) = parents.get(&(table_id, part)) {
                part = *parent;
            }
            if let Some(table) = tables.get_mut(&table_id) {
                table.renamed_roots.insert(part);
            }
        }
        Ok(())
    }
}
