//! The table function `parquet_stats_audit(files, ...)`: does every row group's footer bound its data?
//!
//! One scan computes the truth by file, row group and leaf; a statement compares it with the footers. Only
//! what was found wrong is looked at a second time, for the first value that shows it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::ffi::registry::Parameter;
use crate::ffi::session::Session;
use crate::ffi::table::{Answer, TableFunction};
use crate::function::file::column_stats::name_the_file;
use crate::function::file::discovery::plan;
use crate::function::file::options::{FileOptions, Format};
use crate::function::own_session::isolate;
use crate::output::parquet::findings::{FooterFinding, Offence};
use crate::sql::bound_order::{footer_order_type, time_in_utc};
use crate::sql::file::statement::{FileStatement, Scan};
use crate::sql::parquet::audit::{AuditLeaf, AuditScan, AuditStatement, FooterColumns, ROW_NUMBER};
use crate::sql::parquet::footers::{chunk_listing, row_group_sizes, writers};
use crate::sql::parquet::leaf_values::{LeafValues, leaf_values};
use crate::sql::parquet::offending::{OffendingStatement, Wanted};
use crate::sql::parquet::row_groups::RowGroups;
use crate::sql::rows::probe;
use colstats_core::column::column_type::{ColumnType, split_path};
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// `parquet_stats_audit(files VARCHAR or VARCHAR[], columns := VARCHAR[])`: a row per wrong statistic of a
/// column chunk. A healthy file has none. A NULL argument, a pattern that matches nothing, and a file that
/// cannot be read are errors.
pub struct ParquetStatsAudit;

impl TableFunction for ParquetStatsAudit {
    type Bound = FileOptions;

    const NAME: &'static str = "parquet_stats_audit";

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Any]
    }

    fn named_parameters() -> Vec<&'static str> {
        vec!["columns"]
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        vec![
            ("file_name", ColumnType::Varchar),
            ("row_group_id", ColumnType::BigInt),
            ("column_name", ColumnType::Varchar),
            ("column_type", ColumnType::Varchar),
            ("statistic", ColumnType::Varchar),
            ("footer_value", ColumnType::Varchar),
            ("true_value", ColumnType::Varchar),
            ("first_offending_value", ColumnType::Varchar),
            ("first_offending_row", ColumnType::BigInt),
            ("writer", ColumnType::Varchar),
            ("effect", ColumnType::Varchar),
        ]
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<FileOptions> {
        let files = positional.first().ok_or_else(|| Error::new("files is missing"))?;
        let options = FileOptions::new(files, &named)?;
        let (format, hive_partitioning) = (Some(Format::Parquet), Some(false));
        Ok(FileOptions { format, hive_partitioning, has_sizes: false, ..options })
    }

    fn answer(bound: &FileOptions, session: &Session) -> Result<Answer> {
        isolate(session)?;
        Audit::read(bound, session)
            .and_then(|audit| audit.rows(session))
            .map(Answer::from)
            .map_err(|error| name_the_file(bound, session, &error).unwrap_or(error))
    }
}

/// The row in the file, and the value, that first show a statistic wrong.
type Offending = (Option<i64>, Option<String>);

/// What was asked, and what was found.
struct Audit {
    statement: AuditStatement,
    findings: Vec<FooterFinding>,
}

impl Audit {
    fn read(options: &FileOptions, session: &Session) -> Result<Audit> {
        let statement = audit_statement(plan(options, session)?, session)?;
        let mut findings = Vec::new();
        if !statement.leaves.is_empty() {
            findings.extend(session.collect(&statement.findings())?.into_iter().flatten());
        }
        findings.sort_by_key(|f| (f.file_number, f.row_group_id, f.leaf_number, f.statistic));
        Ok(Audit { statement, findings })
    }

    fn rows(&self, session: &Session) -> Result<Vec<Vec<Cell>>> {
        if self.findings.is_empty() {
            return Ok(Vec::new());
        }
        let writers = self.writers(session)?;
        let offences = self.first_offences(session)?;
        let is_proven = |(finding, (row, _)): &(&FooterFinding, Offending)| {
            !finding.needs_proof || row.is_some()
        };
        let found = self.findings.iter().zip(offences).filter(is_proven);
        let rows = found.filter_map(|(finding, (row, value))| {
            let file = &self.statement.files.get(finding.file_number)?.name;
            let leaf = self.statement.leaves.get(finding.leaf_number)?;
            Some(vec![
                Cell::Varchar(file.clone()),
                Cell::BigInt(finding.row_group_id),
                Cell::Varchar(leaf.column_name.clone()),
                Cell::Varchar(leaf.column_type.clone()),
                Cell::Varchar(finding.statistic.name().into()),
                finding.footer_value.clone().into(),
                finding.true_value.clone().into(),
                value.into(),
                row.into(),
                writers.get(file).cloned().into(),
                Cell::Varchar(finding.effect()),
            ])
        });
        Ok(rows.collect())
    }

