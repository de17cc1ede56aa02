//! The arguments of the DuckLake functions: `ducklake_column_stats('lake', ...)` and its kin.

use crate::output::ducklake::findings::Severity;
use crate::sql::literal::Literal;
use colstats_core::accumulator::Settings;
use colstats_core::error::{Error, Result};

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
        for (name, value) in named {
            options.set(name, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &Literal) -> Result<()> {
        let text = |value: &Literal| value.as_text(name).map(|text| Some(text.to_owned()));
        match name {
            "schema_name" => self.schema_name = text(value)?,
            "table_name" => self.table_name = text(value)?,
            "metadata_catalog" => self.metadata_catalog = text(value)?,
            "metadata_schema" => self.metadata_schema = text(value)?,
            "snapshot" => self.snapshot = Some(value.as_integer(name)?),
            "only_missing" => self.only_missing = value.as_boolean(name)?,
            "max_bound_bytes" => {
                let bytes = value.as_integer(name)?;
                Settings::with_max_bound_bytes(bytes)?;
                self.max_bound_bytes = Some(bytes);
            }
            "include" => {
                let names = value.as_texts(name)?;
                self.include = names.iter().map(|n| Severity::named(n)).collect::<Result<_>>()?;
            }
            other => return Err(Error::new(format!("option '{other}' is not known"))),
        }
        Ok(())
    }
}
