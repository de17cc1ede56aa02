//! The statement behind `parquet_stats_audit`: the footers of some files, row group by row group, beside the
//! truth from one scan; a row per statistic that is wrong.
//!
//! The scan must not make use of the footers under audit. It has no filter, and all it computes is an
//! aggregate of ours, which DuckDB cannot answer from statistics.

use crate::output::parquet::findings::{FooterFinding, FooterStatistic};
use crate::sql::bound_order::{footer_sign, text_key};
use crate::sql::file::statement::{File, Scan, path_list};
use crate::sql::per_leaf::{file_rows, per_leaf};
use crate::sql::quote::{as_bytes, identifier};
use crate::sql::rows::{union_all, values};
use colstats_core::query::{NamedValues, Query};
use colstats_core::value::Literal;

/// A leaf of every file of a schema, stored in one column chunk per row group.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditLeaf {
    pub schema: usize,
    /// Which of the scan's columns holds it, and which of that column's leaves it is; from 1.
    pub column_position: usize,
    pub leaf_position: usize,
    pub chunk: usize,
    pub column_name: String,
    pub column_type: String,
    /// What its values are ordered as; `None` where Parquet has no order for them.
    pub order_type: Option<String>,
}

/// One pass over some files.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditScan {
    pub schema: usize,
    pub scan: Scan,
    /// A name for the number of a row, where a column has taken the name of DuckDB's own. Rows are then
    /// counted, and there is one file only.
    pub counter: Option<String>,
    /// The row group of a row, as an expression.
    pub row_group: String,
}

/// DuckDB's own column for the number of a row in its file.
pub const ROW_NUMBER: &str = "file_row_number";

/// The columns of `parquet_metadata` that not all versions of DuckDB have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FooterColumns {
    pub has_geometry: bool,
    pub has_nan_count: bool,
}

/// All that the statement is composed of.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditStatement {
    pub files: Vec<File>,
    pub leaves: Vec<AuditLeaf>,
    pub scans: Vec<AuditScan>,
    pub footer_columns: FooterColumns,
}

/// A box as `parquet_metadata` prints it.
pub const BOX_TYPE: &str = "STRUCT(xmin DOUBLE, xmax DOUBLE, ymin DOUBLE, ymax DOUBLE, \
                            zmin DOUBLE, zmax DOUBLE, mmin DOUBLE, mmax DOUBLE)";

/// Each statistic with the footer's text, the true one's, and when it is wrong. The names are those of
/// [`crate::output::parquet::findings`].
const CHECKS: [[&str; 4]; 11] = [
    [
        "num_values",
        "num_values",
        "value_count + null_count",
        "num_values <> value_count + null_count",
    ],
    ["null_count", "stats_null_count", "null_count", "stats_null_count <> null_count"],
    ["nan_count", "stats_nan_count", "nan_count", "stats_nan_count <> nan_count"],
    [
        "min",
        "stats_min_value",
        "true_min",
        "min_sign > 0 OR (stats_min_value IS NOT NULL AND is_void)",
    ],
    [
        "max",
        "stats_max_value",
        "true_max",
        "max_sign < 0 OR (stats_max_value IS NOT NULL AND is_void)",
    ],
    [
        "deprecated_min",
        "stats_min",
        "true_min",
        "old_min_sign > 0 OR (stats_min IS NOT NULL AND is_void)",
    ],
    [
        "deprecated_max",
        "stats_max",
        "true_max",
        "old_max_sign < 0 OR (stats_max IS NOT NULL AND is_void)",
    ],
    ["min_is_exact", "stats_min_value", "true_min", "min_is_exact AND min_sign < 0"],
    ["max_is_exact", "stats_max_value", "true_max", "max_is_exact AND max_sign > 0"],
    ["bbox", "geo_bbox", "true_box", "is_outside OR is_wrapped"],
    [
        "geo_types",
        "geo_types",
        "true_types",
        "len(geo_types) > 0 AND NOT list_has_all(geo_types, true_types)",
    ],
];

impl AuditScan {
    /// The number of a row in its file.
    pub fn row_number(&self) -> &str {
        self.counter.as_deref().unwrap_or(ROW_NUMBER)
    }

    /// What is selected from: the rows of `files`, which are all or some of the scan's.
    pub fn source(&self, files: Vec<String>) -> String {
        let file_column = (String::from("filename"), Literal::Text(self.scan.file_column.clone()));
        let rows = Scan { files, ..self.scan.clone() }.source(&[file_column]);
        match &self.counter {
            None => rows,
            Some(name) => {
                format!("(SELECT row_number() OVER () - 1 AS {}, * FROM {rows})", identifier(name))
            }
        }
    }

    /// The columns over one of the files, and none of their values.
    pub fn probe(&self, file: &str) -> String {
        let source = self.source(vec![file.to_owned()]);
        format!("SELECT {} FROM {source} LIMIT 0", self.scan.columns.join(", "))
    }

