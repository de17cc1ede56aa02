//! The options of the functions of Hive's column statistics.

use std::time::SystemTime;

use super::bit_vector::precision;
use super::stats::top_k;
use crate::function::options::{Given, NamedOption, option, read};
use crate::sql::hive::statement::{HiveOptions, NullLength};
use colstats_core::error::{Error, Result};
use colstats_core::value::Literal;

/// The options that all of the functions have.
pub fn hive_options<Checked: AsMut<HiveOptions>>() -> Vec<NamedOption<Checked>> {
    let mut options = identity_options();
    options.extend([
        option("columns", |checked: &mut Checked, given| {
            checked.as_mut().columns = Some(given.column_names()?);
            Ok(())
        }),
        option("bit_vector_precision", |checked: &mut Checked, given| {
            checked.as_mut().bit_vector_precision = precision(Some(given.integer()?))?;
            Ok(())
        }),
        option("null_length", |checked: &mut Checked, given| {
            checked.as_mut().null_length = null_length(given)?;
            Ok(())
        }),
        option("nested", |checked: &mut Checked, given| {
            checked.as_mut().has_nested = given.boolean()?;
            Ok(())
        }),
        option("histogram", |checked: &mut Checked, given| {
            checked.as_mut().has_histogram = given.boolean()?;
            Ok(())
        }),
        option("top_k", |checked: &mut Checked, given| {
            checked.as_mut().top_k = top_k(Some(given.integer()?), 0)?;
            Ok(())
        }),
    ]);
    options
}

/// What the rows say they are about.
fn identity_options<Checked: AsMut<HiveOptions>>() -> Vec<NamedOption<Checked>> {
    vec![
        option("cat_name", |checked: &mut Checked, given| {
            checked.as_mut().cat_name = given.owned_text()?;
            Ok(())
        }),
        option("db_name", |checked: &mut Checked, given| {
            checked.as_mut().db_name = given.owned_text()?;
            Ok(())
        }),
        option("table_name", |checked: &mut Checked, given| {
            checked.as_mut().table_name = Some(given.owned_text()?);
            Ok(())
        }),
        option("engine", |checked: &mut Checked, given| {
            checked.as_mut().engine = given.owned_text()?;
            Ok(())
        }),
    ]
}

/// The options as they are when none is given.
pub fn default_options() -> HiveOptions {
    HiveOptions { last_analyzed: seconds_since_1970(), ..HiveOptions::default() }
}

/// The checked options of a function over a table or a query.
pub fn source_options(named: &[(&str, Literal)]) -> Result<HiveOptions> {
    let mut checked = default_options();
    read(&hive_options(), named, &mut checked)?;
    Ok(checked)
}

/// The time at which the statement is composed.
fn seconds_since_1970() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|time| i64::try_from(time.as_secs()).ok()).unwrap_or(0)
}

fn null_length(given: &Given<'_>) -> Result<NullLength> {
    match given.text()? {
        "hive" => Ok(NullLength::Hive),
        "impala" => Ok(NullLength::Impala),
        other => Err(Error::new(format!(
            "null_length '{other}' is not known; use 'hive' (NULL counts as length 0) or 'impala' (NULL does \
             not count)"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let error = |name, value| source_options(&[(name, value)]).unwrap_err().to_string();
        assert!(error("null_length", Literal::Text("none".into())).contains("'impala'"));
        assert!(error("bit_vector_precision", Literal::Integer(17)).contains("between 4 and 16"));
        assert!(error("top_k", Literal::Integer(-1)).contains("between 0 and 1000"));
        assert!(error("precision", Literal::Null).contains("the options are cat_name"));
        let set = source_options(&[("nested", Literal::Boolean(true))]).unwrap();
        assert!(set.has_nested);
    }
}