    /// `created_by` of the files with findings.
    fn writers(&self, session: &Session) -> Result<BTreeMap<String, String>> {
        let numbers: BTreeSet<usize> =
            self.findings.iter().map(|finding| finding.file_number).collect();
        let files: Vec<&str> = numbers
            .iter()
            .filter_map(|number| Some(self.statement.files.get(*number)?.name.as_str()))
            .collect();
        let writers = session.collect(&writers(&files))?.into_iter();
        Ok(writers.filter_map(|writer| Some((writer.file_name, writer.created_by?))).collect())
    }

    /// The second look: some statements for each scan, over the files that have findings.
    fn first_offences(&self, session: &Session) -> Result<Vec<Offending>> {
        let mut found = vec![Offending::default(); self.findings.len()];
        for scan in &self.statement.scans {
            for statement in self.second_look(scan, session)? {
                for first in session.collect(&statement.first_offences())? {
                    if let Some(found) = first.number.and_then(|number| found.get_mut(number)) {
                        *found = (first.row, first.value);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Leaves of one type and one order are looked at together: a TIMETZ of its own is scanned as TIME, and has
    /// an order, while one inside of a nested column is neither.
    fn second_look<'a>(
        &'a self,
        scan: &'a AuditScan,
        session: &Session,
    ) -> Result<Vec<OffendingStatement<'a>>> {
        let wanted = self.wanted_of(scan);
        let Some((first, _)) = wanted.first() else { return Ok(Vec::new()) };
        let typed = session.columns(&scan.probe(first.file_name))?;
        let types: Vec<ColumnType> = typed.into_iter().map(|(_, known)| known).collect();
        let mut by_leaf: BTreeMap<usize, Vec<(Wanted<'a>, Offence)>> = BTreeMap::new();
        for (wanted, offence) in wanted {
            by_leaf.entry(wanted.leaf_number).or_default().push((wanted, offence));
        }
        let mut statements: Vec<OffendingStatement<'a>> = Vec::new();
        let mut open: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        for (number, wanted) in by_leaf {
            let Some(leaf) = self.statement.leaves.get(number) else { continue };
            let Some(values) = values_of(leaf, scan, &types) else { continue };
            let kind = (leaf.column_type.as_str(), leaf.order_type.as_deref());
            let position = open.get(&kind).copied();
            let position = position.filter(|position| {
                statements.get(*position).is_some_and(|s| s.leaves.len() < LEAVES_PER_STATEMENT)
            });
            let position = position.unwrap_or_else(|| {
                statements.push(no_values(leaf, scan));
                open.insert(kind, statements.len() - 1);
                statements.len() - 1
            });
            let Some(statement) = statements.get_mut(position) else { continue };
            statement.leaves.push((number, values.list));
            // An empty or NULL list is an entry that no expression of values shows.
            let visible = wanted
                .into_iter()
                .filter(|(_, offence)| values.is_flat || *offence != Offence::Null)
                .map(|(wanted, _)| wanted);
            statement.wanted.extend(visible);
        }
        statements.retain(|statement| !statement.wanted.is_empty());
        Ok(statements)
    }

    fn wanted_of<'a>(&'a self, scan: &AuditScan) -> Vec<(Wanted<'a>, Offence)> {
        let files: HashSet<&String> = scan.scan.files.iter().collect();
        let wanted = |(number, finding): (usize, &'a FooterFinding)| {
            let file_name = &self.statement.files.get(finding.file_number)?.name;
            let offence = finding.offence().filter(|_| files.contains(file_name))?;
            let wanted = Wanted {
                number,
                leaf_number: finding.leaf_number,
                file_name,
                row_group_id: finding.row_group_id,
                offence: offence.name(),
                footer_value: finding.footer_value.as_deref().unwrap_or_default(),
            };
            Some((wanted, offence))
        };
        self.findings.iter().enumerate().filter_map(wanted).collect()
    }
}

/// Binding a wide file takes longer than reading a column of it, so leaves share statements.
const LEAVES_PER_STATEMENT: usize = 100;

/// A statement for leaves of the type of `leaf`, without any yet.
fn no_values<'a>(leaf: &'a AuditLeaf, scan: &'a AuditScan) -> OffendingStatement<'a> {
    OffendingStatement {
        scan,
        leaves: Vec::new(),
        order_type: leaf.order_type.as_deref(),
        is_floating: ["FLOAT", "DOUBLE"].contains(&leaf.column_type.as_str()),
        is_geometry: leaf.column_type.starts_with("GEOMETRY"),
        wanted: Vec::new(),
    }
}

/// The values of a leaf; `types` are those of the scan's columns.
fn values_of(leaf: &AuditLeaf, scan: &AuditScan, types: &[ColumnType]) -> Option<LeafValues> {
    let position = leaf.column_position.checked_sub(1)?;
    leaf_values(scan.scan.columns.get(position)?, types.get(position)?, leaf.leaf_position)
}

/// The bounds are compared as DuckDB's `parquet_metadata` writes them; one that it cannot write ends the database.
fn check_listed(plan: &FileStatement) -> Result<()> {
    let unlisted = plan.files.iter().find_map(|file| plan.unlisted.get_key_value(&file.name));
    match unlisted {
        Some((file, column)) => Err(Error::new(format!(
            "file '{file}': the footer has bounds for column '{column}' that do not fit its type, or whose type has \
             none (INTERVAL, UNKNOWN), and DuckDB cannot list such a footer; leave the file out, or write it again"
        ))),
        None => Ok(()),
    }
}

/// The audit of all that `file_column_stats` would scan.
fn audit_statement(plan: FileStatement, session: &Session) -> Result<AuditStatement> {
    check_listed(&plan)?;
    let names: Vec<&str> = plan.files.iter().map(|file| file.name.as_str()).collect();
    let row_groups = RowGroups::new(&session.collect(&row_group_sizes(&names))?);
    let mut leaves = Vec::new();
    let mut scans = plan.scans;
    for leaf in plan.leaves {
        // A VARIANT is several chunks, and none of them holds its values; an unknown place has none.
        let Some([chunk]) = leaf.chunks.as_deref() else { continue };
        let mut order_type = footer_order_type(&leaf.column_type).map(str::to_owned);
        // A time with a zone is stored in UTC: there it has the order of TIME.
        let is_top_level = split_path(&leaf.column_name).len() == 1;
        if is_top_level && leaf.column_type == ColumnType::TimeTz.name() {
            let columns = scans.get_mut(leaf.schema).map(|scan| &mut scan.columns);
            if let Some(column) = columns.and_then(|c| c.get_mut(leaf.column_position - 1)) {
                *column = time_in_utc(column);
                order_type = Some("TIME".into());
            }
        }
        leaves.push(AuditLeaf {
            schema: leaf.schema,
            column_position: leaf.column_position,
            leaf_position: leaf.leaf_position,
            chunk: *chunk,
            column_name: leaf.column_name,
            column_type: leaf.column_type,
            order_type,
        });
    }
    let mut audit_scans = Vec::new();
    for (schema, scan) in scans.iter().enumerate().filter(|(_, scan)| !scan.columns.is_empty()) {
        audit_scans.extend(schema_scans(schema, scan, &row_groups, session)?);
    }
    let footer_columns = footer_columns(&names, session)?;
    Ok(AuditStatement { files: plan.files, leaves, scans: audit_scans, footer_columns })
}

/// The scan of a schema's files. Where a column of theirs is called `file_row_number`, DuckDB does not tell
/// the number of a row: then each file is read alone and its rows are counted.
fn schema_scans(
    schema: usize,
    scan: &Scan,
    row_groups: &RowGroups,
    session: &Session,
) -> Result<Vec<AuditScan>> {
    let columns = session.columns(&probe(&scan.source(&[])))?;
    let is_taken = |wanted: &str| columns.iter().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let audit_scan = |scan: Scan, counter: Option<String>| {
        let files: Vec<&str> = scan.files.iter().map(String::as_str).collect();
        let row_number = counter.as_deref().unwrap_or(ROW_NUMBER);
        let row_group = row_groups.expression(&files, &scan.file_column, row_number);
        AuditScan { schema, scan, counter, row_group }
    };
    if !is_taken(ROW_NUMBER) {
        return Ok(vec![audit_scan(scan.clone(), None)]);
    }
    let mut counter = String::from("colstats_row_number");
    while is_taken(&counter) {
        counter.push('_');
    }
    let alone = |file: &String| Scan { files: vec![file.clone()], ..scan.clone() };
    Ok(scan.files.iter().map(|file| audit_scan(alone(file), Some(counter.clone()))).collect())
}

fn footer_columns(files: &[&str], session: &Session) -> Result<FooterColumns> {
    let Some(file) = files.first() else { return Ok(FooterColumns::default()) };
    let columns = session.columns(&probe(&chunk_listing(file)))?;
    let has = |wanted: &str| columns.iter().any(|(name, _)| name == wanted);
    Ok(FooterColumns {
        has_geometry: has("geo_bbox") && has("geo_types"),
        has_nan_count: has("stats_nan_count"),
    })
}
