//! How the files of an encrypted lake are read. Their footers cannot be listed, so only the reader itself can
//! match their columns, by field id; it does so for whole columns. The parts of nested ones are told by the names
//! that they had when the file was written.

use std::collections::{BTreeMap, BTreeSet};

use super::catalogue::{LakeTable, MappedName, Reader, owned, required};
use super::columns::{lake_type_text, mapped_column};
use crate::ffi::session::Session;
use crate::function::file::columns::{SourceColumn, source_columns};
use crate::output::ducklake::lake_type::LakeType;
use crate::sql::file::statement::Scan;
use crate::sql::quote::text;
use colstats_core::error::Result;
use colstats_core::value::Literal;

/// What a column, or a part of a nested one, was from one snapshot to another.
pub struct FormerColumn {
    column_id: i64,
    parent: Option<i64>,
    name: String,
    lake_type: LakeType,
    begin_snapshot: i64,
    end_snapshot: Option<i64>,
}

/// What is asked of the reader for an encrypted file that DuckLake wrote.
pub struct EncryptedColumns {
    /// The reader's `schema`: its columns, by field id. `None` where nothing is known of any column.
    pub schema: Option<(String, Literal)>,
    /// What the columns are called in the scan.
    pub names: Vec<MappedName>,
    /// Columns whose parts cannot be told by name.
    pub unknown: Vec<i64>,
    /// Columns that the file does not hold: the reader fills them in.
    pub filled_in: Vec<i64>,
}

/// An encrypted file.
pub struct EncryptedFile {
    /// Its columns as it names them.
    columns: Vec<SourceColumn>,
    /// The snapshot that added it.
    begin_snapshot: i64,
    /// The top-level columns of the table that it does not hold.
    lacking: BTreeSet<i64>,
}

/// The columns of a table at `snapshot`, each under a name made of its id. A column that a file lacks is read as
/// what it is taken to hold there.
pub fn encrypted_columns(
    table: &LakeTable,
    snapshot: i64,
    file: &EncryptedFile,
) -> EncryptedColumns {
    let (mut entries, mut all_names) = (Vec::new(), Vec::new());
    let (mut unknown, mut filled_in) = (Vec::new(), Vec::new());
    for (root, node) in table.nodes.iter().filter(|(_, node)| node.parent.is_none()) {
        let names = names_at(table, *root, snapshot);
        let is_absent = file.lacking.contains(root);
        if is_absent {
            filled_in.extend(names.iter().map(|name| name.column_id));
        }
        let read = if is_absent || node.is_leaf {
            let type_text = names.first().and_then(|name| lake_type_text(&names, name));
            type_text.map(|type_text| (type_text, names))
        } else {
            file.written_column(table, *root)
        };
        let Some((type_text, mut names)) = read else {
            unknown.push(*root);
            continue;
        };
        let scan_name = format!("column_{root}");
        let default = node.initial_default.clone();
        let column = vec![
            ("name".into(), Literal::Text(scan_name.clone())),
            ("type".into(), Literal::Text(type_text)),
            ("default_value".into(), default.map_or(Literal::Null, Literal::Text)),
        ];
        entries.push((Literal::Integer(*root), Literal::Struct(column)));
        if let Some(name) = names.first_mut() {
            name.source_name = scan_name;
        }
        all_names.append(&mut names);
    }
    let schema = (!entries.is_empty()).then(|| ("schema".into(), Literal::Map(entries)));
    EncryptedColumns { schema, names: all_names, unknown, filled_in }
}

/// What the reader gives for a column that a file lacks, when it is asked whether there is one.
const ABSENT: &str = "colstats: the file lacks this column";

impl EncryptedFile {
    /// Looks at the file of a scan, which a snapshot added to a table.
    pub fn new(
        table: &LakeTable,
        scan: &Scan,
        begin_snapshot: i64,
        session: &Session,
    ) -> Result<Self> {
        let columns = source_columns(scan, usize::MAX, session)?;
        let mut file = EncryptedFile { columns, begin_snapshot, lacking: BTreeSet::new() };
        let nodes = table.nodes.iter().filter(|(_, node)| node.parent.is_none());
        let roots = nodes.map(|(root, _)| *root);
        let doubtful: Vec<i64> =
            roots.filter(|root| !file.has_name_of_its_own(table, *root)).collect();
        file.add_lacking(&doubtful, scan, session)?;
        Ok(file)
    }

