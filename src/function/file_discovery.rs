//! Finds out what `file_column_stats` has to scan: which files there are, which of them share a schema,
//! and which leaves each schema has. Runs small statements on a borrowed connection; reads no data but
//! Parquet footers and what DuckDB's CSV and JSON readers sniff.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::file_options::{FileOptions, Format};
use super::parquet_schema::{self, ParquetSchema};
use crate::core::column_type::{ColumnType, join_path};
use crate::error::{Error, Result};
use crate::ffi::session::Session;
use crate::output::ducklake;
use crate::sql::file_statement::{File, FileStatement, LeafRow, Scan};
use crate::sql::literal::Literal;
use crate::sql::quote::{identifier, text, text_list};

/// A column as the reader presents it.
#[derive(Debug, Clone)]
struct SourceColumn {
    name: String,
    column_type: ColumnType,
    /// It is read from the path, not from the file.
    is_partition: bool,
}

impl SourceColumn {
    /// What is aggregated. Hosts before 1.5 read the partition that stands for NULL as a text.
    fn expression(&self) -> String {
        let name = identifier(&self.name);
        if self.is_partition && self.column_type == ColumnType::Varchar {
            format!("nullif({name}, '__HIVE_DEFAULT_PARTITION__')")
        } else {
            name
        }
    }
}

/// Composes the statement for these options.
pub fn discover(options: &FileOptions, session: &Session) -> Result<String> {
    let files = expand(&options.files, session)?;
    let mut by_format: Vec<(Format, Vec<String>)> = Vec::new();
    for file in &files {
        let format = options.format.map_or_else(|| Format::of_file(file), Ok)?;
        match by_format.iter_mut().find(|(known, _)| *known == format) {
            Some((_, names)) => names.push(file.clone()),
            None => by_format.push((format, vec![file.clone()])),
        }
    }
    let mut plan = Plan::new(options, session);
    for (format, names) in by_format {
        plan.add_format(format, &names)?;
    }
    plan.finish(&files)
}

/// Expands globs in list order, each sorted by DuckDB; a file named twice is kept once.
pub(super) fn expand(patterns: &[String], session: &Session) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut seen = HashMap::new();
    let (literal, all) = (patterns.iter().all(|p| !p.contains(['*', '?', '['])), patterns.len());
    let mut keep = |file: &str| {
        if let Entry::Vacant(entry) = seen.entry(file.to_owned()) {
            entry.insert(());
            files.push(file.to_owned());
        }
    };
    // Plain names: one statement for all. Should one be missing, the loop below says which.
    if literal {
        let found = glob(&text_list(patterns.iter().map(String::as_str)), session)?;
        if found.len() == all {
            found.iter().for_each(|file| keep(file));
            return Ok(files);
        }
    }
    for pattern in patterns {
        let found = glob(&text(pattern), session)?;
        if found.is_empty() {
            return Err(Error::new(format!(
                "no file matches '{pattern}'; check the path (relative paths start where DuckDB runs)"
            )));
        }
        found.iter().for_each(|file| keep(file));
    }
    Ok(files)
}

fn glob(argument: &str, session: &Session) -> Result<Vec<String>> {
    let mut files = Vec::new();
    session.query(&format!("SELECT file FROM glob({argument})"))?.for_each(|row| {
        files.extend(row.text(0).map(str::to_owned));
        Ok(())
    })?;
    Ok(files)
}

/// The statement as it is put together.
struct Plan<'call> {
    options: &'call FileOptions,
    session: &'call Session,
    schema_of_file: HashMap<String, usize>,
    schema_count: usize,
    leaves: Vec<LeafRow>,
    scans: Vec<Scan>,
    parquet_files: Vec<String>,
    /// Which entries of `columns` were met in some file.
    met: Vec<bool>,
    column_names: Vec<String>,
}

impl<'call> Plan<'call> {
    fn new(options: &'call FileOptions, session: &'call Session) -> Self {
        Plan {
            options,
            session,
            schema_of_file: HashMap::new(),
            schema_count: 0,
            leaves: Vec::new(),
            scans: Vec::new(),
            parquet_files: Vec::new(),
            met: vec![false; options.columns.as_ref().map_or(0, Vec::len)],
            column_names: Vec::new(),
        }
    }

    fn add_format(&mut self, format: Format, files: &[String]) -> Result<()> {
        let is_encrypted =
            self.options.read_options.iter().any(|(name, _)| name == "encryption_config");
        // Without the key a footer cannot be listed, and `parquet_schema` takes none: such files are
        // read one by one like CSV, without sizes.
        if format == Format::Parquet && !is_encrypted {
            let groups = parquet_schema::group_by_schema(files, self.session)?;
            self.parquet_files.extend(files.iter().cloned());
            if self.options.union_by_name {
                return self.add_union(format, files, groups);
            }
            return groups
                .into_iter()
                .try_for_each(|(schema, files)| self.add_scan(format, files, Some(&schema)));
        }
        if self.options.union_by_name {
            return self.add_scan(format, files.to_vec(), None);
        }
        files.iter().try_for_each(|file| self.add_scan(format, vec![file.clone()], None))
    }

