//! Plans the scan of a lake: which data files are read together, and which column of its table each of their
//! leaves is.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::catalogue::{DataFile, InlinedTable, Lake, LakeTable};
use super::columns::{Match, Names, match_column, scan_expression};
use super::defaults::{Met, MetColumn};
use super::encrypted::{EncryptedColumns, encrypted_columns};
use super::located::located;
use super::options::LakeOptions;
use crate::ffi::session::Session;
use crate::function::file::columns::{SourceColumn, source_columns, unused_name};
use crate::function::parquet::footers::{Footers, file_sizes, read_footers};
use crate::function::parquet::schema::{ParquetSchema, group_by_schema};
use crate::function::parquet::variant_stats::footer_stats;
use crate::output::ducklake::rows::empty_geometry_stats;
use crate::sql::file::statement::{LeafRow, Scan};
use crate::sql::lake::encrypted::{decryption, schema as reader_schema};
use crate::sql::lake::files::MappedName;
use crate::sql::lake::statement::{
    ConstantOf, LakeColumn, LakeConstant, LakeFile, LakeScan, LakeStatement,
};
use crate::sql::partition::{depends_on_session, raw_value, value as partition_value};
use colstats_core::column::column_type::join_path;
use colstats_core::error::{Error, Result};
use colstats_core::value::Literal;

/// Which parts of a lake are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The only table; all when not given.
    pub table: Option<i64>,
    /// Everything that the row of a table stands for: inlined rows, files that only older snapshots have,
    /// and what columns hold in files older than themselves.
    pub is_table_wide: bool,
    /// The sizes of column chunks are wanted.
    pub has_sizes: bool,
}

/// The statement that reads the lake.
pub fn lake_statement(
    lake: &Lake,
    options: &LakeOptions,
    extent: Extent,
    is_read: &dyn Fn(&DataFile) -> bool,
    session: &Session,
) -> Result<LakeStatement> {
    let files: Vec<&DataFile> = lake
        .files
        .iter()
        .filter(|file| extent.table.is_none_or(|id| id == file.table_id))
        .filter(|file| (file.is_current || extent.is_table_wide) && is_read(file))
        .collect();
    let mut names: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    let mut builder = Builder {
        lake,
        session,
        extent,
        statement: empty(lake, options, extent),
        unknown: HashSet::new(),
    };
    // The reader calls a file by its path, but for untidy ones. Only when something is wrong is it worth
    // looking for each file.
    let grouped = match grouped(&files, &names, session) {
        Ok(grouped) => grouped,
        Err(_) => {
            names = located(&files, lake, session)?;
            grouped(&files, &names, session)?
        }
    };
    if extent.has_sizes {
        builder.statement.sizes =
            file_sizes(&grouped.open, &grouped.footers, &grouped.unlisted, session);
    }
    builder.statement.unlisted = grouped.unlisted;
    for (place, group) in grouped.groups {
        builder.add_files(place, &group)?;
    }
    if extent.is_table_wide {
        lake.check_inlined(extent.table)?;
        let is_meant =
            |inlined: &&InlinedTable| extent.table.is_none_or(|id| id == inlined.table_id);
        lake.inlined
            .iter()
            .filter(is_meant)
            .try_for_each(|inlined| builder.add_inlined(inlined))?;
    }
    let Builder { mut statement, unknown, .. } = builder;
    statement.columns.retain(|column| {
        let root = lake.root(column.table_id, column.column_id);
        !unknown.contains(&(column.table_id, root))
    });
    let listed = statement.files.iter().filter(|file| !statement.unlisted.contains_key(&file.name));
    let group_of_file = listed.map(|file| (file.name.clone(), file.group)).collect();
    statement.footer_stats = footer_stats(&statement.leaves, &group_of_file, session)?;
    Ok(statement)
}

fn empty(lake: &Lake, options: &LakeOptions, extent: Extent) -> LakeStatement {
    let mut columns = Vec::new();
    let tables =
        lake.tables.iter().filter(|(id, _)| extent.table.is_none_or(|asked| asked == **id));
    for (table_id, table) in tables {
        for (column_id, node) in table.nodes.iter().filter(|(_, node)| node.is_leaf) {
            let path = lake.column_path(*table_id, *column_id);
            columns.push(LakeColumn {
                table_id: *table_id,
                column_id: *column_id,
                schema_name: table.schema_name.clone(),
                table_name: table.table_name.clone(),
                column_name: join_path(path.iter().copied()),
                type_name: node.lake_type.duckdb_name().unwrap_or(node.lake_type.name().into()),
                lake_type: node.lake_type.clone(),
                place: lake.place(*table_id, *column_id),
                has_all_rows: table.has_all_rows,
            });
        }
    }
    LakeStatement {
        files: Vec::new(),
        columns,
        leaves: Vec::new(),
        scans: Vec::new(),
        constants: Vec::new(),
        filled_in: HashSet::new(),
        uncertain: HashSet::new(),
        footer_stats: Vec::new(),
        sizes: HashMap::new(),
        unlisted: HashMap::new(),
        max_bound_bytes: options.max_bound_bytes,
    }
}

