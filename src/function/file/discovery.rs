//! Finds out what `file_column_stats` has to scan: which files there are, which of them share a schema,
//! and which leaves each schema has. Runs small statements on a borrowed connection; reads no data but
//! Parquet footers and what DuckDB's CSV and JSON readers sniff.

use std::collections::HashMap;

use super::asked_columns::AskedColumns;
use super::columns::{SourceColumn, source_columns, unused_name};
use super::list::{batches, expand, partition_keys};
use super::options::{FileOptions, Format};
use crate::ffi::session::Session;
use crate::function::parquet::footers::{file_sizes, read_footers};
use crate::function::parquet::schema::{ParquetSchema, group_by_schema};
use crate::function::parquet::variant_stats::footer_stats as variant_stats;
use crate::output::ducklake;
use crate::sql::file::statement::{File, FileSizes, FileStatement, LeafRow, Scan};
use colstats_core::column::column_type::{ColumnType, join_path};
use colstats_core::error::{Error, Result};
use colstats_core::value::Literal;

/// Composes the statements that one after the other give the rows for these options.
pub fn discover(options: &FileOptions, session: &Session) -> Result<Vec<String>> {
    let files = files_with_formats(options, session)?;
    let mut asked = AskedColumns::new(options.columns.as_deref());
    let mut statements = Vec::new();
    let mut first_file_number = 0;
    for batch in batches(&files, options.union_by_name) {
        let statement = plan_files(batch, options, &mut asked, session)?;
        statements.push(FileStatement { first_file_number, ..statement }.compose());
        first_file_number += batch.len();
    }
    check(&asked, &files)?;
    Ok(statements)
}

/// All that the one statement for these options is composed of. Without `union_by_name`, the scans stand in
/// the order of the schemas' numbers, one for each.
pub fn plan(options: &FileOptions, session: &Session) -> Result<FileStatement> {
    let files = files_with_formats(options, session)?;
    let mut asked = AskedColumns::new(options.columns.as_deref());
    let statement = plan_files(&files, options, &mut asked, session)?;
    check(&asked, &files)?;
    Ok(statement)
}

/// [`plan`] for one of the files, which need not have all the columns asked for.
pub fn plan_of_file(file: &str, options: &FileOptions, session: &Session) -> Result<FileStatement> {
    let format = options.format.map_or_else(|| Format::of_file(file), Ok)?;
    let mut asked = AskedColumns::new(options.columns.as_deref());
    plan_files(&[(format, file.to_owned())], options, &mut asked, session)
}

fn check(asked: &AskedColumns<'_>, files: &[(Format, String)]) -> Result<()> {
    asked.check(files.first().map_or("", |(_, file)| file), files.len())
}

fn files_with_formats(options: &FileOptions, session: &Session) -> Result<Vec<(Format, String)>> {
    let with_format = |file: String| {
        let format = options.format.map_or_else(|| Format::of_file(&file), Ok)?;
        Ok((format, file))
    };
    expand(&options.files, session)?.into_iter().map(with_format).collect()
}

fn plan_files(
    files: &[(Format, String)],
    options: &FileOptions,
    asked: &mut AskedColumns<'_>,
    session: &Session,
) -> Result<FileStatement> {
    let mut by_format: Vec<(Format, Vec<String>)> = Vec::new();
    for (format, file) in files {
        match by_format.iter_mut().find(|(known, _)| known == format) {
            Some((_, names)) => names.push(file.clone()),
            None => by_format.push((*format, vec![file.clone()])),
        }
    }
    let mut plan = Plan::new(options, asked, session);
    for (format, names) in by_format {
        plan.add_format(format, &names)?;
    }
    plan.finish(files.iter().map(|(_, file)| file.as_str()))
}

/// Files that are read in one scan.
struct Group {
    /// What the footers say; `None` where they are not known.
    schema: Option<ParquetSchema>,
    files: Vec<String>,
}

/// The statement as it is put together.
struct Plan<'call, 'asked> {
    options: &'call FileOptions,
    asked: &'call mut AskedColumns<'asked>,
    session: &'call Session,
    schema_of_file: HashMap<String, usize>,
    schema_count: usize,
    leaves: Vec<LeafRow>,
    scans: Vec<Scan>,
    sizes: HashMap<String, FileSizes>,
    unlisted: HashMap<String, String>,
}

impl<'call, 'asked> Plan<'call, 'asked> {
    fn new(
        options: &'call FileOptions,
        asked: &'call mut AskedColumns<'asked>,
        session: &'call Session,
    ) -> Self {
        Plan {
            options,
            asked,
            session,
            schema_of_file: HashMap::new(),
            schema_count: 0,
            leaves: Vec::new(),
            scans: Vec::new(),
            sizes: HashMap::new(),
            unlisted: HashMap::new(),
        }
    }