    /// One scan of files that share a schema.
    fn add_scan(
        &mut self,
        format: Format,
        files: Vec<String>,
        schema: Option<&ParquetSchema>,
    ) -> Result<()> {
        let mut scan = self.scan(format, files, schema)?;
        let columns = self.probe(&scan, schema)?;
        let number = self.next_schema(&scan.files);
        let leaves = self.leaf_rows(number, &columns, schema);
        self.select_columns(&mut scan, &columns, leaves);
        Ok(())
    }

    /// One scan of Parquet files with several schemas under their common one; each file has rows for
    /// the leaves that it has itself.
    fn add_union(
        &mut self,
        format: Format,
        files: &[String],
        groups: Vec<(ParquetSchema, Vec<String>)>,
    ) -> Result<()> {
        let mut union = self.scan(format, files.to_vec(), None)?;
        union.options.push(("union_by_name".into(), Literal::Boolean(true)));
        let columns = self.probe(&union, None)?;
        let common = self.leaf_rows(0, &columns, None);
        let mut rows = Vec::new();
        for (schema, files) in groups {
            let own_scan = self.scan(format, files, Some(&schema))?;
            let own_columns = self.probe(&own_scan, Some(&schema))?;
            let number = self.next_schema(&own_scan.files);
            for own in self.leaf_rows(number, &own_columns, Some(&schema)) {
                let shared = common
                    .iter()
                    .find(|row| row.column_name.eq_ignore_ascii_case(&own.column_name));
                rows.extend(shared.map(|shared| LeafRow {
                    column_position: shared.column_position,
                    leaf_position: shared.leaf_position,
                    column_type: shared.column_type.clone(),
                    is_floating: shared.is_floating,
                    ..own
                }));
            }
        }
        self.select_columns(&mut union, &columns, rows);
        Ok(())
    }

    fn scan(
        &self,
        format: Format,
        files: Vec<String>,
        schema: Option<&ParquetSchema>,
    ) -> Result<Scan> {
        let mut options = self.options.read_options.clone();
        if format != Format::Parquet && self.options.union_by_name {
            options.push(("union_by_name".into(), Literal::Boolean(true)));
        }
        if let Some(hive_partitioning) = self.hive_partitioning(&files, schema) {
            options.push(("hive_partitioning".into(), Literal::Boolean(hive_partitioning)));
        }
        Ok(Scan {
            reader: format.reader(),
            files,
            options,
            file_column: String::new(),
            columns: Vec::new(),
        })
    }

    /// Left to itself, DuckDB adds the partition columns of hive paths, and lets them replace columns of
    /// the file. What is in the file comes first here: then the partition columns are left out.
    fn hive_partitioning(&self, files: &[String], schema: Option<&ParquetSchema>) -> Option<bool> {
        if self.options.hive_partitioning.is_some() {
            return self.options.hive_partitioning;
        }
        let columns = schema.map(ParquetSchema::column_names).unwrap_or_default();
        partition_keys(files)
            .iter()
            .any(|key| columns.iter().any(|column| column.eq_ignore_ascii_case(key)))
            .then_some(false)
    }

    /// Names and types that the reader gives the columns.
    fn probe(&self, scan: &Scan, schema: Option<&ParquetSchema>) -> Result<Vec<SourceColumn>> {
        let source = scan.source(&[]);
        let mut rows = self.session.query(&format!("SELECT * FROM {source} LIMIT 0"))?;
        let partition_keys = partition_keys(&scan.files);
        let first_partition = schema.map_or(0, |schema| schema.column_names().len());
        let mut columns: Vec<SourceColumn> = rows
            .columns()
            .into_iter()
            .enumerate()
            .map(|(position, (name, column_type))| {
                let is_partition = position >= first_partition
                    && partition_keys.iter().any(|key| key.eq_ignore_ascii_case(&name));
                SourceColumn { name, column_type, is_partition }
            })
            .collect();
        if columns.iter().any(|column| needs_description(&column.column_type)) {
            describe(&mut columns, &source, self.session)?;
        }
        Ok(columns)
    }

    fn next_schema(&mut self, files: &[String]) -> usize {
        let number = self.schema_count;
        self.schema_count += 1;
        self.schema_of_file.extend(files.iter().map(|file| (file.clone(), number)));
        number
    }

