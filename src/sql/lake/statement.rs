//! The statement behind the DuckLake functions: one pass over the data files of a lake (and its inlined
//! rows) gives `computed`, the true statistics by file and column; the functions select from it.
//!
//! What the catalogue says of files and columns stands in the text as VALUES. Files that share a table, a
//! name mapping and a schema are one group and one scan.

use std::collections::{HashMap, HashSet};

use crate::output::ducklake::lake_type::{BoundRule, LakeType, Place};
use crate::sql::bound_order::OrderTypes;
use crate::sql::file::statement::{FileSizes, FooterStats, LeafRow, leaf_bytes};
use crate::sql::quote::{identifier, long_text_list, text};
use crate::sql::rows::{union_all, values};

/// A leaf column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeColumn {
    pub table_id: i64,
    pub column_id: i64,
    pub schema_name: String,
    pub table_name: String,
    pub column_name: String,
    pub lake_type: LakeType,
    pub type_name: String,
    pub place: Place,
    /// No row of the table was ever deleted.
    pub has_all_rows: bool,
}

/// A data file, or the inlined rows of one version of a table, which have neither id nor name.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeFile {
    pub group: usize,
    pub table_id: i64,
    pub data_file_id: Option<i64>,
    pub name: String,
    pub record_count: Option<i64>,
    pub is_current: bool,
}

/// One pass over the files of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeScan {
    pub group: usize,
    /// What is selected from.
    pub source: String,
    /// The column that holds the file's name; `None` for inlined rows.
    pub file_column: Option<String>,
    /// The expressions to aggregate.
    pub columns: Vec<String>,
}

/// A column that has one value in all rows of a file, and that value is not in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeConstant {
    pub of: ConstantOf,
    pub column_id: i64,
    /// The value as an SQL expression.
    pub value: String,
    pub lake_type: LakeType,
}

/// Whose value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstantOf {
    /// The partition of one file.
    Partition { data_file_id: i64 },
    /// What a column holds in all files of a group that are older than it.
    Default { group: usize },
}

/// All that the statement is composed of.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeStatement {
    pub files: Vec<LakeFile>,
    pub columns: Vec<LakeColumn>,
    pub leaves: Vec<LeafRow>,
    pub scans: Vec<LakeScan>,
    pub constants: Vec<LakeConstant>,
    /// Groups and columns that the reader may fill in where the files do not hold them: they count for the table, and
    /// are no rows of the files.
    pub filled_in: HashSet<(usize, i64)>,
    /// Tables and columns of which nothing is said: a value of theirs is another one in another session.
    pub uncertain: HashSet<(i64, i64)>,
    pub footer_stats: Vec<FooterStats>,
    /// By file, where they are wanted and known.
    pub sizes: HashMap<String, FileSizes>,
    /// The files that DuckDB's `parquet_metadata` must not meet, each with the column that makes it so.
    pub unlisted: HashMap<String, String>,
    pub max_bound_bytes: Option<i64>,
}

impl LakeStatement {
    /// `WITH`, and the common tables up to `computed`: by file (`data_file_id` NULL for inlined rows) and
    /// column `column_size_bytes`, `value_count`, `null_count`, `min_value`, `max_value` (as DuckLake takes them
    /// for a file), `exact_min`, `exact_max`, `contains_nan`, `extra_stats`; and `lake_columns`. Also the
    /// types in which bounds are compared, by `lake_columns.order_number`.
    pub fn computed(&self) -> (String, OrderTypes) {
        let mut order_types = OrderTypes::default();
        let text = format!(
            "WITH lake_columns(table_id, column_id, schema_name, table_name, column_name, column_type, \
             lake_type, place, has_all_rows, order_number, bound_rule, is_floating) AS ({columns}), \
             lake_files(group_number, table_id, data_file_id, file_name, record_count, is_current) AS \
             ({files}), \
             lake_leaves(group_number, leaf_number, column_position, leaf_position, column_id, \
             is_filled_in, empty_extra_stats, is_whole) AS ({leaves}), \
             scanned AS ({scans}), \
             per_column AS (SELECT group_number, file_name, unnest(stats) AS column_leaves, \
             generate_subscripts(stats, 1) AS column_position FROM scanned), \
             per_leaf AS (SELECT group_number, file_name, column_position, unnest(column_leaves) AS leaf, \
             generate_subscripts(column_leaves, 1) AS leaf_position FROM per_column), \
             sizes AS ({sizes}), \
             footers(file_name, leaf_number, extra_stats) AS ({footers}), \
             found AS ({found} UNION ALL {partitions} UNION ALL {defaults}), \
             computed AS MATERIALIZED (SELECT found.*, {min_value} AS min_value, {max_value} AS max_value, \
             {exact_min} AS exact_min, {exact_max} AS exact_max, \
             CASE WHEN is_floating THEN coalesce(found_nan, false) END AS contains_nan \
             FROM found JOIN lake_columns USING (table_id, column_id)) ",
            columns = self.column_values(&mut order_types),
            files = self.file_values(),
            leaves = self.leaf_values(),
            scans = self.scan_union(),
            sizes = self.size_rows(),
            footers = self.footer_values(),
            found = FOUND_IN_FILES,
            partitions = self.constant_rows(true),
            defaults = self.constant_rows(false),
            min_value = bound("found_min", "floor", "-infinity"),
            max_value = bound("found_max", "ceil", "infinity"),
            exact_min = exact("found_min", "floor", "-infinity"),
            exact_max = exact("found_max", "ceil", "infinity"),
        );
        (text, order_types)
    }

