//! Statistics of anything that DuckDB can select from: one kind of statistics is four functions, over a table
//! and over a query, as a table function and as its twin that returns the statement.

use std::marker::PhantomData;

use super::twins::{arguments_at, named, text_overloads};
use crate::ffi::aggregate::Arguments;
use crate::ffi::registry::Parameter;
use crate::ffi::scalar::ScalarFunction;
use crate::ffi::session::{Host, Session};
use crate::ffi::table::{Answer, TableFunction};
use crate::sql::source_statement::{Source, query_source, table_source};
use colstats_core::column::column_type::ColumnType;
use colstats_core::error::{Error, Result};
use colstats_core::value::Cell;
use colstats_core::value::Literal;

/// A kind of statistics.
pub trait SourceStats: 'static {
    /// The SQL names of the table functions.
    const OF_TABLE: &'static str;
    const OF_QUERY: &'static str;

    /// The SQL names of their twins.
    const TABLE_TEXT: &'static str;
    const QUERY_TEXT: &'static str;

    /// The options.
    fn named_parameters() -> Vec<&'static str>;

    /// Names and types of the columns.
    fn columns() -> Vec<(&'static str, ColumnType)>;

    /// The statement over `source`.
    fn compose(source: &Source, named: &[(&str, Literal)]) -> Result<String>;
}

/// What the first argument names.
pub trait Subject: 'static {
    const IS_QUERY: bool;
}

/// A table or a view, in any attached database. A table function runs on a connection of its own: temporary
/// tables and rows that are not committed need its twin.
pub struct Table;

/// One SELECT.
pub struct Query;

impl Subject for Table {
    const IS_QUERY: bool = false;
}

impl Subject for Query {
    const IS_QUERY: bool = true;
}

/// The table function.
pub struct StatsOf<Stats, Subject>(PhantomData<(Stats, Subject)>);

/// Its twin: `(subject, options STRUCT)` becomes the statement.
pub struct TextOf<Stats, Subject>(PhantomData<(Stats, Subject)>);

/// A statement, and the query of the caller that stands in it.
pub struct Composed {
    query: Option<String>,
    statement: String,
}

impl Composed {
    fn new<Stats: SourceStats, Of: Subject>(
        subject: &Literal,
        named: &[(&str, Literal)],
    ) -> Result<Composed> {
        let (query, source) = if Of::IS_QUERY {
            let query = subject.as_text("query")?;
            (Some(query.to_owned()), query_source(query)?)
        } else {
            (None, table_source(subject.as_text("table")?)?)
        };
        Ok(Composed { query, statement: Stats::compose(&source, named)? })
    }

    /// Whether the query is one by itself: in brackets, half a query could complete another one.
    fn check(&self, session: &Session) -> Result<()> {
        self.query.as_deref().map_or(Ok(()), |query| session.check_is_one_statement(query))
    }

    /// A failure, with what may help.
    fn explained(&self, twin: &str, session: &Session, error: Error) -> Error {
        // In brackets, what is no SELECT is but a syntax error.
        let is_select =
            self.query.as_deref().map_or(Ok(()), |query| session.check_is_select(query));
        if let Err(error) = is_select {
            return error;
        }
        if !error.to_string().contains("does not exist") {
            return error;
        }
        Error::new(format!(
            "{error}\nTemporary tables, uncommitted rows, DataFrames and the session's search path are seen by \
             FROM query({twin}(...)) alone."
        ))
    }
}

impl<Stats: SourceStats, Of: Subject> TableFunction for StatsOf<Stats, Of> {
    type Bound = Composed;

    const NAME: &'static str = if Of::IS_QUERY { Stats::OF_QUERY } else { Stats::OF_TABLE };

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::Of(ColumnType::Varchar)]
    }

    fn named_parameters() -> Vec<&'static str> {
        Stats::named_parameters()
    }

    fn columns() -> Vec<(&'static str, ColumnType)> {
        Stats::columns()
    }

    fn bind(positional: Vec<Literal>, named: Vec<(&'static str, Literal)>) -> Result<Composed> {
        Composed::new::<Stats, Of>(positional.first().unwrap_or(&Literal::Null), &named)
    }

    /// A view is text of the user, too: its macros are the user's.
    fn answer(bound: &Composed, session: &Session) -> Result<Answer> {
        bound.check(session)?;
        Answer::of_statement(&bound.statement, session).map_err(|error| {
            let twin = if Of::IS_QUERY { Stats::QUERY_TEXT } else { Stats::TABLE_TEXT };
            bound.explained(twin, session, error)
        })
    }
}

impl<Stats: SourceStats, Of: Subject> ScalarFunction for TextOf<Stats, Of> {
    const NAME: &'static str = if Of::IS_QUERY { Stats::QUERY_TEXT } else { Stats::TABLE_TEXT };

    fn overloads() -> Vec<Vec<Parameter>> {
        text_overloads(Parameter::Of(ColumnType::Varchar))
    }

    fn result_type() -> ColumnType {
        ColumnType::Varchar
    }

    fn call(host: Host, arguments: &Arguments<'_>, row: usize) -> Result<Cell> {
        let (subject, options) = arguments_at(arguments, row)?;
        let composed = Composed::new::<Stats, Of>(&subject, &named(&options))?;
        // Where no connection is to be had, DuckDB's own `query` is the only judge.
        if Of::IS_QUERY
            && let Ok(session) = host.connect()
        {
            composed.check(&session)?;
        }
        Ok(Cell::Varchar(composed.statement))
    }
}