/// What the files of a group share.
struct Place {
    table_id: i64,
    mapping_id: Option<i64>,
    /// `None` for an encrypted file, whose schema only its reader can see.
    schema: Option<ParquetSchema>,
}

type Group<'a> = Vec<(&'a DataFile, &'a str)>;

struct Grouped<'a> {
    groups: Vec<(Place, Group<'a>)>,
    /// The files that are not encrypted, and what their footers say.
    open: Vec<String>,
    footers: Footers,
    unlisted: HashMap<String, String>,
}

fn grouped<'a>(
    files: &[&'a DataFile],
    names: &'a [String],
    session: &Session,
) -> Result<Grouped<'a>> {
    let is_open = |file: &DataFile| file.encryption_key.is_none();
    let mut open = Vec::new();
    let mut files_by_name: HashMap<&str, Group<'a>> = HashMap::new();
    let mut groups = Vec::new();
    for (file, name) in files.iter().zip(names) {
        if !file.is_parquet {
            return Err(Error::new(format!("data file '{name}' is not Parquet")));
        }
        if is_open(file) {
            let same = files_by_name.entry(name).or_default();
            if same.is_empty() {
                open.push(name.clone());
            }
            same.push((file, name));
        } else {
            let (table_id, mapping_id) = (file.table_id, file.mapping_id);
            groups
                .push((Place { table_id, mapping_id, schema: None }, vec![(*file, name.as_str())]));
        }
    }
    let footers = read_footers(&open, session);
    let schemas = group_by_schema(&open, &footers, session)?;
    for (schema, members) in schemas.groups {
        let mut places: BTreeMap<(i64, Option<i64>), Group<'a>> = BTreeMap::new();
        for (file, name) in
            members.iter().filter_map(|name| files_by_name.get(name.as_str())).flatten()
        {
            places.entry((file.table_id, file.mapping_id)).or_default().push((file, name));
        }
        groups.extend(places.into_iter().map(|((table_id, mapping_id), group)| {
            (Place { table_id, mapping_id, schema: Some(schema.clone()) }, group)
        }));
    }
    Ok(Grouped { groups, open, footers, unlisted: schemas.unlisted })
}

/// The scan of a group, without its columns.
fn group_scan(group: &Group<'_>) -> Scan {
    let mut files: Vec<String> = group.iter().map(|(_, name)| (*name).to_owned()).collect();
    files.sort_unstable();
    files.dedup();
    let mut options = vec![("hive_partitioning".into(), Literal::Boolean(false))];
    options
        .extend(group.iter().find_map(|(file, _)| file.encryption_key.as_deref()).map(decryption));
    let (file_column, columns) = (String::new(), Vec::new());
    Scan { reader: "read_parquet", files, options, file_column, columns }
}

/// The name mapping of a group of files. One that the catalogue does not have is not the same as none.
fn mapping_of<'lake>(
    lake: &'lake Lake,
    place: &Place,
    table: &LakeTable,
    group: &Group<'_>,
) -> Result<Option<&'lake [MappedName]>> {
    let Some(id) = place.mapping_id else { return Ok(None) };
    match lake.mappings.get(&id) {
        Some(mapping) => Ok(Some(mapping)),
        None => Err(Error::new(format!(
            "data file '{}' of table '{}' is read by name mapping {id}, of which \
             ducklake_name_mapping has no row; nobody can tell its columns",
            group.first().map_or("", |(_, name)| name),
            table.table_name
        ))),
    }
}

pub(super) struct Builder<'call> {
    pub(super) lake: &'call Lake,
    pub(super) session: &'call Session,
    pub(super) extent: Extent,
    pub(super) statement: LakeStatement,
    /// Tables and columns whose parts some file cannot tell: nothing is said of them.
    unknown: HashSet<(i64, i64)>,
}