    fn column_values(&self, order_types: &mut OrderTypes) -> String {
        let is_certain =
            |column: &&LakeColumn| !self.uncertain.contains(&(column.table_id, column.column_id));
        let rows = self.columns.iter().filter(is_certain).map(|column| {
            let order_number =
                column.lake_type.order_type().map(|order| order_types.number(&order));
            format!(
                "({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})",
                column.table_id,
                column.column_id,
                text(&column.schema_name),
                text(&column.table_name),
                text(&column.column_name),
                text(&column.type_name),
                text(column.lake_type.name()),
                place_number(column.place),
                column.has_all_rows,
                order_number.map_or("NULL".into(), |number| number.to_string()),
                rule_number(column.lake_type.bound_rule()),
                column.lake_type.is_floating(),
            )
        });
        values_or_none(rows, "0, 0, '', '', '', '', '', 0, false, 0, 0, false")
    }

    /// The files, column by column: thousands of rows of constants take a second to parse.
    fn file_values(&self) -> String {
        let number = |value: Option<i64>| value.map_or(String::new(), |value| value.to_string());
        // The cast is for a lake without files.
        let column = |value: &dyn Fn(&LakeFile) -> String| -> String {
            let list = long_text_list(&self.files.iter().map(value).collect::<Vec<_>>());
            format!("CAST({list} AS VARCHAR[])")
        };
        format!(
            "SELECT CAST(group_number AS BIGINT), CAST(table_id AS BIGINT), TRY_CAST(data_file_id AS BIGINT), \
             file_name, TRY_CAST(record_count AS BIGINT), is_current = 't' FROM (SELECT \
             unnest({groups}) AS group_number, unnest({tables}) AS table_id, unnest({ids}) AS data_file_id, \
             unnest({names}) AS file_name, unnest({counts}) AS record_count, unnest({current}) AS is_current)",
            groups = column(&|file| file.group.to_string()),
            tables = column(&|file| file.table_id.to_string()),
            ids = column(&|file| number(file.data_file_id)),
            names = column(&|file| file.name.clone()),
            counts = column(&|file| number(file.record_count)),
            current = column(&|file| String::from(if file.is_current { "t" } else { "f" })),
        )
    }

    fn leaf_values(&self) -> String {
        let rows = self.leaves.iter().enumerate().map(|(number, leaf)| {
            format!(
                "({}, {number}, {}, {}, {}, {}, {}, {})",
                leaf.schema,
                leaf.column_position,
                leaf.leaf_position,
                leaf.column_id.map_or("NULL".into(), |id| id.to_string()),
                leaf.column_id.is_some_and(|id| self.filled_in.contains(&(leaf.schema, id))),
                leaf.empty_extra_stats.as_deref().map_or("CAST(NULL AS VARCHAR)".into(), text),
                !["FLOAT", "DOUBLE"].contains(&leaf.column_type.as_str()),
            )
        });
        values_or_none(rows, "0, 0, 0, 0, 0, false, '', false")
    }

    fn footer_values(&self) -> String {
        let rows = self.footer_stats.iter().map(|stats| {
            let (file, extra_stats) = (text(&stats.file_name), text(&stats.extra_stats));
            format!("({file}, {}, {extra_stats})", stats.leaf_number)
        });
        values_or_none(rows, "'', 0, ''")
    }

    fn scan_union(&self) -> String {
        let limit = self.max_bound_bytes.map_or(String::new(), |bytes| format!(", {bytes}"));
        let scans = self.scans.iter().filter(|scan| !scan.columns.is_empty()).map(|scan| {
            let column = |column: &String| format!("column_stats({column}{limit})");
            let stats: Vec<String> = scan.columns.iter().map(column).collect();
            let file = scan.file_column.as_deref().map(identifier);
            format!(
                "SELECT {group} AS group_number, {file} AS file_name, [{stats}] AS stats FROM {source}{by}",
                group = scan.group,
                file = file.as_deref().unwrap_or("''"),
                stats = stats.join(", "),
                source = scan.source,
                by = file.as_ref().map_or(String::new(), |file| format!(" GROUP BY {file}")),
            )
        });
        union_all(scans.collect()).unwrap_or(
            "SELECT 0 AS group_number, '' AS file_name, [column_stats(0)] AS stats LIMIT 0".into(),
        )
    }