    /// Whether it has a column by a name of this one, and no other column ever had any of its names.
    fn has_name_of_its_own(&self, table: &LakeTable, root: i64) -> bool {
        let former = || table.former_columns.iter().filter(|former| former.parent.is_none());
        let own = || former().filter(|former| former.column_id == root);
        let is_shared = |name: &str| {
            former().any(|other| other.column_id != root && other.name.eq_ignore_ascii_case(name))
        };
        own().any(|former| self.column(&former.name).is_some())
            && !own().any(|former| is_shared(&former.name))
    }

    /// Asks the reader, which goes by field id, for columns of which the names tell nothing. A file without rows
    /// may as well lack them.
    fn add_lacking(&mut self, roots: &[i64], scan: &Scan, session: &Session) -> Result<()> {
        if roots.is_empty() {
            return Ok(());
        }
        let asked = |root: &i64| {
            let field = |name: &str, value: &str| (name.to_owned(), Literal::Text(value.into()));
            let name = field("name", &format!("column_{root}"));
            let column = vec![name, field("type", "VARCHAR"), field("default_value", ABSENT)];
            (Literal::Integer(*root), Literal::Struct(column))
        };
        let schema = ("schema".into(), Literal::Map(roots.iter().map(asked).collect()));
        let is_absent = |root: &i64| format!("CAST(column_{root} = {} AS BIGINT)", text(ABSENT));
        let columns: Vec<String> = roots.iter().map(is_absent).collect();
        let statement =
            format!("SELECT {} FROM {} LIMIT 1", columns.join(", "), scan.source(&[schema]));
        session.query(&statement)?.for_each(|row| {
            let absent =
                roots.iter().enumerate().filter(|(index, _)| row.integer(*index) == Some(1));
            self.lacking.extend(absent.map(|(_, root)| *root));
            Ok(())
        })
    }

    fn column(&self, name: &str) -> Option<&SourceColumn> {
        self.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name))
    }

    /// The type that the file has for a nested column, and what its parts were called then. `None` where its
    /// names fit the catalogue of no snapshot, or different parts of several: a file that was rewritten has the
    /// names of an older snapshot than its own. `None` also where the file may have been written between two
    /// snapshots, or columns went with expired ones: names that the catalogue does not know could be those of
    /// other parts.
    fn written_column(&self, table: &LakeTable, root: i64) -> Option<(String, Vec<MappedName>)> {
        let parts = parts_of(table, root);
        if !knows_all_ids(table) || is_replaced_at_once(&parts, self.begin_snapshot) {
            return None;
        }
        let begins = parts.iter().map(|part| part.begin_snapshot);
        let changes = begins.chain(parts.iter().filter_map(|part| part.end_snapshot));
        let snapshots: BTreeSet<i64> =
            changes.filter(|change| *change <= self.begin_snapshot).collect();
        let mut fitting: BTreeMap<Vec<i64>, (String, Vec<MappedName>)> = BTreeMap::new();
        for snapshot in snapshots {
            let names = names_at(table, root, snapshot);
            let Some(column) = names.first().and_then(|name| self.column(&name.source_name)) else {
                continue;
            };
            if let Some(leaves) = fitting_leaves(&names, column) {
                fitting.insert(leaves, (column.column_type.name(), names));
            }
        }
        let (_, only) = fitting.pop_first()?;
        fitting.is_empty().then_some(only)
    }
}

/// Whether the catalogue knows the id of every column that the table ever had: they are numbered from 1 on.
fn knows_all_ids(table: &LakeTable) -> bool {
    let known: BTreeSet<i64> = table.former_columns.iter().map(|former| former.column_id).collect();
    known.into_iter().zip(1..).all(|(id, number)| id == number)
}

/// A column and all that ever was a part of it.
fn parts_of(table: &LakeTable, root: i64) -> Vec<&FormerColumn> {
    let mut ids = BTreeSet::from([root]);
    loop {
        let is_part = |former: &&FormerColumn| {
            ids.contains(&former.column_id) || former.parent.is_some_and(|id| ids.contains(&id))
        };
        let parts: Vec<&FormerColumn> = table.former_columns.iter().filter(is_part).collect();
        let found: BTreeSet<i64> = parts.iter().map(|part| part.column_id).collect();
        if found.len() <= ids.len() {
            return parts;
        }
        ids = found;
    }
}