impl Builder<'_> {
    pub(super) fn next_group(&self) -> usize {
        self.statement.files.last().map_or(0, |file| file.group + 1)
    }

    fn add_files(&mut self, place: Place, group: &Group<'_>) -> Result<()> {
        let lake = self.lake;
        let Some(table) = lake.tables.get(&place.table_id) else { return Ok(()) };
        let number = self.next_group();
        let mapping = mapping_of(lake, &place, table, group)?;
        let mut scan = group_scan(group);
        let mut encrypted = None;
        if mapping.is_none() && place.schema.is_none() {
            let mut read = encrypted_columns(table, &scan, self.session)?;
            self.note_encrypted(number, place.table_id, &read);
            if !read.asked.is_empty() {
                scan.options.push(reader_schema(std::mem::take(&mut read.asked)));
            }
            encrypted = Some(read);
        }
        let probe = Scan { files: scan.files.iter().take(1).cloned().collect(), ..scan.clone() };
        let columns = source_columns(&probe, usize::MAX, self.session)?;
        let names = match (mapping, &encrypted) {
            (Some(mapping), _) => Names::Mapping(mapping),
            (None, Some(encrypted)) => Names::Mapping(&encrypted.names),
            (None, None) => Names::FieldIds,
        };
        let schema = place.schema.as_ref();
        let mut met = self.add_columns(number, table, &columns, &names, schema, &mut scan.columns);
        scan.file_column = unused_name(&columns);
        for (file, name) in group {
            met.ids.extend(self.add_partitions(file, &names, table)?);
            self.statement.files.push(LakeFile {
                group: number,
                table_id: file.table_id,
                data_file_id: Some(file.data_file_id),
                name: (*name).to_owned(),
                record_count: Some(file.record_count),
                is_current: file.is_current,
            });
        }
        match names {
            Names::Mapping(mapping) | Names::Inlined(mapping) => met.note_unnamed(table, mapping),
            Names::FieldIds => {
                let last = group.iter().map(|(file, _)| file.begin_snapshot).max();
                met.note_younger(table, last.unwrap_or(0));
            }
        }
        self.add_defaults(number, table, &met, &mut scan.columns);
        let file_column = ("filename".to_owned(), Literal::Text(scan.file_column.clone()));
        self.statement.scans.push(LakeScan {
            group: number,
            source: scan.source(&[file_column]),
            file_column: Some(scan.file_column),
            columns: scan.columns,
        });
        Ok(())
    }

    /// What cannot be known of the columns of an encrypted file, and what it lacks.
    fn note_encrypted(&mut self, number: usize, table_id: i64, encrypted: &EncryptedColumns) {
        self.unknown.extend(encrypted.unknown.iter().map(|root| (table_id, *root)));
        self.statement.filled_in.extend(encrypted.filled_in.iter().map(|id| (number, *id)));
    }

    /// The leaves of a scan and the expressions they come from; gives the columns that were met.
    pub(super) fn add_columns(
        &mut self,
        group: usize,
        table: &LakeTable,
        columns: &[SourceColumn],
        names: &Names<'_>,
        schema: Option<&ParquetSchema>,
        expressions: &mut Vec<String>,
    ) -> Met {
        let mut met = Met::default();
        for (position, column) in columns.iter().enumerate() {
            let leaves = column.column_type.leaves();
            let matches = match_column(position, column, &leaves, names, schema, table);
            if matches.iter().all(|found| found.column_id.is_none()) {
                continue;
            }
            let is_inlined = matches!(names, Names::Inlined(_));
            expressions.push(scan_expression(column, &matches, table, is_inlined));
            let mut met_leaves = Vec::new();
            for (index, Match { column_id, chunks }) in matches.into_iter().enumerate() {
                let Some(id) = column_id else { continue };
                met_leaves.extend(leaves.get(index).map(|leaf| (id, leaf.path.clone())));
                let is_geometry = table.nodes.get(&id).is_some_and(|n| n.lake_type.is_geometry());
                met.ids.push(id);
                self.statement.leaves.push(LeafRow {
                    schema: group,
                    column_position: expressions.len(),
                    leaf_position: index + 1,
                    column_id: Some(id),
                    column_name: String::new(),
                    column_type: leaves.get(index).map_or(String::new(), |l| l.column_type.name()),
                    is_floating: false,
                    empty_extra_stats: is_geometry.then(empty_geometry_stats),
                    chunks,
                });
            }
            met.columns.push(MetColumn { column: column.clone(), leaves: met_leaves });
        }
        met
    }

    /// Values of partition columns that the file leaves to its path; gives the ids of these columns.
    fn add_partitions(
        &mut self,
        file: &DataFile,
        names: &Names<'_>,
        table: &LakeTable,
    ) -> Result<Vec<i64>> {
        let Names::Mapping(mapping) = names else { return Ok(Vec::new()) };
        let mut met = Vec::new();
        for name in mapping.iter().filter(|name| name.is_partition) {
            let Some(node) = table.nodes.get(&name.column_id) else { continue };
            // The reader refuses such a file as well.
            let raw = raw_value(&file.path, &name.source_name).ok_or_else(|| {
                Error::new(format!(
                    "data file '{}' of table '{}' has no directory '{}=...' in its path, where the catalogue says \
                     that the values of a partition are",
                    file.path, table.table_name, name.source_name
                ))
            })?;
            met.push(name.column_id);
            if depends_on_session(raw, &node.lake_type) {
                self.statement.uncertain.insert((file.table_id, name.column_id));
                continue;
            }
            let value = partition_value(raw, &node.lake_type);
            self.statement.constants.push(LakeConstant {
                of: ConstantOf::Partition { data_file_id: file.data_file_id },
                column_id: name.column_id,
                value,
                lake_type: node.lake_type.clone(),
            });
        }
        Ok(met)
    }
}