    fn leaf_rows(
        &self,
        schema_number: usize,
        columns: &[SourceColumn],
        schema: Option<&ParquetSchema>,
    ) -> Vec<LeafRow> {
        let mut rows = Vec::new();
        let mut node_number: i64 = 0;
        for (position, column) in columns.iter().enumerate() {
            let leaves = column.column_type.leaves();
            let places = schema.map(|schema| schema.leaf_places(position, &leaves));
            for (index, leaf) in leaves.into_iter().enumerate() {
                let pre_order = node_number + i64::try_from(leaf.node_number).unwrap_or(i64::MAX);
                let place = places.as_ref().and_then(|places| places.get(index));
                let has_ids = schema.is_some_and(ParquetSchema::has_field_ids);
                let path = std::iter::once(column.name.as_str())
                    .chain(leaf.path.iter().map(String::as_str));
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

    /// Keeps the leaves that `columns` asks for, and gives the scan the columns that hold them.
    fn select_columns(&mut self, scan: &mut Scan, columns: &[SourceColumn], leaves: Vec<LeafRow>) {
        let mut positions: HashMap<usize, usize> = HashMap::new();
        for mut leaf in leaves {
            let Some(column) = columns.get(leaf.column_position) else { continue };
            if !self.is_asked_for(&column.name, &leaf.column_name) {
                continue;
            }
            let next = positions.len() + 1;
            leaf.column_position = *positions.entry(leaf.column_position).or_insert_with(|| {
                scan.columns.push(column.expression());
                next
            });
            self.leaves.push(leaf);
        }
        self.column_names.extend(columns.iter().map(|column| column.name.clone()));
        scan.file_column = unused_name(columns);
        self.scans.push(scan.clone());
    }

    /// `columns` may name a column of the file, or a leaf or any part of one as `column_name` writes it.
    fn is_asked_for(&mut self, column: &str, leaf: &str) -> bool {
        let Some(asked) = &self.options.columns else { return true };
        let mut is_asked = false;
        for (name, met) in asked.iter().zip(&mut self.met) {
            let is_part = leaf.len() > name.len()
                && leaf.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
                && leaf.get(name.len()..).is_some_and(|rest| rest.starts_with('.'));
            if name.eq_ignore_ascii_case(column) || name.eq_ignore_ascii_case(leaf) || is_part {
                *met = true;
                is_asked = true;
            }
        }
        is_asked
    }

    fn finish(self, files: &[String]) -> Result<String> {
        for (name, met) in self.options.columns.iter().flatten().zip(&self.met) {
            if !met {
                return Err(Error::new(format!(
                    "column '{name}' is in none of the files; the columns are {}",
                    shortened(&self.column_names)
                )));
            }
        }
        let files = files
            .iter()
            .filter_map(|name| {
                let schema = *self.schema_of_file.get(name)?;
                Some(File { name: name.clone(), schema })
            })
            .collect();
        let statement = FileStatement {
            files,
            leaves: self.leaves,
            scans: self.scans,
            parquet_files: self.parquet_files,
            max_bound_bytes: self.options.max_bound_bytes,
            table_id: self.options.table_id,
            first_data_file_id: self.options.first_data_file_id,
        };
        Ok(statement.compose())
    }
}

/// The keys of hive partition directories (`key=value`) in the paths.
fn partition_keys(files: &[String]) -> Vec<&str> {
    let mut keys: Vec<&str> = files
        .iter()
        .filter_map(|file| file.rsplit_once(['/', '\\']).map(|(directory, _)| directory))
        .flat_map(|directory| directory.split(['/', '\\']))
        .filter_map(|part| part.split_once('=').map(|(key, _)| key))
        .collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Whether the C API tells less about the type than DESCRIBE does.
fn needs_description(column_type: &ColumnType) -> bool {
    matches!(column_type, ColumnType::Opaque(_) | ColumnType::Geometry)
}

/// Takes over the type names of flat columns whose own name is not complete.
fn describe(columns: &mut [SourceColumn], source: &str, session: &Session) -> Result<()> {
    let mut names = Vec::new();
    session.query(&format!("FROM (DESCRIBE SELECT * FROM {source})"))?.for_each(|row| {
        names.push(row.text(1).unwrap_or_default().to_owned());
        Ok(())
    })?;
    for (column, name) in columns.iter_mut().zip(names) {
        match &column.column_type {
            ColumnType::Opaque(_) => column.column_type = ColumnType::Opaque(name.into()),
            ColumnType::Geometry if name != "GEOMETRY" => {
                column.column_type = ColumnType::Alias(name.into(), ColumnType::Geometry.into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// A name for the reader's file column that none of the columns has.
fn unused_name(columns: &[SourceColumn]) -> String {
    let mut name = String::from("colstats_file_name");
    while columns.iter().any(|column| column.name.eq_ignore_ascii_case(&name)) {
        name.push('_');
    }
    name
}

fn shortened(names: &[String]) -> String {
    let mut distinct: Vec<&String> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    let shown: Vec<String> = distinct.iter().take(20).map(|name| identifier(name)).collect();
    let rest = distinct.len().saturating_sub(shown.len());
    if rest > 0 { format!("{} and {rest} more", shown.join(", ")) } else { shown.join(", ") }
}