/// Whether one snapshot, up to `last_snapshot`, dropped a part and added another: its transaction may have
/// written a file between the two, which then had parts as no snapshot has them.
fn is_replaced_at_once(parts: &[&FormerColumn], last_snapshot: i64) -> bool {
    let mut times: BTreeMap<i64, (i64, Option<i64>)> = BTreeMap::new();
    for part in parts {
        let (first, last) =
            times.entry(part.column_id).or_insert((part.begin_snapshot, part.end_snapshot));
        *first = (*first).min(part.begin_snapshot);
        *last = last.zip(part.end_snapshot).map(|(left, right)| left.max(right));
    }
    let added: BTreeSet<i64> = times.values().map(|(first, _)| *first).collect();
    let mut dropped = times.values().filter_map(|(_, last)| *last);
    dropped.any(|snapshot| snapshot <= last_snapshot && added.contains(&snapshot))
}

/// A column and its parts as they were at a snapshot, each after what it is a part of; nothing before there was
/// such a column.
fn names_at(table: &LakeTable, root: i64, snapshot: i64) -> Vec<MappedName> {
    let is_valid = |former: &&FormerColumn| {
        former.begin_snapshot <= snapshot && former.end_snapshot.is_none_or(|end| snapshot < end)
    };
    let valid = || table.former_columns.iter().filter(is_valid);
    let name = |former: &FormerColumn| MappedName {
        number: former.column_id,
        parent: former.parent,
        source_name: former.name.clone(),
        column_id: former.column_id,
        is_partition: false,
        lake_type: Some(former.lake_type.clone()),
    };
    let mut names: Vec<MappedName> =
        valid().filter(|former| former.column_id == root).take(1).map(name).collect();
    let mut position = 0;
    while let Some(parent) = names.get(position).map(|name| name.number) {
        let is_part = |former: &&FormerColumn| {
            former.parent == Some(parent)
                && !names.iter().any(|name| name.number == former.column_id)
        };
        let parts: Vec<MappedName> = valid().filter(is_part).map(name).collect();
        names.extend(parts);
        position += 1;
    }
    names
}

/// The ids of the leaves of a file's column, where it has the names of these and no others, in their order.
fn fitting_leaves(names: &[MappedName], column: &SourceColumn) -> Option<Vec<i64>> {
    let root = names.first()?;
    let leaves = column.column_type.leaves();
    let found: Option<Vec<i64>> = leaves
        .iter()
        .map(|leaf| {
            let path = std::iter::once(root.source_name.as_str());
            mapped_column(names, path.chain(leaf.path.iter().map(String::as_str)))
        })
        .collect();
    found.filter(|found| *found == leaf_ids(names, root.number))
}

/// The leaves below a column in the order in which files hold them.
fn leaf_ids(names: &[MappedName], number: i64) -> Vec<i64> {
    let parts: Vec<i64> = names
        .iter()
        .filter(|name| name.parent == Some(number))
        .flat_map(|part| leaf_ids(names, part.number))
        .collect();
    if parts.is_empty() { vec![number] } else { parts }
}

/// The reader's option for a file that is encrypted with a key of its own, which the catalogue keeps.
pub fn decryption(key: &str) -> (String, Literal) {
    let value = Literal::Expression(format!("from_base64({})", text(key)));
    ("encryption_config".into(), Literal::Struct(vec![("footer_key_value".into(), value)]))
}

impl Reader<'_> {
    /// Adds what the columns of the tables were at any time.
    pub(super) fn add_former_columns(&self, tables: &mut BTreeMap<i64, LakeTable>) -> Result<()> {
        let statement = format!(
            "SELECT CAST(table_id AS BIGINT), CAST(column_id AS BIGINT), \
             CAST(parent_column AS BIGINT), CAST(column_name AS VARCHAR), CAST(column_type AS VARCHAR), \
             CAST(begin_snapshot AS BIGINT), CAST(end_snapshot AS BIGINT) FROM {} \
             ORDER BY column_order, column_id",
            self.table("ducklake_column")
        );
        self.each(&statement, |row| {
            let Some(table) = tables.get_mut(&required(row, 0, "ducklake_column.table_id")?) else {
                return Ok(());
            };
            table.former_columns.push(FormerColumn {
                column_id: required(row, 1, "ducklake_column.column_id")?,
                parent: row.integer(2),
                name: owned(row, 3),
                lake_type: LakeType::new(row.text(4).unwrap_or_default()),
                begin_snapshot: required(row, 5, "ducklake_column.begin_snapshot")?,
                end_snapshot: row.integer(6),
            });
            Ok(())
        })
    }
}