    fn statement(&self) -> String {
        let columns = self.scan.columns.iter();
        let stats: Vec<String> =
            columns.map(|column| format!("exact_column_stats({column})")).collect();
        format!(
            "SELECT {file} AS file_name, CAST({row_group} AS BIGINT) AS row_group_id, [{stats}] AS stats \
             FROM {source} GROUP BY 1, 2",
            file = as_bytes(&identifier(&self.scan.file_column)),
            row_group = self.row_group,
            stats = stats.join(", "),
            source = self.source(self.scan.files.clone()),
        )
    }
}

impl AuditStatement {
    /// What is wrong.
    pub fn findings(&self) -> Query<Option<FooterFinding>> {
        Query::new(self.compose(), finding)
    }

    fn compose(&self) -> String {
        let is_wrong: Vec<String> = CHECKS.map(|[_, _, _, check]| format!("({check})")).to_vec();
        format!(
            "WITH files AS ({files}), \
             leaves(schema_number, leaf_number, column_position, leaf_position, chunk, type_number) AS ({leaves}), \
             scanned AS ({scans}), {per_leaf}, \
             footers AS ({footers}), \
             compared AS (SELECT *, {signs}, {outside} AS is_outside, {wrapped} AS is_wrapped, \
             type_number IS NOT NULL AND value_count = coalesce(nan_count, 0) AS is_void FROM footers) \
             SELECT CAST(file_number AS BIGINT) AS file_number, CAST(leaf_number AS BIGINT) AS leaf_number, \
             row_group_id, found.statistic AS statistic, found.footer_value AS footer_value, \
             found.true_value AS true_value, value_count, null_count, \
             CASE found.statistic WHEN 'deprecated_min' THEN stats_min_value IS NOT NULL \
             WHEN 'deprecated_max' THEN stats_max_value IS NOT NULL ELSE false END AS has_successor, \
             is_int96, stats_null_count >= num_values AS claims_null, \
             found.statistic = 'bbox' AND is_wrapped AND NOT is_outside AS needs_proof \
             FROM (SELECT *, unnest([{checks}]) AS found FROM compared WHERE {any}) WHERE found.is_wrong",
            files = file_rows(&self.files, 0, &[]),
            leaves = self.leaf_values(),
            scans = self.scan_union(),
            per_leaf = per_leaf("file_name, row_group_id", "scanned"),
            footers = self.footers(),
            signs = self.signs(),
            outside = is_outside("geo_bbox", "true_box"),
            wrapped = "value_count > 0 AND coalesce(geo_bbox.xmin > geo_bbox.xmax AND NOT isnan(geo_bbox.xmin), false)",
            checks = CHECKS.map(check_struct).join(", "),
            any = is_wrong.join(" OR "),
        )
    }

    /// The types in which bounds are compared.
    fn order_types(&self) -> Vec<&str> {
        let mut types: Vec<&str> =
            self.leaves.iter().filter_map(|leaf| leaf.order_type.as_deref()).collect();
        types.sort_unstable();
        types.dedup();
        types
    }

    fn leaf_values(&self) -> String {
        if self.leaves.is_empty() {
            return "SELECT 0, 0, 0, 0, 0, 0 WHERE false".into();
        }
        let types = self.order_types();
        let rows = self.leaves.iter().enumerate().map(|(number, leaf)| {
            let order_type = leaf.order_type.as_deref();
            let type_number = order_type.and_then(|name| types.binary_search(&name).ok());
            format!(
                "({}, {number}, {}, {}, {}, {})",
                leaf.schema,
                leaf.column_position,
                leaf.leaf_position,
                leaf.chunk,
                type_number.map_or("NULL".into(), |number| number.to_string()),
            )
        });
        values(rows)
    }

    fn scan_union(&self) -> String {
        union_all(self.scans.iter().map(AuditScan::statement).collect()).unwrap_or(
            "SELECT '' AS file_name, 0::BIGINT AS row_group_id, [exact_column_stats(0)] AS stats LIMIT 0"
                .into(),
        )
    }

    /// One row per column chunk with what the footer says and what the scan found. A row group without rows
    /// is not found.
    fn footers(&self) -> String {
        let FooterColumns { has_geometry, has_nan_count } = self.footer_columns;
        let files: Vec<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
        format!(
            "SELECT files.file_number, leaves.leaf_number, leaves.type_number, footer.row_group_id, \
             footer.type = 'INT96' AS is_int96, footer.num_values, footer.stats_null_count, \
             footer.stats_min, footer.stats_max, footer.stats_min_value, footer.stats_max_value, \
             footer.min_is_exact, footer.max_is_exact, {nan_count} AS stats_nan_count, \
             {geo_bbox} AS geo_bbox, {geo_types} AS geo_types, \
             coalesce(per_leaf.leaf.value_count, 0) AS value_count, \
             coalesce(per_leaf.leaf.null_count, 0) AS null_count, per_leaf.leaf.nan_count AS nan_count, \
             per_leaf.leaf.min_value AS true_min, per_leaf.leaf.max_value AS true_max, \
             per_leaf.leaf.box AS true_box, per_leaf.leaf.geometry_types AS true_types \
             FROM parquet_metadata({paths}) AS footer \
             JOIN files ON {file} = footer.file_name \
             JOIN leaves ON leaves.schema_number = files.schema_number AND leaves.chunk = footer.column_id \
             LEFT JOIN per_leaf ON per_leaf.file_name = footer.file_name \
             AND per_leaf.row_group_id = footer.row_group_id \
             AND per_leaf.column_position = leaves.column_position \
             AND per_leaf.leaf_position = leaves.leaf_position",
            nan_count =
                if has_nan_count { "footer.stats_nan_count" } else { "CAST(NULL AS BIGINT)" },
            geo_bbox = if has_geometry {
                "footer.geo_bbox".into()
            } else {
                format!("CAST(NULL AS {BOX_TYPE})")
            },
            geo_types = if has_geometry { "footer.geo_types" } else { "CAST(NULL AS VARCHAR[])" },
            file = as_bytes("files.file_name"),
            paths = path_list(&files),
        )
    }