    fn add_format(&mut self, format: Format, files: &[String]) -> Result<()> {
        let groups = self.group(format, files)?;
        if self.options.union_by_name {
            return self.add_union(format, files, groups);
        }
        groups.into_iter().try_for_each(|group| self.add_scan(format, group))
    }

    /// Files that share a schema. Without the key the footer of an encrypted file cannot be listed, and
    /// `parquet_schema` takes none: such files stand alone, as CSV and JSON files do, and have no sizes.
    fn group(&mut self, format: Format, files: &[String]) -> Result<Vec<Group>> {
        let is_encrypted = self
            .options
            .read_options
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("encryption_config"));
        if format != Format::Parquet || is_encrypted {
            let alone = |file: &String| Group { schema: None, files: vec![file.clone()] };
            return Ok(files.iter().map(alone).collect());
        }
        let footers = read_footers(files, self.session);
        let schemas = group_by_schema(files, &footers, self.session).map_err(|error| {
            Error::new(format!("{error}; format := '...' names another format than Parquet"))
        })?;
        if self.options.has_sizes {
            self.sizes.extend(file_sizes(files, &footers, &schemas.unlisted, self.session));
        }
        self.unlisted.extend(schemas.unlisted);
        Ok(schemas
            .groups
            .into_iter()
            .map(|(schema, files)| Group { schema: Some(schema), files })
            .collect())
    }

    /// One scan of files that share a schema.
    fn add_scan(&mut self, format: Format, group: Group) -> Result<()> {
        let (mut scan, columns) = self.group_scan(format, &group)?;
        let number = self.next_schema(&group.files);
        let leaves = leaf_rows(number, &columns, group.schema.as_ref());
        self.select_columns(&mut scan, &columns, leaves);
        Ok(())
    }

    /// One scan of all files under their common schema; each file has rows for the leaves that it has
    /// itself.
    fn add_union(&mut self, format: Format, files: &[String], groups: Vec<Group>) -> Result<()> {
        let mut union = self.scan(format, files.to_vec());
        union.options.push(("union_by_name".into(), Literal::Boolean(true)));
        let mut probed = Vec::new();
        for group in groups {
            let (scan, columns) = self.group_scan(format, &group)?;
            probed.push((group, columns, scan.is_unpartitioned()));
        }
        // One scan either has partition columns or not: where a file has a column of that name, no
        // file is reported with the value of its path.
        let hides_partitions = probed.iter().any(|(_, _, hides)| *hides);
        if hides_partitions && !union.is_unpartitioned() {
            union = union.unpartitioned();
        }
        let columns = source_columns(&union, 0, self.session)?;
        let common: HashMap<String, LeafRow> = leaf_rows(0, &columns, None)
            .into_iter()
            .map(|row| (row.column_name.to_ascii_lowercase(), row))
            .collect();
        let mut leaves = Vec::new();
        for (group, mut own_columns, _) in probed {
            own_columns.retain(|column| !(hides_partitions && column.is_partition));
            let number = self.next_schema(&group.files);
            for own in leaf_rows(number, &own_columns, group.schema.as_ref()) {
                let shared = common.get(&own.column_name.to_ascii_lowercase());
                leaves.push(united(own, shared, &group.files)?);
            }
        }
        self.select_columns(&mut union, &columns, leaves);
        Ok(())
    }

    fn scan(&self, format: Format, files: Vec<String>) -> Scan {
        let mut options = self.options.read_options.clone();
        if let Some(hive_partitioning) = self.options.hive_partitioning {
            options.push(("hive_partitioning".into(), Literal::Boolean(hive_partitioning)));
        }
        let (file_column, columns) = (String::new(), Vec::new());
        Scan { reader: format.reader(), files, options, file_column, columns }
    }

    /// The scan of a group, and its columns. Left to itself, DuckDB adds the partition columns of hive
    /// paths, and lets them replace columns of the file. What is in the file comes first here: where
    /// both have a name, the partition columns are left out.
    fn group_scan(&self, format: Format, group: &Group) -> Result<(Scan, Vec<SourceColumn>)> {
        let scan = self.scan(format, group.files.clone());
        let keys = partition_keys(&group.files);
        if self.options.hive_partitioning.is_none() && !keys.is_empty() {
            let unpartitioned = scan.clone().unpartitioned();
            let own_columns = source_columns(&unpartitioned, usize::MAX, self.session)?;
            let is_key = |name: &str| keys.iter().any(|key| key.eq_ignore_ascii_case(name));
            // Where the writer numbered the columns, one without a number belongs to no table.
            let is_numbered = group.schema.as_ref().is_some_and(ParquetSchema::has_field_ids);
            if is_numbered || own_columns.iter().any(|column| is_key(&column.name)) {
                return Ok((unpartitioned, own_columns));
            }
            let columns = source_columns(&scan, own_columns.len(), self.session)?;
            return Ok((scan, columns));
        }
        let own_count = group.schema.as_ref().map_or(0, |schema| schema.columns().count());
        // Without partitions, files of one schema have the columns of any of them.
        let is_alike = group.schema.is_some() && keys.is_empty();
        let examples = if is_alike { 1 } else { scan.files.len() };
        let example =
            Scan { files: scan.files.iter().take(examples).cloned().collect(), ..scan.clone() };
        let columns = source_columns(&example, own_count, self.session)?;
        Ok((scan, columns))
    }

    fn next_schema(&mut self, files: &[String]) -> usize {
        let number = self.schema_count;
        self.schema_count += 1;
        self.schema_of_file.extend(files.iter().map(|file| (file.clone(), number)));
        number
    }

    /// Keeps the leaves that `columns` asks for, and gives the scan the columns that hold them.
    fn select_columns(&mut self, scan: &mut Scan, columns: &[SourceColumn], leaves: Vec<LeafRow>) {
        let mut positions: HashMap<usize, usize> = HashMap::new();
        for mut leaf in leaves {
            let Some(column) = columns.get(leaf.column_position) else { continue };
            if !self.asked.includes(&column.name, &leaf.column_name) {
                continue;
            }
            let next = positions.len() + 1;
            leaf.column_position = *positions.entry(leaf.column_position).or_insert_with(|| {
                scan.columns.push(column.expression());
                next
            });
            self.leaves.push(leaf);
        }
        columns.iter().for_each(|column| self.asked.know(&column.name));
        scan.file_column = unused_name(columns);
        self.scans.push(scan.clone());
    }

    fn finish<'file>(mut self, files: impl Iterator<Item = &'file str>) -> Result<FileStatement> {
        let files = files
            .filter_map(|name| {
                let schema = *self.schema_of_file.get(name)?;
                let footer = self.sizes.remove(name);
                Some(File { name: name.to_owned(), schema, footer })
            })
            .collect();
        let mut footer_stats = Vec::new();
        if self.options.has_sizes {
            // DuckDB fails at a footer with a bound that has no text; the values can be read all the same.
            let mut listed = self.schema_of_file;
            listed.retain(|file, _| !self.unlisted.contains_key(file));
            footer_stats = variant_stats(&self.leaves, &listed, self.session).unwrap_or_default();
        }
        Ok(FileStatement {
            files,
            first_file_number: 0,
            leaves: self.leaves,
            scans: self.scans,
            unlisted: self.unlisted,
            footer_stats,
            max_bound_bytes: self.options.max_bound_bytes,
            table_id: self.options.table_id,
            first_data_file_id: self.options.first_data_file_id,
        })
    }
}

