//! The options of the functions of Hive's column statistics.

use std::time::SystemTime;

use super::bit_vector::precision;
use super::stats::top_k;
use crate::sql::hive::statement::{HiveOptions, NullLength};
use crate::sql::literal::Literal;
use colstats_core::error::{Error, Result};

/// The options that all of the functions have.
pub fn named_parameters() -> Vec<&'static str> {
    vec![
        "cat_name",
        "db_name",
        "table_name",
        "engine",
        "columns",
        "bit_vector_precision",
        "null_length",
        "nested",
        "histogram",
        "top_k",
    ]
}

/// The checked options. `others` may take an option that is not among them: it says whether it did.
pub fn options(
    named: &[(&str, Literal)],
    mut others: impl FnMut(&str, &Literal) -> Result<bool>,
) -> Result<HiveOptions> {
    let mut options = HiveOptions { last_analyzed: seconds_since_1970(), ..HiveOptions::default() };
    for (name, value) in named {
        if !set(&mut options, name, value)? && !others(name, value)? {
            let known: Vec<&str> = named_parameters();
            return Err(Error::new(format!(
                "option '{name}' is not known; the options are {}, and for files partitions, format, \
                 read_options",
                known.join(", ")
            )));
        }
    }
    if options.columns.as_ref().is_some_and(Vec::is_empty) {
        return Err(Error::new("columns is an empty list; name a column or leave it out"));
    }
    Ok(options)
}

/// The time at which the statement is composed.
fn seconds_since_1970() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|time| i64::try_from(time.as_secs()).ok()).unwrap_or(0)
}

fn set(options: &mut HiveOptions, name: &str, value: &Literal) -> Result<bool> {
    match name {
        "cat_name" => options.cat_name = value.as_text(name)?.to_owned(),
        "db_name" => options.db_name = value.as_text(name)?.to_owned(),
        "table_name" => options.table_name = Some(value.as_text(name)?.to_owned()),
        "engine" => options.engine = value.as_text(name)?.to_owned(),
        "columns" => options.columns = Some(value.as_texts(name)?),
        "bit_vector_precision" => {
            options.bit_vector_precision = precision(Some(value.as_integer(name)?))?;
        }
        "null_length" => {
            options.null_length = match value.as_text(name)? {
                "hive" => NullLength::Hive,
                "impala" => NullLength::Impala,
                other => {
                    return Err(Error::new(format!(
                        "null_length '{other}' is not known; use 'hive' (NULL counts as length 0) or \
                         'impala' (NULL does not count)"
                    )));
                }
            }
        }
        "nested" => options.has_nested = value.as_boolean(name)?,
        "histogram" => options.has_histogram = value.as_boolean(name)?,
        "top_k" => options.top_k = top_k(Some(value.as_integer(name)?), 0)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// An option that is not among the common ones.
pub fn no_others(_name: &str, _value: &Literal) -> Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked() {
        let error = |name, value| options(&[(name, value)], no_others).unwrap_err().to_string();
        assert!(error("null_length", Literal::Text("none".into())).contains("'impala'"));
        assert!(error("bit_vector_precision", Literal::Integer(17)).contains("between 4 and 16"));
        assert!(error("top_k", Literal::Integer(-1)).contains("between 0 and 1000"));
        assert!(error("precision", Literal::Null).contains("the options are cat_name"));
        let set = options(&[("nested", Literal::Boolean(true))], no_others).unwrap();
        assert!(set.has_nested);
    }
}