    fn signs(&self) -> String {
        let types = self.order_types();
        let pairs = [
            ("min_sign", "stats_min_value", "true_min"),
            ("max_sign", "stats_max_value", "true_max"),
            ("old_min_sign", "stats_min", "true_min"),
            ("old_max_sign", "stats_max", "true_max"),
        ];
        let signs = pairs.map(|(name, footer_text, true_text)| {
            let branch = |(number, order_type): (usize, &&str)| {
                let sign = footer_sign(order_type, footer_text, &text_key(order_type, true_text));
                format!(" WHEN {number} THEN {sign}")
            };
            let branches: String = types.iter().enumerate().map(branch).collect();
            if branches.is_empty() {
                format!("CAST(NULL AS INTEGER) AS {name}")
            } else {
                format!("CASE type_number{branches} END AS {name}")
            }
        });
        signs.join(", ")
    }
}

fn finding(row: &dyn NamedValues) -> Option<FooterFinding> {
    let number = |column| row.integer(column).and_then(|number| usize::try_from(number).ok());
    Some(FooterFinding {
        file_number: number("file_number")?,
        leaf_number: number("leaf_number")?,
        row_group_id: row.integer("row_group_id")?,
        statistic: FooterStatistic::named(row.text("statistic")?)?,
        footer_value: row.owned_text("footer_value"),
        true_value: row.owned_text("true_value"),
        value_count: row.integer("value_count").unwrap_or(0),
        null_count: row.integer("null_count").unwrap_or(0),
        has_successor: row.flag("has_successor") == Some(true),
        is_int96: row.flag("is_int96") == Some(true),
        claims_null: row.flag("claims_null") == Some(true),
        needs_proof: row.flag("needs_proof") == Some(true),
    })
}

fn check_struct([statistic, footer_value, true_value, is_wrong]: [&str; 4]) -> String {
    let true_value = if statistic == "bbox" { box_struct(true_value) } else { true_value.into() };
    format!(
        "{{'statistic': '{statistic}', 'footer_value': CAST({footer_value} AS VARCHAR), \
         'true_value': CAST({true_value} AS VARCHAR), 'is_wrong': coalesce({is_wrong}, false)}}"
    )
}

/// A box of `exact_column_stats` in the form of `parquet_metadata`.
fn box_struct(ordinates: &str) -> String {
    let names = ["xmin", "xmax", "ymin", "ymax", "zmin", "zmax", "mmin", "mmax"];
    let fields = (1..).zip(names).map(|(index, name)| format!("'{name}': {ordinates}[{index}]"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
}

/// Whether geometries lie out of the footer's box. A box may be open: an ordinate that is NULL or NaN claims
/// nothing. One with `xmin > xmax` goes around the antimeridian: it is wrong if an end of the data lies in
/// its gap; whether a vertex between the ends does is for the second look.
pub fn is_outside(footer: &str, ordinates: &str) -> String {
    let is_above = |bound: &str, index: usize| {
        format!("({ordinates}[{index}] > {footer}.{bound} AND NOT isnan({footer}.{bound}))")
    };
    let is_below = |bound: &str, index: usize| {
        format!("({ordinates}[{index}] < {footer}.{bound} AND NOT isnan({footer}.{bound}))")
    };
    let in_gap = |index| format!("({} AND {})", is_above("xmax", index), is_below("xmin", index));
    let mut outside = vec![format!(
        "CASE WHEN {footer}.xmin > {footer}.xmax AND NOT isnan({footer}.xmin) THEN {} OR {} ELSE {} OR {} END",
        in_gap(1),
        in_gap(2),
        is_below("xmin", 1),
        is_above("xmax", 2),
    )];
    for (axis, index) in [("y", 3), ("z", 5), ("m", 7)] {
        outside.push(is_below(&format!("{axis}min"), index));
        outside.push(is_above(&format!("{axis}max"), index + 1));
    }
    let parts: Vec<String> =
        outside.iter().map(|part| format!("coalesce({part}, false)")).collect();
    format!("({})", parts.join(" OR "))
}
