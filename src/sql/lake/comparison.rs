//! The rows of a catalogue beside the truth: the statement, and what reads a `Comparison` from its columns.

use super::rows::{boxes, merged};
use super::statement::{LakeStatement, place_of};
use super::stored::stored;
use crate::output::ducklake::findings::{BoundOrder, Comparison};
use crate::output::ducklake::lake_type::LakeType;
use crate::output::ducklake::statistics::{
    FILE_STATISTICS, Statistic, Statistics, TABLE_STATISTICS,
};
use crate::sql::bound_order::OrderTypes;
use colstats_core::query::{NamedValues, Query};

/// The two sides, as prefixes of columns.
const STORED: &str = "stored";
const TRUE: &str = "true";

/// Stands beside -1, 0 and 1 for a stored bound that is no value of its type.
const UNREADABLE: i64 = 2;

/// What is known of a column without looking at statistics.
const COLUMN: &str = "p.table_id, p.column_id, c.schema_name, c.table_name, c.column_name, c.lake_type, \
                      CAST(c.place AS BIGINT) AS place, c.has_all_rows, \
                      CAST(coalesce(s.stored_rows, 0) AS BIGINT) AS stored_rows";

impl LakeStatement {
    /// The rows of files and tables that may differ from the catalogue's. A row of a table has no `data_file_id`, and
    /// neither kind has all statistics: what one lacks is NULL there.
    pub fn comparisons(&self, metadata: &str) -> Query<Comparison> {
        let (computed, order_types) = self.computed();
        let orders = orders(&order_types);
        let files = format!(
            "SELECT p.data_file_id, p.file_name, {COLUMN}, {sides}, {orders} \
             FROM computed p JOIN lake_columns c USING (table_id, column_id) \
             LEFT JOIN stored s USING (data_file_id, table_id, column_id) \
             WHERE p.data_file_id IS NOT NULL AND p.is_current AND NOT p.is_default AND \
             (s.stored_rows IS DISTINCT FROM 1 OR s.value_count IS DISTINCT FROM p.value_count \
             OR s.null_count IS DISTINCT FROM p.null_count OR s.min_value IS DISTINCT FROM p.min_value \
             OR s.max_value IS DISTINCT FROM p.max_value OR s.contains_nan IS DISTINCT FROM p.contains_nan \
             OR s.extra_stats IS DISTINCT FROM p.extra_stats)",
            sides = sides(&FILE_STATISTICS),
        );
        let tables = format!(
            "SELECT {COLUMN}, {sides}, {orders} \
             FROM merged p JOIN lake_columns c USING (table_id, column_id) \
             LEFT JOIN stored_tables s USING (table_id, column_id)",
            sides = sides(&TABLE_STATISTICS),
        );
        let statement = format!(
            "{computed}, {merged}, {stored} SELECT * FROM (({files}) UNION ALL BY NAME ({tables}))",
            merged = merged(&order_types),
            stored = stored(metadata),
        );
        Query::new(statement, comparison)
    }
}

/// The columns of both sides.
fn sides(statistics: &[Statistic]) -> String {
    let columns = statistics.iter().map(|statistic| {
        let name = statistic.name();
        format!("s.{name} AS {STORED}_{name}, p.{name} AS {TRUE}_{name}")
    });
    columns.collect::<Vec<_>>().join(", ")
}

/// How the stored bounds lie to the true ones.
fn orders(order_types: &OrderTypes) -> String {
    let order = |stored: &str, truth: &str| {
        format!(
            "CAST(CASE WHEN {} THEN {UNREADABLE} ELSE {} END AS BIGINT)",
            order_types.is_unreadable("c.order_number", stored),
            order_types.compare("c.order_number", stored, truth)
        )
    };
    format!(
        "{} AS min_order, {} AS max_order",
        order(&before_nul("s.min_value", ""), "p.min_value"),
        order(&before_nul("s.max_value", " || chr(1)"), "p.max_value")
    )
}

/// A stored bound, cut as a true one is: no NUL stands in a bound, and what is cut off a maximum is made up for.
fn before_nul(bound: &str, raise: &str) -> String {
    format!(
        "CASE WHEN contains({bound}, chr(0)) THEN split_part({bound}, chr(0), 1){raise} ELSE {bound} END"
    )
}

fn comparison(row: &dyn NamedValues) -> Comparison {
    let text = |column: &str| row.owned_text(column).unwrap_or_default();
    let id = |column: &str| row.integer(column).unwrap_or_default();
    let order = |column: &str| match row.integer(column) {
        None => BoundOrder::Unknown,
        Some(UNREADABLE) => BoundOrder::Unreadable,
        Some(order) => match order.signum() {
            -1 => BoundOrder::Less,
            0 => BoundOrder::Equal,
            _ => BoundOrder::Greater,
        },
    };
    let data_file_id = row.integer("data_file_id");
    let mut truth = statistics(row, TRUE);
    if data_file_id.is_none() {
        truth.extra_stats = truth.extra_stats.and_then(boxes);
    }
    Comparison {
        data_file_id,
        table_id: id("table_id"),
        column_id: id("column_id"),
        schema_name: text("schema_name"),
        table_name: text("table_name"),
        file_name: row.owned_text("file_name"),
        column_name: text("column_name"),
        lake_type: LakeType::new(row.text("lake_type").unwrap_or_default()),
        place: place_of(id("place")),
        has_all_rows: row.flag("has_all_rows") == Some(true),
        stored_rows: id("stored_rows"),
        stored: statistics(row, STORED),
        truth,
        min_order: order("min_order"),
        max_order: order("max_order"),
    }
}

/// The statistics of one side.
fn statistics(row: &dyn NamedValues, side: &str) -> Statistics {
    let column = |statistic: Statistic| format!("{side}_{}", statistic.name());
    let count = |statistic| row.integer(&column(statistic));
    let flag = |statistic| row.flag(&column(statistic));
    let text = |statistic| row.owned_text(&column(statistic));
    Statistics {
        column_size_bytes: count(Statistic::ColumnSize),
        value_count: count(Statistic::ValueCount),
        null_count: count(Statistic::NullCount),
        contains_null: flag(Statistic::ContainsNull),
        min_value: text(Statistic::MinValue),
        max_value: text(Statistic::MaxValue),
        contains_nan: flag(Statistic::ContainsNan),
        extra_stats: text(Statistic::ExtraStats),
    }
}
