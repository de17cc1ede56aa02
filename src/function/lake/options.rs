//! The arguments of the DuckLake functions: `ducklake_column_stats('lake', ...)` and the others.

use crate::function::options::{NamedOption, option, read};
use crate::output::ducklake::findings::Severity;
use colstats_core::error::Result;
use colstats_core::value::Literal;

/// The checked arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct LakeOptions {
    /// The name under which the lake is attached.
    pub lake: String,
    pub schema_name: Option<String>,
    pub table_name: Option<String>,
    /// The snapshot whose files and columns are meant; the newest when not given.
    pub snapshot: Option<i64>,
    pub only_missing: bool,
    pub max_bound_bytes: Option<i64>,
    /// Which findings are repaired.
    pub include: Vec<Severity>,
    /// Where the catalogue's tables are, if not where DuckLake puts them.
    pub metadata_catalog: Option<String>,
    pub metadata_schema: Option<String>,
}

/// The options that all functions have.
const COMMON: [&str; 4] = ["table_name", "schema_name", "metadata_catalog", "metadata_schema"];

/// The common options and `more`.
pub fn named_parameters(more: &[&'static str]) -> Vec<&'static str> {
    COMMON.iter().chain(more).copied().collect()
}

impl LakeOptions {
    /// Checks the arguments.
    pub fn new(lake: Option<&Literal>, named: &[(&'static str, Literal)]) -> Result<LakeOptions> {
        let mut options = LakeOptions {
            lake: lake.unwrap_or(&Literal::Null).as_text("lake")?.to_owned(),
            schema_name: None,
            table_name: None,
            snapshot: None,
            only_missing: false,
            max_bound_bytes: None,
            include: vec![Severity::Wrong, Severity::Missing],
            metadata_catalog: None,
            metadata_schema: None,
        };
        read(&lake_options(), named, &mut options)?;
        Ok(options)
    }
}

/// The options of all functions.
fn lake_options() -> [NamedOption<LakeOptions>; 8] {
    [
        option("table_name", |checked, given| {
            checked.table_name = Some(given.owned_text()?);
            Ok(())
        }),
        option("schema_name", |checked, given| {
            checked.schema_name = Some(given.owned_text()?);
            Ok(())
        }),
        option("metadata_catalog", |checked, given| {
            checked.metadata_catalog = Some(given.owned_text()?);
            Ok(())
        }),
        option("metadata_schema", |checked, given| {
            checked.metadata_schema = Some(given.owned_text()?);
            Ok(())
        }),
        option("snapshot", |checked, given| {
            checked.snapshot = Some(given.integer()?);
            Ok(())
        }),
        option("only_missing", |checked, given| {
            checked.only_missing = given.boolean()?;
            Ok(())
        }),
        option("max_bound_bytes", |checked, given| {
            checked.max_bound_bytes = Some(given.max_bound_bytes()?);
            Ok(())
        }),
        option("include", |checked, given| {
            let severities = given.texts()?;
            checked.include =
                severities.iter().map(|s| Severity::named(s)).collect::<Result<_>>()?;
            Ok(())
        }),
    ]
}