    /// Compressed bytes of each leaf of each file, over its row groups and chunks: data file, leaf, bytes.
    pub fn leaf_sizes(&self) -> Vec<(i64, usize, i64)> {
        let mut leaves_of_group: HashMap<usize, Vec<(usize, &[usize])>> = HashMap::new();
        for (number, leaf) in self.leaves.iter().enumerate() {
            if let Some(chunks) = leaf.chunks.as_deref().filter(|chunks| !chunks.is_empty()) {
                leaves_of_group.entry(leaf.schema).or_default().push((number, chunks));
            }
        }
        let mut sizes = Vec::new();
        for file in &self.files {
            let known = self.sizes.get(&file.name).and_then(|known| known.chunk_bytes.as_deref());
            let (Some(id), Some(chunk_bytes)) = (file.data_file_id, known) else { continue };
            for (number, chunks) in leaves_of_group.get(&file.group).into_iter().flatten() {
                sizes.push((id, *number, leaf_bytes(chunk_bytes, chunks)));
            }
        }
        sizes
    }

    fn size_rows(&self) -> String {
        let sizes = self.leaf_sizes();
        let column = |value: &dyn Fn(&(i64, usize, i64)) -> String| -> String {
            long_text_list(&sizes.iter().map(value).collect::<Vec<_>>())
        };
        format!(
            "SELECT unnest(CAST({} AS BIGINT[])) AS data_file_id, unnest(CAST({} AS INTEGER[])) AS leaf_number, \
             unnest(CAST({} AS BIGINT[])) AS size_bytes",
            column(&|(data_file_id, _, _)| data_file_id.to_string()),
            column(&|(_, leaf_number, _)| leaf_number.to_string()),
            column(&|(_, _, bytes)| bytes.to_string()),
        )
    }

    /// The rows of columns whose values are not in the files: of partitions, or of columns younger than a
    /// file.
    fn constant_rows(&self, of_partitions: bool) -> String {
        let mut by_type: Vec<(&LakeType, Vec<String>)> = Vec::new();
        for constant in &self.constants {
            let owner = match constant.of {
                ConstantOf::Partition { data_file_id } if of_partitions => data_file_id.to_string(),
                ConstantOf::Default { group } if !of_partitions => group.to_string(),
                _ => continue,
            };
            let row = format!("({owner}, {}, {})", constant.column_id, constant.value);
            match by_type.iter_mut().find(|(known, _)| **known == constant.lake_type) {
                Some((_, rows)) => rows.push(row),
                None => by_type.push((&constant.lake_type, vec![row])),
            }
        }
        let selects = by_type.into_iter().map(|(lake_type, rows)| {
            let own = lake_type.constant_type();
            let scan_type = lake_type.scan_type(of_partitions).unwrap_or_else(|| own.clone());
            format!(
                "SELECT owner, column_id, column_stats(CAST(CAST(value AS {own}) AS {scan_type})) AS stats \
                 FROM (VALUES {}) AS constants(owner, column_id, value) GROUP BY owner, column_id",
                rows.join(", ")
            )
        });
        let constants = union_all(selects.collect()).unwrap_or(
            "SELECT 0 AS owner, 0 AS column_id, [column_stats(0)][1] AS stats LIMIT 0".into(),
        );
        let owner = if of_partitions { "data_file_id" } else { "group_number" };
        let size = if of_partitions { "0" } else { "NULL" };
        format!(
            "SELECT f.data_file_id, f.table_id, CAST(k.column_id AS BIGINT), f.file_name, f.is_current, \
             {is_default}, CAST({size} AS BIGINT), f.record_count * k.stats[1].value_count, \
             f.record_count * k.stats[1].null_count, k.stats[1].min_value, k.stats[1].max_value, \
             k.stats[1].contains_nan, k.stats[1].extra_stats, {of_partitions} \
             FROM lake_files f JOIN ({constants}) k ON k.owner = f.{owner} WHERE f.record_count > 0",
            is_default = !of_partitions,
        )
    }
}

