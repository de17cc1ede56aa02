//! A row of statistics as a DuckLake catalogue has them, of a column in a file or in a table.

/// One statistic of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Statistic {
    /// The row as a whole.
    Row,
    ColumnSize,
    ValueCount,
    NullCount,
    ContainsNull,
    MinValue,
    MaxValue,
    ContainsNan,
    ExtraStats,
}

impl Statistic {
    /// The column of the catalogue's table.
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Row => "row",
            Statistic::ColumnSize => "column_size_bytes",
            Statistic::ValueCount => "value_count",
            Statistic::NullCount => "null_count",
            Statistic::ContainsNull => "contains_null",
            Statistic::MinValue => "min_value",
            Statistic::MaxValue => "max_value",
            Statistic::ContainsNan => "contains_nan",
            Statistic::ExtraStats => "extra_stats",
        }
    }
}

/// What the catalogue has of a column in a file.
pub const FILE_STATISTICS: [Statistic; 7] = [
    Statistic::ColumnSize,
    Statistic::ValueCount,
    Statistic::NullCount,
    Statistic::MinValue,
    Statistic::MaxValue,
    Statistic::ContainsNan,
    Statistic::ExtraStats,
];

/// What the catalogue has of a column in a table.
pub const TABLE_STATISTICS: [Statistic; 5] = [
    Statistic::ContainsNull,
    Statistic::MinValue,
    Statistic::MaxValue,
    Statistic::ContainsNan,
    Statistic::ExtraStats,
];

/// The statistics of a column, in a file or in a table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statistics {
    pub column_size_bytes: Option<i64>,
    pub value_count: Option<i64>,
    pub null_count: Option<i64>,
    pub contains_null: Option<bool>,
    pub min_value: Option<String>,
    pub max_value: Option<String>,
    pub contains_nan: Option<bool>,
    pub extra_stats: Option<String>,
}

impl Statistics {
    /// One statistic as text.
    pub fn text(&self, statistic: Statistic) -> Option<String> {
        let number = |value: &Option<i64>| value.map(|value| value.to_string());
        let flag = |value: &Option<bool>| value.map(|value| value.to_string());
        match statistic {
            Statistic::Row => None,
            Statistic::ColumnSize => number(&self.column_size_bytes),
            Statistic::ValueCount => number(&self.value_count),
            Statistic::NullCount => number(&self.null_count),
            Statistic::ContainsNull => flag(&self.contains_null),
            Statistic::MinValue => self.min_value.clone(),
            Statistic::MaxValue => self.max_value.clone(),
            Statistic::ContainsNan => flag(&self.contains_nan),
            Statistic::ExtraStats => self.extra_stats.clone(),
        }
    }
}