/// A leaf of a file with its place and type in the common schema.
fn united(own: LeafRow, shared: Option<&LeafRow>, files: &[String]) -> Result<LeafRow> {
    let Some(shared) = shared else {
        return Err(Error::new(format!(
            "column '{}' of file '{}' has no counterpart in the common schema, since the files hold \
             different types under its name; leave union_by_name out to read each file by itself",
            own.column_name,
            files.first().map(String::as_str).unwrap_or_default(),
        )));
    };
    Ok(LeafRow {
        column_position: shared.column_position,
        leaf_position: shared.leaf_position,
        column_type: shared.column_type.clone(),
        is_floating: shared.is_floating,
        ..own
    })
}

/// What is reported of the files of a schema: a row per leaf of its columns.
fn leaf_rows(
    schema_number: usize,
    columns: &[SourceColumn],
    schema: Option<&ParquetSchema>,
) -> Vec<LeafRow> {
    let mut rows = Vec::new();
    let mut node_number: i64 = 0;
    for (position, column) in columns.iter().enumerate() {
        let leaves = column.column_type.leaves();
        let places = schema.map(|schema| schema.leaf_places(position, &column.name, &leaves));
        for (index, leaf) in leaves.into_iter().enumerate() {
            let pre_order = node_number + i64::try_from(leaf.node_number).unwrap_or(i64::MAX);
            let place = places.as_ref().and_then(|places| places.get(index));
            let has_ids = schema.is_some_and(ParquetSchema::has_field_ids);
            let path =
                std::iter::once(column.name.as_str()).chain(leaf.path.iter().map(String::as_str));
            rows.push(LeafRow {
                schema: schema_number,
                column_position: position,
                leaf_position: index + 1,
                column_id: match place {
                    Some(place) if has_ids => place.field_id,
                    None if has_ids => None,
                    _ => Some(pre_order),
                },
                column_name: join_path(path),
                column_type: leaf.column_type.name(),
                is_floating: leaf.column_type.is_floating(),
                empty_extra_stats: (*leaf.column_type.base() == ColumnType::Geometry)
                    .then(ducklake::empty_geometry_stats),
                chunks: match place {
                    Some(place) => Some(place.chunks.clone()),
                    // A partition takes no room in the file; of other leaves it is not known.
                    None => (schema.is_some() && column.is_partition).then(Vec::new),
                },
            });
        }
        node_number += i64::try_from(column.column_type.node_count()).unwrap_or(i64::MAX);
    }
    rows
}