/// What the scans found, a row for every leaf of every file.
const FOUND_IN_FILES: &str = "SELECT f.data_file_id, CAST(f.table_id AS BIGINT) AS table_id, \
    CAST(l.column_id AS BIGINT) AS column_id, f.file_name, f.is_current, l.is_filled_in AS is_default, \
    sizes.size_bytes AS column_size_bytes, \
    CASE WHEN p.leaf IS NULL AND f.record_count > 0 \
    THEN error(CASE WHEN f.data_file_id IS NULL THEN 'inlined rows of table ' ELSE 'data file ' || f.file_name \
    || ' of table ' END || f.table_id || ': the scan has no rows, but the catalogue says ' || f.record_count) \
    ELSE coalesce(p.leaf.value_count, 0) END AS value_count, \
    coalesce(p.leaf.null_count, 0) AS null_count, p.leaf.min_value AS found_min, \
    p.leaf.max_value AS found_max, p.leaf.contains_nan AS found_nan, \
    coalesce(footers.extra_stats, p.leaf.extra_stats, \
    CASE WHEN p.leaf IS NULL THEN l.empty_extra_stats END) AS extra_stats, l.is_whole \
    FROM lake_files f JOIN lake_leaves l USING (group_number) \
    LEFT JOIN per_leaf p USING (group_number, file_name, column_position, leaf_position) \
    LEFT JOIN sizes USING (data_file_id, leaf_number) \
    LEFT JOIN footers USING (file_name, leaf_number)";

fn place_number(place: Place) -> u8 {
    match place {
        Place::TopLevel => 0,
        Place::StructPart => 1,
        Place::ListPart => 2,
        Place::MapPart => 3,
    }
}

/// The place with this number.
pub(super) fn place_of(number: i64) -> Place {
    match number {
        0 => Place::TopLevel,
        1 => Place::StructPart,
        2 => Place::ListPart,
        _ => Place::MapPart,
    }
}

fn rule_number(rule: BoundRule) -> u8 {
    match rule {
        BoundRule::Plain => 0,
        BoundRule::Float => 1,
        BoundRule::SignedDouble => 2,
        BoundRule::UnsignedDouble => 3,
    }
}

/// A bound as a file has it (see [`BoundRule`]); none where the catalogue should hold none.
fn bound(found: &str, rounding: &str, outward: &str) -> String {
    let float = format!("TRY_CAST({found} AS FLOAT)");
    format!(
        "CASE WHEN {found} IS NULL OR order_number IS NULL THEN NULL WHEN {RULE} = 0 THEN {found} \
         WHEN {RULE} = 1 AND contains(CAST({float} AS VARCHAR), 'e') \
         THEN CAST(nextafter({float}, CAST('{outward}' AS FLOAT)) AS VARCHAR) \
         WHEN {RULE} = 1 THEN CAST({float} AS VARCHAR) ELSE {} END",
        whole_number(&neighbour(found, outward), rounding)
    )
}

/// A bound as the table has it: a value of the column's type. Only doubles that several whole numbers are
/// rounded to are moved out.
fn exact(found: &str, rounding: &str, outward: &str) -> String {
    let double = format!("TRY_CAST({found} AS DOUBLE)");
    let moved = format!(
        "CASE WHEN abs({double}) < {EXACT_WHOLE_NUMBERS} THEN {double} ELSE {} END",
        neighbour(found, outward)
    );
    format!(
        "CASE WHEN {found} IS NULL THEN NULL WHEN {RULE} = 0 THEN {found} \
         WHEN {RULE} = 1 THEN CAST(TRY_CAST({found} AS FLOAT) AS VARCHAR) ELSE {} END",
        whole_number(&moved, rounding)
    )
}

/// The rule for a bound. Inlined rows, promoted whole numbers and partitions hold HUGEINT as it is.
const RULE: &str =
    "(CASE WHEN (data_file_id IS NULL OR is_whole) AND bound_rule > 1 THEN 0 ELSE bound_rule END)";

/// 2^53: up to here every whole number is a double of its own.
const EXACT_WHOLE_NUMBERS: &str = "9007199254740992";

fn neighbour(found: &str, outward: &str) -> String {
    format!("nextafter(TRY_CAST({found} AS DOUBLE), CAST('{outward}' AS DOUBLE))")
}

fn whole_number(double: &str, rounding: &str) -> String {
    format!(
        "CASE WHEN {RULE} = 2 THEN CAST(TRY_CAST({rounding}({double}) AS HUGEINT) AS VARCHAR) \
         ELSE CAST(TRY_CAST(greatest({rounding}({double}), CAST(0 AS DOUBLE)) AS UHUGEINT) AS VARCHAR) END"
    )
}

/// Rows of constants; where there are none, no row of the types that `example` has.
fn values_or_none(rows: impl Iterator<Item = String>, example: &str) -> String {
    let rows: Vec<String> = rows.collect();
    if rows.is_empty() {
        return format!("SELECT {example} WHERE false");
    }
    values(rows)
}
